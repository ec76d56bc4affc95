//! Loads an order's legs and the chains' known progress.

use std::collections::BTreeSet;

use superroot_index::{EVENTS, EventFilter, gaps, is_followed};
use superroot_proof::ledger::Body;
use superroot_proof::ledger::evm::{Receipt, ReceiptStatus};
use superroot_store::feed::load_standing;
use superroot_store::layout::end_of_prefix;
use superroot_store::{Row, ScanOrder, Store, StoreError, Table, read};
use superroot_types::{BlockNumber, ChainId, ChainKey, Family, Hash};

use crate::assemble::{Knowledge, assemble};
use crate::leg::{
    Key16, Leg, LegKind, LegPosition, kind_of_key, leg_key, name_key, name_prefix, order_prefix,
};
use crate::order::{ChainProgress, Legs, Order};
use crate::rounds::{LegQuery, has_rounds, round_of};
use crate::table::{OrderProtocol, OrderSide, ProtocolTable};

/// Legs of an order read in full. Beyond this number, only the oldest and newest of each kind.
pub const LISTED_MAX: usize = 512;
/// Legs read per kind from each end of a large order.
const OF_END_MAX: usize = 16;
/// Most legs of one kind to count.
const COUNTED_MAX: usize = 1_000;
/// Most legs of a kind counted around a leg.
const RANKED_MAX: usize = 8_192;
/// Legs read per kind before and behind a leg.
const NEAR_MAX: usize = 128;
/// Most names for joining other legs.
const JOINS_MAX: usize = 64;

/// Order, of equal transfers without ids the one with the asked leg, else the newest.
pub(crate) fn load_round(
    store: &dyn Store,
    key: &Key16,
    asked: Option<LegQuery>,
) -> Result<Option<Order>, StoreError> {
    assemble_round(store, key, load_own(store, key)?, asked)
}

/// [`load_round`] with the order's own legs at hand.
pub(crate) fn assemble_round(
    store: &dyn Store,
    key: &Key16,
    own: Legs,
    asked: Option<LegQuery>,
) -> Result<Option<Order>, StoreError> {
    let near = |own| load_near(store, key, own, asked);
    let mut legs = load_joined(store, key, near(own)?)?;
    loop {
        let order = assemble(round_of(legs.clone(), asked), &StoredKnowledge { store })?;
        // an absence counts only if the legs are as new as the progress that was read after them
        let rests_on_absence = order.as_ref().is_some_and(Order::rests_on_absence);
        let again = match rests_on_absence {
            true => load_joined(store, key, near(load_own(store, key)?)?)?,
            false => legs.clone(),
        };
        if again == legs {
            return Ok(order);
        }
        legs = again;
    }
}

/// Knowledge from a store, besides legs.
struct StoredKnowledge<'a> {
    store: &'a dyn Store,
}

impl Knowledge for StoredKnowledge<'_> {
    fn clock(
        &self,
        chain: u64,
        protocol: &OrderProtocol,
        since: u64,
    ) -> Result<ChainProgress, StoreError> {
        clock(self.store, chain, protocol, since)
    }

    fn is_final(&self, place: &LegPosition) -> Result<bool, StoreError> {
        let state = read::load_chain_state(self.store, place.chain)?;
        let last = state.and_then(|state| state.indexed).map(|tip| tip.number);
        let contested = read::load_contested(self.store, place.chain)?;
        Ok(last.is_some_and(|last| place.number <= last)
            && contested.is_none_or(|first| place.number < first))
    }

    fn has_succeeded(&self, chain: ChainKey, hash: &Hash) -> Result<Option<bool>, StoreError> {
        for place in read::find_transaction(self.store, chain, hash)? {
            let body = read::load_body(self.store, chain, place.number)?;
            // the index holds a part of the hash
            let is_it = |body: &Body| {
                body.transaction_hash(place.tx_index).is_ok_and(|own| own == Some(*hash))
            };
            let Some(Body::Evm(tries)) = body.filter(is_it) else { continue };
            let leaf = tries.receipts.as_ref().map(|trie| trie.leaf(place.tx_index.into()));
            let receipt = leaf.and_then(|leaf| Receipt::decode(leaf.ok()??).ok());
            if let Some(ReceiptStatus::Status(status)) = receipt.map(|receipt| receipt.outcome) {
                return Ok(Some(status));
            }
        }
        Ok(None)
    }
}

