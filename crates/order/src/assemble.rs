//! Builds an order from legs: a pure function over a set of legs and further knowledge.

use std::collections::BTreeSet;

use superroot_store::StoreError;
use superroot_types::{ChainKey, Hash};

use crate::fit::{Fit, fit};
use crate::leg::{Leg, LegKind, LegPosition, TokenAmount};
use crate::order::{AwaitedEvent, ChainProgress, Legs, ListedLeg, Order, Stuck, Transition};
use crate::state::OrderState;
use crate::table::{Cause, EventRule, OrderProtocol, OrderSide, PaidRule, ProtocolTable};

/// Knowledge besides an order's legs.
pub trait Knowledge {
    /// Known progress of a chain, for an order of this protocol with this opening time.
    fn clock(
        &self,
        chain: u64,
        protocol: &OrderProtocol,
        since: u64,
    ) -> Result<ChainProgress, StoreError>;

    /// Whether the block at this position is final and was not taken back.
    fn is_final(&self, place: &LegPosition) -> Result<bool, StoreError>;

    /// Whether a transaction succeeded; `None` without a stored receipt.
    fn has_succeeded(&self, chain: ChainKey, hash: &Hash) -> Result<Option<bool>, StoreError>;
}

pub fn assemble(mut legs: Legs, known: &impl Knowledge) -> Result<Option<Order>, StoreError> {
    let Some(first) = legs.own.first() else { return Ok(None) };
    let Some(protocol) = ProtocolTable::builtin().by_number(first.protocol) else {
        return Ok(None);
    };
    let failed_retry = settle_by_receipts(protocol, &mut legs, known)?;
    let mut made = OrderAssembly::new(protocol, legs);
    made.failed_retry = failed_retry;
    let expiry = made.expiry(known)?;
    made.finish(&expiry, known).map(Some)
}

/// Sets the success of steps that depend on another transaction from its receipt. Returns the newest failed
/// transaction.
fn settle_by_receipts(
    protocol: &OrderProtocol,
    legs: &mut Legs,
    known: &impl Knowledge,
) -> Result<Option<Hash>, StoreError> {
    let mut failed = None;
    for leg in &mut legs.own {
        let rule = protocol.events.get(usize::from(leg.event)).map(|event| &event.rule);
        let is_one = leg.kind == LegKind::Noted && rule.is_some_and(|rule| rule.receipt);
        let joined = leg.join.as_ref().filter(|_| is_one).and_then(|join| join.rsplit(':').next());
        let Some(hash) = joined.and_then(|hash| hash.parse::<Hash>().ok()) else { continue };
        match known.has_succeeded(leg.place.chain, &hash)? {
            Some(true) => leg.kind = LegKind::Settled,
            Some(false) => failed = Some((leg.at, leg.place, hash)).max(failed),
            None => {}
        }
    }
    Ok(failed.map(|(.., hash)| hash))
}

/// Expiry of an open order by the clock.
struct Expiry {
    clock: Option<ChainProgress>,
    is_expired: bool,
    /// Whether blocks at the destination since the opening are missing.
    is_missed: bool,
}

struct OrderAssembly<'a> {
    protocol: &'a OrderProtocol,
    legs: Vec<ListedLeg>,
    fit: Fit,
    opening: Option<usize>,
    /// Number of indistinguishable openings.
    identical: usize,
    counts: Vec<(LegKind, usize, bool)>,
    is_cut: bool,
    is_shared: bool,
    failed_retry: Option<Hash>,
}

