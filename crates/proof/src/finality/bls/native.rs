//! By `blst`.

use alloc::vec::Vec;

use blst::{BLST_ERROR, min_pk, min_sig};

use super::suite::{KEY_BYTES, SIGNATURE_BYTES, STAKE_SUITE, SUITE};

/// Public key in G1, read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct MemberKey(min_pk::PublicKey);

impl MemberKey {
    /// Reads a compressed key. Its subgroup is not checked: the keys of a set are under a root that was, by the chain.
    pub(crate) fn read(bytes: &[u8; KEY_BYTES]) -> Option<Self> {
        min_pk::PublicKey::uncompress(bytes).ok().map(Self)
    }

    /// Reads a compressed key, and checks the subgroup; infinity is rejected.
    pub(crate) fn validated(bytes: &[u8; KEY_BYTES]) -> Option<Self> {
        min_pk::PublicKey::key_validate(bytes).ok().map(Self)
    }
}

/// Sum of keys, compressed; `None` without a key.
pub(crate) fn sum(keys: &[MemberKey]) -> Option<[u8; KEY_BYTES]> {
    Some(aggregate(keys.iter())?.compress())
}

/// Whether these keys together signed a message. A key at infinity signs nothing.
pub(crate) fn is_signed<'a>(
    keys: impl Iterator<Item = &'a MemberKey>,
    message: &[u8],
    signature: &[u8; SIGNATURE_BYTES],
) -> bool {
    let Some(key) = aggregate(keys) else { return false };
    let Ok(signature) = min_pk::Signature::sig_validate(signature, true) else { return false };
    signature.verify(false, message, SUITE, &[], &key, false) == BLST_ERROR::BLST_SUCCESS
}

fn aggregate<'a>(keys: impl Iterator<Item = &'a MemberKey>) -> Option<min_pk::PublicKey> {
    let keys: Vec<_> = keys.map(|MemberKey(key)| key).collect();
    let sum = min_pk::AggregatePublicKey::aggregate(&keys, false).ok()?;
    Some(sum.to_public_key())
}

/// Public key in G2, read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct StakeKey(min_sig::PublicKey);

impl StakeKey {
    /// Reads a compressed key of [`SIGNATURE_BYTES`], and checks the subgroup; infinity is rejected.
    pub(crate) fn validated(bytes: &[u8]) -> Option<Self> {
        min_sig::PublicKey::key_validate(bytes).ok().map(Self)
    }
}

/// Whether these keys together signed a message.
pub(crate) fn is_signed_by_stake<'a>(
    keys: impl Iterator<Item = &'a StakeKey>,
    message: &[u8],
    signature: &[u8],
) -> bool {
    let keys: Vec<_> = keys.map(|StakeKey(key)| key).collect();
    let Ok(sum) = min_sig::AggregatePublicKey::aggregate(&keys, false) else { return false };
    let Ok(signature) = min_sig::Signature::sig_validate(signature, true) else { return false };
    let verified = signature.verify(false, message, STAKE_SUITE, &[], &sum.to_public_key(), false);
    verified == BLST_ERROR::BLST_SUCCESS
}
