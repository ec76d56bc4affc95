//! Log writer: merges chain changes and publications into one log.
//!
//! ```text
//! feed of chain 1 ──┐
//! feed of chain 2 ──┼──► row 7  row 8  row 9     one commit a step, with the place on every feed
//! publications   ───┘
//! ```
//! Invariants: rows never change. One commit has the rows and the feed positions, so no change is repeated or lost. A
//! publication follows the finality rows for its blocks, and never precedes the publication's visibility to readers.

mod chain;
mod place;

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

use superroot_accumulate::Published;
use superroot_accumulate::prove::Prover;
use superroot_index::EVENTS;
use superroot_store::feed::{self, load_cursor};
use superroot_store::layout::{Feed, StoredRow, stage_key};
use superroot_store::{Store, Table, WriteBatch, read};
use superroot_types::{BlockNumber, ChainKey, Family, Sequence, SuperRootRef, UnixSeconds};

use self::chain::ChainWriter;
use self::place::{FeedPlace, NAME};
use crate::StreamError;
use crate::row::{
    BlockRun, EVENT_BLOCKS_MAX, Events, LogBounds, LogRowKind, StreamRow, head_key, load_head,
    row_key,
};

/// Most feed rows per feed and step.
const TAKEN_MAX: usize = 64;
/// Most publications per step.
const PUBLICATIONS_MAX: usize = 16;
/// Most pruned rows per step: more than a step usually writes.
const PRUNED_MAX: u64 = 512;
/// Longest wait for the event index. Later, blocks are reported without events, and the gap is reported.
const INDEX_WAIT: Duration = Duration::from_secs(10);

/// Log writer for one store. With two writers on one store, one gets a conflict.
pub struct StreamLogWriter {
    store: Arc<dyn Store>,
    prover: Prover,
    chains: Vec<ChainKey>,
    kept_seconds: u64,
    index_wait: Duration,
    /// Index stages to wait for.
    waits_for: Vec<&'static str>,
    /// Feed rows waiting for the index, with the start of the wait.
    waiting: BTreeMap<ChainKey, (u64, Instant)>,
}

/// Whether a stage handles the chain: launches are EVM only.
fn is_of(stage: &str, chain: ChainKey) -> bool {
    stage == EVENTS || chain.family == Family::Evm
}

impl StreamLogWriter {
    /// Creates a writer for these chains. Rows are stored for `kept_seconds`.
    #[must_use]
    pub fn new(
        store: Arc<dyn Store>,
        prover: Prover,
        chains: Vec<ChainKey>,
        kept_seconds: u64,
    ) -> Self {
        let index_wait = INDEX_WAIT;
        let waiting = BTreeMap::new();
        let waits_for = vec![EVENTS];
        Self { store, prover, chains, kept_seconds, index_wait, waits_for, waiting }
    }

    /// Waits for another stage too, on EVM chains.
    #[must_use]
    pub fn waiting_for(mut self, stage: &'static str) -> Self {
        self.waits_for.push(stage);
        self
    }

    /// Sets the longest wait for the event index, for tests.
    #[doc(hidden)]
    #[must_use]
    pub fn waiting_for_index(self, index_wait: Duration) -> Self {
        Self { index_wait, ..self }
    }

    /// Writes new changes in one commit and returns the row count: 0 if nothing is new, or while waiting for the index.
    ///
    /// # Errors
    /// Store error; a conflict if another process writes the same store.
    pub fn step(&mut self, now: UnixSeconds) -> Result<usize, StreamError> {
        let before = load_head(&*self.store)?;
        let mut batch = WriteBatch::new();
        let mut rows = Vec::new();
        let mut has_moved = false;
        for chain in self.chains.clone() {
            has_moved |= self.take_chain(chain, &mut batch, &mut rows)?;
        }
        has_moved |= self.take_publications(&mut batch, &mut rows)?;
        if !has_moved {
            return Ok(0);
        }
        let first = before.unwrap_or_else(|| LogBounds { log: rand::random(), oldest: 0, next: 0 });
        let mut head = first;
        head.oldest = self.prune(head, now, &mut batch)?;
        let count = rows.len();
        for what in rows {
            batch.put(Table::Stream, row_key(head.next), StreamRow { at: now, what }.encode());
            head.next += 1;
        }
        batch.expect(Table::Stream, head_key(), before.map(LogBounds::encode).as_deref());
        batch.put(Table::Stream, head_key(), head.encode());
        self.store.commit(batch)?;
        Ok(count)
    }

