//! Launches: found once the events of their blocks are indexed.

use std::sync::Arc;
use std::time::Duration;

use superroot_api::Markets;
use superroot_chain::ChainRow;
use superroot_index::EVENTS;
use superroot_market::launch::{LaunchStage, Launching};
use superroot_store::Store;
use superroot_store::feed::{Feed, Follower, Progress, load_bounds, load_cursor};
use superroot_types::{ChainKey, Network, SystemClock, UnixSeconds};

use crate::blooms::index_failure;
use crate::stage::{Failure, StageName, Work};
use crate::tokens::market_name;

/// Time between looks for blocks that are indexed: what a launch is late by, at most, beside its finding.
const POLL_INTERVAL: Duration = Duration::from_millis(40);

/// Finds launches of one chain.
pub(crate) struct Launches {
    store: Arc<dyn Store>,
    chain: ChainKey,
    follower: Follower<LaunchStage>,
    /// Commits of the store after which there was nothing new: until the next one there is nothing either.
    idle_at: Option<u64>,
}

impl Launches {
    /// Of a chain whose exchanges are known.
    pub(crate) fn new(
        store: Arc<dyn Store>,
        row: &ChainRow,
        network: Network,
        markets: &Markets,
    ) -> Option<Self> {
        let chain = row.key();
        let slug = market_name(chain, network)?.to_owned();
        let launching = Launching {
            slug,
            factories: markets.factories.clone(),
            tokens: markets.tokens.clone(),
            clock: Arc::new(SystemClock),
            config: markets.config.clone(),
        };
        let stage = LaunchStage(launching);
        let follower = Follower::new(store.clone(), Feed::Chain(chain), stage);
        Some(Self { store, chain, follower, idle_at: None })
    }

    /// Whether the index has all of the feed: what is taken next is in it then.
    fn is_indexed(&self) -> Result<bool, superroot_store::StoreError> {
        let bounds = load_bounds(&*self.store, self.chain)?;
        let indexed_to = load_cursor(&*self.store, EVENTS, Feed::Chain(self.chain))?;
        Ok(bounds.is_some_and(|bounds| indexed_to.is_some_and(|to| to >= bounds.next)))
    }
}

impl Work for Launches {
    fn name(&self) -> StageName {
        StageName::Launches
    }

    fn step(&mut self, _: UnixSeconds) -> Result<Duration, Failure> {
        let commits = self.store.commit_count();
        if self.idle_at == Some(commits) {
            return Ok(POLL_INTERVAL);
        }
        if !self.is_indexed().map_err(|error| index_failure(error.into()))? {
            return Ok(POLL_INTERVAL);
        }
        match self.follower.step().map_err(index_failure)? {
            Progress::Idle => {
                self.idle_at = Some(commits);
                Ok(POLL_INTERVAL)
            }
            Progress::Advanced { .. } | Progress::Rebuilt { .. } => Ok(Duration::ZERO),
        }
    }
}
