//! Webhooks over HTTP: made, shown, changed and ended by their owner alone.

use crate::support;

use serde_json::{Value, json};
use superroot_account::{Grant, Month, Operator, Tier};
use superroot_billing::OperatorEntry;
use superroot_types::UnixSeconds;
use support::*;

const PATH: &str = "/api/v1/webhooks";

fn world() -> World {
    let _ = rustls::crypto::ring::default_provider().install_default();
    let world = World::small(unlimited());
    world.tell();
    world
}

fn wish() -> Value {
    json!({ "url": "https://example.com/hook?a=b", "label": "orders", "topics": ["logs", "superroot"],
        "chain": [1], "topic0": "Transfer(address,address,uint256)", "finality": "head" })
}

#[tokio::test]
async fn a_webhook_is_made_shown_changed_and_ended() {
    let world = world();
    let key = world.key_of_tier(Tier::Builder);
    let made = world.ask(&key, "POST", PATH, Some(&wish())).await.created();
    let secret = made["secret"].as_str().unwrap();
    assert!(secret.starts_with("whsec_") && secret.len() > 40);
    let webhook = &made["webhook"];
    world.check_members("Webhook", webhook).await;
    assert_eq!((&webhook["state"], &webhook["label"]), (&json!("enabled"), &json!("orders")));
    assert_eq!(webhook["subscription"]["topics"], json!(["logs", "superroot"]));
    assert!(webhook["subscription"].get("url").is_none());
    let id = webhook["id"].as_str().unwrap();
    let one = format!("{PATH}/{id}");
    let listed = world.ask(&key, "GET", PATH, None).await.good();
    assert_eq!(listed["webhooks"], json!([webhook]));
    assert!(!listed.to_string().contains("whsec_"), "a secret is told once");
    let change = json!({ "enabled": false, "label": null, "topics": "finality" });
    let changed = world.ask(&key, "PATCH", &one, Some(&change)).await.good();
    assert_eq!((&changed["state"], &changed["label"]), (&json!("paused"), &Value::Null));
    assert_eq!(changed["subscription"], json!({ "topics": "finality" }));
    let rotated = world.ask(&key, "POST", &format!("{one}/rotate"), None).await.created();
    assert_ne!(rotated["secret"], made["secret"]);
    let replay = world.ask(&key, "POST", &format!("{one}/replay"), None).await;
    replay.problem(409, "nothing_to_replay");
    // nobody else sees it
    let other = world.key_of_tier(Tier::Protocol);
    for (method, path) in [
        ("GET", one.clone()),
        ("DELETE", one.clone()),
        ("POST", format!("{one}/rotate")),
        ("POST", format!("{one}/test")),
        ("POST", format!("{one}/replay")),
    ] {
        world.ask(&other, method, &path, None).await.problem(404, "unknown_webhook");
    }
    assert_eq!(world.ask(&other, "GET", PATH, None).await.good()["webhooks"], json!([]));
    let ended = world.ask(&key, "DELETE", &one, None).await.good();
    assert_eq!(ended["id"], id);
    world.ask(&key, "GET", &one, None).await.problem(404, "unknown_webhook");
}

#[tokio::test]
async fn what_is_wrong_with_a_webhook_is_named() {
    let world = world();
    let key = world.key_of_tier(Tier::Builder);
    let refused = async |change: Value, parameter: &str| {
        let mut body = wish();
        for (name, value) in change.as_object().unwrap() {
            body[name] = value.clone();
        }
        let answer = world.ask(&key, "POST", PATH, Some(&body)).await;
        let problem = answer.problem(400, "invalid_parameter");
        assert_eq!(problem["parameter"], parameter, "{change}: {problem}");
    };
    for url in [
        "http://example.com/",
        "https://127.0.0.1/",
        "https://[::1]/",
        "https://10.0.0.8/",
        "https://169.254.169.254/latest",
        "https://0x7f000001/",
        "ftp://example.com",
        "example",
        "https://user:secret@example.com/",
        "",
    ] {
        refused(json!({ "url": url }), "url").await;
    }
    refused(json!({ "url": 7 }), "url").await;
    refused(json!({ "url": format!("https://example.com/{}", "a".repeat(2_100)) }), "url").await;
    refused(json!({ "topics": ["prices"] }), "topics").await;
    refused(json!({ "topics": [] }), "topics").await;
    refused(json!({ "finality": "soon" }), "finality").await;
    refused(json!({ "label": 7 }), "label").await;
    refused(json!({ "since": "yesterday" }), "since").await;
    refused(json!({ "enabled": true }), "enabled").await;
    refused(json!({ "secret": "whsec_x" }), "secret").await;
    let body = json!({ "topics": ["superroot"] });
    let problem =
        world.ask(&key, "POST", PATH, Some(&body)).await.problem(400, "invalid_parameter");
    assert_eq!(problem["parameter"], "url");
    let mut foreign = wish();
    foreign["chain"] = json!(["base"]);
    world.ask(&key, "POST", PATH, Some(&foreign)).await.problem(503, "chain_unavailable");
    let bad = format!("{PATH}/7");
    assert_eq!(
        world.ask(&key, "GET", &bad, None).await.problem(400, "invalid_parameter")["parameter"],
        "id"
    );
    for _ in 0..5 {
        world.ask(&key, "POST", PATH, Some(&wish())).await.created();
    }
    world.ask(&key, "POST", PATH, Some(&wish())).await.problem(409, "limit_reached");
    let explorer = world.key_of_tier(Tier::Explorer);
    world.ask(&explorer, "GET", PATH, None).await.problem(403, "tier_required");
    world.get(PATH).await.problem(401, "api_key_required");
}

