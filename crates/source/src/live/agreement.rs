//! Head and finality, as an agreement between several nodes.
//!
//! *Head*: the highest reported head, unless more than two minutes' blocks above the k-th highest, with k = quorum:
//! fewer liars than the quorum cannot make all other nodes seem to lag. *Finalized*: the k-th highest reported final
//! number, under the hash reported by at least k nodes. Nodes of the same operator count once throughout.
//!
//! Before a block counts as final, all healthy nodes are awaited as long as time allows. If any node reports another
//! hash, k nodes are not enough: more than k must agree, against fewer than k. So k fast, lying nodes gain nothing
//! while an honest node is heard.

use std::collections::{BTreeMap, BTreeSet};
use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use futures_util::StreamExt;
use futures_util::stream::FuturesUnordered;
use superroot_types::{BlockNumber, Hash};
use tokio::time::{Instant, sleep, sleep_until};

use super::LiveSource;
use super::config::LiveConfig;
use super::node::{LiveNode, operator_count};
use crate::error::{AgreeOn, CallFault, FinalityDisagreement, NO_BLOCK, SourceError};
use crate::ledger::{NodeTip, words_of};
use crate::{ClaimedBlock, EndpointState, FinalityAgreement, SourceTip};

pub(super) type NodeReport<T> = (Arc<LiveNode>, T);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Wait {
    /// Quorum, plus answers shortly after.
    Enough,
    /// All healthy nodes as long as time allows, and the quorum, plus answers shortly after.
    Healthy,
    /// All nodes, as long as time allows.
    All,
}

impl LiveSource {
    pub(super) async fn tips(&self, wait: Wait) -> Result<Vec<NodeReport<NodeTip>>, SourceError> {
        let ask = async |node: Arc<LiveNode>| self.tip_of(&node).await;
        self.gather(self.usable(), ask, wait).await
    }

    pub(super) async fn tip_of(&self, node: &Arc<LiveNode>) -> Result<NodeTip, SourceError> {
        // in one batch: what it says counts when it is of our chain
        let (greeted, tip) = tokio::join!(self.greet(node), self.dialect.tip(node));
        if matches!(
            tip,
            Err(SourceError::Call { fault: CallFault::Mismatch { field: "latest", .. }, .. })
        ) {
            node.failed("it names no newest block");
        }
        let tip = greeted.and(tip)?;
        let finalized = tip.finalized.unwrap_or(BlockNumber(0));
        node.health().saw_tip(Instant::now(), tip.head.number, finalized);
        node.note_refused(tip.refused);
        Ok(tip)
    }

    pub(super) fn usable(&self) -> Vec<Arc<LiveNode>> {
        let now = Instant::now();
        self.call_back(now);
        let usable = self.nodes.iter().filter(|node| node.health().is_usable(now));
        usable.map(Arc::clone).collect()
    }

    /// Collects answers from many nodes within the time limit.
    pub(super) async fn gather<T, F: Future<Output = Result<T, SourceError>>>(
        &self,
        asked: Vec<Arc<LiveNode>>,
        ask: impl Fn(Arc<LiveNode>) -> F,
        wait: Wait,
    ) -> Result<Vec<NodeReport<T>>, SourceError> {
        let mut unheard = asked;
        let asked = unheard.len();
        let mut healthy = if wait == Wait::Healthy { self.awaited() } else { Vec::new() };
        let asks = unheard.iter().map(|node| {
            let (node, answer) = (Arc::clone(node), ask(Arc::clone(node)));
            async move { (node, answer.await) }
        });
        let mut asks: FuturesUnordered<_> = asks.collect();
        let mut answers = Vec::new();
        let mut last = None;
        let deadline = self.time_for(wait);
        let timeout_ms = u64::try_from(deadline.as_millis()).unwrap_or(u64::MAX);
        let began = Instant::now();
        let mut until = pin!(sleep(deadline));
        let mut is_patient = wait != Wait::All;
        loop {
            let answer = tokio::select! {
                biased; // what has come counts, however late it is looked at
                answer = asks.next() => answer,
                () = &mut until => None,
            };
            let Some((node, answer)) = answer else { break };
            healthy.retain(|one| !Arc::ptr_eq(one, &node));
            unheard.retain(|one| !Arc::ptr_eq(one, &node));
            match answer {
                Ok(answer) => answers.push((node, answer)),
                Err(error) => last = Some(error),
            }
            if is_patient && healthy.is_empty() && operators_of(&answers) >= self.quorum() {
                is_patient = false;
                let soon = Instant::now() + Duration::from_millis(self.config.tip_patience_ms);
                until.set(sleep_until(until.deadline().min(soon)));
            }
        }
        if began.elapsed() >= deadline {
            // they had all the time there is
            unheard.iter().for_each(|node| node.health().hangs(timeout_ms));
        }
        // in the order of configuration, whoever was first
        answers.sort_by_key(|(node, _)| self.nodes.iter().position(|one| Arc::ptr_eq(one, node)));
        match (answers.is_empty(), last) {
            (true, Some(error)) => Err(error),
            (true, None) if asked > 0 => {
                Err(SourceError::NoAnswer { chain: self.chain, asked, timeout_ms })
            }
            (true, None) => Err(self.no_endpoint()),
            (false, _) => Ok(answers),
        }
    }

