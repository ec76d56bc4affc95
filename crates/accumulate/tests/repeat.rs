//! Laws of an older copy that catches up: what was published comes out again, byte for byte, and
//! nothing is published anew before.

use crate::support;

use std::sync::Arc;

use superroot_accumulate::{
    AccumulateError, AccumulateProgress, Accumulator, PublishedTarget, Successors, load_goal,
    put_goal, recompute,
};
use superroot_chain::ChainRegistry;
use superroot_proof::note::{Checkpoint, KeyKind, Signer};
use superroot_store::{MemoryStore, ScanOrder, Store, Table, WriteBatch, read};
use superroot_types::{Hash, LogSize, Sequence, UnixSeconds};
use support::*;

fn signer(secret: u8) -> Signer {
    Signer::new(ORIGIN, KeyKind::Log, &[secret; 32]).unwrap()
}

/// The log in that store, signed.
fn open(store: Arc<dyn Store>) -> Log {
    let mut log = Log::over(store);
    log.accumulator = log.accumulator.signed_by(vec![signer(1)]).unwrap();
    log
}

fn rows(store: &dyn Store, table: Table) -> Vec<(Vec<u8>, Vec<u8>)> {
    store.scan(table, b"", None, usize::MAX, ScanOrder::Rising).unwrap()
}

/// A copy of all tables, or of some.
fn copy(from: &dyn Store, into: &dyn Store, tables: &[Table]) {
    let mut batch = WriteBatch::new();
    for table in tables {
        for (key, value) in rows(from, *table) {
            batch.put(*table, key, value);
        }
    }
    into.commit(batch).unwrap();
}

/// What a log publishes.
const PUBLISHED: [Table; 7] = [
    Table::SuperRoot,
    Table::SuperRootByHash,
    Table::Note,
    Table::MiniMmrLeaf,
    Table::MiniMmrNode,
    Table::HistoryNode,
    Table::Registry,
];
/// What is collected of chains.
const COLLECTED: [Table; 5] =
    [Table::ChainState, Table::Block, Table::Body, Table::Transaction, Table::Evidence];
/// Below it blocks are mostly empty, and quick to make.
const QUIET: u64 = 9_000;

/// A log of 9 SuperRoots, copied after the fourth: chains grow, begin, seal twigs and are filled
/// backwards between.
fn story() -> (Log, Arc<dyn Store>) {
    let (ethereum, base) = (chain("ethereum", QUIET), chain("base", QUIET));
    let mut log = open(Arc::new(MemoryStore::new()));
    for number in 2_040..2_044 {
        log.extend(&ethereum, [number]);
        log.step(100 + number);
    }
    let older: Arc<dyn Store> = Arc::new(MemoryStore::new());
    copy(&*log.store, &*older, &Table::ALL);
    log.extend(&base, [2_048, 2_049]);
    log.step(5_000);
    log.extend(&ethereum, [2_044, 2_050]); // seals a twig
    log.step(5_000); // within the same second
    log.extend(&base, [4_095, 4_096]);
    log.extend(&ethereum, [2_051]);
    log.step(5_010);
    log.fill_down(&base, 0);
    log.extend(&base, [4_097]);
    log.step(5_020);
    log.extend(&ethereum, [2_052]);
    log.step(4_000); // a clock that was put back
    assert_eq!(rows(&*log.store, Table::SuperRoot).len(), 9);
    (log, older)
}

fn targets(log: &Log, from: Sequence) -> Vec<PublishedTarget> {
    let target = |sequence| PublishedTarget::load(&*log.store, sequence).unwrap();
    (from.0..).map(Sequence).map_while(target).collect()
}

/// Writes down what is to come out again.
fn plan(older: &dyn Store, targets: &[PublishedTarget]) -> Result<(), AccumulateError> {
    let mut successors = Successors::of(older, signer(1).verifier().clone())?;
    let mut batch = WriteBatch::new();
    put_goal(&mut batch, targets.last().unwrap().sequence());
    for target in targets {
        successors.take(&mut batch, target)?;
    }
    older.commit(batch).map_err(AccumulateError::from)
}

#[test]
fn what_was_published_comes_out_again_byte_for_byte() {
    let (mut log, older) = story();
    plan(&*older, &targets(&log, Sequence(4))).unwrap();
    copy(&*log.store, &*older, &COLLECTED);
    let mut again = open(older.clone());
    for sequence in 4..9 {
        // opened anew in the middle: what stands goes on
        if sequence == 6 {
            again = open(older.clone());
        }
        let progress = again.step(9_999);
        assert!(
            matches!(progress, AccumulateProgress::Advanced { sequence: got, .. } if got == Sequence(sequence))
        );
    }
    for table in PUBLISHED {
        assert_eq!(rows(&*older, table), rows(&*log.store, table), "{table}");
    }
    assert_eq!(load_goal(&*older).unwrap(), None);
    let left = rows(&*older, Table::Meta);
    assert!(!left.iter().any(|(key, _)| key.starts_with(b"repeat")), "{left:?}");
    assert_eq!(recompute(&*older, &mut |_, _| ()).unwrap().super_roots, 9);
    // and both go on alike
    let ethereum = chain("ethereum", QUIET);
    for log in [&mut log, &mut again] {
        assert_eq!(log.step(10_000), AccumulateProgress::Idle);
        log.extend(&ethereum, [2_053]);
        assert!(matches!(
            log.step(10_000),
            AccumulateProgress::Advanced { sequence: Sequence(9), .. }
        ));
    }
    assert_eq!(rows(&*older, Table::Note), rows(&*log.store, Table::Note));
}

