//! Damage that only the inside can do: single rows, links, the layout.

use std::os::unix::fs::PermissionsExt;

use superroot_types::ErrorKind;
use tempfile::TempDir;

use super::*;

fn open(folder: &TempDir) -> Result<EmbeddedStore, StoreError> {
    let config = EmbeddedConfig { cache_bytes: 8 << 20, ..EmbeddedConfig::default() };
    EmbeddedStore::open(folder.path(), &config)
}

/// A store with `count` commits, each with a row in Block and every second one in Body.
fn filled(count: u8) -> (TempDir, EmbeddedStore) {
    let folder = tempfile::tempdir().unwrap();
    let store = open(&folder).unwrap();
    for number in 0..count {
        let mut batch = WriteBatch::new();
        batch.put(Table::Block, [number], b"header");
        if number % 2 == 0 {
            batch.put(Table::Body, [number], vec![number; 10_000]);
        }
        store.commit(batch).unwrap();
    }
    (folder, store)
}

/// Writes past the promises: own rows as a broken engine would leave them.
fn tamper(store: &EmbeddedStore, fill: impl FnOnce(&mut engine::EngineBatch<'_>)) {
    let mut batch = store.engine.batch();
    fill(&mut batch);
    batch.commit().unwrap();
}

fn link_key(write: u64) -> Vec<u8> {
    [LINK_KEY, &anchor::slot(write).to_be_bytes()].concat()
}

#[test]
fn a_damaged_row_is_an_error_and_its_neighbours_are_read() {
    let (_folder, store) = filled(4);
    let sound = store.engine.stored(Table::Body, &[2]);
    for bit in [0, 31, 32, sound.len() * 8 - 1] {
        let mut stored = sound.clone();
        stored[bit / 8] ^= 1 << (bit % 8);
        store.engine.damage(Table::Body, &[2], &stored);
        let error = store.get(Table::Body, &[2]).unwrap_err();
        let named =
            matches!(&error, StoreError::Corrupt { table: Table::Body, key, .. } if key == &[2]);
        assert!(named && error.kind() == ErrorKind::Corrupt, "bit {bit}: {error}");
        assert!(store.scan(Table::Body, &[1], None, 1, ScanOrder::Rising).is_err());
        assert_eq!(store.get(Table::Body, &[0]).unwrap().unwrap(), vec![0; 10_000]);
        assert_eq!(store.scan(Table::Body, b"", None, 1, ScanOrder::Rising).unwrap().len(), 1);
    }
}

#[test]
fn a_value_moved_to_another_key_is_not_believed() {
    let (_folder, store) = filled(4);
    let moved = store.engine.stored(Table::Block, &[1]);
    store.engine.damage(Table::Block, &[3], &moved);
    assert!(store.get(Table::Block, &[3]).is_err());
}

#[test]
fn an_expectation_on_a_damaged_row_is_an_error_and_writes_nothing() {
    let (_folder, store) = filled(1);
    store.engine.damage(Table::Block, &[0], b"no checksum that holds");
    let mut batch = WriteBatch::new();
    batch.expect(Table::Block, [0], Some(b"header")).put(Table::Meta, b"k", b"v");
    assert!(matches!(store.commit(batch), Err(StoreError::Corrupt { .. })));
    assert_eq!(store.get(Table::Meta, b"k").unwrap(), None);
    store.commit(WriteBatch::new()).unwrap();
}

#[test]
fn a_check_lists_every_damaged_row() {
    let (_folder, store) = filled(9);
    for (table, key, stored) in [
        (Table::Block, [3_u8], &b""[..]),
        (Table::Block, [5], b"xyz"),
        (Table::Body, [4], b"longer than its checksum"),
    ] {
        store.engine.damage(table, &key, stored);
    }
    let mut told = Vec::new();
    let report = store.check(&mut |table, row_count| told.push((table, row_count))).unwrap();
    let faults: Vec<_> = report
        .faults
        .iter()
        .map(|fault| match fault {
            StoreError::Corrupt { table, key, .. } => (*table, key.as_slice()),
            other => panic!("{other}"),
        })
        .collect();
    let expected: [(Table, &[u8]); 3] =
        [(Table::Block, &[3]), (Table::Block, &[5]), (Table::Body, &[4])];
    assert_eq!(faults, expected);
    assert_eq!((report.row_count, report.fault_count), (14, 3));
    assert!(told.contains(&(Table::Block, 9)) && told.contains(&(Table::Body, 5)));
}

#[test]
fn a_check_bounds_its_list_and_counts_on() {
    let (_folder, store) = filled(0);
    for key in 0..1_500_u32 {
        store.engine.damage(Table::Refused, &key.to_be_bytes(), b"");
    }
    let report = store.check(&mut |_, _| ()).unwrap();
    assert_eq!((report.fault_count, report.faults.len()), (1_500, crate::FAULTS_MAX));
}

#[test]
fn a_check_covers_the_own_rows() {
    let (_folder, store) = filled(1);
    let own = |batch: &mut engine::EngineBatch<'_>| {
        batch.put(Space::Own, Table::Meta, b"stray", b"");
    };
    tamper(&store, own);
    assert_eq!(store.check(&mut |_, _| ()).unwrap().row_count, 2, "own rows are not counted");
}

