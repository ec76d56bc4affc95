//! Chains in a log: the ordered rows, and each chain's hash rules by block number.
//!
//! A verifier brings its own [`LogRegistry`] and never takes a layout from a proof. Bytes:
//! `docs/protocol.md#chains-numbers-block-hashes`.

use alloc::string::String;
use alloc::vec::Vec;

use superroot_types::{ChainId, ChainKey, Family, Hash, RowIndex, SAFE_INTEGER_MAX, TWIG_BLOCKS};

use crate::codec::ByteReader;
use crate::hash::{keccak256, keccak256_joined};
use crate::ledger::evm::Layout;
use crate::perfect::PerfectTree;

/// Most registry rows: slots 9 to 53 in the SuperRoot.
pub const ROWS_MAX: usize = 45;
/// Tree height over the row profiles.
pub const REGISTRY_HEIGHT: usize = 6;

/// Block hash rule from a number on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HashRule {
    /// Withdrawal: nothing at or above the number is provable.
    Withdrawn,
    /// EVM: Keccak-256 over the RLP header in this layout.
    Evm(Layout),
    /// Bitcoin: sha256d over 80 bytes.
    Bitcoin,
    /// Solana: blockhash; the number is the block height.
    Solana,
    /// Solana once slots have fewer hashes than level 1 of [`HashRule::Solana`] reaches back: same blockhash, no level
    /// 1.
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

/// First Solana block height without level 1 under rule 0201. The rule's window is 4,000,000 hashes, a slot with 64
/// ticks at 62,500. Slots at 350 ms have fewer hashes (SIMD-0525, from slot 440,640,000, the first in epoch 1020), and
/// since Alpenglow (slot 459,652,999) an entry is a single hash; then an earlier block's transaction is also inside the
/// window. This is the highest height known to be before the change: `getEpochInfo` on the main network returned slot
/// 440,580,196 and height 418,629,925.
pub const SOLANA_WINDOW_END: u64 = 418_629_925;

const WITHDRAWN: u16 = 0;

const RULES: [(u16, HashRule); 16] = [
    (WITHDRAWN, HashRule::Withdrawn),
    (0x0001, HashRule::Evm(Layout::Ethereum)),
    (0x0002, HashRule::Evm(Layout::Aura)),
    (0x0003, HashRule::Evm(Layout::CeloL1)),
    (0x0004, HashRule::Evm(Layout::CeloGingerbread)),
    (0x0005, HashRule::Evm(Layout::Avalanche)),
    (0x0006, HashRule::Evm(Layout::Sonic)),
    (0x0101, HashRule::Bitcoin),
    (0x0201, HashRule::Solana),
    (0x0202, HashRule::SolanaHeader),
    (0x0301, HashRule::Polkadot),
    (0x0401, HashRule::Tron),
    (0x0501, HashRule::Aptos),
    (0x0601, HashRule::Sui),
    (0x0701, HashRule::Icp),
    (0x0801, HashRule::Cosmos),
];

impl HashRule {
    /// Rule for a code, if this verifier knows the code.
    #[must_use]
    pub fn from_code(code: u16) -> Option<Self> {
        RULES.iter().find(|(known, _)| *known == code).map(|(_, rule)| *rule)
    }

    /// Rule code, the two hashed bytes.
    #[must_use]
    pub fn code(self) -> u16 {
        RULES.iter().find(|(_, rule)| *rule == self).map_or(0, |(code, _)| *code)
    }

    /// Effective rule at a block number. From [`SOLANA_WINDOW_END`] rule 0201 shows only the header, whatever the
    /// registry says.
    #[must_use]
    pub const fn at(self, number: u64) -> Self {
        match self {
            Self::Solana if number >= SOLANA_WINDOW_END => Self::SolanaHeader,
            other => other,
        }
    }

    /// Chain family; `None` for the withdrawal rule, allowed in every family.
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

    /// Whether chains in the family can have the rule.
    #[must_use]
    pub fn is_of(self, family: Family) -> bool {
        self.family().is_none_or(|own| own == family)
    }

