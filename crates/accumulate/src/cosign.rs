//! Cosignatures, merged into their notes.

use std::sync::{Arc, Mutex, PoisonError};

use superroot_proof::note::{Note, TrustPolicy, VerifierKey};
use superroot_store::{Store, Table, WriteBatch, read, write};
use superroot_types::LogSize;

use crate::AccumulateError;
use crate::board::Board;

/// `Meta` row: size of the newest note that met the policy.
const COSIGNED: &[u8] = b"cosigned_size";

/// Store for witness cosignatures. The note text and the log's own signature never change; for each witness and size,
/// the first cosignature stays.
pub struct Cosigners {
    store: Arc<dyn Store>,
    board: Board,
    policy: TrustPolicy,
    /// Locked from reading a note until the note is written.
    lock: Mutex<()>,
}

impl Cosigners {
    /// Opens the cosignatures for the log on this board; [`AccumulateError::Corrupt`] for unreadable notes. Shows the
    /// newest note cosigned by the policy's quorum at once, if the policy is still met.
    pub fn open(
        store: Arc<dyn Store>,
        board: Board,
        policy: TrustPolicy,
    ) -> Result<Self, AccumulateError> {
        let cosigners = Self { store, board, policy, lock: Mutex::new(()) };
        if let Some(size) = cosigners.newest()?
            && let Some((_, note)) = cosigners.load(size)?
        {
            cosigners.show(size, &note);
        }
        Ok(cosigners)
    }

    /// Merges the witness's cosignature into the note of this size; a second cosignature by one witness changes
    /// nothing. On return, the cosignature is durable and shown.
    ///
    /// # Errors
    /// [`AccumulateError::Cosignature`] if the log has no note of this size, or the key did not sign the note text;
    /// [`AccumulateError::Conflict`] if another process writes; store errors.
    pub fn keep(
        &self,
        size: LogSize,
        witness: &VerifierKey,
        cosigned: &Note,
    ) -> Result<(), AccumulateError> {
        let refused = || AccumulateError::Cosignature { size, witness: witness.to_string() };
        let _held_until_written = self.lock.lock().unwrap_or_else(PoisonError::into_inner);
        let (row, note) = self.load(size)?.ok_or_else(refused)?;
        if note.verify(witness).is_ok() {
            return Ok(());
        }
        let joined = note.joined(&cosigned.signed_by([witness]));
        joined.verify(witness).map_err(|_| refused())?;
        let mut batch = WriteBatch::new();
        write::replace_note(&mut batch, size, &row, joined.to_string());
        let newest = self.newest()?;
        if self.meets(&joined) && newest.is_none_or(|newest| newest < size) {
            let expected = newest.map(|newest| newest.0.to_be_bytes());
            let expected = expected.as_ref().map(<[u8; 8]>::as_slice);
            batch.expect(Table::Meta, COSIGNED, expected);
            batch.put(Table::Meta, COSIGNED, size.0.to_be_bytes());
        }
        self.store.commit(batch).map_err(AccumulateError::commit)?;
        self.show(size, &joined);
        Ok(())
    }

    /// Whether a note meets a policy with witnesses. Without a quorum every note would meet the policy, so the result
    /// is false.
    fn meets(&self, note: &Note) -> bool {
        self.policy.asks_for_witnesses() && self.policy.is_met(note)
    }

    fn show(&self, size: LogSize, note: &Note) {
        if self.meets(note) {
            self.board.show_cosigned(size);
        }
    }

    fn newest(&self) -> Result<Option<LogSize>, AccumulateError> {
        let Some(row) = self.store.get(Table::Meta, COSIGNED)? else { return Ok(None) };
        let size = row.try_into().map(u64::from_be_bytes);
        size.map(|size| Some(LogSize(size)))
            .map_err(|_| AccumulateError::corrupt("the cosigned size is malformed"))
    }

    /// A size's note: stored bytes and parsed note.
    fn load(&self, size: LogSize) -> Result<Option<(Vec<u8>, Note)>, AccumulateError> {
        let Some(row) = read::load_note(&*self.store, size)? else { return Ok(None) };
        let note = std::str::from_utf8(&row).ok().and_then(|text| Note::parse(text).ok());
        let what = || AccumulateError::corrupt(format!("the note of size {size} is none"));
        note.map(|note| Some((row, note))).ok_or_else(what)
    }
}
