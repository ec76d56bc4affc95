//! Committees of simulated networks, whose keys everybody knows.

use blst::min_sig::SecretKey;
use superroot_proof::finality::checkpoint::{Certificate, DOMAIN, INTENT};

/// Stakes of the members; the first has a quorum alone.
const STAKES: [u64; 4] = [7_000, 1_000, 1_000, 1_000];
/// Bitmap of the first member alone, as Roaring bitmaps are serialized: one array of one position.
const FIRST: [u8; 18] = [0x3a, 0x30, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 16, 0, 0, 0, 0, 0];

/// A simulated epoch's committee: key length, key and stake of each member, after their count.
#[must_use]
pub fn simulated_members(epoch: u64) -> Vec<u8> {
    let mut bytes = vec![u8::try_from(STAKES.len()).unwrap_or(0)];
    for (index, stake) in STAKES.iter().enumerate() {
        let key = key(epoch, index).map_or([0; 96], |key| key.sk_to_pk().compress());
        bytes.push(96);
        bytes.extend(key);
        bytes.extend(stake.to_le_bytes());
    }
    bytes
}

/// Certificate of a summary by the simulated committee of its epoch.
#[must_use]
pub fn sign_summary(summary: &[u8], epoch: u64) -> Option<Certificate> {
    let message = [&INTENT[..], summary, &epoch.to_le_bytes()].concat();
    let signature = key(epoch, 0)?.sign(&message, DOMAIN, &[]).compress().to_vec();
    Some(Certificate { epoch, signature, signers: FIRST.to_vec() })
}

fn key(epoch: u64, index: usize) -> Option<SecretKey> {
    let seed = format!("superroot simulated, not secret: member {index} of epoch {epoch}");
    SecretKey::key_gen(seed.as_bytes(), &[]).ok()
}
