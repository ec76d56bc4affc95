//! Where a hash stands (`GET /v5/find/{hash}`).

use serde::Serialize;
use superroot_types::{BlockNumber, ChainId};
#[cfg(feature = "schema")]
use utoipa::ToSchema;

/// Where a hash stands.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(ToSchema))]
pub struct Found {
    /// The hash as it was asked for.
    pub query: String,
    /// Every place, at least one, rising on each chain. One hash may be that of a transaction on several chains,
    /// and its bytes may stand in several blocks of one.
    pub matches: Vec<Match>,
    /// Whether a chain has more than the 64 places that are listed: `from` is then the number after the last one.
    pub more: bool,
}

/// One place.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(ToSchema))]
pub struct Match {
    /// `transaction`, `block` or `superRoot`.
    pub kind: &'static str,
    /// Chain id; `null` for a SuperRoot, as the next two are.
    pub chain_id: Option<ChainId>,
    /// Name of the chain.
    pub chain_name: Option<String>,
    /// The block, or the block of the transaction.
    pub block_number: Option<BlockNumber>,
    /// Position of the transaction in the block; else `null`.
    pub transaction_index: Option<u32>,
    /// Sequence of a SuperRoot; else `null`.
    pub sequence: Option<u64>,
    /// Where its proof is: of a SuperRoot, its page. Before the block is anchored the answer there says so.
    pub proof_url: String,
}
