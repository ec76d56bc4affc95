//! BLS12-381 in both forms that chains use, by `blst`, or in Rust alone with the feature `pure`.
//!
//! ```text
//! MemberKey   key in G1, signature in G2    proofs of possession (draft-irtf-cfrg-bls-signature-05, 4.2.3)
//! StakeKey    key in G2, signature in G1    possession shown elsewhere
//! ```

#[cfg(not(feature = "pure"))]
mod native;
#[cfg(feature = "pure")]
mod pure;

#[cfg(not(feature = "pure"))]
use native as scheme;
#[cfg(feature = "pure")]
use pure as scheme;

pub(super) use self::scheme::{MemberKey, StakeKey, is_signed, is_signed_by_stake, sum};

/// Ciphersuite of committees of beacon chains.
pub const SUITE: &[u8] = b"BLS_SIG_BLS12381G2_XMD:SHA-256_SSWU_RO_POP_";
/// Ciphersuite of Sui: in G1, keys in G2, key possession shown elsewhere.
pub const STAKE_SUITE: &[u8] = b"BLS_SIG_BLS12381G1_XMD:SHA-256_SSWU_RO_NUL_";
/// Bytes of a point in G1, compressed.
pub(super) const KEY_BYTES: usize = 48;
/// Bytes of a point in G2, compressed.
pub(super) const SIGNATURE_BYTES: usize = 96;

#[cfg(not(any(feature = "native", feature = "pure")))]
compile_error!("finality needs the feature `native` or `pure`");
