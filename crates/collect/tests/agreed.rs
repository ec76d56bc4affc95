//! A chain of Solana's family: no hash binds the one before, so a line is agreed on block by block.

use crate::support;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex};

use superroot_chain::ledger::solana::RawSolanaBlock;
use superroot_chain::{ChainRegistry, ChainSpec, UntrustedBlock, verify};
use superroot_collect::{CollectConfig, CollectError, CollectProgress, Collector, WatchFilter};
use superroot_source::simulated::{SimulatedChain, SimulatedConfig};
use superroot_source::{
    BlockAt, BlockParts, BlockSource, CallFault, ClaimedBlock, FetchedBlock, Fetching,
    FinalityAgreement, LiveNodes, NodesReport, SourceDescription, SourceError, SourceTip,
};
use superroot_store::{MemoryStore, read};
use superroot_types::*;

/// A twig's first number, with which a live chain begins.
const FIRST: u64 = 2_048;
const LAST: u64 = FIRST + 39;

fn row() -> &'static ChainSpec {
    ChainRegistry::builtin().find("solana").unwrap()
}

fn hash_of(branch: u8, number: u64) -> Hash {
    let mut hash = Hash([branch; 32]);
    hash.0[..8].copy_from_slice(&number.to_be_bytes());
    hash
}

/// A block as JSON-RPC gives it: its sender says which hash is whose parent.
fn block(branch: u8, number: u64) -> RawSolanaBlock {
    RawSolanaBlock {
        number: BlockNumber(number),
        slot: number + 100,
        parent_slot: number + 99,
        hash: hash_of(branch, number),
        parent_hash: hash_of(branch, number - 1),
        time: 1_700_000_000 + number,
        entries: None,
    }
}

/// How a block is sent that is asked for the n-th time; `None` where the sender is honest.
type Lie = Box<dyn Fn(u64, u32) -> Option<RawSolanaBlock> + Send + Sync>;

struct Nodes {
    lie: Mutex<Lie>,
    /// Numbers of which too few nodes agree.
    open: Mutex<BTreeSet<u64>>,
    /// The first block that nodes have.
    begins: Mutex<u64>,
    asked: Mutex<BTreeMap<u64, u32>>,
    blamed: Mutex<Vec<(String, String)>>,
}

impl BlockSource for Nodes {
    fn about(&self) -> SourceDescription<'_> {
        SourceDescription { name: "nodes", chain: row().key(), network: Network::Live }
    }

    fn fetch_tip(&self) -> Fetching<'_, SourceTip> {
        let head = ClaimedBlock { number: BlockNumber(LAST), hash: hash_of(1, LAST) };
        Box::pin(async move { Ok(SourceTip { head, safe: None, finalized: head }) })
    }

    fn fetch_block<'a>(
        &'a self,
        at: BlockAt,
        _parts: BlockParts,
        not_of: &'a [Arc<str>],
    ) -> Fetching<'a, Option<FetchedBlock>> {
        let number = at.number().0;
        let nth = {
            let mut asked = self.asked.lock().unwrap();
            let nth = asked.entry(number).or_default();
            *nth += 1;
            *nth
        };
        let lie = (self.lie.lock().unwrap())(number, nth).filter(|_| not_of.is_empty());
        let (raw, sender) = lie.map_or((block(1, number), "honest"), |lie| (lie, "liar"));
        let is_there = number <= LAST && !matches!(at, BlockAt::Id(id) if id.hash != raw.hash);
        let block = UntrustedBlock::Solana(Box::new(raw));
        let fetched =
            is_there.then(|| FetchedBlock { block, sender: sender.into(), body_fault: None });
        Box::pin(async move { Ok(fetched) })
    }

    fn fetch_agreement(&self, number: BlockNumber) -> Fetching<'_, FinalityAgreement> {
        let is_open = self.open.lock().unwrap().contains(&number.0);
        let is_there = number.0 >= *self.begins.lock().unwrap();
        Box::pin(async move {
            if is_open {
                return Err(SourceError::ShuttingDown);
            }
            if !is_there {
                let (field, got) = ("block", "null".to_owned());
                let fault = CallFault::Mismatch { field, got, expected: format!("block {number}") };
                let source_name = "one".to_owned();
                return Err(SourceError::Call { source_name, method: "a hash", fault });
            }
            let sources = vec!["one".to_owned(), "two".to_owned()];
            let hash = Some(hash_of(1, number.0));
            Ok(FinalityAgreement { hash, sources, of: 3, rule: "finalized".to_owned() })
        })
    }

    fn nodes(&self) -> Option<&dyn LiveNodes> {
        Some(self)
    }
}

