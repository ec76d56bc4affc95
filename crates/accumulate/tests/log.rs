//! Laws of the log: what is published follows from the blocks, and comes out again.

use crate::support;

use std::collections::BTreeSet;
use std::sync::Arc;

use superroot_accumulate::prove::{ProveError, Prover};
use superroot_accumulate::{
    AccumulateError, AccumulateProgress, Accumulator, load_origin, recompute,
};
use superroot_chain::ChainRegistry;
use superroot_proof::bundle::{Policy, ShownPlace, verify_anchored};
use superroot_proof::registry::{HashRuleFrom, LogRegistry};
use superroot_proof::superroot::SuperRootHistory;
use superroot_proof::twig;
use superroot_store::{MemoryStore, ScanOrder, Store, Table, WriteBatch, read};
use superroot_types::*;
use support::*;

fn policy() -> Policy<'static> {
    Policy::strict(ChainRegistry::builtin().proof_registry())
}

/// Checks that a SuperRoot extends another.
fn extends(prover: &Prover, from: u64, to: u64) {
    let root = |n| prover.published(SuperRootRef::Sequence(n)).unwrap().hash;
    let (_, twigs) = prover.appended(Some(Sequence(from)), Sequence(to), u64::MAX).unwrap();
    let proof = prover.full_consistency(Sequence(from), Sequence(to)).unwrap();
    proof.verify(&root(Sequence(from)), &root(Sequence(to)), &twigs.unwrap()).unwrap();
}

fn recomputed(store: &dyn Store) -> superroot_accumulate::RecomputedLog {
    recompute(store, &mut |_, _| ()).unwrap()
}

#[test]
fn nothing_new_publishes_nothing() {
    let (mut log, ethereum) = (Log::new(), chain("ethereum", 0));
    assert_eq!(log.step(100), AccumulateProgress::Idle);
    log.extend(&ethereum, 0..3);
    assert!(matches!(
        log.step(100),
        AccumulateProgress::Advanced { sequence: Sequence(0), sealed_twigs: 0, .. }
    ));
    assert_eq!(log.step(112), AccumulateProgress::Idle);
    log.extend(&ethereum, 3..4);
    assert!(matches!(log.step(124), AccumulateProgress::Advanced { sequence: Sequence(1), .. }));
}

#[test]
fn a_super_root_follows_from_its_blocks_by_the_plain_definition() {
    let (mut log, ethereum) = (Log::new(), chain("ethereum", 2000));
    log.extend(&ethereum, 0..2050);
    log.step(100);
    let published = log.prover().latest().unwrap();
    let hashes = |numbers: std::ops::Range<u64>| {
        numbers.map(|n| (BlockNumber(n), ethereum.block(n).hash())).collect::<Vec<_>>()
    };
    let key = ethereum.key();
    let (row, reference) = published.reference(key).unwrap();
    assert_eq!((row.0, reference.start.0, reference.number.0), (0, 0, 2049));
    assert_eq!(reference.block_hash, ethereum.block(2049).hash());
    assert_eq!(reference.open_twig_root, twig::build(key, TwigIndex(1), hashes(2048..2050)).root());
    let sealed = twig::build(key, TwigIndex(0), hashes(0..2048)).root();
    assert_eq!(published.mini_mmrs[0].leaf_count, LeafCount(1));
    assert_eq!(published.mini_mmrs[0].range_root, twig::twig_leaf(key, TwigIndex(0), &sealed));
    assert_eq!(published.history.leaf_count, LeafCount(0));
    assert_eq!(published.super_root.timestamp, UnixSeconds(100));
    assert_eq!(recomputed(&*log.store).blocks, 2050);
}

