//! Agreements with integrators and enterprises, and what follows from them each month.
//!
//! An *integrator* sells the service on: it has *sub-accounts* with keys and usage of their own, and
//! keeps its part of what they are charged. An *enterprise* has a limit, grids and prices of its own.
//!
//! ```text
//! sub-account --charge--> ledger: its part owed to the integrator | the rest earned
//!             '--------> a line of the sub-account's own invoice of the month
//! minutes up / measured --> credit --.
//! agreement, usage, share ------------> Bill -> Invoice
//! ```
//! What must always hold: a sub-account has one integrator and none of its own; the two parts of a
//! charge are the charge; what an invoice sets off is what was charged in its month; each charge is on
//! one invoice of the sub-account.
//!
//! Keys of table `subscription`, after those of subscriptions: `environment:u8 ‖ 4 ‖ account:16`
//! agreements; `.. ‖ 5 ‖ integrator:16 ‖ sub-account:16`; `.. ‖ 6 ‖ sub-account:16` to the
//! integrator; `.. ‖ 7 ‖ year:u16 ‖ month:u8` availability; `.. ‖ 8 ‖ integrator:16 ‖ year:u16 ‖
//! month:u8` what it charged in a month; `.. ‖ 9 ‖ sub-account:16 ‖ year:u16 ‖ month:u8` how often
//! that was charged, `.. ‖ 10 ‖ sub-account:16 ‖ year:u16 ‖ month:u8 ‖ index:u32` each charge.

mod availability;
mod charges;
mod minutes;
mod rows;
mod sub_accounts;

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};
use superroot_types::UnixSeconds;

use crate::{AccountError, AccountId, Charges, Grid, Month, Operator, Plans, Tier, usdc_text};

pub use availability::Availability;
pub use charges::{CHARGES_PER_MONTH_MAX, Charge, Charged, EnteredCharge, ShareOfMonth};
pub use rows::{Agreed, Commerce, MonthOfAccount};

/// How often an integrator pays.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Interval {
    /// Each month.
    Monthly,
    /// Each year, in the month in which the agreement began.
    Yearly,
}

impl Interval {
    /// The word used in answers and the audit log.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Monthly => "monthly",
            Self::Yearly => "yearly",
        }
    }
}

/// Grids in a line, for the audit log.
pub(crate) fn grids_text(grids: &BTreeSet<Grid>) -> String {
    let names: Vec<_> = grids.iter().map(|grid| grid.name()).collect();
    names.join(" ")
}

/// Millionths as a percentage: `99.9% available`.
fn percent_text(part_e6: u32) -> String {
    let (whole, rest) = (part_e6 / 10_000, part_e6 % 10_000);
    let digits = format!("{rest:04}");
    let digits = digits.trim_end_matches('0');
    let point = if digits.is_empty() { "" } else { "." };
    format!("{whole}{point}{digits}% available")
}

/// What was agreed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum Terms {
    /// Sells the service on; its own tokens and those of its sub-accounts are in the fee.
    Integrator {
        /// How often the fee is due.
        interval: Interval,
        /// The fee, within the bounds of the plans.
        fee_usdc_e6: u64,
    },
    /// Its own limit, grids and prices.
    Enterprise {
        /// Requests a minute.
        limit_per_minute: u32,
        /// Grids that are open.
        grids: BTreeSet<Grid>,
        /// Fee of a month.
        monthly_fee_usdc_e6: u64,
        /// Price of a million billing tokens.
        million_tokens_usdc_e6: u64,
        /// Tokens free of charge in a month.
        free_tokens_per_month: u64,
        /// Availability promised, in millionths; none where none is.
        availability_e6: Option<u32>,
    },
}

/// An agreement with an account.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Agreement {
    /// The account.
    pub account: AccountId,
    /// What was agreed.
    pub terms: Terms,
    /// The first month.
    pub from: Month,
    /// The last month; none where it is open.
    pub until: Option<Month>,
    /// Who entered it, and why.
    pub by: Operator,
    /// When it was entered.
    pub entered_at: UnixSeconds,
    /// Sub-accounts so far.
    pub sub_account_count: u32,
}

impl Agreement {
    /// Whether it holds in a month.
    #[must_use]
    pub fn holds_in(&self, month: Month) -> bool {
        self.from <= month && self.until.is_none_or(|until| month <= until)
    }

    /// Whether a fee is due in a month in which it holds.
    pub(crate) fn is_fee_due_in(&self, month: Month) -> bool {
        match &self.terms {
            Terms::Integrator { interval: Interval::Monthly, fee_usdc_e6 } => *fee_usdc_e6 > 0,
            Terms::Integrator { interval: Interval::Yearly, .. } => {
                month.months_since(self.from) % 12 == 0
            }
            Terms::Enterprise { monthly_fee_usdc_e6, .. } => *monthly_fee_usdc_e6 > 0,
        }
    }

    /// Whether it says something else than another, whoever entered it and when.
    fn differs_from(&self, other: &Self) -> bool {
        (&self.terms, self.from, self.until) != (&other.terms, other.from, other.until)
    }

