//! The chains of a log: their rows in order, and what each chain is by rule and number.
//!
//! A verifier brings its own [`Registry`]; it never takes a layout from a proof.
//! Bytes: `docs/protocol.md#chains-numbers-block-hashes`.

use alloc::string::String;
use alloc::vec::Vec;

use superroot_types::{ChainId, ChainKey, Family, Hash, SAFE_INTEGER_MAX, TWIG_BLOCKS};

use crate::codec::Reader;
use crate::hash::{keccak256, keccak256_joined};
use crate::ledger::evm::Layout;
use crate::perfect::PerfectTree;

/// Rows a registry may hold: slots 9 to 53 of the SuperRoot.
pub const ROWS_MAX: usize = 45;
/// Height of the tree over the rows' profiles.
pub const REGISTRY_HEIGHT: usize = 6;

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
    /// Solana since a slot has fewer hashes than level 1 of [`Rule::Solana`] reaches back: the same
    /// blockhash, and no level 1.
    SolanaHeader,
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

/// Block height of Solana from which on rule 0201 has no level 1. Its window of 4,000,000 hashes is a slot
/// of 64 ticks of 62,500: slots of 350 ms have fewer (SIMD-0525, in force from slot 440,640,000 on, the
/// first of epoch 1020), and since Alpenglow (slot 459,652,999) an entry is one hash. Then a transaction
/// of an earlier block lies within the window as well. This is the highest height known to lie before:
/// `getEpochInfo` of the main network said slot 440,580,196 and height 418,629,925.
pub const SOLANA_WINDOW_END: u64 = 418_629_925;

/// Code of the rule that withdraws.
const WITHDRAWN: u16 = 0;

