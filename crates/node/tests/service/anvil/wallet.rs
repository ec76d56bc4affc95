//! Wallets that are contracts, on a real node: a Safe, deployed and not yet, and contracts that would
//! rather not be asked.

#[path = "../../../src/contract_calls.rs"]
mod contract_calls;
use std::net::IpAddr;
use std::sync::Arc;
use std::time::Duration;

use crate::support::anvil::{Anvil, Mining, code_in};
use crate::support::contract::{Arg, call, encode};
use crate::support::{Service, http, world};
use contract_calls::ContractCalls;
use serde_json::{Value, json};
use sha3::{Digest, Keccak256};
use superroot_account::wallet::{ContractCaller, ProvenBy};
use superroot_account::{
    AccountError, Environment, ProvenWallet, WalletConfig, Wallets, parse_wallet,
};
use superroot_chain::Registry;
use superroot_source::{Budget, EndpointConfig, LiveConfig, LiveNodes, LiveSource, Source};
use superroot_store::MemoryStore;
use superroot_types::UnixSeconds;
use tokio::runtime::Handle;

const BASE: u64 = 8_453;
const LONGEST: Duration = Duration::from_secs(8);
const NOW: UnixSeconds = UnixSeconds(1_700_000_000);

fn keccak(parts: &[&[u8]]) -> [u8; 32] {
    Keccak256::digest(parts.concat()).into()
}

/// A node with the contracts of Safe as they were published.
struct Safes {
    node: Anvil,
    factory: String,
    singleton: String,
    handler: String,
}

/// The same, and a service in this process that asks it.
struct World {
    safes: Safes,
    source: Arc<LiveSource>,
    wallets: Arc<Wallets>,
    calls: Arc<ContractCalls>,
}

impl std::ops::Deref for World {
    type Target = Safes;

    fn deref(&self) -> &Safes {
        &self.safes
    }
}

impl Safes {
    async fn deploy(chain_id: u64) -> Option<Self> {
        let node = Anvil::start(chain_id, Mining::OnDemand, 1)?;
        let deploy = async |file: &str| {
            let file = format!("@safe-global/safe-contracts/build/artifacts/contracts/{file}");
            let receipt = node.execute(None, &code_in(&file)).await;
            receipt["contractAddress"].as_str().unwrap().to_owned()
        };
        let singleton = deploy("Safe.sol/Safe.json").await;
        let factory = deploy("proxies/SafeProxyFactory.sol/SafeProxyFactory.json").await;
        let handler = "CompatibilityFallbackHandler";
        let handler = deploy(&format!("handler/{handler}.sol/{handler}.json")).await;
        node.mine(3).await;
        Some(Self { node, factory, singleton, handler })
    }

    /// A call of the factory that makes a Safe of one owner, and the address it will have.
    async fn safe(&self, owner: &str, salt: u128) -> (Vec<u8>, String) {
        let nobody = format!("0x{}", "00".repeat(20));
        let nobody = || Arg::from(nobody.as_str());
        let setup = call(
            "setup(address[],uint256,address,bytes,address,address,uint256,address)",
            &[
                Arg::Addresses(vec![owner.to_owned()]),
                1.into(),
                nobody(),
                Arg::Bytes(Vec::new()),
                self.handler.as_str().into(),
                nobody(),
                0.into(),
                nobody(),
            ],
        );
        let create = call(
            "createProxyWithNonce(address,bytes,uint256)",
            &[self.singleton.as_str().into(), Arg::Bytes(setup), salt.into()],
        );
        let asked =
            json!([{ "to": self.factory, "data": const_hex::encode_prefixed(&create) }, "latest"]);
        let word = self.node.call("eth_call", asked).await;
        let safe = format!("0x{}", &word.as_str().unwrap()[26..]);
        (create, safe)
    }

    /// `personal_sign` by the node.
    async fn sign(&self, account: &str, message: &[u8]) -> Vec<u8> {
        let signed = json!([account, const_hex::encode_prefixed(message)]);
        let signature = self.node.call("eth_sign", signed).await;
        const_hex::decode(signature.as_str().unwrap()).unwrap()
    }

