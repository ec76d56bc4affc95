//! Laws of fetching: what is asked, and what becomes of answers of every kind.

use std::io::{Read, Write};
use std::net::TcpListener;
use std::sync::mpsc::{Receiver, channel};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use superroot_client::*;
use superroot_proof::scan::{ScanFilter, ScanStatement};
use superroot_types::*;
use superroot_wire::proof::{ProofQuery, ProofTarget};
use superroot_wire::superroot::Strength;
use superroot_wire::{BODY_BYTES_MAX, Case, Problem};

/// Answers every request with the same bytes, and tells what was asked.
fn server(answer: Vec<u8>) -> (String, Receiver<String>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = format!("http://{}", listener.local_addr().unwrap());
    let (asked, requests) = channel();
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            let Ok(mut stream) = stream else { break };
            let (mut request, mut byte) = (Vec::new(), [0]);
            while !request.ends_with(b"\r\n\r\n") && matches!(stream.read(&mut byte), Ok(1)) {
                request.push(byte[0]);
            }
            // the client may hang up in the middle of a body that is too large
            let _ = stream.write_all(&answer);
            if asked.send(String::from_utf8_lossy(&request).into_owned()).is_err() {
                break;
            }
        }
    });
    (address, requests)
}

fn answer(status: &str, headers: &str, body: &[u8]) -> Vec<u8> {
    let length = body.len();
    let head = format!(
        "HTTP/1.1 {status}\r\n{headers}content-length: {length}\r\nconnection: close\r\n\r\n"
    );
    [head.as_bytes(), body].concat()
}

#[tokio::test]
async fn every_method_asks_its_route() {
    let (address, requests) = server(answer("200 OK", "", b"body"));
    let client = Client::new(&address).unwrap();
    let hash = Hash([0xab; 32]);
    let chain = ChainKey { family: Family::Evm, id: ChainId(1) };
    let (number, tx_hash) = (BlockNumber(7), hash);
    let mut bodies = Vec::new();
    let block = number.into();
    for target in [
        ProofTarget::Block(BlockRef::Latest),
        ProofTarget::Block(block),
        ProofTarget::Transaction { tx_hash },
        ProofTarget::Event { block, tx_index: 3, log_index: 2 },
        ProofTarget::EventByHash { tx_hash, log_index: 2 },
        ProofTarget::Absence { block, tx_index: 3 },
    ] {
        bodies.push(client.fetch_proof(&ProofQuery { chain, target }).await);
    }
    bodies.push(client.fetch_superroot(SuperRootRef::Latest).await);
    bodies.push(client.fetch_superroot(SuperRootRef::Sequence(superroot_types::Sequence(4))).await);
    bodies.push(client.fetch_consistency(1, 4, Strength::Full).await);
    let pinned = client.clone().under(SuperRootRef::Hash(hash)).with_api_key("svc_test_x").unwrap();
    let block = ProofQuery { chain, target: ProofTarget::Block(block) };
    bodies.push(pinned.fetch_proof(&block).await);
    bodies.push(
        client
            .clone()
            .under(SuperRootRef::Sequence(superroot_types::Sequence(3)))
            .fetch_proof(&block)
            .await,
    );
    let filter = ScanFilter::new(
        vec![Address([1; 20]), Address([2; 20])],
        [vec![], vec![hash], vec![], vec![]],
        vec![Hash([3; 32])],
    );
    let (from, to) = (BlockNumber(5), BlockNumber(9));
    let scan = ScanStatement { chain, from, to, filter: filter.unwrap() };
    bodies.push(client.fetch_scan(&scan, ScanForm::Json).await);
    bodies.push(
        client
            .under(SuperRootRef::Sequence(superroot_types::Sequence(3)))
            .fetch_scan(&scan, ScanForm::File)
            .await,
    );
    assert!(bodies.into_iter().all(|body| body.unwrap() == b"body"));
    let requests: Vec<String> = requests.iter().take(13).collect();
    let paths: Vec<&str> =
        requests.iter().filter_map(|request| request.split(' ').nth(1)).collect();
    let hash = hash.to_string();
    let [one, two] = [1, 2].map(|byte| Address([byte; 20]));
    let scan_path = format!(
        "/v5/scan/1?fromBlock=5&toBlock=9&address={one}%2C{two}&topic1={hash}&topic={}",
        Hash([3; 32])
    );
    let accepts = |text: &str| requests.iter().position(|one| one.contains(text));
    assert_eq!(accepts("accept: application/octet-stream"), Some(12));
    let expected = [
        "/v5/proof/1/latest".to_owned(),
        "/v5/proof/1/7".to_owned(),
        format!("/v5/proof/tx/1/{hash}"),
        "/v5/proof/event/1/7/3/2".to_owned(),
        format!("/v5/event/1/{hash}/2"),
        "/v5/proof/absence/1/7/3".to_owned(),
        "/v5/superroot".to_owned(),
        "/v5/superroot/4".to_owned(),
        "/v5/superroot/consistency?from=1&to=4&strength=full".to_owned(),
        format!("/v5/proof/1/7?root={hash}"),
        "/v5/proof/1/7?sequence=3".to_owned(),
        scan_path.clone(),
        format!("{scan_path}&sequence=3"),
    ];
    assert_eq!(paths, expected);
    let with_key: Vec<bool> =
        requests.iter().map(|one| one.contains("x-api-key: svc_test_x")).collect();
    assert_eq!(with_key.iter().position(|with| *with), Some(9));
    assert_eq!(with_key.iter().filter(|with| **with).count(), 1);
}

