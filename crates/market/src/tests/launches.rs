//! Launches of recorded pools that are emptied again, in whatever steps their blocks are looked at.

use superroot_source::Recordings;
use superroot_store::feed::{FeedChange, FeedStage};

use super::*;

/// The dollar and the coin of Base.
fn bases_of_base() -> Bases {
    let token = |text: &str, decimals| Token { address: text.parse().unwrap(), decimals };
    Bases {
        stables: vec![token("0x833589fcd6edb6e08f4c7c32d4f71b54bda02913", 6)],
        native: Some(token("0x4200000000000000000000000000000000000006", 18)),
    }
}

/// Three pools are launched with 200,000 US dollars each; two are emptied in the next block, one ten blocks later.
#[tokio::test]
async fn a_pool_that_is_emptied_in_the_same_step_is_told_as_pulled() {
    let Some((store, row, mut stage)) = recorded("field/launch-pulled-in-one-step").await else {
        return;
    };
    let (feed, blocks) = (Feed::Chain(row.key()), 44_000_000..44_000_301_u64);
    let mut told = Vec::new();
    for at_a_time in [1, 2, 25, 1_000] {
        loop {
            let mut batch = WriteBatch::new();
            let is_clear = stage.clear(&*store, feed, &mut batch).unwrap();
            store.commit(batch).unwrap();
            if is_clear {
                break;
            }
        }
        for from in blocks.clone().step_by(at_a_time) {
            let to = (from + at_a_time as u64 - 1).min(blocks.end - 1);
            let changes = [FeedChange::Final { from: BlockNumber(from), to: BlockNumber(to) }];
            let mut batch = WriteBatch::new();
            stage.apply(&*store, feed, &changes, &mut batch).unwrap();
            store.commit(batch).unwrap();
        }
        let all = launch::load_newest(&*store, row.key(), BlockNumber(u64::MAX), 100).unwrap();
        let of = |kind| all.iter().filter(|one| one.kind == kind).count();
        assert_eq!(
            (of(LaunchKind::Launched), of(LaunchKind::Pulled)),
            (3, 3),
            "{at_a_time} blocks at a time"
        );
        told.push(all);
    }
    assert!(told.iter().all(|one| *one == told[0]));
}

/// A recording's chain of Base, all of it held and indexed, and the stage that looks for launches in it; `None` without
/// real data.
async fn recorded(folder: &str) -> Option<(Arc<dyn Store>, ChainSpec, LaunchStage)> {
    let data = data()?;
    let recordings = Recordings::open(&[data.join(folder)], ChainRegistry::builtin()).unwrap();
    let row = ChainRegistry::builtin().find("base").unwrap().clone();
    let source = Arc::new(Arc::new(recordings).source(row.key()).unwrap());
    let (store, now): (Arc<dyn Store>, _) = (Arc::new(MemoryStore::new()), UnixSeconds(1 << 31));
    let config = CollectConfig { watch: WatchFilter::All, ..CollectConfig::default() };
    let mut collector = Collector::new(store.clone(), source, row.clone(), config);
    for _ in 0..64 {
        collector.step(now).await.unwrap();
    }
    let index = EventIndex::with(Arc::from([Box::new(PoolView) as _]));
    let mut follower = Follower::new(store.clone(), Feed::Chain(row.key()), index);
    while follower.step().unwrap() != StageProgress::Idle {}
    let tokens = Arc::new(Known(bases_of_base()));
    let launching = Launching { slug: "base".to_owned(), tokens, ..launching() };
    Some((store, row, LaunchStage(launching)))
}

/// What is told of a recording's chain once all of it is held.
async fn told_of(folder: &str) -> Vec<Launch> {
    let Some((store, row, mut stage)) = recorded(folder).await else { return Vec::new() };
    let last =
        blocks::load_chain_state(&*store, row.key()).unwrap().unwrap().indexed.unwrap().number;
    let first = BlockNumber(last.0.saturating_sub(600));
    let mut batch = WriteBatch::new();
    let changes = [FeedChange::Final { from: first, to: last }];
    stage.apply(&*store, Feed::Chain(row.key()), &changes, &mut batch).unwrap();
    store.commit(batch).unwrap();
    launch::load_newest(&*store, row.key(), BlockNumber(u64::MAX), 100).unwrap()
}

