//! Proofs of wallets over HTTP: what proves, once, for whom, and what never does.
#![allow(missing_docs)]

mod support;

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex, mpsc};
use std::time::Duration;

use axum::body::Body;
use k256::ecdsa::{Signature, SigningKey};
use serde_json::{Value, json};
use superroot_account::wallet::{CallUnavailable, Called, ContractCall, ContractCaller};
use superroot_account::{AccountService, Environment, Month, parse_wallet, show_wallet};
use superroot_proof::hash::keccak256;
use superroot_types::{Address, BlockNumber, ChainId, UnixSeconds};
use support::*;
use tokio::sync::Notify;

const REGISTER: &str = "/api/v1/register";
const SUBMIT: &str = "/api/v1/wallet";

/// A wallet with a key of its own.
struct Holder(SigningKey);

impl Holder {
    fn new(byte: u8) -> Self {
        Self(SigningKey::from_slice(&[byte; 32]).unwrap())
    }

    fn wallet(&self) -> String {
        let point = self.0.verifying_key().to_encoded_point(false);
        let hash = keccak256(&point.as_bytes()[1..]);
        show_wallet(&Address(hash.0[12..].try_into().unwrap()))
    }

    /// `personal_sign`, computed beside the code under test.
    fn sign(&self, message: &str) -> Vec<u8> {
        let prefix = format!("\u{19}Ethereum Signed Message:\n{}", message.len());
        let hash = keccak256(&[prefix.as_bytes(), message.as_bytes()].concat());
        let (signature, recovery) = self.0.sign_prehash_recoverable(&hash.0).unwrap();
        [&signature.to_bytes()[..], &[27 + recovery.to_byte()]].concat()
    }
}

/// The other signature of the same message under the same key: `s` in the upper half.
fn twin(signature: &[u8]) -> Vec<u8> {
    let low = Signature::from_slice(&signature[..64]).unwrap();
    let s = -*low.s();
    let high = Signature::from_scalars(low.r().to_bytes(), s.to_bytes()).unwrap();
    [&high.to_bytes()[..], &[signature[64] ^ 27 ^ 28]].concat()
}

fn hex(bytes: &[u8]) -> String {
    const_hex::encode_prefixed(bytes)
}

fn signed(message: &str, signature: &[u8]) -> Value {
    json!({ "message": message, "signature": hex(signature) })
}

/// The body of a registration with its proof.
fn registering(wallet: &str, message: &str, signature: &[u8]) -> Value {
    let mut body = signed(message, signature);
    body["wallet_address"] = json!(wallet);
    body
}

/// The message given out for a wallet.
async fn message_for(world: &World, wallet: &str) -> String {
    let path = format!("/api/v1/register/challenge?wallet_address={wallet}");
    world.get(&path).await.good()["message"].as_str().unwrap().to_owned()
}

async fn register(world: &World, wallet: &str) -> (String, Value) {
    let reply = world.post(REGISTER, &json!({ "wallet_address": wallet })).await;
    let body = created(&reply);
    (body["api_key"].as_str().unwrap().to_owned(), body)
}

fn created(reply: &Reply) -> Value {
    assert_eq!(reply.status.as_u16(), 201, "{}", reply.json());
    reply.json()
}

/// A wallet pays for thirty days of a builder.
fn pay(world: &World, wallet: &str) {
    world.pay(parse_wallet(wallet).unwrap());
}

fn account_count(world: &World) -> usize {
    world.accounts.accounts().accounts(None, 100).unwrap().len()
}

async fn tier(world: &World, key: &str) -> Value {
    world.ask(key, "GET", "/api/v1/verify", None).await.good()["tier"].clone()
}

fn names(value: &Value) -> BTreeSet<String> {
    value.as_object().unwrap().keys().filter(|name| *name != "v5_anchor").cloned().collect()
}

async fn check_members(world: &World, schema: &str, body: &Value) {
    let document = world.get("/openapi.json").await.json();
    let properties = &document["components"]["schemas"][schema]["properties"];
    assert_eq!(names(body), names(properties), "{body}");
}

