//! Which tiers a payer has, from when until when.
//!
//! ```text
//! builder   |----------30 days----------|------30 days------|..grace..
//! protocol             |------30 days------|
//! in force   builder   | protocol          | builder        | builder (grace) | none
//! ```
//! `billing` writes these rows in the commit of the payment or act behind them; this crate reads them.
//! What must always hold: periods of one tier never overlap; where a lift stands is a pure function of
//! the row and the time.

use core::fmt;

use serde::{Deserialize, Serialize};
use superroot_store::{Batch, Direction, Store, StoreError};
use superroot_types::UnixSeconds;

use crate::id::{Environment, Payer};
use crate::place::{self, Place};
use crate::row::{self, Held};
use crate::tier::Tier;

/// Length of a period: thirty days of 86,400 seconds.
pub const PERIOD_SECONDS: u64 = 30 * 86_400;

/// Lifts that one listing hands out at most.
const LISTED_MAX: usize = 1_000;

/// Where a subscription stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Status {
    /// Never subscribed.
    None,
    /// The wallet has paid, and this account only claims it.
    Pending,
    /// A period contains now.
    Active,
    /// Past its last second, and still served.
    Grace,
    /// Over.
    Expired,
    /// Taken away by the operator.
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

/// Time of one tier without a gap: one or more periods of thirty days.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Period {
    /// The tier.
    pub tier: Tier,
    /// First second.
    pub start: UnixSeconds,
    /// First second after.
    pub end: UnixSeconds,
}

/// What a payer was given so far, and whether that was taken away.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Lift {
    /// Periods, of each tier in the order of time.
    pub periods: Vec<Period>,
    /// Since when it is taken away.
    pub revoked_at: Option<UnixSeconds>,
}

/// What a lift gives at one second.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Standing {
    /// Where it stands; never pending, which only an account that claims a wallet is.
    pub status: Status,
    /// The tier that is served; explorer where none is.
    pub tier: Tier,
    /// First second after the period that is served, or was last; none where there never was one.
    pub expires_at: Option<UnixSeconds>,
    /// When time alone will change this.
    pub changes_at: Option<UnixSeconds>,
}

impl Lift {
    /// Adds `count` periods of thirty days to a tier: from `at` on, or from the end of the last one of
    /// that tier where that is later. Returns where they lie.
    pub fn add(&mut self, tier: Tier, at: UnixSeconds, count: u16) -> Period {
        let length = PERIOD_SECONDS.saturating_mul(count.into());
        let last = self.periods.iter_mut().rfind(|period| period.tier == tier);
        if let Some(last) = last.filter(|last| at <= last.end) {
            let start = last.end;
            last.end = UnixSeconds(start.0.saturating_add(length));
            return Period { tier, start, end: last.end };
        }
        let added = Period { tier, start: at, end: UnixSeconds(at.0.saturating_add(length)) };
        self.periods.push(added);
        added
    }

    /// What it gives at `now`: the highest tier whose period contains `now`, or for `grace_seconds`
    /// after the end the highest that has just ended.
    #[must_use]
    pub fn standing_at(&self, now: UnixSeconds, grace_seconds: u64) -> Standing {
        let grace_end = |period: &Period| UnixSeconds(period.end.0.saturating_add(grace_seconds));
        let latest = self.periods.iter().map(|period| period.end).max();
        if self.revoked_at.is_some() {
            let (status, tier) = (Status::Revoked, Tier::Explorer);
            return Standing { status, tier, expires_at: latest, changes_at: None };
        }
        let bounds = self.periods.iter().flat_map(|one| [one.start, one.end, grace_end(one)]);
        let changes_at = bounds.filter(|at| now < *at).min();
        let best = |served: &dyn Fn(&&Period) -> bool| {
            self.periods.iter().filter(served).max_by_key(|period| (period.tier, period.end))
        };
        let running = best(&|period| period.start <= now && now < period.end);
        let ended = best(&|period| period.end <= now && now < grace_end(period));
        let (status, tier, expires_at) = match (running, ended, latest) {
            (Some(running), _, _) => (Status::Active, running.tier, Some(running.end)),
            (None, Some(ended), _) => (Status::Grace, ended.tier, Some(ended.end)),
            (None, None, Some(latest)) => (Status::Expired, Tier::Explorer, Some(latest)),
            (None, None, None) => (Status::None, Tier::Explorer, None),
        };
        Standing { status, tier, expires_at, changes_at }
    }

