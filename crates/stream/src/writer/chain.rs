use superroot_store::feed::FeedChange;
use superroot_types::{BlockNumber, ChainKey, Hash};

use super::place::FeedPlace;
use crate::row::{BlockRun, EVENT_BLOCKS_MAX, Events, LogRowKind};

pub(super) struct ChainWriter<'a> {
    pub(super) chain: ChainKey,
    pub(super) place: &'a mut FeedPlace,
    /// Whether the events of these changes are indexed.
    pub(super) is_indexed: bool,
    pub(super) rows: &'a mut Vec<LogRowKind>,
}

impl ChainWriter<'_> {
    /// Appends the rows of a change.
    pub(super) fn put(&mut self, change: FeedChange) {
        if let FeedChange::Taken { from, .. } | FeedChange::Final { from, .. } = &change {
            self.place.since.get_or_insert(*from);
        }
        match change {
            FeedChange::Taken { from, hashes } => self.taken(from, &hashes),
            FeedChange::Undone { from, hashes } => self.undone(from, hashes),
            FeedChange::Final { from, to } => self.made_final(from, to),
            FeedChange::Body { from, to } => {
                for (run, events) in self.cut(from, to) {
                    // bodies of what is older than the log are history that came late
                    if events != Events::Old {
                        self.rows.push(LogRowKind::Body { run, events });
                    }
                }
            }
            FeedChange::Retracted { from, to } => {
                let run = self.run(from, to);
                self.rows.push(LogRowKind::Retracted { run });
            }
            FeedChange::Published { .. } => {}
        }
    }

    fn taken(&mut self, from: BlockNumber, hashes: &[Hash]) {
        let Some(last) = last_of(from, hashes.len()) else { return };
        for (run, events) in self.cut(from, last) {
            let first = usize::try_from(run.from.0 - from.0).unwrap_or(usize::MAX);
            let count = usize::try_from(run.to.0 - run.from.0 + 1).unwrap_or(usize::MAX);
            let hashes = hashes.iter().skip(first).take(count).copied().collect();
            self.rows.push(LogRowKind::Taken { run, hashes, events });
        }
        let begin = self.place.taken.filter(|(_, to)| to.0.checked_add(1) == Some(from.0));
        self.place.taken = Some((begin.map_or(from, |(begin, _)| begin), last));
    }

    fn undone(&mut self, from: BlockNumber, hashes: Vec<Hash>) {
        let Some(last) = last_of(from, hashes.len()) else { return };
        let run = self.run(from, last);
        self.rows.push(LogRowKind::Undone { run, hashes });
        self.place.taken = self.place.taken.and_then(|(begin, to)| {
            let end = BlockNumber(from.0.checked_sub(1)?).min(to);
            (begin <= end).then_some((begin, end))
        });
    }

    /// Separates blocks taken before from blocks final at once.
    fn made_final(&mut self, from: BlockNumber, to: BlockNumber) {
        let known = self.place.taken.filter(|(begin, end)| *begin <= to && from <= *end);
        let parts = match known {
            None => vec![(from, to, true)],
            Some((begin, end)) => {
                let below = (from < begin).then(|| (from, BlockNumber(begin.0 - 1), true));
                let above = (end < to).then(|| (BlockNumber(end.0 + 1), to, true));
                let known = (from.max(begin), to.min(end), false);
                [below, Some(known), above].into_iter().flatten().collect()
            }
        };
        for (from, to, is_new) in parts {
            for (run, events) in self.cut(from, to) {
                self.rows.push(LogRowKind::Final { run, is_new, events });
            }
        }
        self.place.taken = self.place.taken.and_then(|(begin, end)| {
            let begin = begin.max(BlockNumber(to.0.checked_add(1)?));
            (begin <= end).then_some((begin, end))
        });
        self.place.final_to = self.place.final_to.max(Some(to));
    }

    fn run(&self, from: BlockNumber, to: BlockNumber) -> BlockRun {
        BlockRun { chain: self.chain, from, to }
    }

    /// Splits blocks into one run per row: runs with delivered events are short.
    fn cut(&self, from: BlockNumber, to: BlockNumber) -> Vec<(BlockRun, Events)> {
        let events = if self.is_indexed { Events::Delivered } else { Events::Missed };
        cut(self.chain, (from, to), self.place.since, events)
    }
}

