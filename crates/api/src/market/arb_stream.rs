//! `GET /signals/arb/stream`: changes in price differences, as server-sent events.

use std::convert::Infallible;
use std::time::Duration;

use axum::body::Bytes;
use axum::extract::State;
use axum::response::Response;
use futures_util::stream;
use superroot_wire::paths;
use superroot_wire::signal::Opportunities;
use tokio::time::Instant;

use super::arb::{find, net_usd_min, passing};
use crate::ApiError;
use crate::input::caller::Keyed;
use crate::input::{Caller, RequestInput};
use crate::service::Shared;
use crate::service::permits::StreamPermit;
use crate::streams::{HEARTBEAT, OpenKey, event_stream, frame};

/// Poll interval.
const LOOK_INTERVAL: Duration = Duration::from_secs(1);

struct ArbListener {
    service: Shared,
    caller: Caller,
    key: OpenKey,
    least: u64,
    /// Last opportunities sent.
    last: Option<Opportunities>,
    beat: Instant,
    has_ended: bool,
    _permit: StreamPermit,
}

pub(super) async fn stream(
    State(service): State<Shared>,
    caller: Caller,
    Keyed(entitlement): Keyed,
    ask: RequestInput,
) -> Result<Response, ApiError> {
    let least = net_usd_min(&ask)?;
    let permit = service.permits.enter(&entitlement, service.api.accounts.plans())?;
    let key = OpenKey::new(&service, entitlement, paths::ARB_STREAM);
    let beat = Instant::now() + HEARTBEAT;
    let opened = ArbListener {
        service,
        caller,
        key,
        least,
        last: None,
        beat,
        has_ended: false,
        _permit: permit,
    };
    Ok(event_stream(stream::unfold(opened, next)))
}

async fn next(mut opened: ArbListener) -> Option<(Result<Bytes, Infallible>, ArbListener)> {
    if opened.has_ended {
        return None;
    }
    loop {
        if opened.last.is_some() {
            tokio::time::sleep(LOOK_INTERVAL).await;
        }
        if Instant::now() >= opened.beat {
            opened.beat = Instant::now() + HEARTBEAT;
            if let Some(why) = opened.key.renew_rights().await {
                opened.has_ended = true;
                let data = opened.key.own(&serde_json::json!({ "why": why }));
                return Some((Ok(frame("", "ended", &data).into()), opened));
            }
            return Some((Ok(Bytes::from_static(b":\n\n")), opened));
        }
        if opened.service.api.hub.is_closed() {
            return None;
        }
        let Ok(found) = find(&opened.service).await else { continue };
        let shown = passing(&found, &opened.caller, &opened.service.api, opened.least);
        let is_new = opened.last.as_ref().is_none_or(|last| {
            last.opportunities.iter().map(of_prices).ne(shown.opportunities.iter().map(of_prices))
        });
        if is_new {
            let data = opened.key.own(&shown);
            opened.key.weigh_signal(None);
            opened.last = Some(shown);
            return Some((Ok(frame("", "arb", &data).into()), opened));
        }
    }
}

/// Price fields that make an opportunity new; time alone does not.
fn of_prices(one: &superroot_wire::signal::Opportunity) -> (&str, &str, &str, &str) {
    (&one.proofs[0], &one.proofs[1], &one.buy.price_usd, &one.sell.price_usd)
}
