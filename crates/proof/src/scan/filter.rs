//! Which events are meant.

use alloc::vec::Vec;

use superroot_types::{Address, Hash};

use super::bounds::{ADDRESSES_MAX, ANYWHERE_MAX, TOPICS_MAX};
use super::error::ScanFault;
use crate::ledger::evm::Log;

/// Events of one of these addresses that have, at each position, one of its topics, as in
/// `eth_getLogs`; nothing listed is anything. And that have each of the topics `anywhere`.
///
/// Each list is rising and names nothing twice, so that one filter has one form.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ScanFilter {
    addresses: Vec<Address>,
    topics: [Vec<Hash>; 4],
    anywhere: Vec<Hash>,
}

impl ScanFilter {
    /// The filter of these lists, in whatever order they come.
    ///
    /// # Errors
    /// [`ScanFault::Filter`] where a list is too long.
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

    /// Addresses of which the event has one; none: whoever emitted it.
    #[must_use]
    pub fn addresses(&self) -> &[Address] {
        &self.addresses
    }

    /// At each position, topics of which the event has one there; none: whatever stands there.
    #[must_use]
    pub const fn topics(&self) -> &[Vec<Hash>; 4] {
        &self.topics
    }

    /// Topics of which the event has every one, at whatever position.
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
