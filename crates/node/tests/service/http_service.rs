//! The HTTP service as strangers meet it: the built binary, over real sockets.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Command, Stdio};

use crate::support::{Service, http, operator, recordings, superroot};
use serde_json::Value;
use superroot_types::{Clock, SystemClock, UnixSeconds};

const READY: &str = "ready";

fn demo() -> Command {
    let mut command = superroot();
    command.args(["demo", "--listen", "127.0.0.1:0"]);
    command
}

/// A demo without a limit.
fn unlimited() -> Service {
    let mut command = demo();
    Service::start(command.env("SUPERROOT__LIMIT__KEYLESS_PER_MINUTE", "0"), READY)
}

/// What comes back for these bytes, until the service hangs up.
fn exchange(url: &str, bytes: &[u8]) -> String {
    let mut stream = TcpStream::connect(url.trim_start_matches("http://")).unwrap();
    stream.write_all(bytes).unwrap();
    let mut answer = Vec::new();
    stream.read_to_end(&mut answer).unwrap();
    String::from_utf8_lossy(&answer).into_owned()
}

/// What a command that must fail printed; it must not have run on.
fn refused(command: &mut Command) -> String {
    let (code, text) = operator::run(command);
    assert_eq!(code, 2, "{text}");
    assert!(!text.contains("panicked"), "{text}");
    text
}

/// Bad requests as raw bytes, where no client library mends them first.
#[tokio::test]
async fn bad_bytes_on_the_socket_get_a_problem() {
    let service = unlimited();
    let tail = "HTTP/1.1\r\nHost: x\r\nConnection: close\r\n";
    let post = format!("POST /kv/verify {tail}Content-Type: application/json\r\n");
    let chunk = format!("10000\r\n{}\r\n", "a".repeat(65_536)).repeat(17);
    for (request, status, code) in [
        (format!("GET /v5/proof/1/%FF%FE {tail}\r\n"), 400, "invalid_parameter"),
        (format!("GET /v5/proof/%C3%28/1 {tail}\r\n"), 400, "invalid_parameter"),
        (format!("GET /v5/proof/1/18446744073709551616 {tail}\r\n"), 400, "invalid_parameter"),
        (format!("GET /v5/tx/1/0x{} {tail}\r\n", "ab".repeat(31)), 400, "invalid_parameter"),
        (format!("GET /../../etc/passwd {tail}\r\n"), 404, "unknown_path"),
        (format!("BREW /v5/superroot {tail}\r\n"), 405, "method_not_allowed"),
        (format!("GET /v5/superroot {tail}X-API-Key: \u{e9}\r\n\r\n"), 401, "invalid_api_key"),
        (format!("{post}Content-Length: 2097152\r\n\r\n"), 413, "body_too_large"),
        (format!("{post}Transfer-Encoding: chunked\r\n\r\n{chunk}"), 413, "body_too_large"),
        (format!("{post}Transfer-Encoding: chunked\r\n\r\nzz\r\n"), 400, "invalid_parameter"),
    ] {
        let answer = exchange(&service.url, request.as_bytes());
        let shown = &request[..request.len().min(60)];
        assert!(answer.starts_with(&format!("HTTP/1.1 {status} ")), "{shown}: {answer}");
        assert!(answer.contains("content-type: application/problem+json"), "{shown}: {answer}");
        assert!(answer.contains(&format!("\"code\":\"{code}\"")), "{shown}: {answer}");
    }
    // what is no HTTP is refused by the protocol's own means, and never takes the service down
    for garbage in [&b"\x16\x03\x01\x02\x00\x01\x00"[..], b"GET /\xff\xfe HTTP/1.1\r\n\r\n"] {
        assert!(exchange(&service.url, garbage).starts_with("HTTP/1.1 400 "));
    }
    let head = exchange(&service.url, format!("HEAD /v5/superroot/0 {tail}\r\n").as_bytes());
    assert!(head.starts_with("HTTP/1.1 200 ") && head.ends_with("\r\n\r\n"), "{head}");
    assert_eq!(service.get("/health/ready").await.0, 200);
}

