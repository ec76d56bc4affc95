use std::borrow::Cow;
use std::fmt;

/// Reason for a missing figure, in words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NoFigure(pub Cow<'static, str>);

/// Number, or the reason for a missing number.
pub type Figure<T> = Result<T, NoFigure>;

impl NoFigure {
    #[must_use]
    pub const fn of(why: &'static str) -> Self {
        Self(Cow::Borrowed(why))
    }

    #[must_use]
    pub const fn new(why: String) -> Self {
        Self(Cow::Owned(why))
    }
}

impl fmt::Display for NoFigure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}