impl<'a> OrderAssembly<'a> {
    fn new(protocol: &'a OrderProtocol, mut legs: Legs) -> Self {
        legs.own.extend(legs.met);
        legs.own.sort_by_key(|leg| (leg.at, leg.place));
        legs.own.dedup_by_key(|leg| leg.place);
        let fit = fit(protocol, &legs.own);
        let opening = fit.groups.get(fit.chosen).and_then(|group| group.openings.first()).copied();
        let mismatches = fit.mismatches.iter().copied();
        let listed = legs.own.into_iter().zip(mismatches);
        let listed = listed.map(|(leg, mismatch)| ListedLeg { leg, mismatch });
        let counted = legs.counts.iter().find(|(kind, ..)| *kind == LegKind::Opened);
        let identical = match fit.groups.as_slice() {
            [only] if !protocol.is_replaceable && legs.is_cut => {
                counted.map_or(only.openings.len(), |(_, count, _)| *count)
            }
            groups => groups.get(fit.chosen).map_or(0, |group| group.openings.len()),
        };
        let mut made = Self {
            protocol,
            legs: listed.collect(),
            fit,
            opening,
            identical: identical.max(1),
            counts: legs.counts,
            is_cut: legs.is_cut,
            is_shared: legs.is_shared,
            failed_retry: None,
        };
        made.judge_refunds();
        made.compute_paid();
        made
    }

    /// Whether a leg joined the order by another name than the id.
    fn is_met(&self, leg: &Leg) -> bool {
        let own = self.legs.iter().map(|one| &one.leg).find(|leg| leg.kind == LegKind::Opened);
        own.is_some_and(|own| own.id != leg.id)
    }

    /// Rejects refunds joined by amount alone, if the order was filled or its deadline has not passed.
    fn judge_refunds(&mut self) {
        let is_filled = self.counted(LegKind::Filled).next().is_some();
        let deadline = self.deadline();
        let is_others = |leg: &Leg| {
            let is_early = deadline.is_some_and(|deadline| leg.at.0 <= deadline);
            matches!(leg.kind, LegKind::Refunded | LegKind::Noted)
                && self.is_met(leg)
                && (is_filled || is_early)
        };
        let others: Vec<bool> = self.legs.iter().map(|one| is_others(&one.leg)).collect();
        for (one, _) in self.legs.iter_mut().zip(others).filter(|(_, is_others)| *is_others) {
            one.mismatch = Some("a refund that is another order's");
        }
    }

    /// Sets paid amounts that events do not state directly.
    fn compute_paid(&mut self) {
        for paid in &self.protocol.paid {
            for at in 0..self.legs.len() {
                if let Some(amount) = self.paid(paid, at)
                    && let Some(one) = self.legs.get_mut(at)
                {
                    one.leg.amounts.retain(|known| known.name != amount.name);
                    one.leg.amounts.push(amount);
                    one.leg.amounts.sort_by_key(|amount| amount.name);
                }
            }
        }
    }

    fn paid(&self, paid: &PaidRule, at: usize) -> Option<TokenAmount> {
        let ListedLeg { leg, mismatch: None } = self.legs.get(at)? else { return None };
        let event = self.rule(leg).filter(|event| event.declaration.name == paid.event)?;
        let name = event.rule.amounts.iter().position(|row| row.first() == Some(&paid.name))?;
        let from = amount_of(leg, event, &paid.from)?;
        let of_opening = |less: &String| {
            let opening = self.opening()?;
            Some(amount_of(opening, self.rule(opening)?, less)?.value)
        };
        let less = match &paid.less {
            Some(less) => Some(of_opening(less)?),
            None => None,
        };
        let now = paid.now.as_ref().and_then(|now| {
            let earlier = self.counted(LegKind::Noted).filter(|step| step.place < leg.place);
            let newest = earlier.filter(|step| step.place.chain == leg.place.chain);
            let amounts =
                newest.filter_map(|step| Some((step, amount_of(step, self.rule(step)?, now)?)));
            amounts.max_by_key(|(step, _)| step.place).map(|(_, amount)| amount.value)
        });
        let value = now.unwrap_or(from.value).saturating_sub(less.unwrap_or_default());
        Some(TokenAmount { name: u8::try_from(name).ok()?, value, ..from })
    }

    fn counted(&self, kind: LegKind) -> impl Iterator<Item = &Leg> {
        let counted = self.legs.iter().filter(|one| one.mismatch.is_none());
        counted.map(|one| &one.leg).filter(move |leg| leg.kind == kind)
    }

