//! `GET /signals/arb`: price differences for one asset.

use std::collections::BTreeMap;
use std::sync::{Arc, PoisonError};

use alloy_primitives::Address;
use axum::extract::State;
use superroot_chain::ChainSpec;
use superroot_dex::PoolId;
use superroot_market::arb::{Curve, best};
use superroot_market::{Bases, Market, PoolQuote, Token};
use superroot_store::layout::BlockTip;
use superroot_types::{ChainId, ChainKey, Family, Network, UnixSeconds};
use superroot_wire::signal::{ArbCosts, ArbSide, Opportunities, Opportunity};
use superroot_wire::{Case, paths};

use super::at::{MarketBlock, steadily};
use super::price::slug;
use crate::ApiError;
use crate::answer::ApiAnswer;
use crate::input::{Caller, RequestInput, parse_integer};
use crate::service::{Api, ApiService, Shared};
use crate::status::stalled_after_ms;

const SHOWN_MAX: usize = 50;
/// Most pools compared per asset and chain.
const POOLS_MAX: usize = 8;
/// Default minimum profit in US dollars.
pub(crate) const NET_USD_MIN: u64 = 1;
/// Largest minimum profit in a request, in US dollars.
pub(crate) const NET_USD_MAX: u64 = 1_000_000_000;

pub(super) async fn arb(
    State(service): State<Shared>,
    caller: Caller,
    ask: RequestInput,
) -> Result<ApiAnswer, ApiError> {
    let least = net_usd_min(&ask)?;
    if ask.is_head() {
        return Ok(ApiAnswer::head(false));
    }
    let address = caller.address(&ask);
    let validity = service.second();
    if let Some(answer) = service.cached(&address, validity) {
        return Ok(answer);
    }
    let found = find(&service).await?;
    let answer = ApiAnswer::spelled(&passing(&found, &caller, &service.api, least), Case::Camel);
    Ok(answer.into_slot(service.slot(&address, validity)))
}

pub(super) fn net_usd_min(ask: &RequestInput) -> Result<u64, ApiError> {
    let least = ask.query("min_net_usd")?;
    let expected = format!("whole US dollars from 0 to {NET_USD_MAX}");
    let least = least.map(|text| parse_integer("min_net_usd", text, NET_USD_MAX, &expected));
    Ok(least.transpose()?.unwrap_or(NET_USD_MIN))
}

/// Opportunities above the minimum, on chains in the key's scope.
pub(crate) fn passing(
    found: &Opportunities,
    caller: &Caller,
    api: &Api,
    least: u64,
) -> Opportunities {
    let key = |id: ChainId| api.registry.rows().iter().map(ChainSpec::key).find(|key| key.id == id);
    let is_open = |id: ChainId| key(id).is_some_and(|key| caller.check_chain(key).is_ok());
    let passes = |one: &&Opportunity| {
        one.net_profit_usd >= least as f64
            && is_open(one.buy.chain_id)
            && is_open(one.sell.chain_id)
    };
    Opportunities {
        opportunities: found.opportunities.iter().filter(passes).take(SHOWN_MAX).cloned().collect(),
        chain_ids: found.chain_ids.iter().copied().filter(|id| is_open(*id)).collect(),
        stale_chain_ids: found.stale_chain_ids.iter().copied().filter(|id| is_open(*id)).collect(),
        computed_at: found.computed_at,
    }
}

/// Current opportunities, searched at most once a second for all callers.
pub(crate) async fn find(service: &Shared) -> Result<Arc<Opportunities>, ApiError> {
    let shared = Arc::clone(service);
    service
        .blocking(move |api| {
            let mut held = shared.arb.lock().unwrap_or_else(PoisonError::into_inner);
            let now = api.clock.now();
            if let Some((_, found)) = held.as_ref().filter(|(at, _)| *at == now) {
                return Ok(Arc::clone(found));
            }
            let found = Arc::new(look(api, &shared, now));
            *held = Some((now, Arc::clone(&found)));
            Ok(found)
        })
        .await
}

/// Pool and asset, on a chain with a known gas price.
struct Venue<'a> {
    chain: &'a ChainSpec,
    at: MarketBlock,
    token: Token,
    pool: PoolQuote,
    curve: Curve,
    gas_usd: f64,
    /// Stablecoins behind the dollar price, and whether each agrees with another on its chain.
    dollars: Vec<(String, bool)>,
}

