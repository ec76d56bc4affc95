//! Branch of a block hash, from the execution header that nodes send before Gloas.

use alloc::vec::Vec;

use superroot_types::{Address, Hash};

use crate::finality::ssz;

/// The block hash's field.
const BLOCK_HASH: usize = 12;

/// `ExecutionPayloadHeader` of Capella, and what Deneb added.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PayloadHeader {
    /// The parent's hash.
    pub parent_hash: Hash,
    /// Fee recipient.
    pub fee_recipient: Address,
    /// State root.
    pub state_root: Hash,
    /// Receipts root.
    pub receipts_root: Hash,
    /// Bloom, 256 bytes.
    pub logs_bloom: Vec<u8>,
    /// Randomness.
    pub prev_randao: Hash,
    /// Number.
    pub block_number: u64,
    /// Gas limit.
    pub gas_limit: u64,
    /// Used gas.
    pub gas_used: u64,
    /// Unix seconds.
    pub timestamp: u64,
    /// Free bytes, at most 32.
    pub extra_data: Vec<u8>,
    /// Base fee in wei, 32 bytes little-endian.
    pub base_fee_per_gas: [u8; 32],
    /// The block's hash.
    pub block_hash: Hash,
    /// The transactions' root.
    pub transactions_root: Hash,
    /// The withdrawals' root.
    pub withdrawals_root: Hash,
    /// Used blob gas and its excess, from Deneb on.
    pub blob_gas: Option<[u64; 2]>,
}

impl PayloadHeader {
    /// The block hash's branch: its siblings among the fields, then `above`, those of the header in the body.
    #[must_use]
    pub fn block_branch(&self, above: &[Hash]) -> Vec<Hash> {
        let mut row = self.leaves();
        let width = if self.blob_gas.is_some() { 32 } else { 16 };
        row.resize(width, Hash::ZERO);
        let mut at = BLOCK_HASH;
        let mut branch = Vec::new();
        while row.len() > 1 {
            branch.extend(row.get(at ^ 1));
            at /= 2;
            let pair = |pair: &[Hash]| match pair {
                [left, right] => ssz::node(left, right),
                _ => Hash::ZERO,
            };
            row = row.chunks(2).map(pair).collect();
        }
        branch.extend_from_slice(above);
        branch
    }

    fn leaves(&self) -> Vec<Hash> {
        let extra = ssz::node(&padded(&self.extra_data), &ssz::number(length(&self.extra_data)));
        let bloom = ssz::root_of(self.logs_bloom.chunks(32).map(padded).collect());
        let mut leaves = Vec::from([
            self.parent_hash,
            padded(&self.fee_recipient.0),
            self.state_root,
            self.receipts_root,
            bloom,
            self.prev_randao,
            ssz::number(self.block_number),
            ssz::number(self.gas_limit),
            ssz::number(self.gas_used),
            ssz::number(self.timestamp),
            extra,
            Hash(self.base_fee_per_gas),
            self.block_hash,
            self.transactions_root,
            self.withdrawals_root,
        ]);
        leaves.extend(self.blob_gas.into_iter().flatten().map(ssz::number));
        leaves
    }
}

fn length(bytes: &[u8]) -> u64 {
    u64::try_from(bytes.len()).unwrap_or(u64::MAX)
}

/// Bytes as a leaf, filled up with zeros; what is longer than a leaf is cut.
fn padded(bytes: &[u8]) -> Hash {
    let mut leaf = [0; 32];
    leaf.iter_mut().zip(bytes).for_each(|(place, byte)| *place = *byte);
    Hash(leaf)
}
