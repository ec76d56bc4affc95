//! Aptos: version results (`TransactionInfo`, in BCS), the accumulator over all versions, and a version's event
//! accumulator.
//!
//! ```text
//! row 2            r                 leaf = sha3(seed ‖ info); node = sha3(seed ‖ left ‖ right)
//!                /    \               what is right of the last leaf is a placeholder, so every leaf
//! row 1       ab       c_             is as deep as every other: the bits of its version are its way
//!            /  \     /  \
//! row 0     a    b   c    _           version 2 is 10 in binary: right, then left
//! ```
//!
//! The block hash is the accumulator root after the block's last version. The hash names no number, parent or time, so
//! a header is just these 32 bytes. The root also covers every earlier version: a transaction is shown to be in the
//! chain by the block.
//!
//! Sources: aptos-core `types/src/transaction/mod.rs` (`TransactionInfoV0`, `ExecutionStatus`),
//! `types/src/proof/{definition,accumulator}`, `crates/aptos-crypto/src/hash.rs` (seeds, placeholder).

mod accumulator;
mod entry;
mod event;
mod header;
mod info;
mod ledger_info;
mod whole;

pub use accumulator::{DEPTH_MAX, Frozen, root_of_path};
pub use entry::{EventWay, VersionProof};
pub use event::{Event, Handle};
pub use header::Header;
pub use info::{ExecutionStatus, INFO_BYTES_MAX, Info};
pub use ledger_info::{
    APTOS_KEY_BYTES, APTOS_VALIDATORS_MAX, AptosEpoch, AptosEpochEnd, AptosLedgerInfo,
    AptosValidator,
};
pub use whole::{AptosVersions, VersionsError, event_root};

use superroot_types::Hash;

use super::NotProvable;
use crate::hash::sha3_256_joined;

/// Most bytes in an event.
pub const EVENT_BYTES_MAX: usize = 10 << 20;

/// Why absence is not provable, and the nearest alternative.
pub const NO_ABSENCE: NotProvable = NotProvable {
    why: "a root of Aptos holds the versions of all blocks and does not tell where one ends, so no proof \
          shows that a block has no transaction at an index",
    nearest: "a transaction that is there is proven by /v5/proof/tx",
};

/// Accumulator placeholder (`ACCUMULATOR_PLACEHOLDER_HASH`).
pub const PLACEHOLDER: Hash = Hash(*b"ACCUMULATOR_PLACEHOLDER_HASH\0\0\0\0");

/// Hash prefix for a type: SHA3-256 over `APTOS::` and the type name.
pub(crate) const fn seed(name: Seeded) -> Hash {
    Hash(match name {
        Seeded::TransactionInfo => {
            hex("a7571b1ac557d1d3f9e884d79f9174c9ff81fd091502dfad0008455b39eca471")
        }
        Seeded::TransactionAccumulator => {
            hex("9d054c84c0d2c98b618a1a3247e9979a72229dbd162985a2a924144b8aad0327")
        }
        Seeded::EventAccumulator => {
            hex("4dbe0448340a3095e1696708e4be4e93f4956d1f9f5755292767ef8a1344ac36")
        }
        Seeded::ContractEvent => {
            hex("38f46bbd4b520466a91d4166cd85fa9c3c83ac6993bf65f8d90bad19c5e2f661")
        }
        Seeded::LedgerInfo => {
            hex("98274d3a1dfd01624eb9df4f2fc4e34fa24f18334a0091ec93d0ea833e1fbaa2")
        }
        Seeded::Waypoint => hex("2539380256a7df4f1a22fa5d30cd72c123103ad06479987c44b58b4d7a20efdf"),
    })
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Seeded {
    TransactionInfo,
    TransactionAccumulator,
    EventAccumulator,
    ContractEvent,
    LedgerInfo,
    Waypoint,
}

#[allow(
    clippy::indexing_slicing,
    clippy::arithmetic_side_effects,
    reason = "evaluated at build time"
)]
const fn hex(text: &str) -> [u8; 32] {
    const fn digit(byte: u8) -> u8 {
        if byte <= b'9' { byte - b'0' } else { byte - b'a' + 10 }
    }
    let text = text.as_bytes();
    let mut bytes = [0; 32];
    let mut at = 0;
    while at < 32 {
        bytes[at] = 16 * digit(text[2 * at]) + digit(text[2 * at + 1]);
        at += 1;
    }
    bytes
}

/// Transaction accumulator leaf: hash over a `TransactionInfo` in BCS.
#[must_use]
pub fn info_hash(info: &[u8]) -> Hash {
    sha3_256_joined(&[&seed(Seeded::TransactionInfo).0, info])
}

/// Event accumulator leaf: hash over a `ContractEvent` in BCS.
#[must_use]
pub fn event_hash(event: &[u8]) -> Hash {
    sha3_256_joined(&[&seed(Seeded::ContractEvent).0, event])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn seeds_are_hashes_of_names() {
        for (seeded, name) in [
            (Seeded::TransactionInfo, "TransactionInfo"),
            (Seeded::TransactionAccumulator, "TransactionAccumulator"),
            (Seeded::EventAccumulator, "EventAccumulator"),
            (Seeded::ContractEvent, "ContractEvent"),
            (Seeded::LedgerInfo, "LedgerInfo"),
            (Seeded::Waypoint, "Ledger2WaypointConverter"),
        ] {
            assert_eq!(seed(seeded), sha3_256_joined(&[b"APTOS::", name.as_bytes()]), "{name}");
        }
    }
}
