//! `fsck`, `recompute`, `check-config`: the operator's hand on a data folder that nobody serves.

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Instant;

use anyhow::Context;
use clap::Args;
use indicatif::{ProgressBar, ProgressStyle};
use superroot_account::{AccountService, Environment, KeysConfig};
use superroot_billing::Billing;
use superroot_chain::Status;
use superroot_store::{EmbeddedStore, Store, StoreError};
use superroot_types::SystemClock;

use super::style::{BAD, GOOD};
use super::{block_on, fail};
use crate::accounts;
use crate::chains;
use crate::config::endpoints::shown;
use crate::config::{Config, environment};
use crate::live;

/// Arguments of `fsck`.
#[derive(Debug, Args)]
pub(crate) struct FsckArgs {
    /// Folder of the data.
    #[arg(long, value_name = "DIR", default_value = "superroot-data")]
    data: PathBuf,
}

/// Arguments of `recompute`.
#[derive(Debug, Args)]
pub(crate) struct RecomputeArgs {
    /// Folder of the data.
    #[arg(long, value_name = "DIR", default_value = "superroot-data")]
    data: PathBuf,
}

/// Arguments of `check-config`.
#[derive(Debug, Args)]
pub(crate) struct CheckConfigArgs {
    /// Configuration file.
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,
    /// File of the nodes to ask, as for `serve`.
    #[arg(long, value_name = "FILE")]
    endpoints: Option<PathBuf>,
}

/// Exit code of a check that found something wrong.
const FAULTY: u8 = 1;

pub(crate) fn fsck(args: &FsckArgs) -> ExitCode {
    let store = match open(&args.data) {
        Ok(store) => store,
        Err(error) => return fail(&format!("{error:#}")),
    };
    let begun = Instant::now();
    let bar = spinner("rows");
    let report = store.check(&mut |table, rows| {
        bar.set_message(format!("{table}: {rows} rows"));
        bar.tick();
    });
    bar.finish_and_clear();
    match report {
        Err(error) => fail(&format!("the check itself failed: {error}")),
        Ok(report) if report.fault_count == 0 => {
            let seconds = begun.elapsed().as_secs_f64();
            let origin = match superroot_accumulate::check_origin(&*store) {
                Ok(origin) => origin.map_or_else(String::new, |origin| format!(" of {origin}")),
                Err(error) => {
                    put!("{BAD}damaged{BAD:#}  {error}");
                    return ExitCode::from(FAULTY);
                }
            };
            put!("{GOOD}ok{GOOD:#}  {} rows{origin} read in {seconds:.1} s", report.row_count);
            put!("`superroot recompute` checks what they say");
            check_accounts(&args.data)
        }
        Ok(report) => {
            for fault in &report.faults {
                put!("{BAD}damaged{BAD:#}  {fault}");
            }
            put!(
                "{} of {} rows are damaged: restore a copy of the folder, or collect it anew",
                report.fault_count,
                report.row_count
            );
            ExitCode::from(FAULTY)
        }
    }
}

/// The store of accounts, its log of acts and its ledger; `ok` where there are none yet.
fn check_accounts(data: &Path) -> ExitCode {
    let folder = data.join(accounts::FOLDER);
    let store = match EmbeddedStore::open_existing(&folder, &accounts::store_settings()) {
        Ok(store) => Arc::new(store),
        Err(StoreError::NoData { .. }) => return ExitCode::SUCCESS,
        Err(error) => return fail(&format!("cannot open {}: {error}", folder.display())),
    };
    match faults_of_accounts(store) {
        Err(error) => fail(&format!("the check itself failed: {error:#}")),
        Ok((rows, faults)) if faults.is_empty() => {
            anstream::println!("{GOOD}ok{GOOD:#}  {rows} rows of accounts, acts and ledger whole");
            ExitCode::SUCCESS
        }
        Ok((_, faults)) => {
            for fault in faults {
                anstream::println!("{BAD}damaged{BAD:#}  accounts: {fault}");
            }
            anstream::println!("restore a copy of the folder: accounts cannot be collected anew");
            ExitCode::from(FAULTY)
        }
    }
}

