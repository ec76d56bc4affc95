//! Follower: advances a stage along a feed.

use std::sync::Arc;

use superroot_types::{BlockNumber, ChainKey, Sequence};

use super::append::{FeedBounds, load_bounds, load_publications, load_rows};
use super::change::{BLOCKS_MAX, Changes, FeedChange};
use crate::codec::{Decoder, Encoder};
use crate::layout::{BlockTip, Feed, StoredRow, stage_key};
use crate::{Store, StoreError, Table, WriteBatch, read};

/// Most feed rows per step.
const ROWS_MAX: usize = 64;

/// Data derived from a feed.
///
/// Contract: a stage writes only its own rows, from the changes and the stored data for their blocks. Applying the same
/// changes again changes nothing. A changed block no longer stored (another hash is) is skipped, since a later change
/// undoes the block. An undone block is removed only if the stage has exactly that block.
pub trait FeedStage {
    /// Stage error.
    type Error: From<StoreError>;

    /// Name that keys the stage position: at most 32 bytes, never changed.
    fn name(&self) -> &'static str;

    /// Adds the rows derived from the changes to the batch.
    ///
    /// # Errors
    /// Stage errors; the whole step is then discarded.
    fn apply(
        &mut self,
        store: &dyn Store,
        feed: Feed,
        changes: &[FeedChange],
        batch: &mut WriteBatch,
    ) -> Result<(), Self::Error>;

    /// Adds the removal of some stage rows for this feed to the batch; returns whether none remain.
    ///
    /// # Errors
    /// As [`FeedStage::apply`].
    fn clear(
        &mut self,
        store: &dyn Store,
        feed: Feed,
        batch: &mut WriteBatch,
    ) -> Result<bool, Self::Error>;
}

/// Result of one step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StageProgress {
    /// No rows to take.
    Idle,
    /// Rows were taken.
    Advanced {
        /// Number of rows.
        rows: usize,
    },
    /// The stage is being rebuilt: old rows were removed, or stored blocks were taken.
    Rebuilt {
        /// Number of blocks.
        blocks: usize,
    },
}

/// Stage position.
///
/// ```text
///  numbers   blocks below `built_to` are followed by the feed │ those above are read when they are due
///  rows      below `cursor` are taken
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct StagePosition {
    cursor: u64,
    /// During a rebuild: first number not read yet.
    built_to: Option<BlockNumber>,
    /// Whether rows from before the rebuild remain to be removed.
    is_clearing: bool,
}

impl StagePosition {
    /// `cursor:u64 ‖ built_to ‖ clearing:flag`, built to an option of `number:u64`.
    fn encode(self) -> Vec<u8> {
        let mut out = Encoder::new();
        out.u64(self.cursor).option(self.built_to, |out, number| _ = out.u64(number.0));
        out.flag(self.is_clearing).finish()
    }
}

impl StoredRow for StagePosition {
    fn decode(key: &[u8], bytes: &[u8]) -> Result<Self, StoreError> {
        let mut row = Decoder::new(bytes);
        let place = (|| {
            let cursor = row.u64()?;
            let built_to = row.option(|row| row.u64().map(BlockNumber))?;
            let place = Self { cursor, built_to, is_clearing: row.flag()? };
            row.finish(place)
        })();
        place.ok_or_else(|| StoreError::corrupt(Table::Stage, key, "not a place of a stage"))
    }
}

/// Stage progress on a chain, for readers of the stage's rows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FollowerStanding {
    /// Block ranges not taken in their current state: first and last number.
    pub pending: Vec<(BlockNumber, BlockNumber)>,
    /// Position row: while unchanged, the stage's rows are unchanged.
    pub stamp: Option<Vec<u8>>,
}

