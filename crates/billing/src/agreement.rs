//! Agreements with integrators and enterprises.
//!
//! ```text
//!   2026-02         2026-05        2027-05
//!      |-- integrator --|-- enterprise --|-- nothing agreed --...
//! ```
//! Invariants: an agreement is one row per account and first month, and never changes after that month; the agreement in
//! force is the last begun. An empty agreement ends the previous one.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};
use superroot_account::{
    AHEAD_MAX, AccountId, AgreedTerms, Grid, Month, Operator, PlanTable, Tier,
};
use superroot_types::UnixSeconds;

use crate::error::{BillingError, no_agreement};
use crate::money::usdc_text;
use crate::price_list::PriceList;

/// An integrator's payment interval.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Interval {
    Monthly,
    /// Every year, in the month in which the agreement began.
    Yearly,
}

impl Interval {
    /// Name in answers and the audit log.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Monthly => "monthly",
            Self::Yearly => "yearly",
        }
    }
}

/// Agreed terms.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum AgreementTerms {
    /// Reseller; the fee covers its own tokens and those of its sub-accounts.
    Integrator {
        interval: Interval,
        /// Fee, within the bounds of the plans.
        fee_usdc_e6: u64,
        /// The open routes' tier.
        tier: Tier,
    },
    /// Individual limit, grids and prices.
    Enterprise {
        limit_per_minute: u32,
        /// Open grids.
        grids: BTreeSet<Grid>,
        monthly_fee_usdc_e6: u64,
        /// Price of a million billing tokens.
        million_tokens_usdc_e6: u64,
        free_tokens_per_month: u64,
        /// Promised availability, in millionths; `None` without a promise.
        availability_e6: Option<u32>,
    },
    /// Nothing: the previous agreement has ended.
    Ended,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Agreement {
    pub account: AccountId,
    /// First month.
    pub from: Month,
    pub terms: AgreementTerms,
    /// Operator and reason.
    pub by: Operator,
    pub entered_at: UnixSeconds,
}

/// Prices of a month for an account, besides journal entries.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MonthPrices {
    /// Price of a million billing tokens; zero if included.
    pub million_tokens_usdc_e6: u64,
    pub free_tokens: u64,
    /// Fee with its purpose.
    pub fee: Option<(&'static str, u64)>,
    /// Whether another account's fee covers the usage: such usage alone makes no invoice.
    pub is_usage_of_another: bool,
}

impl MonthPrices {
    /// Metered billing only.
    #[must_use]
    pub const fn metered(list: &PriceList) -> Self {
        Self {
            million_tokens_usdc_e6: list.million_tokens_usdc_e6,
            free_tokens: list.free_tokens_per_month,
            fee: None,
            is_usage_of_another: false,
        }
    }

    /// No charge: the integrator's fee covers the usage.
    #[must_use]
    pub const fn included() -> Self {
        Self { million_tokens_usdc_e6: 0, free_tokens: 0, fee: None, is_usage_of_another: true }
    }
}

impl AgreementTerms {
    /// Rights of the account under the terms.
    #[must_use]
    pub fn gives(&self, plans: &PlanTable) -> Option<AgreedTerms> {
        match self {
            Self::Integrator { tier, .. } => Some(AgreedTerms {
                tier: *tier,
                limit_per_minute: plans.integrator.limit_per_minute,
                grids: None,
                is_integrator: true,
            }),
            Self::Enterprise { limit_per_minute, grids, .. } => Some(AgreedTerms {
                tier: Tier::Enterprise,
                limit_per_minute: *limit_per_minute,
                grids: Some(grids.clone()),
                is_integrator: false,
            }),
            Self::Ended => None,
        }
    }

    /// Promised availability under a month's price list, in millionths.
    #[must_use]
    pub const fn promised_e6(&self, list: &PriceList) -> Option<u32> {
        match self {
            Self::Integrator { .. } => Some(list.availability_e6),
            Self::Enterprise { availability_e6, .. } => *availability_e6,
            Self::Ended => None,
        }
    }

