//! Streams as a client listens to them: what they tell can be proven, and nothing is lost by a service that is
//! killed, or by a client that goes away.

use std::collections::BTreeMap;
use std::process::{Command, Stdio};

use serde_json::Value;

use crate::support::{Service, http, superroot};

/// A demo in a folder that outlives it, with a key that may listen.
struct Told {
    folder: tempfile::TempDir,
}

impl Told {
    fn new() -> Self {
        Self { folder: tempfile::tempdir().unwrap() }
    }

    async fn start(&self) -> Service {
        let mut command: Command = superroot();
        command.env("SUPERROOT__LIMIT__KEYLESS_PER_MINUTE", "0");
        command.env("SUPERROOT__ACCUMULATE__BEAT_MS", "200");
        command.args(["demo", "--listen", "127.0.0.1:0", "--seed", "9", "--data"]);
        let service = Service::start(command.arg(self.folder.path()), "ready");
        service.ready().await;
        service
    }

    fn key(&self) -> String {
        let keys = std::fs::read(self.folder.path().join("demo-keys.json")).unwrap();
        let keys: Vec<Value> = serde_json::from_slice(&keys).unwrap();
        let builder = keys.iter().find(|key| key["tier"] == "builder").unwrap();
        builder["api_key"].as_str().unwrap().to_owned()
    }

    /// Lines of `superroot watch`: so many events, as JSON.
    async fn watch(&self, service: &Service, count: u64, arguments: &[&str]) -> Vec<Value> {
        let (url, key) = (service.url.clone(), self.key());
        let mut command = superroot();
        command.args(["watch", "--json", "--url", &url, "--api-key", &key]);
        command.args(["--count", &count.to_string()]).args(arguments).stdin(Stdio::null());
        let output = tokio::task::spawn_blocking(move || command.output().unwrap()).await.unwrap();
        let errors = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(output.status.success(), "{errors}");
        let lines = String::from_utf8(output.stdout).unwrap();
        lines.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
    }
}

fn events(lines: &[Value]) -> impl Iterator<Item = &Value> {
    lines.iter().filter(|line| line["event"] != "ready")
}

#[tokio::test(flavor = "multi_thread")]
async fn what_a_stream_tells_is_proven_where_it_says() {
    let told = Told::new();
    let service = told.start().await;
    let logs = ["logs", "--finality", "anchored", "--chain", "base"];
    let mut lines = told.watch(&service, 20, &logs).await;
    for (topic, count) in [("superroot", 15), ("anchored", 25), ("finality", 25)] {
        lines.extend(told.watch(&service, count, &[topic]).await);
    }
    let (mut proven, mut names) = (0, BTreeMap::new());
    for line in events(&lines) {
        let name = line["event"].as_str().unwrap().to_owned();
        *names.entry(name.clone()).or_insert(0) += 1;
        if !matches!(name.as_str(), "superroot" | "anchored" | "logs") {
            continue;
        }
        proven += 1;
        let url = format!("{}{}", service.url, line["data"]["proofUrl"].as_str().unwrap());
        let answer = http().get(url).send().await.unwrap();
        let status = answer.status();
        let proof: Value = answer.json().await.unwrap();
        assert_eq!(status, 200, "{line}: {proof}");
        if name == "superroot" {
            assert_eq!(proof["superRootHash"], line["data"]["superRootHash"]);
        } else if name == "logs" {
            assert_eq!(proof["event"]["address"], line["data"]["address"]);
            assert_eq!(proof["event"]["data"], line["data"]["data"]);
            assert_eq!(proof["block"]["blockHash"], line["data"]["blockHash"]);
        }
    }
    assert!(
        ["superroot", "anchored", "finality", "logs"].iter().all(|n| names.contains_key(*n)),
        "{names:?}"
    );
    assert!(proven > 10, "{names:?}");
}

/// Everything in order, once, across three processes of which two are killed.
#[tokio::test(flavor = "multi_thread")]
async fn nothing_is_lost_or_told_twice_by_a_service_that_is_killed() {
    let told = Told::new();
    let topics = ["finality", "superroot", "--chain", "1"];
    let mut all: Vec<Value> = Vec::new();
    for _ in 0..3 {
        let service = told.start().await;
        let since = all.last().map(|line| line["cursor"].as_str().unwrap().to_owned());
        let mut arguments = topics.to_vec();
        if let Some(since) = &since {
            arguments.extend(["--since", since]);
        }
        let lines = told.watch(&service, 40, &arguments).await;
        assert_eq!(lines[0]["event"], "ready");
        all.extend(events(&lines).cloned());
        drop(service); // killed
    }
    let of = |name: &'static str| all.iter().filter(move |line| line["event"] == name);
    let sequences: Vec<u64> =
        of("superroot").map(|line| line["data"]["sequence"].as_u64().unwrap()).collect();
    assert!(sequences.windows(2).all(|two| two[0] + 1 == two[1]), "{sequences:?}");
    let mut next = None;
    for line in of("finality").filter(|line| line["data"]["finality"] == "finalized") {
        let number = |name: &str| line["data"][name].as_u64().unwrap();
        assert!(next.is_none_or(|next| next == number("fromBlock")), "{next:?}: {line}");
        next = Some(number("toBlock") + 1);
    }
    assert!(next.is_some() && sequences.len() > 3, "{sequences:?}");
}

/// A service that stops tells its listeners so, and stops in time.
#[tokio::test(flavor = "multi_thread")]
async fn a_stream_does_not_keep_a_service_from_stopping() {
    let told = Told::new();
    let service = told.start().await;
    let url = format!("{}/v5/stream?topics=retraction", service.url);
    let mut answer = http().get(url).header("x-api-key", told.key()).send().await.unwrap();
    let mut text = String::new();
    while !text.contains("event: ready") {
        text += std::str::from_utf8(&answer.chunk().await.unwrap().unwrap()).unwrap();
    }
    let begun = std::time::Instant::now();
    let stopped = tokio::task::spawn_blocking(move || service.stop());
    while let Ok(Some(chunk)) = answer.chunk().await {
        text += std::str::from_utf8(&chunk).unwrap();
    }
    assert!(text.contains("event: ended"), "{text}");
    assert!(stopped.await.unwrap().success());
    assert!(begun.elapsed().as_secs() < 8, "{:?}", begun.elapsed());
}

#[tokio::test(flavor = "multi_thread")]
async fn the_command_says_why_it_is_refused() {
    let told = Told::new();
    let service = told.start().await;
    for (arguments, said) in
        [(vec!["superroot"], "needs a key"), (vec!["prices", "--api-key", "?"], "topics")]
    {
        let mut command = superroot();
        let key = told.key();
        command.args(["watch", "--url", &service.url]);
        command.args(arguments.iter().map(|one| if *one == "?" { key.as_str() } else { one }));
        let output = tokio::task::spawn_blocking(move || command.output().unwrap()).await.unwrap();
        let errors = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{errors}");
        assert!(errors.contains(said), "{errors}");
    }
}
