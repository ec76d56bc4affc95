//! Cosignatures of witnesses, joined into the notes that they are about.

use std::sync::{Arc, Mutex, PoisonError};

use superroot_proof::note::{Note, TrustPolicy, VerifierKey};
use superroot_store::{Batch, Store, Table, read, write};

use crate::AccumulateError;
use crate::board::Board;

/// Row of `Meta` with the size of the newest note that met the policy.
const COSIGNED: &[u8] = b"cosigned_size";

/// Keeps what witnesses of a log sign. The text of a note and the log's own signature never change;
/// of a witness the first cosignature of a size stays.
pub struct Cosigners {
    store: Arc<dyn Store>,
    board: Board,
    policy: TrustPolicy,
    /// Held from reading a note until it is written.
    lock: Mutex<()>,
}

impl Cosigners {
    /// Keeps them for the log on that board. The newest note that the policy's quorum cosigned is
    /// shown at once, where the policy still is met.
    ///
    /// # Errors
    /// [`AccumulateError::Corrupt`] for rows that are no note; the store's.
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

    /// Joins the cosignature of that witness into the note of that size; where it has one already,
    /// nothing changes. It is there for good, and shown, when this returns.
    ///
    /// # Errors
    /// [`AccumulateError::Cosignature`] where the log has no note of that size or the key did not sign
    /// its text; [`AccumulateError::Conflict`] where another process writes; the store's.
    pub fn keep(
        &self,
        size: u64,
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
        let mut batch = Batch::new();
        write::replace_note(&mut batch, size, &row, joined.to_string());
        let newest = self.newest()?;
        if self.meets(&joined) && newest.is_none_or(|newest| newest < size) {
            let expected = newest.map(u64::to_be_bytes);
            let expected = expected.as_ref().map(<[u8; 8]>::as_slice);
            batch.expect(Table::Meta, COSIGNED, expected);
            batch.put(Table::Meta, COSIGNED, size.to_be_bytes());
        }
        self.store.commit(batch).map_err(AccumulateError::commit)?;
        self.show(size, &joined);
        Ok(())
    }

    /// A policy without a quorum is met by any note: such a one says nothing of witnesses.
    fn meets(&self, note: &Note) -> bool {
        self.policy.asks_for_witnesses() && self.policy.is_met(note)
    }

    fn show(&self, size: u64, note: &Note) {
        if self.meets(note) {
            self.board.show_cosigned(size);
        }
    }

    fn newest(&self) -> Result<Option<u64>, AccumulateError> {
        let Some(row) = self.store.get(Table::Meta, COSIGNED)? else { return Ok(None) };
        let size = row.try_into().map(u64::from_be_bytes);
        size.map(Some).map_err(|_| AccumulateError::corrupt("the cosigned size is malformed"))
    }

    /// The note of a size, as it is stored and as it is read.
    fn load(&self, size: u64) -> Result<Option<(Vec<u8>, Note)>, AccumulateError> {
        let Some(row) = read::load_note(&*self.store, size)? else { return Ok(None) };
        let note = std::str::from_utf8(&row).ok().and_then(|text| Note::parse(text).ok());
        let what = || AccumulateError::corrupt(format!("the note of size {size} is none"));
        note.map(|note| Some((row, note))).ok_or_else(what)
    }
}
