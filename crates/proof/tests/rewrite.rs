//! Attacks on a log: what a service that rewrites what it committed to must not get past `full`
//! consistency, and not past who replays its blobs.

use crate::world;

use superroot_proof::consistency::*;
use superroot_proof::hash::node;
use superroot_proof::perfect::empty_root;
use superroot_proof::registry::{HashRuleFrom, LogRegistry, Profile};
use superroot_proof::superroot::{MiniMmr, SuperRootHistory};
use superroot_proof::twig;
use superroot_types::*;
use world::*;

/// The proof between two SuperRoots, where the later blob was bent and its SuperRoot made to fit.
fn forged(
    world: &World,
    from: usize,
    to: usize,
    bend: impl Fn(&mut Blob),
) -> Result<(), ConsistencyError> {
    forged_naming(world, from, to, bend, None)
}

/// The same, with other appended twigs in the proof.
fn forged_naming(
    world: &World,
    from: usize,
    to: usize,
    bend: impl Fn(&mut Blob),
    appended: Option<Vec<AppendedTwig>>,
) -> Result<(), ConsistencyError> {
    let mut proof = world.consistency(from, to);
    proof.appended = appended.unwrap_or(proof.appended);
    bend(&mut proof.to);
    let tree = proof.to.tree();
    proof.to.super_root.tree_root = tree.root();
    proof.history.upgrade.to = proof.to.super_root;
    proof.history.upgrade.opening = HistoryOpening {
        history: proof.to.history,
        siblings: tree.siblings(54).try_into().unwrap(),
    };
    proof.verify(&world.root(from), &proof.to.super_root.hash())
}

fn accepted(replay: &mut Replay, published: &Published) -> Result<(), ConsistencyError> {
    replay.accept(published.blob.clone(), &published.appended)
}

fn chain_error(error: ConsistencyError) -> &'static str {
    match error {
        ConsistencyError::Chain { why, .. } | ConsistencyError::Reference { why, .. } => why,
        other => panic!("{other}"),
    }
}

/// Rows of the sample's registry, the one of Ethereum bent.
fn bent_rows(world: &World, bend: impl Fn(&mut Profile)) -> LogRegistry {
    let mut rows = world.registry.rows().to_vec();
    bend(&mut rows[0]);
    LogRegistry::new(rows).unwrap()
}

#[test]
fn what_is_not_bent_holds() {
    let world = World::sample();
    for (from, to) in [(0, 1), (1, 2), (0, 3), (2, 3)] {
        assert_eq!(forged(&world, from, to, |_| ()), Ok(()), "{from} to {to}");
    }
}

#[test]
fn a_run_only_grows() {
    let world = World::sample();
    let ethereum = |to, bend: &dyn Fn(&mut superroot_proof::superroot::ChainReference)| {
        chain_error(forged(&world, 1, to, |blob| bend(&mut blob.references[0].1)).unwrap_err())
    };
    let mut small = World::new();
    small.extend(OPTIMISM, 0..=5, |_| 0);
    small.publish(1_700_000_000);
    small.publish(1_700_000_012);
    let dropped = forged(&small, 0, 1, |blob| blob.references.clear());
    assert_eq!(chain_error(dropped.unwrap_err()), "its reference is gone");
    let later = forged(&world, 1, 2, |blob| {
        // the leaf counts are made to fit, and so the path of the Mini-MMR is refused first
        blob.references[0].1.start = BlockNumber(6144);
        blob.mini_mmrs[0].leaf_count.0 -= 1;
    });
    assert!(later.is_err());
    assert_eq!(ethereum(2, &|one| one.number.0 -= 1), "its run ends earlier");
    assert_eq!(ethereum(2, &|one| one.block_hash = Hash([1; 32])), "its last block was exchanged");
    let changed = "its open twig changed and its last block did not";
    assert_eq!(ethereum(2, &|one| one.open_twig_root = Hash([1; 32])), changed);
    assert_eq!(ethereum(3, &|one| one.start.0 += 1), "its run starts inside a twig");
    let below = forged(&world, 1, 3, |blob| blob.references[0].1.start = BlockNumber(2048));
    assert!(matches!(below, Err(ConsistencyError::LeafCount { family: Family::Evm, .. })));
    let huge = forged(&world, 1, 3, |blob| blob.references[0].1.number.0 = SAFE_INTEGER_MAX + 1);
    assert_eq!(chain_error(huge.unwrap_err()), "its run is none");
}

