//! Splits a raw block into the header and transactions, each with and without witness. Bounded by the bytes present;
//! `superroot_proof` reads the transaction contents.

use superroot_proof::ledger::LedgerError;
use superroot_proof::ledger::bitcoin::{HEADER_BYTES, TX_COUNT_MAX};
use superroot_types::Hash;

use super::raw::BLOCK_BYTES_MAX;
use crate::error::ChainError;

#[derive(Debug)]
pub(super) struct Split<'a> {
    pub(super) header: &'a [u8],
    /// `None` for a header alone.
    pub(super) transactions: Option<Vec<SplitTransaction<'a>>>,
}

/// Transaction in both hashed forms.
#[derive(Debug)]
pub(super) struct SplitTransaction<'a> {
    pub(super) whole: &'a [u8],
    /// Bytes without witnesses, hashed to the txid.
    pub(super) leaf: Vec<u8>,
    pub(super) has_witness: bool,
    /// Only item of the first input's witness, if exactly one item of 32 bytes.
    pub(super) reserved: Option<Hash>,
}

pub(super) fn split(bytes: &[u8]) -> Result<Split<'_>, ChainError> {
    if bytes.len() > BLOCK_BYTES_MAX {
        let field = "block bytes".into();
        let got = bytes.len().to_string();
        let expected = u64::try_from(BLOCK_BYTES_MAX).unwrap_or(u64::MAX);
        return Err(ChainError::OutOfRange { field, got, expected });
    }
    let mut walk = BlockReader { rest: bytes };
    let header = walk.bytes(HEADER_BYTES).ok_or_else(|| malformed("header"))?;
    if walk.rest.is_empty() {
        return Ok(Split { header, transactions: None });
    }
    let count = walk.compact_size().filter(|count| (1..=TX_COUNT_MAX.into()).contains(count));
    let count = count.ok_or_else(|| malformed("transaction count"))?;
    let mut transactions = Vec::new(); // grows with what is really there
    for tx_index in 0..count {
        let transaction = walk.transaction();
        transactions.push(transaction.ok_or_else(|| malformed("transaction").at(tx_index))?);
    }
    if !walk.rest.is_empty() {
        let source = LedgerError::Trailing { what: "block" };
        return Err(ChainError::ledger("block", source));
    }
    Ok(Split { header, transactions: Some(transactions) })
}

fn malformed(field: &'static str) -> ChainError {
    ChainError::ledger(field, LedgerError::Field { field })
}

impl ChainError {
    /// Prefixes the error with the transaction index.
    pub(super) fn at(self, tx_index: u64) -> Self {
        self.within(format_args!("transactions[{tx_index}]"))
    }
}

/// Forward reader; every method returns `None` if too few bytes remain.
#[derive(Clone, Copy)]
struct BlockReader<'a> {
    rest: &'a [u8],
}

impl<'a> BlockReader<'a> {
    fn bytes(&mut self, length: usize) -> Option<&'a [u8]> {
        let (taken, rest) = self.rest.split_at_checked(length)?;
        self.rest = rest;
        Some(taken)
    }

    fn compact_size(&mut self) -> Option<u64> {
        let (extra, floor) = match self.bytes(1)? {
            [0xfd] => (2, 0xfd),
            [0xfe] => (4, 0x1_0000),
            [0xff] => (8, 0x1_0000_0000),
            [byte] => return Some(u64::from(*byte)),
            _ => return None,
        };
        let mut padded = [0; 8];
        for (place, byte) in padded.iter_mut().zip(self.bytes(extra)?) {
            *place = *byte;
        }
        Some(u64::from_le_bytes(padded)).filter(|value| *value >= floor)
    }

    /// Reads a length and the bytes.
    fn string(&mut self) -> Option<&'a [u8]> {
        let length = usize::try_from(self.compact_size()?).ok()?;
        self.bytes(length)
    }

    /// Bytes between an earlier state and this one.
    fn since(&self, before: Self) -> Option<&'a [u8]> {
        before.rest.get(..before.rest.len().checked_sub(self.rest.len())?)
    }

    /// `version ‖ [00 01] ‖ inputs ‖ outputs ‖ [witnesses] ‖ lock_time`
    fn transaction(&mut self) -> Option<SplitTransaction<'a>> {
        let before = *self;
        let version = self.bytes(4)?;
        let has_witness = self.rest.starts_with(&[0x00, 0x01]);
        if has_witness {
            self.bytes(2)?;
        }
        let body_start = *self;
        let input_count = self.compact_size()?;
        for _ in 0..input_count {
            self.bytes(36)?;
            self.string()?;
            self.bytes(4)?;
        }
        for _ in 0..self.compact_size()? {
            self.bytes(8)?;
            self.string()?;
        }
        let body = self.since(body_start)?;
        let mut reserved = None;
        let mut is_empty = true;
        for input in (0..input_count).filter(|_| has_witness) {
            let count = self.compact_size()?;
            is_empty &= count == 0;
            for _ in 0..count {
                let item = self.string()?;
                if input == 0 && count == 1 {
                    reserved = item.try_into().ok().map(Hash);
                }
            }
        }
        if has_witness && is_empty {
            return None; // a witness of nothing has the other form
        }
        let lock_time = self.bytes(4)?;
        let whole = self.since(before)?;
        Some(SplitTransaction {
            whole,
            leaf: [version, body, lock_time].concat(),
            has_witness,
            reserved,
        })
    }
}
