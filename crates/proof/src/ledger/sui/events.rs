//! Events of a transaction: what Move code emitted, each under its type.
//!
//! ```text
//! events  event*
//! event   package:32 ‖ module ‖ sender:32 ‖ struct ‖ contents
//! ```
//! The type is written as in `move_type`.

use alloc::string::String;
use alloc::vec::Vec;

use superroot_types::Hash;

use crate::ledger::LedgerError;
use crate::ledger::bcs::Fields;
use crate::ledger::move_type::{identifier, structure};

/// The shortest event: two addresses, two names of one byte and a third, no types, no contents.
const EVENT_BYTES_MIN: usize = 32 + 2 + 32 + 32 + 2 + 2 + 1 + 1;

/// An event.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Event {
    /// Package whose function was called.
    pub package: Hash,
    /// Its module.
    pub module: String,
    /// Who sent the transaction.
    pub sender: Hash,
    /// Its type as Move writes it, addresses in full: `0x00..02::coin::Minted<0x00..02::sui::SUI>`.
    pub type_name: String,
    /// The value of that type, in BCS.
    pub contents: Vec<u8>,
}

/// Reads the events of a transaction, whole.
///
/// # Errors
/// [`LedgerError`] naming the field; [`LedgerError::Version`] for a type that is not known here.
pub fn read_events(bytes: &[u8]) -> Result<Vec<Event>, LedgerError> {
    let mut fields = Fields::new(bytes);
    let count = fields.count("events", EVENT_BYTES_MIN)?;
    let events = (0..count).map(|_| event(&mut fields)).collect::<Result<_, _>>()?;
    fields.end("events")?;
    Ok(events)
}

fn event(fields: &mut Fields<'_>) -> Result<Event, LedgerError> {
    let package = fields.address("package_id")?;
    let module = String::from(identifier(fields, "transaction_module")?);
    let sender = fields.address("sender")?;
    let type_name = structure(fields)?;
    Ok(Event { package, module, sender, type_name, contents: fields.bytes("contents")?.to_vec() })
}
