//! Union of all watches, by chain.

use std::collections::BTreeMap;
use std::sync::Arc;

use superroot_store::layout::WatchFilter;
use superroot_types::{BlockNumber, ChainKey};

use crate::row::KeyWatch;

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

/// Merges watches by chain.
pub(crate) fn wanted<'a>(watches: impl Iterator<Item = &'a KeyWatch>) -> WantedByChain {
    let mut by_chain: BTreeMap<ChainKey, WantedWatch> = BTreeMap::new();
    for watch in watches {
        let wanted = by_chain.entry(watch.chain()).or_default();
        add(&mut wanted.list, watch);
        if let Some(from) = watch.from_block {
            add(wanted.from.entry(from).or_insert_with(WatchFilter::nothing), watch);
        }
    }
    Arc::new(by_chain.into_iter().map(|(chain, wanted)| (chain, Arc::new(wanted))).collect())
}

fn add(list: &mut WatchFilter, watch: &KeyWatch) {
    let before = std::mem::replace(list, WatchFilter::nothing());
    *list = before.and(watch.target.list());
}
