//! Writes and reads one block's events.

use superroot_store::layout::{self, StoredRow};
use superroot_store::{Store, StoreError, Table, WriteBatch, read, scan};
use superroot_types::{BlockNumber, ChainKey, Hash, UnixSeconds};

use crate::IndexError;
use crate::event::{self, BlockEvent};
use crate::rows::{self, EventBlockRow, FORM};
use crate::view::{self, EventBlock, View};

/// Brings the index up to date with a block in the store. The batch expects this block, so that every indexed block is
/// stored.
pub(crate) fn put(
    batch: &mut WriteBatch,
    store: &dyn Store,
    views: &[Box<dyn View>],
    chain: ChainKey,
    number: BlockNumber,
) -> Result<(), IndexError> {
    let key = layout::block_key(chain, number);
    let bytes = store.get(Table::Block, &key)?;
    let held = bytes.as_deref().map(|bytes| layout::BlockRow::decode(&key, bytes)).transpose()?;
    let indexed = load(store, chain, number)?;
    let is_the_same = |held: &layout::BlockRow, indexed: &EventBlockRow| {
        EventBlockRow { count: indexed.count, ..EventBlockRow::of(held) } == *indexed
    };
    if let (Some(held), Some(indexed)) = (&held, &indexed)
        && is_the_same(held, indexed)
    {
        return Ok(());
    }
    let mut events = match &held {
        Some(held) => of_held(store, chain, number, held)?,
        None => Vec::new(),
    };
    if indexed.is_none() && events.is_empty() {
        return Ok(());
    }
    batch.expect(Table::Block, key, bytes.as_deref());
    if let Some(indexed) = indexed {
        remove(batch, store, views, (chain, number), &indexed)?;
    }
    if let Some(held) = held.filter(|_| !events.is_empty()) {
        let row = EventBlockRow::of(&held);
        // views see events whole: the bound is one of what the index stores
        let viewed = viewed(views, (chain, number), &row, &events);
        if rows::cut_data(&mut events) {
            let keys = viewed.iter().map(|(table, key, _)| (*table, key.as_slice()));
            batch.put(Table::Event, rows::viewed_key(chain, number), rows::encode_keys(keys));
        }
        for (table, key, value) in viewed {
            batch.put(table, key, value);
        }
        write(batch, chain, number, row, &events);
    }
    Ok(())
}

/// Rows of the views for a block.
fn viewed(
    views: &[Box<dyn View>],
    (chain, number): (ChainKey, BlockNumber),
    row: &EventBlockRow,
    events: &[BlockEvent],
) -> Vec<view::Row> {
    let hash = row.hash;
    let timestamp = UnixSeconds(row.timestamp);
    let block = EventBlock { chain, number, hash, timestamp, events };
    let mut rows = Vec::new();
    views.iter().for_each(|view| view.put(&block, &mut rows));
    rows
}

/// Puts events of a block without index rows into the batch, for benches. Does not check that the events are stored;
/// their data must be short.
#[doc(hidden)]
pub fn put_events(
    batch: &mut WriteBatch,
    chain: ChainKey,
    number: BlockNumber,
    hash: Hash,
    events: &[BlockEvent],
) {
    let row = EventBlockRow { hash, timestamp: 0, kept: None, count: 0, form: FORM };
    write(batch, chain, number, row, events);
}

fn write(
    batch: &mut WriteBatch,
    chain: ChainKey,
    number: BlockNumber,
    mut row: EventBlockRow,
    events: &[BlockEvent],
) {
    row.count = u32::try_from(events.len()).unwrap_or(u32::MAX);
    batch.put(Table::Event, rows::event_block_key(chain, number), row.encode());
    for (first, page) in rows::pages(events) {
        batch.put(Table::Event, rows::page_key(chain, number, first), page);
    }
    for (key, ordinals) in rows::places(chain, number, events) {
        batch.put(Table::EventPlace, key, ordinals);
    }
}

/// Hash of the indexed block with this number; `None` if not indexed.
pub fn load_indexed_hash(
    store: &dyn Store,
    chain: ChainKey,
    number: BlockNumber,
) -> Result<Option<Hash>, StoreError> {
    Ok(load(store, chain, number)?.map(|row| row.hash))
}

/// A block's index row; `None` without events.
pub(crate) fn load(
    store: &dyn Store,
    chain: ChainKey,
    number: BlockNumber,
) -> Result<Option<EventBlockRow>, StoreError> {
    let key = rows::event_block_key(chain, number);
    store.get(Table::Event, &key)?.map(|bytes| EventBlockRow::decode(&key, &bytes)).transpose()
}

pub(crate) fn of_held(
    store: &dyn Store,
    chain: ChainKey,
    number: BlockNumber,
    held: &layout::BlockRow,
) -> Result<Vec<BlockEvent>, IndexError> {
    if !event::is_indexed(chain.family) || held.extent == superroot_chain::Extent::default() {
        return Ok(Vec::new());
    }
    let fault = |why: String| IndexError::Block { chain, number, why };
    let Some(body) = read::load_body(store, chain, number)? else {
        return Err(fault("its body is gone".to_owned()));
    };
    let count = held.tx_count.unwrap_or(0);
    event::of_body(&body, count, |tx_index| held.kept.holds(tx_index)).map_err(fault)
}

fn remove(
    batch: &mut WriteBatch,
    store: &dyn Store,
    views: &[Box<dyn View>],
    (chain, number): (ChainKey, BlockNumber),
    row: &EventBlockRow,
) -> Result<(), IndexError> {
    let mut events = Vec::new();
    for row in scan::rows_of(store, Table::Event, &rows::pages_prefix(chain, number)) {
        let (key, bytes) = row?;
        events.extend(rows::decode_page(&key, &bytes)?);
        batch.delete(Table::Event, key);
    }
    let viewed_key = rows::viewed_key(chain, number);
    match store.get(Table::Event, &viewed_key)? {
        // what is stored of its events is not what the views saw
        Some(bytes) => {
            for (table, key) in rows::decode_keys(&viewed_key, &bytes)? {
                batch.delete(table, key);
            }
            batch.delete(Table::Event, viewed_key);
        }
        None => {
            for (table, key, _) in viewed(views, (chain, number), row, &events) {
                batch.delete(table, key);
            }
        }
    }
    for key in rows::places(chain, number, &events).into_keys() {
        batch.delete(Table::EventPlace, key);
    }
    batch.delete(Table::Event, rows::event_block_key(chain, number));
    Ok(())
}
