//! `TransactionInfo` in BCS: a version's result.
//!
//! ```text
//! version 0:1  gas:8  status  transaction hash:32  event root:32  state change:32  checkpoint:?  auxiliary:?
//! ```

use alloc::string::String;
use alloc::vec::Vec;

use superroot_types::Hash;

use crate::codec::ByteReader;
use crate::ledger::LedgerError;

/// Most bytes in an info: an abort may carry a reason and a description.
pub const INFO_BYTES_MAX: usize = 64 << 10;

/// Version result.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Info {
    /// Gas used, in units.
    pub gas_used: u64,
    /// Execution status.
    pub status: ExecutionStatus,
    /// Transaction hash.
    pub transaction_hash: Hash,
    /// Event accumulator root; the placeholder without events.
    pub event_root: Hash,
    /// State change hash.
    pub state_change_hash: Hash,
    /// State root, if taken after this version.
    pub state_checkpoint_hash: Option<Hash>,
    /// Auxiliary information hash, if any.
    pub auxiliary_hash: Option<Hash>,
}

/// Transaction outcome (`ExecutionStatus`).
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ExecutionStatus {
    /// Success.
    Success,
    /// Gas ran out.
    OutOfGas,
    /// A Move program aborted.
    MoveAbort {
        /// Abort code.
        code: u64,
        /// Reason name, if the module names the reason.
        reason: Option<String>,
    },
    /// A Move program failed.
    ExecutionFailure,
    /// Any different outcome.
    Miscellaneous {
        /// Virtual machine code, if recorded.
        code: Option<u64>,
    },
}

impl ExecutionStatus {
    /// Status name as used by the family's nodes.
    #[must_use]
    pub const fn name(&self) -> &'static str {
        match self {
            Self::Success => "success",
            Self::OutOfGas => "out_of_gas",
            Self::MoveAbort { .. } => "move_abort",
            Self::ExecutionFailure => "execution_failure",
            Self::Miscellaneous { .. } => "miscellaneous_error",
        }
    }
}

impl Info {
    /// Reads a whole info.
    ///
    /// # Errors
    /// [`LedgerError::Field`] naming the field; only version 0 is readable.
    pub fn decode(bytes: &[u8]) -> Result<Self, LedgerError> {
        if bytes.len() > INFO_BYTES_MAX {
            return Err(LedgerError::Field { field: "transaction info" });
        }
        match Self::decode_first(bytes)? {
            (info, []) => Ok(info),
            _ => Err(LedgerError::Trailing { what: "transaction info" }),
        }
    }

    /// Reads an info and returns the bytes after the info.
    ///
    /// # Errors
    /// [`LedgerError::Field`] naming the field; only version 0 is readable.
    pub fn decode_first(bytes: &[u8]) -> Result<(Self, &[u8]), LedgerError> {
        let mut reader = ByteReader::new(bytes);
        let wrong = |field| LedgerError::Field { field };
        if reader.u8() != Some(0) {
            return Err(wrong("transaction info version"));
        }
        let info = Self {
            gas_used: number(&mut reader).ok_or(wrong("gas_used"))?,
            status: status(&mut reader).ok_or(wrong("status"))?,
            transaction_hash: reader.hash().ok_or(wrong("transaction_hash"))?,
            event_root: reader.hash().ok_or(wrong("event_root_hash"))?,
            state_change_hash: reader.hash().ok_or(wrong("state_change_hash"))?,
            state_checkpoint_hash: option(&mut reader, |reader| reader.hash())
                .ok_or(wrong("state_checkpoint_hash"))?,
            auxiliary_hash: option(&mut reader, |reader| reader.hash())
                .ok_or(wrong("auxiliary_info_hash"))?,
        };
        Ok((info, reader.rest()))
    }

    /// BCS without an abort's names, for block generators.
    #[must_use]
    pub fn encode(&self) -> Vec<u8> {
        let mut out = Vec::from([0]);
        out.extend_from_slice(&self.gas_used.to_le_bytes());
        match &self.status {
            ExecutionStatus::Success => out.push(0),
            ExecutionStatus::OutOfGas => out.push(1),
            ExecutionStatus::MoveAbort { code, .. } => {
                out.extend_from_slice(&[2, 1]);
                out.extend_from_slice(&code.to_le_bytes());
                out.push(0);
            }
            ExecutionStatus::ExecutionFailure => out.extend_from_slice(&[3, 1, 0, 0, 0, 0]),
            ExecutionStatus::Miscellaneous { code } => {
                out.extend_from_slice(&[4, u8::from(code.is_some())]);
                out.extend(code.iter().flat_map(|code| code.to_le_bytes()));
            }
        }
        for hash in [&self.transaction_hash, &self.event_root, &self.state_change_hash] {
            out.extend_from_slice(&hash.0);
        }
        for hash in [&self.state_checkpoint_hash, &self.auxiliary_hash] {
            out.push(u8::from(hash.is_some()));
            out.extend(hash.iter().flat_map(|hash| hash.0));
        }
        out
    }
}

