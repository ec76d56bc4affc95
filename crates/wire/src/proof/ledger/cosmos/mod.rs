//! Cosmos family objects, from proven bytes. Hashes are 0x hex, each with the explorer form: upper-case hex without
//! `0x`. Validators are in hex and bech32.
//!
//! ```text
//! transactionCount                      bound where the proof is of the last transaction, or of none
//! siblings rawTransaction               branch of the transaction, from the leaf upward
//! peaks [{ transactionHash siblings }]  first transactions of what hangs left of it: where it stands
//! lastTransaction { .. }                in an absence: nothing stands right of it
//! ```

pub(in crate::proof) mod body;

use bech32::{Bech32, Hrp};
use serde_json::{Value, json};
use superroot_proof::bundle::{Facts, ProofSubject, ProvenTransaction};
use superroot_proof::ledger::cosmos::{
    Branch, Header, NO_EVENTS, PROPOSER_BYTES, PeakBranch, TreeProof, transaction_hash,
};
use superroot_types::Hash;

use super::Named;
use super::spelling::{self, HashSpelling};
use crate::member::Member;
use crate::proof::body::{
    CosmosAddress, CosmosBranch, CosmosEntry, CosmosHeader, CosmosPeak, CosmosTransaction,
    LedgerEntry, ObjectForm, ProvenEntry,
};
use crate::{Hex, WireError};

/// Maximum hashes in a branch, and maximum peaks: a block has at most 2^20 transactions.
const BRANCH_MAX: usize = 20;

/// Prefixes of Cosmos Hub chain ids and validator addresses.
const HUB: (&str, &str) = ("cosmoshub-", "cosmosvalcons");

/// Hashes in explorers.
pub(super) const SPELLING: Option<HashSpelling> = Some(spelling::UPPER_HEX);

/// Entry members that are only claims where no hash binds the position.
pub(super) const CLAIMED_WITH_INDEX: &[&str] = &[];

/// Why the ledger has no receipts root.
pub(super) const NO_RECEIPTS: Option<&str> = Some(NO_EVENTS.why);

/// Renders the header fields.
pub(super) fn header(header: &Header, block_hash: &Hash, _: ObjectForm) -> Value {
    let parent = header.last_block_id.as_ref();
    json!(CosmosHeader {
        hash: *block_hash,
        explorer_hash: plain(block_hash),
        parent_hash: parent.map_or(Hash::ZERO, |id| id.hash),
        parent_parts_hash: parent.map(|id| id.parts_hash),
        parent_part_count: parent.map(|id| id.part_count),
        chain_id: header.chain_id.clone(),
        number: header.height,
        timestamp: header.seconds,
        timestamp_nanos: header.nanos,
        version_block: header.version_block,
        version_app: header.version_app,
        last_commit_hash: header.last_commit_hash,
        data_hash: header.data_hash,
        validators_hash: header.validators_hash,
        next_validators_hash: header.next_validators_hash,
        consensus_hash: header.consensus_hash,
        app_hash: Hex(header.app_hash.clone()),
        last_results_hash: header.last_results_hash,
        evidence_hash: header.evidence_hash,
        proposer: proposer(&header.chain_id, &header.proposer_address),
    })
}

/// Renders level 1: branches, with decoded content.
pub(super) fn entry(tree: &TreeProof, facts: &Facts, _: ObjectForm) -> ProvenEntry {
    let TreeProof { tx_count, transaction: shown, peaks } = tree;
    let proven = facts.transaction.as_ref();
    let siblings = shown.as_ref().map(|shown| &shown.siblings).filter(|_| proven.is_some());
    let last = shown.as_ref().filter(|_| proven.is_none());
    ProvenEntry {
        transactions_root: facts.transactions_root,
        siblings: siblings.map(|all| all.iter().map(|one| Hex(one.0.to_vec())).collect()),
        raw_transaction: proven.map(|proven| Hex(proven.raw.clone())),
        transaction_hash: proven.map(|proven| proven.hash),
        transaction: proven.map(|proven| {
            json!(CosmosTransaction {
                hash: proven.hash,
                explorer_hash: plain(&proven.hash),
                transaction_index: facts.statement.subject.tx_index(),
                byte_count: proven.raw.len(),
            })
            .into()
        }),
        of_ledger: Some(LedgerEntry::Cosmos(CosmosEntry {
            explorer_transaction_hash: proven.map(|proven| plain(&proven.hash)),
            transaction_count: *tx_count,
            peaks: peaks.iter().map(CosmosPeak::from).collect(),
            last_transaction: last.map(CosmosBranch::from),
        })),
        ..ProvenEntry::default()
    }
}

