//! Proof check by the service.

use serde::Serialize;
use serde_json::Value;
use superroot_types::{Address, BlockNumber, Hash};
#[cfg(feature = "schema")]
use utoipa::ToSchema;

use crate::Hex;
use crate::chain::Retraction;

/// Proof to check: `proof`, `proof_blob`, or the unchanged members of a proof answer (`POST /kv/verify`).
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(ToSchema))]
pub struct VerifyRequest {
    /// Answer of any proof route, in either spelling.
    #[cfg_attr(feature = "schema", schema(required = false, value_type = Object))]
    pub proof: Option<Value>,
    /// Bytes of a .srproof file.
    pub proof_blob: Option<Hex>,
    /// The proof's expected subject.
    pub expected: Option<Expected>,
}

/// A proof's expected subject; omitted members are not checked.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(ToSchema))]
pub struct Expected {
    /// SuperRoot hash at the end of the proof.
    pub super_root_hash: Option<Hash>,
    /// Chain id, name or CAIP-2 name.
    pub chain: Option<String>,
    /// Chain id.
    pub chain_id: Option<u64>,
    /// Block number; `not_shown` if the transaction is only in the chain by it (Aptos, early slots of Solana).
    pub block: Option<BlockNumber>,
    /// Block number, as an alias for `block`.
    pub block_number: Option<BlockNumber>,
    /// Transaction position in the block; `not_shown` if no hash binds it (Solana, Aptos, Polkadot events).
    pub tx_index: Option<u32>,
    /// Log position in the receipt; fails with `not_shown` if no hash binds the position (Polkadot).
    pub log_index: Option<u32>,
    /// Event address.
    pub address: Option<Address>,
    /// Event topics, up to 4.
    pub topics: Option<Vec<Hash>>,
}

/// The check's result.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(ToSchema))]
pub struct VerifyAnswer {
    /// Whether every check but `note` passes, and the proof leads to a SuperRoot of this log or the expected one.
    pub valid: bool,
    /// Highest level with all checks passed, from the lowest level up.
    pub level_reached: Option<u8>,
    /// Checks, lowest level first.
    pub checks: Vec<ProofCheck>,
    /// Whether this log published the SuperRoot.
    pub anchored: KnownSuperRoot,
    /// Retraction of the block, or of an ancestor, by nodes.
    pub retraction: Option<Retraction>,
}

/// A proof's check.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(ToSchema), schema(as = Check))]
pub struct ProofCheck {
    /// Proof level; `null` for a check of the whole proof.
    pub level: Option<u8>,
    /// Checked property. `note`, the signatures of the note in the proof, does not affect the result.
    pub name: String,
    /// Whether the check passes.
    pub ok: bool,
    /// Reason for the result.
    pub detail: String,
}

/// SuperRoot at the end of a proof.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(ToSchema))]
pub struct KnownSuperRoot {
    /// Whether this log published the SuperRoot.
    pub known_super_root: bool,
    /// SuperRoot sequence, if published by this log.
    pub sequence: Option<u64>,
    /// SuperRoot hash; `null` if the proof ends at a lower level.
    pub super_root_hash: Option<Hash>,
}
