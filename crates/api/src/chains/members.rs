//! Members that several answers share, in `snake_case`.

use serde_json::{Value, json};
use superroot_proof::superroot::BlockReference;
use superroot_source::EndpointReport;

use superroot_types::UnixSeconds;

use crate::status::{Backfill, ChainView, Claimed, LastError, Point, Repair, WatchView};

/// A block by number, hash and time, or `null`.
pub(crate) fn point(point: Option<Point>) -> Value {
    point.map_or(Value::Null, |Point { number, hash, timestamp }| {
        json!({ "number": number, "hash": hash, "timestamp": timestamp })
    })
}

/// What a chain's nodes say of it, or `null`.
pub(crate) fn claimed(view: &ChainView) -> Value {
    view.claimed.map_or(
        Value::Null,
        |Claimed { head, finalized, at }| json!({ "head": head, "finalized": finalized, "at": at }),
    )
}

/// How it catches up, or `null` where it is not behind its nodes.
pub(crate) fn catch_up(view: &ChainView, now: UnixSeconds) -> Value {
    view.pace(now).map_or(Value::Null, |pace| {
        let speed = pace.blocks_per_second.map(|speed| (speed * 10.0).round() / 10.0);
        json!({
            "behind_blocks": pace.behind_blocks,
            "blocks_per_second": speed,
            "seconds_left": pace.seconds_left,
        })
    })
}

/// What a SuperRoot refers to.
pub(crate) fn reference(reference: &BlockReference) -> Value {
    let BlockReference { start, number, block_hash, .. } = reference;
    json!({ "start": start, "number": number, "hash": block_hash })
}

/// What went wrong last, or `null`.
pub(crate) fn last_error(view: &ChainView) -> Value {
    view.last_error
        .as_ref()
        .map_or(Value::Null, |LastError { message, at }| json!({ "message": message, "at": at }))
}

/// The nodes of a chain.
pub(crate) fn endpoints(view: &ChainView) -> Value {
    view.endpoints.iter().map(endpoint).collect()
}

fn endpoint(report: &EndpointReport) -> Value {
    // what is no number has no form in JSON, and a share has bounds
    let score = if report.score.is_nan() { 0.0 } else { report.score.clamp(0.0, 1.0) };
    json!({
        "name": report.name,
        "operator": report.operator,
        "state": report.state.name(),
        "score": (score * 1_000.0).round() / 1_000.0,
        "head": report.head,
        "latency_ms": report.latency_ms,
        "call_count": report.call_count,
        "failure_count": report.failure_count,
        "last_error": report.last_error,
    })
}

/// Which entries are indexed, or `null`.
pub(crate) fn watch(view: &ChainView) -> Value {
    match view.watch {
        None => Value::Null,
        Some(WatchView::All) => json!({ "all": true, "address_count": null, "topic_count": null }),
        Some(WatchView::Some { address_count, topic_count }) => {
            json!({ "all": false, "address_count": address_count, "topic_count": topic_count })
        }
    }
}

/// Older blocks that are being fetched, or `null`.
pub(crate) fn backfill(view: &ChainView) -> Value {
    view.backfill.map_or(Value::Null, |Backfill { to, done_blocks, total_blocks, began_at }| {
        json!({
            "to": to,
            "done_blocks": done_blocks,
            "total_blocks": total_blocks,
            "began_at": began_at,
        })
    })
}

/// Blocks that are repaired, or `null`.
pub(crate) fn repair(view: &ChainView) -> Value {
    view.repair.map_or(Value::Null, |Repair { done_blocks, total_blocks, repaired, began_at }| {
        json!({
            "done_blocks": done_blocks,
            "total_blocks": total_blocks,
            "repaired_blocks": repaired,
            "began_at": began_at,
        })
    })
}

/// Blocks that were not taken.
pub(crate) fn left_out(view: &ChainView) -> Value {
    let left_out = view.left_out.iter();
    left_out.map(|left| json!({ "number": left.number, "reason": left.reason })).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use superroot_source::EndpointState;

    #[test]
    fn a_score_is_a_share_whatever_was_reported() {
        for (score, shown) in [
            (0.123_456, 0.123),
            (1.0, 1.0),
            (7.0, 1.0),
            (-1.0, 0.0),
            (f64::NAN, 0.0),
            (f64::INFINITY, 1.0),
        ] {
            let report = EndpointReport {
                name: "node".into(),
                operator: "acme".into(),
                state: EndpointState::Healthy,
                score,
                head: None,
                latency_ms: Some(7),
                call_count: 1,
                failure_count: 0,
                last_error: None,
            };
            assert_eq!(endpoint(&report)["score"], json!(shown), "{score}");
        }
    }

    #[test]
    fn what_is_not_known_is_null() {
        let view = ChainView::default();
        for value in [point(None), last_error(&view), watch(&view), backfill(&view)] {
            assert_eq!(value, Value::Null);
        }
    }
}
