//! Monthly invoices.
//!
//! A *bill* is what is known of an account's month; an *invoice* is what it comes to. A *credit note*
//! corrects an invoice that is closed.
//!
//! ```text
//! usage rollups --.
//! subscription ----> Bill -- draft --> Invoice -- close --> numbered, in the ledger, never changed
//! agreement ------'                                   '--> credit notes
//! ```
//! What must always hold: lines add up to the total, requests and tokens of lines to those of the
//! usage, to the unit; each movement of a subscription and each charge is on one invoice; each line
//! is rounded once, down to a millionth of a USDC, in the customer's favour; free tokens count once
//! a month and account; numbers have no gaps.
//!
//! Keys of table `invoice`: `environment:u8 ‖ 0` the last number; `.. ‖ 1 ‖ account:16 ‖ year:u16 ‖
//! month:u8 ‖ place:u32` documents (0 is the invoice, then credit notes); `.. ‖ 2 ‖ number:u64` to
//! the key of the document.

mod fee;
mod print;
mod rows;

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use superroot_types::{ChainId, UnixSeconds};

use crate::label::check_text;
use crate::money::scaled_down;
use crate::{
    AccountError, AccountId, BilledUsage, EnteredCharge, Environment, Month, PayAsYouGo, Tier,
    routes,
};

pub(crate) use rows::nothing_to_say;
pub use rows::{Correction, Invoices, Receipt};

/// Lines that an invoice has at most.
pub const INVOICE_LINES_MAX: usize = 10_000;

/// Movements of subscriptions that an invoice has at most, of up to three lines each; more come with
/// the next one.
pub const MOVEMENTS_PER_INVOICE_MAX: usize = 1_000;

/// What moved the money of a subscription in the month: what was bought, what is held, and what was
/// paid add up to nothing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BoughtPeriods {
    /// When.
    pub at: UnixSeconds,
    /// The tier.
    pub tier: Tier,
    /// What was paid; negative where it was paid back.
    pub usdc_e6: i128,
    /// What of it bought nothing and is held as credit; negative where credit held before was used.
    pub into_credit_usdc_e6: i128,
    /// The payment.
    pub reference: String,
}

/// What an account is charged for in a month.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Charges {
    /// Price of a million billing tokens; zero where they are included.
    pub million_tokens_usdc_e6: u64,
    /// Tokens free of charge.
    pub free_tokens: u64,
    /// A fee, and what it is for.
    pub fee: Option<(String, u64)>,
    /// Credit for availability that was missed.
    pub availability_credit_usdc_e6: u64,
    /// The account's part of what it charged its own customers.
    pub revenue_share_usdc_e6: u64,
    /// Whether what it used is in the fee of another account: such usage is no reason for an invoice.
    pub is_usage_of_another: bool,
}

impl Charges {
    /// Metered billing and nothing else.
    #[must_use]
    pub const fn metered(terms: &PayAsYouGo) -> Self {
        Self {
            million_tokens_usdc_e6: terms.million_tokens_usdc_e6,
            free_tokens: terms.free_tokens_per_month,
            fee: None,
            availability_credit_usdc_e6: 0,
            revenue_share_usdc_e6: 0,
            is_usage_of_another: false,
        }
    }

    /// Nothing: what is used is in the fee of an integrator.
    #[must_use]
    pub const fn included() -> Self {
        Self {
            million_tokens_usdc_e6: 0,
            free_tokens: 0,
            fee: None,
            availability_credit_usdc_e6: 0,
            revenue_share_usdc_e6: 0,
            is_usage_of_another: true,
        }
    }
}

/// What is known of an account's month.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Bill {
    /// The account.
    pub account: AccountId,
    /// The month, in UTC.
    pub month: Month,
    /// Who is billed, as it is to be printed; 1 to 256 characters.
    pub billed_to: String,
    /// What it is charged for.
    pub charges: Charges,
    /// What it used.
    pub usage: Vec<BilledUsage>,
    /// What it bought ahead, and no closed invoice has yet; at most [`MOVEMENTS_PER_INVOICE_MAX`].
    pub bought: Vec<BoughtPeriods>,
    /// What its integrator charged it.
    pub charged: Vec<EnteredCharge>,
}

