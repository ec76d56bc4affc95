//! Protocol table: `protocols.toml`, read once.

mod rows;

use std::collections::{BTreeMap, HashMap};
use std::sync::LazyLock;

use alloy_primitives::Address;
use superroot_proof::hash::keccak256;
use superroot_types::Hash;

pub(crate) use self::rows::{Cause, IdSource, OrderSide, PaidRule};

use self::rows::{Awaited, ContractRow, EventFields, Numbering, ProtocolRow, ProtocolsFile};
use crate::abi::Declaration;
use crate::leg::LegKind;
use crate::state::OrderState;

const BUILTIN: &str = include_str!("protocols.toml");

static TABLE: LazyLock<ProtocolTable> =
    LazyLock::new(|| ProtocolTable::parse(BUILTIN).expect("a test reads the table of this build"));

#[derive(Clone, Debug)]
pub(crate) struct EventRule {
    pub(crate) declaration: Declaration,
    /// Effect on the order; `None`: only a neighbour of another event.
    pub(crate) kind: Option<LegKind>,
    pub(crate) rule: EventFields,
}

#[derive(Clone, Debug)]
pub struct OrderProtocol {
    pub(crate) number: u8,
    pub name: String,
    pub(crate) id: String,
    /// Source of the ids' uniqueness.
    pub(crate) id_by: IdSource,
    pub(crate) deposit: Option<String>,
    numbering: Option<Numbering>,
    pub(crate) terminal: Vec<OrderState>,
    /// Whether a later opening with the same id replaces the earlier one.
    pub(crate) is_replaceable: bool,
    /// Whether a failure at the destination is permanent.
    pub(crate) fails_for_good: bool,
    /// Whether joined names are ids of the leg's own lane.
    pub(crate) joins_in_lane: bool,
    pub(crate) paid: Vec<PaidRule>,
    /// Protocol name prefixes in wrapper events, by wrapper.
    called: BTreeMap<String, Vec<String>>,
    pub(crate) next: BTreeMap<OrderState, Awaited>,
    /// Reason if the other side can never be proven, because its ledger keeps the event outside its tries.
    pub(crate) not_provable: Option<String>,
    pub(crate) is_wrapper: bool,
    /// The contract groups' names.
    pub(crate) lanes: Vec<String>,
    pub(crate) chains: Vec<u64>,
    pub(crate) events: Vec<EventRule>,
}

impl OrderProtocol {
    /// Chain for a protocol's chain number.
    pub(crate) fn chain_of(&self, number: u64) -> Option<u64> {
        let Some(numbering) = &self.numbering else { return Some(number) };
        let known = numbering.chains.iter().find(|(own, _)| *own == number);
        known.map(|(_, chain)| *chain).or_else(|| self.chain_named(number.to_string().as_bytes()))
    }

    /// Chain for a protocol's chain name, ignoring case.
    pub(crate) fn chain_named(&self, name: &[u8]) -> Option<u64> {
        let names = &self.numbering.as_ref()?.names;
        let named = names.iter().find(|(own, _)| own.as_bytes().eq_ignore_ascii_case(name));
        named.map(|(_, chain)| *chain)
    }

    /// Whether an event may produce this id, by the id prefixes in the rows.
    pub(crate) fn may_name(&self, id: &str) -> bool {
        let of_events = self.events.iter().filter_map(|event| event.rule.id.as_ref());
        let begins = |template: &String| {
            let fixed = template.split('{').next().unwrap_or_default();
            !fixed.is_empty() && id.starts_with(fixed)
        };
        std::iter::once(&self.id).chain(of_events).any(begins)
    }

    /// Whether the id has a known form: same number of parts, equal fixed parts, and numbers in number positions.
    pub(crate) fn may_have_named(&self, id: &str) -> bool {
        let of_events = self.events.iter().filter_map(|event| event.rule.id.as_ref());
        let has_form = |template: &String| {
            let (parts, given): (Vec<&str>, Vec<&str>) =
                (template.split(':').collect(), id.split(':').collect());
            let fits = |(part, given): (&&str, &&str)| match *part {
                "{origin}" | "{destination}" | "{here}" => given.parse::<u64>().is_ok(),
                part if self.deposit.as_deref() == Some(part) => {
                    given.bytes().all(|byte| byte.is_ascii_digit())
                }
                part if part.contains('{') => true,
                part => part == *given,
            };
            let is_named = parts.iter().any(|part| !part.contains('{'));
            is_named && parts.len() == given.len() && parts.iter().zip(&given).all(fits)
        };
        std::iter::once(&self.id).chain(of_events).any(has_form)
    }

