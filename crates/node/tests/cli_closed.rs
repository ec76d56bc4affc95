//! Laws of a process that nobody listens to: it goes on, and ends as it would have.
#![allow(missing_docs)]

use std::process::{Command, Stdio};

/// Standard error and output are closed before anything is written: an error is still an error, and
/// nothing panics.
#[test]
fn closed_streams_are_no_reason_to_panic() {
    let folder = tempfile::tempdir().unwrap();
    for args in [
        &["serve", "--replay", "nowhere", "--data", "data"][..],
        &["serve", "--chain", "bitcoin", "--endpoints", "nowhere.toml"],
        &["repair", "--chain", "ethereum", "--data", "nowhere"],
    ] {
        let (reader, writer) = std::io::pipe().unwrap();
        drop(reader);
        let status = Command::new(env!("CARGO_BIN_EXE_superroot"))
            .args(args)
            .current_dir(folder.path())
            .stdin(Stdio::null())
            .stdout(writer.try_clone().unwrap())
            .stderr(writer)
            .status()
            .unwrap();
        assert_eq!(status.code(), Some(2), "{args:?}");
    }
}
