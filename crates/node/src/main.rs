//! The one binary: configuration, wiring, loops, command line.
mod chains;
mod cli;
mod config;
mod demo;
mod run;

use std::process::ExitCode;

fn main() -> ExitCode {
    cli::main()
}
