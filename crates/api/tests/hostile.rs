//! Every bad request is told apart and answered as a problem, never with a 500.

use crate::support;

use std::convert::Infallible;

use axum::body::Body;
use futures_util::stream;
use proptest::prelude::*;
use serde_json::json;
use support::*;

#[tokio::test]
async fn every_bad_path_has_its_code() {
    let world = World::small(unlimited());
    let builder = world.key_of_tier(superroot_account::Tier::Builder);
    let hash = format!("0x{}", "ab".repeat(32));
    let short = format!("0x{}", "ab".repeat(31));
    for (path, status, code, parameter) in [
        ("/v5/proof/999999/1".to_owned(), 404, "unknown_chain", "chain"),
        ("/v5/proof/nowhere/1".to_owned(), 404, "unknown_chain", "chain"),
        ("/v5/proof/-1/1".to_owned(), 400, "invalid_parameter", "chain"),
        ("/v5/proof/18446744073709551616/1".to_owned(), 400, "invalid_parameter", "chain"),
        ("/v5/proof/1/9999999".to_owned(), 409, "not_yet_anchored", ""),
        ("/v5/proof/1/-1".to_owned(), 400, "invalid_parameter", "block"),
        ("/v5/proof/1/007".to_owned(), 400, "invalid_parameter", "block"),
        ("/v5/proof/01/7".to_owned(), 400, "invalid_parameter", "chain"),
        ("/v5/proof/event/1/20/00/0".to_owned(), 400, "invalid_parameter", "tx_index"),
        ("/v5/superroot/00".to_owned(), 400, "invalid_parameter", "sequence"),
        ("/v5/proof/1/0x10".to_owned(), 400, "invalid_parameter", "block"),
        ("/v5/proof/1/1.5".to_owned(), 400, "invalid_parameter", "block"),
        ("/v5/proof/1/9007199254740992".to_owned(), 400, "invalid_parameter", "block"),
        ("/v5/proof/1/18446744073709551616".to_owned(), 400, "invalid_parameter", "block"),
        ("/v5/proof/1/%ff".to_owned(), 400, "invalid_parameter", "block"),
        ("/v5/proof/%ff/1".to_owned(), 400, "invalid_parameter", "chain"),
        ("/v5/proof/1/20?level=6".to_owned(), 400, "invalid_parameter", "level"),
        ("/v5/proof/1/20?sequence=-1".to_owned(), 400, "invalid_parameter", "sequence"),
        ("/v5/proof/1/20?root=0x12".to_owned(), 400, "invalid_parameter", "root"),
        (format!("/v5/proof/1/20?sequence=0&root={hash}"), 400, "invalid_parameter", "sequence"),
        ("/v5/proof/1/20?level=2&level=3".to_owned(), 400, "invalid_parameter", "level"),
        (format!("/v5/proof/tx/1/{short}"), 400, "invalid_parameter", "tx_hash"),
        (format!("/v5/tx/1/{}", &hash[2..]), 400, "invalid_parameter", "hash"),
        (format!("/v5/tx/1/{hash}"), 404, "not_indexed", ""),
        (format!("/v5/event/1/{hash}/4294967296"), 400, "invalid_parameter", "log_index"),
        ("/v5/proof/event/1/20/-1/0".to_owned(), 400, "invalid_parameter", "tx_index"),
        ("/v5/proof/event/1/20/4000000000/0".to_owned(), 404, "not_found", ""),
        ("/v5/proof/absence/1/1/0".to_owned(), 404, "not_provable", ""),
        (format!("/kv/blob/{short}"), 400, "invalid_parameter", "superroot_hash"),
        ("/v5/superroot/x".to_owned(), 400, "invalid_parameter", "sequence"),
        ("/v5/nothing".to_owned(), 404, "unknown_path", ""),
        ("/v5/proof/1/20/".to_owned(), 404, "unknown_path", ""),
        ("//".to_owned(), 404, "unknown_path", ""),
        ("/events/1".to_owned(), 404, "not_found", ""),
        ("/events/0x12".to_owned(), 400, "invalid_parameter", "order_id"),
        (format!("/events/a:{}", "b".repeat(300)), 400, "invalid_parameter", "order_id"),
        ("/events/across:".to_owned(), 400, "invalid_parameter", "order_id"),
        ("/v5/proof/bitcoin/1".to_owned(), 503, "chain_unavailable", ""),
        ("/finality/nowhere".to_owned(), 404, "unknown_chain", "chain_id"),
        ("/finality/21000000".to_owned(), 503, "chain_unavailable", ""),
    ] {
        let key = [("x-api-key", builder.as_str())];
        let headers = if path.starts_with("/events/") { &key[..] } else { &[] };
        let problem = world.get_with(&path, headers).await.problem(status, code);
        if !parameter.is_empty() {
            assert_eq!(problem["parameter"], parameter, "{path}");
        }
        let detail = problem["detail"].as_str().unwrap();
        assert!(!detail.is_empty() && detail.len() < 400, "{path}: {detail}");
    }
}

