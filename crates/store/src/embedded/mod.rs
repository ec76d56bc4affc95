//! Store on disk: one folder, one process, no server.
//!
//! ```text
//! folder/lock        held while the store is open
//! folder/integrity   what was acknowledged: see `integrity`
//! folder/db/         the engine: one keyspace per table, and the anchor row in Meta
//!
//! commit:  expectations -> engine (rows + anchor, one durable write) -> integrity file -> Ok
//! ```
//!
//! A crash before the engine write leaves the batch out; a crash after the engine write leaves the batch in, with the
//! integrity file one behind, repaired at opening. Opening refuses a database that lost acknowledged commits:
//! [`StoreError::Rolledback`], [`StoreError::Lost`].
//!
//! Undetected: a hole in a table older than its last 16,384 writes, and damage that also removed the integrity file's
//! newest slot for exactly the last commit.
//!
//! On an almost full disk, a commit is refused before any write ([`StoreError::Full`]), and accepted again as soon as
//! there is room: an engine that hits the end of the disk must be reopened.

mod anchor;
mod aside;
mod config;
mod copy;
mod engine;
mod files;
mod integrity;
mod journals;
mod room;

use std::collections::HashMap;
use std::fs::{File, TryLockError};
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};

use tempfile::TempDir;

use self::anchor::{LINKS, StoreAnchor};
pub use self::config::EmbeddedConfig;
use self::engine::{Engine, Space};
use self::integrity::{IntegrityFile, IntegrityRecord, io};
use self::room::DiskRoom;
pub use self::room::free_bytes;
use crate::batch::check_key;
use crate::{CheckReport, Row, ScanOrder, Store, StoreError, Table, WriteBatch};

/// Format version for everything under `db/`: keys, rows, checksums.
pub const LAYOUT: u32 = 3;

/// Keys for the store's own rows.
const LAYOUT_KEY: &[u8] = b"layout";
const ANCHOR_KEY: &[u8] = b"anchor";
const LINK_KEY: &[u8] = b"link/";

/// Point where a commit stops as if the process had died, for recovery tests.
#[doc(hidden)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CrashPoint {
    /// Nothing written.
    BeforeEngine,
    /// Batch in the database, not in the integrity file.
    AfterEngine,
    /// Mark partly written.
    WithinIntegrity,
    /// Everything written, success not reported.
    AfterIntegrity,
}

/// [`Store`] in a folder.
pub struct EmbeddedStore {
    writer: Mutex<CommitWriter>,
    commit_count: AtomicU64,
    engine: Engine,
    room: DiskRoom,
    /// For a read-only view: the folder lock and the temporary folder.
    aside: Option<(Option<File>, TempDir)>,
    _lock: File, // dropped last: the folder is free only when the engine has let go of it
}

/// State used only by the committing thread.
struct CommitWriter {
    anchor: StoreAnchor,
    integrity: IntegrityFile,
    dead: bool,
    crash_at: Option<CrashPoint>,
}

impl EmbeddedStore {
    /// Opens the store in `folder`, or creates an empty one.
    ///
    /// # Errors
    /// [`StoreError::Locked`] if another process has the store open; [`StoreError::Layout`] if another version wrote
    /// the folder; [`StoreError::Rolledback`], [`StoreError::Lost`], [`StoreError::Ahead`], [`StoreError::Diverged`],
    /// [`StoreError::Integrity`] and [`StoreError::Corrupt`] if the data differs from the acknowledged state; `Io` and
    /// `Engine`.
    pub fn open(folder: &Path, config: &EmbeddedConfig) -> Result<Self, StoreError> {
        Self::open_with(folder, config, None)
    }

    fn open_with(
        folder: &Path,
        config: &EmbeddedConfig,
        workers: Option<usize>,
    ) -> Result<Self, StoreError> {
        std::fs::create_dir_all(folder).map_err(|source| io("create", folder, source))?;
        let lock = lock(folder)?;
        let path = folder.join("integrity");
        let found = integrity::load(&path)?;
        let engine = Engine::open_with(&folder.join("db"), config, workers)?;
        check_layout(&engine)?;
        let anchor = load_anchor(&engine)?;
        let integrity = match (&anchor, found) {
            (Some(anchor), found) => reconcile(anchor, found, &path)?,
            (None, IntegrityRecord::Mark(mark)) if mark.count > 0 => {
                return Err(StoreError::Rolledback { committed: mark.count, found: 0 });
            }
            (None, _) => initialise(&engine, &path)?,
        };
        let anchor = anchor.unwrap_or(StoreAnchor::GENESIS);
        for table in Table::ALL {
            let links = load_links(&engine, table)?;
            anchor.check_links(table, |slot| links.get(&slot).copied())?;
        }
        tracing::info!(
            commits = anchor.count,
            "opened the store at {} with {} commits",
            folder.display(),
            anchor.count
        );
        let commit_count = AtomicU64::new(anchor.count);
        let writer = Mutex::new(CommitWriter { anchor, integrity, dead: false, crash_at: None });
        let room = DiskRoom::of(folder, config.free_bytes_min);
        Ok(Self { writer, commit_count, engine, room, aside: None, _lock: lock })
    }

