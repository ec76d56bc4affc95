//! The registry, with what is done with each chain.

use axum::extract::State;
use serde_json::{Value, json};
use superroot_chain::ChainRow;
use superroot_proof::superroot::reference_slot;

use super::members;
use crate::ApiError;
use crate::answer::Answer;
use crate::service::{Api, Shared, evidence};
use crate::status::stalled_after_ms;

/// `GET /api/v1/chains`
pub(crate) async fn chains(State(service): State<Shared>) -> Result<Answer, ApiError> {
    service
        .blocking(|api| {
            let rows = api.registry.rows().iter().enumerate();
            let chains = rows.map(|(position, row)| load_row(api, position, row));
            Ok(Answer::new(json!({ "chains": chains.collect::<Result<Value, ApiError>>()? })))
        })
        .await
}

/// What the registry says of a chain, and what is done with it.
fn load_row(api: &Api, position: usize, row: &ChainRow) -> Result<Value, ApiError> {
    let chain = row.key();
    let view = api.view(row);
    let latest = api.prover.latest();
    let anchored = latest.as_ref().and_then(|latest| api.anchored(latest, chain));
    let block = anchored.map(|anchored| api.prover.block(chain, anchored.number)).transpose();
    let block = block.map_err(|error| api.refused(Some(chain), error))?;
    let evidence = block.as_ref().and_then(|block| block.evidence.as_ref());
    Ok(json!({
        "row": position,
        "slot": reference_slot(position),
        "chain_id": row.id,
        "name": row.name,
        "slug": row.slug,
        "family": row.family(),
        "caip2": row.caip2,
        "alias_ids": row.alias_ids.iter().map(u64::to_string).collect::<Vec<_>>(),
        "alias_words": row.alias_words,
        "status": row.status().name(),
        "state": view.state.name(),
        "why": api.why(row, &view),
        "rules": row.rules.iter().map(|rule| json!({
            "from": rule.from_number,
            "code": format!("0x{:04x}", rule.code),
        })).collect::<Vec<_>>(),
        "unproven_rules": row.unproven_rules,
        "unprovable": row.ledger.unprovable().iter().map(|one| json!({
            "from": one.from_number,
            "to": one.to_number,
            "what": one.what.to_string(),
            "why": one.why,
        })).collect::<Vec<_>>(),
        "block_time_ms": row.block_time_ms,
        "stalled_after_ms": view.stalled_after_ms
            .unwrap_or_else(|| stalled_after_ms(row.block_time_ms)),
        "strongest_evidence": row.evidence.name(),
        "evidence_in_use": evidence.map(|evidence| evidence.kind().name()),
        "finality_rule": evidence.and_then(evidence::rule),
        "watch": members::watch(&view),
        "anchored": anchored.as_ref().map(members::reference),
        "sources": view.sources,
        "last_error": members::last_error(&view),
        "left_out": members::left_out(&view),
    }))
}
