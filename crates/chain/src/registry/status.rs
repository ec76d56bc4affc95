//! Whether blocks of a chain are read.

/// Whether this build reads blocks of a chain.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Status {
    /// It does.
    Collected,
    /// The row and its slot are there, blocks are not.
    Planned,
}

impl Status {
    /// The word used in JSON and `chains.toml`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Collected => "collected",
            Self::Planned => "planned",
        }
    }
}
