//! Transactions without witnesses, read whole: the block tree's leaves.

use alloc::vec::Vec;

use superroot_types::Hash;

use crate::codec::ByteReader;
use crate::ledger::LedgerError;

/// Longest transaction without witness, in bytes: a block weighs at most 4,000,000 units, four per byte (BIP 141), and
/// was limited to as many bytes before.
pub const TRANSACTION_BYTES_MAX: usize = 1_000_000;

/// Greatest possible money supply, in satoshi; no output exceeds this amount.
pub const MONEY_SATS_MAX: u64 = 2_100_000_000_000_000;

/// Two-hash length: a transaction with this length could be an inner node.
const NODE_BYTES: usize = 64;

/// Fewest bytes in an input and an output: bounds counts before allocation.
const INPUT_BYTES_MIN: usize = 41;
const OUTPUT_BYTES_MIN: usize = 9;

/// Coinbase script length bounds, in bytes.
const COINBASE_SCRIPT_BYTES: core::ops::RangeInclusive<usize> = 2..=100;

/// Earlier transaction's output.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OutPoint {
    /// Transaction hash, internal byte order.
    pub transaction_hash: Hash,
    /// Output index.
    pub index: u32,
}

/// Transaction input.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Input {
    /// Spent output; zeros and `u32::MAX` for a coinbase.
    pub previous: OutPoint,
    /// Script; in a coinbase, free bytes starting with the height since BIP 34.
    pub script_sig: Vec<u8>,
    /// Sequence.
    pub sequence: u32,
}

/// Transaction output; its position is its `log_index`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TransactionOutput {
    /// Amount in satoshi, at most [`MONEY_SATS_MAX`].
    pub value_sats: u64,
    /// Spending condition script.
    pub script_pubkey: Vec<u8>,
}

/// Transaction content covered by the txid: all except the witnesses.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Transaction {
    /// Version.
    pub version: i32,
    /// Inputs, at least one.
    pub inputs: Vec<Input>,
    /// Outputs, at least one.
    pub outputs: Vec<TransactionOutput>,
    /// Lock time.
    pub lock_time: u32,
}

impl Transaction {
    /// Reads a whole leaf: `version ‖ inputs ‖ outputs ‖ lock_time`, every count in the shortest `CompactSize`.
    ///
    /// # Errors
    /// [`LedgerError::NodeSized`] for 64 bytes, [`LedgerError::Field`] naming a truncated or out-of-bounds field,
    /// [`LedgerError::Trailing`].
    pub fn decode(leaf: &[u8]) -> Result<Self, LedgerError> {
        check_leaf(leaf)?;
        let mut fields = BitcoinFields::new(leaf);
        let version = i32::from_le_bytes(fields.u32("version")?.to_le_bytes());
        let count = fields.count("input count", INPUT_BYTES_MIN)?;
        let mut inputs = Vec::with_capacity(count);
        for _ in 0..count {
            let transaction_hash = fields.hash("previous output")?;
            let previous = OutPoint { transaction_hash, index: fields.u32("previous output")? };
            let script_sig = fields.script("script_sig")?;
            inputs.push(Input { previous, script_sig, sequence: fields.u32("sequence")? });
        }
        let count = fields.count("output count", OUTPUT_BYTES_MIN)?;
        let mut outputs = Vec::with_capacity(count);
        for _ in 0..count {
            let value_sats = fields.u64("value")?;
            if value_sats > MONEY_SATS_MAX {
                return Err(LedgerError::Field { field: "value" });
            }
            outputs.push(TransactionOutput {
                value_sats,
                script_pubkey: fields.script("script_pubkey")?,
            });
        }
        let lock_time = fields.u32("lock_time")?;
        fields.end("transaction")?;
        Ok(Self { version, inputs, outputs, lock_time })
    }

    /// Whether the transaction pays the miner: a single input spending nothing.
    #[must_use]
    pub fn is_coinbase(&self) -> bool {
        let [input] = self.inputs.as_slice() else { return false };
        let OutPoint { transaction_hash, index } = input.previous;
        transaction_hash.is_zero()
            && index == u32::MAX
            && COINBASE_SCRIPT_BYTES.contains(&input.script_sig.len())
    }
}

/// Checks for a length allowed for a transaction and impossible for an inner node.
///
/// # Errors
/// [`LedgerError::NodeSized`] for 64 bytes, [`LedgerError::Field`] past [`TRANSACTION_BYTES_MAX`].
pub fn check_leaf(leaf: &[u8]) -> Result<(), LedgerError> {
    match leaf.len() {
        NODE_BYTES => Err(LedgerError::NodeSized),
        length if length > TRANSACTION_BYTES_MAX => {
            Err(LedgerError::Field { field: "transaction length" })
        }
        _ => Ok(()),
    }
}

pub(super) struct BitcoinFields<'a>(ByteReader<'a>);

impl<'a> BitcoinFields<'a> {
    pub(super) const fn new(bytes: &'a [u8]) -> Self {
        Self(ByteReader::new(bytes))
    }

    pub(super) fn hash(&mut self, field: &'static str) -> Result<Hash, LedgerError> {
        self.0.hash().ok_or(LedgerError::Field { field })
    }

    pub(super) fn u32(&mut self, field: &'static str) -> Result<u32, LedgerError> {
        self.0.u32().map(u32::swap_bytes).ok_or(LedgerError::Field { field })
    }

    fn u64(&mut self, field: &'static str) -> Result<u64, LedgerError> {
        self.0.u64().map(u64::swap_bytes).ok_or(LedgerError::Field { field })
    }

    /// Shortest `CompactSize`: a byte below 0xfd, or a marker and 2, 4 or 8 bytes.
    fn compact_size(&mut self) -> Option<u64> {
        let (value, floor) = match self.0.u8()? {
            0xfd => (u64::from(self.0.u16()?.swap_bytes()), 0xfd),
            0xfe => (u64::from(self.0.u32()?.swap_bytes()), 0x1_0000),
            0xff => (self.0.u64()?.swap_bytes(), 0x1_0000_0000),
            byte => (u64::from(byte), 0),
        };
        (value >= floor).then_some(value)
    }

    /// Item count, at least 1, covered by the remaining bytes.
    fn count(&mut self, field: &'static str, item_bytes_min: usize) -> Result<usize, LedgerError> {
        let count = self.compact_size().and_then(|count| usize::try_from(count).ok());
        let fits = |count: &usize| {
            let bytes = count.checked_mul(item_bytes_min);
            *count > 0 && bytes.is_some_and(|bytes| bytes <= self.0.len())
        };
        count.filter(fits).ok_or(LedgerError::Field { field })
    }

    fn script(&mut self, field: &'static str) -> Result<Vec<u8>, LedgerError> {
        let length = self.compact_size().and_then(|length| usize::try_from(length).ok());
        let bytes = length.and_then(|length| self.0.bytes(length));
        bytes.map(<[u8]>::to_vec).ok_or(LedgerError::Field { field })
    }

    pub(super) fn end(self, what: &'static str) -> Result<(), LedgerError> {
        if self.0.is_empty() { Ok(()) } else { Err(LedgerError::Trailing { what }) }
    }
}
