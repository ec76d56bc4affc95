//! Two services with one stolen key, by seed: whoever is shown both histories does not take both for
//! true, and has evidence; whoever is shown one accuses nobody.
//!
//! ```text
//!   operator ─► Log ─► routes on a socket ─┬─► Reader.. (Client, TrustStore)  laws 1, 3, 4, 6, 7
//!      │ copy of all that it has           ├─► Auditor  (Audit over several)  laws 5, 6
//!   thief ────► Log ─► routes on a socket ─┤
//!   lagging copy of one of both ───────────┘   both ask Witnesses: an honest one (law 2), a bought one
//! ```
//! 1. A reader's pins lie in one of the two histories, and none goes back or is exchanged.
//! 2. What the honest witness cosigned lies in one history, also over its restarts.
//! 3. All readers who ask for the honest witness trust SuperRoots and files of one and the same history.
//! 4. A pin past the fork refuses to move into the other history; where it has a note there is evidence.
//! 5. An auditor who is shown both histories past the fork says so, with evidence, as soon as one of the
//!    services is as far as what was replayed before.
//! 6. Before the fork, with one history, and where a service lags, nobody accuses anybody, and pins move.
//! 7. A file of the other history is never called pinned, or joined to the pin.
//!
//! `SUPERROOT_SIM_SEED=n cargo nextest run -p superroot-node --test sim stolen::again` runs one seed.

mod acts;
mod auditor;
mod net;
mod readers;
mod run;
mod service;
#[path = "../../../../accumulate/tests/support/mod.rs"]
mod support;
mod truth;
mod witnesses;

use superroot_proof::note::ForkEvidence;
use superroot_wire::evidence::{parse_evidence, render_evidence};

use crate::older::signer;
use crate::seeds;
use run::{COUNTS, Sabotage, run, run_sabotaged};

/// Seeds of `make test`; five thousand of them with `SUPERROOT_TEST_ALL`.
const SEEDS: u64 = 200;
const SEEDS_ALL: u64 = 5_000;
/// Parts of the seeds, which run side by side.
const SHARDS: u64 = 4;
/// The test that runs what is named.
const AGAIN: &str = "stolen::again";

/// Evidence shows to anybody, as the file that is left, that the log's key signed two histories.
fn check_evidence(evidence: &ForkEvidence) {
    let (read, unproven) = parse_evidence(&render_evidence(evidence)).unwrap();
    assert!(read == *evidence && unproven.is_empty(), "law 4, law 5: evidence reads otherwise");
    assert_eq!(&read.key, signer(support::ORIGIN).verifier(), "law 4, law 5: another key");
    let shown = read.verify().expect("law 4, law 5: evidence shows nothing");
    assert_eq!(shown.origin, support::ORIGIN);
}

fn shard(index: u64) {
    let range = seeds::of_shard(index, SHARDS, SEEDS, SEEDS_ALL);
    let outcomes = seeds::run_all(range, AGAIN, |seed| run(seed, false));
    let sum = |index: usize| outcomes.iter().map(|counts| counts[index]).sum::<u64>();
    let seen: Vec<_> = (0..).zip(COUNTS).map(|(index, what)| (what, sum(index))).collect();
    seeds::assert_seen(outcomes.len(), &seen);
}

shards! {
    every_law_holds_0 = 0
    every_law_holds_1 = 1
    every_law_holds_2 = 2
    every_law_holds_3 = 3
}

/// Laws that nothing breaks are none: an honest witness that signs anything breaks the third.
#[test]
fn a_witness_that_signs_both_is_noticed() {
    let noticed = seeds::noticed(0..8, "law 3", |seed| run_sabotaged(seed, Sabotage::BentWitness));
    assert!(noticed >= 3, "{noticed} of 8");
}

/// A reader who pins anew at each look breaks the first.
#[test]
fn a_reader_who_forgets_is_noticed() {
    let noticed = seeds::noticed(0..8, "law 1", |seed| run_sabotaged(seed, Sabotage::NoMemory));
    assert!(noticed >= 4, "{noticed} of 8");
}

#[test]
fn a_seed_gives_one_run() {
    for seed in 1_000_000..1_000_003 {
        assert_eq!(run(seed, false), run(seed, false), "seed {seed}");
    }
}

/// Not a test of its own: it runs what `SUPERROOT_SIM_SEED` names.
#[test]
fn again() {
    seeds::replay(AGAIN, run);
}
