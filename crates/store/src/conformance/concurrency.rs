//! Concurrency laws.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use super::home::{Home, all, commit, get};
use crate::{StoreError, Table, WriteBatch};

/// The writer raises two rows in one table and one in another together; a reader never finds a smaller number in the
/// next row.
pub(super) fn readers_see_whole_batches(home: &dyn Home) {
    const ROUNDS: u64 = 200;
    let store = home.open();
    let number = |value: Option<Vec<u8>>| {
        value.map_or(0, |value| u64::from_be_bytes(value.try_into().expect("eight bytes")))
    };
    let done = AtomicBool::new(false);
    std::thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                let mut seen = 0;
                while !done.load(Ordering::SeqCst) {
                    let first = number(get(&*store, Table::Body, b"first"));
                    let other = number(get(&*store, Table::Block, b"other"));
                    let rows = all(&*store, Table::Body);
                    let both: Vec<u64> =
                        rows.into_iter().map(|(_, value)| number(Some(value))).collect();
                    assert!(seen <= first && first <= other, "{seen}, {first}, {other}");
                    seen = both.first().copied().unwrap_or(0);
                    assert!(both.iter().all(|number| *number == seen), "half a batch: {both:?}");
                    assert!(other <= seen, "{other}, then {seen}");
                }
            });
        }
        for round in 1..=ROUNDS {
            commit(&*store, |batch| {
                batch.put(Table::Body, b"first", round.to_be_bytes());
                batch.put(Table::Body, b"second", round.to_be_bytes());
                batch.put(Table::Block, b"other", round.to_be_bytes());
            });
        }
        done.store(true, Ordering::SeqCst);
    });
    assert_eq!(number(get(&*store, Table::Body, b"second")), ROUNDS);
}

/// In each round, every thread expects the previous head and sets a new one.
pub(super) fn of_competing_writers_one_wins(home: &dyn Home) {
    const ROUNDS: u8 = 20;
    const WRITERS: u8 = 8;
    let store = home.open();
    commit(&*store, |batch| _ = batch.put(Table::Meta, b"head", []));
    let barrier = std::sync::Barrier::new(usize::from(WRITERS));
    let wins: Vec<AtomicUsize> = (0..ROUNDS).map(|_| AtomicUsize::new(0)).collect();
    std::thread::scope(|scope| {
        for writer in 0..WRITERS {
            let store = &store;
            let barrier = &barrier;
            let wins = &wins;
            scope.spawn(move || {
                for round in 0..ROUNDS {
                    barrier.wait();
                    let head = get(&**store, Table::Meta, b"head");
                    barrier.wait(); // everyone has read the head of this round
                    let mut batch = WriteBatch::new();
                    batch.expect(Table::Meta, b"head", head.as_deref());
                    batch.put(Table::Meta, b"head", [round, writer]);
                    batch.put(Table::Block, [round], [writer]);
                    match store.commit(batch) {
                        Ok(()) => _ = wins[usize::from(round)].fetch_add(1, Ordering::SeqCst),
                        Err(StoreError::Conflict { table: Table::Meta }) => {}
                        Err(error) => panic!("round {round}: {error}"),
                    }
                }
            });
        }
    });
    for (round, wins) in wins.iter().enumerate() {
        assert_eq!(wins.load(Ordering::SeqCst), 1, "round {round}");
    }
    let last = get(&*store, Table::Block, &[ROUNDS - 1]).expect("the last round has a winner");
    assert_eq!(get(&*store, Table::Meta, b"head"), Some(vec![ROUNDS - 1, last[0]]));
    assert_eq!(store.commit_count(), u64::from(ROUNDS) + 1);
}
