//! The demo as a new user meets it, and as a machine that dies at any moment leaves it.

use std::collections::HashSet;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};

use superroot_chain::ChainRegistry;

use crate::support::{Service, operator, superroot, verify};

/// A demo whose SuperRoots come fast.
fn demo(data: Option<&Path>) -> Command {
    let mut command = superroot();
    command.env("SUPERROOT__LIMIT__KEYLESS_PER_MINUTE", "0");
    command.env("SUPERROOT__ACCUMULATE__BEAT_MS", "200");
    command.args(["demo", "--listen", "127.0.0.1:0", "--seed", "9"]);
    if let Some(data) = data {
        command.arg("--data").arg(data);
    }
    command
}

/// Waits for a line of the screen that holds `marker`.
async fn line(service: &Service, marker: &str) -> String {
    let begun = Instant::now();
    while begun.elapsed().as_secs() < 60 {
        let screen = service.screen.lock().unwrap().clone();
        if let Some(line) = screen.lines().find(|line| line.contains(marker)) {
            return line.trim().to_owned();
        }
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    panic!("no {marker}: {}", service.screen.lock().unwrap());
}

/// A printed command as words, run by the binary under test in `folder`.
fn run_printed(line: &str, folder: &Path) -> (i32, String) {
    let words: Vec<&str> = line.split_whitespace().collect();
    assert!(words[0].ends_with("superroot"), "{line}");
    let config = folder.join("config");
    let mut command = superroot();
    operator::run(command.args(&words[1..]).current_dir(folder).env("XDG_CONFIG_HOME", config))
}

/// The same; `None` where it goes on for a minute, which ends it.
fn run_for_a_minute(line: &str, folder: &Path) -> Option<(i32, String)> {
    let words = line.split_whitespace().skip(1);
    let mut command = superroot();
    command.args(words).current_dir(folder).stdout(Stdio::piped()).stderr(Stdio::piped());
    let (mut child, begun) = (command.spawn().unwrap(), Instant::now());
    while child.try_wait().unwrap().is_none() {
        if begun.elapsed() > Duration::from_secs(60) {
            child.kill().unwrap();
            child.wait().unwrap();
            return None;
        }
        std::thread::sleep(Duration::from_millis(50));
    }
    let Output { status, stdout, stderr } = child.wait_with_output().unwrap();
    Some((status.code().unwrap(), String::from_utf8_lossy(&[stdout, stderr].concat()).into_owned()))
}

#[tokio::test(flavor = "multi_thread")]
async fn the_printed_commands_work_as_they_stand() {
    let work = tempfile::tempdir().unwrap();
    let service = Service::start(&mut demo(None), "ready");
    // a folder that goes with the demo is never put back
    assert!(!service.screen.lock().unwrap().contains("no mark"));
    for first in ["superroot trust pin", "superroot prove"] {
        let (code, screen) = run_printed(&line(&service, first).await, work.path());
        assert_eq!(code, 0, "{screen}");
    }
    let (code, screen) = run_printed(&line(&service, "superroot verify").await, work.path());
    assert_eq!(code, 0, "{screen}");
    assert!(screen.contains("SIMULATED") && screen.contains("trust.toml"), "{screen}");
    let order = ["superroot trust pin", "superroot prove", "superroot verify"]
        .map(|command| service.screen.lock().unwrap().find(command).unwrap());
    assert!(order.is_sorted(), "who pins first has a pin that works");
    let watch = format!("{} --count 3", line(&service, "superroot watch").await);
    let (code, screen) = run_printed(&watch, work.path());
    assert_eq!(code, 0, "{screen}");
    assert!(screen.contains("finality") || screen.contains("superroot"), "{screen}");
    let watch = line(&service, "superroot watch").await;
    let (program, with_key) = watch.split_once(" watch ").unwrap();
    let with_key = with_key.split_whitespace().skip_while(|word| !word.starts_with("--"));
    let with_key: Vec<&str> = with_key.collect();
    for (what, shown) in [
        ("price ethereum WETH --count 1 --every 1", "USD for one WETH"),
        ("price ethereum 0x00000000000000000000000000000000000000aa --count 1", "no_pool"),
        ("arb --count 1", "USD net of"),
    ] {
        let line = format!("{program} watch {what} {}", with_key.join(" "));
        let (code, screen) = run_printed(&line, work.path());
        assert!(code == 0 && screen.contains(shown), "{line}: {screen}");
    }
    // an order by the number of its deposit: how far it has come, then what follows
    let with_key = with_key.join(" ");
    let orders = format!(
        "{program} watch orders --chain ethereum --finality head --count 1 --json {with_key}"
    );
    let (code, screen) = run_printed(&orders, work.path());
    let told = screen.lines().find(|line| line.contains(r#""event":"orders""#));
    let told: serde_json::Value = serde_json::from_str(told.expect(&screen)).unwrap();
    let id = told["data"]["orderId"].as_str().unwrap();
    assert!(code == 0 && id.starts_with("across:"), "{screen}");
    let deposit = id.rsplit(':').next().unwrap();
    let order = format!("{program} watch order {deposit} --count 1 {with_key}");
    let (code, screen) = run_printed(&order, work.path());
    assert!(code == 0 && screen.contains(id), "{order}: {screen}");
    // a new one is watched until it arrived, and no longer; one of eight orders never does
    let orders = format!("{program} watch orders --finality head --json --count 3 {with_key}");
    // and one that expires meanwhile ends as well
    let (mut tried, mut arrived) = (HashSet::new(), None);
    for _ in 0..8 {
        let (_, screen) = run_printed(&orders, work.path());
        let opened = screen.lines().filter_map(|line| {
            let line: serde_json::Value = serde_json::from_str(line).ok()?;
            let is_opened = line["data"]["step"] == "opened";
            is_opened.then(|| line["data"]["orderId"].as_str().map(str::to_owned))?
        });
        // a reorganisation may open one again
        let new = opened.rev().find(|id| !tried.contains(id));
        let Some(id) = new else { continue };
        let order = format!("{program} watch order {id} --finality head {with_key}");
        if let Some((code, screen)) = run_for_a_minute(&order, work.path()) {
            assert!(code == 0 && screen.contains(&id), "{order}: {screen}");
            if screen.contains("filled") {
                arrived = Some(order);
                break;
            }
        }
        tried.insert(id);
    }
    let order = arrived.unwrap_or_else(|| panic!("none of {tried:?} arrived"));
    // asked again, it says so at once
    let (code, screen) = run_printed(&order, work.path());
    assert!(code == 0 && screen.contains("filled") && !screen.contains("ready"), "{screen}");
    let (code, screen) = run_printed(&format!("{program} watch price ethereum"), work.path());
    assert!(code != 0 && screen.contains("takes a chain and a token"), "{screen}");
    let curl = line(&service, "curl -s").await;
    let path = curl.rsplit_once(service.url.as_str()).unwrap().1;
    let body = service.json(path).await;
    assert_eq!(body["network"], "simulated");
    assert_eq!(body["proofKind"], "transaction");
    let root = service.json("/v5/superroot").await;
    let with_blocks = root["blockReferences"].as_array().unwrap().iter();
    let with_blocks = with_blocks.filter(|one| one["number"].is_u64());
    let rows = ChainRegistry::builtin().rows().iter();
    let families: HashSet<_> = rows.map(|row| row.family().name()).collect();
    assert_eq!(
        with_blocks.count(),
        families.len() + 5,
        "six chains of one family, and one of each other that is read"
    );
    assert!(service.stop().success());
}

/// An operator who makes the folder makes it open to the group and others, as `mkdir` does.
#[tokio::test(flavor = "multi_thread")]
async fn a_folder_that_was_open_to_others_is_closed() {
    let work = tempfile::tempdir().unwrap();
    let data = work.path().join("data");
    std::fs::create_dir(&data).unwrap();
    std::fs::set_permissions(&data, std::fs::Permissions::from_mode(0o755)).unwrap();
    let service = Service::start(&mut demo(Some(&data)), "ready");
    let mode = std::fs::metadata(&data).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o700);
    assert!(service.stop().success());
}

/// Killed at any moment and begun again: every SuperRoot that was ever given out is extended, and
/// all of it comes out again.
#[tokio::test(flavor = "multi_thread")]
async fn a_killed_demo_never_forgets_a_super_root() {
    let work = tempfile::tempdir().unwrap();
    let data = work.path().join("data");
    let mut given: Vec<(u64, String)> = Vec::new();
    for round in 0..4_u64 {
        let service = Service::start(&mut demo(Some(&data)), "ready");
        assert!(service.shows("no mark  an older copy of"));
        let wanted = given.last().map_or(0, |(sequence, _)| sequence + 1 + round % 2);
        let begun = Instant::now();
        loop {
            assert!(begun.elapsed().as_secs() < 120, "{}", service.screen.lock().unwrap());
            let root = service.json("/v5/superroot").await;
            let sequence = root["sequence"].as_u64().unwrap();
            let hash = root["superRootHash"].as_str().unwrap().to_owned();
            if given.last().is_none_or(|(last, _)| *last < sequence) {
                given.push((sequence, hash));
            }
            if sequence >= wanted {
                break;
            }
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
        let (last, newest) = given.last().unwrap().clone();
        for (sequence, hash) in given.iter().filter(|(sequence, _)| *sequence < last) {
            let path = format!("/v5/superroot/consistency?from={sequence}&to={last}&strength=full");
            let body = service.json(&path).await;
            let (proof, _) = superroot_wire::superroot::parse_consistency(&body).unwrap();
            proof.verify(&hash.parse().unwrap(), &newest.parse().unwrap()).unwrap();
        }
        service.kill();
        for command in ["recompute", "fsck"] {
            let (code, text) = operator::run(superroot().args([command, "--data"]).arg(&data));
            assert_eq!(code, 0, "{command}: {text}");
        }
    }
    assert!(given.len() >= 4, "{given:?}");
    let folder = std::fs::metadata(&data).unwrap();
    assert_eq!(folder.permissions().mode() & 0o077, 0, "others may look into the folder");
    let mut below = vec![data];
    while let Some(path) = below.pop() {
        let metadata = std::fs::symlink_metadata(&path).unwrap();
        assert_eq!(metadata.permissions().mode() & 0o077, 0, "{}", path.display());
        if metadata.is_dir() {
            below.extend(std::fs::read_dir(&path).unwrap().map(|entry| entry.unwrap().path()));
        }
    }
    let file = work.path().join("never");
    std::fs::write(&file, b"not a proof").unwrap();
    assert_eq!(verify(&file, &given[0].1).0, 2);
}
