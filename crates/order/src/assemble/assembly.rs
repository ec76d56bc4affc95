//! Legs of an order, their relation, and the resulting state.

use std::collections::BTreeSet;

use superroot_types::Hash;

use crate::fit::{Fit, fit};
use crate::leg::{Leg, LegKind, TokenAmount};
use crate::order::{Legs, ListedLeg};
use crate::state::OrderState;
use crate::table::{Cause, EventRule, IdSource, OrderProtocol, PaidRule};

pub(super) struct OrderAssembly<'a> {
    pub(super) protocol: &'a OrderProtocol,
    pub(super) legs: Vec<ListedLeg>,
    pub(super) fit: Fit,
    pub(super) opening: Option<usize>,
    /// Number of indistinguishable openings.
    pub(super) identical: usize,
    pub(super) counts: Vec<(LegKind, usize, bool)>,
    pub(super) is_cut: bool,
    pub(super) is_shared: bool,
    /// Whether the legs are those around one of many equal transfers.
    pub(super) is_near: bool,
    pub(super) failed_retry: Option<Hash>,
}

impl<'a> OrderAssembly<'a> {
    pub(super) fn new(protocol: &'a OrderProtocol, mut legs: Legs) -> Self {
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
            is_near: legs.near.is_some(),
            failed_retry: None,
        };
        made.judge_refunds();
        made.compute_paid();
        made
    }

    /// Whether a leg joined the order by another name than the id.
    pub(super) fn is_met(&self, leg: &Leg) -> bool {
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

    pub(super) fn counted(&self, kind: LegKind) -> impl Iterator<Item = &Leg> {
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

    pub(super) fn opening(&self) -> Option<&Leg> {
        self.opening.and_then(|at| self.legs.get(at)).map(|one| &one.leg)
    }

    /// Value from the opening, else from any other counted leg.
    pub(super) fn said<T>(&self, of: impl Fn(&Leg) -> Option<T>) -> Option<T> {
        let counted = || self.legs.iter().filter(|one| one.mismatch.is_none());
        let own = counted().map(|one| &one.leg).filter(|leg| leg.kind != LegKind::Wrapped);
        self.opening().and_then(&of).or_else(|| own.into_iter().find_map(&of))
    }

    /// The opening's deadline, else the latest one set by a step.
    pub(super) fn deadline(&self) -> Option<u64> {
        let counted = self.legs.iter().filter(|one| one.mismatch.is_none());
        let latest = counted.filter_map(|one| one.leg.deadline).max();
        self.opening().and_then(|opening| opening.deadline).or(latest)
    }

    /// Whether fills with different terms compete without a known opening.
    pub(super) fn fills_disagree(&self) -> bool {
        let terms: BTreeSet<_> = self
            .counted(LegKind::Filled)
            .chain(self.counted(LegKind::Settled))
            .filter_map(|leg| leg.terms.map(|terms| (terms, leg.token_out.map(|one| one.0))))
            .collect();
        self.opening.is_none() && terms.len() > 1
    }

    pub(super) fn shown(&self) -> OrderState {
        if self.fit.groups.is_empty() {
            return self.shown_without_opening();
        }
        if self.is_one_of_too_many() {
            return OrderState::Opened;
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

    /// Whether equal transfers without ids are too many to find the legs of one.
    pub(super) fn is_one_of_too_many(&self) -> bool {
        self.is_cut && !self.is_near && self.protocol.id_by == IdSource::Terms
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
        let implied = self.implied(&self.counted_of(group, LegKind::Noted).collect::<Vec<_>>());
        let reached = settled.max(filled).max(partial).max(implied.unwrap_or(OrderState::Opened));
        match reached < OrderState::Filled && has(LegKind::Failed) && self.protocol.fails_for_good {
            true => OrderState::Failed,
            false => reached,
        }
    }

    /// State implied by the steps; none while a fill is deferred, whatever follows the fill.
    fn implied(&self, steps: &[&Leg]) -> Option<OrderState> {
        let is_deferred_fill = |leg: &&&Leg| {
            let instead = self.rule(leg).and_then(|event| event.rule.instead.as_ref());
            instead.is_some_and(|instead| instead.is == LegKind::Filled.name())
        };
        if steps.iter().any(|leg| is_deferred_fill(&leg)) {
            return None;
        }
        steps.iter().filter_map(|leg| self.rule(leg)?.rule.implies).max()
    }

    /// State without an opening: events compared by the protocol's own contracts count in full, other events only as
    /// seen.
    fn shown_without_opening(&self) -> OrderState {
        let is_own =
            |leg: &&Leg| self.rule(leg).is_some_and(|event| event.rule.by == Cause::Protocol);
        let has = |kind| self.counted(kind).any(|leg| is_own(&leg));
        let steps = self.counted(LegKind::Noted).filter(is_own);
        let implied = self.implied(&steps.collect::<Vec<_>>());
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
    pub(super) fn is_refunded_by_amount(&self, state: OrderState) -> bool {
        state == OrderState::Refunded && self.counted(LegKind::Refunded).all(|leg| self.is_met(leg))
    }

    pub(super) fn rule(&self, leg: &Leg) -> Option<&'a EventRule> {
        self.protocol.events.get(usize::from(leg.event))
    }

    /// Newest counted step by position in the protocol's row: later steps are further down.
    pub(super) fn newest_note(&self) -> Option<&'a EventRule> {
        let has_failed = |leg: &&Leg| {
            self.failed_retry.is_some() && self.rule(leg).is_some_and(|event| event.rule.receipt)
        };
        let notes = self.counted(LegKind::Noted).filter(|leg| !has_failed(leg));
        let notes = notes.max_by_key(|leg| (leg.event, leg.at, leg.place));
        notes.and_then(|leg| self.rule(leg)).filter(|event| event.rule.awaits.is_some())
    }

    /// Number of filled deposits with one id and different terms.
    pub(super) fn filled_groups(&self) -> usize {
        let groups = 0..self.fit.groups.len();
        groups.filter(|group| self.shown_of(*group) >= OrderState::Filled).count()
    }
}

fn amount_of(leg: &Leg, event: &EventRule, name: &str) -> Option<TokenAmount> {
    let is_named = |amount: &&TokenAmount| {
        let row = event.rule.amounts.get(usize::from(amount.name));
        row.and_then(|row| row.first()).is_some_and(|one| one == name)
    };
    leg.amounts.iter().find(is_named).copied()
}
