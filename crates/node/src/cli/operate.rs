//! `fsck`, `recompute`, `check-config`: operator checks on a data folder without a running service.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Instant;

use anyhow::Context;
use clap::Args;
use superroot_account::{AccountService, Environment, KeysConfig};
use superroot_accumulate::RecheckedEvidence;
use superroot_billing::BillingLedger;
use superroot_chain::RulesReview;
use superroot_store::{EmbeddedConfig, EmbeddedStore, Store, StoreError};
use superroot_types::{Clock, ErrorKind, Network, SystemClock};

use super::output::print;
use super::progress::bar;
use super::style::{BAD, GOOD};
use crate::accounts;
use crate::bond::AccountBinding;
use crate::chains;
use crate::config::endpoints::shown;
use crate::config::{LogConfig, ServiceConfig, environment};
use crate::demo::DemoState;
use crate::live;
use crate::log_key;
use crate::origin;
use crate::witnesses;

/// Arguments of `fsck`.
#[derive(Debug, Args)]
pub(crate) struct FsckArgs {
    /// Data folder.
    #[arg(long, value_name = "DIR", default_value = "superroot-data")]
    data: PathBuf,
}

/// Arguments of `recompute`.
#[derive(Debug, Args)]
pub(crate) struct RecomputeArgs {
    /// Data folder.
    #[arg(long, value_name = "DIR", default_value = "superroot-data")]
    data: PathBuf,
}

/// Arguments of `check-config`.
#[derive(Debug, Args)]
pub(crate) struct CheckConfigArgs {
    /// Configuration file.
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,
    /// Node list, as for `serve`.
    #[arg(long, value_name = "FILE")]
    endpoints: Option<PathBuf>,
}

const FAULTY: u8 = 1;

enum StoreCheck {
    /// Store without faults, and row count.
    Whole(Arc<EmbeddedStore>, u64),
    /// Listed faults, and the total count.
    Damaged(Vec<StoreError>, u64),
}

pub(crate) fn fsck(args: &FsckArgs) -> anyhow::Result<ExitCode> {
    let data = args.data.as_path();
    let config = ServiceConfig::load(None, environment(), &[])?;
    let begun = Instant::now();
    let checked = check(data, &config.store).map_err(|error| unopened(data, error))?;
    let help = "restore a copy of the folder (chains can also be collected anew, accounts not)";
    let (store, rows) = match checked {
        StoreCheck::Whole(store, rows) => (store, rows),
        StoreCheck::Damaged(faults, count) => {
            return Ok(damaged(&named(faults, data), &format!("{count} faults: {help}")));
        }
    };
    let origin = match superroot_accumulate::check_origin(&*store) {
        Ok(origin) => origin,
        Err(error) => return Ok(damaged(&[error.to_string()], help)),
    };
    let of = origin.as_deref().map_or_else(String::new, |origin| format!(" of {origin}"));
    let seconds = begun.elapsed().as_secs_f64();
    put!("{GOOD}ok{GOOD:#}  {rows} rows{of} read in {seconds:.1} s");
    put!("`superroot recompute` checks what they say");
    let network = origin.as_deref().map_or(Network::Live, Network::of_origin);
    let evidence = superroot_accumulate::recheck_evidence(
        &*store,
        chains::known(),
        network,
        SystemClock.now(),
    )?;
    if !evidence.faults.is_empty() {
        return Ok(damaged(&evidence.faults, "clients refuse this evidence: the blocks stand"));
    }
    let RecheckedEvidence { shown, without_set, .. } = evidence;
    if shown.saturating_add(without_set) > 0 {
        put!(
            "{GOOD}ok{GOOD:#}  {shown} pieces of evidence shown by stored sets, {without_set} without a set"
        );
    }
    let (rows, faults) = check_accounts(data, &*store).context("the check of accounts failed")?;
    if !faults.is_empty() {
        let help = "restore a copy of the folder: accounts cannot be collected anew";
        return Ok(damaged(&faults, help));
    }
    put!("{GOOD}ok{GOOD:#}  {rows} rows of accounts, acts and ledger whole");
    let Some(origin) = origin else { return Ok(ExitCode::SUCCESS) };
    let faults = check_name_and_key(data, &*store, &config.log, &origin)?;
    if !faults.is_empty() {
        return Ok(damaged(
            &faults,
            "do what a line says, or put the file back from a copy of the folder",
        ));
    }
    Ok(ExitCode::SUCCESS)
}

/// Faults in the small files needed to start the service or to sign: log name and key. A missing key is reported but no
/// fault, because a copy may come without.
fn check_name_and_key(
    data: &Path,
    store: &dyn Store,
    log: &LogConfig,
    origin: &str,
) -> anyhow::Result<Vec<String>> {
    let is_demo = origin.starts_with(origin::SIMULATED);
    let fault = if is_demo { DemoState::fault } else { origin::fault };
    let mut faults: Vec<String> = fault(data, origin).into_iter().collect();
    if let Some(why) = log_key::missing(data, log, superroot_accumulate::is_signed(store)?) {
        put!("the key of the log is not here. {why}");
    } else if log_key::path(data, log).exists() {
        let note = superroot_accumulate::newest_note(store)?;
        faults.extend(match log_key::signers(data, log, origin) {
            Ok(signers) => note.and_then(|note| log_key::other(data, log, &signers, &note)),
            Err(error) => Some(format!("{error:#}")),
        });
    }
    Ok(faults)
}

/// Checks store files, then rows, and shows progress.
fn check(folder: &Path, settings: &EmbeddedConfig) -> Result<StoreCheck, StoreError> {
    let bar = bar(0, "{spinner} {msg}");
    let checked = check_telling(folder, settings, |told| {
        bar.set_message(told);
        bar.tick();
    });
    bar.finish_and_clear();
    checked
}