/// Returns a stage's progress on a chain. Every block is pending for a stage that never ran, or is more than one step
/// behind.
///
/// # Errors
/// As [`Store::scan`].
pub fn load_standing(
    store: &dyn Store,
    stage: &str,
    chain: ChainKey,
) -> Result<FollowerStanding, StoreError> {
    let key = stage_key(stage, Feed::Chain(chain));
    let stamp = store.get(Table::Stage, &key)?;
    let place = stamp.as_deref().map(|bytes| StagePosition::decode(&key, bytes)).transpose()?;
    let last = BlockNumber(u64::MAX);
    let mut pending = Vec::new();
    match place.zip(load_bounds(store, chain)?) {
        None if place.is_none() && load_bounds(store, chain)?.is_none() => {}
        None => pending.push((BlockNumber(0), last)),
        Some((place, bounds)) if place.is_clearing || place.cursor < bounds.oldest => {
            pending.push((BlockNumber(0), last));
        }
        Some((place, _)) => {
            pending.extend(place.built_to.map(|from| (from, last)));
            let rows = load_rows(store, chain, place.cursor, ROWS_MAX)?;
            if rows.len() == ROWS_MAX {
                pending.push((BlockNumber(0), last));
            }
            pending.extend(
                rows.iter().flat_map(|(_, row)| &row.changes).filter_map(FeedChange::range),
            );
        }
    }
    Ok(FollowerStanding { pending, stamp })
}

/// Returns the next feed row that a stage takes; the stage includes all earlier rows. `None` before the first step and
/// during a rebuild.
///
/// # Errors
/// As [`Store::get`].
pub fn load_cursor(store: &dyn Store, stage: &str, feed: Feed) -> Result<Option<u64>, StoreError> {
    let key = stage_key(stage, feed);
    let bytes = store.get(Table::Stage, &key)?;
    let place = bytes.map(|bytes| StagePosition::decode(&key, &bytes)).transpose()?;
    Ok(place.filter(|place| place.built_to.is_none()).map(|place| place.cursor))
}

/// Driver for one stage along one feed. If two drivers run the same stage, one gets [`StoreError::Conflict`]: each
/// commit expects the step's start position.
pub struct Follower<S> {
    store: Arc<dyn Store>,
    feed: Feed,
    stage: S,
}

impl<S: FeedStage> Follower<S> {
    /// Continues the stage from its last position, or starts at the beginning.
    #[must_use]
    pub const fn new(store: Arc<dyn Store>, feed: Feed, stage: S) -> Self {
        Self { store, feed, stage }
    }

    /// Returns the stage.
    #[must_use]
    pub const fn stage(&self) -> &S {
        &self.stage
    }

    /// Returns the cursor: the next row to take. `None` before the first step and during a rebuild.
    ///
    /// # Errors
    /// As [`Store::get`].
    pub fn cursor(&self) -> Result<Option<u64>, StoreError> {
        load_cursor(&*self.store, self.stage.name(), self.feed)
    }

    /// Takes some feed rows, or some blocks for a rebuild: at most one commit.
    ///
    /// # Errors
    /// Store or stage errors. The next step retries the same rows.
    pub fn step(&mut self) -> Result<StageProgress, S::Error> {
        let before = self.place()?;
        let mut batch = WriteBatch::new();
        let (after, progress) = match self.feed {
            Feed::Chain(chain) => {
                let Some(bounds) = load_bounds(&*self.store, chain)? else {
                    return Ok(StageProgress::Idle);
                };
                self.follow(chain, begun(before, bounds), &mut batch)?
            }
            Feed::Publications => self.follow_publications(before, &mut batch)?,
        };
        if progress == StageProgress::Idle {
            return Ok(progress);
        }
        let key = self.key();
        let expected = before.map(StagePosition::encode);
        batch.expect(Table::Stage, key.clone(), expected.as_deref());
        batch.put(Table::Stage, key, after.encode());
        self.store.commit(batch)?;
        Ok(progress)
    }

