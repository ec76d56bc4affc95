//! Epoch validators, and the signature check for checkpoints.
//!
//! Source: MystenLabs/sui-rust-sdk `sui-crypto` 0.4 (`bls12381.rs`), `sui-sdk-types` (`signing_message`).

use alloc::vec::Vec;

use superroot_types::Hash;

use crate::codec::ByteReader;
use crate::finality::bls::{StakeKey, is_signed_by_stake};
use crate::finality::quorum::least_above_two_thirds;
use crate::hash::sha256_joined;

/// SetSignature intent: a summary, version 0, application Sui.
pub const INTENT: [u8; 3] = [2, 0, 0];
const MEMBERS_MAX: usize = 1_000;
/// Bytes per member: key length, key, stake.
const MEMBER_BYTES: usize = 1 + KEY_BYTES + 8;
const KEY_BYTES: usize = 96;
/// Most bytes in a bitmap of all members.
const SIGNERS_BYTES_MAX: usize = 4 << 10;

/// What a committee signed with.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Certificate {
    /// The committee's epoch.
    pub epoch: u64,
    /// Aggregated BLS12-381 signature, compressed in G1: 48 bytes.
    pub signature: Vec<u8>,
    /// Signer positions, as a serialized Roaring bitmap.
    pub signers: Vec<u8>,
}

/// Validators with stakes, for one epoch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Committee {
    /// Epoch.
    pub epoch: u64,
    bytes: Vec<u8>,
    members: Vec<(StakeKey, u64)>,
    total_stake: u64,
}

/// Reason why a certificate does not show the committee's signature.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum QuorumFault {
    /// Another epoch.
    #[error("one of epoch {got}, where the committee is of {expected}")]
    Epoch {
        /// The certificate's epoch.
        got: u64,
        /// The committee's epoch.
        expected: u64,
    },
    /// Invalid list of signers.
    #[error("one whose bitmap of signers cannot be read, or names one past the {members} members")]
    Signers {
        /// The committee's members.
        members: usize,
    },
    /// Signers have too little stake.
    #[error("one of signers with {got} of the stake, where {expected} is needed")]
    Stake {
        /// Stake of the signers.
        got: u64,
        /// Least stake.
        expected: u64,
    },
    /// Signature of other keys, or over another summary.
    #[error("one that does not hold")]
    Signature,
}

impl Committee {
    /// Bytes, for [`Committee::read`].
    #[must_use]
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// SHA-256 of the bytes.
    #[must_use]
    pub fn id(&self) -> Hash {
        sha256_joined(&[&self.bytes])
    }

    /// All stake.
    #[must_use]
    pub const fn total_stake(&self) -> u64 {
        self.total_stake
    }

    /// Reads `ValidatorCommittee` in BCS: epoch, and members with keys and stakes. `None` for other bytes, an invalid
    /// key, or a committee without stake.
    #[must_use]
    pub fn read(bytes: &[u8]) -> Option<Self> {
        let (epoch, mut rest) = bytes.split_first_chunk::<8>()?;
        let (first, after) = rest.split_first()?;
        let mut count = usize::from(first & 0x7f);
        rest = after;
        if first & 0x80 != 0 {
            // two bytes at most, and a last byte of zero adds nothing
            let (second, after) = rest.split_first()?;
            let high = Some(*second).filter(|byte| (1..0x80).contains(byte))?;
            count |= usize::from(high) << 7;
            rest = after;
        }
        let is_whole = rest.len() == count.checked_mul(MEMBER_BYTES)?;
        if !is_whole || count == 0 || count > MEMBERS_MAX {
            return None;
        }
        let members = rest.chunks_exact(MEMBER_BYTES).map(|member| {
            let (length, rest) = member.split_first()?;
            let (key, stake) = rest.split_at_checked(KEY_BYTES)?;
            let key = StakeKey::validated(key).filter(|_| usize::from(*length) == KEY_BYTES);
            Some((key?, u64::from_le_bytes(stake.try_into().ok()?)))
        });
        let members: Vec<_> = members.collect::<Option<_>>()?;
        let total = members.iter().try_fold(0_u64, |total, (_, stake)| total.checked_add(*stake));
        let total_stake = total.filter(|total| *total > 0)?;
        let epoch = u64::from_le_bytes(*epoch);
        Some(Self { epoch, bytes: bytes.to_vec(), members, total_stake })
    }

    /// Required stake: more than two thirds, as counted by the network.
    #[must_use]
    pub const fn quorum_stake(&self) -> u64 {
        least_above_two_thirds(self.total_stake)
    }

    /// Checks that enough stake signed the summary.
    ///
    /// # Errors
    /// [`QuorumFault`].
    pub fn check(&self, summary: &[u8], certificate: &Certificate) -> Result<(), QuorumFault> {
        let Certificate { epoch, signature, signers } = certificate;
        if *epoch != self.epoch {
            return Err(QuorumFault::Epoch { got: *epoch, expected: self.epoch });
        }
        let members = self.members.len();
        let unread = || QuorumFault::Signers { members };
        if signers.len() > SIGNERS_BYTES_MAX {
            return Err(unread());
        }
        let bitmap = positions(signers).ok_or_else(unread)?;
        let mut stake = 0_u64;
        let mut keys = Vec::new();
        for position in bitmap {
            let member = self.members.get(usize::from(position));
            let (key, its_stake) = member.ok_or_else(unread)?;
            stake = stake.saturating_add(*its_stake);
            keys.push(key);
        }
        let expected = self.quorum_stake();
        if stake < expected {
            return Err(QuorumFault::Stake { got: stake, expected });
        }
        let message = [&INTENT[..], summary, &epoch.to_le_bytes()].concat();
        let is_signed = is_signed_by_stake(keys.into_iter(), &message, signature);
        is_signed.then_some(()).ok_or(QuorumFault::Signature)
    }
}

/// Positions of a Roaring bitmap below 65,536, rising, as the format writes at most 4,096 of them: one array container
/// (RoaringFormatSpec, "cookie header" without runs). `None` for any other bytes.
fn positions(bitmap: &[u8]) -> Option<Vec<u16>> {
    let mut reader = ByteReader::new(bitmap);
    if bitmap == [NO_RUNS.to_be_bytes(), [0; 4]].concat() {
        return Some(Vec::new());
    }
    let header = [NO_RUNS.to_be_bytes(), 1_u32.to_le_bytes()].concat();
    if reader.bytes(header.len())? != header || reader.u16()? != 0 {
        return None;
    }
    let count = usize::from(reader.u16()?.swap_bytes()).checked_add(1)?;
    if count > ARRAY_MAX || reader.u32()? != OFFSET.swap_bytes() {
        return None;
    }
    let mut positions: Vec<u16> = Vec::new();
    for _ in 0..count {
        let position = reader.u16()?.swap_bytes();
        if positions.last().is_some_and(|last| *last >= position) {
            return None;
        }
        positions.push(position);
    }
    reader.is_empty().then_some(positions)
}

/// Cookie of a bitmap without run containers, 12346 in little-endian order.
const NO_RUNS: u32 = 0x3a30_0000;
/// Most positions of an array container.
const ARRAY_MAX: usize = 4_096;
/// The first container's place: behind cookie, count, key, cardinality and offset.
const OFFSET: u32 = 16;
