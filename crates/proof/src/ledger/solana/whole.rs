//! All slot entries, for proof generation.

use alloc::vec::Vec;
use core::ops::Range;

use superroot_types::Hash;

use super::entry::{Record, RecordProof};
use super::header::Header;
use super::poh::{ENTRIES_MAX, plain, record};
use super::transaction::{Transaction, signatures};
use super::transaction_hash;
use super::tree::{mixin, prove, signature_leaf};
use crate::codec::{ByteReader, put_long};
use crate::ledger::whole::WholeBody;
use crate::ledger::{LedgerError, NoEntry, NotProvable, ProofSubject};

/// Most hashes in a block: its own slot and 15 skipped slots before.
pub const HASHES_MAX: u64 = 64_000_000;

/// Why events are not provable.
pub const NO_EVENT: NotProvable = NotProvable {
    why: "a blockhash commits to signatures alone, so no proof shows a log or any other effect of a \
          transaction",
    nearest: "that the transaction was recorded in the block is proven by /v5/tx, where \
              the block's entries are held",
};
/// Why absence is not provable.
pub const NO_ABSENCE: NotProvable = NotProvable {
    why: "a blockhash does not commit to the number of transactions, so no proof shows that there is \
          none at an index",
    nearest: "a transaction that is there is proven by /v5/tx, where the block's entries \
              are held",
};
const TOO_EARLY: NotProvable = NotProvable {
    why: "the transaction was recorded in the ticks of a slot that was skipped before the block's own, \
          where nothing shows which block it is of",
    nearest: "the block is proven by /v5/proof/block",
};

/// Entry: a run of hashes, with transactions recorded in the last hash. An entry without transactions is a tick.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Entry {
    /// Hashes in the run; 0 counts as 1 with transactions.
    pub num_hashes: u32,
    /// Last hash in the run.
    pub hash: Hash,
    /// Transaction count.
    pub tx_count: u32,
}

/// All block entries with their transactions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SolanaEntries {
    start: Hash,
    entries: Vec<Entry>,
    leaves: Vec<Vec<u8>>,
    hashes: Vec<Hash>,
}

impl SolanaEntries {
    /// Entries starting after `start`, with all their transactions in order. Nothing is compared yet.
    ///
    /// # Errors
    /// [`LedgerError::Parts`] for more entries than [`ENTRIES_MAX`], more hashes than [`HASHES_MAX`], or a different
    /// transaction count; [`LedgerError::Field`] for a transaction without signature.
    pub fn build(
        start: Hash,
        entries: Vec<Entry>,
        leaves: Vec<Vec<u8>>,
    ) -> Result<Self, LedgerError> {
        let within = u32::try_from(entries.len()).is_ok_and(|count| count <= ENTRIES_MAX);
        if !within {
            return Err(LedgerError::Parts { what: "a block has at most 32,768 entries" });
        }
        let sum = |of: fn(&Entry) -> u32| {
            entries.iter().fold(0_u64, |sum, entry| sum.saturating_add(of(entry).into()))
        };
        if sum(|entry| entry.num_hashes) > HASHES_MAX {
            return Err(LedgerError::Parts { what: "a block has at most 64,000,000 hashes" });
        }
        let count = sum(|entry| entry.tx_count);
        if u64::try_from(leaves.len()) != Ok(count) {
            return Err(LedgerError::Parts { what: "the entries count other transactions" });
        }
        let hashes = leaves.iter().map(|leaf| transaction_hash(leaf)).collect::<Result<_, _>>()?;
        Ok(Self { start, entries, leaves, hashes })
    }

    /// Hash before the first entry: the parent's blockhash; for the first block the genesis hash.
    #[must_use]
    pub const fn start(&self) -> Hash {
        self.start
    }

    /// Entries in order.
    #[must_use]
    pub fn entries(&self) -> &[Entry] {
        &self.entries
    }

    /// Last entry's hash: the blockhash.
    #[must_use]
    pub fn end(&self) -> Hash {
        self.entries.last().map_or(self.start, |last| last.hash)
    }

    /// Recomputes the entries at these positions, each from the previous entry's hash, and checks their transaction
    /// signatures. All positions in any order prove the whole block.
    ///
    /// # Errors
    /// First faulty entry's position and its fault.
    pub fn check_range(&self, range: Range<usize>) -> Result<(), (usize, LedgerError)> {
        let mut before = self.start;
        let mut first = 0_usize;
        for (at, entry) in self.entries.iter().enumerate().take(range.end) {
            let leaves = self.leaves_of(first, entry);
            if at >= range.start {
                check_entry(&before, entry, leaves).map_err(|error| (at, error))?;
            }
            before = entry.hash;
            first = first.saturating_add(leaves.len());
        }
        Ok(())
    }

    fn leaves_of(&self, first: usize, entry: &Entry) -> &[Vec<u8>] {
        let count = usize::try_from(entry.tx_count).unwrap_or(usize::MAX);
        self.leaves.get(first..first.saturating_add(count)).unwrap_or_default()
    }

