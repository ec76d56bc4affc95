//! Ciphersuites and sizes.

/// Ciphersuite of committees of beacon chains.
pub const SUITE: &[u8] = b"BLS_SIG_BLS12381G2_XMD:SHA-256_SSWU_RO_POP_";
/// Ciphersuite of Sui: in G1, keys in G2, key possession shown elsewhere.
pub const STAKE_SUITE: &[u8] = b"BLS_SIG_BLS12381G1_XMD:SHA-256_SSWU_RO_NUL_";
/// Bytes of a point in G1, compressed.
pub(in crate::finality) const KEY_BYTES: usize = 48;
/// Bytes of a point in G2, compressed.
pub(in crate::finality) const SIGNATURE_BYTES: usize = 96;
