//! Signals: launches of tokens (`GET /signals/launches`) and differences of prices (`GET /signals/arb`).

use serde::{Serialize, Serializer};
use superroot_types::{BlockNumber, ChainId, Hash};
#[cfg(feature = "schema")]
use utoipa::ToSchema;

/// What was found out about a launch. What is null was not, and `missing` says why.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(ToSchema))]
pub struct LaunchChecks {
    /// Hundredths of the pool's own tokens (the block's; once nodes are asked, all) that nobody can take back.
    pub liquidity_burned_percent: Option<u8>,
    /// What known lockers hold of them; until when is not read.
    pub liquidity_locked_percent: Option<u8>,
    /// What nodes add: `simulated`, a purchase and a sale that nobody makes; null where none was asked.
    pub evidence: Option<&'static str>,
    /// The block after which that was tried.
    pub asked_at_block: Option<BlockNumber>,
    /// Who owns the token's contract; the zero address: nobody.
    pub owner: Option<String>,
    /// Whether the token's code has a function that makes more of it.
    pub is_mintable: Option<bool>,
    /// Lost when the token is bought, in hundredths.
    pub buy_tax_percent: Option<f64>,
    /// Lost when it is sold, in hundredths; 100: it could not be sold.
    pub sell_tax_percent: Option<f64>,
    /// Hundredths of the token that its ten largest holders had after the block of its liquidity, pool and burned
    /// aside.
    pub top_holders_percent: Option<f64>,
    /// Why figures are null.
    pub missing: Vec<MissingCheck>,
}

/// Why a figure is null.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(ToSchema))]
pub struct MissingCheck {
    /// Its name.
    pub check: &'static str,
    /// Why.
    pub why: String,
}

/// `token_launch`, `updated`: a new token's pool has liquidity, or lost it.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(ToSchema))]
pub struct TokenLaunch {
    /// Its symbol as it says itself, made harmless; its address where it says none. Symbols are no identity.
    pub symbol: String,
    /// The chain.
    pub chain_id: ChainId,
    /// What its pool holds for prices next to its own, in US dollars: twice what it holds of the other token.
    #[serde(rename = "liquidityUSD", serialize_with = "cents")]
    pub liquidity_usd: f64,
    /// Keccak-256 of the statements of the two events behind it; `/v5/proof/hash/{proofHash}` proves both.
    pub proof_hash: Hash,
    /// `launched`, or `pulled`: what the pool had is all but gone.
    pub state: &'static str,
    /// The token.
    pub token: String,
    /// Digits behind its point; null where they are not known.
    pub decimals: Option<u8>,
    /// What symbol and digits rest on: `node_quorum`, `one_node`, `simulated`, or `none` where they are not known (yet).
    pub metadata_evidence: &'static str,
    /// Its pool; of Uniswap v4 the contract of all pools.
    pub pool: String,
    /// The pool's id within that contract; null where it is the contract.
    pub pool_id: Option<Hash>,
    /// Its exchange.
    pub protocol: String,
    /// The pool's fee, in millionths.
    pub fee_millionths: u32,
    /// The token that it is paired with.
    pub paired_with: String,
    /// Block of the liquidity.
    pub block: BlockNumber,
    /// Its hash: once that block is undone, so is the launch.
    pub block_hash: Hash,
    /// Its time, in Unix seconds.
    pub block_timestamp: u64,
    /// Hash of the liquidity's transaction; null where transactions are not held.
    pub tx_hash: Option<Hash>,
    /// Position of that transaction in the block.
    pub tx_index: u32,
    /// Position of the liquidity's event in its receipt.
    pub log_index: u32,
    /// Block in which the pool was made.
    pub creation_block: BlockNumber,
    /// Where both proofs are, once both events are anchored.
    pub proof_url: String,
    /// What was found out about it.
    pub checks: LaunchChecks,
}

/// The newest launches, newest first.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(ToSchema))]
pub struct Launches {
    /// They.
    pub launches: Vec<TokenLaunch>,
    /// Chains of which every launch is found: events of pools are held there.
    pub chain_ids: Vec<ChainId>,
}

