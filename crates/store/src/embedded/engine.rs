//! Engine wrapper: one keyspace per table, a checksum before every value.
//!
//! ```text
//! stored key     space:u8 ‖ key          space 00: the store's own rows, 01: rows of the tables
//! stored value   crc32c:u32 ‖ value      checksum over table:u8 ‖ stored key ‖ value
//! ```

use std::io::Read;
use std::ops::{Bound, ControlFlow};
use std::panic::catch_unwind;
use std::path::Path;

use fjall::{
    CompressionType, Database, Keyspace, KeyspaceCreateOptions, KvSeparationOptions, PersistMode,
    Readable, Slice, Snapshot,
};

use super::config::EmbeddedConfig;
use super::journals::check_order;
use crate::{Row, ScanOrder, StoreError, Table};

/// Rows between two progress calls in a check.
const PROGRESS_ROWS: u64 = 10_000;

/// Bytes copied per batch.
const COPIED_BYTES: usize = 4 << 20;

/// Smallest `Body` value stored outside the tree, untouched by compaction.
const SEPARATED_BYTES: u32 = 4 << 10;

/// Row owner.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub(super) enum Space {
    /// Store's own row.
    Own = 0,
    /// Table row.
    Rows = 1,
}

/// Open database with keyspaces in [`Table::ALL`] order.
pub(super) struct Engine {
    database: Database,
    keyspaces: Vec<Keyspace>,
}

/// Atomic engine write.
pub(super) struct EngineBatch<'a> {
    engine: &'a Engine,
    batch: fjall::OwnedWriteBatch,
}

impl Engine {
    /// Opens or creates the database in `folder`. The engine panics on some journal damage; the panic becomes an
    /// ordinary error.
    pub(super) fn open(folder: &Path, config: &EmbeddedConfig) -> Result<Self, StoreError> {
        Self::open_with(folder, config, None)
    }

    /// Like `open`, with a number of compaction threads; zero threads leave all files as they are.
    pub(super) fn open_with(
        folder: &Path,
        config: &EmbeddedConfig,
        workers: Option<usize>,
    ) -> Result<Self, StoreError> {
        check_order(folder)?;
        let opened = catch_unwind(|| Self::recover(folder, config, workers));
        opened.unwrap_or_else(|_| Err(StoreError::Damaged { folder: folder.to_owned() }))
    }

    fn recover(
        folder: &Path,
        config: &EmbeddedConfig,
        workers: Option<usize>,
    ) -> Result<Self, StoreError> {
        let builder = Database::builder(folder);
        let builder = match workers {
            Some(workers) => builder.worker_threads_unchecked(workers),
            None => builder,
        };
        let database = builder
            .cache_size(config.cache_bytes)
            .max_journaling_size(config.journal_bytes_max.max(64 << 20))
            .journal_compression(CompressionType::None) // what is long is compressed already
            .open()
            .map_err(engine("open the database"))?;
        let keyspaces = Table::ALL
            .into_iter()
            .map(|table| database.keyspace(table.name(), || options(table)))
            .collect::<Result<_, _>>()
            .map_err(engine("open a table"))?;
        Ok(Self { database, keyspaces })
    }

    pub(super) fn get(
        &self,
        space: Space,
        table: Table,
        key: &[u8],
    ) -> Result<Option<Vec<u8>>, StoreError> {
        let stored_key = stored_key(space, key);
        // A snapshot: a plain read could see a row of a batch before its other rows are visible.
        let value = self
            .database
            .snapshot()
            .get(self.keyspace(table), &stored_key)
            .map_err(engine("read a row"))?;
        value.map(|stored| open_value(table, &stored_key, &stored)).transpose()
    }

    /// Returns one space's rows in a key range, end exclusive.
    pub(super) fn scan(
        &self,
        space: Space,
        table: Table,
        (start, end): (&[u8], Option<&[u8]>),
        limit: usize,
        direction: ScanOrder,
    ) -> Result<Vec<Row>, StoreError> {
        if end.is_some_and(|end| end <= start) {
            return Ok(Vec::new());
        }
        let end = end.map_or_else(|| vec![space as u8 + 1], |end| stored_key(space, end));
        let range = (Bound::Included(stored_key(space, start)), Bound::Excluded(end));
        let rows = self.database.snapshot().range(self.keyspace(table), range);
        match direction {
            ScanOrder::Rising => rows.take(limit).map(|row| open_row(table, row)).collect(),
            ScanOrder::Falling => rows.rev().take(limit).map(|row| open_row(table, row)).collect(),
        }
    }

