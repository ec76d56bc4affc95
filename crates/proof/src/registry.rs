//! The chains of a log: their rows in order, and what each chain is by rule and number.
//!
//! A verifier brings its own [`Registry`]; it never takes a layout from a proof.
//! Bytes: `docs/protocol.md#chains-numbers-block-hashes`.

use alloc::string::String;
use alloc::vec::Vec;

use superroot_types::{ChainId, ChainKey, Family, Hash, SAFE_INTEGER_MAX};

use crate::hash::keccak256;
use crate::ledger::evm::Layout;

/// Rows a registry may hold: slots 9 to 53 of the SuperRoot.
pub const ROWS_MAX: usize = 45;

/// How a ledger makes its block hash, from a number on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rule {
    /// Nothing at or above the number is provable.
    Withdrawn,
    /// EVM: Keccak-256 of the RLP header in that layout.
    Evm(Layout),
    /// Bitcoin: sha256d of 80 bytes.
    Bitcoin,
    /// Solana: blockhash; the number is the block height.
    Solana,
    /// Polkadot: blake2b-256 of the SCALE header.
    Polkadot,
    /// Tron: block id.
    Tron,
    /// Aptos: transaction accumulator root after the block.
    Aptos,
    /// Sui: checkpoint digest.
    Sui,
    /// ICP ledger block hash.
    Icp,
    /// `CometBFT` header hash.
    Cosmos,
}

const RULES: [(u16, Rule); 15] = [
    (0x0000, Rule::Withdrawn),
    (0x0001, Rule::Evm(Layout::Ethereum)),
    (0x0002, Rule::Evm(Layout::Aura)),
    (0x0003, Rule::Evm(Layout::CeloL1)),
    (0x0004, Rule::Evm(Layout::CeloGingerbread)),
    (0x0005, Rule::Evm(Layout::Avalanche)),
    (0x0006, Rule::Evm(Layout::Sonic)),
    (0x0101, Rule::Bitcoin),
    (0x0201, Rule::Solana),
    (0x0301, Rule::Polkadot),
    (0x0401, Rule::Tron),
    (0x0501, Rule::Aptos),
    (0x0601, Rule::Sui),
    (0x0701, Rule::Icp),
    (0x0801, Rule::Cosmos),
];

impl Rule {
    /// The rule of that code, if this verifier knows it.
    #[must_use]
    pub fn from_code(code: u16) -> Option<Self> {
        RULES.iter().find(|(known, _)| *known == code).map(|(_, rule)| *rule)
    }

    /// The two bytes that are hashed.
    #[must_use]
    pub fn code(self) -> u16 {
        RULES.iter().find(|(_, rule)| *rule == self).map_or(0, |(code, _)| *code)
    }

    /// Whether a chain of that family can have the rule: the first byte of a code is the family's.
    #[must_use]
    pub fn is_of(self, family: Family) -> bool {
        let [first, _] = self.code().to_be_bytes();
        self == Self::Withdrawn || first == family.byte()
    }

    /// Whether the block hash shows the block's number; else the number is the service's word.
    #[must_use]
    pub const fn binds_number(self) -> bool {
        match self {
            Self::Evm(_) | Self::Polkadot | Self::Tron | Self::Sui | Self::Cosmos => true,
            Self::Withdrawn | Self::Bitcoin | Self::Solana | Self::Aptos | Self::Icp => false,
        }
    }
}

/// A rule and the first number it holds for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RuleFrom {
    /// First block number.
    pub from_number: u64,
    /// The rule's code; a code this build does not know is kept, but proves nothing.
    pub code: u16,
}

/// What a chain is: its CAIP-2 name and its rules in rising order of number.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Profile {
    /// The chain.
    pub chain: ChainKey,
    /// CAIP-2 name, 1 to 255 bytes.
    pub caip2: String,
    /// Rules, 1 to 255, rising by `from_number`, the first at the ledger's first number.
    pub rules: Vec<RuleFrom>,
}

