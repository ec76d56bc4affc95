//! Who calls a method.

use tonic::Extensions;

use super::read;
use crate::ApiError;
use crate::edge::Patience;
use crate::input::Caller;

/// Who asks, and how long the edge lets it wait.
pub(super) struct Asked {
    pub(super) caller: Caller,
    patience: Option<Patience>,
}

impl Asked {
    /// What the edge left with the request.
    pub(super) fn of(extensions: &Extensions) -> Result<Self, ApiError> {
        let caller = extensions.get::<Caller>().cloned().ok_or_else(|| {
            tracing::error!("a method stands outside the gate");
            ApiError::internal()
        })?;
        Ok(Self { caller, patience: extensions.get().cloned() })
    }

    /// Tells the edge of a message that asks to wait.
    pub(super) fn wait(&self, seconds: u32) -> Result<(), ApiError> {
        let seconds = read::wait_seconds(seconds)?;
        if let Some(patience) = &self.patience {
            patience.ask_for(seconds);
        }
        Ok(())
    }
}
