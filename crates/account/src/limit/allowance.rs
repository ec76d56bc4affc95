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
}

impl Period {
    /// Its length.
    #[must_use]
    pub const fn duration(self) -> Duration {
        match self {
            Self::Second => Duration::from_secs(1),
            Self::Minute => Duration::from_secs(60),
            Self::Hour => Duration::from_secs(3_600),
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
    /// The period.
    pub period: Period,
    /// Requests left.
    pub remaining: u32,
    /// The first whole second at which all of `limit` are left again, if none is made until then.
    pub reset: UnixSeconds,
    /// Whole seconds after which one more is left than now, at least 1.
    pub next_after: u64,
    /// Whole seconds after which one is left, at least 1: only where this one was refused.
    pub retry_after: Option<u64>,
}

impl Allowance {
    /// Whether the request was let through.
    #[must_use]
    pub const fn is_allowed(&self) -> bool {
        self.retry_after.is_none()
    }
}
