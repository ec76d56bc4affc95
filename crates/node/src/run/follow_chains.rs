//! Stages of the chains: streams, watches, products, and those of each chain.

use std::sync::Arc;
use std::time::Duration;

use anyhow::Context;
use superroot_api::Markets;
use superroot_chain::finality::{evidence_lag_seconds, evidence_role, finality_params, gates};
use superroot_collect::EvidenceGate;
use superroot_index::{EventIndex, Views};
use superroot_proof::finality::FinalityParams;
use superroot_store::feed::Feed;
use superroot_stream::StreamLogWriter;
use superroot_types::{Clock, SystemClock, UnixSeconds};
use superroot_watch::{OwnWatch, WatchTarget, Watches};

use super::parts::ServiceParts;
use crate::admin::OrderSender;
use crate::blooms::index_failure;
use crate::config::EvidenceDemand;
use crate::evidence_gate::FollowedGate;
use crate::finality::{FinalityCollector, SetTrust};
use crate::follow::{ChainShared, EvidenceSource, Follow, KeyWatches, PlannedChain};
use crate::products::{self, ProductParts};
use crate::publish::{CatchingUp, Searches};
use crate::rollup::AnchorCollector;
use crate::stage::{Runner, StageName};
use crate::streams::Streams;
use crate::tokens;

/// Usual lags without evidence after which finality counts as stalled.
const LATE_TIMES: u64 = 3;
/// Least time until then, in milliseconds.
const LATE_MS_MIN: u64 = 60_000;

pub(super) struct FollowedChains {
    pub(super) watches: Arc<Watches>,
    pub(super) markets: Markets,
    pub(super) senders: Vec<OrderSender>,
    pub(super) behind: CatchingUp,
    pub(super) searches: Searches,
}

pub(super) fn follow_chains(
    chains: Vec<PlannedChain>,
    parts: &ServiceParts,
    runner: &mut Runner,
) -> anyhow::Result<FollowedChains> {
    runner.work(write_streams(&chains, parts));
    let watches = run_watches(parts, runner)?;
    let network = parts.prover.network();
    let markets =
        tokens::markets(&parts.config, network, parts.store.clone(), parts.contracts.clone())?;
    for chain in &chains {
        let parts = ProductParts { store: &parts.store, network, markets: &markets };
        products::start(&parts, &chain.row, runner);
    }
    let mut followed = FollowedChains {
        watches,
        markets,
        senders: Vec::with_capacity(chains.len()),
        behind: CatchingUp::default(),
        searches: Searches::default(),
    };
    let views = products::views();
    let sections = parts.config.by_chain()?;
    for mut chain in chains {
        let section = sections.get(&chain.row.key());
        let demand = section.and_then(|section| section.finality_demand).unwrap_or_default();
        gate(&mut chain, demand, parts, SystemClock.now())?;
        let sender = follow_chain(chain, &followed, &views, parts, runner);
        followed.senders.push(sender);
    }
    Ok(followed)
}

/// Stream log writer. Rows are kept as long as in the longest feed.
fn write_streams(chains: &[PlannedChain], parts: &ServiceParts) -> Streams {
    let keys = chains.iter().map(|chain| chain.row.key()).collect();
    let kept = chains.iter().map(|chain| chain.collect.feed_kept_seconds).max();
    let kept =
        kept.unwrap_or_else(|| superroot_collect::CollectConfig::default().feed_kept_seconds);
    let writer = StreamLogWriter::new(parts.store.clone(), parts.prover.clone(), keys, kept);
    Streams::new(products::wait_for_streamed(writer), parts.hub.clone())
}

fn run_watches(parts: &ServiceParts, runner: &mut Runner) -> anyhow::Result<Arc<Watches>> {
    let own = parts.config.registry.places()?;
    let own = own.iter().map(|place| OwnWatch {
        chain: place.chain,
        target: WatchTarget::Address(place.contract),
        from_block: Some(place.from),
    });
    let passes = parts.config.pass.terms()?;
    let own = own.chain(passes.as_ref().map(crate::passes::watch)).collect();
    let (accounts, config) = (parts.accounts.clone(), parts.config.watch.clone());
    let watches =
        Watches::open_with(accounts, config, own).context("cannot read what keys watch")?;
    runner.work(watches.clone());
    Ok(watches)
}

