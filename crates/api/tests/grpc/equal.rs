//! Each method gives what the route of the same question gives.

use serde_json::{Value, json};
use superroot_chain::ChainRegistry;
use superroot_index::EventIndex;
use superroot_proof::bundle::{Bundle, Policy, verify};
use superroot_store::WriteBatch;
use superroot_store::feed::{Changes, Feed, Follower, StageProgress, append};
use superroot_types::{BlockNumber, UnixSeconds};
use superroot_wire::grpc::*;
use superroot_wire::parse;

use crate::grpc::Served;
use crate::grpc::read::{as_json, assert_within, plain, take, without_nothing};
use crate::support::World;

/// Holds a proof against the answer of REST, member by member; nothing of either may be missing in the
/// other but what stands in the file alone. The file's bytes are those that REST's answer reads as, and
/// they verify.
fn assert_proof(message: &Proof, rest: Value) {
    let bundle = parse(&rest).unwrap();
    assert_eq!(message.proof_blob, bundle.encode(), "the file");
    let read = Bundle::decode(&message.proof_blob).unwrap();
    let facts = verify(&read, &Policy::strict(ChainRegistry::builtin().proof_registry())).unwrap();
    assert_eq!(facts.super_root_hash().map(|hash| hash.0.to_vec()), message.super_root_hash);
    let mut rest = plain(rest);
    let mut said = without_nothing(as_json("Proof", message));
    take(&mut said, &["proof_blob"]);
    take(&mut rest, &["not_proven"]);
    let is_entry = rest["proof_kind"] != "block";
    if let Some(block) = said.get_mut("block").map(Value::take) {
        let of_block = if is_entry { rest["block"].clone() } else { rest.clone() };
        assert_block(block, &of_block);
    }
    take(&mut said, &["block"]);
    if is_entry {
        let mut entry = said["entry"].take();
        take(&mut entry, &["index_bound", "transaction_count"]);
        // REST names a root where its trie stands in the answer; the header has both
        let header = &rest["block"]["header"];
        for (name, of_header) in
            [("transactions_root", "transactions_root"), ("receipt_root", "receipts_root")]
        {
            let root = &take(&mut entry, &[name])[name];
            assert!([&rest[name], &header[of_header]].contains(&root), "{name}: {root}");
        }
        assert_within(&entry, &rest, "entry");
        for name in ["raw_transaction", "raw_receipt", "transaction_hash", "transaction_index"] {
            assert_eq!(entry.get(name), rest.get(name), "{name}");
        }
    }
    take(&mut said, &["entry"]);
    if let Some(mut event) = said.get_mut("event").map(Value::take) {
        let mut log = event["evm"].take();
        assert_eq!(take(&mut log, &["bloom"])["bloom"], rest["bloom"]);
        take(&mut event, &["evm"]);
        let place = plain(rest["event"].clone());
        assert_eq!(
            log,
            json!({ "address": place["address"], "topics": place["topics"],
            "data": place["data"] })
        );
        assert_eq!(event["log_index"], place["log_index"]);
        assert_eq!(event["log_index_in_block"], place["log_index_in_block"]);
    }
    take(&mut said, &["event"]);
    assert_within(&said, &rest, "");
    for name in ["finality", "retraction", "v5_anchor", "anchor_status"] {
        assert_eq!(said.get(name), rest.get(name), "{name}");
    }
}

fn assert_block(mut block: Value, rest: &Value) {
    let own = ["parent_hash", "timestamp", "transactions_root", "receipts_root"];
    let of_header = take(&mut block, &own);
    assert_within(&block, rest, "block");
    let header = &rest["header"];
    let timestamp = format!("{:#x}", of_header["timestamp"].as_u64().unwrap());
    assert_eq!(header["timestamp"], timestamp.as_str());
    for name in ["parent_hash", "transactions_root", "receipts_root"] {
        assert_eq!(of_header[name], header[name], "{name}");
    }
    for name in ["twig", "mini_mmr", "block_reference", "super_root", "note"] {
        assert_eq!(block.get(name).is_some(), rest.get(name).is_some(), "{name}");
    }
}

