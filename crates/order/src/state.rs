//! States of an order.

use serde::Deserialize;

/// How far an order has come. Later ones rank higher.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum State {
    /// It was opened.
    Opened,
    /// Its last moment has passed on the destination, and nothing was filled there.
    Expired,
    /// A part of it was filled.
    PartiallyFilled,
    /// It was filled.
    Filled,
    /// Both sides are done.
    Settled,
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
            Self::Opened => "opened",
            Self::Expired => "expired",
            Self::PartiallyFilled => "partially_filled",
            Self::Filled => "filled",
            Self::Settled => "settled",
            Self::Cancelled => "cancelled",
            Self::Refunded => "refunded",
        }
    }
}
