//! Caller of a method.

use tonic::Extensions;

use super::read;
use crate::ApiError;
use crate::edge::Patience;
use crate::input::Caller;

/// Caller, and the extra waiting time at the edge.
pub(super) struct GrpcCaller {
    pub(super) caller: Caller,
    patience: Option<Patience>,
}

impl GrpcCaller {
    pub(super) fn of(extensions: &Extensions) -> Result<Self, ApiError> {
        let caller = extensions.get::<Caller>().cloned().ok_or_else(|| {
            tracing::error!("a method stands outside the gate");
            ApiError::internal()
        })?;
        Ok(Self { caller, patience: extensions.get().cloned() })
    }

    /// Tells the edge that the message asks to wait.
    pub(super) fn wait(&self, seconds: u32) -> Result<(), ApiError> {
        let seconds = read::wait_seconds(seconds)?;
        if let Some(patience) = &self.patience {
            patience.ask_for(seconds);
        }
        Ok(())
    }
}
