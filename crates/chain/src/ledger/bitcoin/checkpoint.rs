//! Known headers as a base for later targets.

use superroot_proof::finality::work::RETARGET_BLOCKS;
use superroot_proof::ledger::bitcoin::{HEADER_BYTES, Header};
use superroot_types::{BlockNumber, Hash};

use crate::error::ChainError;
use crate::registry::ChainRegistryError;
use crate::registry::fields::TableFields;

const CHECKPOINTS_MAX: usize = 64;

/// First of 2016 headers with one target.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DifficultyCheckpoint {
    /// Block number, a multiple of 2016.
    pub number: BlockNumber,
    /// Header, including proof of work.
    pub header: Header,
}

impl DifficultyCheckpoint {
    /// Reads the checkpoints of a row, ascending; empty if missing.
    pub(crate) fn read_all(fields: &mut TableFields) -> Result<Vec<Self>, ChainRegistryError> {
        if !fields.has("checkpoints") {
            return Ok(Vec::new());
        }
        let expected = "a list of 1 to 64 headers, rising";
        fields.tables("checkpoints", expected, CHECKPOINTS_MAX, |fields, before| {
            let before = before.map(|before: &Self| before.number.0);
            let number = fields.rising("number", before)?;
            if !number.is_multiple_of(RETARGET_BLOCKS) {
                return Err(fields.wrong("number", number.to_string(), "a multiple of 2016"));
            }
            let expected = "160 hex digits, the 80 bytes of a header";
            let header = fields.choice("header", expected, header_of)?;
            Ok(Self { number: BlockNumber(number), header })
        })
    }

    pub(crate) fn check(&self, number: BlockNumber, hash: Hash) -> Result<(), ChainError> {
        let expected = self.header.hash();
        if number != self.number || hash == expected {
            return Ok(());
        }
        Err(ChainError::mismatch("hash of the checkpoint", hash, expected))
    }
}

fn header_of(text: &str) -> Option<Header> {
    let is_plain = text.len() == 2 * HEADER_BYTES;
    let bytes = is_plain.then(|| const_hex::decode(text).ok()).flatten()?;
    Header::decode(&bytes).ok()
}
