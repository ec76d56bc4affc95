//! Accounts, keys, usage and invoices as JSON (specification 2.1 to 2.3). Member names from the specification are
//! unchanged.
//!
//! Times are Unix seconds; where the specification says ISO 8601, times are [`UnixSeconds::iso_8601`]. Amounts are USDC
//! with up to six decimal digits ([`usdc`]).

mod checkpoint;
mod list;
mod pass;
mod plan;
mod request;

use serde::{Deserialize, Serialize};
use serde_json::Number;
use superroot_types::{Hash, UnixSeconds};
#[cfg(feature = "schema")]
use utoipa::ToSchema;

pub use checkpoint::{
    AccountLeaf, UsageCheckpoint, UsageCheckpointList, UsageProof, UsageProofRow,
};
pub use list::{
    Availability, InvoiceList, IssuedSubAccount, KeyList, SubAccountList, UsageHistory,
};
pub use pass::{
    BoughtPass, PaidResource, Pass, PassList, PassRequest, PaymentPayload, PaymentRequired,
    PaymentRequirements, Settlement, SignedAuthorization, TransferAuthorization, X402_VERSION,
};
pub use plan::{
    CommercialModels, EnterpriseModel, FeeRange, GridPlan, IntegratorModel, KeylessPlan,
    PayAsYouGo, Plans, RoutePlan, SubscriptionTerms, TierPlan,
};
pub use request::{KeyRequest, RegisterRequest, RotateRequest, SubAccountRequest, WalletRequest};

/// Token for opening one stream (`POST /api/v1/stream-token`).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(ToSchema))]
pub struct StreamToken {
    /// Value for the parameter `?token=` of one stream.
    pub token: String,
    /// Seconds until the token expires unused.
    pub expires_in_seconds: u64,
}

/// New account (`POST /api/v1/register`). The key is shown only in this answer.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(ToSchema))]
pub struct Registration {
    /// API key.
    pub api_key: String,
    /// Granted tier.
    pub tier: String,
    /// Requests per minute.
    pub rate_limit: u32,
    /// Account id (UUID).
    pub user_id: String,
    /// The key's first characters.
    pub key_prefix: String,
    /// Key id (not secret).
    pub key_id: String,
    /// `live` or `test`.
    pub environment: String,
    /// Wallet address. Without a signature, the registration only claims the wallet.
    pub wallet_address: String,
    /// Whether a wallet signature proves the claim.
    pub wallet_proven: bool,
    /// Subscription status.
    pub subscription_status: String,
    /// Where to sign, if a claimed wallet has paid, or another tier was requested without a signature.
    pub prove_wallet: Option<ProveWallet>,
}

/// Message to be signed by a wallet (`GET /api/v1/register/challenge`).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(ToSchema))]
pub struct Challenge {
    /// Wallet address.
    pub wallet_address: String,
    /// Exact bytes to sign with `personal_sign` (EIP-4361).
    pub message: String,
    /// Nonce, 32 hex digits.
    pub nonce: String,
    /// Chain id in the message.
    pub chain_id: u64,
    /// Time of issue, in Unix seconds.
    pub issued_at: UnixSeconds,
    /// First second at which the message is no longer valid, in Unix seconds.
    pub expires_at: UnixSeconds,
    /// Whether contract signatures on the chain can be checked here.
    pub contract_wallets: bool,
}

/// Proven wallet (`POST /api/v1/wallet`), with the resulting account rights.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(ToSchema))]
pub struct WalletProof {
    /// Account id (UUID).
    pub user_id: String,
    /// Wallet address.
    pub wallet_address: String,
    /// `true`.
    pub wallet_proven: bool,
    /// `own_key` or `contract`.
    pub proven_by: String,
    /// Chain id in the message.
    pub chain_id: u64,
    /// Current account tier.
    pub tier: String,
    /// Requests per minute.
    pub rate_limit_rpm: u32,
    /// Subscription status.
    pub subscription_status: String,
    /// The subscription's end, ISO 8601.
    pub expires_at: Option<String>,
}

