//! Events as a client searches them: what is found is proven, page by page, through reorganisations, on each
//! ledger that has events to search.

use std::collections::BTreeMap;
use std::process::Command;

use serde_json::{Value, json};

use crate::support::{Service, http, superroot, verify};

/// A demo with a key that may search.
pub(crate) struct Searched {
    pub(crate) service: Service,
    pub(crate) key: String,
    _data: tempfile::TempDir,
}

impl Searched {
    pub(crate) async fn start() -> Self {
        let mut command: Command = superroot();
        command.env("SUPERROOT__LIMIT__KEYLESS_PER_MINUTE", "0");
        command.env("SUPERROOT__ACCUMULATE__BEAT_MS", "200");
        let data = tempfile::tempdir().unwrap();
        command.args(["demo", "--listen", "127.0.0.1:0", "--seed", "9", "--data"]).arg(data.path());
        let service = Service::start(&mut command, "ready");
        service.ready().await;
        let keys = std::fs::read(data.path().join("demo-keys.json")).unwrap();
        let keys: Vec<Value> = serde_json::from_slice(&keys).unwrap();
        let builder = keys.iter().find(|key| key["tier"] == "builder").unwrap();
        let key = builder["api_key"].as_str().unwrap().to_owned();
        Self { service, key, _data: data }
    }

    async fn ask(&self, query: &str) -> (u16, Value) {
        let url = format!("{}/v5/logs?{query}", self.service.url);
        let answer = http().get(url).header("x-api-key", &self.key).send().await.unwrap();
        (answer.status().as_u16(), answer.json().await.unwrap())
    }

    pub(crate) async fn found(&self, query: &str) -> Value {
        let (status, body) = self.ask(query).await;
        assert_eq!(status, 200, "{query}: {body}");
        body
    }

    /// Status and bytes of a GET with the key, in the media type asked for.
    pub(crate) async fn get(&self, path: &str, accept: &str) -> (u16, Vec<u8>) {
        let request = http().get(format!("{}{path}", self.service.url)).header("accept", accept);
        let answer = request.header("x-api-key", &self.key).send().await.unwrap();
        (answer.status().as_u16(), answer.bytes().await.unwrap().to_vec())
    }

    /// Status and body of a POST with the key.
    pub(crate) async fn post(&self, path: &str, body: &Value) -> (u16, Value) {
        self.service.post(path, &self.key, body).await
    }

    /// The answer to a question about blooms.
    pub(crate) async fn blooms(&self, asked: &Value) -> Value {
        let (status, body) = self.post("/bloom/query", asked).await;
        assert_eq!(status, 200, "{asked}: {body}");
        body
    }

    /// Every event of all pages.
    async fn all(&self, query: &str) -> Vec<Value> {
        let (mut events, mut cursor) = (Vec::new(), String::new());
        for _ in 0..1000 {
            let page = self.found(&format!("{query}{cursor}")).await;
            events.extend(page["logs"].as_array().unwrap().iter().cloned());
            match page["nextCursor"].as_str() {
                Some(next) => cursor = format!("&cursor={next}"),
                None => return events,
            }
        }
        panic!("{query} never ends");
    }
}

