//! Launch detection on indexed events.

use std::sync::Arc;
use std::time::Duration;

use superroot_api::Markets;
use superroot_chain::ChainSpec;
use superroot_index::EVENTS;
use superroot_market::launch::{LaunchStage, Launching};
use superroot_store::Store;
use superroot_store::feed::{Feed, Follower, StageProgress, load_bounds, load_cursor};
use superroot_types::{ChainKey, Network, SystemClock, UnixSeconds};

use crate::blooms::index_failure;
use crate::stage::{BlockingStage, StageFailure, StageName};
use crate::tokens::market_name;

/// Poll interval for indexed blocks: the longest delay of a launch, besides detection time.
const POLL_INTERVAL: Duration = Duration::from_millis(40);

pub(crate) struct LaunchFinder {
    store: Arc<dyn Store>,
    chain: ChainKey,
    follower: Follower<LaunchStage>,
    /// Store commit count after which nothing was new; no work until the next commit.
    idle_at: Option<u64>,
}

impl LaunchFinder {
    pub(crate) fn new(
        store: Arc<dyn Store>,
        row: &ChainSpec,
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

    /// Whether the index covers the whole feed, and therefore the next block.
    fn is_indexed(&self) -> Result<bool, superroot_store::StoreError> {
        let bounds = load_bounds(&*self.store, self.chain)?;
        let indexed_to = load_cursor(&*self.store, EVENTS, Feed::Chain(self.chain))?;
        Ok(bounds.is_some_and(|bounds| indexed_to.is_some_and(|to| to >= bounds.next)))
    }
}

impl BlockingStage for LaunchFinder {
    fn name(&self) -> StageName {
        StageName::Launches
    }

    fn step(&mut self, _: UnixSeconds) -> Result<Duration, StageFailure> {
        let commits = self.store.commit_count();
        if self.idle_at == Some(commits) {
            return Ok(POLL_INTERVAL);
        }
        if !self.is_indexed().map_err(|error| index_failure(error.into()))? {
            return Ok(POLL_INTERVAL);
        }
        match self.follower.step().map_err(index_failure)? {
            StageProgress::Idle => {
                self.idle_at = Some(commits);
                Ok(POLL_INTERVAL)
            }
            StageProgress::Advanced { .. } | StageProgress::Rebuilt { .. } => Ok(Duration::ZERO),
        }
    }
}
