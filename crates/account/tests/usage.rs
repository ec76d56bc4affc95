//! Laws of reading usage, and of forgetting it.

use crate::support;

use std::sync::Arc;

use superroot_account::meter::{CountedRequest, MeteredCaller, RouteNumber, StatusClass};
use superroot_account::usage::{
    HISTORY_PAGE_MAX, Pruner, RouteUsage, Totals, UsageCursor, UsageSubject,
};
use superroot_account::{Environment, Flusher, Hour, Meter, MeterConfig, Month, UsageReader};
use superroot_store::{MemoryStore, ScanOrder, Store, Table};
use superroot_types::UnixSeconds;
use support::*;

fn stored(counted: impl IntoIterator<Item = CountedRequest>) -> (Arc<MemoryStore>, UsageReader) {
    let store = Arc::new(MemoryStore::new());
    let config = MeterConfig::default();
    let meter = Meter::new(&config);
    counted.into_iter().for_each(|counted| meter.count(&counted));
    Flusher::default().flush(&meter, &*store, UnixSeconds(NOW)).unwrap();
    (store.clone(), UsageReader::new(store, Environment::Test))
}

fn at(time: u64) -> CountedRequest {
    CountedRequest { at: UnixSeconds(time), ..request(0) }
}

fn ever() -> (Hour, Hour) {
    (Hour::of(UnixSeconds(0)), Hour::of(UnixSeconds(u64::MAX)))
}

#[test]
fn an_account_that_asked_nothing_has_zeros() {
    let (_, usage) = stored([]);
    let month = Month::of(UnixSeconds(NOW)).unwrap();
    assert_eq!(usage.totals(id(0), UnixSeconds(NOW)).unwrap(), Totals::default());
    assert_eq!(usage.top_routes(id(0), month, 10).unwrap(), []);
    assert_eq!(usage.billed(id(0), month).unwrap(), []);
    let page = usage.history(id(0), ever(), None, 10).unwrap();
    assert_eq!((page.rows.len(), page.next), (0, None));
}

/// Midnight and the first of a month are in UTC, leap days included.
#[test]
fn days_and_months_begin_at_midnight_utc() {
    let leap_day = 1_835_395_200; // 2028-02-29T00:00:00Z
    let march = leap_day + DAY;
    let times = [leap_day - 1, leap_day, leap_day + 43_200, march - 1, march];
    let (_, usage) = stored(times.map(at));
    let totals = |time| usage.totals(id(0), UnixSeconds(time)).unwrap();
    let seen = times.map(|time| (totals(time).requests_today, totals(time).requests_this_month));
    assert_eq!(seen, [(1, 4), (3, 4), (3, 4), (3, 4), (1, 1)]);
    assert_eq!(totals(leap_day).tokens_this_month, 4);
}

#[test]
fn the_top_routes_are_those_with_the_most_requests_whatever_the_chain_and_status() {
    let routes = [(1, 5), (2, 9), (3, 9), (4, 1)];
    let requests = routes.into_iter().flat_map(|(route, count)| {
        (0..count).map(move |number| CountedRequest {
            route: RouteNumber(route),
            status: StatusClass::ALL[number % 5],
            ..request(0)
        })
    });
    let (_, usage) = stored(requests);
    let top = usage.top_routes(id(0), Month::of(UnixSeconds(NOW)).unwrap(), 3).unwrap();
    let expected = [(2, 9), (3, 9), (1, 5)];
    assert_eq!(
        top,
        expected.map(|(route, requests)| RouteUsage { route: RouteNumber(route), requests })
    );
}

#[test]
fn history_comes_in_pages_from_the_earliest_without_gap_or_double() {
    let (_, usage) = stored((0..100).map(|hour| at(NOW + hour * 3_600)));
    let mut hours = Vec::new();
    let mut after: Option<UsageCursor> = None;
    loop {
        let page = usage.history(id(0), ever(), after, 7).unwrap();
        hours.extend(page.rows.iter().map(|row| row.hour.start().0));
        after = page.next;
        if after.is_none() {
            break;
        }
    }
    assert_eq!(hours, (0..100).map(|hour| NOW + hour * 3_600).collect::<Vec<_>>());
    let within = (Hour::of(UnixSeconds(NOW + 3_600)), Hour::of(UnixSeconds(NOW + 4 * 3_600)));
    let page = usage.history(id(0), within, None, 100).unwrap();
    assert_eq!((page.rows.len(), page.next), (3, None));
    let last = usage.history(id(0), ever(), None, 100).unwrap();
    assert_eq!(last.next, None, "a full last page is the last");
}

