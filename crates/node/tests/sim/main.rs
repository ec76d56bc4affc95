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

mod blocks;
mod dice;
mod disk;
mod history;
mod laws;
mod nodes;
mod older;
mod plan;
mod run;
mod served;
mod trial;

use std::ops::Range;
use std::panic::{AssertUnwindSafe, catch_unwind};

use run::{Outcome, Sabotage, run, run_amply, run_sabotaged};

/// Seeds of `make test`; ten thousand of them with `SUPERROOT_TEST_ALL`.
const SEEDS: u64 = 500;
const SEEDS_ALL: u64 = 10_000;

/// Parts of the seeds, which run side by side.
const SHARDS: u64 = 10;

/// Failing seeds after which a range is given up.
const FAILURES_MAX: usize = 8;

/// Runs every seed, names those that fail, and gives what came of the others.
fn run_all(seeds: Range<u64>) -> Vec<Outcome> {
    let mut outcomes = Vec::new();
    let mut failed = Vec::new();
    for seed in seeds {
        match catch_unwind(AssertUnwindSafe(|| run(seed, false))) {
            Ok(outcome) => outcomes.push(outcome),
            Err(cause) => {
                let text = cause.downcast_ref::<String>().map(String::as_str);
                let text = text.or_else(|| cause.downcast_ref::<&str>().copied());
                failed.push(format!("seed {seed}: {}", text.unwrap_or("it panicked")));
            }
        }
        if failed.len() >= FAILURES_MAX {
            break;
        }
    }
    assert!(
        failed.is_empty(),
        "{}\nreplay one with: SUPERROOT_SIM_SEED=n cargo nextest run -p superroot-node --test sim \
         replay --no-capture",
        failed.join("\n")
    );
    outcomes
}

/// One shard of the seeds. Together they must have come to everything that the laws are about: a
/// simulation in which nothing happens holds every law.
fn shard(index: u64) {
    let is_all = std::env::var_os("SUPERROOT_TEST_ALL").is_some();
    let each = if is_all { SEEDS_ALL } else { SEEDS } / SHARDS;
    let outcomes = run_all(index * each..(index + 1) * each);
    let sum = |of: fn(&Outcome) -> u64| outcomes.iter().map(of).sum::<u64>();
    let seen = [
        ("SuperRoots", sum(|one| one.super_roots)),
        ("final blocks", sum(|one| one.final_blocks)),
        ("deaths", sum(|one| one.deaths)),
        ("halts", sum(|one| one.halts)),
        ("blocks undone", sum(|one| one.undone)),
        ("sealed twigs", sum(|one| one.sealed_twigs)),
        ("stages built anew", sum(|one| one.rebuilt)),
        ("SuperRoots that came out again", sum(|one| one.repeated)),
        ("anchored proofs", sum(|one| one.counts.anchored)),
        ("pending proofs", sum(|one| one.counts.pending)),
        ("answers of what is not kept", sum(|one| one.counts.not_indexed)),
    ];
    println!("{} seeds: {seen:?}", outcomes.len());
    for (what, count) in seen {
        assert!(count > 0, "no {what} in a whole shard");
    }
}

macro_rules! shards {
    ($($name:ident = $index:literal)*) => {
        $(#[test]
        fn $name() {
            shard($index);
        })*
    };
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

/// How many of those seeds break a law with something broken on purpose.
fn noticed(seeds: Range<u64>, sabotage: Sabotage) -> usize {
    let fails =
        |seed: &u64| catch_unwind(AssertUnwindSafe(|| run_sabotaged(*seed, sabotage))).is_err();
    seeds.filter(fails).count()
}

/// Laws that nothing breaks are none.
#[test]
fn a_lost_commit_is_noticed() {
    let noticed = noticed(0..10, Sabotage::LostCommit);
    assert!(noticed >= 5, "{noticed} of 10");
}

/// Seeds 0 to 29 have chains whose liars are as many as must agree.
#[test]
fn a_false_final_block_is_noticed() {
    let noticed = noticed(0..30, Sabotage::TrustInLiars);
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
    let Ok(asked) = std::env::var("SUPERROOT_SIM_SEED") else { return };
    let number = |text: &str| text.parse::<u64>().expect("a seed is a number");
    match asked.split_once("..") {
        Some((from, to)) => println!("{} hold", run_all(number(from)..number(to)).len()),
        None => println!("{:#?}", run(number(&asked), true)),
    }
}
