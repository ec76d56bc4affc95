//! What a store keeps of SuperRoots that were published, that it lacks, and that are to come out again.
//!
//! ```text
//! Meta "repeat"               goal:u64, sequence of the last of them; written first
//! Meta "repeat/" sequence     length:u32 ‖ record ‖ length:u32 ‖ registry ‖ note
//! ```
//! As long as there is a goal above the newest SuperRoot, nothing is published anew.

use superroot_proof::consistency::Blob;
use superroot_proof::note::{Checkpoint, TrustPolicy, VerifierKey};
use superroot_proof::registry::Registry;
use superroot_proof::superroot::History;
use superroot_store::layout::ChainState;
use superroot_store::{Batch, Store, Table, read, write};

use crate::AccumulateError;
use crate::nodes::{Growing, Range};
use crate::record::{Published, decode_registry, encode_registry};
use crate::recorded::{load_last, load_note, load_published, load_registry};

const GOAL: &[u8] = b"repeat";
const TARGET: &[u8] = b"repeat/";

/// A SuperRoot that was published, with its rows and its note: what cannot be computed anew.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Target {
    /// The SuperRoot, and everything behind it.
    pub published: Published,
    /// Its rows.
    pub registry: Registry,
    /// The signed note of its size.
    pub note: String,
}

impl Target {
    /// Sequence of the SuperRoot.
    #[must_use]
    pub const fn sequence(&self) -> u64 {
        self.published.super_root.sequence
    }

    /// The SuperRoot of a blob. Nothing of it is checked here: see [`Successors::take`].
    #[must_use]
    pub fn of_blob(blob: Blob, note: String) -> Self {
        let Blob { super_root, mini_mmrs, references, history, registry, .. } = blob;
        let (hash, registry_root) = (super_root.hash(), registry.root());
        let published =
            Published { super_root, hash, mini_mmrs, references, history, registry_root };
        Self { published, registry, note }
    }

    /// The SuperRoot of that sequence as a store holds it; `None` where it or its note is not there.
    ///
    /// # Errors
    /// [`AccumulateError::Corrupt`] for rows that cannot be read; the store's.
    pub fn load(store: &dyn Store, sequence: u64) -> Result<Option<Self>, AccumulateError> {
        let Some(published) = load_published(store, sequence)? else { return Ok(None) };
        let Some(note) = load_note(store, sequence + 1)? else { return Ok(None) };
        let registry = load_registry(store, &published)?;
        Ok(Some(Self { published, registry, note: note.to_string() }))
    }

    fn encode(&self) -> Vec<u8> {
        let (record, registry) = (self.published.encode(), encode_registry(&self.registry));
        // both have at most 45 rows
        let length = |part: &[u8]| u32::try_from(part.len()).unwrap_or(u32::MAX).to_be_bytes();
        let lengths = [length(&record), length(&registry)];
        [&lengths[0], &*record, &lengths[1], &*registry, self.note.as_bytes()].concat()
    }

    fn decode(bytes: &[u8]) -> Option<Self> {
        let (record, rest) = part(bytes)?;
        let (registry, note) = part(rest)?;
        let note = String::from_utf8(note.to_vec()).ok()?;
        let published = Published::decode(record)?;
        let registry = decode_registry(registry)?;
        (registry.root() == published.registry_root).then_some(Self { published, registry, note })
    }
}

fn part(bytes: &[u8]) -> Option<(&[u8], &[u8])> {
    let (length, rest) = bytes.split_first_chunk()?;
    rest.split_at_checked(usize::try_from(u32::from_be_bytes(*length)).ok()?)
}

/// SuperRoots behind the newest of a store, each checked to be the next of the same log.
pub struct Successors<'a> {
    store: &'a dyn Store,
    key: VerifierKey,
    last: Option<Published>,
    history: Growing<'a>,
}

impl<'a> Successors<'a> {
    /// After the newest SuperRoot that this store holds, of the log which that key signs.
    ///
    /// # Errors
    /// The store's.
    pub fn of(store: &'a dyn Store, key: VerifierKey) -> Result<Self, AccumulateError> {
        let history = Growing::over(Range::History, store);
        Ok(Self { store, key, last: load_last(store)?, history })
    }

