//! Live nodes over HTTP, on loopback: what only a real connection can do wrong.

use crate::support;

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use superroot_source::{
    BlockAt, BlockParts, BlockSource, Budget, CallFault, EndpointConfig, LiveConfig, LiveNodes,
    LiveSource, NodeRequest, SourceError, Transport,
};
use superroot_types::{BlockNumber, ErrorKind};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};

use support::ethereum;
use support::nodes::{Node, config, state_of};

/// What a server does with a request.
#[derive(Clone)]
enum Serve {
    /// Hands it to a node in memory.
    Node(Arc<Node>),
    /// Sends these bytes and closes.
    Bytes(Vec<u8>),
    /// Sends these bytes, then nothing more.
    Hold(&'static str),
    /// Sends a body without end, counting it.
    Endless(Arc<AtomicUsize>),
}

async fn server(serve: Serve) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url =
        format!("http://someone:password1@{}/v2/secretsecret", listener.local_addr().unwrap());
    tokio::spawn(async move {
        while let Ok((stream, _)) = listener.accept().await {
            tokio::spawn(answer(stream, serve.clone()));
        }
    });
    url
}

/// Reads one request; gives its body.
async fn request(stream: &mut TcpStream) -> Option<Vec<u8>> {
    let mut bytes = Vec::new();
    loop {
        let mut part = [0; 4_096];
        let count = stream.read(&mut part).await.ok().filter(|count| *count > 0)?;
        bytes.extend_from_slice(&part[..count]);
        let text = String::from_utf8_lossy(&bytes).to_lowercase();
        let Some((head, body)) = text.split_once("\r\n\r\n") else { continue };
        let length = head.split("content-length: ").nth(1)?.split("\r\n").next()?.parse().ok()?;
        if body.len() >= length {
            return Some(bytes[head.len() + 4..].to_vec());
        }
    }
}

async fn answer(mut stream: TcpStream, serve: Serve) {
    while let Some(body) = request(&mut stream).await {
        match &serve {
            Serve::Node(node) => {
                let Ok(answer) = node
                    .exchange(NodeRequest { path: None, body, answer_bytes_max: usize::MAX })
                    .await
                else {
                    return;
                };
                let head =
                    format!("HTTP/1.1 200 OK\r\ncontent-length: {}\r\n\r\n", answer.body.len());
                let _ = stream.write_all(head.as_bytes()).await;
                let _ = stream.write_all(&answer.body).await;
            }
            Serve::Bytes(bytes) => {
                let _ = stream.write_all(bytes).await;
                return;
            }
            Serve::Hold(bytes) => {
                let _ = stream.write_all(bytes.as_bytes()).await;
                std::future::pending::<()>().await;
            }
            Serve::Endless(count) => {
                let _ = stream.write_all(b"HTTP/1.1 200 OK\r\n\r\n[").await;
                let part = vec![b' '; 64 << 10];
                while stream.write_all(&part).await.is_ok() {
                    count.fetch_add(part.len(), Ordering::SeqCst);
                }
                return;
            }
        }
    }
}

fn source_of(urls: &[String], config: LiveConfig) -> LiveSource {
    let endpoints = urls.iter().enumerate().map(|(index, url)| {
        let name = char::from(b'a' + u8::try_from(index).unwrap());
        EndpointConfig { name: Some(name.to_string()), ..EndpointConfig::at(url) }
    });
    LiveSource::new(&Budget::default(), ethereum(), endpoints.collect(), config).unwrap()
}

async fn block(source: &LiveSource, number: u64) -> Result<String, SourceError> {
    let at = BlockAt::Number(BlockNumber(number));
    let fetched = source.fetch_block(at, BlockParts::Whole, &[]).await?;
    Ok(fetched.unwrap().sender.to_string())
}

#[tokio::test]
async fn several_nodes_over_http_serve_one_chain() {
    let nodes = ["a", "b"].map(Node::good);
    let urls =
        [server(Serve::Node(nodes[0].clone())).await, server(Serve::Node(nodes[1].clone())).await];
    let source = source_of(&urls, LiveConfig { tip_patience_ms: 5_000, ..config() });
    let tip = source.fetch_tip().await.unwrap();
    assert_eq!((tip.head.number.0, tip.finalized.number.0), (100, 90));
    assert_eq!(source.fetch_agreement(BlockNumber(90)).await.unwrap().sources, ["a", "b"]);
    for number in 0..10 {
        block(&source, number).await.unwrap();
    }
}

/// 10 GB are not read: the connection ends soon after the bound.
#[tokio::test]
async fn a_stream_without_end_ends_at_its_bound() {
    let count = Arc::new(AtomicUsize::new(0));
    let endless = server(Serve::Endless(Arc::clone(&count))).await;
    let config = LiveConfig { body_bytes_max: 1 << 20, attempts_max: 1, ..config() };
    let error = block(&source_of(&[endless], config), 1).await.unwrap_err();
    assert!(
        matches!(error, SourceError::Call { fault: CallFault::TooLarge(1_048_576), .. }),
        "{error}"
    );
    let sent = count.load(Ordering::SeqCst);
    assert!(sent < 100 << 20, "{sent} bytes were taken off it");
}

