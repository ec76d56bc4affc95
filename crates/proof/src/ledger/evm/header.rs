//! Headers of rule 0001: Ethereum's field order, later fields present from the left.

use alloc::vec::Vec;

use superroot_types::{Address, Hash};

use super::Bloom;
use super::rlp::Fields;
use crate::ledger::LedgerError;
use crate::registry::Rule;

/// A header, read from the bytes whose Keccak-256 is the block hash. Fields that a fork had not yet
/// brought are `None`.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Header {
    /// Hash of the block before.
    pub parent_hash: Hash,
    /// Keccak-256 of the list of ommers.
    pub ommers_hash: Hash,
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
    pub difficulty: [u8; 32],
    /// Block number.
    pub number: u64,
    /// Gas the block may use.
    pub gas_limit: u64,
    /// Gas the block used.
    pub gas_used: u64,
    /// Unix seconds, as the block's producer says.
    pub timestamp: u64,
    /// Free bytes of the producer.
    pub extra_data: Vec<u8>,
    /// Proof-of-work mix, or the beacon chain's randomness.
    pub mix_hash: Hash,
    /// Proof-of-work nonce.
    pub nonce: [u8; 8],
    /// Wei per gas that is burnt (EIP-1559).
    pub base_fee_per_gas: Option<u64>,
    /// Root of the withdrawals (EIP-4895).
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
}

impl Header {
    /// Reads a header, whole, by the layout of its rule.
    ///
    /// # Errors
    /// [`LedgerError`] naming the field; [`LedgerError::Rule`] where this build has no reader.
    pub fn decode(rule: Rule, rlp: &[u8]) -> Result<Self, LedgerError> {
        match rule {
            Rule::EvmEthereum => Self::decode_ethereum(rlp),
            _ => Err(LedgerError::Rule { code: rule.code() }),
        }
    }

    fn decode_ethereum(rlp: &[u8]) -> Result<Self, LedgerError> {
        let mut fields = Fields::of_list(rlp, "header")?;
        let got = fields.count("header")?;
        if !matches!(got, 15 | 16 | 17 | 20 | 21 | 22 | 23) {
            return Err(LedgerError::FieldCount { got });
        }
        let mut header = Self {
            parent_hash: fields.hash("parentHash")?,
            ommers_hash: fields.hash("sha3Uncles")?,
            beneficiary: Address(fields.array("miner")?),
            state_root: fields.hash("stateRoot")?,
            transactions_root: fields.hash("transactionsRoot")?,
            receipts_root: fields.hash("receiptsRoot")?,
            logs_bloom: Bloom(fields.array("logsBloom")?),
            difficulty: fields.uint256("difficulty")?,
            number: fields.u64("number")?,
            gas_limit: fields.u64("gasLimit")?,
            gas_used: fields.u64("gasUsed")?,
            timestamp: fields.u64("timestamp")?,
            extra_data: fields.bytes("extraData")?,
            mix_hash: fields.hash("mixHash")?,
            nonce: fields.array("nonce")?,
            base_fee_per_gas: None,
            withdrawals_root: None,
            blob_gas_used: None,
            excess_blob_gas: None,
            parent_beacon_block_root: None,
            requests_hash: None,
            block_access_list_hash: None,
            slot_number: None,
        };
        if got >= 16 {
            header.base_fee_per_gas = Some(fields.u64("baseFeePerGas")?);
        }
        if got >= 17 {
            header.withdrawals_root = Some(fields.hash("withdrawalsRoot")?);
        }
        if got >= 20 {
            header.blob_gas_used = Some(fields.u64("blobGasUsed")?);
            header.excess_blob_gas = Some(fields.u64("excessBlobGas")?);
            header.parent_beacon_block_root = Some(fields.hash("parentBeaconBlockRoot")?);
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
        fields.end("header")?;
        Ok(header)
    }
}
