//! What differs between chains of the family.

/// Constants of a chain; a row of the registry holds them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Params {
    /// Easiest target allowed, in its compact form.
    pub target_limit_bits: u32,
    /// First number whose coinbase must begin with the height (BIP 34).
    pub coinbase_height_from: u64,
    /// Blocks on top of one, itself included, from which on it counts as final. At least 1.
    pub confirmations: u64,
}
