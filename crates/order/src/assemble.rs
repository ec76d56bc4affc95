//! From legs to an order: a pure function, of a set of legs and of how far the destination is known.

use std::collections::BTreeSet;

use superroot_store::StoreError;

use crate::leg::{Kind, Leg};
use crate::order::{Awaits, Clock, Legs, Listed, Order, Stuck, Transition};
use crate::state::State;
use crate::table::{EventRule, Protocol, Side, Table};

/// The order that legs make. `clock` tells of a chain how far it is known, for an order of that protocol that was
/// opened at that time.
///
/// # Errors
/// Those of `clock`.
pub fn assemble(
    legs: Legs,
    clock: impl Fn(u64, &Protocol, u64) -> Result<Clock, StoreError>,
) -> Result<Option<Order>, StoreError> {
    let Some(first) = legs.own.first() else { return Ok(None) };
    let Some(protocol) = Table::builtin().by_number(first.protocol) else { return Ok(None) };
    let mut made = Making::new(protocol, legs);
    let expiry = made.expiry(&clock)?;
    Ok(Some(made.finish(expiry)))
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
    opening: Option<usize>,
    openings: usize,
    counts: Vec<(Kind, usize, bool)>,
    is_cut: bool,
    is_shared: bool,
}

impl<'a> Making<'a> {
    fn new(protocol: &'a Protocol, mut legs: Legs) -> Self {
        legs.own.extend(legs.met);
        legs.own.sort_by_key(|leg| (leg.at, leg.place));
        legs.own.dedup_by_key(|leg| leg.place);
        let opening = legs.own.iter().position(|leg| leg.kind == Kind::Opened);
        let reference = opening.and_then(|at| legs.own.get(at)).cloned();
        let listed = legs.own.into_iter().map(|leg| {
            let mismatch = reference.as_ref().and_then(|opening| mismatch(opening, &leg));
            Listed { leg, mismatch }
        });
        let legs_listed: Vec<Listed> = listed.collect();
        let openings = legs.counts.iter().find(|(kind, ..)| *kind == Kind::Opened);
        let openings = openings.map_or(0, |(_, count, _)| *count);
        let (counts, is_cut, is_shared) = (legs.counts, legs.is_cut, legs.is_shared);
        let mut made =
            Self { protocol, legs: legs_listed, opening, openings, counts, is_cut, is_shared };
        made.judge_refunds();
        made
    }

    /// A refund that meets the order by amount alone is its own if it was not filled, and after its last moment.
    fn judge_refunds(&mut self) {
        let is_filled = self.counted(Kind::Filled).next().is_some();
        let deadline = self.deadline();
        let own =
            self.legs.iter().find(|one| one.leg.kind != Kind::Refunded).map(|one| &one.leg.id);
        let own = own.cloned();
        for one in &mut self.legs {
            let is_met = one.leg.kind == Kind::Refunded && own.as_ref() != Some(&one.leg.id);
            let is_early = deadline.is_some_and(|deadline| one.leg.at.0 <= deadline);
            if is_met && own.is_some() && (is_filled || is_early) {
                one.mismatch = Some("a refund that is another order's");
            }
        }
    }

