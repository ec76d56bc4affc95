//! Price answer.

use alloy_primitives::Address;
use superroot_chain::ChainSpec;
use superroot_dex::quote::Priced;
use superroot_dex::{Decimal, PoolId, PoolState};
use superroot_market::{BaseQuote, EventPosition, PoolQuote, Quote, Token, TokenFacts};
use superroot_types::ChainKey;
use superroot_wire::paths;
use superroot_wire::price::{
    Confidence, ConfidenceParts, EventPlace, PriceBase, PriceBlock, PricePool, PriceRules,
    PricedToken, TokenPrice, Twap,
};

use super::at::MarketBlock;
use crate::service::Api;

/// Significant digits in answers.
const DIGITS: u32 = 18;

pub(super) struct PriceSubject<'a> {
    pub(super) api: &'a Api,
    pub(super) chain: &'a ChainSpec,
    pub(super) facts: &'a TokenFacts,
    pub(super) at: &'a MarketBlock,
    /// Block age in seconds; `None` if the request named the block.
    pub(super) age_seconds: Option<u64>,
}

/// Cost in whole base units, or the reason for its absence.
type Cost = Result<Decimal, &'static str>;

pub(super) fn body(
    known: &PriceSubject<'_>,
    (quote, priced): (&Quote, &Priced),
    native: Option<Decimal>,
    costs: &[Cost],
    window_seconds: u64,
) -> TokenPrice {
    let PriceSubject { api, chain, facts, at, age_seconds } = known;
    let key = chain.key();
    let pools = pools(key, quote, costs);
    let counted = pools.iter().filter(|pool| pool.left_out.is_none());
    let costs: Option<Vec<Decimal>> =
        counted.map(|pool| Decimal::parse(pool.cost_to_move_2_percent_usd.as_deref()?)).collect();
    let cost = costs.map(|costs| costs.into_iter().fold(Decimal::ZERO, Decimal::plus));
    let rules = api.market.config.rules();
    TokenPrice {
        chain_id: key.id,
        token: token(quote.token, facts),
        block: PriceBlock {
            number: at.number,
            hash: at.row.hash,
            timestamp: at.row.timestamp.0,
            finality: at.finality.to_owned(),
            age_seconds: *age_seconds,
            events_from: at.floor,
            proof_url: paths::block_proof(key.id, at.number),
        },
        price_usd: priced.usd.text(DIGITS),
        price_native: native.and_then(|native| priced.usd.over(native)).map(text),
        twap: priced.mean.map(|(mean, covered_seconds)| Twap {
            window_seconds,
            covered_seconds,
            price_usd: text(mean),
        }),
        cost_to_move_2_percent_usd: cost.map(text),
        confidence: confidence(api, priced, age_seconds.unwrap_or(0), window_seconds),
        rules: PriceRules {
            depth_usd_min: rules.depth_usd_min,
            stale_after_seconds: rules.stale_after_seconds,
            outlier_percent_max: rules.outlier_percent_max,
            drift_percent_max: rules.drift_percent_max,
            covered_seconds_min: rules.covered_seconds_min,
        },
        pools,
        bases: price_bases(api, key, quote),
        proof: None,
    }
}

/// Most pools listed for a token without a price.
const LOOKED_AT_MAX: usize = 16;

/// Pools examined for a token without a price.
pub(super) fn looked_at(chain: ChainKey, quote: &Quote) -> Vec<PricePool> {
    let mut shown = pools(chain, quote, &[]);
    shown.truncate(LOOKED_AT_MAX);
    shown
}

fn pools(chain: ChainKey, quote: &Quote, costs: &[Cost]) -> Vec<PricePool> {
    let said = quote.pools.iter().filter_map(|pool| pool.said.as_ref());
    let all = said
        .filter(|said| said.left.is_none())
        .fold(Decimal::ZERO, |sum, said| sum.plus(said.depth_usd));
    let costs = costs.iter().copied().map(Some).chain(std::iter::repeat(None));
    quote.pools.iter().zip(costs).map(|(pool, cost)| price_pool(chain, pool, cost, all)).collect()
}

