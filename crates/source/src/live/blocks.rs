//! One block of whichever node has it: the best first, then the others, also while one that is late may
//! still answer; then all again after a pause.

use std::collections::HashSet;
use std::sync::Arc;
use std::time::Duration;

use futures_util::StreamExt;
use futures_util::stream::FuturesUnordered;
use tokio::sync::{Semaphore, SemaphorePermit};
use tokio::time::{Instant, sleep_until, timeout, timeout_at};

use super::LiveSource;
use super::node::{Node, operator_count};
use crate::error::{Fault, SourceError};
use crate::ledger::{Given, has_receipts};
use crate::{BlockAt, BodyFault, Fetched, Parts};

/// First and longest pause before all nodes are gone through again.
const BACKOFF_MS: [u64; 2] = [100, 5_000];

impl LiveSource {
    async fn block_from(
        &self,
        node: &Arc<Node>,
        at: BlockAt,
        parts: Parts,
        deadline: Instant,
    ) -> Result<Option<Fetched>, SourceError> {
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
                return Err(Fault::Timeout(timeout_ms).into_error(node.name(), "a block"));
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
        parts: Parts,
        not_of: &[Arc<str>],
    ) -> Result<Option<Fetched>, SourceError> {
        let deadline = Instant::now() + Duration::from_millis(self.config.fetch_timeout_ms);
        let operators = |node: &&Arc<Node>| not_of.contains(node.name());
        let left_out = operator_count(self.nodes.iter().filter(operators));
        let (mut last, mut bare) = (None, Bare::of(self.quorum(), left_out));
        let asked = self.block_of_any(at, parts, not_of, deadline, &mut last, &mut bare);
        let answer = timeout_at(deadline, asked).await.unwrap_or_else(|_| {
            let timeout = Fault::Timeout(self.config.fetch_timeout_ms);
            Err(last.unwrap_or_else(|| timeout.into_error(&self.name, "a block")))
        });
        match (answer, bare.fetched) {
            // no single node may withhold receipts that others have
            (Err(_), Some(fetched)) if bare.operators.len() >= bare.enough => Ok(Some(fetched)),
            (answer, _) => answer,
        }
    }

    /// Asks one node after the other, the best first; then all again after a pause. A node that is
    /// late may still answer while the next one is asked.
    async fn block_of_any(
        &self,
        at: BlockAt,
        parts: Parts,
        not_of: &[Arc<str>],
        deadline: Instant,
        last: &mut Option<SourceError>,
        bare: &mut Bare,
    ) -> Result<Option<Fetched>, SourceError> {
        let named = self.nodes.iter().filter(|node| not_of.contains(node.name()));
        let left_out: HashSet<usize> = named.map(|node| node.operator()).collect();
        let is_left_out = |node: &Arc<Node>| left_out.contains(&node.operator());
        let left_out: Vec<bool> = self.nodes.iter().map(is_left_out).collect();
        if left_out.iter().all(|is_left_out| *is_left_out) {
            return Ok(None);
        }
        let mut tried = left_out.clone();
        let (mut attempts, mut rounds, mut absent) = (0, 0, false);
        let (mut failed, mut asks_more) = (false, true);
        let (mut asks, mut late) = (FuturesUnordered::new(), Late::default());
        loop {
            let is_over = attempts >= self.config.attempts_max;
            let next = if asks_more && !is_over { self.choose(&tried, at.number()) } else { None };
            if let Some((node, tried)) =
                next.and_then(|index| Some((self.nodes.get(index)?, tried.get_mut(index)?)))
            {
                (*tried, asks_more) = (true, false);
                attempts += 1;
                late.asked.push((node, Instant::now()));
                asks.push(async move { (node, self.block_from(node, at, parts, deadline).await) });
            } else if asks.is_empty() {
                match bare.operators.len() {
                    _ if is_over => break,
                    _ if failed => {}
                    // every node that may be asked has no such block
                    0 if absent => return Ok(None),
                    // or has it without its receipts
                    operators if operators >= bare.enough => break,
                    _ => {}
                }
                self.pause_between(rounds, tried.contains(&true), deadline, last).await?;
                rounds += 1;
                tried.clone_from(&left_out);
                (absent, failed, asks_more) = (false, false, true);
                continue;
            }
            let (node, answer) = tokio::select! {
                biased;
                Some(answered) = asks.next() => answered,
                () = late.is_due(&self.hurries), if !asks_more && !is_over => {
                    asks_more = true;
                    continue;
                }
            };
            asks_more = true;
            let asked_at = late.answered(node);
            let mut is_bare = false;
            let answer = match answer {
                Ok(Some(fetched)) if parts == Parts::Whole => {
                    let has_receipts = has_receipts(&fetched.block);
                    is_bare = fetched.body_fault.is_some() || has_receipts == Some(false);
                    if is_bare {
                        Err(bare.note(node, fetched))
                    } else {
                        if has_receipts.is_some() {
                            node.keeps_receipts();
                        }
                        Ok(Some(fetched))
                    }
                }
                answer => answer,
            };
            match answer {
                Ok(Some(fetched)) => {
                    late.is_beaten_by(asked_at);
                    return Ok(Some(fetched));
                }
                Ok(None) => absent = true,
                Err(error) => {
                    tracing::debug!(
                        chain.id = %self.chain.id, block.number = %at.number(),
                        "block {} was not had: {error}", at.number()
                    );
                    failed |= !is_bare;
                    *last = Some(error);
                }
            }
        }
        match last.take() {
            Some(error) => Err(error),
            None if absent => Ok(None),
            None => Err(self.no_endpoint()),
        }
    }

