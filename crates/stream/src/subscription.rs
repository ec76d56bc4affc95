use std::collections::BTreeSet;
use std::fmt;

use superroot_index::{BlockEvent, EventFilter};
use superroot_store::codec::{Decoder, Encoder};
use superroot_store::layout::chain_key;
use superroot_types::{ChainKey, Hash};

use crate::row::read_chain;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Topic {
    SuperRoot,
    /// Newly anchored blocks.
    Anchored,
    /// New blocks and newly final blocks.
    Finality,
    /// Final blocks that no longer count.
    Retraction,
    Logs,
    Orders,
    /// New tokens with pool liquidity, and loss of liquidity.
    Launches,
}

impl Topic {
    pub const ALL: [Self; 7] = [
        Self::SuperRoot,
        Self::Anchored,
        Self::Finality,
        Self::Retraction,
        Self::Logs,
        Self::Orders,
        Self::Launches,
    ];

    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::SuperRoot => "superroot",
            Self::Anchored => "anchored",
            Self::Finality => "finality",
            Self::Retraction => "retraction",
            Self::Logs => "logs",
            Self::Orders => "orders",
            Self::Launches => "launches",
        }
    }

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

/// An event's delivery time: with the new block, the final block or the anchored block.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum DeliveryFinality {
    /// New block; may be undone.
    Head,
    #[default]
    Finalized,
    /// Block anchored in a SuperRoot.
    Anchored,
}

impl DeliveryFinality {
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Head => "head",
            Self::Finalized => "finalized",
            Self::Anchored => "anchored",
        }
    }
}

/// Listener filter: topics and chains; for `logs`, an event filter; for `logs` and `orders`, a delivery time.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ListenerFilter {
    pub topics: BTreeSet<Topic>,
    /// Chains; `None`: all.
    pub chains: Option<BTreeSet<ChainKey>>,
    /// Event filter for the topic `logs`.
    pub filter: EventFilter,
    /// Delivery time for the topics `logs` and `orders`.
    pub finality: DeliveryFinality,
    /// Whether the topic `finality` reports only blocks at this finality.
    pub is_confined: bool,
    /// For the topic `anchored`: only this transaction and chain.
    pub transaction: Option<(ChainKey, Hash)>,
    /// For the topic `orders`: only this order id.
    pub order: Option<String>,
}

/// Bit for [`ListenerFilter::is_confined`] next to the topic bits.
const CONFINED: u8 = 1 << 7;

impl ListenerFilter {
    /// Storage form: `topics:u8 ‖ chains ‖ addresses ‖ topics* ‖ finality:u8 ‖ transaction`, counts in 32 bits, and the
    /// order id if any. Topic bits follow [`Topic::ALL`].
    #[must_use]
    pub fn encode(&self) -> Vec<u8> {
        let mut out = Encoder::new();
        let bit = |(place, topic): (usize, &Topic)| {
            if self.topics.contains(topic) { 1_u8 << place } else { 0 }
        };
        let topics: u8 = Topic::ALL.iter().enumerate().map(bit).sum();
        out.u8(topics | if self.is_confined { CONFINED } else { 0 });
        out.option(self.chains.as_ref(), |out, chains| {
            write_all(out, chains.iter(), |out, chain| _ = out.raw(&chain_key(*chain)));
        });
        write_all(&mut out, self.filter.addresses.iter(), |out, one| _ = out.bytes(one));
        for topics in &self.filter.topics {
            write_all(&mut out, topics.iter(), |out, one| _ = out.hash(one));
        }
        out.u8(self.finality as u8);
        out.option(self.transaction, |out, (chain, hash)| {
            out.raw(&chain_key(chain)).hash(&hash);
        });
        self.order.iter().for_each(|order| _ = out.bytes(order.as_bytes()));
        out.finish()
    }

    /// Reads [`ListenerFilter::encode`] output; `None` for other bytes.
    #[must_use]
    pub fn decode(bytes: &[u8]) -> Option<Self> {
        let mut row = Decoder::new(bytes);
        let bits = row.u8()?;
        let named = Topic::ALL.into_iter().enumerate();
        let topics: BTreeSet<Topic> =
            named.filter(|(place, _)| bits & (1 << place) != 0).map(|(_, topic)| topic).collect();
        let chains = row.option(|row| Some(read_all(row, read_chain)?.into_iter().collect()))?;
        let mut filter = EventFilter {
            addresses: read_all(&mut row, |row| row.bytes().map(<[u8]>::to_vec))?,
            ..EventFilter::default()
        };
        for topics in &mut filter.topics {
            *topics = read_all(&mut row, |row| row.hash())?;
        }
        let finality = match row.u8()? {
            0 => DeliveryFinality::Head,
            1 => DeliveryFinality::Finalized,
            2 => DeliveryFinality::Anchored,
            _ => return None,
        };
        let transaction = row.option(|row| Some((read_chain(row)?, row.hash()?)))?;
        let order = if row.is_empty() { None } else { Some(row.text()?) };
        let is_confined = bits & CONFINED != 0;
        let read = Self { topics, chains, filter, finality, is_confined, transaction, order };
        row.finish(read).filter(|read| read.encode() == bytes)
    }
}

fn write_all<T>(
    out: &mut Encoder,
    items: impl ExactSizeIterator<Item = T>,
    write: impl Fn(&mut Encoder, T),
) {
    out.u32(u32::try_from(items.len()).unwrap_or(u32::MAX));
    items.for_each(|item| write(out, item));
}

