//! `serve`, `demo`, `replay`: commands that run until stopped.

use std::num::NonZeroUsize;
use std::path::PathBuf;

use anyhow::Context;
use clap::Args;
use superroot_api::StatusReader;
use toml::Value;

mod commands;
mod demo;
mod live;
mod recorded;

use super::style::{GOOD, HEADING, WARNING};
use crate::config::{ServiceConfig, environment};
use crate::limits;
use crate::listen::ListenAddress;
use crate::live::WatchFlag;
use crate::run::RunningStages;
use crate::stop;

/// Flags shared by `serve` and `demo`.
#[derive(Debug, Args)]
struct ServiceArgs {
    /// HTTP service address, such as localhost:8080, or :8080 for all addresses; port 0 selects a free port.
    #[arg(long, value_name = "ADDR")]
    listen: Option<ListenAddress>,
    /// Configuration file; `config/default.toml` shows every key.
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,
    /// Address of /metrics.
    #[arg(long, value_name = "ADDR")]
    metrics_listen: Option<ListenAddress>,
    /// Allow rows and rules from --chains to enter an existing log. They stay in the log for good.
    #[arg(long)]
    append_rows: bool,
    /// Start even if the accounts database does not match this data folder (creates one if missing).
    #[arg(long)]
    accept_accounts: bool,
}

/// Arguments of `serve`.
#[derive(Debug, Args)]
pub(crate) struct ServeArgs {
    #[command(flatten)]
    service: ServiceArgs,
    /// Data folder; created if missing.
    #[arg(long, value_name = "DIR", default_value = "superroot-data")]
    data: PathBuf,
    /// Follow live chains through their nodes. Default without --replay.
    #[arg(long, conflicts_with = "replay")]
    live: bool,
    /// Node list, instead of the built-in list (config/endpoints.toml shows the form).
    #[arg(long, value_name = "FILE", conflicts_with = "replay")]
    endpoints: Option<PathBuf>,
    /// Data to store beyond headers: all, none, an address, a topic, or prices, launches, orders or market for the
    /// respective topics; CHAIN=WHAT for one chain alone. May be repeated.
    #[arg(long, value_name = "[CHAIN=]WHAT", conflicts_with = "replay")]
    watch: Vec<WatchFlag>,
    /// Folder of recorded blocks to serve. May be repeated.
    #[arg(long, value_name = "DIR")]
    replay: Vec<PathBuf>,
    /// Only these chains, by id or name, separated by spaces or commas. Default: all available chains.
    #[arg(long, value_name = "ID", num_args = 1..)]
    chain: Vec<String>,
}

/// Arguments of `demo`.
#[derive(Debug, Args)]
pub(crate) struct DemoArgs {
    #[command(flatten)]
    service: ServiceArgs,
    /// Persistent data folder. Default: a temporary one.
    #[arg(long, value_name = "DIR")]
    data: Option<PathBuf>,
    /// Seed for the demo's chains and log name. Default: a new seed.
    #[arg(long, value_name = "N")]
    seed: Option<u64>,
    /// Disable reorganisations.
    #[arg(long)]
    no_reorg: bool,
    /// Also run an EVM chain in this process (id 84532, JSON-RPC under /rpc/84532) with the contracts: payments, anchored
    /// SuperRoots, usage checkpoints.
    #[arg(long)]
    contracts: bool,
}

/// Arguments of `replay`.
#[derive(Debug, Args)]
pub(crate) struct ReplayArgs {
    /// Folder of recorded blocks: an index.json, and the files named there.
    folder: PathBuf,
    /// Address of the JSON-RPC node; port 0 selects a free port.
    #[arg(long, value_name = "ADDR", default_value = "127.0.0.1:8545")]
    listen: ListenAddress,
    /// Initial blocks per chain, plus one more after each block time, so that the node can be followed. Default: all
    /// blocks at once.
    #[arg(long, value_name = "BLOCKS")]
    paced: Option<NonZeroUsize>,
}

pub(crate) use demo::run as demo;
pub(crate) use recorded::replay;

impl ServiceArgs {
    fn load(&self, more: Vec<(&str, Value)>) -> anyhow::Result<ServiceConfig> {
        self.load_over(&[], more)
    }

    fn load_over(
        &self,
        defaults: &[(&str, Value)],
        more: Vec<(&str, Value)>,
    ) -> anyhow::Result<ServiceConfig> {
        let mut flags = more;
        if let Some(listen) = self.listen {
            flags.push(("server.listen", Value::String(listen.to_string())));
        }
        if let Some(listen) = self.metrics_listen {
            flags.push(("server.metrics_listen", Value::String(listen.to_string())));
        }
        ServiceConfig::load_over(defaults, self.config.as_deref(), environment(), &flags)
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

/// Ready service; `None` if stopped before. A stop leaves the same files as a crash, for which the store is made.
async fn unless_stopped(
    start: impl Future<Output = anyhow::Result<RunningStages>>,
) -> anyhow::Result<Option<RunningStages>> {
    tokio::select! {
        started = start => started.map(Some),
        stopped = stop::requested() => {
            stopped.context("cannot listen for signals")?;
            say!("stopped before it was ready");
            Ok(None)
        }
    }
}

fn print_ready(service: &RunningStages) {
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

fn tell_publishing(service: &RunningStages) {
    let publishing = service.status.publishing();
    if let Some(why) = publishing.in_full() {
        say!("{WARNING}publishing {}{WARNING:#}  {why}", publishing.name());
    }
}
