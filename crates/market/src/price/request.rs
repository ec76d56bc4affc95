//! Pricing request: a market at a block, with its base tokens and rules.

use alloy_primitives::Address;
use superroot_dex::Factories;
use superroot_dex::quote::PricingRules;
use superroot_store::Store;
use superroot_types::{BlockNumber, ChainKey, UnixSeconds};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Token {
    pub address: Address,
    /// Decimal places.
    pub decimals: u8,
}

/// Base tokens for pricing other tokens.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Bases {
    /// Tokens assumed to be worth one US dollar: configured, not proven.
    pub stables: Vec<Token>,
    /// The chain's native coin, wrapped. Its price comes from pools with the stablecoins.
    pub native: Option<Token>,
}

/// Pricing request at a block.
#[derive(Clone, Copy)]
pub struct Market<'a> {
    pub store: &'a dyn Store,
    pub chain: ChainKey,
    /// Chain name in `factories.toml`.
    pub slug: &'a str,
    /// Trusted factories.
    pub factories: &'a Factories,
    pub bases: &'a Bases,
    /// Rules for pools to count.
    pub rules: PricingRules,
    pub at: (BlockNumber, UnixSeconds),
    /// First block with complete pool events from there on.
    pub floor: BlockNumber,
    /// The mean's window, in seconds.
    pub window_seconds: u64,
}