fn price_pool(chain: ChainKey, pool: &PoolQuote, cost: Option<Cost>, all: Decimal) -> PricePool {
    let bound = &pool.seen.bound;
    let (address, pool_id) = match bound.pool {
        PoolId::Contract(address) => (address, None),
        PoolId::Within(address, id) => (address, Some(id)),
    };
    let state = pool.state().unwrap_or(&pool.last.state);
    let PoolFigures { reserves, sqrt_price_x96, liquidity } = pool_figures(state);
    let said = pool.said.as_ref();
    let left_out = match said {
        Some(said) => said.left.map(|left| left.name()),
        None => Some("beyond"),
    };
    let mean = pool.seen.mean.filter(|_| !bound.is_stable);
    let says = said.filter(|said| !said.usd.is_zero());
    let weight = says.filter(|_| left_out.is_none()).and_then(|said| said.depth_usd.over(all));
    let usd = |bases: Decimal| bases.times(pool.seen.base.usd).map(text);
    let (cost, reason) = match cost {
        Some(Ok(bases)) => (usd(bases), None),
        Some(Err(why)) => (None, Some(why.to_owned())),
        None => (None, Some("it is computed for the token that is asked for".to_owned())),
    };
    PricePool {
        address: format!("{address:#x}"),
        pool_id,
        protocol: bound.dex.clone(),
        pair: [hex(pool.pair.token0), hex(pool.pair.token1)],
        fee_millionths: bound.fee,
        fee_may_change: bound.fee_may_change,
        tick_spacing: bound.tick_spacing,
        base: hex(pool.base.address),
        reserves,
        sqrt_price_x96,
        // the tick of reserves is that of another curve
        tick: state.tick().filter(|_| !bound.is_stable),
        liquidity,
        price_base: says.map(|said| text(said.in_base)),
        price_usd: says.map(|said| text(said.usd)),
        liquidity_usd: says.map(|said| text(said.liquidity_usd)),
        depth_usd: says.map(|said| text(said.depth_usd)),
        near_liquidity: pool.seen.near.map(|near| near.to_string()),
        weight: weight.map_or(0.0, rounded),
        left_out: left_out.map(str::to_owned),
        creation_event: pool.creation.map(|creation| place(chain, creation)),
        last_event: place(chain, pool.last.place),
        last_event_timestamp: pool.last.at.0,
        later_events: pool.later.iter().map(|later| place(chain, *later)).collect(),
        mean_tick: mean.map(|(tick, _)| tick),
        covered_seconds: mean.map_or(0, |(_, seconds)| seconds),
        cost_to_move_2_percent_usd: cost,
        cost_reason: reason,
    }
}

/// State of a pool in digits: reserves, or square root and liquidity.
#[derive(Default)]
struct PoolFigures {
    reserves: Option<[String; 2]>,
    sqrt_price_x96: Option<String>,
    liquidity: Option<String>,
}

fn pool_figures(state: &PoolState) -> PoolFigures {
    match state {
        PoolState::Reserves(reserves, _) => PoolFigures {
            reserves: Some(reserves.map(|held| held.to_string())),
            ..PoolFigures::default()
        },
        PoolState::Spot(spot) => PoolFigures {
            sqrt_price_x96: Some(spot.sqrt_price_x96.to_string()),
            liquidity: Some(spot.liquidity.unwrap_or(0).to_string()),
            ..PoolFigures::default()
        },
        PoolState::Bin(_) => PoolFigures::default(),
    }
}

/// All price bases, each after its own bases.
fn price_bases(api: &Api, chain: ChainKey, quote: &Quote) -> Vec<PriceBase> {
    let mut listed: Vec<&BaseQuote> = Vec::new();
    for base in &quote.bases {
        let behind = base.by.iter().flat_map(|by| &by.bases).filter(|base| base.by.is_some());
        for base in behind.chain([base]) {
            if listed.iter().all(|known| known.token != base.token) {
                listed.push(base);
            }
        }
    }
    listed.into_iter().map(|base| price_base(api, chain, base)).collect()
}

