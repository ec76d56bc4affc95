//! Builds an order from legs: a pure function over a set of legs and further knowledge.

mod assembly;
mod expiry;
mod knowledge;
mod stuck;

use superroot_store::StoreError;
use superroot_types::Hash;

pub use self::knowledge::Knowledge;

use self::assembly::OrderAssembly;
use self::expiry::Expiry;
use crate::leg::{Leg, LegKind};
use crate::order::{AwaitedEvent, ChainProgress, Legs, ListedLeg, Order, Transition};
use crate::state::OrderState;
use crate::table::{Cause, EventRule, OrderProtocol, OrderSide, ProtocolTable};

pub fn assemble(mut legs: Legs, known: &impl Knowledge) -> Result<Option<Order>, StoreError> {
    let Some(first) = legs.own.first() else { return Ok(None) };
    let Some(protocol) = ProtocolTable::builtin().by_number(first.protocol) else {
        return Ok(None);
    };
    // a step of a wrapper stands beside an opening that is held; alone it is no order
    if protocol.is_wrapper && legs.own.iter().all(|leg| leg.kind == LegKind::Noted) {
        return Ok(None);
    }
    complete_deferred(protocol, &mut legs);
    let retries = settle_by_receipts(protocol, &mut legs, known)?;
    let mut made = OrderAssembly::new(protocol, legs);
    made.failed_retry = retries.failed;
    let mut expiry = made.expiry(known)?;
    // it may have been redeemed
    expiry.is_expired &= !retries.has_unknown;
    made.finish(&expiry, known).map(Some)
}

/// Makes the leg that completes a deferred step the kind that the step else has.
fn complete_deferred(protocol: &OrderProtocol, legs: &mut Legs) {
    for leg in &mut legs.met {
        let step = legs
            .own
            .iter()
            .find(|step| step.kind == LegKind::Noted && step.join.as_ref() == Some(&leg.id));
        let rule = step.and_then(|step| protocol.events.get(usize::from(step.event)));
        let kind = rule.filter(|event| event.rule.instead.is_some()).and_then(|event| event.kind);
        if let (Some(step), Some(kind)) = (step, kind) {
            leg.kind = kind;
            leg.id.clone_from(&step.id);
            (leg.origin, leg.destination) = (step.origin, step.destination);
        }
    }
}

/// Transactions on which steps depend.
struct Retries {
    /// Newest failed transaction.
    failed: Option<Hash>,
    /// Whether a receipt is not held.
    has_unknown: bool,
}

/// Sets the success of steps that depend on another transaction from its receipt.
fn settle_by_receipts(
    protocol: &OrderProtocol,
    legs: &mut Legs,
    known: &impl Knowledge,
) -> Result<Retries, StoreError> {
    let mut failed = None;
    let mut has_unknown = false;
    for leg in &mut legs.own {
        let rule = protocol.events.get(usize::from(leg.event)).map(|event| &event.rule);
        let is_one = leg.kind == LegKind::Noted && rule.is_some_and(|rule| rule.receipt);
        let joined = leg.join.as_ref().filter(|_| is_one).and_then(|join| join.rsplit(':').next());
        let Some(hash) = joined.and_then(|hash| hash.parse::<Hash>().ok()) else { continue };
        match known.has_succeeded(leg.place.chain, &hash)? {
            Some(true) => leg.kind = LegKind::Settled,
            Some(false) => failed = Some((leg.at, leg.place, hash)).max(failed),
            None => has_unknown = true,
        }
    }
    Ok(Retries { failed: failed.map(|(.., hash)| hash), has_unknown })
}

