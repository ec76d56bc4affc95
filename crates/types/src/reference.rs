//! References to blocks and SuperRoots in requests.

use core::fmt;

use crate::{BlockNumber, Hash, Sequence};

/// A chain's block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BlockRef {
    /// Newest anchored block.
    Latest,
    /// Block with this number.
    Number(BlockNumber),
}

impl BlockRef {
    /// Block number; `None` for the newest block.
    #[must_use]
    pub const fn number(self) -> Option<BlockNumber> {
        match self {
            Self::Latest => None,
            Self::Number(number) => Some(number),
        }
    }
}

impl From<BlockNumber> for BlockRef {
    fn from(number: BlockNumber) -> Self {
        Self::Number(number)
    }
}

/// `latest`, or the number.
impl fmt::Display for BlockRef {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Latest => f.write_str("latest"),
            Self::Number(number) => number.fmt(f),
        }
    }
}

/// Published SuperRoot.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum SuperRootRef {
    /// Newest SuperRoot.
    #[default]
    Latest,
    /// SuperRoot with this sequence.
    Sequence(Sequence),
    /// SuperRoot with this hash.
    Hash(Hash),
}
