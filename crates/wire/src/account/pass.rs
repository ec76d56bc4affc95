//! Passes as JSON, and x402 version 2 (`specs/x402-specification-v2.md`, `specs/transports-v2/http.md` of
//! x402-foundation/x402).

use serde::{Deserialize, Serialize};
use serde_json::Number;
use superroot_types::Hash;
#[cfg(feature = "schema")]
use utoipa::ToSchema;

/// Version of x402.
pub const X402_VERSION: u8 = 2;

/// A pass's goods: `tokens` or `tier`.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(ToSchema))]
pub struct PassRequest {
    /// Billing tokens, 1000 to 1000000.
    pub tokens: Option<u64>,
    /// `builder` or `protocol`: thirty days.
    pub tier: Option<String>,
}

/// An account's pass.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(ToSchema))]
pub struct Pass {
    /// `pending`, `counted` or `lapsed`: no transfer can come.
    pub state: String,
    /// Bought billing tokens.
    pub tokens: Option<u64>,
    /// Bought tier.
    pub tier: Option<String>,
    /// Price, in USDC.
    #[cfg_attr(feature = "schema", schema(value_type = f64))]
    pub usdc: Number,
    /// Payer's address.
    pub payer: String,
    /// CAIP-2 name of the chain.
    pub network: String,
    /// The authorization's nonce.
    pub nonce: Hash,
    /// ISO 8601.
    pub presented_at: String,
    /// Transaction; the facilitator's word until counted.
    pub transaction_hash: Option<Hash>,
    /// Route of the transfer's proof.
    pub proof_url: Option<String>,
}

/// Bought pass.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(ToSchema))]
pub struct BoughtPass {
    /// Pass.
    pub pass: Pass,
    /// Account id (UUID).
    pub user_id: String,
    /// A new account's key, shown once.
    pub api_key: Option<String>,
}

/// Passes, newest first.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(ToSchema))]
pub struct PassList {
    /// Passes.
    pub passes: Vec<Pass>,
}

/// Terms of a payment (x402 `PaymentRequirements`).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct PaymentRequirements {
    /// `exact`.
    pub scheme: String,
    /// CAIP-2 name.
    pub network: String,
    /// Millionths of a USDC, in decimal.
    pub amount: String,
    /// Token contract.
    pub asset: String,
    /// Payee.
    pub pay_to: String,
    /// Validity in seconds.
    pub max_timeout_seconds: u64,
    /// Token name and version (EIP-712 domain).
    #[serde(default)]
    pub extra: serde_json::Value,
}

/// Content of the header `PAYMENT-REQUIRED`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct PaymentRequired {
    /// [`X402_VERSION`].
    pub x402_version: u8,
    /// Why.
    pub error: String,
    /// Route.
    pub resource: PaidResource,
    /// Terms to choose from.
    pub accepts: Vec<PaymentRequirements>,
}

/// What is paid for.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct PaidResource {
    /// Address.
    pub url: String,
    /// In words.
    pub description: String,
    /// The answer's media type.
    pub mime_type: String,
}

/// Content of the header `PAYMENT-SIGNATURE`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct PaymentPayload {
    /// [`X402_VERSION`].
    pub x402_version: u8,
    /// Chosen terms.
    pub accepted: PaymentRequirements,
    /// Signed authorization.
    pub payload: SignedAuthorization,
}

/// Authorization with its signature.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SignedAuthorization {
    /// Signature over EIP-712 data, in hex.
    pub signature: String,
    /// Authorization.
    pub authorization: TransferAuthorization,
}

/// Authorization of a transfer (EIP-3009). Numbers are texts in decimal.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct TransferAuthorization {
    /// Payer.
    pub from: String,
    /// Payee.
    pub to: String,
    /// Amount.
    pub value: String,
    /// Unix seconds.
    pub valid_after: String,
    /// Unix seconds.
    pub valid_before: String,
    /// 32 bytes in hex.
    pub nonce: String,
}

/// Content of the header `PAYMENT-RESPONSE`, and a facilitator's answer.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Settlement {
    /// Whether the transfer is sent, as the facilitator says.
    pub success: bool,
    /// Why not.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error_reason: Option<String>,
    /// Transaction hash, or empty.
    #[serde(default)]
    pub transaction: String,
    /// CAIP-2 name.
    #[serde(default)]
    pub network: String,
    /// Payer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub payer: Option<String>,
}