    fn follow(
        &mut self,
        chain: ChainKey,
        mut place: StagePosition,
        batch: &mut WriteBatch,
    ) -> Result<(StagePosition, StageProgress), S::Error> {
        let store = Arc::clone(&self.store);
        if place.is_clearing {
            place.is_clearing = !self.stage.clear(&*store, self.feed, batch)?;
            return Ok((place, StageProgress::Rebuilt { blocks: 0 }));
        }
        let mut changes = Vec::new();
        let mut rows = 0;
        let mut blocks = 0;
        for (number, row) in load_rows(&*store, chain, place.cursor, ROWS_MAX)? {
            let more: u64 = row.changes.iter().map(FeedChange::block_count).sum();
            if rows > 0 && blocks + more > BLOCKS_MAX {
                break;
            }
            (rows, blocks, place.cursor) = (rows + 1, blocks + more, number + 1);
            let due = row.changes.into_iter().filter_map(|change| match place.built_to {
                Some(end) => change.below(end),
                None => Some(change),
            });
            changes.extend(due);
        }
        let progress = match place.built_to {
            _ if rows > 0 => StageProgress::Advanced { rows },
            None => StageProgress::Idle,
            Some(from) => {
                let blocks;
                (changes, blocks, place.built_to) = load_held(&*store, chain, from)?;
                StageProgress::Rebuilt { blocks }
            }
        };
        if !changes.is_empty() {
            self.stage.apply(&*store, self.feed, &changes, batch)?;
        }
        Ok((place, progress))
    }

    fn follow_publications(
        &mut self,
        before: Option<StagePosition>,
        batch: &mut WriteBatch,
    ) -> Result<(StagePosition, StageProgress), S::Error> {
        let at_first = StagePosition { cursor: 0, built_to: None, is_clearing: false };
        let mut place = before.unwrap_or(at_first);
        let published = load_publications(&*self.store, Sequence(place.cursor), ROWS_MAX)?;
        let Some((last, _)) = published.last() else { return Ok((place, StageProgress::Idle)) };
        place.cursor = last.0 + 1;
        let rows = published.len();
        let published = published.into_iter();
        let changes: Vec<_> =
            published.map(|(sequence, hash)| FeedChange::Published { sequence, hash }).collect();
        self.stage.apply(&*self.store, self.feed, &changes, batch)?;
        Ok((place, StageProgress::Advanced { rows }))
    }

    fn place(&self) -> Result<Option<StagePosition>, StoreError> {
        let key = self.key();
        let bytes = self.store.get(Table::Stage, &key)?;
        bytes.map(|bytes| StagePosition::decode(&key, &bytes)).transpose()
    }

    fn key(&self) -> Vec<u8> {
        stage_key(self.stage.name(), self.feed)
    }
}

/// Start position for a step: a new stage, or a stage whose next row was pruned, is rebuilt, and follows new changes
/// from the newest row on.
fn begun(before: Option<StagePosition>, bounds: FeedBounds) -> StagePosition {
    match before {
        Some(place) if place.cursor >= bounds.oldest => place,
        before => StagePosition {
            cursor: bounds.next,
            built_to: Some(BlockNumber(0)),
            is_clearing: before.is_some(),
        },
    }
}

/// A chain's stored blocks from a number on, as changes: some blocks, their count, and the next number.
fn load_held(
    store: &dyn Store,
    chain: ChainKey,
    from: BlockNumber,
) -> Result<(Vec<FeedChange>, usize, Option<BlockNumber>), StoreError> {
    let Some(state) = read::load_chain_state(store, chain)? else {
        return Ok((Vec::new(), 0, None));
    };
    let limit = usize::try_from(BLOCKS_MAX).unwrap_or(usize::MAX);
    let numbers = from.max(state.start)..BlockNumber(u64::MAX);
    let blocks = read::load_blocks(store, chain, numbers, limit)?;
    let mut changes = Changes::default();
    for (number, row) in &blocks {
        if row.is_final() {
            changes.made_final(*number);
        } else {
            changes.taken(BlockTip { number: *number, hash: row.hash });
        }
    }
    let last = blocks.last().filter(|_| blocks.len() == limit);
    Ok((changes.into_vec(), blocks.len(), last.map(|(number, _)| BlockNumber(number.0 + 1))))
}
