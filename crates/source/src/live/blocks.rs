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
use super::node::Node;
use crate::error::{Fault, SourceError};
use crate::ledger::has_receipts;
use crate::{BlockAt, Fetched, Parts};

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
        Ok(block.map(|block| Fetched { block, sender: Arc::clone(node.name()) }))
    }

    pub(super) async fn block(
        &self,
        at: BlockAt,
        parts: Parts,
        not_of: &[Arc<str>],
    ) -> Result<Option<Fetched>, SourceError> {
        let deadline = Instant::now() + Duration::from_millis(self.config.fetch_timeout_ms);
        let (mut last, mut bare) = (None, Bare::default());
        let asked = self.block_of_any(at, parts, not_of, deadline, &mut last, &mut bare);
        let answer = timeout_at(deadline, asked).await.unwrap_or_else(|_| {
            let timeout = Fault::Timeout(self.config.fetch_timeout_ms);
            Err(last.unwrap_or_else(|| timeout.into_error(&self.name, "a block")))
        });
        match (answer, bare.fetched) {
            // no single node may withhold receipts that others have
            (Err(_), Some(fetched)) if bare.operators.len() >= self.quorum() => Ok(Some(fetched)),
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
                    operators if operators >= self.quorum() => break,
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
                    is_bare = has_receipts == Some(false);
                    bare.note(node, has_receipts, fetched)
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

fn is_timeout(asked: &Result<Option<superroot_chain::UntrustedBlock>, SourceError>) -> bool {
    let fault = asked.as_ref().err().and_then(SourceError::fault);
    matches!(fault, Some(Fault::Timeout(_)))
}

/// A block whose receipts nobody had so far, and who sent it.
#[derive(Default)]
struct Bare {
    fetched: Option<Fetched>,
    operators: HashSet<usize>,
}

impl Bare {
    /// The block with its receipts; without them it is kept, and an error given.
    fn note(
        &mut self,
        node: &Node,
        has_receipts: Option<bool>,
        fetched: Fetched,
    ) -> Result<Option<Fetched>, SourceError> {
        if has_receipts != Some(false) {
            if has_receipts.is_some() {
                node.keeps_receipts();
            }
            return Ok(Some(fetched));
        }
        let noted = node.lacks_receipts();
        self.operators.insert(node.operator());
        self.fetched = Some(fetched);
        Err(noted)
    }
}
