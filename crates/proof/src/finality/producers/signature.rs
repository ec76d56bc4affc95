//! Signatures of producers: secp256k1 with key recovery, over the SHA-256 of a raw header.

use k256::ecdsa::{RecoveryId, Signature, VerifyingKey};
use superroot_types::{Address, Hash};

use crate::hash::keccak256;

/// Bytes of a signature: `r:32 ‖ s:32 ‖ v:1`.
pub const SIGNATURE_BYTES: usize = 65;

/// Prefix of addresses.
const ADDRESS_MARK: u8 = 0x41;
/// Offset of `v` in older software.
const OLD_V: u8 = 27;

/// Address without the prefix; `None` for a different form.
pub(super) fn address_of(bytes: &[u8]) -> Option<Address> {
    let (mark, rest) = bytes.split_first()?;
    rest.try_into().ok().map(Address).filter(|_| *mark == ADDRESS_MARK)
}

/// Signature and recovery number of 0 or 1, with any `s`.
fn read(bytes: &[u8; SIGNATURE_BYTES]) -> Option<(Signature, RecoveryId)> {
    let (v, rest) = bytes.split_last()?;
    let recovery = RecoveryId::from_byte(*v).filter(|recovery| !recovery.is_x_reduced())?;
    Some((Signature::from_slice(rest).ok()?, recovery))
}

/// Whether the form is the only one accepted: `r` and `s` in range, the lower `s`, `v` of 0 or 1.
pub(super) fn is_canonical(bytes: &[u8; SIGNATURE_BYTES]) -> bool {
    read(bytes).is_some_and(|(signature, _)| signature.normalize_s().is_none())
}

/// A node's signature in the accepted form: the lower `s`, `v` of 0 or 1; `None` for a malformed one.
#[must_use]
pub fn canonical_signature(bytes: &[u8]) -> Option<[u8; SIGNATURE_BYTES]> {
    let mut bytes: [u8; SIGNATURE_BYTES] = bytes.try_into().ok()?;
    let (v, _) = bytes.split_last_mut()?;
    *v = v.checked_sub(OLD_V).unwrap_or(*v);
    let (signature, recovery) = read(&bytes)?;
    let Some(lower) = signature.normalize_s() else { return Some(bytes) };
    let mut out = [u8::from(!recovery.is_y_odd()); SIGNATURE_BYTES];
    out.split_last_mut()?.1.copy_from_slice(&lower.to_bytes());
    Some(out)
}

/// Address of the key behind a signature over a header's SHA-256; `None` if no key signed, or in a different form.
#[must_use]
pub fn signing_address(digest: &Hash, bytes: &[u8; SIGNATURE_BYTES]) -> Option<Address> {
    let (signature, recovery) = read(bytes).filter(|_| is_canonical(bytes))?;
    let key = VerifyingKey::recover_from_prehash(&digest.0, &signature, recovery).ok()?;
    let point = key.to_encoded_point(false);
    let hash = keccak256(point.as_bytes().split_first()?.1);
    hash.0.last_chunk().copied().map(Address)
}