    /// Opens an existing store; writes nothing if none exists.
    ///
    /// # Errors
    /// [`StoreError::NoData`] without a store; otherwise as [`EmbeddedStore::open`].
    pub fn open_existing(folder: &Path, config: &EmbeddedConfig) -> Result<Self, StoreError> {
        Self::open_existing_with(folder, config, None)
    }

    fn open_existing_with(
        folder: &Path,
        config: &EmbeddedConfig,
        workers: Option<usize>,
    ) -> Result<Self, StoreError> {
        let database =
            std::fs::read_dir(folder.join("db")).and_then(|mut db| db.next().transpose());
        let found = integrity::load(&folder.join("integrity"));
        match (database, found) {
            (Ok(Some(_)), _) => Self::open_with(folder, config, workers),
            // acknowledged once, and gone: not the same as a folder that never held any
            (_, Ok(IntegrityRecord::Mark(mark))) if mark.count > 0 => {
                Err(StoreError::Rolledback { committed: mark.count, found: 0 })
            }
            _ => Err(StoreError::NoData { path: folder.to_path_buf() }),
        }
    }

    /// Stops the next commit at `point`; the handle is dead afterwards.
    #[doc(hidden)]
    pub fn crash_at(&self, point: CrashPoint) {
        self.writer.lock().unwrap_or_else(PoisonError::into_inner).crash_at = Some(point);
    }

    /// Checks that the disk has room for commits.
    ///
    /// # Errors
    /// [`StoreError::Full`]: commits are refused until there is room.
    pub fn check_room(&self) -> Result<(), StoreError> {
        self.room.check()
    }

    /// Disk bytes that always stay free.
    #[must_use]
    pub const fn free_bytes_min(&self) -> u64 {
        self.room.least()
    }

    /// Simulates free disk bytes; `None` restores the real value.
    #[doc(hidden)]
    pub fn pretend_free(&self, bytes: Option<u64>) {
        self.room.pretend(bytes);
    }

    /// Writes batch rows, anchor and links in one durable write.
    fn write(
        &self,
        batch: &WriteBatch,
        anchor: &StoreAnchor,
        links: &[(Table, u64)],
    ) -> Result<(), StoreError> {
        let mut engine_batch = self.engine.batch();
        for (table, key, value) in batch.writes() {
            match value {
                Some(value) => engine_batch.put(Space::Rows, table, key, value),
                None => engine_batch.delete(Space::Rows, table, key),
            }
        }
        for (table, write) in links {
            let key = [LINK_KEY, &anchor::slot(*write).to_be_bytes()].concat();
            engine_batch.put(Space::Own, *table, &key, &write.to_be_bytes());
        }
        engine_batch.put(Space::Own, Table::Meta, ANCHOR_KEY, &anchor.encode());
        engine_batch.commit()
    }
}

impl CommitWriter {
    /// Stops here if a test requested this crash point.
    fn pass(&self, point: CrashPoint) -> Result<(), StoreError> {
        if self.crash_at == Some(point) { Err(StoreError::Dead) } else { Ok(()) }
    }

    /// Writes the new mark to the integrity file.
    fn acknowledge(&mut self, next: &StoreAnchor) -> Result<(), StoreError> {
        let mark = next.mark();
        if self.crash_at == Some(CrashPoint::WithinIntegrity) {
            self.integrity.write_part(&mark, 20)?;
            return Err(StoreError::Dead);
        }
        self.integrity.write(&mark)
    }
}

impl Store for EmbeddedStore {
    fn get(&self, table: Table, key: &[u8]) -> Result<Option<Vec<u8>>, StoreError> {
        check_key(table, key)?;
        self.engine.get(Space::Rows, table, key)
    }

    fn scan(
        &self,
        table: Table,
        start: &[u8],
        end: Option<&[u8]>,
        limit: usize,
        direction: ScanOrder,
    ) -> Result<Vec<Row>, StoreError> {
        self.engine.scan(Space::Rows, table, (start, end), limit, direction)
    }

    fn commit(&self, batch: WriteBatch) -> Result<(), StoreError> {
        batch.check_bounds()?;
        let mut writer = self.writer.lock().unwrap_or_else(PoisonError::into_inner);
        if writer.dead {
            return Err(StoreError::Dead);
        }
        self.room.check()?;
        batch.check_expectations(|table, key| self.engine.get(Space::Rows, table, key))?;
        let (next, links) = writer.anchor.after(&batch);
        writer.dead = true; // until every step below has succeeded
        writer.pass(CrashPoint::BeforeEngine)?;
        self.write(&batch, &next, &links)?; // commit point: a crash after it leaves the batch in
        writer.pass(CrashPoint::AfterEngine)?;
        writer.acknowledge(&next)?; // `open` repeats it if we stop before
        writer.pass(CrashPoint::AfterIntegrity)?;
        self.commit_count.store(next.count, Ordering::SeqCst);
        writer.anchor = next;
        writer.dead = false;
        Ok(())
    }

