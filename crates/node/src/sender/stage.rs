//! Stage that sends the work of one contract.

use std::sync::Arc;
use std::time::Duration;

use anyhow::Context;
use superroot_chain::ChainSpec;
use superroot_gas::FeeCache;
use superroot_outbox::{AccountState, Outbox, Step, Task};
use superroot_source::ContractCall;
use superroot_store::Store;
use superroot_types::{Hash, UnixSeconds, one_line};
use tokio::time::Instant;

use super::failure::SenderFailure;
use super::fees::fees_of;
use super::parts::SenderNodes;
use super::work::ContractWork;
use crate::stage::{Next, RunnerStage, StageName, backoff};

/// Pause while a transaction is under way.
const LOOK_INTERVAL: Duration = Duration::from_secs(5);
const RETRY_MAX: Duration = Duration::from_secs(60);
const WORDS_MAX: usize = 300;
/// Gas of reading.
const READ_GAS: u64 = 100_000;

pub(super) struct SendToContract<W> {
    work: W,
    row: ChainSpec,
    /// The chain's id, as a label.
    label: String,
    outbox: Arc<Outbox>,
    nodes: SenderNodes,
    store: Arc<dyn Store>,
    fees: Arc<FeeCache>,
    /// Next task, if nothing is under way.
    due: Instant,
    /// Transaction that was said last: the log has each once.
    said: Option<Hash>,
    failures: u32,
    /// Whether the last transaction failed: its error is shown, and the next waits, until one is done.
    is_lost: bool,
}

impl<W: ContractWork> SendToContract<W> {
    pub(super) fn new(
        work: W,
        row: ChainSpec,
        outbox: Outbox,
        nodes: SenderNodes,
        store: Arc<dyn Store>,
    ) -> Self {
        let label = work.place().chain.id.0.to_string();
        let words = work.words();
        metrics::gauge!(words.sequence, "chain" => label.clone()).set(0.0);
        for counter in [words.sent, words.failures] {
            metrics::counter!(counter, "chain" => label.clone()).increment(0);
        }
        let payer = outbox.payer();
        work.change(|view| view.payer = payer);
        Self {
            work,
            row,
            label,
            outbox: Arc::new(outbox),
            nodes,
            store,
            fees: Arc::default(),
            due: Instant::now(),
            said: None,
            failures: 0,
            is_lost: false,
        }
    }

    /// Contract and account, as enough nodes agree.
    async fn ask(&self) -> Result<AccountState, SenderFailure> {
        let call = ContractCall {
            from: self.outbox.payer(),
            to: Some(self.work.place().contract),
            data: self.work.next_call(),
            gas: READ_GAS,
            code: None,
        };
        let nodes = self.nodes.get()?;
        let said = nodes.account(&call).await?;
        let next_sequence = parse_sequence(&said.returned);
        let no_contract = || SenderFailure::NoContract(self.work.words().contract);
        let next_sequence = next_sequence.ok_or_else(no_contract)?;
        Ok(AccountState { next_sequence, transaction_count: said.transaction_count })
    }

    /// One step of the outbox, with a task if one is due and the contract would take it now.
    async fn advance(&self, now: UnixSeconds, state: AccountState) -> Result<Step, SenderFailure> {
        let task = self.due_task(now, state).await?;
        if let Some(task) = &task {
            self.try_out(task).await?;
        }
        let (outbox, store) = (self.outbox.clone(), self.store.clone());
        let (fees, row) = (self.fees.clone(), self.row.clone());
        apart(move || {
            let fees = fees_of(&fees, &*store, &row);
            Ok(outbox.step(now, &state, &fees, || task)?)
        })
        .await
    }

    /// Next task, if nothing is under way and the pause is over.
    async fn due_task(
        &self,
        now: UnixSeconds,
        state: AccountState,
    ) -> Result<Option<Task>, SenderFailure> {
        let is_due = self.due <= Instant::now();
        let (outbox, work) = (self.outbox.clone(), self.work.clone());
        apart(move || {
            let is_asked = is_due && !outbox.is_busy()?;
            let task = if is_asked { work.task(now, state.next_sequence)? } else { None };
            work.show(state.next_sequence);
            Ok(task.filter(|task| task.sequence >= state.next_sequence))
        })
        .await
    }

    /// Calls the contract without a transaction: a refusal costs nothing, and gives the reason.
    async fn try_out(&self, task: &Task) -> Result<(), SenderFailure> {
        let call = ContractCall {
            from: self.outbox.payer(),
            to: Some(task.to),
            data: task.data.clone(),
            gas: task.gas_limit,
            code: None,
        };
        let called = self.nodes.get()?.call_contract(&call).await;
        let contract = self.work.words().contract;
        called.map(drop).map_err(|source| SenderFailure::Refused { contract, source })
    }

