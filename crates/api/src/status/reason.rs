//! Reason for a halted chain, as data.
//!
//! A loop that waits for a node cannot report its own delay: the displayed stage follows from the chain's last
//! progress, whatever the loop reported.

use superroot_source::{EndpointState, NodeReport, OverdueBlock};
use superroot_types::{BlockNumber, UnixSeconds};

use super::stage::{ChainStage, FINALITY_STALLED_AFTER_MS, stalled_after_ms};
use super::view::{Backfill, CatchUp, ChainView, Differing, LeftOut, cut};

/// Most nodes named in a reason.
pub(super) const NODES_SAID_MAX: usize = 3;

/// Failing node.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FailingNode {
    /// Node name.
    pub name: String,
    /// Node state.
    pub state: EndpointState,
    /// Last error.
    pub error: Option<String>,
}

/// One reason for a halted or unhealthy chain.
#[derive(Clone, Debug, PartialEq)]
pub enum StallReason {
    /// Waiting for an overdue block from its nodes.
    Waits(OverdueBlock),
    /// Searching for the first stored final block that its nodes contradict.
    Searches(Differing),
    /// No node can be asked; the first three nodes.
    NobodyAsked(Vec<FailingNode>),
    /// Last unresolved failure, and the nodes missing because of it.
    Failed {
        /// Failure.
        cause: String,
        /// First three missing nodes.
        nodes: Vec<FailingNode>,
    },
    /// No new block for too long.
    NoBlock {
        /// Time without a block in seconds.
        seconds: u64,
        /// Allowed time in seconds.
        limit_seconds: u64,
    },
    /// New blocks, but none final for this time in seconds.
    NothingFinal(u64),
    /// No new block from any source, according to its loop.
    NothingNew,
    /// No source configured.
    NotConfigured,
    /// Withdrawn by the log, from this block on.
    Withdrawn(Option<BlockNumber>),
    /// No block collected since the start.
    NothingTaken,
    /// Halted at this block, for this reason.
    Halted(Option<(BlockNumber, String)>),
    /// Behind its nodes.
    Behind {
        /// Catch-up progress, if known.
        pace: Option<CatchUp>,
        /// Newest final block at its nodes.
        newest: BlockNumber,
        /// Older blocks, downloaded in turn with newer ones.
        backfill: Option<Backfill>,
    },
    /// No recorded block can be recomputed; the newest block and its reason.
    NothingRecomputed(Option<LeftOut>),
    /// At least `count` recorded blocks are left out.
    LeftOut {
        /// Known count.
        count: usize,
        /// Newest block left out.
        newest: LeftOut,
    },
    /// One node does not answer.
    NodeFails(FailingNode),
    /// A single node is trusted.
    OneNodeBelieved,
    /// Healthy nodes.
    Nodes {
        /// Healthy node count.
        healthy: usize,
        /// Total node count.
        count: usize,
    },
}

impl StallReason {
    /// Whether the reason is a failure text, which may name files on this machine or repeat node output.
    #[must_use]
    pub const fn is_cause(&self) -> bool {
        matches!(self, Self::NobodyAsked(_) | Self::Failed { .. })
    }

    /// Whether the reason is step progress, which changes all the time.
    #[must_use]
    pub const fn is_step(&self) -> bool {
        matches!(self, Self::Waits(_) | Self::Searches(_))
    }
}

impl FailingNode {
    fn of(report: &NodeReport) -> Self {
        let NodeReport { name, state, last_error, .. } = report;
        Self { name: name.clone(), state: *state, error: last_error.clone() }
    }
}

impl ChainView {
    /// Stage at `now`: stalled after too long without a new block, catching up while its nodes have final blocks that
    /// are not stored.
    #[must_use]
    pub fn stage(&self, now: UnixSeconds, block_time_ms: u64) -> ChainStage {
        match self.stall(now, block_time_ms) {
            Some(_) => ChainStage::Stalled,
            None if matches!(self.state, ChainStage::Following | ChainStage::Backfilling)
                && self.pace(now).is_some() =>
            {
                ChainStage::CatchingUp
            }
            None => self.state,
        }
    }

    /// Time of the last progress, or of the first attempt; `None` if unknown.
    #[must_use]
    pub fn quiet_since(&self) -> Option<UnixSeconds> {
        self.began_at.max(self.advanced_at)
    }

