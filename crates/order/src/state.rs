use serde::Deserialize;

/// An order's progress. Later states rank higher.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum OrderState {
    /// A step was seen, without an opening.
    StepSeen,
    Opened,
    /// The deadline passed at the destination without a fill.
    Expired,
    PartiallyFilled,
    /// A fill that anyone may make was seen, without a matching opening.
    FillSeen,
    Filled,
    /// Both sides are done.
    Settled,
    /// The destination tried, failed, and does not retry.
    Failed,
    Cancelled,
    /// The deposit was paid back.
    Refunded,
}

impl OrderState {
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::StepSeen => "step_seen",
            Self::Opened => "opened",
            Self::Expired => "expired",
            Self::PartiallyFilled => "partially_filled",
            Self::FillSeen => "fill_seen",
            Self::Filled => "filled",
            Self::Settled => "settled",
            Self::Failed => "failed",
            Self::Cancelled => "cancelled",
            Self::Refunded => "refunded",
        }
    }
}
