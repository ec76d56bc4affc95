//! What the service does with a chain, and why the chain does not move.
//!
//! A loop that waits for a node cannot say that it waits too long: the stage shown is worked out
//! from when the chain last moved, whatever its loop said last.

use superroot_source::{EndpointReport, EndpointState, Waiting};
use superroot_types::UnixSeconds;

use super::view::cut;
use super::{Backfill, ChainView, Differing, LastError};

/// A chain is stalled when it took nothing new for so many of its block times, ...
const STALLED_AFTER_BLOCKS: u64 = 20;
/// ... but not before so long, in milliseconds.
const STALLED_AFTER_MS_MIN: u64 = 120_000;

/// A chain whose head moves is stalled when nothing became final for so long, in milliseconds: some
/// rollups' blocks become final hours later, and many at a time.
pub const FINALITY_STALLED_AFTER_MS: u64 = 6 * 3_600_000;

/// How long a chain of that block time may take nothing new before it counts as stalled: 20 block
/// times, two minutes at least. In milliseconds.
#[must_use]
pub fn stalled_after_ms(block_time_ms: u64) -> u64 {
    block_time_ms.saturating_mul(STALLED_AFTER_BLOCKS).max(STALLED_AFTER_MS_MIN)
}

/// Nodes that a reason names.
const NODES_SAID_MAX: usize = 3;

/// What the service does with a chain at the moment.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum ChainStage {
    /// This build does not read it.
    #[default]
    Planned,
    /// This build reads it, and no source of it is configured here.
    NotFollowed,
    /// It is read, and no block stands yet.
    Starting,
    /// Final blocks are taken that its nodes have had before: it is behind them.
    CatchingUp,
    /// Its head is followed, and older blocks are fetched. One that is behind meanwhile catches up.
    Backfilling,
    /// Its head is followed.
    Following,
    /// Its sources gave nothing new for too long.
    Stalled,
    /// Its nodes contradict what was final: nothing more is taken until an operator decides.
    Halted,
    /// Its blocks are recordings: nothing new will come.
    Recorded,
    /// The log has withdrawn it: nothing of it is taken any more, and nothing lets it go on.
    Withdrawn,
}

impl ChainStage {
    /// Every stage.
    pub const ALL: [Self; 10] = [
        Self::Planned,
        Self::NotFollowed,
        Self::Starting,
        Self::CatchingUp,
        Self::Backfilling,
        Self::Following,
        Self::Stalled,
        Self::Halted,
        Self::Recorded,
        Self::Withdrawn,
    ];

    /// The word used in JSON.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Planned => "planned",
            Self::NotFollowed => "not_followed",
            Self::Starting => "starting",
            Self::CatchingUp => "catching_up",
            Self::Backfilling => "backfilling",
            Self::Following => "following",
            Self::Stalled => "stalled",
            Self::Halted => "halted",
            Self::Recorded => "recorded",
            Self::Withdrawn => "withdrawn",
        }
    }

    /// Whether new blocks are awaited.
    #[must_use]
    pub const fn is_live(self) -> bool {
        matches!(
            self,
            Self::Starting | Self::CatchingUp | Self::Backfilling | Self::Following | Self::Stalled
        )
    }

    /// Whether whoever waits for a block of it waits in vain, as far as is known.
    #[must_use]
    pub const fn is_stopped(self) -> bool {
        matches!(self, Self::NotFollowed | Self::Stalled | Self::Halted | Self::Withdrawn)
    }
}

/// Why a chain does not move, by parts.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Reasons {
    /// What went wrong last and is not mended.
    pub cause: Option<String>,
    /// Which of its nodes are missing for that, to be written behind the cause.
    nodes: String,
    /// What it does instead, or for how long it has stood still.
    pub stands: Option<String>,
}

impl Reasons {
    /// The cause, with the nodes that are missing.
    #[must_use]
    pub fn told(&self) -> Option<String> {
        Some(cut(&format!("{}{}", self.cause.as_ref()?, self.nodes)))
    }
}

/// What made a chain that is awaited count as stalled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stall {
    /// No block came for so many seconds.
    Head(u64),
    /// Blocks came, and none became final for so many seconds.
    Finality(u64),
    /// Its loop said so.
    Said,
}

impl ChainView {
    /// What the service does with it, as of `now`: stalled once it took nothing new for too long, and
    /// catching up as long as its nodes have final blocks that are not held.
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

