//! Streams over HTTP and over a WebSocket: what comes first, what comes back, who is refused, and how a stream
//! ends.

use crate::support;

use std::net::SocketAddr;
use std::time::Duration;

use axum::body::Body;
use axum::response::Response;
use futures_util::{SinkExt, StreamExt};
use http_body_util::BodyExt;
use serde_json::{Value, json};
use superroot_account::Tier;
use support::*;
use tokio::net::TcpStream;
use tokio_tungstenite::WebSocketStream;
use tokio_tungstenite::tungstenite::Message;
use tokio_tungstenite::tungstenite::client::IntoClientRequest;
use tower::ServiceExt;

/// An event of a stream as it was sent.
#[derive(Clone, Debug, PartialEq)]
struct Sent {
    id: String,
    name: String,
    data: Value,
}

/// A stream that is read.
struct Reader {
    body: Body,
    text: String,
}

impl Reader {
    async fn open(world: &World, key: &str, query: &str, headers: &[(&str, &str)]) -> Self {
        Self::open_at(world, key, &format!("/v5/stream?{query}"), headers).await
    }

    async fn open_at(world: &World, key: &str, path: &str, headers: &[(&str, &str)]) -> Self {
        let response = opened_at(world, key, path, headers).await;
        assert_eq!(response.status(), 200);
        assert_eq!(response.headers()["content-type"], "text/event-stream");
        assert_eq!(response.headers()["cache-control"], "no-store");
        assert!(response.headers().contains_key("x-ratelimit-limit"));
        assert!(response.headers().contains_key("x-request-id"));
        Self { body: response.into_body(), text: String::new() }
    }

    /// The next event; none when the stream has ended.
    async fn next(&mut self) -> Option<Sent> {
        loop {
            if let Some((event, rest)) = self.text.split_once("\n\n") {
                let (event, rest) = (event.to_owned(), rest.to_owned());
                self.text = rest;
                let field = |name: &str| {
                    let mut lines = event.lines().filter_map(|line| line.strip_prefix(name));
                    lines.next().unwrap_or_default().trim().to_owned()
                };
                if field("event:").is_empty() {
                    continue; // a sign of life
                }
                let data = serde_json::from_str(&field("data:")).unwrap();
                return Some(Sent { id: field("id:"), name: field("event:"), data });
            }
            let frame = tokio::time::timeout(Duration::from_secs(30), self.body.frame());
            let frame = frame.await.expect("something comes within half a minute")?.unwrap();
            self.text.push_str(std::str::from_utf8(&frame.into_data().unwrap()).unwrap());
        }
    }

    /// What comes until that event, with it.
    async fn until(&mut self, name: &str) -> Vec<Sent> {
        let mut all = Vec::new();
        loop {
            all.push(self.next().await.expect("the stream goes on"));
            if all.last().is_some_and(|last| last.name == name) {
                return all;
            }
        }
    }
}

async fn opened_at(world: &World, key: &str, path: &str, headers: &[(&str, &str)]) -> Response {
    let mut all = vec![("x-api-key", key)];
    all.retain(|(_, key)| !key.is_empty());
    all.extend_from_slice(headers);
    let request = request("GET", path, &all, Body::empty());
    world.router.clone().oneshot(request).await.unwrap()
}

fn world() -> World {
    let world = World::small(unlimited());
    world.tell();
    world
}

