//! What nodes add to a block that is in neither trie, and what is left of it.
//!
//! Polygon `PoS` shows a state-sync entry of its own at the end of some blocks; its hash follows from
//! the block (`bor` `core/types/bor_receipt.go`). HyperEVM shows entries of the other half of the
//! chain, of gas price zero, their receipts without gas (`squid-sdk` `chain-utils.ts`). Which of a
//! chain's entries are dropped changes nothing that is proven: the roots decide.

use superroot_proof::hash::keccak256;
use superroot_types::Hash;

use crate::evm::Encoding;
use crate::evm::raw::{RawBlock, RawReceipt, RawTransaction, RawTransactions};

/// The entries of a block, and which of them are in its tries.
pub(super) struct Kept<'a> {
    /// Places as sent of the transactions that are in the trie; `None` when none were listed.
    pub(super) places: Option<Vec<usize>>,
    /// Receipts that are in the trie, by the place they claim: one that claims none by its place in the list.
    pub(super) receipts: Option<Vec<&'a RawReceipt>>,
}

impl<'a> Kept<'a> {
    pub(super) fn of(
        encoding: Encoding,
        block: &'a RawBlock,
        receipts: Option<&'a [RawReceipt]>,
    ) -> Self {
        let rule = Drop::of(encoding, block);
        let dropped = rule.hashes(block, receipts.unwrap_or_default());
        let is_dropped = |hash: &Hash| dropped.contains(hash);
        let transactions = &block.transactions;
        let is_kept = |place: &usize| !transactions.claimed_hash(*place).is_none_or(is_dropped);
        let places: Vec<usize> = (0..transactions.count().unwrap_or(0)).filter(is_kept).collect();
        let receipts = receipts.map(|list| {
            let is_kept =
                |receipt: &&RawReceipt| !receipt.transaction_hash.as_ref().is_some_and(is_dropped);
            let kept = (0_u64..).zip(list).filter(|(_, receipt)| is_kept(receipt));
            let mut kept: Vec<(u64, &RawReceipt)> = kept.collect();
            kept.sort_by_key(|(place, receipt)| receipt.transaction_index.unwrap_or(*place));
            kept.into_iter().map(|(_, receipt)| receipt).collect()
        });
        let places = (!block.transactions.is_absent()).then_some(places);
        Self { places, receipts }
    }
}

/// How a chain's added entries are known.
enum Drop {
    Nothing,
    /// By the hash that follows from the block.
    Hash(Hash),
    /// By what they do not pay.
    Free,
}

impl Drop {
    fn of(encoding: Encoding, block: &RawBlock) -> Self {
        match (encoding, block.hash) {
            (Encoding::Polygon, Some(hash)) => Self::Hash(state_sync_hash(block.number, &hash)),
            (Encoding::HyperEvm, _) => Self::Free,
            _ => Self::Nothing,
        }
    }

    /// Hashes of the entries to drop.
    fn hashes(&self, block: &RawBlock, receipts: &[RawReceipt]) -> Vec<Hash> {
        match (self, &block.transactions) {
            (Self::Nothing, _) => Vec::new(),
            (Self::Hash(hash), _) => vec![*hash],
            (Self::Free, RawTransactions::Full(list)) => {
                list.iter().filter(|entry| is_free(entry)).map(|entry| entry.hash).collect()
            }
            (Self::Free, _) => {
                let free = receipts.iter().filter(|receipt| receipt.cumulative_gas_used == 0);
                free.filter_map(|receipt| receipt.transaction_hash).collect()
            }
        }
    }
}

fn is_free(entry: &RawTransaction) -> bool {
    entry.gas_price.is_some_and(|price| price.is_zero()) && entry.max_fee_per_gas.is_none()
}

/// Hash of the state-sync entry of a Polygon block, before Madhugiri.
fn state_sync_hash(number: u64, block_hash: &Hash) -> Hash {
    let tag: &[u8] = b"matic-bor-receipt-";
    keccak256(&[tag, &number.to_be_bytes(), &block_hash.0].concat())
}
