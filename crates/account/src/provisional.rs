//! Tiers of payments that are not final yet: in memory alone, for a bounded time.

use std::collections::BTreeMap;
use std::sync::{PoisonError, RwLock};

use superroot_types::{Address, UnixSeconds};

use crate::tier::Tier;

/// Tier of a wallet until its payment is final. Never written, and never in grace.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ProvisionalTier {
    pub wallet: Address,
    pub tier: Tier,
    /// First second after.
    pub until: UnixSeconds,
}

/// Provisional tiers by wallet.
#[derive(Debug, Default)]
pub(crate) struct ProvisionalTiers(RwLock<BTreeMap<Address, Vec<ProvisionalTier>>>);

impl ProvisionalTiers {
    pub(crate) fn of(&self, wallet: Address) -> Vec<ProvisionalTier> {
        let tiers = self.0.read().unwrap_or_else(PoisonError::into_inner);
        tiers.get(&wallet).cloned().unwrap_or_default()
    }

    /// Replaces all tiers. Returns the wallets whose tiers changed.
    pub(crate) fn replace(&self, all: impl IntoIterator<Item = ProvisionalTier>) -> Vec<Address> {
        let mut next: BTreeMap<Address, Vec<ProvisionalTier>> = BTreeMap::new();
        for one in all {
            next.entry(one.wallet).or_default().push(one);
        }
        let mut tiers = self.0.write().unwrap_or_else(PoisonError::into_inner);
        let wallets = tiers.keys().chain(next.keys());
        let is_changed = |wallet: &&Address| tiers.get(*wallet) != next.get(*wallet);
        let mut changed: Vec<Address> = wallets.filter(is_changed).copied().collect();
        changed.dedup();
        *tiers = next;
        changed
    }
}
