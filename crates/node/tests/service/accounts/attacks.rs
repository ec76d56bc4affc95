//! The built program under attack: killed while it counts, asked with a key while that is revoked, and
//! watched for secrets in everything that it says.

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use crate::support::connection::Connection;
use crate::support::operator::{self, printed};
use crate::support::{Service, http, superroot};
use serde_json::{Value, json};

/// Key of the demo's account of that tier, and the account.
fn demo_key(data: &Path, tier: &str) -> (String, String) {
    let file = std::fs::read(data.join("demo-keys.json")).unwrap();
    let keys: Vec<Value> = serde_json::from_slice(&file).unwrap();
    let key = keys.iter().find(|key| key["tier"] == tier).unwrap();
    (key["api_key"].as_str().unwrap().to_owned(), key["account"].as_str().unwrap().to_owned())
}

fn demo(data: &Path, settings: &[(&str, &str)]) -> Service {
    let config = data.with_extension("toml");
    std::fs::write(&config, "[api]\ntrusted_proxies = [\"127.0.0.0/8\"]\n").unwrap();
    let mut command = operator::demo(data);
    command.args(["--seed", "7", "--config"]).arg(config).envs(settings.iter().copied());
    Service::start(&mut command, "ready")
}

/// A service on no chain at all, up at once; a new account's key may ask without end.
fn bare(folder: &Path) -> Service {
    let endpoints = folder.join("endpoints.toml");
    std::fs::write(
        &endpoints,
        "[[endpoint]]\nchain = \"ethereum\"\nurl = \"http://127.0.0.1:9\"\n",
    )
    .unwrap();
    let mut command = superroot();
    command.args(["serve", "--listen", "127.0.0.1:0", "--endpoints"]).arg(endpoints);
    command.arg("--data").arg(folder.join("data"));
    for plan in ["TIERS__EXPLORER", "TIERS__BUILDER", "TIERS__PROTOCOL", "ENTERPRISE"] {
        command.env(format!("SUPERROOT__PLANS__{plan}__LIMIT_PER_MINUTE"), "10000000");
    }
    // refusals come in hundreds here
    command.env("SUPERROOT__LIMIT__FAILED_KEYS_PER_MINUTE", "0");
    Service::start(&mut command, "listening on")
}

/// A new account's key.
async fn register(service: &Service) -> String {
    let wallet = format!("0x{}", "11".repeat(20));
    let request = http().post(format!("{}/api/v1/register", service.url));
    let answer = request.json(&json!({ "wallet_address": wallet })).send().await.unwrap();
    let answer: Value = answer.json().await.unwrap();
    answer["api_key"].as_str().unwrap_or_else(|| panic!("{answer}")).to_owned()
}

fn with_key(key: &str) -> String {
    format!("X-API-Key: {key}\r\n")
}

/// Requests of the running month that an account was counted, as usage says.
async fn counted(service: &Service, key: &str) -> u64 {
    let mut connection = Connection::open(&service.url, "127.0.0.1").await.unwrap();
    let usage = connection.get("/api/v1/usage", &with_key(key)).await.unwrap();
    assert_eq!(usage.status, 200, "{}", usage.body);
    let usage: Value = serde_json::from_str(&usage.body).unwrap();
    usage["requests_this_month"].as_u64().unwrap()
}

/// What a process that is killed had counted within its last second may be lost, nothing that was
/// answered before it is, and nobody is ever counted what he did not ask.
#[tokio::test(flavor = "multi_thread")]
async fn a_kill_loses_a_second_of_counts_and_adds_none() {
    let folder = tempfile::tempdir().unwrap();
    let kills = if std::env::var_os("SUPERROOT_TEST_ALL").is_some() { 20 } else { 3 };
    let mut key = None;
    // of the account, since its first request: what was counted at the last look and asked since
    let (mut sent, mut settled) = (0, 0);
    for round in 0..=kills {
        let service = bare(folder.path());
        if key.is_none() {
            key = Some(register(&service).await);
        }
        let key = key.as_ref().unwrap();
        if round > 0 {
            let counted = counted(&service, key).await;
            eprintln!("{sent} sent, {settled} a second before the kill, {counted} counted");
            assert!(counted <= sent, "{counted} counted of {sent} sent");
            assert!(
                counted >= settled && settled > 0,
                "{counted} counted, {settled} a second before"
            );
            // the look itself is a request
            (sent, settled) = (counted + 1, counted);
        }
        if round < kills {
            let (asked, answered) = ask_until_killed(service, key, 1_900 + 370 * (round % 4)).await;
            (sent, settled) = (sent + asked, settled + answered);
        }
    }
}

