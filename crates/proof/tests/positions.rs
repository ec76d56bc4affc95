//! Laws of positions: none from outside its range is accepted, whatever integer it is.

use crate::world;

use std::sync::LazyLock;

use proptest::prelude::*;
use superroot_proof::bundle::*;
use superroot_proof::note::{KeyKind, Signer};
use superroot_proof::range::{KeccakRange, RangeError, path_length, root_of_path};
use superroot_proof::superroot::{ChainReference, MiniMmr};
use superroot_proof::twig::{self, block_leaf};
use superroot_types::*;
use world::*;

static WORLD: LazyLock<World> = LazyLock::new(World::sample);

/// Integers of every size, more of them next to 0, a twig's length, 2^53 and 2^64.
fn integer() -> impl Strategy<Value = u64> {
    let edges = [0, 1 << 11, 1 << 42, 1 << 53, u64::MAX];
    let near = (prop::sample::select(edges.to_vec()), 0_u64..4, any::<bool>());
    let near =
        near.prop_map(
            |(edge, by, is_above)| {
                if is_above { edge.saturating_add(by) } else { edge.saturating_sub(by) }
            },
        );
    prop_oneof![near, any::<u64>(), (0_u32..64).prop_map(|bits| u64::MAX >> bits)]
}

fn refused(bundle: &Bundle) -> ProofError {
    verify(bundle, &Policy::strict(&WORLD.registry)).unwrap_err()
}

/// Proof of a block in a sealed twig.
fn sealed() -> Bundle {
    WORLD.prove(ETHEREUM, 4098, ProofSubject::Block, false, 3)
}

fn bend(change: impl FnOnce(&mut SealedPlace)) -> Bundle {
    let mut bundle = sealed();
    let twig = bundle.block.as_mut().and_then(|block| block.twig.as_mut()).unwrap();
    let Some(TwigPosition::Sealed(place)) = &mut twig.place else { panic!("sealed") };
    change(place);
    bundle
}

/// The SuperRoot part of a sealed proof.
fn bend_top(change: impl FnOnce(&mut SuperRootProof)) -> Bundle {
    bend(|place| change(place.super_root.as_mut().unwrap()))
}