    /// An owner's signature of a message for its Safe.
    async fn sign_for(&self, safe: &str, owner: &str, message: &str) -> Vec<u8> {
        let prefix = format!("\u{19}Ethereum Signed Message:\n{}", message.len());
        let hash = keccak(&[prefix.as_bytes(), message.as_bytes()]);
        let domain = keccak(&[
            &keccak(&[b"EIP712Domain(uint256 chainId,address verifyingContract)"]),
            &encode(&[u128::from(self.node.chain_id).into(), safe.into()]),
        ]);
        let of_safe = keccak(&[&keccak(&[b"SafeMessage(bytes message)"]), &keccak(&[&hash])]);
        let digest = keccak(&[&[0x19, 0x01], &domain, &of_safe]);
        let mut signature = self.sign(owner, &digest).await;
        signature[64] += 4; // how a Safe knows `personal_sign`
        signature
    }

    /// As EIP-6492 wraps it.
    fn wrap(factory: &str, create: Vec<u8>, inner: Vec<u8>) -> Vec<u8> {
        let mut wrapped = encode(&[factory.into(), Arg::Bytes(create), Arg::Bytes(inner)]);
        wrapped.extend([0x64, 0x92].repeat(16));
        wrapped
    }

    async fn accounts(&self) -> [String; 2] {
        let accounts = self.node.call("eth_accounts", json!([])).await;
        [0, 1].map(|index: usize| accounts[index].as_str().unwrap().to_owned())
    }

    async fn code_at(&self, address: &str) -> String {
        let code = self.node.call("eth_getCode", json!([address, "latest"])).await;
        code.as_str().unwrap().to_owned()
    }
}

impl World {
    async fn start() -> Option<Self> {
        let safes = Safes::deploy(BASE).await?;
        let row = Registry::builtin().find("base").unwrap();
        let config = LiveConfig { tip_timeout_ms: 2_000, ..LiveConfig::default() };
        let endpoints = vec![EndpointConfig::at(&safes.node.url)];
        let source = Arc::new(LiveSource::new(&Budget::default(), row, endpoints, config).unwrap());
        let store = Arc::new(MemoryStore::new());
        let wallets = Wallets::open(store, Environment::Test, WalletConfig::default()).unwrap();
        let sources = [Arc::clone(&source) as Arc<dyn Source>];
        let calls = Arc::new(ContractCalls::new(Handle::current(), sources, LONGEST));
        let wallets = Arc::new(wallets);
        Some(Self { safes, source, wallets, calls })
    }

    fn challenge(&self, wallet: &str) -> String {
        let from: IpAddr = [192, 0, 2, 1].into();
        let wallet = parse_wallet(wallet).unwrap();
        self.wallets.challenge(from.into(), wallet, None, NOW).unwrap().message
    }

    async fn verify(&self, message: &str, signature: &[u8]) -> Result<ProvenWallet, AccountError> {
        let (wallets, calls) = (Arc::clone(&self.wallets), Arc::clone(&self.calls));
        let (message, signature) = (message.to_owned(), signature.to_owned());
        let verify = move || wallets.verify(&message, &signature, &*calls, NOW);
        tokio::task::spawn_blocking(verify).await.unwrap()
    }

    fn failures(&self) -> u64 {
        self.source.report().endpoints.iter().map(|report| report.failure_count).sum()
    }
}

fn is_refused(outcome: &Result<ProvenWallet, AccountError>) -> bool {
    matches!(outcome, Err(AccountError::Signature { .. }))
}

#[tokio::test(flavor = "multi_thread")]
async fn a_safe_proves_itself_before_and_after_it_is_deployed() {
    let Some(world) = World::start().await else { return };
    let [owner, stranger] = world.accounts().await;
    let (create, safe) = world.safe(&owner, 7).await;
    let message = world.challenge(&safe);
    let inner = world.sign_for(&safe, &owner, &message).await;
    let by_stranger = world.sign_for(&safe, &stranger, &message).await;
    let wrap = |inner: &[u8]| Safes::wrap(&world.factory, create.clone(), inner.to_vec());

    assert!(is_refused(&world.verify(&message, &inner).await), "there is no contract yet");
    assert!(is_refused(&world.verify(&message, &wrap(&by_stranger)).await));
    let proven = world.verify(&message, &wrap(&inner)).await.unwrap();
    assert_eq!(proven.wallet(), parse_wallet(&safe).unwrap());
    let ProvenBy::Contract { nodes, .. } = proven.by() else { panic!("{proven:?}") };
    assert_eq!(nodes.len(), 1);
    assert_eq!(world.code_at(&safe).await, "0x", "nothing was really deployed");

    world.node.execute(Some(&world.factory), &create).await;
    world.node.mine(3).await;
    assert_ne!(world.code_at(&safe).await, "0x");
    for is_wrapped in [false, true] {
        let message = world.challenge(&safe);
        let inner = world.sign_for(&safe, &owner, &message).await;
        let by_stranger = world.sign_for(&safe, &stranger, &message).await;
        let shape = |inner: &[u8]| if is_wrapped { wrap(inner) } else { inner.to_vec() };
        assert!(is_refused(&world.verify(&message, &shape(&by_stranger)).await));
        let of_owner = world.sign(&owner, message.as_bytes()).await;
        assert!(is_refused(&world.verify(&message, &shape(&of_owner)).await), "not for the Safe");
        world.verify(&message, &shape(&inner)).await.unwrap();
    }
    assert_eq!(world.failures(), 0, "{:?}", world.source.report().endpoints);
}

