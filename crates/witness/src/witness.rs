//! Rules for cosigning and refusing.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::str::FromStr;
use std::sync::{Arc, Mutex, PoisonError};

use superroot_proof::hash::sha256_joined;
use superroot_proof::note::{Checkpoint, CheckpointError, KeyKind, Note, Signer, VerifierKey};
use superroot_proof::range::{RangeError, RangeHash, Sha256Range, verify_consistency};
use superroot_store::{Store, StoreError, Table, WriteBatch};
use superroot_types::{Hash, LogSize, UnixSeconds};

use crate::AddCheckpoint;
use crate::evidence;

pub struct Witness {
    signer: Signer,
    store: Arc<dyn Store>,
    logs: BTreeMap<Hash, WitnessedLog>,
    evidence: PathBuf,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WitnessedKey {
    /// Origin: the first line of the log's checkpoints.
    pub origin: String,
    /// Signing key of the checkpoints; the key name may differ from the origin.
    pub key: VerifierKey,
}

impl From<VerifierKey> for WitnessedKey {
    fn from(key: VerifierKey) -> Self {
        Self { origin: key.name().to_owned(), key }
    }
}

impl FromStr for WitnessedKey {
    type Err = String;

    /// `VKEY` for a log named like its key, or `ORIGIN=VKEY`.
    fn from_str(text: &str) -> Result<Self, String> {
        let wrong = match text.parse::<VerifierKey>() {
            Ok(key) => return Ok(key.into()),
            Err(error) => error,
        };
        // an origin may hold an equals sign, and so may a key
        let mut pairs = text.match_indices('=').map(|(at, _)| (&text[..at], &text[at + 1..]));
        let read = pairs.find_map(|(origin, key)| Some((origin, key.parse().ok()?)));
        let (origin, key) = read.ok_or_else(|| format!("{wrong}; expected VKEY or ORIGIN=VKEY"))?;
        if origin.is_empty() || origin.contains(char::is_control) {
            return Err(format!(
                "{origin:?} is not the origin of a log: expected one line of text"
            ));
        }
        Ok(Self { origin: origin.to_owned(), key })
    }
}

struct WitnessedLog {
    origin: String,
    /// Accepted keys; two during a key change.
    keys: Vec<VerifierKey>,
    /// Locked from the check against the store until the new note is stored.
    lock: Mutex<()>,
}

struct LastCosigned {
    note: Note,
    checkpoint: Checkpoint,
}

/// Reason for a witness that cannot open.
#[derive(Debug, thiserror::Error)]
pub enum OpenError {
    /// The witness key is a log key.
    #[error("the key {key} is that of a log, not of a witness")]
    OwnKey { key: String },
    /// A log key is a witness key.
    #[error("the key {key} is that of a witness, not of a log")]
    LogKey { key: String },
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// Reason for a refused checkpoint.
#[derive(Debug, thiserror::Error)]
pub enum WitnessRefusal {
    #[error("the log {origin:?} is not witnessed here")]
    UnknownLog { origin: String },
    /// The log signed's no key.
    #[error("no signature of a key of {origin} holds")]
    Unsigned { origin: String },
    /// The note text is not a checkpoint.
    #[error(transparent)]
    Checkpoint(#[from] CheckpointError),
    /// The new size is below the old size.
    #[error("the old size {old} is above the size of the checkpoint, {size}")]
    Order { old: u64, size: u64 },
    /// The old size is not the last cosigned size.
    #[error("the size held is {held}, not {old}")]
    OldSize {
        /// Last cosigned size; 0 for none.
        held: u64,
        old: u64,
    },
    /// The log signed another root of the cosigned size.
    #[error("another root of size {held} was cosigned before")]
    Fork { held: u64 },
    /// The proof fails: the log may have been rewritten.
    #[error("the consistency proof does not hold: {0}")]
    Proof(#[from] RangeError),
    /// The store failed, so nothing can be cosigned.
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl Witness {
    /// Opens a witness with its signer and the cosigned notes in the store. The origin identifies a log; two keys of
    /// one origin are two keys of one log. Evidence of forks goes into the folder `evidence`.
    ///
    /// # Errors
    /// [`OpenError`] for keys of the wrong kind, and for a stored row without a valid checkpoint.
    pub fn open(
        signer: Signer,
        store: Arc<dyn Store>,
        keys: impl IntoIterator<Item = impl Into<WitnessedKey>>,
        evidence: PathBuf,
    ) -> Result<Self, OpenError> {
        if signer.verifier().kind() != KeyKind::Witness {
            return Err(OpenError::OwnKey { key: signer.verifier().to_string() });
        }
        let mut logs = BTreeMap::<Hash, WitnessedLog>::new();
        for WitnessedKey { origin, key } in keys.into_iter().map(Into::into) {
            if key.kind() != KeyKind::Log {
                return Err(OpenError::LogKey { key: key.to_string() });
            }
            let new =
                || WitnessedLog { origin: origin.clone(), keys: Vec::new(), lock: Mutex::new(()) };
            logs.entry(id_of(&origin)).or_insert_with(new).keys.push(key);
        }
        let witness = Self { signer, store, logs, evidence };
        for (id, log) in &witness.logs {
            let held = witness.load(id)?;
            log.show(held.map_or(0, |held| held.checkpoint.size.0));
        }
        Ok(witness)
    }

    #[must_use]
    pub const fn key(&self) -> &VerifierKey {
        self.signer.verifier()
    }

    /// Witnessed origins with their last cosigned sizes; 0 for none.
    pub fn sizes(&self) -> Result<Vec<(String, u64)>, StoreError> {
        let size = |(id, log): (&Hash, &WitnessedLog)| {
            let held = self.load(id)?;
            Ok((log.origin.clone(), held.map_or(0, |held| held.checkpoint.size.0)))
        };
        self.logs.iter().map(size).collect()
    }

    /// Last cosigned note of a log, by SHA-256 of the origin, with the log's signatures and the cosignature; `None` if
    /// the log is unknown or was never cosigned.
    pub fn latest(&self, id: &Hash) -> Result<Option<Note>, StoreError> {
        if !self.logs.contains_key(id) {
            return Ok(None);
        }
        Ok(self.load(id)?.map(|held| held.note))
    }

    /// Cosigns a checkpoint that extends the last cosigned one, after storing it. Returns the note text with the
    /// cosignature alone. A request for the cosigned size is cosigned again with the current time. Blocks on the disk,
    /// and on another request of the log.
    ///
    /// # Errors
    /// [`WitnessRefusal`] of the first failed check.
    pub fn add(&self, request: &AddCheckpoint, now: UnixSeconds) -> Result<Note, WitnessRefusal> {
        let AddCheckpoint { old, proof, note } = request;
        let new = Checkpoint::parse(note.text())?;
        let id = id_of(&new.origin);
        let unknown = || WitnessRefusal::UnknownLog { origin: new.origin.clone() };
        let log = self.logs.get(&id).ok_or_else(unknown)?;
        let signed = note.signed_by(&log.keys);
        if !signed.has_signatures() {
            return Err(WitnessRefusal::Unsigned { origin: log.origin.clone() });
        }
        if *old > new.size.0 {
            return Err(WitnessRefusal::Order { old: *old, size: new.size.0 });
        }
        let _held_until_stored = log.lock.lock().unwrap_or_else(PoisonError::into_inner);
        let before = self.load(&id)?;
        let nothing = || (LogSize::EMPTY, Sha256Range::empty());
        let held = before.as_ref().map(|held| (held.checkpoint.size, held.checkpoint.root));
        let (held, root) = held.unwrap_or_else(nothing);
        if let Some(before) = &before
            && held == new.size
            && root != new.root
        {
            self.keep_evidence(log, &id, &before.note, &signed);
            return Err(WitnessRefusal::Fork { held: held.0 });
        }
        if *old != held.0 {
            return Err(WitnessRefusal::OldSize { held: held.0, old: *old });
        }
        let (from, to) = (held.leaf_count(), new.size.leaf_count());
        verify_consistency::<Sha256Range>(from, to, &root, &new.root, proof)?;
        let cosignature = self.signer.sign(note.text(), now.0);
        if before.is_none() || new.size > held {
            let row = signed.joined(&cosignature).to_string();
            let expected = before.as_ref().map(|before| before.note.to_string());
            let mut batch = WriteBatch::new();
            batch.expect(Table::Note, id.0, expected.as_deref().map(str::as_bytes));
            batch.put(Table::Note, id.0, row);
            self.store.commit(batch)?; // a crash before the answer leaves the log one 409 behind
            log.show(new.size.0);
        }
        Ok(cosignature)
    }

    fn keep_evidence(&self, log: &WitnessedLog, id: &Hash, before: &Note, now: &Note) {
        let origin = &log.origin;
        let key = log.keys.iter().find(|key| before.verify(key).is_ok() && now.verify(key).is_ok());
        tracing::error!("the log {origin} signed two roots of one size");
        let Some(key) = key else { return };
        let size = Checkpoint::parse(now.text()).map_or(0, |checkpoint| checkpoint.size.0);
        let before = before.signed_by([key]);
        match evidence::keep(&self.evidence, id, size, key, [&before, &now.signed_by([key])]) {
            Ok(Some(file)) => tracing::error!("evidence against {origin}: {}", file.display()),
            Ok(None) => {}
            Err(error) => tracing::error!(%error, "evidence against {origin} cannot be written"),
        }
    }

    fn load(&self, id: &Hash) -> Result<Option<LastCosigned>, StoreError> {
        let Some(row) = self.store.get(Table::Note, &id.0)? else { return Ok(None) };
        let read = || {
            let note = Note::parse(std::str::from_utf8(&row).ok()?).ok()?;
            let checkpoint = Checkpoint::parse(note.text()).ok()?;
            Some(LastCosigned { note, checkpoint })
        };
        let table = Table::Note;
        let key = id.0.to_vec();
        let why = "no checkpoint";
        read().map(Some).ok_or(StoreError::Corrupt { table, key, why })
    }
}

impl WitnessedLog {
    fn show(&self, size: u64) {
        let gauge = metrics::gauge!("superroot_witness_log_size", "log" => self.origin.clone());
        gauge.set(size as f64);
    }
}

fn id_of(origin: &str) -> Hash {
    sha256_joined(&[origin.as_bytes()])
}