#[tokio::test]
async fn a_stream_begins_with_ready_and_goes_on_where_it_was_left() {
    let mut world = world();
    let key = world.key_of_tier(Tier::Builder);
    let query = "topics=superroot,anchored,finality,logs&finality=head&chain=ethereum";
    let mut reader = Reader::open(&world, &key, query, &[]).await;
    let ready = reader.next().await.unwrap();
    assert_eq!((ready.name.as_str(), &ready.data["chainIds"]), ("ready", &json!([1])));
    assert_eq!(ready.data["topics"], json!(["superroot", "anchored", "finality", "logs"]));
    assert_eq!(ready.data["cursor"], ready.id.as_str());
    world.extend(34..37, false);
    world.tell();
    let heads = reader.until("finality").await;
    assert_eq!(heads[0].data["finality"], "head");
    assert_eq!((&heads[0].data["fromBlock"], &heads[0].data["toBlock"]), (&34.into(), &36.into()));
    world.step(120);
    world.tell();
    let mut all = reader.until("superroot").await;
    let published = all.pop().unwrap();
    assert_eq!(published.data["proofUrl"], "/v5/superroot/2");
    assert_eq!(published.data["v5Anchor"]["sequence"], 2);
    let anchored = all.pop().unwrap();
    assert_eq!((anchored.name.as_str(), &anchored.data["toBlock"]), ("anchored", &32.into()));
    assert!(!all.is_empty() && all.iter().all(|event| event.name == "logs"), "{all:?}");
    for event in &all {
        let proof = event.data["proofUrl"].as_str().unwrap();
        assert_eq!(event.data["finality"], "head");
        world.get(&format!("{proof}?level=1")).await.good();
    }
    // the same again, from every place, by header and by query
    let events: Vec<Sent> = [heads, all, vec![anchored, published]].concat();
    for (place, event) in events.iter().enumerate().take(events.len() - 1) {
        let since = format!("{query}&since={}", event.id);
        let header = [("last-event-id", event.id.as_str())];
        let readers = [
            Reader::open(&world, &key, &since, &[]).await,
            Reader::open(&world, &key, query, &header).await,
            Reader::open(&world, &key, &format!("{query}&since={}", events[0].id), &header).await,
        ];
        for mut again in readers {
            assert_eq!(again.next().await.unwrap().data["cursor"], event.id.as_str());
            assert_eq!(again.until("superroot").await, events[place + 1..]);
        }
    }
    assert_eq!(ready.data["notIndexed"], json!([]));
}

#[tokio::test]
async fn who_may_not_listen_or_asks_for_nonsense_is_told_why() {
    let world = world();
    let (builder, explorer) = (world.key_of_tier(Tier::Builder), world.key_of_tier(Tier::Explorer));
    let asked = async |key: &str, query: &str| {
        let headers: Vec<_> =
            [("x-api-key", key)].into_iter().filter(|(_, k)| !k.is_empty()).collect();
        world.get_with(&format!("/v5/stream?{query}"), &headers).await
    };
    asked("", "topics=superroot").await.problem(401, "api_key_required");
    asked(&explorer, "topics=superroot").await.problem(403, "tier_required");
    let refused = async |query: &str, parameter: &str| {
        let problem = asked(&builder, query).await.problem(400, "invalid_parameter");
        assert_eq!(problem["parameter"], parameter, "{query}: {problem}");
    };
    refused("", "topics").await;
    refused("topics=prices", "topics").await;
    refused("topics=logs,", "topics").await;
    refused("topics=superroot&finality=head", "finality").await;
    refused("topics=finality&topic0=0x12", "topic0").await;
    refused("topics=logs&topic0=0x12", "topic0").await;
    refused("topics=logs&finality=soon", "finality").await;
    refused("topics=logs&address=0x12", "address").await;
    refused(
        "topics=logs&chain=1,bitcoin&address=0x1111111111111111111111111111111111111111",
        "address",
    )
    .await;
    refused("topics=logs&since=yesterday", "since").await;
    refused("topics=logs&tx=0x12", "tx").await;
    refused("topics=anchored&tx=0x12&chain=1", "tx").await;
    refused(&format!("topics=anchored&tx=0x{}", "1".repeat(64)), "chain").await;
    let of_two = format!("topics=anchored&chain=1,8453&tx=0x{}", "1".repeat(64));
    let detail = asked(&builder, &of_two).await.problem(400, "invalid_parameter")["detail"].clone();
    assert_eq!(detail, "chain is \"1,8453\", expected one chain, that of the transaction");
    refused("topics=logs&api_key=sr_live_secret", "query").await;
    refused("topics=logs&partial=2", "partial").await;
    asked(&builder, "topics=logs&chain=narnia").await.problem(404, "unknown_chain");
    asked(&builder, "topics=logs&chain=solana").await.problem(404, "not_provable");
    asked(&builder, "topics=logs&chain=base").await.problem(503, "chain_unavailable");
    let mut partial =
        Reader::open(&world, &builder, "topics=logs&chain=1,base&partial=1", &[]).await;
    assert_eq!(partial.next().await.unwrap().data["notIndexed"], json!([8453]));
    let mut all = Reader::open(&world, &builder, "topics=logs", &[]).await;
    let lacking = all.next().await.unwrap().data["notIndexed"].as_array().unwrap().len();
    assert!(lacking > 20, "what is not followed is said: {lacking}");
    let old = "00c0ffee00c0ffee-7";
    let mut stale =
        Reader::open(&world, &builder, "topics=superroot", &[("last-event-id", old)]).await;
    let told = stale.until("stale").await;
    assert_eq!(told.last().unwrap().data["since"], old);
}

