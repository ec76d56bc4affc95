//! A witness keeps logs to one history: it cosigns a log's checkpoint only if the checkpoint extends the last cosigned
//! one (C2SP `tlog-witness`, `tlog-cosignature`). Any log in that format can use the witness.
//!
//! ```text
//! log -- add-checkpoint: old size, consistency proof, note --> Witness
//!                                                                | origin known, the log's key signed
//!                                                                | old size is the one held
//!                                                                | the proof leads to the new root
//!                                                                v
//!     <-- cosignature ------------- store (durable) <------ note, cosigned
//! ```
//! Invariants: a cosigned note is stored before it is returned; one size of one log has one cosigned root; the cosigned
//! size never falls. A second root of the cosigned size, signed by the log, is stored as evidence.
//!
//! ```
//! use superroot_proof::note::{Checkpoint, KeyKind, Note, Signer};
//! use superroot_proof::range::{RangeHash, Sha256Range};
//! use superroot_store::MemoryStore;
//! use superroot_types::{LogSize, UnixSeconds};
//! use superroot_witness::{AddCheckpoint, Witness};
//!
//! let log = Signer::new("example.org/log", KeyKind::Log, &[1; 32])?;
//! let own = Signer::new("witness.example", KeyKind::Witness, &[2; 32])?;
//! let key = own.verifier().clone();
//! let store = std::sync::Arc::new(MemoryStore::new());
//! let witness = Witness::open(own, store, [log.verifier().clone()], "evidence".into())?;
//! let empty = Checkpoint { origin: "example.org/log".into(), size: LogSize(0), root: Sha256Range::empty() };
//! let note = log.sign(&empty.to_string(), 0);
//! let request = AddCheckpoint { old: 0, proof: vec![], note: note.clone() };
//! let cosignature = witness.add(&request, UnixSeconds(1_700_000_000))?;
//! assert_eq!(cosignature.verify(&key), Ok(Some(1_700_000_000)));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod evidence;
mod request;
mod router;
mod witness;

pub use request::{AddCheckpoint, PROOF_LINES_MAX, REQUEST_BYTES_MAX, RequestError, SIZE_TYPE};
pub use router::router;
pub use witness::{OpenError, Witness, WitnessRefusal, WitnessedKey};
