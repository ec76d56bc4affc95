//! Trust decision for a valid proof.

use superroot_proof::bundle::{Facts, ShownNote};
use superroot_proof::note::{Checkpoint, CheckpointError, ForkEvidence, Note, TrustPolicy};
use superroot_proof::superroot::SuperRoot;

use super::{Distrust, KeySource, LogKey, TrustStore, TrustedLog};

/// Reason why a proof is trusted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TrustReason {
    /// Trust basis.
    pub by: TrustedBy,
    /// Whether the log key was taken from the service at first use and never confirmed.
    pub first_use: bool,
    /// Whether the policy requires witnesses and their quorum signed the proof's note.
    pub witnessed: bool,
}

/// Trust basis for a SuperRoot.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TrustedBy {
    /// Pinned.
    Pin,
    /// The pinned key and the policy's witnesses signed a log with this size that includes the SuperRoot. The log was
    /// joined to the pin.
    Joined {
        /// Log size.
        size: u64,
    },
    /// As `Joined`, for a log past the newest pin, not compared with the pin yet.
    NotJoined {
        /// Log size.
        size: u64,
    },
}

impl TrustStore {
    /// Judges proven facts.
    ///
    /// # Errors
    /// [`Distrust`]: the pins say nothing about the facts, or contradict them.
    pub fn judge(&self, facts: &Facts) -> Result<TrustReason, Distrust> {
        let Some(super_root) = &facts.super_root else {
            return Err(Distrust::NoSuperRoot { level: facts.level });
        };
        let origin = || facts.origin.clone();
        let log =
            self.log(&facts.origin).ok_or_else(|| Distrust::UnknownLog { origin: origin() })?;
        log.check_withdrawn(facts)?;
        let is_pinned = log.is_pinned(super_root)?;
        let first_use = log.key.as_ref().is_some_and(|key| key.source == KeySource::FirstUse);
        let sequence = super_root.sequence.0;
        let mut witnessed = false;
        let by = match (&log.key, &facts.note) {
            (Some(key), Some(shown)) => {
                log.check_one_history(key, shown)?;
                match key.check(&shown.note, &shown.checkpoint) {
                    Ok(()) => witnessed = key.asks_for_witnesses(),
                    Err(_) if is_pinned => {}
                    Err(error) => return Err(error.into()),
                }
                if is_pinned { TrustedBy::Pin } else { log.relation(shown.checkpoint.size.0)? }
            }
            _ if is_pinned => TrustedBy::Pin,
            (Some(_), None) => return Err(Distrust::NoNote { origin: origin(), sequence }),
            (None, _) => return Err(Distrust::NoKey { origin: origin(), sequence }),
        };
        let first_use = first_use && log.pins.iter().all(|pin| pin.note.is_some());
        Ok(TrustReason { by, first_use, witnessed })
    }
}

impl LogKey {
    /// Checks a note's signatures by the key and the policy's witnesses.
    pub(super) fn check(
        &self,
        note: &Note,
        checkpoint: &Checkpoint,
    ) -> Result<(), CheckpointError> {
        checkpoint.check_signed(note, &self.key, &self.policy)
    }
}

impl TrustedLog {
    /// Refuses blocks withdrawn by the newest pin's registry, under any SuperRoot.
    fn check_withdrawn(&self, facts: &Facts) -> Result<(), Distrust> {
        let chain = facts.statement.chain;
        let number = facts.statement.number;
        let profile = self.registry.iter().find(|profile| profile.chain == chain);
        let from = profile.and_then(superroot_proof::registry::Profile::withdrawn_from);
        match (from, self.pins.last()) {
            (Some(from), Some(pin)) if from <= number.0 => {
                Err(Distrust::Withdrawn { chain, number, pin: pin.sequence })
            }
            _ => Ok(()),
        }
    }

    /// Whether the SuperRoot is pinned.
    fn is_pinned(&self, super_root: &SuperRoot) -> Result<bool, Distrust> {
        let sequence = super_root.sequence.0;
        let got = super_root.hash();
        let Some(pin) = self.pins.iter().find(|pin| pin.sequence == sequence) else {
            return Ok(false);
        };
        let origin = self.origin.clone();
        let pinned = pin.super_root_hash;
        if pinned == got { Ok(true) } else { Err(Distrust::Fork { origin, sequence, pinned, got }) }
    }

    /// A log signs one root per size: another root under a pin's size, signed by the pinned key, contradicts the pin
    /// even without witnesses.
    fn check_one_history(&self, key: &LogKey, shown: &ShownNote) -> Result<(), Distrust> {
        let ShownNote { note, checkpoint } = shown;
        let Some(own) = self.note_of_size(checkpoint.size.0) else { return Ok(()) };
        let is_signed = checkpoint.check_signed(note, &key.key, &TrustPolicy::none()).is_ok();
        let pinned = Note::parse(own).ok().and_then(|note| Checkpoint::parse(note.text()).ok());
        if is_signed && pinned.is_some_and(|pinned| pinned.root != checkpoint.root) {
            let key = key.key.clone();
            let notes = [own.to_owned(), note.to_string()];
            return Err(Distrust::TwoHistories(Box::new(ForkEvidence { key, notes, entry: None })));
        }
        Ok(())
    }

    /// Relation between a signed log size and the pins: a size at or below the newest must be a pin's.
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

    /// Note under which the last SuperRoot at this size was pinned.
    fn note_of_size(&self, size: u64) -> Option<&str> {
        let pin = self.pins.iter().find(|pin| pin.sequence.checked_add(1) == Some(size));
        pin?.note.as_deref()
    }
}
