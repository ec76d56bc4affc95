//! Bodies: compressed trees, the source for entry proofs.

use std::sync::{Mutex, PoisonError};

use superroot_proof::ledger::Body;
use zstd::bulk::{Compressor, Decompressor};

use super::StoredRow;
use crate::{StoreError, Table};

/// Largest body before compression, in bytes.
pub const BODY_BYTES_MAX: usize = 256 << 20;

/// Compression level: the first fast zstd level. Bodies are mostly hashes and signatures, so output is 2 to 3 % larger
/// than at level 1, in less time.
const LEVEL: i32 = -1;

/// Compressors and decompressors kept for reuse, per kind: their tables are large, and new memory is slow.
const KEPT_MAX: usize = 4;

static COMPRESSORS: Mutex<Vec<Compressor<'static>>> = Mutex::new(Vec::new());
static DECOMPRESSORS: Mutex<Vec<Decompressor<'static>>> = Mutex::new(Vec::new());

/// Body row: zstd over [`Body::encode`].
///
/// # Errors
/// [`StoreError::ValueLength`] past [`BODY_BYTES_MAX`].
pub(crate) fn encode_body(body: &Body) -> Result<Vec<u8>, StoreError> {
    let refuse = |got| {
        let table = Table::Body;
        let expected = BODY_BYTES_MAX;
        Err(StoreError::ValueLength { table, got, expected })
    };
    let held = body.byte_count();
    if held > BODY_BYTES_MAX {
        return refuse(held); // before it is copied
    }
    let bytes = body.encode();
    if bytes.len() > BODY_BYTES_MAX { refuse(bytes.len()) } else { Ok(compress(&bytes)) }
}

impl StoredRow for Body {
    fn decode(key: &[u8], bytes: &[u8]) -> Result<Self, StoreError> {
        let new = || Decompressor::new().expect("zstd has memory for it");
        // room for what there is, not for the most that there may be
        let length = zstd::zstd_safe::get_frame_content_size(bytes).ok().flatten();
        let length = length.and_then(|length| usize::try_from(length).ok());
        let room = length.unwrap_or(BODY_BYTES_MAX).min(BODY_BYTES_MAX);
        let decompress = |one: &mut Decompressor<'_>| one.decompress(bytes, room).ok();
        let bytes = with_kept(&DECOMPRESSORS, new, decompress);
        let body = bytes.and_then(|bytes| Self::decode(&bytes));
        body.ok_or_else(|| StoreError::corrupt(Table::Body, key, "not a body"))
    }
}

fn compress(bytes: &[u8]) -> Vec<u8> {
    let new = || Compressor::new(LEVEL).expect("zstd has that level, and memory for it");
    with_kept(&COMPRESSORS, new, |compressor| {
        compressor.compress(bytes).expect("zstd compresses what fits in memory")
    })
}

