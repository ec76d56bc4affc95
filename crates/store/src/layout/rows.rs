//! Rows other than bodies.

use superroot_chain::finality::BlockLink;
use superroot_chain::{Extent, FinalityEvidence};
use superroot_proof::perfect::{PerfectTree, empty_root};
use superroot_types::{BlockNumber, ChainId, ChainKey, Hash, TWIG_HEIGHT, TwigIndex, UnixSeconds};

use super::StoredRow;
use crate::codec::{Decoder, Encoder};
use crate::{StoreError, Table};

/// Block number and hash.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BlockTip {
    /// Block number.
    pub number: BlockNumber,
    /// Block hash.
    pub hash: Hash,
}

/// Chain progress.
///
/// ```text
/// start .......... indexed ...... head        checked_to
///   final blocks held  | not final |      examined, without a block past head
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChainState {
    /// First number in the run: a multiple of 2048, or the ledger's first number.
    pub start: BlockNumber,
    /// Newest stored final block.
    pub indexed: Option<BlockTip>,
    /// Newest stored block, final or not; never below `indexed`.
    pub head: Option<BlockTip>,
    /// Stored final blocks.
    pub block_count: u64,
    /// Highest number known to be final and examined, with or without a block.
    pub checked_to: Option<BlockNumber>,
}

/// Stored block entries.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub enum KeptEntries {
    /// All entries in every tree received with the block.
    #[default]
    All,
    /// Entries at these `tx_index`es, ascending, for a block filtered by a watch list.
    Some(Vec<u32>),
}

impl KeptEntries {
    /// Whether the entry at this position is stored, if its tree is.
    #[must_use]
    pub fn holds(&self, tx_index: u32) -> bool {
        match self {
            Self::All => true,
            Self::Some(indexes) => indexes.binary_search(&tx_index).is_ok(),
        }
    }

    /// Returns the union.
    #[must_use]
    pub fn union(&self, other: &Self) -> Self {
        match (self, other) {
            (Self::All, _) | (_, Self::All) => Self::All,
            (Self::Some(one), Self::Some(other)) => {
                let both: std::collections::BTreeSet<u32> =
                    one.iter().chain(other).copied().collect();
                Self::Some(both.into_iter().collect())
            }
        }
    }
}

/// Verified block without its body.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BlockRow {
    /// Block hash.
    pub hash: Hash,
    /// Parent block hash.
    pub parent_hash: Hash,
    /// Time from the block header.
    pub timestamp: UnixSeconds,
    /// Trees stored in `Body`.
    pub extent: Extent,
    /// Entries stored from the trees.
    pub kept: KeptEntries,
    /// Entries in the block, if known from a tree.
    pub tx_count: Option<u32>,
    /// Header bytes as hashed by the ledger.
    pub header: Vec<u8>,
    /// Number of the block whose evidence proves this block final: the same block or a descendant. `None` until final.
    pub agreed: Option<BlockNumber>,
}

/// Sealed twig in its family's Mini-MMR.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MiniMmrLeafRow {
    /// Chain id; the family is in the key.
    pub chain_id: ChainId,
    /// Twig index in its chain.
    pub twig_index: TwigIndex,
    /// Twig root.
    pub twig_root: Hash,
}

/// Sealed twig's inner nodes: with them, a path needs only the blocks below one node, not the whole twig.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TwigNodes(Vec<Hash>);

/// Refused block.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RefusedRow {
    /// Reason.
    pub reason: String,
    /// Source that sent the block.
    pub source: String,
}

impl BlockTip {
    fn write(self, out: &mut Encoder) {
        out.u64(self.number.0).hash(&self.hash);
    }

    fn read(row: &mut Decoder<'_>) -> Option<Self> {
        Some(Self { number: BlockNumber(row.u64()?), hash: row.hash()? })
    }
}

impl ChainState {
    /// State without stored blocks, with a run from `start`.
    #[must_use]
    pub const fn empty(start: BlockNumber) -> Self {
        Self { start, indexed: None, head: None, block_count: 0, checked_to: None }
    }

