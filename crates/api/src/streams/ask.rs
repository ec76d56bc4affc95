//! What a listener asks for: out of a query, or out of a message.

use std::borrow::Cow;
use std::collections::BTreeSet;

use serde_json::{Map, Value};
use superroot_chain::ChainRow;
use superroot_index::{event, is_followed};
use superroot_market::pool_events;
use superroot_store::{Store, StoreError};
use superroot_stream::{Cursor, Finality, Subscription, Topic};
use superroot_types::{ChainId, ChainKey, Family};

use crate::ApiError;
use crate::error::codes::NOT_FOUND;
use crate::events::read_filter;
use crate::input::{Ask, Caller, describe, find_chain, parse_transaction_hash, text_of};
use crate::service::Api;

/// Chains that one subscription names, at most.
const CHAINS_MAX: usize = 64;
/// What a cursor looks like.
const A_CURSOR: &str = "the cursor of an event, which is its id";

/// Texts by name: a query has them, and so has an object of a message.
pub(crate) trait Named {
    /// The text of that name.
    fn text(&self, name: &'static str) -> Result<Option<Cow<'_, str>>, ApiError>;
}

impl Named for Ask {
    fn text(&self, name: &'static str) -> Result<Option<Cow<'_, str>>, ApiError> {
        Ok(self.query(name)?.map(Cow::Borrowed))
    }
}

/// Members of a message: texts, numbers, flags, or lists of them.
impl Named for Map<String, Value> {
    fn text(&self, name: &'static str) -> Result<Option<Cow<'_, str>>, ApiError> {
        Ok(match self.get(name) {
            None | Some(Value::Null) => None,
            Some(Value::Bool(is_set)) => Some(Cow::Borrowed(if *is_set { "1" } else { "0" })),
            Some(Value::String(text)) => Some(Cow::Borrowed(text)),
            Some(number @ Value::Number(_)) => Some(Cow::Owned(number.to_string())),
            Some(Value::Array(items)) => {
                let scalar = |item: &Value| item.is_string() || item.is_number();
                if items.is_empty() || !items.iter().all(scalar) {
                    let expected = "a text, a number, or a list of at least one";
                    return Err(ApiError::parameter(
                        name,
                        &describe(&items.clone().into()),
                        expected,
                    ));
                }
                let items: Vec<_> = items.iter().map(text_of).collect();
                Some(Cow::Owned(items.join(",")))
            }
            Some(other) => {
                let expected = "a text, a number, or a list of at least one";
                return Err(ApiError::parameter(name, &describe(other), expected));
            }
        })
    }
}

/// What a listener asks for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct StreamAsk {
    pub(crate) subscription: Subscription,
    pub(crate) since: Option<Cursor>,
    /// Whether events may be missing that are not watched here.
    is_partial: bool,
    /// Whether chains were named.
    names_chains: bool,
}

/// Parameters, and the topics that they go with.
const GOES_WITH: [(&str, &[Topic]); 8] = [
    ("address", &[Topic::Logs]),
    ("topic0", &[Topic::Logs]),
    ("topic1", &[Topic::Logs]),
    ("topic2", &[Topic::Logs]),
    ("topic3", &[Topic::Logs]),
    ("finality", &[Topic::Finality, Topic::Logs, Topic::Orders, Topic::Launches]),
    ("partial", &[Topic::Logs, Topic::Orders, Topic::Launches]),
    ("order", &[Topic::Orders]),
];

impl StreamAsk {
    /// Launches alone, of one chain or of all, as their blocks are taken where no finality is named.
    ///
    /// # Errors
    /// As [`StreamAsk::read`].
    pub(crate) fn of_launches(api: &Api, caller: &Caller, ask: &Ask) -> Result<Self, ApiError> {
        let text =
            |name| Ok::<_, ApiError>(ask.query(name)?.map(|text| Value::from(text.to_owned())));
        let mut members =
            Map::from_iter([("topics".to_owned(), Value::from(Topic::Launches.name()))]);
        let finality = text("finality")?.unwrap_or_else(|| "head".into());
        members.insert("finality".to_owned(), finality);
        for (name, of) in [("chain_id", "chain"), ("since", "since"), ("partial", "partial")] {
            members.extend(text(name)?.map(|text| (of.to_owned(), text)));
        }
        Self::read(api, caller, &members)
    }

