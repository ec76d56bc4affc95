//! Transaction and receipt encodings by block number.

use core::fmt;

/// Encoding of transactions and receipts: EVM chains share type numbers, but not the contents. A row names the encoding
/// by number; the encoding is never guessed from a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Encoding {
    /// Ethereum, types 0 to 4.
    Ethereum,
    /// OP Mainnet before Bedrock: one entry of type 0 per block. Entries from the L1 have a signature of zeros.
    PreBedrock,
    /// OP stack: Ethereum types and deposits (`0x7e`), with a nonce in the receipts.
    OpStack,
    /// Celo before the L2: type 0 with or without a fee currency, 1, 2, `0x7b`, `0x7c`.
    CeloL1,
    /// Celo as an OP-stack L2: OP stack types and `0x7b`, with a base fee in the receipts.
    CeloL2,
    /// Arbitrum Nitro: Ethereum types and `0x64` to `0x6a`.
    Arbitrum,
    /// Polygon `PoS`: Ethereum types; nodes add a state-sync entry outside the tries.
    Polygon,
    /// Scroll: Ethereum types and L1 messages (`0x7e`).
    Scroll,
    /// HyperEVM: Ethereum types; nodes add system entries outside the tries.
    HyperEvm,
    /// Sonic: Ethereum types and unsigned internal transactions of type 0 (`v`, `r` and `s` are 0).
    Sonic,
}

const ETHEREUM: &[u8] = &[0, 1, 2, 3, 4];

impl Encoding {
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

    /// Logs outside the header bloom, in words; `None` if the bloom covers all logs. The bloom cannot show the absence
    /// of such logs.
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

    /// Word in `chains.toml`.
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

    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|encoding| encoding.name() == name)
    }

    /// EIP-2718 types, 0 for the untyped form; ascending.
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

    /// Whether entries of the type are never signed: entries from another chain or the protocol state the sender and
    /// may use no gas.
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

    /// Whether transactions of the type are always signed. Simulated calls listed by nodes have a signature of zeros
    /// and still recompute.
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

    /// Whether the withdrawals root belongs to the withdrawal list. The OP stack has a storage root there since
    /// Isthmus.
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

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EncodingFrom {
    pub from_number: u64,
    pub encoding: Encoding,
}
