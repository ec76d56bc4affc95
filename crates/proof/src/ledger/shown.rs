//! What level 1 of a proof has shown, out of bytes that were hashed on the way.

use alloc::vec::Vec;

use superroot_types::Hash;

use super::bitcoin::Output;
use super::evm::{Log, Receipt};
use super::icp;
use super::sui::Event;

/// A transaction that its block's tree holds at the statement's position.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProvenTransaction {
    /// Hash of the leaf by the ledger's own rule: the transaction hash.
    pub hash: Hash,
    /// The leaf: the transaction as it was signed; of the Bitcoin family, without its witness.
    pub raw: Vec<u8>,
}

/// A receipt that its block's trie holds at the statement's position.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProvenReceipt {
    /// The leaf.
    pub raw: Vec<u8>,
    /// What it says.
    pub receipt: Receipt,
}

/// A log of a proven receipt.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProvenLog {
    /// The log.
    pub log: Log,
    /// Logs of its receipt.
    pub log_count: usize,
}

/// An output of a proven transaction.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProvenOutput {
    /// The output.
    pub output: Output,
    /// Outputs of its transaction.
    pub output_count: usize,
}

/// An event of a proven version.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProvenVersionEvent {
    /// The event, in BCS.
    pub raw: Vec<u8>,
    /// Root of the events, as the version's info has it.
    pub event_root: Hash,
}

/// All events of a block, out of the state after it. Where in the bytes a record ends, and which
/// extrinsic it came of, takes the runtime's metadata.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProvenEventList {
    /// Root of the state: the header's, or the proof's own without a header.
    pub state_root: Hash,
    /// The value of `System.Events`, in SCALE.
    pub value: Vec<u8>,
    /// Records that it begins with.
    pub record_count: usize,
}

/// An event that Move code emitted in a proven transaction.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProvenMoveEvent {
    /// The event.
    pub event: Event,
    /// Events of its transaction.
    pub event_count: usize,
    /// Hash of its transaction.
    pub transaction_hash: Hash,
}

/// What a transaction brought about, at the statement's `log_index`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ProvenEvent {
    /// A log of a receipt, in the EVM family.
    Log(ProvenLog),
    /// An output, in the Bitcoin family.
    Output(ProvenOutput),
    /// The operation of the transaction, in the ICP family.
    Operation(icp::Operation),
    /// An event of a version, in the Aptos family.
    OfVersion(ProvenVersionEvent),
    /// All events of the block, in the Polkadot family. Which of them is meant is not shown.
    List(ProvenEventList),
    /// An event of Move code, in the Sui family.
    Move(ProvenMoveEvent),
}

/// What level 1 has shown.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Shown {
    /// Root of the transaction tree: the header's, or the proof's own without a header.
    pub(crate) transactions_root: Option<Hash>,
    /// Root of the receipt tree, likewise; `None` where the ledger has none.
    pub(crate) receipts_root: Option<Hash>,
    pub(crate) transaction: Option<ProvenTransaction>,
    pub(crate) receipt: Option<ProvenReceipt>,
    pub(crate) event: Option<ProvenEvent>,
    /// Transactions of the block, where the proof shows how many there are.
    pub(crate) tx_count: Option<u32>,
}
