//! Conformance suite for every backend. A law panics if the guarantee is broken.
//!
//! ```
//! use std::sync::Arc;
//! use superroot_store::conformance::{Home, LAWS};
//! use superroot_store::{MemoryStore, Store};
//!
//! struct Memory(Arc<MemoryStore>);
//! impl Home for Memory {
//!     fn open(&self) -> Arc<dyn Store> {
//!         self.0.clone()
//!     }
//! }
//! for (name, law) in LAWS {
//!     println!("{name}");
//!     law(&Memory(Arc::default()));
//! }
//! ```

mod concurrency;
mod home;

use std::collections::BTreeMap;

use self::concurrency::{of_competing_writers_one_wins, readers_see_whole_batches};
pub use self::home::Home;
use self::home::{all, commit, get};
use crate::{KEY_BYTES_MAX, Row, ScanOrder, StoreError, Table, VALUE_BYTES_MAX, WriteBatch};

/// Guarantee, checked on an empty store.
pub type Law = fn(&dyn Home);

/// All laws by name.
pub const LAWS: &[(&str, Law)] = &[
    ("an_empty_store_holds_nothing", an_empty_store_holds_nothing),
    ("what_was_put_is_read", what_was_put_is_read),
    ("tables_are_apart", tables_are_apart),
    ("a_deleted_row_is_gone", a_deleted_row_is_gone),
    ("scans_agree_with_a_sorted_map", scans_agree_with_a_sorted_map),
    ("a_batch_past_a_bound_is_refused_whole", a_batch_past_a_bound_is_refused_whole),
    ("a_failed_expectation_writes_nothing", a_failed_expectation_writes_nothing),
    ("expectations_are_about_the_store_before", expectations_are_about_the_store_before),
    ("commits_are_counted", commits_are_counted),
    ("a_big_batch_is_kept_whole", a_big_batch_is_kept_whole),
    ("a_large_value_is_kept_whole", a_large_value_is_kept_whole),
    ("reopening_keeps_everything", reopening_keeps_everything),
    ("random_batches_agree_with_a_model", random_batches_agree_with_a_model),
    ("readers_see_whole_batches", readers_see_whole_batches),
    ("of_competing_writers_one_wins", of_competing_writers_one_wins),
    ("a_check_reads_every_table", a_check_reads_every_table),
];

fn an_empty_store_holds_nothing(home: &dyn Home) {
    let store = home.open();
    for table in Table::ALL {
        assert_eq!(get(&*store, table, b""), None);
        assert_eq!(get(&*store, table, b"key"), None);
        assert_eq!(all(&*store, table), [], "{table}");
    }
    assert_eq!(store.commit_count(), 0);
}

/// Empty and longest keys, empty values and every byte in both.
fn what_was_put_is_read(home: &dyn Home) {
    let store = home.open();
    let every_byte: Vec<u8> = (0..=255).collect();
    let longest = vec![0xff; KEY_BYTES_MAX];
    let rows: [(&[u8], &[u8]); 6] = [
        (b"", b"of the empty key"),
        (b"of the empty value", b""),
        (&[0], b"zero"),
        (&[0xff], b"last byte"),
        (&longest, b"longest"),
        (&every_byte, &every_byte),
    ];
    commit(&*store, |batch| {
        for (key, value) in rows {
            batch.put(Table::Block, key, value);
        }
    });
    for (key, value) in rows {
        assert_eq!(get(&*store, Table::Block, key).as_deref(), Some(value));
    }
    assert_eq!(all(&*store, Table::Block).len(), rows.len());
    commit(&*store, |batch| _ = batch.put(Table::Block, b"", b"anew"));
    assert_eq!(get(&*store, Table::Block, b"").as_deref(), Some(&b"anew"[..]));
}

fn tables_are_apart(home: &dyn Home) {
    let store = home.open();
    commit(&*store, |batch| {
        for table in Table::ALL {
            batch.put(table, b"key", table.name());
        }
    });
    commit(&*store, |batch| _ = batch.delete(Table::Body, b"key"));
    for table in Table::ALL {
        let expected = (table != Table::Body).then(|| table.name().as_bytes().to_vec());
        assert_eq!(get(&*store, table, b"key"), expected, "{table}");
    }
}

fn a_deleted_row_is_gone(home: &dyn Home) {
    let store = home.open();
    commit(&*store, |batch| _ = batch.put(Table::Meta, b"a", b"1").put(Table::Meta, b"b", b"2"));
    commit(&*store, |batch| {
        batch.delete(Table::Meta, b"a").delete(Table::Meta, b"never there");
        batch.put(Table::Meta, b"c", b"3").delete(Table::Meta, b"c");
        batch.delete(Table::Meta, b"d").put(Table::Meta, b"d", b"4");
    });
    let left = [(b"b".to_vec(), b"2".to_vec()), (b"d".to_vec(), b"4".to_vec())];
    assert_eq!(all(&*store, Table::Meta), left);
    assert_eq!(get(&*store, Table::Meta, b"a"), None);
    commit(&*store, |batch| _ = batch.put(Table::Meta, b"a", b"again"));
    assert_eq!(get(&*store, Table::Meta, b"a").as_deref(), Some(&b"again"[..]));
}

