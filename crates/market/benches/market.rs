//! What prices cost: taking swaps against decoding them alone, and a price among 100,000 pools, in a store on disk
//! (`SUPERROOT_POOLS` for another count).

use std::time::Instant;

use alloy_primitives::{Address, U256};
use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};
use superroot_dex::{Factories, Pair, PoolId, decode, topics};
use superroot_index::{BlockEvent, EventBlock, View};
use superroot_market::{Bases, Market, MarketConfig, PoolView, Token, pair_of};
use superroot_store::{EmbeddedConfig, EmbeddedStore, Store, WriteBatch};
use superroot_types::{BlockNumber, ChainId, ChainKey, Family, Hash, UnixSeconds};

const CHAIN: ChainKey = ChainKey { family: Family::Evm, id: ChainId(1) };
/// Events of a block.
const BLOCK_EVENTS: usize = 200;
/// Prices asked for.
const ASKED: usize = 20_000;

fn main() {
    if std::env::args().any(|argument| argument == "--list") {
        return;
    }
    taking();
    prices();
    crowded();
}

fn weth() -> Token {
    let address = "0xc02aaa39b223fe8d0a0e5c4f27ead9083c756cc2".parse().unwrap();
    Token { address, decimals: 18 }
}

fn usdc() -> Token {
    let address = "0xa0b86991c6218b36c1d19d4a2e9eb0ce3606eb48".parse().unwrap();
    Token { address, decimals: 6 }
}

/// The pool of two tokens at the factory of Uniswap v2.
fn pool_of(pair: &Pair) -> Address {
    let pools = Factories::builtin().pools_of("ethereum", pair);
    let v2 = pools.iter().find(|bound| bound.dex == "uniswap_v2").unwrap();
    let PoolId::Contract(address) = v2.pool else { panic!("a contract") };
    address
}

fn topic(signature: &str) -> Hash {
    topics().find(|(_, known)| *known == signature).unwrap().0
}

fn sync(pool: Address, reserves: [U256; 2], log_index: u32) -> BlockEvent {
    let data = reserves.map(|held| held.to_be_bytes::<32>()).concat();
    event(pool, vec![topic("Sync(uint112,uint112)")], data, log_index)
}

fn swap(pool: Address, tick: i32, log_index: u32) -> BlockEvent {
    let root = superroot_dex::tick::sqrt_price_at(tick).unwrap();
    let words = [U256::from(1_000), U256::from(2_000), root, U256::from(1_u64 << 60)];
    let mut data: Vec<u8> = words.iter().flat_map(U256::to_be_bytes::<32>).collect();
    data.extend(alloy_primitives::I256::try_from(tick).unwrap().to_be_bytes::<32>());
    let first = topic("Swap(address,address,int256,int256,uint160,uint128,int24)");
    event(pool, vec![first, Hash::ZERO, Hash::ZERO], data, log_index)
}

fn event(pool: Address, topics: Vec<Hash>, data: Vec<u8>, log_index: u32) -> BlockEvent {
    BlockEvent {
        tx_index: log_index / 4,
        log_index: log_index % 4,
        transaction_hash: None,
        addresses: vec![pool.to_vec()],
        topics,
        data: Some(data),
    }
}

fn block(number: u64, events: &[BlockEvent]) -> EventBlock<'_> {
    EventBlock {
        chain: CHAIN,
        number: BlockNumber(number),
        hash: Hash([1; 32]),
        timestamp: UnixSeconds(1_700_000_000 + number * 12),
        events,
    }
}

/// Rows of swaps against decoding the same swaps.
fn taking() {
    let mut random = StdRng::seed_from_u64(1);
    let mut events = Vec::new();
    for at in 0..BLOCK_EVENTS {
        let (pool, at) = (Address::from(random.random::<[u8; 20]>()), u32::try_from(at).unwrap());
        events.push(if at % 2 == 0 {
            let reserves = [1_u128 << 100, random.random::<u128>() >> 20].map(U256::from);
            sync(pool, reserves, at)
        } else {
            swap(pool, random.random_range(-200_000..200_000), at)
        });
    }
    let rounds = 2_000;
    let mut times = [Vec::new(), Vec::new()];
    for _ in 0..7 {
        let begun = Instant::now();
        for _ in 0..rounds {
            for event in &events {
                let contract = Address::from_slice(&event.addresses[0]);
                let decoded = decode(contract, &event.topics, event.data.as_deref().unwrap());
                std::hint::black_box(decoded.unwrap());
            }
        }
        times[0].push(begun.elapsed().as_secs_f64());
        let begun = Instant::now();
        for round in 0..rounds {
            let mut rows = Vec::new();
            PoolView.put(&block(round, &events), &mut rows);
            assert_eq!(std::hint::black_box(rows).len(), events.len());
        }
        times[1].push(begun.elapsed().as_secs_f64());
    }
    let [bare, taken] = times.map(median);
    let count = (rounds as usize * events.len()) as f64;
    println!(
        "market/take: {:.0} swaps/s taken, {:.0} decoded alone: {:.2}x of its time",
        count / taken,
        count / bare,
        taken / bare
    );
}

