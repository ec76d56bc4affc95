//! Note selection: signers of the log at the end of a proof.

use superroot_proof::bundle::{Bundle, NotePath};
use superroot_proof::superroot::{SuperRoot, SuperRootHistory};
use superroot_types::{Hash, LogSize, Sequence, SuperRootRef};

use super::error::ProveError;
use super::prover::Prover;
use crate::nodes::{GrowingRange, NodeRange};
use crate::record::Published;

impl Prover {
    /// Default SuperRoot for a proof with a note: with configured witnesses, the newest one signed by their quorum, so
    /// that the note includes the SuperRoot.
    pub fn noted(&self) -> Result<SuperRootRef, ProveError> {
        let cosigned = self.cosigned_note()?.and_then(|(size, _)| size.newest());
        Ok(cosigned.map_or(SuperRootRef::Latest, SuperRootRef::Sequence))
    }

    /// Adds to a proof the newest note whose log includes the proof's SuperRoot, cosigned by the quorum if possible.
    /// Unsigned logs and proofs below level 5 stay unchanged.
    pub fn with_note(&self, bundle: Bundle) -> Result<Bundle, ProveError> {
        let super_root = bundle.super_root().map(|proof| SuperRoot::decode(&proof.preimage));
        let Some(super_root) = super_root.and_then(Result::ok) else { return Ok(bundle) };
        let newest = self.published(SuperRootRef::Latest)?.log_size()?;
        let cosigned = self.cosigned_note()?.filter(|(size, _)| size.holds(super_root.sequence));
        let note = match cosigned {
            Some(cosigned) => Some(cosigned),
            None => self.note(newest)?.map(|note| (newest, note)),
        };
        let Some((size, note)) = note else { return Ok(bundle) };
        let siblings = self.history_path(super_root.sequence, size)?;
        Ok(bundle.with_note(NotePath { note: note.to_string(), siblings }))
    }

    /// Note of the log that ends in this SuperRoot, with the path. The note has only the log's own signatures, which
    /// never change; cosignatures may come later. `None` if unsigned.
    pub fn own_note(&self, published: &Published) -> Result<Option<NotePath>, ProveError> {
        let top = self.top(published)?;
        if let Some(note) = top.note.get() {
            return Ok(Some(note.clone()));
        }
        let sequence = published.super_root.sequence;
        let size = published.log_size()?;
        let Some(note) = self.note(size)? else { return Ok(None) };
        let note = note.signed_as(self.origin()).to_string();
        let siblings = self.history_path(sequence, size)?;
        Ok(Some(top.note.get_or_init(|| NotePath { note, siblings }).clone()))
    }

    /// Path of a SuperRoot in the log of this size; at most the newest SuperRoot fills the log.
    fn history_path(&self, sequence: Sequence, size: LogSize) -> Result<Vec<Hash>, ProveError> {
        let mut history = GrowingRange::over(NodeRange::History, &*self.store);
        // the newest entry itself is appended with the SuperRoot after it
        let latest = self.latest().map(|latest| latest.super_root);
        if let Some(latest) = latest.filter(|latest| Some(latest.sequence) == size.newest()) {
            history.append(latest.sequence.history(), SuperRootHistory::leaf(&latest))?;
        }
        Ok(history.inclusion(sequence.leaf_index(), size.leaf_count())?)
    }
}
