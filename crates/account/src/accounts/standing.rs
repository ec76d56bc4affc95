//! Source rows of an account's rights.

use superroot_store::{ScanOrder, Table};
use superroot_types::UnixSeconds;

use super::Accounts;
use crate::account::WalletLink;
use crate::agreed::AgreedRows;
use crate::changes::Changed;
use crate::entitlement::{Rights, Standings};
use crate::provisional::ProvisionalTier;
use crate::{AccountError, AccountId, Month, PaidTier, Payer, place, row};

/// Most links read per account; above the configurable maximum.
const LINKS_READ_MAX: usize = 101;

impl Accounts {
    /// An account's current rights, regardless of restrictions on keys.
    pub fn rights(&self, id: AccountId) -> Result<Rights, AccountError> {
        let now = self.now();
        Ok(self.load_standings(id, now)?.rights(self.plans(), now).0)
    }

    /// Claimed and proven wallets of an account.
    pub fn wallets(&self, id: AccountId) -> Result<Vec<WalletLink>, AccountError> {
        let start = place::links(self.environment(), id);
        let end = place::after(&start);
        let end = end.as_deref();
        let limit = LINKS_READ_MAX;
        let rows = self.store.scan(Table::Wallet, &start, end, limit, ScanOrder::Rising)?;
        let links = rows.iter().map(|(key, bytes)| row::decode(Table::Wallet, key, bytes));
        Ok(links.collect::<Result<_, _>>()?)
    }

    pub(crate) fn load_standings(
        &self,
        id: AccountId,
        now: UnixSeconds,
    ) -> Result<Standings, AccountError> {
        let account = self.load_account(id)?.value;
        let parent = account.parent.map(|parent| self.load_account(parent)).transpose()?;
        let parent = parent.map(|held| held.value);
        let above = account.parent.unwrap_or(id);
        let own = self.lift(&Payer::Account(above))?;
        let mut wallets = Vec::new();
        for link in self.wallets(above)? {
            wallets.push((link.clone(), self.lift(&Payer::Wallet(link.wallet))?));
        }
        let agreed = self.agreed(above, Month::of(now)?)?;
        let standing =
            wallets.iter().filter(|(_, lift): &&(_, PaidTier)| lift.revoked_at.is_none());
        let (proven, claimed): (Vec<&WalletLink>, Vec<_>) =
            standing.map(|(link, _)| link).partition(|link| link.proven_at.is_some());
        let tiers = |links: Vec<&WalletLink>| {
            links.into_iter().flat_map(|link| self.provisional.of(link.wallet)).collect()
        };
        let (provisional, to_prove) = (tiers(proven), tiers(claimed));
        Ok(Standings { account, parent, agreed, wallets, own, provisional, to_prove })
    }

    /// Replaces the tiers of payments that are not final yet: effective here at once, and nowhere else.
    pub fn set_provisional(&self, tiers: impl IntoIterator<Item = ProvisionalTier>) {
        let changed = self.provisional.replace(tiers);
        self.cache.evict(&changed.into_iter().map(Changed::Wallet).collect::<Vec<_>>());
    }

    pub fn lift(&self, payer: &Payer) -> Result<PaidTier, AccountError> {
        let held = PaidTier::load(&*self.store, self.environment(), payer)?;
        Ok(held.map(|held| held.value).unwrap_or_default())
    }

    pub(super) fn agreed(
        &self,
        account: AccountId,
        month: Month,
    ) -> Result<AgreedRows, AccountError> {
        Ok(AgreedRows::load(&*self.store, self.environment(), account, month)?)
    }
}