/// A test says what came of it, and nothing of what an address inside would have answered.
#[tokio::test]
async fn a_test_message_says_what_came_of_it() {
    let _ = rustls::crypto::ring::default_provider().install_default();
    let mut settings = unlimited();
    settings.webhooks.allow_private = true;
    let world = World::small(settings);
    world.tell();
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let (sender, taken) = std::sync::mpsc::channel();
    let router = axum::Router::new()
        .route("/hook", axum::routing::post(async move |body: String| sender.send(body).unwrap()));
    tokio::spawn(async move { axum::serve(listener, router).await.unwrap() });
    let key = world.key_of_tier(Tier::Builder);
    let test = async |path: &str| {
        let mut body = wish();
        body["url"] = json!(format!("http://{address}{path}"));
        let made = world.ask(&key, "POST", PATH, Some(&body)).await.created();
        let id = made["webhook"]["id"].as_str().unwrap().to_owned();
        world.ask(&key, "POST", &format!("{PATH}/{id}/test"), None).await.good()
    };
    let good = test("/hook").await;
    assert_eq!((&good["is_delivered"], &good["status"]), (&json!(true), &json!(200)));
    let body: Value = serde_json::from_str(&taken.recv().unwrap()).unwrap();
    assert_eq!(body["type"], "test");
    let bad = test("/nowhere").await;
    assert_eq!((&bad["is_delivered"], &bad["status"]), (&json!(false), &json!(404)));
    assert_eq!(bad["failure"], "it answered 404");
}

/// A signal weighs when the address has taken it, under the key that made the webhook; nothing else does.
#[tokio::test]
async fn delivered_signals_weigh_under_the_key_that_made_the_webhook() {
    let _ = rustls::crypto::ring::default_provider().install_default();
    let mut settings = unlimited();
    settings.webhooks.allow_private = true;
    settings.webhooks.retry_first_ms = 5;
    let world = World::small(settings);
    world.tell();
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}/hook", listener.local_addr().unwrap());
    let (sender, mut taken) = tokio::sync::mpsc::unbounded_channel();
    // every other attempt fails: what failed does not weigh
    let attempts = std::sync::atomic::AtomicU64::new(0);
    let (sender, attempts) = (std::sync::Arc::new(sender), std::sync::Arc::new(attempts));
    let hook = axum::routing::post(async move |axum::Json(body): axum::Json<Value>| {
        if attempts.fetch_add(1, std::sync::atomic::Ordering::Relaxed).is_multiple_of(2) {
            return axum::http::StatusCode::SERVICE_UNAVAILABLE;
        }
        sender.send(body).unwrap();
        axum::http::StatusCode::NO_CONTENT
    });
    let router = axum::Router::new().route("/hook", hook);
    tokio::spawn(async move { axum::serve(listener, router).await.unwrap() });
    let key = world.key_of_tier(Tier::Builder);
    let wish =
        json!({ "url": url, "topics": ["launches", "finality"], "chain": [1], "finality": "head" });
    world.ask(&key, "POST", PATH, Some(&wish)).await.created();
    let dispatcher =
        superroot_webhook::Dispatcher::new(world.webhooks.clone(), world.hub.clone(), |_| false);
    let mut dispatcher = dispatcher.unwrap();
    dispatcher.dispatch().unwrap();
    // it begins with what happens after it was made
    while world.ask(&key, "GET", PATH, None).await.good()["webhooks"][0]["cursor"].is_null() {
        tokio::time::sleep(std::time::Duration::from_millis(5)).await;
    }
    world.extend(34..200, false);
    world.tell();
    let told = world
        .get_with("/signals/launches?format=json&limit=500", &[("x-api-key", &key)])
        .await
        .good();
    let told = told["launches"].as_array().unwrap();
    let expected = told.iter().filter(|one| one["block"].as_u64().unwrap() >= 34).count();
    assert!(expected >= 2, "{told:?}");
    let mut launches = 0;
    while launches < expected {
        let body = tokio::time::timeout(std::time::Duration::from_secs(30), taken.recv()).await;
        launches += usize::from(body.unwrap().unwrap()["type"] == "token_launch");
    }
    // what was answered counts, as soon as the answer is there
    let weighed = async || {
        world.accounts.flush(superroot_types::UnixSeconds(NOW)).unwrap();
        let usage = world.get_with("/api/v1/usage", &[("x-api-key", &key)]).await.good();
        usage["billing"]["tokens_used"].as_u64().unwrap()
    };
    let begun = std::time::Instant::now();
    while weighed().await < expected as u64 && begun.elapsed().as_secs() < 30 {
        tokio::time::sleep(std::time::Duration::from_millis(5)).await;
    }
    dispatcher.end().await;
    assert_eq!(weighed().await, expected as u64);
}

