//! Keys and rows of the index. Integers are big-endian; `chain` is the prefix shared by all tables.
//!
//! | table | key | value |
//! |---|---|---|
//! | `Event` | `00 ‖ chain ‖ number:u64` | [`BlockRow`] |
//! | `Event` | `01 ‖ chain ‖ number:u64 ‖ ordinal:u32` | events from that one on: a page |
//! | `EventPlace` | `00 ‖ chain ‖ address:20 ‖ number:u64` | `ordinal:u32*` |
//! | `EventPlace` | `01 ‖ chain ‖ address:20 ‖ topic:8 ‖ number:u64` | `ordinal:u32*` |
//! | `EventPlace` | `02 ‖ chain ‖ topic:8 ‖ number:u64` | `ordinal:u32*` |
//!
//! An event's *ordinal* is its index among the block's events. Addresses of another length than 20 are replaced by the
//! first bytes of their Keccak-256, topics by their own first bytes: readers compare the event itself.

use std::collections::BTreeMap;

use superroot_proof::hash::keccak256;
use superroot_store::codec::{Decoder, Encoder};
use superroot_store::layout::{KeptEntries, block_key, chain_key};
use superroot_store::{StoreError, Table, layout};
use superroot_types::{BlockNumber, ChainKey, Hash};

use crate::BlockEvent;

pub(crate) const PAGE_EVENTS: usize = 16;
/// Most indexed data of one event, in bytes; each block has a second limit.
pub(crate) const DATA_BYTES_MAX: usize = 32 << 10;
const BLOCK_DATA_BYTES_MAX: usize = 1 << 20;

/// Version of a block's rows: raised when a view makes different rows from the same events. All rows are rebuilt then.
pub(crate) const FORM: u8 = 4;

const OF_BLOCK: u8 = 0;
const OF_PAGE: u8 = 1;
const OF_VIEWS: u8 = 2;
const BY_ADDRESS: u8 = 0;
const BY_BOTH: u8 = 1;
const BY_TOPIC: u8 = 2;

const ADDRESS_BYTES: usize = 20;
const TOPIC_BYTES: usize = 8;

/// Index row of a block with events.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct EventBlockRow {
    pub(crate) hash: Hash,
    /// Unix seconds.
    pub(crate) timestamp: u64,
    /// Number of entries in the body; `None`: all.
    pub(crate) kept: Option<u32>,
    pub(crate) count: u32,
    /// Row version; 0 before views existed.
    pub(crate) form: u8,
}

impl EventBlockRow {
    /// Index row for a block, events not counted yet.
    pub(crate) fn of(block: &layout::BlockRow) -> Self {
        let kept = match &block.kept {
            KeptEntries::All => None,
            KeptEntries::Some(indexes) => Some(u32::try_from(indexes.len()).unwrap_or(u32::MAX)),
        };
        Self { hash: block.hash, timestamp: block.timestamp.0, kept, count: 0, form: FORM }
    }

    /// `hash ‖ timestamp:u64 ‖ kept ‖ count:u32 ‖ form:u8`, kept an option of `u32`. A missing form is 0.
    pub(crate) fn encode(&self) -> Vec<u8> {
        let mut out = Encoder::new();
        out.hash(&self.hash).u64(self.timestamp);
        out.option(self.kept, |out, count| _ = out.u32(count))
            .u32(self.count)
            .u8(self.form)
            .finish()
    }

    pub(crate) fn decode(key: &[u8], bytes: &[u8]) -> Result<Self, StoreError> {
        let mut row = Decoder::new(bytes);
        let read = (|| {
            let hash = row.hash()?;
            let timestamp = row.u64()?;
            let kept = row.option(Decoder::u32)?;
            let count = row.u32()?;
            let form = if row.is_empty() { 0 } else { row.u8()? };
            row.finish(Self { hash, timestamp, kept, count, form })
        })();
        read.ok_or_else(|| StoreError::corrupt(Table::Event, key, "not a block of the index"))
    }
}

pub(crate) fn event_block_key(chain: ChainKey, number: BlockNumber) -> Vec<u8> {
    [&[OF_BLOCK][..], &block_key(chain, number)].concat()
}

pub(crate) fn event_blocks_prefix(chain: ChainKey) -> Vec<u8> {
    [&[OF_BLOCK][..], &chain_key(chain)].concat()
}

pub(crate) fn pages_prefix(chain: ChainKey, number: BlockNumber) -> Vec<u8> {
    [&[OF_PAGE][..], &block_key(chain, number)].concat()
}

