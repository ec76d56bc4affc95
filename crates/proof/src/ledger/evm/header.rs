//! Headers of the EVM family: one reader for each rule, later fields present from the left.
//!
//! ```text
//! 0001 Ethereum     the 15 of Ethereum, then those of London, Shanghai, Cancun, Prague, Amsterdam
//! 0002 AuRa seal    the same, with step and signature in place of mix hash and nonce
//! 0003 Celo L1      parent, miner, three roots, bloom, number, gas used, time, extra
//! 0004 Gingerbread  the 15 of Ethereum and the base fee; the extra data without its aggregated seal
//! 0005 Avalanche    the 15 of Ethereum, the hash of the atomic transactions, then later forks'
//! 0006 Sonic        the 15 of Ethereum, base fee, withdrawals root, two blob fields
//! ```

use alloc::boxed::Box;
use alloc::vec::Vec;

use superroot_types::{Address, Hash};

use super::Bloom;
use super::layout::Layout;
use super::rlp::Fields;
use crate::hash::keccak256;
use crate::ledger::LedgerError;
use crate::ledger::form::HeaderForm;
use crate::registry::Rule;

mod avalanche;

pub use avalanche::{Avalanche, Settled};

/// The two seal fields of a header of AuRa consensus.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AuraSeal {
    /// Step of the round of validators.
    pub step: u64,
    /// The validator's signature: `r`, `s`, recovery id.
    pub signature: [u8; 65],
}

/// A header, read from the bytes whose Keccak-256 is the block hash. Fields that a fork had not yet
/// brought, or that the rule does not have, are `None`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Header {
    /// Hash of the block before.
    pub parent_hash: Hash,
    /// Keccak-256 of the list of ommers.
    pub ommers_hash: Option<Hash>,
    /// Receiver of fees.
    pub beneficiary: Address,
    /// Root of the state trie.
    pub state_root: Hash,
    /// Root of the transaction trie.
    pub transactions_root: Hash,
    /// Root of the receipt trie.
    pub receipts_root: Hash,
    /// Bits of all logs of the block.
    pub logs_bloom: Bloom,
    /// Difficulty, big-endian.
    pub difficulty: Option<[u8; 32]>,
    /// Block number.
    pub number: u64,
    /// Gas the block may use.
    pub gas_limit: Option<u64>,
    /// Gas the block used.
    pub gas_used: u64,
    /// Unix seconds, as the block's producer says.
    pub timestamp: u64,
    /// Free bytes of the producer. Of Celo's own chain: without the aggregated seal, which is not
    /// hashed.
    pub extra_data: Vec<u8>,
    /// Proof-of-work mix, or the beacon chain's randomness.
    pub mix_hash: Option<Hash>,
    /// Proof-of-work nonce.
    pub nonce: Option<[u8; 8]>,
    /// Seal of AuRa consensus, in place of mix hash and nonce.
    pub aura_seal: Option<Box<AuraSeal>>,
    /// Wei per gas that is burnt (EIP-1559).
    pub base_fee_per_gas: Option<u64>,
    /// Root of the withdrawals (EIP-4895), or what an OP-stack chain keeps there.
    pub withdrawals_root: Option<Hash>,
    /// Blob gas used (EIP-4844).
    pub blob_gas_used: Option<u64>,
    /// Blob gas above target (EIP-4844).
    pub excess_blob_gas: Option<u64>,
    /// Root of the parent beacon block (EIP-4788).
    pub parent_beacon_block_root: Option<Hash>,
    /// Hash of the requests (EIP-7685).
    pub requests_hash: Option<Hash>,
    /// Hash of the block access list (EIP-7928).
    pub block_access_list_hash: Option<Hash>,
    /// Beacon slot number (EIP-7843).
    pub slot_number: Option<u64>,
    /// What Avalanche adds.
    pub avalanche: Option<Box<Avalanche>>,
}

/// What stands between the extra data and the appended fields.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Seal {
    MixHashAndNonce,
    Aura,
}

