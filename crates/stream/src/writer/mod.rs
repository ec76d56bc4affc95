//! Writes the log: takes what changed of each chain, and what was published, into one line.
//!
//! ```text
//! feed of chain 1 ──┐
//! feed of chain 2 ──┼──► row 7  row 8  row 9     one commit a step, with the place on every feed
//! publications   ───┘
//! ```
//! What must always hold: a row is never changed, and what a step takes of a feed it takes with its rows,
//! so nothing is told twice or left out; a publication comes after the blocks that it anchors were told to
//! be final, and not before readers may see it.

mod chain;
mod place;

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

use superroot_accumulate::Published;
use superroot_accumulate::prove::{Prover, Which};
use superroot_index::EVENTS;
use superroot_store::feed::{self, load_cursor};
use superroot_store::layout::{Feed, StoredRow, stage_key};
use superroot_store::{Batch, Store, Table, read};
use superroot_types::{BlockNumber, ChainKey, Family, UnixSeconds};

use self::chain::Telling;
use self::place::{FeedPlace, NAME};
use crate::StreamError;
use crate::row::{
    EVENT_BLOCKS_MAX, Events, Head, Run, StreamRow, What, head_key, load_head, row_key,
};

/// Rows of one feed that a step takes, at most.
const TAKEN_MAX: usize = 64;
/// Publications that a step takes, at most.
const PUBLICATIONS_MAX: usize = 16;
/// Rows that one step prunes, at most: more than it writes on most days.
const PRUNED_MAX: u64 = 512;
/// How long the index of events is waited for. After that its blocks are told without their events, and that.
const INDEX_WAIT: Duration = Duration::from_secs(10);

/// Writes the log of one store. Of two that write one store, one gets a conflict.
pub struct Writer {
    store: Arc<dyn Store>,
    prover: Prover,
    chains: Vec<ChainKey>,
    kept_seconds: u64,
    index_wait: Duration,
    /// Stages whose rows are told with those of a block.
    waits_for: Vec<&'static str>,
    /// Rows of feeds that wait for the index, and since when.
    waiting: BTreeMap<ChainKey, (u64, Instant)>,
}

/// Whether a stage takes that chain: launches are those of the EVM family.
fn is_of(stage: &str, chain: ChainKey) -> bool {
    stage == EVENTS || chain.family == Family::Evm
}

impl Writer {
    /// A writer of what becomes of these chains. Rows are kept for `kept_seconds`.
    #[must_use]
    pub fn new(
        store: Arc<dyn Store>,
        prover: Prover,
        chains: Vec<ChainKey>,
        kept_seconds: u64,
    ) -> Self {
        let (index_wait, waiting) = (INDEX_WAIT, BTreeMap::new());
        let waits_for = vec![EVENTS];
        Self { store, prover, chains, kept_seconds, index_wait, waits_for, waiting }
    }

    /// The same, that waits for that stage too, on chains of the EVM family.
    #[must_use]
    pub fn waiting_for(mut self, stage: &'static str) -> Self {
        self.waits_for.push(stage);
        self
    }

    /// The same, that waits so long for the index of events: for tests.
    #[doc(hidden)]
    #[must_use]
    pub fn waiting_for_index(self, index_wait: Duration) -> Self {
        Self { index_wait, ..self }
    }

    /// Takes what is new, in one commit; says how many rows it wrote. 0: nothing is new, or it waits for
    /// the index.
    ///
    /// # Errors
    /// The store's; a conflict where another process writes the same store.
    pub fn step(&mut self, now: UnixSeconds) -> Result<usize, StreamError> {
        let before = load_head(&*self.store)?;
        let mut batch = Batch::new();
        let mut rows = Vec::new();
        let mut has_moved = false;
        for chain in self.chains.clone() {
            has_moved |= self.take_chain(chain, &mut batch, &mut rows)?;
        }
        has_moved |= self.take_publications(&mut batch, &mut rows)?;
        if !has_moved {
            return Ok(0);
        }
        let first = before.unwrap_or_else(|| Head { log: rand::random(), oldest: 0, next: 0 });
        let mut head = first;
        head.oldest = self.prune(head, now, &mut batch)?;
        let count = rows.len();
        for what in rows {
            batch.put(Table::Stream, row_key(head.next), StreamRow { at: now, what }.encode());
            head.next += 1;
        }
        batch.expect(Table::Stream, head_key(), before.map(Head::encode).as_deref());
        batch.put(Table::Stream, head_key(), head.encode());
        self.store.commit(batch)?;
        Ok(count)
    }

    /// Takes some rows of a chain's feed; says whether its place has changed.
    fn take_chain(
        &mut self,
        chain: ChainKey,
        batch: &mut Batch,
        rows: &mut Vec<What>,
    ) -> Result<bool, StreamError> {
        let (store, feed) = (Arc::clone(&self.store), Feed::Chain(chain));
        let before = FeedPlace::load(&*store, feed)?;
        let bounds = feed::load_bounds(&*store, chain)?;
        let mut place = match (before, bounds) {
            (Some(place), _) => place,
            (None, None) => FeedPlace { cursor: 0, since: None, taken: None, final_to: None },
            (None, Some(bounds)) => begun(&*store, chain, bounds.next)?,
        };
        if let Some(bounds) = bounds.filter(|bounds| place.cursor < bounds.oldest) {
            rows.push(What::ChangesMissed { chain });
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
            let mut telling = Telling { chain, place: &mut place, is_indexed, rows };
            row.changes.into_iter().for_each(|change| telling.put(change));
            place.cursor = number + 1;
        }
        if before == Some(place) {
            return Ok(false);
        }
        put_place(batch, feed, before, place);
        Ok(true)
    }

