//! Laws of bodies that do not recompute: one node that deviates is blamed, and a chain whose rules
//! changed goes on without what this build does not understand.

use crate::support;

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use superroot_chain::{Extent, UntrustedBlock};
use superroot_collect::{CollectConfig, CollectError};
use superroot_source::MissingBody;
use superroot_store::Table;
use superroot_store::layout::{HeaderWhy, HeldRun};
use superroot_store::read;
use superroot_types::ErrorKind;
use superroot_types::*;
use support::*;

const HEADER: Extent = Extent { transactions: false, receipts: false };
const TRANSACTIONS: Extent = Extent { transactions: true, receipts: false };
const WHOLE: Extent = Extent { transactions: true, receipts: true };

fn from_genesis() -> CollectConfig {
    CollectConfig { start: Some(BlockNumber(0)), body_wait_ms: 0, ..small() }
}

/// With gas that a fork counts by other rules: the receipts no longer have the root of the header.
fn with_other_receipts(block: UntrustedBlock) -> UntrustedBlock {
    let UntrustedBlock::Evm(mut evm) = block else { unreachable!("it is of the EVM family") };
    if let Some(last) = evm.receipts.as_mut().and_then(|list| list.last_mut()) {
        last.cumulative_gas_used += 1;
        last.gas_used = None;
    }
    UntrustedBlock::Evm(evm)
}

/// Numbers of final blocks that have transactions, and so a body that can be altered.
async fn with_transactions(nodes: &Nodes) -> Vec<u64> {
    let mut numbers = Vec::new();
    for number in 0..=32 {
        if honest(&nodes.chain, number).await.transactions().is_some_and(|list| !list.is_empty()) {
            numbers.push(number);
        }
    }
    numbers
}

fn note(bench: &Bench, number: u64) -> Option<String> {
    let row = read::load_refused(&*bench.store, row().key(), BlockNumber(number)).unwrap();
    row.map(|row| row.reason)
}

#[tokio::test]
async fn a_body_that_enough_operators_send_costs_the_body_alone() {
    for (bender, extent) in
        [(with_unprovable_entry as Bender, HEADER), (with_other_receipts, TRANSACTIONS)]
    {
        let (mut bench, nodes) = Bench::live(31, 40, from_genesis());
        nodes.act(move |_, _| Act::Bend(bender));
        *nodes.others.lock().unwrap() = Some(bender);
        bench.settle().await.unwrap();
        bench.check();
        let altered = with_transactions(&nodes).await;
        for number in 0..=32 {
            let is_altered = altered.contains(&number);
            let expected = if is_altered { extent } else { WHOLE };
            assert_eq!(bench.block(number).extent, expected, "block {number}");
            assert_eq!(bench.hash(number), honest(&nodes.chain, number).await.hash());
            assert_eq!(note(&bench, number).is_some(), is_altered, "block {number}");
        }
        assert_eq!(nodes.blamed(), [""; 0]);
        let held = match extent {
            HEADER => HeldRun::HeaderOnly { why: HeaderWhy::NoBody },
            extent => HeldRun::Partial { extent },
        };
        assert!(bench.coverage().iter().any(|run| run.held == held));
    }
}

#[tokio::test]
async fn a_single_node_whose_body_deviates_is_blamed_and_costs_nothing() {
    for bender in [with_unprovable_entry as Bender, with_other_receipts] {
        let (mut bench, nodes) = Bench::live(31, 40, from_genesis());
        nodes.act(move |_, _| Act::Bend(bender));
        bench.settle().await.unwrap();
        bench.check();
        assert_eq!(bench.coverage(), [run(0, 32, HeldRun::Whole)]);
        let blamed = nodes.blamed();
        assert!(blamed.len() >= with_transactions(&nodes).await.len());
        assert!(blamed.iter().all(|name| name == "liar"), "{blamed:?}");
        assert_eq!(bench.rows(Table::Refused), []);
    }
}

#[tokio::test]
async fn operators_that_fail_different_checks_withhold_no_body() {
    let (mut bench, nodes) = Bench::live(31, 40, from_genesis());
    let first = with_transactions(&nodes).await[0];
    nodes.act(|_, _| Act::Bend(with_unprovable_entry));
    *nodes.others.lock().unwrap() = Some(with_other_receipts);
    // the third operator sends what the second one does: two of three agree
    bench.settle().await.unwrap();
    assert_eq!(bench.block(first).extent, TRANSACTIONS);
    let (mut bench, nodes) = Bench::live(31, 40, from_genesis());
    nodes.act(|_, _| Act::Bend(with_unprovable_entry));
    *nodes.others.lock().unwrap() = Some(with_other_gas);
    let error = bench.settle().await.unwrap_err();
    let CollectError::Doubted { number, got: 1, expected: 2, .. } = &error else {
        panic!("{error}")
    };
    assert_eq!((number.0, error.kind()), (first, ErrorKind::Unavailable));
    assert!(nodes.blamed().iter().all(|name| name != "liar"), "its header holds");
}

