//! Members of proof answers.
//!
//! [`render`](super::render) creates the proven parts, in `camelCase` under `/v5`; the service adds unproven members.
//! Absent members are omitted.

use std::sync::Arc;

use serde::{Serialize, Serializer};
use serde_json::Value;
use serde_json::value::{RawValue, to_raw_value};
use superroot_types::{BlockNumber, ChainId, Family, Hash, Network};
#[cfg(feature = "schema")]
use utoipa::ToSchema;

mod aptos;
#[cfg(feature = "schema")]
mod batch;
mod bitcoin;
mod cosmos;
#[cfg(feature = "schema")]
mod evm;
mod icp;
#[cfg(feature = "schema")]
mod object;
#[cfg(feature = "schema")]
mod or_null;
mod polkadot;
mod solana;
mod sui;
mod tron;

#[cfg(feature = "schema")]
use self::or_null::ReceiptRoot;
use super::beside::BesideEvent;
use crate::Hex;
use crate::chain::Retraction;
use crate::finality::Finality;
use crate::superroot::body::{BlockReference, SuperRootPart};
pub use aptos::{AptosEntry, AptosEvent, AptosHeader, AptosTransaction};
#[cfg(feature = "schema")]
pub use batch::BatchProof;
pub use bitcoin::{
    BitcoinEntry, BitcoinHeader, BitcoinInput, BitcoinOutput, BitcoinTransaction, BranchPart,
};
pub use cosmos::{
    CosmosAddress, CosmosBranch, CosmosEntry, CosmosHeader, CosmosPeak, CosmosTransaction,
};
#[cfg(feature = "schema")]
pub use evm::{EvmBloom, EvmEvent, EvmHeader, EvmLog, EvmReceipt, EvmTransaction};
pub use icp::{IcpEntry, IcpEvent, IcpHeader, IcpOperation, IcpTransaction};
#[cfg(feature = "schema")]
pub use object::{EventObject, HeaderObject, TransactionObject};
pub use polkadot::{
    PolkadotDigest, PolkadotEntry, PolkadotEvent, PolkadotHeader, PolkadotTransaction,
};
pub use solana::{
    RecordPart, SolanaEntry, SolanaHeader, SolanaInstruction, SolanaLookup, SolanaMessage,
    SolanaMessageHeader, SolanaTransaction,
};
pub use sui::{SuiEffects, SuiEntry, SuiEvent, SuiHeader, SuiTransaction};
pub use tron::{TronAddress, TronBranch, TronContract, TronEntry, TronHeader, TronTransaction};

/// Subject of a proof.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(ToSchema))]
pub struct SubjectPlace {
    /// `block`, `transaction`, `event` or `absence`.
    pub proof_kind: &'static str,
    /// Chain id.
    pub chain_id: ChainId,
    /// Ledger family: a chain id alone is ambiguous.
    pub family: Family,
    /// Log origin.
    pub origin: String,
    /// `live`, `recorded` or `simulated`.
    pub network: Network,
    /// Highest proof level, 1 to 5.
    pub proof_level: u8,
    /// Block number.
    pub block_number: BlockNumber,
}

/// Rendered JSON with final member names.
#[derive(Clone, Debug)]
pub struct WrittenJson(Arc<RawValue>);

impl WrittenJson {
    pub(super) fn new(text: Box<RawValue>) -> Self {
        Self(text.into())
    }

    /// Number of text bytes.
    pub(super) fn byte_count(&self) -> usize {
        self.0.get().len()
    }
}

impl Serialize for WrittenJson {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.0.serialize(serializer)
    }
}

/// Ledger-specific object, as members or text.
#[derive(Serialize)]
#[serde(untagged)]
pub enum LedgerObject {
    /// Members.
    Made(Value),
    /// Text.
    Written(WrittenJson),
}

impl From<Value> for LedgerObject {
    fn from(members: Value) -> Self {
        Self::Made(members)
    }
}

/// Purpose of an object.
#[derive(Clone, Copy)]
pub(super) enum ObjectForm {
    /// Comparison: proven members as values.
    Values,
    /// Answer: text without intermediate values, with unproven event members.
    Text(BesideEvent),
}

