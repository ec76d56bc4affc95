//! Tiers, prices and commercial models as configuration; defaults are the specification's figures (sections 8.1 to
//! 8.3).
//!
//! Amounts are millionths of a USDC (`usdc_e6`); a USD of the specification is billed as a USDC.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};
use superroot_types::{OutOfBounds, SAFE_INTEGER_MAX};

use crate::{AccountError, Tier};

/// One USDC, in millionths.
const USDC: u64 = 1_000_000;

/// Group of routes (specification 4.3).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Grid {
    /// SuperRoots and inclusion proofs.
    G1,
    G2,
    /// Events, filters, transaction and log proofs.
    G3,
    /// Prices.
    G4,
    /// Signals.
    G5,
}

impl Grid {
    pub const ALL: [Self; 5] = [Self::G1, Self::G2, Self::G3, Self::G4, Self::G5];

    /// Name in configuration, scopes and answers.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::G1 => "G1",
            Self::G2 => "G2",
            Self::G3 => "G3",
            Self::G4 => "G4",
            Self::G5 => "G5",
        }
    }

    /// Names in one line, for the audit log.
    #[must_use]
    pub fn list(grids: &BTreeSet<Self>) -> String {
        let names: Vec<_> = grids.iter().map(|grid| grid.name()).collect();
        names.join(" ")
    }
}

/// Rights and price of a tier.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PricedTier {
    /// Requests a minute, equal to the burst; `None` if agreed per account.
    pub limit_per_minute: Option<u32>,
    /// Price of thirty days; `None` if not for sale.
    pub price_usdc_e6: Option<u64>,
    /// Fully open grids. The gate's table may open single routes of others.
    pub grids: Vec<Grid>,
    /// Most keys of an account.
    pub keys_max: u32,
    /// Most concurrent streams of an account.
    pub streams_max: u32,
    /// Most webhooks of an account.
    pub webhooks_max: u32,
    /// Most watched addresses and topics of an account.
    pub watches_max: u32,
    /// Blocks that a watch may reach back below the newest final one.
    pub watch_blocks_max: u64,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct TierPlans {
    /// Free.
    pub explorer: PricedTier,
    /// All of REST and streams.
    pub builder: PricedTier,
    /// With gRPC.
    pub protocol: PricedTier,
    /// By agreement.
    pub enterprise: PricedTier,
}

impl Default for TierPlans {
    fn default() -> Self {
        let plan = |limit,
                    price: Option<u64>,
                    grids: &[Grid],
                    [keys, streams, webhooks, watches]: [u32; 4],
                    watch_blocks_max| PricedTier {
            limit_per_minute: limit,
            price_usdc_e6: price.map(|price| price * USDC),
            grids: grids.to_vec(),
            keys_max: keys,
            streams_max: streams,
            webhooks_max: webhooks,
            watches_max: watches,
            watch_blocks_max,
        };
        Self {
            explorer: plan(Some(100), Some(0), &[Grid::G1, Grid::G2], [5, 0, 0, 0], 0),
            builder: plan(Some(1_000), Some(50), &Grid::ALL, [20, 10, 5, 50], 100_000),
            protocol: plan(Some(10_000), Some(500), &Grid::ALL, [100, 100, 50, 500], 1_000_000),
            enterprise: plan(None, None, &Grid::ALL, [1_000, 1_000, 500, 5_000], 10_000_000),
        }
    }
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct PlanTerms {
    /// Payment chain of subscriptions (specification, section 1): 1 to 2^53 - 1.
    pub payment_chain_id: u64,
    /// Time for which a tier remains after the last paid second; below 29 days.
    pub grace_seconds: u64,
}

impl Default for PlanTerms {
    fn default() -> Self {
        Self { payment_chain_id: 8_453, grace_seconds: 3 * 86_400 }
    }
}

/// Metered billing (specification 8.3).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct MeteredTerms {
    /// Price of a million billing tokens.
    pub million_tokens_usdc_e6: u64,
    /// Free tokens per account and month.
    pub free_tokens_per_month: u64,
    /// Most debt of an account without an agreement before payment is due; 0 for no limit.
    pub owed_usdc_e6_max: u64,
}

