//! All stages by seed: chains whose nodes lag, lie, fork, drop, duplicate, stall and answer garbage,
//! and a process that dies between any two writes. After each step every law holds.
//!
//! ```text
//!   seed ─► Plan ─► SimNode.. ─► LiveSource ─► Collector ─► Process ─► MemoryStore (the disk)
//!             │         ▲                                     ▲  └─ Accumulator, Prover ─► Client
//!             └─ History (what is true) ──────────────────────┴──── laws, after each step
//! ```
//! Time is virtual, there is one thread, and every choice is the seed's: a seed gives one run.
//! `SUPERROOT_SIM_SEED=n` replays one and prints its steps, `SUPERROOT_SIM_SEED=n..m` runs some.

#[macro_use]
mod seeds;
mod blocks;
mod dice;
mod disk;
mod history;
mod laws;
mod ledgers;
mod nodes;
mod older;
mod plan;
mod run;
mod served;
mod stolen;
mod trial;

use blocks::Oddity;
use run::{Outcome, Sabotage, run, run_amply, run_sabotaged};

/// Seeds of `make test`; ten thousand of them with `SUPERROOT_TEST_ALL`.
const SEEDS: u64 = 500;
const SEEDS_ALL: u64 = 10_000;

/// Parts of the seeds, which run side by side.
const SHARDS: u64 = 10;

/// One shard of the seeds.
fn shard(index: u64) {
    let seeds = seeds::of_shard(index, SHARDS, SEEDS, SEEDS_ALL);
    let outcomes = seeds::run_all(seeds, "replay", |seed| run(seed, false));
    let sum = |of: fn(&Outcome) -> u64| sum_of(&outcomes, of);
    let seen = [
        ("SuperRoots", sum(|one| one.super_roots)),
        ("final blocks", sum(|one| one.final_blocks)),
        ("deaths", sum(|one| one.deaths)),
        ("halts", sum(|one| one.halts)),
        ("blocks undone", sum(|one| one.undone)),
        ("sealed twigs", sum(|one| one.sealed_twigs)),
        ("stages built anew", sum(|one| one.rebuilt)),
        ("events found in the index", sum(|one| one.events)),
        ("SuperRoots that came out again", sum(|one| one.repeated)),
        ("anchored proofs", sum(|one| one.counts.anchored)),
        ("pending proofs", sum(|one| one.counts.pending)),
        ("answers of what is not provable", sum(|one| one.counts.not_provable)),
        ("answers of what is not kept", sum(|one| one.counts.not_indexed)),
    ];
    let odd = |oddity: Oddity| sum_of(&outcomes, |one| one.odd[oddity as usize]);
    let withheld = |oddity: Oddity| sum_of(&outcomes, |one| one.withheld[oddity as usize]);
    let not_given = [Oddity::NoReceipts, Oddity::ReceiptsError, Oddity::ReceiptsForbidden];
    let bodies = [
        ("bodies with a type that is not known", withheld(Oddity::UnknownType)),
        ("bodies with other gas", withheld(Oddity::OtherGas)),
        ("bodies with other places", odd(Oddity::Places)),
        ("receipts that no node gave", not_given.map(withheld).iter().sum()),
        ("receipts that no node gave at first", not_given.map(odd).iter().sum()),
    ];
    let seen: Vec<(&str, u64)> = seen.into_iter().chain(bodies).collect();
    seeds::assert_seen(outcomes.len(), &seen);
}

fn sum_of(outcomes: &[Outcome], of: impl Fn(&Outcome) -> u64) -> u64 {
    outcomes.iter().map(of).sum()
}

shards! {
    every_law_holds_0 = 0
    every_law_holds_1 = 1
    every_law_holds_2 = 2
    every_law_holds_3 = 3
    every_law_holds_4 = 4
    every_law_holds_5 = 5
    every_law_holds_6 = 6
    every_law_holds_7 = 7
    every_law_holds_8 = 8
    every_law_holds_9 = 9
}

/// Laws that nothing breaks are none.
#[test]
fn a_lost_commit_is_noticed() {
    let noticed = seeds::noticed(0..10, "", |seed| run_sabotaged(seed, Sabotage::LostCommit));
    assert!(noticed >= 5, "{noticed} of 10");
}

/// Seeds 0 to 29 have chains whose liars are as many as must agree.
#[test]
fn a_false_final_block_is_noticed() {
    let noticed = seeds::noticed(0..30, "", |seed| run_sabotaged(seed, Sabotage::TrustInLiars));
    assert!(noticed >= 3, "{noticed} of 30");
}

/// Liars who answer fast must not keep those from being heard who agree.
#[test]
fn seed_11_catches_up() {
    run_amply(11);
}

/// As seed 11, with another quorum.
#[test]
fn seed_866_catches_up() {
    run_amply(866);
}

/// A final block whose receipts nobody gives for a while waits for them.
#[test]
fn seed_3511_holds_its_receipts() {
    run_amply(3_511);
}

/// A failing seed is of use only when it fails again.
#[test]
fn a_seed_gives_one_run() {
    for seed in 1_000_000..1_000_012 {
        assert_eq!(run(seed, false), run(seed, false), "seed {seed}");
    }
}

/// Not a test of its own: it replays what `SUPERROOT_SIM_SEED` names.
#[test]
fn replay() {
    seeds::replay("replay", run);
}