    /// Fee of one month; a twelfth of a yearly fee, rounded up.
    #[must_use]
    pub const fn fee_of_month_usdc_e6(&self) -> u64 {
        match self {
            Self::Integrator { interval: Interval::Monthly, fee_usdc_e6, .. } => *fee_usdc_e6,
            Self::Integrator { interval: Interval::Yearly, fee_usdc_e6, .. } => {
                fee_usdc_e6.div_ceil(12)
            }
            Self::Enterprise { monthly_fee_usdc_e6, .. } => *monthly_fee_usdc_e6,
            Self::Ended => 0,
        }
    }

    /// Summary in words: `builder integrator, 99.000000 USDC monthly`.
    #[must_use]
    pub fn summary(&self) -> String {
        match self {
            Self::Integrator { interval, fee_usdc_e6, tier } => {
                let fee = usdc_text((*fee_usdc_e6).into());
                format!("{tier} integrator, {fee} USDC {}", interval.name())
            }
            Self::Enterprise {
                limit_per_minute,
                grids,
                monthly_fee_usdc_e6,
                million_tokens_usdc_e6,
                free_tokens_per_month,
                availability_e6,
            } => format!(
                "enterprise, {limit_per_minute} a minute, {}, {} USDC monthly, {} USDC a million \
                 tokens after {free_tokens_per_month}, {}",
                Grid::list(grids),
                usdc_text((*monthly_fee_usdc_e6).into()),
                usdc_text((*million_tokens_usdc_e6).into()),
                availability_e6.map_or_else(
                    || "no availability promised".to_owned(),
                    |part_e6| format!("{} millionths available", part_e6)
                ),
            ),
            Self::Ended => "nothing".to_owned(),
        }
    }

    fn validate(&self, plans: &PlanTable) -> Result<(), BillingError> {
        match self {
            Self::Integrator { interval, fee_usdc_e6, .. } => {
                let bounds = match interval {
                    Interval::Monthly => &plans.integrator.monthly,
                    Interval::Yearly => &plans.integrator.yearly,
                };
                if bounds.holds(*fee_usdc_e6) {
                    return Ok(());
                }
                let usdc = |usdc_e6: u64| usdc_text(usdc_e6.into());
                no_agreement(format!(
                    "the fee is {} USDC, expected {} to {} USDC {}",
                    usdc(*fee_usdc_e6),
                    usdc(bounds.min_usdc_e6),
                    usdc(bounds.max_usdc_e6),
                    interval.name()
                ))
            }
            Self::Enterprise { limit_per_minute, grids, availability_e6, .. } => {
                let most = plans.enterprise.limit_per_minute_max;
                let least = plans.limit_per_minute(Tier::Explorer);
                if !(least..=most).contains(limit_per_minute) {
                    return no_agreement(format!(
                        "the limit is {limit_per_minute} a minute, expected {least} to {most}"
                    ));
                }
                if grids.is_empty() {
                    return no_agreement("no grid is open");
                }
                if availability_e6.is_some_and(|promised| promised > 1_000_000) {
                    return no_agreement("more availability is promised than there is");
                }
                Ok(())
            }
            Self::Ended => Ok(()),
        }
    }
}

impl Agreement {
    /// Checks the terms against the plans, and the first month: neither over nor too far ahead.
    pub(crate) fn validate(&self, plans: &PlanTable) -> Result<(), BillingError> {
        self.by.check()?;
        self.terms.validate(plans)?;
        let running = Month::of(self.entered_at)?;
        let ahead = self.from.months_since(running);
        match usize::try_from(ahead) {
            Err(_) => {
                no_agreement(format!("{} is over, {running} is the first possible", self.from))
            }
            Ok(ahead) if ahead >= AHEAD_MAX => no_agreement("it begins ten years ahead or later"),
            Ok(_) => Ok(()),
        }
    }

