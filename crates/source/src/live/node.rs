//! One node: calls gathered into batches, sent at its pace, their outcomes handed back.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use superroot_chain::ChainError;
use superroot_types::BlockNumber;
use tokio::sync::{oneshot, watch};
use tokio::time::Instant;

use super::answer::{Decoded, Outcome, decode};
use super::config::LiveConfig;
use super::fault::{Fault, of_transport};
use super::health::{Health, Lag};
use super::measure::Measure;
use super::operators::Operator;
use super::pace::{Leave, Pace};
use super::size::{AnswerSizes, BATCH_BYTES};
use super::transport::{Transport, TransportError};
use crate::error::{SourceError, said};
use crate::{Budget, EndpointReport, Lease, Purpose, off_thread};

/// Answers from this size on are read off the asynchronous threads.
const OFF_THREAD_BYTES: usize = 64 << 10;

/// What is said of a node without receipts.
pub const LACKS_RECEIPTS: &str = "has no receipts of blocks that it has";

/// What is said of a node that answered for a block too late.
const LETS_BLOCKS_WAIT: &str = "lets blocks wait: others are asked first";

/// What is said of a node that names no final block.
const REFUSES_FINALIZED: &str = "refuses eth_getBlockByNumber(\"finalized\")";

/// An answer that was larger than expected may have so many times as much when it is asked for again.
const LARGER: usize = 8;

/// Time between looks at whether a call that takes long is still wanted.
const ABANDONED_INTERVAL: Duration = Duration::from_millis(250);

/// A call of a node.
#[derive(Clone, Debug)]
pub(crate) struct Call {
    pub(crate) method: &'static str,
    pub(crate) params: Value,
}

impl Call {
    pub(crate) const fn new(method: &'static str, params: Value) -> Self {
        Self { method, params }
    }
}

/// A call that waits for its batch.
struct Pending {
    call: Call,
    /// Not in a batch, since one did not work out.
    alone: bool,
    reply: oneshot::Sender<Outcome>,
}

#[derive(Default)]
struct Queue {
    waiting: VecDeque<Pending>,
    is_served: bool,
}

/// What was found out about a node, besides its health.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Abilities {
    /// It is of our chain; `None` before it was asked.
    pub(crate) greeted_at: Option<u64>,
    /// It has no `eth_getBlockReceipts`.
    pub(crate) no_block_receipts: bool,
    /// Its `eth_getBlockReceipts` takes no hash.
    pub(crate) no_receipts_by_hash: bool,
    /// It had no receipts of a block that it has, and gave none of any block since.
    pub(crate) lacks_receipts: bool,
    /// It refused to name its final block, when it was asked last.
    pub(crate) refuses_finalized: bool,
}

/// One node.
pub(crate) struct Node {
    name: Arc<str>,
    operator: Operator,
    transport: Arc<dyn Transport>,
    config: LiveConfig,
    is_old_rpc: bool,
    measure: Measure,
    budget: Budget,
    sizes: AnswerSizes,
    pace: Pace,
    health: Mutex<Health>,
    abilities: Mutex<Abilities>,
    queue: Mutex<Queue>,
    next_id: AtomicU64,
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Node {
    pub(crate) fn new(
        name: Arc<str>,
        operator: Operator,
        transport: Arc<dyn Transport>,
        config: LiveConfig,
        is_old_rpc: bool,
        measure: Measure,
        budget: Budget,
    ) -> Arc<Self> {
        Arc::new(Self {
            name,
            operator,
            transport,
            config,
            is_old_rpc,
            measure,
            budget,
            sizes: AnswerSizes::default(),
            pace: Pace::new(&config),
            health: Mutex::default(),
            abilities: Mutex::default(),
            queue: Mutex::default(),
            next_id: AtomicU64::new(1),
        })
    }

    pub(crate) fn name(&self) -> &Arc<str> {
        &self.name
    }

    /// Number of who runs it: nodes of one operator share it.
    pub(crate) const fn operator(&self) -> usize {
        self.operator.number
    }

    pub(crate) fn connection_count(&self) -> u64 {
        self.transport.connection_count()
    }

    /// A count that rises with every head the node announces; `None` where it announces none.
    pub(crate) fn announcements(&self) -> Option<watch::Receiver<u64>> {
        self.transport.announcements()
    }

    /// A text of the node as it may be shown.
    pub(crate) fn clean(&self, text: &str) -> String {
        self.transport.clean(text)
    }

    pub(super) fn health(&self) -> MutexGuard<'_, Health> {
        lock(&self.health)
    }