#[tokio::test]
async fn a_tier_has_so_many_streams_and_one_that_closes_makes_room() {
    let mut settings = unlimited();
    settings.accounts.plans.tiers.builder.streams_max = 2;
    let world = World::small(settings);
    world.tell();
    let key = world.key_of_tier(Tier::Builder);
    let first = Reader::open(&world, &key, "topics=superroot", &[]).await;
    let _second = Reader::open(&world, &key, "topics=superroot", &[]).await;
    let refused = world.get_with("/v5/stream?topics=superroot", &[("x-api-key", &key)]).await;
    let problem = refused.problem(429, "too_many_streams");
    assert_eq!(problem["limit"], 2);
    drop(first);
    let _third = Reader::open(&world, &key, "topics=superroot", &[]).await;
    assert_eq!(world.hub.listener_count(), 2);
    let other = world.key_of_tier(Tier::Protocol);
    Reader::open(&world, &other, "topics=superroot", &[]).await;
}

#[tokio::test]
async fn a_token_opens_one_stream() {
    let world = world();
    let key = world.key_of_tier(Tier::Builder);
    let given = world.ask(&key, "POST", "/api/v1/stream-token", None).await.created();
    let token = given["token"].as_str().unwrap().to_owned();
    assert_eq!(given["expires_in_seconds"], 60);
    let query = format!("topics=superroot&token={token}");
    let other = world.get(&format!("/v5/logs?chain=1&token={token}")).await;
    other.problem(401, "api_key_required");
    let mut reader = Reader::open(&world, "", &query, &[]).await;
    assert_eq!(reader.next().await.unwrap().name, "ready");
    for used in [token.as_str(), "srt_00", ""] {
        let again = world.get(&format!("/v5/stream?topics=superroot&token={used}")).await;
        let problem = again.problem(401, "invalid_api_key");
        assert!(!problem.to_string().contains("srt_"), "{problem}");
    }
    let late = world.ask(&key, "POST", "/api/v1/stream-token", None).await.created();
    world.clock.set(superroot_types::UnixSeconds(NOW + 60));
    let token = late["token"].as_str().unwrap();
    let late = world.get(&format!("/v5/stream?topics=superroot&token={token}")).await;
    late.problem(401, "invalid_api_key");
    let explorer = world.key_of_tier(Tier::Explorer);
    world.ask(&explorer, "POST", "/api/v1/stream-token", None).await.problem(403, "tier_required");
}

#[tokio::test(start_paused = true)]
async fn a_stream_ends_with_its_key_and_with_the_service() {
    let world = world();
    let key = world.key_of_tier(Tier::Builder);
    let made = world.ask(&key, "POST", "/api/v1/keys", Some(&json!({}))).await.created();
    let other = made["api_key"].as_str().unwrap().to_owned();
    let id = made["key"]["id"].as_str().unwrap();
    let mut reader = Reader::open(&world, &other, "topics=superroot", &[]).await;
    let mut stays = Reader::open(&world, &key, "topics=superroot", &[]).await;
    let given = world.ask(&other, "POST", "/api/v1/stream-token", None).await.created();
    reader.next().await.unwrap();
    stays.next().await.unwrap();
    let gone = world.ask(&key, "DELETE", &format!("/api/v1/keys/{id}"), None).await;
    assert!(gone.status.is_success(), "{}", gone.status);
    let ended = reader.next().await.unwrap();
    assert_eq!(ended.name, "ended");
    assert!(ended.data["why"].as_str().unwrap().contains("key"), "{ended:?}");
    assert_eq!(reader.next().await, None);
    // a token that the key was given before opens a stream that ends at the first look
    let query = format!("topics=superroot&token={}", given["token"].as_str().unwrap());
    let mut late = Reader::open(&world, "", &query, &[]).await;
    assert_eq!(late.next().await.unwrap().name, "ready");
    let ended = late.next().await.unwrap();
    assert_eq!(ended.name, "ended");
    assert!(ended.data["why"].as_str().unwrap().contains("key"), "{ended:?}");
    assert_eq!(late.next().await, None);
    world.hub.close();
    let ended = stays.next().await.unwrap();
    assert_eq!((ended.name.as_str(), ended.id.as_str()), ("ended", ""));
    assert_eq!(stays.next().await, None);
}

