//! Level 1: the transaction, its path to the root, and its position proof.

use alloc::boxed::Box;
use alloc::vec::Vec;

use superroot_types::{BlockNumber, ChainKey, Hash, Network};

use super::header::Header;
use super::{
    NO_EVENTS, TRANSACTION_BYTES_MAX, check_transaction, data_hash, leaf_hash, transaction_hash,
};
use crate::codec::{ByteReader, put_long};
use crate::ledger::edge::{EdgeBranches, check_branches, read_siblings, subject_path};
use crate::ledger::form::EntryForm;
use crate::ledger::{
    BoundIndexes, EntryParts, LedgerError, MalformedEntry, ProofSubject, ProvenTransaction,
    ShownFacts,
};
use crate::range::Sha256Range;

/// Most transactions in a block: at most 100 MiB, with few transactions as short as 100 bytes.
pub const TX_COUNT_MAX: u32 = 1 << 20;

/// Transaction path to the block's `data_hash`. For an absence the transaction is the block's last: nothing to the
/// right proves the count.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TreeProof {
    /// Transaction count, 0 to [`TX_COUNT_MAX`]; proven for the last transaction.
    pub tx_count: u32,
    /// Transaction; `None` only for an absence in an empty block.
    pub transaction: Option<Branch>,
    /// First transaction in each perfect subtree left of the right edge on the path, root first.
    pub peaks: Vec<PeakBranch>,
}

/// Transaction with siblings from its leaf upward.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Branch {
    /// Whole transaction.
    pub transaction: Vec<u8>,
    /// Siblings, counted by index and transaction count.
    pub siblings: Vec<Hash>,
}

/// Transaction hash with siblings up to its subtree root.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PeakBranch {
    /// Transaction hash, the whole leaf input.
    pub transaction_hash: Hash,
    /// Siblings, counted by index and transaction count.
    pub siblings: Vec<Hash>,
}

impl TreeProof {
    pub(super) const EMPTY: Self = Self { tx_count: 0, transaction: None, peaks: Vec::new() };
}

impl EdgeBranches for TreeProof {
    type Range = Sha256Range;

    const TX_COUNT_MAX: u32 = TX_COUNT_MAX;

    fn tx_count(&self) -> u32 {
        self.tx_count
    }

    fn siblings(&self) -> Option<&[Hash]> {
        self.transaction.as_ref().map(|branch| branch.siblings.as_slice())
    }

    fn peak_siblings(&self) -> Vec<&[Hash]> {
        self.peaks.iter().map(|peak| peak.siblings.as_slice()).collect()
    }

    fn leaf_hashes(&self) -> Result<(Hash, Vec<Hash>), LedgerError> {
        let transaction = self.transaction.as_ref().map_or(&[][..], |branch| &branch.transaction);
        check_transaction(transaction)?;
        let peaks = self.peaks.iter().map(|peak| leaf_hash(&peak.transaction_hash));
        Ok((leaf_hash(&transaction_hash(transaction)), peaks.collect()))
    }
}

impl EntryForm for TreeProof {
    type Header = Box<Header>;

    fn bound_indexes(_: ProofSubject) -> BoundIndexes {
        BoundIndexes::ALL
    }

    fn shows_block(&self, _: (ChainKey, BlockNumber), _: Network) -> bool {
        true
    }

    fn check_parts(&self, subject: ProofSubject) -> Result<(), LedgerError> {
        match subject {
            ProofSubject::Log { .. } => Err(LedgerError::NotProvable(NO_EVENTS)),
            ProofSubject::Block
            | ProofSubject::Transaction { .. }
            | ProofSubject::Absence { .. } => Ok(()),
        }
    }

    fn parts(&self) -> EntryParts {
        EntryParts { transaction: true, receipt: false }
    }

    fn check(
        &self,
        subject: ProofSubject,
        header: Option<&Box<Header>>,
    ) -> Result<ShownFacts, LedgerError> {
        let expected = header.map(|header| header.data_hash);
        let mut shown = check_branches(self, subject, data_hash(&[]), expected)?;
        if let (ProofSubject::Transaction { .. }, Some(branch)) = (subject, &self.transaction) {
            let raw = branch.transaction.clone();
            shown.transaction = Some(ProvenTransaction { hash: transaction_hash(&raw), raw });
        }
        Ok(shown)
    }

    /// `tx_count:u32 ‖ length:u32 ‖ transaction ‖ sibling:32* ‖ (transaction_hash:32 ‖ sibling:32*)*`.
    fn encode(&self, out: &mut Vec<u8>) {
        out.extend_from_slice(&self.tx_count.to_be_bytes());
        let put = |hashes: &[Hash], out: &mut Vec<u8>| {
            hashes.iter().for_each(|hash| out.extend_from_slice(&hash.0));
        };
        if let Some(Branch { transaction, siblings }) = &self.transaction {
            put_long(out, transaction);
            put(siblings, out);
        }
        for PeakBranch { transaction_hash, siblings } in &self.peaks {
            put(&[*transaction_hash], out);
            put(siblings, out);
        }
    }

    /// Reads a subject's branches; index and count give their number and length.
    fn decode(
        subject: ProofSubject,
        parts: EntryParts,
        reader: &mut ByteReader<'_>,
    ) -> Result<Self, MalformedEntry> {
        if parts.receipt {
            return Err(MalformedEntry::Parts);
        }
        read(subject, reader).ok_or(MalformedEntry::Part("branches"))
    }
}

fn read(subject: ProofSubject, reader: &mut ByteReader<'_>) -> Option<TreeProof> {
    let tx_count = reader.u32()?;
    let Some(way) = subject_path::<TreeProof>(subject, tx_count).ok()? else {
        return Some(TreeProof::EMPTY);
    };
    let transaction = reader.long().filter(|bytes| bytes.len() <= TRANSACTION_BYTES_MAX)?.to_vec();
    let siblings = read_siblings(way.sibling_count(), reader)?;
    let peak = |(_, height): &(u32, usize)| {
        let transaction_hash = reader.hash()?;
        Some(PeakBranch { transaction_hash, siblings: read_siblings(*height, reader)? })
    };
    let peaks = way.peaks().iter().map(peak).collect::<Option<Vec<PeakBranch>>>()?;
    Some(TreeProof { tx_count, transaction: Some(Branch { transaction, siblings }), peaks })
}