/// Maximum size of a decoded transaction, receipt or event list in an answer, in bytes. Larger data occurs once in the
/// answer, as part of the proof: as the last sibling, or as the raw transaction.
pub const SPELLED_BYTES_MAX: usize = 64 << 10;

impl ObjectForm {
    /// Whether the form decodes the given bytes.
    pub(super) const fn spells(self, bytes: &[u8]) -> bool {
        matches!(self, Self::Values) || bytes.len() <= SPELLED_BYTES_MAX
    }

    /// Returns the unproven event members.
    pub(super) const fn beside(self) -> Option<BesideEvent> {
        match self {
            Self::Values => None,
            Self::Text(beside) => Some(beside),
        }
    }

    /// Creates the object in this form.
    pub(super) fn make(self, object: &impl Serialize) -> LedgerObject {
        match self {
            Self::Values => {
                LedgerObject::Made(serde_json::to_value(object).expect("a body is JSON"))
            }
            Self::Text(_) => {
                let text = to_raw_value(object).expect("a body is JSON");
                LedgerObject::Written(WrittenJson::new(text))
            }
        }
    }
}

/// Levels of a block proof.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(ToSchema))]
pub struct Levels {
    /// Whether the block hash commits to the block number.
    pub number_bound: bool,
    /// Block hash, equal to the header hash.
    pub block_hash: Hash,
    /// Header in the ledger's own bytes.
    pub block_header: Hex,
    /// Decoded header, with JSON-RPC names.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schema(value_type = Option<HeaderObject>))]
    pub header: Option<LedgerObject>,
    /// Level 3: twig.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub twig: Option<Twig>,
    /// Level 4: Mini-MMR, for a sealed twig.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mini_mmr: Option<MiniMmrPlace>,
    /// Block reference instead of `mini_mmr`, for an open twig.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub block_reference: Option<BlockReference>,
    /// Level 5: SuperRoot.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub super_root: Option<SuperRootPlace>,
    /// SuperRoot hash at the end of the proof.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub super_root_hash: Option<Hash>,
    /// 6 siblings from the slot to the SuperRoot's tree root.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub siblings: Option<Vec<Hash>>,
    /// Chain profile in the log's registry.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub registry: Option<RegistryPlace>,
    /// Signed note for a log with the SuperRoot, if requested.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub note: Option<NotePlace>,
}

/// Unproven members next to a proof: no hash shows them.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(ToSchema))]
pub struct Unproven {
    /// `anchored`, or `pending` above the SuperRoot.
    pub anchor_status: String,
    /// Why the block counts as final.
    pub finality: Option<Finality>,
    /// Retraction of the block, or of an ancestor, by nodes.
    pub retraction: Option<Retraction>,
    /// Members that no hash shows.
    pub not_proven: Vec<String>,
}

/// Block entry: a transaction, an event, or an absence.
#[derive(Default, Serialize)]
#[cfg_attr(feature = "schema", derive(ToSchema))]
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
    /// Receipt in consensus bytes; omitted above 65,536 bytes: the last item in `receipt_siblings` contains the
    /// receipt.
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

