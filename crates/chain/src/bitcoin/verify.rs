//! Recomputes what a node claims of a block: hash and work of the header, both trees, the height.

use superroot_proof::hash::sha256d;
use superroot_proof::ledger::bitcoin::{
    BranchError, Header, Output, Transaction, TransactionTree, merkle_root,
};
use superroot_proof::ledger::{Body, LedgerError};
use superroot_proof::registry::Rule;
use superroot_types::{BlockNumber, Hash, SAFE_INTEGER_MAX, UnixSeconds};

use super::params::Params;
use super::raw::RawBitcoinBlock;
use super::split::{SplitTransaction, split};
use super::work::check_work;
use crate::block::{Leaves, VerifiedBlock, Withheld};
use crate::error::ChainError;
use crate::ledger::Ledger;
use crate::registry::ChainRow;
use crate::unprovable::{Unprovable, UnprovablePart};

/// How the script begins that holds the witness commitment: `OP_RETURN`, a push of 36 bytes, and
/// the commitment's own four (BIP 141). 32 bytes follow.
const COMMITMENT_SCRIPT: [u8; 6] = [0x6a, 0x24, 0xaa, 0x21, 0xa9, 0xed];

/// Recomputes a block of the Bitcoin family. A header alone has the extent `header`.
///
/// # Errors
/// [`ChainError`] naming the first field at fault.
pub fn verify(row: &ChainRow, untrusted: &RawBitcoinBlock) -> Result<VerifiedBlock, ChainError> {
    let params = params(row)?;
    let RawBitcoinBlock { number, hash, bytes } = untrusted;
    if number.0 > SAFE_INTEGER_MAX {
        let (field, got) = ("height".into(), number.to_string());
        return Err(ChainError::OutOfRange { field, got, expected: SAFE_INTEGER_MAX });
    }
    if row.rule_at(*number) != Some(Rule::Bitcoin) {
        return Err(ChainError::NoRule { chain: row.key(), number: *number });
    }
    let block = split(bytes)?;
    let header =
        Header::decode(block.header).map_err(|source| ChainError::ledger("header", source))?;
    let got = header.hash();
    if got != *hash {
        return Err(ChainError::mismatch("hash", hash, got));
    }
    check_work(&header, params)?;
    check_first(row, *number, &header)?;
    let (mut body, mut withheld) = (None, None);
    if let Some(list) = &block.transactions {
        let node_sized = unprovable(params, *number);
        let whole = self::transactions(list, &header, *number, params, node_sized.is_some())?;
        withheld = node_sized.filter(|_| whole.is_none());
        body = whole.map(Body::Bitcoin);
    }
    Ok(VerifiedBlock {
        chain: row.key(),
        number: *number,
        hash: *hash,
        parent_hash: header.parent_hash,
        timestamp: UnixSeconds(header.time.into()),
        header: block.header.to_vec(),
        body,
        leaves: Leaves::default(),
        withheld: withheld.map(Withheld::ByRule),
    })
}

/// Why a block with a transaction as long as an inner node is a header alone, where the row says that
/// it is.
fn unprovable(params: &Params, number: BlockNumber) -> Option<String> {
    let is_it =
        |one: &&Unprovable| one.what == UnprovablePart::BodyWithNodeSized && one.holds_at(number);
    params.unprovable.iter().find(is_it).map(|one| one.why.clone())
}

fn params(row: &ChainRow) -> Result<&Params, ChainError> {
    let Ledger::Bitcoin(params) = &row.ledger else {
        return Err(ChainError::NotCollected { chain: row.key() });
    };
    Ok(params)
}

/// The first block and no other has no parent, and its hash is the chain's CAIP-2 name.
fn check_first(row: &ChainRow, number: BlockNumber, header: &Header) -> Result<(), ChainError> {
    if header.parent_hash.is_zero() != (number.0 == 0) {
        let expected = if number.0 == 0 { "zeros at height 0" } else { "a hash past height 0" };
        return Err(ChainError::mismatch("previousblockhash", header.parent_hash, expected));
    }
    let name = row.caip2.strip_prefix("bip122:").filter(|_| number.0 == 0);
    let mut shown = header.hash().0;
    shown.reverse();
    let shown = const_hex::encode(shown);
    match name {
        Some(name) if !shown.starts_with(name) => {
            Err(ChainError::mismatch("hash of the first block", shown, format!("{name}..")))
        }
        _ => Ok(()),
    }
}

