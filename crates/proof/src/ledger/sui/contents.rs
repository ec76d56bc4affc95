//! Checkpoint contents: transaction and effects digests.
//!
//! ```text
//! V1  00 ‖ (transaction ‖ effects)* ‖ ((signature)*)*                   two lists of one length
//! V2  01 ‖ (transaction ‖ effects ‖ (signature ‖ version:u64?)*)*
//! ```

use alloc::vec::Vec;

use superroot_types::Hash;

use super::contents_digest;
use crate::ledger::LedgerError;
use crate::ledger::bcs::{BcsFields, DIGEST_BYTES};

/// Most bytes in a transaction, its effects or its events: the network allows 128 KiB, 512 KiB and less than 8 MiB.
pub const TRANSACTION_BYTES_MAX: usize = 8 << 20;

/// Transaction and effects digests.
const LISTED_BYTES: usize = 2 * DIGEST_BYTES;

/// Checkpoint transaction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CheckpointTransaction {
    /// Transaction digest.
    pub transaction: Hash,
    /// Effects digest.
    pub effects: Hash,
}

/// Decoded contents. User signatures are skipped: a node has checked them, and their form depends on the wallet.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Contents {
    /// Contents digest.
    pub digest: Hash,
    /// Transactions in checkpoint order.
    pub listed: Vec<CheckpointTransaction>,
}

impl Contents {
    /// Reads whole contents.
    ///
    /// # Errors
    /// [`LedgerError`] naming the field; [`LedgerError::Version`] for a version other than V1 and V2.
    pub fn decode(bytes: &[u8]) -> Result<Self, LedgerError> {
        let mut fields = BcsFields::new(bytes);
        let listed = match fields.number("contents")? {
            0 => v1(&mut fields)?,
            1 => v2(&mut fields)?,
            got => return Err(LedgerError::Version { what: "checkpoint contents", got }),
        };
        fields.end("contents")?;
        Ok(Self { digest: contents_digest(bytes), listed })
    }

    /// Transaction count.
    #[must_use]
    pub fn tx_count(&self) -> u32 {
        u32::try_from(self.listed.len()).unwrap_or(u32::MAX)
    }

    /// Transaction at a position.
    #[must_use]
    pub fn at(&self, tx_index: u32) -> Option<CheckpointTransaction> {
        usize::try_from(tx_index).ok().and_then(|at| self.listed.get(at)).copied()
    }
}

fn v1(fields: &mut BcsFields<'_>) -> Result<Vec<CheckpointTransaction>, LedgerError> {
    let count = fields.count("transactions", LISTED_BYTES)?;
    let listed = (0..count).map(|_| digests(fields)).collect::<Result<Vec<_>, _>>()?;
    let field = "user_signatures";
    if fields.count(field, 1)? != count {
        return Err(LedgerError::Field { field });
    }
    for _ in 0..count {
        for _ in 0..fields.count(field, 1)? {
            fields.bytes(field)?;
        }
    }
    Ok(listed)
}

fn v2(fields: &mut BcsFields<'_>) -> Result<Vec<CheckpointTransaction>, LedgerError> {
    let field = "user_signatures";
    let count = fields.count("transactions", LISTED_BYTES)?;
    let transaction = |_| {
        let listed = digests(fields)?;
        for _ in 0..fields.count(field, 2)? {
            fields.bytes(field)?;
            if fields.flag(field)? {
                fields.u64(field)?;
            }
        }
        Ok(listed)
    };
    (0..count).map(transaction).collect()
}

fn digests(fields: &mut BcsFields<'_>) -> Result<CheckpointTransaction, LedgerError> {
    let transaction = fields.digest("transaction digest")?;
    Ok(CheckpointTransaction { transaction, effects: fields.digest("effects digest")? })
}
