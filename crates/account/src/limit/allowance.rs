//! A rate, and what is left of it.

use std::num::NonZeroU32;
use std::time::Duration;

use superroot_types::UnixSeconds;

/// The time over which an empty bucket fills.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Period {
    /// One second.
    Second,
    /// 60 seconds.
    Minute,
    /// 3,600 seconds.
    Hour,
    /// 86,400 seconds.
    Day,
}

impl Period {
    /// Its length.
    #[must_use]
    pub const fn duration(self) -> Duration {
        match self {
            Self::Second => Duration::from_secs(1),
            Self::Minute => Duration::from_secs(60),
            Self::Hour => Duration::from_secs(3_600),
            Self::Day => Duration::from_secs(86_400),
        }
    }
}

/// So many requests a period; the burst is the same number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Rate {
    /// Requests.
    pub limit: NonZeroU32,
    /// Within this time.
    pub period: Period,
}

impl Rate {
    /// So many a minute; `None` for zero, which stands for no limit.
    #[must_use]
    pub fn per_minute(limit: u32) -> Option<Self> {
        Self::per(Period::Minute, limit)
    }

    /// So many a period; `None` for zero, which stands for no limit.
    #[must_use]
    pub fn per(period: Period, limit: u32) -> Option<Self> {
        NonZeroU32::new(limit).map(|limit| Self { limit, period })
    }
}

/// What is left after a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Allowance {
    /// Requests a period.
    pub limit: u32,
    /// Requests left.
    pub remaining: u32,
    /// The first whole second at which all of `limit` are left again, if none is made until then.
    pub reset: UnixSeconds,
    /// Whole seconds after which one more is left than now, at least 1.
    pub next_after: u64,
    /// Whole seconds after which one is left, at least 1: only where this one was refused.
    pub retry_after: Option<u64>,
}

/// A limit of the service, by the name that headers give it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Policy {
    /// Requests without a key.
    Keyless,
    /// Requests with a key that is none.
    FailedKeys,
    /// Accounts opened, by the hour.
    RegistrationsHour,
    /// Accounts opened, by the day.
    RegistrationsDay,
}

impl Policy {
    /// Every one.
    pub const ALL: [Self; 4] =
        [Self::Keyless, Self::FailedKeys, Self::RegistrationsHour, Self::RegistrationsDay];

    /// Its name.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Keyless => "keyless",
            Self::FailedKeys => "failed_keys",
            Self::RegistrationsHour => "registrations_hour",
            Self::RegistrationsDay => "registrations_day",
        }
    }

    /// The time over which its bucket fills.
    #[must_use]
    pub const fn period(self) -> Period {
        match self {
            Self::Keyless | Self::FailedKeys => Period::Minute,
            Self::RegistrationsHour => Period::Hour,
            Self::RegistrationsDay => Period::Day,
        }
    }
}

/// Of several limits the one that binds, and what it says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bound {
    /// The limit.
    pub policy: Policy,
    /// What it says.
    pub allowance: Allowance,
}

impl Bound {
    /// As [`Allowance::stricter`].
    #[must_use]
    pub(crate) fn stricter(self, other: Self) -> Self {
        let binds = self.allowance.stricter(other.allowance);
        if binds == self.allowance { self } else { other }
    }
}

impl Allowance {
    /// Whether the request was let through.
    #[must_use]
    pub const fn is_allowed(&self) -> bool {
        self.retry_after.is_none()
    }

    /// Of two that must both allow, the one that binds: a refusal before an allowance, then the
    /// longer wait, then the fewer left.
    #[must_use]
    pub(crate) fn stricter(self, other: Self) -> Self {
        let rank = |it: &Self| (it.retry_after, std::cmp::Reverse(it.remaining));
        if rank(&other) > rank(&self) { other } else { self }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn allowance(remaining: u32, retry_after: Option<u64>) -> Allowance {
        let next_after = retry_after.unwrap_or(1);
        Allowance { limit: 10, remaining, reset: UnixSeconds(1), next_after, retry_after }
    }

    #[test]
    fn zero_is_no_limit() {
        assert_eq!(Rate::per_minute(0), None);
        assert_eq!(Rate::per(Period::Day, 3).unwrap().limit.get(), 3);
    }

    #[test]
    fn a_refusal_binds_before_an_allowance_and_the_longer_wait_before_the_shorter() {
        let (many, few) = (allowance(5, None), allowance(1, None));
        let (short, long) = (allowance(0, Some(1)), allowance(0, Some(9)));
        for (a, b, binds) in [(many, few, few), (few, short, short), (short, long, long)] {
            assert_eq!(a.stricter(b), binds);
            assert_eq!(b.stricter(a), binds);
            let bound = |policy, allowance| Bound { policy, allowance };
            let (a, b) = (bound(Policy::Keyless, a), bound(Policy::FailedKeys, b));
            assert_eq!((a.stricter(b).allowance, b.stricter(a).allowance), (binds, binds));
            assert_eq!(
                a.stricter(b).policy,
                b.stricter(a).policy,
                "the name goes with the figures"
            );
        }
    }

    #[test]
    fn no_two_limits_have_one_name() {
        let names: std::collections::BTreeSet<_> = Policy::ALL.map(Policy::name).into();
        assert_eq!(names.len(), Policy::ALL.len());
    }
}
