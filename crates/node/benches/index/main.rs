//! What indexing costs, with everything that the service keeps of each block's events: blocks stored and indexed against
//! the same blocks stored alone.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use superroot_chain::finality::{FinalityAnchor, OneSource, check};
use superroot_chain::{
    ChainRegistry, ChainSpec, EvidenceVerdict, FinalBlock, FinalityEvidence, UntrustedBlock, verify,
};
use superroot_index::{EventFilter, EventIndex, EventQuery, Views, find};
use superroot_market::PoolView;
use superroot_order::OrderView;
use superroot_source::BlockSource;
use superroot_source::simulated::{SimulatedChain, SimulatedConfig};
use superroot_store::feed::{Changes, Feed, Follower, StageProgress, append};
use superroot_store::layout::{BlockTip, ChainState, KeptEntries};
use superroot_store::{EmbeddedConfig, EmbeddedStore, ScanOrder, Store, WriteBatch, write};
use superroot_types::{BlockNumber, ChainKey, ManualClock, UnixSeconds};

const GENESIS: u64 = 1_700_000_000;
/// Blocks of one commit, as a collector takes them that is behind.
const COMMIT_BLOCKS: usize = 16;
/// Blocks whose cost is measured.
const BLOCKS: u64 = 96;
/// Transactions of each.
const TRANSACTIONS: u16 = 200;

fn main() {
    if std::env::args().any(|argument| argument == "--list") {
        return;
    }
    let views: Views = Arc::from([Box::new(PoolView) as _, Box::new(OrderView) as _]);
    cost("the index alone", &Arc::from([]));
    cost("the index with pools and orders", &views);
}

fn row() -> ChainSpec {
    ChainRegistry::builtin().find("ethereum").unwrap().clone().as_simulated()
}

fn blocks() -> Vec<UntrustedBlock> {
    let config = SimulatedConfig {
        block_time_seconds: 1,
        finality_depth: 8,
        reorgs: false,
        transactions: Some(TRANSACTIONS),
        ..SimulatedConfig::new(5, UnixSeconds(GENESIS))
    };
    let clock = Arc::new(ManualClock::at(UnixSeconds(GENESIS + BLOCKS)));
    let source = SimulatedChain::new(&row(), config, clock).unwrap();
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    let fetch = |number| runtime.block_on(source.fetch_whole(BlockNumber(number)));
    (0..BLOCKS).map(|number| fetch(number).unwrap().unwrap()).collect()
}

fn as_final(row: &ChainSpec, block: &UntrustedBlock) -> FinalBlock {
    let evidence =
        FinalityEvidence::OneSource(OneSource { name: "bench".into(), rule: "bench".into() });
    let block = verify(row, block).unwrap();
    match check(evidence, vec![block.into()], &FinalityAnchor::OneSource, UnixSeconds(0)) {
        EvidenceVerdict::Final(mut blocks) => blocks.remove(0),
        refused => panic!("{refused:?}"),
    }
}

fn open(folder: &Path) -> Arc<dyn Store> {
    Arc::new(EmbeddedStore::open(folder, &EmbeddedConfig::default()).unwrap())
}

/// Verifies and stores all blocks; gives the time that took.
fn store_all(store: &dyn Store, row: &ChainSpec, blocks: &[UntrustedBlock]) -> Duration {
    let begun = Instant::now();
    let mut state = ChainState::empty(BlockNumber(0));
    for some in blocks.chunks(COMMIT_BLOCKS) {
        let (mut batch, mut changes) = (WriteBatch::new(), Changes::default());
        for block in some {
            let block = as_final(row, block);
            write::put_final(&mut batch, store, &block, &KeptEntries::All).unwrap();
            let tip = BlockTip { number: block.link().number, hash: block.link().hash };
            changes.made_final(tip.number);
            (state.indexed, state.head, state.checked_to) =
                (Some(tip), Some(tip), Some(tip.number));
        }
        write::put_chain_state(&mut batch, row.key(), &state);
        append(&mut batch, store, row.key(), changes, UnixSeconds(GENESIS), 1_000_000).unwrap();
        store.commit(batch).unwrap();
    }
    begun.elapsed()
}

/// What storing costs alone; with the index behind it at the same time, as the service has it; and with the index
/// after it, on one core.
fn cost(name: &str, views: &Views) {
    let (row, blocks) = (row(), blocks());
    let (mut alone, mut after, mut beside, mut events) = (vec![], vec![], vec![], 0);
    for _ in 0..5 {
        let folder = tempfile::tempdir().unwrap();
        let store = open(folder.path());
        alone.push(store_all(&*store, &row, &blocks).as_secs_f64());
        // the first look begins at the newest row, and builds the index of what is held
        let begun = Instant::now();
        index(views, &store, row.key(), || true);
        after.push(begun.elapsed().as_secs_f64());
        events = find(&*store, &all_of(row.key())).unwrap().events.len();

        let folder = tempfile::tempdir().unwrap();
        let store = open(folder.path());
        let (is_stored, begun) = (AtomicBool::new(false), Instant::now());
        std::thread::scope(|scope| {
            scope.spawn(|| index(views, &store, row.key(), || is_stored.load(Ordering::Acquire)));
            store_all(&*store, &row, &blocks);
            is_stored.store(true, Ordering::Release);
        });
        beside.push(begun.elapsed().as_secs_f64());
        let found = find(&*store, &all_of(row.key())).unwrap();
        assert_eq!(found.events.len(), events, "what is indexed beside is what is indexed after");
    }
    let (alone, after, beside) = (median(alone), median(after), median(beside));
    println!(
        "index/{name}: {:.2}x of the speed of verifying and storing alone, {:.2}x on one core ({} events in {BLOCKS} \
         blocks; {:.0} events/s indexed, {:.0} blocks/s verified and stored)",
        alone / beside,
        alone / (alone + after),
        events,
        events as f64 / after,
        BLOCKS as f64 / alone,
    );
}

/// Indexes what is stored, until all is and nothing more comes.
fn index(views: &Views, store: &Arc<dyn Store>, chain: ChainKey, is_all_stored: impl Fn() -> bool) {
    let mut follower =
        Follower::new(store.clone(), Feed::Chain(chain), EventIndex::with(views.clone()));
    loop {
        let was_all = is_all_stored();
        while follower.step().unwrap() != StageProgress::Idle {}
        if was_all {
            return;
        }
        std::thread::sleep(Duration::from_millis(1));
    }
}

fn median(mut figures: Vec<f64>) -> f64 {
    figures.sort_by(f64::total_cmp);
    figures[figures.len() / 2]
}

fn all_of(chain: ChainKey) -> EventQuery {
    EventQuery {
        chain,
        filter: EventFilter::default(),
        from: BlockNumber(0),
        to: BlockNumber(u64::MAX),
        direction: ScanOrder::Rising,
        at: None,
        limit: usize::MAX,
        examined_max: usize::MAX,
        data_bytes_max: usize::MAX,
    }
}