    /// Time limit for answers. A single trusted node is asked for a whole line of blocks.
    fn time_for(&self, wait: Wait) -> Duration {
        let LiveConfig { tip_timeout_ms, fetch_timeout_ms, .. } = self.config;
        let is_line = wait == Wait::Healthy && self.quorum() == 1;
        Duration::from_millis(if is_line { fetch_timeout_ms } else { tip_timeout_ms })
    }

    /// Nodes required before finality: healthy or untried. Lagging and down nodes are not awaited.
    fn awaited(&self) -> Vec<Arc<LiveNode>> {
        let now = Instant::now();
        let lag = self.lag();
        let is_awaited = |node: &Arc<LiveNode>| {
            let state = node.health().state(now, lag);
            matches!(state, EndpointState::Healthy | EndpointState::Untried)
        };
        self.usable().into_iter().filter(is_awaited).collect()
    }

    pub(super) async fn tip(&self) -> Result<SourceTip, SourceError> {
        self.until_agreed(|wait| self.tip_after(wait)).await
    }

    /// Asks again and waits for all nodes if the first answers disagree: fast liars must not shut out honest, agreeing
    /// nodes.
    async fn until_agreed<T, F: Future<Output = Result<T, SourceError>>>(
        &self,
        ask: impl Fn(Wait) -> F,
    ) -> Result<T, SourceError> {
        let began = Instant::now();
        let first = ask(Wait::Enough).await;
        let in_time = began.elapsed() < Duration::from_millis(self.config.tip_timeout_ms);
        match first {
            Err(SourceError::Disagreement(_) | SourceError::TooFewAgree { .. }) if in_time => {
                ask(Wait::All).await
            }
            outcome => outcome,
        }
    }

    async fn tip_after(&self, wait: Wait) -> Result<SourceTip, SourceError> {
        let tips = self.tips(wait).await?;
        let head = self.head_of(&tips)?;
        self.best_head.store(head.number.0, Ordering::Relaxed);
        self.note_stale();
        let finals = tips.iter().filter_map(|(node, tip)| Some((node.operator(), tip.finalized?)));
        let mut finals = highest_of_each(finals);
        finals.sort_unstable_by_key(|number| std::cmp::Reverse(*number));
        let Some(number) = finals.get(self.quorum() - 1).copied() else {
            return Err(self.too_few_final(&tips, finals.len()));
        };
        let number = number.min(head.number);
        let said = self.hashes_at(number, &tips, wait).await?;
        let (hash, _) = self.agreed(number, &said)?;
        let safe = tips.iter().filter_map(|(_, tip)| tip.safe);
        let safe = safe.filter(|safe| safe.number >= number && safe.number <= head.number);
        let safe = safe.min_by_key(|safe| safe.number);
        Ok(SourceTip { head, safe, finalized: ClaimedBlock { number, hash } })
    }