#[tokio::test]
async fn a_block_is_proven_as_by_rest() {
    let served = Served::new(World::small);
    for (request, path) in [
        (ProveBlockRequest { block: Some(7), ..of("ethereum") }, "/v5/proof/1/7"),
        (of("1"), "/v5/proof/1/latest"),
        (
            ProveBlockRequest { block: Some(7), sequence: Some(0), ..of("eip155:1") },
            "/v5/proof/1/7?sequence=0",
        ),
        (ProveBlockRequest { block: Some(7), level: Some(3), ..of("1") }, "/v5/proof/1/7?level=3"),
        (
            ProveBlockRequest { block: Some(32), level: Some(2), ..of("1") },
            "/v5/proof/1/32?level=2",
        ),
        (ProveBlockRequest { block: Some(7), note: true, ..of("1") }, "/v5/proof/1/7?note=1"),
    ] {
        let message = served.proofs().prove_block(request).await.unwrap().into_inner();
        assert_proof(&message, served.rest(path).await);
    }
    let by_root = served.rest("/v5/superroot/0").await["superRootHash"].clone();
    let root = const_hex::decode(by_root.as_str().unwrap()).unwrap();
    let request = ProveBlockRequest { block: Some(3), root: Some(root), ..of("1") };
    let message = served.proofs().prove_block(request).await.unwrap().into_inner();
    let path = format!("/v5/proof/1/3?root={}", by_root.as_str().unwrap());
    assert_proof(&message, served.rest(&path).await);
}

fn of(chain: &str) -> ProveBlockRequest {
    ProveBlockRequest { chain: chain.into(), ..Default::default() }
}

#[tokio::test]
async fn sealed_twigs_and_retracted_blocks_are_shown_as_by_rest() {
    let served = Served::new(World::sealed);
    for number in [2046, 2050] {
        let request = ProveBlockRequest { block: Some(number), ..of("1") };
        let message = served.proofs().prove_block(request).await.unwrap().into_inner();
        assert_eq!(message.block.as_ref().unwrap().mini_mmr.is_some(), number == 2046);
        assert_proof(&message, served.rest(&format!("/v5/proof/1/{number}")).await);
    }
    served.world.halt_at(2050, served.world.block(2050).hash());
    let request = ProveBlockRequest { block: Some(2050), ..of("1") };
    let message = served.proofs().prove_block(request).await.unwrap().into_inner();
    assert!(message.retraction.is_some());
    assert_proof(&message, served.rest("/v5/proof/1/2050").await);
    let request = ListRetractionsRequest { chain: "1".into() };
    let list = served.finality().list_retractions(request).await.unwrap().into_inner();
    let said = without_nothing(as_json("ListRetractionsResponse", &list));
    assert_eq!(said["retractions"].as_array().unwrap().len(), 1);
    assert_within(&said, &plain(served.rest("/api/v1/coverage/1").await), "");
}

