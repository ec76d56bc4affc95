//! What a row of the log leads to: events as they are sent, made once for all listeners.

use std::ops::Range;

use bytes::Bytes;
use serde::Serialize;
use superroot_accumulate::prove::Prover;
use superroot_index::{Event, Filter, Hit, Query, find, load_indexed_hash};
use superroot_market::launch::{load_in, told};
use superroot_order::{Step, Table, load_steps};
use superroot_store::{Direction, Store, read};
use superroot_types::{BlockNumber, ChainId, ChainKey, Hash, UnixSeconds};
use superroot_wire::logs::EventLog;
use superroot_wire::stream::{
    BlocksAnchored, BlocksReached, BlocksRetracted, BlocksUndone, LogDelivered, OrderStep,
    StreamGap, SuperRootPublished,
};
use superroot_wire::{Anchor, Case, Hex, case};

use crate::cursor::{Cursor, Place};
use crate::row::{EVENT_BLOCKS_MAX, Events, Run, StreamRow, What};
use crate::subscription::{Finality, Kind, Topic};
use crate::{StreamError, anchor};

/// Events that are read of a block at one time.
const READ_MAX: usize = 1_000;

/// An event, ready to be sent.
#[derive(Clone, Debug)]
pub struct Item {
    /// Its place in the log.
    pub cursor: Cursor,
    /// When it was written there.
    pub at: UnixSeconds,
    /// Its chain; `None` of what is about all.
    pub chain: Option<ChainKey>,
    pub(crate) kind: Kind,
    /// Blocks that it is about.
    pub(crate) blocks: Option<(BlockNumber, BlockNumber)>,
    /// The SuperRoot in which these come to stand.
    pub(crate) sequence: Option<u64>,
    frame: Bytes,
    data: Range<usize>,
}

impl Item {
    /// An event out of its parts: `data` is an object, the anchor is put into it.
    pub(crate) fn new(
        (cursor, at): (Cursor, UnixSeconds),
        (chain, kind): (Option<ChainKey>, Kind),
        data: &impl Serialize,
        anchor: Option<&Anchor>,
    ) -> Self {
        let mut body = case::write(data, Case::Camel);
        superroot_wire::anchor::attach(&mut body, anchor, Case::Camel);
        let (name, text) = (kind.name(), body.to_string());
        let head = format!("id: {cursor}\nevent: {name}\ndata: ");
        let data = head.len()..head.len() + text.len();
        let frame = [head.as_str(), text.as_str(), "\n\n"].concat().into();
        Self { cursor, at, chain, kind, blocks: None, sequence: None, frame, data }
    }

    /// Value of a launch, in whole US dollars; `None` of anything else.
    #[must_use]
    pub const fn launch_usd(&self) -> Option<u64> {
        match &self.kind {
            Kind::Launch { usd, .. } => Some(*usd),
            _ => None,
        }
    }

    /// Its name: a topic, `token_launch`, `updated`, `undone` or `gap`.
    #[must_use]
    pub const fn name(&self) -> &'static str {
        self.kind.name()
    }

    /// The event as server-sent events have it: `id`, `event`, `data`, an empty line.
    #[must_use]
    pub fn frame(&self) -> Bytes {
        self.frame.clone()
    }

    /// Its data: a JSON object in camelCase.
    #[must_use]
    pub fn data(&self) -> Bytes {
        self.frame.slice(self.data.clone())
    }

    pub(crate) const fn size(&self) -> usize {
        self.frame.len() + 256
    }
}

/// A row with what it leads to: all of it, or the events of some of its blocks.
#[derive(Debug)]
pub(crate) struct Loaded {
    pub(crate) row: u64,
    /// The place of the first block whose events are here ([`Place::block`]).
    pub(crate) begin: u32,
    /// The place of the next block, where the row goes on after these.
    pub(crate) rest: Option<u32>,
    /// In order of their places.
    pub(crate) items: Vec<Item>,
    /// Whether events of its blocks are among them, where it has any.
    pub(crate) has_logs: bool,
    /// Bytes, about.
    pub(crate) size: usize,
}

impl Loaded {
    /// Whether the events of that block of that row are here, where it has any.
    pub(crate) fn covers(&self, row: u64, block: u32) -> bool {
        self.row == row && self.begin <= block && self.rest.is_none_or(|rest| block < rest)
    }
}

