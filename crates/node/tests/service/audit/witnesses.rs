//! `superroot audit --policy`: what witnesses have seen of the log, beside what its service shows.

use std::path::Path;
use std::sync::{Arc, Mutex};

use axum::Router;
use axum::extract::Path as UrlPath;
use axum::http::StatusCode;
use axum::routing::get;
use superroot_proof::hash::sha256_joined;
use superroot_proof::note::{Checkpoint, KeyKind, Signer};
use superroot_types::{Hash, LogSize};

use crate::support::anvil::until;
use crate::support::auditor::{audit, demo, demo_command, is_evidence, newest, reaches};
use crate::support::operator::printed;
use crate::support::{Service, superroot};

const ORIGIN: &str = "simulated/demo-9";

/// A witness that shows this text of the log, where it is one.
async fn showing(text: Arc<Mutex<Option<String>>>) -> String {
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}/w", listener.local_addr().unwrap());
    let own = const_hex::encode(sha256_joined(&[ORIGIN.as_bytes()]).0);
    let show = async move |UrlPath(id): UrlPath<String>| {
        text.lock().unwrap().clone().filter(|_| id == own).ok_or(StatusCode::NOT_FOUND)
    };
    let router = Router::new().route("/w/{id}/checkpoint", get(show));
    tokio::spawn(async move { axum::serve(listener, router).await });
    url
}

/// The key that the service signs with.
fn stolen(data: &Path) -> Signer {
    Signer::from_secret(&std::fs::read_to_string(data.join("log.key")).unwrap()).unwrap()
}

fn signed(signer: &Signer, size: u64, root: Hash) -> String {
    let origin = ORIGIN.to_owned();
    signer.sign(&Checkpoint { origin, size: LogSize(size), root }.to_string(), 0).to_string()
}

#[tokio::test(flavor = "multi_thread")]
async fn what_a_witness_has_seen_is_compared() {
    let work = tempfile::tempdir().unwrap();
    let (data, policy) = (work.path().join("data"), work.path().join("policy"));
    let service = demo(&data);
    reaches(&service, 6).await;
    let (log, text) = (stolen(&data), Arc::new(Mutex::new(None)));
    let witness = Signer::new("w.example/1", KeyKind::Witness, &[4; 32]).unwrap();
    let url = showing(text.clone()).await;
    let with = |url: &str| {
        let line = format!("witness w {} {url}\nquorum none\n", witness.verifier());
        std::fs::write(&policy, line).unwrap();
    };
    let evidence = work.path().join("evidence.json");
    let evidence = evidence.to_str().unwrap();
    let key = log.verifier().to_string();
    let asked = ["--key", &key, "--policy", policy.to_str().unwrap(), "--evidence", evidence];
    let shown = |note: Option<String>| {
        *text.lock().unwrap() = note;
        audit(&[&service], &asked)
    };
    with(&url);
    let (_, honest) = service.get("/v5/checkpoint?sequence=3").await;
    let (code, said) = shown(Some(String::from_utf8(honest).unwrap()));
    assert!(code == 0 && said.contains("TRUE") && !said.contains("witness w.example"), "{said}");
    let stranger = Signer::new(ORIGIN, KeyKind::Log, &[8; 32]).unwrap();
    for (note, why) in [
        (None, "it has cosigned nothing of this log"),
        (Some("no note\u{1b}[2J".to_owned()), "it shows no note of the log's key"),
        (Some(signed(&stranger, 3, Hash::ZERO)), "no signature of that key"),
        (Some(signed(&log, 900_000, Hash::ZERO)), "has seen 900000 SuperRoots, the services show"),
    ] {
        let (code, said) = shown(note);
        assert!(code == 0 && said.contains("TRUE"), "{said}");
        let line = said.lines().find(|line| line.contains("the witness w.example/1")).unwrap();
        assert!(line.contains(why) && !line.contains('\u{1b}'), "{line}");
    }
    let (code, said) = shown(Some(signed(&log, 4, Hash::ZERO)));
    assert!(code == 1 && said.contains("of size 4 there are two histories"), "{said}");
    is_evidence(evidence);
    with("http://127.0.0.1:1");
    let (code, said) = audit(&[&service], &asked);
    assert!(code == 0 && said.contains("the witness w.example/1: no answer"), "{said}");
}

/// The quorum is asked for where the policy names one, and the newest note need not have it yet.
#[tokio::test(flavor = "multi_thread")]
async fn the_quorum_of_real_witnesses_signs_what_is_audited() {
    let work = tempfile::tempdir().unwrap();
    let path = |name: &str| work.path().join(name);
    let data = path("data");
    let new = |file: &Path, more: [&str; 2]| {
        printed(superroot().args(["key", "new"]).args(more).arg(file)).trim().to_owned()
    };
    std::fs::create_dir(&data).unwrap();
    let log = new(&data.join("log.key"), ["--origin", ORIGIN]);
    let witness = |name: &str| {
        let file = path(&format!("{name}.key"));
        let key = new(&file, ["--witness", &format!("{name}.example/1")]);
        let mut command = superroot();
        command.args(["witness", "--listen", "127.0.0.1:0", "--log-key", &log, "--key"]);
        command.arg(file).arg("--data").arg(path(name));
        let running = Service::start(&mut command, "ready");
        let line = format!("witness {name} {key} {}\n", running.url);
        (running, line)
    };
    let ((running, own), (_other, others)) = (witness("w"), witness("x"));
    std::fs::write(path("policy"), format!("{own}quorum w\n")).unwrap();
    // the service takes either for a quorum
    let either = format!("{own}{others}group any-of any w x\nquorum any-of\n");
    std::fs::write(path("either"), either).unwrap();
    let mut command = demo_command(&data);
    command.env("SUPERROOT__LOG__WITNESS_POLICY", path("either"));
    let service = Service::start(&mut command, "ready");
    until("both witnesses sign", async || {
        let (_, note) = service.get("/v5/checkpoint?cosigned=1").await;
        let signed = |name: &str| String::from_utf8_lossy(&note).contains(name);
        (signed("w.example/1") && signed("x.example/1")).then_some(())
    })
    .await;
    let policy = path("policy");
    let asked = ["--key", &log, "--policy", policy.to_str().unwrap()];
    let (code, said) = audit(&[&service], &asked);
    assert!(code == 0 && said.contains("the quorum of your witnesses signed the first"), "{said}");
    assert!(!said.contains("the witness w.example"), "{said}");
    // the witness goes away: what it did not sign is told, and that it is away
    drop(running);
    reaches(&service, newest(&service).await + 2).await;
    let (code, said) = audit(&[&service], &asked);
    let words = "not shown: that everybody else is shown the SuperRoots from";
    assert!(code == 0 && said.contains(words), "{said}");
    assert!(said.contains("the quorum of your witnesses signed the first"), "{said}");
    assert!(said.contains("the witness w.example/1: no answer"), "{said}");
    let other = Signer::new("o.example/1", KeyKind::Witness, &[5; 32]).unwrap();
    let never = format!("witness o {}\nquorum o\n", other.verifier());
    std::fs::write(&policy, never).unwrap();
    let (code, said) = audit(&[&service], &asked);
    assert!(code == 2 && said.contains("the quorum of your witnesses signed none"), "{said}");
}