    /// Whether the block hash shows the block number; if not, the number is only the service's claim.
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

/// Rule with its first block number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HashRuleFrom {
    /// First block number.
    pub from_number: u64,
    /// Rule code; an unknown code is stored but proves nothing.
    pub code: u16,
}

/// Chain profile: CAIP-2 name and rules, in order added.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Profile {
    /// Chain key.
    pub chain: ChainKey,
    /// CAIP-2 name, 1 to 255 bytes.
    pub caip2: String,
    /// Rules, 1 to 255, rising by `from_number`. The first is at the ledger's first number; only a withdrawal (rule
    /// 0000) may follow a rule with a higher number.
    pub rules: Vec<HashRuleFrom>,
}

/// Why a profile or registry is invalid.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum LogRegistryError {
    /// The name is empty or longer than 255 bytes.
    #[error("a chain's CAIP-2 name has 1 to 255 bytes, {chain} has {got}")]
    Name {
        /// Chain key.
        chain: ChainKey,
        /// Bytes found.
        got: usize,
    },
    /// No rules, too many, not in rising order, or a withdrawal first.
    #[error("rules of {chain} must be 1 to 255, rising by number, the first no withdrawal")]
    Rules {
        /// Chain key.
        chain: ChainKey,
    },
    /// A chain occurs twice.
    #[error("chain {chain} occurs twice")]
    Duplicate {
        /// Chain key.
        chain: ChainKey,
    },
    /// More rows than SuperRoot slots.
    #[error("at most {ROWS_MAX} rows, got {got}")]
    Rows {
        /// Rows found.
        got: usize,
    },
    /// Chain id is 2^53 or more.
    #[error("the id of chain {chain} is 2^53 or more")]
    Id {
        /// Chain key.
        chain: ChainKey,
    },
    /// Bytes are not a profile or registry preimage.
    #[error("registry bytes are cut short, too long or not canonical")]
    Bytes,
}

impl Profile {
    /// Hashed preimage: `08 ‖ family ‖ chain_id ‖ length ‖ caip2 ‖ count ‖ rules`.
    ///
    /// # Errors
    /// [`LogRegistryError::Id`], [`LogRegistryError::Name`] or [`LogRegistryError::Rules`] for a part out of bounds.
    pub fn encode(&self) -> Result<Vec<u8>, LogRegistryError> {
        let chain = self.chain;
        if chain.id.0 > SAFE_INTEGER_MAX {
            return Err(LogRegistryError::Id { chain });
        }
        let got = self.caip2.len();
        let length = u8::try_from(got).ok().filter(|length| *length > 0);
        let length = length.ok_or(LogRegistryError::Name { chain, got })?;
        let count = u8::try_from(self.rules.len()).ok().filter(|count| *count > 0);
        let count = count.ok_or(LogRegistryError::Rules { chain })?;
        let read = || self.rules.iter().filter(|rule| rule.code != WITHDRAWN);
        let rising =
            read().zip(read().skip(1)).all(|(one, next)| one.from_number < next.from_number);
        let begins = self.rules.first().is_some_and(|first| first.code != WITHDRAWN);
        let within = self.rules.iter().all(|rule| rule.from_number <= SAFE_INTEGER_MAX);
        if !rising || !begins || !within {
            return Err(LogRegistryError::Rules { chain });
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

    /// Reads a preimage, only in the exact encoding from [`Profile::encode`].
    ///
    /// # Errors
    /// [`LogRegistryError::Bytes`] for anything else.
    pub fn decode(bytes: &[u8]) -> Result<Self, LogRegistryError> {
        let mut reader = ByteReader::new(bytes);
        let parse = |reader: &mut ByteReader<'_>| {
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
                rules.push(HashRuleFrom { from_number: reader.u64()?, code: reader.u16()? });
            }
            let profile = Self { chain: ChainKey { family, id }, caip2, rules };
            reader.is_empty().then_some(profile)
        };
        let profile = parse(&mut reader).ok_or(LogRegistryError::Bytes)?;
        match profile.encode() {
            Ok(again) if again == bytes => Ok(profile),
            _ => Err(LogRegistryError::Bytes),
        }
    }

