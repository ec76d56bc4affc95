//! `vectors/`: proofs and answers, good and bad, that every verifier reads. `make vectors` writes them
//! anew.

#[path = "../../../proof/tests/coins/mod.rs"]
mod coins;
mod logs;
mod proofs;
#[path = "../../../proof/tests/world/mod.rs"]
mod world;

use std::path::{Path, PathBuf};

fn folder(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../vectors").join(name)
}

fn rewrites() -> bool {
    std::env::var_os("SUPERROOT_WRITE_VECTORS").is_some()
}
