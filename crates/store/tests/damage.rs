//! What was acknowledged is never lost in silence: journals that rot, files that are cut, missing
//! or of another time.

use std::fs::{self, OpenOptions};
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};

use superroot_store::{
    CrashPoint, EmbeddedConfig, EmbeddedStore, ScanOrder, Store, StoreError, Table, WriteBatch,
};
use superroot_types::ErrorKind;
use tempfile::TempDir;

fn open(folder: &Path) -> Result<EmbeddedStore, StoreError> {
    let config = EmbeddedConfig { cache_bytes: 8 << 20, ..EmbeddedConfig::default() };
    EmbeddedStore::open(folder, &config)
}

fn refusal(folder: &Path) -> StoreError {
    open(folder).err().expect("what was acknowledged is not there, opening has to refuse")
}

/// Bytes that do not compress, other ones for each seed.
fn noise(seed: u64, length: usize) -> Vec<u8> {
    let mut state = seed.wrapping_mul(2).wrapping_add(1);
    let mut next = || {
        state =
            state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as u8
    };
    (0..length).map(|_| next()).collect()
}

fn batch(number: u64, body_bytes: usize) -> WriteBatch {
    let mut batch = WriteBatch::new();
    batch.put(Table::Block, number.to_be_bytes(), number.to_le_bytes());
    batch.put(Table::Body, number.to_be_bytes(), noise(number, body_bytes));
    batch.put(Table::Transaction, number.to_be_bytes(), []);
    batch
}

/// A closed store of `count` commits.
fn filled(count: u64, body_bytes: usize) -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    let store = open(folder.path()).unwrap();
    for number in 0..count {
        store.commit(batch(number, body_bytes)).unwrap();
    }
    folder
}

fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let target = to.join(entry.file_name());
        if entry.file_type().unwrap().is_dir() {
            copy(&entry.path(), &target);
        } else {
            fs::copy(entry.path(), target).unwrap();
        }
    }
}

fn copied(from: &TempDir) -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    copy(from.path(), folder.path());
    folder
}

/// The engine's journals, oldest first, and the bytes written in each (the rest is zeros).
fn journals(folder: &Path) -> Vec<(PathBuf, u64)> {
    let mut journals: Vec<(u64, PathBuf)> = fs::read_dir(folder.join("db"))
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "jnl"))
        .map(|path| (path.file_stem().unwrap().to_str().unwrap().parse().unwrap(), path))
        .collect();
    journals.sort();
    let used = |path: &Path| {
        let bytes = fs::read(path).unwrap();
        bytes.iter().rposition(|byte| *byte != 0).map_or(0, |last| last as u64 + 1)
    };
    journals.into_iter().map(|(_, path)| (path.clone(), used(&path))).collect()
}

/// Flips 64 bytes at `at`.
fn rot(path: &Path, at: u64) {
    let file = OpenOptions::new().read(true).write(true).open(path).unwrap();
    let mut bytes = [0; 64];
    file.read_exact_at(&mut bytes, at).unwrap();
    file.write_all_at(&bytes.map(|byte| !byte), at).unwrap();
}

fn numbers(store: &EmbeddedStore, table: Table) -> Vec<u64> {
    let rows = store.scan(table, b"", None, usize::MAX, ScanOrder::Rising).unwrap();
    rows.into_iter().map(|(key, _)| u64::from_be_bytes(key.try_into().unwrap())).collect()
}

/// The engine alone opens such a journal without an error, the rows after the damage gone.
#[test]
fn a_rotten_journal_is_refused_however_often_it_is_opened() {
    let sound = filled(60, 2_000);
    for percent in [1, 10, 30, 50, 70, 90, 99] {
        let folder = copied(&sound);
        let (journal, used) = journals(folder.path()).pop().unwrap();
        assert!(used > 60 * 2_000, "the journal holds what was written: {used} bytes");
        for place in 0..5 {
            rot(&journal, used * percent / 100 - 64 - place * 64.min(used / 1_000));
        }
        for attempt in 0..2 {
            let error = refusal(folder.path());
            assert_eq!(error.kind(), ErrorKind::Corrupt, "{percent} %, attempt {attempt}: {error}");
        }
    }
    assert_eq!(open(sound.path()).unwrap().commit_count(), 60);
}

