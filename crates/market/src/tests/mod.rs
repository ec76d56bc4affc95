//! Laws of markets: rows of real and of made-up blocks, and prices out of them.

use std::io::Read;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use alloy_primitives::{Address, U256};
use serde_json::Value;
use superroot_chain::{ChainRegistry, ChainSpec};
use superroot_collect::{CollectConfig, Collector, WatchFilter};
use superroot_dex::quote::{LeftOutReason, NoPrice, PricingRules};
use superroot_dex::{Decimal, Factories, Pair, PoolId, PoolState, twap, whole_at};
use superroot_index::{BlockEvent, EventBlock, EventIndex, View};
use superroot_source::simulated::{self, SimulatedChain, SimulatedConfig};
use superroot_store::feed::{Feed, Follower, StageProgress};
use superroot_store::{MemoryStore, ScanOrder, Store, Table, WriteBatch, read as blocks};
use superroot_types::{BlockNumber, ChainId, ChainKey, Family, Hash, ManualClock, UnixSeconds};

use crate::launch::{self, Launch, LaunchKind, LaunchStage, Launching};
use crate::{
    Bases, Market, MarketConfig, PoolView, Quote, Token, TokenBook, TokenFacts, TokenInspection,
    read,
};

mod attacks;
mod launches;

const ETHEREUM: ChainKey = ChainKey { family: Family::Evm, id: ChainId(1) };
const GENESIS: u64 = 1_700_000_000;

fn data() -> Option<PathBuf> {
    let data = std::env::var_os("SUPERROOT_DATA").map(PathBuf::from);
    if data.is_none() {
        eprintln!("SKIPPED: SUPERROOT_DATA is not set, no real pool was looked at");
    }
    data
}

fn text(value: &Value) -> &str {
    value.as_str().unwrap_or_else(|| panic!("{value}"))
}

fn quantity(value: &Value) -> u64 {
    u64::from_str_radix(text(value).trim_start_matches("0x"), 16).unwrap()
}

fn bytes(value: &Value) -> Vec<u8> {
    const_hex::decode(text(value)).unwrap()
}

/// A recorded block: number, time, hash, its events.
struct RealBlock {
    number: BlockNumber,
    at: UnixSeconds,
    hash: Hash,
    events: Vec<BlockEvent>,
}

fn real_block(path: &std::path::Path) -> RealBlock {
    let mut json = String::new();
    let file = std::fs::File::open(path).unwrap();
    flate2::read::GzDecoder::new(file).read_to_string(&mut json).unwrap();
    let json: Value = serde_json::from_str(&json).unwrap();
    let block = &json["block"];
    let mut events = Vec::new();
    for (tx_index, receipt) in (0..).zip(json["receipts"].as_array().unwrap()) {
        for (log_index, log) in (0..).zip(receipt["logs"].as_array().unwrap()) {
            let topics = log["topics"].as_array().unwrap().iter();
            events.push(BlockEvent {
                tx_index,
                log_index,
                transaction_hash: None,
                addresses: vec![bytes(&log["address"])],
                topics: topics.map(|topic| text(topic).parse().unwrap()).collect(),
                data: Some(bytes(&log["data"])),
            });
        }
    }
    RealBlock {
        number: BlockNumber(quantity(&block["number"])),
        at: UnixSeconds(quantity(&block["timestamp"])),
        hash: text(&block["hash"]).parse().unwrap(),
        events,
    }
}

fn put(store: &dyn Store, block: &RealBlock) {
    let mut rows = Vec::new();
    let viewed = EventBlock {
        chain: ETHEREUM,
        number: block.number,
        hash: block.hash,
        timestamp: block.at,
        events: &block.events,
    };
    PoolView.put(&viewed, &mut rows);
    let mut batch = WriteBatch::new();
    rows.into_iter().for_each(|(table, key, value)| _ = batch.put(table, key, value));
    store.commit(batch).unwrap();
}