/// The tree of the transactions, once both trees are those that the block commits to; `None`
/// where one is as long as an inner node and that is `withheld` rather than refused. Who sends a row
/// of inner nodes as transactions hides nothing: none of 64 bytes may be the coinbase.
fn transactions(
    list: &[SplitTransaction<'_>],
    header: &Header,
    number: BlockNumber,
    params: &Params,
    withholds_node_sized: bool,
) -> Result<Option<TransactionTree>, ChainError> {
    let whole = TransactionTree::build(list.iter().map(|one| one.leaf.clone()).collect());
    let root = whole.root().map_err(|source| tree("merkleroot", source))?;
    if root != header.merkle_root {
        return Err(ChainError::mismatch("merkleroot", header.merkle_root, root));
    }
    let (mut coinbase, mut is_withheld) = (None, false);
    for (tx_index, one) in (0_u64..).zip(list) {
        let read = Transaction::decode(&one.leaf);
        if read == Err(LedgerError::NodeSized) && withholds_node_sized && tx_index > 0 {
            is_withheld = true;
            continue;
        }
        let read = read.map_err(|source| ChainError::ledger("transaction", source).at(tx_index))?;
        if read.is_coinbase() != (tx_index == 0) {
            let expected = if tx_index == 0 { "the coinbase" } else { "no second coinbase" };
            return Err(ChainError::mismatch("inputs", "others", expected).at(tx_index));
        }
        coinbase = coinbase.or(Some(read));
    }
    if let (Some(coinbase), Some(first)) = (&coinbase, list.first()) {
        check_height(coinbase, number, params)?;
        check_witnesses(coinbase, first, list)?;
    }
    Ok((!is_withheld).then_some(whole))
}

fn tree(field: &str, source: BranchError) -> ChainError {
    ChainError::Tree { field: field.into(), source }
}

/// BIP 34: the coinbase's script begins with the height, pushed in the shortest way.
fn check_height(
    coinbase: &Transaction,
    number: BlockNumber,
    params: &Params,
) -> Result<(), ChainError> {
    let script = coinbase.inputs.first().map(|input| input.script_sig.as_slice());
    let script = script.unwrap_or_default();
    let expected = height_script(number.0);
    if number.0 < params.coinbase_height_from || script.starts_with(&expected) {
        return Ok(());
    }
    let shown = script.get(..script.len().min(expected.len())).unwrap_or_default();
    let (got, expected) = (const_hex::encode(shown), const_hex::encode(expected));
    Err(ChainError::mismatch("height in the coinbase", got, format!("{expected} for {number}")))
}

/// A number as a script pushes it: `OP_0`, `OP_1` to `OP_16`, else its little-endian bytes with room
/// for the sign.
#[must_use]
pub fn height_script(number: u64) -> Vec<u8> {
    match u8::try_from(number) {
        Ok(0) => return vec![0],
        Ok(small @ 1..=16) => return vec![small.saturating_add(0x50)],
        _ => {}
    }
    let mut bytes: Vec<u8> = number.to_le_bytes().to_vec();
    while bytes.last() == Some(&0) {
        bytes.pop();
    }
    if bytes.last().is_some_and(|byte| *byte >= 0x80) {
        bytes.push(0);
    }
    let mut script = vec![u8::try_from(bytes.len()).unwrap_or(u8::MAX)];
    script.append(&mut bytes);
    script
}

/// BIP 141: where witnesses were sent, the coinbase commits to all of them. Blocks sent without are
/// not compared, since nothing of a witness is kept.
fn check_witnesses(
    coinbase: &Transaction,
    first: &SplitTransaction<'_>,
    list: &[SplitTransaction<'_>],
) -> Result<(), ChainError> {
    if !list.iter().any(|one| one.has_witness) {
        return Ok(());
    }
    let committed = coinbase.outputs.iter().rev().find_map(commitment);
    let committed = committed.ok_or_else(|| ChainError::missing("witness commitment"))?;
    let reserved =
        first.reserved.ok_or_else(|| ChainError::missing("reserved value of the coinbase"))?;
    let wtxids = list.iter().enumerate().map(|(tx_index, one)| match tx_index {
        0 => Hash::ZERO,
        _ => sha256d(&[one.whole]),
    });
    let root = merkle_root(&wtxids.collect::<Vec<_>>());
    let root = root.map_err(|source| tree("witness commitment", source))?;
    let got = sha256d(&[&root.0, &reserved.0]);
    if got != committed {
        return Err(ChainError::mismatch("witness commitment", committed, got));
    }
    Ok(())
}

/// What an output commits to, if its script is that of a commitment.
fn commitment(output: &Output) -> Option<Hash> {
    let hash = output.script_pubkey.strip_prefix(&COMMITMENT_SCRIPT)?.get(..32)?;
    hash.try_into().ok().map(Hash)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Beside the script builder of a second implementation.
    #[test]
    fn heights_are_pushed_in_the_shortest_way() {
        let numbers = (0..1_000).chain([32_767, 32_768, 65_535, 227_931, 702_861, 8_388_607]);
        for number in numbers.chain([8_388_608, 16_777_215, 16_777_216, 2_147_483_647]) {
            let theirs = bitcoin::script::Builder::new().push_int(number).into_script();
            assert_eq!(height_script(number.unsigned_abs()), theirs.as_bytes(), "{number}");
        }
    }
}
