//! Fetching: several blocks in flight, each recomputed on arrival; wrong blocks are requested again.

mod withhold;

use std::collections::VecDeque;
use std::sync::Arc;
use std::time::Duration;

use superroot_chain::{
    BlockCheck, ChainError, ChainSpec, Extent, VerifiedBlock, check_recorded_chain, recompute,
};
use superroot_source::{BlockAt, BlockParts, BlockSource, SourceError};
use superroot_types::{BlockNumber, ErrorKind, Network};
use tokio::task::JoinHandle;
use tokio::time::{Instant, timeout_at};

use crate::blocking::computing;
use crate::body_wait::BodyWait;
use crate::checks;
use crate::error::CollectError;
pub(crate) use crate::received::Received;
use crate::refused_bodies::{LastTold, RefusedBodies, WithheldBody};
use crate::room::StepRoom;
use crate::watching;

/// Time until a step takes the arrived blocks: during a step, the source tip is not polled and nothing is committed.
const STEP_TIME: Duration = Duration::from_secs(10);

/// Block fetcher for one chain; clones share the source.
#[derive(Clone)]
pub(crate) struct Fetcher {
    pub(crate) source: Arc<dyn BlockSource>,
    pub(crate) row: Arc<ChainSpec>,
    pub(crate) attempts_max: u32,
    pub(crate) fetches_max: usize,
    /// Whether the blocks are final: bodies are then waited for, and a sender that returns another block than requested
    /// by hash is blamed. The head may move.
    pub(crate) is_final: bool,
    /// Step room, if any.
    pub(crate) room: Option<Arc<StepRoom>>,
    /// Wait for missing bodies; without one, no wait.
    pub(crate) body_wait: Option<Arc<BodyWait>>,
    /// Last report about a refused body; without one, reported quietly.
    pub(crate) withheld_told: Option<Arc<LastTold>>,
    /// Time after which no new fetch starts, once one block has arrived.
    pub(crate) until: Option<Instant>,
    /// Time after which running fetches are abandoned, once one block has arrived.
    pub(crate) until_at_most: Option<Instant>,
}

impl Fetcher {
    /// Fetcher limited to one step's time.
    pub(crate) fn for_a_step(&self) -> Self {
        Self { until: Some(Instant::now() + STEP_TIME), ..self.clone() }
    }

    /// Fetcher that starts no block after `time` and waits for none after `time_max`, except for the first.
    pub(crate) fn within(self, time: Duration, time_max: Duration) -> Self {
        let now = Instant::now();
        Self { until: Some(now + time), until_at_most: Some(now + time_max), ..self }
    }

    /// Fetches one block. A header that fails recomputation is blamed on its sender, and the block is requested again,
    /// a bounded number of times; the source asks other nodes first. For an invalid or missing body, other operators
    /// are asked. If enough operators for an agreement have no other body, the block is taken without one; a missing
    /// body is waited for first.
    pub(crate) async fn block(
        &self,
        at: BlockAt,
        parts: BlockParts,
    ) -> Result<Received, CollectError> {
        let mut refused = RefusedBodies::default();
        let mut bare: Option<Received> = None;
        for attempt in 1_usize.. {
            let attempts_max = usize::try_from(self.attempts_max).unwrap_or(usize::MAX);
            let is_last = attempt >= attempts_max.saturating_add(refused.len());
            let error = match self.attempt_beside(at, parts, &refused).await {
                Ok((received, None)) => {
                    self.blame_deviating(&refused);
                    self.note_body(&received.block, parts);
                    return Ok(received);
                }
                Ok((received, Some(WithheldBody::Missing { .. }))) if refused.is_empty() => {
                    if is_last || self.waits_no_more(&received.block) {
                        return self.without_body(received);
                    }
                    bare = Some(received);
                    continue;
                }
                Ok((received, Some(fault))) => {
                    let is_of_all = matches!(fault, WithheldBody::Unreadable { .. });
                    refused.push(received, fault);
                    if is_of_all || refused.agreeing() >= self.operators().1 {
                        return self.without_refused(refused);
                    }
                    continue;
                }
                Err(error) => error,
            };
            if !is_last && error.is_of_its_sender() && !self.was_the_last(&error, &refused) {
                continue;
            }
            return match bare {
                _ if !refused.is_empty() => self.doubted(refused, error),
                Some(bare) => self.without_body(bare),
                None => Err(error),
            };
        }
        unreachable!("the last attempt returns")
    }

    /// Whether waiting for a missing body is useless.
    pub(crate) fn waits_no_more(&self, block: &VerifiedBlock) -> bool {
        self.body_wait.as_ref().is_none_or(|body_wait| {
            body_wait.is_over()
                || self.is_final && body_wait.left(block.number(), block.hash()).is_none()
        })
    }

    fn note_body(&self, block: &VerifiedBlock, parts: BlockParts) {
        if let (BlockParts::Whole, Some(body_wait), true) =
            (parts, &self.body_wait, block.extent().receipts)
        {
            body_wait.came(block.number(), block.hash(), block.tx_count().unwrap_or(0));
        }
    }

