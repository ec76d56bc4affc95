//! Kinds of nodes that a service may be pointed to: over WebSocket, and one whose certificate nobody
//! signed.

use std::sync::Arc;

use crate::support::anvil::{Anvil, until};
use crate::support::world::{World, anchored, same_blocks};
use serde_json::Value;
use tokio::net::TcpListener;
use tokio_rustls::TlsAcceptor;

const CHAIN: u64 = 31_337;

fn point_to(world: &World, url: &str) {
    let table = format!("[[endpoint]]\nchain = \"{CHAIN}\"\nurl = \"{url}\"\n");
    std::fs::write(world.path("endpoints.toml"), table).unwrap();
}

/// Blocks come by announcement: the next look of its own would be long after the test.
#[tokio::test(flavor = "multi_thread")]
async fn a_node_over_websocket_is_followed_by_what_it_announces() {
    let Some(node) = Anvil::start(CHAIN, 1) else { return };
    let world = World::of(&[&node]);
    point_to(&world, &node.url.replace("http://", "ws://"));
    node.mine(12).await;
    let rare = ("SUPERROOT__CHAIN__31337__POLL_INTERVAL_MS", "3600000");
    let service = world.serve(&[rare]);
    anchored(&service, CHAIN, 10).await;
    for head in [14, 16] {
        node.mine(2).await;
        anchored(&service, CHAIN, head - 2).await;
    }
    same_blocks(&service, &node).await;
    let name = service.chain(CHAIN).await["endpoints"][0]["name"].clone();
    assert!(name.as_str().unwrap().starts_with("ws://"), "{name}");
}

/// A server whose certificate is signed by nobody whom anyone trusts.
async fn self_signed() -> u16 {
    let made = rcgen::generate_simple_self_signed(vec!["localhost".to_owned()]).unwrap();
    let key =
        tokio_rustls::rustls::pki_types::PrivateKeyDer::try_from(made.signing_key.serialize_der());
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let config = rustls::ServerConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_no_client_auth()
        .with_single_cert(vec![made.cert.der().clone()], key.unwrap())
        .unwrap();
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    let acceptor = TlsAcceptor::from(Arc::new(config));
    tokio::spawn(async move {
        while let Ok((stream, _)) = listener.accept().await {
            // a client that trusts it would be let in; none does
            let acceptor = acceptor.clone();
            tokio::spawn(async move { drop(acceptor.accept(stream).await) });
        }
    });
    port
}

/// Neither over HTTP nor over WebSocket is a certificate taken that nobody vouches for, and the reason
/// names it.
#[tokio::test(flavor = "multi_thread")]
async fn a_certificate_that_nobody_signed_is_refused_with_the_reason() {
    let Some(node) = Anvil::start(CHAIN, 1) else { return };
    let port = self_signed().await;
    for scheme in ["https", "wss"] {
        let world = World::of(&[&node]);
        point_to(&world, &format!("{scheme}://localhost:{port}"));
        let service = world.serve(&[]);
        let error = until("the endpoint has an error", async || {
            let chain = service.chain(CHAIN).await;
            assert_eq!(chain["anchored"], Value::Null, "{chain}");
            chain["endpoints"][0]["last_error"].as_str().map(str::to_owned)
        })
        .await;
        assert!(error.contains("certificate"), "{scheme}: {error}");
        assert!(error.contains("UnknownIssuer"), "{scheme}: {error}");
    }
}
