//! Work turn by turn, the same with or without a running service.

use std::time::Duration;

use superroot_chain::ChainSpec;
use superroot_collect::{CollectError, Collector, Repaired, WatchFilter};
use superroot_store::{Store, StoreError, WriteBatch, read, write};
use superroot_types::{BlockNumber, ChainKey, ErrorKind, UnixSeconds};

use super::{ChainCommand, ProgressEvent};
use crate::stage::backoff;

/// Failures in a row before a person is asked.
const FAILURES_MAX: u32 = 10;
/// Least blocks in a repair step without any body before the repair ends.
const BARE_MIN: usize = 10;
const LEFT_TOLD_MAX: u64 = 20;

pub(crate) struct Job {
    collector: Collector,
    name: String,
    retry_max: Duration,
    work: JobWork,
    failures: u32,
}

enum JobWork {
    Backfill { to: BlockNumber, top: Option<u64> },
    Repair(RepairJob),
}

/// Repair; `range` is set in the first turn, from the stored blocks.
struct RepairJob {
    from: Option<BlockNumber>,
    to: Option<BlockNumber>,
    range: Option<(BlockNumber, BlockNumber)>,
    next: BlockNumber,
    repaired: u64,
    left: u64,
}

#[derive(Debug, PartialEq, Eq)]
pub(crate) enum JobTurn {
    Goes(Vec<ProgressEvent>),
    Waits(ProgressEvent, Duration),
    Done(Vec<ProgressEvent>),
    /// Final failure, with the reason. Fetched blocks stay.
    Failed(String),
}

impl Job {
    /// Creates the work for a command; `None` if the command needs no collector.
    pub(crate) fn new(
        collector: Collector,
        row: &ChainSpec,
        act: ChainCommand,
        retry_max: Duration,
    ) -> Option<Self> {
        let work = match act {
            ChainCommand::Backfill { to } => JobWork::Backfill { to, top: None },
            ChainCommand::Repair { from, to } => {
                let range = None;
                let next = BlockNumber(0);
                let repaired = 0;
                let left = 0;
                JobWork::Repair(RepairJob { from, to, range, next, repaired, left })
            }
            ChainCommand::Resume => return None,
        };
        Some(Self { collector, name: row.name.clone(), retry_max, work, failures: 0 })
    }

    pub(crate) fn set_watch(&mut self, watch: WatchFilter) {
        self.collector.set_watch(watch);
    }

    pub(crate) async fn turn(&mut self, store: &dyn Store, now: UnixSeconds) -> JobTurn {
        let collector = &mut self.collector;
        let name = &self.name;
        let turn = match &mut self.work {
            JobWork::Backfill { to, top } => fill(collector, name, store, *to, top, now).await,
            JobWork::Repair(repair) => repair.turn(collector, name, store, now).await,
        };
        match turn {
            Ok(turn) => {
                self.failures = 0;
                turn
            }
            Err(error) => self.failed(&error),
        }
    }

    /// Numbers in a repair before the first turn; 0 for other work.
    pub(crate) fn repair_count(&self, store: &dyn Store) -> u64 {
        let JobWork::Repair(repair) = &self.work else { return 0 };
        let held = held(store, self.collector.chain()).ok().flatten(); // the turn says what is wrong
        held.map_or(0, |(start, indexed)| {
            let (from, to) = repair.within(start, indexed);
            count(from, to)
        })
    }

    pub(crate) const fn repaired(&self) -> u64 {
        match &self.work {
            JobWork::Repair(repair) => repair.repaired,
            JobWork::Backfill { .. } => 0,
        }
    }

    fn failed(&mut self, error: &CollectError) -> JobTurn {
        self.failures += 1;
        let is_lasting = matches!(error.kind(), ErrorKind::Corrupt | ErrorKind::Bug)
            || matches!(error, CollectError::NoBackfill { .. } | CollectError::Halted { .. })
            || self.will_never_come(error);
        if is_lasting || self.failures >= FAILURES_MAX {
            return JobTurn::Failed(format!("it does not go on; what was taken stays: {error}"));
        }
        let pause = backoff(self.failures, self.retry_max);
        let why = format!(
            "{error} (failure {} of {FAILURES_MAX} in a row, the next try is in {} ms)",
            self.failures,
            pause.as_millis()
        );
        JobTurn::Waits(ProgressEvent::Again { chain: self.name.clone(), why }, pause)
    }

    /// Whether a missing block is final: nodes may get a block later, but a simulated chain or recording never does.
    fn will_never_come(&self, error: &CollectError) -> bool {
        let is_missing = matches!(error, CollectError::Missing { .. });
        is_missing && self.collector.source().nodes().is_none()
    }
}

async fn fill(
    collector: &mut Collector,
    name: &str,
    store: &dyn Store,
    to: BlockNumber,
    top: &mut Option<u64>,
    now: UnixSeconds,
) -> Result<JobTurn, CollectError> {
    let state = read::load_chain_state(store, collector.chain())?;
    let newest = state.and_then(|state| state.indexed).map(|indexed| indexed.number);
    if let Some(newest) = newest.filter(|newest| to > *newest) {
        return Ok(JobTurn::Failed(format!(
            "block {to} of {name} is above the newest final one that is held, {newest}: older blocks \
             are filled, newer ones are followed by `superroot serve`"
        )));
    }
    let filled = collector.backfill_step(to, now).await?;
    if let Some(newest) = newest.filter(|_| top.is_none() && filled.blocks == 0 && filled.is_done())
    {
        let chain = name.to_owned();
        let start = filled.start.0;
        let newest = newest.0;
        return Ok(JobTurn::Done(vec![ProgressEvent::AlreadyHeld { chain, start, newest }]));
    }
    let top = *top.get_or_insert(filled.lowest.0.saturating_add(filled.blocks as u64));
    let chain = name.to_owned();
    if filled.is_done() {
        return Ok(JobTurn::Done(vec![ProgressEvent::Filled { chain, start: filled.start.0 }]));
    }
    let total = top.saturating_sub(filled.target.0);
    let done = top.saturating_sub(filled.lowest.0);
    Ok(JobTurn::Goes(vec![ProgressEvent::Progress { chain, done, total }]))
}

