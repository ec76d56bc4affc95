//! Token price and evidence (`GET /price/{chain}/{token}`).

use serde::{Deserialize, Serialize};
use superroot_types::{BlockNumber, ChainId, Hash};
#[cfg(feature = "schema")]
use utoipa::ToSchema;

/// Token on a chain.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(ToSchema))]
pub struct PricedToken {
    /// Contract address, in lower-case hex.
    pub address: String,
    /// The contract's symbol, sanitised, or the token's address. Symbols do not identify a token.
    pub symbol: Option<String>,
    /// Digits after the decimal point.
    pub decimals: u8,
    /// Of symbol and decimals: `configured` (a list), `node_quorum`, `one_node` or `simulated`; none is a proof.
    pub metadata_evidence: String,
    /// Agreeing nodes; null if no node was asked.
    #[serde(default)]
    pub metadata_nodes: Option<Vec<String>>,
    /// Block after which the nodes were asked; null if no node was asked.
    #[serde(default)]
    pub metadata_block: Option<BlockNumber>,
}

/// Price block.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(ToSchema))]
pub struct PriceBlock {
    /// Block number.
    pub number: BlockNumber,
    /// Block hash.
    pub hash: Hash,
    /// Unix seconds.
    pub timestamp: u64,
    /// Block finality: `head` (may be undone), `finalized` or `anchored`.
    pub finality: String,
    /// Block age in seconds, as counted by `freshness`; null if the request names a block.
    #[serde(default)]
    pub age_seconds: Option<u64>,
    /// First block with complete pool events from there on: older events do not count.
    pub events_from: BlockNumber,
    /// Proof URL.
    pub proof_url: String,
}

/// Geometric mean over a window: for each pool the mean tick, rounded down, as in Uniswap's own observations.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(ToSchema))]
pub struct Twap {
    /// Requested window, in seconds.
    pub window_seconds: u64,
    /// Covered seconds for the pool with the most weight, starting with the first event seen.
    pub covered_seconds: u64,
    /// Mean in US dollars, as a decimal number.
    pub price_usd: String,
}

/// Event position.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(ToSchema))]
pub struct EventPlace {
    /// Block number.
    pub block_number: BlockNumber,
    /// Position in the block.
    pub tx_index: u32,
    /// Position in the receipt.
    pub log_index: u32,
    /// Proof URL; available once the event is anchored, with `?level=1` or `2` before.
    pub proof_url: String,
}

/// Examined pool.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(ToSchema))]
pub struct PricePool {
    /// Pool contract; for Uniswap v4 the shared contract of all pools.
    pub address: String,
    /// Pool id in the contract; null if the contract is the pool.
    pub pool_id: Option<Hash>,
    /// Exchange.
    pub protocol: String,
    /// Pool tokens at a known factory: token 0 and token 1.
    pub pair: [String; 2],
    /// Pool fee, in millionths.
    pub fee_millionths: u32,
    /// Whether the exchange may change the fee: the given fee is the usual one.
    #[serde(default)]
    pub fee_may_change: bool,
    /// Steps between usable ticks; 1 for a pool without ticks.
    pub tick_spacing: i32,
    /// Base token that prices the requested token.
    pub base: String,
    /// Reserves of token 0 and token 1, in the smallest units; null with a price and liquidity.
    pub reserves: Option<[String; 2]>,
    /// Square root of token 1 per token 0, in 1 / 2^96 of the smallest units; null with reserves.
    pub sqrt_price_x96: Option<String>,
    /// Tick; null without ticks.
    pub tick: Option<i32>,
    /// Liquidity in force; null if the pool reports reserves.
    pub liquidity: Option<String>,
    /// Base tokens per token; null without a price.
    pub price_base: Option<String>,
    /// Price in US dollars.
    pub price_usd: Option<String>,
    /// Liquidity near the price, in US dollars: all reserves, or the liquidity of the range in force.
    pub liquidity_usd: Option<String>,
    /// Price weight, in US dollars: 1 percent of the reserves, or of equivalent reserves at mean liquidity.
    pub depth_usd: Option<String>,
    /// Mean liquidity within 1 percent of the price, of all positions; null if only the range in force counts.
    #[serde(default)]
    pub near_liquidity: Option<String>,
    /// The total weight's share, 0 to 1.
    pub weight: f64,
    /// Reason for zero weight: `drained`, `stale`, `young`, `outlier`, `unsettled`, `beyond`, `fee` (above 2
    /// percent) or `bins`; null if the pool counts.
    pub left_out: Option<String>,
    /// Creation event from a known factory; null if the pool address or id follows from factory and tokens.
    #[serde(default)]
    pub creation_event: Option<EventPlace>,
    /// Event that set the current price.
    pub last_event: EventPlace,
    /// The last event's block time, in Unix seconds.
    pub last_event_timestamp: u64,
    /// Later liquidity changes, included in the figures.
    pub later_events: Vec<EventPlace>,
    /// Mean tick over the window; null without a mean.
    pub mean_tick: Option<i32>,
    /// The window's covered seconds.
    pub covered_seconds: u64,
    /// US dollars, without the fee, to raise the price by 2 percent in the pool; null: see `cost_reason`.
    pub cost_to_move_2_percent_usd: Option<String>,
    /// Reason for a null cost.
    pub cost_reason: Option<String>,
}