#[tokio::test]
async fn a_proof_that_is_waited_for_comes_when_it_can_be_had() {
    let mut world = world();
    world.get("/v5/proof/1/32").await.problem(409, "not_yet_anchored");
    let router = world.router.clone();
    let waiting = tokio::spawn(async move {
        let asked = request("GET", "/v5/proof/1/32?wait=15", &[], Body::empty());
        router.oneshot(asked).await.unwrap().status()
    });
    tokio::time::sleep(Duration::from_millis(300)).await;
    assert!(!waiting.is_finished());
    world.step(120);
    world.tell();
    let status = tokio::time::timeout(Duration::from_secs(5), waiting).await.unwrap().unwrap();
    assert_eq!(status, 200);
    let begun = std::time::Instant::now();
    world.get("/v5/proof/1/33?wait=1").await.problem(409, "not_final");
    assert!(begun.elapsed() >= Duration::from_secs(1));
    // a transaction that was never seen may have been sent a moment ago
    for path in ["/v5/proof/tx/1", "/v5/tx/ethereum"] {
        let begun = std::time::Instant::now();
        let path = format!("{path}/0x{}", "2".repeat(64));
        world.get(&format!("{path}?wait=1")).await.problem(404, "not_indexed");
        assert!(begun.elapsed() >= Duration::from_secs(1), "{path}");
    }
    let problem = world.get("/v5/proof/1/33?wait=16").await.problem(400, "invalid_parameter");
    assert_eq!(problem["parameter"], "wait");
}

type Socket = WebSocketStream<TcpStream>;

async fn socket(address: SocketAddr, key: &str) -> Socket {
    let mut request = format!("ws://{address}/v5/ws").into_client_request().unwrap();
    request.headers_mut().insert("x-api-key", key.parse().unwrap());
    let stream = TcpStream::connect(address).await.unwrap();
    tokio_tungstenite::client_async(request, stream).await.unwrap().0
}

async fn say(socket: &mut Socket, message: Value) {
    socket.send(Message::text(message.to_string())).await.unwrap();
}

async fn hear(socket: &mut Socket) -> Value {
    loop {
        let message = tokio::time::timeout(Duration::from_secs(20), socket.next());
        match message.await.expect("something comes").expect("the socket is open").unwrap() {
            Message::Text(text) => return serde_json::from_str(&text).unwrap(),
            Message::Ping(_) | Message::Pong(_) => {}
            other => panic!("{other:?}"),
        }
    }
}

#[tokio::test]
async fn one_socket_has_many_subscriptions_each_of_which_comes_and_goes() {
    let mut world = world();
    let address = world.listen().await;
    let key = world.key_of_tier(Tier::Builder);
    let mut web = socket(address, &key).await;
    say(&mut web, json!({ "op": "subscribe", "id": "a", "topics": ["superroot"] })).await;
    assert_eq!(hear(&mut web).await["event"], "ready");
    let logs = json!({ "op": "subscribe", "id": "b", "topics": "logs", "chain": [1],
        "finality": "head" });
    say(&mut web, logs.clone()).await;
    assert_eq!(hear(&mut web).await["data"]["chainIds"], json!([1]));
    say(&mut web, logs).await;
    let refused = hear(&mut web).await;
    assert_eq!((&refused["event"], &refused["id"]), (&json!("refused"), &json!("b")));
    assert_eq!(refused["data"]["parameter"], "id");
    world.extend(34..35, false);
    world.step(120);
    world.tell();
    let mut heard = vec![hear(&mut web).await];
    while !heard.iter().any(|one| one["id"] == "a") || !heard.iter().any(|one| one["id"] == "b") {
        heard.push(hear(&mut web).await);
    }
    let root = heard.iter().find(|one| one["id"] == "a").unwrap();
    assert_eq!((&root["event"], &root["data"]["sequence"]), (&json!("superroot"), &json!(2)));
    let log = heard.iter().find(|one| one["id"] == "b").unwrap();
    assert!(log["cursor"].is_string() && log["data"]["v5Anchor"].is_object(), "{log}");
    say(&mut web, json!({ "op": "unsubscribe", "id": "b" })).await;
    while hear(&mut web).await["event"] != "unsubscribed" {}
    // resumed on another socket, after the first log
    let mut again = socket(address, &key).await;
    let since = json!({ "op": "subscribe", "id": "c", "topics": ["superroot"],
        "since": log["cursor"] });
    say(&mut again, since).await;
    assert_eq!(hear(&mut again).await["event"], "ready");
    assert_eq!(hear(&mut again).await["data"]["sequence"], 2);
}

