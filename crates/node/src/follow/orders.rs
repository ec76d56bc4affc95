//! Operator commands on a followed chain. Turns alternate with steps, so that the chain has one writer and the head
//! stays current.

use std::time::Duration;

use superroot_api::{Backfill, ChainStage, Repair};
use superroot_collect::{Collector, WatchFilter};
use superroot_types::{BlockNumber, Clock, SystemClock, UnixSeconds};
use tokio::time::Instant;

use super::{Follow, PlannedChain};
use crate::admin::job::{self, Job, JobTurn};
use crate::admin::{ChainCommand, LoopCommand, ProgressEvent};

/// Most blocks per turn, so that the next step is not delayed.
pub(super) const TURN_BLOCKS_MAX: usize = 64;

pub(super) struct Working {
    job: Job,
    order: LoopCommand,
    /// Earliest next turn after a failure.
    not_before: Instant,
    began_at: UnixSeconds,
}

impl Working {
    pub(super) const fn due(&self) -> Instant {
        self.not_before
    }

    pub(super) fn set_watch(&mut self, watch: WatchFilter) {
        self.job.set_watch(watch);
    }
}

impl Follow {
    /// Accepts a command. A resumed chain goes on at once.
    pub(super) async fn take(&mut self, order: LoopCommand) {
        if order.act == ChainCommand::Resume {
            let done = self.resume().await;
            if done.is_ok() {
                self.due_after(Duration::ZERO, false);
            }
            let _ = order.done.send(done);
            return;
        }
        let PlannedChain { row, source, collect, budget, .. } = &self.chain;
        let retry_max = Duration::from_millis(collect.retry_max_ms);
        let mut collect = collect.clone();
        collect.blocks_per_step_max = collect.blocks_per_step_max.min(TURN_BLOCKS_MAX);
        let collector = Collector::new(self.store.clone(), source.clone(), row.clone(), collect);
        let job = Job::new(collector.within(budget), row, order.act, retry_max);
        let not_before = Instant::now();
        let began_at = SystemClock.now();
        self.working = job.map(|job| Working { job, order, not_before, began_at });
        if let Some(working) = &self.working {
            self.show_repair(working, (0, working.job.repair_count(&*self.store)));
        }
    }

    /// Resumes the chain, whether the halt is in the store or only in this stage. Returns the events to report.
    async fn resume(&mut self) -> Result<Vec<ProgressEvent>, String> {
        let store = self.store.clone();
        let row = self.chain.row.clone();
        let cleared = tokio::task::spawn_blocking(move || job::resume(&*store, &row)).await;
        let cleared = cleared.map_err(|error| error.to_string())?;
        let mut events = cleared.map_err(|error| format!("cannot clear the halt: {error}"))?;
        let Some(why) = self.stands_at.take() else { return Ok(events) };
        if let Some(last) = events.last_mut()
            && matches!(last, ProgressEvent::NotHalted { .. })
        {
            *last = ProgressEvent::Restarted { chain: self.chain.row.name.clone(), why };
        }
        // nothing that a failed step left in hand is gone on with
        self.collector = self.chain.collector(self.store.clone());
        self.watching.begin_anew();
        self.searches.follow(self.chain.row.key(), self.collector.search());
        self.status.update(self.chain.row.key(), |view| {
            (view.state, view.last_error) = (ChainStage::Starting, None);
            view.began_at = Some(SystemClock.now());
        });
        Ok(events)
    }

    /// Runs one turn, never cancelled by the caller's end: a late commit would collide with the next step.
    pub(super) async fn turn(&mut self, now: UnixSeconds) {
        let Some(mut working) = self.working.take() else { return };
        let turn = working.job.turn(&*self.store, now).await;
        self.nodes().report();
        let tell = |working: &Working, events: Vec<ProgressEvent>| {
            for event in events {
                // who reads too slowly misses some of them, and still learns the end
                let _ = working.order.events.try_send(event);
            }
        };
        match turn {
            JobTurn::Goes(events) => {
                self.show_backfill(&working, &events);
                if let Some(ProgressEvent::Progress { done, total, .. }) = events.last() {
                    self.show_repair(&working, (*done, *total));
                }
                tell(&working, events);
            }
            JobTurn::Waits(event, pause) => {
                tell(&working, vec![event]);
                working.not_before = Instant::now() + pause;
            }
            JobTurn::Done(events) => return self.end(working, Ok(events)),
            JobTurn::Failed(why) => return self.end(working, Err(why)),
        }
        if working.order.events.is_closed() {
            return self.end(working, Ok(Vec::new()));
        }
        self.working = Some(working);
    }

    fn show_backfill(&self, working: &Working, events: &[ProgressEvent]) {
        let ChainCommand::Backfill { to } = working.order.act else { return };
        let Some(ProgressEvent::Progress { done, total, .. }) = events.last() else { return };
        let done_blocks = *done;
        let total_blocks = *total;
        let to = BlockNumber(to.0 - u64::from(to.twig_slot()));
        let backfill = Backfill { to, done_blocks, total_blocks, began_at: working.began_at };
        self.status.update(self.chain.row.key(), |view| {
            view.backfill = Some(backfill);
            view.advanced_at = Some(SystemClock.now()).max(view.advanced_at);
            if view.state == ChainStage::Following {
                view.state = ChainStage::Backfilling;
            }
        });
    }

    fn show_repair(&self, working: &Working, (done_blocks, total_blocks): (u64, u64)) {
        let ChainCommand::Repair { .. } = working.order.act else { return };
        let repaired_blocks = working.job.repaired();
        let began_at = working.began_at;
        let repair = Some(Repair { done_blocks, total_blocks, repaired_blocks, began_at });
        self.status.update(self.chain.row.key(), |view| view.repair = repair);
    }

    fn end(&self, working: Working, result: Result<Vec<ProgressEvent>, String>) {
        self.status.update(self.chain.row.key(), |view| {
            (view.backfill, view.repair) = (None, None);
            if view.state == ChainStage::Backfilling {
                view.state = ChainStage::Following;
            }
        });
        // nobody may wait for it any more
        let _ = working.order.done.send(result);
    }
}