impl RepairJob {
    async fn turn(
        &mut self,
        collector: &mut Collector,
        name: &str,
        store: &dyn Store,
        now: UnixSeconds,
    ) -> Result<JobTurn, CollectError> {
        let (from, to) = match self.range {
            Some(range) => range,
            None => {
                let Some((start, indexed)) = held(store, collector.chain())? else {
                    return Ok(self.done(name));
                };
                let (from, to) = self.within(start, indexed);
                if from > to {
                    return Ok(JobTurn::Failed(format!(
                        "{name} is held from {start} to {indexed}"
                    )));
                }
                (self.range, self.next) = (Some((from, to)), from);
                (from, to)
            }
        };
        let step = collector.repair_step(self.next, to, now).await?;
        self.repaired += step.repaired as u64;
        if let Some(next) = step.next.filter(|_| is_in_vain(&step)) {
            let first = self.next;
            let last = next.0.saturating_sub(1);
            let repaired = self.repaired;
            return Ok(JobTurn::Failed(format!(
                "no node gives receipts of these blocks, {first} to {last} of {name}; {repaired} blocks \
                 were repaired; name nodes that keep them, or begin behind these with --from"
            )));
        }
        let mut events = Vec::new();
        for one in &step.left {
            if self.left < LEFT_TOLD_MAX {
                let number = one.number.0;
                let why = one.reason.clone();
                events.push(ProgressEvent::Left { chain: name.to_owned(), number, why });
            }
            self.left += 1;
        }
        let total = count(from, to);
        let done = step.next.map_or(total, |next| next.0.saturating_sub(from.0));
        events.push(ProgressEvent::Progress { chain: name.to_owned(), done, total });
        Ok(match step.next {
            Some(next) => {
                self.next = next;
                JobTurn::Goes(events)
            }
            None => match self.done(name) {
                JobTurn::Done(last) => JobTurn::Done([events, last].concat()),
                other => other,
            },
        })
    }

    fn within(&self, start: BlockNumber, indexed: BlockNumber) -> (BlockNumber, BlockNumber) {
        (self.from.unwrap_or(start).max(start), self.to.unwrap_or(indexed).min(indexed))
    }

    fn done(&self, name: &str) -> JobTurn {
        let repaired = self.repaired;
        let left = self.left;
        JobTurn::Done(vec![ProgressEvent::Repaired { chain: name.to_owned(), repaired, left }])
    }
}

/// Whether nodes keep no bodies: a whole step brought nothing.
const fn is_in_vain(step: &Repaired) -> bool {
    step.asked >= BARE_MIN && step.bare == step.asked
}

/// First and newest final stored number.
fn held(
    store: &dyn Store,
    chain: ChainKey,
) -> Result<Option<(BlockNumber, BlockNumber)>, StoreError> {
    let state = read::load_chain_state(store, chain)?;
    Ok(state.and_then(|state| Some((state.start, state.indexed?.number))))
}

const fn count(from: BlockNumber, to: BlockNumber) -> u64 {
    match to.0.checked_sub(from.0) {
        Some(more) => more.saturating_add(1),
        None => 0,
    }
}

/// Clears a halt and reports contradictions. A withdrawn chain stays withdrawn.
pub(crate) fn resume(store: &dyn Store, row: &ChainSpec) -> Result<Vec<ProgressEvent>, StoreError> {
    let chain = row.name.clone();
    let withdrawn = row.withdrawn_from().map(|from| (from, chain.clone()));
    let withdrawn = withdrawn.map(|(from, chain)| ProgressEvent::Withdrawn { chain, from: from.0 });
    let Some(halt) = read::load_halt(store, row.key())? else {
        return Ok(vec![withdrawn.unwrap_or(ProgressEvent::NotHalted { chain })]);
    };
    let contradicted = |(number, row): (BlockNumber, superroot_store::layout::RetractionRow)| {
        ProgressEvent::Contradicted {
            chain: chain.clone(),
            number: number.0,
            held: row.held_hash,
            other: row.other_hash,
            evidence: row.evidence.kind().name().to_owned(),
        }
    };
    let retractions = read::load_retractions(store, row.key())?;
    let mut events: Vec<_> = retractions.into_iter().map(contradicted).collect();
    let mut batch = WriteBatch::new();
    write::clear_halt(&mut batch, row.key());
    store.commit(batch)?;
    let resumed = ProgressEvent::Resumed { chain, number: halt.number.0, why: halt.reason };
    events.push(withdrawn.unwrap_or(resumed));
    Ok(events)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// One body is enough to go on, and a few blocks that nobody has are listed, not an end.
    #[test]
    fn a_repair_ends_where_a_whole_step_got_no_body() {
        for (asked, bare, is_vain) in
            [(64, 64, true), (64, 63, false), (9, 9, false), (0, 0, false)]
        {
            let step = Repaired { asked, bare, ..Repaired::default() };
            assert_eq!(is_in_vain(&step), is_vain, "{asked} {bare}");
        }
    }
}
