//! How one node fares: what it answered lately, how fast, and for how long it is left alone.

use std::collections::VecDeque;
use std::time::Duration;

use superroot_types::BlockNumber;
use tokio::time::Instant;

use super::pause::Pause;
use crate::error::Fault;
use crate::live::config::LiveConfig;
use crate::{EndpointReport, EndpointState};

/// Weight of the newest answer in the score.
const SCORE_STEP: f64 = 0.1;
/// Score of a node that was not asked yet: below a good one, above a bad one.
const SCORE_START: f64 = 0.5;
/// Answers whose time is remembered.
const LATENCIES_MAX: usize = 32;
/// Failures in a row after which a node counts as down.
const FAILURES_BEFORE_DOWN: u32 = 3;
/// First and longest pause of a node that asks for fewer calls; the longest also where it asks for more.
const LIMITED_PAUSE: [Duration; 2] = [Duration::from_secs(1), Duration::from_secs(600)];
/// First and longest pause of a node that does not answer.
const DOWN_PAUSE: [Duration; 2] = [Duration::from_millis(500), Duration::from_secs(30)];
/// The longest while fewer nodes can be asked than must agree.
const NEEDED_PAUSE: Duration = Duration::from_millis(2_500);
/// How long a node that let a block wait is asked last for blocks.
const SLOW_PAUSE: Duration = Duration::from_secs(60);
/// Times its usual latency that a node has for a block before another one is asked as well, ...
const PATIENCE_LATENCIES: u64 = 8;
/// ... no less than this, ...
const PATIENCE_MS_MIN: u64 = 1_000;
/// ... and no more.
const PATIENCE_MS_MAX: u64 = 2_500;

/// What is known of one node.
#[derive(Debug)]
pub(crate) struct Health {
    score: f64,
    latencies_ms: VecDeque<u64>,
    head: Option<BlockNumber>,
    head_since: Option<Instant>,
    finalized: Option<BlockNumber>,
    limited: Pause,
    wrong: Pause,
    down: Pause,
    /// Until then it is asked last for blocks: it let one wait, whatever else it answers.
    slow_until: Option<Instant>,
    /// When it gave a block last.
    block_at: Option<Instant>,
    failures_in_row: u32,
    /// It was waited for in vain, and has answered nothing since.
    hangs: bool,
    call_count: u64,
    failure_count: u64,
    last_error: Option<String>,
}

/// What makes a head one that lags.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Lag {
    /// Best head of the chain.
    pub(crate) best: Option<BlockNumber>,
    /// Blocks that a node may be behind it.
    pub(crate) blocks_max: u64,
    /// How long a head may stand still.
    pub(crate) stale_after: Duration,
}

impl Health {
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

    /// An answer that is none, or none of use.
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

    /// The chain has too few nodes without it: where it does not answer, it is asked again soon.
    pub(crate) fn is_needed(&mut self) {
        self.down.shorten(NEEDED_PAUSE);
    }

    /// It was waited for in vain. Calls in flight may still be answered, so it is not left alone yet.
    pub(crate) fn hangs(&mut self, waited_ms: u64) {
        self.score -= SCORE_STEP * self.score;
        self.hangs = true;
        self.last_error = Some(format!("no answer within {waited_ms} ms"));
    }

    /// The node wants fewer calls, for so long if it says so.
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

    /// What it sent is wrong: another chain, a block that does not recompute, another hash.
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

    /// Head and final block that it told last, where it fares well.
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

    /// Whether it may be asked now.
    pub(crate) fn is_usable(&self, now: Instant) -> bool {
        ![&self.limited, &self.wrong, &self.down].into_iter().any(|pause| pause.is_on(now))
    }

    /// When it may be asked again, if it may not now.
    pub(crate) fn usable_at(&self, now: Instant) -> Option<Instant> {
        let pauses = [&self.limited, &self.wrong, &self.down].into_iter();
        pauses.filter(|pause| pause.is_on(now)).filter_map(|pause| pause.until).max()
    }

    /// Why nothing is sent to it now; `None` when something may be.
    pub(crate) fn rest(&self, now: Instant) -> Option<Fault> {
        if self.is_usable(now) {
            return None;
        }
        if self.limited.is_on(now) {
            let left = self.limited.until.map(|until| until.duration_since(now).as_millis());
            return Some(Fault::Limited(left.and_then(|ms| u64::try_from(ms).ok())));
        }
        let why = self.last_error.as_deref().unwrap_or("it failed");
        Some(Fault::Unreachable(format!("it is left alone for a while: {why}")))
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

    /// Whether its head has stood still for longer than that.
    pub(crate) fn is_stale(&self, now: Instant, stale_after: Duration) -> bool {
        self.head_since.is_some_and(|since| now.duration_since(since) > stale_after)
    }

    /// A block was waited for in vain: for a while others are asked first.
    pub(crate) fn let_a_block_wait(&mut self, now: Instant) {
        self.slow_until = Some(now + SLOW_PAUSE);
    }

    /// It answers for blocks.
    pub(crate) const fn gave_a_block(&mut self, now: Instant) {
        (self.slow_until, self.block_at) = (None, Some(now));
    }

    /// How long a block that it was asked for is waited for before another node is asked as well.
    pub(crate) fn patience(&self) -> Duration {
        let usual = self.latency_ms().map(|ms| ms.saturating_mul(PATIENCE_LATENCIES));
        let ms = usual.unwrap_or(PATIENCE_MS_MAX).clamp(PATIENCE_MS_MIN, PATIENCE_MS_MAX);
        Duration::from_millis(ms)
    }

    /// When its patience ends with whoever asked it for a block at that time: those that it gives
    /// meanwhile show that it works through them.
    pub(crate) fn is_late_at(&self, asked_at: Instant) -> Instant {
        self.block_at.map_or(asked_at, |at| at.max(asked_at)) + self.patience()
    }

    /// Whether others are asked for blocks first.
    pub(crate) fn lets_blocks_wait(&self, now: Instant) -> bool {
        self.slow_until.is_some_and(|until| now < until)
    }

    /// How much it is worth asking, above 0: good answers, fast ones, a current head.
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

    pub(crate) fn report(
        &self,
        name: &str,
        operator: &str,
        now: Instant,
        lag: Lag,
    ) -> EndpointReport {
        EndpointReport {
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
        let mut health = Health::new(&LiveConfig::default());
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
        let (mut now, mut health) = (Instant::now(), Health::new(&LiveConfig::default()));
        for expected in [1_000, 2_000, 4_000, 8_000] {
            health.limited(now, None);
            health.limited(now, None);
            assert_eq!(health.usable_at(now), Some(after(now, expected)));
            now = after(now, expected);
            assert_eq!(health.usable_at(now), None);
        }
        let mut wrong = Health::new(&LiveConfig::default());
        for _ in 0..100 {
            wrong.wrong(now, "it lies");
            wrong.failed(now, "down");
        }
        assert!(wrong.is_usable(after(now, 600_000)));
    }

    #[tokio::test(start_paused = true)]
    async fn a_node_is_down_after_failures_in_a_row_and_back_with_one_answer() {
        let (now, mut health) = (Instant::now(), Health::new(&LiveConfig::default()));
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
        let (mut now, mut health) = (Instant::now(), Health::new(&LiveConfig::default()));
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
        let (now, mut health) = (Instant::now(), Health::new(&LiveConfig::default()));
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
