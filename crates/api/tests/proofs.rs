//! Laws of the proof routes: what is answered verifies as a client would verify it, says nothing
//! else than it proves, and is documented.

use crate::support;

use std::collections::BTreeSet;

use axum::body::Body;
use serde_json::{Value, json};
use superroot_chain::finality::{FinalityAnchor, OneSource};
use superroot_chain::{ChainRegistry, Encoding, EvidenceVerdict, FinalityEvidence, UntrustedBlock};
use superroot_proof::bundle::{Bundle, Policy, verify};
use superroot_proof::ledger::evm::Receipt;
use superroot_source::BlockSource;
use superroot_source::simulated::{SimulatedChain, SimulatedConfig};
use superroot_store::coverage::{self, CoverageRun};
use superroot_store::layout::{BlockTip, ChainState, HeldRun, KeptEntries};
use superroot_store::{WriteBatch, write};
use superroot_types::{BlockNumber, Hash, ProofLevel, UnixSeconds};
use superroot_wire::{CheckError, check_json, expand_batch};
use support::*;

fn policy() -> Policy<'static> {
    Policy::strict(ChainRegistry::builtin().proof_registry())
}

/// Checks a proof against the SuperRoot hash that another answer told.
fn check(body: &Value, trusted: &Hash) -> ProofLevel {
    let checked = check_json(body, &policy(), Some(trusted)).unwrap();
    let said = body.get("notProven").or_else(|| body.get("not_proven")).unwrap();
    for path in said.as_array().unwrap() {
        let path = path.as_str().unwrap();
        assert!(checked.unproven.iter().any(|one| one == path), "{path} is called not proven");
    }
    for path in &checked.unproven {
        let is_told = said.as_array().unwrap().iter().any(|one| one == path);
        let is_service = path.starts_with("v5") || path.starts_with("not");
        assert!(is_told || is_service, "{path} is not proven and not called so");
    }
    checked.facts.level
}

async fn newest_hash(world: &World) -> Hash {
    let body = world.get("/v5/superroot").await.good();
    body["superRootHash"].as_str().unwrap().parse().unwrap()
}

/// A recorded log of blocks 0 to 3, with their receipts or without; and a transaction of block 1.
async fn recorded(with_receipts: bool) -> (World, Hash) {
    let mut world = World::of("ethereum", "recorded/api-tests", unlimited(), 0);
    let row =
        ChainRegistry::builtin().find("ethereum").unwrap().clone().read_as(Encoding::Ethereum);
    let made = SimulatedConfig::new(5, UnixSeconds(GENESIS));
    let made = SimulatedConfig { block_time_seconds: 1, reorgs: false, ..made };
    let source = SimulatedChain::new(&row, made, world.clock.clone()).unwrap();
    let mut line = Vec::new();
    for number in 0..4 {
        let fetched = source.fetch_whole(BlockNumber(number)).await.unwrap();
        let Some(UntrustedBlock::Evm(mut raw)) = fetched else { panic!("no block {number}") };
        if !with_receipts {
            raw.receipts = None;
        }
        line.push(superroot_chain::verify(&row, &UntrustedBlock::Evm(raw)).unwrap());
    }
    let (transaction, extent) = (line[1].transaction_hashes().unwrap()[0], line[1].extent());
    let tip = BlockTip { number: line[3].number(), hash: line[3].hash() };
    let evidence = OneSource { name: "capture".into(), rule: "as recorded".into() };
    let (evidence, trusted) = (FinalityEvidence::OneSource(evidence), FinalityAnchor::OneSource);
    let line = line.into_iter().map(Into::into).collect();
    let blocks = match superroot_chain::finality::check(evidence, line, &trusted, UnixSeconds(NOW))
    {
        EvidenceVerdict::Final(blocks) => blocks,
        refused => panic!("{refused:?}"),
    };
    let (chain, mut batch) = (world.key(), WriteBatch::new());
    let mut state = ChainState::empty(BlockNumber(0));
    for block in &blocks {
        write::put_final(&mut batch, &*world.store, block, &KeptEntries::All).unwrap();
        state.block_count += 1;
    }
    (state.head, state.indexed, state.checked_to) = (Some(tip), Some(tip), Some(tip.number));
    let held = if with_receipts { HeldRun::Whole } else { HeldRun::Partial { extent } };
    let run = CoverageRun { from: BlockNumber(0), to: tip.number, held };
    coverage::put_coverage(&mut batch, &*world.store, chain, &[run]).unwrap();
    write::put_chain_state(&mut batch, chain, &state);
    world.store.commit(batch).unwrap();
    world.step(100);
    (world, transaction)
}

