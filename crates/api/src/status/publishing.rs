//! Whether SuperRoots are published, and if not, why.

/// How publishing goes.
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
        /// Why, and how to go on.
        why: String,
    },
    /// Nothing is published any more: the log's key signed two histories.
    Forked {
        /// What showed it.
        why: String,
    },
}

impl Publishing {
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

    /// Why it is not on.
    #[must_use]
    pub fn why(&self) -> Option<&str> {
        match self {
            Self::On => None,
            Self::Repeating { why } | Self::Held { why } | Self::Forked { why } => Some(why),
        }
    }
}
