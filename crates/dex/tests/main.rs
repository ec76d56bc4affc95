//! All tests of the crate from outside, in one binary: each binary compiles and links anew what is below it.

mod laws;
mod layouts;
mod market;
mod pools;
