//! Accounts over HTTP: registering, keys, limits, usage, invoices, sub-accounts.

use crate::support;

use serde_json::{Value, json};
use superroot_account::{AccountConfig, AccountService, Environment, Month, Operator, Tier};
use superroot_billing::{BillingLedger, OperatorEntry};
use superroot_types::UnixSeconds;
use superroot_wire::grpc::ListenRequest;
use superroot_wire::grpc::streams_client::StreamsClient;
use support::*;
use tonic::Code;
use tonic::service::interceptor::InterceptedService;
use tonic_types::StatusExt;

use crate::grpc::Sends;

const WALLET: &str = "0x1111111111111111111111111111111111111111";

fn make_integrator(world: &World, user_id: &Value) {
    world.make_integrator(user_id.as_str().unwrap().parse().unwrap());
}

#[tokio::test]
async fn a_registration_gives_a_key_that_works_at_once_and_is_told_once() {
    let world = World::small(Settings::default());
    let (key, body) = world.register(WALLET).await;
    assert!(key.starts_with("svc_test_"));
    assert_eq!((&body["tier"], &body["rate_limit"]), (&json!("explorer"), &json!(100)));
    assert!(key.starts_with(body["key_prefix"].as_str().unwrap()));
    assert_eq!((&body["wallet_proven"], &body["prove_wallet"]), (&json!(false), &Value::Null));
    world.check_members("Registration", &body).await;
    let reply = world.ask(&key, "GET", "/api/v1/verify", None).await;
    assert_eq!(reply.header("cache-control"), "no-store");
    let verified = reply.good();
    world.check_members("Verification", &verified).await;
    assert_eq!((&verified["valid"], &verified["user_id"]), (&json!(true), &body["user_id"]));
    assert_eq!(verified["subscription_status"], "none");
    assert_eq!(verified["expires_at"], Value::Null);
    let listed = world.ask(&key, "GET", "/api/v1/keys", None).await;
    assert!(!String::from_utf8(listed.bytes.clone()).unwrap().contains(&key));
    world.check_members("Key", &listed.good()["keys"][0]).await;
    let paid = json!({ "wallet_address": WALLET, "tier": "builder" });
    let asked = world.post("/api/v1/register", &paid).await.created();
    assert_eq!(asked["tier"], "explorer", "a paid tier comes with a payment, not with a word");
    assert_eq!(asked["prove_wallet"]["submit"], "/api/v1/wallet");
}

#[tokio::test]
async fn wrong_bodies_name_what_is_wrong() {
    let world = World::small(unlimited());
    let key = world.key_of_tier(Tier::Protocol);
    let id = world.ask(&key, "GET", "/api/v1/keys", None).await.good()["keys"][0]["id"].clone();
    let one = format!("/api/v1/keys/{}", id.as_str().unwrap());
    let rotate = format!("{one}/rotate");
    for (method, path, body, parameter) in [
        ("POST", "/api/v1/register", json!({}), "wallet_address"),
        ("POST", "/api/v1/register", json!({ "wallet_address": "0x12" }), "wallet_address"),
        ("POST", "/api/v1/register", json!({ "wallet_address": WALLET, "tier": 1 }), "tier"),
        ("POST", "/api/v1/register", json!({ "wallet_address": WALLET, "x": 1 }), "x"),
        (
            "POST",
            "/api/v1/register",
            json!({ "wallet_address": WALLET, "message": "m" }),
            "signature",
        ),
        ("POST", "/api/v1/wallet", json!({}), "message"),
        ("POST", "/api/v1/wallet", json!({ "message": "m", "signature": "zz" }), "signature"),
        ("POST", "/api/v1/wallet", json!({ "message": "m\u{0}", "signature": "0x00" }), "message"),
        ("POST", "/api/v1/sub-accounts", json!({ "foo": 1 }), "foo"),
        ("POST", "/api/v1/sub-accounts", json!([]), "body"),
        ("POST", "/api/v1/keys", json!({ "label": "a\u{202e}b" }), "label"),
        ("POST", "/api/v1/keys", json!({ "label": 7 }), "label"),
        ("POST", "/api/v1/keys", json!({ "chains": [] }), "chains"),
        ("POST", "/api/v1/keys", json!({ "chains": [1, {}] }), "chains[1]"),
        ("POST", "/api/v1/keys", json!({ "chains": [1.5] }), "chains[0]"),
        ("POST", "/api/v1/keys", json!({ "chains": [-1] }), "chains[0]"),
        ("POST", "/api/v1/keys", json!({ "routes": ["/finality/1"] }), "routes"),
        ("POST", "/api/v1/keys", json!({ "label": key }), "label"),
        ("PATCH", &one, json!({ "routes": ["/nope"] }), "routes"),
        ("PATCH", &one, json!({ "label": format!("of {key}") }), "label"),
        ("POST", "/api/v1/keys", json!({ "routes": ["G1", "G9"] }), "routes[1]"),
        ("POST", "/api/v1/keys", json!({ "expires_at": 1 }), "expires_at"),
        ("POST", "/api/v1/keys", json!({ "expires_at": -1 }), "expires_at"),
        ("PATCH", &one, json!({ "scope": null }), "scope"),
        ("POST", &rotate, json!({ "grace_seconds": 1_u64 << 40 }), "grace_seconds"),
        ("POST", &rotate, json!({ "grace_seconds": "1" }), "grace_seconds"),
    ] {
        let reply = world.ask(&key, method, path, Some(&body)).await;
        let problem = reply.problem(400, "invalid_parameter");
        assert_eq!(problem["parameter"], parameter, "{method} {path} {body}");
    }
    let unknown = json!({ "chains": ["atlantis"] });
    world.ask(&key, "POST", "/api/v1/keys", Some(&unknown)).await.problem(404, "unknown_chain");
}

