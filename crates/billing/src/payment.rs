//! Payments to the registry contract.

use core::fmt;

use serde::{Deserialize, Serialize};
use superroot_account::Tier;
use superroot_types::{Address, ChainId, Hash, UnixSeconds};

/// The log that a payment is: it counts once.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PaymentId {
    /// Chain it was made on.
    pub chain: ChainId,
    /// Its transaction.
    pub tx: Hash,
    /// Place of the log in the receipt.
    pub log_index: u32,
}

impl fmt::Display for PaymentId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}/{}", self.chain, self.tx, self.log_index)
    }
}

/// What was paid with.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Asset {
    /// USDC.
    Usdc,
    /// ETH: the payment's `usdc_e6` is the price in USDC that the contract took it for.
    Eth {
        /// What was sent and not given back, in wei.
        wei: u128,
    },
}

/// A payment to the registry contract: thirty days of one tier.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Payment {
    /// Which log it is.
    pub id: PaymentId,
    /// Who is paid for.
    pub wallet: Address,
    /// The tier it is for.
    pub tier: Tier,
    /// How much it counts: the price of the tier.
    pub usdc_e6: u64,
    /// What it was paid with.
    pub asset: Asset,
    /// Time of its block.
    pub paid_at: UnixSeconds,
    /// Whether its block is final; others are refused.
    pub is_final: bool,
}
