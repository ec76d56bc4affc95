//! Journal entries: each is one movement of money.

use core::fmt;

use serde::{Deserialize, Serialize};
use superroot_account::{Month, check_text};
use superroot_types::UnixSeconds;

use crate::error::BillingError;

/// An entry's purpose. A positive amount raises the account's debt; a negative amount lowers the debt.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum EntryKind {
    /// A closed month's billing tokens. Positive.
    Usage,
    /// Agreement fee. Positive.
    Fee,
    /// A tier's thirty days. Positive.
    Subscription,
    /// Payment by the account. Negative.
    Paid,
    /// Billing tokens paid in advance. Negative.
    Prepaid,
    /// Refund to the account. Positive.
    Refund,
    /// Charge by the account's integrator. Positive.
    Charge,
    /// Integrator's share of its charge. Negative.
    RevenueShare,
    /// Credit note. Negative.
    CreditNote,
    /// Payout to the account. Positive.
    PaidOut,
    /// A mistaken entry's reversal, with the opposite amount.
    Reversal,
}

impl EntryKind {
    /// Name in answers and rows.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Usage => "usage",
            Self::Fee => "fee",
            Self::Subscription => "subscription",
            Self::Paid => "paid",
            Self::Prepaid => "prepaid",
            Self::Refund => "refund",
            Self::Charge => "charge",
            Self::RevenueShare => "revenue_share",
            Self::CreditNote => "credit_note",
            Self::PaidOut => "paid_out",
            Self::Reversal => "reversal",
        }
    }

    /// Whether the amount is positive; a reversal is built from its original instead.
    const fn is_owed(self) -> bool {
        match self {
            Self::Usage
            | Self::Fee
            | Self::Subscription
            | Self::Refund
            | Self::Charge
            | Self::PaidOut => true,
            Self::Paid | Self::Prepaid | Self::RevenueShare | Self::CreditNote | Self::Reversal => {
                false
            }
        }
    }
}

impl fmt::Display for EntryKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// Movement of money before entry.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NewEntry {
    pub kind: EntryKind,
    /// Amount; never zero, with the sign of the kind.
    pub usdc_e6: i64,
    /// Reference, unique per kind in an account's journal.
    pub reference: String,
    /// Description printed on the invoice.
    pub text: String,
}

impl NewEntry {
    /// Builds an entry from a positive amount, with the sign of the kind.
    ///
    /// # Errors
    /// [`BillingError::Nothing`], [`BillingError::Overflow`]; for invalid texts the errors of [`check_text`].
    pub(crate) fn new(
        kind: EntryKind,
        usdc_e6: u64,
        reference: impl Into<String>,
        text: impl Into<String>,
    ) -> Result<Self, BillingError> {
        let reference = reference.into();
        let text = text.into();
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

    /// Builds the reversal of an entry, with month and number as unique reference.
    pub(crate) fn reversal(entry: &JournalEntry) -> Result<Self, BillingError> {
        let moved = &entry.moved;
        let text = format!("taken back: {}", moved.text);
        let amount = moved.usdc_e6.unsigned_abs();
        let back = Self::new(EntryKind::Reversal, amount, entry.name(), text)?;
        Ok(Self { usdc_e6: -moved.usdc_e6, ..back })
    }
}

/// Permanent journal entry.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct JournalEntry {
    pub at: UnixSeconds,
    /// The invoice's month.
    pub month: Month,
    /// Number in the month, from 0.
    pub number: u32,
    /// Entered movement.
    pub moved: NewEntry,
}

impl JournalEntry {
    /// Month and number, such as `2026-02/17`: the unique reference of a reversal.
    #[must_use]
    pub fn name(&self) -> String {
        format!("{}/{}", self.month, self.number)
    }
}