    /// Counted legs of a kind that belong to this group, or to no single group.
    fn counted_of(&self, group: usize, kind: LegKind) -> impl Iterator<Item = &Leg> {
        let legs = self.legs.iter().zip(&self.fit.of);
        legs.filter(move |(one, of)| {
            one.mismatch.is_none() && one.leg.kind == kind && of.is_none_or(|of| of == group)
        })
        .map(|(one, _)| &one.leg)
    }

    fn opening(&self) -> Option<&Leg> {
        self.opening.and_then(|at| self.legs.get(at)).map(|one| &one.leg)
    }

    /// Value from the opening, else from any other counted leg.
    fn said<T>(&self, of: impl Fn(&Leg) -> Option<T>) -> Option<T> {
        let counted = || self.legs.iter().filter(|one| one.mismatch.is_none());
        let own = counted().map(|one| &one.leg).filter(|leg| leg.kind != LegKind::Wrapped);
        self.opening().and_then(&of).or_else(|| own.into_iter().find_map(&of))
    }

    /// Deadline of the opening, else the latest one set by a step.
    fn deadline(&self) -> Option<u64> {
        let counted = self.legs.iter().filter(|one| one.mismatch.is_none());
        let latest = counted.filter_map(|one| one.leg.deadline).max();
        self.opening().and_then(|opening| opening.deadline).or(latest)
    }

    /// Whether fills with different terms compete without a known opening.
    fn fills_disagree(&self) -> bool {
        let terms: BTreeSet<_> = self
            .counted(LegKind::Filled)
            .chain(self.counted(LegKind::Settled))
            .filter_map(|leg| leg.terms.map(|terms| (terms, leg.token_out.map(|one| one.0))))
            .collect();
        self.opening.is_none() && terms.len() > 1
    }

    fn shown(&self) -> OrderState {
        if self.fit.groups.is_empty() {
            return self.shown_without_opening();
        }
        let groups = 0..self.fit.groups.len();
        let states: Vec<OrderState> = groups.map(|group| self.shown_of(group)).collect();
        let lowest = states.iter().copied().min().unwrap_or(OrderState::Opened);
        let highest = states.iter().copied().max().unwrap_or(lowest);
        match lowest {
            _ if lowest >= OrderState::Filled || lowest == highest => lowest,
            _ => OrderState::PartiallyFilled,
        }
    }

    /// State of one deposit group of an id.
    fn shown_of(&self, group: usize) -> OrderState {
        let has = |kind| self.counted_of(group, kind).next().is_some();
        if has(LegKind::Refunded) {
            return OrderState::Refunded;
        }
        if has(LegKind::Cancelled) {
            return OrderState::Cancelled;
        }
        let identical = match self.fit.groups.as_slice() {
            [_] => self.identical,
            groups => groups.get(group).map_or(1, |group| group.openings.len()),
        };
        let state = |count: usize, whole| match count {
            0 => OrderState::Opened,
            count if count < identical => OrderState::PartiallyFilled,
            _ => whole,
        };
        let settled = state(self.counted_of(group, LegKind::Settled).count(), OrderState::Settled);
        let whole = self.counted_of(group, LegKind::Filled).filter(|leg| !leg.is_partial).count();
        let filled = state(whole, OrderState::Filled);
        let partial = match has(LegKind::Filled) {
            true => OrderState::PartiallyFilled,
            false => OrderState::Opened,
        };
        let steps = self.counted_of(group, LegKind::Noted);
        let implied = steps.filter_map(|leg| self.rule(leg)?.rule.implies).max();
        let reached = settled.max(filled).max(partial).max(implied.unwrap_or(OrderState::Opened));
        match reached < OrderState::Filled && has(LegKind::Failed) && self.protocol.fails_for_good {
            true => OrderState::Failed,
            false => reached,
        }
    }

