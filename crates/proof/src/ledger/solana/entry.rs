//! Level 1 in the Solana family: from the hash before a transaction's record to the blockhash.

use alloc::vec::Vec;

use superroot_types::{BlockNumber, ChainKey, Hash, Network};

use super::header::Header;
use super::poh::{ENTRIES_MAX, SLOT_HASHES_MAX, plain, record, slot_hashes_min};
use super::transaction::{TRANSACTION_BYTES_MAX, Transaction, signatures};
use super::tree::{root_of_path, sibling_count, signature_leaf};
use crate::codec::{ByteReader, put_long};
use crate::ledger::form::EntryForm;
use crate::ledger::{
    BoundIndexes, EntryParts, LedgerError, MalformedEntry, ProofSubject, ProvenTransaction,
    ShownFacts,
};

const HASHES: LedgerError = LedgerError::Parts {
    what: "there are more hashes behind the transaction's record than a slot has, 4,000,000",
};
/// Why rule 0202 has no level 1.
pub(crate) const NO_WINDOW: LedgerError = LedgerError::Parts {
    what: "4,000,000 hashes span several blocks at this height, so no proof shows which block a transaction is of",
};
const NOT_TRANSACTION: LedgerError =
    LedgerError::Parts { what: "a proof of this ledger is of a transaction" };

/// Later record after the transaction's record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Record {
    /// Hashes since the previous record, including this record: at least 1.
    pub num_hashes: u32,
    /// Recorded value.
    pub mixin: Hash,
}

/// Transaction, the record with its signatures, and the path to the blockhash.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RecordProof {
    /// Hash before the record.
    pub before: Hash,
    /// Signed transaction.
    pub transaction: Vec<u8>,
    /// First signature's position in the record.
    pub signature_index: u32,
    /// Signatures in the record.
    pub signature_count: u32,
    /// Path for each transaction signature, leaf upward; no sibling where a row pairs its last node with itself.
    pub paths: Vec<Vec<Hash>>,
    /// Later records, at most [`ENTRIES_MAX`].
    pub records: Vec<Record>,
    /// Plain hashes after the last record.
    pub tail_hashes: u32,
}

impl RecordProof {
    /// Hashes from the record to the blockhash, including the record.
    ///
    /// # Errors
    /// [`LedgerError::Parts`] for more hashes than a slot has.
    pub fn hash_count(&self) -> Result<u32, LedgerError> {
        let counts = self.records.iter().map(|record| record.num_hashes).chain([self.tail_hashes]);
        let sum = counts.fold(1_u32, u32::saturating_add);
        if sum > SLOT_HASHES_MAX { Err(HASHES) } else { Ok(sum) }
    }

    fn blockhash(&self, mixin: &Hash) -> Result<Hash, LedgerError> {
        self.hash_count()?; // before anything is hashed
        let mut hash = record(&self.before, mixin);
        for Record { num_hashes, mixin } in &self.records {
            let before = num_hashes.checked_sub(1);
            let before = before.ok_or(LedgerError::Field { field: "numHashes" })?;
            hash = record(&plain(&hash, before), mixin);
        }
        Ok(plain(&hash, self.tail_hashes))
    }

    /// Root over the record's signatures, checked for each transaction signature.
    fn mixin(&self, transaction: &Transaction) -> Result<Hash, LedgerError> {
        if self.paths.len() != transaction.signatures.len() {
            return Err(LedgerError::Parts { what: "there is not one path for each signature" });
        }
        let mut mixin = None;
        for ((nth, signature), path) in (0..).zip(&transaction.signatures).zip(&self.paths) {
            let leaf = signature_leaf(signature);
            let index = self.signature_index.saturating_add(nth);
            let got = root_of_path(&leaf, index, self.signature_count, path)?;
            let expected = *mixin.get_or_insert(got);
            if got != expected {
                let what = "root over the signatures";
                return Err(LedgerError::Mismatch { what, got, expected });
            }
        }
        mixin.ok_or(LedgerError::Field { field: "signatures" })
    }
}

impl EntryForm for RecordProof {
    type Header = Header;

    fn bound_indexes(_: ProofSubject) -> BoundIndexes {
        BoundIndexes::NONE
    }