#[test]
fn rows_are_only_appended_and_rules_only_added_above() {
    let world = World::sample();
    let number = world.published[1].blob.references[0].1.number.0;
    let rule = |from_number, code| HashRuleFrom { from_number, code };
    let with =
        |registry: LogRegistry| forged(&world, 1, 3, |blob| blob.registry = registry.clone());
    let moved = Err(ConsistencyError::Registry { row: RowIndex(0) });
    assert_eq!(with(bent_rows(&world, |row| row.caip2 = "eip155:5".to_owned())), moved);
    assert_eq!(with(bent_rows(&world, |row| row.rules[0].code = 2)), moved);
    assert_eq!(with(bent_rows(&world, |row| row.rules.push(rule(number, 2)))), moved);
    assert_eq!(with(bent_rows(&world, |row| row.rules.push(rule(number + 1, 2)))), Ok(()));
    // a withdrawal may name an older number: the log confesses
    assert_eq!(with(bent_rows(&world, |row| row.rules.push(rule(number - 5, 0)))), Ok(()));
    let rows = world.registry.rows();
    let fewer = LogRegistry::new(rows[..2].to_vec()).unwrap();
    assert_eq!(with(fewer), Err(ConsistencyError::Registry { row: RowIndex(2) }));
    let mut more = rows.to_vec();
    let chain = ChainKey { family: Family::Tron, id: ChainId(7) };
    let rules = vec![rule(0, 0x0401)];
    more.push(Profile { chain, caip2: "tron:7".to_owned(), rules });
    assert_eq!(with(LogRegistry::new(more).unwrap()), Ok(()));
    // the third row has no block yet: exchanging it changes no place of a block, and is refused
    let mut other = rows.to_vec();
    other[2].chain.id = ChainId(8);
    let other = LogRegistry::new(other).unwrap();
    assert_eq!(with(other), Err(ConsistencyError::Registry { row: RowIndex(2) }));
}

#[test]
fn a_withdrawn_chain_is_frozen_and_stays_withdrawn() {
    let withdrawn = |row: &mut Profile| row.rules.push(HashRuleFrom { from_number: 6000, code: 0 });
    let mut world = World::new();
    world.extend(ETHEREUM, 4096..=6150, |_| 0);
    world.registry = bent_rows(&world, withdrawn);
    world.publish(1_700_000_000);
    world.publish(1_700_000_012);
    assert_eq!(forged(&world, 0, 1, |_| ()), Ok(()));
    let honest = registry();
    let again = forged(&world, 0, 1, |blob| blob.registry = honest.clone());
    assert_eq!(again, Err(ConsistencyError::Registry { row: RowIndex(0) }));
    world.extend(ETHEREUM, 6151..=6152, |_| 0);
    world.publish(1_700_000_024);
    let moved = world.consistency(1, 2).verify(&world.root(1), &world.root(2)).unwrap_err();
    assert_eq!(chain_error(moved), "it was withdrawn, and its reference moved");
}

