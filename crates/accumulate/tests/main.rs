//! All tests of the crate from outside, in one binary: each binary compiles and links anew what is below it.

mod bitcoin;
mod cosign;
mod gaps;
mod log;
#[path = "../../chain/tests/mined/mod.rs"]
mod mined;
mod notes;
mod positions;
mod prove;
mod repeat;
mod scan;
mod support;