proptest! {
    #[test]
    fn a_leaf_past_the_count_has_no_path(count in integer(), past in integer()) {
        let (index, count) = (LeafIndex(count.saturating_add(past)), LeafCount(count));
        prop_assert_eq!(path_length(index, count), None);
        let root = root_of_path::<KeccakRange>(&Hash::ZERO, index, count, &[]);
        prop_assert_eq!(root, Err(RangeError::LeafIndex { index, count }));
        let lie = bend(|place| (place.leaf_index, place.leaf_count) = (index, count));
        prop_assert_eq!(refused(&lie).step, ProofStep::Level(ProofLevel::MiniMmr));
        prop_assert!(Bundle::decode(&lie.encode()).is_err());
    }

    #[test]
    fn a_path_fits_every_leaf_in_the_count(count in integer(), index in integer()) {
        let (index, count) = (LeafIndex(index), LeafCount(count));
        let length = path_length(index, count);
        prop_assert_eq!(length.is_some(), index.is_in(count));
        let path = vec![Hash::ZERO; length.unwrap_or(0)];
        prop_assert!(path.len() <= 64);
        let root = root_of_path::<KeccakRange>(&Hash::ZERO, index, count, &path);
        prop_assert_eq!(root.is_ok(), index.is_in(count));
    }

    #[test]
    fn another_leaf_or_count_is_refused(index in integer(), count in integer()) {
        let (index, count) = (LeafIndex(index), LeafCount(count));
        let lie = bend(|place| (place.leaf_index, place.leaf_count) = (index, count));
        prop_assume!(lie != sealed());
        let error = refused(&lie);
        prop_assert_eq!(error.step, ProofStep::Level(ProofLevel::MiniMmr));
        let is_large = matches!(error.fault, ProofFault::TooLarge { .. });
        prop_assert_eq!(is_large, count.0 > SAFE_INTEGER_MAX);
    }

    #[test]
    fn a_log_without_the_superroot_is_refused(size in integer()) {
        let size = LogSize(size);
        let sequence = Sequence(3);
        let key = Signer::new(ORIGIN, KeyKind::Log, &[1; 32]).unwrap();
        let root = "A".repeat(43);
        let note = key.sign(&format!("{ORIGIN}\n{size}\n{root}=\n"), 0).to_string();
        let lie = sealed().with_note(NotePath { note, siblings: Vec::new() });
        let error = refused(&lie);
        prop_assert_eq!(error.step, ProofStep::Level(ProofLevel::SuperRoot));
        match error.fault {
            ProofFault::TooLarge { .. } => prop_assert!(size.0 > SAFE_INTEGER_MAX),
            ProofFault::NoteSize { size: got, sequence: of } => {
                prop_assert_eq!((got, of), (size, sequence));
                prop_assert!(!size.holds(sequence));
            }
            fault => prop_assert!(size.holds(sequence), "{}", fault),
        }
    }

    #[test]
    fn another_row_is_refused(row: u8, count: u8) {
        let row = RowIndex(row);
        let lie = bend_top(|top| (top.registry.row, top.registry.count) = (row, count));
        prop_assume!(lie != sealed());
        prop_assert_eq!(refused(&lie).step, ProofStep::Level(ProofLevel::SuperRoot));
    }

    #[test]
    fn another_sequence_is_refused(sequence in integer()) {
        prop_assume!(sequence != 3);
        let mut lie = sealed();
        let good = lie.super_root().unwrap().preimage.clone();
        lie = bend_top(|top| top.preimage[34..42].copy_from_slice(&sequence.to_be_bytes()));
        prop_assert_ne!(&lie.super_root().unwrap().preimage, &good);
        let trusted = WORLD.root(3);
        prop_assert!(verify_anchored(&lie, &Policy::strict(&WORLD.registry), &trusted).is_err());
    }

    /// A block fills the slot of its number in the twig of its number, and no slot elsewhere.
    #[test]
    fn a_block_has_one_slot(number in integer(), other in integer()) {
        let (number, other) = (BlockNumber(number), TwigIndex(other));
        let (index, slot) = (number.twig_index(), number.twig_slot());
        let tree = twig::build(ETHEREUM, index, [(number, Hash([1; 32]))]);
        prop_assert_eq!(tree.slot(slot.into()), block_leaf(ETHEREUM, number, &Hash([1; 32])));
        if other != index {
            prop_assert!(twig::build(ETHEREUM, other, [(number, Hash([1; 32]))]).is_empty());
        }
        let expected = (number.0 <= SAFE_INTEGER_MAX).then_some(number);
        prop_assert_eq!(index.block(slot), expected);
        prop_assert_eq!(index.first().is_some(), index.last().is_some());
        prop_assert_eq!(index.next().and_then(TwigIndex::first), index.last()
            .filter(|last| last.0 < SAFE_INTEGER_MAX).map(|last| BlockNumber(last.0 + 1)));
    }

    #[test]
    fn a_run_seals_the_twigs_below_the_open_one(start in integer(), number in integer()) {
        let (start, number) = (BlockNumber(start), BlockNumber(number));
        let (block_hash, open_twig_root) = (Hash::ZERO, Hash::ZERO);
        let chain = ETHEREUM;
        let reference = ChainReference { chain, start, number, block_hash, open_twig_root };
        prop_assert_eq!(ChainReference::decode(&reference.encode()), Some(reference));
        let open = reference.open_twig_index();
        let is_full = number.twig_slot() == TwigSlot::LAST && number.0 < u64::MAX;
        prop_assert_eq!(open.0 - number.twig_index().0, u64::from(is_full));
        prop_assert_eq!(reference.sealed_twigs(), open.0.saturating_sub(start.twig_index().0));
    }

    #[test]
    fn a_mini_mmr_root_binds_its_count(one in integer(), other in integer()) {
        let root = |count| {
            MiniMmr { leaf_count: LeafCount(count), range_root: Hash([1; 32]) }.root(Family::Evm)
        };
        prop_assert_eq!(root(one) == root(other), one == other);
    }

    #[test]
    fn counts_and_sizes_grow_by_one_or_not_at_all(value in integer()) {
        let grown = (value < SAFE_INTEGER_MAX).then(|| value + 1);
        let (count, sequence) = (LeafCount(value), Sequence(value));
        prop_assert_eq!(count.next().map(|next| next.0), grown);
        prop_assert_eq!(count.next().and_then(|next| next.since(count)), grown.map(|_| 1));
        prop_assert_eq!(count.next().and_then(LeafCount::last), grown.map(|_| count.end()));
        prop_assert_eq!(sequence.size().map(|size| size.0), grown);
        prop_assert_eq!(sequence.size().and_then(LogSize::newest), grown.map(|_| sequence));
        prop_assert_eq!(sequence.next().and_then(Sequence::previous), grown.map(|_| sequence));
        prop_assert_eq!(LogSize(value).holds(Sequence(value)), false);
    }
}
