//! Chain view: state of one chain, updated by its loop.

use superroot_source::{NodeReport, OverdueBlock, QuorumSize, ReportedTips};
use superroot_store::layout::HaltRow;
use superroot_types::{BlockNumber, UnixSeconds, one_line};
pub use superroot_wire::chain::{Backfill, CatchUp, Claimed, LeftOut, Point, Repair};

use super::stage::ChainStage;

/// Longest stored error or reason, in characters: the text may quote a node.
pub const TEXT_CHARS_MAX: usize = 400;

/// Error and its time.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StatusError {
    /// Error text, short and without secrets.
    pub message: String,
    /// Error text without the chain name, for places that already name the chain.
    pub cause: String,
    /// The error's time.
    pub at: UnixSeconds,
}

impl StatusError {
    /// Error at this time. Long texts are truncated: see [`TEXT_CHARS_MAX`].
    #[must_use]
    pub fn new(error: &impl std::fmt::Display, at: UnixSeconds) -> Self {
        let message = cut(error);
        Self { cause: message.clone(), message, at }
    }

    /// Sets the cause: the error text without the chain name.
    #[must_use]
    pub fn caused_by(self, cause: &impl std::fmt::Display) -> Self {
        Self { cause: cut(cause), ..self }
    }
}

/// Stored final blocks under backward search, since nodes agree on others: the search looks for the first different
/// block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Differing {
    /// Newest block in the search.
    pub newest: BlockNumber,
    /// Lowest block known to differ.
    pub lowest: BlockNumber,
}

/// A chain's indexed entries.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WatchView {
    /// All entries.
    All,
    /// Entries for the watched addresses and topics; none if both counts are 0.
    Some {
        /// Watched addresses.
        address_count: u64,
        /// Watched topics.
        topic_count: u64,
    },
}

/// Catch-up with final blocks that the nodes already have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CatchUpView {
    /// Newest final block stored at the start.
    pub from: BlockNumber,
    /// Start time.
    pub began_at: UnixSeconds,
}

/// Chain state. Heads are the sources' claims; only proofs show proven data.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ChainView {
    /// Activity set by the loop. [`ChainView::stage`] is displayed instead.
    pub state: ChainStage,
    /// Newest block.
    pub head: Option<Point>,
    /// Newest block that its nodes call safe.
    pub safe: Option<Point>,
    /// Newest final block.
    pub finalized: Option<Point>,
    /// Current node claims; set by [`ChainView::claim`].
    pub claimed: Option<Claimed>,
    /// The current catch-up's start.
    pub catch_up: Option<CatchUpView>,
    /// Sources that agree on `finalized`.
    pub sources: Vec<String>,
    /// Number of sources asked.
    pub source_count: u32,
    /// Finality rule in words.
    pub rule: String,
    /// Reason for a halt, which routes read from the store, regardless of who halted the chain.
    pub halt: Option<HaltRow>,
    /// Last unresolved error.
    pub last_error: Option<StatusError>,
    /// Blocks left out, newest last, at most [`LEFT_OUT_MAX`](super::LEFT_OUT_MAX).
    pub left_out: Vec<LeftOut>,
    /// Nodes, from [`LiveNodes::report`](superroot_source::LiveNodes::report), at most
    /// [`ENDPOINTS_MAX`](super::ENDPOINTS_MAX).
    pub endpoints: Vec<NodeReport>,
    /// Quorum for a final block; `None` without nodes.
    pub needed: Option<QuorumSize>,
    /// Tips from healthy nodes, with or without agreement.
    pub heard: Option<ReportedTips>,
    /// Overdue block from its nodes.
    pub waiting: Option<OverdueBlock>,
    /// Search for the first final block that its nodes contradict, while active.
    pub search: Option<Differing>,
    /// Loop start time.
    pub began_at: Option<UnixSeconds>,
    /// Time of the last new block, at either end.
    pub advanced_at: Option<UnixSeconds>,
    /// Time of the last new final block.
    pub finalized_at: Option<UnixSeconds>,
    /// Stall limit in milliseconds; `None`: [`stalled_after_ms`](super::stalled_after_ms) for its block time.
    pub stalled_after_ms: Option<u64>,
    /// Stall limit for final blocks in milliseconds; `None`:
    /// [`FINALITY_STALLED_AFTER_MS`](super::FINALITY_STALLED_AFTER_MS).
    pub finality_stalled_after_ms: Option<u64>,
    /// Download of older blocks.
    pub backfill: Option<Backfill>,
    /// Repair of stored blocks: bodies requested again.
    pub repair: Option<Repair>,
    /// Indexed entries; `None` if nothing is collected.
    pub watch: Option<WatchView>,
    /// First block withdrawn by the log; collection has ended.
    pub withdrawn_from: Option<BlockNumber>,
}

impl ChainView {
    /// Marks the chain as withdrawn from this block on, in any state.
    pub fn withdraw(&mut self, from: BlockNumber) {
        (self.state, self.withdrawn_from) = (ChainStage::Withdrawn, Some(from));
    }

    /// Records current node claims next to the stored state.
    pub fn claim(&mut self, claimed: Claimed) {
        self.claimed = Some(claimed);
        let held = self.finalized.map(|held| held.number);
        self.catch_up = match (self.behind_agreed(), held) {
            (Some(1..), Some(from)) => {
                Some(self.catch_up.unwrap_or(CatchUpView { from, began_at: claimed.at }))
            }
            _ => None,
        };
    }