/// What a line is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum LineKind {
    /// Billing tokens of one route and chain.
    Usage,
    /// The fee of an agreement.
    Fee,
    /// Periods of a subscription.
    Subscription,
    /// What of a payment is held as credit; negative where credit was used for periods.
    Deposit,
    /// What was paid already, for periods or as a deposit: negative.
    Paid,
    /// What the account's integrator charged it; owed since it was entered.
    Charge,
    /// The account's part of what it charged: negative.
    RevenueShare,
    /// Credit for availability that was missed: negative.
    AvailabilityCredit,
    /// A correction of a closed invoice: negative.
    Correction,
}

impl LineKind {
    /// The word used in answers and rows.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Usage => "usage",
            Self::Fee => "fee",
            Self::Subscription => "subscription",
            Self::Deposit => "deposit",
            Self::Paid => "paid",
            Self::Charge => "charge",
            Self::RevenueShare => "revenue_share",
            Self::AvailabilityCredit => "availability_credit",
            Self::Correction => "correction",
        }
    }
}

/// A line.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct InvoiceLine {
    /// What it is for.
    pub kind: LineKind,
    /// In words; for usage the route's pattern.
    pub label: String,
    /// The chain, for usage of one.
    pub chain: Option<ChainId>,
    /// Requests.
    pub requests: u64,
    /// Billing tokens.
    pub tokens: u64,
    /// How many of those are free.
    pub free_tokens: u64,
    /// What it comes to.
    pub amount_usdc_e6: i64,
}

/// What a month comes to.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Invoice {
    /// Number in its environment, from 1; 0 for a draft.
    pub number: u64,
    /// For a credit note, the number of the invoice it corrects.
    pub corrects: Option<u64>,
    /// For a credit note, what it is recorded once under.
    pub reference: Option<String>,
    /// The environment.
    pub environment: Environment,
    /// The account.
    pub account: AccountId,
    /// The month, in UTC.
    pub month: Month,
    /// Who is billed.
    pub billed_to: String,
    /// When it was closed; for a draft, when it was made.
    pub issued_at: UnixSeconds,
    /// The lines.
    pub lines: Vec<InvoiceLine>,
    /// Sum of the lines; negative where the service owes.
    pub total_usdc_e6: i64,
}

impl Invoice {
    /// The number as it is printed: `SR-LIVE-000042`, `SR-TEST-..`; a draft has none.
    #[must_use]
    pub fn printed_number(&self) -> String {
        if self.number == 0 {
            return "DRAFT".into();
        }
        format!("SR-{}-{:06}", self.environment.name().to_uppercase(), self.number)
    }

    /// Requests of all lines.
    #[must_use]
    pub fn requests(&self) -> u128 {
        self.lines.iter().map(|line| u128::from(line.requests)).sum()
    }

    /// Billing tokens of all lines.
    #[must_use]
    pub fn tokens(&self) -> u128 {
        self.lines.iter().map(|line| u128::from(line.tokens)).sum()
    }

    /// Sum of the lines of one kind.
    pub(crate) fn sum_of(&self, kind: LineKind) -> i128 {
        let lines = self.lines.iter().filter(|line| line.kind == kind);
        lines.map(|line| i128::from(line.amount_usdc_e6)).sum()
    }
}

const OVERFLOW: AccountError = AccountError::Overflow { what: "the amounts of an invoice" };

