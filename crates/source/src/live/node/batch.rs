//! Calls of one node on their way: gathered into batches, sent at its pace, their outcomes given back.

use std::collections::VecDeque;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use tokio::sync::{OwnedSemaphorePermit, oneshot};
use tokio::time::Instant;

use super::answer_size::BATCH_BYTES;
use super::json_rpc::{Call, Decoded, Outcome, decode, of_transport, request_of};
use super::{Node, OFF_THREAD_BYTES, lock};
use crate::error::Fault;
use crate::live::transport::{Request, TransportError};
use crate::{Lease, Purpose, off_thread};

/// An answer that was larger than expected may have so many times as much when it is asked for again.
const LARGER: usize = 8;

/// Status of a path under which nothing is.
const NOT_THERE: u16 = 404;

/// Time between looks at whether a call that takes long is still wanted.
const ABANDONED_INTERVAL: Duration = Duration::from_millis(250);

/// A call that waits for its batch.
struct Pending {
    call: Call,
    /// Not in a batch, since one did not work out.
    alone: bool,
    reply: oneshot::Sender<Outcome>,
}

/// Calls that wait.
#[derive(Default)]
pub(super) struct Queue {
    waiting: VecDeque<Pending>,
    is_served: bool,
}

impl Node {
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
        let alone = call.has_path();
        queue.waiting.push_back(Pending { call, alone, reply });
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
    async fn send(self: Arc<Self>, batch: Vec<Pending>, leave: OwnedSemaphorePermit) {
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
            Err(Fault::Status { got: NOT_THERE, text })
                if calls.iter().all(|call| call.has_path()) =>
            {
                let code = i64::from(NOT_THERE);
                Ok(Decoded::Each(vec![Err(Fault::Refused { code, message: text })]))
            }
            Err(fault) => Err(fault),
        };
        drop(leave);
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
        request: Request,
        batch: &[Pending],
    ) -> (Result<(Vec<u8>, Lease), Fault>, Duration) {
        let most = self.config.body_bytes_max.min(self.budget.lease_bytes_max(Purpose::Answer));
        let expected = batch.iter().map(|pending| self.sizes.expected(&pending.call));
        let mut bytes = expected.fold(0, usize::saturating_add).min(most);
        let timeout = Duration::from_millis(self.config.timeout_ms);
        loop {
            let mut lease = self.budget.lease(Purpose::Answer, bytes).await;
            let start = Instant::now();
            let exchange =
                self.transport.exchange(Request { answer_bytes_max: bytes, ..request.clone() });
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
        let read = move || decode(body, Some(lease), &ids, node.protocol, &|text| node.clean(text));
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
                self.sizes.note(&pending.call, found.bytes().len());
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
                self.is_to_be_greeted();
                self.pace.refused_batch(size);
                return self.requeue_alone(batch);
            }
            Fault::Timeout(_) => self.pace.halve_batch(size),
            Fault::Unreachable(_) => self.is_to_be_greeted(),
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

fn deliver_all(batch: Vec<Pending>, fault: &Fault) {
    for pending in batch {
        let _ = pending.reply.send(Err(fault.clone()));
    }
}