    /// Reason for a halt in words: failure, duration, awaited block, and healthy node count. `None` if the chain moves
    /// or is complete.
    #[must_use]
    pub fn why(&self, now: UnixSeconds, block_time_ms: u64) -> Option<String> {
        let stage = self.stage(now, block_time_ms);
        let stands = [ChainStage::Starting, ChainStage::Stalled, ChainStage::Halted];
        let (steps, mut reasons): (Vec<_>, Vec<_>) =
            self.reasons(now, block_time_ms).into_iter().partition(StallReason::is_step);
        reasons.extend(steps);
        if stands.contains(&stage) && !self.is_nobody_asked(stage) {
            reasons.extend(self.nodes());
        }
        let why = reasons.iter().map(StallReason::to_string).collect::<Vec<_>>().join("; ");
        (!why.is_empty()).then_some(why)
    }

    /// Like [`why`](Self::why), for proof callers: without failure texts, which may name files on this machine or
    /// repeat node output.
    #[must_use]
    pub fn why_in_short(&self, now: UnixSeconds, block_time_ms: u64) -> Option<String> {
        ChainView { last_error: None, waiting: None, ..self.clone() }.why(now, block_time_ms)
    }

    /// Reasons for a halt: step progress, failure, state. Empty if the chain moves or is complete.
    #[must_use]
    pub fn reasons(&self, now: UnixSeconds, block_time_ms: u64) -> Vec<StallReason> {
        let stage = self.stage(now, block_time_ms);
        let (cause, stands) = if self.is_nobody_asked(stage) {
            let nodes = self.endpoints.iter().take(NODES_SAID_MAX).map(FailingNode::of);
            (Some(StallReason::NobodyAsked(nodes.collect())), None)
        } else {
            (self.cause(stage), self.stands(stage, now, block_time_ms))
        };
        [self.step(), cause, stands].into_iter().flatten().collect()
    }

    /// A slow step's progress.
    fn step(&self) -> Option<StallReason> {
        if let Some(search) = self.search {
            return Some(StallReason::Searches(search));
        }
        let waiting = self.waiting.as_ref().filter(|_| self.state.is_live())?;
        Some(StallReason::Waits(waiting.clone()))
    }

    /// Failure, and the nodes missing because of it: nodes that fail where others answer, unless the failure names
    /// them.
    fn cause(&self, stage: ChainStage) -> Option<StallReason> {
        let is_told = stage.is_live() || (stage == ChainStage::Halted && self.halt.is_none());
        let cause = self.last_error.as_ref().filter(|_| is_told)?.cause.clone();
        let is_missing = |node: &&NodeReport| {
            node.last_error.is_some() && !is_healthy(node) && !cause.contains(&node.name)
        };
        let others = if self.endpoints.iter().any(is_healthy) { &self.endpoints[..] } else { &[] };
        let nodes = others.iter().filter(is_missing).take(NODES_SAID_MAX).map(FailingNode::of);
        let nodes = nodes.collect();
        Some(StallReason::Failed { cause, nodes })
    }

    /// Current activity instead, or the duration of the halt.
    fn stands(
        &self,
        stage: ChainStage,
        now: UnixSeconds,
        block_time_ms: u64,
    ) -> Option<StallReason> {
        Some(match stage {
            ChainStage::NotFollowed => StallReason::NotConfigured,
            ChainStage::Withdrawn => StallReason::Withdrawn(self.withdrawn_from),
            ChainStage::Starting => StallReason::NothingTaken,
            ChainStage::Stalled => {
                self.stall(now, block_time_ms).unwrap_or(StallReason::NothingNew)
            }
            ChainStage::Halted => {
                let halt = self.halt.as_ref();
                StallReason::Halted(halt.map(|halt| (halt.number, cut(&halt.reason))))
            }
            ChainStage::CatchingUp => StallReason::Behind {
                pace: self.pace(now),
                newest: self.claimed.map_or(BlockNumber(0), |claimed| claimed.finalized),
                backfill: self.backfill,
            },
            ChainStage::Recorded if self.finalized.is_none() => {
                StallReason::NothingRecomputed(self.left_out.last().cloned())
            }
            ChainStage::Backfilling | ChainStage::Following | ChainStage::Recorded => return None,
        })
    }

    /// Operator warning about the finality rule.
    #[must_use]
    pub fn warning(&self) -> Option<StallReason> {
        let is_alone = self.needed.is_some_and(|needed| needed.agree <= 1);
        is_alone.then_some(StallReason::OneNodeBelieved)
    }

