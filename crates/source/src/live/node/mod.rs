//! One node: what it is called, how it fares, what it can, and calls of it.

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
use super::operators::Operator;
use super::transport::Transport;
use crate::error::{Fault, SourceError};
use crate::{Budget, EndpointReport, LACKS_RECEIPTS, off_thread};
use answer_size::AnswerSizes;
use batch::Queue;
use health::{Health, Lag};
use json_rpc::{Call, Found, Outcome, Protocol};
use measure::Measure;
use pace::Pace;

/// Answers from this size on are read off the asynchronous threads.
const OFF_THREAD_BYTES: usize = 64 << 10;

/// What is said of a node that answered for a block too late.
const LETS_BLOCKS_WAIT: &str = "lets blocks wait: others are asked first";

/// What was found out about a node, besides its health.
#[derive(Debug, Default)]
struct Known {
    /// The connection on which it said that it is of our chain; `None` before it was asked.
    greeted_at: Option<u64>,
    /// Methods, and forms of them, that it does not have.
    lacking: BTreeSet<&'static str>,
    /// It had no receipts of a block that it has, and gave none of any block since.
    lacks_receipts: bool,
    /// The call for its final block, where it refused it when it was asked last.
    refused: Option<&'static str>,
}

/// One node.
pub(crate) struct Node {
    name: Arc<str>,
    operator: Operator,
    transport: Arc<dyn Transport>,
    config: LiveConfig,
    protocol: Protocol,
    measure: Measure,
    budget: Budget,
    sizes: AnswerSizes,
    pace: Pace,
    health: Mutex<Health>,
    known: Mutex<Known>,
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
        protocol: Protocol,
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
            pace: Pace::new(&config),
            health: Mutex::new(Health::new(&config)),
            known: Mutex::default(),
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

    fn known(&self) -> MutexGuard<'_, Known> {
        lock(&self.known)
    }

    /// Whether it was found to be of our chain since its connection was made.
    pub(crate) fn is_greeted(&self) -> bool {
        self.known().greeted_at == Some(self.transport.connection_count())
    }

    pub(crate) fn greeted(&self) {
        self.known().greeted_at = Some(self.transport.connection_count());
    }

    /// It may be another node from now on.
    fn is_to_be_greeted(&self) {
        self.known().greeted_at = None;
    }

    /// Whether it was found not to have that method, or that form of one.
    pub(crate) fn lacks(&self, what: &'static str) -> bool {
        self.known().lacking.contains(what)
    }

    /// It does not have that method, or that form of one. Says whether that is news.
    pub(crate) fn note_lack(&self, what: &'static str) -> bool {
        self.known().lacking.insert(what)
    }

    /// It refuses that call for its final block; `None` where it names one.
    pub(crate) fn note_refused(&self, call: Option<&'static str>) {
        self.known().refused = call;
    }

    /// Whether it had no receipts of a block that it has, when it was asked last.
    pub(crate) fn is_without_receipts(&self) -> bool {
        self.known().lacks_receipts
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
        self.is_to_be_greeted();
        self.health().wrong(Instant::now(), why);
    }

    /// It gave no answer, or none of use.
    pub(crate) fn failed(&self, why: &str) {
        self.health().failed(Instant::now(), why);
    }

    /// It gave receipts of a block that has some.
    pub(crate) fn keeps_receipts(&self) {
        self.known().lacks_receipts = false;
    }

    /// It has a block without its receipts, which is told once. Gives the error.
    pub(crate) fn lacks_receipts(&self) -> SourceError {
        if !std::mem::replace(&mut self.known().lacks_receipts, true) {
            tracing::warn!(endpoint = %self.name, "{} {LACKS_RECEIPTS}", self.name);
        }
        let fault = Fault::NoReceipts;
        self.measure.failed(&fault);
        fault.into_error(&self.name, "receipts")
    }

    /// How it fares, for people.
    pub(crate) fn report(&self, now: Instant, lag: Lag) -> EndpointReport {
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

    /// What it answers is none to what it was asked: it is blamed. Gives the error.
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
        let read = |bytes: &[u8]| serde_json::from_slice::<T>(bytes).map_err(|it| it.to_string());
        of_type(self.read_any(method, outcome, untyped(read)).await)
    }

    /// Reads what a call found by a reader of its own, which says why where it cannot.
    pub(crate) async fn read_with<T: Send + 'static>(
        &self,
        method: &'static str,
        found: Found,
        read: impl FnOnce(&[u8]) -> Result<T, String> + Send + 'static,
    ) -> Result<T, SourceError> {
        of_type(self.read_any(method, Ok(found), untyped(read)).await)
    }

    /// The same for all types.
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
            let fault = Fault::Shape(self.clean(&why));
            self.failed("an answer of another shape");
            self.measure.failed(&fault);
            fault.into_error(&self.name, method)
        })
    }
}

/// A reader whose type is hidden: one task of the runtime serves all of them.
type Read = Box<dyn FnOnce(&[u8]) -> Result<Box<dyn Any + Send>, String> + Send>;

fn untyped<T: Send + 'static>(
    read: impl FnOnce(&[u8]) -> Result<T, String> + Send + 'static,
) -> Read {
    Box::new(move |bytes| Ok(Box::new(read(bytes)?)))
}

fn of_type<T: 'static>(read: Result<Box<dyn Any + Send>, SourceError>) -> Result<T, SourceError> {
    Ok(*read?.downcast().expect("of the type that the reader gave"))
}

/// How many operators those nodes have.
pub(crate) fn operator_count<'a>(nodes: impl IntoIterator<Item = &'a Arc<Node>>) -> usize {
    nodes.into_iter().map(|node| node.operator()).collect::<BTreeSet<_>>().len()
}
