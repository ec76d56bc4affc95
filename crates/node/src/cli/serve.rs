//! `serve`, `demo`, `replay`: what runs until it is stopped.

use std::net::SocketAddr;
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;

use anyhow::{Context, bail};
use clap::Args;
use indicatif::{ProgressBar, ProgressStyle};
use superroot_accumulate::prove::Prover;
use superroot_chain::{ChainRow, Registry, Status};
use superroot_source::{JoinedSource, Recordings, ReplayServer, ReplayedSource, Source};
use superroot_types::ChainKey;
use toml::Value;

mod commands;

use super::style::{FAINT, GOOD, HEADING, WARNING};
use super::{block_on, fail};
use crate::config::{Config, environment};
use crate::demo::DemoState;
use crate::run::{Plan, Service, anchored_blocks, start, stop_signal};

/// Flags that `serve` and `demo` share.
#[derive(Debug, Args)]
struct ServiceArgs {
    /// Address of the HTTP service; port 0 takes a free one.
    #[arg(long, value_name = "ADDR")]
    listen: Option<SocketAddr>,
    /// Configuration file; `config/default.toml` shows every key.
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,
    /// Address of /metrics.
    #[arg(long, value_name = "ADDR")]
    metrics_listen: Option<SocketAddr>,
}

/// Arguments of `serve`.
#[derive(Debug, Args)]
pub(crate) struct ServeArgs {
    #[command(flatten)]
    service: ServiceArgs,
    /// Folder of the data; made if it is not there.
    #[arg(long, value_name = "DIR", default_value = "superroot-data")]
    data: PathBuf,
    /// Folder of recorded blocks to serve; may be given several times.
    #[arg(long, value_name = "DIR")]
    replay: Vec<PathBuf>,
    /// Only these chains, by id or name; all that can be had otherwise.
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
    /// Everything on the demo's chains follows from it.
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,
    /// No reorganisations.
    #[arg(long)]
    no_reorg: bool,
}

/// Arguments of `replay`.
#[derive(Debug, Args)]
pub(crate) struct ReplayArgs {
    /// Folder of recorded blocks: an index.json and files, or files alone.
    folder: PathBuf,
    /// Address of the JSON-RPC node; port 0 takes a free one.
    #[arg(long, value_name = "ADDR", default_value = "127.0.0.1:8545")]
    listen: SocketAddr,
}

pub(crate) fn serve(args: ServeArgs) -> ExitCode {
    block_on(async { done(run_serve(args).await) })
}

pub(crate) fn demo(args: DemoArgs) -> ExitCode {
    block_on(async { done(run_demo(args).await) })
}

pub(crate) fn replay(args: ReplayArgs) -> ExitCode {
    block_on(async { done(run_replay(args).await) })
}

fn done(result: anyhow::Result<()>) -> ExitCode {
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => fail(&format!("{error:#}")),
    }
}

impl ServiceArgs {
    fn load(&self) -> anyhow::Result<Config> {
        let mut flags = Vec::new();
        if let Some(listen) = self.listen {
            flags.push(("server.listen", Value::String(listen.to_string())));
        }
        if let Some(listen) = self.metrics_listen {
            flags.push(("server.metrics_listen", Value::String(listen.to_string())));
        }
        Config::load(self.config.as_deref(), environment(), &flags)
    }
}

async fn run_serve(args: ServeArgs) -> anyhow::Result<()> {
    match unless_stopped(start_serve(args)).await? {
        Some(service) => service.until_stopped().await,
        None => Ok(()),
    }
}