    /// Whether the index was waited for long enough, for that row.
    fn has_waited(&mut self, chain: ChainKey, row: u64) -> bool {
        let (waited, since) = self.waiting.entry(chain).or_insert_with(|| (row, Instant::now()));
        if *waited != row {
            (*waited, *since) = (row, Instant::now());
        }
        since.elapsed() >= self.index_wait
    }

    /// Takes publications that are shown, and whose blocks were told to be final.
    fn take_publications(
        &self,
        batch: &mut Batch,
        rows: &mut Vec<What>,
    ) -> Result<bool, StreamError> {
        let (store, feed) = (&*self.store, Feed::Publications);
        let before = FeedPlace::load(store, feed)?;
        let shown = self.prover.latest().map(|latest| latest.super_root.sequence);
        let Some(shown) = shown else { return Ok(false) };
        let mut place = before.unwrap_or(FeedPlace {
            // what stands already as the log begins is history
            cursor: if self.is_new_log()? { 0 } else { shown + 1 },
            since: None,
            taken: None,
            final_to: None,
        });
        for (sequence, hash) in feed::load_publications(store, place.cursor, PUBLICATIONS_MAX)? {
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
                let anchored = |(run, events)| What::Anchored { run, sequence, events };
                rows.extend(cut_held(store, run, since)?.into_iter().map(anchored));
            }
            rows.push(What::Published { sequence, hash });
            place.cursor = sequence + 1;
        }
        if before == Some(place) {
            return Ok(false);
        }
        put_place(batch, feed, before, place);
        Ok(true)
    }

    /// Whether all that the store holds came while the log was kept, so that its history is the log's.
    fn is_new_log(&self) -> Result<bool, StreamError> {
        Ok(load_head(&*self.store)?.is_some())
    }

    /// Whether the log tells, or is about to, that every block of a SuperRoot is final.
    fn is_told(&self, published: &Published, batch: &Batch) -> Result<bool, StreamError> {
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

    /// The place on a chain's feed as it will be after this step.
    fn place_of(&self, chain: ChainKey, batch: &Batch) -> Result<Option<FeedPlace>, StreamError> {
        let feed = Feed::Chain(chain);
        let key = stage_key(NAME, feed);
        match batch.written(Table::Stage, &key) {
            Some(written) => Ok(written.map(|bytes| FeedPlace::decode(&key, bytes)).transpose()?),
            None => Ok(FeedPlace::load(&*self.store, feed)?),
        }
    }

    fn published(&self, sequence: u64) -> Result<Arc<Published>, StreamError> {
        let why = |error: superroot_accumulate::prove::ProveError| error.to_string();
        let published = self.prover.published(Which::Sequence(sequence));
        published.map_err(|error| StreamError::SuperRoot { sequence, why: why(error) })
    }

    /// Takes rows out that are too old; gives the number of the oldest that is left.
    fn prune(&self, head: Head, now: UnixSeconds, batch: &mut Batch) -> Result<u64, StreamError> {
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

/// The place of a log that begins, or goes on, on a chain that has something already.
fn begun(store: &dyn Store, chain: ChainKey, cursor: u64) -> Result<FeedPlace, StreamError> {
    let state = read::load_chain_state(store, chain)?;
    let final_to = state.as_ref().and_then(|state| state.indexed).map(|tip| tip.number);
    let head = state.and_then(|state| state.head).map(|tip| tip.number).max(final_to);
    let after = |number: BlockNumber| number.0.checked_add(1).map(BlockNumber);
    let first = final_to.and_then(after).unwrap_or(BlockNumber(0));
    let taken = head.filter(|head| first <= *head).map(|head| (first, head));
    Ok(FeedPlace { cursor, since: head.and_then(after), taken, final_to })
}

/// Blocks below `since` in one run, the others in runs of which each has few blocks that are held: between
/// those that were recorded of a chain there may be millions of numbers.
fn cut_held(
    store: &dyn Store,
    run: Run,
    since: Option<BlockNumber>,
) -> Result<Vec<(Run, Events)>, StreamError> {
    let since = since.unwrap_or(BlockNumber(u64::MAX));
    let mut runs = Vec::new();
    if run.from < since {
        let to = run.to.min(BlockNumber(since.0 - 1));
        runs.push((Run { to, ..run }, Events::Old));
    }
    let mut next = Some(run.from.max(since));
    let limit = usize::try_from(EVENT_BLOCKS_MAX).unwrap_or(usize::MAX) + 1;
    while let Some(from) = next.filter(|from| *from <= run.to) {
        let numbers = from..BlockNumber(run.to.0.saturating_add(1));
        let held = read::load_blocks(store, run.chain, numbers, limit)?;
        // the run ends before the block that is one too many
        let over = held.get(limit - 1).map(|(number, _)| *number);
        let to = over.map_or(run.to, |over| BlockNumber(over.0.saturating_sub(1)));
        runs.push((Run { from, to, ..run }, Events::Delivered));
        next = over;
    }
    Ok(runs)
}

fn put_place(batch: &mut Batch, feed: Feed, before: Option<FeedPlace>, after: FeedPlace) {
    let key = stage_key(NAME, feed);
    batch.expect(Table::Stage, key.clone(), before.map(FeedPlace::encode).as_deref());
    batch.put(Table::Stage, key, after.encode());
}

/// Blocks that stand in a SuperRoot and in none before it: above what the one before had, and below where it
/// began.
fn appended(published: &Published, earlier: Option<&Published>) -> Vec<Run> {
    let mut runs = Vec::new();
    for (_, reference) in &published.references {
        let chain = reference.chain;
        let mut add = |from: BlockNumber, to: Option<u64>| {
            if let Some(to) = to.map(BlockNumber).filter(|to| from <= *to) {
                runs.push(Run { chain, from, to });
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