    /// Reads every row in a table, and the store's own rows there: `fault` receives the faults, `progress` the table's
    /// row count to date. Ends early only if the engine cannot continue. Returns the table's row count.
    pub(super) fn visit(
        &self,
        table: Table,
        fault: &mut dyn FnMut(StoreError),
        progress: &mut dyn FnMut(u64),
    ) -> u64 {
        let mut row_count = 0;
        for row in self.database.snapshot().iter(self.keyspace(table)) {
            let (stored_key, stored) = match row.into_inner().map_err(engine("read a row")) {
                Ok(row) => row,
                Err(error) => {
                    fault(error);
                    break;
                }
            };
            match open_value(table, &stored_key, &stored) {
                // a damaged filter or index hides a row that a scan finds
                Ok(_) => {
                    self.find(table, &stored_key, &stored).err().into_iter().for_each(&mut *fault)
                }
                Err(error) => fault(error),
            }
            if is_of_table(&stored_key) {
                row_count += 1;
                if row_count % PROGRESS_ROWS == 0 {
                    progress(row_count);
                }
            }
        }
        progress(row_count);
        row_count
    }

    /// Looks up a row by key.
    fn find(&self, table: Table, stored_key: &[u8], stored: &[u8]) -> Result<(), StoreError> {
        let found = self.keyspace(table).get(stored_key).map_err(engine("read a row"))?;
        if found.as_deref() == Some(stored) {
            return Ok(());
        }
        let key = stored_key.get(1..).unwrap_or_default();
        Err(StoreError::corrupt(table, key, "a scan finds it, and its key does not"))
    }

    /// Returns a snapshot, valid while kept.
    pub(super) fn moment(&self) -> Snapshot {
        self.database.snapshot()
    }

    /// Copies a table's rows at the snapshot, and the store's own rows there, into another database. `progress`
    /// receives the table's row count to date. Returns the table's row count as in [`Engine::visit`].
    pub(super) fn copy_table(
        &self,
        moment: &Snapshot,
        table: Table,
        copy: &Self,
        progress: &mut dyn FnMut(u64) -> ControlFlow<()>,
    ) -> Result<u64, StoreError> {
        let mut told = |rows| match progress(rows) {
            ControlFlow::Continue(()) => Ok(()),
            ControlFlow::Break(()) => Err(StoreError::Stopped),
        };
        let mut rows = 0;
        let mut bytes = 0;
        let mut batch = copy.database.batch();
        for row in moment.iter(self.keyspace(table)) {
            let (stored_key, stored) = row.into_inner().map_err(engine("read a row"))?;
            open_value(table, &stored_key, &stored)?;
            bytes += stored_key.len() + stored.len();
            rows += u64::from(is_of_table(&stored_key));
            batch.insert(copy.keyspace(table), stored_key, stored);
            if bytes >= COPIED_BYTES {
                batch.commit().map_err(engine("write a copy"))?;
                (batch, bytes) = (copy.database.batch(), 0);
                told(rows)?;
            }
        }
        batch.commit().map_err(engine("write a copy"))?;
        told(rows)?;
        Ok(rows)
    }

    /// Makes all writes durable.
    pub(super) fn persist(&self) -> Result<(), StoreError> {
        self.database.persist(PersistMode::SyncAll).map_err(engine("sync"))
    }

    /// Whether all tables are empty, own rows included.
    pub(super) fn is_empty(&self) -> Result<bool, StoreError> {
        for keyspace in &self.keyspaces {
            if !keyspace.is_empty().map_err(engine("read a row"))? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    pub(super) fn batch(&self) -> EngineBatch<'_> {
        let batch = self.database.batch().durability(Some(PersistMode::SyncAll));
        EngineBatch { engine: self, batch }
    }

    fn keyspace(&self, table: Table) -> &Keyspace {
        &self.keyspaces[table.index()]
    }
}

impl EngineBatch<'_> {
    pub(super) fn put(&mut self, space: Space, table: Table, key: &[u8], value: &[u8]) {
        let key = joined(&[space as u8], key);
        let value = joined(&checksum(table, &key, value).to_be_bytes(), value);
        self.batch.insert(self.engine.keyspace(table), key, value);
    }

    pub(super) fn delete(&mut self, space: Space, table: Table, key: &[u8]) {
        self.batch.remove(self.engine.keyspace(table), joined(&[space as u8], key));
    }

