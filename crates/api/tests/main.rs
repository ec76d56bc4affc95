//! All tests of the crate from outside, in one binary: each binary compiles and links anew what is below it.
#![allow(missing_docs)]

mod accounts;
mod attacks;
mod bodies;
mod gas;
mod gate;
mod grpc;
mod hostile;
mod limits;
mod notes;
mod orders;
mod pages;
mod prices;
mod proofs;
mod refusals;
mod scan;
mod signals;
mod sizes;
mod status;
mod stopped;
mod streams;
mod superroots;
mod support;
mod tiles;
mod twigs;
mod wallets;
mod watches;
mod webhooks;
