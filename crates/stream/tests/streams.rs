//! Laws of the streams: whoever listens has what the index has, through reorganisations, restarts and in
//! every view; whoever comes back goes on where it was; and what cannot be told is said.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use serde_json::Value;
use superroot_accumulate::Accumulator;
use superroot_accumulate::prove::Prover;
use superroot_chain::{ChainRegistry, ChainSpec};
use superroot_collect::{CollectConfig, Collector, WatchFilter};
use superroot_index::event::topic_of;
use superroot_index::{
    BlockEvent, EventBlock, EventFilter, EventIndex, EventQuery, View, find, put_events,
};
use superroot_order::OrderView;
use superroot_source::simulated::{SimulatedChain, SimulatedConfig};
use superroot_store::feed::{Feed, Follower, StageProgress};
use superroot_store::{MemoryStore, ScanOrder, Store, WriteBatch, read};
use superroot_stream::{
    Delivery, DeliveryFinality, Hub, ListenerFilter, LogCursor, StreamLogWriter, Subscriber, Topic,
};
use superroot_types::{BlockNumber, Hash, ManualClock, UnixSeconds};

const GENESIS: u64 = 1_700_000_000;
const DAY: u64 = 86_400;

struct World {
    row: ChainSpec,
    store: Arc<dyn Store>,
    clock: Arc<ManualClock>,
    collector: Collector,
    index: Follower<EventIndex>,
    accumulator: Accumulator,
    writer: StreamLogWriter,
    hub: Hub,
}

impl World {
    fn new(seed: u64) -> Self {
        let row = ChainRegistry::builtin().find("ethereum").unwrap().clone().as_simulated();
        let config = SimulatedConfig {
            block_time_seconds: 1,
            finality_depth: 8,
            ..SimulatedConfig::new(seed, UnixSeconds(GENESIS))
        };
        let clock = Arc::new(ManualClock::at(UnixSeconds(GENESIS)));
        let source = Arc::new(SimulatedChain::new(&row, config, clock.clone()).unwrap());
        let store: Arc<dyn Store> = Arc::new(MemoryStore::new());
        let config = CollectConfig { watch: WatchFilter::All, ..CollectConfig::default() };
        let collector = Collector::new(store.clone(), source, row.clone(), config);
        let views: superroot_index::Views = Arc::from([Box::new(OrderView) as _]);
        let index = EventIndex::with(views);
        let index = Follower::new(store.clone(), Feed::Chain(row.key()), index);
        let rows = ChainRegistry::builtin().proof_registry().clone();
        let accumulator = Accumulator::open(store.clone(), rows, "simulated/streams").unwrap();
        let prover = Prover::new(store.clone(), accumulator.board());
        let hub = Hub::open(prover.clone()).unwrap();
        let writer = StreamLogWriter::new(store.clone(), prover, vec![row.key()], DAY);
        Self { row, store, clock, collector, index, accumulator, writer, hub }
    }

    fn now(&self) -> UnixSeconds {
        superroot_types::Clock::now(&*self.clock)
    }

    async fn collect(&mut self, seconds: u64) {
        self.clock.set(UnixSeconds(GENESIS + seconds));
        for _ in 0..3 {
            self.collector.step(UnixSeconds(GENESIS + seconds)).await.unwrap();
        }
    }

    fn index(&mut self) {
        while self.index.step().unwrap() != StageProgress::Idle {}
    }

    fn publish(&mut self) {
        self.accumulator.step(self.now()).unwrap();
    }

    fn tell(&mut self) {
        while self.writer.step(self.now()).unwrap() > 0 {}
        while self.hub.take().unwrap() > 0 {}
    }

    /// Blocks up to that second, collected, indexed, now and then published, and told.
    async fn run(&mut self, seconds: std::ops::Range<u64>) {
        for second in seconds {
            self.collect(second).await;
            self.index();
            if second % 5 == 0 {
                self.publish();
            }
            self.tell();
        }
    }

    /// Logs in the index up to a block: what a listener should have.
    fn indexed(&self, to: BlockNumber) -> BTreeMap<Place, Hash> {
        let query = EventQuery {
            chain: self.row.key(),
            filter: EventFilter::default(),
            from: BlockNumber(0),
            to,
            direction: ScanOrder::Rising,
            at: None,
            limit: usize::MAX,
            examined_max: usize::MAX,
            data_bytes_max: usize::MAX,
        };
        let found = find(&*self.store, &query).unwrap();
        let of = |hit: superroot_index::Hit| {
            let event = hit.event;
            let (tx_index, log_index) = (event.tx_index.into(), event.log_index.into());
            ((hit.position.number.0, tx_index, log_index), hit.block_hash)
        };
        found.events.into_iter().map(of).collect()
    }

