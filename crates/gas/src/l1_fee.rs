//! L1 data fee of OP-stack chains.
//!
//! The prices are in the first entry of every block, a deposit to the L1 price contract:
//!
//! ```text
//! bedrock  0x015d8eb9  ABI: number, time, base fee, hash, sequence, batcher, overhead, scalar
//! ecotone  0x440a5e20  packed: two scalars, sequence, time, number, base fee, blob base fee, hash, batcher
//! isthmus  0x098999be  the same, and the operator fee's scalar and constant
//! jovian   0x3db6be2b  the same, and the scalar of the data footprint
//! ```
//! Bedrock takes `(calldata gas + overhead) · base fee · scalar`. Ecotone weighs the L1 base fee and the L1 blob base
//! fee by a scalar each. Fjord counts compressed bytes (FastLZ) instead of calldata gas. Sources: specs.optimism.io
//! (`exec-engine.md` of each fork), op-geth `core/types/rollup_cost.go`.

use alloy_primitives::U256;
use superroot_proof::ledger::evm::{RlpFields, leaf_type};

use crate::{Figure, NoFigure};

/// EIP-2718 type of a deposit.
const DEPOSIT: u8 = 0x7e;
/// Contract `L1Block`, `0x4200000000000000000000000000000000000015`.
const L1_BLOCK: [u8; 20] = [0x42, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x15];

const BEDROCK: [u8; 4] = [0x01, 0x5d, 0x8e, 0xb9];
const ECOTONE: [u8; 4] = [0x44, 0x0a, 0x5e, 0x20];
const ISTHMUS: [u8; 4] = [0x09, 0x89, 0x99, 0xbe];
const JOVIAN: [u8; 4] = [0x3d, 0xb6, 0xbe, 0x2b];

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Weighing {
    /// Calldata gas, with an overhead and one scalar.
    Bedrock,
    /// Calldata gas, with one scalar for each of two prices.
    Ecotone,
    /// Compressed bytes.
    Fjord,
}

impl Weighing {
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Bedrock => "bedrock",
            Self::Ecotone => "ecotone",
            Self::Fjord => "fjord",
        }
    }
}

