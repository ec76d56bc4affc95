//! `resume`: lets a halted chain go on, once a person has looked at why it halted.

use std::path::PathBuf;

use anyhow::Context;
use clap::Args;

use super::backfill::{ReasonArgs, noted};
use super::progress::Progress;
use crate::admin::client::{Reached, reach};
use crate::admin::{Act, Request, job};
use crate::chains;
use crate::config::{Config, environment};

/// Arguments of `resume`.
#[derive(Debug, Args)]
pub(crate) struct ResumeArgs {
    /// The chain, by id or name.
    chain: String,
    /// Folder of the data; a service may run on it.
    #[arg(long, value_name = "DIR", default_value = "superroot-data")]
    data: PathBuf,
    #[command(flatten)]
    reason: ReasonArgs,
}

pub(crate) async fn run(args: &ResumeArgs) -> anyhow::Result<()> {
    let row = chains::find(&args.chain)?;
    let (chain, why) = (Some(row.slug.clone()), args.reason.why.clone());
    let request = Request { chain, why, ..Request::default() };
    let settings = Config::load(None, environment(), &[])?.store;
    let mut progress = Progress::new();
    match reach(&args.data, &settings)? {
        Reached::Service(service) => {
            service.ask(Act::Resume.name(), &request, |event| progress.show(event)).await?;
        }
        Reached::Folder(store) => {
            let work = async {
                let events = job::resume(&*store, row).context("cannot clear the halt")?;
                events.into_iter().for_each(|event| progress.show(event));
                Ok(())
            };
            noted(&args.data, Act::Resume.name(), &request, work).await?;
        }
    }
    progress.clear();
    progress.end()
}
