use std::collections::BTreeSet;

use superroot_index::IndexError;
use superroot_store::feed::{Feed, FeedChange, FeedStage};
use superroot_store::layout::end_of_prefix;
use superroot_store::{ScanOrder, Store, Table, WriteBatch, read as blocks};
use superroot_types::BlockNumber;

use super::launching::Launching;
use super::rows::{self, LaunchProofRow};
use super::{Changed, LaunchKind, find};

pub const LAUNCHES: &str = "launches";

/// Most rows removed in one step while launches are rebuilt.
const CLEARED_MAX: usize = 4_096;

/// Finds launches in each block. The caller ensures that the block's events are indexed first.
pub struct LaunchStage(pub Launching);

impl FeedStage for LaunchStage {
    type Error = IndexError;

    fn name(&self) -> &'static str {
        LAUNCHES
    }

    fn apply(
        &mut self,
        store: &dyn Store,
        feed: Feed,
        changes: &[FeedChange],
        batch: &mut WriteBatch,
    ) -> Result<(), IndexError> {
        let Feed::Chain(chain) = feed else { return Ok(()) };
        let numbers: BTreeSet<BlockNumber> = changes.iter().flat_map(FeedChange::numbers).collect();
        // what the batch changes of the store: first what is gone, then what is there, as liquidity may have moved to an
        // earlier block
        let mut changed = Changed::new();
        let mut to_look_at = Vec::new();
        for number in numbers {
            let stood = rows::load_at(store, chain, number)?;
            let held = blocks::load_block(store, chain, number)?.map(|block| block.hash);
            // a block that is held as it was looked at has no more launches than were found
            if stood.iter().any(|one| Some(one.found_at().block_hash) == held) {
                continue;
            }
            for launch in &stood {
                batch.delete(Table::Market, rows::block_key(chain, launch));
                if launch.kind == LaunchKind::Launched {
                    batch.delete(Table::Market, rows::pool_launch_key(chain, &launch.pool));
                    changed.insert(launch.pool, None);
                }
            }
            to_look_at.push(number);
        }
        for number in to_look_at {
            for launch in find::in_block(&self.0, store, (chain, number), &changed)? {
                let key = rows::block_key(chain, &launch);
                if launch.kind == LaunchKind::Launched {
                    changed.insert(launch.pool, Some(launch.clone()));
                    batch.put(
                        Table::Market,
                        rows::pool_launch_key(chain, &launch.pool),
                        key.clone(),
                    );
                    let creation = launch.creation;
                    let liquidity = launch.liquidity;
                    let behind = LaunchProofRow { chain, creation, liquidity };
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
        batch: &mut WriteBatch,
    ) -> Result<bool, IndexError> {
        let Feed::Chain(chain) = feed else { return Ok(true) };
        for prefix in rows::prefixes(chain) {
            let end = end_of_prefix(&prefix);
            let found = store.scan(
                Table::Market,
                &prefix,
                end.as_deref(),
                CLEARED_MAX,
                ScanOrder::Rising,
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
