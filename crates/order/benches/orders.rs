//! How fast orders are decoded and looked up, and what one costs on disk.
//!
//! A million orders of two legs (`SUPERROOT_BENCH_ALL=1`: ten million, `SUPERROOT_ORDERS` another count), in a store
//! on disk, each with the numbers, addresses and transactions of its own that real ones have.

use std::path::Path;
use std::time::{Duration, Instant};

use alloy_primitives::{Address, B256, Bytes, U256};
use alloy_sol_types::SolValue;
use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};
use superroot_index::{BlockEvent, EventBlock, View};
use superroot_order::{OrderQuery, OrderState, OrderView, legs, load_named};
use superroot_proof::hash::keccak256;
use superroot_store::{EmbeddedConfig, EmbeddedStore, Store, WriteBatch};
use superroot_types::{BlockNumber, ChainId, ChainKey, Family, Hash, UnixSeconds};

const ARBITRUM: u64 = 42161;
const BASE: u64 = 8453;
const POOL_OF_ARBITRUM: &str = "0xe35e9842fceaca96570b734083f4a58e8f7c5f2a";
const POOL_OF_BASE: &str = "0x09aea4b2242abc8bb4bb78d537a67a245a7bec64";
const DEPOSITED: &str = "FundsDeposited(bytes32,bytes32,uint256,uint256,uint256,uint256,uint32,uint32,uint32,bytes32,bytes32,bytes32,bytes)";
const FILLED: &str = "FilledRelay(bytes32,bytes32,uint256,uint256,uint256,uint256,uint256,uint32,uint32,bytes32,bytes32,bytes32,bytes32,bytes32,(bytes32,bytes32,uint256,uint8))";
/// Orders of a block.
const BLOCK_ORDERS: u64 = 100;
const LOOKUPS: usize = 20_000;

fn main() {
    if std::env::args().any(|argument| argument == "--list") {
        return;
    }
    decoding();
    lookups();
}

fn chain(id: u64) -> ChainKey {
    ChainKey { family: Family::Evm, id: ChainId(id) }
}

fn word(seed: u64, kind: &str) -> B256 {
    B256::from(keccak256(format!("{kind} {seed}").as_bytes()).0)
}

fn account(seed: u64, kind: &str) -> B256 {
    Address::from_word(word(seed, kind)).into_word()
}

fn tx(id: u64, kind: &str) -> Hash {
    Hash(word(id, kind).0)
}

struct Topics {
    deposited: Hash,
    filled: Hash,
    pools: [Vec<u8>; 2],
}

impl Topics {
    fn new() -> Self {
        let pool = |text: &str| text.parse::<Address>().unwrap().to_vec();
        let pools = [pool(POOL_OF_ARBITRUM), pool(POOL_OF_BASE)];
        let topic = |signature: &str| keccak256(signature.as_bytes());
        Self { deposited: topic(DEPOSITED), filled: topic(FILLED), pools }
    }

    fn deposit(&self, id: u64) -> BlockEvent {
        let n = U256::from;
        let (token, out) = (account(id % 20, "token"), account(id % 20, "out"));
        let (amount, paid) = (n(1_000_000 + id), n(999_000 + id));
        let values = (
            token,
            out,
            amount,
            paid,
            n(7),
            n(u64::from(u32::MAX)),
            n(0),
            account(id, "to"),
            B256::ZERO,
            Bytes::new(),
        );
        let topics = [n(BASE), n(id), account(id, "from").into()];
        self.event(id, 0, self.deposited, &topics, values.abi_encode_params())
    }

    fn fill(&self, id: u64) -> BlockEvent {
        let n = U256::from;
        let (token, out) = (account(id % 20, "token"), account(id % 20, "out"));
        let (amount, paid) = (n(1_000_000 + id), n(999_000 + id));
        let to = account(id, "to");
        let values = (
            token,
            out,
            amount,
            paid,
            n(BASE),
            n(u64::from(u32::MAX)),
            n(0),
            B256::ZERO,
            account(id, "from"),
            to,
            B256::ZERO,
            (to, B256::ZERO, paid, n(0)),
        );
        let topics = [n(ARBITRUM), n(id), account(id % 30, "relayer").into()];
        self.event(id, 1, self.filled, &topics, values.abi_encode_params())
    }

    fn event(
        &self,
        id: u64,
        side: usize,
        first: Hash,
        others: &[U256],
        data: Vec<u8>,
    ) -> BlockEvent {
        let mut topics = vec![first];
        topics.extend(others.iter().map(|topic| Hash(topic.to_be_bytes::<32>())));
        BlockEvent {
            tx_index: u32::try_from(id % BLOCK_ORDERS).unwrap(),
            log_index: 3,
            transaction_hash: Some(tx(id, ["deposit", "fill"][side])),
            addresses: vec![self.pools[side].clone()],
            topics,
            data: Some(data),
        }
    }
}

