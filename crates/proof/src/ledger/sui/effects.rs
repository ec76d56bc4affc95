//! What came of a transaction: as much of its effects as leads to the digest of its events.
//!
//! ```text
//! V1  00 ‖ status ‖ epoch:u64 ‖ gas ‖ modified_at* ‖ shared* ‖ transaction ‖ created* ‖ mutated*
//!        ‖ unwrapped* ‖ deleted* ‖ unwrapped_then_deleted* ‖ wrapped* ‖ gas_object ‖ events? ‖ ..
//! V2  01 ‖ status ‖ epoch:u64 ‖ gas ‖ transaction ‖ gas_object:u32? ‖ events? ‖ ..
//! status  00 success | 01 failure, with what went wrong
//! ```
//! A failed transaction leaves no events: what it emitted is undone with all else. So nothing past the
//! status is read of it, and what went wrong may be of a kind that is not known here.

use superroot_types::Hash;

use super::summary::GAS_BYTES;
use crate::ledger::LedgerError;
use crate::ledger::bcs::{DIGEST_BYTES, Fields};

/// An id of 32 bytes, a version, and a digest.
const REFERENCE_BYTES: usize = 32 + 8 + DIGEST_BYTES;
/// An id and a version.
const MODIFIED_BYTES: usize = 40;

/// What effects say of a transaction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Effects {
    /// Whether it was executed to its end.
    pub is_success: bool,
    /// Digest of its events; `None` where it has none.
    pub events_digest: Option<Hash>,
}

impl Effects {
    /// Reads them from their beginning. That all bytes are as they were written, their digest shows.
    ///
    /// # Errors
    /// [`LedgerError`] naming the field; [`LedgerError::Version`] for a version other than V1 and V2,
    /// and for an owner of a kind that is not known here.
    pub fn decode(bytes: &[u8]) -> Result<Self, LedgerError> {
        let mut fields = Fields::new(bytes);
        let version = fields.number("effects")?;
        if version > 1 {
            return Err(LedgerError::Version { what: "transaction effects", got: version });
        }
        if fields.flag("status")? {
            return Ok(Self { is_success: false, events_digest: None });
        }
        fields.u64("epoch")?;
        fields.skip(GAS_BYTES, "gas_used")?;
        if version == 0 {
            objects_of_v1(&mut fields)?;
        } else {
            fields.digest("transaction_digest")?;
            if fields.flag("gas_object_index")? {
                fields.skip(4, "gas_object_index")?;
            }
        }
        let events_digest = fields.optional_digest("events_digest")?;
        Ok(Self { is_success: true, events_digest })
    }
}

/// Walks over the lists of objects, which stand before the events.
fn objects_of_v1(fields: &mut Fields<'_>) -> Result<(), LedgerError> {
    list(fields, "modified_at_versions", MODIFIED_BYTES, |_| Ok(()))?;
    list(fields, "consensus_objects", REFERENCE_BYTES, |_| Ok(()))?;
    fields.digest("transaction_digest")?;
    for field in ["created", "mutated", "unwrapped"] {
        list(fields, field, REFERENCE_BYTES, owner)?;
    }
    for field in ["deleted", "unwrapped_then_deleted", "wrapped"] {
        list(fields, field, REFERENCE_BYTES, |_| Ok(()))?;
    }
    fields.skip(REFERENCE_BYTES, "gas_object")?;
    owner(fields)
}

/// A list of items that begin with so many bytes.
fn list(
    fields: &mut Fields<'_>,
    field: &'static str,
    item_bytes: usize,
    mut rest: impl FnMut(&mut Fields<'_>) -> Result<(), LedgerError>,
) -> Result<(), LedgerError> {
    for _ in 0..fields.count(field, item_bytes)? {
        fields.skip(item_bytes, field)?;
        rest(fields)?;
    }
    Ok(())
}

/// Who owns an object: an address, an object, everybody from a version on, nobody, or an address by
/// way of consensus.
fn owner(fields: &mut Fields<'_>) -> Result<(), LedgerError> {
    let field = "owner";
    match fields.number(field)? {
        0 | 1 => fields.skip(32, field),
        2 => fields.skip(8, field),
        3 => Ok(()),
        4 => fields.skip(40, field),
        got => Err(LedgerError::Version { what: "owner of an object", got }),
    }
}