/// An order's legs: all, or for large orders the oldest and newest of each kind.
pub fn load_legs(store: &dyn Store, key: &Key16) -> Result<Legs, StoreError> {
    load_joined(store, key, load_own(store, key)?)
}

/// Legs under an order's own name, without joined ones.
pub(crate) fn load_own(store: &dyn Store, key: &Key16) -> Result<Legs, StoreError> {
    let mut legs = Legs::default();
    let places = places_of(store, key)?;
    legs.is_cut = places.is_cut;
    legs.counts = places.counts;
    for place in places.places {
        let Some(leg) = load_leg(store, &place)? else { continue };
        let Some(protocol) = ProtocolTable::builtin().by_number(leg.protocol) else { continue };
        let order = leg.order(&protocol.name);
        if order == *key {
            legs.own.push(leg);
        } else {
            legs.owners.insert(order);
        }
    }
    Ok(legs)
}

/// Of too many equal transfers without ids, the openings and fills around the asked leg, else the newest. Both are
/// counted from the first on: the same number of each is left out before.
fn load_near(
    store: &dyn Store,
    key: &Key16,
    own: Legs,
    asked: Option<LegQuery>,
) -> Result<Legs, StoreError> {
    let has_rounds = own.own.first().is_some_and(|leg| has_rounds(leg.protocol));
    if !own.is_cut || !has_rounds {
        return Ok(own);
    }
    let places = |kind| -> Result<Vec<LegPosition>, StoreError> {
        let prefix = order_prefix(key, Some(kind), None);
        let rows = scan(store, &prefix, RANKED_MAX + 1, ScanOrder::Rising)?;
        let mut found = LegPlaces::default();
        found.take(&rows)?;
        Ok(found.places)
    };
    let (openings, fills) = (places(LegKind::Opened)?, places(LegKind::Filled)?);
    if openings.len().max(fills.len()) > RANKED_MAX {
        return Ok(own);
    }
    let asked = match asked {
        Some(LegQuery::Leg(place)) => Some(place),
        Some(LegQuery::Transaction(hash)) => {
            let name = name_prefix(&name_key("tx", &hash.to_string()), Some(key));
            let rows = scan(store, &name, 1, ScanOrder::Falling)?;
            rows.first().and_then(|(key, _)| LegPosition::at_end(key))
        }
        None => None,
    };
    let rank = asked.and_then(|asked| {
        let of = |places: &[LegPosition]| places.iter().position(|place| *place == asked);
        of(&openings).or_else(|| of(&fills))
    });
    let rank = rank.unwrap_or_else(|| openings.len().saturating_sub(1));
    let window = rank.saturating_sub(NEAR_MAX)..rank.saturating_add(NEAR_MAX + 1);
    let omitted = [window.start > 0, openings.len().max(fills.len()) > window.end];
    let near = |places: Vec<LegPosition>| {
        places.into_iter().enumerate().filter(|(at, _)| window.contains(at)).map(|(_, place)| place)
    };
    let mut legs = Legs { owners: own.owners, near: Some(omitted), ..Legs::default() };
    for place in near(openings).chain(near(fills)) {
        legs.own.extend(load_leg(store, &place)?);
    }
    // few of other kinds are read already
    let others = own.own.into_iter();
    let is_other = |leg: &Leg| !matches!(leg.kind, LegKind::Opened | LegKind::Filled);
    legs.own.extend(others.filter(is_other));
    for kind in LegKind::ALL {
        let count = legs.own.iter().filter(|leg| leg.kind == kind).count();
        legs.counts.extend((count > 0).then_some((kind, count, false)));
    }
    Ok(legs)
}

fn load_joined(store: &dyn Store, key: &Key16, mut legs: Legs) -> Result<Legs, StoreError> {
    let joined = |leg: &Leg| leg.joined(ProtocolTable::builtin().by_number(leg.protocol)?);
    let joins: BTreeSet<_> = legs.own.iter().filter_map(joined).collect();
    legs.is_cut |= joins.len() > JOINS_MAX;
    for join in joins.into_iter().take(JOINS_MAX) {
        meet(store, key, &join, &mut legs)?;
    }
    Ok(legs)
}

