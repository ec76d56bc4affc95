//! Chain finality.

pub(crate) mod light_client;

use axum::extract::State;
use superroot_accumulate::Published;
use superroot_accumulate::prove::ProveError;
use superroot_chain::finality::finality_params;
use superroot_chain::{ChainSpec, FinalityEvidence};
use superroot_proof::superroot::ChainReference;
use superroot_types::Network;
use superroot_wire::finality::{ChainFinality, CheckableBlock, FinalityList};

use crate::ApiError;
use crate::answer::ApiAnswer;
use crate::chains::parts::reference;
use crate::error::codes::{
    CHAIN_UNAVAILABLE, NOTHING_RECORDED, STARTING, UNKNOWN_CHAIN, WITHDRAWN,
};
use crate::input::RequestInput;
use crate::route::{ApiRoute, RouteGroup, RouteOperation};
use crate::service::evidence::kind_of;
use crate::service::{Api, Shared};
use crate::status::{ChainStage, ChainView, Point};

const EVIDENCE: &str =
    "node_quorum is the agreement of the named sources; no signature was checked.";

pub(crate) fn routes() -> Vec<ApiRoute> {
    let mut routes = Vec::from(light_client::routes());
    routes.extend([
        ApiRoute::open(12, "/finality", RouteGroup::G2).serves(
            RouteOperation::get(
                "finalityOfAll",
                "Final, safe and newest block of every chain",
                all_finality,
            )
            .says(EVIDENCE)
            .returns::<FinalityList>(),
        ),
        ApiRoute::open(13, "/finality/{chain_id}", RouteGroup::G2).serves(
            RouteOperation::get("finality", "Final, safe and newest block of a chain", finality)
                .errors(&[UNKNOWN_CHAIN, WITHDRAWN, CHAIN_UNAVAILABLE, STARTING, NOTHING_RECORDED])
                .says(EVIDENCE)
                .returns::<ChainFinality>(),
        ),
    ]);
    routes
}

async fn finality(State(service): State<Shared>, ask: RequestInput) -> Result<ApiAnswer, ApiError> {
    let row = ask.chain(&service.api, "chain_id")?.clone();
    let latest = service.latest()?;
    let seen = ask.seen();
    let make =
        move |api: &Api| Ok(ApiAnswer::of(&load_moving(api, &row, &latest)?).about(row.key()));
    service.page_of_state(seen.address(), make).await
}

/// Finality of a chain that still moves.
pub(crate) fn load_moving(
    api: &Api,
    row: &ChainSpec,
    latest: &Published,
) -> Result<ChainFinality, ApiError> {
    let chain = row.key();
    api.still_moves(chain)?;
    let finality = load(api, row, Some(latest))?;
    match finality.finalized {
        Some(_) => Ok(finality),
        None => Err(api.nothing_yet(chain, "no final block of it was collected yet")),
    }
}

async fn all_finality(State(service): State<Shared>) -> Result<ApiAnswer, ApiError> {
    service.page_of_state("/finality", |api| Ok(ApiAnswer::of(&load_all(api)?))).await
}

pub(crate) fn load_all(api: &Api) -> Result<FinalityList, ApiError> {
    let latest = api.prover.latest();
    let rows = api.registry.rows().iter();
    let chains = rows.map(|row| load(api, row, latest.as_deref()));
    Ok(FinalityList { chains: chains.collect::<Result<_, _>>()? })
}

