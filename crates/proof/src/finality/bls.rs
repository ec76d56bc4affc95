//! BLS12-381 with keys in G1 and signatures in G2, ciphersuite of proofs of possession (draft-irtf-cfrg-bls-signature-05,
//! 4.2.3), by `blst`.

use alloc::vec::Vec;

use blst::BLST_ERROR;
use blst::min_pk::{AggregatePublicKey, PublicKey, Signature};

/// Ciphersuite of committees of beacon chains.
pub const SUITE: &[u8] = b"BLS_SIG_BLS12381G2_XMD:SHA-256_SSWU_RO_POP_";
pub(super) const KEY_BYTES: usize = 48;
pub(super) const SIGNATURE_BYTES: usize = 96;

/// Public key, read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct MemberKey(PublicKey);

impl MemberKey {
    /// Reads a compressed key. Its subgroup is not checked: the keys of a set are under a root that was, by the chain.
    pub(super) fn read(bytes: &[u8; KEY_BYTES]) -> Option<Self> {
        PublicKey::uncompress(bytes).ok().map(Self)
    }

    /// Reads a compressed key, and checks the subgroup; infinity is rejected.
    pub(super) fn validated(bytes: &[u8; KEY_BYTES]) -> Option<Self> {
        PublicKey::key_validate(bytes).ok().map(Self)
    }
}

/// Sum of keys, compressed; `None` without a key.
pub(super) fn sum(keys: &[MemberKey]) -> Option<[u8; KEY_BYTES]> {
    Some(aggregate(keys.iter())?.to_public_key().compress())
}

/// Whether these keys together signed a message. A key at infinity signs nothing.
pub(super) fn is_signed<'a>(
    keys: impl Iterator<Item = &'a MemberKey>,
    message: &[u8],
    signature: &[u8; SIGNATURE_BYTES],
) -> bool {
    let Some(keys) = aggregate(keys) else { return false };
    let Ok(signature) = Signature::sig_validate(signature, true) else { return false };
    let verified = signature.verify(false, message, SUITE, &[], &keys.to_public_key(), false);
    verified == BLST_ERROR::BLST_SUCCESS
}

fn aggregate<'a>(keys: impl Iterator<Item = &'a MemberKey>) -> Option<AggregatePublicKey> {
    let keys: Vec<&PublicKey> = keys.map(|MemberKey(key)| key).collect();
    AggregatePublicKey::aggregate(&keys, false).ok()
}
