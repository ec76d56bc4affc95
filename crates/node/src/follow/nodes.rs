//! Stage that reports the health of a chain's nodes, even during a chain step.

use std::sync::Arc;
use std::time::Duration;

use superroot_api::{Differing, StatusBoard};
use superroot_collect::DivergenceSearch;
use superroot_source::{BlockSource, NodesReport};
use superroot_types::{ChainKey, UnixSeconds};

use super::report_of;
use crate::publish::Searches;
use crate::stage::{Next, RunnerStage, StageName};

const INTERVAL: Duration = Duration::from_secs(1);
pub(crate) struct ChainNodes {
    chain: ChainKey,
    source: Arc<dyn BlockSource>,
    status: Arc<StatusBoard>,
    searches: Searches,
}

impl ChainNodes {
    pub(super) fn new(
        chain: ChainKey,
        source: Arc<dyn BlockSource>,
        status: Arc<StatusBoard>,
        searches: Searches,
    ) -> Self {
        Self { chain, source, status, searches }
    }

    pub(super) fn report(&self) {
        let NodesReport { endpoints, heard, waiting, .. } = report_of(&*self.source);
        let search = self.searches.of(self.chain);
        self.status.update(self.chain, |view| {
            (view.endpoints, view.waiting) = (endpoints, waiting);
            view.heard = heard.or(view.heard); // who fails takes back nothing of it
            view.search =
                search.map(|DivergenceSearch { newest, lowest }| Differing { newest, lowest });
        });
    }
}

impl RunnerStage for ChainNodes {
    fn name(&self) -> StageName {
        StageName::ChainNodes
    }

    async fn step(&mut self, _: UnixSeconds) -> anyhow::Result<Next> {
        self.report();
        Ok(Next::after(INTERVAL))
    }
}
