//! Fetches a block from any node: best first, then the others even while a late node may still answer, then all again
//! after a pause.

use std::collections::HashSet;
use std::sync::Arc;
use std::time::Duration;

use futures_util::StreamExt;
use futures_util::stream::FuturesUnordered;
use superroot_types::BlockNumber;
use tokio::sync::{Semaphore, SemaphorePermit};
use tokio::time::{Instant, sleep_until, timeout, timeout_at};

use super::LiveSource;
use super::node::{LiveNode, operator_count};
use crate::error::{CallFault, SourceError};
use crate::ledger::{ReceivedBlock, has_receipts};
use crate::{BlockAt, BlockParts, FetchedBlock, MissingBody};

/// First and longest pause between rounds over all nodes, in milliseconds.
const BACKOFF_MS: [u64; 2] = [100, 5_000];

impl LiveSource {
    async fn block_from(
        &self,
        node: &Arc<LiveNode>,
        at: BlockAt,
        parts: BlockParts,
        deadline: Instant,
    ) -> Result<Option<FetchedBlock>, SourceError> {
        let _asked = self.waits.begin(node.name(), at.number(), parts);
        let ask = async {
            self.greet(node).await?;
            self.dialect.block(node, at, parts).await
        };
        // one that sends piece after piece must leave the others time
        let most = deadline.duration_since(Instant::now()) / 2;
        let asked = timeout(most, ask).await;
        if asked.as_ref().map_or(true, is_timeout) {
            node.health().let_a_block_wait(Instant::now());
        }
        let block = match asked {
            Ok(block) => block?,
            Err(_) => {
                let timeout_ms = u64::try_from(most.as_millis()).unwrap_or(u64::MAX);
                node.failed("a block takes too long");
                return Err(CallFault::Timeout(timeout_ms).into_error(node.name(), "a block"));
            }
        };
        if block.is_some() {
            node.health().gave_a_block(Instant::now());
        }
        Ok(block.map(|given| given.sent_by(Arc::clone(node.name()))))
    }

    pub(super) async fn block(
        &self,
        at: BlockAt,
        parts: BlockParts,
        not_of: &[Arc<str>],
    ) -> Result<Option<FetchedBlock>, SourceError> {
        let deadline = Instant::now() + Duration::from_millis(self.config.fetch_timeout_ms);
        let operators = |node: &&Arc<LiveNode>| not_of.contains(node.name());
        let left_out = operator_count(self.nodes.iter().filter(operators));
        let mut last = None;
        let mut bare = BodylessBlock::of(self.quorum(), left_out);
        let asked = self.block_of_any(at, parts, not_of, deadline, &mut last, &mut bare);
        let answer = timeout_at(deadline, asked).await.unwrap_or_else(|_| {
            let timeout = CallFault::Timeout(self.config.fetch_timeout_ms);
            Err(last.unwrap_or_else(|| timeout.into_error(&self.name, "a block")))
        });
        match (answer, bare.fetched) {
            // no single node may withhold receipts that others have
            (Err(_), Some(fetched)) if bare.operators.len() >= bare.enough => Ok(Some(fetched)),
            (answer, _) => answer,
        }
    }

    /// Asks node after node, best first; then all again after a pause. A late node may still answer while the next node
    /// is asked.
    async fn block_of_any(
        &self,
        at: BlockAt,
        parts: BlockParts,
        not_of: &[Arc<str>],
        deadline: Instant,
        last: &mut Option<SourceError>,
        bare: &mut BodylessBlock,
    ) -> Result<Option<FetchedBlock>, SourceError> {
        let left_out = self.left_out(not_of);
        if left_out.iter().all(|is_left_out| *is_left_out) {
            return Ok(None);
        }
        let mut rounds = AskedRounds::new(left_out);
        let mut asks = FuturesUnordered::new();
        let mut late = LateNodes::default();
        loop {
            let is_over = rounds.attempts >= self.config.attempts_max;
            if let Some((index, node)) = self.next_node(&rounds, is_over, at.number()) {
                rounds.note_asked(index);
                late.asked.push((node, Instant::now()));
                asks.push(async move { (node, self.block_from(node, at, parts, deadline).await) });
            } else if asks.is_empty() {
                match rounds.decide(is_over, bare) {
                    RoundEnd::SearchOver => return self.end_search(rounds.absent, last),
                    RoundEnd::Absent => return Ok(None),
                    RoundEnd::AskAgain => {}
                }
                self.pause_between(&rounds, deadline, last).await?;
                rounds.begin_next();
                continue;
            }
            let (node, answer) = tokio::select! {
                biased;
                Some(answered) = asks.next() => answered,
                () = late.is_due(&self.hurries), if !rounds.asks_more && !is_over => {
                    rounds.asks_more = true;
                    continue;
                }
            };
            rounds.asks_more = true;
            let asked_at = late.answered(node);
            let JudgedAnswer { answer, is_bare } = judge(node, parts, answer, bare);
            match answer {
                Ok(Some(fetched)) => {
                    late.is_beaten_by(asked_at);
                    return Ok(Some(fetched));
                }
                Ok(None) => rounds.absent = true,
                Err(error) => {
                    self.tell_failed(at.number(), &error);
                    rounds.failed |= !is_bare;
                    *last = Some(error);
                }
            }
        }
    }