    /// Highest plausible head; for several hashes at the same number, the hash from most nodes.
    fn head_of(&self, tips: &[NodeReport<NodeTip>]) -> Result<ClaimedBlock, SourceError> {
        let heads = tips.iter().map(|(node, tip)| (node.operator(), tip.head.number));
        let mut heads = highest_of_each(heads);
        heads.sort_unstable_by_key(|number| std::cmp::Reverse(*number));
        let place = self.quorum().min(heads.len()).saturating_sub(1);
        let Some(reference) = heads.get(place) else { return Err(self.no_endpoint()) };
        let highest = BlockNumber(reference.0.saturating_add(self.head_lead_max));
        let named = tips.iter().map(|(_, tip)| tip.head.number);
        let best = named.filter(|number| *number <= highest).max().unwrap_or(*reference);
        for (node, tip) in tips.iter().filter(|(_, tip)| tip.head.number > highest) {
            let above = tip.head.number.0.saturating_sub(best.0);
            node.failed(&format!(
                "it names head {}, {above} blocks above those of the others",
                tip.head.number
            ));
        }
        let mut votes: BTreeMap<Hash, BTreeSet<usize>> = BTreeMap::new();
        for (node, tip) in tips.iter().filter(|(_, tip)| tip.head.number == best) {
            votes.entry(tip.head.hash).or_default().insert(node.operator());
        }
        let most = votes.into_iter().max_by_key(|(_, operators)| operators.len());
        most.map(|(hash, _)| ClaimedBlock { number: best, hash }).ok_or_else(|| self.no_endpoint())
    }

    /// Hashes at a number, from every node with finality there.
    async fn hashes_at(
        &self,
        number: BlockNumber,
        tips: &[NodeReport<NodeTip>],
        wait: Wait,
    ) -> Result<Vec<NodeReport<Hash>>, SourceError> {
        let there = tips.iter().filter(|(_, tip)| tip.finalized.is_some_and(|at| at >= number));
        let asked = there.map(|(node, _)| Arc::clone(node)).collect();
        let ask = async |node: Arc<LiveNode>| {
            let tip = tips.iter().find(|(one, _)| Arc::ptr_eq(one, &node)).map(|(_, tip)| tip);
            let known = tip.filter(|tip| tip.finalized == Some(number));
            match known.and_then(|tip| tip.finalized_hash) {
                Some(hash) => Ok(hash),
                None => self.hash_of(&node, number).await,
            }
        };
        self.gather(asked, ask, wait).await
    }

    pub(super) async fn hash_of(
        &self,
        node: &Arc<LiveNode>,
        number: BlockNumber,
    ) -> Result<Hash, SourceError> {
        let hash = self.dialect.hash_at(node, number).await?;
        let lacks = || node.mismatch("a hash", NO_BLOCK, "null", format!("block {number}"));
        hash.ok_or_else(lacks)
    }

    /// Hash from enough nodes, and the node names.
    fn agreed(
        &self,
        number: BlockNumber,
        said: &[NodeReport<Hash>],
    ) -> Result<(Hash, Vec<String>), SourceError> {
        let mut groups: BTreeMap<Hash, Vec<&Arc<LiveNode>>> = BTreeMap::new();
        for (node, hash) in said {
            groups.entry(*hash).or_default().push(node);
        }
        let names = |nodes: &[&Arc<LiveNode>]| -> Vec<String> {
            nodes.iter().map(|node| node.name().to_string()).collect()
        };
        let mut groups: Vec<(Hash, Vec<&Arc<LiveNode>>)> = groups.into_iter().collect();
        groups.sort_by_key(|(_, nodes)| std::cmp::Reverse(operator_count(nodes.iter().copied())));
        let mut groups = groups.into_iter();
        let Some((hash, mut agreeing)) = groups.next() else {
            return Err(self.too_few(AgreeOn::Block(number), 0));
        };
        if let Some((other_hash, others)) = groups.next() {
            self.measure.disagreement();
            let sources = names(&agreeing);
            let other_sources = names(&others);
            let against = said.iter().filter(|(_, said)| *said != hash).map(|(node, _)| node);
            let against = operator_count(against);
            let agree = operator_count(agreeing.iter().copied());
            let is_minority = agree > self.quorum() && against < self.quorum();
            if !is_minority {
                let chain = self.chain;
                let disagreement = FinalityDisagreement {
                    chain,
                    number,
                    hash,
                    sources,
                    other_hash,
                    other_sources,
                };
                return Err(SourceError::Disagreement(Box::new(disagreement)));
            }
            tracing::warn!(
                chain.id = %self.chain.id, block.number = %number,
                "{} say final block {number} is {hash}, {} say {other_hash}",
                sources.join(", "), other_sources.join(", ")
            );
            let minority = others.into_iter().chain(groups.flat_map(|(_, nodes)| nodes));
            for node in minority {
                node.wrong(&format!("its final block {number} is not that of most nodes, {hash}"));
            }
        }
        // one of each operator speaks for it
        let mut heard = BTreeSet::new();
        agreeing.retain(|node| heard.insert(node.operator()));
        if agreeing.len() < self.quorum() {
            return Err(self.too_few(AgreeOn::Block(number), agreeing.len()));
        }
        Ok((hash, names(&agreeing)))
    }

