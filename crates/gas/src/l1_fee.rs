//! What an OP-stack chain takes for putting a transaction on its L1.
//!
//! The prices are in the first entry of every block, a deposit that tells a contract what the L1 costs:
//!
//! ```text
//! bedrock  0x015d8eb9  ABI: number, time, base fee, hash, sequence, batcher, overhead, scalar
//! ecotone  0x440a5e20  packed: two scalars, sequence, time, number, base fee, blob base fee, hash, batcher
//! isthmus  0x098999be  the same, and the operator fee's scalar and constant
//! jovian   0x3db6be2b  the same, and the scalar of the data footprint
//! ```
//! Bedrock takes `(calldata gas + overhead) · base fee · scalar`, Ecotone weighs the base fee and the blob base fee
//! of the L1 by a scalar each, Fjord counts compressed bytes (FastLZ) in place of calldata gas. Sources:
//! specs.optimism.io (`exec-engine.md` of each fork), op-geth `core/types/rollup_cost.go`.

use alloy_primitives::U256;
use superroot_proof::ledger::evm::{Fields, leaf_type};

use crate::{Figure, Why};

/// EIP-2718 type of a deposit.
const DEPOSIT: u8 = 0x7e;
/// The contract that is told: `L1Block`, `0x4200000000000000000000000000000000000015`.
const L1_BLOCK: [u8; 20] = [0x42, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x15];

const BEDROCK: [u8; 4] = [0x01, 0x5d, 0x8e, 0xb9];
const ECOTONE: [u8; 4] = [0x44, 0x0a, 0x5e, 0x20];
const ISTHMUS: [u8; 4] = [0x09, 0x89, 0x99, 0xbe];
const JOVIAN: [u8; 4] = [0x3d, 0xb6, 0xbe, 0x2b];

/// How a transaction is weighed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Weighing {
    /// By calldata gas, with an overhead and one scalar.
    Bedrock,
    /// By calldata gas, with a scalar for each of two prices.
    Ecotone,
    /// By compressed bytes.
    Fjord,
}

impl Weighing {
    /// The fork's name.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Bedrock => "bedrock",
            Self::Ecotone => "ecotone",
            Self::Fjord => "fjord",
        }
    }
}

/// The operator fee, which is taken beside the L1 data fee since Isthmus.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OperatorFee {
    /// Of gas used.
    pub scalar: u32,
    /// Wei of every transaction.
    pub constant: u64,
}

/// What the contract is told about prices.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Prices {
    /// Before Ecotone.
    Bedrock {
        /// Gas added to a transaction's calldata gas.
        overhead: U256,
        /// Millionths.
        scalar: U256,
    },
    /// Since then.
    Ecotone {
        /// Scalar of the base fee, in millionths.
        base_fee_scalar: u32,
        /// Scalar of the blob base fee, in millionths.
        blob_base_fee_scalar: u32,
        /// Blob base fee of the L1.
        blob_base_fee: U256,
        /// Since Isthmus.
        operator: Option<OperatorFee>,
        /// Since Jovian: gas that a byte of data counts as.
        da_footprint_gas_scalar: Option<u16>,
    },
}

/// What the first entry of a block says of its L1.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct L1Attributes {
    /// Block of the L1.
    pub number: u64,
    /// Its time, in Unix seconds.
    pub timestamp: u64,
    /// Its base fee, in wei per gas.
    pub base_fee: U256,
    /// What is made of it.
    pub prices: Prices,
}

impl L1Attributes {
    /// Reads the first entry of a block.
    ///
    /// # Errors
    /// Why it says nothing of that.
    pub fn read(leaf: &[u8]) -> Figure<Self> {
        let data = deposit_data(leaf)
            .ok_or(Why::of("the first entry of the block tells nothing of the L1"))?;
        let form = Why::of("the block tells of the L1 in a form that is not known here");
        read_data(data).ok_or(form)
    }

    /// How a transaction is weighed in a block of that time, on a chain that came to Fjord at that other one.
    #[must_use]
    pub const fn weighing(&self, time: u64, fjord: u64) -> Weighing {
        match self.prices {
            Prices::Bedrock { .. } => Weighing::Bedrock,
            Prices::Ecotone { .. } if time >= fjord => Weighing::Fjord,
            Prices::Ecotone { .. } => Weighing::Ecotone,
        }
    }