impl Default for MeteredTerms {
    fn default() -> Self {
        Self {
            million_tokens_usdc_e6: 10 * USDC,
            free_tokens_per_month: 1_000_000,
            owed_usdc_e6_max: 100 * USDC,
        }
    }
}

/// An agreed fee's bounds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ChargeTerms {
    pub min_usdc_e6: u64,
    pub max_usdc_e6: u64,
}

impl ChargeTerms {
    #[must_use]
    pub const fn holds(&self, fee_usdc_e6: u64) -> bool {
        self.min_usdc_e6 <= fee_usdc_e6 && fee_usdc_e6 <= self.max_usdc_e6
    }
}

/// Terms of integrators (specification 8.3).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct IntegratorTerms {
    pub monthly: ChargeTerms,
    pub yearly: ChargeTerms,
    /// Requests a minute, all sub-accounts together.
    pub limit_per_minute: u32,
    /// Integrator's share of its charges, in percent; the service has the rest.
    pub revenue_share_percent: u8,
    /// Promised availability, in millionths (999000 is 99.9%).
    pub availability_e6: u32,
    pub sub_accounts_max: u32,
}

impl Default for IntegratorTerms {
    fn default() -> Self {
        Self {
            monthly: ChargeTerms { min_usdc_e6: 99 * USDC, max_usdc_e6: 999 * USDC },
            yearly: ChargeTerms { min_usdc_e6: 999 * USDC, max_usdc_e6: 9_999 * USDC },
            limit_per_minute: 5_000,
            revenue_share_percent: 70,
            availability_e6: 999_000,
            sub_accounts_max: 1_000,
        }
    }
}

/// Initial terms of enterprise accounts; each has an individual agreement.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct EnterpriseTerms {
    /// Requests a minute before an agreement.
    pub limit_per_minute: u32,
    /// Highest agreeable limit.
    pub limit_per_minute_max: u32,
}

impl Default for EnterpriseTerms {
    fn default() -> Self {
        Self { limit_per_minute: 10_000, limit_per_minute_max: 10_000_000 }
    }
}

/// A tier's field paths.
macro_rules! tier_fields {
    ($tier:literal) => {
        [
            concat!("plans.tiers.", $tier, ".limit_per_minute"),
            concat!("plans.tiers.", $tier, ".price_usdc_e6"),
            concat!("plans.tiers.", $tier, ".keys_max"),
            concat!("plans.tiers.", $tier, ".streams_max"),
            concat!("plans.tiers.", $tier, ".webhooks_max"),
            concat!("plans.tiers.", $tier, ".watches_max"),
            concat!("plans.tiers.", $tier, ".watch_blocks_max"),
        ]
    };
}
/// All prices and limits by tier and model.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct PlanTable {
    pub tiers: TierPlans,
    pub subscription: PlanTerms,
    pub pay_as_you_go: MeteredTerms,
    pub integrator: IntegratorTerms,
    pub enterprise: EnterpriseTerms,
}

/// Largest price or fee: a billion USDC. Sums of a million lines fit into 64 bits.
const PRICE_USDC_E6_MAX: u64 = 1_000_000_000 * USDC;

impl PlanTable {
    #[must_use]
    pub const fn tier(&self, tier: Tier) -> &PricedTier {
        match tier {
            Tier::Explorer => &self.tiers.explorer,
            Tier::Builder => &self.tiers.builder,
            Tier::Protocol => &self.tiers.protocol,
            Tier::Enterprise => &self.tiers.enterprise,
        }
    }

    /// Price of thirty days of a tier; `None` if free or not for sale.
    #[must_use]
    pub fn price_usdc_e6(&self, tier: Tier) -> Option<u64> {
        self.tier(tier).price_usdc_e6.filter(|price| *price > 0)
    }

