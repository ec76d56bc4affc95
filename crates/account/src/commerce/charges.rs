//! What integrators charge their sub-accounts.

use serde::{Deserialize, Serialize};
use superroot_store::{Batch, Direction};
use superroot_types::UnixSeconds;

use super::rows::{Commerce, TABLE};
use crate::audit::append_act;
use crate::closing::expect_not_begun;
use crate::journal::{Book, EntryLine, Posting};
use crate::label::check_text;
use crate::money::scaled_up;
use crate::{AccountError, AccountId, Month, Operator, Plans, row, usdc_text};

/// Charges of one sub-account and month at most: each is a line of its invoice.
pub const CHARGES_PER_MONTH_MAX: u32 = 1_000;

/// What an integrator charged a sub-account.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Charge {
    /// Who sells.
    pub integrator: AccountId,
    /// Who is charged.
    pub sub_account: AccountId,
    /// How much, above zero.
    pub usdc_e6: u64,
    /// When; its month must not be closed.
    pub at: UnixSeconds,
    /// What it is recorded once under; 1 to 128 printable characters.
    pub reference: String,
    /// Who enters it, and why.
    pub by: Operator,
}

/// A charge as the sub-account's invoice lists it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct EnteredCharge {
    /// Who charged.
    pub integrator: AccountId,
    /// How much, above zero.
    pub usdc_e6: u64,
    /// When.
    pub at: UnixSeconds,
    /// What it was recorded once under.
    pub reference: String,
}

/// What came of a charge.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Charged {
    /// The integrator's part.
    pub share_usdc_e6: u64,
    /// Whether it was entered before under its reference: nothing was written.
    pub is_repeat: bool,
}

/// What an integrator charged in a month, and how it was parted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ShareOfMonth {
    /// Everything charged.
    pub charged_usdc_e6: u64,
    /// The integrator's part.
    pub share_usdc_e6: u64,
}

impl Commerce {
    /// Records what an integrator charged a sub-account: the sub-account owes it and finds it on its
    /// invoice of the month, the integrator's part (rounded up) is owed on to it, the rest is
    /// earned. Once under its reference, and with the act in the audit log.
    ///
    /// # Errors
    /// [`AccountError::Agreement`] where the sub-account is not the integrator's, or no agreement
    /// holds then; [`AccountError::Month`] where the month is closed for one of them;
    /// [`AccountError::Full`] past [`CHARGES_PER_MONTH_MAX`]; [`AccountError::ReferenceDiffers`],
    /// [`AccountError::Text`], [`AccountError::Overflow`], [`AccountError::Contended`],
    /// [`AccountError::Store`].
    pub fn charge(&self, charge: &Charge, plans: &Plans) -> Result<Charged, AccountError> {
        check_text("the reference of a charge", &charge.reference, 128)?;
        if charge.usdc_e6 == 0 {
            return Err(AccountError::Nothing { what: "a charge" });
        }
        let month = Month::of(charge.at)?;
        let percent = u64::from(plans.integrator.revenue_share_percent);
        let share_usdc_e6 = scaled_up(charge.usdc_e6, percent, 100).ok_or(OVERFLOW)?;
        let posting = posting_of(charge, share_usdc_e6);
        row::commit(&*self.store, TABLE, || {
            if self.integrator_of(charge.sub_account)? != Some(charge.integrator) {
                return Err(AccountError::Agreement { why: "the account is not its sub-account" });
            }
            let mut batch = Batch::new();
            if self.journal.stage(&mut batch, &posting)?.is_repeat {
                return Ok((Batch::new(), Charged { share_usdc_e6, is_repeat: true }));
            }
            let agreements = self.expect_agreements(&mut batch, charge.integrator)?;
            if agreements.in_month(month).is_none() {
                return Err(AccountError::Agreement { why: "none holds in that month" });
            }
            let (by, at) = (&charge.by, charge.at);
            append_act(&*self.store, &mut batch, by, "charge", &charge.subject(), at)?;
            // it stands on the documents of both, so neither may be written yet
            self.invoices.expect_open(&mut batch, charge.integrator, month)?;
            self.invoices.expect_open(&mut batch, charge.sub_account, month)?;
            expect_not_begun(&*self.store, &mut batch, self.environment, month)?;
            self.stage_share(&mut batch, charge, share_usdc_e6, month)?;
            self.stage_charge(&mut batch, charge, month)?;
            Ok((batch, Charged { share_usdc_e6, is_repeat: false }))
        })
    }