/// The whole way that an answer points out, from a payment that lifts nobody to the lift.
#[tokio::test]
async fn prove_wallet_leads_from_a_claim_to_what_the_wallet_paid_for() {
    let world = World::small(unlimited());
    let holder = Holder::new(9);
    let (key, _) = register(&world, &holder.wallet()).await;
    pay(&world, &holder.wallet());
    let usage = world.ask(&key, "GET", "/api/v1/usage", None).await.good();
    assert_eq!(
        (&usage["tier"], &usage["subscription"]["status"]),
        (&json!("explorer"), &json!("pending"))
    );
    let way = &usage["subscription"]["prove_wallet"];
    let reply = world.get(way["challenge"].as_str().unwrap()).await;
    assert_eq!(reply.header("cache-control"), "no-store");
    let challenge = reply.good();
    check_members(&world, "Challenge", &challenge).await;
    assert_eq!(
        (&challenge["wallet_address"], &challenge["chain_id"]),
        (&json!(holder.wallet()), &json!(8_453))
    );
    assert_eq!(
        (&challenge["issued_at"], &challenge["expires_at"]),
        (&json!(NOW), &json!(NOW + 600))
    );
    let message = challenge["message"].as_str().unwrap();
    assert!(message.contains(challenge["nonce"].as_str().unwrap()), "{message}");
    let body = signed(message, &holder.sign(message));
    let reply = world.ask(&key, "POST", way["submit"].as_str().unwrap(), Some(&body)).await;
    assert_eq!(reply.header("cache-control"), "no-store");
    let proof = reply.good();
    check_members(&world, "WalletProof", &proof).await;
    assert_eq!((&proof["wallet_proven"], &proof["proven_by"]), (&json!(true), &json!("own_key")));
    assert_eq!(
        (&proof["tier"], &proof["subscription_status"]),
        (&json!("builder"), &json!("active"))
    );
    assert_eq!((&proof["user_id"], &proof["rate_limit_rpm"]), (&usage["user_id"], &json!(1_000)));
    let usage = world.ask(&key, "GET", "/api/v1/usage", None).await.good();
    assert_eq!(
        (&usage["tier"], &usage["subscription"]["prove_wallet"]),
        (&json!("builder"), &Value::Null)
    );
    assert_eq!(proof["expires_at"], usage["subscription"]["expires_at"]);
}

#[tokio::test]
async fn a_registration_with_a_signature_has_at_once_what_the_wallet_paid_for() {
    let world = World::small(unlimited());
    let holder = Holder::new(9);
    pay(&world, &holder.wallet());
    let message = message_for(&world, &holder.wallet()).await;
    let mut body = registering(&holder.wallet().to_lowercase(), &message, &holder.sign(&message));
    body["tier"] = json!("enterprise");
    let first = created(&world.post(REGISTER, &body).await);
    check_members(&world, "Registration", &first).await;
    assert_eq!((&first["wallet_proven"], &first["tier"]), (&json!(true), &json!("builder")));
    assert_eq!(first["prove_wallet"], Value::Null, "there is nothing left to sign");
    assert_eq!(first["wallet_address"], json!(holder.wallet()));
    let first = first["api_key"].as_str().unwrap();
    assert_eq!(tier(&world, first).await, "builder");
    // the last account that it signed for
    let message = message_for(&world, &holder.wallet()).await;
    let body = registering(&holder.wallet(), &message, &holder.sign(&message));
    let second = created(&world.post(REGISTER, &body).await);
    let second = second["api_key"].as_str().unwrap();
    assert_eq!(
        (tier(&world, second).await, tier(&world, first).await),
        (json!("builder"), json!("explorer"))
    );
}