#[tokio::test]
async fn a_socket_says_what_is_wrong_with_a_message_and_goes_on() {
    let world = world();
    let address = world.listen().await;
    let key = world.key_of_tier(Tier::Builder);
    world.get("/v5/ws").await.problem(401, "api_key_required");
    let plain = world.get_with("/v5/ws", &[("x-api-key", &key)]).await;
    assert_eq!(plain.problem(400, "invalid_parameter")["parameter"], "Upgrade");
    let mut web = socket(address, &key).await;
    for (message, parameter) in [
        (json!("text"), "message"),
        (json!({}), "op"),
        (json!({ "op": "dance" }), "op"),
        (json!({ "op": "subscribe" }), "id"),
        (json!({ "op": "subscribe", "id": "" }), "id"),
        (json!({ "op": "subscribe", "id": 5, "topics": "superroot" }), "id"),
        (json!({ "op": "subscribe", "id": "a" }), "topics"),
        (json!({ "op": "subscribe", "id": "a", "topics": [] }), "topics"),
        (json!({ "op": "subscribe", "id": "a", "topics": [{}] }), "topics"),
        (json!({ "op": "subscribe", "id": "a", "topics": "logs", "filter": 1 }), "filter"),
        (json!({ "op": "unsubscribe", "id": "a" }), "id"),
    ] {
        say(&mut web, message.clone()).await;
        let refused = hear(&mut web).await;
        assert_eq!(refused["event"], "refused", "{message}: {refused}");
        assert_eq!(refused["data"]["parameter"], parameter, "{message}: {refused}");
    }
    say(&mut web, json!({ "op": "unsubscribe", "id": 5 })).await;
    let detail = hear(&mut web).await["data"]["detail"].clone();
    assert_eq!(detail, "id is 5, expected a text of 1 to 64 bytes");
    web.send(Message::text("{")).await.unwrap();
    assert_eq!(hear(&mut web).await["event"], "refused");
    say(&mut web, json!({ "op": "ping" })).await;
    assert_eq!(hear(&mut web).await["event"], "pong");
    for place in 0..17 {
        say(&mut web, json!({ "op": "subscribe", "id": place.to_string(), "topics": "superroot" }))
            .await;
        let expected = if place < 16 { "ready" } else { "refused" };
        assert_eq!(hear(&mut web).await["event"], expected, "{place}");
    }
    // a binary frame is refused as what is no JSON object is
    web.send(Message::binary(b"{}".to_vec())).await.unwrap();
    let refused = hear(&mut web).await;
    assert_eq!(
        (&refused["event"], &refused["data"]["parameter"]),
        (&json!("refused"), &json!("message"))
    );
    say(&mut web, json!({ "op": "ping" })).await;
    assert_eq!(hear(&mut web).await["event"], "pong");
}

/// With which code, and in which words, the service closes a socket.
async fn closed(socket: &mut Socket) -> (u16, String) {
    let end = async {
        loop {
            match socket.next().await.expect("a frame says why").expect("it is no reset") {
                Message::Close(Some(frame)) => {
                    return (frame.code.into(), frame.reason.to_string());
                }
                Message::Close(None) => panic!("no code"),
                _ => {}
            }
        }
    };
    tokio::time::timeout(Duration::from_secs(20), end).await.expect("the socket is closed")
}

