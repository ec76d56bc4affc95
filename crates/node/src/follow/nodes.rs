//! The stage that reports how the nodes of one chain fare, also while a step of the chain goes on.

use std::sync::Arc;
use std::time::Duration;

use superroot_api::{Differing, StatusBoard};
use superroot_collect::Search;
use superroot_source::{NodesReport, Source};
use superroot_types::{ChainKey, UnixSeconds};

use super::report_of;
use crate::publish::Searches;
use crate::stage::{Next, Stage, StageName};

/// Time between reports.
const INTERVAL: Duration = Duration::from_secs(1);
/// The nodes of one chain.
pub(crate) struct ChainNodes {
    chain: ChainKey,
    source: Arc<dyn Source>,
    status: Arc<StatusBoard>,
    searches: Searches,
}

impl ChainNodes {
    pub(super) fn new(
        chain: ChainKey,
        source: Arc<dyn Source>,
        status: Arc<StatusBoard>,
        searches: Searches,
    ) -> Self {
        Self { chain, source, status, searches }
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

    async fn step(&mut self, _: UnixSeconds) -> anyhow::Result<Next> {
        self.report();
        Ok(Next::after(INTERVAL))
    }
}
