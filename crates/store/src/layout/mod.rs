//! Table layout: keys and rows. Integers are big-endian, so byte order is numeric order.
//!
//! `chain` is `family:u8 ‖ chain_id:u64`.
//!
//! | table | key | value |
//! |---|---|---|
//! | `ChainState` | `chain` | [`ChainState`] |
//! | `Block` | `chain ‖ number:u64` | [`BlockRow`] |
//! | `Body` | `chain ‖ number:u64` | [`Body`](superroot_proof::ledger::Body), compressed |
//! | `Transaction` | `chain ‖ hash[..12] ‖ number:u64 ‖ tx_index:u32` | empty |
//! | `MiniMmrNode` | `family:u8 ‖ height:u8 ‖ index:u64` | hash |
//! | `MiniMmrLeaf` | `00 ‖ family:u8 ‖ leaf_index:u64` | [`MiniMmrLeafRow`] |
//! | `MiniMmrLeaf` | `01 ‖ chain ‖ twig_index:u64` | `leaf_index:u64` |
//! | `MiniMmrLeaf` | `02 ‖ chain ‖ twig_index:u64` | [`TwigNodes`]; none of an empty twig |
//! | `HistoryNode` | `height:u8 ‖ index:u64` | hash |
//! | `SuperRoot` | `sequence:u64` | bytes of its maker |
//! | `SuperRootByHash` | `super_root_hash:32` | `sequence:u64` |
//! | `Registry` | `registry_root:32` | bytes of its maker |
//! | `Refused` | `chain ‖ number:u64` | [`RefusedRow`] |
//! | `Coverage` | `chain ‖ from:u64` | [`CoverageRow`] |
//! | `Retraction` | `chain ‖ number:u64 ‖ other_hash:32` | [`RetractionRow`] |
//! | `Halt` | `00 ‖ chain` | [`HaltRow`] |
//! | `Halt` | `01 ‖ chain` | [`ContestRow`] |
//! | `Backfill` | `chain` | [`BackfillRow`] |
//! | `Watch` | `00 ‖ watch_hash:32` | [`WatchFilter`] |
//! | `Watch` | `01 ‖ chain` | `watch_hash:32` |
//! | `Evidence` | `chain ‖ number:u64` of the block agreed on | bytes of [`superroot_chain::FinalityEvidence`] |
//! | `Feed` | `00 ‖ chain ‖ row:u64` | [`FeedRow`](crate::feed::FeedRow) |
//! | `Feed` | `01 ‖ sequence:u64` | `super_root_hash:32` |
//! | `Stage` | `length:u8 ‖ name ‖ feed`, feed as the first of `Feed`: `00 ‖ chain` or `01` | its place |
//! | `Event`, `EventPlace`, `Bloom` | what is derived to be searched: `superroot_index` | |
//! | `Stream` | what happened, in one line: `superroot_stream` | |
//! | `Meta` | free text | bytes of its user |
//!
//! Any change to these bytes requires a new [`crate::LAYOUT`].

/// Decodes each row by its own `read`; any failure is a corrupt row.
macro_rules! stored {
    ($($row:ident in $table:ident),*) => {$(
        impl StoredRow for $row {
            fn decode(key: &[u8], bytes: &[u8]) -> Result<Self, StoreError> {
                let why = concat!("not a row of ", stringify!($row));
                Self::read(bytes).ok_or_else(|| StoreError::corrupt(Table::$table, key, why))
            }
        }
    )*};
}

mod body;
mod live;
mod rows;
mod watch;

pub use body::BODY_BYTES_MAX;
pub(crate) use body::encode_body;
pub use live::{BackfillRow, ContestRow, CoverageRow, HaltRow, HeaderWhy, HeldRun, RetractionRow};
pub use rows::{
    BlockRow, BlockTip, ChainState, KeptEntries, MiniMmrLeafRow, RefusedRow, TwigNodes,
};
pub use watch::{ParseWatchError, WatchFilter};

use superroot_types::{
    BlockNumber, ChainId, ChainKey, Family, Hash, LeafIndex, Sequence, TwigIndex,
};

use crate::StoreError;

