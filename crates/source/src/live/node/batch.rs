//! Pending calls to a node: batched, sent at the node's pace, matched with outcomes.

use std::collections::VecDeque;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use tokio::sync::{OwnedSemaphorePermit, oneshot};
use tokio::time::Instant;

use super::answer_size::BATCH_BYTES;
use super::json_rpc::{Call, DecodedAnswer, Outcome, decode, of_transport, request_of};
use super::{LiveNode, OFF_THREAD_BYTES, lock};
use crate::error::CallFault;
use crate::live::transport::{NodeRequest, TransportError};
use crate::{Lease, Purpose, off_thread};

/// Growth factor for the repeat after an answer larger than expected.
const LARGER: usize = 8;

const NOT_THERE: u16 = 404;

/// Interval between checks for abandoned long calls.
const ABANDONED_INTERVAL: Duration = Duration::from_millis(250);

struct BatchedCall {
    call: Call,
    /// Sent alone after a failed batch.
    alone: bool,
    reply: oneshot::Sender<Outcome>,
}

#[derive(Default)]
pub(super) struct Queue {
    waiting: VecDeque<BatchedCall>,
    is_served: bool,
}

impl LiveNode {
    /// Makes a call, batched with other concurrent calls.
    pub(crate) fn ask(
        self: &Arc<Self>,
        call: Call,
    ) -> impl Future<Output = Outcome> + Send + use<> {
        let reply = self.enqueue(call);
        async move {
            reply.await.unwrap_or_else(|_| Err(CallFault::Unreachable("shutting down".into())))
        }
    }

    fn enqueue(self: &Arc<Self>, call: Call) -> oneshot::Receiver<Outcome> {
        let (reply, outcome) = oneshot::channel();
        let mut queue = lock(&self.queue);
        let alone = call.has_path();
        queue.waiting.push_back(BatchedCall { call, alone, reply });
        if !std::mem::replace(&mut queue.is_served, true) {
            tokio::spawn(Arc::clone(self).serve_queue());
        }
        outcome
    }

