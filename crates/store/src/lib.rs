//! Keeps what was verified: tables, promises, an embedded engine and an in-memory one.
//!
//! A *table* holds *rows*, ordered by the bytes of their *keys*. A *batch* is written whole or not
//! at all; a *commit* writes one. An *expectation* makes a commit depend on a row.
//!
//! ```text
//!   VerifiedBlock --write--> Batch --commit--> Store --read--> rows
//!                                             /     //!                                      EmbeddedStore  MemoryStore
//!                                      rows | anchor | integrity file
//! ```
//!
//! What must always hold: what `commit` acknowledged is there when the store is opened again, or
//! opening refuses it; a row that is not what was written is an error, never an answer. Heads come in
//! through [`write::put_block`] as what `superroot-chain` verified, and a block is final through
//! [`write::put_final`] alone, which takes what its evidence was checked of.
//!
//! ```
//! use superroot_store::{Batch, EmbeddedConfig, EmbeddedStore, Store, Table};
//! let folder = tempfile::tempdir()?;
//! let store = EmbeddedStore::open(folder.path(), &EmbeddedConfig::default())?;
//! let mut batch = Batch::new();
//! batch.expect(Table::Meta, b"origin", None).put(Table::Meta, b"origin", b"simulated/example");
//! store.commit(batch)?;
//! drop(store);
//! let store = EmbeddedStore::open(folder.path(), &EmbeddedConfig::default())?;
//! assert_eq!(store.get(Table::Meta, b"origin")?.as_deref(), Some(&b"simulated/example"[..]));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

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

pub use batch::{BATCH_BYTES_MAX, Batch, KEY_BYTES_MAX, VALUE_BYTES_MAX};
#[doc(hidden)]
pub use embedded::CrashPoint;
pub use embedded::{EmbeddedConfig, EmbeddedStore, LAYOUT, free_bytes};
pub use error::StoreError;
pub use memory::MemoryStore;
pub use store::{CheckReport, Direction, FAULTS_MAX, Row, Store};
pub use table::Table;
