//! Journal entries by operators: integrator charges, receipts, credit notes.

use superroot_account::{AccountId, Month, Operator, check_text};
use superroot_store::WriteBatch;

use super::BillingLedger;
use crate::agreement::AgreementTerms;
use crate::entry::{EntryKind, JournalEntry, NewEntry};
use crate::error::{BillingError, no_agreement};
use crate::invoice::MonthInvoice;
use crate::keys::BillingKey;
use crate::money::{scaled_up, usdc_text};

/// Integrator's charge to a sub-account.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Charge {
    pub integrator: AccountId,
    pub sub_account: AccountId,
    /// Amount, above zero.
    pub usdc_e6: u64,
    /// Unique reference; 1 to 128 printable characters.
    pub reference: String,
    /// Operator and reason.
    pub by: Operator,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Charged {
    /// Integrator's share.
    pub share_usdc_e6: u64,
    /// Whether the reference was entered before: nothing was written.
    pub is_repeat: bool,
}

/// Payment by an account, or payout to an account.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PaymentReceipt {
    pub account: AccountId,
    /// Amount, above zero.
    pub usdc_e6: u64,
    /// Unique reference; 1 to 128 printable characters.
    pub reference: String,
    /// Operator and reason.
    pub by: Operator,
}

/// Correction of a closed invoice.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CreditNote {
    pub account: AccountId,
    /// Month of the invoice.
    pub month: Month,
    /// Amount, above zero.
    pub usdc_e6: u64,
    /// Unique reference; 1 to 128 printable characters.
    pub reference: String,
    /// Operator, and reason (printed).
    pub by: Operator,
}

impl BillingLedger {
    /// Account's debt: sum of its entries; negative if the service owes.
    pub fn owes_usdc_e6(&self, account: AccountId) -> Result<i64, BillingError> {
        Ok(self.journal().book(account)?.owes_usdc_e6)
    }

    /// Entries of an account after a month and number (or from the first), oldest month first, at most a thousand.
    pub fn entries(
        &self,
        account: AccountId,
        behind: Option<(Month, u32)>,
        limit: usize,
    ) -> Result<Vec<JournalEntry>, BillingError> {
        self.journal().list(account, behind, limit)
    }

    /// Enters an integrator's charge to a sub-account, once per reference: the sub-account owes the amount, and the
    /// integrator's share (rounded up) lowers the integrator's debt.
    ///
    /// # Errors
    /// [`BillingError::Agreement`] if the sub-account is not the integrator's, or the integrator has no current
    /// agreement; [`BillingError::ReferenceDiffers`], [`BillingError::Nothing`], and the errors of an entry.
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
            let mut batch = WriteBatch::new();
            let journal = self.journal();
            let now = self.now();
            let before = journal.find(&mut batch, *sub_account, owed.kind, reference)?;
            if let Some(before) = before {
                same(&before, &owed)?;
                let kind = EntryKind::RevenueShare;
                let share = journal.find(&mut batch, *integrator, kind, reference)?;
                let share_usdc_e6 = share.map_or(0, |share| share.moved.usdc_e6.unsigned_abs());
                return Ok((WriteBatch::new(), Charged { share_usdc_e6, is_repeat: true }));
            }
            let agreement = self.agreement_in(*integrator, Month::of(now)?)?;
            let is_integrator = agreement.is_some_and(|agreement| {
                matches!(agreement.terms, AgreementTerms::Integrator { .. })
            });
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

    /// Records a payment of an account, also a partial or excess one, once per reference. Returns the entry, and
    /// whether the entry existed.
    pub fn receive(&self, receipt: &PaymentReceipt) -> Result<(JournalEntry, bool), BillingError> {
        let PaymentReceipt { account, usdc_e6, reference, by } = receipt;
        check_text("the reference of a payment", reference, 128)?;
        self.check_account(*account)?;
        let text = format!("paid, {reference}");
        let paid = NewEntry::new(EntryKind::Paid, *usdc_e6, reference, text)?;
        let usdc = usdc_text((*usdc_e6).into());
        let subject = format!("account {account} {usdc} USDC, {reference}");
        self.enter(*account, &paid, |batch| self.stage_act(batch, by, "enter_receipt", &subject))
    }

    /// Credits part of a closed invoice by a credit note on the current month's invoice, once per reference. Returns
    /// the entry, and whether the entry existed.
    ///
    /// # Errors
    /// [`BillingError::Invoice`] without a closed invoice, or if the credits exceed the invoice;
    /// [`BillingError::ReferenceDiffers`], and the errors of an entry.
    pub fn credit(&self, note: &CreditNote) -> Result<(JournalEntry, bool), BillingError> {
        let CreditNote { account, month, usdc_e6, reference, by } = note;
        check_text("the reference of a credit note", reference, 128)?;
        let Some(invoice) = self.invoice(*account, *month)? else {
            return Err(BillingError::Invoice { why: "its month has no closed invoice" });
        };
        let kinds = [EntryKind::Usage, EntryKind::Fee, EntryKind::Charge];
        let charged = kinds.iter().map(|kind| invoice.sum_of(*kind)).sum::<i128>();
        let most_usdc_e6 = u64::try_from(charged).unwrap_or(u64::MAX);
        let why = &by.why;
        let text = format!("invoice {}: {why}", MonthInvoice::printed_number(&invoice));
        let taken = NewEntry::new(EntryKind::CreditNote, *usdc_e6, reference, text)?;
        let usdc = usdc_text((*usdc_e6).into());
        let subject = format!("account {account} month {month} by {usdc} USDC, {reference}");
        self.enter(*account, &taken, |batch| {
            let journal = self.journal();
            let key = BillingKey::Credited(*account, *month);
            let before: u64 = journal.expect(batch, key)?.unwrap_or_default();
            let credited = before.checked_add(*usdc_e6).filter(|sum| *sum <= most_usdc_e6);
            let Some(credited) = credited else {
                return Err(BillingError::Invoice { why: "more is taken back than was charged" });
            };
            journal.put(batch, key, &credited);
            self.stage_act(batch, by, "correct_invoice", &subject)
        })
    }

    /// Enters one movement of an account, once per kind and reference, with the rows that `also` stages.
    pub(super) fn enter(
        &self,
        account: AccountId,
        moved: &NewEntry,
        also: impl Fn(&mut WriteBatch) -> Result<(), BillingError>,
    ) -> Result<(JournalEntry, bool), BillingError> {
        self.commit(|| {
            let mut batch = WriteBatch::new();
            let journal = self.journal();
            let now = self.now();
            if let Some(before) = self.entered(&mut batch, account, moved)? {
                same(&before, moved)?;
                return Ok((WriteBatch::new(), (before, true)));
            }
            also(&mut batch)?;
            let entry = journal.stage_one(&mut batch, account, now, moved)?;
            Ok((batch, (entry, false)))
        })
    }
}

/// Refuses a reference with other contents.
pub(super) fn same(before: &JournalEntry, moved: &NewEntry) -> Result<(), BillingError> {
    if before.moved == *moved {
        return Ok(());
    }
    Err(BillingError::ReferenceDiffers { reference: moved.reference.clone() })
}