/// Every pair of bounds from keys that are prefixes to each other, both orders, every limit.
fn scans_agree_with_a_sorted_map(home: &dyn Home) {
    let store = home.open();
    let keys: [&[u8]; 9] =
        [b"", &[0], &[0, 0], &[0, 1], &[1], &[1, 0xff], &[2, 0], &[0xff], &[0xff, 0xff]];
    let mut model = BTreeMap::new();
    for (place, key) in keys.into_iter().enumerate().rev() {
        let value = vec![place as u8];
        commit(&*store, |batch| _ = batch.put(Table::HistoryNode, key, value.clone()));
        model.insert(key.to_vec(), value);
    }
    let edges = keys.into_iter().chain([&[0, 2][..], &[3]]);
    for start in edges.clone() {
        for end in edges.clone().map(Some).chain([None]) {
            let inside = |key: &[u8]| key >= start && end.is_none_or(|end| key < end);
            let rising: Vec<Row> =
                model.clone().into_iter().filter(|(key, _)| inside(key)).collect();
            let falling: Vec<Row> = rising.iter().rev().cloned().collect();
            for limit in 0..=keys.len() + 1 {
                for (direction, rows) in
                    [(ScanOrder::Rising, &rising), (ScanOrder::Falling, &falling)]
                {
                    let got = store.scan(Table::HistoryNode, start, end, limit, direction).unwrap();
                    let expected = &rows[..limit.min(rows.len())];
                    assert_eq!(got, expected, "{start:?}..{end:?} limit {limit} {direction:?}");
                }
            }
        }
    }
}

fn a_batch_past_a_bound_is_refused_whole(home: &dyn Home) {
    let store = home.open();
    let long_key = vec![0; KEY_BYTES_MAX + 1];
    let mut key = WriteBatch::new();
    key.put(Table::Meta, b"a", b"1").put(Table::Meta, long_key.clone(), b"2");
    let mut expectation = WriteBatch::new();
    expectation.put(Table::Meta, b"a", b"1").expect(Table::Meta, long_key.clone(), None);
    let mut value = WriteBatch::new();
    value.put(Table::Meta, b"a", b"1").put(Table::Meta, b"b", vec![0; VALUE_BYTES_MAX + 1]);
    for batch in [key, expectation] {
        let error = store.commit(batch).unwrap_err();
        assert!(matches!(error, StoreError::KeyLength { got: 257, .. }), "{error}");
    }
    let error = store.commit(value).unwrap_err();
    assert!(matches!(error, StoreError::ValueLength { table: Table::Meta, .. }), "{error}");
    assert!(matches!(store.get(Table::Meta, &long_key), Err(StoreError::KeyLength { .. })));
    assert_eq!((all(&*store, Table::Meta), store.commit_count()), (vec![], 0));
    commit(&*store, |batch| _ = batch.put(Table::Meta, b"a", b"still alive"));
}

fn a_failed_expectation_writes_nothing(home: &dyn Home) {
    let store = home.open();
    commit(&*store, |batch| _ = batch.put(Table::Meta, b"head", b"1").put(Table::Meta, b"e", b""));
    let wrong: [(&[u8], Option<&[u8]>); 6] = [
        (b"head", None),
        (b"head", Some(b"2")),
        (b"head", Some(b"")),
        (b"none", Some(b"")),
        (b"e", None),
        (b"e", Some(&[0])),
    ];
    for (key, expected) in wrong {
        let mut batch = WriteBatch::new();
        batch.put(Table::Block, b"new", b"x").delete(Table::Meta, b"head");
        batch.expect(Table::Meta, b"head", Some(b"1")).expect(Table::Meta, key, expected);
        let error = store.commit(batch).unwrap_err();
        assert!(matches!(error, StoreError::Conflict { table: Table::Meta }), "{error}");
    }
    assert_eq!(get(&*store, Table::Meta, b"head").as_deref(), Some(&b"1"[..]));
    assert_eq!((get(&*store, Table::Block, b"new"), store.commit_count()), (None, 1));
}

fn expectations_are_about_the_store_before(home: &dyn Home) {
    let store = home.open();
    commit(&*store, |batch| {
        batch.put(Table::Meta, b"head", b"1").expect(Table::Meta, b"head", None);
    });
    commit(&*store, |batch| {
        batch.expect(Table::Meta, b"head", Some(b"1")).put(Table::Meta, b"head", b"2");
        batch.expect(Table::Body, b"other", None);
    });
    commit(&*store, |batch| {
        batch.expect(Table::Meta, b"head", Some(b"2")).delete(Table::Meta, b"head");
    });
    commit(&*store, |batch| _ = batch.expect(Table::Meta, b"head", None));
    assert_eq!(all(&*store, Table::Meta), []);
}

