//! Level 1: transactions, events, and proofs of absence.

use std::ops::Range;
use std::sync::Arc;

use superroot_proof::bundle::{Bundle, ProofSubject};
use superroot_proof::ledger::{Extent, NoEntry};
use superroot_store::ScanOrder;
use superroot_store::layout::{BlockRow, ChainState, KeptEntries};
use superroot_store::read::{self, TransactionPlace};
use superroot_types::{BlockNumber, ChainKey, Hash, SuperRootRef};

use super::caches::HeldBody;
use super::error::ProveError;
use super::prover::Prover;

/// Filter for the occurrences of a transaction's bytes; selects the lowest match.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Occurrence {
    /// Block; `None`: any.
    pub block: Option<BlockNumber>,
    /// Position in the block; `None`: any.
    pub tx_index: Option<u32>,
}

/// Event data that no hash in the event's proof covers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct EventInBlock {
    /// Position among all events of the block, as nodes count; `None` if an earlier receipt is missing, or nodes have
    /// no such count.
    pub log_index: Option<u64>,
    /// Transaction hash; `None` if not stored.
    pub transaction_hash: Option<Hash>,
}

impl Occurrence {
    /// Matching blocks.
    fn blocks(self) -> Range<BlockNumber> {
        match self.block {
            Some(block) => block..BlockNumber(block.0.saturating_add(1)),
            None => BlockNumber(0)..BlockNumber(u64::MAX),
        }
    }
}

impl Prover {
    /// Proof of a transaction by hash, with the receipt if stored.
    pub fn prove_transaction(
        &self,
        chain: ChainKey,
        hash: &Hash,
        at: Option<SuperRootRef>,
    ) -> Result<Bundle, ProveError> {
        self.prove_transaction_at(chain, hash, Occurrence::default(), at)
    }

    /// [`Prover::prove_transaction`] for one occurrence.
    pub fn prove_transaction_at(
        &self,
        chain: ChainKey,
        hash: &Hash,
        occurrence: Occurrence,
        at: Option<SuperRootRef>,
    ) -> Result<Bundle, ProveError> {
        let (number, tx_index) = self.find_occurrence(chain, hash, occurrence)?;
        let (row, body) = self.placed_body(chain, number, at)?;
        let subject = ProofSubject::Transaction { tx_index };
        self.entry(chain, number, subject, true, (&row, &body), at)
    }

    /// Proof of an event by position. `tx_index` is the position in the block, `log_index` the position in the receipt.
    pub fn prove_event(
        &self,
        chain: ChainKey,
        number: BlockNumber,
        tx_index: u32,
        log_index: u32,
        at: Option<SuperRootRef>,
    ) -> Result<Bundle, ProveError> {
        self.event(chain, number, tx_index, log_index, false, at)
    }

    /// Proof of an event by transaction hash; includes the transaction.
    pub fn prove_event_by_hash(
        &self,
        chain: ChainKey,
        hash: &Hash,
        log_index: u32,
        at: Option<SuperRootRef>,
    ) -> Result<Bundle, ProveError> {
        self.prove_event_at(chain, (hash, Occurrence::default()), log_index, at)
    }

    /// [`Prover::prove_event_by_hash`] for one occurrence.
    pub fn prove_event_at(
        &self,
        chain: ChainKey,
        (hash, occurrence): (&Hash, Occurrence),
        log_index: u32,
        at: Option<SuperRootRef>,
    ) -> Result<Bundle, ProveError> {
        let (number, tx_index) = self.find_occurrence(chain, hash, occurrence)?;
        self.event(chain, number, tx_index, log_index, true, at)
    }

    /// Proof that a block has no transaction, and no receipt if receipts are stored, at a position.
    ///
    /// # Errors
    /// [`ProveError::Present`] if the position is taken; another [`ProveError`] with the reason if there is no proof.
    pub fn prove_absence(
        &self,
        chain: ChainKey,
        number: BlockNumber,
        tx_index: u32,
        at: Option<SuperRootRef>,
    ) -> Result<Bundle, ProveError> {
        let (row, body) = self.placed_body(chain, number, at)?;
        let count = row.tx_count.unwrap_or(u32::MAX);
        if row.kept != KeptEntries::All && tx_index < count {
            return Err(ProveError::Present { chain, number, tx_index });
        }
        if row.kept != KeptEntries::All && tx_index > count {
            let why = format!(
                "of block {number} the proof that there is no transaction {count} is held, and none \
                 for positions past it"
            );
            return Err(not_indexed(chain, number, &row, why));
        }
        self.entry(chain, number, ProofSubject::Absence { tx_index }, true, (&row, &body), at)
    }