#[test]
fn a_write_that_a_table_lost_is_named_at_open() {
    for (table, write) in [(Table::Block, 1), (Table::Block, 5), (Table::Meta, 7), (Table::Body, 2)]
    {
        let (folder, store) = filled(8);
        tamper(&store, |batch| batch.delete(Space::Own, table, &link_key(write)));
        drop(store);
        let error = open(&folder).err().expect("a hole is refused");
        let named = matches!(error, StoreError::Lost { table: of, missing, .. } if of == table && missing == write);
        assert!(named, "{error}");
    }
}

/// The ring goes round: a slot that kept the write of a ring before is a hole as well.
#[test]
fn a_slot_that_was_not_overwritten_is_a_hole() {
    let (folder, store) = filled(3);
    tamper(&store, |batch| {
        batch.put(Space::Own, Table::Block, &link_key(2), &(2 + LINKS).to_be_bytes());
    });
    drop(store);
    let error = open(&folder).err().expect("a hole is refused");
    assert!(matches!(error, StoreError::Lost { table: Table::Block, missing: 2, .. }), "{error}");
}

#[test]
fn another_layout_says_what_to_do() {
    let (folder, store) = filled(1);
    let newer = (LAYOUT + 1).to_be_bytes();
    tamper(&store, |batch| batch.put(Space::Own, Table::Meta, LAYOUT_KEY, &newer));
    drop(store);
    let error = open(&folder).err().expect("another layout is refused");
    let (got, expected) = (LAYOUT + 1, LAYOUT);
    assert!(
        matches!(error, StoreError::Layout { got: g, expected: e } if (g, e) == (got, expected))
    );
    assert!(error.to_string().contains("run the version that wrote it"), "{error}");
}

#[test]
fn rows_without_an_anchor_are_refused() {
    let (folder, store) = filled(1);
    tamper(&store, |batch| batch.delete(Space::Own, Table::Meta, ANCHOR_KEY));
    drop(store);
    let error = open(&folder).err().expect("a database without its anchor is refused");
    assert!(error.to_string().contains("missing, but there are rows"), "{error}");
}

#[test]
fn an_anchor_of_another_history_is_refused() {
    let (folder, store) = filled(2);
    let mut batch = WriteBatch::new();
    batch.put(Table::Block, [9], b"never written");
    let other = StoreAnchor::GENESIS.after(&batch).0.after(&batch).0;
    tamper(&store, |batch| batch.put(Space::Own, Table::Meta, ANCHOR_KEY, &other.encode()));
    drop(store);
    let error = open(&folder).err().expect("another history is refused");
    assert!(matches!(error, StoreError::Diverged { count: 2 }), "{error}");
}

