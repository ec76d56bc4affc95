//! Which accounts are whose sub-accounts.

use superroot_store::{Batch, Direction};

use super::load_agreements;
use super::rows::{Commerce, TABLE};
use crate::subscription::LIST_MAX;
use crate::{AccountError, AccountId, Agreement, Month, Plans, row};

impl Commerce {
    /// Makes an account a sub-account in the running month; again changes nothing. It keeps its keys
    /// and its usage.
    ///
    /// # Errors
    /// [`AccountError::Agreement`] where the one is no integrator in that month, or the other is
    /// one, has an agreement or another integrator; [`AccountError::Full`];
    /// [`AccountError::Contended`], [`AccountError::Store`].
    pub fn add_sub_account(
        &self,
        integrator: AccountId,
        sub_account: AccountId,
        month: Month,
        plans: &Plans,
    ) -> Result<(), AccountError> {
        row::commit(&*self.store, TABLE, || {
            let mut batch = Batch::new();
            self.stage_sub_account(&mut batch, (integrator, sub_account), month, plans)?;
            Ok((batch, ()))
        })
    }

    /// Puts into a batch what [`Commerce::add_sub_account`] writes, with what it rests on.
    ///
    /// # Errors
    /// As there.
    pub(crate) fn stage_sub_account(
        &self,
        batch: &mut Batch,
        (integrator, sub_account): (AccountId, AccountId),
        month: Month,
        plans: &Plans,
    ) -> Result<(), AccountError> {
        let refuse = |why| Err(AccountError::Agreement { why });
        let (agreement_key, parent_key) = (self.key(4, &[integrator]), self.key(6, &[sub_account]));
        if let Some(parent) = self.load::<AccountId>(&parent_key)? {
            if parent == integrator {
                return Ok(());
            }
            return refuse("the account has another integrator");
        }
        let held = load_agreements(&*self.store, self.environment, integrator)?;
        let Some(held) = held.filter(|held| held.value.is_integrator()) else {
            return refuse("the account is no integrator");
        };
        if !held.value.in_month(month).is_some_and(Agreement::is_integrator) {
            return refuse("the integrator's agreement does not hold in the running month");
        }
        let own_key = self.key(4, &[sub_account]);
        if sub_account == integrator || self.store.get(TABLE, &own_key)?.is_some() {
            return refuse("an account with an agreement cannot be a sub-account");
        }
        let most = plans.integrator.sub_accounts_max;
        let mut agreements = held.value;
        if agreements.sub_account_count() >= most {
            let expected = usize::try_from(most).unwrap_or(usize::MAX);
            return Err(AccountError::Full { what: "sub-accounts", expected });
        }
        agreements.count_sub_account();
        batch.expect(TABLE, agreement_key.clone(), Some(&held.bytes));
        batch.put(TABLE, agreement_key, row::encode(&agreements));
        batch.expect(TABLE, own_key, None);
        batch.expect(TABLE, parent_key.clone(), None);
        batch.put(TABLE, parent_key, row::encode(&integrator));
        batch.put(TABLE, self.key(5, &[integrator, sub_account]), row::encode(&sub_account));
        Ok(())
    }

    /// The integrator of a sub-account.
    ///
    /// # Errors
    /// [`AccountError::Store`].
    pub fn integrator_of(&self, account: AccountId) -> Result<Option<AccountId>, AccountError> {
        self.load(&self.key(6, &[account]))
    }

    /// Sub-accounts of an integrator after one (or from the first), at most a thousand.
    ///
    /// # Errors
    /// [`AccountError::Store`].
    pub fn sub_accounts(
        &self,
        integrator: AccountId,
        after: Option<AccountId>,
        limit: usize,
    ) -> Result<Vec<AccountId>, AccountError> {
        let prefix = self.key(5, &[integrator]);
        let start = after.map_or_else(
            || prefix.clone(),
            |after| [&self.key(5, &[integrator, after])[..], &[0]].concat(),
        );
        let end = [&prefix[..], &[0xff; 17]].concat();
        let limit = limit.min(LIST_MAX);
        let rows = self.store.scan(TABLE, &start, Some(&end), limit, Direction::Rising)?;
        rows.iter().map(|(key, bytes)| row::decode(TABLE, key, bytes)).collect()
    }
}
