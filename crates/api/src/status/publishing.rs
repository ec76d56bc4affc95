//! Whether SuperRoots are published, and if not, why.

/// How publishing goes. `why` is for everybody; `detail`, for the operator alone, names places.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Publishing {
    /// A SuperRoot comes with what is new.
    #[default]
    On,
    /// SuperRoots that were published once come out again, before any is published anew.
    Repeating {
        /// How far it is.
        why: String,
    },
    /// Nothing is published: this folder may be an older copy, or lacks the log's key.
    Held {
        /// Why.
        why: String,
        /// What to do, and where.
        detail: String,
    },
    /// Nothing is published any more: the log's key signed two histories.
    Forked {
        /// What showed it.
        why: String,
        /// Where the evidence is.
        detail: String,
    },
}

impl Publishing {
    /// Nothing can be written.
    pub(super) fn no_room() -> Self {
        let why = "the disk is almost full, so nothing is written".to_owned();
        Self::Held { why, detail: "All goes on by itself once there is room.".to_owned() }
    }

    /// The word used in JSON.
    #[must_use]
    pub const fn name(&self) -> &'static str {
        match self {
            Self::On => "on",
            Self::Repeating { .. } => "repeating",
            Self::Held { .. } => "held",
            Self::Forked { .. } => "forked",
        }
    }

    /// Why it is not on; names no place of this machine.
    #[must_use]
    pub fn why(&self) -> Option<&str> {
        match self {
            Self::On => None,
            Self::Repeating { why } | Self::Held { why, .. } | Self::Forked { why, .. } => {
                Some(why)
            }
        }
    }

    /// The same for the operator, with what to do.
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
