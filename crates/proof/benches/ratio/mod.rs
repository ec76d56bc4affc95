//! What a figure is worth: ours against a peer, or against a limit of the machine, timed in turns in
//! the same run. Ratios hold from one machine to the next, milliseconds do not.

use std::env;
use std::hint::black_box;
use std::time::{Duration, Instant};

/// Samples of each side; the medians are compared.
const SAMPLES: usize = 101;
/// Time after which no further sample is taken.
const TIME_MAX: Duration = Duration::from_secs(3);

/// Prints the ratios of one crate, after the tables of its benchmarks.
#[derive(Debug)]
pub(crate) struct Ratios {
    crate_name: &'static str,
    /// Parts of names that were asked for; all, when there are none.
    filters: Vec<String>,
    /// False under `cargo test`, where benchmarks run once to see that they do.
    timed: bool,
}

impl Ratios {
    /// Asked for as the benchmarks themselves: by `--bench`, and by parts of their names.
    pub(crate) fn of(crate_name: &'static str) -> Self {
        let asked: Vec<String> = env::args().skip(1).collect();
        let timed = asked.iter().any(|one| one == "--bench");
        let filters = asked.into_iter().filter(|one| !one.starts_with('-')).collect();
        Self { crate_name, filters, timed }
    }

    /// Times `ours` on what `set_up` gives, and the `peer`, in turns.
    pub(crate) fn print<I, A, B>(
        &self,
        name: &str,
        peer: &str,
        mut set_up: impl FnMut() -> I,
        mut ours: impl FnMut(I) -> A,
        mut theirs: impl FnMut() -> B,
    ) {
        let name = format!("{}/{name}", self.crate_name);
        let asked = self.filters.is_empty() || self.filters.iter().any(|part| name.contains(part));
        if !asked {
            return;
        }
        let started = Instant::now();
        let (mut our_times, mut their_times) = (Vec::new(), Vec::new());
        loop {
            let input = set_up();
            our_times.push(time(|| ours(input)));
            their_times.push(time(&mut theirs));
            if !self.timed {
                return;
            }
            if our_times.len() == SAMPLES || started.elapsed() > TIME_MAX {
                break;
            }
        }
        let (ours, theirs) = (median(our_times), median(their_times));
        let ratio = ours.as_secs_f64() / theirs.as_secs_f64();
        println!("ratio {name}: {ratio:.2}x of {peer} ({ours:?} to {theirs:?})");
    }
}

fn time<T>(work: impl FnOnce() -> T) -> Duration {
    let started = Instant::now();
    black_box(work());
    started.elapsed()
}

fn median(mut times: Vec<Duration>) -> Duration {
    times.sort_unstable();
    times[times.len() / 2]
}
