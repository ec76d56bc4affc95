//! Steps of orders as they are told: what each event of a block makes of its order, as the order's answer says it.

use std::collections::HashMap;
use std::collections::hash_map::Entry;

use superroot_store::layout::{block_key, end_of_prefix};
use superroot_store::{Direction, Store, StoreError, Table as Rows};
use superroot_types::{BlockNumber, ChainKey};

use crate::leg::{Key16, Leg, legs_prefix};
use crate::load::{load_order, owner};
use crate::order::{Listed, Order};
use crate::state::State;
use crate::table::Table;

/// Legs of one block that are told, at most: more than its gas pays for.
const LEGS_MAX: usize = 32_768;

/// One event, and the order that it is of.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Step {
    /// What the event says; its kind is what it makes of the order.
    pub leg: Leg,
    /// The order that it is of: another one than the leg's own name where it has none of its own.
    pub order_id: String,
    /// How far that order has come.
    pub state: State,
    /// Whether nothing more happens to the user's money, by events that are final.
    pub is_terminal: bool,
    /// Why the event does not count; `None`: it does.
    pub mismatch: Option<&'static str>,
}

/// The steps that the events of a block make, by place.
///
/// # Errors
/// Those of the store.
pub fn load_steps(
    store: &dyn Store,
    chain: ChainKey,
    number: BlockNumber,
) -> Result<Vec<Step>, StoreError> {
    let prefix = legs_prefix(&block_key(chain, number));
    let end = end_of_prefix(&prefix);
    let rows = store.scan(Rows::Order, &prefix, end.as_deref(), LEGS_MAX, Direction::Rising)?;
    let mut orders: HashMap<Key16, Option<Order>> = HashMap::new();
    let mut steps = Vec::with_capacity(rows.len());
    for (key, bytes) in rows {
        let leg = Leg::decode(&key, &bytes)?;
        let Some(protocol) = Table::builtin().by_number(leg.protocol) else { continue };
        let own = leg.order(&protocol.name);
        let key = owner(store, &own, leg.terms.as_ref())?.unwrap_or(own);
        let order = match orders.entry(key) {
            Entry::Occupied(known) => known.into_mut(),
            Entry::Vacant(place) => place.insert(load_order(store, &key)?),
        };
        steps.extend(order.as_ref().map(|order| step(leg, order)));
    }
    Ok(steps)
}

fn step(leg: Leg, order: &Order) -> Step {
    let listed = order.legs.iter().find(|one| one.leg.place == leg.place).cloned();
    let (state, is_terminal) = (order.state, order.is_terminal);
    match listed {
        Some(Listed { leg, mismatch: None }) => {
            Step { leg, order_id: order.id.clone(), state, is_terminal, mismatch: None }
        }
        // of many legs not all are listed; what is nobody's goes by its own name
        listed => {
            let mismatch = listed.and_then(|listed| listed.mismatch);
            Step { order_id: leg.id.clone(), leg, state, is_terminal, mismatch }
        }
    }
}