#[tokio::test]
async fn keys_are_made_confined_changed_rotated_and_revoked() {
    let world = World::small(unlimited());
    let first = world.key_of_tier(Tier::Builder);
    let body = json!({ "label": "ci", "chains": ["ethereum"], "routes": ["/v5/proof/*"] });
    let made = world.ask(&first, "POST", "/api/v1/keys", Some(&body)).await.created();
    let second = made["api_key"].as_str().unwrap();
    assert_eq!((&made["key"]["chains"], &made["key"]["label"]), (&json!([1]), &json!("ci")));
    world.ask(second, "GET", "/v5/proof/1/20", None).await.good();
    world.ask(second, "GET", "/v5/proof/10/20", None).await.problem(403, "out_of_scope");
    world.ask(second, "GET", "/api/v1/keys", None).await.problem(403, "out_of_scope");
    let path = format!("/api/v1/keys/{}", made["key"]["id"].as_str().unwrap());
    let wider = json!({ "chains": null, "label": null });
    let changed = world.ask(&first, "PATCH", &path, Some(&wider)).await.good();
    assert_eq!((&changed["chains"], &changed["label"]), (&Value::Null, &Value::Null));
    assert_eq!(changed["routes"], json!(["/v5/proof/*"]), "what is left out stays");
    let reply = world.ask(second, "GET", "/v5/proof/10/20", None).await;
    assert_ne!(reply.status.as_u16(), 403);
    let rotate = format!("{path}/rotate");
    let now = json!({ "grace_seconds": 0 });
    let third = world.ask(&first, "POST", &rotate, Some(&now)).await.created();
    let refused = world.ask(second, "GET", "/v5/proof/1/20", None).await;
    assert_eq!(refused.problem(401, "invalid_api_key")["reason"], "rotated");
    let third_key = third["api_key"].as_str().unwrap();
    world.ask(third_key, "GET", "/v5/proof/1/20", None).await.good();
    let path = format!("/api/v1/keys/{}", third["key"]["id"].as_str().unwrap());
    let revoked = world.ask(&first, "DELETE", &path, None).await.good();
    assert_eq!(revoked["state"], "revoked");
    world.ask(third_key, "GET", "/v5/proof/1/20", None).await.problem(401, "invalid_api_key");
    let again = world.ask(&first, "POST", &format!("{path}/rotate"), Some(&now)).await;
    again.problem(409, "key_not_active");
    let stranger = world.key_of_tier(Tier::Builder);
    world.ask(&stranger, "DELETE", &path, None).await.problem(404, "unknown_key");
}

