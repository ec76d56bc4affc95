//! Launches as a stage over the change feed.

use std::collections::BTreeSet;

use superroot_index::IndexError;
use superroot_store::feed::{Change, Feed, Stage};
use superroot_store::layout::end_of_prefix;
use superroot_store::{Batch, Direction, Store, Table, read as blocks};
use superroot_types::BlockNumber;

use super::launching::Launching;
use super::rows::{self, Behind};
use super::{Changed, Kind, find};

/// Name of the stage.
pub const LAUNCHES: &str = "launches";

/// Rows that one step removes, at most, when launches are found anew.
const CLEARED_MAX: usize = 4_096;

/// Finds launches in each block once its events are indexed: whoever steps it sees to that.
pub struct LaunchStage(pub Launching);

impl Stage for LaunchStage {
    type Error = IndexError;

    fn name(&self) -> &'static str {
        LAUNCHES
    }

    fn apply(
        &mut self,
        store: &dyn Store,
        feed: Feed,
        changes: &[Change],
        batch: &mut Batch,
    ) -> Result<(), IndexError> {
        let Feed::Chain(chain) = feed else { return Ok(()) };
        let numbers: BTreeSet<BlockNumber> = changes.iter().flat_map(Change::numbers).collect();
        // what the batch changes of the store: first what is gone, then what is there, as liquidity may have moved to an
        // earlier block
        let (mut changed, mut to_look_at) = (Changed::new(), Vec::new());
        for number in numbers {
            let stood = rows::load_in(store, chain, number)?;
            let held = blocks::load_block(store, chain, number)?.map(|block| block.hash);
            // a block that is held as it was looked at has no more launches than were found
            if stood.iter().any(|one| Some(one.liquidity.block_hash) == held) {
                continue;
            }
            for launch in &stood {
                batch.delete(Table::Market, rows::block_key(chain, launch));
                if launch.kind == Kind::Launched {
                    batch.delete(Table::Market, rows::pool_launch_key(chain, &launch.pool));
                    changed.insert(launch.pool, None);
                }
            }
            to_look_at.push(number);
        }
        for number in to_look_at {
            for launch in find::in_block(&self.0, store, (chain, number), &changed)? {
                let key = rows::block_key(chain, &launch);
                if launch.kind == Kind::Launched {
                    changed.insert(launch.pool, Some(launch.clone()));
                    batch.put(
                        Table::Market,
                        rows::pool_launch_key(chain, &launch.pool),
                        key.clone(),
                    );
                    let (creation, liquidity) = (launch.creation, launch.liquidity);
                    let behind = Behind { chain, creation, liquidity };
                    batch.put(
                        Table::Market,
                        rows::hash_key(&launch.proof_hash(chain)),
                        behind.encode(),
                    );
                }
                batch.put(Table::Market, key, launch.encode());
            }
        }
        Ok(())
    }

    fn clear(
        &mut self,
        store: &dyn Store,
        feed: Feed,
        batch: &mut Batch,
    ) -> Result<bool, IndexError> {
        let Feed::Chain(chain) = feed else { return Ok(true) };
        for prefix in rows::prefixes(chain) {
            let end = end_of_prefix(&prefix);
            let found = store.scan(
                Table::Market,
                &prefix,
                end.as_deref(),
                CLEARED_MAX,
                Direction::Rising,
            )?;
            if found.is_empty() {
                continue;
            }
            found.into_iter().for_each(|(key, _)| _ = batch.delete(Table::Market, key));
            return Ok(false);
        }
        Ok(true)
    }
}
