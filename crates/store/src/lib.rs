//! Storage for verified data: tables, guarantees, an embedded engine and an in-memory backend.
//!
//! A *table* contains *rows*, ordered by *key* bytes. A *batch* is written whole or not at all; a *commit* writes one
//! batch. An *expectation* makes a commit depend on a row.
//!
//! ```text
//!   VerifiedBlock --write--> WriteBatch --commit--> Store --read--> rows
//!                                                  /     \
//!                                      EmbeddedStore     MemoryStore
//!                                      rows | anchor | integrity file
//! ```
//!
//! Invariants: acknowledged commits are present when the store is opened again, or opening refuses the store; an
//! altered row is an error, never an answer. Blocks enter through [`write::put_block`] after verification by
//! `superroot-chain`, and become final only through [`write::put_final`], which takes their checked evidence.
//!
//! ```
//! use superroot_store::{WriteBatch, EmbeddedConfig, EmbeddedStore, Store, Table};
//! let folder = tempfile::tempdir()?;
//! let store = EmbeddedStore::open(folder.path(), &EmbeddedConfig::default())?;
//! let mut batch = WriteBatch::new();
//! batch.expect(Table::Meta, b"origin", None).put(Table::Meta, b"origin", b"simulated/example");
//! store.commit(batch)?;
//! drop(store);
//! let store = EmbeddedStore::open(folder.path(), &EmbeddedConfig::default())?;
//! assert_eq!(store.get(Table::Meta, b"origin")?.as_deref(), Some(&b"simulated/example"[..]));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

#![warn(missing_docs)]

mod batch;
pub mod codec;
#[doc(hidden)]
pub mod conformance;
pub mod coverage;
mod embedded;
mod error;
pub mod feed;
#[doc(hidden)]
pub mod golden;
pub mod layout;
mod memory;
pub mod read;
pub mod scan;
mod store;
mod table;
pub mod write;

pub use batch::{BATCH_BYTES_MAX, KEY_BYTES_MAX, VALUE_BYTES_MAX, WriteBatch};
#[doc(hidden)]
pub use embedded::CrashPoint;
pub use embedded::{EmbeddedConfig, EmbeddedStore, LAYOUT, free_bytes};
pub use error::StoreError;
pub use memory::MemoryStore;
pub use store::{CheckReport, FAULTS_MAX, Row, ScanOrder, Store};
pub use table::Table;
