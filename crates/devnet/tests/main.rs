//! All tests of the crate from outside.

mod laws;
