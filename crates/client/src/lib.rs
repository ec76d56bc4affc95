//! Client for fetching and verifying proofs, independent from the server code.
//!
//! ```text
//! Client ── bytes ──► Verifier ── Checked ──► TrustStore: does it lead to what is trusted?
//!                                                 ▲
//!        a key, pinned once; the newest SuperRoot moves by its notes and by full consistency
//! ```
//! Invariant: no answer can make its own SuperRoot trusted.
//!
//! ```
//! use superroot_client::{TrustStore, Verifier};
//! use superroot_types::Hash;
//!
//! let mut store = TrustStore::default();
//! store.pin("log.example.org", 7, Hash([1; 32]))?;
//! let refused = Verifier::builtin().check_trusted(b"no proof", &store).unwrap_err();
//! assert!(refused.to_string().starts_with("not JSON"));
//! # Ok::<(), superroot_client::TrustError>(())
//! ```

#![warn(missing_docs)]

mod appended;
pub mod audit;
mod client;
mod conflict;
mod error;
mod file;
mod light_client;
mod page;
mod price;
mod said;
mod signal;
mod trust;
mod update;
mod usage;
mod verify;

pub use client::{Client, ScanForm};
pub use conflict::{ConflictJudgment, judge_conflict};
pub use error::ClientError;
pub use file::{follow_links, is_stream, write_file};
pub use light_client::{
    FinalityJudgment, LightClientError, LightClientFolder, SetSource, judge_finality, update_set,
};
pub use page::FetchedPage;
pub use price::{CheckedPrice, PriceCheckError, is_price};
pub use said::Differs;
pub use signal::{CheckedSignal, SignalCheckError, is_signal};
pub use trust::{
    Distrust, FILE_BYTES_MAX, KeySource, LogKey, PINS_MAX, PendingAdvance, Pin, PinAdvance,
    TrustError, TrustReason, TrustStore, TrustedBy, TrustedLog,
};
pub use update::{UpdateError, fetch_step};
pub use usage::{CheckedUsage, UsageCheckError, is_usage};
pub use verify::{EnclosedProofError, Verifier, answers_proof, answers_scan};
