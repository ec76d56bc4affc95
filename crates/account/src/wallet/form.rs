use std::fmt;

/// A signature's form, compared with a key's signature. A contract wallet's signature may have any form.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SignatureForm {
    /// Form of a key's signature: made by another key, or for another message.
    Key,
    /// Length in bytes.
    Length(usize),
    /// Last byte without information for key recovery.
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
