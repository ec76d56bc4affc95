//! Which blocks that are held lack events that are watched.

use std::collections::BTreeMap;

use superroot_store::coverage::load_coverage_within;
use superroot_store::layout::{HeaderWhy, Held, Watch};
use superroot_store::{Store, StoreError, read};
use superroot_types::{BlockNumber, ChainKey, Hash};

use crate::wanted::Wanted;

/// Runs of final blocks whose events of `wanted` were not kept, rising. Blocks that are not collected, or of which
/// no body came, are not among them: to look at these once more brings nothing.
///
/// # Errors
/// Those of the store.
pub fn lacking(
    store: &dyn Store,
    chain: ChainKey,
    wanted: &Wanted,
) -> Result<Vec<(BlockNumber, BlockNumber)>, StoreError> {
    let state = read::load_chain_state(store, chain)?;
    let Some((start, last)) = state.and_then(|state| Some((state.start, state.indexed?.number)))
    else {
        return Ok(Vec::new());
    };
    let Some(first) = wanted.from.keys().next() else { return Ok(Vec::new()) };
    let mut first_lacking: BTreeMap<Hash, Option<BlockNumber>> = BTreeMap::new();
    let nothing = Watch::nothing();
    let mut ranges: Vec<(BlockNumber, BlockNumber)> = Vec::new();
    for run in load_coverage_within(store, chain, start.max(*first), last)? {
        let hash = match run.held {
            Held::Watched { watch_hash } => watch_hash,
            Held::HeaderOnly { why: HeaderWhy::NothingWatched } => nothing.hash(),
            Held::HeaderOnly { why: HeaderWhy::NoBody }
            | Held::Whole
            | Held::Partial { .. }
            | Held::Skipped
            | Held::Refused => continue,
        };
        let lacks_from = match first_lacking.get(&hash) {
            Some(known) => *known,
            None => {
                let had = read::load_watch(store, &hash)?.unwrap_or_else(Watch::nothing);
                let lacks = |(_, list): &(&BlockNumber, &Watch)| !list.without(&had).is_nothing();
                let lacks_from = wanted.from.iter().find(lacks).map(|(from, _)| *from);
                first_lacking.insert(hash, lacks_from);
                lacks_from
            }
        };
        let Some(from) = lacks_from.map(|from| from.max(run.from).max(start)) else { continue };
        let to = run.to.min(last);
        match ranges.last_mut() {
            _ if from > to => {}
            Some(before) if before.1.0 + 1 == from.0 => before.1 = to,
            _ => ranges.push((from, to)),
        }
    }
    Ok(ranges)
}