    /// `start:u64 ‖ indexed ‖ head ‖ block_count:u64 ‖ checked_to`, the tips as options of `number:u64 ‖ hash`.
    pub(crate) fn encode(&self) -> Vec<u8> {
        let mut out = Encoder::new();
        out.u64(self.start.0);
        out.option(self.indexed, |out, tip| tip.write(out));
        out.option(self.head, |out, tip| tip.write(out));
        out.u64(self.block_count);
        out.option(self.checked_to, |out, number| _ = out.u64(number.0)).finish()
    }

    fn read(bytes: &[u8]) -> Option<Self> {
        let mut row = Decoder::new(bytes);
        let state = Self {
            start: BlockNumber(row.u64()?),
            indexed: row.option(BlockTip::read)?,
            head: row.option(BlockTip::read)?,
            block_count: row.u64()?,
            checked_to: row.option(|row| row.u64().map(BlockNumber))?,
        };
        row.finish(state)
    }
}

impl BlockRow {
    /// Whether the block is final.
    #[must_use]
    pub const fn is_final(&self) -> bool {
        self.agreed.is_some()
    }

    /// Returns position, hash and parent.
    #[must_use]
    pub const fn link(&self, chain: ChainKey, number: BlockNumber) -> BlockLink {
        BlockLink { chain, number, hash: self.hash, parent_hash: self.parent_hash }
    }

    /// `hash ‖ parent_hash ‖ timestamp:u64 ‖ transactions:flag ‖ receipts:flag ‖ kept ‖ tx_count ‖ header ‖ agreed`.
    /// Kept is an option of `count:u32 ‖ tx_index:u32*`, rising; agreed one of `number:u64`.
    pub(crate) fn encode(&self) -> Vec<u8> {
        let mut out = Encoder::new();
        out.hash(&self.hash).hash(&self.parent_hash).u64(self.timestamp.0);
        out.flag(self.extent.transactions).flag(self.extent.receipts);
        write_kept(&mut out, &self.kept);
        out.option(self.tx_count, |out, count| _ = out.u32(count)).bytes(&self.header);
        out.option(self.agreed, |out, number| _ = out.u64(number.0)).finish()
    }

    fn read(bytes: &[u8]) -> Option<Self> {
        let mut row = Decoder::new(bytes);
        let block = Self {
            hash: row.hash()?,
            parent_hash: row.hash()?,
            timestamp: UnixSeconds(row.u64()?),
            extent: Extent { transactions: row.flag()?, receipts: row.flag()? },
            kept: read_kept(&mut row)?,
            tx_count: row.option(Decoder::u32)?,
            header: row.bytes()?.to_vec(),
            agreed: row.option(|row| row.u64().map(BlockNumber))?,
        };
        row.finish(block)
    }
}

fn write_kept(out: &mut Encoder, kept: &KeptEntries) {
    let KeptEntries::Some(indexes) = kept else {
        out.flag(false);
        return;
    };
    out.flag(true).u32(u32::try_from(indexes.len()).expect("entries have 32-bit places"));
    for index in indexes {
        out.u32(*index);
    }
}

fn read_kept(row: &mut Decoder<'_>) -> Option<KeptEntries> {
    if !row.flag()? {
        return Some(KeptEntries::All);
    }
    let mut indexes: Vec<u32> = Vec::new(); // grows with what is really there
    for _ in 0..row.u32()? {
        let index = row.u32()?;
        if indexes.last().is_some_and(|last| *last >= index) {
            return None;
        }
        indexes.push(index);
    }
    Some(KeptEntries::Some(indexes))
}

impl StoredRow for FinalityEvidence {
    fn decode(key: &[u8], bytes: &[u8]) -> Result<Self, StoreError> {
        let corrupt = || StoreError::corrupt(Table::Evidence, key, "not evidence");
        Self::decode(bytes).ok_or_else(corrupt)
    }
}

impl MiniMmrLeafRow {
    /// `chain_id:u64 ‖ twig_index:u64 ‖ twig_root`.
    pub(crate) fn encode(&self) -> Vec<u8> {
        let mut out = Encoder::new();
        out.u64(self.chain_id.0).u64(self.twig_index.0).hash(&self.twig_root).finish()
    }

    fn read(bytes: &[u8]) -> Option<Self> {
        let mut row = Decoder::new(bytes);
        let leaf = Self {
            chain_id: ChainId(row.u64()?),
            twig_index: TwigIndex(row.u64()?),
            twig_root: row.hash()?,
        };
        row.finish(leaf)
    }
}

