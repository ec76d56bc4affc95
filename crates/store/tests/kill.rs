//! Killed without warning, a store loses nothing that it acknowledged.

use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Command, Stdio};

use superroot_store::{EmbeddedConfig, EmbeddedStore, ScanOrder, Store, Table, WriteBatch};

/// Tells the child which folder it writes to.
const FOLDER: &str = "SUPERROOT_STORE_KILL_FOLDER";

/// Its name in this binary.
const CHILD: &str = "kill::child_that_commits_until_it_is_killed";

const ROUNDS: u64 = 6;

fn open(folder: &Path) -> EmbeddedStore {
    let config = EmbeddedConfig { cache_bytes: 8 << 20, ..EmbeddedConfig::default() };
    EmbeddedStore::open(folder, &config).unwrap()
}

/// What the child runs: commits until it is killed, and says each number once it is acknowledged.
#[test]
#[ignore = "run as the child of `what_was_acknowledged_survives_a_kill`"]
fn child_that_commits_until_it_is_killed() {
    let folder = std::env::var_os(FOLDER).expect("the parent names the folder");
    let store = open(Path::new(&folder));
    let mut out = std::io::stdout();
    for number in store.commit_count().. {
        let mut batch = WriteBatch::new();
        batch.put(Table::Block, number.to_be_bytes(), number.to_be_bytes());
        batch.put(Table::Body, number.to_be_bytes(), number.to_be_bytes().repeat(2_000));
        batch.put(Table::Coverage, number.to_be_bytes(), number.to_be_bytes());
        batch.put(Table::Meta, b"newest", number.to_be_bytes());
        store.commit(batch).unwrap();
        writeln!(out, "ack {number}").unwrap();
        out.flush().unwrap();
    }
}

/// Lets the child acknowledge `acks` commits, kills it, and returns the last number it said.
fn kill_after(folder: &Path, acks: u64) -> u64 {
    let mut child = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", CHILD, "--ignored", "--nocapture"])
        .env(FOLDER, folder)
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    let number = |line: String| line.rsplit_once("ack ")?.1.parse::<u64>().ok();
    let mut last = None;
    for _ in 0..acks {
        last = lines.by_ref().map_while(Result::ok).find_map(number);
        assert!(last.is_some(), "the child ended by itself");
    }
    child.kill().unwrap();
    child.wait().unwrap();
    lines.map_while(Result::ok).filter_map(number).last().or(last).unwrap()
}

#[test]
fn what_was_acknowledged_survives_a_kill() {
    let folder = tempfile::tempdir().unwrap();
    let mut held = 0;
    for round in 0..ROUNDS {
        let acknowledged = kill_after(folder.path(), 5 + round * 7);
        let store = open(folder.path());
        let count = store.commit_count();
        assert!(count > acknowledged && acknowledged >= held, "{count} held, {acknowledged} said");
        for table in [Table::Block, Table::Body, Table::Coverage] {
            let rows = store.scan(table, b"", None, usize::MAX, ScanOrder::Rising).unwrap();
            assert_eq!(rows.len() as u64, count, "{table}");
            for (number, (key, value)) in (0_u64..).zip(rows) {
                assert_eq!(key, number.to_be_bytes());
                assert!(value.starts_with(&key), "{table} {number}");
            }
        }
        let newest = store.get(Table::Meta, b"newest").unwrap().unwrap();
        assert_eq!(newest, (count - 1).to_be_bytes(), "half a batch");
        assert_eq!(store.check(&mut |_, _| ()).unwrap().fault_count, 0);
        held = count;
    }
    assert!(held > ROUNDS * 5);
}