#[test]
fn a_blob_keeps_the_rules_of_its_places() {
    let world = World::sample();
    let bend = |at: usize, change: &dyn Fn(&mut Blob)| {
        let mut blob = world.published[at].blob.clone();
        change(&mut blob);
        blob.super_root.tree_root = blob.tree().root();
        blob.check()
    };
    let foreign = Hash([1; 32]);
    // Optimism ends at 2047 in SuperRoot 2: its open twig is empty, whatever it says
    assert_eq!(world.published[2].blob.references[1].1.open_twig_root, empty_root(TWIG_HEIGHT));
    let past = bend(2, &|blob| blob.references[1].1.open_twig_root = foreign).unwrap_err();
    assert_eq!(chain_error(past), "its open twig holds blocks past its last");
    let before = bend(3, &|blob| {
        let mut rows = blob.registry.rows().to_vec();
        rows[0].rules[0].from_number = 5000;
        blob.registry = LogRegistry::new(rows).unwrap();
    });
    assert_eq!(chain_error(before.unwrap_err()), "its run starts before its ledger");
    let empty = bend(0, &|blob| blob.history.log_root = foreign).unwrap_err();
    assert!(matches!(empty, ConsistencyError::Mismatch { what: "empty history", .. }), "{empty}");
    let empty = bend(3, &|blob| blob.mini_mmrs[8].range_root = foreign).unwrap_err();
    assert!(matches!(empty, ConsistencyError::Mismatch { what: "empty Mini-MMR", .. }), "{empty}");
    let late = bend(3, &|blob| blob.super_root.timestamp = UnixSeconds(1 << 53)).unwrap_err();
    assert_eq!(late, ConsistencyError::TooLarge { what: "timestamp" });
    let far = bend(3, &|blob| {
        blob.super_root.sequence = Sequence(1 << 53);
        blob.history.leaf_count = LeafCount(1 << 53);
    });
    assert_eq!(far, Err(ConsistencyError::TooLarge { what: "sequence" }));
}

#[test]
fn sequences_and_times_past_two_to_the_53_are_refused_in_an_upgrade() {
    let world = World::sample();
    let mut upgrade = world.consistency(0, 1).proof.history.upgrade;
    upgrade.to.timestamp = UnixSeconds(1 << 53);
    let to = upgrade.to.hash();
    let refused = upgrade.verify(&world.root(0), &to);
    assert_eq!(refused, Err(ConsistencyError::TooLarge { what: "timestamp" }));
    upgrade.to.timestamp = UnixSeconds(1_700_000_012);
    upgrade.to.sequence = Sequence(1 << 53);
    let to = upgrade.to.hash();
    let refused = upgrade.verify(&world.root(0), &to);
    assert_eq!(refused, Err(ConsistencyError::TooLarge { what: "sequence" }));
}

/// Older twigs may come later, whole and downwards.
#[test]
fn a_backfilled_log_is_consistent() {
    let mut world = World::new();
    world.extend(ETHEREUM, 4096..=4100, |_| 0);
    world.publish(1_700_000_000);
    world.starts.insert(ETHEREUM, 0);
    world.extend(ETHEREUM, 0..=4095, |_| 0);
    world.publish(1_700_000_012);
    world.extend(ETHEREUM, 4101..=6150, |_| 0);
    world.publish(1_700_000_024);
    for (from, to) in [(0, 1), (0, 2), (1, 2)] {
        world.consistency(from, to).verify(&world.root(from), &world.root(to)).unwrap();
    }
    let risen = world.consistency(1, 2);
    assert_eq!(risen.to.references[0].1.start, BlockNumber(0));
    let mut replay = Replay::new();
    world.published.iter().for_each(|published| accepted(&mut replay, published).unwrap());
}