#[tokio::test(flavor = "multi_thread")]
async fn what_a_real_wallet_signs_is_proven_without_asking_and_a_silent_node_proves_nothing() {
    let Some(world) = World::start().await else { return };
    let [owner, stranger] = world.accounts().await;
    let message = world.challenge(&owner);
    let by_stranger = world.sign(&stranger, message.as_bytes()).await;
    assert!(is_refused(&world.verify(&message, &by_stranger).await));
    let signature = world.sign(&owner, message.as_bytes()).await;
    let second = world.challenge(&stranger);
    let not_its_own = world.sign(&owner, second.as_bytes()).await;
    world.node.freeze();
    let unknown = world.verify(&second, &not_its_own).await;
    assert!(matches!(unknown, Err(AccountError::ContractWallet { .. })), "{unknown:?}");
    let proven = world.verify(&message, &signature).await.unwrap();
    assert_eq!(proven.by(), &ProvenBy::OwnKey);
    world.node.thaw();
}

/// Strangers choose what nodes execute. Whatever it does, it is no signature, and no node's fault.
#[tokio::test(flavor = "multi_thread")]
async fn contracts_that_burn_revert_or_echo_prove_nothing_and_make_no_node_look_bad() {
    let Some(world) = World::start().await else { return };
    let [owner, _] = world.accounts().await;
    let hostile = [
        ("an endless loop", "5b600056"),
        ("an invalid instruction", "fe"),
        (
            "a revert with words",
            "7f72617465206c696d697400000000000000000000000000000000000000000000600052602060 00fd",
        ),
        ("an echo of the input", "3660006000373660 00f3"),
        ("nothing", "00"),
        ("a word of ones", "6000198060005260206000f3"),
        ("the four bytes alone", "631626ba7e60e01b60005260046000f3"),
        ("a large answer", "620186a06000f3"),
        ("the word behind a zero word", "631626ba7e60e01b60205260406000f3"),
    ];
    for (index, (what, code)) in hostile.into_iter().enumerate() {
        let wallet = format!("0x{:040x}", 0xbad0000 + index);
        let code = format!("0x{}", code.replace(' ', ""));
        world.node.call("anvil_setCode", json!([wallet, code])).await;
        world.node.mine(3).await;
        let message = world.challenge(&wallet);
        let outcome = world.verify(&message, b"any").await;
        assert!(is_refused(&outcome), "{what}: {outcome:?}");
        // as a factory, for a wallet that is not there
        let (_, safe) = world.safe(&owner, 1_000 + index as u128).await;
        let message = world.challenge(&safe);
        let inner = world.sign_for(&safe, &owner, &message).await;
        let outcome = world.verify(&message, &Safes::wrap(&wallet, vec![1], inner)).await;
        assert!(is_refused(&outcome), "{what}, as a factory: {outcome:?}");
    }
    let magic = format!("0x{:040x}", 0x600d);
    let code = "0x631626ba7e60e01b60005260206000f3";
    world.node.call("anvil_setCode", json!([magic, code])).await;
    world.node.mine(3).await;
    let message = world.challenge(&magic);
    world.verify(&message, b"any").await.expect("the word of EIP-1271 is taken");
    assert_eq!(world.failures(), 0, "{:?}", world.source.report().endpoints);
}

/// Chain id that anvil has when nobody asks for another.
const ANVIL: u64 = 31_337;

/// Status and body of a POST, with a key where one is given.
async fn post(service: &Service, path: &str, key: &str, body: &Value) -> (u16, Value) {
    let request = http().post(format!("{}{path}", service.url)).json(body);
    let request = if key.is_empty() { request } else { request.header("x-api-key", key) };
    let answer = request.send().await.unwrap();
    (answer.status().as_u16(), answer.json().await.unwrap())
}

