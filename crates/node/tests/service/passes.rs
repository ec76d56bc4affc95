//! Passes bought by an unmodified x402 client, through the demo's facilitator, an unmodified one, and some that lie.

use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use axum::Router;
use axum::extract::Path as UrlPath;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};

use crate::clients::installed;
use crate::support::anvil::until;
use crate::support::{Service, http, operator, superroot};

/// Order of the fewest tokens.
const GOODS: &str = r#"{"tokens":1000}"#;

/// Client and facilitator of x402 from npm, beside a demo with contracts.
struct Buyer {
    work: tempfile::TempDir,
}

impl Buyer {
    fn new() -> Option<Self> {
        let installed = installed("typescript", "installed.json")?;
        let work = tempfile::tempdir().unwrap();
        let root = Path::new(env!("CARGO_MANIFEST_DIR"));
        let example = root.join("../../examples/clients/typescript");
        for file in [
            example.join("package.json"),
            example.join("pass.ts"),
            root.join("tests/service/x402/facilitator.mjs"),
        ] {
            std::fs::copy(&file, work.path().join(file.file_name().unwrap())).unwrap();
        }
        let modules = installed.join("node_modules");
        std::os::unix::fs::symlink(&modules, work.path().join("node_modules")).unwrap();
        let mut compile = Command::new("node");
        compile.arg(modules.join("typescript/bin/tsc")).arg("pass.ts").current_dir(work.path());
        compile.args(["--target", "es2022", "--module", "nodenext", "--strict", "--skipLibCheck"]);
        let (code, said) = operator::run(&mut compile);
        assert_eq!(code, 0, "{said}");
        Some(Self { work })
    }

    fn data(&self) -> PathBuf {
        self.work.path().join("data")
    }

    fn demo(&self, settings: &[(&str, &str)]) -> Service {
        let mut command = superroot();
        command.args(["demo", "--contracts", "--listen", "127.0.0.1:0", "--seed", "11", "--data"]);
        command.arg(self.data()).env("SUPERROOT__LIMIT__KEYLESS_PER_MINUTE", "0");
        Service::start(command.envs(settings.iter().copied()), "ready")
    }

    /// Buys with the customer's wallet.
    fn buy(&self, service: &Service, goods: &str, key: &str) -> Value {
        let mut command = Command::new("node");
        let file = self.data().join("demo-customer.key");
        command.arg("pass.js").arg(&service.url).arg(file).arg(goods).env("API_KEY", key);
        let contracts = std::fs::read(self.data().join("demo-contracts.json")).unwrap();
        let contracts: Value = serde_json::from_slice(&contracts).unwrap();
        command.env("TEST_USDC", text(&contracts, "usdc"));
        let printed = operator::printed(command.current_dir(self.work.path()));
        serde_json::from_str(&printed).unwrap_or_else(|error| panic!("{error}: {printed}"))
    }

    /// Starts the unmodified facilitator; its process and address.
    fn facilitator(&self, service: &Service) -> (Child, String) {
        let mut command = Command::new("node");
        command.arg("facilitator.mjs").arg(format!("{}/rpc/84532", service.url));
        command.arg(self.data().join("demo-publisher.key")).current_dir(self.work.path());
        let mut child = command.stdout(Stdio::piped()).spawn().unwrap();
        let mut line = String::new();
        let stdout = child.stdout.take().unwrap();
        std::io::BufRead::read_line(&mut std::io::BufReader::new(stdout), &mut line).unwrap();
        (child, format!("http://127.0.0.1:{}", line.trim()))
    }
}

fn text<'a>(value: &'a Value, member: &str) -> &'a str {
    value[member].as_str().unwrap_or_else(|| panic!("{member} of {value}"))
}

