//! The one binary: configuration, wiring, loops, command line.
mod accounts;
mod admin;
mod chains;
mod cli;
mod config;
mod demo;
mod follow;
mod live;
mod measures;
mod origin;
mod publish;
mod run;
mod screen;

use std::process::ExitCode;

fn main() -> ExitCode {
    cli::main()
}
