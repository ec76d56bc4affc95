//! `resume`: lets a halted chain go on, once a person has looked at why it halted.

use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::Context;
use clap::Args;
use superroot_store::{Batch, EmbeddedStore, Store, read, write};

use super::fail;
use super::operate::open_stopped;
use super::style::{GOOD, WARNING, plain};
use crate::chains;

/// Arguments of `resume`.
#[derive(Debug, Args)]
pub(crate) struct ResumeArgs {
    /// The chain, by id or name.
    chain: String,
    /// Folder of the data.
    #[arg(long, value_name = "DIR", default_value = "superroot-data")]
    data: PathBuf,
}

pub(crate) fn run(args: &ResumeArgs) -> ExitCode {
    match resume(args) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => fail(&format!("{error:#}")),
    }
}

fn resume(args: &ResumeArgs) -> anyhow::Result<()> {
    let row = chains::find(&args.chain)?;
    let store: EmbeddedStore = open_stopped(&args.data)?;
    let Some(halt) = read::load_halt(&store, row.key())? else {
        anstream::println!("{} is not halted", row.name);
        return Ok(());
    };
    for (number, retraction) in read::load_retractions(&store, row.key())? {
        anstream::println!(
            "{WARNING}contradicted{WARNING:#}  block {number}: held is {}, {} say {}",
            retraction.held_hash,
            retraction.evidence.kind().name(),
            retraction.other_hash
        );
    }
    let mut batch = Batch::new();
    write::clear_halt(&mut batch, row.key());
    store.commit(batch).context("cannot clear the halt")?;
    let name = &row.name;
    anstream::println!(
        "{GOOD}cleared{GOOD:#}  {name} was halted at block {}: {}",
        halt.number,
        plain(&halt.reason)
    );
    anstream::println!(
        "what it held as final stays; it halts again if its nodes still contradict that"
    );
    Ok(())
}
