//! Laws of counting: once, whatever fails; sums equal to the hours behind them; bounded.

use crate::support;

use std::collections::BTreeMap;
use std::sync::Arc;

use proptest::prelude::*;
use superroot_account::meter::{CountedRequest, MeteredCaller, RouteNumber, StatusClass};
use superroot_account::usage::{BilledUsage, HourlyRow, UsageSubject};
use superroot_account::{
    AccountId, Day, Environment, Flusher, Hour, Meter, MeterConfig, Month, UsageReader,
};
use superroot_store::{
    CrashPoint, EmbeddedConfig, EmbeddedStore, MemoryStore, ScanOrder, Store, StoreError, Table,
    WriteBatch,
};
use superroot_types::{ChainId, ChainKey, Family, UnixSeconds};
use support::*;

/// A process: what it counted, and how it writes that.
struct Node {
    meter: Meter,
    flusher: Flusher,
}

impl Node {
    fn new(config: &MeterConfig) -> Self {
        Self { meter: Meter::new(config), flusher: Flusher::default() }
    }

    fn flush(&mut self, store: &dyn Store) -> Result<u64, StoreError> {
        match self.flusher.flush(&self.meter, store, UnixSeconds(NOW)) {
            Ok(requests) => Ok(requests),
            Err(superroot_account::AccountError::Store(error)) => Err(error),
            Err(error) => panic!("{error}"),
        }
    }
}

fn usage(store: Arc<dyn Store>) -> UsageReader {
    UsageReader::new(store, Environment::Test)
}

fn all_hours(usage: &UsageReader, subject: impl Into<UsageSubject>) -> Vec<HourlyRow> {
    let subject = subject.into();
    let ever = (Hour::of(UnixSeconds(0)), Hour::of(UnixSeconds(u64::MAX)));
    let mut hours = Vec::new();
    let mut after = None;
    loop {
        let page = usage.history(subject, ever, after, 3).unwrap();
        assert!(page.rows.len() <= 3);
        hours.extend(page.rows);
        match page.next {
            Some(next) => after = Some(next.to_string().parse().unwrap()),
            None => return hours,
        }
    }
}

/// Every sum equals the hours behind it.
fn assert_sums(usage: &UsageReader, account: AccountId) {
    let hours = all_hours(usage, account);
    let mut days: BTreeMap<Day, u64> = BTreeMap::new();
    let mut months: BTreeMap<Month, (u64, u64)> = BTreeMap::new();
    let mut routes: BTreeMap<(Month, RouteNumber, Option<ChainKey>), (u64, u64)> = BTreeMap::new();
    for row in &hours {
        *days.entry(row.hour.day()).or_default() += row.requests;
        let month = row.hour.day().month();
        for sum in [
            months.entry(month).or_default(),
            routes.entry((month, row.route, row.chain)).or_default(),
        ] {
            sum.0 += row.requests;
            sum.1 += row.tokens;
        }
    }
    for (day, requests) in days {
        assert_eq!(usage.totals(account, day.start()).unwrap().requests_today, requests);
    }
    for (month, (requests, tokens)) in months {
        let totals = usage.totals(account, month.start()).unwrap();
        assert_eq!((totals.requests_this_month, totals.tokens_this_month), (requests, tokens));
        assert_eq!(usage.tokens(account, month).unwrap(), tokens);
        let of_month = routes.iter().filter(|((of, ..), _)| *of == month);
        let billed: Vec<_> = of_month
            .map(|((_, route, chain), (requests, tokens))| BilledUsage {
                route: *route,
                chain: *chain,
                requests: *requests,
                tokens: *tokens,
            })
            .collect();
        let mut stored = usage.billed(account, month).unwrap();
        stored.sort_by_key(|it| (it.route, it.chain));
        assert_eq!(stored, billed);
        let top = usage.top_routes(account, month, usize::MAX).unwrap();
        assert!(top.is_sorted_by_key(|it| std::cmp::Reverse(it.requests)));
        assert_eq!(top.iter().map(|it| it.requests).sum::<u64>(), requests);
    }
}

/// However many commits a flush takes, no account's sums are gone through in each of them.
#[test]
fn a_flush_reads_each_sum_once_however_many_commits_it_takes() {
    let (mut node, store) = (Node::new(&small()), Flaky::new());
    let (accounts, hours) = (1_500, 10);
    for hour in 0..hours {
        for number in 0..accounts {
            let account = AccountId(uuid::Uuid::from_u128(number));
            let caller = MeteredCaller::Account { account, key: key(0) };
            let at = UnixSeconds(NOW - hour * 3_600);
            node.meter.count(&CountedRequest { caller, at, ..request(0) });
        }
    }
    assert_eq!(node.flush(&store).unwrap(), 15_000);
    let commits = store.commit_count();
    assert_eq!(commits, 2);
    // of day, month and route: one each, and those of the account that two commits share
    let sums = 3 * (u64::try_from(accounts).unwrap() + commits - 1);
    let reads = store.reads.load(std::sync::atomic::Ordering::Relaxed);
    assert!(reads <= 15_000 + sums + commits, "{reads} reads");
}

