//! Node health: recent answers, latency and pauses.

use std::collections::VecDeque;
use std::time::Duration;

use superroot_types::BlockNumber;
use tokio::time::Instant;

use super::pause::Pause;
use crate::error::CallFault;
use crate::live::config::LiveConfig;
use crate::{EndpointState, NodeReport};

const SCORE_STEP: f64 = 0.1;
/// An untried node's score: below a good node, above a bad node.
const SCORE_START: f64 = 0.5;
const LATENCIES_MAX: usize = 32;
/// Consecutive failures before a node counts as down.
const FAILURES_BEFORE_DOWN: u32 = 3;
/// First and longest pause of a node that demands fewer calls; the longest also caps demanded pauses.
const LIMITED_PAUSE: [Duration; 2] = [Duration::from_secs(1), Duration::from_secs(600)];
/// First and longest pause of an unresponsive node.
const DOWN_PAUSE: [Duration; 2] = [Duration::from_millis(500), Duration::from_secs(30)];
/// Longest pause while fewer nodes than the quorum are usable.
const NEEDED_PAUSE: Duration = Duration::from_millis(2_500);
/// Time with low priority for block requests after an overdue block.
const SLOW_PAUSE: Duration = Duration::from_secs(60);
/// Patience for a block before another node is asked too: multiple of the usual latency.
const PATIENCE_LATENCIES: u64 = 8;
/// Shortest patience.
const PATIENCE_MS_MIN: u64 = 1_000;
/// Longest patience.
const PATIENCE_MS_MAX: u64 = 2_500;

#[derive(Debug)]
pub(crate) struct NodeHealth {
    score: f64,
    latencies_ms: VecDeque<u64>,
    head: Option<BlockNumber>,
    head_since: Option<Instant>,
    finalized: Option<BlockNumber>,
    limited: Pause,
    wrong: Pause,
    down: Pause,
    /// End of the low-priority period for blocks, after an overdue block and regardless of other answers.
    slow_until: Option<Instant>,
    block_at: Option<Instant>,
    failures_in_row: u32,
    /// Whether a request timed out with no answer since.
    hangs: bool,
    call_count: u64,
    failure_count: u64,
    last_error: Option<String>,
}

/// Limits for a lagging head.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Lag {
    pub(crate) best: Option<BlockNumber>,
    /// Allowed distance behind `best`, in blocks.
    pub(crate) blocks_max: u64,
    pub(crate) stale_after: Duration,
}

impl NodeHealth {
    pub(crate) fn new(config: &LiveConfig) -> Self {
        let [first, most] =
            [config.wrong_pause_ms, config.wrong_pause_max_ms].map(Duration::from_millis);
        Self {
            score: SCORE_START,
            latencies_ms: VecDeque::new(),
            head: None,
            head_since: None,
            finalized: None,
            limited: Pause::new(LIMITED_PAUSE[0], LIMITED_PAUSE[1]),
            wrong: Pause::new(first, most),
            down: Pause::new(DOWN_PAUSE[0], DOWN_PAUSE[1]),
            slow_until: None,
            block_at: None,
            failures_in_row: 0,
            hangs: false,
            call_count: 0,
            failure_count: 0,
            last_error: None,
        }
    }

    pub(crate) fn sent(&mut self, calls: usize) {
        self.call_count += calls as u64;
    }

    pub(crate) fn went_well(&mut self, taken: Duration) {
        self.score += SCORE_STEP * (1.0 - self.score);
        if self.latencies_ms.len() == LATENCIES_MAX {
            self.latencies_ms.pop_front();
        }
        self.latencies_ms.push_back(u64::try_from(taken.as_millis()).unwrap_or(u64::MAX));
        self.failures_in_row = 0;
        self.hangs = false;
        self.down.end();
        if !self.wrong.is_on(Instant::now()) {
            self.last_error = None;
        }
    }

