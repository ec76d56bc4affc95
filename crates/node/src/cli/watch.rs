//! `superroot watch`: live service events, line by line.

use std::io::{IsTerminal, Write};
use std::process::ExitCode;
use std::time::Duration;

use anyhow::{Context, bail};
use clap::Args;
use eventsource_stream::{Event, Eventsource};
use futures_util::StreamExt;
use reqwest::Url;
use serde_json::Value;

use super::style::{WARNING, plain};
use crate::stop;

mod line;
mod price;

use line::line;

/// Silence after which a connection is lost. The service sends a sign of life every ten seconds.
const SILENCE: Duration = Duration::from_secs(40);
/// Wait before a message about the silent service.
const NOTICE_AFTER: Duration = Duration::from_secs(10);
/// Pause between attempts, in milliseconds, doubled up to the maximum.
const PAUSE_MS: u64 = 500;
const PAUSE_MS_MAX: u64 = 30_000;
/// First poll for the end of an order; the interval doubles up to the maximum.
const LOOK: Duration = Duration::from_secs(5);
const LOOK_MAX: Duration = Duration::from_secs(60);

const EXAMPLES: &str = "Examples:
  superroot watch superroot finality
  superroot watch logs --chain ethereum --topic0 'Transfer(address,address,uint256)' --finality head
  superroot watch anchored --chain base --tx 0x5f1c... --count 1
  superroot watch launches --finality head
  superroot watch order across:42161:1142258
  superroot watch arb --min-net-usd 50
  superroot watch price ethereum WETH --every 5";

/// Arguments of `watch`.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct WatchArgs {
    /// Topics: superroot, anchored, finality, retraction, logs, orders, launches. Or alone: order ID, arb, price CHAIN
    /// TOKEN.
    #[arg(required = true, value_name = "TOPIC")]
    topics: Vec<String>,
    /// Service address.
    #[arg(
        long,
        env = "SUPERROOT_URL",
        default_value = "http://127.0.0.1:8080",
        value_name = "URL"
    )]
    url: String,
    /// API key of an account with tier builder or above.
    #[arg(long, env = "SUPERROOT_API_KEY", hide_env_values = true, value_name = "KEY")]
    api_key: Option<String>,
    /// Chains, separated by commas. Default: all.
    #[arg(long, value_name = "CHAINS")]
    chain: Option<String>,
    /// Event addresses; one must match.
    #[arg(long, value_name = "ADDRESSES")]
    address: Option<String>,
    /// First event topics, as hashes or signatures; one must match.
    #[arg(long, value_name = "TOPICS")]
    topic0: Option<String>,
    /// Second event topics, as hashes or signatures; one must match.
    #[arg(long, value_name = "TOPICS")]
    topic1: Option<String>,
    /// Third event topics, as hashes or signatures; one must match.
    #[arg(long, value_name = "TOPICS")]
    topic2: Option<String>,
    /// Fourth event topics, as hashes or signatures; one must match.
    #[arg(long, value_name = "TOPICS")]
    topic3: Option<String>,
    /// Finality at which events are shown: head, finalized or anchored.
    #[arg(long, value_name = "FINALITY")]
    finality: Option<String>,
    /// Wait until this transaction is anchored.
    #[arg(long, value_name = "HASH")]
    tx: Option<String>,
    /// For the topic orders: this order alone, by id.
    #[arg(long, value_name = "ID")]
    order: Option<String>,
    /// For arb: least net gain of a trade, in US dollars.
    #[arg(long, value_name = "USD")]
    min_net_usd: Option<u64>,
    /// For a price: seconds between two polls, each a request. A price is shown when changed.
    #[arg(long, value_name = "SECONDS", default_value_t = 5, value_parser = clap::value_parser!(u64).range(1..=3_600))]
    every: u64,
    /// Accept chains where only some matching events are watched.
    #[arg(long)]
    partial: bool,
    /// Continue after this cursor.
    #[arg(long, value_name = "CURSOR")]
    since: Option<String>,
    /// End after this many events. Connection messages (ready, gap, lagged, stale) do not count.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    count: Option<u64>,
    /// Write each event as a line of JSON: cursor, event, data.
    #[arg(long)]
    json: bool,
}

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
    let what = WatchTopic::read(args)?;
    let http = reqwest::Client::builder().read_timeout(SILENCE).build()?;
    let tells_blocks = matches!(&what, WatchTopic::Topics(topics) if topics.contains("finality"));
    let left = args.count;
    let cursor = args.since.clone();
    let mut shown = WatchOutput { json: args.json, left, tells_blocks, cursor };
    if let WatchTopic::Order(id) = what
        && args.since.is_none()
        && order_now((args, id), &http, &mut shown, out).await?
    {
        return Ok(ExitCode::SUCCESS);
    }
    if let WatchTopic::Price(chain, token) = what {
        return price::watch(args, (chain, token), &http, &mut shown, out).await;
    }
    let follow = follow((args, &what), &http, &mut shown, out);
    let WatchTopic::Order(id) = what else { return follow.await };
    let order = tokio::select! {
        followed = follow => return followed,
        order = over((args, id), &http) => order?,
    };
    shown.order(&order, out)?;
    Ok(ExitCode::SUCCESS)
}

