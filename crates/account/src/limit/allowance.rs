//! Rates and their remaining allowance.

use std::num::NonZeroU32;
use std::time::Duration;

use superroot_types::UnixSeconds;

/// Time in which an empty bucket fills.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum RefillPeriod {
    Second,
    Minute,
    Hour,
}

impl RefillPeriod {
    #[must_use]
    pub const fn duration(self) -> Duration {
        match self {
            Self::Second => Duration::from_secs(1),
            Self::Minute => Duration::from_secs(60),
            Self::Hour => Duration::from_secs(3_600),
        }
    }
}

/// Requests per period; the burst is equal to the limit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct RequestRate {
    pub limit: NonZeroU32,
    pub period: RefillPeriod,
}

impl RequestRate {
    /// Rate per minute; `None` for zero, which means no limit.
    #[must_use]
    pub fn per_minute(limit: u32) -> Option<Self> {
        Self::per(RefillPeriod::Minute, limit)
    }

    /// Rate per period; `None` for zero, which means no limit.
    #[must_use]
    pub fn per(period: RefillPeriod, limit: u32) -> Option<Self> {
        NonZeroU32::new(limit).map(|limit| Self { limit, period })
    }
}

/// Allowance after a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Allowance {
    pub limit: u32,
    pub period: RefillPeriod,
    pub remaining: u32,
    /// First whole second with all of `limit` available again, without further requests.
    pub reset: UnixSeconds,
    /// Whole seconds until one more request is available, at least 1.
    pub next_after: u64,
    /// Whole seconds until one request is available, at least 1; only after a refusal.
    pub retry_after: Option<u64>,
}

impl Allowance {
    #[must_use]
    pub const fn is_allowed(&self) -> bool {
        self.retry_after.is_none()
    }
}
