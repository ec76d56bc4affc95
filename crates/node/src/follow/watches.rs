//! What the owners of keys watch: it joins what the operator watches, and blocks that are held already are
//! filled, a turn at a time between the steps.

use std::collections::VecDeque;
use std::sync::Arc;
use std::time::Duration;

use superroot_chain::ChainRow;
use superroot_collect::{Collector, Watch};
use superroot_store::Store;
use superroot_types::{BlockNumber, UnixSeconds};
use superroot_watch::{Wanted, WantedByChain, lacking};
use tokio::sync::watch;
use tokio::time::Instant;

use super::orders::TURN_BLOCKS_MAX;
use super::{Follow, PlannedChain, view_of};
use crate::stage::backoff;

/// A list that has only become shorter counts after so long: what was ended may come back.
const SHORTER_AFTER: Duration = Duration::from_secs(600);
/// Blocks that lack what is watched are looked for again after so long: no node may have had them before.
const LOOK_AGAIN: Duration = Duration::from_secs(600);

/// What owners of keys watch, and its least time between two changes.
#[derive(Clone)]
pub(crate) struct KeyWatches {
    pub(crate) wanted: watch::Receiver<WantedByChain>,
    pub(crate) apply: Duration,
}

/// How far a chain is with what is watched.
pub(super) struct Watching {
    keys: KeyWatches,
    /// What the operator watches.
    own: Watch,
    /// What keys watch on this chain.
    wanted: Arc<Wanted>,
    /// Whether that is to be looked at again.
    is_stale: bool,
    /// The list that is to count, where another one does.
    next: Option<Watch>,
    /// When the list changed last.
    changed_at: Option<Instant>,
    /// Whether the list counts: a step has ended well since it changed.
    is_noted: bool,
    /// When blocks that lack something are looked for.
    looks_at: Instant,
    filling: Option<Filling>,
}

/// Blocks that lack what is watched are being filled.
struct Filling {
    collector: Collector,
    ranges: VecDeque<(BlockNumber, BlockNumber)>,
    failures: u32,
    not_before: Instant,
}

impl Watching {
    /// Of a chain whose collector begins under that list of the operator.
    pub(super) fn new(keys: KeyWatches, own: Watch) -> Self {
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

    /// The collector has begun anew, under the list that counted last.
    pub(super) fn begin_anew(&mut self) {
        (self.is_stale, self.is_noted, self.filling) = (true, false, None);
    }

    /// Waits until something else is watched on any chain.
    pub(super) async fn changed(&mut self) {
        if self.keys.wanted.changed().await.is_err() {
            std::future::pending::<()>().await; // the service ends
        }
        self.is_stale = true;
    }

    /// Looks at what keys watch, where that has changed.
    fn look(&mut self, row: &ChainRow, held: &Watch) {
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

    /// When the next list is to count.
    fn next_due(&self, held: &Watch) -> Option<Instant> {
        let next = self.next.as_ref()?;
        let Some(changed_at) = self.changed_at else { return Some(Instant::now()) };
        let is_shorter = next.without(held).is_nothing();
        Some(changed_at + if is_shorter { SHORTER_AFTER } else { self.keys.apply })
    }
}

impl Follow {
    /// Has the collector collect what is watched now, once that is due.
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

    /// After a step that ended well the list counts: what else collects goes by it as well.
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

    /// When there is something to do for what is watched.
    pub(super) fn watching_due(&self) -> Option<Instant> {
        let list = self.watching.next_due(self.collector.watch());
        list.into_iter().chain(self.filling_due()).min()
    }

    /// When blocks are filled next: while nothing is ordered, under a list that counts.
    pub(super) fn filling_due(&self) -> Option<Instant> {
        let has_none = !self.watching.is_noted || self.watching.wanted.from.is_empty();
        if has_none || self.working.is_some() || self.due.is_none() {
            return None;
        }
        let filling = self.watching.filling.as_ref();
        Some(filling.map_or(self.watching.looks_at, |filling| filling.not_before))
    }

    /// Looks for blocks that lack what is watched, or fills some of them.
    pub(super) async fn fill(&mut self, now: UnixSeconds) -> anyhow::Result<()> {
        let filling = match self.watching.filling.take() {
            Some(filling) => filling,
            None => {
                let ranges = self.lacking().await?;
                let (failures, not_before) = (0, Instant::now());
                Filling { collector: self.filler(), ranges, failures, not_before }
            }
        };
        self.watching.filling = self.fill_next(filling, now).await;
        if self.watching.filling.is_none() {
            self.watching.looks_at = Instant::now() + LOOK_AGAIN;
        }
        Ok(())
    }

    async fn lacking(&self) -> anyhow::Result<VecDeque<(BlockNumber, BlockNumber)>> {
        let (store, chain) = (self.store.clone(), self.chain.row.key());
        let wanted = self.watching.wanted.clone();
        let ranges = tokio::task::spawn_blocking(move || lacking(&*store, chain, &wanted)).await?;
        Ok(ranges?.into())
    }

    fn filler(&self) -> Collector {
        let PlannedChain { row, source, collect, budget } = &self.chain;
        let mut collect = collect.clone();
        collect.blocks_per_step_max = collect.blocks_per_step_max.min(TURN_BLOCKS_MAX);
        let store: Arc<dyn Store> = self.store.clone();
        Collector::new(store, source.clone(), row.clone(), collect).within(budget)
    }

    /// One step of filling; nothing where all is done that can be.
    async fn fill_next(&self, mut filling: Filling, now: UnixSeconds) -> Option<Filling> {
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
