//! What a token costs, and what that follows from (`GET /price/{chain}/{token}`).

use serde::{Deserialize, Serialize};
use superroot_types::{BlockNumber, ChainId, Hash};
#[cfg(feature = "schema")]
use utoipa::ToSchema;

/// A token of a chain.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(ToSchema))]
pub struct PricedToken {
    /// Its contract, in lower-case hex.
    pub address: String,
    /// Its symbol as it says itself, made harmless; null where it has none. Symbols are no identity.
    pub symbol: Option<String>,
    /// Digits behind the point.
    pub decimals: u8,
    /// What symbol and digits rest on: `configured` (a list), `node_quorum`, `one_node` or `simulated`. None is
    /// proven.
    pub metadata_evidence: String,
    /// The nodes that agree on it; null where none was asked.
    #[serde(default)]
    pub metadata_nodes: Option<Vec<String>>,
    /// The block after which they were asked; null where none was asked.
    #[serde(default)]
    pub metadata_block: Option<BlockNumber>,
}

/// The block that a price is of.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(ToSchema))]
pub struct PriceBlock {
    /// Its number.
    pub number: BlockNumber,
    /// Its hash.
    pub hash: Hash,
    /// Its time, in Unix seconds.
    pub timestamp: u64,
    /// How far it has come: `head` (it may be undone), `finalized` or `anchored`.
    pub finality: String,
    /// Seconds since it was made, where no block was asked for, else null; `freshness` counts them.
    #[serde(default)]
    pub age_seconds: Option<u64>,
    /// First block from which on every event of pools is held: nothing older counts.
    pub events_from: BlockNumber,
    /// Where its proof is.
    pub proof_url: String,
}

/// Geometric mean over a window: of each pool the mean tick, rounded down, as Uniswap's own observations show it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(ToSchema))]
pub struct Twap {
    /// Seconds asked for.
    pub window_seconds: u64,
    /// Seconds covered, of the pool with the most weight: from its first event seen on.
    pub covered_seconds: u64,
    /// The mean in US dollars, as a decimal number.
    pub price_usd: String,
}

/// Where an event stands.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(ToSchema))]
pub struct EventPlace {
    /// Its block.
    pub block_number: BlockNumber,
    /// Position of its transaction in the block.
    pub tx_index: u32,
    /// Position in its receipt.
    pub log_index: u32,
    /// Where its proof is; it can be had once the event is anchored, with `?level=1` or `2` before.
    pub proof_url: String,
}

/// A pool that was looked at.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(ToSchema))]
pub struct PricePool {
    /// Its contract; of Uniswap v4 that of all its pools.
    pub address: String,
    /// Its id within that contract; null where it is the contract.
    pub pool_id: Option<Hash>,
    /// Its exchange.
    pub protocol: String,
    /// Its tokens: token 0 and token 1, whose pool at a known factory it is.
    pub pair: [String; 2],
    /// Its fee, in millionths.
    pub fee_millionths: u32,
    /// Whether its exchange may change the fee: this is the usual one.
    #[serde(default)]
    pub fee_may_change: bool,
    /// Steps between the ticks that may be used; 1 where there are none.
    pub tick_spacing: i32,
    /// The token in which it prices the one asked for.
    pub base: String,
    /// What it holds of token 0 and token 1, in their smallest units; null where a pool says price and liquidity
    /// instead.
    pub reserves: Option<[String; 2]>,
    /// Square root of token 1 per token 0 in 1 / 2^96, in the smallest units; null where it says reserves.
    pub sqrt_price_x96: Option<String>,
    /// Its tick; null where it has none.
    pub tick: Option<i32>,
    /// Liquidity in force; null where it says reserves.
    pub liquidity: Option<String>,
    /// Bases for one token; null where it says nothing.
    pub price_base: Option<String>,
    /// The same in US dollars.
    pub price_usd: Option<String>,
    /// What it holds next to that price, in US dollars: of reserves all, of liquidity the range in force.
    pub liquidity_usd: Option<String>,
    /// What weighs in the price, in US dollars: a hundredth of reserves, or of those of a pool with its mean liquidity.
    pub depth_usd: Option<String>,
    /// That mean within a hundredth of the price, of all positions; null: of the range in force alone.
    #[serde(default)]
    pub near_liquidity: Option<String>,
    /// Its part of all weight, 0 to 1.
    pub weight: f64,
    /// Why it has no weight: `drained`, `stale`, `young`, `outlier`, `unsettled`, `beyond` or `fee` (above 2 hundredths); null where it
    /// counts.
    pub left_out: Option<String>,
    /// The event of a known factory that says it made the pool; null where its address or id follows from factory and tokens.
    #[serde(default)]
    pub creation_event: Option<EventPlace>,
    /// The event that left its price in force.
    pub last_event: EventPlace,
    /// Time of that event's block, in Unix seconds.
    pub last_event_timestamp: u64,
    /// Changes of its liquidity since, which are counted in.
    pub later_events: Vec<EventPlace>,
    /// Mean tick over the window; null where it has none.
    pub mean_tick: Option<i32>,
    /// Seconds of the window that this covers.
    pub covered_seconds: u64,
    /// What has to be paid there for the token to cost two hundredths more, without the fee, in US dollars; null: see
    /// `cost_reason`.
    pub cost_to_move_2_percent_usd: Option<String>,
    /// Why that is null.
    pub cost_reason: Option<String>,
}

