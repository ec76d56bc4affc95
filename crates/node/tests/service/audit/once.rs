//! `superroot audit`: a stranger replays a log over the network, goes on later, and meets a fork.

use crate::support::auditor::{
    audit, audit_command, demo, fork, is_evidence, key, newest, reaches,
};
use crate::support::operator::run;

#[tokio::test(flavor = "multi_thread")]
async fn a_log_is_audited_and_the_audit_goes_on_where_it_stood() {
    let work = tempfile::tempdir().unwrap();
    let service = demo(&work.path().join("data"));
    reaches(&service, 3).await;
    let key = key(&service).await;
    let (code, text) = audit(&[&service], &["--key", &key]);
    assert!(code == 0 && text.contains("TRUE"), "{text}");
    assert!(text.contains("not shown: that everybody else is shown this same log"), "{text}");
    let (code, text) = audit(&[&service], &[]);
    assert!(code == 2 && text.contains("every rule holds, but nobody"), "{text}");
    let state = work.path().join("state.json");
    let keeping = ["--key", &key, "--state", state.to_str().unwrap()];
    let (code, text) = audit(&[&service], &keeping);
    assert!(code == 0 && !text.contains("going on"), "{text}");
    let kept = std::fs::read(&state).unwrap();
    assert!(kept.len() < 64 << 10, "{}", kept.len());
    let now = newest(&service).await;
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
    // who cannot be reached is told at once, and is no liar
    let begun = std::time::Instant::now();
    let away = "http://127.0.0.1:1";
    let (code, text) = run(&mut audit_command(&[&service.url, away], &["--key", &key]));
    assert!(code == 2 && text.contains("NOT JUDGED: http://127.0.0.1:1: no answer"), "{text}");
    assert!(begun.elapsed().as_secs() < 60);
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
    let fork = fork(&data, &copy);
    let now = newest(&service).await;
    reaches(&service, now + 3).await;
    reaches(&fork, now + 3).await;
    let (key, file) = (key(&service).await, work.path().join("evidence.json"));
    let file = file.to_str().unwrap();
    let asked = ["--key", &key, "--evidence", file];
    for services in [[&service, &fork], [&fork, &service]] {
        let _ = std::fs::remove_file(file);
        let (code, text) = audit(&services, &asked);
        assert!(code == 1 && text.contains("there are two histories"), "{text}");
        is_evidence(file);
    }
    // who audited the one goes on at the other
    let state = work.path().join("state.json");
    let keeping = [&asked[..], &["--state", state.to_str().unwrap()]].concat();
    assert_eq!(audit(&[&service], &keeping).0, 0);
    let now = newest(&service).await;
    reaches(&fork, now + 3).await;
    std::fs::remove_file(file).unwrap();
    let (code, text) = audit(&[&fork], &keeping);
    assert!(code == 1 && text.contains("FALSE"), "{text}");
    is_evidence(file);
}

/// What is before is taken as given, and said to be.
#[tokio::test(flavor = "multi_thread")]
async fn an_audit_begins_where_it_is_told() {
    let work = tempfile::tempdir().unwrap();
    let service = demo(&work.path().join("data"));
    reaches(&service, 6).await;
    let (key, state) = (key(&service).await, work.path().join("state.json"));
    for from in ["1", "4", "5", "6"] {
        let (code, text) = audit(&[&service], &["--key", &key, "--from", from]);
        assert!(code == 0 && text.contains("TRUE"), "{text}");
        let before = from.parse::<u64>().unwrap() - 1;
        assert!(text.contains(&format!("not shown: SuperRoots 0 to {before}, ")), "{text}");
    }
    let keeping = ["--key", &key, "--state", state.to_str().unwrap()];
    let with = |from| [&keeping[..], &["--from", from]].concat();
    let (code, text) = audit(&[&service], &with("5"));
    assert!(code == 0 && !text.contains("going on") && text.contains("demo-9, 5 to "), "{text}");
    for other in ["0", "4"] {
        let (code, text) = audit(&[&service], &with(other));
        assert!(code == 2 && text.contains("say --from 5"), "{text}");
    }
    assert_eq!(audit(&[&service], &keeping).0, 2, "0 is said by leaving it out");
    let (code, text) = audit(&[&service], &with("5"));
    assert!(code == 0 && text.contains("SuperRoots 0 to 4"), "{text}");
    assert!(text.contains("going on after SuperRoot "), "{text}");
    let (code, text) = audit(&[&service], &["--key", &key, "--from", "900000"]);
    assert!(code == 2 && text.contains("--from 900000: the newest SuperRoot is "), "{text}");
}
