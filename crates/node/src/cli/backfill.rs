//! `backfill`, `repair`: older blocks, and what is missing of those held. A running service is asked to
//! do it; else it is done here. Both may be stopped at any moment and begun again: what was taken
//! stays.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context, bail};
use clap::Args;
use serde::Serialize;
use superroot_source::Source;
use superroot_store::{EmbeddedStore, Store, read};
use superroot_types::{BlockNumber, Clock, SystemClock};

use super::node_wait::NodeWait;
use super::progress::Progress;
use super::style::WARNING;
use crate::admin::client::{Reached, reach};
use crate::admin::job::{Job, Turn};
use crate::admin::{Act, Event, Journal, Outcome, Request, Who};
use crate::config::{Config, environment};
use crate::follow::PlannedChain;
use crate::live::{self, WatchFlag};
use crate::origin;

/// Flags of commands that ask nodes on behalf of a data folder.
#[derive(Debug, Args)]
struct FolderArgs {
    /// Folder of the data.
    #[arg(long, value_name = "DIR", default_value = "superroot-data")]
    data: PathBuf,
    /// Configuration file; a running service keeps its own.
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,
    /// File of the nodes to ask, in place of the built-in list; a running service keeps its own.
    #[arg(long, value_name = "FILE")]
    endpoints: Option<PathBuf>,
    /// What to keep beyond headers, as for `serve`; what was kept last otherwise. A running service
    /// keeps its own.
    #[arg(long, value_name = "[CHAIN=]WHAT")]
    watch: Vec<WatchFlag>,
    #[command(flatten)]
    reason: ReasonArgs,
}

/// The flag of commands that are noted.
#[derive(Debug, Args)]
pub(super) struct ReasonArgs {
    /// Why it is done; it is noted in admin.log of the data folder, with who did it.
    #[arg(long, value_name = "TEXT", value_parser = reason)]
    pub(super) why: Option<String>,
}

pub(super) fn reason(text: &str) -> Result<String, String> {
    let most = crate::admin::WHY_CHARS_MAX;
    match text.chars().count() {
        count if count > most => Err(format!("{count} characters, expected at most {most}")),
        _ => Ok(text.to_owned()),
    }
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

pub(crate) async fn backfill(args: BackfillArgs) -> anyhow::Result<()> {
    let BackfillArgs { folder, chain, to } = args;
    let why = folder.reason.why.clone();
    let request = Request { chain: Some(chain), from: None, to: Some(to), why };
    run(&folder, Act::Backfill { to: BlockNumber(to) }, &request).await
}

pub(crate) async fn repair(args: RepairArgs) -> anyhow::Result<()> {
    let RepairArgs { folder, chain, from, to } = args;
    let act = Act::Repair { from: from.map(BlockNumber), to: to.map(BlockNumber) };
    let request = Request { chain, from, to, why: folder.reason.why.clone() };
    run(&folder, act, &request).await
}

/// Does it where nobody holds the folder, else has it done.
async fn run(args: &FolderArgs, act: Act, request: &Request) -> anyhow::Result<()> {
    let mut progress = Progress::new();
    let result = match reach(&args.data, &Config::load(None, environment(), &[])?.store)? {
        Reached::Service(service) => {
            args.expect_no_own()?;
            service.ask(act.name(), request, |event| progress.show(event)).await
        }
        Reached::Folder(store) => {
            let work = args.work(*store, act, request, &mut progress);
            noted(&args.data, act.name(), request, work).await
        }
    };
    progress.clear();
    result?;
    progress.end()
}

/// Does it between two lines of the journal.
pub(super) async fn noted(
    data: &std::path::Path,
    act: &str,
    asked: &impl Serialize,
    work: impl Future<Output = anyhow::Result<()>>,
) -> anyhow::Result<()> {
    let journal = Journal::open(data).context("cannot open admin.log of the data folder")?;
    let begun = journal.begin(act, asked, &Who::this_process())?;
    let result = work.await;
    match &result {
        Ok(()) => journal.end(&begun, Outcome::Done, None),
        Err(error) => journal.end(&begun, Outcome::Failed, Some(&format!("{error:#}"))),
    }
    result
}

impl FolderArgs {
    /// A running service has nodes and a watch list of its own.
    fn expect_no_own(&self) -> anyhow::Result<()> {
        if self.watch.is_empty() && self.config.is_none() && self.endpoints.is_none() {
            return Ok(());
        }
        bail!(
            "a service runs on {} and goes by what it was started with: leave out --watch, --config \
             and --endpoints and start it anew with them, or stop it first",
            self.data.display()
        );
    }

    /// Does it in this process, on a folder that it holds.
    async fn work(
        &self,
        store: EmbeddedStore,
        act: Act,
        request: &Request,
        progress: &mut Progress,
    ) -> anyhow::Result<()> {
        let store: Arc<dyn Store> = Arc::new(store);
        let flags = live::flags(self.endpoints.as_deref());
        let config = Config::load(self.config.as_deref(), environment(), &flags)?;
        // what one chain cannot have done keeps no other from it
        let mut whys: Vec<String> = Vec::new();
        for chain in self.plan(&config, &*store, request.chain.as_deref())? {
            let retry_max = Duration::from_millis(chain.collect.retry_max_ms);
            let collector = chain.collector(store.clone());
            let Some(job) = Job::new(collector, &chain.row, act, retry_max) else { continue };
            let wait = NodeWait::of(&chain.row.name);
            whys.extend(finish(job, wait, &*chain.source, &*store, progress).await?);
        }
        if whys.is_empty() { Ok(()) } else { bail!("{}", whys.join("; ")) }
    }

    /// The chains that are asked for, with their nodes.
    fn plan(
        &self,
        config: &Config,
        store: &dyn Store,
        chain: Option<&str>,
    ) -> anyhow::Result<Vec<PlannedChain>> {
        let named: Vec<String> = chain.map(str::to_owned).into_iter().collect();
        let (mut chains, without) = live::plan(config, &named, &self.watch)?;
        for row in without.iter().filter(|row| row.withdrawn_from().is_none()) {
            // of the others there is nothing to repair
            if read::load_chain_state(store, row.key())?.is_some() {
                say!("{WARNING}left out{WARNING:#}  {}: no node is known", row.name);
            }
        }
        origin::of_live_log(&self.data, &config.log.origin)?;
        let by_chain = config.by_chain()?;
        for chain in &mut chains {
            let key = chain.row.key();
            let is_set = by_chain.get(&key).is_some_and(|section| section.watch.is_some());
            if self.watch.is_empty()
                && !is_set
                && let Some(hash) = read::load_chain_watch(store, key)?
                && let Some(watch) = read::load_watch(store, &hash)?
            {
                // that under which it was collected last
                chain.collect.watch = watch;
            }
        }
        Ok(chains)
    }
}

/// Does all of it; gives why it did not go on, where it did not.
async fn finish(
    mut job: Job,
    mut wait: NodeWait,
    source: &dyn Source,
    store: &dyn Store,
    progress: &mut Progress,
) -> anyhow::Result<Option<String>> {
    loop {
        let turn = job.turn(store, SystemClock.now());
        match wait.with(source.nodes(), turn).await? {
            Turn::Goes(events) => events.into_iter().for_each(|event| progress.show(event)),
            Turn::Waits(event, pause) => {
                progress.show(event);
                tokio::time::sleep(pause).await;
            }
            Turn::Done(events) => {
                events.into_iter().for_each(|event: Event| progress.show(event));
                return Ok(None);
            }
            Turn::Failed(why) => return Ok(Some(why)),
        }
    }
}
