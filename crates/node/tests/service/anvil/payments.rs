//! Sales of a registry contract on a real node open tiers, each once.

use std::time::Duration;

use crate::support::Service;
use crate::support::anvil::{Anvil, quantity, until};
use crate::support::contract::{call, encode};
use crate::support::world::World;
use serde_json::{Value, json};

use super::anchor::checked_in;

const CHAIN: u64 = 31_337;
const USDC: u128 = 1_000_000;

pub(super) struct Shop {
    pub(super) node: Anvil,
    pub(super) world: World,
    pub(super) account: String,
    pub(super) registry: String,
    usdc: String,
    /// Block of the deployment.
    from: u64,
}

impl Shop {
    pub(super) async fn open() -> Option<Self> {
        Self::with_epoch(1).await
    }

    /// Shop on a chain whose blocks are final `2 * epoch` blocks later.
    async fn with_epoch(epoch: u64) -> Option<Self> {
        let node = Anvil::start(CHAIN, epoch)?;
        let world = World::of(&[&node]);
        let account = node.account().await;
        let code = [checked_in("TestUsdc"), encode(&[account.as_str().into()])].concat();
        let made = node.execute(None, &code).await;
        let usdc = made["contractAddress"].as_str().unwrap().to_owned();
        let mint = call("mint(address,uint256)", &[account.as_str().into(), (5_000 * USDC).into()]);
        node.execute(Some(&usdc), &mint).await;
        let mut shop = Self { node, world, account, registry: String::new(), usdc, from: 0 };
        (shop.registry, shop.from) = shop.deploy().await;
        Some(shop)
    }

    /// Deploys a registry that may take the account's USDC; its address and block.
    async fn deploy(&self) -> (String, u64) {
        let treasury = format!("0x{}", "77".repeat(20));
        let terms = [
            self.usdc.as_str().into(),
            treasury.as_str().into(),
            self.account.as_str().into(),
            (50 * USDC).into(),
            (500 * USDC).into(),
        ];
        let code = [checked_in("SubscriptionRegistry"), encode(&terms)].concat();
        let made = self.node.execute(None, &code).await;
        let registry = made["contractAddress"].as_str().unwrap().to_owned();
        self.approve(&registry, u128::MAX).await;
        (registry, quantity(&made["blockNumber"]))
    }

    async fn approve(&self, registry: &str, most: u128) {
        let approve = call("approve(address,uint256)", &[registry.into(), most.into()]);
        self.node.execute(Some(&self.usdc), &approve).await;
    }

    fn serve(&self, watch: &[&str]) -> Service {
        self.serve_with(watch, &[])
    }

    pub(super) fn serve_with(&self, watch: &[&str], settings: &[(&str, &str)]) -> Service {
        let contracts = format!("[\"{CHAIN}={}@{}\"]", self.registry, self.from);
        let chain = CHAIN.to_string();
        let chains = format!("[{chain}]");
        let own = [
            ("SUPERROOT__REGISTRY__CONTRACTS", contracts.as_str()),
            ("SUPERROOT__PLANS__SUBSCRIPTION__PAYMENT_CHAIN_ID", &chain),
            ("SUPERROOT__WALLET__CHAIN_IDS", &chains),
            ("SUPERROOT__WALLET__CONTRACT_CHAIN_IDS", &chains),
        ];
        self.world.serve_watching(watch, &[&own, settings].concat())
    }

    /// A key of the account's, whose wallet is proven.
    pub(super) async fn register(&self, service: &Service) -> String {
        let path = format!("/api/v1/register/challenge?wallet_address={}", self.account);
        let message = service.json(&path).await["message"].as_str().unwrap().to_owned();
        let signed = json!([self.account, const_hex::encode_prefixed(message.as_bytes())]);
        let signature = self.node.call("eth_sign", signed).await;
        let body =
            json!({ "wallet_address": self.account, "message": message, "signature": signature });
        let (status, made) = service.post("/api/v1/register", "", &body).await;
        assert_eq!((status, &made["wallet_proven"]), (201, &json!(true)), "{made}");
        made["api_key"].as_str().unwrap().to_owned()
    }

