//! The allocator of a process that names this crate: jemalloc, which gives memory back by threads of its own, a second
//! after nobody needs it (`.cargo/config.toml`). Why, and what it costs: docs/decisions/0007.
//!
//! ```
//! use superroot_memory as _;
//! ```
//! A crate of its own, since the binary's is compiled without optimisation (docs/decisions/0008), and every
//! allocation passes through what stands here.

#[global_allocator]
static ALLOCATOR: tikv_jemallocator::Jemalloc = tikv_jemallocator::Jemalloc;

#[cfg(test)]
mod tests {
    use std::time::{Duration, Instant};

    /// Memory of this process, in MiB.
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