    /// Requests a minute of a tier; for enterprise, before an agreement.
    #[must_use]
    pub fn limit_per_minute(&self, tier: Tier) -> u32 {
        self.tier(tier).limit_per_minute.unwrap_or(self.enterprise.limit_per_minute)
    }

    /// Checks every figure.
    ///
    /// # Errors
    /// [`AccountError::Bounds`] or [`AccountError::Config`] with the path of the first field out of range.
    pub fn validate(&self) -> Result<(), AccountError> {
        self.validate_tiers()?;
        let Self { subscription, pay_as_you_go, integrator, enterprise, .. } = self;
        let monthly = integrator.monthly;
        let yearly = integrator.yearly;
        let most = PRICE_USDC_E6_MAX;
        let limit_max = u64::from(enterprise.limit_per_minute_max);
        let million_tokens = pay_as_you_go.million_tokens_usdc_e6;
        let availability = integrator.availability_e6.into();
        OutOfBounds::check([
            (
                "plans.subscription.payment_chain_id",
                subscription.payment_chain_id,
                1..=SAFE_INTEGER_MAX,
            ),
            ("plans.subscription.grace_seconds", subscription.grace_seconds, 0..=29 * 86_400 - 1),
            ("plans.pay_as_you_go.million_tokens_usdc_e6", million_tokens, 0..=most),
            ("plans.pay_as_you_go.owed_usdc_e6_max", pay_as_you_go.owed_usdc_e6_max, 0..=most),
            ("plans.integrator.monthly.max_usdc_e6", monthly.max_usdc_e6, 0..=most),
            ("plans.integrator.monthly.min_usdc_e6", monthly.min_usdc_e6, 0..=monthly.max_usdc_e6),
            ("plans.integrator.yearly.max_usdc_e6", yearly.max_usdc_e6, 0..=most),
            ("plans.integrator.yearly.min_usdc_e6", yearly.min_usdc_e6, 0..=yearly.max_usdc_e6),
            (
                "plans.integrator.limit_per_minute",
                integrator.limit_per_minute.into(),
                1..=10_000_000,
            ),
            (
                "plans.integrator.revenue_share_percent",
                integrator.revenue_share_percent.into(),
                0..=100,
            ),
            ("plans.integrator.availability_e6", availability, 0..=1_000_000),
            ("plans.integrator.sub_accounts_max", integrator.sub_accounts_max.into(), 1..=100_000),
            (
                "plans.enterprise.limit_per_minute",
                enterprise.limit_per_minute.into(),
                1..=limit_max,
            ),
        ])?;
        Ok(())
    }

    fn validate_tiers(&self) -> Result<(), AccountError> {
        const FIELDS: [[&str; 7]; 4] = [
            tier_fields!("explorer"),
            tier_fields!("builder"),
            tier_fields!("protocol"),
            tier_fields!("enterprise"),
        ];
        let mut limit_below = 1;
        for (tier, fields) in Tier::ALL.into_iter().zip(FIELDS) {
            let [limit, price, keys, streams, webhooks, watches, watch_blocks] = fields;
            let plan = self.tier(tier);
            if plan.limit_per_minute.is_none() && tier != Tier::Enterprise {
                let got = "nothing".into();
                let expected = "a number".into();
                return Err(AccountError::Config { field: limit, got, expected });
            }
            let limit_here = plan.limit_per_minute.map_or(limit_below, u64::from);
            let most = if tier == Tier::Explorer { 0 } else { PRICE_USDC_E6_MAX };
            let cheaper = self.price_usdc_e6(Tier::Builder).filter(|_| tier == Tier::Protocol);
            let least = cheaper.unwrap_or(0);
            OutOfBounds::check([
                (limit, limit_here, limit_below..=10_000_000),
                (price, self.price_usdc_e6(tier).unwrap_or(least), least..=most),
                (keys, plan.keys_max.into(), 1..=100_000),
                (streams, plan.streams_max.into(), 0..=1_000_000),
                (webhooks, plan.webhooks_max.into(), 0..=10_000),
                (watches, plan.watches_max.into(), 0..=100_000),
                (watch_blocks, plan.watch_blocks_max, 0..=1_000_000_000),
            ])?;
            limit_below = limit_here;
        }
        Ok(())
    }
}