/// The running program over HTTP: a Safe registers before it is deployed, proves itself to a second
/// account once it is, and is neither believed nor refused while its node is silent.
#[tokio::test(flavor = "multi_thread")]
async fn a_safe_is_proven_through_the_running_service() {
    let Some(safes) = Safes::deploy(ANVIL).await else { return };
    let world = world::World::of(&[&safes.node]);
    let chains = format!("[{ANVIL}]");
    let service = world.serve(&[
        ("SUPERROOT__WALLET__CHAIN_IDS", &chains),
        ("SUPERROOT__WALLET__CONTRACT_CHAIN_IDS", &chains),
        ("SUPERROOT__SOURCE__TIP_TIMEOUT_MS", "1000"),
    ]);
    service.ready().await;
    let [owner, stranger] = safes.accounts().await;
    let (create, safe) = safes.safe(&owner, 7).await;
    let challenge = async || {
        let path = format!("/api/v1/register/challenge?wallet_address={safe}");
        let given = service.json(&path).await;
        assert_eq!((&given["chain_id"], &given["contract_wallets"]), (&json!(ANVIL), &json!(true)));
        given["message"].as_str().unwrap().to_owned()
    };
    let body = |message: &str, signature: &[u8]| {
        let signature = const_hex::encode_prefixed(signature);
        json!({ "wallet_address": safe, "message": message, "signature": signature })
    };

    let message = challenge().await;
    let wrap = |inner| Safes::wrap(&safes.factory, create.clone(), inner);
    let by_stranger = wrap(safes.sign_for(&safe, &stranger, &message).await);
    let (status, problem) =
        post(&service, "/api/v1/register", "", &body(&message, &by_stranger)).await;
    assert_eq!((status, &problem["code"]), (400, &json!("invalid_signature")), "{problem}");
    let by_owner = wrap(safes.sign_for(&safe, &owner, &message).await);
    let (status, first) = post(&service, "/api/v1/register", "", &body(&message, &by_owner)).await;
    assert_eq!((status, &first["wallet_proven"]), (201, &json!(true)), "{first}");

    safes.node.execute(Some(&safes.factory), &create).await;
    safes.node.mine(3).await;
    let (_, second) =
        post(&service, "/api/v1/register", "", &json!({ "wallet_address": safe })).await;
    let key = second["api_key"].as_str().unwrap();
    let message = challenge().await;
    let inner = safes.sign_for(&safe, &owner, &message).await;
    let mut proof = body(&message, &inner);
    proof.as_object_mut().unwrap().remove("wallet_address");
    safes.node.freeze();
    let (status, problem) = post(&service, "/api/v1/wallet", key, &proof).await;
    assert_eq!(
        (status, &problem["code"]),
        (503, &json!("contract_wallet_unavailable")),
        "{problem}"
    );
    assert_eq!(problem["retryable"], true);
    safes.node.thaw();
    let proven = crate::support::anvil::until("the node answers again", async || {
        let (status, answer) = post(&service, "/api/v1/wallet", key, &proof).await;
        assert!(status == 200 || status == 503, "{answer}");
        (status == 200).then_some(answer)
    });
    let proven = proven.await;
    assert_eq!((&proven["proven_by"], &proven["chain_id"]), (&json!("contract"), &json!(ANVIL)));
    assert_eq!(proven["user_id"], second["user_id"]);
    let (status, problem) = post(&service, "/api/v1/wallet", key, &proof).await;
    assert_eq!((status, &problem["code"]), (404, &json!("unknown_challenge")), "{problem}");
}

/// Recordings and simulated chains execute nothing, whatever they are called.
#[tokio::test]
async fn a_chain_that_is_not_live_is_not_asked() {
    use superroot_source::simulated::{SimulatedChain, SimulatedConfig};
    let row = Registry::builtin().find("base").unwrap().clone();
    let row = row.read_as(superroot_chain::Encoding::Ethereum);
    let config = SimulatedConfig {
        seed: 1,
        genesis_time: NOW,
        block_time_seconds: 1,
        finality_depth: 8,
        reorgs: false,
        quiet_until: 0,
    };
    let clock = Arc::new(superroot_types::ManualClock::at(NOW));
    let source: Arc<dyn Source> = Arc::new(SimulatedChain::new(&row, config, clock).unwrap());
    let calls = ContractCalls::new(Handle::current(), [source], LONGEST);
    assert!(!calls.asks(superroot_types::ChainId(BASE)));
}
