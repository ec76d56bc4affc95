//! Converts a block's events to legs.

use alloy_primitives::{Address, U256};
use superroot_index::{BlockEvent, EventBlock};
use superroot_types::{ChainKey, Family, Hash, SAFE_INTEGER_MAX};

use crate::abi::AbiValue;
use crate::context::{Context, Scalar};
use crate::derive;
use crate::leg::{Leg, LegKind, LegPosition};
use crate::table::{EventRule, OrderProtocol, OrderSide, ProtocolContract, ProtocolTable};

/// Most legs of one event: more than the gas of its block pays for.
const PARTS_MAX: usize = 32_768;

#[must_use]
pub fn legs(block: &EventBlock<'_>) -> Vec<Leg> {
    if block.chain.family != Family::Evm {
        return Vec::new();
    }
    let mut legs = Vec::new();
    let table = ProtocolTable::builtin();
    let mut calls = Vec::new();
    for (place, event) in block.events.iter().enumerate() {
        let Some(topic) = event.topics.first() else { continue };
        for (protocol, rule) in table.forms(topic) {
            let of_protocol = |one: &&ProtocolContract| one.protocol == *protocol;
            let contracts = believed(table, block.chain, event).iter().filter(of_protocol);
            for contract in contracts {
                let Some(protocol) = table.protocols.get(*protocol) else { continue };
                let Some(rule) = protocol.events.get(*rule) else { continue };
                let read = EventReading { table, block, at: place, protocol, contract, rule };
                read.put(&mut legs, &mut calls);
            }
        }
    }
    wrap(&mut legs, &calls, table);
    legs
}

/// Table entries for the event's contract.
fn believed<'a>(
    table: &'a ProtocolTable,
    chain: ChainKey,
    event: &BlockEvent,
) -> &'a [ProtocolContract] {
    let address = event.addresses.first().and_then(|bytes| <[u8; 20]>::try_from(&bytes[..]).ok());
    address.map_or(&[], |address| table.contracts(chain.id.0, Address::from(address)))
}

struct EventReading<'a> {
    table: &'a ProtocolTable,
    block: &'a EventBlock<'a>,
    at: usize,
    protocol: &'a OrderProtocol,
    contract: &'a ProtocolContract,
    rule: &'a EventRule,
}

impl<'a> EventReading<'a> {
    /// Adds the event's legs; for a wrapper also the bridge name, with the leg index.
    fn put(&self, legs: &mut Vec<Leg>, calls: &mut Vec<(usize, Vec<u8>)>) -> Option<()> {
        let kind = self.rule.kind?;
        let event = self.block.events.get(self.at)?;
        let values = self.rule.declaration.decode(&event.topics, event.data.as_deref()?)?;
        let place = LegPosition {
            chain: self.block.chain,
            number: self.block.number,
            tx_index: event.tx_index,
            log_index: event.log_index,
            part: 0,
        };
        let beside = self.rule.rule.with.as_deref().and_then(|with| self.beside(event, with));
        let mut context = Context {
            protocol: self.protocol,
            contract: self.contract,
            place,
            rule: self.rule,
            values,
            beside,
            derived: Vec::new(),
            tx_hash: event.transaction_hash,
            origin: None,
            destination: None,
            is_elsewhere: false,
            parts: Vec::new(),
        };
        if let Some(name) = &self.rule.rule.derive {
            context.derived = derive::fields(name, &context)?;
        }
        self.sides(&mut context, kind);
        if !self.is_sound(&context) {
            return None;
        }
        let first = legs.len();
        let parts = self.parts(&context)?;
        for (part, values) in (0..).zip(parts) {
            context.place.part = part;
            context.parts = values;
            legs.extend(self.leg(&context, kind));
        }
        if let Some(path) = self.rule.rule.bridge.as_ref().filter(|_| legs.len() > first) {
            let name = match context.bytes(path) {
                Some(name) => name.to_vec(),
                None => context.scalar(path)?.bytes.to_vec(),
            };
            calls.push((first, name));
        }
        Some(())
    }

