//! Subscriptions: thirty days of a tier, bought ahead.
//!
//! A *period* is thirty days of one tier and what was paid for them. *Credit* is money received that
//! has bought nothing yet; it never lapses. *Standing* is what a subscription gives at one second.
//!
//! ```text
//!           short payment            price reached
//!    none ----------------> pending ---------------.
//!      |                       | too late: none     v    last paid second        grace over
//!      '------- payment --------------------------> active -----------> grace -----------> expired
//!                                                   ^  ^ | renewal stacks |                  |
//!                                                   |  '-+---- payment ---'                  |
//!                                                   '--------------- payment ----------------'
//!    any --revoke--> revoked --reinstate--> where it stood, with the time that was left
//! ```
//! What must always hold: no event but the passing of time, a refund and what was used in grace
//! makes worth (credit and the unused part of what was paid) smaller; every step is recorded; a
//! payment counts once; the tiers of periods fall, never rise, towards the future.
//!
//! What happens to payments:
//! - *short*: credit, shown as pending for `pending_seconds`; whenever the sum reaches the price, it
//!   buys a period. Who is active stays so.
//! - *over*: buys as many whole periods as it reaches, up to `periods_ahead_max` ahead; the rest is
//!   credit.
//! - *double*: each counts, they stack. The same payment seen twice counts once.
//! - *before expiry*: added at the end. *In grace*: continues from the old expiry (a higher tier
//!   begins with its payment). *After grace*: begins with the payment.
//! - *for a higher tier*: the unused part of what was paid, rounded up, is credited first; the new
//!   periods begin with the payment. *For a lower tier*: begins when the higher one ends.
//! - *seen late*: begins when it was made, but at most `payment_lag_seconds_max` before it was seen.
//! - *while revoked*, or for a tier that has no price: credit.

mod booking;
mod event;
mod machine;
mod rows;

use core::fmt;

use serde::{Deserialize, Serialize};
use superroot_types::{Address, UnixSeconds};

use crate::money::scaled_up;
use crate::{AccountError, AccountId, Plans, SubscriptionTerms, Tier};

pub use event::{Asset, Event, Evidence, Moved, Operator, Payment, PaymentId, Reason, Transition};
pub use machine::apply;
pub use rows::{Along, Applied, Subscriptions, Unbilled};

pub(crate) use machine::{check_operator, renewal};
pub(crate) use rows::{LIST_MAX, environment_byte, subscriber_key};

/// Length of a period: thirty days of 86,400 seconds.
pub const PERIOD_SECONDS: u64 = 30 * 86_400;

/// Payments that a subscription remembers by itself; the store remembers all.
const RECENT_PAYMENTS_MAX: usize = 64;

/// Where a subscription stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Status {
    /// Never subscribed.
    None,
    /// Paid, but less than the price.
    Pending,
    /// Paid for now.
    Active,
    /// Past its last paid second, and still served.
    Grace,
    /// Over.
    Expired,
    /// Taken away.
    Revoked,
}

impl Status {
    /// Every status.
    pub const ALL: [Self; 6] =
        [Self::None, Self::Pending, Self::Active, Self::Grace, Self::Expired, Self::Revoked];

    /// The word used in answers and rows.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::Pending => "pending",
            Self::Active => "active",
            Self::Grace => "grace",
            Self::Expired => "expired",
            Self::Revoked => "revoked",
        }
    }

    /// Whether a step leads from here to there. Staying is a step too: a renewal is one.
    #[must_use]
    pub const fn may_become(self, to: Self) -> bool {
        match self {
            Self::None => matches!(to, Self::None | Self::Pending | Self::Active | Self::Revoked),
            // to none only for who has never been active, which `Standing` decides
            Self::Pending | Self::Revoked => true,
            Self::Active => !matches!(to, Self::None),
            Self::Grace | Self::Expired => !matches!(to, Self::None),
        }
    }

    /// Whether the tier is served.
    #[must_use]
    pub const fn is_served(self) -> bool {
        match self {
            Self::Active | Self::Grace => true,
            Self::None | Self::Pending | Self::Expired | Self::Revoked => false,
        }
    }
}

impl fmt::Display for Status {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// Whose subscription it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Subscriber {
    /// A wallet: it lifts one account, the last it signed for.
    Wallet(Address),
    /// One account, by the operator's hand.
    Account(AccountId),
}

/// Time of one tier that was paid for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Period {
    /// The tier.
    pub tier: Tier,
    /// First second.
    pub start: UnixSeconds,
    /// First second after.
    pub end: UnixSeconds,
    /// What was paid for it.
    pub value_usdc_e6: u64,
}

impl Period {
    /// What was paid for the seconds from `now` on, rounded up.
    fn unused_usdc_e6(&self, now: UnixSeconds) -> u64 {
        let length = self.end.0.saturating_sub(self.start.0);
        let left = self.end.0.saturating_sub(now.0.max(self.start.0));
        // at most the value itself
        scaled_up(self.value_usdc_e6, left, length).unwrap_or(0)
    }
}

/// A payment that did not reach the price.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Pending {
    /// The tier last paid for.
    pub tier: Tier,
    /// When it was first seen.
    pub since: UnixSeconds,
}

/// What a short payment still waits for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Waiting {
    /// The tier last paid for.
    pub tier: Tier,
    /// What is missing to thirty days of it.
    pub missing_usdc_e6: u64,
    /// First second from which on it is not shown as pending any more; the credit stays.
    pub until: UnixSeconds,
}

