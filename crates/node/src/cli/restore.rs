//! `restore`: brings an older copy of a folder up to date with its own log, so that it cannot fork the log.

mod source;

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;

use anyhow::{Context, bail};
use clap::Args;
use superroot_accumulate::{Accumulator, Successors, load_origin, put_goal};
use superroot_proof::note::{Note, VerifierKey};
use superroot_store::{EmbeddedStore, Store, StoreError, WriteBatch};
use superroot_types::{LogSize, Sequence};

use super::output::print;
use super::progress::bar;
use super::style::{BAD, GOOD};
use super::timeout::TimeoutArgs;
use crate::admin::{ActionJournal, ActionOutcome, CommandRequest, SocketPeer};
use crate::chains;
use crate::config::{ServiceConfig, environment};
use crate::log_key;
use crate::marks::evidence;
use crate::origin;
use source::RestoreSource;

const BATCH: u64 = 64;
/// Exit code if the source shows another log.
const FORKED: u8 = 1;

/// Arguments of `restore`.
#[derive(Debug, Args)]
pub(crate) struct RestoreArgs {
    /// Data folder: an older copy, or a new folder with the log key. The folder's service has to stop first.
    #[arg(long, value_name = "DIR", default_value = "superroot-data")]
    data: PathBuf,
    /// Source of the log's SuperRoots: address of a service that shows them, or another data folder of the same log
    /// without a running service.
    #[arg(long, value_name = "URL|DIR")]
    from: String,
    /// Log key, as pinned by clients. Default: the folder's key.
    #[arg(long, value_name = "VKEY")]
    key: Option<VerifierKey>,
    /// Configuration file, as for `serve`.
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,
    #[command(flatten)]
    timeout: TimeoutArgs,
}

pub(crate) async fn run(args: RestoreArgs, out: &mut dyn Write) -> anyhow::Result<ExitCode> {
    crate::limits::keep_private();
    let config = ServiceConfig::load(args.config.as_deref(), environment(), &[])?;
    let key = key(&args, &config)?;
    let store: Arc<dyn Store> = Arc::new(open(&args.data, &config, &key)?);
    let mut source = RestoreSource::open(&args.from, args.timeout, &config, &key)?;
    let registry = chains::known().proof_registry().clone();
    let log = Accumulator::open(store.clone(), registry.clone(), key.name())
        .with_context(|| format!("cannot open the log in {}", args.data.display()))?;
    let held = log.newest().map_or(0, |newest| newest.super_root.sequence.0 + 1);
    let goal = source.newest().await?;
    if let Some(known) = log.goal()?.filter(|known| known.0 > goal) {
        bail!("an earlier restore knows SuperRoot {known}, and the source has {goal} at most");
    }
    if goal + 1 < held {
        bail!("nothing to restore: the folder has {held} SuperRoots, the source has {}", goal + 1);
    }
    if let Some(size) = held.checked_sub(1).map(|last| last + 1) {
        let theirs = source.note(size - 1).await?;
        if let Some(file) = forked(&log, &args.data, &key, LogSize(size), &theirs)? {
            let at = size - 1;
            let text =
                format!("{BAD}forked{BAD:#}  the source shows another SuperRoot {at}{file}\n");
            return print(out, &text, ExitCode::from(FORKED));
        }
    }
    if goal + 1 == held {
        let text =
            format!("{GOOD}level{GOOD:#}  the folder has all {held} SuperRoots of the source\n");
        return print(out, &text, ExitCode::SUCCESS);
    }
    drop(log);
    let journal = ActionJournal::open(&args.data).context("cannot open admin.log of the folder")?;
    let begun =
        journal.begin("restore", &CommandRequest::default(), &SocketPeer::this_process())?;
    let taken = take(&*store, &mut source, key.clone(), goal).await;
    let (outcome, why) = match &taken {
        Ok(()) => (ActionOutcome::Done, None),
        Err(error) => (ActionOutcome::Failed, Some(format!("{error:#}"))),
    };
    journal.end(&begun, outcome, why.as_deref());
    taken?;
    // what the service will open: its rows have to have those of the log
    Accumulator::open(store, registry, key.name())?;
    let text = format!(
        "{GOOD}fetched{GOOD:#}  SuperRoots {held} to {goal}: start the service, which collects their blocks \
         and lets them come out again before it publishes anew\n"
    );
    print(out, &text, ExitCode::SUCCESS)
}

