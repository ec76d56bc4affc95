//! Wallets that are contracts, through the running service and a real node: a Safe, deployed and not
//! yet, and contracts that would rather not be asked.

use crate::support::anvil::{Anvil, code_in, until};
use crate::support::contract::{Arg, call, encode};
use crate::support::{Service, world};
use serde_json::{Value, json};
use sha3::{Digest, Keccak256};

const ANVIL: u64 = 31_337;

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

impl Safes {
    async fn deploy() -> Option<Self> {
        let node = Anvil::start(ANVIL, 1)?;
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
}

/// A service on a node with these contracts, and what is asked of it.
struct Wallets {
    safes: Safes,
    service: Service,
    _world: world::World,
}

impl Wallets {
    async fn start() -> Option<Self> {
        let safes = Safes::deploy().await?;
        let world = world::World::of(&[&safes.node]);
        let chains = format!("[{ANVIL}]");
        let service = world.serve(&[
            ("SUPERROOT__WALLET__CHAIN_IDS", &chains),
            ("SUPERROOT__WALLET__CONTRACT_CHAIN_IDS", &chains),
            ("SUPERROOT__SOURCE__TIP_TIMEOUT_MS", "2000"),
            ("SUPERROOT__LIMIT__REGISTRATIONS_PER_HOUR", "0"),
            ("SUPERROOT__LIMIT__REGISTRATIONS_PER_DAY", "0"),
        ]);
        service.ready().await;
        Some(Self { safes, service, _world: world })
    }

    async fn challenge(&self, wallet: &str) -> String {
        let path = format!("/api/v1/register/challenge?wallet_address={wallet}");
        let given = self.service.json(&path).await;
        assert_eq!((&given["chain_id"], &given["contract_wallets"]), (&json!(ANVIL), &json!(true)));
        given["message"].as_str().unwrap().to_owned()
    }

    async fn register(&self, wallet: &str, message: &str, signature: &[u8]) -> (u16, Value) {
        let signature = const_hex::encode_prefixed(signature);
        let body = json!({ "wallet_address": wallet, "message": message, "signature": signature });
        self.service.post("/api/v1/register", "", &body).await
    }

    #[track_caller]
    fn is_refused((status, problem): (u16, Value), what: &str) {
        assert_eq!((status, &problem["code"]), (400, &json!("invalid_signature")), "{what}");
    }

