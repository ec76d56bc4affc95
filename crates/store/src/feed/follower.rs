//! Taking a stage along a feed.

use std::sync::Arc;

use superroot_types::{BlockNumber, ChainKey};

use super::append::{Bounds, load_bounds, load_publications, load_rows};
use super::change::{BLOCKS_MAX, Change, Changes};
use crate::codec::{Decoder, Encoder};
use crate::layout::{Feed, StoredRow, Tip, stage_key};
use crate::{Batch, Store, StoreError, Table, read};

/// Rows of a feed that one step takes at most.
const ROWS_MAX: usize = 64;

/// Something that is derived from a feed.
///
/// What it must keep to: it writes rows of its own alone, out of the changes and what is held of their
/// blocks; the same changes given again change nothing; a block that a change names and that is not
/// held any more (another hash is) is left out, since a later change undoes it; and one that is undone
/// goes only if it is the one that the stage holds.
pub trait Stage {
    /// What goes wrong.
    type Error: From<StoreError>;

    /// The word under which its place is kept: at most 32 bytes, never changed.
    fn name(&self) -> &'static str;

    /// Puts what the changes make of its rows into the batch.
    ///
    /// # Errors
    /// Its own; nothing of the step is kept then.
    fn apply(
        &mut self,
        store: &dyn Store,
        feed: Feed,
        changes: &[Change],
        batch: &mut Batch,
    ) -> Result<(), Self::Error>;

    /// Puts the removal of some of its rows of that feed into the batch; says whether no other is left.
    ///
    /// # Errors
    /// As [`Stage::apply`].
    fn clear(
        &mut self,
        store: &dyn Store,
        feed: Feed,
        batch: &mut Batch,
    ) -> Result<bool, Self::Error>;
}

/// What a step did.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Progress {
    /// There was nothing to take.
    Idle,
    /// Rows were taken.
    Advanced {
        /// How many.
        rows: usize,
    },
    /// The stage is being built anew: what it held was removed, or blocks that are held were taken.
    Rebuilt {
        /// How many blocks.
        blocks: usize,
    },
}

/// Where a stage is.
///
/// ```text
///  numbers   blocks below `built_to` are followed by the feed │ those above are read when they are due
///  rows      below `cursor` are taken
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Place {
    cursor: u64,
    /// While it is built anew: first number that was not read yet.
    built_to: Option<BlockNumber>,
    /// Whether rows of the time before are still to be removed.
    is_clearing: bool,
}

impl Place {
    /// `cursor:u64 ‖ built_to ‖ clearing:flag`, built to an option of `number:u64`.
    fn encode(self) -> Vec<u8> {
        let mut out = Encoder::new();
        out.u64(self.cursor).option(self.built_to, |out, number| _ = out.u64(number.0));
        out.flag(self.is_clearing).finish()
    }
}

impl StoredRow for Place {
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

/// How far a stage is with a chain, for whoever reads what it made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Standing {
    /// Runs of blocks that it has not taken as they are held now: first and last number.
    pub pending: Vec<(BlockNumber, BlockNumber)>,
    /// The row of its place: while it is the same, nothing that the stage made was changed.
    pub stamp: Option<Vec<u8>>,
}

/// How far the stage of that name is with a chain. Of a stage that was never stepped, or is further
/// behind than a step goes, every block is pending.
///
/// # Errors
/// Those of [`Store::scan`].
pub fn load_standing(
    store: &dyn Store,
    stage: &str,
    chain: ChainKey,
) -> Result<Standing, StoreError> {
    let key = stage_key(stage, Feed::Chain(chain));
    let stamp = store.get(Table::Stage, &key)?;
    let place = stamp.as_deref().map(|bytes| Place::decode(&key, bytes)).transpose()?;
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
            pending.extend(rows.iter().flat_map(|(_, row)| &row.changes).filter_map(Change::range));
        }
    }
    Ok(Standing { pending, stamp })
}

/// Number of the next row that the stage of that name takes of a feed: all before it are in what it
/// made. `None` before its first step, and while it is built anew.
///
/// # Errors
/// Those of [`Store::get`].
pub fn load_cursor(store: &dyn Store, stage: &str, feed: Feed) -> Result<Option<u64>, StoreError> {
    let key = stage_key(stage, feed);
    let bytes = store.get(Table::Stage, &key)?;
    let place = bytes.map(|bytes| Place::decode(&key, &bytes)).transpose()?;
    Ok(place.filter(|place| place.built_to.is_none()).map(|place| place.cursor))
}

/// Takes one stage along one feed. Of two that take the same one, one gets
/// [`StoreError::Conflict`]: each commit expects the place that the step began with.
pub struct Follower<S> {
    store: Arc<dyn Store>,
    feed: Feed,
    stage: S,
}

