//! Proofs of random blocks out of many, on disk: what one costs, against the read of a block's own row.
//!
//! `SUPERROOT_BLOCKS` for another count than 2^20; above that they are of several chains.

#[path = "../tests/support/mod.rs"]
mod support;

use std::sync::Arc;
use std::time::Instant;

use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};
use superroot_accumulate::prove::Prover;
use superroot_chain::ChainRegistry;
use superroot_store::layout::{BlockTip, ChainState, KeptEntries};
use superroot_store::{EmbeddedConfig, EmbeddedStore, WriteBatch, read, write};
use superroot_types::{BlockNumber, ChainKey, SuperRootRef};
use support::{Chain, Log, as_final, chain_until};

/// Blocks of a chain, at most.
const OF_CHAIN: u64 = 1 << 20;
/// Blocks of a commit.
const AT_ONCE: u64 = 4_096;
const ROUNDS: usize = 5_000;

fn main() {
    if !std::env::args().any(|argument| argument == "--bench") {
        return; // `cargo test` asks whether it runs: it takes minutes
    }
    let count = std::env::var("SUPERROOT_BLOCKS").ok();
    let count: u64 = count.map_or(OF_CHAIN, |count| count.parse().unwrap());
    let folder = tempfile::tempdir().unwrap();
    let store = EmbeddedStore::open(folder.path(), &EmbeddedConfig::default()).unwrap();
    let mut log = Log::over(Arc::new(store));
    let mut chains = Vec::new();
    let rows = ChainRegistry::builtin().rows().iter();
    let sources = rows.filter_map(|row| chain_until(&row.slug, OF_CHAIN, 5, OF_CHAIN + 1_000));
    for source in sources.take(count.div_ceil(OF_CHAIN) as usize) {
        let blocks = OF_CHAIN.min(count - chains.len() as u64 * OF_CHAIN);
        let begun = Instant::now();
        chains.push((fill(&log, &source, blocks), blocks));
        let sealing = Instant::now();
        log.step(1_800_000_000);
        println!(
            "accumulate/twigs: {blocks} blocks of {} made in {:.0} s, sealed in {:.1} s",
            source.row.slug,
            (sealing - begun).as_secs_f64(),
            sealing.elapsed().as_secs_f64(),
        );
    }
    assert_eq!(chains.iter().map(|(_, blocks)| blocks).sum::<u64>(), count, "too few chains");
    let mut random = StdRng::seed_from_u64(7);
    let mut any = || {
        let (chain, blocks) = chains[random.random_range(0..chains.len())];
        (chain, BlockNumber(random.random_range(0..blocks)))
    };
    let prover = log.prover();
    let row = measure("the read of a random block's row", || {
        let (chain, number) = any();
        std::hint::black_box(read::load_block(&*log.store, chain, number).unwrap().unwrap());
    });
    let proof = measure("a proof of a random block", || prove(&prover, any()));
    println!(
        "accumulate/twigs: a proof takes {:.1} times as long as the read, by p50",
        proof / row
    );
    // the newest block of an open twig, for the first who asks after each SuperRoot
    let newest = (chains[0].0, BlockNumber(chains[0].1 - 1));
    let begun = Instant::now();
    prove(&log.prover(), newest);
    println!("accumulate/twigs: the first proof in an open twig {:.3} ms", ms(begun));
}

fn prove(prover: &Prover, (chain, number): (ChainKey, BlockNumber)) {
    std::hint::black_box(prover.prove_block(chain, number, Some(SuperRootRef::Latest)).unwrap());
}

fn ms(begun: Instant) -> f64 {
    begun.elapsed().as_secs_f64() * 1e3
}

/// The median time of many, in milliseconds.
fn measure(name: &str, mut work: impl FnMut()) -> f64 {
    let mut times: Vec<f64> = (0..ROUNDS)
        .map(|_| {
            let begun = Instant::now();
            work();
            ms(begun)
        })
        .collect();
    times.sort_by(f64::total_cmp);
    let at = |share: f64| times[((times.len() - 1) as f64 * share) as usize];
    println!(
        "accumulate/twigs: {name}: p50 {:.3} ms, p99 {:.3} ms, most {:.3} ms",
        at(0.5),
        at(0.99),
        at(1.0)
    );
    at(0.5)
}

/// Fills a chain with final blocks without transactions.
fn fill(log: &Log, chain: &Chain, blocks: u64) -> ChainKey {
    let (key, store) = (chain.key(), &*log.store);
    let mut state = ChainState::empty(BlockNumber(0));
    for first in (0..blocks).step_by(AT_ONCE as usize) {
        let mut batch = WriteBatch::new();
        for block in chain.blocks(first..blocks.min(first + AT_ONCE)) {
            write::put_final(&mut batch, store, &as_final(&block), &KeptEntries::All).unwrap();
            let tip = BlockTip { number: block.number(), hash: block.hash() };
            (state.indexed, state.head) = (Some(tip), Some(tip));
            state.checked_to = Some(tip.number);
            state.block_count += 1;
        }
        write::put_chain_state(&mut batch, key, &state);
        store.commit(batch).unwrap();
    }
    key
}
