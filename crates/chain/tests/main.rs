//! All tests of the crate from outside, in one binary: each binary compiles and links anew what is below it.

#[path = "slots/archive.rs"]
mod archive;
mod bent_blocks;
mod bitcoin_blocks;
mod bitcoin_due;
#[path = "../../proof/tests/commits/mod.rs"]
#[allow(dead_code, reason = "the tests of proof use the rest")]
mod commits;
mod cosmos_blocks;
mod encode;
mod grandpa;
mod icp_blocks;
mod icp_certificates;
#[path = "../../proof/tests/icp_blocks/mod.rs"]
mod made;
mod milestone;
#[path = "../../proof/tests/milestones/mod.rs"]
#[allow(dead_code, reason = "the tests of proof use the rest")]
mod milestones;
mod mined;
mod other_chains;
mod polkadot;
#[path = "../../proof/tests/precommits/mod.rs"]
#[allow(dead_code, reason = "the tests of proofs use the rest")]
mod precommits;
mod real;
mod real_alterations;
mod real_aptos;
mod real_bitcoin;
mod real_chains;
mod real_cosmos;
mod real_ethereum;
mod real_polkadot;
mod real_solana;
mod real_tron;
mod registry;
mod slots;
mod solana_blocks;
mod sui;
