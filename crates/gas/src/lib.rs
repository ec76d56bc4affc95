//! What a transaction costs on each chain, out of verified headers and blocks and nothing else.
//!
//! ```text
//! store: the newest blocks held ──► Sample (one a block) ──► figures ──► Figures
//!                                      header, what each entry paid        next base fee, tips, blob fee,
//!                                                                          L1 data fee, use, trend
//! fees.toml ──► FeeRules: by which rule a chain sets its fees
//! ```
//! A *figure* is a number or the reason why there is none: nothing is guessed, and no node is asked. What a rule
//! says of the last steps between headers must be what those headers have; else there is no figure.
//!
//! ```
//! use superroot_gas::base_fee::{Parent, Rule, next_base_fee};
//!
//! let parent = Parent { base_fee: Some(1_000_000_000), gas_limit: 30_000_000, gas_used: 30_000_000, ..Parent::default() };
//! let rule = Rule::EIP_1559;
//! assert_eq!(next_base_fee(&rule, &parent).unwrap(), 1_125_000_000);
//! ```

pub mod base_fee;
pub mod bitcoin;
pub mod blob;
mod cache;
mod error;
mod figures;
pub mod l1_fee;
pub mod ledgers;
mod nodes;
mod rate;
mod rules;
mod sample;
pub mod tips;
mod trend;
mod why;

pub use cache::FeeCache;
pub use error::GasError;
pub use figures::{Figures, L1DataFee, LineaPrice, NextBaseFee, Use};
pub use nodes::{Asking, NoPriceNodes, NodePrice, PriceNodes};
pub use rate::Rate;
pub use rules::FeeRules;
pub use sample::{BLOCKS_MAX, Sample, SampleHeader, load_samples};
pub use trend::{Direction, Trend};
pub use why::{Figure, Why};