/// Asks from four connections for so long, then kills the service: requests sent, and those of them
/// that were answered a second before.
async fn ask_until_killed(service: Service, key: &str, for_ms: u64) -> (u64, u64) {
    let (sent, answers) = (Arc::new(AtomicU64::new(0)), Arc::new(Mutex::new(Vec::new())));
    let mut tasks = Vec::new();
    for _ in 0..4 {
        let mut connection = Connection::open(&service.url, "127.0.0.1").await.unwrap();
        let (headers, sent, answers) = (with_key(key), sent.clone(), answers.clone());
        tasks.push(tokio::spawn(async move {
            loop {
                sent.fetch_add(1, Ordering::SeqCst);
                match connection.get("/api/v1/verify", &headers).await {
                    Ok(answer) if answer.status == 200 => {
                        answers.lock().unwrap().push(Instant::now())
                    }
                    Ok(answer) => panic!("{}: {}", answer.status, answer.body),
                    Err(_) => return, // it is dead
                }
                tokio::time::sleep(Duration::from_millis(5)).await;
            }
        }));
    }
    tokio::time::sleep(Duration::from_millis(for_ms)).await;
    let killed = Instant::now();
    service.kill();
    for task in tasks {
        task.await.unwrap();
    }
    let answers = answers.lock().unwrap();
    let before = killed.checked_sub(Duration::from_secs(1)).unwrap();
    let settled = answers.iter().filter(|at| **at <= before).count();
    (sent.load(Ordering::SeqCst), settled as u64)
}

/// A request of a key: when it was sent, when it was answered, and how.
type Asked = (Instant, Instant, u16);

/// Sixteen callers use a key while it is revoked: who begins after the answer is refused, always, and
/// who had begun is not served a second later.
#[tokio::test(flavor = "multi_thread")]
async fn a_key_in_use_is_refused_as_soon_as_its_revocation_is_answered() {
    let folder = tempfile::tempdir().unwrap();
    let service = bare(folder.path());
    let owner = register(&service).await;
    let mut control = Connection::open(&service.url, "127.0.0.1").await.unwrap();
    for round in 0..5 {
        let made = http().post(format!("{}/api/v1/keys", service.url)).header("x-api-key", &owner);
        let made: Value = made.json(&json!({})).send().await.unwrap().json().await.unwrap();
        let (key, id) = (made["api_key"].as_str().unwrap(), made["key"]["id"].as_str().unwrap());
        let stop = Arc::new(AtomicBool::new(false));
        let mut tasks = Vec::new();
        for at in 0..16 {
            // each from an address of its own, so that no limit of addresses answers instead
            let from = format!("127.0.{}.{}", round + 1, at + 1);
            let mut connection = Connection::open(&service.url, &from).await.unwrap();
            let (headers, stop) = (with_key(key), stop.clone());
            tasks.push(tokio::spawn(async move {
                let mut asked: Vec<Asked> = Vec::new();
                while !stop.load(Ordering::SeqCst) {
                    let begun = Instant::now();
                    let answer = connection.get("/api/v1/verify", &headers).await.unwrap();
                    asked.push((begun, Instant::now(), answer.status));
                }
                asked
            }));
        }
        tokio::time::sleep(Duration::from_millis(300)).await;
        let revoke = format!("/api/v1/keys/{id}");
        let answer = control.ask("DELETE", &revoke, &with_key(&owner)).await.unwrap();
        let revoked = Instant::now();
        assert_eq!(answer.status, 200, "{}", answer.body);
        tokio::time::sleep(Duration::from_millis(300)).await;
        stop.store(true, Ordering::SeqCst);
        let mut asked = Vec::new();
        for task in tasks {
            asked.extend(task.await.unwrap());
        }
        let served = asked.iter().filter(|(_, _, status)| *status == 200).count();
        let after = asked.iter().filter(|(begun, _, _)| *begun > revoked);
        assert!(served > 16, "the key was in use: {served}");
        assert!(after.clone().count() > 16, "and went on being tried");
        assert!(
            after.clone().all(|(_, _, status)| *status == 401),
            "{round}: served after it was revoked"
        );
        let late = |(_, ended, status): &&Asked| {
            *status == 200 && *ended > revoked + Duration::from_secs(1)
        };
        assert_eq!(asked.iter().find(late), None);
    }
    assert!(service.stop().success());
}

