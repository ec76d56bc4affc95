//! Laws of blooms: no block that names an item is ever left out, headers say the same as slices, filters only
//! take away, and nothing is built of what is not whole.

use std::collections::BTreeSet;
use std::sync::Arc;

use superroot_chain::{ChainRegistry, ChainSpec};
use superroot_collect::{CollectConfig, Collector, WatchFilter};
use superroot_index::bloom::{
    BloomEvidence, BloomQuestion, Blooms, BuildCursor, Built, Candidates, build_next,
};
use superroot_index::{EventFilter, EventIndex, EventQuery, find};
use superroot_proof::ledger::Header;
use superroot_source::simulated::{SimulatedChain, SimulatedConfig};
use superroot_store::feed::{Feed, Follower, StageProgress};
use superroot_store::{MemoryStore, ScanOrder, Store, read};
use superroot_types::{BlockNumber, ManualClock, UnixSeconds};

const GENESIS: u64 = 1_700_000_000;
/// A whole twig, and a part of the next.
const BLOCKS: u64 = 2048 + 120;

struct Held {
    row: ChainSpec,
    store: Arc<dyn Store>,
}

async fn collect(watch: WatchFilter) -> Held {
    let row = ChainRegistry::builtin().find("ethereum").unwrap().clone().as_simulated();
    let config = SimulatedConfig {
        block_time_seconds: 1,
        finality_depth: 8,
        reorgs: false,
        quiet_until: 1594,
        transactions: Some(30),
        ..SimulatedConfig::new(21, UnixSeconds(GENESIS))
    };
    let clock = Arc::new(ManualClock::at(UnixSeconds(GENESIS + BLOCKS)));
    let source = Arc::new(SimulatedChain::new(&row, config, clock).unwrap());
    let store: Arc<dyn Store> = Arc::new(MemoryStore::new());
    let config = CollectConfig { watch, ..CollectConfig::default() };
    let mut collector = Collector::new(store.clone(), source, row.clone(), config);
    for _ in 0..40 {
        collector.step(UnixSeconds(GENESIS + BLOCKS)).await.unwrap();
    }
    Held { row, store }
}

impl Held {
    fn index(&self) {
        let feed = Feed::Chain(self.row.key());
        let mut follower = Follower::new(self.store.clone(), feed, EventIndex::default());
        while follower.step().unwrap() != StageProgress::Idle {}
    }

    fn last(&self) -> BlockNumber {
        let state = read::load_chain_state(&*self.store, self.row.key()).unwrap().unwrap();
        state.indexed.unwrap().number
    }

    fn search(&self, blooms: &Blooms, items: &[Vec<u8>], from: u64, to: BlockNumber) -> Candidates {
        let (items, from) = (items.to_vec(), BlockNumber(from));
        let question = BloomQuestion { items, from, to, listed_max: usize::MAX };
        blooms.search(&*self.store, &self.row, &question).unwrap()
    }

    /// The blocks whose headers' blooms have all items, looked at one by one.
    fn by_headers(&self, items: &[Vec<u8>], from: u64, to: BlockNumber) -> Vec<BlockNumber> {
        let numbers = BlockNumber(from)..BlockNumber(to.0 + 1);
        let blocks = read::load_blocks(&*self.store, self.row.key(), numbers, usize::MAX).unwrap();
        let has_all = |(number, block): &(BlockNumber, superroot_store::layout::BlockRow)| {
            let header = Header::decode(self.row.rule_at(*number).unwrap(), &block.header).unwrap();
            let bloom = header.logs_bloom().unwrap().clone();
            items.iter().all(|item| bloom.contains(item))
        };
        blocks.into_iter().filter(has_all).map(|(number, _)| number).collect()
    }

    /// Every address and topic, with the blocks that name it.
    fn names(&self) -> Vec<(Vec<u8>, BTreeSet<BlockNumber>)> {
        let query = EventQuery {
            chain: self.row.key(),
            filter: EventFilter::default(),
            from: BlockNumber(0),
            to: self.last(),
            direction: ScanOrder::Rising,
            at: None,
            limit: usize::MAX,
            examined_max: usize::MAX,
            data_bytes_max: usize::MAX,
        };
        let mut names = std::collections::BTreeMap::new();
        for hit in find(&*self.store, &query).unwrap().events {
            let topics = hit.event.topics.iter().map(|topic| topic.0.to_vec());
            for name in hit.event.addresses.clone().into_iter().chain(topics) {
                let blocks: &mut BTreeSet<BlockNumber> = names.entry(name).or_default();
                blocks.insert(hit.position.number);
            }
        }
        names.into_iter().collect()
    }
}

