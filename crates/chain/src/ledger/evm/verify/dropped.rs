//! Removes entries added by nodes but missing from both tries.
//!
//! Polygon `PoS` nodes append a state-sync entry to some blocks; the hash is derived from the block (`bor`
//! `core/types/bor_receipt.go`). HyperEVM nodes add entries from the other half of the chain, with gas price zero and
//! receipts without gas (`squid-sdk` `chain-utils.ts`). A wrong choice proves nothing false: the roots decide.

use superroot_proof::hash::keccak256;
use superroot_types::Hash;

use crate::ledger::evm::Encoding;
use crate::ledger::evm::raw::{RawBlock, RawEvmTransaction, RawReceipt, RawTransactions};

pub(super) struct TrieEntries<'a> {
    /// Positions, as sent, of transactions in the trie; `None` if none were listed.
    pub(super) places: Option<Vec<usize>>,
    /// Receipts in the trie, by claimed index, or by list position without a claim.
    pub(super) receipts: Option<Vec<&'a RawReceipt>>,
}

impl<'a> TrieEntries<'a> {
    pub(super) fn of(
        encoding: Encoding,
        block: &'a RawBlock,
        receipts: Option<&'a [RawReceipt]>,
    ) -> Self {
        let rule = DropRule::of(encoding, block);
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

enum DropRule {
    Nothing,
    /// By hash, derived from the block.
    Hash(Hash),
    /// By missing payment.
    Free,
}

impl DropRule {
    fn of(encoding: Encoding, block: &RawBlock) -> Self {
        match (encoding, block.hash) {
            (Encoding::Polygon, Some(hash)) => Self::Hash(state_sync_hash(block.number, &hash)),
            (Encoding::HyperEvm, _) => Self::Free,
            _ => Self::Nothing,
        }
    }

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

fn is_free(entry: &RawEvmTransaction) -> bool {
    entry.gas_price.is_some_and(|price| price.is_zero()) && entry.max_fee_per_gas.is_none()
}

/// State-sync hash of a Polygon block, before Madhugiri.
fn state_sync_hash(number: u64, block_hash: &Hash) -> Hash {
    let tag: &[u8] = b"matic-bor-receipt-";
    keccak256(&[tag, &number.to_be_bytes(), &block_hash.0].concat())
}