    fn take_chain(
        &mut self,
        chain: ChainKey,
        batch: &mut WriteBatch,
        rows: &mut Vec<LogRowKind>,
    ) -> Result<bool, StreamError> {
        let store = Arc::clone(&self.store);
        let feed = Feed::Chain(chain);
        let before = FeedPlace::load(&*store, feed)?;
        let bounds = feed::load_bounds(&*store, chain)?;
        let mut place = match (before, bounds) {
            (Some(place), _) => place,
            (None, None) => FeedPlace { cursor: 0, since: None, taken: None, final_to: None },
            (None, Some(bounds)) => begun(&*store, chain, bounds.next)?,
        };
        if let Some(bounds) = bounds.filter(|bounds| place.cursor < bounds.oldest) {
            rows.push(LogRowKind::ChangesMissed { chain });
            place = FeedPlace { since: place.since, ..begun(&*store, chain, bounds.oldest)? };
        }
        let mut indexed_to = u64::MAX;
        for stage in self.waits_for.iter().filter(|stage| is_of(stage, chain)) {
            indexed_to = indexed_to.min(load_cursor(&*store, stage, feed)?.unwrap_or(0));
        }
        for (number, row) in feed::load_rows(&*store, chain, place.cursor, TAKEN_MAX)? {
            let is_indexed = number < indexed_to;
            if !is_indexed && !self.has_waited(chain, number) {
                break;
            }
            let mut telling = ChainWriter { chain, place: &mut place, is_indexed, rows };
            row.changes.into_iter().for_each(|change| telling.put(change));
            place.cursor = number + 1;
        }
        if before == Some(place) {
            return Ok(false);
        }
        put_place(batch, feed, before, place);
        Ok(true)
    }

    fn has_waited(&mut self, chain: ChainKey, row: u64) -> bool {
        let (waited, since) = self.waiting.entry(chain).or_insert_with(|| (row, Instant::now()));
        if *waited != row {
            (*waited, *since) = (row, Instant::now());
        }
        since.elapsed() >= self.index_wait
    }

    /// Takes visible publications after all anchored blocks were reported final.
    fn take_publications(
        &self,
        batch: &mut WriteBatch,
        rows: &mut Vec<LogRowKind>,
    ) -> Result<bool, StreamError> {
        let store = &*self.store;
        let feed = Feed::Publications;
        let before = FeedPlace::load(store, feed)?;
        let shown = self.prover.latest().map(|latest| latest.super_root.sequence.0);
        let Some(shown) = shown else { return Ok(false) };
        let mut place = before.unwrap_or(FeedPlace {
            // what stands already as the log begins is history
            cursor: if self.is_new_log()? { 0 } else { shown + 1 },
            since: None,
            taken: None,
            final_to: None,
        });
        let from = Sequence(place.cursor);
        for (Sequence(sequence), hash) in feed::load_publications(store, from, PUBLICATIONS_MAX)? {
            if sequence > shown {
                break;
            }
            let published = self.published(sequence)?;
            if !self.is_told(&published, batch)? {
                break;
            }
            let earlier = sequence.checked_sub(1).map(|one| self.published(one)).transpose()?;
            for run in appended(&published, earlier.as_deref()) {
                let since = self.place_of(run.chain, batch)?.and_then(|place| place.since);
                let anchored = |(run, events)| LogRowKind::Anchored { run, sequence, events };
                rows.extend(cut_held(store, run, since)?.into_iter().map(anchored));
            }
            rows.push(LogRowKind::Published { sequence, hash });
            place.cursor = sequence + 1;
        }
        if before == Some(place) {
            return Ok(false);
        }
        put_place(batch, feed, before, place);
        Ok(true)
    }

    /// Whether the log already exists, so that all publications belong to the log.
    fn is_new_log(&self) -> Result<bool, StreamError> {
        Ok(load_head(&*self.store)?.is_some())
    }