/// A pool of Uniswap v3 holds what all of its ranges do; a coin that drifts is worth something; liquidity that comes and
/// goes within a transaction is not given up; a hook hides no launch.
#[tokio::test]
async fn recorded_launches_are_worth_what_their_pools_hold() {
    if data().is_none() {
        return;
    }
    for (folder, expected) in [
        ("prices/launch-v3-full-range", &[("0x64dd", 300_000.0), ("0xc7bd", 4_000_000.0)][..]),
        ("prices/launch-while-coin-drifts", &[("0x326f", 200_000.0), ("0x2ebd", 150_000.0)]),
        ("prices/launch-burned-by-flash", &[("0xe499", 40_000.0)]),
        ("field/launch-v4-hook", &[("0x61f0", 1_264_911.06), ("0x1f31", 1_264_911.06)]),
    ] {
        let told = told_of(folder).await;
        assert_eq!(told.len(), expected.len(), "{folder}: {told:#?}");
        for (token, dollars) in expected {
            let is_it = |one: &&Launch| format!("{:#x}", one.token).starts_with(token);
            let one = told.iter().find(is_it).unwrap_or_else(|| panic!("{folder} {token}"));
            let worth = one.liquidity_usd.to_f64();
            assert!((worth / dollars - 1.0).abs() < 0.02, "{folder} {token}: {worth}");
            assert_eq!(one.kind, LaunchKind::Launched);
            assert_eq!(one.hooks.is_some(), *token == "0x1f31", "{folder}");
            if folder.ends_with("flash") {
                assert_eq!(one.given_up.unwrap().burned, 0);
            }
        }
    }
}

/// Blocks of a simulated chain whose events are replaced by made ones, looked at in steps.
struct MadeEvents {
    bench: Bench,
    stage: LaunchStage,
}

impl MadeEvents {
    async fn new(seconds: u64) -> Self {
        let mut made = Self { bench: Bench::new(3), stage: LaunchStage(launching()) };
        made.collect(seconds).await;
        made
    }

    /// Collects up to a second, and indexes what is there.
    async fn collect(&mut self, seconds: u64) {
        self.bench.collect(seconds).await;
        while self.bench.follower.step().unwrap() != StageProgress::Idle {}
    }

    fn hash(&self, number: u64) -> Option<Hash> {
        let chain = self.bench.row.key();
        let block = blocks::load_block(&*self.bench.store, chain, BlockNumber(number)).unwrap();
        block.map(|block| block.hash)
    }

    /// Replaces the events of a block.
    fn put(&self, number: u64, events: &[BlockEvent]) {
        let (chain, hash) = (self.bench.row.key(), self.hash(number).unwrap());
        let (number, timestamp) = (BlockNumber(number), UnixSeconds(GENESIS + number));
        let mut batch = WriteBatch::new();
        superroot_index::put_events(&mut batch, chain, number, hash, events);
        let mut rows = Vec::new();
        PoolView.put(&EventBlock { chain, number, hash, timestamp, events }, &mut rows);
        rows.into_iter().for_each(|(table, key, value)| _ = batch.put(table, key, value));
        self.bench.store.commit(batch).unwrap();
    }

    fn apply(&mut self, changes: &[FeedChange]) {
        let mut batch = WriteBatch::new();
        let store = &*self.bench.store;
        self.stage.apply(store, Feed::Chain(self.bench.row.key()), changes, &mut batch).unwrap();
        self.bench.store.commit(batch).unwrap();
    }

    /// Taken blocks from one number to another.
    fn taken(&self, from: u64, to: u64) -> FeedChange {
        let hashes = (from..=to).map(|number| self.hash(number).unwrap()).collect();
        FeedChange::Taken { from: BlockNumber(from), hashes }
    }

    /// Launches and pulls of a pool, with their blocks.
    fn told_of(&self, pool: Address) -> Vec<(LaunchKind, u64)> {
        let mut launches = self.bench.launches();
        launches.retain(|one| one.pool == PoolId::Contract(pool));
        launches.sort_by_key(|one| one.liquidity.place.number);
        launches.iter().map(|one| (one.kind, one.liquidity.place.number.0)).collect()
    }
}