/// What was paid before anybody had proven the wallet is told to whoever proves it, and stands on its
/// invoice.
#[tokio::test]
async fn a_payment_is_told_to_and_billed_to_whoever_proves_its_wallet() {
    let world = World::small(unlimited());
    let holder = Holder::new(9);
    pay(&world, &holder.wallet());
    let (key, _) = register(&world, &holder.wallet()).await;
    let usage = async || world.ask(&key, "GET", "/api/v1/usage", None).await.good();
    let claimed = usage().await["subscription"].clone();
    check_members(&world, "Subscription", &claimed).await;
    assert_eq!((&claimed["status"], &claimed["amount_paid_usdc"]), (&json!("pending"), &json!(0)));
    assert_eq!(claimed["prove_wallet"]["wallet_address"], holder.wallet());
    let message = message_for(&world, &holder.wallet()).await;
    let body = signed(&message, &holder.sign(&message));
    world.ask(&key, "POST", SUBMIT, Some(&body)).await.good();
    let proven = usage().await;
    check_members(&world, "Billing", &proven["billing"]).await;
    let proven = &proven["subscription"];
    assert_eq!((&proven["status"], &proven["amount_paid_usdc"]), (&json!("active"), &json!(50)));
    assert_eq!(world.billing.enter_waiting(None).unwrap(), (2, None));
    let path = format!("/api/v1/invoices/{}", Month::of(UnixSeconds(NOW)).unwrap());
    let draft = world.ask(&key, "GET", &path, None).await.good();
    let lines = draft["lines"].as_array().unwrap();
    let lines: Vec<_> = lines.iter().map(|line| (&line["kind"], &line["amount_usdc"])).collect();
    let expected = [(&json!("subscription"), &json!(50)), (&json!("paid"), &json!(-50))];
    assert_eq!((&lines[..], &draft["total_usdc"]), (&expected[..], &json!(0)));
}

#[tokio::test(flavor = "multi_thread")]
async fn of_many_who_bring_one_signature_at_one_time_one_has_the_wallet() {
    let world = World::small(unlimited());
    let holder = Holder::new(9);
    let (a, _) = register(&world, &holder.wallet()).await;
    let (b, _) = register(&world, &holder.wallet()).await;
    pay(&world, &holder.wallet());
    let message = message_for(&world, &holder.wallet()).await;
    let signature = holder.sign(&message);
    let (body, opening) =
        (signed(&message, &signature), registering(&holder.wallet(), &message, &signature));
    let replies = tokio::join!(
        world.post(REGISTER, &opening),
        world.ask(&a, "POST", SUBMIT, Some(&body)),
        world.ask(&b, "POST", SUBMIT, Some(&body)),
        world.post(REGISTER, &opening),
        world.ask(&a, "POST", SUBMIT, Some(&body)),
        world.post(REGISTER, &opening),
    );
    let replies = [replies.0, replies.1, replies.2, replies.3, replies.4, replies.5];
    let won: Vec<_> = replies.iter().filter(|reply| reply.status.is_success()).collect();
    assert_eq!(won.len(), 1);
    for reply in replies.iter().filter(|reply| !reply.status.is_success()) {
        reply.problem(404, "unknown_challenge");
    }
    let opened = usize::from(won[0].status.as_u16() == 201);
    assert_eq!(account_count(&world), 2 + opened, "who loses opens no account");
    let mut lifted = usize::from(won[0].json()["tier"] == "builder" && opened == 1);
    for key in [&a, &b] {
        lifted += usize::from(tier(&world, key).await == "builder");
    }
    assert_eq!(lifted, 1);
    let again = world.ask(&b, "POST", SUBMIT, Some(&body)).await;
    assert_eq!(again.problem(404, "unknown_challenge")["parameter"], "message");
}

