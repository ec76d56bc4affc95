//! Answer verification against the client's own data.

use superroot_proof::bundle::{Facts, Policy, ProofError, ProofFault, ProofSubject, Statement};
use superroot_proof::registry::LogRegistry;
use superroot_proof::scan::{ScanFacts, ScanStatement};
use superroot_types::{BlockRef, ChainKey, Hash};
use superroot_wire::proof::{ProofQuery, ProofTarget};
use superroot_wire::scan::{CheckedScan, ScanCheckError, check_scan};
use superroot_wire::{CheckError, CheckedBody, check_body};

use crate::{ClientError, TrustReason, TrustStore};

/// Why a proof inside another answer shows nothing.
#[derive(Debug, thiserror::Error)]
pub enum EnclosedProofError {
    /// The verifier has no row for the chain, so neither verdict is possible.
    #[error("chain {0} is not in the registry of this verifier")]
    UnknownChain(ChainKey),
    /// Unreadable or false.
    #[error("{0}")]
    Refused(String),
}

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

    /// Checks a proof file in hex inside another answer.
    pub(crate) fn check_enclosed(&self, blob: &str) -> Result<Facts, EnclosedProofError> {
        let refused = |why: String| EnclosedProofError::Refused(why);
        let bytes = const_hex::decode(blob).map_err(|why| refused(why.to_string()))?;
        match self.check(&bytes, None) {
            Ok(checked) => Ok(checked.facts.into_inner()),
            Err(CheckError::Proof(ProofError {
                fault: ProofFault::UnknownChain { chain },
                ..
            })) => Err(EnclosedProofError::UnknownChain(chain)),
            Err(why) => Err(refused(why.to_string())),
        }
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

/// Checks that a proof answers the request: a valid proof may be about another subject.
///
/// # Errors
/// [`ClientError::AnotherAnswer`] with the proven subject.
pub fn answers_proof(asked: &ProofQuery, facts: &Facts) -> Result<(), ClientError> {
    let Statement { chain, number, subject } = facts.statement;
    let is_block = |block: BlockRef| block.number().is_none_or(|asked| asked == number);
    let answered = match asked.target {
        ProofTarget::Block(block) => is_block(block) && subject == ProofSubject::Block,
        ProofTarget::Transaction { tx_hash } => {
            matches!(subject, ProofSubject::Transaction { .. }) && is_transaction(facts, &tx_hash)
        }
        ProofTarget::Event { block, tx_index, log_index } => {
            is_block(block) && subject == ProofSubject::Log { tx_index, log_index }
        }
        ProofTarget::EventByHash { tx_hash, log_index: asked } => {
            matches!(subject, ProofSubject::Log { log_index, .. } if log_index == asked)
                && is_transaction(facts, &tx_hash)
        }
        ProofTarget::Absence { block, tx_index } => {
            is_block(block) && subject == ProofSubject::Absence { tx_index }
        }
    };
    if answered && chain == asked.chain {
        return Ok(());
    }
    let place = subject.tx_index().map(|tx| format!(" at index {tx}")).unwrap_or_default();
    let subject = subject.name();
    let got = format!("{subject}{place} of block {number} of chain {chain}");
    Err(ClientError::AnotherAnswer { got })
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