#[tokio::test]
async fn transactions_events_and_absences_are_proven_as_by_rest() {
    let served = Served::new(World::small);
    let (number, tx_index, hash) = served.world.eventful(0..32);
    let tx_hash = const_hex::decode(&hash).unwrap();
    let request = ProveTransactionRequest {
        chain: "1".into(),
        tx_hash: tx_hash.clone(),
        ..Default::default()
    };
    let message = served.proofs().prove_transaction(request).await.unwrap().into_inner();
    assert_proof(&message, served.rest(&format!("/v5/proof/tx/1/{hash}")).await);
    let by_place = ProveEventRequest {
        chain: "1".into(),
        block: Some(number),
        tx_index: Some(tx_index),
        ..Default::default()
    };
    let message = served.proofs().prove_event(by_place.clone()).await.unwrap().into_inner();
    let path = format!("/v5/proof/event/1/{number}/{tx_index}/0");
    assert_proof(&message, served.rest(&path).await);
    let first = ProveEventRequest { level: Some(1), ..by_place };
    let message = served.proofs().prove_event(first).await.unwrap().into_inner();
    assert_proof(&message, served.rest(&format!("{path}?level=1")).await);
    let by_hash =
        ProveEventRequest { chain: "1".into(), tx_hash: Some(tx_hash), ..Default::default() };
    let message = served.proofs().prove_event(by_hash).await.unwrap().into_inner();
    assert_proof(&message, served.rest(&format!("/v5/event/1/{hash}/0")).await);
    let absent = ProveAbsenceRequest {
        chain: "1".into(),
        block: Some(number),
        tx_index: 9_999,
        ..Default::default()
    };
    let message = served.proofs().prove_absence(absent).await.unwrap().into_inner();
    assert_proof(&message, served.rest(&format!("/v5/proof/absence/1/{number}/9999")).await);
}

#[tokio::test]
async fn a_batch_has_the_proofs_of_rest_under_one_super_root() {
    let served = Served::new(World::small);
    let (number, tx_index, hash) = served.world.eventful(0..28);
    let tx_hash = Some(const_hex::decode(&hash).unwrap());
    let item = |block| BatchItem { chain: "1".into(), block, ..Default::default() };
    let items = vec![
        item(Some(3)),
        item(None),
        BatchItem { tx_hash: tx_hash.clone(), ..item(None) },
        BatchItem { tx_hash, log_index: Some(0), ..item(None) },
        BatchItem { tx_index: Some(tx_index), log_index: Some(0), ..item(Some(number)) },
        BatchItem { tx_index: Some(9_999), absent: true, ..item(Some(number)) },
    ];
    let rest = json!([
        { "chain": 1, "block": 3 }, { "chain": 1, "block": "latest" },
        { "chain": 1, "txHash": hash }, { "chain": 1, "txHash": hash, "logIndex": 0 },
        { "chain": 1, "block": number, "txIndex": tx_index, "logIndex": 0 },
        { "chain": 1, "block": number, "txIndex": 9_999, "absent": true },
    ]);
    let request = ProveBatchRequest { items, sequence: Some(0), ..Default::default() };
    let answer = served.proofs().prove_batch(request).await.unwrap().into_inner();
    let body = json!({ "items": rest, "sequence": 0 });
    let rest = served.world.post("/v5/proof/batch", &body).await.good();
    let bundles = superroot_wire::parse_batch(&rest).unwrap();
    assert_eq!(answer.items.len(), 6);
    for (message, bundle) in answer.items.iter().zip(&bundles) {
        assert_eq!(message.proof_blob, bundle.encode());
    }
    let said = as_json("ProveBatchResponse", &answer);
    assert_eq!(without_nothing(said["v5_anchor"].clone()), plain(rest["v5Anchor"].clone()));
}

#[tokio::test]
async fn the_check_of_a_proof_is_that_of_rest() {
    let served = Served::new(World::small);
    let blob = served.rest("/api/v5/proof/blob/1/7").await["proof_blob"].clone();
    let good = const_hex::decode(blob.as_str().unwrap()).unwrap();
    let mut bad = good.clone();
    let end = bad.len() - 1;
    bad[end] ^= 1;
    for (proof_blob, block, valid) in [(good.clone(), 7, true), (good, 8, false), (bad, 7, false)] {
        let body = json!({ "proof_blob": const_hex::encode_prefixed(&proof_blob),
            "expected": { "chain": "1", "block": block } });
        let expected =
            Expected { chain: Some("ethereum".into()), block: Some(block), ..Default::default() };
        let request = VerifyProofRequest { proof_blob, expected: Some(expected) };
        let answer = served.proofs().verify_proof(request).await.unwrap();
        assert_eq!(answer.metadata().get("x-billing-weight").unwrap(), "1");
        let answer = answer.into_inner();
        assert_eq!(answer.valid, valid);
        let mut rest = plain(served.world.post("/kv/verify", &body).await.good());
        let checks = rest["checks"].as_array_mut().unwrap();
        checks.retain(|check| check["name"] != "members"); // of a body, and a file has none
        assert_eq!(without_nothing(as_json("VerifyProofResponse", &answer)), rest);
    }
}

