//! Bitcoin family objects, from proven bytes. Hashes are in hashing byte order, each with the reversed form of
//! explorers and nodes, without `0x`. Amounts are satoshi as decimal text.
//!
//! ```text
//! transactionCount                      bound where the proof is of the last transaction
//! siblings rawTransaction               branch of the transaction, from the leaf upward
//! coinbase { rawTransaction siblings }  branch of the first, where the other is not that
//! lastTransaction { the same }          in an absence: nothing stands right of it
//! ```

pub(in crate::proof) mod body;

use serde_json::{Value, json};
use superroot_proof::bundle::{
    Branch, BranchProofs, Facts, ProofSubject, ProvenOutput, ProvenTransaction,
};
use superroot_proof::ledger::bitcoin::{
    Header, Input, Transaction, TransactionOutput, transaction_hash,
};
use superroot_types::Hash;

use super::spelling::HashSpelling;
use super::{EventPlace, Named};
use crate::member::Member;
use crate::proof::body::{
    BitcoinEntry, BitcoinHeader, BitcoinInput, BitcoinOutput, BitcoinTransaction, BranchPart,
    EventPart, LedgerEntry, ObjectForm, ProvenEntry,
};
use crate::proof::hex::hex;
use crate::{Hex, WireError};

/// Maximum hashes in a transaction branch.
const BRANCH_MAX: usize = 15;

/// Returns a hash in explorer form: reversed bytes, without `0x`.
#[must_use]
pub(super) fn explorer_hash(hash: &Hash) -> String {
    let mut bytes = hash.0;
    bytes.reverse();
    const_hex::encode(bytes)
}

/// Parses a hash in explorer form: 64 hex digits without `0x`, reversed bytes.
#[must_use]
pub(super) fn parse_explorer_hash(text: &str) -> Option<Hash> {
    let is_plain = text.len() == 64 && text.bytes().all(|byte| byte.is_ascii_hexdigit());
    let mut bytes: [u8; 32] = const_hex::decode(text).ok().filter(|_| is_plain)?.try_into().ok()?;
    bytes.reverse();
    Some(Hash(bytes))
}

/// Event proof members that no hash shows.
pub(super) const UNSHOWN_OF_EVENTS: &[&str] = &[];

/// Hashes in explorers.
pub(super) const SPELLING: Option<HashSpelling> =
    Some(HashSpelling { write: explorer_hash, parse: parse_explorer_hash });

/// Entry members that are only claims where no hash binds the position.
pub(super) const CLAIMED_WITH_INDEX: &[&str] = &[];

/// Why the ledger has no receipts root.
pub(super) const NO_RECEIPTS: Option<&str> =
    Some("Bitcoin has no receipts: the transaction itself, which is proven, has its outputs");

/// Renders the header fields.
pub(super) fn header(header: &Header, block_hash: &Hash, _: ObjectForm) -> Value {
    json!(BitcoinHeader {
        hash: *block_hash,
        explorer_hash: explorer_hash(block_hash),
        parent_hash: header.parent_hash,
        merkle_root: header.merkle_root,
        version: header.version,
        timestamp: header.time,
        bits: format!("{:#010x}", header.bits),
        nonce: header.nonce,
    })
}

/// Renders level 1: branches, with decoded content.
pub(super) fn entry(branches: &BranchProofs, facts: &Facts, form: ObjectForm) -> ProvenEntry {
    let BranchProofs { tx_count, transaction: shown, coinbase } = branches;
    let proven = facts.transaction.as_ref();
    let spelled = proven.filter(|proven| form.spells(&proven.raw));
    let read =
        spelled.and_then(|proven| Transaction::decode(&proven.raw).ok().zip(Some(proven.hash)));
    ProvenEntry {
        transactions_root: facts.transactions_root,
        siblings: proven.map(|_| shown.siblings.iter().map(|one| Hex(one.0.to_vec())).collect()),
        raw_transaction: proven.map(|proven| Hex(proven.raw.clone())),
        transaction_hash: proven.map(|proven| proven.hash),
        transaction: read.map(|(read, hash)| transaction(&read, &hash, facts).into()),
        of_ledger: Some(LedgerEntry::Bitcoin(BitcoinEntry {
            txid: proven.map(|proven| explorer_hash(&proven.hash)),
            transaction_count: *tx_count,
            coinbase: coinbase.as_ref().map(BranchPart::from),
            last_transaction: proven.is_none().then(|| shown.into()),
        })),
        ..ProvenEntry::default()
    }
}

/// Renders an output; outputs have no bloom bits.
pub(super) fn event(
    proven: &ProvenOutput,
    place: EventPlace,
    _: &Facts,
    _: ObjectForm,
) -> EventPart {
    EventPart { event: json!(output(&proven.output, place)).into(), bloom: None }
}

impl From<&Branch> for BranchPart {
    fn from(branch: &Branch) -> Self {
        let Branch { leaf, siblings } = branch.clone();
        let transaction_hash = transaction_hash(&leaf);
        let txid = explorer_hash(&transaction_hash);
        Self { transaction_hash, txid, raw_transaction: Hex(leaf), siblings }
    }
}