    /// Usage of a key, once it has this tier; blocks go on meanwhile.
    async fn has_tier(&self, service: &Service, key: &str, tier: &str) -> Value {
        until(&format!("the tier is {tier}"), async || {
            self.node.mine(1).await;
            tokio::time::sleep(Duration::from_millis(100)).await;
            let usage = service.keyed("/api/v1/usage", key).await;
            (usage["tier"] == tier).then_some(usage)
        })
        .await
    }

    /// Usage of a key, once its subscription has this status; blocks go on meanwhile.
    async fn has_status(&self, service: &Service, key: &str, status: &str) -> Value {
        until(&format!("the status is {status}"), async || {
            self.node.mine(1).await;
            tokio::time::sleep(Duration::from_millis(100)).await;
            let usage = service.keyed("/api/v1/usage", key).await;
            (usage["subscription"]["status"] == status).then_some(usage)
        })
        .await
    }

    /// Gives an account a role of the registry.
    pub(super) async fn grant(&self, role: &[u8], account: &str) {
        let role = superroot_proof::hash::keccak256(role).0;
        let grant = [call("grantRole(bytes32,address)", &[]), role.to_vec()].concat();
        let grant = [grant, encode(&[account.into()])].concat();
        self.node.execute(Some(&self.registry), &grant).await;
    }

