//! Binary reader: bounded, accepts only the canonical encoding.

use alloc::vec::Vec;

use superroot_types::{Address, BlockNumber, ChainId, ChainKey, Family, Hash};

use super::bounds::{RECEIPT_BYTES_MIN, SCAN_BYTES_MAX};
use super::encode::{SCAN_FORMAT_VERSION, SCAN_MAGIC, statement_check};
use super::error::ScanDecodeError;
use super::{BlockReceipts, Scan, ScanFilter, ScanStatement};
use crate::bundle::Bundle;
use crate::codec::ByteReader;

impl Scan {
    /// Reads the binary form; refuses bytes that do not re-encode identically.
    ///
    /// # Errors
    /// [`ScanDecodeError`] naming the part. Nothing is verified yet.
    pub fn decode(bytes: &[u8]) -> Result<Self, ScanDecodeError> {
        if bytes.len() > SCAN_BYTES_MAX {
            return Err(ScanDecodeError::TooLarge { got: bytes.len() });
        }
        let mut reader = ByteReader::new(bytes);
        if reader.bytes(SCAN_MAGIC.len()) != Some(&SCAN_MAGIC) {
            return Err(ScanDecodeError::Magic);
        }
        match reader.u8().ok_or(ScanDecodeError::Magic)? {
            SCAN_FORMAT_VERSION => {}
            got => return Err(ScanDecodeError::Version { got }),
        }
        let part = |part| ScanDecodeError::Part { part };
        let statement = statement(&mut reader).ok_or(part("statement"))?;
        let count = statement.block_count().ok_or(part("statement"))?;
        let before = bytes.get(..bytes.len().saturating_sub(reader.len())).unwrap_or_default();
        if reader.bytes(4) != Some(&statement_check(before)) {
            return Err(ScanDecodeError::StatementCheck);
        }
        let headers = headers(&mut reader, count).ok_or(part("headers"))?;
        let receipts = receipts(&mut reader, &statement).ok_or(part("receipts"))?;
        let last = reader.long().ok_or(part("proof of the last block"))?;
        let last = Bundle::decode(last).map_err(ScanDecodeError::Last)?;
        if !reader.is_empty() {
            return Err(ScanDecodeError::Trailing { count: reader.len() });
        }
        let scan = Self { statement, headers, receipts, last };
        if scan.encode() == bytes { Ok(scan) } else { Err(ScanDecodeError::NotCanonical) }
    }
}

fn statement(reader: &mut ByteReader<'_>) -> Option<ScanStatement> {
    let family = Family::try_from(reader.u8()?).ok()?;
    let chain = ChainKey { family, id: ChainId(reader.u64()?) };
    let from = BlockNumber(reader.u64()?);
    let to = BlockNumber(reader.u64()?);
    let count = reader.u8()?;
    let addresses: Option<Vec<_>> = (0..count).map(|_| address(reader)).collect();
    let mut lists = [const { Vec::new() }; 4];
    for list in &mut lists {
        *list = topics(reader)?;
    }
    let anywhere = topics(reader)?;
    let filter = ScanFilter::new(addresses?, lists, anywhere).ok()?;
    Some(ScanStatement { chain, from, to, filter })
}

fn address(reader: &mut ByteReader<'_>) -> Option<Address> {
    reader.bytes(20)?.try_into().ok().map(Address)
}

fn topics(reader: &mut ByteReader<'_>) -> Option<Vec<Hash>> {
    let count = reader.u8()?;
    (0..count).map(|_| reader.hash()).collect()
}

fn headers(reader: &mut ByteReader<'_>, count: u64) -> Option<Vec<Vec<u8>>> {
    (1..count).map(|_| reader.long().map(<[u8]>::to_vec)).collect()
}

fn receipts(reader: &mut ByteReader<'_>, statement: &ScanStatement) -> Option<Vec<BlockReceipts>> {
    let count = reader.u16()?;
    let mut blocks: Vec<BlockReceipts> = Vec::new();
    for _ in 0..count {
        let number = statement.from.0.checked_add(u64::from(reader.u16()?)).map(BlockNumber)?;
        let is_next = blocks.last().is_none_or(|before| before.number < number);
        if !is_next || number > statement.to {
            return None;
        }
        let count = reader.u32()?;
        let mut leaves = Vec::new(); // grows with what is really there, not with what is claimed
        for _ in 0..count {
            let leaf = reader.long().filter(|leaf| leaf.len() >= RECEIPT_BYTES_MIN)?;
            leaves.push(leaf.to_vec());
        }
        blocks.push(BlockReceipts { number, leaves });
    }
    Some(blocks)
}
