//! Stream parameters, from a query or a message.

use std::collections::BTreeSet;

use serde_json::{Map, Value};
use superroot_chain::ChainSpec;
use superroot_index::{event, is_followed};
use superroot_market::pool_events;
use superroot_store::{Store, StoreError};
use superroot_stream::{DeliveryFinality, ListenerFilter, LogCursor, Topic};
use superroot_types::{ChainId, ChainKey, Family};

use super::named_texts::{NamedTexts, Texts};
use crate::ApiError;
use crate::error::codes::NOT_FOUND;
use crate::events::read_filter;
use crate::input::{Caller, RequestInput, find_chain, parse_transaction_hash};
use crate::service::Api;

/// Most chains in one subscription.
const CHAINS_MAX: usize = 64;
const A_CURSOR: &str = "the cursor of an event, which is its id";

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct StreamAsk {
    pub(crate) subscription: ListenerFilter,
    pub(crate) since: Option<LogCursor>,
    /// Whether unwatched events may be missing.
    is_partial: bool,
    names_chains: bool,
}

/// Parameters and their topics.
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
    /// Launches only, for one chain or all; by default as soon as their blocks arrive.
    pub(crate) fn of_launches(
        api: &Api,
        caller: &Caller,
        ask: &RequestInput,
    ) -> Result<Self, ApiError> {
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

    /// Reads the parameters, within the key's scope.
    ///
    /// # Errors
    /// 400 naming the malformed parameter; 404 `unknown_chain`; 403 `out_of_scope`.
    pub(crate) fn read(
        api: &Api,
        caller: &Caller,
        named: &impl NamedTexts,
    ) -> Result<Self, ApiError> {
        let topics = topics(named)?;
        let (chains, names_chains) = chains(api, caller, named)?;
        let named_chains = chains.as_ref().filter(|_| names_chains);
        refuse_other_topics(named, &topics)?;
        let family = read_family(named, named_chains)?;
        let texts = Texts::read(named)?;
        let filter = read_filter(family, |name| Ok(texts.of(name)))?;
        let FinalityAsk { finality, is_confined } = read_finality(named, &topics)?;
        let transaction = transaction(named, &topics, named_chains)?;
        let since = named.text("since")?.map(|text| parse_cursor("since", &text)).transpose()?;
        let is_partial = match named.text("partial")?.as_deref() {
            None | Some("0") => false,
            Some("1") => true,
            Some(other) => return Err(ApiError::parameter("partial", other, "0 or 1")),
        };
        let order = named.text("order")?.map(|text| parse_order(&text)).transpose()?;
        let of_evm = [Topic::Orders, Topic::Launches];
        let is_of_evm = topics.iter().all(|topic| of_evm.contains(topic));
        let chains = if !names_chains && is_of_evm {
            // what is undone elsewhere takes none of these back
            Some(evm_chains(api, chains.as_ref()))
        } else {
            chains
        };
        let subscription =
            ListenerFilter { topics, chains, filter, finality, is_confined, transaction, order };
        Ok(Self { subscription, since, is_partial, names_chains })
    }

    /// Replaces any other identifier by the order id, and limits the stream to its chains. Blocking.
    ///
    /// # Errors
    /// 404 for a deposit number without an order yet; 400 for an ambiguous name; store errors.
    pub(crate) fn find_order(&mut self, api: &Api) -> Result<(), ApiError> {
        let Some(text) = self.subscription.order.clone() else { return Ok(()) };
        let Some(ask) = superroot_order::OrderQuery::parse(&text) else { return Ok(()) };
        let store = api.prover.store();
        let (orders, _) = superroot_order::load_named(store, &ask).map_err(ApiError::of_store)?;
        match (orders.as_slice(), ask) {
            ([], superroot_order::OrderQuery::Deposit(number)) => {
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

    /// Chains with incomplete requested events. Blocking.
    ///
    /// # Errors
    /// 404 `not_indexed` or `not_provable` if the request named such a chain; store errors.
    pub(crate) fn not_indexed(&self, api: &Api) -> Result<Vec<ChainId>, ApiError> {
        let mut lacking = Vec::new();
        if !self.subscription.wants_logs() {
            return Ok(lacking);
        }
        let store: &dyn Store = api.prover.store();
        for row in api.registry.rows().iter().filter(|row| self.subscription.has_chain(row.key())) {
            let chain = row.key();
            if self.is_followed(store, chain).map_err(ApiError::of_store)? {
                continue;
            }
            if self.names_chains && !self.is_partial {
                // a chain that nothing is collected of has no events to watch
                let state = superroot_store::read::load_chain_state(store, chain);
                let is_held = state.map_err(ApiError::of_store)?.is_some();
                if !is_held && event::is_indexed(chain.family) {
                    return Err(api.nothing_yet(chain, "no block of it was collected yet"));
                }
                let topics = &self.subscription.topics;
                return Err(if topics.contains(&Topic::Launches) {
                    refuse_launches(row)
                } else if topics.contains(&Topic::Orders)
                    && superroot_order::filter_of(chain).is_none()
                {
                    let why = format!("no protocol's orders are read on {}", row.name);
                    ApiError::not_provable(chain, &why)
                } else {
                    refuse_unwatched_events(row)
                });
            }
            lacking.push(row.id);
        }
        Ok(lacking)
    }
}

impl StreamAsk {
    /// Whether all events for this subscription are collected on a chain.
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

/// Finality of deliveries, and whether it limits topic finality alone.
struct FinalityAsk {
    finality: DeliveryFinality,
    is_confined: bool,
}

/// Refuses a parameter of topics that are not asked for.
fn refuse_other_topics(named: &impl NamedTexts, topics: &BTreeSet<Topic>) -> Result<(), ApiError> {
    for (name, of) in GOES_WITH {
        if let Some(text) = named.text(name)?
            && !of.iter().any(|topic| topics.contains(topic))
        {
            let of: Vec<_> = of.iter().map(|topic| topic.name()).collect();
            let expected = format!("nothing: it goes with topic {}", of.join(" or "));
            return Err(ApiError::parameter(name, &text, expected));
        }
    }
    Ok(())
}

/// Family of the addresses: that of the named chains, the EVM's without any.
fn read_family(
    named: &impl NamedTexts,
    chains: Option<&BTreeSet<ChainKey>>,
) -> Result<Family, ApiError> {
    let families: BTreeSet<Family> =
        chains.into_iter().flatten().map(|chain| chain.family).collect();
    let address = named.text("address")?;
    match (families.len(), &address) {
        (0, _) => Ok(Family::Evm),
        (1, _) | (_, None) => Ok(families.first().copied().unwrap_or(Family::Evm)),
        (_, Some(address)) => {
            let expected = "chains of one family, beside an address";
            Err(ApiError::parameter("address", address, expected))
        }
    }
}

fn read_finality(
    named: &impl NamedTexts,
    topics: &BTreeSet<Topic>,
) -> Result<FinalityAsk, ApiError> {
    let text = named.text("finality")?;
    let finality = match text.as_deref() {
        Some("head") => DeliveryFinality::Head,
        None | Some("finalized") => DeliveryFinality::Finalized,
        Some("anchored") => DeliveryFinality::Anchored,
        Some(other) => {
            let expected = "head, finalized or anchored";
            return Err(ApiError::parameter("finality", other, expected));
        }
    };
    let of_events = [Topic::Logs, Topic::Orders, Topic::Launches];
    let is_confined = text.is_some() && !of_events.iter().any(|topic| topics.contains(topic));
    if is_confined && finality == DeliveryFinality::Anchored {
        let expected = "head or finalized, with topic finality; anchored blocks are topic anchored";
        return Err(ApiError::parameter("finality", "anchored", expected));
    }
    Ok(FinalityAsk { finality, is_confined })
}

/// EVM chains of the registry, of these chains if there are any.
fn evm_chains(api: &Api, chains: Option<&BTreeSet<ChainKey>>) -> BTreeSet<ChainKey> {
    let rows = api.registry.rows().iter().map(ChainSpec::key);
    let has_them = |chain: &ChainKey| {
        chain.family == Family::Evm && chains.is_none_or(|chains| chains.contains(chain))
    };
    rows.filter(has_them).collect()
}

/// Order id in event form.
fn parse_order(text: &str) -> Result<String, ApiError> {
    let expected = "the id of an order";
    superroot_order::OrderQuery::parse(text)
        .filter(superroot_order::OrderQuery::may_be_one)
        .map(|_| text.to_ascii_lowercase())
        .ok_or_else(|| ApiError::parameter("order", text, expected))
}

/// Whether every launch on a chain is found.
pub(crate) fn has_every_launch(api: &Api, chain: ChainKey) -> Result<bool, ApiError> {
    let followed = is_followed(api.prover.store(), chain, pool_events());
    followed.map_err(ApiError::of_store)
}

pub(crate) fn refuse_launches(row: &ChainSpec) -> ApiError {
    if row.family() != Family::Evm {
        let why = format!("exchanges of {} are not read, so no launches are told", row.name);
        return ApiError::not_provable(row.key(), &why);
    }
    refuse_unwatched_events(row)
}

/// Error for a chain with incomplete requested events.
fn refuse_unwatched_events(row: &ChainSpec) -> ApiError {
    let chain = row.key();
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

fn topics(named: &impl NamedTexts) -> Result<BTreeSet<Topic>, ApiError> {
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

/// Named chains, or else the chains in the key's scope; and whether they were named.
fn chains(
    api: &Api,
    caller: &Caller,
    named: &impl NamedTexts,
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
    let rows = api.registry.rows().iter().map(ChainSpec::key);
    let (open, closed): (Vec<_>, Vec<_>) =
        rows.partition(|chain| caller.check_chain(*chain).is_ok());
    Ok(((!closed.is_empty()).then(|| open.into_iter().collect()), false))
}

fn transaction(
    named: &impl NamedTexts,
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

pub(crate) fn parse_cursor(name: &'static str, text: &str) -> Result<LogCursor, ApiError> {
    text.parse().map_err(|_| ApiError::parameter(name, text, A_CURSOR))
}
