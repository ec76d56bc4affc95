//! Sets of signers, for clients that check finality.

use serde::{Deserialize, Serialize};
use superroot_types::{ChainId, Family, Hash, Network, UnixSeconds};
#[cfg(feature = "schema")]
use utoipa::ToSchema;

use crate::Hex;

/// Sets of signers of a chain's consensus (`GET /v5/light-client/{chain}`).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(ToSchema))]
pub struct LightClient {
    /// Chain id.
    #[serde(alias = "chainId")]
    pub chain_id: ChainId,
    /// `live`, `recorded` or `simulated`.
    pub network: Network,
    /// Kind of evidence: `beacon`, `work`, ...
    pub kind: String,
    /// What a client still trusts.
    pub trust: String,
    /// Whether evidence binds the number too.
    #[serde(alias = "numberBound")]
    pub number_bound: bool,
    /// Oldest set held, by number.
    #[serde(alias = "firstSet")]
    pub first_set: Option<u64>,
    /// Newest set held.
    #[serde(alias = "lastSet")]
    pub last_set: Option<u64>,
    /// Newest set.
    pub newest: Option<LightClientSet>,
    /// Path to contradicting statements by a set; `null` without.
    pub conflict: Option<String>,
}

/// One set of signers.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(ToSchema))]
pub struct LightClientSet {
    /// Period or epoch.
    pub number: u64,
    /// Id that clients pin.
    pub id: Hash,
    /// End of trust; `null` for ever.
    #[serde(alias = "trustedUntil")]
    pub trusted_until: Option<UnixSeconds>,
    /// Bytes.
    pub set: Hex,
}

/// Steps from one set to the next.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(ToSchema))]
pub struct LightClientSteps {
    /// Set before the first step.
    pub from: u64,
    /// Set behind the last step.
    pub to: u64,
    /// Newest set held.
    pub last: u64,
    /// Steps, in order.
    pub steps: Vec<Hex>,
}

/// Contradicting statements by one set, for `superroot verify`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(ToSchema))]
pub struct LightClientConflict {
    /// Chain id.
    #[serde(alias = "chainId")]
    pub chain_id: ChainId,
    /// `live`, `recorded` or `simulated`.
    pub network: Network,
    /// Ledger family.
    pub family: Family,
    /// Kind of evidence.
    pub kind: String,
    /// The signing set, as found by the service.
    pub set: LightClientSet,
    /// Both block hashes, or both set ids, as found by the service.
    pub hashes: Vec<Hash>,
    /// Set and statements, the only bytes to check.
    pub conflict: Hex,
}
