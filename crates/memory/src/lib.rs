//! Global allocator (jemalloc) for every process that links this crate. Background threads return memory to the system
//! one second after the last use (`.cargo/config.toml`). Reason and cost: docs/decisions/0007.
//! ```
//! use superroot_memory as _;
//! ```
//! A separate crate, so that tests and benches link it too.

#[global_allocator]
static ALLOCATOR: tikv_jemallocator::Jemalloc = tikv_jemallocator::Jemalloc;

#[cfg(test)]
mod tests {
    use std::time::{Duration, Instant};

    /// This process's memory, in MiB.
    fn resident() -> u64 {
        let status = std::fs::read_to_string("/proc/self/status").unwrap();
        let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).unwrap();
        line.trim().trim_end_matches(" kB").parse::<u64>().unwrap() / 1_024
    }

    /// What was allocated on several threads in small pieces goes back although nobody allocates any more.
    #[test]
    fn memory_goes_back_after_a_peak() {
        let before = resident();
        let allocate = || (0..1 << 17).map(|_| vec![1_u8; 1_000]).collect::<Vec<_>>();
        let threads: Vec<_> = (0..4).map(|_| std::thread::spawn(allocate)).collect();
        let held: Vec<_> = threads.into_iter().map(|thread| thread.join().unwrap()).collect();
        let peak = resident();
        assert!(peak > before + 400, "{before} MiB before, {peak} at the peak");
        drop(held);
        let begun = Instant::now();
        while resident() > before + 50 {
            assert!(begun.elapsed().as_secs() < 8, "{before} MiB before, {} after", resident());
            std::thread::sleep(Duration::from_millis(200));
        }
    }
}
