//! Tiers of a payer over time.
//!
//! ```text
//! builder   |----------30 days----------|------30 days------|..grace..
//! protocol             |------30 days------|
//! in force   builder   | protocol          | builder        | builder (grace) | none
//! ```
//! `billing` writes the rows in the commit of the payment or act; this crate reads them. Invariants: periods of one
//! tier never overlap; the standing of a lift is a pure function of its row and the time.

use core::fmt;

use serde::{Deserialize, Serialize};
use superroot_store::{ScanOrder, Store, StoreError, WriteBatch};
use superroot_types::UnixSeconds;

use crate::id::{Environment, Payer};
use crate::place::{self, AccountKey};
use crate::row::{self, RowSnapshot};
use crate::tier::Tier;

/// Length of a period: thirty days of 86,400 seconds.
pub const PERIOD_SECONDS: u64 = 30 * 86_400;

/// Most lifts per listing.
const LISTED_MAX: usize = 1_000;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SubscriptionStatus {
    /// Never subscribed.
    None,
    /// Paid by a wallet that the account only claims.
    Pending,
    /// Within a period.
    Active,
    /// Past the last second, and still served.
    Grace,
    Expired,
    /// Withdrawn by the operator.
    Revoked,
}

impl SubscriptionStatus {
    pub const ALL: [Self; 6] =
        [Self::None, Self::Pending, Self::Active, Self::Grace, Self::Expired, Self::Revoked];

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

    /// Whether the tier is served.
    #[must_use]
    pub const fn is_served(self) -> bool {
        match self {
            Self::Active | Self::Grace => true,
            Self::None | Self::Pending | Self::Expired | Self::Revoked => false,
        }
    }
}

impl fmt::Display for SubscriptionStatus {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// Gapless time of one tier: one or more periods of thirty days.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TierPeriod {
    pub tier: Tier,
    pub start: UnixSeconds,
    /// First second after.
    pub end: UnixSeconds,
}

/// Periods and revocation of a payer.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PaidTier {
    /// Periods, in order of time within each tier.
    pub periods: Vec<TierPeriod>,
    pub revoked_at: Option<UnixSeconds>,
}

/// Standing of a lift at one second.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SubscriptionStanding {
    /// Status; never pending, as only an account with a claimed wallet is pending.
    pub status: SubscriptionStatus,
    /// Served tier; explorer without one.
    pub tier: Tier,
    /// First second after the served or last period; `None` without a period.
    pub expires_at: Option<UnixSeconds>,
    /// Next time at which time alone changes the standing.
    pub changes_at: Option<UnixSeconds>,
}

impl PaidTier {
    /// Adds `count` periods of thirty days to a tier, from `at` or the tier's last end, if later. Returns the added
    /// time.
    pub fn add(&mut self, tier: Tier, at: UnixSeconds, count: u16) -> TierPeriod {
        let length = PERIOD_SECONDS.saturating_mul(count.into());
        let last = self.periods.iter_mut().rfind(|period| period.tier == tier);
        if let Some(last) = last.filter(|last| at <= last.end) {
            let start = last.end;
            last.end = UnixSeconds(start.0.saturating_add(length));
            return TierPeriod { tier, start, end: last.end };
        }
        let added = TierPeriod { tier, start: at, end: UnixSeconds(at.0.saturating_add(length)) };
        self.periods.push(added);
        added
    }

    /// Standing at `now`: the highest tier with a period around `now`, or for `grace_seconds` after the end the highest
    /// just ended.
    #[must_use]
    pub fn standing_at(&self, now: UnixSeconds, grace_seconds: u64) -> SubscriptionStanding {
        let grace_end =
            |period: &TierPeriod| UnixSeconds(period.end.0.saturating_add(grace_seconds));
        let latest = self.periods.iter().map(|period| period.end).max();
        if self.revoked_at.is_some() {
            let status = SubscriptionStatus::Revoked;
            let tier = Tier::Explorer;
            return SubscriptionStanding { status, tier, expires_at: latest, changes_at: None };
        }
        let bounds = self.periods.iter().flat_map(|one| [one.start, one.end, grace_end(one)]);
        let changes_at = bounds.filter(|at| now < *at).min();
        let best = |served: &dyn Fn(&&TierPeriod) -> bool| {
            self.periods.iter().filter(served).max_by_key(|period| (period.tier, period.end))
        };
        let running = best(&|period| period.start <= now && now < period.end);
        let ended = best(&|period| period.end <= now && now < grace_end(period));
        let (status, tier, expires_at) = match (running, ended, latest) {
            (Some(running), _, _) => (SubscriptionStatus::Active, running.tier, Some(running.end)),
            (None, Some(ended), _) => (SubscriptionStatus::Grace, ended.tier, Some(ended.end)),
            (None, None, Some(latest)) => {
                (SubscriptionStatus::Expired, Tier::Explorer, Some(latest))
            }
            (None, None, None) => (SubscriptionStatus::None, Tier::Explorer, None),
        };
        SubscriptionStanding { status, tier, expires_at, changes_at }
    }

    /// Loads a payer's current lift.
    pub fn load(
        store: &dyn Store,
        environment: Environment,
        payer: &Payer,
    ) -> Result<Option<RowSnapshot<Self>>, StoreError> {
        let place = AccountKey::PaidTier(*payer);
        row::load(store, place.table(), &place.encode(environment))
    }

