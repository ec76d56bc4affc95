//! Payments to the registry contract.

use core::fmt;

use serde::{Deserialize, Serialize};
use superroot_account::Tier;
use superroot_types::{Address, ChainId, Hash, UnixSeconds};

/// A payment's log: each log counts once.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PaymentId {
    pub chain: ChainId,
    /// Transaction hash.
    pub tx: Hash,
    /// Log position in the receipt.
    pub log_index: u32,
}

impl fmt::Display for PaymentId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}/{}", self.chain, self.tx, self.log_index)
    }
}

/// Paid asset.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Asset {
    Usdc,
    /// ETH: the payment's `usdc_e6` is the contract's price in USDC.
    Eth {
        /// Amount sent and not returned, in wei.
        wei: u128,
    },
}

/// Payment to the registry contract: thirty days of one tier.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Payment {
    pub id: PaymentId,
    /// Beneficiary.
    pub wallet: Address,
    pub tier: Tier,
    /// Counted amount: the price of the tier.
    pub usdc_e6: u64,
    pub asset: Asset,
    /// Block time.
    pub paid_at: UnixSeconds,
    /// Whether the block is final; other payments are refused.
    pub is_final: bool,
    /// Whether a verified proof shows the payment's event: then its price counts, whatever is configured.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_proven: bool,
}