/// Starts the service and waits until it is ready.
async fn start_serve(args: ServeArgs) -> anyhow::Result<Service> {
    let config = args.service.load()?;
    let mut chains: Vec<(ChainRow, Arc<dyn Source>)> = Vec::new();
    for folder in &args.replay {
        for (row, source) in recorded(folder.clone()).await? {
            add(&mut chains, row, source)?;
        }
    }
    for endpoint in &config.endpoints {
        let row = Registry::builtin()
            .find(&endpoint.chain)
            .with_context(|| format!("endpoint of an unknown chain {:?}", endpoint.chain))?;
        let source = ReplayedSource::connect(&endpoint.url, row, config.source).await?;
        add(&mut chains, row.clone(), Arc::new(source))?;
    }
    let wanted = chosen(&args.chain)?;
    chains.retain(|(row, _)| wanted.is_empty() || wanted.contains(&row.key()));
    if chains.is_empty() {
        bail!(
            "there is no chain to serve: give --replay DIR (recorded blocks) or an [[endpoint]] of \
             a replay server; following live nodes is not built yet, and `superroot demo` needs \
             neither"
        );
    }
    let origin = match config.log.origin.as_str() {
        "" => "recorded/local".to_owned(),
        origin if origin.starts_with("recorded/") => origin.to_owned(),
        origin => bail!("log.origin is {origin:?}: a log of recordings begins with recorded/"),
    };
    eprintln!("collecting {} recorded chains into {}", chains.len(), args.data.display());
    let rows: Vec<_> = chains.iter().map(|(row, _)| row.clone()).collect();
    let mut service = start(Plan { config, data: args.data, origin, chains }).await?;
    eprintln!("listening on {}", service.url);
    let bar = ProgressBar::new_spinner().with_style(
        ProgressStyle::with_template("{spinner} {msg}")
            .unwrap_or_else(|_| ProgressStyle::default_spinner()),
    );
    let showing = |prover: &Prover| {
        let held = |row: &ChainRow| anchored_blocks(prover.store(), row.key());
        let blocks: u64 = rows.iter().map(held).sum();
        bar.set_message(format!("{blocks} blocks collected"));
        bar.tick();
    };
    service.ready(showing).await?;
    bar.finish_and_clear();
    for row in rows {
        let blocks = anchored_blocks(service.prover.store(), row.key());
        let view = superroot_api::ChainStatus::status(&*service.status, row.key());
        anstream::eprintln!("  {HEADING}{}{HEADING:#}: {blocks} blocks anchored", row.name);
        for left_out in &view.left_out {
            anstream::eprintln!(
                "    {WARNING}left out{WARNING:#} {}: {}",
                left_out.number,
                left_out.reason
            );
        }
    }
    print_ready(&service);
    Ok(service)
}

/// The service, once it is ready; `None` when the process is asked to stop before that. What is
/// left behind then is what a crash leaves: the store is made for it.
async fn unless_stopped(
    start: impl Future<Output = anyhow::Result<Service>>,
) -> anyhow::Result<Option<Service>> {
    tokio::select! {
        started = start => started.map(Some),
        stopped = stop_signal() => {
            stopped.context("cannot listen for signals")?;
            eprintln!("stopped before it was ready");
            Ok(None)
        }
    }
}

/// Adds a source of a chain; recordings of one chain are joined.
fn add(
    chains: &mut Vec<(ChainRow, Arc<dyn Source>)>,
    row: ChainRow,
    source: Arc<dyn Source>,
) -> anyhow::Result<()> {
    let Some(held) = chains.iter_mut().find(|(other, _)| other.key() == row.key()) else {
        chains.push((row, source));
        return Ok(());
    };
    let joined = JoinedSource::of(vec![held.1.clone(), source]);
    held.1 = Arc::new(joined.with_context(|| {
        format!("chain {} has two sources that are not both recordings", row.name)
    })?);
    Ok(())
}

fn chosen(names: &[String]) -> anyhow::Result<Vec<ChainKey>> {
    let find = |name: &String| {
        let row = Registry::builtin().find(name);
        row.map(ChainRow::key).with_context(|| format!("--chain {name}: no such chain"))
    };
    names.iter().map(find).collect()
}

/// The collected chains of a folder as sources; what is left out is told.
async fn recorded(folder: PathBuf) -> anyhow::Result<Vec<(ChainRow, Arc<dyn Source>)>> {
    let recordings = open_recordings(folder).await?;
    let mut chains: Vec<(ChainRow, Arc<dyn Source>)> = Vec::new();
    for recorded in recordings.chains() {
        let row = Registry::builtin().by_key(recorded.chain).map(|(_, row)| row);
        let Some(row) = row else { continue };
        if row.status != Status::Collected {
            let count = recorded.block_count;
            anstream::eprintln!("  {FAINT}left out{FAINT:#} {}: {count} blocks, planned", row.name);
            continue;
        }
        chains.push((row.clone(), Arc::new(recordings.source(recorded.chain)?)));
    }
    Ok(chains)
}

