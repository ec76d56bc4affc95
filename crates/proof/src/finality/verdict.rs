//! What a check says.

use superroot_types::{BlockNumber, Hash, UnixSeconds};

/// A check's result.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict<T> {
    /// Shown by the bytes.
    Shown(T),
    /// Not with this set, or not yet: nothing is wrong with the bytes.
    NotEnough(Shortfall),
    /// The bytes are wrong, for ever.
    Refusal(Refusal),
}

impl<T> Verdict<T> {
    /// Shown content, if any.
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
    /// Signed by another set. Sets are numbered: periods on Ethereum and Bitcoin, epochs on Sui.
    #[error("the set of number {needed} signed it, this is the set of number {held}")]
    Set {
        /// The signers' number.
        needed: u64,
        /// Number of the client's set.
        held: u64,
    },
    /// The set is past its trusting period.
    #[error("the set signed until {of}, and is trusted for {seconds} seconds more: pin again")]
    Expired {
        /// The set's last signing time.
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
    /// Too few signed: members, or their stake.
    #[error("{got} of {of} signed it, {expected} must")]
    Signers {
        /// Signers.
        got: u64,
        /// Total.
        of: u64,
        /// Least signers.
        expected: u64,
    },
    /// Work that is too cheap today to show anything.
    #[error("header {number} has too little work to count")]
    Work {
        /// Number.
        number: u64,
    },
    /// Too few blocks follow.
    #[error("{got} blocks follow it, {expected} must")]
    Confirmations {
        /// Blocks.
        got: u64,
        /// Least blocks.
        expected: u64,
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
    /// A part is not under its root.
    #[error("{part} is not under its root")]
    Branch {
        /// Part at fault.
        part: &'static str,
    },
    /// Times out of order, or a step beyond the next set.
    #[error("{what}")]
    Order {
        /// Cause.
        what: &'static str,
    },
    /// No rules at the slot.
    #[error("the chain has no rules for slot {slot}")]
    NoRules {
        /// Slot.
        slot: u64,
    },
    /// A signature by different keys, or over different bytes.
    #[error("the signature is not that of the set")]
    Signature,
    /// An invalid key.
    #[error("key {index} of the set is none")]
    Key {
        /// Index in the set.
        index: usize,
    },
    /// A set with a different id than the pin.
    #[error("the set has another id")]
    Root,
    /// Evidence or a set with a different kind than the chain's.
    #[error("it is of another kind than the chain's evidence")]
    Kind,
    /// Evidence about a different block.
    #[error("it is about block {got}, expected {expected}")]
    Block {
        /// Shown hash.
        got: Hash,
        /// Expected hash.
        expected: Hash,
    },
    /// Evidence about a different number than stated.
    #[error("it is about block number {got}, expected {expected}")]
    Number {
        /// Shown number.
        got: BlockNumber,
        /// Stated number.
        expected: BlockNumber,
    },
    /// A link header with a different hash than named above.
    #[error("header {index} of the link is not the one that is named")]
    Link {
        /// Index, from the newest.
        index: usize,
    },
    /// A header against the chain rules.
    #[error("header {number} breaks a rule: {what}")]
    Header {
        /// Number.
        number: u64,
        /// Rule.
        what: &'static str,
    },
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