    pub(super) async fn agreement(
        &self,
        number: BlockNumber,
    ) -> Result<FinalityAgreement, SourceError> {
        let ask = async |node: Arc<LiveNode>| self.final_hash_of(&node, number).await;
        let said = self.gather(self.usable(), ask, Wait::Healthy).await?;
        // a node whose final block is below that number says nothing of it
        let said: Vec<NodeReport<Hash>> =
            said.into_iter().filter_map(|(node, hash)| Some((node, hash?))).collect();
        let heard = operators_of(&said);
        if heard < self.quorum() {
            return Err(self.too_few(AgreeOn::Block(number), heard));
        }
        let (hash, sources) = self.agreed(number, &said)?;
        let of = u32::try_from(self.operator_count).unwrap_or(u32::MAX);
        Ok(FinalityAgreement { hash: Some(hash), sources, of, rule: words_of(self.finality) })
    }

    /// Node's hash at a number; `None` if the node's final block is lower.
    async fn final_hash_of(
        &self,
        node: &Arc<LiveNode>,
        number: BlockNumber,
    ) -> Result<Option<Hash>, SourceError> {
        // where hashes bind no line, a block is held against what it was agreed on besides
        if self.quorum() == 1 && self.binds_parent {
            return self.line_hash_of(node, number).await;
        }
        let known = node.health().finalized().filter(|_| node.is_greeted());
        if known.is_none_or(|finalized| finalized < number) {
            let tip = self.tip_of(node).await?;
            if tip.finalized.is_none_or(|finalized| finalized < number) {
                return Ok(None);
            }
            if let Some(hash) = tip.finalized_hash.filter(|_| tip.finalized == Some(number)) {
                return Ok(Some(hash));
            }
        }
        self.hash_of(node, number).await.map(Some)
    }

    pub(super) fn too_few(&self, on: AgreeOn, got: usize) -> SourceError {
        let chain = self.chain;
        let expected = self.quorum();
        let of = self.operator_count;
        SourceError::TooFewAgree { chain, on, got, expected, of }
    }

    /// Error for an unknown final block, with nodes that refuse the call.
    fn too_few_final(&self, tips: &[NodeReport<NodeTip>], got: usize) -> SourceError {
        let refusing = tips.iter().filter(|(_, tip)| tip.refused.is_some());
        let count = operator_count(refusing.clone().map(|(node, _)| node));
        let refused = refusing.filter_map(|(_, tip)| tip.refused).next();
        let on =
            refused.map_or(AgreeOn::Final, |call| AgreeOn::FinalRefused { refusing: count, call });
        self.too_few(on, got)
    }

    fn note_stale(&self) {
        let now = Instant::now();
        let stale = self.nodes.iter().filter(|node| node.health().is_stale(now, self.stale_after));
        self.measure.stale_heads(stale.count());
    }
}

fn operators_of<T>(said: &[NodeReport<T>]) -> usize {
    operator_count(said.iter().map(|(node, _)| node))
}

pub(super) fn highest_of_each(
    said: impl Iterator<Item = (usize, BlockNumber)>,
) -> Vec<BlockNumber> {
    let mut highest: BTreeMap<usize, BlockNumber> = BTreeMap::new();
    for (operator, number) in said {
        let slot = highest.entry(operator).or_insert(number);
        *slot = number.max(*slot);
    }
    highest.into_values().collect()
}
