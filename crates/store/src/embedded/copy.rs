//! Live copies: a snapshot into another folder while commits go on.

use std::ops::ControlFlow;
use std::path::Path;
use std::sync::PoisonError;

use super::config::EmbeddedConfig;
use super::engine::Engine;
use super::integrity::{IntegrityFile, sync_folder};
use super::{EmbeddedStore, lock};
use crate::{StoreError, Table};

impl EmbeddedStore {
    /// Copies the committed state at this moment into a new store in `folder`, which must not contain one; durable on
    /// return. Commits go on meanwhile and are not copied. Calls `progress` with each table and its rows copied to
    /// date; `progress` may stop the copy. Returns the rows copied, counted as by
    /// [`Store::check`](crate::Store::check).
    ///
    /// The integrity file is written last: without it the copy is no store.
    ///
    /// # Errors
    /// [`StoreError::Corrupt`] for a damaged row, since a copy would keep the damage; [`StoreError::Stopped`];
    /// [`StoreError::Dead`]; `Io` and `Engine`.
    pub fn copy_to(
        &self,
        folder: &Path,
        progress: &mut dyn FnMut(Table, u64) -> ControlFlow<()>,
    ) -> Result<u64, StoreError> {
        let (moment, mark) = {
            let writer = self.writer.lock().unwrap_or_else(PoisonError::into_inner);
            if writer.dead {
                return Err(StoreError::Dead);
            }
            (self.engine.moment(), writer.anchor.mark())
        };
        std::fs::create_dir_all(folder).map_err(|source| super::io("create", folder, source))?;
        let _lock = lock(folder)?;
        let copy = Engine::open(&folder.join("db"), &EmbeddedConfig::default())?;
        let mut rows = 0;
        for table in Table::ALL {
            let told = &mut |done| progress(table, done);
            rows += self.engine.copy_table(&moment, table, &copy, told)?;
        }
        copy.persist()?;
        drop(copy);
        sync_folder(&folder.join("db").join("any"))?;
        let path = folder.join("integrity");
        IntegrityFile::create(&path, &mark)?;
        sync_folder(folder)?;
        Ok(rows)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::sync::atomic::{AtomicBool, Ordering};

    use super::*;
    use crate::{ScanOrder, Store, WriteBatch};

    fn put(store: &EmbeddedStore, table: Table, key: u64, value: &[u8]) {
        let mut batch = WriteBatch::new();
        // two tables that a torn moment would show apart
        batch.put(table, key.to_be_bytes(), value).put(Table::Meta, b"newest", key.to_be_bytes());
        store.commit(batch).unwrap();
    }

    fn all(store: &EmbeddedStore, table: Table) -> Vec<crate::Row> {
        store.scan(table, b"", None, usize::MAX, ScanOrder::Rising).unwrap()
    }

    #[test]
    fn a_copy_is_the_store_row_by_row_and_goes_on() {
        let folder = tempfile::tempdir().unwrap();
        let (from, to) = (folder.path().join("from"), folder.path().join("to"));
        let store = EmbeddedStore::open(&from, &EmbeddedConfig::default()).unwrap();
        for key in 0..50 {
            put(&store, Table::Block, key, b"header");
            put(&store, Table::Body, key, &vec![key as u8; 9_000]); // lies outside of the tree
        }
        let rows = store.copy_to(&to, &mut |_, _| ControlFlow::Continue(())).unwrap();
        put(&store, Table::Block, 99, b"after the copy");
        let copy = EmbeddedStore::open_existing(&to, &EmbeddedConfig::default()).unwrap();
        assert_eq!((copy.commit_count(), rows), (100, 101));
        assert_eq!(all(&copy, Table::Body), all(&store, Table::Body));
        assert_eq!(all(&copy, Table::Block), all(&store, Table::Block)[..50]);
        put(&copy, Table::Block, 7, b"goes on");
        let report = copy.check(&mut |_, _| ()).unwrap();
        assert_eq!((report.row_count, report.fault_count), (rows, 0), "both count the same");
    }

    /// Commits while it is copied: all of a batch is in the copy, or nothing of it.
    #[test]
    fn a_copy_is_of_one_moment() {
        let folder = tempfile::tempdir().unwrap();
        let from = folder.path().join("from");
        let store = Arc::new(EmbeddedStore::open(&from, &EmbeddedConfig::default()).unwrap());
        (0..200).for_each(|key| put(&store, Table::Block, key, &[1; 300]));
        let (stop, writer) = (Arc::new(AtomicBool::new(false)), store.clone());
        let stopped = stop.clone();
        let writing = std::thread::spawn(move || {
            let mut key = 200;
            while !stopped.load(Ordering::SeqCst) {
                put(&writer, Table::Block, key, &[2; 300]);
                key += 1;
            }
            key
        });
        for round in 0..3 {
            let to = folder.path().join(format!("to-{round}"));
            store.copy_to(&to, &mut |_, _| ControlFlow::Continue(())).unwrap();
            let copy = EmbeddedStore::open_existing(&to, &EmbeddedConfig::default()).unwrap();
            let newest = copy.get(Table::Meta, b"newest").unwrap().unwrap();
            let blocks = all(&copy, Table::Block);
            assert_eq!(blocks.last().unwrap().0, newest, "round {round}");
            assert_eq!(copy.commit_count(), blocks.len() as u64);
        }
        stop.store(true, Ordering::SeqCst);
        assert!(writing.join().unwrap() > 200, "nothing was written meanwhile");
    }

    #[test]
    fn a_damaged_row_is_not_copied_and_what_is_left_is_no_store() {
        let folder = tempfile::tempdir().unwrap();
        let (from, to) = (folder.path().join("from"), folder.path().join("to"));
        let store = EmbeddedStore::open(&from, &EmbeddedConfig::default()).unwrap();
        put(&store, Table::Block, 1, b"header");
        store.engine.damage(Table::Block, &1_u64.to_be_bytes(), b"damage");
        let error = store.copy_to(&to, &mut |_, _| ControlFlow::Continue(())).unwrap_err();
        assert!(matches!(error, StoreError::Corrupt { table: Table::Block, .. }), "{error}");
        assert!(EmbeddedStore::open_existing(&to, &EmbeddedConfig::default()).is_err());
        let to = folder.path().join("stopped");
        let error = store.copy_to(&to, &mut |_, _| ControlFlow::Break(())).unwrap_err();
        assert!(matches!(error, StoreError::Stopped), "{error}");
        assert!(EmbeddedStore::open_existing(&to, &EmbeddedConfig::default()).is_err());
    }
}
