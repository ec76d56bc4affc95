//! Agreements and bills in the store.

use std::sync::Arc;

use superroot_store::{Batch, Store, Table};
use superroot_types::UnixSeconds;

use super::{Agreement, Interval, Terms};
use crate::audit::append_act;
use crate::invoice::nothing_to_say;
use crate::journal::Journal;
use crate::subscription::{check_operator, environment_byte};
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

/// What came of an agreement.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Agreed {
    /// The agreement, as it is in force.
    pub agreement: Agreement,
    /// The one that it ended, where there was one of other terms or months.
    pub replaced: Option<Agreement>,
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

    /// Enters an agreement, in the place of the one there is, which ends; sub-accounts stay. The act
    /// is in the audit log by the same commit, with what it replaced. It says what is billed and lifts nothing: limit and grids come with
    /// [`Accounts::grant`](crate::Accounts::grant).
    ///
    /// # Errors
    /// [`AccountError::Agreement`] for terms outside the plans, for a sub-account, where
    /// sub-accounts would lose their integrator, or where a month would be billed by neither
    /// agreement or a paid year again; [`AccountError::Text`]; [`AccountError::Contended`],
    /// [`AccountError::Store`].
    pub fn agree(&self, agreement: &Agreement, plans: &Plans) -> Result<Agreed, AccountError> {
        agreement.validate(plans)?;
        check_operator(&agreement.by)?;
        let key = self.key(4, &[agreement.account]);
        row::commit(&*self.store, TABLE, || {
            let parent_key = self.key(6, &[agreement.account]);
            if self.store.get(TABLE, &parent_key)?.is_some() {
                return Err(AccountError::Agreement { why: "the account is a sub-account" });
            }
            let held = row::load::<Agreement>(&*self.store, TABLE, &key)?;
            let children = held.as_ref().map_or(0, |held| held.value.sub_account_count);
            if children > 0 && !matches!(agreement.terms, Terms::Integrator { .. }) {
                return Err(AccountError::Agreement { why: "the account has sub-accounts" });
            }
            if let Some(held) = &held {
                self.check_succession(&held.value, agreement)?;
            }
            let entered = Agreement { sub_account_count: children, ..agreement.clone() };
            let mut batch = Batch::new();
            batch.expect(TABLE, parent_key, None);
            batch.expect(TABLE, key.clone(), held.as_ref().map(|held| &held.bytes[..]));
            batch.put(TABLE, key.clone(), row::encode(&entered));
            let replaced = held.map(|held| held.value).filter(|held| held.differs_from(&entered));
            let mut subject = format!("account {} {}", entered.account, entered.summary());
            if let Some(replaced) = &replaced {
                subject = format!("{subject}; instead of {}", replaced.summary());
            }
            let (by, at) = (&entered.by, entered.entered_at);
            append_act(&*self.store, &mut batch, by, "agree", &subject, at)?;
            Ok((batch, Agreed { agreement: entered, replaced }))
        })
    }

    /// Refuses to let an agreement follow another where a month would be billed by neither, or a
    /// year that was paid for again.
    fn check_succession(&self, held: &Agreement, next: &Agreement) -> Result<(), AccountError> {
        let running = Month::of(next.entered_at)?;
        let before = Month::of(UnixSeconds(running.start().0.saturating_sub(1)))?;
        if before < next.from
            && held.holds_in(before)
            && held.is_fee_due_in(before)
            && self.invoices.load(held.account, before)?.is_none()
        {
            return Err(AccountError::Agreement {
                why: "the month before is not closed yet under the agreement that it replaces: \
                      close it, or enter this one in an hour",
            });
        }
        let first = held.from.max(running);
        if first < next.from && held.holds_in(first) {
            return Err(AccountError::Agreement {
                why: "the agreement that it replaces still bills the running month: let this one \
                      begin with it, or enter it once the month is over",
            });
        }
        let Terms::Integrator { interval: Interval::Yearly, .. } = held.terms else {
            return Ok(());
        };
        let months = next.from.months_since(held.from);
        if months <= 0 || months % 12 == 0 {
            return Ok(());
        }
        let mut paid = held.from;
        while next.from.months_since(paid) >= 12 {
            paid = (0..12).fold(paid, |month, _| month.next());
        }
        let documents = self.invoices.documents(held.account, paid)?;
        if held.holds_in(paid) && documents.len() == 1 {
            return Err(AccountError::Agreement {
                why: "a year that was billed under the agreement that it replaces is not over: let \
                      this one begin after it, or take its rest back by a credit note first",
            });
        }
        Ok(())
    }

    /// The agreement with an account.
    ///
    /// # Errors
    /// [`AccountError::Store`].
    pub fn agreement(&self, account: AccountId) -> Result<Option<Agreement>, AccountError> {
        self.load(&self.key(4, &[account]))
    }

    /// The bill of a month by the agreement that holds then; metered where none does. For a draft
    /// of the running month as well as for [`Commerce::close_month`].
    ///
    /// # Errors
    /// [`AccountError::Overflow`], [`AccountError::Store`].
    pub fn bill(&self, of: &MonthOfAccount, plans: &Plans) -> Result<Bill, AccountError> {
        let agreement = self.agreement(of.account)?.filter(|held| held.holds_in(of.month));
        let charges = match agreement {
            // what it uses is in its integrator's fee
            None if self.integrator_of(of.account)?.is_some() => Charges::included(),
            None => Charges::metered(&plans.pay_as_you_go),
            Some(agreement) => {
                let share = self.share_of(of.account, of.month)?.share_usdc_e6;
                agreement.charges(of.month, &self.availability(of.month)?, share, plans)?
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
            self.bill(&of, plans)
        })
    }

    /// The agreement with an integrator, which then stays as it is until the batch is written.
    ///
    /// # Errors
    /// [`AccountError::Agreement`] where there is none, [`AccountError::Store`].
    pub(super) fn expect_agreement(
        &self,
        batch: &mut Batch,
        account: AccountId,
    ) -> Result<Agreement, AccountError> {
        let key = self.key(4, &[account]);
        let Some(held) = row::load::<Agreement>(&*self.store, TABLE, &key)? else {
            return Err(AccountError::Agreement { why: "the account is no integrator" });
        };
        batch.expect(TABLE, key, Some(&held.bytes));
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
