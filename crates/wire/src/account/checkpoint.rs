//! Usage checkpoints, and proofs for an account's usage (`.srusage`).

use serde::{Deserialize, Serialize};
use superroot_types::{Hash, UnixSeconds};
#[cfg(feature = "schema")]
use utoipa::ToSchema;

/// Usage checkpoints (`GET /api/v1/usage/checkpoints`), newest first.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(ToSchema))]
pub struct UsageCheckpointList {
    /// Checkpoints.
    pub checkpoints: Vec<UsageCheckpoint>,
    /// `before` of the next page; `null` at the end.
    pub next_before: Option<String>,
}

/// Root over all accounts' usage on a day.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(ToSchema))]
pub struct UsageCheckpoint {
    /// Day in UTC, such as `2026-02-28`.
    pub day: String,
    /// `live` or `test`.
    pub environment: String,
    /// Sequence at the registry contract.
    pub sequence: u64,
    /// Registry contract's chain.
    pub chain_id: u64,
    /// Registry contract.
    pub contract: String,
    /// Begin, in Unix seconds.
    pub start: UnixSeconds,
    /// End, in Unix seconds.
    pub end: UnixSeconds,
    /// Root at the contract.
    pub root: Hash,
    /// Accounts with usage.
    pub accounts: u64,
    /// Range root over the accounts.
    pub range_root: Hash,
    /// `planned`: fixed, and not yet proven at the contract; `proven`.
    pub state: String,
    /// Transaction hash, once proven.
    pub transaction_hash: Option<Hash>,
    /// Proof route for the contract's event, once proven.
    pub proof_url: Option<String>,
}

/// Proof for an account's usage on a day (`GET /api/v1/usage/checkpoints/{checkpoint}`).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(ToSchema))]
pub struct UsageProof {
    /// Checkpoint.
    pub usage_checkpoint: UsageCheckpoint,
    /// Account id (UUID).
    pub user_id: String,
    /// Account's usage in the checkpoint; `null` if the account had none.
    pub leaf: Option<AccountLeaf>,
    /// Hourly rows behind the leaf; `null` with `rows_missing`.
    pub rows: Option<Vec<UsageProofRow>>,
    /// `too_many` (above 16,384), or `changed`: removed since, or counted late.
    pub rows_missing: Option<String>,
    /// Proof for the contract's event (`.srproof` as hex); `null` before `proven`.
    pub proof_blob: Option<String>,
}

/// Account's usage on a day, with the path to the range root.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(ToSchema))]
pub struct AccountLeaf {
    /// Random bytes against guessing the usage by the hash.
    pub blind: Hash,
    /// Row count.
    pub row_count: u32,
    /// Requests in all rows.
    pub requests: u64,
    /// Billing tokens in all rows.
    pub billing_tokens: u64,
    /// Range root over the rows.
    pub range_root: Hash,
    /// Leaf index.
    pub index: u64,
    /// Sibling hashes, lowest first.
    pub path: Vec<Hash>,
}

/// Requests in an hour with equal key, route, chain and status.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(ToSchema))]
pub struct UsageProofRow {
    /// Begin, in Unix seconds.
    pub hour: UnixSeconds,
    /// Key id.
    pub key_id: Option<String>,
    /// Route number, part of the row's hash.
    pub route: u16,
    /// Route path: the service's word.
    pub endpoint: String,
    /// Requested chain's ledger family.
    pub family: Option<String>,
    /// Requested chain id.
    pub chain_id: Option<u64>,
    /// Status class, such as `2xx`.
    pub status: String,
    /// Requests.
    pub requests: u64,
    /// Billing tokens for the requests.
    pub billing_tokens: u64,
}
