//! Withheld bodies: when a block is taken without a body part, and when a sender is blamed.

use std::time::Duration;

use superroot_source::{BlockAt, BlockParts};
use tokio::time::timeout;

use super::Fetcher;
use crate::error::CollectError;
use crate::received::Received;
use crate::refused_bodies::{RefusedBodies, WithheldBody};

/// Time for other operators to supply a body after enough agreeing operators sent a refused one.
const OTHERS_WAIT: Duration = Duration::from_secs(2);

impl Fetcher {
    /// Operators required to agree, and their total.
    pub(super) fn operators(&self) -> (usize, usize) {
        let needed = self.source.nodes().map(|nodes| nodes.report().needed).unwrap_or_default();
        let count = |count: u32| usize::try_from(count).unwrap_or(usize::MAX);
        (count(needed.agree), count(needed.of))
    }

    /// Fetches the block from another operator than the refused ones. After enough agreeing refusals, other operators
    /// have a short time to prove that these deviate.
    pub(super) async fn attempt_beside(
        &self,
        at: BlockAt,
        parts: BlockParts,
        refused: &RefusedBodies,
    ) -> Result<(Received, Option<WithheldBody>), CollectError> {
        let senders = refused.senders();
        let asked = self.attempt(at, parts, &senders);
        if refused.is_empty() || refused.agreeing() < self.operators().0 {
            return asked.await;
        }
        let chain = self.row.key();
        let number = at.number();
        let source_name = self.source.name().to_owned();
        let none = CollectError::Missing { chain, number, source_name };
        timeout(OTHERS_WAIT, asked).await.unwrap_or(Err(none))
    }

    /// Whether no other operator is left to ask.
    pub(super) fn was_the_last(&self, error: &CollectError, refused: &RefusedBodies) -> bool {
        !refused.is_empty() && matches!(error, CollectError::Missing { .. })
    }

    /// Handles a refused body with no other operator left.
    pub(super) fn doubted(
        &self,
        refused: RefusedBodies,
        error: CollectError,
    ) -> Result<Received, CollectError> {
        let (got, (expected, _)) = (refused.agreeing(), self.operators());
        if got >= expected {
            return self.without_refused(refused);
        }
        let Some((received, fault)) = refused.into_best() else { return Err(error) };
        let chain = self.row.key();
        let number = received.block.number();
        let why = received.block.body_withheld().unwrap_or(fault.check()).to_owned();
        Err(CollectError::Doubted { chain, number, got, expected, why })
    }

    pub(super) fn blame_deviating(&self, refused: &RefusedBodies) {
        for (received, check, why) in refused.deviating() {
            let why = format!("another node sends the body that recomputes, and it: {why}");
            self.blame(&received.sender, received.block.number(), check, &why);
        }
    }

    /// Takes the block without the refused part, sent equally by enough operators for an agreement.
    pub(super) fn without_refused(&self, refused: RefusedBodies) -> Result<Received, CollectError> {
        let is_missing = refused.may_be_missing_alone();
        let (received, fault) = refused.into_best().expect("a body was refused");
        if is_missing && !self.waits_no_more(&received.block) {
            return self.without_body(received);
        }
        self.tell_withheld(&received, fault.check());
        Ok(received)
    }

    /// Counts a block taken without a body part, and reports at intervals.
    fn tell_withheld(&self, received: &Received, check: &'static str) {
        if !self.is_final || self.source.nodes().is_none() {
            return;
        }
        let chain = &self.row.name;
        let number = received.block.number();
        let why = received.block.body_withheld().unwrap_or(check);
        let text = format!(
            "block {number} of {chain} is taken without a part of its body: {why}. All operators \
             that were asked send it so: the chain may have changed its rules. Update superroot, \
             then run superroot repair"
        );
        if self.withheld_told.as_ref().is_some_and(|told| told.is_due()) {
            tracing::warn!(chain.id = %self.row.id, block.number = %number, "{text}");
        } else {
            tracing::debug!(chain.id = %self.row.id, block.number = %number, "{text}");
        }
        let labels = [("chain", self.row.slug.clone()), ("check", check.to_owned())];
        metrics::counter!("superroot_collect_withheld_bodies_total", &labels).increment(1);
    }
}