impl PricePool {
    /// Whether the price is judged: the pool counts, or is excluded as too far from other pools.
    #[must_use]
    pub fn is_judged(&self) -> bool {
        self.left_out.as_deref().is_none_or(|why| why == "outlier")
    }
}

/// Base token for prices.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(ToSchema))]
pub struct PriceBase {
    /// Token.
    pub token: PricedToken,
    /// Price in US dollars.
    pub price_usd: String,
    /// Mean over the window; null without a mean.
    pub twap_usd: Option<String>,
    /// `configured`: assumed to be worth one dollar, without proof; `pools`: computed from `pools`.
    pub evidence: String,
    /// Pools.
    pub pools: Vec<PricePool>,
    /// Stablecoins behind the price: each is assumed to be worth one dollar.
    pub stables: Vec<PricedToken>,
    /// Disagreeing stablecoins, by the chain's coin; of two, the one with more liquidity is the dollar.
    #[serde(default)]
    pub disputed_by: Vec<String>,
}

/// The confidence's parts, each from 0 to 1.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(ToSchema))]
pub struct ConfidenceParts {
    /// Depth: 0 at the required minimum, 1 at a thousand times the minimum.
    pub depth: f64,
    /// Freshness: 1 just after an event, 0 if every pool is stale.
    pub freshness: f64,
    /// 1 if pools agree, 0 at the largest permitted distance; at most the weight not excluded for distance.
    pub agreement: f64,
    /// 1 if the price equals the window's mean, 0 at the largest permitted distance, or without a mean.
    pub calm: f64,
    /// Coverage: covered part of the window.
    pub coverage: f64,
}

/// Confidence in a price.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(ToSchema))]
pub struct Confidence {
    /// Lowest of the parts.
    pub value: f64,
    /// Parts.
    pub parts: ConfidenceParts,
}

/// This service's pool rules.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(ToSchema))]
pub struct PriceRules {
    /// Minimum depth behind a price, in US dollars.
    pub depth_usd_min: u64,
    /// Seconds without an event after which a pool is stale.
    pub stale_after_seconds: u64,
    /// Maximum distance of a pool from the median, in percent; a farther pool is excluded.
    pub outlier_percent_max: u64,
    /// Maximum distance of a price from the mean over the window, in percent; beyond, no price is given.
    pub drift_percent_max: u64,
    /// Minimum number of seconds covered by pool events, at most the window; below, no price is given.
    #[serde(default)]
    pub covered_seconds_min: u64,
}

/// Proof of one event behind a price.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(ToSchema))]
pub struct PriceProof {
    /// Event.
    pub event: EventPlace,
    /// Proof in hex, as in a `.srproof` file.
    pub proof_blob: String,
}

/// Token price.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(ToSchema))]
pub struct TokenPrice {
    /// Chain id.
    pub chain_id: ChainId,
    /// Token.
    pub token: PricedToken,
    /// Block behind all figures: the price at a given block never changes.
    pub block: PriceBlock,
    /// US dollars per token, up to 18 significant digits: the median over pools, weighted by depth.
    pub price_usd: String,
    /// Price in the chain's own coin; null if the coin has no price.
    pub price_native: Option<String>,
    /// Mean over the window; null if no pool has a mean.
    pub twap: Option<Twap>,
    /// US dollars over all counted pools, without fees, to raise the price by 2 percent; null if any pool's is.
    pub cost_to_move_2_percent_usd: Option<String>,
    /// Confidence in the price.
    pub confidence: Confidence,
    /// Pool rules.
    pub rules: PriceRules,
    /// Examined pools, highest weight first.
    pub pools: Vec<PricePool>,
    /// The pools' base tokens.
    pub bases: Vec<PriceBase>,
    /// With `?proof=1` the proofs of all events behind the price, from which `superroot verify` computes it.
    #[serde(default)]
    pub proof: Option<Vec<PriceProof>>,
}