/// Like [`check`]. No row is read if a file is damaged.
fn check_telling(
    folder: &Path,
    settings: &EmbeddedConfig,
    tell: impl Fn(String),
) -> Result<StoreCheck, StoreError> {
    let faults = EmbeddedStore::check_files(folder, &mut |files| tell(format!("{files} files")))?;
    if !faults.is_empty() {
        let count = faults.len() as u64;
        return Ok(StoreCheck::Damaged(faults, count));
    }
    let store = match EmbeddedStore::open_aside(folder, settings) {
        Err(error @ StoreError::Layout { .. }) => return Err(error),
        Err(error) if error.kind() == ErrorKind::Corrupt => {
            return Ok(StoreCheck::Damaged(vec![error], 1));
        }
        opened => Arc::new(opened?),
    };
    let report = store.check(&mut |table, rows| tell(format!("{table}: {rows} rows")))?;
    if report.fault_count > 0 {
        return Ok(StoreCheck::Damaged(report.faults, report.fault_count));
    }
    Ok(StoreCheck::Whole(store, report.row_count))
}

fn named(faults: Vec<StoreError>, data: &Path) -> Vec<String> {
    faults.into_iter().map(|fault| fault.within(data, Path::new("")).to_string()).collect()
}

fn damaged(faults: &[String], help: &str) -> ExitCode {
    for fault in faults {
        put!("{BAD}damaged{BAD:#}  {fault}");
    }
    put!("{help}");
    ExitCode::from(FAULTY)
}

/// Row count and faults of the accounts store, audit log and ledger; empty without accounts.
fn check_accounts(data: &Path, chains: &dyn Store) -> anyhow::Result<(u64, Vec<String>)> {
    let origin = superroot_accumulate::load_origin(chains)?;
    let bond = AccountBinding { chains, accounts: None, data, origin: origin.as_deref() };
    let settings = accounts::store_settings(&EmbeddedConfig::default());
    let (store, rows) = match check(&data.join(accounts::FOLDER), &settings) {
        Ok(StoreCheck::Whole(store, rows)) => (store, rows),
        Ok(StoreCheck::Damaged(faults, _)) => return Ok((0, named(faults, data))),
        Err(StoreError::NoData { .. }) => {
            return Ok((0, bond.check()?.iter().map(ToString::to_string).collect()));
        }
        Err(error) => return Err(error.into()),
    };
    let unbound = AccountBinding { accounts: Some(&*store), ..bond }.check()?;
    let mut faults: Vec<String> = unbound.iter().map(ToString::to_string).collect();
    for environment in [Environment::Live, Environment::Test] {
        let config = superroot_account::AccountConfig {
            keys: KeysConfig { environment, ..KeysConfig::default() },
            ..superroot_account::AccountConfig::default()
        };
        let accounts = AccountService::open(store.clone(), Arc::new(SystemClock), &config)?;
        let acts = accounts.accounts().check_acts().err();
        let money = BillingLedger::new(accounts).check().err();
        faults.extend(acts.map(|fault| fault.to_string()));
        faults.extend(money.map(|fault| fault.to_string()));
    }
    faults.dedup();
    Ok((rows, faults))
}

pub(crate) fn recompute(args: &RecomputeArgs) -> anyhow::Result<ExitCode> {
    let store = open_stopped(&args.data)?;
    let begun = Instant::now();
    let bar = bar(0, "{bar:40} {pos}/{len} SuperRoots, {eta} left");
    let done = superroot_accumulate::recompute(&store, &mut |sequence, last| {
        bar.set_length(last.0 + 1);
        bar.set_position(sequence.0 + 1);
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

pub(crate) fn check_config(
    args: &CheckConfigArgs,
    out: &mut dyn Write,
) -> anyhow::Result<ExitCode> {
    let flags = live::flags(args.endpoints.as_deref());
    let config = ServiceConfig::load(args.config.as_deref(), environment(), &flags)?;
    live::plan(&config, &[], &[])?;
    witnesses::policy(&config.log)?;
    let text = toml::to_string_pretty(&config).context("cannot print it")?;
    let text = format!("{text}\n{}\n{}", nodes_of(&config)?, rules_checked());
    print(out, &text, ExitCode::SUCCESS)
}

/// Nodes to ask as comments, one line per chain.
fn nodes_of(config: &ServiceConfig) -> anyhow::Result<String> {
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

/// Last rule check of each chain as comments, one line per chain.
fn rules_checked() -> String {
    let mut text = "# rules of chains, last checked\n".to_owned();
    for row in chains::known().rows() {
        let checked = match &row.rules_checked {
            Some(RulesReview { fork, source, date }) => format!("{date}, {fork} ({source})"),
            None => "the row does not say".to_owned(),
        };
        text.push_str(&format!("# {}: {checked}\n", row.slug));
    }
    text
}

/// Opens an existing data folder without a running service.
fn open_stopped(data: &Path) -> anyhow::Result<EmbeddedStore> {
    let settings = ServiceConfig::load(None, environment(), &[])?.store;
    EmbeddedStore::open_aside(data, &settings).map_err(|error| unopened(data, error))
}

fn unopened(data: &Path, error: StoreError) -> anyhow::Error {
    let shown = data.display();
    let what = match error {
        StoreError::NoData { .. } => return error.into(),
        StoreError::Locked { .. } => {
            format!("cannot open {shown} (a service on it has to stop first)")
        }
        _ => format!("cannot open {shown}"),
    };
    anyhow::Error::new(error).context(what)
}