fn price_base(api: &Api, chain: ChainKey, base: &BaseQuote) -> PriceBase {
    let stables = base.by.iter().flat_map(|by| &by.bases).filter(|base| base.by.is_none());
    PriceBase {
        token: base_token(api, chain, base.token),
        price_usd: text(base.price.usd),
        twap_usd: base.price.mean_usd.map(text),
        evidence: if base.by.is_some() { "pools" } else { "configured" }.to_owned(),
        pools: base.by.as_ref().map_or_else(Vec::new, |by| pools(chain, by, &[])),
        stables: stables.map(|stable| base_token(api, chain, stable.token)).collect(),
        disputed_by: base.disputed_by.iter().copied().map(hex).collect(),
    }
}

fn base_token(api: &Api, chain: ChainKey, base: Token) -> PricedToken {
    match api.market.tokens.known(chain, base.address) {
        Some(facts) => token(base, &facts),
        None => PricedToken {
            address: hex(base.address),
            symbol: None,
            decimals: base.decimals,
            metadata_evidence: "configured".to_owned(),
            metadata_nodes: None,
            metadata_block: None,
        },
    }
}

fn place(chain: ChainKey, place: EventPosition) -> EventPlace {
    let EventPosition { number, tx_index, log_index } = place;
    EventPlace {
        block_number: number,
        tx_index,
        log_index,
        proof_url: paths::event_proof(chain.id, number, tx_index, log_index),
    }
}

/// Confidence in a price by evidence and block age in seconds.
fn confidence(
    api: &Api,
    priced: &Priced,
    block_age_seconds: u64,
    window_seconds: u64,
) -> Confidence {
    let rules = api.market.config.rules();
    let least = (rules.depth_usd_min.max(1)) as f64;
    let part = |number: f64| (number.clamp(0.0, 1.0) * 1000.0).round() / 1000.0;
    let left = |apart: Option<Decimal>, percent_max: u64| {
        apart.map_or(0.0, |apart| 1.0 - apart.to_f64() * 100.0 / percent_max as f64)
    };
    let kept = priced.depth_usd.to_f64();
    let cut = priced.cut_usd.to_f64();
    let age_seconds = priced.age_seconds.saturating_add(block_age_seconds);
    let uncut = if cut > 0.0 { kept / (kept + cut) } else { 1.0 };
    let parts = ConfidenceParts {
        depth: part((priced.depth_usd.to_f64() / least).log10() / 3.0),
        freshness: part(1.0 - age_seconds as f64 / rules.stale_after_seconds as f64),
        agreement: part(left(Some(priced.spread), rules.outlier_percent_max).min(uncut)),
        calm: part(
            priced
                .mean
                .map_or(0.0, |(mean, _)| left(priced.usd.apart(mean), rules.drift_percent_max)),
        ),
        coverage: part(
            priced.mean.map_or(0.0, |(_, covered)| covered as f64 / window_seconds as f64),
        ),
    };
    let all = [parts.depth, parts.freshness, parts.agreement, parts.calm, parts.coverage];
    Confidence { value: all.into_iter().fold(1.0, f64::min), parts }
}

fn hex(address: Address) -> String {
    format!("{address:#x}")
}

fn rounded(number: Decimal) -> f64 {
    (number.to_f64() * 10_000.0).round() / 10_000.0
}

fn token(token: Token, facts: &TokenFacts) -> PricedToken {
    PricedToken {
        address: format!("{:#x}", token.address),
        symbol: facts.symbol.clone(),
        decimals: token.decimals,
        metadata_evidence: facts.evidence.to_owned(),
        metadata_nodes: facts.asked.as_ref().map(|(nodes, _)| nodes.clone()),
        metadata_block: facts.asked.as_ref().map(|(_, block)| *block),
    }
}

fn text(number: Decimal) -> String {
    number.text(DIGITS)
}
