//! The running service against its own OpenAPI document, by schemathesis: whoever asks and whatever is
//! asked, no failure but the documented ones, and no status, header or shape that is not documented.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use crate::support::{Service, http, operator};
use serde_json::Value;

const FOLDER: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/schemathesis");

/// The program, where `make schemathesis` puts it; `None`, said loudly, when it is not at hand.
fn program() -> Option<PathBuf> {
    let target = std::env::var_os("CARGO_TARGET_DIR").map(PathBuf::from);
    let target =
        target.unwrap_or_else(|| Path::new(env!("CARGO_MANIFEST_DIR")).join("../../target"));
    let program = target.join("schemathesis/bin/schemathesis");
    if !program.is_file() {
        eprintln!(
            "SKIPPED: schemathesis is not at hand, run `make schemathesis` (it wants python3)"
        );
        return None;
    }
    Some(program)
}

/// A demo that limits nobody: a 429 would stand for every answer behind it.
fn demo(data: &Path) -> Service {
    let mut command = operator::demo(data);
    command.args(["--seed", "7"]);
    for limit in ["KEYLESS_PER_MINUTE", "FAILED_KEYS_PER_MINUTE", "REGISTRATIONS_PER_HOUR"] {
        command.env(format!("SUPERROOT__LIMIT__{limit}"), "0");
    }
    for plan in ["TIERS__EXPLORER", "TIERS__BUILDER", "TIERS__PROTOCOL", "ENTERPRISE"] {
        command.env(format!("SUPERROOT__PLANS__{plan}__LIMIT_PER_MINUTE"), "10000000");
    }
    Service::start(&mut command, "ready")
}

/// What is behind a word of the demo's screen, up to the next space.
fn behind(screen: &str, word: &str) -> String {
    let rest = screen.split_once(word).unwrap_or_else(|| panic!("no {word}: {screen}")).1;
    rest.split_whitespace().next().unwrap().to_owned()
}

/// What makes sense on this demo, as the hooks want it.
fn known(screen: &str) -> Vec<(&'static str, String)> {
    let month = Command::new("date").args(["-u", "+%Y-%m"]).output().unwrap();
    vec![
        ("SUPERROOT_BLOCK", behind(screen, " event ethereum ")),
        ("SUPERROOT_TX", behind(screen, "/v5/proof/tx/ethereum/")),
        ("SUPERROOT_ROOT", behind(screen, "SuperRoot 0, ")),
        ("SUPERROOT_MONTH", String::from_utf8(month.stdout).unwrap().trim().to_owned()),
    ]
}

/// Id of the key that asks.
async fn own_id(service: &Service, key: &str) -> String {
    let request = http().get(format!("{}/api/v1/verify", service.url)).header("x-api-key", key);
    let verified: Value = request.send().await.unwrap().json().await.unwrap();
    verified["key"]["id"].as_str().unwrap_or_else(|| panic!("{verified}")).to_owned()
}

const CHECKS: &str = "not_a_server_error,status_code_conformance,content_type_conformance,\
    response_headers_conformance,response_schema_conformance,unsupported_method,allow_header_conformance";

/// One run, with a key or none.
fn ask(program: &Path, url: &str, key: Option<(&str, &str)>, known: &[(&str, String)]) -> Command {
    let is_long = std::env::var_os("SUPERROOT_TEST_ALL").is_some();
    let phases = if is_long { "examples,coverage,fuzzing,stateful" } else { "fuzzing" };
    let mut command = Command::new(program);
    command.arg("--config-file").arg(Path::new(FOLDER).join("schemathesis.toml"));
    command.arg("run").arg(format!("{url}/openapi.json")).args(["--phases", phases]);
    command.args(["--max-examples", if is_long { "5" } else { "2" }, "--checks", CHECKS]);
    command.args(["--generation-database", "none", "--no-color", "--no-shrink", "--seed", "7"]);
    command.args(["--generation-with-security-parameters", "false", "--continue-on-failure"]);
    command.args(["--suppress-health-check", "all", "--output-truncate", "false"]);
    // keys are shown as they are nowhere
    if let Some((key, id)) = key {
        command.arg("--header").arg(format!("X-API-Key: {key}")).env("SUPERROOT_OWN_KEY", id);
    }
    command.envs(known.iter().map(|(name, value)| (*name, value.as_str())));
    command.env("PYTHONPATH", FOLDER).env("SCHEMATHESIS_HOOKS", "hooks");
    command.env("PYTHONDONTWRITEBYTECODE", "1").current_dir(std::env::temp_dir());
    command
}

/// Fails with what schemathesis says unless it has tested every operation and found nothing.
fn check(who: &str, output: &Output, operations: usize) {
    let said = String::from_utf8_lossy(&[&output.stdout[..], &output.stderr].concat()).into_owned();
    assert!(output.status.success(), "{who} ({}): {said}", output.status);
    assert!(said.contains(&format!("Tested: {operations}")), "{who}, {operations}: {said}");
}

#[tokio::test(flavor = "multi_thread")]
async fn no_tier_gets_an_answer_that_the_document_does_not_promise() {
    let Some(program) = program() else { return };
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().join("data");
    let service = demo(&data);
    let keys = std::fs::read(data.join("demo-keys.json")).unwrap();
    let keys: Vec<Value> = serde_json::from_slice(&keys).unwrap();
    let began = std::time::Instant::now();
    while !service.screen.lock().unwrap().contains("/v5/proof/tx/ethereum/") {
        assert!(began.elapsed().as_secs() < 60, "{}", service.screen.lock().unwrap());
        tokio::time::sleep(std::time::Duration::from_millis(50)).await;
    }
    let known = known(&service.screen.lock().unwrap());
    let document = service.json("/openapi.json").await;
    let paths = document["paths"].as_object().unwrap().values();
    let operations: usize = paths.map(|path| path.as_object().unwrap().len()).sum();
    let operations = operations - 1; // it leaves out where it has the document from
    let mut runs = vec![("nobody".to_owned(), ask(&program, &service.url, None, &known))];
    for key in &keys {
        let (tier, key) = (key["tier"].as_str().unwrap(), key["api_key"].as_str().unwrap());
        let id = own_id(&service, key).await;
        runs.push((tier.to_owned(), ask(&program, &service.url, Some((key, &id)), &known)));
    }
    let began = std::time::Instant::now();
    let tasks = runs.into_iter().map(|(who, mut command)| {
        tokio::task::spawn_blocking(move || (who, command.output().unwrap()))
    });
    for task in tasks.collect::<Vec<_>>() {
        let (who, output) = task.await.unwrap();
        check(&who, &output, operations);
    }
    eprintln!("{:?} for all tiers", began.elapsed());
    for key in &keys {
        own_id(&service, key["api_key"].as_str().unwrap()).await; // it is still in force
    }
    assert!(service.stop().success());
}