#[tokio::test]
async fn all_keys_of_an_account_share_one_limit_and_addresses_keep_theirs() {
    let world = World::small(Settings::default());
    let key = world.key_of_tier(Tier::Builder);
    let second = world.ask(&key, "POST", "/api/v1/keys", Some(&json!({}))).await.created();
    let second = second["api_key"].as_str().unwrap();
    for left in (0..1_000).rev() {
        let key = if left % 2 == 0 { &key } else { second };
        let reply = world.ask(key, "GET", "/v5/superroot", None).await;
        assert_eq!(reply.header("x-ratelimit-remaining"), left.to_string());
        assert_eq!(reply.header("ratelimit-policy"), "\"builder\";q=1000;w=60");
        assert!(reply.header("ratelimit").starts_with(&format!("\"builder\";r={left};t=")));
    }
    let refused = world.ask(second, "GET", "/api/v1/verify", None).await;
    refused.problem(429, "rate_limited");
    assert_eq!((refused.header("retry-after"), refused.header("x-billing-weight")), ("1", "0"));
    let keyless = world.get("/v5/superroot").await;
    assert_eq!(keyless.header("ratelimit-policy"), "\"keyless\";q=100;w=60");
    assert_eq!(
        keyless.header("x-ratelimit-remaining"),
        "99",
        "keys that cost something leave it alone"
    );
}

/// Past the free billing tokens of a month a wallet has to be proven; what weighs nothing goes on.
#[tokio::test]
async fn billing_tokens_past_the_free_ones_need_a_proven_wallet() {
    let mut settings = unlimited();
    settings.accounts.plans.pay_as_you_go.free_tokens_per_month = 1;
    let world = World::small(settings);
    let (key, _) = world.register(WALLET).await;
    let body = world.get("/v5/proof/1/20").await.good();
    let verify = async || world.ask(&key, "POST", "/kv/verify", Some(&body)).await;
    verify().await.good();
    verify().await.good();
    world.accounts.flush(world.accounts.now()).unwrap();
    world.clock.advance(30);
    let refused = verify().await.problem(403, "payment_due");
    assert_eq!((&refused["used"], &refused["free"]), (&json!(2), &json!(1)), "{refused}");
    assert!(refused["detail"].as_str().unwrap().contains("prove a wallet"), "{refused}");
    world.ask(&key, "GET", "/v5/proof/1/20", None).await.good();
}

/// A stream weighs as it goes on: whoever has to pay opens none, by whichever route.
#[tokio::test]
async fn whoever_has_to_pay_opens_no_stream_by_any_route() {
    let mut settings = unlimited();
    settings.accounts.plans.pay_as_you_go.free_tokens_per_month = 1;
    let world = World::small(settings);
    world.tell();
    let key = world.key_of_tier(Tier::Protocol);
    let body = world.get("/v5/proof/1/20").await.good();
    for _ in 0..2 {
        world.ask(&key, "POST", "/kv/verify", Some(&body)).await.good();
    }
    world.accounts.flush(world.accounts.now()).unwrap();
    world.clock.advance(30);
    let streams =
        ["/v5/stream?topics=superroot", "/v5/ws", "/signals/launches", "/signals/arb/stream"];
    for path in streams {
        world.ask(&key, "GET", path, None).await.problem(403, "payment_due");
    }
    let calls = InterceptedService::new(world.router.clone(), Sends(vec![("x-api-key", key)]));
    let refused = StreamsClient::new(calls).listen(ListenRequest::default()).await.unwrap_err();
    assert_eq!(refused.code(), Code::PermissionDenied);
    assert_eq!(refused.get_error_details().error_info().unwrap().reason, "PAYMENT_DUE");
}

/// Whoever owes more than may be owed is told both amounts and pays before it uses more billing tokens; what
/// weighs nothing goes on.
#[tokio::test]
async fn an_account_that_owes_more_than_it_may_has_to_pay() {
    let mut settings = unlimited();
    settings.accounts.plans.pay_as_you_go.owed_usdc_e6_max = 98_500_000;
    let world = World::small(settings);
    let (key, body) = world.register(WALLET).await;
    let account = body["user_id"].as_str().unwrap().parse().unwrap();
    world.make_integrator(account);
    let month = Month::of(UnixSeconds(NOW)).unwrap();
    let by = Operator { who: "test".into(), why: "a month of an integrator".into() };
    world.billing.end_agreement(account, month, &by).unwrap();
    let proof = world.get("/v5/proof/1/20").await.good();
    let verify = async || world.ask(&key, "POST", "/kv/verify", Some(&proof)).await;
    verify().await.good();
    // the fee of the month is owed once it is over, closed or not
    world.clock.set(month.end());
    let open = world.ask(&key, "GET", "/api/v1/invoices", None).await.good();
    assert_eq!((&open["invoices"], &open["ended"][0]["number"]), (&json!([]), &Value::Null));
    assert_eq!(open["ended"][0]["total_usdc"], 99, "{open}");
    verify().await.problem(403, "payment_due");
    world.billing.close_month(account, month, None).unwrap();
    let closed = world.ask(&key, "GET", "/api/v1/invoices", None).await.good();
    assert_eq!(closed["ended"], json!([]));
    let refused = verify().await;
    let problem = refused.problem(403, "payment_due");
    let told = (&problem["owed_usdc"], &problem["most_usdc"]);
    assert_eq!(told, (&json!("99.000000"), &json!("98.500000")), "{problem}");
    assert!(problem["detail"].as_str().unwrap().contains("pay the invoices"), "{problem}");
    assert_eq!(refused.header("x-billing-weight"), "0");
    world.ask(&key, "GET", "/v5/proof/1/20", None).await.good();
    // the most itself may be owed
    let receipt = OperatorEntry { account, usdc_e6: 500_000, reference: "wire-7".into(), by };
    world.billing.receive(&receipt).unwrap();
    world.clock.advance(30);
    verify().await.good();
}

