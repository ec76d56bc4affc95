//! `resume`: resumes a halted chain, after a person has checked the reason.

use std::path::PathBuf;

use anyhow::Context;
use clap::Args;

use super::backfill::{ReasonArgs, noted};
use super::progress::CommandProgress;
use crate::admin::client::{Reached, reach};
use crate::admin::{ChainCommand, CommandRequest, job};
use crate::chains;
use crate::config::{ServiceConfig, environment};

/// Arguments of `resume`.
#[derive(Debug, Args)]
pub(crate) struct ResumeArgs {
    /// Chain, by id or name.
    chain: String,
    /// Data folder; a service may run on the folder.
    #[arg(long, value_name = "DIR", default_value = "superroot-data")]
    data: PathBuf,
    #[command(flatten)]
    reason: ReasonArgs,
}

pub(crate) async fn run(args: &ResumeArgs) -> anyhow::Result<()> {
    let row = chains::find(&args.chain)?;
    let chain = Some(row.slug.clone());
    let why = args.reason.why.clone();
    let request = CommandRequest { chain, why, ..CommandRequest::default() };
    let settings = ServiceConfig::load(None, environment(), &[])?.store;
    let mut progress = CommandProgress::new();
    match reach(&args.data, &settings)? {
        Reached::Service(service) => {
            service
                .ask(ChainCommand::Resume.name(), &request, |event| progress.show(event))
                .await?;
        }
        Reached::Folder(store) => {
            let work = async {
                let events = job::resume(&*store, row).context("cannot clear the halt")?;
                events.into_iter().for_each(|event| progress.show(event));
                Ok(())
            };
            noted(&args.data, ChainCommand::Resume.name(), &request, work).await?;
        }
    }
    progress.clear();
    progress.end()
}
