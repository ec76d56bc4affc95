//! Headers under rule 0601: a checkpoint summary in BCS.
//!
//! ```text
//! epoch:u64 ‖ sequence_number:u64 ‖ network_total_transactions:u64 ‖ content_digest
//! ‖ previous_digest? ‖ gas costs of the epoch so far: 4 × u64 ‖ timestamp_ms:u64
//! ‖ checkpoint_commitments ‖ end_of_epoch_data? ‖ version_specific_data
//! ```

use superroot_types::Hash;

use super::checkpoint_digest;
use crate::ledger::LedgerError;
use crate::ledger::bcs::{BcsFields, DIGEST_BYTES};
use crate::ledger::evm::Bloom;
use crate::ledger::form::HeaderForm;
use crate::registry::HashRule;

/// Four eight-byte costs.
pub(super) const GAS_BYTES: usize = 32;
/// Length-prefixed 96-byte key, and a stake.
const MEMBER_BYTES: usize = 105;
/// BLS12-381 G2 key length in bytes.
const KEY_BYTES: usize = 96;

/// Summary read from the digest's preimage.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Header {
    /// Epoch with the signing committee.
    pub epoch: u64,
    /// Checkpoint number.
    pub sequence_number: u64,
    /// Network transactions so far, including this checkpoint.
    pub network_total_transactions: u64,
    /// Contents digest.
    pub content_digest: Hash,
    /// Previous checkpoint digest; `None` in the first.
    pub previous_digest: Option<Hash>,
    /// Milliseconds since 1970, from network consensus.
    pub timestamp_ms: u64,
    /// Whether the checkpoint ends its epoch and names the next committee.
    pub ends_epoch: bool,
}

impl Header {
    /// Reads a whole summary.
    ///
    /// # Errors
    /// [`LedgerError`] naming the field; [`LedgerError::Version`] for an unknown commitment kind.
    pub fn decode(bytes: &[u8]) -> Result<Self, LedgerError> {
        read(bytes).map(|(header, _)| header)
    }
}

/// Members of the next committee in BCS, as a summary that ends its epoch has them; `None` in any other.
#[cfg(feature = "finality")]
pub(crate) fn next_committee(summary: &[u8]) -> Option<&[u8]> {
    read(summary).ok()?.1
}

fn read(bytes: &[u8]) -> Result<(Header, Option<&[u8]>), LedgerError> {
    let mut fields = BcsFields::new(bytes);
    let epoch = fields.u64("epoch")?;
    let sequence_number = fields.u64("sequence_number")?;
    let network_total_transactions = fields.u64("network_total_transactions")?;
    let content_digest = fields.digest("content_digest")?;
    let previous_digest = fields.optional_digest("previous_digest")?;
    fields.skip(GAS_BYTES, "epoch_rolling_gas_cost_summary")?;
    let timestamp_ms = fields.u64("timestamp_ms")?;
    commitments(&mut fields, "checkpoint_commitments")?;
    let ends_epoch = fields.flag("end_of_epoch_data")?;
    let mut members = None;
    if ends_epoch {
        let begun = fields.rest();
        let member = "next_epoch_committee";
        for _ in 0..fields.count(member, MEMBER_BYTES)? {
            if fields.bytes(member)?.len() != KEY_BYTES {
                return Err(LedgerError::Field { field: member });
            }
            fields.u64(member)?;
        }
        let length = begun.len().saturating_sub(fields.rest().len());
        members = begun.get(..length);
        fields.u64("next_epoch_protocol_version")?;
        commitments(&mut fields, "epoch_commitments")?;
    }
    fields.bytes("version_specific_data")?;
    fields.end("summary")?;
    if previous_digest.is_none() != (sequence_number == 0) {
        return Err(LedgerError::Field { field: "previous_digest" });
    }
    let header = Header {
        epoch,
        sequence_number,
        network_total_transactions,
        content_digest,
        previous_digest,
        timestamp_ms,
        ends_epoch,
    };
    Ok((header, members))
}

/// Skips digests over live objects or checkpoint artifacts.
fn commitments(fields: &mut BcsFields<'_>, field: &'static str) -> Result<(), LedgerError> {
    for _ in 0..fields.count(field, DIGEST_BYTES)? {
        match fields.number(field)? {
            0 | 1 => drop(fields.digest(field)?),
            got => return Err(LedgerError::Version { what: "commitment of a checkpoint", got }),
        }
    }
    Ok(())
}

impl HeaderForm for Header {
    fn decode(_: HashRule, bytes: &[u8]) -> Result<Self, LedgerError> {
        Self::decode(bytes)
    }

    fn hash(_: HashRule, bytes: &[u8]) -> Result<Hash, LedgerError> {
        Ok(checkpoint_digest(bytes))
    }

    /// Zeros before the first checkpoint, without a parent.
    fn parent_hash(&self) -> Option<Hash> {
        Some(self.previous_digest.unwrap_or(Hash::ZERO))
    }

    fn timestamp(&self) -> Option<u64> {
        Some(self.timestamp_ms / 1_000)
    }

    fn number(&self) -> Option<u64> {
        Some(self.sequence_number)
    }

    fn check_chain(&self, _: &str) -> Result<(), LedgerError> {
        Ok(())
    }

    fn transactions_root(&self) -> Option<Hash> {
        Some(self.content_digest)
    }

    fn receipts_root(&self) -> Option<Hash> {
        None
    }

    fn logs_bloom(&self) -> Option<&Bloom> {
        None
    }
}
