//! Closed invoices: numbered, in the ledger, never changed.

use std::sync::Arc;

use superroot_store::{Batch, Direction, Store, Table};
use superroot_types::UnixSeconds;

use super::fee::bills_a_fee;
use super::{Bill, Invoice, InvoiceLine, LineKind, plain_line, total};
use crate::audit::append_act;
use crate::journal::{Book, EntryLine, Journal, Posting};
use crate::label::check_text;
use crate::subscription::{LIST_MAX, environment_byte};
use crate::{AccountError, AccountId, Environment, Month, Operator, row, usdc_text};

pub(super) const TABLE: Table = Table::Invoice;

/// Why a month in which nothing happened is not closed.
pub(crate) const fn nothing_to_say() -> AccountError {
    let why = "nothing was used, bought or owed in that month, so there is none";
    AccountError::Invoice { why }
}

/// Credit notes that one invoice has at most.
const CORRECTIONS_MAX: u32 = 1_000;

/// What is taken back of a closed invoice.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Correction {
    /// Who takes it back, and why: 1 to 256 printable characters, which are printed.
    pub by: Operator,
    /// How much, above zero.
    pub usdc_e6: u64,
    /// What it is recorded once under; 1 to 128 printable characters.
    pub reference: String,
}

/// What an account has paid of what it owes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Receipt {
    /// The account.
    pub account: AccountId,
    /// How much, above zero.
    pub usdc_e6: u64,
    /// What it is recorded once under; 1 to 128 printable characters.
    pub reference: String,
    /// When it is entered.
    pub at: UnixSeconds,
    /// Who enters it, and why.
    pub by: Operator,
}

/// The invoices of one environment. Calls block.
#[derive(Clone)]
pub struct Invoices {
    store: Arc<dyn Store>,
    environment: Environment,
}

impl Invoices {
    /// Those in a store.
    #[must_use]
    pub fn new(store: Arc<dyn Store>, environment: Environment) -> Self {
        Self { store, environment }
    }

    /// Closes an account's month: numbers the invoice and enters it into the ledger, in one commit. A
    /// month that is closed stays as it is, whatever the bill says now: the invoice held is returned.
    ///
    /// # Errors
    /// Those of [`Bill::draft`]; [`AccountError::Month`] before the month is over;
    /// [`AccountError::Invoice`] where there is nothing to say: such a month has no number;
    /// [`AccountError::Contended`], [`AccountError::Store`].
    pub fn close(
        &self,
        bill: &Bill,
        now: UnixSeconds,
        journal: &Journal,
    ) -> Result<Invoice, AccountError> {
        let month = (bill.account, bill.month);
        let closed = self.close_with(month, now, journal, &mut |_| Ok(bill.clone()))?;
        closed.ok_or_else(nothing_to_say)
    }

    /// As [`Invoices::close`], with the bill made anew at each attempt: `make` lets the batch expect
    /// the rows that the bill rests on. None where there is nothing to say.
    pub(crate) fn close_with(
        &self,
        (account, month): (AccountId, Month),
        now: UnixSeconds,
        journal: &Journal,
        make: &mut dyn FnMut(&mut Batch) -> Result<Bill, AccountError>,
    ) -> Result<Option<Invoice>, AccountError> {
        if now < month.end() {
            return Err(AccountError::Month { month: month.to_string(), why: "is not over yet" });
        }
        let key = self.key(account, month, 0);
        row::commit(&*self.store, TABLE, || {
            let mut batch = Batch::new();
            if let Some(held) = self.load(account, month)? {
                return Ok((batch, Some(held)));
            }
            let bill = make(&mut batch)?;
            let draft = bill.draft(self.environment, now)?;
            let says = |line: &InvoiceLine| {
                line.kind != LineKind::Usage || !bill.charges.is_usage_of_another
            };
            if !draft.lines.iter().any(says) {
                return Ok((Batch::new(), None));
            }
            let invoice = self.stage(&mut batch, &key, draft)?;
            if let Some(posting) = posting_of(&invoice)? {
                journal.stage(&mut batch, &posting)?;
            }
            Ok((batch, Some(invoice)))
        })
    }

