//! Requests for creating and changing accounts and keys.

#[cfg(feature = "schema")]
use crate::schema::ChainName;
use serde::Serialize;
use serde_json::Value;
use superroot_types::UnixSeconds;
#[cfg(feature = "schema")]
use utoipa::ToSchema;

/// Registration with a claimed or proven wallet (`POST /api/v1/register`).
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(ToSchema))]
pub struct RegisterRequest {
    /// `0x` and 40 hex digits.
    pub wallet_address: String,
    /// Tier: `explorer` if omitted; other tiers require a payment.
    pub tier: Option<String>,
    /// Challenge text for the wallet; together with `signature`.
    pub message: Option<String>,
    /// The message's wallet signature: `0x` and hex digits.
    pub signature: Option<String>,
}

/// Signed message (`POST /api/v1/wallet`).
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(ToSchema))]
pub struct WalletRequest {
    /// Exact challenge text.
    pub message: String,
    /// `0x` and hex digits: r, s, v (65 bytes, the lower s), or a signature for the wallet's contract.
    pub signature: String,
}

/// Key settings. Omitted members stay unchanged.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(ToSchema))]
pub struct KeyRequest {
    /// 1 to 64 printable characters.
    pub label: Option<String>,
    /// Permitted chain ids or names; `null` permits every chain.
    #[cfg_attr(feature = "schema", schema(required = false, value_type = Option<Vec<ChainName>>))]
    pub chains: Option<Vec<Value>>,
    /// Permitted grids (`G1`), paths (`/finality/{chain_id}`) or prefixes (`/v5/proof/*`); `null`: every route.
    pub routes: Option<Vec<String>>,
    /// Expiry, in Unix seconds; `null` for no expiry.
    pub expires_at: Option<UnixSeconds>,
}

/// Sub-account label and first key settings. Without a body, neither is set.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(ToSchema))]
pub struct SubAccountRequest {
    /// 1 to 64 printable characters, for account and key.
    pub label: Option<String>,
    /// Permitted chain ids or names, as for any key; `null` permits every chain.
    #[cfg_attr(feature = "schema", schema(required = false, value_type = Option<Vec<ChainName>>))]
    pub chains: Option<Vec<Value>>,
    /// Permitted grids and paths, as for any key; `null` permits every route.
    pub routes: Option<Vec<String>>,
    /// Expiry, in Unix seconds; `null` for no expiry.
    pub expires_at: Option<UnixSeconds>,
}

/// Key rotation.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(ToSchema))]
pub struct RotateRequest {
    /// Seconds for which the old key remains valid, plus up to one second; a day if omitted.
    pub grace_seconds: Option<u64>,
}