impl LiveNodes for Nodes {
    fn blame(&self, sender: &str, why: &str) {
        self.blamed.lock().unwrap().push((sender.to_owned(), why.to_owned()));
    }

    fn report(&self) -> NodesReport {
        NodesReport::default()
    }
}

struct Bench {
    nodes: Arc<Nodes>,
    store: Arc<MemoryStore>,
    collector: Collector,
}

impl Bench {
    fn new(lie: impl Fn(u64, u32) -> Option<RawSolanaBlock> + Send + Sync + 'static) -> Self {
        let nodes = Arc::new(Nodes {
            lie: Mutex::new(Box::new(lie)),
            open: Mutex::default(),
            begins: Mutex::default(),
            asked: Mutex::default(),
            blamed: Mutex::default(),
        });
        let store = Arc::new(MemoryStore::new());
        let config = CollectConfig {
            watch: WatchFilter::nothing(),
            start: Some(BlockNumber(FIRST)),
            blocks_per_step_max: 16,
            ..CollectConfig::default()
        };
        let collector = Collector::new(store.clone(), nodes.clone(), row().clone(), config);
        Self { nodes, store, collector }
    }

    async fn settle(&mut self) -> Result<(), CollectError> {
        loop {
            if self.collector.step(support::NOW).await?.progress == CollectProgress::Idle {
                return Ok(());
            }
        }
    }

    fn newest(&self) -> Option<u64> {
        let state = read::load_chain_state(&*self.store, row().key()).unwrap();
        state.and_then(|state| state.indexed).map(|tip| tip.number.0)
    }

    /// Up to the newest, every block is the agreed one, and names the one below.
    fn check(&self) {
        let numbers = BlockNumber(FIRST)..BlockNumber(u64::MAX);
        let held = read::load_blocks(&*self.store, row().key(), numbers, 1_000).unwrap();
        for (expected, (number, block)) in (FIRST..).zip(&held) {
            assert_eq!(number.0, expected, "no gap");
            let expected = (hash_of(1, number.0), hash_of(1, number.0 - 1));
            assert_eq!((block.hash, block.parent_hash), expected, "{number}");
        }
        assert_eq!(held.last().map(|(number, _)| number.0), self.newest());
    }

    fn blamed(&self) -> Vec<(String, String)> {
        self.nodes.blamed.lock().unwrap().clone()
    }
}

#[tokio::test]
async fn an_honest_line_is_taken_and_nobody_is_blamed() {
    let mut bench = Bench::new(|_, _| None);
    bench.settle().await.unwrap();
    bench.check();
    assert_eq!((bench.newest(), bench.blamed()), (Some(LAST), Vec::new()));
}

/// The last block of a line is agreed on, and says nothing of those below: one lone node's are found out.
#[tokio::test]
async fn a_block_of_another_branch_in_the_middle_of_a_line_is_not_taken() {
    for wrong in [FIRST, FIRST + 5, LAST - 1] {
        let mut bench = Bench::new(move |number, nth| {
            // sound by itself, and it names the right parent
            let parent_hash = hash_of(1, number - 1);
            let other = RawSolanaBlock { parent_hash, ..block(2, number) };
            (number == wrong && nth == 1).then_some(other)
        });
        bench.settle().await.unwrap();
        bench.check();
        assert_eq!(bench.newest(), Some(LAST));
        let blamed = bench.blamed();
        assert_eq!(blamed.len(), 1, "{blamed:?}");
        assert!(blamed[0].0 == "liar" && blamed[0].1.contains("agreed on is"), "{blamed:?}");
    }
}

/// The right hash with a wrong parent: nothing recomputes it, and what is agreed on below does not fit.
#[tokio::test]
async fn a_wrong_parent_of_the_right_block_is_not_taken() {
    for wrong in [FIRST, FIRST + 1, FIRST + 16, LAST] {
        let mut bench = Bench::new(move |number, nth| {
            let other = RawSolanaBlock { parent_hash: Hash([9; 32]), ..block(1, number) };
            (number == wrong && nth <= 2).then_some(other)
        });
        bench.settle().await.unwrap();
        bench.check();
        assert_eq!(bench.newest(), Some(LAST), "{wrong}");
        let blamed = bench.blamed();
        assert!(!blamed.is_empty(), "{wrong}");
        for (sender, why) in blamed {
            assert_eq!(sender, "liar");
            assert!(why.contains("names parent") || why.contains("agreed on"), "{why}");
        }
    }
}