    async fn no_node_looks_bad(&self) {
        let chain = self.service.chain(ANVIL).await;
        assert_eq!(chain["endpoints"][0]["failure_count"], 0, "{chain}");
    }
}

/// A Safe registers before it is deployed, proves itself to a second account once it is, and is neither
/// believed nor refused while its node is silent.
#[tokio::test(flavor = "multi_thread")]
async fn a_safe_proves_itself_before_and_after_it_is_deployed() {
    let Some(world) = Wallets::start().await else { return };
    let (safes, service) = (&world.safes, &world.service);
    let [owner, stranger] = safes.accounts().await;
    let (create, safe) = safes.safe(&owner, 7).await;
    let message = world.challenge(&safe).await;
    let inner = safes.sign_for(&safe, &owner, &message).await;
    let wrap = |inner: &[u8]| Safes::wrap(&safes.factory, create.clone(), inner.to_vec());
    let by_stranger = wrap(&safes.sign_for(&safe, &stranger, &message).await);
    let there_is_none = world.register(&safe, &message, &inner).await;
    Wallets::is_refused(there_is_none, "there is no contract yet");
    Wallets::is_refused(world.register(&safe, &message, &by_stranger).await, "a stranger");
    let (status, first) = world.register(&safe, &message, &wrap(&inner)).await;
    assert_eq!((status, &first["wallet_proven"]), (201, &json!(true)), "{first}");

    safes.node.execute(Some(&safes.factory), &create).await;
    safes.node.mine(3).await;
    let message = world.challenge(&safe).await;
    let by_stranger = safes.sign_for(&safe, &stranger, &message).await;
    Wallets::is_refused(world.register(&safe, &message, &by_stranger).await, "a stranger");
    let of_owner = safes.sign(&owner, message.as_bytes()).await;
    Wallets::is_refused(world.register(&safe, &message, &of_owner).await, "not for the Safe");
    let wrapped = wrap(&safes.sign_for(&safe, &owner, &message).await);
    assert_eq!(world.register(&safe, &message, &wrapped).await.0, 201, "wrapped in vain");
    world.no_node_looks_bad().await;

    let unproven = json!({ "wallet_address": safe });
    let (_, second) = service.post("/api/v1/register", "", &unproven).await;
    let key = second["api_key"].as_str().unwrap();
    let message = world.challenge(&safe).await;
    let signature = safes.sign_for(&safe, &owner, &message).await;
    let signature = const_hex::encode_prefixed(signature);
    let proof = json!({ "message": message, "signature": signature });
    safes.node.freeze();
    let (status, problem) = service.post("/api/v1/wallet", key, &proof).await;
    let silent = (&problem["code"], &problem["retryable"]);
    assert_eq!((status, silent), (503, (&json!("contract_wallet_unavailable"), &json!(true))));
    safes.node.thaw();
    let proven = until("the node answers again", async || {
        let (status, answer) = service.post("/api/v1/wallet", key, &proof).await;
        assert!(status == 200 || status == 503, "{answer}");
        (status == 200).then_some(answer)
    })
    .await;
    assert_eq!((&proven["proven_by"], &proven["chain_id"]), (&json!("contract"), &json!(ANVIL)));
    assert_eq!(proven["user_id"], second["user_id"]);
    let (status, problem) = service.post("/api/v1/wallet", key, &proof).await;
    assert_eq!((status, &problem["code"]), (404, &json!("unknown_challenge")), "{problem}");
}

/// Strangers choose what nodes execute. Whatever it does, it is no signature, and no node's fault.
#[tokio::test(flavor = "multi_thread")]
async fn contracts_that_burn_revert_or_echo_prove_nothing_and_make_no_node_look_bad() {
    let Some(world) = Wallets::start().await else { return };
    let safes = &world.safes;
    let [owner, _] = safes.accounts().await;
    let words =
        "7f72617465206c696d69740000000000000000000000000000000000000000000060005260206000fd";
    let hostile = [
        ("an endless loop", "5b600056"),
        ("an invalid instruction", "fe"),
        ("a revert with words", words),
        ("an echo of the input", "366000600037366000f3"),
        ("nothing", "00"),
        ("a word of ones", "6000198060005260206000f3"),
        ("the four bytes alone", "631626ba7e60e01b60005260046000f3"),
        ("a large answer", "620186a06000f3"),
        ("the word behind a zero word", "631626ba7e60e01b60205260406000f3"),
    ];
    for (index, (what, code)) in hostile.into_iter().enumerate() {
        let wallet = format!("0x{:040x}", 0xbad0000 + index);
        safes.node.call("anvil_setCode", json!([wallet, format!("0x{code}")])).await;
        safes.node.mine(3).await;
        let message = world.challenge(&wallet).await;
        Wallets::is_refused(world.register(&wallet, &message, b"any").await, what);
        // as a factory, for a wallet that is not there
        let (_, safe) = safes.safe(&owner, 1_000 + index as u128).await;
        let message = world.challenge(&safe).await;
        let inner = safes.sign_for(&safe, &owner, &message).await;
        let wrapped = Safes::wrap(&wallet, vec![1], inner);
        Wallets::is_refused(world.register(&safe, &message, &wrapped).await, what);
    }
    let magic = format!("0x{:040x}", 0x600d);
    let code = "0x631626ba7e60e01b60005260206000f3";
    safes.node.call("anvil_setCode", json!([magic, code])).await;
    safes.node.mine(3).await;
    let message = world.challenge(&magic).await;
    let (status, taken) = world.register(&magic, &message, b"any").await;
    assert_eq!(status, 201, "the word of EIP-1271 is taken: {taken}");
    world.no_node_looks_bad().await;
}