    /// Profile hash.
    ///
    /// # Errors
    /// As [`Profile::encode`].
    pub fn hash(&self) -> Result<Hash, LogRegistryError> {
        Ok(keccak256(&self.encode()?))
    }

    /// Rule code in force at a number: 0000 under a withdrawal, `None` before the ledger's first number.
    #[must_use]
    pub fn code_at(&self, number: u64) -> Option<u16> {
        let mut covers = self.rules.iter().rev().filter(|rule| rule.from_number <= number);
        let newest = covers.next()?.code;
        Some(if covers.any(|rule| rule.code == WITHDRAWN) { WITHDRAWN } else { newest })
    }

    /// Whether added rules change the reading at or below a block number. A withdrawal does not count: it may name an
    /// older number.
    #[must_use]
    pub fn is_reread_by(&self, added: &[HashRuleFrom], number: u64) -> bool {
        let read = |code: Option<u16>, number| {
            code.and_then(HashRule::from_code).map(|rule| rule.at(number))
        };
        let changes = |rule: &HashRuleFrom| {
            let from = rule.from_number;
            let code = rule.code;
            let now = read(Some(code), from);
            code != WITHDRAWN && (now.is_none() || now != read(self.code_at(from), from))
        };
        added.iter().any(|rule| rule.from_number <= number && changes(rule))
    }

    /// First number in the ledger.
    #[must_use]
    pub fn first_number(&self) -> u64 {
        self.rules.first().map_or(0, |rule| rule.from_number)
    }

    /// Whether a run may start at a number: a multiple of 2,048 above the ledger's first number, or the first number.
    #[must_use]
    pub fn may_start_at(&self, start: u64) -> bool {
        let first = self.first_number();
        start == first || (start > first && start.is_multiple_of(TWIG_BLOCKS))
    }

    /// First number made unprovable by a withdrawal (rule 0000).
    #[must_use]
    pub fn withdrawn_from(&self) -> Option<u64> {
        let withdrawals = self.rules.iter().filter(|rule| rule.code == WITHDRAWN);
        withdrawals.map(|rule| rule.from_number).min()
    }
}

/// Ordered rows in a log: row `r` has SuperRoot slot `9 + r`. Rows are only appended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LogRegistry {
    rows: Vec<Profile>,
}

impl LogRegistry {
    /// Registry with the given rows.
    ///
    /// # Errors
    /// [`LogRegistryError`] for too many rows, a duplicate chain or an invalid profile.
    pub fn new(rows: Vec<Profile>) -> Result<Self, LogRegistryError> {
        if rows.len() > ROWS_MAX {
            return Err(LogRegistryError::Rows { got: rows.len() });
        }
        for (position, row) in rows.iter().enumerate() {
            row.encode()?;
            if rows.iter().take(position).any(|other| other.chain == row.chain) {
                return Err(LogRegistryError::Duplicate { chain: row.chain });
            }
        }
        Ok(Self { rows })
    }

    /// Rows in order.
    #[must_use]
    pub fn rows(&self) -> &[Profile] {
        &self.rows
    }

    /// Rows in order, each with its index.
    pub fn numbered_rows(&self) -> impl Iterator<Item = (RowIndex, &Profile)> {
        (0..=u8::MAX).map(RowIndex).zip(&self.rows)
    }

    /// Profile in a row, if present.
    #[must_use]
    pub fn row(&self, row: RowIndex) -> Option<&Profile> {
        self.rows.get(usize::from(row))
    }

    /// Row and profile for a chain.
    #[must_use]
    pub fn find(&self, chain: ChainKey) -> Option<(RowIndex, &Profile)> {
        self.numbered_rows().find(|(_, row)| row.chain == chain)
    }

    /// Tree over the profile hashes; a row's slot is its number.
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

/// Registry root for a row count: `H(06 ‖ count ‖ registry_tree_root)`.
#[must_use]
pub fn root_of(count: u16, tree_root: &Hash) -> Hash {
    keccak256_joined(&[&[0x06], &count.to_be_bytes(), &tree_root.0])
}