impl<S: Stage> Follower<S> {
    /// Takes the stage on from where it was, or from the beginning.
    #[must_use]
    pub const fn new(store: Arc<dyn Store>, feed: Feed, stage: S) -> Self {
        Self { store, feed, stage }
    }

    /// The stage.
    #[must_use]
    pub const fn stage(&self) -> &S {
        &self.stage
    }

    /// The cursor: number of the next row to take. `None` before the first step, and while the stage is
    /// built anew.
    ///
    /// # Errors
    /// Those of [`Store::get`].
    pub fn cursor(&self) -> Result<Option<u64>, StoreError> {
        load_cursor(&*self.store, self.stage.name(), self.feed)
    }

    /// Takes some rows, or some of the blocks that a stage is built of: one commit at most.
    ///
    /// # Errors
    /// The store's, or the stage's own. The next step takes the same again.
    pub fn step(&mut self) -> Result<Progress, S::Error> {
        let before = self.place()?;
        let mut batch = Batch::new();
        let (after, progress) = match self.feed {
            Feed::Chain(chain) => {
                let Some(bounds) = load_bounds(&*self.store, chain)? else {
                    return Ok(Progress::Idle);
                };
                self.follow(chain, begun(before, bounds), &mut batch)?
            }
            Feed::Publications => self.follow_publications(before, &mut batch)?,
        };
        if progress == Progress::Idle {
            return Ok(progress);
        }
        let key = self.key();
        let expected = before.map(Place::encode);
        batch.expect(Table::Stage, key.clone(), expected.as_deref());
        batch.put(Table::Stage, key, after.encode());
        self.store.commit(batch)?;
        Ok(progress)
    }

    fn follow(
        &mut self,
        chain: ChainKey,
        mut place: Place,
        batch: &mut Batch,
    ) -> Result<(Place, Progress), S::Error> {
        let store = Arc::clone(&self.store);
        if place.is_clearing {
            place.is_clearing = !self.stage.clear(&*store, self.feed, batch)?;
            return Ok((place, Progress::Rebuilt { blocks: 0 }));
        }
        let (mut changes, mut rows, mut blocks) = (Vec::new(), 0, 0);
        for (number, row) in load_rows(&*store, chain, place.cursor, ROWS_MAX)? {
            let more: u64 = row.changes.iter().map(Change::block_count).sum();
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
            _ if rows > 0 => Progress::Advanced { rows },
            None => Progress::Idle,
            Some(from) => {
                let blocks;
                (changes, blocks, place.built_to) = load_held(&*store, chain, from)?;
                Progress::Rebuilt { blocks }
            }
        };
        if !changes.is_empty() {
            self.stage.apply(&*store, self.feed, &changes, batch)?;
        }
        Ok((place, progress))
    }

    fn follow_publications(
        &mut self,
        before: Option<Place>,
        batch: &mut Batch,
    ) -> Result<(Place, Progress), S::Error> {
        let at_first = Place { cursor: 0, built_to: None, is_clearing: false };
        let mut place = before.unwrap_or(at_first);
        let published = load_publications(&*self.store, place.cursor, ROWS_MAX)?;
        let Some((last, _)) = published.last() else { return Ok((place, Progress::Idle)) };
        place.cursor = last + 1;
        let rows = published.len();
        let published = published.into_iter();
        let changes: Vec<_> =
            published.map(|(sequence, hash)| Change::Published { sequence, hash }).collect();
        self.stage.apply(&*self.store, self.feed, &changes, batch)?;
        Ok((place, Progress::Advanced { rows }))
    }

    fn place(&self) -> Result<Option<Place>, StoreError> {
        let key = self.key();
        let bytes = self.store.get(Table::Stage, &key)?;
        bytes.map(|bytes| Place::decode(&key, &bytes)).transpose()
    }

    fn key(&self) -> Vec<u8> {
        stage_key(self.stage.name(), self.feed)
    }
}

/// Where a step begins: a stage that is new, or whose next row was pruned, is built anew. What changes
/// meanwhile is followed from the newest row on.
fn begun(before: Option<Place>, bounds: Bounds) -> Place {
    match before {
        Some(place) if place.cursor >= bounds.oldest => place,
        before => Place {
            cursor: bounds.next,
            built_to: Some(BlockNumber(0)),
            is_clearing: before.is_some(),
        },
    }
}

/// What is held of a chain from a number on, as changes: some blocks, how many they are, and where to go
/// on.
fn load_held(
    store: &dyn Store,
    chain: ChainKey,
    from: BlockNumber,
) -> Result<(Vec<Change>, usize, Option<BlockNumber>), StoreError> {
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
            changes.taken(Tip { number: *number, hash: row.hash });
        }
    }
    let last = blocks.last().filter(|_| blocks.len() == limit);
    Ok((changes.into_vec(), blocks.len(), last.map(|(number, _)| BlockNumber(number.0 + 1))))
}