#[tokio::test]
async fn super_roots_are_those_of_rest() {
    let served = Served::new(World::sealed);
    let mut client = served.super_roots();
    for (sequence, path) in [(None, "/v5/superroot"), (Some(0), "/v5/superroot/0")] {
        let request = GetSuperRootRequest { sequence, root: None };
        let page = client.get_super_root(request).await.unwrap().into_inner();
        assert_eq!(without_nothing(as_json("SuperRoot", &page)), plain(served.rest(path).await));
    }
    let hash = served.rest("/v5/superroot/0").await["superRootHash"].clone();
    let superroot_hash = const_hex::decode(hash.as_str().unwrap()).unwrap();
    let request = GetSuperRootBlobRequest { superroot_hash };
    let blob = client.get_super_root_blob(request).await.unwrap().into_inner();
    let mut said = without_nothing(as_json("SuperRootBlob", &blob));
    let inner = said["blob"].take();
    said.as_object_mut().unwrap().remove("blob");
    said.as_object_mut().unwrap().extend(inner.as_object().unwrap().clone());
    let path = format!("/kv/blob/{}", hash.as_str().unwrap());
    assert_eq!(said, plain(served.rest(&path).await));
    assert_eq!(blob.appended_twigs.unwrap().twigs.len(), 1);
    let request = ListTwigsRequest { family: "evm".into(), ..Default::default() };
    let page = client.list_twigs(request).await.unwrap().into_inner();
    let rest = served.rest("/v5/mini-mmr/evm/twigs?from=0").await;
    assert_eq!(without_nothing(as_json("ListTwigsResponse", &page)), plain(rest));
    let note =
        client.get_checkpoint(GetCheckpointRequest::default()).await.unwrap().into_inner().note;
    assert_eq!(note.as_bytes(), served.world.get("/v5/checkpoint").await.bytes);
    let tile = GetTileRequest { level: 0, index: 0, width: Some(1) };
    let hashes = client.get_tile(tile).await.unwrap().into_inner().hashes.concat();
    assert_eq!(hashes, served.world.get("/v5/tile/0/000.p/1").await.bytes);
    let entries = GetTileEntriesRequest { index: 0, width: Some(1) };
    let entries = client.get_tile_entries(entries).await.unwrap().into_inner().entries;
    assert_eq!(entries[0], served.world.get("/v5/tile/entries/000.p/1").await.bytes[2..]);
}

#[tokio::test]
async fn consistency_is_that_of_rest() {
    let served = Served::new(World::small);
    for strength in ["", "history", "full"] {
        let request = GetConsistencyRequest { from: 0, to: Some(1), strength: strength.to_owned() };
        let proof = served.super_roots().get_consistency(request).await.unwrap().into_inner();
        let asked = if strength.is_empty() { "history" } else { strength };
        let path = format!("/v5/superroot/consistency?from=0&to=1&strength={asked}");
        let mut rest = plain(served.rest(&path).await);
        let mut said = without_nothing(as_json("Consistency", &proof));
        assert_eq!(proof.mini_mmr_paths.len(), if asked == "full" { 9 } else { 0 });
        take(&mut rest, &["appended_twigs"]);
        take(&mut said, &["appended_twigs"]); // an empty list here, as there
        assert_eq!(said, rest, "{strength}");
    }
}