fn commits_are_counted(home: &dyn Home) {
    let store = home.open();
    for count in 1..=5 {
        commit(&*store, |_| ()); // an empty batch counts as well
        assert_eq!(store.commit_count(), count);
    }
    drop(store);
    assert_eq!(home.open().commit_count(), 5);
}

fn a_big_batch_is_kept_whole(home: &dyn Home) {
    let store = home.open();
    let row = |number: u32| (number.to_be_bytes(), number.to_le_bytes().repeat(8));
    commit(&*store, |batch| {
        for (key, value) in (0..20_000).map(row) {
            batch.put(Table::Transaction, key, value);
        }
    });
    drop(store);
    let rows = all(&*home.open(), Table::Transaction);
    let expected = (0..20_000).map(row).map(|(key, value)| (key.to_vec(), value));
    assert!(rows.into_iter().eq(expected));
}

/// Incompressible 8 MiB value next to a small one.
fn a_large_value_is_kept_whole(home: &dyn Home) {
    let store = home.open();
    let mut random = Random(1);
    let large: Vec<u8> = (0..1 << 20).flat_map(|_| random.next().to_be_bytes()).collect();
    commit(&*store, |batch| {
        batch.put(Table::Body, b"large", large.clone()).put(Table::Body, b"small", b"s");
    });
    assert!(get(&*store, Table::Body, b"large").as_ref() == Some(&large));
    drop(store);
    let store = home.open();
    assert!(get(&*store, Table::Body, b"large") == Some(large));
    assert_eq!(get(&*store, Table::Body, b"small").as_deref(), Some(&b"s"[..]));
}

fn reopening_keeps_everything(home: &dyn Home) {
    for round in 0..4_u8 {
        let store = home.open();
        for table in Table::ALL {
            let expected: Vec<Row> =
                (0..round).map(|past| (vec![past], table.name().into())).collect();
            assert_eq!(all(&*store, table), expected, "{table} in round {round}");
        }
        commit(&*store, |batch| {
            for table in Table::ALL {
                batch.put(table, [round], table.name());
            }
        });
    }
}

/// Small generator (splitmix64), equal on every machine.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    fn below(&mut self, bound: u64) -> u64 {
        self.next() % bound
    }
}

/// Puts, deletes and compares over few keys, so that they collide; reopened now and then.
fn random_batches_agree_with_a_model(home: &dyn Home) {
    let tables = [Table::Meta, Table::Block, Table::Body];
    let mut random = Random(7);
    let mut model: BTreeMap<(Table, Vec<u8>), Vec<u8>> = BTreeMap::new();
    let mut store = home.open();
    for round in 0..60 {
        let mut batch = WriteBatch::new();
        let mut after = model.clone();
        let mut holds = true;
        for _ in 0..random.below(8) {
            let table = tables[random.below(3) as usize];
            let key = vec![random.below(4) as u8; random.below(3) as usize];
            match random.below(5) {
                0 => {
                    batch.delete(table, key.clone());
                    after.remove(&(table, key));
                }
                1 => {
                    let expected = vec![random.below(3) as u8];
                    // Of several expectations on one key the last counts: keep to one per batch.
                    if holds && batch.written(table, &key).is_none() {
                        holds = model.get(&(table, key.clone())) == Some(&expected);
                        batch.expect(table, key, Some(&expected));
                        break;
                    }
                }
                _ => {
                    let value = vec![random.below(3) as u8; 1 + random.below(2) as usize];
                    batch.put(table, key.clone(), value.clone());
                    after.insert((table, key), value);
                }
            }
        }
        match store.commit(batch) {
            Ok(()) => {
                assert!(holds, "round {round}: an expectation that fails was let through");
                model = after;
            }
            Err(StoreError::Conflict { .. }) => assert!(!holds, "round {round}: a false conflict"),
            Err(error) => panic!("round {round}: {error}"),
        }
        if round % 20 == 19 {
            drop(store);
            store = home.open();
        }
        for table in tables {
            let rows: Vec<Row> = model
                .iter()
                .filter(|((of, _), _)| *of == table)
                .map(|((_, key), value)| (key.clone(), value.clone()))
                .collect();
            assert_eq!(all(&*store, table), rows, "round {round}, {table}");
        }
    }
}

fn a_check_reads_every_table(home: &dyn Home) {
    let store = home.open();
    commit(&*store, |batch| {
        for table in Table::ALL {
            for key in 0..=table.byte() {
                batch.put(table, [key], b"row");
            }
        }
    });
    let mut told = BTreeMap::new();
    let report = store.check(&mut |table, row_count| _ = told.insert(table, row_count)).unwrap();
    let expected = Table::ALL.map(|table| (table, u64::from(table.byte()) + 1));
    assert_eq!(told, BTreeMap::from(expected));
    let row_count: u64 = told.values().sum();
    assert_eq!((report.row_count, report.fault_count), (row_count, 0));
    assert!(report.faults.is_empty());
}
