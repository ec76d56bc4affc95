//! What can go wrong with accounts and money.

use superroot_store::{StoreError, Table};
use superroot_types::UnixSeconds;

use crate::Tier;

/// What the caller does about an error.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ErrorKind {
    /// What was asked cannot be done as asked: tell who asked.
    Invalid,
    /// It may work later: retry.
    Unavailable,
    /// What is stored is not what was written: stop, keep the evidence.
    Corrupt,
    /// Our own code broke a promise: stop the process.
    Bug,
}

/// Why something about accounts was not done.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum AccountError {
    /// The store did not do its part.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// A row holds other than what this crate writes.
    #[error("a row of table {table} is corrupt: {why}")]
    Row {
        /// Table of the row.
        table: Table,
        /// What is wrong with it.
        why: String,
    },
    /// Other writers were faster, each time.
    #[error("a row of table {table} changed during each of {attempts} attempts to write it")]
    Contended {
        /// Table of the row.
        table: Table,
        /// Attempts made.
        attempts: u32,
    },
    /// A configured or given figure is out of its range.
    #[error("{field} is {got}, expected {expected}")]
    Config {
        /// Path of the field.
        field: &'static str,
        /// What was found.
        got: String,
        /// What is allowed.
        expected: String,
    },
    /// An amount or a count is past what can be counted; nothing was written.
    #[error("{what} is past the largest amount that is counted")]
    Overflow {
        /// What was being computed.
        what: &'static str,
    },
    /// A payment stands in a block that may still be undone.
    #[error("the payment's block is not final")]
    PaymentNotFinal,
    /// The subscriber is not the one the payment names.
    #[error("the payment is another wallet's")]
    PaymentOfAnother,
    /// A tier that cannot be had by payment.
    #[error("tier {tier} is not for sale")]
    NotForSale {
        /// The tier.
        tier: Tier,
    },
    /// There is too little credit for a change.
    #[error("{missing_usdc_e6} millionths of a USDC are missing for tier {tier}")]
    Unaffordable {
        /// The tier asked for.
        tier: Tier,
        /// What is missing.
        missing_usdc_e6: u64,
    },
    /// An act that the subscription's state does not allow.
    #[error("a subscription that is {status} cannot be {act}")]
    Subscription {
        /// Its state.
        status: crate::Status,
        /// What was tried, as a participle.
        act: &'static str,
    },
    /// A payment came before under the same id, with other contents.
    #[error("payment {id} was recorded before with other contents")]
    PaymentDiffers {
        /// Its id.
        id: String,
    },
    /// More is to be refunded than there is.
    #[error("{asked_usdc_e6} millionths of a USDC asked back, the credit is {credit_usdc_e6}")]
    CreditShort {
        /// What was asked.
        asked_usdc_e6: u64,
        /// What there is.
        credit_usdc_e6: u64,
    },
    /// A text from outside is too long or has characters that are not printed.
    #[error("{field} must have 1 to {chars_max} printable characters")]
    Text {
        /// What it is.
        field: &'static str,
        /// Most characters allowed.
        chars_max: usize,
    },
    /// A row of ours has no written form: a mistake in this crate.
    #[error("a row has no written form")]
    Unwritable,
    /// A time is outside what calendars know.
    #[error("time {time} is outside the calendar")]
    Time {
        /// Seconds since 1970.
        time: UnixSeconds,
    },
}

impl AccountError {
    /// What the caller does about it.
    #[must_use]
    pub fn kind(&self) -> ErrorKind {
        match self {
            Self::Store(error) => match error.kind() {
                superroot_store::ErrorKind::Invalid => ErrorKind::Invalid,
                superroot_store::ErrorKind::Unavailable => ErrorKind::Unavailable,
                superroot_store::ErrorKind::Corrupt => ErrorKind::Corrupt,
                superroot_store::ErrorKind::Bug => ErrorKind::Bug,
            },
            Self::Row { .. } => ErrorKind::Corrupt,
            Self::Contended { .. } => ErrorKind::Unavailable,
            Self::Unwritable => ErrorKind::Bug,
            _ => ErrorKind::Invalid,
        }
    }
}
