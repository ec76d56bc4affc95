//! Entries of a block: transactions, events, absences.

use serde::Serialize;
use superroot_types::Hash;
#[cfg(feature = "schema")]
use utoipa::ToSchema;

use super::form::LedgerObject;
use super::levels::{BlockPart, SubjectPlace};
#[cfg(feature = "schema")]
use super::object::{EventObject, TransactionObject};
#[cfg(feature = "schema")]
use super::or_null::ReceiptRoot;
use crate::Hex;
use crate::proof::ledger::LedgerEntry;
#[cfg(feature = "schema")]
use crate::proof::ledger::members::{EvmBloom, EvmReceipt};

/// Block entry: a transaction, an event, or an absence.
#[derive(Default, Serialize)]
#[cfg_attr(feature = "schema", derive(ToSchema), schema(as = Entry))]
pub struct ProvenEntry {
    /// Block proof.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub block: Option<BlockPart>,
    /// Position in the block.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schema(required = true))]
    pub transaction_index: Option<u32>,
    /// SuperRoot hash at the end of the proof.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub super_root_hash: Option<Hash>,
    /// JSON-RPC object from the proven bytes; omitted above 65,536 proven bytes.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schema(value_type = Option<TransactionObject>))]
    pub transaction: Option<LedgerObject>,
    /// Signed transaction; omitted above 65,536 bytes if the last item in `siblings` contains the transaction.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub raw_transaction: Option<Hex>,
    /// Hash of the raw transaction by the ledger's own rule.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub transaction_hash: Option<Hash>,
    /// Transactions root in the header.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub transactions_root: Option<Hash>,
    /// Trie nodes from the transactions root down; for the Bitcoin family hashes from the transaction upward.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub siblings: Option<Vec<Hex>>,
    /// JSON object from the proven bytes; omitted above 65,536 proven bytes.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schema(value_type = Option<EvmReceipt>))]
    pub receipt: Option<LedgerObject>,
    /// Receipt in consensus bytes; above 65,536 bytes only in the last item of `receipt_siblings`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub raw_receipt: Option<Hex>,
    /// Receipts root in the header; `null` for a ledger without a receipts root.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schema(required = false, value_type = ReceiptRoot))]
    pub receipt_root: Option<Hash>,
    /// RLP trie nodes from the receipts root down.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub receipt_siblings: Option<Vec<Hex>>,
    /// Members for a ledger without receipts.
    #[serde(flatten)]
    pub no_receipts: Option<NoReceipts>,
    /// Ledger-specific members.
    #[serde(flatten)]
    pub of_ledger: Option<LedgerEntry>,
}

/// Members for a ledger without a receipts root.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(ToSchema))]
pub struct NoReceipts {
    /// Always `null`.
    #[cfg_attr(feature = "schema", schema(value_type = ReceiptRoot))]
    pub receipt_root: Option<Hash>,
    /// Why the ledger has no receipts root, and how a transaction's outcome is shown.
    pub receipt_root_reason: &'static str,
}

/// Event in an entry.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(ToSchema))]
pub struct EventPart {
    /// Event. For the EVM, `logIndex` is the position in the receipt. For Polkadot, `list` has all events in the block;
    /// the choice of the event is not proven.
    #[cfg_attr(feature = "schema", schema(value_type = EventObject))]
    pub event: LedgerObject,
    /// Bit positions of address and topics, set in the receipt and header blooms.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schema(value_type = Option<EvmBloom>))]
    pub bloom: Option<LedgerObject>,
}

/// Entry with the block below, as far as shown.
#[derive(Serialize)]
pub(in crate::proof) struct EntryPart {
    #[serde(flatten)]
    pub(in crate::proof) place: SubjectPlace,
    #[serde(flatten)]
    pub(in crate::proof) entry: ProvenEntry,
    #[serde(flatten)]
    pub(in crate::proof) event: Option<EventPart>,
}
