//! What figures cost: those of a new head, out of blocks in a store on disk, and those of the same head again.
//!
//! The peer reads the same leaves with `alloy-consensus`, takes the tips it tells, sorts them, and computes the next
//! base fee with `alloy-eips`: what a client library does, from leaves that are in memory already. The limit is
//! stated here, and checked.

use std::sync::Arc;
use std::time::Instant;

use alloy_consensus::{Transaction, TxEnvelope};
use alloy_eips::eip1559::{BaseFeeParams, calc_next_block_base_fee};
use alloy_eips::eip2718::Decodable2718;
use superroot_chain::finality::{FinalityAnchor, OneSource, check};
use superroot_chain::{
    ChainRegistry, ChainSpec, EvidenceVerdict, FinalBlock, FinalityEvidence, UntrustedBlock,
    VerifiedBlock, verify,
};
use superroot_gas::tips::cumulative_gas;
use superroot_gas::{BLOCKS_MAX, FeeCache, FeeRules, Figures, load_samples};
use superroot_source::BlockSource;
use superroot_source::simulated::{SimulatedChain, SimulatedConfig};
use superroot_store::layout::{BlockTip, KeptEntries};
use superroot_store::{EmbeddedConfig, EmbeddedStore, Store, WriteBatch, write};
use superroot_types::{BlockNumber, ManualClock, UnixSeconds};

const GENESIS: u64 = 1_700_000_000;
/// Blocks made: as many heads can be new.
const BLOCKS: u64 = 60;
/// Transactions of each.
const TRANSACTIONS: u16 = 200;
/// A new head's figures come within this, in milliseconds: a block of the fastest chain comes every 200.
const NEW_HEAD_MS_MAX: f64 = 20.0;

fn main() {
    if std::env::args().any(|argument| argument == "--list") {
        return;
    }
    let row = ChainRegistry::builtin().find("ethereum").unwrap().clone().as_simulated();
    let blocks: Vec<VerifiedBlock> =
        blocks(&row).iter().map(|block| verify(&row, block).unwrap()).collect();
    let folder = tempfile::tempdir().unwrap();
    let store: Arc<dyn Store> =
        Arc::new(EmbeddedStore::open(folder.path(), &EmbeddedConfig::default()).unwrap());
    for block in &blocks {
        let mut batch = WriteBatch::new();
        write::put_final(&mut batch, &*store, &as_final(block), &KeptEntries::All).unwrap();
        store.commit(batch).unwrap();
    }
    let tips: Vec<BlockTip> = blocks
        .iter()
        .map(|block| BlockTip { number: block.number(), hash: block.hash() })
        .collect();
    let rules = FeeRules::of(&row, true);
    let windows = &tips[BLOCKS_MAX..];
    let cold = time(windows, |tip| {
        let samples = load_samples(&*store, &row, &rules, *tip, &[]).unwrap();
        Figures::of(row.key(), row.block_time_ms, &rules, &samples)
    });
    let cache = FeeCache::default();
    cache.figures(&*store, &row, true, tips[BLOCKS_MAX - 1]).unwrap();
    let new_head = time(windows, |tip| cache.figures(&*store, &row, true, *tip).unwrap());
    let same_head =
        time(windows, |_| cache.figures(&*store, &row, true, tips[tips.len() - 1]).unwrap());
    let samples = load_samples(&*store, &row, &rules, tips[tips.len() - 1], &[]).unwrap();
    let alone = time(windows, |_| Figures::of(row.key(), row.block_time_ms, &rules, &samples));
    let peer = time(windows, |tip| peer(&blocks, tip.number));
    println!("gas/figures/blocks={BLOCKS_MAX}/transactions={TRANSACTIONS}");
    println!("  new head, all blocks read from disk  {cold:.3} ms");
    println!(
        "  new head, one block read from disk   {new_head:.3} ms (limit {NEW_HEAD_MS_MAX} ms)"
    );
    println!("  the same head again                  {:.3} us", same_head * 1e3);
    println!("  of blocks that were read             {alone:.3} ms");
    println!("  peer: alloy, leaves in memory        {peer:.3} ms");
    assert!(new_head < NEW_HEAD_MS_MAX, "{new_head} ms");
}

/// Milliseconds of the median.
fn time<T>(tips: &[BlockTip], mut work: impl FnMut(&BlockTip) -> T) -> f64 {
    let mut times: Vec<f64> = tips
        .iter()
        .map(|tip| {
            let begun = Instant::now();
            std::hint::black_box(work(tip));
            begun.elapsed().as_secs_f64() * 1e3
        })
        .collect();
    times.sort_by(f64::total_cmp);
    times[times.len() / 2]
}

fn peer(blocks: &[VerifiedBlock], head: BlockNumber) -> (u64, Option<u128>) {
    let at = usize::try_from(head.0).unwrap();
    let (mut paid, mut base_fee) = (Vec::new(), 0);
    for block in &blocks[at + 1 - BLOCKS_MAX..=at] {
        let rule = ChainRegistry::builtin().find("ethereum").unwrap();
        let rule = rule.rule_at(head).unwrap();
        let header = superroot_proof::ledger::Header::decode(rule, block.header()).unwrap();
        let superroot_proof::ledger::Header::Evm(header) = header else { panic!() };
        let fee = header.base_fee_per_gas.unwrap();
        let params = BaseFeeParams::ethereum();
        base_fee =
            calc_next_block_base_fee(header.gas_used, header.gas_limit.unwrap(), fee, params);
        let mut before = 0;
        let receipts = block.receipts().unwrap();
        for (leaf, receipt) in block.transactions().unwrap().iter().zip(receipts) {
            let envelope = TxEnvelope::decode_2718(&mut leaf.as_slice()).unwrap();
            let cumulative = cumulative_gas(receipt).unwrap();
            paid.push((envelope.effective_tip_per_gas(fee).unwrap_or(0), cumulative - before));
            before = cumulative;
        }
    }
    paid.sort_unstable();
    let all: u64 = paid.iter().map(|(_, gas)| gas).sum();
    let mut reached = 0;
    let half = paid.iter().find(|(_, gas)| {
        reached += gas;
        reached >= all / 2
    });
    (base_fee, half.map(|(tip, _)| *tip))
}

fn blocks(row: &ChainSpec) -> Vec<UntrustedBlock> {
    let config = SimulatedConfig {
        block_time_seconds: 1,
        finality_depth: 8,
        reorgs: false,
        transactions: Some(TRANSACTIONS),
        ..SimulatedConfig::new(5, UnixSeconds(GENESIS))
    };
    let clock = Arc::new(ManualClock::at(UnixSeconds(GENESIS + BLOCKS)));
    let source = SimulatedChain::new(row, config, clock).unwrap();
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    let fetch = |number| runtime.block_on(source.fetch_whole(BlockNumber(number)));
    (0..BLOCKS).map(|number| fetch(number).unwrap().unwrap()).collect()
}

fn as_final(block: &VerifiedBlock) -> FinalBlock {
    let evidence =
        FinalityEvidence::OneSource(OneSource { name: "bench".into(), rule: "bench".into() });
    match check(evidence, vec![block.clone().into()], &FinalityAnchor::OneSource, UnixSeconds(0)) {
        EvidenceVerdict::Final(mut blocks) => blocks.remove(0),
        refused => panic!("{refused:?}"),
    }
}
