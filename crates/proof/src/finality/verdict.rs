//! What a check says.

use superroot_types::UnixSeconds;

/// A check's result.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict<T> {
    /// The bytes show it.
    Shown(T),
    /// Not with this set, or not yet: nothing is wrong with the bytes.
    NotEnough(Shortfall),
    /// The bytes are wrong, for ever.
    Refusal(Refusal),
}

impl<T> Verdict<T> {
    /// What is shown, if it is.
    #[must_use]
    pub fn shown(self) -> Option<T> {
        match self {
            Self::Shown(shown) => Some(shown),
            Self::NotEnough(_) | Self::Refusal(_) => None,
        }
    }
}

/// What a check lacks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Shortfall {
    /// Another set signed it.
    #[error("the set of period {needed} signed it, this is the set of period {held}")]
    Set {
        /// The signers' period.
        needed: u64,
        /// Period of the client's set.
        held: u64,
    },
    /// The set is past its trusting period.
    #[error("the set signed until {of}, and is trusted for {seconds} seconds more: pin again")]
    Expired {
        /// Last time at which the set signs.
        of: UnixSeconds,
        /// Trusting period.
        seconds: u64,
    },
    /// The evidence is of a later time than now.
    #[error("it is of {at}, which is later than now")]
    Early {
        /// The evidence's time.
        at: UnixSeconds,
    },
    /// Too few signed.
    #[error("{got} of {of} signed it, {expected} must")]
    Signers {
        /// Signers.
        got: u32,
        /// The set's members.
        of: u32,
        /// Least signers.
        expected: u32,
    },
}

/// Why bytes are wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Refusal {
    /// Bytes cut short, too long, or out of bounds.
    #[error("{part} cannot be read")]
    Encoding {
        /// Part at fault.
        part: &'static str,
    },
    /// A part is not under the root over it.
    #[error("{part} is not under its root")]
    Branch {
        /// Part at fault.
        part: &'static str,
    },
    /// Times that do not follow one another, or a step to another set than the next.
    #[error("{what}")]
    Order {
        /// What is out of order.
        what: &'static str,
    },
    /// The chain had no such rules then.
    #[error("the chain has no rules for slot {slot}")]
    NoRules {
        /// Slot.
        slot: u64,
    },
    /// A signature of other keys, or over something else.
    #[error("the signature is not that of the set")]
    Signature,
    /// A key that is none.
    #[error("key {index} of the set is none")]
    Key {
        /// Index in the set.
        index: usize,
    },
    /// A set with another root than the pinned one.
    #[error("the set has another root")]
    Root,
}

impl<T> From<Result<T, Refusal>> for Verdict<T> {
    fn from(result: Result<T, Refusal>) -> Self {
        match result {
            Ok(shown) => Self::Shown(shown),
            Err(why) => Self::Refusal(why),
        }
    }
}

/// Why a check ends without showing anything.
pub(super) enum Stop {
    Shortfall(Shortfall),
    Refusal(Refusal),
}

impl From<Shortfall> for Stop {
    fn from(lacking: Shortfall) -> Self {
        Self::Shortfall(lacking)
    }
}

impl From<Refusal> for Stop {
    fn from(refused: Refusal) -> Self {
        Self::Refusal(refused)
    }
}

impl<T> From<Result<T, Stop>> for Verdict<T> {
    fn from(result: Result<T, Stop>) -> Self {
        match result {
            Ok(shown) => Self::Shown(shown),
            Err(Stop::Shortfall(lacking)) => Self::NotEnough(lacking),
            Err(Stop::Refusal(why)) => Self::Refusal(why),
        }
    }
}
