//! Level 5: the SuperRoot, one perfect tree of height 6.
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

use superroot_types::{BlockNumber, ChainId, ChainKey, Family, Hash, UnixSeconds};

use crate::codec::Reader;
use crate::hash::{keccak256, keccak256_joined, sha256_joined};
use crate::perfect::PerfectTree;

/// Height of the SuperRoot's tree.
pub const SUPER_ROOT_HEIGHT: usize = 6;
/// The version of the commitment.
pub const VERSION: u8 = 5;
/// Slot of the history root.
pub const HISTORY_SLOT: u64 = 54;
/// Slot of the registry root.
pub const REGISTRY_SLOT: u64 = 55;
/// Bytes of a SuperRoot's preimage, and of an entry of the history log.
pub const PREIMAGE_BYTES: usize = 82;

/// Slot of the reference of a registry row.
#[must_use]
pub fn reference_slot(row: usize) -> u64 {
    u64::try_from(row).unwrap_or(u64::MAX).saturating_add(9)
}

/// Why an origin is none.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("an origin is 1 to 255 bytes of UTF-8 without white space and without a plus sign")]
pub struct OriginError;

/// Log id of an origin: `H(09 ‖ origin)`.
///
/// # Errors
/// [`OriginError`] when the origin is empty, too long, or holds white space or `+`.
pub fn log_id(origin: &str) -> Result<Hash, OriginError> {
    let bad = |c: char| c.is_whitespace() || c == '+';
    if origin.is_empty() || origin.len() > 255 || origin.chars().any(bad) {
        return Err(OriginError);
    }
    Ok(keccak256_joined(&[&[0x09], origin.as_bytes()]))
}

/// What a SuperRoot's hash is made of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SuperRoot {
    /// Which log.
    pub log_id: Hash,
    /// Counts from 0 without holes.
    pub sequence: u64,
    /// When it was made; the service's word.
    pub timestamp: UnixSeconds,
    /// Root over the 64 slots.
    pub tree_root: Hash,
}

/// A preimage that is no SuperRoot of this version.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PreimageError {
    /// Not 82 bytes that begin with tag 07.
    #[error("a SuperRoot preimage has 82 bytes and begins with 07")]
    Bytes,
    /// Another version of the commitment.
    #[error("SuperRoot version {got}, this verifier knows version 5 only")]
    Version {
        /// Version found.
        got: u8,
    },
}

impl SuperRoot {
    /// The preimage: `07 ‖ 05 ‖ log_id ‖ sequence ‖ timestamp ‖ tree_root`.
    #[must_use]
    pub fn encode(&self) -> Vec<u8> {
        [
            &[0x07, VERSION],
            self.log_id.as_ref(),
            &self.sequence.to_be_bytes(),
            &self.timestamp.0.to_be_bytes(),
            self.tree_root.as_ref(),
        ]
        .concat()
    }

    /// Reads a preimage.
    ///
    /// # Errors
    /// [`PreimageError::Version`] for another version, [`PreimageError::Bytes`] for anything else.
    pub fn decode(bytes: &[u8]) -> Result<Self, PreimageError> {
        let mut reader = Reader::new(bytes);
        let (tag, version) = (reader.u8(), reader.u8());
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
                Ok(Self { log_id, sequence, timestamp: UnixSeconds(timestamp), tree_root })
            }
            _ => Err(PreimageError::Bytes),
        }
    }

    /// The SuperRoot hash.
    #[must_use]
    pub fn hash(&self) -> Hash {
        keccak256(&self.encode())
    }
}

/// A family's Mini-MMR: how many sealed twigs, and the root of their range.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MiniMmr {
    /// Twig leaves.
    pub leaf_count: u64,
    /// Root of the range; [`Hash::ZERO`] without leaves.
    pub range_root: Hash,
}

impl MiniMmr {
    /// The Mini-MMR without leaves.
    pub const EMPTY: Self = Self { leaf_count: 0, range_root: Hash::ZERO };

