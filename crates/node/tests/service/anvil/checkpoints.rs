//! Roots of each day's usage at a registry contract on a real node, and bills that follow from them.

use std::sync::Arc;
use std::time::Duration;

use serde_json::{Value, json};
use superroot_account::meter::{CountedRequest, MeteredCaller, RouteNumber, StatusClass};
use superroot_account::usage::UsageCheckpoints;
use superroot_account::{AccountId, Day, Environment, Flusher, KeyId, Meter, MeterConfig};
use superroot_store::{EmbeddedConfig, EmbeddedStore};
use superroot_types::{Address, Clock, SystemClock, UnixSeconds};

use super::payments::Shop;
use crate::support::anvil::{quantity, until};
use crate::support::contract::topic;

const DAYS: u32 = 3;

/// A key for checkpoints, with the role and some coin.
async fn payer(shop: &Shop) -> String {
    let mut wallet = shop.world.superroot();
    wallet.args(["wallet", "new", "--key-file"]).arg(shop.world.path("checkpoint.key"));
    let made = wallet.output().unwrap();
    let payer = String::from_utf8(made.stdout).unwrap().trim().to_owned();
    shop.node.call("anvil_setBalance", json!([payer, "0xde0b6b3a7640000"])).await;
    shop.grant(b"CHECKPOINT", &payer).await;
    payer
}

/// Usage of an account on the last days, and the root of the first of these: the service was away since.
fn count(shop: &Shop, account: AccountId, today: Day) {
    let folder = shop.world.path("data").join("accounts");
    let config =
        EmbeddedConfig { cache_bytes: 16 << 20, journal_bytes_max: 64 << 20, free_bytes_min: 0 };
    let store = Arc::new(EmbeddedStore::open_existing(&folder, &config).unwrap());
    let meter = Meter::new(&MeterConfig::default());
    for ago in 1..=DAYS {
        for number in 0..u64::from(ago) * 10 {
            meter.count(&CountedRequest {
                environment: Environment::Live,
                caller: MeteredCaller::Account { account, key: KeyId(account.0) },
                route: RouteNumber(1),
                chain: None,
                status: StatusClass::Success,
                weight: 2,
                at: UnixSeconds(
                    today.days_before(ago).unwrap().start().0 + number * 3_600 % 86_400,
                ),
            });
        }
    }
    Flusher::default().flush(&meter, &*store, SystemClock.now()).unwrap();
    let contract: alloy_primitives::Address = shop.registry.parse().unwrap();
    let checkpoints = UsageCheckpoints::new(store, Environment::Live);
    checkpoints.fix(today.days_before(DAYS).unwrap(), Address(contract.into_array()), 0).unwrap();
}

/// Each day is at the contract once, in order, although the service is killed where it is and blocks are taken back; a bill
/// of each day is checked by another process, and one that is changed is refused.
#[tokio::test(flavor = "multi_thread")]
async fn each_day_is_at_the_contract_once_and_its_bill_is_checked_offline() {
    let Some(shop) = Shop::open().await else { return };
    let payer = payer(&shop).await;
    let service = shop.serve_with(&[], &[]);
    let key = shop.register(&service).await;
    let account =
        service.keyed("/api/v1/usage", &key).await["user_id"].as_str().unwrap().to_owned();
    assert!(service.stop().success());
    // an hour after midnight yesterday is settled
    let today = Day::of(UnixSeconds(SystemClock.now().0 - 3_600));
    count(&shop, account.parse().unwrap(), today);
    let key_file = shop.world.path("checkpoint.key");
    let settings = [
        ("SUPERROOT__REGISTRY__CHECKPOINT_KEY_FILE", key_file.to_str().unwrap()),
        ("SUPERROOT__SENDING__RAISE_AFTER_SECONDS", "5"),
    ];
    let kills = if std::env::var_os("SUPERROOT_TEST_ALL").is_some() { 60 } else { 4 };
    for kill in 0..kills {
        let service = shop.serve_with(&[], &settings);
        for turn in 0..(kill * 5) % 9 {
            shop.node.mine(1).await;
            tokio::time::sleep(Duration::from_millis(200)).await;
            if turn == 3 {
                // the newest block, with a checkpoint or without, is taken back
                shop.node.call("anvil_reorg", json!([1, []])).await;
            }
        }
        service.kill();
    }
    let service = shop.serve_with(&[], &settings);
    let listed = until("all days are proven", async || {
        shop.node.mine(1).await;
        tokio::time::sleep(Duration::from_millis(100)).await;
        let listed = service.keyed("/api/v1/usage/checkpoints", &key).await;
        let all = listed["checkpoints"].as_array().unwrap().clone();
        let is_done = all.len() == DAYS as usize && all.iter().all(|one| one["state"] == "proven");
        is_done.then_some(all)
    })
    .await;
    let written = topic("UsageCheckpoint(uint64,uint64,uint64,bytes32)");
    let filter = json!([{ "address": shop.registry, "topics": [written], "fromBlock": "0x0" }]);
    let logs = shop.node.call("eth_getLogs", filter).await;
    assert_eq!(logs.as_array().unwrap().len(), DAYS as usize, "{logs}");
    let count = shop.node.call("eth_getTransactionCount", json!([payer, "latest"])).await;
    assert_eq!(quantity(&count), u64::from(DAYS), "a transaction of the payer failed");
    until("the status has the last of them", async || {
        let status = service.json("/api/v1/status").await;
        let shown = &status["registries"][0];
        let is_last = (&shown["sequence"], &shown["behind"]) == (&json!(DAYS - 1), &json!(0));
        is_last.then_some(())
    })
    .await;
    for (ago, checkpoint) in (1..).zip(&listed) {
        let day = today.days_before(ago).unwrap().to_string();
        assert_eq!(
            (&checkpoint["day"], &checkpoint["sequence"]),
            (&json!(day), &json!(DAYS - ago))
        );
        let sequence = &checkpoint["sequence"];
        let bill = service.keyed(&format!("/api/v1/usage/checkpoints/{sequence}"), &key).await;
        assert_eq!(bill, service.keyed(&format!("/api/v1/usage/checkpoints/{day}"), &key).await);
        assert_eq!(bill["leaf"]["requests"], ago * 10, "{bill}");
        assert_eq!(bill["leaf"]["billing_tokens"], ago * 20, "{bill}");
        assert_eq!(judge(&shop, &bill), Some(0));
        let mut more = bill.clone();
        more["rows"][0]["requests"] = json!(7);
        assert_eq!(judge(&shop, &more), Some(1));
    }
}

/// Exit code of a check by another process, under the SuperRoot that the service names.
fn judge(shop: &Shop, bill: &Value) -> Option<i32> {
    let file = shop.world.path("bill.srusage");
    std::fs::write(&file, bill.to_string()).unwrap();
    let hash = bill["v5_anchor"]["super_root_hash"].as_str().unwrap();
    let mut verify = shop.world.superroot();
    let checked = verify.arg("verify").arg(&file).args(["--superroot", hash]).output().unwrap();
    let code = checked.status.code();
    let text = [checked.stdout, checked.stderr].concat();
    println!("{}", String::from_utf8_lossy(&text));
    code
}
