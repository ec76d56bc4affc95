//! Level 1: transactions, events, and that there is none.

use std::sync::Arc;

use superroot_proof::bundle::{Bundle, EntryProof, Subject, TrieProofs};
use superroot_proof::ledger::evm::{Receipt, transaction_hash};
use superroot_proof::mpt::{MptError, OrderedTrie};
use superroot_store::layout::{BlockRow, BodyRow, Kept};
use superroot_store::read;
use superroot_types::{BlockNumber, ChainKey, Hash};

use super::{ProveError, Prover, Which, branches};

impl Prover {
    /// Proof of a transaction by its hash, with its receipt where that is held.
    ///
    /// # Errors
    /// [`ProveError`] saying why there is none.
    pub fn prove_transaction(
        &self,
        chain: ChainKey,
        hash: &Hash,
        at: Which,
    ) -> Result<Bundle, ProveError> {
        let (number, tx_index) = self.find_transaction(chain, hash)?;
        let (row, body) = self.placed_body(chain, number, at)?;
        let subject = Subject::Transaction { tx_index };
        let entry = match &body.tree {
            Some(tree) => branches::prove(tree, chain, number, subject)?,
            None => tries(&body, tx_index)?,
        };
        self.bundle(chain, number, &row, subject, Some(entry), at)
    }

    /// Proof of an event by its place. `tx_index` is the position in the block, `log_index` the
    /// position in the receipt.
    ///
    /// # Errors
    /// [`ProveError`] saying why there is none.
    pub fn prove_event(
        &self,
        chain: ChainKey,
        number: BlockNumber,
        tx_index: u32,
        log_index: u32,
        at: Which,
    ) -> Result<Bundle, ProveError> {
        self.event(chain, number, tx_index, log_index, false, at)
    }

    /// Proof of an event by the hash of its transaction, which it proves too.
    ///
    /// # Errors
    /// [`ProveError`] saying why there is none.
    pub fn prove_event_by_hash(
        &self,
        chain: ChainKey,
        hash: &Hash,
        log_index: u32,
        at: Which,
    ) -> Result<Bundle, ProveError> {
        let (number, tx_index) = self.find_transaction(chain, hash)?;
        self.event(chain, number, tx_index, log_index, true, at)
    }

    /// Proof that a block has no transaction, and no receipt where these are held, at a position.
    ///
    /// # Errors
    /// [`ProveError::Present`] when there is one; else [`ProveError`] saying why there is no proof.
    pub fn prove_absence(
        &self,
        chain: ChainKey,
        number: BlockNumber,
        tx_index: u32,
        at: Which,
    ) -> Result<Bundle, ProveError> {
        let (row, body) = self.placed_body(chain, number, at)?;
        let subject = Subject::Absence { tx_index };
        if let Some(tree) = &body.tree {
            let entry = branches::prove(tree, chain, number, subject)?;
            return self.bundle(chain, number, &row, subject, Some(entry), at);
        }
        if body.transactions.is_none() {
            return Err(ProveError::NotIndexed {
                chain,
                scanned: Some((number, number)),
                extent: Some(row.extent),
                why: format!("the transactions of block {number} are not held"),
            });
        }
        let count = row.tx_count.unwrap_or(u32::MAX);
        if row.kept != Kept::All && tx_index < count {
            return Err(ProveError::Present { chain, number, tx_index });
        }
        if row.kept != Kept::All && tx_index > count {
            let why = format!(
                "of block {number} the proof that there is no transaction {count} is held, and none \
                 for positions past it"
            );
            let (scanned, extent) = (Some((number, number)), Some(row.extent));
            return Err(ProveError::NotIndexed { chain, scanned, extent, why });
        }
        for trie in [&body.transactions, &body.receipts].into_iter().flatten() {
            if leaf(trie, tx_index)?.is_some() {
                return Err(ProveError::Present { chain, number, tx_index });
            }
        }
        let entry = tries(&body, tx_index)?;
        self.bundle(chain, number, &row, subject, Some(entry), at)
    }

    /// Position of a log among all logs of its block, as nodes count; `None` where not every
    /// receipt before it is held. No proof shows it.
    ///
    /// # Errors
    /// The store's.
    pub fn log_index_in_block(
        &self,
        chain: ChainKey,
        number: BlockNumber,
        tx_index: u32,
        log_index: u32,
    ) -> Result<Option<u64>, ProveError> {
        let row = self.block(chain, number)?;
        let body = self.body(chain, number, &row)?;
        let Some(receipts) = &body.receipts else { return Ok(None) };
        Ok(logs_before(receipts, tx_index).map(|before| before + u64::from(log_index)))
    }

