//! Strict RLP field reader with named errors.

use alloc::vec::Vec;

use alloy_rlp::Header;
use superroot_types::Hash;

use crate::ledger::LedgerError;

/// RLP list fields, read in order; each error names the requested field.
#[derive(Clone, Copy, Debug)]
pub struct RlpFields<'a> {
    rest: &'a [u8],
}

impl<'a> RlpFields<'a> {
    /// Fields of the single list in `bytes`.
    ///
    /// # Errors
    /// [`LedgerError::Field`] if not a list, [`LedgerError::Trailing`] for bytes after the list.
    pub fn of_list(bytes: &'a [u8], what: &'static str) -> Result<Self, LedgerError> {
        let mut rest = bytes;
        let list = take(&mut rest, what)?;
        if !rest.is_empty() {
            return Err(LedgerError::Trailing { what });
        }
        list.list(what)
    }

    /// Items outside a list.
    pub(super) const fn of_items(bytes: &'a [u8]) -> Self {
        Self { rest: bytes }
    }

    /// Whether every field was read.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.rest.is_empty()
    }

    /// Encoded unread fields.
    #[must_use]
    pub const fn rest(&self) -> &'a [u8] {
        self.rest
    }

    /// Number of unread fields, without parsing them.
    ///
    /// # Errors
    /// [`LedgerError::Field`] for a malformed field.
    pub fn count(&self, what: &'static str) -> Result<usize, LedgerError> {
        let mut rest = self.rest;
        let mut count = 0_usize;
        while !rest.is_empty() {
            take(&mut rest, what)?;
            count = count.saturating_add(1);
        }
        Ok(count)
    }

    /// Refuses unread fields.
    ///
    /// # Errors
    /// [`LedgerError::Trailing`] for any.
    pub fn end(&self, what: &'static str) -> Result<(), LedgerError> {
        if self.is_empty() { Ok(()) } else { Err(LedgerError::Trailing { what }) }
    }

    /// Next field, a list.
    ///
    /// # Errors
    /// [`LedgerError::Field`] if not a list.
    pub fn list(&mut self, field: &'static str) -> Result<RlpFields<'a>, LedgerError> {
        take(&mut self.rest, field)?.list(field)
    }

    /// Next field's bytes.
    ///
    /// # Errors
    /// [`LedgerError::Field`] for a list or malformed field.
    pub fn string(&mut self, field: &'static str) -> Result<&'a [u8], LedgerError> {
        let item = take(&mut self.rest, field)?;
        if item.list { Err(LedgerError::Field { field }) } else { Ok(item.payload) }
    }

    /// Next field's bytes, copied.
    ///
    /// # Errors
    /// As [`Self::string`].
    pub fn bytes(&mut self, field: &'static str) -> Result<Vec<u8>, LedgerError> {
        self.string(field).map(<[u8]>::to_vec)
    }

    /// Next field with exactly `N` bytes.
    ///
    /// # Errors
    /// [`LedgerError::Field`] for another length, or as [`Self::string`].
    pub fn array<const N: usize>(&mut self, field: &'static str) -> Result<[u8; N], LedgerError> {
        self.string(field)?.try_into().map_err(|_| LedgerError::Field { field })
    }

    /// Next field with exactly 32 bytes.
    ///
    /// # Errors
    /// As [`Self::array`].
    pub fn hash(&mut self, field: &'static str) -> Result<Hash, LedgerError> {
        self.array(field).map(Hash)
    }

    /// Big-endian integer without leading zeros, widened to 32 bytes.
    ///
    /// # Errors
    /// [`LedgerError::Field`] if longer, or with leading zeros.
    pub fn uint256(&mut self, field: &'static str) -> Result<[u8; 32], LedgerError> {
        widen(self.string(field)?).ok_or(LedgerError::Field { field })
    }

    /// Big-endian integer without leading zeros, at most 8 bytes.
    ///
    /// # Errors
    /// [`LedgerError::Field`] if longer, or with leading zeros.
    pub fn u64(&mut self, field: &'static str) -> Result<u64, LedgerError> {
        widen(self.string(field)?).map(u64::from_be_bytes).ok_or(LedgerError::Field { field })
    }
}

struct RlpFieldItem<'a> {
    list: bool,
    payload: &'a [u8],
}

impl<'a> RlpFieldItem<'a> {
    fn list(self, field: &'static str) -> Result<RlpFields<'a>, LedgerError> {
        if self.list {
            Ok(RlpFields { rest: self.payload })
        } else {
            Err(LedgerError::Field { field })
        }
    }
}

fn take<'a>(rest: &mut &'a [u8], field: &'static str) -> Result<RlpFieldItem<'a>, LedgerError> {
    let wrong = LedgerError::Field { field };
    let header = Header::decode(rest).map_err(|_| wrong.clone())?;
    let (payload, after) = rest.split_at_checked(header.payload_length).ok_or(wrong)?;
    *rest = after;
    Ok(RlpFieldItem { list: header.list, payload })
}

/// Canonical big-endian integer, padded to `N` bytes.
fn widen<const N: usize>(bytes: &[u8]) -> Option<[u8; N]> {
    if bytes.first() == Some(&0) {
        return None;
    }
    let mut wide = [0; N];
    let start = N.checked_sub(bytes.len())?;
    wide.get_mut(start..)?.copy_from_slice(bytes);
    Some(wide)
}