    /// When it last moved, or began to try; `None` where nobody said.
    #[must_use]
    pub fn quiet_since(&self) -> Option<UnixSeconds> {
        self.began_at.max(self.advanced_at)
    }

    /// Why it does not move, in words: what went wrong, how long it has stood still, what it waits for,
    /// and how many of its nodes are healthy. `None` where it moves, or nothing is to come.
    #[must_use]
    pub fn why(&self, now: UnixSeconds, block_time_ms: u64) -> Option<String> {
        let stage = self.stage(now, block_time_ms);
        let stands = [ChainStage::Starting, ChainStage::Stalled, ChainStage::Halted];
        let endpoints = self.endpoints_in_words().filter(|_| stands.contains(&stage));
        let endpoints = endpoints.filter(|_| !self.is_nobody_asked(stage));
        let reasons = self.reasons(now, block_time_ms);
        let parts = [reasons.told(), reasons.stands, self.waits(), endpoints];
        let why = parts.into_iter().flatten().collect::<Vec<_>>().join("; ");
        (!why.is_empty()).then_some(why)
    }

    /// The same for whoever asks for a proof: without what went wrong, which may name files of this
    /// machine, or be whatever a node likes.
    #[must_use]
    pub fn why_in_short(&self, now: UnixSeconds, block_time_ms: u64) -> Option<String> {
        ChainView { last_error: None, waiting: None, ..self.clone() }.why(now, block_time_ms)
    }

    /// Why it does not move, by parts; all empty where it moves, or nothing is to come.
    #[must_use]
    pub fn reasons(&self, now: UnixSeconds, block_time_ms: u64) -> Reasons {
        let stage = self.stage(now, block_time_ms);
        if self.is_nobody_asked(stage) {
            let cause = Some("no node can be asked".to_owned());
            return Reasons { cause, nodes: self.nodes_that_are_out(), stands: None };
        }
        let stands = match self.stall(now, block_time_ms) {
            Some(Stall::Head(seconds)) => {
                let limit = self.head_limit_ms(block_time_ms) / 1_000;
                Some(format!("no new block for {seconds} s, the limit is {limit} s"))
            }
            Some(Stall::Finality(seconds)) => {
                Some(format!("its head moves, but no block became final for {seconds} s"))
            }
            Some(Stall::Said) => Some("its sources give no new block".to_owned()),
            None => self.stands(stage, now),
        };
        let is_told = stage.is_live() || (stage == ChainStage::Halted && self.halt.is_none());
        let cause = self.last_error.as_ref().filter(|_| is_told).map(LastError::cause);
        let nodes = cause.map_or_else(String::new, |cause| self.nodes_that_fail(cause));
        Reasons { cause: cause.map(str::to_owned), nodes, stands }
    }

    /// What its step is at, where that takes long, in words: a search among final blocks held, or the
    /// block that its nodes keep waiting.
    #[must_use]
    pub fn waits(&self) -> Option<String> {
        if let Some(Differing { newest, lowest }) = self.search {
            return Some(format!(
                "its nodes agree on another block than the final one held at {newest}: the first \
                 that differs is looked for, {lowest} does"
            ));
        }
        let waiting = self.waiting.as_ref().filter(|_| self.state.is_live())?;
        let Waiting { number, is_whole, nodes, seconds } = waiting;
        let receipts = if *is_whole { " with its receipts" } else { "" };
        let nodes = nodes.iter().take(NODES_SAID_MAX).cloned().collect::<Vec<_>>().join(", ");
        Some(cut(&format!("waiting for block {number}{receipts} from {nodes} for {seconds} s")))
    }

    /// Why a chain in that stage stands, by the stage alone.
    fn stands(&self, stage: ChainStage, now: UnixSeconds) -> Option<String> {
        Some(match stage {
            ChainStage::Planned => "this build does not read it".to_owned(),
            ChainStage::NotFollowed => "no source of it is configured here".to_owned(),
            ChainStage::Withdrawn => match self.withdrawn_from {
                Some(from) => format!("it is withdrawn from block {from} on"),
                None => "it is withdrawn".to_owned(),
            },
            ChainStage::Starting => "no block of it was taken since the start".to_owned(),
            ChainStage::Stalled => "its sources give no new block".to_owned(),
            ChainStage::Halted => match &self.halt {
                Some(halt) => {
                    format!("it is halted at block {}: {}", halt.number, cut(&halt.reason))
                }
                None => "it is halted until an operator lets it go on".to_owned(),
            },
            ChainStage::CatchingUp => self.catching_up(now),
            ChainStage::Recorded if self.finalized.is_none() => {
                "none of its recorded blocks could be recomputed".to_owned()
            }
            ChainStage::Backfilling | ChainStage::Following | ChainStage::Recorded => return None,
        })
    }

