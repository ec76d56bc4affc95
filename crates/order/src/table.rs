//! The table of protocols: `protocols.toml`, read once.

use std::collections::{BTreeMap, HashMap};
use std::sync::LazyLock;

use alloy_primitives::Address;
use serde::Deserialize;
use superroot_proof::hash::keccak256;
use superroot_types::Hash;

use crate::abi::Declaration;
use crate::leg::Kind;
use crate::state::State;

/// Those that this build knows.
const BUILTIN: &str = include_str!("protocols.toml");

static TABLE: LazyLock<Table> =
    LazyLock::new(|| Table::parse(BUILTIN).expect("a test reads the table of this build"));

/// What a protocol awaits in a state.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Awaited {
    pub(crate) event: String,
    pub(crate) at: Side,
}

/// A side of an order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Side {
    Origin,
    Destination,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct ContractRow {
    chain: u64,
    #[serde(default)]
    lane: String,
    peer: Option<u64>,
    asset: Option<u64>,
    addresses: Vec<Address>,
}

/// When a fill is a part: `sum` of what was filled so far is below `of`.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct FilledRule {
    pub(crate) sum: String,
    pub(crate) of: String,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct EventRow {
    form: String,
    is: String,
    #[serde(flatten)]
    rule: Rule,
}

/// Who may cause an event, and so what it shows by itself.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Cause {
    /// The protocol's contracts compared what it says with what they or its signers hold.
    #[default]
    Protocol,
    /// Anybody, with any terms: of an order whose opening is not held it shows nothing.
    Anyone,
}

/// What makes an id that order's alone.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum IdSource {
    /// A contract hashes it of the terms.
    Hash,
    /// A contract counts it.
    Number,
    /// Whoever calls chooses it.
    Caller,
    /// There is none: equal terms are all that joins the sides.
    Terms,
}

/// What an event is where two of its words are the same.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Instead {
    pub(crate) equal: (String, String),
    pub(crate) is: String,
}

/// An amount that follows from several events of an order.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Paid {
    /// The event that pays.
    pub(crate) event: String,
    /// The amount's name.
    pub(crate) name: String,
    /// The amount of the event that it is computed of.
    pub(crate) from: String,
    /// An amount of the opening that is kept back.
    pub(crate) less: Option<String>,
    /// An amount of an earlier step that counts in its place.
    pub(crate) now: Option<String>,
}

/// What is read of an event, as `protocols.toml` says it.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct Rule {
    pub(crate) id: Option<String>,
    pub(crate) at: Option<Side>,
    pub(crate) origin: Option<String>,
    pub(crate) origin_is: Option<u64>,
    pub(crate) origin_is_peer: bool,
    pub(crate) destination: Option<String>,
    pub(crate) destination_is_peer: bool,
    pub(crate) terms: Vec<String>,
    pub(crate) token_out: Option<String>,
    pub(crate) amounts: Vec<Vec<String>>,
    pub(crate) deadline: Option<String>,
    pub(crate) swap_deadline: Option<String>,
    pub(crate) filled: Option<FilledRule>,
    pub(crate) fails_unless: Option<(String, u64)>,
    pub(crate) awaits: Option<String>,
    pub(crate) awaits_at: Option<Side>,
    pub(crate) stuck: Option<String>,
    pub(crate) by: Cause,
    pub(crate) needs_with: bool,
    pub(crate) equal: Vec<(String, String)>,
    pub(crate) nonzero: Option<String>,
    pub(crate) sent_by: Option<String>,
    pub(crate) instead: Option<Instead>,
    pub(crate) implies: Option<State>,
    pub(crate) lifetime_s: Option<u64>,
    pub(crate) receipt: bool,
    pub(crate) bridge: Option<String>,
    pub(crate) each: Vec<String>,
    pub(crate) range: Option<(String, String)>,
    pub(crate) join: Option<String>,
    pub(crate) with: Option<String>,
    pub(crate) derive: Option<String>,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct ProtocolRow {
    number: u8,
    name: String,
    id: String,
    id_by: IdSource,
    deposit: Option<String>,
    numbering: Option<String>,
    terminal: Vec<State>,
    #[serde(default)]
    is_replaceable: bool,
    #[serde(default)]
    fails_for_good: bool,
    #[serde(default)]
    paid: Vec<Paid>,
    #[serde(default)]
    called: BTreeMap<String, Vec<String>>,
    next: BTreeMap<State, Awaited>,
    not_provable: Option<String>,
    #[serde(default)]
    is_wrapper: bool,
    #[serde(default)]
    contracts: Vec<ContractRow>,
    contracts_of: Option<String>,
    event: Vec<EventRow>,
}

