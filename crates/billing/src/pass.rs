//! Passes: tokens or a tier, bought by an authorized transfer (EIP-3009).

use serde::{Deserialize, Serialize};
use superroot_account::{AccountId, Tier};
use superroot_types::{Address, ChainId, Hash, UnixSeconds};

use crate::payment::PaymentId;

/// A transfer's authorization: a token uses it at most once.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AuthorizationId {
    pub chain: ChainId,
    /// Token contract.
    pub asset: Address,
    /// Payer.
    pub from: Address,
    /// Nonce of the payer's choice.
    pub nonce: Hash,
}

/// What a pass buys.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PassGoods {
    /// Billing tokens, paid in advance.
    Tokens(u64),
    /// A tier's thirty days.
    Tier(Tier),
}

/// An account's pass, presented before its transfer is sent.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SoldPass {
    pub authorization: AuthorizationId,
    /// Buyer.
    pub account: AccountId,
    pub goods: PassGoods,
    /// Price in millionths of a USDC.
    pub usdc_e6: u64,
    pub presented_at: UnixSeconds,
    /// First second at which the token refuses the authorization.
    pub valid_before: UnixSeconds,
    /// Transaction, as a facilitator says.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub transaction: Option<Hash>,
    /// Proven transfer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub payment: Option<PaymentId>,
}

/// A pass's proven transfer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PassTransfer {
    /// The transfer's log.
    pub payment: PaymentId,
    pub usdc_e6: u64,
    /// Block time.
    pub paid_at: UnixSeconds,
}

/// Result of [`BillingLedger::count_pass`](crate::BillingLedger::count_pass).
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CountedPass {
    /// Counted now.
    Counted(SoldPass),
    /// Counted before.
    Before,
    /// Nobody presented the authorization here.
    Unknown,
    /// The transfer is another amount than the pass.
    OtherAmount(SoldPass),
}
