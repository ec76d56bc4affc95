//! Health and reflection are open, and a socket speaks both HTTP and gRPC.

use std::sync::atomic::Ordering;
use std::time::Duration;

use futures_util::{StreamExt, stream};
use prost::Message;
use superroot_wire::grpc::ProveBlockRequest;
use superroot_wire::grpc::proofs_client::ProofsClient;
use tonic::Code;
use tonic::transport::Endpoint;
use tonic_health::pb::HealthCheckRequest;
use tonic_health::pb::health_check_response::ServingStatus;
use tonic_health::pb::health_client::HealthClient;
use tonic_reflection::pb::v1::server_reflection_client::ServerReflectionClient;
use tonic_reflection::pb::v1::server_reflection_request::MessageRequest;
use tonic_reflection::pb::v1::server_reflection_response::MessageResponse;
use tonic_reflection::pb::{v1, v1alpha};

use crate::grpc::Served;
use crate::support::{Settings, World};

fn about(service: &str) -> HealthCheckRequest {
    HealthCheckRequest { service: service.into() }
}

/// Neither asks for a key, nor counts: whoever looks every second is not limited by it.
#[tokio::test]
async fn health_is_what_ready_says_and_is_free() {
    let world = World::small(Settings::default());
    let mut client = HealthClient::new(world.router.clone());
    for _ in 0..200 {
        let answer = client.check(about("")).await.unwrap();
        assert!(answer.metadata().get("x-ratelimit-limit").is_none());
        assert_eq!(answer.into_inner().status(), ServingStatus::Serving);
    }
    let services = crate::grpc::read::POOL.services();
    let names: Vec<_> = services.map(|service| service.full_name().to_owned()).collect();
    assert!(names.contains(&"superroot.v5.Market".to_owned()), "{names:?}");
    for name in names {
        let answer = client.check(about(&name)).await.unwrap();
        assert_eq!(answer.into_inner().status(), ServingStatus::Serving, "{name}");
    }
    let unknown = client.check(about("superroot.v5.Nothing")).await.unwrap_err();
    assert_eq!(unknown.code(), Code::NotFound);
    world.ready.store(false, Ordering::SeqCst);
    world.get("/health/ready").await.problem(503, "starting");
    let answer = client.check(about("")).await.unwrap();
    assert_eq!(answer.into_inner().status(), ServingStatus::NotServing);
}

#[tokio::test(start_paused = true)]
async fn a_watch_says_what_changes_and_ends_in_its_time() {
    let world = World::small(Settings::default());
    let mut client = HealthClient::new(world.router.clone());
    let mut watch = client.watch(about("")).await.unwrap().into_inner();
    let said = |message: Option<tonic_health::pb::HealthCheckResponse>| message.unwrap().status();
    assert_eq!(said(watch.message().await.unwrap()), ServingStatus::Serving);
    world.ready.store(false, Ordering::SeqCst);
    assert_eq!(said(watch.message().await.unwrap()), ServingStatus::NotServing);
    let began = tokio::time::Instant::now();
    let mut again = 0;
    while let Some(message) = watch.message().await.unwrap() {
        assert_eq!(message.status(), ServingStatus::NotServing);
        again += 1;
    }
    // said again every 15 seconds, so that the connection is not closed as an idle one
    assert!((35..=40).contains(&again), "{again}");
    assert!((590..=600).contains(&began.elapsed().as_secs()), "{:?}", began.elapsed());
    let mut unknown = client.watch(about("x")).await.unwrap().into_inner();
    assert_eq!(said(unknown.message().await.unwrap()), ServingStatus::ServiceUnknown);
}

#[tokio::test]
async fn only_so_many_watches_are_open() {
    let world = World::small(Settings::default());
    let mut client = HealthClient::new(world.router.clone());
    let mut open = Vec::new();
    for _ in 0..256 {
        open.push(client.watch(about("")).await.unwrap());
    }
    let refused = client.watch(about("")).await.unwrap_err();
    assert_eq!(refused.code(), Code::ResourceExhausted);
    open.pop();
    client.watch(about("")).await.unwrap();
}

