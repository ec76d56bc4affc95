//! The log's notes: one for each size, in the commit of its SuperRoot.

use superroot_proof::note::{Checkpoint, KeyKind, Note, Signer};
use superroot_proof::superroot::{History, SuperRoot};
use superroot_store::{Batch, Direction, Store, Table, read, write};
use superroot_types::Hash;

use crate::nodes::{Growing, Range};
use crate::recorded::{load_last, load_note};
use crate::target::load_goal;
use crate::{AccumulateError, Accumulator};

impl Accumulator {
    /// Signs every SuperRoot from now on, in the commit that publishes it: with one key, or, while a key
    /// is changed, with the old and the new one. The newest SuperRoot is signed now, where nobody has.
    ///
    /// # Errors
    /// [`AccumulateError::Signer`] for a key of another origin or of a witness; else the store's error.
    pub fn signed_by(mut self, signers: Vec<Signer>) -> Result<Self, AccumulateError> {
        let origin = self.board.origin().to_owned();
        for signer in &signers {
            let key = signer.verifier();
            if key.kind() != KeyKind::Log || key.name() != origin {
                let (got, expected) = (key.to_string(), origin);
                return Err(AccumulateError::Signer { got, expected });
            }
        }
        self.board = self.board.signed_by(signers.iter().map(|signer| signer.verifier().clone()));
        self.signers = signers;
        if let Some(last) = self.last.clone()
            && read::load_note(&*self.store, last.super_root.sequence + 1)?.is_none()
        {
            let mut batch = Batch::new();
            let nodes = Growing::over(Range::History, &*self.store);
            self.put_note(&mut batch, nodes, &last.super_root)?;
            self.store.commit(batch).map_err(AccumulateError::commit)?;
        }
        Ok(self)
    }

    /// Puts the note of a SuperRoot into the batch that publishes it. `nodes` are those of the history
    /// before it.
    pub(crate) fn put_note(
        &self,
        batch: &mut Batch,
        mut nodes: Growing<'_>,
        super_root: &SuperRoot,
    ) -> Result<(), AccumulateError> {
        let size = super_root.sequence + 1;
        nodes.append(super_root.sequence, History::leaf(super_root))?;
        let (origin, root) = (self.board.origin().to_owned(), nodes.root(size)?);
        let text = Checkpoint { origin, size, root }.to_string();
        let notes = self.signers.iter().map(|signer| signer.sign(&text, 0));
        if let Some(note) = notes.reduce(|note, other| note.joined(&other)) {
            write::put_note(batch, size, note.to_string());
        }
        Ok(())
    }

    /// Root of the first `size` entries of the log, which its note of that size says; `None` past the
    /// newest SuperRoot.
    ///
    /// # Errors
    /// The store's.
    pub fn history_root(&self, size: u64) -> Result<Option<Hash>, AccumulateError> {
        let Some(newest) = self.newest().map(|newest| &newest.super_root) else {
            return if size == 0 {
                Range::History.root(&*self.store, 0).map(Some)
            } else {
                Ok(None)
            };
        };
        if size > newest.sequence + 1 {
            return Ok(None);
        }
        // the newest entry itself is stored with the SuperRoot after it
        let mut history = Growing::over(Range::History, &*self.store);
        history.append(newest.sequence, History::leaf(newest))?;
        history.root(size).map(Some)
    }

    /// The signed note of that size; `None` where nobody signed it.
    ///
    /// # Errors
    /// [`AccumulateError::Corrupt`] for a row that is no note; the store's.
    pub fn note(&self, size: u64) -> Result<Option<Note>, AccumulateError> {
        load_note(&*self.store, size)
    }
}

/// The note of a log's newest SuperRoot; `None` where there is no SuperRoot, or it was not signed.
///
/// # Errors
/// [`AccumulateError::Corrupt`] for a row that is none; the store's.
pub fn newest_note(store: &dyn Store) -> Result<Option<Note>, AccumulateError> {
    match load_last(store)? {
        Some(last) => load_note(store, last.super_root.sequence + 1),
        None => Ok(None),
    }
}

/// Whether a log was ever signed, or is to come out again as it was signed.
///
/// # Errors
/// The store's.
pub fn is_signed(store: &dyn Store) -> Result<bool, AccumulateError> {
    let has_note = !store.scan(Table::Note, b"", None, 1, Direction::Rising)?.is_empty();
    Ok(has_note || load_goal(store)?.is_some())
}