/// Reads what rows lead to.
pub(crate) struct Loader<'a> {
    pub(crate) prover: &'a Prover,
    pub(crate) log: u64,
    /// Whether events of blocks are wanted.
    pub(crate) with_logs: bool,
    /// Bytes after which no further block of a row is read.
    pub(crate) bytes_max: usize,
}

impl Loader<'_> {
    /// Reads what a row leads to, from the block at the place `begin` on.
    pub(crate) fn load(
        &self,
        number: u64,
        row: &StreamRow,
        begin: u32,
    ) -> Result<Loaded, StreamError> {
        let mut items = Vec::new();
        let newest = anchor::newest(self.prover);
        let cursor = Cursor { log: self.log, row: number, place: Place::default() };
        if begin == 0
            && let Some((chain, kind, data, blocks)) = self.own(&row.what)?
        {
            let cursor = Cursor { place: Place::OF_ROW, ..cursor };
            let mut item = Item::new((cursor, row.at), (chain, kind), &data, newest.as_ref());
            item.blocks = blocks;
            if let What::Anchored { sequence, .. } = &row.what {
                item.sequence = Some(*sequence);
            }
            items.push(item);
        }
        let events = events_of(&row.what);
        let mut rest = None;
        if let Some(events) = events.as_ref().filter(|_| self.with_logs) {
            let at = (cursor, row.at);
            rest = self.put_events(events, begin, at, newest.as_ref(), &mut items)?;
        }
        let size = size_of(&items) + 128;
        let has_logs = self.with_logs || events.is_none();
        Ok(Loaded { row: number, begin, rest, items, has_logs, size })
    }

    /// The event that a row is by itself.
    #[expect(clippy::type_complexity, reason = "the parts of an event, taken apart by one caller")]
    fn own(
        &self,
        what: &What,
    ) -> Result<
        Option<(Option<ChainKey>, Kind, serde_json::Value, Option<(BlockNumber, BlockNumber)>)>,
        StreamError,
    > {
        let store = self.prover.store();
        Ok(Some(match what {
            What::Taken { run, hashes, .. } => {
                let hash = hashes.last().copied().unwrap_or_default();
                let kind = Kind::Reached(Finality::Head);
                (Some(run.chain), kind, reached(run, hash, Finality::Head), ends(run))
            }
            What::Undone { run, hashes } => {
                let data = BlocksUndone {
                    chain_id: run.chain.id,
                    from_block: run.from,
                    to_block: run.to,
                    block_hashes: hashes.clone(),
                };
                (Some(run.chain), Kind::Undone, value(&data), ends(run))
            }
            What::Final { run, .. } => {
                let block = read::load_block(store, run.chain, run.to)?;
                let hash = block.map(|block| block.hash).unwrap_or_default();
                let kind = Kind::Reached(Finality::Finalized);
                (Some(run.chain), kind, reached(run, hash, Finality::Finalized), ends(run))
            }
            What::Body { .. } => return Ok(None),
            What::Retracted { run } => {
                let kind = Kind::Of(Topic::Retraction);
                (Some(run.chain), kind, self.retracted(run)?, ends(run))
            }
            What::Anchored { run, sequence, .. } => {
                let data = BlocksAnchored {
                    chain_id: run.chain.id,
                    from_block: run.from,
                    to_block: run.to,
                    sequence: *sequence,
                    transaction_hash: None,
                    proof_url: format!("/v5/proof/{}/{}", run.chain.id, run.to),
                };
                (Some(run.chain), Kind::Of(Topic::Anchored), value(&data), ends(run))
            }
            What::Published { sequence, hash } => {
                let data = self.published(*sequence, *hash)?;
                (None, Kind::Of(Topic::SuperRoot), data, None)
            }
            What::ChangesMissed { chain } => {
                let data = StreamGap {
                    chain_id: chain.id,
                    from_block: None,
                    to_block: None,
                    why: "the service was behind for so long that changes of this chain were \
                          dropped; ask /v5/logs and /finality for what you hold",
                };
                (Some(*chain), Kind::Gap { is_of_logs: false }, value(&data), None)
            }
        }))
    }

    fn published(&self, sequence: u64, hash: Hash) -> Result<serde_json::Value, StreamError> {
        let which = superroot_accumulate::prove::Which::Sequence(sequence);
        let published = self.prover.published(which);
        let why = |error: superroot_accumulate::prove::ProveError| error.to_string();
        let published =
            published.map_err(|error| StreamError::SuperRoot { sequence, why: why(error) })?;
        Ok(value(&SuperRootPublished {
            sequence,
            super_root_hash: hash,
            timestamp: published.super_root.timestamp,
            proof_url: format!("/v5/superroot/{sequence}"),
        }))
    }

    fn retracted(&self, run: &Run) -> Result<serde_json::Value, StreamError> {
        let known = read::load_retractions(self.prover.store(), run.chain)?;
        let is_met = |number: &BlockNumber| run.from <= *number && *number <= run.to;
        let known = known.into_iter().filter(|(number, _)| is_met(number));
        let retractions = known.map(|(number, row)| superroot_wire::chain::Retraction {
            chain_id: run.chain.id,
            number,
            held_hash: row.held_hash,
            other_hash: row.other_hash,
            sources: row.evidence.sources(),
            source_count: Some(row.evidence.of()),
            rule: Some(row.evidence.rule().to_owned()),
            noticed_at: row.noticed_at,
            other_header: row.other_header.map(Hex),
        });
        Ok(value(&BlocksRetracted {
            chain_id: run.chain.id,
            from_block: run.from,
            to_block: run.to,
            retractions: retractions.collect(),
            proof_url: format!("/finality/{}/proof/{}", run.chain.id, run.from),
        }))
    }

    /// Puts the events of a row's blocks, for each finality that the row brings them to. Returns the place of the block
    /// before which there were too many bytes.
    fn put_events(
        &self,
        of: &OfBlocks<'_>,
        begin: u32,
        (at, written_at): (Cursor, UnixSeconds),
        newest: Option<&Anchor>,
        items: &mut Vec<Item>,
    ) -> Result<Option<u32>, StreamError> {
        let run = of.run;
        if of.events == Events::Missed {
            let data = StreamGap {
                chain_id: run.chain.id,
                from_block: Some(run.from),
                to_block: Some(run.to),
                why: "the events of these blocks were not indexed in time; ask /v5/logs for them",
            };
            let kind = Kind::Gap { is_of_logs: true };
            let cursor = Cursor { place: Place { block: 1, ordinal: 0 }, ..at };
            items.push(Item::new((cursor, written_at), (Some(run.chain), kind), &data, newest));
        }
        if of.events != Events::Delivered {
            return Ok(None);
        }
        let first = run.from.0.saturating_add(begin.saturating_sub(1).into());
        if first > run.to.0 {
            return Ok(None); // a cursor of no event
        }
        let numbers = BlockNumber(first)..BlockNumber(run.to.0.saturating_add(1));
        let limit = usize::try_from(EVENT_BLOCKS_MAX).unwrap_or(usize::MAX);
        let held = read::load_blocks(self.prover.store(), run.chain, numbers, limit)?;
        for (number, block) in held {
            // by its number, so that it stays where others of the run are undone
            let place = u32::try_from(number.0 - run.from.0).unwrap_or(u32::MAX).saturating_add(1);
            if place > begin.max(1) && size_of(items) >= self.bytes_max {
                return Ok(Some(place));
            }
            let hash = block.hash;
            if !of.means(number, hash) {
                continue; // another is held now, of which a later row tells
            }
            let hits = events_at(self.prover.store(), run.chain, number, hash)?;
            let reached = self.reached_by(of, number, block.is_final());
            let steps = self.steps_of(run.chain, number, hash)?;
            let count = u32::try_from(steps.len()).unwrap_or(u32::MAX);
            let after = u32::try_from(hits.len()).unwrap_or(u32::MAX);
            for (ordinal, hit) in (0_u32..).zip(hits) {
                for finality in reached.iter().copied() {
                    let cursor = Cursor { place: of.place(place, ordinal, finality), ..at };
                    let data = LogDelivered {
                        chain_id: run.chain.id,
                        is_late: of.is_late,
                        log: event_log(
                            run.chain,
                            (number, hash, hit.timestamp),
                            hit.event.clone(),
                            finality.name(),
                        ),
                    };
                    let event = Event { data: None, ..hit.event.clone() };
                    let kind = Kind::Log { finality, event: Box::new(event) };
                    items.push(Item::new(
                        (cursor, written_at),
                        (Some(run.chain), kind),
                        &data,
                        newest,
                    ));
                }
            }
            // steps of orders come after the events that they are read out of
            for (ordinal, step) in (after..).zip(steps) {
                for finality in reached.iter().copied() {
                    let cursor = Cursor { place: of.place(place, ordinal, finality), ..at };
                    let data = order_step(&step, hash, finality, of.is_late);
                    let kind = Kind::Order { finality, id: step.order_id.clone() };
                    let (from, kind) = ((cursor, written_at), (Some(run.chain), kind));
                    items.push(Item::new(from, kind, &data, newest));
                }
            }
            // and launches after these
            let after = after.saturating_add(count);
            let launches = load_in(self.prover.store(), run.chain, number)?.into_iter();
            let launches = launches.filter(|launch| launch.liquidity.block_hash == hash);
            for (ordinal, launch) in (after..).zip(launches) {
                for finality in reached.iter().copied() {
                    let cursor = Cursor { place: of.place(place, ordinal, finality), ..at };
                    let is_pulled = launch.kind == superroot_market::launch::Kind::Pulled;
                    let usd = launch.liquidity_usd.to_f64() as u64; // whole dollars, as far as there are
                    let kind = Kind::Launch { finality, is_pulled, usd };
                    let from = ((cursor, written_at), (Some(run.chain), kind));
                    items.push(Item::new(from.0, from.1, &told(run.chain, &launch), newest));
                }
            }
        }
        Ok(None)
    }

    /// What the events of a block make of their orders, if it is that block which is indexed.
    fn steps_of(
        &self,
        chain: ChainKey,
        number: BlockNumber,
        hash: Hash,
    ) -> Result<Vec<Step>, StreamError> {
        let store = self.prover.store();
        let steps = load_steps(store, chain, number)?;
        let is_it = load_indexed_hash(store, chain, number)? == Some(hash);
        Ok(if is_it { steps } else { Vec::new() })
    }

    /// For which finality a row delivers the events of a block. What comes late is delivered for whatever
    /// its block has reached.
    fn reached_by(&self, of: &OfBlocks<'_>, number: BlockNumber, is_final: bool) -> Vec<Finality> {
        if !of.is_late {
            return of.views().to_vec();
        }
        let chain = of.run.chain;
        let latest = self.prover.latest();
        let anchored = latest.as_ref().and_then(|latest| latest.reference(chain));
        let is_anchored = anchored.is_some_and(|(_, reference)| number <= reference.number);
        let mut reached = vec![Finality::Head];
        reached.extend(is_final.then_some(Finality::Finalized));
        reached.extend((is_final && is_anchored).then_some(Finality::Anchored));
        reached
    }
}