impl PricePool {
    /// Whether its price is looked at: it counts, or is left out as too far from the others.
    #[must_use]
    pub fn is_judged(&self) -> bool {
        self.left_out.as_deref().is_none_or(|why| why == "outlier")
    }
}

/// A token through which others are priced.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(ToSchema))]
pub struct PriceBase {
    /// The token.
    pub token: PricedToken,
    /// Its price in US dollars.
    pub price_usd: String,
    /// Its mean over the window; null where there is none.
    pub twap_usd: Option<String>,
    /// `configured`: it is taken to be worth one dollar, which nothing proves; `pools`: it follows from those below.
    pub evidence: String,
    /// Its pools.
    pub pools: Vec<PricePool>,
    /// The tokens in which those price it: each is taken to be worth one dollar.
    pub stables: Vec<PricedToken>,
    /// Stablecoins that disagree, by the chain's coin; of two the dollar is the one with more behind it.
    #[serde(default)]
    pub disputed_by: Vec<String>,
}

/// What speaks for a price, each from 0 to 1.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(ToSchema))]
pub struct ConfidenceParts {
    /// Depth: 0 at the least that is asked, 1 at a thousand times that.
    pub depth: f64,
    /// Freshness: 1 just after an event, 0 where every pool is stale.
    pub freshness: f64,
    /// 1 where pools say the same, 0 where they are as far apart as they may be; at most the part of all weight that
    /// is not cut for being further.
    pub agreement: f64,
    /// 1 where the price is its mean over the window, 0 where it is as far from it as it may be, or without a mean.
    pub calm: f64,
    /// Coverage: the part of the window that is covered.
    pub coverage: f64,
}

/// How much speaks for a price.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(ToSchema))]
pub struct Confidence {
    /// The least of its parts.
    pub value: f64,
    /// Its parts.
    pub parts: ConfidenceParts,
}

/// When pools are believed, in this service.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(ToSchema))]
pub struct PriceRules {
    /// Least depth behind a price, in US dollars.
    pub depth_usd_min: u64,
    /// A pool without an event for longer is stale, in seconds.
    pub stale_after_seconds: u64,
    /// A pool further from the middle is left out, in hundredths.
    pub outlier_percent_max: u64,
    /// There is no price further from its mean over the window, in hundredths.
    pub drift_percent_max: u64,
    /// There is no price where the events of its pools cover fewer seconds, or than the window has.
    #[serde(default)]
    pub covered_seconds_min: u64,
}

/// The proof of one event that a price rests on.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(ToSchema))]
pub struct PriceProof {
    /// The event.
    pub event: EventPlace,
    /// Its proof, the hex of a `.srproof` file.
    pub proof_blob: String,
}

/// What a token costs.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(ToSchema))]
pub struct TokenPrice {
    /// The chain.
    pub chain_id: ChainId,
    /// The token.
    pub token: PricedToken,
    /// The block that all is of: asked for the same block, the price is the same for ever.
    pub block: PriceBlock,
    /// US dollars for one token, as a decimal number of up to 18 significant digits: the median of its pools by what
    /// stands behind each.
    pub price_usd: String,
    /// The same in the chain's own coin; null where that has no price.
    pub price_native: Option<String>,
    /// Its mean over the window; null where no pool has one.
    pub twap: Option<Twap>,
    /// What is paid over all pools that count, without fees, for the token to cost two hundredths more, in US dollars; null
    /// where one of them does not say.
    pub cost_to_move_2_percent_usd: Option<String>,
    /// How much speaks for the price.
    pub confidence: Confidence,
    /// When pools are believed.
    pub rules: PriceRules,
    /// Pools that were looked at, those of most weight first.
    pub pools: Vec<PricePool>,
    /// The tokens through which these price it.
    pub bases: Vec<PriceBase>,
    /// Proofs of all events that the price rests on, with `?proof=1`, else null: `superroot verify` computes the price from them.
    #[serde(default)]
    pub proof: Option<Vec<PriceProof>>,
}
