//! The page at `/` and its files, where a hash stands, and proofs as files.

use crate::support;

use axum::body::Body;
use serde_json::{Value, json};
use superroot_account::Tier;
use superroot_proof::bundle::{Bundle, Policy, verify_anchored};
use superroot_types::Hash;
use support::*;

#[tokio::test]
async fn the_page_and_its_files_have_a_strict_policy_and_are_not_sent_twice() {
    let world = World::small(unlimited());
    for (path, media_type) in [
        ("/", "text/html; charset=utf-8"),
        ("/web/page.js", "text/javascript; charset=utf-8"),
        ("/web/chains.js", "text/javascript; charset=utf-8"),
        ("/web/page.css", "text/css; charset=utf-8"),
    ] {
        let reply = world.get(path).await;
        assert_eq!(reply.status, 200, "{path}");
        assert_eq!(reply.header("content-type"), media_type, "{path}");
        let policy = reply.header("content-security-policy");
        assert!(
            policy.contains("default-src 'none'; script-src 'self'; style-src 'self';"),
            "{policy}"
        );
        assert!(!policy.contains("unsafe"), "{policy}");
        let tag = reply.header("etag").to_owned();
        assert!(tag.len() > 30, "{path}: {tag}");
        let again = world.get_with(path, &[("if-none-match", &tag)]).await;
        assert_eq!((again.status.as_u16(), again.bytes.len()), (304, 0), "{path}");
        assert_eq!(again.header("etag"), tag);
        let head = world.send(request("HEAD", path, &[], Body::empty())).await;
        assert_eq!((head.status.as_u16(), head.bytes.len()), (200, 0), "{path}");
    }
    let page = String::from_utf8(world.get("/").await.bytes).unwrap();
    let script = page.split('"').find(|text| text.ends_with("/page.js")).unwrap();
    let reply = world.get(script).await;
    assert_eq!(reply.status, 200, "{script}");
    assert!(reply.header("cache-control").contains("immutable"), "{script}");
    assert_eq!(world.get("/web/page.js").await.header("cache-control"), "no-cache");
    let other = script.replace(&script[5..21], "0123456789abcdef");
    for path in [&other, "/web/nothing.js", "/web/..%2Fmod.rs", "/web/index.html"] {
        world.get(path).await.problem(404, "unknown_path");
    }
}

/// What is the same for everybody is compressed once for all, and not sent to who has it.
#[tokio::test]
async fn documents_and_the_page_to_try_them_are_not_sent_twice() {
    let world = World::small(unlimited());
    for path in [
        "/openapi.json",
        "/asyncapi.json",
        "/docs",
        "/docs/openapi-with-examples.json",
        "/docs/try",
        "/docs/start.js",
        "/docs/swagger-ui.css",
        "/docs/swagger-ui-bundle.js",
    ] {
        let reply = world.get_with(path, &[("accept-encoding", "zstd")]).await;
        assert_eq!(
            (reply.status.as_u16(), reply.header("content-encoding")),
            (200, "zstd"),
            "{path}"
        );
        let tag = reply.header("etag").to_owned();
        assert!(tag.ends_with("-zstd\""), "{path}: {tag}");
        let again = world.get_with(path, &[("if-none-match", &tag)]).await;
        assert_eq!((again.status.as_u16(), again.bytes.len()), (304, 0), "{path}");
        assert_eq!(again.header("etag"), tag);
    }
}

#[tokio::test]
async fn a_slash_behind_a_page_of_documents_leads_to_it() {
    let world = World::small(unlimited());
    for (path, page) in [("/docs/", "/docs"), ("/docs/try/", "/docs/try")] {
        let reply = world.get(path).await;
        assert_eq!((reply.status.as_u16(), reply.header("location")), (308, page));
        assert_eq!(world.get(page).await.status, 200);
    }
    world.get("/docs//").await.problem(404, "unknown_path");
}

#[tokio::test]
async fn a_hash_is_found_where_it_stands() {
    let world = World::small(unlimited());
    let (number, tx_index, transaction) = world.eventful(5..20);
    let found = world.get(&format!("/v5/find/{transaction}")).await.good();
    assert_documented(&world.get("/openapi.json").await.json(), "Found", &found);
    let expected = json!([{
        "kind": "transaction", "chainId": 1, "chainName": "Ethereum", "blockNumber": number,
        "transactionIndex": tx_index, "sequence": null,
        "proofUrl": format!("/v5/proof/tx/1/{transaction}"),
    }]);
    assert_eq!((&found["matches"], &found["more"]), (&expected, &json!(false)));
    assert_eq!(found["query"], transaction);
    let proof = world.get(found["matches"][0]["proofUrl"].as_str().unwrap()).await.good();
    assert_eq!(proof["transactionHash"], transaction);
    // the place by its name, and another one
    let at = |place: String| format!("/v5/proof/tx/1/{transaction}{place}");
    let named = world.get(&at(format!("?block={number}&tx_index={tx_index}"))).await.good();
    assert_eq!(named["rawTransaction"], proof["rawTransaction"]);
    for place in [format!("?block={}", number + 1), format!("?tx_index={}", tx_index + 1)] {
        let problem = world.get(&at(place)).await.problem(404, "not_indexed");
        assert!(problem["detail"].as_str().unwrap().contains(&transaction), "{problem}");
    }
    world.get(&at("?block=latest".into())).await.problem(400, "invalid_parameter");
    let above = format!("/v5/find/{transaction}?from={}", number + 1);
    world.get(&above).await.problem(404, "not_found");

    // final or not: whether it has a proof yet, says its proof
    for number in [7, 33] {
        let hash = world.block(number).hash();
        let found = world.get(&format!("/v5/find/{hash}")).await.good();
        assert_eq!(found["matches"][0]["kind"], "block");
        assert_eq!(found["matches"][0]["blockNumber"], number);
    }
    let newest = world.get("/v5/superroot").await.good();
    let hash = newest["superRootHash"].as_str().unwrap();
    let found = world.get(&format!("/v5/find/{hash}")).await.good();
    assert_eq!(found["matches"][0]["kind"], "superRoot");
    assert_eq!(found["matches"][0]["chainId"], Value::Null);
    let page = world.get(found["matches"][0]["proofUrl"].as_str().unwrap()).await.good();
    assert_eq!(page["superRootHash"], hash);
}

