//! Key owners' watch lists, combined with the operator's. Stored blocks are filled in turns between steps.

use std::collections::VecDeque;
use std::sync::Arc;
use std::time::Duration;

use superroot_chain::ChainSpec;
use superroot_collect::{Collector, WatchFilter};
use superroot_store::Store;
use superroot_types::{BlockNumber, UnixSeconds};
use superroot_watch::{WantedByChain, WantedWatch, lacking};
use tokio::sync::watch;
use tokio::time::Instant;

use super::orders::TURN_BLOCKS_MAX;
use super::{Follow, PlannedChain, view_of};
use crate::stage::backoff;

/// Delay before a shorter list counts, because a removed watch may return.
const SHORTER_AFTER: Duration = Duration::from_secs(600);
/// Interval between searches for incomplete blocks, because nodes may get them later.
const LOOK_AGAIN: Duration = Duration::from_secs(600);

/// Key owners' watches, and least time between two changes.
#[derive(Clone)]
pub(crate) struct KeyWatches {
    pub(crate) wanted: watch::Receiver<WantedByChain>,
    pub(crate) apply: Duration,
}

pub(super) struct Watching {
    keys: KeyWatches,
    /// Operator's watch list.
    own: WatchFilter,
    /// Keys' watches on this chain.
    wanted: Arc<WantedWatch>,
    /// Whether the keys' watches need another look.
    is_stale: bool,
    /// Next list, if different.
    next: Option<WatchFilter>,
    changed_at: Option<Instant>,
    /// Whether the list counts: a good step since the change.
    is_noted: bool,
    /// Next search for incomplete blocks.
    looks_at: Instant,
    filling: Option<WatchBackfill>,
}

/// Fill of incomplete blocks.
struct WatchBackfill {
    collector: Collector,
    ranges: VecDeque<(BlockNumber, BlockNumber)>,
    failures: u32,
    not_before: Instant,
}

impl Watching {
    /// For a collector with the operator's list.
    pub(super) fn new(keys: KeyWatches, own: WatchFilter) -> Self {
        Self {
            keys,
            own,
            wanted: Arc::default(),
            is_stale: true,
            next: None,
            changed_at: None,
            is_noted: false,
            looks_at: Instant::now(),
            filling: None,
        }
    }

    /// Resets after a collector restart with the last counting list.
    pub(super) fn begin_anew(&mut self) {
        (self.is_stale, self.is_noted, self.filling) = (true, false, None);
    }

    pub(super) async fn changed(&mut self) {
        if self.keys.wanted.changed().await.is_err() {
            std::future::pending::<()>().await; // the service ends
        }
        self.is_stale = true;
    }

    /// Reads changed watches of keys.
    fn look(&mut self, row: &ChainSpec, held: &WatchFilter) {
        self.is_stale |= self.keys.wanted.has_changed().unwrap_or(false);
        if !std::mem::replace(&mut self.is_stale, false) {
            return;
        }
        let wanted = self.keys.wanted.borrow_and_update().get(&row.key()).cloned();
        let wanted = wanted.unwrap_or_default();
        if wanted != self.wanted {
            (self.filling, self.looks_at) = (None, Instant::now());
        }
        let list = superroot_collect::list_of(row, self.own.clone().and(wanted.list.clone()));
        self.wanted = wanted;
        self.next = (list != *held).then_some(list);
    }

    fn next_due(&self, held: &WatchFilter) -> Option<Instant> {
        let next = self.next.as_ref()?;
        let Some(changed_at) = self.changed_at else { return Some(Instant::now()) };
        let is_shorter = next.without(held).is_nothing();
        Some(changed_at + if is_shorter { SHORTER_AFTER } else { self.keys.apply })
    }
}