#[tokio::test]
async fn a_message_that_is_too_long_closes_the_socket_with_1009() {
    let world = world();
    let address = world.listen().await;
    let key = world.key_of_tier(Tier::Builder);
    for bytes in [65_537, 70_000, 3 << 20] {
        let mut web = socket(address, &key).await;
        web.send(Message::text("x".repeat(bytes))).await.unwrap();
        let (code, why) = closed(&mut web).await;
        assert_eq!((code, why.contains("65,536")), (1009, true), "{bytes}: {why}");
    }
    let mut web = socket(address, &key).await;
    say(&mut web, json!({ "op": "ping", "id": "x".repeat(65_000) })).await;
    assert_eq!(hear(&mut web).await["event"], "pong", "what is not too long is read");
}

#[tokio::test]
async fn a_few_messages_in_a_row_that_are_no_objects_close_the_socket_with_1008() {
    let world = world();
    let address = world.listen().await;
    let key = world.key_of_tier(Tier::Builder);
    let mut web = socket(address, &key).await;
    for _ in 0..5 {
        for malformed in ["{", "[]", "7"] {
            web.send(Message::text(malformed)).await.unwrap();
            assert_eq!(hear(&mut web).await["event"], "refused");
        }
        say(&mut web, json!({ "op": "ping" })).await;
        assert_eq!(
            hear(&mut web).await["event"],
            "pong",
            "one that is good begins the count again"
        );
    }
    for _ in 0..4 {
        web.send(Message::binary(vec![0; 10])).await.unwrap();
    }
    assert_eq!(closed(&mut web).await.0, 1008);
}

/// A message is a request: it counts against the limit of its key, and is refused past it.
#[tokio::test]
async fn messages_on_a_socket_count_as_requests() {
    let mut settings = unlimited();
    settings.accounts.plans.tiers.builder.limit_per_minute = Some(100);
    let world = World::small(settings);
    world.tell();
    let address = world.listen().await;
    let key = world.key_of_tier(Tier::Builder);
    let mut web = socket(address, &key).await;
    let remaining = async || {
        let reply = world.get_with("/v5/proof/1/20", &[("x-api-key", &key)]).await;
        reply.header("x-ratelimit-remaining").parse::<u64>().unwrap()
    };
    let before = remaining().await;
    for _ in 0..10 {
        say(&mut web, json!({ "op": "ping" })).await;
        assert_eq!(hear(&mut web).await["event"], "pong");
    }
    assert_eq!(remaining().await, before - 11);
    let mut passed = 0;
    let refused = loop {
        say(&mut web, json!({ "op": "ping" })).await;
        let heard = hear(&mut web).await;
        if heard["event"] != "pong" {
            break heard;
        }
        passed += 1;
    };
    assert_eq!(passed, before - 11);
    assert_eq!(
        (&refused["event"], &refused["data"]["code"]),
        (&json!("refused"), &json!("rate_limited"))
    );
    assert!(
        refused["data"]["retry_after"].is_u64() || refused["data"]["retryAfter"].is_u64(),
        "{refused}"
    );
    // whoever goes on all the same is let go
    for _ in 0..70 {
        if web.send(Message::Ping(Vec::new().into())).await.is_err() {
            break;
        }
    }
    assert_eq!(closed(&mut web).await.0, 1008);
}

