//! All tests of the crate from outside.
#![allow(missing_docs)]

mod laws;