    /// Whether a wrapper uses this name, or its Keccak-256, for the protocol.
    pub(crate) fn is_called(&self, wrapper: &str, name: &[u8]) -> bool {
        let names = self.called.get(wrapper).map_or(&[][..], Vec::as_slice);
        let lower = name.to_ascii_lowercase();
        names.iter().any(|known| {
            lower.starts_with(known.as_bytes()) || *name == keccak256(known.as_bytes()).0
        })
    }

    pub(crate) fn number_of(&self, chain: u64) -> Option<u64> {
        let Some(numbering) = &self.numbering else { return Some(chain) };
        numbering.chains.iter().find(|(_, known)| *known == chain).map(|(own, _)| *own)
    }

    /// First topics of events with an effect on this side.
    pub(crate) fn topics(&self, side: OrderSide) -> impl Iterator<Item = Hash> {
        self.events.iter().filter_map(move |event| {
            let kind = event.kind?;
            (kind != LegKind::Opened && event.side(kind) == side).then_some(event.declaration.topic)
        })
    }
}

impl EventRule {
    /// Side of the order on which this kind occurs.
    pub(crate) fn side(&self, kind: LegKind) -> OrderSide {
        let usual =
            if kind == LegKind::Opened { OrderSide::Origin } else { OrderSide::Destination };
        self.rule.at.unwrap_or(usual)
    }
}

/// Trusted contract.
#[derive(Clone, Debug)]
pub(crate) struct ProtocolContract {
    /// Protocol index in the table.
    pub(crate) protocol: usize,
    pub(crate) lane: String,
    /// The only chain on the other side.
    pub(crate) peer: Option<u64>,
    /// Asset moved, by the protocol's number.
    pub(crate) asset: Option<u64>,
}

/// Token with well-known decimals.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct KnownToken<'a> {
    pub symbol: &'a str,
    pub decimals: u8,
}

/// Lanes and chains of a protocol's contracts, each once and in order.
struct ContractGroups {
    lanes: Vec<String>,
    chains: Vec<u64>,
}

/// Known protocols, contracts and tokens.
#[derive(Clone, Debug)]
pub struct ProtocolTable {
    pub(crate) protocols: Vec<OrderProtocol>,
    /// Protocol and event indices, by first topic.
    forms: HashMap<Hash, Vec<(usize, usize)>>,
    contracts: HashMap<(u64, Address), Vec<ProtocolContract>>,
    tokens: HashMap<(u64, Option<Address>), (String, u8)>,
}