    fn commit_count(&self) -> u64 {
        self.commit_count.load(Ordering::SeqCst)
    }

    fn check(&self, progress: &mut dyn FnMut(Table, u64)) -> Result<CheckReport, StoreError> {
        let mut report = CheckReport::default();
        for table in Table::ALL {
            let mut fault = |fault| report.add(fault);
            let mut told = |row_count| progress(table, row_count);
            let row_count = self.engine.visit(table, &mut fault, &mut told);
            report.row_count += row_count;
        }
        Ok(report)
    }
}

/// Locks the folder for this process until the file is dropped.
fn lock(folder: &Path) -> Result<File, StoreError> {
    let path = folder.join("lock");
    let file = File::options()
        .write(true)
        .create(true)
        .truncate(false)
        .open(&path)
        .map_err(|source| io("open", &path, source))?;
    match file.try_lock() {
        Ok(()) => Ok(file),
        Err(TryLockError::WouldBlock) => Err(StoreError::Locked { path: folder.to_path_buf() }),
        Err(TryLockError::Error(source)) => Err(io("lock", &path, source)),
    }
}

/// Refuses a folder with another layout; without a layout row, the anchor decides.
fn check_layout(engine: &Engine) -> Result<(), StoreError> {
    let Some(row) = engine.get(Space::Own, Table::Meta, LAYOUT_KEY)? else { return Ok(()) };
    let corrupt = || StoreError::corrupt(Table::Meta, LAYOUT_KEY, "not a layout number");
    let got = u32::from_be_bytes(row.try_into().map_err(|_| corrupt())?);
    if got != LAYOUT {
        return Err(StoreError::Layout { got, expected: LAYOUT });
    }
    Ok(())
}

/// Anchor row; `None` in a database without rows.
fn load_anchor(engine: &Engine) -> Result<Option<StoreAnchor>, StoreError> {
    let corrupt = |why| StoreError::corrupt(Table::Meta, ANCHOR_KEY, why);
    match engine.get(Space::Own, Table::Meta, ANCHOR_KEY)? {
        Some(row) => StoreAnchor::decode(&row).map(Some).ok_or_else(|| corrupt("not an anchor")),
        None if engine.is_empty()? => Ok(None),
        None => Err(corrupt("missing, but there are rows")),
    }
}

/// Compares the database with the acknowledged mark and updates the integrity file.
fn reconcile(
    anchor: &StoreAnchor,
    found: IntegrityRecord,
    path: &Path,
) -> Result<IntegrityFile, StoreError> {
    let refuse = |why| StoreError::Integrity { path: path.to_path_buf(), why, found: anchor.count };
    match found {
        IntegrityRecord::Mark(mark) => {
            anchor.check_mark(&mark)?;
            let mut file = IntegrityFile::open(path)?;
            file.write(&anchor.mark())?;
            Ok(file)
        }
        // A crash while the store was made: nothing has been acknowledged yet.
        IntegrityRecord::Missing | IntegrityRecord::Unreadable if anchor.count == 0 => {
            IntegrityFile::create(path, &anchor.mark())
        }
        IntegrityRecord::Missing => Err(refuse("is missing")),
        IntegrityRecord::Unreadable => Err(refuse("is unreadable")),
    }
}

/// Writes an empty store's layout and anchor, then the integrity file.
fn initialise(engine: &Engine, path: &Path) -> Result<IntegrityFile, StoreError> {
    let mut batch = engine.batch();
    batch.put(Space::Own, Table::Meta, LAYOUT_KEY, &LAYOUT.to_be_bytes());
    batch.put(Space::Own, Table::Meta, ANCHOR_KEY, &StoreAnchor::GENESIS.encode());
    batch.commit()?;
    IntegrityFile::create(path, &StoreAnchor::GENESIS.mark())
}

/// Table's ring: slot to write.
fn load_links(engine: &Engine, table: Table) -> Result<HashMap<u16, u64>, StoreError> {
    let range = (LINK_KEY, None);
    let limit = usize::try_from(LINKS).unwrap_or(usize::MAX);
    let rows = engine.scan(Space::Own, table, range, limit, ScanOrder::Rising)?;
    let links = rows.iter().map(|(key, value)| {
        let slot = key.strip_prefix(LINK_KEY).and_then(|slot| slot.try_into().ok());
        let write = value.as_slice().try_into().ok();
        let link = slot.map(u16::from_be_bytes).zip(write.map(u64::from_be_bytes));
        link.ok_or_else(|| StoreError::corrupt(table, key, "not a link"))
    });
    links.collect()
}

#[cfg(test)]
mod tests;
