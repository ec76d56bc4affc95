//! Level 1 in the EVM family: transaction and receipt trie nodes.

use alloc::boxed::Box;
use alloc::vec::Vec;

use superroot_types::{BlockNumber, ChainKey, Hash, Network};

use super::header::Header;
use super::receipt::Receipt;
use super::transaction_hash;
use crate::codec::{ByteReader, put_long};
use crate::ledger::form::EntryForm;
use crate::ledger::{
    BoundIndexes, EntryParts, LedgerError, MalformedEntry, ProofSubject, ProvenEvent, ProvenLog,
    ProvenReceipt, ProvenTransaction, ShownFacts,
};
use crate::mpt;

/// Most nodes in a trie proof; a 9-byte key has 18 nibbles.
pub const TRIE_NODES_MAX: usize = 20;

/// RLP trie nodes from the block trie root down to `rlp(tx_index)`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TrieProofs {
    /// Nodes in the transaction trie.
    pub transaction: Option<Vec<Vec<u8>>>,
    /// Nodes in the receipt trie.
    pub receipt: Option<Vec<Vec<u8>>>,
}

impl EntryForm for TrieProofs {
    type Header = Box<Header>;

    fn bound_indexes(_: ProofSubject) -> BoundIndexes {
        BoundIndexes::ALL
    }

    fn shows_block(&self, _: (ChainKey, BlockNumber), _: Network) -> bool {
        true
    }

    fn check_parts(&self, subject: ProofSubject) -> Result<(), LedgerError> {
        match subject {
            ProofSubject::Transaction { .. } | ProofSubject::Absence { .. }
                if self.transaction.is_none() =>
            {
                Err(LedgerError::Parts { what: "the transaction trie is missing" })
            }
            ProofSubject::Log { .. } if self.receipt.is_none() => {
                Err(LedgerError::Parts { what: "the receipt trie is missing" })
            }
            ProofSubject::Block
            | ProofSubject::Transaction { .. }
            | ProofSubject::Log { .. }
            | ProofSubject::Absence { .. } => Ok(()),
        }
    }

    fn parts(&self) -> EntryParts {
        EntryParts { transaction: self.transaction.is_some(), receipt: self.receipt.is_some() }
    }

    fn check(
        &self,
        subject: ProofSubject,
        header: Option<&Box<Header>>,
    ) -> Result<ShownFacts, LedgerError> {
        check_tries(self, subject, header.map(|header| &**header))
    }

    /// `count:u8 ‖ (length:u32 ‖ node)*` for each present trie.
    fn encode(&self, out: &mut Vec<u8>) {
        for nodes in [&self.transaction, &self.receipt].into_iter().flatten() {
            out.push(u8::try_from(nodes.len()).unwrap_or(0));
            nodes.iter().for_each(|node| put_long(out, node));
        }
    }

    fn decode(
        _: ProofSubject,
        parts: EntryParts,
        reader: &mut ByteReader<'_>,
    ) -> Result<Self, MalformedEntry> {
        let mut trie = |is_there: bool, part| {
            is_there.then(|| nodes(reader).ok_or(MalformedEntry::Part(part))).transpose()
        };
        let transaction = trie(parts.transaction, "transaction trie")?;
        Ok(Self { transaction, receipt: trie(parts.receipt, "receipt trie")? })
    }
}

fn nodes(reader: &mut ByteReader<'_>) -> Option<Vec<Vec<u8>>> {
    let count = usize::from(reader.u8()?);
    if count > TRIE_NODES_MAX {
        return None;
    }
    (0..count).map(|_| reader.long().map(<[u8]>::to_vec)).collect()
}

/// Leaf under `rlp(tx_index)` in the header root's trie.
fn check_tries(
    tries: &TrieProofs,
    subject: ProofSubject,
    header: Option<&Header>,
) -> Result<ShownFacts, LedgerError> {
    let mut shown = ShownFacts {
        transactions_root: header.map(|header| header.transactions_root),
        receipts_root: header.map(|header| header.receipts_root),
        ..ShownFacts::default()
    };
    let Some(tx_index) = subject.tx_index() else { return Ok(shown) };
    let absent = matches!(subject, ProofSubject::Absence { .. });
    if let Some(nodes) = &tries.transaction {
        let trie = "transaction trie";
        let leaf = leaf(trie, &mut shown.transactions_root, tx_index, nodes)?;
        shown.transaction = present(trie, tx_index, absent, leaf)?
            .map(|leaf| ProvenTransaction { hash: transaction_hash(leaf), raw: leaf.to_vec() });
    }
    if let Some(nodes) = &tries.receipt {
        if header.is_some_and(Header::settles_other_blocks) {
            return Err(LedgerError::OtherReceipts);
        }
        let trie = "receipt trie";
        let leaf = leaf(trie, &mut shown.receipts_root, tx_index, nodes)?;
        if let Some(leaf) = present(trie, tx_index, absent, leaf)? {
            let receipt = Receipt::decode(leaf)?;
            let bloom = header.map(|header| &header.logs_bloom);
            if bloom.is_some_and(|bloom| !bloom.contains_all(&receipt.logs_bloom)) {
                return Err(LedgerError::Bloom { whose: "header's" });
            }
            shown.receipt = Some(ProvenReceipt { raw: leaf.to_vec(), receipt });
        }
    }
    if let (ProofSubject::Log { log_index, .. }, Some(proven)) = (subject, &shown.receipt) {
        let logs = &proven.receipt.logs;
        let position = usize::try_from(log_index).unwrap_or(usize::MAX);
        let log = logs.get(position).cloned();
        let log = log.ok_or(LedgerError::LogIndex { log_index, count: logs.len() })?;
        let proven = ProvenLog { log, log_count: logs.len() };
        shown.event = Some(ProvenEvent::Log(proven));
    }
    Ok(shown)
}

fn leaf<'a>(
    trie: &'static str,
    root: &mut Option<Hash>,
    tx_index: u32,
    nodes: &'a [Vec<u8>],
) -> Result<Option<&'a [u8]>, LedgerError> {
    let wrong = |cause| LedgerError::Trie { trie, cause };
    let root = match root {
        Some(root) => root,
        None => root.insert(mpt::first_node_hash(nodes).map_err(wrong)?),
    };
    mpt::verify(root, &mpt::index_key(u64::from(tx_index)), nodes).map_err(wrong)
}

fn present<'a>(
    trie: &'static str,
    tx_index: u32,
    absent: bool,
    leaf: Option<&'a [u8]>,
) -> Result<Option<&'a [u8]>, LedgerError> {
    match (absent, leaf) {
        (true, Some(_)) => Err(LedgerError::SomethingThere { trie, tx_index }),
        (false, None) => Err(LedgerError::NothingThere { trie, tx_index }),
        (_, leaf) => Ok(leaf),
    }
}
