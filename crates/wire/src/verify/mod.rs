//! The check of a proof by the service itself.

use serde::Serialize;
use serde_json::Value;
use superroot_types::{Address, BlockNumber, Hash};
#[cfg(feature = "schema")]
use utoipa::ToSchema;

use crate::Hex;
use crate::chain::Retraction;

/// A proof to check: `proof`, `proof_blob`, or the members of the answer of a proof route as they came (`POST /kv/verify`).
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(ToSchema))]
pub struct VerifyRequest {
    /// The answer of a proof route, whichever, in either spelling.
    #[cfg_attr(feature = "schema", schema(required = false, value_type = Object))]
    pub proof: Option<Value>,
    /// Bytes of a .srproof file.
    pub proof_blob: Option<Hex>,
    /// What the proof must be about.
    pub expected: Option<Expected>,
}

/// What a proof must be about, as far as named.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(ToSchema))]
pub struct Expected {
    /// Hash of the SuperRoot that it ends in.
    pub super_root_hash: Option<Hash>,
    /// Chain id, name or CAIP-2 name.
    pub chain: Option<String>,
    /// The same by its id.
    pub chain_id: Option<u64>,
    /// Block number; fails with `not_shown` where a transaction is in the chain by the block (Aptos, early slots of Solana).
    pub block: Option<BlockNumber>,
    /// The same under its longer name.
    pub block_number: Option<BlockNumber>,
    /// Position of the transaction in the block; fails with `not_shown` where no hash binds it (Solana, Aptos, events
    /// of Polkadot).
    pub tx_index: Option<u32>,
    /// Position of the log in the receipt; fails with `not_shown` where no hash binds it (Polkadot).
    pub log_index: Option<u32>,
    /// Address of the event.
    pub address: Option<Address>,
    /// Topics of the event, up to 4.
    pub topics: Option<Vec<Hash>>,
}

/// What the check came to.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(ToSchema))]
pub struct VerifyAnswer {
    /// Whether every check but `note` holds, and the proof leads to a SuperRoot of this log or to the one expected.
    pub valid: bool,
    /// Highest level up to which all holds.
    pub level_reached: Option<u8>,
    /// Each check, the lowest level first.
    pub checks: Vec<Check>,
    /// Whether this log published the SuperRoot.
    pub anchored: KnownSuperRoot,
    /// That nodes took the block back, or one that it stands on.
    pub retraction: Option<Retraction>,
}

/// One check of a proof.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(ToSchema))]
pub struct Check {
    /// The proof level; `null` for a check of the whole.
    pub level: Option<u8>,
    /// What is checked. `note`, the signatures of the note that the proof carries, does not decide.
    pub name: String,
    /// Whether it holds.
    pub ok: bool,
    /// What holds, or what does not.
    pub detail: String,
}

/// The SuperRoot a proof leads to.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(ToSchema))]
pub struct KnownSuperRoot {
    /// Whether this log published it.
    pub known_super_root: bool,
    /// Its sequence, where it did.
    pub sequence: Option<u64>,
    /// Its hash; `null` where the proof ends below.
    pub super_root_hash: Option<Hash>,
}