    /// Whether each node is left out: its operator has one of these nodes.
    fn left_out(&self, not_of: &[Arc<str>]) -> Vec<bool> {
        let named = self.nodes.iter().filter(|node| not_of.contains(node.name()));
        let left_out: HashSet<usize> = named.map(|node| node.operator()).collect();
        self.nodes.iter().map(|node| left_out.contains(&node.operator())).collect()
    }

    /// Node to ask next, with its index; `None` while an answer is awaited, or after the last attempt.
    fn next_node(
        &self,
        rounds: &AskedRounds,
        is_over: bool,
        number: BlockNumber,
    ) -> Option<(usize, &Arc<LiveNode>)> {
        if !rounds.asks_more || is_over {
            return None;
        }
        let index = self.choose(&rounds.tried, number)?;
        Some((index, self.nodes.get(index)?))
    }

    fn tell_failed(&self, number: BlockNumber, error: &SourceError) {
        tracing::debug!(
            chain.id = %self.chain.id, block.number = %number,
            "block {number} was not had: {error}"
        );
    }

    /// Answer of a search that ended without a block.
    fn end_search(
        &self,
        absent: bool,
        last: &mut Option<SourceError>,
    ) -> Result<Option<FetchedBlock>, SourceError> {
        match last.take() {
            Some(error) => Err(error),
            None if absent => Ok(None),
            None => Err(self.no_endpoint()),
        }
    }

    /// Waits before the next round, or until some node is usable.
    async fn pause_between(
        &self,
        rounds: &AskedRounds,
        deadline: Instant,
        last: &mut Option<SourceError>,
    ) -> Result<(), SourceError> {
        let now = Instant::now();
        let doubled = BACKOFF_MS[0].saturating_mul(1 << rounds.finished.min(30));
        let pause = doubled.min(BACKOFF_MS[1]) as f64 * (0.5 + self.chance() / 2.0);
        let mut until = now + Duration::from_millis(pause as u64);
        self.call_back(now);
        let is_usable = |node: &Arc<LiveNode>| node.health().is_usable(now);
        if !self.nodes.iter().any(is_usable) {
            let soonest = self.nodes.iter().filter_map(|node| node.health().usable_at(now)).min();
            until = until.max(soonest.unwrap_or(until));
        } else if !rounds.tried.contains(&true) {
            return Ok(());
        }
        if until >= deadline {
            return Err(last.take().unwrap_or_else(|| self.no_endpoint()));
        }
        sleep_until(until).await;
        Ok(())
    }
}

/// Search for a block over all nodes, round after round.
struct AskedRounds {
    left_out: Vec<bool>,
    /// Whether each node was asked in this round, or is left out.
    tried: Vec<bool>,
    /// Requests in all rounds.
    attempts: u32,
    /// Finished rounds.
    finished: u32,
    /// Whether a node of this round has no such block.
    absent: bool,
    failed: bool,
    /// Whether another node may be asked before the next answer.
    asks_more: bool,
}

enum RoundEnd {
    SearchOver,
    Absent,
    AskAgain,
}

impl AskedRounds {
    fn new(left_out: Vec<bool>) -> Self {
        let tried = left_out.clone();
        let (absent, failed, asks_more) = (false, false, true);
        Self { left_out, tried, attempts: 0, finished: 0, absent, failed, asks_more }
    }

    fn note_asked(&mut self, index: usize) {
        if let Some(tried) = self.tried.get_mut(index) {
            *tried = true;
        }
        self.asks_more = false;
        self.attempts += 1;
    }

    /// Decides after the last answer of a round.
    fn decide(&self, is_over: bool, bare: &BodylessBlock) -> RoundEnd {
        match bare.operators.len() {
            _ if is_over => RoundEnd::SearchOver,
            _ if self.failed => RoundEnd::AskAgain,
            // every node that may be asked has no such block
            0 if self.absent => RoundEnd::Absent,
            // or has it without its receipts
            operators if operators >= bare.enough => RoundEnd::SearchOver,
            _ => RoundEnd::AskAgain,
        }
    }

    fn begin_next(&mut self) {
        self.finished += 1;
        self.tried.clone_from(&self.left_out);
        (self.absent, self.failed, self.asks_more) = (false, false, true);
    }
}

/// A node's answer, and whether its block came without a body.
struct JudgedAnswer {
    answer: Result<Option<FetchedBlock>, SourceError>,
    is_bare: bool,
}

