//! Receipt leaves: `[type ‖] rlp([status or root, cumulative gas, bloom, logs])`. After the logs, two chain-specific
//! types add fields: OP stack `0x7e` has `nonce, version` (since Canyon), Celo `0x7b` its base fee (since Celo is an
//! L2).

use alloc::vec::Vec;

use superroot_types::{Address, Hash};

use super::log::Log;
use super::rlp::RlpFields;
use super::{Bloom, RememberedBits, leaf_type};
use crate::ledger::LedgerError;

/// Most topics in a log.
pub const TOPICS_MAX: usize = 4;

/// Transaction outcome.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReceiptStatus {
    /// EIP-658: success flag.
    Status(bool),
    /// Before Byzantium: state root after the transaction.
    StateRoot(Hash),
}

/// OP-stack deposit receipt fields, since Canyon.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Deposit {
    /// Sender nonce, absent in the deposit itself.
    pub nonce: u64,
    /// Field version.
    pub version: u64,
}

/// EIP-2718 type for OP-stack deposits, and for Scroll's L1 messages, without further fields.
const DEPOSIT: u8 = 0x7e;
/// EIP-2718 type for Celo transactions with fees in another currency (CIP-64).
const FEE_CURRENCY: u8 = 0x7b;

/// Receipt read from its leaf.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Receipt {
    /// EIP-2718 type, 0 for the untyped form.
    pub tx_type: u8,
    /// Transaction outcome.
    pub outcome: ReceiptStatus,
    /// Gas used in the block up to and including this transaction.
    pub cumulative_gas_used: u64,
    /// Bits for the receipt's logs.
    pub logs_bloom: Bloom,
    /// Logs in order; a log's position is its `log_index`.
    pub logs: Vec<Log>,
    /// Deposit receipt fields.
    pub deposit: Option<Deposit>,
    /// Base fee in the paying currency, big-endian (type `0x7b`).
    pub fee_currency_base_fee: Option<[u8; 32]>,
}

/// Checked leaf without its logs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReceiptHead {
    /// EIP-2718 type, 0 for the untyped form.
    pub tx_type: u8,
    /// Gas used in the block up to and including this transaction.
    pub cumulative_gas_used: u64,
    /// Bits for the receipt's logs.
    pub logs_bloom: Bloom,
}

struct ReceiptParts<'a> {
    tx_type: u8,
    outcome: ReceiptStatus,
    cumulative_gas_used: u64,
    logs_bloom: Bloom,
    logs: RlpFields<'a>,
    deposit: Option<Deposit>,
    fee_currency_base_fee: Option<[u8; 32]>,
}

struct LogParts<'a> {
    address: [u8; 20],
    topics: RlpFields<'a>,
    data: &'a [u8],
}

impl Receipt {
    /// Reads a leaf and recomputes its bloom from the logs.
    ///
    /// # Errors
    /// [`LedgerError`] naming the field; [`LedgerError::Bloom`] for a mismatched bloom.
    pub fn decode(leaf: &[u8]) -> Result<Self, LedgerError> {
        let mut parts = ReceiptParts::of(leaf)?;
        let logs = parts.logs()?;
        let ReceiptParts { tx_type, outcome, cumulative_gas_used, logs_bloom, deposit, .. } = parts;
        if Bloom::of_logs(&logs) != logs_bloom {
            return Err(LedgerError::Bloom { whose: "receipt's" });
        }
        let fee_currency_base_fee = parts.fee_currency_base_fee;
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

    /// Logs in an already checked leaf; the bloom is ignored.
    ///
    /// # Errors
    /// [`LedgerError`] naming the field.
    pub fn read_logs(leaf: &[u8]) -> Result<Vec<Log>, LedgerError> {
        ReceiptParts::of(leaf)?.logs()
    }

    /// Number of logs in an already checked leaf.
    ///
    /// # Errors
    /// [`LedgerError`] naming the field.
    pub fn count_logs(leaf: &[u8]) -> Result<usize, LedgerError> {
        let mut logs = ReceiptParts::of(leaf)?.logs;
        let mut count = 0_usize;
        while !logs.is_empty() {
            logs.list("log")?;
            count = count.saturating_add(1);
        }
        Ok(count)
    }

    /// Checks a leaf like [`Self::decode`] without copying logs, for whole blocks; remembers hashed inputs between
    /// leaves.
    ///
    /// # Errors
    /// As [`Self::decode`].
    pub fn check(leaf: &[u8], remembered: &mut RememberedBits) -> Result<ReceiptHead, LedgerError> {
        let mut parts = ReceiptParts::of(leaf)?;
        let mut bloom = Bloom::ZERO;
        while let Some(log) = parts.next_log()? {
            bloom.insert_remembered(&log.address, remembered);
            log.each_topic(|topic| bloom.insert_remembered(&topic.0, remembered))?;
        }
        let ReceiptParts { tx_type, cumulative_gas_used, logs_bloom, .. } = parts;
        if bloom != logs_bloom {
            return Err(LedgerError::Bloom { whose: "receipt's" });
        }
        Ok(ReceiptHead { tx_type, cumulative_gas_used, logs_bloom })
    }
}

impl<'a> ReceiptParts<'a> {
    fn of(leaf: &'a [u8]) -> Result<Self, LedgerError> {
        let (tx_type, payload) = match (leaf_type(leaf), leaf.split_first()) {
            (0, Some((0, _))) | (_, None) => return Err(LedgerError::Field { field: "type" }),
            (0, _) => (0, leaf),
            (tx_type, Some((_, payload))) => (tx_type, payload),
        };
        let mut fields = RlpFields::of_list(payload, "receipt")?;
        let outcome = match fields.string("status")? {
            [] => ReceiptStatus::Status(false),
            [1] => ReceiptStatus::Status(true),
            root => ReceiptStatus::StateRoot(Hash(
                root.try_into().map_err(|_| LedgerError::Field { field: "status" })?,
            )),
        };
        let cumulative_gas_used = fields.u64("cumulativeGasUsed")?;
        let logs_bloom = Bloom(fields.array("logsBloom")?);
        let logs = fields.list("logs")?;
        let mut deposit = None;
        let mut fee_currency_base_fee = None;
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

    fn logs(&mut self) -> Result<Vec<Log>, LedgerError> {
        let mut logs = Vec::new();
        while let Some(log) = self.next_log()? {
            let mut topics = Vec::with_capacity(TOPICS_MAX);
            log.each_topic(|topic| topics.push(topic))?;
            logs.push(Log { address: Address(log.address), topics, data: log.data.to_vec() });
        }
        Ok(logs)
    }

    /// Next log; `None` after the last.
    fn next_log(&mut self) -> Result<Option<LogParts<'a>>, LedgerError> {
        if self.logs.is_empty() {
            return Ok(None);
        }
        let mut fields = self.logs.list("log")?;
        let address = fields.array("address")?;
        let topics = fields.list("topics")?;
        let data = fields.string("data")?;
        fields.end("log")?;
        Ok(Some(LogParts { address, topics, data }))
    }
}

impl LogParts<'_> {
    fn each_topic(&self, mut visit: impl FnMut(Hash)) -> Result<(), LedgerError> {
        let mut topics = self.topics;
        for count in 0_usize.. {
            match topics.is_empty() {
                true => break,
                false if count == TOPICS_MAX => {
                    return Err(LedgerError::Field { field: "topics" });
                }
                false => visit(topics.hash("topic")?),
            }
        }
        Ok(())
    }
}
