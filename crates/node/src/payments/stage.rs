//! Stage that counts the sales of all configured registries, and shows those that are not final yet.

use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context, bail};
use superroot_accumulate::Published;
use superroot_accumulate::prove::Prover;
use superroot_billing::{Asset, BillingError, BillingLedger, Payment, PaymentId, PendingPayment};
use superroot_index::{EventFilter, EventQuery, Hit, Position};
use superroot_proof::bundle::{Policy, verify_anchored};
use superroot_store::{ScanOrder, Store};
use superroot_types::{BlockNumber, SuperRootRef, UnixSeconds};
use superroot_watch::{WantedWatch, WatchTarget, lacking};

use super::checkpoint::{self, WrittenCheckpoint};
use super::event::{Sale, topic};
use crate::chains;
use crate::config::RegistryPlace;
use crate::stage::{BlockingStage, StageFailure, StageName};

const LOOK_INTERVAL: Duration = Duration::from_secs(1);
/// Sales in one step.
const PAGE: usize = 64;
const EXAMINED_MAX: usize = 4_096;
const DATA_BYTES_MAX: usize = 1 << 20;
const COUNTED: &str = "superroot_node_payments_total";

/// Registry, and how far its sales are counted.
struct CountedRegistry {
    place: RegistryPlace,
    /// First block with sales that may not be counted.
    next: BlockNumber,
    at: Option<Position>,
    is_warned: bool,
}

pub(crate) struct CountPayments {
    registries: Vec<CountedRegistry>,
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
            let (next, at, is_warned) = (place.from, None, false);
            CountedRegistry { place, next, at, is_warned }
        };
        let registries = places.into_iter().map(counted).collect();
        Self { registries, store, prover, billing, provisional_seconds }
    }

    /// Counts one page of a registry's sales; `true` if there may be more.
    fn count(&mut self, index: usize, published: &Published) -> anyhow::Result<bool> {
        let Some(CountedRegistry { place, next, at, .. }) = self.registries.get(index) else {
            return Ok(false);
        };
        let (place, from, at) = (*place, *next, *at);
        let Some((_, reference)) = published.reference(place.chain) else { return Ok(false) };
        self.warn_of_earlier(index, reference.start);
        let held = self.first_lacking(place, from)?;
        let last = held.map_or(Some(reference.number.0), |lacking| lacking.0.checked_sub(1));
        let to = BlockNumber(last.map_or(0, |last| last.min(reference.number.0)));
        if from > to {
            return Ok(false);
        }
        let found = superroot_index::find(&*self.store, &events(place, (from, to), at))?;
        // blocks that are not indexed yet may have sales
        let to = found.pending.iter().map(|run| run.0).min().unwrap_or(BlockNumber(to.0 + 1));
        for hit in &found.events {
            self.count_event(place, hit, published)?;
        }
        if let Some(registry) = self.registries.get_mut(index) {
            registry.at = found.next;
            registry.next = found.next.map_or(to, |next| next.number.min(to));
        }
        Ok(found.next.is_some())
    }

    /// Shows the sales that are not counted yet, as the newest blocks have them: after a reorganisation others.
    fn show_pending(&self) -> anyhow::Result<()> {
        let mut pending = Vec::new();
        for registry in &self.registries {
            let place = registry.place;
            let query = events(place, (registry.next, BlockNumber(u64::MAX)), None);
            for hit in superroot_index::find(&*self.store, &query)?.events {
                let sale = hit.event.data.as_deref();
                let sale = sale.and_then(|data| Sale::parse(&hit.event.topics, data));
                let Some((sale, tx)) = sale.zip(hit.event.transaction_hash) else { continue };
                pending.push(PendingPayment {
                    id: PaymentId { chain: place.chain.id, tx, log_index: hit.event.log_index },
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

    /// First final block from `from` on without the registry's events: it is fetched again.
    fn first_lacking(
        &self,
        place: RegistryPlace,
        from: BlockNumber,
    ) -> anyhow::Result<Option<BlockNumber>> {
        let mut wanted = WantedWatch::default();
        wanted.from.insert(from, WatchTarget::Address(place.contract).list());
        let ranges = lacking(&*self.store, place.chain, &wanted)?;
        Ok(ranges.first().map(|range| range.0))
    }

    /// Says once that blocks since the deployment are not held.
    fn warn_of_earlier(&mut self, index: usize, start: BlockNumber) {
        let Some(registry) = self.registries.get_mut(index) else { return };
        let RegistryPlace { chain, from, .. } = registry.place;
        if start > from && !std::mem::replace(&mut registry.is_warned, true) {
            tracing::warn!(
                chain.id = %chain.id,
                "blocks {from} to {} of chain {} are not held: sales in them are not counted (superroot backfill)",
                start.0.saturating_sub(1), chain.id
            );
        }
    }

    /// Proves a sale or a usage checkpoint, verifies the proof, and counts the event.
    fn count_event(
        &self,
        place: RegistryPlace,
        hit: &Hit,
        published: &Published,
    ) -> anyhow::Result<()> {
        let number = hit.position.number;
        let log_index = hit.event.log_index;
        let tx = hit.event.transaction_hash.context("an event's transaction is not stored")?;
        let at = Some(SuperRootRef::Hash(published.hash));
        let bundle = self.prover.prove_event_by_hash(place.chain, &tx, log_index, at)?;
        let policy = Policy::strict(chains::known().proof_registry());
        let facts = verify_anchored(&bundle, &policy, &published.hash);
        let facts = facts.context("the proof of a registry's event does not verify")?;
        let log = facts.log().context("the proof of a registry's event shows no log")?;
        if log.log.address != place.contract || facts.statement.number != number {
            bail!("the proof of a registry's event shows another event");
        }
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

/// Query for a registry's sales and usage checkpoints in a block range.
fn events(
    place: RegistryPlace,
    (from, to): (BlockNumber, BlockNumber),
    at: Option<Position>,
) -> EventQuery {
    EventQuery {
        chain: place.chain,
        filter: EventFilter {
            addresses: vec![place.contract.0.to_vec()],
            topics: [vec![topic(), checkpoint::topic()], Vec::new(), Vec::new(), Vec::new()],
        },
        from,
        to,
        direction: ScanOrder::Rising,
        at,
        limit: PAGE,
        examined_max: EXAMINED_MAX,
        data_bytes_max: DATA_BYTES_MAX,
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