    /// Those nodes that fail, where others answer and the cause does not name them: who is missing.
    fn nodes_that_fail(&self, cause: &str) -> String {
        let is_failing = |endpoint: &&EndpointReport| {
            endpoint.last_error.is_some() && !cause.contains(&endpoint.name)
        };
        let failing = self.endpoints.iter().filter(is_failing);
        let (good, bad): (Vec<_>, Vec<_>) = failing.partition(|endpoint| is_healthy(endpoint));
        let named = match self.endpoints.iter().any(is_healthy) {
            false => Vec::new(), // none answers: the cause says so
            true if bad.is_empty() => good,
            true => bad,
        };
        let said = named.iter().take(NODES_SAID_MAX).filter_map(|endpoint| {
            Some(format!("; {}: {}", endpoint.name, endpoint.last_error.as_ref()?))
        });
        said.collect()
    }

    /// How far behind its nodes it is, and how long that will last.
    fn catching_up(&self, now: UnixSeconds) -> String {
        let Some(pace) = self.pace(now) else { return "its nodes have later blocks".to_owned() };
        let newest = self.claimed.map_or(0, |claimed| claimed.finalized.0);
        let behind = pace.behind_blocks;
        let why = format!("{behind} final blocks behind its nodes, which are at {newest}");
        let why = match (pace.blocks_per_second, pace.seconds_left) {
            (Some(speed), Some(left)) => format!("{why}; {speed:.1} blocks/s, {left} s left"),
            (Some(_), None) => format!("{why}; none was taken since"),
            _ => why,
        };
        match self.backfill {
            Some(Backfill { done_blocks, total_blocks, .. }) => {
                format!("{why}; older blocks in turn with them, {done_blocks} of {total_blocks}")
            }
            None => why,
        }
    }

    fn stall(&self, now: UnixSeconds, block_time_ms: u64) -> Option<Stall> {
        if !self.state.is_live() {
            return None;
        }
        let head = self.quiet_since().map(|since| now.0.saturating_sub(since.0));
        if let Some(seconds) = head.filter(|s| *s > self.head_limit_ms(block_time_ms) / 1_000) {
            return Some(Stall::Head(seconds));
        }
        let limit = self.finality_stalled_after_ms.unwrap_or(FINALITY_STALLED_AFTER_MS);
        let limit = limit.max(self.head_limit_ms(block_time_ms)) / 1_000;
        let finality = self.began_at.max(self.finalized_at);
        let finality = finality.map(|since| now.0.saturating_sub(since.0));
        match finality.filter(|seconds| *seconds > limit) {
            Some(seconds) => Some(Stall::Finality(seconds)),
            None => (self.state == ChainStage::Stalled).then_some(Stall::Said),
        }
    }

    /// How long it may take nothing new, in milliseconds.
    #[must_use]
    pub fn head_limit_ms(&self, block_time_ms: u64) -> u64 {
        self.stalled_after_ms.unwrap_or_else(|| stalled_after_ms(block_time_ms))
    }

    /// Whether none of its nodes can be asked: it stands still, whether its limit is reached or not.
    fn is_nobody_asked(&self, stage: ChainStage) -> bool {
        let is_out = |endpoint: &EndpointReport| {
            let out = [EndpointState::Down, EndpointState::Limited, EndpointState::Wrong];
            out.contains(&endpoint.state)
        };
        let is_near = stage.is_live() && stage != ChainStage::Stalled;
        is_near && !self.endpoints.is_empty() && self.endpoints.iter().all(is_out)
    }

    fn nodes_that_are_out(&self) -> String {
        let said = self.endpoints.iter().take(NODES_SAID_MAX).map(|endpoint| {
            let error = endpoint.last_error.as_ref();
            let error = error.map_or_else(String::new, |error| format!(" ({error})"));
            format!("{} is {}{error}", endpoint.name, endpoint.state.name())
        });
        format!(": {}", said.collect::<Vec<_>>().join(", "))
    }