/// A bridge leads to the one twig that was sealed in the place of the open one.
#[test]
fn a_bridge_to_another_twig_than_the_one_sealed_since_is_refused() {
    let mut world = World::new();
    world.extend(OPTIMISM, 0..=2047, |_| 0);
    world.extend(ETHEREUM, 4096..=4100, |_| 0);
    world.publish(1_700_000_000);
    world.extend(ETHEREUM, 4101..=6150, |_| 0);
    world.publish(1_700_000_012);
    let good = world.consistency(0, 1);
    let (from, to) = (world.root(0), world.root(1));
    good.verify(&from, &to).unwrap();
    assert_eq!(good.bridges.len(), 1, "Optimism's open twig was empty");
    let mut proof = good.clone();
    proof.bridges[0].leaf = Hash([1; 32]);
    let error = proof.verify(&from, &to).unwrap_err();
    let sealed = "root of the twig sealed since";
    assert!(matches!(error, ConsistencyError::Mismatch { what, .. } if what == sealed), "{error}");
    proof.bridges = vec![good.bridges[0].clone(), good.bridges[0].clone()];
    assert_eq!(proof.verify(&from, &to), Err(ConsistencyError::Bridge { chain: ETHEREUM }));
}

/// One chain's run shrinks by as many twigs as the other's grows: the counts alone agree.
#[test]
fn a_twig_taken_back_for_another_is_refused() {
    let mut world = World::new();
    world.extend(OPTIMISM, 0..=2047, |_| 0);
    world.extend(ETHEREUM, 4096..=4100, |_| 0);
    world.publish(1_700_000_000);
    world.publish(1_700_000_012);
    let twig = AppendedTwig { chain: ETHEREUM, twig_index: TwigIndex(2), twig_root: Hash([1; 32]) };
    let taken_back = |blob: &mut Blob| {
        blob.references[0].1.number.0 = 6150;
        blob.references[1].1.number.0 = 5;
    };
    for named in [Some(vec![twig]), None] {
        let refused = forged_naming(&world, 0, 1, taken_back, named);
        assert_eq!(chain_error(refused.unwrap_err()), "its run ends earlier");
    }
}

/// The later log seals Ethereum's twig 2 a second time, over other blocks, in the place of a twig of
/// Optimism that it leaves out. Each path alone holds, as `docs/protocol.md` says of Mini-MMRs. The
/// appended twigs show it, and so do the blobs to who replays them.
#[test]
fn a_twig_sealed_twice_is_seen_in_the_blobs() {
    let mut liar = World::new();
    liar.extend(ETHEREUM, 4096..=6150, |_| 0);
    liar.publish(1_700_000_000);
    liar.extend(OPTIMISM, 0..=2047, |_| 0);
    liar.publish(1_700_000_012);
    let forged_root =
        twig::build(ETHEREUM, TwigIndex(2), [(BlockNumber(4097), Hash([9; 32]))]).root();
    liar.leaves[1] = (ETHEREUM, TwigIndex(2), forged_root);
    let leaves = [0, 1].map(|at| twig::twig_leaf(ETHEREUM, TwigIndex(2), &liar.leaves[at].2));
    liar.published[1].blob.mini_mmrs[0].range_root = node(&leaves[0], &leaves[1]);
    let appended = |chain, twig_index| AppendedTwig { chain, twig_index, twig_root: forged_root };
    let refit = |liar: &mut World, appended: Vec<AppendedTwig>| {
        liar.published[1].appended = appended;
        let blob = &mut liar.published[1].blob;
        blob.super_root.tree_root = blob.tree().root();
        blob.check().unwrap();
    };
    refit(&mut liar, vec![appended(ETHEREUM, TwigIndex(2))]);
    let stepped = |liar: &World| {
        let (from, to) = (liar.root(0), liar.root(1));
        let mut proof = liar.consistency(0, 1);
        proof.appended.clone_from(&liar.published[1].appended);
        proof.history.verify(&from, &to).expect("no SuperRoot was rewritten");
        proof.verify(&from, &to).unwrap_err()
    };
    let replayed = |liar: &World| {
        let mut replay = Replay::new();
        accepted(&mut replay, &liar.published[0]).unwrap();
        let error = accepted(&mut replay, &liar.published[1]).unwrap_err();
        assert_eq!(error, stepped(liar));
        error
    };
    assert_eq!(replayed(&liar), ConsistencyError::Appended { position: 0 });
    // saying that the twig is the one that is due leads to another root
    refit(&mut liar, vec![appended(OPTIMISM, TwigIndex(0))]);
    let error = replayed(&liar);
    let range_root = "Mini-MMR range root";
    assert!(matches!(error, ConsistencyError::Mismatch { what, .. } if what == range_root));
    refit(&mut liar, vec![]);
    assert_eq!(replayed(&liar), ConsistencyError::Appended { position: 0 });
    // the first leads there already
    refit(&mut liar, vec![appended(OPTIMISM, TwigIndex(0)), appended(OPTIMISM, TwigIndex(1))]);
    assert_eq!(replayed(&liar), error);
}

