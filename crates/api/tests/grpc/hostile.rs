//! Whatever is sent, a status comes back that blames the sender, and the service goes on.

use axum::body::Body;
use prost::Message;
use rand::{RngExt, SeedableRng, rngs::StdRng};
use superroot_account::Tier;
use superroot_wire::grpc::*;

use crate::grpc::Served;
use crate::support::{Reply, World, request, unlimited};

const PATH: &str = "/superroot.v5.Proofs/ProveBlock";

fn frame(message: &[u8]) -> Vec<u8> {
    let length = u32::try_from(message.len()).unwrap().to_be_bytes();
    [&[0], &length[..], message].concat()
}

fn good() -> Vec<u8> {
    let request = ProveBlockRequest { chain: "1".into(), block: Some(7), ..Default::default() };
    frame(&request.encode_to_vec())
}

async fn send(served: &Served, path: &str, body: Vec<u8>) -> Reply {
    let headers = [("content-type", "application/grpc"), ("x-api-key", served.key.as_str())];
    served.world.send(request("POST", path, &headers, Body::from(body))).await
}

/// The status of gRPC; of an answer with a message it stands behind it, and is 0.
fn status(reply: &Reply) -> &str {
    assert_eq!(reply.status.as_u16(), 200);
    assert_eq!(reply.header("content-type"), "application/grpc");
    if reply.has("grpc-status") { reply.header("grpc-status") } else { "0" }
}

#[tokio::test]
async fn no_bytes_are_a_fault_of_ours() {
    let served = Served::new(World::small);
    assert_eq!(status(&send(&served, PATH, good()).await), "0");
    let whole = good();
    let mut bodies: Vec<(Vec<u8>, &str)> = vec![
        (b"garbage that is no frame at all".to_vec(), "any"),
        ([&[1], &whole[1..]].concat(), "any"), // compressed, by no coding that was named
        ([&[2], &whole[1..]].concat(), "3"),
        (vec![0, 0xff, 0xff, 0xff, 0xff], "8"),
        (frame(&[0xff; 64]), "3"),
        (frame(&[0x0a, 0x02, 0xff, 0xfe]), "3"), // a chain that is no UTF-8
        (frame(&[0x08, 0x01]), "3"),             // a chain that is a number
        (frame(&[0x0b].repeat(200)), "3"),       // groups within groups
        (frame(b""), "3"),
    ];
    bodies.extend((0..whole.len()).map(|length| (whole[..length].to_vec(), "3")));
    for (body, expected) in bodies {
        let reply = send(&served, PATH, body.clone()).await;
        let status = status(&reply);
        let is_blamed = ["3", "8", "12"].contains(&status);
        assert!(is_blamed && (expected == "any" || expected == status), "{status}: {body:?}");
        if status != "12" {
            assert!(reply.has("grpc-status-details-bin"), "{body:?}");
        }
    }
    assert_eq!(status(&send(&served, PATH, good()).await), "0");
}

#[tokio::test]
async fn random_and_altered_messages_get_an_answer_or_are_blamed_on_their_sender() {
    let served = Served::new(World::small);
    let mut dice = StdRng::seed_from_u64(7);
    let paths: Vec<_> = superroot_api::metered_routes()
        .iter()
        .filter(|route| route.path.starts_with("/superroot.v5."))
        .map(|route| route.path)
        .collect();
    assert_eq!(paths.len(), 31);
    for path in paths {
        for _ in 0..12 {
            let mut message = good()[5..].to_vec();
            for _ in 0..dice.random_range(0..4) {
                message.insert(dice.random_range(0..=message.len()), dice.random());
            }
            let at = dice.random_range(0..message.len());
            message[at] = dice.random();
            let reply = send(&served, path, frame(&message)).await;
            // 2 unknown, 13 internal and 15 data loss would be ours
            assert!(!["2", "13", "15"].contains(&status(&reply)), "{path} {message:?}");
        }
    }
}

#[tokio::test]
async fn a_message_past_the_limit_of_bodies_is_refused_and_one_within_is_not() {
    let mut settings = unlimited();
    settings.api.body_bytes_max = 1_000;
    let world = World::small(settings);
    let key = world.key_of_tier(Tier::Protocol);
    let served = Served { world, key };
    for (bytes, expected) in [(900, "3"), (1_001, "8"), (100_000, "8")] {
        let request = VerifyProofRequest { proof_blob: vec![7; bytes], expected: None };
        let body = frame(&request.encode_to_vec());
        let path = "/superroot.v5.Proofs/VerifyProof";
        assert_eq!(status(&send(&served, path, body).await), expected, "{bytes}");
    }
}

#[tokio::test]
async fn unknown_methods_are_unimplemented() {
    let served = Served::new(World::small);
    for path in [
        "/superroot.v5.Proofs/Prove",
        "/superroot.v5.Nothing/At",
        "/superroot.v5.Streams/Tell",
        "/x",
    ] {
        let reply = send(&served, path, good()).await;
        assert_eq!(status(&reply), "12", "{path}");
        assert!(reply.has("grpc-status-details-bin"));
    }
}

/// What is not of gRPC gets a problem as by REST, with a status that says so.
#[tokio::test]
async fn a_method_reads_nothing_but_grpc() {
    let served = Served::new(World::small);
    for media_type in ["application/json", "application/grpc-web", "text/plain", ""] {
        let headers = [("content-type", media_type), ("x-api-key", served.key.as_str())];
        let reply = served.world.send(request("POST", PATH, &headers, Body::from(good()))).await;
        reply.problem(415, "unsupported_media_type");
    }
    served
        .world
        .get_with(PATH, &[("x-api-key", &served.key)])
        .await
        .problem(415, "unsupported_media_type");
}

#[tokio::test]
async fn a_deadline_that_is_none_is_refused() {
    let served = Served::new(World::small);
    for timeout in ["1", "S", "-1S", "123456789S", "1.5S", "soon", "1s"] {
        let headers = [
            ("content-type", "application/grpc"),
            ("x-api-key", served.key.as_str()),
            ("grpc-timeout", timeout),
        ];
        let reply = served.world.send(request("POST", PATH, &headers, Body::from(good()))).await;
        assert_eq!(status(&reply), "3", "{timeout}");
        assert!(reply.header("grpc-message").contains("grpc-timeout"), "{:?}", reply.headers);
    }
}

#[tokio::test]
async fn too_many_headers_are_refused_by_grpc_too() {
    let served = Served::new(World::small);
    let long = "x".repeat(9_000);
    let headers = [
        ("content-type", "application/grpc"),
        ("x-api-key", served.key.as_str()),
        ("x-long", long.as_str()),
    ];
    let reply = served.world.send(request("POST", PATH, &headers, Body::from(good()))).await;
    assert_eq!(status(&reply), "8");
}
