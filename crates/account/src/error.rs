//! What can go wrong with accounts and keys.

use superroot_store::StoreError;
use superroot_types::{ChainId, ErrorKind, OutOfBounds, UnixSeconds};

use crate::limit::Allowance;
use crate::row::Contended;
use crate::wallet::SignatureForm;
use crate::{AccountId, Environment, KeyId};

/// Why something about accounts was not done.
#[derive(Debug, thiserror::Error)]
pub enum AccountError {
    /// The store did not do its part.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// Other writers were faster, each time.
    #[error(transparent)]
    Contended(#[from] Contended),
    /// A configured figure is out of its bounds.
    #[error(transparent)]
    Bounds(#[from] OutOfBounds),
    /// Something configured cannot be.
    #[error("{field} is {got}, expected {expected}")]
    Config {
        /// Path of the field.
        field: &'static str,
        /// What was found.
        got: String,
        /// What is allowed.
        expected: String,
    },
    /// An amount or a count is past what can be counted; nothing was written.
    #[error("{what} is past the largest amount that is counted")]
    Overflow {
        /// What was being computed.
        what: &'static str,
    },
    /// A text from outside is too long or has characters that are not printed.
    #[error("{field} must have 1 to {chars_max} printable characters")]
    Text {
        /// What it is.
        field: &'static str,
        /// Most characters allowed.
        chars_max: usize,
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
    /// The key was made for the other environment.
    #[error(
        "the key is of the other environment: it is a {got} key, this service serves {expected}"
    )]
    OtherEnvironment {
        /// The key's.
        got: Environment,
        /// The service's.
        expected: Environment,
    },
    /// The key was revoked.
    #[error("the key was revoked")]
    RevokedKey,
    /// Another key took its place, and its grace is over.
    #[error("the key was rotated, and its grace ended at {at}")]
    RotatedKey {
        /// When.
        at: UnixSeconds,
    },
    /// The key's time is over.
    #[error("the key expired at {at}")]
    ExpiredKey {
        /// When.
        at: UnixSeconds,
    },
    /// The operator closed the account.
    #[error("the account is closed")]
    ClosedAccount,
    /// No such account in this environment, or not one that the caller may touch.
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
    /// Only a key in force can be changed or rotated.
    #[error("key {id} is {state}, expected an active one")]
    KeyState {
        /// Its id.
        id: KeyId,
        /// Where it stands.
        state: &'static str,
    },
    /// The text is not a wallet's address.
    #[error("not a wallet address: {why}")]
    Address {
        /// What is wrong with it.
        why: &'static str,
    },
    /// A scope that means nothing.
    #[error("scope refused: {why}")]
    Scope {
        /// What is wrong with it.
        why: &'static str,
    },
    /// A scope names a path that no route has.
    #[error(
        "{asked} is no route: expected a path of /openapi.json with :name where it varies, or a \
         beginning /*"
    )]
    NoSuchRoute {
        /// The path.
        asked: String,
    },
    /// A text that others will read holds a key.
    #[error("{field} holds a key, which belongs in no text")]
    KeyInText {
        /// What it is.
        field: &'static str,
    },
    /// A key may hand on, change and take away no more than it has.
    #[error("the presented key cannot do this: {what}")]
    Beyond {
        /// What goes beyond.
        what: &'static str,
    },
    /// A number out of its range.
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
    #[error("an account of this tier has at most {expected} {what}")]
    Full {
        /// Of what.
        what: &'static str,
        /// How many.
        expected: usize,
    },
    /// Only an integrator has sub-accounts.
    #[error("the account is no integrator: no agreement makes it one in the running month")]
    NoIntegrator,
    /// Too many registrations from there.
    #[error(
        "too many registrations from this address (at most {} an hour), try again in \
         {retry_after_seconds} s", refused.limit
    )]
    Registrations {
        /// When one is possible again.
        retry_after_seconds: u64,
        /// What the limit says that refused it.
        refused: Allowance,
    },
    /// The log of operators' acts is not what was written.
    #[error("the audit log is broken at act {sequence}: {why}")]
    Audit {
        /// Where.
        sequence: u64,
        /// What is wrong with it.
        why: &'static str,
    },
    /// A month that does not exist, or is not over yet.
    #[error("month {month} {why}")]
    Month {
        /// The text.
        month: String,
        /// What is wrong with it.
        why: &'static str,
    },
    /// A message that is not the one to sign (EIP-4361).
    #[error("message refused: {why}")]
    Message {
        /// What is wrong with it.
        why: &'static str,
    },
    /// No challenge of that nonce is open: none was given out, or it was used, or dropped.
    #[error("unknown challenge, it may have been used: ask for another")]
    UnknownChallenge,
    /// The time to sign is over.
    #[error("the challenge expired at {at}, ask for another")]
    ExpiredChallenge {
        /// When.
        at: UnixSeconds,
    },
    /// The wallet did not sign the message.
    #[error("signature refused: {why}")]
    Signature {
        /// What is wrong with it.
        why: &'static str,
    },
    /// Whether a contract vouches for a signature is not known now.
    #[error(
        "the wallet's own key did not sign, and the nodes of chain {chain} that must agree on what \
         its contract says cannot be asked now"
    )]
    ContractWallet {
        /// The chain.
        chain: ChainId,
    },
    /// There is no node that could say whether a contract vouches for a signature.
    #[error(
        "{form}, and this service asks no node of chain {chain}: contract wallets cannot be checked \
         here, wallets with a key of their own can"
    )]
    NoContractNodes {
        /// The chain.
        chain: ChainId,
        /// How it is no signature of the wallet's own key.
        form: SignatureForm,
    },
    /// Contracts vouch for no signature on that chain.
    #[error("signature refused: {form}, and no contract wallet counts on chain {chain}")]
    NoContracts {
        /// The chain.
        chain: ChainId,
        /// How it is no signature of the wallet's own key.
        form: SignatureForm,
    },
}

