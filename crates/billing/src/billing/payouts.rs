//! Payouts, and reversals of mistaken receipts and payouts.

use superroot_account::{AccountId, Month, Operator, check_text};
use superroot_store::WriteBatch;

use super::entries::same;
use super::{BillingLedger, PaymentReceipt};
use crate::entry::{EntryKind, JournalEntry, NewEntry};
use crate::error::BillingError;
use crate::journal::ENTRIES_PER_MONTH_MAX;
use crate::keys::BillingKey;
use crate::money::usdc_text;

impl BillingLedger {
    /// Records a payout of the service's debt to an account, once per reference. Returns the entry, and whether the
    /// entry existed.
    ///
    /// # Errors
    /// [`BillingError::PaidOut`] above the service's debt by closed months and entries;
    /// [`BillingError::ReferenceDiffers`], [`BillingError::TakenBack`], and the errors of an entry.
    pub fn pay_out(&self, payout: &PaymentReceipt) -> Result<(JournalEntry, bool), BillingError> {
        let PaymentReceipt { account, usdc_e6, reference, by } = payout;
        check_text("the reference of a payout", reference, 128)?;
        self.check_account(*account)?;
        let text = format!("paid out, {reference}");
        let moved = NewEntry::new(EntryKind::PaidOut, *usdc_e6, reference, text)?;
        let usdc = usdc_text((*usdc_e6).into());
        let subject = format!("account {account} {usdc} USDC, {reference}");
        self.commit(|| {
            let mut batch = WriteBatch::new();
            let journal = self.journal();
            let now = self.now();
            if let Some(before) = self.entered(&mut batch, *account, &moved)? {
                same(&before, &moved)?;
                return Ok((WriteBatch::new(), (before, true)));
            }
            let month = Month::of(now)?;
            journal.expect_open(&mut batch, *account, month)?;
            let book = journal.expect_book(&mut batch, *account)?;
            let owed_usdc_e6 = u64::try_from(-i128::from(book.owes_usdc_e6)).unwrap_or(0);
            if *usdc_e6 > owed_usdc_e6 {
                return Err(BillingError::PaidOut { got_usdc_e6: *usdc_e6, owed_usdc_e6 });
            }
            self.stage_act(&mut batch, by, "enter_payout", &subject)?;
            let at = (month, now);
            let moved = std::slice::from_ref(&moved);
            let most = ENTRIES_PER_MONTH_MAX;
            let entry = journal.stage_in(&mut batch, (*account, book), at, moved, most)?.pop();
            let entry = entry.ok_or(BillingError::Overflow { what: "the number of entries" })?;
            Ok((batch, (entry, false)))
        })
    }

    /// Reverses an operator's receipt or payout, in full and once: an entry of the opposite amount in the current
    /// month. Returns that entry, and whether the entry existed.
    ///
    /// # Errors
    /// [`BillingError::NoEntry`] for an unknown number; [`BillingError::NotTakenBack`] for entries not made by hand,
    /// and entries that a credit note corrects; errors of an entry.
    pub fn take_back(
        &self,
        account: AccountId,
        (month, number): (Month, u32),
        by: &Operator,
    ) -> Result<(JournalEntry, bool), BillingError> {
        let journal = self.journal();
        let held = journal.load::<JournalEntry>(BillingKey::Entry(account, month, number))?;
        let Some(held) = held.map(|held| held.value) else {
            return Err(BillingError::NoEntry { month, number });
        };
        let kind = held.moved.kind;
        let refuse = |why| Err(BillingError::NotTakenBack { kind: kind.name(), why });
        match kind {
            EntryKind::Paid | EntryKind::PaidOut => {}
            EntryKind::Usage | EntryKind::Fee | EntryKind::Charge => {
                return refuse("a part of its invoice is taken back by `invoice correct`");
            }
            EntryKind::Subscription | EntryKind::Refund => {
                return refuse("`subscription refund` notes what was paid back");
            }
            EntryKind::RevenueShare | EntryKind::CreditNote | EntryKind::Reversal => {
                return refuse("expected a payment or a payout that an operator entered");
            }
        }
        let bought = EntryKind::Subscription;
        if journal.find(&mut WriteBatch::new(), account, bought, &held.moved.reference)?.is_some() {
            return refuse(
                "the payment is on its chain; `subscription refund` notes what was paid back",
            );
        }
        let back = NewEntry::reversal(&held)?;
        let subject = format!("account {account} entry {month}/{number}, {}", held.moved.text);
        self.enter(account, &back, |batch| self.stage_act(batch, by, "take_back_entry", &subject))
    }

    /// Entry by kind and reference; `batch` expects the result to stay unchanged. `None` if not entered yet.
    ///
    /// # Errors
    /// [`BillingError::TakenBack`] for a reversed entry: its reference is used up.
    pub(super) fn entered(
        &self,
        batch: &mut WriteBatch,
        account: AccountId,
        moved: &NewEntry,
    ) -> Result<Option<JournalEntry>, BillingError> {
        let journal = self.journal();
        let before = journal.find(batch, account, moved.kind, &moved.reference)?;
        let Some(before) = before else { return Ok(None) };
        if journal.find(batch, account, EntryKind::Reversal, &before.name())?.is_some() {
            return Err(BillingError::TakenBack { reference: moved.reference.clone() });
        }
        Ok(Some(before))
    }
}