/// Lets final blocks wait for evidence: where signers are pinned, and where evidence gates.
fn gate(
    chain: &mut PlannedChain,
    demand: EvidenceDemand,
    parts: &ServiceParts,
    now: UnixSeconds,
) -> anyhow::Result<()> {
    let row = &chain.row;
    let params = finality_params(row, parts.prover.network());
    let pin = parts.prover.pin(row.key());
    let (Some(pin), Some(params)) = (pin, params) else { return Ok(()) };
    let is_collected = matches!(chain.finality, Some(EvidenceSource::Consensus(_)));
    let is_beside = evidence_role(&params).is_some();
    if demand == EvidenceDemand::Nodes || !gates(&params) || (is_beside && !is_collected) {
        return Ok(());
    }
    let until = match &params {
        FinalityParams::Beacon(beacon) => {
            let end = beacon.time_of(beacon.first_slot(pin.number.saturating_add(1)));
            Some(UnixSeconds(end.0.saturating_add(beacon.trusted_seconds)))
        }
        _ => parts.prover.set(row, pin.number)?.and_then(|set| set.trusted_until(&params)),
    };
    if until.is_some_and(|until| now > until) {
        tracing::warn!(
            chain.id = %row.key(),
            "the pinned set is past its period: final blocks wait for nodes alone; pin a newer set"
        );
        return Ok(());
    }
    let held = parts.prover.sets(row)?.filter(|_| is_beside);
    if let Some(held) = held.filter(|held| held.first > pin.number) {
        tracing::warn!(
            chain.id = %row.key(),
            "the pinned set is before the first one held, {}: final blocks wait for nodes alone",
            held.first
        );
        return Ok(());
    }
    let limit_ms = evidence_lag_seconds(row, &params).saturating_mul(LATE_TIMES * 1_000);
    let gate = FollowedGate::new(parts.prover.clone(), parts.store.clone(), row.clone());
    chain.gate = gate.map(|gate| Arc::new(gate) as Arc<dyn EvidenceGate>);
    let stalled_ms = &mut chain.collect.finality_stalled_after_ms;
    *stalled_ms = limit_ms.max(LATE_MS_MIN).min(*stalled_ms);
    Ok(())
}

/// Starts the stages of one chain, and returns the sender of its operator commands.
fn follow_chain(
    chain: PlannedChain,
    followed: &FollowedChains,
    views: &Views,
    parts: &ServiceParts,
    runner: &mut Runner,
) -> OrderSender {
    let (sender, orders) = OrderSender::new(chain.row.clone());
    let network = parts.prover.network();
    let store = parts.store.clone();
    match chain.finality.clone() {
        Some(EvidenceSource::Consensus(source)) => {
            let pin = parts.prover.pin(chain.row.key());
            let trust = SetTrust { pin, is_gated: chain.gate.is_some() };
            let collector = FinalityCollector::new(&chain.row, network, source, store, trust);
            collector.into_iter().for_each(|collector| runner.stage(collector));
        }
        Some(EvidenceSource::Anchor(source)) => {
            let collector = AnchorCollector::new(&chain.row, network, source, store);
            collector.into_iter().for_each(|collector| runner.stage(collector));
        }
        None => {}
    }
    let feed = (parts.store.clone(), Feed::Chain(chain.row.key()));
    runner.derived(StageName::Events, feed, EventIndex::with(views.clone()), index_failure);
    let watches = &followed.watches;
    let apply = Duration::from_millis(watches.config().apply_ms);
    let shared = ChainShared {
        store: parts.store.clone(),
        status: parts.status.clone(),
        behind: followed.behind.one(),
        searches: followed.searches.clone(),
        orders,
        watches: KeyWatches { wanted: watches.wanted(), apply },
    };
    let follow = Follow::new(chain, shared);
    runner.stage(follow.nodes());
    runner.stage(follow);
    sender
}
