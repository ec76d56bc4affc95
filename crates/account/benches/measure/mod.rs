//! Times of single calls, and memory.
#![allow(dead_code, missing_docs, unreachable_pub)]

use std::time::{Duration, Instant};

/// Times of many calls.
#[derive(Clone, Copy, Debug)]
pub struct Times {
    pub p50: Duration,
    pub p99: Duration,
}

/// Times each call and prints the median, the 99th percentile and the slowest.
pub fn print(name: &str, calls: usize, mut call: impl FnMut(usize)) -> Times {
    let times = (0..calls).map(|number| {
        let began = Instant::now();
        call(number);
        began.elapsed()
    });
    summary(name, times.collect())
}

/// Prints the median of times, their 99th percentile and the longest.
pub fn summary(name: &str, mut times: Vec<Duration>) -> Times {
    times.sort_unstable();
    let calls = times.len();
    let at = |share: usize| times[(calls - 1) * share / 100];
    println!("{name}: p50 {:?}, p99 {:?}, max {:?} of {calls} calls", at(50), at(99), at(100));
    Times { p50: at(50), p99: at(99) }
}

/// Resident memory of this process, in bytes; zero where the system does not tell.
pub fn resident_bytes() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
    let kib = line.and_then(|line| line.split_whitespace().next()?.parse::<u64>().ok());
    kib.unwrap_or(0) * 1_024
}

/// A number that looks random and is the same each time: splitmix64.
pub fn scatter(number: u64) -> u64 {
    let mut mixed = number.wrapping_mul(0x9e37_79b9_7f4a_7c15);
    mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    mixed ^ (mixed >> 31)
}
