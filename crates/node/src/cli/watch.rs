//! `superroot watch`: live lines of what a service tells.

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

/// Time without a sign of life after which a connection counts as lost: the service gives one every ten
/// seconds.
const SILENCE: Duration = Duration::from_secs(40);
/// Time after which it is said that the service is waited for.
const NOTICE_AFTER: Duration = Duration::from_secs(10);
/// Pauses between attempts, in milliseconds: each twice the one before, up to the last.
const PAUSE_MS: u64 = 500;
const PAUSE_MS_MAX: u64 = 30_000;
/// Time until the first look whether an order is over; each next one comes after twice as long, up to the last.
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
    /// What to be told: superroot, anchored, finality, retraction, logs, orders, launches. Or alone: order ID,
    /// arb, price CHAIN TOKEN.
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
    /// Of arb: what a trade has to bring at least, in US dollars.
    #[arg(long, value_name = "USD")]
    min_net_usd: Option<u64>,
    /// Of a price: seconds between two questions, each of which is a request. It is shown when it has changed.
    #[arg(long, value_name = "SECONDS", default_value_t = 5, value_parser = clap::value_parser!(u64).range(1..=3_600))]
    every: u64,
    /// Takes chains on which not all such events are watched.
    #[arg(long)]
    partial: bool,
    /// Goes on after this cursor.
    #[arg(long, value_name = "CURSOR")]
    since: Option<String>,
    /// Ends after so many events. What is said of the connection (ready, gap, lagged, stale) is none of them.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
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
    let what = What::read(args)?;
    let http = reqwest::Client::builder().read_timeout(SILENCE).build()?;
    let tells_blocks = matches!(&what, What::Topics(topics) if topics.contains("finality"));
    let (left, cursor) = (args.count, args.since.clone());
    let mut shown = Shown { json: args.json, left, tells_blocks, cursor };
    if let What::Order(id) = what
        && args.since.is_none()
        && order_now((args, id), &http, &mut shown, out).await?
    {
        return Ok(ExitCode::SUCCESS);
    }
    if let What::Price(chain, token) = what {
        return price::watch(args, (chain, token), &http, &mut shown, out).await;
    }
    let follow = follow((args, &what), &http, &mut shown, out);
    let What::Order(id) = what else { return follow.await };
    let order = tokio::select! {
        followed = follow => return followed,
        order = over((args, id), &http) => order?,
    };
    shown.order(&order, out)?;
    Ok(ExitCode::SUCCESS)
}