    /// Sets origin and destination.
    fn sides(&self, context: &mut Context<'_>, kind: LegKind) {
        let rule = &self.rule.rule;
        let here = context.place.chain.id.0;
        let named = |path: &Option<String>| {
            let path = path.as_ref()?;
            let chain = match context.bytes(path) {
                Some(name) => self.protocol.chain_named(name),
                None => self.protocol.chain_of(context.scalar(path)?.as_u64()?),
            };
            // no answer could say a larger one
            chain.filter(|chain| *chain <= SAFE_INTEGER_MAX)
        };
        let peer = |is_peer: bool| self.contract.peer.filter(|_| is_peer);
        let origin = named(&rule.origin).or(rule.origin_is).or(peer(rule.origin_is_peer));
        let destination = named(&rule.destination).or(peer(rule.destination_is_peer));
        (context.origin, context.destination) = match self.rule.side(kind) {
            OrderSide::Origin => (Some(here), destination),
            OrderSide::Destination => (origin, Some(here)),
        };
        context.is_elsewhere = rule.destination.is_some() && context.destination.is_none();
    }

    /// Whether the protocol itself made the event, by its fields and its neighbouring event.
    fn is_sound(&self, context: &Context<'_>) -> bool {
        let rule = &self.rule.rule;
        let is_there =
            |path: &String| context.scalar(path).is_some_and(|word| word.bytes != [0; 32]);
        (!rule.needs_with || context.beside.is_some())
            && rule.equal.iter().all(|pair| context.is_equal(pair))
            && rule.nonzero.as_ref().is_none_or(is_there)
            && rule.sent_by.as_ref().is_none_or(|path| self.is_sent_by(context, path))
    }

    /// Whether a word is a protocol contract on the origin chain; true for an unknown origin, since the contract here
    /// compared the word.
    fn is_sent_by(&self, context: &Context<'_>, path: &str) -> bool {
        let Some(origin) = context.origin.filter(|chain| self.protocol.chains.contains(chain))
        else {
            return true;
        };
        let sender = context.scalar(path).map(|word| Address::from_slice(&word.bytes[12..]));
        let contracts = sender.map_or(&[][..], |sender| self.table.contracts(origin, sender));
        contracts.iter().any(|one| one.protocol == self.contract.protocol)
    }

    /// Array elements or numbers with one leg each; a single empty part without arrays.
    fn parts(&self, context: &Context<'_>) -> Option<Vec<Vec<Scalar>>> {
        if let Some((first, count)) = &self.rule.rule.range {
            let first = context.scalar(first)?.as_u256();
            let count = context.scalar(count)?;
            let count = usize::try_from(count.as_u64()?).ok()?.min(PARTS_MAX);
            let number = |index| vec![Scalar::number(first.wrapping_add(U256::from(index)))];
            return Some((0..count).map(number).collect());
        }
        let paths = &self.rule.rule.each;
        if paths.is_empty() {
            return Some(vec![Vec::new()]);
        }
        let mut columns = Vec::new();
        for path in paths {
            let AbiValue::Many(items, _) = context.value(path)? else { return None };
            columns.push(items.iter().map(Scalar::of).collect::<Option<Vec<_>>>()?);
        }
        let count = columns.first()?.len();
        if columns.iter().any(|column| column.len() != count) {
            return None;
        }
        let row = |index| columns.iter().filter_map(|column| column.get(index).copied()).collect();
        Some((0..count.min(PARTS_MAX)).map(row).collect())
    }

    /// Nearest event with this name in the same transaction, before or after as given in `with`.
    fn beside(&self, event: &BlockEvent, with: &str) -> Option<(&'a EventRule, Vec<AbiValue<'a>>)> {
        let (side, name) = with.split_once(':')?;
        let events = self.block.events;
        let is_same = |place: &usize| events[*place].tx_index == event.tx_index;
        let before = (0..self.at).rev();
        let after = self.at + 1..events.len();
        // an event of its own kind ends the search: all searches of a block together read it once
        let places: &mut dyn Iterator<Item = usize> = match side {
            "before" => &mut before.take_while(is_same),
            _ => &mut after.take_while(is_same),
        };
        for place in places {
            let other = &events[place];
            let is_own = believed(self.table, self.block.chain, other).iter().any(|one| {
                one.protocol == self.contract.protocol && one.lane == self.contract.lane
            });
            let Some(topic) = other.topics.first().filter(|_| is_own) else { continue };
            if *topic == self.rule.declaration.topic {
                return None; // what stands beyond another one belongs to that
            }
            let mut rules = self.protocol.events.iter();
            let named =
                rules.find(|one| one.declaration.topic == *topic && one.declaration.name == name);
            if let Some(rule) = named {
                let values = rule.declaration.decode(&other.topics, other.data.as_deref()?)?;
                return Some((rule, values));
            }
        }
        None
    }

