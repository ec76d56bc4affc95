//! Level 1 facts, from bytes hashed during the check.

use alloc::vec::Vec;

use superroot_types::Hash;

use super::bitcoin::TransactionOutput;
use super::evm::{Log, Receipt};
use super::icp;
use super::sui::Event;

/// Transaction proven at the statement's position in its block tree.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProvenTransaction {
    /// Leaf hash by the ledger's rule: the transaction hash.
    pub hash: Hash,
    /// Leaf: the signed transaction; without witness in the Bitcoin family.
    pub raw: Vec<u8>,
}

/// Receipt proven at the statement's position in its block trie.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProvenReceipt {
    /// Leaf bytes.
    pub raw: Vec<u8>,
    /// Decoded receipt.
    pub receipt: Receipt,
}

/// Log in a proven receipt.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProvenLog {
    /// Log.
    pub log: Log,
    /// Log count in the receipt.
    pub log_count: usize,
}

/// Output in a proven transaction.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProvenOutput {
    /// Output.
    pub output: TransactionOutput,
    /// Output count in the transaction.
    pub output_count: usize,
}

/// Event in a proven version.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProvenVersionEvent {
    /// Event in BCS.
    pub raw: Vec<u8>,
    /// Event root from the version's info.
    pub event_root: Hash,
}

/// All events in a block, from the state after the block. Record boundaries and source extrinsics need the runtime's
/// metadata.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProvenEventList {
    /// State root: from the header, or from the proof without a header.
    pub state_root: Hash,
    /// `System.Events` value in SCALE.
    pub value: Vec<u8>,
    /// Record count at the start.
    pub record_count: usize,
}

/// Event emitted by Move code in a proven transaction.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProvenMoveEvent {
    /// Event.
    pub event: Event,
    /// Event count in the transaction.
    pub event_count: usize,
    /// Transaction hash.
    pub transaction_hash: Hash,
}

/// Transaction outcome at the statement's `log_index`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ProvenEvent {
    /// Receipt log, in the EVM family.
    Log(ProvenLog),
    /// Output, in the Bitcoin family.
    Output(ProvenOutput),
    /// Transaction operation, in the ICP family.
    Operation(icp::Operation),
    /// Version event, in the Aptos family.
    OfVersion(ProvenVersionEvent),
    /// All block events, in the Polkadot family. The meant event is not shown.
    List(ProvenEventList),
    /// Move event, in the Sui family.
    Move(ProvenMoveEvent),
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct ShownFacts {
    /// Transaction tree root: from the header, or from the proof without a header.
    pub(crate) transactions_root: Option<Hash>,
    /// Receipt tree root, likewise; `None` where the ledger has no receipts.
    pub(crate) receipts_root: Option<Hash>,
    pub(crate) transaction: Option<ProvenTransaction>,
    pub(crate) receipt: Option<ProvenReceipt>,
    pub(crate) event: Option<ProvenEvent>,
    /// Transaction count, if the proof shows the count.
    pub(crate) tx_count: Option<u32>,
}