/// What a subscription gives at one second.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Standing {
    /// Where it stands.
    pub status: Status,
    /// The tier that is served; explorer where none is.
    pub tier: Tier,
    /// The first second that is not paid for; none for who never was active.
    pub expires_at: Option<UnixSeconds>,
    /// When time alone will change this.
    pub changes_at: Option<UnixSeconds>,
}

/// A subscription as it was last written. Only [`apply`] changes it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Subscription {
    /// Whose it is.
    pub subscriber: Subscriber,
    /// Status when last written; ask [`Subscription::status_at`] for now.
    pub status: Status,
    /// Times paid for, one after the other without a gap, highest tier first. The last stays when
    /// it is over.
    pub periods: Vec<Period>,
    /// When what was released early ended.
    pub released_at: Option<UnixSeconds>,
    /// Money that has bought nothing yet.
    pub credit_usdc_e6: u64,
    /// Everything ever paid.
    pub paid_usdc_e6: u64,
    /// Everything ever paid back.
    pub refunded_usdc_e6: u64,
    /// A payment short of the price.
    pub pending: Option<Pending>,
    /// Since when it is taken away.
    pub revoked_at: Option<UnixSeconds>,
    /// When it was last written; never falls.
    pub written_at: UnixSeconds,
    /// Steps recorded so far.
    pub transition_count: u64,
    /// The payments last counted.
    pub recent_payments: Vec<PaymentId>,
}

impl Subscription {
    /// One that never had anything.
    #[must_use]
    pub const fn none(subscriber: Subscriber) -> Self {
        Self {
            subscriber,
            status: Status::None,
            periods: Vec::new(),
            released_at: None,
            credit_usdc_e6: 0,
            paid_usdc_e6: 0,
            refunded_usdc_e6: 0,
            pending: None,
            revoked_at: None,
            written_at: UnixSeconds(0),
            transition_count: 0,
            recent_payments: Vec::new(),
        }
    }

    /// The first second that is not paid for; none for who never was active.
    #[must_use]
    pub fn expires_at(&self) -> Option<UnixSeconds> {
        self.periods.last().map(|last| last.end).or(self.released_at)
    }

    /// What it gives at `now`: time moves it from active to grace to expired without a writer.
    #[must_use]
    pub fn standing_at(&self, now: UnixSeconds, terms: &SubscriptionTerms) -> Standing {
        let expires_at = self.expires_at();
        let standing = |status, tier, changes_at| Standing { status, tier, expires_at, changes_at };
        if self.revoked_at.is_some() {
            return standing(Status::Revoked, Tier::Explorer, None);
        }
        if let Some(running) = self.periods.iter().find(|period| now < period.end) {
            return standing(Status::Active, running.tier, Some(running.end));
        }
        if let Some(last) = self.periods.last() {
            let grace_end = grace_end(last.end, terms);
            if now < grace_end {
                return standing(Status::Grace, last.tier, Some(grace_end));
            }
        }
        if let Some(pending) = &self.pending {
            let lapses_at = lapses_at(pending, terms);
            if now < lapses_at {
                return standing(Status::Pending, Tier::Explorer, Some(lapses_at));
            }
        }
        let status = if expires_at.is_some() { Status::Expired } else { Status::None };
        standing(status, Tier::Explorer, None)
    }

    /// Where it stands at `now`.
    #[must_use]
    pub fn status_at(&self, now: UnixSeconds, terms: &SubscriptionTerms) -> Status {
        self.standing_at(now, terms).status
    }

    /// What a short payment waits for at `now`: the price less credit and, for a higher tier than
    /// is served, the unused part of what was paid. None where nothing waits.
    ///
    /// # Errors
    /// [`AccountError::Overflow`].
    pub fn waiting_at(
        &self,
        now: UnixSeconds,
        plans: &Plans,
    ) -> Result<Option<Waiting>, AccountError> {
        let terms = &plans.subscription;
        let Some(pending) = self.pending.filter(|_| self.revoked_at.is_none()) else {
            return Ok(None);
        };
        let (tier, until) = (pending.tier, lapses_at(&pending, terms));
        let Some(price) = plans.price_usdc_e6(tier).filter(|_| now < until) else {
            return Ok(None);
        };
        let standing = self.standing_at(now, terms);
        let is_upgrade = standing.status.is_served() && standing.tier < tier;
        let unused = if is_upgrade { self.unused_usdc_e6(now)? } else { 0 };
        let funds = self.credit_usdc_e6.saturating_add(unused);
        let missing_usdc_e6 = price.saturating_sub(funds);
        Ok(Some(Waiting { tier, missing_usdc_e6, until }))
    }

    /// What was paid for time that is still to come at `now`, each period rounded up.
    ///
    /// # Errors
    /// [`AccountError::Overflow`].
    pub fn unused_usdc_e6(&self, now: UnixSeconds) -> Result<u64, AccountError> {
        let mut values = self.periods.iter().map(|period| period.unused_usdc_e6(now));
        let sum = values.try_fold(0_u64, u64::checked_add);
        sum.ok_or(AccountError::Overflow { what: "the value of a subscription" })
    }
}

const fn grace_end(end: UnixSeconds, terms: &SubscriptionTerms) -> UnixSeconds {
    UnixSeconds(end.0.saturating_add(terms.grace_seconds))
}

const fn lapses_at(pending: &Pending, terms: &SubscriptionTerms) -> UnixSeconds {
    UnixSeconds(pending.since.0.saturating_add(terms.pending_seconds))
}