/// The mean of every real run of blocks, against one computed independently; in whatever order blocks come.
#[test]
fn means_over_real_blocks_are_those_of_the_judge() {
    let Some(data) = data() else { return };
    let rows: Value =
        serde_json::from_slice(&std::fs::read(data.join("market/twap.json")).unwrap()).unwrap();
    let (mut exact, mut near) = (0, 0);
    for row in rows.as_array().unwrap() {
        let number = |value: &Value| value.as_u64().unwrap();
        let (first, last) = (number(&row["run"][0]), number(&row["run"][1]));
        let folder = data.join(text(&row["blocks"]).strip_prefix("shared/data/").unwrap());
        let store = MemoryStore::new();
        for block in (first..=last).rev() {
            put(&store, &real_block(&folder.join(format!("{block}.json.gz"))));
        }
        let address: Address = match row["kind"].as_str() {
            Some("v4") => "0x000000000004444c5dc75cb358380d2e3de08a90".parse().unwrap(),
            _ => text(&row["pool"]).parse().unwrap(),
        };
        let pool = match row["kind"].as_str() {
            Some("v4") => PoolId::Within(address, text(&row["pool_id"]).parse().unwrap()),
            _ => PoolId::Contract(address),
        };
        let latest = read::latest(&store, ETHEREUM, &pool, BlockNumber(last)).unwrap().unwrap();
        let (start, end) = (number(&row["window"]["start_ts"]), number(&row["window"]["end_ts"]));
        // a longer window than the run changes nothing: it begins at the first event seen
        for seconds in [end - start, end - start + 1_000] {
            let asked = (BlockNumber(first), UnixSeconds(end), seconds);
            let window = read::window(&store, ETHEREUM, &pool, &latest, asked).unwrap();
            let Some((sum, mean)) = twap::mean_tick(&window.ticks()) else {
                assert_eq!(row["pool"], "0x4cc68fe9ded4c21cc316ce89bbf5ddbd2e5ff187", "{row}");
                continue;
            };
            assert_eq!(window.covered_seconds, number(&row["covered_seconds"]), "{row}");
            let expected = &row["expected"];
            if row["kind"] != "v2" {
                assert_eq!(sum.to_string(), text(&expected["tick_cumulative_delta"]), "{row}");
                assert_eq!(i64::from(mean), expected["arithmetic_mean_tick"].as_i64().unwrap());
                exact += 1;
            } else {
                let geometric = text(&expected["price_token0_in_token1_geometric_dec18"]);
                let geometric: f64 = geometric.parse().unwrap();
                let units = superroot_dex::Decimals { token0: 0, token1: 0 };
                let price =
                    whole_at(mean, superroot_dex::TokenSide::Token0, units).unwrap().to_f64();
                // ticks are rounded down: less than one is lost of each, and less than one of their mean
                assert!(
                    (0.0..2.0).contains(&((geometric / price).ln() / 1.0001_f64.ln())),
                    "{row}"
                );
                near += 1;
            }
        }
    }
    assert_eq!((exact, near), (52, 48), "of 26 pools with ticks and 24 with reserves");
}

/// A drained pool is known by the last unit; `quote` makes no price of one unit.
#[test]
fn a_drained_pool_is_known_with_its_last_unit() {
    let Some(data) = data() else { return };
    let store = MemoryStore::new();
    for number in 15_000_001..=15_000_008 {
        put(&store, &real_block(&data.join(format!("evm/ethereum-1/{number}.json.gz"))));
    }
    let pool: Address = "0x4cc68fe9ded4c21cc316ce89bbf5ddbd2e5ff187".parse().unwrap();
    let at = BlockNumber(15_000_008);
    let latest = read::latest(&store, ETHEREUM, &PoolId::Contract(pool), at).unwrap().unwrap();
    let PoolState::Reserves(reserves, _) = latest.state else { panic!("{latest:?}") };
    assert_eq!(reserves[1], U256::ONE);
}

fn address(bytes: [u8; 20]) -> Address {
    Address::from(bytes)
}

fn token(contract: superroot_types::Address, decimals: u8) -> Token {
    Token { address: address(contract.0), decimals }
}

/// Tokens through which others are priced, and nothing of others.
struct Known(Bases);

impl TokenBook for Known {
    fn bases(&self, _: ChainKey) -> Bases {
        self.0.clone()
    }

