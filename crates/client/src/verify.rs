//! Answer verification against the client's own data.

use superroot_proof::bundle::{Facts, Policy, ProofSubject, Statement};
use superroot_proof::registry::LogRegistry;
use superroot_proof::scan::{ScanFacts, ScanStatement};
use superroot_types::{BlockNumber, ChainKey, Hash};
use superroot_wire::scan::{CheckedScan, ScanCheckError, check_scan};
use superroot_wire::{CheckError, CheckedBody, check_body};

use crate::{ClientError, TrustReason, TrustStore};

/// Proof verifier with its own chain registry.
#[derive(Clone, Debug)]
pub struct Verifier {
    registry: LogRegistry,
}

impl Verifier {
    /// Verifier with the built-in chains.
    #[must_use]
    pub fn builtin() -> Self {
        Self::new(superroot_chain::ChainRegistry::builtin().proof_registry().clone())
    }

    /// Verifier with these chains.
    #[must_use]
    pub const fn new(registry: LogRegistry) -> Self {
        Self { registry }
    }

    /// Checks a body: any JSON shape or a proof file; with `trusted`, also requires that SuperRoot hash. Without
    /// `trusted`, the resulting SuperRoot is not yet trusted.
    ///
    /// # Errors
    /// [`CheckError`]: unreadable input, a false proof, or a contradicting member.
    pub fn check(&self, body: &[u8], trusted: Option<&Hash>) -> Result<CheckedBody, CheckError> {
        check_body(body, &Policy::strict(&self.registry), trusted)
    }

    /// Checks a body and requires a trusted SuperRoot.
    ///
    /// # Errors
    /// [`ClientError::Check`] as [`Verifier::check`]; [`ClientError::Distrust`] if the proof is valid but not trusted.
    pub fn check_trusted(
        &self,
        body: &[u8],
        store: &TrustStore,
    ) -> Result<(CheckedBody, TrustReason), ClientError> {
        let checked = self.check(body, None)?;
        let trusted = store.judge(&checked.facts)?;
        Ok((checked, trusted))
    }
}

impl Verifier {
    /// Checks a scan: a file, a JSON page, or a search with `completeness`. The resulting SuperRoot is not yet trusted.
    ///
    /// # Errors
    /// [`ScanCheckError`]: unreadable input, a false scan, or a contradicting member.
    pub fn check_scan(&self, body: &[u8]) -> Result<CheckedScan, ScanCheckError> {
        check_scan(body, &Policy::strict(&self.registry))
    }

    /// Checks a scan and requires a trusted SuperRoot.
    ///
    /// # Errors
    /// [`ClientError::Scan`] as [`Verifier::check_scan`]; [`ClientError::Distrust`] if the scan is valid but not
    /// trusted.
    pub fn check_scan_trusted(
        &self,
        body: &[u8],
        store: &TrustStore,
    ) -> Result<(CheckedScan, TrustReason), ClientError> {
        let checked = self.check_scan(body)?;
        let trusted = store.judge(&checked.facts.last)?;
        Ok((checked, trusted))
    }
}

/// Checks that a scan is a page for the request: same start and filter, with the end in range.
///
/// # Errors
/// [`ClientError::AnotherAnswer`] with the scan's actual subject.
pub fn answers_scan(asked: &ScanStatement, facts: &ScanFacts) -> Result<(), ClientError> {
    let ScanStatement { chain, from, to, filter } = &facts.statement;
    let is_page = *from == asked.from && *to <= asked.to;
    if is_page && *chain == asked.chain && *filter == asked.filter {
        return Ok(());
    }
    let what = if *filter == asked.filter { "the events asked for" } else { "other events" };
    Err(ClientError::AnotherAnswer {
        got: format!("{what} in blocks {from} to {to} of chain {chain}"),
    })
}

/// Requested subject: a valid proof may still be about another subject.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ExpectedSubject {
    /// Chain.
    pub chain: ChainKey,
    /// Entry in the chain.
    pub of: ExpectedEntry,
}

/// Requested entry in a chain.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ExpectedEntry {
    /// Newest anchored block.
    LatestBlock,
    /// Block.
    Block {
        /// Block number.
        number: BlockNumber,
    },
    /// Transaction.
    Transaction {
        /// Transaction hash; either byte order for the Bitcoin family.
        tx_hash: Hash,
    },
    /// Log.
    Event {
        /// Block number.
        number: BlockNumber,
        /// Transaction index in the block.
        tx_index: u32,
        /// Log index in the receipt.
        log_index: u32,
    },
    /// Log, by transaction hash.
    EventByHash {
        /// Transaction hash, also shown in the proof.
        tx_hash: Hash,
        /// Log index in the receipt.
        log_index: u32,
    },
    /// Absence: no transaction at this position. The proof nodes may also show absence at neighbouring positions: only
    /// this field has the requested position.
    Absence {
        /// Block number.
        number: BlockNumber,
        /// Empty position.
        tx_index: u32,
    },
}

impl ExpectedSubject {
    /// Checks that the facts answer the question.
    ///
    /// # Errors
    /// [`ClientError::AnotherAnswer`] with the proven subject.
    pub fn is_answered_by(&self, facts: &Facts) -> Result<(), ClientError> {
        let Statement { chain, number: got_number, subject: got } = facts.statement;
        let is = |number, subject| (got_number, got) == (number, subject);
        let answered = match self.of {
            ExpectedEntry::LatestBlock => got == ProofSubject::Block,
            ExpectedEntry::Block { number } => is(number, ProofSubject::Block),
            ExpectedEntry::Transaction { tx_hash } => {
                matches!(got, ProofSubject::Transaction { .. }) && is_transaction(facts, &tx_hash)
            }
            ExpectedEntry::Event { number, tx_index, log_index } => {
                is(number, ProofSubject::Log { tx_index, log_index })
            }
            ExpectedEntry::EventByHash { tx_hash, log_index: asked } => {
                matches!(got, ProofSubject::Log { log_index, .. } if log_index == asked)
                    && is_transaction(facts, &tx_hash)
            }
            ExpectedEntry::Absence { number, tx_index } => {
                is(number, ProofSubject::Absence { tx_index })
            }
        };
        if answered && chain == self.chain {
            return Ok(());
        }
        let subject = got.name();
        let place = got.tx_index().map(|tx| format!(" at index {tx}"));
        let place = place.unwrap_or_default();
        let got = format!("{subject}{place} of block {got_number} of chain {chain}");
        Err(ClientError::AnotherAnswer { got })
    }
}

/// Whether the proven transaction has this hash; either byte order for the Bitcoin family.
fn is_transaction(facts: &Facts, tx_hash: &Hash) -> bool {
    let Some(shown) = facts.transaction.as_ref().map(|transaction| transaction.hash) else {
        return false;
    };
    let mut reversed = shown;
    reversed.0.reverse();
    let may_be_reversed = facts.statement.chain.family.shows_hashes_reversed();
    shown == *tx_hash || (may_be_reversed && reversed == *tx_hash)
}