#[tokio::test]
async fn a_problem_is_told_as_such() {
    let mut problem = Problem::new(409, "not_final", "Not final", "block 7 is not final yet");
    for (said, header, expected) in [
        (Some(12), "", Some(12)),
        (None, "retry-after: 30\r\n", Some(30)),
        (None, "retry-after: soon\r\n", None),
    ] {
        (problem.retryable, problem.retry_after) = (true, said);
        let body = problem.to_value(None, Case::Camel).to_string();
        let (address, _requests) = server(answer("409 Conflict", header, body.as_bytes()));
        let error =
            Client::new(&address).unwrap().fetch_superroot(SuperRootRef::Latest).await.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Unavailable);
        assert_eq!(error.to_string(), "409 not_final: block 7 is not final yet");
        let ClientError::Problem { retry_after, .. } = error else { panic!("{error}") };
        assert_eq!(retry_after, expected);
    }
}

/// A SuperRoot that is named never gains a block: whoever waits for that waits in vain.
#[tokio::test]
async fn a_conflict_that_lasts_is_not_to_be_asked_again() {
    let problem = Problem::new(409, "not_yet_anchored", "Not anchored", "not in SuperRoot 0");
    let body = problem.to_value(None, Case::Camel).to_string();
    let (address, _requests) = server(answer("409 Conflict", "", body.as_bytes()));
    let error =
        Client::new(&address).unwrap().fetch_superroot(SuperRootRef::Latest).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Invalid);
    assert!(matches!(error, ClientError::Problem { retryable: false, .. }), "{error}");
}

/// What a service says goes to terminals and logs: bounded, and without what they
/// would obey.
#[tokio::test]
async fn a_hostile_problem_is_told_in_plain_letters() {
    let detail = format!("\u{1b}]0;owned\u{7}\r\nlevel=info {}", "x".repeat(100_000));
    let problem = Problem::new(404, "not_\u{1b}[31m\u{202e}found", "Not found", detail);
    let body = problem.to_value(None, Case::Camel).to_string();
    let (address, _requests) = server(answer("404 Not Found", "", body.as_bytes()));
    let error = Client::new(&address)
        .unwrap()
        .fetch_superroot(SuperRootRef::Latest)
        .await
        .unwrap_err()
        .to_string();
    let told = r"404 not_\u{1b}[31m\u{202e}found: \u{1b}]0;owned\u{7}\u{d}\u{a}level=info xxx";
    assert!(error.starts_with(told), "{error}");
    assert!(error.len() < 1_200 && !error.contains(char::is_control), "{}", error.len());
}

#[tokio::test]
async fn what_is_no_answer_of_the_service_is_told_by_its_status() {
    for (status, kind) in [
        ("502 Bad Gateway", ErrorKind::Unavailable),
        ("404 Not Found", ErrorKind::Invalid),
        ("302 Found", ErrorKind::Invalid),
    ] {
        let answer = answer(status, "location: http://127.0.0.1:1/\r\n", b"<html>");
        let (address, _requests) = server(answer);
        let error =
            Client::new(&address).unwrap().fetch_superroot(SuperRootRef::Latest).await.unwrap_err();
        assert!(matches!(error, ClientError::Status { .. }), "{error}");
        assert_eq!(error.kind(), kind, "{status}");
    }
}