/// A whole forged line, each block of it linked to the next.
#[tokio::test]
async fn a_forged_line_is_not_taken() {
    let lies = |number: u64, nth: u32| {
        ((FIRST + 3..FIRST + 13).contains(&number) && nth == 1).then(|| block(2, number))
    };
    let mut bench = Bench::new(lies);
    bench.settle().await.unwrap();
    bench.check();
    assert_eq!(bench.newest(), Some(LAST));
    assert!(bench.blamed().iter().all(|(sender, _)| sender == "liar"));
}

/// Where all who have the block name another parent than what is agreed on, the chain stands before it.
#[tokio::test]
async fn a_parent_that_everybody_gets_wrong_is_a_contradiction_and_not_stepped_over() {
    let wrong = FIRST + 20;
    let mut bench = Bench::new(|_, _| None);
    let lie = move |number, _| {
        let other = RawSolanaBlock { parent_hash: Hash([9; 32]), ..block(1, number) };
        (number == wrong).then_some(other)
    };
    *bench.nodes.lie.lock().unwrap() = Box::new(lie);
    let error = bench.settle().await.unwrap_err();
    assert!(
        matches!(error, CollectError::Contradiction { number, .. } if number.0 == wrong),
        "{error}"
    );
    assert!(bench.newest().is_none_or(|newest| newest < wrong));
    *bench.nodes.lie.lock().unwrap() = Box::new(|_, _| None);
    bench.settle().await.unwrap();
    bench.check();
    assert_eq!(bench.newest(), Some(LAST));
}

#[tokio::test]
async fn a_line_with_a_block_that_too_few_agree_on_is_waited_for() {
    let open = FIRST + 20;
    let mut bench = Bench::new(|_, _| None);
    bench.nodes.open.lock().unwrap().insert(open);
    let error = bench.settle().await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Unavailable, "{error}");
    assert!(bench.newest().is_none_or(|newest| newest < open));
    bench.nodes.open.lock().unwrap().clear();
    bench.settle().await.unwrap();
    bench.check();
    assert_eq!(bench.newest(), Some(LAST));
}

/// As of nodes that replay a recording: nothing says what stands before its first block.
#[tokio::test]
async fn a_line_begins_where_nodes_have_nothing_below() {
    let mut bench = Bench::new(|_, _| None);
    *bench.nodes.begins.lock().unwrap() = FIRST;
    bench.settle().await.unwrap();
    bench.check();
    assert_eq!((bench.newest(), bench.blamed()), (Some(LAST), Vec::new()));
    // and what is in the middle of it has to be there
    let mut bench = Bench::new(|_, _| None);
    *bench.nodes.begins.lock().unwrap() = FIRST + 1;
    let error = bench.settle().await.unwrap_err().to_string();
    assert!(error.contains(&format!("block {FIRST}")), "{error}");
    assert_eq!(bench.newest(), None);
}

/// A simulated chain speaks for itself. What was held of a branch that it left in a pause is no parent
/// of what it sends later.
#[tokio::test]
async fn a_branch_left_in_a_pause_does_not_hold_back_a_chain_that_speaks_for_itself() {
    let mut was_replaced = 0;
    for (slug, seed) in [("solana", 1), ("solana", 2), ("aptos", 1), ("aptos", 2)] {
        let row = ChainRegistry::builtin().find(slug).unwrap().clone().as_simulated();
        let genesis = 1_700_000_000;
        let clock = Arc::new(ManualClock::at(UnixSeconds(genesis)));
        let config = SimulatedConfig {
            block_time_seconds: 1,
            finality_depth: 8,
            ..SimulatedConfig::new(seed, UnixSeconds(genesis))
        };
        let chain = Arc::new(SimulatedChain::new(&row, config, clock.clone()).unwrap());
        let store = Arc::new(MemoryStore::new());
        let followed = CollectConfig { watch: WatchFilter::All, ..CollectConfig::default() };
        let mut collector = Collector::new(store.clone(), chain.clone(), row.clone(), followed);
        for pause in (9..20).cycle().take(60) {
            let head = chain.fetch_tip().await.unwrap().head;
            loop {
                let step = collector.step(clock.now()).await;
                let step = step.unwrap_or_else(|error| panic!("{slug} {seed}, {head:?}: {error}"));
                if step.progress == CollectProgress::Idle {
                    break;
                }
            }
            let state = read::load_chain_state(&*store, row.key()).unwrap().unwrap();
            assert_eq!(state.head.map(|id| id.hash), Some(head.hash), "{slug} {seed}");
            clock.advance(pause);
            let now = chain.fetch_whole(head.number).await.unwrap().unwrap();
            was_replaced += u32::from(verify(&row, &now).unwrap().hash() != head.hash);
        }
    }
    assert!(was_replaced > 5, "{was_replaced}");
}