impl OrderAssembly<'_> {
    fn finish(self, expiry: &Expiry, known: &impl Knowledge) -> Result<Order, StoreError> {
        let shown = self.shown();
        let state = if expiry.is_expired { OrderState::Expired } else { shown };
        let disagree = self.fills_disagree();
        let is_whole = |clock: &ChainProgress| clock.is_followed && !expiry.is_missed;
        let is_sure =
            !self.is_refunded_by_amount(state) || expiry.clock.as_ref().is_some_and(is_whole);
        let is_over = self.protocol.terminal.contains(&state) && !disagree && is_sure;
        let is_terminal = is_over && self.is_final(known)?;
        let origin = self.said(|leg| leg.origin);
        let destination = self.said(|leg| leg.destination);
        let deadline = self.deadline();
        let next = self.next(state, is_over, origin, destination);
        let stuck = self.stuck(state, is_over, disagree, expiry);
        let transitions = self.transitions(expiry);
        let id = self.said(|leg| Some(leg.id.clone())).unwrap_or_default();
        let swap_deadline = self.said(|leg| leg.swap_deadline);
        Ok(Order {
            id,
            protocol: self.protocol.name.clone(),
            state,
            is_terminal,
            is_decided_at_head: is_over && !is_terminal,
            opening: self.opening,
            identical: self.identical,
            origin,
            destination,
            deadline,
            swap_deadline,
            transitions,
            next,
            stuck,
            counts: self.counts,
            is_cut: self.is_cut,
            legs: self.legs,
        })
    }

    /// Whether every event that decides the outcome is final.
    fn is_final(&self, known: &impl Knowledge) -> Result<bool, StoreError> {
        let deciding = self.legs.iter().filter(|one| {
            one.mismatch.is_none() && !matches!(one.leg.kind, LegKind::Noted | LegKind::Wrapped)
        });
        for ListedLeg { leg, .. } in deciding {
            if !known.is_final(&leg.place)? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    fn transitions(&self, expiry: &Expiry) -> Vec<Transition> {
        let is_seen_alone = |leg: &Leg| {
            let is_anyones = self.rule(leg).is_some_and(|event| event.rule.by == Cause::Anyone);
            self.opening.is_none() && is_anyones
        };
        let state = |leg: &Leg| match leg.kind {
            LegKind::Filled if is_seen_alone(leg) => Some(OrderState::FillSeen),
            _ if is_seen_alone(leg) => None,
            LegKind::Opened => Some(OrderState::Opened),
            LegKind::Filled if leg.is_partial => Some(OrderState::PartiallyFilled),
            LegKind::Filled => Some(OrderState::Filled),
            LegKind::Settled => Some(OrderState::Settled),
            LegKind::Cancelled => Some(OrderState::Cancelled),
            LegKind::Refunded => Some(OrderState::Refunded),
            LegKind::Failed if self.protocol.fails_for_good => Some(OrderState::Failed),
            LegKind::Noted | LegKind::Failed | LegKind::Wrapped => None,
        };
        let counted = self.legs.iter().enumerate().filter(|(_, one)| one.mismatch.is_none());
        let of_legs = counted.filter_map(|(place, ListedLeg { leg, .. })| {
            let state = state(leg)?;
            Some(Transition { state, at: leg.at.0, leg: Some(place) })
        });
        let mut transitions: Vec<Transition> = of_legs.collect();
        if let Some(at) = self.deadline().filter(|_| expiry.is_expired) {
            transitions.push(Transition { state: OrderState::Expired, at, leg: None });
        }
        // clocks of two chains differ: an order is opened before it is filled, whatever they say
        transitions.sort_by_key(|one| (one.state, one.at, one.leg));
        transitions
    }

    fn next(
        &self,
        state: OrderState,
        is_over: bool,
        origin: Option<u64>,
        destination: Option<u64>,
    ) -> Option<AwaitedEvent> {
        if matches!(state, OrderState::FillSeen | OrderState::StepSeen) {
            let opens = |event: &&EventRule| event.kind == Some(LegKind::Opened);
            let event = self.protocol.events.iter().rfind(opens)?.declaration.name.clone();
            return Some(AwaitedEvent {
                event,
                chain: origin,
                before: None,
                not_provable: self.unread(origin),
            });
        }
        // what is still to come of several is what is awaited of one
        let of_one = || {
            let is_partial = state == OrderState::PartiallyFilled;
            self.protocol.next.get(&OrderState::Opened).filter(|_| is_partial)
        };
        let usual = self.protocol.next.get(&state).or_else(of_one);
        let noted = self.newest_note().filter(|_| !is_over && state != OrderState::Expired);
        let event = noted
            .and_then(|event| event.rule.awaits.clone())
            .or_else(|| usual.map(|awaited| awaited.event.clone()))?;
        let usual = usual.map_or(OrderSide::Destination, |awaited| awaited.at);
        let side = noted.and_then(|event| event.rule.awaits_at).unwrap_or(usual);
        let chain = match side {
            OrderSide::Origin => origin,
            OrderSide::Destination => destination,
        };
        // the deadline is that of a fill
        let is_open = state < OrderState::Filled
            && state != OrderState::Expired
            && side == OrderSide::Destination;
        let known = self.protocol.not_provable.clone().filter(|_| side == OrderSide::Destination);
        let not_provable = known.or_else(|| self.unread(chain));
        Some(AwaitedEvent {
            event,
            chain,
            before: self.deadline().filter(|_| is_open),
            not_provable,
        })
    }

    /// Reason why an event on this chain can have no proof here.
    fn unread(&self, chain: Option<u64>) -> Option<String> {
        if self.protocol.is_wrapper {
            return Some("no event of a bridge that is known here stands beside it".to_owned());
        }
        let chain = chain.filter(|chain| !self.protocol.chains.contains(chain))?;
        Some(format!("no contract of {} is known on chain {chain}", self.protocol.name))
    }
}
