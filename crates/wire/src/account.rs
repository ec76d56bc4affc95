//! Accounts, keys, usage and invoices as JSON (specification 2.1 to 2.3). Names of members that the
//! specification gives are its own.
//!
//! Times are Unix seconds; where the specification says ISO 8601 they are [`UnixSeconds::iso_8601`]. Amounts are
//! USDC with up to six digits ([`usdc`]).

mod list;
mod plan;
mod request;

use serde::{Deserialize, Serialize};
use serde_json::Number;
use superroot_types::UnixSeconds;
#[cfg(feature = "schema")]
use utoipa::ToSchema;

pub use list::{
    Availability, InvoiceList, IssuedSubAccount, KeyList, SubAccountList, UsageHistory,
};
pub use plan::{
    CommercialModels, EnterpriseModel, FeeRange, GridPlan, IntegratorModel, KeylessPlan,
    PayAsYouGo, Plans, RoutePlan, SubscriptionTerms, TierPlan,
};
pub use request::{KeyRequest, RegisterRequest, RotateRequest, SubAccountRequest, WalletRequest};

/// A token that opens one stream (`POST /api/v1/stream-token`).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(ToSchema))]
pub struct StreamToken {
    /// Goes into `?token=` of one stream.
    pub token: String,
    /// Seconds in which it has to be used.
    pub expires_in_seconds: u64,
}

/// An account just opened (`POST /api/v1/register`). The only time its key is told.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(ToSchema))]
pub struct Registration {
    /// The key.
    pub api_key: String,
    /// The tier granted.
    pub tier: String,
    /// Requests a minute.
    pub rate_limit: u32,
    /// The account: a UUID.
    pub user_id: String,
    /// The key's first characters.
    pub key_prefix: String,
    /// The key's name, which is no secret.
    pub key_id: String,
    /// `live` or `test`.
    pub environment: String,
    /// The wallet, which a registration without a signature only claims.
    pub wallet_address: String,
    /// Whether its signature stands behind that.
    pub wallet_proven: bool,
    /// Status of what was paid.
    pub subscription_status: String,
    /// Where to sign, where a claimed wallet has paid or another tier was asked for without a
    /// signature.
    pub prove_wallet: Option<ProveWallet>,
}

/// A message that waits for a wallet's signature (`GET /api/v1/register/challenge`).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(ToSchema))]
pub struct Challenge {
    /// The wallet.
    pub wallet_address: String,
    /// What to sign with `personal_sign`, to the byte (EIP-4361).
    pub message: String,
    /// Its nonce, 32 hex digits.
    pub nonce: String,
    /// The chain it names.
    pub chain_id: u64,
    /// When it was made.
    pub issued_at: UnixSeconds,
    /// First second it does not count any more.
    pub expires_at: UnixSeconds,
    /// Whether the signature of a contract of that chain can be checked here.
    pub contract_wallets: bool,
}

/// A wallet proven (`POST /api/v1/wallet`), and what its account has by that.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(ToSchema))]
pub struct WalletProof {
    /// The account: a UUID.
    pub user_id: String,
    /// The wallet.
    pub wallet_address: String,
    /// `true`.
    pub wallet_proven: bool,
    /// `own_key` or `contract`.
    pub proven_by: String,
    /// The chain that the message names.
    pub chain_id: u64,
    /// The account's tier now.
    pub tier: String,
    /// Requests a minute.
    pub rate_limit_rpm: u32,
    /// Status of the subscription.
    pub subscription_status: String,
    /// End of the subscription, ISO 8601.
    pub expires_at: Option<String>,
}

/// How what a wallet paid for comes to an account.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(ToSchema))]
pub struct ProveWallet {
    /// The wallet.
    pub wallet_address: String,
    /// Path that gives the message to sign.
    pub challenge: String,
    /// Path that takes it signed, with the key that is to be lifted.
    pub submit: String,
}

/// A subscription as its account sees it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(ToSchema))]
pub struct Subscription {
    /// `none`, `pending`, `active`, `grace`, `expired` or `revoked`.
    pub status: String,
    /// ISO 8601; `null` where there never was one.
    pub expires_at: Option<String>,
    /// Everything paid for subscriptions, less what was paid back.
    #[cfg_attr(feature = "schema", schema(value_type = f64))]
    pub amount_paid_usdc: Number,
    /// Where to sign, where a claimed wallet has paid.
    pub prove_wallet: Option<ProveWallet>,
}

/// Requests of one route.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(ToSchema))]
pub struct EndpointCount {
    /// Its path, with names for what varies.
    pub endpoint: String,
    /// Requests.
    pub count: u64,
}

/// Billing tokens of a month.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(ToSchema))]
pub struct Billing {
    /// The month, `2026-02`, in UTC.
    pub month: String,
    /// Tokens used.
    pub tokens_used: u64,
    /// Tokens free of charge; `null` where a fee includes them all.
    pub tokens_free: Option<u64>,
    /// How many of those are left.
    pub tokens_left: Option<u64>,
    /// What was entered so far comes to: closed months, charges and credit notes, less what was paid;
    /// negative where the service owes.
    #[cfg_attr(feature = "schema", schema(value_type = f64))]
    pub owes_usdc: Number,
}

/// What was used (`GET /api/v1/usage`).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(ToSchema))]
pub struct Usage {
    /// The account.
    pub user_id: String,
    /// Its tier.
    pub tier: String,
    /// Requests since midnight UTC.
    pub requests_today: u64,
    /// Requests since the first of the month, UTC.
    pub requests_this_month: u64,
    /// Requests a minute.
    pub rate_limit_rpm: u32,
    /// Routes with the most requests of the month.
    pub top_endpoints: Vec<EndpointCount>,
    /// Its subscription.
    pub subscription: Subscription,
    /// Billing tokens.
    pub billing: Billing,
}

