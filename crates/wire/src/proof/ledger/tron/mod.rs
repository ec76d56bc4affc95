//! Tron family objects, from proven bytes. Hashes are 0x hex, each with the explorer form without `0x`; addresses are
//! in Base58Check and hex.
//!
//! ```text
//! transactionCount              bound where the proof is of the last transaction
//! siblings rawTransaction       branch of the transaction, from the leaf upward
//! peaks [{ .. }]                first leaves of what hangs left of it: where it stands
//! lastTransaction { .. }        in an absence: nothing stands right of it
//! ```

pub(in crate::proof) mod body;

use serde_json::{Value, json};
use superroot_proof::bundle::{Facts, ProofSubject, ProvenTransaction};
use superroot_proof::hash::sha256d;
use superroot_proof::ledger::tron::{
    Branch, CONTRACT_RESULTS, Contract, EdgeProof, Header, Transaction, leaf_hash,
};
use superroot_types::Hash;

use super::Named;
use super::spelling::{self, HashSpelling};
use crate::member::Member;
use crate::proof::body::{
    LedgerEntry, ObjectForm, ProvenEntry, TronAddress, TronBranch, TronContract, TronEntry,
    TronHeader, TronTransaction,
};
use crate::{Hex, WireError};

/// Maximum hashes in a branch: a block has fewer than 2^15 transactions.
const BRANCH_MAX: usize = 15;
/// An address's first byte.
const ADDRESS_MARK: u8 = 0x41;
const ADDRESS_BYTES: usize = 21;
/// Checksum bytes after an address in Base58Check.
const SUM_BYTES: usize = 4;

/// Hashes in explorers.
pub(super) const SPELLING: Option<HashSpelling> = Some(spelling::PLAIN_HEX);

/// Entry members that are only claims where no hash binds the position.
pub(super) const CLAIMED_WITH_INDEX: &[&str] = &[];

/// Why the ledger has no receipts root.
pub(super) const NO_RECEIPTS: Option<&str> = Some(
    "no header of Tron commits to receipts or logs; contractRet, which is inside \
                           the transaction's leaf, says what came of it",
);

/// Renders the header fields.
pub(super) fn header(header: &Header, block_hash: &Hash, _: ObjectForm) -> Value {
    json!(TronHeader {
        hash: *block_hash,
        explorer_hash: plain(block_hash),
        parent_hash: header.parent_hash,
        number: header.number,
        timestamp_ms: header.timestamp_ms,
        tx_trie_root: header.tx_trie_root,
        witness: address(&header.witness_address),
        version: header.version,
    })
}

/// Renders level 1: branches, with decoded content.
pub(super) fn entry(edge: &EdgeProof, facts: &Facts, _: ObjectForm) -> ProvenEntry {
    let proven = facts.transaction.as_ref();
    let siblings =
        edge.transaction.as_ref().map(|shown| &shown.siblings).filter(|_| proven.is_some());
    let last = edge.transaction.as_ref().filter(|_| proven.is_none());
    ProvenEntry {
        transactions_root: facts.transactions_root,
        siblings: siblings.map(|all| all.iter().map(|one| Hex(one.0.to_vec())).collect()),
        raw_transaction: proven.map(|proven| Hex(proven.raw.clone())),
        transaction_hash: proven.map(|proven| proven.hash),
        transaction: proven.and_then(|proven| transaction(proven, facts)).map(Value::into),
        of_ledger: Some(LedgerEntry::Tron(TronEntry {
            txid: proven.map(|proven| plain(&proven.hash)),
            transaction_count: edge.tx_count,
            peaks: edge.peaks.iter().map(TronBranch::from).collect(),
            last_transaction: last.map(TronBranch::from),
        })),
        ..ProvenEntry::default()
    }
}

impl From<&Branch> for TronBranch {
    fn from(branch: &Branch) -> Self {
        let Branch { leaf, siblings } = branch.clone();
        Self { leaf_hash: leaf_hash(&leaf), raw_transaction: Hex(leaf), siblings }
    }
}

fn transaction(proven: &ProvenTransaction, facts: &Facts) -> Option<Value> {
    let read = Transaction::decode(&proven.raw).ok()?;
    Some(json!(TronTransaction {
        hash: proven.hash,
        txid: plain(&proven.hash),
        transaction_index: facts.statement.subject.tx_index(),
        contract_ret: read.contract_ret.map(result_name),
        contract: Contract::read(read.raw_data).as_ref().map(contract),
    }))
}

fn result_name(number: u64) -> String {
    let name = usize::try_from(number).ok().and_then(|place| CONTRACT_RESULTS.get(place));
    name.map_or_else(|| number.to_string(), |name| (*name).to_owned())
}

/// Returns the fields of the most frequent contract calls: java-tron `balance_contract.proto`,
/// `asset_issue_contract.proto`, `smart_contract.proto`.
fn contract(read: &Contract<'_>) -> TronContract {
    let of = |number| read.bytes(number).and_then(address);
    let bytes = |number| read.bytes(number).map(|bytes| Hex(bytes.to_vec()));
    let amount = |number| read.number(number).map(|amount| amount.to_string());
    let contract_type = read.kind;
    let named = |name, owner, to, amount, token, data| TronContract {
        contract_type,
        name,
        owner,
        to,
        amount,
        token,
        data,
    };
    match contract_type {
        1 => named(Some("TransferContract"), of(1), of(2), amount(3), None, None),
        2 => named(Some("TransferAssetContract"), of(2), of(3), amount(4), bytes(1), None),
        31 => named(Some("TriggerSmartContract"), of(1), of(2), amount(3), None, bytes(4)),
        _ => named(None, None, None, None, None, None),
    }
}

