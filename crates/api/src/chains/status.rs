//! Service status: each chain's activity, and the reason for a halt.

use axum::extract::State;
use superroot_accumulate::Published;
use superroot_chain::ChainSpec;
use superroot_types::{Network, UnixSeconds};
use superroot_wire::chain as body;
use superroot_wire::chain::{NewestSuperRoot, StateCounts, Status, StoreStatus};
use superroot_wire::paths;

use super::parts;
use crate::ApiError;
use crate::answer::ApiAnswer;
use crate::service::{Api, Shared, retraction};
use crate::status::{ChainStage, ChainView, ContractKind};

pub(crate) async fn status(State(service): State<Shared>) -> Result<ApiAnswer, ApiError> {
    let began_at = service.began_at;
    let make = move |api: &Api| Ok(ApiAnswer::of(&load_status(api, began_at)?));
    service.page_of_state(paths::STATUS, make).await
}

pub(crate) fn load_status(api: &Api, began_at: UnixSeconds) -> Result<Status, ApiError> {
    let now = api.clock.now();
    let latest = api.prover.latest();
    let rows = api.registry.rows();
    let mut chains = Vec::with_capacity(rows.len());
    let mut retractions = Vec::new();
    let mut states = StateCounts::default();
    for row in rows {
        let view = api.view(row);
        *count_of(&mut states, view.state) += 1;
        chains.push(load_chain(api, row, &view, latest.as_deref())?);
        let of_chain = api.retractions(row.key())?;
        retractions.extend(of_chain.iter().map(|one| retraction::body(row.key(), one)));
    }
    let network = api.prover.network();
    let super_root = latest.as_ref().map(|latest| NewestSuperRoot {
        sequence: latest.super_root.sequence.0,
        super_root_hash: latest.hash,
        timestamp: latest.super_root.timestamp,
        age_seconds: now.0.saturating_sub(latest.super_root.timestamp.0),
    });
    let status = match (&latest, api.is_complete_recording()) {
        (Some(_), _) => "ready",
        (None, true) => "empty",
        (None, false) => "starting",
    };
    let publishing = api.status.shown_publishing();
    let mut witnesses = api.status.witnesses();
    for witness in &mut witnesses {
        witness.age_seconds = witness.cosigned_at.map(|at| now.0.saturating_sub(at.0));
    }
    Ok(Status {
        status: status.to_owned(),
        publishing: publishing.name().to_owned(),
        publishing_why: publishing.why().map(str::to_owned),
        version: env!("CARGO_PKG_VERSION").to_owned(),
        log_id: superroot_proof::superroot::log_id(api.prover.origin()).ok(),
        origin: api.prover.origin().to_owned(),
        network,
        network_note: note(network).map(str::to_owned),
        super_root,
        witnesses,
        anchors: api.status.contracts(ContractKind::Anchor),
        registries: api.status.contracts(ContractKind::Registry),
        chain_count: rows.len(),
        states,
        chains,
        retractions,
        store: StoreStatus {
            bytes: api.status.store_bytes(),
            free_bytes: api.status.free_bytes(),
            read_only: api.status.read_only(),
            commit_count: api.prover.store().commit_count(),
        },
        uptime_seconds: now.0.saturating_sub(began_at.0),
        time: now,
    })
}

const fn count_of(states: &mut StateCounts, stage: ChainStage) -> &mut u64 {
    match stage {
        ChainStage::NotFollowed => &mut states.not_followed,
        ChainStage::Starting => &mut states.starting,
        ChainStage::CatchingUp => &mut states.catching_up,
        ChainStage::Backfilling => &mut states.backfilling,
        ChainStage::Following => &mut states.following,
        ChainStage::Stalled => &mut states.stalled,
        ChainStage::Halted => &mut states.halted,
        ChainStage::Recorded => &mut states.recorded,
        ChainStage::Withdrawn => &mut states.withdrawn,
    }
}

const fn note(network: Network) -> Option<&'static str> {
    match network {
        Network::Live => None,
        Network::Recorded => Some(
            "blocks as a recording holds them; a number that was not recorded counts as skipped",
        ),
        Network::Simulated => Some("made-up blocks of simulated chains"),
    }
}

/// Chain progress, lag, and the reason for a halt.
fn load_chain(
    api: &Api,
    row: &ChainSpec,
    view: &ChainView,
    latest: Option<&Published>,
) -> Result<body::ChainStatus, ApiError> {
    let chain = row.key();
    let refuse = |error| api.refuse_unproven(error);
    let held = api.prover.chain_state(chain).map_err(refuse)?;
    let indexed = held.as_ref().and_then(|held| held.indexed).map(|tip| tip.number);
    let run = held.as_ref().zip(indexed);
    let skipped = run.map(|(held, last)| {
        let count = last.0.saturating_sub(held.start.0).saturating_add(1);
        count.saturating_sub(held.block_count)
    });
    let anchored = latest.and_then(|latest| api.anchored(latest, chain));
    let block = anchored.map(|anchored| api.prover.block(chain, anchored.number)).transpose();
    let anchored_time = block.map_err(refuse)?.map(|block| block.timestamp);
    let is_recorded =
        view.state == ChainStage::Recorded || api.prover.network() == Network::Recorded;
    let age = |time: UnixSeconds| api.clock.now().0.saturating_sub(time.0);
    let head = view.newest_head();
    Ok(body::ChainStatus {
        standing: parts::standing(api, row, view),
        slug: row.slug.clone(),
        since: view.halt.as_ref().map(|halt| halt.since).or(view.quiet_since()),
        safe: view.safe,
        behind_blocks: view.behind_blocks(),
        start: held.as_ref().map(|held| held.start),
        indexed,
        checked_to: held.as_ref().and_then(|held| held.checked_to),
        anchored: anchored.as_ref().map(parts::reference),
        lag_blocks: head
            .zip(anchored)
            .map(|(head, anchored)| head.0.saturating_sub(anchored.number.0)),
        lag_seconds: anchored_time.filter(|_| !is_recorded).map(age),
        block_count: held.as_ref().map(|held| held.block_count),
        skipped_count: skipped,
        sources: view.sources.clone(),
        source_count: view.source_count,
        must_agree: view.needed.map(|needed| needed.agree),
        warning: view.warning().map(|warning| warning.to_string()),
        left_out: view.left_out.clone(),
    })
}