/// Every proof route, with the schema of its answer.
fn proof_paths(
    world: &World,
    block: u64,
    around: std::ops::Range<u64>,
) -> Vec<(String, &'static str)> {
    let (number, index, hash) = world.eventful(around);
    let count = world.block(number).receipts().unwrap().len();
    vec![
        (format!("/v5/proof/1/{block}"), "BlockProof"),
        (format!("/v5/proof/ethereum/{block}"), "BlockProof"),
        (format!("/v5/proof/eip155:1/{block}"), "BlockProof"),
        ("/v5/proof/1/latest".into(), "BlockProof"),
        (format!("/kv/proof/1/{block}"), "BlockProofSnake"),
        (format!("/finality/1/proof/{block}"), "BlockProofSnake"),
        (format!("/api/finality/eth/proof/{block}"), "BlockProofSnake"),
        (format!("/api/v5/proof/blob/1/{block}"), "BlobProof"),
        (format!("/api/lambda/proof-bundle/block/1/{block}"), "LambdaBundle"),
        (format!("/v5/proof/tx/1/{hash}"), "TransactionProof"),
        (format!("/v5/tx/ethereum/{hash}"), "TransactionProof"),
        (format!("/v5/proof/event/1/{number}/{index}/0"), "EventProof"),
        (format!("/v5/event/1/{hash}/0"), "EventProof"),
        (format!("/v5/proof/absence/1/{number}/{count}"), "AbsenceProof"),
    ]
}

#[tokio::test]
async fn every_shape_verifies_and_is_documented() {
    let world = World::small(unlimited());
    let (trusted, document) = (newest_hash(&world).await, world.get("/openapi.json").await.json());
    for (path, schema) in proof_paths(&world, 20, 0..32) {
        let body = world.get(&path).await.good();
        assert_eq!(check(&body, &trusted), ProofLevel::SuperRoot, "{path}");
        assert_documented(&document, schema, &body);
        let anchor = body.get("v5Anchor").or_else(|| body.get("v5_anchor")).unwrap();
        let name = if path.starts_with("/v5/") { "superRootHash" } else { "super_root_hash" };
        assert_eq!(anchor[name], trusted.to_string(), "{path}");
    }
}

#[tokio::test]
async fn sealed_and_open_twigs_verify_in_every_shape() {
    let world = World::sealed(unlimited());
    let trusted = newest_hash(&world).await;
    for (block, place) in [(2046, "miniMmr"), (2050, "blockReference")] {
        for (path, _) in proof_paths(&world, block, block..block + 1) {
            let body = world.get(&path).await.good();
            assert_eq!(check(&body, &trusted), ProofLevel::SuperRoot, "{path}");
        }
        let body = world.get(&format!("/v5/proof/1/{block}")).await.good();
        assert!(body[place].is_object(), "{block}");
    }
}

/// What is remembered of a block, its entry and its twig is what the answers under the next SuperRoot are made of: they are
/// those of a service that remembers nothing.
#[tokio::test]
async fn the_next_super_roots_answers_are_those_of_who_remembers_nothing() {
    for (mut world, block, next) in
        [(World::small(unlimited()), 20, 33), (World::sealed(unlimited()), 2046, 2051)]
    {
        let paths = proof_paths(&world, block, block..block + 1);
        let mut before = Vec::new();
        // what was asked for twice is remembered
        for (next, at) in [(next, 124), (next + 1, 148)] {
            before.clear();
            for (path, _) in &paths {
                before.push(world.get(path).await.good());
            }
            world.extend(next..next + 1, true);
            world.step(at);
        }
        let mut again = Vec::new();
        for (path, _) in &paths {
            again.push(world.get(path).await);
        }
        world.router = superroot_api::router(world.api());
        for (((path, _), before), again) in paths.iter().zip(before).zip(again) {
            assert_ne!(again.good(), before, "{path}: there is a new SuperRoot");
            assert_eq!(again.bytes, world.get(path).await.bytes, "{path}");
        }
    }
}

/// What could not be said of an event is said once more of its block is held.
#[tokio::test]
async fn an_event_is_told_its_place_once_its_block_is_held_whole() {
    let mut world = World::empty(unlimited(), 0);
    let late = |number: u64| {
        let block = world.block(number);
        let mut receipts = (0_u32..).zip(block.receipts().unwrap()).skip(1);
        let has_logs = |leaf: &[u8]| !Receipt::decode(leaf).unwrap().logs.is_empty();
        Some((number, receipts.find(|(_, leaf)| has_logs(leaf))?.0))
    };
    let (number, index) = (0..64).find_map(late).expect("an event of a later transaction");
    world.extend(0..number, true);
    world.kept = KeptEntries::Some(vec![index]);
    world.extend(number..number + 1, true);
    world.kept = KeptEntries::All;
    world.step(100);
    let path = format!("/v5/proof/event/1/{number}/{index}/0");
    for (next, at) in [(number + 1, 112), (number + 2, 124)] {
        let before = world.get(&path).await.good();
        assert_eq!(before["event"]["logIndexInBlock"], Value::Null);
        world.extend(next..next + 1, true);
        world.step(at);
    }
    let before = world.get(&path).await.good();
    assert_eq!(before["event"]["logIndexInBlock"], Value::Null);
    world.repair(number);
    world.extend(number + 3..number + 4, true);
    world.step(136);
    let after = world.get(&path).await.good();
    assert!(after["event"]["logIndexInBlock"].is_u64(), "{after}");
    assert_eq!(after["rawReceipt"], before["rawReceipt"]);
}