impl ProtocolTable {
    #[must_use]
    pub fn builtin() -> &'static Self {
        &TABLE
    }

    /// Parses a table; the error describes the fault.
    pub(crate) fn parse(text: &str) -> Result<Self, String> {
        let file: ProtocolsFile = toml::from_str(text).map_err(|error| error.to_string())?;
        let mut table = Self {
            protocols: Vec::new(),
            forms: HashMap::new(),
            contracts: HashMap::new(),
            tokens: HashMap::new(),
        };
        let rows = file.protocol.clone();
        for row in file.protocol {
            table.add(row, &rows, &file.numbering)?;
        }
        for token in file.token {
            let addresses = token.at.iter().map(|(chain, address)| (*chain, Some(*address)));
            let native = token.native.iter().map(|chain| (*chain, None));
            for place in addresses.chain(native) {
                table.tokens.insert(place, (token.symbol.clone(), token.decimals));
            }
        }
        Ok(table)
    }

    fn add(
        &mut self,
        row: ProtocolRow,
        rows: &[ProtocolRow],
        numberings: &BTreeMap<String, Numbering>,
    ) -> Result<(), String> {
        if self.protocols.iter().any(|one| one.number == row.number || one.name == row.name) {
            return Err(row.fault("its number or name stands twice"));
        }
        let ContractGroups { lanes, chains } = self.add_contracts(row.find_contracts(rows)?);
        let events = self.add_events(&row)?;
        let numbering = row.find_numbering(numberings)?;
        self.protocols.push(OrderProtocol {
            number: row.number,
            name: row.name,
            id: row.id,
            id_by: row.id_by,
            deposit: row.deposit,
            numbering,
            terminal: row.terminal,
            is_replaceable: row.is_replaceable,
            fails_for_good: row.fails_for_good,
            joins_in_lane: row.joins_in_lane,
            paid: row.paid,
            called: row.called,
            next: row.next,
            not_provable: row.not_provable,
            is_wrapper: row.is_wrapper,
            lanes,
            chains,
            events,
        });
        Ok(())
    }

    /// Adds the contracts of the next protocol.
    fn add_contracts(&mut self, contracts: &[ContractRow]) -> ContractGroups {
        let protocol = self.protocols.len();
        let mut groups = ContractGroups { lanes: Vec::new(), chains: Vec::new() };
        for contract in contracts {
            groups.lanes.push(contract.lane.clone());
            groups.chains.push(contract.chain);
            for address in &contract.addresses {
                let known = self.contracts.entry((contract.chain, *address)).or_default();
                let lane = contract.lane.clone();
                let peer = contract.peer;
                let asset = contract.asset;
                known.push(ProtocolContract { protocol, lane, peer, asset });
            }
        }
        groups.lanes.sort();
        groups.lanes.dedup();
        groups.chains.sort_unstable();
        groups.chains.dedup();
        groups
    }

    /// Adds the events of the next protocol.
    fn add_events(&mut self, row: &ProtocolRow) -> Result<Vec<EventRule>, String> {
        let place = self.protocols.len();
        let mut events = Vec::new();
        for event in row.event.iter().cloned() {
            let declaration =
                Declaration::parse(&event.form).ok_or_else(|| row.fault(&event.form))?;
            let kind = match event.is.as_str() {
                "beside" => None,
                name => Some(LegKind::of_name(name).ok_or_else(|| row.fault(name))?),
            };
            self.forms.entry(declaration.topic).or_default().push((place, events.len()));
            events.push(EventRule { declaration, kind, rule: event.rule });
        }
        Ok(events)
    }

    /// Protocol and event indices for a first topic.
    pub(crate) fn forms(&self, topic: &Hash) -> &[(usize, usize)] {
        self.forms.get(topic).map_or(&[], Vec::as_slice)
    }

    /// Table entries for a contract.
    pub(crate) fn contracts(&self, chain: u64, address: Address) -> &[ProtocolContract] {
        self.contracts.get(&(chain, address)).map_or(&[], Vec::as_slice)
    }

    #[must_use]
    pub fn protocol(&self, name: &str) -> Option<&OrderProtocol> {
        self.protocols.iter().find(|one| one.name == name)
    }

    pub(crate) fn by_number(&self, number: u8) -> Option<&OrderProtocol> {
        self.protocols.iter().find(|one| one.number == number)
    }

    /// Token with well-known decimals; address `None`: the chain's native coin.
    #[must_use]
    pub fn token(&self, chain: u64, address: Option<Address>) -> Option<KnownToken<'_>> {
        let (symbol, decimals) = self.tokens.get(&(chain, address))?;
        Some(KnownToken { symbol, decimals: *decimals })
    }

    #[must_use]
    pub fn chains(&self) -> Vec<u64> {
        let mut chains: Vec<u64> =
            self.protocols.iter().flat_map(|one| one.chains.iter().copied()).collect();
        chains.sort_unstable();
        chains.dedup();
        chains
    }

    /// First topics of all decoded events, with their names.
    pub fn topics(&self) -> impl Iterator<Item = (Hash, &str)> {
        let events = self.protocols.iter().flat_map(|protocol| &protocol.events);
        events.map(|event| (event.declaration.topic, event.declaration.name.as_str()))
    }
}

impl ProtocolTable {
    #[must_use]
    pub fn event_name(&self, leg: &crate::Leg) -> Option<&str> {
        let protocol = leg.wrapper.as_ref().map_or(leg.protocol, |(protocol, _)| *protocol);
        let events = &self.by_number(protocol)?.events;
        Some(&events.get(usize::from(leg.event))?.declaration.name)
    }

    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.protocols.iter().map(|protocol| protocol.name.as_str())
    }

    #[must_use]
    pub fn name_of(&self, number: u8) -> Option<&str> {
        Some(&self.by_number(number)?.name)
    }

    #[must_use]
    pub fn amount_name(&self, leg: &crate::Leg, amount: &crate::TokenAmount) -> Option<&str> {
        let protocol = leg.wrapper.as_ref().map_or(leg.protocol, |(protocol, _)| *protocol);
        let events = &self.by_number(protocol)?.events;
        let row = events.get(usize::from(leg.event))?.rule.amounts.get(usize::from(amount.name))?;
        row.first().map(String::as_str)
    }
}
