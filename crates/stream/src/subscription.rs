//! What a listener wants.

use std::collections::BTreeSet;
use std::fmt;

use superroot_index::{Event, Filter};
use superroot_types::{ChainKey, Hash};

/// What events are about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Topic {
    /// SuperRoots as they are published.
    SuperRoot,
    /// Blocks as they come to stand in a SuperRoot.
    Anchored,
    /// Blocks as they are taken, and as they become final.
    Finality,
    /// Blocks that were final and count no more.
    Retraction,
    /// Events of blocks.
    Logs,
}

impl Topic {
    /// Every topic.
    pub const ALL: [Self; 5] =
        [Self::SuperRoot, Self::Anchored, Self::Finality, Self::Retraction, Self::Logs];

    /// Its name.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::SuperRoot => "superroot",
            Self::Anchored => "anchored",
            Self::Finality => "finality",
            Self::Retraction => "retraction",
            Self::Logs => "logs",
        }
    }

    /// The topic of that name.
    #[must_use]
    pub fn of_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|topic| topic.name() == name)
    }
}

impl fmt::Display for Topic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// When an event is delivered: as its block is taken, as it becomes final, or as it is anchored.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Finality {
    /// As its block is taken; it may be undone.
    Head,
    /// As its block becomes final.
    #[default]
    Finalized,
    /// As its block comes to stand in a SuperRoot.
    Anchored,
}

impl Finality {
    /// Its name.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Head => "head",
            Self::Finalized => "finalized",
            Self::Anchored => "anchored",
        }
    }
}

/// What a listener wants: topics, of chains; and of the topic `logs`, which events and when.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Subscription {
    /// Topics.
    pub topics: BTreeSet<Topic>,
    /// Chains; `None`: all.
    pub chains: Option<BTreeSet<ChainKey>>,
    /// Which events, of the topic `logs`.
    pub filter: Filter,
    /// When events of the topic `logs` are delivered.
    pub finality: Finality,
    /// Of the topic `anchored`: this transaction of that chain alone.
    pub transaction: Option<(ChainKey, Hash)>,
}

/// What an event is, as far as subscriptions look at it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// Of that topic.
    Of(Topic),
    /// Blocks that were taken are gone: for whoever is told of heads.
    Undone,
    /// Something is missing: for whoever would have been told.
    Gap {
        /// Whether it is events alone that are missing.
        is_of_logs: bool,
    },
    /// An event of a block, delivered to whoever waits for this finality.
    Log { finality: Finality, event: Box<Event> },
}

impl Kind {
    /// The name of the event.
    pub(crate) const fn name(&self) -> &'static str {
        match self {
            Self::Of(topic) => topic.name(),
            Self::Undone => "undone",
            Self::Gap { .. } => "gap",
            Self::Log { .. } => Topic::Logs.name(),
        }
    }
}

impl Subscription {
    /// Whether it is about that chain.
    #[must_use]
    pub fn has_chain(&self, chain: ChainKey) -> bool {
        self.chains.as_ref().is_none_or(|chains| chains.contains(&chain))
    }

    /// Whether it wants events of blocks.
    #[must_use]
    pub fn wants_logs(&self) -> bool {
        self.topics.contains(&Topic::Logs)
    }

    /// Whether an event passes. One that is of no chain passes whatever the chains.
    pub(crate) fn passes(&self, chain: Option<ChainKey>, kind: &Kind) -> bool {
        let is_of_heads = self.wants_logs() && self.finality == Finality::Head;
        chain.is_none_or(|chain| self.has_chain(chain))
            && match kind {
                Kind::Of(topic) => self.topics.contains(topic),
                Kind::Undone => self.topics.contains(&Topic::Finality) || is_of_heads,
                Kind::Gap { is_of_logs: true } => self.wants_logs(),
                Kind::Gap { is_of_logs: false } => {
                    self.topics.iter().any(|topic| *topic != Topic::SuperRoot)
                }
                Kind::Log { finality, event } => {
                    self.wants_logs() && *finality == self.finality && self.filter.passes(event)
                }
            }
    }
}
