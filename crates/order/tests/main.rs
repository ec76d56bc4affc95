//! All tests of the crate from outside, in one binary: each binary compiles and links anew what is below it.

mod bridges;
mod causes;
mod intents;
mod laws;
mod market;
mod recordings;
mod shared;
