//! Nodes over WebSocket, on loopback: answers, announcements, connections that break.

use crate::support;

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use futures_util::{SinkExt, StreamExt};
use superroot_source::{
    BlockAt, BlockParts, BlockSource, Budget, CallFault, EndpointConfig, LiveConfig, LiveNodes,
    LiveSource, NodeRequest, SourceError, Transport,
};
use superroot_types::{BlockNumber, ErrorKind};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::broadcast;
use tokio_tungstenite::tungstenite::Message;
use tokio_tungstenite::tungstenite::handshake::server::{Request as Handshake, Response};

use support::ethereum;
use support::nodes::{Node, View, config, state_of};

/// What a server does to all its connections.
#[derive(Clone, Debug)]
enum Push {
    Text(String),
    Break,
}

/// A node behind a WebSocket.
struct Server {
    url: String,
    node: Arc<Node>,
    push: broadcast::Sender<Push>,
    connections: Arc<AtomicUsize>,
    authorization: Arc<Mutex<Option<String>>>,
}

const ANNOUNCEMENT: &str =
    r#"{"jsonrpc":"2.0","method":"eth_subscription","params":{"subscription":"0x1","result":{}}}"#;

impl Server {
    async fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let (push, _) = broadcast::channel(100);
        let server = Self {
            url: format!("ws://rpc:pass%40word@{address}/v2/secretsecret"),
            node: Node::good("inner"),
            push,
            connections: Arc::default(),
            authorization: Arc::default(),
        };
        let (node, push) = (Arc::clone(&server.node), server.push.clone());
        let (connections, authorization) =
            (Arc::clone(&server.connections), Arc::clone(&server.authorization));
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                connections.fetch_add(1, Ordering::SeqCst);
                let pushes = push.subscribe();
                tokio::spawn(serve(stream, Arc::clone(&node), pushes, Arc::clone(&authorization)));
            }
        });
        server
    }

    fn source(&self, config: LiveConfig) -> LiveSource {
        let endpoints =
            vec![EndpointConfig { name: Some("ws".into()), ..EndpointConfig::at(&self.url) }];
        LiveSource::new(&Budget::default(), ethereum(), endpoints, config).unwrap()
    }

    fn connection_count(&self) -> usize {
        self.connections.load(Ordering::SeqCst)
    }
}

