//! What stands in the answers of proof routes, member by member.
//!
//! [`render`](super::render) makes the parts that a proof shows, in `camelCase` under `/v5`; what no hash
//! shows, the service puts beside them. A member that may be lacking is left out.

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

/// What a proof is about.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(ToSchema))]
pub struct Place {
    /// `block`, `transaction`, `event` or `absence`.
    pub proof_kind: &'static str,
    /// Chain id.
    pub chain_id: ChainId,
    /// Ledger family: an id alone names no chain.
    pub family: Family,
    /// Origin of the log.
    pub origin: String,
    /// `live`, `recorded` or `simulated`.
    pub network: Network,
    /// Highest level shown, 1 to 5.
    pub proof_level: u8,
    /// Number of the block.
    pub block_number: BlockNumber,
}

/// JSON that was written before, names as they are to stand.
#[derive(Clone, Debug)]
pub struct Written(Arc<RawValue>);

impl Written {
    pub(super) fn new(text: Box<RawValue>) -> Self {
        Self(text.into())
    }

    /// Bytes of text.
    pub(super) fn byte_count(&self) -> usize {
        self.0.get().len()
    }
}

impl Serialize for Written {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.0.serialize(serializer)
    }
}

/// An object of a ledger's own: its members, or its text.
#[derive(Serialize)]
#[serde(untagged)]
pub enum Object {
    /// Its members.
    Made(Value),
    /// Its text.
    Written(Written),
}

impl From<Value> for Object {
    fn from(members: Value) -> Self {
        Self::Made(members)
    }
}

/// What an object is made for.
#[derive(Clone, Copy)]
pub(super) enum Form {
    /// To be compared: what the proof shows, as values.
    Values,
    /// An answer: text without values between, and what is said of the event.
    Text(BesideEvent),
}

/// Largest transaction, receipt or list of events that an answer spells out, in bytes. What is larger stands in the
/// answer once, where the proof needs it: in the last of the siblings, or as the raw transaction.
pub const SPELLED_BYTES_MAX: usize = 64 << 10;

impl Form {
    /// Whether it spells out what these bytes say.
    pub(super) const fn spells(self, bytes: &[u8]) -> bool {
        matches!(self, Self::Values) || bytes.len() <= SPELLED_BYTES_MAX
    }

    /// What is said of the event.
    pub(super) const fn beside(self) -> Option<BesideEvent> {
        match self {
            Self::Values => None,
            Self::Text(beside) => Some(beside),
        }
    }

    /// The object in that form.
    pub(super) fn make(self, object: &impl Serialize) -> Object {
        match self {
            Self::Values => Object::Made(serde_json::to_value(object).expect("a body is JSON")),
            Self::Text(_) => {
                let text = to_raw_value(object).expect("a body is JSON");
                Object::Written(Written::new(text))
            }
        }
    }
}

/// The levels of a block's proof.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(ToSchema))]
pub struct Levels {
    /// Whether the block hash shows the number.
    pub number_bound: bool,
    /// Hash of the block: that of its header.
    pub block_hash: Hash,
    /// The header in the ledger's own bytes.
    pub block_header: Hex,
    /// The header decoded, with JSON-RPC names.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schema(value_type = Option<HeaderObject>))]
    pub header: Option<Object>,
    /// Level 3.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub twig: Option<Twig>,
    /// Level 4, where the twig is sealed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mini_mmr: Option<MiniMmrPlace>,
    /// Where the twig is open instead.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub block_reference: Option<BlockReference>,
    /// Level 5.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub super_root: Option<SuperRootPlace>,
    /// Hash of the SuperRoot that the proof ends in.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub super_root_hash: Option<Hash>,
    /// The 6 siblings from the slot to the SuperRoot's tree root.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub siblings: Option<Vec<Hash>>,
    /// What the log says the chain is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub registry: Option<RegistryPlace>,
    /// Who signed a log that holds the SuperRoot, where it was asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub note: Option<NotePlace>,
}