    /// L1 data fee of a transaction, in wei; `leaf` is what its hash is of.
    ///
    /// # Errors
    /// Where prices that were made up pass 256 bits.
    pub fn fee(&self, weighing: Weighing, leaf: &[u8]) -> Figure<U256> {
        self.fee_of(
            match weighing {
                Weighing::Bedrock | Weighing::Ecotone => calldata_gas(leaf),
                Weighing::Fjord => op_alloy_flz::tx_estimated_size_fjord(leaf),
            },
            weighing,
        )
    }

    /// The least that any transaction pays; `None` where there is no such least.
    ///
    /// # Errors
    /// As [`L1Attributes::fee`].
    pub fn least(&self, weighing: Weighing) -> Figure<Option<U256>> {
        let is_fjord = weighing == Weighing::Fjord;
        is_fjord.then(|| self.fee_of(op_alloy_flz::MIN_TX_SIZE_SCALED, weighing)).transpose()
    }

    /// The operator fee of a transaction that uses that much gas, in wei: since Isthmus a part in millionths, since Jovian
    /// a hundredfold, and a constant; zero before (specs.optimism.io, `isthmus/exec-engine.md`, `jovian/exec-engine.md`).
    #[must_use]
    pub fn operator_fee(&self, gas: u64) -> U256 {
        let Prices::Ecotone { operator: Some(operator), da_footprint_gas_scalar, .. } =
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
            Prices::Bedrock { overhead, scalar } => weight
                .checked_add(*overhead)
                .and_then(|gas| gas.checked_mul(self.base_fee)?.checked_mul(*scalar))
                .map(|fee| fee / U256::from(1_000_000)),
            Prices::Ecotone { base_fee_scalar, blob_base_fee_scalar, blob_base_fee, .. } => {
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
        fee.ok_or(Why::of("the block tells of prices out of range"))
    }
}

/// Gas that the bytes would cost as calldata: 4 for a zero, 16 for any other.
#[must_use]
pub fn calldata_gas(bytes: &[u8]) -> u64 {
    bytes.iter().map(|byte| if *byte == 0 { 4 } else { 16 }).sum()
}

/// The data of a deposit to the contract.
fn deposit_data(leaf: &[u8]) -> Option<&[u8]> {
    if leaf_type(leaf) != DEPOSIT {
        return None;
    }
    let mut fields = Fields::of_list(leaf.get(1..)?, "deposit").ok()?;
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
    let mut rest = Packed(rest);
    match *selector {
        BEDROCK => {
            let (number, timestamp) = (rest.word_as_u64()?, rest.word_as_u64()?);
            let base_fee = rest.word()?;
            let (_hash, _sequence, _batcher) = (rest.word()?, rest.word()?, rest.word()?);
            let prices = Prices::Bedrock { overhead: rest.word()?, scalar: rest.word()? };
            rest.end(L1Attributes { number, timestamp, base_fee, prices })
        }
        ECOTONE | ISTHMUS | JOVIAN => {
            let (base_fee_scalar, blob_base_fee_scalar) = (rest.u32()?, rest.u32()?);
            let _sequence = rest.u64()?;
            let (timestamp, number) = (rest.u64()?, rest.u64()?);
            let (base_fee, blob_base_fee) = (rest.word()?, rest.word()?);
            let (_hash, _batcher) = (rest.word()?, rest.word()?);
            let operator = match *selector {
                ECOTONE => None,
                _ => Some(OperatorFee { scalar: rest.u32()?, constant: rest.u64()? }),
            };
            let da_footprint_gas_scalar = match *selector {
                JOVIAN => Some(u16::from_be_bytes(rest.array()?)),
                _ => None,
            };
            let prices = Prices::Ecotone {
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

/// Big-endian integers one after the other.
struct Packed<'a>(&'a [u8]);

impl Packed<'_> {
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

    /// What was read, where nothing follows.
    fn end(self, read: L1Attributes) -> Option<L1Attributes> {
        self.0.is_empty().then_some(read)
    }
}