#[test]
fn twigs_are_appended_in_order_of_chain_and_twig() {
    let (mut log, ethereum, base) = (Log::new(), chain("ethereum", 9000), chain("base", 9000));
    log.extend(&base, [5, 2047, 4097]);
    log.extend(&ethereum, [4096, 6143, 8200]);
    log.step(100);
    let leaf =
        |index| read::load_mini_mmr_leaf(&*log.store, Family::Evm, LeafIndex(index)).unwrap();
    let order: Vec<_> =
        (0..).map_while(leaf).map(|leaf| (leaf.chain_id.0, leaf.twig_index.0)).collect();
    assert_eq!(order, [(1, 2), (1, 3), (8453, 0), (8453, 1)]);
    let blob = log.prover().blob(SuperRootRef::Latest).unwrap();
    blob.check().unwrap();
    let (count, twigs) = log.prover().appended(None, Sequence(0), 4).unwrap();
    assert_eq!((count, twigs.unwrap().len()), (4, 4));
    assert_eq!(
        log.prover().appended(None, Sequence(0), 3).unwrap(),
        (4, None),
        "more than was asked for"
    );
}

/// A recorded ledger skips what was not recorded: wholly skipped twigs are sealed as empty ones.
#[test]
fn skipped_numbers_leave_empty_slots_and_twigs() {
    let (mut log, ethereum) = (Log::new(), chain("ethereum", 20_000));
    log.extend(&ethereum, [100, 3 * 2048 + 7, 3 * 2048 + 9, 5 * 2048 - 1]);
    log.step(100);
    let published = log.prover().latest().unwrap();
    assert_eq!(published.mini_mmrs[0].leaf_count, LeafCount(5));
    let (_, reference) = published.reference(ethereum.key()).unwrap();
    assert_eq!(reference.open_twig_root, perfect_empty());
    for number in [100, 3 * 2048 + 7, 3 * 2048 + 9, 5 * 2048 - 1] {
        let prover = log.prover();
        let bundle =
            prover.prove_block(ethereum.key(), BlockNumber(number), Some(SuperRootRef::Latest));
        let facts = verify_anchored(&bundle.unwrap(), &policy(), &published.hash).unwrap();
        assert!(matches!(facts.place, Some(ShownPlace::Sealed { leaf_count: LeafCount(5), .. })));
    }
    let missing =
        log.prover().prove_block(ethereum.key(), BlockNumber(101), Some(SuperRootRef::Latest));
    assert!(matches!(missing, Err(ProveError::NotFound { .. })));
    assert_eq!(recomputed(&*log.store).sealed_twigs, 5);
}

fn perfect_empty() -> Hash {
    superroot_proof::perfect::empty_root(TWIG_HEIGHT)
}

/// However the blocks come in, in one step or in many, and wherever the process stops in between:
/// the last SuperRoot's Mini-MMRs and references are the same.
#[test]
fn steps_and_restarts_do_not_change_what_is_committed() {
    let ethereum = chain("ethereum", 4000);
    let mut whole = Log::new();
    whole.extend(&ethereum, 0..4110);
    whole.step(100);
    let mut parts = Log::new();
    for (part, end) in [1, 2, 700, 2047, 2048, 2049, 4095, 4096, 4110].windows(2).enumerate() {
        parts.extend(&ethereum, if part == 0 { 0 } else { end[0] }..end[1]);
        parts.step(200 + part as u64);
        if part % 2 == 1 {
            parts = Log::over(parts.store);
        }
    }
    let (one, other) = (whole.prover().latest().unwrap(), parts.prover().latest().unwrap());
    assert_eq!(one.mini_mmrs, other.mini_mmrs);
    assert_eq!(one.references, other.references);
    assert_eq!(other.super_root.sequence, Sequence(7));
    assert_eq!(recomputed(&*parts.store).super_roots, 8);
}