#[tokio::test]
async fn an_older_super_root_can_be_named_and_its_answer_never_changes() {
    let mut world = World::small(unlimited());
    let older = world.get("/v5/superroot/0").await.good();
    let hash = older["superRootHash"].as_str().unwrap().to_owned();
    let path = format!("/v5/proof/1/20?root={hash}");
    let before = world.get(&path).await;
    assert_eq!(check(&before.good(), &hash.parse().unwrap()), ProofLevel::SuperRoot);
    assert_eq!(before.header("cache-control"), "public, max-age=31536000, immutable");
    let tag = before.header("etag").to_owned();
    assert!(tag.starts_with('"') && tag.len() == 34, "{tag}");
    world.extend(34..36, true);
    world.step(500);
    world.clock.advance(1_000);
    let after = world.get(&path).await;
    assert_eq!((after.bytes == before.bytes, after.header("etag")), (true, tag.as_str()));
    assert!(world.get("/v5/proof/1/20?sequence=0").await.bytes == before.bytes);
    let known = world.get_with(&path, &[("if-none-match", &format!("W/\"x\", {tag}"))]).await;
    assert_eq!((known.status.as_u16(), known.bytes.len()), (304, 0));
    assert_eq!(known.header("etag"), tag);
    let live = world.get("/v5/proof/1/20").await;
    assert_eq!((live.header("cache-control"), live.has("etag")), ("no-cache", false));
    world.get("/v5/proof/1/30?sequence=0").await.problem(409, "not_yet_anchored");
    world.get("/v5/proof/1/20?sequence=9").await.problem(404, "unknown_superroot");
    let unknown = format!("/v5/proof/1/20?root={}", Hash([9; 32]));
    world.get(&unknown).await.problem(404, "unknown_superroot");
}

/// The bytes for contracts are the proof's, and are refused where it has none.
#[tokio::test]
async fn a_proof_is_given_in_the_form_for_contracts() {
    let world = World::small(unlimited());
    let mut given = 0;
    for (path, _) in proof_paths(&world, 20, 0..32) {
        let reply = world.get(&format!("{path}?sequence=0&form=calldata")).await;
        if !path.starts_with("/v5/") {
            assert_eq!(reply.status.as_u16(), 400, "{path}");
            continue;
        }
        if path.contains("absence") {
            reply.problem(400, "invalid_parameter");
            continue;
        }
        assert_eq!(reply.header("content-type"), "application/octet-stream", "{path}");
        let origin = world.get("/v5/superroot").await.good()["origin"].as_str().unwrap().to_owned();
        let bundle = Bundle::from_calldata(&reply.bytes, &origin).unwrap();
        let json = world.get(&format!("{path}?sequence=0")).await.good();
        let facts = verify(&bundle, &policy()).unwrap();
        let hash: Hash = json["superRoot"]["hash"]
            .as_str()
            .or(json["superRootHash"].as_str())
            .unwrap()
            .parse()
            .unwrap();
        assert_eq!(facts.super_root_hash(), Some(hash), "{path}");
        given += 1;
        let entry = world.get(&format!("{path}?sequence=0&form=entry")).await;
        match superroot_proof::calldata::entry_of(&reply.bytes) {
            Ok(bytes) => assert_eq!(entry.bytes, bytes, "{path}"),
            Err(_) => drop(entry.problem(400, "invalid_parameter")),
        }
    }
    assert!(given >= 3, "{given}");
    world.get("/v5/proof/1/20?form=other").await.problem(400, "invalid_parameter");
    world.get("/v5/proof/1/20?form=calldata&level=3").await.problem(400, "invalid_parameter");
}

