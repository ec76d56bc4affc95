//! Base fee of the next block, by the chain's rule, from the newest header.
//!
//! Sources: EIP-1559; specs.optimism.io, Holocene and Jovian (`exec-engine.md`); bor `consensus/misc/eip1559`;
//! scroll-tech/go-ethereum, `CalcBaseFee`.

use std::fmt;

use alloy_eips::eip1559::{BaseFeeParams, calc_next_block_base_fee};

use crate::{Figure, NoFigure};

/// Gas target, derived from the gas limit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GasTarget {
    /// Limit divided by the elasticity.
    Elasticity(u32),
    /// The limit's percent.
    Percent(u32),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BaseFeeStep {
    pub target: GasTarget,
    /// The fee changes by 1/denominator after a block at twice the target, or an empty block.
    pub denominator: u32,
    /// Lowest base fee, in wei.
    pub floor: u64,
    /// Constant part of every base fee, in wei.
    pub overhead: u64,
}

/// Base fee rule of a chain.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum BaseFeeRule {
    Eip1559(BaseFeeStep),
    /// OP stack: EIP-1559, with the parameters from the header's `extraData` if present.
    OpStack(BaseFeeStep),
    /// Constant fee, in wei per gas.
    Constant(u64),
    /// Fee not determined by headers.
    Elsewhere(NoFigure),
}

impl BaseFeeRule {
    pub const EIP_1559: Self = Self::Eip1559(BaseFeeStep {
        target: GasTarget::Elasticity(2),
        denominator: 8,
        floor: 0,
        overhead: 0,
    });
}

/// Header fields for the next base fee.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Parent<'a> {
    /// Wei per gas; `None` before the chain had a base fee.
    pub base_fee: Option<u64>,
    pub gas_limit: u64,
    pub gas_used: u64,
    /// Blob gas used; on the OP stack since Jovian, the data footprint.
    pub blob_gas_used: Option<u64>,
    pub extra_data: &'a [u8],
}

/// Parameters in the `extraData` of an OP-stack header.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OpParameters {
    /// 0 since Holocene, 1 since Jovian.
    pub version: u8,
    /// Change denominator; if 0, together with the elasticity: the chain's own parameters.
    pub denominator: u32,
    pub elasticity: u32,
    /// Lowest base fee in wei; `None` before Jovian.
    pub min_base_fee: Option<u64>,
}

impl OpParameters {
    /// Reads `version ‖ denominator:u32 ‖ elasticity:u32`, since Jovian followed by `min_base_fee:u64`. `None` for
    /// other bytes.
    #[must_use]
    pub fn read(extra_data: &[u8]) -> Option<Self> {
        let (version, rest) = extra_data.split_first()?;
        let (denominator, rest) = rest.split_first_chunk()?;
        let (elasticity, rest) = rest.split_first_chunk()?;
        let min_base_fee = match (version, rest.len()) {
            (0, 0) => None,
            (1, 8) => Some(u64::from_be_bytes(rest.try_into().ok()?)),
            _ => return None,
        };
        let denominator = u32::from_be_bytes(*denominator);
        let elasticity = u32::from_be_bytes(*elasticity);
        Some(Self { version: *version, denominator, elasticity, min_base_fee })
    }
}

/// Base fee of the block after `parent`, in wei per gas, or the reason why the header does not determine the fee.
pub fn next_base_fee(rule: &BaseFeeRule, parent: &Parent<'_>) -> Figure<u64> {
    let (moves, gas_used) = match rule {
        BaseFeeRule::Constant(wei) => return Ok(*wei),
        BaseFeeRule::Elsewhere(why) => return Err(why.clone()),
        BaseFeeRule::Eip1559(moves) => (*moves, parent.gas_used),
        BaseFeeRule::OpStack(moves) => op_stack(moves, parent)?,
    };
    moves.next(parent, gas_used)
}