    /// Corrects a closed invoice by a credit note; once under its reference, and with the act in
    /// the audit log.
    ///
    /// # Errors
    /// [`AccountError::Invoice`] where the month is not closed, or where more would be taken back
    /// than was charged; [`AccountError::ReferenceDiffers`], [`AccountError::Text`],
    /// [`AccountError::Contended`], [`AccountError::Store`].
    pub fn correct(
        &self,
        account: AccountId,
        month: Month,
        correction: &Correction,
        now: UnixSeconds,
        journal: &Journal,
    ) -> Result<Invoice, AccountError> {
        let Correction { by, reference, .. } = correction;
        check_text("why an invoice is corrected", &by.why, 256)?;
        check_text("the reference of a correction", reference, 128)?;
        let amount = i64::try_from(correction.usdc_e6).map_err(|_| super::OVERFLOW)?;
        if amount == 0 {
            return Err(AccountError::Invoice { why: "a correction must take something back" });
        }
        let line = plain_line(LineKind::Correction, &by.why, -amount);
        let usdc = usdc_text(correction.usdc_e6.into());
        let subject = format!("account {account} month {month} by {usdc} USDC, {reference}");
        let reference = Some(reference.clone());
        row::commit(&*self.store, TABLE, || {
            let documents = self.documents(account, month)?;
            let Some(invoice) = documents.first() else {
                return Err(AccountError::Invoice { why: "its month is not closed" });
            };
            let is_same = |note: &&Invoice| note.reference == reference;
            if let Some(held) = documents[1..].iter().find(is_same) {
                if held.lines.contains(&line) {
                    return Ok((Batch::new(), held.clone()));
                }
                let reference = correction.reference.clone();
                return Err(AccountError::ReferenceDiffers { reference });
            }
            let charged = invoice.sum_of(LineKind::Usage)
                + invoice.sum_of(LineKind::Fee)
                + invoice.sum_of(LineKind::Charge)
                + invoice.sum_of(LineKind::AvailabilityCredit);
            let taken: i128 = documents.iter().map(|note| note.sum_of(LineKind::Correction)).sum();
            let mut batch = Batch::new();
            let credited = match bills_a_fee(invoice) {
                // a yearly fee is given back on later invoices too
                true => self.credits_after(&mut batch, account, month, month.plus(11))?,
                false => 0,
            };
            if charged + taken - credited < i128::from(amount) {
                return Err(AccountError::Invoice { why: "more is taken back than was charged" });
            }
            let place = u32::try_from(documents.len()).unwrap_or(u32::MAX);
            if place > CORRECTIONS_MAX {
                return Err(AccountError::Invoice { why: "it has too many corrections" });
            }
            let lines: Vec<InvoiceLine> = vec![line.clone()];
            let total_usdc_e6 = total(&lines)?;
            let note = Invoice {
                corrects: Some(invoice.number),
                reference: reference.clone(),
                issued_at: now,
                lines,
                total_usdc_e6,
                ..invoice.clone()
            };
            append_act(&*self.store, &mut batch, by, "correct_invoice", &subject, now)?;
            let note = self.stage(&mut batch, &self.key(account, month, place), note)?;
            if let Some(posting) = posting_of(&note)? {
                journal.stage(&mut batch, &posting)?;
            }
            Ok((batch, note))
        })
    }

    /// Records that an account has paid what it owes, or a part or more of it; once under its
    /// reference, and with the act in the audit log. Answers whether it was entered before.
    ///
    /// # Errors
    /// [`AccountError::Nothing`], and as [`Journal::enter`].
    pub fn record_payment(
        &self,
        receipt: &Receipt,
        journal: &Journal,
    ) -> Result<bool, AccountError> {
        let Receipt { account, usdc_e6, reference, at, by } = receipt;
        check_text("the reference of a payment", reference, 128)?;
        if *usdc_e6 == 0 {
            return Err(AccountError::Nothing { what: "a payment" });
        }
        let owed = Book::Receivable(*account);
        let posting = Posting {
            at: *at,
            description: format!("payment of account {account}"),
            reference: format!("payment:{account}:{reference}"),
            lines: vec![EntryLine::debit(Book::Cash, *usdc_e6), EntryLine::credit(owed, *usdc_e6)],
        };
        let subject =
            format!("account {account} {} USDC, {reference}", usdc_text((*usdc_e6).into()));
        row::commit(&*self.store, TABLE, || {
            let mut batch = Batch::new();
            if journal.stage(&mut batch, &posting)?.is_repeat {
                return Ok((Batch::new(), true));
            }
            append_act(&*self.store, &mut batch, by, "enter_receipt", &subject, *at)?;
            Ok((batch, false))
        })
    }

    /// The closed invoice of a month.
    ///
    /// # Errors
    /// [`AccountError::Store`].
    pub fn load(&self, account: AccountId, month: Month) -> Result<Option<Invoice>, AccountError> {
        let held = row::load(&*self.store, TABLE, &self.key(account, month, 0))?;
        Ok(held.map(|held| held.value))
    }

    /// The closed invoice of a month, then its credit notes.
    ///
    /// # Errors
    /// [`AccountError::Store`].
    pub fn documents(
        &self,
        account: AccountId,
        month: Month,
    ) -> Result<Vec<Invoice>, AccountError> {
        let start = self.key(account, month, 0);
        let mut end = self.key(account, month, u32::MAX);
        end.push(0);
        let limit = usize::try_from(CORRECTIONS_MAX).unwrap_or(usize::MAX).saturating_add(2);
        let rows = self.store.scan(TABLE, &start, Some(&end), limit, Direction::Rising)?;
        rows.iter().map(|(key, bytes)| row::decode(TABLE, key, bytes)).collect()
    }

