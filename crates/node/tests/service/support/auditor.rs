//! A log that is audited, and its auditor.

use std::path::Path;
use std::process::Command;

use super::operator::run;
use super::{Service, superroot};

/// A demo on a folder that publishes often.
pub fn demo(data: &Path) -> Service {
    Service::start(&mut demo_command(data), "ready")
}

/// The same, not started.
pub fn demo_command(data: &Path) -> Command {
    let mut command = superroot();
    command.env("SUPERROOT__LIMIT__KEYLESS_PER_MINUTE", "0");
    command.env("SUPERROOT__ACCUMULATE__BEAT_MS", "200");
    command.args(["demo", "--listen", "127.0.0.1:0", "--seed", "9", "--data"]).arg(data);
    command
}

/// A copy of the folder of a running demo, with its key: another service of the same log.
pub fn fork(data: &Path, copy: &Path) -> Service {
    let mut backup = superroot();
    backup.args(["backup", "--with-key", "--data"]).arg(data).arg("--to").arg(copy);
    let (code, text) = run(&mut backup);
    assert_eq!(code, 0, "{text}");
    demo(copy)
}

/// Sequence of the newest SuperRoot.
pub async fn newest(service: &Service) -> u64 {
    service.json("/v5/superroot").await["sequence"].as_u64().unwrap()
}

/// Waits for a SuperRoot.
pub async fn reaches(service: &Service, wanted: u64) {
    for _ in 0..1_200 {
        if service.json("/v5/superroot").await["sequence"].as_u64() >= Some(wanted) {
            return;
        }
        tokio::time::sleep(std::time::Duration::from_millis(100)).await;
    }
    panic!("no SuperRoot {wanted}: {}", service.screen.lock().unwrap());
}

/// The key of its log.
pub async fn key(service: &Service) -> String {
    let page = service.json("/v5/superroot").await;
    page["publication"]["keys"][0].as_str().unwrap().to_owned()
}

/// `superroot audit` of what these addresses show.
pub fn audit_command(urls: &[&str], more: &[&str]) -> Command {
    let mut command = superroot();
    command.arg("audit");
    for url in urls {
        command.args(["--url", url]);
    }
    command.args(more);
    command
}

/// The same to its end: exit code, and what it printed.
pub fn audit(services: &[&Service], more: &[&str]) -> (i32, String) {
    let urls: Vec<&str> = services.iter().map(|service| service.url.as_str()).collect();
    run(&mut audit_command(&urls, more))
}

/// That the file is evidence of two histories.
pub fn is_evidence(file: &str) {
    let (code, text) = run(superroot().args(["verify", file]));
    assert!(code == 0 && text.contains("signed two histories"), "{text}");
}
