//! How a chain encodes transactions and receipts, by number.

use core::fmt;

/// How a chain encodes transactions and receipts: chains of one family share type numbers, but not
/// what stands behind them. A row names it by number; it is never guessed from a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Encoding {
    /// Ethereum's, types 0 to 4.
    Ethereum,
    /// OP Mainnet before Bedrock: one entry of type 0 a block. What came from the L1 has a
    /// signature of zeros.
    PreBedrock,
    /// The OP stack: Ethereum's, and deposits (`0x7e`), whose receipts carry a nonce.
    OpStack,
    /// Celo before it was an L2: type 0 with or without a fee currency, 1, 2, `0x7b`, `0x7c`.
    CeloL1,
    /// Celo as an OP-stack L2: the OP stack's, and `0x7b`, whose receipts carry a base fee.
    CeloL2,
    /// Arbitrum Nitro: Ethereum's, and `0x64` to `0x6a`.
    Arbitrum,
    /// Polygon `PoS`: Ethereum's; nodes add a state-sync entry that is in no trie.
    Polygon,
    /// Scroll: Ethereum's, and L1 messages (`0x7e`).
    Scroll,
    /// HyperEVM: Ethereum's; nodes add system entries that are in no trie.
    HyperEvm,
    /// Sonic: Ethereum's, and internal transactions of type 0 that nobody signs (`v`, `r` and `s` are 0).
    Sonic,
}

const ETHEREUM: &[u8] = &[0, 1, 2, 3, 4];

impl Encoding {
    /// Every encoding.
    pub const ALL: [Self; 10] = [
        Self::Ethereum,
        Self::PreBedrock,
        Self::OpStack,
        Self::CeloL1,
        Self::CeloL2,
        Self::Arbitrum,
        Self::Polygon,
        Self::Scroll,
        Self::HyperEvm,
        Self::Sonic,
    ];

    /// Which logs stand outside the bloom of their header, in words; `None` where all are in it. Of such a
    /// block a bloom shows no absence of what nodes list as its logs.
    #[must_use]
    pub const fn logs_outside_bloom(self) -> Option<&'static str> {
        match self {
            Self::Polygon => {
                Some("the logs of state-sync entries stand outside the header's bloom")
            }
            Self::HyperEvm => Some("the logs of system entries stand outside the header's bloom"),
            Self::CeloL1 => {
                Some("the logs of a block's own receipt stand outside the header's bloom")
            }
            Self::Ethereum
            | Self::PreBedrock
            | Self::OpStack
            | Self::CeloL2
            | Self::Arbitrum
            | Self::Scroll
            | Self::Sonic => None,
        }
    }

    /// The word used in `chains.toml`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Ethereum => "ethereum",
            Self::PreBedrock => "pre-bedrock",
            Self::OpStack => "op-stack",
            Self::CeloL1 => "celo-l1",
            Self::CeloL2 => "celo-l2",
            Self::Arbitrum => "arbitrum",
            Self::Polygon => "polygon",
            Self::Scroll => "scroll",
            Self::HyperEvm => "hyperevm",
            Self::Sonic => "sonic",
        }
    }

    /// The encoding of that name.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|encoding| encoding.name() == name)
    }

    /// The EIP-2718 types its entries have, 0 for the untyped form; rising.
    #[must_use]
    pub const fn tx_types(self) -> &'static [u8] {
        match self {
            Self::Ethereum | Self::Polygon | Self::HyperEvm | Self::Sonic => ETHEREUM,
            Self::PreBedrock => &[0],
            Self::OpStack | Self::Scroll => &[0, 1, 2, 3, 4, 0x7e],
            Self::CeloL1 => &[0, 1, 2, 0x7b, 0x7c],
            Self::CeloL2 => &[0, 1, 2, 3, 4, 0x7b, 0x7e],
            Self::Arbitrum => &[0, 1, 2, 3, 4, 0x64, 0x65, 0x66, 0x68, 0x69, 0x6a],
        }
    }

    /// Whether all entries of that type are signed by nobody: they come from another chain or from the
    /// protocol, state their sender, and may use no gas.
    #[must_use]
    pub const fn is_unsigned(self, tx_type: u8) -> bool {
        match self {
            Self::OpStack | Self::CeloL2 | Self::Scroll => tx_type == 0x7e,
            Self::Arbitrum => tx_type >= 0x64,
            Self::Ethereum
            | Self::PreBedrock
            | Self::CeloL1
            | Self::Polygon
            | Self::HyperEvm
            | Self::Sonic => false,
        }
    }

    /// Whether every transaction of that type is signed. What nodes make up of a simulated call has a
    /// signature of zeros and recomputes all the same.
    #[must_use]
    pub const fn is_signed(self, tx_type: u8) -> bool {
        match self {
            Self::PreBedrock => false,
            Self::Sonic => matches!(tx_type, 1..=4),
            Self::Ethereum
            | Self::OpStack
            | Self::CeloL1
            | Self::CeloL2
            | Self::Arbitrum
            | Self::Polygon
            | Self::Scroll
            | Self::HyperEvm => tx_type <= 4,
        }
    }

    /// Whether the header's withdrawals root is that of the list of withdrawals. The OP stack keeps
    /// a storage root there since Isthmus.
    #[must_use]
    pub const fn has_withdrawals(self) -> bool {
        !matches!(self, Self::OpStack | Self::CeloL2)
    }
}

impl fmt::Display for Encoding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// An encoding and the number from which on it is in force.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EncodingFrom {
    /// First block number.
    pub from_number: u64,
    /// The encoding.
    pub encoding: Encoding,
}