#[tokio::test]
async fn what_proves_nothing_opens_no_account_and_leaves_the_challenge_open() {
    let mut settings = unlimited();
    settings.accounts.wallet.contract_chain_ids = vec![];
    let world = World::small(settings);
    let (holder, other) = (Holder::new(9), Holder::new(8));
    let (key, _) = register(&world, &holder.wallet()).await;
    let message = message_for(&world, &holder.wallet()).await;
    let good = holder.sign(&message);
    let high = twin(&good);
    let mut wrong_v = good.clone();
    wrong_v[64] = 29;
    let compact = good[..64].to_vec();
    let long = [&good[..], &[0]].concat();
    let of_other = other.sign(&message);
    let of_longer = holder.sign(&format!("{message} "));
    for (what, signature) in [
        ("the malleable twin", &high),
        ("another v", &wrong_v),
        ("64 bytes", &compact),
        ("66 bytes", &long),
        ("another's signature", &of_other),
        ("a signature of another text", &of_longer),
        ("no byte", &vec![]),
    ] {
        let reply = world.ask(&key, "POST", SUBMIT, Some(&signed(&message, signature))).await;
        let problem = reply.problem(400, "invalid_signature");
        assert_eq!(problem["parameter"], "signature", "{what}");
        let reply = world.post(REGISTER, &registering(&holder.wallet(), &message, signature)).await;
        reply.problem(400, "invalid_signature");
    }
    let foreign = registering(&other.wallet(), &message, &good);
    let problem = world.post(REGISTER, &foreign).await.problem(400, "invalid_parameter");
    assert_eq!(problem["parameter"], "message", "it names another wallet");
    for bent in [
        message.replacen("localhost", "evil.example", 1),
        message.replace("Chain ID: 8453", "Chain ID: 1"),
        message.replace("http://localhost/api/v1/register", "http://localhost/x"),
        message.replace(&holder.wallet(), &holder.wallet().to_lowercase()),
        message.replace('\n', "\r\n"),
        format!("{message}\n"),
        "sign in".to_owned(),
    ] {
        assert_ne!(bent, message);
        let body = signed(&bent, &holder.sign(&bent));
        let problem = world.ask(&key, "POST", SUBMIT, Some(&body)).await;
        assert_eq!(problem.problem(400, "invalid_parameter")["parameter"], "message", "{bent}");
        world
            .post(REGISTER, &registering(&holder.wallet(), &bent, &holder.sign(&bent)))
            .await
            .problem(400, "invalid_parameter");
    }
    assert_eq!(account_count(&world), 1);
    world.ask(&key, "POST", SUBMIT, Some(&signed(&message, &good))).await.good();
}

#[tokio::test]
async fn a_challenge_of_another_service_environment_or_time_proves_nothing_here() {
    let holder = Holder::new(9);
    let mut settings = unlimited();
    settings.accounts.wallet.domain = "elsewhere.example".into();
    let elsewhere = World::small(settings);
    let world = World::small(unlimited());
    let (key, _) = register(&world, &holder.wallet()).await;
    let prove = async |message: &str| {
        let body = signed(message, &holder.sign(message));
        world.ask(&key, "POST", SUBMIT, Some(&body)).await
    };
    let of_other = message_for(&elsewhere, &holder.wallet()).await;
    let problem = prove(&of_other).await.problem(400, "invalid_parameter");
    assert!(problem["detail"].as_str().unwrap().contains("domain"), "{problem}");
    let twin_service = World::small(unlimited());
    let of_twin = message_for(&twin_service, &holder.wallet()).await;
    prove(&of_twin).await.problem(404, "unknown_challenge");
    // the other environment on the same store
    let mut config = superroot_account::Config::default();
    config.keys.environment = Environment::Live;
    let live = AccountService::open(world.account_rows.clone(), world.clock.clone(), &config);
    let wallet = parse_wallet(&holder.wallet()).unwrap();
    let of_live = live.unwrap().wallets().challenge(wallet, None, UnixSeconds(NOW));
    prove(&of_live.unwrap().message).await.problem(404, "unknown_challenge");
    let late = message_for(&world, &holder.wallet()).await;
    world.clock.advance(600);
    prove(&late).await.problem(410, "challenge_expired");
    let late = message_for(&world, &holder.wallet()).await;
    world.clock.advance(600);
    let body = registering(&holder.wallet(), &late, &holder.sign(&late));
    world.post(REGISTER, &body).await.problem(410, "challenge_expired");
    assert_eq!(account_count(&world), 1);
}