    fn is_known(&self, _: ChainKey, token: Address) -> bool {
        let bases = self.0.stables.iter().chain(&self.0.native).map(|one| one.address);
        bases.chain([address(simulated::WBTC.0)]).any(|one| one == token)
    }

    fn known(&self, _: ChainKey, _: Address) -> Option<TokenFacts> {
        None
    }

    fn ask(&self, _: ChainKey, _: Address, _: Duration) -> Result<TokenFacts, String> {
        Err("nobody is asked".to_owned())
    }

    fn inspect(
        &self,
        _: ChainKey,
        _: (Address, Address),
        _: UnixSeconds,
    ) -> Result<TokenInspection, String> {
        Err("nobody is asked".to_owned())
    }

    fn assets(&self, _: ChainKey) -> Vec<(String, Token)> {
        Vec::new()
    }

    fn named(&self, _: ChainKey, _: &str) -> Vec<Address> {
        Vec::new()
    }
}

fn launching() -> Launching {
    Launching {
        slug: "ethereum".to_owned(),
        factories: Arc::new(Factories::builtin().clone()),
        tokens: Arc::new(Known(Bench::bases())),
        clock: Arc::new(ManualClock::at(UnixSeconds(0))),
        config: MarketConfig::default(),
    }
}

/// A chain with markets of its own, its index and its rows.
struct Bench {
    row: ChainSpec,
    store: Arc<dyn Store>,
    clock: Arc<ManualClock>,
    collector: Collector,
    follower: Follower<EventIndex>,
    launches: Follower<LaunchStage>,
}

impl Bench {
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
        let index = EventIndex::with(Arc::from([Box::new(PoolView) as _]));
        let follower = Follower::new(store.clone(), Feed::Chain(row.key()), index);
        let feed = Feed::Chain(row.key());
        let launches = Follower::new(store.clone(), feed, LaunchStage(launching()));
        Self { row, store, clock, collector, follower, launches }
    }

    async fn until(&mut self, seconds: u64) {
        self.collect(seconds).await;
        self.catch_up();
    }

    async fn collect(&mut self, seconds: u64) {
        self.clock.set(UnixSeconds(GENESIS + seconds));
        for _ in 0..6 {
            self.collector.step(UnixSeconds(GENESIS + seconds)).await.unwrap();
        }
    }

    fn catch_up(&mut self) {
        while self.follower.step().unwrap() != StageProgress::Idle {}
        while self.launches.step().unwrap() != StageProgress::Idle {}
    }

    fn launches(&self) -> Vec<Launch> {
        let (all, max) = (BlockNumber(u64::MAX), usize::MAX);
        launch::load_newest(&*self.store, self.row.key(), all, max).unwrap()
    }

    fn rows(&self) -> Vec<(Vec<u8>, Vec<u8>)> {
        let table = Table::Market;
        self.store.scan(table, &[], Some(&[4]), usize::MAX, ScanOrder::Rising).unwrap()
    }

    /// The rows that all blocks held make, one after the other.
    fn plain(&self) -> Vec<(Vec<u8>, Vec<u8>)> {
        let store: Arc<dyn Store> = Arc::new(MemoryStore::new());
        let (chain, all) = (self.row.key(), BlockNumber(0)..BlockNumber(u64::MAX));
        for (number, block) in blocks::load_blocks(&*self.store, chain, all, 10_000).unwrap() {
            let query = superroot_index::EventQuery {
                chain,
                filter: superroot_index::EventFilter::default(),
                from: number,
                to: number,
                direction: ScanOrder::Rising,
                at: None,
                limit: usize::MAX,
                examined_max: usize::MAX,
                data_bytes_max: usize::MAX,
            };
            let found = superroot_index::find(&*self.store, &query).unwrap();
            let events: Vec<BlockEvent> = found.events.into_iter().map(|hit| hit.event).collect();
            let (hash, at) = (block.hash, block.timestamp);
            put(&*store, &RealBlock { number, at, hash, events });
        }
        store.scan(Table::Market, &[], None, usize::MAX, ScanOrder::Rising).unwrap()
    }

    fn bases() -> Bases {
        Bases {
            stables: vec![token(simulated::USDC, 6), token(simulated::DAI, 18)],
            native: Some(token(simulated::WETH, 18)),
        }
    }

    fn price(&self, of: Token, number: u64, floor: u64) -> Quote {
        let chain = self.row.key();
        let block = blocks::load_block(&*self.store, chain, BlockNumber(number)).unwrap().unwrap();
        let market = Market {
            store: &*self.store,
            chain,
            slug: "ethereum",
            factories: Factories::builtin(),
            bases: &Self::bases(),
            rules: PricingRules { covered_seconds_min: 0, ..MarketConfig::default().rules() },
            at: (BlockNumber(number), block.timestamp),
            floor: BlockNumber(floor),
            window_seconds: 600,
        };
        market.price(of).unwrap()
    }
}

