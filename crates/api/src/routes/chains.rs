//! Chains, their finality, and how the service fares.

use std::sync::atomic::Ordering;

use axum::extract::State;
use serde_json::{Value, json};
use superroot_accumulate::Published;
use superroot_chain::ChainRow;
use superroot_chain::registry::Status;
use superroot_types::{Network, UnixSeconds};

use superroot_proof::superroot::BlockReference;

use crate::ApiError;
use crate::dress::Answer;
use crate::finality::{rule, source_count, sources};
use crate::input::{Ask, collected};
use crate::service::{Api, Shared};
use crate::status::{ChainStage, ChainView, Point};

/// `GET /finality/{chain_id}`
pub(super) async fn finality(State(service): State<Shared>, ask: Ask) -> Result<Answer, ApiError> {
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
pub(super) async fn all_finality(State(service): State<Shared>) -> Result<Answer, ApiError> {
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
        let finalized = newer(view.finalized, of_anchor);
        let evidence = block.as_ref().and_then(|block| block.evidence.as_ref());
        let body = json!({
            "chain_id": row.id,
            "name": row.name,
            "family": row.family,
            "state": view.state.name(),
            "network": api.prover.network(),
            "finalized": point(finalized),
            "safe": point(view.safe),
            "head": point(view.head),
            "anchored": anchored.map(reference),
            "rule": evidence.and_then(rule),
            "evidence_kind": evidence.map(|evidence| evidence.kind().name()),
            "sources": evidence.map(sources).unwrap_or_default(),
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

fn reference(reference: &BlockReference) -> Value {
    let BlockReference { start, number, block_hash, .. } = reference;
    json!({ "start": start, "number": number, "hash": block_hash })
}

fn lag_blocks(view: &ChainView, finalized: Option<Point>) -> Option<u64> {
    Some(view.head?.number.0.saturating_sub(finalized?.number.0))
}

/// Recordings have no lag: they are of no current state.
fn lag_seconds(api: &Api, view: &ChainView, finalized: Option<Point>) -> Option<u64> {
    let is_recorded =
        view.state == ChainStage::Recorded || api.prover.network() == Network::Recorded;
    let finalized = finalized.filter(|_| !is_recorded)?;
    Some(api.clock.now().0.saturating_sub(finalized.timestamp.0))
}

fn point(point: Option<Point>) -> Value {
    point.map_or(Value::Null, |Point { number, hash, timestamp }| {
        json!({ "number": number, "hash": hash, "timestamp": timestamp })
    })
}

/// `GET /api/v1/chains`
pub(super) async fn chains(State(service): State<Shared>) -> Result<Answer, ApiError> {
    let api = &service.api;
    let latest = api.prover.latest();
    let chains = api.registry.rows().iter().enumerate().map(|(position, row)| {
        let view = api.view(row);
        let anchored = latest.as_ref().and_then(|latest| Some(latest.reference(row.key())?.1));
        json!({
            "row": position,
            "chain_id": row.id,
            "name": row.name,
            "slug": row.slug,
            "family": row.family,
            "caip2": row.caip2,
            "alias_ids": row.alias_ids.iter().map(u64::to_string).collect::<Vec<_>>(),
            "alias_words": row.alias_words,
            "status": row.status.name(),
            "state": view.state.name(),
            "block_time_ms": row.block_time_ms,
            "strongest_evidence": row.evidence.name(),
            "anchored": anchored.map(reference),
            "sources": view.sources,
            "last_error": view.last_error.as_ref().map(|error| &error.message),
            "left_out": view.left_out.iter().map(|left| json!({
                "number": left.number,
                "reason": left.reason,
            })).collect::<Vec<_>>(),
        })
    });
    Ok(Answer::new(json!({ "chains": chains.collect::<Value>() })))
}

/// `GET /api/v1/status`
pub(super) async fn status(State(service): State<Shared>) -> Result<Answer, ApiError> {
    service.blocking(load_status).await
}

fn load_status(api: &Api) -> Result<Answer, ApiError> {
    let latest = api.prover.latest();
    let rows = api.registry.rows();
    let is_collected = |row: &&ChainRow| {
        row.status == Status::Collected || api.view(row).state != ChainStage::Planned
    };
    let collected = rows.iter().filter(is_collected).map(|row| collected_chain(api, row));
    let collected = collected.collect::<Result<Vec<Value>, ApiError>>()?;
    let age = |timestamp: UnixSeconds| api.clock.now().0.saturating_sub(timestamp.0);
    let super_root = latest.as_ref().map(|latest| {
        json!({
            "sequence": latest.super_root.sequence,
            "super_root_hash": latest.hash,
            "timestamp": latest.super_root.timestamp,
            "age_seconds": age(latest.super_root.timestamp),
        })
    });
    let network = api.prover.network();
    Ok(Answer::new(json!({
        "status": if latest.is_some() { "ready" } else { "starting" },
        "version": env!("CARGO_PKG_VERSION"),
        "origin": api.prover.origin(),
        "network": network,
        "network_note": match network {
            Network::Live => None,
            Network::Recorded => Some(
                "past blocks of real chains; a number that was not recorded counts as skipped",
            ),
            Network::Simulated => Some("made-up blocks of simulated chains"),
        },
        "super_root": super_root,
        "chain_count": rows.len(),
        "collected_count": collected.len(),
        "collected": collected,
        "time": api.clock.now(),
    })))
}

/// How far a chain has come, and how many numbers of its run have no block.
fn collected_chain(api: &Api, row: &ChainRow) -> Result<Value, ApiError> {
    let chain = row.key();
    let held = api.prover.chain_state(chain);
    let held = held.map_err(|error| api.refused(Some(chain), error))?;
    let indexed = held.as_ref().and_then(|held| held.indexed).map(|tip| tip.number);
    let run = held.as_ref().zip(indexed);
    let skipped = run.map(|(held, last)| {
        (last.0 + 1).saturating_sub(held.start.0).saturating_sub(held.block_count)
    });
    Ok(json!({
        "chain_id": row.id,
        "state": api.view(row).state.name(),
        "start": held.as_ref().map(|held| held.start),
        "indexed": indexed,
        "block_count": held.as_ref().map(|held| held.block_count),
        "skipped_count": skipped,
    }))
}

/// `GET /health/live`: the process answers.
pub(super) async fn live() -> Answer {
    Answer::new(json!({ "status": "live" }))
}

/// `GET /health/ready`: there is a SuperRoot to prove against, and it has everything that was final
/// when the service began.
pub(super) async fn ready(State(service): State<Shared>) -> Result<Answer, ApiError> {
    service.latest()?;
    if !service.api.ready.load(Ordering::SeqCst) {
        return Err(ApiError::Starting);
    }
    Ok(Answer::new(json!({ "status": "ready" })))
}