    /// Event data from the block body, in addition to the proof. Empty if the block hash differs from the given one.
    pub fn event_in_block(
        &self,
        chain: ChainKey,
        (number, hash): (BlockNumber, Option<Hash>),
        tx_index: u32,
        log_index: u32,
    ) -> Result<EventInBlock, ProveError> {
        let row = self.block(chain, number)?;
        if hash.is_some_and(|hash| hash != row.hash) {
            return Ok(EventInBlock::default());
        }
        let Some(held) = self.body(chain, number, &row)? else {
            return Ok(EventInBlock::default());
        };
        let before = held.event_offsets().before(tx_index);
        Ok(EventInBlock {
            log_index: before.map(|before| before.saturating_add(log_index.into())),
            transaction_hash: hash_of(&held, tx_index)?,
        })
    }

    fn hash_in(
        &self,
        chain: ChainKey,
        number: BlockNumber,
        row: &BlockRow,
        tx_index: u32,
    ) -> Result<Option<Hash>, ProveError> {
        let body = self.body(chain, number, row)?;
        body.map_or(Ok(None), |held| hash_of(&held, tx_index))
    }

    fn event(
        &self,
        chain: ChainKey,
        number: BlockNumber,
        tx_index: u32,
        log_index: u32,
        with_transaction: bool,
        at: Option<SuperRootRef>,
    ) -> Result<Bundle, ProveError> {
        let (row, body) = self.placed_body(chain, number, at)?;
        let is_past = row.tx_count.is_some_and(|count| tx_index >= count);
        if !row.kept.holds(tx_index) && !is_past {
            let why = format!(
                "transaction {tx_index} of block {number} has no event of the watch list, so it is \
                 not held"
            );
            return Err(not_indexed(chain, number, &row, why));
        }
        let subject = ProofSubject::Log { tx_index, log_index };
        self.entry(chain, number, subject, with_transaction, (&row, &body), at)
    }

    /// Proof of a subject from the block body.
    fn entry(
        &self,
        chain: ChainKey,
        number: BlockNumber,
        subject: ProofSubject,
        with_transaction: bool,
        (row, held): (&BlockRow, &HeldBody),
        at: Option<SuperRootRef>,
    ) -> Result<Bundle, ProveError> {
        let entry = held.body.prove(subject, with_transaction);
        let entry = entry.map_err(|cause| no_entry(chain, number, row, cause))?;
        self.bundle(chain, number, row, subject, entry, at)
    }

    /// Lowest selected occurrence of an indexed transaction.
    fn find_occurrence(
        &self,
        chain: ChainKey,
        hash: &Hash,
        occurrence: Occurrence,
    ) -> Result<(BlockNumber, u32), ProveError> {
        let blocks = occurrence.blocks();
        let is_meant = |place: &TransactionPlace| {
            occurrence.tx_index.is_none_or(|tx_index| tx_index == place.tx_index)
        };
        let state = self.chain_state(chain)?;
        // what lies below the start is of a twig that is still being filled
        let start = state.as_ref().map_or(BlockNumber(0), |state| state.start);
        let blocks = blocks.start.max(start)..blocks.end;
        if let Some(place) = self.look_up(chain, hash, blocks, 1, is_meant)?.first() {
            return Ok((place.number, place.tx_index));
        }
        let scanned = state.and_then(|state| Some((state.start, state.checked_to?)));
        let scanned = occurrence.block.map_or(scanned, |block| Some((block, block)));
        let whose = occurrence.block.map_or_else(String::new, |block| format!(" of block {block}"));
        let why = format!("transaction {hash} is not among those{whose} that are held");
        Err(ProveError::NotIndexed { chain, scanned, extent: None, why })
    }

    /// Ascending blocks and positions of an indexed transaction, from a block on, for a chain in this state: at most
    /// [`read::CANDIDATES_MAX`], since the same bytes may be in several blocks. Accepts both byte orders where
    /// explorers show hashes reversed.
    pub fn find_transactions(
        &self,
        (chain, state): (ChainKey, &ChainState),
        hash: &Hash,
        from: BlockNumber,
    ) -> Result<Vec<TransactionPlace>, ProveError> {
        // what lies below the start is of a twig that is still being filled
        let blocks = from.max(state.start)..BlockNumber(u64::MAX);
        self.look_up(chain, hash, blocks, read::CANDIDATES_MAX, |_| true)
    }

