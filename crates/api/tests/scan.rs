//! Laws of scans over HTTP: a page is what a client can check, in both forms, and what cannot be
//! shown says why.

use crate::support;

use axum::body::Body;
use serde_json::{Value, json};
use superroot_account::Tier;
use superroot_chain::ChainRegistry;
use superroot_proof::bundle::Policy;
use superroot_proof::ledger::evm::Receipt;
use superroot_proof::scan::Scan;
use superroot_store::layout::block_key;
use superroot_store::{ScanOrder, Table, WriteBatch};
use superroot_types::{BlockNumber, Hash};
use superroot_wire::scan::check_scan;
use support::*;
use tower::ServiceExt;

const FILE: (&str, &str) = ("accept", "application/octet-stream");

fn policy() -> Policy<'static> {
    Policy::strict(ChainRegistry::builtin().proof_registry())
}

/// A service, and a key that may scan.
fn world() -> (World, String) {
    let world = World::small(unlimited());
    let key = world.key_of_tier(Tier::Builder);
    (world, key)
}

/// Address and first topic of every log of these blocks, by its place.
fn logs(world: &World, numbers: std::ops::RangeInclusive<u64>) -> Vec<(Value, String, String)> {
    let mut all = Vec::new();
    for number in numbers {
        for (tx_index, leaf) in (0_u32..).zip(world.block(number).receipts().unwrap()) {
            for (log_index, log) in (0_u32..).zip(Receipt::decode(leaf).unwrap().logs) {
                let place = json!([number, tx_index, log_index]);
                all.push((place, log.address.to_string(), log.topics[0].to_string()));
            }
        }
    }
    all
}

fn places(body: &Value) -> Vec<Value> {
    let place = |one: &Value| json!([one["blockNumber"], one["transactionIndex"], one["logIndex"]]);
    body["events"].as_array().unwrap().iter().map(place).collect()
}

#[tokio::test]
async fn a_page_shows_all_events_in_both_forms() {
    let (world, key) = world();
    let all = logs(&world, 3..=31);
    let (_, address, topic) = all[all.len() / 2].clone();
    let nobody = format!("0x{}", "ee".repeat(20));
    for (query, by_address, by_topic) in [
        (format!("address={address}"), true, false),
        (format!("topic0={topic}"), false, true),
        (format!("topic={topic}&address={address}"), true, true),
        (format!("address={nobody},{address}"), true, false),
        (format!("topic1={topic}&address={nobody}"), true, true),
        (String::new(), false, false),
    ] {
        let passes = |one: &&(Value, String, String)| {
            !query.contains("topic1")
                && (!by_address || one.1 == address)
                && (!by_topic || one.2 == topic)
        };
        let path = format!("/v5/scan/ethereum?fromBlock=3&toBlock=31&{query}&note=1");
        let path = path.replace("&&", "&");
        let body = world.ask(&key, "GET", &path, None).await.good();
        let expected: Vec<Value> = all.iter().filter(passes).map(|one| one.0.clone()).collect();
        assert_eq!(places(&body), expected, "{query}");
        let answer = if expected.is_empty() { "absent" } else { "events" };
        assert_eq!((&body["answer"], &body["nextFromBlock"]), (&json!(answer), &Value::Null));
        let checked = check_scan(body.to_string().as_bytes(), &policy()).unwrap();
        assert_eq!(
            checked.facts.last.super_root_hash().unwrap().to_string(),
            body["superRootHash"]
        );
        assert!(checked.facts.last.note.is_some());
        let mut unproven = checked.unproven.clone();
        unproven.sort();
        assert_eq!(unproven, ["nextFromBlock", "notProven", "v5Anchor"]);
        let file = world.get_with(&path, &[("x-api-key", &key), FILE]).await;
        assert_eq!((file.status.as_u16(), file.header("content-type")), (200, FILE.1));
        assert_eq!(Scan::decode(&file.bytes).as_ref(), Ok(&checked.scan));
        assert_eq!(json!(const_hex::encode_prefixed(&file.bytes)), body["scanBlob"]);
    }
}

/// Whatever a member says that the scan does not, is found out.
#[tokio::test]
async fn a_bent_member_is_found_out() {
    let (world, key) = world();
    let path = "/v5/scan/1?fromBlock=3&toBlock=9";
    let good = world.ask(&key, "GET", path, None).await.good();
    let bends: [fn(&mut Value); 8] = [
        |body| body["events"] = json!([]),
        |body| drop(body["events"].as_array_mut().unwrap().remove(0)),
        |body| body["answer"] = json!("absent"),
        |body| body["toBlock"] = json!(10),
        |body| body["filter"]["address"] = json!(["0x0000000000000000000000000000000000000001"]),
        |body| body["events"][0]["topics"] = json!([]),
        |body| body["events"][0]["blockHash"] = json!(Hash([1; 32])),
        |body| body["sequence"] = json!(0),
    ];
    for (index, bend) in bends.into_iter().enumerate() {
        let mut bent = good.clone();
        bend(&mut bent);
        assert_ne!(bent, good);
        let checked = check_scan(bent.to_string().as_bytes(), &policy());
        assert!(checked.is_err(), "bend {index} is not found out");
    }
    assert!(check_scan(good.to_string().as_bytes(), &policy()).is_ok());
}

