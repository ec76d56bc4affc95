//! From legs to an order: a pure function, of a set of legs and of what is known besides.

use std::collections::BTreeSet;

use superroot_store::StoreError;
use superroot_types::{ChainKey, Hash};

use crate::fit::{Fit, fit};
use crate::leg::{Amount, Kind, Leg, Place};
use crate::order::{Awaits, Clock, Legs, Listed, Order, Stuck, Transition};
use crate::state::State;
use crate::table::{Cause, EventRule, Paid, Protocol, Side, Table};

/// What is known besides the legs of an order.
pub trait Knowledge {
    /// How far a chain is known, for an order of that protocol that was opened at that time.
    ///
    /// # Errors
    /// Those of the store.
    fn clock(&self, chain: u64, protocol: &Protocol, since: u64) -> Result<Clock, StoreError>;

    /// Whether the block of a place is final and was not taken back.
    ///
    /// # Errors
    /// Those of the store.
    fn is_final(&self, place: &Place) -> Result<bool, StoreError>;

    /// Whether a transaction of a chain succeeded; `None` where its receipt is not held.
    ///
    /// # Errors
    /// Those of the store.
    fn has_succeeded(&self, chain: ChainKey, hash: &Hash) -> Result<Option<bool>, StoreError>;
}

/// The order that legs make.
///
/// # Errors
/// Those of `known`.
pub fn assemble(mut legs: Legs, known: &impl Knowledge) -> Result<Option<Order>, StoreError> {
    let Some(first) = legs.own.first() else { return Ok(None) };
    let Some(protocol) = Table::builtin().by_number(first.protocol) else { return Ok(None) };
    let failed_retry = settle_by_receipts(protocol, &mut legs, known)?;
    let mut made = Making::new(protocol, legs);
    made.failed_retry = failed_retry;
    let expiry = made.expiry(known)?;
    made.finish(&expiry, known).map(Some)
}

/// A step whose success is that of another transaction is what that one's receipt says. Gives the newest that failed.
fn settle_by_receipts(
    protocol: &Protocol,
    legs: &mut Legs,
    known: &impl Knowledge,
) -> Result<Option<Hash>, StoreError> {
    let mut failed = None;
    for leg in &mut legs.own {
        let rule = protocol.events.get(usize::from(leg.event)).map(|event| &event.rule);
        let is_one = leg.kind == Kind::Noted && rule.is_some_and(|rule| rule.receipt);
        let joined = leg.join.as_ref().filter(|_| is_one).and_then(|join| join.rsplit(':').next());
        let Some(hash) = joined.and_then(|hash| hash.parse::<Hash>().ok()) else { continue };
        match known.has_succeeded(leg.place.chain, &hash)? {
            Some(true) => leg.kind = Kind::Settled,
            Some(false) => failed = Some((leg.at, leg.place, hash)).max(failed),
            None => {}
        }
    }
    Ok(failed.map(|(.., hash)| hash))
}

/// What the clock says of an order that is open.
struct Expiry {
    clock: Option<Clock>,
    is_expired: bool,
    /// Whether blocks of the destination since the opening are missing.
    is_missed: bool,
}

struct Making<'a> {
    protocol: &'a Protocol,
    legs: Vec<Listed>,
    fit: Fit,
    opening: Option<usize>,
    /// Openings that cannot be told apart.
    identical: usize,
    counts: Vec<(Kind, usize, bool)>,
    is_cut: bool,
    is_shared: bool,
    /// The transaction that tried to redeem it and failed.
    failed_retry: Option<Hash>,
}

