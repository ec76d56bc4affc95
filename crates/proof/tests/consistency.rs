//! Laws of consistency: a log that grew is accepted, and no rewritten one is.

use crate::world;

use superroot_proof::consistency::*;
use superroot_types::*;
use world::*;

#[test]
fn every_pair_of_super_roots_is_consistent() {
    let world = World::sample();
    for from in 0..3 {
        for to in from + 1..4 {
            let proof = world.consistency(from, to);
            proof.verify(&world.root(from), &world.root(to)).unwrap();
            proof.history.verify(&world.root(from), &world.root(to)).unwrap();
            proof.history.upgrade.verify(&world.root(from), &world.root(to)).unwrap();
        }
    }
}

#[test]
fn the_client_brings_both_roots() {
    let world = World::sample();
    let proof = world.consistency(1, 3);
    let foreign = Hash([1; 32]);
    let error = proof.verify(&foreign, &world.root(3)).unwrap_err();
    assert!(matches!(error, ConsistencyError::Root { which: "earlier", .. }));
    let error = proof.verify(&world.root(1), &foreign).unwrap_err();
    assert!(matches!(error, ConsistencyError::Root { which: "later", .. }));
    let mut backwards = proof;
    let upgrade = &mut backwards.history.upgrade;
    std::mem::swap(&mut upgrade.from, &mut upgrade.to);
    let error = backwards.verify(&world.root(3), &world.root(1)).unwrap_err();
    assert_eq!(error, ConsistencyError::Order { from: Sequence(3), to: Sequence(1) });
}

/// Two logs that agree up to SuperRoot 1; then the other one rewrites a block under it.
#[test]
fn a_rewritten_block_is_not_consistent() {
    let honest = World::sample();
    for (chain, number) in [(ETHEREUM, 4097), (ETHEREUM, 6149), (OPTIMISM, 69)] {
        let mut liar = World::new();
        liar.extend(ETHEREUM, 4096..=4100, |number| number % 5);
        liar.publish(1_700_000_000);
        liar.extend(ETHEREUM, 4101..=6150, |n| if n % 64 == 0 { 5 } else { 0 });
        liar.extend(OPTIMISM, 0..=70, |number| number % 4);
        assert_eq!(liar.publish(1_700_000_012), honest.root(1));
        let changed = block(number, Hash([9; 32]), 7);
        liar.blocks.insert((chain, number), changed);
        if number < 6144 && chain == ETHEREUM {
            let twig = superroot_proof::twig::build(chain, TwigIndex(2), liar_hashes(&liar, chain));
            liar.leaves
                .iter_mut()
                .filter(|leaf| leaf.0 == chain && leaf.1 == TwigIndex(2))
                .for_each(|leaf| {
                    leaf.2 = twig.root();
                });
        }
        liar.extend(OPTIMISM, 71..=2047, |number| u64::from(number == 2047));
        liar.publish(1_700_000_024);
        let proof = liar.consistency(1, 2);
        let (from, to) = (honest.root(1), liar.root(2));
        proof.history.verify(&from, &to).expect("the history itself was not rewritten");
        assert!(proof.verify(&from, &to).is_err(), "block {number} of {chain} was rewritten");
    }
}

fn liar_hashes(world: &World, chain: ChainKey) -> Vec<(BlockNumber, Hash)> {
    let all = world.blocks.range((chain, 0)..=(chain, u64::MAX));
    all.map(|((_, number), block)| (BlockNumber(*number), block.hash())).collect()
}

#[test]
fn a_rewritten_history_is_not_consistent() {
    let honest = World::sample();
    let mut liar = World::new();
    liar.extend(ETHEREUM, 4096..=4100, |number| number % 5);
    liar.publish(1_700_000_001);
    liar.extend(ETHEREUM, 4101..=6150, |n| if n % 64 == 0 { 5 } else { 0 });
    liar.publish(1_700_000_012);
    let mut proof = liar.consistency(0, 1);
    assert!(proof.verify(&honest.root(0), &liar.root(1)).is_err());
    proof.history.upgrade.from = honest.published[0].blob.super_root;
    let error = proof.verify(&honest.root(0), &liar.root(1)).unwrap_err();
    assert!(matches!(error, ConsistencyError::Range { what: "history", .. }), "{error}");
}

