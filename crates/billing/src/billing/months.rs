//! Monthly debt of an account: drafts, and the only function that closes a month.

use superroot_account::{AccountId, Month, Operator, row};
use superroot_store::{ScanOrder, Table, WriteBatch};
use uuid::Uuid;

use super::BillingLedger;
use crate::agreement::Agreement;
use crate::error::BillingError;
use crate::invoice::{Bill, MonthInvoice, MonthUsage, bill};
use crate::journal::{AccountBalance, PAGE, corrupt};
use crate::keys::{self, BillingKey};

impl BillingLedger {
    /// A month's closed invoice.
    pub fn invoice(
        &self,
        account: AccountId,
        month: Month,
    ) -> Result<Option<MonthInvoice>, BillingError> {
        Ok(self.journal().load(BillingKey::Document(account, month))?.map(|held| held.value))
    }

    /// Closed invoice by number.
    pub fn invoice_of_number(&self, number: u64) -> Result<Option<MonthInvoice>, BillingError> {
        let at = self.journal().load::<(AccountId, Month)>(BillingKey::ByNumber(number))?;
        match at {
            Some(at) => self.invoice(at.value.0, at.value.1),
            None => Ok(None),
        }
    }

    /// An account's closed invoices, newest month first, optionally before a month; at most a thousand.
    pub fn invoices(
        &self,
        account: AccountId,
        before: Option<Month>,
        limit: usize,
    ) -> Result<Vec<MonthInvoice>, BillingError> {
        let table = Table::Invoice;
        let start = keys::documents(self.environment(), account);
        let end = match before {
            Some(before) => Some(self.journal().encode(BillingKey::Document(account, before))),
            None => superroot_account::after(&start),
        };
        let end = end.as_deref();
        let limit = limit.min(PAGE);
        let way = ScanOrder::Falling;
        let rows = self.store().scan(table, &start, end, limit, way)?;
        let invoices = rows.iter().map(|(key, bytes)| row::decode(table, key, bytes));
        Ok(invoices.collect::<Result<_, _>>()?)
    }

    /// Closed invoice of a month, or a draft so far.
    pub fn invoice_or_draft(
        &self,
        account: AccountId,
        month: Month,
    ) -> Result<MonthInvoice, BillingError> {
        if let Some(closed) = self.invoice(account, month)? {
            return Ok(closed);
        }
        let made = self.bill(account, month)?;
        Ok(self.document(account, month, &made, 0))
    }

    fn bill(&self, account: AccountId, month: Month) -> Result<Bill, BillingError> {
        let entries = self.journal().of_month(account, month)?;
        let usage = self.usage_of(account, month)?;
        let prices = self.prices(account, month)?;
        bill(month, &entries, &usage, &prices)
    }

    fn document(&self, account: AccountId, month: Month, made: &Bill, number: u64) -> MonthInvoice {
        MonthInvoice {
            number,
            environment: self.environment(),
            account,
            month,
            billed_to: format!("Account {account}"),
            issued_at: self.now(),
            lines: made.lines.clone(),
            total_usdc_e6: made.total_usdc_e6,
        }
    }

    /// Usage of an account and its sub-accounts.
    fn usage_of(&self, account: AccountId, month: Month) -> Result<MonthUsage, BillingError> {
        let mut usage = MonthUsage::default();
        self.each_below(account, |one| {
            let used = self.accounts.usage().billed(one, month)?;
            used.iter().try_for_each(|used| usage.add(used, self.accounts.config().routes))
        })?;
        Ok(usage)
    }

    /// Billing tokens of an account and its sub-accounts in a month, as on the invoice.
    pub fn tokens_of(&self, account: AccountId, month: Month) -> Result<u64, BillingError> {
        let mut tokens = 0_u64;
        self.each_below(account, |one| {
            tokens = tokens.saturating_add(self.accounts.usage().tokens(one, month)?);
            Ok(())
        })?;
        Ok(tokens)
    }

    /// Calls `each` for an account and its sub-accounts, a page at a time.
    fn each_below(
        &self,
        account: AccountId,
        mut each: impl FnMut(AccountId) -> Result<(), BillingError>,
    ) -> Result<(), BillingError> {
        each(account)?;
        let mut after = None;
        loop {
            let below = self.accounts.accounts().sub_accounts(account, after, PAGE)?;
            below.iter().try_for_each(|one| each(*one))?;
            after = below.last().copied();
            if below.len() < PAGE {
                return Ok(());
            }
        }
    }

    /// Closes an account's month, and earlier open months in order; nothing else closes months. Enters usage and fee
    /// and numbers the invoice; the month then takes no further entries. A closed month stays as it is. Returns the
    /// invoice, or `None` for an empty bill. Flush the meter first: later counts are not included. The audit log
    /// records an operator's act, once per closed month.
    ///
    /// # Errors
    /// [`BillingError::Month`] for a month that is not over, or was over before the account's opening; errors of the
    /// account and of [`BillingLedger::invoice_or_draft`]; [`BillingError::Contended`], [`BillingError::Store`].
    pub fn close_month(
        &self,
        account: AccountId,
        month: Month,
        by: Option<&Operator>,
    ) -> Result<Option<MonthInvoice>, BillingError> {
        if self.now() < month.end() {
            return Err(BillingError::Month { month, why: "is not over yet" });
        }
        let opened = Month::of(self.accounts.accounts().account(account)?.created_at)?;
        if month < opened {
            let why = "was over before the account was opened";
            return Err(BillingError::Month { month, why });
        }
        let mut open = self.first_open_month(account)?;
        while open <= month {
            self.close_one(account, open, by)?;
            open = open.next();
        }
        self.invoice(account, month)
    }