    /// State without an opening: events compared by the protocol's own contracts count in full, other events only as
    /// seen.
    fn shown_without_opening(&self) -> OrderState {
        let is_own =
            |leg: &&Leg| self.rule(leg).is_some_and(|event| event.rule.by == Cause::Protocol);
        let has = |kind| self.counted(kind).any(|leg| is_own(&leg));
        let steps = self.counted(LegKind::Noted).filter(is_own);
        let implied = steps.filter_map(|leg| self.rule(leg)?.rule.implies).max();
        let partial = self.counted(LegKind::Filled).filter(is_own).all(|leg| leg.is_partial);
        let shown = match () {
            () if has(LegKind::Refunded) => OrderState::Refunded,
            () if has(LegKind::Cancelled) => OrderState::Cancelled,
            () if has(LegKind::Settled) => OrderState::Settled,
            () if has(LegKind::Filled) && partial => OrderState::PartiallyFilled,
            () if has(LegKind::Filled) => OrderState::Filled,
            () if has(LegKind::Failed) && self.protocol.fails_for_good => OrderState::Failed,
            () if self.counted(LegKind::Filled).next().is_some() => OrderState::FillSeen,
            () => OrderState::StepSeen,
        };
        shown.max(implied.unwrap_or(OrderState::StepSeen))
    }

    /// Whether the only evidence for a refund is a payment of the amount to the address.
    fn is_refunded_by_amount(&self, state: OrderState) -> bool {
        state == OrderState::Refunded && self.counted(LegKind::Refunded).all(|leg| self.is_met(leg))
    }

    fn expiry(&self, known: &impl Knowledge) -> Result<Expiry, StoreError> {
        let none = Expiry { clock: None, is_expired: false, is_missed: false };
        let state = self.shown();
        let is_open = state < OrderState::Filled || self.is_refunded_by_amount(state);
        let Some(opening) = self.opening().filter(|_| is_open) else {
            return Ok(none);
        };
        let destination = opening.destination.filter(|chain| self.protocol.chains.contains(chain));
        let Some(destination) = destination else { return Ok(none) };
        let seen = known.clock(destination, self.protocol, opening.at.0)?;
        let past = |deadline: u64| seen.newest.is_some_and(|newest| newest > deadline);
        let is_past = self.deadline().is_some_and(past);
        let is_whole = seen.whole_since.is_some_and(|since| since <= opening.at.0);
        let is_expired = is_past && is_whole && seen.is_followed && state == OrderState::Opened;
        let is_missed = past(opening.at.0) && !is_whole;
        Ok(Expiry { clock: Some(seen), is_expired, is_missed })
    }

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

