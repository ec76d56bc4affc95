//! Laws of the index of events: it has what the blocks held have, no more and no less, through
//! reorganisations, in every order and page by page.

use std::collections::BTreeSet;
use std::sync::Arc;

use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};
use superroot_chain::{ChainRegistry, ChainSpec};
use superroot_collect::{CollectConfig, Collector, WatchFilter};
use superroot_index::{
    BlockEvent, EventFilter, EventIndex, EventQuery, Hit, SearchResult, find, gaps,
};
use superroot_proof::ledger::evm::Receipt;
use superroot_source::simulated::{SimulatedChain, SimulatedConfig};
use superroot_store::feed::{Feed, Follower, StageProgress};
use superroot_store::{
    CheckReport, MemoryStore, Row, ScanOrder, Store, StoreError, Table, WriteBatch, read,
};
use superroot_types::{BlockNumber, Hash, ManualClock, UnixSeconds};

const GENESIS: u64 = 1_700_000_000;

struct Bench {
    row: ChainSpec,
    store: Arc<dyn Store>,
    clock: Arc<ManualClock>,
    collector: Collector,
    follower: Follower<EventIndex>,
}

impl Bench {
    fn new(slug: &str, seed: u64, watch: WatchFilter) -> Self {
        let row = ChainRegistry::builtin().find(slug).unwrap().clone().as_simulated();
        let config = SimulatedConfig {
            block_time_seconds: 1,
            finality_depth: 8,
            ..SimulatedConfig::new(seed, UnixSeconds(GENESIS))
        };
        let clock = Arc::new(ManualClock::at(UnixSeconds(GENESIS)));
        let source = Arc::new(SimulatedChain::new(&row, config, clock.clone()).unwrap());
        let store: Arc<dyn Store> = Arc::new(MemoryStore::new());
        let config = CollectConfig { watch, ..CollectConfig::default() };
        let collector = Collector::new(store.clone(), source, row.clone(), config);
        let follower = Follower::new(store.clone(), Feed::Chain(row.key()), EventIndex::default());
        Self { row, store, clock, collector, follower }
    }

    async fn collect_until(&mut self, seconds: u64) {
        self.clock.set(UnixSeconds(GENESIS + seconds));
        for _ in 0..6 {
            self.collector.step(UnixSeconds(GENESIS + seconds)).await.unwrap();
        }
    }

    fn index(&mut self) {
        while self.follower.step().unwrap() != StageProgress::Idle {}
    }

    /// The logs of every block held, read from its receipts here and now.
    fn plain(&self) -> Vec<Log> {
        let chain = self.row.key();
        let all = BlockNumber(0)..BlockNumber(u64::MAX);
        let mut logs = Vec::new();
        for (number, block) in read::load_blocks(&*self.store, chain, all, 10_000).unwrap() {
            let Some(body) = read::load_body(&*self.store, chain, number).unwrap() else {
                continue;
            };
            let superroot_proof::ledger::Body::Evm(tries) = body else { panic!("EVM") };
            let receipts = tries.receipts.unwrap();
            for tx_index in (0..block.tx_count.unwrap()).filter(|index| block.kept.holds(*index)) {
                let leaf = receipts.leaf(tx_index.into()).unwrap().unwrap();
                for (log_index, log) in (0..).zip(Receipt::decode(leaf).unwrap().logs) {
                    let address = log.address.0.to_vec();
                    logs.push((number, tx_index, log_index, address, log.topics, log.data));
                }
            }
        }
        logs
    }

    fn query(&self, filter: EventFilter) -> EventQuery {
        EventQuery {
            chain: self.row.key(),
            filter,
            from: BlockNumber(0),
            to: BlockNumber(u64::MAX),
            direction: ScanOrder::Rising,
            at: None,
            limit: usize::MAX,
            examined_max: usize::MAX,
            data_bytes_max: usize::MAX,
        }
    }

    fn found(&self, query: &EventQuery) -> SearchResult {
        let found = find(&*self.store, query).unwrap();
        assert_eq!(found.pending, [], "everything was taken");
        found
    }

    fn all(&self) -> Vec<Hit> {
        self.found(&self.query(EventFilter::default())).events
    }
}