    async fn buy(&self, tier: u128) {
        let activate = call("activateWithUsdc(uint8)", &[tier.into()]);
        self.node.execute(Some(&self.registry), &activate).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_proven_sale_opens_the_tier_once() {
    let Some(shop) = Shop::open().await else { return };
    // what the registry emits is collected although nothing is watched
    let service = shop.serve(&[]);
    let key = shop.register(&service).await;
    assert_eq!(service.keyed("/api/v1/usage", &key).await["tier"], "explorer");
    shop.buy(1).await;
    // at the head: pending, and served; no further block comes yet
    let usage = until("the tier is provisional", async || {
        let usage = service.keyed("/api/v1/usage", &key).await;
        (usage["tier"] == "builder").then_some(usage)
    })
    .await;
    let pending = &usage["subscription"]["payments"][0];
    assert_eq!(
        (&usage["subscription"]["status"], &usage["subscription"]["amount_paid_usdc"]),
        (&json!("pending"), &json!(0)),
        "{usage}"
    );
    assert_eq!((&pending["state"], &pending["tier"]), (&json!("pending"), &json!("builder")));
    // reorganised away: nothing was paid
    shop.node.call("anvil_reorg", json!([1, []])).await;
    shop.has_tier(&service, &key, "explorer").await;
    shop.buy(1).await;
    let usage = shop.has_status(&service, &key, "active").await;
    let counted = &usage["subscription"]["payments"];
    assert_eq!((&counted[0]["state"], &counted[1]), (&json!("counted"), &Value::Null), "{usage}");
    let proof = counted[0]["proof_url"].as_str().unwrap();
    let shown = shop.world.prove(&service, proof).await;
    assert_eq!(shown["event"]["address"], shop.registry.as_str());

    // by ETH, with some too much, of the higher tier
    shop.grant(b"PRICE", &shop.account).await;
    let price = call("setEthPrice(uint64)", &[(3_000 * USDC).into()]);
    shop.node.execute(Some(&shop.registry), &price).await;
    let buy = json!([{
        "from": shop.account, "to": shop.registry, "value": "0xde0b6b3a7640000", "gas": "0x7a1200",
        "data": const_hex::encode_prefixed(call("activateWithEth(uint8)", &[2.into()])),
    }]);
    shop.node.call("eth_sendTransaction", buy).await;
    shop.node.mine(1).await;
    shop.has_tier(&service, &key, "protocol").await;

    // over kills every sale is read again, and none counts again; each comes while nobody looks
    service.kill();
    let kills = if std::env::var_os("SUPERROOT_TEST_ALL").is_some() { 60 } else { 3 };
    for kill in 0..kills {
        shop.buy(1).await;
        let service = shop.serve(&[]);
        for _ in 0..(kill * 3) % 7 {
            shop.node.mine(1).await;
            tokio::time::sleep(Duration::from_millis(150)).await;
        }
        service.kill();
    }
    shop.buy(1).await;
    let service = shop.serve(&[]);
    let expected = 600.0 + 50.0 * f64::from(kills);
    let paid = until("all sales are counted", async || {
        shop.node.mine(1).await;
        tokio::time::sleep(Duration::from_millis(100)).await;
        let usage = service.keyed("/api/v1/usage", &key).await;
        let paid = usage["subscription"]["amount_paid_usdc"].as_f64()?;
        (paid >= expected).then_some(paid)
    })
    .await;
    assert_eq!(paid, expected);
    for _ in 0..10 {
        shop.node.mine(1).await;
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    let usage = service.keyed("/api/v1/usage", &key).await;
    assert_eq!(usage["subscription"]["amount_paid_usdc"].as_f64(), Some(expected), "{usage}");
    assert_eq!(usage["tier"], "protocol", "{usage}");
}

/// The same code at another address emits the same event, and a call that reverts has emitted one before it did: neither is
/// a sale.
#[tokio::test(flavor = "multi_thread")]
async fn events_of_another_contract_and_of_reverted_calls_open_nothing() {
    let Some(shop) = Shop::open().await else { return };
    let service = shop.serve(&["--watch", "all"]);
    let key = shop.register(&service).await;
    let activate = call("activateWithUsdc(uint8)", &[2.into()]);
    let (other, _) = shop.deploy().await;
    let sold = shop.node.execute(Some(&other), &activate).await;
    assert!(sold["logs"].as_array().unwrap().len() > 1, "{sold}");
    shop.approve(&shop.registry, 0).await;
    let reverted = shop.node.send(Some(&shop.registry), &activate).await;
    shop.node.mine(1).await;
    let reverted = shop.node.call("eth_getTransactionReceipt", json!([reverted])).await;
    assert_eq!(reverted["status"], "0x0", "{reverted}");
    // a sale behind both: once it counts, they have been passed
    shop.approve(&shop.registry, u128::MAX).await;
    shop.buy(1).await;
    let usage = shop.has_status(&service, &key, "active").await;
    assert_eq!(usage["tier"], "builder", "{usage}");
    assert_eq!(usage["subscription"]["amount_paid_usdc"].as_f64(), Some(50.0), "{usage}");
    assert_eq!(usage["subscription"]["payments"].as_array().unwrap().len(), 1, "{usage}");
}

/// A sale that its chain takes back was never paid, however many blocks are above it.
#[tokio::test(flavor = "multi_thread")]
async fn a_sale_goes_with_its_block_at_each_depth_above_finality() {
    let Some(shop) = Shop::with_epoch(4).await else { return };
    shop.node.mine(10).await;
    let service = shop.serve(&[]);
    let key = shop.register(&service).await;
    // a free account has a hundred requests a minute; no block comes meanwhile
    let sees = async |tier: &str| {
        until(&format!("the tier is {tier}"), async || {
            tokio::time::sleep(Duration::from_secs(1)).await;
            let usage = service.keyed("/api/v1/usage", &key).await;
            (usage["tier"] == tier).then_some(usage)
        })
        .await
    };
    for depth in 1..=7_u64 {
        shop.buy(1).await;
        if depth > 1 {
            shop.node.mine(depth - 1).await;
        }
        let usage = sees("builder").await;
        assert_eq!(usage["subscription"]["payments"][0]["state"], "pending", "{depth}: {usage}");
        shop.node.call("anvil_reorg", json!([depth, []])).await;
        let usage = sees("explorer").await;
        assert_eq!(usage["subscription"]["payments"][0], Value::Null, "{depth}: {usage}");
    }
    shop.buy(1).await;
    let usage = shop.has_status(&service, &key, "active").await;
    assert_eq!(usage["subscription"]["amount_paid_usdc"].as_f64(), Some(50.0), "{usage}");
}
