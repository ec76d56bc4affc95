//! `fsck` and `recompute` on folders of every kind, and whose data a folder holds.

use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::support::operator::run;
use crate::support::{recordings, superroot};

fn check(name: &str, data: &Path) -> (i32, String) {
    run(superroot().args([name, "--data"]).arg(data))
}

fn demo(data: &Path, seed: &str) -> Command {
    let mut command = superroot();
    command.args(["demo", "--listen", "127.0.0.1:0", "--seed", seed, "--data"]).arg(data);
    command
}

#[test]
fn a_folder_without_data_is_not_found_to_be_good() {
    for name in ["fsck", "recompute"] {
        let folder = tempfile::tempdir().unwrap();
        let missing = folder.path().join("missing");
        let expected =
            |folder: &Path| (2, format!("error: no SuperRoot data in {}\n", folder.display()));
        assert_eq!(check(name, &missing), expected(&missing));
        assert_eq!(check(name, folder.path()), expected(folder.path()));
        std::fs::write(folder.path().join("demo.json"), "{}").unwrap();
        assert_eq!(check(name, folder.path()), expected(folder.path()));
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1, "{name} wrote something");
    }
}

/// The newest file of the tree in which the engine keeps what it knows of the others.
fn newest_table(store: &Path) -> PathBuf {
    let files = std::fs::read_dir(store.join("db/keyspaces/0/tables")).unwrap();
    let number = |path: &PathBuf| path.file_name()?.to_str()?.parse::<u64>().ok();
    files.map(|file| file.unwrap().path()).max_by_key(number).unwrap()
}

/// Of a file with one wrong bit `fsck` says which it is, whether the store opens or not; nothing else is
/// blamed.
fn a_flipped_bit_is_named(data: &Path, store: &Path) {
    let table = newest_table(store);
    let sound = std::fs::read(&table).unwrap();
    let shown = table.strip_prefix(data).unwrap().display();
    let named = format!("damaged  file {shown} is not what was written: its checksum differs");
    for at in [0, sound.len() / 2, sound.len() - 1] {
        let mut wrong = sound.clone();
        wrong[at] ^= 1;
        std::fs::write(&table, wrong).unwrap();
        let (code, text) = check("fsck", data);
        assert!(code == 1 && text.contains(&named), "byte {at}: {text}");
        assert!(!text.contains("service") && !text.contains(".tmp"), "byte {at}: {text}");
    }
    std::fs::remove_file(&table).unwrap();
    let (code, text) = check("fsck", data);
    let missing = format!("file {shown} is not what was written: it is missing");
    assert!(code == 1 && text.contains(&missing), "{text}");
    std::fs::write(&table, sound).unwrap();
    assert_eq!(check("fsck", data).0, 0);
}

/// What a demo has collected is the demo's, also where it was killed before its first SuperRoot.
#[test]
fn what_a_demo_collected_is_not_served_as_another_log() {
    let work = tempfile::tempdir().unwrap();
    let data = work.path().join("data");
    let mut child = demo(&data, "3").stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap();
    // it says that it makes its chains when the log is open, before any SuperRoot
    let screen = BufReader::new(child.stderr.take().unwrap());
    assert!(screen.lines().map_while(Result::ok).any(|line| line.contains("making")));
    child.kill().unwrap();
    child.wait().unwrap();
    let of_demo = std::fs::read(data.join("demo.json")).unwrap();
    std::fs::remove_file(data.join("demo.json")).unwrap();
    let (code, text) = run(&mut demo(&data, "4"));
    assert!(code == 2 && text.contains("demo.json is missing, which names the demo"), "{text}");
    assert!(!data.join("demo.json").exists(), "a refused start wrote another");
    let (code, text) = check("fsck", &data);
    assert!(code == 1 && text.contains("cannot read") && text.contains("demo.json"), "{text}");
    let other = String::from_utf8(of_demo.clone()).unwrap().replace(":3,", ":4,");
    std::fs::write(data.join("demo.json"), other).unwrap();
    let (code, text) = check("fsck", &data);
    assert!(code == 1 && text.contains("demo.json is of simulated/demo-4, and the data"), "{text}");
    let (code, text) = run(&mut demo(&data, "4"));
    assert_eq!(code, 2, "{text}");
    assert!(text.contains("origin is simulated/demo-3, expected simulated/demo-4"), "{text}");
    std::fs::write(data.join("demo.json"), of_demo).unwrap();
    let (code, text) = check("fsck", &data);
    assert!(code == 0 && text.contains("of simulated/demo-3"), "{text}");
    assert_eq!(check("recompute", &data).0, 0);
    let key = data.join("log.key");
    let sound = std::fs::read(&key).unwrap();
    let mut wrong = sound.clone();
    wrong[sound.len() / 2] ^= 1;
    std::fs::write(&key, wrong).unwrap();
    let (code, text) = check("fsck", &data);
    assert!(code == 1 && text.contains("damaged") && text.contains("log.key"), "{text}");
    std::fs::write(&key, sound).unwrap();
    for store in [data.clone(), data.join("accounts")] {
        a_flipped_bit_is_named(&data, &store);
    }
    let Some(recordings) = recordings() else { return };
    let mut serve = superroot();
    serve.args(["serve", "--listen", "127.0.0.1:0", "--chain", "1", "--replay"]);
    let (code, text) = run(serve.arg(&recordings).arg("--data").arg(&data));
    assert_eq!(code, 2, "{text}");
    assert!(text.contains("holds the log of a demo, which is of another kind"), "{text}");
}

/// The help is for who uses the program, not for who builds it.
#[test]
fn the_help_begins_with_what_it_does_for_a_user() {
    for args in [&["--help"][..], &["-h"], &["man"]] {
        let (code, text) = run(superroot().args(args));
        assert_eq!(code, 0, "{text}");
        assert!(text.contains("a stranger checks by hashing alone"), "{args:?}: {text}");
        assert!(!text.contains("wiring"), "{args:?}: {text}");
    }
}