/// What the service says beside a proof. No hash shows it.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(ToSchema))]
pub struct Unproven {
    /// `anchored`, or `pending` above the SuperRoot.
    pub anchor_status: String,
    /// Why the block counts as final.
    pub finality: Option<Finality>,
    /// Nodes took the block back, or one that it stands on.
    pub retraction: Option<Retraction>,
    /// Members that no hash shows.
    pub not_proven: Vec<String>,
}

/// An entry of a block: a transaction, an event, or that there is none.
#[derive(Default, Serialize)]
#[cfg_attr(feature = "schema", derive(ToSchema))]
pub struct Entry {
    /// The block's own proof.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub block: Option<BlockPart>,
    /// Position in the block.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schema(required = true))]
    pub transaction_index: Option<u32>,
    /// Hash of the SuperRoot that the proof ends in.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub super_root_hash: Option<Hash>,
    /// JSON-RPC object made of the proven bytes; left out above 65,536 bytes of these.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schema(value_type = Option<TransactionObject>))]
    pub transaction: Option<Object>,
    /// The transaction as it was signed; left out above 65,536 bytes where the last of `siblings` has it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub raw_transaction: Option<Hex>,
    /// Hash of the raw transaction by the ledger's own rule.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub transaction_hash: Option<Hash>,
    /// The header's transactions root.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub transactions_root: Option<Hash>,
    /// Trie nodes from the transactions root down; of the Bitcoin family hashes from the transaction
    /// upward.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub siblings: Option<Vec<Hex>>,
    /// JSON object made of the proven bytes; left out above 65,536 bytes of these.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schema(value_type = Option<EvmReceipt>))]
    pub receipt: Option<Object>,
    /// The receipt in consensus bytes; left out above 65,536 of them: the last of `receipt_siblings` has them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub raw_receipt: Option<Hex>,
    /// The header's receipts root; `null` of a ledger that has none.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schema(required = false, value_type = ReceiptRoot))]
    pub receipt_root: Option<Hash>,
    /// RLP trie nodes from the receipts root down.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub receipt_siblings: Option<Vec<Hex>>,
    /// Of a ledger without receipts.
    #[serde(flatten)]
    pub no_receipts: Option<NoReceipts>,
    /// What the chain's ledger adds.
    #[serde(flatten)]
    pub of_ledger: Option<LedgerEntry>,
}

/// That the ledger has no root of receipts.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(ToSchema))]
pub struct NoReceipts {
    /// Always `null`.
    #[cfg_attr(feature = "schema", schema(value_type = ReceiptRoot))]
    pub receipt_root: Option<Hash>,
    /// Why there is none, and what shows a transaction's outcome.
    pub receipt_root_reason: &'static str,
}

/// What a ledger adds to the members that entries of several have.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(ToSchema))]
#[serde(untagged)]
pub enum LedgerEntry {
    /// Of the Aptos family.
    Aptos(AptosEntry),
    /// Of the Bitcoin family.
    Bitcoin(BitcoinEntry),
    /// Of the Cosmos family.
    Cosmos(CosmosEntry),
    /// Of the ICP ledger.
    Icp(IcpEntry),
    /// Of the Polkadot family.
    Polkadot(PolkadotEntry),
    /// Of the Tron family.
    Tron(TronEntry),
    /// Of the Sui family.
    Sui(SuiEntry),
    /// Of the Solana family.
    Solana(SolanaEntry),
}

/// An event of an entry.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(ToSchema))]
pub struct EventPart {
    /// Of the EVM `logIndex` is the place in the receipt. Of Polkadot `list` has all events of the block; which of
    /// them is meant is not proven.
    #[cfg_attr(feature = "schema", schema(value_type = EventObject))]
    pub event: Object,
    /// Bit positions of address and topics, set in the receipt's and header's bloom.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schema(value_type = Option<EvmBloom>))]
    pub bloom: Option<Object>,
}

