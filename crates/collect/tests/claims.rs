//! A body that is withheld because of what its sender shows of it: no node is believed alone.

use crate::support;

use std::sync::Arc;

use superroot_chain::{Ledger, UnprovablePart, UnprovableRange};
use superroot_collect::{CollectConfig, CollectError, Collector};
use superroot_store::layout::HeldRun;
use superroot_store::{MemoryStore, read};
use superroot_types::ErrorKind;
use superroot_types::*;
use support::*;

/// A chain whose blocks may have an entry that cannot be recomputed.
fn bench() -> (Bench, Arc<Nodes>) {
    let config = CollectConfig { start: Some(BlockNumber(0)), ..small() };
    let (mut bench, nodes) = Bench::live(31, 40, config.clone());
    let mut row = row();
    let Ledger::Evm(params) = &mut row.ledger else { panic!("a row of the EVM family") };
    params.unprovable.push(UnprovableRange {
        from_number: 0,
        to_number: None,
        what: UnprovablePart::BodyWith(0x7f),
        why: "its leaf is in no answer".to_owned(),
    });
    bench.store = Arc::new(MemoryStore::new());
    bench.collector = Collector::new(bench.store.clone(), nodes.clone(), row, config);
    (bench, nodes)
}

/// Numbers of final blocks with transactions, which a claim can be about.
async fn with_transactions(nodes: &Nodes) -> Vec<u64> {
    let mut numbers = Vec::new();
    for number in 0..=32 {
        if honest(&nodes.chain, number).await.transactions().is_some_and(|list| !list.is_empty()) {
            numbers.push(number);
        }
    }
    numbers
}

/// One node names such an entry, another sends the body: the body is taken, and the one blamed.
#[tokio::test]
async fn a_lone_claim_hides_no_body() {
    let (mut bench, nodes) = bench();
    nodes.act(|_, _| Act::Bend(with_unprovable_entry));
    bench.settle().await.unwrap();
    let numbers = with_transactions(&nodes).await;
    assert!(numbers.len() > 5);
    for number in 0..=32 {
        let held = read::load_block(&*bench.store, row().key(), BlockNumber(number));
        let extent = held.unwrap().unwrap().extent;
        assert!(extent.transactions && extent.receipts, "block {number} is held whole");
    }
    let blamed = nodes.blamed();
    assert!(
        blamed.len() >= numbers.len() && blamed.iter().all(|name| name == "liar"),
        "{blamed:?}"
    );
    assert_eq!(bench.coverage(), [run(0, 32, HeldRun::Whole)]);
}

/// As many nodes say so as must agree: such a block is a header, and nobody is blamed.
#[tokio::test]
async fn a_claim_that_enough_nodes_make_is_taken() {
    let (mut bench, nodes) = bench();
    nodes.act(|_, _| Act::Bend(with_unprovable_entry));
    *nodes.others.lock().unwrap() = Some(with_unprovable_entry);
    bench.settle().await.unwrap();
    for number in with_transactions(&nodes).await {
        let held = read::load_block(&*bench.store, row().key(), BlockNumber(number));
        let extent = held.unwrap().unwrap().extent;
        assert!(!extent.transactions && !extent.receipts, "block {number}");
    }
    assert_eq!(nodes.blamed(), [""; 0]);
}

/// No other node gives the block: the chain stands below it, and says why.
#[tokio::test]
async fn a_claim_that_nobody_else_makes_is_waited_for() {
    let (mut bench, nodes) = bench();
    nodes.act(|_, _| Act::Bend(with_unprovable_entry));
    *nodes.others.lock().unwrap() = Some(with_other_gas);
    let error = bench.settle().await.unwrap_err();
    let CollectError::Doubted { number, got: 1, expected: 2, .. } = &error else {
        panic!("{error}")
    };
    assert_eq!(error.kind(), ErrorKind::Unavailable);
    let first = with_transactions(&nodes).await[0];
    assert_eq!(number.0, first, "what is below it was taken");
    *nodes.others.lock().unwrap() = None;
    bench.settle().await.unwrap();
    assert_eq!(bench.coverage(), [run(0, 32, HeldRun::Whole)]);
}