/// The proofs behind a signal.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(ToSchema))]
pub struct ProofsBehind {
    /// The hash.
    pub proof_hash: Hash,
    /// The chain.
    pub chain_id: ChainId,
    /// The events, in the order in which the hash has them: the pool's creation, its liquidity.
    pub events: Vec<ProvenBehind>,
}

/// An event behind a signal.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(ToSchema))]
pub struct ProvenBehind {
    /// `creation` or `liquidity`.
    pub role: &'static str,
    /// Its block.
    pub block_number: BlockNumber,
    /// Hash of that.
    pub block_hash: Hash,
    /// Position of its transaction.
    pub tx_index: u32,
    /// Position in its receipt.
    pub log_index: u32,
    /// Its proof, the hex of a `.srproof` file.
    pub proof_blob: String,
    /// Where it is as JSON.
    pub proof_url: String,
}

/// One side of an opportunity.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(ToSchema))]
pub struct ArbSide {
    /// The chain.
    pub chain_id: ChainId,
    /// The token's contract there.
    pub token: String,
    /// The pool; of Uniswap v4 the contract of all pools.
    pub pool: String,
    /// The pool's id within that contract; null where it is the contract.
    pub pool_id: Option<Hash>,
    /// Its exchange.
    pub protocol: String,
    /// The token that is paid, or got.
    pub base: String,
    /// Its price for a small amount, before its fee, in US dollars.
    pub price_usd: String,
    /// The block that this is of.
    pub block_number: BlockNumber,
    /// Its time, in Unix seconds.
    pub block_timestamp: u64,
    /// How far that block has come.
    pub finality: &'static str,
    /// Where the proof of the event is that left this price in force.
    pub proof_url: String,
}

/// What a trade costs, in US dollars.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(ToSchema))]
pub struct ArbCosts {
    /// Gas of both swaps, at the next base fee and the usual tip of each chain.
    pub gas: f64,
    /// What both pools take; in the gross profit already.
    pub fees: f64,
    /// What a bridge takes; 0 on one chain.
    pub bridge: f64,
    /// `configured`: gas of a swap, the bridge's fee and its time are assumed by this service.
    pub evidence: &'static str,
}

/// The same asset at two prices.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(ToSchema))]
pub struct Opportunity {
    /// What is bought and sold: the same asset by a list of contracts, not by symbols.
    pub token: String,
    /// Where it is cheap.
    pub buy: ArbSide,
    /// Where it is dear.
    pub sell: ArbSide,
    /// How far both prices are apart, in hundredths of the lower one.
    pub spread_pct: f64,
    /// The size that brings the most over both curves, in US dollars.
    pub size_usd: f64,
    /// What it brings before costs beside the pools' fees, in US dollars.
    pub gross_profit_usd: f64,
    /// What it costs.
    pub costs: ArbCosts,
    /// What is left, in US dollars.
    pub net_profit_usd: f64,
    /// How much speaks for it, 0 to 1: less, the older both events are, and the longer it takes.
    pub confidence: f64,
    /// After that it is to be asked for anew, in Unix seconds.
    pub expires_at: u64,
    /// Seconds that it takes to carry out.
    pub duration_seconds: u64,
    /// Proofs of both prices.
    pub proofs: [String; 2],
}

/// Differences of prices, those that bring the most first.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(ToSchema))]
pub struct Opportunities {
    /// They.
    pub opportunities: Vec<Opportunity>,
    /// Chains that were looked at.
    pub chain_ids: Vec<ChainId>,
    /// Chains that were left out: their newest block is older than 20 block times, and than two minutes.
    pub stale_chain_ids: Vec<ChainId>,
    /// When that was, in Unix seconds.
    pub computed_at: u64,
}

/// Two digits behind the point.
fn cents<S: Serializer>(number: &f64, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_f64(in_cents(*number))
}

/// The same with two digits behind the point.
pub(crate) fn in_cents(number: f64) -> f64 {
    (number * 100.0).round() / 100.0
}