    /// Records a missing or unusable answer.
    pub(crate) fn failed(&mut self, now: Instant, why: &str) {
        self.score -= SCORE_STEP * self.score;
        self.failure_count += 1;
        self.failures_in_row = self.failures_in_row.saturating_add(1);
        self.last_error = Some(why.to_owned());
        // calls that were in flight already fail together: they double nothing
        if self.failures_in_row >= FAILURES_BEFORE_DOWN && !self.down.is_on(now) {
            self.down.begin(now);
        }
    }

    /// Shortens the pause of a down node: the chain has too few nodes otherwise.
    pub(crate) fn is_needed(&mut self) {
        self.down.shorten(NEEDED_PAUSE);
    }

    /// Records a timeout. Calls in flight may still be answered, so no pause begins yet.
    pub(crate) fn hangs(&mut self, waited_ms: u64) {
        self.score -= SCORE_STEP * self.score;
        self.hangs = true;
        self.last_error = Some(format!("no answer within {waited_ms} ms"));
    }

    /// Pauses the node after a demand for fewer calls, for the demanded time if stated.
    pub(crate) fn limited(&mut self, now: Instant, asked_ms: Option<u64>) {
        self.failure_count += 1;
        self.last_error = Some("it asks for fewer calls".into());
        match asked_ms {
            Some(asked) => self.limited.begin_for(now, Duration::from_millis(asked)),
            // the answers to requests already in flight double nothing
            None if self.limited.is_on(now) => {}
            None => {
                self.limited.forgive(now);
                self.limited.begin(now);
            }
        }
    }

    /// Records wrong data: another chain, a block that fails verification, another hash.
    pub(crate) fn wrong(&mut self, now: Instant, why: &str) {
        self.score -= SCORE_STEP * self.score;
        self.failure_count += 1;
        self.last_error = Some(why.to_owned());
        self.wrong.forgive(now);
        self.wrong.begin(now);
    }

    pub(crate) fn saw_tip(&mut self, now: Instant, head: BlockNumber, finalized: BlockNumber) {
        if self.head != Some(head) {
            (self.head, self.head_since) = (Some(head), Some(now));
        }
        self.finalized = Some(finalized);
    }

    /// Last reported head and final block, if healthy.
    pub(crate) fn heard(&self, now: Instant, lag: Lag) -> Option<(BlockNumber, BlockNumber)> {
        let is_good = self.state(now, lag) == EndpointState::Healthy;
        self.head.zip(self.finalized).filter(|_| is_good)
    }

    pub(crate) const fn head(&self) -> Option<BlockNumber> {
        self.head
    }

    pub(crate) const fn finalized(&self) -> Option<BlockNumber> {
        self.finalized
    }

    pub(crate) fn is_usable(&self, now: Instant) -> bool {
        ![&self.limited, &self.wrong, &self.down].into_iter().any(|pause| pause.is_on(now))
    }

    /// The pause's end, if paused.
    pub(crate) fn usable_at(&self, now: Instant) -> Option<Instant> {
        let pauses = [&self.limited, &self.wrong, &self.down].into_iter();
        pauses.filter(|pause| pause.is_on(now)).filter_map(|pause| pause.until).max()
    }

    /// Reason for the pause; `None` if not paused.
    pub(crate) fn rest(&self, now: Instant) -> Option<CallFault> {
        if self.is_usable(now) {
            return None;
        }
        if self.limited.is_on(now) {
            let left = self.limited.until.map(|until| until.duration_since(now).as_millis());
            return Some(CallFault::Limited(left.and_then(|ms| u64::try_from(ms).ok())));
        }
        let why = self.last_error.as_deref().unwrap_or("it failed");
        Some(CallFault::Unreachable(format!("it is left alone for a while: {why}")))
    }

