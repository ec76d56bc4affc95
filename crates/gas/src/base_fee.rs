//! The base fee of the next block, by the chain's rule, out of the header of the newest.
//!
//! Sources: EIP-1559; specs.optimism.io, Holocene and Jovian (`exec-engine.md`); bor `consensus/misc/eip1559`;
//! scroll-tech/go-ethereum, `CalcBaseFee`.

use std::fmt;

use alloy_eips::eip1559::{BaseFeeParams, calc_next_block_base_fee};

use crate::{Figure, Why};

/// How the target of a block's gas follows from its limit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Target {
    /// The limit divided by it.
    Elasticity(u32),
    /// So many percent of the limit.
    Percent(u32),
}

/// How a base fee moves: EIP-1559 with a chain's own numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Moves {
    /// The target.
    pub target: Target,
    /// The most it moves in one step is the fee divided by this, where a block is full or empty by twice its target.
    pub denominator: u32,
    /// Wei that no base fee is below.
    pub floor: u64,
    /// Wei in every base fee that do not move.
    pub overhead: u64,
}

/// By which rule a chain sets its base fee.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Rule {
    /// EIP-1559.
    Eip1559(Moves),
    /// The OP stack's: the same, with the numbers that a header's `extraData` names, once it does.
    OpStack(Moves),
    /// Always the same.
    Constant(u64),
    /// No header decides it.
    Elsewhere(Why),
}

impl Rule {
    /// Ethereum's.
    pub const EIP_1559: Self = Self::Eip1559(Moves {
        target: Target::Elasticity(2),
        denominator: 8,
        floor: 0,
        overhead: 0,
    });
}

/// What a header says that the next base fee follows from.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Parent<'a> {
    /// Wei per gas; `None` before the chain had a base fee.
    pub base_fee: Option<u64>,
    /// Gas that the block could use.
    pub gas_limit: u64,
    /// Gas that it used.
    pub gas_used: u64,
    /// Blob gas used; since Jovian what the data of an OP-stack block weighs.
    pub blob_gas_used: Option<u64>,
    /// Free bytes of the producer.
    pub extra_data: &'a [u8],
}

/// The numbers in the `extraData` of an OP-stack header.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OpParameters {
    /// 0 since Holocene, 1 since Jovian.
    pub version: u8,
    /// Change denominator; 0, with the elasticity: the chain's own.
    pub denominator: u32,
    /// Elasticity.
    pub elasticity: u32,
    /// Wei that no base fee is below; `None` before Jovian.
    pub min_base_fee: Option<u64>,
}

impl OpParameters {
    /// Reads them: `version ‖ denominator:u32 ‖ elasticity:u32`, since Jovian with `min_base_fee:u64` behind.
    /// `None` where the bytes are something else.
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

/// The base fee of the block after `parent`, in wei per gas.
///
/// # Errors
/// Why the header does not decide it.
pub fn next_base_fee(rule: &Rule, parent: &Parent<'_>) -> Figure<u64> {
    let (moves, gas_used) = match rule {
        Rule::Constant(wei) => return Ok(*wei),
        Rule::Elsewhere(why) => return Err(why.clone()),
        Rule::Eip1559(moves) => (*moves, parent.gas_used),
        Rule::OpStack(moves) => op_stack(moves, parent)?,
    };
    moves.next(parent, gas_used)
}

/// The numbers in force after an OP-stack header, and the gas that counts.
fn op_stack(moves: &Moves, parent: &Parent<'_>) -> Figure<(Moves, u64)> {
    let Some(named) = OpParameters::read(parent.extra_data) else {
        // before Holocene it is empty; a version that came later is not guessed at
        return match parent.extra_data.first() {
            None if moves.denominator == 0 => {
                Err(Why::of("its header names no numbers, and the chain's own are not known here"))
            }
            None => Ok((*moves, parent.gas_used)),
            Some(_) => {
                Err(Why::of("the extraData of its header has a form that is not known here"))
            }
        };
    };
    let mut moves = *moves;
    if (named.denominator, named.elasticity) != (0, 0) {
        moves.target = Target::Elasticity(named.elasticity);
        moves.denominator = named.denominator;
    }
    let Some(min_base_fee) = named.min_base_fee else { return Ok((moves, parent.gas_used)) };
    moves.floor = min_base_fee;
    Ok((moves, parent.gas_used.max(parent.blob_gas_used.unwrap_or(0))))
}

impl Moves {
    fn next(&self, parent: &Parent<'_>, gas_used: u64) -> Figure<u64> {
        const OUT_OF_RANGE: Why = Why::of("its header has numbers out of range");
        let base_fee = parent.base_fee.ok_or(Why::of("its header has no base fee"))?;
        let moving = base_fee.checked_sub(self.overhead).ok_or(Why::of(
            "its base fee is below the overhead that is known here: the overhead was changed",
        ))?;
        let target = match self.target {
            Target::Elasticity(elasticity) => parent.gas_limit.checked_div(elasticity.into()),
            Target::Percent(percent) => {
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

impl fmt::Display for Moves {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.target {
            Target::Elasticity(elasticity) => write!(f, "elasticity {elasticity}")?,
            Target::Percent(percent) => write!(f, "target {percent}% of the gas limit")?,
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

impl Rule {
    /// Whether a number of it was found from headers, since it stands in state: headers must go on to show it.
    #[must_use]
    pub const fn rests_on_state(&self) -> bool {
        matches!(self, Self::Eip1559(Moves { overhead: 1.., .. }))
    }

    /// The rule in words, with the numbers in force after that header.
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
