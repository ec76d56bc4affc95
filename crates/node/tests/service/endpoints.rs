//! Kinds of nodes that a service may be pointed to: over WebSocket, a replay server, and one whose
//! certificate nobody signed.

use std::path::Path;
use std::process::Command;
use std::sync::Arc;

use crate::support::Service;
use crate::support::anvil::{Anvil, Mining, until};
use crate::support::world::{World, anchored, same_blocks};
use serde_json::Value;
use tokio::net::TcpListener;
use tokio_rustls::TlsAcceptor;

const CHAIN: u64 = 31_337;

fn point_to(world: &World, chain: u64, urls: &[String]) {
    let tables =
        urls.iter().map(|url| format!("[[endpoint]]\nchain = \"{chain}\"\nurl = \"{url}\"\n"));
    std::fs::write(world.path("endpoints.toml"), tables.collect::<String>()).unwrap();
}

/// What the service says of the first endpoint of a chain, once it has an error.
async fn endpoint_error(service: &Service, chain: u64) -> String {
    until("an endpoint has an error", async || {
        let status = service.json("/api/v1/status").await;
        let chains = status["chains"].as_array()?;
        let of_chain = chains.iter().find(|one| one["chain_id"] == chain)?;
        assert_eq!(of_chain["anchored"], Value::Null, "{of_chain}");
        of_chain["endpoints"][0]["last_error"].as_str().map(str::to_owned)
    })
    .await
}

/// Blocks come by announcement: the next look of its own would be long after the test.
#[tokio::test(flavor = "multi_thread")]
async fn a_node_over_websocket_is_followed_by_what_it_announces() {
    let Some(node) = Anvil::start(CHAIN, Mining::OnDemand, 1) else { return };
    let world = World::of(&[&node]);
    point_to(&world, CHAIN, &[node.url.replace("http://", "ws://")]);
    node.mine(12).await;
    let rare = ("SUPERROOT__CHAIN__31337__POLL_INTERVAL_MS", "3600000");
    let service = world.serve(&[rare]);
    anchored(&service, CHAIN, 10).await;
    for head in [14, 16] {
        node.mine(2).await;
        anchored(&service, CHAIN, head - 2).await;
    }
    same_blocks(&service, &node).await;
    let chains = service.json("/api/v1/status").await["chains"].clone();
    let of_chain = chains.as_array().unwrap().iter().find(|one| one["chain_id"] == CHAIN).unwrap();
    let name = of_chain["endpoints"][0]["name"].as_str().unwrap().to_owned();
    assert!(name.starts_with("ws://"), "{name}");
}

/// Records blocks of a node, and serves them as a node of their own.
fn replay(world: &World, node: &Anvil, last: u64) -> (Service, String) {
    let folder = world.path("recordings");
    let mut record = world.superroot();
    record.args(["record", "--chain", "ethereum", "--url", &node.url, "--from", "0", "--to"]);
    let recorded = record.arg(last.to_string()).arg("-o").arg(&folder).output().unwrap();
    assert!(recorded.status.success(), "{}", String::from_utf8_lossy(&recorded.stderr));
    let mut command: Command = world.superroot();
    command.args(["replay", "--listen", "127.0.0.1:0"]).arg::<&Path>(&folder);
    let server = Service::start(&mut command, "");
    let root = server.url.split_once("://").unwrap().1.split('/').next().unwrap().to_owned();
    (server, format!("http://{root}/1"))
}

/// A recording can be forged by whoever recorded it, so it is no node among others unless the operator
/// says so; then its blocks are the chain's.
#[tokio::test(flavor = "multi_thread")]
async fn a_replay_server_is_a_live_node_only_where_the_operator_says_so() {
    let Some(node) = Anvil::start(1, Mining::OnDemand, 1) else { return };
    let world = World::of(&[&node]);
    node.mine(20).await;
    let newest = node.hash_at(15).await;
    let (server, url) = replay(&world, &node, 15);
    drop(node);
    point_to(&world, 1, &[url]);
    let service = world.serve(&[]);
    let error = endpoint_error(&service, 1).await;
    assert!(error.contains("replay"), "{error}");
    assert!(service.stop().success());

    let service = world.serve(&[("SUPERROOT__SOURCE__REPLAY_SERVERS", "true")]);
    anchored(&service, 1, 15).await;
    let proof = world.prove(&service, "/v5/proof/1/15").await;
    assert_eq!((&proof["blockHash"], &proof["network"]), (&newest.into(), &"live".into()));
    drop(server);
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
    let Some(node) = Anvil::start(CHAIN, Mining::OnDemand, 1) else { return };
    let port = self_signed().await;
    for scheme in ["https", "wss"] {
        let world = World::of(&[&node]);
        point_to(&world, CHAIN, &[format!("{scheme}://localhost:{port}")]);
        let service = world.serve(&[]);
        let error = endpoint_error(&service, CHAIN).await;
        assert!(error.contains("certificate"), "{scheme}: {error}");
        assert!(error.contains("UnknownIssuer"), "{scheme}: {error}");
    }
}
