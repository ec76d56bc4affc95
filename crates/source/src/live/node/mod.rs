//! Single node: name, health, capabilities and calls.

mod answer_size;
mod batch;
pub(crate) mod health;
pub(crate) mod json_rpc;
pub(crate) mod measure;
mod pace;
mod pause;

use std::any::Any;
use std::collections::BTreeSet;
use std::sync::atomic::AtomicU64;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use serde::de::DeserializeOwned;
use serde_json::Value;
use superroot_chain::ChainError;
use superroot_types::BlockNumber;
use tokio::sync::watch;
use tokio::time::Instant;

use super::config::LiveConfig;
use super::operators::NodeOperator;
use super::transport::Transport;
use crate::error::{CallFault, SourceError};
use crate::{Budget, LACKS_RECEIPTS, NodeReport, off_thread};
use answer_size::AnswerSizes;
use batch::Queue;
use health::{Lag, NodeHealth};
use json_rpc::{Call, CallResultBytes, Outcome, RpcProtocol};
use measure::Measure;
use pace::NodePace;

/// Answers from this size on, in bytes, are parsed off the asynchronous threads.
const OFF_THREAD_BYTES: usize = 64 << 10;

/// Status text after a late block answer.
const LETS_BLOCKS_WAIT: &str = "lets blocks wait: others are asked first";

/// Learned facts about a node, besides health.
#[derive(Debug, Default)]
struct NodeFacts {
    /// Connection with a successful chain check; `None` before the first.
    greeted_at: Option<u64>,
    /// Unsupported methods and method forms.
    lacking: BTreeSet<&'static str>,
    /// No receipts for an available block, and none for any block since.
    lacks_receipts: bool,
    /// Call for the final block, if refused at the last attempt.
    refused: Option<&'static str>,
}

pub(crate) struct LiveNode {
    name: Arc<str>,
    operator: NodeOperator,
    transport: Arc<dyn Transport>,
    config: LiveConfig,
    protocol: RpcProtocol,
    measure: Measure,
    budget: Budget,
    sizes: AnswerSizes,
    pace: NodePace,
    health: Mutex<NodeHealth>,
    known: Mutex<NodeFacts>,
    queue: Mutex<Queue>,
    next_id: AtomicU64,
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl LiveNode {
    pub(crate) fn new(
        name: Arc<str>,
        operator: NodeOperator,
        transport: Arc<dyn Transport>,
        config: LiveConfig,
        protocol: RpcProtocol,
        measure: Measure,
        budget: Budget,
    ) -> Arc<Self> {
        Arc::new(Self {
            name,
            operator,
            transport,
            config,
            protocol,
            measure,
            budget,
            sizes: AnswerSizes::default(),
            pace: NodePace::new(&config),
            health: Mutex::new(NodeHealth::new(&config)),
            known: Mutex::default(),
            queue: Mutex::default(),
            next_id: AtomicU64::new(1),
        })
    }

    pub(crate) fn name(&self) -> &Arc<str> {
        &self.name
    }

    /// Operator number, shared by all nodes of the operator.
    pub(crate) const fn operator(&self) -> usize {
        self.operator.number
    }

    pub(crate) fn connection_count(&self) -> u64 {
        self.transport.connection_count()
    }

    /// Counter, increased with every announced head; `None` without announcements.
    pub(crate) fn announcements(&self) -> Option<watch::Receiver<u64>> {
        self.transport.announcements()
    }

    /// Makes a node's text safe to show.
    pub(crate) fn clean(&self, text: &str) -> String {
        self.transport.clean(text)
    }

    pub(super) fn health(&self) -> MutexGuard<'_, NodeHealth> {
        lock(&self.health)
    }

