//! Stage that publishes to one anchor contract.

use std::sync::Arc;
use std::time::Duration;

use anyhow::Context;
use superroot_accumulate::load_evm_signature;
use superroot_accumulate::prove::Prover;
use superroot_api::StatusBoard;
use superroot_chain::ChainSpec;
use superroot_gas::FeeCache;
use superroot_outbox::{AccountState, Fees, Outbox, OutboxError, Step, Task};
use superroot_source::{BlockSource, ContractCall, SourceError};
use superroot_store::layout::BlockTip;
use superroot_store::{Store, read};
use superroot_types::{ErrorKind, UnixSeconds, one_line};
use tokio::time::Instant;

use super::contract;
use super::parts::AnchorParts;
use crate::config::{AnchorConfig, AnchorPlace};
use crate::stage::{Next, RunnerStage, StageName, backoff};

/// Pause while a transaction is under way.
const LOOK_INTERVAL: Duration = Duration::from_secs(5);
const RETRY_MAX: Duration = Duration::from_secs(60);
const WORDS_MAX: usize = 300;
/// Newest sequence at the contract.
const SEQUENCE: &str = "superroot_node_anchor_sequence";
/// SuperRoots that the contract is behind the log.
const BEHIND: &str = "superroot_node_anchor_behind_entries";
const SENT: &str = "superroot_node_anchor_sent_total";
const FAILURES: &str = "superroot_node_anchor_failures_total";

pub(super) struct PublishToAnchor {
    place: AnchorPlace,
    row: ChainSpec,
    /// The chain's id, as a label.
    label: String,
    outbox: Arc<Outbox>,
    source: Arc<dyn BlockSource>,
    store: Arc<dyn Store>,
    prover: Prover,
    status: Arc<StatusBoard>,
    fees: Arc<FeeCache>,
    interval: Duration,
    /// Next publication, if nothing is under way.
    due: Instant,
    /// Transaction that was said last: the log has each once.
    said: Option<superroot_types::Hash>,
    failures: u32,
}