/// Texts that must not stand anywhere, by what they are.
#[derive(Default)]
struct Secrets(Vec<(String, String)>);

impl Secrets {
    fn add(&mut self, what: &str, secret: &str) {
        assert!(secret.len() >= 12, "{what} is too short to be looked for");
        self.0.push((what.to_owned(), secret.to_owned()));
    }

    /// Which of them stand in there, as they are, as hex, or the first half of them.
    fn found_in(&self, bytes: &[u8]) -> BTreeSet<&str> {
        let text = String::from_utf8_lossy(bytes);
        let stands = |secret: &str| {
            text.contains(&secret[..secret.len() / 2]) || text.contains(&const_hex::encode(secret))
        };
        self.0.iter().filter(|(_, secret)| stands(secret)).map(|(what, _)| what.as_str()).collect()
    }

    /// Fails with the lines in which one of them stands.
    fn check(&self, text: &str) {
        let found = self.found_in(text.as_bytes());
        let lines = text.lines().filter(|line| !self.found_in(line.as_bytes()).is_empty());
        assert!(found.is_empty(), "{found:?}: {:#?}", lines.take(20).collect::<Vec<_>>());
    }
}

/// A search that finds nothing must be one that can find.
#[test]
fn a_planted_secret_is_found() {
    let mut secrets = Secrets::default();
    secrets.add("a key", "svc_test_020HvHT99WUJdtDKxUnj");
    secrets.add("a password", "swordfish-4711");
    assert!(secrets.found_in(b"svc_test_020... and sword").is_empty());
    let planted = "key=svc_test_020HvHT; 73776f7264666973682d34373131";
    assert_eq!(secrets.found_in(planted.as_bytes()).len(), 2);
}

/// Every file below a folder, with its name.
fn files(folder: &Path, found: &mut Vec<(String, Vec<u8>)>) {
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        if path.is_dir() {
            files(&path, found);
        } else if let Ok(mut bytes) = std::fs::read(&path) {
            // journals are made larger than what is in them
            bytes.truncate(bytes.iter().rposition(|byte| *byte != 0).map_or(0, |last| last + 1));
            found.push((path.display().to_string(), bytes));
        }
    }
}

/// Everything that is asked with a key that is none, in each place where one could stand; what comes
/// back.
async fn ask_with(service: &Service, secret: &str, answers: &mut Vec<String>) {
    let url = &service.url;
    let body = json!({ "wallet_address": secret, "signature": secret, "message": secret });
    let requests = [
        http().get(format!("{url}/v5/superroot")).header("x-api-key", secret),
        http().get(format!("{url}/api/v1/usage")).header("x-service-key", secret),
        http().get(format!("{url}/api/v1/keys")).bearer_auth(secret),
        http().get(format!("{url}/api/v1/keys")).header("authorization", secret),
        http().get(format!("{url}/api/v1/verify?api_key={secret}")),
        http().get(format!("{url}/api/v1/verify?{secret}=1")),
        http().get(format!("{url}/")).header("cookie", format!("key={secret}")),
        http().get(format!("{url}/v5/proof/ethereum/1")).header("x-request-id", secret),
        http().delete(format!("{url}/api/v1/keys/x")).header("x-api-key", secret),
        http().post(format!("{url}/api/v1/register")).json(&json!({ "wallet": secret })),
        http().post(format!("{url}/api/v1/keys")).header("x-api-key", secret).json(&body),
        http().post(format!("{url}/api/v1/wallet")).header("x-api-key", secret).json(&body),
        http().post(format!("{url}/kv/verify")).header("x-api-key", secret).body(secret.to_owned()),
    ];
    for request in requests {
        let answer = request.send().await.unwrap();
        let head = format!("{:?} ", answer.headers());
        answers.push(head + &answer.text().await.unwrap());
    }
}