fn place(event: &Value) -> (u64, u64, u64) {
    let number = |name: &str| event[name].as_u64().unwrap();
    (number("blockNumber"), number("transactionIndex"), number("logIndex"))
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_found_is_what_is_proven() {
    let (searched, work) = (Searched::start().await, tempfile::tempdir().unwrap());
    let anchored = searched.service.anchored(1).await.unwrap();
    let range = format!("chain=1&fromBlock={}&toBlock={anchored}&finality=anchored", anchored - 30);
    let events = searched.all(&format!("{range}&limit=7")).await;
    assert!(events.len() > 20, "{}", events.len());
    assert!(events.is_sorted_by_key(place), "out of order");
    let mut newest_first = searched.all(&format!("{range}&order=desc&limit=1000")).await;
    newest_first.reverse();
    assert_eq!(newest_first, events);
    for event in events.iter().step_by(events.len() / 6) {
        assert_eq!(event["finality"], "anchored");
        let proof = searched.service.json(event["proofUrl"].as_str().unwrap()).await;
        for name in ["address", "topics", "data", "logIndex"] {
            assert_eq!(proof["event"][name], event[name], "{name}");
        }
        assert_eq!(proof["block"]["blockHash"], event["blockHash"]);
        assert_eq!(proof["transactionIndex"], event["transactionIndex"]);
        let hash = event["transactionHash"].as_str().unwrap();
        let by_hash = searched.service.json(&format!("/v5/tx/1/{hash}")).await;
        assert_eq!(by_hash["transactionIndex"], event["transactionIndex"]);
        let file = work.path().join("proof.json");
        std::fs::write(&file, proof.to_string()).unwrap();
        let (code, screen) = verify(&file, proof["superRootHash"].as_str().unwrap());
        assert_eq!(code, 0, "{screen}");
    }
    // by address, by topic and by both, against the plain list
    let mut by_pair: BTreeMap<(String, String), usize> = BTreeMap::new();
    for event in &events {
        let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        *by_pair.entry((text(&event["address"]), text(&event["topics"][0]))).or_default() += 1;
    }
    assert!(by_pair.len() > 2);
    for ((address, topic), count) in &by_pair {
        let query = format!("{range}&address={address}&topic0={topic}&limit=1000");
        assert_eq!(searched.all(&query).await.len(), *count);
        let of_address = by_pair.iter().filter(|((other, _), _)| other == address);
        let of_address: usize = of_address.map(|(_, count)| count).sum();
        let found = searched.all(&format!("{range}&address={address}&limit=3")).await;
        assert_eq!(found.len(), of_address);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_follower_misses_nothing_and_is_told_what_can_be_undone() {
    let searched = Searched::start().await;
    let mut from = searched.service.anchored(1).await.unwrap();
    let first = from;
    let mut followed = Vec::new();
    for _ in 0..12 {
        let page = searched.found(&format!("chain=1&fromBlock={from}&limit=1000")).await;
        assert_eq!(page["nextCursor"], Value::Null);
        followed.extend(page["logs"].as_array().unwrap().iter().cloned());
        from = page["nextBlock"].as_u64().unwrap();
        tokio::time::sleep(std::time::Duration::from_millis(300)).await;
    }
    assert!(from > first + 1, "no block came");
    let again =
        searched.all(&format!("chain=1&fromBlock={first}&toBlock={}&limit=1000", from - 1)).await;
    let places = |events: &[Value]| events.iter().map(place).collect::<Vec<_>>();
    assert_eq!(places(&followed), places(&again));
    let page = searched.found("chain=1&finality=head&order=desc&limit=1000").await;
    let finalities: Vec<&str> = page["logs"]
        .as_array()
        .unwrap()
        .iter()
        .map(|one| one["finality"].as_str().unwrap())
        .collect();
    assert_eq!(finalities.first(), Some(&"head"), "the newest block is not final");
    assert!(finalities.contains(&"anchored"));
    // a cursor of a block that was never there leads nowhere
    let hash = format!("0x{}", "ab".repeat(32));
    let (status, body) = searched.ask(&format!("chain=1&cursor={first}-{hash}-0")).await;
    assert_eq!((status, &body["code"]), (409, &json!("cursor_undone")), "{body}");
    // nothing of the future, and where to ask again
    let page = searched.found("chain=1&fromBlock=900000000").await;
    assert_eq!((&page["searched"], &page["nextBlock"]), (&Value::Null, &json!(900_000_000)));
}

#[tokio::test(flavor = "multi_thread")]
async fn every_ledger_answers_or_says_why_not_and_bad_questions_are_named() {
    let searched = Searched::start().await;
    for chain in ["bitcoin", "aptos", "sui", "icp", "ethereum", "base"] {
        let page = searched.found(&format!("chain={chain}&limit=5&order=desc")).await;
        let events = page["logs"].as_array().unwrap();
        assert!(!events.is_empty(), "{chain}: {page}");
        for event in events {
            let address = event["address"].as_str().unwrap();
            let number = &event["blockNumber"];
            let range = format!("fromBlock={number}&toBlock={number}");
            let again = searched.all(&format!("chain={chain}&address={address}&{range}")).await;
            assert!(again.iter().any(|other| place(other) == place(event)), "{chain}");
        }
        let anchored = searched.found(&format!("chain={chain}&limit=1&finality=anchored")).await;
        let event = &anchored["logs"][0];
        let proof = searched.service.json(event["proofUrl"].as_str().unwrap()).await;
        assert_eq!(proof["event"]["logIndex"], event["logIndex"], "{chain}");
    }
    for chain in ["solana", "polkadot", "tron", "cosmos"] {
        let (status, body) = searched.ask(&format!("chain={chain}")).await;
        assert_eq!((status, &body["code"]), (404, &json!("not_provable")), "{chain}: {body}");
    }
    for (query, parameter) in [
        ("", "chain"),
        ("chain=1&address=0x12", "address"),
        ("chain=1&address=,", "address"),
        ("chain=1&topic0=Transfer", "topic0"),
        ("chain=1&topic3=0x", "topic3"),
        ("chain=1&fromBlock=-1", "fromBlock"),
        ("chain=1&fromBlock=9&toBlock=8", "toBlock"),
        ("chain=1&limit=0", "limit"),
        ("chain=1&limit=1001", "limit"),
        ("chain=1&order=up", "order"),
        ("chain=1&finality=sure", "finality"),
        ("chain=1&cursor=7", "cursor"),
        ("chain=1&partial=yes", "partial"),
    ] {
        let (status, body) = searched.ask(query).await;
        assert_eq!((status, &body["parameter"]), (400, &json!(parameter)), "{query}: {body}");
    }
    let (status, body) = searched.ask("chain=424242").await;
    assert_eq!((status, &body["code"]), (404, &json!("unknown_chain")), "{body}");
    let (status, _) = searched.service.answer("/v5/logs?chain=1").await;
    assert_eq!(status, 401, "a key is needed");
}

/// Filters that everything matches, and those that are long and match nothing, over every block, with blooms of all
/// chains beside: each answer keeps its bounds, and whoever asks for a proof meanwhile gets it.
#[tokio::test(flavor = "multi_thread")]
async fn filters_that_match_everything_or_nothing_keep_their_bounds_and_hold_nobody_up() {
    let searched = Searched::start().await;
    let nobody: Vec<String> = (1..=40).map(|number| format!("0x{number:040x}")).collect();
    let nothing: Vec<String> = (1..=40).map(|number| format!("0x{number:064x}")).collect();
    let long = format!("address={}&topic0={}", nobody.join(","), nothing.join(","));
    let everything = json!({ "topics": [format!("0x{}", "00".repeat(32))] });
    let is_over = std::sync::atomic::AtomicBool::new(false);
    let attack = async |number: usize| {
        for _ in 0..8 {
            let chain = [1, 8453, 130][number % 3];
            let wide = format!("chain={chain}&fromBlock=0&limit=1000&partial=1&finality=head");
            let page = searched.found(&wide).await;
            let events = page["logs"].as_array().unwrap();
            assert!(!events.is_empty() && events.len() <= 1000, "{}", events.len());
            assert!(page.to_string().len() < 4 << 20);
            let page = searched.found(&format!("{wide}&{long}")).await;
            assert_eq!(page["logs"], json!([]));
            searched.blooms(&everything).await;
        }
    };
    let asking = async {
        let mut count = 0;
        while !is_over.load(std::sync::atomic::Ordering::Relaxed) {
            let proof = searched.service.json("/v5/proof/1/latest").await;
            assert_eq!(proof["chainId"], 1);
            count += 1;
        }
        count
    };
    let attacked = async {
        futures_util::future::join_all((0..16).map(attack)).await;
        is_over.store(true, std::sync::atomic::Ordering::Relaxed);
    };
    let ((), count) = tokio::join!(attacked, asking);
    assert!(count > 10, "{count} proofs beside 384 searches");
}