    /// Adds a charge to what the integrator charged in the month.
    fn stage_share(
        &self,
        batch: &mut Batch,
        charge: &Charge,
        share_usdc_e6: u64,
        month: Month,
    ) -> Result<(), AccountError> {
        let key = self.month_key(8, &[charge.integrator], month);
        let held = row::load::<ShareOfMonth>(&*self.store, TABLE, &key)?;
        let mut sum = held.as_ref().map(|held| held.value).unwrap_or_default();
        let charged = sum.charged_usdc_e6.checked_add(charge.usdc_e6);
        sum.charged_usdc_e6 = charged.ok_or(OVERFLOW)?;
        sum.share_usdc_e6 = sum.share_usdc_e6.checked_add(share_usdc_e6).ok_or(OVERFLOW)?;
        batch.expect(TABLE, key.clone(), held.as_ref().map(|held| &held.bytes[..]));
        batch.put(TABLE, key, row::encode(&sum));
        Ok(())
    }

    /// Adds a charge to those that the sub-account's invoice of the month lists.
    fn stage_charge(
        &self,
        batch: &mut Batch,
        charge: &Charge,
        month: Month,
    ) -> Result<(), AccountError> {
        let count_key = self.month_key(9, &[charge.sub_account], month);
        let held = row::load::<u32>(&*self.store, TABLE, &count_key)?;
        let index = held.as_ref().map_or(0, |held| held.value);
        if index >= CHARGES_PER_MONTH_MAX {
            let expected = usize::try_from(CHARGES_PER_MONTH_MAX).unwrap_or(usize::MAX);
            return Err(AccountError::Full { what: "charges a month", expected });
        }
        let Charge { integrator, usdc_e6, at, reference, .. } = charge;
        let (integrator, usdc_e6, at) = (*integrator, *usdc_e6, *at);
        let entered = EnteredCharge { integrator, usdc_e6, at, reference: reference.clone() };
        let key = self.charge_key(charge.sub_account, month, index);
        batch.expect(TABLE, count_key.clone(), held.as_ref().map(|held| &held.bytes[..]));
        batch.put(TABLE, count_key, row::encode(&index.saturating_add(1)));
        batch.expect(TABLE, key.clone(), None);
        batch.put(TABLE, key, row::encode(&entered));
        Ok(())
    }

    /// What a sub-account was charged in a month, in the order of entry.
    ///
    /// # Errors
    /// [`AccountError::Store`].
    pub fn charges_of(
        &self,
        sub_account: AccountId,
        month: Month,
    ) -> Result<Vec<EnteredCharge>, AccountError> {
        let start = self.charge_key(sub_account, month, 0);
        let end = self.charge_key(sub_account, month, u32::MAX);
        let limit = usize::try_from(CHARGES_PER_MONTH_MAX).unwrap_or(usize::MAX);
        let rows = self.store.scan(TABLE, &start, Some(&end), limit, Direction::Rising)?;
        rows.iter().map(|(key, bytes)| row::decode(TABLE, key, bytes)).collect()
    }

    fn charge_key(&self, sub_account: AccountId, month: Month, index: u32) -> Vec<u8> {
        [&self.month_key(10, &[sub_account], month)[..], &index.to_be_bytes()].concat()
    }

    /// What an integrator charged in a month.
    ///
    /// # Errors
    /// [`AccountError::Store`].
    pub fn share_of(
        &self,
        integrator: AccountId,
        month: Month,
    ) -> Result<ShareOfMonth, AccountError> {
        Ok(self.load(&self.month_key(8, &[integrator], month))?.unwrap_or_default())
    }
}

pub(super) const OVERFLOW: AccountError = AccountError::Overflow { what: "the charges of a month" };

impl Charge {
    /// In a line, for the audit log.
    fn subject(&self) -> String {
        let Self { integrator, sub_account, usdc_e6, reference, .. } = self;
        let amount = usdc_text((*usdc_e6).into());
        format!("integrator {integrator} charges {sub_account} {amount} USDC, {reference}")
    }
}

fn posting_of(charge: &Charge, share: u64) -> Posting {
    let earned = charge.usdc_e6.saturating_sub(share); // a share is at most the charge
    let mut lines = vec![EntryLine::debit(Book::Receivable(charge.sub_account), charge.usdc_e6)];
    let credits = [(Book::RevenueShare(charge.integrator), share), (Book::Revenue, earned)];
    for (book, usdc_e6) in credits.into_iter().filter(|(_, usdc_e6)| *usdc_e6 > 0) {
        lines.push(EntryLine::credit(book, usdc_e6));
    }
    let integrator = charge.integrator;
    Posting {
        at: charge.at,
        description: format!("charge of integrator {integrator}"),
        reference: format!("charge:{integrator}:{}", charge.reference),
        lines,
    }
}