#[test]
fn a_log_replays_from_its_blobs_alone() {
    let world = World::sample();
    let mut replay = Replay::new();
    for published in &world.published {
        accepted(&mut replay, published).unwrap();
    }
    let again = accepted(&mut replay, &world.published[3]);
    assert_eq!(again, Err(ConsistencyError::Order { from: Sequence(3), to: Sequence(3) }));
    let late = accepted(&mut Replay::new(), &world.published[1]);
    assert_eq!(late, Err(ConsistencyError::Order { from: Sequence(0), to: Sequence(1) }));
}

/// Whoever begins after a SuperRoot takes all its twigs, each once, and has the peaks of whoever replayed
/// the log from its first.
#[test]
fn all_twigs_behind_a_blob_lead_to_the_peaks_of_its_log() {
    let world = World::sample();
    let mut replay = Replay::new();
    for published in &world.published {
        accepted(&mut replay, published).unwrap();
        let counts = published.leaf_counts;
        let count = counts.iter().map(|count| count.0).sum::<u64>() as usize;
        let twigs = world.leaves[..count].iter().map(|(chain, twig_index, twig_root)| {
            let (chain, twig_index, twig_root) = (*chain, *twig_index, *twig_root);
            AppendedTwig { chain, twig_index, twig_root }
        });
        let twigs: Vec<AppendedTwig> = twigs.collect();
        let taken = |twigs: &[AppendedTwig]| {
            let mut appending = Appending::all(&published.blob)?;
            assert_eq!(appending.missing(), count as u64);
            appending.take_all(twigs)?;
            appending.into_peaks().map(Iterator::collect::<Vec<_>>)
        };
        for (family, peaks) in taken(&twigs).unwrap() {
            assert_eq!(peaks, replay.mini_mmrs()[usize::from(family.byte())]);
        }
        if let Some((last, rest)) = twigs.split_last() {
            let other = AppendedTwig { twig_root: Hash::ZERO, ..*last };
            let twice = twigs[0];
            for bent in [rest.to_vec(), [rest, &[other]].concat(), [&[twice], rest].concat()] {
                assert_eq!(taken(&bent).is_ok(), bent == twigs, "{bent:?}");
            }
        }
    }
    let mut bent = world.published[3].blob.clone();
    bent.mini_mmrs[0].leaf_count.0 += 1;
    assert!(Appending::all(&bent).is_err());
}