async fn serve(
    stream: TcpStream,
    node: Arc<Node>,
    mut pushes: broadcast::Receiver<Push>,
    authorization: Arc<Mutex<Option<String>>>,
) {
    #[allow(clippy::result_large_err, reason = "the library's shape")]
    let note = |request: &Handshake, response: Response| {
        let value = request.headers().get("authorization");
        *authorization.lock().unwrap() = value.map(|value| value.to_str().unwrap().to_owned());
        Ok(response)
    };
    let Ok(mut socket) = tokio_tungstenite::accept_hdr_async(stream, note).await else { return };
    loop {
        tokio::select! {
            message = socket.next() => {
                let Some(Ok(Message::Text(text))) = message else { return };
                if text.contains("eth_subscribe") {
                    let _ = socket.send(Message::text(r#"{"jsonrpc":"2.0","id":0,"result":"0x1"}"#)).await;
                    continue;
                }
                let request = NodeRequest { path: None, body: text.as_bytes().to_vec(), answer_bytes_max: usize::MAX };
                match node.exchange(request).await {
                    Ok(answer) => {
                        let text = String::from_utf8(answer.body).unwrap();
                        let _ = socket.send(Message::text(text)).await;
                    }
                    Err(_) => return,
                }
            }
            push = pushes.recv() => match push {
                Ok(Push::Text(text)) => drop(socket.send(Message::text(text)).await),
                Ok(Push::Break) | Err(_) => return,
            },
        }
    }
}

async fn block(source: &LiveSource, number: u64) -> Result<bool, SourceError> {
    let at = BlockAt::Number(BlockNumber(number));
    Ok(source.fetch_block(at, BlockParts::Whole, &[]).await?.is_some())
}

#[tokio::test]
async fn answers_come_over_one_connection_to_whoever_asked() {
    let server = Server::start().await;
    let source =
        server.source(LiveConfig { batch_calls_max: 2, calls_per_second_max: 10_000, ..config() });
    assert_eq!(source.fetch_tip().await.unwrap().head.number, BlockNumber(100));
    let blocks = futures_util::future::join_all((0..40).map(|number| block(&source, number))).await;
    assert!(blocks.iter().all(|block| matches!(block, Ok(true))), "{blocks:?}");
    assert_eq!(server.connection_count(), 1);
    assert_eq!(server.node.count("eth_chainId"), 1);
    assert!(server.node.request_count() > 40);
}

#[tokio::test]
async fn user_and_password_go_into_a_header_and_nowhere_else() {
    let server = Server::start().await;
    let source = server.source(config());
    block(&source, 1).await.unwrap();
    // rpc:pass@word
    let sent = server.authorization.lock().unwrap().clone();
    assert_eq!(sent.as_deref(), Some("Basic cnBjOnBhc3NAd29yZA=="));
    let shown = format!("{source:?} {:?}", source.report().endpoints);
    for secret in ["pass", "secretsecret"] {
        assert!(!shown.contains(secret), "{shown}");
    }
}

#[tokio::test]
async fn an_announced_head_is_noticed_also_between_two_looks() {
    let server = Server::start().await;
    let source = server.source(config());
    {
        let mut waiting = source.next_head();
        tokio::select! {
            biased;
            () = &mut waiting => panic!("nothing was announced"),
            _ = source.fetch_tip() => {}
        }
        server.push.send(Push::Text(ANNOUNCEMENT.into())).unwrap();
        waiting.await;
    }
    // this one comes while nobody looks
    server.push.send(Push::Text("{\"jsonrpc\":\"2.0\",\"method\":\"other\"}".into())).unwrap();
    block(&source, 1).await.unwrap();
    server.push.send(Push::Text(ANNOUNCEMENT.into())).unwrap();
    source.next_head().await;
}

#[tokio::test]
async fn a_refused_subscription_leaves_polling_as_it_was() {
    let server = Server::start().await;
    let source = server.source(config());
    let refusal = r#"{"jsonrpc":"2.0","id":0,"error":{"code":-32601,"message":"no"}}"#;
    let mut waiting = source.next_head();
    tokio::select! {
        biased;
        () = &mut waiting => panic!("nothing was announced"),
        _ = source.fetch_tip() => {}
    }
    server.push.send(Push::Text(refusal.into())).unwrap();
    tokio::select! {
        biased;
        () = &mut waiting => panic!("nothing was announced"),
        fetched = block(&source, 3) => assert!(fetched.unwrap()),
    }
}

#[tokio::test]
async fn a_broken_connection_is_made_anew_and_the_chain_checked_again() {
    let server = Server::start().await;
    let source = server.source(LiveConfig { wrong_pause_ms: 600_000, ..config() });
    assert!(block(&source, 1).await.unwrap());
    server.push.send(Push::Break).unwrap();
    // whether it was noticed yet or not, every block is had
    while server.connection_count() < 2 {
        assert!(block(&source, 2).await.unwrap());
    }
    assert!(block(&source, 2).await.unwrap());
    assert_eq!(server.node.count("eth_chainId"), 2);

    server.node.state().view = View { chain_id: 7, ..View::at(100) };
    server.push.send(Push::Break).unwrap();
    let error = loop {
        match block(&source, 3).await {
            // the break was not noticed yet
            Ok(_) => tokio::task::yield_now().await,
            Err(error) => break error,
        }
    };
    assert!(
        matches!(
            error,
            SourceError::Call { fault: CallFault::Mismatch { field: "chain id", .. }, .. }
        ),
        "{error}"
    );
    assert_eq!(state_of(&source, "ws"), "wrong");
}

#[tokio::test]
async fn a_message_past_its_bound_ends_the_connection() {
    let server = Server::start().await;
    let source = server.source(LiveConfig { body_bytes_max: 20_000, attempts_max: 1, ..config() });
    block(&source, 1).await.unwrap();
    server.push.send(Push::Text("x".repeat(20_001))).unwrap();
    // its own answer or the end of the connection: either way the next one is on a new connection
    let _ = block(&source, 2).await;
    while server.connection_count() < 2 {
        let _ = block(&source, 3).await;
        tokio::task::yield_now().await;
    }
    assert!(source.report().endpoints.remove(0).failure_count <= 20);
}

/// A server that speaks HTTP, and not WebSocket.
async fn http_server(answer: &'static str) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("ws://{}/secretsecret", listener.local_addr().unwrap());
    tokio::spawn(async move {
        while let Ok((mut stream, _)) = listener.accept().await {
            let mut request = [0; 2_048];
            let _ = stream.read(&mut request).await;
            let _ = stream.write_all(answer.as_bytes()).await;
        }
    });
    url
}

#[tokio::test]
async fn a_handshake_that_fails_is_an_error_that_says_why() {
    let limited = "HTTP/1.1 429 Too Many\r\nRetry-After: 60\r\ncontent-length: 0\r\n\r\n";
    for (answer, state, kind) in [
        (limited, "limited", ErrorKind::Unavailable),
        ("HTTP/1.1 404 Not\r\ncontent-length: 0\r\n\r\n", "untried", ErrorKind::Unavailable),
        ("HTTP/1.1 200 OK\r\n\r\n<html>secretsecret", "untried", ErrorKind::Unavailable),
        ("SSH-2.0\r\n", "untried", ErrorKind::Unavailable),
        ("", "untried", ErrorKind::Unavailable),
    ] {
        let url = http_server(answer).await;
        let config = LiveConfig { attempts_max: 1, ..config() };
        let endpoint = EndpointConfig { name: Some("ws".into()), ..EndpointConfig::at(&url) };
        let source =
            LiveSource::new(&Budget::default(), ethereum(), vec![endpoint], config).unwrap();
        let error = block(&source, 1).await.unwrap_err();
        assert_eq!((error.kind(), state_of(&source, "ws")), (kind, state), "{answer}: {error}");
        assert!(!error.to_string().contains("secret"), "{error}");
    }
}
