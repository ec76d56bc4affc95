use core::fmt;

/// Largest integer that every JSON reader keeps exactly: bound of ids, numbers, counts, sequences and times. Source:
/// `docs/protocol.md#notation`.
pub const SAFE_INTEGER_MAX: u64 = (1 << 53) - 1;

/// A twig's height: a perfect tree over [`TWIG_BLOCKS`] slots.
pub const TWIG_HEIGHT: usize = 11;

/// Consecutive block numbers in one twig.
pub const TWIG_BLOCKS: u64 = 1 << TWIG_HEIGHT;

/// Ledger family; the discriminant is the hashed byte and the Mini-MMR slot.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[repr(u8)]
pub enum Family {
    /// Ethereum and chains with Ethereum headers and tries.
    Evm = 0,
    /// Bitcoin and Bitcoin forks.
    Bitcoin = 1,
    /// Solana.
    Solana = 2,
    /// Polkadot and Substrate.
    Polkadot = 3,
    /// Tron.
    Tron = 4,
    /// Aptos.
    Aptos = 5,
    /// Sui.
    Sui = 6,
    /// Internet Computer ledgers.
    Icp = 7,
    /// Cosmos, CometBFT.
    Cosmos = 8,
}

/// Byte or word without a ledger family.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("no such ledger family")]
pub struct UnknownFamily;

impl Family {
    /// Number of families.
    pub const COUNT: usize = Self::ALL.len();

    /// All families in slot order.
    pub const ALL: [Self; 9] = [
        Self::Evm,
        Self::Bitcoin,
        Self::Solana,
        Self::Polkadot,
        Self::Tron,
        Self::Aptos,
        Self::Sui,
        Self::Icp,
        Self::Cosmos,
    ];

    /// Hashed byte.
    #[must_use]
    pub const fn byte(self) -> u8 {
        self as u8
    }

    /// Word in JSON, configuration and messages.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Evm => "evm",
            Self::Bitcoin => "bitcoin",
            Self::Solana => "solana",
            Self::Polkadot => "polkadot",
            Self::Tron => "tron",
            Self::Aptos => "aptos",
            Self::Sui => "sui",
            Self::Icp => "icp",
            Self::Cosmos => "cosmos",
        }
    }

    /// Name for people.
    #[must_use]
    pub const fn display_name(self) -> &'static str {
        match self {
            Self::Evm => "EVM",
            Self::Bitcoin => "Bitcoin",
            Self::Solana => "Solana",
            Self::Polkadot => "Polkadot",
            Self::Tron => "Tron",
            Self::Aptos => "Aptos",
            Self::Sui => "Sui",
            Self::Icp => "Internet Computer",
            Self::Cosmos => "Cosmos",
        }
    }

    /// Whether explorers and nodes show block hashes in reversed byte order.
    #[must_use]
    pub const fn shows_hashes_reversed(self) -> bool {
        matches!(self, Self::Bitcoin)
    }

    /// Name for a transaction event: `log`, `output` or `event`.
    #[must_use]
    pub const fn event_noun(self) -> &'static str {
        match self {
            Self::Evm => "log",
            Self::Bitcoin => "output",
            _ => "event",
        }
    }
}

impl TryFrom<u8> for Family {
    type Error = UnknownFamily;

    fn try_from(byte: u8) -> Result<Self, UnknownFamily> {
        Self::ALL.get(usize::from(byte)).copied().ok_or(UnknownFamily)
    }
}

impl core::str::FromStr for Family {
    type Err = UnknownFamily;

    fn from_str(text: &str) -> Result<Self, UnknownFamily> {
        Self::ALL.into_iter().find(|family| family.name() == text).ok_or(UnknownFamily)
    }
}

impl fmt::Display for Family {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// Chain id, unique in the registry; below 2^53.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ChainId(pub u64);

impl fmt::Display for ChainId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// Chain identity in every hash: family and id. A bare id is never enough.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ChainKey {
    /// Ledger family.
    pub family: Family,
    /// Chain id.
    pub id: ChainId,
}

impl fmt::Display for ChainKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.family, self.id)
    }
}

/// Block number on one chain; below 2^53.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct BlockNumber(pub u64);

impl fmt::Display for BlockNumber {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn family_byte_and_name_lead_back() {
        for family in Family::ALL {
            assert_eq!(Family::try_from(family.byte()), Ok(family));
            assert_eq!(family.name().parse(), Ok(family));
        }
        assert_eq!(Family::try_from(9), Err(UnknownFamily));
    }
}
