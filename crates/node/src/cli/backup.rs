//! `backup`: copy of a data folder, by the running service, else here.

use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::Context;
use clap::Args;
use superroot_store::{EmbeddedStore, Store, StoreError};

use super::backfill::{ReasonArgs, noted};
use super::output::refuse_stdout;
use super::progress::CommandProgress;
use crate::accounts;
use crate::admin::BackupRequest;
use crate::admin::client::{Reached, reach};
use crate::backup::{self, Original};
use crate::bond::AccountBinding;
use crate::config::{ServiceConfig, environment};
use crate::evm_key;
use crate::log_key;

/// Arguments of `backup`.
#[derive(Debug, Args)]
pub(crate) struct BackupArgs {
    /// Data folder; a service may run on the folder.
    #[arg(long, value_name = "DIR", default_value = "superroot-data")]
    data: PathBuf,
    /// Destination folder: missing or empty.
    #[arg(long, value_name = "DIR")]
    to: PathBuf,
    /// Copy the log key too. Anyone with the key speaks for the log.
    #[arg(long)]
    with_key: bool,
    /// Configuration file, as for `serve`; a running service uses its own.
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,
    #[command(flatten)]
    reason: ReasonArgs,
}

pub(crate) async fn run(args: BackupArgs) -> anyhow::Result<()> {
    refuse_stdout(&args.to)?;
    let config = ServiceConfig::load(args.config.as_deref(), environment(), &[])?;
    let to = std::path::absolute(&args.to)?;
    let request = BackupRequest { to, with_key: args.with_key, why: args.reason.why };
    let mut progress = CommandProgress::new();
    let done = match reach(&args.data, &config.store)? {
        Reached::Service(service) => {
            service.ask("backup", &request, |event| progress.show(event)).await
        }
        Reached::Folder(store) => {
            let original = original(&args.data, *store, &config)?;
            let mut tell = |event| {
                progress.show(event);
                ControlFlow::Continue(())
            };
            let work = async { backup::copy(&original, &request.to, request.with_key, &mut tell) };
            noted(&args.data, "backup", &request, work).await
        }
    };
    progress.clear();
    done
}

fn original(
    data: &Path,
    chains: EmbeddedStore,
    config: &ServiceConfig,
) -> anyhow::Result<Original> {
    let folder = data.join(accounts::FOLDER);
    let accounts =
        match EmbeddedStore::open_existing(&folder, &accounts::store_settings(&config.store)) {
            Err(StoreError::NoData { .. }) => None,
            opened => {
                Some(Arc::new(opened.with_context(|| format!("cannot open {}", folder.display()))?))
            }
        };
    // a copy without accounts, or with those of last month, is not whole
    let origin = superroot_accumulate::load_origin(&chains)?;
    let held = accounts.as_deref().map(|accounts| accounts as &dyn Store);
    AccountBinding { chains: &chains, accounts: held, data, origin: origin.as_deref() }
        .expect_own()?;
    let key = log_key::path(data, &config.log);
    let evm_key = evm_key::path(data, &config.log);
    Ok(Original { data: data.to_path_buf(), chains: Arc::new(chains), accounts, key, evm_key })
}