#[test]
fn a_folder_in_use_is_refused_and_free_again_afterwards() {
    let (folder, store) = filled(1);
    let error = open(&folder).err().expect("one process at a time");
    assert!(matches!(&error, StoreError::Locked { path } if path == folder.path()), "{error}");
    assert_eq!(error.kind(), ErrorKind::Unavailable);
    drop(store);
    assert_eq!(open(&folder).unwrap().commit_count(), 1);
}

/// Nothing is written while the disk is almost full, and the same handle goes on when it is not.
#[test]
fn a_disk_that_is_almost_full_takes_no_commit_until_there_is_room() {
    let (folder, store) = filled(2);
    let commit = |number: u8| {
        let mut batch = WriteBatch::new();
        batch.put(Table::Block, [number], b"header");
        store.commit(batch)
    };
    let least = EmbeddedConfig::default().free_bytes_min;
    store.pretend_free(Some(least - 1));
    for number in 2..4 {
        let error = commit(number).unwrap_err();
        assert!(matches!(error, StoreError::Full { free, .. } if free == least - 1), "{error}");
        assert_eq!(error.kind(), ErrorKind::Unavailable);
        assert!(error.to_string().contains("511 MiB are free and 512 MiB stay free"), "{error}");
    }
    assert!(store.check_room().is_err());
    assert_eq!(store.get(Table::Block, &[1]).unwrap().as_deref(), Some(&b"header"[..]));
    store.pretend_free(Some(least));
    commit(4).unwrap();
    store.pretend_free(None);
    commit(5).unwrap();
    drop(store);
    let store = open(&folder).unwrap();
    assert_eq!(store.commit_count(), 4);
    assert_eq!(store.get(Table::Block, &[2]).unwrap(), None);
}

/// Every file below a folder, with what is in it.
fn files_below(folder: &std::path::Path) -> Vec<(std::path::PathBuf, Vec<u8>)> {
    let mut files = Vec::new();
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            files.extend(files_below(&path));
        } else {
            files.push((path.clone(), std::fs::read(&path).unwrap()));
        }
    }
    files.sort();
    files
}

/// What is wrong with the files of a store.
fn faults_of(folder: &TempDir) -> Vec<StoreError> {
    EmbeddedStore::check_files(folder.path(), &mut |_| ()).unwrap()
}

/// That this file alone is wrong, and why.
fn is_named(folder: &TempDir, path: &std::path::Path, expected: &str) {
    match &faults_of(folder)[..] {
        [StoreError::File { path: named, why }] => assert_eq!((&**named, *why), (path, expected)),
        faults => panic!("{}: {faults:?}", path.display()),
    }
}

/// Wherever one byte of a file of the engine is wrong, in rows, filters, indices or lists, that file is
/// named; a scan of all rows would not find it, and the engine may not even open.
#[test]
fn a_wrong_byte_in_any_file_is_found_and_looking_changes_nothing() {
    let (folder, store) = filled(20);
    store.engine.flush();
    let locked = EmbeddedStore::open_aside(folder.path(), &EmbeddedConfig::default());
    assert!(matches!(locked, Err(StoreError::Locked { .. })), "it is in use");
    let locked = EmbeddedStore::check_files(folder.path(), &mut |_| ());
    assert!(matches!(locked, Err(StoreError::Locked { .. })), "it is in use");
    drop(store);
    let before = files_below(folder.path());
    assert!(faults_of(&folder).is_empty());
    let opened = EmbeddedStore::open_aside(folder.path(), &EmbeddedConfig::default()).unwrap();
    assert_eq!(opened.check(&mut |_, _| ()).unwrap().fault_count, 0);
    drop(opened);
    assert_eq!(files_below(folder.path()), before, "looking changed something");
    let fixed = |path: &std::path::Path| {
        ["tables", "blobs"].iter().any(|name| path.parent().unwrap().ends_with(name))
    };
    let (mut tables, mut flips) = (0, 0);
    for (path, bytes) in before.iter().filter(|(path, _)| fixed(path)) {
        tables += 1;
        for at in (0..bytes.len()).step_by(bytes.len() / 5 + 1) {
            let mut wrong = bytes.clone();
            wrong[at] ^= 0x10;
            std::fs::write(path, wrong).unwrap();
            is_named(&folder, path, "its checksum differs");
            flips += 1;
        }
        std::fs::remove_file(path).unwrap();
        is_named(&folder, path, "it is missing");
        std::fs::write(path, bytes).unwrap();
    }
    assert!(tables >= 3 && flips > 12, "{tables} files, {flips} bytes");
    assert!(faults_of(&folder).is_empty());
}

