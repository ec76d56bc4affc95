//! Replay of a log, as an audit does it, beside the bare hashes of the same twig leaves.
//!
//! 100,000 SuperRoots over 1,000,000 twigs, made one by one: nothing is held but what a replay holds.
#![allow(missing_docs)]

use std::time::{Duration, Instant};

use superroot_proof::consistency::{AppendedTwig, Blob, Replay};
use superroot_proof::hash::node;
use superroot_proof::range::{KeccakRange, Peaks, Sha256Range};
use superroot_proof::registry::{HashRuleFrom, LogRegistry, Profile};
use superroot_proof::superroot::{
    ChainReference, MiniMmr, SuperRoot, SuperRootHistory, build_tree, log_id,
};
use superroot_proof::twig::twig_leaf;
use superroot_types::{
    BlockNumber, ChainId, ChainKey, Family, Hash, RowIndex, Sequence, TWIG_BLOCKS, TwigIndex,
    UnixSeconds,
};

const SUPER_ROOTS: u64 = 100_000;
const TWIGS_EACH: u64 = 10;
const CHAIN: ChainKey = ChainKey { family: Family::Evm, id: ChainId(1) };

fn main() {
    // `cargo test` runs benches too, for a moment
    let count = if std::env::args().any(|one| one == "--bench") { SUPER_ROOTS } else { 100 };
    let rules = vec![HashRuleFrom { from_number: 0, code: 1 }];
    let row = Profile { chain: CHAIN, caip2: "eip155:1".to_owned(), rules };
    let registry = LogRegistry::new(vec![row]).expect("a sound registry");
    let log_id = log_id("simulated/replay").expect("a sound origin");
    let (mut range, mut history, mut replay) = (Peaks::default(), Peaks::default(), Replay::new());
    let (mut replayed, mut bare) = (Duration::ZERO, Duration::ZERO);
    for sequence in 0..count {
        let twigs: Vec<AppendedTwig> = (sequence * TWIGS_EACH..(sequence + 1) * TWIGS_EACH)
            .map(TwigIndex)
            .map(|twig_index| {
                let mut twig_root = Hash([7; 32]);
                twig_root.0[..8].copy_from_slice(&twig_index.0.to_be_bytes());
                AppendedTwig { chain: CHAIN, twig_index, twig_root }
            })
            .collect();
        for AppendedTwig { chain, twig_index, twig_root } in &twigs {
            range.append::<KeccakRange>(twig_leaf(*chain, *twig_index, twig_root));
        }
        let mut mini_mmrs = [MiniMmr::EMPTY; Family::COUNT];
        let range_root = range.root::<KeccakRange>();
        mini_mmrs[0] = MiniMmr { leaf_count: range.count(), range_root };
        let number = BlockNumber(range.count().0 * TWIG_BLOCKS + 5);
        let (block_hash, open_twig_root) = (Hash([3; 32]), Hash([4; 32]));
        let start = BlockNumber(0);
        let chain = CHAIN;
        let reference = ChainReference { chain, start, number, block_hash, open_twig_root };
        let references = vec![(RowIndex(0), reference)];
        let sequence = Sequence(sequence);
        let log_root = history.root::<Sha256Range>();
        let committed = SuperRootHistory { leaf_count: sequence.history(), log_root };
        let tree_root = build_tree(&mini_mmrs, &references, &committed, registry.root()).root();
        let timestamp = UnixSeconds(1_700_000_000 + sequence.0);
        let super_root = SuperRoot { log_id, sequence, timestamp, tree_root };
        history.append::<Sha256Range>(SuperRootHistory::leaf(&super_root));
        let registry = registry.clone();
        let blob = Blob { super_root, mini_mmrs, references, history: committed, registry };
        let begun = Instant::now();
        replay.accept(blob, &twigs).expect("a log that keeps its rules");
        replayed += begun.elapsed();
        let begun = Instant::now();
        for AppendedTwig { chain, twig_index, twig_root } in &twigs {
            let leaf = twig_leaf(*chain, *twig_index, twig_root);
            std::hint::black_box(node(&leaf, &leaf)); // a leaf more is a node more
        }
        bare += begun.elapsed();
    }
    let rate = count as f64 / replayed.as_secs_f64();
    let ratio = replayed.as_secs_f64() / bare.as_secs_f64();
    println!("replay/super_roots={count}/twigs={}: {rate:.0} SuperRoots/s", count * TWIGS_EACH);
    println!("replay / bare hashes of the same leaves: {ratio:.2}");
    println!("peak of memory: {}", peak());
}

/// As Linux tells it.
fn peak() -> String {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    line.map_or_else(|| "unknown".to_owned(), |peak| peak.trim().to_owned())
}