/// Shows events, over one connection after another, until all that was asked for is shown.
async fn follow(
    (args, what): (&WatchArgs, &What<'_>),
    http: &reqwest::Client,
    shown: &mut Shown,
    out: &mut dyn Write,
) -> anyhow::Result<ExitCode> {
    let mut pause_ms = PAUSE_MS;
    loop {
        let before = shown.cursor.clone();
        let lost = match listen((args, what), http, shown, out).await? {
            Ended::Enough => return Ok(ExitCode::SUCCESS),
            Ended::Lost(why) => why,
        };
        if shown.cursor != before {
            pause_ms = PAUSE_MS;
        }
        say_lost(args, &lost);
        tokio::time::sleep(Duration::from_millis(pause_ms)).await;
        pause_ms = (pause_ms * 2).min(PAUSE_MS_MAX);
    }
}

/// Shows how far an order has come, if it was seen; says whether nothing more comes.
async fn order_now(
    (args, id): (&WatchArgs, &str),
    http: &reqwest::Client,
    shown: &mut Shown,
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

/// Looks now and then whether an order is over in a way that its own events do not tell: that it expired follows from
/// none, and some refunds name no order. Gives it as it is then.
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

/// Whether an order has expired, which is said then, and where a refund would show.
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

/// How far an order has come, as the service says.
async fn ask_order(
    (args, id): (&WatchArgs, &str),
    http: &reqwest::Client,
) -> anyhow::Result<reqwest::Result<(reqwest::StatusCode, Value)>> {
    Ok(match ask(args, http, order_url(args, id)?).await {
        Ok(response) => Ok((response.status(), problem_of(response).await)),
        Err(error) => Err(error),
    })
}

/// Whether nothing more comes of an order after that event.
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

/// An answer as a line of JSON, like an event without a cursor.
fn write_json(out: &mut dyn Write, event: &str, data: &Value) -> std::io::Result<()> {
    writeln!(out, "{}", serde_json::json!({ "cursor": "", "event": event, "data": data }))
}

fn say_lost(args: &WatchArgs, why: &str) {
    if std::io::stderr().is_terminal() || !args.json {
        say!("{WARNING}lost{WARNING:#}  {}; trying again", plain(why));
    }
}

/// What is watched.
enum What<'a> {
    /// Topics of `/v5/stream`.
    Topics(String),
    /// One order.
    Order(&'a str),
    /// Differences of prices.
    Arb,
    /// The price of a token of a chain.
    Price(&'a str, &'a str),
}

impl<'a> What<'a> {
    fn read(args: &'a WatchArgs) -> anyhow::Result<Self> {
        let words: Vec<&str> = args.topics.iter().map(String::as_str).collect();
        let what = Self::of(&words)?;
        let (of_arb, of_price) = (matches!(what, Self::Arb), matches!(what, Self::Price(..)));
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

/// How a connection ended.
enum Ended {
    /// All that was asked for is shown.
    Enough,
    /// It can be tried again.
    Lost(String),
}

async fn listen(
    (args, what): (&WatchArgs, &What<'_>),
    http: &reqwest::Client,
    shown: &mut Shown,
    out: &mut dyn Write,
) -> anyhow::Result<Ended> {
    let url = address(args, what, shown.cursor.as_deref())?;
    let response = match ask(args, http, url).await {
        Ok(response) => response,
        Err(error) => return Ok(Ended::Lost(error.without_url().to_string())),
    };
    let status = response.status();
    if !status.is_success() {
        let problem = problem_of(response).await;
        return Ok(Ended::Lost(format!("{status}: {}", refusal(status, &problem)?)));
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
                if let What::Order(id) = what
                    && is_its_last((args, id), http, &event).await?
                {
                    return Ok(Ended::Enough);
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
    let (url, seconds) = (plain(&args.url), SILENCE.as_secs());
    say!("waiting for {url}; silence of {seconds} s counts as a lost connection");
    answer.await
}

async fn problem_of(response: reqwest::Response) -> Value {
    let body = response.bytes().await.unwrap_or_default();
    serde_json::from_slice(&body).unwrap_or_default()
}

/// Why a service refuses, where it may be asked again; an error where it may not.
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

fn address(args: &WatchArgs, what: &What<'_>, since: Option<&str>) -> anyhow::Result<Url> {
    let (topics, order) = match what {
        What::Topics(topics) => (topics.as_str(), args.order.as_deref()),
        What::Order(id) => ("orders", Some(*id)),
        What::Arb | What::Price(..) => {
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

/// What was shown so far.
struct Shown {
    json: bool,
    /// Events that are still to be shown.
    left: Option<u64>,
    /// Whether blocks themselves are watched.
    tells_blocks: bool,
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

    /// Shows how far an order has come; says whether that was the last that was asked for.
    fn order(&mut self, order: &Value, out: &mut dyn Write) -> anyhow::Result<bool> {
        if self.json {
            write_json(out, "order", order)?;
        } else {
            writeln!(out, "{}", line("order", order))?;
        }
        out.flush()?;
        self.count(true)
    }

    /// Counts an event; says whether it was the last that was asked for.
    fn count(&mut self, is_own: bool) -> anyhow::Result<bool> {
        self.left = self.left.map(|left| left.saturating_sub(u64::from(is_own)));
        Ok(self.left == Some(0))
    }
}
