//! `vectors/`: proofs and answers, good and bad, that every verifier reads. `make vectors` writes them
//! anew.

mod calldata;
mod calldata_bitcoin;
#[path = "../../../proof/tests/coins/mod.rs"]
mod coins;
#[path = "../../../proof/tests/commits/mod.rs"]
mod commits;
#[path = "../../../proof/tests/epochs/mod.rs"]
mod epochs;
mod finality;
mod finality_anchor;
mod finality_commit;
mod finality_grandpa;
mod finality_ledger_info;
mod finality_milestone;
mod finality_producers;
mod finality_vote;
mod languages;
#[path = "../../../proof/tests/ledger_infos/mod.rs"]
mod ledger_infos;
mod logs;
#[path = "../../../contract/tests/made/mod.rs"]
mod made;
#[path = "../../../proof/tests/milestones/mod.rs"]
#[allow(dead_code, reason = "the tests of proof use the rest")]
mod milestones;
mod notes;
#[path = "../../../proof/tests/precommits/mod.rs"]
mod precommits;
mod prices;
mod proofs;
#[path = "../../../proof/tests/rounds/mod.rs"]
#[allow(dead_code, reason = "the benches use the rest")]
mod rounds;
mod scans;
#[path = "../../../proof/tests/world/mod.rs"]
mod world;

use std::fs;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

fn folder(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../vectors").join(name)
}

/// The vectors of a file.
fn read<T: for<'de> Deserialize<'de>>(name: &str) -> Vec<T> {
    let bytes = fs::read(folder(name)).unwrap_or_else(|error| panic!("vectors/{name}: {error}"));
    serde_json::from_slice(&bytes).unwrap_or_else(|error| panic!("vectors/{name}: {error}"))
}

/// The vectors of a file, one a line, which must be what the code makes, each with a name of its own.
fn same_in_file<T>(name: &str, made: &[T], name_of: impl Fn(&T) -> &str) -> Vec<T>
where
    T: Serialize + for<'de> Deserialize<'de> + PartialEq,
{
    if std::env::var_os("SUPERROOT_WRITE_VECTORS").is_some() {
        let lines: Vec<_> = made.iter().map(|one| serde_json::to_string(one).unwrap()).collect();
        fs::write(folder(name), format!("[\n{}\n]\n", lines.join(",\n"))).unwrap();
    }
    let read: Vec<T> = read(name);
    assert!(read == made, "vectors/{name} is not what the code makes: run make vectors");
    let mut names = std::collections::BTreeSet::new();
    for one in &read {
        assert!(names.insert(name_of(one)), "{} occurs twice", name_of(one));
    }
    read
}
