//! Proofs of wallets over HTTP: what proves, once, for whom, and what never does.

use crate::support;

use std::sync::{Arc, Mutex, mpsc};
use std::time::Duration;

use k256::ecdsa::SigningKey;
use serde_json::{Value, json};
use superroot_account::wallet::{CallResult, CallUnavailable, ContractCaller, WalletCall};
use superroot_account::{Operator, parse_wallet, show_wallet};
use superroot_billing::OperatorEntry;
use superroot_proof::hash::keccak256;
use superroot_types::{Address, BlockNumber, ChainId};
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

/// The whole way that an answer points out, from a payment that lifts nobody to the lift.
#[tokio::test]
async fn prove_wallet_leads_from_a_claim_to_what_the_wallet_paid_for() {
    let world = World::small(unlimited());
    let holder = Holder::new(9);
    let (key, _) = world.register(&holder.wallet()).await;
    pay(&world, &holder.wallet());
    let usage = world.ask(&key, "GET", "/api/v1/usage", None).await.good();
    assert_eq!(
        (&usage["tier"], &usage["subscription"]["status"]),
        (&json!("explorer"), &json!("pending"))
    );
    let way = &usage["subscription"]["prove_wallet"];
    let verified = world.ask(&key, "GET", "/api/v1/verify", None).await.good();
    assert_eq!(
        (&verified["subscription_status"], &verified["prove_wallet"]),
        (&json!("pending"), way)
    );
    let reply = world.get(way["challenge"].as_str().unwrap()).await;
    assert_eq!(reply.header("cache-control"), "no-store");
    let challenge = reply.good();
    world.check_members("Challenge", &challenge).await;
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
    world.check_members("WalletProof", &proof).await;
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
    let first = world.post(REGISTER, &body).await.created();
    world.check_members("Registration", &first).await;
    assert_eq!((&first["wallet_proven"], &first["tier"]), (&json!(true), &json!("builder")));
    assert_eq!(first["prove_wallet"], Value::Null, "there is nothing left to sign");
    assert_eq!(first["wallet_address"], json!(holder.wallet()));
    let first = first["api_key"].as_str().unwrap();
    assert_eq!(tier(&world, first).await, "builder");
    // the last account that it signed for
    let message = message_for(&world, &holder.wallet()).await;
    let body = registering(&holder.wallet(), &message, &holder.sign(&message));
    let second = world.post(REGISTER, &body).await.created();
    let second = second["api_key"].as_str().unwrap();
    assert_eq!(
        (tier(&world, second).await, tier(&world, first).await),
        (json!("builder"), json!("explorer"))
    );
}