fn view(chain_id: u64, number: u64, events: &[BlockEvent]) -> EventBlock<'_> {
    EventBlock {
        chain: chain(chain_id),
        number: BlockNumber(number),
        hash: Hash([1; 32]),
        timestamp: UnixSeconds(1_700_000_000 + number),
        events,
    }
}

/// Legs made of events, against the same events read by declarations that were compiled.
fn decoding() {
    type Filled = (
        B256,
        B256,
        U256,
        U256,
        U256,
        U256,
        U256,
        B256,
        B256,
        B256,
        B256,
        (B256, B256, U256, U256),
    );
    let topics = Topics::new();
    let events: Vec<BlockEvent> = (0..20_000).map(|id| topics.fill(id)).collect();
    let (mut ours, mut bare) = (Vec::new(), Vec::new());
    for _ in 0..7 {
        let begun = Instant::now();
        let count = legs(&view(BASE, 1, &events)).len();
        ours.push(begun.elapsed().as_secs_f64());
        assert_eq!(count, events.len());
        let begun = Instant::now();
        for event in &events {
            let data = event.data.as_deref().unwrap();
            assert!(std::hint::black_box(Filled::abi_decode_params_validate(data)).is_ok());
        }
        bare.push(begun.elapsed().as_secs_f64());
    }
    let per_second = |times: &mut Vec<f64>| {
        times.sort_by(f64::total_cmp);
        events.len() as f64 / times[times.len() / 2]
    };
    let (ours, bare) = (per_second(&mut ours), per_second(&mut bare));
    println!(
        "order/decode: {ours:.0} legs/s, {:.2}x of the speed of the same data decoded alone by alloy-sol-types \
         ({bare:.0}/s)",
        ours / bare
    );
}

fn lookups() {
    let is_all = std::env::var_os("SUPERROOT_BENCH_ALL").is_some();
    let count = std::env::var("SUPERROOT_ORDERS").ok().map(|count| count.parse().unwrap());
    let count: u64 = count.unwrap_or(if is_all { 10_000_000 } else { 1_000_000 });
    let folder = tempfile::tempdir().unwrap();
    let store = EmbeddedStore::open(folder.path(), &EmbeddedConfig::default()).unwrap();
    let (topics, begun) = (Topics::new(), Instant::now());
    for number in 0..count / BLOCK_ORDERS {
        let ids = number * BLOCK_ORDERS..(number + 1) * BLOCK_ORDERS;
        let mut rows = Vec::new();
        let deposits: Vec<BlockEvent> = ids.clone().map(|id| topics.deposit(id)).collect();
        OrderView.put(&view(ARBITRUM, number, &deposits), &mut rows);
        let fills: Vec<BlockEvent> = ids.map(|id| topics.fill(id)).collect();
        OrderView.put(&view(BASE, number, &fills), &mut rows);
        let mut batch = WriteBatch::new();
        for (table, key, value) in rows {
            batch.put(table, key, value);
        }
        store.commit(batch).unwrap();
    }
    let written = begun.elapsed().as_secs_f64();
    settle(folder.path());
    println!(
        "order/store: {count} orders in {:.0} s, {:.0} bytes an order on disk",
        written,
        bytes_of(folder.path()) as f64 / count as f64
    );
    let mut random = StdRng::seed_from_u64(1);
    for kind in ["id", "deposit", "fill transaction", "nothing"] {
        let mut times = Vec::with_capacity(LOOKUPS);
        for _ in 0..LOOKUPS {
            let id = random.random_range(0..count);
            let name = match kind {
                "id" => format!("across:{ARBITRUM}:{id}"),
                "deposit" => id.to_string(),
                "fill transaction" => tx(id, "fill").to_string(),
                _ => tx(id, "unknown").to_string(),
            };
            let begun = Instant::now();
            let (orders, _) = load_named(&store, &OrderQuery::parse(&name).unwrap()).unwrap();
            times.push(begun.elapsed().as_secs_f64() * 1e3);
            match kind {
                "nothing" => assert!(orders.is_empty()),
                _ => assert_eq!((orders.len(), orders[0].state), (1, OrderState::Filled)),
            }
        }
        times.sort_by(f64::total_cmp);
        let at = |share: f64| times[((times.len() - 1) as f64 * share) as usize];
        println!(
            "order/lookup by {kind}: p50 {:.3} ms, p99 {:.3} ms, most {:.2} ms",
            at(0.5),
            at(0.99),
            at(1.0)
        );
    }
}

/// Waits until the store has put in order what was written in one go, which no chain does: lookups are measured at rest.
fn settle(folder: &Path) {
    let (mut bytes, mut quiet) = (0, 0);
    while quiet < 5 {
        std::thread::sleep(Duration::from_secs(1));
        let now = bytes_of(folder);
        quiet = if now == bytes { quiet + 1 } else { 0 };
        bytes = now;
    }
}

fn bytes_of(folder: &Path) -> u64 {
    // a file may go while it is looked at
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let each = entries.map(|entry| match entry.metadata() {
        Ok(data) if data.is_dir() => bytes_of(&entry.path()),
        data => data.map_or(0, |data| data.len()),
    });
    each.sum()
}
