//! `GET /api/v1/plans`: tiers, grids, limits and commercial models from configuration; price list for the current
//! month.

use axum::extract::State;
use superroot_account::{
    AccountConfig, AccountService, ChargeTerms, Grid, KEY_PATTERN, Month, PERIOD_SECONDS,
    SIGNAL_EVENT_WEIGHT, Tier,
};
use superroot_billing::{BillingError, BillingLedger, PriceList};
use superroot_wire::account::{
    CommercialModels, EnterpriseModel, FeeRange, GridPlan, IntegratorModel, KeylessPlan,
    PayAsYouGo, Plans, RoutePlan, SubscriptionTerms, TierPlan, usdc,
};

use crate::ApiError;
use crate::answer::ApiAnswer;
use crate::route::access_name;
use crate::routes::metered_routes;
use crate::service::Shared;

pub(super) async fn plans(State(service): State<Shared>) -> Result<ApiAnswer, ApiError> {
    let load = |billing: &BillingLedger| metered(billing);
    let metered = service.billing(load).await?;
    Ok(ApiAnswer::of(&body(&service.api.accounts, metered)))
}

/// Billing token prices for the current and the next month.
fn metered(billing: &BillingLedger) -> Result<PayAsYouGo, BillingError> {
    let month = Month::of(billing.now())?;
    let list = billing.price_list(month)?;
    let next = PriceList::of(billing.plans(), billing.now());
    Ok(PayAsYouGo {
        million_tokens_usdc: usdc(list.million_tokens_usdc_e6.into()),
        free_tokens_per_month: list.free_tokens_per_month,
        signal_event_weight: SIGNAL_EVENT_WEIGHT.into(),
        next_million_tokens_usdc: usdc(next.million_tokens_usdc_e6.into()),
        next_free_tokens_per_month: next.free_tokens_per_month,
    })
}

fn body(service: &AccountService, metered: PayAsYouGo) -> Plans {
    let config = service.config();
    let plans = &config.plans;
    let routes = metered_routes().iter().map(|route| RoutePlan {
        path: route.path.to_owned(),
        grid: route.grid.map(|grid| grid.name().to_owned()),
        access: access_name(route.access).to_owned(),
        billing_weight: route.weight,
    });
    Plans {
        environment: config.keys.environment.name().to_owned(),
        key_pattern: KEY_PATTERN.to_owned(),
        keyless: KeylessPlan {
            // 0: no limit
            rate_limit_rpm: Some(config.limit.keyless_per_minute).filter(|limit| *limit > 0),
            counted_by: "address".to_owned(),
        },
        subscription: SubscriptionTerms {
            period_days: PERIOD_SECONDS / 86_400,
            grace_seconds: plans.subscription.grace_seconds,
            payment: vec!["USDC".to_owned(), "ETH".to_owned()],
            payment_chain_id: plans.subscription.payment_chain_id,
        },
        tiers: Tier::ALL.map(|tier| tier_plan(service, tier)).to_vec(),
        grids: Grid::ALL.map(grid_plan).to_vec(),
        routes: routes.collect(),
        commercial_models: models(config, metered),
    }
}

fn models(config: &AccountConfig, pay_as_you_go: PayAsYouGo) -> CommercialModels {
    let plans = &config.plans;
    let integrator = &plans.integrator;
    let enterprise = &plans.enterprise;
    CommercialModels {
        pay_as_you_go,
        integrator: IntegratorModel {
            monthly: charge(&integrator.monthly),
            yearly: charge(&integrator.yearly),
            rate_limit_rpm: integrator.limit_per_minute,
            revenue_share_percent: integrator.revenue_share_percent,
            availability_percent: f64::from(integrator.availability_e6) / 1e4,
            sub_accounts_max: integrator.sub_accounts_max,
        },
        enterprise: EnterpriseModel {
            rate_limit_rpm: enterprise.limit_per_minute,
            rate_limit_rpm_max: enterprise.limit_per_minute_max,
            price_usdc: None,
        },
    }
}

fn tier_plan(service: &AccountService, tier: Tier) -> TierPlan {
    let plan = service.plans().tier(tier);
    let transports: &[&str] = match tier {
        Tier::Explorer => &["rest"],
        Tier::Builder => &["rest", "sse"],
        Tier::Protocol | Tier::Enterprise => &["rest", "sse", "grpc"],
    };
    TierPlan {
        tier: tier.name().to_owned(),
        rate_limit_rpm: plan.limit_per_minute,
        price_usdc: plan.price_usdc_e6.map(|price| usdc(price.into())),
        is_custom: plan.price_usdc_e6.is_none(),
        grids: plan.grids.iter().map(|grid| grid.name().to_owned()).collect(),
        keys_max: plan.keys_max,
        streams_max: plan.streams_max,
        webhooks_max: plan.webhooks_max,
        watches_max: plan.watches_max,
        watch_blocks_max: plan.watch_blocks_max,
        transports: transports.iter().map(|one| (*one).to_owned()).collect(),
    }
}

fn grid_plan(grid: Grid) -> GridPlan {
    let routes = metered_routes().iter().filter(|route| route.grid == Some(grid));
    let routes = routes.map(|route| route.path.to_owned()).collect();
    GridPlan { grid: grid.name().to_owned(), routes }
}

fn charge(terms: &ChargeTerms) -> FeeRange {
    let min_usdc = usdc(terms.min_usdc_e6.into());
    let max_usdc = usdc(terms.max_usdc_e6.into());
    FeeRange { min_usdc, max_usdc }
}
