//! What all watches come to, chain by chain.

use std::collections::BTreeMap;
use std::sync::Arc;

use superroot_store::layout::Watch;
use superroot_types::{BlockNumber, ChainKey};

use crate::row::KeyWatch;

/// What is wanted of every chain.
pub type WantedByChain = Arc<BTreeMap<ChainKey, Arc<Wanted>>>;

/// What is wanted of one chain.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Wanted {
    /// Everything that is watched.
    pub list: Watch,
    /// What is wanted of blocks that are held already, by the first block that it is wanted of.
    pub from: BTreeMap<BlockNumber, Watch>,
}

impl Default for Wanted {
    fn default() -> Self {
        Self { list: Watch::nothing(), from: BTreeMap::new() }
    }
}

/// What these watches come to.
pub(crate) fn wanted<'a>(watches: impl Iterator<Item = &'a KeyWatch>) -> WantedByChain {
    let mut by_chain: BTreeMap<ChainKey, Wanted> = BTreeMap::new();
    for watch in watches {
        let wanted = by_chain.entry(watch.chain()).or_default();
        add(&mut wanted.list, watch);
        if let Some(from) = watch.from_block {
            add(wanted.from.entry(from).or_insert_with(Watch::nothing), watch);
        }
    }
    Arc::new(by_chain.into_iter().map(|(chain, wanted)| (chain, Arc::new(wanted))).collect())
}

fn add(list: &mut Watch, watch: &KeyWatch) {
    let before = std::mem::replace(list, Watch::nothing());
    *list = before.and(watch.target.list());
}
