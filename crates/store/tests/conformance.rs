//! Every backend keeps every promise, and the embedded one also when each write is cut short.

use std::path::Path;
use std::sync::{Arc, Mutex, RwLock};

use superroot_store::conformance::{Home, LAWS};
use superroot_store::{
    CheckReport, CrashPoint, EmbeddedConfig, EmbeddedStore, MemoryStore, Row, ScanOrder, Store,
    StoreError, Table, WriteBatch,
};
use tempfile::TempDir;

struct Memory(Arc<MemoryStore>);

impl Home for Memory {
    fn open(&self) -> Arc<dyn Store> {
        self.0.clone()
    }
}

struct Folder(TempDir);

impl Home for Folder {
    fn open(&self) -> Arc<dyn Store> {
        Arc::new(open(self.0.path()))
    }
}

fn open(folder: &Path) -> EmbeddedStore {
    let config = EmbeddedConfig { cache_bytes: 8 << 20, ..EmbeddedConfig::default() };
    EmbeddedStore::open(folder, &config).unwrap()
}

/// A store that dies in every third commit, at each point in turn, is opened again and, where the
/// batch was lost, given it once more: what a careful caller does.
struct Dying {
    folder: Arc<TempDir>,
    points: &'static [CrashPoint],
    store: RwLock<Option<EmbeddedStore>>,
    commits: Mutex<usize>,
}

struct DyingFolder(Arc<TempDir>, &'static [CrashPoint]);

impl Home for DyingFolder {
    fn open(&self) -> Arc<dyn Store> {
        let store = RwLock::new(Some(open(self.0.path())));
        Arc::new(Dying { folder: self.0.clone(), points: self.1, store, commits: Mutex::new(0) })
    }
}

impl Dying {
    fn with<T>(&self, ask: impl FnOnce(&EmbeddedStore) -> T) -> T {
        ask(self.store.read().unwrap().as_ref().expect("open between commits"))
    }

    /// Dies at `point` while committing, and comes back.
    fn die(&self, point: CrashPoint, batch: WriteBatch) -> Result<(), StoreError> {
        let mut place = self.store.write().unwrap();
        let dying = place.take().expect("open between commits");
        let before = dying.commit_count();
        dying.crash_at(point);
        match dying.commit(batch.clone()) {
            Err(StoreError::Dead) => {}
            other => {
                *place = Some(open_again(dying, self.folder.path()));
                return other;
            }
        }
        assert!(
            matches!(dying.commit(WriteBatch::new()), Err(StoreError::Dead)),
            "a dead handle wrote"
        );
        let store = open_again(dying, self.folder.path());
        let kept = store.commit_count() == before + 1;
        assert_eq!(kept, point != CrashPoint::BeforeEngine, "{point:?}");
        let outcome = if kept { Ok(()) } else { store.commit(batch) };
        *place = Some(store);
        outcome
    }
}

fn open_again(store: EmbeddedStore, folder: &Path) -> EmbeddedStore {
    drop(store);
    open(folder)
}

impl Store for Dying {
    fn get(&self, table: Table, key: &[u8]) -> Result<Option<Vec<u8>>, StoreError> {
        self.with(|store| store.get(table, key))
    }

    fn scan(
        &self,
        table: Table,
        start: &[u8],
        end: Option<&[u8]>,
        limit: usize,
        direction: ScanOrder,
    ) -> Result<Vec<Row>, StoreError> {
        self.with(|store| store.scan(table, start, end, limit, direction))
    }

    fn commit(&self, batch: WriteBatch) -> Result<(), StoreError> {
        let commit = {
            let mut commits = self.commits.lock().unwrap();
            *commits += 1;
            *commits
        };
        if commit % 3 == 1 {
            let point = self.points[commit / 3 % self.points.len()];
            return self.die(point, batch);
        }
        self.with(|store| store.commit(batch))
    }

    fn commit_count(&self) -> u64 {
        self.with(EmbeddedStore::commit_count)
    }

    fn check(&self, progress: &mut dyn FnMut(Table, u64)) -> Result<CheckReport, StoreError> {
        self.with(|store| store.check(progress))
    }
}

#[test]
fn memory_keeps_every_promise() {
    for (name, law) in LAWS {
        eprintln!("{name}");
        law(&Memory(Arc::default()));
    }
}

#[test]
fn embedded_keeps_every_promise() {
    for (name, law) in LAWS {
        law(&Folder(tempfile::tempdir().unwrap()));
        eprintln!("{name}");
    }
}

fn dying_keeps_every_promise(points: &'static [CrashPoint]) {
    for (name, law) in LAWS {
        eprintln!("{name}");
        law(&DyingFolder(Arc::new(tempfile::tempdir().unwrap()), points));
    }
}

#[test]
fn a_write_lost_before_the_engine_breaks_no_promise() {
    dying_keeps_every_promise(&[CrashPoint::BeforeEngine]);
}

#[test]
fn a_crash_before_the_integrity_file_breaks_no_promise() {
    dying_keeps_every_promise(&[CrashPoint::AfterEngine]);
}

#[test]
fn a_torn_integrity_file_breaks_no_promise() {
    dying_keeps_every_promise(&[CrashPoint::WithinIntegrity]);
}

#[test]
fn crashes_at_every_point_in_turn_break_no_promise() {
    dying_keeps_every_promise(&[
        CrashPoint::AfterIntegrity,
        CrashPoint::BeforeEngine,
        CrashPoint::WithinIntegrity,
        CrashPoint::AfterEngine,
    ]);
}
