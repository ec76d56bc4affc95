//! All tests of the crate from outside, in one binary: each binary compiles and links anew what is below it.
#![allow(missing_docs)]

mod bitcoin;
mod blocks;
mod conformance;
mod damage;
mod golden;
mod kill;
#[path = "../../chain/tests/mined/mod.rs"]
mod mined;
mod positions;
mod real_ethereum;
mod support;