impl<'a> Making<'a> {
    fn new(protocol: &'a Protocol, mut legs: Legs) -> Self {
        legs.own.extend(legs.met);
        legs.own.sort_by_key(|leg| (leg.at, leg.place));
        legs.own.dedup_by_key(|leg| leg.place);
        let fit = fit(protocol, &legs.own);
        let opening = fit.groups.get(fit.chosen).and_then(|group| group.openings.first()).copied();
        let mismatches = fit.mismatches.iter().copied();
        let listed = legs.own.into_iter().zip(mismatches);
        let listed = listed.map(|(leg, mismatch)| Listed { leg, mismatch });
        let counted = legs.counts.iter().find(|(kind, ..)| *kind == Kind::Opened);
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

    /// Whether a leg meets the order by another name than its id.
    fn is_met(&self, leg: &Leg) -> bool {
        let own = self.legs.iter().map(|one| &one.leg).find(|leg| leg.kind == Kind::Opened);
        own.is_some_and(|own| own.id != leg.id)
    }

    /// A refund that meets the order by amount alone is its own if it was not filled, and after its last moment.
    fn judge_refunds(&mut self) {
        let is_filled = self.counted(Kind::Filled).next().is_some();
        let deadline = self.deadline();
        let is_others = |leg: &Leg| {
            let is_early = deadline.is_some_and(|deadline| leg.at.0 <= deadline);
            matches!(leg.kind, Kind::Refunded | Kind::Noted)
                && self.is_met(leg)
                && (is_filled || is_early)
        };
        let others: Vec<bool> = self.legs.iter().map(|one| is_others(&one.leg)).collect();
        for (one, _) in self.legs.iter_mut().zip(others).filter(|(_, is_others)| *is_others) {
            one.mismatch = Some("a refund that is another order's");
        }
    }

    /// Writes what events pay that say something else.
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

    fn paid(&self, paid: &Paid, at: usize) -> Option<Amount> {
        let Listed { leg, mismatch: None } = self.legs.get(at)? else { return None };
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
            let earlier = self.counted(Kind::Noted).filter(|step| step.place < leg.place);
            let newest = earlier.filter(|step| step.place.chain == leg.place.chain);
            let amounts =
                newest.filter_map(|step| Some((step, amount_of(step, self.rule(step)?, now)?)));
            amounts.max_by_key(|(step, _)| step.place).map(|(_, amount)| amount.value)
        });
        let value = now.unwrap_or(from.value).saturating_sub(less.unwrap_or_default());
        Some(Amount { name: u8::try_from(name).ok()?, value, ..from })
    }

    fn counted(&self, kind: Kind) -> impl Iterator<Item = &Leg> {
        let counted = self.legs.iter().filter(|one| one.mismatch.is_none());
        counted.map(|one| &one.leg).filter(move |leg| leg.kind == kind)
    }

    /// Those of a kind that are of a group, or of none alone.
    fn counted_of(&self, group: usize, kind: Kind) -> impl Iterator<Item = &Leg> {
        let legs = self.legs.iter().zip(&self.fit.of);
        legs.filter(move |(one, of)| {
            one.mismatch.is_none() && one.leg.kind == kind && of.is_none_or(|of| of == group)
        })
        .map(|(one, _)| &one.leg)
    }

    fn opening(&self) -> Option<&Leg> {
        self.opening.and_then(|at| self.legs.get(at)).map(|one| &one.leg)
    }

    /// What the opening says, else what any other leg that counts does.
    fn said<T>(&self, of: impl Fn(&Leg) -> Option<T>) -> Option<T> {
        let counted = || self.legs.iter().filter(|one| one.mismatch.is_none());
        let own = counted().map(|one| &one.leg).filter(|leg| leg.kind != Kind::Wrapped);
        self.opening().and_then(&of).or_else(|| own.into_iter().find_map(&of))
    }

    /// The opening's, else the latest that a step set.
    fn deadline(&self) -> Option<u64> {
        let counted = self.legs.iter().filter(|one| one.mismatch.is_none());
        let latest = counted.filter_map(|one| one.leg.deadline).max();
        self.opening().and_then(|opening| opening.deadline).or(latest)
    }

    /// Fills that nothing tells which of is meant: the opening is not known, and they say different things.
    fn fills_disagree(&self) -> bool {
        let terms: BTreeSet<_> = self
            .counted(Kind::Filled)
            .chain(self.counted(Kind::Settled))
            .filter_map(|leg| leg.terms.map(|terms| (terms, leg.token_out.map(|one| one.0))))
            .collect();
        self.opening.is_none() && terms.len() > 1
    }

    /// The state that its legs show.
    fn shown(&self) -> State {
        if self.fit.groups.is_empty() {
            return self.shown_without_opening();
        }
        let groups = 0..self.fit.groups.len();
        let states: Vec<State> = groups.map(|group| self.shown_of(group)).collect();
        let lowest = states.iter().copied().min().unwrap_or(State::Opened);
        let highest = states.iter().copied().max().unwrap_or(lowest);
        match lowest {
            _ if lowest >= State::Filled || lowest == highest => lowest,
            _ => State::PartiallyFilled,
        }
    }

    /// Of one of several deposits of an id.
    fn shown_of(&self, group: usize) -> State {
        let has = |kind| self.counted_of(group, kind).next().is_some();
        if has(Kind::Refunded) {
            return State::Refunded;
        }
        if has(Kind::Cancelled) {
            return State::Cancelled;
        }
        let identical = match self.fit.groups.as_slice() {
            [_] => self.identical,
            groups => groups.get(group).map_or(1, |group| group.openings.len()),
        };
        let state = |count: usize, whole| match count {
            0 => State::Opened,
            count if count < identical => State::PartiallyFilled,
            _ => whole,
        };
        let settled = state(self.counted_of(group, Kind::Settled).count(), State::Settled);
        let whole = self.counted_of(group, Kind::Filled).filter(|leg| !leg.is_partial).count();
        let filled = state(whole, State::Filled);
        let partial = match has(Kind::Filled) {
            true => State::PartiallyFilled,
            false => State::Opened,
        };
        let steps = self.counted_of(group, Kind::Noted);
        let implied = steps.filter_map(|leg| self.rule(leg)?.rule.implies).max();
        let reached = settled.max(filled).max(partial).max(implied.unwrap_or(State::Opened));
        match reached < State::Filled && has(Kind::Failed) && self.protocol.fails_for_good {
            true => State::Failed,
            false => reached,
        }
    }

    /// What events show that the protocol's own contracts compared; others say that they were seen.
    fn shown_without_opening(&self) -> State {
        let is_own =
            |leg: &&Leg| self.rule(leg).is_some_and(|event| event.rule.by == Cause::Protocol);
        let has = |kind| self.counted(kind).any(|leg| is_own(&leg));
        let steps = self.counted(Kind::Noted).filter(is_own);
        let implied = steps.filter_map(|leg| self.rule(leg)?.rule.implies).max();
        let partial = self.counted(Kind::Filled).filter(is_own).all(|leg| leg.is_partial);
        let shown = match () {
            () if has(Kind::Refunded) => State::Refunded,
            () if has(Kind::Cancelled) => State::Cancelled,
            () if has(Kind::Settled) => State::Settled,
            () if has(Kind::Filled) && partial => State::PartiallyFilled,
            () if has(Kind::Filled) => State::Filled,
            () if has(Kind::Failed) && self.protocol.fails_for_good => State::Failed,
            () if self.counted(Kind::Filled).next().is_some() => State::FillSeen,
            () => State::StepSeen,
        };
        shown.max(implied.unwrap_or(State::StepSeen))
    }

    /// Whether all that says it was paid back is a payment of that amount to that address.
    fn is_refunded_by_amount(&self, state: State) -> bool {
        state == State::Refunded && self.counted(Kind::Refunded).all(|leg| self.is_met(leg))
    }

    fn expiry(&self, known: &impl Knowledge) -> Result<Expiry, StoreError> {
        let none = Expiry { clock: None, is_expired: false, is_missed: false };
        let state = self.shown();
        let is_open = state < State::Filled || self.is_refunded_by_amount(state);
        let Some(opening) = self.opening().filter(|_| is_open) else {
            return Ok(none);
        };
        let destination = opening.destination.filter(|chain| self.protocol.chains.contains(chain));
        let Some(destination) = destination else { return Ok(none) };
        let seen = known.clock(destination, self.protocol, opening.at.0)?;
        let past = |deadline: u64| seen.newest.is_some_and(|newest| newest > deadline);
        let is_past = self.deadline().is_some_and(past);
        let is_whole = seen.whole_since.is_some_and(|since| since <= opening.at.0);
        let is_expired = is_past && is_whole && seen.is_followed && state == State::Opened;
        let is_missed = past(opening.at.0) && !is_whole;
        Ok(Expiry { clock: Some(seen), is_expired, is_missed })
    }

    fn finish(self, expiry: &Expiry, known: &impl Knowledge) -> Result<Order, StoreError> {
        let shown = self.shown();
        let state = if expiry.is_expired { State::Expired } else { shown };
        let disagree = self.fills_disagree();
        let is_whole = |clock: &Clock| clock.is_followed && !expiry.is_missed;
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

    /// Whether every event that decides how it ended is final.
    fn is_final(&self, known: &impl Knowledge) -> Result<bool, StoreError> {
        let deciding = self.legs.iter().filter(|one| {
            one.mismatch.is_none() && !matches!(one.leg.kind, Kind::Noted | Kind::Wrapped)
        });
        for Listed { leg, .. } in deciding {
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
            Kind::Filled if is_seen_alone(leg) => Some(State::FillSeen),
            _ if is_seen_alone(leg) => None,
            Kind::Opened => Some(State::Opened),
            Kind::Filled if leg.is_partial => Some(State::PartiallyFilled),
            Kind::Filled => Some(State::Filled),
            Kind::Settled => Some(State::Settled),
            Kind::Cancelled => Some(State::Cancelled),
            Kind::Refunded => Some(State::Refunded),
            Kind::Failed if self.protocol.fails_for_good => Some(State::Failed),
            Kind::Noted | Kind::Failed | Kind::Wrapped => None,
        };
        let counted = self.legs.iter().enumerate().filter(|(_, one)| one.mismatch.is_none());
        let of_legs = counted.filter_map(|(place, Listed { leg, .. })| {
            let state = state(leg)?;
            Some(Transition { state, at: leg.at.0, leg: Some(place) })
        });
        let mut transitions: Vec<Transition> = of_legs.collect();
        if let Some(at) = self.deadline().filter(|_| expiry.is_expired) {
            transitions.push(Transition { state: State::Expired, at, leg: None });
        }
        // clocks of two chains differ: an order is opened before it is filled, whatever they say
        transitions.sort_by_key(|one| (one.state, one.at, one.leg));
        transitions
    }

    /// The rule of a leg's event.
    fn rule(&self, leg: &Leg) -> Option<&'a EventRule> {
        self.protocol.events.get(usize::from(leg.event))
    }

    /// The newest step that counts, by its place in the protocol's row: later steps stand further down.
    fn newest_note(&self) -> Option<&'a EventRule> {
        let has_failed = |leg: &&Leg| {
            self.failed_retry.is_some() && self.rule(leg).is_some_and(|event| event.rule.receipt)
        };
        let notes = self.counted(Kind::Noted).filter(|leg| !has_failed(leg));
        let notes = notes.max_by_key(|leg| (leg.event, leg.at, leg.place));
        notes.and_then(|leg| self.rule(leg)).filter(|event| event.rule.awaits.is_some())
    }

    fn next(
        &self,
        state: State,
        is_over: bool,
        origin: Option<u64>,
        destination: Option<u64>,
    ) -> Option<Awaits> {
        if matches!(state, State::FillSeen | State::StepSeen) {
            let opens = |event: &&EventRule| event.kind == Some(Kind::Opened);
            let event = self.protocol.events.iter().rfind(opens)?.declaration.name.clone();
            return Some(Awaits {
                event,
                chain: origin,
                before: None,
                not_provable: self.unread(origin),
            });
        }
        let usual = self.protocol.next.get(&state);
        let noted = self.newest_note().filter(|_| !is_over && state != State::Expired);
        let event = noted
            .and_then(|event| event.rule.awaits.clone())
            .or_else(|| usual.map(|awaited| awaited.event.clone()))?;
        let usual = usual.map_or(Side::Destination, |awaited| awaited.at);
        let side = noted.and_then(|event| event.rule.awaits_at).unwrap_or(usual);
        let chain = match side {
            Side::Origin => origin,
            Side::Destination => destination,
        };
        let is_open = state < State::Filled && state != State::Expired;
        let known = self.protocol.not_provable.clone().filter(|_| side == Side::Destination);
        let not_provable = known.or_else(|| self.unread(chain));
        Some(Awaits { event, chain, before: self.deadline().filter(|_| is_open), not_provable })
    }

    /// Why an event on that chain can have no proof here.
    fn unread(&self, chain: Option<u64>) -> Option<String> {
        if self.protocol.is_wrapper {
            return Some("no event of a bridge that is known here stands beside it".to_owned());
        }
        let chain = chain.filter(|chain| !self.protocol.chains.contains(chain))?;
        Some(format!("no contract of {} is known on chain {chain}", self.protocol.name))
    }

    fn stuck(&self, state: State, is_over: bool, disagree: bool, expiry: &Expiry) -> Option<Stuck> {
        let stuck =
            |reason: &str, detail: String| Some(Stuck { reason: reason.to_owned(), detail });
        if is_over {
            return None;
        }
        if disagree {
            let detail = "the opening is not known, and fills say different things of it";
            return stuck("fills_disagree", detail.to_owned());
        }
        if matches!(state, State::FillSeen | State::StepSeen) {
            let seen = self.legs.iter().find(|one| one.mismatch.is_none())?;
            let event = self.rule(&seen.leg)?;
            let who = match event.rule.by {
                Cause::Anyone => ": anybody may cause that event",
                Cause::Protocol => "",
            };
            let name = &event.declaration.name;
            return stuck("opening_not_seen", format!("{name} was seen, and no opening{who}"));
        }
        if self.fit.groups.len() > 1 && state < State::Filled {
            let (count, filled) = (self.fit.groups.len(), self.filled_groups());
            let detail = format!(
                "{count} deposits have this id, each with other terms: {filled} are filled"
            );
            return stuck("id_of_several", detail);
        }
        if state == State::PartiallyFilled && self.identical > 1 {
            let detail = format!(
                "{} transfers say the same and have no id: which of them arrived cannot be told",
                self.identical
            );
            return stuck("identical_transfers", detail);
        }
        if state == State::Expired && self.is_shared {
            let detail = "refunds are paid in bundles, by address and amount: more than one order may be meant";
            return stuck("refund_not_told_apart", detail.to_owned());
        }
        let noted = self.newest_note();
        let reason = noted.and_then(|noted| Some((noted.rule.stuck.as_ref()?, noted)));
        if let Some((reason, noted)) = reason.filter(|_| state == State::Expired) {
            return stuck(reason, noted_detail(noted));
        }
        if state == State::Expired {
            return stuck(
                "past_deadline_without_refund",
                "its last moment has passed on the destination, and no refund was seen".to_owned(),
            );
        }
        if state == State::Failed {
            let detail = "the destination tried, failed, and does not try again";
            return stuck("execution_failed", detail.to_owned());
        }
        if state >= State::Filled && !self.is_refunded_by_amount(state) {
            return None;
        }
        let met = self.counted(Kind::Noted).filter(|leg| self.is_met(leg));
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
        if self.counted(Kind::Failed).next().is_some() {
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

    /// Deposits of one id, with other terms each, that were filled.
    fn filled_groups(&self) -> usize {
        let groups = 0..self.fit.groups.len();
        groups.filter(|group| self.shown_of(*group) >= State::Filled).count()
    }
}

fn noted_detail(noted: &EventRule) -> String {
    format!("{} was seen, and nothing after it", noted.declaration.name)
}

/// An amount of a leg by its name.
fn amount_of(leg: &Leg, event: &EventRule, name: &str) -> Option<Amount> {
    let is_named = |amount: &&Amount| {
        let row = event.rule.amounts.get(usize::from(amount.name));
        row.and_then(|row| row.first()).is_some_and(|one| one == name)
    };
    leg.amounts.iter().find(is_named).copied()
}
