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
mod suite;

#[cfg(not(feature = "pure"))]
use native as scheme;
#[cfg(feature = "pure")]
use pure as scheme;

pub(super) use self::scheme::{MemberKey, StakeKey, is_signed, is_signed_by_stake, sum};
pub(super) use self::suite::{KEY_BYTES, SIGNATURE_BYTES};
pub use self::suite::{STAKE_SUITE, SUITE};

#[cfg(not(any(feature = "native", feature = "pure")))]
compile_error!("finality needs the feature `native` or `pure`");
