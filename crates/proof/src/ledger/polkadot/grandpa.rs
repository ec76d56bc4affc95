//! GRANDPA in headers and votes, and BABE's slot. Sources: paritytech/polkadot-sdk `sp-consensus-grandpa` `lib.rs`
//! (`ConsensusLog`, `localized_payload`), `pallet-grandpa` `lib.rs` (`on_finalize`), `sp-consensus-babe` `digests.rs`
//! (`PreDigest`); paritytech/finality-grandpa `lib.rs` (`Message`).

use alloc::vec::Vec;

use superroot_types::Hash;

use super::header::Header;
use super::scale::{compact, read_bytes, read_compact};
use crate::codec::ByteReader;
use crate::ledger::LedgerError;

/// Bytes of an Ed25519 key.
pub const AUTHORITY_KEY_BYTES: usize = 32;

const CONSENSUS: u8 = 4;
const PRE_RUNTIME: u8 = 6;
const GRANDPA: [u8; 4] = *b"FRNK";
const BABE: [u8; 4] = *b"BABE";
/// `ConsensusLog`: a scheduled and a forced change; a disabled authority, a pause, a resumption.
const SCHEDULED: u8 = 1;
const FORCED: u8 = 2;
const OTHERS: core::ops::RangeInclusive<u8> = 3..=5;
/// `PreDigest`: primary, secondary plain, secondary with VRF.
const PRE_DIGESTS: core::ops::RangeInclusive<u8> = 1..=3;
/// `Message::Precommit`.
const PRECOMMIT: u8 = 1;

/// Voter with an Ed25519 key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GrandpaAuthority {
    /// Public key.
    pub key: [u8; AUTHORITY_KEY_BYTES],
    /// Weight of a vote; 1 on Polkadot.
    pub weight: u64,
}

/// Change of authorities in a header.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum AuthorityChange {
    /// By the authorities before.
    Scheduled {
        /// Next authorities.
        next: Vec<GrandpaAuthority>,
        /// Blocks until the change; 0 for a change behind this block.
        delay: u32,
    },
    /// Without the authorities before.
    Forced,
}

impl Header {
    /// Slot from BABE's first pre-runtime item.
    #[must_use]
    pub fn babe_slot(&self) -> Option<u64> {
        let item = self.digest.iter().find_map(|item| engine_item(item, PRE_RUNTIME, BABE))?;
        let mut reader = ByteReader::new(item);
        reader.u8().filter(|form| PRE_DIGESTS.contains(form))?;
        reader.bytes(4)?;
        little_endian(&mut reader).map(u64::from_le_bytes)
    }

    /// Change of GRANDPA's authorities, if any.
    ///
    /// # Errors
    /// [`LedgerError::Field`] for an unreadable item or two changes.
    pub fn authority_change(&self) -> Result<Option<AuthorityChange>, LedgerError> {
        let unread = LedgerError::Field { field: "digest of GRANDPA" };
        let mut found = None;
        for item in self.digest.iter().filter_map(|item| engine_item(item, CONSENSUS, GRANDPA)) {
            let change = match item.split_first() {
                Some((&SCHEDULED, change)) => scheduled(change).ok_or(unread.clone())?,
                Some((&FORCED, _)) => AuthorityChange::Forced,
                Some((other, _)) if OTHERS.contains(other) => continue,
                _ => return Err(unread),
            };
            if found.replace(change).is_some() {
                return Err(unread);
            }
        }
        Ok(found)
    }
}

/// Content of a digest item of this kind and engine.
fn engine_item(item: &[u8], kind: u8, engine: [u8; 4]) -> Option<&[u8]> {
    let mut reader = ByteReader::new(item);
    reader.u8().filter(|got| *got == kind)?;
    reader.bytes(4).filter(|got| *got == engine)?;
    read_bytes(&mut reader)
}

fn scheduled(change: &[u8]) -> Option<AuthorityChange> {
    let mut reader = ByteReader::new(change);
    let next = authorities(&mut reader)?;
    let delay = little_endian(&mut reader).map(u32::from_le_bytes)?;
    reader.is_empty().then_some(AuthorityChange::Scheduled { next, delay })
}

fn authorities(reader: &mut ByteReader<'_>) -> Option<Vec<GrandpaAuthority>> {
    let count = read_compact(reader)?;
    let mut list = Vec::new(); // grows with what is really there, not with what is claimed
    for _ in 0..count {
        let key = little_endian(reader)?;
        let weight = little_endian(reader).map(u64::from_le_bytes)?;
        list.push(GrandpaAuthority { key, weight });
    }
    Some(list)
}

pub(super) fn little_endian<const N: usize>(reader: &mut ByteReader<'_>) -> Option<[u8; N]> {
    reader.bytes(N)?.try_into().ok()
}

/// Reads an authority list in SCALE, as in the runtime's answer to `GrandpaApi_grandpa_authorities`.
#[must_use]
pub fn decode_authorities(bytes: &[u8]) -> Option<Vec<GrandpaAuthority>> {
    let mut reader = ByteReader::new(bytes);
    authorities(&mut reader).filter(|_| reader.is_empty())
}

/// Authority list in SCALE.
#[must_use]
pub fn encode_authorities(list: &[GrandpaAuthority]) -> Vec<u8> {
    let mut out = compact(u64::try_from(list.len()).unwrap_or(u64::MAX));
    for GrandpaAuthority { key, weight } in list {
        out.extend_from_slice(key);
        out.extend_from_slice(&weight.to_le_bytes());
    }
    out
}

/// Digest item for a change behind the block.
#[must_use]
pub fn scheduled_change_item(next: &[GrandpaAuthority]) -> Vec<u8> {
    let mut change = alloc::vec![SCHEDULED];
    change.extend(encode_authorities(next));
    change.extend_from_slice(&0_u32.to_le_bytes());
    written_item(CONSENSUS, GRANDPA, &change)
}

/// Digest item with a slot, without VRF.
#[must_use]
pub fn babe_slot_item(authority_index: u32, slot: u64) -> Vec<u8> {
    let mut pre = alloc::vec![2];
    pre.extend_from_slice(&authority_index.to_le_bytes());
    pre.extend_from_slice(&slot.to_le_bytes());
    written_item(PRE_RUNTIME, BABE, &pre)
}

fn written_item(kind: u8, engine: [u8; 4], content: &[u8]) -> Vec<u8> {
    let mut out = alloc::vec![kind];
    out.extend_from_slice(&engine);
    out.extend(compact(u64::try_from(content.len()).unwrap_or(u64::MAX)));
    out.extend_from_slice(content);
    out
}

/// Signed bytes of a precommit for a block, by round and set.
#[must_use]
pub fn precommit_bytes(hash: &Hash, number: u32, round: u64, set: u64) -> Vec<u8> {
    let mut out = alloc::vec![PRECOMMIT];
    out.extend_from_slice(&hash.0);
    out.extend_from_slice(&number.to_le_bytes());
    out.extend_from_slice(&round.to_le_bytes());
    out.extend_from_slice(&set.to_le_bytes());
    out
}