/// How many rows there are, and what is wrong with them.
fn faults_of_accounts(store: Arc<EmbeddedStore>) -> anyhow::Result<(u64, Vec<String>)> {
    let report = store.check(&mut |_, _| ())?;
    let mut faults: Vec<String> = report.faults.iter().map(ToString::to_string).collect();
    for environment in [Environment::Live, Environment::Test] {
        let config = superroot_account::Config {
            keys: KeysConfig { environment, ..KeysConfig::default() },
            ..superroot_account::Config::default()
        };
        let accounts = AccountService::open(store.clone(), Arc::new(SystemClock), &config)?;
        let acts = accounts.accounts().check_acts().err();
        let money = Billing::new(accounts).check().err();
        faults.extend(acts.map(|fault| fault.to_string()));
        faults.extend(money.map(|fault| fault.to_string()));
    }
    faults.dedup();
    Ok((report.row_count, faults))
}

pub(crate) fn recompute(args: &RecomputeArgs) -> ExitCode {
    let store = match open(&args.data) {
        Ok(store) => store,
        Err(error) => return fail(&format!("{error:#}")),
    };
    let begun = Instant::now();
    let bar = ProgressBar::new(0).with_style(
        ProgressStyle::with_template("{bar:40} {pos}/{len} SuperRoots, {eta} left")
            .unwrap_or_else(|_| ProgressStyle::default_bar()),
    );
    let done = superroot_accumulate::recompute(&*store, &mut |sequence, last| {
        bar.set_length(last + 1);
        bar.set_position(sequence + 1);
    });
    bar.finish_and_clear();
    match done {
        Ok(done) => {
            put!(
                "{GOOD}same{GOOD:#}  {} SuperRoots, {} blocks, {} entries, {} sealed twigs in {:.1} s",
                done.super_roots,
                done.blocks,
                done.entries,
                done.sealed_twigs,
                begun.elapsed().as_secs_f64()
            );
            ExitCode::SUCCESS
        }
        Err(error) => {
            put!("{BAD}differs{BAD:#}  {error}");
            ExitCode::from(FAULTY)
        }
    }
}

pub(crate) fn check_config(args: &CheckConfigArgs) -> ExitCode {
    let flags = live::flags(args.endpoints.as_deref());
    let printed = || {
        let config = Config::load(args.config.as_deref(), environment(), &flags)?;
        live::plan(&config, &[], &[])?;
        let text = toml::to_string_pretty(&config).context("cannot print it")?;
        anyhow::Ok(format!("{text}\n{}", nodes_of(&config)?))
    };
    // a source is made of each chain's nodes, as `serve` makes it; nobody is asked
    block_on(async {
        match printed() {
            Ok(text) => {
                anstream::print!("{text}");
                ExitCode::SUCCESS
            }
            Err(error) => fail(&format!("{error:#}")),
        }
    })
}

/// The nodes that would be asked, as comments: a line a chain that this build reads.
fn nodes_of(config: &Config) -> anyhow::Result<String> {
    let nodes = config.nodes()?;
    let mut text = "# nodes that are asked\n".to_owned();
    for row in chains::known().rows().iter().filter(|row| row.status() == Status::Collected) {
        let of_row = nodes.iter().filter(|node| chains::known().find(&node.chain) == Some(row));
        let shown: Vec<_> = of_row.map(|node| shown(&node.url)).collect();
        let shown = if shown.is_empty() { "none".to_owned() } else { shown.join(", ") };
        text.push_str(&format!("# {}: {shown}\n", row.slug));
    }
    for line in live::left_alone(&nodes) {
        text.push_str(&format!("# {line}\n"));
    }
    Ok(text)
}

fn open(data: &Path) -> anyhow::Result<Arc<dyn Store>> {
    Ok(Arc::new(open_stopped(data)?))
}

/// Opens a data folder that is there and that no service holds; it makes none.
pub(super) fn open_stopped(data: &Path) -> anyhow::Result<EmbeddedStore> {
    let settings = Config::load(None, environment(), &[])?.store;
    match EmbeddedStore::open_existing(data, &settings) {
        Err(error @ StoreError::NoData { .. }) => Err(error.into()),
        opened => opened.with_context(|| {
            format!("cannot open {} (a service on it has to stop first)", data.display())
        }),
    }
}

fn spinner(what: &str) -> ProgressBar {
    let style = ProgressStyle::with_template("{spinner} {msg}")
        .unwrap_or_else(|_| ProgressStyle::default_spinner());
    ProgressBar::new_spinner().with_style(style).with_message(what.to_owned())
}
