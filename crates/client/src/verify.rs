//! Checking answers against what the client brings itself.

use superroot_proof::bundle::{Facts, Policy, Statement, Subject};
use superroot_proof::registry::Registry;
use superroot_proof::scan::{ScanFacts, ScanStatement};
use superroot_types::{BlockNumber, ChainKey, Hash};
use superroot_wire::scan::{CheckedScan, ScanCheckError, check_scan};
use superroot_wire::{CheckError, Checked, check_body};

use crate::{ClientError, TrustStore, Trusted};

/// Checks proofs by the rows it holds.
#[derive(Clone, Debug)]
pub struct Verifier {
    registry: Registry,
}

impl Verifier {
    /// With the chains of this build.
    #[must_use]
    pub fn builtin() -> Self {
        Self::new(superroot_chain::Registry::builtin().proof_registry().clone())
    }

    /// With these chains.
    #[must_use]
    pub const fn new(registry: Registry) -> Self {
        Self { registry }
    }

    /// Checks a body, JSON of any shape or a proof file; with `trusted`, that it leads to that
    /// SuperRoot hash. Without, the SuperRoot it leads to is yet to be trusted.
    ///
    /// # Errors
    /// [`CheckError`]: garbage, a false proof, or a member that says something else.
    pub fn check(&self, body: &[u8], trusted: Option<&Hash>) -> Result<Checked, CheckError> {
        check_body(body, &Policy::strict(&self.registry), trusted)
    }

    /// Checks a body, and that it leads to what is trusted.
    ///
    /// # Errors
    /// [`ClientError::Check`] as [`Verifier::check`]; [`ClientError::Distrust`] when the proof holds and
    /// is not to be trusted.
    pub fn check_trusted(
        &self,
        body: &[u8],
        store: &TrustStore,
    ) -> Result<(Checked, Trusted), ClientError> {
        let checked = self.check(body, None)?;
        let trusted = store.judge(&checked.facts)?;
        Ok((checked, trusted))
    }
}

impl Verifier {
    /// Checks a scan: a file, a page as JSON, or a search with its `completeness`. The SuperRoot that it
    /// leads to is yet to be trusted.
    ///
    /// # Errors
    /// [`ScanCheckError`]: garbage, a false scan, or a member that says something else.
    pub fn check_scan(&self, body: &[u8]) -> Result<CheckedScan, ScanCheckError> {
        check_scan(body, &Policy::strict(&self.registry))
    }

    /// Checks a scan, and that it leads to what is trusted.
    ///
    /// # Errors
    /// [`ClientError::Scan`] as [`Verifier::check_scan`]; [`ClientError::Distrust`] when it holds and is
    /// not to be trusted.
    pub fn check_scan_trusted(
        &self,
        body: &[u8],
        store: &TrustStore,
    ) -> Result<(CheckedScan, Trusted), ClientError> {
        let checked = self.check_scan(body)?;
        let trusted = store.judge(&checked.facts.last)?;
        Ok((checked, trusted))
    }
}

/// Checks that a scan is a page of what was asked for: it begins there, asks the same, and ends in the
/// range.
///
/// # Errors
/// [`ClientError::AnotherAnswer`] naming what it is about.
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

/// What was asked for: a proof that holds may still be about something else.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Asked {
    /// Of which chain.
    pub chain: ChainKey,
    /// Of what in it.
    pub of: Of,
}

/// What in a chain is asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Of {
    /// The newest anchored block.
    LatestBlock,
    /// A block.
    Block {
        /// Its number.
        number: BlockNumber,
    },
    /// A transaction.
    Transaction {
        /// Its hash; in the Bitcoin family in either byte order.
        tx_hash: Hash,
    },
    /// A log.
    Event {
        /// Number of its block.
        number: BlockNumber,
        /// Position of its transaction in the block.
        tx_index: u32,
        /// Position in the receipt.
        log_index: u32,
    },
    /// A log, by its transaction's hash.
    EventByHash {
        /// Hash of its transaction, which the proof shows too.
        tx_hash: Hash,
        /// Position in the receipt.
        log_index: u32,
    },
    /// That a block has no transaction at a position. The nodes that show it may show the same of
    /// its neighbours: the position asked for stands nowhere but here.
    Absence {
        /// Number of the block.
        number: BlockNumber,
        /// The position that is empty.
        tx_index: u32,
    },
}

impl Asked {
    /// Checks that the facts answer the question.
    ///
    /// # Errors
    /// [`ClientError::AnotherAnswer`] naming what they are about.
    pub fn is_answered_by(&self, facts: &Facts) -> Result<(), ClientError> {
        let Statement { chain, number: got_number, subject: got } = facts.statement;
        let is = |number, subject| (got_number, got) == (number, subject);
        let answered = match self.of {
            Of::LatestBlock => got == Subject::Block,
            Of::Block { number } => is(number, Subject::Block),
            Of::Transaction { tx_hash } => {
                matches!(got, Subject::Transaction { .. }) && is_transaction(facts, &tx_hash)
            }
            Of::Event { number, tx_index, log_index } => {
                is(number, Subject::Log { tx_index, log_index })
            }
            Of::EventByHash { tx_hash, log_index: asked } => {
                matches!(got, Subject::Log { log_index, .. } if log_index == asked)
                    && is_transaction(facts, &tx_hash)
            }
            Of::Absence { number, tx_index } => is(number, Subject::Absence { tx_index }),
        };
        if answered && chain == self.chain {
            return Ok(());
        }
        let (subject, place) = (got.name(), got.tx_index().map(|tx| format!(" at index {tx}")));
        let place = place.unwrap_or_default();
        let got = format!("{subject}{place} of block {got_number} of chain {chain}");
        Err(ClientError::AnotherAnswer { got })
    }
}

/// Whether the transaction that was shown has that hash; in the Bitcoin family, in either byte order.
fn is_transaction(facts: &Facts, tx_hash: &Hash) -> bool {
    let Some(shown) = facts.transaction.as_ref().map(|transaction| transaction.hash) else {
        return false;
    };
    let mut reversed = shown;
    reversed.0.reverse();
    let may_be_reversed = facts.statement.chain.family.shows_hashes_reversed();
    shown == *tx_hash || (may_be_reversed && reversed == *tx_hash)
}
