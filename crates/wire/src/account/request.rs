//! What is sent to make and change accounts and keys.

#[cfg(feature = "schema")]
use crate::schema::ChainName;
use serde::Serialize;
use serde_json::Value;
use superroot_types::UnixSeconds;
#[cfg(feature = "schema")]
use utoipa::ToSchema;

/// An account that claims a wallet, or proves it (`POST /api/v1/register`).
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(ToSchema))]
pub struct RegisterRequest {
    /// `0x` and 40 hex digits.
    pub wallet_address: String,
    /// `explorer` if left out; others come with a payment.
    pub tier: Option<String>,
    /// The text of a challenge for that wallet; with `signature`.
    pub message: Option<String>,
    /// The wallet's signature of it: `0x` and hex digits.
    pub signature: Option<String>,
}

/// A message that came back signed (`POST /api/v1/wallet`).
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(ToSchema))]
pub struct WalletRequest {
    /// The text of a challenge, to the byte.
    pub message: String,
    /// `0x` and hex digits: r, s and v (65 bytes, s in the lower half), or what the wallet's contract takes.
    pub signature: String,
}

/// What a key is to be. What is left out stays as it is.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(ToSchema))]
pub struct KeyRequest {
    /// 1 to 64 printable characters.
    pub label: Option<String>,
    /// Chain ids or names; `null`: every chain.
    #[cfg_attr(feature = "schema", schema(required = false, value_type = Option<Vec<ChainName>>))]
    pub chains: Option<Vec<Value>>,
    /// Grids (`G1`), paths (`/finality/{chain_id}`) or all below one (`/v5/proof/*`); `null`: every
    /// route.
    pub routes: Option<Vec<String>>,
    /// `null`: never.
    pub expires_at: Option<UnixSeconds>,
}

/// What a sub-account is called, and what its first key is to be. No body: neither.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(ToSchema))]
pub struct SubAccountRequest {
    /// 1 to 64 printable characters, of account and key.
    pub label: Option<String>,
    /// As of any key: chain ids or names; `null`: every chain.
    #[cfg_attr(feature = "schema", schema(required = false, value_type = Option<Vec<ChainName>>))]
    pub chains: Option<Vec<Value>>,
    /// As of any key: grids and paths; `null`: every route.
    pub routes: Option<Vec<String>>,
    /// `null`: never.
    pub expires_at: Option<UnixSeconds>,
}

/// How a key is replaced.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(ToSchema))]
pub struct RotateRequest {
    /// How long the old one goes on, and up to a second more; a day if left out.
    pub grace_seconds: Option<u64>,
}