#[tokio::test]
async fn rows_are_those_of_the_blocks_held_through_every_reorganisation() {
    let mut bench = Bench::new(5);
    let mut count = 0;
    for seconds in (10..300).step_by(7) {
        bench.until(seconds).await;
        let rows = bench.rows();
        assert_eq!(rows, bench.plain(), "after {seconds} seconds");
        count = rows.len();
    }
    assert!(count > 200, "{count} rows");
}

#[tokio::test]
async fn a_price_is_the_same_for_ever_and_follows_from_what_pools_hold() {
    let mut bench = Bench::new(9);
    bench.until(200).await;
    let weth = token(simulated::WETH, 18);
    let quote = bench.price(weth, 150, 0);
    let priced = quote.price.clone().unwrap();
    let pool = &quote.pools[0];
    let PoolState::Reserves(held, _) = pool.last.state else { panic!("{pool:?}") };
    let expected = Decimal::of_fraction(
        alloy_primitives::U512::from(held[0]),
        alloy_primitives::U512::from(held[1]),
        18 - i32::from(pool.base.decimals),
    );
    assert_eq!(pool.pair.token1, weth.address, "USDC and DAI are the lower ones");
    assert_eq!(pool.said.unwrap().in_base, expected.unwrap());
    let (_, covered) = priced.mean.unwrap();
    assert!(covered <= 150, "{covered}");
    bench.until(290).await;
    assert_eq!(bench.price(weth, 150, 0).price.unwrap(), priced);
    // through the coin: two steps
    let wbtc = bench.price(token(simulated::WBTC, 8), 150, 0);
    assert!(wbtc.bases.iter().any(|base| base.by.is_some()), "{wbtc:?}");
    // nothing older than what is all held counts
    for floor in 120..=150 {
        let pools = bench.price(weth, 150, floor).pools;
        assert!(pools.iter().all(|pool| pool.last.place.number.0 >= floor), "{floor}");
    }
}

/// Markets of Ethereum at a block, with every event before it.
fn market<'a>(
    store: &'a MemoryStore,
    bases: &'a Bases,
    at: (BlockNumber, UnixSeconds),
) -> Market<'a> {
    Market {
        store,
        chain: ETHEREUM,
        slug: "ethereum",
        factories: Factories::builtin(),
        bases,
        rules: MarketConfig::default().rules(),
        at,
        floor: BlockNumber(0),
        window_seconds: 600,
    }
}