    /// Reads what is asked for, within what the key is confined to.
    ///
    /// # Errors
    /// 400 naming what is malformed; 404 `unknown_chain`; 403 `out_of_scope`.
    pub(crate) fn read(api: &Api, caller: &Caller, named: &impl Named) -> Result<Self, ApiError> {
        let topics = topics(named)?;
        let (chains, names_chains) = chains(api, caller, named)?;
        let families: BTreeSet<Family> =
            chains.iter().flatten().filter(|_| names_chains).map(|chain| chain.family).collect();
        for (name, of) in GOES_WITH {
            if let Some(text) = named.text(name)?
                && !of.iter().any(|topic| topics.contains(topic))
            {
                let of: Vec<_> = of.iter().map(|topic| topic.name()).collect();
                let expected = format!("nothing: it goes with topic {}", of.join(" or "));
                return Err(ApiError::parameter(name, &text, expected));
            }
        }
        let address = named.text("address")?;
        let family = match (families.len(), &address) {
            (0, _) => Family::Evm,
            (1, _) | (_, None) => families.first().copied().unwrap_or(Family::Evm),
            (_, Some(address)) => {
                let expected = "chains of one family, beside an address";
                return Err(ApiError::parameter("address", address, expected));
            }
        };
        let texts = Texts::read(named)?;
        let filter = read_filter(family, |name| Ok(texts.of(name)))?;
        let finality = match named.text("finality")?.as_deref() {
            Some("head") => Finality::Head,
            None | Some("finalized") => Finality::Finalized,
            Some("anchored") => Finality::Anchored,
            Some(other) => {
                let expected = "head, finalized or anchored";
                return Err(ApiError::parameter("finality", other, expected));
            }
        };
        let of_events = [Topic::Logs, Topic::Orders, Topic::Launches];
        let is_confined = named.text("finality")?.is_some()
            && !of_events.iter().any(|topic| topics.contains(topic));
        if is_confined && finality == Finality::Anchored {
            let expected =
                "head or finalized, with topic finality; anchored blocks are topic anchored";
            return Err(ApiError::parameter("finality", "anchored", expected));
        }
        let transaction = transaction(named, &topics, chains.as_ref().filter(|_| names_chains))?;
        let since = named.text("since")?.map(|text| parse_cursor("since", &text)).transpose()?;
        let is_partial = match named.text("partial")?.as_deref() {
            None | Some("0") => false,
            Some("1") => true,
            Some(other) => return Err(ApiError::parameter("partial", other, "0 or 1")),
        };
        let order = named.text("order")?.map(|text| parse_order(&text)).transpose()?;
        let of_evm = [Topic::Orders, Topic::Launches];
        let mut chains = chains;
        if !names_chains && topics.iter().all(|topic| of_evm.contains(topic)) {
            // what is undone elsewhere takes none of these back
            let rows = api.registry.rows().iter().map(ChainRow::key);
            let has_them = |chain: &ChainKey| {
                chain.family == Family::Evm
                    && chains.as_ref().is_none_or(|chains| chains.contains(chain))
            };
            chains = Some(rows.filter(has_them).collect());
        }
        let subscription =
            Subscription { topics, chains, filter, finality, is_confined, transaction, order };
        Ok(Self { subscription, since, is_partial, names_chains })
    }

    /// Names the order by its own id where something else led to it, and confines the stream to its chains. Blocks.
    ///
    /// # Errors
    /// 404 where a number of a deposit leads to none yet; 400 where a name means several; the store's.
    pub(crate) fn find_order(&mut self, api: &Api) -> Result<(), ApiError> {
        let Some(text) = self.subscription.order.clone() else { return Ok(()) };
        let Some(ask) = superroot_order::Ask::parse(&text) else { return Ok(()) };
        let (store, failed) = (api.prover.store(), |error| ApiError::of_store(&error));
        let (orders, _) = superroot_order::load_named(store, &ask).map_err(failed)?;
        match (orders.as_slice(), ask) {
            ([], superroot_order::Ask::Deposit(number)) => {
                let why = format!(
                    "no order of deposit {number} was seen yet: ask by its id, as across:ORIGIN:{number}"
                );
                Err(ApiError::new(NOT_FOUND, why).at("order"))
            }
            ([], _) => Ok(()),
            ([order], _) => {
                self.subscription.order = Some(order.id.clone());
                if let (false, Some(from), Some(to)) =
                    (self.names_chains, order.origin, order.destination)
                {
                    let key = |id| ChainKey { family: Family::Evm, id: ChainId(id) };
                    let is_open = |chain: &ChainKey| self.subscription.has_chain(*chain);
                    let chains = [from, to].map(key).into_iter().filter(is_open).collect();
                    self.subscription.chains = Some(chains);
                }
                Ok(())
            }
            (several, _) => {
                let ids: Vec<&str> = several.iter().map(|order| order.id.as_str()).collect();
                let expected = "one order: that means several";
                Err(ApiError::parameter("order", &text, expected).with("candidates", ids))
            }
        }
    }