/// How a protocol numbers or names chains.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Numbering {
    #[serde(default)]
    chains: Vec<(u64, u64)>,
    #[serde(default)]
    names: Vec<(String, u64)>,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct TokenRow {
    symbol: String,
    decimals: u8,
    #[serde(default)]
    at: Vec<(u64, Address)>,
    #[serde(default)]
    native: Vec<u64>,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    protocol: Vec<ProtocolRow>,
    numbering: BTreeMap<String, Numbering>,
    token: Vec<TokenRow>,
}

/// An event of a protocol.
#[derive(Clone, Debug)]
pub(crate) struct EventRule {
    pub(crate) declaration: Declaration,
    /// What it makes of its order; `None`: it only stands beside another.
    pub(crate) kind: Option<Kind>,
    pub(crate) rule: Rule,
}

/// A protocol.
#[derive(Clone, Debug)]
pub struct Protocol {
    /// Its number in stored rows.
    pub(crate) number: u8,
    /// Its name.
    pub name: String,
    pub(crate) id: String,
    /// What makes its ids one order's alone.
    pub(crate) id_by: IdSource,
    pub(crate) deposit: Option<String>,
    numbering: Option<Numbering>,
    pub(crate) terminal: Vec<State>,
    /// Whether a later opening of the same id takes the place of the earlier one.
    pub(crate) is_replaceable: bool,
    /// Whether what failed on the destination is not tried again.
    pub(crate) fails_for_good: bool,
    pub(crate) paid: Vec<Paid>,
    /// How wrappers call it: beginnings of names by the wrapper's.
    called: BTreeMap<String, Vec<String>>,
    pub(crate) next: BTreeMap<State, Awaited>,
    /// Why the other side can never be shown, where its ledger keeps it outside its tries.
    pub(crate) not_provable: Option<String>,
    pub(crate) is_wrapper: bool,
    /// Names of its groups of contracts that belong together.
    pub(crate) lanes: Vec<String>,
    /// Chains with contracts of it.
    pub(crate) chains: Vec<u64>,
    pub(crate) events: Vec<EventRule>,
}

impl Protocol {
    /// The chain that the protocol means by that number.
    pub(crate) fn chain_of(&self, number: u64) -> Option<u64> {
        let Some(numbering) = &self.numbering else { return Some(number) };
        let known = numbering.chains.iter().find(|(own, _)| *own == number);
        known.map(|(_, chain)| *chain).or_else(|| self.chain_named(number.to_string().as_bytes()))
    }

    /// The chain that the protocol calls by that name, in whatever letters.
    pub(crate) fn chain_named(&self, name: &[u8]) -> Option<u64> {
        let names = &self.numbering.as_ref()?.names;
        let named = names.iter().find(|(own, _)| own.as_bytes().eq_ignore_ascii_case(name));
        named.map(|(_, chain)| *chain)
    }

    /// Whether one of its events may make that id: they begin as its rows say.
    pub(crate) fn may_name(&self, id: &str) -> bool {
        let of_events = self.events.iter().filter_map(|event| event.rule.id.as_ref());
        let begins = |template: &String| {
            let fixed = template.split('{').next().unwrap_or_default();
            !fixed.is_empty() && id.starts_with(fixed)
        };
        std::iter::once(&self.id).chain(of_events).any(begins)
    }