/// The engine's checksum of a batch leaves out under which number it was written: a smaller one, and what the batch
/// replaced would be there again.
#[test]
fn a_batch_under_another_number_is_refused() {
    let sound = filled(60, 2_000);
    for written in [30, 31, 60] {
        let folder = copied(&sound);
        let (journal, _) = journals(folder.path()).pop().unwrap();
        let mut bytes = fs::read(&journal).unwrap();
        // a batch begins behind the end of the one before
        let ends = (0..bytes.len()).filter(|at| bytes[*at..].starts_with(b"FJL\x03\x01"));
        let begins = ends.map(|at| at + 4).nth(written - 2).unwrap();
        let number: &mut [u8] = &mut bytes[begins + 5..begins + 13];
        let before = u64::from_le_bytes((&*number).try_into().unwrap());
        let other = before & !(1 << before.ilog2());
        number.copy_from_slice(&other.to_le_bytes());
        fs::write(&journal, bytes).unwrap();
        let error = refusal(folder.path());
        assert_eq!(error.kind(), ErrorKind::Corrupt, "{error}");
        assert!(error.to_string().contains("wrong order"), "{error}");
        let faults = EmbeddedStore::check_files(folder.path(), &mut |_| {}).unwrap();
        assert!(faults.iter().any(|fault| fault.to_string().contains("wrong order")), "{faults:?}");
    }
    assert_eq!(open(sound.path()).unwrap().commit_count(), 60);
}

/// At least one kind of damage shows as commits gone, not as an error of the engine: the case for
/// which the integrity file is there.
#[test]
fn rows_silently_dropped_by_the_engine_are_reported_as_rolled_back() {
    let folder = filled(60, 2_000);
    let (journal, used) = journals(folder.path()).pop().unwrap();
    let file = OpenOptions::new().write(true).open(journal).unwrap();
    file.set_len(used * 30 / 100).unwrap();
    let error = refusal(folder.path());
    assert!(
        matches!(error, StoreError::Rolledback { committed: 60, found: 1..=20 }),
        "what the engine forgot is counted: {error}"
    );
}

/// A journal that is not the newest: the engine drops its tail and goes on with the next, so the
/// newest commits are there and only older ones of small tables are missing.
#[test]
fn a_hole_in_the_middle_of_a_table_is_refused() {
    let folder = filled(90, 1 << 20);
    let journals = journals(folder.path());
    assert!(journals.len() > 1, "the engine has sealed a journal: {journals:?}");
    let (oldest, used) = &journals[0];
    OpenOptions::new().write(true).open(oldest).unwrap().set_len(used * 30 / 100).unwrap();
    for _ in 0..2 {
        let error = refusal(folder.path());
        assert!(matches!(error, StoreError::Lost { .. }), "{error}");
        assert_eq!(error.kind(), ErrorKind::Corrupt);
    }
}

/// The last write is cut at many places, before it was acknowledged: it is there or it is not.
#[test]
fn a_cut_write_that_was_not_acknowledged_is_there_whole_or_not_at_all() {
    let folder = filled(5, 2_000);
    let (_, before) = journals(folder.path()).pop().unwrap();
    let store = open(folder.path()).unwrap();
    store.crash_at(CrashPoint::AfterEngine);
    assert!(matches!(store.commit(batch(5, 2_000)), Err(StoreError::Dead)));
    drop(store);
    let (journal, after) = journals(folder.path()).pop().unwrap();
    assert!(after > before + 2_000);
    let mut outcomes = Vec::new();
    for step in 0..=12 {
        let cut = copied(&folder);
        let length = before + (after - before) * step / 12;
        let journal = cut.path().join("db").join(journal.file_name().unwrap());
        OpenOptions::new().write(true).open(journal).unwrap().set_len(length).unwrap();
        let store = open(cut.path()).unwrap();
        let count = store.commit_count();
        let expected: Vec<u64> = (0..count).collect();
        for table in [Table::Block, Table::Body, Table::Transaction] {
            assert_eq!(numbers(&store, table), expected, "{table}, cut at step {step}");
        }
        store.commit(batch(count, 10)).unwrap();
        outcomes.push(count);
    }
    assert_eq!(outcomes.iter().filter(|count| **count == 5).count(), 12, "{outcomes:?}");
    assert_eq!(outcomes.last(), Some(&6), "uncut, the write is there");
}

