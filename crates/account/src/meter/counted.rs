use superroot_types::{ChainKey, UnixSeconds};

use crate::calendar::Hour;
use crate::{AccountId, Environment, KeyId};

/// Route number in the caller's closed table. Numbers are stored: a used number never gets another route.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct RouteNumber(pub u16);

/// A request's caller.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum MeteredCaller {
    Account {
        account: AccountId,
        key: KeyId,
    },
    /// Any caller without a key, all counted as one.
    Keyless,
}

/// Status class: first digit of the HTTP status.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[repr(u8)]
pub enum StatusClass {
    /// 100 to 199.
    Informational = 1,
    /// 200 to 299.
    Success = 2,
    /// 300 to 399.
    Redirection = 3,
    /// 400 to 499.
    ClientError = 4,
    /// 500 and above.
    ServerError = 5,
}

impl StatusClass {
    pub const ALL: [Self; 5] = [
        Self::Informational,
        Self::Success,
        Self::Redirection,
        Self::ClientError,
        Self::ServerError,
    ];

    /// Class of an HTTP status. Invalid numbers count as server errors.
    #[must_use]
    pub const fn of(status: u16) -> Self {
        match status {
            100..200 => Self::Informational,
            200..300 => Self::Success,
            300..400 => Self::Redirection,
            400..500 => Self::ClientError,
            _ => Self::ServerError,
        }
    }

    /// Name in answers: `2xx`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Informational => "1xx",
            Self::Success => "2xx",
            Self::Redirection => "3xx",
            Self::ClientError => "4xx",
            Self::ServerError => "5xx",
        }
    }

    pub(crate) const fn byte(self) -> u8 {
        self as u8
    }

    pub(crate) fn from_byte(byte: u8) -> Option<Self> {
        Self::ALL.into_iter().find(|class| class.byte() == byte)
    }
}

/// Answered request to be counted.
#[derive(Clone, Copy, Debug)]
pub struct CountedRequest {
    pub environment: Environment,
    pub caller: MeteredCaller,
    pub route: RouteNumber,
    /// Chain, for a request about one.
    pub chain: Option<ChainKey>,
    pub status: StatusClass,
    /// A successful answer's billing tokens; other answers cost nothing.
    pub weight: u32,
    /// Counted time: determines hour, day and month.
    pub at: UnixSeconds,
}

/// A count's key; ordered by caller, then by time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct Tally {
    pub(crate) environment: Environment,
    pub(crate) caller: MeteredCaller,
    pub(crate) hour: Hour,
    pub(crate) route: RouteNumber,
    pub(crate) chain: Option<ChainKey>,
    pub(crate) status: StatusClass,
}

/// Number of requests, and their billing tokens. Counts saturate at 2^64 - 1.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct UsageSum {
    pub(crate) requests: u64,
    pub(crate) tokens: u64,
}

impl UsageSum {
    pub(crate) const fn add(&mut self, other: Self) {
        self.requests = self.requests.saturating_add(other.requests);
        self.tokens = self.tokens.saturating_add(other.tokens);
    }
}

impl CountedRequest {
    pub(crate) fn tally(&self) -> Tally {
        Tally {
            environment: self.environment,
            caller: self.caller,
            hour: Hour::of(self.at),
            route: self.route,
            chain: self.chain,
            status: self.status,
        }
    }

    pub(crate) fn sum(&self) -> UsageSum {
        let weighs = self.status == StatusClass::Success;
        UsageSum { requests: 1, tokens: if weighs { self.weight.into() } else { 0 } }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_status_is_of_its_first_digit_and_what_is_none_is_our_fault() {
        let names = [101, 200, 304, 404, 429, 503, 0, 999].map(|it| StatusClass::of(it).name());
        assert_eq!(names, ["1xx", "2xx", "3xx", "4xx", "4xx", "5xx", "5xx", "5xx"]);
        for class in StatusClass::ALL {
            assert_eq!(StatusClass::from_byte(class.byte()), Some(class));
        }
        assert_eq!((StatusClass::from_byte(0), StatusClass::from_byte(6)), (None, None));
    }

    #[test]
    fn counts_end_and_never_wrap() {
        let mut sum = UsageSum { requests: u64::MAX, tokens: u64::MAX - 1 };
        sum.add(UsageSum { requests: 1, tokens: 7 });
        assert_eq!(sum, UsageSum { requests: u64::MAX, tokens: u64::MAX });
    }
}
