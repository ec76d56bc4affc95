//! The work itself, turn by turn: the same within a running service and without one.

use std::time::Duration;

use superroot_chain::ChainRow;
use superroot_collect::{CollectError, Collector, Repaired, Watch};
use superroot_store::{Batch, Store, StoreError, read, write};
use superroot_types::{BlockNumber, ChainKey, ErrorKind, UnixSeconds};

use super::{Act, Event};
use crate::stage::backoff;

/// Failures in a row after which a person is asked.
const FAILURES_MAX: u32 = 10;
/// A repair ends with a step in which so many blocks at least were asked for, and no body of them came.
const BARE_MIN: usize = 10;
/// Blocks left as they are that are told of one by one.
const LEFT_TOLD_MAX: u64 = 20;

/// Work on one chain.
pub(crate) struct Job {
    collector: Collector,
    name: String,
    retry_max: Duration,
    work: Work,
    failures: u32,
}

/// What is to be done, and how far it is.
enum Work {
    Backfill { to: BlockNumber, top: Option<u64> },
    Repair(Repair),
}

/// A repair; `range` is known once its first turn has looked at what is held.
struct Repair {
    from: Option<BlockNumber>,
    to: Option<BlockNumber>,
    range: Option<(BlockNumber, BlockNumber)>,
    next: BlockNumber,
    repaired: u64,
    left: u64,
}

/// What came of a turn.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Turn {
    /// It goes on.
    Goes(Vec<Event>),
    /// It goes on after a pause.
    Waits(Event, Duration),
    /// All is done.
    Done(Vec<Event>),
    /// It does not go on, for this reason. What was taken stays.
    Failed(String),
}

impl Job {
    /// Work on the collector's chain, if the act is any; `None` for one that needs no collector.
    pub(crate) fn new(
        collector: Collector,
        row: &ChainRow,
        act: Act,
        retry_max: Duration,
    ) -> Option<Self> {
        let work = match act {
            Act::Backfill { to } => Work::Backfill { to, top: None },
            Act::Repair { from, to } => {
                let (range, next, repaired, left) = (None, BlockNumber(0), 0, 0);
                Work::Repair(Repair { from, to, range, next, repaired, left })
            }
            Act::Resume => return None,
        };
        Some(Self { collector, name: row.name.clone(), retry_max, work, failures: 0 })
    }

    /// Goes on under another watch list.
    pub(crate) fn set_watch(&mut self, watch: Watch) {
        self.collector.set_watch(watch);
    }

    /// A bounded part of the work.
    pub(crate) async fn turn(&mut self, store: &dyn Store, now: UnixSeconds) -> Turn {
        let (collector, name) = (&mut self.collector, &self.name);
        let turn = match &mut self.work {
            Work::Backfill { to, top } => fill(collector, name, store, *to, top, now).await,
            Work::Repair(repair) => repair.turn(collector, name, store, now).await,
        };
        match turn {
            Ok(turn) => {
                self.failures = 0;
                turn
            }
            Err(error) => self.failed(&error),
        }
    }

    /// Numbers that a repair looks at in all, before its first turn; 0 of other work.
    pub(crate) fn repair_count(&self, store: &dyn Store) -> u64 {
        let Work::Repair(repair) = &self.work else { return 0 };
        let held = held(store, self.collector.chain()).ok().flatten(); // the turn says what is wrong
        held.map_or(0, |(start, indexed)| {
            let (from, to) = repair.within(start, indexed);
            count(from, to)
        })
    }

    /// Blocks that a repair has mended.
    pub(crate) const fn repaired(&self) -> u64 {
        match &self.work {
            Work::Repair(repair) => repair.repaired,
            Work::Backfill { .. } => 0,
        }
    }

    fn failed(&mut self, error: &CollectError) -> Turn {
        self.failures += 1;
        let is_lasting = matches!(error.kind(), ErrorKind::Corrupt | ErrorKind::Bug)
            || matches!(error, CollectError::NoBackfill { .. } | CollectError::Halted { .. })
            || self.will_never_come(error);
        if is_lasting || self.failures >= FAILURES_MAX {
            return Turn::Failed(format!("it does not go on; what was taken stays: {error}"));
        }
        let pause = backoff(self.failures, self.retry_max);
        let why = format!(
            "{error} (failure {} of {FAILURES_MAX} in a row, the next try is in {} ms)",
            self.failures,
            pause.as_millis()
        );
        Turn::Waits(Event::Again { chain: self.name.clone(), why }, pause)
    }

