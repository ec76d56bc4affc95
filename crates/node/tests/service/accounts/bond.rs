//! Accounts and chains of one folder belong together: what is gone or older is noticed, and a copy made
//! under load has both.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use serde_json::{Value, json};

use crate::support::operator::{admin, journal, printed, run};
use crate::support::{Service, http, superroot};

fn command(data: &Path, mark: &Path) -> std::process::Command {
    let mut command = superroot();
    command.env("SUPERROOT__LIMIT__KEYLESS_PER_MINUTE", "0");
    command.env("SUPERROOT__LIMIT__REGISTRATIONS_PER_HOUR", "0");
    command.env("SUPERROOT__ACCUMULATE__BEAT_MS", "200");
    command.env("SUPERROOT__LOG__MARK", format!("[\"{}\"]", mark.display()));
    command.args(["demo", "--listen", "127.0.0.1:0", "--seed", "5", "--data"]).arg(data);
    command
}

/// Makes an account; gives its key.
async fn register(url: &str, number: u64) -> Option<String> {
    let body = json!({ "wallet_address": format!("0x{number:040x}") });
    let answer = http().post(format!("{url}/api/v1/register")).json(&body).send().await.ok()?;
    let made: Value = answer.json().await.ok()?;
    made["api_key"].as_str().map(str::to_owned)
}

/// How a service answers a key.
async fn knows(service: &Service, key: &str) -> u16 {
    let asked = http().get(format!("{}/api/v1/verify", service.url)).header("x-api-key", key);
    asked.send().await.unwrap().status().as_u16()
}

fn copy_folder(from: &Path, to: &Path) {
    assert!(
        std::process::Command::new("cp").arg("-a").args([from, to]).status().unwrap().success()
    );
}

struct World {
    _work: tempfile::TempDir,
    data: PathBuf,
    mark: PathBuf,
}

impl World {
    fn new() -> Self {
        let work = tempfile::tempdir().unwrap();
        let (data, mark) = (work.path().join("data"), work.path().join("mark"));
        Self { _work: work, data, mark }
    }

    fn start(&self, data: &Path) -> Service {
        Service::start(&mut command(data, &self.mark), "ready")
    }

    fn path(&self, name: &str) -> PathBuf {
        self.data.with_file_name(name)
    }

    /// That neither the service nor `fsck` takes what is in `accounts/`, and why.
    fn is_refused(&self, why: &str) {
        let (code, text) = run(&mut command(&self.data, &self.mark));
        assert!(code == 2 && text.contains(why) && text.contains("--accept-accounts"), "{text}");
        let (code, text) = run(superroot().args(["fsck", "--data"]).arg(&self.data));
        assert!(code == 1 && text.contains(why), "{text}");
    }