/// Before its owner pays, after, and after the owner has signed.
#[tokio::test]
async fn registering_somebody_elses_wallet_yields_neither_its_tier_nor_its_data() {
    let world = World::small(unlimited());
    let (owner, thief) = (Holder::new(9), Holder::new(8));
    let (stolen, _) = register(&world, &owner.wallet()).await;
    let (own, _) = register(&world, &owner.wallet()).await;
    let message = message_for(&world, &owner.wallet()).await;
    let forged = signed(&message, &thief.sign(&message));
    let refused = world.ask(&stolen, "POST", SUBMIT, Some(&forged)).await;
    assert!(refused.status.is_client_error() || refused.status.is_server_error());
    pay(&world, &owner.wallet());
    let seen = async |key: &str| {
        let usage = world.ask(key, "GET", "/api/v1/usage", None).await.good();
        let list = world.ask(key, "GET", "/api/v1/invoices", None).await.good();
        (usage, list["current"]["total_usdc"].clone())
    };
    for has_signed in [false, true] {
        if has_signed {
            let body = signed(&message, &owner.sign(&message));
            world.ask(&own, "POST", SUBMIT, Some(&body)).await.good();
            let replayed = world.ask(&stolen, "POST", SUBMIT, Some(&body)).await;
            replayed.problem(404, "unknown_challenge");
            for _ in 0..3 {
                world.ask(&own, "GET", "/v5/superroot", None).await.good();
            }
            world.accounts.flush(UnixSeconds(NOW)).unwrap();
        }
        let (usage, bought) = seen(&stolen).await;
        assert_eq!((&usage["tier"], &usage["rate_limit_rpm"]), (&json!("explorer"), &json!(100)));
        assert_eq!(usage["subscription"]["expires_at"], Value::Null);
        assert_eq!((&usage["subscription"]["amount_paid_usdc"], &bought), (&json!(0), &json!(0)));
        assert!(!usage.to_string().contains("\"count\":3"), "{usage}");
        world.ask(&stolen, "GET", "/price/1/weth", None).await.problem(403, "tier_required");
    }
    let (usage, _) = seen(&own).await;
    assert_eq!(
        (&usage["tier"], &usage["subscription"]["amount_paid_usdc"]),
        (&json!("builder"), &json!(50))
    );
}

#[tokio::test]
async fn a_signature_lifts_the_account_of_a_whole_key_and_no_other() {
    let world = World::small(unlimited());
    let holder = Holder::new(9);
    pay(&world, &holder.wallet());
    let (own, account) = register(&world, &holder.wallet()).await;
    world.make_integrator(account["user_id"].as_str().unwrap().parse().unwrap());
    let child = created(&world.ask(&own, "POST", "/api/v1/sub-accounts", None).await);
    let key_with = async |body: Value| {
        let made = created(&world.ask(&own, "POST", "/api/v1/keys", Some(&body)).await);
        made["api_key"].as_str().unwrap().to_owned()
    };
    let of_route = key_with(json!({ "routes": ["G1"] })).await;
    let of_this_route = key_with(json!({ "routes": ["/api/v1/*"] })).await;
    let of_chain = key_with(json!({ "chains": [8_453] })).await;
    let until = key_with(json!({ "expires_at": NOW + 1_000 })).await;
    let message = message_for(&world, &holder.wallet()).await;
    let body = signed(&message, &holder.sign(&message));
    let below = child["api_key"].as_str().unwrap();
    for (key, code) in [
        (of_route.as_str(), "out_of_scope"),
        (&of_this_route, "beyond_key"),
        (&of_chain, "beyond_key"),
        (&until, "beyond_key"),
        (below, "beyond_key"),
    ] {
        world.ask(key, "POST", SUBMIT, Some(&body)).await.problem(403, code);
    }
    world.post(SUBMIT, &body).await.problem(401, "api_key_required");
    world.ask("svc_test_x", "POST", SUBMIT, Some(&body)).await.problem(401, "invalid_api_key");
    let (stranger, _) = register(&world, &holder.wallet()).await;
    assert_eq!(
        world.ask(&own, "POST", SUBMIT, Some(&body)).await.good()["user_id"],
        account["user_id"]
    );
    assert_eq!(tier(&world, &stranger).await, "explorer");
    assert_eq!(tier(&world, below).await, tier(&world, &own).await);
}