/// Why a profile or a registry is none.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum RegistryError {
    /// The name is empty or longer than 255 bytes.
    #[error("a chain's CAIP-2 name has 1 to 255 bytes, {chain} has {got}")]
    Name {
        /// The chain.
        chain: ChainKey,
        /// Bytes found.
        got: usize,
    },
    /// No rules, too many, or not in rising order.
    #[error("rules of {chain} must be 1 to 255, rising by number")]
    Rules {
        /// The chain.
        chain: ChainKey,
    },
    /// A chain occurs twice.
    #[error("chain {chain} occurs twice")]
    Duplicate {
        /// The chain.
        chain: ChainKey,
    },
    /// More rows than the SuperRoot has slots.
    #[error("at most {ROWS_MAX} rows, got {got}")]
    Rows {
        /// Rows found.
        got: usize,
    },
    /// A chain's id is 2^53 or more.
    #[error("the id of chain {chain} is 2^53 or more")]
    Id {
        /// The chain.
        chain: ChainKey,
    },
    /// The bytes are no profile or registry preimage.
    #[error("registry bytes are cut short, too long or not canonical")]
    Bytes,
}

impl Profile {
    /// The preimage that is hashed: `08 ‖ family ‖ chain_id ‖ length ‖ caip2 ‖ count ‖ rules`.
    ///
    /// # Errors
    /// [`RegistryError::Id`], [`RegistryError::Name`] and [`RegistryError::Rules`] when a part is
    /// out of bounds.
    pub fn encode(&self) -> Result<Vec<u8>, RegistryError> {
        let chain = self.chain;
        if chain.id.0 > SAFE_INTEGER_MAX {
            return Err(RegistryError::Id { chain });
        }
        let got = self.caip2.len();
        let length = u8::try_from(got).ok().filter(|length| *length > 0);
        let length = length.ok_or(RegistryError::Name { chain, got })?;
        let count = u8::try_from(self.rules.len()).ok().filter(|count| *count > 0);
        let count = count.ok_or(RegistryError::Rules { chain })?;
        let rising = self.rules.windows(2).all(|pair| match pair {
            [first, second] => first.from_number < second.from_number,
            _ => false,
        });
        if !rising || self.rules.iter().any(|rule| rule.from_number > SAFE_INTEGER_MAX) {
            return Err(RegistryError::Rules { chain });
        }
        let mut bytes = Vec::new();
        bytes.push(0x08);
        bytes.push(chain.family.byte());
        bytes.extend_from_slice(&chain.id.0.to_be_bytes());
        bytes.push(length);
        bytes.extend_from_slice(self.caip2.as_bytes());
        bytes.push(count);
        for rule in &self.rules {
            bytes.extend_from_slice(&rule.from_number.to_be_bytes());
            bytes.extend_from_slice(&rule.code.to_be_bytes());
        }
        Ok(bytes)
    }

    /// Reads a preimage back; only the bytes that [`Profile::encode`] gives are accepted.
    ///
    /// # Errors
    /// [`RegistryError::Bytes`] for anything else.
    pub fn decode(bytes: &[u8]) -> Result<Self, RegistryError> {
        let mut reader = crate::codec::Reader::new(bytes);
        let parse = |reader: &mut crate::codec::Reader<'_>| {
            if reader.u8()? != 0x08 {
                return None;
            }
            let family = Family::try_from(reader.u8()?).ok()?;
            let id = ChainId(reader.u64()?);
            let length = usize::from(reader.u8()?);
            let caip2 = String::from(core::str::from_utf8(reader.bytes(length)?).ok()?);
            let count = reader.u8()?;
            let mut rules = Vec::new();
            for _ in 0..count {
                rules.push(RuleFrom { from_number: reader.u64()?, code: reader.u16()? });
            }
            let profile = Self { chain: ChainKey { family, id }, caip2, rules };
            reader.is_empty().then_some(profile)
        };
        let profile = parse(&mut reader).ok_or(RegistryError::Bytes)?;
        match profile.encode() {
            Ok(again) if again == bytes => Ok(profile),
            _ => Err(RegistryError::Bytes),
        }
    }

    /// Hash of the profile.
    ///
    /// # Errors
    /// As [`Profile::encode`].
    pub fn hash(&self) -> Result<Hash, RegistryError> {
        Ok(keccak256(&self.encode()?))
    }

    /// Code of the rule in force at that number; `None` before the ledger's first number.
    #[must_use]
    pub fn code_at(&self, number: u64) -> Option<u16> {
        self.rules.iter().rev().find(|rule| rule.from_number <= number).map(|rule| rule.code)
    }

    /// The ledger's first number.
    #[must_use]
    pub fn first_number(&self) -> u64 {
        self.rules.first().map_or(0, |rule| rule.from_number)
    }

    /// First number that a withdrawal (rule 0000) makes unprovable.
    #[must_use]
    pub fn withdrawn_from(&self) -> Option<u64> {
        self.rules.iter().find(|rule| rule.code == 0).map(|rule| rule.from_number)
    }
}