    fn endpoints_in_words(&self) -> Option<String> {
        let healthy = self.endpoints.iter().filter(|endpoint| is_healthy(endpoint)).count();
        let count = self.endpoints.len();
        (count > 0).then(|| format!("{healthy} of {count} endpoints healthy"))
    }
}

fn is_healthy(endpoint: &EndpointReport) -> bool {
    endpoint.state == EndpointState::Healthy
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::status::{Claimed, Point};
    use superroot_source::{EndpointReport, Heard};
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

    fn endpoint(state: EndpointState) -> EndpointReport {
        EndpointReport {
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
    fn a_clock_that_goes_back_stalls_nothing() {
        let view = following(0);
        assert_eq!(view.stage(UnixSeconds(5), BLOCK_TIME_MS), ChainStage::Following);
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
            let endpoints = states.iter().map(|state| EndpointReport {
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
        let number = superroot_types::BlockNumber;
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

    /// No source would help.
    #[test]
    fn a_chain_that_is_withdrawn_says_so_and_asks_for_no_source() {
        let why = |withdrawn_from| {
            let mut view =
                ChainView { endpoints: vec![endpoint(EndpointState::Down)], ..following(9) };
            view.withdraw(withdrawn_from);
            assert_eq!(view.stage(NOW, BLOCK_TIME_MS), ChainStage::Withdrawn);
            view.why(NOW, BLOCK_TIME_MS).unwrap()
        };
        let from = superroot_types::BlockNumber(1_500);
        assert_eq!(why(from), "it is withdrawn from block 1500 on");
    }

    /// One of two nodes fails: the limit may be minutes away, the cause is known at once, with who is
    /// missing. The other one tells how far behind the chain is; nothing of it is claimed.
    #[test]
    fn a_quorum_that_is_lost_is_told_from_the_first_failure_on() {
        let number = superroot_types::BlockNumber;
        let with = |quiet_seconds| {
            let failing = EndpointReport {
                name: "http://b:2".into(),
                last_error: Some("http status 500".into()),
                ..endpoint(EndpointState::Down)
            };
            let endpoints = vec![endpoint(EndpointState::Healthy), failing];
            let error = "source nodes of base: 1 node agrees, expected 2 of 2";
            let mut view = ChainView {
                endpoints,
                finalized: point(1_648),
                heard: Some(Heard { head: number(1_730), finalized: number(1_728) }),
                ..following(quiet_seconds)
            };
            let at = UnixSeconds(NOW.0 - 9);
            view.claim(Claimed { head: number(1_650), finalized: number(1_648), at });
            assert_eq!(view.newest_head(), Some(number(1_650)), "agreed on");
            assert_eq!(view.behind_blocks(), Some(0));
            ChainView { last_error: Some(LastError::new(&error, NOW)), ..view }
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
        let error = Some(LastError::new(&"http://b:2 does not answer", NOW));
        let named = ChainView { last_error: error, ..with(2) };
        assert_eq!(named.why(NOW, BLOCK_TIME_MS).unwrap(), "http://b:2 does not answer");
    }

    #[test]
    fn a_block_that_is_waited_for_is_told() {
        let number = superroot_types::BlockNumber(120);
        let nodes = vec!["http://a:1".to_owned(), "http://b:2".to_owned()];
        let waiting = Some(Waiting { number, is_whole: true, nodes, seconds: 3 });
        let view = ChainView { waiting: waiting.clone(), ..following(0) };
        let expected =
            "waiting for block 120 with its receipts from http://a:1, http://b:2 for 3 s";
        assert_eq!(view.why(NOW, BLOCK_TIME_MS).unwrap(), expected);
        assert_eq!(view.reasons(NOW, BLOCK_TIME_MS), Reasons::default());
        let (newest, lowest) = (number, superroot_types::BlockNumber(97));
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
        let (number, hash) = (superroot_types::BlockNumber(number), superroot_types::Hash::ZERO);
        Some(Point { number, hash, timestamp: NOW })
    }

    /// Its nodes have 1,000 final blocks more: whatever its loop said, it is not in step with them.
    #[test]
    fn a_chain_behind_its_nodes_is_catching_up_and_says_by_how_much() {
        let mut view = ChainView { finalized: point(500), ..following(0) };
        let number = superroot_types::BlockNumber;
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
}
