//! EVM family headers: a reader per rule, later fields present from the left.
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
use super::rlp::RlpFields;
use crate::hash::keccak256;
use crate::ledger::LedgerError;
use crate::ledger::form::HeaderForm;
use crate::registry::HashRule;

mod avalanche;

pub use avalanche::{Avalanche, Settled};

/// Two seal fields in an AuRa header.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AuraSeal {
    /// Validator round step.
    pub step: u64,
    /// Validator signature: `r`, `s`, recovery id.
    pub signature: [u8; 65],
}

/// Header from the bytes hashed by Keccak-256 to the block hash. Fields before their fork, or absent in the rule, are
/// `None`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Header {
    /// Parent block hash.
    pub parent_hash: Hash,
    /// Keccak-256 over the ommers list.
    pub ommers_hash: Option<Hash>,
    /// Fee recipient.
    pub beneficiary: Address,
    /// State trie root.
    pub state_root: Hash,
    /// Transaction trie root.
    pub transactions_root: Hash,
    /// Receipt trie root.
    pub receipts_root: Hash,
    /// Bits for all block logs.
    pub logs_bloom: Bloom,
    /// Difficulty, big-endian.
    pub difficulty: Option<[u8; 32]>,
    /// Block number.
    pub number: u64,
    /// Gas limit.
    pub gas_limit: Option<u64>,
    /// Gas used.
    pub gas_used: u64,
    /// Producer's Unix seconds.
    pub timestamp: u64,
    /// Producer's free bytes. On Celo's own chain without the unhashed aggregated seal.
    pub extra_data: Vec<u8>,
    /// Proof-of-work mix, or beacon chain randomness.
    pub mix_hash: Option<Hash>,
    /// Proof-of-work nonce.
    pub nonce: Option<[u8; 8]>,
    /// AuRa seal, in place of mix hash and nonce.
    pub aura_seal: Option<Box<AuraSeal>>,
    /// Burnt wei per gas (EIP-1559).
    pub base_fee_per_gas: Option<u64>,
    /// Withdrawals root (EIP-4895), or an OP-stack chain's own value.
    pub withdrawals_root: Option<Hash>,
    /// Blob gas used (EIP-4844).
    pub blob_gas_used: Option<u64>,
    /// Blob gas above target (EIP-4844).
    pub excess_blob_gas: Option<u64>,
    /// Parent beacon block root (EIP-4788).
    pub parent_beacon_block_root: Option<Hash>,
    /// Requests hash (EIP-7685).
    pub requests_hash: Option<Hash>,
    /// Block access list hash (EIP-7928).
    pub block_access_list_hash: Option<Hash>,
    /// Beacon slot number (EIP-7843).
    pub slot_number: Option<u64>,
    /// Avalanche fields.
    pub avalanche: Option<Box<Avalanche>>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Seal {
    MixHashAndNonce,
    Aura,
}

impl HeaderForm for Box<Header> {
    fn decode(rule: HashRule, bytes: &[u8]) -> Result<Self, LedgerError> {
        match rule {
            HashRule::Evm(layout) => Header::decode(layout, bytes).map(Self::new),
            other => Err(LedgerError::Rule { code: other.code() }),
        }
    }

    fn hash(_: HashRule, bytes: &[u8]) -> Result<Hash, LedgerError> {
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
    /// Reads a whole header by its layout.
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
        let mut fields = RlpFields::of_list(rlp, "header")?;
        let count = fields.count("header")?;
        let header = read(&mut fields, count)?;
        fields.end("header")?;
        Ok(header)
    }

    fn ethereum(fields: &mut RlpFields<'_>, got: usize) -> Result<Self, LedgerError> {
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

    fn aura(fields: &mut RlpFields<'_>, got: usize) -> Result<Self, LedgerError> {
        Self::with_base_fee(fields, got, Seal::Aura)
    }

    fn celo_gingerbread(fields: &mut RlpFields<'_>, got: usize) -> Result<Self, LedgerError> {
        Self::with_base_fee(fields, got, Seal::MixHashAndNonce)
    }

    /// First 15 fields and the base fee, since London or the chain's equivalent.
    fn with_base_fee(
        fields: &mut RlpFields<'_>,
        got: usize,
        seal: Seal,
    ) -> Result<Self, LedgerError> {
        if !matches!(got, 15 | 16) {
            return Err(LedgerError::FieldCount { got, expected: "15 or 16" });
        }
        let mut header = Self::first_fields(fields, seal)?;
        if got == 16 {
            header.base_fee_per_gas = Some(fields.u64("baseFeePerGas")?);
        }
        Ok(header)
    }

    fn celo_l1(fields: &mut RlpFields<'_>, got: usize) -> Result<Self, LedgerError> {
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

    fn avalanche(fields: &mut RlpFields<'_>, got: usize) -> Result<Self, LedgerError> {
        Avalanche::check_count(got)?;
        let mut header = Self::first_fields(fields, Seal::MixHashAndNonce)?;
        header.read_avalanche(fields, got)?;
        Ok(header)
    }

    fn sonic(fields: &mut RlpFields<'_>, got: usize) -> Result<Self, LedgerError> {
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

    fn first_fields(fields: &mut RlpFields<'_>, seal: Seal) -> Result<Self, LedgerError> {
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

    fn read_cancun(&mut self, fields: &mut RlpFields<'_>) -> Result<(), LedgerError> {
        self.blob_gas_used = Some(fields.u64("blobGasUsed")?);
        self.excess_blob_gas = Some(fields.u64("excessBlobGas")?);
        self.parent_beacon_block_root = Some(fields.hash("parentBeaconBlockRoot")?);
        Ok(())
    }

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
