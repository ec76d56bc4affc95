//! Stage that counts the sales of all configured registries, and shows those that are not final yet.

use std::sync::Arc;
use std::time::Duration;

use anyhow::Context;
use superroot_accumulate::Published;
use superroot_accumulate::prove::Prover;
use superroot_billing::{Asset, BillingError, BillingLedger, Payment, PaymentId, PendingPayment};
use superroot_index::Hit;
use superroot_store::Store;
use superroot_types::UnixSeconds;
use superroot_watch::WatchTarget;

use super::checkpoint::{self, WrittenCheckpoint};
use super::event::{Sale, topic};
use super::proven::ProvenEvents;
use crate::config::RegistryPlace;
use crate::stage::{BlockingStage, StageFailure, StageName};

const LOOK_INTERVAL: Duration = Duration::from_secs(1);
const COUNTED: &str = "superroot_node_payments_total";

pub(crate) struct CountPayments {
    registries: Vec<ProvenEvents>,
    store: Arc<dyn Store>,
    prover: Prover,
    billing: Arc<BillingLedger>,
    provisional_seconds: u64,
}

impl CountPayments {
    pub(crate) fn new(
        places: Vec<RegistryPlace>,
        store: Arc<dyn Store>,
        prover: Prover,
        billing: Arc<BillingLedger>,
        provisional_seconds: u64,
    ) -> Self {
        metrics::counter!(COUNTED).increment(0);
        let counted = |place: RegistryPlace| {
            let topics = [vec![topic(), checkpoint::topic()], Vec::new(), Vec::new(), Vec::new()];
            ProvenEvents::new(place, WatchTarget::Address(place.contract), topics)
        };
        let registries = places.into_iter().map(counted).collect();
        Self { registries, store, prover, billing, provisional_seconds }
    }

    /// Counts one page of a registry's sales; `true` if there may be more.
    fn count(&mut self, index: usize, published: &Published) -> anyhow::Result<bool> {
        let Some(registry) = self.registries.get_mut(index) else { return Ok(false) };
        let Some(page) = registry.page(&*self.store, published)? else { return Ok(false) };
        if let Some(registry) = self.registries.get(index) {
            for hit in &page.events {
                self.count_event(registry, hit, published)?;
            }
        }
        let registry = self.registries.get_mut(index);
        Ok(registry.is_some_and(|registry| registry.advance(&page)))
    }

    /// Shows the sales that are not counted yet, as the newest blocks have them: after a reorganisation others.
    fn show_pending(&self) -> anyhow::Result<()> {
        let mut pending = Vec::new();
        for registry in &self.registries {
            for hit in registry.newest(&*self.store)? {
                let sale = hit.event.data.as_deref();
                let sale = sale.and_then(|data| Sale::parse(&hit.event.topics, data));
                let Some((sale, tx)) = sale.zip(hit.event.transaction_hash) else { continue };
                let chain = registry.place.chain.id;
                pending.push(PendingPayment {
                    id: PaymentId { chain, tx, log_index: hit.event.log_index },
                    wallet: sale.account,
                    tier: sale.tier,
                    usdc_e6: sale.usdc_e6,
                    paid_at: hit.timestamp,
                });
            }
        }
        self.billing.set_pending(pending, self.provisional_seconds);
        Ok(())
    }

    /// Proves a sale or a usage checkpoint, verifies the proof, and counts the event.
    fn count_event(
        &self,
        registry: &ProvenEvents,
        hit: &Hit,
        published: &Published,
    ) -> anyhow::Result<()> {
        let place = registry.place;
        let log_index = hit.event.log_index;
        let tx = hit.event.transaction_hash.context("an event's transaction is not stored")?;
        let facts = registry.prove(&self.prover, (hit, log_index), published)?;
        let facts = facts.context("the proof of a registry's event shows another contract's")?;
        let log = facts.log().context("a proven event is no log")?;
        if let Some(written) = WrittenCheckpoint::parse(&log.log.topics, &log.log.data) {
            return checkpoint::prove(&self.billing, place, &written, (tx, log_index));
        }
        let Some(sale) = Sale::parse(&log.log.topics, &log.log.data) else {
            tracing::error!(
                "event {log_index} of transaction {tx} on chain {} is no sale, and is not counted",
                place.chain.id
            );
            return Ok(());
        };
        let header = facts.header.as_ref().and_then(|header| header.timestamp());
        let paid_at = header.map_or(hit.timestamp, UnixSeconds);
        let asset = if sale.wei == 0 { Asset::Usdc } else { Asset::Eth { wei: sale.wei } };
        let payment = Payment {
            id: PaymentId { chain: place.chain.id, tx, log_index },
            wallet: sale.account,
            tier: sale.tier,
            usdc_e6: sale.usdc_e6,
            asset,
            paid_at,
            is_final: true,
            is_proven: true,
        };
        match self.billing.pay(&payment, None) {
            Ok(applied) => self.say(&payment, &sale, &applied),
            // the operator entered it by hand, in other words: both cannot count
            Err(
                error @ (BillingError::PaymentDiffers { .. } | BillingError::NotForSale { .. }),
            ) => {
                tracing::error!("a proven sale is not counted: {error}");
            }
            Err(error) => return Err(error.into()),
        }
        Ok(())
    }

    /// Says what was counted now, and what differs from the configuration.
    fn say(&self, payment: &Payment, sale: &Sale, applied: &superroot_billing::AppliedAct) {
        let Some(step) = &applied.step else { return };
        metrics::counter!(COUNTED).increment(1);
        let Payment { id, tier, wallet, usdc_e6, .. } = payment;
        let wallet = superroot_account::show_wallet(wallet);
        tracing::info!("payment {id}: thirty days of {} for {wallet}", tier.name());
        let price = self.billing.plans().price_usdc_e6(*tier);
        if price != Some(*usdc_e6) {
            tracing::warn!(
                "payment {id} has the contract's price, {usdc_e6} millionths of a USDC, and the configuration another"
            );
        }
        if let Some(period) = step.period.filter(|period| period.end != sale.end) {
            tracing::warn!(
                "payment {id} ends at {} by the contract, and at {} here",
                sale.end.iso_8601(),
                period.end.iso_8601()
            );
        }
    }
}

impl BlockingStage for CountPayments {
    fn name(&self) -> StageName {
        StageName::Payments
    }

    fn step(&mut self, _: UnixSeconds) -> Result<Duration, StageFailure> {
        let Some(published) = self.prover.latest() else { return Ok(LOOK_INTERVAL) };
        let mut has_more = false;
        for index in 0..self.registries.len() {
            let counted = self.count(index, &published);
            has_more |= counted.map_err(StageFailure::Passing)?;
        }
        self.show_pending().map_err(StageFailure::Passing)?;
        Ok(if has_more { Duration::ZERO } else { LOOK_INTERVAL })
    }
}