async fn post(
    service: &Service,
    key: &str,
    signed: Option<&str>,
    body: &str,
) -> (u16, Value, Option<Value>) {
    let mut request = http().post(format!("{}/api/v1/pass", service.url));
    request = request.header("content-type", "application/json").body(body.to_owned());
    if !key.is_empty() {
        request = request.header("x-api-key", key);
    }
    if let Some(signed) = signed {
        request = request.header("payment-signature", signed);
    }
    let answer = request.send().await.unwrap();
    let status = answer.status().as_u16();
    let terms = answer.headers().get("payment-required").map(|header| {
        serde_json::from_slice(&STANDARD.decode(header.as_bytes()).unwrap()).unwrap()
    });
    (status, answer.json().await.unwrap(), terms)
}

/// Waits until a pass of the account is counted.
async fn counted(service: &Service, key: &str, nonce: &Value) -> Value {
    until("the pass is counted", async || {
        // a free account has a hundred requests a minute
        tokio::time::sleep(Duration::from_millis(500)).await;
        let listed = service.keyed("/api/v1/passes", key).await;
        let passes = listed["passes"].as_array().unwrap().clone();
        let found = passes.into_iter().find(|pass| pass["nonce"] == *nonce)?;
        (found["state"] == "counted").then_some(found)
    })
    .await
}