/// What came for all operators with an error, or in a form that is not read, has its reason noted.
#[tokio::test]
async fn a_body_that_cannot_be_had_is_withheld_with_the_reason() {
    let forbidden = || "eth_getBlockReceipts: http status 403".to_owned();
    for (fault, wait_ms) in [
        (MissingBody::Unavailable(forbidden()), 0),
        (MissingBody::Unreadable("missing field `value`".to_owned()), 60_000),
    ] {
        let config = CollectConfig { body_wait_ms: wait_ms, ..from_genesis() };
        let (mut bench, nodes) = Bench::live(31, 40, config);
        let why = match &fault {
            MissingBody::Unavailable(why) | MissingBody::Unreadable(why) => why.clone(),
        };
        let seven = with_transactions(&nodes).await[2];
        nodes.act(move |at, _| {
            if at.number().0 == seven { Act::NoReceipts(Some(fault.clone())) } else { Act::Honest }
        });
        bench.settle().await.unwrap();
        bench.check();
        assert_eq!(bench.block(seven).extent, TRANSACTIONS);
        assert_eq!(note(&bench, seven), Some(why));
        assert_eq!(nodes.blamed(), [""; 0]);
        assert_eq!(bench.state().indexed.unwrap().number, BlockNumber(32));
    }
}

/// A body that an error took the place of is waited for, as one that nobody has.
#[tokio::test]
async fn a_body_that_an_error_took_the_place_of_is_waited_for() {
    let config = CollectConfig { body_wait_ms: 60_000, ..from_genesis() };
    let (mut bench, nodes) = Bench::live(31, 40, config);
    let numbers = with_transactions(&nodes).await;
    let bad = numbers[2];
    nodes.act(move |at, _| {
        let fault = MissingBody::Unavailable("error -32000".to_owned());
        if at.number().0 == bad { Act::NoReceipts(Some(fault)) } else { Act::Honest }
    });
    let error = bench.settle().await.unwrap_err();
    assert!(matches!(&error, CollectError::NoBody { number, .. } if number.0 == bad), "{error}");
    assert_eq!(bench.state().indexed.unwrap().number.0, bad - 1);
    nodes.act(|_, _| Act::Honest);
    bench.settle().await.unwrap();
    assert_eq!(bench.coverage(), [run(0, 32, HeldRun::Whole)]);
}

#[tokio::test]
async fn repair_fetches_refused_bodies_again_and_takes_back_the_reason() {
    let (mut bench, nodes) = Bench::live(31, 40, from_genesis());
    nodes.act(|_, _| Act::Bend(with_unprovable_entry));
    *nodes.others.lock().unwrap() = Some(with_unprovable_entry);
    bench.settle().await.unwrap();
    let altered = with_transactions(&nodes).await;
    let repaired = bench.repair(0, 32).await;
    assert_eq!((repaired.repaired, repaired.bare), (0, altered.len()));
    assert!(repaired.left.iter().all(|left| left.reason.contains("0x7f")), "{:?}", repaired.left);
    nodes.act(|_, _| Act::Honest);
    *nodes.others.lock().unwrap() = None;
    let repaired = bench.repair(0, 32).await;
    assert_eq!((repaired.repaired, repaired.bare, repaired.left.len()), (altered.len(), 0, 0));
    assert_eq!(bench.coverage(), [run(0, 32, HeldRun::Whole)]);
    let last = bench.state().head.unwrap().number.0;
    let left: Vec<u64> = (0..=last).filter(|number| note(&bench, *number).is_some()).collect();
    assert!(left.iter().all(|number| *number > 32), "of final blocks no note is left: {left:?}");
}

/// Nodes that sent a bad block rest for a while: what lies below that block is taken without it.
#[tokio::test]
async fn a_step_takes_what_is_whole_before_the_first_bad_block() {
    let (mut bench, nodes) = Bench::live(31, 40, from_genesis());
    let rests = Arc::new(AtomicBool::new(false));
    nodes.act({
        let rests = Arc::clone(&rests);
        move |at, _| {
            let is_bad = at.number().0 == 5;
            rests.fetch_or(is_bad, Ordering::SeqCst);
            if is_bad { Act::Bend(with_other_gas) } else { Act::Honest }
        }
    });
    nodes.agree({
        let rests = Arc::clone(&rests);
        move |_| if rests.load(Ordering::SeqCst) { Agree::Fail } else { Agree::Honest }
    });
    for _ in 0..3 {
        let _ = bench.step().await;
        rests.store(false, Ordering::SeqCst);
    }
    assert_eq!(bench.state().indexed.unwrap().number, BlockNumber(4));
}
