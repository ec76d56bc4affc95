//! Level 5: the SuperRoot, a perfect tree with height 6.
//!
//! ```text
//! slot 0..=8    Mini-MMR root of each family
//! slot 9 + r    block reference of registry row r, empty while the row has no block
//! slot 54       history root: every SuperRoot before this one
//! slot 55       registry root
//! slot 56..=63  empty
//! ```
//! Bytes: `docs/protocol.md#superroot`.

use alloc::vec::Vec;

use superroot_types::{
    BlockNumber, ChainId, ChainKey, Family, Hash, LeafCount, RowIndex, Sequence, TwigIndex,
    UnixSeconds,
};

use crate::codec::ByteReader;
use crate::hash::{keccak256, keccak256_joined, sha256_joined};
use crate::perfect::PerfectTree;

/// SuperRoot tree height.
pub const SUPER_ROOT_HEIGHT: usize = 6;
/// Commitment version.
pub const VERSION: u8 = 5;
/// History root slot.
pub const HISTORY_SLOT: u64 = 54;
/// Registry root slot.
pub const REGISTRY_SLOT: u64 = 55;
/// Bytes in a SuperRoot preimage and in a history log entry.
pub const PREIMAGE_BYTES: usize = 82;

/// Reference slot for a registry row.
#[must_use]
pub fn reference_slot(row: RowIndex) -> u64 {
    u64::from(row.0).saturating_add(9)
}

/// Invalid origin.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("an origin is 1 to 255 bytes of UTF-8 without white space and without a plus sign")]
pub struct OriginError;

/// Log id for an origin: `H(09 ‖ origin)`.
///
/// # Errors
/// [`OriginError`] for an empty or too long origin, or for white space or `+` inside.
pub fn log_id(origin: &str) -> Result<Hash, OriginError> {
    let bad = |c: char| c.is_whitespace() || c == '+';
    if origin.is_empty() || origin.len() > 255 || origin.chars().any(bad) {
        return Err(OriginError);
    }
    Ok(keccak256_joined(&[&[0x09], origin.as_bytes()]))
}

/// SuperRoot hash content.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SuperRoot {
    /// Log id.
    pub log_id: Hash,
    /// Counter from 0 without gaps.
    pub sequence: Sequence,
    /// Creation time as claimed by the service.
    pub timestamp: UnixSeconds,
    /// Root over the 64 slots.
    pub tree_root: Hash,
}

/// Invalid SuperRoot preimage for this version.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PreimageError {
    /// Not 82 bytes starting with tag 07.
    #[error("a SuperRoot preimage has 82 bytes and begins with 07")]
    Bytes,
    /// Another commitment version.
    #[error("SuperRoot version {got}, this verifier knows version 5 only")]
    Version {
        /// Version found.
        got: u8,
    },
}

impl SuperRoot {
    /// Preimage: `07 ‖ 05 ‖ log_id ‖ sequence ‖ timestamp ‖ tree_root`.
    #[must_use]
    pub fn encode(&self) -> Vec<u8> {
        [
            &[0x07, VERSION],
            self.log_id.as_ref(),
            &self.sequence.0.to_be_bytes(),
            &self.timestamp.0.to_be_bytes(),
            self.tree_root.as_ref(),
        ]
        .concat()
    }

    /// Message that the log's key for contracts signs: `H(0a ‖ super_root_hash)`.
    #[must_use]
    pub fn evm_message(&self) -> Hash {
        keccak256_joined(&[&[0x0a], self.hash().as_ref()])
    }

    /// Reads a preimage.
    ///
    /// # Errors
    /// [`PreimageError::Version`] for another version, [`PreimageError::Bytes`] for anything else.
    pub fn decode(bytes: &[u8]) -> Result<Self, PreimageError> {
        let mut reader = ByteReader::new(bytes);
        let tag = reader.u8();
        let version = reader.u8();
        if tag != Some(0x07) || bytes.len() != PREIMAGE_BYTES {
            return Err(PreimageError::Bytes);
        }
        match version {
            Some(VERSION) => {}
            got => return Err(PreimageError::Version { got: got.unwrap_or(0) }),
        }
        let parts = (reader.hash(), reader.u64(), reader.u64(), reader.hash());
        match parts {
            (Some(log_id), Some(sequence), Some(timestamp), Some(tree_root)) => {
                let sequence = Sequence(sequence);
                Ok(Self { log_id, sequence, timestamp: UnixSeconds(timestamp), tree_root })
            }
            _ => Err(PreimageError::Bytes),
        }
    }

    /// SuperRoot hash.
    #[must_use]
    pub fn hash(&self) -> Hash {
        keccak256(&self.encode())
    }
}

/// Family Mini-MMR: sealed twig count and range root.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MiniMmr {
    /// Number of twig leaves.
    pub leaf_count: LeafCount,
    /// Range root; [`Hash::ZERO`] without leaves.
    pub range_root: Hash,
}

impl MiniMmr {
    /// Mini-MMR without leaves.
    pub const EMPTY: Self = Self { leaf_count: LeafCount::EMPTY, range_root: Hash::ZERO };

