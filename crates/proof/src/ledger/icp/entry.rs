//! Level 1 of the ICP family: the encoded block, which is the only leaf of its tree.

use alloc::vec::Vec;

use superroot_types::{BlockNumber, ChainKey, Network};

use super::TX_COUNT;
use super::header::{BLOCK_BYTES_MAX, Header};
use super::identity::transaction_hash;
use crate::codec::{Reader, put_long};
use crate::ledger::form::EntryForm;
use crate::ledger::{
    BoundIndexes, EntryParts, LedgerError, MalformedEntry, ProvenEvent, ProvenTransaction, Shown,
    Subject,
};

const TREE: &str = "block";

/// An encoded block. It shows its one transaction, and that there is no other.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BlockLeaf {
    /// The encoded block, at most [`BLOCK_BYTES_MAX`] bytes.
    pub block: Vec<u8>,
}

impl EntryForm for BlockLeaf {
    type Header = Header;

    fn bound_indexes(_: Subject) -> BoundIndexes {
        BoundIndexes::ALL
    }

    fn shows_block(&self, _: (ChainKey, BlockNumber), _: Network) -> bool {
        true
    }

    fn check_parts(&self, _: Subject) -> Result<(), LedgerError> {
        Ok(())
    }

    fn parts(&self) -> EntryParts {
        EntryParts { transaction: true, receipt: false }
    }

    fn check(&self, subject: Subject, header: Option<&Header>) -> Result<Shown, LedgerError> {
        let transactions_root = header.map(|header| header.hash);
        let Some(tx_index) = subject.tx_index() else {
            return Ok(Shown { transactions_root, ..Shown::default() });
        };
        let is_absence = matches!(subject, Subject::Absence { .. });
        match (is_absence, tx_index < TX_COUNT) {
            (true, true) => return Err(LedgerError::SomethingThere { trie: TREE, tx_index }),
            (false, false) => return Err(LedgerError::NothingThere { trie: TREE, tx_index }),
            (true, false) | (false, true) => {}
        }
        let read = Header::decode(&self.block)?;
        if let Some(header) = header.filter(|header| header.hash != read.hash) {
            let (got, expected) = (read.hash, header.hash);
            return Err(LedgerError::Mismatch { what: "hash of the block", got, expected });
        }
        let mut shown = Shown {
            transactions_root: Some(read.hash),
            tx_count: Some(TX_COUNT),
            ..Shown::default()
        };
        if is_absence {
            return Ok(shown);
        }
        if let Subject::Log { log_index, .. } = subject {
            if log_index > 0 {
                return Err(LedgerError::OperationIndex { log_index });
            }
            shown.event = Some(ProvenEvent::Operation(read.transaction.operation));
        }
        let hash = transaction_hash(&read.transaction);
        shown.transaction = Some(ProvenTransaction { hash, raw: read.raw_transaction });
        Ok(shown)
    }

    /// `length:u32 ‖ block`.
    fn encode(&self, out: &mut Vec<u8>) {
        put_long(out, &self.block);
    }

    fn decode(
        _: Subject,
        parts: EntryParts,
        reader: &mut Reader<'_>,
    ) -> Result<Self, MalformedEntry> {
        if parts.receipt {
            return Err(MalformedEntry::Parts);
        }
        let block = reader.long().filter(|block| block.len() <= BLOCK_BYTES_MAX);
        let block = block.ok_or(MalformedEntry::Part("block"))?;
        Ok(Self { block: block.to_vec() })
    }
}