/// Accounts that anybody may open have, all together, the limit of the address they come from.
#[tokio::test]
async fn free_accounts_do_not_multiply_the_limit_of_an_address() {
    let world = World::small(Settings::default());
    let (key, _) = world.register(WALLET).await;
    let (other, _) = world.register("0x2222222222222222222222222222222222222222").await;
    for left in (0..98).rev() {
        let key = if left % 2 == 0 { &key } else { &other };
        let reply = world.ask(key, "GET", "/v5/superroot", None).await;
        assert_eq!(reply.header("x-ratelimit-remaining"), left.to_string());
        assert_eq!(reply.header("ratelimit-policy"), "\"keyless\";q=100;w=60");
    }
    for key in [&key, &other] {
        world.ask(key, "GET", "/v5/superroot", None).await.problem(429, "rate_limited");
    }
    world.get("/v5/superroot").await.problem(429, "rate_limited");
    world.clock.advance(60);
    world.ask(&key, "GET", "/api/v1/verify", None).await.good();
}

/// Keys are managed out of a bucket that each key has for itself.
#[tokio::test]
async fn whoever_floods_with_a_leaked_key_cannot_keep_its_owner_from_revoking_it() {
    let world = World::small(Settings::default());
    let (owner, _) = world.register(WALLET).await;
    let made = world.ask(&owner, "POST", "/api/v1/keys", Some(&json!({}))).await.created();
    let leaked = made["api_key"].as_str().unwrap();
    for _ in 0..100 {
        world.ask(leaked, "GET", "/v5/superroot", None).await;
        world.ask(leaked, "GET", "/api/v1/keys", None).await;
    }
    for path in ["/v5/superroot", "/api/v1/keys"] {
        world.ask(leaked, "GET", path, None).await.problem(429, "rate_limited");
    }
    world.ask(&owner, "GET", "/v5/superroot", None).await.problem(429, "rate_limited");
    let path = format!("/api/v1/keys/{}", made["key"]["id"].as_str().unwrap());
    let revoked = world.ask(&owner, "DELETE", &path, None).await;
    assert_eq!(revoked.good()["state"], "revoked");
    assert_eq!(revoked.header("ratelimit-policy"), "\"keys\";q=60;w=60");
    let id = "09090909-0909-0909-0909-090909090909";
    for below in ["keys", &format!("keys/{id}")] {
        let path = format!("/api/v1/sub-accounts/{id}/{below}");
        let asked = world.ask(&owner, "GET", &path, None).await;
        assert_ne!(asked.status, 429, "{path}");
        assert_eq!(asked.header("ratelimit-policy"), "\"keys\";q=60;w=60", "{path}");
    }
    world.clock.advance(60);
    world.ask(leaked, "GET", "/v5/superroot", None).await.problem(401, "invalid_api_key");
}

/// Keys are had for nothing: one that makes the next, which revokes the last, does not multiply a limit.
#[tokio::test]
async fn keys_that_follow_each_other_have_no_more_than_their_address() {
    let world = World::small(Settings::default());
    let (mut key, _) = world.register(WALLET).await;
    let mut id = world.ask(&key, "GET", "/api/v1/keys", None).await.good()["keys"][0]["id"].clone();
    let mut answered = 1;
    for _ in 0..20 {
        let next = world.ask(&key, "POST", "/api/v1/keys", Some(&json!({}))).await;
        if next.status == 429 {
            break;
        }
        let next = next.created();
        let path = format!("/api/v1/keys/{}", id.as_str().unwrap());
        (key, id) = (next["api_key"].as_str().unwrap().to_owned(), next["key"]["id"].clone());
        let mut asked = [("DELETE", path.as_str())].into_iter();
        let mut more = std::iter::repeat_n(("GET", "/api/v1/keys"), 57);
        while let Some((method, path)) = asked.next().or_else(|| more.next()) {
            answered += u32::from(world.ask(&key, method, path, None).await.status == 200);
        }
        answered += 1;
    }
    assert_eq!(answered, 300);
    let refused = world.ask(&key, "GET", "/api/v1/keys", None).await;
    assert_eq!(refused.header("ratelimit-policy"), "\"keys\";q=300;w=60");
    refused.problem(429, "rate_limited");
}