    pub(crate) fn state(&self, now: Instant, lag: Lag) -> EndpointState {
        if self.wrong.is_on(now) {
            EndpointState::Wrong
        } else if self.limited.is_on(now) {
            EndpointState::Limited
        } else if self.hangs || self.failures_in_row >= FAILURES_BEFORE_DOWN {
            EndpointState::Down
        } else if self.call_count == 0 || (self.latencies_ms.is_empty() && self.head.is_none()) {
            EndpointState::Untried
        } else if self.lags(now, lag) {
            EndpointState::Lagging
        } else {
            EndpointState::Healthy
        }
    }

    fn lags(&self, now: Instant, lag: Lag) -> bool {
        let is_behind = match (self.head, lag.best) {
            (Some(head), Some(best)) => head.0.saturating_add(lag.blocks_max) < best.0,
            _ => false,
        };
        is_behind || self.is_stale(now, lag.stale_after)
    }

    /// Whether the head has stalled for more than `stale_after`.
    pub(crate) fn is_stale(&self, now: Instant, stale_after: Duration) -> bool {
        self.head_since.is_some_and(|since| now.duration_since(since) > stale_after)
    }

    /// Records an overdue block: other nodes are asked first for a while.
    pub(crate) fn let_a_block_wait(&mut self, now: Instant) {
        self.slow_until = Some(now + SLOW_PAUSE);
    }

    pub(crate) const fn gave_a_block(&mut self, now: Instant) {
        (self.slow_until, self.block_at) = (None, Some(now));
    }

    /// Waiting time for a block before another node is asked too.
    pub(crate) fn patience(&self) -> Duration {
        let usual = self.latency_ms().map(|ms| ms.saturating_mul(PATIENCE_LATENCIES));
        let ms = usual.unwrap_or(PATIENCE_MS_MAX).clamp(PATIENCE_MS_MIN, PATIENCE_MS_MAX);
        Duration::from_millis(ms)
    }

    /// Time when a block request from `asked_at` becomes late; other delivered blocks extend the time, because the node
    /// is working through a queue.
    pub(crate) fn is_late_at(&self, asked_at: Instant) -> Instant {
        self.block_at.map_or(asked_at, |at| at.max(asked_at)) + self.patience()
    }

    /// Whether other nodes are asked for blocks first.
    pub(crate) fn lets_blocks_wait(&self, now: Instant) -> bool {
        self.slow_until.is_some_and(|until| now < until)
    }

    /// Selection weight, above 0: good answers, low latency, a current head.
    pub(crate) fn weight(&self, now: Instant, lag: Lag) -> f64 {
        let seconds = self.latency_ms().unwrap_or_default() as f64 / 1_000.0;
        let current = if self.lags(now, lag) { 0.05 } else { 1.0 };
        self.score.max(0.01) * current / (1.0 + 4.0 * seconds)
    }

    fn latency_ms(&self) -> Option<u64> {
        let mut sorted: Vec<u64> = self.latencies_ms.iter().copied().collect();
        sorted.sort_unstable();
        sorted.get(sorted.len() / 2).copied()
    }