#[tokio::test]
async fn finality_is_that_of_rest() {
    let served = Served::new(World::small);
    let request = GetFinalityRequest { chain: "ethereum".into() };
    let one = served.finality().get_finality(request).await.unwrap().into_inner();
    let rest = plain(served.rest("/finality/1").await);
    assert_eq!(without_nothing(as_json("ChainFinality", &one)), rest);
    let all = served.finality().list_finality(ListFinalityRequest {}).await.unwrap().into_inner();
    let rest = plain(served.rest("/finality").await);
    assert_eq!(without_nothing(as_json("ListFinalityResponse", &all)), rest);
    let request = ProveFinalityRequest {
        chain: "1".into(),
        block: Some(7),
        sequence: Some(0),
        ..Default::default()
    };
    let proof = served.finality().prove_finality(request).await.unwrap().into_inner();
    assert!(proof.finality.is_some());
    assert_proof(&proof, served.rest("/finality/1/proof/7?sequence=0").await);
}

#[tokio::test]
async fn events_and_blooms_are_those_of_rest() {
    let served = Served::new(World::small);
    let (chain, store) = (served.world.key(), &served.world.store);
    let (mut changes, mut batch) = (Changes::default(), WriteBatch::new());
    (0..=32).for_each(|number| changes.made_final(BlockNumber(number)));
    let at = UnixSeconds(crate::support::NOW);
    append(&mut batch, &**store, chain, changes, at, 3_600).unwrap();
    store.commit(batch).unwrap();
    let feed = Feed::Chain(chain);
    let mut follower = Follower::new(served.world.store.clone(), feed, EventIndex::default());
    while follower.step().unwrap() != StageProgress::Idle {}
    let mut client = served.events();
    let asked = |limit| ListLogsRequest {
        chain: "1".into(),
        from_block: Some(0),
        limit: Some(limit),
        ..Default::default()
    };
    let page = client.list_logs(asked(1_000)).await.unwrap().into_inner();
    assert!(page.logs.len() > 5, "{}", page.logs.len());
    let rest = served.rest("/v5/logs?chain=1&fromBlock=0&limit=1000").await;
    assert_eq!(without_nothing(as_json("ListLogsResponse", &page)), plain(rest));
    let cursor = client.list_logs(asked(2)).await.unwrap().into_inner().next_cursor.unwrap();
    let log = page.logs[3].clone();
    let request = ListLogsRequest {
        address: vec![log.address.clone()],
        topic0: log.topics.first().cloned().into_iter().collect(),
        finality: "head".into(),
        order: "desc".into(),
        to_block: Some(33),
        ..asked(7)
    };
    let hex = const_hex::encode_prefixed::<&[u8]>;
    let path = format!(
        "/v5/logs?chain=1&fromBlock=0&toBlock=33&limit=7&finality=head&order=desc&address={}&topic0={}",
        hex(&log.address),
        hex(&log.topics[0])
    );
    let found = client.list_logs(request).await.unwrap().into_inner();
    assert!(!found.logs.is_empty());
    assert_eq!(
        without_nothing(as_json("ListLogsResponse", &found)),
        plain(served.rest(&path).await)
    );
    let next = ListLogsRequest { cursor: cursor.clone(), ..asked(2) };
    let next = client.list_logs(next).await.unwrap().into_inner();
    let path = format!("/v5/logs?chain=1&fromBlock=0&limit=2&cursor={cursor}");
    assert_eq!(
        without_nothing(as_json("ListLogsResponse", &next)),
        plain(served.rest(&path).await)
    );
    let request = QueryBloomsRequest {
        address: Some(log.address.clone()),
        topics: log.topics.clone(),
        chain_ids: vec!["ethereum".into(), "bitcoin".into()],
        from_block: Some(0),
        to_block: Some(30),
    };
    let answer = client.query_blooms(request).await.unwrap().into_inner();
    assert!(answer.results[0].candidate_blocks.contains(&log.block_number));
    let topics: Vec<_> = log.topics.iter().map(|topic| hex(topic)).collect();
    let body = json!({ "address": hex(&log.address), "topics": topics, "chain_ids": [1, "bitcoin"],
        "from_block": 0, "to_block": 30 });
    let rest = served.world.ask(&served.key, "POST", "/bloom/query", Some(&body)).await.good();
    assert_eq!(without_nothing(as_json("QueryBloomsResponse", &answer)), plain(rest));
}

