//! Questions over a million blocks of all chains: how long one takes, how often it errs, and what blooms cost on
//! disk.
//!
//! Each chain has an equal share of the blocks (`SUPERROOT_BLOCKS` for another count than 2^20), a third of the
//! chains at each density: the share of a bloom's bits that is set, and the names of a twig's events. The peer
//! looks at the bloom of each block in memory.

use std::collections::BTreeSet;
use std::path::Path;
use std::time::Instant;

use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};
use superroot_chain::{ChainRegistry, ChainSpec};
use superroot_index::bloom::{BloomQuestion, Blooms, put_twig};
use superroot_proof::hash::keccak256;
use superroot_proof::ledger::evm::Bloom;
use superroot_store::{EmbeddedConfig, EmbeddedStore, Store, WriteBatch};
use superroot_types::{BlockNumber, TWIG_BLOCKS};

/// Bits of a bloom that are set, in 1,024; names of a twig.
const DENSITIES: [(u64, u64); 3] = [(512, 200_000), (205, 40_000), (20, 4_000)];
const ROUNDS: usize = 1_000;
/// Contracts that are in use, each in one block of a hundred on a third of the chains.
const USED: u64 = 200;

fn main() {
    if std::env::args().any(|argument| argument == "--list") {
        return;
    }
    let count = std::env::var("SUPERROOT_BLOCKS").ok();
    let count: u64 = count.map_or(1 << 20, |count| count.parse().unwrap());
    let chains = ChainRegistry::builtin().rows();
    let twigs = count.div_ceil(TWIG_BLOCKS * chains.len() as u64);
    let folder = tempfile::tempdir().unwrap();
    let store = EmbeddedStore::open(folder.path(), &EmbeddedConfig::default()).unwrap();
    let blooms = fill(&store, chains, twigs);
    let blocks = blooms.len();
    println!(
        "index/blooms: {blocks} blocks of {} chains, {:.0} bytes a block on disk (their blooms alone: 256)",
        chains.len(),
        bytes_of(folder.path()) as f64 / blocks as f64,
    );
    let mut random = StdRng::seed_from_u64(9);
    let nobody = |random: &mut StdRng| random.random::<[u8; 20]>().to_vec();
    let used = |random: &mut StdRng| used_address(random.random_range(0..USED));
    let (of_nobody, p50) =
        ask(&store, chains, twigs, "an address nobody has used", || vec![nobody(&mut random)]);
    ask(&store, chains, twigs, "an address in use", || vec![used(&mut random)]);
    ask(&store, chains, twigs, "an address in use and a topic nobody has", || {
        vec![used(&mut random), random.random::<[u8; 32]>().to_vec()]
    });
    println!(
        "index/blooms: {:.4} % of blocks are candidates for an address nobody has used",
        of_nobody * 100.0
    );
    let begun = Instant::now();
    for _ in 0..10 {
        let name = nobody(&mut random);
        let count = blooms.iter().filter(|bloom| bloom.contains(&name)).count();
        std::hint::black_box(count);
    }
    let each = begun.elapsed().as_secs_f64() * 100.0;
    println!("index/blooms: {:.0}x of looking at each bloom in memory ({each:.0} ms)", each / p50);
}

/// Asks for all blocks of all chains, many times: the share of blocks that are candidates, and the median time in
/// milliseconds.
fn ask(
    store: &dyn Store,
    chains: &[ChainSpec],
    twigs: u64,
    name: &str,
    mut items: impl FnMut() -> Vec<Vec<u8>>,
) -> (f64, f64) {
    let (blooms, to) = (Blooms::default(), BlockNumber(twigs * TWIG_BLOCKS - 1));
    let (mut times, mut candidates, mut scanned) = (Vec::new(), 0, 0);
    for round in 0..ROUNDS + ROUNDS / 10 {
        let items = items();
        let begun = Instant::now();
        for row in chains {
            let question =
                BloomQuestion { items: items.clone(), from: BlockNumber(0), to, listed_max: 1000 };
            let found = blooms.search(store, row, &question).unwrap();
            candidates += found.count;
            scanned += found.scanned;
        }
        // the first ones warm the caches
        if round >= ROUNDS / 10 {
            times.push(begun.elapsed().as_secs_f64() * 1e3);
        }
    }
    times.sort_by(f64::total_cmp);
    let at = |share: f64| times[((times.len() - 1) as f64 * share) as usize];
    println!(
        "index/blooms of {name}: p50 {:.2} ms, p99 {:.2} ms, most {:.2} ms",
        at(0.5),
        at(0.99),
        at(1.0)
    );
    (candidates as f64 / scanned as f64, at(0.5))
}

/// Stores the twigs of every chain; gives the blooms.
fn fill(store: &dyn Store, chains: &[ChainSpec], twigs: u64) -> Vec<Bloom> {
    let (mut random, mut all) = (StdRng::seed_from_u64(5), Vec::new());
    for (at, row) in chains.iter().enumerate() {
        let (density, names) = DENSITIES[at % DENSITIES.len()];
        for twig_index in 0..twigs {
            let mut names: BTreeSet<u64> = (0..names).map(|_| random.random()).collect();
            let mut blooms: Vec<(usize, Bloom)> = (0..TWIG_BLOCKS as usize)
                .map(|slot| (slot, some_bloom(&mut random, density)))
                .collect();
            for contract in (0..USED).filter(|contract| (contract + at as u64).is_multiple_of(3)) {
                let address = used_address(contract);
                let [a, b, c, d, e, f, g, h, ..] = keccak256(&address).0;
                names.insert(u64::from_be_bytes([a, b, c, d, e, f, g, h]));
                for _ in 0..TWIG_BLOCKS / 100 {
                    let slot = random.random_range(0..TWIG_BLOCKS as usize);
                    blooms[slot].1.insert(&address);
                }
            }
            let mut batch = WriteBatch::new();
            put_twig(&mut batch, row.key(), twig_index, &blooms, Some(&names)).unwrap();
            store.commit(batch).unwrap();
            all.extend(blooms.into_iter().map(|(_, bloom)| bloom));
        }
    }
    all
}

fn used_address(contract: u64) -> Vec<u8> {
    keccak256(&contract.to_be_bytes()).0[..20].to_vec()
}

fn some_bloom(random: &mut StdRng, density: u64) -> Bloom {
    let mut bloom = Bloom::ZERO;
    let bits = 2048 * density / 1024;
    // as many as blooms of that density have, some of them twice
    let drawn = (-2048.0 * (1.0 - bits as f64 / 2048.0).ln()) as u64;
    for _ in 0..drawn {
        let bit: usize = random.random_range(0..2048);
        bloom.0[bit / 8] |= 1 << (bit % 8);
    }
    bloom
}

fn bytes_of(folder: &Path) -> u64 {
    let entries = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap());
    let each = entries.map(|entry| match entry.metadata().unwrap() {
        data if data.is_dir() => bytes_of(&entry.path()),
        // journals are as long at any count
        _ if entry.path().extension().is_some_and(|extension| extension == "jnl") => 0,
        data => data.len(),
    });
    each.sum()
}
