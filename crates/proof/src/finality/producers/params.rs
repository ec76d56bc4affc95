//! Constants.

/// Constants of a chain with elected producers: the client's own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ProducerParams {
    /// Seconds from one set to the next, at least 1: sets begin at multiples, counted from 1970.
    pub set_seconds: u64,
    /// Blocks behind a set's first block whose producers are the set: two rounds and more.
    pub window_blocks: u16,
    /// Trusting period from a set's begin, in seconds.
    pub trusted_seconds: u64,
}

impl ProducerParams {
    /// Main network: a set a day, four maintenance periods. Fourteen days are a policy, as long as votes stay for unfreezing.
    pub const TRON: Self =
        Self { set_seconds: 86_400, window_blocks: 54, trusted_seconds: 14 * 86_400 };
    /// Simulated chain: short days.
    pub const SIMULATED: Self =
        Self { set_seconds: 180, window_blocks: 27, trusted_seconds: 14 * 86_400 };

    /// Set number at a time; `None` without sets.
    #[must_use]
    pub const fn set_of(&self, seconds: u64) -> Option<u64> {
        seconds.checked_div(self.set_seconds)
    }
}
