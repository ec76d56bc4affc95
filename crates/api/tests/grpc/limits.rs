//! Limits, counts and deadlines hold by gRPC as by REST.

use std::time::Duration;

use axum::body::{Body, Bytes};
use futures_util::stream;
use serde_json::json;
use superroot_account::Tier;
use superroot_types::UnixSeconds;
use superroot_wire::grpc::proofs_client::ProofsClient;
use superroot_wire::grpc::*;
use tonic::{Code, Request};
use tonic_types::StatusExt;

use crate::grpc::Served;
use crate::support::{NOW, Settings, World, request};

fn block(number: u64) -> ProveBlockRequest {
    ProveBlockRequest { chain: "1".into(), block: Some(number), ..Default::default() }
}

#[tokio::test]
async fn answers_say_what_is_left_and_one_too_many_is_refused() {
    let world = World::small(Settings::default());
    let key = world.key_of_tier(Tier::Protocol);
    let served = Served { world, key };
    let answer = served.proofs().prove_block(block(7)).await.unwrap();
    let said = |name: &str| answer.metadata().get(name).unwrap().to_str().unwrap().to_owned();
    assert_eq!(
        (said("x-ratelimit-limit"), said("x-ratelimit-remaining")),
        ("10000".into(), "9999".into())
    );
    assert_eq!(said("ratelimit-policy"), "\"protocol\";q=10000;w=60");
    assert!(!said("x-request-id").is_empty());
    let mut named = Request::new(block(7));
    named.metadata_mut().insert("x-request-id", "trace-7".parse().unwrap());
    let answer = served.proofs().prove_block(named).await.unwrap();
    assert_eq!(answer.metadata().get("x-request-id").unwrap(), "trace-7");
    let mut nobody = ProofsClient::new(served.with(&[]));
    for left in (0..100).rev() {
        let status = nobody.prove_block(block(7)).await.unwrap_err();
        assert_eq!(status.code(), Code::Unauthenticated);
        assert_eq!(status.metadata().get("x-ratelimit-remaining").unwrap(), &left.to_string());
    }
    let status = nobody.prove_block(block(7)).await.unwrap_err();
    assert_eq!(status.code(), Code::ResourceExhausted);
    let details = status.get_error_details();
    assert_eq!(details.error_info().unwrap().reason, "RATE_LIMITED");
    assert!(details.retry_info().unwrap().retry_delay.unwrap() > Duration::ZERO);
}

/// As by REST: the items of a batch count as that many requests.
#[tokio::test]
async fn a_batch_takes_a_request_of_the_limit_for_each_item() {
    let world = World::small(Settings::default());
    let key = world.key_of_tier(Tier::Protocol);
    let served = Served { world, key };
    let batch = || {
        let item = BatchItem { chain: "1".into(), block: Some(20), ..Default::default() };
        ProveBatchRequest { items: vec![item; 64], ..Default::default() }
    };
    for batches in 1..=156 {
        let answer = served.proofs().prove_batch(batch()).await.unwrap();
        let said = answer.metadata().get("x-ratelimit-remaining").unwrap();
        assert_eq!(said.to_str().unwrap(), (10_000 - 64 * batches).to_string());
    }
    let answer = served.proofs().prove_block(block(7)).await.unwrap();
    assert_eq!(answer.metadata().get("x-ratelimit-remaining").unwrap(), "15");
    let status = served.proofs().prove_batch(batch()).await.unwrap_err();
    assert_eq!(status.code(), Code::ResourceExhausted);
    assert_eq!(status.metadata().get("x-ratelimit-remaining").unwrap(), "14", "it counts as one");
    assert!(status.message().contains("64 items count as 64 requests"), "{status}");
}

/// A method is counted under its own path, an error as one, and each by the chain of its message.
#[tokio::test]
async fn calls_are_counted_by_method_status_and_weight() {
    let served = Served::new(World::small);
    served.proofs().prove_block(block(7)).await.unwrap();
    served.proofs().prove_block(block(8)).await.unwrap();
    served.proofs().prove_block(block(999)).await.unwrap_err();
    let blob = served.proofs().prove_block(block(7)).await.unwrap().into_inner().proof_blob;
    let request = VerifyProofRequest { proof_blob: blob, expected: None };
    served.proofs().verify_proof(request).await.unwrap();
    let false_one = VerifyProofRequest { proof_blob: vec![1], expected: None };
    let status = served.proofs().verify_proof(false_one).await.unwrap_err();
    assert_eq!(status.metadata().get("x-billing-weight").unwrap(), "0");
    served.world.accounts.flush(UnixSeconds(NOW)).unwrap();
    let usage = served.world.ask(&served.key, "GET", "/api/v1/usage", None).await.good();
    assert_eq!(usage["requests_today"], 6);
    assert_eq!(usage["billing"]["tokens_used"], 1);
    let first = json!({ "endpoint": "/superroot.v5.Proofs/ProveBlock", "count": 4 });
    assert_eq!(usage["top_endpoints"][0], first);
    let history = served.world.ask(&served.key, "GET", "/api/v1/usage/history", None).await.good();
    let rows = history["hours"].as_array().unwrap();
    let of_chain = |row: &&serde_json::Value| row["chain_id"] == 1;
    let rows: Vec<_> = rows.iter().filter(of_chain).map(|row| &row["endpoint"]).collect();
    assert!(rows.contains(&&json!("/superroot.v5.Proofs/ProveBlock")), "{history}");
}

#[tokio::test]
async fn a_deadline_that_passed_ends_the_call() {
    let served = Served::new(World::small);
    let calls = served.with(&[("x-api-key", &served.key), ("grpc-timeout", "0n")]);
    let blooms = QueryBloomsRequest { address: Some(vec![7; 20]), ..Default::default() };
    let mut client = superroot_wire::grpc::events_client::EventsClient::new(calls);
    let status = client.query_blooms(blooms).await.unwrap_err();
    assert_eq!(status.code(), Code::DeadlineExceeded, "{status:?}");
    assert_eq!(status.get_error_details().error_info().unwrap().metadata["code"], "timeout");
    let mut patient = Request::new(block(7));
    patient.set_timeout(Duration::from_secs(20));
    served.proofs().prove_block(patient).await.unwrap();
}

/// It takes no longer than its deadline, and no longer than any request.
#[tokio::test]
async fn a_message_that_never_comes_is_given_up() {
    let mut settings = crate::support::unlimited();
    settings.api.request_timeout_ms = 60;
    let world = World::small(settings);
    let key = world.key_of_tier(Tier::Protocol);
    let path = "/superroot.v5.Proofs/ProveBlock";
    for timeout in ["20m", "10S"] {
        let silent = stream::pending::<Result<Bytes, std::io::Error>>();
        let headers = [
            ("content-type", "application/grpc"),
            ("x-api-key", key.as_str()),
            ("grpc-timeout", timeout),
        ];
        let reply = world.send(request("POST", path, &headers, Body::from_stream(silent))).await;
        assert_eq!(reply.header("grpc-status"), "4", "{:?}", reply.headers);
    }
}
