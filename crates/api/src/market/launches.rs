//! `GET /signals/launches`, and the proofs behind a signal.

use std::sync::Arc;
use std::time::Duration;

use axum::body::Bytes;
use axum::extract::State;
use axum::http::HeaderMap;
use axum::response::{IntoResponse, Response};
use superroot_accumulate::Published;
use superroot_chain::ChainSpec;
use superroot_market::EventPosition;
use superroot_market::launch::{add_inspection, load_behind, load_newest, told};
use superroot_store::read;
use superroot_stream::PreparedEvent;
use superroot_types::{BlockNumber, ChainKey, Family, Hash, SuperRootRef};
use superroot_wire::proof::ProofTarget;
use superroot_wire::signal::{Launches, ProofsBehind, ProvenBehind};
use superroot_wire::{Case, paths};

use super::proof::early;
use crate::ApiError;
use crate::answer::ApiAnswer;
use crate::error::codes::{NOT_FOUND, WITHDRAWN};
use crate::input::caller::Keyed;
use crate::input::{Caller, RequestInput, find_chain, parse_integer};
use crate::proof::question::ProofQuestion;
use crate::proof::{prove_all, wait_for};
use crate::service::{Api, CancelFlag, Shared};
use crate::streams::{StreamAsk, has_every_launch, open, refuse_launches};

/// Default list length in launches; `LIMIT_MAX` is the largest.
const LIMIT: u64 = 50;
const LIMIT_MAX: u64 = 500;
/// Largest minimum in a request, in US dollars.
const USD_MAX: u64 = 1_000_000_000_000;

pub(crate) struct ListAsk {
    chains: Vec<ChainKey>,
    /// Whether the request named one chain, whose list must be complete.
    is_strict: bool,
    limit: usize,
    usd_min: u64,
}

pub(super) async fn launches(
    State(service): State<Shared>,
    caller: Caller,
    Keyed(entitlement): Keyed,
    headers: HeaderMap,
    ask: RequestInput,
) -> Result<Response, ApiError> {
    match ask.query("format")? {
        Some("json") => return Ok(list(service, caller, ask).await?.into_response()),
        Some(other) => {
            return Err(ApiError::parameter("format", other, "json, or nothing for a stream"));
        }
        None => {}
    }
    if let Some(text) = ask.query("limit")? {
        return Err(ApiError::parameter("limit", text, "nothing: it goes with format=json"));
    }
    let least = usd_min(&ask)?;
    let wish = StreamAsk::of_launches(&service.api, &caller, &ask)?;
    let show = move |item: &PreparedEvent| match item.launch_usd() {
        // the end of one that was told is told, however little is left
        Some(usd) => (usd >= least || item.name() == "updated").then(|| item.frame()),
        None if item.name() == "undone" => Some(retracted(item)),
        None => Some(item.frame()),
    };
    open((&service, entitlement, paths::LAUNCHES), wish, &headers, show).await
}

/// Event for launches in blocks that were reorganised away.
fn retracted(item: &PreparedEvent) -> Bytes {
    let data = item.data();
    let head = format!("id: {}\nevent: retracted\ndata: ", item.cursor);
    [head.as_bytes(), &data, b"\n\n"].concat().into()
}

fn usd_min(ask: &RequestInput) -> Result<u64, ApiError> {
    let usd = ask.query("min_liquidity_usd")?;
    let usd = usd.map(|text| parse_integer("min_liquidity_usd", text, USD_MAX, "whole US dollars"));
    Ok(usd.transpose()?.unwrap_or(0))
}

async fn list(service: Shared, caller: Caller, ask: RequestInput) -> Result<ApiAnswer, ApiError> {
    let list = ListAsk::read(&service.api, &caller, &ask)?;
    let address = caller.address(&ask);
    if ask.is_head() {
        service.blocking(move |api| chains_of(api, &list).map(drop)).await?;
        return Ok(ApiAnswer::head(false));
    }
    let make = move |api: &Api| Ok(ApiAnswer::spelled(&newest(api, &list)?, Case::Camel));
    service.page_of_state(&address, make).await
}

impl ListAsk {
    fn read(api: &Api, caller: &Caller, ask: &RequestInput) -> Result<Self, ApiError> {
        for name in ["finality", "since", "token"] {
            if let Some(text) = ask.query(name)? {
                return Err(ApiError::parameter(name, text, "nothing: it goes with the stream"));
            }
        }
        let chain = ask.query("chain_id")?;
        let chain = chain.map(|text| find_chain(api, "chain_id", text)).transpose()?;
        let limit = ask.query("limit")?;
        let limit = limit.map(|text| parse_integer("limit", text, LIMIT_MAX, &limit_expected()));
        let which = (chain.map(ChainSpec::key), ask.is_set("partial")?);
        Self::of(api, caller, which, limit.transpose()?, usd_min(ask)?)
    }

    /// For one chain with complete or partial launches, or for every chain in the key's scope.
    pub(crate) fn of(
        api: &Api,
        caller: &Caller,
        (chain, is_partial): (Option<ChainKey>, bool),
        limit: Option<u64>,
        usd_min: u64,
    ) -> Result<Self, ApiError> {
        let chains = match chain {
            Some(chain) => {
                caller.check_chain(chain)?;
                vec![chain]
            }
            None => {
                let rows = api.registry.rows().iter().map(|row| row.key());
                rows.filter(|chain| caller.check_chain(*chain).is_ok()).collect()
            }
        };
        let limit = limit.unwrap_or(LIMIT);
        if !(1..=LIMIT_MAX).contains(&limit) {
            return Err(ApiError::parameter("limit", &limit.to_string(), limit_expected()));
        }
        let is_strict = chain.is_some() && !is_partial;
        let limit = usize::try_from(limit).unwrap_or(usize::MAX);
        Ok(Self { chains, is_strict, limit, usd_min })
    }
}