    async fn send(&mut self, now: UnixSeconds) -> Result<Duration, SenderFailure> {
        let state = self.ask().await?;
        self.show(state);
        let (words, chain) = (self.work.words(), self.work.place().chain.id);
        let item = words.item;
        match self.advance(now, state).await? {
            Step::Idle => Ok(self.until_due()),
            Step::Done { sequence } => {
                self.due = Instant::now() + self.work.interval();
                self.is_lost = false;
                tracing::info!(
                    chain.id = %chain, sequence,
                    "{item} {sequence} is at the {} of chain {chain}", words.contract
                );
                self.work.change(|view| view.transaction = None);
                Ok(self.until_due())
            }
            Step::Lost { sequence } => {
                self.due = Instant::now() + self.work.interval();
                self.is_lost = true;
                Err(SenderFailure::Held(format!(
                    "{item} {sequence} is not at the contract, and the nonce of its transaction is used: it failed, or \
                     somebody else has the payer's key"
                )))
            }
            Step::Held { why, .. } => Err(SenderFailure::Held(why)),
            Step::Send { sequence, transaction, held } => {
                let hash = transaction.hash;
                self.work.change(|view| view.transaction = Some(hash));
                let nodes = self.nodes.get()?;
                let sent = nodes.send_transaction(&transaction.raw).await;
                // once taken, a node refuses it when a newer block has it: what is agreed on says so a moment later
                if self.said != Some(hash) {
                    sent?;
                    self.said = Some(hash);
                    metrics::counter!(words.sent, "chain" => self.label.clone()).increment(1);
                    tracing::info!(
                        chain.id = %chain, sequence,
                        "{item} {sequence} is sent to the {} of chain {chain}: transaction {hash}", words.contract
                    );
                }
                match held {
                    Some(why) => Err(SenderFailure::Held(why)),
                    None => Ok(LOOK_INTERVAL),
                }
            }
        }
    }

    fn until_due(&self) -> Duration {
        let left = self.due.saturating_duration_since(Instant::now());
        if left.is_zero() { self.work.idle() } else { left.max(LOOK_INTERVAL) }
    }

    fn show(&self, state: AccountState) {
        let sequence = state.next_sequence.checked_sub(1);
        let shown = sequence.unwrap_or(0);
        metrics::gauge!(self.work.words().sequence, "chain" => self.label.clone())
            .set(shown as f64);
        self.work.change(|view| view.sequence = sequence);
    }

    fn failed(&mut self, failure: &SenderFailure) {
        let why = one_line(&failure.to_string(), WORDS_MAX);
        self.failures = self.failures.saturating_add(1);
        let (words, chain) = (self.work.words(), self.work.place().chain.id);
        metrics::counter!(words.failures, "chain" => self.label.clone()).increment(1);
        let mut before = None;
        self.work.change(|view| before = view.last_error.replace(why.clone()));
        if before.as_deref() != Some(&why) {
            tracing::warn!(
                chain.id = %chain,
                "nothing is sent to the {} of chain {chain}: {why}", words.contract
            );
        }
    }
}

/// Runs what blocks beside the asynchronous work.
async fn apart<T: Send + 'static>(
    step: impl FnOnce() -> Result<T, SenderFailure> + Send + 'static,
) -> Result<T, SenderFailure> {
    let done = tokio::task::spawn_blocking(step).await;
    done.unwrap_or_else(|error| Err(SenderFailure::Held(format!("a step panicked: {error}"))))
}

/// Sequence in an answer; `None` for anything but one word of at most 64 bits.
fn parse_sequence(returned: &[u8]) -> Option<u64> {
    let (zeros, number) = returned.split_at_checked(24)?;
    let number = u64::from_be_bytes(number.try_into().ok()?);
    zeros.iter().all(|byte| *byte == 0).then_some(number)
}

impl<W: ContractWork> RunnerStage for SendToContract<W> {
    fn name(&self) -> StageName {
        self.work.stage()
    }

    async fn step(&mut self, now: UnixSeconds) -> anyhow::Result<Next> {
        match self.send(now).await {
            Ok(pause) => {
                if !self.is_lost && std::mem::take(&mut self.failures) > 0 {
                    self.work.change(|view| view.last_error = None);
                }
                Ok(Next::after(pause))
            }
            Err(failure) if failure.is_lasting() => {
                let (words, chain) = (self.work.words(), self.work.place().chain.id);
                Err(failure).with_context(|| format!("the {} of chain {chain}", words.contract))
            }
            Err(failure) => {
                self.failed(&failure);
                let pause = Some(backoff(self.failures, RETRY_MAX));
                Ok(Next { pause, has_failed: true })
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_number_is_no_answer() {
        let word = |number: u64| [[0; 24].as_slice(), &number.to_be_bytes()].concat();
        assert_eq!(parse_sequence(&word(7)), Some(7));
        assert_eq!(parse_sequence(&[1; 32]), None);
        for length in [0, 8, 31, 33, 64] {
            assert_eq!(parse_sequence(&vec![0; length]), None, "{length} bytes");
        }
    }
}
