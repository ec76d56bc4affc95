//! Laws of collecting, over simulated chains and over sources that lie.

mod support;

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use superroot_chain::UntrustedBlock;
use superroot_collect::{CollectError, Collector, Config, Progress, Step};
use superroot_source::simulated::SimulatedChain;
use superroot_source::{About, Agreement, BlockAt, BlockId, Fetched, Fetching, Parts, Source, Tip};
use superroot_store::layout::Held;
use superroot_store::read;
use superroot_types::ErrorKind;
use superroot_types::*;
use support::*;

#[tokio::test]
async fn a_chain_is_followed_through_reorganisations() {
    let mut bench = Bench::new(11);
    let mut undone_in_all = 0;
    for _ in 0..120 {
        loop {
            match bench.step().await {
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

/// Whoever looks seldom meets a short reorganisation when its blocks are final already: it is one all
/// the same.
#[tokio::test]
async fn a_reorganisation_whose_blocks_are_final_by_then_is_counted() {
    let mut bench = Bench::new(11);
    let (mut undone_by_final, mut lost) = (0, 0);
    bench.settle().await.unwrap();
    for _ in 0..60 {
        let state = bench.state();
        let held = state.indexed.unwrap().number.0 + 1..=state.head.unwrap().number.0;
        let before: Vec<_> = held.map(|number| (number, bench.hash(number))).collect();
        bench.clock.advance(20);
        loop {
            match bench.step().await {
                Ok(Step { progress: Progress::Idle, .. }) => break,
                Ok(Step { progress: Progress::Final { undone, .. }, .. }) => {
                    undone_by_final += undone;
                }
                Ok(Step { progress: Progress::Head { undone, .. }, .. }) => {
                    assert_eq!(undone, 0, "all that was held is final by now");
                }
                Err(error) => assert_eq!(error.kind(), ErrorKind::Unavailable, "{error}"),
            }
        }
        lost += before.iter().filter(|(number, hash)| bench.hash(*number) != *hash).count();
    }
    assert!(undone_by_final > 0, "the chain never reorganised, so nothing was tested");
    assert_eq!(undone_by_final, lost, "each block that was replaced was counted, once");
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
    fn about(&self) -> About<'_> {
        About { name: "bent", network: self.network, ..self.inner.about() }
    }

    fn fetch_tip(&self) -> Fetching<'_, Tip> {
        Box::pin(async {
            let tip = self.inner.fetch_tip().await?;
            let Some(last) = self.numbers.as_ref().and_then(|numbers| numbers.last()) else {
                return Ok(tip);
            };
            let id = BlockId { number: BlockNumber(*last), hash: Hash::ZERO };
            Ok(Tip { head: id, safe: None, finalized: id })
        })
    }

    fn fetch_block<'a>(
        &'a self,
        at: BlockAt,
        parts: Parts,
        _: &'a [Arc<str>],
    ) -> Fetching<'a, Option<Fetched>> {
        Box::pin(async move {
            let fetched = self.inner.fetch_block(at, parts, &[]).await?;
            if !self.lies.load(Ordering::SeqCst) {
                return Ok(fetched);
            }
            Ok(fetched.and_then(|Fetched { block, sender }| {
                Some(Fetched { block: (self.bend)(at.number(), block)?, sender })
            }))
        })
    }

    fn fetch_agreement(&self, number: BlockNumber) -> Fetching<'_, Agreement> {
        self.inner.fetch_agreement(number)
    }

    fn fetch_numbers(
        &self,
        from: BlockNumber,
        limit: usize,
    ) -> Fetching<'_, Option<Vec<BlockNumber>>> {
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

#[tokio::test]
async fn a_chain_stops_before_a_block_that_does_not_recompute_and_goes_on_when_it_does() {
    let (mut bench, source) =
        bent(|number, block| Some(if number.0 == 9 { with_other_gas(block) } else { block }), None);
    let error = bench.settle().await.unwrap_err();
    assert!(matches!(&error, CollectError::Refused { number: BlockNumber(9), .. }), "{error}");
    assert_eq!(error.kind(), ErrorKind::Invalid);
    let note = read::load_refused(&*bench.store, row().key(), BlockNumber(9)).unwrap().unwrap();
    assert_eq!(note.source, source.inner.name(), "who sent it");
    assert!(note.reason.contains("hash"), "{}", note.reason);
    assert_eq!(bench.state().indexed.unwrap().number.0, 8, "just before it");
    assert_eq!(bench.coverage(), [run(0, 8, Held::Whole), run(9, 9, Held::Refused)]);
    source.lies.store(false, Ordering::SeqCst);
    bench.settle().await.unwrap();
    bench.check();
    assert_eq!(read::load_refused(&*bench.store, row().key(), BlockNumber(9)).unwrap(), None);
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
    let step = bench.step().await.unwrap();
    let Progress::Final { blocks, refused, .. } = step.progress else { panic!("{step:?}") };
    assert_eq!((blocks, refused.len(), refused[0].number.0), (5, 1, 12));
    bench.settle().await.unwrap();
    let state = bench.state();
    assert_eq!((state.start.0, state.checked_to, state.block_count), (0, Some(BlockNumber(20)), 5));
    let numbers = BlockNumber(0)..BlockNumber(100);
    let held = read::load_blocks(&*bench.store, row().key(), numbers, 100).unwrap();
    let held: Vec<u64> = held.into_iter().map(|(number, _)| number.0).collect();
    assert_eq!(held, [3, 4, 9, 13, 20]);
    let said = [
        run(0, 2, Held::Skipped),
        run(3, 4, Held::Whole),
        run(5, 8, Held::Skipped),
        run(9, 9, Held::Whole),
        run(10, 11, Held::Skipped),
        run(12, 12, Held::Refused),
        run(13, 13, Held::Whole),
        run(14, 19, Held::Skipped),
        run(20, 20, Held::Whole),
    ];
    assert_eq!(bench.coverage(), said);
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
    let step = bench.step().await.unwrap();
    let Progress::Final { blocks, refused, .. } = step.progress else { panic!("{step:?}") };
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
    fn about(&self) -> About<'_> {
        self.source.about()
    }

    fn fetch_tip(&self) -> Fetching<'_, Tip> {
        self.source.fetch_tip()
    }

    fn fetch_block<'a>(
        &'a self,
        at: BlockAt,
        parts: Parts,
        _: &'a [Arc<str>],
    ) -> Fetching<'a, Option<Fetched>> {
        if at.number() == self.swapped {
            self.other.fetch_block(at, parts, &[])
        } else {
            self.source.fetch_block(at, parts, &[])
        }
    }

    fn fetch_agreement(&self, number: BlockNumber) -> Fetching<'_, Agreement> {
        self.source.fetch_agreement(number)
    }

    fn fetch_numbers(
        &self,
        from: BlockNumber,
        limit: usize,
    ) -> Fetching<'_, Option<Vec<BlockNumber>>> {
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
