use std::sync::Arc;

use alloy_primitives::U256;
use superroot_types::{BlockNumber, Family};

use crate::base_fee::next_base_fee;
use crate::blob::{blob_base_fee, next_excess};
use crate::l1_fee::{L1Attributes, Weighing};
use crate::rate::{LedgerFeeRate, rate};
use crate::tips::{Tips, tips};
use crate::trend::{Trend, rounded, trend};
use crate::{FeeRules, Figure, NoFigure, Sample};

/// The next block's base fee.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NextFee {
    /// Wei per gas.
    pub wei: u64,
    pub rule: String,
    /// Steps between the newest headers that match the rule: all examined steps.
    pub confirmed_steps: usize,
}

/// L1 data fee of an OP-stack chain.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct L1FeeFigure {
    pub weighing: Weighing,
    pub attributes: L1Attributes,
    /// Lowest fee of any transaction, in wei; `None` without a minimum.
    pub least: Option<U256>,
    /// Median fee of the block's transactions, in wei; `None` without transactions.
    pub median: Option<U256>,
    /// Transactions in the median.
    pub tx_count: usize,
}

/// Price in the `extraData` of Linea headers, in wei.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LineaPrice {
    /// Per gas.
    pub fixed_cost: u64,
    /// Per byte of L1 data.
    pub variable_cost: u64,
    /// Node response to `eth_gasPrice`.
    pub eth_gas_price: u64,
}

/// Block fullness, 0 to 1.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BlockFullness {
    pub newest: f64,
    /// All blocks together.
    pub mean: f64,
    pub block_count: usize,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Figures {
    /// The newest block's base fee, in wei per gas.
    pub base_fee: Figure<u64>,
    pub next_base_fee: Figure<NextFee>,
    pub tips: Figure<Tips>,
    /// Blob base fee of the next block, in wei per blob gas.
    pub blob_base_fee: Figure<u128>,
    pub l1_data_fee: Figure<L1FeeFigure>,
    pub linea_price: Figure<LineaPrice>,
    pub rate: Figure<LedgerFeeRate>,
    pub used: Figure<BlockFullness>,
    pub trend: Figure<Trend>,
}

const NO_BLOCK: NoFigure = NoFigure::of("no block of it is held");
const NOT_EVM: NoFigure = NoFigure::of("its ledger has no gas: see fee_rate");
const NO_BASE_FEE: NoFigure = NoFigure::of("its header has no base fee");
const LINEA: u64 = 59_144;

impl Figures {
    /// Computes figures from samples, newest first, each the parent of the previous one.
    #[must_use]
    pub fn of(
        chain: superroot_types::ChainKey,
        block_time_ms: u64,
        rules: &FeeRules,
        samples: &[Arc<Sample>],
    ) -> Self {
        let Some(newest) = samples.first() else { return Self::none(&NO_BLOCK) };
        if chain.family != Family::Evm {
            let (rate, trend) = rate(samples);
            return Self { rate, trend, ..Self::none(&NOT_EVM) };
        }
        let base_fee = match newest.header.as_ref().and_then(|header| header.base_fee) {
            Some(base_fee) => Ok(base_fee),
            None => Err(NO_BASE_FEE),
        };
        let blocks = samples.iter().filter_map(|sample| sample.paid.as_deref());
        Self {
            base_fee,
            next_base_fee: next(rules, samples),
            tips: tips(blocks),
            blob_base_fee: blob(rules, samples, block_time_ms),
            l1_data_fee: l1(rules, newest),
            linea_price: match chain.id.0 {
                LINEA => linea_price(newest)
                    .ok_or(NoFigure::of("its header's extraData has another form")),
                _ => Err(NoFigure::of("only Linea's headers name a price in their extraData")),
            },
            rate: Err(NoFigure::of("chains of the EVM family have a base fee and tips")),
            used: used(samples),
            trend: base_fee_trend(samples),
        }
    }

    /// All figures absent, for one reason.
    #[must_use]
    pub fn none(why: &NoFigure) -> Self {
        Self {
            base_fee: Err(why.clone()),
            next_base_fee: Err(why.clone()),
            tips: Err(why.clone()),
            blob_base_fee: Err(why.clone()),
            l1_data_fee: Err(why.clone()),
            linea_price: Err(why.clone()),
            rate: Err(why.clone()),
            used: Err(why.clone()),
            trend: Err(why.clone()),
        }
    }
}

