//! `GET /price/{chain}/{token}`.

use std::sync::Arc;
use std::time::Duration;

use alloy_primitives::Address;
use axum::extract::State;
use superroot_accumulate::Published;
use superroot_chain::ChainSpec;
use superroot_dex::quote::NoPrice;
use superroot_market::{Bases, Market, Quote, Token, WINDOW_SECONDS_MAX};
use superroot_types::{BlockRef, ChainKey, Family, Network};
use superroot_wire::price::TokenPrice;
use tokio::sync::OwnedSemaphorePermit;

use super::answer::{self, PriceSubject};
use super::at::{MarketBlock, steadily};
use super::proof;
use crate::ApiError;
use crate::answer::ApiAnswer;
use crate::error::codes::{NO_PRICE, NOT_FOUND};
use crate::input::{Caller, RequestInput, parse_block, parse_integer};
use crate::service::{Api, Shared};

/// Shortest averaging window in seconds.
const WINDOW_SECONDS_MIN: u64 = 60;
/// Time limit for token metadata from nodes.
const WAIT: Duration = Duration::from_secs(3);
/// Longest symbol in bytes.
const SYMBOL_BYTES_MAX: usize = 64;

pub(crate) struct PriceAsk {
    pub(crate) chain: ChainSpec,
    pub(crate) token: TokenAsk,
    pub(crate) block: Option<BlockRef>,
    pub(crate) window_seconds: u64,
    pub(crate) with_proof: bool,
    pub(crate) has_note: bool,
}

/// Price; with proofs also their SuperRoot and memory permit.
pub(crate) struct ProvenPrice {
    pub(crate) body: TokenPrice,
    pub(crate) proven: Option<(Arc<Published>, OwnedSemaphorePermit)>,
}

pub(crate) enum TokenAsk {
    Address(Address),
    Symbol(String),
}

pub(super) async fn price(
    State(service): State<Shared>,
    caller: Caller,
    ask: RequestInput,
) -> Result<ApiAnswer, ApiError> {
    let is_head = ask.is_head();
    let address = ask.seen().address().to_owned();
    let ask = PriceAsk::read(&service.api, &ask)?;
    let chain = ask.chain.key();
    check_chain(&caller, &ask)?;
    let validity = service.state();
    if let Some(answer) = service.cached(&address, validity) {
        return Ok(answer);
    }
    if is_head {
        service.blocking(move |api| check_place(api, &ask)).await?;
        return Ok(ApiAnswer::head(false).about(chain));
    }
    let has_note = ask.has_note;
    let ProvenPrice { body, proven } = priced(&service, &caller, ask).await?;
    let answer = ApiAnswer::of(&body).about(chain);
    let answer = match proven {
        Some((published, rooms)) => answer.under(published, false).taking(rooms),
        None => answer,
    };
    // the newest note may be another one in a moment
    Ok(if has_note { answer } else { answer.into_slot(service.slot(&address, validity)) })
}

/// Token price, or the reason for its absence.
pub(crate) async fn priced(
    service: &Shared,
    caller: &Caller,
    ask: PriceAsk,
) -> Result<ProvenPrice, ApiError> {
    let chain = ask.chain.key();
    check_chain(caller, &ask)?;
    let ask = Arc::new(ask);
    if !ask.with_proof {
        let asked = ask.clone();
        let known = move |api: &Api| match is_known(api, &asked)? {
            true => answer(api, &asked).map(Some),
            false => Ok(None),
        };
        if let Some((body, _)) = service.briefly(&service.paces.prices, known).await? {
            return Ok(ProvenPrice { body, proven: None });
        }
    }
    let asked = ask.clone();
    if let Some(token) = service.blocking(move |api| to_be_asked(api, &asked)).await? {
        // nodes are waited for outside of what proofs wait for
        if let Ok(_place) = service.asking.try_acquire() {
            let tokens = service.api.market.tokens.clone();
            let waited = tokio::task::spawn_blocking(move || _ = tokens.ask(chain, token, WAIT));
            waited.await.ok();
        }
    }
    let rooms = if ask.with_proof { Some(service.rooms(2).await?) } else { None };
    let (body, published) = service.blocking(move |api| answer(api, &ask)).await?;
    Ok(ProvenPrice { body, proven: published.zip(rooms) })
}

/// Checks the key's scope, and that the chain's exchanges are read.
fn check_chain(caller: &Caller, ask: &PriceAsk) -> Result<(), ApiError> {
    let chain = ask.chain.key();
    caller.check_chain(chain)?;
    if chain.family != Family::Evm {
        let why = format!("exchanges of {} are not read", ask.chain.name);
        return Err(ApiError::new(NO_PRICE, why).about(chain).with("reason", "not_read"));
    }
    Ok(())
}

