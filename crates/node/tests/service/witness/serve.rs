//! A service and its witnesses: honest ones, and such as answer anything else.

use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use axum::Router;
use axum::body::Bytes;
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use axum::routing::post;
use serde_json::Value;
use superroot_proof::note::{Checkpoint, KeyKind, Note, Signer, TrustPolicy};
use superroot_witness::AddCheckpoint;

use crate::support::{Service, operator, superroot};

/// Unix seconds now.
fn now() -> u64 {
    std::time::UNIX_EPOCH.elapsed().unwrap().as_secs()
}

fn key(name: &str, secret: u8) -> Signer {
    Signer::new(name, KeyKind::Witness, &[secret; 32]).unwrap()
}

/// What a false witness does with a request.
type Behaviour = Arc<dyn Fn(AddCheckpoint) -> Response + Send + Sync>;

/// Serves a witness that behaves so; gives its address.
async fn false_witness(behaviour: Behaviour) -> String {
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address: SocketAddr = listener.local_addr().unwrap();
    let answer = move |body: Bytes| async move { behaviour(AddCheckpoint::parse(&body).unwrap()) };
    let router = Router::new().route("/add-checkpoint", post(answer));
    tokio::spawn(async move { axum::serve(listener, router).await });
    format!("http://{address}")
}

/// A demo on a folder, with a policy.
struct World {
    folder: tempfile::TempDir,
}

