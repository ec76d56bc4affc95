//! A number, or why there is none.

use std::borrow::Cow;
use std::fmt;

/// Why there is no figure, in words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Why(pub Cow<'static, str>);

/// A number, or why there is none.
pub type Figure<T> = Result<T, Why>;

impl Why {
    /// A reason that is always the same.
    #[must_use]
    pub const fn of(why: &'static str) -> Self {
        Self(Cow::Borrowed(why))
    }

    /// A reason that names what it is about.
    #[must_use]
    pub const fn new(why: String) -> Self {
        Self(Cow::Owned(why))
    }
}

impl fmt::Display for Why {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}
