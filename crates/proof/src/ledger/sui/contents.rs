//! The contents of a checkpoint: which transactions it has, and what came of each, as digests.
//!
//! ```text
//! V1  00 ‖ (transaction ‖ effects)* ‖ ((signature)*)*                   two lists of one length
//! V2  01 ‖ (transaction ‖ effects ‖ (signature ‖ version:u64?)*)*
//! ```

use alloc::vec::Vec;

use superroot_types::Hash;

use super::contents_digest;
use crate::ledger::LedgerError;
use crate::ledger::bcs::{DIGEST_BYTES, Fields};

/// Most bytes of a transaction, of its effects or of its events: the network allows 128 KiB, 512 KiB
/// and less than 8 MiB.
pub const TRANSACTION_BYTES_MAX: usize = 8 << 20;

/// Both digests of a transaction.
const LISTED_BYTES: usize = 2 * DIGEST_BYTES;

/// A transaction of a checkpoint.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Listed {
    /// Digest of the transaction.
    pub transaction: Hash,
    /// Digest of its effects.
    pub effects: Hash,
}

/// The contents, read. What users signed is walked over: a node has checked it, and its form is
/// that of the wallet.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Contents {
    /// Digest of the bytes.
    pub digest: Hash,
    /// The transactions, in the order of the checkpoint.
    pub listed: Vec<Listed>,
}

impl Contents {
    /// Reads contents, whole.
    ///
    /// # Errors
    /// [`LedgerError`] naming the field; [`LedgerError::Version`] for a version other than V1 and V2.
    pub fn decode(bytes: &[u8]) -> Result<Self, LedgerError> {
        let mut fields = Fields::new(bytes);
        let listed = match fields.number("contents")? {
            0 => v1(&mut fields)?,
            1 => v2(&mut fields)?,
            got => return Err(LedgerError::Version { what: "checkpoint contents", got }),
        };
        fields.end("contents")?;
        Ok(Self { digest: contents_digest(bytes), listed })
    }

    /// Transactions of the checkpoint.
    #[must_use]
    pub fn tx_count(&self) -> u32 {
        u32::try_from(self.listed.len()).unwrap_or(u32::MAX)
    }

    /// The transaction at a position.
    #[must_use]
    pub fn at(&self, tx_index: u32) -> Option<Listed> {
        usize::try_from(tx_index).ok().and_then(|at| self.listed.get(at)).copied()
    }
}

fn v1(fields: &mut Fields<'_>) -> Result<Vec<Listed>, LedgerError> {
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

fn v2(fields: &mut Fields<'_>) -> Result<Vec<Listed>, LedgerError> {
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

fn digests(fields: &mut Fields<'_>) -> Result<Listed, LedgerError> {
    let transaction = fields.digest("transaction digest")?;
    Ok(Listed { transaction, effects: fields.digest("effects digest")? })
}
