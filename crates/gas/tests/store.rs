//! Figures of a simulated chain in a store: each is checked by the block that came after.

use std::sync::Arc;

use superroot_chain::{ChainRegistry, ChainSpec};
use superroot_collect::{CollectConfig, Collector, WatchFilter};
use superroot_gas::{BLOCKS_MAX, FeeCache, FeeRules, load_samples};
use superroot_proof::ledger::Header;
use superroot_source::simulated::{SimulatedChain, SimulatedConfig};
use superroot_store::layout::BlockTip;
use superroot_store::{MemoryStore, Store, read};
use superroot_types::{BlockNumber, Hash, ManualClock, UnixSeconds};

const GENESIS: u64 = 1_700_000_000;
const BLOCKS: u64 = 80;

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
        transactions: Some(12),
        ..SimulatedConfig::new(3, UnixSeconds(GENESIS))
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
    fn tip(&self, number: u64) -> BlockTip {
        let number = BlockNumber(number);
        let block = read::load_block(&*self.store, self.row.key(), number).unwrap().unwrap();
        BlockTip { number, hash: block.hash }
    }

    fn base_fee(&self, number: u64) -> u64 {
        let number = BlockNumber(number);
        let block = read::load_block(&*self.store, self.row.key(), number).unwrap().unwrap();
        let rule = self.row.rule_at(number).unwrap();
        let Header::Evm(header) = Header::decode(rule, &block.header).unwrap() else { panic!() };
        header.base_fee_per_gas.unwrap()
    }
}

/// Each block has the base fee that was foretold of it; and a cache that went along says what a new one says.
#[tokio::test]
async fn each_block_has_the_base_fee_that_was_foretold() {
    let held = collect(WatchFilter::All).await;
    let along = FeeCache::default();
    let newest = read::load_chain_state(&*held.store, held.row.key())
        .unwrap()
        .unwrap()
        .head
        .unwrap()
        .number
        .0;
    assert!(newest > 60);
    for number in 0..newest {
        let tip = held.tip(number);
        let figures = along.figures(&*held.store, &held.row, true, tip).unwrap();
        let next = figures.next_base_fee.clone().unwrap();
        assert_eq!(next.wei, held.base_fee(number + 1), "{number}");
        assert_eq!(next.confirmed_steps as u64, number.min(BLOCKS_MAX as u64 - 1));
        assert_eq!(figures.base_fee, Ok(held.base_fee(number)));
        let afresh = FeeCache::default().figures(&*held.store, &held.row, true, tip).unwrap();
        assert_eq!(figures, afresh, "{number}");
        let again = along.figures(&*held.store, &held.row, true, tip).unwrap();
        assert!(Arc::ptr_eq(&figures, &again), "computed twice for one head");
    }
}

/// The chain's own rule is not the one of its name: the headers say so, and there is no figure.
#[tokio::test]
async fn a_rule_that_the_headers_do_not_follow_gives_no_figure() {
    let held = collect(WatchFilter::All).await;
    let row = ChainSpec { id: superroot_types::ChainId(56), ..held.row.clone() };
    let samples =
        load_samples(&*held.store, &held.row, &FeeRules::of(&row, false), held.tip(40), &[])
            .unwrap();
    let rules = FeeRules::of(&row, false);
    let figures = superroot_gas::Figures::of(held.row.key(), 1_000, &rules, &samples);
    let why = figures.next_base_fee.unwrap_err();
    assert!(why.0.contains("block 40 has another base fee"), "{why}");
}

#[tokio::test]
async fn a_head_that_is_gone_gives_no_figures() {
    let held = collect(WatchFilter::All).await;
    let cache = FeeCache::default();
    let gone = BlockTip { hash: Hash([9; 32]), ..held.tip(40) };
    let figures = cache.figures(&*held.store, &held.row, true, gone).unwrap();
    assert!(figures.base_fee.is_err() && figures.tips.is_err() && figures.next_base_fee.is_err());
    let figures = cache.figures(&*held.store, &held.row, true, held.tip(40)).unwrap();
    assert_eq!(figures.base_fee, Ok(held.base_fee(40)));
}

/// With a watch list only some entries are held: percentiles of those would be of other gas.
#[tokio::test]
async fn tips_are_never_of_some_transactions_alone() {
    let watched = superroot_types::Address([7; 20]);
    let held = collect(WatchFilter::Some { addresses: [watched].into(), topics: [].into() }).await;
    let rules = FeeRules::of(&held.row, true);
    let samples = load_samples(&*held.store, &held.row, &rules, held.tip(40), &[]).unwrap();
    assert_eq!(samples.len(), BLOCKS_MAX);
    assert!(samples.iter().all(|sample| sample.paid.is_none()));
    let figures = superroot_gas::Figures::of(held.row.key(), 1_000, &rules, &samples);
    assert!(figures.tips.is_err());
    assert_eq!(figures.next_base_fee.unwrap().wei, held.base_fee(41));
}