/// What the running month costs is owed before it closes: a payment lifts that too, and counts once.
#[tokio::test]
async fn a_payment_lifts_what_the_running_month_costs() {
    let mut settings = unlimited();
    let terms = &mut settings.accounts.plans.pay_as_you_go;
    (terms.free_tokens_per_month, terms.owed_usdc_e6_max) = (0, 1_000_000);
    terms.million_tokens_usdc_e6 = 1_000_000_000_000; // 1 USDC for each
    let (world, holder) = (World::small(settings), Holder::new(9));
    let message = message_for(&world, &holder.wallet()).await;
    let body = registering(&holder.wallet(), &message, &holder.sign(&message));
    let opened = world.post(REGISTER, &body).await.created();
    let (key, account) = (opened["api_key"].as_str().unwrap(), opened["user_id"].as_str().unwrap());
    let account = account.parse().unwrap();
    let proof = world.get("/v5/proof/1/20").await.good();
    let verify = async || {
        let reply = world.ask(key, "POST", "/kv/verify", Some(&proof)).await;
        world.accounts.flush(world.accounts.now()).unwrap();
        world.clock.advance(30);
        reply
    };
    let pay = |usdc_e6, reference: &str| {
        let by = Operator { who: "test".into(), why: "bank".into() };
        let receipt = OperatorEntry { account, usdc_e6, reference: reference.into(), by };
        world.billing.receive(&receipt).unwrap();
        world.clock.advance(30);
    };
    verify().await.good();
    verify().await.good();
    let problem = verify().await.problem(403, "payment_due");
    let told = (&problem["owed_usdc"], &problem["most_usdc"]);
    assert_eq!(told, (&json!("2.000000"), &json!("1.000000")), "{problem}");
    pay(1_000_000, "wire-7");
    verify().await.good(); // as much as the most may be owed
    verify().await.problem(403, "payment_due");
    pay(3_000_000, "wire-8");
    for _ in 0..3 {
        verify().await.good();
    }
    verify().await.problem(403, "payment_due");
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

fn called(returned: Vec<u8>) -> CallResult {
    CallResult { returned, block: BlockNumber(7), nodes: vec!["a".into(), "b".into()] }
}

impl ContractCaller for Nodes {
    fn asks(&self, chain: ChainId) -> bool {
        chain == ChainId(8_453)
    }

    fn call(&self, _: ChainId, _: &WalletCall) -> Result<CallResult, CallUnavailable> {
        self.0.clone().map(called).map_err(|()| CallUnavailable { why: "secret node down".into() })
    }
}

#[tokio::test]
async fn a_contract_wallet_is_what_its_nodes_say_and_unknown_where_they_say_nothing() {
    let mut world = World::small(unlimited());
    let wallet = format!("0x{}", "5a".repeat(20));
    let (key, _) = world.register(&wallet).await;
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
    for _ in 0..28 {
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
    assert_eq!(world.post(REGISTER, &opening).await.created()["wallet_proven"], true);
}

/// A signature of another form than a key's is told as what it is.
#[tokio::test]
async fn what_a_signature_lacks_is_told() {
    let world = World::small(unlimited());
    let holder = Holder::new(9);
    let (key, _) = world.register(&holder.wallet()).await;
    let message = message_for(&world, &holder.wallet()).await;
    let good = holder.sign(&message);
    for (signature, code, said) in [
        (good[..64].to_vec(), "invalid_signature", "65 bytes"),
        (
            [&good[..], &[0]].concat(),
            "contract_wallet_unsupported",
            "65 bytes, r, s and v, and this has 66",
        ),
        (Vec::new(), "contract_wallet_unsupported", "is empty"),
        (
            [&good[..64], &[5]].concat(),
            "contract_wallet_unsupported",
            "27 or 28 (or 0 or 1), and this in 5",
        ),
    ] {
        let body = signed(&message, &signature);
        let problem = world.ask(&key, "POST", SUBMIT, Some(&body)).await.problem(400, code);
        assert!(problem["detail"].as_str().unwrap().contains(said), "{problem}");
    }
    world.ask(&key, "POST", SUBMIT, Some(&signed(&message, &good))).await.good();
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

    fn call(&self, _: ChainId, _: &WalletCall) -> Result<CallResult, CallUnavailable> {
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
    let (key, _) = world.register(&wallet).await;
    let message = message_for(&world, &wallet).await;
    let body = signed(&message, b"by my contract");
    let others = async {
        slow.is_asked.notified().await;
        world.get("/health/live").await.good();
        world.get("/v5/proof/1/20").await.good();
        let message = message_for(&world, &holder.wallet()).await;
        let body = registering(&holder.wallet(), &message, &holder.sign(&message));
        world.post(REGISTER, &body).await.created();
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
    world.post(REGISTER, &opening).await.created();
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
        keys.push(world.register(&holder.wallet()).await.0);
    }
    let signature = holder.sign(&message);
    let refused = world.post(REGISTER, &registering(&holder.wallet(), &message, &signature)).await;
    refused.problem(429, "registrations_limited");
    assert_eq!(account_count(&world), 20);
    let body = signed(&message, &signature);
    world.ask(&keys[0], "POST", SUBMIT, Some(&body)).await.good();
}