#[tokio::test]
async fn a_challenge_is_for_a_well_formed_wallet_and_a_configured_chain() {
    let mut settings = unlimited();
    settings.accounts.wallet.chain_ids = vec![8_453, 11_155_111];
    let world = World::small(settings);
    let wallet = "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed";
    let path = |wallet: &str| format!("/api/v1/register/challenge?wallet_address={wallet}");
    for good in
        [wallet.to_owned(), wallet.to_lowercase(), wallet.to_uppercase().replace("0X", "0x")]
    {
        assert_eq!(world.get(&path(&good)).await.good()["wallet_address"], wallet);
    }
    for bad in [
        wallet.replace("5aAe", "5AAe"),
        wallet.replace("Aed", "aed"),
        wallet[..41].to_owned(),
        wallet[2..].to_owned(),
        format!("0x{}", "0".repeat(40)),
        format!("{wallet}&wallet_address={wallet}"),
        String::new(),
    ] {
        let problem = world.get(&path(&bad)).await.problem(400, "invalid_parameter");
        assert_eq!(problem["parameter"], "wallet_address", "{bad}");
    }
    world.get("/api/v1/register/challenge").await.problem(400, "invalid_parameter");
    world.get(&format!("{}&chain=1", path(wallet))).await.problem(400, "invalid_parameter");
    for (chain, id) in
        [("8453", 8_453), ("base", 8_453), ("eip155:8453", 8_453), ("11155111", 11_155_111)]
    {
        let given = world.get(&format!("{}&chain_id={chain}", path(wallet))).await.good();
        assert_eq!(given["chain_id"], id);
        assert!(given["message"].as_str().unwrap().contains(&format!("Chain ID: {id}\n")));
        assert_eq!(given["contract_wallets"], false, "no node is asked here");
    }
    for chain in ["1", "ethereum", "0", "-1", "", "18446744073709551616"] {
        let problem = world.get(&format!("{}&chain_id={chain}", path(wallet))).await;
        let problem = problem.problem(400, "invalid_parameter");
        assert_eq!(problem["parameter"], "chain_id", "{chain}");
    }
    world.get(&format!("{}&chain_id=atlantis", path(wallet))).await.problem(404, "unknown_chain");
}

/// Nodes that say what they are told to.
struct Nodes(Result<Vec<u8>, ()>);

/// What creation code returns where a contract vouches (EIP-1271).
fn yes() -> Vec<u8> {
    let mut returned = vec![0, 0x16, 0x26, 0xba, 0x7e];
    returned.resize(33, 0);
    returned
}

fn called(returned: Vec<u8>) -> Called {
    Called { returned, block: BlockNumber(7), nodes: vec!["a".into(), "b".into()] }
}

impl ContractCaller for Nodes {
    fn asks(&self, chain: ChainId) -> bool {
        chain == ChainId(8_453)
    }

    fn call(&self, _: ChainId, _: &ContractCall) -> Result<Called, CallUnavailable> {
        self.0.clone().map(called).map_err(|()| CallUnavailable { why: "secret node down".into() })
    }
}

