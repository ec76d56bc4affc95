//! `backfill`, `repair`: fetch older blocks, and missing parts of stored blocks. The running service does the work,
//! else this process. Both commands can be stopped and restarted at any time: fetched blocks stay.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context, bail};
use clap::Args;
use serde::Serialize;
use superroot_source::BlockSource;
use superroot_store::{EmbeddedStore, Store, read};
use superroot_types::{BlockNumber, Clock, SystemClock};

use super::node_wait::NodeWait;
use super::progress::CommandProgress;
use super::style::WARNING;
use crate::admin::client::{Reached, reach};
use crate::admin::job::{Job, JobTurn};
use crate::admin::{
    ActionJournal, ActionOutcome, ChainCommand, CommandRequest, ProgressEvent, SocketPeer,
};
use crate::config::{ServiceConfig, environment};
use crate::follow::PlannedChain;
use crate::live::{self, WatchFlag};
use crate::origin;

/// Flags of commands that fetch from nodes for a data folder.
#[derive(Debug, Args)]
struct FolderArgs {
    /// Data folder.
    #[arg(long, value_name = "DIR", default_value = "superroot-data")]
    data: PathBuf,
    /// Configuration file; a running service uses its own.
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,
    /// Node list, instead of the built-in list; a running service uses its own.
    #[arg(long, value_name = "FILE")]
    endpoints: Option<PathBuf>,
    /// Data to store beyond headers, as for `serve`. Default: the last setting. A running service uses its own.
    #[arg(long, value_name = "[CHAIN=]WHAT")]
    watch: Vec<WatchFlag>,
    #[command(flatten)]
    reason: ReasonArgs,
}

/// Flag of journalled commands.
#[derive(Debug, Args)]
pub(super) struct ReasonArgs {
    /// Reason, noted in admin.log in the data folder, together with the user.
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
    /// Chain, by id or name.
    #[arg(long, value_name = "ID")]
    chain: String,
    /// Oldest block wanted. The block's whole twig (2048 blocks) is fetched.
    #[arg(long, value_name = "NUMBER")]
    to: u64,
}

/// Arguments of `repair`.
#[derive(Debug, Args)]
pub(crate) struct RepairArgs {
    #[command(flatten)]
    folder: FolderArgs,
    /// Only this chain, by id or name. Default: every chain with a node.
    #[arg(long, value_name = "ID")]
    chain: Option<String>,
    /// First block to check. Default: the first stored.
    #[arg(long, value_name = "NUMBER", requires = "chain")]
    from: Option<u64>,
    /// Last block to check. Default: the newest final block.
    #[arg(long, value_name = "NUMBER", requires = "chain")]
    to: Option<u64>,
}

pub(crate) async fn backfill(args: BackfillArgs) -> anyhow::Result<()> {
    let BackfillArgs { folder, chain, to } = args;
    let why = folder.reason.why.clone();
    let request = CommandRequest { chain: Some(chain), from: None, to: Some(to), why };
    run(&folder, ChainCommand::Backfill { to: BlockNumber(to) }, &request).await
}

pub(crate) async fn repair(args: RepairArgs) -> anyhow::Result<()> {
    let RepairArgs { folder, chain, from, to } = args;
    let act = ChainCommand::Repair { from: from.map(BlockNumber), to: to.map(BlockNumber) };
    let request = CommandRequest { chain, from, to, why: folder.reason.why.clone() };
    run(&folder, act, &request).await
}

/// Runs in this process on a free folder, else in the service.
async fn run(args: &FolderArgs, act: ChainCommand, request: &CommandRequest) -> anyhow::Result<()> {
    let mut progress = CommandProgress::new();
    let result = match reach(&args.data, &ServiceConfig::load(None, environment(), &[])?.store)? {
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

/// Runs an action between two journal lines.
pub(super) async fn noted(
    data: &std::path::Path,
    act: &str,
    asked: &impl Serialize,
    work: impl Future<Output = anyhow::Result<()>>,
) -> anyhow::Result<()> {
    let journal = ActionJournal::open(data).context("cannot open admin.log of the data folder")?;
    let begun = journal.begin(act, asked, &SocketPeer::this_process())?;
    let result = work.await;
    match &result {
        Ok(()) => journal.end(&begun, ActionOutcome::Done, None),
        Err(error) => journal.end(&begun, ActionOutcome::Failed, Some(&format!("{error:#}"))),
    }
    result
}

impl FolderArgs {
    /// Rejects flags with a running service's own nodes and watch list.
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

    async fn work(
        &self,
        store: EmbeddedStore,
        act: ChainCommand,
        request: &CommandRequest,
        progress: &mut CommandProgress,
    ) -> anyhow::Result<()> {
        let store: Arc<dyn Store> = Arc::new(store);
        let flags = live::flags(self.endpoints.as_deref());
        let config = ServiceConfig::load(self.config.as_deref(), environment(), &flags)?;
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

    fn plan(
        &self,
        config: &ServiceConfig,
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

async fn finish(
    mut job: Job,
    mut wait: NodeWait,
    source: &dyn BlockSource,
    store: &dyn Store,
    progress: &mut CommandProgress,
) -> anyhow::Result<Option<String>> {
    loop {
        let turn = job.turn(store, SystemClock.now());
        match wait.with(source.nodes(), turn).await? {
            JobTurn::Goes(events) => events.into_iter().for_each(|event| progress.show(event)),
            JobTurn::Waits(event, pause) => {
                progress.show(event);
                tokio::time::sleep(pause).await;
            }
            JobTurn::Done(events) => {
                events.into_iter().for_each(|event: ProgressEvent| progress.show(event));
                return Ok(None);
            }
            JobTurn::Failed(why) => return Ok(Some(why)),
        }
    }
}