#[tokio::test]
async fn a_chain_that_is_not_followed_is_not_to_be_asked_again() {
    let world = World::small(unlimited());
    let reply = world.get("/kv/proof/icp/1").await;
    let problem = reply.problem(503, "chain_unavailable");
    assert_eq!((&problem["retryable"], reply.has("retry-after")), (&json!(false), false));
    assert_eq!(problem["v5_anchor"]["chain_id"], 223);
}

#[tokio::test]
async fn what_was_not_recorded_says_how_far_was_checked() {
    let world = World::sealed(unlimited());
    let below = world.get("/v5/proof/1/2000").await.problem(404, "not_found");
    assert_eq!(below["checked_to"], 2050);
    let transaction = format!("/v5/tx/1/0x{}", "ab".repeat(32));
    let problem = world.get(&transaction).await.problem(404, "not_indexed");
    assert_eq!(problem["scanned"]["to"], 2050);
}

#[tokio::test]
async fn a_block_before_the_first_of_the_log_is_not_indexed() {
    let mut world = World::empty(unlimited(), 2040);
    world.extend(2048..2051, true);
    world.step(100);
    let problem = world.get("/kv/proof/1/5").await.problem(404, "not_indexed");
    assert_eq!(problem["scanned"], json!({ "from": 2048, "to": 2050 }));
    assert!(problem["detail"].as_str().unwrap().contains("before 2048"), "{problem}");
}

#[tokio::test]
async fn other_methods_are_405_and_name_what_is_allowed() {
    let world = World::small(unlimited());
    for (method, path, allowed) in [
        ("POST", "/v5/superroot", "GET,HEAD"),
        ("DELETE", "/v5/proof/1/20", "GET,HEAD"),
        ("GET", "/kv/verify", "POST"),
        ("PUT", "/v5/proof/batch", "POST"),
        ("BREW", "/", "GET,HEAD"),
    ] {
        let reply = world.send(request(method, path, &[], Body::empty())).await;
        reply.problem(405, "method_not_allowed");
        assert_eq!(reply.header("allow"), allowed, "{method} {path}");
    }
    let head = world.send(request("HEAD", "/v5/superroot", &[], Body::empty())).await;
    assert_eq!((head.status.as_u16(), head.bytes.len()), (200, 0));
}