    /// Puts a lift into `batch`, which fails if the row differs from `held`.
    pub fn stage(
        &self,
        batch: &mut WriteBatch,
        environment: Environment,
        payer: &Payer,
        held: Option<&[u8]>,
    ) {
        let place = AccountKey::PaidTier(*payer);
        row::replace(batch, place.table(), place.encode(environment), held, self);
    }

    /// Lifts after a payer (or from the first), wallets before accounts, at most a thousand.
    pub fn list(
        store: &dyn Store,
        environment: Environment,
        after: Option<&Payer>,
        limit: usize,
    ) -> Result<Vec<(Payer, Self)>, StoreError> {
        let prefix = place::lifts(environment);
        let start = after.map_or_else(
            || prefix.clone(),
            |after| place::next(&AccountKey::PaidTier(*after).encode(environment)),
        );
        let table = superroot_store::Table::Subscription;
        let end = place::after(&prefix);
        let limit = limit.min(LISTED_MAX);
        let rows = store.scan(table, &start, end.as_deref(), limit, ScanOrder::Rising)?;
        let payer = |key: &[u8]| match key.get(prefix.len()..).and_then(Payer::decode) {
            Some(payer) => Ok(payer),
            None => Err(StoreError::Corrupt { table, key: key.to_vec(), why: "not a payer" }),
        };
        rows.iter().map(|(key, row)| Ok((payer(key)?, row::decode(table, key, row)?))).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const DAY: u64 = 86_400;
    const GRACE: u64 = 3 * DAY;

    fn at(day: u64) -> UnixSeconds {
        UnixSeconds(day * DAY)
    }

    fn stands(lift: &PaidTier, day: u64) -> (SubscriptionStatus, Tier, Option<u64>) {
        let standing = lift.standing_at(at(day), GRACE);
        (standing.status, standing.tier, standing.expires_at.map(|end| end.0 / DAY))
    }

    #[test]
    fn periods_stack_and_the_highest_is_in_force() {
        let mut lift = PaidTier::default();
        assert_eq!(stands(&lift, 0), (SubscriptionStatus::None, Tier::Explorer, None));
        lift.add(Tier::Builder, at(0), 1);
        lift.add(Tier::Builder, at(10), 1);
        lift.add(Tier::Protocol, at(20), 1);
        assert_eq!(stands(&lift, 19), (SubscriptionStatus::Active, Tier::Builder, Some(60)));
        assert_eq!(stands(&lift, 20), (SubscriptionStatus::Active, Tier::Protocol, Some(50)));
        assert_eq!(stands(&lift, 50), (SubscriptionStatus::Active, Tier::Builder, Some(60)));
        assert_eq!(stands(&lift, 60), (SubscriptionStatus::Grace, Tier::Builder, Some(60)));
        assert_eq!(stands(&lift, 63), (SubscriptionStatus::Expired, Tier::Explorer, Some(60)));
        lift.add(Tier::Builder, at(70), 1);
        assert_eq!(stands(&lift, 70), (SubscriptionStatus::Active, Tier::Builder, Some(100)));
        lift.revoked_at = Some(at(71));
        assert_eq!(stands(&lift, 71), (SubscriptionStatus::Revoked, Tier::Explorer, Some(100)));
    }

    #[test]
    fn the_next_change_is_told_to_the_second() {
        let mut lift = PaidTier::default();
        lift.add(Tier::Builder, at(0), 1);
        let next = |now| lift.standing_at(UnixSeconds(now), GRACE).changes_at;
        assert_eq!(next(0), Some(at(30)));
        assert_eq!(next(30 * DAY - 1), Some(at(30)));
        assert_eq!(next(30 * DAY), Some(at(33)));
        assert_eq!(next(33 * DAY), None);
    }

    #[test]
    fn a_row_stands_as_it_is_pinned() {
        let mut lift = PaidTier::default();
        lift.add(Tier::Builder, UnixSeconds(10), 1);
        let pinned = b"\x01{\"periods\":[{\"tier\":\"builder\",\"start\":10,\"end\":2592010}],\
            \"revoked_at\":null}";
        assert_eq!(row::encode(&lift), pinned);
    }

    proptest! {
        /// Periods of a tier never overlap, all time paid for is there, and between two changes that are
        /// told nothing changes.
        #[test]
        fn time_paid_is_time_given(
            paid in prop::collection::vec((0..2_usize, 0..400_u64, 1..4_u16), 0..20),
            seen in 0..600_u64,
        ) {
            let tiers = [Tier::Builder, Tier::Protocol];
            let mut lift = PaidTier::default();
            for (tier, day, count) in &paid {
                let before = lift.clone();
                let added = lift.add(tiers[*tier], at(*day), *count);
                prop_assert!(at(*day) <= added.start);
                let of_tier = |lift: &PaidTier| -> u64 {
                    let periods = lift.periods.iter().filter(|one| one.tier == tiers[*tier]);
                    periods.map(|one| one.end.0 - one.start.0).sum()
                };
                let more = PERIOD_SECONDS * u64::from(*count);
                prop_assert_eq!(of_tier(&lift), of_tier(&before) + more);
            }
            for tier in tiers {
                let of_tier: Vec<_> = lift.periods.iter().filter(|one| one.tier == tier).collect();
                prop_assert!(of_tier.windows(2).all(|pair| pair[0].end < pair[1].start));
            }
            let stands = |now| {
                let standing = lift.standing_at(now, GRACE);
                (standing.status, standing.tier, standing.expires_at)
            };
            if let Some(next) = lift.standing_at(at(seen), GRACE).changes_at {
                let last = UnixSeconds(next.0 - 1);
                prop_assert!(stands(at(seen)) == stands(last));
            }
        }
    }
}