    /// First open month of an account.
    pub fn first_open_month(&self, account: AccountId) -> Result<Month, BillingError> {
        if let Some(closed) = self.journal().load::<Month>(BillingKey::Closed(account))? {
            return Ok(closed.value.next());
        }
        Ok(Month::of(self.accounts.accounts().account(account)?.created_at)?)
    }

    /// Records an operator's confirmation that a month is over, if no chain's time shows the end: the month is closed
    /// as if the chains agreed.
    ///
    /// # Errors
    /// [`BillingError::Month`] if the month is not over by this machine's clock; [`BillingError::Contended`],
    /// [`BillingError::Store`].
    pub fn confirm_month_over(&self, month: Month, by: &Operator) -> Result<(), BillingError> {
        if self.now() < month.end() {
            return Err(BillingError::Month { month, why: "is not over yet" });
        }
        self.commit(|| {
            let mut batch = WriteBatch::new();
            let journal = self.journal();
            let before: Option<Month> = journal.expect(&mut batch, BillingKey::ConfirmedOver)?;
            if before.is_some_and(|before| month <= before) {
                return Ok((WriteBatch::new(), ()));
            }
            journal.put(&mut batch, BillingKey::ConfirmedOver, &month);
            self.stage_act(&mut batch, by, "confirm_month_over", &format!("month {month}"))?;
            Ok((batch, ()))
        })
    }

    /// Last month confirmed as over by an operator.
    pub fn confirmed_over(&self) -> Result<Option<Month>, BillingError> {
        Ok(self.journal().load(BillingKey::ConfirmedOver)?.map(|held| held.value))
    }

    fn close_one(
        &self,
        account: AccountId,
        month: Month,
        by: Option<&Operator>,
    ) -> Result<(), BillingError> {
        let journal = self.journal();
        self.commit(|| {
            let mut batch = WriteBatch::new();
            if journal.closed(&mut batch, account)?.is_some_and(|closed| month <= closed) {
                return Ok((WriteBatch::new(), ())); // another node was faster
            }
            journal.put(&mut batch, BillingKey::Closed(account), &month);
            // nothing is entered meanwhile, and nothing agreed
            let book = journal.expect_book(&mut batch, account)?;
            let _: Option<Agreement> =
                journal.expect(&mut batch, BillingKey::Agreement(account, month))?;
            let made = self.bill(account, month)?;
            if made.says_something {
                let at = (month, self.now());
                journal.stage_in(&mut batch, (account, book), at, &made.entries, u32::MAX)?;
                self.stage_document(&mut batch, account, month, &made)?;
                if let Some(by) = by {
                    let subject = format!("account {account} month {month}");
                    self.stage_act(&mut batch, by, "close_month", &subject)?;
                }
            }
            Ok((batch, ()))
        })
    }

    /// Numbers an invoice: only when a month closes with a non-empty bill, so that numbers have no gaps.
    fn stage_document(
        &self,
        batch: &mut WriteBatch,
        account: AccountId,
        month: Month,
        made: &Bill,
    ) -> Result<(), BillingError> {
        let journal = self.journal();
        let last: u64 = journal.expect(batch, BillingKey::LastNumber)?.unwrap_or_default();
        let overflow = BillingError::Overflow { what: "the number of invoices" };
        let number = last.checked_add(1).ok_or(overflow)?;
        journal.put(batch, BillingKey::LastNumber, &number);
        journal.put_new(batch, BillingKey::ByNumber(number), &(account, month));
        let document = self.document(account, month, made, number);
        journal.put_new(batch, BillingKey::Document(account, month), &document);
        Ok(())
    }

    /// Recomputes all balances and invoices: each balance from its entries, each invoice from its lines and the entries
    /// of its month; numbers must have no gaps. Returns the number of entries.
    ///
    /// # Errors
    /// [`BillingError::Journal`] for the first account with altered rows; [`BillingError::Store`].
    pub fn check(&self) -> Result<u64, BillingError> {
        let journal = self.journal();
        let mut entries = 0_u64;
        let prefix = keys::books(self.environment());
        journal.each(Table::Journal, &prefix, |key, bytes| {
            let account = key.get(prefix.len()..).and_then(|id| Uuid::from_slice(id).ok());
            let account = account.map(AccountId).ok_or_else(|| corrupt(Table::Journal, key))?;
            let book: AccountBalance = row::decode(Table::Journal, key, bytes)?;
            entries = entries.saturating_add(journal.check(account, &book)?);
            self.check_invoices(account)
        })?;
        let last: u64 =
            journal.load(BillingKey::LastNumber)?.map(|held| held.value).unwrap_or_default();
        for number in 1..=last {
            if self.invoice_of_number(number)?.is_none_or(|invoice| invoice.number != number) {
                return Err(corrupt(Table::Invoice, &journal.encode(BillingKey::ByNumber(number))));
            }
        }
        Ok(entries)
    }

    fn check_invoices(&self, account: AccountId) -> Result<(), BillingError> {
        let journal = self.journal();
        let table = Table::Invoice;
        let broken = |why| Err(BillingError::Journal { account, why });
        journal.each(table, &keys::documents(self.environment(), account), |key, bytes| {
            let invoice: MonthInvoice = row::decode(table, key, bytes)?;
            if journal.encode(BillingKey::Document(account, invoice.month)) != key {
                return broken("an invoice stands in another's place");
            }
            let total = i128::from(invoice.total_usdc_e6);
            let lines: i128 = invoice.lines.iter().map(|it| i128::from(it.amount_usdc_e6)).sum();
            let entries = journal.of_month(account, invoice.month)?;
            let moved: i128 = entries.iter().map(|it| i128::from(it.moved.usdc_e6)).sum();
            if total != lines || total != moved {
                return broken("an invoice is not the sum of its month");
            }
            Ok(())
        })
    }
}