/// Adds legs under another name: legs without an owner, and if another order shares the name, only legs with the same
/// terms.
fn meet(store: &dyn Store, own: &Key16, name: &Key16, legs: &mut Legs) -> Result<(), StoreError> {
    let places = places_of(store, name)?;
    let mut met = Vec::new();
    let mut is_shared = places.is_cut;
    for place in places.places {
        let Some(leg) = load_leg(store, &place)? else { continue };
        if is_of(&leg, name) {
            met.push(leg);
        } else if !is_of(&leg, own) {
            is_shared = true;
        }
    }
    legs.is_shared |= is_shared && !met.is_empty();
    if is_shared {
        let own = legs.own.iter().filter(|leg| leg.kind == LegKind::Opened);
        let terms: BTreeSet<_> = own.filter_map(|leg| leg.terms).collect();
        met.retain(|leg| leg.terms.is_some_and(|said| terms.contains(&said)));
    }
    legs.met.extend(met);
    Ok(())
}

fn is_of(leg: &Leg, key: &Key16) -> bool {
    let protocol = ProtocolTable::builtin().by_number(leg.protocol);
    protocol.is_some_and(|protocol| leg.order(&protocol.name) == *key)
}

/// Of the other orders that share a name, the one that owns a leg under it; among several, the one whose opening has these
/// terms.
pub(crate) fn owner_of(
    store: &dyn Store,
    owners: &BTreeSet<Key16>,
    terms: Option<&Key16>,
) -> Result<Option<Key16>, StoreError> {
    let Some(terms) = terms.filter(|_| owners.len() > 1) else { return Ok(only(owners)) };
    let mut meant = BTreeSet::new();
    for owner in owners {
        let opening = order_prefix(owner, Some(LegKind::Opened), Some(terms));
        if !scan(store, &opening, 1, ScanOrder::Rising)?.is_empty() {
            meant.insert(*owner);
        }
    }
    Ok(only(&meant))
}

/// A name's only owner; `None` if there are several.
pub(crate) fn only(owners: &BTreeSet<Key16>) -> Option<Key16> {
    owners.first().filter(|_| owners.len() == 1).copied()
}

/// `None` if the block was undone meanwhile.
fn load_leg(store: &dyn Store, place: &LegPosition) -> Result<Option<Leg>, StoreError> {
    let key = leg_key(place);
    store.get(Table::Order, &key)?.map(|bytes| Leg::decode(&key, &bytes)).transpose()
}

#[derive(Default)]
struct LegPlaces {
    places: Vec<LegPosition>,
    counts: Vec<(LegKind, usize, bool)>,
    is_cut: bool,
}

impl LegPlaces {
    fn take(&mut self, rows: &[Row]) -> Result<(), StoreError> {
        for (key, _) in rows {
            let corrupt = || StoreError::corrupt(Table::Order, key, "not a key of an order");
            self.places.push(LegPosition::at_end(key).ok_or_else(corrupt)?);
        }
        Ok(())
    }
}

fn scan(
    store: &dyn Store,
    prefix: &[u8],
    limit: usize,
    direction: ScanOrder,
) -> Result<Vec<Row>, StoreError> {
    store.scan(Table::Order, prefix, end_of_prefix(prefix).as_deref(), limit, direction)
}