/// The key that is most likely to leak is a narrow one: whoever holds it can put an end to it, and
/// to no other.
#[tokio::test]
async fn a_confined_key_revokes_itself_and_no_other() {
    let world = World::small(unlimited());
    let first = world.key_of_tier(Tier::Builder);
    let body = json!({ "routes": ["G2"], "chains": ["base"] });
    let make = async || world.ask(&first, "POST", "/api/v1/keys", Some(&body)).await.created();
    let (narrow, other) = (make().await, make().await);
    let key = narrow["api_key"].as_str().unwrap();
    let path = |made: &Value| format!("/api/v1/keys/{}", made["key"]["id"].as_str().unwrap());
    for (method, path) in [
        ("DELETE", path(&other)),
        ("PATCH", path(&narrow)),
        ("POST", format!("{}/rotate", path(&narrow))),
    ] {
        let reply = world.ask(key, method, &path, Some(&json!({}))).await;
        reply.problem(403, "out_of_scope");
    }
    assert_eq!(world.ask(key, "DELETE", &path(&narrow), None).await.good()["state"], "revoked");
    world.ask(key, "GET", "/v5/superroot", None).await.problem(401, "invalid_api_key");
}

#[tokio::test]
async fn guessed_keys_and_registrations_are_limited_by_address_and_harm_no_key() {
    let world = World::small(Settings::default());
    let (key, _) = world.register(WALLET).await;
    for _ in 0..20 {
        let guess = superroot_account::KeySecret::generate(superroot_account::Environment::Test);
        let guess = guess.unwrap().expose().to_owned();
        let problem = world.ask(&guess, "GET", "/v5/superroot", None).await;
        assert_eq!(problem.problem(401, "invalid_api_key")["reason"], "unknown");
    }
    let refused = world.ask("svc_test_x", "GET", "/v5/superroot", None).await;
    refused.problem(429, "rate_limited");
    assert_eq!(refused.header("ratelimit-policy"), "\"failed_keys\";q=20;w=60");
    assert_eq!(refused.header("ratelimit"), "\"failed_keys\";r=0;t=3");
    world.accounts.refresh().unwrap();
    world.clock.advance(60);
    world.ask(&key, "GET", "/v5/superroot", None).await.good();
    for _ in 1..20 {
        world.register(WALLET).await;
    }
    let body = json!({ "wallet_address": WALLET });
    let reply = world.post("/api/v1/register", &body).await;
    let problem = reply.problem(429, "registrations_limited");
    let detail = problem["detail"].as_str().unwrap();
    assert!(detail.contains("at most 20 an hour"), "{detail}");
}

/// A refused registration has the headers of the limit that refused it, also where no other is on.
#[tokio::test]
async fn a_refused_registration_says_what_is_left_of_registrations() {
    for mut settings in [Settings::default(), unlimited()] {
        settings.accounts.limit.registrations_per_hour = 3;
        let world = World::empty(settings, 0);
        for _ in 0..3 {
            world.register(WALLET).await;
        }
        let body = json!({ "wallet_address": WALLET });
        let by_hour = world.post("/api/v1/register", &body).await;
        by_hour.problem(429, "registrations_limited");
        assert_eq!(by_hour.header("ratelimit-policy"), "\"registrations\";q=3;w=3600");
        assert_eq!(by_hour.header("ratelimit"), "\"registrations\";r=0;t=1200");
        let named = ["limit", "remaining", "reset"].map(|name| format!("x-ratelimit-{name}"));
        let told = named.each_ref().map(|name| by_hour.header(name).to_owned());
        assert_eq!(told, ["3".to_owned(), "0".to_owned(), (NOW + 3_600).to_string()]);
        assert_eq!(by_hour.header("retry-after"), "1200");
        assert_eq!(by_hour.header("x-billing-weight"), "0");
    }
}