    /// The lift of a payer, as it stands.
    ///
    /// # Errors
    /// [`StoreError`].
    pub fn load(
        store: &dyn Store,
        environment: Environment,
        payer: &Payer,
    ) -> Result<Option<Held<Self>>, StoreError> {
        let place = Place::Lift(*payer);
        row::load(store, place.table(), &place.encode(environment))
    }

    /// Puts a lift into `batch`, which holds only where the row is still `held`.
    pub fn stage(
        &self,
        batch: &mut Batch,
        environment: Environment,
        payer: &Payer,
        held: Option<&[u8]>,
    ) {
        let place = Place::Lift(*payer);
        row::replace(batch, place.table(), place.encode(environment), held, self);
    }

    /// Lifts after a payer (or from the first), wallets before accounts, at most a thousand.
    ///
    /// # Errors
    /// [`StoreError`].
    pub fn list(
        store: &dyn Store,
        environment: Environment,
        after: Option<&Payer>,
        limit: usize,
    ) -> Result<Vec<(Payer, Self)>, StoreError> {
        let prefix = place::lifts(environment);
        let start = after.map_or_else(
            || prefix.clone(),
            |after| place::next(&Place::Lift(*after).encode(environment)),
        );
        let (table, end) = (superroot_store::Table::Subscription, place::after(&prefix));
        let limit = limit.min(LISTED_MAX);
        let rows = store.scan(table, &start, end.as_deref(), limit, Direction::Rising)?;
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

    fn stands(lift: &Lift, day: u64) -> (Status, Tier, Option<u64>) {
        let standing = lift.standing_at(at(day), GRACE);
        (standing.status, standing.tier, standing.expires_at.map(|end| end.0 / DAY))
    }

    #[test]
    fn periods_stack_and_the_highest_is_in_force() {
        let mut lift = Lift::default();
        assert_eq!(stands(&lift, 0), (Status::None, Tier::Explorer, None));
        lift.add(Tier::Builder, at(0), 1);
        lift.add(Tier::Builder, at(10), 1);
        lift.add(Tier::Protocol, at(20), 1);
        assert_eq!(stands(&lift, 19), (Status::Active, Tier::Builder, Some(60)));
        assert_eq!(stands(&lift, 20), (Status::Active, Tier::Protocol, Some(50)));
        assert_eq!(stands(&lift, 50), (Status::Active, Tier::Builder, Some(60)));
        assert_eq!(stands(&lift, 60), (Status::Grace, Tier::Builder, Some(60)));
        assert_eq!(stands(&lift, 63), (Status::Expired, Tier::Explorer, Some(60)));
        lift.add(Tier::Builder, at(70), 1);
        assert_eq!(stands(&lift, 70), (Status::Active, Tier::Builder, Some(100)));
        lift.revoked_at = Some(at(71));
        assert_eq!(stands(&lift, 71), (Status::Revoked, Tier::Explorer, Some(100)));
    }

    #[test]
    fn the_next_change_is_told_to_the_second() {
        let mut lift = Lift::default();
        lift.add(Tier::Builder, at(0), 1);
        let next = |now| lift.standing_at(UnixSeconds(now), GRACE).changes_at;
        assert_eq!(next(0), Some(at(30)));
        assert_eq!(next(30 * DAY - 1), Some(at(30)));
        assert_eq!(next(30 * DAY), Some(at(33)));
        assert_eq!(next(33 * DAY), None);
    }

    #[test]
    fn a_row_stands_as_it_is_pinned() {
        let mut lift = Lift::default();
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
            let mut lift = Lift::default();
            for (tier, day, count) in &paid {
                let before = lift.clone();
                let added = lift.add(tiers[*tier], at(*day), *count);
                prop_assert!(at(*day) <= added.start);
                let of_tier = |lift: &Lift| -> u64 {
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
