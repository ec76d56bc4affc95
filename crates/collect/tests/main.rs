//! All tests of the crate from outside, in one binary: each binary compiles and links anew what is below it.

mod agreed;
mod backfill;
mod bitcoin_due;
mod claims;
mod collect;
mod crash;
mod gate;
mod live;
mod recordings;
mod refused_bodies;
mod support;
mod watch;