/// A HEAD has the status of the answer, and who has the answer is told so: neither is made for that, nor
/// checked nor written.
#[tokio::test]
async fn nothing_is_made_for_a_head_or_for_who_has_it() {
    let world = World::small(unlimited());
    let file = ("accept", "application/octet-stream");
    let ask = async |method, path: &str, headers: &[(&str, &str)]| {
        world.send(request(method, path, headers, Body::empty())).await
    };
    let is_unmade = |reply: &Reply, status: u16| {
        (reply.status.as_u16(), reply.bytes.len()) == (status, 0) && !reply.has("content-length")
    };
    let mut tags = BTreeSet::new();
    for (path, _) in proof_paths(&world, 20, 0..32) {
        let live = ask("HEAD", &path, &[]).await;
        assert!(is_unmade(&live, 200) && !live.has("etag"), "{path}");
        assert_eq!(live.header("content-type"), "application/json", "{path}");
        if path.contains("finality") {
            continue; // says what changes, under a named SuperRoot as well
        }
        for forms in [&[][..], &[file]] {
            if !forms.is_empty() && !path.starts_with("/v5/") {
                continue;
            }
            let path = format!("{path}?sequence=0");
            let head = ask("HEAD", &path, forms).await;
            let tag = head.header("etag").to_owned();
            assert!(is_unmade(&head, 200) && tag.len() == 34, "{path}");
            let known = ask("GET", &path, &[forms, &[("if-none-match", &tag)]].concat()).await;
            assert_eq!((known.status.as_u16(), known.bytes.len()), (304, 0), "{path}");
            // had it been made, it would be remembered, and its length known
            assert!(is_unmade(&ask("HEAD", &path, forms).await, 200), "{path}");
            let whole = ask("GET", &path, forms).await;
            let said =
                ["etag", "content-type", "cache-control", "vary"].map(|name| head.header(name));
            let says =
                ["etag", "content-type", "cache-control", "vary"].map(|name| whole.header(name));
            assert_eq!((said, whole.status.as_u16()), (says, 200), "{path}");
            let known = ask("GET", &path, &[forms, &[("if-none-match", &tag)]].concat()).await;
            assert_eq!((known.status.as_u16(), known.bytes.len()), (304, 0), "{path}");
            assert!(tags.insert(tag), "one tag for each address and form: {path}");
        }
    }
    let (number, index, hash) = world.eventful(0..32);
    let count = world.block(number).receipts().unwrap().len();
    for refused in [
        "/v5/proof/1/99".to_owned(),
        "/v5/proof/1/20?sequence=9".to_owned(),
        format!("/v5/proof/tx/1/{}", Hash([9; 32])),
        format!("/v5/event/1/{hash}/999"),
        format!("/v5/proof/event/1/{number}/{index}/999"),
        format!("/v5/proof/event/1/{number}/{count}/0"),
        format!("/v5/proof/absence/1/{number}/{index}"),
    ] {
        let told = ask("GET", &refused, &[]).await.status;
        let head = ask("HEAD", &refused, &[("if-none-match", "*")]).await;
        assert!(told.is_client_error() && head.status == told, "{refused}: {told}");
    }
}

#[tokio::test]
async fn levels_cut_a_proof_off_and_pending_blocks_have_two() {
    let world = World::small(unlimited());
    for (level, expected) in [(2, 2), (3, 3), (4, 3), (5, 5)] {
        let body = world.get(&format!("/v5/proof/1/20?level={level}")).await.good();
        let checked = check_json(&body, &policy(), None).unwrap();
        assert_eq!(checked.facts.level.number(), expected, "?level={level}");
        assert_eq!(body["anchorStatus"], "anchored");
    }
    for (block, code) in [(32, "not_yet_anchored"), (33, "not_final")] {
        let problem = world.get(&format!("/v5/proof/1/{block}")).await.problem(409, code);
        assert_eq!((&problem["head"], &problem["anchored"]), (&json!(33), &json!(31)));
        assert_eq!(problem["retry_after"], 12);
        let body = world.get(&format!("/v5/proof/1/{block}?level=2")).await.good();
        assert_eq!(body["anchorStatus"], "pending");
        assert_eq!(check_json(&body, &policy(), None).unwrap().facts.level, ProofLevel::Block);
        world.get(&format!("/v5/proof/1/{block}?level=3")).await.problem(409, code);
        let named = world.get(&format!("/v5/proof/1/{block}?level=2&sequence=1")).await;
        assert_eq!(named.good()["anchorStatus"], "pending");
        assert_eq!(named.header("cache-control"), "no-cache", "it may still be replaced");
    }
    let (number, index, hash) = world.eventful(32..34);
    let body = world.get(&format!("/v5/tx/1/{hash}?level=1")).await.good();
    assert_eq!(body["anchorStatus"], "pending");
    assert_eq!(check_json(&body, &policy(), None).unwrap().facts.level, ProofLevel::Entry);
    let path = format!("/v5/proof/event/1/{number}/{index}/0?level=2");
    assert_eq!(world.get(&path).await.good()["finality"]["status"], "finalized");
}

