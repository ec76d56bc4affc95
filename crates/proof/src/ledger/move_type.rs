//! Move types in BCS, shared by Sui and Aptos, as text with full addresses:
//! `0x00..02::coin::Minted<0x00..02::sui::SUI>`.
//!
//! ```text
//! struct  address:32 ‖ module ‖ name ‖ type*
//! type    00 bool | 01 u8 | 02 u64 | 03 u128 | 04 address | 05 signer | 06 vector ‖ type
//!         | 07 struct | 08 u16 | 09 u32 | 0a u256
//! ```

use alloc::string::String;

use super::LedgerError;
use super::bcs::BcsFields;

/// Deepest type nesting, as deep as the network's own readers.
const TYPE_DEPTH_MAX: usize = 128;
/// Most types inside a type.
const TYPE_NODES_MAX: usize = 256;

pub(crate) fn structure(fields: &mut BcsFields<'_>) -> Result<String, LedgerError> {
    let mut types = Types { fields, nodes: 0, text: String::new() };
    types.structure(0)?;
    Ok(types.text)
}

pub(crate) fn any(fields: &mut BcsFields<'_>) -> Result<String, LedgerError> {
    let mut types = Types { fields, nodes: 0, text: String::new() };
    types.one(0)?;
    Ok(types.text)
}

/// Reads a Move name; refuses characters readable as part in a longer type.
pub(crate) fn identifier<'a>(
    fields: &mut BcsFields<'a>,
    field: &'static str,
) -> Result<&'a str, LedgerError> {
    let text = core::str::from_utf8(fields.bytes(field)?).ok();
    let is_one = |text: &&str| {
        text.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
            && text.bytes().next().is_some_and(|first| !first.is_ascii_digit())
            && *text != "_"
    };
    text.filter(is_one).ok_or(LedgerError::Field { field })
}

struct Types<'f, 'a> {
    fields: &'f mut BcsFields<'a>,
    nodes: usize,
    text: String,
}

impl Types<'_, '_> {
    fn structure(&mut self, depth: usize) -> Result<(), LedgerError> {
        let field = "type";
        self.text.push_str("0x");
        let address = self.fields.address(field)?.0;
        self.text.push_str(const_hex::Buffer::<32>::new().format(&address));
        for _ in 0..2 {
            self.text.push_str("::");
            self.text.push_str(identifier(self.fields, field)?);
        }
        let count = self.fields.count(field, 1)?;
        for place in 0..count {
            self.text.push_str(if place == 0 { "<" } else { ", " });
            self.one(depth.saturating_add(1))?;
        }
        if count > 0 {
            self.text.push('>');
        }
        Ok(())
    }

    fn one(&mut self, depth: usize) -> Result<(), LedgerError> {
        self.nodes = self.nodes.saturating_add(1);
        if depth > TYPE_DEPTH_MAX || self.nodes > TYPE_NODES_MAX {
            return Err(LedgerError::Field { field: "type" });
        }
        let name = match self.fields.number("type")? {
            0 => "bool",
            1 => "u8",
            2 => "u64",
            3 => "u128",
            4 => "address",
            5 => "signer",
            6 => {
                self.text.push_str("vector<");
                self.one(depth.saturating_add(1))?;
                ">"
            }
            7 => return self.structure(depth),
            8 => "u16",
            9 => "u32",
            10 => "u256",
            got => return Err(LedgerError::Version { what: "type of Move", got }),
        };
        self.text.push_str(name);
        Ok(())
    }
}
