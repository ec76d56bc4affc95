//! Bodies: the trie nodes, or transactions, out of which proofs of entries are made.

use std::sync::{Mutex, PoisonError};

use superroot_proof::ledger::bitcoin::TransactionTree;
use superroot_proof::mpt::OrderedTrie;
use superroot_types::Hash;
use zstd::bulk::Compressor;

use super::StoredRow;
use crate::codec::{Decoder, Encoder};
use crate::{StoreError, Table};

/// Largest body before compression, in bytes.
pub const BODY_BYTES_MAX: usize = 256 << 20;

/// Compression level: the first of zstd's fast ones. Most of a body is hashes and signatures, so it
/// takes 2 to 3 % more bytes than at level 1, in less time.
const LEVEL: i32 = -1;

/// Compressors kept for the next body: their tables are large, and new memory is slow.
const COMPRESSORS_MAX: usize = 4;

static COMPRESSORS: Mutex<Vec<Compressor<'static>>> = Mutex::new(Vec::new());

/// The tries of a block whose leaves were given: every hashed node once. Of a block of the Bitcoin
/// family the transactions themselves, from which their tree is made anew.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct BodyRow {
    /// Trie of the transactions.
    pub transactions: Option<OrderedTrie>,
    /// Trie of the receipts.
    pub receipts: Option<OrderedTrie>,
    /// Transactions of a block of the Bitcoin family.
    pub tree: Option<TransactionTree>,
}

impl BodyRow {
    /// Whether there is no tree at all; such a body is not stored.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.transactions.is_none() && self.receipts.is_none() && self.tree.is_none()
    }

    /// The row of these tries of transactions and of receipts, or of this tree.
    ///
    /// zstd over `transactions ‖ receipts ‖ tree`: two options of `root ‖ count:u32 ‖ node*`, nodes in
    /// the order of their hashes, and an option of `count:u32 ‖ leaf*`.
    ///
    /// # Errors
    /// [`StoreError::ValueLength`] past [`BODY_BYTES_MAX`].
    pub(crate) fn encode_parts(
        tries: [Option<&OrderedTrie>; 2],
        tree: Option<&TransactionTree>,
    ) -> Result<Vec<u8>, StoreError> {
        let nodes = tries.into_iter().flatten().flat_map(OrderedTrie::nodes);
        let leaves = tree.into_iter().flat_map(TransactionTree::leaves).map(Vec::as_slice);
        let got = nodes.chain(leaves).map(|node| node.len() + 4).sum::<usize>() + 2 * 37 + 5;
        if got > BODY_BYTES_MAX {
            let (table, expected) = (Table::Body, BODY_BYTES_MAX);
            return Err(StoreError::ValueLength { table, got, expected });
        }
        let mut out = Encoder::with_capacity(got);
        for trie in tries {
            out.option(trie, write_trie);
        }
        out.option(tree, write_tree);
        let bytes = out.finish();
        Ok(compress(&bytes))
    }

    fn read(bytes: &[u8]) -> Option<Self> {
        let bytes = zstd::bulk::decompress(bytes, BODY_BYTES_MAX).ok()?;
        let mut row = Decoder::new(&bytes);
        let (transactions, receipts) = (row.option(read_trie)?, row.option(read_trie)?);
        let body = Self { transactions, receipts, tree: row.option(read_tree)? };
        row.finish(body)
    }
}

impl StoredRow for BodyRow {
    fn decode(key: &[u8], bytes: &[u8]) -> Result<Self, StoreError> {
        Self::read(bytes).ok_or_else(|| StoreError::corrupt(Table::Body, key, "not a body"))
    }
}

fn compress(bytes: &[u8]) -> Vec<u8> {
    let kept = || COMPRESSORS.lock().unwrap_or_else(PoisonError::into_inner);
    let compressor = kept().pop();
    let mut compressor = compressor
        .unwrap_or_else(|| Compressor::new(LEVEL).expect("zstd has that level, and memory for it"));
    let compressed = compressor.compress(bytes).expect("zstd compresses what fits in memory");
    let mut kept = kept();
    if kept.len() < COMPRESSORS_MAX {
        kept.push(compressor);
    }
    compressed
}

fn write_trie(out: &mut Encoder, trie: &OrderedTrie) {
    let count = u32::try_from(trie.nodes().count()).expect("fewer nodes than bytes in a body");
    out.hash(&trie.root()).u32(count);
    for node in trie.nodes() {
        out.bytes(node);
    }
}

/// Nodes must come in the order of their hashes, so that one trie has one encoding.
fn read_trie(row: &mut Decoder<'_>) -> Option<OrderedTrie> {
    let (root, count): (Hash, u32) = (row.hash()?, row.u32()?);
    let mut nodes = Vec::new(); // grows with what is really there, not with what is claimed
    for _ in 0..count {
        nodes.push(row.bytes()?.to_vec());
    }
    let trie = OrderedTrie::from_nodes(root, nodes.iter().cloned());
    trie.nodes().eq(nodes.iter().map(Vec::as_slice)).then_some(trie)
}

fn write_tree(out: &mut Encoder, tree: &TransactionTree) {
    out.u32(u32::try_from(tree.leaves().len()).expect("fewer leaves than bytes in a body"));
    for leaf in tree.leaves() {
        out.bytes(leaf);
    }
}

