//! Entry members of the Solana family.

use serde::Serialize;
use superroot_types::Hash;
#[cfg(feature = "schema")]
use utoipa::ToSchema;

/// Additional entry members of the Solana family: the path from the transaction's record to the blockhash.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(ToSchema))]
pub struct SolanaEntry {
    /// First transaction signature in base58: the transaction id in explorers.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub transaction_signature: Option<String>,
    /// Always false: a blockhash does not show the number of earlier transactions.
    pub index_bound: bool,
    /// Whether the proof shows the transaction in this very block; otherwise only in the chain by it.
    pub block_bound: bool,
    /// Hash before the record.
    pub hash_before: Hash,
    /// Position of the transaction's first signature in the record.
    pub signature_index: u32,
    /// Number of signatures in the record; not bound.
    pub signature_count: u32,
    /// Path of each transaction signature, from the leaf upward.
    pub signature_siblings: Vec<Vec<Hash>>,
    /// Later records.
    pub records: Vec<RecordPart>,
    /// Number of plain hashes from the last record to the blockhash.
    pub tail_hashes: u32,
}

/// Record after the transaction's record.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(ToSchema))]
pub struct RecordPart {
    /// Number of hashes since the previous record, including this record's hash.
    pub num_hashes: u32,
    /// The recorded signatures' root.
    pub mixin: Hash,
}

/// Blockhash, the only content of a header.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(ToSchema))]
pub struct SolanaHeader {
    /// Blockhash.
    pub hash: Hash,
    /// Blockhash in base58.
    pub blockhash: String,
}

/// Transaction with the nodes' member names; keys, hashes, signatures and data in base58.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(ToSchema))]
pub struct SolanaTransaction {
    /// The first signature's leaf hash.
    pub hash: Hash,
    /// Signatures.
    pub signatures: Vec<String>,
    /// `legacy`, or the message version.
    pub version: String,
    /// Signed message.
    pub message: SolanaMessage,
}

/// Transaction message.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(ToSchema))]
pub struct SolanaMessage {
    /// Number of signing and read-only accounts.
    pub header: SolanaMessageHeader,
    /// Account addresses, signers first.
    pub account_keys: Vec<String>,
    /// Recent blockhash, or durable nonce value.
    pub recent_blockhash: String,
    /// Program instructions.
    pub instructions: Vec<SolanaInstruction>,
    /// Addresses from tables on the chain.
    pub address_table_lookups: Vec<SolanaLookup>,
}

/// Number of signing and read-only accounts in a message.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(ToSchema))]
pub struct SolanaMessageHeader {
    /// Number of signing accounts.
    pub num_required_signatures: usize,
    /// Number of read-only signing accounts.
    pub num_readonly_signed_accounts: u8,
    /// Number of read-only accounts without signature.
    pub num_readonly_unsigned_accounts: u8,
}

/// Program instruction.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(ToSchema))]
pub struct SolanaInstruction {
    /// The program address's index.
    pub program_id_index: u8,
    /// Indexes of the program's accounts.
    pub accounts: Vec<u8>,
    /// Instruction data.
    pub data: String,
}

/// Addresses from a table.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(ToSchema))]
pub struct SolanaLookup {
    /// Table address.
    pub account_key: String,
    /// Table indexes of writable accounts.
    pub writable_indexes: Vec<u8>,
    /// Table indexes of read-only accounts.
    pub readonly_indexes: Vec<u8>,
}