#[tokio::test]
async fn an_older_super_root_and_an_open_end_are_given_as_asked() {
    let (world, key) = world();
    let body = world.ask(&key, "GET", "/v5/scan/1?fromBlock=20&sequence=0", None).await.good();
    assert_eq!((&body["sequence"], &body["toBlock"]), (&json!(0), &json!(27)));
    let body = world.ask(&key, "GET", "/v5/scan/1?fromBlock=20", None).await.good();
    assert_eq!((&body["sequence"], &body["toBlock"]), (&json!(1), &json!(31)));
    let path = "/v5/scan/1?fromBlock=20&toBlock=28&sequence=0";
    world.ask(&key, "GET", path, None).await.problem(409, "not_yet_anchored");
}

/// Under a named SuperRoot a page never changes: it has a tag, and is not made for who has it.
#[tokio::test]
async fn a_page_under_a_named_super_root_is_not_made_for_who_has_it() {
    let (world, key) = world();
    world.extend(33..260, true);
    world.tell();
    let kept = "private, max-age=31536000, immutable";
    for form in [&[][..], &[FILE]] {
        let headers = [&[("x-api-key", key.as_str())], form].concat();
        let ask = async |method, path: &str, more: &[(&str, &str)]| {
            let headers = [&headers[..], more].concat();
            world.send(request(method, path, &headers, Body::empty())).await
        };
        let live = ask("GET", "/v5/scan/1?fromBlock=20&toBlock=27", &[]).await;
        assert!(!live.has("etag") && live.header("cache-control") == "no-cache");
        let path = "/v5/scan/1?fromBlock=20&toBlock=27&sequence=0";
        let page = ask("GET", path, &[]).await;
        let tag = page.header("etag").to_owned();
        assert_eq!((page.status.as_u16(), page.header("cache-control")), (200, kept));
        let head = ask("HEAD", path, &[]).await;
        assert_eq!((head.status.as_u16(), head.header("etag")), (200, tag.as_str()));
        let known = ask("GET", path, &[("if-none-match", &tag)]).await;
        assert_eq!((known.status.as_u16(), known.bytes.len()), (304, 0));
    }
    // nothing of it is read for who has it
    let path = "/v5/scan/1?fromBlock=3&toBlock=31&sequence=1";
    let tag = world.ask(&key, "GET", path, None).await.header("etag").to_owned();
    spoil(&world);
    world.ask(&key, "GET", path, None).await.problem(500, "internal");
    let headers = [("x-api-key", key.as_str()), ("if-none-match", &tag)];
    let known = world.send(request("GET", path, &headers, Body::empty())).await;
    assert_eq!(known.status.as_u16(), 304);
}

#[tokio::test]
async fn what_cannot_be_scanned_says_why() {
    let (world, key) = world();
    let ask = async |path: &str| world.ask(&key, "GET", path, None).await;
    let reply = world.get("/v5/scan/1?fromBlock=3").await;
    reply.problem(401, "api_key_required");
    for (query, parameter) in [
        ("", "fromBlock"),
        ("?fromBlock=x", "fromBlock"),
        ("?fromBlock=9&toBlock=8", "toBlock"),
        ("?fromBlock=9&address=0x12", "address"),
        ("?fromBlock=9&topic=0x12", "topic"),
        ("?fromBlock=9&topic2=0x12", "topic2"),
        ("?fromBlock=9&note=2", "note"),
        ("?fromBlock=9&limit=2", "query"),
    ] {
        let body = ask(&format!("/v5/scan/1{query}")).await.problem(400, "invalid_parameter");
        assert_eq!(body["parameter"], parameter, "{query}");
    }
    let topics = vec![Hash([1; 32]).to_string(); 5].join(",");
    let path = format!("/v5/scan/1?fromBlock=9&topic={topics}");
    assert_eq!(ask(&path).await.problem(400, "invalid_parameter")["parameter"], "topic");
    ask("/v5/scan/bitcoin?fromBlock=9").await.problem(404, "not_provable");
    ask("/v5/scan/atlantis?fromBlock=9").await.problem(404, "unknown_chain");
    let ahead = ask("/v5/scan/1?fromBlock=9&toBlock=32").await.problem(409, "not_yet_anchored");
    assert_eq!(ahead["retryable"], true);
    ask("/v5/scan/1?fromBlock=33&toBlock=33").await.problem(409, "not_final");
}

/// Spoils the events, the pools and the launches, and the block between: whoever looks at them fails from then on.
fn spoil(world: &World) {
    let mut batch = WriteBatch::new();
    for table in [Table::Event, Table::EventPlace, Table::Market] {
        let rows = world.store.scan(table, b"", None, 100_000, ScanOrder::Rising).unwrap();
        assert!(!rows.is_empty(), "{table}");
        rows.into_iter().for_each(|(key, _)| _ = batch.put(table, key, vec![0xff_u8]));
    }
    batch.put(Table::Block, block_key(world.key(), BlockNumber(15)), vec![0xff_u8]);
    world.store.commit(batch).unwrap();
}

