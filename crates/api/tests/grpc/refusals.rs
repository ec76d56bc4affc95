//! What is refused by REST is refused by gRPC, with the same code and the same words.

use std::collections::BTreeSet;

use superroot_account::{Actor, NewKey, Operator, Scope, Tier};
use superroot_types::ChainId;
use superroot_wire::grpc::finality_client::FinalityClient;
use superroot_wire::grpc::proofs_client::ProofsClient;
use superroot_wire::grpc::*;
use tonic::{Code, Status};
use tonic_types::StatusExt;

use crate::grpc::Served;
use crate::support::World;

/// What a status says of a problem; its parts agree with each other.
fn problem(status: &Status, code: Code, word: &str) -> std::collections::HashMap<String, String> {
    let details = status.get_error_details();
    let info = details.error_info().unwrap_or_else(|| panic!("{status:?}")).clone();
    assert_eq!((status.code(), info.metadata["code"].as_str()), (code, word), "{status:?}");
    assert_eq!(
        (info.reason.as_str(), info.domain.as_str()),
        (word.to_uppercase().as_str(), "superroot")
    );
    let retry = details.retry_info().is_some();
    assert_eq!(info.metadata["retryable"], retry.to_string());
    let id = &details.request_info().unwrap().request_id;
    assert_eq!(status.metadata().get("x-request-id").unwrap().to_str().unwrap(), id);
    info.metadata
}

fn of(chain: &str, block: u64) -> ProveBlockRequest {
    ProveBlockRequest { chain: chain.into(), block: Some(block), ..Default::default() }
}

#[tokio::test]
async fn a_refusal_has_the_code_and_the_words_of_rest() {
    let served = Served::new(World::small);
    for (request, path, code, word) in [
        (of("atlantis", 7), "/v5/proof/atlantis/7", Code::NotFound, "unknown_chain"),
        (of("1", 32), "/v5/proof/1/32", Code::FailedPrecondition, "not_yet_anchored"),
        (of("1", 33), "/v5/proof/1/33", Code::FailedPrecondition, "not_final"),
        (of("bitcoin", 7), "/v5/proof/bitcoin/7", Code::Unavailable, "chain_unavailable"),
        (
            ProveBlockRequest { sequence: Some(9), ..of("1", 7) },
            "/v5/proof/1/7?sequence=9",
            Code::NotFound,
            "unknown_superroot",
        ),
        (
            ProveBlockRequest { level: Some(6), ..of("1", 7) },
            "/v5/proof/1/7?level=6",
            Code::InvalidArgument,
            "invalid_parameter",
        ),
        (
            of("1", 1 << 53),
            "/v5/proof/1/9007199254740992",
            Code::InvalidArgument,
            "invalid_parameter",
        ),
    ] {
        let status = served.proofs().prove_block(request).await.unwrap_err();
        let members = problem(&status, code, word);
        let rest = served.world.get(path).await.json();
        assert_eq!(rest["code"], word);
        assert_eq!(status.message(), rest["detail"].as_str().unwrap());
        assert_eq!(members["status"], rest["status"].to_string());
        let details = status.get_error_details();
        let retry = details.retry_info().and_then(|info| info.retry_delay);
        assert_eq!(retry.map(|delay| delay.as_secs()), rest["retry_after"].as_u64());
        if let Some(head) = rest.get("head").filter(|head| !head.is_null()) {
            assert_eq!(members["head"], head.to_string());
        }
        let fields = details.bad_request().map(|bad| bad.field_violations[0].field.clone());
        let is_at_field = code == Code::InvalidArgument || word == "unknown_chain";
        assert_eq!(fields.is_some(), is_at_field);
        if let Some(field) = fields {
            // the path of REST names it otherwise
            let of_rest = rest["parameter"].as_str().unwrap();
            assert_eq!(of_rest.strip_suffix("_id").unwrap_or(of_rest), field);
        }
    }
}