impl TwigNodes {
    /// Node height: each node covers 32 blocks.
    pub const HEIGHT: usize = 5;
    const COUNT: usize = 1 << (TWIG_HEIGHT - Self::HEIGHT);

    /// Returns a twig tree's nodes; `None` for an empty tree.
    #[must_use]
    pub fn of(twig: &PerfectTree) -> Option<Self> {
        (!twig.is_empty()).then(|| Self(twig.level(Self::HEIGHT)))
    }

    /// Returns the tree above the nodes.
    #[must_use]
    pub fn tree(self) -> PerfectTree {
        PerfectTree::new(TWIG_HEIGHT - Self::HEIGHT, self.0)
    }

    /// `mask:u64 ‖ nodes`: mask bit `k` is set if node `k` covers any block; those nodes follow, ascending.
    pub(crate) fn encode(&self) -> Vec<u8> {
        let empty = empty_root(Self::HEIGHT);
        let held = || self.0.iter().enumerate().filter(|(_, node)| **node != empty);
        let mut out = Encoder::new();
        out.u64(held().fold(0, |mask, (at, _)| mask | (1 << at)));
        held().for_each(|(_, node)| _ = out.hash(node));
        out.finish()
    }

    fn read(bytes: &[u8]) -> Option<Self> {
        let mut row = Decoder::new(bytes);
        let mask = row.u64()?;
        let node =
            |at| if mask >> at & 1 == 1 { row.hash() } else { Some(empty_root(Self::HEIGHT)) };
        let nodes = (0..Self::COUNT).map(node).collect::<Option<_>>()?;
        row.finish(Self(nodes))
    }
}

impl RefusedRow {
    /// `reason ‖ source`, texts.
    pub(crate) fn encode(&self) -> Vec<u8> {
        Encoder::new().bytes(self.reason.as_bytes()).bytes(self.source.as_bytes()).finish()
    }

    fn read(bytes: &[u8]) -> Option<Self> {
        let mut row = Decoder::new(bytes);
        let refused = Self { reason: row.text()?, source: row.text()? };
        row.finish(refused)
    }
}