    /// False on a simulated log: slots have any length there.
    fn shows_block(&self, (chain, number): (ChainKey, BlockNumber), network: Network) -> bool {
        let least = slot_hashes_min(chain, number).filter(|_| network != Network::Simulated);
        self.hash_count().ok().zip(least).is_some_and(|(count, least)| count <= least)
    }

    fn check_parts(&self, subject: ProofSubject) -> Result<(), LedgerError> {
        match subject {
            ProofSubject::Block | ProofSubject::Transaction { .. } => Ok(()),
            ProofSubject::Log { .. } | ProofSubject::Absence { .. } => Err(NOT_TRANSACTION),
        }
    }

    fn parts(&self) -> EntryParts {
        EntryParts { transaction: true, receipt: false }
    }

    fn check(
        &self,
        subject: ProofSubject,
        header: Option<&Header>,
    ) -> Result<ShownFacts, LedgerError> {
        self.check_parts(subject)?;
        let transaction = Transaction::verify(&self.transaction)?;
        let got = self.blockhash(&self.mixin(&transaction)?)?;
        let expected = header.map_or(got, |header| header.blockhash);
        if got != expected {
            return Err(LedgerError::Mismatch { what: "blockhash", got, expected });
        }
        let first = transaction.signatures.first();
        let hash = first.map(signature_leaf).ok_or(LedgerError::Field { field: "signatures" })?;
        Ok(ShownFacts {
            transactions_root: Some(expected),
            transaction: Some(ProvenTransaction { hash, raw: self.transaction.clone() }),
            ..ShownFacts::default()
        })
    }

    /// `before:32 ‖ length:u32 ‖ transaction ‖ signature_index:u32 ‖ signature_count:u32 ‖ path* ‖ count:u32 ‖
    /// (num_hashes:u32 ‖ mixin:32)* ‖ tail_hashes:u32`, a path for each signature.
    fn encode(&self, out: &mut Vec<u8>) {
        out.extend_from_slice(&self.before.0);
        put_long(out, &self.transaction);
        out.extend_from_slice(&self.signature_index.to_be_bytes());
        out.extend_from_slice(&self.signature_count.to_be_bytes());
        self.paths.iter().flatten().for_each(|sibling| out.extend_from_slice(&sibling.0));
        let count = u32::try_from(self.records.len()).unwrap_or(u32::MAX);
        out.extend_from_slice(&count.to_be_bytes());
        for Record { num_hashes, mixin } in &self.records {
            out.extend_from_slice(&num_hashes.to_be_bytes());
            out.extend_from_slice(&mixin.0);
        }
        out.extend_from_slice(&self.tail_hashes.to_be_bytes());
    }

    fn decode(
        subject: ProofSubject,
        parts: EntryParts,
        reader: &mut ByteReader<'_>,
    ) -> Result<Self, MalformedEntry> {
        let is_transaction = matches!(subject, ProofSubject::Transaction { .. });
        if parts.receipt || !is_transaction {
            return Err(MalformedEntry::Parts);
        }
        read(reader).ok_or(MalformedEntry::Part("record"))
    }
}

fn read(reader: &mut ByteReader<'_>) -> Option<RecordProof> {
    let before = reader.hash()?;
    let transaction = reader.long().filter(|raw| raw.len() <= TRANSACTION_BYTES_MAX)?;
    let signature_index = reader.u32()?;
    let signature_count = reader.u32()?;
    let mut paths = Vec::new();
    for (nth, _) in (0..).zip(signatures(transaction).ok()?) {
        let index = signature_index.saturating_add(nth);
        let length = sibling_count(index, signature_count).ok()?;
        paths.push((0..length).map(|_| reader.hash()).collect::<Option<Vec<Hash>>>()?);
    }
    let count = reader.u32().filter(|count| *count <= ENTRIES_MAX)?;
    let record = |_| Some(Record { num_hashes: reader.u32()?, mixin: reader.hash()? });
    let records = (0..count).map(record).collect::<Option<Vec<Record>>>()?;
    let transaction = transaction.to_vec();
    let tail_hashes = reader.u32()?;
    Some(RecordProof {
        before,
        transaction,
        signature_index,
        signature_count,
        paths,
        records,
        tail_hashes,
    })
}
