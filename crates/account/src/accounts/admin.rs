//! Operator acts on accounts.

use superroot_store::{ScanOrder, Table, WriteBatch};
use superroot_types::{Address, Hash, UnixSeconds};

use super::{Accounts, LISTED_MAX};
use crate::account::{Account, Grant};
use crate::audit::{self, OperatorAction, append_act};
use crate::changes::{Changed, note};
use crate::key::{CreatedKey, KeyRow};
use crate::place::{self, AccountKey, next};
use crate::{AccountError, AccountId, Grid, NewKey, Operator, Tier, row};

impl Accounts {
    /// Opens an account by an operator, without a registration limit.
    pub fn open_account(
        &self,
        operator: &Operator,
        wallet: Option<Address>,
    ) -> Result<(Account, CreatedKey), AccountError> {
        row::commit(&*self.store, Table::Account, || {
            let now = self.now();
            let account = self.new_account(wallet, None, now);
            let (issued, mut batch) = self.opening(&account, None, NewKey::default(), now)?;
            let subject = format!("account {}", account.id);
            append_act(&*self.store, &mut batch, operator, "open_account", &subject, now)?;
            Ok((batch, (account, issued)))
        })
    }

    /// Grants an account a tier besides its subscription, or withdraws the grant.
    ///
    /// # Errors
    /// [`AccountError::Range`], [`AccountError::Beyond`] for a sub-account, [`AccountError::UnknownAccount`],
    /// [`AccountError::Text`], [`AccountError::Contended`], [`AccountError::Store`].
    pub fn grant(
        &self,
        operator: &Operator,
        id: AccountId,
        grant: Option<&Grant>,
    ) -> Result<Account, AccountError> {
        if let Some(grant) = grant {
            // an account has never less than everybody has
            let least = self.plans().limit_per_minute(Tier::Explorer);
            grant.check(least..=self.plans().enterprise.limit_per_minute_max)?;
        }
        let subject = match grant {
            None => format!("account {id} nothing"),
            Some(grant) => {
                let until = grant.until.map_or("for good".into(), |until| format!("until {until}"));
                let limit = grant.limit_per_minute;
                let limit = limit.map_or("its limit".into(), |limit| format!("{limit} a minute"));
                let grids = grant.grids.as_ref().map_or("its grids".into(), Grid::list);
                format!("account {id} {}, {limit}, {grids}, {until}", grant.tier)
            }
        };
        if grant.is_some() && self.account(id)?.parent.is_some() {
            return Err(AccountError::Beyond {
                what: "a sub-account has what its integrator has, no grant lifts it",
            });
        }
        self.change_account(operator, id, ("grant", &subject), |account, _| {
            account.grant = grant.cloned();
        })
    }

    /// Closes an account: its keys and those of its sub-accounts are refused here at once, and everywhere in under a
    /// second. Its rows stay.
    pub fn close_account(
        &self,
        operator: &Operator,
        id: AccountId,
    ) -> Result<Account, AccountError> {
        let subject = format!("account {id}");
        self.change_account(operator, id, ("close_account", &subject), |account, now| {
            account.closed_at = Some(account.closed_at.unwrap_or(now));
        })
    }

    /// Reopens a closed account.
    pub fn reopen_account(
        &self,
        operator: &Operator,
        id: AccountId,
    ) -> Result<Account, AccountError> {
        let subject = format!("account {id}");
        self.change_account(operator, id, ("reopen_account", &subject), |account, _| {
            account.closed_at = None;
        })
    }

    /// Accounts after `after` (or from the first), in order of ids, at most 1,000.
    pub fn accounts(
        &self,
        after: Option<AccountId>,
        limit: usize,
    ) -> Result<Vec<Account>, AccountError> {
        let (environment, world) = (self.environment(), [self.environment().byte()]);
        let behind = |after| next(&AccountKey::Account(after).encode(environment));
        let start = after.map_or_else(|| world.to_vec(), behind);
        let end = place::after(&world);
        let limit = limit.min(LISTED_MAX);
        let rows =
            self.store.scan(Table::Account, &start, end.as_deref(), limit, ScanOrder::Rising)?;
        let accounts = rows.iter().map(|(key, bytes)| row::decode(Table::Account, key, bytes));
        Ok(accounts.collect::<Result<_, _>>()?)
    }

    /// Finds a key by its text, in force or not: for operators after a leak.
    pub fn find_key(&self, text: &str) -> Result<KeyRow, AccountError> {
        let owner = self.load_owner(&self.read(text)?.hash)?.ok_or(AccountError::UnknownKey)?;
        let place = AccountKey::Key(owner.account, owner.key).encode(owner.environment);
        let held = row::load::<KeyRow>(&*self.store, Table::AccountKey, &place)?;
        Ok(held.ok_or(AccountError::UnknownKey)?.value)
    }

    /// Operators' acts from a position on, oldest first.
    pub fn acts(&self, from: u64, limit: usize) -> Result<Vec<OperatorAction>, AccountError> {
        audit::list(&*self.store, from, limit)
    }

    /// Number of acts, and hash of the last to store elsewhere. Reads one row, not the log.
    pub fn acts_head(&self) -> Result<(u64, Hash), AccountError> {
        audit::acts_head(&*self.store)
    }

    /// Verifies the whole audit log. Returns the number of acts, and the hash to store elsewhere.
    pub fn check_acts(&self) -> Result<(u64, Hash), AccountError> {
        audit::check(&*self.store)
    }

    fn change_account(
        &self,
        operator: &Operator,
        id: AccountId,
        (what, subject): (&str, &str),
        mut bend: impl FnMut(&mut Account, UnixSeconds),
    ) -> Result<Account, AccountError> {
        self.change(Table::Account, || {
            let now = self.now();
            let held = self.load_account(id)?;
            let mut account = held.value.clone();
            bend(&mut account, now);
            let mut batch = WriteBatch::new();
            append_act(&*self.store, &mut batch, operator, what, subject, now)?;
            self.put_account(&mut batch, &held, account.clone());
            note(&mut batch, &[Changed::Account(id)]);
            Ok((batch, account))
        })
    }
}