#[test]
fn time_never_falls_and_history_holds_every_super_root() {
    let (mut log, ethereum) = (Log::new(), chain("ethereum", 0));
    for (sequence, now) in [500, 400, 600].into_iter().enumerate() {
        log.extend(&ethereum, [sequence as u64]);
        log.step(now);
    }
    let prover = log.prover();
    let times = [0, 1, 2].map(|n| prover.published(SuperRootRef::Sequence(Sequence(n))).unwrap());
    assert_eq!(times.map(|one| one.super_root.timestamp.0), [500, 500, 600]);
    let entry = |n| {
        SuperRootHistory::leaf(&prover.published(SuperRootRef::Sequence(n)).unwrap().super_root)
    };
    let hash = |left: &Hash, right: &Hash| {
        superroot_proof::hash::sha256_joined(&[&[1], &left.0, &right.0])
    };
    assert_eq!(prover.history_root(LogSize(1)).unwrap(), entry(Sequence(0)));
    assert_eq!(
        prover.history_root(LogSize(2)).unwrap(),
        hash(&entry(Sequence(0)), &entry(Sequence(1)))
    );
    let three = hash(&hash(&entry(Sequence(0)), &entry(Sequence(1))), &entry(Sequence(2)));
    assert_eq!(prover.history_root(LogSize(3)).unwrap(), three, "the checkpoint of the newest");
    assert!(matches!(prover.history_root(LogSize(4)), Err(ProveError::UnknownSuperRoot { .. })));
}

#[test]
fn every_pair_of_super_roots_is_proven_consistent() {
    let (mut log, ethereum, base) = (Log::new(), chain("ethereum", 4000), chain("base", 4000));
    for (round, numbers) in [0..5, 5..2047, 2047..2048, 2048..2100, 2100..4200].iter().enumerate() {
        log.extend(&ethereum, numbers.clone());
        if round > 1 {
            log.extend(&base, (round as u64 * 100)..(round as u64 * 100 + 50));
        }
        log.step(100 + round as u64);
    }
    let prover = log.prover();
    for from in 0..4 {
        for to in from + 1..5 {
            extends(&prover, from, to);
            let appended = |from, to| prover.appended(Some(from), to, 99).unwrap().1.unwrap();
            let steps = (from..to).flat_map(|n| appended(Sequence(n), Sequence(n + 1)));
            let mut steps: Vec<_> = steps.collect();
            steps.sort_by_key(|twig| twig.chain.family); // stable: within a family as appended
            assert_eq!(appended(Sequence(from), Sequence(to)), steps, "{from} to {to}");
        }
        assert!(matches!(
            prover.full_consistency(Sequence(from), Sequence(from)),
            Err(ProveError::Order { .. })
        ));
    }
}

/// A leaf that the store lost is said, not left out of a proof.
#[test]
fn a_lost_leaf_is_corrupt_for_a_full_proof() {
    let (mut log, ethereum) = (Log::new(), chain("ethereum", 0));
    for (round, numbers) in [0..5, 5..2050, 2050..2052].into_iter().enumerate() {
        log.extend(&ethereum, numbers);
        log.step(100 + round as u64);
    }
    let prover = log.prover();
    assert_eq!(prover.appended(Some(Sequence(0)), Sequence(2), 9).unwrap().0, 1);
    let mut lost = WriteBatch::new();
    for (key, _) in log.store.scan(Table::MiniMmrLeaf, b"", None, 9, ScanOrder::Rising).unwrap() {
        lost.delete(Table::MiniMmrLeaf, key);
    }
    log.store.commit(lost).unwrap();
    for (after, now) in [(Some(0), 2), (Some(0), 1), (None, 1)] {
        let refused = prover.appended(after.map(Sequence), Sequence(now), 9).unwrap_err();
        assert!(matches!(refused, ProveError::Corrupt { .. }), "{refused}");
    }
}

/// Two writers on one store: the second to publish stops, and nothing of its SuperRoot is there.
#[test]
fn of_two_writers_one_goes_on() {
    let ethereum = chain("ethereum", 0);
    let mut first = Log::new();
    let mut second = Log::over(first.store.clone());
    first.extend(&ethereum, 0..3);
    first.step(100);
    let refused = second.accumulator.step(UnixSeconds(101));
    assert!(matches!(refused, Err(AccumulateError::Conflict)), "{refused:?}");
    assert_eq!(recomputed(&*first.store).super_roots, 1);
    let mut again = Log::over(first.store.clone());
    again.extend(&ethereum, 3..5);
    assert!(matches!(again.step(102), AccumulateProgress::Advanced { sequence: Sequence(1), .. }));
}

