//! The operator's hand.

use superroot_store::{Batch, Direction, Table};
use superroot_types::{Address, Hash, UnixSeconds};

use super::{Accounts, LISTED_MAX};
use crate::account::{Account, Grant};
use crate::audit::{self, Act, append_act};
use crate::changes::{Changed, note};
use crate::key::{IssuedKey, Key};
use crate::place::{self, Place, next};
use crate::{AccountError, AccountId, Grid, NewKey, Operator, Tier, row};

impl Accounts {
    /// Opens an account by hand, without a limit of registrations.
    ///
    /// # Errors
    /// [`AccountError::Text`], [`AccountError::Contended`], [`AccountError::Randomness`],
    /// [`AccountError::Store`].
    pub fn open_account(
        &self,
        operator: &Operator,
        wallet: Option<Address>,
    ) -> Result<(Account, IssuedKey), AccountError> {
        row::commit(&*self.store, Table::Account, || {
            let now = self.now();
            let account = self.new_account(wallet, None, now);
            let (issued, mut batch) = self.opening(&account, None, NewKey::default(), now)?;
            let subject = format!("account {}", account.id);
            append_act(&*self.store, &mut batch, operator, "open_account", &subject, now)?;
            Ok((batch, (account, issued)))
        })
    }

    /// Gives an account a tier beside its subscription, or takes it back.
    ///
    /// # Errors
    /// [`AccountError::Range`], [`AccountError::Beyond`] of a sub-account,
    /// [`AccountError::UnknownAccount`], [`AccountError::Text`], [`AccountError::Contended`],
    /// [`AccountError::Store`].
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

    /// Closes an account: its keys, and those of its sub-accounts, are refused here at once and
    /// everywhere in under a second. Its rows stay.
    ///
    /// # Errors
    /// As [`Accounts::grant`].
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

    /// Opens a closed account again.
    ///
    /// # Errors
    /// As [`Accounts::grant`].
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

    /// Accounts after `after` (or from the first), in order of their ids, at most 1,000.
    ///
    /// # Errors
    /// [`AccountError::Store`].
    pub fn accounts(
        &self,
        after: Option<AccountId>,
        limit: usize,
    ) -> Result<Vec<Account>, AccountError> {
        let (environment, world) = (self.environment(), [self.environment().byte()]);
        let behind = |after| next(&Place::Account(after).encode(environment));
        let (start, end) = (after.map_or_else(|| world.to_vec(), behind), place::after(&world));
        let limit = limit.min(LISTED_MAX);
        let rows =
            self.store.scan(Table::Account, &start, end.as_deref(), limit, Direction::Rising)?;
        let accounts = rows.iter().map(|(key, bytes)| row::decode(Table::Account, key, bytes));
        Ok(accounts.collect::<Result<_, _>>()?)
    }

    /// The key that a text is, in force or not: for the operator who is told of a leaked one.
    ///
    /// # Errors
    /// [`AccountError::NotAKey`], [`AccountError::OtherEnvironment`],
    /// [`AccountError::UnknownKey`], [`AccountError::Store`].
    pub fn find_key(&self, text: &str) -> Result<Key, AccountError> {
        let owner = self.load_owner(&self.read(text)?.hash)?.ok_or(AccountError::UnknownKey)?;
        let place = Place::Key(owner.account, owner.key).encode(owner.environment);
        let held = row::load::<Key>(&*self.store, Table::AccountKey, &place)?;
        Ok(held.ok_or(AccountError::UnknownKey)?.value)
    }

    /// What operators did, from a place in the log on, oldest first.
    ///
    /// # Errors
    /// [`AccountError::Store`].
    pub fn acts(&self, from: u64, limit: usize) -> Result<Vec<Act>, AccountError> {
        audit::list(&*self.store, from, limit)
    }

    /// How many acts there are, and the hash of the last to keep outside. One row, not the log.
    ///
    /// # Errors
    /// [`AccountError::Store`].
    pub fn acts_head(&self) -> Result<(u64, Hash), AccountError> {
        audit::acts_head(&*self.store)
    }

    /// Checks the whole log of acts; answers how many there are, and the hash to keep outside.
    ///
    /// # Errors
    /// [`AccountError::Audit`], [`AccountError::Store`].
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
            let mut batch = Batch::new();
            append_act(&*self.store, &mut batch, operator, what, subject, now)?;
            self.put_account(&mut batch, &held, account.clone());
            note(&mut batch, &[Changed::Account(id)]);
            Ok((batch, account))
        })
    }
}