    fn listen(&self, topics: &[Topic], finality: DeliveryFinality) -> Subscriber {
        Subscriber::new(self.hub.clone(), wanted(topics, finality), None)
    }
}

/// Block, position of the transaction, position of the log.
type Place = (u64, u64, u64);

fn wanted(topics: &[Topic], finality: DeliveryFinality) -> ListenerFilter {
    let topics = topics.iter().copied().collect();
    ListenerFilter { topics, finality, ..ListenerFilter::default() }
}

/// An event as it is sent: cursor, name, data.
type Sent = (LogCursor, &'static str, Value);

fn sent(told: Delivery) -> Sent {
    match told {
        Delivery::Event(item) => {
            let data: Value = serde_json::from_slice(&item.data()).unwrap();
            let frame = String::from_utf8(item.frame().to_vec()).unwrap();
            let (cursor, name) = (item.cursor, item.name());
            assert_eq!(frame, format!("id: {cursor}\nevent: {name}\ndata: {data}\n\n"));
            (cursor, name, data)
        }
        other => panic!("{other:?}"),
    }
}

/// All that is there for a listener.
async fn drain(listener: &mut Subscriber) -> Vec<Sent> {
    drain_for(listener, Duration::from_millis(3)).await
}

/// The same for one that reads the store.
async fn drain_stored(listener: &mut Subscriber) -> Vec<Sent> {
    drain_for(listener, Duration::from_millis(1_000)).await
}

async fn drain_for(listener: &mut Subscriber, pause: Duration) -> Vec<Sent> {
    let mut all = Vec::new();
    loop {
        tokio::select! {
            biased;
            told = listener.next() => all.push(sent(told.unwrap())),
            () = tokio::time::sleep(pause) => return all,
        }
    }
}

/// What somebody has who does as the stream says.
#[derive(Default)]
struct Reader(BTreeMap<Place, Hash>);

impl Reader {
    fn take(&mut self, all: &[Sent]) {
        for (_, name, data) in all {
            match *name {
                "logs" => {
                    let number = |name: &str| data[name].as_u64().unwrap();
                    let place =
                        (number("blockNumber"), number("transactionIndex"), number("logIndex"));
                    let hash = data["blockHash"].as_str().unwrap().parse().unwrap();
                    if data["isLate"] == false {
                        assert!(!self.0.contains_key(&place), "told twice: {place:?}");
                    }
                    self.0.insert(place, hash);
                }
                "undone" => {
                    let from = data["fromBlock"].as_u64().unwrap();
                    let to = data["toBlock"].as_u64().unwrap();
                    self.0.retain(|(number, ..), _| !(from..=to).contains(number));
                }
                _ => {}
            }
            assert!(data["v5Anchor"].is_object() || data["v5Anchor"].is_null());
        }
    }
}

#[tokio::test]
async fn whoever_does_as_the_stream_says_has_what_the_index_has_in_every_view() {
    for seed in 1..3 {
        let mut world = World::new(seed);
        let logs = [Topic::Logs];
        let mut listeners =
            [DeliveryFinality::Head, DeliveryFinality::Finalized, DeliveryFinality::Anchored]
                .map(|finality| (world.listen(&logs, finality), Reader::default()));
        let mut undone = 0;
        for second in 0..150 {
            world.run(second..second + 1).await;
            for (listener, reader) in &mut listeners {
                let all = drain(listener).await;
                undone += all.iter().filter(|(_, name, _)| *name == "undone").count();
                reader.take(&all);
            }
            let state = read::load_chain_state(&*world.store, world.row.key()).unwrap();
            let Some(state) = state else { continue };
            let published = world.accumulator.board().latest();
            let anchored = published.as_ref().and_then(|one| one.reference(world.row.key()));
            let limits = [
                state.head.map(|tip| tip.number),
                state.indexed.map(|tip| tip.number),
                anchored.map(|(_, reference)| reference.number),
            ];
            for ((_, reader), limit) in listeners.iter().zip(limits) {
                let expected = limit.map(|to| world.indexed(to)).unwrap_or_default();
                assert_eq!(reader.0, expected, "seed {seed}, second {second}, {limit:?}");
            }
        }
        assert!(undone > 0, "seed {seed}: nothing was reorganised");
        assert!(!listeners[2].1.0.is_empty(), "seed {seed}: nothing was anchored");
    }
}

#[tokio::test]
async fn whoever_comes_back_at_any_cursor_is_told_the_rest_by_another_process_too() {
    let mut world = World::new(1);
    let topics = Topic::ALL;
    let mut first = world.listen(&topics, DeliveryFinality::Finalized);
    world.run(0..150).await;
    let whole = drain(&mut first).await;
    assert!(whole.len() > 50, "{}", whole.len());
    let names: std::collections::BTreeSet<_> = whole.iter().map(|(_, name, _)| *name).collect();
    let expected = ["anchored", "finality", "logs", "orders", "superroot", "undone"];
    assert_eq!(Vec::from_iter(names), expected);
    let rising = whole.windows(2).all(|two| two[0].0 < two[1].0);
    assert!(rising, "cursors rise");
    let prover = Prover::new(world.store.clone(), world.accumulator.board());
    let other = Hub::open(prover).unwrap();
    for hub in [&world.hub, &other] {
        for (place, (cursor, ..)) in whole.iter().enumerate().step_by(whole.len() / 10) {
            let text = cursor.to_string().parse().unwrap();
            let mut again = Subscriber::new(
                hub.clone(),
                wanted(&topics, DeliveryFinality::Finalized),
                Some(text),
            );
            let rest = drain_stored(&mut again).await;
            let ids = |all: &[Sent]| all.iter().map(|(cursor, ..)| *cursor).collect::<Vec<_>>();
            let expected = ids(&whole[place + 1..]);
            // events of blocks that were undone meanwhile are not told again
            assert!(ids(&rest).iter().all(|cursor| expected.contains(cursor)));
            assert_eq!(rest.last(), whole.last().filter(|_| place + 1 < whole.len()));
            assert_eq!(ids(&rest), expected, "finalized events are never undone");
        }
    }
}

/// Whoever comes back and does not read costs nothing: rows of the past are in memory within one bound for all, also where
/// that bound is too small for what they read, and no event is lost or told twice by that.
#[tokio::test]
async fn readers_of_the_past_hold_no_more_in_memory_than_all_may() {
    const PAST_BYTES_MAX: u64 = 24 << 10;
    let mut world = World::new(1);
    let mut first = world.listen(&Topic::ALL, DeliveryFinality::Finalized);
    world.run(0..150).await;
    let whole = drain(&mut first).await;
    let prover = Prover::new(world.store.clone(), world.accumulator.board());
    let hub = Hub::with_past(prover, PAST_BYTES_MAX).unwrap();
    let wish = || wanted(&Topic::ALL, DeliveryFinality::Finalized);
    let begin = |cursor: LogCursor| Subscriber::new(hub.clone(), wish(), Some(cursor));
    // each reads one event, and no more
    let mut idle: Vec<Subscriber> = Vec::new();
    for (cursor, ..) in whole.iter().take(whole.len() - 1) {
        idle.push(begin(*cursor));
        idle.last_mut().unwrap().next().await.unwrap();
        assert!(hub.past_bytes() <= PAST_BYTES_MAX, "{}", hub.past_bytes());
    }
    assert!(hub.past_bytes() > 0, "the past is read through it");
    // all of them go on by turns, each at its own place
    for (place, reader) in idle.iter_mut().enumerate() {
        let Some((expected, ..)) = whole.get(place + 2) else { break };
        let (next, ..) = sent(reader.next().await.unwrap());
        assert_eq!(next, *expected, "place {place}");
    }
    let mut again = begin(whole[0].0);
    let rest = drain_stored(&mut again).await;
    let ids = |all: &[Sent]| all.iter().map(|(cursor, ..)| *cursor).collect::<Vec<_>>();
    assert_eq!(ids(&rest), ids(&whole[1..]));
    assert!(hub.past_bytes() <= PAST_BYTES_MAX, "{}", hub.past_bytes());
}

#[tokio::test]
async fn what_is_not_kept_any_more_is_said() {
    let mut world = World::new(1);
    let mut first = world.listen(&[Topic::Finality], DeliveryFinality::Head);
    world.run(0..10).await;
    let early = drain(&mut first).await;
    let prover = Prover::new(world.store.clone(), world.accumulator.board());
    world.writer = StreamLogWriter::new(world.store.clone(), prover, vec![world.row.key()], 5);
    world.run(10..40).await;
    let since = early[0].0;
    let of = |since| {
        Subscriber::new(
            world.hub.clone(),
            wanted(&[Topic::Finality], DeliveryFinality::Head),
            Some(since),
        )
    };
    let mut again = of(since);
    let Delivery::Stale(stale) = again.next().await.unwrap() else { panic!("stale") };
    assert_eq!(stale.since, since.to_string());
    assert!(stale.why.contains("not kept"), "{stale:?}");
    let oldest = world.hub.oldest().unwrap();
    assert_eq!(stale.oldest, oldest.to_string());
    let rest = drain_stored(&mut again).await;
    assert!(rest[0].0 > oldest && rest.len() > 5);
    let mut foreign = of(LogCursor { log: since.log ^ 1, ..since });
    let Delivery::Stale(stale) = foreign.next().await.unwrap() else { panic!("stale") };
    assert!(stale.why.contains("not in this log"), "{stale:?}");
    let mut ahead = of(LogCursor { row: since.row + 1_000_000, ..since });
    assert!(matches!(ahead.next().await.unwrap(), Delivery::Stale(_)));
    assert_eq!(drain_stored(&mut ahead).await.len(), rest.len());
}

#[tokio::test]
async fn whoever_reads_too_slowly_is_told_so_once_and_can_come_back() {
    let mut world = World::new(1);
    world.run(0..3).await;
    let mut slow = world.listen(&[Topic::Finality], DeliveryFinality::Head);
    let mut other = world.listen(&[Topic::SuperRoot], DeliveryFinality::Head);
    let mut rows = 0_usize;
    let mut second = 3;
    while rows < 4_700 {
        world.run(second..second + 40).await;
        second += 40;
        rows = usize::try_from(world.hub.newest().unwrap().row).unwrap();
        drain(&mut other).await;
        if rows < 200 {
            drain(&mut slow).await;
        }
    }
    let Delivery::Lagged(lagged) = slow.next().await.unwrap() else { panic!("lagged") };
    let cursor = slow.cursor().unwrap();
    assert_eq!(lagged.cursor, cursor.to_string());
    assert!(drain(&mut slow).await.is_empty(), "nothing comes after");
    let mut again = Subscriber::new(
        world.hub.clone(),
        wanted(&[Topic::Finality], DeliveryFinality::Head),
        Some(cursor),
    );
    let rest = drain_stored(&mut again).await;
    assert!(rest.len() > 1_000, "{}", rest.len());
}

#[tokio::test]
async fn a_transaction_is_waited_for_and_one_that_is_anchored_is_told_at_once() {
    let mut world = World::new(1);
    let mut logs = world.listen(&[Topic::Logs], DeliveryFinality::Head);
    world.run(0..12).await;
    let all = drain(&mut logs).await;
    let (_, _, data) = all.iter().rev().find(|(_, name, _)| *name == "logs").unwrap();
    let hash: Hash = data["transactionHash"].as_str().unwrap().parse().unwrap();
    let number = data["blockNumber"].clone();
    let mut wish = wanted(&[Topic::Anchored], DeliveryFinality::Head);
    wish.transaction = Some((world.row.key(), hash));
    let mut waiting = Subscriber::new(world.hub.clone(), wish.clone(), None);
    assert!(drain_stored(&mut waiting).await.is_empty());
    world.run(12..40).await;
    let told = drain_stored(&mut waiting).await;
    // the block may have been reorganised away with the transaction
    if told.is_empty() {
        let places = read::find_transaction(&*world.store, world.row.key(), &hash).unwrap();
        assert!(places.is_empty());
        return;
    }
    assert_eq!((told.len(), told[0].1), (1, "anchored"));
    assert_eq!(told[0].2["transactionHash"], hash.to_string());
    assert_eq!(told[0].2["fromBlock"], number);
    let first = told[0].2["sequence"].clone();
    let mut late = Subscriber::new(world.hub.clone(), wish, None);
    let told = drain_stored(&mut late).await;
    assert_eq!((told.len(), &told[0].2["fromBlock"]), (1, &number));
    // the first SuperRoot that has it, not the newest
    assert_eq!(told[0].2["sequence"], first);
    assert!(
        first.as_u64().unwrap()
            < (Prover::new(world.store.clone(), world.accumulator.board())
                .latest()
                .unwrap()
                .super_root
                .sequence)
                .0
    );
}

#[tokio::test]
async fn an_index_that_is_behind_is_waited_for_and_then_said_to_be_missing() {
    let mut world = World::new(1);
    let mut logs = world.listen(&[Topic::Logs], DeliveryFinality::Head);
    world.run(0..5).await;
    drain(&mut logs).await;
    world.collect(8).await;
    world.tell();
    assert!(drain(&mut logs).await.is_empty(), "it waits");
    world.index();
    world.tell();
    let all = drain(&mut logs).await;
    assert!(all.iter().all(|(_, name, _)| *name == "logs" || *name == "undone"));
    let prover = Prover::new(world.store.clone(), world.accumulator.board());
    let writer = StreamLogWriter::new(world.store.clone(), prover, vec![world.row.key()], DAY);
    world.writer = writer.waiting_for_index(Duration::ZERO);
    world.collect(12).await;
    world.tell();
    let all = drain(&mut logs).await;
    let gap = all.iter().find(|(_, name, _)| *name == "gap").expect("it says what is missing");
    assert!(gap.2["fromBlock"].is_u64() && gap.2["why"].as_str().unwrap().contains("/v5/logs"));
}

#[tokio::test]
async fn of_two_writers_one_gets_a_conflict_and_nothing_is_told_twice() {
    let mut world = World::new(2);
    let mut listener = world.listen(&Topic::ALL, DeliveryFinality::Head);
    let mut reader = Reader::default();
    for second in 0..20 {
        world.collect(second).await;
        world.index();
        world.publish();
        let prover = Prover::new(world.store.clone(), world.accumulator.board());
        let chains = vec![world.row.key()];
        let mut other = StreamLogWriter::new(world.store.clone(), prover, chains, DAY);
        let now = world.now();
        std::thread::scope(|scope| {
            scope.spawn(|| while matches!(other.step(now), Ok(1..)) {});
            let _ = world.writer.step(now);
        });
        world.tell();
        reader.take(&drain(&mut listener).await);
    }
    let state = read::load_chain_state(&*world.store, world.row.key()).unwrap().unwrap();
    assert_eq!(reader.0, world.indexed(state.head.unwrap().number));
}

/// A log that is begun on a store that has history tells what comes, not what was.
#[tokio::test]
async fn a_log_that_begins_later_tells_what_comes() {
    let mut world = World::new(1);
    for second in 0..30 {
        world.collect(second).await;
        world.index();
        world.publish();
    }
    let head = read::load_chain_state(&*world.store, world.row.key()).unwrap().unwrap().head;
    let mut listener = world.listen(&Topic::ALL, DeliveryFinality::Anchored);
    world.run(30..60).await;
    let all = drain(&mut listener).await;
    let numbers = all.iter().filter(|(_, name, _)| *name == "logs");
    let first = numbers.map(|(_, _, data)| data["blockNumber"].as_u64().unwrap()).min().unwrap();
    assert!(first > head.unwrap().number.0);
}

/// A deposit of Across on Ethereum, as its pool emits it.
fn deposit(id: u64, place: u32) -> BlockEvent {
    let word = |value: u64| {
        let mut word = [0; 32];
        word[24..].copy_from_slice(&value.to_be_bytes());
        word
    };
    let signature = "FundsDeposited(bytes32,bytes32,uint256,uint256,uint256,uint256,uint32,uint32,uint32,bytes32,bytes32,bytes32,bytes)";
    let pool = [
        0x5c, 0x7b, 0xcd, 0x6e, 0x7d, 0xe5, 0x42, 0x3a, 0x25, 0x7d, 0x81, 0xb4, 0x42, 0x09, 0x5a,
        0x1a, 0x6c, 0xed, 0x35, 0xc5,
    ];
    let values = [1, 2, 100, 99, 7, u64::from(u32::MAX), 0, 4, 0, 320, 0].map(word);
    BlockEvent {
        tx_index: place,
        log_index: 0,
        transaction_hash: None,
        addresses: vec![pool.to_vec()],
        topics: vec![topic_of(signature), Hash(word(8453)), Hash(word(id)), Hash(word(3))],
        data: Some(values.concat()),
    }
}

impl World {
    /// Lets a block that is indexed have one more event, which opens that order.
    fn open_order(&self, number: BlockNumber, hash: Hash, id: u64) {
        let query = EventQuery {
            chain: self.row.key(),
            filter: EventFilter::default(),
            from: number,
            to: number,
            direction: ScanOrder::Rising,
            at: None,
            limit: usize::MAX,
            examined_max: usize::MAX,
            data_bytes_max: usize::MAX,
        };
        let hits = find(&*self.store, &query).unwrap().events;
        let mut events: Vec<BlockEvent> = hits.into_iter().map(|hit| hit.event).collect();
        events.push(deposit(id, 9_999));
        let (chain, timestamp) = (self.row.key(), UnixSeconds(0));
        let mut batch = WriteBatch::new();
        put_events(&mut batch, chain, number, hash, &events);
        let (block, mut rows) =
            (EventBlock { chain, number, hash, timestamp, events: &events }, Vec::new());
        OrderView.put(&block, &mut rows);
        for (table, key, value) in rows {
            batch.put(table, key, value);
        }
        self.store.commit(batch).unwrap();
    }

    fn has_order(&self, id: &str) -> bool {
        let ask = superroot_order::OrderQuery::parse(id).unwrap();
        !superroot_order::find(&*self.store, &ask).unwrap().is_empty()
    }
}

/// Steps of orders are told as blocks are taken; a reorganisation takes them back, here and in the store.
#[tokio::test]
async fn steps_of_orders_come_and_go_with_their_blocks() {
    let mut world = World::new(2);
    let chain = world.row.key();
    world.run(1..20).await;
    let mut listener = world.listen(&[Topic::Orders], DeliveryFinality::Head);
    let only = ListenerFilter {
        order: Some("across:1:3".to_owned()),
        ..wanted(&[Topic::Orders], DeliveryFinality::Head)
    };
    let mut of_one = Subscriber::new(world.hub.clone(), only, None);
    let (mut told, mut by_one) = (BTreeMap::<String, u64>::new(), 0);
    let mut opened: BTreeMap<String, (BlockNumber, Hash)> = BTreeMap::new();
    let (mut undone, mut seen) = (0, BlockNumber(19));
    for second in 20..90 {
        world.collect(second).await;
        world.index();
        let blocks = BlockNumber(seen.0 + 1)..BlockNumber(u64::MAX);
        for (number, block) in read::load_blocks(&*world.store, chain, blocks, 100).unwrap() {
            let id = opened.len() as u64;
            world.open_order(number, block.hash, id);
            opened.insert(format!("across:1:{id}"), (number, block.hash));
            seen = number;
        }
        world.tell();
        for (_, name, data) in drain(&mut listener).await {
            match name {
                "orders" => {
                    let id = data["orderId"].as_str().unwrap().to_owned();
                    let number = data["blockNumber"].as_u64().unwrap();
                    assert_eq!(data["step"], "opened");
                    assert_eq!(data["blockHash"], opened[&id].1.to_string());
                    assert_eq!(data["orderUrl"], format!("/events/{id}"));
                    assert_eq!(data["proofUrl"], format!("/v5/proof/event/1/{number}/9999/0"));
                    assert!(told.insert(id, number).is_none(), "told twice");
                }
                "undone" => {
                    let (from, to) =
                        (data["fromBlock"].as_u64().unwrap(), data["toBlock"].as_u64().unwrap());
                    let before = told.len();
                    told.retain(|_, number| !(from..=to).contains(number));
                    undone += before - told.len();
                    seen = seen.min(BlockNumber(from - 1));
                }
                other => panic!("{other}"),
            }
        }
        let events = drain(&mut of_one).await;
        by_one += events.iter().filter(|(_, name, _)| *name == "orders").count();
        // what the index took back with a block is gone from the store, whatever became final is made of the body
        for (id, (number, hash)) in &opened {
            let block = read::load_block(&*world.store, chain, *number).unwrap();
            let stands = block.is_some_and(|block| block.hash == *hash && !block.is_final());
            if !stands {
                assert!(!world.has_order(id), "{id} of block {number} is still there");
            }
        }
    }
    assert!(undone > 0 && told.len() > 20, "{undone} {}", told.len());
    assert_eq!(by_one, 1, "one order alone");
}