#[test]
fn a_blob_that_does_not_follow_is_refused_and_changes_nothing() {
    let world = World::sample();
    let mut replay = Replay::new();
    accepted(&mut replay, &world.published[0]).unwrap();
    let bent = |bend: &dyn Fn(&mut Published)| {
        let mut published = world.published[1].clone();
        bend(&mut published);
        published.blob.super_root.tree_root = published.blob.tree().root();
        let mut bent = replay.clone();
        let error = accepted(&mut bent, &published).unwrap_err();
        accepted(&mut bent, &world.published[1]).expect("nothing was changed");
        error
    };
    let refused = |bend: &dyn Fn(&mut Blob)| bent(&|published| bend(&mut published.blob));
    let foreign = Hash([1; 32]);
    assert_eq!(refused(&|blob| blob.super_root.log_id = foreign), ConsistencyError::Log);
    let early = |blob: &mut Blob| blob.super_root.timestamp = UnixSeconds(1_699_999_999);
    assert_eq!(refused(&early), ConsistencyError::Timestamp);
    let history = |blob: &mut Blob| {
        blob.history = SuperRootHistory { leaf_count: LeafCount(1), log_root: foreign }
    };
    let error = refused(&history);
    assert!(matches!(error, ConsistencyError::Mismatch { what: "history log root", .. }));
    let root = |blob: &mut Blob| {
        blob.mini_mmrs[0] = MiniMmr { leaf_count: LeafCount(1), range_root: foreign };
    };
    let error = refused(&root);
    assert!(matches!(error, ConsistencyError::Mismatch { what: "Mini-MMR range root", .. }));
    let error = bent(&|published| published.appended[0].twig_root = foreign);
    assert!(matches!(error, ConsistencyError::Mismatch { what: "Mini-MMR range root", .. }));
    let fewer = refused(&|blob| blob.references[0].1.start.0 = 0);
    assert!(matches!(fewer, ConsistencyError::LeafCount { .. }));
}

/// The same lie, told over a longer step: whatever twigs the proof names, it is refused.
#[test]
fn a_twig_sealed_twice_is_seen_over_a_longer_step() {
    let mut liar = World::new();
    liar.extend(ETHEREUM, 4096..=6150, |_| 0);
    liar.publish(1_700_000_000);
    liar.publish(1_700_000_012);
    liar.extend(OPTIMISM, 0..=2047, |_| 0);
    liar.publish(1_700_000_024);
    liar.consistency(0, 2).verify(&liar.root(0), &liar.root(2)).expect("not a lie yet");
    let due = liar.leaves[1];
    let forged_root =
        twig::build(ETHEREUM, TwigIndex(2), [(BlockNumber(4097), Hash([9; 32]))]).root();
    liar.leaves[1] = (ETHEREUM, TwigIndex(2), forged_root);
    let leaves = [0, 1].map(|at| twig::twig_leaf(ETHEREUM, TwigIndex(2), &liar.leaves[at].2));
    let blob = &mut liar.published[2].blob;
    blob.mini_mmrs[0].range_root = node(&leaves[0], &leaves[1]);
    blob.super_root.tree_root = blob.tree().root();
    blob.check().expect("the counts agree");
    let twig = |(chain, twig_index, twig_root)| AppendedTwig { chain, twig_index, twig_root };
    let (sealed, again) = (twig(liar.leaves[0]), twig(liar.leaves[1]));
    let due = twig(due);
    let named = |appended: &[AppendedTwig]| {
        let mut proof = liar.consistency(0, 2);
        proof.appended = appended.to_vec();
        proof.history.verify(&liar.root(0), &liar.root(2)).expect("no SuperRoot was rewritten");
        proof.verify(&liar.root(0), &liar.root(2)).unwrap_err()
    };
    let appended = |position| ConsistencyError::Appended { position };
    assert_eq!(named(&[again]), appended(0));
    assert_eq!(named(&[sealed]), appended(0));
    assert_eq!(named(&[]), appended(0));
    let range_root = "Mini-MMR range root";
    let error = named(&[due, again]);
    assert!(matches!(error, ConsistencyError::Mismatch { what, .. } if what == range_root));
    for twig_root in [due.twig_root, again.twig_root] {
        let error = named(&[AppendedTwig { twig_root, ..due }]);
        assert!(matches!(error, ConsistencyError::Mismatch { what, .. } if what == range_root));
    }
    let neighbours = liar.consistency(1, 2).verify(&liar.root(1), &liar.root(2));
    assert_eq!(neighbours, Err(appended(0)));
    let mut replay = Replay::new();
    accepted(&mut replay, &liar.published[0]).unwrap();
    accepted(&mut replay, &liar.published[1]).unwrap();
    assert!(accepted(&mut replay, &liar.published[2]).is_err());
}
