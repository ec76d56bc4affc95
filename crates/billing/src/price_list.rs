//! Price lists: what the configuration charged and promised, from a moment on.
//!
//! ```text
//!   2026-01-20       2026-02-15           2026-03-01
//!      |-- list 0 --------|-- list 1 ------------|
//!      '---- bills February, which began under it '--- bills March
//! ```
//! What must always hold: a list never changes; a month is billed by the list that was in force in its
//! first second, so that no change reaches back.

use serde::{Deserialize, Serialize};
use superroot_account::{Plans, Tier};
use superroot_types::UnixSeconds;

/// Prices and promises of the configuration that an agreement does not fix.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PriceList {
    /// First second in which it was in force.
    pub from: UnixSeconds,
    /// Price of a million billing tokens.
    pub million_tokens_usdc_e6: u64,
    /// Tokens free of charge, per account and month.
    pub free_tokens_per_month: u64,
    /// Price of thirty days of builder; none where it is not for sale.
    pub builder_usdc_e6: Option<u64>,
    /// Price of thirty days of protocol; none where it is not for sale.
    pub protocol_usdc_e6: Option<u64>,
    /// The part of a charge that its integrator keeps, in percent.
    pub revenue_share_percent: u8,
    /// Availability promised to integrators, in millionths.
    pub availability_e6: u32,
}

impl PriceList {
    /// The list of a configuration.
    #[must_use]
    pub fn of(plans: &Plans, from: UnixSeconds) -> Self {
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

    /// Whether both charge and promise the same.
    pub(crate) fn is_same(&self, other: &Self) -> bool {
        *self == Self { from: self.from, ..other.clone() }
    }

    /// Price of thirty days of a tier; none where it is free or not for sale.
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
        let list = PriceList::of(&Plans::default(), UnixSeconds(1_769_904_000));
        let pinned = "\u{1}{\"from\":1769904000,\"million_tokens_usdc_e6\":10000000,\
            \"free_tokens_per_month\":1000000,\"builder_usdc_e6\":50000000,\"protocol_usdc_e6\":\
            500000000,\"revenue_share_percent\":70,\"availability_e6\":999000}";
        let row = superroot_account::row::encode(&list);
        assert_eq!(String::from_utf8(row).unwrap(), pinned);
    }
}