/// Judges an answer: a block without its body is kept in `bare`, and counts as an error.
fn judge(
    node: &LiveNode,
    parts: BlockParts,
    answer: Result<Option<FetchedBlock>, SourceError>,
    bare: &mut BodylessBlock,
) -> JudgedAnswer {
    let fetched = match answer {
        Ok(Some(fetched)) if parts == BlockParts::Whole => fetched,
        answer => return JudgedAnswer { answer, is_bare: false },
    };
    let has_receipts = has_receipts(&fetched.block);
    if fetched.body_fault.is_some() || has_receipts == Some(false) {
        return JudgedAnswer { answer: Err(bare.note(node, fetched)), is_bare: true };
    }
    if has_receipts.is_some() {
        node.keeps_receipts();
    }
    JudgedAnswer { answer: Ok(Some(fetched)), is_bare: false }
}

/// Nodes asked for a block without an answer yet; last asked at the end.
#[derive(Default)]
struct LateNodes<'a> {
    asked: Vec<(&'a Arc<LiveNode>, Instant)>,
    /// Permit for more than a single concurrent request.
    leave: Option<SemaphorePermit<'a>>,
}

impl<'a> LateNodes<'a> {
    /// Waits until the last asked node is late and another may be asked: limited to a few blocks concurrently.
    async fn is_due(&mut self, hurries: &'a Semaphore) {
        let Some((node, asked_at)) = self.asked.last().copied() else {
            return std::future::pending().await;
        };
        loop {
            let late_at = node.health().is_late_at(asked_at);
            if Instant::now() >= late_at {
                break;
            }
            sleep_until(late_at).await;
        }
        if self.leave.is_none() {
            self.leave = hurries.acquire().await.ok();
        }
    }

    /// Removes a node after an answer. Returns the request time.
    fn answered(&mut self, node: &Arc<LiveNode>) -> Instant {
        let place = self.asked.iter().position(|(one, _)| Arc::ptr_eq(one, node));
        place.map_or_else(Instant::now, |place| self.asked.remove(place).1)
    }

    /// Marks late nodes as slow for blocks once another node needed at most half the time.
    fn is_beaten_by(&self, asked_at: Instant) {
        let now = Instant::now();
        let taken = now.duration_since(asked_at);
        for (node, since) in &self.asked {
            let mut health = node.health();
            if now >= health.is_late_at(*since) && now.duration_since(*since) >= taken * 2 {
                health.let_a_block_wait(now);
            }
        }
    }
}

fn is_timeout(asked: &Result<Option<ReceivedBlock>, SourceError>) -> bool {
    let fault = asked.as_ref().err().and_then(SourceError::fault);
    matches!(fault, Some(CallFault::Timeout(_)))
}

/// Block without a full body from any node so far, and sender.
struct BodylessBlock {
    fetched: Option<FetchedBlock>,
    operators: HashSet<usize>,
    /// Operators required to confirm the missing part.
    enough: usize,
}

impl BodylessBlock {
    /// State for a source with this quorum; operators asked earlier already count with the caller.
    fn of(quorum: usize, asked_before: usize) -> Self {
        let enough = quorum.saturating_sub(asked_before).max(1);
        Self { fetched: None, operators: HashSet::new(), enough }
    }

    /// Keeps the block. Returns the node's error.
    fn note(&mut self, node: &LiveNode, mut fetched: FetchedBlock) -> SourceError {
        let error = match &fetched.body_fault {
            None => node.lacks_receipts(),
            Some(MissingBody::Unreadable(why) | MissingBody::Unavailable(why)) => {
                CallFault::NoBody(why.clone()).into_error(node.name(), "a block")
            }
        };
        self.operators.insert(node.operator());
        if let Some(before) = self.fetched.take() {
            fetched.body_fault = joined(before.body_fault, fetched.body_fault);
        }
        self.fetched = Some(fetched);
        error
    }
}

/// Combined reason from several nodes. Bodies unreadable for the same reason show an unsupported format; anything else
/// may be temporary.
fn joined(before: Option<MissingBody>, now: Option<MissingBody>) -> Option<MissingBody> {
    match (before, now) {
        (Some(MissingBody::Unreadable(before)), Some(MissingBody::Unreadable(now)))
            if reason(&before) == reason(&now) =>
        {
            Some(MissingBody::Unreadable(now))
        }
        (Some(MissingBody::Unreadable(why) | MissingBody::Unavailable(why)), None)
        | (_, Some(MissingBody::Unreadable(why) | MissingBody::Unavailable(why))) => {
            Some(MissingBody::Unavailable(why))
        }
        (None, None) => None,
    }
}

/// Parser reason without the text position: clients order members differently.
fn reason(why: &str) -> &str {
    why.split(" at line ").next().unwrap_or(why)
}
