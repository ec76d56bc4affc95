//! The stage that reports how the nodes of one chain fare, also while a step of the chain goes on.

use std::sync::Arc;
use std::time::Duration;

use superroot_api::{Claimed, Differing, StatusBoard};
use superroot_collect::Search;
use superroot_source::{NodesReport, Source, Tip};
use superroot_types::{ChainKey, UnixSeconds};
use tokio::time::Instant;

use super::report_of;
use crate::publish::Searches;
use crate::stage::{Next, Stage, StageName};

/// Time between reports.
const INTERVAL: Duration = Duration::from_secs(1);
/// A block that is waited for longer: how far its nodes are is asked meanwhile.
const LONG_WAIT_SECONDS: u64 = 5;
/// Time between such looks.
const LOOK_INTERVAL: Duration = Duration::from_secs(5);

/// The nodes of one chain.
pub(crate) struct ChainNodes {
    chain: ChainKey,
    source: Arc<dyn Source>,
    status: Arc<StatusBoard>,
    searches: Searches,
    looked_at: Instant,
}

impl ChainNodes {
    pub(super) fn new(
        chain: ChainKey,
        source: Arc<dyn Source>,
        status: Arc<StatusBoard>,
        searches: Searches,
    ) -> Self {
        Self { chain, source, status, searches, looked_at: Instant::now() }
    }

    /// Puts on the board how the nodes fare.
    pub(super) fn report(&self) {
        let NodesReport { endpoints, heard, waiting, .. } = report_of(&*self.source);
        let search = self.searches.of(self.chain);
        self.status.update(self.chain, |view| {
            (view.endpoints, view.waiting) = (endpoints, waiting);
            view.heard = heard.or(view.heard); // who fails takes back nothing of it
            view.search = search.map(|Search { newest, lowest }| Differing { newest, lowest });
        });
    }
}

impl Stage for ChainNodes {
    fn name(&self) -> StageName {
        StageName::ChainNodes
    }

    async fn step(&mut self, now: UnixSeconds) -> anyhow::Result<Next> {
        self.report();
        let waiting = report_of(&*self.source).waiting;
        let waits = waiting.is_some_and(|one| one.seconds >= LONG_WAIT_SECONDS);
        if waits && self.looked_at.elapsed() >= LOOK_INTERVAL {
            let tip = self.source.fetch_tip().await;
            self.looked_at = Instant::now();
            if let Ok(Tip { head, finalized, .. }) = tip {
                let (head, finalized) = (head.number, finalized.number);
                self.status
                    .update(self.chain, |view| view.claim(Claimed { head, finalized, at: now }));
            }
        }
        Ok(Next::after(INTERVAL))
    }
}
