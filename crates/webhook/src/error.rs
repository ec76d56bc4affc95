//! What can go wrong with webhooks.

use superroot_account::AccountError;
use superroot_account::row::Contended;
use superroot_store::StoreError;

/// Why something about webhooks was not done.
#[derive(Debug, thiserror::Error)]
pub enum WebhookError {
    /// The accounts did not do their part.
    #[error(transparent)]
    Account(#[from] AccountError),
    /// The store did not do its part.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// Other writers were faster, each time.
    #[error(transparent)]
    Contended(#[from] Contended),
    /// The account has no such webhook.
    #[error("the account has no webhook {id}")]
    Unknown {
        /// The id.
        id: String,
    },
    /// The tier has no more.
    #[error("{expected} webhooks are all that the tier has")]
    Full {
        /// How many it has.
        expected: u32,
    },
    /// An address to which nothing is sent.
    #[error("{why}")]
    Address {
        /// What is wrong with it.
        why: String,
    },
    /// There is nothing that could be sent again.
    #[error("no event of the webhook waits to be sent again")]
    NothingDead,
    /// The HTTP client could not be made.
    #[error("no HTTP client: {0}")]
    Client(#[source] reqwest::Error),
}