/// Block, transaction, place, address, topics and data.
type Log = (BlockNumber, u32, u32, Vec<u8>, Vec<Hash>, Vec<u8>);

fn plainly(hit: &Hit) -> Log {
    let BlockEvent { tx_index, log_index, addresses, topics, data, .. } = hit.event.clone();
    let [address] = addresses.try_into().unwrap();
    (hit.position.number, tx_index, log_index, address, topics, data.unwrap())
}

/// A filter of addresses and topics that occur.
fn some_filter(random: &mut StdRng, logs: &[Log]) -> EventFilter {
    let mut filter = EventFilter::default();
    for _ in 0..random.random_range(0..4) {
        let (_, _, _, address, topics, _) = &logs[random.random_range(0..logs.len())];
        match random.random_range(0..3) {
            0 => filter.addresses.push(address.clone()),
            1 => filter.topics[0].extend(topics.first()),
            _ => {
                let at = random.random_range(0..topics.len().max(1));
                filter.topics[at].extend(topics.get(at));
            }
        }
    }
    filter
}

fn passes(filter: &EventFilter, (_, _, _, address, topics, _): &Log) -> bool {
    let by_topic = |at: usize, any_of: &[Hash]| {
        any_of.is_empty() || topics.get(at).is_some_and(|topic| any_of.contains(topic))
    };
    (filter.addresses.is_empty() || filter.addresses.contains(address))
        && filter.topics.iter().enumerate().all(|(at, any_of)| by_topic(at, any_of))
}

#[tokio::test]
async fn the_index_has_what_the_blocks_held_have_through_every_reorganisation() {
    let mut bench = Bench::new("ethereum", 11, WatchFilter::All);
    let mut undone = false;
    let mut before: BTreeSet<_> = BTreeSet::new();
    for seconds in (10..160).step_by(3) {
        bench.collect_until(seconds).await;
        bench.index();
        let logs = bench.plain();
        let hits = bench.all();
        assert_eq!(hits.iter().map(plainly).collect::<Vec<_>>(), logs, "{seconds}");
        let now: BTreeSet<_> = hits.iter().map(|hit| hit.block_hash).collect();
        undone |= !before.is_subset(&now);
        before = now;
    }
    assert!(undone, "the chain never reorganised");
    // each event names its block and its transaction
    for hit in bench.all() {
        let chain = bench.row.key();
        let block = read::load_block(&*bench.store, chain, hit.position.number).unwrap().unwrap();
        assert_eq!((hit.block_hash, hit.timestamp), (block.hash, block.timestamp));
        let places =
            read::find_transaction(&*bench.store, chain, &hit.event.transaction_hash.unwrap());
        let places = places.unwrap();
        assert!(places.iter().any(
            |place| place.number == hit.position.number && place.tx_index == hit.event.tx_index
        ));
    }
}

#[tokio::test]
async fn every_filter_finds_what_a_look_at_each_log_finds_page_by_page_both_ways() {
    let mut bench = Bench::new("ethereum", 12, WatchFilter::All);
    bench.collect_until(120).await;
    bench.index();
    let logs = bench.plain();
    let mut random = StdRng::seed_from_u64(7);
    for round in 0..200 {
        let filter = some_filter(&mut random, &logs);
        let (from, to) = (random.random_range(0..130), random.random_range(0..130));
        let is_meant = |log: &&Log| (from..=to).contains(&log.0.0) && passes(&filter, log);
        let mut expected: Vec<Log> = logs.iter().filter(is_meant).cloned().collect();
        let direction = if round % 2 == 0 { ScanOrder::Rising } else { ScanOrder::Falling };
        if direction == ScanOrder::Falling {
            expected.reverse();
        }
        let mut query = EventQuery {
            from: BlockNumber(from),
            to: BlockNumber(to),
            direction,
            limit: random.random_range(1..60),
            examined_max: random.random_range(1..200),
            data_bytes_max: random.random_range(1..20_000),
            ..bench.query(filter.clone())
        };
        let mut got = Vec::new();
        for _ in 0..10_000 {
            let found = bench.found(&query);
            assert!(found.events.len() <= query.limit);
            got.extend(found.events.iter().map(plainly));
            query.at = found.next;
            if query.at.is_none() {
                break;
            }
        }
        assert_eq!(query.at, None, "the search never ends");
        assert_eq!(got, expected, "round {round}: {filter:?} of {from} to {to}");
    }
}

