//! Client trust: for each log its key, the required witnesses, and the newest verified SuperRoot.
//!
//! ```text
//! key, pinned once ──► every proof file with a note of that key (and of the policy's quorum)
//! newest SuperRoot ──► moves on by a note of that key, and then only by full consistency
//! its registry     ──► what it withdraws is true in no proof of that log any more
//! ```
//! A new store is empty: recorded and simulated logs must be added by name like any other. An unsigned log has pins set
//! by hand that never move.

mod error;
mod file;
mod judge;
mod row;
mod step;

pub use error::{Distrust, TrustError};
pub use file::FILE_BYTES_MAX;
pub use judge::{TrustReason, TrustedBy};
pub use step::{PendingAdvance, PinAdvance};

use serde::{Deserialize, Serialize};
use superroot_proof::note::{KeyKind, TrustPolicy, VerifierKey};
use superroot_proof::registry::Profile;
use superroot_proof::superroot::log_id;
use superroot_types::{Hash, SAFE_INTEGER_MAX, is_plain_origin};

/// Most pins per log; a signed log keeps the newest.
pub const PINS_MAX: usize = 64;
/// Most logs per store.
const LOGS_MAX: usize = 64;

/// Trusted logs.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "row::StoreRow", into = "row::StoreRow")]
pub struct TrustStore {
    logs: Vec<TrustedLog>,
}

/// Trust data for one log.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TrustedLog {
    origin: String,
    key: Option<LogKey>,
    registry: Vec<Profile>,
    pins: Vec<Pin>,
}

/// Log key with required witnesses.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LogKey {
    /// Verifier key.
    pub key: VerifierKey,
    /// Key source.
    pub source: KeySource,
    /// Witness policy for notes.
    pub policy: TrustPolicy,
}

impl LogKey {
    /// Whether a note needs witnesses.
    #[must_use]
    pub const fn asks_for_witnesses(&self) -> bool {
        self.policy.asks_for_witnesses()
    }
}

/// Pinned key source.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum KeySource {
    /// Given by the client.
    Given,
    /// Named by the service: trust on first use, until the key is given.
    FirstUse,
}

/// Trusted SuperRoot.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pin {
    /// SuperRoot sequence.
    pub sequence: u64,
    /// SuperRoot hash.
    pub super_root_hash: Hash,
    /// Note under which the SuperRoot was pinned, for the log up to this SuperRoot; `None` if set by hand.
    pub note: Option<String>,
}

impl TrustStore {
    /// Logs in pinning order.
    #[must_use]
    pub fn logs(&self) -> &[TrustedLog] {
        &self.logs
    }

    /// Trust data for a log.
    #[must_use]
    pub fn log(&self, origin: &str) -> Option<&TrustedLog> {
        self.logs.iter().find(|log| log.origin == origin)
    }

    /// Trusts a key, and every note signed by this key together with the policy's witnesses. A given key confirms the
    /// same key from first use. `replaces` replaces another log key; the pins stay, and the new key must still show
    /// consistency with them.
    ///
    /// # Errors
    /// [`TrustError::Key`] for a witness key; [`TrustError::OtherKey`] if another key is pinned; [`TrustError::Policy`]
    /// for a policy with other logs; as [`TrustStore::pin`].
    pub fn pin_key(
        &mut self,
        key: VerifierKey,
        policy: Option<TrustPolicy>,
        source: KeySource,
        replaces: bool,
    ) -> Result<(), TrustError> {
        if key.kind() != KeyKind::Log {
            return Err(TrustError::Key);
        }
        let names_it =
            |policy: &TrustPolicy| policy.logs().is_empty() || policy.logs().contains(&key);
        if !policy.as_ref().is_none_or(names_it) {
            return Err(TrustError::Policy { origin: key.name().to_owned() });
        }
        let log = self.log_or_new(key.name())?;
        let before = log.key.take();
        let is_same = before.as_ref().is_none_or(|before| before.key == key);
        if !is_same && !replaces {
            let origin = log.origin.clone();
            let pinned = before.as_ref().map(|before| before.key.to_string()).unwrap_or_default();
            log.key = before;
            return Err(TrustError::OtherKey { origin, pinned, got: key.to_string() });
        }
        let was_given = before.as_ref().is_some_and(|before| before.source == KeySource::Given);
        let source = if is_same && was_given { KeySource::Given } else { source };
        let kept = before.map_or_else(TrustPolicy::none, |before| before.policy);
        log.key = Some(LogKey { key, source, policy: policy.unwrap_or(kept) });
        Ok(())
    }

