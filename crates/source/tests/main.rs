//! All tests of the crate from outside, in one binary: each binary compiles and links anew what is below it.

mod aptos;
mod backup;
mod beacon;
mod bitcoin;
mod budget;
mod calls;
#[path = "../../proof/tests/commits/mod.rs"]
#[allow(dead_code, reason = "the tests of proof use the rest")]
mod commits;
mod conformance;
mod cosmos;
mod heimdall;
mod icp;
mod live;
#[path = "../../proof/tests/icp_blocks/mod.rs"]
mod made;
#[path = "../../proof/tests/milestones/mod.rs"]
#[allow(dead_code, reason = "the tests of proof use the rest")]
mod milestones;
mod polkadot;
mod recorded;
mod recorded_bitcoin;
mod recorded_cosmos;
mod recorder;
mod replay;
mod rollup;
mod simulated;
#[path = "../../chain/tests/slots/mod.rs"]
mod slots;
mod socket;
mod solana;
mod sui;
mod support;
mod tron;
mod wire;
