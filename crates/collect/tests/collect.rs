//! Laws of collecting, over simulated chains and over sources that lie.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use superroot_chain::{ChainRow, Encoding, Registry, UntrustedBlock};
use superroot_collect::{CollectError, Collector, Config, ErrorKind, Progress, Step};
use superroot_source::simulated::{SimulatedChain, SimulatedConfig};
use superroot_source::{
    Agreement, BlockAt, BlockId, BoxFuture, Fetched, Parts, Source, SourceError, Tip,
};
use superroot_store::layout::ChainState;
use superroot_store::{MemoryStore, Store, read};
use superroot_types::*;

const GENESIS: u64 = 1_700_000_000;

fn row() -> ChainRow {
    Registry::builtin().find("ethereum").unwrap().clone().read_as(Encoding::Ethereum)
}

fn simulated(seed: u64, clock: &Arc<ManualClock>) -> Arc<SimulatedChain> {
    let config = SimulatedConfig {
        seed,
        genesis_time: UnixSeconds(GENESIS),
        block_time_seconds: 1,
        finality_depth: 8,
        reorgs: true,
        quiet_until: 0,
    };
    Arc::new(SimulatedChain::new(&row(), config, clock.clone()).unwrap())
}

struct Bench {
    clock: Arc<ManualClock>,
    store: Arc<dyn Store>,
    collector: Collector,
}

impl Bench {
    fn over(source: Arc<dyn Source>, clock: Arc<ManualClock>) -> Self {
        let store: Arc<dyn Store> = Arc::new(MemoryStore::new());
        let config = Config { blocks_per_step_max: 7, fetches_max: 3, head_blocks_max: 64 };
        let collector = Collector::new(store.clone(), source, row(), config);
        Self { clock, store, collector }
    }

    fn new(seed: u64) -> Self {
        let clock = Arc::new(ManualClock::at(UnixSeconds(GENESIS + 30)));
        Self::over(simulated(seed, &clock), clock)
    }

    /// Steps until there is nothing to take.
    async fn settle(&mut self) -> Result<Step, CollectError> {
        loop {
            let step = self.collector.step().await?;
            if step.progress == Progress::Idle {
                return Ok(step);
            }
        }
    }

    fn state(&self) -> ChainState {
        read::load_chain_state(&*self.store, row().key()).unwrap().unwrap()
    }

    /// What is held is one line: each block names the one below, the tips are the blocks held.
    fn check(&self) {
        let state = self.state();
        let (indexed, head) = (state.indexed.unwrap(), state.head.unwrap());
        let numbers = BlockNumber(0)..BlockNumber(u64::MAX);
        let blocks = read::load_blocks(&*self.store, row().key(), numbers, 10_000).unwrap();
        let last = blocks.last().unwrap();
        assert_eq!((last.0, last.1.hash), (head.number, head.hash));
        for pair in blocks.windows(2) {
            assert_eq!(pair[0].0.0 + 1, pair[1].0.0, "no gap");
            assert_eq!(pair[0].1.hash, pair[1].1.parent_hash, "one line");
        }
        for (number, block) in &blocks {
            assert_eq!(block.evidence.is_some(), *number <= indexed.number, "block {number}");
            let body = read::load_body(&*self.store, row().key(), *number).unwrap().unwrap();
            let trie = body.transactions.unwrap();
            for index in 0..u64::from(block.tx_count.unwrap()) {
                let hash = superroot_proof::hash::keccak256(trie.leaf(index).unwrap().unwrap());
                let places = read::find_transaction(&*self.store, row().key(), &hash).unwrap();
                assert!(places.iter().any(|place| place.number == *number), "indexed once");
                assert_eq!(places.len(), 1, "transactions of undone blocks are gone");
            }
        }
    }
}

#[tokio::test]
async fn a_chain_is_followed_through_reorganisations() {
    let mut bench = Bench::new(11);
    let mut undone_in_all = 0;
    for _ in 0..120 {
        loop {
            match bench.collector.step().await {
                Ok(Step { progress: Progress::Idle, .. }) => break,
                Ok(Step { progress: Progress::Head { undone, .. }, .. }) => undone_in_all += undone,
                Ok(_) => {}
                Err(error) => assert_eq!(error.kind(), ErrorKind::Unavailable, "{error}"),
            }
        }
        bench.check();
        bench.clock.advance(1);
    }
    assert!(undone_in_all > 0, "the chain never reorganised, so nothing was tested");
    assert_eq!(bench.state().indexed.unwrap().number, BlockNumber(149 - 8));
}