/// A small body that unzips to a large one counts as large.
#[tokio::test]
async fn a_zipped_body_counts_unzipped() {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::best());
    std::io::Write::write_all(&mut encoder, &vec![b' '; 10_000_000]).unwrap();
    let zipped = encoder.finish().unwrap();
    let head = "HTTP/1.1 200 OK\r\ncontent-encoding: gzip\r\ncontent-length";
    let mut answer = format!("{head}: {}\r\n\r\n", zipped.len()).into_bytes();
    answer.extend(zipped);
    let config = LiveConfig { body_bytes_max: 100_000, attempts_max: 1, ..config() };
    let source = source_of(&[server(Serve::Bytes(answer)).await], config);
    let error = block(&source, 1).await.unwrap_err();
    assert!(matches!(error, SourceError::Call { fault: CallFault::TooLarge(_), .. }), "{error}");
}

#[tokio::test]
async fn a_wrong_node_over_http_is_an_error_that_tells_no_secret() {
    let close = "HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\n{\"jsonrpc\":\"2.0\",";
    let html = "HTTP/1.1 200 OK\r\ncontent-length: 25\r\n\r\n<html>secretsecret</html>";
    for bytes in [
        close,
        html,
        "",
        "SSH-2.0-OpenSSH\r\n",
        "HTTP/1.1 500 secretsecret\r\ncontent-length: 12\r\n\r\nsecretsecret",
        "HTTP/1.1 301 Moved\r\nlocation: http://127.0.0.1:1/\r\ncontent-length: 0\r\n\r\n",
        "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\nzz\r\n",
        "HTTP/1.1 200 OK\r\ncontent-encoding: gzip\r\ncontent-length: 4\r\n\r\nnope",
    ] {
        let url = server(Serve::Bytes(bytes.into())).await;
        let source = source_of(&[url], LiveConfig { attempts_max: 1, ..config() });
        let error = block(&source, 1).await.unwrap_err();
        assert_ne!(error.kind(), ErrorKind::Bug, "{bytes}: {error}");
        let shown = format!("{error} {error:?} {source:?} {:?}", source.report().endpoints);
        for secret in ["secretsecret", "password1", "someone"] {
            assert!(!shown.contains(secret), "{shown}");
        }
    }
}

#[tokio::test]
async fn no_secret_of_a_url_is_ever_shown() {
    for url in [
        "https://someone:password1@127.0.0.1:1/v2/secretsecret?key=topsecret",
        "wss://someone:password1@127.0.0.1:1/v2/secretsecret?key=topsecret",
        "ws://someone:password1@127.0.0.1:1/secretsecret",
    ] {
        let config = LiveConfig { attempts_max: 1, ..config() };
        let source =
            LiveSource::new(&Budget::default(), ethereum(), vec![EndpointConfig::at(url)], config)
                .unwrap();
        let error = block(&source, 1).await.unwrap_err();
        let tip = source.fetch_tip().await.unwrap_err();
        let shown =
            format!("{error} {error:?} {tip} {tip:?} {source:?} {:?}", source.report().endpoints);
        assert!(shown.contains("127.0.0.1:1"), "{shown}");
        for secret in ["secret", "password1", "someone"] {
            assert!(!shown.contains(secret), "{shown}");
        }
    }
}

#[tokio::test]
async fn retry_after_over_http_is_obeyed_in_both_forms() {
    let date = "Date: Fri, 31 Dec 1999 23:00:00 GMT\r\nRetry-After: Sat, 01 Jan 2000 00:00:00 GMT";
    for header in ["Retry-After: 3600", date] {
        let limited =
            format!("HTTP/1.1 429 Slow down\r\n{header}\r\ncontent-length: 0\r\n\r\n").into();
        let good = Node::good("good");
        let urls = [server(Serve::Bytes(limited)).await, server(Serve::Node(good.clone())).await];
        let source = source_of(&urls, LiveConfig { quorum: 1, ..config() });
        for number in 0..20 {
            assert_eq!(block(&source, number).await.unwrap(), "b", "{header}");
        }
        let _ = source.fetch_tip().await;
        assert_eq!(state_of(&source, "a"), "limited", "{header}");
    }
}

/// Time is paused: it runs on when nothing else does.
#[tokio::test(start_paused = true)]
async fn a_slow_answer_ends_at_its_deadline() {
    for start in ["", "HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\n{\"jsonrpc\"", "HTTP/1."] {
        let url = server(Serve::Hold(start)).await;
        let source = source_of(&[url], LiveConfig { attempts_max: 1, ..config() });
        let error = block(&source, 1).await.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Unavailable, "{start}: {error}");
    }
}