    /// Trusts a SuperRoot known from elsewhere: read on-chain, or from a trusted person.
    ///
    /// # Errors
    /// [`TrustError::Origin`] and [`TrustError::Confusing`]; [`TrustError::Fork`] if another SuperRoot is pinned for
    /// the sequence; [`TrustError::Full`]; [`TrustError::Malformed`] for a sequence at or above 2^53. The store is then
    /// unchanged.
    pub fn pin(&mut self, origin: &str, sequence: u64, hash: Hash) -> Result<(), TrustError> {
        if sequence > SAFE_INTEGER_MAX {
            return Err(TrustError::Malformed { why: "a sequence is 2^53 or more".to_owned() });
        }
        let pin = Pin { sequence, super_root_hash: hash, note: None };
        let is_new = self.log(origin).is_none();
        let pinned = self.log_or_new(origin)?.pin(pin);
        if pinned.is_err() && is_new {
            self.logs.pop();
        }
        pinned
    }

    /// Advances to a step's SuperRoot.
    ///
    /// # Errors
    /// [`TrustError::Changed`] if the store changed since the step was prepared; the store is then unchanged.
    pub fn advance(&mut self, step: PinAdvance) -> Result<(), TrustError> {
        let changed = || TrustError::Changed { origin: step.origin.clone() };
        let log = self.logs.iter_mut().find(|log| log.origin == step.origin).ok_or_else(changed)?;
        let stands = log.key.as_ref().is_some_and(|key| key.key == step.key)
            && log.pins.last() == step.from.as_ref();
        if !stands {
            return Err(changed());
        }
        if log.pins.len() >= PINS_MAX {
            log.pins.remove(0);
        }
        log.pins.push(step.to);
        log.registry = step.registry;
        Ok(())
    }

    /// Removes a log, or one pin; returns the number of pins removed, and whether a key was removed.
    pub fn remove(&mut self, origin: &str, sequence: Option<u64>) -> (usize, bool) {
        let Some(log) = self.logs.iter_mut().find(|log| log.origin == origin) else {
            return (0, false);
        };
        let before = log.pins.len();
        log.pins.retain(|pin| sequence.is_some_and(|sequence| sequence != pin.sequence));
        let removed = before - log.pins.len();
        let key = sequence.is_none() && log.key.take().is_some();
        self.logs.retain(|log| !log.pins.is_empty() || log.key.is_some());
        (removed, key)
    }

    fn log_or_new(&mut self, origin: &str) -> Result<&mut TrustedLog, TrustError> {
        log_id(origin)?;
        if !is_plain_origin(origin) {
            return Err(TrustError::Confusing { origin: origin.to_owned() });
        }
        let known = self.logs.iter().position(|log| log.origin == origin);
        if known.is_none() && self.logs.len() >= LOGS_MAX {
            return Err(TrustError::Full { what: "logs", max: LOGS_MAX });
        }
        let at = known.unwrap_or(self.logs.len());
        if known.is_none() {
            self.logs.push(TrustedLog::new(origin));
        }
        Ok(&mut self.logs[at])
    }
}

impl TrustedLog {
    const fn empty(origin: String) -> Self {
        Self { origin, key: None, registry: Vec::new(), pins: Vec::new() }
    }

    fn new(origin: &str) -> Self {
        Self::empty(origin.to_owned())
    }

    /// Log origin.
    #[must_use]
    pub fn origin(&self) -> &str {
        &self.origin
    }

    /// Log key; `None` if the pins never move.
    #[must_use]
    pub const fn key(&self) -> Option<&LogKey> {
        self.key.as_ref()
    }

    /// Newest pin's registry; empty if set by hand.
    #[must_use]
    pub fn registry(&self) -> &[Profile] {
        &self.registry
    }

    /// Pins, ascending by sequence.
    #[must_use]
    pub fn pins(&self) -> &[Pin] {
        &self.pins
    }

    fn pin(&mut self, pin: Pin) -> Result<(), TrustError> {
        match self.pins.binary_search_by_key(&pin.sequence, |held| held.sequence) {
            Ok(at) if self.pins[at].super_root_hash == pin.super_root_hash => Ok(()),
            Ok(at) => Err(TrustError::Fork {
                origin: self.origin.clone(),
                sequence: pin.sequence,
                pinned: self.pins[at].super_root_hash,
                got: pin.super_root_hash,
            }),
            Err(_) if self.pins.len() >= PINS_MAX => {
                Err(TrustError::Full { what: "pins of a log", max: PINS_MAX })
            }
            Err(at) => {
                self.pins.insert(at, pin);
                Ok(())
            }
        }
    }
}