/// What is not indexed yet is said, and an index that is lost is built anew, the same.
#[tokio::test]
async fn an_index_that_is_behind_says_so_and_one_that_is_lost_is_built_anew() {
    let mut bench = Bench::new("ethereum", 13, WatchFilter::All);
    bench.collect_until(60).await;
    let query = bench.query(EventFilter::default());
    assert_eq!(
        find(&*bench.store, &query).unwrap().pending,
        [(BlockNumber(0), BlockNumber(u64::MAX))],
        "nothing was ever indexed"
    );
    bench.index();
    let first = bench.all();
    assert!(!first.is_empty());
    bench.collect_until(90).await;
    let pending = find(&*bench.store, &query).unwrap().pending;
    assert!(pending.iter().all(|(from, _)| *from > BlockNumber(40)), "{pending:?}");
    assert!(pending.iter().any(|(_, to)| *to == BlockNumber(90)), "{pending:?}");
    bench.index();
    let indexed = bench.all();
    // as after a restore that left the derived rows behind: its place is gone
    let mut batch = superroot_store::WriteBatch::new();
    for (key, _) in bench.store.scan(Table::Stage, b"", None, 10, ScanOrder::Rising).unwrap() {
        batch.delete(Table::Stage, key);
    }
    bench.store.commit(batch).unwrap();
    bench.index();
    assert_eq!(bench.all(), indexed);
}

/// What happens as a process commits.
enum Fate {
    /// It dies before the commit is written.
    DiesBefore,
    /// It dies after that.
    DiesAfter,
    /// Another has indexed what there is meanwhile.
    Overtaken(Feed),
}

/// A store in which something happens at each commit.
struct Fated(Arc<dyn Store>, Fate);

impl Store for Fated {
    fn get(&self, table: Table, key: &[u8]) -> Result<Option<Vec<u8>>, StoreError> {
        self.0.get(table, key)
    }

    fn scan(
        &self,
        table: Table,
        start: &[u8],
        end: Option<&[u8]>,
        limit: usize,
        direction: ScanOrder,
    ) -> Result<Vec<Row>, StoreError> {
        self.0.scan(table, start, end, limit, direction)
    }

    fn commit(&self, batch: WriteBatch) -> Result<(), StoreError> {
        match self.1 {
            Fate::DiesBefore => Err(StoreError::Dead),
            Fate::DiesAfter => self.0.commit(batch).and(Err(StoreError::Dead)),
            Fate::Overtaken(feed) => {
                let mut fast = Follower::new(self.0.clone(), feed, EventIndex::default());
                while fast.step().unwrap() != StageProgress::Idle {}
                self.0.commit(batch)
            }
        }
    }

    fn commit_count(&self) -> u64 {
        self.0.commit_count()
    }

    fn check(&self, progress: &mut dyn FnMut(Table, u64)) -> Result<CheckReport, StoreError> {
        self.0.check(progress)
    }
}

/// A process that dies between the commit of a block and that of its events, or right after it, while the chain goes
/// on and is reorganised: the next one leaves nothing out and takes nothing twice.
#[tokio::test]
async fn a_death_between_block_and_index_leaves_nothing_out_and_nothing_twice() {
    let mut bench = Bench::new("ethereum", 11, WatchFilter::All);
    let (mut deaths, mut undone) = ([0, 0], false);
    let mut before: BTreeSet<_> = BTreeSet::new();
    for seconds in 10..160 {
        bench.collect_until(seconds).await;
        let all = BlockNumber(0)..BlockNumber(u64::MAX);
        let held = read::load_blocks(&*bench.store, bench.row.key(), all, 10_000).unwrap();
        let now: BTreeSet<_> = held.into_iter().map(|(_, block)| block.hash).collect();
        undone |= !before.is_subset(&now);
        before = now;
        // every third time it lives
        if seconds % 3 > 0 {
            let is_written = seconds % 3 == 1;
            let fate = if is_written { Fate::DiesAfter } else { Fate::DiesBefore };
            let dying = Arc::new(Fated(bench.store.clone(), fate));
            let feed = Feed::Chain(bench.row.key());
            let mut doomed = Follower::new(dying, feed, EventIndex::default());
            while !matches!(doomed.step(), Ok(StageProgress::Idle)) {
                deaths[usize::from(is_written)] += 1;
                if !is_written {
                    break;
                }
            }
            let found = find(&*bench.store, &bench.query(EventFilter::default())).unwrap();
            assert_eq!(
                found.pending.is_empty(),
                is_written,
                "what is not indexed is said: {seconds}"
            );
            continue;
        }
        bench.index();
        let hits = bench.all();
        assert_eq!(hits.iter().map(plainly).collect::<Vec<_>>(), bench.plain(), "{seconds}");
    }
    assert!(deaths.iter().all(|count| *count > 20) && undone, "{deaths:?}");
}