/// Whether a key is valid, and what it gives (`GET /api/v1/verify`).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(ToSchema))]
pub struct Verification {
    /// Always true: an invalid key is 401.
    pub valid: bool,
    /// The tier.
    pub tier: String,
    /// Requests a minute.
    pub rate_limit_rpm: u32,
    /// End of the subscription, ISO 8601; `null` where there never was one.
    pub expires_at: Option<String>,
    /// Status of the subscription.
    pub subscription_status: String,
    /// Where to sign for what a claimed wallet paid; `null`: nothing waits.
    #[serde(default)]
    pub prove_wallet: Option<ProveWallet>,
    /// The account.
    pub user_id: String,
    /// The key.
    pub key: KeyShown,
    /// Billing tokens.
    pub billing: Billing,
}

/// The presented key.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(ToSchema))]
pub struct KeyShown {
    /// Its name.
    pub id: String,
    /// Its first characters.
    pub key_prefix: String,
    /// `live` or `test`.
    pub environment: String,
    /// Chains it is confined to; `null`: every chain.
    pub chains: Option<Vec<u64>>,
    /// Routes it is confined to; `null`: every route.
    pub routes: Option<Vec<String>>,
    /// First second it is refused; `null`: never by time.
    pub expires_at: Option<UnixSeconds>,
}

/// A key of a list.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(ToSchema))]
pub struct Key {
    /// Its name.
    pub id: String,
    /// Its first characters.
    pub key_prefix: String,
    /// What its owner calls it.
    pub label: Option<String>,
    /// `active`, `retiring`, `rotated`, `expired` or `revoked`.
    pub state: String,
    /// Chains it is confined to; `null`: every chain.
    pub chains: Option<Vec<u64>>,
    /// Routes it is confined to; `null`: every route.
    pub routes: Option<Vec<String>>,
    /// When it was made.
    pub created_at: UnixSeconds,
    /// First second it is refused, as its owner chose.
    pub expires_at: Option<UnixSeconds>,
    /// First second it is refused after a rotation.
    pub retires_at: Option<UnixSeconds>,
    /// When it was revoked.
    pub revoked_at: Option<UnixSeconds>,
    /// The key that took its place.
    pub replaced_by: Option<String>,
    /// Whether the request was made with it.
    pub is_presented: bool,
}

/// A key just made. The only time it is told.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(ToSchema))]
pub struct IssuedKey {
    /// The key.
    pub api_key: String,
    /// What is kept of it.
    pub key: Key,
}

/// Requests of one hour that agree in everything that is counted.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(ToSchema))]
pub struct HourlyUsage {
    /// First second of the hour.
    pub hour: UnixSeconds,
    /// The key.
    pub key_id: Option<String>,
    /// Path of the route.
    pub endpoint: String,
    /// The chain asked about.
    pub chain_id: Option<u64>,
    /// `2xx` and the like.
    pub status: String,
    /// Requests.
    pub requests: u64,
    /// Billing tokens they weigh.
    pub billing_tokens: u64,
}

/// An invoice, or the draft of a month that is not closed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(ToSchema))]
pub struct Invoice {
    /// `SR-LIVE-000042`; `null` for a draft.
    pub number: Option<String>,
    /// Whether it is closed, and will never change.
    pub is_closed: bool,
    /// The account.
    pub user_id: String,
    /// The month, `2026-02`, in UTC.
    pub month: String,
    /// Who is billed.
    pub billed_to: String,
    /// When it was closed; for a draft, now.
    pub issued_at: UnixSeconds,
    /// Sum of the lines; negative where the service owes.
    #[cfg_attr(feature = "schema", schema(value_type = f64))]
    pub total_usdc: Number,
    /// Requests of all lines.
    pub requests: u64,
    /// Billing tokens of all lines.
    pub billing_tokens: u64,
    /// The lines; left out in lists.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schema(nullable = false))]
    pub lines: Option<Vec<InvoiceLine>>,
}

/// A line of an invoice.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(ToSchema))]
pub struct InvoiceLine {
    /// `usage`, `fee`, `subscription`, `paid`, `refund`, `charge`, `revenue_share` or `credit_note`.
    pub kind: String,
    /// In words; for usage the path of the route.
    pub label: String,
    /// The chain, for usage of one.
    pub chain_id: Option<u64>,
    /// Requests.
    pub requests: u64,
    /// Billing tokens.
    pub billing_tokens: u64,
    /// How many of those are free.
    pub free_tokens: u64,
    /// What it comes to.
    #[cfg_attr(feature = "schema", schema(value_type = f64))]
    pub amount_usdc: Number,
}

/// An account of an integrator's customer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(ToSchema))]
pub struct SubAccount {
    /// The account.
    pub user_id: String,
    /// What its integrator calls it.
    pub label: Option<String>,
    /// When it was opened.
    pub created_at: UnixSeconds,
    /// Since when it is closed.
    pub closed_at: Option<UnixSeconds>,
}

/// An amount as a JSON number in USDC. Whole ones are integers; others have up to six digits, and
/// are exact up to four thousand million USDC.
#[must_use]
pub fn usdc(usdc_e6: i128) -> Number {
    let (whole, rest) = (usdc_e6 / 1_000_000, usdc_e6 % 1_000_000);
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
