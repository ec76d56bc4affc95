//! Running seeds: in shards, which run side by side, or those that `SUPERROOT_SIM_SEED` names.

use std::fmt::Debug;
use std::ops::Range;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// Failing seeds after which a range is given up.
const FAILURES_MAX: usize = 8;

/// Runs every seed, names those that fail, and gives what came of the others. `replay` is the test that
/// runs one of them again.
pub(crate) fn run_all<T>(seeds: Range<u64>, replay: &str, run: impl Fn(u64) -> T) -> Vec<T> {
    let mut outcomes = Vec::new();
    let mut failed = Vec::new();
    for seed in seeds {
        match catch_unwind(AssertUnwindSafe(|| run(seed))) {
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
         {replay} --no-capture",
        failed.join("\n")
    );
    outcomes
}

/// Seeds of one of so many shards, of `seeds`, or of `all` with `SUPERROOT_TEST_ALL`.
pub(crate) fn of_shard(index: u64, shards: u64, seeds: u64, all: u64) -> Range<u64> {
    let is_all = std::env::var_os("SUPERROOT_TEST_ALL").is_some();
    let each = if is_all { all } else { seeds } / shards;
    index * each..(index + 1) * each
}

/// Together a shard's seeds must have come to everything that the laws are about: a simulation in which
/// nothing happens holds every law.
pub(crate) fn assert_seen(seeds: usize, seen: &[(&str, u64)]) {
    println!("{seeds} seeds: {seen:?}");
    for (what, count) in seen {
        assert!(*count > 0, "no {what} in a whole shard");
    }
}

/// How many of the seeds break a law, in words with `law` in them.
pub(crate) fn noticed<T>(seeds: Range<u64>, law: &str, run: impl Fn(u64) -> T) -> usize {
    let fails = |seed: &u64| match catch_unwind(AssertUnwindSafe(|| run(*seed))) {
        Ok(_) => false,
        Err(cause) => {
            let text = cause.downcast_ref::<String>().map(String::as_str);
            let text = text.or_else(|| cause.downcast_ref::<&str>().copied());
            text.unwrap_or_default().contains(law)
        }
    };
    seeds.filter(fails).count()
}

/// Runs what `SUPERROOT_SIM_SEED` names, a seed or a range `n..m`; nothing where it names none.
pub(crate) fn replay<T: Debug>(test: &str, run: impl Fn(u64, bool) -> T) {
    let Ok(asked) = std::env::var("SUPERROOT_SIM_SEED") else { return };
    let number = |text: &str| text.parse::<u64>().expect("a seed is a number");
    match asked.split_once("..") {
        Some((from, to)) => {
            let held = run_all(number(from)..number(to), test, |seed| run(seed, false));
            println!("{} hold", held.len());
        }
        None => println!("{:#?}", run(number(&asked), true)),
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
