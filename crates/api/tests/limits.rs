//! Laws of limits, keys, request ids, CORS and compression.
#![allow(missing_docs)]

mod support;

use axum::body::Body;
use serde_json::{Value, json};
use superroot_api::Config;
use support::*;

fn limited(keyless_per_minute: u32) -> World {
    let mut settings = Settings::default();
    settings.accounts.limit.keyless_per_minute = keyless_per_minute;
    settings.accounts.limit.failed_keys_per_minute = 0;
    settings.api.trusted_proxies = vec!["10.0.0.0/8".parse().unwrap()];
    World::empty(settings, 0)
}

fn limits(reply: &Reply) -> (u64, u64, u64) {
    let number = |name| reply.header(name).parse().unwrap();
    (number("x-ratelimit-limit"), number("x-ratelimit-remaining"), number("x-ratelimit-reset"))
}

#[tokio::test]
async fn the_limit_of_the_specification_holds_by_default() {
    let world = World::empty(Config::default(), 0);
    let first = world.get("/api/v1/status").await;
    assert_eq!(limits(&first), (100, 99, NOW + 1));
    for _ in 1..100 {
        assert_eq!(world.get("/api/v1/status").await.status.as_u16(), 200);
    }
    let refused = world.get("/api/v1/status").await;
    let problem = refused.problem(429, "rate_limited");
    assert_eq!((refused.header("retry-after"), &problem["retry_after"]), ("1", &json!(1)));
    assert_eq!(limits(&refused), (100, 0, NOW + 60));
    world.clock.advance(1);
    assert_eq!(world.get("/api/v1/status").await.status.as_u16(), 200);
}

#[tokio::test]
async fn every_limited_answer_carries_the_three_headers() {
    let world = limited(1_000);
    for path in [
        "/",
        "/docs",
        "/openapi.json",
        "/v5/superroot",
        "/no/such",
        "/v5/proof/1/x",
        "/signals/arb",
    ] {
        let reply = world.get(path).await;
        assert_eq!(limits(&reply).0, 1_000, "{path}");
        assert!(reply.has("x-request-id"), "{path}");
    }
    let post = world.send(request("POST", "/kv/verify", &[], Body::empty())).await;
    assert_eq!(limits(&post).0, 1_000);
}

#[tokio::test]
async fn health_and_preflights_are_free() {
    let world = limited(1);
    for _ in 0..5 {
        let live = world.get("/health/live").await;
        assert_eq!((live.status.as_u16(), live.has("x-ratelimit-limit")), (200, false));
        let preflight = world.send(request("OPTIONS", "/v5/superroot", &[], Body::empty())).await;
        assert_eq!((preflight.status.as_u16(), preflight.has("x-ratelimit-limit")), (200, false));
    }
    assert_eq!(world.get("/").await.status.as_u16(), 200);
    world.get("/").await.problem(429, "rate_limited");
}

/// The peer's address comes from the socket.
#[tokio::test]
async fn a_served_socket_counts_its_peers_and_ends_when_told() {
    let world = limited(2);
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let (stop, stopped) = tokio::sync::oneshot::channel::<()>();
    let shutdown = async { drop(stopped.await) };
    let served = tokio::spawn(superroot_api::serve(listener, world.api(), shutdown));
    let ask = |from: &'static str| async move {
        let socket = tokio::net::TcpSocket::new_v4().unwrap();
        socket.bind(format!("{from}:0").parse().unwrap()).unwrap();
        let mut stream = socket.connect(address).await.unwrap();
        let request = b"GET /api/v1/status HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n";
        tokio::io::AsyncWriteExt::write_all(&mut stream, request).await.unwrap();
        let mut answer = Vec::new();
        tokio::io::AsyncReadExt::read_to_end(&mut stream, &mut answer).await.unwrap();
        String::from_utf8(answer).unwrap()[9..12].to_owned()
    };
    for expected in ["200", "200", "429"] {
        assert_eq!(ask("127.0.0.1").await, expected);
    }
    assert_eq!(ask("127.0.0.2").await, "200", "another address has its own");
    stop.send(()).unwrap();
    served.await.unwrap().unwrap();
}