#[tokio::test]
async fn a_head_checks_the_request_and_makes_nothing() {
    let (world, key) = world();
    world.extend(33..260, true);
    world.tell();
    let head = async |key: &str, path: &str| {
        let reply = world.ask(key, "HEAD", path, None).await;
        assert!(reply.bytes.is_empty(), "{path}");
        reply
    };
    let large = [
        "/v5/scan/1?fromBlock=3&toBlock=31",
        "/v5/logs?chain=1&fromBlock=3&toBlock=31&finality=anchored",
        "/v5/logs?chain=1&fromBlock=3&toBlock=31&complete=1",
        "/price/1/weth?block=30",
        "/price/1/weth?proof=1",
        "/signals/launches?format=json",
    ];
    for path in large {
        world.ask(&key, "GET", path, None).await.good();
    }
    spoil(&world);
    for path in large {
        world.ask(&key, "GET", path, None).await.problem(500, "internal");
        let reply = head(&key, path).await;
        assert_eq!((reply.status.as_u16(), reply.has("content-length")), (200, false), "{path}");
        assert_eq!(reply.header("content-type"), "application/json", "{path}");
        let keyless = world.send(request("HEAD", path, &[], Body::empty())).await;
        assert_eq!(keyless.status.as_u16(), 401, "{path}");
    }
    let file = request("HEAD", large[0], &[("x-api-key", key.as_str()), FILE], Body::empty());
    let file = world.send(file).await;
    assert_eq!((file.status.as_u16(), file.header("content-type")), (200, FILE.1));
    for (path, status) in [
        ("/v5/scan/1?fromBlock=x", 400),
        ("/v5/scan/1?fromBlock=3&limit=2", 400),
        ("/v5/scan/atlantis?fromBlock=3", 404),
        ("/v5/scan/bitcoin?fromBlock=3", 404),
        ("/v5/scan/1?fromBlock=3&sequence=9", 404),
        ("/v5/scan/1?fromBlock=3&toBlock=32", 409),
        ("/v5/logs?chain=1&limit=0", 400),
        ("/v5/logs?chain=1&complete=1&partial=1", 400),
        ("/v5/logs?chain=atlantis", 404),
        ("/v5/logs?chain=solana", 404),
        ("/v5/logs?chain=bitcoin", 503),
        ("/price/1/USDC", 400),
        ("/price/1/nobody", 404),
        ("/price/1/weth?block=9999", 404),
        ("/price/bitcoin/btc", 404),
        ("/signals/launches?format=json&limit=0", 400),
        ("/signals/launches?format=json&chain_id=bitcoin", 404),
    ] {
        let reply = world.ask(&key, "GET", path, None).await;
        assert_eq!(reply.status.as_u16(), status, "GET {path}");
        assert_eq!(head(&key, path).await.status.as_u16(), status, "HEAD {path}");
    }
    let explorer = world.key_of_tier(Tier::Explorer);
    assert_eq!(head(&explorer, large[0]).await.status.as_u16(), 403);
}

/// What nobody gave is not said to be wrong.
#[tokio::test]
async fn a_range_that_was_not_given_is_asked_for() {
    let mut world = World::small(unlimited());
    let key = world.key_of_tier(Tier::Builder);
    world.extend(34..140, true);
    world.step(120);
    world.tell();
    let path = "/v5/logs?chain=1&complete=1";
    for (query, parameter) in [("", "fromBlock"), ("&fromBlock=1", "toBlock")] {
        let reply = world.ask(&key, "GET", &format!("{path}{query}"), None).await;
        let problem = reply.problem(400, "invalid_parameter");
        assert_eq!(problem["parameter"], parameter);
        let expected = "is missing, expected both fromBlock and toBlock with complete=1, of a range of at most 64 blocks";
        assert_eq!(problem["detail"], format!("{parameter} {expected}"));
        let head = world.ask(&key, "HEAD", &format!("{path}{query}"), None).await;
        assert_eq!(head.status.as_u16(), 400, "HEAD {query}");
    }
    let reply = world.ask(&key, "GET", &format!("{path}&fromBlock=1&toBlock=90"), None).await;
    assert_eq!(reply.problem(400, "invalid_parameter")["parameter"], "toBlock");
    world.ask(&key, "GET", &format!("{path}&fromBlock=1&toBlock=64"), None).await.good();
}

/// A search has room for the largest answer made ready, and gives back what its own does not need: many small
/// ones that nobody reads leave room for others.
#[tokio::test]
async fn a_small_search_keeps_no_more_room_than_it_needs() {
    let (world, key) = world();
    world.tell();
    let path = "/v5/logs?chain=1&complete=1&fromBlock=3&toBlock=9";
    let mut unread = Vec::new();
    for count in 1..=10 {
        let asked = request("GET", path, &[("x-api-key", key.as_str())], Body::empty());
        let answer = world.router.clone().oneshot(asked).await.unwrap();
        assert_eq!(answer.status(), 200, "search {count}");
        unread.push(answer);
    }
}
