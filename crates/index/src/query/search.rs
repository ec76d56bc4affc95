//! The search itself.

use superroot_store::feed::load_standing;
use superroot_store::{Direction, Store, StoreError, Table, layout, read};
use superroot_types::{BlockNumber, ChainKey, Hash, UnixSeconds};

use super::filter::Filter;
use super::streams::{Bounds, Line, Ordinals};
use crate::event::Event;
use crate::rows::{self, DATA_BYTES_MAX, PAGE_EVENTS};
use crate::stage::EVENTS;
use crate::{IndexError, block};

/// Times that a search is made again whose index was changed meanwhile.
const ATTEMPTS_MAX: usize = 5;

/// A place in the line of all events of a chain.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Position {
    /// The block.
    pub number: BlockNumber,
    /// Place among the events of the block.
    pub ordinal: u32,
}

/// What is searched for, and how much of it.
#[derive(Clone, Debug)]
pub struct Query {
    /// The chain.
    pub chain: ChainKey,
    /// Which events.
    pub filter: Filter,
    /// First block.
    pub from: BlockNumber,
    /// Last block.
    pub to: BlockNumber,
    /// Oldest or newest first.
    pub direction: Direction,
    /// Where to go on, in that direction: what [`Found::next`] gave.
    pub at: Option<Position>,
    /// Events that are given, at most.
    pub limit: usize,
    /// Events that are looked at, at most, but for those of one block.
    pub examined_max: usize,
    /// Bytes of data that are given, at most, but for those of one event.
    pub data_bytes_max: usize,
}

/// An event that was found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hit {
    /// Its place.
    pub position: Position,
    /// Hash of its block.
    pub block_hash: Hash,
    /// Time of its block.
    pub timestamp: UnixSeconds,
    /// The event, with its data.
    pub event: Event,
}

/// What a search found.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Found {
    /// Events, in the order asked for.
    pub events: Vec<Hit>,
    /// Where to go on; `None` when the range is done.
    pub next: Option<Position>,
    /// Runs of blocks of the range that the index has not taken yet as they are held: their events may
    /// be missing.
    pub pending: Vec<(BlockNumber, BlockNumber)>,
    /// Bytes of the events' data, about.
    pub(crate) data_bytes: usize,
}

/// Looks for events. What it finds is of one moment.
///
/// # Errors
/// [`IndexError::Busy`] where the index changes faster than it is read; those of the store.
pub fn find(store: &dyn Store, query: &Query) -> Result<Found, IndexError> {
    let chain = query.chain;
    for _ in 0..ATTEMPTS_MAX {
        let standing = load_standing(store, EVENTS, chain)?;
        let searched = search(store, query);
        if load_standing(store, EVENTS, chain)? != standing {
            continue;
        }
        let is_met = |run: &(BlockNumber, BlockNumber)| run.0 <= query.to && query.from <= run.1;
        let pending = standing.pending.into_iter().filter(is_met).collect();
        return searched.map(|found| Found { pending, ..found });
    }
    Err(IndexError::Busy { chain })
}

fn search(store: &dyn Store, query: &Query) -> Result<Found, IndexError> {
    let (mut from, mut to) = (query.from, query.to);
    match (query.direction, query.at) {
        (Direction::Rising, Some(at)) => from = from.max(at.number),
        (Direction::Falling, Some(at)) => to = to.min(at.number),
        (_, None) => {}
    }
    let mut found = Found::default();
    if from > to {
        return Ok(found);
    }
    let bounds = Bounds { from, to, direction: query.direction };
    let mut line = Line::new(store, query.chain, query.filter.plan(query.chain), bounds);
    let mut examined = 0_usize;
    while let Some((number, ordinals)) = line.next()? {
        if examined >= query.examined_max {
            let ordinal = match query.direction {
                Direction::Rising => 0,
                Direction::Falling => u32::MAX,
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

/// Looks at the events of one block; says how many. Where there are more than are asked for, it sets
/// where to go on.
fn look(
    store: &dyn Store,
    query: &Query,
    number: BlockNumber,
    ordinals: &Ordinals,
    found: &mut Found,
) -> Result<usize, IndexError> {
    let chain = query.chain;
    let Some(block) = block::load(store, chain, number)? else { return Ok(0) };
    let at = query.at.filter(|at| at.number == number).map(|at| at.ordinal);
    let is_due = |ordinal: &u32| match (query.direction, at) {
        (_, None) => true,
        (Direction::Rising, Some(at)) => *ordinal >= at,
        (Direction::Falling, Some(at)) => *ordinal <= at,
    };
    let mut due: Vec<u32> = match ordinals {
        Ordinals::All => (0..block.count).filter(is_due).collect(),
        Ordinals::Some(ordinals) => ordinals.iter().copied().filter(is_due).collect(),
    };
    if query.direction == Direction::Falling {
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
        let (block_hash, timestamp) = (block.hash, UnixSeconds(block.timestamp));
        let event = event.clone();
        // what is not in the index is long
        let bytes = event.data.as_ref().map_or(DATA_BYTES_MAX, Vec::len);
        found.data_bytes = found.data_bytes.saturating_add(bytes);
        found.events.push(Hit { position, block_hash, timestamp, event });
    }
    fill_in(store, chain, number, &mut found.events)?;
    Ok(due.len())
}

/// The pages of a block, one at a time.
struct Pages<'a> {
    store: &'a dyn Store,
    chain: ChainKey,
    number: BlockNumber,
    page: Option<(u32, Vec<Event>)>,
}

impl Pages<'_> {
    fn event(&mut self, ordinal: u32) -> Result<Option<&Event>, StoreError> {
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

/// Takes data that is too long for the index out of the block's body.
fn fill_in(
    store: &dyn Store,
    chain: ChainKey,
    number: BlockNumber,
    hits: &mut [Hit],
) -> Result<(), IndexError> {
    let lacks = |hit: &&mut Hit| hit.position.number == number && hit.event.data.is_none();
    let mut lacking = hits.iter_mut().rev().take_while(|hit| hit.position.number == number);
    let Some(first) = lacking.find(lacks) else { return Ok(()) };
    let (key, hash) = (layout::block_key(chain, number), first.block_hash);
    let held = read::load_block(store, chain, number)?.filter(|held| held.hash == hash);
    let gone = || StoreError::corrupt(Table::Event, &key, "the body of an indexed block is gone");
    let whole = block::of_held(store, chain, number, &held.ok_or_else(gone)?)?;
    for hit in std::iter::once(first).chain(lacking.filter(lacks)) {
        let place = usize::try_from(hit.position.ordinal).unwrap_or(usize::MAX);
        hit.event.data = whole.get(place).ok_or_else(gone)?.data.clone();
    }
    Ok(())
}