#[tokio::test]
async fn every_request_is_counted_and_only_good_answers_weigh() {
    let world = World::small(unlimited());
    let key = world.key_of_tier(Tier::Builder);
    let proof = world.get("/v5/proof/1/20").await.good();
    let body = json!({ "proof": proof });
    let verified = world.ask(&key, "POST", "/kv/verify", Some(&body)).await;
    assert_eq!(verified.header("x-billing-weight"), "1");
    let refused = world.ask(&key, "POST", "/kv/verify", Some(&json!({}))).await;
    assert_eq!((refused.status.as_u16(), refused.header("x-billing-weight")), (400, "0"));
    // without a body nothing is billed
    let path = "/api/lambda/proof-bundle/block/1/20";
    let head = world.ask(&key, "HEAD", path, None).await;
    assert_eq!((head.status.as_u16(), head.header("x-billing-weight")), (200, "0"));
    assert!(head.bytes.is_empty());
    world.ask(&key, "GET", "/finality/1", None).await;
    world.ask(&key, "GET", "/no/such", None).await.problem(404, "unknown_path");
    world.accounts.flush(UnixSeconds(NOW)).unwrap();
    let usage = world.ask(&key, "GET", "/api/v1/usage", None).await.good();
    world.check_members("Usage", &usage).await;
    assert_eq!((&usage["requests_today"], &usage["requests_this_month"]), (&json!(5), &json!(5)));
    assert_eq!(usage["top_endpoints"][0], json!({ "endpoint": "/kv/verify", "count": 2 }));
    assert_eq!((&usage["tier"], &usage["rate_limit_rpm"]), (&json!("builder"), &json!(1_000)));
    assert_eq!(
        (&usage["billing"]["tokens_used"], &usage["billing"]["tokens_left"]),
        (&json!(1), &json!(999_999))
    );
    let history = world.ask(&key, "GET", "/api/v1/usage/history?limit=3", None).await.good();
    let rest = history["next_cursor"].as_str().unwrap();
    let rest = format!("/api/v1/usage/history?cursor={rest}");
    let rest = world.ask(&key, "GET", &rest, None).await.good();
    let rows = |page: &Value| page["hours"].as_array().unwrap().clone();
    let rows = [rows(&history), rows(&rest)].concat();
    let sum = |name: &str| rows.iter().map(|row| row[name].as_u64().unwrap()).sum::<u64>();
    assert_eq!((rows.len(), sum("requests"), sum("billing_tokens")), (5, 5, 1));
    assert!(
        rows.iter().any(|row| row["chain_id"] == 1 && row["endpoint"] == "/finality/{chain_id}")
    );
    world.check_members("HourlyUsage", &rows[0]).await;
    let wrong = world.ask(&key, "GET", "/api/v1/usage/history?cursor=ff", None).await;
    assert_eq!(wrong.problem(400, "invalid_parameter")["parameter"], "cursor");
}

#[tokio::test]
async fn an_invoice_adds_up_to_the_usage_in_each_of_its_forms() {
    let world = World::small(unlimited());
    let key = world.key_of_tier(Tier::Builder);
    for _ in 0..3 {
        world.ask(&key, "GET", "/api/lambda/proof-bundle/block/1/20", None).await.good();
    }
    world.accounts.flush(UnixSeconds(NOW)).unwrap();
    let month = Month::of(UnixSeconds(NOW)).unwrap();
    let path = format!("/api/v1/invoices/{month}");
    let draft = world.ask(&key, "GET", &path, None).await.good();
    world.check_members("Invoice", &draft).await;
    world.check_members("InvoiceLine", &draft["lines"][0]).await;
    assert_eq!((&draft["is_closed"], &draft["billing_tokens"]), (&json!(false), &json!(3)));
    let csv = world.ask(&key, "GET", &format!("{path}.csv"), None).await;
    assert_eq!(
        (csv.header("content-type"), csv.header("cache-control")),
        ("text/csv; charset=utf-8", "no-store")
    );
    assert!(String::from_utf8(csv.bytes).unwrap().contains("/api/lambda/"));
    let html = world.ask(&key, "GET", &format!("{path}.html"), None).await;
    assert!(html.header("content-security-policy").contains("default-src 'none'"));
    let list = world.ask(&key, "GET", "/api/v1/invoices", None).await.good();
    assert_eq!((&list["invoices"], &list["current"]["billing_tokens"]), (&json!([]), &json!(3)));
    let id = draft["user_id"].as_str().unwrap().parse().unwrap();
    world.clock.set(month.end());
    world.billing.close_month(id, month, None).unwrap();
    let list = world.ask(&key, "GET", "/api/v1/invoices?limit=1", None).await.good();
    let mut listed = list["invoices"][0].clone();
    assert_eq!(listed.get("lines"), None, "lists leave the lines out");
    listed["lines"] = json!([]);
    world.check_members("Invoice", &listed).await;
    let number = list["invoices"][0]["number"].as_str().unwrap().to_owned();
    assert_eq!(
        (number.as_str(), &list["next_before"]),
        ("SR-TEST-000001", &json!(month.to_string()))
    );
    let path = format!("/api/v1/invoices/{number}");
    assert_eq!(world.ask(&key, "GET", &path, None).await.good()["is_closed"], true);
    let stranger = world.key_of_tier(Tier::Builder);
    world.ask(&stranger, "GET", &path, None).await.problem(404, "unknown_invoice");
    world.ask(&key, "GET", "/api/v1/invoices/2099-01", None).await.problem(404, "unknown_invoice");
    world.ask(&key, "GET", "/api/v1/invoices/1970-01", None).await.problem(404, "unknown_invoice");
}

