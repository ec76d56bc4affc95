//! Failures of a sender.

use superroot_outbox::OutboxError;
use superroot_source::SourceError;
use superroot_types::ErrorKind;

#[derive(Debug, thiserror::Error)]
pub(crate) enum SenderFailure {
    #[error(transparent)]
    Source(#[from] SourceError),
    #[error(transparent)]
    Outbox(#[from] OutboxError),
    #[error("the contract answers no sequence: is a {0} at this address?")]
    NoContract(&'static str),
    #[error("the {contract} would refuse it: {source}")]
    Refused { contract: &'static str, source: SourceError },
    #[error("{0}")]
    Held(String),
}

impl SenderFailure {
    /// Whether the service must stop: an unreadable store.
    pub(super) fn is_lasting(&self) -> bool {
        matches!(self, Self::Outbox(OutboxError::Store(error)) if error.kind() == ErrorKind::Corrupt)
    }
}