#[tokio::test]
async fn a_field_at_fault_is_named_as_the_contract_names_it() {
    let served = Served::new(World::small);
    let field = |status: Status| {
        problem(&status, Code::InvalidArgument, "invalid_parameter");
        status.get_error_details().bad_request().unwrap().field_violations[0].field.clone()
    };
    let item =
        |tx_index| BatchItem { chain: "1".into(), block: Some(1), tx_index, ..Default::default() };
    let items = vec![item(None), item(Some(3))];
    let request = ProveBatchRequest { items, ..Default::default() };
    assert_eq!(
        field(served.proofs().prove_batch(request).await.unwrap_err()),
        "items[1].log_index"
    );
    let empty = ProveBatchRequest::default();
    assert_eq!(field(served.proofs().prove_batch(empty).await.unwrap_err()), "items");
    let short =
        ProveTransactionRequest { chain: "1".into(), tx_hash: vec![1; 31], ..Default::default() };
    let status = served.proofs().prove_transaction(short).await.unwrap_err();
    assert_eq!(status.message(), "tx_hash is of 31 bytes, expected 32 bytes");
    assert_eq!(field(status), "tx_hash");
    let both = ProveBlockRequest { root: Some(vec![1; 32]), sequence: Some(1), ..of("1", 1) };
    assert_eq!(field(served.proofs().prove_block(both).await.unwrap_err()), "sequence");
    let none = of("", 1);
    assert_eq!(field(served.proofs().prove_block(none).await.unwrap_err()), "chain");
    let past = ProveEventRequest {
        chain: "1".into(),
        tx_hash: Some(vec![1; 32]),
        block: Some(1 << 53),
        ..Default::default()
    };
    assert_eq!(field(served.proofs().prove_event(past).await.unwrap_err()), "block");
    let garbage = VerifyProofRequest { proof_blob: b"SRP".to_vec(), expected: None };
    assert_eq!(field(served.proofs().verify_proof(garbage).await.unwrap_err()), "proof_blob");
    for (request, name) in [
        (ListLogsRequest { finality: "soon".into(), ..Default::default() }, "finality"),
        (ListLogsRequest { order: "up".into(), ..Default::default() }, "order"),
        (ListLogsRequest { limit: Some(0), ..Default::default() }, "limit"),
        (ListLogsRequest { limit: Some(1_001), ..Default::default() }, "limit"),
        (ListLogsRequest { cursor: "7".into(), ..Default::default() }, "cursor"),
        (ListLogsRequest { address: vec![vec![1; 19]], ..Default::default() }, "address"),
        (ListLogsRequest { address: vec![vec![1; 20]; 101], ..Default::default() }, "address"),
        (ListLogsRequest { topic2: vec![vec![1; 33]], ..Default::default() }, "topic2"),
        (
            ListLogsRequest { from_block: Some(2), to_block: Some(1), ..Default::default() },
            "to_block",
        ),
    ] {
        let request = ListLogsRequest { chain: "1".into(), ..request };
        assert_eq!(field(served.events().list_logs(request).await.unwrap_err()), name);
    }
    let nothing = QueryBloomsRequest::default();
    assert_eq!(field(served.events().query_blooms(nothing).await.unwrap_err()), "address");
    let wide = GetTileRequest { level: 0, index: 0, width: Some(257) };
    assert_eq!(field(served.super_roots().get_tile(wide).await.unwrap_err()), "width");
    let high = GetTileRequest { level: 64, index: 0, width: None };
    assert_eq!(field(served.super_roots().get_tile(high).await.unwrap_err()), "level");
    let backwards = GetConsistencyRequest { from: 1, to: Some(0), strength: String::new() };
    assert_eq!(field(served.super_roots().get_consistency(backwards).await.unwrap_err()), "from");
}