/// Transaction hash bytes in the index. Hashes that agree in all these bytes are both found; the caller compares the
/// transactions.
pub const TRANSACTION_PREFIX_BYTES: usize = 12;

/// First `MiniMmrLeaf` key byte: a leaf row, the index from a twig, and a twig's nodes.
const BY_LEAF: u8 = 0;
const BY_TWIG: u8 = 1;
const OF_TWIG: u8 = 2;

/// First `Watch` key byte: a watch list, and a chain's current list.
const BY_HASH: u8 = 0;
const BY_CHAIN: u8 = 1;

/// First `Halt` key byte: a halt, and a contest.
const OF_HALT: u8 = 0;
const OF_CONTEST: u8 = 1;

/// First `Feed` key byte: a chain row, and a publication.
const OF_CHAIN: u8 = 0;
const OF_PUBLICATIONS: u8 = 1;

/// Feed name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Feed {
    /// Changes to one chain.
    Chain(ChainKey),
    /// Publications.
    Publications,
}

/// Table row value.
pub trait StoredRow: Sized {
    /// Decodes a row written by [`crate::write`].
    ///
    /// # Errors
    /// [`StoreError::Corrupt`] with the table and `key`, unless the bytes are one whole canonical row.
    fn decode(key: &[u8], bytes: &[u8]) -> Result<Self, StoreError>;
}

/// Chain prefix, `chain`, in every chain key.
#[must_use]
pub fn chain_key(chain: ChainKey) -> [u8; 9] {
    joined(&[&[chain.family.byte()], &chain.id.0.to_be_bytes()])
}

/// Halt key.
#[must_use]
pub fn halt_key(chain: ChainKey) -> [u8; 10] {
    joined(&[&[OF_HALT], &chain_key(chain)])
}

/// Prefix for all halt keys.
pub(crate) const HALT_PREFIX: [u8; 1] = [OF_HALT];

/// Returns the chain in a halt key.
#[must_use]
pub(crate) fn decode_halt_key(key: &[u8]) -> Option<ChainKey> {
    let [OF_HALT, family, id @ ..] = key else { return None };
    let id = ChainId(u64::from_be_bytes(id.try_into().ok()?));
    Some(ChainKey { family: Family::try_from(*family).ok()?, id })
}

/// Contest key.
#[must_use]
pub fn contest_key(chain: ChainKey) -> [u8; 10] {
    joined(&[&[OF_CONTEST], &chain_key(chain)])
}

/// Watch list key.
#[must_use]
pub fn watch_key(hash: &Hash) -> [u8; 33] {
    joined(&[&[BY_HASH], &hash.0])
}

/// Key for the current watch list hash.
#[must_use]
pub fn chain_watch_key(chain: ChainKey) -> [u8; 10] {
    joined(&[&[BY_CHAIN], &chain_key(chain)])
}

/// Block key in `Block`, `Body`, `Refused` and `Evidence`, and run key in `Coverage`.
#[must_use]
pub fn block_key(chain: ChainKey, number: BlockNumber) -> [u8; 17] {
    joined(&[&chain_key(chain), &number.0.to_be_bytes()])
}

/// Key of a set of signers, by its number on its chain.
#[must_use]
pub fn set_key(chain: ChainKey, set: u64) -> [u8; 17] {
    joined(&[&chain_key(chain), &set.to_be_bytes()])
}

/// Retraction key; one number may have several.
#[must_use]
pub fn retraction_key(chain: ChainKey, number: BlockNumber, other_hash: &Hash) -> [u8; 49] {
    joined(&[&block_key(chain, number), &other_hash.0])
}

/// Returns chain and number in a block key.
#[must_use]
pub fn decode_block_key(key: &[u8]) -> Option<(ChainKey, BlockNumber)> {
    let (family, rest) = key.split_first()?;
    let family = Family::try_from(*family).ok()?;
    let (id, number) = rest.split_first_chunk()?;
    let chain = ChainKey { family, id: ChainId(u64::from_be_bytes(*id)) };
    Some((chain, BlockNumber(u64::from_be_bytes(number.try_into().ok()?))))
}