    /// Whether one of its ids has that form: as many parts, the fixed ones as they are, and numbers where it has numbers.
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

    /// Whether a wrapper means it by that name, or by the Keccak-256 of one.
    pub(crate) fn is_called(&self, wrapper: &str, name: &[u8]) -> bool {
        let names = self.called.get(wrapper).map_or(&[][..], Vec::as_slice);
        let lower = name.to_ascii_lowercase();
        names.iter().any(|known| {
            lower.starts_with(known.as_bytes()) || *name == keccak256(known.as_bytes()).0
        })
    }

    /// The protocol's number of a chain.
    pub(crate) fn number_of(&self, chain: u64) -> Option<u64> {
        let Some(numbering) = &self.numbering else { return Some(chain) };
        numbering.chains.iter().find(|(_, known)| *known == chain).map(|(own, _)| *own)
    }

    /// First topics of its events that make something of an order on a side.
    pub(crate) fn topics(&self, side: Side) -> impl Iterator<Item = Hash> {
        self.events.iter().filter_map(move |event| {
            let kind = event.kind?;
            (kind != Kind::Opened && event.side(kind) == side).then_some(event.declaration.topic)
        })
    }
}

impl EventRule {
    /// On which side of its order it happens.
    pub(crate) fn side(&self, kind: Kind) -> Side {
        let usual = if kind == Kind::Opened { Side::Origin } else { Side::Destination };
        self.rule.at.unwrap_or(usual)
    }
}

/// A contract that is believed.
#[derive(Clone, Debug)]
pub(crate) struct Contract {
    /// Place of its protocol in the table.
    pub(crate) protocol: usize,
    pub(crate) lane: String,
    /// The only chain on the other side.
    pub(crate) peer: Option<u64>,
    /// What it moves, by the protocol's number.
    pub(crate) asset: Option<u64>,
}

/// A token whose decimals are well known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct KnownToken<'a> {
    /// Its symbol.
    pub symbol: &'a str,
    /// Its decimals.
    pub decimals: u8,
}

/// Protocols, contracts and tokens that are known.
#[derive(Clone, Debug)]
pub struct Table {
    pub(crate) protocols: Vec<Protocol>,
    /// Place of protocol and event, by first topic.
    forms: HashMap<Hash, Vec<(usize, usize)>>,
    contracts: HashMap<(u64, Address), Vec<Contract>>,
    tokens: HashMap<(u64, Option<Address>), (String, u8)>,
}