    async fn serve_queue(self: Arc<Self>) {
        // whoever asks in the same turn comes along
        tokio::task::yield_now().await;
        loop {
            let Some(leave) = self.pace.leave().await else { return };
            let batch = self.take_batch();
            if batch.is_empty() {
                drop(leave);
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

    fn take_batch(&self) -> Vec<BatchedCall> {
        let most = self.pace.batch_max();
        let mut queue = lock(&self.queue);
        let mut batch: Vec<BatchedCall> = Vec::new();
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

    /// Sends a batch and returns the outcomes to the callers.
    async fn send(self: Arc<Self>, batch: Vec<BatchedCall>, leave: OwnedSemaphorePermit) {
        if let Some(fault) = self.health().rest(Instant::now()) {
            // it came to be left alone while this batch waited
            return deliver_all(batch, &fault);
        }
        let first = self.next_id.fetch_add(batch.len() as u64, Ordering::Relaxed);
        let ids: Vec<u64> = (0..batch.len() as u64).map(|at| first.wrapping_add(at)).collect();
        self.health().sent(batch.len());
        let calls: Vec<&Call> = batch.iter().map(|pending| &pending.call).collect();
        let request = request_of(&calls, &ids);
        let (exchanged, taken) = self.exchange(request, &batch).await;
        let decoded = match exchanged {
            Ok((bytes, lease)) => self.decode(bytes, lease, ids).await,
            // of a path this is an answer: the node has not what was asked for
            Err(CallFault::Status { got: NOT_THERE, text })
                if calls.iter().all(|call| call.has_path()) =>
            {
                let code = i64::from(NOT_THERE);
                Ok(DecodedAnswer::Each(vec![Err(CallFault::Refused { code, message: text })]))
            }
            Err(fault) => Err(fault),
        };
        drop(leave);
        self.measure.exchanged(batch.len(), taken);
        match decoded {
            Ok(DecodedAnswer::Each(outcomes)) => self.settle(batch, outcomes, taken),
            Ok(DecodedAnswer::BatchRefused(fault)) => self.batch_refused(batch, fault),
            Err(fault) => self.exchange_failed(batch, fault),
        }
    }

    /// Sends a request and reads the answer, within the available memory budget; larger answers than expected are
    /// requested again with more room. Also returns the node's response time.
    async fn exchange(
        &self,
        request: NodeRequest,
        batch: &[BatchedCall],
    ) -> (Result<(Vec<u8>, Lease), CallFault>, Duration) {
        let most = self.config.body_bytes_max.min(self.budget.lease_bytes_max(Purpose::Answer));
        let expected = batch.iter().map(|pending| self.sizes.expected(&pending.call));
        let mut bytes = expected.fold(0, usize::saturating_add).min(most);
        let timeout = Duration::from_millis(self.config.timeout_ms);
        loop {
            let mut lease = self.budget.lease(Purpose::Answer, bytes).await;
            let start = Instant::now();
            let exchange =
                self.transport.exchange(NodeRequest { answer_bytes_max: bytes, ..request.clone() });
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
                _ if too_large => Err(CallFault::TooLarge(most)),
                Err(waited) => {
                    let waited_ms = u64::try_from(waited.as_millis()).unwrap_or(u64::MAX);
                    Err(CallFault::Timeout(waited_ms))
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

    /// Ready once no caller waits and the node had a full tip time limit to answer: a hanging node must not block new
    /// requests.
    async fn is_in_vain(&self, batch: &[BatchedCall]) {
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
    ) -> Result<DecodedAnswer, CallFault> {
        self.measure.received(body.len());
        let node = Arc::clone(self);
        let is_small = body.len() < OFF_THREAD_BYTES;
        let read = move || decode(body, Some(lease), &ids, node.protocol, &|text| node.clean(text));
        if is_small {
            return read();
        }
        let decoded = off_thread(move || Ok(read())).await;
        decoded.unwrap_or_else(|error| Err(CallFault::Unreachable(error.to_string())))
    }

    /// Assigns an outcome to each call in a batch: missing outcomes are requested again alone, once.
    fn settle(self: &Arc<Self>, batch: Vec<BatchedCall>, outcomes: Vec<Outcome>, taken: Duration) {
        let size = batch.len();
        let mut again = Vec::new();
        let mut worst = None;
        let mut has_good = false;
        for (pending, outcome) in batch.into_iter().zip(outcomes) {
            if let Ok(found) = &outcome {
                self.sizes.note(&pending.call, found.bytes().len());
            }
            if let Err(fault) = &outcome {
                self.measure.failed(fault);
                if let CallFault::Missing(_) = fault
                    && size > 1
                {
                    again.push(BatchedCall { alone: true, ..pending });
                    continue;
                }
                if !fault.is_no_method() && !matches!(worst, Some(CallFault::Limited(_))) {
                    worst = Some(fault.clone());
                }
            } else {
                has_good = true;
            }
            let _ = pending.reply.send(outcome);
        }
        match worst {
            None => self.health().went_well(taken),
            Some(CallFault::Limited(asked_ms)) => self.limited(asked_ms),
            // it lacks a tag or a block, and answers all else
            Some(CallFault::Refused { .. }) if has_good => self.health().went_well(taken),
            Some(fault) if fault.is_not_there() => self.health().went_well(taken),
            Some(fault) => self.failed(&fault.to_string()),
        }
        if again.is_empty() {
            self.pace.went_well(size);
        } else {
            self.pace.halve_batch(again.len());
            self.requeue(again);
        }
    }

    /// Repeats the calls individually after a single error for the batch.
    fn batch_refused(self: &Arc<Self>, batch: Vec<BatchedCall>, fault: CallFault) {
        self.measure.failed(&fault);
        if let CallFault::Limited(asked_ms) = fault {
            self.limited(asked_ms);
            return deliver_all(batch, &fault);
        }
        tracing::debug!(endpoint = %self.name, "{} takes no batches", self.name);
        self.pace.no_batches();
        self.requeue_alone(batch);
    }

    fn exchange_failed(self: &Arc<Self>, batch: Vec<BatchedCall>, fault: CallFault) {
        self.measure.failed(&fault);
        let size = batch.len();
        match &fault {
            CallFault::Limited(asked_ms) => {
                self.limited(*asked_ms);
                return deliver_all(batch, &fault);
            }
            // too much for one answer, or for the node's patience: not yet a failure of the node
            CallFault::TooLarge(_) | CallFault::NotJsonRpc(_) | CallFault::Refused { .. }
                if size > 1 =>
            {
                self.pace.halve_batch(size);
                return self.requeue_alone(batch);
            }
            // gateways refuse a batch, or one of that size, in plain HTTP, or hang up
            CallFault::Status { got: 400..=499, .. } if size > 1 => {
                self.pace.refused_batch(size);
                return self.requeue_alone(batch);
            }
            CallFault::Status { .. } | CallFault::Unreachable(_)
                if self.pace.may_be_too_many(size) =>
            {
                self.is_to_be_greeted();
                self.pace.refused_batch(size);
                return self.requeue_alone(batch);
            }
            CallFault::Timeout(_) => self.pace.halve_batch(size),
            CallFault::Unreachable(_) => self.is_to_be_greeted(),
            _ => {}
        }
        if !fault.is_no_method() && !fault.is_not_there() {
            self.failed(&fault.to_string());
        }
        deliver_all(batch, &fault);
    }

    fn limited(&self, asked_ms: Option<u64>) {
        self.pace.halve();
        self.health().limited(Instant::now(), asked_ms);
    }

    fn requeue_alone(self: &Arc<Self>, batch: Vec<BatchedCall>) {
        self.requeue(
            batch.into_iter().map(|pending| BatchedCall { alone: true, ..pending }).collect(),
        );
    }

    fn requeue(self: &Arc<Self>, again: Vec<BatchedCall>) {
        let mut queue = lock(&self.queue);
        for pending in again.into_iter().rev() {
            queue.waiting.push_front(pending);
        }
        if !std::mem::replace(&mut queue.is_served, true) {
            tokio::spawn(Arc::clone(self).serve_queue());
        }
    }
}

fn deliver_all(batch: Vec<BatchedCall>, fault: &CallFault) {
    for pending in batch {
        let _ = pending.reply.send(Err(fault.clone()));
    }
}