fn look(api: &Api, service: &ApiService, now: UnixSeconds) -> Opportunities {
    let mut by_asset: BTreeMap<String, Vec<Venue<'_>>> = BTreeMap::new();
    let mut chain_ids = Vec::new();
    let mut stale_chain_ids = Vec::new();
    for row in api.registry.rows().iter().filter(|row| row.family() == Family::Evm) {
        // one chain that cannot be read is not the others' fault
        let Ok(venues) = of_chain(api, service, row, now) else { continue };
        let Some(venues) = venues else {
            stale_chain_ids.push(row.id);
            continue;
        };
        chain_ids.push(row.id);
        for (asset, venue) in venues {
            by_asset.entry(asset).or_default().push(venue);
        }
    }
    let mut opportunities = Vec::new();
    for (asset, venues) in &by_asset {
        for buy in venues {
            for sell in venues {
                opportunities.extend(between(api, asset, buy, sell, now));
            }
        }
    }
    opportunities.sort_by(|a, b| b.net_profit_usd.total_cmp(&a.net_profit_usd));
    opportunities.truncate(SHOWN_MAX * 4);
    Opportunities { opportunities, chain_ids, stale_chain_ids, computed_at: now.0 }
}

/// Pools for every asset at the chain's newest block; `None` if that block is too old for a current price. Age is by
/// this service's clock: a stalled chain's own clock stops.
fn of_chain<'a>(
    api: &Api,
    service: &ApiService,
    row: &'a ChainSpec,
    now: UnixSeconds,
) -> Result<Option<Vec<(String, Venue<'a>)>>, ApiError> {
    let chain = row.key();
    let bases = api.market.tokens.bases(chain);
    let is_stable = |token: &Token| bases.stables.iter().any(|one| one.address == token.address);
    let assets = api.market.tokens.assets(chain).into_iter().filter(|(_, token)| !is_stable(token));
    let assets: Vec<(String, Token)> = assets.collect();
    // not the asset: a bridged stablecoin stands for another that it may be worth less than
    let name = |stable: Address| {
        let symbol = api.market.tokens.known(chain, stable).and_then(|facts| facts.symbol);
        symbol.unwrap_or_else(|| format!("{chain}:{stable:#x}"))
    };
    if assets.is_empty() {
        return Ok(Some(Vec::new()));
    }
    let oldest = now.0.saturating_sub(stalled_after_ms(row.block_time_ms).div_ceil(1_000));
    steadily(api, chain, |standing| {
        let find = || MarketBlock::find(api, row, None, standing);
        let at = find()?;
        if at.row.timestamp.0 < oldest {
            return Ok(None);
        }
        let market = market(api, row, &bases, &at);
        let priced = market.priced_bases().map_err(ApiError::of_store)?;
        let native_usd = priced.native.as_ref().and_then(|native| native.price.as_ref().ok());
        let native_usd = native_usd.map(|priced| priced.usd.to_f64());
        let Some(gas_usd) = native_usd.and_then(|usd| gas_usd(api, service, row, &at, usd)) else {
            return Ok(Some(Vec::new()));
        };
        let mut venues = Vec::new();
        for (asset, token) in &assets {
            let quote = market.price_by(*token, &priced).map_err(ApiError::of_store)?;
            let is_said = |pool: &&PoolQuote| {
                use superroot_dex::quote::LeftOutReason;
                pool.said
                    .is_some_and(|said| matches!(said.left, None | Some(LeftOutReason::Outlier)))
            };
            for pool in quote.pools.iter().filter(is_said).take(POOLS_MAX) {
                let Some(curve) = Curve::of(pool) else { continue };
                let token = *token;
                let pool = pool.clone();
                let at = find()?;
                let dollars = priced.dollars(pool.base.address).into_iter();
                let dollars = dollars.map(|(stable, agrees)| (name(stable), agrees)).collect();
                let venue = Venue { chain: row, at, token, pool, curve, gas_usd, dollars };
                venues.push((asset.clone(), venue));
            }
        }
        Ok(Some(venues))
    })
}

fn market<'a>(api: &'a Api, row: &'a ChainSpec, bases: &'a Bases, at: &MarketBlock) -> Market<'a> {
    Market {
        store: api.prover.store(),
        chain: row.key(),
        slug: slug(api, row),
        factories: &api.market.factories,
        bases,
        rules: api.market.config.rules(),
        at: (at.number, at.row.timestamp),
        floor: at.floor,
        window_seconds: api.market.config.window_seconds,
    }
}

/// Gas for one swap in US dollars; `None` if blocks do not determine it.
fn gas_usd(
    api: &Api,
    service: &ApiService,
    row: &ChainSpec,
    at: &MarketBlock,
    native_usd: f64,
) -> Option<f64> {
    let is_simulated = api.prover.network() == Network::Simulated;
    let tip = BlockTip { number: at.number, hash: at.row.hash };
    let figures = service.gas.figures(api.prover.store(), row, is_simulated, tip).ok()?;
    let base = figures.next_base_fee.as_ref().ok().map(|fee| fee.wei as f64);
    let base = base.or_else(|| figures.base_fee.as_ref().ok().map(|wei| *wei as f64))?;
    let tip = figures.tips.as_ref().map_or(0.0, |tips| tips.standard as f64);
    let swap_gas = api.market.config.swap_gas;
    let of_l1 = figures.l1_data_fee.as_ref().map_or(0.0, |fee| {
        fee.median.map_or(0.0, f64::from) + f64::from(fee.attributes.operator_fee(swap_gas))
    });
    let wei = (base + tip) * swap_gas as f64 + of_l1;
    Some(wei / 1e18 * native_usd)
}

