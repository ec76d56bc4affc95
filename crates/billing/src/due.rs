//! Whether an account has to pay, or to prove who pays, before it goes on.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

use superroot_account::{AccountId, Month};
use superroot_types::UnixSeconds;

use crate::{Billing, BillingError, Terms};

/// Seconds that what was found holds.
const HOLDS_SECONDS: u64 = 30;
/// Accounts that are remembered.
const REMEMBERED_MAX: usize = 65_536;
/// Tokens that a price is of.
const MILLION: u128 = 1_000_000;

/// What stands between an account and more billing tokens.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Due {
    /// The free tokens of the month are used, and no wallet is proven.
    Wallet {
        /// Tokens used this month.
        used: u64,
        /// Those that are free.
        free: u64,
    },
    /// More is owed than the service lets anybody owe.
    Payment {
        /// Millionths of a USDC, the months that are not closed included.
        owed_usdc_e6: u64,
        /// The most.
        most_usdc_e6: u64,
    },
}

/// What was found of accounts a moment ago.
#[derive(Debug, Default)]
pub struct Dues(Mutex<HashMap<AccountId, (UnixSeconds, Option<Due>)>>);

impl Dues {
    /// What was found within half a minute, where that is known; never reads.
    #[must_use]
    pub fn remembered(&self, account: AccountId, now: UnixSeconds) -> Option<Option<Due>> {
        let dues = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let (found_at, due) = dues.get(&account)?;
        let age = now.0.checked_sub(found_at.0)?;
        (age < HOLDS_SECONDS).then_some(*due)
    }

    /// Looks, and remembers it.
    ///
    /// # Errors
    /// [`BillingError::Store`].
    pub fn look(&self, billing: &Billing, account: AccountId) -> Result<Option<Due>, BillingError> {
        let due = billing.due(account)?;
        let mut dues = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if dues.len() >= REMEMBERED_MAX {
            dues.clear();
        }
        dues.insert(account, (billing.now(), due));
        Ok(due)
    }
}

impl Billing {
    /// What has to be done before an account uses more billing tokens. The integrator answers for a
    /// sub-account. An account with an agreement, which has an invoice for that, has nothing to do.
    ///
    /// # Errors
    /// Those of the account; [`BillingError::Store`], [`BillingError::Overflow`].
    pub fn due(&self, account: AccountId) -> Result<Option<Due>, BillingError> {
        let account = self.accounts().accounts().account(account)?.parent.unwrap_or(account);
        let month = Month::of(self.now())?;
        if self.agreement_in(account, month)?.is_some_and(|one| one.terms != Terms::Ended) {
            return Ok(None);
        }
        let (used, free) =
            (self.tokens_of(account, month)?, self.prices(account, month)?.free_tokens);
        if used > free && !self.has_proven_wallet(account)? {
            return Ok(Some(Due::Wallet { used, free }));
        }
        let owed = self.owes_with_open_months(account, month)?;
        let owed_usdc_e6 = u64::try_from(owed.max(0)).unwrap_or(u64::MAX);
        let most_usdc_e6 = self.plans().pay_as_you_go.owed_usdc_e6_max;
        let is_over = most_usdc_e6 > 0 && owed_usdc_e6 > most_usdc_e6;
        Ok(is_over.then_some(Due::Payment { owed_usdc_e6, most_usdc_e6 }))
    }

    /// What an account owes in millionths of a USDC: its entries, and what the months that are not closed
    /// come to so far, the running one included. What was paid ahead counts.
    fn owes_with_open_months(
        &self,
        account: AccountId,
        running: Month,
    ) -> Result<i128, BillingError> {
        // the book first: a month that closes meanwhile is left out for half a minute, never counted twice
        let mut owed = i128::from(self.owes_usdc_e6(account)?);
        let mut month = self.first_open_month(account)?;
        while month <= running {
            let (used, prices) = (self.tokens_of(account, month)?, self.prices(account, month)?);
            let billed = u128::from(used.saturating_sub(prices.free_tokens));
            let charged = billed * u128::from(prices.million_tokens_usdc_e6) / MILLION;
            let fee = prices.fee.map_or(0, |(_, fee_usdc_e6)| fee_usdc_e6);
            let comes_to = charged.saturating_add(fee.into());
            owed = owed.saturating_add(i128::try_from(comes_to).unwrap_or(i128::MAX));
            month = month.next();
        }
        Ok(owed)
    }

    fn has_proven_wallet(&self, account: AccountId) -> Result<bool, BillingError> {
        let wallets = self.accounts().accounts().wallets(account)?;
        Ok(wallets.iter().any(|link| link.proven_at.is_some()))
    }
}