/// Contracts that nobody's factory made may say what they want.
#[test]
fn a_forged_pool_is_never_looked_at() {
    let store = MemoryStore::new();
    let forged = Address::repeat_byte(7);
    let word = |value: u128| [[0; 16], value.to_be_bytes()].concat();
    let sync =
        superroot_dex::topics().find(|(_, text)| *text == "Sync(uint112,uint112)").unwrap().0;
    let event = BlockEvent {
        tx_index: 0,
        log_index: 0,
        transaction_hash: None,
        addresses: vec![forged.to_vec()],
        topics: vec![sync],
        data: Some([word(1 << 90), word(1 << 90)].concat()),
    };
    let (number, at) = (BlockNumber(1), UnixSeconds(1));
    put(&store, &RealBlock { number, at, hash: Hash::ZERO, events: vec![event.clone()] });
    let made = superroot_dex::topics()
        .find(|(_, text)| text.starts_with("PairCreated(address,address,address"));
    let (usdc, fake) = (address(simulated::USDC.0), Address::repeat_byte(0xff));
    let tokens = [usdc, fake].map(|one| Hash(one.into_word().0));
    let created = BlockEvent {
        addresses: vec![Address::repeat_byte(9).to_vec()], // not a factory
        topics: [vec![made.unwrap().0], tokens.to_vec()].concat(),
        data: Some([forged.into_word().0.to_vec(), word(1)].concat()),
        ..event.clone()
    };
    put(&store, &RealBlock { number, at, hash: Hash::ZERO, events: vec![created, event] });
    let bases = Bench::bases();
    let market = market(&store, &bases, (number, at));
    let quote = market.price(Token { address: fake, decimals: 18 }).unwrap();
    let pair = Pair { token0: usdc, token1: fake };
    let by = (&pair, superroot_dex::TokenSide::Token0, Address::repeat_byte(9));
    assert_eq!(read::made(&store, ETHEREUM, by, number).unwrap().len(), 1, "it is kept");
    assert!(quote.pools.is_empty());
    assert_eq!(quote.price.err(), Some(NoPrice::NoPool));
}

/// Every pool of the simulated chain is filled where it is made: each with a new token is a launch of that block, of
/// blocks that are held and of no others.
/// What prices and launches are read from is what the words of watch lists collect: otherwise neither is ever served under
/// them.
#[test]
fn every_event_of_pools_is_a_topic_of_the_watch_words() {
    let topics_of = |word: &str| match word.parse::<WatchFilter>().unwrap() {
        WatchFilter::Some { topics, .. } => topics,
        other => panic!("{other:?}"),
    };
    let [prices, launches, market] = ["prices", "launches", "market"].map(topics_of);
    for (topic, signature) in superroot_dex::topics() {
        assert!(prices.contains(&topic), "{signature}");
        assert!(market.contains(&topic), "{signature}");
    }
    let is_of_launches = |signature: &str| {
        ["Created", "Pool(", "Initialize", "Mint", "Burn"]
            .iter()
            .any(|part| signature.contains(part))
    };
    for (topic, signature) in superroot_dex::topics().filter(|(_, one)| is_of_launches(one)) {
        assert!(launches.contains(&topic), "{signature}");
    }
}

#[tokio::test]
async fn launches_are_those_of_the_blocks_held_through_every_reorganisation() {
    let mut bench = Bench::new(3);
    let (mut most, mut hashes) = (0, std::collections::BTreeSet::new());
    for seconds in (10..400).step_by(5) {
        bench.until(seconds).await;
        let launches = bench.launches();
        let chain = bench.row.key();
        let known: Vec<Address> =
            [simulated::USDC, simulated::DAI, simulated::WETH, simulated::WBTC]
                .map(|one| address(one.0))
                .to_vec();
        let topic = superroot_dex::topics()
            .find(|(_, text)| *text == "PairCreated(address,address,address,uint256)")
            .unwrap();
        let query = superroot_index::EventQuery {
            chain,
            filter: superroot_index::EventFilter {
                addresses: Vec::new(),
                topics: [vec![topic.0], Vec::new(), Vec::new(), Vec::new()],
            },
            from: BlockNumber(0),
            to: BlockNumber(u64::MAX),
            direction: ScanOrder::Falling,
            at: None,
            limit: usize::MAX,
            examined_max: usize::MAX,
            data_bytes_max: usize::MAX,
        };
        let made = superroot_index::find(&*bench.store, &query).unwrap().events;
        let of_token = |topic: &Hash| Address::from_slice(&topic.0[12..]);
        let is_new = |event: &BlockEvent| {
            event.topics[1..].iter().any(|one| !known.contains(&of_token(one)))
        };
        let expected: Vec<(BlockNumber, Hash)> = made
            .iter()
            .filter(|hit| is_new(&hit.event))
            .map(|hit| (hit.position.number, hit.block_hash))
            .collect();
        let found = launches.iter().filter(|one| one.kind == LaunchKind::Launched);
        let found: Vec<(BlockNumber, Hash)> =
            found.map(|one| (one.liquidity.place.number, one.liquidity.block_hash)).collect();
        assert_eq!(found, expected, "after {seconds} seconds");
        for one in &launches {
            assert!(one.liquidity_usd >= Decimal::of_u64(1_000), "{one:?}");
            assert!(!known.contains(&one.token) && known.contains(&one.paired_with));
            let behind =
                launch::load_behind(&*bench.store, &one.proof_hash(chain)).unwrap().unwrap();
            assert_eq!((behind.creation, behind.liquidity), (one.creation, one.liquidity));
            hashes.insert(one.proof_hash(chain));
        }
        most = most.max(launches.len());
    }
    assert!(most >= 3, "{most} launches");
    assert!(hashes.len() >= most);
}

