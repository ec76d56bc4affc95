//! Journal entries by operators: integrator charges, payments, payouts, credits, reversals.

use superroot_account::{AccountId, Month, Operator, check_text};
use superroot_store::WriteBatch;

use super::BillingLedger;
use crate::agreement::AgreementTerms;
use crate::entry::{EntryKind, JournalEntry, NewEntry};
use crate::error::{BillingError, no_agreement};
use crate::journal::{AccountBalance, ENTRIES_PER_MONTH_MAX};
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

/// Payment by an account, payout to an account, or credit for an account.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OperatorEntry {
    pub account: AccountId,
    /// Amount, above zero.
    pub usdc_e6: u64,
    /// Unique reference; 1 to 128 printable characters.
    pub reference: String,
    /// Operator and reason; the reason for a credit is printed.
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
                return no_agreement(
                    "the account has no integrator agreement for the current month",
                );
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

    /// Enters a payment of an account, also a partial or excess one, once per reference. Returns the entry, and whether
    /// the entry existed.
    ///
    /// # Errors
    /// [`BillingError::ReferenceDiffers`], [`BillingError::TakenBack`], and the errors of an entry.
    pub fn receive(&self, paid: &OperatorEntry) -> Result<(JournalEntry, bool), BillingError> {
        let text = format!("paid, {}", paid.reference);
        self.enter_by_hand((EntryKind::Paid, "enter_receipt"), text, paid)
    }

    /// Enters a payout of the service's debt to an account, like [`BillingLedger::receive`].
    ///
    /// # Errors
    /// Also [`BillingError::PaidOut`] above the service's debt by closed months and entries.
    pub fn pay_out(&self, payout: &OperatorEntry) -> Result<(JournalEntry, bool), BillingError> {
        let text = format!("paid out, {}", payout.reference);
        self.enter_by_hand((EntryKind::PaidOut, "enter_payout"), text, payout)
    }

    /// Enters a credit for an account, like [`BillingLedger::receive`]: a credit note on the current month's invoice.
    pub fn credit(&self, credit: &OperatorEntry) -> Result<(JournalEntry, bool), BillingError> {
        let text = credit.by.why.clone();
        self.enter_by_hand((EntryKind::CreditNote, "enter_credit"), text, credit)
    }

    fn enter_by_hand(
        &self,
        (kind, act): (EntryKind, &str),
        text: String,
        entry: &OperatorEntry,
    ) -> Result<(JournalEntry, bool), BillingError> {
        let OperatorEntry { account, usdc_e6, reference, by } = entry;
        check_text("the reference of an entry", reference, 128)?;
        self.check_account(*account)?;
        let moved = NewEntry::new(kind, *usdc_e6, reference, text)?;
        let usdc = usdc_text((*usdc_e6).into());
        let subject = format!("account {account} {usdc} USDC, {reference}");
        self.enter(*account, &moved, |batch, balance| {
            let owed_usdc_e6 = u64::try_from(-i128::from(balance.owes_usdc_e6)).unwrap_or(0);
            if kind == EntryKind::PaidOut && *usdc_e6 > owed_usdc_e6 {
                return Err(BillingError::PaidOut { got_usdc_e6: *usdc_e6, owed_usdc_e6 });
            }
            self.stage_act(batch, by, act, &subject)
        })
    }

    /// Reverses an operator's entry, in full and once: an entry of the opposite amount in the current month. Returns
    /// that entry, and whether the entry existed.
    ///
    /// # Errors
    /// [`BillingError::NoEntry`] for an unknown number; [`BillingError::NotTakenBack`] for entries not made by hand;
    /// errors of an entry.
    pub fn take_back(
        &self,
        account: AccountId,
        (month, number): (Month, u32),
        by: &Operator,
    ) -> Result<(JournalEntry, bool), BillingError> {
        let journal = self.journal();
        let held = journal.load::<JournalEntry>(BillingKey::Entry(account, month, number))?;
        let held = held.ok_or(BillingError::NoEntry { month, number })?.value;
        let kind = held.moved.kind;
        let refuse = |why| Err(BillingError::NotTakenBack { kind: kind.name(), why });
        match kind {
            EntryKind::Paid | EntryKind::PaidOut | EntryKind::CreditNote => {}
            EntryKind::Usage | EntryKind::Fee | EntryKind::Charge => {
                return refuse("`invoice credit` gives back a part");
            }
            EntryKind::Subscription | EntryKind::Refund => {
                return refuse("`subscription refund` notes what was paid back");
            }
            EntryKind::Prepaid | EntryKind::RevenueShare | EntryKind::Reversal => {
                return refuse("expected a payment, payout or credit that an operator entered");
            }
        }
        for other in [EntryKind::Subscription, EntryKind::Refund] {
            let reference = &held.moved.reference;
            if journal.find(&mut WriteBatch::new(), account, other, reference)?.is_some() {
                return refuse(
                    "the entry is a subscription's; `subscription refund` notes what was paid back",
                );
            }
        }
        let back = NewEntry::reversal(&held)?;
        let subject = format!("account {account} entry {month}/{number}, {}", held.moved.text);
        self.enter(account, &back, |batch, _| {
            self.stage_act(batch, by, "take_back_entry", &subject)
        })
    }

    /// Enters one movement of an account, once per kind and reference, with the rows that `also` stages for the balance
    /// so far.
    fn enter(
        &self,
        account: AccountId,
        moved: &NewEntry,
        also: impl Fn(&mut WriteBatch, AccountBalance) -> Result<(), BillingError>,
    ) -> Result<(JournalEntry, bool), BillingError> {
        self.commit(|| {
            let mut batch = WriteBatch::new();
            let journal = self.journal();
            let now = self.now();
            if let Some(before) = self.entered(&mut batch, account, moved)? {
                same(&before, moved)?;
                return Ok((WriteBatch::new(), (before, true)));
            }
            let month = Month::of(now)?;
            journal.expect_open(&mut batch, account, month)?;
            let balance = journal.expect_book(&mut batch, account)?;
            also(&mut batch, balance)?;
            let moved = std::slice::from_ref(moved);
            let (at, most) = ((month, now), ENTRIES_PER_MONTH_MAX);
            let entry = journal.stage_in(&mut batch, (account, balance), at, moved, most)?.pop();
            let entry = entry.ok_or(BillingError::Overflow { what: "the number of entries" })?;
            Ok((batch, (entry, false)))
        })
    }

    /// Entry by kind and reference; `batch` expects the result to stay unchanged. `None` if not entered yet.
    ///
    /// # Errors
    /// [`BillingError::TakenBack`] for a reversed entry: its reference is used up.
    fn entered(
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

/// Refuses a reference with other contents.
fn same(before: &JournalEntry, moved: &NewEntry) -> Result<(), BillingError> {
    if before.moved == *moved {
        return Ok(());
    }
    Err(BillingError::ReferenceDiffers { reference: moved.reference.clone() })
}
