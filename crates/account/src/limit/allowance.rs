//! A rate, and what is left of it.

use std::num::NonZeroU32;
use std::time::Duration;

use superroot_types::UnixSeconds;

/// The time over which an empty bucket fills.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Period {
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
    /// Whole seconds after which one is left, at least 1: only where this one was refused.
    pub retry_after: Option<u64>,
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
        Allowance { limit: 10, remaining, reset: UnixSeconds(1), retry_after }
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
        }
    }
}
