//! Fetching: several blocks in flight, each recomputed as it comes, each wrong one asked again.

mod withhold;

use std::collections::VecDeque;
use std::sync::Arc;
use std::time::Duration;

use superroot_chain::{
    ChainError, ChainRow, Check, Extent, VerifiedBlock, check_recorded_chain, recompute,
};
use superroot_source::{BlockAt, Parts, Source, SourceError};
use superroot_types::{BlockNumber, ErrorKind, Network};
use tokio::task::JoinHandle;
use tokio::time::{Instant, timeout_at};

use crate::blocking::computing;
use crate::body_wait::BodyWait;
use crate::checks;
use crate::error::CollectError;
pub(crate) use crate::received::Received;
use crate::refused_bodies::{BodyFault, LastTold, RefusedBodies};
use crate::room::Room;
use crate::watching;

/// Time after which a step takes what has come: meanwhile nobody asks how far the chain is, and
/// nothing is committed.
const STEP_TIME: Duration = Duration::from_secs(10);

/// Fetches and recomputes blocks of one chain; clones share the source.
#[derive(Clone)]
pub(crate) struct Fetcher {
    pub(crate) source: Arc<dyn Source>,
    pub(crate) row: Arc<ChainRow>,
    /// Times that one block is asked for.
    pub(crate) attempts_max: u32,
    /// Blocks in flight.
    pub(crate) fetches_max: usize,
    /// Whether the blocks are final: who sends another one than was asked for by its hash is to
    /// blame then, and bodies are waited for. The head moves.
    pub(crate) is_final: bool,
    /// Room of the step, where it has any of its own.
    pub(crate) room: Option<Arc<Room>>,
    /// How long a body is waited for that no node gives; without it, not at all.
    pub(crate) body_wait: Option<Arc<BodyWait>>,
    /// When a body that was refused was told of last; without it, it is told quietly.
    pub(crate) withheld_told: Option<Arc<LastTold>>,
    /// When no more blocks are begun, once one has come.
    pub(crate) until: Option<Instant>,
    /// When those begun are not waited for any more, once one has come.
    pub(crate) until_at_most: Option<Instant>,
}

impl Fetcher {
    /// The same, for the time of a step.
    pub(crate) fn for_a_step(&self) -> Self {
        Self { until: Some(Instant::now() + STEP_TIME), ..self.clone() }
    }

    /// The same, beginning no block after `time` and waiting for none after `time_max`, but for the
    /// first.
    pub(crate) fn within(self, time: Duration, time_max: Duration) -> Self {
        let now = Instant::now();
        Self { until: Some(now + time), until_at_most: Some(now + time_max), ..self }
    }

