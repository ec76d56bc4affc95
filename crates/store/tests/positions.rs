//! Laws of positions in keys: every integer is a place of its own, in rising order.

use std::collections::BTreeSet;

use proptest::prelude::*;
use superroot_store::feed::{load_publications, put_publication};
use superroot_store::layout::{MiniMmrLeafRow, mini_mmr_leaf_key, publication_key, twig_key};
use superroot_store::{MemoryStore, Store, StoreError, WriteBatch, read, write};
use superroot_types::{ChainId, ChainKey, Family, Hash, LeafIndex, LogSize, Sequence, TwigIndex};

const CHAIN: ChainKey = ChainKey { family: Family::Evm, id: ChainId(1) };

/// Integers of every size, more of them next to 0, 2^53 and 2^64.
fn integer() -> impl Strategy<Value = u64> {
    let edges = prop::sample::select(vec![0, 1, (1 << 53) - 1, 1 << 53, u64::MAX - 1, u64::MAX]);
    prop_oneof![edges, any::<u64>(), 0_u64..4_096]
}

fn written(put: impl FnOnce(&mut WriteBatch)) -> MemoryStore {
    let store = MemoryStore::new();
    let mut batch = WriteBatch::new();
    put(&mut batch);
    store.commit(batch).unwrap();
    store
}

proptest! {
    #[test]
    fn keys_have_the_order_of_their_positions(one in integer(), other in integer()) {
        let order = one.cmp(&other);
        let leaf = |index| mini_mmr_leaf_key(Family::Evm, LeafIndex(index));
        let twig = |index| twig_key(CHAIN, TwigIndex(index));
        let publication = |sequence| publication_key(Sequence(sequence));
        prop_assert_eq!(leaf(one).cmp(&leaf(other)), order);
        prop_assert_eq!(twig(one).cmp(&twig(other)), order);
        prop_assert_eq!(publication(one).cmp(&publication(other)), order);
    }

    #[test]
    fn a_leaf_is_found_by_its_index_and_its_twig_alone(
        leaf in integer(),
        twig in integer(),
        other in integer(),
    ) {
        let (leaf_index, twig_index) = (LeafIndex(leaf), TwigIndex(twig));
        let row = MiniMmrLeafRow { chain_id: CHAIN.id, twig_index, twig_root: Hash([1; 32]) };
        let store = written(|batch| write::put_mini_mmr_leaf(batch, Family::Evm, leaf_index, &row));
        let of_twig = |index| read::load_leaf_index(&store, CHAIN, TwigIndex(index)).unwrap();
        let of_leaf = |index| {
            read::load_mini_mmr_leaf(&store, Family::Evm, LeafIndex(index)).unwrap()
        };
        prop_assert_eq!((of_twig(twig), of_leaf(leaf)), (Some(leaf_index), Some(row)));
        prop_assert_eq!(of_twig(other).is_some(), other == twig);
        prop_assert_eq!(of_leaf(other).is_some(), other == leaf);
    }

    #[test]
    fn superroots_come_back_by_sequence_and_hash(
        sequences in prop::collection::btree_set(integer(), 1..8),
    ) {
        let hash = |sequence: Sequence| {
            let mut hash = [7; 32];
            hash[..8].copy_from_slice(&sequence.0.to_be_bytes());
            Hash(hash)
        };
        // the feed ends before 2^64 - 1
        let sequences: BTreeSet<Sequence> = sequences.into_iter().map(Sequence).collect();
        let store = written(|batch| {
            for sequence in &sequences {
                write::put_super_root(batch, *sequence, &hash(*sequence), b"one");
                put_publication(batch, *sequence, &hash(*sequence));
            }
        });
        for sequence in &sequences {
            let found = read::load_sequence(&store, &hash(*sequence)).unwrap();
            prop_assert_eq!(found, Some(*sequence));
        }
        let newest = read::load_newest_super_root(&store).unwrap().map(|(newest, _)| newest);
        prop_assert_eq!(newest, sequences.last().copied());
        let followed = load_publications(&store, Sequence::FIRST, usize::MAX).unwrap();
        let expected = sequences.iter().filter(|sequence| sequence.0 < u64::MAX);
        prop_assert!(followed.into_iter().eq(expected.map(|one| (*one, hash(*one)))));
    }

    #[test]
    fn a_size_has_one_note(size in integer(), other in integer()) {
        let store = written(|batch| write::put_note(batch, LogSize(size), *b"note"));
        let note = |size| read::load_note(&store, LogSize(size)).unwrap();
        prop_assert_eq!(note(size), Some(b"note".to_vec()));
        let mut batch = WriteBatch::new();
        write::put_note(&mut batch, LogSize(other), *b"another");
        let again = store.commit(batch);
        prop_assert_eq!(matches!(again, Err(StoreError::Conflict { .. })), other == size);
        prop_assert_eq!(again.is_ok(), other != size);
    }
}
