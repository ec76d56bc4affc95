//! Price lists: configured prices and promises over time.
//!
//! ```text
//!   2026-01-20       2026-02-15           2026-03-01
//!      |-- list 0 --------|-- list 1 ------------|
//!      '---- bills February, which began under it '--- bills March
//! ```
//! Invariants: a list never changes; a month is billed by the list in force in its first second, so no change is
//! retroactive.

use serde::{Deserialize, Serialize};
use superroot_account::{PlanTable, Tier};
use superroot_types::UnixSeconds;

/// Configured prices and promises not fixed by agreements.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PriceList {
    /// First second in force.
    pub from: UnixSeconds,
    /// Price of a million billing tokens.
    pub million_tokens_usdc_e6: u64,
    /// Free tokens per account and month.
    pub free_tokens_per_month: u64,
    /// Price of thirty days of builder; `None` if not for sale.
    pub builder_usdc_e6: Option<u64>,
    /// Price of thirty days of protocol; `None` if not for sale.
    pub protocol_usdc_e6: Option<u64>,
    /// Integrator's share of a charge, in percent.
    pub revenue_share_percent: u8,
    /// Availability promised to integrators, in millionths.
    pub availability_e6: u32,
}

impl PriceList {
    /// A configuration's price list.
    #[must_use]
    pub fn of(plans: &PlanTable, from: UnixSeconds) -> Self {
        Self {
            from,
            million_tokens_usdc_e6: plans.pay_as_you_go.million_tokens_usdc_e6,
            free_tokens_per_month: plans.pay_as_you_go.free_tokens_per_month,
            builder_usdc_e6: plans.price_usdc_e6(Tier::Builder),
            protocol_usdc_e6: plans.price_usdc_e6(Tier::Protocol),
            revenue_share_percent: plans.integrator.revenue_share_percent,
            availability_e6: plans.integrator.availability_e6,
        }
    }

    /// Whether prices and promises are equal.
    pub(crate) fn is_same(&self, other: &Self) -> bool {
        *self == Self { from: self.from, ..other.clone() }
    }

    /// Price of thirty days of a tier; `None` if free or not for sale.
    #[must_use]
    pub const fn tier_usdc_e6(&self, tier: Tier) -> Option<u64> {
        match tier {
            Tier::Builder => self.builder_usdc_e6,
            Tier::Protocol => self.protocol_usdc_e6,
            Tier::Explorer | Tier::Enterprise => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_stands_as_it_is_pinned() {
        let list = PriceList::of(&PlanTable::default(), UnixSeconds(1_769_904_000));
        let pinned = "\u{1}{\"from\":1769904000,\"million_tokens_usdc_e6\":10000000,\
            \"free_tokens_per_month\":1000000,\"builder_usdc_e6\":50000000,\"protocol_usdc_e6\":\
            500000000,\"revenue_share_percent\":70,\"availability_e6\":999000}";
        let row = superroot_account::row::encode(&list);
        assert_eq!(String::from_utf8(row).unwrap(), pinned);
    }
}