#[tokio::test]
async fn nothing_that_is_named_is_left_out_and_slices_say_what_headers_say() {
    let held = collect(WatchFilter::All).await;
    assert_eq!(
        build_next(&*held.store, &held.row, &mut BuildCursor::default()).unwrap(),
        Built::Waits,
        "nothing is indexed"
    );
    held.index();
    let names = held.names();
    let (last, unbuilt) = (held.last(), Blooms::default());
    assert!(names.len() > 20 && last.0 > 2048, "{} names to {last}", names.len());
    // before anything is built: the headers alone
    for (name, blocks) in names.iter().step_by(5) {
        let found = held.search(&unbuilt, std::slice::from_ref(name), 0, last);
        assert_eq!(found.listed, held.by_headers(std::slice::from_ref(name), 0, last));
        assert!(blocks.is_subset(&found.listed.iter().copied().collect()));
        assert_eq!((found.evidence, found.missing), (BloomEvidence::HeaderBlooms, 0));
    }
    assert_eq!(
        build_next(&*held.store, &held.row, &mut BuildCursor::default()).unwrap(),
        Built::Twig(0)
    );
    assert_eq!(
        build_next(&*held.store, &held.row, &mut BuildCursor::default()).unwrap(),
        Built::All,
        "the next is not whole"
    );
    let blooms = Blooms::default();
    for (at, (name, blocks)) in names.iter().enumerate() {
        let other = &names[(at * 7 + 3) % names.len()];
        for items in [vec![name.clone()], vec![name.clone(), other.0.clone()]] {
            let from = (at as u64 * 37) % last.0;
            let found = held.search(&blooms, &items, from, last);
            let by_headers = held.by_headers(&items, from, last);
            assert_eq!(found.by_headers, by_headers.len() as u64);
            assert_eq!(found.count, found.listed.len() as u64);
            assert_eq!(found.scanned, last.0 - from + 1);
            let listed: BTreeSet<_> = found.listed.iter().copied().collect();
            assert!(listed.is_subset(&by_headers.into_iter().collect()), "a filter adds nothing");
            let both = blocks.iter().filter(|block| items.len() == 1 || other.1.contains(block));
            let both: BTreeSet<_> = both.copied().filter(|block| block.0 >= from).collect();
            assert!(both.is_subset(&listed), "a block that names it is left out");
        }
    }
    // what nobody names: filters leave next to nothing of what the headers allow
    let (mut by_headers, mut by_filter) = (0, 0);
    for nobody in 0..2_000_u64 {
        let name = [&[0xee; 12][..], &nobody.to_be_bytes()].concat();
        let found = held.search(&blooms, &[name], 0, BlockNumber(2047));
        (by_headers, by_filter) = (by_headers + found.by_headers, by_filter + found.count);
    }
    assert!(by_headers > 50, "{by_headers}");
    assert!(by_filter * 20 < by_headers, "{by_filter} of {by_headers}");
}

/// Where not every event is kept a twig has slices and no filter, and what it says rests on headers alone.
#[tokio::test]
async fn of_headers_alone_there_is_no_filter() {
    let held = collect(WatchFilter::nothing()).await;
    assert_eq!(
        build_next(&*held.store, &held.row, &mut BuildCursor::default()).unwrap(),
        Built::Twig(0)
    );
    let (blooms, last) = (Blooms::default(), held.last());
    let mut possible = 0;
    for nobody in 0..3_000_u64 {
        let name = [&[0xee; 12][..], &nobody.to_be_bytes()].concat();
        let found = held.search(&blooms, std::slice::from_ref(&name), 0, last);
        assert_eq!(found.evidence, BloomEvidence::HeaderBlooms);
        assert!((0.0..1.0).contains(&found.false_positive_rate));
        possible += u64::from(found.count > 0);
        if found.count > 0 && possible < 20 {
            assert_eq!(found.listed, held.by_headers(&[name], 0, last));
        }
    }
    assert!((1..3_000).contains(&possible), "{possible} of 3000");
    // what is not held is said
    let found = held.search(&blooms, &[vec![1; 20]], last.0, BlockNumber(last.0 + 10));
    assert_eq!((found.scanned, found.missing), (1, 10));
}
