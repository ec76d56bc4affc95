use superroot_store::layout::end_of_prefix;
use superroot_store::{ScanOrder, Store, StoreError, Table};
use superroot_types::Hash;

use crate::leg::{Key16, name_key, name_prefix, order_key, order_of_name, order_prefix};
use crate::load::{assemble_round, load_own, only};
use crate::order::{Legs, Order};
use crate::rounds::LegQuery;
use crate::table::{IdSource, OrderProtocol, ProtocolTable};

/// Most orders for one name.
pub const CANDIDATES_MAX: usize = 32;
/// Longest id, in bytes.
const ID_BYTES_MAX: usize = 256;
/// Names read at once: more than the legs of most orders.
const PAGE: usize = 8;

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum OrderQuery {
    /// 32 bytes: an id or a transaction hash.
    Hash(String),
    Deposit(String),
    /// Id with a name prefix.
    Named(String),
}

impl OrderQuery {
    /// Parses an id; `None` for an invalid form.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let text = text.to_ascii_lowercase();
        let is_digits = |text: &str| {
            (1..=78).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_digit())
        };
        if let Some(hex) = text.strip_prefix("0x") {
            let is_hash = hex.len() == 64 && hex.bytes().all(|byte| byte.is_ascii_hexdigit());
            return is_hash.then_some(Self::Hash(text));
        }
        if is_digits(&text) {
            let plain = text.trim_start_matches('0');
            return Some(Self::Deposit(if plain.is_empty() { "0" } else { plain }.to_owned()));
        }
        let letter = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'_';
        let is_named = text.len() <= ID_BYTES_MAX
            && text.split(':').count() >= 2
            && text.split(':').all(|part| !part.is_empty() && part.bytes().all(letter))
            && text.starts_with(|first: char| first.is_ascii_lowercase());
        is_named.then_some(Self::Named(text))
    }

    /// Whether an order may have this name: besides hashes and numbers, names begin with a protocol name or a known id
    /// prefix.
    #[must_use]
    pub fn may_be_one(&self) -> bool {
        let Self::Named(id) = self else { return true };
        let table = ProtocolTable::builtin();
        let of_id = |protocol: &crate::table::OrderProtocol| protocol.may_have_named(id);
        let rest = |rest: &str| matches!(Self::parse(rest), Some(Self::Hash(_) | Self::Deposit(_)));
        let mut parts = id.splitn(3, ':');
        let named = (parts.next(), parts.next(), parts.next());
        let is_placed = matches!(named, (Some(name), Some(chain), Some(id))
            if table.protocol(name).is_some() && chain.parse::<u64>().is_ok() && rest(id));
        is_placed || table.protocols.iter().any(of_id)
    }
}

/// Orders for a name: at most [`CANDIDATES_MAX`].
pub fn find(store: &dyn Store, ask: &OrderQuery) -> Result<Vec<Key16>, StoreError> {
    Ok(load_found(store, ask)?.into_iter().map(|(key, _)| key).collect())
}

/// Orders for a name with their own legs. Legs without an id of their own lead to the order that they belong to.
fn load_found(store: &dyn Store, ask: &OrderQuery) -> Result<Vec<(Key16, Legs)>, StoreError> {
    let mut found: Vec<(Key16, Legs)> = Vec::new();
    for mut key in candidates(store, ask)? {
        let mut legs = load_own(store, &key)?;
        if let Some(owner) = only(&legs.owners) {
            key = owner;
            legs = load_own(store, &key)?;
        }
        if found.len() < CANDIDATES_MAX && found.iter().all(|(known, _)| *known != key) {
            found.push((key, legs));
        }
    }
    Ok(found)
}

fn candidates(store: &dyn Store, ask: &OrderQuery) -> Result<Vec<Key16>, StoreError> {
    match ask {
        OrderQuery::Hash(hash) => {
            let mut found = by_name(store, &name_key("id", hash))?;
            if found.len() == CANDIDATES_MAX {
                // any number of callers may choose the same name: what contracts made first
                found.splice(..0, own_ids(store, hash, |_| true)?);
            }
            found.extend(by_name(store, &name_key("tx", hash))?);
            Ok(found)
        }
        OrderQuery::Deposit(number) => by_name(store, &name_key("deposit", number)),
        OrderQuery::Named(id) => named(store, id),
    }
}

/// Orders that own a name, then other orders with the same name. Names made by contracts and transaction hashes rank
/// before names chosen by callers.
pub fn load_named(
    store: &dyn Store,
    ask: &OrderQuery,
) -> Result<(Vec<Order>, Vec<Order>), StoreError> {
    let mut orders = Vec::new();
    let asked = match ask {
        OrderQuery::Hash(hash) => hash.parse::<Hash>().ok(),
        OrderQuery::Deposit(_) | OrderQuery::Named(_) => None,
    };
    let asked = asked.map(LegQuery::Transaction);
    for (key, legs) in load_found(store, ask)? {
        orders.extend(assemble_round(store, &key, legs, asked)?);
    }
    let OrderQuery::Hash(hash) = ask else { return Ok((orders, Vec::new())) };
    let (own, others): (Vec<_>, Vec<_>) =
        orders.into_iter().partition(|order| order.is_named_by_itself(hash));
    Ok(if own.is_empty() { (others, own) } else { (own, others) })
}

