//! In Rust alone, for targets without a C compiler: `ic_bls12_381`, 2.8 times as slow.

use ic_bls12_381::hash_to_curve::{ExpandMsgXmd, HashToCurve};
use ic_bls12_381::{
    G1Affine, G1Projective, G2Affine, G2Prepared, G2Projective, Gt, multi_miller_loop,
};
use sha2_010::Sha256;

use super::suite::{KEY_BYTES, SIGNATURE_BYTES, STAKE_SUITE, SUITE};

/// Public key in G1, read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct MemberKey(G1Affine);

impl MemberKey {
    /// Reads a compressed key. Its subgroup is not checked: the keys of a set are under a root that was, by the chain.
    pub(crate) fn read(bytes: &[u8; KEY_BYTES]) -> Option<Self> {
        Option::from(G1Affine::from_compressed_unchecked(bytes)).map(Self)
    }

    /// Reads a compressed key, and checks the subgroup; infinity is rejected.
    pub(crate) fn validated(bytes: &[u8; KEY_BYTES]) -> Option<Self> {
        let key: Option<G1Affine> = G1Affine::from_compressed(bytes).into();
        key.filter(|key| !bool::from(key.is_identity())).map(Self)
    }
}

/// Sum of keys, compressed; `None` without a key.
pub(crate) fn sum(keys: &[MemberKey]) -> Option<[u8; KEY_BYTES]> {
    Some(aggregate(keys.iter())?.to_compressed())
}

/// Whether these keys together signed a message. A key at infinity signs nothing.
pub(crate) fn is_signed<'a>(
    keys: impl Iterator<Item = &'a MemberKey>,
    message: &[u8],
    signature: &[u8; SIGNATURE_BYTES],
) -> bool {
    let Some(key) = aggregate(keys).filter(|key| !bool::from(key.is_identity())) else {
        return false;
    };
    let signature: Option<G2Affine> = G2Affine::from_compressed(signature).into();
    let signature = signature.filter(|signature| !bool::from(signature.is_identity()));
    let Some(signature) = signature else { return false };
    let hashed = <G2Projective as HashToCurve<ExpandMsgXmd<Sha256>>>::hash_to_curve(message, SUITE);
    is_one((&-G1Affine::generator(), &signature), (&key, &hashed.into()))
}

fn aggregate<'a>(keys: impl Iterator<Item = &'a MemberKey>) -> Option<G1Affine> {
    let mut sum = None;
    for MemberKey(key) in keys {
        sum = Some(sum.unwrap_or_else(G1Projective::identity) + key);
    }
    sum.map(Into::into)
}

/// Public key in G2, read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct StakeKey(G2Affine);

impl StakeKey {
    /// Reads a compressed key of [`SIGNATURE_BYTES`], and checks the subgroup; infinity is rejected.
    pub(crate) fn validated(bytes: &[u8]) -> Option<Self> {
        let key: Option<G2Affine> = G2Affine::from_compressed(bytes.try_into().ok()?).into();
        key.filter(|key| !bool::from(key.is_identity())).map(Self)
    }
}

/// Whether these keys together signed a message.
pub(crate) fn is_signed_by_stake<'a>(
    keys: impl Iterator<Item = &'a StakeKey>,
    message: &[u8],
    signature: &[u8],
) -> bool {
    let mut sum = None;
    for StakeKey(key) in keys {
        sum = Some(sum.unwrap_or_else(G2Projective::identity) + key);
    }
    let key = sum.map(G2Affine::from).filter(|key| !bool::from(key.is_identity()));
    let signature = signature.try_into().ok().and_then(|bytes| {
        let signature: Option<G1Affine> = G1Affine::from_compressed(bytes).into();
        signature.filter(|signature| !bool::from(signature.is_identity()))
    });
    let (Some(key), Some(signature)) = (key, signature) else { return false };
    let hashed =
        <G1Projective as HashToCurve<ExpandMsgXmd<Sha256>>>::hash_to_curve(message, STAKE_SUITE);
    is_one((&signature, &-G2Affine::generator()), (&hashed.into(), &key))
}

/// Whether the product of both pairings is one.
fn is_one(first: (&G1Affine, &G2Affine), second: (&G1Affine, &G2Affine)) -> bool {
    let [of_first, of_second] = [first.1, second.1].map(|point| G2Prepared::from(*point));
    let product = multi_miller_loop(&[(first.0, &of_first), (second.0, &of_second)]);
    product.final_exponentiation() == Gt::identity()
}
