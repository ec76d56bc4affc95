//! `superroot witness` as its operator and a log meet it.

use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command;
use std::sync::Mutex;
use std::time::Duration;

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};
use superroot_proof::hash::sha256_joined;
use superroot_proof::note::{Checkpoint, KeyKind, Note, Signer};
use superroot_proof::range::{self, Grown, Sha256Range};
use superroot_types::{Hash, LeafCount, LogSize};
use superroot_witness::AddCheckpoint;

use crate::support::{Service, http, operator, superroot};

const ORIGIN: &str = "example.org/log";

/// A log of two histories.
struct Fork {
    key: Signer,
    branches: [BTreeMap<(u8, u64), Hash>; 2],
}

impl Fork {
    fn new(count: u64) -> Self {
        let key = Signer::new(ORIGIN, KeyKind::Log, &[3; 32]).unwrap();
        let branch = |branch: u64| {
            let mut nodes = BTreeMap::new();
            for index in 0..count {
                let leaf = sha256_joined(&[&branch.to_be_bytes(), &index.to_be_bytes()]);
                let fetch = |height, index| Ok::<_, ()>(nodes[&(height, index)]);
                let grown = range::append::<Sha256Range, _>(LeafCount(index), leaf, fetch).unwrap();
                nodes.extend(
                    grown.into_iter().map(|Grown { height, index, hash }| ((height, index), hash)),
                );
            }
            nodes
        };
        Self { key, branches: [branch(0), branch(1)] }
    }

    fn request(&self, branch: usize, old: u64, size: u64) -> AddCheckpoint {
        let fetch = |height, index| Ok::<_, ()>(self.branches[branch][&(height, index)]);
        let root = range::root::<Sha256Range, _>(LeafCount(size), fetch).unwrap();
        let proof =
            range::prove_consistency::<Sha256Range, _>(LeafCount(old), LeafCount(size), fetch)
                .unwrap();
        let text = Checkpoint { origin: ORIGIN.into(), size: LogSize(size), root }.to_string();
        AddCheckpoint { old, proof, note: self.key.sign(&text, 0) }
    }
}

fn witness(folder: &Path, log: &Signer) -> Command {
    let mut command = superroot();
    command.args(["witness", "--listen", "127.0.0.1:0", "--log-key"]);
    command.arg(log.verifier().to_string()).arg("--key").arg(folder.join("witness.key"));
    command.arg("--data").arg(folder.join("data"));
    command
}

fn new_key(folder: &Path) -> String {
    let file = folder.join("witness.key");
    let made =
        operator::run(superroot().args(["key", "new", "--witness", "w.example/1"]).arg(file));
    assert_eq!(made.0, 0, "{}", made.1);
    made.1.trim().to_owned()
}

async fn add(url: &str, request: &AddCheckpoint) -> Option<(u16, String)> {
    let sent = http().post(format!("{url}/add-checkpoint")).body(request.encode()).send().await;
    let answer = sent.ok()?;
    Some((answer.status().as_u16(), answer.text().await.ok()?))
}

#[tokio::test(flavor = "multi_thread")]
async fn a_witness_is_made_asked_read_and_stopped() {
    let (folder, log) = (tempfile::tempdir().unwrap(), Fork::new(9));
    let key = new_key(folder.path());
    let mut command = witness(folder.path(), &log.key);
    let service = Service::start(command.args(["--metrics-listen", "127.0.0.1:0"]), "ready");
    assert!(service.shows(&key) && service.shows("example.org/log, size 0"));
    let request = log.request(0, 0, 9);
    let (status, lines) = add(&service.url, &request).await.unwrap();
    assert_eq!(status, 200, "{lines}");
    let note = Note::parse(&format!("{}\n{lines}", request.note.text())).unwrap();
    assert!(note.verify(&key.parse().unwrap()).is_ok());
    assert_eq!(add(&service.url, &log.request(1, 0, 9)).await.unwrap().0, 409);
    let id = const_hex::encode(sha256_joined(&[ORIGIN.as_bytes()]).0);
    let (status, shown) = service.get(&format!("/{id}/checkpoint")).await;
    assert_eq!(status, 200);
    assert!(
        Note::parse(&String::from_utf8(shown).unwrap()).unwrap().verify(log.key.verifier()).is_ok()
    );
    let metrics = service.screen.lock().unwrap().clone();
    let metrics = metrics.lines().find_map(|line| line.strip_prefix("metrics on ")).unwrap();
    let text = http().get(metrics).send().await.unwrap().text().await.unwrap();
    for line in [
        r#"superroot_witness_log_size{log="example.org/log"} 9"#,
        r#"superroot_witness_answers_total{result="cosigned"} 1"#,
        r#"superroot_witness_answers_total{result="fork"} 1"#,
        r#"superroot_witness_answers_total{result="unsigned"} 0"#,
    ] {
        assert!(text.contains(line), "{line} in\n{text}");
    }
    let evidence: Vec<_> =
        std::fs::read_dir(folder.path().join("data/evidence")).unwrap().collect();
    assert_eq!(evidence.len(), 1);
    let file = evidence[0].as_ref().unwrap().path();
    let (code, said) = operator::run(superroot().arg("verify").arg(file));
    assert_eq!(code, 0, "{said}");
    assert!(said.contains("signed two histories"), "{said}");
    assert!(service.stop().success());
}