    /// Whether the log reports, or is about to report, every block of a SuperRoot as final.
    fn is_told(&self, published: &Published, batch: &WriteBatch) -> Result<bool, StreamError> {
        for (_, reference) in &published.references {
            let chain = reference.chain;
            if !self.chains.contains(&chain) {
                continue;
            }
            let place = self.place_of(chain, batch)?;
            let is_told = place.is_some_and(|place| place.final_to >= Some(reference.number));
            // where nothing more is to come, nothing is waited for
            let next = feed::load_bounds(&*self.store, chain)?.map_or(0, |bounds| bounds.next);
            if !is_told && place.is_none_or(|place| place.cursor < next) {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Position on a chain feed after this step.
    fn place_of(
        &self,
        chain: ChainKey,
        batch: &WriteBatch,
    ) -> Result<Option<FeedPlace>, StreamError> {
        let feed = Feed::Chain(chain);
        let key = stage_key(NAME, feed);
        match batch.written(Table::Stage, &key) {
            Some(written) => Ok(written.map(|bytes| FeedPlace::decode(&key, bytes)).transpose()?),
            None => Ok(FeedPlace::load(&*self.store, feed)?),
        }
    }

    fn published(&self, sequence: u64) -> Result<Arc<Published>, StreamError> {
        let why = |error: superroot_accumulate::prove::ProveError| error.to_string();
        let published = self.prover.published(SuperRootRef::Sequence(Sequence(sequence)));
        published.map_err(|error| StreamError::SuperRoot { sequence, why: why(error) })
    }

    /// Deletes expired rows; returns the oldest remaining row number.
    fn prune(
        &self,
        head: LogBounds,
        now: UnixSeconds,
        batch: &mut WriteBatch,
    ) -> Result<u64, StreamError> {
        let limit = usize::try_from(PRUNED_MAX.min(head.next - head.oldest)).unwrap_or(0);
        let mut oldest = head.oldest;
        let is_due = |row: &StreamRow| row.at.0.saturating_add(self.kept_seconds) < now.0;
        let first = crate::row::load_rows(&*self.store, oldest, limit.min(1))?;
        if !first.iter().any(|(_, row)| is_due(row)) {
            return Ok(oldest);
        }
        for (number, row) in crate::row::load_rows(&*self.store, oldest, limit)? {
            if !is_due(&row) {
                break;
            }
            batch.delete(Table::Stream, row_key(number));
            oldest = number + 1;
        }
        Ok(oldest)
    }
}

/// Start position on a chain with existing blocks, for a new or resumed log.
fn begun(store: &dyn Store, chain: ChainKey, cursor: u64) -> Result<FeedPlace, StreamError> {
    let state = read::load_chain_state(store, chain)?;
    let final_to = state.as_ref().and_then(|state| state.indexed).map(|tip| tip.number);
    let head = state.and_then(|state| state.head).map(|tip| tip.number).max(final_to);
    let after = |number: BlockNumber| number.0.checked_add(1).map(BlockNumber);
    let first = final_to.and_then(after).unwrap_or(BlockNumber(0));
    let taken = head.filter(|head| first <= *head).map(|head| (first, head));
    Ok(FeedPlace { cursor, since: head.and_then(after), taken, final_to })
}

/// Splits blocks into one run below `since` and runs with few stored blocks: recorded blocks may be millions of numbers
/// apart.
fn cut_held(
    store: &dyn Store,
    run: BlockRun,
    since: Option<BlockNumber>,
) -> Result<Vec<(BlockRun, Events)>, StreamError> {
    let since = since.unwrap_or(BlockNumber(u64::MAX));
    let mut runs = Vec::new();
    if run.from < since {
        let to = run.to.min(BlockNumber(since.0 - 1));
        runs.push((BlockRun { to, ..run }, Events::Old));
    }
    let mut next = Some(run.from.max(since));
    let limit = usize::try_from(EVENT_BLOCKS_MAX).unwrap_or(usize::MAX) + 1;
    while let Some(from) = next.filter(|from| *from <= run.to) {
        let numbers = from..BlockNumber(run.to.0.saturating_add(1));
        let held = read::load_blocks(store, run.chain, numbers, limit)?;
        // the run ends before the block that is one too many
        let over = held.get(limit - 1).map(|(number, _)| *number);
        let to = over.map_or(run.to, |over| BlockNumber(over.0.saturating_sub(1)));
        runs.push((BlockRun { from, to, ..run }, Events::Delivered));
        next = over;
    }
    Ok(runs)
}

fn put_place(batch: &mut WriteBatch, feed: Feed, before: Option<FeedPlace>, after: FeedPlace) {
    let key = stage_key(NAME, feed);
    batch.expect(Table::Stage, key.clone(), before.map(FeedPlace::encode).as_deref());
    batch.put(Table::Stage, key, after.encode());
}

/// Blocks first anchored in this SuperRoot: above the previous range, and below its start.
fn appended(published: &Published, earlier: Option<&Published>) -> Vec<BlockRun> {
    let mut runs = Vec::new();
    for (_, reference) in &published.references {
        let chain = reference.chain;
        let mut add = |from: BlockNumber, to: Option<u64>| {
            if let Some(to) = to.map(BlockNumber).filter(|to| from <= *to) {
                runs.push(BlockRun { chain, from, to });
            }
        };
        match earlier.and_then(|earlier| earlier.reference(chain)) {
            None => add(reference.start, Some(reference.number.0)),
            Some((_, known)) => {
                add(reference.start, known.start.0.checked_sub(1));
                let next = BlockNumber(known.number.0.saturating_add(1));
                add(next, Some(reference.number.0));
            }
        }
    }
    runs
}