#[tokio::test]
async fn an_integrator_has_sub_accounts_and_nobody_elses() {
    let world = World::small(unlimited());
    let (key, body) = world.register(WALLET).await;
    let path = "/api/v1/sub-accounts";
    world.ask(&key, "POST", path, None).await.problem(403, "integrator_required");
    world.ask(&key, "GET", path, None).await.problem(403, "integrator_required");
    make_integrator(&world, &body["user_id"]);
    let child = world.ask(&key, "POST", path, None).await.created();
    world.check_members("IssuedSubAccount", &child).await;
    let child_key = child["api_key"].as_str().unwrap();
    world.ask(child_key, "GET", "/v5/superroot", None).await.good();
    world.accounts.flush(UnixSeconds(NOW)).unwrap();
    let id = child["user_id"].as_str().unwrap();
    let usage = world.ask(&key, "GET", &format!("{path}/{id}/usage"), None).await.good();
    assert_eq!((&usage["requests_today"], &usage["user_id"]), (&json!(1), &child["user_id"]));
    assert_eq!(usage["billing"]["tokens_left"], Value::Null, "the integrator's fee has them");
    let keys = format!("{path}/{id}/keys");
    let more = json!({ "label": "customer" });
    let more = world.ask(&key, "POST", &keys, Some(&more)).await.created();
    assert_eq!(
        world.ask(&key, "GET", &keys, None).await.good()["keys"].as_array().unwrap().len(),
        2
    );
    let one = format!("{keys}/{}", more["key"]["id"].as_str().unwrap());
    assert_eq!(world.ask(&key, "DELETE", &one, None).await.good()["state"], "revoked");
    let listed = world.ask(&key, "GET", path, None).await.good();
    world.check_members("SubAccount", &listed["sub_accounts"][0]).await;
    let (stranger, _) = world.register(WALLET).await;
    for (method, path) in
        [("GET", keys.as_str()), ("DELETE", &one), ("GET", &format!("{path}/{id}/usage"))]
    {
        world.ask(&stranger, method, path, None).await.problem(404, "unknown_account");
    }
    world.ask(child_key, "POST", path, None).await.problem(403, "beyond_key");
}

#[tokio::test]
async fn plans_say_the_figures_of_the_specification() {
    let world = World::small(unlimited());
    let plans = world.get("/api/v1/plans").await.good();
    world.check_members("Plans", &plans).await;
    let tiers = plans["tiers"].as_array().unwrap();
    let figures: Vec<_> =
        tiers.iter().map(|one| (&one["rate_limit_rpm"], &one["price_usdc"])).collect();
    let expected = [
        (&json!(100), &json!(0)),
        (&json!(1_000), &json!(50)),
        (&json!(10_000), &json!(500)),
        (&Value::Null, &Value::Null),
    ];
    assert_eq!(figures, expected);
    let metered = &plans["commercial_models"]["pay_as_you_go"];
    let told = (&metered["million_tokens_usdc"], &metered["next_million_tokens_usdc"]);
    assert_eq!(told, (&json!(10), &json!(10)));
    world.check_members("PayAsYouGo", metered).await;
    assert_eq!(plans["keyless"], json!({ "rate_limit_rpm": null, "counted_by": "address" }));
    let limited = World::empty(Settings::default(), 0).get("/api/v1/plans").await.good();
    assert_eq!(limited["keyless"]["rate_limit_rpm"], 100);
    world.check_members("KeylessPlan", &plans["keyless"]).await;
    world.check_members("TierPlan", &tiers[0]).await;
    world.check_members("RoutePlan", &plans["routes"][0]).await;
    world.billing.record_minute(UnixSeconds(NOW), true).unwrap();
    let measured = world.get("/api/v1/availability").await.good();
    world.check_members("Availability", &measured).await;
    assert_eq!((&measured["up_minutes"], &measured["promised_percent"]), (&json!(1), &json!(99.9)));
}