#[test]
fn another_origin_or_other_rows_do_not_open_a_standing_log() {
    let (mut log, ethereum) = (Log::new(), chain("ethereum", 0));
    log.extend(&ethereum, 0..11);
    log.step(100);
    let rows = ChainRegistry::builtin().proof_registry();
    let open = |rows: &LogRegistry, origin: &str| {
        Accumulator::open(log.store.clone(), rows.clone(), origin).map(|_| ())
    };
    assert!(open(rows, ORIGIN).is_ok());
    let other = open(rows, "simulated/other");
    assert!(matches!(other, Err(AccumulateError::Origin { .. })));
    assert!(matches!(open(rows, "a b"), Err(AccumulateError::Origin { .. })));
    let bent = |change: &dyn Fn(&mut Vec<superroot_proof::registry::Profile>)| {
        let mut changed = rows.rows().to_vec();
        change(&mut changed);
        open(&LogRegistry::new(changed).unwrap(), ORIGIN)
    };
    let refused = |result| matches!(result, Err(AccumulateError::Registry { .. }));
    let named = bent(&|rows| rows.swap(0, 1)).unwrap_err().to_string();
    assert!(named.starts_with("registry row 0 differs") && named.contains("eip155:1"), "{named}");
    let named = bent(&|rows| rows[3].caip2 = "eip155:2".to_owned()).unwrap_err().to_string();
    assert!(named.contains("registry row 3 "), "{named}");
    assert!(refused(bent(&|rows| drop(rows.pop()))));
    assert!(refused(bent(&|rows| rows[0].rules[0].code = 2)));
    assert!(refused(bent(&|rows| rows[0].caip2 = "eip155:2".to_owned())));
    let rule = |from_number, code| HashRuleFrom { from_number, code };
    assert!(refused(bent(&|rows| rows[0].rules.push(rule(10, 2)))));
    assert!(bent(&|rows| rows[0].rules.push(rule(11, 2))).is_ok());
    assert!(bent(&|rows| rows[0].rules.push(rule(5, 0))).is_ok(), "a withdrawal may reach back");
    let appended = |rows: &mut Vec<superroot_proof::registry::Profile>| {
        let mut row = rows[0].clone();
        (row.chain.id, row.caip2) = (ChainId(424_242), "eip155:424242".to_owned());
        rows.push(row);
    };
    assert!(bent(&appended).is_ok(), "rows may be appended");
    assert!(refused(bent(&|rows| {
        appended(rows);
        let last = rows.pop().unwrap();
        rows.insert(1, last);
    })));
}

/// What enters a log stays in it, so it can be seen before it does.
#[test]
fn rows_and_rules_that_a_log_would_take_in_are_named_before_it_does() {
    let (mut log, ethereum) = (Log::new(), chain("ethereum", 0));
    let mut rows = ChainRegistry::builtin().proof_registry().rows().to_vec();
    let open = |log: &Log, rows: &[superroot_proof::registry::Profile]| {
        let rows = LogRegistry::new(rows.to_vec()).unwrap();
        Accumulator::open(log.store.clone(), rows, ORIGIN).unwrap()
    };
    let count = rows.len();
    let mut row = rows[0].clone();
    (row.chain.id, row.caip2) = (ChainId(424_242), "eip155:424242".to_owned());
    rows.push(row);
    rows[1].rules.push(HashRuleFrom { from_number: 1 << 40, code: 2 });
    assert_eq!(open(&log, &rows).appended().unwrap(), [], "no log stands that could be changed");
    log.extend(&ethereum, 0..11);
    log.step(100);
    assert_eq!(log.accumulator.appended().unwrap(), []);
    let mut other = open(&log, &rows);
    let named: Vec<_> = other.appended().unwrap().iter().map(ToString::to_string).collect();
    let rule = "rule 0x0002 from 1099511627776 on in row 1, eip155:10".to_owned();
    assert_eq!(named, [rule, format!("row {count}, eip155:424242")]);
    assert_eq!(other.appended().unwrap()[1].row(), RowIndex::at(count).unwrap());
    log.extend(&ethereum, 11..12);
    assert!(matches!(other.step(UnixSeconds(101)).unwrap(), AccumulateProgress::Advanced { .. }));
    assert_eq!(other.appended().unwrap(), [], "they stand now");
}

