//! Heimdall validator keys.

use k256::ecdsa::signature::hazmat::PrehashVerifier;
use k256::ecdsa::{Signature, VerifyingKey};

use crate::hash::keccak256;
use crate::ledger::cosmos::{VOTE_SIGNATURE_BYTES, ValidatorKey};

/// Length in bytes, uncompressed.
pub const HEIMDALL_KEY_BYTES: usize = 65;

/// Uncompressed secp256k1 key, with signatures over Keccak-256.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct HeimdallKey(pub [u8; HEIMDALL_KEY_BYTES]);

impl ValidatorKey for HeimdallKey {
    const BYTES: usize = HEIMDALL_KEY_BYTES;
    const FIELD: u8 = 3;

    fn read(bytes: &[u8]) -> Option<Self> {
        bytes.try_into().ok().map(Self)
    }

    fn bytes(&self) -> &[u8] {
        &self.0
    }

    fn verify(&self, message: &[u8], signature: &[u8; VOTE_SIGNATURE_BYTES]) -> Option<bool> {
        let key = VerifyingKey::from_sec1_bytes(&self.0).ok()?;
        let signature = Signature::from_slice(signature).ok();
        let low = signature.filter(|signature| signature.normalize_s().is_none());
        let hash = keccak256(message);
        Some(low.is_some_and(|signature| key.verify_prehash(&hash.0, &signature).is_ok()))
    }
}