    fn proof(&self, tx_index: u32) -> Result<RecordProof, NoEntry> {
        let nothing = NoEntry::NoTransaction { tx_index };
        let index = usize::try_from(tx_index).map_err(|_| nothing.clone())?;
        let transaction = self.leaves.get(index).ok_or(nothing.clone())?.clone();
        let mut before = self.start;
        let mut first = 0_usize;
        let mut rest = self.entries.iter();
        let own = loop {
            let entry = rest.next().ok_or(nothing.clone())?;
            let next = first.saturating_add(self.leaves_of(first, entry).len());
            if index < next {
                break entry;
            }
            (before, first) = (entry.hash, next);
        };
        let damaged = |error: LedgerError| NoEntry::damaged(&error);
        let leaves = self.leaves_of(first, own);
        let all = signature_leaves(leaves).map_err(damaged)?;
        let earlier = leaves.get(..index.saturating_sub(first)).unwrap_or_default();
        let place = signature_leaves(earlier).map_err(damaged)?.len();
        let own_count = signatures(&transaction).map_err(damaged)?.count();
        let places = place..place.saturating_add(own_count);
        let path = |at| prove(&all, u32::try_from(at).unwrap_or(u32::MAX));
        let paths = places.map(path).collect::<Result<_, _>>().map_err(damaged)?;
        let (records, tail_hashes) =
            self.behind(rest.as_slice(), first.saturating_add(leaves.len())).map_err(damaged)?;
        let proof = RecordProof {
            before: plain(&before, own.num_hashes.saturating_sub(1)),
            transaction,
            signature_index: u32::try_from(place).unwrap_or(u32::MAX),
            signature_count: u32::try_from(all.len()).unwrap_or(u32::MAX),
            paths,
            records,
            tail_hashes,
        };
        proof.hash_count().map_err(|_| NoEntry::NotProvable(TOO_EARLY))?;
        Ok(proof)
    }

    /// Records of the given entries, starting with the transaction at `first`, and the plain hashes after the last
    /// record.
    fn behind(
        &self,
        entries: &[Entry],
        mut first: usize,
    ) -> Result<(Vec<Record>, u32), LedgerError> {
        let mut records = Vec::new();
        let mut plain_hashes = 0_u32;
        for entry in entries {
            let leaves = self.leaves_of(first, entry);
            first = first.saturating_add(leaves.len());
            match mixin(&signature_leaves(leaves)?) {
                None => plain_hashes = plain_hashes.saturating_add(entry.num_hashes),
                Some(mixin) => {
                    let num_hashes = plain_hashes.saturating_add(entry.num_hashes.max(1));
                    records.push(Record { num_hashes, mixin });
                    plain_hashes = 0;
                }
            }
        }
        Ok((records, plain_hashes))
    }
}

fn signature_leaves(transactions: &[Vec<u8>]) -> Result<Vec<Hash>, LedgerError> {
    let mut leaves = Vec::new();
    for raw in transactions {
        leaves.extend(signatures(raw)?.map(signature_leaf));
    }
    Ok(leaves)
}

fn check_entry(before: &Hash, entry: &Entry, leaves: &[Vec<u8>]) -> Result<(), LedgerError> {
    let mixin = mixin(&signature_leaves(leaves)?);
    let got = match mixin {
        None => plain(before, entry.num_hashes),
        Some(mixin) => record(&plain(before, entry.num_hashes.saturating_sub(1)), &mixin),
    };
    if got != entry.hash {
        let what = "hash of the entry";
        return Err(LedgerError::Mismatch { what, got, expected: entry.hash });
    }
    leaves.iter().try_for_each(|raw| Transaction::verify(raw).map(drop))
}

impl WholeBody for SolanaEntries {
    type Header = Header;
    type Entry = RecordProof;

    fn has_events(&self) -> bool {
        false
    }

    fn byte_count(&self) -> usize {
        let entries = self.entries.len().saturating_mul(40);
        self.leaves.iter().map(Vec::len).fold(entries, usize::saturating_add)
    }

    fn leaves(&self) -> &[Vec<u8>] {
        &self.leaves
    }

    fn hashes(&self) -> &[Hash] {
        &self.hashes
    }

    fn is_under(&self, header: &Header) -> bool {
        self.end() == header.blockhash && self.check_range(0..self.entries.len()).is_ok()
    }

    fn prove(&self, subject: ProofSubject, _: bool) -> Result<Option<RecordProof>, NoEntry> {
        match subject {
            ProofSubject::Block => Ok(None),
            ProofSubject::Transaction { tx_index } => self.proof(tx_index).map(Some),
            ProofSubject::Log { .. } => Err(NoEntry::NotProvable(NO_EVENT)),
            ProofSubject::Absence { .. } => Err(NoEntry::NotProvable(NO_ABSENCE)),
        }
    }

    /// `start:32 ‖ count:u32 ‖ (num_hashes:u32 ‖ hash:32 ‖ tx_count:u32 ‖ (length:u32 ‖ transaction)*)*`.
    fn encode(&self, out: &mut Vec<u8>) {
        out.extend_from_slice(&self.start.0);
        let count = u32::try_from(self.entries.len()).unwrap_or(u32::MAX);
        out.extend_from_slice(&count.to_be_bytes());
        let mut leaves = self.leaves.iter();
        for Entry { num_hashes, hash, tx_count } in &self.entries {
            out.extend_from_slice(&num_hashes.to_be_bytes());
            out.extend_from_slice(&hash.0);
            out.extend_from_slice(&tx_count.to_be_bytes());
            let count = usize::try_from(*tx_count).unwrap_or(usize::MAX);
            leaves.by_ref().take(count).for_each(|leaf| put_long(out, leaf));
        }
    }

    fn decode(reader: &mut ByteReader<'_>) -> Option<Self> {
        let start = reader.hash()?;
        let count = reader.u32()?;
        // these grow with what is really there, not with what is claimed
        let mut entries = Vec::new();
        let mut leaves = Vec::new();
        for _ in 0..count {
            let num_hashes = reader.u32()?;
            let hash = reader.hash()?;
            let tx_count = reader.u32()?;
            for _ in 0..tx_count {
                leaves.push(reader.long()?.to_vec());
            }
            entries.push(Entry { num_hashes, hash, tx_count });
        }
        Self::build(start, entries, leaves).ok()
    }
}