    /// Nodes may get a block yet; a simulated chain and a recording have what they have.
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
) -> Result<Turn, CollectError> {
    let state = read::load_chain_state(store, collector.chain())?;
    let newest = state.and_then(|state| state.indexed).map(|indexed| indexed.number);
    if let Some(newest) = newest.filter(|newest| to > *newest) {
        return Ok(Turn::Failed(format!(
            "block {to} of {name} is above the newest final one that is held, {newest}: older blocks \
             are filled, newer ones are followed by `superroot serve`"
        )));
    }
    let filled = collector.backfill_step(to, now).await?;
    if let Some(newest) = newest.filter(|_| top.is_none() && filled.blocks == 0 && filled.is_done())
    {
        let (chain, start, newest) = (name.to_owned(), filled.start.0, newest.0);
        return Ok(Turn::Done(vec![Event::AlreadyHeld { chain, start, newest }]));
    }
    let top = *top.get_or_insert(filled.lowest.0.saturating_add(filled.blocks as u64));
    let chain = name.to_owned();
    if filled.is_done() {
        return Ok(Turn::Done(vec![Event::Filled { chain, start: filled.start.0 }]));
    }
    let total = top.saturating_sub(filled.target.0);
    let done = top.saturating_sub(filled.lowest.0);
    Ok(Turn::Goes(vec![Event::Progress { chain, done, total }]))
}

impl Repair {
    async fn turn(
        &mut self,
        collector: &mut Collector,
        name: &str,
        store: &dyn Store,
        now: UnixSeconds,
    ) -> Result<Turn, CollectError> {
        let (from, to) = match self.range {
            Some(range) => range,
            None => {
                let Some((start, indexed)) = held(store, collector.chain())? else {
                    return Ok(self.done(name));
                };
                let (from, to) = self.within(start, indexed);
                if from > to {
                    return Ok(Turn::Failed(format!("{name} is held from {start} to {indexed}")));
                }
                (self.range, self.next) = (Some((from, to)), from);
                (from, to)
            }
        };
        let step = collector.repair_step(self.next, to, now).await?;
        self.repaired += step.repaired as u64;
        if let Some(next) = step.next.filter(|_| is_in_vain(&step)) {
            let (first, last, repaired) = (self.next, next.0.saturating_sub(1), self.repaired);
            return Ok(Turn::Failed(format!(
                "no node gives receipts of these blocks, {first} to {last} of {name}; {repaired} blocks \
                 were repaired; name nodes that keep them, or begin behind these with --from"
            )));
        }
        let mut events = Vec::new();
        for one in &step.left {
            if self.left < LEFT_TOLD_MAX {
                let (number, why) = (one.number.0, one.reason.clone());
                events.push(Event::Left { chain: name.to_owned(), number, why });
            }
            self.left += 1;
        }
        let total = count(from, to);
        let done = step.next.map_or(total, |next| next.0.saturating_sub(from.0));
        events.push(Event::Progress { chain: name.to_owned(), done, total });
        Ok(match step.next {
            Some(next) => {
                self.next = next;
                Turn::Goes(events)
            }
            None => match self.done(name) {
                Turn::Done(last) => Turn::Done([events, last].concat()),
                other => other,
            },
        })
    }

    /// The first and last number that are looked at, of those held.
    fn within(&self, start: BlockNumber, indexed: BlockNumber) -> (BlockNumber, BlockNumber) {
        (self.from.unwrap_or(start).max(start), self.to.unwrap_or(indexed).min(indexed))
    }

    fn done(&self, name: &str) -> Turn {
        let (repaired, left) = (self.repaired, self.left);
        Turn::Done(vec![Event::Repaired { chain: name.to_owned(), repaired, left }])
    }
}

/// Whether nodes keep no bodies: a whole step was asked for in vain.
const fn is_in_vain(step: &Repaired) -> bool {
    step.asked >= BARE_MIN && step.bare == step.asked
}

/// The first and the newest final number held.
fn held(
    store: &dyn Store,
    chain: ChainKey,
) -> Result<Option<(BlockNumber, BlockNumber)>, StoreError> {
    let state = read::load_chain_state(store, chain)?;
    Ok(state.and_then(|state| Some((state.start, state.indexed?.number))))
}

/// Numbers from the one to the other, both among them.
const fn count(from: BlockNumber, to: BlockNumber) -> u64 {
    match to.0.checked_sub(from.0) {
        Some(more) => more.saturating_add(1),
        None => 0,
    }
}

/// Clears a halt, and tells who contradicts what is held. What is withdrawn does not go on by that.
pub(crate) fn resume(store: &dyn Store, row: &ChainRow) -> Result<Vec<Event>, StoreError> {
    let chain = row.name.clone();
    let withdrawn = row.withdrawn_from().map(|from| (from, chain.clone()));
    let withdrawn = withdrawn.map(|(from, chain)| Event::Withdrawn { chain, from: from.0 });
    let Some(halt) = read::load_halt(store, row.key())? else {
        return Ok(vec![withdrawn.unwrap_or(Event::NotHalted { chain })]);
    };
    let contradicted = |(number, row): (BlockNumber, superroot_store::layout::RetractionRow)| {
        Event::Contradicted {
            chain: chain.clone(),
            number: number.0,
            held: row.held_hash,
            other: row.other_hash,
            evidence: row.evidence.kind().name().to_owned(),
        }
    };
    let retractions = read::load_retractions(store, row.key())?;
    let mut events: Vec<_> = retractions.into_iter().map(contradicted).collect();
    let mut batch = Batch::new();
    write::clear_halt(&mut batch, row.key());
    store.commit(batch)?;
    let resumed = Event::Resumed { chain, number: halt.number.0, why: halt.reason };
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
