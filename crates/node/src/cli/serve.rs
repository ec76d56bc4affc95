//! `serve`, `demo`, `replay`: what runs until it is stopped.

use std::num::NonZeroUsize;
use std::path::PathBuf;

use anyhow::Context;
use clap::Args;
use superroot_api::ChainStatus;
use toml::Value;

mod commands;
mod demo;
mod live;
mod recorded;

use super::style::{GOOD, HEADING, WARNING};
use crate::config::{Config, environment};
use crate::limits;
use crate::listen::ListenAddress;
use crate::live::WatchFlag;
use crate::run::Service;
use crate::stop;

/// Flags that `serve` and `demo` share.
#[derive(Debug, Args)]
struct ServiceArgs {
    /// Address of the HTTP service, such as localhost:8080, or :8080 for all addresses; port 0 takes a free one.
    #[arg(long, value_name = "ADDR")]
    listen: Option<ListenAddress>,
    /// Configuration file; `config/default.toml` shows every key.
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,
    /// Address of /metrics.
    #[arg(long, value_name = "ADDR")]
    metrics_listen: Option<ListenAddress>,
    /// Lets rows and rules of --chains enter a log that stands already. They stay in it for good.
    #[arg(long)]
    append_rows: bool,
    /// Goes on with the accounts that are in the folder, though they are not those it had; new ones where
    /// there are none.
    #[arg(long)]
    accept_accounts: bool,
}

/// Arguments of `serve`.
#[derive(Debug, Args)]
pub(crate) struct ServeArgs {
    #[command(flatten)]
    service: ServiceArgs,
    /// Folder of the data; made if it is not there.
    #[arg(long, value_name = "DIR", default_value = "superroot-data")]
    data: PathBuf,
    /// Follows live chains through their nodes; what happens without --replay.
    #[arg(long, conflicts_with = "replay")]
    live: bool,
    /// File of the nodes to ask, in place of the built-in list (config/endpoints.toml shows its form).
    #[arg(long, value_name = "FILE", conflicts_with = "replay")]
    endpoints: Option<PathBuf>,
    /// What to keep beyond headers: all, none, an address, a topic, or prices, launches, orders or market for
    /// the topics of these; CHAIN=WHAT for one chain alone. May be given several times.
    #[arg(long, value_name = "[CHAIN=]WHAT", conflicts_with = "replay")]
    watch: Vec<WatchFlag>,
    /// Folder of recorded blocks to serve. May be given several times.
    #[arg(long, value_name = "DIR")]
    replay: Vec<PathBuf>,
    /// Only these chains, by id or name, with spaces or commas between; all that can be had otherwise.
    #[arg(long, value_name = "ID", num_args = 1..)]
    chain: Vec<String>,
}

/// Arguments of `demo`.
#[derive(Debug, Args)]
pub(crate) struct DemoArgs {
    #[command(flatten)]
    service: ServiceArgs,
    /// Folder of the data, kept; a temporary one otherwise.
    #[arg(long, value_name = "DIR")]
    data: Option<PathBuf>,
    /// Everything on the demo's chains follows from it, and the log's name; a new one otherwise.
    #[arg(long, value_name = "N")]
    seed: Option<u64>,
    /// No reorganisations.
    #[arg(long)]
    no_reorg: bool,
}

/// Arguments of `replay`.
#[derive(Debug, Args)]
pub(crate) struct ReplayArgs {
    /// Folder of recorded blocks: an index.json, and the files it names.
    folder: PathBuf,
    /// Address of the JSON-RPC node; port 0 takes a free one.
    #[arg(long, value_name = "ADDR", default_value = "127.0.0.1:8545")]
    listen: ListenAddress,
    /// Let so many blocks of each chain be there now, and one more after each of its block times: nodes
    /// that can be followed. Without it all are there at once.
    #[arg(long, value_name = "BLOCKS")]
    paced: Option<NonZeroUsize>,
}

pub(crate) use demo::run as demo;
pub(crate) use recorded::replay;

impl ServiceArgs {
    fn load(&self, more: Vec<(&str, Value)>) -> anyhow::Result<Config> {
        self.load_over(&[], more)
    }

    fn load_over(
        &self,
        defaults: &[(&str, Value)],
        more: Vec<(&str, Value)>,
    ) -> anyhow::Result<Config> {
        let mut flags = more;
        if let Some(listen) = self.listen {
            flags.push(("server.listen", Value::String(listen.to_string())));
        }
        if let Some(listen) = self.metrics_listen {
            flags.push(("server.metrics_listen", Value::String(listen.to_string())));
        }
        Config::load_over(defaults, self.config.as_deref(), environment(), &flags)
    }
}

pub(crate) async fn serve(args: ServeArgs) -> anyhow::Result<()> {
    limits::keep_private();
    let started = if args.replay.is_empty() {
        unless_stopped(live::start(args)).await?
    } else {
        unless_stopped(recorded::start(args)).await?
    };
    match started {
        Some(service) => service.until_stopped().await,
        None => Ok(()),
    }
}

/// The service, once it is ready; `None` when the process is asked to stop before that. What is
/// left behind then is what a crash leaves: the store is made for it.
async fn unless_stopped(
    start: impl Future<Output = anyhow::Result<Service>>,
) -> anyhow::Result<Option<Service>> {
    tokio::select! {
        started = start => started.map(Some),
        stopped = stop::requested() => {
            stopped.context("cannot listen for signals")?;
            say!("stopped before it was ready");
            Ok(None)
        }
    }
}

fn print_ready(service: &Service) {
    let network = service.prover.network();
    put!();
    put!("{GOOD}ready{GOOD:#}  {HEADING}{}{HEADING:#}", service.url);
    put!("  network   {WARNING}{network}{WARNING:#} (log {})", service.prover.origin());
    for key in service.prover.keys() {
        put!("  key       {key}");
    }
    if let Some(latest) = service.prover.latest() {
        let sequence = latest.super_root.sequence;
        put!("  SuperRoot {sequence}, {}", latest.hash);
    }
    put!("  routes    {}/docs", service.url);
    put!();
    tell_publishing(service);
}

/// Says why nothing is published, where that is so.
fn tell_publishing(service: &Service) {
    let publishing = service.status.publishing();
    if let Some(why) = publishing.in_full() {
        say!("{WARNING}publishing {}{WARNING:#}  {why}", publishing.name());
    }
}