    /// Takes a block without a body that no node has, after a wait. Recordings often have no bodies.
    pub(crate) fn without_body(&self, received: Received) -> Result<Received, CollectError> {
        if self.source.network() == Network::Recorded {
            return Ok(received);
        }
        let chain = self.row.key();
        let number = received.block.number();
        let hash = received.block.hash();
        let body_wait = self.body_wait.as_ref().filter(|_| self.is_final);
        if let Some(body_wait) =
            body_wait.filter(|body_wait| body_wait.left(number, hash).is_some())
        {
            let wait_s = body_wait.limit().as_secs();
            return Err(CollectError::NoBody { chain, number, wait_s });
        }
        if body_wait.is_none() {
            return Ok(received); // it is met again when it is final, or is held already
        }
        let check = checks::BODY_MISSING.to_owned();
        tracing::debug!(
            chain.id = %self.row.id, block.number = %number,
            "nobody has the body of block {number} of {}: its header is held without it",
            self.row.name
        );
        let labels = [("chain", self.row.slug.clone()), ("check", check)];
        metrics::counter!("superroot_collect_failed_checks_total", &labels).increment(1);
        Ok(received)
    }

    /// Whether a requested, verifiable body part is missing.
    pub(crate) fn lacks_body(&self, block: &VerifiedBlock, parts: BlockParts) -> bool {
        let Extent { transactions, receipts } = block.extent();
        parts == BlockParts::Whole
            && self.row.ledger.body_may_come_later()
            && block.body_withheld().is_none()
            && !(transactions && receipts)
    }

    pub(crate) async fn attempt(
        &self,
        at: BlockAt,
        parts: BlockParts,
        not_of: &[Arc<str>],
    ) -> Result<(Received, Option<WithheldBody>), CollectError> {
        let chain = self.row.key();
        let number = at.number();
        let fetched = self.source.fetch_block(at, parts, not_of).await;
        let fetched = fetched.map_err(|cause| self.source_error(cause))?;
        let Some(fetched) = fetched else {
            let source_name = self.source.name().to_owned();
            return Err(CollectError::Missing { chain, number, source_name });
        };
        let row = self.row.clone();
        let sender = fetched.sender;
        let body_fault = fetched.body_fault;
        let recomputed = computing(move || Ok(recompute(&row, &fetched.block))).await?;
        let recomputed = recomputed.and_then(|recomputed| match recomputed.refused {
            // nothing but what its one sender says binds such a block, and that contradicts itself
            Some(refused) if self.source.nodes().is_none() && !self.row.ledger.binds_parent() => {
                Err(refused)
            }
            refused => Ok((recomputed.block, refused)),
        });
        let recomputed = recomputed.and_then(|(block, refused)| {
            if self.source.network() == Network::Recorded {
                check_recorded_chain(&self.row, &block)?;
            }
            Ok((block, refused))
        });
        let (block, refused) = recomputed.map_err(|cause| {
            if cause.kind() == ErrorKind::Invalid {
                self.blame(&sender, number, cause.check().name(), &cause.to_string());
            }
            let source_name = sender.as_ref().to_owned();
            let cause = Box::new(cause);
            CollectError::Refused { chain, number, source_name, cause }
        })?;
        self.refuse_other_block(at, &block, &sender)?;
        let fault = self.fault_of(&block, parts, refused, body_fault);
        let block = match &fault {
            Some(WithheldBody::Unreadable { why } | WithheldBody::Missing { why: Some(why) }) => {
                block.with_body_refused(why.clone())
            }
            Some(WithheldBody::Check { .. } | WithheldBody::Missing { why: None }) | None => block,
        };
        Ok((Received { block, sender }, fault))
    }

    /// Refuses a block other than the requested one, and blames its sender, unless the head may have moved.
    fn refuse_other_block(
        &self,
        at: BlockAt,
        block: &VerifiedBlock,
        sender: &str,
    ) -> Result<(), CollectError> {
        let number = at.number();
        let got = block.hash();
        let expected = match at {
            BlockAt::Id(id) => id.hash,
            BlockAt::Number(_) => got,
        };
        let other_number = block.number() != number;
        if !other_number && got == expected {
            return Ok(());
        }
        if other_number || self.is_final {
            let why = format!("sent {got}, asked for was {expected}");
            self.blame(sender, number, checks::BLOCK_ASKED_FOR, &why);
        }
        let chain = self.row.key();
        let source_name = sender.to_owned();
        Err(CollectError::OtherBlock { chain, number, got, expected, source_name })
    }

    /// Reason for a missing requested body part; `None` if complete, or if no node can supply the part.
    fn fault_of(
        &self,
        block: &VerifiedBlock,
        parts: BlockParts,
        refused: Option<ChainError>,
        sent: Option<superroot_source::MissingBody>,
    ) -> Option<WithheldBody> {
        if let Some(refused) = refused {
            let name = refused.check().name();
            let why = refused.to_string();
            return Some(WithheldBody::Check { name, why });
        }
        if let Some(why) = block.body_withheld() {
            let name = BlockCheck::TxType.name();
            let why = why.to_owned();
            return block.is_withheld_on_claim().then_some(WithheldBody::Check { name, why });
        }
        match sent {
            Some(superroot_source::MissingBody::Unreadable(why)) => {
                Some(WithheldBody::Unreadable { why })
            }
            Some(superroot_source::MissingBody::Unavailable(why)) => {
                Some(WithheldBody::Missing { why: Some(why) })
            }
            None => self
                .lacks_body(block, parts)
                .then(|| WithheldBody::Missing { why: self.nobody_has(block.extent()) }),
        }
    }

