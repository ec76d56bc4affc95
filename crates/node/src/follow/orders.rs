//! What an operator orders while the chain is followed: its work takes turns with the steps, so that
//! the chain has one writer and its head is not left behind.

use superroot_api::{Backfill, ChainStage};
use superroot_collect::Collector;
use superroot_types::{BlockNumber, Clock, SystemClock, UnixSeconds};
use tokio::time::{Instant, sleep_until};

use super::{Follow, Next};
use crate::admin::job::{self, Job, Turn};
use crate::admin::{Act, Event, Order};

/// Blocks that a turn takes at most, so that the next step does not wait long.
const TURN_BLOCKS_MAX: usize = 64;

/// An order that is worked on.
pub(super) struct Working {
    job: Job,
    order: Order,
    /// After a failure, its next turn comes then.
    not_before: Instant,
    began_at: UnixSeconds,
}

/// How the wait for the next step ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Waited {
    /// It is time for the next step.
    Step,
    /// The service stops.
    Stopped,
}

impl Follow {
    /// Waits for the next step, and works on orders meanwhile: one turn between two steps even where
    /// there is no pause.
    pub(super) async fn wait(&mut self, next: Next) -> Waited {
        let (pause, listens) = match next {
            Next::After(pause) => (Some(pause), true),
            Next::Retry(pause) => (Some(pause), false),
            Next::Halt => (None, false),
        };
        let deadline = pause.map(|pause| Instant::now() + pause);
        let is_time = || deadline.is_some_and(|deadline| Instant::now() >= deadline);
        if let Ok(order) = self.orders.try_recv()
            && self.take(order).await
        {
            return Waited::Step;
        }
        let mut has_turned = false;
        loop {
            if !(has_turned && is_time()) && self.is_due() {
                if !self.turn().await {
                    return Waited::Stopped;
                }
                has_turned = true;
                continue;
            }
            if has_turned && is_time() {
                return Waited::Step;
            }
            let again = self.working.as_ref().map(|working| working.not_before);
            let order = tokio::select! {
                () = until(deadline) => return Waited::Step,
                () = until(again) => None,
                () = self.source.next_head(), if listens => return Waited::Step,
                Some(order) = self.orders.recv(), if self.working.is_none() => Some(order),
                () = self.shutdown.cancelled() => return Waited::Stopped,
            };
            if let Some(order) = order
                && self.take(order).await
            {
                return Waited::Step;
            }
        }
    }

    fn is_due(&self) -> bool {
        self.working.as_ref().is_some_and(|working| working.not_before <= Instant::now())
    }

    /// Takes an order; true where the chain goes on at once because of it.
    async fn take(&mut self, order: Order) -> bool {
        if order.act == Act::Resume {
            let (store, row) = (self.store.clone(), self.row.clone());
            let done = tokio::task::spawn_blocking(move || job::resume(&*store, &row)).await;
            let done = match done {
                Ok(done) => done.map_err(|error| format!("cannot clear the halt: {error}")),
                Err(error) => Err(error.to_string()),
            };
            let is_resumed = done.is_ok();
            let _ = order.done.send(done);
            if is_resumed {
                self.status.update(self.row.key(), |view| {
                    if view.state == ChainStage::Halted {
                        (view.state, view.last_error) = (ChainStage::Starting, None);
                        view.began_at = Some(SystemClock.now());
                    }
                });
            }
            return is_resumed;
        }
        let mut collect = self.collect.clone();
        collect.blocks_per_step_max = collect.blocks_per_step_max.min(TURN_BLOCKS_MAX);
        let (store, source) = (self.store.clone(), self.source.clone());
        let collector =
            Collector::new(store, source, self.row.clone(), collect).within(&self.budget);
        let job = Job::new(collector, &self.row, order.act, self.settings.retry_max);
        let (not_before, began_at) = (Instant::now(), SystemClock.now());
        self.working = job.map(|job| Working { job, order, not_before, began_at });
        false
    }

    /// One turn of the work; false when the service stops. A turn is never cut off by who asked for
    /// it: what it commits would else meet the next step.
    async fn turn(&mut self) -> bool {
        let Some(mut working) = self.working.take() else { return true };
        let store = self.store.clone();
        let turn = {
            let turn = working.job.turn(&*store, SystemClock.now());
            self.reporting(turn).await
        };
        let Some(turn) = turn else { return false };
        let tell = |working: &Working, events: Vec<Event>| {
            for event in events {
                // who reads too slowly misses some of them, and still learns the end
                let _ = working.order.events.try_send(event);
            }
        };
        match turn {
            Turn::Goes(events) => {
                self.show_backfill(&working, &events);
                tell(&working, events);
            }
            Turn::Waits(event, pause) => {
                tell(&working, vec![event]);
                working.not_before = Instant::now() + pause;
            }
            Turn::Done(events) => return self.end(working, Ok(events)),
            Turn::Failed(why) => return self.end(working, Err(why)),
        }
        if working.order.events.is_closed() {
            return self.end(working, Ok(Vec::new()));
        }
        self.working = Some(working);
        true
    }

    fn show_backfill(&self, working: &Working, events: &[Event]) {
        let Act::Backfill { to } = working.order.act else { return };
        let Some(Event::Progress { done, total, .. }) = events.last() else { return };
        let (done_blocks, total_blocks) = (*done, *total);
        let to = BlockNumber(to.0 - to.twig_slot());
        let backfill = Backfill { to, done_blocks, total_blocks, began_at: working.began_at };
        self.status.update(self.row.key(), |view| {
            view.backfill = Some(backfill);
            view.advanced_at = Some(SystemClock.now()).max(view.advanced_at);
            if view.state == ChainStage::Following {
                view.state = ChainStage::Backfilling;
            }
        });
    }

    fn end(&self, working: Working, result: Result<Vec<Event>, String>) -> bool {
        self.status.update(self.row.key(), |view| {
            view.backfill = None;
            if view.state == ChainStage::Backfilling {
                view.state = ChainStage::Following;
            }
        });
        // nobody may wait for it any more
        let _ = working.order.done.send(result);
        true
    }
}

/// Ready at that time, or never.
async fn until(time: Option<Instant>) {
    match time {
        Some(time) => sleep_until(time).await,
        None => std::future::pending().await,
    }
}