    /// Chains of which the events asked for are not all to be had. Blocks.
    ///
    /// # Errors
    /// 404 `not_indexed` or `not_provable` where such a chain was named; the store's.
    pub(crate) fn not_indexed(&self, api: &Api) -> Result<Vec<ChainId>, ApiError> {
        let mut lacking = Vec::new();
        if !self.subscription.wants_logs() {
            return Ok(lacking);
        }
        let store: &dyn Store = api.prover.store();
        for row in api.registry.rows().iter().filter(|row| self.subscription.has_chain(row.key())) {
            let chain = row.key();
            if self.is_followed(store, chain).map_err(|error| ApiError::of_store(&error))? {
                continue;
            }
            if self.names_chains && !self.is_partial {
                // a chain that nothing is collected of has no events to watch
                let state = superroot_store::read::load_chain_state(store, chain);
                let is_held = state.map_err(|error| ApiError::of_store(&error))?.is_some();
                if !is_held && event::is_indexed(chain.family) {
                    return Err(api.nothing_yet(chain, "no block of it was collected yet"));
                }
                let topics = &self.subscription.topics;
                return Err(if topics.contains(&Topic::Launches) {
                    no_launches(row)
                } else if topics.contains(&Topic::Orders)
                    && superroot_order::filter_of(chain).is_none()
                {
                    let why = format!("no protocol's orders are read on {}", row.name);
                    ApiError::not_provable(chain, &why)
                } else {
                    refused(row, chain)
                });
            }
            lacking.push(row.id);
        }
        Ok(lacking)
    }
}

impl StreamAsk {
    /// Whether every event of a chain that the subscription may deliver is collected.
    fn is_followed(&self, store: &dyn Store, chain: ChainKey) -> Result<bool, StoreError> {
        let topics = &self.subscription.topics;
        if topics.contains(&Topic::Logs) && !is_followed(store, chain, &self.subscription.filter)? {
            return Ok(false);
        }
        let has_pools = chain.family == Family::Evm;
        if topics.contains(&Topic::Launches)
            && !(has_pools && is_followed(store, chain, pool_events())?)
        {
            return Ok(false);
        }
        if !topics.contains(&Topic::Orders) {
            return Ok(true);
        }
        // a chain without contracts of any protocol has no orders
        let of_orders = superroot_order::filter_of(chain);
        if self.names_chains && of_orders.is_none() && topics.len() == 1 {
            return Ok(false);
        }
        of_orders.map_or(Ok(true), |filter| is_followed(store, chain, &filter))
    }
}

/// The id of an order, as events name it.
fn parse_order(text: &str) -> Result<String, ApiError> {
    let expected = "the id of an order";
    superroot_order::Ask::parse(text)
        .filter(superroot_order::Ask::may_be_one)
        .map(|_| text.to_ascii_lowercase())
        .ok_or_else(|| ApiError::parameter("order", text, expected))
}

/// Whether every launch of a chain is found.
///
/// # Errors
/// Those of the store.
pub(crate) fn has_every_launch(api: &Api, chain: ChainKey) -> Result<bool, ApiError> {
    let followed = is_followed(api.prover.store(), chain, pool_events());
    followed.map_err(|error| ApiError::of_store(&error))
}

/// Why not every launch is to be had of a chain.
pub(crate) fn no_launches(row: &ChainRow) -> ApiError {
    if row.family() != Family::Evm {
        let why = format!("exchanges of {} are not read, so no launches are told", row.name);
        return ApiError::not_provable(row.key(), &why);
    }
    refused(row, row.key())
}

/// Why not every event that is asked for is to be had of a chain.
fn refused(row: &ChainRow, chain: ChainKey) -> ApiError {
    if !event::is_indexed(chain.family) {
        let why = format!("events of {} are not indexed, so none are told", row.name);
        return ApiError::not_provable(chain, &why);
    }
    let why = format!(
        "not every such event of {} is watched here, so some would be left out; watch the address or topic with \
         POST /api/v1/watches, or ask with partial=1",
        row.name
    );
    ApiError::not_indexed(chain, None, &why)
}

/// Texts of a filter, which [`read_filter`] borrows.
struct Texts<'a>([(&'static str, Option<Cow<'a, str>>); 5]);

impl<'a> Texts<'a> {
    fn read(named: &'a impl Named) -> Result<Self, ApiError> {
        let of = |name| Ok::<_, ApiError>((name, named.text(name)?));
        let [a, b, c, d, e] = ["address", "topic0", "topic1", "topic2", "topic3"];
        Ok(Self([of(a)?, of(b)?, of(c)?, of(d)?, of(e)?]))
    }