/// Blocks are an origin's from before the first of them: no other log takes them for its own, were
/// the process stopped before its first SuperRoot.
#[test]
fn blocks_that_no_super_root_commits_to_belong_to_their_origin_all_the_same() {
    let (log, ethereum) = (Log::new(), chain("ethereum", 0));
    let rows = ChainRegistry::builtin().proof_registry();
    let open = |origin: &str| Accumulator::open(log.store.clone(), rows.clone(), origin).map(drop);
    assert_eq!(load_origin(&*log.store).unwrap().as_deref(), Some(ORIGIN), "before any block");
    log.extend(&ethereum, 0..3);
    match open("recorded/other") {
        Err(AccumulateError::Origin { got, expected }) => {
            assert_eq!((got.as_str(), expected.as_str()), (ORIGIN, "recorded/other"));
        }
        other => panic!("{other:?}"),
    }
    assert!(open(ORIGIN).is_ok());
    assert_eq!(recomputed(&*log.store).super_roots, 0);
}

/// Blocks without an origin are nobody's: neither a log nor a check takes them for its own.
#[test]
fn blocks_without_an_origin_are_nobodys() {
    let (mut log, ethereum) = (Log::new(), chain("ethereum", 0));
    let rows = ChainRegistry::builtin().proof_registry();
    let forget = |log: &Log| {
        let mut batch = WriteBatch::new();
        batch.delete(Table::Meta, b"origin");
        log.store.commit(batch).unwrap();
    };
    log.extend(&ethereum, 0..3);
    forget(&log);
    let opened = Accumulator::open(log.store.clone(), rows.clone(), ORIGIN).map(drop);
    assert!(matches!(opened, Err(AccumulateError::Origin { .. })), "{opened:?}");
    assert!(recompute(&*log.store, &mut |_, _| ()).is_err());
    // a SuperRoot names its log, so its store can be given the origin again
    log.step(100);
    forget(&log);
    assert!(recompute(&*log.store, &mut |_, _| ()).is_err());
    let other = Accumulator::open(log.store.clone(), rows.clone(), "simulated/other").map(drop);
    assert!(matches!(other, Err(AccumulateError::Origin { .. })), "{other:?}");
    assert_eq!(load_origin(&*log.store).unwrap(), None, "a refusal writes nothing");
    let log = Log::over(log.store);
    assert_eq!(recomputed(&*log.store).super_roots, 1);
    let mut batch = WriteBatch::new();
    batch.put(Table::Meta, b"origin", b"simulated/other");
    log.store.commit(batch).unwrap();
    let error = recompute(&*log.store, &mut |_, _| ()).unwrap_err().to_string();
    assert!(error.contains("simulated/other"), "{error}");
    let mut batch = WriteBatch::new();
    batch.put(Table::Meta, b"origin", b"a b");
    log.store.commit(batch).unwrap();
    assert!(matches!(load_origin(&*log.store), Err(AccumulateError::Corrupt { .. })));
}