    /// One block. A header that does not recompute is blamed on its sender, and the block is asked for
    /// again, a bounded number of times; the source asks others first. Of a body that does not
    /// recompute, or does not come, other operators are asked. If as many as must agree have no other
    /// body, the block is taken without it; before that, a body that did not come is waited for.
    pub(crate) async fn block(&self, at: BlockAt, parts: Parts) -> Result<Received, CollectError> {
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
                Ok((received, Some(BodyFault::Missing { .. }))) if refused.is_empty() => {
                    if is_last || self.waits_no_more(&received.block) {
                        return self.without_body(received);
                    }
                    bare = Some(received);
                    continue;
                }
                Ok((received, Some(fault))) => {
                    let is_of_all = matches!(fault, BodyFault::Unreadable { .. });
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

    /// Whether asking again for a body that nobody gave is in vain.
    pub(crate) fn waits_no_more(&self, block: &VerifiedBlock) -> bool {
        self.body_wait.as_ref().is_none_or(|body_wait| {
            body_wait.is_over()
                || self.is_final && body_wait.left(block.number(), block.hash()).is_none()
        })
    }

    fn note_body(&self, block: &VerifiedBlock, parts: Parts) {
        if let (Parts::Whole, Some(body_wait), true) =
            (parts, &self.body_wait, block.extent().receipts)
        {
            body_wait.came(block.number(), block.hash(), block.tx_count().unwrap_or(0));
        }
    }

    /// A block without its body, since nobody has it: it is waited for, and then taken as it is.
    /// Recordings often lack it.
    pub(crate) fn without_body(&self, received: Received) -> Result<Received, CollectError> {
        if self.source.network() == Network::Recorded {
            return Ok(received);
        }
        let (chain, number, hash) =
            (self.row.key(), received.block.number(), received.block.hash());
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

    /// Whether a part of the body did not come, though it was asked for and can be recomputed.
    pub(crate) fn lacks_body(&self, block: &VerifiedBlock, parts: Parts) -> bool {
        let Extent { transactions, receipts } = block.extent();
        parts == Parts::Whole
            && self.row.ledger.body_may_come_later()
            && block.body_withheld().is_none()
            && !(transactions && receipts)
    }

    pub(crate) async fn attempt(
        &self,
        at: BlockAt,
        parts: Parts,
        not_of: &[Arc<str>],
    ) -> Result<(Received, Option<BodyFault>), CollectError> {
        let (chain, number) = (self.row.key(), at.number());
        let fetched = self.source.fetch_block(at, parts, not_of).await;
        let fetched = fetched.map_err(|cause| self.source_error(cause))?;
        let Some(fetched) = fetched else {
            let source_name = self.source.name().to_owned();
            return Err(CollectError::Missing { chain, number, source_name });
        };
        let (row, sender, body_fault) = (self.row.clone(), fetched.sender, fetched.body_fault);
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
            let (source_name, cause) = (sender.as_ref().to_owned(), Box::new(cause));
            CollectError::Refused { chain, number, source_name, cause }
        })?;
        let expected = match at {
            BlockAt::Id(id) => id.hash,
            BlockAt::Number(_) => block.hash(),
        };
        let other_number = block.number() != number;
        if other_number || block.hash() != expected {
            let got = block.hash();
            if other_number || self.is_final {
                let why = format!("sent {got}, asked for was {expected}");
                self.blame(&sender, number, checks::BLOCK_ASKED_FOR, &why);
            }
            let source_name = sender.as_ref().to_owned();
            return Err(CollectError::OtherBlock { chain, number, got, expected, source_name });
        }
        let fault = self.fault_of(&block, parts, refused, body_fault);
        let block = match &fault {
            Some(BodyFault::Unreadable { why } | BodyFault::Missing { why: Some(why) }) => {
                block.with_body_refused(why.clone())
            }
            Some(BodyFault::Check { .. } | BodyFault::Missing { why: None }) | None => block,
        };
        Ok((Received { block, sender }, fault))
    }

    /// Why a part of the body that was asked for is missing; `None` where all of it is there, or no
    /// node can give it.
    fn fault_of(
        &self,
        block: &VerifiedBlock,
        parts: Parts,
        refused: Option<ChainError>,
        sent: Option<superroot_source::BodyFault>,
    ) -> Option<BodyFault> {
        if let Some(refused) = refused {
            let (name, why) = (refused.check().name(), refused.to_string());
            return Some(BodyFault::Check { name, why });
        }
        if let Some(why) = block.body_withheld() {
            let (name, why) = (Check::TxType.name(), why.to_owned());
            return block.is_withheld_on_claim().then_some(BodyFault::Check { name, why });
        }
        match sent {
            Some(superroot_source::BodyFault::Unreadable(why)) => {
                Some(BodyFault::Unreadable { why })
            }
            Some(superroot_source::BodyFault::Unavailable(why)) => {
                Some(BodyFault::Missing { why: Some(why) })
            }
            None => self
                .lacks_body(block, parts)
                .then(|| BodyFault::Missing { why: self.nobody_has(block.extent()) }),
        }
    }

    /// What is said of a part that nodes have not, without a word; recordings often lack it.
    fn nobody_has(&self, extent: Extent) -> Option<String> {
        let (is_live, part) =
            (self.source.network() != Network::Recorded, watching::lacking(extent));
        is_live.then(|| format!("no node that was asked has the {part} of this block"))
    }

    /// Blocks in the order asked for, several in flight, up to the first that cannot be had; errors
    /// that `skips` accepts stand in their place. Where there is no room for the next one, or no
    /// time, the error says so. Whoever drops the call stops the rest.
    pub(crate) async fn blocks(
        &self,
        wanted: Vec<(BlockAt, Parts)>,
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
                let (chain, number) = (self.row.key(), task.number);
                return (received, Some(CollectError::StepTooLarge { chain, number }));
            };
            match outcome {
                Err(error) if !skips(&error) => {
                    return (received, Some(error));
                }
                Ok(block) if !self.has_room(&block) => {
                    let (chain, number) = (self.row.key(), block.block.number());
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

    /// Names what a recording has of a block and nobody can read, as [`Self::blame`] does what does not hold.
    fn tell_unread(&self, number: BlockNumber, error: &CollectError) {
        let (id, name) = (self.row.id, &self.row.name);
        tracing::debug!(chain.id = %id, block.number = %number, "block {number} of {name} cannot be read: {error}");
    }

    fn has_room(&self, received: &Received) -> bool {
        let Received { block, .. } = received;
        self.room.as_ref().is_none_or(|room| room.take(block.number(), block.byte_count()))
    }

    /// Counts what did not hold, and tells the source who sent it.
    pub(crate) fn blame(&self, sender: &str, number: BlockNumber, check: &'static str, why: &str) {
        let (id, name) = (self.row.id, &self.row.name);
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
        let (source_name, cause) = (self.source.name().to_owned(), Box::new(cause));
        CollectError::Source { source_name, cause }
    }
}

/// A block that is being fetched; that ends with whoever waits for it.
struct Task {
    number: BlockNumber,
    block: JoinHandle<Result<Received, CollectError>>,
}

impl Task {
    /// The block, or why it cannot be had; `None` where neither comes in time.
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