    /// That an order of an operator is not done, and why.
    fn is_not_done(&self, line: &str, why: &str) {
        let (code, text) = run(&mut admin(&self.data, line, Some("a partner")));
        assert!(code == 2 && text.contains(why) && text.contains("--accept-accounts"), "{text}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn accounts_that_are_gone_or_older_are_noticed_and_taken_only_when_told_to() {
    let world = World::new();
    let accounts = world.data.join("accounts");
    let service = world.start(&world.data);
    register(&service.url, 1).await.unwrap();
    assert!(service.stop().success());
    copy_folder(&accounts, &world.path("older"));
    let service = world.start(&world.data);
    let newer = register(&service.url, 2).await.unwrap();
    assert!(service.stop().success());

    std::fs::rename(&accounts, world.path("newest")).unwrap();
    world.is_refused("the accounts of this folder are gone");
    world.is_not_done("account list", "the accounts of this folder are gone");
    assert!(!accounts.exists(), "a refused start made new ones");
    // nor is a copy called whole
    let copy = world.path("copy");
    let mut backup = superroot();
    backup.args(["backup", "--data"]).arg(&world.data).arg("--to").arg(&copy);
    let made = backup.output().unwrap();
    let said = String::from_utf8_lossy(&made.stderr);
    assert_eq!(made.status.code(), Some(2), "{said}");
    assert!(said.contains("the accounts of this folder are gone"), "{said}");
    assert!(!copy.exists());
    copy_folder(&world.path("older"), &accounts);
    world.is_refused("the accounts are an older copy");
    // they can be looked at, and no act lets them catch up with what the folder knows
    let listed = printed(&mut admin(&world.data, "account list", None));
    let listed: Value = serde_json::from_str(&listed).unwrap();
    let account = listed["accounts"][0]["account"].as_str().unwrap();
    for _ in 0..2 {
        let line = format!("key create {account} --label ci");
        world.is_not_done(&line, "the accounts are an older copy");
    }
    world.is_refused("the accounts are an older copy");
    // back in place, all is as it was
    std::fs::remove_dir_all(&accounts).unwrap();
    copy_folder(&world.path("newest"), &accounts);
    let service = world.start(&world.data);
    assert_eq!(knows(&service, &newer).await, 200);
    assert!(service.stop().success());
    // an act that the journal names is more than a minute's commits: it is never missed
    copy_folder(&accounts, &world.path("before-act"));
    let line = "account open --wallet 0x00000000000000000000000000000000000000aa";
    printed(&mut admin(&world.data, line, Some("a partner")));
    std::fs::remove_dir_all(&accounts).unwrap();
    copy_folder(&world.path("before-act"), &accounts);
    world.is_refused("admin.log names");
    world.is_not_done(line, "admin.log names");

    let mut accepted = command(&world.data, &world.mark);
    let service = Service::start(accepted.arg("--accept-accounts"), "ready");
    assert_eq!(knows(&service, &newer).await, 200);
    assert!(service.stop().success());
    let acts = journal(&world.data);
    let act = acts.iter().rfind(|act| act["act"] == "accept_accounts").unwrap();
    assert!(act["why"].as_str().unwrap().contains("admin.log names"), "{act}");
    // what was taken counts from then on
    assert!(world.start(&world.data).stop().success());
}

/// The drill of `docs/operations.md`: a copy made while accounts are opened, the machine lost, the copy
/// on another. It knows every key that was given out before the copy, and publishes nothing until the
/// log has come out again.
#[tokio::test(flavor = "multi_thread")]
async fn a_copy_made_under_load_has_accounts_and_chains_and_does_not_fork_the_log() {
    let world = World::new();
    let service = world.start(&world.data);
    let stop = Arc::new(AtomicBool::new(false));
    let (stopped, url) = (stop.clone(), service.url.clone());
    let load = tokio::spawn(async move {
        let mut keys = Vec::new();
        while !stopped.load(Ordering::SeqCst) {
            keys.extend(register(&url, 1_000 + keys.len() as u64).await);
        }
        keys
    });
    let mut before = Vec::new();
    for number in 1..=20 {
        before.push(register(&service.url, number).await.unwrap());
    }
    let copy = world.path("copy");
    let mut backup = superroot();
    backup.args(["backup", "--with-key", "--data"]).arg(&world.data).arg("--to").arg(&copy);
    let (code, text) = tokio::task::spawn_blocking(move || run(&mut backup)).await.unwrap();
    assert!(code == 0 && text.contains("whole"), "{text}");
    let copied_at = service.json("/v5/superroot").await["sequence"].as_u64().unwrap();
    let begun = std::time::Instant::now();
    let mut last = copied_at;
    while last < copied_at + 3 && begun.elapsed().as_secs() < 60 {
        tokio::time::sleep(std::time::Duration::from_millis(100)).await;
        last = service.json("/v5/superroot").await["sequence"].as_u64().unwrap();
    }
    stop.store(true, Ordering::SeqCst);
    let during = load.await.unwrap();
    assert!(during.len() > 3, "{} accounts were opened meanwhile", during.len());
    service.kill();

    for name in ["fsck", "recompute"] {
        let (code, text) = run(superroot().args([name, "--data"]).arg(&copy));
        assert_eq!(code, 0, "{name}: {text}");
    }
    let elsewhere = world.path("elsewhere");
    std::fs::rename(&copy, &elsewhere).unwrap();
    let service = world.start(&elsewhere);
    for key in &before {
        assert_eq!(knows(&service, key).await, 200);
    }
    let status = service.json("/api/v1/status").await;
    assert_eq!(status["publishing"], "held", "{status}");
    assert!(register(&service.url, 99).await.is_some(), "accounts go on meanwhile");
    assert!(service.stop().success());
    let from = world.data.to_str().unwrap();
    let (code, text) = run(superroot().args(["restore", "--from", from, "--data"]).arg(&elsewhere));
    assert!(code == 0 && text.contains("fetched"), "{text}");
    let service = world.start(&elsewhere);
    let begun = std::time::Instant::now();
    while service.json("/api/v1/status").await["publishing"] != "on" {
        assert!(begun.elapsed().as_secs() < 60, "{}", service.screen.lock().unwrap());
        tokio::time::sleep(std::time::Duration::from_millis(100)).await;
    }
    assert!(service.json("/v5/superroot").await["sequence"].as_u64().unwrap() >= last);
    assert_eq!(knows(&service, &before[0]).await, 200);
}