    /// Sequence of the SuperRoot that comes next.
    #[must_use]
    pub fn next(&self) -> u64 {
        self.last.as_ref().map_or(0, |last| last.super_root.sequence + 1)
    }

    /// Takes the next SuperRoot: its note is of the log's key and says the root of a history that ends
    /// in it, and it commits to everything before it. That the log's other rules hold is seen when it
    /// comes out again.
    ///
    /// # Errors
    /// [`AccumulateError::Target`] naming what does not fit; the store's.
    pub fn take(&mut self, batch: &mut Batch, target: &Target) -> Result<(), AccumulateError> {
        let sequence = target.sequence();
        let wrong = |why: &str| AccumulateError::Target { sequence, why: why.to_owned() };
        let Published { super_root, history, references, .. } = &target.published;
        if sequence != self.next() {
            return Err(wrong("another one comes next"));
        }
        if target.published.tree().root() != super_root.tree_root
            || target.published.hash != super_root.hash()
            || target.published.registry_root != target.registry.root()
        {
            return Err(wrong("what is behind it does not give its root"));
        }
        if let Some(last) = &self.last {
            let before = &last.super_root;
            if before.log_id != super_root.log_id || before.timestamp > super_root.timestamp {
                return Err(wrong("it does not follow the one before"));
            }
            self.history.append(before.sequence, History::leaf(before))?;
        }
        let log_root = self.history.root(sequence)?;
        if *history != (History { leaf_count: sequence, log_root }) {
            return Err(wrong("it has another history than this folder: the log has forked"));
        }
        let mut after = self.history.clone();
        after.append(sequence, History::leaf(super_root))?;
        let checkpoint = Checkpoint::of_note(&target.note, &self.key, &TrustPolicy::none());
        let checkpoint = checkpoint.map_err(|error| wrong(&error.to_string()))?;
        if (checkpoint.size, checkpoint.root) != (sequence + 1, after.root(sequence + 1)?) {
            return Err(wrong("its note is about another history"));
        }
        // a chain without a block here is collected from where the log's newest SuperRoot has it
        for (_, reference) in references {
            let chain = reference.chain;
            let state = read::load_chain_state(self.store, chain)?;
            if state.is_none_or(|state| state == ChainState::empty(state.start)) {
                write::put_chain_state(batch, chain, &ChainState::empty(reference.start));
            }
        }
        batch.put(Table::Meta, key(sequence), target.encode());
        self.last = Some(target.published.clone());
        Ok(())
    }
}

fn key(sequence: u64) -> Vec<u8> {
    [TARGET, &sequence.to_be_bytes()].concat()
}

/// Says up to which SuperRoot a log is to be repeated: nothing is published anew before it stands.
pub fn put_goal(batch: &mut Batch, sequence: u64) {
    batch.put(Table::Meta, GOAL, sequence.to_be_bytes());
}

/// Sequence of the last SuperRoot that is to be repeated; `None` where none is.
///
/// # Errors
/// [`AccumulateError::Corrupt`] where the row is none; the store's.
pub fn load_goal(store: &dyn Store) -> Result<Option<u64>, AccumulateError> {
    let Some(row) = store.get(Table::Meta, GOAL)? else { return Ok(None) };
    let goal = row.try_into().map(u64::from_be_bytes);
    goal.map(Some).map_err(|_| AccumulateError::corrupt("the goal of a restore is malformed"))
}

/// The SuperRoot of that sequence, where it is to be repeated.
pub(crate) fn load_target(
    store: &dyn Store,
    sequence: u64,
) -> Result<Option<Target>, AccumulateError> {
    let Some(row) = store.get(Table::Meta, &key(sequence))? else { return Ok(None) };
    let target = Target::decode(&row).filter(|target| target.sequence() == sequence);
    let what = || AccumulateError::corrupt(format!("SuperRoot {sequence} to repeat is malformed"));
    target.map(Some).ok_or_else(what)
}

/// Forgets a SuperRoot that has come out again, and the goal with the last one.
pub(crate) fn forget_target(batch: &mut Batch, sequence: u64, goal: u64) {
    batch.delete(Table::Meta, key(sequence));
    if sequence >= goal {
        batch.delete(Table::Meta, GOAL);
    }
}
