//! Publishing stage: the first SuperRoot at once, then on a steady beat, without unchanged ones.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use superroot_accumulate::{AccumulateError, AccumulateProgress, Accumulator};
use superroot_collect::DivergenceSearch;
use superroot_types::{ChainKey, UnixSeconds};
use tokio::sync::watch;
use tokio::time::Instant;

use crate::gate::{PublishGuard, PublishObstacle};
use crate::stage::{BlockingStage, StageFailure, StageName};

/// Longest wait for chains to catch up before the first SuperRoot.
const FIRST_ROOT_WAIT: Duration = Duration::from_secs(60);
pub(crate) const FIRST_ROOT_POLL: Duration = Duration::from_millis(50);
/// Ordinary clock adjustment, in seconds; not reported.
const CLOCK_BEHIND_MAX: u64 = 60;

/// Number of chains with blocks still missing that were final at the start.
#[derive(Debug, Default)]
pub(crate) struct CatchingUp(Arc<()>);

/// One chain that catches up; counted until dropped.
#[derive(Debug)]
pub(crate) struct BehindOne {
    _counted: Arc<()>,
}

impl CatchingUp {
    pub(crate) fn one(&self) -> BehindOne {
        BehindOne { _counted: self.0.clone() }
    }

    fn is_none(&self) -> bool {
        Arc::strong_count(&self.0) == 1
    }
}

/// Chains with a search back through final blocks because nodes agree on others. Anchoring is paused for these chains.
#[derive(Clone, Debug, Default)]
pub(crate) struct Searches(
    Arc<Mutex<BTreeMap<ChainKey, watch::Receiver<Option<DivergenceSearch>>>>>,
);

impl Searches {
    pub(crate) fn follow(
        &self,
        chain: ChainKey,
        search: watch::Receiver<Option<DivergenceSearch>>,
    ) {
        self.lock().insert(chain, search);
    }

    pub(crate) fn of(&self, chain: ChainKey) -> Option<DivergenceSearch> {
        self.lock().get(&chain).and_then(|search| *search.borrow())
    }

    fn running(&self) -> BTreeSet<ChainKey> {
        let searches = self.lock();
        let running = searches.iter().filter(|(_, search)| search.borrow().is_some());
        running.map(|(chain, _)| *chain).collect()
    }

    fn lock(
        &self,
    ) -> MutexGuard<'_, BTreeMap<ChainKey, watch::Receiver<Option<DivergenceSearch>>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[derive(Clone, Copy, Debug)]
struct Rhythm {
    beat: Duration,
    begun: Instant,
    stepped: Option<Instant>,
}

impl Rhythm {
    /// Time until the next step, one beat after the last. The first step of a run waits for chains to catch up: at most
    /// one beat if a SuperRoot exists, and at most [`FIRST_ROOT_WAIT`] otherwise.
    fn pause(&self, now: Instant, caught_up: bool, stands: bool) -> Duration {
        let due = match (self.stepped, caught_up, stands) {
            (Some(stepped), ..) => stepped + self.beat,
            (None, true, _) => return Duration::ZERO,
            (None, false, true) => self.begun + self.beat.min(FIRST_ROOT_WAIT),
            (None, false, false) => self.begun + FIRST_ROOT_WAIT,
        };
        due.saturating_duration_since(now)
    }

    /// Notes a step. Before the first SuperRoot every look counts, because the first final block brings one.
    fn stepped(&mut self, now: Instant, stands: bool) {
        self.stepped = stands.then_some(now);
    }
}

/// Warnings about a clock behind the newest SuperRoot's date; later SuperRoots keep the date.
#[derive(Debug, Default)]
struct Dates {
    is_told: bool,
}

impl Dates {
    /// Seconds by which the clock is behind, if due for a warning: once, until the clock has caught up.
    fn behind(&mut self, newest: UnixSeconds, now: UnixSeconds) -> Option<u64> {
        let seconds = newest.0.saturating_sub(now.0);
        if seconds == 0 {
            self.is_told = false;
        }
        let is_new = seconds > CLOCK_BEHIND_MAX && !self.is_told;
        self.is_told |= is_new;
        is_new.then_some(seconds)
    }
}

pub(crate) struct Publisher {
    accumulator: Accumulator,
    gate: PublishGuard,
    rhythm: Rhythm,
    dates: Dates,
    behind: CatchingUp,
    searches: Searches,
    /// Whether all blocks come from recordings: if none counts, there are no further blocks.
    is_recorded: bool,
    /// Set when everything final at the start is anchored.
    ready: Arc<AtomicBool>,
}

impl Publisher {
    pub(crate) fn new(
        (accumulator, gate): (Accumulator, PublishGuard),
        beat: Duration,
        (behind, searches): (CatchingUp, Searches),
        is_recorded: bool,
        ready: Arc<AtomicBool>,
    ) -> Self {
        let rhythm = Rhythm { beat, begun: Instant::now(), stepped: None };
        let dates = Dates::default();
        Self { accumulator, gate, rhythm, dates, behind, searches, is_recorded, ready }
    }

    fn stands(&self) -> bool {
        self.accumulator.board().latest().is_some()
    }

