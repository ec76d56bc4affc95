//! `GET /api/v1/plans`: tiers, grids, limits, prices and commercial models, from configuration.

use std::num::NonZeroU32;

use axum::extract::State;
use serde_json::{Value, json};
use superroot_account::{
    Access, AccountService, ChargeTerms, Grid, KEY_PATTERN, PERIOD_SECONDS, ROUTES,
    SIGNAL_EVENT_WEIGHT, Tier,
};
use superroot_wire::account::usdc;

use crate::dress::Answer;
use crate::service::Shared;

pub(super) async fn plans(State(service): State<Shared>) -> Answer {
    Answer::new(body(&service.api.accounts))
}

fn body(service: &AccountService) -> Value {
    let config = service.config();
    let plans = &config.plans;
    let tiers = Tier::ALL.map(|tier| tier_members(service, tier));
    let grids = Grid::ALL.map(|grid| json!({ "grid": grid, "routes": routes_of(grid) }));
    let routes = ROUTES.iter().map(|route| {
        json!({
            "path": route.path,
            "grid": route.grid,
            "access": access_name(route.access),
            "billing_weight": route.weight,
        })
    });
    let metered = &plans.pay_as_you_go;
    let (integrator, enterprise) = (&plans.integrator, &plans.enterprise);
    json!({
        "environment": config.keys.environment.name(),
        "key_pattern": KEY_PATTERN,
        "keyless": {
            "rate_limit_rpm": NonZeroU32::new(config.limit.keyless_per_minute), // 0: no limit
            "counted_by": "address",
        },
        "subscription": {
            "period_days": PERIOD_SECONDS / 86_400,
            "grace_seconds": plans.subscription.grace_seconds,
            "payment": ["USDC", "ETH"],
            "payment_chain_id": plans.subscription.payment_chain_id,
        },
        "tiers": tiers,
        "grids": grids,
        "routes": routes.collect::<Value>(),
        "commercial_models": {
            "pay_as_you_go": {
                "million_tokens_usdc": usdc(metered.million_tokens_usdc_e6.into()),
                "free_tokens_per_month": metered.free_tokens_per_month,
                "signal_event_weight": SIGNAL_EVENT_WEIGHT,
            },
            "integrator": {
                "monthly": charge(&integrator.monthly),
                "yearly": charge(&integrator.yearly),
                "rate_limit_rpm": integrator.limit_per_minute,
                "revenue_share_percent": integrator.revenue_share_percent,
                "availability_percent": f64::from(integrator.availability_e6) / 1e4,
                "sub_accounts_max": integrator.sub_accounts_max,
            },
            "enterprise": {
                "rate_limit_rpm": enterprise.limit_per_minute,
                "rate_limit_rpm_max": enterprise.limit_per_minute_max,
                "price_usdc": null,
            },
        },
    })
}

fn tier_members(service: &AccountService, tier: Tier) -> Value {
    let plan = service.plans().tier(tier);
    let transports: &[&str] = match tier {
        Tier::Explorer => &["rest"],
        Tier::Builder => &["rest", "sse"],
        Tier::Protocol | Tier::Enterprise => &["rest", "sse", "grpc"],
    };
    json!({
        "tier": tier.name(),
        "rate_limit_rpm": plan.limit_per_minute,
        "price_usdc": plan.price_usdc_e6.map(|price| usdc(price.into())),
        "is_custom": plan.price_usdc_e6.is_none(),
        "grids": plan.grids,
        "keys_max": plan.keys_max,
        "transports": transports,
    })
}

fn routes_of(grid: Grid) -> Vec<&'static str> {
    let of_grid = ROUTES.iter().filter(|route| route.grid == Some(grid));
    of_grid.map(|route| route.path).collect()
}

fn charge(terms: &ChargeTerms) -> Value {
    let (min, max) = (usdc(terms.min_usdc_e6.into()), usdc(terms.max_usdc_e6.into()));
    json!({ "min_usdc": min, "max_usdc": max })
}

/// What a route asks, in one word: `anyone`, `any_key`, or the lowest tier.
pub(crate) const fn access_name(access: Access) -> &'static str {
    match access {
        Access::Anyone => "anyone",
        Access::AnyKey => "any_key",
        Access::AtLeast(tier) => tier.name(),
    }
}