fn size_of(items: &[Item]) -> usize {
    items.iter().map(Item::size).sum()
}

/// Blocks whose events a row delivers.
struct OfBlocks<'a> {
    run: &'a Run,
    hashes: Option<&'a [Hash]>,
    events: Events,
    reached: Option<Finality>,
    /// Whether they come final without having been taken before: heads are delivered with them.
    is_new: bool,
    is_late: bool,
}

impl OfBlocks<'_> {
    /// Whether the row means that block.
    fn means(&self, number: BlockNumber, hash: Hash) -> bool {
        let place = usize::try_from(number.0 - self.run.from.0).unwrap_or(usize::MAX);
        self.hashes.is_none_or(|hashes| hashes.get(place) == Some(&hash))
    }

    /// Place of what comes at that ordinal of a block, for one finality.
    fn place(&self, block: u32, ordinal: u32, finality: Finality) -> Place {
        let views = self.views();
        let slot = views.iter().position(|one| *one == finality).unwrap_or(0);
        let slots = u32::try_from(views.len()).unwrap_or(1);
        let slot = u32::try_from(slot).unwrap_or(0);
        Place { block, ordinal: ordinal.saturating_mul(slots).saturating_add(slot) }
    }

    /// What listeners may wait for that a row of this kind brings.
    const fn views(&self) -> &'static [Finality] {
        match (self.reached, self.is_new) {
            (Some(Finality::Head), _) => &[Finality::Head],
            (Some(Finality::Finalized), false) => &[Finality::Finalized],
            (Some(Finality::Finalized), true) => &[Finality::Head, Finality::Finalized],
            (Some(Finality::Anchored), _) => &[Finality::Anchored],
            (None, _) => &[Finality::Head, Finality::Finalized, Finality::Anchored],
        }
    }
}