impl From<&Branch> for CosmosBranch {
    fn from(branch: &Branch) -> Self {
        let Branch { transaction, siblings } = branch.clone();
        let transaction_hash = transaction_hash(&transaction);
        Self { transaction_hash, raw_transaction: Hex(transaction), siblings }
    }
}

impl From<&PeakBranch> for CosmosPeak {
    fn from(peak: &PeakBranch) -> Self {
        let PeakBranch { transaction_hash, siblings } = peak.clone();
        Self { transaction_hash, siblings }
    }
}

/// Returns a hash in explorer form.
fn plain(hash: &Hash) -> String {
    const_hex::encode_upper(hash.0)
}

fn proposer(chain_id: &str, address: &[u8; PROPOSER_BYTES]) -> CosmosAddress {
    let (prefix, valcons) = HUB;
    let hrp = chain_id.starts_with(prefix).then(|| Hrp::parse(valcons).ok()).flatten();
    let bech32 = hrp.and_then(|hrp| bech32::encode::<Bech32>(hrp, address).ok());
    CosmosAddress { hex: Hex(address.to_vec()), bech32 }
}

/// Whether the proof shows the transaction outcome (success or failure).
pub(super) const fn shows_outcome(_: &TreeProof, _: &Facts) -> bool {
    false
}

/// Parses the branches. The branch for an absence is the last transaction's, in a separate member; an empty block has
/// no branch.
pub(super) fn parse_entry(
    root: &Member<'_>,
    subject: ProofSubject,
) -> Result<TreeProof, WireError> {
    let tx_count = root.get("transactionCount")?.position()?;
    let transaction = match subject {
        ProofSubject::Absence { .. } => root.optional("lastTransaction")?.as_ref().map(branch),
        ProofSubject::Block | ProofSubject::Transaction { .. } | ProofSubject::Log { .. } => {
            Some(branch(root))
        }
    };
    let peaks = match root.optional("peaks")? {
        Some(peaks) => peaks.items(BRANCH_MAX)?.iter().map(peak).collect::<Result<_, _>>()?,
        None => Vec::new(),
    };
    Ok(TreeProof { tx_count, transaction: transaction.transpose()?, peaks })
}

fn branch(members: &Member<'_>) -> Result<Branch, WireError> {
    let transaction = members.get("rawTransaction")?.bytes()?;
    Ok(Branch { transaction, siblings: members.get("siblings")?.hashes(BRANCH_MAX)? })
}

fn peak(members: &Member<'_>) -> Result<PeakBranch, WireError> {
    let transaction_hash = members.get("transactionHash")?.hash()?;
    Ok(PeakBranch { transaction_hash, siblings: members.get("siblings")?.hashes(BRANCH_MAX)? })
}

/// Lists the unverified content of a proof: each branch in figures.
pub(super) fn parts(tree: &TreeProof) -> Vec<(&'static str, Vec<Named>)> {
    let TreeProof { tx_count, transaction, peaks } = tree;
    let count = ("transaction_count", json!(tx_count));
    let transaction = transaction.iter().map(|one| {
        let hash = transaction_hash(&one.transaction);
        let bytes = ("transaction_bytes", json!(one.transaction.len()));
        let siblings = ("sibling_count", json!(one.siblings.len()));
        let hashes = [("transaction_hash", json!(hash)), ("explorer_hash", json!(plain(&hash)))];
        let figures = hashes.into_iter().chain([bytes, siblings, count.clone()]);
        ("branch of the transaction", figures.collect())
    });
    let peaks = peaks.iter().map(|one| {
        let siblings = ("sibling_count", json!(one.siblings.len()));
        (
            "branch of a peak left of it",
            vec![("transaction_hash", json!(one.transaction_hash)), siblings],
        )
    });
    let parts: Vec<_> = transaction.chain(peaks).collect();
    if parts.is_empty() { vec![("a block without transactions", vec![count])] } else { parts }
}

/// Returns the transaction's other names besides the hash, and the length.
pub(super) fn transaction_in_short(
    _: &TreeProof,
    proven: &ProvenTransaction,
    _: &Facts,
) -> Vec<Named> {
    let bytes = ("transaction_bytes", json!(proven.raw.len()));
    vec![("explorer_hash", json!(plain(&proven.hash))), bytes]
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Read back by the prefix and the checksum of bech32.
    #[test]
    fn validators_are_written_as_explorers_write_them() {
        let address = [0; PROPOSER_BYTES];
        let shown = proposer("cosmoshub-4", &address);
        let read = bech32::decode(shown.bech32.as_deref().unwrap()).unwrap();
        assert_eq!((read.0.as_str(), read.1.as_slice()), ("cosmosvalcons", &address[..]));
        assert_eq!(proposer("mocha-4", &address).bech32, None);
        let hash = Hash([0xab; 32]);
        assert_eq!(plain(&hash), "AB".repeat(32));
    }
}
