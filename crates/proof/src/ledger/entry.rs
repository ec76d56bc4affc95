//! Level 1 parts in a binary form.

/// Level 1 parts named by a binary form: the transaction part and the outcome part.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct EntryParts {
    pub(crate) transaction: bool,
    pub(crate) receipt: bool,
}

pub(crate) enum MalformedEntry {
    Parts,
    Part(&'static str),
}