/// Hashes of the newest blocks are kept in memory, and go on with the chain.
#[tokio::test]
async fn a_block_is_found_as_soon_as_it_is_held() {
    let world = World::small(unlimited());
    let new = world.block(39).hash();
    world.get(&format!("/v5/find/{new}")).await.problem(404, "not_found");
    world.extend(34..40, false);
    for number in [39, 34, 33, 7] {
        let hash = world.block(number).hash();
        let found = world.get(&format!("/v5/find/{hash}")).await.good();
        assert_eq!(found["matches"][0]["blockNumber"], number);
    }
    world.extend(40..600, false);
    let left = world.block(7).hash();
    world.get(&format!("/v5/find/{left}")).await.problem(404, "not_found");
    let hash = world.block(599).hash();
    let found = world.get(&format!("/v5/find/{hash}")).await.good();
    assert_eq!(found["matches"][0]["blockNumber"], 599);
}

#[tokio::test]
async fn what_is_nowhere_says_how_far_each_chain_is_held() {
    let world = World::small(unlimited());
    let nowhere = Hash([0x12; 32]).to_string();
    let problem = world.get(&format!("/v5/find/{nowhere}")).await.problem(404, "not_found");
    let detail = problem["detail"].as_str().unwrap();
    assert!(detail.contains("Ethereum 0 to 32"), "{detail}");
    for malformed in ["0x12", "latest", &nowhere[..65], &format!("{nowhere}0"), "%00"] {
        let path = format!("/v5/find/{malformed}");
        let problem = world.get(&path).await.problem(400, "invalid_parameter");
        assert_eq!(problem["parameter"], "hash", "{malformed}");
    }
}

/// A key is shown nothing of chains outside its scope.
#[tokio::test]
async fn a_key_finds_nothing_outside_its_scope() {
    let world = World::small(unlimited());
    let key = world.key_of_tier(Tier::Builder);
    let body = json!({ "label": "base alone", "chains": [8453] });
    let made = world.ask(&key, "POST", "/api/v1/keys", Some(&body)).await.created();
    let scoped = made["api_key"].as_str().unwrap();
    let (_, _, transaction) = world.eventful(5..20);
    let path = format!("/v5/find/{transaction}");
    assert_eq!(world.ask(&key, "GET", &path, None).await.status, 200);
    let problem = world.ask(scoped, "GET", &path, None).await.problem(404, "not_found");
    assert!(!problem["detail"].as_str().unwrap().contains("Ethereum"), "{problem}");
}

#[tokio::test]
async fn a_proof_is_a_file_for_those_who_accept_one() {
    let world = World::small(unlimited());
    let (number, index, transaction) = world.eventful(5..20);
    let newest = world.get("/v5/superroot").await.good();
    let trusted: Hash = newest["superRootHash"].as_str().unwrap().parse().unwrap();
    let policy = Policy::strict(superroot_chain::ChainRegistry::builtin().proof_registry());
    let file = [("accept", "application/octet-stream")];
    for path in [
        format!("/v5/proof/1/{number}"),
        format!("/v5/proof/tx/1/{transaction}"),
        format!("/v5/tx/ethereum/{transaction}?note=1"),
        format!("/v5/proof/event/1/{number}/{index}/0"),
        format!("/v5/event/1/{transaction}/0"),
        format!("/v5/proof/absence/1/{number}/4000"),
    ] {
        let reply = world.get_with(&path, &file).await;
        assert_eq!(reply.status, 200, "{path}");
        assert_eq!(reply.header("content-type"), "application/octet-stream");
        let facts = verify_anchored(&Bundle::decode(&reply.bytes).unwrap(), &policy, &trusted);
        assert_eq!(facts.unwrap().note.is_some(), path.contains("note=1"), "{path}");
        world.get(&path).await.good();
    }
    // what never changes is kept on the way, one form apart from the other
    let path = format!("/v5/proof/1/{number}?sequence=0");
    let (bytes, json) = (world.get_with(&path, &file).await, world.get(&path).await);
    assert_ne!(bytes.header("etag"), json.header("etag"));
    for reply in [bytes, json] {
        let vary: Vec<_> =
            reply.headers.get_all("vary").iter().map(|one| one.to_str().unwrap()).collect();
        assert!(vary.contains(&"accept"), "{vary:?}");
        assert!(reply.header("cache-control").contains("immutable"));
    }
    // no other shape has a file, and a refusal is a problem
    world.get_with(&format!("/kv/proof/1/{number}"), &file).await.good();
    world.get_with("/v5/proof/1/5000", &file).await.problem(409, "not_yet_anchored");
}