impl Bill {
    /// What the month comes to so far. The same bill always makes the same lines: usage by route and
    /// chain, free tokens given to them in that order.
    ///
    /// # Errors
    /// [`AccountError::Text`], [`AccountError::Invoice`] for too many lines,
    /// [`AccountError::Overflow`].
    pub fn draft(
        &self,
        environment: Environment,
        now: UnixSeconds,
    ) -> Result<Invoice, AccountError> {
        check_text("who is billed", &self.billed_to, 256)?;
        let mut lines = self.usage_lines()?;
        let mut add = |kind, label: &str, amount: i128| -> Result<(), AccountError> {
            lines.push(plain_line(kind, label, i64::try_from(amount).map_err(|_| OVERFLOW)?));
            Ok(())
        };
        if let Some((label, fee)) = &self.charges.fee {
            add(LineKind::Fee, label, i128::from(*fee))?;
        }
        for bought in &self.bought {
            let (paid, reference) = (bought.usdc_e6, self.dated(bought)?);
            let deposit = bought.into_credit_usdc_e6;
            if paid != deposit {
                let label = match bought.tier {
                    // an act that names none, as when what runs is given back
                    Tier::Explorer => format!("subscription, {reference}"),
                    tier => format!("{tier} subscription, {reference}"),
                };
                add(LineKind::Subscription, &label, paid - deposit)?;
            }
            if deposit != 0 {
                let word = if deposit > 0 { "held as credit" } else { "from credit held" };
                add(LineKind::Deposit, &format!("{word}, {reference}"), deposit)?;
            }
            if paid != 0 {
                let word = if paid > 0 { "paid" } else { "paid back" };
                add(LineKind::Paid, &format!("{word}, {reference}"), -paid)?;
            }
        }
        for charge in &self.charged {
            let EnteredCharge { integrator, reference, at, .. } = charge;
            let label = format!("charged by integrator {integrator}, {reference}, {}", at.day());
            add(LineKind::Charge, &label, i128::from(charge.usdc_e6))?;
        }
        let share = self.charges.revenue_share_usdc_e6;
        if share > 0 {
            add(
                LineKind::RevenueShare,
                "share of what was charged to customers",
                -i128::from(share),
            )?;
        }
        let credit = self.charges.availability_credit_usdc_e6;
        if credit > 0 {
            let label = "credit for availability below what was promised";
            add(LineKind::AvailabilityCredit, label, -i128::from(credit))?;
        }
        if lines.len() > INVOICE_LINES_MAX {
            return Err(AccountError::Invoice { why: "it has more than 10000 lines" });
        }
        let mut invoice = Invoice {
            number: 0,
            corrects: None,
            reference: None,
            environment,
            account: self.account,
            month: self.month,
            billed_to: self.billed_to.clone(),
            issued_at: now,
            total_usdc_e6: 0,
            lines,
        };
        invoice.total_usdc_e6 = total(&invoice.lines)?;
        Ok(invoice)
    }

    /// What a movement rests on, with its day where it lies in another month than the bill's.
    fn dated(&self, bought: &BoughtPeriods) -> Result<String, AccountError> {
        let reference = &bought.reference;
        Ok(match Month::of(bought.at)? == self.month {
            true => reference.clone(),
            false => format!("{reference}, {}", bought.at.day()),
        })
    }

    fn usage_lines(&self) -> Result<Vec<InvoiceLine>, AccountError> {
        let mut usage = BTreeMap::<(String, Option<ChainId>), (u64, u64)>::new();
        for used in &self.usage {
            let (requests, tokens) = usage.entry(place_of(used)).or_default();
            *requests = requests.checked_add(used.requests).ok_or(OVERFLOW)?;
            *tokens = tokens.checked_add(used.tokens).ok_or(OVERFLOW)?;
        }
        let mut free_left = self.charges.free_tokens;
        let mut lines = Vec::with_capacity(usage.len());
        for ((route, chain), (requests, tokens)) in usage {
            let free_tokens = tokens.min(free_left);
            free_left -= free_tokens; // at most what is left
            let billed = tokens - free_tokens; // at most the tokens
            let amount = scaled_down(billed, self.charges.million_tokens_usdc_e6, 1_000_000);
            let amount_usdc_e6 = amount.and_then(|amount| i64::try_from(amount).ok());
            let amount_usdc_e6 = amount_usdc_e6.ok_or(OVERFLOW)?;
            lines.push(InvoiceLine {
                kind: LineKind::Usage,
                label: route,
                chain,
                requests,
                tokens,
                free_tokens,
                amount_usdc_e6,
            });
        }
        Ok(lines)
    }
}

/// What usage is one line of: the route's path, and the chain.
fn place_of(used: &BilledUsage) -> (String, Option<ChainId>) {
    (routes::label_of(used.route), used.chain.map(|chain| chain.id))
}

fn plain_line(kind: LineKind, label: &str, amount_usdc_e6: i64) -> InvoiceLine {
    let label = label.to_owned();
    InvoiceLine { kind, label, chain: None, requests: 0, tokens: 0, free_tokens: 0, amount_usdc_e6 }
}

fn total(lines: &[InvoiceLine]) -> Result<i64, AccountError> {
    let sum: i128 = lines.iter().map(|line| i128::from(line.amount_usdc_e6)).sum();
    i64::try_from(sum).map_err(|_| OVERFLOW)
}

#[cfg(test)]
mod tests;