    /// Waits before all nodes are asked again, or until one may be asked at all.
    async fn pause_between(
        &self,
        rounds: u32,
        any_was_asked: bool,
        deadline: Instant,
        last: &mut Option<SourceError>,
    ) -> Result<(), SourceError> {
        let now = Instant::now();
        let doubled = BACKOFF_MS[0].saturating_mul(1 << rounds.min(30));
        let pause = doubled.min(BACKOFF_MS[1]) as f64 * (0.5 + self.chance() / 2.0);
        let mut until = now + Duration::from_millis(pause as u64);
        self.call_back(now);
        let is_usable = |node: &Arc<Node>| node.health().is_usable(now);
        if !self.nodes.iter().any(is_usable) {
            let soonest = self.nodes.iter().filter_map(|node| node.health().usable_at(now)).min();
            until = until.max(soonest.unwrap_or(until));
        } else if !any_was_asked {
            return Ok(());
        }
        if until >= deadline {
            return Err(last.take().unwrap_or_else(|| self.no_endpoint()));
        }
        sleep_until(until).await;
        Ok(())
    }
}

/// Nodes that were asked for a block and have not answered, the last one asked at the end.
#[derive(Default)]
struct Late<'a> {
    asked: Vec<(&'a Arc<Node>, Instant)>,
    /// Leave to ask more than one at a time.
    leave: Option<SemaphorePermit<'a>>,
}

impl<'a> Late<'a> {
    /// Ready when the last one asked has had its time, and another may be asked: for a few blocks at a
    /// time.
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

    /// That node has answered. Gives when it was asked.
    fn answered(&mut self, node: &Arc<Node>) -> Instant {
        let place = self.asked.iter().position(|(one, _)| Arc::ptr_eq(one, node));
        place.map_or_else(Instant::now, |place| self.asked.remove(place).1)
    }

    /// A node that was asked at that time gave the block: those that have kept it waiting for twice
    /// as long, and longer than is usual, let blocks wait.
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

fn is_timeout(asked: &Result<Option<Given>, SourceError>) -> bool {
    let fault = asked.as_ref().err().and_then(SourceError::fault);
    matches!(fault, Some(Fault::Timeout(_)))
}

/// A block of whose body nobody had all so far, and who sent it.
struct Bare {
    fetched: Option<Fetched>,
    operators: HashSet<usize>,
    /// How many operators must have no more of it.
    enough: usize,
}

impl Bare {
    /// Of a source of that quorum, some operators of which were asked before: what they sent counts
    /// with the caller.
    fn of(quorum: usize, asked_before: usize) -> Self {
        let enough = quorum.saturating_sub(asked_before).max(1);
        Self { fetched: None, operators: HashSet::new(), enough }
    }

    /// Keeps the block. Gives the error of its node.
    fn note(&mut self, node: &Node, mut fetched: Fetched) -> SourceError {
        let error = match &fetched.body_fault {
            None => node.lacks_receipts(),
            Some(BodyFault::Unreadable(why) | BodyFault::Unavailable(why)) => {
                Fault::NoBody(why.clone()).into_error(node.name(), "a block")
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

/// Why several nodes gave no body. Bodies that cannot be read for one reason show a form that this build
/// does not read; anything else may pass.
fn joined(before: Option<BodyFault>, now: Option<BodyFault>) -> Option<BodyFault> {
    match (before, now) {
        (Some(BodyFault::Unreadable(before)), Some(BodyFault::Unreadable(now)))
            if reason(&before) == reason(&now) =>
        {
            Some(BodyFault::Unreadable(now))
        }
        (Some(BodyFault::Unreadable(why) | BodyFault::Unavailable(why)), None)
        | (_, Some(BodyFault::Unreadable(why) | BodyFault::Unavailable(why))) => {
            Some(BodyFault::Unavailable(why))
        }
        (None, None) => None,
    }
}

/// The reason of a parser without the place in its text: clients order members as they like.
fn reason(why: &str) -> &str {
    why.split(" at line ").next().unwrap_or(why)
}
