//! Bodies that are refused: their sender gets to read why, whatever it sends, and for how long.

use crate::support;

use std::time::{Duration, Instant};

use support::*;

fn head(path: &str, headers: &str) -> String {
    format!("POST {path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n{headers}\r\n")
}

/// More than the buffers between two sockets hold.
const LARGE: usize = 7 << 20;

#[tokio::test(flavor = "multi_thread")]
async fn who_sends_a_large_body_reads_why_it_is_refused() {
    let world = World::small(unlimited());
    let address = world.listen().await;
    let json = "Content-Type: application/json\r\n";
    let body = vec![b' '; LARGE];
    let whole = [format!("{LARGE:x}\r\n").as_bytes(), &body, b"\r\n0\r\n\r\n"].concat();
    let told = format!("Content-Length: {LARGE}\r\n");
    let chunked = "Transfer-Encoding: chunked\r\n";
    for (headers, body, status) in [
        (format!("{json}{told}"), &body, 413),
        (format!("{json}{chunked}"), &whole, 413),
        (chunked.to_owned(), &whole, 415),
        (format!("{json}{told}X-API-Key: a\r\nX-Service-Key: b\r\n"), &body, 400),
    ] {
        let head = head("/kv/verify", &headers);
        let answer = exchange(address, [head.as_bytes(), body].concat()).await;
        assert!(answer.starts_with(&format!("HTTP/1.1 {status} ")), "{headers}: {answer}");
        assert!(answer.contains("application/problem+json"), "{headers}: {answer}");
    }
}

/// Who asks before it sends is told at once, and nobody's endless body is read to its end.
#[tokio::test(flavor = "multi_thread")]
async fn a_refused_body_is_not_waited_for_without_end() {
    let world = World::small(unlimited());
    let address = world.listen().await;
    for (headers, longest) in [
        ("Content-Length: 2097152\r\nExpect: 100-continue\r\n", 1),
        ("Content-Length: 9000000000\r\n", 1),
        ("Content-Length: 2097152\r\n", 10),
    ] {
        let head = head("/kv/verify", headers);
        let begun = Instant::now();
        let answer = exchange(address, head.into_bytes()).await;
        assert!(answer.starts_with("HTTP/1.1 413 "), "{headers}: {answer}");
        assert!(begun.elapsed() < Duration::from_secs(longest), "{headers}: {:?}", begun.elapsed());
    }
}