/// Stores the SuperRoots to repeat. The goal is stored first, so that a partial restore publishes nothing new.
async fn take(
    store: &dyn Store,
    source: &mut RestoreSource,
    key: VerifierKey,
    goal: u64,
) -> anyhow::Result<()> {
    let mut successors = Successors::of(store, key)?;
    let first = successors.next().0;
    let bar = bar(goal + 1 - first, "{bar:40} {pos}/{len} SuperRoots, {eta} left");
    let mut batch = WriteBatch::new();
    put_goal(&mut batch, Sequence(goal));
    for sequence in first..=goal {
        let target = source.target(sequence).await?;
        successors.take(&mut batch, &target)?;
        if sequence == goal || (sequence - first) % BATCH == 0 {
            store.commit(std::mem::take(&mut batch))?;
        }
        bar.inc(1);
    }
    bar.finish_and_clear();
    Ok(())
}

fn key(args: &RestoreArgs, config: &ServiceConfig) -> anyhow::Result<VerifierKey> {
    let file = log_key::path(&args.data, &config.log);
    let own = file.exists().then(|| log_key::read(&file)).transpose()?;
    match (own.map(|own| own.verifier().clone()), args.key.clone()) {
        (Some(own), Some(named)) if own != named => {
            bail!("--key is {named}, and {} is {own}", file.display())
        }
        (Some(key), _) | (None, Some(key)) => Ok(key),
        (None, None) => bail!("{} is not there: name the log's key with --key", file.display()),
    }
}

fn open(data: &Path, config: &ServiceConfig, key: &VerifierKey) -> anyhow::Result<EmbeddedStore> {
    let shown = data.display();
    let store = match EmbeddedStore::open_existing(data, &config.store) {
        Err(StoreError::NoData { .. }) => {
            if key.name().starts_with(origin::SIMULATED) {
                bail!(
                    "{} is the log of a demo, whose chains come out of its folder alone: use a copy of that folder, as \
                     `superroot backup` makes it",
                    key.name()
                );
            }
            let is_recorded = key.name().starts_with(origin::RECORDED);
            let of_log = if is_recorded { origin::of_recorded_log } else { origin::of_live_log };
            of_log(data, key.name())?;
            EmbeddedStore::open(data, &config.store)
        }
        opened => opened,
    };
    let store = store
        .with_context(|| format!("cannot open {shown} (a service on it has to stop first)"))?;
    match load_origin(&store)? {
        Some(origin) if origin != key.name() => {
            bail!("{shown} holds the log {origin}, and the key is of {}", key.name())
        }
        _ => Ok(store),
    }
}

/// Whether the source's note belongs to another log with that size. Evidence is kept.
fn forked(
    log: &Accumulator,
    data: &Path,
    key: &VerifierKey,
    size: LogSize,
    theirs: &str,
) -> anyhow::Result<Option<String>> {
    let checkpoint = source::checkpoint(theirs, key)?;
    if (checkpoint.size, Some(checkpoint.root)) == (size, log.history_root(size)?) {
        return Ok(None);
    }
    if checkpoint.size != size {
        bail!("the source shows a note of size {}, asked was {size}", checkpoint.size);
    }
    let Some(ours) = log.note(size)? else { return Ok(Some(String::new())) };
    let notes = evidence::two_notes(key, [&ours, &Note::parse(theirs)?]);
    let file = evidence::keep(data, &format!("fork-{size}"), &notes)?;
    Ok(Some(format!("; both notes: {}", file.display())))
}