fn read_all<T>(
    row: &mut Decoder<'_>,
    read: impl Fn(&mut Decoder<'_>) -> Option<T>,
) -> Option<Vec<T>> {
    let mut items = Vec::new(); // grows with what is really there
    for _ in 0..row.u32()? {
        items.push(read(row)?);
    }
    Some(items)
}

/// Event kind for subscriptions; `finality`: for listeners waiting for this finality.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum EventKind {
    Of(Topic),
    /// Blocks reached this finality.
    Reached(DeliveryFinality),
    /// Taken blocks were removed: for listeners to heads.
    Undone,
    /// Missing events: for every listener who would have received them.
    Gap {
        /// Whether only block events are missing.
        is_of_logs: bool,
    },
    Log {
        finality: DeliveryFinality,
        event: Box<BlockEvent>,
    },
    Order {
        finality: DeliveryFinality,
        id: String,
    },
    Launch {
        finality: DeliveryFinality,
        is_pulled: bool,
        usd: u64,
    },
}

impl EventKind {
    pub(crate) const fn name(&self) -> &'static str {
        match self {
            Self::Of(topic) => topic.name(),
            Self::Reached(_) => Topic::Finality.name(),
            Self::Undone => "undone",
            Self::Gap { .. } => "gap",
            Self::Log { .. } => Topic::Logs.name(),
            Self::Order { .. } => Topic::Orders.name(),
            Self::Launch { is_pulled: false, .. } => "token_launch",
            Self::Launch { is_pulled: true, .. } => "updated",
        }
    }
}

impl ListenerFilter {
    /// Whether the filter includes this chain.
    #[must_use]
    pub fn has_chain(&self, chain: ChainKey) -> bool {
        self.chains.as_ref().is_none_or(|chains| chains.contains(&chain))
    }

    /// Whether the filter needs block events or derived events.
    #[must_use]
    pub fn wants_logs(&self) -> bool {
        [Topic::Logs, Topic::Orders, Topic::Launches]
            .iter()
            .any(|topic| self.topics.contains(topic))
    }

    /// Whether an event matches. Events without a chain match any chains.
    pub(crate) fn passes(&self, chain: Option<ChainKey>, kind: &EventKind) -> bool {
        let is_of_heads = self.wants_logs() && self.finality == DeliveryFinality::Head;
        chain.is_none_or(|chain| self.has_chain(chain))
            && match kind {
                EventKind::Of(topic) => self.topics.contains(topic),
                EventKind::Reached(finality) => {
                    self.topics.contains(&Topic::Finality)
                        && (!self.is_confined || *finality == self.finality)
                }
                EventKind::Undone => {
                    let is_told = !self.is_confined || self.finality == DeliveryFinality::Head;
                    (self.topics.contains(&Topic::Finality) && is_told) || is_of_heads
                }
                EventKind::Gap { is_of_logs: true } => self.wants_logs(),
                EventKind::Gap { is_of_logs: false } => {
                    self.topics.iter().any(|topic| *topic != Topic::SuperRoot)
                }
                EventKind::Log { finality, event } => {
                    self.topics.contains(&Topic::Logs)
                        && *finality == self.finality
                        && self.filter.passes(event)
                }
                EventKind::Order { finality, id } => {
                    self.topics.contains(&Topic::Orders)
                        && *finality == self.finality
                        && self.order.as_ref().is_none_or(|order| order == id)
                }
                EventKind::Launch { finality, .. } => {
                    self.topics.contains(&Topic::Launches) && *finality == self.finality
                }
            }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use superroot_types::{ChainId, Family};

    use super::*;

    fn subscription() -> impl Strategy<Value = ListenerFilter> {
        let hashes = || proptest::collection::vec(any::<[u8; 32]>().prop_map(Hash), 0..3);
        let chain = (0..9_u8, any::<u64>()).prop_map(|(family, id)| ChainKey {
            family: Family::try_from(family).unwrap(),
            id: ChainId(id),
        });
        let chains = proptest::option::of(proptest::collection::btree_set(chain.clone(), 0..3));
        let addresses = proptest::collection::vec(any::<Vec<u8>>(), 0..3);
        let topics = [hashes(), hashes(), hashes(), hashes()];
        let transaction = proptest::option::of((chain, any::<[u8; 32]>().prop_map(Hash)));
        let order = proptest::option::of("[a-z]{1,9}:[0-9]{1,9}");
        (any::<u8>(), chains, addresses, topics, 0..3_u8, transaction, order).prop_map(
            |(bits, chains, addresses, topics, finality, transaction, order)| ListenerFilter {
                topics: Topic::ALL
                    .into_iter()
                    .enumerate()
                    .filter(|(place, _)| bits & (1 << place) != 0)
                    .map(|(_, topic)| topic)
                    .collect(),
                chains,
                filter: EventFilter { addresses, topics },
                finality: [
                    DeliveryFinality::Head,
                    DeliveryFinality::Finalized,
                    DeliveryFinality::Anchored,
                ][usize::from(finality)],
                is_confined: bits & CONFINED != 0,
                transaction,
                order,
            },
        )
    }

    proptest! {
        #[test]
        fn a_subscription_leads_back(one in subscription()) {
            prop_assert_eq!(ListenerFilter::decode(&one.encode()), Some(one));
        }

        /// What was kept before it could be confined reads as it was meant.
        #[test]
        fn older_bytes_are_confined_to_nothing(one in subscription()) {
            let older = ListenerFilter { is_confined: false, ..one };
            let bytes = older.encode();
            prop_assert_eq!(bytes[0] & CONFINED, 0);
            prop_assert_eq!(ListenerFilter::decode(&bytes), Some(older));
        }

        #[test]
        fn no_bytes_make_it_panic(bytes: Vec<u8>) {
            let _ = ListenerFilter::decode(&bytes);
        }
    }
}
