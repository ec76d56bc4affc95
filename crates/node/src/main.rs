//! The one binary: configuration, wiring, loops, command line.
mod admin;
mod chains;
mod cli;
mod config;
#[expect(dead_code, reason = "the routes of accounts ask through it")]
mod contract_calls;
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