    fn leg(&self, context: &Context<'_>, kind: LegKind) -> Option<Leg> {
        let rule = &self.rule.rule;
        let id = context.fill(rule.id.as_ref().unwrap_or(&self.protocol.id))?;
        let kind = match &rule.fails_unless {
            Some((path, value)) if context.scalar(path)?.as_u64() != Some(*value) => {
                LegKind::Failed
            }
            _ => match &rule.instead {
                Some(instead) if context.is_equal(&instead.equal) => LegKind::of_name(&instead.is)?,
                _ => kind,
            },
        };
        let moment = |path: &Option<String>| context.scalar(path.as_ref()?)?.as_u64();
        let is_partial = match &rule.filled {
            Some(filled) => {
                context.scalar(&filled.sum)?.as_u256() < context.scalar(&filled.of)?.as_u256()
            }
            None => false,
        };
        let is_own = rule.id.is_none();
        let deposit = self.protocol.deposit.as_ref().filter(|_| is_own);
        let event = self.protocol.events.iter().position(|one| std::ptr::eq(one, self.rule))?;
        // what meets other legs by a name alone is of no lane
        let lane = match is_own || kind != LegKind::Settled && kind != LegKind::Refunded {
            true => self.contract.lane.clone(),
            false => String::new(),
        };
        Some(Leg {
            place: context.place,
            kind,
            protocol: self.protocol.number,
            event: u8::try_from(event).ok()?,
            lane,
            id,
            at: self.block.timestamp,
            tx_hash: context.tx_hash,
            origin: context.origin,
            destination: context.destination,
            is_elsewhere: context.is_elsewhere,
            terms: context.terms(),
            token_out: rule
                .token_out
                .as_ref()
                .and_then(|path| context.scalar(path).map(|scalar| Hash(scalar.bytes))),
            deadline: moment(&rule.deadline).or_else(|| self.end_of_life()),
            swap_deadline: moment(&rule.swap_deadline),
            is_partial,
            amounts: context.amounts(),
            join: rule.join.as_ref().and_then(|join| context.fill(join)),
            deposit: deposit.and_then(|deposit| context.fill(deposit)),
            wrapper: None,
        })
    }
}

impl EventReading<'_> {
    fn end_of_life(&self) -> Option<u64> {
        self.block.timestamp.0.checked_add(self.rule.rule.lifetime_s?)
    }
}

/// Links wrappers to the openings that they report to have called in their transaction: with the named bridge and
/// destination chain, one opening each.
fn wrap(legs: &mut [Leg], calls: &[(usize, Vec<u8>)], table: &ProtocolTable) {
    let is_wrapper = |leg: &Leg| table.by_number(leg.protocol).is_some_and(|one| one.is_wrapper);
    let mut taken = std::collections::BTreeSet::new();
    for (at, name) in calls {
        let Some(wrapper) = legs.get(*at).cloned() else { continue };
        let Some(caller) = table.by_number(wrapper.protocol) else { continue };
        let is_called = |leg: &Leg| {
            let bridge = table.by_number(leg.protocol);
            bridge.is_some_and(|bridge| bridge.is_called(&caller.name, name))
        };
        let is_below = |leg: &&Leg| {
            let same = leg.place.number == wrapper.place.number
                && leg.place.tx_index == wrapper.place.tx_index;
            // a bridge whose event names no chain cannot contradict
            let is_there = match leg.destination {
                None => !leg.is_elsewhere,
                chain => chain == wrapper.destination,
            };
            same && leg.kind == LegKind::Opened
                && !is_wrapper(leg)
                && is_there
                && is_called(leg)
                && !taken.contains(&leg.place)
        };
        // the nearest opening before it: bridges are called before the wrapper says so
        let nearest = legs
            .iter()
            .filter(is_below)
            .filter(|leg| leg.place.log_index < wrapper.place.log_index)
            .max_by_key(|leg| leg.place.log_index);
        let Some(bridge) = nearest.or_else(|| legs.iter().find(is_below)).cloned() else {
            continue;
        };
        taken.insert(bridge.place);
        legs[*at] = Leg {
            kind: LegKind::Wrapped,
            protocol: bridge.protocol,
            event: wrapper.event,
            lane: bridge.lane.clone(),
            id: bridge.id.clone(),
            wrapper: Some((wrapper.protocol, wrapper.id.clone())),
            terms: None,
            deposit: None,
            join: None,
            ..wrapper
        };
    }
}