/// Everything that can be asked, done and gotten wrong, at the level that logs most: no key, signature,
/// wallet's key or address of a client stands in what the program says, writes or answers, but in the
/// one answer that shows a key.
#[tokio::test(flavor = "multi_thread")]
async fn no_secret_stands_in_logs_metrics_errors_or_files() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().join("data");
    let quiet = [
        ("SUPERROOT_LOG", "trace"),
        ("SUPERROOT__SERVER__METRICS_LISTEN", "127.0.0.1:0"),
        ("SUPERROOT__LIMIT__FAILED_KEYS_PER_MINUTE", "0"),
        ("SUPERROOT__LIMIT__KEYLESS_PER_MINUTE", "0"),
    ];
    let service = demo(&data, &quiet);
    let (mut secrets, mut answers) = (Secrets::default(), Vec::new());
    let url = service.url.clone();
    // keys that are: made by registering, by a key, by rotation and by the operator
    let (owner, account) = demo_key(&data, "builder");
    let wallet =
        printed(superroot().args(["wallet", "new", "--key-file"]).arg(folder.path().join("w")));
    let wallet_key = std::fs::read_to_string(folder.path().join("w")).unwrap();
    secrets.add("the key of a wallet", wallet_key.trim().trim_start_matches("0x"));
    let client = "203.0.113.77";
    let post = |path: String, key: &str, body: Value| {
        let request = http().post(format!("{url}{path}")).header("x-forwarded-for", client);
        request.header("x-api-key", key).json(&body)
    };
    let registered = http().post(format!("{url}/api/v1/register"));
    let registered = registered.json(&json!({ "wallet_address": wallet.trim() }));
    let registered: Value = registered.send().await.unwrap().json().await.unwrap();
    let made: Value = post("/api/v1/keys".into(), &owner, json!({ "label": "ci" }))
        .send()
        .await
        .unwrap()
        .json()
        .await
        .unwrap();
    let rotate = format!("/api/v1/keys/{}/rotate", made["key"]["id"].as_str().unwrap());
    let rotated: Value = post(rotate, &owner, json!({ "grace_seconds": 0 }))
        .send()
        .await
        .unwrap()
        .json()
        .await
        .unwrap();
    let line =
        ["admin", "key", "create", &account, "--who", "ana", "--why", "t", "--json", "--data"];
    let by_hand: Value = serde_json::from_str(&printed(superroot().args(line).arg(&data))).unwrap();
    for (what, shown) in [
        ("a registered key", &registered),
        ("a rotated key", &made),
        ("a key after rotation", &rotated),
        ("a key made by hand", &by_hand),
    ] {
        let key = shown["api_key"].as_str().unwrap_or_else(|| panic!("{what}: {shown}"));
        secrets.add(what, key);
        ask_with(&service, key, &mut answers).await;
    }
    // and those that are none
    let nearly = format!("{}0", &registered["api_key"].as_str().unwrap()[..56]);
    secrets.add("a key with a wrong checksum", &nearly);
    secrets.add("a key of no form", "svc_live_notakeynotakeynotakeynotakey");
    let sign = superroot()
        .args(["wallet", "sign", "--key-file"])
        .arg(folder.path().join("w"))
        .stdin(std::process::Stdio::null())
        .output()
        .unwrap();
    let signature = String::from_utf8(sign.stdout).unwrap();
    secrets.add("a signature", signature.trim().trim_start_matches("0x"));
    for none in [nearly.as_str(), "svc_live_notakeynotakeynotakeynotakey", signature.trim()] {
        ask_with(&service, none, &mut answers).await;
    }
    secrets.add("the address of a client", &format!("{client}    "));
    // a line that can be found shows that the log was read
    let metrics = {
        let screen = service.screen.lock().unwrap();
        screen.lines().find_map(|line| line.strip_prefix("metrics on ")).unwrap().to_owned()
    };
    answers.push(http().get(metrics).send().await.unwrap().text().await.unwrap());
    tokio::time::sleep(Duration::from_millis(1_500)).await;
    let screen = service.screen.clone();
    assert!(service.stop().success());
    let screen = screen.lock().unwrap().clone();
    assert!(screen.contains("answered GET /v5/superroot with 401"), "the log was written");

    let own = BTreeSet::from(["the demo's own key"]);
    let mut demos = Secrets::default();
    demos.add("the demo's own key", &owner);
    let lines: Vec<_> =
        screen.lines().filter(|line| demos.found_in(line.as_bytes()) == own).collect();
    assert!(
        !lines.is_empty() && lines.len() <= 2,
        "a demo shows its keys where it begins: {lines:?}"
    );
    let mut files_found = Vec::new();
    files(&data, &mut files_found);
    assert!(files_found.len() > 5);
    for (name, bytes) in &files_found {
        assert_eq!(secrets.found_in(bytes), BTreeSet::new(), "{name}");
        let is_list = name.ends_with("demo-keys.json");
        assert_eq!(demos.found_in(bytes) == own, is_list, "{name}");
    }
    secrets.check(&screen);
    answers.iter().for_each(|answer| secrets.check(answer));
}