#[tokio::test]
async fn reflection_gives_the_contract_in_both_versions_without_a_key() {
    let served = Served::new(World::small);
    let asked = |message_request| v1::ServerReflectionRequest {
        host: String::new(),
        message_request: Some(message_request),
    };
    let mut client = ServerReflectionClient::new(served.with(&[]));
    let questions = [
        asked(MessageRequest::ListServices(String::new())),
        asked(MessageRequest::FileContainingSymbol("superroot.v5.Proofs".into())),
        asked(MessageRequest::FileContainingSymbol("superroot.v5.Nothing".into())),
    ];
    let answers = client.server_reflection_info(stream::iter(questions)).await.unwrap();
    let answers: Vec<_> = answers.into_inner().collect().await;
    let Some(MessageResponse::ListServicesResponse(list)) =
        answers[0].as_ref().unwrap().message_response.clone()
    else {
        panic!("{answers:?}")
    };
    let names: Vec<_> = list.service.iter().map(|service| service.name.as_str()).collect();
    for name in ["superroot.v5.Proofs", "superroot.v5.Events", "grpc.health.v1.Health"] {
        assert!(names.contains(&name), "{names:?}");
    }
    let Some(MessageResponse::FileDescriptorResponse(file)) =
        answers[1].as_ref().unwrap().message_response.clone()
    else {
        panic!("{answers:?}")
    };
    let pool = &crate::grpc::read::POOL;
    let own = pool.get_service_by_name("superroot.v5.Proofs").unwrap().parent_file();
    assert_eq!(file.file_descriptor_proto[0], own.file_descriptor_proto().encode_to_vec());
    assert!(answers[2].as_ref().is_err_and(|status| status.code() == Code::NotFound));
    let older = v1alpha::ServerReflectionRequest {
        host: String::new(),
        message_request: Some(v1alpha::server_reflection_request::MessageRequest::ListServices(
            String::new(),
        )),
    };
    let mut client =
        v1alpha::server_reflection_client::ServerReflectionClient::new(served.with(&[]));
    let answers = client.server_reflection_info(stream::iter([older])).await.unwrap();
    let answers: Vec<_> = answers.into_inner().collect().await;
    assert!(format!("{answers:?}").contains("superroot.v5.SuperRoots"), "{answers:?}");
}

/// HTTP/2 without an upgrade, as clients of gRPC speak it, on the port of HTTP/1.1.
#[tokio::test(flavor = "multi_thread")]
async fn one_port_speaks_both() {
    let served = Served::new(World::small);
    let address = served.world.listen().await;
    let endpoint = Endpoint::from_shared(format!("http://{address}")).unwrap();
    let channel = endpoint.timeout(Duration::from_secs(20)).connect().await.unwrap();
    let key = served.key.clone();
    let sends = crate::grpc::Sends(vec![("x-api-key", key)]);
    let mut client = ProofsClient::with_interceptor(channel, sends);
    let request = ProveBlockRequest { chain: "1".into(), block: Some(7), ..Default::default() };
    let mut calls = Vec::new();
    for _ in 0..50 {
        let (mut client, request) = (client.clone(), request.clone());
        calls.push(tokio::spawn(async move { client.prove_block(request).await }));
    }
    for call in calls {
        assert_eq!(call.await.unwrap().unwrap().into_inner().block_number, 7);
    }
    let refused = ProveBlockRequest { chain: "1".into(), block: Some(33), ..Default::default() };
    let status = client.prove_block(refused).await.unwrap_err();
    assert_eq!(status.code(), Code::FailedPrecondition);
    let plain = b"GET /v5/superroot HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n";
    let answer = crate::support::exchange(address, plain.to_vec()).await;
    assert!(answer.starts_with("HTTP/1.1 200"), "{answer}");
}