#[tokio::test(flavor = "multi_thread")]
async fn a_stranger_buys_a_key_with_tokens_and_a_tier() {
    let Some(buyer) = Buyer::new() else { return };
    let service = buyer.demo(&[]);
    // the terms, as any client reads them
    let (status, body, terms) = post(&service, "", None, r#"{"tokens":100000}"#).await;
    let terms = terms.unwrap();
    assert_eq!((status, &body["code"]), (402, &json!("payment_required")));
    assert_eq!((&terms["x402Version"], &terms["accepts"]), (&json!(2), &body["accepts"]));
    let offered = &terms["accepts"][0];
    assert_eq!((text(offered, "scheme"), text(offered, "network")), ("exact", "eip155:84532"));
    assert_eq!(text(offered, "amount"), "1000000");
    // bought: the key is there at once, the tokens once the transfer is proven
    let bought = buyer.buy(&service, r#"{"tokens":100000}"#, "");
    assert_eq!(bought["status"], 200, "{bought}");
    let answer = &bought["answer"];
    let key = text(answer, "api_key").to_owned();
    assert_eq!(answer["pass"]["state"], "pending", "{answer}");
    assert_eq!(bought["settled"]["transaction"], answer["pass"]["transaction_hash"]);
    assert_eq!(service.keyed("/api/v1/usage", &key).await["tier"], "explorer");
    let pass = counted(&service, &key, &answer["pass"]["nonce"]).await;
    assert_eq!(pass["transaction_hash"], answer["pass"]["transaction_hash"]);
    let usage = service.keyed("/api/v1/usage", &key).await;
    assert_eq!(usage["billing"]["owes_usdc"], json!(-1), "{usage}");
    let proof = service.keyed(text(&pass, "proof_url"), &key).await;
    assert_eq!(proof["event"]["topics"].as_array().unwrap().len(), 3, "{proof}");
    // the same authorization again: its account sees the pass, others learn nothing
    let signed = text(&bought, "signed").to_owned();
    let again = post(&service, &key, Some(&signed), r#"{"tokens":100000}"#).await;
    assert_eq!((again.0, &again.1["api_key"]), (200, &Value::Null), "{}", again.1);
    assert_eq!(again.1["pass"], pass);
    for other in ["", &crate::clients::key(&buyer.data(), "builder")] {
        let (status, body, _) = post(&service, other, Some(&signed), r#"{"tokens":100000}"#).await;
        assert_eq!((status, text(&body, "code")), (409, "authorization_presented"), "{body}");
    }
    // a tier for the same account
    let bought = buyer.buy(&service, r#"{"tier":"builder"}"#, &key);
    assert_eq!((&bought["status"], &bought["answer"]["api_key"]), (&json!(200), &Value::Null));
    counted(&service, &key, &bought["answer"]["pass"]["nonce"]).await;
    let usage = service.keyed("/api/v1/usage", &key).await;
    assert_eq!((&usage["tier"], &usage["billing"]["owes_usdc"]), (&json!("builder"), &json!(-1)));
    assert_eq!(usage["subscription"]["payments"][0]["state"], "counted", "{usage}");
    refusals(&service, &signed).await;
    // nothing is counted again after a restart
    service.kill();
    let service = buyer.demo(&[]);
    counted(&service, &key, &pass["nonce"]).await;
    tokio::time::sleep(Duration::from_secs(3)).await;
    let usage = service.keyed("/api/v1/usage", &key).await;
    assert_eq!(usage["billing"]["owes_usdc"], json!(-1), "{usage}");
    assert!(service.stop().success());
}

/// What is no offer, no payment, or a payment of something else.
async fn refusals(service: &Service, signed: &str) {
    for (body, parameter) in [
        (r"{}", "tokens"),
        (r#"{"tokens":999}"#, "tokens"),
        (r#"{"tokens":1000001}"#, "tokens"),
        (r#"{"tokens":"1000"}"#, "tokens"),
        (r#"{"tokens":1000,"tier":"builder"}"#, "tier"),
        (r#"{"tier":"enterprise"}"#, "tier"),
        (r#"{"tier":7}"#, "tier"),
        (r#"{"goods":7}"#, "goods"),
    ] {
        let (status, answer, terms) = post(service, "", None, body).await;
        assert_eq!((status, &answer["parameter"]), (400, &json!(parameter)), "{body}: {answer}");
        assert_eq!(terms, None);
    }
    let honest: Value = serde_json::from_slice(&STANDARD.decode(signed).unwrap()).unwrap();
    let edited = |edit: &dyn Fn(&mut Value)| {
        let mut payment = honest.clone();
        payment["payload"]["authorization"]["nonce"] = json!(format!("0x{}", "77".repeat(32)));
        edit(&mut payment);
        STANDARD.encode(payment.to_string())
    };
    let authorization = |member: &'static str, value: &'static str| {
        edited(&move |payment| payment["payload"]["authorization"][member] = json!(value))
    };
    let accepted = |member: &'static str, value: &'static str| {
        edited(&move |payment| payment["accepted"][member] = json!(value))
    };
    let other = "0x00000000000000000000000000000000000000aa";
    for (name, header) in [
        ("no base64", "!".to_owned()),
        ("no JSON", STANDARD.encode("nothing")),
        ("no payment", STANDARD.encode("{}")),
        ("version 1", edited(&|payment| payment["x402Version"] = json!(1))),
        ("another scheme", accepted("scheme", "upto")),
        ("another chain", accepted("network", "eip155:8453")),
        ("another token", accepted("asset", other)),
        ("another price", accepted("amount", "1")),
        ("another payee in the terms", accepted("payTo", other)),
        ("another payee", authorization("to", other)),
        ("another amount", authorization("value", "999999")),
        ("an amount of 2^256", authorization("value", &"9".repeat(78).leak()[..])),
        ("over", authorization("validBefore", "1700000000")),
        ("over soon", authorization("validBefore", "0")),
        ("for years", authorization("validBefore", "99999999999")),
        ("for ever", authorization("validBefore", &"9".repeat(78).leak()[..])),
        ("not yet", authorization("validAfter", "99999999999")),
        ("no payer", authorization("from", "0xaa")),
        ("a short nonce", authorization("nonce", "0x77")),
    ] {
        let (status, body, _) = post(service, "", Some(&header), r#"{"tokens":100000}"#).await;
        assert_eq!(
            (status, text(&body, "parameter")),
            (400, "payment-signature"),
            "{name}: {body}"
        );
    }
    // signed for other goods
    let (status, body, _) = post(service, "", Some(signed), r#"{"tokens":1000}"#).await;
    assert_eq!((status, text(&body, "parameter")), (400, "payment-signature"), "{body}");
    // a signature over another nonce: the facilitator refuses it, and the terms come again
    let fresh = edited(&|payment| {
        payment["payload"]["authorization"]["validBefore"] = json!(in_a_minute());
    });
    let (status, body, terms) = post(service, "", Some(&fresh), r#"{"tokens":100000}"#).await;
    assert_eq!((status, text(&body, "code")), (402, "payment_required"), "{body}");
    assert!(terms.is_some());
}

/// Unix seconds, as an authorization writes them.
fn in_a_minute() -> String {
    let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap();
    (now.as_secs() + 60).to_string()
}

/// What a facilitator does instead of its work.
type Lie = Arc<Mutex<&'static str>>;

/// Facilitator in between that passes on to an honest one, or lies.
async fn liar(lie: Lie, honest: Arc<Mutex<String>>) -> String {
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    let answer = async move |UrlPath(act): UrlPath<String>, body: String| {
        let lie = *lie.lock().unwrap();
        let (valid, sent) = (json!({ "isValid": true }), |success: bool| {
            let transaction = format!("0x{}", "ee".repeat(32));
            json!({ "success": success, "transaction": transaction, "network": "eip155:84532" })
        });
        let url = honest.lock().unwrap().clone();
        let pass_on = async || {
            let answer = http().post(format!("{url}/{act}")).body(body.clone()).send().await;
            answer.unwrap().json::<Value>().await.unwrap()
        };
        match (lie, act.as_str()) {
            ("garbage", _) => "<html>not now</html>".to_owned(),
            ("endless", _) => "9".repeat(100_000),
            ("swallows", "verify") => valid.to_string(),
            ("swallows", _) => sent(true).to_string(),
            ("denies", "settle") => {
                let settled = pass_on().await;
                assert_eq!(settled["success"], true, "{settled}");
                sent(false).to_string()
            }
            _ => pass_on().await.to_string(),
        }
    };
    let router = Router::new().route("/{act}", axum::routing::post(answer));
    tokio::spawn(async move { axum::serve(listener, router).await });
    url
}

#[tokio::test(flavor = "multi_thread")]
async fn a_facilitator_is_believed_in_nothing_that_counts() {
    let Some(buyer) = Buyer::new() else { return };
    let (lie, honest) = (Lie::new(Mutex::new("")), Arc::new(Mutex::new(String::new())));
    let url = liar(lie.clone(), honest.clone()).await;
    // the first one cannot be reached: the next one is asked
    let urls = json!(["http://127.0.0.1:1", url]).to_string();
    let service = buyer.demo(&[("SUPERROOT__PASS__FACILITATORS", &urls)]);
    let (mut process, address) = buyer.facilitator(&service);
    *honest.lock().unwrap() = address;
    let goods = r#"{"tokens":1000}"#;
    // unmodified client and facilitator
    let bought = buyer.buy(&service, goods, "");
    assert_eq!(bought["status"], 200, "{bought}");
    let key = text(&bought["answer"], "api_key").to_owned();
    counted(&service, &key, &bought["answer"]["pass"]["nonce"]).await;
    for said in ["garbage", "endless"] {
        *lie.lock().unwrap() = said;
        let refused = buyer.buy(&service, goods, &key);
        assert_eq!(refused["status"], 402, "{refused}");
        assert!(text(&refused["answer"], "detail").contains("no facilitator answers"), "{refused}");
    }
    // it says that it sent the transfer, and did not
    *lie.lock().unwrap() = "swallows";
    let swallowed = buyer.buy(&service, goods, &key);
    assert_eq!(swallowed["status"], 200, "{swallowed}");
    // it says that it did not, and did: the pass counts, and the key is in the refusal
    *lie.lock().unwrap() = "denies";
    let denied = buyer.buy(&service, goods, "");
    assert_eq!(denied["status"], 402, "{denied}");
    let other = text(&denied["answer"], "api_key").to_owned();
    counted(&service, &other, &denied["answer"]["pass"]["nonce"]).await;
    // by then the swallowed one would have counted too
    let listed = service.keyed("/api/v1/passes", &key).await;
    let states: Vec<_> =
        listed["passes"].as_array().unwrap().iter().map(|pass| text(pass, "state")).collect();
    assert_eq!(states, ["pending", "counted"], "{listed}");
    let usage = service.keyed("/api/v1/usage", &key).await;
    assert_eq!(usage["billing"]["owes_usdc"], json!(-0.01), "{usage}");
    // another amount was authorized than the pass costs: refused by us, whatever the facilitator says
    process.kill().unwrap();
    assert!(service.stop().success());
}

/// Facilitator that buys with what it is asked to verify, before it answers: it is the first to see a signature.
async fn thief(shop: Arc<Mutex<String>>, stolen: Arc<Mutex<Vec<(u16, Value)>>>) -> String {
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    let is_first = Arc::new(AtomicBool::new(true));
    let answer = async move |UrlPath(act): UrlPath<String>, body: String| {
        if act == "settle" {
            let transaction = format!("0x{}", "ee".repeat(32));
            let network = "eip155:84532";
            return json!({ "success": true, "transaction": transaction, "network": network })
                .to_string();
        }
        if is_first.swap(false, Ordering::SeqCst) {
            let asked: Value = serde_json::from_str(&body).unwrap();
            let url = shop.lock().unwrap().clone();
            let signed = STANDARD.encode(asked["paymentPayload"].to_string());
            let request = http().post(format!("{url}/api/v1/pass")).body(GOODS);
            let request = request.header("content-type", "application/json");
            let bought = request.header("payment-signature", signed).send().await.unwrap();
            let status = bought.status().as_u16();
            let bought: Value = bought.json().await.unwrap();
            stolen.lock().unwrap().push((status, bought));
        }
        json!({ "isValid": true }).to_string()
    };
    let router = Router::new().route("/{act}", axum::routing::post(answer));
    tokio::spawn(async move { axum::serve(listener, router).await });
    url
}

/// Who signed gets the pass, and a facilitator that brings the same authorization meanwhile does not.
#[tokio::test(flavor = "multi_thread")]
async fn a_facilitator_cannot_buy_with_what_it_verifies() {
    let (shop, stolen) = (Arc::new(Mutex::new(String::new())), Arc::new(Mutex::new(Vec::new())));
    let urls = json!([thief(shop.clone(), stolen.clone()).await]).to_string();
    let data = tempfile::tempdir().unwrap();
    let mut command = superroot();
    command.args(["demo", "--contracts", "--listen", "127.0.0.1:0", "--seed", "11", "--data"]);
    command.arg(data.path()).env("SUPERROOT__LIMIT__KEYLESS_PER_MINUTE", "0");
    command.env("SUPERROOT__PASS__FACILITATORS", &urls);
    let service = Service::start(&mut command, "ready");
    *shop.lock().unwrap() = service.url.clone();
    let (status, _, terms) = post(&service, "", None, GOODS).await;
    assert_eq!(status, 402);
    let offered = terms.unwrap()["accepts"][0].clone();
    // the service leaves the signature to the facilitator: any will do
    let payment = json!({
        "x402Version": 2,
        "accepted": offered,
        "payload": {
            "signature": format!("0x{}", "11".repeat(65)),
            "authorization": {
                "from": format!("0x{}", "aa".repeat(20)),
                "to": offered["payTo"],
                "value": offered["amount"],
                "validAfter": "0",
                "validBefore": in_a_minute(),
                "nonce": format!("0x{}", "78".repeat(32)),
            },
        },
    });
    let signed = STANDARD.encode(payment.to_string());
    let (status, body, _) = post(&service, "", Some(&signed), GOODS).await;
    let stolen = stolen.lock().unwrap().clone();
    assert_eq!((status, stolen.len()), (200, 1), "{body}");
    assert_eq!((stolen[0].0, text(&stolen[0].1, "code")), (409, "authorization_presented"));
    assert!(service.stop().success());
}