#[tokio::test]
async fn zero_turns_limits_off() {
    let world = limited(0);
    for _ in 0..300 {
        let reply = world.get("/api/v1/status").await;
        assert_eq!((reply.status.as_u16(), reply.has("x-ratelimit-limit")), (200, false));
    }
}

#[tokio::test]
async fn clients_are_counted_by_the_address_that_cannot_be_chosen() {
    let world = limited(1);
    let ask = |peer: &'static str, forwarded: &'static str| {
        let request = from_peer(peer, "GET", "/", &[("x-forwarded-for", forwarded)], Body::empty());
        world.send(request)
    };
    assert_eq!(ask("203.0.113.1", "198.51.100.1").await.status.as_u16(), 200);
    // a stranger's header changes nothing
    assert_eq!(ask("203.0.113.1", "198.51.100.2").await.status.as_u16(), 429);
    // behind the proxy each client has its own bucket, whatever it claims further left
    assert_eq!(ask("10.0.0.1", "198.51.100.3").await.status.as_u16(), 200);
    assert_eq!(ask("10.0.0.1", "198.51.100.4").await.status.as_u16(), 200);
    assert_eq!(ask("10.0.0.1", "1.1.1.1, 198.51.100.4").await.status.as_u16(), 429);
    // a /64 is one client
    assert_eq!(ask("2001:db8::1", "x").await.status.as_u16(), 200);
    assert_eq!(ask("2001:db8::2", "x").await.status.as_u16(), 429);
}

#[tokio::test]
async fn any_key_is_unknown_and_counts_against_the_address() {
    let world = limited(5);
    for (count, header) in [
        (4, ("x-api-key", "svc_live_0123")),
        (3, ("x-service-key", "svc_live_0123")),
        (2, ("authorization", "Bearer svc_live_0123")),
    ] {
        let reply = world.get_with("/api/v1/chains", &[header]).await;
        let problem = reply.problem(401, "invalid_api_key");
        assert_eq!(
            reply.header("www-authenticate"),
            "Bearer realm=\"superroot\", error=\"invalid_token\""
        );
        assert_eq!(limits(&reply).1, count);
        assert!(!problem.to_string().contains("svc_live"), "a key is never given back");
    }
    let two = [("x-api-key", "a"), ("x-service-key", "b")];
    world.get_with("/v5/superroot", &two).await.problem(400, "two_keys");
    assert_eq!(world.get("/api/v1/chains").await.status.as_u16(), 200);
    let refused = world.get_with("/api/v1/chains", &[("x-api-key", "a")]).await;
    refused.problem(429, "rate_limited");
}

#[tokio::test]
async fn a_request_id_comes_back_or_is_made() {
    let world = limited(0);
    let sent = world.get_with("/no/such", &[("x-request-id", "trace-7")]).await;
    assert_eq!(sent.header("x-request-id"), "trace-7");
    assert_eq!(sent.problem(404, "unknown_path")["request_id"], "trace-7");
    let unsound = world.get_with("/", &[("x-request-id", "a b")]).await;
    assert_eq!(unsound.header("x-request-id").len(), 32);
    let (one, other) = (world.get("/").await, world.get("/").await);
    assert_ne!(one.header("x-request-id"), other.header("x-request-id"));
}

#[tokio::test]
async fn browsers_from_anywhere_may_read_all_headers_that_matter() {
    let world = limited(100);
    let from = [("origin", "https://example.org")];
    let reply = world.get_with("/v5/superroot", &from).await;
    assert_eq!(reply.header("access-control-allow-origin"), "*");
    assert!(!reply.has("access-control-allow-credentials"));
    let exposed = reply.header("access-control-expose-headers").to_lowercase();
    let limits = ["x-ratelimit-limit", "x-ratelimit-remaining", "x-ratelimit-reset"];
    let others = ["retry-after", "x-request-id", "etag", "www-authenticate", "x-billing-weight"];
    for name in limits.into_iter().chain(others).chain(["ratelimit", "ratelimit-policy"]) {
        assert!(exposed.contains(name), "{name} in {exposed}");
    }
    let asking = [
        ("origin", "https://example.org"),
        ("access-control-request-method", "POST"),
        ("access-control-request-headers", "content-type,x-api-key,authorization"),
    ];
    let preflight = world.send(request("OPTIONS", "/kv/verify", &asking, Body::empty())).await;
    assert_eq!(preflight.status.as_u16(), 200);
    assert!(preflight.has("access-control-allow-methods"));
    let allowed = preflight.header("access-control-allow-headers");
    assert_eq!(allowed, "content-type,x-api-key,authorization");
}

