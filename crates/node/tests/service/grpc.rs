//! The running service, spoken to by a client of another language that was made of nothing of this
//! project: Python with `grpcio`, which learns the contract by reflection.

use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

use crate::support::{Service, operator, verify};

const FOLDER: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/grpc");
/// Families whose events are proven; the others have none.
const WITH_EVENTS: [&str; 6] = ["evm", "bitcoin", "aptos", "sui", "icp", "polkadot"];

/// Python with `grpcio`, where `make grpc-client` puts it; `None`, said loudly, when it is not at hand.
fn python() -> Option<PathBuf> {
    let target = std::env::var_os("CARGO_TARGET_DIR").map(PathBuf::from);
    let target =
        target.unwrap_or_else(|| Path::new(env!("CARGO_MANIFEST_DIR")).join("../../target"));
    let python = target.join("grpc-client/bin/python");
    if !target.join("grpc-client/installed.txt").is_file() {
        eprintln!("SKIPPED: grpcio is not at hand, run `make grpc-client` (it wants python3)");
        return None;
    }
    Some(python)
}

#[tokio::test(flavor = "multi_thread")]
async fn a_client_of_another_language_gets_what_rest_gives_and_proofs_that_verify() {
    let Some(python) = python() else { return };
    let folder = tempfile::tempdir().unwrap();
    let (data, proofs) = (folder.path().join("data"), folder.path().join("proofs"));
    std::fs::create_dir(&proofs).unwrap();
    let mut command = operator::demo(&data);
    command.args(["--seed", "7"]).env("SUPERROOT__LIMIT__KEYLESS_PER_MINUTE", "0");
    let service = Service::start(&mut command, "ready");
    assert!(service.shows("/v5/proof/tx/ethereum/"));
    let address = service.url.strip_prefix("http://").unwrap().to_owned();
    let keys = data.join("demo-keys.json");
    let mut client = Command::new(python);
    client.arg(Path::new(FOLDER).join("client.py")).arg(address).arg(keys).arg(&proofs);
    client.env("PYTHONDONTWRITEBYTECODE", "1").current_dir(folder.path());
    let output = tokio::task::spawn_blocking(move || client.output().unwrap()).await.unwrap();
    let said = String::from_utf8_lossy(&[&output.stdout[..], &output.stderr].concat()).into_owned();
    assert!(output.status.success(), "{said}");
    let report: Value = serde_json::from_slice(&output.stdout).unwrap();
    for family in WITH_EVENTS {
        assert!(report["events"][family].as_u64().is_some_and(|count| count > 0), "{report}");
    }
    let mut count = 0;
    for file in std::fs::read_dir(&proofs).unwrap() {
        let file = file.unwrap().path();
        let facts = superroot_of(&file);
        let (code, screen) = verify(&file, &facts);
        assert_eq!(code, 0, "{}: {screen}", file.display());
        count += 1;
    }
    eprintln!("{count} proofs verified; {report}");
    assert!(count > 11, "{count} proofs; {report}");
    assert!(service.stop().success());
}

/// Hash of the SuperRoot that the file's proof ends in.
fn superroot_of(file: &Path) -> String {
    let bundle = superroot_proof::bundle::Bundle::decode(&std::fs::read(file).unwrap()).unwrap();
    let preimage = &bundle.super_root().unwrap().preimage;
    superroot_proof::superroot::SuperRoot::decode(preimage).unwrap().hash().to_string()
}