    /// The preimage: `03 ‖ family ‖ leaf_count ‖ range_root`.
    #[must_use]
    pub fn encode(&self, family: Family) -> Vec<u8> {
        let count = self.leaf_count.to_be_bytes();
        [&[0x03, family.byte()], count.as_slice(), self.range_root.as_ref()].concat()
    }

    /// Mini-MMR root, the family's slot.
    #[must_use]
    pub fn root(&self, family: Family) -> Hash {
        keccak256(&self.encode(family))
    }
}

/// A chain's reference: what run of numbers is committed, and its open twig.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BlockReference {
    /// The chain.
    pub chain: ChainKey,
    /// First number of the run: a multiple of 2,048, or the ledger's first number.
    pub start: BlockNumber,
    /// Last number of the run; always a block that exists.
    pub number: BlockNumber,
    /// Hash of that block.
    pub block_hash: Hash,
    /// Root of the open twig.
    pub open_twig_root: Hash,
}

impl BlockReference {
    /// Bytes of a preimage.
    pub const BYTES: usize = 90;

    /// The preimage: `04 ‖ family ‖ chain_id ‖ start ‖ number ‖ block_hash ‖ open_twig_root`.
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
        let mut reader = Reader::new(bytes);
        if reader.u8()? != 0x04 {
            return None;
        }
        let family = Family::try_from(reader.u8()?).ok()?;
        let chain = ChainKey { family, id: ChainId(reader.u64()?) };
        let (start, number) = (BlockNumber(reader.u64()?), BlockNumber(reader.u64()?));
        let (block_hash, open_twig_root) = (reader.hash()?, reader.hash()?);
        let whole = Self { chain, start, number, block_hash, open_twig_root };
        reader.is_empty().then_some(whole)
    }

    /// Hash of the reference, the row's slot.
    #[must_use]
    pub fn hash(&self) -> Hash {
        keccak256(&self.encode())
    }

    /// Index of the open twig; every twig of the chain below it is sealed.
    #[must_use]
    pub const fn open_twig_index(&self) -> u64 {
        BlockNumber(self.number.0.saturating_add(1)).twig_index()
    }

    /// Sealed twigs of the run.
    #[must_use]
    pub const fn sealed_twigs(&self) -> u64 {
        self.open_twig_index().saturating_sub(self.start.twig_index())
    }
}

/// The history a SuperRoot commits to: the SuperRoots before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct History {
    /// Entries; equal to the SuperRoot's own sequence.
    pub leaf_count: u64,
    /// Root of the RFC 6962 log.
    pub log_root: Hash,
}

impl History {
    /// Leaf of an entry: `SHA-256(00 ‖ preimage)`.
    #[must_use]
    pub fn leaf(entry: &SuperRoot) -> Hash {
        sha256_joined(&[&[0x00], &entry.encode()])
    }

    /// The preimage: `05 ‖ leaf_count ‖ log_root`.
    #[must_use]
    pub fn encode(&self) -> Vec<u8> {
        [&[0x05], self.leaf_count.to_be_bytes().as_slice(), self.log_root.as_ref()].concat()
    }

    /// History root, slot 54.
    #[must_use]
    pub fn root(&self) -> Hash {
        keccak256(&self.encode())
    }
}

/// Roots of the Mini-MMRs, by family: slots 0 to 8 of [`build_tree`].
#[must_use]
pub fn mini_mmr_roots(mini_mmrs: &[MiniMmr; 9]) -> [Hash; 9] {
    let mut roots = [Hash::ZERO; 9];
    for ((root, mini_mmr), family) in roots.iter_mut().zip(mini_mmrs).zip(Family::ALL) {
        *root = mini_mmr.root(family);
    }
    roots
}

/// The tree over the 64 slots. `references` come with the number of their row.
#[must_use]
pub fn build_tree(
    mini_mmrs: &[MiniMmr; 9],
    references: &[(usize, BlockReference)],
    history: &History,
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
    for (row, reference) in references.iter().filter(|(row, _)| *row < crate::registry::ROWS_MAX) {
        put(reference_slot(*row), reference.hash());
    }
    put(HISTORY_SLOT, history.root());
    put(REGISTRY_SLOT, registry_root);
    PerfectTree::new(SUPER_ROOT_HEIGHT, slots)
}
