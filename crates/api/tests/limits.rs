//! Laws of limits, keys, request ids, CORS and compression.

use crate::support;

use axum::body::Body;
use serde_json::json;
use superroot_api::ApiConfig;
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
    let world = World::empty(ApiConfig::default(), 0);
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

/// Whoever follows the log reads all of its full tiles; one that is not full has 255 widths, and counts as a proof does.
#[tokio::test]
async fn full_tiles_and_blobs_have_a_limit_of_their_own() {
    let world = limited(3);
    for _ in 0..300 {
        assert_ne!(world.get("/v5/tile/0/000").await.status.as_u16(), 429);
    }
    world.get("/v5/tile/entries/000").await.problem(429, "rate_limited");
    assert_eq!(
        world.get("/v5/tile/0/000").await.header("ratelimit-policy"),
        "\"files\";q=300;w=60"
    );
    let others = world.get("/v5/tile/0/000.p/1").await;
    assert_eq!(limits(&others).1, 2, "the limit of others is untouched");
    assert_eq!(others.header("ratelimit-policy"), "\"keyless\";q=3;w=60");
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

/// The items of a batch count as that many requests. Where there is no room for all of them, none but the
/// request itself is counted.
#[tokio::test]
async fn a_batch_takes_a_request_of_the_limit_for_each_item() {
    let mut settings = Settings::default();
    settings.accounts.limit.keyless_per_minute = 20;
    let world = World::small(settings);
    let batch = |count: usize| json!({ "items": vec![json!({ "chain": 1, "block": 20 }); count] });
    let ask = async |count: usize| world.post("/v5/proof/batch", &batch(count)).await;
    let left = async || limits(&world.get("/v5/superroot").await).1;
    assert_eq!(left().await, 19);
    let five = ask(5).await;
    assert_eq!(five.good()["items"].as_array().unwrap().len(), 5);
    assert_eq!(limits(&five).1, 19 - 5, "its own headers count them too");
    assert!(five.header("ratelimit").starts_with("\"keyless\";r=14;t="));
    assert_eq!(left().await, 19 - 5 - 1);
    let refused = ask(14).await;
    let problem = refused.problem(429, "rate_limited");
    let detail = "14 items count as 14 requests: of 20 a minute 12 are left";
    assert_eq!((&problem["detail"], &problem["limit"]), (&json!(detail), &json!(20)));
    assert_eq!((refused.header("retry-after"), refused.header("x-billing-weight")), ("6", "0"));
    assert_eq!(limits(&refused).1, 12, "the items took nothing");
    assert_eq!(left().await, 11);
    // what no minute has room for is not to be waited for
    assert_eq!(ask(21).await.problem(400, "invalid_parameter")["parameter"], "items");
    assert_eq!(left().await, 9);
    assert_eq!(limits(&ask(9).await).1, 0);
    world.get("/v5/superroot").await.problem(429, "rate_limited");
    // an account that pays has a limit of its own
    let key = world.key_of_tier(superroot_account::Tier::Builder);
    let left = async || limits(&world.ask(&key, "GET", "/v5/superroot", None).await).1;
    assert_eq!(left().await, 999);
    let thirty = world.ask(&key, "POST", "/v5/proof/batch", Some(&batch(30))).await;
    assert_eq!(limits(&thirty).1, 999 - 30);
    assert!(thirty.header("ratelimit").starts_with("\"builder\";r=969;t="));
    assert_eq!(left().await, 999 - 30 - 1);
}

/// A body counts as a request, and as one more for each whole 64 KiB of it.
#[tokio::test]
async fn a_body_weighs_by_its_size() {
    let mut settings = Settings::default();
    settings.accounts.limit.keyless_per_minute = 20;
    let world = World::small(settings);
    for (length, left) in [(0, 19), (65_535, 18), (65_536, 16), (1 << 20, 0)] {
        let headers =
            [("content-type", "application/json"), ("content-length", &length.to_string())];
        let body = Body::from(vec![b' '; length]);
        let reply = world.send(request("POST", "/kv/verify", &headers, body)).await;
        assert_eq!(limits(&reply).1, left, "{length}");
    }
    // routes of keys, which count for themselves, as well
    let key = world.key_of_tier(superroot_account::Tier::Builder);
    let headers = [
        ("x-api-key", key.as_str()),
        ("content-type", "application/json"),
        ("content-length", "655360"),
    ];
    let body = Body::from(vec![b' '; 655_360]);
    let reply = world.send(request("POST", "/api/v1/keys", &headers, body)).await;
    assert_eq!((limits(&reply).0, limits(&reply).1), (60, 49));
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
        assert_eq!(known.header("etag"), tag, "as the 200 had it");
        let varies = |reply: &Reply| {
            let mut each = reply.headers.get_all("vary").iter();
            each.any(|names| names.to_str().unwrap().contains("accept-encoding"))
        };
        assert!(varies(&reply) && varies(&known), "{coding}");
    }
    let gzip = world.get_with(path, &[("accept-encoding", "gzip")]).await;
    let mut inflated = Vec::new();
    let mut decoder = flate2::read::GzDecoder::new(gzip.bytes.as_slice());
    std::io::Read::read_to_end(&mut decoder, &mut inflated).unwrap();
    assert_eq!(inflated, plain.bytes);
}
