//! Solana family objects, from proven bytes. Signatures, hashes and addresses are in base58, as in nodes; hashes of the
//! proof itself are in hex.
//!
//! ```text
//! rawTransaction                                     the transaction as it was signed
//! hashBefore signatureIndex signatureCount           its record, and its place there
//! signatureSiblings                                  a path for each of its signatures
//! records { numHashes mixin } tailHashes             the way on to the blockhash
//! ```

pub(in crate::proof) mod body;

use serde_json::{Value, json};
use superroot_proof::bundle::{Facts, ProofSubject, ProvenTransaction};
use superroot_proof::ledger::solana::{
    ENTRIES_MAX, Header, Instruction, Lookup, Record, RecordProof, Transaction, signatures,
    transaction_hash,
};
use superroot_types::Hash;

use super::Named;
use super::spelling::{self, HashSpelling, base58 as base58_hash};
use crate::member::Member;
use crate::proof::body::{
    LedgerEntry, ObjectForm, ProvenEntry, RecordPart, SolanaEntry, SolanaHeader, SolanaInstruction,
    SolanaLookup, SolanaMessage, SolanaMessageHeader, SolanaTransaction,
};
use crate::{Hex, WireError};

/// Maximum signatures in a transaction, limited by the transaction size.
const SIGNATURES_MAX: usize = 19;
const PATH_MAX: usize = 16;

fn base58(bytes: &[u8]) -> String {
    bs58::encode(bytes).into_string()
}

/// Returns the leaf for a base58 signature: 64 bytes, at most 88 digits.
pub(super) fn parse_signature(text: &str) -> Option<Hash> {
    let bytes = (text.len() <= 88).then(|| bs58::decode(text).into_vec().ok()).flatten()?;
    let signature: [u8; 64] = bytes.try_into().ok()?;
    Some(superroot_proof::ledger::solana::signature_leaf(&signature))
}

/// Hashes in explorers.
pub(super) const SPELLING: Option<HashSpelling> = Some(HashSpelling {
    parse: |text| parse_signature(text).or_else(|| base58_hash(text)),
    ..spelling::BASE58
});

/// Entry members that are only claims where no hash binds the position.
pub(super) const CLAIMED_WITH_INDEX: &[&str] = &["signatureCount"];

/// Why the ledger has no receipts root.
pub(super) const NO_RECEIPTS: Option<&str> =
    Some("a blockhash commits to signatures alone: neither status nor logs are committed to");

/// Renders the header, which is only a hash.
pub(super) fn header(header: &Header, _: &Hash, _: ObjectForm) -> Value {
    let Header { blockhash } = header;
    let shown = SolanaHeader { hash: *blockhash, blockhash: base58(&blockhash.0) };
    serde_json::to_value(shown).unwrap_or_default()
}

/// Renders level 1: path, with decoded content.
pub(super) fn entry(proof: &RecordProof, facts: &Facts, _: ObjectForm) -> ProvenEntry {
    let proven = facts.transaction.as_ref();
    let read = proven.and_then(|proven| Transaction::decode(&proven.raw).ok());
    let transaction = proven
        .zip(read)
        .and_then(|(proven, read)| serde_json::to_value(transaction(proven.hash, &read)).ok());
    let record = |one: &Record| RecordPart { num_hashes: one.num_hashes, mixin: one.mixin };
    ProvenEntry {
        transactions_root: facts.transactions_root,
        raw_transaction: proven.map(|proven| Hex(proven.raw.clone())),
        transaction_hash: proven.map(|proven| proven.hash),
        transaction: transaction.map(Value::into),
        of_ledger: Some(LedgerEntry::Solana(SolanaEntry {
            transaction_signature: proven.and_then(|proven| first_signature(&proven.raw)),
            index_bound: facts.index_bound,
            block_bound: facts.block_bound,
            hash_before: proof.before,
            signature_index: proof.signature_index,
            signature_count: proof.signature_count,
            signature_siblings: proof.paths.clone(),
            records: proof.records.iter().map(record).collect(),
            tail_hashes: proof.tail_hashes,
        })),
        ..ProvenEntry::default()
    }
}

fn first_signature(raw: &[u8]) -> Option<String> {
    signatures(raw).ok()?.next().map(|signature| base58(signature))
}

