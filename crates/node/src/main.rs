//! The one binary: configuration, wiring, loops, command line.
/// [`cli::style::say`], with the arguments of `eprintln!`.
macro_rules! say {
    ($($arguments:tt)*) => { $crate::cli::style::say(format_args!($($arguments)*)) };
}
/// [`cli::style::put`], with the arguments of `println!`.
macro_rules! put {
    () => { $crate::cli::style::put(format_args!("")) };
    ($($arguments:tt)*) => { $crate::cli::style::put(format_args!($($arguments)*)) };
}

mod accounts;
mod admin;
mod backup;
mod blooms;
mod bond;
mod chains;
mod cli;
mod config;
mod contract_calls;
mod demo;
mod folder;
mod follow;
mod gas_nodes;
mod gate;
mod launches;
mod limits;
mod live;
mod log_key;
mod marks;
mod measures;
mod origin;
mod publish;
mod run;
mod screen;
mod stage;
mod stop;
mod streams;
mod tls;
mod tokens;
mod views;
mod witnesses;

use std::process::ExitCode;

/// Gives memory back by threads of its own, ten seconds after nobody needs it: docs/decisions/0007.
#[global_allocator]
static ALLOCATOR: tikv_jemallocator::Jemalloc = tikv_jemallocator::Jemalloc;

fn main() -> ExitCode {
    cli::main()
}