/// The same cut one write further back hits what was acknowledged.
#[test]
fn a_cut_write_that_was_acknowledged_is_refused() {
    let folder = filled(5, 2_000);
    let (_, before) = journals(folder.path()).pop().unwrap();
    open(folder.path()).unwrap().commit(batch(5, 2_000)).unwrap();
    let (journal, after) = journals(folder.path()).pop().unwrap();
    for step in 0..4 {
        let cut = copied(&folder);
        let journal = cut.path().join("db").join(journal.file_name().unwrap());
        let length = before + (after - before) * step / 4;
        OpenOptions::new().write(true).open(journal).unwrap().set_len(length).unwrap();
        let error = refusal(cut.path());
        assert!(matches!(error, StoreError::Rolledback { committed: 6, found: 5 }), "{error}");
    }
}

#[test]
fn a_missing_integrity_file_is_refused() {
    let folder = filled(3, 10);
    fs::remove_file(folder.path().join("integrity")).unwrap();
    let error = refusal(folder.path());
    assert!(matches!(error, StoreError::Integrity { found: 3, .. }), "{error}");
    assert!(error.to_string().contains("is missing"), "{error}");
}

#[test]
fn an_integrity_file_of_any_other_length_is_refused() {
    let folder = filled(3, 10);
    let path = folder.path().join("integrity");
    let whole = fs::read(&path).unwrap();
    for length in [0, 1, 52, 512, 564, 1_023] {
        fs::write(&path, &whole[..length]).unwrap();
        let error = refusal(folder.path());
        assert!(error.to_string().contains("is unreadable"), "{length} bytes: {error}");
    }
    fs::write(&path, &whole).unwrap();
    assert_eq!(open(folder.path()).unwrap().commit_count(), 3);
}

/// One rotten slot leaves the other: the mark of this commit or of the one before.
#[test]
fn one_rotten_slot_of_the_integrity_file_is_survived_two_are_not() {
    for (slots, survives) in [(&[0][..], true), (&[512], true), (&[0, 512], false)] {
        let folder = filled(3, 10);
        for slot in slots {
            rot(&folder.path().join("integrity"), *slot);
        }
        match open(folder.path()) {
            Ok(store) => assert!(survives && store.commit_count() == 3),
            Err(error) => assert!(!survives, "{slots:?}: {error}"),
        }
    }
}

#[test]
fn a_database_older_than_the_integrity_file_is_refused() {
    let folder = filled(3, 10);
    let old = copied(&folder);
    let store = open(folder.path()).unwrap();
    store.commit(batch(3, 10)).unwrap();
    drop(store);
    fs::copy(folder.path().join("integrity"), old.path().join("integrity")).unwrap();
    let error = refusal(old.path());
    assert!(matches!(error, StoreError::Rolledback { committed: 4, found: 3 }), "{error}");
}

#[test]
fn an_integrity_file_more_than_one_commit_older_is_refused() {
    let folder = filled(3, 10);
    let old = fs::read(folder.path().join("integrity")).unwrap();
    for (more, accepted) in [(1, true), (1, false)] {
        let store = open(folder.path());
        let store = store.unwrap();
        for number in 0..more {
            store.commit(batch(10 + number, 10)).unwrap();
        }
        drop(store);
        let newest = fs::read(folder.path().join("integrity")).unwrap();
        fs::write(folder.path().join("integrity"), &old).unwrap();
        match open(folder.path()) {
            Ok(_) => assert!(accepted),
            Err(error) => {
                assert!(!accepted, "{error}");
                assert!(matches!(error, StoreError::Ahead { committed: 3, found: 5 }), "{error}");
            }
        }
        fs::write(folder.path().join("integrity"), newest).unwrap();
    }
}

