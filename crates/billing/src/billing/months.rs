//! What an account owes for a month: a draft, and the one door that closes it.

use superroot_account::{AccountId, Month, Operator, row};
use superroot_store::{Batch, Direction, Table};
use uuid::Uuid;

use super::Billing;
use crate::agreement::Agreement;
use crate::error::BillingError;
use crate::invoice::{Bill, Invoice, MonthUsage, bill};
use crate::journal::{Book, PAGE, corrupt};
use crate::keys::{self, Key};

impl Billing {
    /// The closed invoice of a month.
    ///
    /// # Errors
    /// [`BillingError::Store`].
    pub fn invoice(
        &self,
        account: AccountId,
        month: Month,
    ) -> Result<Option<Invoice>, BillingError> {
        Ok(self.journal().load(Key::Document(account, month))?.map(|held| held.value))
    }

    /// The closed invoice of a number.
    ///
    /// # Errors
    /// [`BillingError::Store`].
    pub fn invoice_of_number(&self, number: u64) -> Result<Option<Invoice>, BillingError> {
        let at = self.journal().load::<(AccountId, Month)>(Key::ByNumber(number))?;
        match at {
            Some(at) => self.invoice(at.value.0, at.value.1),
            None => Ok(None),
        }
    }

    /// Closed invoices of an account, newest month first, before a month where one is given; at most a
    /// thousand.
    ///
    /// # Errors
    /// [`BillingError::Store`].
    pub fn invoices(
        &self,
        account: AccountId,
        before: Option<Month>,
        limit: usize,
    ) -> Result<Vec<Invoice>, BillingError> {
        let (table, start) = (Table::Invoice, keys::documents(self.environment(), account));
        let end = match before {
            Some(before) => Some(self.journal().encode(Key::Document(account, before))),
            None => superroot_account::after(&start),
        };
        let (end, limit, way) = (end.as_deref(), limit.min(PAGE), Direction::Falling);
        let rows = self.store().scan(table, &start, end, limit, way)?;
        let invoices = rows.iter().map(|(key, bytes)| row::decode(table, key, bytes));
        Ok(invoices.collect::<Result<_, _>>()?)
    }

    /// The invoice of a month: the closed one, or a draft of what it comes to so far.
    ///
    /// # Errors
    /// Those of the account; [`BillingError::Overflow`], [`BillingError::Invoice`],
    /// [`BillingError::Store`].
    pub fn invoice_or_draft(
        &self,
        account: AccountId,
        month: Month,
    ) -> Result<Invoice, BillingError> {
        if let Some(closed) = self.invoice(account, month)? {
            return Ok(closed);
        }
        let made = self.bill(account, month)?;
        Ok(self.document(account, month, &made, 0))
    }

    fn bill(&self, account: AccountId, month: Month) -> Result<Bill, BillingError> {
        let entries = self.journal().of_month(account, month)?;
        let (usage, prices) = (self.usage_of(account, month)?, self.prices(account, month)?);
        bill(month, &entries, &usage, &prices)
    }