fn places_of(store: &dyn Store, key: &Key16) -> Result<LegPlaces, StoreError> {
    let mut places = LegPlaces::default();
    let rows = scan(store, &order_prefix(key, None, None), LISTED_MAX + 1, ScanOrder::Rising)?;
    if rows.len() <= LISTED_MAX {
        for kind in LegKind::ALL {
            let count = rows.iter().filter(|(key, _)| kind_of_key(key) == Some(kind)).count();
            if count > 0 {
                places.counts.push((kind, count, false));
            }
        }
        places.take(&rows)?;
        return Ok(places);
    }
    places.is_cut = true;
    // fills that are nobody's may be many: those of the opening's terms are found among them
    let openings =
        scan(store, &order_prefix(key, Some(LegKind::Opened), None), 1, ScanOrder::Rising)?;
    let opening = openings.first().and_then(|(key, _)| LegPosition::at_end(key));
    let opening = opening.map(|place| load_leg(store, &place)).transpose()?.flatten();
    let terms = opening.and_then(|leg| leg.terms);
    for kind in LegKind::ALL {
        let whole = order_prefix(key, Some(kind), None);
        let count = scan(store, &whole, COUNTED_MAX + 1, ScanOrder::Rising)?.len();
        if count == 0 {
            continue;
        }
        places.counts.push((kind, count.min(COUNTED_MAX), count > COUNTED_MAX));
        let fitting = terms.map(|terms| order_prefix(key, Some(kind), Some(&terms)));
        for prefix in std::iter::once(whole).chain(fitting) {
            places.take(&scan(store, &prefix, OF_END_MAX, ScanOrder::Rising)?)?;
            places.take(&scan(store, &prefix, OF_END_MAX, ScanOrder::Falling)?)?;
        }
    }
    places.places.sort_unstable();
    places.places.dedup();
    Ok(places)
}

/// A chain's known progress, for a protocol's order with this opening time.
fn clock(
    store: &dyn Store,
    chain: u64,
    protocol: &OrderProtocol,
    since: u64,
) -> Result<ChainProgress, StoreError> {
    let chain = ChainKey { family: Family::Evm, id: ChainId(chain) };
    let state = read::load_chain_state(store, chain)?;
    let Some(tip) = state.and_then(|state| state.head.or(state.indexed)) else {
        return Ok(ChainProgress::default());
    };
    // what is held and not indexed yet has no legs
    let pending = load_standing(store, EVENTS, chain)?.pending.iter().map(|(from, _)| *from).min();
    let indexed = match pending {
        Some(from) => from.0.checked_sub(1).map(|last| tip.number.min(BlockNumber(last))),
        None => Some(tip.number),
    };
    let Some(indexed) = indexed else { return Ok(ChainProgress::default()) };
    let newest = read::load_block(store, chain, indexed)?.map(|block| block.timestamp.0);
    let filter = filter(protocol);
    let is_followed = is_followed(store, chain, &filter)?;
    let whole_since = match newest {
        Some(newest) if is_followed && newest > since => {
            let gaps = gaps(store, chain, &filter, BlockNumber(0), indexed)?;
            let first = gaps.last().map_or(BlockNumber(0), |gap| BlockNumber(gap.to.0 + 1));
            read::load_block(store, chain, first)?.map(|block| block.timestamp.0)
        }
        _ => None,
    };
    Ok(ChainProgress { newest, is_followed, whole_since })
}

/// Events that fill or settle an order at its destination.
fn filter(protocol: &OrderProtocol) -> EventFilter {
    let mut filter = EventFilter::default();
    filter.topics[0] = protocol.topics(OrderSide::Destination).collect();
    filter
}

/// Filter for all order events on a chain; `None` without protocol contracts there.
#[must_use]
pub fn filter_of(chain: ChainKey) -> Option<EventFilter> {
    let of_chain =
        ProtocolTable::builtin().protocols.iter().filter(|one| one.chains.contains(&chain.id.0));
    let mut filter = EventFilter::default();
    filter.topics[0] =
        of_chain.flat_map(|one| &one.events).map(|event| event.declaration.topic).collect();
    (chain.family == Family::Evm && !filter.topics[0].is_empty()).then_some(filter)
}

/// Chains with protocol contracts and their scan progress: the newest block, and whether all order events are
/// collected.
pub fn scanned(store: &dyn Store) -> Result<Vec<(u64, Option<BlockNumber>, bool)>, StoreError> {
    let mut chains = Vec::new();
    for id in ProtocolTable::builtin().chains() {
        let chain = ChainKey { family: Family::Evm, id: ChainId(id) };
        let state = read::load_chain_state(store, chain)?;
        let newest = state.and_then(|state| state.head.or(state.indexed)).map(|tip| tip.number);
        let is_followed = match filter_of(chain) {
            Some(filter) => is_followed(store, chain, &filter)?,
            None => false,
        };
        chains.push((id, newest, is_followed));
    }
    Ok(chains)
}
