//! Block tries: every hashed node once, or only some nodes.

use alloc::boxed::Box;
use alloc::collections::BTreeSet;
use alloc::vec::Vec;

use superroot_types::Hash;

use super::entry::TrieProofs;
use super::header::Header;
use super::receipt::Receipt;
use super::transaction_hash;
use crate::codec::{ByteReader, put_long};
use crate::ledger::form::BodyForm;
use crate::ledger::{BodyFault, CannotKeep, EventOffsets, Extent, NoEntry, ProofSubject};
use crate::mpt::{MptError, OrderedTrie};

/// Block tries from given leaves; at least a single trie.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Tries {
    /// Transaction trie.
    pub transactions: Option<OrderedTrie>,
    /// Receipt trie.
    pub receipts: Option<OrderedTrie>,
}

impl Tries {
    fn each(&self) -> impl Iterator<Item = &OrderedTrie> {
        [&self.transactions, &self.receipts].into_iter().flatten()
    }

    /// All receipts in order; `None` if not all are stored.
    #[must_use]
    pub fn receipt_leaves(&self) -> Option<Vec<&[u8]>> {
        let receipts = self.receipts.as_ref()?;
        if let Some(leaves) = receipts.leaves() {
            return Some(leaves);
        }
        let mut leaves = Vec::new();
        while let Some(leaf) = receipts.leaf(u64::try_from(leaves.len()).ok()?).ok()? {
            leaves.push(leaf);
        }
        Some(leaves)
    }

    fn check_log(&self, tx_index: u32, log_index: u32) -> Result<(), NoEntry> {
        let receipts = self.receipts.as_ref().ok_or(NoEntry::NotHeld { part: "receipts" })?;
        let leaf = receipts.leaf(u64::from(tx_index)).map_err(damaged)?;
        let leaf = leaf.ok_or(NoEntry::NoTransaction { tx_index })?;
        // the leaf was checked when the body was taken
        let count = Receipt::count_logs(leaf).map_err(|error| NoEntry::damaged(&error))?;
        let is_log = |index: u32| usize::try_from(index).is_ok_and(|index| index < count);
        if is_log(log_index) {
            return Ok(());
        }
        let meant = self
            .event_offsets()
            .before(tx_index)
            .and_then(|before| u64::from(log_index).checked_sub(before))
            .and_then(|meant| u32::try_from(meant).ok())
            .filter(|meant| is_log(*meant));
        Err(NoEntry::EventIndex { noun: "log", whole: "receipt", log_index, count, meant })
    }

    fn check_absence(&self, tx_index: u32) -> Result<(), NoEntry> {
        if self.transactions.is_none() {
            return Err(NoEntry::NotHeld { part: "transactions" });
        }
        for trie in self.each() {
            if trie.leaf(u64::from(tx_index)).map_err(damaged)?.is_some() {
                return Err(NoEntry::Present { tx_index });
            }
        }
        Ok(())
    }
}

impl BodyForm for Tries {
    type Header = Box<Header>;
    type Entry = TrieProofs;

    fn extent(&self) -> Extent {
        Extent { transactions: self.transactions.is_some(), receipts: self.receipts.is_some() }
    }

    fn transaction_leaves(&self) -> Option<&[Vec<u8>]> {
        None
    }

    fn transaction_hashes(&self) -> Option<&[Hash]> {
        None
    }

    fn byte_count(&self) -> usize {
        self.each().flat_map(OrderedTrie::nodes).map(<[u8]>::len).sum()
    }

    fn keep(&self, tx_indexes: &[u32], tx_count: u32) -> Result<Self, CannotKeep> {
        if tx_indexes.last().is_some_and(|last| *last >= tx_count) {
            return Err(CannotKeep::NoSuchEntry);
        }
        let keep = |trie: &OrderedTrie| {
            let mut nodes = BTreeSet::new();
            for index in tx_indexes.iter().chain([&tx_count]) {
                nodes.extend(trie.prove(u64::from(*index))?);
            }
            Ok(OrderedTrie::from_nodes(trie.root(), nodes))
        };
        let keep = |trie: &Option<OrderedTrie>| {
            trie.as_ref().map(keep).transpose().map_err(|_: MptError| CannotKeep::NoSuchEntry)
        };
        Ok(Self { transactions: keep(&self.transactions)?, receipts: keep(&self.receipts)? })
    }

    fn transaction_hash(&self, tx_index: u32) -> Result<Option<Hash>, BodyFault> {
        let Some(trie) = &self.transactions else { return Ok(None) };
        let leaf = trie.leaf(u64::from(tx_index)).map_err(|_| BodyFault::NodeGone)?;
        Ok(leaf.map(transaction_hash))
    }