/// Splits blocks into one run below `since` and short runs above.
fn cut(
    chain: ChainKey,
    (from, to): (BlockNumber, BlockNumber),
    since: Option<BlockNumber>,
    events: Events,
) -> Vec<(BlockRun, Events)> {
    let mut runs = Vec::new();
    let since = since.unwrap_or(BlockNumber(u64::MAX));
    if from < since {
        let to = to.min(BlockNumber(since.0 - 1));
        runs.push((BlockRun { chain, from, to }, Events::Old));
    }
    let mut next = Some(from.max(since));
    while let Some(from) = next.filter(|from| *from <= to) {
        let end = BlockNumber(from.0.saturating_add(EVENT_BLOCKS_MAX - 1)).min(to);
        runs.push((BlockRun { chain, from, to: end }, events));
        next = end.0.checked_add(1).map(BlockNumber);
    }
    runs
}

fn last_of(from: BlockNumber, count: usize) -> Option<BlockNumber> {
    let more = u64::try_from(count).ok()?.checked_sub(1)?;
    from.0.checked_add(more).map(BlockNumber)
}

#[cfg(test)]
mod tests {
    use superroot_types::{ChainId, Family};

    use super::*;

    const CHAIN: ChainKey = ChainKey { family: Family::Evm, id: ChainId(1) };

    fn told(place: &mut FeedPlace, change: FeedChange) -> Vec<String> {
        let mut rows = Vec::new();
        ChainWriter { chain: CHAIN, place, is_indexed: true, rows: &mut rows }.put(change);
        let shown = rows.into_iter().map(|row| match row {
            LogRowKind::Taken { run, events, .. } => {
                format!("taken {}-{} {events:?}", run.from, run.to)
            }
            LogRowKind::Undone { run, .. } => format!("undone {}-{}", run.from, run.to),
            LogRowKind::Final { run, is_new, events } => {
                let new = if is_new { "new " } else { "" };
                format!("{new}final {}-{} {events:?}", run.from, run.to)
            }
            LogRowKind::Body { run, .. } => format!("body {}-{}", run.from, run.to),
            other => format!("{other:?}"),
        });
        shown.collect()
    }

    fn blocks(from: u64, count: usize) -> (BlockNumber, Vec<Hash>) {
        (BlockNumber(from), vec![Hash::ZERO; count])
    }

    fn made_final(from: u64, to: u64) -> FeedChange {
        FeedChange::Final { from: BlockNumber(from), to: BlockNumber(to) }
    }

    #[test]
    fn what_was_taken_before_is_told_from_what_comes_final_at_once() {
        let mut place = FeedPlace { cursor: 0, since: None, taken: None, final_to: None };
        let (from, hashes) = blocks(10, 10);
        assert_eq!(
            told(&mut place, FeedChange::Taken { from, hashes }),
            ["taken 10-17 Delivered", "taken 18-19 Delivered"]
        );
        let (from, hashes) = blocks(16, 4);
        assert_eq!(told(&mut place, FeedChange::Undone { from, hashes }), ["undone 16-19"]);
        assert_eq!(place.taken, Some((BlockNumber(10), BlockNumber(15))));
        assert_eq!(
            told(&mut place, made_final(8, 17)),
            ["new final 8-9 Old", "final 10-15 Delivered", "new final 16-17 Delivered"]
        );
        assert_eq!((place.taken, place.final_to), (None, Some(BlockNumber(17))));
        assert_eq!(told(&mut place, made_final(0, 9)), ["new final 0-9 Old"], "filled back");
        assert_eq!(place.final_to, Some(BlockNumber(17)));
        let body = FeedChange::Body { from: BlockNumber(9), to: BlockNumber(10) };
        assert_eq!(told(&mut place, body), ["body 10-10"], "history is not delivered");
    }

    #[test]
    fn numbers_at_the_end_of_their_range_make_no_trouble() {
        let max = BlockNumber(u64::MAX);
        let mut place = FeedPlace { cursor: 0, since: None, taken: None, final_to: None };
        let (from, hashes) = blocks(u64::MAX, 2);
        assert!(told(&mut place, FeedChange::Taken { from, hashes }).is_empty());
        let (from, hashes) = blocks(u64::MAX, 1);
        assert_eq!(told(&mut place, FeedChange::Taken { from, hashes }).len(), 1);
        assert_eq!(told(&mut place, FeedChange::Final { from: max, to: max }).len(), 1);
    }
}
