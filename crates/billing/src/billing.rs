//! The service: money of one environment, over the store of its accounts.

mod agreements;
mod availability;
mod closing;
mod entries;
mod months;
mod payouts;
mod price_lists;
mod subscriptions;

use std::sync::Arc;

use superroot_account::{
    AccountId, AccountService, Changed, Environment, Operator, Plans, append_act, row,
};
use superroot_store::{Batch, Store, Table};
use superroot_types::UnixSeconds;

use crate::error::BillingError;
use crate::journal::Journal;

pub use closing::{CLOSING_DELAY_SECONDS, Closed, Closing};
pub use entries::{Charge, Charged, CreditNote, Receipt};
pub use subscriptions::Applied;

/// Money of one environment. The HTTP face asks it, the node closes its months, the operator acts through
/// it. Any number of these, on any number of machines, may stand on one store. Calls block.
pub struct Billing {
    accounts: Arc<AccountService>,
}

impl Billing {
    /// The money of those accounts.
    #[must_use]
    pub fn new(accounts: Arc<AccountService>) -> Arc<Self> {
        Arc::new(Self { accounts })
    }

    /// The accounts.
    #[must_use]
    pub const fn accounts(&self) -> &Arc<AccountService> {
        &self.accounts
    }

    /// Tiers, prices and models.
    #[must_use]
    pub fn plans(&self) -> &Plans {
        self.accounts.plans()
    }

    /// The world of this money.
    #[must_use]
    pub fn environment(&self) -> Environment {
        self.accounts.environment()
    }

    /// Now: never runs back while the service runs.
    #[must_use]
    pub fn now(&self) -> UnixSeconds {
        self.accounts.accounts().now()
    }

    fn store(&self) -> &dyn Store {
        &**self.accounts.store()
    }

    fn journal(&self) -> Journal<'_> {
        Journal { store: self.store(), environment: self.environment() }
    }

    /// Commits what `build` makes of the rows as they stand; anew where others were first.
    fn commit<T>(
        &self,
        build: impl FnMut() -> Result<(Batch, T), BillingError>,
    ) -> Result<T, BillingError> {
        row::commit(self.store(), Table::Journal, build)
    }

    /// As [`Billing::commit`], of what changes what accounts have: in force here at once, and on every
    /// other node with its next look.
    fn commit_change<T>(
        &self,
        changed: Changed,
        mut build: impl FnMut() -> Result<(Batch, T), BillingError>,
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
        batch: &mut Batch,
        by: &Operator,
        what: &str,
        subject: &str,
    ) -> Result<(), BillingError> {
        Ok(append_act(self.store(), batch, by, what, subject, self.now())?)
    }

    /// Refuses an account that is not there.
    fn check_account(&self, account: AccountId) -> Result<(), BillingError> {
        self.accounts.accounts().account(account)?;
        Ok(())
    }
}

#[cfg(test)]
mod tests;
