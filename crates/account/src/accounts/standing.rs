//! The rows behind an account's rights.

use superroot_store::{Direction, Table};

use super::Accounts;
use crate::account::WalletLink;
use crate::commerce::load_agreements;
use crate::entitlement::{Rights, Standings};
use crate::{AccountError, AccountId, Subscriber, place, row};

/// Links of an account that are read; more than may be configured.
const LINKS_READ_MAX: usize = 101;

impl Accounts {
    /// What an account has now, whatever its keys are confined to.
    ///
    /// # Errors
    /// [`AccountError::UnknownAccount`], [`AccountError::Store`].
    pub fn rights(&self, id: AccountId) -> Result<Rights, AccountError> {
        Ok(self.load_standings(id)?.rights(self.plans(), self.now()).0)
    }

    /// The wallets that an account claims or has proven.
    ///
    /// # Errors
    /// [`AccountError::Store`].
    pub fn wallets(&self, id: AccountId) -> Result<Vec<WalletLink>, AccountError> {
        let start = place::links(self.environment(), id);
        let end = place::after(&start);
        let (end, limit) = (end.as_deref(), LINKS_READ_MAX);
        let rows = self.store.scan(Table::Wallet, &start, end, limit, Direction::Rising)?;
        rows.iter().map(|(key, bytes)| row::decode(Table::Wallet, key, bytes)).collect()
    }

    pub(crate) fn load_standings(&self, id: AccountId) -> Result<Standings, AccountError> {
        let account = self.load_account(id)?.value;
        let parent = account.parent.map(|parent| self.load_account(parent)).transpose()?;
        let parent = parent.map(|held| held.value);
        let above = account.parent.unwrap_or(id);
        let own = self.subscriptions.load(&Subscriber::Account(above))?;
        let mut wallets = Vec::new();
        for link in self.wallets(above)? {
            let subscription = self.subscriptions.load(&Subscriber::Wallet(link.wallet))?;
            wallets.push((link, subscription));
        }
        let agreements = load_agreements(&*self.store, self.environment(), above)?;
        let agreements = agreements.map(|held| held.value).unwrap_or_default();
        Ok(Standings { account, parent, agreements, wallets, own })
    }
}
