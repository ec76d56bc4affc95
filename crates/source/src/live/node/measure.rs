//! Node metrics of a chain. Labels: the chain and a closed set of words.

use std::time::Duration;

use crate::error::CallFault;

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

    /// Counts a finished request with `calls` calls.
    pub(crate) fn exchanged(&self, calls: usize, taken: Duration) {
        self.count("superroot_source_calls_total", calls as u64);
        metrics::histogram!("superroot_source_request_seconds", "chain" => self.chain.clone())
            .record(taken.as_secs_f64());
    }

    pub(crate) fn received(&self, bytes: usize) {
        self.count("superroot_source_received_bytes", bytes as u64);
    }

    pub(crate) fn wrong(&self) {
        self.count("superroot_source_wrong_total", 1);
    }

    pub(crate) fn failed(&self, fault: &CallFault) {
        let chain = self.chain.clone();
        let kind = fault.label();
        metrics::counter!("superroot_source_failures_total", "chain" => chain, "kind" => kind)
            .increment(1);
    }

    /// Counts a failed header check with the block checks. This check runs before a block is collected.
    pub(crate) fn failed_check(&self, check: &'static str) {
        let chain = self.chain.clone();
        metrics::counter!("superroot_collect_failed_checks_total", "chain" => chain, "check" => check)
            .increment(1);
    }

    pub(crate) fn disagreement(&self) {
        self.count("superroot_source_disagreements_total", 1);
    }

    pub(crate) fn stale_heads(&self, count: usize) {
        metrics::gauge!("superroot_source_stale_heads", "chain" => self.chain.clone())
            .set(count as f64);
    }
}
