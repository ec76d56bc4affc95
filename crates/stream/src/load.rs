//! Renders log rows into wire events, once for all listeners.

use std::ops::Range;

use bytes::Bytes;
use serde::Serialize;
use superroot_accumulate::prove::Prover;
use superroot_index::{BlockEvent, EventFilter, EventQuery, Hit, find, load_indexed_hash};
use superroot_market::launch::{load_in, told};
use superroot_order::{ProtocolTable, Step, load_steps};
use superroot_store::{ScanOrder, Store, read};
use superroot_types::{BlockNumber, ChainId, ChainKey, Hash, UnixSeconds};
use superroot_wire::logs::EventLog;
use superroot_wire::stream::{
    BlocksAnchored, BlocksReached, BlocksRetracted, BlocksUndone, LogDelivered, OrderStep,
    StreamGap, SuperRootPublished,
};
use superroot_wire::{Anchor, Case, Hex, case};

use crate::cursor::{LogCursor, RowPosition};
use crate::row::{BlockRun, EVENT_BLOCKS_MAX, Events, LogRowKind, StreamRow};
use crate::subscription::{DeliveryFinality, EventKind, Topic};
use crate::{StreamError, anchor};

/// Block events per read.
const READ_MAX: usize = 1_000;

#[derive(Clone, Debug)]
pub struct PreparedEvent {
    pub cursor: LogCursor,
    /// Log time.
    pub at: UnixSeconds,
    /// Chain; `None` for an event about all chains.
    pub chain: Option<ChainKey>,
    pub(crate) kind: EventKind,
    pub(crate) blocks: Option<(BlockNumber, BlockNumber)>,
    /// SuperRoot that anchors the blocks.
    pub(crate) sequence: Option<u64>,
    frame: Bytes,
    data: Range<usize>,
}

impl PreparedEvent {
    /// Creates an event; `data` is an object, extended by the anchor.
    pub(crate) fn new(
        (cursor, at): (LogCursor, UnixSeconds),
        (chain, kind): (Option<ChainKey>, EventKind),
        data: &impl Serialize,
        anchor: Option<&Anchor>,
    ) -> Self {
        let mut body = case::write(data, Case::Camel);
        superroot_wire::anchor::attach(&mut body, anchor, Case::Camel);
        let name = kind.name();
        let text = body.to_string();
        let head = format!("id: {cursor}\nevent: {name}\ndata: ");
        let data = head.len()..head.len() + text.len();
        let frame = [head.as_str(), text.as_str(), "\n\n"].concat().into();
        Self { cursor, at, chain, kind, blocks: None, sequence: None, frame, data }
    }

    /// Launch value in whole US dollars; `None` for other events.
    #[must_use]
    pub const fn launch_usd(&self) -> Option<u64> {
        match &self.kind {
            EventKind::Launch { usd, .. } => Some(*usd),
            _ => None,
        }
    }

    /// Event name: a topic, `token_launch`, `updated`, `undone` or `gap`.
    #[must_use]
    pub const fn name(&self) -> &'static str {
        self.kind.name()
    }

    /// Server-sent event: `id`, `event`, `data`, an empty line.
    #[must_use]
    pub fn frame(&self) -> Bytes {
        self.frame.clone()
    }

    /// Event data: a JSON object in camelCase.
    #[must_use]
    pub fn data(&self) -> Bytes {
        self.frame.slice(self.data.clone())
    }

    pub(crate) const fn size(&self) -> usize {
        self.frame.len() + 256
    }
}

/// Rendered row, complete or for some blocks only.
#[derive(Debug)]
pub(crate) struct Loaded {
    pub(crate) row: u64,
    /// Position of the first block with events here ([`RowPosition::block`]).
    pub(crate) begin: u32,
    /// Position of the next block, if the row continues.
    pub(crate) rest: Option<u32>,
    /// Events in position order.
    pub(crate) items: Vec<PreparedEvent>,
    /// Whether block events are included, if the row has any.
    pub(crate) has_logs: bool,
    /// Approximate bytes.
    pub(crate) size: usize,
}

