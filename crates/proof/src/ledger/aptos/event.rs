//! `ContractEvent` in BCS: an event emitted by a version.
//!
//! ```text
//! event  00 ‖ creation:8 ‖ account:32 ‖ sequence:8 ‖ type ‖ data     under the handle of an account
//!        01 ‖ type ‖ data                                            of a module
//! ```
//! Source: aptos-core `types/src/contract_event.rs` (`ContractEventV1`, `ContractEventV2`).

use alloc::string::String;
use alloc::vec::Vec;

use superroot_types::Hash;

use crate::ledger::LedgerError;
use crate::ledger::bcs::BcsFields;
use crate::ledger::move_type;

/// Version event.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Event {
    /// Event handle account and position; `None` for a module event.
    pub handle: Option<Handle>,
    /// Move type with full addresses: `0x00..01::coin::CoinDeposit`.
    pub type_name: String,
    /// Module address in the type; `None` for a type without module, like `u64`.
    pub module_address: Option<Hash>,
    /// Typed value in BCS.
    pub data: Vec<u8>,
}

/// Event handle and position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Handle {
    /// Account address.
    pub account: Hash,
    /// Handle number within the account.
    pub creation_number: u64,
    /// Earlier event count under the handle.
    pub sequence_number: u64,
}

impl Event {
    /// Reads a whole event.
    ///
    /// # Errors
    /// [`LedgerError`] naming the field; [`LedgerError::Version`] for an unknown form or type.
    pub fn decode(bytes: &[u8]) -> Result<Self, LedgerError> {
        let mut fields = BcsFields::new(bytes);
        let handle = match fields.number("event")? {
            0 => {
                let creation_number = fields.u64("creation_number")?;
                let account = fields.address("account_address")?;
                let sequence_number = fields.u64("sequence_number")?;
                Some(Handle { account, creation_number, sequence_number })
            }
            1 => None,
            got => return Err(LedgerError::Version { what: "event of Aptos", got }),
        };
        let module_address = module_address(fields.clone());
        let type_name = move_type::any(&mut fields)?;
        let data = fields.bytes("event_data")?.to_vec();
        fields.end("event")?;
        Ok(Self { handle, type_name, module_address, data })
    }
}

/// Address at the start in a struct type.
fn module_address(mut fields: BcsFields<'_>) -> Option<Hash> {
    const STRUCT: u32 = 7;
    (fields.number("type").ok()? == STRUCT).then(|| fields.address("type").ok())?
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn with_type(head: &[u8], data: &[u8]) -> Vec<u8> {
        let mut bytes = head.to_vec();
        bytes.push(7);
        bytes.extend_from_slice(
            &[[0; 31].as_slice(), &[1], &[4], b"coin", &[8], b"Transfer", &[1, 2]].concat(),
        );
        bytes.push(data.len() as u8);
        bytes.extend_from_slice(data);
        bytes
    }

    #[test]
    fn both_forms_are_read() {
        let of_module = Event::decode(&with_type(&[1], b"abc")).unwrap();
        let one = "0x0000000000000000000000000000000000000000000000000000000000000001";
        assert_eq!(of_module.type_name, alloc::format!("{one}::coin::Transfer<u64>"));
        assert_eq!((of_module.handle, &*of_module.data), (None, b"abc".as_slice()));
        assert_eq!(of_module.module_address.unwrap().to_string(), one);
        let head = [[0].as_slice(), &2_u64.to_le_bytes(), &[9; 32], &5_u64.to_le_bytes()].concat();
        let under_handle = Event::decode(&with_type(&head, &[])).unwrap();
        let handle = Handle { account: Hash([9; 32]), creation_number: 2, sequence_number: 5 };
        assert_eq!(under_handle.handle, Some(handle));
        assert_eq!(under_handle.type_name, of_module.type_name);
    }

    #[test]
    fn what_is_none_is_refused() {
        for bytes in [&[][..], &[2], &[1, 11, 0], &[1, 2], &[1, 2, 1, 0, 0], &[0x81, 0, 2, 0]] {
            assert!(Event::decode(bytes).is_err(), "{bytes:?}");
        }
    }

    proptest! {
        #[test]
        fn nothing_makes_it_panic(bytes: Vec<u8>) {
            let _ = Event::decode(&bytes);
        }
    }
}
