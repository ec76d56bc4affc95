//! Rule-conforming checkpoints for simulated networks and tests: contents V2, effects V2, transactions without action.

use superroot_proof::ledger::sui::{
    checkpoint_digest, contents_digest, effects_digest, events_digest, transaction_digest,
};
use superroot_types::Hash;

use super::raw::{RawContents, RawSuiBlock, RawSuiTransaction};

#[derive(Clone, Debug)]
pub struct CheckpointPlan {
    pub epoch: u64,
    pub sequence_number: u64,
    /// Previous digest; ignored in the first checkpoint.
    pub previous_digest: Hash,
    /// Network transactions before the checkpoint.
    pub transactions_before: u64,
    /// Milliseconds since 1970.
    pub timestamp_ms: u64,
    pub transactions: Vec<TransactionPlan>,
    /// The next committee's members, if the checkpoint ends its epoch: count, then key length, key and stake of each.
    pub next_committee: Option<Vec<u8>>,
}

#[derive(Clone, Debug)]
pub struct TransactionPlan {
    pub sender: Hash,
    /// Input, unused.
    pub input: Vec<u8>,
    /// Success; otherwise out of gas.
    pub is_success: bool,
    /// Event contents, if successful.
    pub events: Vec<Vec<u8>>,
}

/// Module and type name of simulated events.
const MODULE: &str = "simulated";
const TYPE: &str = "Happened";
/// Emitting package `0x5`.
const PACKAGE: Hash = {
    let mut package = [0; 32];
    package[31] = 5;
    Hash(package)
};
/// Ed25519 signature after the flag, with the key: 97 bytes.
const SIGNATURE: [u8; 98] = {
    let mut bytes = [0x5e; 98];
    (bytes[0], bytes[1]) = (97, 0);
    bytes
};

/// A plan's checkpoint, in node form, unsigned.
#[must_use]
pub fn build_checkpoint(plan: &CheckpointPlan) -> RawSuiBlock {
    let transactions: Vec<_> =
        plan.transactions.iter().map(|one| transaction(one, plan.epoch)).collect();
    let mut contents = vec![1];
    put_length(&mut contents, transactions.len());
    for one in &transactions {
        put_digest(&mut contents, &transaction_digest(&one.transaction));
        put_digest(&mut contents, &effects_digest(&one.effects));
        contents.push(1);
        contents.extend_from_slice(&SIGNATURE);
        contents.push(0);
    }
    let count = u64::try_from(transactions.len()).unwrap_or(u64::MAX);
    let total = plan.transactions_before.saturating_add(count);
    let mut summary = Vec::new();
    for number in [plan.epoch, plan.sequence_number, total] {
        summary.extend_from_slice(&number.to_le_bytes());
    }
    put_digest(&mut summary, &contents_digest(&contents));
    summary.push(u8::from(plan.sequence_number > 0));
    if plan.sequence_number > 0 {
        put_digest(&mut summary, &plan.previous_digest);
    }
    summary.extend_from_slice(&[0; 32]);
    summary.extend_from_slice(&plan.timestamp_ms.to_le_bytes());
    // no commitments
    summary.push(0);
    match &plan.next_committee {
        None => summary.push(0),
        Some(members) => {
            summary.push(1);
            summary.extend_from_slice(members);
            summary.extend_from_slice(&1_u64.to_le_bytes());
            summary.push(0);
        }
    }
    // no version specific data
    summary.push(0);
    RawSuiBlock {
        digest: checkpoint_digest(&summary),
        summary,
        certificate: None,
        contents: Some(RawContents { contents, transactions }),
    }
}

fn transaction(plan: &TransactionPlan, epoch: u64) -> RawSuiTransaction {
    // V1, a programmable transaction of one pure input and no command
    let mut transaction = vec![0, 0, 1, 0];
    put_bytes(&mut transaction, &plan.input);
    transaction.push(0);
    transaction.extend_from_slice(&plan.sender.0);
    // paid by the sender with no coin of its own choice
    transaction.push(0);
    transaction.extend_from_slice(&plan.sender.0);
    for number in [1_000_u64, 5_000_000] {
        transaction.extend_from_slice(&number.to_le_bytes());
    }
    transaction.push(0);
    let events = events(plan);
    let mut effects = vec![1, u8::from(!plan.is_success)];
    if !plan.is_success {
        effects.extend_from_slice(&[0, 0]); // out of gas, in no command
    }
    effects.extend_from_slice(&epoch.to_le_bytes());
    effects.extend_from_slice(&[0; 32]);
    put_digest(&mut effects, &transaction_digest(&transaction));
    effects.extend_from_slice(&[0, u8::from(events.is_some())]);
    if let Some(events) = &events {
        put_digest(&mut effects, &events_digest(events));
    }
    effects.push(0);
    effects.extend_from_slice(&1_u64.to_le_bytes());
    effects.extend_from_slice(&[0; 3]);
    RawSuiTransaction { transaction, effects, events }
}

fn events(plan: &TransactionPlan) -> Option<Vec<u8>> {
    if !plan.is_success || plan.events.is_empty() {
        return None;
    }
    let mut events = Vec::new();
    put_length(&mut events, plan.events.len());
    for contents in &plan.events {
        events.extend_from_slice(&PACKAGE.0);
        put_bytes(&mut events, MODULE.as_bytes());
        events.extend_from_slice(&plan.sender.0);
        events.extend_from_slice(&PACKAGE.0);
        put_bytes(&mut events, MODULE.as_bytes());
        put_bytes(&mut events, TYPE.as_bytes());
        events.push(0);
        put_bytes(&mut events, contents);
    }
    Some(events)
}

fn put_digest(out: &mut Vec<u8>, digest: &Hash) {
    out.push(32);
    out.extend_from_slice(&digest.0);
}

fn put_bytes(out: &mut Vec<u8>, bytes: &[u8]) {
    put_length(out, bytes.len());
    out.extend_from_slice(bytes);
}

/// ULEB128.
fn put_length(out: &mut Vec<u8>, length: usize) {
    let mut rest = length;
    loop {
        let [low, ..] = rest.to_le_bytes();
        rest >>= 7;
        if rest == 0 {
            return out.push(low & 0x7f);
        }
        out.push(low | 0x80);
    }
}
