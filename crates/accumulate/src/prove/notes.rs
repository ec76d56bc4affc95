//! Who signed the log that a proof ends in.

use superroot_proof::bundle::{Bundle, NotePath};
use superroot_proof::superroot::{History, SuperRoot};
use superroot_types::Hash;

use super::{ProveError, Prover, Which};
use crate::nodes::{Growing, Range};
use crate::record::Published;

impl Prover {
    /// The SuperRoot in which a proof with a note ends, where none is named: where witnesses are
    /// configured, the newest that their quorum signed, so that the note holds it.
    ///
    /// # Errors
    /// As [`Prover::note`].
    pub fn noted(&self) -> Result<Which, ProveError> {
        let cosigned = self.cosigned_note()?.and_then(|(size, _)| size.checked_sub(1));
        Ok(cosigned.map_or(Which::Latest, Which::Sequence))
    }

    /// The same proof with the newest note whose log holds its SuperRoot, cosigned by the quorum where
    /// there is such a one; as it is where nobody signs the log, and below level 5.
    ///
    /// # Errors
    /// [`ProveError::Corrupt`]; the store's.
    pub fn with_note(&self, bundle: Bundle) -> Result<Bundle, ProveError> {
        let super_root = bundle.super_root().map(|proof| SuperRoot::decode(&proof.preimage));
        let Some(super_root) = super_root.and_then(Result::ok) else { return Ok(bundle) };
        let newest = self.published(Which::Latest)?.super_root.sequence + 1;
        let cosigned = self.cosigned_note()?.filter(|(size, _)| *size > super_root.sequence);
        let note = match cosigned {
            Some(cosigned) => Some(cosigned),
            None => self.note(newest)?.map(|note| (newest, note)),
        };
        let Some((size, note)) = note else { return Ok(bundle) };
        let siblings = self.history_path(super_root.sequence, size)?;
        Ok(bundle.with_note(NotePath { note: note.to_string(), siblings }))
    }

    /// The note of the log that a SuperRoot ends, and its path there. The note has the log's own
    /// signatures alone, which never change, while cosignatures may come later. `None` where nobody
    /// signed it.
    ///
    /// # Errors
    /// As [`Prover::note`].
    pub fn own_note(&self, published: &Published) -> Result<Option<NotePath>, ProveError> {
        let top = self.top(published)?;
        if let Some(note) = top.note.get() {
            return Ok(Some(note.clone()));
        }
        let sequence = published.super_root.sequence;
        let size = sequence + 1;
        let Some(note) = self.note(size)? else { return Ok(None) };
        let note = note.signed_as(self.origin()).to_string();
        let siblings = self.history_path(sequence, size)?;
        Ok(Some(top.note.get_or_init(|| NotePath { note, siblings }).clone()))
    }

    /// Path of a SuperRoot in the log of that size, which the newest SuperRoot at most fills.
    fn history_path(&self, sequence: u64, size: u64) -> Result<Vec<Hash>, ProveError> {
        let mut history = Growing::over(Range::History, &*self.store);
        // the newest entry itself is appended with the SuperRoot after it
        if let Some(latest) = self.latest().filter(|latest| latest.super_root.sequence + 1 == size)
        {
            history.append(size - 1, History::leaf(&latest.super_root))?;
        }
        Ok(history.inclusion(sequence, size)?)
    }
}
