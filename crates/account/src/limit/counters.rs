use super::{AddressPrefix, Allowance, RequestRate};
use crate::{AccountId, KeyId};

/// A bucket's name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Counter {
    /// Requests without a key.
    Address(AddressPrefix),
    /// Requests for immutable files.
    File(AddressPrefix),
    /// Requests with any key of the account.
    Account(AccountId),
    /// Key management with one key.
    OfKeys(KeyId),
    /// Key management with any key.
    OfKeysFrom(AddressPrefix),
    /// Requests with an invalid key.
    FailedKey(AddressPrefix),
    /// Invalid keys looked up.
    KeyLook(AddressPrefix),
    /// Key lookups past [`Counter::KeyLook`], for all addresses together.
    KeyLooks,
    /// Opened accounts.
    Registration(AddressPrefix),
    /// Signatures checked by nodes.
    ContractCheck(AddressPrefix),
}

/// Buckets by name: in this process ([`super::InProcess`]), or shared by several.
///
/// Calls never block, as every request waits for them. Guarantees, checked by `conformance`:
/// - Concurrent requests on any threads pass no more often than sequential ones.
/// - No kind of bucket evicts another kind, and the memory of each kind is bounded.
pub trait Counters: Send + Sync {
    /// Takes one request from the bucket, if available.
    fn take(&self, counter: Counter, rate: RequestRate) -> Allowance;

    /// Allowance that [`Counters::take`] would return; takes nothing.
    fn peek(&self, counter: Counter, rate: RequestRate) -> Allowance;
}