/// Ledger-specific members of an entry.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(ToSchema))]
#[serde(untagged)]
pub enum LedgerEntry {
    /// Aptos family.
    Aptos(AptosEntry),
    /// Bitcoin family.
    Bitcoin(BitcoinEntry),
    /// Cosmos family.
    Cosmos(CosmosEntry),
    /// ICP ledger.
    Icp(IcpEntry),
    /// Polkadot family.
    Polkadot(PolkadotEntry),
    /// Tron family.
    Tron(TronEntry),
    /// Sui family.
    Sui(SuiEntry),
    /// Solana family.
    Solana(SolanaEntry),
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
pub(super) struct EntryPart {
    #[serde(flatten)]
    pub(super) place: SubjectPlace,
    #[serde(flatten)]
    pub(super) entry: ProvenEntry,
    #[serde(flatten)]
    pub(super) event: Option<EventPart>,
}

/// Twig: 2,048 consecutive block numbers of one chain.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(ToSchema))]
pub struct Twig {
    /// Twig index: number / 2048.
    pub index: u64,
    /// Slot: number % 2048.
    pub slot: u64,
    /// 11 siblings, from the block leaf upward.
    pub siblings: Vec<Hash>,
    /// Twig root.
    pub root: Hash,
}

/// Sealed twig in the Mini-MMR of a family.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(ToSchema))]
pub struct MiniMmrPlace {
    /// Ledger family.
    pub family: Family,
    /// Leaf index.
    pub leaf_index: u64,
    /// Number of leaves.
    pub leaf_count: u64,
    /// Path in the range, lowest first.
    pub siblings: Vec<Hash>,
    /// Mini-MMR root.
    pub root: Hash,
}

/// SuperRoot at the end of a proof.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(ToSchema))]
pub struct SuperRootPlace {
    /// Preimage content.
    #[serde(flatten)]
    pub part: SuperRootPart,
    /// Slot of the Mini-MMR or the reference.
    pub index: u64,
    /// 82 bytes that hash to the SuperRoot hash.
    pub preimage: Hex,
    /// 6 siblings, from the slot upward.
    pub siblings: Vec<Hash>,
}

/// Chain profile in the registry committed by the SuperRoot.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(ToSchema))]
pub struct RegistryPlace {
    /// Profile preimage: chain definition, and withdrawals by the log.
    pub profile: Hex,
    /// Registry row.
    pub row: u8,
    /// Number of rows in the registry.
    pub count: u8,
    /// 6 siblings, from the row's slot to the registry tree root.
    pub siblings: Vec<Hash>,
    /// 6 siblings, from slot 55 upward.
    pub super_root_siblings: Vec<Hash>,
}

/// Signed note of the log, with the SuperRoot's path in the log at the note's size.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(ToSchema))]
pub struct NotePlace {
    /// Complete C2SP signed note.
    pub text: String,
    /// Number of log entries, above the SuperRoot's sequence.
    pub size: u64,
    /// RFC 9162 path of the SuperRoot, lowest first.
    pub siblings: Vec<Hash>,
}

/// Block proof in an entry proof.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(ToSchema))]
pub struct BlockPart {
    /// Subject.
    #[serde(flatten)]
    pub place: SubjectPlace,
    /// Proof levels.
    #[serde(flatten)]
    pub levels: Levels,
}

/// Block proof up to a SuperRoot.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(ToSchema))]
pub struct BlockProof {
    /// Proven members.
    #[serde(flatten)]
    pub part: BlockPart,
    /// Unproven members.
    #[serde(flatten)]
    pub unproven: Unproven,
}

/// Proof of a transaction and receipt up to a SuperRoot.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(ToSchema))]
pub struct TransactionProof {
    /// Subject.
    #[serde(flatten)]
    pub place: SubjectPlace,
    /// Entry.
    #[serde(flatten)]
    pub entry: ProvenEntry,
    /// Unproven members.
    #[serde(flatten)]
    pub unproven: Unproven,
}

/// Log proof up to a SuperRoot.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(ToSchema))]
pub struct EventProof {
    /// Subject.
    #[serde(flatten)]
    pub place: SubjectPlace,
    /// Entry.
    #[serde(flatten)]
    pub entry: ProvenEntry,
    /// Event.
    #[serde(flatten)]
    pub event: EventPart,
    /// Unproven members.
    #[serde(flatten)]
    pub unproven: Unproven,
}

/// Proof that a block position is empty.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(ToSchema))]
pub struct AbsenceProof {
    /// Subject.
    #[serde(flatten)]
    pub place: SubjectPlace,
    /// Entry.
    #[serde(flatten)]
    pub entry: ProvenEntry,
    /// Unproven members.
    #[serde(flatten)]
    pub unproven: Unproven,
}

/// Header, roots and path of a block.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(ToSchema))]
pub struct LambdaBundle {
    /// Proven members.
    #[serde(flatten)]
    pub part: LambdaPart,
    /// Whether finality evidence for the block exists; not proven.
    pub is_finalized: bool,
    /// Unproven members.
    #[serde(flatten)]
    pub unproven: Unproven,
}

/// Proven members of a lambda bundle.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(ToSchema))]
pub struct LambdaPart {
    /// Subject.
    #[serde(flatten)]
    pub place: SubjectPlace,
    /// Proof levels.
    #[serde(flatten)]
    pub levels: Levels,
    /// Transactions root in the header.
    pub transactions_root: Hash,
    /// Receipts root in the header, if the ledger has one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub receipts_root: Option<Hash>,
}

/// Portable block proof.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(ToSchema))]
pub struct BlobProof {
    /// Proven members.
    #[serde(flatten)]
    pub part: BlobPart,
    /// Layer: Keccak-256 of the finality evidence, `null` without evidence; not proven.
    pub l6_finality_commitment: Option<Hash>,
    /// Unproven members.
    #[serde(flatten)]
    pub unproven: Unproven,
}

/// Binary proof with layers. In a service answer, which reaches the SuperRoot, only the last member is ever `null`.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(ToSchema))]
pub struct BlobPart {
    /// Subject.
    #[serde(flatten)]
    pub place: SubjectPlace,
    /// Block hash.
    #[cfg_attr(feature = "schema", schema(value_type = Hash))]
    pub block_hash: Option<Hash>,
    /// SuperRoot hash at the end of the proof.
    #[cfg_attr(feature = "schema", schema(value_type = Hash))]
    pub super_root_hash: Option<Hash>,
    /// Complete proof: bytes of the .srproof file.
    pub proof_blob: Hex,
    /// `srproof/1`.
    pub proof_format: &'static str,
    /// Layer: 82 bytes of the SuperRoot.
    #[cfg_attr(feature = "schema", schema(value_type = Hex))]
    pub l1_superroot: Option<Hex>,
    /// Layer: header.
    #[cfg_attr(feature = "schema", schema(value_type = Hex))]
    pub l2_chain_header: Option<Hex>,
    /// Layer: path to the SuperRoot.
    pub l3_superroot_proof: Vec<Hash>,
    /// Layer: path of the block.
    pub l4_block_proof: Vec<Hash>,
    /// Layer: transaction or receipt leaf; `null` for a block.
    pub l5_chain_event: Option<Hex>,
}

/// Request for several proofs.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(ToSchema))]
pub struct BatchRequest {
    /// 1 to 64 items, or up to the configured limit.
    pub items: Vec<BatchItem>,
    /// SuperRoot hash at the end of all proofs.
    pub root: Option<Hash>,
    /// SuperRoot sequence, instead of `root`.
    pub sequence: Option<u64>,
    /// Whether each proof includes the newest signed note.
    pub note: Option<bool>,
}

/// Requested proof: a block; with `txIndex` and `logIndex` an event; with `txIndex` and `absent` an absence; with
/// `txHash` a transaction, or with `logIndex` an event of the transaction. If the transaction bytes occur in several
/// places, `block` and `txIndex` select one.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(ToSchema))]
pub struct BatchItem {
    /// Chain id or name.
    pub chain: String,
    /// Number or `latest`.
    pub block: Option<String>,
    /// Transaction hash.
    pub tx_hash: Option<Hash>,
    /// Position in the block.
    pub tx_index: Option<u32>,
    /// Position in the receipt.
    pub log_index: Option<u32>,
    /// Whether to prove an absence.
    pub absent: Option<bool>,
}

/// Many proofs under one SuperRoot.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(ToSchema))]
pub struct Batch {
    /// Every trie node and sibling, once.
    #[cfg_attr(feature = "schema", schema(value_type = Vec<Hex>))]
    pub nodes: Vec<String>,
    /// Proofs as in the other routes, with node indexes as siblings.
    #[cfg_attr(feature = "schema", schema(value_type = Vec<BatchProof>))]
    pub items: Vec<Value>,
}