fn limit_expected() -> String {
    format!("a count from 1 to {LIMIT_MAX}")
}

/// Chains for a list, and whether each chain's launches are complete; 404 if the named chain's launches would be
/// incomplete.
fn chains_of(api: &Api, ask: &ListAsk) -> Result<Vec<(ChainKey, bool)>, ApiError> {
    let rows = api.registry.rows().iter().filter(|row| ask.chains.contains(&row.key()));
    let chains = rows.map(|row| {
        let chain = row.key();
        let is_whole = chain.family == Family::Evm && has_every_launch(api, chain)?;
        if ask.is_strict && !is_whole { Err(refuse_launches(row)) } else { Ok((chain, is_whole)) }
    });
    chains.collect()
}

pub(crate) fn newest(api: &Api, ask: &ListAsk) -> Result<Launches, ApiError> {
    let store = api.prover.store();
    let mut launches = Vec::new();
    let mut chain_ids = Vec::new();
    for (chain, is_whole) in chains_of(api, ask)? {
        let Some(state) = read::load_chain_state(store, chain).map_err(ApiError::of_store)? else {
            continue;
        };
        let Some(head) = state.head.or(state.indexed) else { continue };
        let last = match api.not_final_from(chain)? {
            Some(BlockNumber(0)) => continue,
            from => from.map_or(head.number, |from| BlockNumber(from.0 - 1).min(head.number)),
        };
        chain_ids.extend(is_whole.then_some(chain.id));
        for launch in
            load_newest(store, chain, last, LIST_LOOKED_AT_MAX).map_err(ApiError::of_store)?
        {
            if launch.liquidity_usd.to_f64() >= ask.usd_min as f64 {
                launches.push((launch.liquidity.at, chain, launch));
            }
        }
    }
    launches.sort_by_key(|(at, ..)| std::cmp::Reverse(*at));
    launches.truncate(ask.limit);
    // what a token said after it was launched
    for (_, chain, launch) in
        launches.iter_mut().filter(|(.., launch)| launch.facts.evidence == "none")
    {
        if let Ok(known) = api.market.tokens.ask(*chain, launch.token, Duration::ZERO) {
            launch.facts = known;
        }
    }
    let launches = launches.iter().map(|(_, chain, launch)| {
        let mut told = told(*chain, launch);
        add_inspection(*chain, launch, &*api.market.tokens, &mut told);
        told
    });
    let launches = launches.collect();
    Ok(Launches { launches, chain_ids })
}

/// Most launches examined per chain for a list.
const LIST_LOOKED_AT_MAX: usize = 1_000;

pub(super) async fn behind(
    State(service): State<Shared>,
    caller: Caller,
    ask: RequestInput,
) -> Result<ApiAnswer, ApiError> {
    let hash = ask.hash("proof_hash")?;
    let fixed = ask.fixed()?;
    let has_note = ask.is_set("note")?;
    let prove = move |api: &Api| prove_signal(api, &caller, hash, (fixed, has_note));
    let pace = &service.paces.entries;
    let wait = ask.wait_seconds()?;
    let (body, published, chain) = wait_for(&service, pace, false, wait, prove).await?;
    let answer = ApiAnswer::spelled(&body, Case::Camel).about(chain);
    Ok(answer.under(published, fixed.is_some()))
}

/// Proofs for the events behind a signal, and their SuperRoot.
pub(crate) fn prove_signal(
    api: &Api,
    caller: &Caller,
    hash: Hash,
    (fixed, has_note): (Option<SuperRootRef>, bool),
) -> Result<(ProofsBehind, Arc<Published>, ChainKey), ApiError> {
    let found = load_behind(api.prover.store(), &hash).map_err(ApiError::of_store)?;
    let unknown = || {
        let why = format!("no signal of this service has the proof hash {hash}");
        ApiError::new(NOT_FOUND, why).at("proof_hash")
    };
    let found = found.ok_or_else(unknown)?;
    let chain = found.chain;
    caller.check_chain(chain)?;
    let events = [("creation", found.creation), ("liquidity", found.liquidity)];
    for (_, event) in &events {
        let number = event.place.number;
        let held =
            read::load_block(api.prover.store(), chain, number).map_err(ApiError::of_store)?;
        if held.is_none_or(|block| block.hash != event.block_hash) {
            let why = format!("block {number} {} of chain {chain} is undone", event.block_hash);
            return Err(ApiError::new(WITHDRAWN, why).about(chain));
        }
    }
    let questions: Vec<ProofQuestion> = events
        .iter()
        .map(|(_, event)| {
            let EventPosition { number, tx_index, log_index } = event.place;
            let target = ProofTarget::Event { block: number.into(), tx_index, log_index };
            ProofQuestion { fixed, has_note, ..ProofQuestion::new(chain, target) }
        })
        .collect();
    let proven = prove_all(api, &questions, &CancelFlag::default());
    let (published, proofs) = proven.map_err(|error| {
        early(error, "proof_hash", "both events are not anchored yet: ask again, or with ?wait=")
    })?;
    let proven = events.iter().zip(&proofs).map(|((role, event), proof)| ProvenBehind {
        role,
        block_number: event.place.number,
        block_hash: event.block_hash,
        tx_index: event.place.tx_index,
        log_index: event.place.log_index,
        proof_blob: const_hex::encode_prefixed(proof.bundle.encode()),
        proof_url: paths::event_proof(
            chain.id,
            event.place.number,
            event.place.tx_index,
            event.place.log_index,
        ),
    });
    let body = ProofsBehind { proof_hash: hash, chain_id: chain.id, events: proven.collect() };
    Ok((body, published, chain))
}
