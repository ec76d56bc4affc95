//! A service that has few descriptors, and connections that are kept open for nothing.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

use crate::support::{Service, operator};

/// A demo with these limits of open files, soft and hard; a request may take a second, so that a connection is
/// idle for 21 at most.
fn demo(data: &Path, soft: u32, hard: u32) -> Service {
    let demo = operator::demo(data);
    let mut command = Command::new("sh");
    command
        .arg("-c")
        .arg(format!("ulimit -S -n {soft} && ulimit -H -n {hard} && exec \"$0\" \"$@\""));
    command.arg(demo.get_program()).args(demo.get_args());
    for (name, value) in demo.get_envs() {
        match value {
            Some(value) => command.env(name, value),
            None => command.env_remove(name),
        };
    }
    command.env("SUPERROOT__API__REQUEST_TIMEOUT_MS", "1000");
    command.env("SUPERROOT__LIMIT__KEYLESS_PER_MINUTE", "0");
    command.env("SUPERROOT__SERVER__METRICS_LISTEN", "127.0.0.1:0");
    Service::start(command.process_group(0), "ready")
}

/// The soft limit of open files that a process has.
fn descriptors(process: u32) -> String {
    let limits = std::fs::read_to_string(format!("/proc/{process}/limits")).unwrap();
    let line = limits.lines().find_map(|line| line.strip_prefix("Max open files"));
    line.unwrap().split_whitespace().next().unwrap().to_owned()
}

#[tokio::test(flavor = "multi_thread")]
async fn the_soft_limit_of_open_files_is_raised_to_the_hard_one() {
    let work = tempfile::tempdir().unwrap();
    let service = demo(&work.path().join("data"), 256, 1_024);
    service.ready().await;
    assert_eq!(descriptors(service.id()), "1024");
    assert!(service.stop().success());
}

/// Preface, empty settings (RFC 9113, sections 3.4 and 6.5).
const PREFACE: &[u8] = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\x04\0\0\0\0\0";
/// `PING` (section 6.7).
const PING: &[u8] = b"\0\0\x08\x06\0\0\0\0\0superrt!";

/// Opens connections of HTTP/2 that say `PING` each second; when each was closed.
fn held(address: &str, count: usize) -> Vec<Duration> {
    let begun = Instant::now();
    let open = |_| {
        let mut stream = TcpStream::connect(address).unwrap();
        let _ = stream.write_all(PREFACE);
        stream.set_nonblocking(true).unwrap();
        stream
    };
    let mut streams: Vec<_> = (0..count).map(open).collect();
    let mut closed = Vec::new();
    while !streams.is_empty() && begun.elapsed().as_secs() < 60 {
        streams.retain_mut(|stream| {
            let (written, mut answers) = (stream.write_all(PING), [0; 1_024]);
            let is_open = written.is_ok()
                && match stream.read(&mut answers) {
                    Ok(length) => length > 0,
                    Err(error) => error.kind() == std::io::ErrorKind::WouldBlock,
                };
            if !is_open {
                closed.push(begun.elapsed());
            }
            is_open
        });
        std::thread::sleep(Duration::from_secs(1));
    }
    closed
}

#[tokio::test(flavor = "multi_thread")]
async fn pings_hold_no_connection_open_and_descriptors_for_the_store_are_kept() {
    let work = tempfile::tempdir().unwrap();
    let data = work.path().join("data");
    let service = demo(&data, 256, 256);
    service.ready().await;
    assert_eq!(descriptors(service.id()), "256");
    let first = service.json("/v5/superroot").await["sequence"].as_u64().unwrap();
    let address = service.url.trim_start_matches("http://").to_owned();
    let holders = tokio::task::spawn_blocking(move || held(&address, 300));
    tokio::time::sleep(Duration::from_secs(5)).await;
    // all places are taken; the operator's socket has one of its own, and what is anchored is stored
    let open = std::fs::read_dir(format!("/proc/{}/fd", service.id())).unwrap().count();
    assert!((192..256).contains(&open), "{open} descriptors");
    let opened = operator::admin(&data, "account open", Some("a test")).output().unwrap();
    assert!(opened.status.success(), "{}", String::from_utf8_lossy(&opened.stderr));
    let closed = holders.await.unwrap();
    assert_eq!(closed.len(), 300, "all were closed");
    let (at_once, later): (Vec<_>, Vec<_>) =
        closed.into_iter().partition(|after| after.as_secs() < 15);
    assert!(at_once.len() >= 108, "beyond 192 there is no place: {at_once:?}");
    assert!(later.len() >= 150, "those that had a place kept it for a while: {later:?}");
    assert!(later.iter().all(|after| after.as_secs() < 40), "{later:?}");
    // those to the metrics have few places of their own
    let metrics = {
        let screen = service.screen.lock().unwrap();
        screen.lines().find_map(|line| line.strip_prefix("metrics on ")).unwrap().to_owned()
    };
    let address = metrics.trim_start_matches("http://").trim_end_matches("/metrics").to_owned();
    let open = |_| {
        let mut stream = TcpStream::connect(&address).unwrap();
        let _ = stream.write_all(b"GET /met");
        stream
    };
    let held: Vec<_> = (0..300).map(open).collect();
    let last = service.json("/v5/superroot").await["sequence"].as_u64().unwrap();
    assert!(last > first, "{first} {last}");
    drop(held);
    assert!(service.stop().success());
}
