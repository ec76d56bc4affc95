//! Chains with Ethereum's rules: signed transfers, swaps, launches and cross-chain orders, with receipts, blooms and
//! fees.

mod build;
mod contract;
mod contracts;
mod orders;
mod rollup;
mod votes;
mod wallet;
mod world;

pub(super) use build::SimulatedChainBuilder;
pub use contract::{DAI, FACTORY, ROUTER, USDC, WBTC, WETH, pair_address};
pub(super) use rollup::{RollupView, contract_proof, history_proof};