    fn rule(&self, leg: &Leg) -> Option<&'a EventRule> {
        self.protocol.events.get(usize::from(leg.event))
    }

    /// Newest counted step by position in the protocol's row: later steps are further down.
    fn newest_note(&self) -> Option<&'a EventRule> {
        let has_failed = |leg: &&Leg| {
            self.failed_retry.is_some() && self.rule(leg).is_some_and(|event| event.rule.receipt)
        };
        let notes = self.counted(LegKind::Noted).filter(|leg| !has_failed(leg));
        let notes = notes.max_by_key(|leg| (leg.event, leg.at, leg.place));
        notes.and_then(|leg| self.rule(leg)).filter(|event| event.rule.awaits.is_some())
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
        let usual = self.protocol.next.get(&state);
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
        let is_open = state < OrderState::Filled && state != OrderState::Expired;
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

    fn stuck(
        &self,
        state: OrderState,
        is_over: bool,
        disagree: bool,
        expiry: &Expiry,
    ) -> Option<Stuck> {
        let stuck =
            |reason: &str, detail: String| Some(Stuck { reason: reason.to_owned(), detail });
        if is_over {
            return None;
        }
        if disagree {
            let detail = "the opening is not known, and fills say different things of it";
            return stuck("fills_disagree", detail.to_owned());
        }
        if matches!(state, OrderState::FillSeen | OrderState::StepSeen) {
            let seen = self.legs.iter().find(|one| one.mismatch.is_none())?;
            let event = self.rule(&seen.leg)?;
            let who = match event.rule.by {
                Cause::Anyone => ": anybody may cause that event",
                Cause::Protocol => "",
            };
            let name = &event.declaration.name;
            return stuck("opening_not_seen", format!("{name} was seen, and no opening{who}"));
        }
        if self.fit.groups.len() > 1 && state < OrderState::Filled {
            let count = self.fit.groups.len();
            let filled = self.filled_groups();
            let detail = format!(
                "{count} deposits have this id, each with other terms: {filled} are filled"
            );
            return stuck("id_of_several", detail);
        }
        if state == OrderState::PartiallyFilled && self.identical > 1 {
            let detail = format!(
                "{} transfers say the same and have no id: which of them arrived cannot be told",
                self.identical
            );
            return stuck("identical_transfers", detail);
        }
        if state == OrderState::Expired && self.is_shared {
            let detail = "refunds are paid in bundles, by address and amount: more than one order may be meant";
            return stuck("refund_not_told_apart", detail.to_owned());
        }
        let noted = self.newest_note();
        let reason = noted.and_then(|noted| Some((noted.rule.stuck.as_ref()?, noted)));
        if let Some((reason, noted)) = reason.filter(|_| state == OrderState::Expired) {
            return stuck(reason, noted_detail(noted));
        }
        if state == OrderState::Expired {
            return stuck(
                "past_deadline_without_refund",
                "its last moment has passed on the destination, and no refund was seen".to_owned(),
            );
        }
        if state == OrderState::Failed {
            let detail = "the destination tried, failed, and does not try again";
            return stuck("execution_failed", detail.to_owned());
        }
        if state >= OrderState::Filled && !self.is_refunded_by_amount(state) {
            return None;
        }
        let met = self.counted(LegKind::Noted).filter(|leg| self.is_met(leg));
        let met = met.filter_map(|leg| self.rule(leg)).find(|event| event.rule.stuck.is_some());
        if let Some((reason, event)) =
            met.and_then(|event| Some((event.rule.stuck.as_ref()?, event)))
        {
            return stuck(reason, noted_detail(event));
        }
        if let Some(retry) = &self.failed_retry {
            let detail = format!("the retry {retry} failed: somebody has to redeem the ticket");
            return stuck("ticket_not_redeemed", detail);
        }
        if self.counted(LegKind::Failed).next().is_some() {
            let detail = "the destination tried and failed; it may be tried again";
            return stuck("execution_failed", detail.to_owned());
        }
        if let Some(why) = &self.protocol.not_provable {
            return stuck("not_provable", why.clone());
        }
        let opening = self.opening()?;
        if self.protocol.is_wrapper {
            let detail = "no event of a bridge that is known here stands beside it";
            return stuck("bridge_not_known", detail.to_owned());
        }
        let name = &self.protocol.name;
        let Some(destination) = opening.destination else {
            let detail = match opening.is_elsewhere {
                true => format!("{name} means a chain that is not known here"),
                false => format!("the opening of {name} names no destination"),
            };
            return stuck("destination_not_known", detail);
        };
        let Some(clock) = expiry.clock else {
            let detail = format!("no contract of {name} is known on chain {destination}");
            return stuck("destination_not_known", detail);
        };
        if !clock.is_followed {
            let detail = format!("events of {name} are not collected on chain {destination}");
            return stuck("destination_not_collected", detail);
        }
        if expiry.is_missed {
            let detail = format!(
                "blocks of chain {destination} since it was opened are missing here: it may have been filled in one"
            );
            return stuck("destination_not_whole", detail);
        }
        let (reason, noted) = reason?;
        stuck(reason, noted_detail(noted))
    }

    /// Number of filled deposits with one id and different terms.
    fn filled_groups(&self) -> usize {
        let groups = 0..self.fit.groups.len();
        groups.filter(|group| self.shown_of(*group) >= OrderState::Filled).count()
    }
}

fn noted_detail(noted: &EventRule) -> String {
    format!("{} was seen, and nothing after it", noted.declaration.name)
}

fn amount_of(leg: &Leg, event: &EventRule, name: &str) -> Option<TokenAmount> {
    let is_named = |amount: &&TokenAmount| {
        let row = event.rule.amounts.get(usize::from(amount.name));
        row.and_then(|row| row.first()).is_some_and(|one| one == name)
    };
    leg.amounts.iter().find(is_named).copied()
}
