//! Every GET of the service as those ask it who want its head alone, have it already, or go away.

use std::time::Duration;

use tokio::io::AsyncWriteExt;
use tokio::net::TcpStream;

use crate::support::{Service, http};

/// Clients of one route that go away.
const LEAVING: usize = 20;
/// Memory that the answers of all who left may have left behind, in MiB.
const LEFT_MIB: f64 = 64.0;

/// Answers that are made of much, and are not made for a HEAD.
const UNMADE: [&str; 5] = ["/v5/scan/", "/v5/logs", "/price/", "/signals/launches", "/signals/arb"];

/// A HEAD has the status and no body, what a caller has is not sent again, and nobody who leaves takes
/// anything along.
pub(crate) async fn check(service: &Service, gets: &[(String, String)]) {
    for (url, key) in gets {
        let asked = |method: &str| {
            let request = http().request(method.parse().unwrap(), url);
            if key.is_empty() { request } else { request.header("x-api-key", key) }
        };
        let head = asked("HEAD").send().await.unwrap();
        // what was made for an example may be gone again
        if head.status() == 404 && url.contains("/api/v1/") {
            continue;
        }
        assert_eq!(head.status(), 200, "HEAD {url}");
        assert!(head.headers().contains_key("content-type"), "HEAD {url}");
        let is_made = head.headers().contains_key("content-length");
        assert!(!is_made || !UNMADE.iter().any(|part| url.contains(part)), "HEAD {url} is made");
        let tag = head.headers().get("etag").cloned();
        assert!(head.bytes().await.unwrap().is_empty(), "HEAD {url} has a body");
        if let Some(tag) = tag {
            let again = asked("GET").header("if-none-match", tag).send().await.unwrap();
            assert_eq!(again.status(), 304, "GET {url}");
            assert!(again.bytes().await.unwrap().is_empty(), "GET {url} is sent again");
        }
    }
    let (_, before) = service.load();
    let host = service.url.trim_start_matches("http://");
    for (url, key) in gets {
        let path = url.split_once(host).unwrap().1;
        let key = if key.is_empty() { String::new() } else { format!("x-api-key: {key}\r\n") };
        let request = format!("GET {path} HTTP/1.1\r\nhost: {host}\r\n{key}\r\n");
        for _ in 0..LEAVING {
            let mut stream = TcpStream::connect(host).await.unwrap();
            stream.write_all(request.as_bytes()).await.unwrap();
        }
    }
    tokio::time::sleep(Duration::from_secs(2)).await;
    let begun = std::time::Instant::now();
    service.json("/v5/superroot").await;
    let taken = begun.elapsed();
    assert!(taken < Duration::from_secs(20), "who left is still served: {taken:?}");
    let (_, after) = service.load();
    assert!(after < before + LEFT_MIB, "{before} MiB before, {after} MiB after");
}
