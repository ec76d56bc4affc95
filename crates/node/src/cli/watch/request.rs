//! Requests to the service.

use std::time::Duration;

use anyhow::{Context, bail};
use reqwest::Url;
use serde_json::Value;
use superroot_wire::paths;

use super::super::style::plain;
use super::args::WatchArgs;
use super::topic::WatchTopic;

/// Silence after which a connection is lost. The service sends a sign of life every ten seconds.
pub(super) const SILENCE: Duration = Duration::from_secs(40);
/// Wait before a message about the silent service.
const NOTICE_AFTER: Duration = Duration::from_secs(10);

pub(super) async fn ask(
    args: &WatchArgs,
    http: &reqwest::Client,
    url: Url,
) -> reqwest::Result<reqwest::Response> {
    let mut request = http.get(url).header("accept", "text/event-stream, application/json");
    if let Some(key) = &args.api_key {
        request = request.header("x-api-key", key);
    }
    let mut answer = std::pin::pin!(request.send());
    if let Ok(answer) = tokio::time::timeout(NOTICE_AFTER, &mut answer).await {
        return answer;
    }
    let url = plain(&args.url);
    let seconds = SILENCE.as_secs();
    say!("waiting for {url}; silence of {seconds} s counts as a lost connection");
    answer.await
}

pub(super) async fn problem_of(response: reqwest::Response) -> Value {
    let body = response.bytes().await.unwrap_or_default();
    serde_json::from_slice(&body).unwrap_or_default()
}

/// Why a service refuses, if a retry is possible; an error otherwise.
pub(super) fn refusal(status: reqwest::StatusCode, problem: &Value) -> anyhow::Result<String> {
    let detail = problem["detail"].as_str().unwrap_or("no reason was given");
    if problem["retryable"] == true {
        return Ok(detail.to_owned());
    }
    bail!("the service refuses ({}): {}", status.as_u16(), plain(detail));
}

pub(super) fn at(args: &WatchArgs, path: &str) -> anyhow::Result<Url> {
    let base = args.url.trim_end_matches('/');
    let url = Url::parse(&format!("{base}{path}"));
    url.with_context(|| format!("{} is no address", plain(&args.url)))
}

pub(super) fn address(
    args: &WatchArgs,
    what: &WatchTopic<'_>,
    since: Option<&str>,
) -> anyhow::Result<Url> {
    let (topics, order) = match what {
        WatchTopic::Topics(topics) => (topics.as_str(), args.order.as_deref()),
        WatchTopic::Order(id) => ("orders", Some(*id)),
        WatchTopic::Arb | WatchTopic::Price(..) => {
            let mut url = at(args, paths::ARB_STREAM)?;
            if let Some(usd) = args.min_net_usd {
                url.query_pairs_mut().append_pair("min_net_usd", &usd.to_string());
            }
            return Ok(url);
        }
    };
    let mut url = at(args, paths::STREAM)?;
    let partial = args.partial.then_some("1");
    let named = [
        ("topics", Some(topics)),
        ("chain", args.chain.as_deref()),
        ("address", args.address.as_deref()),
        ("topic0", args.topic0.as_deref()),
        ("topic1", args.topic1.as_deref()),
        ("topic2", args.topic2.as_deref()),
        ("topic3", args.topic3.as_deref()),
        ("finality", args.finality.as_deref()),
        ("tx", args.tx.as_deref()),
        ("order", order),
        ("partial", partial),
        ("since", since),
    ];
    for (name, value) in named {
        if let Some(value) = value {
            url.query_pairs_mut().append_pair(name, value);
        }
    }
    Ok(url)
}
