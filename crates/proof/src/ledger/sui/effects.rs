//! Transaction effects, read as far as the events digest.
//!
//! ```text
//! V1  00 ‖ status ‖ epoch:u64 ‖ gas ‖ modified_at* ‖ shared* ‖ transaction ‖ created* ‖ mutated*
//!        ‖ unwrapped* ‖ deleted* ‖ unwrapped_then_deleted* ‖ wrapped* ‖ gas_object ‖ events? ‖ ..
//! V2  01 ‖ status ‖ epoch:u64 ‖ gas ‖ transaction ‖ gas_object:u32? ‖ events? ‖ ..
//! status  00 success | 01 failure, with what went wrong
//! ```
//! A failed transaction leaves no events: everything emitted is undone. So nothing after the status is read, and the
//! failure kind may be unknown.

use superroot_types::Hash;

use super::summary::GAS_BYTES;
use crate::ledger::LedgerError;
use crate::ledger::bcs::{BcsFields, DIGEST_BYTES};

/// Object reference: a 32-byte id, a version and a digest.
const REFERENCE_BYTES: usize = 32 + 8 + DIGEST_BYTES;
/// Id and version.
const MODIFIED_BYTES: usize = 40;

/// Decoded effects.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Effects {
    /// Whether execution completed.
    pub is_success: bool,
    /// Events digest; `None` without events.
    pub events_digest: Option<Hash>,
}

impl Effects {
    /// Reads effects from the beginning; the digest covers all bytes.
    ///
    /// # Errors
    /// [`LedgerError`] naming the field; [`LedgerError::Version`] for a version other than V1 and V2, or an unknown
    /// owner kind.
    pub fn decode(bytes: &[u8]) -> Result<Self, LedgerError> {
        let mut fields = BcsFields::new(bytes);
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

fn objects_of_v1(fields: &mut BcsFields<'_>) -> Result<(), LedgerError> {
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

/// Skips a list of items that begin with a fixed number of bytes.
fn list(
    fields: &mut BcsFields<'_>,
    field: &'static str,
    item_bytes: usize,
    mut rest: impl FnMut(&mut BcsFields<'_>) -> Result<(), LedgerError>,
) -> Result<(), LedgerError> {
    for _ in 0..fields.count(field, item_bytes)? {
        fields.skip(item_bytes, field)?;
        rest(fields)?;
    }
    Ok(())
}

/// Skips an object owner: an address, an object, shared from a version on, immutable, or an address through consensus.
fn owner(fields: &mut BcsFields<'_>) -> Result<(), LedgerError> {
    let field = "owner";
    match fields.number(field)? {
        0 | 1 => fields.skip(32, field),
        2 => fields.skip(8, field),
        3 => Ok(()),
        4 => fields.skip(40, field),
        got => Err(LedgerError::Version { what: "owner of an object", got }),
    }
}
