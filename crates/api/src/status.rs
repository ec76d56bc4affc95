//! How each chain fares at the moment: what the loops know, and the routes show.

use std::collections::HashMap;
use std::sync::{PoisonError, RwLock};

use superroot_types::{BlockNumber, ChainKey, Hash, UnixSeconds};

/// Blocks left out that are kept for a chain.
pub const LEFT_OUT_MAX: usize = 16;

/// What the service does with a chain at the moment.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum ChainStage {
    /// This build does not read it.
    #[default]
    Planned,
    /// It is read, and no block stands yet.
    Starting,
    /// Its head is followed.
    Following,
    /// Its sources gave nothing new for too long.
    Stalled,
    /// Its blocks are recordings: nothing new will come.
    Recorded,
}

impl ChainStage {
    /// The word used in JSON.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Planned => "planned",
            Self::Starting => "starting",
            Self::Following => "following",
            Self::Stalled => "stalled",
            Self::Recorded => "recorded",
        }
    }
}

/// A block as a source told it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Point {
    /// Its number.
    pub number: BlockNumber,
    /// Its hash.
    pub hash: Hash,
    /// Its time.
    pub timestamp: UnixSeconds,
}

/// A block that was not taken, and why.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LeftOut {
    /// Its number.
    pub number: BlockNumber,
    /// The reason, in words.
    pub reason: String,
}

/// How a chain fares. Heads are the sources' word; what is proven stands in proofs alone.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ChainView {
    /// What the service does with it.
    pub state: ChainStage,
    /// Newest block.
    pub head: Option<Point>,
    /// Newest block that its nodes call safe.
    pub safe: Option<Point>,
    /// Newest final block.
    pub finalized: Option<Point>,
    /// Names of the sources that agree on `finalized`.
    pub sources: Vec<String>,
    /// How many sources were asked.
    pub source_count: u32,
    /// When a block counts as final, in words.
    pub rule: String,
    /// What went wrong last.
    pub last_error: Option<String>,
    /// Blocks not taken, newest last, at most [`LEFT_OUT_MAX`].
    pub left_out: Vec<LeftOut>,
}

/// Tells how chains fare.
pub trait ChainStatus: Send + Sync {
    /// How the chain fares now; a planned chain's view where nothing is known. Never blocks on I/O.
    fn status(&self, chain: ChainKey) -> ChainView;
}

/// The views of all chains in memory: loops write, routes read.
#[derive(Debug, Default)]
pub struct StatusBoard {
    views: RwLock<HashMap<ChainKey, ChainView>>,
}

impl StatusBoard {
    /// A board without a view.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Changes the view of a chain. Blocks left out beyond [`LEFT_OUT_MAX`] are forgotten, oldest
    /// first.
    pub fn update(&self, chain: ChainKey, change: impl FnOnce(&mut ChainView)) {
        let mut views = self.views.write().unwrap_or_else(PoisonError::into_inner);
        let view = views.entry(chain).or_default();
        change(view);
        let surplus = view.left_out.len().saturating_sub(LEFT_OUT_MAX);
        view.left_out.drain(..surplus);
    }
}

impl ChainStatus for StatusBoard {
    fn status(&self, chain: ChainKey) -> ChainView {
        let views = self.views.read().unwrap_or_else(PoisonError::into_inner);
        views.get(&chain).cloned().unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use superroot_types::{ChainId, Family};

    const ETHEREUM: ChainKey = ChainKey { family: Family::Evm, id: ChainId(1) };

    #[test]
    fn a_chain_nobody_spoke_of_is_planned() {
        let view = StatusBoard::new().status(ETHEREUM);
        assert_eq!((view.state, view.head), (ChainStage::Planned, None));
    }

    #[test]
    fn an_update_is_seen_and_keeps_the_rest() {
        let board = StatusBoard::new();
        board.update(ETHEREUM, |view| view.state = ChainStage::Following);
        board.update(ETHEREUM, |view| view.rule = "finalized tag".into());
        let view = board.status(ETHEREUM);
        assert_eq!((view.state, view.rule.as_str()), (ChainStage::Following, "finalized tag"));
        let bitcoin = ChainKey { family: Family::Bitcoin, id: ChainId(1) };
        assert_eq!(board.status(bitcoin).state, ChainStage::Planned);
    }

    #[test]
    fn only_the_newest_blocks_left_out_are_kept() {
        let board = StatusBoard::new();
        for number in 0..40 {
            let left_out = LeftOut { number: BlockNumber(number), reason: "x".into() };
            board.update(ETHEREUM, |view| view.left_out.push(left_out));
        }
        let kept: Vec<_> =
            board.status(ETHEREUM).left_out.iter().map(|left| left.number.0).collect();
        assert_eq!(kept, (24..40).collect::<Vec<_>>());
    }
}