    fn counted(&self, kind: Kind) -> impl Iterator<Item = &Leg> {
        let counted = self.legs.iter().filter(|one| one.mismatch.is_none());
        counted.map(|one| &one.leg).filter(move |leg| leg.kind == kind)
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

    fn deadline(&self) -> Option<u64> {
        self.said(|leg| leg.deadline)
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
        let has = |kind| self.counted(kind).next().is_some();
        if has(Kind::Refunded) {
            return State::Refunded;
        }
        if has(Kind::Cancelled) {
            return State::Cancelled;
        }
        let identical = self.openings.max(1);
        let state = |count: usize, whole| match count {
            0 => State::Opened,
            count if count < identical => State::PartiallyFilled,
            _ => whole,
        };
        let settled = state(self.counted(Kind::Settled).count(), State::Settled);
        let whole = self.counted(Kind::Filled).filter(|leg| !leg.is_partial).count();
        let filled = state(whole, State::Filled);
        let partial = match has(Kind::Filled) {
            true => State::PartiallyFilled,
            false => State::Opened,
        };
        settled.max(filled).max(partial)
    }

    fn expiry(
        &mut self,
        clock: &impl Fn(u64, &Protocol, u64) -> Result<Clock, StoreError>,
    ) -> Result<Expiry, StoreError> {
        let none = Expiry { clock: None, is_expired: false, is_missed: false };
        let state = self.shown();
        let Some(opening) = self.opening().filter(|_| state < State::Filled) else {
            return Ok(none);
        };
        let known = opening.destination.filter(|chain| self.protocol.chains.contains(chain));
        let Some(destination) = known else { return Ok(none) };
        let seen = clock(destination, self.protocol, opening.at.0)?;
        let past = |deadline: u64| seen.newest.is_some_and(|newest| newest > deadline);
        let is_past = self.deadline().is_some_and(past);
        let is_whole = seen.whole_since.is_some_and(|since| since <= opening.at.0);
        let is_expired = is_past && is_whole && seen.is_followed && state == State::Opened;
        let is_missed = past(opening.at.0) && !is_whole;
        Ok(Expiry { clock: Some(seen), is_expired, is_missed })
    }

    fn finish(self, expiry: Expiry) -> Order {
        let shown = self.shown();
        let state = if expiry.is_expired { State::Expired } else { shown };
        let disagree = self.fills_disagree();
        let is_terminal = self.protocol.terminal.contains(&state) && !disagree;
        let origin = self.said(|leg| leg.origin);
        let destination = self.said(|leg| leg.destination);
        let deadline = self.deadline();
        let next = self.next(state, is_terminal, origin, destination);
        let stuck = self.stuck(state, is_terminal, disagree, &expiry);
        let transitions = self.transitions(&expiry);
        let id = self.said(|leg| Some(leg.id.clone())).unwrap_or_default();
        let swap_deadline = self.said(|leg| leg.swap_deadline);
        Order {
            id,
            protocol: self.protocol.name.clone(),
            state,
            is_terminal,
            opening: self.opening,
            identical: self.openings.max(1),
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
        }
    }

    fn transitions(&self, expiry: &Expiry) -> Vec<Transition> {
        let state = |leg: &Leg| match leg.kind {
            Kind::Opened => Some(State::Opened),
            Kind::Filled if leg.is_partial => Some(State::PartiallyFilled),
            Kind::Filled => Some(State::Filled),
            Kind::Settled => Some(State::Settled),
            Kind::Cancelled => Some(State::Cancelled),
            Kind::Refunded => Some(State::Refunded),
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
        let notes = self.counted(Kind::Noted).max_by_key(|leg| (leg.event, leg.at, leg.place));
        notes.and_then(|leg| self.rule(leg)).filter(|event| event.rule.awaits.is_some())
    }

    fn next(
        &self,
        state: State,
        is_terminal: bool,
        origin: Option<u64>,
        destination: Option<u64>,
    ) -> Option<Awaits> {
        let usual = self.protocol.next.get(&state);
        let noted = self.newest_note().filter(|_| !is_terminal);
        let event = noted
            .and_then(|event| event.rule.awaits.clone())
            .or_else(|| usual.map(|awaited| awaited.event.clone()))?;
        let side = usual.map_or(Side::Destination, |awaited| awaited.at);
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

    fn stuck(
        &self,
        state: State,
        is_terminal: bool,
        disagree: bool,
        expiry: &Expiry,
    ) -> Option<Stuck> {
        let stuck =
            |reason: &str, detail: String| Some(Stuck { reason: reason.to_owned(), detail });
        if is_terminal {
            return None;
        }
        if disagree {
            let detail = "the opening is not known, and fills say different things of it";
            return stuck("fills_disagree", detail.to_owned());
        }
        if state == State::PartiallyFilled && self.openings > 1 {
            let detail = format!(
                "{} transfers say the same and have no id: which of them arrived cannot be told",
                self.openings
            );
            return stuck("identical_transfers", detail);
        }
        if state == State::Expired && self.is_shared {
            let detail = "refunds are paid in bundles, by address and amount: more than one order may be meant";
            return stuck("refund_not_told_apart", detail.to_owned());
        }
        if state == State::Expired {
            return stuck(
                "past_deadline_without_refund",
                "its last moment has passed on the destination, and no refund was seen".to_owned(),
            );
        }
        if state >= State::Filled {
            return None;
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
            let detail = format!("{name} means a chain that is not known here");
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
        let noted = self.newest_note()?;
        let reason = noted.rule.stuck.as_ref()?;
        stuck(reason, format!("{} was seen, and nothing after it", noted.declaration.name))
    }
}

/// Why a leg does not fit to the opening.
fn mismatch(opening: &Leg, leg: &Leg) -> Option<&'static str> {
    let is_of_destination = match leg.kind {
        Kind::Filled | Kind::Failed => true,
        Kind::Settled | Kind::Noted => leg.terms.is_some(),
        Kind::Opened | Kind::Cancelled | Kind::Refunded | Kind::Wrapped => return None,
    };
    if let (Some(ours), Some(theirs)) = (opening.terms, leg.terms)
        && ours != theirs
    {
        return Some("other terms than the opening");
    }
    // a token that the opening leaves open is chosen by the protocol
    if let (Some(ours), Some(theirs)) = (opening.token_out, leg.token_out)
        && !ours.is_zero()
        && ours != theirs
    {
        return Some("another token than the opening");
    }
    let is_there = opening.destination.is_none_or(|chain| chain == leg.place.chain.id.0);
    if is_of_destination && !is_there {
        return Some("on another chain than the opening says");
    }
    None
}