/// Billing tokens per event of a signal stream.
pub const SIGNAL_EVENT_WEIGHT: u32 = 1;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::PERIOD_SECONDS;

    #[test]
    fn the_defaults_are_the_figures_of_the_specification() {
        let plans = PlanTable::default();
        plans.validate().unwrap();
        assert_eq!(
            Tier::ALL.map(|tier| plans.tier(tier).limit_per_minute),
            [Some(100), Some(1_000), Some(10_000), None]
        );
        let prices = Tier::ALL.map(|tier| plans.price_usdc_e6(tier));
        assert_eq!(prices, [None, Some(50 * USDC), Some(500 * USDC), None]);
        assert_eq!(plans.pay_as_you_go.million_tokens_usdc_e6, 10 * USDC);
        assert_eq!(plans.pay_as_you_go.free_tokens_per_month, 1_000_000);
        let integrator = &plans.integrator;
        assert!(integrator.monthly.holds(99 * USDC) && integrator.monthly.holds(999 * USDC));
        assert!(!integrator.monthly.holds(98 * USDC) && !integrator.yearly.holds(10_000 * USDC));
        assert!(integrator.yearly.holds(9_999 * USDC) && integrator.yearly.holds(999 * USDC));
        assert_eq!(integrator.limit_per_minute, 5_000);
        assert_eq!((integrator.revenue_share_percent, integrator.availability_e6), (70, 999_000));
        assert_eq!(PERIOD_SECONDS, 2_592_000);
    }

    /// A field, and what puts it out of range.
    type Bend = (&'static str, fn(&mut PlanTable));

    #[test]
    fn a_figure_out_of_range_is_named() {
        let bend: [Bend; 11] = [
            ("payment_chain_id", |p| p.subscription.payment_chain_id = 0),
            ("explorer.price_usdc_e6", |p| p.tiers.explorer.price_usdc_e6 = Some(1)),
            ("builder.limit_per_minute", |p| p.tiers.builder.limit_per_minute = Some(99)),
            ("protocol.limit_per_minute", |p| p.tiers.protocol.limit_per_minute = None),
            ("protocol.price_usdc_e6", |p| p.tiers.protocol.price_usdc_e6 = Some(1)),
            ("enterprise.keys_max", |p| p.tiers.enterprise.keys_max = 0),
            ("builder.streams_max", |p| p.tiers.builder.streams_max = u32::MAX),
            ("grace_seconds", |p| p.subscription.grace_seconds = 29 * 86_400),
            ("million_tokens_usdc_e6", |p| p.pay_as_you_go.million_tokens_usdc_e6 = u64::MAX),
            ("revenue_share_percent", |p| p.integrator.revenue_share_percent = 101),
            ("monthly.min_usdc_e6", |p| p.integrator.monthly.min_usdc_e6 = 1_000 * USDC),
        ];
        for (field, bend) in bend {
            let mut plans = PlanTable::default();
            bend(&mut plans);
            let text = plans.validate().unwrap_err().to_string();
            assert!(text.contains(field), "{field}: {text}");
        }
    }

    #[test]
    fn configuration_is_read_as_it_is_written_and_unknown_names_are_refused() {
        let text = serde_json::to_string(&PlanTable::default()).unwrap();
        assert_eq!(serde_json::from_str::<PlanTable>(&text).unwrap(), PlanTable::default());
        let plans: PlanTable =
            serde_json::from_str(r#"{"subscription":{"grace_seconds":7}}"#).unwrap();
        assert_eq!(plans.subscription.grace_seconds, 7);
        assert_eq!(plans.tiers, TierPlans::default());
        assert!(serde_json::from_str::<PlanTable>(r#"{"grace":7}"#).is_err());
    }
}
