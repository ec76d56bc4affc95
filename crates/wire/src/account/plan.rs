//! Published tiers, prices and commercial models.

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
    /// Regular expression for keys.
    pub key_pattern: String,
    /// Terms without a key.
    pub keyless: KeylessPlan,
    /// Subscription and payment terms.
    pub subscription: SubscriptionTerms,
    /// Tiers, lowest first.
    pub tiers: Vec<TierPlan>,
    /// Grids with routes.
    pub grids: Vec<GridPlan>,
    /// Access and billing weight of every route.
    pub routes: Vec<RoutePlan>,
    /// Pay-as-you-go, integrator, enterprise.
    pub commercial_models: CommercialModels,
}

/// Terms without a key.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(ToSchema))]
pub struct KeylessPlan {
    /// Rate limit, in requests per minute; `null` for no limit.
    pub rate_limit_rpm: Option<u32>,
    /// Unit for counting requests: `address`.
    pub counted_by: String,
}

/// Subscription terms.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(ToSchema))]
pub struct SubscriptionTerms {
    /// Days per payment of the price.
    pub period_days: u64,
    /// Seconds for which a tier continues after the end.
    pub grace_seconds: u64,
    /// Accepted payment.
    pub payment: Vec<String>,
    /// Chain id for payment.
    pub payment_chain_id: u64,
}

/// Tier benefits and price.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(ToSchema))]
pub struct TierPlan {
    /// Tier name.
    pub tier: String,
    /// Rate limit, in requests per minute; `null` by agreement.
    pub rate_limit_rpm: Option<u32>,
    /// Price per period, in USDC; `null` by agreement.
    #[cfg_attr(feature = "schema", schema(value_type = Option<f64>))]
    pub price_usdc: Option<Number>,
    /// Whether the tier is by agreement.
    pub is_custom: bool,
    /// Grids open in full.
    pub grids: Vec<String>,
    /// Maximum number of active keys.
    pub keys_max: u32,
    /// Maximum number of open streams.
    pub streams_max: u32,
    /// Maximum number of webhooks.
    pub webhooks_max: u32,
    /// Maximum number of watched addresses and topics.
    pub watches_max: u32,
    /// Maximum number of blocks that a watch may reach back from the newest final block.
    pub watch_blocks_max: u64,
    /// `rest`, `sse`, `grpc`.
    pub transports: Vec<String>,
}

/// Group of routes.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(ToSchema))]
pub struct GridPlan {
    /// Grid name.
    pub grid: String,
    /// Route paths.
    pub routes: Vec<String>,
}

/// Access and billing weight of one route.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(ToSchema))]
pub struct RoutePlan {
    /// Route path.
    pub path: String,
    /// Grid.
    pub grid: Option<String>,
    /// `anyone`, `any_key`, or the lowest permitted tier.
    pub access: String,
    /// Billing tokens per successful answer.
    pub billing_weight: u32,
}

/// Commercial models.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(ToSchema))]
pub struct CommercialModels {
    /// Billing tokens.
    pub pay_as_you_go: PayAsYouGo,
    /// Model for integrators with customers.
    pub integrator: IntegratorModel,
    /// Model agreed per account.
    pub enterprise: EnterpriseModel,
}

/// Billing token prices.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(ToSchema))]
pub struct PayAsYouGo {
    /// Price per million tokens, in USDC.
    #[cfg_attr(feature = "schema", schema(value_type = f64))]
    pub million_tokens_usdc: Number,
    /// Free tokens per month.
    pub free_tokens_per_month: u64,
    /// Billing tokens per signal stream event.
    pub signal_event_weight: u64,
    /// Price per million tokens from next month on, in USDC.
    #[cfg_attr(feature = "schema", schema(value_type = f64))]
    pub next_million_tokens_usdc: Number,
    /// Free tokens per month from next month on.
    pub next_free_tokens_per_month: u64,
}

/// Integrator terms.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(ToSchema))]
pub struct IntegratorModel {
    /// Monthly fee.
    pub monthly: FeeRange,
    /// Yearly fee.
    pub yearly: FeeRange,
    /// Requests per minute.
    pub rate_limit_rpm: u32,
    /// Integrator's share of customer charges, in percent.
    pub revenue_share_percent: u8,
    /// Promised availability, in percent.
    pub availability_percent: f64,
    /// Maximum number of customer accounts.
    pub sub_accounts_max: u32,
}

/// Fee bounds.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(ToSchema))]
pub struct FeeRange {
    /// Lowest fee, in USDC.
    #[cfg_attr(feature = "schema", schema(value_type = f64))]
    pub min_usdc: Number,
    /// Highest fee, in USDC.
    #[cfg_attr(feature = "schema", schema(value_type = f64))]
    pub max_usdc: Number,
}

/// Terms agreed per account.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(ToSchema))]
pub struct EnterpriseModel {
    /// Default rate limit, in requests per minute.
    pub rate_limit_rpm: u32,
    /// Maximum rate limit, in requests per minute.
    pub rate_limit_rpm_max: u32,
    /// Price in USDC; `null` by agreement.
    #[cfg_attr(feature = "schema", schema(value_type = Option<f64>))]
    pub price_usdc: Option<Number>,
}
