//! An order, and what it is made of.

use crate::leg::{Kind, Leg};
use crate::state::State;
use crate::table::{IdSource, Table};

/// The legs of an order.
#[derive(Clone, Debug, Default)]
pub struct Legs {
    /// Its own.
    pub own: Vec<Leg>,
    /// Those that have no id, and that it alone may mean.
    pub met: Vec<Leg>,
    /// Legs of each kind, and whether there are more than counted.
    pub counts: Vec<(Kind, usize, bool)>,
    /// Whether legs are left out.
    pub is_cut: bool,
    /// Whether another order may mean the legs that have no id as well.
    pub is_shared: bool,
}

/// How far a chain is known.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Clock {
    /// Time of its newest block that is held.
    pub newest: Option<u64>,
    /// Whether every event that would fill the order is collected as it comes.
    pub is_followed: bool,
    /// Time from which on no such event can have been missed.
    pub whole_since: Option<u64>,
}

/// A leg, and whether it counts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Listed {
    /// The leg.
    pub leg: Leg,
    /// Why it does not count; `None`: it does.
    pub mismatch: Option<&'static str>,
}

/// A change of state, and the leg that shows it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Transition {
    /// The state.
    pub state: State,
    /// When: the time of the leg's block; of `expired` the last moment.
    pub at: u64,
    /// Place of its leg in [`Order::legs`]; `None` of `expired`, which no event shows.
    pub leg: Option<usize>,
}

/// What is awaited.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Awaits {
    /// The event, in words where it is one of several.
    pub event: String,
    /// Its chain, where that is known.
    pub chain: Option<u64>,
    /// Until when it counts.
    pub before: Option<u64>,
    /// Why it can never be shown, where its ledger keeps it outside its tries.
    pub not_provable: Option<String>,
}

/// Why nothing more is to be seen of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stuck {
    /// A stable word.
    pub reason: String,
    /// The same in a sentence.
    pub detail: String,
}

/// An order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Order {
    /// Its id.
    pub id: String,
    /// Name of its protocol.
    pub protocol: String,
    /// How far it has come.
    pub state: State,
    /// Whether nothing more happens to the user's money, by events that are final.
    pub is_terminal: bool,
    /// Whether it would be terminal if every event that decides it were final.
    pub is_decided_at_head: bool,
    /// The legs that are listed, by time.
    pub legs: Vec<Listed>,
    /// Legs of each kind, and whether there are more than counted.
    pub counts: Vec<(Kind, usize, bool)>,
    /// Whether legs are left out of the list.
    pub is_cut: bool,
    /// Place of the opening in `legs`.
    pub opening: Option<usize>,
    /// Openings that cannot be told apart: 1 but for equal ones of one id, or without an id.
    pub identical: usize,
    /// Where it begins.
    pub origin: Option<u64>,
    /// Where it ends.
    pub destination: Option<u64>,
    /// Last moment of a fill.
    pub deadline: Option<u64>,
    /// Last moment of a swap on arrival: the transfer arrives after it as well.
    pub swap_deadline: Option<u64>,
    /// Changes of state, in order.
    pub transitions: Vec<Transition>,
    /// What is awaited.
    pub next: Option<Awaits>,
    /// Why nothing more is to be seen.
    pub stuck: Option<Stuck>,
}

impl Order {
    /// Whether a hash is its own name: an id that a contract makes, or a transaction of it. Whoever calls a wrapper
    /// chooses any other.
    #[must_use]
    pub fn is_named_by_itself(&self, hash: &str) -> bool {
        let protocol = Table::builtin().protocol(&self.protocol);
        let is_made = protocol.is_some_and(|protocol| protocol.id_by != IdSource::Caller);
        let is_of = |leg: &Leg| leg.tx_hash.is_some_and(|own| own.to_string() == hash);
        (is_made && self.id == hash) || self.legs.iter().any(|one| is_of(&one.leg))
    }
}