impl HeaderForm for Box<Header> {
    fn decode(rule: Rule, bytes: &[u8]) -> Result<Self, LedgerError> {
        match rule {
            Rule::Evm(layout) => Header::decode(layout, bytes).map(Self::new),
            other => Err(LedgerError::Rule { code: other.code() }),
        }
    }

    fn hash(_: Rule, bytes: &[u8]) -> Result<Hash, LedgerError> {
        Ok(keccak256(bytes))
    }

    fn parent_hash(&self) -> Option<Hash> {
        Some(self.parent_hash)
    }

    fn timestamp(&self) -> Option<u64> {
        Some(self.timestamp)
    }

    fn number(&self) -> Option<u64> {
        Some(self.number)
    }

    fn check_chain(&self, _: &str) -> Result<(), LedgerError> {
        Ok(())
    }

    fn transactions_root(&self) -> Option<Hash> {
        Some(self.transactions_root)
    }

    fn receipts_root(&self) -> Option<Hash> {
        Some(self.receipts_root)
    }

    fn logs_bloom(&self) -> Option<&Bloom> {
        Some(&self.logs_bloom)
    }
}

impl Header {
    /// Reads a header, whole, by its layout.
    ///
    /// # Errors
    /// [`LedgerError`] naming the field.
    pub fn decode(layout: Layout, rlp: &[u8]) -> Result<Self, LedgerError> {
        let read = match layout {
            Layout::Ethereum => Self::ethereum,
            Layout::Aura => Self::aura,
            Layout::CeloL1 => Self::celo_l1,
            Layout::CeloGingerbread => Self::celo_gingerbread,
            Layout::Avalanche => Self::avalanche,
            Layout::Sonic => Self::sonic,
        };
        let mut fields = Fields::of_list(rlp, "header")?;
        let count = fields.count("header")?;
        let header = read(&mut fields, count)?;
        fields.end("header")?;
        Ok(header)
    }

    fn ethereum(fields: &mut Fields<'_>, got: usize) -> Result<Self, LedgerError> {
        if !matches!(got, 15 | 16 | 17 | 20 | 21 | 22 | 23) {
            let expected = "15, 16, 17, 20, 21, 22 or 23";
            return Err(LedgerError::FieldCount { got, expected });
        }
        let mut header = Self::first_fields(fields, Seal::MixHashAndNonce)?;
        if got >= 16 {
            header.base_fee_per_gas = Some(fields.u64("baseFeePerGas")?);
        }
        if got >= 17 {
            header.withdrawals_root = Some(fields.hash("withdrawalsRoot")?);
        }
        if got >= 20 {
            header.read_cancun(fields)?;
        }
        if got >= 21 {
            header.requests_hash = Some(fields.hash("requestsHash")?);
        }
        if got >= 22 {
            header.block_access_list_hash = Some(fields.hash("blockAccessListHash")?);
        }
        if got >= 23 {
            header.slot_number = Some(fields.u64("slotNumber")?);
        }
        Ok(header)
    }

    fn aura(fields: &mut Fields<'_>, got: usize) -> Result<Self, LedgerError> {
        Self::with_base_fee(fields, got, Seal::Aura)
    }

    fn celo_gingerbread(fields: &mut Fields<'_>, got: usize) -> Result<Self, LedgerError> {
        Self::with_base_fee(fields, got, Seal::MixHashAndNonce)
    }

    /// The first 15 fields and, since London or what came to the chain with it, the base fee.
    fn with_base_fee(fields: &mut Fields<'_>, got: usize, seal: Seal) -> Result<Self, LedgerError> {
        if !matches!(got, 15 | 16) {
            return Err(LedgerError::FieldCount { got, expected: "15 or 16" });
        }
        let mut header = Self::first_fields(fields, seal)?;
        if got == 16 {
            header.base_fee_per_gas = Some(fields.u64("baseFeePerGas")?);
        }
        Ok(header)
    }