#[tokio::test]
async fn what_a_key_is_answered_for_good_only_its_holder_keeps() {
    let world = World::small(Settings::default());
    let path = "/v5/proof/1/20?sequence=1";
    let open = world.get(path).await;
    assert_eq!(open.header("cache-control"), "public, max-age=31536000, immutable");
    // caches hand it on to others, of whom it says nothing
    for name in ["ratelimit", "ratelimit-policy", "x-ratelimit-limit", "x-ratelimit-remaining"] {
        assert!(!open.has(name), "{name}");
    }
    let key = world.key_of_tier(Tier::Explorer);
    let keyed = world.ask(&key, "GET", path, None).await;
    assert_eq!(keyed.header("cache-control"), "private, max-age=31536000, immutable");
    assert!(keyed.has("x-ratelimit-limit"));
    let tag = keyed.header("etag").to_owned();
    assert_eq!(tag, open.header("etag"));
    let known = world.get_with(path, &[("x-api-key", &key), ("if-none-match", &tag)]).await;
    assert_eq!((known.status.as_u16(), known.bytes.len()), (304, 0));
    assert_eq!(known.header("cache-control"), "private, max-age=31536000, immutable");
}

/// Who takes neither a coding of ours nor none gets no proof under a status that says there is none.
#[tokio::test]
async fn a_request_that_refuses_every_coding_is_refused() {
    let world = World::small(unlimited());
    let path = "/v5/proof/1/20";
    let none = world.get_with(path, &[("accept-encoding", "identity;q=0")]).await;
    assert_eq!(none.header("x-billing-weight"), "0");
    assert_eq!(none.problem(406, "not_acceptable")["parameter"], "Accept-Encoding");
    // what is refused for another reason says that one
    let headers = [("accept-encoding", "identity;q=0"), ("x-api-key", "svc_live_none")];
    let status = world.get_with(path, &headers).await;
    status.problem(401, "invalid_api_key");
    world.get_with(path, &[("accept-encoding", "deflate")]).await.good();
    // a stream has no coding, so whoever refuses the plain one is told
    let key = world.key_of_tier(Tier::Protocol);
    let headers = [("accept-encoding", "gzip, identity;q=0"), ("x-api-key", &key)];
    let none = world.get_with("/v5/stream?topics=superroot", &headers).await;
    assert_eq!((none.status.as_u16(), none.header("content-encoding")), (406, "gzip"));
    let coded = world.get_with(path, &headers[..1]).await;
    assert_eq!((coded.status.as_u16(), coded.header("content-encoding")), (200, "gzip"));
}

/// A price that was changed in the running month is told for the next one: that month is billed by it first.
#[tokio::test]
async fn plans_show_the_running_months_price_and_the_next_ones() {
    let mut settings = unlimited();
    settings.accounts.plans.pay_as_you_go.million_tokens_usdc_e6 = 12_000_000;
    let changed = World::small(settings);
    // the service as it was configured before
    let mut before = AccountConfig::default();
    before.keys.environment = Environment::Test;
    let (rows, clock) = (changed.account_rows.clone(), changed.clock.clone());
    let before = BillingLedger::new(AccountService::open(rows, clock, &before).unwrap());
    before.enter_price_list().unwrap();
    let plans = changed.get("/api/v1/plans").await.good();
    let metered = &plans["commercial_models"]["pay_as_you_go"];
    let told = (&metered["million_tokens_usdc"], &metered["next_million_tokens_usdc"]);
    assert_eq!(told, (&json!(10), &json!(12)), "{metered}");
    changed.billing.enter_price_list().unwrap();
    changed.clock.set(Month::of(UnixSeconds(NOW)).unwrap().end());
    let plans = changed.get("/api/v1/plans").await.good();
    let metered = &plans["commercial_models"]["pay_as_you_go"];
    assert_eq!(metered["million_tokens_usdc"], 12, "{metered}");
}
