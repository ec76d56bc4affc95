//! Fetches proofs and verifies them; knows nothing of the server.
//!
//! ```text
//! Client ── bytes ──► Verifier ── Checked ──► TrustStore: is that SuperRoot one to trust?
//!                                                 ▲
//!              pinned by name, then moved on by consistency proofs alone
//! ```
//! A *pin* is a SuperRoot hash that the client trusts, brought from outside the answer. What must
//! always hold: nothing an answer says makes its own SuperRoot trusted.
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

pub mod audit;
mod client;
mod error;
mod follow;
mod trust;
mod verify;

pub use client::{At, Client};
pub use error::ClientError;
pub use trust::{FILE_BYTES_MAX, PINS_MAX, Pin, TrustError, TrustStore};
pub use verify::{Asked, Of, Verifier};