impl Follow {
    /// Gives the due list to the collector.
    pub(super) fn take_list(&mut self) {
        self.watching.look(&self.chain.row, self.collector.watch());
        let due = self.watching.next_due(self.collector.watch());
        if due.is_none_or(|due| due > Instant::now()) {
            return;
        }
        let Some(list) = self.watching.next.take() else { return };
        (self.watching.changed_at, self.watching.is_noted) = (Some(Instant::now()), false);
        self.watching.filling = None;
        self.collector.set_watch(list);
        if self.listens {
            self.due_after(Duration::ZERO, false);
        }
    }

    /// Makes the list count after a good step, for other collectors too.
    pub(super) fn note_list(&mut self) {
        if std::mem::replace(&mut self.watching.is_noted, true) {
            return;
        }
        let list = self.collector.watch().clone();
        let shown = view_of(&list);
        self.status.update(self.chain.row.key(), |view| view.watch = Some(shown));
        if let Some(working) = &mut self.working {
            working.set_watch(list.clone());
        }
        self.chain.collect.watch = list;
        self.watching.looks_at = Instant::now();
    }

    pub(super) fn watching_due(&self) -> Option<Instant> {
        let list = self.watching.next_due(self.collector.watch());
        list.into_iter().chain(self.filling_due()).min()
    }

    /// Next fill, with a counting list and no command in progress.
    pub(super) fn filling_due(&self) -> Option<Instant> {
        let has_none = !self.watching.is_noted || self.watching.wanted.from.is_empty();
        if has_none || self.working.is_some() || self.due.is_none() {
            return None;
        }
        let filling = self.watching.filling.as_ref();
        Some(filling.map_or(self.watching.looks_at, |filling| filling.not_before))
    }

    pub(super) async fn fill(&mut self, now: UnixSeconds) -> anyhow::Result<()> {
        let filling = match self.watching.filling.take() {
            Some(filling) => filling,
            None => {
                let ranges = self.lacking().await?;
                let failures = 0;
                let not_before = Instant::now();
                WatchBackfill { collector: self.filler(), ranges, failures, not_before }
            }
        };
        self.watching.filling = self.fill_next(filling, now).await;
        if self.watching.filling.is_none() {
            self.watching.looks_at = Instant::now() + LOOK_AGAIN;
        }
        Ok(())
    }

    async fn lacking(&self) -> anyhow::Result<VecDeque<(BlockNumber, BlockNumber)>> {
        let store = self.store.clone();
        let chain = self.chain.row.key();
        let wanted = self.watching.wanted.clone();
        let ranges = tokio::task::spawn_blocking(move || lacking(&*store, chain, &wanted)).await?;
        Ok(ranges?.into())
    }

    fn filler(&self) -> Collector {
        let PlannedChain { row, source, collect, budget, .. } = &self.chain;
        let mut collect = collect.clone();
        collect.blocks_per_step_max = collect.blocks_per_step_max.min(TURN_BLOCKS_MAX);
        let store: Arc<dyn Store> = self.store.clone();
        Collector::new(store, source.clone(), row.clone(), collect).within(budget)
    }

    /// Fills one step; `None` if complete as far as possible.
    async fn fill_next(
        &self,
        mut filling: WatchBackfill,
        now: UnixSeconds,
    ) -> Option<WatchBackfill> {
        let (from, to) = filling.ranges.pop_front()?;
        match filling.collector.repair_step(from, to, now).await {
            Ok(step) => {
                if let Some(next) = step.next {
                    filling.ranges.push_front((next, to));
                }
                filling.failures = 0;
                // blocks that nobody has stay as they are; that shows in the coverage
                (!filling.ranges.is_empty()).then_some(filling)
            }
            Err(error) => {
                filling.ranges.push_front((from, to));
                filling.failures = filling.failures.saturating_add(1);
                let longest = Duration::from_millis(self.chain.collect.retry_max_ms);
                filling.not_before = Instant::now() + backoff(filling.failures, longest);
                let name = &self.chain.row.name;
                tracing::debug!(chain.id = %self.chain.row.id, "{name}, what keys watch: {error}");
                Some(filling)
            }
        }
    }
}