/// Creation of a pool of Uniswap v3 at this tick, with liquidity in a range.
fn launched_v3(fee: u32, tick: i32, range: (i32, i32), liquidity: u128) -> Vec<BlockEvent> {
    use attacks::{event, mint_v3, of_address, pair, pool_v3, root_at, signed, word};
    let [token0, token1] = pair();
    let pool = pool_v3(fee);
    let factory: Address = "0x1f98431c8ad98523631ae4a59f267346ea31f984".parse().unwrap();
    let topics = [Hash(of_address(token0)), Hash(of_address(token1)), Hash(word(fee.into()))];
    let signature = "PoolCreated(address,address,uint24,int24,address)";
    let words = [signed(range.1 - range.0), of_address(pool)];
    let created = event(0, factory, signature, &topics, &words);
    let initialized =
        event(1, pool, "Initialize(uint160,int24)", &[], &[root_at(tick), signed(tick)]);
    vec![created, initialized, mint_v3(2, pool, range, liquidity)]
}

/// A price that moves within its own tick spacing takes no liquidity; who takes 19 of 20 parts is told once, whatever
/// dust is added afterwards. Block by block, as a live chain shows them, and in one step.
#[tokio::test]
async fn a_v3_pool_is_pulled_by_who_takes_its_liquidity_and_told_once() {
    use attacks::{
        event, liquidity_of, mint_v3, of_address, pool_v3, signed, swap_v3, tick_of, word,
    };
    let (moving, taken) = (pool_v3(3_000), pool_v3(500));
    let dusted = pool_v3(10_000);
    let (tick, money) = (tick_of(2.0).div_euclid(60) * 60 + 30, liquidity_of(40_000_000));
    let narrow = (tick - 30, tick + 30);
    let wide = (-887_270, 887_270);
    let burned = |log_index, taken, range: (i32, i32), liquidity| {
        let topics = [Hash(of_address(taken)), Hash(signed(range.0)), Hash(signed(range.1))];
        let words = [word(liquidity), word(1), word(1)];
        event(
            log_index,
            taken,
            "Burn(address,int24,int24,uint128,uint256,uint256)",
            &topics,
            &words,
        )
    };
    let part = liquidity_of(1_000_000);
    for at_a_time in [1, 30] {
        let mut made = MadeEvents::new(70).await;
        for number in 20..50 {
            let events = match number {
                21 => launched_v3(3_000, tick, narrow, money),
                23 => launched_v3(500, tick, wide, part),
                25 => vec![swap_v3(moving, tick + 28, money)],
                27 => vec![swap_v3(moving, tick - 29, money)],
                28 => vec![burned(0, taken, wide, part / 20 * 19)],
                29 | 30 => vec![mint_v3(0, taken, wide, 1_000)],
                // a price at the end of its range, and dust that somebody takes: nine tenths are there
                31 => launched_v3(10_000, tick, narrow, money),
                33 => vec![swap_v3(dusted, tick - 29, money)],
                34 => vec![burned(0, dusted, narrow, 1)],
                35 => vec![swap_v3(dusted, tick + 28, money)],
                36 => vec![swap_v3(dusted, tick - 29, money)],
                37 => vec![burned(0, dusted, narrow, money / 2)],
                _ => Vec::new(),
            };
            made.put(number, &events);
        }
        for from in (20..50).step_by(at_a_time) {
            let change = made.taken(from, from + at_a_time as u64 - 1);
            made.apply(&[change]);
        }
        assert_eq!(made.told_of(moving), [(LaunchKind::Launched, 21)], "{at_a_time}");
        assert_eq!(made.told_of(dusted), [(LaunchKind::Launched, 31)], "{at_a_time}");
        let told = [(LaunchKind::Launched, 23), (LaunchKind::Pulled, 28)];
        assert_eq!(made.told_of(taken), told, "{at_a_time}");
    }
}