fn median(mut times: Vec<f64>) -> f64 {
    times.sort_by(f64::total_cmp);
    times[times.len() / 2]
}

/// A price of any of many tokens, each with a pool of its own.
fn prices() {
    let pools: usize =
        std::env::var("SUPERROOT_POOLS").ok().map_or(100_000, |text| text.parse().unwrap());
    let folder = tempfile::tempdir().unwrap();
    let store = EmbeddedStore::open(folder.path(), &EmbeddedConfig::default()).unwrap();
    let mut random = StdRng::seed_from_u64(2);
    let tokens: Vec<Token> = (0..pools)
        .map(|_| Token { address: Address::from(random.random::<[u8; 20]>()), decimals: 18 })
        .collect();
    let units =
        |whole: u64, digits: u64| U256::from(whole) * U256::from(10).pow(U256::from(digits));
    let held = |pair: &Pair, token: Token, base: Token, of_token: u64, of_base: u64| {
        let (of_token, of_base) =
            (units(of_token, token.decimals.into()), units(of_base, base.decimals.into()));
        if pair.token0 == token.address { [of_token, of_base] } else { [of_base, of_token] }
    };
    let (anchor, _) = pair_of(weth().address, usdc().address);
    let anchor_pool = pool_of(&anchor);
    let mut number = 0;
    let begun = Instant::now();
    // each pool has three events, in three blocks of its own
    for _ in 0..3 {
        for some in tokens.chunks(BLOCK_EVENTS - 1) {
            number += 1;
            let price = random.random_range(2_400..2_500_u64);
            let mut events =
                vec![sync(anchor_pool, held(&anchor, weth(), usdc(), 10_000, 10_000 * price), 0)];
            for (at, token) in (1..).zip(some) {
                let (pair, _) = pair_of(token.address, weth().address);
                let reserves =
                    held(&pair, *token, weth(), 1_000_000, random.random_range(500..520));
                events.push(sync(pool_of(&pair), reserves, at));
            }
            let mut rows = Vec::new();
            PoolView.put(&block(number, &events), &mut rows);
            let mut batch = WriteBatch::new();
            rows.into_iter().for_each(|(table, key, value)| _ = batch.put(table, key, value));
            store.commit(batch).unwrap();
        }
    }
    println!(
        "market/fill: {pools} pools with 3 states each in {:.1} s",
        begun.elapsed().as_secs_f64()
    );
    drop(store);
    let bytes = bytes_of(folder.path());
    println!(
        "market/bytes: {:.0} bytes a state of a pool on disk",
        bytes as f64 / (3 * pools) as f64
    );
    let store = EmbeddedStore::open(folder.path(), &EmbeddedConfig::default()).unwrap();
    let bases = Bases { stables: vec![usdc()], native: Some(weth()) };
    let market = Market {
        store: &store,
        chain: CHAIN,
        slug: "ethereum",
        factories: Factories::builtin(),
        bases: &bases,
        rules: MarketConfig { stale_after_seconds: 2_592_000, ..MarketConfig::default() }.rules(),
        at: (BlockNumber(number), UnixSeconds(1_700_000_000 + number * 12)),
        floor: BlockNumber(0),
        window_seconds: 1_800,
    };
    let mut times = Vec::new();
    for round in 0..ASKED {
        let token = tokens[random.random_range(0..tokens.len())];
        let begun = Instant::now();
        let quote = market.price(token).unwrap();
        // the first thousand warm up
        if round >= 1_000 {
            times.push(begun.elapsed().as_secs_f64() * 1e3);
        }
        assert!(quote.price.is_ok(), "{:?}", quote.price);
    }
    times.sort_by(f64::total_cmp);
    let at = |part: f64| times[((times.len() - 1) as f64 * part) as usize];
    println!(
        "market/price: p50 {:.2} ms, p99 {:.2} ms, most {:.2} ms among {pools} pools (aim: p99 under 3 ms)",
        at(0.5),
        at(0.99),
        at(1.0)
    );
}