const RULES: [(u16, Rule); 16] = [
    (WITHDRAWN, Rule::Withdrawn),
    (0x0001, Rule::Evm(Layout::Ethereum)),
    (0x0002, Rule::Evm(Layout::Aura)),
    (0x0003, Rule::Evm(Layout::CeloL1)),
    (0x0004, Rule::Evm(Layout::CeloGingerbread)),
    (0x0005, Rule::Evm(Layout::Avalanche)),
    (0x0006, Rule::Evm(Layout::Sonic)),
    (0x0101, Rule::Bitcoin),
    (0x0201, Rule::Solana),
    (0x0202, Rule::SolanaHeader),
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

    /// The rule by which a block of that number is read where its chain says this one. From
    /// [`SOLANA_WINDOW_END`] on rule 0201 shows a header alone, whatever a registry says.
    #[must_use]
    pub const fn at(self, number: u64) -> Self {
        match self {
            Self::Solana if number >= SOLANA_WINDOW_END => Self::SolanaHeader,
            other => other,
        }
    }

    /// The family of the chains that have it; `None` of the rule that withdraws, which any may have.
    #[must_use]
    pub const fn family(self) -> Option<Family> {
        Some(match self {
            Self::Withdrawn => return None,
            Self::Evm(_) => Family::Evm,
            Self::Bitcoin => Family::Bitcoin,
            Self::Solana | Self::SolanaHeader => Family::Solana,
            Self::Polkadot => Family::Polkadot,
            Self::Tron => Family::Tron,
            Self::Aptos => Family::Aptos,
            Self::Sui => Family::Sui,
            Self::Icp => Family::Icp,
            Self::Cosmos => Family::Cosmos,
        })
    }

    /// Whether a chain of that family can have the rule.
    #[must_use]
    pub fn is_of(self, family: Family) -> bool {
        self.family().is_none_or(|own| own == family)
    }

    /// Whether the block hash shows the block's number; else the number is the service's word.
    #[must_use]
    pub const fn binds_number(self) -> bool {
        match self {
            Self::Evm(_) | Self::Polkadot | Self::Tron | Self::Sui | Self::Cosmos => true,
            Self::Withdrawn
            | Self::Bitcoin
            | Self::Solana
            | Self::SolanaHeader
            | Self::Aptos
            | Self::Icp => false,
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

/// What a chain is: its CAIP-2 name and its rules, in the order in which they were added.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Profile {
    /// The chain.
    pub chain: ChainKey,
    /// CAIP-2 name, 1 to 255 bytes.
    pub caip2: String,
    /// Rules, 1 to 255. The first stands at the ledger's first number, and they rise by `from_number`;
    /// a withdrawal (rule 0000) alone may come later than a rule with a higher number.
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
    /// No rules, too many, not in rising order, or a withdrawal before all others.
    #[error("rules of {chain} must be 1 to 255, rising by number, the first no withdrawal")]
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
        let read = || self.rules.iter().filter(|rule| rule.code != WITHDRAWN);
        let rising =
            read().zip(read().skip(1)).all(|(one, next)| one.from_number < next.from_number);
        let begins = self.rules.first().is_some_and(|first| first.code != WITHDRAWN);
        let within = self.rules.iter().all(|rule| rule.from_number <= SAFE_INTEGER_MAX);
        if !rising || !begins || !within {
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
        let mut reader = Reader::new(bytes);
        let parse = |reader: &mut Reader<'_>| {
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

    /// Code of the rule in force at that number: 0000 wherever a withdrawal covers it; `None` before
    /// the ledger's first number.
    #[must_use]
    pub fn code_at(&self, number: u64) -> Option<u16> {
        let mut covers = self.rules.iter().rev().filter(|rule| rule.from_number <= number);
        let newest = covers.next()?.code;
        Some(if covers.any(|rule| rule.code == WITHDRAWN) { WITHDRAWN } else { newest })
    }

    /// Whether rules added to these change how a block of that number or below is read. A withdrawal does not count:
    /// it may name an older number.
    #[must_use]
    pub fn is_reread_by(&self, added: &[RuleFrom], number: u64) -> bool {
        let read =
            |code: Option<u16>, number| code.and_then(Rule::from_code).map(|rule| rule.at(number));
        let changes = |rule: &RuleFrom| {
            let (from, code) = (rule.from_number, rule.code);
            let now = read(Some(code), from);
            code != WITHDRAWN && (now.is_none() || now != read(self.code_at(from), from))
        };
        added.iter().any(|rule| rule.from_number <= number && changes(rule))
    }

    /// The ledger's first number.
    #[must_use]
    pub fn first_number(&self) -> u64 {
        self.rules.first().map_or(0, |rule| rule.from_number)
    }

    /// Whether a log's run of the chain may start at that number: at a multiple of 2,048 above the
    /// ledger's first number, or at the first number itself.
    #[must_use]
    pub fn may_start_at(&self, start: u64) -> bool {
        let first = self.first_number();
        start == first || (start > first && start.is_multiple_of(TWIG_BLOCKS))
    }

    /// First number that a withdrawal (rule 0000) makes unprovable.
    #[must_use]
    pub fn withdrawn_from(&self) -> Option<u64> {
        let withdrawals = self.rules.iter().filter(|rule| rule.code == WITHDRAWN);
        withdrawals.map(|rule| rule.from_number).min()
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

    /// The tree over the rows' profile hashes; a row's slot is its number.
    #[must_use]
    pub fn tree(&self) -> PerfectTree {
        // `new` has encoded every row, so the hash is there
        let hashes = self.rows.iter().map(|row| row.hash().unwrap_or(Hash::ZERO));
        PerfectTree::new(REGISTRY_HEIGHT, hashes.collect())
    }

    /// Registry root, slot 55 of the SuperRoot.
    #[must_use]
    pub fn root(&self) -> Hash {
        root_of(u16::try_from(self.rows.len()).unwrap_or(u16::MAX), &self.tree().root())
    }
}

/// Registry root over a tree of that many rows: `H(06 ‖ count ‖ registry_tree_root)`.
#[must_use]
pub fn root_of(count: u16, tree_root: &Hash) -> Hash {
    keccak256_joined(&[&[0x06], &count.to_be_bytes(), &tree_root.0])
}
