//! Producers on a simulated chain, with public keys, and the headers around a block.

use secp256k1::{Message, SECP256K1, SecretKey};
use superroot_chain::ledger::tron::RawTronHeader;
use superroot_proof::finality::producers::ProducerParams;
use superroot_proof::hash::{keccak256, sha256_joined};
use superroot_proof::ledger::tron::Header;

/// Producers of a set.
const PRODUCERS: u64 = 27;
/// Producers per delegated key.
const DELEGATED: u64 = 9;
/// Headers kept: a round, or from the last block before a set over the window, with a round on top, up to a block with a run.
const ROUND: usize = 27;
const KEPT_MAX: usize = 96;

const ADDRESS_MARK: u8 = 0x41;
const SIGNATURE_BYTES: usize = 65;

fn key(name: &str, index: u64) -> SecretKey {
    let seed = format!("superroot simulated, not secret: {name} {index}");
    SecretKey::from_byte_array(sha256_joined(&[seed.as_bytes()]).0).expect("a hash below the order")
}

/// Producer with the key that signs.
#[derive(Debug)]
pub(super) struct SimulatedProducer {
    pub(super) address: [u8; 21],
    key: SecretKey,
}

impl SimulatedProducer {
    /// Producer in turn; one leaves and one comes with each set.
    pub(super) fn in_turn(set: u64, number: u64) -> Self {
        let index = set.saturating_add(number % PRODUCERS);
        let own = key("producer", index);
        let point = own.public_key(SECP256K1).serialize_uncompressed();
        let hash = keccak256(&point[1..]);
        let mut address = [ADDRESS_MARK; 21];
        address[1..].copy_from_slice(&hash.0[12..]);
        let is_delegated = index.is_multiple_of(DELEGATED);
        Self { address, key: if is_delegated { key("delegate", index) } else { own } }
    }

    pub(super) fn sign(&self, header: &[u8]) -> Vec<u8> {
        let message = Message::from_digest(sha256_joined(&[header]).0);
        let signed = SECP256K1.sign_ecdsa_recoverable(message, &self.key);
        let (recovery, bytes) = signed.serialize_compact();
        [&bytes[..], &[u8::try_from(i32::from(recovery)).unwrap_or_default()]].concat()
    }
}

/// Newest headers, as kept from block to block: `(length:u16 ‖ header ‖ signature:65)*`.
#[derive(Debug, Default)]
pub(super) struct KeptHeaders(pub(super) Vec<RawTronHeader>);

impl KeptHeaders {
    pub(super) fn read(mut bytes: &[u8]) -> Self {
        let mut kept = Vec::new();
        while let Some((length, rest)) = bytes.split_first_chunk() {
            let (header, rest) = rest.split_at(u16::from_be_bytes(*length).into());
            let (signature, rest) = rest.split_at(SIGNATURE_BYTES);
            kept.push(RawTronHeader { header: header.to_vec(), signature: signature.to_vec() });
            bytes = rest;
        }
        Self(kept)
    }

    pub(super) fn write(&self) -> Vec<u8> {
        let mut out = Vec::new();
        for RawTronHeader { header, signature } in &self.0 {
            out.extend_from_slice(&u16::try_from(header.len()).unwrap_or_default().to_be_bytes());
            out.extend_from_slice(header);
            out.extend_from_slice(signature);
        }
        out
    }

    /// The newest block's set, whose list makes the next block.
    pub(super) fn set(&self, params: &ProducerParams) -> Option<u64> {
        self.0.last().and_then(|newest| set_of(params, newest))
    }

    /// Place of the last block before the newest set.
    fn begun(&self, params: &ProducerParams) -> Option<usize> {
        self.0.windows(2).rposition(|pair| match pair {
            [one, next] => set_of(params, one) < set_of(params, next),
            _ => false,
        })
    }

    /// Headers for evidence; for a step only with a whole round on top, since the old list's producers are fewer.
    pub(super) fn run(&self, params: &ProducerParams) -> Vec<RawTronHeader> {
        let len = self.0.len();
        let window = 2 + usize::from(params.window_blocks);
        let is_early = self.begun(params).is_some_and(|at| {
            let headers = len - at;
            headers > window && headers < window + ROUND
        });
        let from = if is_early { len.saturating_sub(ROUND) } else { 0 };
        self.0[from..].to_vec()
    }

    /// Drops what neither evidence nor a step needs any longer.
    pub(super) fn shorten(&mut self, params: &ProducerParams, is_used: bool) {
        let begun = self.begun(params);
        let step = 2 + usize::from(params.window_blocks) + ROUND;
        let len = self.0.len();
        let from = match begun {
            Some(at) if len - at < step || !is_used => at.max(len.saturating_sub(KEPT_MAX)),
            _ => len,
        };
        self.0.drain(..from.min(len.saturating_sub(ROUND)));
    }
}

fn set_of(params: &ProducerParams, one: &RawTronHeader) -> Option<u64> {
    let header = Header::decode(&one.header).ok()?;
    params.set_of(header.timestamp_ms / 1_000)
}
