//! SuperRoots at an anchor contract on a real node: sent by the service, over kills and reorganisations, and proofs that
//! the lens beside it checks.

use std::time::Duration;

use crate::support::anvil::{Anvil, quantity, until};
use crate::support::contract::{Arg, call, encode, topic};
use crate::support::world::{World, anchored};
use serde_json::{Value, json};

/// The contracts know the rules of real chains alone.
const CHAIN: u64 = 1;

/// Creation code of a contract as it is checked in.
pub(super) fn checked_in(name: &str) -> Vec<u8> {
    let file = format!("{}/../../contracts/artifacts/{name}.json", env!("CARGO_MANIFEST_DIR"));
    let build: Value = serde_json::from_slice(&std::fs::read(file).unwrap()).unwrap();
    const_hex::decode(build["bytecode"].as_str().unwrap()).unwrap()
}

async fn deploy_anchor(node: &Anvil, log_id: &[u8], signer: &str) -> String {
    let code = [&checked_in("SuperRootAnchor"), log_id, &encode(&[signer.into()])].concat();
    let receipt = node.execute(None, &code).await;
    receipt["contractAddress"].as_str().unwrap().to_owned()
}

/// A log with an anchor contract on its own chain, and an account that pays.
struct Anchored {
    node: Anvil,
    world: World,
    contract: String,
    payer: String,
}

impl Anchored {
    async fn deploy() -> Option<Self> {
        let node = Anvil::start(CHAIN, 1)?;
        let world = World::of(&[&node]);
        node.mine(4).await;
        let service = world.serve(&[]);
        anchored(&service, CHAIN, 1).await;
        let newest = service.json("/v5/superroot").await;
        assert!(service.stop().success());
        let signer = newest["publication"]["evmSignature"]["signer"].as_str().unwrap();
        let log_id = const_hex::decode(newest["logId"].as_str().unwrap()).unwrap();
        let contract = deploy_anchor(&node, &log_id, signer).await;
        let mut wallet = world.superroot();
        wallet.args(["wallet", "new", "--key-file"]).arg(world.path("payer.key"));
        let made = wallet.output().unwrap();
        let payer = String::from_utf8(made.stdout).unwrap().trim().to_owned();
        node.call("anvil_setBalance", json!([payer, "0xde0b6b3a7640000"])).await;
        node.mine(3).await;
        Some(Self { node, world, contract, payer })
    }

    fn serve(&self) -> crate::support::Service {
        let contracts = format!("[\"{CHAIN}={}\"]", self.contract);
        let key = self.world.path("payer.key");
        self.world.serve(&[
            ("SUPERROOT__ANCHOR__CONTRACTS", &contracts),
            ("SUPERROOT__ANCHOR__PAYER_KEY_FILE", key.to_str().unwrap()),
            ("SUPERROOT__ANCHOR__INTERVAL_SECONDS", "1"),
            ("SUPERROOT__SENDING__RAISE_AFTER_SECONDS", "5"),
        ])
    }

    async fn publications(&self) -> Vec<Value> {
        let published = topic("Published(uint64,bytes32,uint64)");
        let filter =
            json!([{ "address": self.contract, "topics": [published], "fromBlock": "0x0" }]);
        self.node.call("eth_getLogs", filter).await.as_array().unwrap().clone()
    }

    async fn nonce(&self) -> u64 {
        quantity(&self.node.call("eth_getTransactionCount", json!([self.payer, "latest"])).await)
    }
}

/// The law of the outbox against a real node: no publication is lost or sent twice, although the service is killed where
/// it is.
#[tokio::test(flavor = "multi_thread")]
async fn superroots_reach_the_contract_once_each_over_kills() {
    let Some(world) = Anchored::deploy().await else { return };
    let kills = if std::env::var_os("SUPERROOT_TEST_ALL").is_some() { 80 } else { 6 };
    for kill in 0..kills {
        let service = world.serve();
        for _ in 0..(kill * 7) % 11 {
            world.node.mine(1).await;
            tokio::time::sleep(Duration::from_millis(150)).await;
        }
        service.kill();
    }
    let service = world.serve();
    let least = world.publications().await.len() + 2;
    let logs = until("two more are published", async || {
        world.node.mine(1).await;
        tokio::time::sleep(Duration::from_millis(100)).await;
        let logs = world.publications().await;
        (logs.len() >= least).then_some(logs)
    })
    .await;
    assert_eq!(world.nonce().await, logs.len() as u64, "a transaction of the payer failed");
    let mut before = None;
    for log in &logs {
        let sequence = u64::from_str_radix(&log["topics"][1].as_str().unwrap()[2..], 16).unwrap();
        assert!(before < Some(sequence), "{sequence} after {before:?}");
        let known = service.json(&format!("/v5/superroot/{sequence}")).await;
        let hash = &log["data"].as_str().unwrap()[..66];
        assert_eq!(known["superRootHash"], hash, "{sequence}");
        before = Some(sequence);
    }
    let status = service.json("/api/v1/status").await;
    let shown = &status["anchors"][0];
    assert_eq!((&shown["chain_id"], &shown["contract"]), (&json!(CHAIN), &json!(world.contract)));
    assert_eq!(shown["payer"].as_str().unwrap().to_lowercase(), world.payer.to_lowercase());
    assert!(shown["last_error"].is_null() && shown["sequence"].as_u64() > Some(0), "{shown}");

    // the event of a publication itself, under a later SuperRoot that is anchored
    let event = &logs[0];
    let number = quantity(&event["blockNumber"]);
    let under = until("a SuperRoot with the event is at the contract", async || {
        world.node.mine(1).await;
        tokio::time::sleep(Duration::from_millis(100)).await;
        let status = service.json("/api/v1/status").await;
        let sequence = status["anchors"][0]["sequence"].as_u64()?;
        let page = service.json(&format!("/v5/superroot/{sequence}")).await;
        let references = page["blockReferences"].as_array().unwrap();
        let own = references.iter().find(|row| row["chainId"] == CHAIN).unwrap();
        (own["number"].as_u64() >= Some(number)).then_some(sequence)
    })
    .await;
    let lens = [checked_in("SuperRootLens"), encode(&[world.contract.as_str().into()])].concat();
    let lens = world.node.execute(None, &lens).await["contractAddress"].clone();
    let index = quantity(&event["transactionIndex"]);
    let path = format!("/v5/proof/event/{CHAIN}/{number}/{index}/0?form=calldata&sequence={under}");
    let proof = service.get(&path).await;
    assert_eq!(proof.0, 200, "{}", String::from_utf8_lossy(&proof.1));
    let asked = call("verifyEvent(bytes)", &[Arg::Bytes(proof.1)]);
    let asked = json!([{ "to": lens, "data": const_hex::encode_prefixed(asked) }, "latest"]);
    let shown = world.node.call("eth_call", asked).await;
    let shown = const_hex::decode(shown.as_str().unwrap()).unwrap();
    let word =
        |at: usize| u64::from_be_bytes(shown[at * 32 + 24..at * 32 + 32].try_into().unwrap());
    assert_eq!([word(0), word(1), word(2), word(3)], [CHAIN, number, index, 0]);
    let emitter = const_hex::encode_prefixed(&shown[4 * 32 + 12..5 * 32]);
    assert_eq!(emitter, world.contract.to_lowercase());
}

