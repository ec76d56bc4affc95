//! `superroot watch`: live lines of what a service tells.

use std::collections::VecDeque;
use std::io::{IsTerminal, Write};
use std::process::ExitCode;
use std::time::Duration;

use anyhow::{Context, bail};
use clap::Args;
use eventsource_stream::{Event, Eventsource};
use futures_util::StreamExt;
use reqwest::Url;
use serde_json::Value;

use super::style::{BAD, FAINT, GOOD, HEADING, WARNING, plain, styled};
use crate::stop;

/// Time without a sign of life after which a connection counts as lost: the service gives one every ten
/// seconds.
const SILENCE: Duration = Duration::from_secs(40);
/// Pauses between attempts, in milliseconds: each twice the one before, up to the last.
const PAUSE_MS: u64 = 500;
const PAUSE_MS_MAX: u64 = 30_000;

const EXAMPLES: &str = "Examples:
  superroot watch superroot finality
  superroot watch logs --chain ethereum --topic0 'Transfer(address,address,uint256)' --finality head
  superroot watch anchored --chain base --tx 0x5f1c... --count 1
  superroot watch launches --finality head
  superroot watch orders --order across:42161:1142258";

/// Arguments of `watch`.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct WatchArgs {
    /// What to be told: superroot, anchored, finality, retraction, logs, orders, launches.
    #[arg(required = true, value_name = "TOPIC")]
    topics: Vec<String>,
    /// Address of the service.
    #[arg(
        long,
        env = "SUPERROOT_URL",
        default_value = "http://127.0.0.1:8080",
        value_name = "URL"
    )]
    url: String,
    /// Key of an account of tier builder or above.
    #[arg(long, env = "SUPERROOT_API_KEY", hide_env_values = true, value_name = "KEY")]
    api_key: Option<String>,
    /// Chains, with commas between; all if left out.
    #[arg(long, value_name = "CHAINS")]
    chain: Option<String>,
    /// Addresses of which an event has one.
    #[arg(long, value_name = "ADDRESSES")]
    address: Option<String>,
    /// First topics of which an event has one: hashes, or signatures.
    #[arg(long, value_name = "TOPICS")]
    topic0: Option<String>,
    /// The same of the second topic.
    #[arg(long, value_name = "TOPICS")]
    topic1: Option<String>,
    /// The same of the third topic.
    #[arg(long, value_name = "TOPICS")]
    topic2: Option<String>,
    /// The same of the fourth topic.
    #[arg(long, value_name = "TOPICS")]
    topic3: Option<String>,
    /// When an event is told: head, finalized or anchored.
    #[arg(long, value_name = "FINALITY")]
    finality: Option<String>,
    /// Waits for this transaction to be anchored.
    #[arg(long, value_name = "HASH")]
    tx: Option<String>,
    /// Of the topic orders: this order alone, by its id.
    #[arg(long, value_name = "ID")]
    order: Option<String>,
    /// Takes chains on which not all such events are watched.
    #[arg(long)]
    partial: bool,
    /// Goes on after this cursor.
    #[arg(long, value_name = "CURSOR")]
    since: Option<String>,
    /// Ends after so many events.
    #[arg(long, value_name = "N")]
    count: Option<u64>,
    /// Writes each event as a line of JSON: cursor, event, data.
    #[arg(long)]
    json: bool,
}

/// Shows events until it is stopped, or as many as were asked for.
pub(crate) async fn run(args: WatchArgs, out: &mut dyn Write) -> anyhow::Result<ExitCode> {
    tokio::select! {
        watched = watch(&args, out) => watched,
        stopped = stop::requested() => {
            stopped.context("cannot hear signals")?;
            Ok(ExitCode::SUCCESS)
        }
    }
}

async fn watch(args: &WatchArgs, out: &mut dyn Write) -> anyhow::Result<ExitCode> {
    let http = reqwest::Client::builder().read_timeout(SILENCE).build()?;
    let mut shown = Shown { json: args.json, left: args.count, cursor: args.since.clone() };
    let mut pause_ms = PAUSE_MS;
    loop {
        let before = shown.cursor.clone();
        let lost = match listen(args, &http, &mut shown, out).await? {
            Ended::Enough => return Ok(ExitCode::SUCCESS),
            Ended::Lost(why) => why,
        };
        if shown.cursor != before {
            pause_ms = PAUSE_MS;
        }
        if std::io::stderr().is_terminal() || !args.json {
            say!("{WARNING}lost{WARNING:#}  {}; trying again", plain(&lost));
        }
        tokio::time::sleep(Duration::from_millis(pause_ms)).await;
        pause_ms = (pause_ms * 2).min(PAUSE_MS_MAX);
    }
}

/// How a connection ended.
enum Ended {
    /// All that was asked for is shown.
    Enough,
    /// It can be tried again.
    Lost(String),
}

async fn listen(
    args: &WatchArgs,
    http: &reqwest::Client,
    shown: &mut Shown,
    out: &mut dyn Write,
) -> anyhow::Result<Ended> {
    let url = address(args, shown.cursor.as_deref())?;
    let mut request = http.get(url).header("accept", "text/event-stream");
    if let Some(key) = &args.api_key {
        request = request.header("x-api-key", key);
    }
    let response = match request.send().await {
        Ok(response) => response,
        Err(error) => return Ok(Ended::Lost(error.without_url().to_string())),
    };
    let status = response.status();
    if !status.is_success() {
        let body = response.bytes().await.unwrap_or_default();
        let problem: Value = serde_json::from_slice(&body).unwrap_or_default();
        let detail = problem["detail"].as_str().unwrap_or("no reason was given");
        if problem["retryable"] == true {
            return Ok(Ended::Lost(format!("{status}: {detail}")));
        }
        bail!("the service refuses ({}): {}", status.as_u16(), plain(detail));
    }
    let chunks = futures_util::stream::unfold(response, |mut response| async {
        let chunk = response.chunk().await.transpose()?;
        Some((chunk, response))
    });
    let mut events = Box::pin(chunks.eventsource());
    loop {
        match events.next().await {
            None => return Ok(Ended::Lost("the service closed the stream".to_owned())),
            Some(Err(error)) => return Ok(Ended::Lost(error.to_string())),
            Some(Ok(event)) => {
                if shown.show(&event, out)? {
                    return Ok(Ended::Enough);
                }
            }
        }
    }
}