    fn known(&self) -> MutexGuard<'_, NodeFacts> {
        lock(&self.known)
    }

    /// Whether the chain check succeeded on the current connection.
    pub(crate) fn is_greeted(&self) -> bool {
        self.known().greeted_at == Some(self.transport.connection_count())
    }

    pub(crate) fn greeted(&self) {
        self.known().greeted_at = Some(self.transport.connection_count());
    }

    /// Requires a new chain check: the node may have changed.
    fn is_to_be_greeted(&self) {
        self.known().greeted_at = None;
    }

    /// Whether a method or method form is known as unsupported.
    pub(crate) fn lacks(&self, what: &'static str) -> bool {
        self.known().lacking.contains(what)
    }

    /// Records an unsupported method or method form. Returns `true` if new.
    pub(crate) fn note_lack(&self, what: &'static str) -> bool {
        self.known().lacking.insert(what)
    }

    /// Records the refused call for the final block; `None`: the node returns a final block.
    pub(crate) fn note_refused(&self, call: Option<&'static str>) {
        self.known().refused = call;
    }

    /// Whether the node had no receipts for an available block when last asked.
    pub(crate) fn is_without_receipts(&self) -> bool {
        self.known().lacks_receipts
    }

    /// Blames the node for an invalid block header.
    pub(crate) fn refuted(&self, number: BlockNumber, error: &ChainError) {
        self.measure.failed_check(error.check().name());
        self.wrong(&format!("the header of its block {number} refutes it: {error}"));
    }

    pub(crate) fn wrong(&self, why: &str) {
        tracing::warn!(endpoint = %self.name, "{} sent what is wrong: {why}", self.name);
        self.measure.wrong();
        self.is_to_be_greeted();
        self.health().wrong(Instant::now(), why);
    }

    pub(crate) fn failed(&self, why: &str) {
        self.health().failed(Instant::now(), why);
    }

    pub(crate) fn keeps_receipts(&self) {
        self.known().lacks_receipts = false;
    }

    /// Records a block without receipts, logged once. Returns the error.
    pub(crate) fn lacks_receipts(&self) -> SourceError {
        if !std::mem::replace(&mut self.known().lacks_receipts, true) {
            tracing::warn!(endpoint = %self.name, "{} {LACKS_RECEIPTS}", self.name);
        }
        let fault = CallFault::NoReceipts;
        self.measure.failed(&fault);
        fault.into_error(&self.name, "receipts")
    }

    pub(crate) fn report(&self, now: Instant, lag: Lag) -> NodeReport {
        let mut report = self.health().report(&self.name, &self.operator.name, now, lag);
        if report.last_error.is_none() {
            let lets_wait = self.health().lets_blocks_wait(now).then_some(LETS_BLOCKS_WAIT);
            let known = self.known();
            let lacks_receipts = known.lacks_receipts.then_some(LACKS_RECEIPTS);
            let refuses = known.refused.map(|call| format!("refuses {call}"));
            report.last_error = refuses.or_else(|| lets_wait.or(lacks_receipts).map(str::to_owned));
        }
        report
    }

    pub(crate) fn mismatch(
        &self,
        method: &'static str,
        field: &'static str,
        got: &str,
        expected: impl Into<String>,
    ) -> SourceError {
        let got = self.clean(got);
        let expected = expected.into();
        CallFault::Mismatch { field, got, expected }.into_error(&self.name, method)
    }

    /// Blames the node for an answer unrelated to the request. Returns the error.
    pub(crate) fn refute(
        &self,
        method: &'static str,
        field: &'static str,
        got: &str,
        expected: impl Into<String>,
    ) -> SourceError {
        let error = self.mismatch(method, field, got, expected);
        self.wrong(&error.to_string());
        error
    }

    pub(crate) async fn call<T: DeserializeOwned + Send + 'static>(
        self: &Arc<Self>,
        method: &'static str,
        params: Value,
    ) -> Result<T, SourceError> {
        let outcome = self.ask(Call::new(method, params)).await;
        self.read(method, outcome).await
    }

    pub(crate) async fn read<T: DeserializeOwned + Send + 'static>(
        &self,
        method: &'static str,
        outcome: Outcome,
    ) -> Result<T, SourceError> {
        let read = |bytes: &[u8]| serde_json::from_slice::<T>(bytes).map_err(|it| it.to_string());
        of_type(self.read_any(method, outcome, untyped(read)).await)
    }

    /// Parses a call result with a custom reader, which explains failures.
    pub(crate) async fn read_with<T: Send + 'static>(
        &self,
        method: &'static str,
        found: CallResultBytes,
        read: impl FnOnce(&[u8]) -> Result<T, String> + Send + 'static,
    ) -> Result<T, SourceError> {
        of_type(self.read_any(method, Ok(found), untyped(read)).await)
    }

    /// Type-erased variant.
    async fn read_any(
        &self,
        method: &'static str,
        outcome: Outcome,
        read: Read,
    ) -> Result<Box<dyn Any + Send>, SourceError> {
        let found = outcome.map_err(|fault| fault.into_error(&self.name, method))?;
        let parsed = if found.bytes().len() < OFF_THREAD_BYTES {
            read(found.bytes())
        } else {
            off_thread(move || Ok(read(found.bytes()))).await?
        };
        parsed.map_err(|why| {
            let fault = CallFault::Shape(self.clean(&why));
            self.failed("an answer of another shape");
            self.measure.failed(&fault);
            fault.into_error(&self.name, method)
        })
    }
}

/// Type-erased reader: a single runtime task serves all types.
type Read = Box<dyn FnOnce(&[u8]) -> Result<Box<dyn Any + Send>, String> + Send>;

fn untyped<T: Send + 'static>(
    read: impl FnOnce(&[u8]) -> Result<T, String> + Send + 'static,
) -> Read {
    Box::new(move |bytes| Ok(Box::new(read(bytes)?)))
}

fn of_type<T: 'static>(read: Result<Box<dyn Any + Send>, SourceError>) -> Result<T, SourceError> {
    Ok(*read?.downcast().expect("of the type that the reader gave"))
}

pub(crate) fn operator_count<'a>(nodes: impl IntoIterator<Item = &'a Arc<LiveNode>>) -> usize {
    nodes.into_iter().map(|node| node.operator()).collect::<BTreeSet<_>>().len()
}