    /// Recorded blocks left out, if any.
    #[must_use]
    pub fn left_out(&self) -> Option<StallReason> {
        let is_told = self.state == ChainStage::Recorded && self.finalized.is_some();
        let newest = self.left_out.last().filter(|_| is_told)?.clone();
        Some(StallReason::LeftOut { count: self.left_out.len(), newest })
    }

    /// First node that does not answer.
    #[must_use]
    pub fn failing_node(&self) -> Option<StallReason> {
        let is_failing = |node: &&NodeReport| match node.state {
            EndpointState::Healthy | EndpointState::Untried => false,
            EndpointState::Limited
            | EndpointState::Lagging
            | EndpointState::Wrong
            | EndpointState::Down => true,
        };
        self.endpoints.iter().find(is_failing).map(FailingNode::of).map(StallReason::NodeFails)
    }

    /// Reason to report an awaited chain as stalled.
    fn stall(&self, now: UnixSeconds, block_time_ms: u64) -> Option<StallReason> {
        if !self.state.is_live() {
            return None;
        }
        let quiet = |since: Option<UnixSeconds>| now.0.saturating_sub(since.unwrap_or(now).0);
        let seconds = quiet(self.quiet_since());
        let limit_seconds = self.head_limit_ms(block_time_ms) / 1_000;
        if seconds > limit_seconds {
            return Some(StallReason::NoBlock { seconds, limit_seconds });
        }
        let limit_ms = self.finality_stalled_after_ms.unwrap_or(FINALITY_STALLED_AFTER_MS);
        let seconds = quiet(self.began_at.max(self.finalized_at));
        if seconds > limit_seconds.max(limit_ms / 1_000) {
            return Some(StallReason::NothingFinal(seconds));
        }
        (self.state == ChainStage::Stalled).then_some(StallReason::NothingNew)
    }

    /// Longest time without a new block, in milliseconds.
    #[must_use]
    pub fn head_limit_ms(&self, block_time_ms: u64) -> u64 {
        self.stalled_after_ms.unwrap_or_else(|| stalled_after_ms(block_time_ms))
    }

    /// Whether no node can be asked: the chain is halted, before or after its time limit.
    fn is_nobody_asked(&self, stage: ChainStage) -> bool {
        let is_out = |endpoint: &NodeReport| {
            let out = [EndpointState::Down, EndpointState::Limited, EndpointState::Wrong];
            out.contains(&endpoint.state)
        };
        let is_near = stage.is_live() && stage != ChainStage::Stalled;
        is_near && !self.endpoints.is_empty() && self.endpoints.iter().all(is_out)
    }

    fn nodes(&self) -> Option<StallReason> {
        let healthy = self.endpoints.iter().filter(|endpoint| is_healthy(endpoint)).count();
        let count = self.endpoints.len();
        (count > 0).then_some(StallReason::Nodes { healthy, count })
    }
}