    pub(crate) fn report(&self, name: &str, operator: &str, now: Instant, lag: Lag) -> NodeReport {
        NodeReport {
            name: name.to_owned(),
            operator: operator.to_owned(),
            state: self.state(now, lag),
            score: self.score.clamp(0.0, 1.0),
            head: self.head,
            latency_ms: self.latency_ms(),
            call_count: self.call_count,
            failure_count: self.failure_count,
            last_error: self.last_error.clone(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LAG: Lag =
        Lag { best: Some(BlockNumber(100)), blocks_max: 5, stale_after: Duration::from_secs(60) };

    fn after(start: Instant, ms: u64) -> Instant {
        start + Duration::from_millis(ms)
    }

    #[tokio::test(start_paused = true)]
    async fn a_limited_node_is_left_alone_until_its_time() {
        let now = Instant::now();
        let mut health = NodeHealth::new(&LiveConfig::default());
        health.limited(now, Some(7_000));
        assert_eq!(health.state(now, LAG), EndpointState::Limited);
        health.limited(now, Some(2_000));
        assert!(!health.is_usable(after(now, 6_999)), "a shorter pause does not end a longer one");
        assert!(health.is_usable(after(now, 7_000)));
        health.limited(now, Some(u64::MAX));
        assert!(health.is_usable(now + LIMITED_PAUSE[1]), "ten years are not kept");
    }

    #[tokio::test(start_paused = true)]
    async fn pauses_double_up_to_their_bound() {
        let (mut now, mut health) = (Instant::now(), NodeHealth::new(&LiveConfig::default()));
        for expected in [1_000, 2_000, 4_000, 8_000] {
            health.limited(now, None);
            health.limited(now, None);
            assert_eq!(health.usable_at(now), Some(after(now, expected)));
            now = after(now, expected);
            assert_eq!(health.usable_at(now), None);
        }
        let mut wrong = NodeHealth::new(&LiveConfig::default());
        for _ in 0..100 {
            wrong.wrong(now, "it lies");
            wrong.failed(now, "down");
        }
        assert!(wrong.is_usable(after(now, 600_000)));
    }

    #[tokio::test(start_paused = true)]
    async fn a_node_is_down_after_failures_in_a_row_and_back_with_one_answer() {
        let (now, mut health) = (Instant::now(), NodeHealth::new(&LiveConfig::default()));
        assert_eq!(health.state(now, LAG), EndpointState::Untried);
        health.sent(3);
        health.went_well(Duration::from_millis(20));
        for expected in [EndpointState::Healthy, EndpointState::Healthy, EndpointState::Down] {
            health.failed(now, "no answer");
            assert_eq!(health.state(now, LAG), expected);
        }
        assert!(!health.is_usable(now) && health.is_usable(now + DOWN_PAUSE[0]));
        health.went_well(Duration::from_millis(40));
        assert_eq!(health.state(now, LAG), EndpointState::Healthy);
        let report = health.report("a", "acme", now, LAG);
        assert_eq!((&*report.name, &*report.operator), ("a", "acme"));
        assert_eq!((report.call_count, report.failure_count), (3, 3));
        assert_eq!((report.latency_ms, report.last_error), (Some(40), None));
    }

    /// Ten calls in flight at one time that fail together are one outage, not ten.
    #[tokio::test(start_paused = true)]
    async fn failures_within_a_pause_do_not_lengthen_it_and_need_shortens_it() {
        let (mut now, mut health) = (Instant::now(), NodeHealth::new(&LiveConfig::default()));
        for expected in [500, 1_000, 2_000, 4_000, 8_000, 16_000, 30_000, 30_000] {
            for _ in 0..10 {
                health.failed(now, "no answer");
            }
            assert_eq!(health.usable_at(now), Some(after(now, expected)));
            now = after(now, expected);
        }
        health.failed(now, "no answer");
        for _ in 0..2 {
            health.is_needed();
            assert_eq!(health.usable_at(now), Some(now + NEEDED_PAUSE));
        }
        health.wrong(now, "it lies");
        health.is_needed();
        assert_eq!(health.usable_at(now), Some(after(now, 15_000)), "a liar waits");
    }

    #[tokio::test(start_paused = true)]
    async fn a_node_behind_the_others_or_standing_still_lags() {
        let (now, mut health) = (Instant::now(), NodeHealth::new(&LiveConfig::default()));
        health.sent(1);
        for (head, expected) in [(94, EndpointState::Lagging), (95, EndpointState::Healthy)] {
            health.saw_tip(now, BlockNumber(head), BlockNumber(90));
            health.went_well(Duration::ZERO);
            assert_eq!(health.state(now, LAG), expected, "{head}");
        }
        let later = after(now, 60_001);
        health.saw_tip(later, BlockNumber(95), BlockNumber(90));
        assert_eq!(health.state(later, LAG), EndpointState::Lagging);
        assert!(health.weight(later, LAG) < health.weight(now, LAG));
        health.saw_tip(later, BlockNumber(96), BlockNumber(90));
        assert_eq!(health.state(later, LAG), EndpointState::Healthy);
    }
}
