//! Validators and votes in the bytes of consensus. Sources: CometBFT `types/validator.go` (`Bytes`),
//! `types/validator_set.go` (`Hash`), `types/canonical.go`, `proto/tendermint/types/canonical.proto`.

use alloc::vec::Vec;
use core::fmt::Debug;

use ed25519_dalek::VerifyingKey;
use superroot_types::Hash;

use super::fields::{put_bytes, put_message, put_number, put_varint};
use super::header::{CosmosBlockId, Header};
use crate::hash::sha256_joined;
use crate::ledger::edge;
use crate::range::Sha256Range;

/// Bytes of an Ed25519 key.
pub const VALIDATOR_KEY_BYTES: usize = 32;
/// `SIGNED_MSG_TYPE_PRECOMMIT`.
const PRECOMMIT: u64 = 2;
const NANOS: u64 = 1_000_000_000;

/// Vote signature length in bytes.
pub const VOTE_SIGNATURE_BYTES: usize = 64;

/// Validator's public key, with the chain's signature scheme.
pub trait ValidatorKey: Copy + Ord + Debug {
    /// Key bytes.
    const BYTES: usize;
    /// Field in message `PublicKey`.
    const FIELD: u8;

    /// Key from [`ValidatorKey::BYTES`] bytes; `None` for another length.
    fn read(bytes: &[u8]) -> Option<Self>;

    /// Bytes, for [`ValidatorKey::read`].
    fn bytes(&self) -> &[u8];

    /// Whether a signature is valid; `None` for an invalid key.
    fn verify(&self, message: &[u8], signature: &[u8; VOTE_SIGNATURE_BYTES]) -> Option<bool>;
}

/// Ed25519, strict as in RFC 8032.
impl ValidatorKey for [u8; VALIDATOR_KEY_BYTES] {
    const BYTES: usize = VALIDATOR_KEY_BYTES;
    const FIELD: u8 = 1;

    fn read(bytes: &[u8]) -> Option<Self> {
        bytes.try_into().ok()
    }

    fn bytes(&self) -> &[u8] {
        self
    }

    fn verify(&self, message: &[u8], signature: &[u8; VOTE_SIGNATURE_BYTES]) -> Option<bool> {
        let key = VerifyingKey::from_bytes(self).ok()?;
        Some(key.verify_strict(message, &signature.into()).is_ok())
    }
}

/// Validator; with an Ed25519 key by default.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CosmosValidator<K = [u8; VALIDATOR_KEY_BYTES]> {
    /// Public key.
    pub key: K,
    /// Voting power.
    pub power: u64,
}

impl<K: ValidatorKey> CosmosValidator<K> {
    /// Message `SimpleValidator`.
    fn leaf(&self) -> Vec<u8> {
        let mut key = Vec::new();
        put_bytes(&mut key, K::FIELD, self.key.bytes());
        let mut out = Vec::new();
        put_message(&mut out, 1, &key);
        put_number(&mut out, 2, self.power);
        out
    }
}

/// Header's `validators_hash`: RFC 6962 root over the validators in their order.
#[must_use]
pub fn validators_hash<K: ValidatorKey>(validators: &[CosmosValidator<K>]) -> Hash {
    let leaf = |one: &CosmosValidator<K>| sha256_joined(&[&[0x00], &one.leaf()]);
    edge::root::<Sha256Range>(&validators.iter().map(leaf).collect::<Vec<Hash>>())
}

/// Signed bytes of a precommit: message `CanonicalVote` behind its length. `time` is in nanoseconds since 1970.
#[must_use]
pub fn precommit_bytes(
    chain_id: &str,
    (height, round): (u64, u32),
    id: &CosmosBlockId,
    time: u64,
) -> Vec<u8> {
    let mut parts = Vec::new();
    put_number(&mut parts, 1, id.part_count.into());
    put_bytes(&mut parts, 2, &id.parts_hash.0);
    let mut block = Vec::new();
    put_bytes(&mut block, 1, &id.hash.0);
    put_message(&mut block, 2, &parts);
    let mut at = Vec::new();
    put_number(&mut at, 1, time / NANOS);
    put_number(&mut at, 2, time % NANOS);
    let mut vote = Vec::new();
    put_number(&mut vote, 1, PRECOMMIT);
    put_fixed(&mut vote, 2, height);
    put_fixed(&mut vote, 3, round.into());
    put_message(&mut vote, 4, &block);
    put_message(&mut vote, 5, &at);
    put_bytes(&mut vote, 6, chain_id.as_bytes());
    let mut out = Vec::new();
    put_varint(&mut out, u64::try_from(vote.len()).unwrap_or(u64::MAX));
    out.extend_from_slice(&vote);
    out
}

/// Writes eight little-endian bytes; omits 0.
fn put_fixed(out: &mut Vec<u8>, number: u8, value: u64) {
    const FIXED: u8 = 1;
    if value > 0 {
        out.push(number << 3 | FIXED);
        out.extend_from_slice(&value.to_le_bytes());
    }
}

impl Header {
    /// Header's time in nanoseconds since 1970; `None` past 2554.
    #[must_use]
    pub fn time_nanos(&self) -> Option<u64> {
        self.seconds.checked_mul(NANOS)?.checked_add(self.nanos.into())
    }
}
