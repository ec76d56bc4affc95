//! Expiry of an open order by the clock of its destination.

use superroot_store::StoreError;

use super::assembly::OrderAssembly;
use super::knowledge::Knowledge;
use crate::order::ChainProgress;
use crate::state::OrderState;

/// Expiry of an open order by the clock.
pub(super) struct Expiry {
    pub(super) clock: Option<ChainProgress>,
    pub(super) is_expired: bool,
    /// Whether blocks at the destination since the opening are missing.
    pub(super) is_missed: bool,
}

impl OrderAssembly<'_> {
    pub(super) fn expiry(&self, known: &impl Knowledge) -> Result<Expiry, StoreError> {
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
}