    fn look_up(
        &self,
        chain: ChainKey,
        hash: &Hash,
        blocks: Range<BlockNumber>,
        limit: usize,
        is_meant: impl Fn(&TransactionPlace) -> bool,
    ) -> Result<Vec<TransactionPlace>, ProveError> {
        let mut reversed = *hash;
        reversed.0.reverse();
        let other = chain.family.shows_hashes_reversed().then_some(&reversed);
        let mut found = Vec::new();
        for hash in [Some(hash), other].into_iter().flatten() {
            let store = &*self.store;
            let rising = ScanOrder::Rising;
            let places = read::find_transaction_within(store, chain, hash, blocks.clone(), rising)?;
            for place in places.into_iter().filter(&is_meant) {
                if found.len() < limit && self.is_at(chain, hash, place)? {
                    found.push(place);
                }
            }
        }
        Ok(found)
    }

    /// Whether the transaction is at this position: the index has only a part of the hash, so the transaction itself is
    /// compared.
    fn is_at(
        &self,
        chain: ChainKey,
        hash: &Hash,
        TransactionPlace { number, tx_index }: TransactionPlace,
    ) -> Result<bool, ProveError> {
        let row = self.block(chain, number)?;
        let held = self.bases.get(&(chain, row.hash, ProofSubject::Transaction { tx_index }));
        let found = match held.and_then(|held| held.transaction_hash()) {
            None => self.hash_in(chain, number, &row, tx_index)?,
            proven => proven,
        };
        Ok(found == Some(*hash))
    }

    fn placed_body(
        &self,
        chain: ChainKey,
        number: BlockNumber,
        at: Option<SuperRootRef>,
    ) -> Result<(BlockRow, Arc<HeldBody>), ProveError> {
        let row = self.placed(chain, number, at)?;
        if let Some(body) = self.body(chain, number, &row)? {
            return Ok((row, body));
        }
        let why = match row.kept {
            KeptEntries::All => format!("of block {number} only the header is held"),
            KeptEntries::Some(_) => format!(
                "of block {number} only the header is held: no event of it is in the watch list"
            ),
        };
        Err(not_indexed(chain, number, &row, why))
    }

    pub(super) fn body(
        &self,
        chain: ChainKey,
        number: BlockNumber,
        row: &BlockRow,
    ) -> Result<Option<Arc<HeldBody>>, ProveError> {
        let kept = match &row.kept {
            KeptEntries::All => usize::MAX,
            KeptEntries::Some(indexes) => indexes.len(),
        };
        if row.extent == Extent::default() {
            return Ok(None);
        }
        let body = self.bodies.get_or_insert_with(&(chain, row.hash, row.extent, kept), || {
            let body = read::load_body(&*self.store, chain, number)?;
            let what =
                || ProveError::Corrupt { what: format!("the body of block {number} is gone") };
            body.map(|body| Arc::new(HeldBody::new(body))).ok_or_else(what)
        });
        body.map(Some)
    }
}

fn hash_of(held: &HeldBody, tx_index: u32) -> Result<Option<Hash>, ProveError> {
    let hash = held.body.transaction_hash(tx_index);
    hash.map_err(|fault| ProveError::Corrupt { what: fault.to_string() })
}

fn not_indexed(chain: ChainKey, number: BlockNumber, row: &BlockRow, why: String) -> ProveError {
    let scanned = Some((number, number));
    let extent = Some(row.extent);
    ProveError::NotIndexed { chain, scanned, extent, why }
}

/// Reason why a block body yields no proof.
fn no_entry(chain: ChainKey, number: BlockNumber, row: &BlockRow, cause: NoEntry) -> ProveError {
    match cause {
        NoEntry::NotHeld { part } => {
            not_indexed(chain, number, row, format!("the block's {part} are not held"))
        }
        NoEntry::NoTransaction { tx_index } => ProveError::NotFound {
            chain,
            what: match row.tx_count {
                Some(count) => {
                    format!("transaction {tx_index} of block {number}, which has {count},")
                }
                None => format!("transaction {tx_index} of block {number}"),
            },
            checked_to: Some(number),
        },
        NoEntry::Present { tx_index } => ProveError::Present { chain, number, tx_index },
        NoEntry::EventIndex { noun, whole, log_index, count, meant } => {
            ProveError::EventIndex { chain, noun, whole, log_index, count, meant }
        }
        NoEntry::NotProvable(cause) => ProveError::NotProvable { chain, cause },
        NoEntry::Damaged { what } => ProveError::Corrupt { what },
    }
}
