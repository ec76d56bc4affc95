//! What a figure is worth: ours against a peer, or against a limit of the machine, timed in turns in
//! the same run. Ratios hold from one machine to the next, milliseconds do not. Where the system tells
//! it (Linux), the ratio of processor time stands beside: that of the thread that called, which other
//! work on the machine does not touch, and that of all threads.

use std::env;
use std::hint::black_box;
use std::path::Path;
use std::time::{Duration, Instant};

/// Samples of each side; the medians are compared.
const SAMPLES: usize = 101;
/// Time after which no further sample is taken.
const TIME_MAX: Duration = Duration::from_secs(8);

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
            our_times.push(Times::of(|| ours(input)));
            their_times.push(Times::of(&mut theirs));
            if !self.timed {
                return;
            }
            if our_times.len() == SAMPLES || started.elapsed() > TIME_MAX {
                break;
            }
        }
        let of = |what: fn(&Times) -> Duration| {
            let (ours, theirs) = (median(&our_times, what), median(&their_times, what));
            (ours.as_secs_f64() / theirs.as_secs_f64(), ours, theirs)
        };
        let (ratio, ours, theirs) = of(|times| times.wall);
        let (thread, ..) = of(|times| times.thread);
        let (process, ..) = of(|times| times.process);
        print!("ratio {name}: {ratio:.2}x of {peer} ({ours:?} to {theirs:?})");
        // work shorter than the system's clock of processor time has none
        if thread.is_finite() && process.is_finite() {
            print!("; processor time of the thread {thread:.2}x, of all threads {process:.2}x");
        }
        println!();
    }
}

/// What one sample took; processor times are zero where the system does not tell them.
struct Times {
    wall: Duration,
    thread: Duration,
    process: Duration,
}

impl Times {
    /// What the work gives back is dropped after the time is taken.
    fn of<T>(work: impl FnOnce() -> T) -> Self {
        let (thread, process, started) = (thread_time(), process_time(), Instant::now());
        let result = black_box(work());
        let wall = started.elapsed();
        let thread = thread_time().saturating_sub(thread);
        let process = process_time().saturating_sub(process);
        drop(result);
        Self { wall, thread, process }
    }
}

fn thread_time() -> Duration {
    schedule_time(Path::new("/proc/thread-self"))
}

/// Of the threads that live; one that ended is not counted any more.
fn process_time() -> Duration {
    let threads = std::fs::read_dir("/proc/self/task").into_iter().flatten().flatten();
    threads.map(|thread| schedule_time(&thread.path())).sum()
}

fn schedule_time(thread: &Path) -> Duration {
    let text = std::fs::read_to_string(thread.join("schedstat")).unwrap_or_default();
    let nanoseconds = text.split_whitespace().next().and_then(|first| first.parse().ok());
    Duration::from_nanos(nanoseconds.unwrap_or(0))
}

fn median(times: &[Times], what: fn(&Times) -> Duration) -> Duration {
    let mut times: Vec<_> = times.iter().map(what).collect();
    times.sort_unstable();
    times[times.len() / 2]
}
