//! What the service does with a chain, in one word, and when a chain counts as stalled.

/// A chain is stalled when it took nothing new for so many of its block times, ...
const STALLED_AFTER_BLOCKS: u64 = 20;
/// ... but not before so long, in milliseconds.
const STALLED_AFTER_MS_MIN: u64 = 120_000;

/// A chain whose head moves is stalled when nothing became final for so long, in milliseconds: some
/// rollups' blocks become final hours later, and many at a time.
pub const FINALITY_STALLED_AFTER_MS: u64 = 6 * 3_600_000;

/// How long a chain of that block time may take nothing new before it counts as stalled: 20 block
/// times, two minutes at least. In milliseconds.
#[must_use]
pub fn stalled_after_ms(block_time_ms: u64) -> u64 {
    block_time_ms.saturating_mul(STALLED_AFTER_BLOCKS).max(STALLED_AFTER_MS_MIN)
}

/// What the service does with a chain at the moment.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum ChainStage {
    /// No source of it is configured here.
    #[default]
    NotFollowed,
    /// It is followed, and no block stands yet.
    Starting,
    /// Final blocks are taken that its nodes have had before: it is behind them.
    CatchingUp,
    /// Its head is followed, and older blocks are fetched. One that is behind meanwhile catches up.
    Backfilling,
    /// Its head is followed.
    Following,
    /// Its sources gave nothing new for too long.
    Stalled,
    /// Its nodes contradict what was final: nothing more is taken until an operator decides.
    Halted,
    /// Its blocks are recordings: nothing new will come.
    Recorded,
    /// The log has withdrawn it: nothing of it is taken any more, and nothing lets it go on.
    Withdrawn,
}

impl ChainStage {
    /// Every stage.
    pub const ALL: [Self; 9] = [
        Self::NotFollowed,
        Self::Starting,
        Self::CatchingUp,
        Self::Backfilling,
        Self::Following,
        Self::Stalled,
        Self::Halted,
        Self::Recorded,
        Self::Withdrawn,
    ];

    /// The word used in JSON.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::NotFollowed => "not_followed",
            Self::Starting => "starting",
            Self::CatchingUp => "catching_up",
            Self::Backfilling => "backfilling",
            Self::Following => "following",
            Self::Stalled => "stalled",
            Self::Halted => "halted",
            Self::Recorded => "recorded",
            Self::Withdrawn => "withdrawn",
        }
    }

    /// Whether new blocks are awaited.
    #[must_use]
    pub const fn is_live(self) -> bool {
        matches!(
            self,
            Self::Starting | Self::CatchingUp | Self::Backfilling | Self::Following | Self::Stalled
        )
    }

    /// Whether whoever waits for a block of it waits in vain, as far as is known.
    #[must_use]
    pub const fn is_stopped(self) -> bool {
        matches!(self, Self::NotFollowed | Self::Stalled | Self::Halted | Self::Withdrawn)
    }
}