/// A webhook of launches rests while the account, or the integrator that answers for it, owes more than it may:
/// it says so, and why. One that is sent nothing that weighs goes on.
#[tokio::test]
async fn a_webhook_of_a_sub_account_rests_while_its_integrator_owes_and_says_why() {
    let _ = rustls::crypto::ring::default_provider().install_default();
    let mut settings = unlimited();
    settings.accounts.plans.pay_as_you_go.owed_usdc_e6_max = 98_500_000;
    let world = World::small(settings);
    world.tell();
    let (key, body) = world.register("0x1111111111111111111111111111111111111111").await;
    let account = body["user_id"].as_str().unwrap().parse().unwrap();
    world.make_integrator(account);
    let by = Operator { who: "test".into(), why: "an integrator that ends".into() };
    let grant = Grant::of(Tier::Builder);
    world.accounts.accounts().grant(&by, account, Some(&grant)).unwrap();
    let below = world.ask(&key, "POST", "/api/v1/sub-accounts", None).await.created();
    let below = below["api_key"].as_str().unwrap();
    let make = async |topics: &str| {
        let wish = json!({ "url": "https://example.com/hook", "topics": topics });
        let made = world.ask(below, "POST", PATH, Some(&wish)).await.created();
        assert_eq!(made["webhook"]["suspension"], Value::Null);
        format!("{PATH}/{}", made["webhook"]["id"].as_str().unwrap())
    };
    let (launches, finality) = (make("launches").await, make("finality").await);
    let state = async |path: &str| {
        let shown = world.ask(below, "GET", path, None).await.good();
        (shown["state"].clone(), shown["suspension"].clone())
    };
    assert_eq!(state(&launches).await, (json!("enabled"), Value::Null), "the fee covers it");
    let month = Month::of(UnixSeconds(NOW)).unwrap();
    world.billing.end_agreement(account, month, &by).unwrap();
    world.clock.set(month.end());
    let (shown, why) = state(&launches).await;
    assert_eq!(shown, "suspended", "{why}");
    assert!(why.as_str().unwrap().starts_with("payment_due: 99.000000 USDC are owed"), "{why}");
    assert_eq!(state(&finality).await, (json!("enabled"), Value::Null));
    let listed = world.ask(below, "GET", PATH, None).await.good();
    let states = listed["webhooks"].as_array().unwrap().iter().map(|one| &one["state"]);
    assert_eq!(states.filter(|state| *state == "suspended").count(), 1, "{listed}");
    let paused = world.ask(below, "PATCH", &launches, Some(&json!({ "enabled": false }))).await;
    assert_eq!(paused.good()["state"], "paused", "by its owner");
    world.ask(below, "PATCH", &launches, Some(&json!({ "enabled": true }))).await.good();
    let receipt = OperatorEntry { account, usdc_e6: 500_000, reference: "wire-7".into(), by };
    world.billing.receive(&receipt).unwrap();
    world.clock.advance(30);
    assert_eq!(state(&launches).await, (json!("enabled"), Value::Null));
}
