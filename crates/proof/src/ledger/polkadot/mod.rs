//! Polkadot family: SCALE headers, the block extrinsics trie, and block events from the state.
//!
//! ```text
//! header ─ extrinsicsRoot ─ trie     key = position in compact form, value = the extrinsic with
//!        │                           its length before it
//!        └ stateRoot ────── trie     System.Events: the list of all events of the block
//! ```
//! Both tries have base 16, BLAKE2b-256 hashes, and state version 0 (values in their nodes) or 1 (values over 32 bytes
//! by their hash); each node names its version. Record boundaries in the event list need the runtime's metadata, so an
//! event proof shows the whole list.
//!
//! ```
//! use superroot_proof::ledger::polkadot::{StateVersion, Trie, compact, verify};
//! let trie = Trie::of_extrinsics(StateVersion::V1, &[[7; 40], [8; 40]]);
//! let nodes = trie.prove(&compact(1)).unwrap();
//! assert_eq!(verify(&trie.root(), &compact(1), &nodes), Ok(Some(&[8; 40][..])));
//! let nodes = trie.prove(&compact(2)).unwrap(); // shows that there is no third
//! assert_eq!(verify(&trie.root(), &compact(2), &nodes), Ok(None));
//! ```
//!
//! Sources: Polkadot Protocol Specification, 2.4 and appendix A.3; RFC 42 for state version 1.

mod body;
mod entry;
mod grandpa;
mod header;
mod justification;
mod node;
mod scale;
mod trie;
mod verify;

pub use body::BlockTries;
pub use entry::{EVENTS_NODES_MAX, EXTRINSIC_NODES_MAX, ExtrinsicProofs};
pub use grandpa::{
    AUTHORITY_KEY_BYTES, AuthorityChange, GrandpaAuthority, babe_slot_item, decode_authorities,
    encode_authorities, precommit_bytes, scheduled_change_item,
};
pub use header::{HEADER_BYTES_MAX, Header, is_digest_item};
pub use justification::{GrandpaFinalityProof, GrandpaJustification, GrandpaPrecommit};
pub use scale::compact;
pub use trie::{StateVersion, Trie};
pub use verify::verify;

use superroot_types::Hash;

use crate::codec::ByteReader;
use crate::hash::blake2b_256;

/// State key for `System.Events`: twox-128 over `System`, then over `Events`.
pub const EVENTS_KEY: [u8; 32] = [
    0x26, 0xaa, 0x39, 0x4e, 0xea, 0x56, 0x30, 0xe0, 0x7c, 0x48, 0xae, 0x0c, 0x95, 0x58, 0xce, 0xf7,
    0x80, 0xd4, 0x1e, 0x5e, 0x16, 0x05, 0x67, 0x65, 0xbc, 0x84, 0x61, 0x85, 0x10, 0x72, 0xc9, 0xd7,
];

/// Fewest bytes in a record: phase, pallet, event, topic count.
const RECORD_BYTES_MIN: usize = 4;

/// Extrinsic hash, as in explorers and nodes: BLAKE2b-256 over the length-prefixed extrinsic.
#[must_use]
pub fn transaction_hash(leaf: &[u8]) -> Hash {
    blake2b_256(leaf)
}

/// Extrinsic without its length prefix; `None` for a wrong length.
#[must_use]
pub fn extrinsic(leaf: &[u8]) -> Option<&[u8]> {
    let mut reader = ByteReader::new(leaf);
    scale::read_bytes(&mut reader).filter(|_| reader.is_empty())
}

/// Record count at the start in an event list; `None` for too few bytes.
#[must_use]
pub fn record_count(events: &[u8]) -> Option<usize> {
    let mut reader = ByteReader::new(events);
    let count = usize::try_from(scale::read_compact(&mut reader)?).ok()?;
    let fits = count.checked_mul(RECORD_BYTES_MIN).is_some_and(|bytes| bytes <= reader.len());
    fits.then_some(count)
}
