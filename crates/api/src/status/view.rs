//! The view of one chain: what its loop knows, in fields that the loop sets as they change.

use superroot_source::{EndpointReport, Heard, Needed, Waiting};
use superroot_store::layout::HaltRow;
use superroot_types::{BlockNumber, UnixSeconds, one_line};
pub use superroot_wire::chain::{Backfill, CatchUp as Pace, Claimed, LeftOut, Point, Repair};

use super::stage::ChainStage;

/// Longest text of an error or a reason that is kept, in characters: it may quote a node.
pub const TEXT_CHARS_MAX: usize = 400;

/// What went wrong, and when.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LastError {
    /// What went wrong, in words; without secrets, short.
    pub message: String,
    /// The same without whose nodes it is: where it is shown, that is known.
    pub cause: String,
    /// When it was seen.
    pub at: UnixSeconds,
}

impl LastError {
    /// An error seen at that time. A long text is cut: see [`TEXT_CHARS_MAX`].
    #[must_use]
    pub fn new(error: &impl std::fmt::Display, at: UnixSeconds) -> Self {
        let message = cut(error);
        Self { cause: message.clone(), message, at }
    }

    /// With what went wrong alone, without whose nodes it is.
    #[must_use]
    pub fn caused_by(self, cause: &impl std::fmt::Display) -> Self {
        Self { cause: cut(cause), ..self }
    }
}

/// Final blocks held that are gone back through, since nodes agree on others: the first that differs
/// is looked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Differing {
    /// The newest of them.
    pub newest: BlockNumber,
    /// The lowest that is known to differ so far.
    pub lowest: BlockNumber,
}

/// Which entries of a chain are indexed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WatchView {
    /// All of them.
    All,
    /// Those of so many addresses and topics; none where both are 0.
    Some {
        /// Addresses watched.
        address_count: u64,
        /// Topics watched.
        topic_count: u64,
    },
}

/// A chain that takes final blocks which its nodes have had before.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CatchUp {
    /// Newest final block held when it began.
    pub from: BlockNumber,
    /// When it began.
    pub began_at: UnixSeconds,
}

/// How a chain fares. Heads are the sources' word; what is proven stands in proofs alone.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ChainView {
    /// What the service does with it. [`ChainView::stage`] is what is shown.
    pub state: ChainStage,
    /// Newest block.
    pub head: Option<Point>,
    /// Newest block that its nodes call safe.
    pub safe: Option<Point>,
    /// Newest final block.
    pub finalized: Option<Point>,
    /// What its nodes say now; set by [`ChainView::claim`].
    pub claimed: Option<Claimed>,
    /// Since when it is behind what they say.
    pub catch_up: Option<CatchUp>,
    /// Names of the sources that agree on `finalized`.
    pub sources: Vec<String>,
    /// How many sources were asked.
    pub source_count: u32,
    /// When a block counts as final, in words.
    pub rule: String,
    /// Why it is halted, where it is. The routes read it from the store, whoever halted it.
    pub halt: Option<HaltRow>,
    /// What went wrong last, and is not mended.
    pub last_error: Option<LastError>,
    /// Blocks not taken, newest last, at most [`LEFT_OUT_MAX`](super::LEFT_OUT_MAX).
    pub left_out: Vec<LeftOut>,
    /// Its nodes, as [`LiveNodes::report`](superroot_source::LiveNodes::report) tells of them, at most
    /// [`ENDPOINTS_MAX`](super::ENDPOINTS_MAX).
    pub endpoints: Vec<EndpointReport>,
    /// How many of its nodes must agree on a final block; `None` where there is no node.
    pub needed: Option<Needed>,
    /// What those of its nodes tell that fare well, whether enough agree or not.
    pub heard: Option<Heard>,
    /// The block that its nodes keep waiting.
    pub waiting: Option<Waiting>,
    /// The search for the first final block that its nodes contradict, while it goes on.
    pub search: Option<Differing>,
    /// When its loop began.
    pub began_at: Option<UnixSeconds>,
    /// When it last took a block, at either end.
    pub advanced_at: Option<UnixSeconds>,
    /// When it last took a final block.
    pub finalized_at: Option<UnixSeconds>,
    /// A chain that took no block for so long counts as stalled, in milliseconds; `None`:
    /// [`stalled_after_ms`](super::stalled_after_ms) of its block time.
    pub stalled_after_ms: Option<u64>,
    /// The same for final blocks; `None`:
    /// [`FINALITY_STALLED_AFTER_MS`](super::FINALITY_STALLED_AFTER_MS).
    pub finality_stalled_after_ms: Option<u64>,
    /// Older blocks that are being fetched.
    pub backfill: Option<Backfill>,
    /// Blocks held whose bodies are asked for again.
    pub repair: Option<Repair>,
    /// Which entries are indexed; `None` where nothing is collected.
    pub watch: Option<WatchView>,
    /// From which block on the log has withdrawn it: nothing of it is taken any more.
    pub withdrawn_from: Option<BlockNumber>,
}

