//! Chain view parts that several answers share.

use superroot_chain::ChainSpec;
use superroot_proof::superroot::ChainReference;
use superroot_wire::chain as body;

use crate::service::Api;
use crate::status::{ChainView, WatchView};

/// Chain progress, and the reason for a stop.
pub(crate) fn standing(api: &Api, row: &ChainSpec, view: &ChainView) -> body::ChainStanding {
    body::ChainStanding {
        chain_id: row.id,
        name: row.name.clone(),
        state: view.state.name().to_owned(),
        why: api.why(row, view),
        head: view.head,
        finalized: view.finalized,
        claimed: view.claimed,
        catch_up: view.pace(api.clock.now()),
        backfill: view.backfill,
        repair: view.repair,
        watch: watch(view),
        endpoints: endpoints(view),
        last_error: last_error(view),
    }
}

pub(crate) fn reference(reference: &ChainReference) -> body::Anchored {
    let ChainReference { start, number, block_hash: hash, .. } = *reference;
    body::Anchored { start, number, hash }
}

pub(crate) fn last_error(view: &ChainView) -> Option<body::LastError> {
    let error = view.last_error.as_ref()?;
    Some(body::LastError { message: error.message.clone(), at: error.at })
}

fn endpoints(view: &ChainView) -> Vec<body::EndpointReport> {
    let endpoints = view.endpoints.iter().map(|report| body::EndpointReport {
        name: report.name.clone(),
        operator: report.operator.clone(),
        state: report.state.name().to_owned(),
        score: (report.score * 1_000.0).round() / 1_000.0,
        head: report.head,
        latency_ms: report.latency_ms,
        call_count: report.call_count,
        failure_count: report.failure_count,
        last_error: report.last_error.clone(),
    });
    endpoints.collect()
}

pub(crate) fn watch(view: &ChainView) -> Option<body::WatchCounts> {
    Some(match view.watch? {
        WatchView::All => body::WatchCounts { all: true, address_count: None, topic_count: None },
        WatchView::Some { address_count, topic_count } => {
            let address_count = Some(address_count);
            let topic_count = Some(topic_count);
            body::WatchCounts { all: false, address_count, topic_count }
        }
    })
}