impl Table {
    /// The table of this build.
    #[must_use]
    pub fn builtin() -> &'static Self {
        &TABLE
    }

    /// Reads a table; says what is wrong with it.
    pub(crate) fn parse(text: &str) -> Result<Self, String> {
        let file: File = toml::from_str(text).map_err(|error| error.to_string())?;
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
        let place = self.protocols.len();
        let fault = |what: &str| format!("{}: {what}", row.name);
        if self.protocols.iter().any(|one| one.number == row.number || one.name == row.name) {
            return Err(fault("its number or name stands twice"));
        }
        let own = match &row.contracts_of {
            Some(of) => {
                rows.iter().find(|one| one.name == *of).ok_or_else(|| fault("contracts_of"))?
            }
            None => &row,
        };
        let (mut lanes, mut chains) = (Vec::new(), Vec::new());
        for contract in &own.contracts {
            lanes.push(contract.lane.clone());
            chains.push(contract.chain);
            for address in &contract.addresses {
                let known = self.contracts.entry((contract.chain, *address)).or_default();
                let lane = contract.lane.clone();
                let (peer, asset) = (contract.peer, contract.asset);
                known.push(Contract { protocol: place, lane, peer, asset });
            }
        }
        lanes.sort();
        lanes.dedup();
        chains.sort_unstable();
        chains.dedup();
        let numbering = row
            .numbering
            .as_ref()
            .map(|name| numberings.get(name).cloned().ok_or_else(|| fault("numbering")));
        let mut events = Vec::new();
        for event in row.event.iter().cloned() {
            let declaration = Declaration::parse(&event.form).ok_or_else(|| fault(&event.form))?;
            let kind = match event.is.as_str() {
                "beside" => None,
                name => Some(Kind::of_name(name).ok_or_else(|| fault(name))?),
            };
            self.forms.entry(declaration.topic).or_default().push((place, events.len()));
            events.push(EventRule { declaration, kind, rule: event.rule });
        }
        let numbering = numbering.transpose()?;
        self.protocols.push(Protocol {
            number: row.number,
            name: row.name,
            id: row.id,
            id_by: row.id_by,
            deposit: row.deposit,
            numbering,
            terminal: row.terminal,
            is_replaceable: row.is_replaceable,
            fails_for_good: row.fails_for_good,
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

    /// The events that begin with that topic: places of protocol and event.
    pub(crate) fn forms(&self, topic: &Hash) -> &[(usize, usize)] {
        self.forms.get(topic).map_or(&[], Vec::as_slice)
    }

    /// What a contract of a chain is believed to be.
    pub(crate) fn contracts(&self, chain: u64, address: Address) -> &[Contract] {
        self.contracts.get(&(chain, address)).map_or(&[], Vec::as_slice)
    }

    /// The protocol of that name.
    #[must_use]
    pub fn protocol(&self, name: &str) -> Option<&Protocol> {
        self.protocols.iter().find(|one| one.name == name)
    }

    pub(crate) fn by_number(&self, number: u8) -> Option<&Protocol> {
        self.protocols.iter().find(|one| one.number == number)
    }

    /// A token of a chain, if its decimals are well known; `None` as address: the chain's own.
    #[must_use]
    pub fn token(&self, chain: u64, address: Option<Address>) -> Option<KnownToken<'_>> {
        let (symbol, decimals) = self.tokens.get(&(chain, address))?;
        Some(KnownToken { symbol, decimals: *decimals })
    }

    /// Chains with contracts of any protocol.
    #[must_use]
    pub fn chains(&self) -> Vec<u64> {
        let mut chains: Vec<u64> =
            self.protocols.iter().flat_map(|one| one.chains.iter().copied()).collect();
        chains.sort_unstable();
        chains.dedup();
        chains
    }

    /// First topics of all events that are read, with their names.
    pub fn topics(&self) -> impl Iterator<Item = (Hash, &str)> {
        let events = self.protocols.iter().flat_map(|protocol| &protocol.events);
        events.map(|event| (event.declaration.topic, event.declaration.name.as_str()))
    }
}

impl Table {
    /// The name of a leg's event.
    #[must_use]
    pub fn event_name(&self, leg: &crate::Leg) -> Option<&str> {
        let protocol = leg.wrapper.as_ref().map_or(leg.protocol, |(protocol, _)| *protocol);
        let events = &self.by_number(protocol)?.events;
        Some(&events.get(usize::from(leg.event))?.declaration.name)
    }

    /// Names of all protocols.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.protocols.iter().map(|protocol| protocol.name.as_str())
    }

    /// The name of the protocol of that number.
    #[must_use]
    pub fn name_of(&self, number: u8) -> Option<&str> {
        Some(&self.by_number(number)?.name)
    }

    /// The name of an amount of a leg.
    #[must_use]
    pub fn amount_name(&self, leg: &crate::Leg, amount: &crate::Amount) -> Option<&str> {
        let protocol = leg.wrapper.as_ref().map_or(leg.protocol, |(protocol, _)| *protocol);
        let events = &self.by_number(protocol)?.events;
        let row = events.get(usize::from(leg.event))?.rule.amounts.get(usize::from(amount.name))?;
        row.first().map(String::as_str)
    }
}