/// Runs with a kept or new tool, and keeps the tool.
fn with_kept<T, U>(
    kept: &Mutex<Vec<T>>,
    new: impl FnOnce() -> T,
    work: impl FnOnce(&mut T) -> U,
) -> U {
    let kept = || kept.lock().unwrap_or_else(PoisonError::into_inner);
    let tool = kept().pop();
    let mut tool = tool.unwrap_or_else(new);
    let done = work(&mut tool);
    let mut kept = kept();
    if kept.len() < KEPT_MAX {
        kept.push(tool);
    }
    done
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use superroot_proof::ledger::bitcoin::BitcoinTransactionTree;
    use superroot_proof::ledger::evm::Tries;
    use superroot_proof::mpt::{OrderedTrie, index_key, verify};

    fn leaves(count: u8, length: usize) -> Vec<Vec<u8>> {
        (0..count).map(|index| vec![index + 1; length]).collect()
    }

    fn tries() -> Tries {
        Tries {
            transactions: Some(OrderedTrie::build(&leaves(40, 110))),
            receipts: Some(OrderedTrie::build(&leaves(40, 400))),
        }
    }

    fn body() -> Body {
        Body::Evm(tries())
    }

    fn read(bytes: &[u8]) -> Result<Body, StoreError> {
        StoredRow::decode(b"", bytes)
    }

    fn compressed(bytes: &[u8]) -> Vec<u8> {
        zstd::bulk::compress(bytes, LEVEL).unwrap()
    }

    #[test]
    fn a_body_read_back_proves_every_entry_and_that_there_is_no_more() {
        let whole = body();
        let read = read(&encode_body(&whole).unwrap()).unwrap();
        assert_eq!(read, whole);
        let Body::Evm(Tries { receipts: Some(receipts), .. }) = read else { panic!("tries") };
        for index in 0..41_u64 {
            let expected = (index < 40).then(|| vec![index as u8 + 1; 400]);
            let nodes = receipts.prove(index).unwrap();
            let proven = verify(&receipts.root(), &index_key(index), &nodes).unwrap();
            assert_eq!(proven, expected.as_deref(), "index {index}");
        }
    }

    #[test]
    fn each_trie_may_be_missing_and_a_tree_may_be_in_their_place() {
        let empty = Some(OrderedTrie::build::<Vec<u8>>(&[]));
        for body in [
            Body::Evm(Tries { transactions: None, ..tries() }),
            Body::Evm(Tries { receipts: None, ..tries() }),
            Body::Evm(Tries { transactions: empty, receipts: None }),
            Body::Bitcoin(BitcoinTransactionTree::build(leaves(7, 90))),
            Body::Bitcoin(BitcoinTransactionTree::build(leaves(0, 1))),
        ] {
            assert_eq!(read(&encode_body(&body).unwrap()).unwrap(), body);
        }
        assert!(
            read(&encode_body(&Body::Evm(Tries::default())).unwrap()).is_err(),
            "no body at all"
        );
    }

    #[test]
    fn a_body_is_smaller_than_its_leaves() {
        let length = encode_body(&body()).unwrap().len();
        assert!(length < 40 * 510, "{length} bytes");
    }

    #[test]
    fn a_body_that_decompresses_past_its_bound_is_refused() {
        let bomb = compressed(&vec![0; BODY_BYTES_MAX + 1]);
        assert!(bomb.len() < 1 << 20);
        assert!(matches!(read(&bomb), Err(StoreError::Corrupt { .. })));
    }

    /// What was written before whole tries had an encoding of their own is read.
    #[test]
    fn a_whole_trie_in_the_order_of_hashes_is_read() {
        let trie = OrderedTrie::build(&leaves(20, 60));
        let mut bytes =
            [&[0, 1][..], &trie.root().0, &(trie.nodes().len() as u32).to_be_bytes()].concat();
        for node in trie.nodes() {
            bytes.extend((node.len() as u32).to_be_bytes());
            bytes.extend(node);
        }
        bytes.push(0);
        let body = Body::Evm(Tries { transactions: Some(trie), receipts: None });
        assert_eq!(read(&compressed(&bytes)).unwrap(), body);
        assert_ne!(body.encode(), bytes);
    }

    #[test]
    fn nodes_out_of_order_or_twice_are_refused() {
        let trie = OrderedTrie::build(&leaves(20, 60));
        let nodes: Vec<&[u8]> = trie.nodes().collect();
        let with = |nodes: &[&[u8]]| {
            let count = (nodes.len() as u32).to_be_bytes();
            let mut bytes = [&[0, 1][..], &trie.root().0, &count].concat();
            for node in nodes {
                bytes.extend((node.len() as u32).to_be_bytes());
                bytes.extend(*node);
            }
            bytes.push(0);
            compressed(&bytes)
        };
        assert!(read(&with(&nodes)).is_ok());
        let mut swapped = nodes.clone();
        swapped.swap(0, 1);
        assert!(read(&with(&swapped)).is_err());
        let twice = [&nodes[..1], &nodes].concat();
        assert!(read(&with(&twice)).is_err());
    }

    #[test]
    fn a_claimed_count_is_refused_when_what_it_counts_is_not_there() {
        let nodes = [&[0, 1][..], &[0; 32], &[0xff; 4]].concat();
        assert!(read(&compressed(&nodes)).is_err());
        assert!(read(&compressed(&[1, 0xff, 0xff, 0xff, 0xff])).is_err());
    }

    #[test]
    fn a_body_of_no_family_is_refused() {
        for family in [9, 10, u8::MAX] {
            assert!(read(&compressed(&[family, 0, 0, 0, 0])).is_err());
        }
    }

    #[test]
    fn a_cut_body_is_refused() {
        for body in [body(), Body::Bitcoin(BitcoinTransactionTree::build(leaves(3, 90)))] {
            let bytes = body.encode();
            for length in 0..bytes.len() {
                assert_eq!(Body::decode(&bytes[..length]), None, "{length} bytes");
            }
            assert_eq!(Body::decode(&[bytes.as_slice(), &[0]].concat()), None);
            let row = encode_body(&body).unwrap();
            assert!(read(&row[..row.len() - 1]).is_err());
        }
    }

    proptest! {
        #[test]
        fn no_bytes_make_a_body_panic(bytes: Vec<u8>, inner: Vec<u8>) {
            let _ = read(&bytes);
            let _ = read(&compressed(&inner));
        }
    }
}