fn is_healthy(endpoint: &NodeReport) -> bool {
    endpoint.state == EndpointState::Healthy
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::status::{Claimed, Point, StatusError};
    use superroot_source::{NodeReport, QuorumSize, ReportedTips};
    use superroot_types::BlockNumber;

    const NOW: UnixSeconds = UnixSeconds(1_000_000);
    const BLOCK_TIME_MS: u64 = 12_000;

    fn following(quiet_seconds: u64) -> ChainView {
        let at = |ago: u64| Some(UnixSeconds(NOW.0 - ago));
        ChainView {
            state: ChainStage::Following,
            began_at: at(900_000),
            advanced_at: at(quiet_seconds),
            finalized_at: at(quiet_seconds),
            ..ChainView::default()
        }
    }

    fn endpoint(state: EndpointState) -> NodeReport {
        NodeReport {
            name: "node".into(),
            operator: "acme".into(),
            state,
            score: 1.0,
            head: None,
            latency_ms: None,
            call_count: 0,
            failure_count: 0,
            last_error: None,
        }
    }

    #[test]
    fn a_chain_is_given_twenty_block_times_and_two_minutes_at_least() {
        for (block_time_ms, limit_ms) in
            [(0, 120_000), (1_000, 120_000), (12_000, 240_000), (600_000, 12_000_000)]
        {
            assert_eq!(stalled_after_ms(block_time_ms), limit_ms);
        }
        assert_eq!(stalled_after_ms(u64::MAX), u64::MAX);
    }

    #[test]
    fn a_chain_that_is_quiet_past_its_limit_is_stalled_whatever_its_loop_said() {
        assert_eq!(following(240).stage(NOW, BLOCK_TIME_MS), ChainStage::Following);
        assert_eq!(following(241).stage(NOW, BLOCK_TIME_MS), ChainStage::Stalled);
        let patient = ChainView { stalled_after_ms: Some(300_000), ..following(241) };
        assert_eq!(patient.stage(NOW, BLOCK_TIME_MS), ChainStage::Following);
        let hasty = ChainView { stalled_after_ms: Some(1_000), ..following(2) };
        assert_eq!(hasty.stage(NOW, BLOCK_TIME_MS), ChainStage::Stalled);
    }

    #[test]
    fn a_chain_that_never_took_a_block_is_measured_from_its_beginning() {
        let began_at = Some(UnixSeconds(NOW.0 - 241));
        let view = ChainView { state: ChainStage::Starting, began_at, ..ChainView::default() };
        assert_eq!(view.stage(NOW, BLOCK_TIME_MS), ChainStage::Stalled);
        let before = UnixSeconds(NOW.0 - 1);
        assert_eq!(view.stage(before, BLOCK_TIME_MS), ChainStage::Starting);
        // a restart is no progress, but it begins anew to wait
        let restarted = ChainView { began_at: Some(NOW), ..following(100_000) };
        assert_eq!(restarted.stage(NOW, BLOCK_TIME_MS), ChainStage::Following);
    }

    /// An order does not hide that the chain is behind.
    #[test]
    fn a_chain_that_is_behind_while_older_blocks_are_fetched_says_both() {
        let backfill =
            Backfill { to: BlockNumber(0), done_blocks: 64, total_blocks: 4_096, began_at: NOW };
        let (number, hash, timestamp) = (BlockNumber(6_263), superroot_types::Hash::ZERO, NOW);
        let mut view = ChainView {
            state: ChainStage::Backfilling,
            backfill: Some(backfill),
            finalized: Some(Point { number, hash, timestamp }),
            ..following(1)
        };
        assert_eq!(view.stage(NOW, BLOCK_TIME_MS), ChainStage::Backfilling);
        let (head, finalized) = (BlockNumber(7_118), BlockNumber(7_117));
        view.claim(Claimed { head, finalized, at: NOW });
        assert_eq!(view.stage(NOW, BLOCK_TIME_MS), ChainStage::CatchingUp);
        let why = view.why(NOW, BLOCK_TIME_MS).unwrap();
        assert!(why.contains("854 final blocks behind its nodes, which are at 7117"), "{why}");
        assert!(why.contains("older blocks in turn with them, 64 of 4096"), "{why}");
        assert_eq!(view.pace(NOW).map(|pace| pace.behind_blocks), Some(854));
    }

    #[test]
    fn a_chain_whose_head_moves_is_stalled_when_nothing_becomes_final() {
        let long_ago = Some(UnixSeconds(NOW.0 - FINALITY_STALLED_AFTER_MS / 1_000 - 1));
        let view = ChainView { finalized_at: long_ago, ..following(1) };
        assert_eq!(view.stage(NOW, BLOCK_TIME_MS), ChainStage::Stalled);
        let why = view.why(NOW, BLOCK_TIME_MS).unwrap();
        assert!(why.starts_with("its head moves, but no block became final for 21601 s"), "{why}");
        let patient = ChainView { finality_stalled_after_ms: Some(u64::MAX), ..view };
        assert_eq!(patient.stage(NOW, BLOCK_TIME_MS), ChainStage::Following);
    }

    #[test]
    fn what_awaits_nothing_never_stalls() {
        for state in ChainStage::ALL {
            let stage = ChainView { state, ..following(500_000) }.stage(NOW, BLOCK_TIME_MS);
            let expected = if state.is_live() { ChainStage::Stalled } else { state };
            assert_eq!(stage, expected, "{state:?}");
        }
    }

    #[test]
    fn the_reason_names_limit_and_endpoints() {
        let mut view = following(300);
        view.endpoints = vec![endpoint(EndpointState::Healthy), endpoint(EndpointState::Down)];
        let why = view.why(NOW, BLOCK_TIME_MS).unwrap();
        assert_eq!(why, "no new block for 300 s, the limit is 240 s; 1 of 2 endpoints healthy");
        assert_eq!(following(0).why(NOW, BLOCK_TIME_MS), None);
    }

    /// The limit may be minutes away; that nobody answers is known now.
    #[test]
    fn a_chain_of_which_no_node_can_be_asked_says_so_at_once() {
        let with = |states: &[EndpointState], quiet_seconds| {
            let endpoints = states.iter().map(|state| NodeReport {
                last_error: Some("cannot be reached: refused".into()),
                ..endpoint(*state)
            });
            ChainView { endpoints: endpoints.collect(), ..following(quiet_seconds) }
        };
        let (down, limited) = (EndpointState::Down, EndpointState::Limited);
        let why = with(&[down, limited], 0).why(NOW, BLOCK_TIME_MS).unwrap();
        let expected = "no node can be asked: node is down (cannot be reached: refused), node is \
                        limited (cannot be reached: refused)";
        assert_eq!(why, expected);
        assert!(with(&[down; 64], 0).why(NOW, BLOCK_TIME_MS).unwrap().chars().count() <= 400);
        for other in [EndpointState::Healthy, EndpointState::Untried, EndpointState::Lagging] {
            assert_eq!(with(&[down, other], 0).why(NOW, BLOCK_TIME_MS), None, "{other:?}");
        }
        let mut behind = ChainView { finalized: point(500), ..with(&[down], 0) };
        let number = BlockNumber;
        behind.claim(Claimed { head: number(900), finalized: number(800), at: NOW });
        assert_eq!(behind.stage(NOW, BLOCK_TIME_MS), ChainStage::CatchingUp);
        assert!(behind.why(NOW, BLOCK_TIME_MS).unwrap().starts_with("no node can be asked"));
        let starting = ChainView { state: ChainStage::Starting, ..with(&[down], 0) };
        assert!(starting.why(NOW, BLOCK_TIME_MS).unwrap().starts_with("no node can be asked"));
        let why = with(&[down], 300).why(NOW, BLOCK_TIME_MS).unwrap();
        assert!(why.starts_with("no new block for 300 s"), "{why}");
    }

    #[test]
    fn every_stage_that_does_not_move_has_a_reason() {
        for state in ChainStage::ALL {
            let why = ChainView { state, ..ChainView::default() }.why(NOW, BLOCK_TIME_MS);
            let moves = matches!(state, ChainStage::Following | ChainStage::Backfilling);
            assert_eq!(why.is_none(), moves, "{state:?}");
        }
        let state = ChainStage::Recorded;
        let recorded = ChainView { state, finalized: point(7), ..ChainView::default() };
        assert_eq!(recorded.why(NOW, BLOCK_TIME_MS), None);
    }

    #[test]
    fn a_recording_names_its_newest_block_that_is_left_out() {
        let left_out = |number| LeftOut { number: BlockNumber(number), reason: "no hash".into() };
        let recorded = |finalized, numbers: std::ops::Range<u64>| ChainView {
            state: ChainStage::Recorded,
            finalized,
            left_out: numbers.map(left_out).collect(),
            ..ChainView::default()
        };
        let none = recorded(None, 1..3).why(NOW, BLOCK_TIME_MS).unwrap();
        let expected = "none of its recorded blocks could be recomputed: block 2: no hash";
        assert_eq!((none.as_str(), recorded(None, 1..3).left_out()), (expected, None));
        for (numbers, expected) in [
            (7..8, "1 block is left out, the newest 7: no hash"),
            (7..9, "2 blocks are left out, the newest 8: no hash"),
            (0..16, "at least 16 blocks are left out, the newest 15: no hash"),
        ] {
            let view = recorded(point(7), numbers);
            assert_eq!(view.left_out().unwrap().to_string(), expected);
            assert_eq!(view.why(NOW, BLOCK_TIME_MS), None);
        }
        assert_eq!(recorded(point(7), 0..0).left_out(), None);
    }

    /// One of two nodes fails: the limit may be minutes away, the cause is known at once, with who is
    /// missing. The other one tells how far behind the chain is; nothing of it is claimed.
    #[test]
    fn a_quorum_that_is_lost_is_told_from_the_first_failure_on() {
        let number = BlockNumber;
        let with = |quiet_seconds| {
            let failing = NodeReport {
                name: "http://b:2".into(),
                last_error: Some("http status 500".into()),
                ..endpoint(EndpointState::Down)
            };
            let endpoints = vec![endpoint(EndpointState::Healthy), failing];
            let error = "1 node agrees, expected 2 of 2";
            let mut view = ChainView {
                endpoints,
                finalized: point(1_648),
                heard: Some(ReportedTips { head: number(1_730), finalized: number(1_728) }),
                ..following(quiet_seconds)
            };
            let at = UnixSeconds(NOW.0 - 9);
            view.claim(Claimed { head: number(1_650), finalized: number(1_648), at });
            assert_eq!(view.newest_head(), Some(number(1_650)), "agreed on");
            assert_eq!(view.behind_blocks(), Some(0));
            ChainView { last_error: Some(StatusError::new(&error, NOW)), ..view }
        };
        let cause = "1 node agrees, expected 2 of 2; http://b:2: http status 500";
        let view = with(2);
        assert_eq!(view.stage(NOW, BLOCK_TIME_MS), ChainStage::Following);
        assert_eq!(view.why(NOW, BLOCK_TIME_MS).unwrap(), cause);
        assert_eq!((view.newest_head(), view.behind_blocks()), (Some(number(1_730)), Some(80)));
        assert_eq!(view.claimed.unwrap().head, number(1_650));
        assert_eq!(view.pace(NOW), None, "nothing final is there to catch up with");
        let stalled = "; no new block for 300 s, the limit is 240 s; 1 of 2 endpoints healthy";
        assert_eq!(with(300).why(NOW, BLOCK_TIME_MS).unwrap(), format!("{cause}{stalled}"));
    }

    #[test]
    fn a_block_that_is_waited_for_is_told() {
        let number = BlockNumber(120);
        let nodes = vec!["http://a:1".to_owned(), "http://b:2".to_owned()];
        let waiting = Some(OverdueBlock { number, is_whole: true, nodes, seconds: 3 });
        let view = ChainView { waiting: waiting.clone(), ..following(0) };
        let expected =
            "waiting for block 120 with its receipts from http://a:1, http://b:2 for 3 s";
        assert_eq!(view.why(NOW, BLOCK_TIME_MS).unwrap(), expected);
        assert!(matches!(view.reasons(NOW, BLOCK_TIME_MS)[..], [StallReason::Waits(_)]));
        let (newest, lowest) = (number, BlockNumber(97));
        let searching = ChainView { search: Some(Differing { newest, lowest }), ..view.clone() };
        let why = searching.why(NOW, BLOCK_TIME_MS).unwrap();
        assert!(
            why.ends_with("held at 120: the first that differs is looked for, 97 does"),
            "{why}"
        );
        let starting = ChainView { state: ChainStage::Starting, ..view };
        let why = starting.why(NOW, BLOCK_TIME_MS).unwrap();
        assert_eq!(why, format!("no block of it was taken since the start; {expected}"));
        let halted = ChainView { state: ChainStage::Halted, waiting, ..following(0) };
        assert!(!halted.why(NOW, BLOCK_TIME_MS).unwrap().contains("waiting"));
    }

    fn point(number: u64) -> Option<Point> {
        let (number, hash) = (BlockNumber(number), superroot_types::Hash::ZERO);
        Some(Point { number, hash, timestamp: NOW })
    }

    /// Its nodes have 1,000 final blocks more: whatever its loop said, it is not in step with them.
    #[test]
    fn a_chain_behind_its_nodes_is_catching_up_and_says_by_how_much() {
        let mut view = ChainView { finalized: point(500), ..following(0) };
        let number = BlockNumber;
        let claimed = |finalized, ago| Claimed {
            head: number(finalized + 64),
            finalized: number(finalized),
            at: UnixSeconds(NOW.0 - ago),
        };
        view.claim(claimed(1_500, 10));
        view.finalized = point(600);
        view.claim(claimed(1_600, 0));
        assert_eq!(view.stage(NOW, BLOCK_TIME_MS), ChainStage::CatchingUp);
        let expected =
            "1000 final blocks behind its nodes, which are at 1600; 10.0 blocks/s, 100 s left";
        assert_eq!(view.why(NOW, BLOCK_TIME_MS).unwrap(), expected);
        let stuck = UnixSeconds(NOW.0 + 1_000);
        assert_eq!(view.stage(stuck, BLOCK_TIME_MS), ChainStage::Stalled);
        view.finalized = point(1_600);
        view.claim(claimed(1_600, 0));
        assert_eq!(view.stage(NOW, BLOCK_TIME_MS), ChainStage::Following);
    }

    #[test]
    fn a_chain_that_believes_one_node_says_so() {
        for (needed, is_said) in [(None, false), (Some((1, 1)), true), (Some((1, 3)), true)] {
            let needed = needed.map(|(agree, of)| QuorumSize { agree, of });
            let view = ChainView { needed, ..ChainView::default() };
            assert_eq!(view.warning().is_some(), is_said, "{needed:?}");
        }
        let needed = Some(QuorumSize { agree: 2, of: 3 });
        assert_eq!(ChainView { needed, ..ChainView::default() }.warning(), None);
    }
}
