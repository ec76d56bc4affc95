//! Tiers, prices and commercial models, as they are published.

use serde::Serialize;
use serde_json::Number;
#[cfg(feature = "schema")]
use utoipa::ToSchema;

/// Tiers, prices and models, from configuration (`GET /api/v1/plans`).
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(ToSchema))]
pub struct Plans {
    /// `live` or `test`.
    pub environment: String,
    /// Regular expression that every key matches.
    pub key_pattern: String,
    /// What holds without a key.
    pub keyless: KeylessPlan,
    /// How subscriptions run, and what they are paid in.
    pub subscription: SubscriptionTerms,
    /// Lowest first.
    pub tiers: Vec<TierPlan>,
    /// The grids, and the routes of each.
    pub grids: Vec<GridPlan>,
    /// What every route asks and weighs.
    pub routes: Vec<RoutePlan>,
    /// Pay-as-you-go, integrator, enterprise.
    pub commercial_models: CommercialModels,
}

/// What holds without a key.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(ToSchema))]
pub struct KeylessPlan {
    /// Requests a minute; `null`: no limit.
    pub rate_limit_rpm: Option<u32>,
    /// What they are counted by: `address`.
    pub counted_by: String,
}

/// How subscriptions run.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(ToSchema))]
pub struct SubscriptionTerms {
    /// Days that a payment of the price gives.
    pub period_days: u64,
    /// How long a tier goes on after the end.
    pub grace_seconds: u64,
    /// What is taken.
    pub payment: Vec<String>,
    /// The chain on which it is paid.
    pub payment_chain_id: u64,
}

/// What a tier gives and costs.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(ToSchema))]
pub struct TierPlan {
    /// Its name.
    pub tier: String,
    /// Requests a minute; `null`: by agreement.
    pub rate_limit_rpm: Option<u32>,
    /// Price of a period; `null`: by agreement.
    #[cfg_attr(feature = "schema", schema(value_type = Option<f64>))]
    pub price_usdc: Option<Number>,
    /// Whether it is by agreement.
    pub is_custom: bool,
    /// Grids that are open whole.
    pub grids: Vec<String>,
    /// Keys in force at one time.
    pub keys_max: u32,
    /// Streams open at one time.
    pub streams_max: u32,
    /// Webhooks.
    pub webhooks_max: u32,
    /// Addresses and topics watched.
    pub watches_max: u32,
    /// Blocks that a watch may reach back, below the newest final one.
    pub watch_blocks_max: u64,
    /// `rest`, `sse`, `grpc`.
    pub transports: Vec<String>,
}

/// A group of routes.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(ToSchema))]
pub struct GridPlan {
    /// Its name.
    pub grid: String,
    /// Paths of its routes.
    pub routes: Vec<String>,
}

/// What a route asks and weighs.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(ToSchema))]
pub struct RoutePlan {
    /// Its path.
    pub path: String,
    /// Its grid.
    pub grid: Option<String>,
    /// `anyone`, `any_key`, or the lowest tier.
    pub access: String,
    /// Billing tokens of a successful answer.
    pub billing_weight: u32,
}

/// What can be agreed on.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(ToSchema))]
pub struct CommercialModels {
    /// Billing tokens.
    pub pay_as_you_go: PayAsYouGo,
    /// For who has customers of their own.
    pub integrator: IntegratorModel,
    /// Per account.
    pub enterprise: EnterpriseModel,
}

/// What billing tokens cost.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(ToSchema))]
pub struct PayAsYouGo {
    /// A million of them.
    #[cfg_attr(feature = "schema", schema(value_type = f64))]
    pub million_tokens_usdc: Number,
    /// Those free of charge.
    pub free_tokens_per_month: u64,
    /// What each event of a signal stream weighs.
    pub signal_event_weight: u64,
    /// A million from next month on.
    #[cfg_attr(feature = "schema", schema(value_type = f64))]
    pub next_million_tokens_usdc: Number,
    /// Free from next month on.
    pub next_free_tokens_per_month: u64,
}

/// What integrators are offered.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(ToSchema))]
pub struct IntegratorModel {
    /// Fee a month.
    pub monthly: FeeRange,
    /// Fee a year.
    pub yearly: FeeRange,
    /// Requests a minute.
    pub rate_limit_rpm: u32,
    /// Their part of what their customers are charged.
    pub revenue_share_percent: u8,
    /// What they are promised.
    pub availability_percent: f64,
    /// Accounts of customers.
    pub sub_accounts_max: u32,
}

/// Bounds of a fee.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(ToSchema))]
pub struct FeeRange {
    /// The lowest.
    #[cfg_attr(feature = "schema", schema(value_type = f64))]
    pub min_usdc: Number,
    /// The highest.
    #[cfg_attr(feature = "schema", schema(value_type = f64))]
    pub max_usdc: Number,
}

/// What is agreed per account.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(ToSchema))]
pub struct EnterpriseModel {
    /// Requests a minute, where nothing else is agreed.
    pub rate_limit_rpm: u32,
    /// The most.
    pub rate_limit_rpm_max: u32,
    /// `null`: by agreement.
    #[cfg_attr(feature = "schema", schema(value_type = Option<f64>))]
    pub price_usdc: Option<Number>,
}