    /// Writes the whole batch; durable on return.
    pub(super) fn commit(self) -> Result<(), StoreError> {
        self.batch.commit().map_err(engine("commit"))
    }
}

/// Bytes per table kept in memory before a flush to a file; small rows take twice as much. The engine's default is four
/// times as many, per table.
const MEMTABLE_BYTES: u64 = 16 << 20;

fn options(table: Table) -> KeyspaceCreateOptions {
    let options = KeyspaceCreateOptions::default().max_memtable_size(MEMTABLE_BYTES);
    if table != Table::Body {
        return options;
    }
    let separated = KvSeparationOptions::default()
        .separation_threshold(SEPARATED_BYTES)
        .compression(CompressionType::None); // bodies are compressed already
    options.with_kv_separation(Some(separated))
}

fn stored_key(space: Space, key: &[u8]) -> Vec<u8> {
    [&[space as u8], key].concat()
}

/// Whether a row belongs to the table, not to the store.
fn is_of_table(stored_key: &[u8]) -> bool {
    stored_key.first() == Some(&(Space::Rows as u8))
}

/// Concatenation in the engine's own memory type, copied once.
fn joined(head: &[u8], tail: &[u8]) -> Slice {
    let mut whole = head.chain(tail);
    Slice::from_reader(&mut whole, head.len() + tail.len()).expect("so many bytes are there")
}

fn checksum(table: Table, stored_key: &[u8], value: &[u8]) -> u32 {
    let head = crc32c::crc32c_append(crc32c::crc32c(&[table.byte()]), stored_key);
    crc32c::crc32c_append(head, value)
}

fn open_value(table: Table, stored_key: &[u8], stored: &[u8]) -> Result<Vec<u8>, StoreError> {
    let corrupt = |why| StoreError::corrupt(table, stored_key.get(1..).unwrap_or_default(), why);
    let (expected, value) =
        stored.split_first_chunk().ok_or_else(|| corrupt("shorter than its checksum"))?;
    if checksum(table, stored_key, value) != u32::from_be_bytes(*expected) {
        return Err(corrupt("checksum differs"));
    }
    Ok(value.to_vec())
}

fn open_row(table: Table, row: fjall::Guard) -> Result<Row, StoreError> {
    let (stored_key, stored) = row.into_inner().map_err(engine("read a row"))?;
    let value = open_value(table, &stored_key, &stored)?;
    Ok((stored_key.get(1..).unwrap_or_default().to_vec(), value))
}

fn engine(operation: &'static str) -> impl Fn(fjall::Error) -> StoreError {
    move |source| StoreError::Engine { operation, source }
}

#[cfg(test)]
impl Engine {
    /// Overwrites a value with raw bytes, to simulate damage.
    pub(super) fn damage(&self, table: Table, key: &[u8], stored: &[u8]) {
        let key = stored_key(Space::Rows, key);
        self.keyspace(table).insert(key, stored).unwrap();
    }

    /// Flushes memory to files.
    pub(super) fn flush(&self) {
        self.keyspaces.iter().for_each(|keyspace| keyspace.rotate_memtable_and_wait().unwrap());
    }

    /// Raw value bytes.
    pub(super) fn stored(&self, table: Table, key: &[u8]) -> Vec<u8> {
        let key = stored_key(Space::Rows, key);
        self.keyspace(table).get(key).unwrap().unwrap().to_vec()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A row must not be read back in another table, under another key, or with another bit.
    #[test]
    fn a_checksum_binds_table_key_and_value() {
        let key = stored_key(Space::Rows, b"key");
        let stored =
            [&checksum(Table::Block, &key, b"value").to_be_bytes(), &b"value"[..]].concat();
        assert_eq!(open_value(Table::Block, &key, &stored).unwrap(), b"value");
        assert!(open_value(Table::Body, &key, &stored).is_err());
        assert!(open_value(Table::Block, &stored_key(Space::Own, b"key"), &stored).is_err());
        assert!(open_value(Table::Block, &stored_key(Space::Rows, b"kez"), &stored).is_err());
        for bit in 0..stored.len() * 8 {
            let mut flipped = stored.clone();
            flipped[bit / 8] ^= 1 << (bit % 8);
            assert!(open_value(Table::Block, &key, &flipped).is_err(), "bit {bit}");
        }
        for length in 0..stored.len() {
            assert!(open_value(Table::Block, &key, &stored[..length]).is_err(), "{length} bytes");
        }
    }
}