fn read_tree(row: &mut Decoder<'_>) -> Option<TransactionTree> {
    let count = row.u32()?;
    let mut leaves = Vec::new(); // grows with what is really there, not with what is claimed
    for _ in 0..count {
        leaves.push(row.bytes()?.to_vec());
    }
    Some(TransactionTree::build(leaves))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use superroot_proof::mpt::{index_key, verify};

    fn leaves(count: u8, length: usize) -> Vec<Vec<u8>> {
        (0..count).map(|index| vec![index + 1; length]).collect()
    }

    impl BodyRow {
        fn encode(&self) -> Result<Vec<u8>, StoreError> {
            let tries = [self.transactions.as_ref(), self.receipts.as_ref()];
            Self::encode_parts(tries, self.tree.as_ref())
        }
    }

    fn body() -> BodyRow {
        BodyRow {
            transactions: Some(OrderedTrie::build(&leaves(40, 110))),
            receipts: Some(OrderedTrie::build(&leaves(40, 400))),
            tree: None,
        }
    }

    fn compressed(fill: impl FnOnce(&mut Encoder)) -> Vec<u8> {
        let mut out = Encoder::new();
        fill(&mut out);
        zstd::bulk::compress(&out.finish(), LEVEL).unwrap()
    }

    #[test]
    fn a_body_read_back_proves_every_entry_and_that_there_is_no_more() {
        let whole = body();
        let read = BodyRow::decode(b"", &whole.encode().unwrap()).unwrap();
        assert_eq!(read, whole);
        let receipts = read.receipts.unwrap();
        for index in 0..41_u64 {
            let expected = (index < 40).then(|| vec![index as u8 + 1; 400]);
            let nodes = receipts.prove(index).unwrap();
            let proven = verify(&receipts.root(), &index_key(index), &nodes).unwrap();
            assert_eq!(proven, expected.as_deref(), "index {index}");
        }
    }

    #[test]
    fn each_trie_may_be_missing() {
        let whole = body();
        for body in [
            BodyRow { transactions: None, ..whole.clone() },
            BodyRow { receipts: None, ..whole.clone() },
            BodyRow {
                transactions: Some(OrderedTrie::build::<Vec<u8>>(&[])),
                ..BodyRow::default()
            },
            BodyRow { tree: Some(TransactionTree::build(leaves(7, 90))), ..BodyRow::default() },
            BodyRow { tree: Some(TransactionTree::build(leaves(0, 1))), ..whole.clone() },
            BodyRow::default(),
        ] {
            assert_eq!(BodyRow::decode(b"", &body.encode().unwrap()).unwrap(), body);
        }
        assert!(BodyRow::default().is_empty() && !body().is_empty());
    }

    #[test]
    fn a_body_is_smaller_than_its_leaves() {
        let length = body().encode().unwrap().len();
        assert!(length < 40 * 510, "{length} bytes");
    }

    #[test]
    fn a_body_that_decompresses_past_its_bound_is_refused() {
        let bomb = zstd::bulk::compress(&vec![0; BODY_BYTES_MAX + 1], LEVEL).unwrap();
        assert!(bomb.len() < 1 << 20);
        assert!(matches!(BodyRow::decode(b"k", &bomb), Err(StoreError::Corrupt { .. })));
    }

    #[test]
    fn nodes_out_of_order_or_twice_are_refused() {
        let trie = OrderedTrie::build(&leaves(20, 60));
        let nodes: Vec<&[u8]> = trie.nodes().collect();
        let with = |nodes: &[&[u8]]| {
            compressed(|out| {
                out.flag(true).hash(&trie.root()).u32(nodes.len() as u32);
                for node in nodes {
                    out.bytes(node);
                }
                out.flag(false).flag(false);
            })
        };
        assert!(BodyRow::decode(b"", &with(&nodes)).is_ok());
        let mut swapped = nodes.clone();
        swapped.swap(0, 1);
        assert!(BodyRow::decode(b"", &with(&swapped)).is_err());
        let twice = [&nodes[..1], &nodes].concat();
        assert!(BodyRow::decode(b"", &with(&twice)).is_err());
    }

    #[test]
    fn a_claimed_count_of_nodes_is_refused_when_they_are_not_there() {
        let claim = compressed(|out| _ = out.flag(true).hash(&Hash::ZERO).u32(u32::MAX));
        assert!(BodyRow::decode(b"", &claim).is_err());
        let claim = compressed(|out| _ = out.flag(false).flag(false).flag(true).u32(u32::MAX));
        assert!(BodyRow::decode(b"", &claim).is_err());
    }

    #[test]
    fn a_cut_body_is_refused() {
        let bytes = body().encode().unwrap();
        for length in 0..bytes.len() {
            assert!(BodyRow::decode(b"", &bytes[..length]).is_err(), "{length} bytes");
        }
    }

    proptest! {
        #[test]
        fn no_bytes_make_a_body_panic(bytes: Vec<u8>, inner: Vec<u8>) {
            let _ = BodyRow::decode(b"", &bytes);
            let _ = BodyRow::decode(b"", &compressed(|out| _ = out.raw(&inner)));
        }
    }
}
