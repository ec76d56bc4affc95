//! What stands in the answers of proof routes, member by member.
//!
//! [`render`](super::render) writes them out of a proof, in `camelCase` under `/v5`; these types
//! describe what it writes. A member that may be lacking is left out.

use serde::Serialize;
use serde_json::Value;
use superroot_types::{BlockNumber, ChainId, Family, Hash, Network, UnixSeconds};
use utoipa::ToSchema;

use crate::Hex;
use crate::chain::Retraction;
use crate::finality::Finality;

/// What a proof is about.
#[derive(Serialize, ToSchema)]
pub struct Place {
    /// `block`, `transaction`, `event` or `absence`.
    pub proof_kind: String,
    /// Chain id.
    pub chain_id: ChainId,
    /// Ledger family: an id alone names no chain.
    pub family: Family,
    /// Origin of the log; a SuperRoot's log id is made of it.
    pub origin: String,
    /// `live`, `recorded` or `simulated`.
    pub network: Network,
    /// Highest level shown, 1 to 5.
    pub proof_level: u8,
    /// Number of the block.
    pub block_number: BlockNumber,
}

/// The levels of a block's proof.
#[derive(Serialize, ToSchema)]
pub struct Levels {
    /// Whether the block hash shows the number.
    pub number_bound: bool,
    /// Hash of the block: that of its header.
    pub block_hash: Hash,
    /// The header in the ledger's own bytes.
    pub block_header: Hex,
    /// The header decoded, with JSON-RPC names.
    pub header: Option<Value>,
    /// Level 3.
    pub twig: Option<Twig>,
    /// Level 4, where the twig is sealed.
    pub mini_mmr: Option<MiniMmrPlace>,
    /// Where the twig is open instead.
    pub block_reference: Option<BlockReference>,
    /// Level 5.
    pub super_root: Option<SuperRootPlace>,
    /// Hash of the SuperRoot that the proof ends in.
    pub super_root_hash: Option<Hash>,
    /// The 6 siblings from the slot to the SuperRoot's tree root.
    pub siblings: Option<Vec<Hash>>,
    /// The log's own registry row, where a verifier may not know the chain.
    pub registry: Option<Value>,
}

/// What the service says beside a proof. No hash shows it.
#[derive(Serialize, ToSchema)]
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
#[derive(Serialize, ToSchema)]
pub struct Entry {
    /// The block's own proof.
    pub block: Option<BlockPart>,
    /// Position in the block.
    pub transaction_index: u32,
    /// Hash of the SuperRoot that the proof ends in.
    pub super_root_hash: Option<Hash>,
    /// JSON-RPC object made of the proven bytes.
    pub transaction: Option<Value>,
    /// The transaction as it was signed.
    pub raw_transaction: Option<Hex>,
    /// Keccak-256 of the raw transaction.
    pub transaction_hash: Option<Hash>,
    /// The header's transactions root.
    pub transactions_root: Option<Hash>,
    /// RLP trie nodes from the transactions root down.
    pub siblings: Option<Vec<Hex>>,
    /// JSON object made of the proven bytes.
    pub receipt: Option<Value>,
    /// The receipt in consensus bytes.
    pub raw_receipt: Option<Hex>,
    /// The header's receipts root.
    pub receipt_root: Option<Hash>,
    /// RLP trie nodes from the receipts root down.
    pub receipt_siblings: Option<Vec<Hex>>,
}

/// 2,048 consecutive numbers of one chain.
#[derive(Serialize, ToSchema)]
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
#[derive(Serialize, ToSchema)]
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

/// An open twig's place: its chain's reference.
#[derive(Serialize, ToSchema)]
pub struct BlockReference {
    /// Chain id.
    pub chain_id: ChainId,
    /// Ledger family.
    pub family: Family,
    /// First number of the committed run.
    pub start: BlockNumber,
    /// Last number of it.
    pub number: BlockNumber,
    /// Hash of the last block.
    pub hash: Hash,
    /// Which twig is open.
    pub open_twig_index: u64,
    /// Its root.
    pub open_twig_root: Hash,
}

/// The SuperRoot a proof ends in.
#[derive(Serialize, ToSchema)]
pub struct SuperRootPlace {
    /// Sequence.
    pub sequence: u64,
    /// When it was made.
    pub timestamp: UnixSeconds,
    /// Root over the 64 slots.
    pub tree_root: Hash,
    /// Slot of the Mini-MMR or the reference.
    pub index: u8,
    /// 82 bytes that hash to the SuperRoot hash.
    pub preimage: Hex,
    /// 5.
    pub version: u8,
    /// Log id, made of the origin.
    pub log_id: Hash,
    /// 6, from the slot upward.
    pub siblings: Vec<Hash>,
}

