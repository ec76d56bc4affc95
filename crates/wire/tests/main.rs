//! All tests of the crate from outside, in one binary: each binary compiles and links anew what is below it.
#![allow(missing_docs)]

mod attacks;
mod batch;
mod fixture;
mod grpc;
mod proof;
#[allow(dead_code, reason = "the chains' own tests use all of it")]
#[path = "../../chain/tests/real/mod.rs"]
mod real;
mod real_blocks;
mod scan;
#[path = "../../proof/tests/slots/mod.rs"]
mod slots;
mod solana;
mod superroot;
