//! What operators enter into the journal: charges of integrators, receipts, credit notes.

use superroot_account::{AccountId, Month, Operator, check_text};
use superroot_store::Batch;

use super::Billing;
use crate::agreement::Terms;
use crate::entry::{Entry, EntryKind, NewEntry};
use crate::error::{BillingError, no_agreement};
use crate::invoice::Invoice;
use crate::keys::Key;
use crate::money::{scaled_up, usdc_text};

/// What an integrator charged a sub-account.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Charge {
    /// Who sells.
    pub integrator: AccountId,
    /// Who is charged.
    pub sub_account: AccountId,
    /// How much, above zero.
    pub usdc_e6: u64,
    /// What it is entered once under; 1 to 128 printable characters.
    pub reference: String,
    /// Who enters it, and why.
    pub by: Operator,
}

/// What came of a charge.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Charged {
    /// The integrator's part.
    pub share_usdc_e6: u64,
    /// Whether it was entered before under its reference: nothing was written.
    pub is_repeat: bool,
}

/// What an account has paid of what it owes, or was paid of what the service owes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Receipt {
    /// The account.
    pub account: AccountId,
    /// How much, above zero.
    pub usdc_e6: u64,
    /// What it is entered once under; 1 to 128 printable characters.
    pub reference: String,
    /// Who enters it, and why.
    pub by: Operator,
}

/// What is taken back of a closed invoice.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CreditNote {
    /// The account.
    pub account: AccountId,
    /// The month of the invoice.
    pub month: Month,
    /// How much, above zero.
    pub usdc_e6: u64,
    /// What it is entered once under; 1 to 128 printable characters.
    pub reference: String,
    /// Who takes it back, and why, which is printed.
    pub by: Operator,
}

impl Billing {
    /// What an account owes: the sum of its entries; below zero where the service owes.
    ///
    /// # Errors
    /// [`BillingError::Store`].
    pub fn owes_usdc_e6(&self, account: AccountId) -> Result<i64, BillingError> {
        Ok(self.journal().book(account)?.owes_usdc_e6)
    }

    /// Entries of an account behind one (its month and number; or from the first), oldest month first,
    /// at most a thousand.
    ///
    /// # Errors
    /// [`BillingError::Store`].
    pub fn entries(
        &self,
        account: AccountId,
        behind: Option<(Month, u32)>,
        limit: usize,
    ) -> Result<Vec<Entry>, BillingError> {
        self.journal().list(account, behind, limit)
    }

    /// Enters what an integrator charged a sub-account: the sub-account owes it, and the integrator's
    /// part (rounded up) is set off against what the integrator owes. Once under its reference.
    ///
    /// # Errors
    /// [`BillingError::Agreement`] where the sub-account is not the integrator's, or no agreement makes
    /// it one now; [`BillingError::ReferenceDiffers`], [`BillingError::Nothing`], and those of
    /// an entry.
    pub fn charge(&self, charge: &Charge) -> Result<Charged, BillingError> {
        let Charge { integrator, sub_account, usdc_e6, reference, by } = charge;
        check_text("the reference of a charge", reference, 128)?;
        if self.accounts.accounts().account(*sub_account)?.parent != Some(*integrator) {
            return no_agreement("the account is not its sub-account");
        }
        let percent = u64::from(self.plans().integrator.revenue_share_percent);
        let overflow = BillingError::Overflow { what: "a charge" };
        let share_usdc_e6 = scaled_up(*usdc_e6, percent, 100).ok_or(overflow)?;
        let text = format!("charged by integrator {integrator}, {reference}");
        let owed = NewEntry::new(EntryKind::Charge, *usdc_e6, reference, text)?;
        let usdc = usdc_text((*usdc_e6).into());
        let text = format!("{percent}% of {usdc} USDC charged to {sub_account}, {reference}");
        let share = (share_usdc_e6 > 0)
            .then(|| NewEntry::new(EntryKind::RevenueShare, share_usdc_e6, reference, text));
        let share = share.transpose()?;
        self.commit(|| {
            let (mut batch, journal, now) = (Batch::new(), self.journal(), self.now());
            let before = journal.find(&mut batch, *sub_account, owed.kind, reference)?;
            if let Some(before) = before {
                same(&before, &owed)?;
                let kind = EntryKind::RevenueShare;
                let share = journal.find(&mut batch, *integrator, kind, reference)?;
                let share_usdc_e6 = share.map_or(0, |share| share.moved.usdc_e6.unsigned_abs());
                return Ok((Batch::new(), Charged { share_usdc_e6, is_repeat: true }));
            }
            let agreement = self.agreement_in(*integrator, Month::of(now)?)?;
            let is_integrator = agreement
                .is_some_and(|agreement| matches!(agreement.terms, Terms::Integrator { .. }));
            if !is_integrator {
                return no_agreement("the account is no integrator in the running month");
            }
            if let Some(share) = &share {
                if journal.find(&mut batch, *integrator, share.kind, reference)?.is_some() {
                    let reference = reference.clone();
                    return Err(BillingError::ReferenceDiffers { reference });
                }
                journal.stage_one(&mut batch, *integrator, now, share)?;
            }
            journal.stage_one(&mut batch, *sub_account, now, &owed)?;
            let subject =
                format!("integrator {integrator} charges {sub_account} {usdc} USDC, {reference}");
            self.stage_act(&mut batch, by, "charge", &subject)?;
            Ok((batch, Charged { share_usdc_e6, is_repeat: false }))
        })
    }