#[test]
fn a_super_root_waits_for_its_blocks_and_none_comes_before_it() {
    let (log, older) = story();
    let (ethereum, base) = (chain("ethereum", QUIET), chain("base", QUIET));
    let again = open(older.clone());
    again.extend(&base, [2_048]);
    plan(&*older, &targets(&log, Sequence(4))).unwrap();
    let mut again = open(older.clone());
    let waits = |again: &mut Log, wanted: u64, words: &str| match again.step(9_999) {
        AccumulateProgress::Waiting { sequence, goal: Sequence(8), why } => {
            assert!(sequence == Sequence(wanted) && why.contains(words), "{sequence} {why}");
        }
        other => panic!("{other:?}"),
    };
    let comes = |again: &mut Log, wanted: u64| {
        let progress = again.step(9_999);
        let AccumulateProgress::Advanced { sequence, .. } = progress else {
            panic!("{progress:?}")
        };
        assert_eq!(sequence, Sequence(wanted));
    };
    waits(&mut again, 4, "block 2049 of chain evm:8453 is needed, the newest held is 2048");
    again.extend(&ethereum, [2_044, 2_050, 2_051, 2_052]);
    waits(&mut again, 4, "block 2049 of chain evm:8453 is needed");
    again.extend(&base, [2_049]);
    comes(&mut again, 4);
    comes(&mut again, 5);
    waits(&mut again, 6, "block 4096");
    again.extend(&base, [4_095, 4_096, 4_097]);
    comes(&mut again, 6);
    waits(&mut again, 7, "superroot backfill");
    again.fill_down(&base, 0);
    comes(&mut again, 7);
    comes(&mut again, 8);
    assert_eq!(rows(&*older, Table::SuperRoot), rows(&*log.store, Table::SuperRoot));
}

/// A restore that was cut off: what is there comes out, and nothing is published anew behind it.
#[test]
fn on_half_of_a_plan_nothing_is_published_anew() {
    let (log, older) = story();
    let all = targets(&log, Sequence(4));
    plan(&*older, &all[..2]).unwrap();
    let mut batch = WriteBatch::new();
    put_goal(&mut batch, Sequence(8));
    older.commit(batch).unwrap();
    copy(&*log.store, &*older, &COLLECTED);
    let mut again = open(older.clone());
    for sequence in [4, 5] {
        let progress = again.step(9_999);
        assert!(
            matches!(progress, AccumulateProgress::Advanced { sequence: got, .. } if got == Sequence(sequence))
        );
    }
    for _ in 0..3 {
        let AccumulateProgress::Waiting { sequence: Sequence(6), why, .. } = again.step(9_999)
        else {
            panic!()
        };
        assert!(why.contains("superroot restore"), "{why}");
    }
    plan(&*older, &all[2..]).unwrap();
    assert!(matches!(
        again.step(9_999),
        AccumulateProgress::Advanced { sequence: Sequence(6), .. }
    ));
}

#[test]
fn another_block_is_refused_and_nothing_is_written() {
    let (log, older) = story();
    plan(&*older, &targets(&log, Sequence(4))[..2]).unwrap();
    let mut again = open(older.clone());
    again.extend(&chain("base", QUIET), [2_048, 2_049]);
    assert!(matches!(
        again.step(9_999),
        AccumulateProgress::Advanced { sequence: Sequence(4), .. }
    ));
    again.extend(&chain_of("ethereum", QUIET, 6), [2_046, 2_050]);
    let before = PUBLISHED.map(|table| rows(&*older, table));
    for _ in 0..2 {
        let error = again.accumulator.step(UnixSeconds(9_999)).unwrap_err();
        let AccumulateError::Differs { sequence: Sequence(5), ref what, .. } = error else {
            panic!("{error}")
        };
        assert!(what.contains("block 2050 of chain evm:1"), "{what}");
        assert_eq!(PUBLISHED.map(|table| rows(&*older, table)), before);
    }
}