#[test]
fn a_page_has_a_bound_and_a_range_turned_round_is_empty() {
    let (_, usage) = stored((0..1_500).map(|hour| at(NOW + hour * 3_600)));
    let page = usage.history(id(0), ever(), None, usize::MAX).unwrap();
    assert_eq!(page.rows.len(), HISTORY_PAGE_MAX);
    assert_eq!(usage.history(id(0), ever(), page.next, 0).unwrap().rows.len(), 1);
    let (from, until) = ever();
    assert!(usage.history(id(0), (until, from), None, 10).unwrap().rows.is_empty());
}

/// A cursor says nothing about whose it is: another account's opens one's own rows only.
#[test]
fn a_cursor_opens_nobody_elses_history_and_garbage_is_refused() {
    let mine = (0..10).map(|hour| at(NOW + hour * 3_600));
    let theirs =
        (0..10).map(|hour| CountedRequest { at: UnixSeconds(NOW + hour * 3_600), ..request(1) });
    let (_, usage) = stored(mine.chain(theirs));
    let page = usage.history(id(1), ever(), None, 4).unwrap();
    let text = page.next.unwrap().to_string();
    let resumed = usage.history(id(0), ever(), Some(text.parse().unwrap()), 100).unwrap();
    assert_eq!(resumed.rows.len(), 6);
    assert!(usage.history(id(2), ever(), page.next, 100).unwrap().rows.is_empty());
    for bad in [
        "",
        "00",
        &text[1..],
        &format!("{text}00"),
        &text.replace('0', "g"),
        &"f".repeat(text.len()),
    ] {
        assert!(bad.parse::<UsageCursor>().is_err(), "{bad}");
    }
}

#[test]
fn old_hours_are_forgotten_and_sums_stay() {
    let keyless = |time| CountedRequest {
        caller: MeteredCaller::Keyless,
        at: UnixSeconds(time),
        ..request(0)
    };
    let old = NOW - 200 * DAY;
    let accounts = (0..50).flat_map(|account| {
        [old, NOW].map(|time| CountedRequest { at: UnixSeconds(time), ..request(account) })
    });
    let edge = NOW - 90 * DAY;
    let (store, usage) = stored(accounts.chain([
        keyless(old),
        keyless(NOW),
        CountedRequest { at: UnixSeconds(edge), ..request(99) },
        CountedRequest { at: UnixSeconds(edge - 1), ..request(99) },
    ]));
    let mut pruner = Pruner::new(&MeterConfig::default());
    let mut removed = 0;
    for _ in 0..1_000 {
        let step = pruner.step(&*store, UnixSeconds(NOW), 1).unwrap();
        removed += step.removed;
        if step.done {
            break;
        }
    }
    assert_eq!(removed, 50 + 1 + 1, "of accounts, without a key, at the edge");
    let subjects =
        (0..50).map(|account| UsageSubject::Account(id(account))).chain([UsageSubject::Keyless]);
    for subject in subjects {
        assert_eq!(usage.history(subject, ever(), None, 10).unwrap().rows.len(), 1);
        assert_eq!(usage.totals(subject, UnixSeconds(old)).unwrap().requests_today, 1);
        assert_eq!(usage.tokens(subject, Month::of(UnixSeconds(old)).unwrap()).unwrap(), 1);
    }
    let kept = usage.history(id(99), ever(), None, 10).unwrap().rows;
    assert_eq!(kept.iter().map(|row| row.hour.start().0).collect::<Vec<_>>(), [edge]);
    let again = pruner.step(&*store, UnixSeconds(NOW), usize::MAX).unwrap();
    assert_eq!((again.removed, again.done), (0, true));
}

/// A process that is gone leaves no row behind for ever; one that was only idle goes on.
#[test]
fn rows_of_processes_are_forgotten_after_days_and_an_idle_one_goes_on() {
    let store = Arc::new(MemoryStore::new());
    let config = MeterConfig::default();
    let (meter, mut flusher) = (Meter::new(&config), Flusher::default());
    let nodes = || store.scan(Table::Usage, &[5], Some(&[6]), 10, ScanOrder::Rising).unwrap().len();
    for _ in 0..2 {
        meter.count(&request(0));
        flusher.flush(&meter, &*store, UnixSeconds(NOW)).unwrap();
        assert_eq!(nodes(), 1);
        let mut pruner = Pruner::new(&config);
        assert!(pruner.step(&*store, UnixSeconds(NOW + 2 * DAY), usize::MAX).unwrap().done);
        assert_eq!(nodes(), 1);
        assert_eq!(
            pruner.step(&*store, UnixSeconds(NOW + 2 * DAY + 1), usize::MAX).unwrap().removed,
            1
        );
        assert_eq!(nodes(), 0);
    }
    let usage = UsageReader::new(store, Environment::Test);
    assert_eq!(
        usage.totals(UsageSubject::Account(id(0)), UnixSeconds(NOW)).unwrap().requests_today,
        2
    );
}
