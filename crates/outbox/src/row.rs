//! Rows of the outbox. Integers are big-endian.
//!
//! | key | value |
//! |---|---|
//! | `00 ‖ chain ‖ payer:20` | [`Pending`]: the transaction under way |
//! | `01 ‖ chain ‖ payer:20` | [`DayCost`]: fees of the newest day |

use superroot_store::codec::{Decoder, Encoder};
use superroot_store::layout::{StoredRow, chain_key};
use superroot_store::{StoreError, Table};
use superroot_types::{Address, ChainKey, UnixSeconds};

use crate::fees::Fees;
use crate::task::Task;

const OF_PENDING: u8 = 0;
const OF_DAY: u8 = 1;

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Pending {
    pub(crate) nonce: u64,
    pub(crate) task: Task,
    pub(crate) fees: Fees,
    /// The newest fees' time.
    pub(crate) raised_at: UnixSeconds,
    /// Number of fees tried.
    pub(crate) attempts: u32,
}

/// Highest cost of all transactions of a UTC day.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct DayCost {
    /// Days since 1970.
    pub(crate) day: u64,
    pub(crate) wei: u128,
}

fn key(kind: u8, chain: ChainKey, payer: Address) -> Vec<u8> {
    [&[kind][..], &chain_key(chain), &payer.0].concat()
}

pub(crate) fn pending_key(chain: ChainKey, payer: Address) -> Vec<u8> {
    key(OF_PENDING, chain, payer)
}

pub(crate) fn day_key(chain: ChainKey, payer: Address) -> Vec<u8> {
    key(OF_DAY, chain, payer)
}

impl Pending {
    /// `nonce:u64 ‖ sequence:u64 ‖ to:20 ‖ gas:u64 ‖ max_fee:16 ‖ tip:16 ‖ raised_at:u64 ‖ attempts:u32 ‖ data`.
    pub(crate) fn encode(&self) -> Vec<u8> {
        let Task { sequence, to, data, gas_limit } = &self.task;
        let mut out = Encoder::new();
        out.u64(self.nonce).u64(*sequence).raw(&to.0).u64(*gas_limit);
        out.raw(&self.fees.max_fee.to_be_bytes()).raw(&self.fees.tip.to_be_bytes());
        out.u64(self.raised_at.0).u32(self.attempts).bytes(data).finish()
    }

    fn read(bytes: &[u8]) -> Option<Self> {
        let mut row = Decoder::new(bytes);
        let nonce = row.u64()?;
        let sequence = row.u64()?;
        let to = Address(row.array()?);
        let gas_limit = row.u64()?;
        let max_fee = u128::from_be_bytes(row.array()?);
        let tip = u128::from_be_bytes(row.array()?);
        let raised_at = UnixSeconds(row.u64()?);
        let attempts = row.u32()?;
        let task = Task { sequence, to, data: row.bytes()?.to_vec(), gas_limit };
        row.finish(Self { nonce, task, fees: Fees { max_fee, tip }, raised_at, attempts })
    }
}

impl StoredRow for Pending {
    fn decode(key: &[u8], bytes: &[u8]) -> Result<Self, StoreError> {
        let corrupt = || StoreError::corrupt(Table::Outbox, key, "not a transaction under way");
        Self::read(bytes).ok_or_else(corrupt)
    }
}

impl DayCost {
    /// `day:u64 ‖ wei:16`.
    pub(crate) fn encode(&self) -> Vec<u8> {
        Encoder::new().u64(self.day).raw(&self.wei.to_be_bytes()).finish()
    }

    fn read(bytes: &[u8]) -> Option<Self> {
        let mut row = Decoder::new(bytes);
        let day = row.u64()?;
        let wei = u128::from_be_bytes(row.array()?);
        row.finish(Self { day, wei })
    }
}

impl StoredRow for DayCost {
    fn decode(key: &[u8], bytes: &[u8]) -> Result<Self, StoreError> {
        let corrupt = || StoreError::corrupt(Table::Outbox, key, "not the fees of a day");
        Self::read(bytes).ok_or_else(corrupt)
    }
}
