//! Laws of usage checkpoints: what is fixed stays, each account finds its own usage in it, and nothing else passes.

use crate::support;

use std::sync::Arc;

use superroot_account::meter::{CountedRequest, MeteredCaller, RouteNumber};
use superroot_account::usage::{
    AccountUsage, CheckpointEvent, MissingRows, Pruner, UsageCheckpoint, UsageCheckpoints,
};
use superroot_account::{Day, Environment, Flusher, Meter, MeterConfig};
use superroot_proof::usage::{UsageDay, verify_leaf};
use superroot_store::{MemoryStore, Store, Table};
use superroot_types::{Address, Hash, UnixSeconds};
use support::*;

const CONTRACT: Address = Address([7; 20]);

struct Bench {
    store: Arc<MemoryStore>,
    checkpoints: UsageCheckpoints,
}

impl Bench {
    fn new() -> Self {
        let store = Arc::new(MemoryStore::new());
        let checkpoints = UsageCheckpoints::new(store.clone(), Environment::Test);
        Self { store, checkpoints }
    }

    fn count(&self, counted: impl IntoIterator<Item = CountedRequest>) {
        let meter = Meter::new(&MeterConfig::default());
        counted.into_iter().for_each(|counted| meter.count(&counted));
        Flusher::default().flush(&meter, &*self.store, UnixSeconds(NOW)).unwrap();
    }

    fn fix(&self, day: Day, sequence: u64) -> UsageCheckpoint {
        self.checkpoints.fix(day, CONTRACT, sequence).unwrap()
    }

    fn usage(&self, checkpoint: &UsageCheckpoint, account: u8) -> Option<AccountUsage> {
        self.checkpoints.usage(checkpoint, id(account)).unwrap()
    }
}

fn today() -> Day {
    Day::of(UnixSeconds(NOW))
}

/// A request of an account, so many seconds after the day's begin.
fn asked(account: u8, after: u64, route: u16) -> CountedRequest {
    let at = UnixSeconds(today().start().0 + after);
    CountedRequest { at, route: RouteNumber(route), ..request(account) }
}

fn check(usage: &UsageDay, own: &AccountUsage) {
    assert_eq!(verify_leaf(usage, &own.leaf, own.index, &own.path), Ok(()));
}

#[test]
fn every_account_of_a_day_is_in_its_root_with_its_own_rows_alone() {
    let bench = Bench::new();
    let midnight = [asked(3, 86_400, 1), asked(4, 86_399, 1)];
    let rows = (0..50).flat_map(|account| {
        (0..=account % 5).map(move |hour| asked(account, u64::from(hour) * 3_600, hour.into()))
    });
    bench.count(rows.chain(midnight));
    let keyless = MeteredCaller::Keyless;
    bench.count([CountedRequest { caller: keyless, ..asked(0, 1, 1) }]);
    let fixed = bench.fix(today(), 0);
    assert_eq!(fixed.usage.accounts, 50);
    for account in 0..50 {
        let own = bench.usage(&fixed, account).unwrap();
        check(&fixed.usage, &own);
        let more = u64::from(account == 4);
        assert_eq!(own.leaf.requests, u64::from(account) % 5 + 1 + more, "{account}");
        let rows = own.rows.as_ref().unwrap();
        assert_eq!(rows.iter().map(|row| row.requests).sum::<u64>(), own.leaf.requests);
        assert!(rows.iter().all(|row| row.hour.day() == today()));
        let other = UsageDay { day: today().number() + 1, ..fixed.usage };
        assert_ne!(other.root(), fixed.usage.root());
    }
    assert_eq!(bench.usage(&fixed, 99), None);
    let live = UsageCheckpoints::new(bench.store.clone(), Environment::Live);
    assert_eq!(live.newest().unwrap(), None);
    assert_eq!(live.fix(today(), CONTRACT, 0).unwrap().usage.accounts, 0, "another environment");
}