/// What keeps publications back is said, and none of it stops the service.
#[tokio::test(flavor = "multi_thread")]
async fn what_keeps_a_publication_back_is_said() {
    let Some(world) = Anchored::deploy().await else { return };
    world.node.call("anvil_setBalance", json!([world.payer, "0x1"])).await;
    let service = world.serve();
    let error = async |words: &str| {
        until(words, async || {
            world.node.mine(1).await;
            tokio::time::sleep(Duration::from_millis(100)).await;
            let status = service.json("/api/v1/status").await;
            let said = status["anchors"][0]["last_error"].as_str()?.to_owned();
            said.to_lowercase().contains(words).then_some(said)
        })
        .await
    };
    error("insufficient funds").await;
    world.node.call("anvil_setBalance", json!([world.payer, "0xde0b6b3a7640000"])).await;
    until("it is published", async || {
        world.node.mine(1).await;
        tokio::time::sleep(Duration::from_millis(100)).await;
        (!world.publications().await.is_empty()).then_some(())
    })
    .await;
    let log_id = service.json("/v5/superroot").await["logId"].as_str().unwrap().to_owned();
    service.stop();
    // an anchor of another signer: its refusal is seen before a transaction is paid for
    let log_id = const_hex::decode(log_id).unwrap();
    let other = Anchored {
        contract: deploy_anchor(&world.node, &log_id, &format!("0x{}", "22".repeat(20))).await,
        ..world
    };
    let nonce = other.nonce().await;
    let service = other.serve();
    until("the refusal is said", async || {
        other.node.mine(1).await;
        tokio::time::sleep(Duration::from_millis(100)).await;
        let status = service.json("/api/v1/status").await;
        let said = status["anchors"][0]["last_error"].as_str()?.to_owned();
        said.contains("the SuperRootAnchor would refuse it").then_some(())
    })
    .await;
    assert_eq!(other.nonce().await, nonce);
    service.stop();
    let world = other;
    // not an anchor; a key that others can read; no key
    let elsewhere = format!("[\"{CHAIN}=0x{}\"]", "11".repeat(20));
    let key = world.world.path("payer.key");
    let service = world.world.serve(&[
        ("SUPERROOT__ANCHOR__CONTRACTS", &elsewhere),
        ("SUPERROOT__ANCHOR__PAYER_KEY_FILE", key.to_str().unwrap()),
    ]);
    until("it is found out", async || {
        let status = service.json("/api/v1/status").await;
        let said = status["anchors"][0]["last_error"].as_str()?.to_owned();
        said.contains("is a SuperRootAnchor at this address?").then_some(())
    })
    .await;
    service.stop();
    let mode = std::os::unix::fs::PermissionsExt::from_mode;
    std::fs::set_permissions(&key, mode(0o644)).unwrap();
    let refused = |settings: &[(&str, &str)]| {
        let mut command = world.world.superroot();
        command.args(["serve", "--listen", "127.0.0.1:0", "--data"]);
        command.arg(world.world.path("data")).arg("--endpoints");
        command.arg(world.world.path("endpoints.toml"));
        command.envs(settings.iter().copied());
        let output = command.output().unwrap();
        assert!(!output.status.success());
        String::from_utf8_lossy(&output.stderr).into_owned()
    };
    let contracts = ("SUPERROOT__ANCHOR__CONTRACTS", elsewhere.as_str());
    let payer = ("SUPERROOT__ANCHOR__PAYER_KEY_FILE", key.to_str().unwrap());
    let said = refused(&[contracts, payer]);
    assert!(said.contains("others can read the key") && said.contains("chmod 600"), "{said}");
    let said = refused(&[contracts]);
    assert!(said.contains("anchor.payer_key_file no account that pays"), "{said}");
    let said = refused(&[("SUPERROOT__ANCHOR__CONTRACTS", "[\"base\"]"), payer]);
    assert!(said.contains("anchor.contracts has \"base\""), "{said}");
}