/// Launches are the same, whether blocks are looked at one by one, some at a time, or all at the end. None of these pools is
/// emptied: the recorded ones of `launches.rs` are.
#[tokio::test]
async fn launches_are_the_same_in_whatever_steps_blocks_are_looked_at() {
    let mut found = Vec::new();
    for stride in [1, 7, 60, 1_000] {
        let mut bench = Bench::new(3);
        for seconds in 1..300 {
            bench.collect(seconds).await;
            if seconds % stride == 0 {
                bench.catch_up();
            }
        }
        bench.catch_up();
        found.push(bench.launches());
    }
    assert!(found[0].iter().filter(|one| one.kind == LaunchKind::Launched).count() >= 3);
    for other in &found[1..] {
        assert_eq!(other, &found[0]);
    }
}

/// An event in which a contract says that it made a pool (Uniswap v3).
fn pool_created(
    by: Address,
    tokens: [Address; 2],
    fee: u64,
    pool: Address,
    log_index: u32,
) -> BlockEvent {
    let mut of_v3 = superroot_dex::topics().filter(|(_, text)| text.starts_with("PoolCreated("));
    let topic = of_v3.find(|(_, text)| text.contains("uint24")).unwrap().0;
    let word = |value: u64| [[0; 24].as_slice(), &value.to_be_bytes()].concat();
    let tokens = tokens.map(|one| Hash(one.into_word().0));
    BlockEvent {
        tx_index: 0,
        log_index,
        transaction_hash: None,
        addresses: vec![by.to_vec()],
        topics: vec![topic, tokens[0], tokens[1], Hash(word(fee).try_into().unwrap())],
        data: Some([word(1), pool.into_word().0.to_vec()].concat()),
    }
}

/// Another contract's report about a pool neither changes the tokens nor hides the factory's report.
#[test]
fn what_a_factory_told_is_neither_bent_nor_hidden_by_others() {
    let store = MemoryStore::new();
    let factory = Factories::builtin().rows().iter().find(|row| row.dex == "uniswap_v3").unwrap();
    let usdc = address(simulated::USDC.0);
    let [fake, junk0, junk1] = [0xff, 0x01, 0x02].map(Address::repeat_byte);
    let [honest, of_junk] = [0xee, 0x70].map(Address::repeat_byte);
    let liar = |byte: u8| Address::repeat_byte(byte);
    let block = |number: u64, events| {
        let (number, at) = (BlockNumber(number), UnixSeconds(number));
        put(&store, &RealBlock { number, at, hash: Hash::ZERO, events });
    };
    // lies come first: of the honest pool, and of a hundred others with lower addresses
    let lies = (0..100_u8).map(|byte| {
        let pool = if byte < 20 { honest } else { liar(byte) };
        pool_created(liar(byte), [usdc, fake], 77, pool, byte.into())
    });
    block(1, lies.collect());
    let told = [
        pool_created(factory.address, [usdc, fake], 77, honest, 0),
        pool_created(factory.address, [junk0, junk1], 77, of_junk, 1),
        // the real pool of junk is said to be one of the token that is asked for
        pool_created(liar(9), [usdc, fake], 77, of_junk, 2),
    ];
    block(2, told.to_vec());
    let sync = superroot_dex::topics().find(|(_, text)| *text == "Initialize(uint160,int24)");
    let initialized = |pool: Address, log_index| BlockEvent {
        tx_index: 0,
        log_index,
        transaction_hash: None,
        addresses: vec![pool.to_vec()],
        topics: vec![sync.unwrap().0],
        data: Some([(U256::from(1) << 96_usize).to_be_bytes::<32>(), [0; 32]].concat()),
    };
    let pools = [honest, of_junk].into_iter().chain((0..100).map(liar));
    block(3, pools.zip(0..).map(|(pool, at)| initialized(pool, at)).collect());
    let bases = Bench::bases();
    let market = market(&store, &bases, (BlockNumber(3), UnixSeconds(3)));
    let quote = market.price(Token { address: fake, decimals: 18 }).unwrap();
    let pools: Vec<_> = quote.pools.iter().map(|pool| pool.seen.bound.pool).collect();
    assert_eq!(pools, [PoolId::Contract(honest)]);
    assert_eq!(quote.pools[0].creation.map(|place| place.number), Some(BlockNumber(2)));
    assert!(market.has_pool(fake).unwrap() && !market.has_pool(junk0).unwrap());
}

