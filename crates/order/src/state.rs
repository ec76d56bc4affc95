//! States of an order.

use serde::Deserialize;

/// How far an order has come. Later ones rank higher.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum State {
    /// A step of it was seen, and no opening.
    StepSeen,
    /// It was opened.
    Opened,
    /// Its last moment has passed on the destination, and nothing was filled there.
    Expired,
    /// A part of it was filled.
    PartiallyFilled,
    /// A fill was seen that anybody may make, and no opening whose terms it could have.
    FillSeen,
    /// It was filled.
    Filled,
    /// Both sides are done.
    Settled,
    /// The destination tried, failed, and does not try again.
    Failed,
    /// It was called off.
    Cancelled,
    /// What was paid in was paid back.
    Refunded,
}

impl State {
    /// Its name.
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