#[test]
fn an_integrity_file_of_another_store_is_refused() {
    let (one, other) = (filled(3, 10), tempfile::tempdir().unwrap());
    let store = open(other.path()).unwrap();
    for number in 7..10 {
        store.commit(batch(number, 10)).unwrap();
    }
    drop(store);
    fs::copy(other.path().join("integrity"), one.path().join("integrity")).unwrap();
    let error = refusal(one.path());
    assert!(matches!(error, StoreError::Diverged { count: 3 }), "{error}");
}

#[test]
fn a_database_that_is_gone_is_refused() {
    let folder = filled(3, 10);
    fs::remove_dir_all(folder.path().join("db")).unwrap();
    for _ in 0..2 {
        let error = refusal(folder.path());
        assert!(matches!(error, StoreError::Rolledback { committed: 3, found: 0 }), "{error}");
    }
}

#[test]
fn a_store_that_died_while_it_was_made_is_made_again() {
    for integrity in [None, Some(&b""[..]), Some(b"half a mark")] {
        let folder = filled(0, 0);
        match integrity {
            None => fs::remove_file(folder.path().join("integrity")).unwrap(),
            Some(bytes) => fs::write(folder.path().join("integrity"), bytes).unwrap(),
        }
        let store = open(folder.path()).unwrap();
        store.commit(batch(0, 10)).unwrap();
        drop(store);
        assert_eq!(open(folder.path()).unwrap().commit_count(), 1);
    }
}

/// Where the integrity file cannot be written the batch is not acknowledged, and the handle is
/// dead.
#[test]
fn a_commit_whose_mark_cannot_be_written_is_not_acknowledged() {
    let folder = filled(2, 10);
    let store = open(folder.path()).unwrap();
    store.crash_at(CrashPoint::WithinIntegrity);
    assert!(store.commit(batch(2, 10)).is_err());
    assert_eq!(store.commit_count(), 2);
    assert!(matches!(store.commit(batch(3, 10)), Err(StoreError::Dead)));
    drop(store);
    let store = open(folder.path()).unwrap();
    assert_eq!(store.commit_count(), 3, "the database holds it, opening says so");
}

fn open_existing(folder: &Path) -> Result<EmbeddedStore, StoreError> {
    EmbeddedStore::open_existing(folder, &EmbeddedConfig::default())
}

fn names(folder: &Path) -> Vec<PathBuf> {
    let mut names: Vec<_> = fs::read_dir(folder).unwrap().map(|one| one.unwrap().path()).collect();
    names.sort();
    names
}

/// Who only looks makes no store where there is none.
#[test]
fn looking_into_a_folder_without_data_writes_nothing() {
    let missing = tempfile::tempdir().unwrap().path().join("missing");
    assert!(matches!(open_existing(&missing), Err(StoreError::NoData { .. })));
    assert!(!missing.exists());
    let empty = tempfile::tempdir().unwrap();
    let error = open_existing(empty.path()).err().unwrap();
    assert_eq!(error.to_string(), format!("no SuperRoot data in {}", empty.path().display()));
    assert_eq!(error.kind(), ErrorKind::Invalid);
    assert!(names(empty.path()).is_empty());
    let robbed = filled(2, 100);
    fs::remove_dir_all(robbed.path().join("db")).unwrap();
    let refused = open_existing(robbed.path()).err().unwrap();
    assert!(matches!(refused, StoreError::Rolledback { committed: 2, found: 0 }), "{refused}");
    fs::remove_file(robbed.path().join("integrity")).unwrap();
    assert!(matches!(open_existing(robbed.path()), Err(StoreError::NoData { .. })));
    fs::create_dir(robbed.path().join("db")).unwrap();
    assert!(matches!(open_existing(robbed.path()), Err(StoreError::NoData { .. })));
    assert_eq!(names(robbed.path()).len(), 2, "the lock and the empty folder: no more than before");
}

#[test]
fn a_store_that_is_there_opens_either_way() {
    let folder = filled(3, 100);
    assert_eq!(open_existing(folder.path()).unwrap().commit_count(), 3);
    let fresh = tempfile::tempdir().unwrap();
    drop(open(fresh.path()).unwrap());
    assert_eq!(open_existing(fresh.path()).unwrap().commit_count(), 0);
}