async fn open_recordings(folder: PathBuf) -> anyhow::Result<Arc<Recordings>> {
    let shown = folder.display().to_string();
    let opened = tokio::task::spawn_blocking(move || Recordings::open(&folder)).await?;
    let recordings = Arc::new(opened.with_context(|| format!("cannot read recordings {shown}"))?);
    for one in recordings.left_out() {
        let (id, network, count, why) = (one.chain_id, &one.network, one.block_count, one.why);
        anstream::eprintln!("  {FAINT}left out{FAINT:#} {network} ({id}): {count} blocks, {why}");
    }
    for one in recordings.duplicates() {
        anstream::eprintln!(
            "  {FAINT}left out{FAINT:#} {}: {} has that block",
            one.left_out,
            one.used
        );
    }
    for one in recordings.unreadable() {
        anstream::eprintln!("  {WARNING}unreadable{WARNING:#} {}: {}", one.file, one.why);
    }
    Ok(recordings)
}

async fn run_replay(args: ReplayArgs) -> anyhow::Result<()> {
    let recordings = open_recordings(args.folder).await?;
    let server = ReplayServer::bind(args.listen, recordings.clone()).await?;
    let url = format!("http://{}", server.address());
    for recorded in recordings.chains() {
        let ChainKey { id, .. } = recorded.chain;
        let (count, first, last) = (recorded.block_count, recorded.first, recorded.tip.number);
        anstream::println!("{url}/{id}  {count} blocks, {first} to {last}");
    }
    anstream::println!("{GOOD}ready{GOOD:#}: JSON-RPC on {url}/<chain id>, a list on {url}/");
    server
        .run(async {
            let _ = tokio::signal::ctrl_c().await;
        })
        .await?;
    Ok(())
}

async fn run_demo(args: DemoArgs) -> anyhow::Result<()> {
    let (data, _temporary) = match args.data.clone() {
        Some(data) => (data, None),
        None => {
            let folder = Temporary::new()?;
            (folder.0.clone(), Some(folder))
        }
    };
    match unless_stopped(start_demo(args, data)).await? {
        Some(service) => service.until_stopped().await,
        None => Ok(()),
    }
}

/// Starts the demo and waits until it is ready.
async fn start_demo(args: DemoArgs, data: PathBuf) -> anyhow::Result<Service> {
    let config = args.service.load()?;
    let state = DemoState::open(&data, args.seed, !args.no_reorg)?;
    let chains = state.chains()?;
    let mut service = start(Plan { config, data, origin: state.origin(), chains }).await?;
    eprintln!("making three chains of seed {} ...", args.seed);
    service.ready(|_| ()).await?;
    print_ready(&service);
    commands::print_commands(&service).await?;
    Ok(service)
}

/// A folder that goes when the demo ends.
struct Temporary(PathBuf);

impl Temporary {
    fn new() -> anyhow::Result<Self> {
        let name = format!("superroot-demo-{}-{:08x}", std::process::id(), rand::random::<u32>());
        let folder = std::env::temp_dir().join(name);
        std::fs::create_dir(&folder)
            .with_context(|| format!("cannot create {}", folder.display()))?;
        Ok(Self(folder))
    }
}

impl Drop for Temporary {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

fn print_ready(service: &Service) {
    let network = service.prover.network();
    anstream::println!();
    anstream::println!("{GOOD}ready{GOOD:#}  {HEADING}{}{HEADING:#}", service.url);
    anstream::println!(
        "  network   {WARNING}{network}{WARNING:#} (log {})",
        service.prover.origin()
    );
    if let Some(latest) = service.prover.latest() {
        let sequence = latest.super_root.sequence;
        anstream::println!("  SuperRoot {sequence}, {}", latest.hash);
    }
    anstream::println!("  routes    {}/docs", service.url);
    anstream::println!();
}
