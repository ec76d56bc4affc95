//! `superroot watch`: live service events, line by line.

use std::io::Write;
use std::process::ExitCode;
use std::time::Duration;

use anyhow::Context;
use eventsource_stream::Eventsource;
use futures_util::StreamExt;

use crate::stop;

mod args;
mod line;
mod order;
mod output;
mod price;
mod request;
mod topic;

pub(crate) use args::WatchArgs;
use order::{is_its_last, order_now, over};
use output::{WatchOutput, say_lost};
use request::{SILENCE, address, ask, problem_of, refusal};
use topic::WatchTopic;

/// Pause between attempts, in milliseconds, doubled up to the maximum.
const PAUSE_MS: u64 = 500;
const PAUSE_MS_MAX: u64 = 30_000;

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
