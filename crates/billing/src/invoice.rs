//! Monthly invoices: a month's entries of the journal, and its usage.
//!
//! ```text
//! usage rollups ---> usage lines, a fee --.
//! entries of the month -------------------+--> Invoice: numbered once it is closed, never changed
//! ```
//! What must always hold: lines add up to the total, requests and tokens of lines to those of the
//! usage, to the unit; each line is rounded once, down to a millionth of a USDC, in the customer's
//! favour; free tokens count once a month and account.

mod print;

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use superroot_account::{AccountId, BilledUsage, Environment, MeteredRoute, Month, label_of};
use superroot_types::{ChainId, UnixSeconds};

use crate::agreement::Prices;
use crate::entry::{Entry, EntryKind, NewEntry};
use crate::error::BillingError;
use crate::money::scaled_down;

/// Lines that an invoice has at most.
pub const INVOICE_LINES_MAX: usize = 10_000;

/// A line.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct InvoiceLine {
    /// What it is for.
    pub kind: EntryKind,
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
    #[must_use]
    pub fn sum_of(&self, kind: EntryKind) -> i128 {
        let lines = self.lines.iter().filter(|line| line.kind == kind);
        lines.map(|line| i128::from(line.amount_usdc_e6)).sum()
    }
}

const OVERFLOW: BillingError = BillingError::Overflow { what: "the amounts of an invoice" };

/// Requests and tokens of a month by route and chain.
#[derive(Debug, Default)]
pub(crate) struct MonthUsage(BTreeMap<(String, Option<ChainId>), (u64, u64)>);

impl MonthUsage {
    /// Adds what was counted, under the path that its number has among the routes.
    pub(crate) fn add(
        &mut self,
        used: &BilledUsage,
        routes: &[MeteredRoute],
    ) -> Result<(), BillingError> {
        let place = (label_of(routes, used.route), used.chain.map(|chain| chain.id));
        let (requests, tokens) = self.0.entry(place).or_default();
        *requests = requests.checked_add(used.requests).ok_or(OVERFLOW)?;
        *tokens = tokens.checked_add(used.tokens).ok_or(OVERFLOW)?;
        Ok(())
    }

    /// A line for each route and chain, free tokens given to them in that order.
    fn lines(&self, prices: &Prices) -> Result<Vec<InvoiceLine>, BillingError> {
        let mut free_left = prices.free_tokens;
        let mut lines = Vec::with_capacity(self.0.len());
        for ((route, chain), (requests, tokens)) in &self.0 {
            let free_tokens = free_left.min(*tokens);
            free_left -= free_tokens; // at most what is left
            let billed = tokens - free_tokens; // at most the tokens
            let amount = scaled_down(billed, prices.million_tokens_usdc_e6, 1_000_000);
            let amount = amount.and_then(|amount| i64::try_from(amount).ok());
            lines.push(InvoiceLine {
                kind: EntryKind::Usage,
                label: route.clone(),
                chain: *chain,
                requests: *requests,
                tokens: *tokens,
                free_tokens,
                amount_usdc_e6: amount.ok_or(OVERFLOW)?,
            });
        }
        Ok(lines)
    }
}

/// What an account's month comes to, before it has a number.
#[derive(Debug)]
pub(crate) struct Bill {
    pub(crate) lines: Vec<InvoiceLine>,
    pub(crate) total_usdc_e6: i64,
    /// What is to be entered when the month is closed: its usage and its fee.
    pub(crate) entries: Vec<NewEntry>,
    /// Whether it is worth an invoice.
    pub(crate) says_something: bool,
}

/// Makes the bill of a month out of what was entered in it, what was used, and what that costs. The same
/// always makes the same bill.
///
/// # Errors
/// [`BillingError::Overflow`]; [`BillingError::Invoice`] for too many lines.
pub(crate) fn bill(
    month: Month,
    entries: &[Entry],
    usage: &MonthUsage,
    prices: &Prices,
) -> Result<Bill, BillingError> {
    let mut lines = usage.lines(prices)?;
    let used = total(&lines)?;
    let mut closing = Vec::new();
    if let Some(amount) = u64::try_from(used).ok().filter(|amount| *amount > 0) {
        closing.push(NewEntry::new(EntryKind::Usage, amount, month.to_string(), "usage")?);
    }
    if let Some((label, amount)) = prices.fee {
        let fee = NewEntry::new(EntryKind::Fee, amount, month.to_string(), label)?;
        lines.push(line_of(&fee));
        closing.push(fee);
    }
    lines.extend(entries.iter().map(|entry| line_of(&entry.moved)));
    if lines.len() > INVOICE_LINES_MAX {
        return Err(BillingError::Invoice { why: "it has more than 10000 lines" });
    }
    let is_own_use = !prices.is_usage_of_another;
    let says = |line: &InvoiceLine| is_own_use || line.kind != EntryKind::Usage;
    let says_something = lines.iter().any(says);
    Ok(Bill { total_usdc_e6: total(&lines)?, lines, entries: closing, says_something })
}

fn line_of(moved: &NewEntry) -> InvoiceLine {
    let (kind, label) = (moved.kind, moved.text.clone());
    let (requests, tokens, free_tokens) = (0, 0, 0);
    let amount_usdc_e6 = moved.usdc_e6;
    InvoiceLine { kind, label, chain: None, requests, tokens, free_tokens, amount_usdc_e6 }
}

fn total(lines: &[InvoiceLine]) -> Result<i64, BillingError> {
    let sum: i128 = lines.iter().map(|line| i128::from(line.amount_usdc_e6)).sum();
    i64::try_from(sum).map_err(|_| OVERFLOW)
}

#[cfg(test)]
pub(crate) mod tests;
