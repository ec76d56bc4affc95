//! Nodes that lie, fork, withhold and fail by seed: whatever they do, what is held is one line of
//! what is agreed on, and once they are honest it is as if they always had been.

mod support;

use std::sync::Arc;

use superroot_collect::{Config, Progress, Watch};
use superroot_source::BlockAt;
use superroot_store::{MemoryStore, read};
use superroot_types::ErrorKind;
use superroot_types::*;
use support::*;

/// A number that follows from its parts and nothing else.
fn chance(parts: &[u64]) -> u64 {
    let bytes: Vec<u8> = parts.iter().flat_map(|part| part.to_be_bytes()).collect();
    let hash = superroot_proof::hash::keccak256(&bytes);
    u64::from_be_bytes(hash.0[..8].try_into().unwrap())
}

fn config(seed: u64) -> Config {
    let topics = [superroot_proof::hash::keccak256(b"Transfer(address,address,uint256)")];
    let watch = match seed % 3 {
        0 => Watch::All,
        1 => Watch::nothing(),
        _ => Watch::Some { addresses: [].into(), topics: topics.into() },
    };
    Config { watch, start: Some(BlockNumber(0)), attempts_max: 3, ..small() }
}

async fn live_through(seed: u64) -> u64 {
    let (mut bench, nodes) = Bench::live(seed, 20, config(seed));
    let forged = simulated(seed + 1_000_000, &bench.clock);
    let other = forged.clone();
    // how bad the nodes are: from now and then to nearly always
    let badness = 5 + seed % 60;
    let leaves_out = seed % 4 == 3;
    nodes.act(move |at, count| {
        let by_id = u64::from(matches!(at, BlockAt::Id(_)));
        let roll = chance(&[seed, at.number().0, u64::from(count), by_id]);
        if roll % 100 >= badness {
            return Act::Honest;
        }
        match roll / 100 % 5 {
            0 => Act::Other(forged.clone()),
            1 => Act::Bend(with_other_gas),
            2 if leaves_out => Act::Bend(without_receipts),
            3 => Act::Withhold,
            _ => Act::Fail,
        }
    });
    nodes.agree(move |number| match chance(&[seed, number.0, 7]) % 6 {
        0 => Agree::Fail,
        _ => Agree::Honest,
    });
    let mut failures = 0;
    for round in 0..25 {
        for _ in 0..6 {
            match bench.step().await {
                Ok(step) if step.progress == Progress::Idle => break,
                Ok(_) => {}
                Err(error) => {
                    let kind = error.kind();
                    let passes = matches!(kind, ErrorKind::Invalid | ErrorKind::Unavailable);
                    assert!(passes, "seed {seed}, round {round}: {error}");
                    failures += 1;
                }
            }
        }
        if read::load_chain_state(&*bench.store, row().key()).unwrap().is_some() {
            bench.check();
        }
        if chance(&[seed, round, 8]).is_multiple_of(8) {
            bench.restart(nodes.clone(), config(seed));
        }
        bench.clock.advance(1);
    }
    assert_eq!(read::load_retractions(&*bench.store, row().key()).unwrap(), [], "seed {seed}");
    nodes.agree(|_| Agree::Honest);
    nodes.act(|_, _| Act::Honest);
    while bench.step().await.unwrap().progress != Progress::Idle {}
    bench.check();
    let state = bench.state();
    let finalized = BlockNumber(20 + 25 - 8);
    assert_eq!(state.indexed.unwrap().number, finalized, "seed {seed}");
    for number in 0..=finalized.0 {
        let (held, honest) = (bench.hash(number), honest(&nodes.chain, number).await.hash());
        assert_eq!(held, honest, "seed {seed}, block {number}");
        assert_ne!(held, support::honest(&other, number).await.hash());
    }
    if leaves_out {
        return failures; // what came without its receipts is held as such, and said to be
    }
    let store = Arc::new(MemoryStore::new());
    let fresh_nodes = Nodes::new(nodes.chain.clone());
    let mut fresh = Bench::with(store, fresh_nodes, bench.clock.clone(), config(seed));
    while fresh.step().await.unwrap().progress != Progress::Idle {}
    for ((table, rows), (_, expected)) in bench.facts().iter().zip(&fresh.facts()) {
        assert!(rows == expected, "seed {seed}: table {table} differs");
    }
    failures
}

#[tokio::test]
async fn hostile_nodes_delay_a_chain_and_never_bend_it() {
    let all = std::env::var_os("SUPERROOT_TEST_ALL").is_some();
    let mut failures = 0;
    for seed in 0..if all { 1_000 } else { 24 } {
        failures += live_through(seed).await;
    }
    assert!(failures > 24, "the nodes did nothing bad: {failures}");
}