/// Steps for moving a wallet's payment to an account.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(ToSchema))]
pub struct ProveWallet {
    /// Wallet address.
    pub wallet_address: String,
    /// Path to request the message to sign.
    pub challenge: String,
    /// Path to submit the signed message, with the key to be upgraded.
    pub submit: String,
}

/// An account's subscription.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(ToSchema))]
pub struct Subscription {
    /// `none`, `pending`, `active`, `grace`, `expired` or `revoked`.
    pub status: String,
    /// The subscription's end, ISO 8601; `null` if there never was a subscription.
    pub expires_at: Option<String>,
    /// Total paid for subscriptions less refunds, in USDC.
    #[cfg_attr(feature = "schema", schema(value_type = f64))]
    pub amount_paid_usdc: Number,
    /// Where to sign, if a claimed wallet has paid.
    pub prove_wallet: Option<ProveWallet>,
    /// Payments of proven wallets, newest first.
    #[serde(default)]
    pub payments: Vec<SubscriptionPayment>,
}

/// Payment at a registry contract.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(ToSchema))]
pub struct SubscriptionPayment {
    /// `pending`: not final yet, its tier is provisional; `counted`.
    pub state: String,
    /// Tier.
    pub tier: String,
    /// Price, in USDC.
    #[cfg_attr(feature = "schema", schema(value_type = f64))]
    pub usdc: Number,
    /// Block time, ISO 8601.
    pub paid_at: String,
    /// Transaction hash.
    pub transaction_hash: Hash,
    /// Route of the payment's proof.
    pub proof_url: String,
}

/// Request count for one route.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(ToSchema))]
pub struct EndpointCount {
    /// Route path, with placeholders for variable parts.
    pub endpoint: String,
    /// Number of requests.
    pub count: u64,
}

/// Billing tokens in one month.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(ToSchema))]
pub struct Billing {
    /// Month in UTC, such as `2026-02`.
    pub month: String,
    /// Tokens used.
    pub tokens_used: u64,
    /// Free tokens; `null` if a fee includes all tokens.
    pub tokens_free: Option<u64>,
    /// Remaining free tokens.
    pub tokens_left: Option<u64>,
    /// Balance so far, in USDC: closed months, charges and credit notes, less payments; negative if the service owes.
    #[cfg_attr(feature = "schema", schema(value_type = f64))]
    pub owes_usdc: Number,
}

/// Account usage (`GET /api/v1/usage`).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(ToSchema))]
pub struct Usage {
    /// Account id.
    pub user_id: String,
    /// Tier.
    pub tier: String,
    /// Requests since midnight UTC.
    pub requests_today: u64,
    /// Requests since the first day of the month, UTC.
    pub requests_this_month: u64,
    /// Requests per minute.
    pub rate_limit_rpm: u32,
    /// Routes with the most requests this month.
    pub top_endpoints: Vec<EndpointCount>,
    /// Subscription.
    pub subscription: Subscription,
    /// Billing tokens.
    pub billing: Billing,
}

/// Key check (`GET /api/v1/verify`): validity and rights.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(ToSchema))]
pub struct Verification {
    /// Always `true`: an invalid key is answered with 401.
    pub valid: bool,
    /// Tier.
    pub tier: String,
    /// Requests per minute.
    pub rate_limit_rpm: u32,
    /// The subscription's end, ISO 8601; `null` if there never was a subscription.
    pub expires_at: Option<String>,
    /// Subscription status.
    pub subscription_status: String,
    /// Where to sign for a claimed wallet's payment; `null` if nothing is waiting.
    #[serde(default)]
    pub prove_wallet: Option<ProveWallet>,
    /// Account id.
    pub user_id: String,
    /// The request's key.
    pub key: KeyShown,
    /// Billing tokens.
    pub billing: Billing,
}