/// Operator fee, added to the L1 data fee since Isthmus.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OperatorFee {
    /// Scalar of gas used.
    pub scalar: u32,
    /// Wei per transaction.
    pub constant: u64,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum L1Prices {
    /// Before Ecotone.
    Bedrock {
        /// Gas added to a transaction's calldata gas.
        overhead: U256,
        /// Millionths.
        scalar: U256,
    },
    /// Since Ecotone.
    Ecotone {
        /// Base fee scalar, in millionths.
        base_fee_scalar: u32,
        /// Blob base fee scalar, in millionths.
        blob_base_fee_scalar: u32,
        /// L1 blob base fee.
        blob_base_fee: U256,
        /// Since Isthmus.
        operator: Option<OperatorFee>,
        /// Since Jovian: gas per byte of data.
        da_footprint_gas_scalar: Option<u16>,
    },
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct L1Attributes {
    pub number: u64,
    /// L1 block time in Unix seconds.
    pub timestamp: u64,
    /// L1 base fee, in wei per gas.
    pub base_fee: U256,
    pub prices: L1Prices,
}

impl L1Attributes {
    /// Reads the first entry of a block.
    pub fn read(leaf: &[u8]) -> Figure<Self> {
        let data = deposit_data(leaf)
            .ok_or(NoFigure::of("the first entry of the block tells nothing of the L1"))?;
        let form = NoFigure::of("the block tells of the L1 in a form that is not known here");
        read_data(data).ok_or(form)
    }

    /// Weighing for a block at `time` on a chain with Fjord at `fjord`.
    #[must_use]
    pub const fn weighing(&self, time: u64, fjord: u64) -> Weighing {
        match self.prices {
            L1Prices::Bedrock { .. } => Weighing::Bedrock,
            L1Prices::Ecotone { .. } if time >= fjord => Weighing::Fjord,
            L1Prices::Ecotone { .. } => Weighing::Ecotone,
        }
    }

    /// L1 data fee of a transaction, in wei; `leaf` is the hashed encoding.
    ///
    /// # Errors
    /// Invented prices above 256 bits.
    pub fn fee(&self, weighing: Weighing, leaf: &[u8]) -> Figure<U256> {
        self.fee_of(
            match weighing {
                Weighing::Bedrock | Weighing::Ecotone => calldata_gas(leaf),
                Weighing::Fjord => op_alloy_flz::tx_estimated_size_fjord(leaf),
            },
            weighing,
        )
    }

    /// Lowest fee of any transaction; `None` without a minimum.
    ///
    /// # Errors
    /// As [`L1Attributes::fee`].
    pub fn least(&self, weighing: Weighing) -> Figure<Option<U256>> {
        let is_fjord = weighing == Weighing::Fjord;
        is_fjord.then(|| self.fee_of(op_alloy_flz::MIN_TX_SIZE_SCALED, weighing)).transpose()
    }

    /// Operator fee of a transaction with this gas use, in wei: gas times scalar, in millionths since Isthmus and
    /// hundredfold since Jovian, plus a constant; zero before Isthmus (specs.optimism.io, `isthmus/exec-engine.md`,
    /// `jovian/exec-engine.md`).
    #[must_use]
    pub fn operator_fee(&self, gas: u64) -> U256 {
        let L1Prices::Ecotone { operator: Some(operator), da_footprint_gas_scalar, .. } =
            &self.prices
        else {
            return U256::ZERO;
        };
        let of_gas = U256::from(gas) * U256::from(operator.scalar);
        let of_gas = match da_footprint_gas_scalar {
            None => of_gas / U256::from(1_000_000),
            Some(_) => of_gas * U256::from(100),
        };
        of_gas + U256::from(operator.constant)
    }

    fn fee_of(&self, weight: u64, weighing: Weighing) -> Figure<U256> {
        let weight = U256::from(weight);
        let fee = match &self.prices {
            L1Prices::Bedrock { overhead, scalar } => weight
                .checked_add(*overhead)
                .and_then(|gas| gas.checked_mul(self.base_fee)?.checked_mul(*scalar))
                .map(|fee| fee / U256::from(1_000_000)),
            L1Prices::Ecotone { base_fee_scalar, blob_base_fee_scalar, blob_base_fee, .. } => {
                let base = U256::from(*base_fee_scalar).checked_mul(self.base_fee);
                let base = base.and_then(|base| base.checked_mul(U256::from(16)));
                let blob = U256::from(*blob_base_fee_scalar).checked_mul(*blob_base_fee);
                let price = base.zip(blob).and_then(|(base, blob)| base.checked_add(blob));
                let unit: u64 = match weighing {
                    // sixteen gas a byte of calldata, scalars in millionths
                    Weighing::Bedrock | Weighing::Ecotone => 16_000_000,
                    // millionths of a byte, scalars in millionths
                    Weighing::Fjord => 1_000_000_000_000,
                };
                price.and_then(|price| price.checked_mul(weight)).map(|fee| fee / U256::from(unit))
            }
        };
        fee.ok_or(NoFigure::of("the block tells of prices out of range"))
    }
}

/// Calldata gas: 4 per zero byte, 16 per other byte.
#[must_use]
pub fn calldata_gas(bytes: &[u8]) -> u64 {
    bytes.iter().map(|byte| if *byte == 0 { 4 } else { 16 }).sum()
}

/// Data of a deposit to the contract.
fn deposit_data(leaf: &[u8]) -> Option<&[u8]> {
    if leaf_type(leaf) != DEPOSIT {
        return None;
    }
    let mut fields = RlpFields::of_list(leaf.get(1..)?, "deposit").ok()?;
    fields.string("sourceHash").ok()?;
    fields.string("from").ok()?;
    if fields.string("to").ok()? != L1_BLOCK {
        return None;
    }
    for field in ["mint", "value", "gas", "isSystemTx"] {
        fields.string(field).ok()?;
    }
    fields.string("data").ok()
}

fn read_data(data: &[u8]) -> Option<L1Attributes> {
    let (selector, rest) = data.split_first_chunk::<4>()?;
    let mut rest = PackedIntegers(rest);
    match *selector {
        BEDROCK => {
            let number = rest.word_as_u64()?;
            let timestamp = rest.word_as_u64()?;
            let base_fee = rest.word()?;
            let _hash = rest.word()?;
            let _sequence = rest.word()?;
            let _batcher = rest.word()?;
            let prices = L1Prices::Bedrock { overhead: rest.word()?, scalar: rest.word()? };
            rest.end(L1Attributes { number, timestamp, base_fee, prices })
        }
        ECOTONE | ISTHMUS | JOVIAN => {
            let base_fee_scalar = rest.u32()?;
            let blob_base_fee_scalar = rest.u32()?;
            let _sequence = rest.u64()?;
            let timestamp = rest.u64()?;
            let number = rest.u64()?;
            let base_fee = rest.word()?;
            let blob_base_fee = rest.word()?;
            let _hash = rest.word()?;
            let _batcher = rest.word()?;
            let operator = match *selector {
                ECOTONE => None,
                _ => Some(OperatorFee { scalar: rest.u32()?, constant: rest.u64()? }),
            };
            let da_footprint_gas_scalar = match *selector {
                JOVIAN => Some(u16::from_be_bytes(rest.array()?)),
                _ => None,
            };
            let prices = L1Prices::Ecotone {
                base_fee_scalar,
                blob_base_fee_scalar,
                blob_base_fee,
                operator,
                da_footprint_gas_scalar,
            };
            rest.end(L1Attributes { number, timestamp, base_fee, prices })
        }
        _ => None,
    }
}

struct PackedIntegers<'a>(&'a [u8]);

impl PackedIntegers<'_> {
    fn array<const N: usize>(&mut self) -> Option<[u8; N]> {
        let (array, rest) = self.0.split_first_chunk()?;
        self.0 = rest;
        Some(*array)
    }

    fn u32(&mut self) -> Option<u32> {
        self.array().map(u32::from_be_bytes)
    }

    fn u64(&mut self) -> Option<u64> {
        self.array().map(u64::from_be_bytes)
    }

    fn word(&mut self) -> Option<U256> {
        self.array().map(U256::from_be_bytes::<32>)
    }

    fn word_as_u64(&mut self) -> Option<u64> {
        self.word()?.try_into().ok()
    }

    /// Returns the attributes if no bytes remain.
    fn end(self, read: L1Attributes) -> Option<L1Attributes> {
        self.0.is_empty().then_some(read)
    }
}