#[tokio::test]
async fn finality_is_named_as_its_evidence_and_no_more() {
    let world = World::small(unlimited());
    let body = world.get("/finality/1/proof/20").await.good();
    let finality = &body["finality"];
    assert_eq!(finality["evidence_kind"], "node_quorum");
    assert_eq!(finality["rule"], "finalized tag");
    let evidence = &finality["evidence"];
    assert_eq!(evidence["sources"], json!(["alpha", "beta"]));
    assert_eq!((&evidence["agreeing"], &evidence["of"]), (&json!(2), &json!(3)));
    let encoded = const_hex::decode(evidence["encoded"].as_str().unwrap()).unwrap();
    let blob = world.get("/api/v5/proof/blob/1/20").await.good();
    let commitment = superroot_proof::hash::keccak256(&encoded);
    assert_eq!(blob["l6_finality_commitment"], json!(commitment));
    assert!(body["not_proven"].as_array().unwrap().contains(&json!("finality")));
    let under_older = world.get("/finality/1/proof/20?sequence=0").await;
    assert_eq!(under_older.good()["finality"]["status"], "finalized");
    assert_eq!(under_older.header("cache-control"), "no-cache");
    let pending = world.get("/v5/proof/1/33?level=2").await.good();
    assert_eq!(pending["finality"]["status"], "not_final");
    assert_eq!(pending["finality"]["evidenceKind"], Value::Null);

    let document = world.get("/openapi.json").await.json();
    let chain = world.get("/finality/ethereum").await.good();
    assert_documented(&document, "ChainFinality", &chain);
    assert_eq!((&chain["finalized"]["number"], &chain["head"]["number"]), (&json!(32), &json!(33)));
    assert_eq!((&chain["anchored"]["number"], &chain["lag_blocks"]), (&json!(31), &json!(1)));
    let kind = (&chain["evidence_kind"], &chain["sources"], &chain["source_count"]);
    assert_eq!(kind, (&json!("node_quorum"), &json!(["alpha", "beta"]), &json!(3)));
    assert_eq!(chain["v5_anchor"]["finalized_block"], 32);
    assert_eq!(chain["v5_anchor"]["indexed_block"], 31);
    let all = world.get("/finality").await.good();
    assert_documented(&document, "FinalityList", &all);
    assert_eq!(all["chains"].as_array().unwrap().len(), 27);
    for other in &all["chains"].as_array().unwrap()[1..] {
        assert_eq!((&other["evidence_kind"], &other["finalized"]), (&Value::Null, &Value::Null));
    }
}

/// A recording has one source, and no node agreed on anything: no answer calls it a quorum.
#[tokio::test]
async fn a_recording_is_named_as_that_and_not_as_a_quorum() {
    let (world, transaction) = recorded(true).await;
    let (trusted, by_hash) = (newest_hash(&world).await, format!("/v5/tx/1/{transaction}"));
    for path in ["/v5/proof/1/2", "/kv/proof/1/2", "/finality/1/proof/2", by_hash.as_str()] {
        let body = world.get(path).await.good();
        assert_eq!(check(&body, &trusted), ProofLevel::SuperRoot, "{path}");
        assert_eq!(body["network"], "recorded", "{path}");
        let finality = &body["finality"];
        let kind = finality.get("evidenceKind").or_else(|| finality.get("evidence_kind"));
        assert_eq!(kind, Some(&json!("recorded")), "{path}: {finality}");
        let told = (&finality["status"], &finality["rule"]);
        assert_eq!(told, (&json!("finalized"), &json!("as recorded")), "{path}");
        let evidence = &finality["evidence"];
        assert_eq!(evidence["sources"], json!(["capture"]), "{path}");
        assert_eq!((&evidence["agreeing"], &evidence["of"]), (&json!(1), &json!(1)), "{path}");
        let trust = finality["trust"].as_str().unwrap();
        assert!(trust.contains("no node was asked"), "{path}: {trust}");
    }
    let all = world.get("/finality").await.good();
    assert_eq!(all["chains"][0]["evidence_kind"], "recorded");
    // the same chain, of which nodes spoke
    let agreed = World::small(unlimited()).get("/v5/proof/1/2").await.good();
    assert_eq!(agreed["finality"]["evidenceKind"], "node_quorum");
}

/// The header names the root of receipts: it stands in every answer about an entry, whether a receipt
/// is shown, or none, or none is held.
#[tokio::test]
async fn the_root_of_receipts_stands_in_every_answer_about_an_entry() {
    let world = World::small(unlimited());
    let (number, index, hash) = world.eventful(0..32);
    let count = world.block(number).receipts().unwrap().len();
    let (without, transaction) = recorded(false).await;
    for (world, path, has_receipt) in [
        (&world, format!("/v5/proof/tx/1/{hash}"), true),
        (&world, format!("/v5/tx/1/{hash}"), true),
        (&world, format!("/v5/proof/event/1/{number}/{index}/0"), true),
        (&world, format!("/v5/event/1/{hash}/0"), true),
        (&world, format!("/v5/proof/absence/1/{number}/{count}"), false),
        (&without, format!("/v5/proof/tx/1/{transaction}"), false),
        (&without, format!("/v5/tx/1/{transaction}"), false),
        (&without, "/v5/proof/absence/1/1/4000".to_owned(), false),
    ] {
        for level in ["", "?level=2", "?level=3"] {
            let body = world.get(&format!("{path}{level}")).await.good();
            let root = &body["receiptRoot"];
            assert!(root.is_string(), "{path}{level}: {body}");
            assert_eq!(*root, body["block"]["header"]["receiptsRoot"], "{path}{level}");
            assert_eq!(body.get("receipt").is_some(), has_receipt, "{path}{level}");
        }
    }
    let items = json!([
        { "chain": 1, "txHash": transaction },
        { "chain": 1, "block": 1, "txIndex": 4_000, "absent": true },
    ]);
    let batch = without.post("/v5/proof/batch", &json!({ "items": items })).await.good();
    for item in expand_batch(&batch).unwrap() {
        assert!(item["receiptRoot"].is_string(), "{item}");
        assert_eq!(item["receiptRoot"], item["block"]["header"]["receiptsRoot"]);
    }
}