/// What a demo's builder has ends as what is paid for does, thirty days after it was made, and its holder is
/// told when; the keys of the other tiers have no end.
#[tokio::test]
async fn a_demo_tells_its_builder_an_end_thirty_days_ahead() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().join("data");
    let in_thirty_days = || UnixSeconds(SystemClock.now().0 + 30 * 86_400).iso_8601();
    let earliest = in_thirty_days();
    let service = Service::start(&mut operator::demo(&data), READY);
    let latest = in_thirty_days();
    let keys = std::fs::read(data.join("demo-keys.json")).unwrap();
    let keys: Vec<Value> = serde_json::from_slice(&keys).unwrap();
    assert_eq!(keys.len(), 4, "one of each tier");
    for key in &keys {
        let request = http().get(format!("{}/api/v1/verify", service.url));
        let answer = request.header("x-api-key", key["api_key"].as_str().unwrap()).send().await;
        let answer = answer.unwrap();
        assert_eq!(answer.status(), 200, "{}", key["tier"]);
        let told: Value = answer.json().await.unwrap();
        assert_eq!(told["tier"], key["tier"]);
        if key["tier"] != "builder" {
            assert_eq!(told["expires_at"], Value::Null, "{told}");
            continue;
        }
        assert_eq!(told["subscription_status"], "active");
        let end = told["expires_at"].as_str().unwrap();
        assert!(earliest.as_str() <= end && end <= latest.as_str(), "{told}");
    }
    assert!(service.stop().success());
}

/// Requests that are open when the service is told to stop are answered whole.
#[tokio::test(flavor = "multi_thread")]
async fn a_stop_under_load_cuts_no_answer_short() {
    let service = unlimited();
    let url = format!("{}/v5/proof/1/latest", service.url);
    let (begun, mut answers) = tokio::sync::mpsc::channel::<()>(64);
    let ask = move |url: String, begun: tokio::sync::mpsc::Sender<()>| async move {
        let mut count = 0_u32;
        loop {
            // a connection for each request, so that none waits on one that is being closed
            let request = http().get(&url).header("connection", "close");
            let Ok(answer) = request.send().await else { return count };
            assert_eq!(answer.status(), 200);
            let body = answer.bytes().await.expect("a whole body");
            assert!(serde_json::from_slice::<Value>(&body).is_ok());
            count += 1;
            let _ = begun.try_send(());
        }
    };
    let clients: Vec<_> = (0..8).map(|_| tokio::spawn(ask(url.clone(), begun.clone()))).collect();
    for _ in 0..32 {
        answers.recv().await.unwrap();
    }
    let stopped = tokio::task::spawn_blocking(move || service.stop()).await.unwrap();
    assert!(stopped.success(), "{stopped}");
    for client in clients {
        assert!(client.await.unwrap() > 0);
    }
}

/// From SIGTERM on a service is not ready, and serves on until the drain is over, which a second signal ends.
#[tokio::test]
async fn a_service_that_is_told_to_stop_serves_on_and_is_not_ready() {
    let mut command = demo();
    command.env("SUPERROOT__SERVER__DRAIN_MS", "600000");
    let service = Service::start(&mut command, READY);
    assert_eq!(service.get("/health/ready").await.0, 200);
    let id = service.id().to_string();
    let terminate = || Command::new("kill").args(["-TERM", &id]).status().unwrap();
    assert!(terminate().success());
    let begun = std::time::Instant::now();
    while service.get("/health/ready").await.0 == 200 {
        assert!(begun.elapsed().as_secs() < 60, "it stays ready");
    }
    let (status, body) = service.answer("/health/ready").await;
    assert_eq!((status, &body["code"]), (503, &"stopping".into()), "{body}");
    for path in ["/health/live", "/v5/superroot", "/api/v1/chains"] {
        assert_eq!(
            service.get(path).await.0,
            200,
            "{path}: each over a new connection, if need be"
        );
    }
    assert!(terminate().success());
    assert!(service.ended().success());
}

/// A process that is still starting stops at the first word, and a demo takes its folder along.
#[test]
fn a_service_that_is_not_ready_stops_when_told() {
    for signal in ["-INT", "-TERM"] {
        let temporary = tempfile::tempdir().unwrap();
        let mut command = demo();
        command.env("TMPDIR", temporary.path()).stdout(Stdio::null()).stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        let mut screen = child.stderr.take().unwrap();
        // it says that it makes its chains before it is ready
        let mut seen = Vec::new();
        while !String::from_utf8_lossy(&seen).contains("making") {
            let mut byte = [0];
            assert_eq!(screen.read(&mut byte).unwrap(), 1, "{}", String::from_utf8_lossy(&seen));
            seen.push(byte[0]);
        }
        let id = child.id().to_string();
        assert!(Command::new("kill").args([signal, &id]).status().unwrap().success());
        assert_eq!(child.wait().unwrap().code(), Some(0), "{signal}");
        assert_eq!(std::fs::read_dir(temporary.path()).unwrap().count(), 0, "{signal}");
    }
}

