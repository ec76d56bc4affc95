//! All tests of the crate from outside, in one binary: each binary compiles and links anew what is below it.

mod laws;
mod ledgers;
mod market;
mod real;
mod store;