fn events_of(what: &What) -> Option<OfBlocks<'_>> {
    let of = |run, events, reached| OfBlocks {
        run,
        hashes: None,
        events,
        reached: Some(reached),
        is_new: false,
        is_late: false,
    };
    match what {
        What::Taken { run, hashes, events } => {
            Some(OfBlocks { hashes: Some(hashes), ..of(run, *events, Finality::Head) })
        }
        What::Final { run, is_new, events } => {
            Some(OfBlocks { is_new: *is_new, ..of(run, *events, Finality::Finalized) })
        }
        What::Anchored { run, events, .. } => Some(of(run, *events, Finality::Anchored)),
        What::Body { run, events } => {
            Some(OfBlocks { reached: None, is_late: true, ..of(run, *events, Finality::Head) })
        }
        What::Undone { .. }
        | What::Retracted { .. }
        | What::Published { .. }
        | What::ChangesMissed { .. } => None,
    }
}

const fn ends(run: &Run) -> Option<(BlockNumber, BlockNumber)> {
    Some((run.from, run.to))
}

fn reached(run: &Run, block_hash: Hash, finality: Finality) -> serde_json::Value {
    value(&BlocksReached {
        chain_id: run.chain.id,
        from_block: run.from,
        to_block: run.to,
        block_hash,
        finality: finality.name(),
        proof_url: format!("/v5/proof/{}/{}", run.chain.id, run.to),
    })
}

