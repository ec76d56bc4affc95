//! `fsck`, `recompute`, `check-config`: the operator's hand on a data folder that nobody serves.

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Instant;

use anyhow::Context;
use clap::Args;
use superroot_account::{AccountService, Environment, KeysConfig};
use superroot_billing::Billing;
use superroot_store::{EmbeddedConfig, EmbeddedStore, Store, StoreError};
use superroot_types::SystemClock;

use super::progress::bar;
use super::style::{BAD, GOOD};
use crate::accounts;
use crate::bond::Bond;
use crate::chains;
use crate::config::endpoints::shown;
use crate::config::{Config, environment};
use crate::live;
use crate::witnesses;

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

pub(crate) fn fsck(args: &FsckArgs) -> anyhow::Result<ExitCode> {
    let store = open_stopped(&args.data)?;
    let begun = Instant::now();
    let bar = bar(0, "{spinner} {msg}");
    let report = store.check(&mut |table, rows| {
        bar.set_message(format!("{table}: {rows} rows"));
        bar.tick();
    });
    bar.finish_and_clear();
    let report = report.context("the check itself failed")?;
    let mut faults: Vec<String> = report.faults.iter().map(ToString::to_string).collect();
    let mut of = String::new();
    if faults.is_empty() {
        match superroot_accumulate::check_origin(&store) {
            Ok(origin) => of = origin.map_or_else(String::new, |origin| format!(" of {origin}")),
            Err(error) => faults.push(error.to_string()),
        }
    }
    if !faults.is_empty() {
        let (count, rows) = (report.fault_count.max(1), report.row_count);
        let help = "restore a copy of the folder, or collect it anew";
        return Ok(damaged(&faults, &format!("{count} of {rows} rows are damaged: {help}")));
    }
    let seconds = begun.elapsed().as_secs_f64();
    put!("{GOOD}ok{GOOD:#}  {} rows{of} read in {seconds:.1} s", report.row_count);
    put!("`superroot recompute` checks what they say");
    let (rows, faults) =
        check_accounts(&args.data, &store).context("the check of accounts failed")?;
    if !faults.is_empty() {
        let help = "restore a copy of the folder: accounts cannot be collected anew";
        return Ok(damaged(&faults, help));
    }
    put!("{GOOD}ok{GOOD:#}  {rows} rows of accounts, acts and ledger whole");
    Ok(ExitCode::SUCCESS)
}

fn damaged(faults: &[String], help: &str) -> ExitCode {
    for fault in faults {
        put!("{BAD}damaged{BAD:#}  {fault}");
    }
    put!("{help}");
    ExitCode::from(FAULTY)
}

/// How many rows the store of accounts has, and what is wrong with them, its log of acts and its
/// ledger; nothing where there is none yet.
fn check_accounts(data: &Path, chains: &dyn Store) -> anyhow::Result<(u64, Vec<String>)> {
    let origin = superroot_accumulate::load_origin(chains)?;
    let bond = Bond { chains, accounts: None, data, origin: origin.as_deref() };
    let opened = EmbeddedStore::open_aside(
        &data.join(accounts::FOLDER),
        &accounts::store_settings(&EmbeddedConfig::default()),
    );
    let store = match opened {
        Err(StoreError::NoData { .. }) => {
            return Ok((0, bond.check()?.iter().map(ToString::to_string).collect()));
        }
        opened => Arc::new(opened?),
    };
    let report = store.check(&mut |_, _| ())?;
    let mut faults: Vec<String> = report.faults.iter().map(ToString::to_string).collect();
    let unbound = Bond { accounts: Some(&*store), ..bond }.check()?;
    faults.extend(unbound.map(|unbound| unbound.to_string()));
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

pub(crate) fn recompute(args: &RecomputeArgs) -> anyhow::Result<ExitCode> {
    let store = open_stopped(&args.data)?;
    let begun = Instant::now();
    let bar = bar(0, "{bar:40} {pos}/{len} SuperRoots, {eta} left");
    let done = superroot_accumulate::recompute(&store, &mut |sequence, last| {
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
            Ok(ExitCode::SUCCESS)
        }
        Err(error) => {
            put!("{BAD}differs{BAD:#}  {error}");
            Ok(ExitCode::from(FAULTY))
        }
    }
}

pub(crate) fn check_config(args: &CheckConfigArgs) -> anyhow::Result<()> {
    let flags = live::flags(args.endpoints.as_deref());
    let config = Config::load(args.config.as_deref(), environment(), &flags)?;
    live::plan(&config, &[], &[])?;
    witnesses::policy(&config.log)?;
    let text = toml::to_string_pretty(&config).context("cannot print it")?;
    anstream::print!("{text}\n{}", nodes_of(&config)?);
    Ok(())
}

/// The nodes that would be asked, as comments: a line a chain.
fn nodes_of(config: &Config) -> anyhow::Result<String> {
    let nodes = config.nodes()?;
    let mut text = "# nodes that are asked\n".to_owned();
    for row in chains::known().rows() {
        let of_row = nodes.iter().filter(|node| chains::known().find(&node.chain) == Some(row));
        let shown: Vec<_> = of_row.map(|node| shown(&node.url)).collect();
        let shown = if shown.is_empty() { "none".to_owned() } else { shown.join(", ") };
        text.push_str(&format!("# {}: {shown}\n", row.slug));
    }
    Ok(text)
}

/// Opens a data folder that is there and that no service holds; it makes none.
fn open_stopped(data: &Path) -> anyhow::Result<EmbeddedStore> {
    let settings = Config::load(None, environment(), &[])?.store;
    match EmbeddedStore::open_aside(data, &settings) {
        Err(error @ StoreError::NoData { .. }) => Err(error.into()),
        opened => opened.with_context(|| {
            format!("cannot open {} (a service on it has to stop first)", data.display())
        }),
    }
}
