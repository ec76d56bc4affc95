//! Aptos node API: REST below `/v1`, numbers as decimal text. Returns the accumulator root after every version, but no
//! siblings. Source: <https://api.mainnet.aptoslabs.com/v1/spec>.

pub(crate) mod capture;
mod form;
pub(crate) mod nodes;
pub(crate) mod replay;
mod signers;
pub(crate) mod simulated;

use serde::{Deserialize, Serialize};
use serde_with::{DisplayFromStr, serde_as};
use superroot_types::Hash;

pub(crate) const JSON: &str = "application/json";
/// Node and chain tip.
pub(crate) const LEDGER: &str = "v1";
pub(crate) const BLOCK: &str = "v1/blocks/by_height";
/// A version's effects.
pub(crate) const VERSION: &str = "v1/transactions/by_version";

#[serde_as]
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct LedgerInfo {
    pub(crate) chain_id: u8,
    #[serde_as(as = "DisplayFromStr")]
    pub(crate) block_height: u64,
    /// Software version; name of a replay server.
    #[serde(default)]
    pub(crate) git_hash: String,
}

#[serde_as]
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct AptosBlockAnswer {
    #[serde_as(as = "DisplayFromStr")]
    pub(crate) block_height: u64,
    /// Microseconds since 1970.
    #[serde_as(as = "DisplayFromStr")]
    pub(crate) block_timestamp: u64,
    #[serde_as(as = "DisplayFromStr")]
    pub(crate) first_version: u64,
    #[serde_as(as = "DisplayFromStr")]
    pub(crate) last_version: u64,
}

#[serde_as]
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct AptosVersion {
    #[serde_as(as = "DisplayFromStr")]
    pub(crate) version: u64,
    pub(crate) accumulator_root_hash: Hash,
}