/// A scan is the file that REST gives, and what shows a page to be complete verifies.
#[tokio::test]
async fn scans_are_those_of_rest() {
    let served = Served::new(World::small);
    served.world.tell();
    let mut client = served.events();
    let asked = |from, to| ScanRequest {
        chain: "1".into(),
        from_block: from,
        to_block: Some(to),
        sequence: Some(1),
        ..Default::default()
    };
    let page = client.scan(asked(1, 20)).await.unwrap().into_inner();
    let rest = served.rest("/v5/scan/1?fromBlock=1&toBlock=20&sequence=1").await;
    assert_eq!(const_hex::encode_prefixed(&page.scan_blob), rest["scanBlob"]);
    assert_eq!((page.from_block, page.to_block, page.next_from_block), (1, 20, None));
    assert_eq!(page.event_count, rest["events"].as_array().unwrap().len() as u64);
    let verifier = superroot_client::Verifier::builtin();
    let checked = verifier.check_scan(&page.scan_blob).unwrap();
    assert_eq!(checked.facts.events.len() as u64, page.event_count);
    let code = client.scan(asked(20, 1)).await.unwrap_err().code();
    assert_eq!(code, tonic::Code::InvalidArgument);
    let request = ScanRequest { topic0: vec![vec![1; 31]], ..asked(1, 2) };
    assert_eq!(client.scan(request).await.unwrap_err().code(), tonic::Code::InvalidArgument);

    let request = ListLogsRequest {
        chain: "1".into(),
        from_block: Some(1),
        to_block: Some(20),
        limit: Some(1_000),
        complete: true,
        ..Default::default()
    };
    let logs = client.list_logs(request).await.unwrap().into_inner();
    let checked = verifier.check_scan(&logs.scan_blob.unwrap()).unwrap();
    assert_eq!(checked.facts.events.len(), logs.logs.len());
}

/// A transaction that was never seen is waited for, and no longer than was asked: longer than other requests may take.
#[tokio::test]
async fn a_proof_is_waited_for_as_long_as_was_asked() {
    let served = Served::new(|mut settings| {
        settings.api.request_timeout_ms = 500;
        World::small(settings)
    });
    let mut client = served.proofs();
    let request = |seconds| ProveTransactionRequest {
        chain: "1".into(),
        tx_hash: vec![2; 32],
        wait_seconds: seconds,
        ..Default::default()
    };
    let begun = std::time::Instant::now();
    assert_eq!(
        client.prove_transaction(request(1)).await.unwrap_err().code(),
        tonic::Code::NotFound
    );
    assert!(begun.elapsed() >= std::time::Duration::from_secs(1));
    let code = client.prove_transaction(request(16)).await.unwrap_err().code();
    assert_eq!(code, tonic::Code::InvalidArgument);
    // a deadline is a deadline
    let mut hasty = tonic::Request::new(request(15));
    hasty.set_timeout(std::time::Duration::from_millis(700));
    let status = client.prove_transaction(hasty).await.unwrap_err();
    assert_eq!(status.code(), tonic::Code::DeadlineExceeded);
    assert!(begun.elapsed() < std::time::Duration::from_secs(10));
    let finality = ProveFinalityRequest {
        chain: "1".into(),
        block: Some(33),
        wait_seconds: 1,
        ..Default::default()
    };
    let begun = std::time::Instant::now();
    let status = served.finality().prove_finality(finality).await.unwrap_err();
    assert_eq!(status.code(), tonic::Code::FailedPrecondition, "{status:?}");
    assert!(begun.elapsed() >= std::time::Duration::from_secs(1));
}
