//! All tests of the crate from outside, in one binary: each binary compiles and links anew what is below it.

mod checkpoints;
mod metering;
mod support;
mod usage;
