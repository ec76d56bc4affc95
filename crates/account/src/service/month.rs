//! What an account owes for a month.

use superroot_store::Batch;

use super::AccountService;
use crate::invoice::{MOVEMENTS_PER_INVOICE_MAX, nothing_to_say};
use crate::{
    AccountError, AccountId, BilledUsage, BoughtPeriods, Invoice, Month, MonthOfAccount, Operator,
    Subscriber,
};

/// Sub-accounts that are read at one time.
const CHILDREN_AT_ONCE: usize = 1_000;

impl AccountService {
    /// What a month's bill of an account rests on: its usage (an integrator's sub-accounts' too), and
    /// what its own subscription and the wallets that it has proven moved up to the month's end and
    /// no closed invoice has. So what was paid before a wallet was proven comes with the next
    /// invoice of the account that has it.
    ///
    /// # Errors
    /// [`AccountError::Overflow`], [`AccountError::Store`].
    pub fn month_of(
        &self,
        account: AccountId,
        month: Month,
    ) -> Result<MonthOfAccount, AccountError> {
        let usage = self.usage_of(account, month)?;
        let mut bought = Vec::new();
        for payer in self.payers(account)? {
            let left = MOVEMENTS_PER_INVOICE_MAX.saturating_sub(bought.len());
            let subscriptions = self.accounts.subscriptions();
            bought.extend(subscriptions.unbilled(&payer, month.end(), left)?.bought);
        }
        Ok(MonthOfAccount { account, month, billed_to: billed_to(account), usage, bought })
    }

    /// What an account and its sub-accounts used.
    fn usage_of(&self, account: AccountId, month: Month) -> Result<Vec<BilledUsage>, AccountError> {
        let mut usage = self.usage.billed(account, month)?;
        for child in self.children(account)? {
            usage.extend(self.usage.billed(child, month)?);
        }
        Ok(usage)
    }

    /// Billing tokens of a month of an account and its sub-accounts: what its invoice counts.
    ///
    /// # Errors
    /// [`AccountError::Store`].
    pub fn tokens_of(&self, account: AccountId, month: Month) -> Result<u64, AccountError> {
        let mut tokens = self.usage.tokens(account, month)?;
        for child in self.children(account)? {
            tokens = tokens.saturating_add(self.usage.tokens(child, month)?);
        }
        Ok(tokens)
    }

    /// All sub-accounts of an account: the plans bound how many there are.
    fn children(&self, account: AccountId) -> Result<Vec<AccountId>, AccountError> {
        let mut children = Vec::new();
        loop {
            let after = children.last().copied();
            let more = self.commerce.sub_accounts(account, after, CHILDREN_AT_ONCE)?;
            let is_last = more.len() < CHILDREN_AT_ONCE;
            children.extend(more);
            if is_last {
                return Ok(children);
            }
        }
    }

    /// Whose money is the account's: its own, and the wallets' that it has proven.
    fn payers(&self, account: AccountId) -> Result<Vec<Subscriber>, AccountError> {
        let wallets = self.accounts.wallets(account)?;
        let proven = wallets.iter().filter(|link| link.proven_at.is_some());
        let wallets = proven.map(|link| Subscriber::Wallet(link.wallet));
        Ok(std::iter::once(Subscriber::Account(account)).chain(wallets).collect())
    }

    /// The movements that an invoice of the month has, put into its batch: they are on it and on no
    /// other, and the wallets are still the account's when it is written.
    fn stage_movements(
        &self,
        batch: &mut Batch,
        account: AccountId,
        month: Month,
    ) -> Result<Vec<BoughtPeriods>, AccountError> {
        let subscriptions = self.accounts.subscriptions();
        let mut bought = Vec::new();
        for payer in self.payers(account)? {
            let left = MOVEMENTS_PER_INVOICE_MAX.saturating_sub(bought.len());
            let unbilled = subscriptions.unbilled(&payer, month.end(), left)?;
            if unbilled.bought.is_empty() {
                continue;
            }
            if let Subscriber::Wallet(wallet) = payer
                && !self.accounts.expect_proven(batch, account, wallet)?
            {
                continue; // it moved to another account just now
            }
            subscriptions.stage_billed(batch, &unbilled);
            bought.extend(unbilled.bought);
        }
        Ok(bought)
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
        self.close_month_if_due(account, month, by)?.ok_or_else(nothing_to_say)
    }

    /// As [`AccountService::close_month_by`]; none where there is nothing to say.
    ///
    /// # Errors
    /// As there.
    pub(crate) fn close_month_if_due(
        &self,
        account: AccountId,
        month: Month,
        by: Option<&Operator>,
    ) -> Result<Option<Invoice>, AccountError> {
        if month.end() <= self.accounts.account(account)?.created_at {
            let why = "was over before the account was opened";
            return Err(AccountError::Month { month: month.to_string(), why });
        }
        let usage = self.usage_of(account, month)?;
        let mut make = |batch: &mut Batch| {
            let bought = self.stage_movements(batch, account, month)?;
            let (billed_to, usage) = (billed_to(account), usage.clone());
            Ok(MonthOfAccount { account, month, billed_to, usage, bought })
        };
        let (now, plans) = (self.now(), self.plans());
        self.commerce.close_month_with((account, month), now, plans, by, &mut make)
    }
}

fn billed_to(account: AccountId) -> String {
    format!("Account {account}")
}
