//! Payments and wallet proofs due before an account continues.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

use superroot_account::{AccountId, Month};
use superroot_types::UnixSeconds;

use crate::{AgreementTerms, BillingError, BillingLedger};

/// A cached result's lifetime, in seconds.
const HOLDS_SECONDS: u64 = 30;
/// Most cached accounts.
const REMEMBERED_MAX: usize = 65_536;
const MILLION: u128 = 1_000_000;

/// Obstacle to further billing tokens.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Due {
    /// The free tokens of the month are used, and no wallet is proven.
    Wallet {
        /// Tokens used this month.
        used: u64,
        /// A month's free tokens.
        free: u64,
    },
    /// The debt exceeds the allowed maximum.
    Payment {
        /// Debt in millionths of a USDC, open months included.
        owed_usdc_e6: u64,
        /// Allowed maximum.
        most_usdc_e6: u64,
    },
}

/// Cache of recent results by account.
#[derive(Debug, Default)]
pub struct Dues(Mutex<HashMap<AccountId, (UnixSeconds, Option<Due>)>>);

impl Dues {
    #[must_use]
    pub fn remembered(&self, account: AccountId, now: UnixSeconds) -> Option<Option<Due>> {
        let dues = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let (found_at, due) = dues.get(&account)?;
        let age = now.0.checked_sub(found_at.0)?;
        (age < HOLDS_SECONDS).then_some(*due)
    }

    /// Reads the result and caches it.
    pub fn look(
        &self,
        billing: &BillingLedger,
        account: AccountId,
    ) -> Result<Option<Due>, BillingError> {
        let due = billing.due(account)?;
        let mut dues = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if dues.len() >= REMEMBERED_MAX {
            dues.clear();
        }
        dues.insert(account, (billing.now(), due));
        Ok(due)
    }
}

impl BillingLedger {
    /// Returns the obstacle to further billing tokens. The integrator answers for a sub-account. An account with an
    /// agreement pays by invoice and has no obstacle.
    pub fn due(&self, account: AccountId) -> Result<Option<Due>, BillingError> {
        let account = self.accounts().accounts().account(account)?.parent.unwrap_or(account);
        let month = Month::of(self.now())?;
        if self.agreement_in(account, month)?.is_some_and(|one| one.terms != AgreementTerms::Ended)
        {
            return Ok(None);
        }
        let used = self.tokens_of(account, month)?;
        let free = self.prices(account, month)?.free_tokens;
        let owed = self.owes_with_open_months(account, month)?;
        // who paid in advance needs no wallet until that is used
        if used > free && owed >= 0 && !self.has_proven_wallet(account)? {
            return Ok(Some(Due::Wallet { used, free }));
        }
        let owed_usdc_e6 = u64::try_from(owed.max(0)).unwrap_or(u64::MAX);
        let most_usdc_e6 = self.plans().pay_as_you_go.owed_usdc_e6_max;
        let is_over = most_usdc_e6 > 0 && owed_usdc_e6 > most_usdc_e6;
        Ok(is_over.then_some(Due::Payment { owed_usdc_e6, most_usdc_e6 }))
    }

    /// Debt of an account in millionths of a USDC: entries plus the cost of all open months so far, the current one
    /// included. Prepayments count.
    fn owes_with_open_months(
        &self,
        account: AccountId,
        running: Month,
    ) -> Result<i128, BillingError> {
        // the book first: a month that closes meanwhile is left out for half a minute, never counted twice
        let mut owed = i128::from(self.owes_usdc_e6(account)?);
        let mut month = self.first_open_month(account)?;
        while month <= running {
            let used = self.tokens_of(account, month)?;
            let prices = self.prices(account, month)?;
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