/// The block's own proof inside that of an entry.
#[derive(Serialize, ToSchema)]
pub struct BlockPart {
    /// What it is about.
    #[serde(flatten)]
    pub place: Place,
    /// Its levels.
    #[serde(flatten)]
    pub levels: Levels,
}

/// A block up to a SuperRoot.
#[derive(Serialize, ToSchema)]
pub struct BlockProof {
    /// What it is about.
    #[serde(flatten)]
    pub place: Place,
    /// Its levels.
    #[serde(flatten)]
    pub levels: Levels,
    /// What no hash shows.
    #[serde(flatten)]
    pub unproven: Unproven,
}

/// A transaction and its receipt up to a SuperRoot.
#[derive(Serialize, ToSchema)]
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
#[derive(Serialize, ToSchema)]
pub struct EventProof {
    /// What it is about.
    #[serde(flatten)]
    pub place: Place,
    /// The entry.
    #[serde(flatten)]
    pub entry: Entry,
    /// `address`, `topics`, `data`, `logIndex` in the receipt; `logIndexInBlock` is not proven.
    pub event: Value,
    /// Bit positions of address and topics, set in the receipt's and header's bloom.
    pub bloom: Option<Value>,
    /// What no hash shows.
    #[serde(flatten)]
    pub unproven: Unproven,
}

/// That a block has nothing at a position.
#[derive(Serialize, ToSchema)]
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
#[derive(Serialize, ToSchema)]
pub struct LambdaBundle {
    /// What it is about.
    #[serde(flatten)]
    pub place: Place,
    /// Its levels.
    #[serde(flatten)]
    pub levels: Levels,
    /// The header's transactions root.
    pub transactions_root: Hash,
    /// The header's receipts root.
    pub receipts_root: Hash,
    /// Whether there is evidence that it is final; not proven.
    pub is_finalized: bool,
    /// What no hash shows.
    #[serde(flatten)]
    pub unproven: Unproven,
}

/// The portable proof of a block.
#[derive(Serialize, ToSchema)]
pub struct BlobProof {
    /// What it is about.
    #[serde(flatten)]
    pub place: Place,
    /// Hash of the block.
    pub block_hash: Hash,
    /// Hash of the SuperRoot that the proof ends in.
    pub super_root_hash: Hash,
    /// Bytes of the .srproof file: the whole proof.
    pub proof_blob: Hex,
    /// `srproof/1`.
    pub proof_format: String,
    /// Layer: the SuperRoot's 82 bytes.
    pub l1_superroot: Hex,
    /// Layer: the header.
    pub l2_chain_header: Hex,
    /// Layer: path to the SuperRoot.
    pub l3_superroot_proof: Vec<Hash>,
    /// Layer: path of the block.
    pub l4_block_proof: Vec<Hash>,
    /// Layer: `null` for a block.
    pub l5_chain_event: Value,
    /// Layer: Keccak-256 of the evidence of finality, `null` where there is none; not proven.
    pub l6_finality_commitment: Option<Hash>,
    /// What no hash shows.
    #[serde(flatten)]
    pub unproven: Unproven,
}

/// Proofs wanted.
#[derive(Serialize, ToSchema)]
#[schema(example = json!({ "items": [
    { "chain": "ethereum", "block": "19000000" },
    { "chain": "ethereum", "block": "19000000", "txIndex": 0, "logIndex": 0 },
] }))]
pub struct BatchRequest {
    /// 1 to 64 items, or what the service is set to.
    pub items: Vec<BatchItem>,
    /// Hash of the SuperRoot under which all are to end.
    pub root: Option<Hash>,
    /// Or its sequence.
    pub sequence: Option<u64>,
}

/// A block; with `txIndex` and `logIndex` an event; with `txIndex` and `absent` an absence; with
/// `txHash` a transaction, or with `logIndex` its event.
#[derive(Serialize, ToSchema)]
pub struct BatchItem {
    /// Chain id or name.
    pub chain: String,
    /// Number or `latest`.
    pub block: Option<String>,
    /// Transaction hash instead of a block.
    pub tx_hash: Option<Hash>,
    /// Position in the block.
    pub tx_index: Option<u32>,
    /// Position in the receipt.
    pub log_index: Option<u32>,
    /// Whether absence is to be proven.
    pub absent: Option<bool>,
}

/// Many proofs under one SuperRoot.
#[derive(Serialize, ToSchema)]
pub struct Batch {
    /// Every trie node and sibling once.
    pub nodes: Vec<Hex>,
    /// Proofs as of the other routes, their siblings as indexes of nodes.
    pub items: Vec<Value>,
}