fn transaction(read: &Transaction, hash: &Hash, facts: &Facts) -> Value {
    let inputs = read.inputs.iter().map(|one| input(one, read.is_coinbase()));
    let outputs =
        (0_u32..).zip(&read.outputs).map(|(log_index, one)| output(one, (log_index, None)));
    json!(BitcoinTransaction {
        hash: *hash,
        txid: explorer_hash(hash),
        transaction_index: facts.statement.subject.tx_index(),
        version: read.version,
        lock_time: read.lock_time,
        inputs: inputs.collect(),
        outputs: outputs.collect(),
    })
}

fn input(input: &Input, is_coinbase: bool) -> BitcoinInput {
    let script = Hex(input.script_sig.clone());
    let sequence = input.sequence;
    if is_coinbase {
        return BitcoinInput { coinbase: Some(script), sequence, ..BitcoinInput::default() };
    }
    BitcoinInput {
        previous_hash: Some(input.previous.transaction_hash),
        previous_txid: Some(explorer_hash(&input.previous.transaction_hash)),
        previous_index: Some(input.previous.index),
        script_sig: Some(script),
        coinbase: None,
        sequence,
    }
}

fn output(
    output: &TransactionOutput,
    (log_index, log_index_in_block): EventPlace,
) -> BitcoinOutput {
    BitcoinOutput {
        log_index,
        log_index_in_block,
        value_sats: output.value_sats.to_string(),
        script_pub_key: Hex(output.script_pubkey.clone()),
    }
}

/// Whether the proof shows the transaction outcome (success or failure).
pub(super) const fn shows_outcome(_: &BranchProofs, _: &Facts) -> bool {
    // a failed transaction is not in a block
    true
}

/// Parses the branches. The branch for an absence is the last transaction's, in a separate member.
pub(super) fn parse_entry(
    root: &Member<'_>,
    subject: ProofSubject,
) -> Result<BranchProofs, WireError> {
    let tx_count = root.get("transactionCount")?.position()?;
    let transaction = match subject {
        ProofSubject::Absence { .. } => parse_branch(&root.get("lastTransaction")?)?,
        ProofSubject::Block | ProofSubject::Transaction { .. } | ProofSubject::Log { .. } => {
            parse_branch(root)?
        }
    };
    let coinbase =
        root.optional("coinbase")?.map(|coinbase| parse_branch(&coinbase)).transpose()?;
    Ok(BranchProofs { tx_count, transaction, coinbase })
}

fn parse_branch(members: &Member<'_>) -> Result<Branch, WireError> {
    let leaf = members.get("rawTransaction")?.bytes()?;
    Ok(Branch { leaf, siblings: members.get("siblings")?.hashes(BRANCH_MAX)? })
}

/// Lists the unverified content of a proof: each branch and leaf in figures.
pub(super) fn parts(branches: &BranchProofs) -> Vec<(&'static str, Vec<Named>)> {
    let BranchProofs { tx_count, transaction, coinbase } = branches;
    let coinbase = coinbase.as_ref().map(|one| ("branch of the coinbase", one));
    let branches = [Some(("branch of the transaction", transaction)), coinbase];
    branches.into_iter().flatten().map(|(what, one)| (what, figures(one, *tx_count))).collect()
}

fn figures(branch: &Branch, tx_count: u32) -> Vec<Named> {
    let hash = transaction_hash(&branch.leaf);
    vec![
        ("transaction_hash", json!(hash)),
        ("txid", json!(explorer_hash(&hash))),
        ("transaction_bytes", json!(branch.leaf.len())),
        ("sibling_count", json!(branch.siblings.len())),
        ("transaction_count", json!(tx_count)),
    ]
}

/// Returns the transaction's other names besides the hash.
pub(super) fn transaction_in_short(
    _: &BranchProofs,
    proven: &ProvenTransaction,
    _: &Facts,
) -> Vec<Named> {
    vec![("txid", json!(explorer_hash(&proven.hash)))]
}

/// Summarises an output in words and values.
pub(super) fn event_in_short(proven: &ProvenOutput, log_index: u32) -> (String, Vec<Named>) {
    let TransactionOutput { value_sats, script_pubkey } = &proven.output;
    let value = ("value_sats", json!(value_sats.to_string()));
    let members = vec![value, ("script_pub_key", hex(script_pubkey))];
    (format!("output {log_index} of the {}", proven.output_count), members)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn explorers_show_hashes_reversed() {
        let mut hash = Hash::ZERO;
        hash.0[0] = 0xab;
        let text = explorer_hash(&hash);
        assert_eq!(text, format!("{}ab", "00".repeat(31)));
        assert_eq!(parse_explorer_hash(&text), Some(hash));
        for text in ["", &text[1..], &format!("0x{}", &text[2..]), &text.replace('a', "x")] {
            assert_eq!(parse_explorer_hash(text), None, "{text}");
        }
    }
}