/// Launches come with the members that the specification names, once each, also after a pause; small ones pass by.
#[tokio::test]
async fn launches_come_as_they_are_found_and_go_on_from_their_cursor() {
    let world = world();
    let key = world.key_of_tier(Tier::Builder);
    world.extend(34..40, false);
    world.tell();
    let mut reader = Reader::open_at(&world, &key, "/signals/launches?chain_id=1", &[]).await;
    assert_eq!(reader.next().await.unwrap().name, "ready");
    world.extend(40..200, false);
    world.tell();
    let list = world
        .get_with("/signals/launches?format=json&limit=500", &[("x-api-key", &key)])
        .await
        .good();
    let mut expected: Vec<Value> = list["launches"].as_array().unwrap().clone();
    expected.retain(|one| one["block"].as_u64().unwrap() >= 40);
    expected.reverse();
    assert!(expected.len() >= 2, "{list}");
    let mut told = Vec::new();
    while told.len() < expected.len() {
        let sent = reader.next().await.unwrap();
        assert_eq!(sent.name, "token_launch");
        told.push(sent);
    }
    for (sent, expected) in told.iter().zip(&expected) {
        let (mut data, mut expected) = (sent.data.clone(), expected.clone());
        assert!(data.as_object_mut().unwrap().remove("v5Anchor").is_some());
        // what nodes are asked, the list alone has
        let missing =
            |launch: &mut Value| launch["checks"]["missing"].take().as_array().unwrap().len();
        assert_eq!(missing(&mut data), missing(&mut expected));
        assert_eq!(data, expected);
        for member in ["symbol", "chainId", "liquidityUSD", "proofHash"] {
            assert!(!data[member].is_null(), "{member}");
        }
    }
    // each weighs, and none is a request
    world.accounts.flush(superroot_types::UnixSeconds(NOW)).unwrap();
    let usage = world.get_with("/api/v1/usage", &[("x-api-key", &key)]).await.good();
    assert_eq!(usage["billing"]["tokens_used"], told.len(), "{usage}");
    assert_eq!(usage["requests_today"], 2, "the stream and the list: {usage}");
    // after the first, the others; and by the header
    let id = told[0].id.clone();
    let headers = [("last-event-id", id.as_str())];
    let mut again = Reader::open_at(&world, &key, "/signals/launches?chain_id=1", &headers).await;
    assert_eq!(again.next().await.unwrap().name, "ready");
    for sent in &told[1..] {
        assert_eq!(&again.next().await.unwrap(), sent);
    }
    // the same on /v5/stream, by topic
    let query = format!("topics=launches&chain=1&finality=head&since={id}");
    let mut stream = Reader::open(&world, &key, &query, &[]).await;
    assert_eq!(stream.next().await.unwrap().name, "ready");
    assert_eq!(stream.next().await.unwrap().data, told[1].data);
}

/// What is undone is said: a launch stands and falls with its block.
#[tokio::test]
async fn launches_of_undone_blocks_are_retracted() {
    let world = world();
    let key = world.key_of_tier(Tier::Builder);
    world.extend(34..40, false);
    world.tell();
    let mut reader = Reader::open_at(&world, &key, "/signals/launches", &[]).await;
    reader.until("ready").await;
    undo(&world, 39);
    world.tell();
    let sent = reader.next().await.unwrap();
    assert_eq!(sent.name, "retracted");
    assert_eq!(sent.data["fromBlock"], 39);
}

/// The newest head is gone.
fn undo(world: &World, number: u64) {
    use superroot_store::feed::{Changes, append};
    use superroot_store::layout::{BlockTip, block_key};
    use superroot_store::{Table, WriteBatch, read};
    use superroot_types::{BlockNumber, UnixSeconds};

    let (chain, number) = (world.key(), BlockNumber(number));
    let hash = read::load_block(&*world.store, chain, number).unwrap().unwrap().hash;
    let (mut batch, mut changes) = (WriteBatch::new(), Changes::default());
    changes.undone(BlockTip { number, hash });
    batch.delete(Table::Block, block_key(chain, number));
    append(&mut batch, &*world.store, chain, changes, UnixSeconds(NOW), 1_000_000).unwrap();
    world.store.commit(batch).unwrap();
}

/// Whoever wants final blocks alone is told of no heads, nor that any are gone.
#[tokio::test]
async fn the_topic_of_finality_can_be_confined_to_final_blocks() {
    let world = world();
    let key = world.key_of_tier(Tier::Builder);
    for (query, expected) in [
        ("topics=finality&chain=1&finality=finalized", "finalized"),
        ("topics=finality&chain=1&finality=head", "head"),
    ] {
        let mut reader = Reader::open(&world, &key, query, &[]).await;
        assert_eq!(reader.next().await.unwrap().name, "ready");
        let from = if expected == "head" { 36 } else { 34 };
        world.extend(from..from + 1, false);
        world.extend(from..from + 1, true);
        world.extend(from + 1..from + 2, true);
        world.tell();
        let sent = reader.next().await.unwrap();
        assert_eq!((sent.name.as_str(), &sent.data["finality"]), ("finality", &json!(expected)));
    }
    let refused =
        opened_at(&world, &key, "/v5/stream?topics=finality&finality=anchored", &[]).await;
    assert_eq!(refused.status(), 400);
}
