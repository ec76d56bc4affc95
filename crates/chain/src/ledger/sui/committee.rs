//! Epoch validators, and the signature check for checkpoints.
//!
//! Source: MystenLabs/sui-rust-sdk `sui-crypto` 0.4 (`bls12381.rs`), `sui-sdk-types` (`signing_message`).

use blst::BLST_ERROR;
use blst::min_sig::{AggregatePublicKey, PublicKey, Signature};
use roaring::RoaringBitmap;

use super::raw::Certificate;

/// Ciphersuite of network signatures: in G1, keys in G2, key possession shown elsewhere.
const DOMAIN: &[u8] = b"BLS_SIG_BLS12381G1_XMD:SHA-256_SSWU_RO_NUL_";
/// Signed intent: a summary, version 0, application Sui.
const INTENT: [u8; 3] = [2, 0, 0];
const MEMBERS_MAX: usize = 1_000;
/// Bytes per member: key length, key, stake.
const MEMBER_BYTES: usize = 1 + KEY_BYTES + 8;
const KEY_BYTES: usize = 96;
/// Most bytes in a bitmap of all members.
const SIGNERS_BYTES_MAX: usize = 4 << 10;

/// Validators with stakes, for one epoch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Committee {
    pub epoch: u64,
    members: Vec<(PublicKey, u64)>,
    total_stake: u64,
}

/// Reason why a certificate does not show the committee's signature.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum QuorumFault {
    #[error("one of epoch {got}, where the committee is of {expected}")]
    Epoch { got: u64, expected: u64 },
    /// Invalid list of signers.
    #[error("one whose bitmap of signers cannot be read, or names one past the {members} members")]
    Signers { members: usize },
    /// Signers have too little stake.
    #[error("one of signers with {got} of the stake, where {expected} is needed")]
    Stake { got: u64, expected: u64 },
    /// Signature of other keys, or over another summary.
    #[error("one that does not hold")]
    Signature,
}

impl Committee {
    /// Reads `ValidatorCommittee` in BCS: epoch, and members with keys and stakes. `None` for other bytes, an invalid
    /// key, or a committee without stake.
    #[must_use]
    pub fn read(bytes: &[u8]) -> Option<Self> {
        let (epoch, mut rest) = bytes.split_first_chunk()?;
        let mut count = 0_usize;
        for shift in [0, 7] {
            let (byte, after) = rest.split_first()?;
            rest = after;
            count |= usize::from(byte & 0x7f) << shift;
            if byte & 0x80 == 0 {
                break;
            }
        }
        let is_whole = rest.len() == count.checked_mul(MEMBER_BYTES)?;
        if !is_whole || count == 0 || count > MEMBERS_MAX {
            return None;
        }
        let members = rest.chunks_exact(MEMBER_BYTES).map(|member| {
            let (length, rest) = member.split_first()?;
            let (key, stake) = rest.split_at_checked(KEY_BYTES)?;
            let key =
                PublicKey::key_validate(key).ok().filter(|_| usize::from(*length) == KEY_BYTES);
            Some((key?, u64::from_le_bytes(stake.try_into().ok()?)))
        });
        let members: Vec<_> = members.collect::<Option<_>>()?;
        let total = members.iter().try_fold(0_u64, |total, (_, stake)| total.checked_add(*stake));
        let total_stake = total.filter(|total| *total > 0)?;
        Some(Self { epoch: u64::from_le_bytes(*epoch), members, total_stake })
    }

    /// Required stake: more than two thirds, as counted by the network.
    #[must_use]
    pub const fn quorum_stake(&self) -> u64 {
        // of a total above 0 neither can be past the total
        (self.total_stake.saturating_sub(1) / 3).saturating_mul(2).saturating_add(1)
    }

    /// Checks that enough stake signed the summary.
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
        let bitmap = RoaringBitmap::deserialize_from(&signers[..]).map_err(|_| unread())?;
        let mut stake = 0_u64;
        let mut keys = None::<AggregatePublicKey>;
        for position in bitmap {
            let member = usize::try_from(position).ok().and_then(|at| self.members.get(at));
            let (key, its_stake) = member.ok_or_else(unread)?;
            stake = stake.saturating_add(*its_stake);
            match &mut keys {
                None => keys = Some(AggregatePublicKey::from_public_key(key)),
                // checked when the committee was read
                Some(keys) => {
                    keys.add_public_key(key, false).map_err(|_| QuorumFault::Signature)?
                }
            }
        }
        let expected = self.quorum_stake();
        let Some(keys) = keys.filter(|_| stake >= expected) else {
            return Err(QuorumFault::Stake { got: stake, expected });
        };
        let message = [&INTENT[..], summary, &epoch.to_le_bytes()].concat();
        let signature = Signature::sig_validate(signature, true);
        let signature = signature.map_err(|_| QuorumFault::Signature)?;
        match signature.verify(true, &message, DOMAIN, &[], &keys.to_public_key(), false) {
            BLST_ERROR::BLST_SUCCESS => Ok(()),
            _ => Err(QuorumFault::Signature),
        }
    }
}
