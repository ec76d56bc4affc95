//! Requests with the parameters that the others leave out.

use serde_json::{Value, json};

use super::recorder::{Asked, Recorder, ask};
use super::{FILLED, SPOKE_POOL};

/// Every operation's other parameters; each of these requests is answered.
pub(super) async fn record(recorder: &mut Recorder<'_>, key: &str) {
    proofs(recorder).await;
    pages(recorder, key).await;
    events(recorder, key).await;
    markets(recorder, key).await;
}

async fn proofs(recorder: &mut Recorder<'_>) {
    let first = recorder.service.json("/v5/superroot/1").await;
    // a header of Aptos is one hash: the shortest proof
    let blob = recorder.service.json("/api/v5/proof/blob/aptos/latest").await;
    let of_block = |operation| ask(operation).path("chain", "ethereum").path("block", "1");
    let under = of_block("proveBlock").query("root", first["superRootHash"].clone());
    recorder.also(under).await;
    recorder.also(of_block("proveBlock").query("sequence", 1).query("level", "2")).await;
    recorder.also(of_block("proveBlock").query("note", "1").query("wait", 5)).await;
    recorder.also(of_block("proveBlock").query("form", "calldata")).await;
    let sui = ask("proveBlock").path("chain", "sui").path("block", 2_060);
    recorder.also(sui.query("evidence", "1").query("set", 128)).await;
    let icp = ask("proveBlock").path("chain", "icp").path("block", 2_053);
    recorder.also(icp.query("finality", "consensus")).await;
    let hash = recorder.examples["find"]["path"]["hash"].clone();
    let found = recorder.also(ask("find").path("hash", hash.clone()).query("from", 0)).await;
    let place = &found["matches"][0];
    let one = ask("proveTransaction").path("chain_id", "ethereum").path("tx_hash", hash);
    let one = one.query("block", place["blockNumber"].clone());
    recorder.also(one.query("tx_index", place["transactionIndex"].clone())).await;
    // nobody cosigns the log of a demo
    recorder.also(ask("checkpoint").query("cosigned", "0")).await;
    recorder.also(ask("checkpoint").query("sequence", 1)).await;
    let between = ask("consistency").query("from", 0).query("to", 1);
    recorder.also(between.query("strength", "history")).await;
    let (block, chain) = (blob["block_number"].clone(), blob["chain_id"].clone());
    let expected = json!({ "chain_id": chain, "block": block });
    let body = json!({ "proof_blob": blob["proof_blob"], "expected": expected });
    recorder.also(ask("verifyProof").body(body)).await;
}

/// The pages after the first, of lists.
async fn pages(recorder: &mut Recorder<'_>, key: &str) {
    let with_key = |operation| ask(operation).key(key);
    let coverage = ask("coverage").path("chain", "ethereum").query("limit", 1);
    recorder.also(coverage.query("cursor", 1)).await;
    let watch = recorder.examples["watch"]["path"]["id"].clone();
    recorder.also(with_key("watches").query("limit", 50).query("cursor", watch)).await;
    let now = recorder.service.json("/v5/superroot").await["timestamp"].as_u64().unwrap();
    let hour = || with_key("usageHistory").query("from", now - 3_600).query("until", now + 60);
    let found = recorder.also(hour().query("limit", 1)).await;
    recorder.also(hour().query("cursor", found["next_cursor"].clone())).await;
    let month = recorder.examples["invoice"]["path"]["invoice"].clone();
    recorder.also(with_key("invoices").query("limit", 10).query("before", month)).await;
    let wallet = recorder.examples["challenge"]["query"]["wallet_address"].clone();
    let of_base = ask("challenge").query("wallet_address", wallet).query("chain_id", "8453");
    recorder.also(of_base).await;
}

/// An event of a simulated Base with four topics, asked for by each.
async fn events(recorder: &mut Recorder<'_>, key: &str) {
    let logs = || ask("logs").key(key).query("chain", "base");
    let of_pool = |asked: Asked| asked.query("address", SPOKE_POOL).query("topic0", FILLED);
    let found = recorder.also(of_pool(logs()).query("limit", 1)).await;
    let event = &found["logs"][0];
    let by_topics = |asked: Asked| {
        (1..4).fold(of_pool(asked), |asked, place| {
            asked.query(["", "topic1", "topic2", "topic3"][place], event["topics"][place].clone())
        })
    };
    let block = &event["blockNumber"];
    let range = by_topics(logs()).query("order", "asc");
    let range = range.query("fromBlock", block.clone()).query("toBlock", block.clone());
    recorder.also(range.query("partial", "1").query("complete", "0")).await;
    if let Value::String(cursor) = &found["nextCursor"] {
        recorder.also(of_pool(logs()).query("cursor", cursor.clone())).await;
    }
    let scan = by_topics(ask("scan").key(key).path("chain", "base"))
        .query("topic", event["topics"][0].clone());
    recorder.also(scan.query("fromBlock", 1).query("toBlock", 2)).await;

    let of_events = by_topics(ask("stream").key(key).query("topics", "logs"));
    let of_events = of_events.query("chain", "base").query("finality", "head");
    recorder.also(of_events.query("partial", "1").opened()).await;
    let of_one = ask("stream").key(key).query("topics", "anchored").query("chain", "base");
    recorder.also(of_one.query("tx", event["transactionHash"].clone()).opened()).await;
    let order = recorder.examples["order"]["answer"]["order_id"].clone();
    let of_one = ask("stream").key(key).query("topics", "orders").query("order", order);
    recorder.also(of_one.opened()).await;
    let since = recorder.examples["stream"]["answer"]["id"].clone();
    let later = ask("stream").key(key).query("topics", "superroot").query("since", since.clone());
    recorder.also(later.opened()).await;
    let launches = ask("launches").key(key).query("since", since).query("finality", "head");
    recorder.also(launches.query("partial", "1").opened()).await;
}

async fn markets(recorder: &mut Recorder<'_>, key: &str) {
    let price = ask("price").key(key).path("chain", "ethereum").path("token", "WETH");
    recorder.also(price.query("proof", "1").query("note", "1").query("window", 600)).await;
    recorder.also(ask("arbitrage").key(key).query("min_net_usd", 5)).await;
    let launches = ask("launches").key(key).query("format", "json").query("chain_id", "base");
    recorder.also(launches.query("min_liquidity_usd", 5_000)).await;
}
