//! What is counted of a request.

use superroot_types::{ChainKey, UnixSeconds};

use crate::calendar::Hour;
use crate::{AccountId, Environment, KeyId};

/// A route pattern by its number in the caller's closed table. Numbers are stored: one that was
/// used never comes to stand for another route.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Route(pub u16);

/// Who made a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Caller {
    /// An account, with one of its keys.
    Account {
        /// The account.
        account: AccountId,
        /// The key.
        key: KeyId,
    },
    /// Somebody without a key. All of them are counted as one.
    Keyless,
}

/// How a request was answered: the first digit of its status.
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
    /// Every class, in order.
    pub const ALL: [Self; 5] = [
        Self::Informational,
        Self::Success,
        Self::Redirection,
        Self::ClientError,
        Self::ServerError,
    ];

    /// The class of an HTTP status. Numbers that are no status count as our own fault.
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

    /// The word used in answers: `2xx`.
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

/// One request that was answered.
#[derive(Clone, Copy, Debug)]
pub struct Counted {
    /// The world of the service.
    pub environment: Environment,
    /// Who asked.
    pub caller: Caller,
    /// What was asked.
    pub route: Route,
    /// Of which chain, if of one.
    pub chain: Option<ChainKey>,
    /// How it was answered.
    pub status: StatusClass,
    /// Billing tokens it weighs if it was answered with success; else it weighs nothing.
    pub weight: u32,
    /// When it counts: the hour, day and month of this time.
    pub at: UnixSeconds,
}

/// Requests that are counted together; in order of who made them, then of time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct Tally {
    pub(crate) environment: Environment,
    pub(crate) caller: Caller,
    pub(crate) hour: Hour,
    pub(crate) route: Route,
    pub(crate) chain: Option<ChainKey>,
    pub(crate) status: StatusClass,
}

/// How many they are, and the billing tokens they weigh. Counts end at 2^64 - 1.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Sum {
    pub(crate) requests: u64,
    pub(crate) tokens: u64,
}

impl Sum {
    pub(crate) const fn add(&mut self, other: Self) {
        self.requests = self.requests.saturating_add(other.requests);
        self.tokens = self.tokens.saturating_add(other.tokens);
    }
}

impl Counted {
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

    pub(crate) fn sum(&self) -> Sum {
        let weighs = self.status == StatusClass::Success;
        Sum { requests: 1, tokens: if weighs { self.weight.into() } else { 0 } }
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
        let mut sum = Sum { requests: u64::MAX, tokens: u64::MAX - 1 };
        sum.add(Sum { requests: 1, tokens: 7 });
        assert_eq!(sum, Sum { requests: u64::MAX, tokens: u64::MAX });
    }
}