/// A withdrawn chain is frozen: no proof at or above the number, and its reference stands still.
#[test]
fn a_withdrawn_chain_is_frozen() {
    let (mut log, ethereum, base) = (Log::new(), chain("ethereum", 0), chain("base", 0));
    log.extend(&ethereum, 0..11);
    log.step(100);
    let mut rows = ChainRegistry::builtin().proof_registry().rows().to_vec();
    rows[0].rules.push(HashRuleFrom { from_number: 5, code: 0 });
    let rows = LogRegistry::new(rows).unwrap();
    log.accumulator = Accumulator::open(log.store.clone(), rows, ORIGIN).unwrap();
    log.extend(&ethereum, 11..15);
    assert!(
        matches!(log.step(110), AccumulateProgress::Advanced { sequence: Sequence(1), .. }),
        "it is announced"
    );
    assert_eq!(log.step(111), AccumulateProgress::Idle, "once");
    let prover = log.prover();
    let withdrawn = prover.prove_block(ethereum.key(), BlockNumber(5), Some(SuperRootRef::Latest));
    assert!(matches!(withdrawn, Err(ProveError::Withdrawn { .. })));
    let before = prover.prove_block(
        ethereum.key(),
        BlockNumber(5),
        Some(SuperRootRef::Sequence(Sequence(0))),
    );
    assert!(matches!(before, Err(ProveError::Withdrawn { .. })), "under an older one neither");
    extends(&prover, 0, 1);
    log.extend(&base, 0..2);
    log.step(120);
    let prover = log.prover();
    let number = |n| prover.prove_block(ethereum.key(), BlockNumber(n), Some(SuperRootRef::Latest));
    assert!(matches!(number(5), Err(ProveError::Withdrawn { .. })));
    assert!(number(4).is_ok());
    assert_eq!(prover.latest().unwrap().reference(ethereum.key()).unwrap().1.number.0, 10);
}

/// Older twigs come into the log when the run falls to them, whatever else happens in that step; all
/// of it stays provable, consistent in full, and comes out again.
#[test]
fn a_run_that_falls_brings_its_older_twigs_into_the_log() {
    let (mut log, ethereum, base) = (Log::new(), chain("ethereum", 9000), chain("base", 9000));
    let key = ethereum.key();
    log.extend(&ethereum, 3 * 2048..3 * 2048 + 20);
    log.extend(&base, 0..5);
    log.step(100);
    // alone, without a new block
    log.fill_down(&ethereum, 2 * 2048);
    assert!(matches!(
        log.step(101),
        AccumulateProgress::Advanced { sequence: Sequence(1), sealed_twigs: 1, .. }
    ));
    assert_eq!(log.step(102), AccumulateProgress::Idle);
    // over a restart, with new blocks of both chains, and a twig of its own sealed
    log.fill_down(&ethereum, 2048);
    log.extend(&ethereum, 3 * 2048 + 20..4 * 2048 + 3);
    log.extend(&base, 5..9);
    log = Log::over(log.store);
    assert!(matches!(
        log.step(103),
        AccumulateProgress::Advanced { sequence: Sequence(2), sealed_twigs: 2, .. }
    ));
    let prover = log.prover();
    let start =
        |n| prover.published(SuperRootRef::Sequence(n)).unwrap().reference(key).unwrap().1.start;
    assert_eq!([0, 1, 2].map(Sequence).map(start), [3 * 2048, 2 * 2048, 2048].map(BlockNumber));
    for (from, to) in [(0, 1), (1, 2), (0, 2)] {
        extends(&prover, from, to);
    }
    (0..3).for_each(|n| prover.blob(SuperRootRef::Sequence(Sequence(n))).unwrap().check().unwrap());
    for (number, first) in [(2048, 2), (4095, 2), (4096, 1), (6143, 1), (6144, 0), (8194, 2)] {
        for sequence in 0..3 {
            let at = SuperRootRef::Sequence(Sequence(sequence));
            let proof = prover.prove_block(key, BlockNumber(number), Some(at));
            assert_eq!(proof.is_ok(), sequence >= first, "block {number} in {sequence}");
            if let Ok(proof) = proof {
                verify_anchored(&proof, &policy(), &prover.published(at).unwrap().hash).unwrap();
            }
        }
    }
    let below =
        prover.prove_block(key, BlockNumber(4095), Some(SuperRootRef::Sequence(Sequence(1))));
    assert!(matches!(below, Err(ProveError::BeforeStart { .. })));
    let done = recomputed(&*log.store);
    assert_eq!((done.super_roots, done.sealed_twigs), (3, 3));
    assert_eq!(done.blocks, 3 * 2048 + 3 + 9 - 2048 + 2048);
}