fn between(
    api: &Api,
    asset: &str,
    buy: &Venue<'_>,
    sell: &Venue<'_>,
    now: UnixSeconds,
) -> Option<Opportunity> {
    let cheap = buy.pool.said?;
    let dear = sell.pool.said?;
    if cheap.usd >= dear.usd || !have_one_dollar(buy, sell) {
        return None;
    }
    let usd = |venue: &Venue<'_>| venue.pool.seen.base.usd.to_f64();
    let trade = best((&buy.curve, usd(buy)), (&sell.curve, usd(sell)))?;
    let config = &api.market.config;
    let is_bridged = buy.chain.key() != sell.chain.key();
    let bridge =
        if is_bridged { trade.size_usd * config.bridge_fee_bps as f64 / 10_000.0 } else { 0.0 };
    let gas = buy.gas_usd + sell.gas_usd;
    let net = trade.gross_usd - gas - bridge;
    if net <= 0.0 {
        return None;
    }
    let block_seconds = |venue: &Venue<'_>| venue.chain.block_time_ms.div_ceil(1_000).max(1);
    let slower = block_seconds(buy).max(block_seconds(sell));
    let duration_seconds = if is_bridged { config.bridge_seconds + slower } else { slower };
    let age = buy.pool.seen.age_seconds.max(sell.pool.seen.age_seconds) as f64;
    let behind = |venue: &Venue<'_>| now.0.saturating_sub(venue.at.row.timestamp.0);
    let waits = (behind(buy).max(behind(sell)) + duration_seconds) as f64;
    // halved for each hour without a trade there, and for each minute that it takes
    let confidence = 0.5_f64.powf(age / 3_600.0) * 0.5_f64.powf(waits / 60.0);
    let bought = side(buy);
    let sold = side(sell);
    let round = |number: f64| (number * 100.0).round() / 100.0;
    Some(Opportunity {
        token: asset.to_owned(),
        spread_pct: round(dear.usd.apart(cheap.usd)?.to_f64() * 100.0),
        size_usd: round(trade.size_usd),
        gross_profit_usd: round(trade.gross_usd),
        costs: ArbCosts {
            gas: round(gas),
            fees: round(trade.fees_usd),
            bridge: round(bridge),
            evidence: "configured",
        },
        net_profit_usd: round(net),
        confidence: (confidence * 1_000.0).round() / 1_000.0,
        expires_at: now.0 + duration_seconds + slower,
        duration_seconds,
        proofs: [bought.proof_url.clone(), sold.proof_url.clone()],
        buy: bought,
        sell: sold,
    })
}

/// Whether both sides use equal dollars: the same token, or the same or mutually agreeing stablecoins. Otherwise a
/// depegged stablecoin would look like an opportunity.
fn have_one_dollar(buy: &Venue<'_>, sell: &Venue<'_>) -> bool {
    if buy.chain.key() == sell.chain.key() && buy.pool.base == sell.pool.base {
        return true;
    }
    let is_one = |(one, agrees): &(String, bool)| {
        sell.dollars.iter().all(|(other, also)| one == other || (*agrees && *also))
    };
    !buy.dollars.is_empty() && !sell.dollars.is_empty() && buy.dollars.iter().all(is_one)
}

fn side(venue: &Venue<'_>) -> ArbSide {
    let pool = &venue.pool;
    let (address, pool_id) = match pool.seen.bound.pool {
        PoolId::Contract(address) => (address, None),
        PoolId::Within(address, id) => (address, Some(id)),
    };
    let place = pool.last.place;
    let chain: ChainKey = venue.chain.key();
    ArbSide {
        chain_id: chain.id,
        token: format!("{:#x}", venue.token.address),
        pool: format!("{address:#x}"),
        pool_id,
        protocol: pool.seen.bound.dex.clone(),
        base: format!("{:#x}", pool.base.address),
        price_usd: pool.said.map(|said| said.usd.text(18)).unwrap_or_default(),
        block_number: venue.at.number,
        block_timestamp: venue.at.row.timestamp.0,
        finality: venue.at.finality,
        proof_url: paths::event_proof(chain.id, place.number, place.tx_index, place.log_index),
    }
}
