//! Final blocks that wait for evidence of the chain's own consensus.

use crate::support;

use std::sync::{Arc, Mutex};

use superroot_chain::finality::{LineBlock, LineEvidence};
use superroot_collect::{CollectConfig, CollectError, Collector, EvidenceGate};
use superroot_store::layout::BlockTip;
use superroot_store::{StoreError, Table, WriteBatch, read, write};
use superroot_types::*;
use support::*;

/// Evidence that a test shows, beside the blocks.
#[derive(Default)]
struct ShownEvidence {
    shown: Mutex<Option<BlockTip>>,
    /// Time of the block that the evidence is about, if another than its number says.
    elsewhere: Mutex<bool>,
}

impl ShownEvidence {
    fn show(&self, number: u64, hash: Hash) {
        *self.shown.lock().unwrap() = Some(BlockTip { number: BlockNumber(number), hash });
    }
}

impl EvidenceGate for ShownEvidence {
    fn is_beside(&self) -> bool {
        true
    }

    fn newest_shown(
        &self,
        last: BlockNumber,
        _: UnixSeconds,
    ) -> Result<Option<BlockTip>, StoreError> {
        Ok(self.shown.lock().unwrap().filter(|shown| shown.number <= last))
    }

    fn excludes(&self, _: BlockTip, _: UnixSeconds) -> Result<bool, StoreError> {
        let is_elsewhere = *self.elsewhere.lock().unwrap();
        if is_elsewhere {
            *self.shown.lock().unwrap() = None;
        }
        Ok(!is_elsewhere)
    }

    fn shown_within(&self, _: &[LineBlock], _: UnixSeconds) -> Result<LineEvidence, StoreError> {
        Ok(LineEvidence::NotDemanded)
    }
}

/// Evidence out of lines: about blocks whose number is a multiple, from a block on.
struct LineGate {
    each: u64,
    from: u64,
    lines: Mutex<Vec<(u64, u64)>>,
}

impl EvidenceGate for LineGate {
    fn is_beside(&self) -> bool {
        false
    }

    fn newest_shown(&self, _: BlockNumber, _: UnixSeconds) -> Result<Option<BlockTip>, StoreError> {
        Ok(None)
    }

    fn excludes(&self, _: BlockTip, _: UnixSeconds) -> Result<bool, StoreError> {
        Ok(true)
    }

    fn shown_within(&self, line: &[LineBlock], _: UnixSeconds) -> Result<LineEvidence, StoreError> {
        let (first, last) = (line[0].number.0, line[line.len() - 1].number.0);
        self.lines.lock().unwrap().push((first, last));
        if last < self.from {
            return Ok(LineEvidence::NotDemanded);
        }
        let shown = last / self.each * self.each;
        Ok(match shown < first {
            true => LineEvidence::Missing,
            false => LineEvidence::Shown(BlockNumber(shown)),
        })
    }
}

#[tokio::test]
async fn a_line_is_taken_up_to_the_last_block_that_its_own_evidence_shows() {
    let config = CollectConfig { start: Some(BlockNumber(0)), ..small() };
    let (mut bench, nodes) = Bench::live(31, 40, config.clone());
    let gate = Arc::new(LineGate { each: 7, from: 20, lines: Mutex::default() });
    let collector = Collector::new(bench.store.clone(), nodes.clone(), row(), config);
    bench.collector = collector.gated(Some(gate.clone()));
    bench.settle().await.unwrap();
    // nodes call 32 final, and 28 is the last multiple; the head is followed meanwhile
    assert_eq!(indexed(&bench), Some(28));
    let state = read::load_chain_state(&*bench.store, row().key()).unwrap().unwrap();
    assert_eq!(state.head.map(|head| head.number.0), Some(40));
    bench.check();
    // each block has the nodes' evidence about the block that its line ended with
    let at_28 = read::load_evidence(&*bench.store, row().key(), BlockNumber(28)).unwrap();
    assert_eq!(at_28.map(|evidence| evidence.sources().len()), Some(2));
    assert!(gate.lines.lock().unwrap().iter().any(|(_, last)| *last == 32));
}