    /// Newest number stored or claimed by its nodes; without agreement, by any healthy node.
    #[must_use]
    pub fn newest_head(&self) -> Option<BlockNumber> {
        let held = self.head.map(|head| head.number);
        let claimed = self.claimed.map(|claimed| claimed.head);
        held.max(claimed).max(self.unagreed().map(|heard| heard.head))
    }

    /// Final blocks at its nodes that are not stored; `None` if either number is unknown. Without agreement, any
    /// healthy node counts.
    #[must_use]
    pub fn behind_blocks(&self) -> Option<u64> {
        let claimed = self.claimed.map(|claimed| claimed.finalized);
        let newest = claimed.max(self.unagreed().map(|heard| heard.finalized))?;
        Some(newest.0.saturating_sub(self.finalized?.number.0))
    }

    /// Like `behind_blocks`, by agreed claims only.
    fn behind_agreed(&self) -> Option<u64> {
        Some(self.claimed?.finalized.0.saturating_sub(self.finalized?.number.0))
    }

    /// Tips from single nodes, if nothing newer is agreed.
    fn unagreed(&self) -> Option<ReportedTips> {
        self.heard.filter(|_| self.last_error.is_some())
    }

    /// Catch-up progress; `None` if not behind.
    #[must_use]
    pub fn pace(&self, now: UnixSeconds) -> Option<CatchUp> {
        let behind_blocks = self.behind_agreed().filter(|behind| *behind > 0)?;
        let CatchUpView { from, began_at } = self.catch_up?;
        let taken = self.finalized?.number.0.saturating_sub(from.0);
        let seconds = now.0.saturating_sub(began_at.0);
        let per_second = || (taken as f64 / seconds as f64 * 10.0).round() / 10.0;
        let blocks_per_second = (seconds > 0).then(per_second);
        let left = u128::from(behind_blocks) * u128::from(seconds);
        let seconds_left = left.checked_div(u128::from(taken)).filter(|_| seconds > 0);
        let seconds_left = seconds_left.map(|left| u64::try_from(left).unwrap_or(u64::MAX));
        Some(CatchUp { behind_blocks, blocks_per_second, seconds_left })
    }
}

/// Truncated single-line text.
pub(super) fn cut(text: &impl std::fmt::Display) -> String {
    one_line(&text.to_string(), TEXT_CHARS_MAX)
}

#[cfg(test)]
mod tests {
    use super::*;
    use superroot_types::Hash;

    fn held(number: u64) -> Option<Point> {
        let (number, hash) = (BlockNumber(number), Hash::ZERO);
        Some(Point { number, hash, timestamp: UnixSeconds(0) })
    }

    fn claimed(finalized: u64, at: u64) -> Claimed {
        let (head, finalized) = (BlockNumber(finalized + 10), BlockNumber(finalized));
        Claimed { head, finalized, at: UnixSeconds(at) }
    }

    #[test]
    fn the_pace_is_that_since_the_chain_fell_behind() {
        let mut view = ChainView { finalized: held(100), ..ChainView::default() };
        view.claim(claimed(1_100, 50));
        let pace = view.pace(UnixSeconds(50)).unwrap();
        let expected =
            CatchUp { behind_blocks: 1_000, blocks_per_second: None, seconds_left: None };
        assert_eq!(pace, expected);
        view.finalized = held(300);
        view.claim(claimed(1_200, 60));
        let pace = view.pace(UnixSeconds(60)).unwrap();
        assert_eq!((pace.behind_blocks, pace.blocks_per_second), (900, Some(20.0)));
        assert_eq!(pace.seconds_left, Some(45));
        view.finalized = held(1_200);
        view.claim(claimed(1_200, 70));
        assert_eq!((view.pace(UnixSeconds(70)), view.catch_up), (None, None));
        assert_eq!(view.behind_blocks(), Some(0));
    }

    #[test]
    fn figures_without_measure_overflow_nothing() {
        let mut view = ChainView { finalized: held(0), ..ChainView::default() };
        view.claim(Claimed { head: BlockNumber(u64::MAX), ..claimed(7, 0) });
        view.claimed = Some(Claimed { finalized: BlockNumber(u64::MAX), ..claimed(7, 0) });
        let stuck = view.pace(UnixSeconds(u64::MAX)).unwrap();
        assert_eq!((stuck.behind_blocks, stuck.seconds_left), (u64::MAX, None));
        view.finalized = held(1);
        assert_eq!(view.pace(UnixSeconds(u64::MAX)).unwrap().seconds_left, Some(u64::MAX));
        let lone = ChainView { claimed: Some(claimed(7, 0)), ..ChainView::default() };
        assert_eq!((lone.behind_blocks(), lone.pace(UnixSeconds(9))), (None, None));
    }

    #[test]
    fn an_error_is_kept_short_and_on_one_line() {
        let error = StatusError::new(&"a\nb\u{1b}[31m".to_owned(), UnixSeconds(7));
        assert_eq!((error.message.as_str(), error.at), ("a b [31m", UnixSeconds(7)));
        let long = StatusError::new(&"é".repeat(10_000), UnixSeconds(7));
        assert_eq!(long.message.chars().count(), TEXT_CHARS_MAX);
    }
}
