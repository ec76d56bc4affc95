//! `GET /search-api/v5/gas`.

use std::sync::Arc;

use axum::extract::State;
use futures_util::future::join_all;
use superroot_chain::ChainSpec;
use superroot_gas::{FeeCache, Figures, GasError, NoFigure};
use superroot_store::layout::BlockTip;
use superroot_store::read;
use superroot_types::{BlockNumber, ChainKey, Network};
use superroot_wire::gas::{ChainGas, Gas, GasBlock};
use superroot_wire::paths;

use super::figures::chain_gas;
use crate::ApiError;
use crate::answer::ApiAnswer;
use crate::input::{Caller, RequestInput, find_chain};
use crate::service::{Api, Shared};

pub(super) async fn gas(
    State(service): State<Shared>,
    caller: Caller,
    ask: RequestInput,
) -> Result<ApiAnswer, ApiError> {
    let asked = ask.query("chain_id")?;
    let asked = asked.map(|text| find_chain(&service.api, "chain_id", text)).transpose()?;
    let asked = asked.map(ChainSpec::key);
    if let Some(chain) = asked {
        caller.check_chain(chain)?;
    }
    let address = caller.address(&ask);
    let validity = service.state();
    if let Some(answer) = service.cached(&address, validity) {
        return Ok(answer);
    }
    let mut answer = ApiAnswer::of(&fees(&service, caller, asked).await?);
    answer.chain = asked;
    Ok(answer.into_slot(service.slot(&address, validity)))
}

/// Fees for the chain, or for every chain in the key's scope.
pub(crate) async fn fees(
    service: &Shared,
    caller: Caller,
    asked: Option<ChainKey>,
) -> Result<Gas, ApiError> {
    if let Some(chain) = asked {
        caller.check_chain(chain)?;
    }
    let cache = Arc::clone(service);
    let in_scope = move |row: &&ChainSpec| match asked {
        Some(chain) => row.key() == chain,
        None => caller.check_chain(row.key()).is_ok(),
    };
    let mut chains = service
        .blocking(move |api| {
            let rows = api.registry.rows().iter().filter(in_scope);
            rows.map(|row| of_chain(api, &cache.gas, row)).collect::<Result<Vec<_>, _>>()
        })
        .await?;
    let nodes = &*service.api.price_nodes;
    join_all(chains.iter_mut().map(|gas| service.node_prices.add(gas, nodes))).await;
    Ok(Gas { chains })
}

fn of_chain(api: &Api, cache: &FeeCache, row: &ChainSpec) -> Result<ChainGas, ApiError> {
    let Some((tip, block)) = newest(api, row.key())? else {
        return Ok(chain_gas(row, None, &Figures::none(&NoFigure::of("no block of it is held"))));
    };
    let is_simulated = api.prover.network() == Network::Simulated;
    let figures = cache.figures(api.prover.store(), row, is_simulated, tip);
    let figures = match figures {
        Ok(figures) => figures,
        Err(GasError::Store(error)) => return Err(ApiError::of_store(error)),
        Err(error @ GasError::Block { .. }) => {
            // one chain's fault is not the others'
            tracing::error!(%error, "fees cannot be computed");
            Arc::new(Figures::none(&NoFigure::of("its newest blocks cannot be read")))
        }
    };
    Ok(chain_gas(row, Some(block), &figures))
}

/// Newest valid block; reorganised blocks are never shown.
fn newest(api: &Api, chain: ChainKey) -> Result<Option<(BlockTip, GasBlock)>, ApiError> {
    let store = api.prover.store();
    let Some(state) = read::load_chain_state(store, chain).map_err(ApiError::of_store)? else {
        return Ok(None);
    };
    let last = match api.not_final_from(chain)? {
        Some(BlockNumber(0)) => return Ok(None),
        from => from.map(|from| BlockNumber(from.0 - 1)),
    };
    let stands = |number: BlockNumber| last.map_or(number, |last| last.min(number));
    let Some(head) = state.head.or(state.indexed) else { return Ok(None) };
    let number = stands(head.number);
    let Some(block) = read::load_block(store, chain, number).map_err(ApiError::of_store)? else {
        return Ok(None);
    };
    let latest = api.prover.latest();
    let anchored = latest.and_then(|latest| api.anchored(&latest, chain));
    let reaches = |tip: BlockNumber| number <= stands(tip);
    let finality = if anchored.is_some_and(|anchored| reaches(anchored.number)) {
        "anchored"
    } else if state.indexed.is_some_and(|indexed| reaches(indexed.number)) {
        "finalized"
    } else {
        "head"
    };
    let hash = block.hash;
    let timestamp = block.timestamp.0;
    let shown = GasBlock {
        number,
        hash,
        timestamp,
        finality,
        age_seconds: api.clock.now().0.saturating_sub(timestamp),
        proof_url: paths::block_proof(chain.id, number),
    };
    Ok(Some((BlockTip { number, hash }, shown)))
}