/// The list of files is a file as well.
#[test]
fn a_wrong_list_of_files_is_named() {
    let (folder, store) = filled(20);
    store.engine.flush();
    drop(store);
    let tree = folder.path().join("db/keyspaces/1");
    let current = tree.join("current");
    let sound = std::fs::read(&current).unwrap();
    let list = tree.join(format!("v{}", u64::from_le_bytes(*sound.first_chunk().unwrap())));
    let mut wrong = std::fs::read(&list).unwrap();
    wrong[7] ^= 1;
    std::fs::write(&list, wrong).unwrap();
    is_named(&folder, &list, "its checksum differs");
    std::fs::write(&current, &sound[..20]).unwrap();
    is_named(&folder, &current, "it is no list of files");
    std::fs::remove_file(&list).unwrap();
    std::fs::write(&current, &sound).unwrap();
    is_named(&folder, &list, "it is missing");
}

/// What a store that is looked at aside says of its files is said of the folder itself.
#[test]
fn a_store_that_does_not_open_aside_names_its_own_folder() {
    let (folder, store) = filled(2);
    drop(store);
    std::fs::remove_file(folder.path().join("integrity")).unwrap();
    let error = EmbeddedStore::open_aside(folder.path(), &EmbeddedConfig::default()).err().unwrap();
    let expected = folder.path().join("integrity");
    assert!(matches!(&error, StoreError::Integrity { path, .. } if *path == expected), "{error}");
}

/// A folder and everything below it, with its size and when it was last changed.
fn states_below(folder: &std::path::Path) -> Vec<(std::path::PathBuf, u64, std::time::SystemTime)> {
    let about = std::fs::metadata(folder).unwrap();
    let mut states = vec![(folder.to_owned(), about.len(), about.modified().unwrap())];
    if about.is_dir() {
        for entry in std::fs::read_dir(folder).unwrap() {
            states.extend(states_below(&entry.unwrap().path()));
        }
    }
    states.sort();
    states
}

/// Lets a folder, everything below it and the files in it be used so.
fn permit(folder: &std::path::Path, of_folders: u32, of_files: u32) {
    for (path, ..) in states_below(folder) {
        let mode = if path.is_dir() { of_folders } else { of_files };
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(mode)).unwrap();
    }
}

/// A copy that is kept so that nobody can write to it is checked as it lies, and stays as it is, even
/// by somebody who may write everywhere.
#[test]
fn a_folder_that_nobody_may_write_to_is_checked_and_stays_as_it_is() {
    let (folder, store) = filled(20);
    store.engine.flush();
    drop(store);
    permit(folder.path(), 0o555, 0o444);
    let before = states_below(folder.path());
    let files = EmbeddedStore::check_files(folder.path(), &mut |_| ());
    let opened = EmbeddedStore::open_aside(folder.path(), &EmbeddedConfig::default());
    let checked = opened.and_then(|store| store.check(&mut |_, _| ()));
    let after = states_below(folder.path());
    permit(folder.path(), 0o755, 0o644); // or the folder cannot be removed
    assert!(files.unwrap().is_empty());
    let report = checked.unwrap();
    assert_eq!((report.row_count, report.fault_count), (30, 0));
    assert_eq!(after, before, "looking changed something");
}