    fn event_offsets(&self) -> EventOffsets {
        let Some(receipts) = &self.receipts else { return EventOffsets::Uncounted };
        let all = receipts.leaves();
        let mut before = 0_u64;
        let mut counts = Vec::new();
        for index in 0_usize.. {
            counts.push(before);
            let leaf = match &all {
                Some(all) => all.get(index).copied(),
                None => u64::try_from(index).ok().and_then(|index| receipts.leaf(index).ok()?),
            };
            let Some(leaf) = leaf else { break };
            let Ok(count) = Receipt::count_logs(leaf) else { break };
            before = before.saturating_add(u64::try_from(count).unwrap_or(u64::MAX));
        }
        EventOffsets::Before(counts)
    }

    fn check(
        &self,
        header: &Box<Header>,
        tx_count: u32,
        is_kept: &dyn Fn(u32) -> bool,
    ) -> Result<u64, BodyFault> {
        let tries = [
            (&self.transactions, header.transactions_root),
            (&self.receipts, header.receipts_root),
        ];
        let mut entries = 0_u64;
        for (trie, root) in tries {
            let Some(trie) = trie else { continue };
            if trie.root() != root {
                return Err(BodyFault::OtherHeader);
            }
            if !trie.is_sound() {
                return Err(BodyFault::NodeGone);
            }
            for index in (0..tx_count).filter(|index| is_kept(*index)) {
                let leaf = trie.leaf(u64::from(index)).map_err(|_| BodyFault::NodeGone)?;
                leaf.ok_or(BodyFault::EntryGone)?;
                entries = entries.saturating_add(1);
            }
        }
        Ok(entries)
    }

    fn prove(
        &self,
        subject: ProofSubject,
        with_transaction: bool,
    ) -> Result<Option<TrieProofs>, NoEntry> {
        let (tx_index, with_transaction) = match subject {
            ProofSubject::Block => return Ok(None),
            ProofSubject::Transaction { tx_index } => (tx_index, true),
            ProofSubject::Log { tx_index, log_index } => {
                self.check_log(tx_index, log_index)?;
                (tx_index, with_transaction)
            }
            ProofSubject::Absence { tx_index } => {
                self.check_absence(tx_index)?;
                (tx_index, true)
            }
        };
        let prove = |trie: &OrderedTrie| trie.prove(u64::from(tx_index));
        let prove = |trie: Option<&OrderedTrie>| trie.map(prove).transpose().map_err(damaged);
        let transaction = prove(self.transactions.as_ref().filter(|_| with_transaction))?;
        Ok(Some(TrieProofs { transaction, receipt: prove(self.receipts.as_ref())? }))
    }

    /// Two options, each `00`, or `02 ‖ root ‖ count:u32 ‖ (length:u32 ‖ node)*` for a whole trie, a parent before its
    /// children, or the same layout after `01` for a partial trie, nodes in hash order.
    fn encode(&self, out: &mut Vec<u8>) {
        out.reserve(
            self.each()
                .flat_map(OrderedTrie::nodes)
                .fold(96, |room: usize, node| room.saturating_add(node.len()).saturating_add(4)),
        );
        for trie in [&self.transactions, &self.receipts] {
            let Some(trie) = trie else {
                out.push(NO_TRIE);
                continue;
            };
            let in_order = trie.nodes_in_order();
            out.push(if in_order.is_some() { WHOLE_TRIE } else { PART_OF_TRIE });
            out.extend_from_slice(&trie.root().0);
            let nodes = in_order.unwrap_or_else(|| trie.nodes().collect());
            let count = u32::try_from(nodes.len()).unwrap_or(u32::MAX);
            out.extend_from_slice(&count.to_be_bytes());
            nodes.into_iter().for_each(|node| put_long(out, node));
        }
    }

    fn decode(reader: &mut ByteReader<'_>) -> Option<Self> {
        let tries = Self { transactions: option(reader)?, receipts: option(reader)? };
        let has_any = tries.transactions.is_some() || tries.receipts.is_some();
        has_any.then_some(tries)
    }
}

const NO_TRIE: u8 = 0;
const PART_OF_TRIE: u8 = 1;
const WHOLE_TRIE: u8 = 2;

/// Optional trie. Partial nodes come in hash order, each once. A whole trie in the older encoding is read as partial.
fn option(reader: &mut ByteReader<'_>) -> Option<Option<OrderedTrie>> {
    let form = reader.u8()?;
    if form == NO_TRIE {
        return Some(None);
    }
    let root = reader.hash()?;
    let count = reader.u32()?;
    let mut nodes = Vec::new(); // grows with what is really there, not with what is claimed
    for _ in 0..count {
        nodes.push(reader.long()?);
    }
    match form {
        PART_OF_TRIE => {
            let trie = OrderedTrie::from_nodes(root, &nodes);
            trie.nodes().eq(nodes).then_some(Some(trie))
        }
        WHOLE_TRIE => OrderedTrie::from_nodes_in_order(root, nodes).map(Some),
        _ => None,
    }
}

fn damaged(error: MptError) -> NoEntry {
    NoEntry::damaged(&error)
}