impl Loaded {
    /// Whether the block's events, if any, are included.
    pub(crate) fn covers(&self, row: u64, block: u32) -> bool {
        self.row == row && self.begin <= block && self.rest.is_none_or(|rest| block < rest)
    }
}

pub(crate) struct Loader<'a> {
    pub(crate) prover: &'a Prover,
    pub(crate) log: u64,
    pub(crate) with_logs: bool,
    /// Byte limit: no further block is read above the limit.
    pub(crate) bytes_max: usize,
}

impl Loader<'_> {
    /// Renders a row from block position `begin` on.
    pub(crate) fn load(
        &self,
        number: u64,
        row: &StreamRow,
        begin: u32,
    ) -> Result<Loaded, StreamError> {
        let mut items = Vec::new();
        let newest = anchor::newest(self.prover);
        let cursor = LogCursor { log: self.log, row: number, place: RowPosition::default() };
        if begin == 0
            && let Some((chain, kind, data, blocks)) = self.own(&row.what)?
        {
            let cursor = LogCursor { place: RowPosition::OF_ROW, ..cursor };
            let mut item =
                PreparedEvent::new((cursor, row.at), (chain, kind), &data, newest.as_ref());
            item.blocks = blocks;
            if let LogRowKind::Anchored { sequence, .. } = &row.what {
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

    /// Renders the row's own event.
    #[expect(clippy::type_complexity, reason = "the parts of an event, taken apart by one caller")]
    fn own(
        &self,
        what: &LogRowKind,
    ) -> Result<
        Option<(
            Option<ChainKey>,
            EventKind,
            serde_json::Value,
            Option<(BlockNumber, BlockNumber)>,
        )>,
        StreamError,
    > {
        let store = self.prover.store();
        Ok(Some(match what {
            LogRowKind::Taken { run, hashes, .. } => {
                let hash = hashes.last().copied().unwrap_or_default();
                let kind = EventKind::Reached(DeliveryFinality::Head);
                (Some(run.chain), kind, reached(run, hash, DeliveryFinality::Head), ends(run))
            }
            LogRowKind::Undone { run, hashes } => {
                let data = BlocksUndone {
                    chain_id: run.chain.id,
                    from_block: run.from,
                    to_block: run.to,
                    block_hashes: hashes.clone(),
                };
                (Some(run.chain), EventKind::Undone, value(&data), ends(run))
            }
            LogRowKind::Final { run, .. } => {
                let block = read::load_block(store, run.chain, run.to)?;
                let hash = block.map(|block| block.hash).unwrap_or_default();
                let kind = EventKind::Reached(DeliveryFinality::Finalized);
                (Some(run.chain), kind, reached(run, hash, DeliveryFinality::Finalized), ends(run))
            }
            LogRowKind::Body { .. } => return Ok(None),
            LogRowKind::Retracted { run } => {
                let kind = EventKind::Of(Topic::Retraction);
                (Some(run.chain), kind, self.retracted(run)?, ends(run))
            }
            LogRowKind::Anchored { run, sequence, .. } => {
                let data = BlocksAnchored {
                    chain_id: run.chain.id,
                    from_block: run.from,
                    to_block: run.to,
                    sequence: *sequence,
                    transaction_hash: None,
                    proof_url: format!("/v5/proof/{}/{}", run.chain.id, run.to),
                };
                (Some(run.chain), EventKind::Of(Topic::Anchored), value(&data), ends(run))
            }
            LogRowKind::Published { sequence, hash } => {
                let data = self.published(*sequence, *hash)?;
                (None, EventKind::Of(Topic::SuperRoot), data, None)
            }
            LogRowKind::ChangesMissed { chain } => {
                let data = StreamGap {
                    chain_id: chain.id,
                    from_block: None,
                    to_block: None,
                    why: "the service was behind for so long that changes of this chain were \
                          dropped; ask /v5/logs and /finality for what you hold",
                };
                (Some(*chain), EventKind::Gap { is_of_logs: false }, value(&data), None)
            }
        }))
    }

    fn published(&self, sequence: u64, hash: Hash) -> Result<serde_json::Value, StreamError> {
        let which = superroot_accumulate::prove::SuperRootChoice::Sequence(sequence);
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

    fn retracted(&self, run: &BlockRun) -> Result<serde_json::Value, StreamError> {
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

    /// Appends block events, once for each finality reached by the row. Returns the block position after the byte
    /// limit.
    fn put_events(
        &self,
        of: &OfBlocks<'_>,
        begin: u32,
        (at, written_at): (LogCursor, UnixSeconds),
        newest: Option<&Anchor>,
        items: &mut Vec<PreparedEvent>,
    ) -> Result<Option<u32>, StreamError> {
        let run = of.run;
        if of.events == Events::Missed {
            let data = StreamGap {
                chain_id: run.chain.id,
                from_block: Some(run.from),
                to_block: Some(run.to),
                why: "the events of these blocks were not indexed in time; ask /v5/logs for them",
            };
            let kind = EventKind::Gap { is_of_logs: true };
            let cursor = LogCursor { place: RowPosition { block: 1, ordinal: 0 }, ..at };
            items.push(PreparedEvent::new(
                (cursor, written_at),
                (Some(run.chain), kind),
                &data,
                newest,
            ));
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
                    let cursor = LogCursor { place: of.place(place, ordinal, finality), ..at };
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
                    let event = BlockEvent { data: None, ..hit.event.clone() };
                    let kind = EventKind::Log { finality, event: Box::new(event) };
                    items.push(PreparedEvent::new(
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
                    let cursor = LogCursor { place: of.place(place, ordinal, finality), ..at };
                    let data = order_step(&step, hash, finality, of.is_late);
                    let kind = EventKind::Order { finality, id: step.order_id.clone() };
                    let from = (cursor, written_at);
                    let kind = (Some(run.chain), kind);
                    items.push(PreparedEvent::new(from, kind, &data, newest));
                }
            }
            // and launches after these
            let after = after.saturating_add(count);
            let launches = load_in(self.prover.store(), run.chain, number)?.into_iter();
            let launches = launches.filter(|launch| launch.liquidity.block_hash == hash);
            for (ordinal, launch) in (after..).zip(launches) {
                for finality in reached.iter().copied() {
                    let cursor = LogCursor { place: of.place(place, ordinal, finality), ..at };
                    let is_pulled = launch.kind == superroot_market::launch::LaunchKind::Pulled;
                    let usd = launch.liquidity_usd.to_f64() as u64; // whole dollars, as far as there are
                    let kind = EventKind::Launch { finality, is_pulled, usd };
                    let from = ((cursor, written_at), (Some(run.chain), kind));
                    items.push(PreparedEvent::new(
                        from.0,
                        from.1,
                        &told(run.chain, &launch),
                        newest,
                    ));
                }
            }
        }
        Ok(None)
    }

    /// Order steps of a block; empty if another block is indexed at the number.
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

    /// Finalities for which a row delivers block events. Late events are delivered for every finality already reached
    /// by the block.
    fn reached_by(
        &self,
        of: &OfBlocks<'_>,
        number: BlockNumber,
        is_final: bool,
    ) -> Vec<DeliveryFinality> {
        if !of.is_late {
            return of.views().to_vec();
        }
        let chain = of.run.chain;
        let latest = self.prover.latest();
        let anchored = latest.as_ref().and_then(|latest| latest.reference(chain));
        let is_anchored = anchored.is_some_and(|(_, reference)| number <= reference.number);
        let mut reached = vec![DeliveryFinality::Head];
        reached.extend(is_final.then_some(DeliveryFinality::Finalized));
        reached.extend((is_final && is_anchored).then_some(DeliveryFinality::Anchored));
        reached
    }
}

fn size_of(items: &[PreparedEvent]) -> usize {
    items.iter().map(PreparedEvent::size).sum()
}

struct OfBlocks<'a> {
    run: &'a BlockRun,
    hashes: Option<&'a [Hash]>,
    events: Events,
    reached: Option<DeliveryFinality>,
    /// Whether the blocks became final without being taken before: heads are delivered too.
    is_new: bool,
    is_late: bool,
}

impl OfBlocks<'_> {
    fn means(&self, number: BlockNumber, hash: Hash) -> bool {
        let place = usize::try_from(number.0 - self.run.from.0).unwrap_or(usize::MAX);
        self.hashes.is_none_or(|hashes| hashes.get(place) == Some(&hash))
    }

    /// Position for one ordinal of a block and one finality.
    fn place(&self, block: u32, ordinal: u32, finality: DeliveryFinality) -> RowPosition {
        let views = self.views();
        let slot = views.iter().position(|one| *one == finality).unwrap_or(0);
        let slots = u32::try_from(views.len()).unwrap_or(1);
        let slot = u32::try_from(slot).unwrap_or(0);
        RowPosition { block, ordinal: ordinal.saturating_mul(slots).saturating_add(slot) }
    }

    /// Finalities delivered by this kind of row.
    const fn views(&self) -> &'static [DeliveryFinality] {
        match (self.reached, self.is_new) {
            (Some(DeliveryFinality::Head), _) => &[DeliveryFinality::Head],
            (Some(DeliveryFinality::Finalized), false) => &[DeliveryFinality::Finalized],
            (Some(DeliveryFinality::Finalized), true) => {
                &[DeliveryFinality::Head, DeliveryFinality::Finalized]
            }
            (Some(DeliveryFinality::Anchored), _) => &[DeliveryFinality::Anchored],
            (None, _) => {
                &[DeliveryFinality::Head, DeliveryFinality::Finalized, DeliveryFinality::Anchored]
            }
        }
    }
}

fn events_of(what: &LogRowKind) -> Option<OfBlocks<'_>> {
    let of = |run, events, reached| OfBlocks {
        run,
        hashes: None,
        events,
        reached: Some(reached),
        is_new: false,
        is_late: false,
    };
    match what {
        LogRowKind::Taken { run, hashes, events } => {
            Some(OfBlocks { hashes: Some(hashes), ..of(run, *events, DeliveryFinality::Head) })
        }
        LogRowKind::Final { run, is_new, events } => {
            Some(OfBlocks { is_new: *is_new, ..of(run, *events, DeliveryFinality::Finalized) })
        }
        LogRowKind::Anchored { run, events, .. } => {
            Some(of(run, *events, DeliveryFinality::Anchored))
        }
        LogRowKind::Body { run, events } => Some(OfBlocks {
            reached: None,
            is_late: true,
            ..of(run, *events, DeliveryFinality::Head)
        }),
        LogRowKind::Undone { .. }
        | LogRowKind::Retracted { .. }
        | LogRowKind::Published { .. }
        | LogRowKind::ChangesMissed { .. } => None,
    }
}

const fn ends(run: &BlockRun) -> Option<(BlockNumber, BlockNumber)> {
    Some((run.from, run.to))
}

fn reached(run: &BlockRun, block_hash: Hash, finality: DeliveryFinality) -> serde_json::Value {
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

fn order_step(
    told: &Step,
    block_hash: Hash,
    finality: DeliveryFinality,
    is_late: bool,
) -> OrderStep {
    let table = ProtocolTable::builtin();
    let leg = &told.leg;
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

/// Indexed events of a block; empty if another block is indexed at the number.
fn events_at(
    store: &dyn Store,
    chain: ChainKey,
    number: BlockNumber,
    hash: Hash,
) -> Result<Vec<Hit>, StreamError> {
    let mut query = EventQuery {
        chain,
        filter: EventFilter::default(),
        from: number,
        to: number,
        direction: ScanOrder::Rising,
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

/// Builds an event in the form of answers and streams.
#[must_use]
pub fn event_log(
    chain: ChainKey,
    (number, block_hash, timestamp): (BlockNumber, Hash, UnixSeconds),
    event: BlockEvent,
    finality: &'static str,
) -> EventLog {
    let tx_index = event.tx_index;
    let log_index = event.log_index;
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