#[tokio::test]
async fn a_contract_wallet_is_what_its_nodes_say_and_unknown_where_they_say_nothing() {
    let mut world = World::small(unlimited());
    let wallet = format!("0x{}", "5a".repeat(20));
    let (key, _) = register(&world, &wallet).await;
    let message = message_for(&world, &wallet).await;
    let body = signed(&message, b"by my contract");
    let reply = world.ask(&key, "POST", SUBMIT, Some(&body)).await;
    let problem = reply.problem(400, "contract_wallet_unsupported");
    assert!(problem["detail"].as_str().unwrap().contains("cannot be checked here"), "{problem}");
    assert_eq!(problem["retryable"], false);
    world.ask_contracts_of(Arc::new(Nodes(Err(()))));
    let path = format!("/api/v1/register/challenge?wallet_address={wallet}");
    assert_eq!(world.get(&path).await.good()["contract_wallets"], true);
    let reply = world.ask(&key, "POST", SUBMIT, Some(&body)).await;
    let problem = reply.problem(503, "contract_wallet_unavailable");
    assert_eq!((&problem["retryable"], &problem["retry_after"]), (&json!(true), &json!(5)));
    assert!(!problem.to_string().contains("secret"), "{problem}");
    let opening = registering(&wallet, &message, b"by my contract");
    world.post(REGISTER, &opening).await.problem(503, "contract_wallet_unavailable");
    world.ask_contracts_of(Arc::new(Nodes(Ok(vec![0; 33]))));
    for _ in 0..8 {
        let reply = world.ask(&key, "POST", SUBMIT, Some(&body)).await;
        reply.problem(400, "invalid_signature");
    }
    world.ask_contracts_of(Arc::new(Nodes(Ok(yes()))));
    let too_often = world.ask(&key, "POST", SUBMIT, Some(&body)).await;
    too_often.problem(503, "contract_wallet_unavailable");
    assert_eq!(account_count(&world), 1);
    world.clock.advance(60);
    let proof = world.ask(&key, "POST", SUBMIT, Some(&body)).await.good();
    assert_eq!((&proof["proven_by"], &proof["chain_id"]), (&json!("contract"), &json!(8_453)));
    let message = message_for(&world, &wallet).await;
    let opening = registering(&wallet, &message, b"by my contract");
    assert_eq!(created(&world.post(REGISTER, &opening).await)["wallet_proven"], true);
}

/// Nodes that vouch once they are let.
struct Slow {
    is_asked: Notify,
    may_answer: Mutex<mpsc::Receiver<()>>,
    has_answered: Notify,
}

impl Slow {
    fn new() -> (Arc<Self>, mpsc::Sender<()>) {
        let (let_go, may_answer) = mpsc::channel();
        let may_answer = Mutex::new(may_answer);
        let slow = Self { is_asked: Notify::new(), may_answer, has_answered: Notify::new() };
        (Arc::new(slow), let_go)
    }
}

impl ContractCaller for Slow {
    fn asks(&self, _: ChainId) -> bool {
        true
    }

    fn call(&self, _: ChainId, _: &ContractCall) -> Result<Called, CallUnavailable> {
        self.is_asked.notify_one();
        self.may_answer.lock().unwrap().recv().unwrap();
        self.has_answered.notify_one();
        Ok(called(yes()))
    }
}

/// On a runtime of one thread, which a waiting check must leave to others.
#[tokio::test]
async fn nodes_that_take_their_time_hold_up_nobody_else() {
    let mut world = World::small(unlimited());
    let (slow, let_go) = Slow::new();
    world.ask_contracts_of(slow.clone());
    let (wallet, holder) = (format!("0x{}", "5a".repeat(20)), Holder::new(9));
    let (key, _) = register(&world, &wallet).await;
    let message = message_for(&world, &wallet).await;
    let body = signed(&message, b"by my contract");
    let others = async {
        slow.is_asked.notified().await;
        world.get("/health/live").await.good();
        world.get("/v5/proof/1/20").await.good();
        let message = message_for(&world, &holder.wallet()).await;
        let body = registering(&holder.wallet(), &message, &holder.sign(&message));
        created(&world.post(REGISTER, &body).await);
        let_go.send(()).unwrap();
    };
    let (reply, ()) = tokio::join!(world.ask(&key, "POST", SUBMIT, Some(&body)), others);
    assert_eq!(reply.good()["proven_by"], "contract");
}

