//! All tests of the crate from outside, in one binary: each binary compiles and links anew what is below it.
#![allow(missing_docs)]

extern crate alloc;

#[cfg(feature = "finality")]
mod beacon;
mod bitcoin;
#[cfg(feature = "finality")]
mod bls;
mod bundle;
mod calldata;
mod coins;
#[cfg(feature = "finality")]
mod commit;
mod commitment;
#[cfg(feature = "finality")]
mod commits;
#[cfg(feature = "finality")]
mod conflict;
mod consistency;
mod cosmos;
#[cfg(feature = "finality")]
mod epochs;
mod evidence;
#[cfg(feature = "finality")]
mod finality;
#[cfg(feature = "finality")]
mod grandpa;
mod icp;
mod icp_blocks;
mod ledger;
#[cfg(feature = "finality")]
mod ledger_info;
#[cfg(feature = "finality")]
mod ledger_infos;
mod ledger_layouts;
#[cfg(feature = "finality")]
mod milestone;
#[cfg(feature = "finality")]
#[allow(dead_code, reason = "tests of chain and source use the rest")]
mod milestones;
mod mpt;
mod note;
mod polkadot;
mod positions;
#[cfg(feature = "finality")]
mod precommits;
#[cfg(feature = "finality")]
mod producers;
mod rewrite;
#[cfg(feature = "finality")]
mod rounds;
mod scan;
mod signed;
mod slots;
mod solana;
mod sui;
mod tron;
#[cfg(feature = "finality")]
mod vote;
mod world;