fn address(args: &WatchArgs, since: Option<&str>) -> anyhow::Result<Url> {
    let base = args.url.trim_end_matches('/');
    let url = Url::parse(&format!("{base}/v5/stream"));
    let mut url = url.with_context(|| format!("{} is no address", plain(&args.url)))?;
    let topics = args.topics.join(",");
    let partial = args.partial.then_some("1");
    let named = [
        ("topics", Some(topics.as_str())),
        ("chain", args.chain.as_deref()),
        ("address", args.address.as_deref()),
        ("topic0", args.topic0.as_deref()),
        ("topic1", args.topic1.as_deref()),
        ("topic2", args.topic2.as_deref()),
        ("topic3", args.topic3.as_deref()),
        ("finality", args.finality.as_deref()),
        ("tx", args.tx.as_deref()),
        ("order", args.order.as_deref()),
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

/// What was shown so far.
struct Shown {
    json: bool,
    /// Events that are still to be shown.
    left: Option<u64>,
    /// Place of the last one.
    cursor: Option<String>,
}

impl Shown {
    /// Shows an event; says whether it was the last that was asked for.
    fn show(&mut self, event: &Event, out: &mut dyn Write) -> anyhow::Result<bool> {
        if !event.id.is_empty() {
            self.cursor = Some(event.id.clone());
        }
        let data: Value = serde_json::from_str(&event.data).unwrap_or_default();
        let is_own = !matches!(event.event.as_str(), "ready" | "ended" | "lagged");
        if self.json {
            let id = &event.id;
            let line = serde_json::json!({ "cursor": id, "event": event.event, "data": data });
            writeln!(out, "{line}")?;
        } else {
            writeln!(out, "{}", line(&event.event, &data))?;
        }
        out.flush()?;
        self.left = self.left.map(|left| left.saturating_sub(u64::from(is_own)));
        Ok(self.left == Some(0))
    }
}

/// An event as a line for people.
fn line(name: &str, data: &Value) -> String {
    let text = |member: &str| match &data[member] {
        Value::String(text) => plain(text),
        Value::Null => String::new(),
        other => plain(&other.to_string()),
    };
    let blocks = || {
        let (from, to) = (text("fromBlock"), text("toBlock"));
        let numbers = if from == to { from } else { format!("{from} to {to}") };
        format!("chain {:<10} block {numbers}", text("chainId"))
    };
    let (style, rest) = match name {
        "superroot" => (GOOD, format!("sequence {} {}", text("sequence"), text("superRootHash"))),
        "anchored" => {
            let transaction = text("transactionHash");
            let what = if transaction.is_empty() {
                String::new()
            } else {
                format!(" transaction {transaction}")
            };
            (GOOD, format!("{} in SuperRoot {}{what}", blocks(), text("sequence")))
        }
        "finality" => (HEADING, format!("{} {}", blocks(), text("finality"))),
        "undone" | "retraction" => (BAD, blocks()),
        "logs" => {
            let topic = data["topics"][0].as_str().unwrap_or("no topic");
            let mut words = VecDeque::from([
                format!("chain {:<10} block {}", text("chainId"), text("blockNumber")),
                format!("{}/{}", text("transactionIndex"), text("logIndex")),
                text("address"),
                plain(topic),
                text("finality"),
            ]);
            if data["isLate"] == true {
                words.push_back("late".to_owned());
            }
            (HEADING, Vec::from(words).join(" "))
        }
        "token_launch" | "updated" => {
            let style = if name == "updated" { BAD } else { GOOD };
            let words = [
                format!("chain {:<10} block {}", text("chainId"), text("block")),
                text("symbol"),
                format!("{} USD on {}", text("liquidityUSD"), text("protocol")),
                text("token"),
                format!("proof {}", text("proofHash")),
            ];
            (style, words.join(" "))
        }
        "orders" => {
            let words = [
                format!("chain {:<10} block {}", text("chainId"), text("blockNumber")),
                text("step"),
                text("orderId"),
                text("protocol"),
                text("finality"),
            ];
            (HEADING, words.join(" "))
        }
        "gap" | "stale" | "lagged" | "ended" => (WARNING, text("why")),
        "ready" => (FAINT, format!("from {}", text("cursor"))),
        _ => (FAINT, plain(&data.to_string())),
    };
    format!("{} {rest}", styled(style, format_args!("{:<10}", plain(name))))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn what_a_service_sends_reaches_the_terminal_as_plain_text() {
        let data =
            json!({ "chainId": 1, "fromBlock": 7, "toBlock": 9, "finality": "\u{1b}[2Jhead" });
        let shown = line("finality", &data);
        assert!(shown.contains("chain 1          block 7 to 9"), "{shown}");
        assert!(!shown.contains("\u{1b}[2J"), "{shown}");
        assert!(!line("\u{1b}[2J", &json!({})).contains("\u{1b}[2J"));
    }
}