/// A pool that its maker fills with the new token alone is worth nothing until others buy: then it is told, by the event
/// that added the liquidity, and undone with the block in which they bought.
#[tokio::test]
async fn a_pool_filled_from_one_side_is_told_once_others_buy() {
    use attacks::{liquidity_of, pool_v3, swap_v3, tick_of};
    let (pool, tick) = (pool_v3(3_000), tick_of(2.0).div_euclid(60) * 60);
    // the new token is the higher one: all of it lies below the price
    let (range, money) = ((tick - 6_000, tick - 60), liquidity_of(1_000_000));
    for at_a_time in [1, 30] {
        let mut made = MadeEvents::new(70).await;
        for number in 20..50 {
            let events = match number {
                21 => launched_v3(3_000, tick, range, money),
                24 => vec![swap_v3(pool, tick - 3_000, money)],
                26 => vec![swap_v3(pool, tick - 3_100, money)],
                _ => Vec::new(),
            };
            made.put(number, &events);
        }
        for from in (20..50).step_by(at_a_time) {
            let change = made.taken(from, from + at_a_time as u64 - 1);
            made.apply(&[change]);
        }
        assert_eq!(made.told_of(pool), [(LaunchKind::Launched, 21)], "{at_a_time}");
        let store = &*made.bench.store;
        let of_block = |hash: &Hash| {
            launch::load_in(store, made.bench.row.key(), BlockNumber(24), hash).unwrap()
        };
        // the block that showed it tells of it, which is not that of its liquidity
        let found = of_block(&made.hash(24).unwrap());
        assert_eq!((found.len(), of_block(&made.hash(21).unwrap())), (1, Vec::new()));
        let reached = found[0].reached.map(|reached| reached.place.number);
        assert_eq!(reached, Some(BlockNumber(24)));
        assert!(found[0].liquidity_usd >= Decimal::of_u64(1_000));
    }
    // undone with the block in which they bought, which is not the liquidity's
    let mut undone = 0;
    for seconds in 30..150 {
        let mut made = MadeEvents::new(seconds).await;
        let head = (0..seconds + 2).rev().find(|number| made.hash(*number).is_some()).unwrap();
        let before: Vec<_> = (head - 2..=head).map(|number| made.hash(number)).collect();
        made.put(head - 10, &launched_v3(3_000, tick, range, money));
        made.put(head, &[swap_v3(pool, tick - 3_000, money)]);
        let change = made.taken(head - 10, head);
        made.apply(std::slice::from_ref(&change));
        assert_eq!(made.told_of(pool), [(LaunchKind::Launched, head - 10)]);
        made.collect(seconds + 1).await;
        let is_new = |number: u64| made.hash(number) != before[(number + 2 - head) as usize];
        let Some(first) = (head - 2..=head).find(|number| is_new(*number)) else { continue };
        let hashes = (first..=head).map(|number| before[(number + 2 - head) as usize].unwrap());
        let gone = FeedChange::Undone { from: BlockNumber(first), hashes: hashes.collect() };
        let last = (first..=head + 1).rev().find(|number| made.hash(*number).is_some()).unwrap();
        let change = made.taken(first, last);
        made.apply(&[gone, change]);
        assert_eq!(made.told_of(pool), [], "from {head}");
        undone += 1;
    }
    assert!(undone > 0, "no block was reorganised away");
}

/// A reorganisation that moves the liquidity to an earlier block moves the launch there.
#[tokio::test]
async fn a_launch_follows_its_liquidity_to_an_earlier_block() {
    use attacks::{liquidity_of, pool_v3, tick_of};
    let (pool, tick) = (pool_v3(500), tick_of(2.0));
    let events = launched_v3(500, tick, (-887_270, 887_270), liquidity_of(1_000_000));
    let mut moved = 0;
    for seconds in 30..150 {
        let mut made = MadeEvents::new(seconds).await;
        let head = (0..seconds + 2).rev().find(|number| made.hash(*number).is_some()).unwrap();
        let before: Vec<_> = (head - 2..=head).map(|number| made.hash(number)).collect();
        made.put(head, &events);
        let change = made.taken(head - 2, head);
        made.apply(std::slice::from_ref(&change));
        assert_eq!(made.told_of(pool), [(LaunchKind::Launched, head)]);
        made.collect(seconds + 1).await;
        let is_new = |number: u64| made.hash(number) != before[(number + 2 - head) as usize];
        let Some(first) = (head - 2..head).find(|number| is_new(*number)) else { continue };
        // the fork that is gone, and the one that took its place: with the liquidity earlier
        let hashes = (first..=head).map(|number| before[(number + 2 - head) as usize].unwrap());
        let undone = FeedChange::Undone { from: BlockNumber(first), hashes: hashes.collect() };
        made.put(first, &events);
        if made.hash(head).is_some() {
            made.put(head, &[]);
        }
        let last = (first..=head + 1).rev().find(|number| made.hash(*number).is_some()).unwrap();
        let change = made.taken(first, last);
        made.apply(&[undone, change]);
        assert_eq!(made.told_of(pool), [(LaunchKind::Launched, first)], "from {head}");
        moved += 1;
    }
    assert!(moved > 0, "no reorganisation was two blocks deep");
}