/// A root once fixed stays: late counts change neither the root nor the leaf, and the rows say so.
#[test]
fn what_is_counted_late_changes_no_root() {
    let bench = Bench::new();
    bench.count([asked(1, 0, 1), asked(2, 0, 1)]);
    let fixed = bench.fix(today(), 4);
    let before = bench.usage(&fixed, 1).unwrap();
    bench.count([asked(1, 10, 1)]);
    assert_eq!(bench.fix(today(), 9), fixed, "neither root nor sequence");
    let after = bench.usage(&fixed, 1).unwrap();
    assert_eq!((after.leaf, after.rows), (before.leaf, Err(MissingRows::Changed)));
    check(&fixed.usage, &bench.usage(&fixed, 2).unwrap());
    // rows that are removed after their time are missing in the same way
    let mut pruner = Pruner::new(&MeterConfig { hourly_days: 1, ..MeterConfig::default() });
    let later = UnixSeconds(NOW + 9 * DAY);
    while !pruner.step(&*bench.store, later, 1_000).unwrap().done {}
    let own = bench.usage(&fixed, 2).unwrap();
    assert_eq!(own.rows, Err(MissingRows::Changed));
    check(&fixed.usage, &own);
}

#[test]
fn a_checkpoint_is_found_by_day_and_by_sequence_and_keeps_its_event() {
    let bench = Bench::new();
    let days: Vec<Day> = std::iter::successors(Some(today()), |day| day.next()).take(5).collect();
    let old = Address([1; 20]);
    bench.checkpoints.fix(days[0], old, 40).unwrap();
    for (sequence, day) in (0..).zip(&days[1..]) {
        bench.fix(*day, sequence);
    }
    let of_sequence = |sequence| bench.checkpoints.of_sequence(sequence).unwrap();
    assert_eq!(of_sequence(0).map(|one| one.day), Some(days[1]));
    assert_eq!(of_sequence(3).map(|one| one.day), Some(days[4]));
    assert_eq!((of_sequence(4), of_sequence(40)), (None, None), "of the contract before");
    let first = of_sequence(0).unwrap();
    let event = CheckpointEvent { tx: Hash([5; 32]), log_index: 3 };
    bench.checkpoints.prove(&first, event).unwrap();
    assert_eq!(of_sequence(0).unwrap().event, Some(event));
    let listed = bench.checkpoints.list(Some(days[4]), 3).unwrap();
    assert_eq!(listed.iter().map(|one| one.day).collect::<Vec<_>>(), [days[3], days[2], days[1]]);
    assert_eq!(bench.checkpoints.newest().unwrap().unwrap().day, days[4]);
}

/// Two leaves of equal usage have unequal hashes, so that none is found by trying.
#[test]
fn a_leaf_is_blinded() {
    let bench = Bench::new();
    bench.count([asked(1, 0, 1)]);
    let fixed = bench.fix(today(), 0);
    let again = Bench::new();
    again.count([asked(1, 0, 1)]);
    let other = again.fix(today(), 0);
    assert_ne!(fixed.usage.root(), other.usage.root());
    let [one, other] = [bench.usage(&fixed, 1), again.usage(&other, 1)].map(Option::unwrap);
    assert_eq!(one.leaf.range_root, other.leaf.range_root);
    assert_ne!(one.leaf.blind, other.leaf.blind);
}

/// Rows of usage that are no rows are an error of the store, never a panic.
#[test]
fn corrupt_rows_are_named() {
    let bench = Bench::new();
    bench.count([asked(1, 0, 1)]);
    let fixed = bench.fix(today(), 0);
    let rows = bench
        .store
        .scan(Table::Usage, &[6], Some(&[9]), 100, superroot_store::ScanOrder::Rising)
        .unwrap();
    assert_eq!(rows.len(), 3);
    for (key, value) in rows {
        for bytes in [&value[..value.len() - 1], &[2], &[]] {
            let mut batch = superroot_store::WriteBatch::new();
            batch.put(Table::Usage, key.clone(), bytes);
            bench.store.commit(batch).unwrap();
            let found = bench.checkpoints.of_day(today());
            let usage = bench.checkpoints.usage(&fixed, id(1));
            assert!(found.is_err() || usage.is_err(), "{key:?}");
        }
        let mut batch = superroot_store::WriteBatch::new();
        batch.put(Table::Usage, key, value);
        bench.store.commit(batch).unwrap();
    }
}
