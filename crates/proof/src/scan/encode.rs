//! Binary form, `.srscan`: a scan has exactly one encoding.
//!
//! ```text
//! "SRSCAN" ‖ format:u8 = 01
//! family:u8 ‖ chain_id:u64 ‖ from:u64 ‖ to:u64
//! addresses  count:u8 ‖ address:20*                 each list rising, nothing twice
//! topics     (count:u8 ‖ topic:32*) of each of the four positions
//! anywhere   count:u8 ‖ topic:32*
//! check:4    first bytes of H(all before it)
//! headers    (length:u32 ‖ header)*                 of blocks from .. to - 1
//! receipts   count:u16 ‖ (block:u16 ‖ count:u32 ‖ (length:u32 ‖ leaf)*)*      block 0 is `from`
//! last       length:u32 ‖ the `.srproof` of block `to`
//! ```

use alloc::vec::Vec;

use superroot_types::Hash;

use super::{Scan, ScanStatement};
use crate::codec::put_long;
use crate::hash::keccak256;

/// First bytes in a scan file.
pub const SCAN_MAGIC: [u8; 6] = *b"SRSCAN";
/// Scan file format version.
pub const SCAN_FORMAT_VERSION: u8 = 1;

impl Scan {
    /// Binary form. Parts beyond the format bounds give bytes refused by every decoder; no verifiable scan has them.
    #[must_use]
    pub fn encode(&self) -> Vec<u8> {
        let last = self.last.encode();
        let mut out = Vec::with_capacity(self.byte_count().saturating_add(last.len()));
        out.extend_from_slice(&SCAN_MAGIC);
        out.push(SCAN_FORMAT_VERSION);
        self.statement.encode(&mut out);
        let check = statement_check(&out);
        out.extend_from_slice(&check);
        self.headers.iter().for_each(|header| put_long(&mut out, header));
        out.extend_from_slice(&short(self.receipts.len()).to_be_bytes());
        for block in &self.receipts {
            let offset = block.number.0.saturating_sub(self.statement.from.0);
            out.extend_from_slice(&u16::try_from(offset).unwrap_or(u16::MAX).to_be_bytes());
            let count = u32::try_from(block.leaves.len()).unwrap_or(u32::MAX);
            out.extend_from_slice(&count.to_be_bytes());
            block.leaves.iter().for_each(|leaf| put_long(&mut out, leaf));
        }
        put_long(&mut out, &last);
        out
    }

    /// Approximate bytes, without the last block's proof.
    fn byte_count(&self) -> usize {
        let long = |sum: usize, bytes: &Vec<u8>| sum.saturating_add(bytes.len()).saturating_add(4);
        let receipts = self.receipts.iter().flat_map(|block| &block.leaves).fold(0, long);
        let blocks = self.receipts.len().saturating_mul(6);
        self.headers.iter().fold(receipts, long).saturating_add(blocks).saturating_add(1 << 10)
    }
}

impl ScanStatement {
    fn encode(&self, out: &mut Vec<u8>) {
        out.push(self.chain.family.byte());
        out.extend_from_slice(&self.chain.id.0.to_be_bytes());
        out.extend_from_slice(&self.from.0.to_be_bytes());
        out.extend_from_slice(&self.to.0.to_be_bytes());
        out.push(byte(self.filter.addresses().len()));
        self.filter.addresses().iter().for_each(|address| out.extend_from_slice(&address.0));
        self.filter.topics().iter().for_each(|list| put_topics(out, list));
        put_topics(out, self.filter.anywhere());
    }
}

fn put_topics(out: &mut Vec<u8>, topics: &[Hash]) {
    out.push(byte(topics.len()));
    topics.iter().for_each(|topic| out.extend_from_slice(&topic.0));
}

fn byte(count: usize) -> u8 {
    u8::try_from(count).unwrap_or(u8::MAX)
}

fn short(count: usize) -> u16 {
    u16::try_from(count).unwrap_or(u16::MAX)
}

/// First four hash bytes over everything up to and including the statement.
pub(super) fn statement_check(before: &[u8]) -> [u8; 4] {
    let [a, b, c, d, ..] = keccak256(before).0;
    [a, b, c, d]
}