/// The rows of a log, in order: row `r` has SuperRoot slot `9 + r`. Rows are only ever appended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Registry {
    rows: Vec<Profile>,
}

impl Registry {
    /// A registry of these rows.
    ///
    /// # Errors
    /// [`RegistryError`] when there are too many rows, a chain occurs twice, or a row is no profile.
    pub fn new(rows: Vec<Profile>) -> Result<Self, RegistryError> {
        if rows.len() > ROWS_MAX {
            return Err(RegistryError::Rows { got: rows.len() });
        }
        for (position, row) in rows.iter().enumerate() {
            row.encode()?;
            if rows.iter().take(position).any(|other| other.chain == row.chain) {
                return Err(RegistryError::Duplicate { chain: row.chain });
            }
        }
        Ok(Self { rows })
    }

    /// The rows.
    #[must_use]
    pub fn rows(&self) -> &[Profile] {
        &self.rows
    }

    /// Row number and profile of a chain.
    #[must_use]
    pub fn find(&self, chain: ChainKey) -> Option<(usize, &Profile)> {
        self.rows.iter().enumerate().find(|(_, row)| row.chain == chain)
    }

    /// The preimage: `06 ‖ count ‖ (family ‖ chain_id ‖ profile_hash)*`.
    #[must_use]
    pub fn preimage(&self) -> Vec<u8> {
        let mut bytes = Vec::new();
        bytes.push(0x06);
        let count = u16::try_from(self.rows.len()).unwrap_or(u16::MAX);
        bytes.extend_from_slice(&count.to_be_bytes());
        for row in &self.rows {
            bytes.push(row.chain.family.byte());
            bytes.extend_from_slice(&row.chain.id.0.to_be_bytes());
            // `new` has encoded every row, so the hash is there
            bytes.extend_from_slice(&row.hash().unwrap_or(Hash::ZERO).0);
        }
        bytes
    }

    /// Registry root, slot 55 of the SuperRoot.
    #[must_use]
    pub fn root(&self) -> Hash {
        keccak256(&self.preimage())
    }
}

/// Chain and profile hash of each row of a registry preimage.
///
/// # Errors
/// [`RegistryError::Bytes`] when the bytes are no preimage, [`RegistryError::Rows`],
/// [`RegistryError::Id`] and [`RegistryError::Duplicate`] when no registry has such rows.
pub fn decode_rows(preimage: &[u8]) -> Result<Vec<(ChainKey, Hash)>, RegistryError> {
    let mut reader = crate::codec::Reader::new(preimage);
    let head = reader.u8().zip(reader.u16());
    let Some((0x06, count)) = head else { return Err(RegistryError::Bytes) };
    if usize::from(count) > ROWS_MAX {
        return Err(RegistryError::Rows { got: usize::from(count) });
    }
    let mut rows: Vec<(ChainKey, Hash)> = Vec::new();
    for _ in 0..count {
        let family = reader.u8().and_then(|byte| Family::try_from(byte).ok());
        let (id, profile) = (reader.u64(), reader.hash());
        let (Some(family), Some(id), Some(profile)) = (family, id, profile) else {
            return Err(RegistryError::Bytes);
        };
        let chain = ChainKey { family, id: ChainId(id) };
        if id > SAFE_INTEGER_MAX {
            return Err(RegistryError::Id { chain });
        }
        if rows.iter().any(|(known, _)| *known == chain) {
            return Err(RegistryError::Duplicate { chain });
        }
        rows.push((chain, profile));
    }
    if reader.is_empty() { Ok(rows) } else { Err(RegistryError::Bytes) }
}
