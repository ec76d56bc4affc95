//! Entry and lookup of agreements.

use superroot_account::{AccountId, Agreed, Changed, Month, Operator, row};
use superroot_store::{ScanOrder, Table, WriteBatch};

use super::BillingLedger;
use crate::agreement::{Agreement, AgreementTerms, MonthPrices};
use crate::error::{BillingError, no_agreement};
use crate::keys::{self, BillingKey};

impl BillingLedger {
    /// Enters an agreement from its first month on; `until` also ends the agreement after that month. Effective here at
    /// once, and on other nodes at their next refresh. The audit log records the act.
    ///
    /// # Errors
    /// [`BillingError::Agreement`] for terms outside the plans, a first month that is over, too far ahead or already
    /// agreed, a sub-account, and an end without an agreement; [`BillingError::Month`] for a closed month.
    pub fn agree(&self, agreement: &Agreement, until: Option<Month>) -> Result<(), BillingError> {
        let account = agreement.account;
        let from = agreement.from;
        let mut rows = vec![agreement.clone()];
        if let Some(until) = until {
            if until < from {
                return no_agreement("it ends before it begins");
            }
            rows.push(Agreement {
                from: until.next(),
                terms: AgreementTerms::Ended,
                ..agreement.clone()
            });
        }
        rows.iter().try_for_each(|row| row.validate(self.plans()))?;
        if self.accounts.accounts().account(account)?.parent.is_some() {
            return no_agreement("a sub-account has what its integrator has agreed");
        }
        let is_end = agreement.terms == AgreementTerms::Ended;
        self.commit_change(Changed::Account(account), || {
            let mut batch = WriteBatch::new();
            self.journal().expect_open(&mut batch, account, from)?;
            let before = self.agreement_in(account, from)?;
            if is_end && before.is_none_or(|before| before.terms == AgreementTerms::Ended) {
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

    /// Puts an agreement row, possibly replacing an end. The end for `until` yields to an agreement beginning in its
    /// month.
    fn stage_agreement(
        &self,
        batch: &mut WriteBatch,
        agreement: &Agreement,
        is_until: bool,
    ) -> Result<(), BillingError> {
        let journal = self.journal();
        let from = agreement.from;
        let key = BillingKey::Agreement(agreement.account, from);
        let held: Option<Agreement> = journal.expect(batch, key)?;
        match held {
            Some(held) if held.terms != AgreementTerms::Ended => {
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

    /// Ends the agreement after a month: [`BillingLedger::agree`] with [`AgreementTerms::Ended`].
    pub fn end_agreement(
        &self,
        account: AccountId,
        last: Month,
        by: &Operator,
    ) -> Result<(), BillingError> {
        let from = last.next();
        let terms = AgreementTerms::Ended;
        let entered_at = self.now();
        self.agree(&Agreement { account, from, terms, by: by.clone(), entered_at }, None)
    }

    /// Agreements of an account after a first month (or from the first), oldest first, at most a thousand.
    pub fn agreements(
        &self,
        account: AccountId,
        behind: Option<Month>,
        limit: usize,
    ) -> Result<Vec<Agreement>, BillingError> {
        let journal = self.journal();
        let prefix = keys::agreements(self.environment(), account);
        let start = behind.map_or_else(
            || prefix.clone(),
            |behind| {
                superroot_account::next(&journal.encode(BillingKey::Agreement(account, behind)))
            },
        );
        let rows = journal.page(Table::Journal, &prefix, &start, limit)?;
        let agreements = rows.iter().map(|(key, bytes)| row::decode(Table::Journal, key, bytes));
        Ok(agreements.collect::<Result<_, _>>()?)
    }

    /// Agreement in force in a month: the last begun.
    pub fn agreement_in(
        &self,
        account: AccountId,
        month: Month,
    ) -> Result<Option<Agreement>, BillingError> {
        let start = keys::agreements(self.environment(), account);
        let end = self.journal().encode(BillingKey::Agreement(account, month.next()));
        let table = Table::Journal;
        let way = ScanOrder::Falling;
        let last = self.store().scan(table, &start, Some(&end), 1, way)?;
        let last = last.first().map(|(key, bytes)| row::decode(table, key, bytes));
        Ok(last.transpose()?)
    }

    /// Prices of a month for an account, besides journal entries: by agreement, or by the price list in force at the
    /// month's start.
    pub fn prices(&self, account: AccountId, month: Month) -> Result<MonthPrices, BillingError> {
        if self.accounts.accounts().account(account)?.parent.is_some() {
            return Ok(MonthPrices::included());
        }
        let agreement = self.agreement_in(account, month)?;
        let list = self.price_list(month)?;
        let metered = || MonthPrices::metered(&list);
        Ok(agreement.map_or_else(metered, |agreement| agreement.prices(month, &list)))
    }
}
