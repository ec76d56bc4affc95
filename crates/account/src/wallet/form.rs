//! Whether a signature is in the form in which a key's are.

use std::fmt;

/// Whether a signature is in the form in which a key's are. That of a contract wallet may have any.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SignatureForm {
    /// It is: another key made it, or it is of something else.
    Key,
    /// It has so many bytes.
    Length(usize),
    /// Its last byte says nothing that the key could be recovered by.
    V(u8),
}

impl fmt::Display for SignatureForm {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Key => f.write_str("the wallet's own key did not sign"),
            Self::Length(0) => {
                f.write_str("a key's signature has 65 bytes, r, s and v, and this is empty")
            }
            Self::Length(length) => {
                write!(f, "a key's signature has 65 bytes, r, s and v, and this has {length}")
            }
            Self::V(v) => {
                write!(f, "a key's signature ends in a v of 27 or 28 (or 0 or 1), and this in {v}")
            }
        }
    }
}
