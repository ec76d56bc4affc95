//! Level 1 in the ICP family: the encoded block, the only leaf in its tree.

use alloc::vec::Vec;

use superroot_types::{BlockNumber, ChainKey, Network};

use super::TX_COUNT;
use super::header::{BLOCK_BYTES_MAX, Header};
use super::identity::transaction_hash;
use crate::codec::{ByteReader, put_long};
use crate::ledger::form::EntryForm;
use crate::ledger::{
    BoundIndexes, EntryParts, LedgerError, MalformedEntry, ProofSubject, ProvenEvent,
    ProvenTransaction, ShownFacts,
};

const TREE: &str = "block";

/// Encoded block: proves its only transaction, and that no second exists.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BlockLeaf {
    /// Encoded block, at most [`BLOCK_BYTES_MAX`] bytes.
    pub block: Vec<u8>,
}

impl EntryForm for BlockLeaf {
    type Header = Header;

    fn bound_indexes(_: ProofSubject) -> BoundIndexes {
        BoundIndexes::ALL
    }

    fn shows_block(&self, _: (ChainKey, BlockNumber), _: Network) -> bool {
        true
    }

    fn check_parts(&self, _: ProofSubject) -> Result<(), LedgerError> {
        Ok(())
    }

    fn parts(&self) -> EntryParts {
        EntryParts { transaction: true, receipt: false }
    }

    fn check(
        &self,
        subject: ProofSubject,
        header: Option<&Header>,
    ) -> Result<ShownFacts, LedgerError> {
        let transactions_root = header.map(|header| header.hash);
        let Some(tx_index) = subject.tx_index() else {
            return Ok(ShownFacts { transactions_root, ..ShownFacts::default() });
        };
        let is_absence = matches!(subject, ProofSubject::Absence { .. });
        match (is_absence, tx_index < TX_COUNT) {
            (true, true) => return Err(LedgerError::SomethingThere { trie: TREE, tx_index }),
            (false, false) => return Err(LedgerError::NothingThere { trie: TREE, tx_index }),
            (true, false) | (false, true) => {}
        }
        let read = Header::decode(&self.block)?;
        if let Some(header) = header.filter(|header| header.hash != read.hash) {
            let got = read.hash;
            let expected = header.hash;
            return Err(LedgerError::Mismatch { what: "hash of the block", got, expected });
        }
        let mut shown = ShownFacts {
            transactions_root: Some(read.hash),
            tx_count: Some(TX_COUNT),
            ..ShownFacts::default()
        };
        if is_absence {
            return Ok(shown);
        }
        if let ProofSubject::Log { log_index, .. } = subject {
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
        _: ProofSubject,
        parts: EntryParts,
        reader: &mut ByteReader<'_>,
    ) -> Result<Self, MalformedEntry> {
        if parts.receipt {
            return Err(MalformedEntry::Parts);
        }
        let block = reader.long().filter(|block| block.len() <= BLOCK_BYTES_MAX);
        let block = block.ok_or(MalformedEntry::Part("block"))?;
        Ok(Self { block: block.to_vec() })
    }
}