/// Who was told that it took too long finds nothing done behind their back: no account whose key
/// nobody was told, no challenge used up.
#[tokio::test(start_paused = true)]
async fn a_check_that_outlives_its_request_writes_nothing_down() {
    let mut world = World::small(unlimited());
    let (slow, let_go) = Slow::new();
    world.ask_contracts_of(slow.clone());
    let wallet = format!("0x{}", "5a".repeat(20));
    let message = message_for(&world, &wallet).await;
    let opening = registering(&wallet, &message, b"by my contract");
    let wait = async {
        slow.is_asked.notified().await;
        tokio::time::advance(Duration::from_secs(11)).await;
    };
    let (reply, ()) = tokio::join!(world.post(REGISTER, &opening), wait);
    assert_eq!(reply.problem(503, "timeout")["retryable"], true);
    let_go.send(()).unwrap();
    slow.has_answered.notified().await;
    // the second one goes the same way behind it, and only what it opens is there
    let_go.send(()).unwrap();
    created(&world.post(REGISTER, &opening).await);
    assert_eq!(account_count(&world), 1);
}

/// Signatures that prove nothing open nothing and so cost no registration; and one registration too
/// many uses no challenge up.
#[tokio::test]
async fn the_limit_of_registrations_counts_accounts_and_keeps_challenges() {
    let world = World::small(unlimited());
    let (holder, other) = (Holder::new(9), Holder::new(8));
    let message = message_for(&world, &holder.wallet()).await;
    let forged = registering(&holder.wallet(), &message, &other.sign(&message));
    for _ in 0..30 {
        world.post(REGISTER, &forged).await.problem(400, "contract_wallet_unsupported");
    }
    let mut keys = Vec::new();
    for _ in 0..20 {
        keys.push(register(&world, &holder.wallet()).await.0);
    }
    let signature = holder.sign(&message);
    let refused = world.post(REGISTER, &registering(&holder.wallet(), &message, &signature)).await;
    refused.problem(429, "registrations_limited");
    assert_eq!(account_count(&world), 20);
    let body = signed(&message, &signature);
    world.ask(&keys[0], "POST", SUBMIT, Some(&body)).await.good();
}

#[tokio::test]
async fn wrong_bodies_name_what_is_wrong() {
    let world = World::small(unlimited());
    let (key, _) = register(&world, &Holder::new(9).wallet()).await;
    let wallet = Holder::new(9).wallet();
    for (body, parameter) in [
        (json!({}), "message"),
        (json!({ "message": "m" }), "signature"),
        (json!({ "signature": "0x00" }), "message"),
        (json!({ "message": null, "signature": null }), "message"),
        (json!({ "message": ["m"], "signature": "0x00" }), "message"),
        (json!({ "message": "m", "signature": "zz" }), "signature"),
        (json!({ "message": "m", "signature": { "r": 1 } }), "signature"),
        (json!({ "message": "m".repeat(4_096), "signature": "0x00" }), "message"),
        (json!({ "message": "m", "signature": format!("0x{}", "00".repeat(20_000)) }), "signature"),
        (json!({ "message": "m", "signature": "0x00", "user_id": "1" }), "user_id"),
        (json!({ "message": "m\u{0}", "signature": "0x00" }), "message"),
    ] {
        let reply = world.ask(&key, "POST", SUBMIT, Some(&body)).await;
        assert_eq!(reply.problem(400, "invalid_parameter")["parameter"], parameter, "{body}");
        let mut opening = body.clone();
        opening["wallet_address"] = json!(wallet);
        if body != json!({}) {
            let reply = world.post(REGISTER, &opening).await;
            assert_eq!(reply.problem(400, "invalid_parameter")["parameter"], parameter, "{body}");
        }
    }
    for body in ["[]", "null", "7", "\"m\"", "{", "", "{\"message\":\"a\",\"message\":\"b\"}"] {
        let headers = [("x-api-key", key.as_str()), ("content-type", "application/json")];
        let reply = world.send(request("POST", SUBMIT, &headers, Body::from(body))).await;
        reply.problem(400, "invalid_parameter");
    }
    let plain = [("x-api-key", key.as_str()), ("content-type", "text/plain")];
    let reply = world.send(request("POST", SUBMIT, &plain, Body::from("{}"))).await;
    reply.problem(415, "unsupported_media_type");
    world.ask(&key, "GET", SUBMIT, None).await.problem(405, "method_not_allowed");
    assert_eq!(account_count(&world), 1);
}