/// Key prefix for all transactions with this hash.
#[must_use]
pub fn transaction_prefix(chain: ChainKey, hash: &Hash) -> [u8; 21] {
    joined(&[&chain_key(chain), &hash.0[..TRANSACTION_PREFIX_BYTES]])
}

/// Transaction place key.
#[must_use]
pub fn transaction_key(
    chain: ChainKey,
    hash: &Hash,
    number: BlockNumber,
    tx_index: u32,
) -> [u8; 33] {
    let prefix = transaction_prefix(chain, hash);
    joined(&[&prefix, &number.0.to_be_bytes(), &tx_index.to_be_bytes()])
}

/// Returns number and `tx_index` in a transaction key.
#[must_use]
pub fn decode_transaction_key(key: &[u8]) -> Option<(BlockNumber, u32)> {
    let place: &[u8; 12] = key.get(21..)?.try_into().ok()?;
    let (number, tx_index) = place.split_first_chunk()?;
    let tx_index = u32::from_be_bytes(tx_index.try_into().ok()?);
    Some((BlockNumber(u64::from_be_bytes(*number)), tx_index))
}

/// Key for a family's Mini-MMR node; height 0 is the leaf hashes.
#[must_use]
pub fn mini_mmr_node_key(family: Family, height: u8, index: u64) -> [u8; 10] {
    joined(&[&[family.byte(), height], &index.to_be_bytes()])
}

/// Leaf row key.
#[must_use]
pub fn mini_mmr_leaf_key(family: Family, leaf_index: LeafIndex) -> [u8; 10] {
    joined(&[&[BY_LEAF, family.byte()], &leaf_index.0.to_be_bytes()])
}

/// Key for the index from a twig to its leaf.
#[must_use]
pub fn twig_key(chain: ChainKey, twig_index: TwigIndex) -> [u8; 18] {
    joined(&[&[BY_TWIG], &chain_key(chain), &twig_index.0.to_be_bytes()])
}

/// Key for a sealed twig's nodes.
#[must_use]
pub fn twig_nodes_key(chain: ChainKey, twig_index: TwigIndex) -> [u8; 18] {
    joined(&[&[OF_TWIG], &chain_key(chain), &twig_index.0.to_be_bytes()])
}

/// History log node key.
#[must_use]
pub fn history_node_key(height: u8, index: u64) -> [u8; 9] {
    joined(&[&[height], &index.to_be_bytes()])
}

/// Prefix for a chain's feed keys.
#[must_use]
pub fn feed_prefix(chain: ChainKey) -> [u8; 10] {
    joined(&[&[OF_CHAIN], &chain_key(chain)])
}

/// Chain feed row key.
#[must_use]
pub fn feed_key(chain: ChainKey, row: u64) -> [u8; 18] {
    joined(&[&feed_prefix(chain), &row.to_be_bytes()])
}

/// Publication key.
#[must_use]
pub fn publication_key(sequence: Sequence) -> [u8; 9] {
    joined(&[&[OF_PUBLICATIONS], &sequence.0.to_be_bytes()])
}

/// Key for a stage's position on a feed.
#[must_use]
pub fn stage_key(name: &str, feed: Feed) -> Vec<u8> {
    let length = u8::try_from(name.len()).unwrap_or(u8::MAX);
    let feed = match feed {
        Feed::Chain(chain) => feed_prefix(chain).to_vec(),
        Feed::Publications => vec![OF_PUBLICATIONS],
    };
    [&[length], name.as_bytes(), &feed].concat()
}

/// Returns the first key after all keys with `prefix`; `None` if none exists.
#[must_use]
pub fn end_of_prefix(prefix: &[u8]) -> Option<Vec<u8>> {
    let last = prefix.iter().rposition(|byte| *byte != 0xff)?;
    let mut end = prefix[..=last].to_vec();
    end[last] += 1;
    Some(end)
}