/// Checks token and block without reading pools.
fn check_place(api: &Api, ask: &PriceAsk) -> Result<(), ApiError> {
    find_token(api, &ask.chain, &ask.token)?;
    steadily(api, ask.chain.key(), |standing| {
        MarketBlock::find(api, &ask.chain, ask.block, standing).map(drop)
    })
}

impl PriceAsk {
    fn read(api: &Api, ask: &RequestInput) -> Result<Self, ApiError> {
        let chain = ask.chain(api, "chain")?.clone();
        let token = TokenAsk::read(ask.path("token")?)?;
        let with_proof = ask.is_set("proof")?;
        let block = ask.query("block")?.map(|text| parse_block("block", text)).transpose()?;
        // proofs are of what is anchored: the newest block held seldom is
        let block = block.or(with_proof.then_some(BlockRef::Latest));
        let expected = window_expected();
        let window = ask.query("window")?;
        let window =
            window.map(|text| parse_integer("window", text, WINDOW_SECONDS_MAX, &expected));
        let window_seconds = window_seconds(api, window.transpose()?)?;
        Ok(Self { chain, token, block, window_seconds, with_proof, has_note: ask.is_set("note")? })
    }
}

fn window_expected() -> String {
    format!("seconds from {WINDOW_SECONDS_MIN} to {WINDOW_SECONDS_MAX}")
}

/// Averaging window in seconds; bounds are checked.
pub(crate) fn window_seconds(api: &Api, asked: Option<u64>) -> Result<u64, ApiError> {
    match asked {
        Some(seconds) if !(WINDOW_SECONDS_MIN..=WINDOW_SECONDS_MAX).contains(&seconds) => {
            Err(ApiError::parameter("window", &seconds.to_string(), window_expected()))
        }
        asked => Ok(asked.unwrap_or(api.market.config.window_seconds)),
    }
}

impl TokenAsk {
    pub(crate) fn read(text: &str) -> Result<Self, ApiError> {
        let expected = "an address of 0x and 40 hex digits, or a symbol";
        if text.starts_with("0x") || text.starts_with("0X") {
            let address = text.to_lowercase().parse();
            return address
                .map(Self::Address)
                .map_err(|_| ApiError::parameter("token", text, expected));
        }
        let is_symbol =
            (1..=SYMBOL_BYTES_MAX).contains(&text.len()) && !text.chars().any(char::is_control);
        is_symbol
            .then(|| Self::Symbol(text.to_owned()))
            .ok_or_else(|| ApiError::parameter("token", text, expected))
    }
}

/// Whether the token metadata is known without a node call.
fn is_known(api: &Api, ask: &PriceAsk) -> Result<bool, ApiError> {
    let token = find_token(api, &ask.chain, &ask.token)?;
    Ok(api.market.tokens.known(ask.chain.key(), token).is_some())
}

/// Token whose metadata must come from nodes, if any.
fn to_be_asked(api: &Api, ask: &PriceAsk) -> Result<Option<Address>, ApiError> {
    let chain = ask.chain.key();
    let token = find_token(api, &ask.chain, &ask.token)?;
    if api.market.tokens.known(chain, token).is_some() {
        return Ok(None);
    }
    let bases = api.market.tokens.bases(chain);
    let has_pool = steadily(api, chain, |standing| {
        let at = MarketBlock::find(api, &ask.chain, ask.block, standing)?;
        market(api, ask, &bases, &at).has_pool(token).map_err(ApiError::of_store)
    })?;
    has_pool.then_some(Some(token)).ok_or_else(|| no_price(chain, "no_pool", no_pool(token)))
}

fn market<'a>(api: &'a Api, ask: &'a PriceAsk, bases: &'a Bases, at: &MarketBlock) -> Market<'a> {
    Market {
        store: api.prover.store(),
        chain: ask.chain.key(),
        slug: slug(api, &ask.chain),
        factories: &api.market.factories,
        bases,
        rules: api.market.config.rules(),
        at: (at.number, at.row.timestamp),
        floor: at.floor,
        window_seconds: ask.window_seconds,
    }
}