/// A price whose pair has 4,000 pools that somebody made to be in the way, and whose own pool has 8,000 positions.
fn crowded() {
    let folder = tempfile::tempdir().unwrap();
    let store = EmbeddedStore::open(folder.path(), &EmbeddedConfig::default()).unwrap();
    let manager: Address = "0x000000000004444c5dc75cb358380d2e3de08a90".parse().unwrap();
    let token = Token { address: Address::repeat_byte(0xee), decimals: 18 };
    let (pair, side) = pair_of(token.address, usdc().address);
    // two dollars a token
    let tick = if side == superroot_dex::TokenSide::Token0 { -269_392 } else { 269_392 };
    let spacing = 10_i32;
    let word = |value: i128| alloy_primitives::I256::try_from(value).unwrap().to_be_bytes::<32>();
    let root = superroot_dex::tick::sqrt_price_at(tick).unwrap();
    let id = |number: u64| {
        let mut id = [0xff; 32];
        id[..8].copy_from_slice(&number.to_be_bytes());
        Hash(id)
    };
    let of_manager = |signature: &str, id: Hash, words: &[[u8; 32]], log_index| {
        let tokens = [pair.token0, pair.token1].map(|token| Hash(token.into_word().0));
        let mut topics = vec![topic(signature), id];
        match signature.starts_with("Initialize") {
            true => topics.extend(tokens),
            false => topics.push(tokens[0]),
        }
        event(manager, topics, words.concat(), log_index)
    };
    let made = |number: u64, log_index| {
        let words =
            [word(500), word(spacing.into()), word(0), root.to_be_bytes(), word(tick.into())];
        let signature = "Initialize(bytes32,address,address,uint24,int24,address,uint160,int24)";
        of_manager(signature, id(number), &words, log_index)
    };
    let positions = 8_000_u32;
    let each = 1_i128 << 56;
    let changed = |log_index: u32| {
        let lower =
            tick.div_euclid(spacing) * spacing - spacing * (1 + log_index.cast_signed() % 90);
        let words = [
            word(lower.into()),
            word((tick + 1_000 - tick.rem_euclid(spacing)).into()),
            word(each),
            word(0),
        ];
        let signature = "ModifyLiquidity(bytes32,address,int24,int24,int256,bytes32)";
        of_manager(signature, id(9_000_000), &words, log_index)
    };
    let swapped = |liquidity: i128| {
        let words =
            [word(1), word(1), root.to_be_bytes(), word(liquidity), word(tick.into()), word(0)];
        let signature = "Swap(bytes32,address,int128,int128,uint160,uint128,int24,uint24)";
        of_manager(signature, id(9_000_000), &words, 0)
    };
    let in_force = each * i128::from(positions);
    let blocks: [Vec<BlockEvent>; 4] = [
        vec![made(9_000_000, 0)],
        (0..positions).map(changed).collect(),
        (0..4_000_u32).map(|at| made(at.into(), at)).collect(),
        vec![swapped(in_force)],
    ];
    for (number, events) in (1..).zip(&blocks) {
        let (mut rows, mut batch) = (Vec::new(), WriteBatch::new());
        PoolView.put(&block(number * 100, events), &mut rows);
        rows.into_iter().for_each(|(table, key, value)| _ = batch.put(table, key, value));
        store.commit(batch).unwrap();
    }
    let bases = Bases { stables: vec![usdc()], native: Some(weth()) };
    let market = Market {
        store: &store,
        chain: CHAIN,
        slug: "ethereum",
        factories: Factories::builtin(),
        bases: &bases,
        rules: MarketConfig::default().rules(),
        at: (BlockNumber(400), UnixSeconds(1_700_000_000 + 400 * 12)),
        floor: BlockNumber(0),
        window_seconds: 1_800,
    };
    let mut times = Vec::new();
    for _ in 0..200 {
        let begun = Instant::now();
        let quote = market.price(token).unwrap();
        times.push(begun.elapsed().as_secs_f64() * 1e3);
        assert!(quote.price.is_ok(), "{:?}", quote.price);
    }
    println!(
        "market/crowded: p50 {:.2} ms with 4,000 pools of the pair and {positions} positions",
        median(times)
    );
}

/// Bytes of a folder.
fn bytes_of(folder: &std::path::Path) -> u64 {
    let entries = std::fs::read_dir(folder).unwrap().map(Result::unwrap);
    entries
        .map(|entry| {
            let data = entry.metadata().unwrap();
            if data.is_dir() { bytes_of(&entry.path()) } else { data.len() }
        })
        .sum()
}
