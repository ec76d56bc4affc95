//! Measured minutes, and the amount owed back for missed availability.

use superroot_account::{AccountId, Month};
use superroot_store::WriteBatch;
use superroot_types::UnixSeconds;

use super::BillingLedger;
use crate::agreement::Agreement;
use crate::availability::MeasuredMonth;
use crate::error::BillingError;
use crate::keys::BillingKey;

impl BillingLedger {
    pub fn availability(&self, month: Month) -> Result<MeasuredMonth, BillingError> {
        Ok(self
            .journal()
            .load(BillingKey::Minutes(month))?
            .map(|held| held.value)
            .unwrap_or_default())
    }

    /// Records whether the service was up in the minute of `at`. The first record of a minute counts; a minute before
    /// the last recorded one is ignored.
    ///
    /// # Errors
    /// [`BillingError::Account`] outside the calendar; [`BillingError::Contended`], [`BillingError::Store`].
    pub fn record_minute(&self, at: UnixSeconds, is_up: bool) -> Result<(), BillingError> {
        self.change_minutes(Month::of(at)?, |minutes| minutes.count(at.0 / 60, is_up).into())?;
        Ok(())
    }

    /// Records every minute between the last recorded one and `now` (exclusive) as down: no process recorded them.
    /// Records nothing without an earlier minute, or if the last one is over a year old. Returns the number of minutes.
    pub fn record_gap(&self, now: UnixSeconds) -> Result<u64, BillingError> {
        let Some((mut month, last)) = self.last_measured(now)? else { return Ok(0) };
        let mut from = last.saturating_add(1);
        let until = now.0 / 60;
        let mut down = 0_u64;
        while from < until {
            let end = until.min(month.end().0 / 60);
            let counted = self.change_minutes(month, |minutes| minutes.count_down(from, end))?;
            down = down.saturating_add(counted);
            (from, month) = (end, month.next());
        }
        Ok(down)
    }

    /// Last recorded minute and its month.
    fn last_measured(&self, now: UnixSeconds) -> Result<Option<(Month, u64)>, BillingError> {
        let mut month = Month::of(now)?;
        for _ in 0..=12 {
            let held = self.availability(month)?;
            if held.measured_minutes > 0 {
                return Ok(Some((month, held.last_minute)));
            }
            let Some(before) = month.before() else { break };
            month = before;
        }
        Ok(None)
    }

    /// Changes the minutes of a month; `count` returns the number of counted minutes.
    fn change_minutes(
        &self,
        month: Month,
        count: impl Fn(&mut MeasuredMonth) -> u64,
    ) -> Result<u64, BillingError> {
        self.commit(|| {
            let mut batch = WriteBatch::new();
            let journal = self.journal();
            let key = BillingKey::Minutes(month);
            let mut minutes: MeasuredMonth = journal.expect(&mut batch, key)?.unwrap_or_default();
            let counted = count(&mut minutes);
            if counted == 0 {
                return Ok((WriteBatch::new(), 0));
            }
            journal.put(&mut batch, key, &minutes);
            Ok((batch, counted))
        })
    }

    /// Amount owed back for a month's missed availability, at most the month's fee; `None` without a promise. A month
    /// has a twelfth of a yearly fee, with or without an invoice.
    pub fn availability_credit_usdc_e6(
        &self,
        account: AccountId,
        month: Month,
    ) -> Result<Option<u64>, BillingError> {
        let Some(Agreement { terms, .. }) = self.agreement_in(account, month)? else {
            return Ok(None);
        };
        let promised_e6 = terms.promised_e6(&self.price_list(month)?);
        let measured = self.availability(month)?;
        let credit = |promised| measured.credit_usdc_e6(promised, terms.fee_of_month_usdc_e6());
        promised_e6.map(credit).transpose()
    }
}
