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
//! What must always hold: a month has one agreement at most, which bills it and lifts the account
//! while it runs; a sub-account has one integrator and none of its own; the two parts of a charge are
//! the charge; what an invoice sets off is what was charged in its month; each charge is on one
//! invoice of the sub-account.
//!
//! Keys of table `subscription`, after those of subscriptions: `environment:u8 ‖ 4 ‖ account:16`
//! the agreements with an account; `.. ‖ 5 ‖ integrator:16 ‖ sub-account:16`; `.. ‖ 6 ‖
//! sub-account:16` to the integrator; `.. ‖ 7 ‖ year:u16 ‖ month:u8` availability; `.. ‖ 8 ‖
//! integrator:16 ‖ year:u16 ‖ month:u8` what it charged in a month; `.. ‖ 9 ‖ sub-account:16 ‖
//! year:u16 ‖ month:u8` how often that was charged, `.. ‖ 10 ‖ sub-account:16 ‖ year:u16 ‖ month:u8
//! ‖ index:u32` each charge.

mod agree;
mod agreements;
mod availability;
mod charges;
mod minutes;
mod rows;
mod sub_accounts;

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};
use superroot_types::UnixSeconds;

use crate::{
    AccountError, AccountId, Charges, Grant, Grid, Month, Operator, Plans, Tier, usdc_text,
};

pub use agree::Agreed;
pub(crate) use agree::load_agreements;
pub use agreements::{AGREEMENTS_MAX, Agreements, Replaced};
pub use availability::Availability;
pub use charges::{CHARGES_PER_MONTH_MAX, Charge, Charged, EnteredCharge, ShareOfMonth};
pub use rows::{Commerce, MonthOfAccount};

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

/// The tier of integrators whose agreement says none.
const fn builder() -> Tier {
    Tier::Builder
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
        /// The tier whose routes it has.
        #[serde(default = "builder")]
        tier: Tier,
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
}

/// What of a fee can still be given back for availability.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct FeeLeft {
    /// The fee, less what credit notes took back of it.
    kept_usdc_e6: u64,
    /// What months that are closed gave back of it.
    credited_usdc_e6: u64,
    /// Months that it is for, 1 to 12.
    months: u64,
}

impl FeeLeft {
    /// What a month gives back: of its part, and never more than is left in all.
    fn credit(&self, availability: &Availability, promised_e6: u32) -> Result<u64, AccountError> {
        let part = self.kept_usdc_e6.div_ceil(self.months.max(1));
        let credit = availability.credit_usdc_e6(promised_e6, part)?;
        Ok(credit.min(self.kept_usdc_e6.saturating_sub(self.credited_usdc_e6)))
    }
}

impl Agreement {
    /// Whether it holds in a month.
    #[must_use]
    pub fn holds_in(&self, month: Month) -> bool {
        self.from <= month && self.until.is_none_or(|until| month <= until)
    }

    /// Whether it is one with an integrator.
    #[must_use]
    pub const fn is_integrator(&self) -> bool {
        matches!(self.terms, Terms::Integrator { .. })
    }

    /// The month that bills the yearly fee which covers a month; none of other terms, or before the
    /// first.
    fn year_of(&self, month: Month) -> Option<Month> {
        let Terms::Integrator { interval: Interval::Yearly, .. } = self.terms else { return None };
        let months = u32::try_from(month.months_since(self.from)).ok()?;
        Some(self.from.plus(months - months % 12))
    }

    /// What it gives the account in its months.
    fn grant(&self) -> Grant {
        match &self.terms {
            Terms::Integrator { tier, .. } => Grant::of(*tier),
            Terms::Enterprise { grids, .. } => {
                Grant { grids: Some(grids.clone()), ..Grant::of(Tier::Enterprise) }
            }
        }
    }

    /// The months it holds in, in words.
    fn months_text(&self) -> String {
        let until = self.until.map_or_else(|| "open".into(), |until| format!("to {until}"));
        format!("from {} {until}", self.from)
    }

    /// Terms and months in a line: `builder integrator monthly 99.000000 USDC, from 2026-01 open`.
    #[must_use]
    pub fn summary(&self) -> String {
        let terms = match &self.terms {
            Terms::Integrator { interval, fee_usdc_e6, tier } => {
                let fee = usdc_text((*fee_usdc_e6).into());
                format!("{tier} integrator {} {fee} USDC", interval.name())
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
        format!("{terms}, {}", self.months_text())
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
        let is_yearly = matches!(self.terms, Terms::Integrator { interval: Interval::Yearly, .. });
        if let Some(until) = self.until.filter(|_| is_yearly) {
            let billed = self.year_of(until).unwrap_or(self.from);
            if until != billed.plus(11) {
                let why = "a yearly fee covers twelve months, and it ends within them";
                return Err(AccountError::AgreementMonth { why, first: billed.plus(11) });
            }
        }
        match &self.terms {
            Terms::Integrator { interval, fee_usdc_e6, .. } => {
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
    /// integrator's part of what was charged, `left` the fee that covers the month.
    fn charges(
        &self,
        month: Month,
        availability: &Availability,
        share_usdc_e6: u64,
        left: &FeeLeft,
        plans: &Plans,
    ) -> Result<Charges, AccountError> {
        match &self.terms {
            Terms::Integrator { interval, fee_usdc_e6, .. } => {
                let promised = plans.integrator.availability_e6;
                let (label, is_due) = match interval {
                    Interval::Monthly => ("integrator, monthly", true),
                    Interval::Yearly => ("integrator, yearly", self.year_of(month) == Some(month)),
                };
                Ok(Charges {
                    million_tokens_usdc_e6: 0,
                    free_tokens: 0,
                    fee: is_due.then(|| (label.into(), *fee_usdc_e6)),
                    availability_credit_usdc_e6: left.credit(availability, promised)?,
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
                    .map_or(Ok(0), |promised| left.credit(availability, promised))?;
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

    /// The fee that it asks for at once.
    const fn fee_usdc_e6(&self) -> u64 {
        match &self.terms {
            Terms::Integrator { fee_usdc_e6, .. } => *fee_usdc_e6,
            Terms::Enterprise { monthly_fee_usdc_e6, .. } => *monthly_fee_usdc_e6,
        }
    }
}

#[cfg(test)]
mod tests;
