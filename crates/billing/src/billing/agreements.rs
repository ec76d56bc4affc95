//! Terms agreed with an account, by first month.

use superroot_account::{AccountId, Agreed, Changed, Month, Operator, row};
use superroot_store::{ScanOrder, Table, WriteBatch};

use super::BillingLedger;
use crate::agreement::{Agreement, AgreementTerms, MonthPrices};
use crate::error::{BillingError, no_agreement};
use crate::journal::PAGE;
use crate::keys::{self, BillingKey};

impl BillingLedger {
    /// Sets the terms of an account from a month on, in place of terms that begin in the same month. Effective here at
    /// once, and on other nodes at their next refresh. The audit log records the act.
    ///
    /// # Errors
    /// [`BillingError::Agreement`] for terms outside the plans, a first month that is over or too far ahead, a
    /// sub-account, and an end without an agreement; [`BillingError::Month`] for a closed month.
    pub fn agree(&self, agreement: &Agreement) -> Result<(), BillingError> {
        let Agreement { account, from, terms, by, .. } = agreement;
        agreement.validate(self.plans())?;
        if self.accounts.accounts().account(*account)?.parent.is_some() {
            return no_agreement("a sub-account has what its integrator has agreed");
        }
        let agreed = Agreed { from: *from, gives: terms.gives(self.plans()) };
        let subject = format!("account {account} {} from {from}", terms.summary());
        self.commit_change(Changed::Account(*account), || {
            let mut batch = WriteBatch::new();
            let journal = self.journal();
            journal.expect_open(&mut batch, *account, *from)?;
            let key = BillingKey::Agreement(*account, *from);
            let _: Option<Agreement> = journal.expect(&mut batch, key)?;
            let before = self.agreement_in(*account, *from)?.map(|before| before.terms);
            if *terms == AgreementTerms::Ended && before.is_none_or(|before| before == *terms) {
                return no_agreement(format!("none is in force in {from}"));
            }
            journal.put(&mut batch, key, agreement);
            agreed.stage(&mut batch, self.environment(), *account);
            self.stage_act(&mut batch, by, "agree", &subject)?;
            Ok((batch, ()))
        })
    }

    /// Ends the agreement after a month: [`BillingLedger::agree`] with [`AgreementTerms::Ended`].
    pub fn end_agreement(
        &self,
        account: AccountId,
        last: Month,
        by: &Operator,
    ) -> Result<(), BillingError> {
        let (from, terms) = (last.next(), AgreementTerms::Ended);
        self.agree(&Agreement { account, from, terms, by: by.clone(), entered_at: self.now() })
    }

    /// An account's terms, by first month; at most a thousand.
    pub fn agreements(&self, account: AccountId) -> Result<Vec<Agreement>, BillingError> {
        let prefix = keys::agreements(self.environment(), account);
        let rows = self.journal().page(Table::Journal, &prefix, &prefix, PAGE)?;
        let agreements = rows.iter().map(|(key, bytes)| row::decode(Table::Journal, key, bytes));
        Ok(agreements.collect::<Result<_, _>>()?)
    }

    /// Terms in force in a month: the last begun.
    pub fn agreement_in(
        &self,
        account: AccountId,
        month: Month,
    ) -> Result<Option<Agreement>, BillingError> {
        let start = keys::agreements(self.environment(), account);
        let end = self.journal().encode(BillingKey::Agreement(account, month.next()));
        let table = Table::Journal;
        let last = self.store().scan(table, &start, Some(&end), 1, ScanOrder::Falling)?;
        let last = last.first().map(|(key, bytes)| row::decode(table, key, bytes));
        Ok(last.transpose()?)
    }

    /// Prices of a month for an account, besides journal entries: by agreement, or by the price list in force at the
    /// month's start.
    pub fn prices(&self, account: AccountId, month: Month) -> Result<MonthPrices, BillingError> {
        if self.accounts.accounts().account(account)?.parent.is_some() {
            return Ok(MonthPrices::included());
        }
        let list = self.price_list(month)?;
        Ok(match self.agreement_in(account, month)? {
            Some(agreement) => agreement.prices(month, &list),
            None => MonthPrices::metered(&list),
        })
    }
}
