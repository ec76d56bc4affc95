//! How far chains are final.

use axum::extract::State;
use serde_json::{Value, json};
use superroot_accumulate::Published;
use superroot_chain::ChainRow;
use superroot_proof::superroot::BlockReference;
use superroot_types::Network;

use crate::ApiError;
use crate::answer::Answer;
use crate::chains::members::{catch_up, claimed, point, reference};
use crate::input::{Ask, collected};
use crate::service::evidence::{rule, source_count, sources};
use crate::service::{Api, Shared};
use crate::status::{ChainStage, ChainView, Point};

/// `GET /finality/{chain_id}`
pub(crate) async fn finality(State(service): State<Shared>, ask: Ask) -> Result<Answer, ApiError> {
    let row =
        ask.chain(&service.api, "chain_id").and_then(|row| collected(&service.api, row))?.clone();
    let latest = service.latest()?;
    let chain = row.key();
    let load = move |api: &Api| {
        api.still_moves(chain)?;
        let finality = Finality::load(api, &row, Some(&latest))?;
        match finality.finalized {
            Some(_) => Ok(finality),
            None => Err(api.nothing_yet(chain, "no final block of it was collected yet")),
        }
    };
    let finality = service.blocking(load).await?;
    Ok(Answer::new(finality.body).about(chain))
}

/// `GET /finality`
pub(crate) async fn all_finality(State(service): State<Shared>) -> Result<Answer, ApiError> {
    service
        .blocking(|api| {
            let latest = api.prover.latest();
            let rows = api.registry.rows().iter();
            let chains = rows.map(|row| Finality::load(api, row, latest.as_deref()));
            let chains = chains.map(|finality| Ok(finality?.body));
            let chains = chains.collect::<Result<Value, ApiError>>()?;
            Ok(Answer::new(json!({ "chains": chains })))
        })
        .await
}

/// How far a chain is final.
struct Finality {
    finalized: Option<Point>,
    body: Value,
}

impl Finality {
    /// What the sources say now, and the evidence kept with the newest anchored block. The kind is
    /// that of the evidence at hand, never of what the chain could offer.
    fn load(api: &Api, row: &ChainRow, latest: Option<&Published>) -> Result<Self, ApiError> {
        let chain = row.key();
        let view = api.view(row);
        let anchored = latest.and_then(|latest| Some(latest.reference(chain)?.1));
        let block = anchored.map(|anchored| api.prover.block(chain, anchored.number));
        let block = block.transpose().map_err(|error| api.refused(Some(chain), error))?;
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
            |anchored: &BlockReference| contested.is_some_and(|from| from <= anchored.number);
        let block = block.filter(|_| !anchored.is_some_and(is_retracted));
        let evidence = block.as_ref().and_then(|block| block.evidence.as_ref());
        let body = json!({
            "chain_id": row.id,
            "name": row.name,
            "family": row.family(),
            "state": view.state.name(),
            "why": api.why(row, &view),
            "network": api.prover.network(),
            "finalized": point(finalized),
            "safe": point(view.safe),
            "head": point(view.head),
            "indexed": finalized.map(|held| held.number),
            "claimed": claimed(&view),
            "behind_blocks": view.behind_blocks(),
            "catch_up": catch_up(&view, api.clock.now()),
            "anchored": anchored.map(reference),
            "rule": evidence.and_then(rule),
            "evidence_kind": evidence.map(|evidence| evidence.kind().name()),
            "sources": evidence.map(sources).unwrap_or_default(),
            "agreeing": evidence.map(|evidence| sources(evidence).len()),
            "source_count": evidence.map(source_count),
            "lag_blocks": lag_blocks(&view, finalized),
            "lag_seconds": lag_seconds(api, &view, finalized),
        });
        Ok(Self { finalized, body })
    }
}

fn newer(left: Option<Point>, right: Option<Point>) -> Option<Point> {
    [left, right].into_iter().flatten().max_by_key(|point| point.number)
}

fn lag_blocks(view: &ChainView, finalized: Option<Point>) -> Option<u64> {
    Some(view.newest_head()?.0.saturating_sub(finalized?.number.0))
}

/// Recordings have no lag: they are of no current state.
fn lag_seconds(api: &Api, view: &ChainView, finalized: Option<Point>) -> Option<u64> {
    let is_recorded =
        view.state == ChainStage::Recorded || api.prover.network() == Network::Recorded;
    let finalized = finalized.filter(|_| !is_recorded)?;
    Some(api.clock.now().0.saturating_sub(finalized.timestamp.0))
}
