//! Transactions without their witnesses, read whole: the leaves of a block's tree.

use alloc::vec::Vec;

use superroot_types::Hash;

use crate::codec::Reader;
use crate::ledger::LedgerError;

/// Longest transaction without witness: a block's, which weighs four units a byte of at most
/// 4,000,000 (BIP 141), and was limited to as many bytes before.
pub const TRANSACTION_BYTES_MAX: usize = 1_000_000;

/// All there can ever be, in satoshi; no output holds more.
pub const MONEY_SATS_MAX: u64 = 2_100_000_000_000_000;

/// Length of two hashes: a transaction of it could be an inner node of the tree.
const NODE_BYTES: usize = 64;

/// Fewest bytes of an input and of an output: bounds on counts, before anything is allocated.
const INPUT_BYTES_MIN: usize = 41;
const OUTPUT_BYTES_MIN: usize = 9;

/// Bounds on the script of a coinbase input, in bytes.
const COINBASE_SCRIPT_BYTES: core::ops::RangeInclusive<usize> = 2..=100;

/// An output of an earlier transaction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OutPoint {
    /// Its transaction, internal byte order.
    pub transaction_hash: Hash,
    /// Its place there.
    pub index: u32,
}

/// What a transaction spends.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Input {
    /// The output spent; of a coinbase, zeros and `u32::MAX`.
    pub previous: OutPoint,
    /// Script; of a coinbase, free bytes that begin with the height from BIP 34 on.
    pub script_sig: Vec<u8>,
    /// Sequence.
    pub sequence: u32,
}

/// What a transaction pays. Its place among the outputs is its `log_index`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Output {
    /// Satoshi, at most [`MONEY_SATS_MAX`].
    pub value_sats: u64,
    /// Script that says who may spend it.
    pub script_pubkey: Vec<u8>,
}

/// A transaction as its txid commits to it: all but the witnesses.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Transaction {
    /// Version.
    pub version: i32,
    /// Inputs, at least one.
    pub inputs: Vec<Input>,
    /// Outputs, at least one.
    pub outputs: Vec<Output>,
    /// Lock time.
    pub lock_time: u32,
}

impl Transaction {
    /// Reads a leaf, whole: `version ‖ inputs ‖ outputs ‖ lock_time`, every count in the shortest
    /// `CompactSize`.
    ///
    /// # Errors
    /// [`LedgerError::NodeSized`] for 64 bytes, [`LedgerError::Field`] naming what is cut short or
    /// out of bounds, [`LedgerError::Trailing`].
    pub fn decode(leaf: &[u8]) -> Result<Self, LedgerError> {
        check_leaf(leaf)?;
        let mut fields = Fields::new(leaf);
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
            outputs.push(Output { value_sats, script_pubkey: fields.script("script_pubkey")? });
        }
        let lock_time = fields.u32("lock_time")?;
        fields.end("transaction")?;
        Ok(Self { version, inputs, outputs, lock_time })
    }

    /// Whether it is the one that pays the miner: a single input that spends nothing.
    #[must_use]
    pub fn is_coinbase(&self) -> bool {
        let [input] = self.inputs.as_slice() else { return false };
        let OutPoint { transaction_hash, index } = input.previous;
        transaction_hash.is_zero()
            && index == u32::MAX
            && COINBASE_SCRIPT_BYTES.contains(&input.script_sig.len())
    }
}

/// Whether a leaf has a length that a transaction may have and an inner node has not.
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

/// Little-endian fields, each with a name for the error.
pub(super) struct Fields<'a>(Reader<'a>);

impl<'a> Fields<'a> {
    pub(super) const fn new(bytes: &'a [u8]) -> Self {
        Self(Reader::new(bytes))
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

    /// `CompactSize`: one byte below 0xfd, or a marker and 2, 4 or 8 bytes; only the shortest form.
    fn compact_size(&mut self) -> Option<u64> {
        let (value, floor) = match self.0.u8()? {
            0xfd => (u64::from(self.0.u16()?.swap_bytes()), 0xfd),
            0xfe => (u64::from(self.0.u32()?.swap_bytes()), 0x1_0000),
            0xff => (self.0.u64()?.swap_bytes(), 0x1_0000_0000),
            byte => (u64::from(byte), 0),
        };
        (value >= floor).then_some(value)
    }

    /// A count of at least 1, of items for which there are bytes.
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