#[tokio::test]
async fn collecting_goes_on_where_it_was() {
    let mut bench = Bench::new(3);
    bench.settle().await.unwrap();
    let before = bench.state();
    bench.clock.advance(20);
    let config = Config::default();
    let source = simulated(3, &bench.clock);
    bench.collector = Collector::new(bench.store.clone(), source, row(), config);
    bench.settle().await.unwrap();
    bench.check();
    assert_eq!(bench.state().block_count, before.block_count + 20);
}

/// A source whose answers a test bends.
struct Bent {
    inner: Arc<SimulatedChain>,
    lies: AtomicBool,
    bend: fn(BlockNumber, UntrustedBlock) -> Option<UntrustedBlock>,
    network: Network,
    numbers: Option<Vec<u64>>,
}

impl Source for Bent {
    fn name(&self) -> &str {
        "bent"
    }

    fn chain(&self) -> ChainKey {
        self.inner.chain()
    }

    fn network(&self) -> Network {
        self.network
    }

    fn fetch_tip(&self) -> BoxFuture<'_, Result<Tip, SourceError>> {
        Box::pin(async {
            let tip = self.inner.fetch_tip().await?;
            let Some(last) = self.numbers.as_ref().and_then(|numbers| numbers.last()) else {
                return Ok(tip);
            };
            let id = BlockId { number: BlockNumber(*last), hash: Hash::ZERO };
            Ok(Tip { head: id, safe: None, finalized: id })
        })
    }

    fn fetch_block(
        &self,
        at: BlockAt,
        parts: Parts,
    ) -> BoxFuture<'_, Result<Option<Fetched>, SourceError>> {
        Box::pin(async move {
            let fetched = self.inner.fetch_block(at, parts).await?;
            if !self.lies.load(Ordering::SeqCst) {
                return Ok(fetched);
            }
            Ok(fetched.and_then(|Fetched { block, sender }| {
                Some(Fetched { block: (self.bend)(at.number(), block)?, sender })
            }))
        })
    }

    fn fetch_agreement(
        &self,
        number: BlockNumber,
    ) -> BoxFuture<'_, Result<Agreement, SourceError>> {
        self.inner.fetch_agreement(number)
    }

    fn fetch_numbers(
        &self,
        from: BlockNumber,
        limit: usize,
    ) -> BoxFuture<'_, Result<Option<Vec<BlockNumber>>, SourceError>> {
        let listed = self.numbers.as_ref().map(|numbers| {
            let numbers = numbers.iter().filter(|number| **number >= from.0).take(limit);
            numbers.copied().map(BlockNumber).collect()
        });
        Box::pin(async move { Ok(listed) })
    }
}

fn bent(
    bend: fn(BlockNumber, UntrustedBlock) -> Option<UntrustedBlock>,
    numbers: Option<Vec<u64>>,
) -> (Bench, Arc<Bent>) {
    let clock = Arc::new(ManualClock::at(UnixSeconds(GENESIS + 30)));
    let network = if numbers.is_some() { Network::Recorded } else { Network::Simulated };
    let inner = simulated(4, &clock);
    let source = Arc::new(Bent { inner, lies: AtomicBool::new(true), bend, network, numbers });
    (Bench::over(source.clone(), clock), source)
}

fn with_other_gas(block: UntrustedBlock) -> UntrustedBlock {
    let UntrustedBlock::Evm(mut evm) = block else {
        unreachable!("the chain is of the EVM family")
    };
    evm.block.gas_used += 1;
    UntrustedBlock::Evm(evm)
}

#[tokio::test]
async fn a_chain_stops_before_a_block_that_does_not_recompute_and_goes_on_when_it_does() {
    let (mut bench, source) =
        bent(|number, block| Some(if number.0 == 9 { with_other_gas(block) } else { block }), None);
    let error = bench.settle().await.unwrap_err();
    assert!(matches!(&error, CollectError::Refused { number: BlockNumber(9), .. }), "{error}");
    assert_eq!(error.kind(), ErrorKind::Invalid);
    let note = read::load_refused(&*bench.store, row().key(), BlockNumber(9)).unwrap().unwrap();
    assert_eq!(note.source, "bent");
    assert!(note.reason.contains("hash"), "{}", note.reason);
    assert!(bench.state().indexed.unwrap().number.0 < 9);
    source.lies.store(false, Ordering::SeqCst);
    bench.settle().await.unwrap();
    bench.check();
}

#[tokio::test]
async fn a_missing_block_is_never_stepped_over() {
    let (mut bench, source) = bent(|number, block| (number.0 != 5).then_some(block), None);
    let error = bench.settle().await.unwrap_err();
    assert!(matches!(&error, CollectError::Missing { number: BlockNumber(5), .. }), "{error}");
    assert_eq!(error.kind(), ErrorKind::Unavailable);
    source.lies.store(false, Ordering::SeqCst);
    bench.settle().await.unwrap();
    bench.check();
}