    fn celo_l1(fields: &mut Fields<'_>, got: usize) -> Result<Self, LedgerError> {
        if got != 10 {
            return Err(LedgerError::FieldCount { got, expected: "10" });
        }
        Ok(Self {
            parent_hash: fields.hash("parentHash")?,
            beneficiary: Address(fields.array("miner")?),
            state_root: fields.hash("stateRoot")?,
            transactions_root: fields.hash("transactionsRoot")?,
            receipts_root: fields.hash("receiptsRoot")?,
            logs_bloom: Bloom(fields.array("logsBloom")?),
            number: fields.u64("number")?,
            gas_used: fields.u64("gasUsed")?,
            timestamp: fields.u64("timestamp")?,
            extra_data: fields.bytes("extraData")?,
            ..Self::blank()
        })
    }

    fn avalanche(fields: &mut Fields<'_>, got: usize) -> Result<Self, LedgerError> {
        Avalanche::check_count(got)?;
        let mut header = Self::first_fields(fields, Seal::MixHashAndNonce)?;
        header.read_avalanche(fields, got)?;
        Ok(header)
    }

    fn sonic(fields: &mut Fields<'_>, got: usize) -> Result<Self, LedgerError> {
        if got != 19 {
            return Err(LedgerError::FieldCount { got, expected: "19" });
        }
        let mut header = Self::first_fields(fields, Seal::MixHashAndNonce)?;
        header.base_fee_per_gas = Some(fields.u64("baseFeePerGas")?);
        header.withdrawals_root = Some(fields.hash("withdrawalsRoot")?);
        header.blob_gas_used = Some(fields.u64("blobGasUsed")?);
        header.excess_blob_gas = Some(fields.u64("excessBlobGas")?);
        Ok(header)
    }

    /// The 15 fields of Ethereum's first header.
    fn first_fields(fields: &mut Fields<'_>, seal: Seal) -> Result<Self, LedgerError> {
        let mut header = Self {
            parent_hash: fields.hash("parentHash")?,
            ommers_hash: Some(fields.hash("sha3Uncles")?),
            beneficiary: Address(fields.array("miner")?),
            state_root: fields.hash("stateRoot")?,
            transactions_root: fields.hash("transactionsRoot")?,
            receipts_root: fields.hash("receiptsRoot")?,
            logs_bloom: Bloom(fields.array("logsBloom")?),
            difficulty: Some(fields.uint256("difficulty")?),
            number: fields.u64("number")?,
            gas_limit: Some(fields.u64("gasLimit")?),
            gas_used: fields.u64("gasUsed")?,
            timestamp: fields.u64("timestamp")?,
            extra_data: fields.bytes("extraData")?,
            ..Self::blank()
        };
        match seal {
            Seal::MixHashAndNonce => {
                header.mix_hash = Some(fields.hash("mixHash")?);
                header.nonce = Some(fields.array("nonce")?);
            }
            Seal::Aura => {
                let step = fields.u64("step")?;
                let signature = fields.array("signature")?;
                header.aura_seal = Some(Box::new(AuraSeal { step, signature }));
            }
        }
        Ok(header)
    }

    fn read_cancun(&mut self, fields: &mut Fields<'_>) -> Result<(), LedgerError> {
        self.blob_gas_used = Some(fields.u64("blobGasUsed")?);
        self.excess_blob_gas = Some(fields.u64("excessBlobGas")?);
        self.parent_beacon_block_root = Some(fields.hash("parentBeaconBlockRoot")?);
        Ok(())
    }

    /// A header of which nothing is read yet.
    const fn blank() -> Self {
        Self {
            parent_hash: Hash::ZERO,
            ommers_hash: None,
            beneficiary: Address([0; 20]),
            state_root: Hash::ZERO,
            transactions_root: Hash::ZERO,
            receipts_root: Hash::ZERO,
            logs_bloom: Bloom::ZERO,
            difficulty: None,
            number: 0,
            gas_limit: None,
            gas_used: 0,
            timestamp: 0,
            extra_data: Vec::new(),
            mix_hash: None,
            nonce: None,
            aura_seal: None,
            base_fee_per_gas: None,
            withdrawals_root: None,
            blob_gas_used: None,
            excess_blob_gas: None,
            parent_beacon_block_root: None,
            requests_hash: None,
            block_access_list_hash: None,
            slot_number: None,
            avalanche: None,
        }
    }
}