fn answer(api: &Api, ask: &PriceAsk) -> Result<(TokenPrice, Option<Arc<Published>>), ApiError> {
    let chain = ask.chain.key();
    let token = find_token(api, &ask.chain, &ask.token)?;
    let facts = api.market.tokens.ask(chain, token, Duration::ZERO).map_err(|why| {
        let why = format!("what {token:#x} says of itself is not known: {why}");
        no_price(chain, "no_metadata", why)
    })?;
    let bases = api.market.tokens.bases(chain);
    let no_decimals = || {
        let why = format!("{token:#x} does not say how many digits it has behind the point");
        no_price(chain, "no_decimals", why)
    };
    let token = Token { address: token, decimals: facts.decimals.ok_or_else(no_decimals)? };
    let (quote, native, at, costs) = steadily(api, chain, |standing| {
        let at = MarketBlock::find(api, &ask.chain, ask.block, standing)?;
        let market = market(api, ask, &bases, &at);
        let (quote, native) = market.price_with_native(token).map_err(ApiError::of_store)?;
        let costs = quote.pools.iter().map(|pool| market.cost_of_two_percent(pool));
        let costs = costs.collect::<Result<Vec<_>, _>>().map_err(ApiError::of_store)?;
        Ok((quote, native, at, costs))
    })?;
    let priced = match &quote.price {
        Ok(priced) => priced.clone(),
        Err(why) => return Err(none(api, &ask.chain, &quote, why)),
    };
    let native = native.and_then(|native| native.price.ok()).map(|native| native.usd);
    let now = api.clock.now().0;
    let age_seconds = ask.block.is_none().then(|| now.saturating_sub(at.row.timestamp.0));
    let known = PriceSubject { api, chain: &ask.chain, facts: &facts, at: &at, age_seconds };
    let mut body = answer::body(&known, (&quote, &priced), native, &costs, ask.window_seconds);
    if ask.with_proof {
        let (published, proofs) = proof::all(api, &ask.chain, &body, ask.has_note)?;
        body.proof = Some(proofs);
        return Ok((body, Some(published)));
    }
    Ok((body, None))
}

/// Slug for the chain's factory list. Simulated chains use Ethereum's.
pub(super) fn slug<'a>(api: &Api, chain: &'a ChainSpec) -> &'a str {
    if api.prover.network() == Network::Simulated { "ethereum" } else { &chain.slug }
}

fn find_token(api: &Api, chain: &ChainSpec, ask: &TokenAsk) -> Result<Address, ApiError> {
    let symbol = match ask {
        TokenAsk::Address(address) => return Ok(*address),
        TokenAsk::Symbol(symbol) => symbol,
    };
    let found = api.market.tokens.named(chain.key(), symbol);
    match found.as_slice() {
        [one] => Ok(*one),
        [] => {
            let other = match coin_as_token(api, chain, symbol) {
                Some(wrapped) => format!("the chain's own coin is priced as {wrapped}"),
                None => "ask by its address".to_owned(),
            };
            let why =
                format!("no known token of {} has the symbol {symbol:?}; {other}", chain.name);
            Err(ApiError::new(NOT_FOUND, why).about(chain.key()).at("token"))
        }
        many => {
            let candidates: Vec<String> = many.iter().map(|one| format!("{one:#x}")).collect();
            let expected = "an address: several tokens have that symbol";
            Err(ApiError::parameter("token", symbol, expected).with("candidates", candidates))
        }
    }
}

/// Wrapped token symbol for the chain's own coin: `WETH` for `eth`.
fn coin_as_token(api: &Api, chain: &ChainSpec, symbol: &str) -> Option<String> {
    let native = api.market.tokens.bases(chain.key()).native?;
    let wrapped = api.market.tokens.known(chain.key(), native.address)?.symbol?;
    let is_coin =
        wrapped.strip_prefix(['W', 'w']).is_some_and(|coin| coin.eq_ignore_ascii_case(symbol));
    is_coin.then_some(wrapped)
}

fn no_price(chain: ChainKey, reason: &str, why: String) -> ApiError {
    ApiError::new(NO_PRICE, why).about(chain).with("reason", reason)
}

fn no_pool(token: Address) -> String {
    format!(
        "no pool of a known exchange has {token:#x} with another stablecoin, or with the chain's own coin where that has a \
         price, and an event that is held"
    )
}

/// Error for a missing price, with the examined pools.
fn none(api: &Api, chain: &ChainSpec, quote: &Quote, why: &NoPrice) -> ApiError {
    let token = quote.token.address;
    let stables = api.market.tokens.bases(chain.key()).stables;
    let is_dollar = stables.iter().any(|stable| stable.address == token);
    let (reason, why) = match why {
        NoPrice::NoPool if is_dollar => (
            "no_pool",
            format!(
                "{token:#x} is a stablecoin of {}: the others are priced by it, and no pool says what it is worth \
                 in one that has a price of its own",
                chain.name
            ),
        ),
        NoPrice::NoPool => ("no_pool", no_pool(token)),
        NoPrice::Left(left) => (left.name(), format!("every pool of {token:#x} is left out")),
        NoPrice::Thin(depth) => (
            "thin",
            format!("only {} US dollars stand behind a price of {token:#x}", depth.text(3)),
        ),
        NoPrice::Young { covered_seconds, least } => (
            "young",
            format!(
                "events of {token:#x}'s pools cover {covered_seconds} seconds, fewer than {least}: {}",
                quote.young_pools().join(", ")
            ),
        ),
        NoPrice::Drifted { usd, mean_usd } => (
            "drifted",
            format!(
                "the price of {token:#x}, {}, is too far from its mean over the window, {}",
                usd.text(6),
                mean_usd.text(6)
            ),
        ),
    };
    let pools = answer::looked_at(chain.key(), quote);
    ApiError::new(NO_PRICE, why).about(chain.key()).with("reason", reason).with("pools", pools)
}