/// Shows events, with reconnects, until complete.
async fn follow(
    (args, what): (&WatchArgs, &WatchTopic<'_>),
    http: &reqwest::Client,
    shown: &mut WatchOutput,
    out: &mut dyn Write,
) -> anyhow::Result<ExitCode> {
    let mut pause_ms = PAUSE_MS;
    loop {
        let before = shown.cursor.clone();
        let lost = match listen((args, what), http, shown, out).await? {
            WatchEnd::Enough => return Ok(ExitCode::SUCCESS),
            WatchEnd::Lost(why) => why,
        };
        if shown.cursor != before {
            pause_ms = PAUSE_MS;
        }
        say_lost(args, &lost);
        tokio::time::sleep(Duration::from_millis(pause_ms)).await;
        pause_ms = (pause_ms * 2).min(PAUSE_MS_MAX);
    }
}

/// Shows a known order's progress, and returns whether the order is over.
async fn order_now(
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
async fn over((args, id): (&WatchArgs, &str), http: &reqwest::Client) -> anyhow::Result<Value> {
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
async fn is_its_last(
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

/// Writes an answer as a JSON line, like an event without cursor.
fn write_json(out: &mut dyn Write, event: &str, data: &Value) -> std::io::Result<()> {
    writeln!(out, "{}", serde_json::json!({ "cursor": "", "event": event, "data": data }))
}

fn say_lost(args: &WatchArgs, why: &str) {
    if std::io::stderr().is_terminal() || !args.json {
        say!("{WARNING}lost{WARNING:#}  {}; trying again", plain(why));
    }
}

enum WatchTopic<'a> {
    /// Topics on `/v5/stream`.
    Topics(String),
    Order(&'a str),
    Arb,
    Price(&'a str, &'a str),
}

impl<'a> WatchTopic<'a> {
    fn read(args: &'a WatchArgs) -> anyhow::Result<Self> {
        let words: Vec<&str> = args.topics.iter().map(String::as_str).collect();
        let what = Self::of(&words)?;
        let of_arb = matches!(what, Self::Arb);
        let of_price = matches!(what, Self::Price(..));
        let is_alone = of_arb || of_price;
        let of_topics = [
            ("--chain", args.chain.is_some()),
            ("--address", args.address.is_some()),
            ("--topic0", args.topic0.is_some()),
            ("--topic1", args.topic1.is_some()),
            ("--topic2", args.topic2.is_some()),
            ("--topic3", args.topic3.is_some()),
            ("--finality", args.finality.is_some()),
            ("--tx", args.tx.is_some()),
            ("--order", args.order.is_some()),
            ("--partial", args.partial),
            ("--since", args.since.is_some()),
        ];
        if let Some((name, _)) = of_topics.iter().find(|(_, is_given)| is_alone && *is_given) {
            bail!("{name} does not go with {}", words[0]);
        }
        if args.min_net_usd.is_some() && !of_arb {
            bail!("--min-net-usd goes with arb alone");
        }
        Ok(what)
    }

    fn of(words: &[&'a str]) -> anyhow::Result<Self> {
        Ok(match *words {
            ["order", id] => Self::Order(id),
            ["arb"] => Self::Arb,
            ["price", chain, token] => Self::Price(chain, token),
            ["order", ..] => {
                bail!("order takes one id: superroot watch order across:42161:1142258")
            }
            ["price", ..] => {
                bail!("price takes a chain and a token: superroot watch price ethereum WETH")
            }
            _ if words.contains(&"arb") => bail!("arb is a stream of its own: superroot watch arb"),
            _ => Self::Topics(words.join(",")),
        })
    }
}

enum WatchEnd {
    /// All requested events shown.
    Enough,
    /// A retry is possible.
    Lost(String),
}

async fn listen(
    (args, what): (&WatchArgs, &WatchTopic<'_>),
    http: &reqwest::Client,
    shown: &mut WatchOutput,
    out: &mut dyn Write,
) -> anyhow::Result<WatchEnd> {
    let url = address(args, what, shown.cursor.as_deref())?;
    let response = match ask(args, http, url).await {
        Ok(response) => response,
        Err(error) => return Ok(WatchEnd::Lost(error.without_url().to_string())),
    };
    let status = response.status();
    if !status.is_success() {
        let problem = problem_of(response).await;
        return Ok(WatchEnd::Lost(format!("{status}: {}", refusal(status, &problem)?)));
    }
    let chunks = futures_util::stream::unfold(response, |mut response| async {
        let chunk = response.chunk().await.transpose()?;
        Some((chunk, response))
    });
    let mut events = Box::pin(chunks.eventsource());
    loop {
        match events.next().await {
            None => return Ok(WatchEnd::Lost("the service closed the stream".to_owned())),
            Some(Err(error)) => return Ok(WatchEnd::Lost(error.to_string())),
            Some(Ok(event)) => {
                if shown.show(&event, out)? {
                    return Ok(WatchEnd::Enough);
                }
                if let WatchTopic::Order(id) = what
                    && is_its_last((args, id), http, &event).await?
                {
                    return Ok(WatchEnd::Enough);
                }
            }
        }
    }
}

async fn ask(
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

async fn problem_of(response: reqwest::Response) -> Value {
    let body = response.bytes().await.unwrap_or_default();
    serde_json::from_slice(&body).unwrap_or_default()
}

/// Why a service refuses, if a retry is possible; an error otherwise.
fn refusal(status: reqwest::StatusCode, problem: &Value) -> anyhow::Result<String> {
    let detail = problem["detail"].as_str().unwrap_or("no reason was given");
    if problem["retryable"] == true {
        return Ok(detail.to_owned());
    }
    bail!("the service refuses ({}): {}", status.as_u16(), plain(detail));
}

fn at(args: &WatchArgs, path: &str) -> anyhow::Result<Url> {
    let base = args.url.trim_end_matches('/');
    let url = Url::parse(&format!("{base}{path}"));
    url.with_context(|| format!("{} is no address", plain(&args.url)))
}

fn address(args: &WatchArgs, what: &WatchTopic<'_>, since: Option<&str>) -> anyhow::Result<Url> {
    let (topics, order) = match what {
        WatchTopic::Topics(topics) => (topics.as_str(), args.order.as_deref()),
        WatchTopic::Order(id) => ("orders", Some(*id)),
        WatchTopic::Arb | WatchTopic::Price(..) => {
            let mut url = at(args, "/signals/arb/stream")?;
            if let Some(usd) = args.min_net_usd {
                url.query_pairs_mut().append_pair("min_net_usd", &usd.to_string());
            }
            return Ok(url);
        }
    };
    let mut url = at(args, "/v5/stream")?;
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

struct WatchOutput {
    json: bool,
    left: Option<u64>,
    tells_blocks: bool,
    cursor: Option<String>,
}

impl WatchOutput {
    /// Shows an event, and returns whether the requested count is reached.
    fn show(&mut self, event: &Event, out: &mut dyn Write) -> anyhow::Result<bool> {
        if !event.id.is_empty() {
            self.cursor = Some(event.id.clone());
        }
        let data: Value = serde_json::from_str(&event.data).unwrap_or_default();
        let of_connection = ["ready", "ended", "lagged", "stale", "gap"];
        // blocks that go are what is asked for only where it is blocks
        let is_own = match event.event.as_str() {
            "undone" => self.tells_blocks,
            name => !of_connection.contains(&name),
        };
        if self.json {
            let id = &event.id;
            let line = serde_json::json!({ "cursor": id, "event": event.event, "data": data });
            writeln!(out, "{line}")?;
        } else {
            writeln!(out, "{}", line(&event.event, &data))?;
        }
        out.flush()?;
        self.count(is_own)
    }

    /// Shows an order, and returns whether the requested count is reached.
    fn order(&mut self, order: &Value, out: &mut dyn Write) -> anyhow::Result<bool> {
        if self.json {
            write_json(out, "order", order)?;
        } else {
            writeln!(out, "{}", line("order", order))?;
        }
        out.flush()?;
        self.count(true)
    }

    /// Counts an event, and returns whether the requested count is reached.
    fn count(&mut self, is_own: bool) -> anyhow::Result<bool> {
        self.left = self.left.map(|left| left.saturating_sub(u64::from(is_own)));
        Ok(self.left == Some(0))
    }
}