/// Recordings are sparse: what was not recorded is skipped, what does not recompute is left out,
/// and both are known afterwards.
#[tokio::test]
async fn a_recording_skips_numbers_and_leaves_out_what_does_not_recompute() {
    let numbers = vec![3, 4, 9, 12, 13, 20];
    let bend = |number: BlockNumber, block| {
        Some(if number.0 == 12 { with_other_gas(block) } else { block })
    };
    let (mut bench, _) = bent(bend, Some(numbers));
    let step = bench.collector.step().await.unwrap();
    let Progress::Final { blocks, refused } = step.progress else { panic!("{step:?}") };
    assert_eq!((blocks, refused.len(), refused[0].number.0), (5, 1, 12));
    bench.settle().await.unwrap();
    let state = bench.state();
    assert_eq!((state.start.0, state.checked_to, state.block_count), (0, Some(BlockNumber(20)), 5));
    let numbers = BlockNumber(0)..BlockNumber(100);
    let held = read::load_blocks(&*bench.store, row().key(), numbers, 100).unwrap();
    let held: Vec<u64> = held.into_iter().map(|(number, _)| number.0).collect();
    assert_eq!(held, [3, 4, 9, 13, 20]);
}

/// Of two recorded neighbours that do not name each other at most one is of the chain: the later is
/// left out, and what follows is no neighbour of it.
#[tokio::test]
async fn recorded_neighbours_that_do_not_link_are_not_both_taken() {
    let clock = Arc::new(ManualClock::at(UnixSeconds(GENESIS + 30)));
    let other = simulated(5, &clock);
    let numbers = Some(vec![3, 4, 5]);
    let network = Network::Recorded;
    let bend = |_, block| Some(block);
    let lies = AtomicBool::new(true);
    let source = Bent { inner: simulated(4, &clock), lies, bend, network, numbers };
    let mixed = Mixed { source, other, swapped: BlockNumber(4) };
    let mut bench = Bench::over(Arc::new(mixed), clock);
    let step = bench.collector.step().await.unwrap();
    let Progress::Final { blocks, refused } = step.progress else { panic!("{step:?}") };
    assert_eq!((blocks, refused.len(), refused[0].number), (2, 1, BlockNumber(4)));
    assert!(refused[0].reason.contains("names parent"), "{}", refused[0].reason);
    assert_eq!(bench.state().indexed.unwrap().number, BlockNumber(5));
}

/// A source that gives one number out of another chain.
struct Mixed {
    source: Bent,
    other: Arc<SimulatedChain>,
    swapped: BlockNumber,
}

impl Source for Mixed {
    fn name(&self) -> &str {
        self.source.name()
    }

    fn chain(&self) -> ChainKey {
        self.source.chain()
    }

    fn network(&self) -> Network {
        self.source.network()
    }

    fn fetch_tip(&self) -> BoxFuture<'_, Result<Tip, SourceError>> {
        self.source.fetch_tip()
    }

    fn fetch_block(
        &self,
        at: BlockAt,
        parts: Parts,
    ) -> BoxFuture<'_, Result<Option<Fetched>, SourceError>> {
        if at.number() == self.swapped {
            self.other.fetch_block(at, parts)
        } else {
            self.source.fetch_block(at, parts)
        }
    }

    fn fetch_agreement(
        &self,
        number: BlockNumber,
    ) -> BoxFuture<'_, Result<Agreement, SourceError>> {
        self.source.fetch_agreement(number)
    }

    fn fetch_numbers(
        &self,
        from: BlockNumber,
        limit: usize,
    ) -> BoxFuture<'_, Result<Option<Vec<BlockNumber>>, SourceError>> {
        self.source.fetch_numbers(from, limit)
    }
}

/// A chain that answers another history below what was final stops; what is held stays.
#[tokio::test]
async fn a_reorganisation_below_the_finalized_block_halts_the_chain() {
    let mut bench = Bench::new(21);
    bench.settle().await.unwrap();
    let before = bench.state();
    bench.clock.advance(30);
    let other = simulated(22, &bench.clock);
    bench.collector = Collector::new(bench.store.clone(), other, row(), Config::default());
    let error = bench.settle().await.unwrap_err();
    assert!(matches!(&error, CollectError::FinalReorg { .. }), "{error}");
    assert_eq!(error.kind(), ErrorKind::Corrupt);
    assert_eq!(bench.state(), before);
    bench.check();
}
