//! `man` and `completions`: texts generated from the command line definition.

use std::io::Write;
use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::{Context, bail};
use clap::Args;
use clap_mangen::Man;

use super::output::{print, refuse_stdout};
use super::style::GOOD;

/// Arguments of `man`.
#[derive(Debug, Args)]
pub(crate) struct ManArgs {
    /// Command, as in `trust pin`. Default: the program's page.
    #[arg(value_name = "COMMAND", conflicts_with = "output")]
    command: Vec<String>,
    /// Write the pages of all commands into this folder.
    #[arg(short, long, value_name = "DIR")]
    output: Option<PathBuf>,
}

pub(crate) fn man(
    args: &ManArgs,
    mut all: clap::Command,
    out: &mut dyn Write,
) -> anyhow::Result<ExitCode> {
    // full names, and on each page what all commands take
    all.build();
    if let Some(folder) = &args.output {
        refuse_stdout(folder)?;
        let shown = folder.display();
        std::fs::create_dir_all(folder).with_context(|| format!("cannot make {shown}"))?;
        clap_mangen::generate_to(all, folder)
            .with_context(|| format!("cannot write pages into {shown}"))?;
        let text = format!("{GOOD}wrote{GOOD:#}  the pages of all commands into {shown}\n");
        return print(out, &text, ExitCode::SUCCESS);
    }
    let mut command = &all;
    for name in &args.command {
        let Some(below) = command.find_subcommand(name) else {
            bail!("{} has no command {name:?}; `superroot man` names all", command.get_name());
        };
        command = below;
    }
    let mut page = Vec::new();
    Man::new(command.clone()).render(&mut page).context("cannot render the page")?;
    print(out, &String::from_utf8_lossy(&page), ExitCode::SUCCESS)
}

pub(crate) fn completions(
    shell: clap_complete::Shell,
    mut all: clap::Command,
    out: &mut dyn Write,
) -> anyhow::Result<ExitCode> {
    // a script is made in memory: what makes it does not bear an output that fails
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut all, "superroot", &mut script);
    print(out, &String::from_utf8_lossy(&script), ExitCode::SUCCESS)
}
