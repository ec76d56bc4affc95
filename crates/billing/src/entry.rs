//! Entries of the journal: each is one movement of money.

use core::fmt;

use serde::{Deserialize, Serialize};
use superroot_account::{Month, check_text};
use superroot_types::UnixSeconds;

use crate::error::BillingError;

/// What an entry is for. Above zero: the account owes so much more; below: so much less.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum EntryKind {
    /// Billing tokens of a month that was closed. Above zero.
    Usage,
    /// The fee of an agreement. Above zero.
    Fee,
    /// Thirty days of a tier. Above zero.
    Subscription,
    /// What was paid: below zero.
    Paid,
    /// What was paid back. Above zero.
    Refund,
    /// What the account's integrator charged it. Above zero.
    Charge,
    /// An integrator's part of what it charged: below zero.
    RevenueShare,
    /// Something taken back: below zero.
    CreditNote,
    /// What the service paid the account. Above zero.
    PaidOut,
    /// An entry that was made by mistake, taken back: of the opposite amount.
    Reversal,
}

impl EntryKind {
    /// The word used in answers and rows.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Usage => "usage",
            Self::Fee => "fee",
            Self::Subscription => "subscription",
            Self::Paid => "paid",
            Self::Refund => "refund",
            Self::Charge => "charge",
            Self::RevenueShare => "revenue_share",
            Self::CreditNote => "credit_note",
            Self::PaidOut => "paid_out",
            Self::Reversal => "reversal",
        }
    }

    /// Whether an amount of it is above zero; a reversal is made of what it takes back.
    const fn is_owed(self) -> bool {
        match self {
            Self::Usage
            | Self::Fee
            | Self::Subscription
            | Self::Refund
            | Self::Charge
            | Self::PaidOut => true,
            Self::Paid | Self::RevenueShare | Self::CreditNote | Self::Reversal => false,
        }
    }
}

impl fmt::Display for EntryKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// A movement of money that is to be entered.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NewEntry {
    /// What it is for.
    pub kind: EntryKind,
    /// How much; not zero, and with the sign of its kind.
    pub usdc_e6: i64,
    /// What it is entered once under, with its kind, in the journal of the account.
    pub reference: String,
    /// In words, as an invoice prints it.
    pub text: String,
}

impl NewEntry {
    /// An entry of an amount above zero, with the sign of its kind.
    ///
    /// # Errors
    /// [`BillingError::Nothing`], [`BillingError::Overflow`]; for texts that cannot be kept those of
    /// [`check_text`].
    pub(crate) fn new(
        kind: EntryKind,
        usdc_e6: u64,
        reference: impl Into<String>,
        text: impl Into<String>,
    ) -> Result<Self, BillingError> {
        let (reference, text) = (reference.into(), text.into());
        check_text("the reference of an entry", &reference, 256)?;
        check_text("the text of an entry", &text, 640)?;
        let overflow = BillingError::Overflow { what: "the amount of an entry" };
        let amount = i64::try_from(usdc_e6).map_err(|_| overflow)?;
        if amount == 0 {
            return Err(BillingError::Nothing { what: "an entry" });
        }
        let usdc_e6 = if kind.is_owed() { amount } else { -amount };
        Ok(Self { kind, usdc_e6, reference, text })
    }

    /// What takes an entry back, once under its month and number.
    ///
    /// # Errors
    /// As [`NewEntry::new`].
    pub(crate) fn reversal(entry: &Entry) -> Result<Self, BillingError> {
        let moved = &entry.moved;
        let (text, amount) = (format!("taken back: {}", moved.text), moved.usdc_e6.unsigned_abs());
        let back = Self::new(EntryKind::Reversal, amount, entry.name(), text)?;
        Ok(Self { usdc_e6: -moved.usdc_e6, ..back })
    }
}

/// A movement of money as it stands for ever.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Entry {
    /// When it was entered.
    pub at: UnixSeconds,
    /// The month on whose invoice it stands.
    pub month: Month,
    /// Its number in that month, from 0.
    pub number: u32,
    /// What was entered.
    pub moved: NewEntry,
}

impl Entry {
    /// Its month and number, such as `2026-02/17`: what a reversal of it is entered once under.
    #[must_use]
    pub fn name(&self) -> String {
        format!("{}/{}", self.month, self.number)
    }
}