fn value(data: &impl Serialize) -> serde_json::Value {
    case::write(data, Case::Camel)
}

fn order_step(told: &Step, block_hash: Hash, finality: Finality, is_late: bool) -> OrderStep {
    let (table, leg) = (Table::builtin(), &told.leg);
    let (place, chain_id) = (leg.place, leg.place.chain.id);
    OrderStep {
        chain_id,
        is_late,
        order_id: told.order_id.clone(),
        protocol: table.name_of(leg.protocol).unwrap_or_default().to_owned(),
        step: leg.kind.name(),
        mismatch: told.mismatch,
        state: told.state.name(),
        terminal: told.is_terminal,
        is_partial: leg.is_partial,
        event: table.event_name(leg).unwrap_or_default().to_owned(),
        origin_chain_id: leg.origin.map(ChainId),
        destination_chain_id: leg.destination.map(ChainId),
        block_number: place.number,
        block_hash,
        block_timestamp: leg.at,
        transaction_hash: leg.tx_hash,
        transaction_index: place.tx_index,
        log_index: place.log_index,
        finality: finality.name(),
        order_url: format!("/events/{}", told.order_id),
        proof_url: format!(
            "/v5/proof/event/{chain_id}/{}/{}/{}",
            place.number, place.tx_index, place.log_index
        ),
    }
}

/// Every event of a block as it is indexed, if it is that block.
fn events_at(
    store: &dyn Store,
    chain: ChainKey,
    number: BlockNumber,
    hash: Hash,
) -> Result<Vec<Hit>, StreamError> {
    let mut query = Query {
        chain,
        filter: Filter::default(),
        from: number,
        to: number,
        direction: Direction::Rising,
        at: None,
        limit: READ_MAX,
        examined_max: usize::MAX,
        data_bytes_max: usize::MAX,
    };
    let mut hits = Vec::new();
    loop {
        let found = find(store, &query)?;
        hits.extend(found.events.into_iter().filter(|hit| hit.block_hash == hash));
        match found.next {
            Some(next) => query.at = Some(next),
            None => return Ok(hits),
        }
    }
}

/// An event as answers and streams have it.
#[must_use]
pub fn event_log(
    chain: ChainKey,
    (number, block_hash, timestamp): (BlockNumber, Hash, UnixSeconds),
    event: Event,
    finality: &'static str,
) -> EventLog {
    let (tx_index, log_index) = (event.tx_index, event.log_index);
    let mut addresses = event.addresses.into_iter().map(Hex);
    EventLog {
        block_number: number,
        block_hash,
        block_timestamp: timestamp.0,
        transaction_hash: event.transaction_hash,
        transaction_index: tx_index,
        log_index,
        address: addresses.next().unwrap_or(Hex(Vec::new())),
        other_addresses: addresses.collect(),
        topics: event.topics,
        data: Hex(event.data.unwrap_or_default()),
        finality,
        proof_url: format!("/v5/proof/event/{}/{number}/{tx_index}/{log_index}", chain.id),
    }
}
