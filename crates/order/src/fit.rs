//! Matches legs with openings.

use crate::leg::{Leg, LegKind};
use crate::table::{IdSource, OrderProtocol};

/// Seconds that a fill may precede its opening: chain clocks differ, and a rollup's sequencer sets its own clock.
pub(crate) const CLOCKS_DIFFER_S: u64 = 900;

/// Equal openings, as leg indices.
#[derive(Clone, Debug, Default)]
pub(crate) struct OpeningGroup {
    pub(crate) openings: Vec<usize>,
}

/// Relations between an order's legs.
#[derive(Clone, Debug, Default)]
pub(crate) struct Fit {
    /// Openings grouped by content, in time order.
    pub(crate) groups: Vec<OpeningGroup>,
    pub(crate) of: Vec<Option<usize>>,
    /// Reason for each leg that does not count.
    pub(crate) mismatches: Vec<Option<&'static str>>,
    /// Group whose opening represents the order.
    pub(crate) chosen: usize,
}

/// Matches an order's legs, given in time order.
pub(crate) fn fit(protocol: &OrderProtocol, legs: &[Leg]) -> Fit {
    let mut fit =
        Fit { of: vec![None; legs.len()], mismatches: vec![None; legs.len()], ..Fit::default() };
    for (at, leg) in legs.iter().enumerate().filter(|(_, leg)| leg.kind == LegKind::Opened) {
        let says = |leg: &Leg| (leg.terms, leg.token_out, leg.destination);
        let first = |group: &OpeningGroup| group.openings.first().and_then(|at| legs.get(*at));
        let place = fit
            .groups
            .iter()
            .position(|group| first(group).is_some_and(|one| says(one) == says(leg)));
        match place.and_then(|place| fit.groups.get_mut(place)) {
            Some(group) => group.openings.push(at),
            None => fit.groups.push(OpeningGroup { openings: vec![at] }),
        }
        fit.of[at] = Some(place.unwrap_or(fit.groups.len() - 1));
    }
    for (at, leg) in legs.iter().enumerate().filter(|(_, leg)| leg.kind != LegKind::Opened) {
        let openings = fit.groups.iter().filter_map(|group| legs.get(*group.openings.first()?));
        let faults: Vec<_> = openings.map(|opening| mismatch(opening, leg)).collect();
        // what has no id of its own meets the opening that goes by its name
        let mut groups = fit.groups.iter();
        let met = groups.position(|group| {
            group.openings.iter().any(|at| legs[*at].join.as_ref() == Some(&leg.id))
        });
        match faults.iter().position(Option::is_none) {
            Some(place) => fit.of[at] = met.or(Some(place).filter(|_| leg.terms.is_some())),
            None => fit.mismatches[at] = faults.first().copied().flatten(),
        }
    }
    if protocol.id_by == IdSource::Terms {
        pair(legs, &mut fit);
    }
    if protocol.is_replaceable {
        replace(legs, &mut fit);
    } else {
        fit.chosen = filled_group(legs, &fit).unwrap_or(0);
    }
    fit
}

/// First group with a matching fill.
fn filled_group(legs: &[Leg], fit: &Fit) -> Option<usize> {
    let fills = legs.iter().zip(&fit.of).zip(&fit.mismatches);
    let mut fills = fills.filter(|((leg, _), mismatch)| {
        matches!(leg.kind, LegKind::Filled | LegKind::Settled) && mismatch.is_none()
    });
    fills.find_map(|((_, of), _)| *of)
}

/// Pairs transfers without an id by time alone: each arrival goes to the oldest unpaired opening.
fn pair(legs: &[Leg], fit: &mut Fit) {
    let openings: Vec<u64> =
        legs.iter().filter(|leg| leg.kind == LegKind::Opened).map(|leg| leg.at.0).collect();
    if openings.is_empty() {
        return;
    }
    let mut paired = 0;
    for (leg, mismatch) in legs.iter().zip(&mut fit.mismatches) {
        let arrives = matches!(leg.kind, LegKind::Filled | LegKind::Settled) && mismatch.is_none();
        if !arrives {
            continue;
        }
        match openings.get(paired) {
            Some(opened) if *opened <= leg.at.0.saturating_add(CLOCKS_DIFFER_S) => paired += 1,
            Some(_) => *mismatch = Some("older than the opening: of an earlier transfer"),
            None => *mismatch = Some("of another transfer that says the same"),
        }
    }
}

/// Keeps the filled opening, else the newest; the others were replaced.
fn replace(legs: &[Leg], fit: &mut Fit) {
    let newest = fit.groups.len().saturating_sub(1);
    let newest = legs
        .iter()
        .zip(&fit.of)
        .filter(|(leg, _)| leg.kind == LegKind::Opened)
        .max_by_key(|(leg, _)| (leg.at, leg.place))
        .map_or(newest, |(_, of)| of.unwrap_or(newest));
    fit.chosen = filled_group(legs, fit).unwrap_or(newest);
    for (at, _) in legs.iter().enumerate().filter(|(_, leg)| leg.kind == LegKind::Opened) {
        if fit.of.get(at).copied().flatten() != Some(fit.chosen)
            && let Some(mismatch) = fit.mismatches.get_mut(at)
        {
            *mismatch = Some("replaced by another opening of this id");
        }
    }
    let chosen = fit.groups.get(fit.chosen).cloned();
    fit.groups = chosen.into_iter().collect();
    fit.of.iter_mut().for_each(|of| *of = of.map(|_| 0));
    fit.chosen = 0;
}

/// Reason why a leg does not match the opening.
pub(crate) fn mismatch(opening: &Leg, leg: &Leg) -> Option<&'static str> {
    let is_of_destination = match leg.kind {
        LegKind::Filled | LegKind::Failed => true,
        LegKind::Settled | LegKind::Noted => leg.terms.is_some(),
        LegKind::Opened | LegKind::Cancelled | LegKind::Refunded | LegKind::Wrapped => return None,
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
    let is_there = !opening.is_elsewhere
        && opening.destination.is_none_or(|chain| chain == leg.place.chain.id.0);
    if is_of_destination && !is_there {
        return Some("on another chain than the opening says");
    }
    None
}