impl World {
    fn new() -> Self {
        Self { folder: tempfile::tempdir().unwrap() }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn serve(&self, policy: &str) -> Service {
        self.serve_with(policy, "[]")
    }

    /// The same, with these marks.
    fn serve_with(&self, policy: &str, marks: &str) -> Service {
        std::fs::write(self.path("policy"), policy).unwrap();
        let mut command = superroot();
        command.args(["--log", "info", "demo", "--listen", "127.0.0.1:0", "--seed", "9"]);
        command.arg("--data").arg(self.path("data"));
        command.env("SUPERROOT__LIMIT__KEYLESS_PER_MINUTE", "0");
        command.env("SUPERROOT__ACCUMULATE__BEAT_MS", "200");
        command.env("SUPERROOT__LOG__WITNESS_POLICY", self.path("policy"));
        command.env("SUPERROOT__LOG__MARK", marks);
        Service::start(&mut command, "ready")
    }

    /// The log's key, made before its service is.
    fn log_key(&self) -> String {
        let file = self.path("data").join("log.key");
        let origin = ["key", "new", "--origin", "simulated/demo-9"];
        let (code, key) = operator::run(superroot().args(origin).arg(file));
        assert_eq!(code, 0, "{key}");
        key.trim().to_owned()
    }

    /// An honest witness of that log, and its key.
    fn witness(&self, name: &str, log: &str) -> (Service, String) {
        let file = self.path(&format!("{name}.key"));
        if !file.exists() {
            operator::run(superroot().args(["key", "new", "--witness", name]).arg(&file));
        }
        let key = operator::run(superroot().args(["key", "show"]).arg(&file)).1;
        let mut command = superroot();
        command.args(["witness", "--listen", "127.0.0.1:0", "--log-key", log, "--key"]);
        command.arg(&file).arg("--data").arg(self.path(&format!("{name}-data")));
        (Service::start(&mut command, "ready"), key.trim().to_owned())
    }
}

/// Waits until something holds of the service.
async fn until<T>(service: &Service, what: &str, mut look: impl AsyncFnMut() -> Option<T>) -> T {
    let begun = Instant::now();
    while begun.elapsed().as_secs() < 60 {
        if let Some(found) = look().await {
            return found;
        }
        tokio::time::sleep(Duration::from_millis(30)).await;
    }
    panic!("{what} does not come: {}", service.screen.lock().unwrap());
}

async fn witness_status(service: &Service, name: &str) -> Value {
    let status = service.json("/api/v1/status").await;
    let witnesses = status["witnesses"].as_array().unwrap();
    witnesses.iter().find(|one| one["name"] == name).cloned().unwrap_or_default()
}

async fn checkpoint(service: &Service, sequence: u64) -> String {
    let (status, note) = service.get(&format!("/v5/checkpoint?sequence={sequence}")).await;
    assert_eq!(status, 200);
    String::from_utf8(note).unwrap()
}

async fn sequence(service: &Service) -> u64 {
    service.json("/v5/superroot").await["sequence"].as_u64().unwrap()
}

/// Two witnesses in processes of their own: notes get their quorum; one that is away is not waited
/// for, and one that comes back, or knows the log from before, catches up.
#[tokio::test(flavor = "multi_thread")]
async fn two_witnesses_cosign_what_a_service_publishes() {
    let world = World::new();
    let log = world.log_key();
    let ((one, one_key), (two, two_key)) = (world.witness("w1", &log), world.witness("w2", &log));
    let policy = format!(
        "log {log}\nwitness a {one_key} {}\nwitness b {two_key} {}/\ngroup g all a b\nquorum g\n",
        one.url, two.url
    );
    let service = world.serve(&policy);
    let (policy, log_key) = (TrustPolicy::parse(&policy).unwrap(), log.parse().unwrap());
    let quorum = async |from: u64| {
        until(&service, "a quorum", async || {
            let newest = sequence(&service).await;
            for at in (from..=newest).rev() {
                let note = checkpoint(&service, at).await;
                if let Ok(shown) = Checkpoint::of_note(&note, &log_key, &policy) {
                    return Some(shown.size);
                }
            }
            None
        })
        .await
    };
    let size = quorum(0).await;
    assert!(quorum(size.0).await > size, "newer notes get theirs");
    let status = witness_status(&service, "w1").await;
    assert!(status["size"].as_u64() >= Some(1) && status["last_error"].is_null(), "{status}");
    assert!(status["age_seconds"].as_u64().unwrap() < 60, "{status}");
    // one is away: publishing goes on, and the status says why it does not cosign
    two.kill();
    let before = sequence(&service).await;
    until(&service, "the failure", async || {
        let why = witness_status(&service, "w2").await["last_error"].clone();
        why.as_str().filter(|why| why.contains("cannot be reached")).map(drop)
    })
    .await;
    until(&service, "a SuperRoot", async || (sequence(&service).await > before + 2).then_some(()))
        .await;
    assert_eq!(service.stop().code(), Some(0));
    // the service begins again with both: the sizes that they hold are taken up by their 409
    let (two, _) = world.witness("w2", &log);
    let policy = format!(
        "witness a {one_key} {}\nwitness b {two_key} {}\ngroup g all a b\nquorum g\n",
        one.url, two.url
    );
    let service = world.serve(&policy);
    let newest = sequence(&service).await;
    until(&service, "both", async || {
        let sizes = [witness_status(&service, "w1").await, witness_status(&service, "w2").await];
        sizes.iter().all(|one| one["size"].as_u64() > Some(newest)).then_some(())
    })
    .await;
}

/// An older copy of the folder is put back: its witness shows a note of the log's own key that is
/// higher, so nothing is published anew.
#[tokio::test(flavor = "multi_thread")]
async fn a_restored_folder_does_not_fork_the_log_that_a_witness_knows() {
    let world = World::new();
    let log = world.log_key();
    let (witness, key) = world.witness("w1", &log);
    let policy = format!("witness a {key} {}\nquorum a\n", witness.url);
    let grown = async |service: &Service, size: u64| {
        until(service, "the witness", async || {
            (witness_status(service, "w1").await["size"].as_u64() > Some(size)).then_some(())
        })
        .await;
    };
    let service = world.serve(&policy);
    grown(&service, 2).await;
    assert!(service.stop().success());
    let copy = |from: &str, to: &str| {
        let mut command = std::process::Command::new("cp");
        assert!(
            command.arg("-a").arg(world.path(from)).arg(world.path(to)).status().unwrap().success()
        );
    };
    copy("data", "copy");
    let service = world.serve(&policy);
    let before = sequence(&service).await;
    grown(&service, before + 5).await;
    assert!(service.stop().success());
    std::fs::remove_dir_all(world.path("data")).unwrap();
    copy("copy", "data");
    let service = world.serve(&policy);
    let why = until(&service, "the refusal", async || {
        let status = service.json("/api/v1/status").await;
        let why = status["publishing_why"].as_str().map(str::to_owned);
        why.filter(|_| status["publishing"] == "held")
    })
    .await;
    assert!(why.contains("older copy") && !why.contains(&witness.url), "{why}: names no place");
    let restored = sequence(&service).await;
    tokio::time::sleep(Duration::from_secs(1)).await;
    assert_eq!(sequence(&service).await, restored, "five beats bring nothing");
}

/// A witness that shows no note, as C2SP asks none of it, and holds more of the log than an older copy:
/// where the marks name the witnesses, its answer alone holds the copy before anything is published.
#[tokio::test(flavor = "multi_thread")]
async fn a_named_witness_that_is_ahead_holds_what_is_published() {
    let held: Arc<Mutex<Option<u64>>> = Arc::default();
    let behaviour: Behaviour = {
        let held = held.clone();
        Arc::new(move |request: AddCheckpoint| match *held.lock().unwrap() {
            Some(size) => {
                let kind = [(header::CONTENT_TYPE, "text/x.tlog.size")];
                (StatusCode::CONFLICT, kind, format!("{size}\n")).into_response()
            }
            None => {
                let signed = key("foreign", 30).sign(request.note.text(), now());
                signed.signature_lines().into_response()
            }
        })
    };
    let url = false_witness(behaviour).await;
    let world = World::new();
    let policy =
        format!("witness foreign {} {url}\nquorum foreign\n", key("foreign", 30).verifier());
    let mark = world.path("mark").display().to_string();
    let marks = serde_json::json!(["witnesses", mark]).to_string();
    let service = world.serve_with(&policy, &marks);
    let grows = async |service: &Service| {
        let before = sequence(service).await;
        let grown = async || (sequence(service).await > before + 2).then_some(());
        until(service, "a SuperRoot", grown).await;
    };
    let is_held = async |service: &Service, words: &str| {
        until(service, words, async || {
            let status = service.json("/api/v1/status").await;
            let why = status["publishing_why"].as_str().unwrap_or_default().to_owned();
            (status["publishing"] == "held" && why.contains(words)).then_some(())
        })
        .await;
        let stood = sequence(service).await;
        tokio::time::sleep(Duration::from_secs(1)).await;
        assert_eq!(sequence(service).await, stood, "five beats bring nothing");
    };
    grows(&service).await;
    *held.lock().unwrap() = Some(1 << 40);
    is_held(&service, "the witness foreign holds 1099511627776").await;
    assert!(service.shows("take `witnesses` out of log.mark"));
    // once it cosigns again, it goes on by itself
    *held.lock().unwrap() = None;
    grows(&service).await;
    assert!(service.stop().success());
    // an older copy has the witness's cosignatures too: it is asked before anything is published
    *held.lock().unwrap() = Some(1 << 40);
    let last = Note::parse(&std::fs::read_to_string(&mark).unwrap()).unwrap();
    let service = world.serve_with(&policy, &marks);
    is_held(&service, "older copy").await;
    let size = Checkpoint::parse(last.text()).unwrap().size.0;
    assert_eq!(sequence(&service).await + 1, size, "nothing was published anew");
}

/// Whatever a witness answers: nothing of it comes into a note, publishing goes on, and the honest one
/// beside it cosigns.
#[tokio::test(flavor = "multi_thread")]
async fn false_witnesses_leave_no_trace_in_a_note() {
    let first: Arc<Mutex<Option<(String, String)>>> = Arc::default();
    let lines = |text: &str, signer: &Signer, time: u64| signer.sign(text, time).signature_lines();
    let replay = move |request: AddCheckpoint| {
        let text = request.note.text().to_owned();
        let mut first = first.lock().unwrap();
        let signed = || (text.clone(), lines(&text, &key("replays", 14), now()));
        first.get_or_insert_with(signed).1.clone().into_response()
    };
    let size = || [(header::CONTENT_TYPE, "text/x.tlog.size")];
    let behaviours: [(&str, u8, Behaviour); 11] = [
        ("garbage", 10, Arc::new(|_| "\u{2014} garbage AAAA\n\u{1b}[2J".into_response())),
        ("long", 11, Arc::new(|_| "x".repeat(1 << 20).into_response())),
        (
            "wrong-key",
            12,
            Arc::new(move |request| {
                lines(request.note.text(), &key("wrong-key", 99), now()).into_response()
            }),
        ),
        (
            "other-text",
            13,
            Arc::new(move |_| lines("x\n1\nAAAA\n", &key("other-text", 13), now()).into_response()),
        ),
        ("replays", 14, Arc::new(replay)),
        (
            "future",
            15,
            Arc::new(move |request| {
                lines(request.note.text(), &key("future", 15), now() + 100_000).into_response()
            }),
        ),
        (
            "restless",
            16,
            Arc::new(move |request| {
                let other = if request.old == 0 { "1\n" } else { "0\n" };
                (StatusCode::CONFLICT, size(), other).into_response()
            }),
        ),
        ("no-size", 17, Arc::new(|_| (StatusCode::CONFLICT, "7\n").into_response())),
        (
            "redirects",
            18,
            Arc::new(|_| {
                (StatusCode::TEMPORARY_REDIRECT, [(header::LOCATION, "/elsewhere")]).into_response()
            }),
        ),
        (
            "ahead",
            21,
            Arc::new(move |_| (StatusCode::CONFLICT, size(), "9007199254740000\n").into_response()),
        ),
        ("refuses", 19, Arc::new(|_| (StatusCode::FORBIDDEN, "no such log").into_response())),
    ];
    let mut policy = String::new();
    let mut names = Vec::new();
    for (name, secret, behaviour) in behaviours {
        let url = false_witness(behaviour).await;
        policy += &format!("witness {name} {} {url}\n", key(name, secret).verifier());
        names.push(name);
    }
    // takes a connection and never answers
    let silent = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}", silent.local_addr().unwrap());
    policy += &format!("witness silent {} {url}\n", key("silent", 20).verifier());
    let world = World::new();
    let log = world.log_key();
    let (honest, honest_key) = world.witness("honest", &log);
    policy += &format!("witness honest {honest_key} {}\nquorum honest\n", honest.url);
    let service = world.serve(&policy);
    for name in names {
        until(&service, name, async || {
            let status = witness_status(&service, name).await;
            status["last_error"]
                .as_str()
                .filter(|why| why.len() < 400 && !why.contains('\u{1b}'))?;
            Some(())
        })
        .await;
    }
    let size = until(&service, "the honest one", async || {
        witness_status(&service, "honest").await["size"].as_u64().filter(|size| *size > 5)
    })
    .await;
    let (policy, honest_key) = (TrustPolicy::parse(&policy).unwrap(), honest_key.parse().unwrap());
    for at in 0..size {
        let note = checkpoint(&service, at).await;
        let read = Note::parse(&note).unwrap();
        for (key, _) in policy.witnesses().filter(|(key, _)| **key != honest_key) {
            // one cosignature of the witness that replays was sound: that of the note it was asked for
            assert!(key.name() == "replays" || read.verify(key).is_err(), "{at}: {note}");
        }
        let lines = note.lines().filter(|line| line.starts_with('\u{2014}'));
        assert!(lines.count() <= 3, "{note}");
    }
    // a word without a note of the log's key holds nothing, and is told
    let ahead = witness_status(&service, "ahead").await;
    assert_eq!(ahead["ahead"], 9_007_199_254_740_000_u64, "{ahead}");
    assert!(ahead["last_error"].as_str().unwrap().contains("the folder is behind"), "{ahead}");
    assert!(service.shows("the witness ahead cosigns nothing"));
    let status = service.json("/api/v1/status").await;
    assert_eq!(status["publishing"], "on");
    let replays = witness_status(&service, "replays").await;
    assert!(replays["size"].as_u64() <= Some(2), "{replays}: {status}");
}