#[tokio::test]
async fn a_batch_verifies_item_by_item_under_one_super_root() {
    let world = World::small(unlimited());
    let (number, index, hash) = world.eventful(0..28);
    let items = json!([
        { "chain": 1, "block": 20 },
        { "chain": "ethereum", "block": "20" },
        { "chain": 1, "txHash": hash },
        { "chain": 1, "txHash": hash, "logIndex": 0 },
        { "chain": 1, "block": number, "txIndex": index, "logIndex": 0 },
        { "chain": 1, "block": number, "txIndex": 4_000, "absent": true },
    ]);
    let older = world.get("/v5/superroot/0").await.good()["superRootHash"].clone();
    let request = json!({ "items": items, "root": older });
    let body = world.post("/v5/proof/batch", &request).await.good();
    assert_eq!(body["v5Anchor"]["superRootHash"], older);
    let expanded = expand_batch(&body).unwrap();
    assert_eq!(expanded.len(), 6);
    let trusted = older.as_str().unwrap().parse().unwrap();
    for item in &expanded {
        let checked = check_json(item, &policy(), Some(&trusted)).unwrap();
        assert_eq!(checked.facts.level, ProofLevel::SuperRoot);
    }
    let single = world.get(&format!("/v5/proof/tx/1/{hash}")).await.bytes.len();
    let many = json!({ "items": vec![json!({ "chain": 1, "txHash": hash }); 20] });
    let shared = world.post("/v5/proof/batch", &many).await;
    assert!(shared.good()["nodes"].as_array().unwrap().len() < 60);
    assert!(shared.bytes.len() < 20 * single);
    assert_eq!(shared.good()["items"][0]["finality"]["status"], "finalized");
    assert!(body["items"][0].get("finality").is_none(), "under a named SuperRoot nothing is live");
}

#[tokio::test]
async fn a_bad_batch_names_its_item() {
    let world = World::small(unlimited());
    let good = json!({ "chain": 1, "block": 20 });
    for (item, parameter) in [
        (json!({ "block": 1 }), "items[1].chain"),
        (json!({ "chain": 1 }), "items[1].block"),
        (json!({ "chain": 1, "block": -1 }), "items[1].block"),
        (json!({ "chain": 1, "block": 1, "txIndex": 4_294_967_296_u64 }), "items[1].txIndex"),
        (json!({ "chain": 1, "txHash": "0x12" }), "items[1].txHash"),
        (json!({ "chain": 1, "block": 1, "blok": 2 }), "items[1].blok"),
        (json!(7), "items[1].item"),
        (json!({ "chain": 1, "block": 1, "txIndex": 0 }), "items[1].logIndex"),
        (json!({ "chain": 1, "block": 1, "txIndex": 9, "absent": "yes" }), "items[1].absent"),
        (json!({ "chain": 1, "txHash": Hash([1; 32]), "block": "latest" }), "items[1].block"),
        (json!({ "chain": 1, "txHash": Hash([1; 32]), "txIndex": -1 }), "items[1].txIndex"),
        (json!({ "chain": 1, "txHash": Hash([1; 32]), "absent": true }), "items[1].absent"),
    ] {
        let body = json!({ "items": [good, item] });
        let problem = world.post("/v5/proof/batch", &body).await.problem(400, "invalid_parameter");
        assert_eq!(problem["parameter"], parameter, "{item}");
    }
    let one_missing = json!({ "items": [good, { "chain": 1, "block": 33 }] });
    let problem = world.post("/v5/proof/batch", &one_missing).await.problem(409, "not_final");
    assert_eq!((&problem["parameter"], &problem["head"]), (&json!("items[1]"), &json!(33)));
    let elsewhere = json!({ "items": [{ "chain": "nowhere", "block": 1 }] });
    let problem = world.post("/v5/proof/batch", &elsewhere).await.problem(404, "unknown_chain");
    assert_eq!(problem["parameter"], "items[0].chain");
    for items in [json!([]), json!(vec![good.clone(); 257]), json!({}), Value::Null] {
        let reply = world.post("/v5/proof/batch", &json!({ "items": items })).await;
        assert_eq!(reply.problem(400, "invalid_parameter")["parameter"], "items");
    }
}

