//! Levels 1 and 2 of Bitcoin: branches of a transaction and of the coinbase, and the header.

use alloc::vec::Vec;

use superroot_types::Hash;

use super::error::{CalldataError, bytes};
use crate::codec::ByteReader;
use crate::ledger::bitcoin::{Branch, BranchProofs, sibling_count};

/// `tx_count ‖ branch ‖ branch of the coinbase`.
pub(super) fn put(out: &mut Vec<u8>, branches: &BranchProofs) -> Result<(), CalldataError> {
    out.extend_from_slice(&branches.tx_count.to_be_bytes());
    for Branch { leaf, siblings } in
        [Some(&branches.transaction), branches.coinbase.as_ref()].into_iter().flatten()
    {
        let length = u32::try_from(leaf.len()).ok().filter(|length| *length < 1 << 24);
        let length = length.ok_or(CalldataError::Subject { what: "a transaction of 16 MiB" })?;
        out.extend_from_slice(length.to_be_bytes().get(1..).unwrap_or_default());
        out.extend_from_slice(leaf);
        siblings.iter().for_each(|sibling| out.extend_from_slice(&sibling.0));
    }
    Ok(())
}

/// Branches at an index; the coinbase has one of its own unless it is the transaction.
pub(super) fn read(
    reader: &mut ByteReader<'_>,
    tx_index: u32,
) -> Result<BranchProofs, CalldataError> {
    let tx_count = reader.u32().ok_or(bytes("tx_count"))?;
    let transaction = read_branch(reader, tx_index, tx_count)?;
    let coinbase = match tx_index {
        0 => None,
        _ => Some(read_branch(reader, 0, tx_count)?),
    };
    Ok(BranchProofs { tx_count, transaction, coinbase })
}

fn read_branch(
    reader: &mut ByteReader<'_>,
    index: u32,
    tx_count: u32,
) -> Result<Branch, CalldataError> {
    let count = sibling_count(index, tx_count).map_err(|_| bytes("tx_count"))?;
    let length = reader.u24().ok_or(bytes("transaction"))?;
    let leaf = reader.bytes(length).ok_or(bytes("transaction"))?.to_vec();
    let siblings: Option<Vec<Hash>> = (0..count).map(|_| reader.hash()).collect();
    Ok(Branch { leaf, siblings: siblings.ok_or(bytes("sibling"))? })
}