/// An entry with the block below it, as far as it is shown.
#[derive(Serialize)]
pub(super) struct EntryPart {
    #[serde(flatten)]
    pub(super) place: Place,
    #[serde(flatten)]
    pub(super) entry: Entry,
    #[serde(flatten)]
    pub(super) event: Option<EventPart>,
}

/// 2,048 consecutive numbers of one chain.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(ToSchema))]
pub struct Twig {
    /// Number / 2048.
    pub index: u64,
    /// Number % 2048.
    pub slot: u64,
    /// 11, from the block leaf upward.
    pub siblings: Vec<Hash>,
    /// Root of the twig.
    pub root: Hash,
}

/// A sealed twig in its family's Mini-MMR.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(ToSchema))]
pub struct MiniMmrPlace {
    /// Ledger family.
    pub family: Family,
    /// Which leaf.
    pub leaf_index: u64,
    /// Of how many.
    pub leaf_count: u64,
    /// Path in the range, lowest first.
    pub siblings: Vec<Hash>,
    /// Mini-MMR root.
    pub root: Hash,
}

/// The SuperRoot a proof ends in.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(ToSchema))]
pub struct SuperRootPlace {
    /// What its preimage says.
    #[serde(flatten)]
    pub part: SuperRootPart,
    /// Slot of the Mini-MMR or the reference.
    pub index: u64,
    /// 82 bytes that hash to the SuperRoot hash.
    pub preimage: Hex,
    /// 6, from the slot upward.
    pub siblings: Vec<Hash>,
}

/// The chain's profile in the registry that the SuperRoot commits to.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(ToSchema))]
pub struct RegistryPlace {
    /// Preimage of the profile: what the chain is, and what the log withdrew of it.
    pub profile: Hex,
    /// Its row.
    pub row: u8,
    /// Rows of the registry.
    pub count: u8,
    /// 6, from the row's slot to the root of the registry's tree.
    pub siblings: Vec<Hash>,
    /// 6, from slot 55 upward.
    pub super_root_siblings: Vec<Hash>,
}

/// A signed note of the log, and the SuperRoot's path in the log of that size.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(ToSchema))]
pub struct NotePlace {
    /// The C2SP signed note, whole.
    pub text: String,
    /// Entries of the log: more than the SuperRoot's sequence.
    pub size: u64,
    /// RFC 9162 path of the SuperRoot, lowest first.
    pub siblings: Vec<Hash>,
}

/// The block's own proof inside that of an entry.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(ToSchema))]
pub struct BlockPart {
    /// What it is about.
    #[serde(flatten)]
    pub place: Place,
    /// Its levels.
    #[serde(flatten)]
    pub levels: Levels,
}

/// A block up to a SuperRoot.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(ToSchema))]
pub struct BlockProof {
    /// What is proven.
    #[serde(flatten)]
    pub part: BlockPart,
    /// What no hash shows.
    #[serde(flatten)]
    pub unproven: Unproven,
}

/// A transaction and its receipt up to a SuperRoot.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(ToSchema))]
pub struct TransactionProof {
    /// What it is about.
    #[serde(flatten)]
    pub place: Place,
    /// The entry.
    #[serde(flatten)]
    pub entry: Entry,
    /// What no hash shows.
    #[serde(flatten)]
    pub unproven: Unproven,
}

/// A log up to a SuperRoot.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(ToSchema))]
pub struct EventProof {
    /// What it is about.
    #[serde(flatten)]
    pub place: Place,
    /// The entry.
    #[serde(flatten)]
    pub entry: Entry,
    /// The event.
    #[serde(flatten)]
    pub event: EventPart,
    /// What no hash shows.
    #[serde(flatten)]
    pub unproven: Unproven,
}