pub(crate) fn page_key(chain: ChainKey, number: BlockNumber, first: u32) -> Vec<u8> {
    [&[OF_PAGE][..], &block_key(chain, number), &first.to_be_bytes()].concat()
}

pub(crate) fn prefixes(chain: ChainKey) -> Vec<(Table, Vec<u8>)> {
    let of = |table, kind: u8| (table, [&[kind][..], &chain_key(chain)].concat());
    vec![
        of(Table::Event, OF_BLOCK),
        of(Table::Event, OF_PAGE),
        of(Table::Event, OF_VIEWS),
        of(Table::EventPlace, BY_ADDRESS),
        of(Table::EventPlace, BY_BOTH),
        of(Table::EventPlace, BY_TOPIC),
    ]
}

fn short(address: &[u8]) -> [u8; ADDRESS_BYTES] {
    let hashed = |address| {
        let mut short = [0; ADDRESS_BYTES];
        short.copy_from_slice(&keccak256(address).0[..ADDRESS_BYTES]);
        short
    };
    address.try_into().unwrap_or_else(|_| hashed(address))
}

/// Key prefix for places by address.
pub(crate) fn by_address(chain: ChainKey, address: &[u8]) -> Vec<u8> {
    [&[BY_ADDRESS][..], &chain_key(chain), &short(address)].concat()
}

/// Key prefix for places by address and first topic.
pub(crate) fn by_both(chain: ChainKey, address: &[u8], topic: &Hash) -> Vec<u8> {
    [&[BY_BOTH][..], &chain_key(chain), &short(address), &topic.0[..TOPIC_BYTES]].concat()
}

/// Key prefix for places by first topic.
pub(crate) fn by_topic(chain: ChainKey, topic: &Hash) -> Vec<u8> {
    [&[BY_TOPIC][..], &chain_key(chain), &topic.0[..TOPIC_BYTES]].concat()
}

pub(crate) fn places(
    chain: ChainKey,
    number: BlockNumber,
    events: &[BlockEvent],
) -> BTreeMap<Vec<u8>, Vec<u8>> {
    let mut places: BTreeMap<Vec<u8>, Vec<u8>> = BTreeMap::new();
    let mut add = |mut key: Vec<u8>, ordinal: u32| {
        key.extend_from_slice(&number.0.to_be_bytes());
        let ordinals = places.entry(key).or_default();
        // one event under one key twice: its owner is its recipient
        if !ordinals.ends_with(&ordinal.to_be_bytes()) {
            ordinals.extend_from_slice(&ordinal.to_be_bytes());
        }
    };
    for (ordinal, event) in (0..).zip(events) {
        let first_topic = event.topics.first();
        for address in &event.addresses {
            add(by_address(chain, address), ordinal);
            first_topic.into_iter().for_each(|topic| add(by_both(chain, address, topic), ordinal));
        }
        first_topic.into_iter().for_each(|topic| add(by_topic(chain, topic), ordinal));
    }
    places
}

/// Block number in a key, and the ordinals in its row.
pub(crate) fn decode_place(
    key: &[u8],
    bytes: &[u8],
) -> Result<(BlockNumber, Vec<u32>), StoreError> {
    let corrupt = || StoreError::corrupt(Table::EventPlace, key, "not places of events");
    let (_, number) = key.split_last_chunk().ok_or_else(corrupt)?;
    let (ordinals, rest) = bytes.as_chunks::<4>();
    if !rest.is_empty() || !ordinals.is_sorted() {
        return Err(corrupt());
    }
    let ordinals = ordinals.iter().map(|bytes| u32::from_be_bytes(*bytes)).collect();
    Ok((BlockNumber(u64::from_be_bytes(*number)), ordinals))
}

/// Removes data beyond the bounds, which stays in the block body only; returns whether any was removed.
pub(crate) fn cut_data(events: &mut [BlockEvent]) -> bool {
    let mut room = BLOCK_DATA_BYTES_MAX;
    let mut is_cut = false;
    for event in events {
        let data = event.data.take();
        is_cut |= data.as_ref().is_some_and(|data| data.len() > DATA_BYTES_MAX.min(room));
        event.data = data.filter(|data| data.len() <= DATA_BYTES_MAX.min(room));
        room -= event.data.as_ref().map_or(0, Vec::len);
    }
    is_cut
}

