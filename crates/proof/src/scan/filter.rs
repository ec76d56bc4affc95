//! Event filter.

use alloc::vec::Vec;

use superroot_types::{Address, Hash};

use super::bounds::{ADDRESSES_MAX, ANYWHERE_MAX, TOPICS_MAX};
use super::error::ScanFault;
use crate::ledger::evm::Log;

/// Event filter as in `eth_getLogs`: a listed address and, at each position, a listed topic; an empty list matches
/// anything. Additionally every `anywhere` topic must be present.
///
/// Lists are rising without duplicates, so a filter has a single form.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ScanFilter {
    addresses: Vec<Address>,
    topics: [Vec<Hash>; 4],
    anywhere: Vec<Hash>,
}

impl ScanFilter {
    /// Filter from lists in any order.
    ///
    /// # Errors
    /// [`ScanFault::Filter`] for a too long list.
    pub fn new(
        mut addresses: Vec<Address>,
        mut topics: [Vec<Hash>; 4],
        mut anywhere: Vec<Hash>,
    ) -> Result<Self, ScanFault> {
        addresses.sort_unstable();
        addresses.dedup();
        for list in topics.iter_mut().chain([&mut anywhere]) {
            list.sort_unstable();
            list.dedup();
        }
        let too_long = |what, got, max| Err(ScanFault::Filter { what, got, max });
        if addresses.len() > ADDRESSES_MAX {
            return too_long("addresses", addresses.len(), ADDRESSES_MAX);
        }
        if let Some(list) = topics.iter().find(|list| list.len() > TOPICS_MAX) {
            return too_long("topics at one position", list.len(), TOPICS_MAX);
        }
        if anywhere.len() > ANYWHERE_MAX {
            return too_long("topics at any position", anywhere.len(), ANYWHERE_MAX);
        }
        Ok(Self { addresses, topics, anywhere })
    }

    /// Allowed addresses; empty: any.
    #[must_use]
    pub fn addresses(&self) -> &[Address] {
        &self.addresses
    }

    /// Allowed topics at each position; empty: any.
    #[must_use]
    pub const fn topics(&self) -> &[Vec<Hash>; 4] {
        &self.topics
    }

    /// Topics required at any position.
    #[must_use]
    pub fn anywhere(&self) -> &[Hash] {
        &self.anywhere
    }

    /// Whether every event passes.
    #[must_use]
    pub fn is_everything(&self) -> bool {
        self.addresses.is_empty()
            && self.topics.iter().all(Vec::is_empty)
            && self.anywhere.is_empty()
    }

    /// Whether a log passes.
    #[must_use]
    pub fn passes(&self, log: &Log) -> bool {
        (self.addresses.is_empty() || self.addresses.contains(&log.address))
            && self.topics.iter().enumerate().all(|(at, any_of)| {
                any_of.is_empty() || log.topics.get(at).is_some_and(|one| any_of.contains(one))
            })
            && self.anywhere.iter().all(|topic| log.topics.contains(topic))
    }
}