/// Concatenates the parts; `N` must equal the total length.
fn joined<const N: usize>(parts: &[&[u8]]) -> [u8; N] {
    let mut whole = [0; N];
    let mut at = 0;
    for part in parts {
        whole[at..at + part.len()].copy_from_slice(part);
        at += part.len();
    }
    debug_assert_eq!(at, N);
    whole
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn chain(family: u8, id: u64) -> ChainKey {
        ChainKey { family: Family::try_from(family).unwrap(), id: ChainId(id) }
    }

    /// The bytes of every key, as the table in the module's documentation says.
    #[test]
    fn keys_have_the_documented_bytes() {
        let chain = chain(8, 0x0102);
        let hash = Hash(std::array::from_fn(|place| 0xa0 + place as u8));
        let hex = |key: &[u8]| key.iter().map(|byte| format!("{byte:02x}")).collect::<String>();
        let number = BlockNumber(0x0304);
        assert_eq!(hex(&chain_key(chain)), "080000000000000102");
        assert_eq!(hex(&block_key(chain, number)), "0800000000000001020000000000000304");
        assert_eq!(
            hex(&transaction_key(chain, &hash, number, 5)),
            "080000000000000102a0a1a2a3a4a5a6a7a8a9aaab000000000000030400000005"
        );
        assert_eq!(hex(&mini_mmr_node_key(Family::Solana, 3, 4)), "02030000000000000004");
        assert_eq!(hex(&mini_mmr_leaf_key(Family::Solana, LeafIndex(4))), "00020000000000000004");
        assert_eq!(hex(&twig_key(chain, TwigIndex(6))), "010800000000000001020000000000000006");
        assert_eq!(hex(&chain_watch_key(chain)), "01080000000000000102");
        assert_eq!(hex(&watch_key(&hash))[..10], *"00a0a1a2a3");
        assert_eq!(hex(&history_node_key(2, 7)), "020000000000000007");
    }

    #[test]
    fn the_end_of_a_prefix_is_the_next_key_without_it() {
        assert_eq!(end_of_prefix(&[1, 2]), Some(vec![1, 3]));
        assert_eq!(end_of_prefix(&[1, 0xff, 0xff]), Some(vec![2]));
        assert_eq!(end_of_prefix(&[0xff]), None);
        assert_eq!(end_of_prefix(&[]), None);
    }

    #[test]
    fn keys_of_another_length_or_family_are_not_read() {
        let key = block_key(chain(1, 2), BlockNumber(3));
        assert_eq!(decode_block_key(&key), Some((chain(1, 2), BlockNumber(3))));
        assert_eq!(decode_block_key(&key[..16]), None);
        assert_eq!(decode_block_key(&[key.as_slice(), &[0]].concat()), None);
        assert_eq!(decode_block_key(&[&[9], &key[1..]].concat()), None);
        let key = transaction_key(chain(1, 2), &Hash::ZERO, BlockNumber(3), 4);
        assert_eq!(decode_transaction_key(&key), Some((BlockNumber(3), 4)));
        assert_eq!(decode_transaction_key(&key[..32]), None);
        assert_eq!(decode_transaction_key(&[key.as_slice(), &[0]].concat()), None);
    }

    proptest! {
        #[test]
        fn the_order_of_keys_is_that_of_chains_and_numbers(
            one in (0..9_u8, any::<u64>(), any::<u64>()),
            other in (0..9_u8, any::<u64>(), any::<u64>()),
        ) {
            let key = |(family, id, number)| block_key(chain(family, id), BlockNumber(number));
            prop_assert_eq!(key(one).cmp(&key(other)), one.cmp(&other));
        }

        #[test]
        fn keys_are_within_their_prefix(
            family in 0..9_u8,
            id: u64,
            hash: [u8; 32],
            number: u64,
            tx_index: u32,
        ) {
            let (chain, hash, number) = (chain(family, id), Hash(hash), BlockNumber(number));
            let key = transaction_key(chain, &hash, number, tx_index);
            let prefix = transaction_prefix(chain, &hash);
            prop_assert!(key.starts_with(&prefix) && key.starts_with(&chain_key(chain)));
            prop_assert!(end_of_prefix(&prefix).is_none_or(|end| key.as_slice() < end.as_slice()));
            prop_assert_eq!(decode_transaction_key(&key), Some((number, tx_index)));
            prop_assert_eq!(decode_block_key(&block_key(chain, number)), Some((chain, number)));
        }
    }
}
