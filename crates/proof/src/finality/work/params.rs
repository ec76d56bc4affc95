//! Constants.

/// Constants of a chain with proof of work: the client's own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WorkParams {
    /// Easiest target, in compact form.
    pub target_limit_bits: u32,
    /// Easiest target of a header that counts as work, in compact form: easier ones are cheap to make.
    pub floor_bits: u32,
    /// Whether the target is adjusted every [`super::RETARGET_BLOCKS`]; it never is on simulated chains.
    pub retargets: bool,
    /// Least blocks that follow a final one.
    pub confirmations: u64,
}
