//! Entering agreements, and which one is in force.

use superroot_account::{AccountId, Agreed, Changed, Month, Operator, row};
use superroot_store::{Batch, Direction, Table};

use super::Billing;
use crate::agreement::{Agreement, Prices, Terms};
use crate::error::{BillingError, no_agreement};
use crate::keys::{self, Key};

impl Billing {
    /// Enters an agreement from its first month on, and with `until` that nothing is agreed after that
    /// month: in force here at once and on every other node with its next look. The act is in the audit
    /// log.
    ///
    /// # Errors
    /// [`BillingError::Agreement`] for terms outside the plans, for a first month that is over, too far
    /// ahead or has an agreement already, for a sub-account, and where there is nothing to end;
    /// [`BillingError::Month`] for one that is closed; those of the account and the operator;
    /// [`BillingError::Contended`], [`BillingError::Store`].
    pub fn agree(&self, agreement: &Agreement, until: Option<Month>) -> Result<(), BillingError> {
        let (account, from) = (agreement.account, agreement.from);
        let mut rows = vec![agreement.clone()];
        if let Some(until) = until {
            if until < from {
                return no_agreement("it ends before it begins");
            }
            rows.push(Agreement { from: until.next(), terms: Terms::Ended, ..agreement.clone() });
        }
        rows.iter().try_for_each(|row| row.validate(self.plans()))?;
        if self.accounts.accounts().account(account)?.parent.is_some() {
            return no_agreement("a sub-account has what its integrator has agreed");
        }
        let is_end = agreement.terms == Terms::Ended;
        self.commit_change(Changed::Account(account), || {
            let mut batch = Batch::new();
            self.journal().expect_open(&mut batch, account, from)?;
            let before = self.agreement_in(account, from)?;
            if is_end && before.is_none_or(|before| before.terms == Terms::Ended) {
                return no_agreement(format!("none is in force in {from}"));
            }
            for (place, row) in rows.iter().enumerate() {
                self.stage_agreement(&mut batch, row, place > 0)?;
            }
            let end = until.map_or_else(String::new, |until| format!(" until {until}"));
            let subject =
                format!("account {account} {} from {from}{end}", agreement.terms.summary());
            self.stage_act(&mut batch, &agreement.by, "agree", &subject)?;
            Ok((batch, ()))
        })
    }

    /// Puts the row of an agreement, which may take the place of an end. The end that `until` asks for
    /// gives way to what begins in its month.
    fn stage_agreement(
        &self,
        batch: &mut Batch,
        agreement: &Agreement,
        is_until: bool,
    ) -> Result<(), BillingError> {
        let (journal, from) = (self.journal(), agreement.from);
        let key = Key::Agreement(agreement.account, from);
        let held: Option<Agreement> = journal.expect(batch, key)?;
        match held {
            Some(held) if held.terms != Terms::Ended => {
                if is_until {
                    return Ok(());
                }
                return no_agreement(format!("one begins with {from} already, and never changes"));
            }
            Some(_) | None => {}
        }
        journal.put(batch, key, agreement);
        let agreed = Agreed { from, gives: agreement.terms.gives(self.plans()) };
        agreed.stage(batch, self.environment(), agreement.account);
        Ok(())
    }

    /// Lets nothing be agreed after a month: [`Billing::agree`] on [`Terms::Ended`].
    ///
    /// # Errors
    /// As there.
    pub fn end_agreement(
        &self,
        account: AccountId,
        last: Month,
        by: &Operator,
    ) -> Result<(), BillingError> {
        let (from, terms, entered_at) = (last.next(), Terms::Ended, self.now());
        self.agree(&Agreement { account, from, terms, by: by.clone(), entered_at }, None)
    }

    /// Agreements of an account behind a first month (or from the first), oldest first, at most a
    /// thousand.
    ///
    /// # Errors
    /// [`BillingError::Store`].
    pub fn agreements(
        &self,
        account: AccountId,
        behind: Option<Month>,
        limit: usize,
    ) -> Result<Vec<Agreement>, BillingError> {
        let (journal, prefix) = (self.journal(), keys::agreements(self.environment(), account));
        let start = behind.map_or_else(
            || prefix.clone(),
            |behind| superroot_account::next(&journal.encode(Key::Agreement(account, behind))),
        );
        let rows = journal.page(Table::Journal, &prefix, &start, limit)?;
        let agreements = rows.iter().map(|(key, bytes)| row::decode(Table::Journal, key, bytes));
        Ok(agreements.collect::<Result<_, _>>()?)
    }

    /// The agreement in force with an account in a month: the last that has begun.
    ///
    /// # Errors
    /// [`BillingError::Store`].
    pub fn agreement_in(
        &self,
        account: AccountId,
        month: Month,
    ) -> Result<Option<Agreement>, BillingError> {
        let start = keys::agreements(self.environment(), account);
        let end = self.journal().encode(Key::Agreement(account, month.next()));
        let (table, way) = (Table::Journal, Direction::Falling);
        let last = self.store().scan(table, &start, Some(&end), 1, way)?;
        let last = last.first().map(|(key, bytes)| row::decode(table, key, bytes));
        Ok(last.transpose()?)
    }

    /// What a month costs an account beside entries of its journal: by its agreement, or by the price list
    /// that was in force when the month began.
    ///
    /// # Errors
    /// Those of the account; [`BillingError::Store`].
    pub fn prices(&self, account: AccountId, month: Month) -> Result<Prices, BillingError> {
        if self.accounts.accounts().account(account)?.parent.is_some() {
            return Ok(Prices::included());
        }
        let (agreement, list) = (self.agreement_in(account, month)?, self.price_list(month)?);
        let metered = || Prices::metered(&list);
        Ok(agreement.map_or_else(metered, |agreement| agreement.prices(month, &list)))
    }
}