/// A pool with bins shows the price of its bin, in either order of its tokens, and has no weight: its events do not show
/// what the bins hold.
#[test]
fn a_pool_with_bins_shows_its_price_and_decides_none() {
    let store = MemoryStore::new();
    let factory = Factories::builtin().rows().iter().find(|row| row.dex == "lfj_2_2").unwrap();
    let usdc = address(simulated::USDC.0);
    let fake = Address::repeat_byte(0xff);
    let topic =
        |of: &str| superroot_dex::topics().find(|(_, text)| text.starts_with(of)).unwrap().0;
    let word = |value: u64| U256::from(value).to_be_bytes::<32>();
    let event = |log_index, by: Address, topics: Vec<Hash>, data: Vec<[u8; 32]>| BlockEvent {
        tx_index: 0,
        log_index,
        transaction_hash: None,
        addresses: vec![by.to_vec()],
        topics,
        data: Some(data.concat()),
    };
    let made = |log_index, [x, y]: [Address; 2], pool: Address| {
        let [x, y] = [x, y].map(|one| Hash(one.into_word().0));
        let topics = vec![topic("LBPairCreated("), x, y, Hash(word(20))];
        event(log_index, factory.address, topics, vec![pool.into_word().0, word(1)])
    };
    let swapped = |log_index, pool: Address, bin: u32| {
        let topics = vec![topic("Swap(address,address,uint24,"), Hash::ZERO, Hash::ZERO];
        let data = [bin.into(), 0, 0, 0, 0, 0].map(word);
        event(log_index, pool, topics, data.to_vec())
    };
    // 1.002^13,800 times 10^12, and the same with tokens in the other order; of two bins passed the last is in force
    let (straight, turned) = (Address::repeat_byte(0xa1), Address::repeat_byte(0xa2));
    let middle = 1_u32 << 23;
    let events = vec![
        made(0, [fake, usdc], straight),
        made(1, [usdc, fake], turned),
        swapped(2, straight, middle - 13_801),
        swapped(3, straight, middle - 13_800),
        swapped(4, turned, middle + 13_800),
    ];
    let (number, at) = (BlockNumber(1), UnixSeconds(1));
    put(&store, &RealBlock { number, at, hash: Hash::ZERO, events });
    let bases = Bench::bases();
    let market = Market { slug: "avalanche", ..market(&store, &bases, (number, at)) };
    let quote = market.price(Token { address: fake, decimals: 18 }).unwrap();
    assert_eq!(quote.price.err(), Some(NoPrice::Left(LeftOutReason::Bins)));
    assert_eq!(quote.pools.len(), 2);
    for pool in &quote.pools {
        let said = pool.said.unwrap();
        // 10^12 / 1.002^13,800
        assert!(said.in_base.text(18).starts_with("1.06033"), "{}", said.in_base.text(18));
        assert_eq!((said.left, said.depth_usd), (Some(LeftOutReason::Bins), Decimal::ZERO));
        assert!(market.cost_of_two_percent(pool).unwrap().is_err());
    }
}
