use superroot_account::AccountError;
use superroot_account::row::Contended;
use superroot_store::StoreError;

/// Webhook errors.
#[derive(Debug, thiserror::Error)]
pub enum WebhookError {
    #[error(transparent)]
    Account(#[from] AccountError),
    #[error(transparent)]
    Store(#[from] StoreError),
    /// Every attempt lost to another writer.
    #[error(transparent)]
    Contended(#[from] Contended),
    /// The account has no such webhook.
    #[error("the account has no webhook {id}")]
    Unknown { id: String },
    /// The account has as many webhooks as the tier allows.
    #[error("{expected} webhooks are all that the tier has")]
    Full {
        /// Webhooks allowed by the tier.
        expected: u32,
    },
    /// Refused webhook address.
    #[error("{why}")]
    Address { why: String },
    /// No dead letters to resend.
    #[error("no event of the webhook waits to be sent again")]
    NothingDead,
    /// The HTTP client could not be built.
    #[error("no HTTP client: {0}")]
    Client(#[source] reqwest::Error),
}
