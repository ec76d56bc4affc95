use superroot_account::row::Contended;
use superroot_account::{AccountError, AccountId, Month, SubscriptionStatus, Tier};
use superroot_store::StoreError;
use superroot_types::{ChainId, ErrorKind};

use crate::money::usdc_text;

/// Billing errors.
#[derive(Debug, thiserror::Error)]
pub enum BillingError {
    #[error(transparent)]
    Account(#[from] AccountError),
    #[error(transparent)]
    Store(#[from] StoreError),
    /// Every attempt lost to another writer.
    #[error(transparent)]
    Contended(#[from] Contended),
    /// Amount or count overflow; nothing was written.
    #[error("{what} is past the largest amount that is counted")]
    Overflow {
        /// Failed computation.
        what: &'static str,
    },
    /// The payment's block is not final.
    #[error("the payment's block is not final")]
    PaymentNotFinal,
    /// The payment is not on the registry contract's chain.
    #[error("chain {got} is not the chain that subscriptions are paid on, {expected}")]
    PaymentChain {
        got: ChainId,
        /// Configured chain.
        expected: ChainId,
    },
    #[error("tier {tier} is not paid for, expected builder or protocol")]
    NotForSale { tier: Tier },
    /// The payment is not exactly the price of the tier.
    #[error(
        "{} USDC are not the price of thirty days of {tier}, expected {} USDC",
        usdc_text((*got_usdc_e6).into()),
        usdc_text((*expected_usdc_e6).into())
    )]
    Price {
        tier: Tier,
        got_usdc_e6: u64,
        /// The tier's price.
        expected_usdc_e6: u64,
    },
    /// An earlier payment has the same id and other contents.
    #[error("payment {id} was recorded before with other contents")]
    PaymentDiffers { id: String },
    /// A pass with this authorization exists.
    #[error("the authorization was presented before")]
    PassPresented,
    /// Number of periods out of range.
    #[error("{got} periods, expected 1 to {most}")]
    Periods { got: u16, most: u16 },
    /// The subscription's state does not allow the act.
    #[error("a subscription that is {status} cannot be {act}")]
    Subscription {
        status: SubscriptionStatus,
        /// Attempted act, as a participle.
        act: &'static str,
    },
    /// The refund exceeds the payments not yet refunded.
    #[error(
        "{} USDC asked back, {} USDC were paid and not paid back yet",
        usdc_text((*asked_usdc_e6).into()),
        usdc_text((*left_usdc_e6).into())
    )]
    Refund {
        asked_usdc_e6: u64,
        /// Refundable amount.
        left_usdc_e6: u64,
    },
    /// The amount is zero.
    #[error("{what} must be above 0 USDC")]
    Nothing { what: &'static str },
    /// The reference is used by an entry with other contents.
    #[error("{reference} was recorded before with other contents")]
    ReferenceDiffers { reference: String },
    /// The entry of the reference was reversed.
    #[error("{reference} was taken back; enter the right amount under another reference")]
    TakenBack { reference: String },
    /// The payout exceeds the service's debt.
    #[error(
        "{} USDC are more than the service owes the account, expected at most {} USDC",
        usdc_text((*got_usdc_e6).into()),
        usdc_text((*owed_usdc_e6).into())
    )]
    PaidOut {
        /// Requested payout.
        got_usdc_e6: u64,
        /// Service's debt; 0 if the account owes.
        owed_usdc_e6: u64,
    },
    /// The entry does not exist.
    #[error("the account has no entry {month}/{number}; list its entries with `ledger list`")]
    NoEntry {
        month: Month,
        /// Number in the month.
        number: u32,
    },
    /// The entry cannot be reversed.
    #[error("an entry of kind {kind} is not taken back: {why}")]
    NotTakenBack {
        kind: &'static str,
        /// Alternative to a reversal.
        why: &'static str,
    },
    /// The month is full.
    #[error("a month of an account has at most {expected} {what}")]
    Full {
        /// Limited kind.
        what: &'static str,
        /// Limit.
        expected: u32,
    },
    /// The month is closed, not over yet, or before the account's opening.
    #[error("month {month} {why}")]
    Month { month: Month, why: &'static str },
    /// The invoice cannot be made or corrected.
    #[error("invoice refused: {why}")]
    Invoice { why: &'static str },
    /// Invalid agreement.
    #[error("agreement refused: {why}")]
    Agreement { why: String },
    /// The journal or an invoice was altered.
    #[error("the journal of account {account} is broken: {why}")]
    Journal { account: AccountId, why: &'static str },
}

impl BillingError {
    /// Error kind for the caller.
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
            | Self::PassPresented
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

    /// Underlying store error.
    #[must_use]
    pub const fn store(&self) -> Option<&StoreError> {
        match self {
            Self::Store(error) | Self::Account(AccountError::Store(error)) => Some(error),
            _ => None, // whatever is not of the store
        }
    }
}

/// Refuses an agreement with a reason of one sentence.
pub(crate) fn no_agreement<T>(why: impl Into<String>) -> Result<T, BillingError> {
    Err(BillingError::Agreement { why: why.into() })
}