    fn document(&self, account: AccountId, month: Month, made: &Bill, number: u64) -> Invoice {
        Invoice {
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

    /// What an account and its sub-accounts used.
    fn usage_of(&self, account: AccountId, month: Month) -> Result<MonthUsage, BillingError> {
        let mut usage = MonthUsage::default();
        self.each_below(account, |one| {
            let used = self.accounts.usage().billed(one, month)?;
            used.iter().try_for_each(|used| usage.add(used, self.accounts.config().routes))
        })?;
        Ok(usage)
    }

    /// Billing tokens of a month of an account and its sub-accounts: what its invoice counts.
    ///
    /// # Errors
    /// [`BillingError::Store`].
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

    /// Closes an account's month, and those before it that are still open, in order: the one door. What
    /// it used and its fee are entered, the invoice is numbered, and nothing more is entered in that month.
    /// A month that is closed stays as it is. Answers its invoice; none where there is nothing to say.
    /// Flush first: counts of the month that come later are not in it. An operator's act is in the audit
    /// log, once a month that is closed.
    ///
    /// # Errors
    /// [`BillingError::Month`] for one that is not over, or was over before the account was opened; those
    /// of the account and of [`Billing::invoice_or_draft`]; [`BillingError::Contended`],
    /// [`BillingError::Store`].
    pub fn close_month(
        &self,
        account: AccountId,
        month: Month,
        by: Option<&Operator>,
    ) -> Result<Option<Invoice>, BillingError> {
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

    /// The first month of an account that is not closed.
    ///
    /// # Errors
    /// Those of the account; [`BillingError::Store`].
    pub fn first_open_month(&self, account: AccountId) -> Result<Month, BillingError> {
        if let Some(closed) = self.journal().load::<Month>(Key::Closed(account))? {
            return Ok(closed.value.next());
        }
        Ok(Month::of(self.accounts.accounts().account(account)?.created_at)?)
    }

    /// Notes an operator's word that a month is over, where no chain's time shows it: it is closed as if the
    /// chains agreed.
    ///
    /// # Errors
    /// [`BillingError::Month`] where the clock of this machine says that the month is not over;
    /// [`BillingError::Contended`], [`BillingError::Store`].
    pub fn confirm_month_over(&self, month: Month, by: &Operator) -> Result<(), BillingError> {
        if self.now() < month.end() {
            return Err(BillingError::Month { month, why: "is not over yet" });
        }
        self.commit(|| {
            let (mut batch, journal) = (Batch::new(), self.journal());
            let before: Option<Month> = journal.expect(&mut batch, Key::ConfirmedOver)?;
            if before.is_some_and(|before| month <= before) {
                return Ok((Batch::new(), ()));
            }
            journal.put(&mut batch, Key::ConfirmedOver, &month);
            self.stage_act(&mut batch, by, "confirm_month_over", &format!("month {month}"))?;
            Ok((batch, ()))
        })
    }

    /// The last month that an operator said is over.
    ///
    /// # Errors
    /// [`BillingError::Store`].
    pub fn confirmed_over(&self) -> Result<Option<Month>, BillingError> {
        Ok(self.journal().load(Key::ConfirmedOver)?.map(|held| held.value))
    }

    fn close_one(
        &self,
        account: AccountId,
        month: Month,
        by: Option<&Operator>,
    ) -> Result<(), BillingError> {
        let journal = self.journal();
        self.commit(|| {
            let mut batch = Batch::new();
            if journal.closed(&mut batch, account)?.is_some_and(|closed| month <= closed) {
                return Ok((Batch::new(), ())); // another node was faster
            }
            journal.put(&mut batch, Key::Closed(account), &month);
            // nothing is entered meanwhile, and nothing agreed
            let book = journal.expect_book(&mut batch, account)?;
            let _: Option<Agreement> =
                journal.expect(&mut batch, Key::Agreement(account, month))?;
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

    /// Numbers an invoice: only what closes a month does, and only if there is something to say, so that
    /// numbers have no gaps.
    fn stage_document(
        &self,
        batch: &mut Batch,
        account: AccountId,
        month: Month,
        made: &Bill,
    ) -> Result<(), BillingError> {
        let journal = self.journal();
        let last: u64 = journal.expect(batch, Key::LastNumber)?.unwrap_or_default();
        let overflow = BillingError::Overflow { what: "the number of invoices" };
        let number = last.checked_add(1).ok_or(overflow)?;
        journal.put(batch, Key::LastNumber, &number);
        journal.put_new(batch, Key::ByNumber(number), &(account, month));
        let document = self.document(account, month, made, number);
        journal.put_new(batch, Key::Document(account, month), &document);
        Ok(())
    }

    /// Adds up all books and invoices anew: every book is the sum of its entries, every invoice that of
    /// its lines and of the entries of its month, and numbers have no gaps. Answers how many entries
    /// there are.
    ///
    /// # Errors
    /// [`BillingError::Journal`] for the first account of which something is not as it was written;
    /// [`BillingError::Store`].
    pub fn check(&self) -> Result<u64, BillingError> {
        let journal = self.journal();
        let mut entries = 0_u64;
        let prefix = keys::books(self.environment());
        journal.each(Table::Journal, &prefix, |key, bytes| {
            let account = key.get(prefix.len()..).and_then(|id| Uuid::from_slice(id).ok());
            let account = account.map(AccountId).ok_or_else(|| corrupt(Table::Journal, key))?;
            let book: Book = row::decode(Table::Journal, key, bytes)?;
            entries = entries.saturating_add(journal.check(account, &book)?);
            self.check_invoices(account)
        })?;
        let last: u64 = journal.load(Key::LastNumber)?.map(|held| held.value).unwrap_or_default();
        for number in 1..=last {
            if self.invoice_of_number(number)?.is_none_or(|invoice| invoice.number != number) {
                return Err(corrupt(Table::Invoice, &journal.encode(Key::ByNumber(number))));
            }
        }
        Ok(entries)
    }

    fn check_invoices(&self, account: AccountId) -> Result<(), BillingError> {
        let (journal, table) = (self.journal(), Table::Invoice);
        let broken = |why| Err(BillingError::Journal { account, why });
        journal.each(table, &keys::documents(self.environment(), account), |key, bytes| {
            let invoice: Invoice = row::decode(table, key, bytes)?;
            if journal.encode(Key::Document(account, invoice.month)) != key {
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
