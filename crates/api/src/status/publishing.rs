//! Publishing state, and the reason for a stop.

/// Publishing state. `why` is public; `detail`, for the operator only, names locations.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Publishing {
    /// New data is published in new SuperRoots.
    #[default]
    On,
    /// Earlier SuperRoots are published again, before any new one.
    Repeating {
        /// Progress.
        why: String,
    },
    /// Nothing is published: this folder may be an older copy, has no log key, or its disk is almost full.
    Held {
        /// Reason.
        why: String,
        /// Remedy and location.
        detail: String,
    },
    /// Publishing has ended: the log's key signed two histories.
    Forked {
        /// Sign that revealed the fork.
        why: String,
        /// Evidence location.
        detail: String,
    },
}

impl Publishing {
    /// State for a full disk.
    pub(super) fn no_room() -> Self {
        let why = "the disk is almost full, so nothing is written".to_owned();
        Self::Held { why, detail: "All goes on by itself once there is room.".to_owned() }
    }

    /// Name in JSON.
    #[must_use]
    pub const fn name(&self) -> &'static str {
        match self {
            Self::On => "on",
            Self::Repeating { .. } => "repeating",
            Self::Held { .. } => "held",
            Self::Forked { .. } => "forked",
        }
    }

    /// Reason for a stop, without locations on this machine.
    #[must_use]
    pub fn why(&self) -> Option<&str> {
        match self {
            Self::On => None,
            Self::Repeating { why } | Self::Held { why, .. } | Self::Forked { why, .. } => {
                Some(why)
            }
        }
    }

    /// Reason and remedy for the operator.
    #[must_use]
    pub fn in_full(&self) -> Option<String> {
        match self {
            Self::On => None,
            Self::Repeating { why } => Some(why.clone()),
            Self::Held { why, detail } | Self::Forked { why, detail } => {
                Some(format!("{why}. {detail}"))
            }
        }
    }
}
