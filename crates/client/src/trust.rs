//! The SuperRoots that a client trusts: pinned by name, and moved on by consistency proofs alone.
//!
//! ```toml
//! [[log]]
//! origin = "log.example.org"
//! log_id = "0x..."
//!
//! [[log.pin]]
//! sequence = 7
//! super_root_hash = "0x..."
//! ```
//! A new store is empty: a recorded or a simulated log is in it only after it was pinned by its
//! origin, as any other. The pins of a log rise by sequence, and each but the first few that were
//! brought by hand extends the one before it.

use std::fs::{self, File};
use std::io::{Read, Write};
use std::path::Path;

use serde::{Deserialize, Serialize};
use superroot_proof::bundle::Facts;
use superroot_proof::consistency::ConsistencyError;
use superroot_proof::superroot::{OriginError, log_id};
use superroot_types::{Hash, SAFE_INTEGER_MAX};
use superroot_wire::superroot::{ConsistencyAnswer, Strength};

/// Largest file that is read.
pub const FILE_BYTES_MAX: u64 = 8 << 20;
/// Most pins of a log.
pub const PINS_MAX: usize = 4_096;
/// Most logs of a store.
const LOGS_MAX: usize = 64;

/// A SuperRoot that is trusted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Pin {
    /// Its sequence.
    pub sequence: u64,
    /// Its hash.
    pub super_root_hash: Hash,
}

/// A log and its pins, rising by sequence.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Log {
    origin: String,
    log_id: Hash,
    #[serde(default, rename = "pin")]
    pins: Vec<Pin>,
}

/// The store.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TrustStore {
    #[serde(default, rename = "log")]
    logs: Vec<Log>,
}

/// Why a store was not read, written or moved on.
#[derive(Debug, thiserror::Error)]
pub enum TrustError {
    /// The file cannot be read or written.
    #[error("trust store {path}: {cause}")]
    File {
        /// Path of the file.
        path: String,
        /// Why.
        cause: std::io::Error,
    },
    /// The file is no store.
    #[error("the trust store is malformed: {why}")]
    Malformed {
        /// What is wrong.
        why: String,
    },
    /// The origin is none.
    #[error(transparent)]
    Origin(#[from] OriginError),
    /// No pin of that log: there is nothing to start from.
    #[error("log {origin} is not in the trust store: pin one of its SuperRoots first")]
    UnknownLog {
        /// The log.
        origin: String,
    },
    /// A second SuperRoot of one sequence: the log was forked, or one of the two is a lie.
    #[error(
        "SuperRoot {sequence} of {origin} is pinned as {pinned}, not {got}: the log has forked"
    )]
    Fork {
        /// The log.
        origin: String,
        /// The sequence.
        sequence: u64,
        /// Hash that is pinned.
        pinned: Hash,
        /// The other hash.
        got: Hash,
    },
    /// The proof does not start at the newest pin.
    #[error("the proof starts at SuperRoot {got}, the newest pin is SuperRoot {newest}")]
    Start {
        /// Where the proof starts.
        got: u64,
        /// The newest pin.
        newest: u64,
    },
    /// The proof shows less than was asked.
    #[error("a consistency proof of strength {got}, asked was at least {needed}")]
    Strength {
        /// Strength of the proof.
        got: Strength,
        /// Strength asked.
        needed: Strength,
    },
    /// The later SuperRoot does not extend the pinned one.
    #[error("the log does not extend what is pinned: {0}")]
    Inconsistent(#[from] ConsistencyError),
    /// The store is full.
    #[error("the trust store holds at most {max} {what}")]
    Full {
        /// Of what.
        what: &'static str,
        /// At most.
        max: usize,
    },
}

impl TrustStore {
    /// Reads a store.
    ///
    /// # Errors
    /// [`TrustError::File`] when there is none or it is too large; [`TrustError::Malformed`] when a
    /// log id is not its origin's, or pins do not rise; as [`TrustStore::pin`].
    pub fn load(path: &Path) -> Result<Self, TrustError> {
        let file = |cause| TrustError::File { path: path.display().to_string(), cause };
        let mut text = String::new();
        let mut limited = File::open(path).map_err(file)?.take(FILE_BYTES_MAX.saturating_add(1));
        limited.read_to_string(&mut text).map_err(file)?;
        if u64::try_from(text.len()).unwrap_or(u64::MAX) > FILE_BYTES_MAX {
            return Err(file(std::io::Error::other(format!("larger than {FILE_BYTES_MAX} bytes"))));
        }
        let store: Self = toml::from_str(&text)
            .map_err(|error| TrustError::Malformed { why: error.message().to_owned() })?;
        store.check()?;
        Ok(store)
    }

    /// A store that is sound comes out again where its pins are pinned anew.
    fn check(&self) -> Result<(), TrustError> {
        let mut anew = Self::default();
        for log in &self.logs {
            for pin in &log.pins {
                anew.pin(&log.origin, pin.sequence, pin.super_root_hash)?;
            }
        }
        if anew == *self {
            return Ok(());
        }
        let why =
            "a log id is not its origin's, a log occurs twice, or pins do not rise".to_owned();
        Err(TrustError::Malformed { why })
    }

