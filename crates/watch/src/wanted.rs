//! Union of all watches, by chain.

use std::collections::BTreeMap;
use std::sync::Arc;

use superroot_store::layout::WatchFilter;
use superroot_types::{BlockNumber, ChainKey};

use crate::row::WatchTarget;

pub type WantedByChain = Arc<BTreeMap<ChainKey, Arc<WantedWatch>>>;

/// Union of all watches on a chain.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WantedWatch {
    /// Filter with all targets.
    pub list: WatchFilter,
    /// Filters for already stored blocks, by first block.
    pub from: BTreeMap<BlockNumber, WatchFilter>,
}

impl Default for WantedWatch {
    fn default() -> Self {
        Self { list: WatchFilter::nothing(), from: BTreeMap::new() }
    }
}

/// Target on a chain, with the first block of interest.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OwnWatch {
    pub chain: ChainKey,
    pub target: WatchTarget,
    pub from_block: Option<BlockNumber>,
}

/// Merges watches by chain.
pub(crate) fn wanted(watches: impl Iterator<Item = OwnWatch>) -> WantedByChain {
    let mut by_chain: BTreeMap<ChainKey, WantedWatch> = BTreeMap::new();
    for OwnWatch { chain, target, from_block } in watches {
        let wanted = by_chain.entry(chain).or_default();
        add(&mut wanted.list, target);
        if let Some(from) = from_block {
            add(wanted.from.entry(from).or_insert_with(WatchFilter::nothing), target);
        }
    }
    Arc::new(by_chain.into_iter().map(|(chain, wanted)| (chain, Arc::new(wanted))).collect())
}

fn add(list: &mut WatchFilter, target: WatchTarget) {
    let before = std::mem::replace(list, WatchFilter::nothing());
    *list = before.and(target.list());
}
