//! A process that nobody listens to goes on, and ends as it would have.

use std::io::{BufRead, BufReader};
use std::process::{Command, Stdio};

use superroot_proof::bundle::ProofSubject;

use crate::{Bench, sealed, small_world};

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

/// Commands that print and end, and the codes that they end with.
fn printing(bench: &Bench) -> Vec<(Vec<String>, i32)> {
    let world = small_world();
    let root = world.root(1).to_string();
    let zeros = format!("0x{}", "00".repeat(32));
    bench.write("proof.srproof", sealed(&world, ProofSubject::Block).encode());
    let key = bench.run(&["key", "new", "log.key", "--origin", "log.example.org"]);
    key.expect(0, &["log.example.org+"]);
    bench.run(&["wallet", "new", "--key-file", "wallet.key"]).expect(0, &["0x"]);
    let mut commands = vec![(vec!["verify", "proof.srproof", "--superroot", &root], 0)];
    commands.push((vec!["verify", "proof.srproof", "--superroot", &zeros], 1));
    let words = [
        "--help",
        "--version",
        "prove --help",
        "check-config",
        "completions bash",
        "completions zsh",
        "completions fish",
        "man",
        "man trust pin",
        "inspect proof.srproof",
        "inspect --json proof.srproof",
        "trust list",
        "key show log.key",
        "wallet address --key-file wallet.key",
    ];
    commands.extend(words.iter().map(|words| (words.split(' ').collect(), 0)));
    let owned = |words: Vec<&str>| words.into_iter().map(str::to_owned).collect();
    commands.into_iter().map(|(words, code)| (owned(words), code)).collect()
}

/// Nobody reads: the verdict stays. Nothing can be written: that is said, in one line.
#[test]
fn an_output_that_is_closed_or_full_is_no_reason_to_panic() {
    let bench = Bench::new();
    for (words, code) in printing(&bench) {
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        let (reader, writer) = std::io::pipe().unwrap();
        drop(reader);
        let closed = bench.command(&words).stdin(Stdio::null()).stdout(writer).output().unwrap();
        let said = String::from_utf8_lossy(&closed.stderr);
        // check-config warns of a chain whose nodes one operator runs
        let lines = said.lines().filter(|line| !line.starts_with("one node is believed"));
        assert_eq!(
            (closed.status.code(), lines.count()),
            (Some(code), 0),
            "closed: {words:?} {said}"
        );
        let full = std::fs::File::options().write(true).open("/dev/full").unwrap();
        let full = bench.command(&words).stdin(Stdio::null()).stdout(full).output().unwrap();
        let said = String::from_utf8_lossy(&full.stderr);
        let lines = said.lines().filter(|line| !line.starts_with("one node is believed"));
        let said = lines.collect::<Vec<_>>().join("\n");
        assert_eq!(
            (full.status.code(), said.lines().count()),
            (Some(2), 1),
            "full: {words:?} {said}"
        );
        assert!(said.starts_with("error: cannot write to standard output: "), "{words:?} {said}");
    }
}

/// A key, or a folder, is nothing for standard output: no file named `-` is left.
#[test]
fn a_dash_is_no_path_of_a_key_or_a_folder() {
    let bench = Bench::new();
    for words in [
        "key new - --origin log.example.org",
        "wallet new --key-file -",
        "backup --to -",
        "record --url http://127.0.0.1:1 --chain ethereum --numbers 1 -o -",
        "man -o -",
    ] {
        let refused = bench.run(&words.split(' ').collect::<Vec<_>>());
        refused.expect(2, &["- is standard output, expected a path"]);
    }
    assert_eq!(bench.names(), Vec::<String>::new());
}

/// Pages of commands, one by one and all at once.
#[test]
fn every_command_has_a_page_of_the_manual() {
    let bench = Bench::new();
    bench.run(&["man"]).expect(0, &[".TH superroot", "superroot\\-trust"]);
    bench.run(&["man", "trust", "pin"]).expect(0, &["\\-\\-fingerprint"]);
    bench.run(&["man", "trust", "nothing"]).expect(2, &["has no command \"nothing\""]);
    bench.run(&["man", "-o", "pages"]).expect(0, &["wrote"]);
    for page in ["superroot.1", "superroot-prove.1", "superroot-trust-pin.1"] {
        assert!(bench.path("pages").join(page).is_file(), "{page}");
    }
}
