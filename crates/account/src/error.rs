//! What can go wrong with accounts, keys and money.

use superroot_store::{ErrorKind as StoreKind, StoreError};
use superroot_types::{ChainId, UnixSeconds};

use crate::{AccountId, KeyId};

/// What the caller does about an error.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ErrorKind {
    /// The request is at fault: refuse it.
    Invalid,
    /// It may work later.
    Unavailable,
    /// What is stored is not what was written: keep the evidence.
    Corrupt,
    /// Our own code broke a promise: stop the process.
    Bug,
}

/// Why something was refused. Messages never hold a key.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum AccountError {
    /// The store did not do what was asked.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// Others kept changing the same rows.
    #[error("the same rows were changed by others {attempts} times in a row, nothing was written")]
    Contended {
        /// How often it was tried.
        attempts: usize,
    },
    /// The system gives no random numbers.
    #[error("the system gives no random numbers")]
    Randomness,
    /// The text is not in the form of a key, which needs no look into the store.
    #[error("not a key: {why}")]
    NotAKey {
        /// What is wrong with it.
        why: &'static str,
    },
    /// No such key was issued in this environment.
    #[error("unknown key")]
    UnknownKey,
    /// The key was revoked, or its grace after a rotation is over.
    #[error("the key was revoked")]
    RevokedKey,
    /// The key's time is over.
    #[error("the key expired at {at}")]
    ExpiredKey {
        /// When.
        at: UnixSeconds,
    },
    /// The operator closed the account.
    #[error("the account is closed")]
    ClosedAccount,
    /// No such account in this environment.
    #[error("unknown account {id}")]
    UnknownAccount {
        /// Its id.
        id: AccountId,
    },
    /// The account has no such key.
    #[error("the account has no key {id}")]
    NoSuchKey {
        /// Its id.
        id: KeyId,
    },
    /// The text is not a wallet's address.
    #[error("not a wallet address: {why}")]
    Address {
        /// What is wrong with it.
        why: &'static str,
    },
    /// A text of the caller's is not one that is kept.
    #[error("{what} cannot be kept: {why}")]
    Text {
        /// Which text.
        what: &'static str,
        /// What is wrong with it.
        why: &'static str,
    },
    /// A scope that means nothing.
    #[error("scope refused: {why}")]
    Scope {
        /// What is wrong with it.
        why: &'static str,
    },
    /// A key may hand on no more than it has.
    #[error("a key cannot give or change {what} beyond its own")]
    Beyond {
        /// What goes beyond.
        what: &'static str,
    },
    /// A time that lies in the past, or too far ahead.
    #[error("{what} {got} is out of range, expected {least} to {most}")]
    Range {
        /// Which number.
        what: &'static str,
        /// What was given.
        got: u64,
        /// Least allowed.
        least: u64,
        /// Most allowed.
        most: u64,
    },
    /// The account has as many as it may have.
    #[error("an account has at most {expected} {what}")]
    Full {
        /// Of what.
        what: &'static str,
        /// How many.
        expected: usize,
    },
    /// Too many registrations from there.
    #[error("too many registrations from this address, try again in {retry_after_seconds} s")]
    Registrations {
        /// When one is possible again.
        retry_after_seconds: u64,
    },
    /// The key's chain scope leaves this chain out.
    #[error("the key's scope does not hold chain {chain}")]
    ChainOutOfScope {
        /// The chain.
        chain: ChainId,
    },
    /// The log of operators' acts is not what was written.
    #[error("the audit log is broken at act {sequence}: {why}")]
    Audit {
        /// Where.
        sequence: u64,
        /// What is wrong with it.
        why: &'static str,
    },
    /// A setting that cannot be.
    #[error("setting {name}: {why}")]
    Setting {
        /// Its name.
        name: &'static str,
        /// What is wrong with it.
        why: &'static str,
    },
}

impl AccountError {
    /// What the caller does about it.
    #[must_use]
    pub fn kind(&self) -> ErrorKind {
        match self {
            Self::Store(error) => match error.kind() {
                StoreKind::Unavailable => ErrorKind::Unavailable,
                StoreKind::Corrupt => ErrorKind::Corrupt,
                StoreKind::Invalid | StoreKind::Bug => ErrorKind::Bug, // every bound is checked before
            },
            Self::Contended { .. } | Self::Randomness | Self::Registrations { .. } => {
                ErrorKind::Unavailable
            }
            Self::Audit { .. } => ErrorKind::Corrupt,
            Self::NotAKey { .. }
            | Self::UnknownKey
            | Self::RevokedKey
            | Self::ExpiredKey { .. }
            | Self::ClosedAccount
            | Self::UnknownAccount { .. }
            | Self::NoSuchKey { .. }
            | Self::Address { .. }
            | Self::Text { .. }
            | Self::Scope { .. }
            | Self::Beyond { .. }
            | Self::Range { .. }
            | Self::Full { .. }
            | Self::ChainOutOfScope { .. }
            | Self::Setting { .. } => ErrorKind::Invalid,
        }
    }

    /// Whether the presented key is what was refused: 401, and it counts against the caller.
    #[must_use]
    pub const fn refuses_key(&self) -> bool {
        matches!(
            self,
            Self::NotAKey { .. }
                | Self::UnknownKey
                | Self::RevokedKey
                | Self::ExpiredKey { .. }
                | Self::ClosedAccount
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use superroot_store::Table;

    #[test]
    fn kinds_tell_what_to_do_next() {
        let corrupt = StoreError::Corrupt { table: Table::Account, key: vec![1], why: "not a row" };
        let long = StoreError::KeyLength { table: Table::Meta, got: 257, expected: 256 };
        assert_eq!(AccountError::from(corrupt).kind(), ErrorKind::Corrupt);
        assert_eq!(AccountError::from(long).kind(), ErrorKind::Bug);
        assert_eq!(AccountError::from(StoreError::Dead).kind(), ErrorKind::Unavailable);
        assert_eq!(AccountError::UnknownKey.kind(), ErrorKind::Invalid);
        assert_eq!(AccountError::Contended { attempts: 3 }.kind(), ErrorKind::Unavailable);
    }

    #[test]
    fn what_is_wrong_with_a_key_is_told_from_what_is_wrong_with_us() {
        assert!(AccountError::UnknownKey.refuses_key());
        assert!(AccountError::NotAKey { why: "checksum" }.refuses_key());
        assert!(!AccountError::from(StoreError::Dead).refuses_key());
        assert!(!AccountError::Contended { attempts: 1 }.refuses_key());
        assert_eq!(AccountError::NotAKey { why: "checksum" }.to_string(), "not a key: checksum");
    }
}