impl AccountError {
    /// What the caller does about it.
    #[must_use]
    pub fn kind(&self) -> ErrorKind {
        match self {
            Self::Store(error) => error.kind(),
            Self::Audit { .. } => ErrorKind::Corrupt,
            Self::Contended(_)
            | Self::Randomness
            | Self::Registrations { .. }
            | Self::ContractWallet { .. } => ErrorKind::Unavailable,
            Self::Bounds(_)
            | Self::Config { .. }
            | Self::Overflow { .. }
            | Self::Text { .. }
            | Self::NotAKey { .. }
            | Self::UnknownKey
            | Self::OtherEnvironment { .. }
            | Self::RevokedKey
            | Self::RotatedKey { .. }
            | Self::ExpiredKey { .. }
            | Self::ClosedAccount
            | Self::UnknownAccount { .. }
            | Self::NoSuchKey { .. }
            | Self::KeyState { .. }
            | Self::Address { .. }
            | Self::Scope { .. }
            | Self::NoSuchRoute { .. }
            | Self::KeyInText { .. }
            | Self::Beyond { .. }
            | Self::Range { .. }
            | Self::Full { .. }
            | Self::NoIntegrator
            | Self::Month { .. }
            | Self::Message { .. }
            | Self::UnknownChallenge
            | Self::ExpiredChallenge { .. }
            | Self::Signature { .. }
            | Self::NoContractNodes { .. }
            | Self::NoContracts { .. } => ErrorKind::Invalid,
        }
    }

    /// Whether the presented key is what was refused: 401, and it counts against the caller.
    #[must_use]
    pub const fn refuses_key(&self) -> bool {
        matches!(
            self,
            Self::NotAKey { .. }
                | Self::UnknownKey
                | Self::OtherEnvironment { .. }
                | Self::RevokedKey
                | Self::RotatedKey { .. }
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
        let contended = AccountError::from(Contended { table: Table::Meta, attempts: 3 });
        assert_eq!(AccountError::from(corrupt).kind(), ErrorKind::Corrupt);
        assert_eq!(AccountError::from(StoreError::Dead).kind(), ErrorKind::Unavailable);
        assert_eq!(AccountError::UnknownKey.kind(), ErrorKind::Invalid);
        assert_eq!(contended.kind(), ErrorKind::Unavailable);
        let broken = AccountError::Audit { sequence: 1, why: "it is missing" };
        assert_eq!(broken.kind(), ErrorKind::Corrupt);
    }

    #[test]
    fn what_is_wrong_with_a_key_is_told_from_what_is_wrong_with_us() {
        assert!(AccountError::UnknownKey.refuses_key());
        assert!(AccountError::RotatedKey { at: UnixSeconds(7) }.refuses_key());
        assert!(AccountError::NotAKey { why: "checksum" }.refuses_key());
        assert!(!AccountError::from(StoreError::Dead).refuses_key());
        assert!(!AccountError::Randomness.refuses_key());
        assert_eq!(AccountError::NotAKey { why: "checksum" }.to_string(), "not a key: checksum");
    }
}