/// Key for the list of view row keys of a block with data removed from the index: views saw the data in full.
pub(crate) fn viewed_key(chain: ChainKey, number: BlockNumber) -> Vec<u8> {
    [&[OF_VIEWS][..], &block_key(chain, number)].concat()
}

/// `(table:u8 ‖ length:u32 ‖ key)*`.
pub(crate) fn encode_keys<'a>(keys: impl Iterator<Item = (Table, &'a [u8])>) -> Vec<u8> {
    let mut out = Encoder::new();
    for (table, key) in keys {
        out.u8(table.byte()).bytes(key);
    }
    out.finish()
}

pub(crate) fn decode_keys(key: &[u8], bytes: &[u8]) -> Result<Vec<(Table, Vec<u8>)>, StoreError> {
    let mut row = Decoder::new(bytes);
    let mut keys = Vec::new();
    while !row.is_empty() {
        let table = row.u8().and_then(|byte| Table::ALL.into_iter().find(|one| one.byte() == byte));
        let read = table.zip(row.bytes().map(<[u8]>::to_vec));
        keys.push(read.ok_or_else(|| StoreError::corrupt(Table::Event, key, "not keys"))?);
    }
    Ok(keys)
}

/// A block's pages: first ordinal and bytes of each.
pub(crate) fn pages(events: &[BlockEvent]) -> Vec<(u32, Vec<u8>)> {
    let mut first = 0_u32;
    let pages = events.chunks(PAGE_EVENTS).map(|page| {
        let bytes = encode_page(page);
        let key = first;
        first = first.saturating_add(u32::try_from(page.len()).unwrap_or(u32::MAX));
        (key, bytes)
    });
    pages.collect()
}

/// `event*`, each `tx_index:u32 ‖ log_index:u32 ‖ transaction ‖ count:u8 ‖ (length:u32 ‖ address)* ‖ count:u8 ‖
/// topic:32* ‖ data`. Transaction is `00`: none, `01 ‖ hash`, or `02`: same as in the previous event; data an option of
/// `length:u32 ‖ bytes`.
fn encode_page(events: &[BlockEvent]) -> Vec<u8> {
    let mut out = Encoder::new();
    let mut before = None;
    for event in events {
        out.u32(event.tx_index).u32(event.log_index);
        match &event.transaction_hash {
            None => _ = out.u8(0),
            Some(hash) if before == Some(*hash) => _ = out.u8(2),
            Some(hash) => _ = out.u8(1).hash(hash),
        }
        before = event.transaction_hash;
        out.u8(u8::try_from(event.addresses.len()).unwrap_or(u8::MAX));
        event.addresses.iter().take(u8::MAX.into()).for_each(|address| _ = out.bytes(address));
        out.u8(u8::try_from(event.topics.len()).unwrap_or(u8::MAX));
        event.topics.iter().take(u8::MAX.into()).for_each(|topic| _ = out.hash(topic));
        out.option(event.data.as_ref(), |out, data| _ = out.bytes(data));
    }
    out.finish()
}

pub(crate) fn decode_page(key: &[u8], bytes: &[u8]) -> Result<Vec<BlockEvent>, StoreError> {
    let mut row = Decoder::new(bytes);
    let mut events: Vec<BlockEvent> = Vec::new();
    let corrupt = || StoreError::corrupt(Table::Event, key, "not a page of events");
    while !row.is_empty() {
        let before = events.last().and_then(|event| event.transaction_hash);
        let event = decode_event(&mut row, before).ok_or_else(corrupt)?;
        events.push(event);
    }
    Ok(events)
}

