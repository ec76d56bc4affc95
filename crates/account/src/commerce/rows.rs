//! Bills in the store, and the door to agreements and what belongs to them.

use std::sync::Arc;

use superroot_store::{Batch, Store, Table};
use superroot_types::UnixSeconds;

use super::{Agreements, load_agreements};
use crate::audit::append_act;
use crate::invoice::nothing_to_say;
use crate::journal::Journal;
use crate::subscription::environment_byte;
use crate::{
    AccountError, AccountId, Bill, BilledUsage, BoughtPeriods, Charges, Environment, Invoice,
    Invoices, Month, Operator, Plans, row,
};

pub(super) const TABLE: Table = Table::Subscription;

/// What a month's bill needs from elsewhere.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MonthOfAccount {
    /// The account.
    pub account: AccountId,
    /// The month.
    pub month: Month,
    /// Who is billed, as it is to be printed.
    pub billed_to: String,
    /// What it used; for an integrator, its sub-accounts too.
    pub usage: Vec<BilledUsage>,
    /// What it bought ahead.
    pub bought: Vec<BoughtPeriods>,
}

/// Agreements of one environment and what belongs to them. Calls block.
#[derive(Clone)]
pub struct Commerce {
    pub(super) store: Arc<dyn Store>,
    pub(super) environment: Environment,
    pub(super) journal: Journal,
    pub(super) invoices: Invoices,
}

impl Commerce {
    /// That of a store, with its ledger and invoices.
    #[must_use]
    pub fn new(store: Arc<dyn Store>, environment: Environment) -> Self {
        let journal = Journal::new(store.clone(), environment);
        let invoices = Invoices::new(store.clone(), environment);
        Self { store, environment, journal, invoices }
    }

    /// The ledger.
    #[must_use]
    pub const fn journal(&self) -> &Journal {
        &self.journal
    }

    /// The invoices.
    #[must_use]
    pub const fn invoices(&self) -> &Invoices {
        &self.invoices
    }

    /// The bill of a month by the agreement that holds then; metered where none does. For a draft
    /// of the running month as well as for [`Commerce::close_month`].
    ///
    /// # Errors
    /// [`AccountError::Overflow`], [`AccountError::Store`].
    pub fn bill(&self, of: &MonthOfAccount, plans: &Plans) -> Result<Bill, AccountError> {
        self.bill_with(&mut Batch::new(), of, plans)
    }

    /// As [`Commerce::bill`]; the batch holds only while what was given back of a fee is as it was.
    fn bill_with(
        &self,
        batch: &mut Batch,
        of: &MonthOfAccount,
        plans: &Plans,
    ) -> Result<Bill, AccountError> {
        let share_usdc_e6 = self.share_of(of.account, of.month)?.share_usdc_e6;
        let charges = match self.agreement_in(of.account, of.month)? {
            // what it uses is in its integrator's fee
            None if self.integrator_of(of.account)?.is_some() => Charges::included(),
            // its part of what it charged is owed to it, whatever was agreed since
            None => Charges {
                revenue_share_usdc_e6: share_usdc_e6,
                ..Charges::metered(&plans.pay_as_you_go)
            },
            Some(agreement) => {
                let availability = self.availability(of.month)?;
                let left = self.fee_left(batch, &agreement, of.month)?;
                agreement.charges(of.month, &availability, share_usdc_e6, &left, plans)?
            }
        };
        Ok(Bill {
            account: of.account,
            month: of.month,
            billed_to: of.billed_to.clone(),
            charges,
            usage: of.usage.clone(),
            bought: of.bought.clone(),
            charged: self.charges_of(of.account, of.month)?,
        })
    }

    /// Closes an account's month: [`Invoices::close`] on [`Commerce::bill`], so that no charge slips
    /// in between. Where an operator does it, the act is in the audit log, once.
    ///
    /// # Errors
    /// As both.
    pub fn close_month(
        &self,
        of: &MonthOfAccount,
        now: UnixSeconds,
        plans: &Plans,
        by: Option<&Operator>,
    ) -> Result<Invoice, AccountError> {
        let month = (of.account, of.month);
        let closed = self.close_month_with(month, now, plans, by, &mut |_| Ok(of.clone()))?;
        closed.ok_or_else(nothing_to_say)
    }

    /// As [`Commerce::close_month`], with what the bill rests on read anew at each attempt: `make`
    /// lets the batch expect it, and writes along what the invoice uses up. None where there is
    /// nothing to say.
    ///
    /// # Errors
    /// As there, and whatever `make` returns.
    pub(crate) fn close_month_with(
        &self,
        (account, month): (AccountId, Month),
        now: UnixSeconds,
        plans: &Plans,
        by: Option<&Operator>,
        make: &mut dyn FnMut(&mut Batch) -> Result<MonthOfAccount, AccountError>,
    ) -> Result<Option<Invoice>, AccountError> {
        self.invoices.close_with((account, month), now, &self.journal, &mut |batch| {
            let keys = [
                self.key(4, &[account]),
                self.month_key(7, &[], month),
                self.month_key(8, &[account], month),
                self.month_key(9, &[account], month),
            ];
            for key in keys {
                let bytes = self.store.get(TABLE, &key)?;
                batch.expect(TABLE, key, bytes.as_deref());
            }
            if let Some(by) = by {
                let subject = format!("account {account} month {month}");
                append_act(&*self.store, batch, by, "close_month", &subject, now)?;
            }
            let of = make(batch)?;
            self.bill_with(batch, &of, plans)
        })
    }

    /// The agreements with an integrator, which then stay as they are until the batch is written.
    ///
    /// # Errors
    /// [`AccountError::Agreement`] where there are none, [`AccountError::Store`].
    pub(super) fn expect_agreements(
        &self,
        batch: &mut Batch,
        account: AccountId,
    ) -> Result<Agreements, AccountError> {
        let Some(held) = load_agreements(&*self.store, self.environment, account)? else {
            return Err(AccountError::Agreement { why: "the account is no integrator" });
        };
        batch.expect(TABLE, self.key(4, &[account]), Some(&held.bytes));
        Ok(held.value)
    }

    pub(super) fn load<T: serde::de::DeserializeOwned>(
        &self,
        key: &[u8],
    ) -> Result<Option<T>, AccountError> {
        Ok(row::load(&*self.store, TABLE, key)?.map(|held| held.value))
    }

    pub(super) fn key(&self, kind: u8, accounts: &[AccountId]) -> Vec<u8> {
        let mut key = vec![environment_byte(self.environment), kind];
        for account in accounts {
            key.extend(account.0.as_bytes());
        }
        key
    }

    pub(super) fn month_key(&self, kind: u8, accounts: &[AccountId], month: Month) -> Vec<u8> {
        [&self.key(kind, accounts)[..], &month.key()].concat()
    }
}
