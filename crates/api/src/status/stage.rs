//! Chain stages, and the stall limits.

/// Block times without a new block until a chain is stalled ...
const STALLED_AFTER_BLOCKS: u64 = 20;
/// ... but at least this time in milliseconds.
const STALLED_AFTER_MS_MIN: u64 = 120_000;

/// Time without a final block until a moving chain is stalled, in milliseconds: on some rollups blocks become final
/// hours later, and many at once.
pub const FINALITY_STALLED_AFTER_MS: u64 = 6 * 3_600_000;

/// Time without a new block until a chain is stalled, in milliseconds: 20 block times, at least two minutes.
#[must_use]
pub fn stalled_after_ms(block_time_ms: u64) -> u64 {
    block_time_ms.saturating_mul(STALLED_AFTER_BLOCKS).max(STALLED_AFTER_MS_MIN)
}

/// Current activity on a chain.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum ChainStage {
    /// No source configured.
    #[default]
    NotFollowed,
    /// Followed, no block yet.
    Starting,
    /// Behind its nodes: collecting older final blocks.
    CatchingUp,
    /// Following the head and downloading older blocks. If it falls behind, it catches up first.
    Backfilling,
    /// Following the head.
    Following,
    /// No new block from its sources for too long.
    Stalled,
    /// Its nodes contradict a final block: collection stops until an operator decides.
    Halted,
    /// Recorded blocks only; no new ones will come.
    Recorded,
    /// Withdrawn by the log: collection has ended for good.
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

    /// Name in JSON.
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

    /// Whether new blocks are expected.
    #[must_use]
    pub const fn is_live(self) -> bool {
        matches!(
            self,
            Self::Starting | Self::CatchingUp | Self::Backfilling | Self::Following | Self::Stalled
        )
    }

    /// Whether waiting for a block is useless, as far as is known.
    #[must_use]
    pub const fn is_stopped(self) -> bool {
        matches!(self, Self::NotFollowed | Self::Stalled | Self::Halted | Self::Withdrawn)
    }
}
