//! Monthly invoices: journal entries and usage of a month.
//!
//! ```text
//! usage rollups ---> usage lines, a fee --.
//! entries of the month -------------------+--> Invoice: numbered once it is closed, never changed
//! ```
//! Invariants: lines add up exactly to the total, and their requests and tokens to the usage; each line is rounded
//! once, down to a millionth of a USDC, in the customer's favour; free tokens count once per month and account.

mod print;

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use superroot_account::{AccountId, BilledUsage, Environment, MeteredRoute, Month, label_of};
use superroot_types::{ChainId, UnixSeconds};

use crate::agreement::MonthPrices;
use crate::entry::{EntryKind, JournalEntry, NewEntry};
use crate::error::BillingError;
use crate::money::scaled_down;

/// Most lines of an invoice.
pub const INVOICE_LINES_MAX: usize = 10_000;

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ChargeLine {
    pub kind: EntryKind,
    /// Description; for usage the route pattern.
    pub label: String,
    /// Chain, for usage of one chain.
    pub chain: Option<ChainId>,
    pub requests: u64,
    pub tokens: u64,
    /// Free tokens among the billing tokens.
    pub free_tokens: u64,
    pub amount_usdc_e6: i64,
}

/// Invoice or draft of a month.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MonthInvoice {
    /// Number in the environment, from 1; 0 for a draft.
    pub number: u64,
    pub environment: Environment,
    pub account: AccountId,
    /// Month, in UTC.
    pub month: Month,
    /// Billed party.
    pub billed_to: String,
    /// Closing time; for a draft, its creation time.
    pub issued_at: UnixSeconds,
    pub lines: Vec<ChargeLine>,
    /// Sum of the lines; negative if the service owes.
    pub total_usdc_e6: i64,
}

impl MonthInvoice {
    /// Printed number: `SR-LIVE-000042`, `SR-TEST-..`; a draft has no number.
    #[must_use]
    pub fn printed_number(&self) -> String {
        if self.number == 0 {
            return "DRAFT".into();
        }
        format!("SR-{}-{:06}", self.environment.name().to_uppercase(), self.number)
    }

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
    /// Adds counted usage under the path of its route number.
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

    /// One line per route and chain; free tokens are assigned in that order.
    fn lines(&self, prices: &MonthPrices) -> Result<Vec<ChargeLine>, BillingError> {
        let mut free_left = prices.free_tokens;
        let mut lines = Vec::with_capacity(self.0.len());
        for ((route, chain), (requests, tokens)) in &self.0 {
            let free_tokens = free_left.min(*tokens);
            free_left -= free_tokens; // at most what is left
            let billed = tokens - free_tokens; // at most the tokens
            let amount = scaled_down(billed, prices.million_tokens_usdc_e6, 1_000_000);
            let amount = amount.and_then(|amount| i64::try_from(amount).ok());
            lines.push(ChargeLine {
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

/// Unnumbered bill of an account's month.
#[derive(Debug)]
pub(crate) struct Bill {
    pub(crate) lines: Vec<ChargeLine>,
    pub(crate) total_usdc_e6: i64,
    /// Usage and fee to be entered when the month closes.
    pub(crate) entries: Vec<NewEntry>,
    /// Whether the bill needs an invoice.
    pub(crate) says_something: bool,
}

/// Builds the bill of a month from entries, usage and prices. Deterministic.
///
/// # Errors
/// [`BillingError::Overflow`]; [`BillingError::Invoice`] for too many lines.
pub(crate) fn bill(
    month: Month,
    entries: &[JournalEntry],
    usage: &MonthUsage,
    prices: &MonthPrices,
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
    let says = |line: &ChargeLine| is_own_use || line.kind != EntryKind::Usage;
    let says_something = lines.iter().any(says);
    Ok(Bill { total_usdc_e6: total(&lines)?, lines, entries: closing, says_something })
}

fn line_of(moved: &NewEntry) -> ChargeLine {
    let kind = moved.kind;
    let label = moved.text.clone();
    let requests = 0;
    let tokens = 0;
    let free_tokens = 0;
    let amount_usdc_e6 = moved.usdc_e6;
    ChargeLine { kind, label, chain: None, requests, tokens, free_tokens, amount_usdc_e6 }
}

fn total(lines: &[ChargeLine]) -> Result<i64, BillingError> {
    let sum: i128 = lines.iter().map(|line| i128::from(line.amount_usdc_e6)).sum();
    i64::try_from(sum).map_err(|_| OVERFLOW)
}

#[cfg(test)]
pub(crate) mod tests;