#[test]
fn a_blob_that_does_not_fit_its_super_root_is_refused() {
    let world = World::sample();
    let good = &world.published[3].blob;
    let bend = |change: &dyn Fn(&mut Blob)| {
        let mut blob = good.clone();
        change(&mut blob);
        blob.super_root.tree_root = blob.tree().root();
        blob.check()
    };
    assert_eq!(bend(&|_| ()), Ok(()));
    let error = bend(&|blob| blob.history.leaf_count = LeafCount(2)).unwrap_err();
    assert_eq!(
        error,
        ConsistencyError::HistoryCount { sequence: Sequence(3), leaf_count: LeafCount(2) }
    );
    let error = bend(&|blob| blob.mini_mmrs[0].leaf_count.0 += 1).unwrap_err();
    assert!(matches!(error, ConsistencyError::LeafCount { family: Family::Evm, .. }));
    let error = bend(&|blob| blob.references[0].1.start = BlockNumber(7)).unwrap_err();
    assert!(matches!(error, ConsistencyError::Reference { row: RowIndex(0), .. }));
    let error = bend(&|blob| blob.references.swap(0, 1)).unwrap_err();
    assert!(matches!(error, ConsistencyError::Reference { .. }));
    let mut blob = good.clone();
    blob.references[0].1.block_hash = Hash::ZERO;
    assert!(matches!(blob.check(), Err(ConsistencyError::Mismatch { .. })));
}

#[test]
fn a_bridge_left_out_repeated_or_bent_is_refused() {
    let world = World::sample();
    let (from, to) = (world.root(1), world.root(3));
    let good = world.consistency(1, 3);
    assert_eq!(good.bridges.len(), 2);
    let bend = |change: &dyn Fn(&mut Full)| {
        let mut proof = good.clone();
        change(&mut proof);
        proof.verify(&from, &to)
    };
    assert_eq!(bend(&|_| ()), Ok(()));
    assert!(bend(&|proof| proof.bridges.truncate(1)).is_err());
    let again = &good.bridges[0];
    assert!(bend(&|proof| proof.bridges.push(again.clone())).is_err());
    assert!(bend(&|proof| proof.bridges.swap(0, 1)).is_err());
    assert!(bend(&|proof| proof.bridges[0].leaf = Hash::ZERO).is_err());
    assert!(bend(&|proof| proof.bridges[1].leaf = Hash::ZERO).is_err());
    assert!(bend(&|proof| proof.mini_mmr_paths[0].push(Hash::ZERO)).is_err());
    for height in 0..TWIG_HEIGHT {
        for bridge in 0..2 {
            assert!(bend(&|proof| proof.bridges[bridge].siblings[height].0[0] ^= 1).is_err());
        }
    }
}

const BITCOIN: ChainKey = ChainKey { family: Family::Bitcoin, id: ChainId(21_000_000) };

/// Twigs of two families; the last SuperRoot appends older ones of Ethereum.
fn with_many_twigs() -> World {
    let mut world = World::new();
    world.extend(ETHEREUM, 4096..=4100, |_| 0);
    world.publish(1_700_000_000);
    world.extend(ETHEREUM, 4101..=6150, |_| 0);
    world.extend(BITCOIN, 0..=2050, |_| 0);
    world.publish(1_700_000_012);
    world.extend(ETHEREUM, 6151..=8200, |_| 0);
    world.extend(OPTIMISM, 0..=4095, |_| 0);
    world.publish(1_700_000_024);
    world.starts.insert(ETHEREUM, 0);
    world.extend(ETHEREUM, 0..=4095, |_| 0);
    world.publish(1_700_000_036);
    world
}

fn names(proof: &Full) -> Vec<(u64, u64)> {
    proof.appended.iter().map(|twig| (twig.chain.id.0, twig.twig_index.0)).collect()
}

#[test]
fn the_appended_twigs_of_any_step_are_those_between_the_references() {
    let world = with_many_twigs();
    for from in 0..3 {
        for to in from + 1..4 {
            let proof = world.consistency(from, to);
            proof.verify(&world.root(from), &world.root(to)).unwrap();
        }
    }
    let whole = [(1, 2), (1, 3), (10, 0), (10, 1), (1, 0), (1, 1), (21_000_000, 0)];
    assert_eq!(names(&world.consistency(0, 3)), whole);
    assert_eq!(names(&world.consistency(1, 2)), [(1, 3), (10, 0), (10, 1)]);
    assert_eq!(names(&world.consistency(2, 3)), [(1, 0), (1, 1)]);
}

