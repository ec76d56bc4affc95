//! Billing service of one environment, over the store of its accounts.

mod agreements;
mod availability;
mod closing;
mod entries;
mod months;
mod passes;
mod payments;
mod price_lists;
mod subscriptions;

use std::sync::Arc;

use superroot_account::{
    AccountId, AccountService, Changed, Environment, Operator, PlanTable, append_act, row,
};
use superroot_store::{Store, Table, WriteBatch};
use superroot_types::UnixSeconds;

use crate::error::BillingError;
use crate::journal::BillingJournal;
use crate::pending::PendingPayments;

pub use closing::{CLOSING_DELAY_SECONDS, Closed, MonthClosing};
pub use entries::{Charge, Charged, OperatorEntry};
pub use subscriptions::AppliedAct;

/// Money of one environment, used by the HTTP API, the node (which closes months) and operators. Several ledgers, on
/// several machines, may share one store. Calls block.
pub struct BillingLedger {
    accounts: Arc<AccountService>,
    pending: PendingPayments,
}

impl BillingLedger {
    #[must_use]
    pub fn new(accounts: Arc<AccountService>) -> Arc<Self> {
        Arc::new(Self { accounts, pending: PendingPayments::default() })
    }

    #[must_use]
    pub const fn accounts(&self) -> &Arc<AccountService> {
        &self.accounts
    }

    /// Tiers, prices and models.
    #[must_use]
    pub fn plans(&self) -> &PlanTable {
        self.accounts.plans()
    }

    #[must_use]
    pub fn environment(&self) -> Environment {
        self.accounts.environment()
    }

    /// Current time; never runs back while the service runs.
    #[must_use]
    pub fn now(&self) -> UnixSeconds {
        self.accounts.accounts().now()
    }

    fn store(&self) -> &dyn Store {
        &**self.accounts.store()
    }

    fn journal(&self) -> BillingJournal<'_> {
        BillingJournal { store: self.store(), environment: self.environment() }
    }

    /// Commits the batch that `build` makes of the current rows; rebuilds after a conflict.
    fn commit<T>(
        &self,
        build: impl FnMut() -> Result<(WriteBatch, T), BillingError>,
    ) -> Result<T, BillingError> {
        row::commit(self.store(), Table::Journal, build)
    }

    /// Like [`BillingLedger::commit`], for changes of account rights: effective here at once, and on other nodes at
    /// their next refresh.
    fn commit_change<T>(
        &self,
        changed: Changed,
        mut build: impl FnMut() -> Result<(WriteBatch, T), BillingError>,
    ) -> Result<T, BillingError> {
        let done = self.commit(|| {
            let (mut batch, answer) = build()?;
            if !batch.is_empty() {
                superroot_account::note(&mut batch, &[changed]);
            }
            Ok((batch, answer))
        });
        // also where it failed: it may have been written
        self.accounts.accounts().look_again();
        done
    }

    fn stage_act(
        &self,
        batch: &mut WriteBatch,
        by: &Operator,
        what: &str,
        subject: &str,
    ) -> Result<(), BillingError> {
        Ok(append_act(self.store(), batch, by, what, subject, self.now())?)
    }

    /// Refuses an unknown account.
    fn check_account(&self, account: AccountId) -> Result<(), BillingError> {
        self.accounts.accounts().account(account)?;
        Ok(())
    }
}

#[cfg(test)]
mod tests;