#[tokio::test]
async fn evidence_with_a_false_number_neither_halts_nor_lets_pass() {
    let (mut bench, nodes, gate) = gated();
    gate.show(20, honest(&nodes.chain, 20).await.hash());
    bench.settle().await.unwrap();
    *gate.elsewhere.lock().unwrap() = true;
    gate.show(30, honest(&nodes.chain, 29).await.hash());
    bench.settle().await.unwrap();
    assert!(read::load_halt(&*bench.store, row().key()).unwrap().is_none());
    assert!(indexed(&bench).is_some_and(|indexed| indexed < 30));
    *gate.elsewhere.lock().unwrap() = false;
    gate.show(31, honest(&nodes.chain, 31).await.hash());
    bench.settle().await.unwrap();
    assert_eq!(indexed(&bench), Some(31));
}

/// Nodes that call block 32 of 40 final, and a collector that waits for evidence.
fn gated() -> (Bench, Arc<Nodes>, Arc<ShownEvidence>) {
    let config = CollectConfig { start: Some(BlockNumber(0)), ..small() };
    let (mut bench, nodes) = Bench::live(31, 40, config.clone());
    let gate = Arc::new(ShownEvidence::default());
    let collector = Collector::new(bench.store.clone(), nodes.clone(), row(), config);
    bench.collector = collector.gated(Some(gate.clone()));
    (bench, nodes, gate)
}

fn indexed(bench: &Bench) -> Option<u64> {
    let state = read::load_chain_state(&*bench.store, row().key()).unwrap();
    state.and_then(|state| state.indexed).map(|tip| tip.number.0)
}

#[tokio::test]
async fn a_line_ends_at_the_newest_block_that_its_signers_show() {
    let (mut bench, nodes, gate) = gated();
    bench.settle().await.unwrap();
    assert_eq!(indexed(&bench), None, "nodes alone make nothing final");
    // history behind the evidence is taken in bounded steps, and the rest waits
    for number in [19, 20, 31] {
        gate.show(number, honest(&nodes.chain, number).await.hash());
        bench.settle().await.unwrap();
        assert_eq!(indexed(&bench), Some(number));
        bench.check();
    }
    // the head is followed meanwhile, and is not final
    let state = read::load_chain_state(&*bench.store, row().key()).unwrap().unwrap();
    assert_eq!(state.head.map(|head| head.number.0), Some(40));
    // evidence about a block that the nodes do not call final yet: 32 is final by the nodes alone
    gate.show(36, honest(&nodes.chain, 36).await.hash());
    bench.settle().await.unwrap();
    assert_eq!(indexed(&bench), Some(31));
    gate.show(32, honest(&nodes.chain, 32).await.hash());
    bench.settle().await.unwrap();
    assert_eq!(indexed(&bench), Some(32));
}

#[tokio::test]
async fn nodes_that_contradict_the_signers_halt_the_chain_with_both_kept() {
    let (mut bench, nodes, gate) = gated();
    gate.show(20, honest(&nodes.chain, 20).await.hash());
    bench.settle().await.unwrap();
    let other = simulated(32, &bench.clock);
    let consensus = honest(&other, 30).await.hash();
    gate.show(30, consensus);
    let error = bench.settle().await.unwrap_err();
    let own = honest(&nodes.chain, 30).await.hash();
    let CollectError::EvidenceContradicts { number, nodes: agreed, consensus: shown, .. } = error
    else {
        panic!("{error}")
    };
    assert_eq!((number, agreed, shown), (BlockNumber(30), own, consensus));
    assert_eq!(error.kind(), ErrorKind::Corrupt);
    // nothing at or above is taken; what was linked below stands
    assert!(indexed(&bench).is_some_and(|indexed| (20..30).contains(&indexed)));
    let halt = read::load_halt(&*bench.store, row().key()).unwrap().unwrap();
    assert!(halt.reason.starts_with("evidence_contradicts_nodes: block 30"), "{}", halt.reason);
    let kept = read::load_evidence(&*bench.store, row().key(), BlockNumber(30)).unwrap();
    assert_eq!(kept.map(|evidence| evidence.sources().len()), Some(2));
    assert!(matches!(bench.settle().await, Err(CollectError::Halted { .. })));
    // a look later the signers' evidence fits
    let mut batch = WriteBatch::new();
    write::clear_halt(&mut batch, row().key());
    bench.store.commit(batch).unwrap();
    gate.show(31, honest(&nodes.chain, 31).await.hash());
    bench.settle().await.unwrap();
    assert_eq!(indexed(&bench), Some(31));
    bench.check();
    assert!(!bench.rows(Table::Evidence).is_empty());
}
