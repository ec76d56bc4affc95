//! Receipt leaves: `[type ‖] rlp([status or root, cumulative gas, bloom, logs])`, and behind the
//! logs what two types of other chains add: `0x7e` of the OP stack `nonce, version` (since Canyon),
//! `0x7b` of Celo its base fee (since it is an L2).

use alloc::vec::Vec;

use superroot_types::{Address, Hash};

use super::log::Log;
use super::rlp::Fields;
use super::{Bloom, RememberedBits, leaf_type};
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

/// What a checked leaf says, without its logs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReceiptHead {
    /// EIP-2718 type, 0 for the untyped form.
    pub tx_type: u8,
    /// Gas used in the block up to and including this transaction.
    pub cumulative_gas_used: u64,
    /// Bits of its logs.
    pub logs_bloom: Bloom,
}

/// A leaf taken apart, its logs not read yet.
struct Parts<'a> {
    tx_type: u8,
    outcome: Outcome,
    cumulative_gas_used: u64,
    logs_bloom: Bloom,
    logs: Fields<'a>,
    deposit: Option<Deposit>,
    fee_currency_base_fee: Option<[u8; 32]>,
}

/// A log in its receipt's bytes.
struct LogParts<'a> {
    address: [u8; 20],
    topics: Fields<'a>,
    data: &'a [u8],
}

impl Receipt {
    /// Reads a leaf and recomputes its bloom from its logs.
    ///
    /// # Errors
    /// [`LedgerError`] naming the field; [`LedgerError::Bloom`] when the bloom is not its logs'.
    pub fn decode(leaf: &[u8]) -> Result<Self, LedgerError> {
        let mut parts = Parts::of(leaf)?;
        let logs = parts.logs()?;
        let Parts { tx_type, outcome, cumulative_gas_used, logs_bloom, deposit, .. } = parts;
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

    /// The logs of a leaf, without a look at its bloom: for those who hold a leaf that was checked.
    ///
    /// # Errors
    /// [`LedgerError`] naming the field.
    pub fn read_logs(leaf: &[u8]) -> Result<Vec<Log>, LedgerError> {
        Parts::of(leaf)?.logs()
    }

    /// Number of logs of a leaf that was checked before.
    ///
    /// # Errors
    /// [`LedgerError`] naming the field.
    pub fn count_logs(leaf: &[u8]) -> Result<usize, LedgerError> {
        let mut logs = Parts::of(leaf)?.logs;
        let mut count = 0_usize;
        while !logs.is_empty() {
            logs.list("log")?;
            count = count.saturating_add(1);
        }
        Ok(count)
    }

    /// Checks a leaf as [`Self::decode`] does, and copies no log: for those who check all of a
    /// block's, and remember what was hashed from one to the next.
    ///
    /// # Errors
    /// As [`Self::decode`].
    pub fn check(leaf: &[u8], remembered: &mut RememberedBits) -> Result<ReceiptHead, LedgerError> {
        let mut parts = Parts::of(leaf)?;
        let mut bloom = Bloom::ZERO;
        while let Some(log) = parts.next_log()? {
            bloom.insert_remembered(&log.address, remembered);
            log.each_topic(|topic| bloom.insert_remembered(&topic.0, remembered))?;
        }
        let Parts { tx_type, cumulative_gas_used, logs_bloom, .. } = parts;
        if bloom != logs_bloom {
            return Err(LedgerError::Bloom { whose: "receipt's" });
        }
        Ok(ReceiptHead { tx_type, cumulative_gas_used, logs_bloom })
    }
}

impl<'a> Parts<'a> {
    fn of(leaf: &'a [u8]) -> Result<Self, LedgerError> {
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
        let logs = fields.list("logs")?;
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

    /// The logs that were not read yet.
    fn logs(&mut self) -> Result<Vec<Log>, LedgerError> {
        let mut logs = Vec::new();
        while let Some(log) = self.next_log()? {
            let mut topics = Vec::with_capacity(TOPICS_MAX);
            log.each_topic(|topic| topics.push(topic))?;
            logs.push(Log { address: Address(log.address), topics, data: log.data.to_vec() });
        }
        Ok(logs)
    }

    /// The next log; `None` behind the last.
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
