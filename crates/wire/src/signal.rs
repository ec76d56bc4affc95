//! Signals: token launches (`GET /signals/launches`) and price differences (`GET /signals/arb`).

use serde::{Serialize, Serializer};
use superroot_types::{BlockNumber, ChainId, Hash};
#[cfg(feature = "schema")]
use utoipa::ToSchema;

/// Launch checks. An unknown figure is null, and `missing` gives the reason.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(ToSchema))]
pub struct LaunchChecks {
    /// Percent of the pool's own tokens (the block's, or all once nodes are asked) that nobody can withdraw.
    pub liquidity_burned_percent: Option<u8>,
    /// Percent of the pool's own tokens in known lockers; the lock's end is not read.
    pub liquidity_locked_percent: Option<u8>,
    /// Evidence from nodes: `simulated`, a purchase and sale that nobody makes; null if no node was asked.
    pub evidence: Option<&'static str>,
    /// Block after which the purchase and sale were simulated.
    pub asked_at_block: Option<BlockNumber>,
    /// The token contract's owner; the zero address means no owner.
    pub owner: Option<String>,
    /// Whether the token code has a function to mint more tokens.
    pub is_mintable: Option<bool>,
    /// Percent lost in a purchase.
    pub buy_tax_percent: Option<f64>,
    /// Percent lost in a sale; 100 if the token could not be sold.
    pub sell_tax_percent: Option<f64>,
    /// Percent of the token with the ten largest holders at the launch, without pool and burned tokens.
    pub top_holders_percent: Option<f64>,
    /// Null figures, with reasons.
    pub missing: Vec<MissingCheck>,
}

/// Null figure and the reason.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(ToSchema))]
pub struct MissingCheck {
    /// Member name.
    pub check: &'static str,
    /// Reason.
    pub why: String,
}

/// `token_launch`, `updated`: a new token's pool gained or lost liquidity.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(ToSchema))]
pub struct TokenLaunch {
    /// The contract's symbol, sanitised, or the token's address. Symbols do not identify a token.
    pub symbol: String,
    /// Chain id.
    pub chain_id: ChainId,
    /// Pool liquidity near the price, in US dollars: twice the reserve of the paired token.
    #[serde(rename = "liquidityUSD", serialize_with = "cents")]
    pub liquidity_usd: f64,
    /// Keccak-256 of the statements of both events behind the launch; `/v5/proof/hash/{proofHash}` proves both.
    pub proof_hash: Hash,
    /// `launched`, or `pulled`: the pool is nearly empty.
    pub state: &'static str,
    /// Token address.
    pub token: String,
    /// Digits after the decimal point; null if unknown.
    pub decimals: Option<u8>,
    /// Evidence for symbol and decimals: `node_quorum`, `one_node`, `simulated`, or `none` if unknown (so far).
    pub metadata_evidence: &'static str,
    /// Pool address; for Uniswap v4 the contract of all pools.
    pub pool: String,
    /// Pool id in the contract; null if the contract is the pool.
    pub pool_id: Option<Hash>,
    /// Exchange.
    pub protocol: String,
    /// Pool fee, in millionths.
    pub fee_millionths: u32,
    /// Paired token.
    pub paired_with: String,
    /// The liquidity event's block.
    pub block: BlockNumber,
    /// Block hash: if the block is undone, so is the launch.
    pub block_hash: Hash,
    /// Unix seconds.
    pub block_timestamp: u64,
    /// The liquidity event's transaction hash; null if transactions are not stored.
    pub tx_hash: Option<Hash>,
    /// Position in the block.
    pub tx_index: u32,
    /// Liquidity event position in the receipt.
    pub log_index: u32,
    /// Block of the pool's creation.
    pub creation_block: BlockNumber,
    /// Hash of a later block whose trades made the liquidity worth enough: retracted, it takes the launch back too.
    pub reached_block_hash: Option<Hash>,
    /// URL of both proofs, once both events are anchored.
    pub proof_url: String,
    /// Launch checks.
    pub checks: LaunchChecks,
}

