//! Receipt leaves: `[type ‖] rlp([status or root, cumulative gas, bloom, logs])`, and behind the
//! logs what two types of other chains add: `0x7e` of the OP stack `nonce, version` (since Canyon),
//! `0x7b` of Celo its base fee (since it is an L2).

use alloc::vec::Vec;

use superroot_types::{Address, Hash};

use super::rlp::Fields;
use super::{Bloom, leaf_type};
use crate::ledger::LedgerError;

/// Topics a log may have.
pub const TOPICS_MAX: usize = 4;

/// How a transaction ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// EIP-658: whether it succeeded.
    Status(bool),
    /// Before Byzantium: root of the state after it.
    StateRoot(Hash),
}

/// A log, as its receipt commits to it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Log {
    /// Contract that emitted it.
    pub address: Address,
    /// Up to four topics.
    pub topics: Vec<Hash>,
    /// Unindexed data.
    pub data: Vec<u8>,
}

/// What the receipt of an OP-stack deposit adds since Canyon.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Deposit {
    /// The sender's nonce, which the deposit itself does not have.
    pub nonce: u64,
    /// Version of these fields.
    pub version: u64,
}

/// EIP-2718 type of an OP-stack deposit; Scroll's L1 messages have it too, without further fields.
const DEPOSIT: u8 = 0x7e;
/// EIP-2718 type of a Celo transaction that pays fees in another currency (CIP-64).
const FEE_CURRENCY: u8 = 0x7b;

/// A receipt, read from its leaf.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Receipt {
    /// EIP-2718 type, 0 for the untyped form.
    pub tx_type: u8,
    /// How it ended.
    pub outcome: Outcome,
    /// Gas used in the block up to and including this transaction.
    pub cumulative_gas_used: u64,
    /// Bits of its logs.
    pub logs_bloom: Bloom,
    /// Its logs in order; a log's place here is its `log_index`.
    pub logs: Vec<Log>,
    /// What a deposit's receipt adds.
    pub deposit: Option<Deposit>,
    /// Base fee in the currency that paid, big-endian (type `0x7b`).
    pub fee_currency_base_fee: Option<[u8; 32]>,
}

impl Receipt {
    /// Reads a leaf and recomputes its bloom from its logs.
    ///
    /// # Errors
    /// [`LedgerError`] naming the field; [`LedgerError::Bloom`] when the bloom is not its logs'.
    pub fn decode(leaf: &[u8]) -> Result<Self, LedgerError> {
        let (tx_type, payload) = match (leaf_type(leaf), leaf.split_first()) {
            (0, Some((0, _))) | (_, None) => return Err(LedgerError::Field { field: "type" }),
            (0, _) => (0, leaf),
            (tx_type, Some((_, payload))) => (tx_type, payload),
        };
        let mut fields = Fields::of_list(payload, "receipt")?;
        let outcome = match fields.string("status")? {
            [] => Outcome::Status(false),
            [1] => Outcome::Status(true),
            root => Outcome::StateRoot(Hash(
                root.try_into().map_err(|_| LedgerError::Field { field: "status" })?,
            )),
        };
        let cumulative_gas_used = fields.u64("cumulativeGasUsed")?;
        let logs_bloom = Bloom(fields.array("logsBloom")?);
        let mut items = fields.list("logs")?;
        let (mut deposit, mut fee_currency_base_fee) = (None, None);
        match tx_type {
            _ if fields.is_empty() => {}
            DEPOSIT => {
                let nonce = fields.u64("depositNonce")?;
                let version = fields.u64("depositReceiptVersion")?;
                deposit = Some(Deposit { nonce, version });
            }
            FEE_CURRENCY => fee_currency_base_fee = Some(fields.uint256("baseFee")?),
            _ => {}
        }
        fields.end("receipt")?;
        let mut logs = Vec::new();
        while !items.is_empty() {
            logs.push(log(items.list("log")?)?);
        }
        if Bloom::of_logs(&logs) != logs_bloom {
            return Err(LedgerError::Bloom { whose: "receipt's" });
        }
        Ok(Self {
            tx_type,
            outcome,
            cumulative_gas_used,
            logs_bloom,
            logs,
            deposit,
            fee_currency_base_fee,
        })
    }
}

fn log(mut fields: Fields<'_>) -> Result<Log, LedgerError> {
    let address = Address(fields.array("address")?);
    let mut items = fields.list("topics")?;
    let mut topics = Vec::new();
    while !items.is_empty() {
        if topics.len() == TOPICS_MAX {
            return Err(LedgerError::Field { field: "topics" });
        }
        topics.push(items.hash("topic")?);
    }
    let data = fields.bytes("data")?;
    fields.end("log")?;
    Ok(Log { address, topics, data })
}