    /// Prices of a month under the agreement and a price list. A yearly fee is due in the month in which the agreement
    /// began.
    #[must_use]
    pub fn prices(&self, month: Month, list: &PriceList) -> MonthPrices {
        match &self.terms {
            AgreementTerms::Integrator { interval, fee_usdc_e6, .. } => {
                let (label, is_due) = match interval {
                    Interval::Monthly => ("integrator, monthly", true),
                    Interval::Yearly => {
                        ("integrator, yearly", month.months_since(self.from) % 12 == 0)
                    }
                };
                MonthPrices {
                    million_tokens_usdc_e6: 0,
                    free_tokens: 0,
                    fee: is_due.then_some((label, *fee_usdc_e6)),
                    is_usage_of_another: false,
                }
            }
            AgreementTerms::Enterprise {
                monthly_fee_usdc_e6: fee,
                million_tokens_usdc_e6,
                free_tokens_per_month,
                ..
            } => MonthPrices {
                million_tokens_usdc_e6: *million_tokens_usdc_e6,
                free_tokens: *free_tokens_per_month,
                fee: (*fee > 0).then_some(("enterprise, monthly", *fee)),
                is_usage_of_another: false,
            },
            AgreementTerms::Ended => MonthPrices::metered(list),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const USDC: u64 = 1_000_000;

    fn agreement(terms: AgreementTerms) -> Agreement {
        let from: Month = "2026-02".parse().unwrap();
        let by = Operator { who: "ana".into(), why: "contract 7".into() };
        let account = AccountId(uuid::Uuid::from_bytes([1; 16]));
        Agreement { account, from, terms, by, entered_at: from.start() }
    }

    fn integrator(interval: Interval, fee: u64) -> Agreement {
        agreement(AgreementTerms::Integrator {
            interval,
            fee_usdc_e6: fee * USDC,
            tier: Tier::Builder,
        })
    }

    fn enterprise(limit_per_minute: u32, grids: &[Grid]) -> Agreement {
        agreement(AgreementTerms::Enterprise {
            limit_per_minute,
            grids: grids.iter().copied().collect(),
            monthly_fee_usdc_e6: 2_000 * USDC,
            million_tokens_usdc_e6: 4 * USDC,
            free_tokens_per_month: 5,
            availability_e6: None,
        })
    }

    #[test]
    fn terms_outside_the_plans_are_refused() {
        let plans = PlanTable::default();
        let refused = |agreement: Agreement| agreement.validate(&plans).unwrap_err().to_string();
        assert!(integrator(Interval::Monthly, 99).validate(&plans).is_ok());
        assert!(integrator(Interval::Yearly, 9_999).validate(&plans).is_ok());
        let dear = refused(integrator(Interval::Monthly, 1_000));
        assert!(dear.contains("expected 99.000000 to 999.000000 USDC monthly"), "{dear}");
        assert!(refused(integrator(Interval::Yearly, 998)).contains("yearly"));
        assert!(enterprise(100, &[Grid::G1]).validate(&plans).is_ok());
        assert!(refused(enterprise(99, &[Grid::G1])).contains("limit"));
        assert!(refused(enterprise(100, &[])).contains("grid"));
        let at = |month: &str| Agreement {
            from: month.parse().unwrap(),
            ..integrator(Interval::Monthly, 99)
        };
        assert!(refused(at("2026-01")).contains("2026-02 is the first possible"));
        assert!(at("2036-01").validate(&plans).is_ok());
        assert!(refused(at("2036-02")).contains("ten years ahead"));
    }

    #[test]
    fn a_yearly_fee_is_due_in_its_anniversary_month_and_a_monthly_one_in_each() {
        let list = PriceList::of(&PlanTable::default(), UnixSeconds(0));
        let due = |agreement: &Agreement| -> Vec<String> {
            let months = (0..25).map(|count| agreement.from.plus(count));
            let due = months.filter(|month| agreement.prices(*month, &list).fee.is_some());
            due.map(|month| month.to_string()).collect()
        };
        let yearly = integrator(Interval::Yearly, 1_200);
        assert_eq!(due(&yearly), ["2026-02", "2027-02", "2028-02"]);
        assert_eq!(yearly.terms.fee_of_month_usdc_e6(), 100 * USDC);
        assert_eq!(due(&integrator(Interval::Monthly, 99)).len(), 25);
        assert_eq!(due(&agreement(AgreementTerms::Ended)).len(), 0);
    }

    #[test]
    fn a_row_stands_as_it_is_pinned() {
        let row = superroot_account::row::encode(&integrator(Interval::Monthly, 99));
        let pinned = "\u{1}{\"account\":\"01010101-0101-0101-0101-010101010101\",\"from\":\"2026-02\",\
            \"terms\":{\"integrator\":{\"interval\":\"monthly\",\"fee_usdc_e6\":99000000,\"tier\":\
            \"builder\"}},\"by\":{\"who\":\"ana\",\"why\":\"contract 7\"},\"entered_at\":1769904000}";
        assert_eq!(String::from_utf8(row).unwrap(), pinned);
    }
}
