use std::collections::BTreeSet;

use crate::leg::{Key16, Leg, LegKind};
use crate::state::OrderState;
use crate::table::{IdSource, ProtocolTable};

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Legs {
    /// The order's own legs.
    pub own: Vec<Leg>,
    /// Legs without an id that may belong to this order only.
    pub met: Vec<Leg>,
    /// Other orders with legs under this order's name.
    pub owners: BTreeSet<Key16>,
    /// Count for each kind, and whether more legs exist than counted.
    pub counts: Vec<(LegKind, usize, bool)>,
    /// Whether legs are omitted.
    pub is_cut: bool,
    /// Whether the legs without an id may also belong to another order.
    pub is_shared: bool,
    /// For the legs around one of too many equal transfers: whether legs before and behind these are omitted.
    pub near: Option<[bool; 2]>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ChainProgress {
    /// Time of the newest stored block.
    pub newest: Option<u64>,
    /// Whether every event that would fill the order is collected.
    pub is_followed: bool,
    /// Time since when no such event can be missing.
    pub whole_since: Option<u64>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ListedLeg {
    pub leg: Leg,
    /// Reason why the leg does not count; `None`: it counts.
    pub mismatch: Option<&'static str>,
}

/// State change and the leg that shows the change.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Transition {
    pub state: OrderState,
    /// The leg's block time; for `expired` the deadline.
    pub at: u64,
    /// Index in [`Order::legs`]; `None` for `expired`, which has no event.
    pub leg: Option<usize>,
}

/// Next expected event.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AwaitedEvent {
    /// Event name, or a description for several alternatives.
    pub event: String,
    pub chain: Option<u64>,
    /// Latest time that counts.
    pub before: Option<u64>,
    /// Reason if the event can never be proven, because the ledger keeps it outside its tries.
    pub not_provable: Option<String>,
}

/// Reason why no further progress is visible.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stuck {
    /// Stable code.
    pub reason: String,
    /// Sentence for readers.
    pub detail: String,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Order {
    pub id: String,
    pub protocol: String,
    pub state: OrderState,
    /// Whether final events show that nothing more happens to the user's money.
    pub is_terminal: bool,
    /// Whether the order would be terminal if every deciding event were final.
    pub is_decided_at_head: bool,
    pub legs: Vec<ListedLeg>,
    /// Count for each kind, and whether more legs exist than counted.
    pub counts: Vec<(LegKind, usize, bool)>,
    /// Whether legs are omitted from the list.
    pub is_cut: bool,
    /// Index of the opening in `legs`.
    pub opening: Option<usize>,
    /// Number of indistinguishable openings: above 1 only for equal openings with one id, or without an id.
    pub identical: usize,
    pub origin: Option<u64>,
    pub destination: Option<u64>,
    /// Latest time for a fill.
    pub deadline: Option<u64>,
    /// Latest time for a swap on arrival; the transfer still arrives later.
    pub swap_deadline: Option<u64>,
    /// State changes, in order.
    pub transitions: Vec<Transition>,
    pub next: Option<AwaitedEvent>,
    pub stuck: Option<Stuck>,
}

impl Order {
    /// Whether the state rests on a missing event: an expiry, or a refund known by the amount alone.
    pub(crate) fn rests_on_absence(&self) -> bool {
        matches!(self.state, OrderState::Expired | OrderState::Refunded)
    }

    /// Whether a hash is the order's own name: an id made by a contract, or one of its transactions. Any other name is
    /// chosen by a wrapper's caller.
    #[must_use]
    pub fn is_named_by_itself(&self, hash: &str) -> bool {
        let protocol = ProtocolTable::builtin().protocol(&self.protocol);
        let is_made = protocol.is_some_and(|protocol| protocol.id_by != IdSource::Caller);
        let is_of = |leg: &Leg| leg.tx_hash.is_some_and(|own| own.to_string() == hash);
        (is_made && self.id == hash) || self.legs.iter().any(|one| is_of(&one.leg))
    }
}