/// The request's key.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(ToSchema))]
pub struct KeyShown {
    /// Key id.
    pub id: String,
    /// The key's first characters.
    pub key_prefix: String,
    /// `live` or `test`.
    pub environment: String,
    /// Permitted chain ids; `null` permits every chain.
    pub chains: Option<Vec<u64>>,
    /// Permitted routes; `null` permits every route.
    pub routes: Option<Vec<String>>,
    /// First second at which the key is refused, in Unix seconds; `null` if the key does not expire.
    pub expires_at: Option<UnixSeconds>,
}

/// Key in a list.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(ToSchema))]
pub struct Key {
    /// Key id.
    pub id: String,
    /// The key's first characters.
    pub key_prefix: String,
    /// Label chosen by the owner.
    pub label: Option<String>,
    /// `active`, `retiring`, `rotated`, `expired` or `revoked`.
    pub state: String,
    /// Permitted chain ids; `null` permits every chain.
    pub chains: Option<Vec<u64>>,
    /// Permitted routes; `null` permits every route.
    pub routes: Option<Vec<String>>,
    /// Unix seconds.
    pub created_at: UnixSeconds,
    /// First second at which the key is refused, chosen by the owner, in Unix seconds.
    pub expires_at: Option<UnixSeconds>,
    /// First second at which the key is refused after a rotation, in Unix seconds.
    pub retires_at: Option<UnixSeconds>,
    /// Time of revocation, in Unix seconds.
    pub revoked_at: Option<UnixSeconds>,
    /// The replacement key's id.
    pub replaced_by: Option<String>,
    /// Whether the request used this key.
    pub is_presented: bool,
}

/// New key. The key is shown only in this answer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(ToSchema))]
pub struct IssuedKey {
    /// API key.
    pub api_key: String,
    /// Stored key details.
    pub key: Key,
}

/// Requests in one hour with equal key, route, chain and status.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(ToSchema))]
pub struct HourlyUsage {
    /// First second of the hour, in Unix seconds.
    pub hour: UnixSeconds,
    /// Key id.
    pub key_id: Option<String>,
    /// Route path.
    pub endpoint: String,
    /// Requested chain id.
    pub chain_id: Option<u64>,
    /// Status class, such as `2xx`.
    pub status: String,
    /// Number of requests.
    pub requests: u64,
    /// Billing tokens for the requests.
    pub billing_tokens: u64,
}

/// Invoice, or the draft for an open month.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(ToSchema))]
pub struct Invoice {
    /// Invoice number, such as `SR-LIVE-000042`; `null` for a draft.
    pub number: Option<String>,
    /// Whether the invoice is closed and final.
    pub is_closed: bool,
    /// Account id.
    pub user_id: String,
    /// Month in UTC, such as `2026-02`.
    pub month: String,
    /// Billed party.
    pub billed_to: String,
    /// Closing time, in Unix seconds; the current time for a draft.
    pub issued_at: UnixSeconds,
    /// Sum of the lines, in USDC; negative if the service owes.
    #[cfg_attr(feature = "schema", schema(value_type = f64))]
    pub total_usdc: Number,
    /// Requests of all lines.
    pub requests: u64,
    /// Billing tokens of all lines.
    pub billing_tokens: u64,
    /// Invoice lines; omitted in lists.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schema(nullable = false))]
    pub lines: Option<Vec<InvoiceLine>>,
}

/// Invoice line.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(ToSchema))]
pub struct InvoiceLine {
    /// `usage`, `fee`, `subscription`, `paid`, `refund`, `charge`, `revenue_share` or `credit_note`.
    pub kind: String,
    /// Description; the route path for usage.
    pub label: String,
    /// Chain id, for usage of one chain.
    pub chain_id: Option<u64>,
    /// Number of requests.
    pub requests: u64,
    /// Billing tokens.
    pub billing_tokens: u64,
    /// Free billing tokens among `billing_tokens`.
    pub free_tokens: u64,
    /// Amount, in USDC.
    #[cfg_attr(feature = "schema", schema(value_type = f64))]
    pub amount_usdc: Number,
}

