//! Process entry: memory allocator and [`superroot::main`].

use std::process::ExitCode;

use superroot_memory as _;

fn main() -> ExitCode {
    superroot::main()
}