/// Orders whose own id is a hash, made by a contract.
fn own_ids(
    store: &dyn Store,
    hash: &str,
    is_asked: impl Fn(&OrderProtocol) -> bool,
) -> Result<Vec<Key16>, StoreError> {
    let protocols = ProtocolTable::builtin().protocols.iter().filter(|one| is_asked(one));
    let mut found = Vec::new();
    for protocol in protocols.filter(|protocol| protocol.id_by != IdSource::Caller) {
        found.extend(of_id(store, protocol, hash)?);
    }
    Ok(found)
}

/// Orders of a protocol with this id, in every lane.
fn of_id(store: &dyn Store, protocol: &OrderProtocol, id: &str) -> Result<Vec<Key16>, StoreError> {
    let no_lane = [String::new()];
    let lanes = if protocol.lanes.is_empty() { &no_lane[..] } else { &protocol.lanes };
    let mut found = Vec::new();
    for lane in lanes {
        let key = order_key(&protocol.name, lane, id);
        let prefix = order_prefix(&key, None, None);
        let end = end_of_prefix(&prefix);
        let rows = store.scan(Table::Order, &prefix, end.as_deref(), 1, ScanOrder::Rising)?;
        if !rows.is_empty() {
            found.push(key);
        }
    }
    Ok(found)
}

/// Every order with a name, once. A page that one order fills is followed by a search behind all its legs.
fn by_name(store: &dyn Store, name: &Key16) -> Result<Vec<Key16>, StoreError> {
    let prefix = name_prefix(name, None);
    let end = end_of_prefix(&prefix);
    let mut start = prefix;
    let mut orders = Vec::new();
    loop {
        let rows = store.scan(Table::Order, &start, end.as_deref(), PAGE, ScanOrder::Rising)?;
        for (key, _) in &rows {
            let corrupt = || StoreError::corrupt(Table::Order, key, "not a name of an order");
            let order = order_of_name(key).ok_or_else(corrupt)?;
            if orders.last() != Some(&order) {
                orders.push(order);
            }
        }
        let last = orders.last().filter(|_| rows.len() == PAGE && orders.len() < CANDIDATES_MAX);
        let next = last.and_then(|last| end_of_prefix(&name_prefix(name, Some(last))));
        let Some(next) = next else { break };
        start = next;
    }
    orders.truncate(CANDIDATES_MAX);
    Ok(orders)
}

/// Orders by a protocol's id form, or by `protocol:chain:id`.
fn named(store: &dyn Store, id: &str) -> Result<Vec<Key16>, StoreError> {
    let table = ProtocolTable::builtin();
    let mut found = Vec::new();
    for protocol in table.protocols.iter().filter(|protocol| protocol.may_name(id)) {
        found.extend(of_id(store, protocol, id)?);
    }
    found.extend(by_name(store, &name_key("id", id))?);
    if !found.is_empty() {
        return Ok(found);
    }
    let mut parts = id.splitn(3, ':');
    let (Some(name), Some(chain), Some(rest)) = (parts.next(), parts.next(), parts.next()) else {
        return Ok(found);
    };
    let (Some(protocol), Ok(chain)) = (table.protocol(name), chain.parse::<u64>()) else {
        return Ok(found);
    };
    let keys = match OrderQuery::parse(rest) {
        Some(OrderQuery::Hash(hash)) => {
            let mut keys = own_ids(store, &hash, |own| own.number == protocol.number)?;
            keys.extend(by_name(store, &name_key("id", &hash))?);
            keys.extend(by_name(store, &name_key("tx", &hash))?);
            keys
        }
        Some(OrderQuery::Deposit(number)) => {
            by_name(store, &name_key("deposit", &format!("{name}:{number}")))?
        }
        Some(OrderQuery::Named(_)) | None => Vec::new(),
    };
    // a number is counted by the chain where the order begins: that of another one is another order
    let is_counted = matches!(OrderQuery::parse(rest), Some(OrderQuery::Deposit(_)));
    for key in keys {
        let legs = load_own(store, &key)?.own;
        let is_there = |leg: &crate::Leg| match is_counted {
            true => leg.origin == Some(chain),
            false => {
                let chains = [leg.origin, leg.destination, Some(leg.place.chain.id.0)];
                chains.contains(&Some(chain))
            }
        };
        let is_meant = |leg: &crate::Leg| leg.protocol == protocol.number && is_there(leg);
        if legs.iter().any(is_meant) {
            found.push(key);
        }
    }
    Ok(found)
}
