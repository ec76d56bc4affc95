//! Event filter, and the index rows to read for a filter.

use superroot_store::layout::WatchFilter;
use superroot_types::{Address, ChainKey, Hash};

use crate::event::BlockEvent;
use crate::rows;

/// Most place rows read in parallel by one search.
pub const PLANNED_MAX: usize = 1024;

/// Most address and topic pairs to join; beyond, only one of the two is searched.
const PAIRS_MAX: usize = 64;

/// Event filter: one of the addresses, and one of the topics at each position. An empty list matches anything.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct EventFilter {
    /// Ledger addresses: 20 bytes in the EVM family.
    pub addresses: Vec<Vec<u8>>,
    /// Topics by position, as in `eth_getLogs`.
    pub topics: [Vec<Hash>; 4],
}

impl EventFilter {
    #[must_use]
    pub fn passes(&self, event: &BlockEvent) -> bool {
        let one_of = |address: &Vec<u8>| self.addresses.contains(address);
        (self.addresses.is_empty() || event.addresses.iter().any(one_of))
            && self.topics.iter().enumerate().all(|(at, any_of)| {
                any_of.is_empty()
                    || event.topics.get(at).is_some_and(|topic| any_of.contains(topic))
            })
    }

    /// Whether the watch list keeps every passing event, so that an index of kept events is complete.
    pub(super) fn is_within(&self, watch: &WatchFilter) -> bool {
        let WatchFilter::Some { addresses, topics } = watch else { return true };
        let is_watched = |address: &Vec<u8>| {
            let address: Option<[u8; 20]> = address.as_slice().try_into().ok();
            address.is_some_and(|address| addresses.contains(&Address(address)))
        };
        let all_watched = |any_of: &Vec<Hash>| {
            !any_of.is_empty() && any_of.iter().all(|one| topics.contains(one))
        };
        (!self.addresses.is_empty() && self.addresses.iter().all(is_watched))
            || self.topics.iter().any(all_watched)
    }

    /// Key prefixes that cover all passing events; `None` if every event must be examined.
    pub(super) fn plan(&self, chain: ChainKey) -> Option<Vec<Vec<u8>>> {
        let addresses = &self.addresses;
        let first = &self.topics[0];
        let pairs = addresses.len().saturating_mul(first.len());
        let mut prefixes: Vec<Vec<u8>> = if (1..=PAIRS_MAX).contains(&pairs) {
            let pairs =
                addresses.iter().flat_map(|one| first.iter().map(move |topic| (one, topic)));
            pairs.map(|(address, topic)| rows::by_both(chain, address, topic)).collect()
        } else if !addresses.is_empty() {
            addresses.iter().map(|address| rows::by_address(chain, address)).collect()
        } else {
            first.iter().map(|topic| rows::by_topic(chain, topic)).collect()
        };
        prefixes.sort_unstable();
        prefixes.dedup();
        (1..=PLANNED_MAX).contains(&prefixes.len()).then_some(prefixes)
    }
}
