//! The log's notes: one for each size, in the commit with its SuperRoot.

use superroot_proof::note::{Checkpoint, KeyKind, Note, Signer};
use superroot_proof::superroot::{SuperRoot, SuperRootHistory};
use superroot_store::{ScanOrder, Store, Table, WriteBatch, read, write};
use superroot_types::{Hash, LogSize};

use crate::evm_signer::{EvmSigner, load_evm_signature};
use crate::nodes::{GrowingRange, NodeRange};
use crate::record::log_size;
use crate::recorded::{load_last, load_note};
use crate::target::load_goal;
use crate::{AccumulateError, Accumulator};

impl Accumulator {
    /// Signs every SuperRoot from now on, in the publishing commit: with one key, or during a key change with the old
    /// and the new one. Also signs the newest SuperRoot, if unsigned.
    ///
    /// # Errors
    /// [`AccumulateError::Signer`] for a key of another origin or of a witness; store errors.
    pub fn signed_by(mut self, signers: Vec<Signer>) -> Result<Self, AccumulateError> {
        let origin = self.board.origin().to_owned();
        for signer in &signers {
            let key = signer.verifier();
            if key.kind() != KeyKind::Log || key.name() != origin {
                let got = key.to_string();
                let expected = origin;
                return Err(AccumulateError::Signer { got, expected });
            }
        }
        self.board = self.board.signed_by(signers.iter().map(|signer| signer.verifier().clone()));
        self.signers = signers;
        if let Some(last) = self.last.clone()
            && read::load_note(&*self.store, last.log_size()?)?.is_none()
        {
            let mut batch = WriteBatch::new();
            let nodes = GrowingRange::over(NodeRange::History, &*self.store);
            self.put_note(&mut batch, nodes, &last.super_root)?;
            self.store.commit(batch).map_err(AccumulateError::commit)?;
        }
        Ok(self)
    }

    /// Signs every SuperRoot for contracts from now on, in the publishing commit; and the newest one, if unsigned.
    ///
    /// # Errors
    /// Store errors.
    pub fn signed_for_contracts_by(mut self, signer: EvmSigner) -> Result<Self, AccumulateError> {
        if let Some(last) = self.last.clone()
            && load_evm_signature(&*self.store, last.super_root.sequence)?.is_none()
        {
            let mut batch = WriteBatch::new();
            signer.put(&mut batch, &last.super_root)?;
            self.store.commit(batch).map_err(AccumulateError::commit)?;
        }
        self.evm_signer = Some(signer);
        Ok(self)
    }

    /// Puts a SuperRoot's note into the publishing batch. `nodes`: history nodes before this SuperRoot.
    pub(crate) fn put_note(
        &self,
        batch: &mut WriteBatch,
        mut nodes: GrowingRange<'_>,
        super_root: &SuperRoot,
    ) -> Result<(), AccumulateError> {
        let size = log_size(Some(super_root))?;
        nodes.append(super_root.sequence.history(), SuperRootHistory::leaf(super_root))?;
        let origin = self.board.origin().to_owned();
        let root = nodes.root(size.leaf_count())?;
        let text = Checkpoint { origin, size, root }.to_string();
        let notes = self.signers.iter().map(|signer| signer.sign(&text, 0));
        if let Some(note) = notes.reduce(|note, other| note.joined(&other)) {
            write::put_note(batch, size, note.to_string());
        }
        Ok(())
    }

    /// Root over the first `size` log entries, as in the note of this size; `None` past the newest SuperRoot.
    pub fn history_root(&self, size: LogSize) -> Result<Option<Hash>, AccumulateError> {
        let Some(newest) = self.newest().map(|newest| &newest.super_root) else {
            return if size == LogSize::EMPTY {
                NodeRange::History.root(&*self.store, size.leaf_count()).map(Some)
            } else {
                Ok(None)
            };
        };
        if size > log_size(Some(newest))? {
            return Ok(None);
        }
        // the newest entry itself is stored with the SuperRoot after it
        let mut history = GrowingRange::over(NodeRange::History, &*self.store);
        history.append(newest.sequence.history(), SuperRootHistory::leaf(newest))?;
        history.root(size.leaf_count()).map(Some)
    }

    /// This size's signed note; `None` if unsigned, [`AccumulateError::Corrupt`] if unreadable.
    pub fn note(&self, size: LogSize) -> Result<Option<Note>, AccumulateError> {
        load_note(&*self.store, size)
    }
}

/// Note of the newest SuperRoot; `None` without a SuperRoot or if unsigned, [`AccumulateError::Corrupt`] if unreadable.
pub fn newest_note(store: &dyn Store) -> Result<Option<Note>, AccumulateError> {
    match load_last(store)? {
        Some(last) => load_note(store, last.log_size()?),
        None => Ok(None),
    }
}

/// Whether the log was ever signed, or has signed SuperRoots to repeat.
pub fn is_signed(store: &dyn Store) -> Result<bool, AccumulateError> {
    let has_note = !store.scan(Table::Note, b"", None, 1, ScanOrder::Rising)?.is_empty();
    Ok(has_note || load_goal(store)?.is_some())
}