/// Two processes that take the same feed do not undo each other's work: one of them is refused.
#[tokio::test]
async fn of_two_that_index_the_same_blocks_one_is_refused() {
    let mut bench = Bench::new("ethereum", 15, WatchFilter::All);
    let feed = Feed::Chain(bench.row.key());
    for seconds in (10..60).step_by(5) {
        bench.collect_until(seconds).await;
        // the first has read where it goes on, and commits after the second
        let slow = Arc::new(Fated(bench.store.clone(), Fate::Overtaken(feed)));
        let mut slow = Follower::new(slow, feed, EventIndex::default());
        let error = slow.step().unwrap_err();
        assert!(error.to_string().contains("nothing was written"), "{error}");
        bench.index();
        let hits = bench.all();
        assert_eq!(hits.iter().map(plainly).collect::<Vec<_>>(), bench.plain(), "{seconds}");
    }
}

/// Under a watch list the index answers for what is on the list, and says where it cannot.
#[tokio::test]
async fn a_watch_list_makes_gaps_for_whatever_it_does_not_have() {
    let mut whole = Bench::new("ethereum", 14, WatchFilter::All);
    whole.collect_until(60).await;
    let (_, _, _, address, topics, _) = whole.plain().remove(20);
    let watched = superroot_types::Address(address.clone().try_into().unwrap());
    let watch = WatchFilter::Some {
        addresses: BTreeSet::from([watched]),
        topics: BTreeSet::from([topics[0]]),
    };
    let mut bench = Bench::new("ethereum", 14, watch);
    bench.collect_until(60).await;
    bench.index();
    let (store, chain) = (&*bench.store, bench.row.key());
    let (first, last) = (BlockNumber(0), BlockNumber(60));
    let of = |filter: &EventFilter| gaps(store, chain, filter, first, last).unwrap();
    let by_address = EventFilter { addresses: vec![address], ..EventFilter::default() };
    let mut by_topic = EventFilter::default();
    by_topic.topics[0] = vec![topics[0]];
    for filter in [&by_address, &by_topic] {
        assert_eq!(of(filter), []);
        let found = bench.found(&bench.query(filter.clone())).events;
        let expected = whole.plain().into_iter().filter(|log| passes(filter, log));
        assert_eq!(found.iter().map(plainly).collect::<Vec<_>>(), expected.collect::<Vec<_>>());
        assert!(!found.is_empty());
    }
    for filter in [
        EventFilter::default(),
        EventFilter { addresses: vec![vec![9; 20]], ..EventFilter::default() },
        EventFilter {
            topics: [vec![topics[0], Hash([3; 32])], vec![], vec![], vec![]],
            ..by_topic
        },
    ] {
        let gaps = of(&filter);
        assert_eq!((gaps[0].from, gaps.last().unwrap().to), (first, last), "{filter:?}");
        assert!(gaps.iter().all(|gap| gap.why == "not_watched"), "{gaps:?}");
    }
    let beyond = gaps(store, chain, &by_address, BlockNumber(50), BlockNumber(70)).unwrap();
    assert_eq!(beyond.len(), 1);
    assert_eq!((beyond[0].from, beyond[0].to), (BlockNumber(61), BlockNumber(70)));
    assert_eq!(beyond[0].why, "not_collected");
}