#[tokio::test]
async fn every_header_that_carries_a_key_by_rest_carries_it_here_and_only_the_tier_opens() {
    let served = Served::new(World::small);
    let bearer = format!("Bearer {}", served.key);
    for (name, value) in
        [("x-api-key", &served.key), ("x-service-key", &served.key), ("authorization", &bearer)]
    {
        let mut client = ProofsClient::new(served.with(&[(name, value.as_str())]));
        client.prove_block(of("1", 7)).await.unwrap();
    }
    let refused = async |sent: &[(&'static str, &str)]| {
        let mut client = ProofsClient::new(served.with(sent));
        client.prove_block(of("1", 7)).await.unwrap_err()
    };
    problem(&refused(&[]).await, Code::Unauthenticated, "api_key_required");
    problem(&refused(&[("x-api-key", "svc_x")]).await, Code::Unauthenticated, "invalid_api_key");
    let two = [("x-api-key", served.key.as_str()), ("x-service-key", "svc_other")];
    problem(&refused(&two).await, Code::InvalidArgument, "two_keys");
    for tier in [Tier::Explorer, Tier::Builder] {
        let key = served.world.key_of_tier(tier);
        let status = refused(&[("x-api-key", &key)]).await;
        let members = problem(&status, Code::PermissionDenied, "tier_required");
        assert_eq!((&*members["tier_required"], &*members["tier"]), ("protocol", tier.name()));
    }
    let enterprise = served.world.key_of_tier(Tier::Enterprise);
    let mut client = ProofsClient::new(served.with(&[("x-api-key", &enterprise)]));
    client.prove_block(of("1", 7)).await.unwrap();
}

/// The chain stands in the message, not in the path; a key that is confined to others gets nothing.
#[tokio::test]
async fn a_key_of_another_chain_is_out_of_scope() {
    let served = Served::new(World::small);
    let accounts = served.world.accounts.accounts();
    let account = accounts.authenticate(&served.key).unwrap().account;
    let scope = Scope { chains: Some(BTreeSet::from([ChainId(10)])), routes: None };
    let by = Operator { who: "test".into(), why: "a key of another chain".into() };
    let new = NewKey { scope, ..NewKey::default() };
    let confined = accounts.create_key(Actor::Operator(&by), account, &new);
    let key = confined.unwrap().secret.expose().to_owned();
    let mut proofs = ProofsClient::new(served.with(&[("x-api-key", &key)]));
    let status = proofs.prove_block(of("1", 7)).await.unwrap_err();
    problem(&status, Code::PermissionDenied, "out_of_scope");
    let items = vec![BatchItem { chain: "1".into(), ..Default::default() }];
    let batch = ProveBatchRequest { items, ..Default::default() };
    let status = proofs.prove_batch(batch).await.unwrap_err();
    assert_eq!(problem(&status, Code::PermissionDenied, "out_of_scope")["parameter"], "items[0]");
    let mut finality = FinalityClient::new(served.with(&[("x-api-key", &key)]));
    let request = GetFinalityRequest { chain: "1".into() };
    problem(
        &finality.get_finality(request).await.unwrap_err(),
        Code::PermissionDenied,
        "out_of_scope",
    );
    let request = ListRetractionsRequest { chain: "1".into() };
    let status = finality.list_retractions(request).await.unwrap_err();
    problem(&status, Code::PermissionDenied, "out_of_scope");
}

/// A key is confined to methods as to routes, and to grids.
#[tokio::test]
async fn a_key_of_other_methods_is_out_of_scope() {
    let served = Served::new(World::small);
    let accounts = served.world.accounts.accounts();
    let account = accounts.authenticate(&served.key).unwrap().account;
    let by = Operator { who: "test".into(), why: "a key of some methods".into() };
    for (pattern, may_prove) in [
        ("/superroot.v5.SuperRoots/*", false),
        ("/v5/*", false),
        ("G2", false),
        ("G1", true),
        ("/superroot.v5.Proofs/ProveBlock", true),
    ] {
        let routes = Some(BTreeSet::from([pattern.parse().unwrap()]));
        let new = NewKey { scope: Scope { chains: None, routes }, ..NewKey::default() };
        let issued = accounts.create_key(Actor::Operator(&by), account, &new).unwrap();
        let mut proofs = ProofsClient::new(served.with(&[("x-api-key", issued.secret.expose())]));
        match proofs.prove_block(of("1", 7)).await {
            Ok(_) => assert!(may_prove, "{pattern}"),
            Err(status) => {
                assert!(!may_prove, "{pattern}");
                problem(&status, Code::PermissionDenied, "out_of_scope");
            }
        }
    }
}
