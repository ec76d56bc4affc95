//! Nodes that lie, babble or are something else.

mod support;

use std::net::SocketAddr;
use std::sync::Arc;

use axum::Router;
use axum::body::{Body, Bytes};
use axum::http::header;
use axum::response::{IntoResponse, Response};
use serde_json::{Value, json};
use superroot_source::{Fault, LiveConfig, ReplayedSource, Source, SourceError};
use superroot_types::{BlockNumber, ErrorKind};

use support::{capture, ethereum, hash_text};

const REPLAY: &str = "superroot-replay/0.0.0";

/// A node that answers each method as `answer` says.
struct Node {
    address: SocketAddr,
}

impl Node {
    async fn new(answer: impl Fn(&str, &Value) -> Response + Send + Sync + 'static) -> Self {
        let answer = Arc::new(answer);
        let router = Router::new().fallback(move |body: Bytes| {
            let answer = answer.clone();
            async move {
                let request: Value = serde_json::from_slice(&body).unwrap();
                answer(request["method"].as_str().unwrap(), &request)
            }
        });
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        tokio::spawn(async move { axum::serve(listener, router).await.unwrap() });
        Self { address }
    }

    /// A replay server of Ethereum, but for one method.
    async fn but_for(
        method: &'static str,
        answer: impl Fn(&Value) -> Response + Send + Sync + 'static,
    ) -> Self {
        Self::new(move |called, request| match called {
            _ if called == method => answer(request),
            "eth_chainId" => result(request, json!("0x1")),
            "web3_clientVersion" => result(request, json!(REPLAY)),
            "eth_getBlockByNumber" => result(request, good_block(5)),
            _ => result(request, json!([])),
        })
        .await
    }

    async fn connect(&self) -> Result<ReplayedSource, SourceError> {
        let config =
            LiveConfig { body_bytes_max: 100_000, batch_calls_max: 1, ..LiveConfig::default() };
        let url = format!("http://someone:password1@{}/v2/secretsecret?k=keykeykey", self.address);
        ReplayedSource::connect(&url, ethereum(), config).await
    }

    /// What connecting gives, as an error whose text holds no secret.
    async fn refusal(&self) -> SourceError {
        checked(self.connect().await.unwrap_err())
    }

    async fn block_refusal(&self) -> SourceError {
        let source = self.connect().await.unwrap();
        assert_eq!(source.name(), format!("http://{}", self.address));
        assert!(!format!("{source:?}").contains("secret"));
        checked(source.fetch_whole(BlockNumber(5)).await.unwrap_err())
    }
}

fn checked(error: SourceError) -> SourceError {
    for text in [error.to_string(), format!("{error:?}")] {
        for secret in ["secretsecret", "keykeykey", "password1"] {
            assert!(!text.contains(secret), "{text}");
        }
    }
    error
}

fn good_block(number: u64) -> Value {
    capture(1, number, Some(&hash_text(1)))["block"].take()
}

fn result(request: &Value, result: Value) -> Response {
    text(json!({ "jsonrpc": "2.0", "id": request["id"], "result": result }).to_string())
}

fn text(body: impl Into<Body>) -> Response {
    ([(header::CONTENT_TYPE, "application/json")], body.into()).into_response()
}

#[tokio::test]
async fn a_good_node_is_accepted_by_the_same_means() {
    let node = Node::but_for("none", |_| unreachable!()).await;
    let source = node.connect().await.unwrap();
    assert!(source.fetch_whole(BlockNumber(5)).await.unwrap().is_some());
    assert_eq!(source.fetch_tip().await.unwrap().head.number, BlockNumber(5));
}

#[tokio::test]
async fn another_chain_is_refused() {
    for got in ["0x2", "1", "0x", "0x10000000000000001", "secretsecret"] {
        let node = Node::but_for("eth_chainId", move |request| result(request, json!(got))).await;
        let error = node.refusal().await;
        assert!(
            matches!(
                error,
                SourceError::Call { fault: Fault::Mismatch { field: "chain id", .. }, .. }
            ),
            "{error}"
        );
    }
}

#[tokio::test]
async fn a_live_node_is_refused_with_the_reason() {
    for client in ["Geth/v1.16.0-stable/linux-amd64", "", "my superroot-replay/1"] {
        let node =
            Node::but_for("web3_clientVersion", move |request| result(request, json!(client)))
                .await;
        let error = node.refusal().await;
        assert!(matches!(error, SourceError::OtherClient { .. }), "{error}");
        assert_eq!(error.kind(), ErrorKind::Invalid);
        assert!(error.to_string().ends_with("expected a replay server"), "{error}");
    }
}

