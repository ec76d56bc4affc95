//! Events as they come, which are those of `/v5/stream`.

use serde_json::Value;
use superroot_account::Tier;
use superroot_wire::grpc::streams_client::StreamsClient;
use superroot_wire::grpc::{ListenRequest, StreamEvent};
use tonic::{Code, Streaming};

use crate::grpc::Served;
use crate::support::World;

fn wish(topics: &[&str]) -> ListenRequest {
    let topics = topics.iter().map(|topic| (*topic).to_owned()).collect();
    ListenRequest { topics, chain: vec!["1".to_owned()], ..ListenRequest::default() }
}

async fn next(stream: &mut Streaming<StreamEvent>) -> StreamEvent {
    let next = tokio::time::timeout(std::time::Duration::from_secs(20), stream.message());
    next.await.expect("something comes").expect("it is no refusal").expect("the stream goes on")
}

fn data(event: &StreamEvent) -> Value {
    serde_json::from_str(&event.data_json).unwrap()
}

#[tokio::test]
async fn a_stream_tells_what_happens_and_goes_on_after_a_cursor() {
    let mut served = Served::new(World::small);
    served.world.tell();
    let mut client = StreamsClient::new(served.with(&[("x-api-key", &served.key)]));
    let opened = client.listen(wish(&["superroot", "anchored"])).await.unwrap();
    assert!(opened.metadata().contains_key("x-request-id"));
    let mut stream = opened.into_inner();
    assert_eq!(next(&mut stream).await.event, "ready");
    served.world.step(120);
    served.world.tell();
    let anchored = next(&mut stream).await;
    assert_eq!((anchored.event.as_str(), &data(&anchored)["toBlock"]), ("anchored", &32.into()));
    let published = next(&mut stream).await;
    assert_eq!(data(&published)["sequence"], 2);
    let since = ListenRequest { since: anchored.cursor, ..wish(&["superroot", "anchored"]) };
    let mut again = client.listen(since).await.unwrap().into_inner();
    assert_eq!(next(&mut again).await.event, "ready");
    assert_eq!(next(&mut again).await, published);
    served.world.hub.close();
    assert_eq!(next(&mut stream).await.event, "ended");
    assert!(stream.message().await.unwrap().is_none());
}

#[tokio::test]
async fn who_may_not_listen_is_told_why() {
    let served = Served::new(World::small);
    served.world.tell();
    let mut client = StreamsClient::new(served.with(&[("x-api-key", &served.key)]));
    for (request, code) in [
        (wish(&[]), Code::InvalidArgument),
        (wish(&["prices"]), Code::InvalidArgument),
        (ListenRequest { chain: vec!["narnia".into()], ..wish(&["finality"]) }, Code::NotFound),
        (ListenRequest { chain: vec!["base".into()], ..wish(&["logs"]) }, Code::Unavailable),
        (ListenRequest { since: "yesterday".into(), ..wish(&["logs"]) }, Code::InvalidArgument),
        (ListenRequest { topic0: vec![vec![1]], ..wish(&["logs"]) }, Code::InvalidArgument),
    ] {
        let refused = client.listen(request.clone()).await.unwrap_err();
        assert_eq!(refused.code(), code, "{request:?}: {refused}");
    }
    let builder = served.world.key_of_tier(Tier::Builder);
    let mut client = StreamsClient::new(served.with(&[("x-api-key", &builder)]));
    let refused = client.listen(wish(&["superroot"])).await.unwrap_err();
    assert_eq!(refused.code(), Code::PermissionDenied);
}