/// Newest launches, newest first.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(ToSchema))]
pub struct Launches {
    /// Launches.
    pub launches: Vec<TokenLaunch>,
    /// Chains with complete launches: pool events are stored.
    pub chain_ids: Vec<ChainId>,
}

/// Proofs behind a signal.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(ToSchema))]
pub struct ProofsBehind {
    /// The signal's proof hash.
    pub proof_hash: Hash,
    /// Chain id.
    pub chain_id: ChainId,
    /// Events in hash order: pool creation, liquidity.
    pub events: Vec<ProvenBehind>,
}

/// Event behind a signal.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(ToSchema))]
pub struct ProvenBehind {
    /// `creation` or `liquidity`.
    pub role: &'static str,
    /// Block number.
    pub block_number: BlockNumber,
    /// Block hash.
    pub block_hash: Hash,
    /// Position in the block.
    pub tx_index: u32,
    /// Position in the receipt.
    pub log_index: u32,
    /// Proof in hex, as in a `.srproof` file.
    pub proof_blob: String,
    /// URL of the proof as JSON.
    pub proof_url: String,
}

/// An opportunity's side.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(ToSchema))]
pub struct ArbSide {
    /// Chain id.
    pub chain_id: ChainId,
    /// Token contract on the chain.
    pub token: String,
    /// Pool; for Uniswap v4 the contract of all pools.
    pub pool: String,
    /// Pool id in the contract; null if the contract is the pool.
    pub pool_id: Option<Hash>,
    /// Exchange.
    pub protocol: String,
    /// Token paid or received.
    pub base: String,
    /// Price for a small amount, before the pool fee, in US dollars.
    pub price_usd: String,
    /// The price's block.
    pub block_number: BlockNumber,
    /// Unix seconds.
    pub block_timestamp: u64,
    /// Block finality.
    pub finality: &'static str,
    /// Proof URL of the event that set the price.
    pub proof_url: String,
}

/// Trade costs, in US dollars.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(ToSchema))]
pub struct ArbCosts {
    /// Gas of both swaps in US dollars, at the next base fee and usual tip of each chain.
    pub gas: f64,
    /// Fees of both pools in US dollars; already deducted from the gross profit.
    pub fees: f64,
    /// Bridge fee in US dollars; 0 on one chain.
    pub bridge: f64,
    /// `configured`: swap gas, bridge fee and bridge time are assumptions of this service.
    pub evidence: &'static str,
}

/// One asset at two prices.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(ToSchema))]
pub struct Opportunity {
    /// Traded asset, matched by a list of contracts, not by symbols.
    pub token: String,
    /// Side with the low price.
    pub buy: ArbSide,
    /// Side with the high price.
    pub sell: ArbSide,
    /// Price difference, in percent of the lower price.
    pub spread_pct: f64,
    /// Most profitable size over both curves, in US dollars.
    pub size_usd: f64,
    /// Profit before costs other than pool fees, in US dollars.
    pub gross_profit_usd: f64,
    /// Trade costs.
    pub costs: ArbCosts,
    /// Profit after costs, in US dollars.
    pub net_profit_usd: f64,
    /// Confidence, 0 to 1: lower for older events and longer durations.
    pub confidence: f64,
    /// Expiry, in Unix seconds: request the opportunity again afterwards.
    pub expires_at: u64,
    /// The trade's duration, in seconds.
    pub duration_seconds: u64,
    /// Proofs of both prices.
    pub proofs: [String; 2],
}

/// Price differences, most profitable first.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(ToSchema))]
pub struct Opportunities {
    /// Opportunities.
    pub opportunities: Vec<Opportunity>,
    /// Examined chains.
    pub chain_ids: Vec<ChainId>,
    /// Excluded chains: the newest block is older than 20 block times and older than two minutes.
    pub stale_chain_ids: Vec<ChainId>,
    /// Time of computation, in Unix seconds.
    pub computed_at: u64,
}

/// Serializes a number with two decimal digits.
fn cents<S: Serializer>(number: &f64, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_f64(in_cents(*number))
}

/// Rounds a number to two decimal digits.
pub(crate) fn in_cents(number: f64) -> f64 {
    (number * 100.0).round() / 100.0
}
