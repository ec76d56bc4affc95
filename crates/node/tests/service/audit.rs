//! `superroot audit`: a stranger replays a log over the network, goes on later, and meets a fork.

use std::path::Path;
use std::process::Command;

use crate::support::operator::run;
use crate::support::{Service, superroot};

fn demo(data: &Path) -> Service {
    let mut command = superroot();
    command.env("SUPERROOT__LIMIT__KEYLESS_PER_MINUTE", "0");
    command.env("SUPERROOT__ACCUMULATE__BEAT_MS", "200");
    command.args(["demo", "--listen", "127.0.0.1:0", "--seed", "9", "--data"]).arg(data);
    Service::start(&mut command, "ready")
}

async fn reaches(service: &Service, wanted: u64) {
    for _ in 0..1_200 {
        if service.json("/v5/superroot").await["sequence"].as_u64() >= Some(wanted) {
            return;
        }
        tokio::time::sleep(std::time::Duration::from_millis(100)).await;
    }
    panic!("no SuperRoot {wanted}: {}", service.screen.lock().unwrap());
}

async fn key(service: &Service) -> String {
    let page = service.json("/v5/superroot").await;
    page["publication"]["keys"][0].as_str().unwrap().to_owned()
}

fn audit(services: &[&Service], more: &[&str]) -> (i32, String) {
    let mut command: Command = superroot();
    command.arg("audit");
    for service in services {
        command.args(["--url", &service.url]);
    }
    run(command.args(more))
}

#[tokio::test(flavor = "multi_thread")]
async fn a_log_is_audited_and_the_audit_goes_on_where_it_stood() {
    let work = tempfile::tempdir().unwrap();
    let service = demo(&work.path().join("data"));
    reaches(&service, 3).await;
    let key = key(&service).await;
    let (code, text) = audit(&[&service], &["--key", &key]);
    assert!(code == 0 && text.contains("TRUE"), "{text}");
    let (code, text) = audit(&[&service], &[]);
    assert!(code == 2 && text.contains("every rule holds, but nobody"), "{text}");
    let state = work.path().join("state.json");
    let keeping = ["--key", &key, "--state", state.to_str().unwrap()];
    let (code, text) = audit(&[&service], &keeping);
    assert!(code == 0 && !text.contains("going on"), "{text}");
    let kept = std::fs::read(&state).unwrap();
    assert!(kept.len() < 64 << 10, "{}", kept.len());
    let now = service.json("/v5/superroot").await["sequence"].as_u64().unwrap();
    reaches(&service, now + 2).await;
    let (code, text) = audit(&[&service], &keeping);
    assert!(code == 0 && text.contains("going on after SuperRoot"), "{text}");
    let other = superroot_proof::note::Signer::new(
        "simulated/demo",
        superroot_proof::note::KeyKind::Log,
        &[3; 32],
    );
    let other = other.unwrap().verifier().to_string();
    let (code, text) = audit(&[&service], &["--key", &other]);
    assert!(code == 1 && text.contains("no signature of that key"), "{text}");
    std::fs::write(&state, "{}").unwrap();
    let (code, text) = audit(&[&service], &keeping);
    assert!(code == 2 && text.contains("state file"), "{text}");
}

/// An older copy of the folder signs another history: seen by whoever looks at both services, in one
/// audit or in two.
#[tokio::test(flavor = "multi_thread")]
async fn a_fork_that_two_services_show_leaves_evidence() {
    let work = tempfile::tempdir().unwrap();
    let (data, copy) = (work.path().join("data"), work.path().join("copy"));
    let service = demo(&data);
    reaches(&service, 2).await;
    let mut backup = superroot();
    backup.args(["backup", "--with-key", "--data"]).arg(&data).arg("--to").arg(&copy);
    let (code, text) = run(&mut backup);
    assert_eq!(code, 0, "{text}");
    let fork = demo(&copy);
    let now = service.json("/v5/superroot").await["sequence"].as_u64().unwrap();
    reaches(&service, now + 3).await;
    reaches(&fork, now + 3).await;
    let (key, file) = (key(&service).await, work.path().join("evidence.json"));
    let file = file.to_str().unwrap();
    let asked = ["--key", &key, "--evidence", file];
    for services in [[&service, &fork], [&fork, &service]] {
        let _ = std::fs::remove_file(file);
        let (code, text) = audit(&services, &asked);
        assert!(code == 1 && text.contains("there are two histories"), "{text}");
        let (code, text) = run(superroot().args(["verify", file]));
        assert!(code == 0 && text.contains("signed two histories"), "{text}");
    }
    // who audited the one goes on at the other
    let state = work.path().join("state.json");
    let keeping = [&asked[..], &["--state", state.to_str().unwrap()]].concat();
    assert_eq!(audit(&[&service], &keeping).0, 0);
    let now = service.json("/v5/superroot").await["sequence"].as_u64().unwrap();
    reaches(&fork, now + 3).await;
    let (code, text) = audit(&[&fork], &keeping);
    assert!(code == 1 && text.contains("FALSE"), "{text}");
}