/// Parameters after an OP-stack header, and the gas that counts.
fn op_stack(moves: &BaseFeeStep, parent: &Parent<'_>) -> Figure<(BaseFeeStep, u64)> {
    let Some(named) = OpParameters::read(parent.extra_data) else {
        // before Holocene it is empty; a version that came later is not guessed at
        return match parent.extra_data.first() {
            None if moves.denominator == 0 => Err(NoFigure::of(
                "its header names no numbers, and the chain's own are not known here",
            )),
            None => Ok((*moves, parent.gas_used)),
            Some(_) => {
                Err(NoFigure::of("the extraData of its header has a form that is not known here"))
            }
        };
    };
    let mut moves = *moves;
    if (named.denominator, named.elasticity) != (0, 0) {
        moves.target = GasTarget::Elasticity(named.elasticity);
        moves.denominator = named.denominator;
    }
    let Some(min_base_fee) = named.min_base_fee else { return Ok((moves, parent.gas_used)) };
    moves.floor = min_base_fee;
    Ok((moves, parent.gas_used.max(parent.blob_gas_used.unwrap_or(0))))
}

impl BaseFeeStep {
    fn next(&self, parent: &Parent<'_>, gas_used: u64) -> Figure<u64> {
        const OUT_OF_RANGE: NoFigure = NoFigure::of("its header has numbers out of range");
        let base_fee = parent.base_fee.ok_or(NoFigure::of("its header has no base fee"))?;
        let moving = base_fee.checked_sub(self.overhead).ok_or(NoFigure::of(
            "its base fee is below the overhead that is known here: the overhead was changed",
        ))?;
        let target = match self.target {
            GasTarget::Elasticity(elasticity) => parent.gas_limit.checked_div(elasticity.into()),
            GasTarget::Percent(percent) => {
                let part = u128::from(parent.gas_limit) * u128::from(percent) / 100;
                u64::try_from(part).ok()
            }
        };
        let target = target.filter(|target| *target > 0).ok_or(OUT_OF_RANGE)?;
        if self.denominator == 0 {
            return Err(OUT_OF_RANGE);
        }
        // no step out of a header that was made up may pass 64 bits
        let step = u128::from(moving) * u128::from(gas_used.max(target))
            / (u128::from(target) * u128::from(self.denominator));
        let most = u128::from(base_fee) + step.max(1);
        if most > u128::from(u64::MAX) {
            return Err(OUT_OF_RANGE);
        }
        // with the target as limit and an elasticity of 1, the target may follow from the limit in any way
        let params = BaseFeeParams::new(self.denominator.into(), 1);
        let moved = calc_next_block_base_fee(gas_used, target, moving, params);
        Ok(moved.saturating_add(self.overhead).max(self.floor))
    }
}

impl fmt::Display for BaseFeeStep {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.target {
            GasTarget::Elasticity(elasticity) => write!(f, "elasticity {elasticity}")?,
            GasTarget::Percent(percent) => write!(f, "target {percent}% of the gas limit")?,
        }
        write!(f, ", denominator {}", self.denominator)?;
        if self.overhead > 0 {
            write!(f, ", overhead {} wei", self.overhead)?;
        }
        if self.floor > 0 {
            write!(f, ", at least {} wei", self.floor)?;
        }
        Ok(())
    }
}

impl BaseFeeRule {
    /// Whether a parameter in chain state was inferred from headers: later headers must confirm the parameter.
    #[must_use]
    pub const fn rests_on_state(&self) -> bool {
        matches!(self, Self::Eip1559(BaseFeeStep { overhead: 1.., .. }))
    }

    /// Describes the rule, with the parameters in force after the header.
    #[must_use]
    pub fn describe(&self, parent: &Parent<'_>) -> String {
        match self {
            Self::Eip1559(moves) => format!("EIP-1559, {moves}"),
            Self::OpStack(moves) => match op_stack(moves, parent) {
                Ok((moves, _)) if parent.extra_data.is_empty() => format!("EIP-1559, {moves}"),
                Ok((moves, _)) => format!("EIP-1559 by the header's extraData, {moves}"),
                Err(why) => why.to_string(),
            },
            Self::Constant(wei) => format!("always {wei} wei"),
            Self::Elsewhere(why) => why.to_string(),
        }
    }
}