    pub(crate) fn abilities(&self) -> MutexGuard<'_, Abilities> {
        lock(&self.abilities)
    }

    /// Whether it was found to be of our chain since its connection was made.
    pub(crate) fn is_greeted(&self) -> bool {
        self.abilities().greeted_at == Some(self.transport.connection_count())
    }

    pub(crate) fn greeted(&self) {
        self.abilities().greeted_at = Some(self.transport.connection_count());
    }

    /// The header of a block that it named does not hold.
    pub(crate) fn refuted(&self, number: BlockNumber, error: &ChainError) {
        self.measure.failed_check(error.check().name());
        self.wrong(&format!("the header of its block {number} refutes it: {error}"));
    }

    /// What it sent is wrong.
    pub(crate) fn wrong(&self, why: &str) {
        tracing::warn!(endpoint = %self.name, "{} sent what is wrong: {why}", self.name);
        self.measure.wrong();
        self.abilities().greeted_at = None;
        self.health().wrong(Instant::now(), why, &self.config);
    }

    /// It gave no answer, or none of use.
    pub(crate) fn failed(&self, why: &str) {
        self.health().failed(Instant::now(), why, &self.config);
    }

    /// It gave receipts of a block that has some.
    pub(crate) fn keeps_receipts(&self) {
        self.abilities().lacks_receipts = false;
    }

    /// It has a block without its receipts, which is told once. Gives the error.
    pub(crate) fn lacks_receipts(&self) -> SourceError {
        if !std::mem::replace(&mut self.abilities().lacks_receipts, true) {
            tracing::warn!(endpoint = %self.name, "{} {LACKS_RECEIPTS}", self.name);
        }
        let fault = Fault::NoReceipts;
        self.measure.failed(&fault);
        fault.into_error(&self.name, "eth_getBlockReceipts")
    }

    /// How it fares, for people.
    pub(crate) fn report(&self, now: Instant, lag: Lag) -> EndpointReport {
        let Abilities { lacks_receipts, refuses_finalized, .. } = *self.abilities();
        let mut report = self.health().report(&self.name, &self.operator.name, now, lag);
        if refuses_finalized && report.last_error.is_none() {
            report.last_error = Some(REFUSES_FINALIZED.to_owned());
        }
        if self.health().lets_blocks_wait(now) && report.last_error.is_none() {
            report.last_error = Some(LETS_BLOCKS_WAIT.to_owned());
        }
        if lacks_receipts && report.last_error.is_none() {
            report.last_error = Some(LACKS_RECEIPTS.to_owned());
        }
        report
    }

    /// An error about this node.
    pub(crate) fn mismatch(
        &self,
        method: &'static str,
        field: &'static str,
        got: &str,
        expected: impl Into<String>,
    ) -> SourceError {
        let (got, expected) = (self.clean(got), expected.into());
        Fault::Mismatch { field, got, expected }.into_error(&self.name, method)
    }

    /// Makes one call and reads its result.
    pub(crate) async fn call<T: DeserializeOwned + Send + 'static>(
        self: &Arc<Self>,
        method: &'static str,
        params: Value,
    ) -> Result<T, SourceError> {
        let outcome = self.ask(Call::new(method, params)).await;
        self.read(method, outcome).await
    }

    /// Reads the result of a call.
    pub(crate) async fn read<T: DeserializeOwned + Send + 'static>(
        &self,
        method: &'static str,
        outcome: Outcome,
    ) -> Result<T, SourceError> {
        let result = outcome.map_err(|fault| fault.into_error(&self.name, method))?;
        let parsed = if result.get().len() < OFF_THREAD_BYTES {
            serde_json::from_str(result.get())
        } else {
            off_thread(move || Ok(serde_json::from_str(result.get()))).await?
        };
        parsed.map_err(|error| {
            let fault = Fault::Shape(self.clean(&error.to_string()));
            self.failed("an answer of another shape");
            self.measure.failed(&fault);
            fault.into_error(&self.name, method)
        })
    }

    /// Makes one call; it goes out together with others that are made at the same time.
    pub(crate) fn ask(
        self: &Arc<Self>,
        call: Call,
    ) -> impl Future<Output = Outcome> + Send + use<> {
        let reply = self.enqueue(call);
        async move { reply.await.unwrap_or_else(|_| Err(Fault::Unreachable("shutting down".into()))) }
    }

    fn enqueue(self: &Arc<Self>, call: Call) -> oneshot::Receiver<Outcome> {
        let (reply, outcome) = oneshot::channel();
        let mut queue = lock(&self.queue);
        queue.waiting.push_back(Pending { call, alone: false, reply });
        if !std::mem::replace(&mut queue.is_served, true) {
            tokio::spawn(Arc::clone(self).serve_queue());
        }
        outcome
    }

    /// Sends what waits, until nothing does.
    async fn serve_queue(self: Arc<Self>) {
        // whoever asks in the same turn comes along
        tokio::task::yield_now().await;
        loop {
            let Some(leave) = self.pace.leave().await else { return };
            let batch = self.take_batch();
            if batch.is_empty() {
                self.pace.give_back(leave);
                let mut queue = lock(&self.queue);
                if queue.waiting.is_empty() {
                    queue.is_served = false;
                    return;
                }
                continue;
            }
            self.pace.await_rate(batch.len()).await;
            tokio::spawn(Arc::clone(&self).send(batch, leave));
        }
    }

    fn take_batch(&self) -> Vec<Pending> {
        let most = self.pace.batch_max();
        let mut queue = lock(&self.queue);
        let mut batch: Vec<Pending> = Vec::new();
        let mut bytes = 0_usize;
        while batch.len() < most {
            let Some(next) = queue.waiting.front() else { break };
            bytes = bytes.saturating_add(self.sizes.expected(&next.call));
            if (next.alone || bytes > BATCH_BYTES) && !batch.is_empty() {
                break;
            }
            let Some(next) = queue.waiting.pop_front() else { break };
            // nobody waits for it any more
            if next.reply.is_closed() {
                continue;
            }
            let alone = next.alone;
            batch.push(next);
            if alone {
                break;
            }
        }
        batch
    }

    /// Sends one batch and hands its outcomes back.
    async fn send(self: Arc<Self>, batch: Vec<Pending>, leave: Leave) {
        if let Some(fault) = self.health().rest(Instant::now()) {
            // it came to be left alone while this batch waited
            self.pace.give_back(leave);
            deliver_all(batch, &fault);
            return;
        }
        let first = self.next_id.fetch_add(batch.len() as u64, Ordering::Relaxed);
        let ids: Vec<u64> = (0..batch.len() as u64).map(|at| first.wrapping_add(at)).collect();
        self.health().sent(batch.len());
        let request = body_of(&batch, &ids);
        let (exchanged, taken) = self.exchange(request, &batch).await;
        let decoded = match exchanged {
            Ok((bytes, lease)) => self.decode(bytes, lease, ids).await,
            Err(fault) => Err(fault),
        };
        self.pace.give_back(leave);
        self.measure.exchanged(batch.len(), taken);
        match decoded {
            Ok(Decoded::Each(outcomes)) => self.settle(batch, outcomes, taken),
            Ok(Decoded::BatchRefused(fault)) => self.batch_refused(batch, fault),
            Err(fault) => self.exchange_failed(batch, fault),
        }
    }

    /// Sends a request and reads its answer, when and as far as there is room for it; larger ones
    /// than expected are asked for again with more room. Gives the time the node took, too.
    async fn exchange(
        &self,
        request: Vec<u8>,
        batch: &[Pending],
    ) -> (Result<(Vec<u8>, Lease), Fault>, Duration) {
        let most = self.config.body_bytes_max.min(self.budget.lease_bytes_max(Purpose::Answer));
        let expected = batch.iter().map(|pending| self.sizes.expected(&pending.call));
        let mut bytes = expected.fold(0, usize::saturating_add).min(most);
        let timeout = Duration::from_millis(self.config.timeout_ms);
        loop {
            let mut lease = self.budget.lease(Purpose::Answer, bytes).await;
            let start = Instant::now();
            let exchange = self.transport.exchange_within(request.clone(), bytes);
            let exchanged = tokio::select! {
                biased;
                exchanged = tokio::time::timeout(timeout, exchange) => exchanged.map_err(|_| timeout),
                () = self.is_in_vain(batch) => Err(start.elapsed()),
            };
            let taken = start.elapsed();
            let too_large = match &exchanged {
                Ok(Ok(answer)) => answer.body.len() > bytes,
                Ok(Err(error)) => matches!(error, TransportError::TooLarge { .. }),
                Err(_) => false,
            };
            if too_large && bytes < most {
                let each = bytes / batch.len().max(1);
                batch.iter().for_each(|pending| self.sizes.note(&pending.call, each));
                bytes = bytes.saturating_mul(LARGER).min(most);
                continue;
            }
            let result = match exchanged {
                _ if too_large => Err(Fault::TooLarge(most)),
                Err(waited) => {
                    let waited_ms = u64::try_from(waited.as_millis()).unwrap_or(u64::MAX);
                    Err(Fault::Timeout(waited_ms))
                }
                Ok(Err(error)) => Err(of_transport(error, &|text| self.clean(text))),
                Ok(Ok(answer)) => {
                    lease.shrink_to(answer.body.len());
                    Ok((answer.body, lease))
                }
            };
            return (result, taken);
        }
    }

    /// Ready when nobody waits for those calls any more, and the node had as long as it has to say
    /// how far it is: one that hangs must not be kept from being asked anew.
    async fn is_in_vain(&self, batch: &[Pending]) {
        let in_time = Duration::from_millis(self.config.tip_timeout_ms);
        tokio::time::sleep(in_time).await;
        while !batch.iter().all(|pending| pending.reply.is_closed()) {
            tokio::time::sleep(ABANDONED_INTERVAL).await;
        }
    }

    async fn decode(
        self: &Arc<Self>,
        body: Vec<u8>,
        lease: Lease,
        ids: Vec<u64>,
    ) -> Result<Decoded, Fault> {
        self.measure.received(body.len());
        let (node, is_small) = (Arc::clone(self), body.len() < OFF_THREAD_BYTES);
        let read =
            move || decode(body, Some(lease), &ids, node.is_old_rpc, &|text| node.clean(text));
        if is_small {
            return read();
        }
        let decoded = off_thread(move || Ok(read())).await;
        decoded.unwrap_or_else(|error| Err(Fault::Unreachable(error.to_string())))
    }

    /// Each call of a batch has its outcome: what lacks is asked for again alone, once.
    fn settle(self: &Arc<Self>, batch: Vec<Pending>, outcomes: Vec<Outcome>, taken: Duration) {
        let size = batch.len();
        let (mut again, mut worst, mut has_good) = (Vec::new(), None, false);
        for (pending, outcome) in batch.into_iter().zip(outcomes) {
            if let Ok(found) = &outcome {
                self.sizes.note(&pending.call, found.get().len());
            }
            if let Err(fault) = &outcome {
                self.measure.failed(fault);
                if let Fault::Missing(_) = fault
                    && size > 1
                {
                    again.push(Pending { alone: true, ..pending });
                    continue;
                }
                if !fault.is_no_method() && !matches!(worst, Some(Fault::Limited(_))) {
                    worst = Some(fault.clone());
                }
            } else {
                has_good = true;
            }
            let _ = pending.reply.send(outcome);
        }
        match worst {
            None => self.health().went_well(taken),
            Some(Fault::Limited(asked_ms)) => self.limited(asked_ms),
            // it lacks a tag or a block, and answers all else
            Some(Fault::Refused { .. }) if has_good => self.health().went_well(taken),
            Some(fault) => self.failed(&describe(&fault)),
        }
        if again.is_empty() {
            self.pace.went_well(size);
        } else {
            self.pace.halve_batch(again.len());
            self.requeue(again);
        }
    }

    /// The node answered a batch with one error: its calls are made one by one.
    fn batch_refused(self: &Arc<Self>, batch: Vec<Pending>, fault: Fault) {
        self.measure.failed(&fault);
        if let Fault::Limited(asked_ms) = fault {
            self.limited(asked_ms);
            return deliver_all(batch, &fault);
        }
        tracing::debug!(endpoint = %self.name, "{} takes no batches", self.name);
        self.pace.no_batches();
        self.requeue_alone(batch);
    }

    fn exchange_failed(self: &Arc<Self>, batch: Vec<Pending>, fault: Fault) {
        self.measure.failed(&fault);
        let size = batch.len();
        match &fault {
            Fault::Limited(asked_ms) => {
                self.limited(*asked_ms);
                return deliver_all(batch, &fault);
            }
            // too much for one answer, or for the node's patience: not yet a failure of the node
            Fault::TooLarge(_) | Fault::NotJsonRpc(_) | Fault::Refused { .. } if size > 1 => {
                self.pace.halve_batch(size);
                return self.requeue_alone(batch);
            }
            // gateways refuse a batch, or one of that size, in plain HTTP, or hang up
            Fault::Status { got: 400..=499, .. } if size > 1 => {
                self.pace.refused_batch(size);
                return self.requeue_alone(batch);
            }
            Fault::Status { .. } | Fault::Unreachable(_) if self.pace.may_be_too_many(size) => {
                self.abilities().greeted_at = None;
                self.pace.refused_batch(size);
                return self.requeue_alone(batch);
            }
            Fault::Timeout(_) => {
                self.pace.halve();
                if size > 1 {
                    self.pace.halve_batch(size); // others hang
                }
            }
            Fault::Unreachable(_) => self.abilities().greeted_at = None,
            _ => {}
        }
        if !fault.is_no_method() {
            self.failed(&describe(&fault));
        }
        deliver_all(batch, &fault);
    }

    fn limited(&self, asked_ms: Option<u64>) {
        self.pace.halve();
        self.health().limited(Instant::now(), asked_ms, &self.config);
    }

    fn requeue_alone(self: &Arc<Self>, batch: Vec<Pending>) {
        self.requeue(batch.into_iter().map(|pending| Pending { alone: true, ..pending }).collect());
    }

    fn requeue(self: &Arc<Self>, again: Vec<Pending>) {
        let mut queue = lock(&self.queue);
        for pending in again.into_iter().rev() {
            queue.waiting.push_front(pending);
        }
        if !std::mem::replace(&mut queue.is_served, true) {
            tokio::spawn(Arc::clone(self).serve_queue());
        }
    }
}

