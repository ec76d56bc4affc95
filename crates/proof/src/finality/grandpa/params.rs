//! Constants.

/// Constants of a chain with GRANDPA: the client's own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GrandpaParams {
    /// Seconds of a slot: a slot's number times these are seconds since 1970.
    pub slot_seconds: u64,
    /// Trusting period from the header of a set, in seconds, at most the time for unbonding.
    pub trusted_seconds: u64,
}

impl GrandpaParams {
    /// Polkadot's relay chain: three quarters of the 28 days for unbonding.
    pub const POLKADOT: Self = Self { slot_seconds: 6, trusted_seconds: 21 * 86_400 };
}