    /// Reason for a part that nodes omit without a word; recordings often omit parts.
    fn nobody_has(&self, extent: Extent) -> Option<String> {
        let is_live = self.source.network() != Network::Recorded;
        let part = watching::lacking(extent);
        is_live.then(|| format!("no node that was asked has the {part} of this block"))
    }

    /// Fetches blocks in request order, several in flight, up to the first unavailable one; errors accepted by `skips`
    /// take their blocks' places. An error reports missing room or time. Dropping the future stops all fetches.
    pub(crate) async fn blocks(
        &self,
        wanted: Vec<(BlockAt, BlockParts)>,
        skips: impl Fn(&CollectError) -> bool,
    ) -> (Vec<Result<Received, CollectError>>, Option<CollectError>) {
        let mut waiting = wanted.into_iter();
        let mut flying: VecDeque<Task> = VecDeque::new();
        let mut received = Vec::with_capacity(waiting.len());
        loop {
            let is_late = self.until.is_some_and(|until| Instant::now() >= until);
            let begins = !is_late || received.is_empty();
            while begins && flying.len() < self.fetches_max.max(1) {
                let Some((at, parts)) = waiting.next() else { break };
                let fetcher = self.clone();
                let block = tokio::spawn(async move { fetcher.block(at, parts).await });
                flying.push_back(Task { number: at.number(), block });
            }
            let Some(mut task) = flying.pop_front() else {
                let chain = self.row.key();
                let left = waiting.next().map(|(at, _)| at.number());
                let error = left.map(|number| CollectError::StepTooLarge { chain, number });
                return (received, error);
            };
            let at_most = self.until_at_most.filter(|_| !received.is_empty());
            let Some(outcome) = task.before(at_most).await else {
                let chain = self.row.key();
                let number = task.number;
                return (received, Some(CollectError::StepTooLarge { chain, number }));
            };
            match outcome {
                Err(error) if !skips(&error) => {
                    return (received, Some(error));
                }
                Ok(block) if !self.has_room(&block) => {
                    let chain = self.row.key();
                    let number = block.block.number();
                    return (received, Some(CollectError::StepTooLarge { chain, number }));
                }
                outcome => {
                    if let Err(error @ CollectError::Source { .. }) = &outcome {
                        self.tell_unread(task.number, error);
                    }
                    received.push(outcome);
                }
            }
        }
    }

    /// Reports an unreadable recorded block, as [`Self::blame`] does for an invalid one.
    fn tell_unread(&self, number: BlockNumber, error: &CollectError) {
        let id = self.row.id;
        let name = &self.row.name;
        tracing::debug!(chain.id = %id, block.number = %number, "block {number} of {name} cannot be read: {error}");
    }

    fn has_room(&self, received: &Received) -> bool {
        let Received { block, .. } = received;
        self.room.as_ref().is_none_or(|room| room.take(block.number(), block.byte_count()))
    }

    /// Counts a failed check and reports the sender to the source.
    pub(crate) fn blame(&self, sender: &str, number: BlockNumber, check: &'static str, why: &str) {
        let id = self.row.id;
        let name = &self.row.name;
        let text = format!("block {number} of {name} from {sender} does not hold: {why}");
        // what recordings have does not change: who replays them is told once, with a count
        if self.source.network() == Network::Recorded {
            tracing::debug!(chain.id = %id, block.number = %number, "{text}");
        } else {
            tracing::warn!(chain.id = %id, block.number = %number, "{text}");
        }
        let labels = [("chain", self.row.slug.clone()), ("check", check.to_owned())];
        metrics::counter!("superroot_collect_failed_checks_total", &labels).increment(1);
        if let Some(nodes) = self.source.nodes() {
            nodes.blame(sender, why);
        }
    }

    pub(crate) fn source_error(&self, cause: SourceError) -> CollectError {
        let source_name = self.source.name().to_owned();
        let cause = Box::new(cause);
        CollectError::Source { source_name, cause }
    }
}

struct Task {
    number: BlockNumber,
    block: JoinHandle<Result<Received, CollectError>>,
}

impl Task {
    /// Returns the block or its error; `None` on timeout.
    async fn before(&mut self, at_most: Option<Instant>) -> Option<Result<Received, CollectError>> {
        let joined = match at_most {
            Some(at_most) => timeout_at(at_most, &mut self.block).await.ok()?,
            None => (&mut self.block).await,
        };
        Some(joined.unwrap_or_else(|error| Err(error.into())))
    }
}

impl Drop for Task {
    fn drop(&mut self) {
        self.block.abort();
    }
}
