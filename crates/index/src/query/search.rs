use superroot_store::feed::load_standing;
use superroot_store::{ScanOrder, Store, StoreError, Table, layout, read};
use superroot_types::{BlockNumber, ChainKey, Hash, UnixSeconds};

use super::filter::EventFilter;
use super::streams::{BlockBounds, CandidateBlocks, Ordinals};
use crate::event::BlockEvent;
use crate::rows::{self, DATA_BYTES_MAX, PAGE_EVENTS};
use crate::stage::EVENTS;
use crate::{IndexError, block};

/// Attempts of a search when the index changes meanwhile.
const ATTEMPTS_MAX: usize = 5;

/// Position among all events of a chain.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Position {
    pub number: BlockNumber,
    /// Index among the block's events.
    pub ordinal: u32,
}

#[derive(Clone, Debug)]
pub struct EventQuery {
    pub chain: ChainKey,
    pub filter: EventFilter,
    pub from: BlockNumber,
    pub to: BlockNumber,
    /// Oldest or newest first.
    pub direction: ScanOrder,
    /// Start position in this direction: [`SearchResult::next`] of the previous page.
    pub at: Option<Position>,
    /// Most returned events.
    pub limit: usize,
    /// Most examined events; one block may exceed the limit.
    pub examined_max: usize,
    /// Most returned data bytes; one event may exceed the limit.
    pub data_bytes_max: usize,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hit {
    pub position: Position,
    pub block_hash: Hash,
    pub timestamp: UnixSeconds,
    pub event: BlockEvent,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SearchResult {
    pub events: Vec<Hit>,
    /// Next position; `None` at the end.
    pub next: Option<Position>,
    /// Block ranges not indexed yet in their stored form: events may be missing.
    pub pending: Vec<(BlockNumber, BlockNumber)>,
    /// Approximate bytes of event data.
    pub(crate) data_bytes: usize,
}

/// Finds events. The result is consistent at one moment.
///
/// # Errors
/// [`IndexError::Busy`] if the index changes faster than it is read; store errors.
pub fn find(store: &dyn Store, query: &EventQuery) -> Result<SearchResult, IndexError> {
    let chain = query.chain;
    for _ in 0..ATTEMPTS_MAX {
        let standing = load_standing(store, EVENTS, chain)?;
        let searched = search(store, query);
        if load_standing(store, EVENTS, chain)? != standing {
            continue;
        }
        let is_met = |run: &(BlockNumber, BlockNumber)| run.0 <= query.to && query.from <= run.1;
        let pending = standing.pending.into_iter().filter(is_met).collect();
        return searched.map(|found| SearchResult { pending, ..found });
    }
    Err(IndexError::Busy { chain })
}

fn search(store: &dyn Store, query: &EventQuery) -> Result<SearchResult, IndexError> {
    let mut from = query.from;
    let mut to = query.to;
    match (query.direction, query.at) {
        (ScanOrder::Rising, Some(at)) => from = from.max(at.number),
        (ScanOrder::Falling, Some(at)) => to = to.min(at.number),
        (_, None) => {}
    }
    let mut found = SearchResult::default();
    if from > to {
        return Ok(found);
    }
    let bounds = BlockBounds { from, to, direction: query.direction };
    let mut line = CandidateBlocks::new(store, query.chain, query.filter.plan(query.chain), bounds);
    let mut examined = 0_usize;
    while let Some((number, ordinals)) = line.next()? {
        if examined >= query.examined_max {
            let ordinal = match query.direction {
                ScanOrder::Rising => 0,
                ScanOrder::Falling => u32::MAX,
            };
            found.next = Some(Position { number, ordinal });
            return Ok(found);
        }
        examined = examined.saturating_add(look(store, query, number, &ordinals, &mut found)?);
        if found.next.is_some() {
            return Ok(found);
        }
    }
    Ok(found)
}

/// Examines one block's events and returns their number. Sets the next position if there are more than requested.
fn look(
    store: &dyn Store,
    query: &EventQuery,
    number: BlockNumber,
    ordinals: &Ordinals,
    found: &mut SearchResult,
) -> Result<usize, IndexError> {
    let chain = query.chain;
    let Some(block) = block::load(store, chain, number)? else { return Ok(0) };
    let at = query.at.filter(|at| at.number == number).map(|at| at.ordinal);
    let is_due = |ordinal: &u32| match (query.direction, at) {
        (_, None) => true,
        (ScanOrder::Rising, Some(at)) => *ordinal >= at,
        (ScanOrder::Falling, Some(at)) => *ordinal <= at,
    };
    let mut due: Vec<u32> = match ordinals {
        Ordinals::All => (0..block.count).filter(is_due).collect(),
        Ordinals::Some(ordinals) => ordinals.iter().copied().filter(is_due).collect(),
    };
    if query.direction == ScanOrder::Falling {
        due.reverse();
    }
    let mut pages = Pages { store, chain, number, page: None };
    for ordinal in &due {
        let Some(event) = pages.event(*ordinal)? else { continue };
        if !query.filter.passes(event) {
            continue;
        }
        let position = Position { number, ordinal: *ordinal };
        if found.events.len() >= query.limit || found.data_bytes >= query.data_bytes_max {
            found.next = Some(position);
            break;
        }
        let block_hash = block.hash;
        let timestamp = UnixSeconds(block.timestamp);
        let event = event.clone();
        // what is not in the index is long
        let bytes = event.data.as_ref().map_or(DATA_BYTES_MAX, Vec::len);
        found.data_bytes = found.data_bytes.saturating_add(bytes);
        found.events.push(Hit { position, block_hash, timestamp, event });
    }
    fill_in(store, chain, number, &mut found.events)?;
    Ok(due.len())
}

struct Pages<'a> {
    store: &'a dyn Store,
    chain: ChainKey,
    number: BlockNumber,
    page: Option<(u32, Vec<BlockEvent>)>,
}

impl Pages<'_> {
    fn event(&mut self, ordinal: u32) -> Result<Option<&BlockEvent>, StoreError> {
        let size = u32::try_from(PAGE_EVENTS).unwrap_or(u32::MAX);
        let first = ordinal / size * size;
        if self.page.as_ref().is_none_or(|(at, _)| *at != first) {
            let key = rows::page_key(self.chain, self.number, first);
            let bytes = self.store.get(Table::Event, &key)?;
            let events = bytes.map(|bytes| rows::decode_page(&key, &bytes)).transpose()?;
            self.page = Some((first, events.unwrap_or_default()));
        }
        let place = usize::try_from(ordinal - first).unwrap_or(usize::MAX);
        Ok(self.page.as_ref().and_then(|(_, events)| events.get(place)))
    }
}

/// Fills in data too long for the index, from the block body.
fn fill_in(
    store: &dyn Store,
    chain: ChainKey,
    number: BlockNumber,
    hits: &mut [Hit],
) -> Result<(), IndexError> {
    let lacks = |hit: &&mut Hit| hit.position.number == number && hit.event.data.is_none();
    let mut lacking = hits.iter_mut().rev().take_while(|hit| hit.position.number == number);
    let Some(first) = lacking.find(lacks) else { return Ok(()) };
    let key = layout::block_key(chain, number);
    let hash = first.block_hash;
    let held = read::load_block(store, chain, number)?.filter(|held| held.hash == hash);
    let gone = || StoreError::corrupt(Table::Event, &key, "the body of an indexed block is gone");
    let whole = block::of_held(store, chain, number, &held.ok_or_else(gone)?)?;
    for hit in std::iter::once(first).chain(lacking.filter(lacks)) {
        let place = usize::try_from(hit.position.ordinal).unwrap_or(usize::MAX);
        hit.event.data = whole.get(place).ok_or_else(gone)?.data.clone();
    }
    Ok(())
}
