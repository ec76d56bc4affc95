/// Caller's next action after an error. Every error enum has a `kind()`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ErrorKind {
    /// Data or request is wrong: drop the data, blame the sender.
    Invalid,
    /// Temporary failure: retry with backoff.
    Unavailable,
    /// Stored data differ from the written or agreed data: stop this stage, keep the evidence.
    Corrupt,
    /// Broken promise of our own code, or an impossible request: stop the process.
    Bug,
}
