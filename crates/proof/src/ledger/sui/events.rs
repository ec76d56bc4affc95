//! Transaction events emitted by Move code, each under its type.
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
use crate::ledger::bcs::BcsFields;
use crate::ledger::move_type::{identifier, structure};

/// Shortest event: two addresses, two one-byte names and a third, no types, no contents.
const EVENT_BYTES_MIN: usize = 32 + 2 + 32 + 32 + 2 + 2 + 1 + 1;

/// Move event.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Event {
    /// Package with the called function.
    pub package: Hash,
    /// Module in the package.
    pub module: String,
    /// Transaction sender.
    pub sender: Hash,
    /// Move type with full addresses: `0x00..02::coin::Minted<0x00..02::sui::SUI>`.
    pub type_name: String,
    /// Typed value in BCS.
    pub contents: Vec<u8>,
}

/// Reads a transaction's whole events.
///
/// # Errors
/// [`LedgerError`] naming the field; [`LedgerError::Version`] for an unknown type.
pub fn read_events(bytes: &[u8]) -> Result<Vec<Event>, LedgerError> {
    let mut fields = BcsFields::new(bytes);
    let count = fields.count("events", EVENT_BYTES_MIN)?;
    let events = (0..count).map(|_| event(&mut fields)).collect::<Result<_, _>>()?;
    fields.end("events")?;
    Ok(events)
}

fn event(fields: &mut BcsFields<'_>) -> Result<Event, LedgerError> {
    let package = fields.address("package_id")?;
    let module = String::from(identifier(fields, "transaction_module")?);
    let sender = fields.address("sender")?;
    let type_name = structure(fields)?;
    Ok(Event { package, module, sender, type_name, contents: fields.bytes("contents")?.to_vec() })
}
