//! Kind 18, *producers*: the 27 elected producers of Tron build on a block.
//!
//! ```text
//! block N ◄─ N+1 ◄─ N+2 ◄─ ..          each header signed by the key of the producer named in the header
//! └── a run of headers ───┘            19 distinct producers of the set signed: N is final
//!
//! P ◄─ M ◄─ window of 54 ◄─ 19 more    P: last block of a day, M: first block of the next day
//!           └ next set      └ of the old set
//! ```
//! A set is a list of producers with the addresses of the signing keys, and a number: days since 1970. Evidence of later
//! days counts too, as long as 19 old members are among the signers and the trusting period runs: lists seldom change.
//!
//! A block id is a hash of the raw header alone. The header names the producer, but a signature is under no hash, so a
//! copy of a real header can carry a signature by any key. 19 producers on top of a header show therefore the producer,
//! never the key: full nodes compare the key with the account's permission, and no header holds the permission. Hence the
//! rule for a step: a producer with a header in the window is in the next set with the producer's own address as key, or
//! with the key of the old set, if that key signed. The window is under 19 signers of the old set, so each header there is
//! real, and every next member is a real producer with a key of that producer. Left out are producers without a block in
//! the window, and producers whose delegated key is new: missing members show less, never something false. A set has at
//! least [`MEMBERS_MIN`] members, so that a whole round, with 19 of those signing, still shows a block; with fewer, pin again.
//!
//! The list of Tron changes at maintenance, every six hours from 00:00 UTC on, so the first block of a day is the last
//! under the old list (the window begins behind) and 27 producers are the most in a window. Each producer has two slots
//! in 54, so one missed slot removes nobody.
//!
//! Signatures have the lower `s` and a recovery number of 0 or 1: a second form is refused, and a node's form is changed to
//! the first before the check ([`canonical_signature`]). A signature by a key other than the set's does not count.
//!
//! Sources: java-tron `BlockCapsule` (`getBlockId`, `validateSignature`), `DposService.updateSolidBlock`
//! (`SOLIDIFIED_THRESHOLD`: 19 of 27), `MaintenanceManager.applyBlock`, `DynamicPropertiesStore.updateNextMaintenanceTime`,
//! `DposSlot` (`MAINTENANCE_SKIP_SLOTS`).

mod members;
mod params;
mod run;
mod set;
mod signature;

pub use members::{MEMBERS_MIN, PRODUCERS_MAX, QUORUM};
pub use params::ProducerParams;
pub use run::{
    EVIDENCE_BLOCKS_MAX, ProducedHeader, STEP_BLOCKS_MAX, distinct_producers, write_run,
};
pub use set::{ProducerSet, write_producer_set};
pub use signature::{SIGNATURE_BYTES, canonical_signature, signing_address};
