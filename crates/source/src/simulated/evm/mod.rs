//! Chains with Ethereum's rules: transfers, swaps, launches and orders
//! across chains, signed, with receipts, blooms and fees.

mod build;
mod contract;
mod orders;
mod wallet;
mod world;

pub(super) use build::Builder;
pub use contract::{DAI, FACTORY, ROUTER, USDC, WBTC, WETH, pair_address};
