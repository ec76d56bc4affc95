//! A process that nobody listens to goes on, and ends as it would have.
#![allow(missing_docs)]

use std::io::{BufRead, BufReader};
use std::process::{Command, Stdio};

/// Standard error is closed before anything is written, as by `2> >(head -2)`: what is said there is
/// lost, and the service comes up and stops as ever.
#[test]
fn a_closed_standard_error_is_no_reason_to_panic() {
    let folder = tempfile::tempdir().unwrap();
    let (reader, writer) = std::io::pipe().unwrap();
    drop(reader);
    let mut child = Command::new(env!("CARGO_BIN_EXE_superroot"))
        .args(["demo", "--seed", "7", "--listen", "127.0.0.1:0", "--log", "info", "--data"])
        .arg(folder.path().join("data"))
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(writer)
        .spawn()
        .unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    let ready = lines.any(|line| line.is_ok_and(|line| line.contains("ready")));
    let stop = Command::new("kill").args(["-TERM", &child.id().to_string()]).status().unwrap();
    assert!(ready && stop.success(), "{:?}", child.wait());
    // read on, so that the other stream is not closed before its end
    assert!(lines.all(|line| line.is_ok()));
    assert_eq!(child.wait().unwrap().code(), Some(0));
}
