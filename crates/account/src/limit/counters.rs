//! What keeps the buckets.

use super::{AddressPrefix, Allowance, Rate};
use crate::{AccountId, KeyId};

/// A bucket's name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Counter {
    /// Requests without a key.
    Address(AddressPrefix),
    /// Requests for files that never change.
    File(AddressPrefix),
    /// Requests with any key of the account.
    Account(AccountId),
    /// Requests about keys, with that key.
    OfKeys(KeyId),
    /// Requests about keys, with any key.
    OfKeysFrom(AddressPrefix),
    /// Requests with a key that is none.
    FailedKey(AddressPrefix),
    /// Keys that were looked up and are none.
    KeyLook(AddressPrefix),
    /// Keys that are looked up past [`Counter::KeyLook`], of all addresses together.
    KeyLooks,
    /// Accounts opened.
    Registration(AddressPrefix),
    /// Signatures about which nodes are asked.
    ContractCheck(AddressPrefix),
}

/// Buckets by name: in this process ([`super::InProcess`]), or shared by several.
///
/// Calls do not block: they stand in every request's way. What every implementation promises, and
/// `conformance` checks:
/// - Of requests made at the same time, by whichever threads, no more pass than one after another.
/// - No kind of bucket can push another kind's out of memory, and the memory of each is bounded.
pub trait Counters: Send + Sync {
    /// Takes one request from the bucket, if it holds one.
    fn take(&self, counter: Counter, rate: Rate) -> Allowance;

    /// What [`Counters::take`] would answer, with nothing taken.
    fn peek(&self, counter: Counter, rate: Rate) -> Allowance;
}