fn number(reader: &mut ByteReader<'_>) -> Option<u64> {
    reader.u64().map(u64::swap_bytes)
}

fn status(reader: &mut ByteReader<'_>) -> Option<ExecutionStatus> {
    Some(match reader.u8()? {
        0 => ExecutionStatus::Success,
        1 => ExecutionStatus::OutOfGas,
        2 => {
            location(reader)?;
            let code = number(reader)?;
            let info = option(reader, |reader| Some((text(reader)?, text(reader)?)))?;
            ExecutionStatus::MoveAbort { code, reason: info.map(|(reason, _)| reason) }
        }
        3 => {
            location(reader)?;
            // which function, and where in its code
            reader.bytes(4)?;
            ExecutionStatus::ExecutionFailure
        }
        4 => ExecutionStatus::Miscellaneous { code: option(reader, number)? },
        _ => return None,
    })
}

/// Abort location: a module (address and name) or a script.
fn location(reader: &mut ByteReader<'_>) -> Option<()> {
    match reader.u8()? {
        0 => {
            reader.hash()?;
            text(reader).map(drop)
        }
        1 => Some(()),
        _ => None,
    }
}

/// Text with a shortest ULEB128 length.
fn text(reader: &mut ByteReader<'_>) -> Option<String> {
    let mut length = 0_usize;
    for shift in [0_u32, 7, 14] {
        let byte = reader.u8()?;
        length |= usize::from(byte & 0x7f).checked_shl(shift)?;
        if byte & 0x80 == 0 {
            let is_short = byte != 0 || shift == 0;
            let bytes = reader.bytes(length).filter(|_| is_short)?;
            return core::str::from_utf8(bytes).ok().map(String::from);
        }
    }
    None
}

fn option<T>(
    reader: &mut ByteReader<'_>,
    read: impl Fn(&mut ByteReader<'_>) -> Option<T>,
) -> Option<Option<T>> {
    match reader.u8()? {
        0 => Some(None),
        1 => read(reader).map(Some),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn info(status: ExecutionStatus) -> Info {
        let hash = |byte| Hash([byte; 32]);
        Info {
            gas_used: 0x0102_0304,
            status,
            transaction_hash: hash(1),
            event_root: hash(2),
            state_change_hash: hash(3),
            state_checkpoint_hash: Some(hash(4)),
            auxiliary_hash: None,
        }
    }

    #[test]
    fn what_is_written_is_read_again_and_nothing_else() {
        for status in [
            ExecutionStatus::Success,
            ExecutionStatus::OutOfGas,
            ExecutionStatus::MoveAbort { code: 7, reason: None },
            ExecutionStatus::ExecutionFailure,
            ExecutionStatus::Miscellaneous { code: None },
            ExecutionStatus::Miscellaneous { code: Some(9) },
        ] {
            let info = info(status);
            let bytes = info.encode();
            assert_eq!(Info::decode(&bytes), Ok(info));
            for length in 0..bytes.len() {
                assert!(Info::decode(&bytes[..length]).is_err(), "{length}");
            }
            let longer = [&bytes[..], &[0]].concat();
            assert_eq!(
                Info::decode(&longer),
                Err(LedgerError::Trailing { what: "transaction info" })
            );
        }
    }

    #[test]
    fn an_abort_in_a_module_is_read_with_its_reason() {
        let plain = info(ExecutionStatus::Success).encode();
        let mut bytes = plain[..9].to_vec();
        bytes.extend([2, 0]);
        bytes.extend([9; 32]);
        bytes.extend([4, b'c', b'o', b'i', b'n']);
        bytes.extend(65_542_u64.to_le_bytes());
        bytes.extend([1, 3, b'E', b'N', b'O', 0]);
        bytes.extend(&plain[10..]);
        let read = Info::decode(&bytes).unwrap();
        assert_eq!(
            read.status,
            ExecutionStatus::MoveAbort { code: 65_542, reason: Some("ENO".into()) }
        );
        assert_eq!(read.status.name(), "move_abort");
    }

    #[test]
    fn lengths_are_written_in_one_way() {
        let read = |bytes: &[u8]| text(&mut ByteReader::new(bytes));
        assert_eq!(read(&[0]), Some(String::new()));
        assert_eq!(read(&[0x80, 0]), None, "two bytes for none");
        assert_eq!(read(&[0x80, 0x80, 0x80, 1]), None, "longer than an info");
        assert_eq!(read(&[1, 0xff]), None, "no text");
        let long = [&[0x80, 1][..], &[b'x'; 128]].concat();
        assert_eq!(read(&long).map(|text| text.len()), Some(128));
    }
}