#[tokio::test]
async fn verify_accepts_every_shape_and_reaches_level_5() {
    let world = World::small(unlimited());
    let document = world.get("/openapi.json").await.json();
    for (path, _) in proof_paths(&world, 20, 0..32) {
        let proof = world.get(&path).await.good();
        let answer = world.post("/kv/verify", &json!({ "proof": proof })).await.good();
        assert_eq!(
            (&answer["valid"], &answer["level_reached"]),
            (&json!(true), &json!(5)),
            "{path}: {answer}"
        );
        assert_eq!(answer["anchored"]["known_super_root"], true);
        assert_eq!(answer["anchored"]["sequence"], 1);
        assert_documented(&document, "VerifyAnswer", &answer);
    }
    let blob = world.get("/api/v5/proof/blob/1/20").await.good();
    let alone = json!({ "proof_blob": blob["proof_blob"] });
    assert_eq!(world.post("/kv/verify", &alone).await.good()["valid"], true);
    let cut_off = world.get("/v5/proof/1/20?level=2").await.good();
    let answer = world.post("/kv/verify", &json!({ "proof": cut_off })).await.good();
    assert_eq!((&answer["valid"], &answer["level_reached"]), (&json!(false), &json!(2)));
    assert_eq!(answer["anchored"]["known_super_root"], false);
    let failed = answer["checks"].as_array().unwrap().iter().find(|check| check["ok"] == false);
    assert_eq!(failed.unwrap()["name"], "anchor", "it leads to no SuperRoot");
}

#[tokio::test]
async fn verify_says_which_check_a_false_proof_fails() {
    let world = World::small(unlimited());
    let (number, index, _) = world.eventful(0..32);
    let good = world.get(&format!("/v5/proof/event/1/{number}/{index}/0")).await.good();
    let other = Hash([7; 32]).to_string();
    let mut no_header = world.get("/v5/proof/1/20").await.good();
    no_header.as_object_mut().unwrap().remove("blockHeader");
    let answer = world.post("/kv/verify", &json!({ "proof": no_header })).await.good();
    assert_eq!((&answer["valid"], &answer["level_reached"]), (&json!(false), &Value::Null));
    let bend = |pointer: &str, value: Value| {
        let mut bent = good.clone();
        *bent.pointer_mut(pointer).unwrap_or_else(|| panic!("{pointer}")) = value;
        bent
    };
    for (bent, level, reached) in [
        (bend("/block/twig/siblings/3", json!(other)), json!(3), json!(2)),
        (bend("/block/siblings/0", json!(other)), json!(5), json!(3)),
        (bend("/receiptSiblings/0", json!("0xc0")), json!(1), Value::Null),
        (bend("/event/address", json!(format!("0x{}", "11".repeat(20)))), Value::Null, json!(5)),
        (bend("/v5Anchor/sequence", json!(7)), Value::Null, json!(5)),
    ] {
        assert!(
            check_json(&bent, &policy(), None).is_err_and(|error| CheckError::is_false(&error))
        );
        let answer = world.post("/kv/verify", &json!({ "proof": bent })).await.good();
        assert_eq!(answer["valid"], false, "{answer}");
        let checks = answer["checks"].as_array().unwrap();
        let failed = checks.iter().find(|check| check["ok"] == false).unwrap();
        assert_eq!((&failed["level"], &answer["level_reached"]), (&level, &reached), "{answer}");
    }
}

#[tokio::test]
async fn verify_holds_a_proof_against_what_is_expected() {
    let world = World::small(unlimited());
    let (number, index, _) = world.eventful(0..32);
    let proof = world.get(&format!("/v5/proof/event/1/{number}/{index}/0")).await.good();
    let address = proof["event"]["address"].as_str().unwrap().to_uppercase().replace("0X", "0x");
    let right = json!({
        "chain": "eip155:1", "block": number, "tx_index": index, "log_index": 0,
        "address": address, "topics": proof["event"]["topics"],
        "super_root_hash": proof["superRootHash"],
    });
    let body = json!({ "proof": proof, "expected": right });
    let answer = world.post("/kv/verify", &body).await.good();
    assert_eq!(answer["valid"], true, "{answer}");
    for (name, wrong) in [
        ("chain", json!(10)),
        ("block", json!(number + 1)),
        ("tx_index", json!(index + 1)),
        ("log_index", json!(1)),
        ("address", json!(format!("0x{}", "00".repeat(20)))),
        ("topics", json!([])),
        ("super_root_hash", json!(Hash([1; 32]))),
    ] {
        let body = json!({ "proof": proof, "expected": { name: wrong } });
        let answer = world.post("/kv/verify", &body).await.good();
        assert_eq!(answer["valid"], false, "{name}: {answer}");
    }
}

#[tokio::test]
async fn an_index_past_the_receipt_names_the_one_meant() {
    let world = World::small(unlimited());
    let (number, index, hash) = world.eventful(0..32);
    let count = world.get(&format!("/v5/tx/1/{hash}")).await.good()["receipt"]["logs"]
        .as_array()
        .unwrap()
        .len();
    let path = format!("/v5/proof/event/1/{number}/{index}/{}", count + 1_000);
    let problem = world.get(&path).await.problem(404, "not_found");
    assert_eq!((&problem["log_count"], &problem["meant_log_index"]), (&json!(count), &Value::Null));
    assert_eq!(problem["parameter"], "log_index");
    // a later transaction's log, named by its index over the block, is past its own receipt
    let block = world.block(number);
    let later = (index + 1..block.receipts().unwrap().len() as u32).find(|tx_index| {
        let leaf = &block.receipts().unwrap()[*tx_index as usize];
        let logs = superroot_proof::ledger::evm::Receipt::decode(leaf).unwrap().logs.len();
        logs > 0 && logs <= count
    });
    if let Some(tx_index) = later {
        let body = world.get(&format!("/v5/proof/event/1/{number}/{tx_index}/0")).await.good();
        let in_block = body["event"]["logIndexInBlock"].as_u64().unwrap();
        let path = format!("/v5/proof/event/1/{number}/{tx_index}/{in_block}");
        assert_eq!(world.get(&path).await.problem(404, "not_found")["meant_log_index"], 0);
    }
}