/// However the run came to be, the newest reference is the same; only the order of leaves differs.
#[test]
fn a_run_filled_backwards_ends_in_the_same_reference() {
    let ethereum = chain("ethereum", 9000);
    let (mut forward, mut backward) = (Log::new(), Log::new());
    forward.extend(&ethereum, 0..4100);
    forward.step(100);
    backward.extend(&ethereum, 4096..4100);
    backward.step(100);
    backward.fill_down(&ethereum, 2048);
    backward.step(101);
    backward.fill_down(&ethereum, 0);
    backward.step(102);
    let reference =
        |log: &Log| *log.prover().latest().unwrap().reference(ethereum.key()).unwrap().1;
    assert_eq!(reference(&forward), reference(&backward));
    let leaf = |log: &Log, index| {
        read::load_mini_mmr_leaf(&*log.store, Family::Evm, index).unwrap().unwrap()
    };
    assert_eq!(leaf(&forward, LeafIndex(0)), leaf(&backward, LeafIndex(1)));
    assert_eq!(leaf(&forward, LeafIndex(1)), leaf(&backward, LeafIndex(0)));
}

/// Older blocks that do not lead up to the run are not taken for it.
#[test]
fn older_blocks_of_another_line_are_refused() {
    let (mut log, ethereum) = (Log::new(), chain("ethereum", 9000));
    log.extend(&ethereum, 2048..2050);
    log.step(100);
    let mut state = read::load_chain_state(&*log.store, ethereum.key()).unwrap().unwrap();
    state.start = BlockNumber(0);
    let mut batch = WriteBatch::new();
    superroot_store::write::put_chain_state(&mut batch, ethereum.key(), &state);
    log.store.commit(batch).unwrap();
    let refused = log.accumulator.step(UnixSeconds(101));
    assert!(matches!(refused, Err(AccumulateError::Corrupt { .. })), "{refused:?}");
}

/// Anything of a published log that is changed or taken away is found.
#[test]
fn every_row_of_a_published_log_matters() {
    let (mut log, ethereum) = (Log::new(), chain("ethereum", 2030));
    log.extend(&ethereum, 2040..2060);
    log.step(100);
    log.extend(&ethereum, 2060..2064);
    log.step(112);
    let good = recomputed(&*log.store);
    assert_eq!((good.super_roots, good.blocks, good.sealed_twigs), (2, 24, 1));
    let tables = [Table::Block, Table::Body, Table::SuperRoot, Table::SuperRootByHash];
    for table in [&tables[..], &[Table::Registry]].concat() {
        let rows = log.store.scan(table, b"", None, 100, ScanOrder::Rising);
        for (key, value) in rows.unwrap() {
            let mut missing = WriteBatch::new();
            missing.delete(table, key.clone());
            log.store.commit(missing).unwrap();
            let found = recompute(&*log.store, &mut |_, _| ());
            assert!(found.is_err(), "a missing row of {table} was not noticed");
            let mut bent = value.clone();
            let last = bent.len() - 1;
            bent[last / 2] ^= 1;
            let mut changed = WriteBatch::new();
            changed.put(table, key.clone(), bent);
            log.store.commit(changed).unwrap();
            let found = recompute(&*log.store, &mut |_, _| ());
            assert!(found.is_err(), "a changed row of {table} was not noticed");
            let mut restored = WriteBatch::new();
            restored.put(table, key, value);
            log.store.commit(restored).unwrap();
        }
    }
    assert_eq!(recomputed(&*log.store), good);
    let rows = ChainRegistry::builtin().proof_registry();
    for table in [Table::MiniMmrNode, Table::HistoryNode] {
        let rows_of = log.store.scan(table, b"", None, 1, ScanOrder::Rising);
        let (key, value) = rows_of.unwrap().remove(0);
        let mut missing = WriteBatch::new();
        missing.delete(table, key.clone());
        log.store.commit(missing).unwrap();
        let opened = Accumulator::open(log.store.clone(), rows.clone(), ORIGIN).map(|_| ());
        assert!(matches!(opened, Err(AccumulateError::Corrupt { .. })), "{table}");
        let mut restored = WriteBatch::new();
        restored.put(table, key, value);
        log.store.commit(restored).unwrap();
    }
}

