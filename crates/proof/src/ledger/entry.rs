//! How a binary form says which parts of level 1 it has.

/// Which of the two parts of level 1 a binary form says that it has: that of the transaction, and that
/// of what came of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct EntryParts {
    pub(crate) transaction: bool,
    pub(crate) receipt: bool,
}

/// Why bytes are no level 1.
pub(crate) enum MalformedEntry {
    /// The family has no such parts.
    Parts,
    /// That part is cut short or out of bounds.
    Part(&'static str),
}