    /// Terms and months in a line: `integrator monthly 99.000000 USDC, from 2026-01 open`.
    #[must_use]
    pub fn summary(&self) -> String {
        let until = self.until.map_or_else(|| "open".into(), |until| format!("to {until}"));
        let from = self.from;
        let terms = match &self.terms {
            Terms::Integrator { interval, fee_usdc_e6 } => {
                let fee = usdc_text((*fee_usdc_e6).into());
                format!("integrator {} {fee} USDC", interval.name())
            }
            Terms::Enterprise {
                limit_per_minute,
                grids,
                monthly_fee_usdc_e6,
                million_tokens_usdc_e6,
                free_tokens_per_month,
                availability_e6,
            } => format!(
                "enterprise {limit_per_minute} a minute, {}, monthly {} USDC, {} USDC a million \
                 tokens after {free_tokens_per_month}, {}",
                grids_text(grids),
                usdc_text((*monthly_fee_usdc_e6).into()),
                usdc_text((*million_tokens_usdc_e6).into()),
                availability_e6.map_or("no availability promised".to_owned(), percent_text),
            ),
        };
        format!("{terms}, from {from} {until}")
    }

    /// Requests a minute that were agreed.
    #[must_use]
    pub const fn limit_per_minute(&self, plans: &Plans) -> u32 {
        match &self.terms {
            Terms::Integrator { .. } => plans.integrator.limit_per_minute,
            Terms::Enterprise { limit_per_minute, .. } => *limit_per_minute,
        }
    }

    /// Refuses terms outside what the plans allow.
    ///
    /// # Errors
    /// [`AccountError::Agreement`]; [`AccountError::Config`] with the bounds of fee and limit.
    pub fn validate(&self, plans: &Plans) -> Result<(), AccountError> {
        let refuse = |why| Err(AccountError::Agreement { why });
        if self.until.is_some_and(|until| until < self.from) {
            return refuse("it ends before it begins");
        }
        match &self.terms {
            Terms::Integrator { interval, fee_usdc_e6 } => {
                let bounds = match interval {
                    Interval::Monthly => &plans.integrator.monthly,
                    Interval::Yearly => &plans.integrator.yearly,
                };
                if !bounds.holds(*fee_usdc_e6) {
                    let usdc = |usdc_e6: u64| usdc_text(usdc_e6.into());
                    let (least, most) = (usdc(bounds.min_usdc_e6), usdc(bounds.max_usdc_e6));
                    return Err(AccountError::Config {
                        field: "the fee",
                        got: format!("{} USDC", usdc(*fee_usdc_e6)),
                        expected: format!("{least} to {most} USDC {}", interval.name()),
                    });
                }
            }
            Terms::Enterprise { limit_per_minute, grids, availability_e6, .. } => {
                let most = plans.enterprise.limit_per_minute_max;
                let least = plans.limit_per_minute(Tier::Explorer);
                if !(least..=most).contains(limit_per_minute) {
                    return Err(AccountError::Config {
                        field: "the limit",
                        got: format!("{limit_per_minute} a minute"),
                        expected: format!("{least} to {most} a minute"),
                    });
                }
                if grids.is_empty() {
                    return refuse("no grid is open");
                }
                if availability_e6.is_some_and(|promised| promised > 1_000_000) {
                    return refuse("more availability is promised than there is");
                }
            }
        }
        Ok(())
    }

    /// What a month costs under it. `availability` is what was measured, `share_usdc_e6` the
    /// integrator's part of what was charged.
    ///
    /// # Errors
    /// [`AccountError::Overflow`].
    pub fn charges(
        &self,
        month: Month,
        availability: &Availability,
        share_usdc_e6: u64,
        plans: &Plans,
    ) -> Result<Charges, AccountError> {
        match &self.terms {
            Terms::Integrator { interval, fee_usdc_e6 } => {
                let promised = plans.integrator.availability_e6;
                let (label, is_due, month_fee) = match interval {
                    Interval::Monthly => ("integrator, monthly", true, *fee_usdc_e6),
                    Interval::Yearly => {
                        let is_due = month.months_since(self.from) % 12 == 0;
                        ("integrator, yearly", is_due, fee_usdc_e6.div_ceil(12))
                    }
                };
                Ok(Charges {
                    million_tokens_usdc_e6: 0,
                    free_tokens: 0,
                    fee: is_due.then(|| (label.into(), *fee_usdc_e6)),
                    availability_credit_usdc_e6: availability
                        .credit_usdc_e6(promised, month_fee)?,
                    revenue_share_usdc_e6: share_usdc_e6,
                    is_usage_of_another: false,
                })
            }
            Terms::Enterprise {
                monthly_fee_usdc_e6: fee,
                million_tokens_usdc_e6,
                free_tokens_per_month,
                availability_e6,
                ..
            } => {
                let credit = availability_e6
                    .map_or(Ok(0), |promised| availability.credit_usdc_e6(promised, *fee))?;
                Ok(Charges {
                    million_tokens_usdc_e6: *million_tokens_usdc_e6,
                    free_tokens: *free_tokens_per_month,
                    fee: (*fee > 0).then(|| ("enterprise, monthly".into(), *fee)),
                    availability_credit_usdc_e6: credit,
                    revenue_share_usdc_e6: share_usdc_e6,
                    is_usage_of_another: false,
                })
            }
        }
    }
}

#[cfg(test)]
mod tests;
