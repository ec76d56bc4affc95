//! Events of a row's blocks: logs, order steps and launches, once for each finality that the row reaches.

use serde::Serialize;
use superroot_accumulate::prove::Prover;
use superroot_index::{BlockEvent, EventFilter, EventQuery, Hit, find, load_indexed_hash};
use superroot_market::launch::{Launch, LaunchKind, load_in, told};
use superroot_order::{Step, load_steps};
use superroot_store::{ScanOrder, Store, read};
use superroot_types::{BlockNumber, ChainKey, Hash, UnixSeconds};
use superroot_wire::Anchor;
use superroot_wire::stream::{LogDelivered, StreamGap};

use super::form::{event_log, order_step};
use super::prepared::{PreparedEvent, size_of};
use super::row_blocks::RowBlocks;
use crate::StreamError;
use crate::cursor::{LogCursor, RowPosition};
use crate::row::{EVENT_BLOCKS_MAX, Events};
use crate::subscription::{DeliveryFinality, EventKind};

/// Block events per read.
const READ_MAX: usize = 1_000;

/// Renderer of block events, for one row.
pub(super) struct BlockEventLoader<'a> {
    pub(super) prover: &'a Prover,
    /// Byte limit: no further block is read above the limit.
    pub(super) bytes_max: usize,
    /// The row's cursor.
    pub(super) at: LogCursor,
    pub(super) written_at: UnixSeconds,
    pub(super) newest: Option<&'a Anchor>,
}

/// Block whose events are rendered.
struct DeliveredBlock<'a> {
    of: &'a RowBlocks<'a>,
    number: BlockNumber,
    hash: Hash,
    /// Position of the block in the row ([`RowPosition::block`]).
    place: u32,
    /// Finalities for which the events are delivered.
    reached: Vec<DeliveryFinality>,
}

impl BlockEventLoader<'_> {
    /// Appends block events, once for each finality reached by the row. Returns the block position after the byte
    /// limit.
    pub(super) fn put_events(
        &self,
        of: &RowBlocks<'_>,
        begin: u32,
        items: &mut Vec<PreparedEvent>,
    ) -> Result<Option<u32>, StreamError> {
        let run = of.run;
        if of.events == Events::Missed {
            items.push(self.render_missed(of));
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
            let reached = self.reached_by(of, number, block.is_final());
            self.put_block(&DeliveredBlock { of, number, hash, place, reached }, items)?;
        }
        Ok(None)
    }

    fn render_missed(&self, of: &RowBlocks<'_>) -> PreparedEvent {
        let run = of.run;
        let data = StreamGap {
            chain_id: run.chain.id,
            from_block: Some(run.from),
            to_block: Some(run.to),
            why: "the events of these blocks were not indexed in time; ask /v5/logs for them",
        };
        let kind = EventKind::Gap { is_of_logs: true };
        let cursor = LogCursor { place: RowPosition { block: 1, ordinal: 0 }, ..self.at };
        let from = (cursor, self.written_at);
        PreparedEvent::new(from, (Some(run.chain), kind), &data, self.newest)
    }

    /// Appends the events of a block, then the order steps read out of these, then the launches.
    fn put_block(
        &self,
        block: &DeliveredBlock<'_>,
        items: &mut Vec<PreparedEvent>,
    ) -> Result<(), StreamError> {
        let store = self.prover.store();
        let DeliveredBlock { of, number, hash, .. } = *block;
        let chain = of.run.chain;
        let hits = load_events(store, chain, number, hash)?;
        let steps = load_steps_of(store, chain, number, hash)?;
        let after_hits = u32::try_from(hits.len()).unwrap_or(u32::MAX);
        let count = u32::try_from(steps.len()).unwrap_or(u32::MAX);
        self.put_logs(block, hits, items);
        self.put_steps(block, after_hits, &steps, items);
        let launches = load_in(store, chain, number, &hash)?.into_iter();
        self.put_launches(block, after_hits.saturating_add(count), launches, items);
        Ok(())
    }

    fn put_logs(&self, block: &DeliveredBlock<'_>, hits: Vec<Hit>, items: &mut Vec<PreparedEvent>) {
        let DeliveredBlock { of, number, hash, .. } = *block;
        let chain = of.run.chain;
        for (ordinal, hit) in (0_u32..).zip(hits) {
            for finality in block.reached.iter().copied() {
                let at = (number, hash, hit.timestamp);
                let data = LogDelivered {
                    chain_id: chain.id,
                    is_late: of.is_late,
                    log: event_log(chain, at, hit.event.clone(), finality.name()),
                };
                let event = BlockEvent { data: None, ..hit.event.clone() };
                let kind = EventKind::Log { finality, event: Box::new(event) };
                items.push(self.render(block, (ordinal, finality), kind, &data));
            }
        }
    }

    fn put_steps(
        &self,
        block: &DeliveredBlock<'_>,
        first: u32,
        steps: &[Step],
        items: &mut Vec<PreparedEvent>,
    ) {
        for (ordinal, step) in (first..).zip(steps) {
            for finality in block.reached.iter().copied() {
                let data = order_step(step, block.hash, finality, block.of.is_late);
                let kind = EventKind::Order { finality, id: step.order_id.clone() };
                items.push(self.render(block, (ordinal, finality), kind, &data));
            }
        }
    }

    fn put_launches(
        &self,
        block: &DeliveredBlock<'_>,
        first: u32,
        launches: impl Iterator<Item = Launch>,
        items: &mut Vec<PreparedEvent>,
    ) {
        for (ordinal, launch) in (first..).zip(launches) {
            for finality in block.reached.iter().copied() {
                let is_pulled = launch.kind == LaunchKind::Pulled;
                let usd = launch.liquidity_usd.to_f64() as u64; // whole dollars, as far as there are
                let kind = EventKind::Launch { finality, is_pulled, usd };
                let data = told(block.of.run.chain, &launch);
                items.push(self.render(block, (ordinal, finality), kind, &data));
            }
        }
    }

    fn render(
        &self,
        block: &DeliveredBlock<'_>,
        (ordinal, finality): (u32, DeliveryFinality),
        kind: EventKind,
        data: &impl Serialize,
    ) -> PreparedEvent {
        let place = block.of.place(block.place, ordinal, finality);
        let from = (LogCursor { place, ..self.at }, self.written_at);
        PreparedEvent::new(from, (Some(block.of.run.chain), kind), data, self.newest)
    }

    /// Finalities for which a row delivers block events. Late events are delivered for every finality already reached
    /// by the block.
    fn reached_by(
        &self,
        of: &RowBlocks<'_>,
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

/// A block's order steps; empty if another block is indexed at the number.
fn load_steps_of(
    store: &dyn Store,
    chain: ChainKey,
    number: BlockNumber,
    hash: Hash,
) -> Result<Vec<Step>, StreamError> {
    let steps = load_steps(store, chain, number)?;
    let is_it = load_indexed_hash(store, chain, number)? == Some(hash);
    Ok(if is_it { steps } else { Vec::new() })
}

/// A block's indexed events; empty if another block is indexed at the number.
fn load_events(
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
