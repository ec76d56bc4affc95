//! Ledgers that contracts read.

use alloc::format;
use alloc::string::{String, ToString};

use superroot_types::{ChainId, ChainKey, Family};

/// Bitcoin as logs number it, and its CAIP-2 name: the only chain of its family that contracts know.
const BITCOIN: ChainId = ChainId(21_000_000);
const BITCOIN_CAIP2: &str = "bip122:000000000019d6689c085ae165831e93";

/// First byte of a proof in calldata: the ledger whose levels 1 and 2 follow.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CalldataForm {
    /// EVM chains, `01`.
    Evm,
    /// Bitcoin, `02`.
    Bitcoin,
}

impl CalldataForm {
    /// Form that a first byte names.
    #[must_use]
    pub const fn from_byte(byte: u8) -> Option<Self> {
        match byte {
            1 => Some(Self::Evm),
            2 => Some(Self::Bitcoin),
            _ => None,
        }
    }

    pub(super) const fn byte(self) -> u8 {
        match self {
            Self::Evm => 1,
            Self::Bitcoin => 2,
        }
    }

    pub(super) fn of(chain: ChainKey) -> Option<Self> {
        match chain.family {
            Family::Evm => Some(Self::Evm),
            Family::Bitcoin => Some(Self::Bitcoin),
            _ => None,
        }
    }

    pub(super) const fn family(self) -> Family {
        match self {
            Self::Evm => Family::Evm,
            Self::Bitcoin => Family::Bitcoin,
        }
    }

    /// CAIP-2 name of a chain, which the form leaves out; `None` for one that contracts do not know.
    pub(super) fn caip2(self, id: ChainId) -> Option<String> {
        match self {
            Self::Evm => Some(format!("eip155:{id}")),
            Self::Bitcoin => (id == BITCOIN).then(|| BITCOIN_CAIP2.to_string()),
        }
    }
}