fn decode_event(row: &mut Decoder<'_>, before: Option<Hash>) -> Option<BlockEvent> {
    let tx_index = row.u32()?;
    let log_index = row.u32()?;
    let transaction_hash = match row.u8()? {
        0 => None,
        1 => Some(row.hash()?),
        2 => Some(before?),
        _ => return None,
    };
    let addresses = (0..row.u8()?).map(|_| row.bytes().map(<[u8]>::to_vec));
    let addresses = addresses.collect::<Option<_>>()?;
    let topics = (0..row.u8()?).map(|_| row.hash()).collect::<Option<_>>()?;
    let data = row.option(|row| row.bytes().map(<[u8]>::to_vec))?;
    Some(BlockEvent { tx_index, log_index, transaction_hash, addresses, topics, data })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use superroot_store::{WriteBatch, golden};
    use superroot_types::{ChainId, Family};

    use super::*;

    fn events() -> impl Strategy<Value = Vec<BlockEvent>> {
        let event = (
            any::<u32>(),
            any::<u32>(),
            proptest::option::of(0_u8..3),
            proptest::collection::vec(proptest::collection::vec(any::<u8>(), 0..40), 1..4),
            proptest::collection::vec(any::<[u8; 32]>().prop_map(Hash), 0..5),
            proptest::collection::vec(any::<u8>(), 0..80),
        );
        let event =
            event.prop_map(|(tx_index, log_index, transaction, addresses, topics, data)| {
                let transaction_hash = transaction.map(|byte| Hash([byte; 32]));
                BlockEvent {
                    tx_index,
                    log_index,
                    transaction_hash,
                    addresses,
                    topics,
                    data: Some(data),
                }
            });
        proptest::collection::vec(event, 0..60)
    }

    proptest! {
        #[test]
        fn pages_lead_back_to_their_events(events in events()) {
            let mut back = Vec::new();
            for (first, page) in pages(&events) {
                prop_assert_eq!(first as usize, back.len());
                back.extend(decode_page(&[], &page).unwrap());
            }
            prop_assert_eq!(back, events);
        }

        #[test]
        fn no_bytes_make_a_row_panic(bytes: Vec<u8>) {
            let _ = decode_page(&[], &bytes);
            let _ = decode_place(&bytes, &bytes);
            let _ = EventBlockRow::decode(&[], &bytes);
        }
    }

    /// What is stored is read by every later build.
    #[test]
    fn a_row_of_each_kind_has_the_pinned_bytes() {
        let chain = ChainKey { family: Family::Evm, id: ChainId(1) };
        let number = BlockNumber(5);
        let event = |log_index, topics| BlockEvent {
            tx_index: 2,
            log_index,
            transaction_hash: Some(Hash([3; 32])),
            addresses: vec![vec![1; 20]],
            topics,
            data: Some(vec![9; 4]),
        };
        let script = BlockEvent { addresses: vec![vec![4; 22]], ..event(2, Vec::new()) };
        let events = [event(0, vec![Hash([7; 32]), Hash([8; 32])]), event(1, vec![]), script];
        let mut batch = WriteBatch::new();
        let block = EventBlockRow {
            hash: Hash([6; 32]),
            timestamp: 7,
            kept: Some(8),
            count: 3,
            form: FORM,
        };
        batch.put(Table::Event, event_block_key(chain, number), block.encode());
        for (first, page) in pages(&events) {
            batch.put(Table::Event, page_key(chain, number, first), page);
        }
        for (key, ordinals) in places(chain, number, &events) {
            batch.put(Table::EventPlace, key, ordinals);
        }
        insta::assert_snapshot!(golden::lines(&batch).join("\n"));
    }

    #[test]
    fn keys_of_views_are_read_back_and_others_are_refused() {
        let keys =
            [(Table::Order, vec![1, 2]), (Table::Market, Vec::new()), (Table::Order, vec![0; 300])];
        let bytes = encode_keys(keys.iter().map(|(table, key)| (*table, key.as_slice())));
        assert_eq!(decode_keys(&[], &bytes).unwrap(), keys);
        for length in [1, 4, bytes.len() - 1] {
            assert!(decode_keys(&[], &bytes[..length]).is_err(), "{length} bytes");
        }
        assert!(decode_keys(&[], &[0xff, 0, 0, 0, 0]).is_err(), "no table");
    }

    #[test]
    fn data_past_the_bounds_is_left_to_the_body() {
        let event = |length| BlockEvent {
            tx_index: 0,
            log_index: 0,
            transaction_hash: None,
            addresses: vec![vec![1; 20]],
            topics: Vec::new(),
            data: Some(vec![7; length]),
        };
        let mut long = vec![event(DATA_BYTES_MAX + 1), event(DATA_BYTES_MAX), event(3)];
        long.extend((0..40).map(|_| event(DATA_BYTES_MAX)));
        assert!(!cut_data(&mut [event(DATA_BYTES_MAX), event(3)]));
        assert!(cut_data(&mut long));
        let pages = pages(&long);
        let back = pages.iter().flat_map(|(_, page)| decode_page(&[], page).unwrap());
        let kept: Vec<bool> = back.map(|event| event.data.is_some()).collect();
        assert_eq!(kept[..3], [false, true, true]);
        let bytes: usize = kept.iter().filter(|kept| **kept).count();
        assert_eq!(
            bytes,
            BLOCK_DATA_BYTES_MAX / DATA_BYTES_MAX,
            "31 of the longest and the short one"
        );
    }
}