/// Returns a hash in explorer form.
fn plain(hash: &Hash) -> String {
    const_hex::encode(hash.0)
}

/// Decodes an address; `None` for invalid bytes.
fn address(bytes: &[u8]) -> Option<TronAddress> {
    let is_one = bytes.len() == ADDRESS_BYTES && bytes.first() == Some(&ADDRESS_MARK);
    is_one.then(|| TronAddress { base58: base58(bytes), hex: Hex(bytes.to_vec()) })
}

/// Encodes `Base58Check`: the bytes, and four bytes from their double hash.
fn base58(bytes: &[u8]) -> String {
    let sum = sha256d(&[bytes]);
    let with_sum = [bytes, sum.0.get(..SUM_BYTES).unwrap_or_default()].concat();
    bs58::encode(with_sum).into_string()
}

/// Whether the proof shows the transaction outcome (success or failure).
pub(super) const fn shows_outcome(_: &EdgeProof, _: &Facts) -> bool {
    // the leaf says so
    true
}

/// Parses the branches. The branch for an absence is the last transaction's, in a separate member; an empty block has
/// no branch.
pub(super) fn parse_entry(
    root: &Member<'_>,
    subject: ProofSubject,
) -> Result<EdgeProof, WireError> {
    let tx_count = root.get("transactionCount")?.position()?;
    let transaction = match subject {
        ProofSubject::Absence { .. } => root.optional("lastTransaction")?.as_ref().map(branch),
        ProofSubject::Block | ProofSubject::Transaction { .. } | ProofSubject::Log { .. } => {
            Some(branch(root))
        }
    };
    let peaks = match root.optional("peaks")? {
        Some(peaks) => peaks.items(BRANCH_MAX)?.iter().map(branch).collect::<Result<_, _>>()?,
        None => Vec::new(),
    };
    Ok(EdgeProof { tx_count, transaction: transaction.transpose()?, peaks })
}

fn branch(members: &Member<'_>) -> Result<Branch, WireError> {
    let leaf = members.get("rawTransaction")?.bytes()?;
    // what stands right of a subtree comes on top of its height
    Ok(Branch { leaf, siblings: members.get("siblings")?.hashes(BRANCH_MAX + 1)? })
}

/// Lists the unverified content of a proof: each branch and leaf in figures.
pub(super) fn parts(edge: &EdgeProof) -> Vec<(&'static str, Vec<Named>)> {
    let EdgeProof { tx_count, transaction, peaks } = edge;
    let transaction = transaction.iter().map(|one| ("branch of the transaction", one));
    let peaks = peaks.iter().map(|one| ("branch of a peak left of it", one));
    let parts = transaction.chain(peaks);
    parts.map(|(what, one)| (what, figures(one, *tx_count))).collect()
}

fn figures(branch: &Branch, tx_count: u32) -> Vec<Named> {
    let mut figures = vec![("leaf_hash", json!(leaf_hash(&branch.leaf)))];
    let read = Transaction::decode(&branch.leaf).ok();
    figures.extend(read.map(|read| ("txid", json!(plain(&read.hash())))));
    figures.push(("transaction_bytes", json!(branch.leaf.len())));
    figures.push(("sibling_count", json!(branch.siblings.len())));
    figures.push(("transaction_count", json!(tx_count)));
    figures
}

/// Returns the transaction's other names besides the hash, the call, and the outcome.
pub(super) fn transaction_in_short(
    _: &EdgeProof,
    proven: &ProvenTransaction,
    _: &Facts,
) -> Vec<Named> {
    let mut members = vec![("txid", json!(plain(&proven.hash)))];
    let Ok(read) = Transaction::decode(&proven.raw) else { return members };
    members.push(("contract_ret", json!(read.contract_ret.map(result_name))));
    let Some(read) = Contract::read(read.raw_data) else { return members };
    let TronContract { contract_type, name, owner, to, amount, .. } = contract(&read);
    members.push(("contract", name.map_or_else(|| json!(contract_type), |name| json!(name))));
    let addresses = [("owner", owner), ("to", to)].into_iter();
    let addresses = addresses.filter_map(|(name, one)| one.map(|one| (name, json!(one.base58))));
    members.extend(addresses);
    members.extend(amount.map(|amount| ("amount", json!(amount))));
    members
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The contract of USDT, as everybody writes it.
    #[test]
    fn addresses_are_written_as_explorers_write_them() {
        let bytes = const_hex::decode("41a614f803b6fd780986a42c78ec9c7f77e6ded13c").unwrap();
        let shown = address(&bytes).unwrap();
        assert_eq!(shown.base58, "TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t");
        assert_eq!(shown.hex, Hex(bytes.clone()));
        assert!(address(&bytes[1..]).is_none() && address(&[0x42; 21]).is_none());
    }

    #[test]
    fn results_without_a_name_are_shown_as_numbers() {
        assert_eq!((result_name(1), result_name(2)), ("SUCCESS".into(), "REVERT".into()));
        assert_eq!((result_name(16), result_name(u64::MAX)), ("16".into(), u64::MAX.to_string()));
    }
}