#[derive(Debug, thiserror::Error)]
enum AnchorFailure {
    #[error(transparent)]
    Source(#[from] SourceError),
    #[error(transparent)]
    Outbox(#[from] OutboxError),
    #[error("the contract answers no sequence: is a SuperRootAnchor at this address?")]
    NoAnchor,
    #[error("{0}")]
    Held(String),
}

impl AnchorFailure {
    /// Whether the service cannot go on: its store is unreadable.
    fn is_lasting(&self) -> bool {
        matches!(self, Self::Outbox(OutboxError::Store(error)) if error.kind() == ErrorKind::Corrupt)
    }
}

impl PublishToAnchor {
    pub(super) fn new(
        place: AnchorPlace,
        row: ChainSpec,
        outbox: Outbox,
        source: Arc<dyn BlockSource>,
        parts: &AnchorParts,
        config: &AnchorConfig,
    ) -> Self {
        let label = place.chain.id.0.to_string();
        for gauge in [SEQUENCE, BEHIND] {
            metrics::gauge!(gauge, "chain" => label.clone()).set(0.0);
        }
        for counter in [SENT, FAILURES] {
            metrics::counter!(counter, "chain" => label.clone()).increment(0);
        }
        let payer = outbox.payer();
        parts.status.update_anchor(place.chain.id, place.contract, |view| view.payer = payer);
        Self {
            place,
            row,
            label,
            outbox: Arc::new(outbox),
            source,
            store: parts.store.clone(),
            prover: parts.prover.clone(),
            status: parts.status.clone(),
            fees: Arc::default(),
            interval: Duration::from_secs(config.interval_seconds),
            due: Instant::now(),
            said: None,
            failures: 0,
        }
    }

    /// Contract and account, as enough nodes agree.
    async fn ask(&self) -> Result<AccountState, AnchorFailure> {
        let call = ContractCall {
            from: self.outbox.payer(),
            to: Some(self.place.contract),
            data: contract::next(),
            gas: contract::READ_GAS,
            code: None,
        };
        let nodes = self.source.nodes().ok_or(SourceError::NoCalls)?;
        let said = nodes.account(&call).await?;
        let next_sequence = contract::parse_next(&said.returned).ok_or(AnchorFailure::NoAnchor)?;
        Ok(AccountState { next_sequence, transaction_count: said.transaction_count })
    }

    /// One step of the outbox, with the newest SuperRoot as its task if one is due.
    async fn advance(&self, now: UnixSeconds, state: AccountState) -> Result<Step, AnchorFailure> {
        let is_due = self.due <= Instant::now();
        let (outbox, store, prover) =
            (self.outbox.clone(), self.store.clone(), self.prover.clone());
        let (fees, row, to) = (self.fees.clone(), self.row.clone(), self.place.contract);
        let work = move || {
            let fees = fees_of(&fees, &*store, &row);
            let newest = prover.latest().filter(|_| is_due);
            let signature = match &newest {
                Some(newest) => load_evm_signature(&*store, newest.super_root.sequence)
                    .map_err(OutboxError::Store)?,
                None => None,
            };
            if let (Some(newest), None) = (&newest, signature) {
                let sequence = newest.super_root.sequence.0;
                let why =
                    format!("SuperRoot {sequence} is not signed for contracts (log.evm_key_file)");
                return Err(AnchorFailure::Held(why));
            }
            let task = newest.zip(signature).map(|(newest, signature)| Task {
                sequence: newest.super_root.sequence.0,
                to,
                data: contract::publish(&newest.super_root, &signature),
                gas_limit: contract::PUBLISH_GAS,
            });
            Ok(outbox.step(now, &state, &fees, || task)?)
        };
        let done = tokio::task::spawn_blocking(work).await;
        done.unwrap_or_else(|error| Err(AnchorFailure::Held(format!("a step panicked: {error}"))))
    }

    async fn publish(&mut self, now: UnixSeconds) -> Result<Duration, AnchorFailure> {
        let state = self.ask().await?;
        self.show(state);
        match self.advance(now, state).await? {
            Step::Idle => Ok(self.until_due()),
            Step::Done { sequence } => {
                self.due = Instant::now() + self.interval;
                tracing::info!(
                    chain.id = %self.place.chain.id, super_root.sequence = sequence,
                    "SuperRoot {sequence} is at the anchor contract of chain {}", self.place.chain.id
                );
                self.change(|view| view.transaction = None);
                Ok(self.until_due())
            }
            Step::Lost { sequence } => Err(AnchorFailure::Held(format!(
                "SuperRoot {sequence} is not at the contract, and the nonce of its transaction is used: it failed, or \
                 somebody else has the payer's key"
            ))),
            Step::Held { why, .. } => Err(AnchorFailure::Held(why)),
            Step::Send { sequence, transaction, held } => {
                let hash = transaction.hash;
                self.change(|view| view.transaction = Some(hash));
                let nodes = self.source.nodes().ok_or(SourceError::NoCalls)?;
                let sent = nodes.send_transaction(&transaction.raw).await;
                // once taken, a node refuses it when a newer block has it: what is agreed on says so a moment later
                if self.said != Some(hash) {
                    sent?;
                    self.said = Some(hash);
                    metrics::counter!(SENT, "chain" => self.label.clone()).increment(1);
                    tracing::info!(
                        chain.id = %self.place.chain.id, super_root.sequence = sequence,
                        "SuperRoot {sequence} is sent to the anchor contract of chain {}: transaction {hash}",
                        self.place.chain.id
                    );
                }
                match held {
                    Some(why) => Err(AnchorFailure::Held(why)),
                    None => Ok(LOOK_INTERVAL),
                }
            }
        }
    }

    fn until_due(&self) -> Duration {
        let left = self.due.saturating_duration_since(Instant::now());
        left.clamp(LOOK_INTERVAL, LOOK_INTERVAL.max(self.interval))
    }

    fn change(&self, change: impl FnOnce(&mut superroot_wire::chain::AnchorStatus)) {
        self.status.update_anchor(self.place.chain.id, self.place.contract, change);
    }

    fn show(&self, state: AccountState) {
        let newest = self.prover.latest().map_or(0, |newest| newest.super_root.sequence.0 + 1);
        let behind = newest.saturating_sub(state.next_sequence);
        let sequence = state.next_sequence.checked_sub(1);
        let shown = sequence.unwrap_or(0);
        metrics::gauge!(SEQUENCE, "chain" => self.label.clone()).set(shown as f64);
        metrics::gauge!(BEHIND, "chain" => self.label.clone()).set(behind as f64);
        self.change(|view| {
            (view.sequence, view.behind) = (sequence, behind);
        });
    }

    fn failed(&mut self, failure: &AnchorFailure) {
        let why = one_line(&failure.to_string(), WORDS_MAX);
        self.failures = self.failures.saturating_add(1);
        metrics::counter!(FAILURES, "chain" => self.label.clone()).increment(1);
        let mut before = None;
        self.change(|view| before = view.last_error.replace(why.clone()));
        if before.as_deref() != Some(&why) {
            tracing::warn!(
                chain.id = %self.place.chain.id,
                "nothing is published to the anchor contract of chain {}: {why}", self.place.chain.id
            );
        }
    }
}

/// Fees by the newest stored blocks; or why they are unknown.
fn fees_of(cache: &FeeCache, store: &dyn Store, row: &ChainSpec) -> Result<Fees, String> {
    let state = read::load_chain_state(store, row.key()).map_err(|error| error.to_string())?;
    let head = state.and_then(|state| state.head.or(state.indexed));
    let Some(BlockTip { number, hash }) = head else {
        return Err(format!("the fee is unknown: no block of chain {} is held", row.key().id));
    };
    let figures = cache.figures(store, row, false, BlockTip { number, hash });
    let figures = figures.map_err(|error| error.to_string())?;
    let base_fee = match (&figures.next_base_fee, &figures.base_fee) {
        (Ok(next), _) => next.wei,
        (Err(_), Ok(base_fee)) => *base_fee,
        (Err(why), Err(_)) => return Err(format!("the fee is unknown: {why}")),
    };
    // a chain without paid tips in its newest blocks asks for next to none
    let tip = figures.tips.as_ref().map_or(1_000_000, |tips| tips.standard);
    Ok(Fees::for_base_fee(base_fee.into(), tip.max(1)))
}

impl RunnerStage for PublishToAnchor {
    fn name(&self) -> StageName {
        StageName::Anchor
    }

    async fn step(&mut self, now: UnixSeconds) -> anyhow::Result<Next> {
        match self.publish(now).await {
            Ok(pause) => {
                if std::mem::take(&mut self.failures) > 0 {
                    self.change(|view| view.last_error = None);
                }
                Ok(Next::after(pause))
            }
            Err(failure) if failure.is_lasting() => {
                let chain = self.place.chain.id;
                Err(failure).with_context(|| format!("the anchor contract of chain {chain}"))
            }
            Err(failure) => {
                self.failed(&failure);
                let pause = Some(backoff(self.failures, RETRY_MAX));
                Ok(Next { pause, has_failed: true })
            }
        }
    }
}
