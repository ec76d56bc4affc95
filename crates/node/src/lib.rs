//! The `superroot` program: configuration, wiring, stages, command line. As a library, the crate compiles in parallel
//! with its dependencies; only `main.rs` waits for them.

/// [`cli::style::say`] with the arguments of `eprintln!`.
macro_rules! say {
    ($($arguments:tt)*) => { $crate::cli::style::say(format_args!($($arguments)*)) };
}
/// [`cli::output::put`] with the arguments of `println!`.
macro_rules! put {
    () => { $crate::cli::output::put(format_args!("")) };
    ($($arguments:tt)*) => { $crate::cli::output::put(format_args!($($arguments)*)) };
}

mod accounts;
mod admin;
mod anchor;
mod backup;
mod blooms;
mod bond;
mod chains;
mod checkpoints;
mod claim;
mod cli;
mod config;
mod contract_calls;
mod demo;
mod demo_contracts;
mod evidence_gate;
mod evm_key;
mod finality;
mod folder;
mod follow;
mod gas_nodes;
mod gate;
mod launches;
mod limits;
mod listen;
mod live;
mod log_key;
mod marks;
mod measures;
mod origin;
mod passes;
mod payments;
mod products;
mod publish;
mod rollup;
mod run;
mod screen;
mod sender;
mod stage;
mod stop;
mod streams;
mod tls;
mod tokens;
mod watches;
mod webhooks;
mod witnesses;

use std::process::ExitCode;

/// Runs the command line and returns the exit code.
#[must_use]
pub fn main() -> ExitCode {
    cli::main()
}
