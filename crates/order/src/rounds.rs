//! Rounds of equal transfers without ids: once all earlier openings have their fills, a later opening begins a new
//! transfer.

use superroot_types::{Hash, UnixSeconds};

use crate::fit::CLOCKS_DIFFER_S;
use crate::leg::{Leg, LegKind, LegPosition};
use crate::order::Legs;
use crate::table::{IdSource, ProtocolTable};

/// Whether legs of a protocol may be of several rounds.
pub(crate) fn has_rounds(protocol: u8) -> bool {
    let protocol = ProtocolTable::builtin().by_number(protocol);
    protocol.is_some_and(|protocol| protocol.id_by == IdSource::Terms)
}

/// Leg by which an order is asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum LegQuery {
    Transaction(Hash),
    Leg(LegPosition),
}

impl LegQuery {
    fn is(&self, leg: &Leg) -> bool {
        match self {
            Self::Transaction(hash) => leg.tx_hash == Some(*hash),
            Self::Leg(place) => leg.place == *place,
        }
    }
}

/// A single round's legs: the newest round with the asked leg, else the newest round.
pub(crate) fn round_of(mut legs: Legs, asked: Option<LegQuery>) -> Legs {
    let is_one = legs.own.first().is_none_or(|leg| !has_rounds(leg.protocol));
    if is_one || legs.is_cut {
        return legs;
    }
    let begins = begins(&legs.own);
    let round = |leg: &Leg| begins.iter().filter(|begin| leg.at >= **begin).count();
    let all = || legs.own.iter().chain(&legs.met);
    let is_asked = |leg: &&Leg| asked.is_some_and(|asked| asked.is(leg));
    let chosen = all().filter(is_asked).map(round).max().unwrap_or(begins.len());
    let of_round = |leg: &Leg| round(leg) == chosen;
    legs.own = std::mem::take(&mut legs.own).into_iter().filter(of_round).collect();
    legs.met = std::mem::take(&mut legs.met).into_iter().filter(of_round).collect();
    // the first and the last round may go on among the legs that were omitted
    let [before, behind] = legs.near.unwrap_or_default();
    legs.is_cut = (before && chosen == 0) || (behind && chosen == begins.len());
    for (kind, count, is_more) in &mut legs.counts {
        *count = legs.own.iter().filter(|leg| leg.kind == *kind).count();
        *is_more = legs.is_cut;
    }
    legs.counts.retain(|(_, count, _)| *count > 0);
    legs
}

/// First moment of each round but the first: before an opening, as far as clocks differ.
fn begins(legs: &[Leg]) -> Vec<UnixSeconds> {
    let times = |kind: LegKind| {
        let mut times: Vec<u64> =
            legs.iter().filter(|leg| leg.kind == kind).map(|leg| leg.at.0).collect();
        times.sort_unstable();
        times
    };
    let (openings, fills) = (times(LegKind::Opened), times(LegKind::Filled));
    let mut begins: Vec<UnixSeconds> = Vec::new();
    for (before, opening) in openings.iter().enumerate().skip(1) {
        let begin = opening.saturating_sub(CLOCKS_DIFFER_S);
        let is_filled = fills.iter().filter(|fill| **fill < begin).count() >= before;
        let is_later = openings.get(before - 1).is_some_and(|last| *last < begin);
        if is_filled && is_later {
            begins.push(UnixSeconds(begin));
        }
    }
    begins
}
