//! What is cosigned, and what is refused.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::str::FromStr;
use std::sync::{Arc, Mutex, PoisonError};

use superroot_proof::hash::sha256_joined;
use superroot_proof::note::{Checkpoint, CheckpointError, KeyKind, Note, Signer, VerifierKey};
use superroot_proof::range::{RangeError, RangeHash, Sha256Range, verify_consistency};
use superroot_store::{Batch, Store, StoreError, Table};
use superroot_types::{Hash, UnixSeconds};

use crate::AddCheckpoint;
use crate::evidence;

/// A witness of some logs.
pub struct Witness {
    signer: Signer,
    store: Arc<dyn Store>,
    /// By the SHA-256 of their origin.
    logs: BTreeMap<Hash, Log>,
    evidence: PathBuf,
}

/// A key of a log to witness.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WitnessedKey {
    /// What the log's checkpoints begin with.
    pub origin: String,
    /// What signs them; its name may be another.
    pub key: VerifierKey,
}

impl From<VerifierKey> for WitnessedKey {
    fn from(key: VerifierKey) -> Self {
        Self { origin: key.name().to_owned(), key }
    }
}

impl FromStr for WitnessedKey {
    type Err = String;

    /// `VKEY`, of a log that is called as its key is, or `ORIGIN=VKEY`.
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

struct Log {
    origin: String,
    /// Each of them may sign: while a key is changed there are two.
    keys: Vec<VerifierKey>,
    /// Held from the check against what is stored until the new note is stored.
    lock: Mutex<()>,
}

/// What was cosigned last of a log.
struct Held {
    note: Note,
    checkpoint: Checkpoint,
}

/// Why there is no such witness.
#[derive(Debug, thiserror::Error)]
pub enum OpenError {
    /// The witness's own key is that of a log.
    #[error("the key {key} is that of a log, not of a witness")]
    OwnKey {
        /// The key.
        key: String,
    },
    /// A log's key is that of a witness.
    #[error("the key {key} is that of a witness, not of a log")]
    LogKey {
        /// The key.
        key: String,
    },
    /// What was cosigned cannot be read.
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// Why a checkpoint is not cosigned.
#[derive(Debug, thiserror::Error)]
pub enum Refusal {
    /// Not one of the logs that are witnessed.
    #[error("the log {origin:?} is not witnessed here")]
    UnknownLog {
        /// Origin in the note.
        origin: String,
    },
    /// None of the log's keys signed.
    #[error("no signature of a key of {origin} holds")]
    Unsigned {
        /// Origin in the note.
        origin: String,
    },
    /// The text of the note.
    #[error(transparent)]
    Checkpoint(#[from] CheckpointError),
    /// A log does not shrink.
    #[error("the old size {old} is above the size of the checkpoint, {size}")]
    Order {
        /// Old size in the request.
        old: u64,
        /// Size in the note.
        size: u64,
    },
    /// The log was taken to stand elsewhere.
    #[error("the size held is {held}, not {old}")]
    OldSize {
        /// Size that was cosigned last; 0: none.
        held: u64,
        /// Old size in the request.
        old: u64,
    },
    /// The log signed another root of the size held.
    #[error("another root of size {held} was cosigned before")]
    Fork {
        /// Size that was cosigned last.
        held: u64,
    },
    /// The log was rewritten, as far as the proof shows.
    #[error("the consistency proof does not hold: {0}")]
    Proof(#[from] RangeError),
    /// Nothing can be cosigned, since nothing can be stored.
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl Witness {
    /// A witness that signs with its key and holds logs to what the store says it saw of them. Logs are
    /// told apart by their origins; two keys of one origin are two keys of one log. What shows
    /// that a log forked goes into the folder `evidence`.
    ///
    /// # Errors
    /// [`OpenError`] for keys of the wrong kind, and where a row of the store is no checkpoint.
    pub fn open(
        signer: Signer,
        store: Arc<dyn Store>,
        keys: impl IntoIterator<Item = impl Into<WitnessedKey>>,
        evidence: PathBuf,
    ) -> Result<Self, OpenError> {
        if signer.verifier().kind() != KeyKind::Witness {
            return Err(OpenError::OwnKey { key: signer.verifier().to_string() });
        }
        let mut logs = BTreeMap::<Hash, Log>::new();
        for WitnessedKey { origin, key } in keys.into_iter().map(Into::into) {
            if key.kind() != KeyKind::Log {
                return Err(OpenError::LogKey { key: key.to_string() });
            }
            let new = || Log { origin: origin.clone(), keys: Vec::new(), lock: Mutex::new(()) };
            logs.entry(id_of(&origin)).or_insert_with(new).keys.push(key);
        }
        let witness = Self { signer, store, logs, evidence };
        for (id, log) in &witness.logs {
            let held = witness.load(id)?;
            log.show(held.map_or(0, |held| held.checkpoint.size));
        }
        Ok(witness)
    }

    /// The key whose cosignatures it gives.
    #[must_use]
    pub const fn key(&self) -> &VerifierKey {
        self.signer.verifier()
    }

    /// Origins that it witnesses, each with the size that it cosigned last; 0: none.
    ///
    /// # Errors
    /// The store's.
    pub fn sizes(&self) -> Result<Vec<(String, u64)>, StoreError> {
        let size = |(id, log): (&Hash, &Log)| {
            let held = self.load(id)?;
            Ok((log.origin.clone(), held.map_or(0, |held| held.checkpoint.size)))
        };
        self.logs.iter().map(size).collect()
    }

    /// The note cosigned last of the log whose origin has that SHA-256, with the log's signatures and
    /// the cosignature; `None` for a log that is not witnessed or never was cosigned.
    ///
    /// # Errors
    /// The store's.
    pub fn latest(&self, id: &Hash) -> Result<Option<Note>, StoreError> {
        if !self.logs.contains_key(id) {
            return Ok(None);
        }
        Ok(self.load(id)?.map(|held| held.note))
    }

    /// Cosigns a checkpoint that extends what was cosigned before, and stores that first. The answer
    /// is the note's text with the cosignature alone. The size held is cosigned again as often as it is
    /// asked for, with the time of the asking. Blocks: on the disk, and on another request of the log.
    ///
    /// # Errors
    /// [`Refusal`] with the first check that failed, in the order of its variants.
    pub fn add(&self, request: &AddCheckpoint, now: UnixSeconds) -> Result<Note, Refusal> {
        let AddCheckpoint { old, proof, note } = request;
        let new = Checkpoint::parse(note.text())?;
        let id = id_of(&new.origin);
        let unknown = || Refusal::UnknownLog { origin: new.origin.clone() };
        let log = self.logs.get(&id).ok_or_else(unknown)?;
        let signed = note.signed_by(&log.keys);
        if !signed.has_signatures() {
            return Err(Refusal::Unsigned { origin: log.origin.clone() });
        }
        if *old > new.size {
            return Err(Refusal::Order { old: *old, size: new.size });
        }
        let _held_until_stored = log.lock.lock().unwrap_or_else(PoisonError::into_inner);
        let before = self.load(&id)?;
        let nothing = || (0, Sha256Range::empty());
        let held = before.as_ref().map(|held| (held.checkpoint.size, held.checkpoint.root));
        let (held, root) = held.unwrap_or_else(nothing);
        if let Some(before) = &before
            && held == new.size
            && root != new.root
        {
            self.keep_evidence(log, &id, &before.note, &signed);
            return Err(Refusal::Fork { held });
        }
        if *old != held {
            return Err(Refusal::OldSize { held, old: *old });
        }
        verify_consistency::<Sha256Range>(held, new.size, &root, &new.root, proof)?;
        let cosignature = self.signer.sign(note.text(), now.0);
        if before.is_none() || new.size > held {
            let row = signed.joined(&cosignature).to_string();
            let expected = before.as_ref().map(|before| before.note.to_string());
            let mut batch = Batch::new();
            batch.expect(Table::Note, id.0, expected.as_deref().map(str::as_bytes));
            batch.put(Table::Note, id.0, row);
            self.store.commit(batch)?; // a crash before the answer leaves the log one 409 behind
            log.show(new.size);
        }
        Ok(cosignature)
    }

    fn keep_evidence(&self, log: &Log, id: &Hash, before: &Note, now: &Note) {
        let (origin, key) = (
            &log.origin,
            log.keys.iter().find(|key| before.verify(key).is_ok() && now.verify(key).is_ok()),
        );
        tracing::error!("the log {origin} signed two roots of one size");
        let Some(key) = key else { return };
        let size = Checkpoint::parse(now.text()).map_or(0, |checkpoint| checkpoint.size);
        let before = before.signed_by([key]);
        match evidence::keep(&self.evidence, id, size, key, [&before, &now.signed_by([key])]) {
            Ok(Some(file)) => tracing::error!("evidence against {origin}: {}", file.display()),
            Ok(None) => {}
            Err(error) => tracing::error!(%error, "evidence against {origin} cannot be written"),
        }
    }

    fn load(&self, id: &Hash) -> Result<Option<Held>, StoreError> {
        let Some(row) = self.store.get(Table::Note, &id.0)? else { return Ok(None) };
        let read = || {
            let note = Note::parse(std::str::from_utf8(&row).ok()?).ok()?;
            let checkpoint = Checkpoint::parse(note.text()).ok()?;
            Some(Held { note, checkpoint })
        };
        let (table, key, why) = (Table::Note, id.0.to_vec(), "no checkpoint");
        read().map(Some).ok_or(StoreError::Corrupt { table, key, why })
    }
}

impl Log {
    fn show(&self, size: u64) {
        let gauge = metrics::gauge!("superroot_witness_log_size", "log" => self.origin.clone());
        gauge.set(size as f64);
    }
}

/// Under what a log is found.
fn id_of(origin: &str) -> Hash {
    sha256_joined(&[origin.as_bytes()])
}
