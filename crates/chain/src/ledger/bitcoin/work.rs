//! Proof of work: a hash not above the target.

use alloy_primitives::U256;
use superroot_proof::finality::work::{is_met, target};
use superroot_proof::ledger::bitcoin::Header;

use super::params::BitcoinParams;
use crate::error::ChainError;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HeaderWork {
    /// Largest hash allowed by the target, as a number.
    pub target: U256,
}

/// Checks a header hash against the target in the header. Whether the target was due needs previous headers:
/// [`super::check_due`].
///
/// # Errors
/// [`ChainError::Mismatch`] for `bits` that are not canonical, easier than the chain allows or missed by the hash.
pub fn check_work(header: &Header, params: &BitcoinParams) -> Result<HeaderWork, ChainError> {
    let bits = format_args!("{:#010x}", header.bits).to_string();
    let read = target(header.bits)
        .ok_or_else(|| ChainError::mismatch("bits", &bits, "a canonical compact target"))?;
    let limit = target(params.target_limit_bits).unwrap_or_default();
    if read > limit {
        let limit = format!("at most {:#010x}", params.target_limit_bits);
        return Err(ChainError::mismatch("bits", bits, limit));
    }
    let hash = header.hash();
    if !is_met(&hash, read) {
        let got = format!("{:#066x}", U256::from_le_bytes(hash.0));
        let expected = format!("at most {read:#066x}");
        return Err(ChainError::mismatch("hash as a number", got, expected));
    }
    Ok(HeaderWork { target: read })
}
