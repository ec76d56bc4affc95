//! What a caller does about an error.

/// What the caller does next. Every crate's error enum has a `kind()` that gives one of these.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ErrorKind {
    /// The data or the request is wrong: drop it, and blame whoever sent it.
    Invalid,
    /// It may work later: retry with backoff.
    Unavailable,
    /// What is held is not what was written or agreed on: stop this stage, keep the evidence.
    Corrupt,
    /// Our own code broke a promise, or was asked for what it cannot do: stop the process.
    Bug,
}