fn transaction(hash: Hash, read: &Transaction) -> SolanaTransaction {
    let instruction = |one: &Instruction| SolanaInstruction {
        program_id_index: one.program_index,
        accounts: one.account_indexes.clone(),
        data: base58(&one.data),
    };
    let lookup = |one: &Lookup| SolanaLookup {
        account_key: base58(&one.table.0),
        writable_indexes: one.writable_indexes.clone(),
        readonly_indexes: one.readonly_indexes.clone(),
    };
    SolanaTransaction {
        hash,
        signatures: read.signatures.iter().map(|one| base58(one)).collect(),
        version: read.version.map_or_else(|| "legacy".to_owned(), |version| version.to_string()),
        message: SolanaMessage {
            header: SolanaMessageHeader {
                num_required_signatures: read.signatures.len(),
                num_readonly_signed_accounts: read.readonly_signed,
                num_readonly_unsigned_accounts: read.readonly_unsigned,
            },
            account_keys: read.account_keys.iter().map(|key| base58(&key.0)).collect(),
            recent_blockhash: base58(&read.recent_blockhash.0),
            instructions: read.instructions.iter().map(instruction).collect(),
            address_table_lookups: read.lookups.iter().map(lookup).collect(),
        },
    }
}

/// Whether the proof shows the transaction outcome (success or failure).
pub(super) const fn shows_outcome(_: &RecordProof, _: &Facts) -> bool {
    false
}

/// Parses the path.
pub(super) fn parse_entry(root: &Member<'_>, _: ProofSubject) -> Result<RecordProof, WireError> {
    let paths = root.get("signatureSiblings")?.items(SIGNATURES_MAX)?;
    let records = root.get("records")?;
    let most = usize::try_from(ENTRIES_MAX).unwrap_or(usize::MAX);
    let record = |one: &Member<'_>| {
        let num_hashes = one.get("numHashes")?.position()?;
        Ok(Record { num_hashes, mixin: one.get("mixin")?.hash()? })
    };
    Ok(RecordProof {
        before: root.get("hashBefore")?.hash()?,
        transaction: root.get("rawTransaction")?.bytes()?,
        signature_index: root.get("signatureIndex")?.position()?,
        signature_count: root.get("signatureCount")?.position()?,
        paths: paths.iter().map(|path| path.hashes(PATH_MAX)).collect::<Result<_, _>>()?,
        records: records.items(most)?.iter().map(record).collect::<Result<_, WireError>>()?,
        tail_hashes: root.get("tailHashes")?.position()?,
    })
}

/// Lists the unverified content of a proof in figures.
pub(super) fn parts(proof: &RecordProof) -> Vec<(&'static str, Vec<Named>)> {
    let mut figures = vec![
        ("transaction_bytes", json!(proof.transaction.len())),
        ("signature_count", json!(proof.signature_count)),
        ("record_count", json!(proof.records.len())),
        ("hash_count", json!(proof.hash_count().ok())),
    ];
    if let Ok(hash) = transaction_hash(&proof.transaction) {
        figures.insert(0, ("transaction_hash", json!(hash)));
    }
    if let Some(signature) = first_signature(&proof.transaction) {
        figures.insert(0, ("transaction_signature", json!(signature)));
    }
    vec![("record of the transaction", figures)]
}

/// Returns the transaction's other names besides the hash.
pub(super) fn transaction_in_short(
    _: &RecordProof,
    proven: &ProvenTransaction,
    _: &Facts,
) -> Vec<Named> {
    let signature = first_signature(&proven.raw);
    signature.map(|signature| ("transaction_signature", json!(signature))).into_iter().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_signature_leads_to_the_hash_of_its_leaf() {
        let signature = [7; 64];
        let text = base58(&signature);
        let leaf = superroot_proof::ledger::solana::signature_leaf(&signature);
        assert_eq!(parse_signature(&text), Some(leaf));
        for text in [&text[1..], &format!("{text}1"), "", "0", &"1".repeat(90)] {
            assert_eq!(parse_signature(text), None, "{text}");
        }
        assert_eq!(parse_signature(&base58(&[7; 32])), None);
    }
}
