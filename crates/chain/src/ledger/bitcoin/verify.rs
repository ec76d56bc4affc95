//! Recomputes Bitcoin blocks: header hash and work, both trees, the height.

use superroot_proof::hash::sha256d;
use superroot_proof::ledger::bitcoin::{
    BitcoinTransactionTree, BranchError, Header, Transaction, TransactionOutput, merkle_root,
};
use superroot_proof::ledger::{Body, LedgerError};
use superroot_proof::registry::HashRule;
use superroot_types::{BlockNumber, Hash, SAFE_INTEGER_MAX, UnixSeconds};

use super::params::BitcoinParams;
use super::raw::RawBitcoinBlock;
use super::split::{SplitTransaction, split};
use super::work::check_work;
use crate::block::{BodyLeaves, VerifiedBlock, Withheld};
use crate::error::ChainError;
use crate::ledger::Ledger;
use crate::registry::ChainSpec;
use crate::unprovable::{UnprovablePart, UnprovableRange};

/// Start of a witness commitment script: `OP_RETURN`, a push of 36 bytes, and the four commitment bytes (BIP 141). 32
/// bytes follow.
const COMMITMENT_SCRIPT: [u8; 6] = [0x6a, 0x24, 0xaa, 0x21, 0xa9, 0xed];

/// Recomputes a Bitcoin family block. A header alone has the extent `header`. The error names the first field at fault.
pub fn verify(row: &ChainSpec, untrusted: &RawBitcoinBlock) -> Result<VerifiedBlock, ChainError> {
    let params = params(row)?;
    let RawBitcoinBlock { number, hash, bytes } = untrusted;
    if number.0 > SAFE_INTEGER_MAX {
        let field = "height".into();
        let got = number.to_string();
        return Err(ChainError::OutOfRange { field, got, expected: SAFE_INTEGER_MAX });
    }
    if row.rule_at(*number) != Some(HashRule::Bitcoin) {
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
    let mut body = None;
    let mut withheld = None;
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
        leaves: BodyLeaves::default(),
        withheld: withheld.map(Withheld::ByRule),
        signed: None,
    })
}

/// Row's reason to keep only the header of a block with a transaction as long as an inner node.
fn unprovable(params: &BitcoinParams, number: BlockNumber) -> Option<String> {
    let is_it = |one: &&UnprovableRange| {
        one.what == UnprovablePart::BodyWithNodeSized && one.holds_at(number)
    };
    params.unprovable.iter().find(is_it).map(|one| one.why.clone())
}

fn params(row: &ChainSpec) -> Result<&BitcoinParams, ChainError> {
    let Ledger::Bitcoin(params) = &row.ledger else {
        return Err(ChainError::NotCollected { chain: row.key() });
    };
    Ok(params)
}

/// Only the first block has no parent, and the first hash matches the CAIP-2 name.
fn check_first(row: &ChainSpec, number: BlockNumber, header: &Header) -> Result<(), ChainError> {
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

/// Transaction tree, after both trees match the block's commitments; `None` if a transaction is as long as an inner
/// node and therefore `withheld` instead of refused. Inner nodes sent as transactions hide nothing: no 64-byte
/// transaction may be the coinbase.
fn transactions(
    list: &[SplitTransaction<'_>],
    header: &Header,
    number: BlockNumber,
    params: &BitcoinParams,
    withholds_node_sized: bool,
) -> Result<Option<BitcoinTransactionTree>, ChainError> {
    let whole = BitcoinTransactionTree::build(list.iter().map(|one| one.leaf.clone()).collect());
    let root = whole.root().map_err(|source| tree("merkleroot", source))?;
    if root != header.merkle_root {
        return Err(ChainError::mismatch("merkleroot", header.merkle_root, root));
    }
    let mut coinbase = None;
    let mut is_withheld = false;
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

/// BIP 34: the coinbase script begins with the height, in the shortest push.
fn check_height(
    coinbase: &Transaction,
    number: BlockNumber,
    params: &BitcoinParams,
) -> Result<(), ChainError> {
    let script = coinbase.inputs.first().map(|input| input.script_sig.as_slice());
    let script = script.unwrap_or_default();
    let expected = height_script(number.0);
    if number.0 < params.coinbase_height_from || script.starts_with(&expected) {
        return Ok(());
    }
    let shown = script.get(..script.len().min(expected.len())).unwrap_or_default();
    let got = const_hex::encode(shown);
    let expected = const_hex::encode(expected);
    Err(ChainError::mismatch("height in the coinbase", got, format!("{expected} for {number}")))
}

/// A number's script push: `OP_0`, `OP_1` to `OP_16`, otherwise little-endian bytes with room for the sign.
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

/// BIP 141: the coinbase commits to all witnesses sent. Blocks without witnesses are not compared, since no witness is
/// stored.
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

/// Commitment in an output, if the script is a commitment.
fn commitment(output: &TransactionOutput) -> Option<Hash> {
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