/// What clients of JSON-RPC read of a log stands in the receipt's logs, in their form.
#[tokio::test]
async fn the_logs_of_a_receipt_are_in_the_form_of_json_rpc() {
    let world = World::small(unlimited());
    let (number, index, hash) = world.eventful(0..32);
    let proof = world.get(&format!("/v5/tx/1/{hash}")).await.good();
    let logs = proof["receipt"]["logs"].as_array().unwrap();
    assert!(!logs.is_empty());
    for (at, log) in logs.iter().enumerate() {
        let expected = json!({
            "address": log["address"], "topics": log["topics"], "data": log["data"],
            "logIndex": format!("{at:#x}"), "transactionIndex": format!("{index:#x}"),
            "blockNumber": format!("{number:#x}"), "blockHash": proof["block"]["blockHash"],
            "transactionHash": hash, "removed": false,
        });
        assert_eq!(*log, expected);
    }
    // of an event alone the transaction is the service's word, and called that
    let word = json!("receipt.logs.transactionHash");
    for (path, is_word) in [
        (format!("/v5/proof/event/1/{number}/{index}/0"), true),
        (format!("/v5/event/1/{hash}/0"), false),
    ] {
        let event = world.get(&path).await.good();
        assert_eq!(event["receipt"]["logs"], proof["receipt"]["logs"], "{path}");
        let not_proven = event["notProven"].as_array().unwrap();
        assert_eq!(not_proven.contains(&word), is_word, "{path}: {not_proven:?}");
        check(&event, &newest_hash(&world).await);
        // and so it is by whoever checks, also where the body does not say so
        let mut silent = event.clone();
        silent["notProven"] = json!([]);
        for body in [event, silent] {
            let answer = world.post("/kv/verify", &body).await.good();
            assert_eq!(answer["valid"], true, "{path}");
            let checks = answer["checks"].as_array().unwrap();
            let members = checks.iter().find(|check| check["name"] == "members").unwrap();
            let detail = members["detail"].as_str().unwrap();
            let named = "no member says anything else; not proven: ";
            assert!(detail.starts_with(named), "{path}: {detail}");
            let is_named = detail.contains("receipt.logs.transactionHash");
            assert_eq!(is_named, is_word, "{path}: {detail}");
        }
    }
    // a bent one is found out
    let mut bent = proof.clone();
    bent["receipt"]["logs"][0]["logIndex"] = json!("0x7");
    let answer = world.post("/kv/verify", &json!({ "proof": bent })).await.good();
    assert_eq!(answer["valid"], false, "{answer}");
}

/// The answer of a proof route is checked as it came, in either spelling.
#[tokio::test]
async fn a_proof_is_checked_as_it_came() {
    let world = World::small(unlimited());
    for path in ["/v5/proof/1/7", "/kv/proof/1/7", "/api/v5/proof/blob/1/7"] {
        let proof = world.get(path).await.good();
        let answer = world.post("/kv/verify", &proof).await.good();
        assert_eq!(answer["valid"], true, "{path}: {answer}");
        // what it must be about may stand among its members
        for (block, is_so) in [(7, true), (8, false)] {
            let mut body = proof.clone();
            body["expected"] = json!({ "chain": "ethereum", "block": block });
            let answer = world.post("/kv/verify", &body).await.good();
            assert_eq!(answer["valid"], is_so, "{path}, {block}: {answer}");
        }
    }
    let mut bent = world.get("/v5/proof/1/7").await.good();
    bent["blockNumber"] = json!(8);
    let answer = world.post("/kv/verify", &bent).await.good();
    assert_eq!(answer["valid"], false, "{answer}");
    let problem = world.post("/kv/verify", &json!({ "blockNumber": 7 })).await;
    problem.problem(400, "invalid_parameter");
    // what this route does not check is told, and what does
    let blob = format!("/kv/blob/{}", newest_hash(&world).await);
    for path in [
        blob.as_str(),
        "/v5/superroot/consistency?from=0",
        "/v5/superroot/consistency?from=0&strength=full",
    ] {
        let answer = world.get(path).await.good();
        for body in [answer.clone(), json!({ "proof": answer })] {
            let problem = world.post("/kv/verify", &body).await.problem(400, "invalid_parameter");
            let detail = problem["detail"].as_str().unwrap();
            let said = "a blob, consistency, a scan or a list of events, expected the proof of a block, transaction or event; \
                        `superroot verify` checks the others";
            assert!(detail.contains(said), "{path}: {detail}");
        }
    }
}