/// Next base fee, if the rule reproduces every step between the headers.
fn next(rules: &FeeRules, samples: &[Arc<Sample>]) -> Figure<NextFee> {
    let says = |sample: &Sample| -> Figure<(u64, String)> {
        let header = sample.header.as_ref().ok_or(NO_BLOCK)?;
        header.base_fee.ok_or(NO_BASE_FEE)?;
        let rule = rules.base_fee(sample.number, sample.timestamp.0);
        let parent = header.parent();
        Ok((next_base_fee(rule, &parent)?, rule.describe(&parent)))
    };
    let newest = samples.first().ok_or(NO_BLOCK)?;
    let (wei, rule) = says(newest)?;
    let mut confirmed_steps = 0;
    for pair in samples.windows(2) {
        let [child, parent] = pair else { continue };
        let rule_of = |sample: &Sample| rules.base_fee(sample.number, sample.timestamp.0);
        // steps by an earlier rule say nothing of this one, nor do those across its first block
        if rule_of(parent) != rule_of(newest) {
            break;
        }
        let has = child.header.as_ref().and_then(|header| header.base_fee);
        let (says, _) = says(parent)?;
        if has != Some(says) {
            return Err(other_rule(child.number, &rule));
        }
        confirmed_steps += 1;
    }
    if confirmed_steps == 0 && rules.base_fee(newest.number, newest.timestamp.0).rests_on_state() {
        return Err(NoFigure::of(
            "a part of it stands in a contract, and no step between the headers held shows which",
        ));
    }
    Ok(NextFee { wei, rule, confirmed_steps })
}

fn other_rule(number: BlockNumber, rule: &str) -> NoFigure {
    NoFigure::new(format!(
        "block {number} has another base fee than the rule known here gives ({rule}): the chain changed its rule"
    ))
}

fn blob(rules: &FeeRules, samples: &[Arc<Sample>], block_time_ms: u64) -> Figure<u128> {
    let blobs = rules.blobs.as_ref().map_err(Clone::clone)?;
    let newest = samples.first().ok_or(NO_BLOCK)?;
    let parent = |sample: &Sample| sample.header.as_ref().and_then(|header| header.blob_parent());
    let none = NoFigure::of("its header tells nothing of blobs");
    let before = parent(newest).ok_or(none)?;
    for pair in samples.windows(2) {
        let [child, before] = pair else { continue };
        let (Some(has), Some(before)) = (parent(child), parent(before)) else { break };
        if next_excess(blobs, &before, child.timestamp.0)? != has.excess_blob_gas {
            let number = child.number;
            return Err(NoFigure::new(format!(
                "block {number} has another excess of blob gas than the schedule known here gives: the chain \
                 changed its schedule"
            )));
        }
    }
    let time = newest.timestamp.0.saturating_add(block_time_ms / 1000);
    blob_base_fee(blobs, next_excess(blobs, &before, time)?, time)
}

fn l1(rules: &FeeRules, newest: &Sample) -> Figure<L1FeeFigure> {
    let fjord = rules.fjord.clone()?;
    let (attributes, fees) = newest.l1.clone()?;
    let weighing = attributes.weighing(newest.timestamp.0, fjord);
    let least = attributes.least(weighing)?;
    let median = fees.get(fees.len().saturating_sub(1) / 2).copied();
    Ok(L1FeeFigure { weighing, attributes, least, median, tx_count: fees.len() })
}

/// `01 ‖ fixed:u32 ‖ variable:u32 ‖ gas price:u32`, in thousands of wei.
fn linea_price(newest: &Sample) -> Option<LineaPrice> {
    let extra_data = &newest.header.as_ref()?.extra_data;
    let (version, rest) = extra_data.split_first()?;
    let (fixed, rest) = rest.split_first_chunk()?;
    let (variable, rest) = rest.split_first_chunk()?;
    let gas_price = rest.first_chunk()?;
    let wei = |kwei: &[u8; 4]| u64::from(u32::from_be_bytes(*kwei)) * 1000;
    (*version == 1).then(|| LineaPrice {
        fixed_cost: wei(fixed),
        variable_cost: wei(variable),
        eth_gas_price: wei(gas_price),
    })
}

fn used(samples: &[Arc<Sample>]) -> Figure<BlockFullness> {
    /// Higher gas limits bound nothing: Arbitrum's limit is 2^50.
    const LIMIT_MAX: u64 = 1 << 40;
    let headers: Vec<_> = samples.iter().filter_map(|sample| sample.header.as_ref()).collect();
    let newest = headers.first().ok_or(NO_BLOCK)?;
    if headers.iter().any(|header| header.settles_others) {
        return Err(NoFigure::of("the gas in its header is that of the blocks it settles"));
    }
    let limit = newest.gas_limit.filter(|limit| (1..=LIMIT_MAX).contains(limit));
    let limit = limit.ok_or(NoFigure::of("its header has no gas limit that bounds a block"))?;
    let sum = |of: fn(&crate::SampleHeader) -> u64| -> u128 {
        headers.iter().map(|header| u128::from(of(header))).sum()
    };
    let all = sum(|header| header.gas_limit.unwrap_or(0)).max(1);
    Ok(BlockFullness {
        newest: rounded(newest.gas_used as f64 / limit as f64, 4),
        mean: rounded(sum(|header| header.gas_used) as f64 / all as f64, 4),
        block_count: headers.len(),
    })
}

fn base_fee_trend(samples: &[Arc<Sample>]) -> Figure<Trend> {
    let fees: Vec<f64> = samples
        .iter()
        .map_while(|sample| sample.header.as_ref().and_then(|header| header.base_fee))
        .map(|fee| fee as f64)
        .collect();
    trend(&fees)
}