#[test]
fn a_witness_refuses_the_key_of_a_log_and_needs_a_log() {
    let (folder, log) = (tempfile::tempdir().unwrap(), Fork::new(1));
    let file = folder.path().join("witness.key");
    operator::run(superroot().args(["key", "new", "--origin", ORIGIN]).arg(&file));
    let (code, said) = operator::run(&mut witness(folder.path(), &log.key));
    assert_eq!(code, 2);
    assert!(said.contains("is the key of a log, not of a witness"), "{said}");
    let (code, said) = operator::run(superroot().arg("witness").arg("--key").arg(&file));
    assert_eq!(code, 2);
    assert!(said.contains("--log-key"), "{said}");

    let (folder, no_log) =
        (tempfile::tempdir().unwrap(), Signer::new(ORIGIN, KeyKind::Witness, &[3; 32]));
    new_key(folder.path());
    let (code, said) = operator::run(&mut witness(folder.path(), &no_log.unwrap()));
    assert_eq!(code, 2);
    assert!(said.contains("cannot witness from"), "{said}");
    assert!(!folder.path().join("data").exists(), "a refused start leaves nothing");
}

/// Killed at any moment, while two histories are offered at once, and begun again on its folder: of no
/// size did it ever answer for two roots.
#[tokio::test(flavor = "multi_thread")]
async fn a_killed_witness_never_cosigns_two_roots_of_one_size() {
    let (folder, log) = (tempfile::tempdir().unwrap(), Fork::new(4_000));
    new_key(folder.path());
    let (answered, mut dice) = (Mutex::new(BTreeMap::new()), ChaCha8Rng::seed_from_u64(13));
    let mut largest = 0;
    for _ in 0..6 {
        let service = Service::start(&mut witness(folder.path(), &log.key), "ready");
        assert!(service.shows("log, size "));
        let screen = service.screen.lock().unwrap().clone();
        let size = screen.lines().find_map(|line| line.split_once("log, size ")).unwrap().1;
        assert!(size.trim().parse::<u64>().unwrap() >= largest, "{largest}: {screen}");
        let (url, log, answered) = (&service.url, &log, &answered);
        let offer = async |branch: usize| {
            let mut old = 0;
            loop {
                let request = log.request(branch, old, old + 1);
                let Some((status, body)) = add(url, &request).await else { return };
                match status {
                    200 => {
                        let before = answered.lock().unwrap().insert(old + 1, branch);
                        assert!(before.is_none_or(|before| before == branch), "size {}", old + 1);
                        old += 1;
                    }
                    409 => old = body.trim().parse::<u64>().unwrap(),
                    // the other history stands there: one size back is tried again
                    other => {
                        assert_eq!(other, 422, "{body}");
                        tokio::time::sleep(Duration::from_millis(5)).await;
                    }
                }
            }
        };
        let pause = Duration::from_millis(100 + u64::from(dice.next_u32() % 400));
        tokio::select! {
            _ = async { tokio::join!(offer(0), offer(1)) } => panic!("the witness went away"),
            () = tokio::time::sleep(pause) => {}
        }
        service.kill();
        largest = answered.lock().unwrap().keys().max().copied().unwrap_or(0);
    }
    assert!(largest > 5, "{largest}");
}