    /// Notes that an account has paid what it owes, or a part or more of it; once under its reference.
    /// Answers the entry, and whether it was there before.
    ///
    /// # Errors
    /// [`BillingError::ReferenceDiffers`], [`BillingError::TakenBack`], [`BillingError::Nothing`], and those
    /// of an entry.
    pub fn receive(&self, receipt: &Receipt) -> Result<(Entry, bool), BillingError> {
        let Receipt { account, usdc_e6, reference, by } = receipt;
        check_text("the reference of a payment", reference, 128)?;
        self.check_account(*account)?;
        let text = format!("paid, {reference}");
        let paid = NewEntry::new(EntryKind::Paid, *usdc_e6, reference, text)?;
        let usdc = usdc_text((*usdc_e6).into());
        let subject = format!("account {account} {usdc} USDC, {reference}");
        self.enter(*account, &paid, |batch| self.stage_act(batch, by, "enter_receipt", &subject))
    }

    /// Takes a part of a closed invoice back by a credit note, which stands on the invoice of the running
    /// month; once under its reference. Answers the entry, and whether it was there before.
    ///
    /// # Errors
    /// [`BillingError::Invoice`] where the month has no closed invoice, or where more would be taken back
    /// than it charged; [`BillingError::ReferenceDiffers`], and those of an entry.
    pub fn credit(&self, note: &CreditNote) -> Result<(Entry, bool), BillingError> {
        let CreditNote { account, month, usdc_e6, reference, by } = note;
        check_text("the reference of a credit note", reference, 128)?;
        let Some(invoice) = self.invoice(*account, *month)? else {
            return Err(BillingError::Invoice { why: "its month has no closed invoice" });
        };
        let kinds = [EntryKind::Usage, EntryKind::Fee, EntryKind::Charge];
        let charged = kinds.iter().map(|kind| invoice.sum_of(*kind)).sum::<i128>();
        let most_usdc_e6 = u64::try_from(charged).unwrap_or(u64::MAX);
        let why = &by.why;
        let text = format!("invoice {}: {why}", Invoice::printed_number(&invoice));
        let taken = NewEntry::new(EntryKind::CreditNote, *usdc_e6, reference, text)?;
        let usdc = usdc_text((*usdc_e6).into());
        let subject = format!("account {account} month {month} by {usdc} USDC, {reference}");
        self.enter(*account, &taken, |batch| {
            let (journal, key) = (self.journal(), Key::Credited(*account, *month));
            let before: u64 = journal.expect(batch, key)?.unwrap_or_default();
            let credited = before.checked_add(*usdc_e6).filter(|sum| *sum <= most_usdc_e6);
            let Some(credited) = credited else {
                return Err(BillingError::Invoice { why: "more is taken back than was charged" });
            };
            journal.put(batch, key, &credited);
            self.stage_act(batch, by, "correct_invoice", &subject)
        })
    }

    /// Enters one movement of an account, once under its kind and reference, with what `also` stages.
    pub(super) fn enter(
        &self,
        account: AccountId,
        moved: &NewEntry,
        also: impl Fn(&mut Batch) -> Result<(), BillingError>,
    ) -> Result<(Entry, bool), BillingError> {
        self.commit(|| {
            let (mut batch, journal, now) = (Batch::new(), self.journal(), self.now());
            if let Some(before) = self.entered(&mut batch, account, moved)? {
                same(&before, moved)?;
                return Ok((Batch::new(), (before, true)));
            }
            also(&mut batch)?;
            let entry = journal.stage_one(&mut batch, account, now, moved)?;
            Ok((batch, (entry, false)))
        })
    }
}

/// Refuses a reference that stands for something else.
pub(super) fn same(before: &Entry, moved: &NewEntry) -> Result<(), BillingError> {
    if before.moved == *moved {
        return Ok(());
    }
    Err(BillingError::ReferenceDiffers { reference: moved.reference.clone() })
}
