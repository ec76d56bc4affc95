//! Requests that are too large in any part are told so, with the limits of whoever sent them.

use crate::support;

use axum::body::Body;
use axum::http::Request;
use superroot_api::ApiConfig;
use support::*;

const URI_BYTES_MAX: usize = 8_192;
const HEADERS_MAX: usize = 64;
const HEADER_BYTES_MAX: usize = 8_192;

/// A request to the page of documents, which takes any query.
fn long(bytes: usize) -> Request<Body> {
    request("GET", &format!("/docs?{}", "x".repeat(bytes - "/docs?".len())), &[], Body::empty())
}

/// That many header fields of one byte each, beside their names of five.
fn many(count: usize) -> Request<Body> {
    let names: Vec<_> = (0..count).map(|number| format!("x-{number:03}")).collect();
    let headers: Vec<_> = names.iter().map(|name| (name.as_str(), "1")).collect();
    request("GET", "/docs", &headers, Body::empty())
}

/// One header field of that many bytes, its name counted.
fn large(bytes: usize) -> Request<Body> {
    let value = "v".repeat(bytes - "cookie".len());
    request("GET", "/docs", &[("cookie", &value)], Body::empty())
}

#[tokio::test]
async fn each_size_has_a_bound_and_the_bound_itself_is_let_in() {
    let world = World::empty(ApiConfig::default(), 0);
    let mut left = 100;
    for (most, past, status, code) in [
        (long(URI_BYTES_MAX), long(URI_BYTES_MAX + 1), 414, "uri_too_long"),
        (many(HEADERS_MAX), many(HEADERS_MAX + 1), 431, "headers_too_large"),
        (large(HEADER_BYTES_MAX), large(HEADER_BYTES_MAX + 1), 431, "headers_too_large"),
    ] {
        assert_eq!(world.send(most).await.status.as_u16(), 200, "{code}");
        let refused = world.send(past).await;
        let problem = refused.problem(status, code);
        assert_eq!(problem["retryable"], false);
        left -= 2;
        assert_eq!(refused.header("x-ratelimit-remaining"), left.to_string(), "it counts");
        assert_eq!(refused.header("x-billing-weight"), "0");
        assert!(refused.has("ratelimit") && refused.has("x-request-id"), "{code}");
    }
}

/// What a search may name fits into its query, also where commas are written as `%2C`.
#[tokio::test]
async fn a_hundred_topics_fit_into_a_query() {
    let world = World::small(unlimited());
    world.tell();
    let key = world.key_of_tier(superroot_account::Tier::Builder);
    for (comma, count, status) in [(",", 100, 200), ("%2C", 100, 200), (",", 101, 400)] {
        let topics: Vec<_> = (0..count).map(|topic| format!("0x{topic:064x}")).collect();
        let path = format!("/v5/logs?chain=1&topic0={}", topics.join(comma));
        let reply = world.get_with(&path, &[("x-api-key", &key)]).await;
        assert_eq!(reply.status.as_u16(), status, "{comma} {count}");
    }
}

#[tokio::test]
async fn a_used_up_limit_and_a_bad_key_answer_before_a_size() {
    let mut settings = Settings::default();
    settings.accounts.limit.keyless_per_minute = 1;
    let world = World::empty(settings, 0);
    world.send(many(HEADERS_MAX + 1)).await.problem(431, "headers_too_large");
    world.send(many(HEADERS_MAX + 1)).await.problem(429, "rate_limited");
    let world = World::empty(ApiConfig::default(), 0);
    let mut request = long(URI_BYTES_MAX + 1);
    request.headers_mut().insert("x-api-key", "none".parse().unwrap());
    world.send(request).await.problem(401, "invalid_api_key");
}

/// What the HTTP library refuses never reaches the gate: `docs/accounts.md` says which that is.
#[tokio::test]
async fn at_the_socket_only_what_is_no_request_or_far_too_large_has_a_bare_answer() {
    let world = World::empty(ApiConfig::default(), 0);
    let address = world.listen().await;
    let fields = |count: usize| "a: 1\r\n".repeat(count);
    let rest = "Host: x\r\nConnection: close\r\n";
    let path = |bytes: usize| "x".repeat(bytes);
    for (request, status, is_ours) in [
        (format!("GET /docs HTTP/1.1\r\n{rest}{}\r\n", fields(80)), 431, true),
        (format!("GET /docs HTTP/1.1\r\n{rest}{}\r\n", fields(200)), 431, false),
        (format!("GET /{} HTTP/1.1\r\n{rest}\r\n", path(9_000)), 414, true),
        (format!("GET /{} HTTP/1.1\r\n{rest}\r\n", path(65_000)), 414, true),
        (format!("GET /{} HTTP/1.1\r\n{rest}\r\n", path(70_000)), 414, false),
        (format!("GET /docs HTTP/1.1\r\n{rest}Cookie: {}\r\n\r\n", path(100_000)), 431, true),
        (format!("GET / docs HTTP/1.1\r\n{rest}\r\n"), 400, false),
    ] {
        let answer = exchange(address, request.clone().into_bytes()).await;
        let (head, body) = answer.split_once("\r\n\r\n").unwrap();
        let said = format!("{} bytes: {head}", request.len());
        assert!(head.starts_with(&format!("HTTP/1.1 {status} ")), "{said}");
        assert_eq!(head.contains("application/problem+json"), is_ours, "{said}");
        assert_eq!(head.contains("x-ratelimit-remaining: "), is_ours, "{said}");
        assert_eq!(body.is_empty(), !is_ours, "{said}");
    }
}
