//! Order steps for events: the effect of each event in a block on its order, in the words of the order's answer.

use std::collections::hash_map::Entry;
use std::collections::{BTreeSet, HashMap};

use superroot_store::layout::{block_key, end_of_prefix};
use superroot_store::{ScanOrder, Store, StoreError, Table};
use superroot_types::{BlockNumber, ChainKey};

use crate::fit::mismatch;
use crate::leg::{Key16, Leg, LegKind, LegPosition, legs_prefix};
use crate::load::{load_own, load_round, owner_of};
use crate::order::{ListedLeg, Order};
use crate::rounds::{LegQuery, has_rounds};
use crate::state::OrderState;
use crate::table::ProtocolTable;

/// Most legs reported for one block: more than its gas pays for.
const LEGS_MAX: usize = 32_768;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Step {
    /// Event content; the kind is the effect on the order.
    pub leg: Leg,
    /// Order id; differs from the leg's own name if the leg belongs to another order.
    pub order_id: String,
    pub state: OrderState,
    /// Whether final events show that nothing more happens to the user's money.
    pub is_terminal: bool,
    /// Reason why the event does not count; `None`: it counts.
    pub mismatch: Option<&'static str>,
}

/// Order steps from a block's events, by position.
pub fn load_steps(
    store: &dyn Store,
    chain: ChainKey,
    number: BlockNumber,
) -> Result<Vec<Step>, StoreError> {
    let prefix = legs_prefix(&block_key(chain, number));
    let end = end_of_prefix(&prefix);
    let rows = store.scan(Table::Order, &prefix, end.as_deref(), LEGS_MAX, ScanOrder::Rising)?;
    let mut orders: HashMap<(Key16, Option<LegPosition>), Option<Order>> = HashMap::new();
    let mut names: HashMap<Key16, BTreeSet<Key16>> = HashMap::new();
    let mut steps = Vec::with_capacity(rows.len());
    for (key, bytes) in rows {
        let leg = Leg::decode(&key, &bytes)?;
        let Some(protocol) = ProtocolTable::builtin().by_number(leg.protocol) else { continue };
        let own = leg.order(&protocol.name);
        let owners = match names.entry(own) {
            Entry::Occupied(known) => known.into_mut(),
            Entry::Vacant(entry) => entry.insert(load_own(store, &own)?.owners),
        };
        let key = owner_of(store, owners, leg.terms.as_ref())?.unwrap_or(own);
        let place = has_rounds(leg.protocol).then_some(leg.place);
        let order = match orders.entry((key, place)) {
            Entry::Occupied(known) => known.into_mut(),
            Entry::Vacant(entry) => {
                entry.insert(load_round(store, &key, place.map(LegQuery::Leg))?)
            }
        };
        steps.extend(order.as_ref().map(|order| step(leg, order)));
    }
    Ok(steps)
}

fn step(leg: Leg, order: &Order) -> Step {
    let listed = order.legs.iter().find(|one| one.leg.place == leg.place).cloned();
    let state = order.state;
    let is_terminal = order.is_terminal;
    match listed {
        Some(ListedLeg { leg, mismatch: None }) => {
            Step { leg, order_id: order.id.clone(), state, is_terminal, mismatch: None }
        }
        // what is nobody's goes by its own name
        Some(ListedLeg { mismatch, .. }) => {
            Step { order_id: leg.id.clone(), leg, state, is_terminal, mismatch }
        }
        // of many legs not all are listed: such a one is compared with the openings alone
        None => {
            let openings = order.legs.iter().filter(|one| one.leg.kind == LegKind::Opened);
            let faults: Vec<_> = openings.map(|one| mismatch(&one.leg, &leg)).collect();
            let fits = faults.iter().any(Option::is_none);
            let mismatch = faults.first().copied().flatten().filter(|_| !fits);
            Step { order_id: leg.id.clone(), leg, state, is_terminal, mismatch }
        }
    }
}
