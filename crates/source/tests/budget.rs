//! Many chains share one bound on bytes in hand. Time is paused.

use crate::support;

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use superroot_source::{
    BlockAt, BlockParts, BlockSource, BoxFuture, Budget, LiveConfig, LiveSource, NodeAnswer,
    NodeRequest, SourceError, Transport, TransportError,
};
use superroot_types::BlockNumber;
use tokio::time::Instant;

use support::ethereum;
use support::nodes::{Mode, Node, View, config};

const CHAINS: usize = 20;
const MIB: usize = 1 << 20;

/// What all ways to nodes have in hand together, counted apart from what is tested: the whole room
/// of an answer while it comes.
#[derive(Default)]
struct Watched {
    now: AtomicUsize,
    most: AtomicUsize,
    requests: AtomicUsize,
}

/// A way to a node whose answers are filled up to a size and take a while to come.
struct Large {
    node: Arc<Node>,
    bytes: usize,
    takes: Duration,
    watched: Arc<Watched>,
}

impl Large {
    async fn reply(&self, request: NodeRequest) -> Result<NodeAnswer, TransportError> {
        let bytes_max = request.answer_bytes_max;
        self.watched.requests.fetch_add(1, Ordering::SeqCst);
        let is_of_block = String::from_utf8_lossy(&request.body).contains("eth_getBlockReceipts");
        let now = self.watched.now.fetch_add(bytes_max, Ordering::SeqCst) + bytes_max;
        self.watched.most.fetch_max(now, Ordering::SeqCst);
        tokio::time::sleep(self.takes).await;
        let answer = self.node.exchange(request).await;
        self.watched.now.fetch_sub(bytes_max, Ordering::SeqCst);
        let mut answer = answer?;
        let room = if is_of_block { self.bytes } else { 0 };
        answer.body.resize(answer.body.len().max(room), b' ');
        if answer.body.len() > bytes_max {
            return Err(TransportError::TooLarge { expected: bytes_max });
        }
        Ok(answer)
    }
}

impl Transport for Large {
    fn name(&self) -> &str {
        self.node.name()
    }

    fn exchange(&self, request: NodeRequest) -> BoxFuture<'_, Result<NodeAnswer, TransportError>> {
        Box::pin(self.reply(request))
    }
}

fn sources(
    budget: &Budget,
    watched: &Arc<Watched>,
    bytes: impl Fn(usize) -> usize,
    takes_ms: impl Fn(usize) -> u64,
) -> Vec<Arc<LiveSource>> {
    let config = LiveConfig { body_bytes_max: 16 * MIB, in_hand_bytes_max: 64 * MIB, ..config() };
    let config = LiveConfig { calls_per_second_max: 100_000, attempts_max: 1, ..config };
    let source = |chain| {
        let node = Node::new("node", View::at(100), Mode::Good);
        let takes = Duration::from_millis(takes_ms(chain));
        let way = Large { node, bytes: bytes(chain), takes, watched: watched.clone() };
        let ways: Vec<Arc<dyn Transport>> = vec![Arc::new(way)];
        Arc::new(LiveSource::with_transports(budget, ethereum(), ways, config).unwrap())
    };
    (0..CHAINS).map(source).collect()
}

async fn fetch(source: &LiveSource, number: u64) -> Result<(), SourceError> {
    let block =
        source.fetch_block(BlockAt::Number(BlockNumber(number)), BlockParts::Whole, &[]).await?;
    assert!(block.is_some(), "the node has block {number}");
    Ok(())
}

/// Every chain asks for several blocks at one time, the answers of each as large as is allowed or
/// small: all of them come, and the sum of what is on its way never exceeds the bound.
#[tokio::test(start_paused = true)]
async fn twenty_chains_of_large_answers_stay_within_one_bound_and_all_finish() {
    for (bytes, blocks) in [(16 * MIB, 1), (3 * MIB, 4), (100, 16)] {
        let (budget, watched) = (Budget::of(64 * MIB), Arc::new(Watched::default()));
        let sources = sources(&budget, &watched, |_| bytes, |_| 5);
        let fetches: Vec<_> = sources
            .iter()
            .flat_map(|source| (0..blocks).map(move |number| (Arc::clone(source), number)))
            .map(|(source, number)| tokio::spawn(async move { fetch(&source, number).await }))
            .collect();
        for fetch in fetches {
            fetch.await.unwrap().unwrap();
            assert!(budget.bytes_in_use() <= budget.bytes_max());
        }
        let most = watched.most.load(Ordering::SeqCst);
        assert!(most <= budget.bytes_max(), "{most} bytes were on their way at one time");
        assert!(most > 0 && watched.now.load(Ordering::SeqCst) == 0);
        assert_eq!(budget.bytes_in_use(), 0, "nothing is in hand when all is read");
    }
}

/// Nodes that send large answers slowly keep those of other chains from coming no longer than one
/// ordinary answer takes.
#[tokio::test(start_paused = true)]
async fn slow_large_answers_harm_no_other_chain() {
    let (budget, watched) = (Budget::of(64 * MIB), Arc::new(Watched::default()));
    let is_hostile = |chain: usize| chain < CHAINS / 2;
    let bytes = |chain| if is_hostile(chain) { 16 * MIB } else { 100_000 };
    let takes_ms = |chain| if is_hostile(chain) { 19_000 } else { 5 };
    let sources = sources(&budget, &watched, bytes, takes_ms);
    let hostile: Vec<_> = sources[..CHAINS / 2]
        .iter()
        .cloned()
        .map(|source| tokio::spawn(async move { drop(fetch(&source, 1).await) }))
        .collect();
    // once their first, small rooms are known to be too small
    tokio::time::sleep(Duration::from_secs(60)).await;
    let after = Instant::now();
    for source in &sources[CHAINS / 2..] {
        for number in 0..4 {
            fetch(source, number).await.unwrap();
        }
    }
    assert!(after.elapsed() < Duration::from_secs(2), "{:?}", after.elapsed());
    hostile.iter().for_each(tokio::task::JoinHandle::abort);
}

/// An answer that is larger than those before is asked for once more, with more room, and the next
/// one has it from the start.
#[tokio::test(start_paused = true)]
async fn a_larger_answer_than_expected_is_asked_for_again_and_then_expected() {
    let (budget, watched) = (Budget::of(64 * MIB), Arc::new(Watched::default()));
    let sources = sources(&budget, &watched, |_| 5 * MIB, |_| 1);
    let requests = || watched.requests.swap(0, Ordering::SeqCst);
    sources[0].fetch_tip().await.unwrap();
    requests();
    fetch(&sources[0], 1).await.unwrap();
    assert_eq!(requests(), 2);
    assert_eq!(budget.bytes_in_use(), 0);
}
