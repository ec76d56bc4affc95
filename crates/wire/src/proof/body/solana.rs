//! Members of entries of the Solana family.

use serde::Serialize;
use superroot_types::Hash;
#[cfg(feature = "schema")]
use utoipa::ToSchema;

/// What an entry of the Solana family has besides: the way from the transaction's record to the
/// blockhash.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(ToSchema))]
pub struct SolanaEntry {
    /// First signature of the transaction in base58: what explorers call it by.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub transaction_signature: Option<String>,
    /// Always false: a blockhash does not show how many transactions stand before one.
    pub index_bound: bool,
    /// Whether the proof shows that the transaction is in this very block; otherwise it is in the chain by this block.
    pub block_bound: bool,
    /// The hash before the record.
    pub hash_before: Hash,
    /// Place of the transaction's first signature among those of the record.
    pub signature_index: u32,
    /// Signatures of the record; not bound.
    pub signature_count: u32,
    /// Of each signature of the transaction, the path from its leaf upward.
    pub signature_siblings: Vec<Vec<Hash>>,
    /// The records behind it.
    pub records: Vec<RecordPart>,
    /// Plain hashes from the last record to the blockhash.
    pub tail_hashes: u32,
}

/// A record behind that of the transaction.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(ToSchema))]
pub struct RecordPart {
    /// Hashes from the record before to this one, itself among them.
    pub num_hashes: u32,
    /// Root over the signatures recorded.
    pub mixin: Hash,
}

/// A blockhash, which is all that a header is.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(ToSchema))]
pub struct SolanaHeader {
    /// The hash.
    pub hash: Hash,
    /// The same in base58.
    pub blockhash: String,
}

/// A transaction as nodes name its parts; keys, hashes, signatures and data in base58.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(ToSchema))]
pub struct SolanaTransaction {
    /// Hash of the leaf of its first signature.
    pub hash: Hash,
    /// Signatures.
    pub signatures: Vec<String>,
    /// `legacy`, or the version of the message.
    pub version: String,
    /// What was signed.
    pub message: SolanaMessage,
}

/// The message of a transaction.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(ToSchema))]
pub struct SolanaMessage {
    /// How many accounts signed, and how many are only read.
    pub header: SolanaMessageHeader,
    /// Addresses; those that signed come first.
    pub account_keys: Vec<String>,
    /// A recent blockhash, or the value of a durable nonce.
    pub recent_blockhash: String,
    /// What is asked of programs.
    pub instructions: Vec<SolanaInstruction>,
    /// Addresses taken from tables on the chain.
    pub address_table_lookups: Vec<SolanaLookup>,
}

/// How many accounts of a message signed, and how many are only read.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(ToSchema))]
pub struct SolanaMessageHeader {
    /// Accounts that signed.
    pub num_required_signatures: usize,
    /// Of these, those only read.
    pub num_readonly_signed_accounts: u8,
    /// Of the others, those only read.
    pub num_readonly_unsigned_accounts: u8,
}

/// What is asked of a program.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(ToSchema))]
pub struct SolanaInstruction {
    /// Position of the program's address.
    pub program_id_index: u8,
    /// Positions of the accounts handed to it.
    pub accounts: Vec<u8>,
    /// What it is told.
    pub data: String,
}

/// Addresses taken from a table.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(ToSchema))]
pub struct SolanaLookup {
    /// Address of the table.
    pub account_key: String,
    /// Places of those that may be written.
    pub writable_indexes: Vec<u8>,
    /// Places of the others.
    pub readonly_indexes: Vec<u8>,
}