#[derive(Clone, Debug)]
enum Act {
    Count(usize, CountedRequest),
    Flush(usize, Fault),
}

fn any_counted() -> impl Strategy<Value = CountedRequest> {
    let time = prop_oneof![
        NOW - 40 * DAY..NOW + 40 * DAY, // late, early, over months
        NOW - 7_200..NOW + 7_200,
        Just(1_835_395_199_u64), // the last second before a leap day
        Just(1_835_481_599),
    ];
    let chain = prop_oneof![
        Just(None),
        Just(Some(ChainKey { family: Family::Evm, id: ChainId(1) })),
        Just(Some(ChainKey { family: Family::Bitcoin, id: ChainId(900_001) })),
    ];
    (0_u8..3, 0_u8..2, 0_u16..3, chain, 0_usize..5, 0_u32..4, time).prop_map(
        |(account, of, route, chain, status, weight, at)| CountedRequest {
            caller: MeteredCaller::Account { account: id(account), key: key(of) },
            route: RouteNumber(route),
            chain,
            status: StatusClass::ALL[status],
            weight,
            at: UnixSeconds(at),
            ..request(0)
        },
    )
}

fn any_act() -> impl Strategy<Value = Act> {
    let fault = prop_oneof![Just(Fault::None), Just(Fault::Lost), Just(Fault::Unsaid)];
    prop_oneof![
        4 => (0_usize..2, any_counted()).prop_map(|(node, counted)| Act::Count(node, counted)),
        1 => (0_usize..2, fault).prop_map(|(node, fault)| Act::Flush(node, fault)),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// Two processes on one store, commits that fail before or after they were written, counts
    /// that come late or from a clock set back: everything is counted exactly once, and sums
    /// always equal the hours behind them.
    #[test]
    fn everything_is_counted_once_and_sums_equal_their_hours(
        acts in proptest::collection::vec(any_act(), 1..120),
    ) {
        let store = Arc::new(Flaky::new());
        let usage = usage(store.clone());
        let mut nodes = [Node::new(&small()), Node::new(&small())];
        let mut expected: BTreeMap<String, (u64, u64)> = BTreeMap::new();
        for act in acts {
            match act {
                Act::Count(node, counted) => {
                    nodes[node].meter.count(&counted);
                    let MeteredCaller::Account { account, key } = counted.caller else { unreachable!() };
                    let hour = Hour::of(counted.at);
                    let name = format!(
                        "{account} {hour:?} {key} {:?} {:?} {:?}",
                        counted.route, counted.chain, counted.status
                    );
                    let sum = expected.entry(name).or_default();
                    sum.0 += 1;
                    if counted.status == StatusClass::Success {
                        sum.1 += u64::from(counted.weight);
                    }
                }
                Act::Flush(node, fault) => {
                    store.fail_next(fault);
                    _ = nodes[node].flush(&*store);
                    store.fail_next(Fault::None);
                    (0..3).for_each(|account| assert_sums(&usage, id(account)));
                }
            }
        }
        for node in &mut nodes {
            node.flush(&*store).unwrap();
        }
        let mut stored: BTreeMap<String, (u64, u64)> = BTreeMap::new();
        for account in 0..3 {
            assert_sums(&usage, id(account));
            for row in all_hours(&usage, id(account)) {
                let HourlyRow { hour, key, route, chain, status, requests, tokens } = row;
                let name = format!(
                    "{} {hour:?} {} {route:?} {chain:?} {status:?}", id(account), key.unwrap()
                );
                prop_assert!(stored.insert(name, (requests, tokens)).is_none());
            }
        }
        prop_assert_eq!(stored, expected);
    }
}

#[test]
fn a_flush_that_did_not_say_how_it_ended_is_neither_lost_nor_counted_twice() {
    for fault in [Fault::Lost, Fault::Unsaid] {
        let store = Arc::new(Flaky::new());
        let mut node = Node::new(&small());
        node.meter.count(&request(0));
        node.flush(&*store).unwrap();
        node.meter.count(&request(0));
        store.fail_next(fault);
        assert!(matches!(node.flush(&*store), Err(StoreError::Dead)));
        node.meter.count(&request(0));
        assert_eq!(node.flush(&*store).unwrap(), 2, "{fault:?}");
        let totals = usage(store).totals(id(0), UnixSeconds(NOW)).unwrap();
        assert_eq!((totals.requests_today, totals.tokens_this_month), (3, 3));
    }
}

/// A process killed in the middle: what was acknowledged is there, and what was in doubt counts
/// once at most.
#[test]
fn a_crash_at_any_step_of_a_commit_counts_nothing_twice() {
    for (point, written) in [
        (CrashPoint::BeforeEngine, false),
        (CrashPoint::AfterEngine, true),
        (CrashPoint::WithinIntegrity, true),
        (CrashPoint::AfterIntegrity, true),
    ] {
        let folder = tempfile::tempdir().unwrap();
        let open = || EmbeddedStore::open(folder.path(), &EmbeddedConfig::default()).unwrap();
        let mut node = Node::new(&small());
        let store = open();
        node.meter.count(&request(0));
        assert_eq!(node.flush(&store).unwrap(), 1);
        node.meter.count(&request(0));
        store.crash_at(point);
        node.flush(&store).unwrap_err();
        drop(store);
        let reopened: Arc<dyn Store> = Arc::new(open());
        let today =
            |usage: &UsageReader| usage.totals(id(0), UnixSeconds(NOW)).unwrap().requests_today;
        assert_eq!(today(&usage(reopened.clone())), 1 + u64::from(written), "{point:?}");
        assert_eq!(node.flush(&*reopened).unwrap(), 1, "the process itself lives on");
        assert_eq!(today(&usage(reopened)), 2, "{point:?}");
    }
}

#[test]
fn a_store_that_is_away_for_long_costs_no_memory_past_the_bounds() {
    let store = Flaky::new();
    let config = MeterConfig { entries_max: 160, ..small() };
    let mut node = Node::new(&config);
    for account in 0..100 {
        node.meter.count(&request(account));
    }
    for _ in 0..50 {
        store.fail_next(Fault::Lost);
        node.flush(&store).unwrap_err();
        (0..=255).for_each(|account| node.meter.count(&request(account)));
    }
    let uncounted = node.meter.uncounted();
    assert!(uncounted > 0);
    let written = node.flush(&store).unwrap() + node.flush(&store).unwrap();
    assert_eq!(written + uncounted, 100 + 50 * 256);
}

#[test]
fn more_rows_than_one_commit_takes_are_written_by_several() {
    let store = Arc::new(MemoryStore::new());
    let mut node = Node::new(&MeterConfig::default());
    for hour in 0..20_000 {
        node.meter.count(&CountedRequest { at: UnixSeconds(NOW - hour * 3_600), ..request(0) });
    }
    assert_eq!(node.flush(&*store).unwrap(), 20_000);
    assert_eq!(store.commit_count(), 3);
    assert_sums(&usage(store), id(0));
}

#[test]
fn environments_do_not_see_each_other() {
    let store = Arc::new(MemoryStore::new());
    let mut node = Node::new(&small());
    node.meter.count(&request(0));
    node.meter.count(&CountedRequest { environment: Environment::Live, ..request(0) });
    node.meter.count(&CountedRequest { environment: Environment::Live, ..request(0) });
    node.flush(&*store).unwrap();
    let live = UsageReader::new(store.clone(), Environment::Live);
    assert_eq!(live.totals(id(0), UnixSeconds(NOW)).unwrap().requests_today, 2);
    assert_eq!(usage(store).totals(id(0), UnixSeconds(NOW)).unwrap().requests_today, 1);
}

/// One damaged row must not keep everybody else's counts out.
#[test]
fn a_damaged_row_costs_its_own_counts_and_nobody_elses() {
    let store = Arc::new(MemoryStore::new());
    let mut node = Node::new(&small());
    node.meter.count(&request(0));
    node.flush(&*store).unwrap();
    let rows = store.scan(Table::Usage, &[3], Some(&[4]), 2, ScanOrder::Rising).unwrap();
    let mut batch = WriteBatch::new();
    batch.put(Table::Usage, rows[0].0.clone(), b"damaged");
    store.commit(batch).unwrap();
    node.meter.count(&request(0));
    node.meter.count(&request(1));
    assert_eq!(node.flush(&*store).unwrap(), 1);
    let usage = usage(store);
    assert_eq!(usage.totals(id(1), UnixSeconds(NOW)).unwrap().requests_today, 1);
    assert!(usage.totals(id(0), UnixSeconds(NOW)).is_err(), "damage is an error, never an answer");
    assert_eq!(all_hours(&usage, id(0)).len(), 1);
}
