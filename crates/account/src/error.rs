use superroot_store::StoreError;
use superroot_types::{ChainId, ErrorKind, OutOfBounds, UnixSeconds};

use crate::limit::Allowance;
use crate::row::Contended;
use crate::wallet::SignatureForm;
use crate::{AccountId, Environment, KeyId};

/// Account and key errors.
#[derive(Debug, thiserror::Error)]
pub enum AccountError {
    #[error(transparent)]
    Store(#[from] StoreError),
    /// Every attempt lost to another writer.
    #[error(transparent)]
    Contended(#[from] Contended),
    /// Configured figure out of bounds.
    #[error(transparent)]
    Bounds(#[from] OutOfBounds),
    /// Invalid configuration.
    #[error("{field} is {got}, expected {expected}")]
    Config {
        /// The field's path.
        field: &'static str,
        got: String,
        expected: String,
    },
    /// Amount or count overflow; nothing was written.
    #[error("{what} is past the largest amount that is counted")]
    Overflow {
        /// Failed computation.
        what: &'static str,
    },
    /// External text too long or not printable.
    #[error("{field} must have 1 to {chars_max} printable characters")]
    Text { field: &'static str, chars_max: usize },
    /// No system randomness.
    #[error("the system gives no random numbers")]
    Randomness,
    /// The text is not in the form of a key; the store was not read.
    #[error("not a key: {why}")]
    NotAKey { why: &'static str },
    /// The key was never issued in this environment.
    #[error("unknown key")]
    UnknownKey,
    /// The key belongs to the other environment.
    #[error(
        "the key is of the other environment: it is a {got} key, this service serves {expected}"
    )]
    OtherEnvironment { got: Environment, expected: Environment },
    #[error("the key was revoked")]
    RevokedKey,
    /// The key was replaced, and its grace is over.
    #[error("the key was rotated, and its grace ended at {at}")]
    RotatedKey { at: UnixSeconds },
    #[error("the key expired at {at}")]
    ExpiredKey { at: UnixSeconds },
    /// An operator closed the account.
    #[error("the account is closed")]
    ClosedAccount,
    /// The account does not exist in this environment, or the caller has no access.
    #[error("unknown account {id}")]
    UnknownAccount { id: AccountId },
    /// The account has no such key.
    #[error("the account has no key {id}")]
    NoSuchKey { id: KeyId },
    /// Only a key in force can be changed or rotated.
    #[error("key {id} is {state}, expected an active one")]
    KeyState { id: KeyId, state: &'static str },
    /// Invalid wallet address.
    #[error("not a wallet address: {why}")]
    Address { why: &'static str },
    /// Meaningless scope.
    #[error("scope refused: {why}")]
    Scope { why: &'static str },
    /// The scope's path matches no route.
    #[error(
        "{asked} is no route: expected a path of /openapi.json with :name where it varies, or a \
         beginning /*"
    )]
    NoSuchRoute { asked: String },
    /// A public text contains a key.
    #[error("{field} holds a key, which belongs in no text")]
    KeyInText { field: &'static str },
    /// A key cannot grant, change or remove more rights than its own.
    #[error("the presented key cannot do this: {what}")]
    Beyond { what: &'static str },
    /// Number out of range.
    #[error("{what} {got} is out of range, expected {least} to {most}")]
    Range { what: &'static str, got: u64, least: u64, most: u64 },
    /// The account has reached a maximum.
    #[error("an account of this tier has at most {expected} {what}")]
    Full { what: &'static str, expected: usize },
    /// Only an integrator has sub-accounts.
    #[error("the account has no integrator agreement for the current month")]
    NoIntegrator,
    /// Too many registrations from the address.
    #[error(
        "too many registrations from this address (at most {} an hour), try again in \
         {retry_after_seconds} s", refused.limit
    )]
    Registrations {
        /// Wait until the next registration.
        retry_after_seconds: u64,
        /// The refusing limit's allowance.
        refused: Allowance,
    },
    /// The audit log was altered.
    #[error("the audit log is broken at act {sequence}: {why}")]
    Audit { sequence: u64, why: &'static str },
    /// The month does not exist, or is not over yet.
    #[error("month {month} {why}")]
    Month { month: String, why: &'static str },
    /// Not the message to sign (EIP-4361).
    #[error("message refused: {why}")]
    Message { why: &'static str },
    /// No open challenge has the nonce: never issued, used, or dropped.
    #[error("unknown challenge, it may have been used: ask for another")]
    UnknownChallenge,
    /// The time to sign is over.
    #[error("the challenge expired at {at}, ask for another")]
    ExpiredChallenge { at: UnixSeconds },
    /// The wallet did not sign the message.
    #[error("signature refused: {why}")]
    Signature { why: &'static str },
    /// The contract's answer on the signature is currently unavailable.
    #[error(
        "the wallet's own key did not sign, and the nodes of chain {chain} that must agree on what \
         its contract says cannot be asked now"
    )]
    ContractWallet { chain: ChainId },
    /// No node can check contract signatures of the chain.
    #[error(
        "{form}, and this service asks no node of chain {chain}: contract wallets cannot be checked \
         here, wallets with a key of their own can"
    )]
    NoContractNodes {
        chain: ChainId,
        /// The signature's form, compared with a key's.
        form: SignatureForm,
    },
    /// Contract signatures are not accepted on the chain.
    #[error("signature refused: {form}, and no contract wallet counts on chain {chain}")]
    NoContracts {
        chain: ChainId,
        /// The signature's form, compared with a key's.
        form: SignatureForm,
    },
}

impl AccountError {
    /// Error kind for the caller.
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

    /// Whether the presented key was refused: status 401, counted against the caller.
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