/// Every way to say other twigs than were appended, over steps of every length, is refused.
#[test]
fn appended_twigs_left_out_repeated_or_bent_are_refused() {
    let world = with_many_twigs();
    for (from, to) in [(0, 1), (1, 2), (2, 3), (0, 2), (1, 3), (0, 3)] {
        let good = world.consistency(from, to);
        let bend = |change: &dyn Fn(&mut Vec<AppendedTwig>)| {
            let mut proof = good.clone();
            change(&mut proof.appended);
            proof.verify(&world.root(from), &world.root(to)).unwrap_err()
        };
        let count = good.appended.len();
        for at in 0..count {
            let wrong = |error| matches!(error, ConsistencyError::Appended { .. });
            assert!(wrong(bend(&|twigs| twigs.retain(|twig| *twig != good.appended[at]))));
            assert!(wrong(bend(&|twigs| twigs.push(twigs[at]))));
            assert!(wrong(bend(&|twigs| twigs.insert(at, twigs[at]))));
            assert!(wrong(bend(&|twigs| twigs[at].twig_index.0 += 8)));
            assert!(wrong(bend(&|twigs| twigs[at].twig_index.0 ^= 1 << 63)));
            assert!(wrong(bend(&|twigs| twigs[at].chain.id.0 += 1)));
            assert!(wrong(bend(&|twigs| twigs[at].chain.family = Family::Solana)));
            for bit in 0..256 {
                bend(&|twigs| twigs[at].twig_root.0[bit / 8] ^= 1 << (bit % 8));
            }
            for other in at + 1..count {
                if good.appended[at].chain.family == good.appended[other].chain.family {
                    bend(&|twigs| twigs.swap(at, other));
                }
            }
        }
        assert_eq!(bend(&|twigs| twigs.clear()), ConsistencyError::Appended { position: 0 });
        let foreign = AppendedTwig { twig_index: TwigIndex(99), ..good.appended[0] };
        let past = bend(&|twigs| twigs.push(foreign));
        assert_eq!(past, ConsistencyError::Appended { position: count as u64 });
    }
}

/// Families come in their order; twigs of one in any over a longer step, but for the peaks that they
/// lead to, and between neighbours by chain and index.
#[test]
fn twigs_come_family_by_family() {
    let world = with_many_twigs();
    for (from, to) in [(0, 3), (0, 1)] {
        let mut proof = world.consistency(from, to);
        proof.appended.rotate_right(1);
        assert_eq!(proof.appended[0].chain, BITCOIN);
        let refused = proof.verify(&world.root(from), &world.root(to));
        assert_eq!(refused, Err(ConsistencyError::Appended { position: 0 }));
    }
    let swapped = |from, to| {
        let mut proof = world.consistency(from, to);
        proof.appended.swap(0, 1);
        proof.verify(&world.root(from), &world.root(to)).unwrap_err()
    };
    assert_eq!(swapped(1, 2), ConsistencyError::Appended { position: 0 });
    let roots = "Mini-MMR range root";
    let longer = swapped(0, 2);
    assert!(matches!(longer, ConsistencyError::Mismatch { what, .. } if what == roots), "{longer}");
}

/// What is due is told family by family, nothing is shown early, and a page may end anywhere.
#[test]
fn twigs_are_taken_in_pieces_of_any_size() {
    let world = with_many_twigs();
    let good = world.consistency(0, 3);
    let (from, to) = (world.root(0), world.root(3));
    for page in 1..=good.appended.len() {
        let mut appending = good.begin(&from, &to).unwrap();
        let mut offsets = [0_usize; 9];
        let mut all = good.appended.iter();
        while let Some((family, due)) = appending.due() {
            assert!(appending.clone().finish().is_err());
            let slot = usize::from(family.byte());
            let before = LeafIndex(good.from.mini_mmrs[slot].leaf_count.0 + offsets[slot] as u64);
            assert_eq!(due, before..LeafIndex(good.to.mini_mmrs[slot].leaf_count.0));
            let count = page.min((due.end.0 - due.start.0) as usize);
            let taken: Vec<AppendedTwig> = all.by_ref().take(count).copied().collect();
            appending.take_all(&taken).unwrap();
            offsets[slot] += count;
            let taken = offsets.iter().sum::<usize>() as u64;
            assert_eq!((appending.taken(), appending.missing()), (taken, 7 - taken));
        }
        appending.finish().unwrap();
    }
}
