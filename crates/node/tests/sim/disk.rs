//! A disk that outlives processes, and a process's handle to it, which may die at any commit.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};

use superroot_store::{
    CheckReport, MemoryStore, Row, ScanOrder, Store, StoreError, Table, WriteBatch,
};

/// What is left of the commit at which a process dies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Death {
    /// Nothing: it died before.
    Before,
    /// All of it: it died before it was told.
    After,
}

/// A process's store: gone with the process, while the disk stays.
pub(crate) struct Process {
    disk: Arc<MemoryStore>,
    /// Commits left before it dies.
    fate: Mutex<Option<(u64, Death)>>,
    is_dead: AtomicBool,
    /// Commits left before one is acknowledged and lost.
    loses: Mutex<Option<u64>>,
}

impl Process {
    pub(crate) fn on(disk: Arc<MemoryStore>) -> Arc<Self> {
        let (fate, loses) = (Mutex::default(), Mutex::default());
        Arc::new(Self { disk, fate, is_dead: AtomicBool::new(false), loses })
    }

    /// Dies at the commit after so many others.
    pub(crate) fn dies_after(&self, commits: u64, death: Death) {
        *self.fate.lock().unwrap() = Some((commits, death));
    }

    /// Loses the commit after so many others, and says that it was written.
    pub(crate) fn loses(&self, after: u64) {
        *self.loses.lock().unwrap() = Some(after);
    }

    fn is_lost(&self) -> bool {
        let mut loses = self.loses.lock().unwrap();
        let is_lost = *loses == Some(0);
        *loses = loses.and_then(|left| left.checked_sub(1));
        is_lost
    }

    pub(crate) fn is_dead(&self) -> bool {
        self.is_dead.load(Ordering::Relaxed)
    }

    fn alive(&self) -> Result<(), StoreError> {
        if self.is_dead() { Err(StoreError::Dead) } else { Ok(()) }
    }

    /// How this commit ends, if it is the last.
    fn death(&self) -> Option<Death> {
        let mut fate = self.fate.lock().unwrap();
        let (left, death) = (*fate)?;
        if left == 0 {
            return Some(death);
        }
        *fate = Some((left - 1, death));
        None
    }
}

impl Store for Process {
    fn get(&self, table: Table, key: &[u8]) -> Result<Option<Vec<u8>>, StoreError> {
        self.alive()?;
        self.disk.get(table, key)
    }

    fn scan(
        &self,
        table: Table,
        start: &[u8],
        end: Option<&[u8]>,
        limit: usize,
        direction: ScanOrder,
    ) -> Result<Vec<Row>, StoreError> {
        self.alive()?;
        self.disk.scan(table, start, end, limit, direction)
    }

    fn commit(&self, batch: WriteBatch) -> Result<(), StoreError> {
        self.alive()?;
        match self.death() {
            None if self.is_lost() => Ok(()),
            None => self.disk.commit(batch),
            Some(death) => {
                if death == Death::After {
                    self.disk.commit(batch)?;
                }
                self.is_dead.store(true, Ordering::Relaxed);
                Err(StoreError::Dead)
            }
        }
    }

    fn commit_count(&self) -> u64 {
        self.disk.commit_count()
    }

    fn check(&self, progress: &mut dyn FnMut(Table, u64)) -> Result<CheckReport, StoreError> {
        self.alive()?;
        self.disk.check(progress)
    }
}
