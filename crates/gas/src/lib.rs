//! Transaction costs on each chain, from verified headers and blocks only.
//!
//! ```text
//! store: the newest blocks held ──► Sample (one a block) ──► figures ──► Figures
//!                                      header, what each entry paid        next base fee, tips, blob fee,
//!                                                                          L1 data fee, use, trend
//! fees.toml ──► FeeRules: by which rule a chain sets its fees
//! ```
//! A *figure* is a number or the reason for a missing number: no guesses, no node requests. A rule must reproduce the
//! last steps between headers; otherwise there is no figure.
//!
//! ```
//! use superroot_gas::base_fee::{Parent, BaseFeeRule, next_base_fee};
//!
//! let parent = Parent { base_fee: Some(1_000_000_000), gas_limit: 30_000_000, gas_used: 30_000_000, ..Parent::default() };
//! let rule = BaseFeeRule::EIP_1559;
//! assert_eq!(next_base_fee(&rule, &parent).unwrap(), 1_125_000_000);
//! ```

pub mod base_fee;
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
pub use figures::{BlockFullness, Figures, L1FeeFigure, LineaPrice, NextFee};
pub use nodes::{Asking, NoPriceNodes, PriceNodes, QuotedGasPrice};
pub use rate::LedgerFeeRate;
pub use rules::FeeRules;
pub use sample::{BLOCKS_MAX, Sample, SampleHeader, load_samples};
pub use trend::{PriceDirection, Trend};
pub use why::{Figure, NoFigure};
