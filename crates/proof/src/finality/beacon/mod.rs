//! Kind 10, *beacon*: the sync committee of a beacon chain (Ethereum, Gnosis) signs a header whose state names a
//! finalized one, whose body names an execution block.
//!
//! ```text
//! committee of the period ──signs──► attested header ──state root──► finalized header ──body root──► block hash
//!                                         └──state root──► committee of the next period
//! ```
//! Of the block its hash alone is shown; the number is in the header with that hash. 512 sampled validators sign, and are
//! not slashed for what they sign here: so many of them together are still trusted.
//!
//! Sources: ethereum/consensus-specs `specs/{altair,capella,deneb,electra,gloas}/light-client/sync-protocol.md`,
//! `configs/mainnet.yaml`; gnosischain/configs `mainnet/config.yaml`.

mod params;
mod payload;
mod rules;
mod set;
mod update;
mod verify;

pub use params::{BeaconFork, BeaconLayout, BeaconParams};
pub use payload::PayloadHeader;
pub use set::{BeaconSet, committee_root};

pub use super::bls::SUITE;
pub use update::{BeaconEvidence, BeaconHeader, BeaconStep, SignedHeader};
pub use verify::{BeaconShown, advance, check, signing_root};
