//! What happens to a subscription, and the steps it takes.

use core::fmt;

use serde::{Deserialize, Serialize};
use superroot_types::{Address, ChainId, Hash, UnixSeconds};

use super::Status;
use crate::Tier;

/// The log that a payment is: it counts once.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PaymentId {
    /// Chain it was made on.
    pub chain: ChainId,
    /// Its transaction.
    pub tx: Hash,
    /// Place of the log in the receipt.
    pub log_index: u32,
}

impl fmt::Display for PaymentId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}/{}", self.chain, self.tx, self.log_index)
    }
}

/// What was paid with.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Asset {
    /// USDC.
    Usdc,
    /// ETH: the payment's `usdc_e6` is its price ([`crate::usdc_e6_of_wei`]).
    Eth {
        /// What was sent and not given back, in wei.
        wei: u128,
        /// The price of one ETH it was counted at.
        eth_price_usdc_e6: u64,
    },
}

/// A payment to the registry contract.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Payment {
    /// Which log it is.
    pub id: PaymentId,
    /// Who is paid for.
    pub wallet: Address,
    /// The tier it is for.
    pub tier: Tier,
    /// How much it counts.
    pub usdc_e6: u64,
    /// What it was paid with.
    pub asset: Asset,
    /// Time of its block.
    pub paid_at: UnixSeconds,
    /// Whether its block is final; others are refused.
    pub is_final: bool,
}

/// Who acted by hand, and why. Both are printable, `who` up to 64 characters, `why` up to 512.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Operator {
    /// Who.
    pub who: String,
    /// Why.
    pub why: String,
}

/// What happens to a subscription.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Event {
    /// A payment was seen.
    Payment(Payment),
    /// Only time has passed: writes down what follows from it.
    Time,
    /// To another tier now: credit and the unused part of what was paid buy whole periods of it, the
    /// rest is credit. To the same tier, or when not active: credit buys what it reaches.
    ChangeTier(Tier, Operator),
    /// Periods free of charge: before any lower tier, which waits.
    Grant(Tier, u16, Operator),
    /// Ends now without grace: the unused part of what was paid becomes credit.
    Release(Operator),
    /// Credit of so many millionths of a USDC was paid back.
    Refund(u64, Operator),
    /// Taken away; the time left is kept for [`Event::Reinstate`].
    Revoke(Operator),
    /// Given back, with the time that was left.
    Reinstate(Operator),
}

impl Event {
    /// The tier it names.
    #[must_use]
    pub const fn tier(&self) -> Option<Tier> {
        match self {
            Self::Payment(payment) => Some(payment.tier),
            Self::ChangeTier(tier, _) | Self::Grant(tier, _, _) => Some(*tier),
            Self::Time
            | Self::Release(_)
            | Self::Refund(..)
            | Self::Revoke(_)
            | Self::Reinstate(_) => None,
        }
    }
}

/// Why a step was taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Reason {
    /// The price is reached.
    Activated,
    /// More of the same tier.
    Renewed,
    /// To a higher tier.
    Upgraded,
    /// To a lower tier, now.
    Downgraded,
    /// A lower tier, once the higher one ends.
    Scheduled,
    /// Less than the price; it is kept.
    ShortPayment,
    /// Money that buys nothing now; it is kept.
    CreditKept,
    /// Past the last paid second.
    PeriodEnded,
    /// Grace is over.
    GraceEnded,
    /// The price was not reached in time; the credit stays.
    PendingLapsed,
    /// The configured times were changed.
    TermsChanged,
    /// Periods free of charge.
    Granted,
    /// Ended early, the rest credited.
    Released,
    /// Credit was paid back.
    Refunded,
    /// Taken away.
    Revoked,
    /// Given back.
    Reinstated,
}

impl Reason {
    /// In a line of an invoice.
    pub(crate) const fn words(self) -> &'static str {
        match self {
            Self::Activated => "begun",
            Self::Renewed => "renewed",
            Self::Upgraded => "to a higher tier",
            Self::Downgraded => "to a lower tier",
            Self::Scheduled => "a lower tier afterwards",
            Self::ShortPayment | Self::CreditKept => "kept",
            Self::Released => "ended early",
            Self::Refunded => "refund",
            Self::Granted | Self::Revoked | Self::Reinstated => "by the operator",
            Self::PeriodEnded | Self::GraceEnded | Self::PendingLapsed | Self::TermsChanged => {
                "by its terms"
            }
        }
    }
}

/// What a step rests on.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Evidence {
    /// A payment.
    Payment(PaymentId),
    /// A person.
    Operator(Operator),
    /// The clock.
    Time,
}

/// A recorded step.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Transition {
    /// Status before.
    pub from: Status,
    /// Status after.
    pub to: Status,
    /// When it took effect, which may be before it was written.
    pub at: UnixSeconds,
    /// Why.
    pub reason: Reason,
    /// What it rests on.
    pub evidence: Evidence,
    /// The money it moved; none for a step of time, and for one of before such was kept.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub moved: Option<Moved>,
}

/// What an event did to the money of a subscription.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Moved {
    /// The tier that the event named.
    pub tier: Option<Tier>,
    /// What was paid.
    pub paid_usdc_e6: u64,
    /// What was paid back.
    pub refunded_usdc_e6: u64,
    /// Credit before.
    pub credit_before_usdc_e6: u64,
    /// Credit after.
    pub credit_after_usdc_e6: u64,
}

impl Moved {
    /// What credit has grown by; negative where it was used.
    #[must_use]
    pub fn into_credit_usdc_e6(&self) -> i128 {
        i128::from(self.credit_after_usdc_e6) - i128::from(self.credit_before_usdc_e6)
    }

    /// What was bought; negative where more was given back than bought.
    #[must_use]
    pub fn bought_usdc_e6(&self) -> i128 {
        i128::from(self.paid_usdc_e6)
            - i128::from(self.refunded_usdc_e6)
            - self.into_credit_usdc_e6()
    }
}