    fn event(
        &self,
        chain: ChainKey,
        number: BlockNumber,
        tx_index: u32,
        log_index: u32,
        with_transaction: bool,
        at: Which,
    ) -> Result<Bundle, ProveError> {
        let (row, body) = self.placed_body(chain, number, at)?;
        let subject = Subject::Log { tx_index, log_index };
        if let Some(tree) = &body.tree {
            let entry = branches::prove(tree, chain, number, subject)?;
            return self.bundle(chain, number, &row, subject, Some(entry), at);
        }
        let not_indexed = |why: &str| ProveError::NotIndexed {
            chain,
            scanned: Some((number, number)),
            extent: Some(row.extent),
            why: why.to_owned(),
        };
        let receipts = body.receipts.as_ref();
        let receipts = receipts.ok_or_else(|| not_indexed("the block's receipts are not held"))?;
        let not_found = || ProveError::NotFound {
            chain,
            what: match row.tx_count {
                Some(count) => {
                    format!("transaction {tx_index} of block {number}, which has {count},")
                }
                None => format!("transaction {tx_index} of block {number}"),
            },
            checked_to: Some(number),
        };
        if !row.kept.holds(tx_index) {
            if row.tx_count.is_some_and(|count| tx_index >= count) {
                return Err(not_found());
            }
            let why = format!(
                "transaction {tx_index} of block {number} has no event of the watch list, so it is \
                 not held"
            );
            return Err(not_indexed(&why));
        }
        let leaf = leaf(receipts, tx_index)?.ok_or_else(not_found)?;
        let receipt = Receipt::decode(leaf)
            .map_err(|error| ProveError::Corrupt { what: format!("a receipt: {error}") })?;
        let count = receipt.logs.len();
        if usize::try_from(log_index).is_ok_and(|log_index| log_index >= count) {
            let meant = logs_before(receipts, tx_index)
                .and_then(|before| u64::from(log_index).checked_sub(before))
                .and_then(|meant| u32::try_from(meant).ok())
                .filter(|meant| usize::try_from(*meant).is_ok_and(|meant| meant < count));
            return Err(ProveError::LogIndex { log_index, count, meant });
        }
        let transaction =
            if with_transaction { prove(body.transactions.as_ref(), tx_index)? } else { None };
        let receipt = prove(Some(receipts), tx_index)?;
        let entry = EntryProof::Evm(TrieProofs { transaction, receipt });
        self.bundle(chain, number, &row, subject, Some(entry), at)
    }

    /// Block and position of an indexed transaction. In the Bitcoin family the hash may be in either
    /// byte order: as it was hashed, or as explorers show it.
    ///
    /// # Errors
    /// [`ProveError::NotIndexed`] with the range that was scanned; the store's.
    pub fn find_transaction(
        &self,
        chain: ChainKey,
        hash: &Hash,
    ) -> Result<(BlockNumber, u32), ProveError> {
        let state = self.chain_state(chain)?;
        let start = state.as_ref().map_or(BlockNumber(0), |state| state.start);
        let mut reversed = *hash;
        reversed.0.reverse();
        let other = chain.family.shows_hashes_reversed().then_some(&reversed);
        for hash in [Some(hash), other].into_iter().flatten() {
            if let Some(place) = self.look_up(chain, hash, start)? {
                return Ok(place);
            }
        }
        let scanned = state.and_then(|state| Some((state.start, state.checked_to?)));
        let why = format!("transaction {hash} is not among those that are held");
        Err(ProveError::NotIndexed { chain, scanned, extent: None, why })
    }

    fn look_up(
        &self,
        chain: ChainKey,
        hash: &Hash,
        start: BlockNumber,
    ) -> Result<Option<(BlockNumber, u32)>, ProveError> {
        for place in read::find_transaction(&*self.store, chain, hash)? {
            if place.number < start {
                continue; // of a twig that is still being filled
            }
            // the index holds a part of the hash; the transaction itself tells
            let row = self.block(chain, place.number)?;
            let body = self.body(chain, place.number, &row)?;
            let leaf = body.transactions.as_ref().map(|trie| leaf(trie, place.tx_index));
            let is_it = match &body.tree {
                Some(tree) => branches::has(tree, place.tx_index, hash),
                None => leaf.transpose()?.flatten().map(transaction_hash) == Some(*hash),
            };
            if is_it {
                return Ok(Some((place.number, place.tx_index)));
            }
        }
        Ok(None)
    }

    fn placed_body(
        &self,
        chain: ChainKey,
        number: BlockNumber,
        at: Which,
    ) -> Result<(BlockRow, Arc<BodyRow>), ProveError> {
        let row = self.placed(chain, number, at)?;
        let body = self.body(chain, number, &row)?;
        if body.is_empty() {
            return Err(ProveError::NotIndexed {
                chain,
                scanned: Some((number, number)),
                extent: Some(row.extent),
                why: match row.kept {
                    Kept::All => format!("of block {number} only the header is held"),
                    Kept::Some(_) => format!(
                        "of block {number} only the header is held: no event of it is in the watch \
                         list"
                    ),
                },
            });
        }
        Ok((row, body))
    }

    fn body(
        &self,
        chain: ChainKey,
        number: BlockNumber,
        row: &BlockRow,
    ) -> Result<Arc<BodyRow>, ProveError> {
        let kept = match &row.kept {
            Kept::All => usize::MAX,
            Kept::Some(indexes) => indexes.len(),
        };
        self.bodies.get_or_insert_with(&(chain, row.hash, row.extent, kept), || {
            let body = read::load_body(&*self.store, chain, number)?;
            Ok(Arc::new(body.unwrap_or_default()))
        })
    }
}

fn tries(body: &BodyRow, tx_index: u32) -> Result<EntryProof, ProveError> {
    Ok(EntryProof::Evm(TrieProofs {
        transaction: prove(body.transactions.as_ref(), tx_index)?,
        receipt: prove(body.receipts.as_ref(), tx_index)?,
    }))
}

/// Logs of the receipts before that one; `None` where one of them is not held.
fn logs_before(receipts: &OrderedTrie, tx_index: u32) -> Option<u64> {
    let count = |index| {
        let leaf = receipts.leaf(u64::from(index)).ok()??;
        u64::try_from(Receipt::decode(leaf).ok()?.logs.len()).ok()
    };
    (0..tx_index).map(count).sum()
}

fn leaf(trie: &OrderedTrie, tx_index: u32) -> Result<Option<&[u8]>, ProveError> {
    trie.leaf(u64::from(tx_index)).map_err(missing)
}

fn prove(trie: Option<&OrderedTrie>, tx_index: u32) -> Result<Option<Vec<Vec<u8>>>, ProveError> {
    trie.map(|trie| trie.prove(u64::from(tx_index))).transpose().map_err(missing)
}

fn missing(error: MptError) -> ProveError {
    ProveError::Corrupt { what: error.to_string() }
}
