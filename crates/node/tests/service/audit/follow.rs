//! `superroot audit --follow`, and an audit that is killed.

use std::time::{Duration, Instant};

use crate::support::anvil::until;
use crate::support::auditor::{
    audit, audit_command, demo, fork, is_evidence, key, newest, reaches,
};
use crate::support::front::Front;
use crate::support::{Service, http};

/// What the auditor tells of itself.
async fn gauge(auditor: &Service, name: &str) -> u64 {
    let text = http().get(&auditor.url).send().await.unwrap().text().await.unwrap();
    let line =
        text.lines().find_map(|line| line.strip_prefix(&format!("superroot_node_audit_{name} ")));
    line.map_or(0, |value| value.parse().unwrap())
}

/// It goes on with the log, tells how far it is, and ends when a second service shows another history.
#[tokio::test(flavor = "multi_thread")]
async fn an_audit_follows_two_services_until_one_forks() {
    let work = tempfile::tempdir().unwrap();
    let (data, file) = (work.path().join("data"), work.path().join("evidence.json"));
    let service = demo(&data);
    reaches(&service, 2).await;
    let second = Front::to(&service.url, Duration::ZERO).await;
    let (key, evidence) = (key(&service).await, file.to_str().unwrap());
    let more = ["--key", &key, "--evidence", evidence, "--follow", "--every", "1"];
    let more = [&more[..], &["--metrics-listen", "127.0.0.1:0"]].concat();
    let mut command = audit_command(&[&service.url, &second.url], &more);
    let auditor = Service::start(&mut command, "metrics on");
    for _ in 0..2 {
        let now = newest(&service).await;
        until("the gauge", async || (gauge(&auditor, "super_roots").await > now + 1).then_some(()))
            .await;
    }
    assert_eq!(gauge(&auditor, "wrong").await, 0);
    assert!(auditor.shows("TRUE") && !file.exists());
    let fork = fork(&data, &work.path().join("copy"));
    reaches(&fork, newest(&service).await + 1).await;
    second.turn_to(&fork.url);
    let screen = auditor.screen.clone();
    assert_eq!(auditor.ended().code(), Some(1), "{}", screen.lock().unwrap());
    let screen = screen.lock().unwrap().clone();
    assert!(screen.contains("FALSE") && screen.contains("evidence that one key"), "{screen}");
    is_evidence(evidence);
}

/// Services that fall silent, or show less than before, are waited for: that shows nothing false.
#[tokio::test(flavor = "multi_thread")]
async fn a_service_that_goes_away_or_back_ends_no_audit_that_follows() {
    let work = tempfile::tempdir().unwrap();
    let data = work.path().join("data");
    let service = demo(&data);
    reaches(&service, 8).await;
    let front = Front::to(&service.url, Duration::ZERO).await;
    let more = ["--follow", "--every", "1", "--metrics-listen", "127.0.0.1:0"];
    let auditor = Service::start(&mut audit_command(&[&front.url], &more), "metrics on");
    assert!(auditor.shows("every rule holds, but nobody"));
    let young = demo(&work.path().join("young"));
    front.turn_to(&young.url);
    assert!(auditor.shows("were replayed before"), "{}", auditor.screen.lock().unwrap());
    front.turn_to(&service.url);
    let now = newest(&service).await;
    until("it goes on", async || (gauge(&auditor, "super_roots").await > now + 1).then_some(()))
        .await;
    assert_eq!(gauge(&auditor, "wrong").await, 0);
    assert_eq!(auditor.stop().code(), Some(2));
}

/// Killed without a word in the middle of its work, it goes on where its state stands.
#[tokio::test(flavor = "multi_thread")]
async fn an_audit_that_is_killed_goes_on_where_it_stood() {
    let work = tempfile::tempdir().unwrap();
    let service = demo(&work.path().join("data"));
    reaches(&service, 40).await;
    let (key, state) = (key(&service).await, work.path().join("state.json"));
    let keeping = ["--key", &key, "--state", state.to_str().unwrap()];
    let slow = Front::to(&service.url, Duration::from_millis(300)).await;
    let mut command = audit_command(&[&slow.url], &keeping);
    let mut auditor = command.stdout(std::process::Stdio::null()).spawn().unwrap();
    let begun = Instant::now();
    while !state.exists() {
        assert!(begun.elapsed().as_secs() < 60 && auditor.try_wait().unwrap().is_none());
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    auditor.kill().unwrap();
    assert!(!auditor.wait().unwrap().success());
    let text = std::fs::read_to_string(&state).unwrap();
    let kept: serde_json::Value = serde_json::from_str(&text).unwrap();
    let signed = kept["signed"].as_u64().unwrap();
    assert!((1..40).contains(&signed), "{signed}");
    let (code, text) = audit(&[&service], &keeping);
    assert!(
        code == 0 && text.contains(&format!("going on after SuperRoot {}", signed - 1)),
        "{text}"
    );
    // from the beginning it comes to the same: nothing was counted twice, nothing left out
    let (code, whole) = audit(&[&service], &["--key", &key]);
    assert_eq!(code, 0, "{whole}");
    let notes = |text: &str| {
        let counts = text.lines().find(|line| line.contains("notes of their own hold")).unwrap();
        let notes = counts.split(", ").nth(1).unwrap().split(' ').next().unwrap().to_owned();
        let roots = text.lines().find(|line| line.contains("SuperRoots of")).unwrap();
        (notes, roots.split(' ').next().unwrap().to_owned())
    };
    for (notes, roots) in [notes(&text), notes(&whole)] {
        assert_eq!(notes, roots);
    }
}