    fn of(&self, name: &'static str) -> Option<&str> {
        let found = self.0.iter().find(|(other, _)| *other == name);
        found.and_then(|(_, text)| text.as_deref())
    }
}

fn topics(named: &impl Named) -> Result<BTreeSet<Topic>, ApiError> {
    let names = Topic::ALL.map(Topic::name).join(", ");
    let expected = format!(
        "some of {names}, with commas between; chances of arbitrage are at /signals/arb/stream, prices at /price"
    );
    let text = named.text("topics")?;
    let text = text.ok_or_else(|| ApiError::missing("topics", &expected))?;
    let topics = text.split(',').map(|name| {
        let topic = Topic::of_name(name.trim());
        topic.ok_or_else(|| ApiError::parameter("topics", name, &expected))
    });
    topics.collect()
}

/// The chains named, or those that the key is confined to; and whether they were named.
fn chains(
    api: &Api,
    caller: &Caller,
    named: &impl Named,
) -> Result<(Option<BTreeSet<ChainKey>>, bool), ApiError> {
    if let Some(text) = named.text("chain")? {
        let mut chains = BTreeSet::new();
        for name in text.split(',') {
            let chain = find_chain(api, "chain", name.trim())?.key();
            caller.check_chain(chain)?;
            chains.insert(chain);
            if chains.len() > CHAINS_MAX {
                let expected = format!("at most {CHAINS_MAX} chains");
                return Err(ApiError::parameter("chain", &text, expected));
            }
        }
        return Ok((Some(chains), true));
    }
    let rows = api.registry.rows().iter().map(ChainRow::key);
    let (open, closed): (Vec<_>, Vec<_>) =
        rows.partition(|chain| caller.check_chain(*chain).is_ok());
    Ok(((!closed.is_empty()).then(|| open.into_iter().collect()), false))
}

/// The transaction that is waited for.
fn transaction(
    named: &impl Named,
    topics: &BTreeSet<Topic>,
    chains: Option<&BTreeSet<ChainKey>>,
) -> Result<Option<(ChainKey, superroot_types::Hash)>, ApiError> {
    let Some(text) = named.text("tx")? else { return Ok(None) };
    if !topics.contains(&Topic::Anchored) {
        return Err(ApiError::parameter("tx", &text, "nothing: it goes with topic anchored"));
    }
    let expected = "one chain, that of the transaction";
    let chains = chains.ok_or_else(|| ApiError::missing("chain", expected))?;
    let chain = *chains.first().filter(|_| chains.len() == 1).ok_or_else(|| {
        let named: Vec<_> = chains.iter().map(|chain| chain.id.to_string()).collect();
        ApiError::parameter("chain", &named.join(","), expected)
    })?;
    Ok(Some((chain, parse_transaction_hash("tx", &text, chain.family)?)))
}

pub(crate) fn parse_cursor(name: &'static str, text: &str) -> Result<Cursor, ApiError> {
    text.parse().map_err(|_| ApiError::parameter(name, text, A_CURSOR))
}