/// The bytes of a request: one call, or a batch.
fn body_of(batch: &[Pending], ids: &[u64]) -> Vec<u8> {
    let call = |(pending, id): (&Pending, &u64)| {
        let Call { method, params } = &pending.call;
        json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params })
    };
    let mut calls: Vec<Value> = batch.iter().zip(ids).map(call).collect();
    let body = if calls.len() == 1 { calls.swap_remove(0) } else { Value::Array(calls) };
    body.to_string().into_bytes()
}

fn deliver_all(batch: Vec<Pending>, fault: &Fault) {
    for pending in batch {
        let _ = pending.reply.send(Err(fault.clone()));
    }
}

/// A fault in the words of a report.
fn describe(fault: &Fault) -> String {
    match fault {
        Fault::Unreachable(why) => format!("cannot be reached: {why}"),
        Fault::Timeout(ms) => format!("no answer within {ms} ms"),
        Fault::Status { got, text } => format!("http status {got}{}", said(text)),
        Fault::TooLarge(bytes) => format!("an answer of more than {bytes} bytes"),
        Fault::NotJsonRpc(start) => format!("no json-rpc, but {start:?}"),
        Fault::Limited(_) => "it asks for fewer calls".into(),
        Fault::Refused { code, message } => format!("error {code}: {message:?}"),
        Fault::Missing(why) => (*why).into(),
        Fault::Mismatch { field, got, expected } => {
            format!("{field} is {got}, expected {expected}")
        }
        Fault::Shape(why) => format!("an answer of another shape: {why}"),
        Fault::NoReceipts => LACKS_RECEIPTS.into(),
    }
}
