//! What is counted of the nodes of one chain. The labels are the chain and a closed set of words.

use std::time::Duration;

use crate::error::Fault;

/// Counts under the name of one chain.
#[derive(Clone, Debug)]
pub(crate) struct Measure {
    chain: String,
}

impl Measure {
    pub(crate) fn of(slug: &str) -> Self {
        Self { chain: slug.to_owned() }
    }

    fn count(&self, metric: &'static str, by: u64) {
        metrics::counter!(metric, "chain" => self.chain.clone()).increment(by);
    }

    /// A request of so many calls is over.
    pub(crate) fn exchanged(&self, calls: usize, taken: Duration) {
        self.count("superroot_source_calls_total", calls as u64);
        metrics::histogram!("superroot_source_request_seconds", "chain" => self.chain.clone())
            .record(taken.as_secs_f64());
    }

    pub(crate) fn received(&self, bytes: usize) {
        self.count("superroot_source_received_bytes", bytes as u64);
    }

    /// A node sent what is wrong.
    pub(crate) fn wrong(&self) {
        self.count("superroot_source_wrong_total", 1);
    }

    /// A call or a request failed.
    pub(crate) fn failed(&self, fault: &Fault) {
        let (chain, kind) = (self.chain.clone(), fault.label());
        metrics::counter!("superroot_source_failures_total", "chain" => chain, "kind" => kind)
            .increment(1);
    }

    /// A header that a node names by its hash did not hold. It is checked here, before there is a
    /// block to collect, and counts with the checks of blocks.
    pub(crate) fn failed_check(&self, check: &'static str) {
        let chain = self.chain.clone();
        metrics::counter!("superroot_collect_failed_checks_total", "chain" => chain, "check" => check)
            .increment(1);
    }

    /// Nodes do not agree on a final hash.
    pub(crate) fn disagreement(&self) {
        self.count("superroot_source_disagreements_total", 1);
    }

    /// How many nodes' heads stand still.
    pub(crate) fn stale_heads(&self, count: usize) {
        metrics::gauge!("superroot_source_stale_heads", "chain" => self.chain.clone())
            .set(count as f64);
    }
}