/// That a block has nothing at a position.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(ToSchema))]
pub struct AbsenceProof {
    /// What it is about.
    #[serde(flatten)]
    pub place: Place,
    /// The entry.
    #[serde(flatten)]
    pub entry: Entry,
    /// What no hash shows.
    #[serde(flatten)]
    pub unproven: Unproven,
}

/// Header, roots and path of a block.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(ToSchema))]
pub struct LambdaBundle {
    /// What is proven.
    #[serde(flatten)]
    pub part: LambdaPart,
    /// Whether there is evidence that it is final; not proven.
    pub is_finalized: bool,
    /// What no hash shows.
    #[serde(flatten)]
    pub unproven: Unproven,
}

/// What is proven of them.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(ToSchema))]
pub struct LambdaPart {
    /// What it is about.
    #[serde(flatten)]
    pub place: Place,
    /// Its levels.
    #[serde(flatten)]
    pub levels: Levels,
    /// The header's transactions root.
    pub transactions_root: Hash,
    /// The header's receipts root, where the ledger has one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub receipts_root: Option<Hash>,
}

/// The portable proof of a block.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(ToSchema))]
pub struct BlobProof {
    /// What is proven.
    #[serde(flatten)]
    pub part: BlobPart,
    /// Layer: Keccak-256 of the evidence of finality, `null` where there is none; not proven.
    pub l6_finality_commitment: Option<Hash>,
    /// What no hash shows.
    #[serde(flatten)]
    pub unproven: Unproven,
}

/// A binary proof, and its layers. In an answer of the service, which goes up to the SuperRoot, none of
/// the members is `null` but the last.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(ToSchema))]
pub struct BlobPart {
    /// What it is about.
    #[serde(flatten)]
    pub place: Place,
    /// Hash of the block.
    #[cfg_attr(feature = "schema", schema(value_type = Hash))]
    pub block_hash: Option<Hash>,
    /// Hash of the SuperRoot that the proof ends in.
    #[cfg_attr(feature = "schema", schema(value_type = Hash))]
    pub super_root_hash: Option<Hash>,
    /// Bytes of the .srproof file: the whole proof.
    pub proof_blob: Hex,
    /// `srproof/1`.
    pub proof_format: &'static str,
    /// Layer: the SuperRoot's 82 bytes.
    #[cfg_attr(feature = "schema", schema(value_type = Hex))]
    pub l1_superroot: Option<Hex>,
    /// Layer: the header.
    #[cfg_attr(feature = "schema", schema(value_type = Hex))]
    pub l2_chain_header: Option<Hex>,
    /// Layer: path to the SuperRoot.
    pub l3_superroot_proof: Vec<Hash>,
    /// Layer: path of the block.
    pub l4_block_proof: Vec<Hash>,
    /// Layer: `null` for a block.
    pub l5_chain_event: Option<Hex>,
}

/// Proofs wanted.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(ToSchema))]
pub struct BatchRequest {
    /// 1 to 64 items, or what the service is set to.
    pub items: Vec<BatchItem>,
    /// Hash of the SuperRoot under which all are to end.
    pub root: Option<Hash>,
    /// Or its sequence.
    pub sequence: Option<u64>,
    /// Whether each is to carry the newest signed note.
    pub note: Option<bool>,
}

/// A block; with `txIndex` and `logIndex` an event; with `txIndex` and `absent` an absence; with
/// `txHash` a transaction, or with `logIndex` its event, and where its bytes stand in several places
/// `block` and `txIndex` name one.
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
    /// Whether absence is to be proven.
    pub absent: Option<bool>,
}

/// Many proofs under one SuperRoot.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(ToSchema))]
pub struct Batch {
    /// Every trie node and sibling once.
    #[cfg_attr(feature = "schema", schema(value_type = Vec<Hex>))]
    pub nodes: Vec<String>,
    /// Proofs as of the other routes, their siblings as indexes of nodes.
    #[cfg_attr(feature = "schema", schema(value_type = Vec<BatchProof>))]
    pub items: Vec<Value>,
}
