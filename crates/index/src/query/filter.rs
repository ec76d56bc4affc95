//! Which events are asked for, and which rows of the index lead to them.

use superroot_store::layout::Watch;
use superroot_types::{Address, ChainKey, Hash};

use crate::event::Event;
use crate::rows;

/// Rows of places that one search reads side by side, at most.
pub const PLANNED_MAX: usize = 1024;

/// Places by address and by topic are joined up to so many pairs; past them one of both is searched.
const PAIRS_MAX: usize = 64;

/// Events that have one of the addresses, and at each position one of its topics. Nothing listed is
/// anything.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Filter {
    /// Addresses as the ledger has them: 20 bytes in the EVM family.
    pub addresses: Vec<Vec<u8>>,
    /// Topics by position, as in `eth_getLogs`.
    pub topics: [Vec<Hash>; 4],
}

impl Filter {
    /// Whether an event passes.
    #[must_use]
    pub fn passes(&self, event: &Event) -> bool {
        let one_of = |address: &Vec<u8>| self.addresses.contains(address);
        (self.addresses.is_empty() || event.addresses.iter().any(one_of))
            && self.topics.iter().enumerate().all(|(at, any_of)| {
                any_of.is_empty()
                    || event.topics.get(at).is_some_and(|topic| any_of.contains(topic))
            })
    }

    /// Whether every event that passes is kept under that watch list, so that an index of what is kept
    /// has all of them.
    pub(super) fn is_within(&self, watch: &Watch) -> bool {
        let Watch::Some { addresses, topics } = watch else { return true };
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

    /// What the keys begin with that lead to all such events; `None` where every event has to be looked
    /// at.
    pub(super) fn plan(&self, chain: ChainKey) -> Option<Vec<Vec<u8>>> {
        let (addresses, first) = (&self.addresses, &self.topics[0]);
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