stored!(
    ChainState in ChainState,
    BlockRow in Block,
    MiniMmrLeafRow in MiniMmrLeaf,
    TwigNodes in MiniMmrLeaf,
    RefusedRow in Refused
);

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn tip() -> impl Strategy<Value = BlockTip> {
        any::<(u64, [u8; 32])>()
            .prop_map(|(number, hash)| BlockTip { number: BlockNumber(number), hash: Hash(hash) })
    }

    fn chain_state() -> impl Strategy<Value = ChainState> {
        let tips = (proptest::option::of(tip()), proptest::option::of(tip()));
        (any::<(u64, u64, Option<u64>)>(), tips).prop_map(|((start, block_count, to), tips)| {
            let (indexed, head) = tips;
            let checked_to = to.map(BlockNumber);
            ChainState { start: BlockNumber(start), indexed, head, block_count, checked_to }
        })
    }

    fn block_row() -> impl Strategy<Value = BlockRow> {
        let fixed = any::<([u8; 32], [u8; 32], u64, bool, bool, Option<u32>, Vec<u8>)>();
        let kept = any::<Option<std::collections::BTreeSet<u32>>>();
        (fixed, kept, any::<Option<u64>>()).prop_map(|(fixed, kept, agreed)| {
            let (hash, parent_hash, timestamp, transactions, receipts, tx_count, header) = fixed;
            BlockRow {
                hash: Hash(hash),
                parent_hash: Hash(parent_hash),
                timestamp: UnixSeconds(timestamp),
                extent: Extent { transactions, receipts },
                kept: kept
                    .map_or(KeptEntries::All, |kept| KeptEntries::Some(kept.into_iter().collect())),
                tx_count,
                header,
                agreed: agreed.map(BlockNumber),
            }
        })
    }

    fn leaf_row() -> impl Strategy<Value = MiniMmrLeafRow> {
        any::<(u64, u64, [u8; 32])>().prop_map(|(chain_id, twig_index, twig_root)| MiniMmrLeafRow {
            chain_id: ChainId(chain_id),
            twig_index: TwigIndex(twig_index),
            twig_root: Hash(twig_root),
        })
    }

    fn refused_row() -> impl Strategy<Value = RefusedRow> {
        any::<(String, String)>().prop_map(|(reason, source)| RefusedRow { reason, source })
    }

    /// Read back, cut anywhere, made longer, and with one byte changed: never another row of the
    /// same bytes.
    fn holds<R: StoredRow + PartialEq + std::fmt::Debug>(
        row: &R,
        encode: impl Fn(&R) -> Vec<u8>,
        at: &prop::sample::Index,
        byte: u8,
    ) -> Result<(), TestCaseError> {
        let mut bytes = encode(row);
        prop_assert_eq!(&R::decode(b"k", &bytes).unwrap(), row);
        let cut = &bytes[..at.index(bytes.len())];
        let error = R::decode(b"k", cut).unwrap_err();
        let named = matches!(&error, StoreError::Corrupt { key, .. } if key == b"k");
        prop_assert!(named, "{}", error);
        prop_assert!(R::decode(b"k", &[bytes.as_slice(), &[0]].concat()).is_err());
        let at = at.index(bytes.len());
        bytes[at] = byte;
        if let Ok(read) = R::decode(b"k", &bytes) {
            prop_assert_eq!(encode(&read), bytes);
        }
        Ok(())
    }

    proptest! {
        #[test]
        fn rows_lead_back_and_have_one_encoding(
            state in chain_state(),
            block in block_row(),
            leaf in leaf_row(),
            refused in refused_row(),
            at: prop::sample::Index,
            byte: u8,
        ) {
            holds(&state, ChainState::encode, &at, byte)?;
            holds(&block, BlockRow::encode, &at, byte)?;
            holds(&leaf, MiniMmrLeafRow::encode, &at, byte)?;
            holds(&refused, RefusedRow::encode, &at, byte)?;
        }

        #[test]
        fn no_bytes_make_a_decoder_panic(bytes: Vec<u8>) {
            let _ = ChainState::decode(b"", &bytes);
            let _ = BlockRow::decode(b"", &bytes);
            let _ = MiniMmrLeafRow::decode(b"", &bytes);
            let _ = RefusedRow::decode(b"", &bytes);
        }
    }

    /// The bytes are pinned: a change of them is a new layout.
    #[test]
    fn a_block_row_has_the_documented_bytes() {
        let row = BlockRow {
            hash: Hash([1; 32]),
            parent_hash: Hash([2; 32]),
            timestamp: UnixSeconds(3),
            extent: Extent { transactions: true, receipts: false },
            kept: KeptEntries::Some(vec![7, 9]),
            tx_count: Some(4),
            header: vec![5, 6],
            agreed: Some(BlockNumber(8)),
        };
        let expected = [
            &[1; 32][..],
            &[2; 32],
            &[0, 0, 0, 0, 0, 0, 0, 3],
            &[1, 0],
            &[1, 0, 0, 0, 2, 0, 0, 0, 7, 0, 0, 0, 9],
            &[1, 0, 0, 0, 4],
            &[0, 0, 0, 2, 5, 6],
            &[1, 0, 0, 0, 0, 0, 0, 0, 8],
        ];
        assert_eq!(row.encode(), expected.concat());
    }

    #[test]
    fn kept_entries_out_of_order_or_twice_are_refused() {
        for indexes in [&[1_u32, 1][..], &[2, 1]] {
            let mut out = Encoder::new();
            out.flag(true).u32(2);
            indexes.iter().for_each(|index| _ = out.u32(*index));
            assert_eq!(read_kept(&mut Decoder::new(&out.finish())), None, "{indexes:?}");
        }
    }

    #[test]
    fn what_is_kept_together_is_kept_of_each() {
        let some = |indexes: &[u32]| KeptEntries::Some(indexes.to_vec());
        assert_eq!(some(&[1, 4]).union(&some(&[2, 4])), some(&[1, 2, 4]));
        assert_eq!(some(&[]).union(&KeptEntries::All), KeptEntries::All);
        assert!(some(&[1, 4]).holds(4) && !some(&[1, 4]).holds(2) && KeptEntries::All.holds(7));
    }
}
