//! What an account owes for a month.

use super::AccountService;
use crate::{AccountError, AccountId, Invoice, Month, MonthOfAccount, Operator, Subscriber};

/// Sub-accounts whose usage an integrator's bill reads at one time.
const CHILDREN_AT_ONCE: usize = 1_000;

impl AccountService {
    /// What a month's bill of an account rests on: its usage (an integrator's sub-accounts' too), and
    /// what its own subscription and the wallets that it has proven bought.
    ///
    /// # Errors
    /// [`AccountError::Overflow`], [`AccountError::Store`].
    pub fn month_of(
        &self,
        account: AccountId,
        month: Month,
    ) -> Result<MonthOfAccount, AccountError> {
        let mut usage = self.usage.billed(account, month)?;
        let mut after = None;
        loop {
            let children = self.commerce.sub_accounts(account, after, CHILDREN_AT_ONCE)?;
            for child in &children {
                usage.extend(self.usage.billed(*child, month)?);
            }
            after = children.last().copied();
            if children.len() < CHILDREN_AT_ONCE {
                break;
            }
        }
        let mut payers = vec![Subscriber::Account(account)];
        let wallets = self.accounts.wallets(account)?;
        let proven = wallets.iter().filter(|link| link.proven_at.is_some());
        payers.extend(proven.map(|link| Subscriber::Wallet(link.wallet)));
        let mut bought = Vec::new();
        for payer in payers {
            bought.extend(self.accounts.subscriptions().movements_in(&payer, month)?);
        }
        let billed_to = format!("Account {account}");
        Ok(MonthOfAccount { account, month, billed_to, usage, bought })
    }

    /// The invoice of a month: the closed one, or a draft of what it comes to so far.
    ///
    /// # Errors
    /// [`AccountError::Overflow`], [`AccountError::Invoice`], [`AccountError::Store`].
    pub fn invoice_of(&self, account: AccountId, month: Month) -> Result<Invoice, AccountError> {
        if let Some(closed) = self.invoices().load(account, month)? {
            return Ok(closed);
        }
        let bill = self.commerce.bill(&self.month_of(account, month)?, self.plans())?;
        bill.draft(self.environment(), self.now())
    }

    /// Closes an account's month: its invoice is numbered, in the ledger, and never changed. A month
    /// that is closed stays as it is. Flush first: counts of the month that come later are not in it.
    ///
    /// # Errors
    /// [`AccountError::Month`] for one that was over before the account was opened; those of
    /// [`Commerce::close_month`](crate::Commerce::close_month).
    pub fn close_month(&self, account: AccountId, month: Month) -> Result<Invoice, AccountError> {
        self.close_month_by(account, month, None)
    }

    /// As [`AccountService::close_month`], by an operator's hand where one is named: the act is in
    /// the audit log, once.
    ///
    /// # Errors
    /// As there, and [`AccountError::Text`].
    pub fn close_month_by(
        &self,
        account: AccountId,
        month: Month,
        by: Option<&Operator>,
    ) -> Result<Invoice, AccountError> {
        if month.end() <= self.accounts.account(account)?.created_at {
            let why = "was over before the account was opened";
            return Err(AccountError::Month { month: month.to_string(), why });
        }
        let of = self.month_of(account, month)?;
        self.commerce.close_month(&of, self.now(), self.plans(), by)
    }
}