    /// Preimage: `03 ‖ family ‖ leaf_count ‖ range_root`.
    #[must_use]
    pub fn encode(&self, family: Family) -> Vec<u8> {
        let count = self.leaf_count.0.to_be_bytes();
        [&[0x03, family.byte()], count.as_slice(), self.range_root.as_ref()].concat()
    }

    /// Mini-MMR root for the family's slot.
    #[must_use]
    pub fn root(&self, family: Family) -> Hash {
        keccak256(&self.encode(family))
    }
}

/// Chain reference: committed run and open twig.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ChainReference {
    /// Chain key.
    pub chain: ChainKey,
    /// First number in the run: a multiple of 2,048, or the ledger's first number.
    pub start: BlockNumber,
    /// Last number in the run; always an existing block.
    pub number: BlockNumber,
    /// Last block's hash.
    pub block_hash: Hash,
    /// Open twig root.
    pub open_twig_root: Hash,
}

impl ChainReference {
    /// Preimage length in bytes.
    pub const BYTES: usize = 90;

    /// Preimage: `04 ‖ family ‖ chain_id ‖ start ‖ number ‖ block_hash ‖ open_twig_root`.
    #[must_use]
    pub fn encode(&self) -> Vec<u8> {
        [
            &[0x04, self.chain.family.byte()],
            self.chain.id.0.to_be_bytes().as_slice(),
            &self.start.0.to_be_bytes(),
            &self.number.0.to_be_bytes(),
            self.block_hash.as_ref(),
            self.open_twig_root.as_ref(),
        ]
        .concat()
    }

    /// Reads a preimage; `None` for anything else.
    #[must_use]
    pub fn decode(bytes: &[u8]) -> Option<Self> {
        let mut reader = ByteReader::new(bytes);
        if reader.u8()? != 0x04 {
            return None;
        }
        let family = Family::try_from(reader.u8()?).ok()?;
        let chain = ChainKey { family, id: ChainId(reader.u64()?) };
        let start = BlockNumber(reader.u64()?);
        let number = BlockNumber(reader.u64()?);
        let block_hash = reader.hash()?;
        let open_twig_root = reader.hash()?;
        let whole = Self { chain, start, number, block_hash, open_twig_root };
        reader.is_empty().then_some(whole)
    }

    /// Reference hash for the row's slot.
    #[must_use]
    pub fn hash(&self) -> Hash {
        keccak256(&self.encode())
    }

    /// Open twig index; every lower twig in the chain is sealed.
    #[must_use]
    pub const fn open_twig_index(&self) -> TwigIndex {
        BlockNumber(self.number.0.saturating_add(1)).twig_index()
    }

    /// Number of sealed twigs in the run.
    #[must_use]
    pub const fn sealed_twigs(&self) -> u64 {
        self.open_twig_index().0.saturating_sub(self.start.twig_index().0)
    }
}

/// Committed history: all earlier SuperRoots.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SuperRootHistory {
    /// Entries, equal to the SuperRoot's sequence.
    pub leaf_count: LeafCount,
    /// RFC 6962 log root.
    pub log_root: Hash,
}

impl SuperRootHistory {
    /// Entry leaf: `SHA-256(00 ‖ preimage)`.
    #[must_use]
    pub fn leaf(entry: &SuperRoot) -> Hash {
        sha256_joined(&[&[0x00], &entry.encode()])
    }

    /// Preimage: `05 ‖ leaf_count ‖ log_root`.
    #[must_use]
    pub fn encode(&self) -> Vec<u8> {
        [&[0x05], self.leaf_count.0.to_be_bytes().as_slice(), self.log_root.as_ref()].concat()
    }

    /// History root, slot 54.
    #[must_use]
    pub fn root(&self) -> Hash {
        keccak256(&self.encode())
    }
}

/// Mini-MMR roots by family: slots 0 to 8 in [`build_tree`].
#[must_use]
pub fn mini_mmr_roots(mini_mmrs: &[MiniMmr; Family::COUNT]) -> [Hash; Family::COUNT] {
    let mut roots = [Hash::ZERO; Family::COUNT];
    for ((root, mini_mmr), family) in roots.iter_mut().zip(mini_mmrs).zip(Family::ALL) {
        *root = mini_mmr.root(family);
    }
    roots
}

/// Tree over the 64 slots. `references` carry their row number.
#[must_use]
pub fn build_tree(
    mini_mmrs: &[MiniMmr; Family::COUNT],
    references: &[(RowIndex, ChainReference)],
    history: &SuperRootHistory,
    registry_root: Hash,
) -> PerfectTree {
    let mut slots = alloc::vec![Hash::ZERO; 56];
    let mut put = |slot: u64, hash: Hash| {
        let place = usize::try_from(slot).ok().and_then(|slot| slots.get_mut(slot));
        if let Some(place) = place {
            *place = hash;
        }
    };
    for (family, root) in Family::ALL.into_iter().zip(mini_mmr_roots(mini_mmrs)) {
        put(u64::from(family.byte()), root);
    }
    let rows = references.iter().filter(|(row, _)| usize::from(*row) < crate::registry::ROWS_MAX);
    for (row, reference) in rows {
        put(reference_slot(*row), reference.hash());
    }
    put(HISTORY_SLOT, history.root());
    put(REGISTRY_SLOT, registry_root);
    PerfectTree::new(SUPER_ROOT_HEIGHT, slots)
}
