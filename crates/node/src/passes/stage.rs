//! Stage that counts passes by their proven transfers.

use std::sync::Arc;
use std::time::Duration;

use anyhow::Context;
use superroot_accumulate::Published;
use superroot_accumulate::prove::Prover;
use superroot_billing::{
    AuthorizationId, BillingLedger, CountedPass, PassTransfer, PaymentId, usdc_text,
};
use superroot_index::Hit;
use superroot_store::Store;
use superroot_types::{Address, UnixSeconds};

use super::event::{TokenTransfer, target, transfer_topic, used_nonce, word};
use crate::config::PassTerms;
use crate::payments::ProvenEvents;
use crate::stage::{BlockingStage, StageFailure, StageName};

const LOOK_INTERVAL: Duration = Duration::from_secs(1);
const COUNTED: &str = "superroot_node_passes_total";

pub(crate) struct CountPasses {
    transfers: ProvenEvents,
    pay_to: Address,
    store: Arc<dyn Store>,
    prover: Prover,
    billing: Arc<BillingLedger>,
}

impl CountPasses {
    pub(crate) fn new(
        terms: &PassTerms,
        store: Arc<dyn Store>,
        prover: Prover,
        billing: Arc<BillingLedger>,
    ) -> Self {
        metrics::counter!(COUNTED).increment(0);
        let pay_to = terms.pay_to;
        let topics = [vec![transfer_topic()], Vec::new(), vec![word(pay_to)], Vec::new()];
        let transfers = ProvenEvents::new(terms.asset, target(pay_to), topics);
        Self { transfers, pay_to, store, prover, billing }
    }

    /// Counts one page of transfers; `true` if there may be more.
    fn count(&mut self, published: &Published) -> anyhow::Result<bool> {
        let Some(page) = self.transfers.page(&*self.store, published)? else { return Ok(false) };
        for hit in &page.events {
            self.count_transfer(hit, published)?;
        }
        Ok(self.transfers.advance(&page))
    }

    /// Proves a transfer and the log before it, which is its authorization: the token writes both in one call. Other
    /// transfers buy nothing.
    fn count_transfer(&self, hit: &Hit, published: &Published) -> anyhow::Result<()> {
        let tx = hit.event.transaction_hash.context("a transfer's transaction is not stored")?;
        let log_index = hit.event.log_index;
        let facts = self.transfers.prove(&self.prover, (hit, log_index), published)?;
        let facts = facts.context("the proof of a transfer shows another contract's log")?;
        let log = facts.log().context("a proven event is no log")?;
        let transfer = TokenTransfer::parse(&log.log.topics, &log.log.data, self.pay_to);
        let Some((transfer, before)) = transfer.zip(log_index.checked_sub(1)) else {
            return Ok(());
        };
        // the log before may be another contract's, and is then no authorization
        let used = self.transfers.prove(&self.prover, (hit, before), published)?;
        let log = used.as_ref().and_then(|used| used.log());
        let used = log.and_then(|log| used_nonce(&log.log.topics, transfer.from));
        let Some(nonce) = used else { return Ok(()) };
        let place = self.transfers.place;
        let (chain, asset) = (place.chain.id, place.contract);
        let id = AuthorizationId { chain, asset, from: transfer.from, nonce };
        let header = facts.header.as_ref().and_then(|header| header.timestamp());
        let payment = PaymentId { chain, tx, log_index };
        let usdc_e6 = u64::try_from(transfer.value).unwrap_or(u64::MAX);
        let paid_at = header.map_or(hit.timestamp, UnixSeconds);
        match self.billing.count_pass(id, &PassTransfer { payment, usdc_e6, paid_at })? {
            CountedPass::Counted(pass) => {
                metrics::counter!(COUNTED).increment(1);
                tracing::info!("pass of account {}: counted by {payment}", pass.account);
            }
            CountedPass::Before => {}
            CountedPass::Unknown => tracing::warn!(
                "transfer {payment} of {} USDC is authorized, and nobody presented it here: it buys nothing",
                usdc_text(usdc_e6.into())
            ),
            CountedPass::OtherAmount(pass) => tracing::error!(
                "transfer {payment} of {} USDC is not the price of its pass, {} USDC: it buys nothing",
                usdc_text(usdc_e6.into()),
                usdc_text(pass.usdc_e6.into())
            ),
        }
        Ok(())
    }
}

impl BlockingStage for CountPasses {
    fn name(&self) -> StageName {
        StageName::Passes
    }

    fn step(&mut self, _: UnixSeconds) -> Result<Duration, StageFailure> {
        let Some(published) = self.prover.latest() else { return Ok(LOOK_INTERVAL) };
        let has_more = self.count(&published).map_err(StageFailure::Passing)?;
        Ok(if has_more { Duration::ZERO } else { LOOK_INTERVAL })
    }
}
