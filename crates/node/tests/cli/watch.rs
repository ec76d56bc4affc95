//! `superroot watch` of a service that says what a simulated one takes long to come to.

use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use serde_json::{Value, json};

use crate::Bench;

/// Answers one request: an order that is opened at first and over later, or a stream that tells nothing.
fn answer(mut stream: TcpStream, asked: &AtomicUsize, over: &Value) {
    let mut request = [0; 4096];
    let length = stream.read(&mut request).unwrap_or(0);
    let request = String::from_utf8_lossy(&request[..length]).into_owned();
    if request.starts_with("GET /v5/stream?topics=orders&order=across") {
        let head = "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n\r\n";
        let _ = stream.write_all(format!("{head}event: ready\ndata: {{}}\n\n").as_bytes());
        std::thread::sleep(Duration::from_secs(60));
        return;
    }
    assert!(request.starts_with("GET /events/across"), "{request}");
    let mut order = json!({ "order_id": "across:42161:7", "protocol": "across", "state": "opened",
        "terminal": false, "transitions": [], "stuck": null });
    if asked.fetch_add(1, Ordering::SeqCst) > 0 {
        order.as_object_mut().unwrap().extend(over.as_object().unwrap().clone());
    }
    let order = order.to_string();
    let head = "HTTP/1.1 200 OK\r\nconnection: close\r\ncontent-type: application/json";
    let _ = write!(stream, "{head}\r\ncontent-length: {}\r\n\r\n{order}", order.len());
}

/// Watches an order that is opened when it is first asked for, and later as `over` says.
fn watch(over: Value, texts: &[&str]) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    let known = Arc::new((AtomicUsize::new(0), over));
    let served = Arc::clone(&known);
    std::thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            let served = Arc::clone(&served);
            std::thread::spawn(move || answer(stream, &served.0, &served.1));
        }
    });
    let bench = Bench::new();
    let args = ["watch", "order", "across:42161:7", "--url", &url];
    bench.run(&args).expect(0, texts);
    assert_eq!(known.0.load(Ordering::SeqCst), 2);
    let again = bench.run(&[&args[..], &["--json"]].concat());
    assert_eq!(
        again.json()["data"]["state"],
        known.1["state"],
        "it is over: nothing is waited for"
    );
}

/// No event tells that an order expires, and refunds that are paid in bundles name no order: who waits for it is told
/// all the same, and the command ends.
#[test]
fn watching_an_order_ends_when_it_is_over() {
    let stuck =
        json!({ "reason": "refund_not_told_apart", "detail": "refunds are paid in bundles" });
    let expired = json!({ "state": "expired", "stuck": stuck });
    watch(expired, &["opened", "expired", "refunds are paid in bundles", "/events/across:42161:7"]);
    let step = json!({ "state": "refunded", "anchor_status": "anchored" });
    let refunded = json!({ "state": "refunded", "terminal": true, "transitions": [step] });
    watch(refunded, &["opened", "refunded"]);
}

/// What is said of the connection is shown, and is none of the events that were asked for.
#[test]
fn only_events_count_towards_the_count() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    std::thread::spawn(move || {
        let (mut stream, _) = listener.accept().unwrap();
        let mut request = [0; 4096];
        let _ = stream.read(&mut request).unwrap();
        let head = "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n\r\n";
        let names = ["ready", "gap", "finality", "lagged", "finality", "finality"];
        let events = names.map(|name| format!("event: {name}\ndata: {{}}\n\n")).concat();
        let _ = stream.write_all(format!("{head}{events}").as_bytes());
        std::thread::sleep(Duration::from_secs(60));
    });
    let bench = Bench::new();
    let shown = bench.run(&["watch", "finality", "--url", &url, "--count", "2", "--json"]);
    assert_eq!(shown.code, 0, "{}", shown.err);
    let names =
        shown.out.lines().map(|line| serde_json::from_str::<Value>(line).unwrap()["event"].take());
    let expected = ["ready", "gap", "finality", "lagged", "finality"];
    assert_eq!(names.collect::<Vec<_>>(), expected.map(Value::from));
    bench.run(&["watch", "finality", "--count", "0"]).expect(2, &["--count"]);
}
