//! All tests of the crate from outside, in one binary: each binary compiles and links anew what is below it.
#![allow(missing_docs)]

#[cfg(feature = "finality")]
mod beacon;
mod bitcoin;
mod bundle;
mod calldata;
mod coins;
#[cfg(feature = "finality")]
mod commit;
mod commitment;
#[cfg(feature = "finality")]
mod commits;
mod consistency;
mod cosmos;
#[cfg(feature = "finality")]
mod epochs;
mod evidence;
#[cfg(feature = "finality")]
mod finality;
mod icp;
mod icp_blocks;
mod ledger;
mod ledger_layouts;
mod mpt;
mod note;
mod polkadot;
mod positions;
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