#[tokio::test]
async fn error_objects_are_told_without_secrets() {
    let message = format!("key keykeykey is of no use\n{}", "x".repeat(5_000));
    let node = Node::but_for("eth_chainId", move |request| {
        let error = json!({ "code": -32000, "message": message });
        text(json!({ "jsonrpc": "2.0", "id": request["id"], "error": error }).to_string())
    });
    let error = node.await.refusal().await;
    let SourceError::Call { fault: Fault::Refused { code: -32000, message }, .. } = &error else {
        panic!("{error}")
    };
    assert!(message.starts_with("key *** is of no use x") && message.len() == 200);
    assert_eq!(error.kind(), ErrorKind::Unavailable);

    let node = Node::but_for("eth_chainId", |_| {
        let error = json!({ "code": -32700, "message": "what?" });
        text(json!({ "jsonrpc": "2.0", "id": null, "error": error }).to_string())
    });
    assert!(matches!(
        node.await.refusal().await,
        SourceError::Call { fault: Fault::Refused { code: -32700, .. }, .. }
    ));
}

/// A small body that unzips to a large one counts as large.
#[tokio::test]
async fn a_zipped_body_counts_unzipped() {
    use std::io::Write;
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::best());
    encoder.write_all(&vec![b' '; 10_000_000]).unwrap();
    let zipped = encoder.finish().unwrap();
    assert!(zipped.len() < 50_000);
    let node = Node::but_for("eth_getBlockByNumber", move |_| {
        ([(header::CONTENT_ENCODING, "gzip")], zipped.clone()).into_response()
    });
    let error = node.await.block_refusal().await;
    assert!(matches!(error, SourceError::Call { fault: Fault::TooLarge(_), .. }), "{error}");
}

#[tokio::test]
async fn a_block_of_another_number_or_shape_is_refused() {
    let node = Node::but_for("eth_getBlockByNumber", |request| result(request, good_block(6)));
    let error = node.await.block_refusal().await;
    assert!(error.to_string().ends_with("number is 0x6, expected 0x5"), "{error}");
    for wrong in [json!([]), json!("0x5"), json!({ "number": "0x5" }), json!(true)] {
        let node =
            Node::but_for("eth_getBlockByNumber", move |request| result(request, wrong.clone()));
        let error = node.await.block_refusal().await;
        assert!(matches!(error, SourceError::Call { fault: Fault::Shape(_), .. }), "{error}");
    }
    let node = Node::but_for("eth_getBlockReceipts", |request| result(request, json!([1])));
    assert!(matches!(
        node.await.block_refusal().await,
        SourceError::Call { fault: Fault::Shape(_), .. }
    ));
}

#[tokio::test]
async fn a_tip_without_a_final_block_is_refused_and_without_a_safe_one_is_not() {
    let missing = |tag: &'static str| {
        Node::but_for("eth_getBlockByNumber", move |request| {
            let asked = request["params"][0] == tag;
            result(request, if asked { Value::Null } else { good_block(5) })
        })
    };
    let error = missing("finalized").await.connect().await.unwrap().fetch_tip().await.unwrap_err();
    assert!(
        matches!(
            error,
            SourceError::Call { fault: Fault::Mismatch { field: "finalized", .. }, .. }
        ),
        "{error}"
    );
    let tip = missing("safe").await.connect().await.unwrap().fetch_tip().await.unwrap();
    assert_eq!((tip.safe, tip.head.number), (None, BlockNumber(5)));
}

#[tokio::test]
async fn recorded_numbers_must_rise_from_where_was_asked_and_be_no_more() {
    let lists = [
        json!(["0x5", "0x5"]),
        json!(["0x6", "0x5"]),
        json!(["0x4"]),
        json!(["0x5", "0x6", "0x7", "0x8"]),
        json!(["5"]),
        json!([5]),
        Value::Null,
    ];
    for list in lists {
        let given = list.clone();
        let node = Node::but_for("superroot_recordedNumbers", move |request| {
            assert_eq!(request["params"], json!(["0x5", "0x3"]));
            result(request, given.clone())
        });
        let source = node.await.connect().await.unwrap();
        let error = checked(source.fetch_numbers(BlockNumber(5), 3).await.unwrap_err());
        assert_eq!(error.kind(), ErrorKind::Invalid, "{list}: {error}");
    }
}

/// No provider is installed in this process, and none is needed.
#[tokio::test]
async fn https_needs_no_tls_provider_of_the_process() {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("https://{}/secretsecret", listener.local_addr().unwrap());
    drop(listener);
    let error = ReplayedSource::connect(&url, ethereum(), LiveConfig::default()).await;
    let error = checked(error.unwrap_err());
    assert!(matches!(error, SourceError::Call { fault: Fault::Unreachable(_), .. }), "{error}");
}