#[tokio::test]
async fn bodies_are_compressed_as_asked_and_tags_tell_codings_apart() {
    let world = World::small(unlimited());
    let path = "/v5/proof/1/20?sequence=1";
    let plain = world.get(path).await;
    for coding in ["gzip", "zstd", "br"] {
        let reply = world.get_with(path, &[("accept-encoding", coding)]).await;
        assert_eq!(reply.header("content-encoding"), coding);
        assert!(reply.bytes.len() < plain.bytes.len(), "{coding}");
        let tag = reply.header("etag").to_owned();
        assert_ne!(tag, plain.header("etag"));
        let known =
            world.get_with(path, &[("accept-encoding", coding), ("if-none-match", &tag)]).await;
        assert_eq!((known.status.as_u16(), known.bytes.len()), (304, 0), "{coding}");
    }
    let gzip = world.get_with(path, &[("accept-encoding", "gzip")]).await;
    let mut inflated = Vec::new();
    let mut decoder = flate2::read::GzDecoder::new(gzip.bytes.as_slice());
    std::io::Read::read_to_end(&mut decoder, &mut inflated).unwrap();
    assert_eq!(inflated, plain.bytes);
}

#[tokio::test]
async fn documents_name_every_route_and_need_nothing_from_elsewhere() {
    let world = limited(0);
    let document: Value = world.get("/openapi.json").await.json();
    assert_eq!(document["openapi"], "3.1.0");
    let own = &document["paths"]["/openapi.json"]["get"]["responses"]["200"]["content"];
    assert_eq!(own, &json!({ "application/json": { "schema": { "type": "object" } } }));
    let docs = world.get("/docs").await;
    assert!(docs.header("content-security-policy").starts_with("default-src 'none'"));
    let page = String::from_utf8(docs.bytes).unwrap();
    for path in document["paths"].as_object().unwrap().keys() {
        assert!(page.contains(path.as_str()), "{path}");
    }
    let index = world.get("/").await;
    assert_eq!(index.header("content-type"), "text/html; charset=utf-8");
    assert!(String::from_utf8(index.bytes).unwrap().contains(ORIGIN));
}

#[tokio::test]
async fn every_route_of_the_specification_is_there() {
    let world = World::small(unlimited());
    let hash = format!("0x{}", "ab".repeat(32));
    let block = "20";
    for path in [
        "/finality/1".to_owned(),
        format!("/finality/1/proof/{block}"),
        "/v5/superroot".to_owned(),
        format!("/v5/proof/1/{block}"),
        "/events/1".to_owned(),
        format!("/v5/proof/tx/1/{hash}"),
        format!("/v5/proof/event/1/{block}/0/0"),
        "/price/1/weth".to_owned(),
        "/signals/launches".to_owned(),
        "/signals/arb".to_owned(),
        format!("/kv/proof/1/{block}"),
        "/kv/super-root/latest".to_owned(),
        format!("/api/finality/1/proof/{block}"),
        format!("/kv/blob/{hash}"),
        format!("/v5/tx/1/{hash}"),
        format!("/v5/event/1/{hash}/0"),
        format!("/api/lambda/proof-bundle/block/1/{block}"),
        format!("/api/v5/proof/blob/1/{block}"),
        "/search-api/v5/gas".to_owned(),
        "/api/v1/usage".to_owned(),
        "/api/v1/verify".to_owned(),
    ] {
        let reply = world.get(&path).await;
        let code = reply.json()["code"].clone();
        assert!(code != "unknown_path" && code != "method_not_allowed", "{path}: {code}");
    }
    for path in ["/bloom/query", "/kv/verify", "/api/v1/register", "/v5/proof/batch"] {
        let code = world.post(path, &json!({})).await.json()["code"].clone();
        assert!(code != "unknown_path" && code != "method_not_allowed", "{path}: {code}");
    }
}
