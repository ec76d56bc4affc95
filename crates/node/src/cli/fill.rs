//! `backfill`, `repair`: older blocks, and what is missing of those held, into the data folder of a
//! stopped service. Both may be stopped at any moment and begun again: what was taken stays.

use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context, bail};
use clap::Args;
use indicatif::{ProgressBar, ProgressStyle};
use superroot_collect::{CollectError, ErrorKind};
use superroot_store::layout::Watch;
use superroot_store::{Store, read};
use superroot_types::{BlockNumber, ChainKey, Clock, SystemClock};

use super::operate::open_stopped;
use super::style::{GOOD, WARNING, plain};
use super::{block_on, fail};
use crate::config::{Config, environment};
use crate::follow::backoff;
use crate::live::{self, WatchFlag};
use crate::origin;
use crate::run::{PlannedChain, stop_signal};

/// Failures in a row after which a person is asked.
const FAILURES_MAX: u32 = 10;
/// Blocks left as they are that are listed.
const LEFT_SHOWN_MAX: usize = 20;

/// Flags of commands that ask nodes on behalf of a data folder.
#[derive(Debug, Args)]
struct FolderArgs {
    /// Folder of the data of a stopped service.
    #[arg(long, value_name = "DIR", default_value = "superroot-data")]
    data: PathBuf,
    /// Configuration file.
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,
    /// File of the nodes to ask, in place of the built-in list.
    #[arg(long, value_name = "FILE")]
    endpoints: Option<PathBuf>,
    /// What to keep beyond headers, as for `serve`; what was kept last otherwise.
    #[arg(long, value_name = "[CHAIN=]WHAT")]
    watch: Vec<WatchFlag>,
}

/// Arguments of `backfill`.
#[derive(Debug, Args)]
pub(crate) struct BackfillArgs {
    #[command(flatten)]
    folder: FolderArgs,
    /// The chain, by id or name.
    #[arg(long, value_name = "ID")]
    chain: String,
    /// Oldest block wanted; its twig, of 2048 blocks, is taken whole.
    #[arg(long, value_name = "NUMBER")]
    to: u64,
}

/// Arguments of `repair`.
#[derive(Debug, Args)]
pub(crate) struct RepairArgs {
    #[command(flatten)]
    folder: FolderArgs,
    /// Only this chain, by id or name; every chain with a node otherwise.
    #[arg(long, value_name = "ID")]
    chain: Option<String>,
    /// First block to look at; the first held otherwise.
    #[arg(long, value_name = "NUMBER", requires = "chain")]
    from: Option<u64>,
    /// Last block to look at; the newest final one otherwise.
    #[arg(long, value_name = "NUMBER", requires = "chain")]
    to: Option<u64>,
}

/// A data folder and the chains that are asked for.
struct Folder {
    store: Arc<dyn Store>,
    chains: Vec<PlannedChain>,
}

impl FolderArgs {
    fn open(&self, chain: Option<&str>) -> anyhow::Result<Folder> {
        let flags = live::flags(self.endpoints.as_deref());
        let config = Config::load(self.config.as_deref(), environment(), &flags)?;
        let named: Vec<String> = chain.map(str::to_owned).into_iter().collect();
        let (mut chains, without) = live::plan(&config, &named, &self.watch)?;
        for row in without {
            anstream::eprintln!("{WARNING}left out{WARNING:#}  {}: no node is known", row.name);
        }
        if !self.data.join("db").is_dir() {
            bail!("there is no log in {}", self.data.display());
        }
        origin::of_live_log(&self.data, &config.log.origin)?;
        let store = open_stopped(&self.data)?;
        let by_chain = config.by_chain()?;
        for chain in &mut chains {
            let key = chain.row.key();
            let is_set = by_chain.get(&key).is_some_and(|section| section.watch.is_some());
            if self.watch.is_empty()
                && !is_set
                && let Some(watch) = last_watch(&store, key)?
            {
                chain.collect.watch = watch;
            }
        }
        Ok(Folder { store: Arc::new(store), chains })
    }
}

/// The watch list that a chain was collected under last.
fn last_watch(store: &dyn Store, chain: ChainKey) -> anyhow::Result<Option<Watch>> {
    let Some(hash) = read::load_chain_watch(store, chain)? else { return Ok(None) };
    Ok(read::load_watch(store, &hash)?)
}

pub(crate) fn backfill(args: &BackfillArgs) -> ExitCode {
    block_on(async { done(unless_stopped(run_backfill(args)).await) })
}

pub(crate) fn repair(args: &RepairArgs) -> ExitCode {
    block_on(async { done(unless_stopped(run_repair(args)).await) })
}

fn done(result: anyhow::Result<()>) -> ExitCode {
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => fail(&format!("{error:#}")),
    }
}

