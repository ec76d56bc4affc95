//! Published SuperRoots missing in the store, to be repeated.
//!
//! ```text
//! Meta "repeat"               goal:u64, sequence of the last of them; written first
//! Meta "repeat/" sequence     length:u32 ‖ record ‖ length:u32 ‖ registry ‖ note
//! ```
//! While the goal is above the newest SuperRoot, no new SuperRoot is published.

use superroot_proof::consistency::Blob;
use superroot_proof::note::{Checkpoint, TrustPolicy, VerifierKey};
use superroot_proof::registry::LogRegistry;
use superroot_proof::superroot::SuperRootHistory;
use superroot_store::layout::ChainState;
use superroot_store::{Store, Table, WriteBatch, read, write};
use superroot_types::{LogSize, Sequence};

use crate::AccumulateError;
use crate::nodes::{GrowingRange, NodeRange};
use crate::record::{Published, decode_registry, encode_registry, log_size};
use crate::recorded::{load_last, load_note, load_published, load_registry};

const GOAL: &[u8] = b"repeat";
const TARGET: &[u8] = b"repeat/";

/// Published SuperRoot with rows and note: data that cannot be recomputed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PublishedTarget {
    /// SuperRoot with all preimages except the profiles.
    pub published: Published,
    pub registry: LogRegistry,
    /// Signed note of the SuperRoot's log size.
    pub note: String,
}

impl PublishedTarget {
    #[must_use]
    pub const fn sequence(&self) -> Sequence {
        self.published.super_root.sequence
    }

    /// SuperRoot from a blob, unchecked: see [`Successors::take`].
    #[must_use]
    pub fn of_blob(blob: Blob, note: String) -> Self {
        let Blob { super_root, mini_mmrs, references, history, registry, .. } = blob;
        let hash = super_root.hash();
        let registry_root = registry.root();
        let published =
            Published { super_root, hash, mini_mmrs, references, history, registry_root };
        Self { published, registry, note }
    }

    /// Stored SuperRoot by sequence; `None` if the SuperRoot or its note is absent, [`AccumulateError::Corrupt`] for
    /// unreadable rows.
    pub fn load(store: &dyn Store, sequence: Sequence) -> Result<Option<Self>, AccumulateError> {
        let Some(published) = load_published(store, sequence)? else { return Ok(None) };
        let size = published.log_size()?;
        let Some(note) = load_note(store, size)? else { return Ok(None) };
        let registry = load_registry(store, &published)?;
        Ok(Some(Self { published, registry, note: note.to_string() }))
    }

    fn encode(&self) -> Vec<u8> {
        let record = self.published.encode();
        let registry = encode_registry(&self.registry);
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

/// SuperRoots after a store's newest, each checked to be the next in the same log.
pub struct Successors<'a> {
    store: &'a dyn Store,
    key: VerifierKey,
    last: Option<Published>,
    size: LogSize,
    history: GrowingRange<'a>,
}

impl<'a> Successors<'a> {
    /// Starts after the newest SuperRoot in this store, in the log signed by this key.
    pub fn of(store: &'a dyn Store, key: VerifierKey) -> Result<Self, AccumulateError> {
        let history = GrowingRange::over(NodeRange::History, store);
        let last = load_last(store)?;
        let size = log_size(last.as_ref().map(|last| &last.super_root))?;
        Ok(Self { store, key, last, size, history })
    }

    /// Sequence of the next SuperRoot.
    #[must_use]
    pub const fn next(&self) -> Sequence {
        self.size.next()
    }

    /// Takes the next SuperRoot: the log's key signed its note, the note has the root of a history ending in the
    /// SuperRoot, and the SuperRoot commits to all earlier ones. Repeating the SuperRoot checks the other rules.
    ///
    /// # Errors
    /// [`AccumulateError::Target`] naming the mismatch; store errors.
    pub fn take(
        &mut self,
        batch: &mut WriteBatch,
        target: &PublishedTarget,
    ) -> Result<(), AccumulateError> {
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
            self.history.append(before.sequence.history(), SuperRootHistory::leaf(before))?;
        }
        let leaf_count = sequence.history();
        let log_root = self.history.root(leaf_count)?;
        if *history != (SuperRootHistory { leaf_count, log_root }) {
            return Err(wrong("it has another history than this folder: the log has forked"));
        }
        let mut after = self.history.clone();
        let size = log_size(Some(super_root))?;
        let leaf_count = after.append(leaf_count, SuperRootHistory::leaf(super_root))?;
        let checkpoint = Checkpoint::of_note(&target.note, &self.key, &TrustPolicy::none());
        let checkpoint = checkpoint.map_err(|error| wrong(&error.to_string()))?;
        if (checkpoint.size, checkpoint.root) != (size, after.root(leaf_count)?) {
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
        self.size = size;
        Ok(())
    }
}

fn key(sequence: Sequence) -> Vec<u8> {
    [TARGET, &sequence.0.to_be_bytes()].concat()
}

/// Sets the last SuperRoot to repeat: no new SuperRoot is published before.
pub fn put_goal(batch: &mut WriteBatch, sequence: Sequence) {
    batch.put(Table::Meta, GOAL, sequence.0.to_be_bytes());
}

/// Sequence of the last SuperRoot to repeat; `None` without a goal, [`AccumulateError::Corrupt`] for a malformed row.
pub fn load_goal(store: &dyn Store) -> Result<Option<Sequence>, AccumulateError> {
    let Some(row) = store.get(Table::Meta, GOAL)? else { return Ok(None) };
    let goal = row.try_into().map(u64::from_be_bytes);
    goal.map(|goal| Some(Sequence(goal)))
        .map_err(|_| AccumulateError::corrupt("the goal of a restore is malformed"))
}

/// Repeat target by sequence, if present.
pub(crate) fn load_target(
    store: &dyn Store,
    sequence: Sequence,
) -> Result<Option<PublishedTarget>, AccumulateError> {
    let Some(row) = store.get(Table::Meta, &key(sequence))? else { return Ok(None) };
    let target = PublishedTarget::decode(&row).filter(|target| target.sequence() == sequence);
    let what = || AccumulateError::corrupt(format!("SuperRoot {sequence} to repeat is malformed"));
    target.map(Some).ok_or_else(what)
}

/// Removes a repeated SuperRoot, and after the last one the goal.
pub(crate) fn forget_target(batch: &mut WriteBatch, sequence: Sequence, goal: Sequence) {
    batch.delete(Table::Meta, key(sequence));
    if sequence >= goal {
        batch.delete(Table::Meta, GOAL);
    }
}
