//! Authorities with weights.

use alloc::collections::BTreeSet;
use alloc::vec::Vec;

use crate::finality::Refusal;
use crate::finality::quorum::least_above_two_thirds;
use crate::ledger::polkadot::GrandpaAuthority;

/// Most authorities of a set: 600 on Polkadot.
pub const AUTHORITIES_MAX: usize = 1_024;

/// Authorities in their order, with at least one, each once and with weight.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct AuthorityList {
    members: Vec<GrandpaAuthority>,
    total: u64,
}

impl AuthorityList {
    pub(super) fn new(members: Vec<GrandpaAuthority>) -> Result<Self, Refusal> {
        let unread = Refusal::Encoding { part: "authorities" };
        if !(1..=AUTHORITIES_MAX).contains(&members.len()) {
            return Err(unread);
        }
        let mut keys = BTreeSet::new();
        let mut total = 0_u64;
        for GrandpaAuthority { key, weight } in &members {
            total = total.checked_add(*weight).filter(|_| *weight > 0).ok_or(unread)?;
            if !keys.insert(*key) {
                return Err(Refusal::Order { what: "an authority is named twice" });
            }
        }
        Ok(Self { members, total })
    }

    pub(super) fn members(&self) -> &[GrandpaAuthority] {
        &self.members
    }

    pub(super) const fn total(&self) -> u64 {
        self.total
    }

    /// Least weight above two thirds.
    pub(super) const fn quorum(&self) -> u64 {
        least_above_two_thirds(self.total)
    }

    /// Weight at a place; 0 past the end.
    pub(super) fn weight(&self, index: usize) -> u64 {
        self.members.get(index).map_or(0, |one| one.weight)
    }
}