    /// Writes the store whole, or leaves the old file as it was.
    ///
    /// # Errors
    /// [`TrustError::File`].
    pub fn save(&self, path: &Path) -> Result<(), TrustError> {
        let text = toml::to_string(self)
            .map_err(|error| TrustError::Malformed { why: error.to_string() })?;
        let file = |cause| TrustError::File { path: path.display().to_string(), cause };
        let mut beside = path.as_os_str().to_owned();
        beside.push(format!(".{}.new", std::process::id()));
        let written = write_new(Path::new(&beside), text.as_bytes())
            .and_then(|()| fs::rename(&beside, path))
            .and_then(|()| sync_folder(path));
        if written.is_err() {
            // it may never have been made; the error that counts is the first
            let _ = fs::remove_file(&beside);
        }
        written.map_err(file)
    }

    /// Origins of the logs in the store.
    pub fn origins(&self) -> impl Iterator<Item = &str> {
        self.logs.iter().map(|log| log.origin.as_str())
    }

    /// Pins of a log, rising by sequence; none when it is not in the store.
    #[must_use]
    pub fn pins(&self, origin: &str) -> &[Pin] {
        self.logs.iter().find(|log| log.origin == origin).map_or(&[], |log| &log.pins)
    }

    /// Trusts a SuperRoot that the client knows from elsewhere: read on-chain, signed as its policy
    /// asks, told by someone it trusts.
    ///
    /// # Errors
    /// [`TrustError::Origin`]; [`TrustError::Fork`] when another one is pinned for the sequence;
    /// [`TrustError::Full`]; [`TrustError::Malformed`] for a sequence of 2^53 or more.
    pub fn pin(&mut self, origin: &str, sequence: u64, hash: Hash) -> Result<(), TrustError> {
        let log_id = log_id(origin)?;
        if sequence > SAFE_INTEGER_MAX {
            return Err(TrustError::Malformed { why: "a sequence is 2^53 or more".to_owned() });
        }
        let known = self.logs.iter().position(|log| log.origin == origin);
        if known.is_none() && self.logs.len() >= LOGS_MAX {
            return Err(TrustError::Full { what: "logs", max: LOGS_MAX });
        }
        let at = known.unwrap_or(self.logs.len());
        if known.is_none() {
            self.logs.push(Log { origin: origin.to_owned(), log_id, pins: Vec::new() });
        }
        self.logs[at].pin(Pin { sequence, super_root_hash: hash })
    }

    /// Whether the SuperRoot that the facts lead to is pinned for their log.
    #[must_use]
    pub fn trusts(&self, facts: &Facts) -> bool {
        facts.super_root.is_some_and(|super_root| {
            let (sequence, super_root_hash) = (super_root.sequence, super_root.hash());
            self.pins(&facts.origin).contains(&Pin { sequence, super_root_hash })
        })
    }

    /// Forgets a log, or one pin of it; how many pins went.
    pub fn remove(&mut self, origin: &str, sequence: Option<u64>) -> usize {
        let Some(log) = self.logs.iter_mut().find(|log| log.origin == origin) else { return 0 };
        let before = log.pins.len();
        log.pins.retain(|pin| sequence.is_some_and(|sequence| sequence != pin.sequence));
        let removed = before - log.pins.len();
        self.logs.retain(|log| !log.pins.is_empty());
        removed
    }

    /// Trusts the SuperRoot that a proof shows to extend the newest pin. Content with strength
    /// `history`, blocks may have been rewritten since the pin, SuperRoots not. An upgrade alone
    /// never moves a pin.
    ///
    /// # Errors
    /// [`TrustError::UnknownLog`], [`TrustError::Strength`], [`TrustError::Start`] when the proof
    /// does not start at the newest pin, [`TrustError::Inconsistent`] when it does not hold. The
    /// store is then as it was.
    pub fn advance(
        &mut self,
        origin: &str,
        answer: &ConsistencyAnswer,
        weakest: Strength,
    ) -> Result<Pin, TrustError> {
        let proof = &answer.proof;
        let (got, needed) = (proof.strength(), weakest.max(Strength::History));
        let unknown = || TrustError::UnknownLog { origin: origin.to_owned() };
        let log = self.logs.iter_mut().find(|log| log.origin == origin).ok_or_else(unknown)?;
        let newest = *log.pins.last().ok_or_else(unknown)?;
        if got < needed {
            return Err(TrustError::Strength { got, needed });
        }
        if proof.from().sequence != newest.sequence {
            let (got, newest) = (proof.from().sequence, newest.sequence);
            return Err(TrustError::Start { got, newest });
        }
        let (sequence, super_root_hash) = (proof.to().sequence, proof.to().hash());
        answer.verify(&newest.super_root_hash, &super_root_hash)?;
        let pin = Pin { sequence, super_root_hash };
        log.pin(pin)?;
        Ok(pin)
    }
}

impl Log {
    fn pin(&mut self, pin: Pin) -> Result<(), TrustError> {
        match self.pins.binary_search_by_key(&pin.sequence, |held| held.sequence) {
            Ok(at) if self.pins[at] == pin => Ok(()),
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

fn write_new(path: &Path, bytes: &[u8]) -> std::io::Result<()> {
    let mut file = File::create(path)?;
    file.write_all(bytes)?;
    file.sync_all()
}

/// Makes the new name of a file durable.
fn sync_folder(path: &Path) -> std::io::Result<()> {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
    File::open(folder.unwrap_or(Path::new(".")))?.sync_all()
}