#[tokio::test]
async fn bodies_are_bounded_typed_and_whole() {
    let world = World::small(unlimited());
    let builder = world.key_of_tier(superroot_account::Tier::Builder);
    let json_type = [("content-type", "application/json")];
    let large = vec![b' '; 2 << 20];
    for path in ["/kv/verify", "/v5/proof/batch", "/bloom/query"] {
        let length = large.len().to_string();
        let key = ("x-api-key", builder.as_str());
        let headers = [json_type[0], ("content-length", &length), key];
        let reply = world.send(request("POST", path, &headers, Body::from(large.clone()))).await;
        reply.problem(413, "body_too_large");
    }
    // few bytes can be many values
    let values = format!(r#"{{"proof":[{}0]}}"#, "0,".repeat(20_000));
    let reply = world.send(request("POST", "/kv/verify", &json_type, Body::from(values))).await;
    let problem = reply.problem(400, "invalid_parameter");
    let detail = problem["detail"].as_str().unwrap();
    assert!(detail.contains("not JSON that is read here: more than 16384 values"), "{problem}");
    // where no length is told, the body itself is counted, and may be of 64 KiB
    let untold = |bytes: Vec<u8>| {
        let body = Body::from_stream(stream::iter([Ok::<_, Infallible>(bytes)]));
        request("POST", "/kv/verify", &json_type, body)
    };
    let problem =
        world.send(untold(vec![b' '; (64 << 10) + 1])).await.problem(413, "body_too_large");
    let detail = problem["detail"].as_str().unwrap();
    assert!(detail.contains("Content-Length; with one it may have 1048576"), "{problem}");
    world.send(untold(vec![b' '; 64 << 10])).await.problem(400, "invalid_parameter");
    for headers in
        [&[][..], &[("content-type", "text/plain")], &[("content-type", "application/jsonp")]]
    {
        let reply = world.send(request("POST", "/kv/verify", headers, Body::from("{}"))).await;
        reply.problem(415, "unsupported_media_type");
    }
    let with_charset = [("content-type", "Application/JSON; charset=utf-8")];
    for body in ["", "{", "[]", "7", "\u{feff}{}", "{\"proof\":1,\"proof\":2}", "{}"] {
        let reply =
            world.send(request("POST", "/kv/verify", &with_charset, Body::from(body))).await;
        reply.problem(400, "invalid_parameter");
    }
}

#[tokio::test]
async fn what_is_no_proof_is_400_and_names_the_member() {
    let world = World::small(unlimited());
    let good = world.get("/v5/proof/1/20").await.good();
    let mut short_path = good.clone();
    short_path["twig"]["siblings"].as_array_mut().unwrap().pop();
    let mut odd_hex = good.clone();
    odd_hex["blockHash"] = json!("0x123");
    for (proof, member) in [
        (short_path, "twig.siblings"),
        (odd_hex, "blockHash"),
        (json!({}), "chain"),
        (json!(null), ""),
        (json!("0x00"), ""),
        (json!({ "proof_blob": "0x00" }), "proof_blob"),
    ] {
        let reply = world.post("/kv/verify", &json!({ "proof": proof })).await;
        let problem = reply.problem(400, "invalid_parameter");
        assert_eq!(problem["parameter"], "proof");
        assert!(problem["detail"].as_str().unwrap().contains(member), "{member}: {problem}");
    }
    for body in [json!({}), json!({ "proof": {}, "proof_blob": "0x" })] {
        world.post("/kv/verify", &body).await.problem(400, "invalid_parameter");
    }
    let expecting = json!({ "proof": good, "expected": { "colour": "red" } });
    world.post("/kv/verify", &expecting).await.problem(400, "invalid_parameter");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    /// Whatever stands in a path: a known status, never a 500, always a problem or an answer.
    #[test]
    fn any_path_is_answered_in_form(parts in proptest::collection::vec("[ -~]{0,30}", 1..6), which: usize) {
        let routes = [
            "/v5/proof/",
            "/v5/proof/tx/",
            "/kv/proof/",
            "/finality/",
            "/v5/event/",
            "/api/v1/coverage/",
            "/api/v1/coverage/1?limit=",
            "/api/v1/coverage/1?cursor=",
            "/",
        ];
        let escape = |part: &String| {
            part.bytes().map(|byte| format!("%{byte:02x}")).collect::<String>()
        };
        let escaped: Vec<_> = parts.iter().map(escape).collect();
        let path = format!("{}{}", routes[which % routes.len()], escaped.join("/"));
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(async {
            thread_local!(static WORLD: World = World::empty(unlimited(), 0));
            let router = WORLD.with(|world| world.router.clone());
            let request = request("GET", &path, &[], Body::empty());
            let response = tower::ServiceExt::oneshot(router, request).await.unwrap();
            let status = response.status().as_u16();
            assert!([200, 400, 404, 405, 503].contains(&status), "{path}: {status}");
            if status != 200 {
                assert_eq!(response.headers()["content-type"], "application/problem+json");
            }
        });
    }
}
