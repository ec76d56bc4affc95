//! What can go wrong with money.

use superroot_account::row::Contended;
use superroot_account::{AccountError, AccountId, Month, Status, Tier};
use superroot_store::StoreError;
use superroot_types::{ChainId, ErrorKind};

use crate::money::usdc_text;

/// Why something about money was not done.
#[derive(Debug, thiserror::Error)]
pub enum BillingError {
    /// The accounts did not do their part.
    #[error(transparent)]
    Account(#[from] AccountError),
    /// The store did not do its part.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// Other writers were faster, each time.
    #[error(transparent)]
    Contended(#[from] Contended),
    /// An amount or a count is past what can be counted; nothing was written.
    #[error("{what} is past the largest amount that is counted")]
    Overflow {
        /// What was being computed.
        what: &'static str,
    },
    /// A payment stands in a block that may still be undone.
    #[error("the payment's block is not final")]
    PaymentNotFinal,
    /// A payment on another chain than that of the registry contract.
    #[error("chain {got} is not the chain that subscriptions are paid on, {expected}")]
    PaymentChain {
        /// The payment's.
        got: ChainId,
        /// The configured one.
        expected: ChainId,
    },
    /// A tier that cannot be had by payment.
    #[error("tier {tier} is not paid for, expected builder or protocol")]
    NotForSale {
        /// The tier.
        tier: Tier,
    },
    /// An activation pays exactly the price of its tier.
    #[error(
        "{} USDC are not the price of thirty days of {tier}, expected {} USDC",
        usdc_text((*got_usdc_e6).into()),
        usdc_text((*expected_usdc_e6).into())
    )]
    Price {
        /// The tier.
        tier: Tier,
        /// What was paid.
        got_usdc_e6: u64,
        /// What it costs.
        expected_usdc_e6: u64,
    },
    /// A payment came before under the same id, with other contents.
    #[error("payment {id} was recorded before with other contents")]
    PaymentDiffers {
        /// Its id.
        id: String,
    },
    /// Periods that cannot be granted at one time.
    #[error("{got} periods, expected 1 to {most}")]
    Periods {
        /// How many were asked for.
        got: u16,
        /// Most at one time.
        most: u16,
    },
    /// An act that the subscription's state does not allow.
    #[error("a subscription that is {status} cannot be {act}")]
    Subscription {
        /// Its state.
        status: Status,
        /// What was tried, as a participle.
        act: &'static str,
    },
    /// More is to be paid back than was paid.
    #[error(
        "{} USDC asked back, {} USDC were paid and not paid back yet",
        usdc_text((*asked_usdc_e6).into()),
        usdc_text((*left_usdc_e6).into())
    )]
    Refund {
        /// What was asked.
        asked_usdc_e6: u64,
        /// What there is.
        left_usdc_e6: u64,
    },
    /// An amount of nothing, where something is to be moved.
    #[error("{what} must be above 0 USDC")]
    Nothing {
        /// Of what.
        what: &'static str,
    },
    /// Something was recorded before under the same reference, with other contents.
    #[error("{reference} was recorded before with other contents")]
    ReferenceDiffers {
        /// The reference.
        reference: String,
    },
    /// Something was recorded under the reference, and taken back.
    #[error("{reference} was taken back; enter the right amount under another reference")]
    TakenBack {
        /// The reference.
        reference: String,
    },
    /// More is paid out than the service owes.
    #[error(
        "{} USDC are more than the service owes the account, expected at most {} USDC",
        usdc_text((*got_usdc_e6).into()),
        usdc_text((*owed_usdc_e6).into())
    )]
    PaidOut {
        /// What was to be noted as paid out.
        got_usdc_e6: u64,
        /// What the service owes; 0 where the account owes.
        owed_usdc_e6: u64,
    },
    /// There is no entry of that number.
    #[error("the account has no entry {month}/{number}; list its entries with `ledger list`")]
    NoEntry {
        /// The month.
        month: Month,
        /// Its number there.
        number: u32,
    },
    /// An entry that is not taken back as it is.
    #[error("an entry of kind {kind} is not taken back: {why}")]
    NotTakenBack {
        /// Its kind.
        kind: &'static str,
        /// What to do in place of that.
        why: &'static str,
    },
    /// A month has as many as it may have.
    #[error("a month of an account has at most {expected} {what}")]
    Full {
        /// Of what.
        what: &'static str,
        /// How many.
        expected: u32,
    },
    /// A month that is closed, not over yet, or was over before there was the account.
    #[error("month {month} {why}")]
    Month {
        /// The month.
        month: Month,
        /// What is wrong with it.
        why: &'static str,
    },
    /// An invoice that cannot be made or corrected so.
    #[error("invoice refused: {why}")]
    Invoice {
        /// What is wrong with it.
        why: &'static str,
    },
    /// An agreement that cannot be.
    #[error("agreement refused: {why}")]
    Agreement {
        /// What is wrong with it.
        why: String,
    },
    /// The journal or an invoice is not what was written.
    #[error("the journal of account {account} is broken: {why}")]
    Journal {
        /// Whose.
        account: AccountId,
        /// What is wrong with it.
        why: &'static str,
    },
}

impl BillingError {
    /// What the caller does about it.
    #[must_use]
    pub fn kind(&self) -> ErrorKind {
        match self {
            Self::Account(error) => error.kind(),
            Self::Store(error) => error.kind(),
            Self::Contended(_) => ErrorKind::Unavailable,
            Self::Journal { .. } => ErrorKind::Corrupt,
            Self::Overflow { .. }
            | Self::PaymentNotFinal
            | Self::PaymentChain { .. }
            | Self::NotForSale { .. }
            | Self::Price { .. }
            | Self::PaymentDiffers { .. }
            | Self::Periods { .. }
            | Self::Subscription { .. }
            | Self::Refund { .. }
            | Self::Nothing { .. }
            | Self::ReferenceDiffers { .. }
            | Self::TakenBack { .. }
            | Self::PaidOut { .. }
            | Self::NoEntry { .. }
            | Self::NotTakenBack { .. }
            | Self::Full { .. }
            | Self::Month { .. }
            | Self::Invoice { .. }
            | Self::Agreement { .. } => ErrorKind::Invalid,
        }
    }

    /// The store's own error behind it, if that is what it is.
    #[must_use]
    pub const fn store(&self) -> Option<&StoreError> {
        match self {
            Self::Store(error) | Self::Account(AccountError::Store(error)) => Some(error),
            _ => None, // whatever is not of the store
        }
    }
}

/// An agreement refused for a reason that is one sentence.
pub(crate) fn no_agreement<T>(why: impl Into<String>) -> Result<T, BillingError> {
    Err(BillingError::Agreement { why: why.into() })
}