/// A chain that stands still while another advances keeps its reference, and recomputes.
#[test]
fn a_chain_may_stand_still() {
    let (mut log, ethereum, base) = (Log::new(), chain("ethereum", 0), chain("base", 0));
    log.extend(&ethereum, 0..3);
    log.extend(&base, 0..3);
    log.step(100);
    for round in 0..3 {
        log.extend(&base, 3 + round..4 + round);
        log.step(112 + round);
    }
    log.extend(&ethereum, 3..5);
    log.step(130);
    let done = recomputed(&*log.store);
    assert_eq!((done.super_roots, done.blocks), (5, 11));
    let prover = log.prover();
    extends(&prover, 0, 4);
}

#[test]
fn an_empty_store_recomputes_to_nothing() {
    let store: Arc<dyn Store> = Arc::new(MemoryStore::new());
    assert_eq!(recomputed(&*store), superroot_accumulate::RecomputedLog::default());
}

/// What a chain's nodes took back is not published, whatever else is, until they stand by it again:
/// not while the chain is halted, nor when the halt alone is gone.
#[test]
fn what_nodes_took_back_is_not_published_until_a_later_block_stands_on_it() {
    let (mut log, ethereum, base) = (Log::new(), chain("ethereum", 9000), chain("base", 0));
    let key = ethereum.key();
    log.extend(&ethereum, 0..4);
    log.step(100);
    log.extend(&ethereum, 4..10);
    log.take_back(&ethereum, 7);
    log.extend(&base, 0..2);
    let anchored = |log: &Log| log.prover().latest().unwrap().reference(key).unwrap().1.number.0;
    assert!(matches!(log.step(110), AccumulateProgress::Advanced { .. }));
    assert_eq!(anchored(&log), 6, "what is below stands");
    assert_eq!(log.step(120), AccumulateProgress::Idle);
    let mut cleared = WriteBatch::new();
    superroot_store::write::clear_halt(&mut cleared, key);
    log.store.commit(cleared).unwrap();
    log = Log::over(log.store);
    log.extend(&base, 2..3);
    log.step(130);
    assert_eq!(anchored(&log), 6, "nobody stood by them since");
    log.extend(&ethereum, 10..11);
    log.step(140);
    assert_eq!(anchored(&log), 10, "a final block stands on them");
    // an anchored one that is taken back stays, and what stands on it is not added
    log.extend(&ethereum, 11..13);
    log.take_back(&ethereum, 8);
    assert_eq!(log.step(150), AccumulateProgress::Idle);
    assert_eq!((anchored(&log), recomputed(&*log.store).super_roots), (10, 4));
}

/// A chain that is taken back to its first block is not published at all.
/// While it is not known how far down nodes contradict a chain, nothing more of it is committed to;
/// other chains go on.
#[test]
fn of_a_chain_in_doubt_nothing_new_is_published() {
    let (mut log, doubted, other) = (Log::new(), chain("ethereum", 0), chain("base", 0));
    log.extend(&doubted, 0..5);
    log.accumulator.step(UnixSeconds(1)).unwrap();
    log.extend(&doubted, 5..9);
    let doubts = BTreeSet::from([doubted.key()]);
    assert_eq!(
        log.accumulator.step_without(&doubts, UnixSeconds(2)).unwrap(),
        AccumulateProgress::Idle
    );
    log.extend(&other, 0..3);
    log.accumulator.step_without(&doubts, UnixSeconds(3)).unwrap();
    let number = |log: &Log, chain: &Chain| {
        let latest = log.accumulator.board().latest().unwrap();
        latest.reference(chain.key()).unwrap().1.number.0
    };
    assert_eq!((number(&log, &doubted), number(&log, &other)), (4, 2));
    log.accumulator.step(UnixSeconds(4)).unwrap();
    assert_eq!(number(&log, &doubted), 8, "it was none");
    recomputed(&*log.store);
}

#[test]
fn a_chain_taken_back_whole_is_not_published() {
    let (mut log, ethereum) = (Log::new(), chain("ethereum", 9000));
    log.extend(&ethereum, 0..4);
    log.take_back(&ethereum, 0);
    assert_eq!(log.step(100), AccumulateProgress::Idle);
}
