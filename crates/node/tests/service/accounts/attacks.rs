//! The built program under attack: killed after it counted, and watched for secrets in everything that
//! it says.

use std::collections::BTreeSet;
use std::path::Path;
use std::time::Duration;

use crate::support::anvil::until;
use crate::support::operator::{self, printed};
use crate::support::{Service, http, superroot};
use serde_json::{Value, json};

/// What was counted a second before a process is killed is not lost, and nobody is counted what he did
/// not ask.
#[tokio::test(flavor = "multi_thread")]
async fn a_kill_loses_a_second_of_counts_and_adds_none() {
    let folder = tempfile::tempdir().unwrap();
    let start = || Service::start(&mut operator::demo(&folder.path().join("data")), "ready");
    let ask = async |service: &Service, path: &str, key: &str| {
        let request = http().get(format!("{}{path}", service.url)).header("x-api-key", key);
        let answer: Value = request.send().await.unwrap().json().await.unwrap();
        answer
    };
    let service = start();
    let wallet = format!("0x{}", "11".repeat(20));
    let (_, made) =
        service.post("/api/v1/register", "", &json!({ "wallet_address": wallet })).await;
    let key = made["api_key"].as_str().unwrap();
    for _ in 0..20 {
        ask(&service, "/api/v1/verify", key).await;
    }
    tokio::time::sleep(Duration::from_millis(1_100)).await;
    ask(&service, "/api/v1/verify", key).await;
    service.kill();
    let usage = ask(&start(), "/api/v1/usage", key).await;
    let counted = usage["requests_this_month"].as_u64().unwrap();
    assert!((20..=21).contains(&counted), "{counted} counted");
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
        http().post(format!("{url}/api/v1/wallet")).header("x-api-key", secret).json(&body),
        http().post(format!("{url}/kv/verify")).header("x-api-key", secret).body(secret.to_owned()),
    ];
    for request in requests {
        let answer = request.header("x-forwarded-for", CLIENT).send().await.unwrap();
        let head = format!("{:?} ", answer.headers());
        answers.push(head + &answer.text().await.unwrap());
    }
}

/// The address of a client behind a proxy.
const CLIENT: &str = "203.0.113.77";
/// The address of one who connects himself.
const CONNECTED: std::net::Ipv4Addr = std::net::Ipv4Addr::new(127, 66, 55, 44);

/// Everything that can be asked, done and gotten wrong, at the level that logs most: no key, signature,
/// wallet's key or address of a client stands in what the program says, writes or answers, but in the
/// one answer that shows a key.
#[tokio::test(flavor = "multi_thread")]
async fn no_secret_stands_in_logs_metrics_errors_or_files() {
    let folder = tempfile::tempdir().unwrap();
    let (data, key_file) = (folder.path().join("data"), folder.path().join("w"));
    let config = folder.path().join("config.toml");
    std::fs::write(&config, "[api]\ntrusted_proxies = [\"127.0.0.0/8\"]\n").unwrap();
    let mut command = operator::demo(&data);
    command.arg("--config").arg(config).env("SUPERROOT_LOG", "trace");
    command.env("SUPERROOT__SERVER__METRICS_LISTEN", "127.0.0.1:0");
    command.env("SUPERROOT__LIMIT__FAILED_KEYS_PER_MINUTE", "0");
    command.env("SUPERROOT__LIMIT__KEYLESS_PER_MINUTE", "0");
    let service = Service::start(&mut command, "ready");
    let (mut secrets, mut answers) = (Secrets::default(), Vec::new());
    // keys that are: made by registering, by a key, by rotation and by the operator
    let keys: Value =
        serde_json::from_slice(&std::fs::read(data.join("demo-keys.json")).unwrap()).unwrap();
    let (owner, account) =
        (keys[1]["api_key"].as_str().unwrap(), keys[1]["account"].as_str().unwrap());
    let wallet = printed(superroot().args(["wallet", "new", "--key-file"]).arg(&key_file));
    secrets.add("the key of a wallet", std::fs::read_to_string(&key_file).unwrap().trim());
    let registration = json!({ "wallet_address": wallet.trim() });
    let (_, registered) = service.post("/api/v1/register", "", &registration).await;
    let (_, made) = service.post("/api/v1/keys", owner, &json!({ "label": "ci" })).await;
    let rotate = format!("/api/v1/keys/{}/rotate", made["key"]["id"].as_str().unwrap());
    let (_, rotated) = service.post(&rotate, owner, &json!({ "grace_seconds": 0 })).await;
    let by_hand = operator::admin(&data, &format!("key create {account}"), Some("t"));
    let by_hand: Value = serde_json::from_str(&printed(&mut { by_hand })).unwrap();
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
    let mut sign = superroot();
    sign.args(["wallet", "sign", "--key-file"]).arg(&key_file).stdin(std::process::Stdio::null());
    let signature = printed(&mut sign);
    for (what, none) in [
        ("a key with a wrong checksum", nearly.as_str()),
        ("a key of no form", "svc_live_notakeynotakeynotakeynotakey"),
        ("a signature", signature.trim().trim_start_matches("0x")),
    ] {
        secrets.add(what, none);
        ask_with(&service, none, &mut answers).await;
    }
    secrets.add("the address of a client", &format!("{CLIENT}    "));
    secrets.add("the address of a connection", &CONNECTED.to_string().repeat(2));
    let direct = reqwest::Client::builder().local_address(std::net::IpAddr::from(CONNECTED));
    let asked = direct.build().unwrap().get(format!("{}/v5/superroot", service.url)).send().await;
    assert_eq!(asked.unwrap().status(), 200);
    let metrics = {
        let screen = service.screen.lock().unwrap();
        screen.lines().find_map(|line| line.strip_prefix("metrics on ")).unwrap().to_owned()
    };
    answers.push(http().get(metrics).send().await.unwrap().text().await.unwrap());
    tokio::time::sleep(Duration::from_millis(1_500)).await;
    let screen = service.screen.clone();
    assert!(service.stop().success());
    let screen = screen.lock().unwrap().clone();
    // a line that can be found shows that the log was read
    assert!(screen.contains("answered GET /v5/superroot with 401"), "the log was written");
    let shown = screen.lines().filter(|line| line.contains(owner)).count();
    assert!((1..=4).contains(&shown), "a demo shows its keys where it begins: {shown}");
    let mut files_found = Vec::new();
    files(&data, &mut files_found);
    assert!(files_found.len() > 5);
    for (name, bytes) in &files_found {
        assert_eq!(secrets.found_in(bytes), BTreeSet::new(), "{name}");
        let has_own = String::from_utf8_lossy(bytes).contains(owner);
        assert_eq!(has_own, name.ends_with("demo-keys.json"), "{name}");
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
    until("both nodes have failed", async || {
        let status = service.json("/api/v1/status").await.to_string();
        (status.matches("\"last_error\":\"").count() >= 2).then_some(())
    })
    .await;
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