/// Account of an integrator's customer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(ToSchema))]
pub struct SubAccount {
    /// Account id.
    pub user_id: String,
    /// Label chosen by the integrator.
    pub label: Option<String>,
    /// Opening time, in Unix seconds.
    pub created_at: UnixSeconds,
    /// Closing time, in Unix seconds.
    pub closed_at: Option<UnixSeconds>,
}

/// Returns an amount in USDC as a JSON number. Whole amounts are integers; others have up to six decimal digits, exact
/// up to four thousand million USDC.
#[must_use]
pub fn usdc(usdc_e6: i128) -> Number {
    let whole = usdc_e6 / 1_000_000;
    let rest = usdc_e6 % 1_000_000;
    match (i64::try_from(whole), rest) {
        (Ok(whole), 0) => whole.into(),
        // the nearest number to a decimal of 16 digits or fewer reads back as that decimal
        _ => Number::from_f64(usdc_e6 as f64 / 1e6).unwrap_or_else(|| 0.into()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use serde_json::{Value, json};

    #[test]
    fn amounts_are_numbers_without_a_needless_fraction() {
        for (usdc_e6, expected) in [
            (0, "0"),
            (50_000_000, "50"),
            (12_500_000, "12.5"),
            (1, "0.000001"),
            (-70, "-0.00007"),
            (3_999_999_999_999_999, "3999999999.999999"),
        ] {
            let written = usdc(usdc_e6).to_string();
            let plain = |text: &str| text.parse::<f64>().unwrap();
            assert_eq!(plain(&written), plain(expected), "{written}");
        }
        assert_eq!(usdc(50_000_000).to_string(), "50");
    }

    proptest! {
        /// Whoever reads the number and scales it back gets the amount to the millionth.
        #[test]
        fn an_amount_reads_back_to_the_unit(usdc_e6 in -4_000_000_000_000_000_i64..4_000_000_000_000_000) {
            let read = usdc(usdc_e6.into()).as_f64().unwrap();
            prop_assert_eq!((read * 1e6).round() as i64, usdc_e6);
        }
    }

    /// The members that the specification lists, by their exact names (2.1 to 2.3).
    #[test]
    fn records_have_the_names_of_the_specification() {
        let subscription = Subscription {
            status: "none".into(),
            expires_at: None,
            amount_paid_usdc: usdc(0),
            prove_wallet: None,
            payments: Vec::new(),
        };
        let billing = Billing {
            month: "2026-02".into(),
            tokens_used: 0,
            tokens_free: Some(1),
            tokens_left: Some(1),
            owes_usdc: usdc(0),
        };
        let usage = Usage {
            user_id: String::new(),
            tier: "builder".into(),
            requests_today: 1,
            requests_this_month: 2,
            rate_limit_rpm: 1_000,
            top_endpoints: vec![EndpointCount { endpoint: "/v5/superroot".into(), count: 2 }],
            subscription,
            billing,
        };
        let value = serde_json::to_value(&usage).unwrap();
        for pointer in [
            "/tier",
            "/requests_today",
            "/requests_this_month",
            "/rate_limit_rpm",
            "/top_endpoints/0/endpoint",
            "/top_endpoints/0/count",
            "/subscription/status",
            "/subscription/expires_at",
            "/subscription/amount_paid_usdc",
        ] {
            assert!(value.pointer(pointer).is_some(), "{pointer}");
        }
        assert_eq!(value["subscription"]["amount_paid_usdc"], json!(0));
        assert_eq!(value["subscription"]["expires_at"], Value::Null);
        assert_eq!(serde_json::from_value::<Usage>(value).unwrap(), usage);
    }
}