#[tokio::test]
async fn an_answer_past_the_limit_is_not_read() {
    for (length, is_read) in [(BODY_BYTES_MAX, true), (BODY_BYTES_MAX + 1, false)] {
        let (address, _requests) = server(answer("200 OK", "", &vec![b'x'; length]));
        let result = Client::new(&address).unwrap().fetch_superroot(SuperRootRef::Latest).await;
        assert_eq!(result.is_ok(), is_read, "{length}");
        assert!(result.err().is_none_or(|error| matches!(error, ClientError::TooLarge { .. })));
    }
}

#[tokio::test]
async fn no_answer_and_half_an_answer_are_unavailable() {
    let nobody = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = format!("http://{}", nobody.local_addr().unwrap());
    drop(nobody);
    let error =
        Client::new(&address).unwrap().fetch_superroot(SuperRootRef::Latest).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Unavailable);
    let half = b"HTTP/1.1 200 OK\r\ncontent-length: 10\r\nconnection: close\r\n\r\nfive.".to_vec();
    let (address, _requests) = server(half);
    let error =
        Client::new(&address).unwrap().fetch_superroot(SuperRootRef::Latest).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Unavailable, "{error}");
}

/// A service that says nothing at all, or a byte a second of an answer that does not end.
async fn slow_server(drips: bool) -> String {
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = format!("http://{}", listener.local_addr().unwrap());
    tokio::spawn(async move {
        while let Ok((stream, _)) = listener.accept().await {
            tokio::spawn(async move {
                let head = b"HTTP/1.1 200 OK\r\ncontent-length: 1000000\r\n\r\n".as_slice();
                let mut piece = head;
                // the request comes first
                while stream.try_read(&mut [0; 4_096]).is_err() {
                    let _ = stream.readable().await;
                }
                loop {
                    if drips && stream.writable().await.is_ok() {
                        let _ = stream.try_write(piece);
                        piece = b" ";
                    }
                    tokio::time::sleep(Duration::from_secs(1)).await;
                }
            });
        }
    });
    address
}

#[tokio::test]
async fn a_silent_or_dripping_service_is_named_after_a_while_and_left_after_its_time() {
    for (drips, is_patient) in [(false, false), (true, false), (false, true), (true, true)] {
        let address = slow_server(drips).await;
        let (begun, notices) = (tokio::time::Instant::now(), Arc::new(Mutex::new(Vec::new())));
        let client = Client::new(&address).unwrap();
        let client = if is_patient { client.patient() } else { client };
        let client = client.with_timeout(Duration::from_secs(2)).with_wait_notice({
            let notices = notices.clone();
            move |what| notices.lock().unwrap().push((begun.elapsed(), what.to_owned()))
        });
        let error = client.fetch_superroot(SuperRootRef::Latest).await.unwrap_err();
        assert!(matches!(error, ClientError::TimedOut { seconds: 2, .. }), "{error}");
        assert!(begun.elapsed() >= Duration::from_secs(2), "drips: {drips}, patient: {is_patient}");
        let waited_for = format!("waiting for {address}/v5/superroot");
        let notices = notices.lock().unwrap();
        let [(after, what)] = notices.as_slice() else { panic!("{notices:?}") };
        assert_eq!(*what, waited_for);
        assert!(
            *after >= Duration::from_millis(330) && *after < Duration::from_secs(2),
            "{after:?}"
        );
    }
}

/// What a busy service asks for is no silence: its time counts from its last answer.
#[tokio::test]
async fn a_patient_client_waits_for_a_busy_service_and_not_for_one_that_is_gone() {
    let mut problem = Problem::new(503, "starting", "Starting", "it starts");
    (problem.retryable, problem.retry_after) = (true, Some(1));
    let body = problem.to_value(None, Case::Camel).to_string();
    let (address, requests) = server(answer("503 Service Unavailable", "", body.as_bytes()));
    let client = Client::new(&address).unwrap().patient().with_timeout(Duration::from_millis(900));
    let error = client.fetch_superroot(SuperRootRef::Latest).await.unwrap_err();
    assert!(matches!(error, ClientError::Problem { status: 503, .. }), "{error}");
    assert_eq!(requests.iter().take(10).count(), 10);
    let closed = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let begun = tokio::time::Instant::now();
    let client = Client::new(&format!("http://{closed}")).unwrap().patient();
    let client = client.with_timeout(Duration::from_secs(2));
    let error = client.fetch_superroot(SuperRootRef::Latest).await.unwrap_err();
    assert!(matches!(error, ClientError::Unavailable(_)), "{error}");
    assert!(begun.elapsed() >= Duration::from_secs(2));
}