async fn unless_stopped(work: impl Future<Output = anyhow::Result<()>>) -> anyhow::Result<()> {
    tokio::select! {
        done = work => done,
        stopped = stop_signal() => {
            stopped.context("cannot listen for signals")?;
            bail!("stopped; what was taken stays, and the same command goes on from there")
        }
    }
}

async fn run_backfill(args: &BackfillArgs) -> anyhow::Result<()> {
    let Folder { store, chains } = args.folder.open(Some(&args.chain))?;
    let [chain] = <[PlannedChain; 1]>::try_from(chains)
        .map_err(|_| anyhow::anyhow!("{} is not one chain", args.chain))?;
    let (name, retry_max) = (chain.row.name.clone(), chain.follow.retry_max);
    let mut collector = chain.collector(store);
    let bar = bar("{msg} {bar:40} {pos}/{len} blocks, {per_sec}, {eta} left");
    bar.set_message(name.clone());
    let (mut begun_at, mut failures) = (None, 0);
    let filled = loop {
        match collector.backfill_step(BlockNumber(args.to), SystemClock.now()).await {
            Ok(filled) => {
                failures = 0;
                let blocks = filled.blocks as u64;
                let top = *begun_at.get_or_insert(filled.lowest.0 + blocks);
                bar.set_length(top.saturating_sub(filled.target.0));
                bar.set_position(top.saturating_sub(filled.lowest.0));
                if filled.is_done() {
                    break filled;
                }
            }
            Err(error) => again(error, &mut failures, retry_max, &bar).await?,
        }
    };
    bar.finish_and_clear();
    anstream::println!(
        "{GOOD}filled{GOOD:#}  {name} begins at block {} now; the next SuperRoot has it",
        filled.start
    );
    Ok(())
}

async fn run_repair(args: &RepairArgs) -> anyhow::Result<()> {
    let Folder { store, chains } = args.folder.open(args.chain.as_deref())?;
    let (mut repaired, mut left) = (0, 0);
    for chain in chains {
        let Some(state) = read::load_chain_state(&*store, chain.row.key())? else { continue };
        let Some(indexed) = state.indexed else { continue };
        let from = args.from.map_or(state.start, BlockNumber).max(state.start);
        let to = args.to.map_or(indexed.number, BlockNumber).min(indexed.number);
        if from > to {
            bail!("{} is held from {} to {}", chain.row.name, state.start, indexed.number);
        }
        let (mended, kept) = repair_chain(store.clone(), chain, from, to).await?;
        repaired += mended;
        left += kept;
    }
    anstream::println!("{GOOD}repaired{GOOD:#}  {repaired} blocks, {left} left as they are");
    if left > 0 {
        bail!("{left} blocks could not be repaired");
    }
    Ok(())
}

/// Blocks repaired, and blocks that could not be.
async fn repair_chain(
    store: Arc<dyn Store>,
    chain: PlannedChain,
    from: BlockNumber,
    to: BlockNumber,
) -> anyhow::Result<(usize, usize)> {
    let (name, retry_max) = (chain.row.name.clone(), chain.follow.retry_max);
    let mut collector = chain.collector(store);
    let bar = bar("{msg} {bar:40} {pos}/{len} blocks, {eta} left");
    bar.set_message(name.clone());
    bar.set_length(to.0 - from.0 + 1);
    let (mut repaired, mut left, mut failures) = (0, 0, 0);
    let mut next = Some(from);
    while let Some(from) = next {
        match collector.repair_step(from, to).await {
            Ok(step) => {
                failures = 0;
                repaired += step.repaired;
                for one in &step.left {
                    if left < LEFT_SHOWN_MAX {
                        let reason = plain(&one.reason);
                        bar.println(format!("left  block {} of {name}: {reason}", one.number));
                    }
                    left += 1;
                }
                bar.inc(step.examined);
                next = step.next;
            }
            Err(error) => again(error, &mut failures, retry_max, &bar).await?,
        }
    }
    bar.finish_and_clear();
    Ok((repaired, left))
}

/// Waits before the next try, or gives up.
async fn again(
    error: CollectError,
    failures: &mut u32,
    longest: Duration,
    bar: &ProgressBar,
) -> anyhow::Result<()> {
    *failures += 1;
    let is_lasting = matches!(error.kind(), ErrorKind::Corrupt | ErrorKind::Bug)
        || matches!(error, CollectError::NoBackfill { .. } | CollectError::Halted { .. });
    if is_lasting || *failures >= FAILURES_MAX {
        bar.finish_and_clear();
        return Err(error).context("it does not go on; what was taken stays");
    }
    bar.println(format!("again  {}", plain(&error.to_string())));
    tokio::time::sleep(backoff(*failures, longest)).await;
    Ok(())
}

fn bar(template: &str) -> ProgressBar {
    let style = ProgressStyle::with_template(template);
    ProgressBar::new(0).with_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()))
}
