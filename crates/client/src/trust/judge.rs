//! Whether a proof that holds leads to what is trusted.

use superroot_proof::bundle::{Facts, ShownNote};
use superroot_proof::note::{Checkpoint, CheckpointError, Evidence, Note, TrustPolicy};
use superroot_proof::superroot::SuperRoot;

use super::{Distrust, KeySource, LogKey, TrustStore, TrustedLog};

/// Why a proof is trusted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Trusted {
    /// By what.
    pub by: TrustedBy,
    /// Whether the log's key was taken from the service at first use, and never confirmed.
    pub first_use: bool,
    /// Whether the policy asks for witnesses, and their quorum signed the note that the proof carries.
    pub witnessed: bool,
}

/// What leads to a SuperRoot.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TrustedBy {
    /// It is pinned.
    Pin,
    /// The pinned key signed a log of that size that holds it, and the policy's witnesses with it. That
    /// log was joined to the pin.
    Joined {
        /// Size of the log.
        size: u64,
    },
    /// The same, of a log past the newest pin, with which it was not compared yet.
    NotJoined {
        /// Size of the log.
        size: u64,
    },
}

impl TrustStore {
    /// Judges what a proof has shown.
    ///
    /// # Errors
    /// [`Distrust`]: what is pinned says nothing of it, or otherwise.
    pub fn judge(&self, facts: &Facts) -> Result<Trusted, Distrust> {
        let Some(super_root) = &facts.super_root else {
            return Err(Distrust::NoSuperRoot { level: facts.level });
        };
        let origin = || facts.origin.clone();
        let log =
            self.log(&facts.origin).ok_or_else(|| Distrust::UnknownLog { origin: origin() })?;
        log.check_withdrawn(facts)?;
        let is_pinned = log.is_pinned(super_root)?;
        let first_use = log.key.as_ref().is_some_and(|key| key.source == KeySource::FirstUse);
        let sequence = super_root.sequence;
        let mut witnessed = false;
        let by = match (&log.key, &facts.note) {
            (Some(key), Some(shown)) => {
                log.check_one_history(key, shown)?;
                match key.check(&shown.note, &shown.checkpoint) {
                    Ok(()) => witnessed = key.asks_for_witnesses(),
                    Err(_) if is_pinned => {}
                    Err(error) => return Err(error.into()),
                }
                if is_pinned { TrustedBy::Pin } else { log.relation(shown.checkpoint.size)? }
            }
            _ if is_pinned => TrustedBy::Pin,
            (Some(_), None) => return Err(Distrust::NoNote { origin: origin(), sequence }),
            (None, _) => return Err(Distrust::NoKey { origin: origin(), sequence }),
        };
        let first_use = first_use && log.pins.iter().all(|pin| pin.note.is_some());
        Ok(Trusted { by, first_use, witnessed })
    }
}

impl LogKey {
    /// Checks that the key signed a note, and the policy's witnesses with it.
    pub(super) fn check(
        &self,
        note: &Note,
        checkpoint: &Checkpoint,
    ) -> Result<(), CheckpointError> {
        checkpoint.check_signed(note, &self.key, &self.policy)
    }
}

impl TrustedLog {
    /// What the newest pin's registry withdraws is true no more, under whichever SuperRoot.
    fn check_withdrawn(&self, facts: &Facts) -> Result<(), Distrust> {
        let (chain, number) = (facts.statement.chain, facts.statement.number);
        let profile = self.registry.iter().find(|profile| profile.chain == chain);
        let from = profile.and_then(superroot_proof::registry::Profile::withdrawn_from);
        match (from, self.pins.last()) {
            (Some(from), Some(pin)) if from <= number.0 => {
                Err(Distrust::Withdrawn { chain, number, pin: pin.sequence })
            }
            _ => Ok(()),
        }
    }

    /// Whether the SuperRoot is among the pins.
    fn is_pinned(&self, super_root: &SuperRoot) -> Result<bool, Distrust> {
        let (sequence, got) = (super_root.sequence, super_root.hash());
        let Some(pin) = self.pins.iter().find(|pin| pin.sequence == sequence) else {
            return Ok(false);
        };
        let (origin, pinned) = (self.origin.clone(), pin.super_root_hash);
        if pinned == got { Ok(true) } else { Err(Distrust::Fork { origin, sequence, pinned, got }) }
    }

    /// A log signs one root a size: where the pinned key signed another log under a pin's size, that
    /// contradicts the pin, whichever witnesses are missing.
    fn check_one_history(&self, key: &LogKey, shown: &ShownNote) -> Result<(), Distrust> {
        let ShownNote { note, checkpoint } = shown;
        let Some(own) = self.note_of_size(checkpoint.size) else { return Ok(()) };
        let is_signed = checkpoint.check_signed(note, &key.key, &TrustPolicy::none()).is_ok();
        let pinned = Note::parse(own).ok().and_then(|note| Checkpoint::parse(note.text()).ok());
        if is_signed && pinned.is_some_and(|pinned| pinned.root != checkpoint.root) {
            let (key, notes) = (key.key.clone(), [own.to_owned(), note.to_string()]);
            return Err(Distrust::TwoHistories(Box::new(Evidence { key, notes, entry: None })));
        }
        Ok(())
    }

    /// How a log of that size, which the key signed, stands to the pins: one at or below the newest has
    /// to be that of a pin.
    fn relation(&self, size: u64) -> Result<TrustedBy, Distrust> {
        if self.note_of_size(size).is_some() {
            return Ok(TrustedBy::Joined { size });
        }
        match self.pins.last() {
            Some(pin) if size <= pin.sequence.saturating_add(1) => {
                Err(Distrust::OlderNote { size, pin: pin.sequence })
            }
            Some(_) | None => Ok(TrustedBy::NotJoined { size }),
        }
    }

    /// The note under which the last SuperRoot of a log of that size was pinned.
    fn note_of_size(&self, size: u64) -> Option<&str> {
        let pin = self.pins.iter().find(|pin| pin.sequence.checked_add(1) == Some(size));
        pin?.note.as_deref()
    }
}