/// Current source reports, and the evidence stored with the newest anchored block. The kind is that evidence's kind,
/// never a stronger one possible for the chain.
fn load(api: &Api, row: &ChainSpec, latest: Option<&Published>) -> Result<ChainFinality, ApiError> {
    let chain = row.key();
    let view = api.view(row);
    let anchored = latest.and_then(|latest| Some(latest.reference(chain)?.1));
    let block = anchored.map(|anchored| api.prover.block(chain, anchored.number));
    let block = block.transpose().map_err(|error| api.refuse_unproven(error))?;
    let of_anchor = anchored.zip(block.as_ref()).map(|(anchored, block)| Point {
        number: anchored.number,
        hash: anchored.block_hash,
        timestamp: block.timestamp,
    });
    let mut finalized = newer(view.finalized, of_anchor);
    let contested = api.not_final_from(chain)?;
    if let Some(from) = contested {
        finalized = api.uncontested(chain, from, finalized);
    }
    let is_retracted =
        |anchored: &ChainReference| contested.is_some_and(|from| from <= anchored.number);
    let block = block.filter(|_| !anchored.is_some_and(is_retracted));
    let evidence = block.as_ref().map(|block| api.prover.evidence(chain, block)).transpose();
    let evidence = evidence.map_err(|error| api.refuse_unproven(error))?.flatten();
    let evidence = evidence.as_ref();
    Ok(ChainFinality {
        chain_id: row.id,
        name: row.name.clone(),
        family: row.family(),
        state: view.state.name().to_owned(),
        why: api.why(row, &view),
        network: api.prover.network(),
        finalized,
        safe: view.safe,
        head: view.head,
        indexed: finalized.map(|held| held.number),
        claimed: view.claimed,
        behind_blocks: view.behind_blocks(),
        catch_up: view.pace(api.clock.now()),
        anchored: anchored.map(reference),
        rule: evidence.map(|evidence| evidence.rule().to_owned()),
        evidence_kind: evidence.map(|evidence| kind_of(evidence).to_owned()),
        sources: evidence.map(FinalityEvidence::sources).unwrap_or_default(),
        agreeing: evidence.map(|evidence| evidence.sources().len()),
        source_count: evidence.map(FinalityEvidence::of),
        lag_blocks: lag_blocks(&view, finalized),
        lag_seconds: lag_seconds(api, &view, finalized),
        checkable: checkable(api, row, &view)?,
    })
}

/// Newest block with consensus evidence.
fn checkable(
    api: &Api,
    row: &ChainSpec,
    view: &ChainView,
) -> Result<Option<CheckableBlock>, ApiError> {
    let refuse = |error| api.refuse_unproven(error);
    let Some(params) = finality_params(row, api.prover.network()) else { return Ok(None) };
    let Some(evidence) = api.prover.newest_signed(row).map_err(refuse)? else { return Ok(None) };
    let block = match api.prover.block(row.key(), evidence.number) {
        Ok(block) => block,
        // it was undone in between
        Err(ProveError::NotFound { .. }) => return Ok(None),
        Err(error) => return Err(refuse(error)),
    };
    let signer = evidence.signer(&params);
    let set = signer.map(|set| api.prover.set(row, set)).transpose().map_err(refuse)?.flatten();
    let (number, hash) = (evidence.number, evidence.hash);
    let point = Some(Point { number, hash, timestamp: block.timestamp });
    Ok(Some(CheckableBlock {
        kind: evidence.kind.name().to_owned(),
        number,
        hash,
        lag_blocks: lag_blocks(view, point),
        lag_seconds: lag_seconds(api, view, point),
        set: signer,
        trusted_until: set.and_then(|set| set.trusted_until(&params)),
    }))
}

fn newer(left: Option<Point>, right: Option<Point>) -> Option<Point> {
    [left, right].into_iter().flatten().max_by_key(|point| point.number)
}

fn lag_blocks(view: &ChainView, finalized: Option<Point>) -> Option<u64> {
    Some(view.newest_head()?.0.saturating_sub(finalized?.number.0))
}

/// Seconds behind the clock; `None` for recordings, which have no current state.
fn lag_seconds(api: &Api, view: &ChainView, finalized: Option<Point>) -> Option<u64> {
    let is_recorded =
        view.state == ChainStage::Recorded || api.prover.network() == Network::Recorded;
    let finalized = finalized.filter(|_| !is_recorded)?;
    Some(api.clock.now().0.saturating_sub(finalized.timestamp.0))
}