/// Only what the log's own key signed, in the order in which it did, is written down.
#[test]
fn what_is_not_the_next_of_this_log_is_refused() {
    let (log, older) = story();
    let good = targets(&log, Sequence(4));
    let refused = |bent: PublishedTarget| match plan(&*older, &[bent]) {
        Err(AccumulateError::Target { why, .. }) => why,
        other => panic!("{other:?}"),
    };
    let bend = |change: &dyn Fn(&mut PublishedTarget)| {
        let mut bent = good[0].clone();
        change(&mut bent);
        refused(bent)
    };
    assert!(refused(good[1].clone()).contains("another one comes next"));
    assert!(bend(&|one| one.published.references[0].1.block_hash = Hash([9; 32])).contains("root"));
    assert!(bend(&|one| one.published.hash = Hash([9; 32])).contains("root"));
    assert!(bend(&|one| one.published.mini_mmrs[0].leaf_count.0 += 1).contains("root"));
    assert!(bend(&|one| one.published.registry_root = Hash([9; 32])).contains("root"));
    assert!(bend(&|one| one.note = good[1].note.clone()).contains("note"));
    assert!(bend(&|one| one.note = String::new()).contains("note"));
    // by another key, though all of it fits
    let text = |note: &str| note.split_once("\n\n").unwrap().0.to_owned() + "\n";
    let other_key = signer(2).sign(&text(&good[0].note), 0).to_string();
    assert!(bend(&|one| one.note = other_key.clone()).contains("no signature"));
    // a whole SuperRoot 4 that does not follow from this folder's: signed by the key, in another log
    let mut fork = open(Arc::new(MemoryStore::new()));
    let base = chain("base", 0);
    for number in 0..6 {
        fork.extend(&base, [number]);
        fork.step(100_000 + number);
    }
    assert!(refused(targets(&fork, Sequence(4)).remove(0)).contains("the log has forked"));
    // an earlier time under a note that fits it
    let mut early = good[0].clone();
    early.published.super_root.timestamp = UnixSeconds(1);
    early.published.hash = early.published.super_root.hash();
    let root = Checkpoint { origin: ORIGIN.to_owned(), size: LogSize(5), root: Hash::ZERO };
    early.note = signer(1).sign(&root.to_string(), 0).to_string();
    assert!(refused(early).contains("does not follow"));
    plan(&*older, &good).unwrap();
}

/// A build whose rows are fewer than those that the log has by then must not go on with it.
#[test]
fn rows_that_the_log_took_in_meanwhile_are_needed() {
    let (log, older) = story();
    let mut goal = targets(&log, Sequence(4));
    let rows = ChainRegistry::builtin().proof_registry().rows().to_vec();
    let fewer =
        superroot_proof::registry::LogRegistry::new(rows[..rows.len() - 1].to_vec()).unwrap();
    plan(&*older, &goal).unwrap();
    let opened = Accumulator::open(older, fewer, ORIGIN).map(drop);
    assert!(matches!(opened, Err(AccumulateError::Registry { .. })), "{opened:?}");
    assert_eq!(goal.pop().unwrap().sequence(), Sequence(8));
}

/// An empty folder with the key alone: each chain is collected from where the log has it at last.
#[test]
fn an_empty_store_gets_the_whole_log() {
    let (log, _) = story();
    let store: Arc<dyn Store> = Arc::new(MemoryStore::new());
    drop(open(store.clone()));
    plan(&*store, &targets(&log, Sequence(0))).unwrap();
    let base = chain("base", QUIET);
    let state = read::load_chain_state(&*store, base.key()).unwrap();
    assert_eq!(state.unwrap().start.0, 0, "where the log has it in the end, not where it began");
    copy(&*log.store, &*store, &COLLECTED);
    let mut again = open(store.clone());
    while again.accumulator.goal().unwrap().is_some() {
        assert!(matches!(again.step(9_999), AccumulateProgress::Advanced { .. }));
    }
    for table in PUBLISHED {
        assert_eq!(rows(&*store, table), rows(&*log.store, table), "{table}");
    }
}

/// Between the commit of a SuperRoot and its showing nobody sees it, and it is shown once.
#[test]
fn what_is_committed_is_shown_when_it_is_said_so() {
    let (mut log, ethereum) = (open(Arc::new(MemoryStore::new())), chain("ethereum", 0));
    log.extend(&ethereum, [0]);
    let (board, none) = (log.accumulator.board(), Default::default());
    let made = log.accumulator.commit_without(&none, UnixSeconds(100)).unwrap();
    assert!(matches!(made, AccumulateProgress::Advanced { sequence: Sequence(0), .. }));
    assert!(board.latest().is_none() && log.accumulator.newest().is_some());
    let root = log.accumulator.history_root(LogSize(1)).unwrap();
    let note = log.accumulator.note(LogSize(1)).unwrap().unwrap();
    assert_eq!(Checkpoint::parse(note.text()).unwrap().root, root.unwrap());
    assert_eq!(log.accumulator.history_root(LogSize(2)).unwrap(), None);
    assert_eq!(log.step(200), AccumulateProgress::Idle);
    assert_eq!(board.latest().unwrap().super_root.sequence, Sequence(0));
}