    /// Invoices and credit notes of an account, newest month first, before a month where one is
    /// given; at most a thousand.
    ///
    /// # Errors
    /// [`AccountError::Store`].
    pub fn list(
        &self,
        account: AccountId,
        before: Option<Month>,
        limit: usize,
    ) -> Result<Vec<Invoice>, AccountError> {
        let prefix = self.account_key(account);
        let end = before.map_or_else(
            || [&prefix[..], &[0xff; 8]].concat(),
            |before| self.key(account, before, 0),
        );
        let limit = limit.min(LIST_MAX);
        let rows = self.store.scan(TABLE, &prefix, Some(&end), limit, Direction::Falling)?;
        rows.iter().map(|(key, bytes)| row::decode(TABLE, key, bytes)).collect()
    }

    /// The document of a number.
    ///
    /// # Errors
    /// [`AccountError::Store`].
    pub fn by_number(&self, number: u64) -> Result<Option<Invoice>, AccountError> {
        let Some(key) = self.store.get(TABLE, &self.number_key(number))? else { return Ok(None) };
        Ok(row::load(&*self.store, TABLE, &key)?.map(|held| held.value))
    }

    /// Lets a batch hold only where the account's month is not closed.
    pub(crate) fn expect_open(
        &self,
        batch: &mut Batch,
        account: AccountId,
        month: Month,
    ) -> Result<(), AccountError> {
        if self.load(account, month)?.is_some() {
            return Err(AccountError::Month { month: month.to_string(), why: "is closed" });
        }
        batch.expect(TABLE, self.key(account, month, 0), None);
        Ok(())
    }

    fn stage(
        &self,
        batch: &mut Batch,
        key: &[u8],
        mut invoice: Invoice,
    ) -> Result<Invoice, AccountError> {
        let last_key = vec![environment_byte(self.environment), 0];
        let last = row::load::<u64>(&*self.store, TABLE, &last_key)?;
        let number = last.as_ref().map_or(0, |held| held.value).checked_add(1);
        invoice.number = number.ok_or(super::OVERFLOW)?;
        let number_key = self.number_key(invoice.number);
        batch.expect(TABLE, last_key.clone(), last.as_ref().map(|held| &held.bytes[..]));
        batch.put(TABLE, last_key, row::encode(&invoice.number));
        batch.expect(TABLE, key, None).put(TABLE, key, row::encode(&invoice));
        batch.expect(TABLE, number_key.clone(), None).put(TABLE, number_key, key);
        Ok(invoice)
    }

    fn account_key(&self, account: AccountId) -> Vec<u8> {
        [&[environment_byte(self.environment), 1][..], account.0.as_bytes()].concat()
    }

    pub(super) fn key(&self, account: AccountId, month: Month, place: u32) -> Vec<u8> {
        [&self.account_key(account)[..], &month.key(), &place.to_be_bytes()].concat()
    }

    fn number_key(&self, number: u64) -> Vec<u8> {
        [&[environment_byte(self.environment), 2][..], &number.to_be_bytes()].concat()
    }
}

/// What a closed document moves: usage and fees are owed and earned, credits and corrections taken
/// back, a revenue share is set off against what is owed. Periods, their payments and charges are in
/// the ledger since they were entered.
fn posting_of(invoice: &Invoice) -> Result<Option<Posting>, AccountError> {
    let owed = Book::Receivable(invoice.account);
    let share = Book::RevenueShare(invoice.account);
    let mut lines = Vec::new();
    let mut moved = |to: Book, from: Book, amount: i128| -> Result<(), AccountError> {
        if amount != 0 {
            let amount = u64::try_from(amount).map_err(|_| super::OVERFLOW)?;
            lines.extend([EntryLine::debit(to, amount), EntryLine::credit(from, amount)]);
        }
        Ok(())
    };
    moved(owed, Book::Revenue, invoice.sum_of(LineKind::Usage) + invoice.sum_of(LineKind::Fee))?;
    let back = invoice.sum_of(LineKind::AvailabilityCredit) + invoice.sum_of(LineKind::Correction);
    moved(Book::Revenue, owed, -back)?;
    moved(share, owed, -invoice.sum_of(LineKind::RevenueShare))?;
    let number = invoice.printed_number();
    let (description, reference) = (format!("invoice {number}"), format!("invoice:{number}"));
    let at = invoice.issued_at;
    Ok((!lines.is_empty()).then_some(Posting { at, description, reference, lines }))
}
