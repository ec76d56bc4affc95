//! What differs between chains of the family.

use super::Retarget;

/// Constants of a chain; a row of the registry holds them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Params {
    /// Easiest target allowed, in its compact form.
    pub target_limit_bits: u32,
    /// First number whose coinbase must begin with the height (BIP 34).
    pub coinbase_height_from: u64,
    /// Blocks that follow one from which on it counts as final: with 6, the head less 6. At least 1.
    pub confirmations: u64,
    /// How its target changes.
    pub retarget: Retarget,
}
