//! One order, asked for next to its events.

use std::io::Write;
use std::time::Duration;

use eventsource_stream::Event;
use reqwest::Url;
use serde_json::Value;

use super::super::style::{WARNING, plain};
use super::args::WatchArgs;
use super::output::WatchOutput;
use super::request::{ask, at, problem_of, refusal};

/// First poll for the end of an order; the interval doubles up to the maximum.
const LOOK: Duration = Duration::from_secs(5);
const LOOK_MAX: Duration = Duration::from_secs(15);

/// Shows a known order's progress, and returns whether the order is over.
pub(super) async fn order_now(
    (args, id): (&WatchArgs, &str),
    http: &reqwest::Client,
    shown: &mut WatchOutput,
    out: &mut dyn Write,
) -> anyhow::Result<bool> {
    let Ok((status, body)) = ask_order((args, id), http).await? else { return Ok(false) };
    if status == reqwest::StatusCode::NOT_FOUND {
        let detail = body["detail"].as_str().unwrap_or("it was not seen");
        say!("{WARNING}waiting{WARNING:#}  {}", plain(detail));
        return Ok(false);
    }
    if !status.is_success() {
        refusal(status, &body)?;
        return Ok(false);
    }
    let is_enough = shown.order(&body, out)?;
    Ok(is_enough || body["terminal"] == true || has_expired(args, &body))
}

/// Polls for an end of the order without events: expiry has none, and some refunds name no order. Returns the final
/// order.
pub(super) async fn over(
    (args, id): (&WatchArgs, &str),
    http: &reqwest::Client,
) -> anyhow::Result<Value> {
    let mut pause = LOOK;
    loop {
        tokio::time::sleep(pause).await;
        pause = (pause * 2).min(LOOK_MAX);
        let Ok((_, order)) = ask_order((args, id), http).await? else { continue };
        let last = order["transitions"].as_array().and_then(|all| all.last());
        // before that, an event of its own may be told yet, at the finality that was asked for
        let is_anchored = last.is_some_and(|last| last["anchor_status"] == "anchored");
        if (order["terminal"] == true && is_anchored) || has_expired(args, &order) {
            return Ok(order);
        }
    }
}

/// Whether the order has expired, with a message on where a refund would show.
fn has_expired(args: &WatchArgs, order: &Value) -> bool {
    let has = order["state"] == "expired";
    if has {
        let why = order["stuck"]["detail"].as_str().unwrap_or("its last moment has passed");
        say!("{WARNING}expired{WARNING:#}  {}", plain(why));
        if let Some(id) = order["order_id"].as_str() {
            let url = args.url.trim_end_matches('/');
            say!("a refund shows later at {}/events/{}", plain(url), plain(id));
        }
    }
    has
}

async fn ask_order(
    (args, id): (&WatchArgs, &str),
    http: &reqwest::Client,
) -> anyhow::Result<reqwest::Result<(reqwest::StatusCode, Value)>> {
    Ok(match ask(args, http, order_url(args, id)?).await {
        Ok(response) => Ok((response.status(), problem_of(response).await)),
        Err(error) => Err(error),
    })
}

/// Whether the event is the order's last.
pub(super) async fn is_its_last(
    (args, id): (&WatchArgs, &str),
    http: &reqwest::Client,
    event: &Event,
) -> anyhow::Result<bool> {
    if event.event != "orders" {
        return Ok(false);
    }
    let step: Value = serde_json::from_str(&event.data).unwrap_or_default();
    let Ok((_, order)) = ask_order((args, id), http).await? else { return Ok(false) };
    let last = order["transitions"].as_array().and_then(|all| all.last());
    let is_told = last.is_some_and(|last| last["proof_url"] == step["proofUrl"]);
    Ok(is_told && order["terminal"] == true)
}

fn order_url(args: &WatchArgs, id: &str) -> anyhow::Result<Url> {
    let mut url = at(args, "/events")?;
    if let Ok(mut parts) = url.path_segments_mut() {
        parts.push(id);
    }
    Ok(url)
}