#[tokio::test]
async fn one_folder_serves_one_process_and_one_address_one_service() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().join("data");
    let other = folder.path().join("other");
    let with = |data: &Path| {
        let mut command = demo();
        command.arg("--data").arg(data);
        command
    };
    let service = Service::start(&mut with(&data), READY);
    let text = refused(&mut with(&data));
    assert!(text.contains("in use by another process") && text.contains("data"), "{text}");
    let address = service.url.trim_start_matches("http://").to_owned();
    let text = refused(superroot().args(["demo", "--listen", &address, "--data"]).arg(&other));
    assert!(text.contains(&format!("cannot listen on {address}")), "{text}");
    assert!(!other.exists(), "a refused start leaves nothing behind");
    assert_eq!(service.get("/health/ready").await.0, 200, "the first one goes on");
}

/// What makes a start refused: early, late, and when its log has begun already.
fn refusals(taken: &str, nowhere: &str) -> [(&'static str, String, &'static str); 4] {
    [
        ("SUPERROOT__SERVER__LISTEN", taken.to_owned(), "cannot listen on"),
        ("SUPERROOT__SERVER__METRICS_LISTEN", taken.to_owned(), "for metrics"),
        ("SUPERROOT__MARKET__TOKENS", nowhere.to_owned(), "cannot read"),
        ("SUPERROOT__LOG__NEXT_KEY_FILE", nowhere.to_owned(), "cannot read the key"),
    ]
}

/// A folder that was not there is not there afterwards, an empty one is empty, and what was in another
/// stays.
#[test]
fn a_refused_start_leaves_nothing_behind() {
    let folder = tempfile::tempdir().unwrap();
    let taken = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let taken = (taken.local_addr().unwrap().to_string(), taken);
    let endpoints = folder.path().join("endpoints.toml");
    // nobody is asked: no start gets as far as that
    let nodes = r#"endpoint = [{ chain = "ethereum", url = "http://127.0.0.1:9" }]"#;
    std::fs::write(&endpoints, nodes).unwrap();
    let serve = || {
        let mut command = superroot();
        command.args(["serve", "--chain", "ethereum", "--endpoints"]).arg(&endpoints);
        command
    };
    let demo = || {
        let mut command = superroot();
        command.arg("demo");
        command
    };
    let replay = |recordings: &Path| {
        let mut command = superroot();
        command.args(["serve", "--chain", "1", "--replay"]).arg(recordings);
        command
    };
    let (missing, data) = (folder.path().join("lies"), folder.path().join("lies/deep"));
    let is_refused = |mut command: Command, (name, value, why): (&str, String, &str)| {
        command.env("SUPERROOT__SERVER__LISTEN", "127.0.0.1:0").env(name, value);
        let text = refused(command.arg("--data").arg(&data));
        assert!(text.contains(why), "{name}: {text}");
    };
    let nowhere = folder.path().join("nowhere").display().to_string();
    for refusal in refusals(&taken.0, &nowhere) {
        is_refused(serve(), refusal.clone());
        assert!(!missing.exists(), "{} of serve", refusal.0);
        is_refused(demo(), refusal.clone());
        assert!(!missing.exists(), "{} of demo", refusal.0);
    }
    if let Some(recordings) = recordings() {
        let [listen, ..] = refusals(&taken.0, &nowhere);
        is_refused(replay(&recordings), listen);
        assert!(!missing.exists(), "of a replay");
    }
    let [.., late] = refusals(&taken.0, &nowhere);
    std::fs::create_dir_all(&data).unwrap();
    is_refused(serve(), late.clone());
    assert_eq!(std::fs::read_dir(&data).unwrap().count(), 0, "it was empty");
    std::fs::write(data.join("note"), "mine").unwrap();
    is_refused(serve(), late);
    assert_eq!(std::fs::read_to_string(data.join("note")).unwrap(), "mine");
}

#[test]
fn what_cannot_be_used_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("a-file");
    std::fs::write(&file, "[limit]\nkeyless_per_minut = 3\n").unwrap();
    let text = refused(demo().arg("--data").arg(&file));
    assert!(text.contains("a-file"), "{text}");
    let text = refused(demo().arg("--config").arg(&file));
    assert!(text.contains("keyless_per_minut") && text.contains("limit"), "{text}");
    let text = refused(demo().env("SUPERROOT__LIMIT__KEYLES", "1"));
    assert!(text.contains("keyles"), "{text}");
    let text = refused(demo().env("SUPERROOT__NOWHERE__KEY", "1"));
    assert!(text.contains("nowhere"), "{text}");
    let text = refused(superroot().args(["serve", "--replay", "/no/such/folder"]));
    assert!(text.contains("/no/such/folder"), "{text}");
}
