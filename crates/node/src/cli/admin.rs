//! `admin`: operator commands on accounts, executed by the running service, else here.

use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;

use anyhow::{Context, bail};
use clap::Args;
use serde_json::Value;

use super::backfill::reason;
use super::output::print;
use super::sheet;
use crate::accounts;
use crate::admin::accounts::order::{ApiKeyCommand, OperatorCommand};
use crate::admin::accounts::{AccountRequest, perform_noted};
use crate::admin::client::{Reached, reach_accounts};
use crate::admin::{ActionJournal, SocketPeer};
use crate::config::{ServiceConfig, environment, test_environment};
use crate::origin::DEMO;

const KEY_BYTES_MAX: u64 = 256;

/// Arguments of `admin`.
#[derive(Debug, Args)]
pub(crate) struct AdminArgs {
    /// Data folder; a service may run on the folder.
    #[arg(long, global = true, value_name = "DIR", default_value = "superroot-data")]
    data: PathBuf,
    /// Configuration file; a running service uses its own.
    #[arg(long, global = true, value_name = "FILE")]
    config: Option<PathBuf>,
    /// Reason, kept in the audit log. Required for every change.
    #[arg(long, global = true, value_name = "TEXT", value_parser = reason)]
    why: Option<String>,
    /// Operator. Default: the user name. The system's user number is added.
    #[arg(long, global = true, value_name = "NAME", env = "SUPERROOT_OPERATOR")]
    who: Option<String>,
    /// Print JSON.
    #[arg(long, global = true)]
    json: bool,
    #[command(subcommand)]
    order: OperatorCommand,
}

pub(crate) async fn run(args: AdminArgs, out: &mut dyn Write) -> anyhow::Result<ExitCode> {
    let json = args.json;
    let answer = act(args).await?;
    let text = if json { serde_json::to_string_pretty(&answer)? } else { sheet::of(&answer) };
    print(out, &format!("{}\n", text.trim_end()), ExitCode::SUCCESS)
}

async fn act(args: AdminArgs) -> anyhow::Result<Value> {
    let AdminArgs { data, config, why, who, mut order, .. } = args;
    let act = order.changes();
    if let Some(act) = &act
        && why.is_none()
    {
        bail!("--why is missing: {act} is written into the audit log with the reason");
    }
    if let OperatorCommand::Key(ApiKeyCommand::Find { text }) = &mut order {
        std::io::stdin().lock().take(KEY_BYTES_MAX).read_to_string(text)?;
    }
    let user = || std::env::var("USER").ok().filter(|user| !user.is_empty());
    let name = who.or_else(user).unwrap_or_else(|| "operator".to_owned());
    let asked = AccountRequest { order, name, why };
    match reach_accounts(&data, act.is_some())? {
        Reached::Service(service) => {
            if config.is_some() {
                bail!("a service runs on {} and keeps its own --config", data.display());
            }
            service.ask_accounts(&asked).await
        }
        Reached::Folder(store) => {
            let config = settings(config.as_deref(), &data)?;
            let act = move || -> anyhow::Result<Value> {
                let journal =
                    ActionJournal::open(&data).context("cannot open admin.log of the folder")?;
                let service = accounts::of_store(Arc::new(*store), &config)?;
                perform_noted(&service, &journal, &asked, &SocketPeer::this_process())
            };
            tokio::task::spawn_blocking(act).await.context("the act panicked")?
        }
    }
}

/// Configuration for a folder. Demo accounts are for tests.
fn settings(file: Option<&Path>, data: &Path) -> anyhow::Result<ServiceConfig> {
    let is_demo = data.join(DEMO).is_file();
    let flags: Vec<_> = is_demo.then(test_environment).into_iter().collect();
    ServiceConfig::load(file, environment(), &flags)
}