    /// Publishes if due; `None` while permission is unknown.
    fn publish(&mut self, now: UnixSeconds) -> Result<Option<Done>, StageFailure> {
        let store = |error: AccumulateError| StageFailure::Lasting(error.into());
        let goal = self.accumulator.goal().map_err(store)?;
        let is_repeat = goal.is_some();
        if !is_repeat {
            match self.gate.look(&self.accumulator)? {
                PublishObstacle::Free => self.accumulator.show(), // where a mark kept it from that
                PublishObstacle::Asking => return Ok(None),
                PublishObstacle::Barred => return Ok(Some(Done::Nothing)),
            }
        }
        let newest = self.accumulator.board().latest().map(|newest| newest.super_root.timestamp);
        if let Some(seconds) = newest.and_then(|newest| self.dates.behind(newest, now)) {
            tracing::warn!(
                clock.behind_seconds = seconds,
                "the clock is {seconds} seconds before the date of the newest SuperRoot, and the next ones keep that \
                 date until it has caught up: see \"When the clock jumps\" in docs/operations.md"
            );
        }
        let progress = self.accumulator.commit_without(&self.searches.running(), now);
        match progress {
            Ok(AccumulateProgress::Idle) => Ok(Some(Done::Nothing)),
            Ok(AccumulateProgress::Waiting { sequence, goal, why }) => {
                self.gate.repeating(sequence.0, goal.0, &why);
                Ok(Some(Done::Nothing))
            }
            Ok(AccumulateProgress::Advanced { sequence, hash, sealed_twigs }) => {
                // what is repeated was marked when it was published
                if is_repeat {
                    let goal = goal.unwrap_or(sequence);
                    self.gate.repeating(
                        sequence.0,
                        goal.0,
                        "its hash is the one that was published",
                    );
                } else {
                    self.gate.wrote();
                }
                if is_repeat || self.gate.mark_new(&self.accumulator) {
                    self.accumulator.show();
                    tracing::info!(
                        superroot.sequence = sequence.0,
                        "SuperRoot {sequence} is {hash}, {sealed_twigs} twigs sealed"
                    );
                }
                Ok(Some(if is_repeat { Done::Repeated } else { Done::Published }))
            }
            Err(error) => self.gate.failed(error).map(|()| Some(Done::Nothing)),
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Done {
    Published,
    /// The next step may follow at once.
    Repeated,
    Nothing,
}

impl BlockingStage for Publisher {
    fn name(&self) -> StageName {
        StageName::Publish
    }

    fn step(&mut self, now: UnixSeconds) -> Result<Duration, StageFailure> {
        let caught_up = self.behind.is_none();
        if self.rhythm.pause(Instant::now(), caught_up, self.stands()).is_zero() {
            let Some(done) = self.publish(now)? else { return Ok(FIRST_ROOT_POLL) };
            if done == Done::Repeated {
                return Ok(Duration::ZERO);
            }
            let stands = self.stands();
            let is_barred = self.gate.is_barred();
            self.rhythm.stepped(Instant::now(), stands || is_barred);
            if caught_up && (stands || self.is_recorded || is_barred) {
                self.ready.store(true, Ordering::SeqCst);
            }
        }
        Ok(match self.rhythm.stepped {
            Some(_) => self.rhythm.pause(Instant::now(), caught_up, self.stands()),
            None => FIRST_ROOT_POLL,
        })
    }
}

#[cfg(test)]
mod tests {
    use superroot_types::{BlockNumber, ChainId, Family};

    use super::*;

    /// However far chains lag: never two SuperRoots within a beat, neither while blocks come nor as the
    /// chains catch up.
    #[tokio::test(start_paused = true)]
    async fn a_beat_lies_between_two_steps_whatever_lags() {
        let beat = Duration::from_secs(12);
        let begun = Instant::now();
        let mut rhythm = Rhythm { beat, begun, stepped: None };
        assert_eq!(rhythm.pause(begun, false, true), beat, "one stands, chains catch up");
        assert_eq!(rhythm.pause(begun, true, true), Duration::ZERO, "all is there at once");
        assert_eq!(rhythm.pause(begun, false, false), FIRST_ROOT_WAIT);
        let at = begun + beat;
        assert!(rhythm.pause(at, false, true).is_zero());
        rhythm.stepped(at, true);
        for caught_up in [false, true] {
            assert_eq!(rhythm.pause(at, caught_up, true), beat);
            let later = at + Duration::from_secs(5);
            assert_eq!(rhythm.pause(later, caught_up, true), Duration::from_secs(7));
            assert!(rhythm.pause(at + beat, caught_up, true).is_zero());
        }
        rhythm.stepped(at, false);
        assert!(rhythm.pause(at, true, false).is_zero(), "the first block makes the first one");
    }

    #[test]
    fn a_clock_that_went_back_is_told_once_until_it_has_caught_up() {
        let mut dates = Dates::default();
        let told = [(100, 100), (100, 40), (100, 39), (100, 20), (100, 101), (500, 101), (500, 90)];
        let told = told.map(|(newest, now)| dates.behind(UnixSeconds(newest), UnixSeconds(now)));
        assert_eq!(told, [None, None, Some(61), None, None, Some(399), None]);
    }

    #[test]
    fn a_search_counts_while_it_goes_on() {
        let chain = |id| ChainKey { family: Family::Evm, id: ChainId(id) };
        let searches = Searches::default();
        let [(one, told), (_other, silent)] = [watch::channel(None), watch::channel(None)];
        searches.follow(chain(1), told);
        searches.follow(chain(2), silent);
        assert_eq!(searches.running(), BTreeSet::new());
        let (newest, lowest) = (BlockNumber(9), BlockNumber(7));
        one.send_replace(Some(DivergenceSearch { newest, lowest }));
        assert_eq!(searches.running(), BTreeSet::from([chain(1)]));
        one.send_replace(None);
        assert_eq!(searches.running(), BTreeSet::new());
    }

    #[test]
    fn a_chain_counts_until_its_token_goes() {
        let behind = CatchingUp::default();
        assert!(behind.is_none());
        let (one, other) = (behind.one(), behind.one());
        drop(one);
        assert!(!behind.is_none());
        drop(other);
        assert!(behind.is_none());
    }
}