/// Nodes are named by host alone: neither the user of their URL nor a token in its path or query is
/// said, whatever goes wrong with them.
#[tokio::test(flavor = "multi_thread")]
async fn no_credential_of_a_node_stands_in_what_the_service_says() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().join("data");
    let node = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = node.local_addr().unwrap().port();
    // a node that answers a page with what it was asked
    let page = axum::Router::new().fallback(async |uri: axum::http::Uri| uri.to_string());
    tokio::spawn(async move { axum::serve(node, page).await });
    let mut secrets = Secrets::default();
    let mut tables = String::new();
    for (chain, password, token) in [
        ("ethereum", "hunter2-in-user", "tokenInThePath0001"),
        ("base", "hunter3-in-user", "tokenInThePath0002"),
    ] {
        let port = if chain == "base" { 9 } else { port }; // nothing listens on the other
        secrets.add("a password", password);
        secrets.add("a token", token);
        let query = token.replace("Path", "Query");
        secrets.add("a token in the query", &query);
        let url = format!("http://user:{password}@127.0.0.1:{port}/v1/{token}?apikey={query}");
        tables.push_str(&format!("[[endpoint]]\nchain = \"{chain}\"\nurl = \"{url}\"\n"));
    }
    let endpoints = folder.path().join("endpoints.toml");
    std::fs::write(&endpoints, &tables).unwrap();
    assert_eq!(secrets.found_in(tables.as_bytes()).len(), 3, "what is planted is found");
    let mut command = superroot();
    command.args(["serve", "--listen", "127.0.0.1:0", "--data"]).arg(&data);
    command.arg("--endpoints").arg(&endpoints).env("SUPERROOT_LOG", "trace");
    command.env("SUPERROOT__SERVER__METRICS_LISTEN", "127.0.0.1:0");
    let service = Service::start(&mut command, "listening on");
    let mut answers = Vec::new();
    let begun = Instant::now();
    loop {
        let status = service.json("/api/v1/status").await;
        let errors = status.to_string().matches("\"last_error\":\"").count();
        if errors >= 2 || begun.elapsed().as_secs() > 40 {
            assert!(errors >= 2, "both nodes have failed: {status}");
            break;
        }
        tokio::time::sleep(Duration::from_millis(200)).await;
    }
    for path in
        ["/api/v1/status", "/status", "/api/v1/chains", "/api/v1/coverage/ethereum", "/finality"]
    {
        answers.push(String::from_utf8_lossy(&service.get(path).await.1).into_owned());
    }
    let check = superroot().arg("check-config").arg("--config").arg(&endpoints).output().unwrap();
    answers.push(String::from_utf8_lossy(&[check.stdout, check.stderr].concat()).into_owned());
    let screen = service.screen.clone();
    assert!(service.stop().success());
    answers.push(screen.lock().unwrap().clone());
    let mut found = Vec::new();
    files(&data, &mut found);
    answers
        .extend(found.into_iter().map(|(_, bytes)| String::from_utf8_lossy(&bytes).into_owned()));
    answers.iter().for_each(|answer| secrets.check(answer));
}