impl ChainView {
    /// Notes that the log withdraws it from that block on, whatever else was known of it.
    pub fn withdraw(&mut self, from: BlockNumber) {
        (self.state, self.withdrawn_from) = (ChainStage::Withdrawn, Some(from));
    }

    /// Notes what its nodes say, beside what is held by then.
    pub fn claim(&mut self, claimed: Claimed) {
        self.claimed = Some(claimed);
        let held = self.finalized.map(|held| held.number);
        self.catch_up = match (self.behind_agreed(), held) {
            (Some(1..), Some(from)) => {
                Some(self.catch_up.unwrap_or(CatchUp { from, began_at: claimed.at }))
            }
            _ => None,
        };
    }

    /// The newest number that is held or that its nodes name: while they do not agree, any that fares
    /// well.
    #[must_use]
    pub fn newest_head(&self) -> Option<BlockNumber> {
        let held = self.head.map(|head| head.number);
        let claimed = self.claimed.map(|claimed| claimed.head);
        held.max(claimed).max(self.unagreed().map(|heard| heard.head))
    }

    /// Final blocks that its nodes have and that are not held; `None` where one of both is not known.
    /// While they do not agree, any counts that fares well.
    #[must_use]
    pub fn behind_blocks(&self) -> Option<u64> {
        let claimed = self.claimed.map(|claimed| claimed.finalized);
        let newest = claimed.max(self.unagreed().map(|heard| heard.finalized))?;
        Some(newest.0.saturating_sub(self.finalized?.number.0))
    }

    /// The same, as far as enough of its nodes agreed.
    fn behind_agreed(&self) -> Option<u64> {
        Some(self.claimed?.finalized.0.saturating_sub(self.finalized?.number.0))
    }

    /// What single nodes tell, where nothing newer is agreed on.
    fn unagreed(&self) -> Option<Heard> {
        self.heard.filter(|_| self.last_error.is_some())
    }

    /// How it catches up; `None` where it is not behind.
    #[must_use]
    pub fn pace(&self, now: UnixSeconds) -> Option<Pace> {
        let behind_blocks = self.behind_agreed().filter(|behind| *behind > 0)?;
        let CatchUp { from, began_at } = self.catch_up?;
        let taken = self.finalized?.number.0.saturating_sub(from.0);
        let seconds = now.0.saturating_sub(began_at.0);
        let per_second = || (taken as f64 / seconds as f64 * 10.0).round() / 10.0;
        let blocks_per_second = (seconds > 0).then(per_second);
        let left = u128::from(behind_blocks) * u128::from(seconds);
        let seconds_left = left.checked_div(u128::from(taken)).filter(|_| seconds > 0);
        let seconds_left = seconds_left.map(|left| u64::try_from(left).unwrap_or(u64::MAX));
        Some(Pace { behind_blocks, blocks_per_second, seconds_left })
    }
}

/// The text on one line, and short.
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
        let expected = Pace { behind_blocks: 1_000, blocks_per_second: None, seconds_left: None };
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
        let error = LastError::new(&"a\nb\u{1b}[31m".to_owned(), UnixSeconds(7));
        assert_eq!((error.message.as_str(), error.at), ("a b [31m", UnixSeconds(7)));
        let long = LastError::new(&"é".repeat(10_000), UnixSeconds(7));
        assert_eq!(long.message.chars().count(), TEXT_CHARS_MAX);
    }
}
