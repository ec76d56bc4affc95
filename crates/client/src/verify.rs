//! Checking answers against what the client brings itself.

use core::fmt;

use superroot_proof::bundle::{Bundle, Facts, MAGIC, Policy, Statement, Subject};
use superroot_proof::registry::Registry;
use superroot_types::{BlockNumber, ChainKey, Hash};
use superroot_wire::{CheckError, Checked, WireError, check_body, parse, parse_json};

use crate::{ClientError, TrustStore};

/// Checks proofs by the rows it holds.
#[derive(Clone, Debug)]
pub struct Verifier {
    registry: Registry,
    accept_opened_rows: bool,
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
        Self { registry, accept_opened_rows: false }
    }

    /// The same, believing for chains it does not hold what the log itself says they are.
    #[must_use]
    pub const fn accepting_opened_rows(mut self) -> Self {
        self.accept_opened_rows = true;
        self
    }

    /// Checks a body, JSON of any shape or a proof file; with `trusted`, that it leads to that
    /// SuperRoot hash. Without, the SuperRoot it leads to is yet to be trusted.
    ///
    /// # Errors
    /// [`CheckError`]: garbage, a false proof, or a member that says something else.
    pub fn check(&self, body: &[u8], trusted: Option<&Hash>) -> Result<Checked, CheckError> {
        let (registry, accept_opened_rows) = (&self.registry, self.accept_opened_rows);
        check_body(body, &Policy { registry, accept_opened_rows }, trusted)
    }

    /// Checks a body, and that it leads to a SuperRoot that is pinned.
    ///
    /// # Errors
    /// [`ClientError::Check`] as [`Verifier::check`]; [`ClientError::NoSuperRoot`] and
    /// [`ClientError::NotTrusted`] when the proof holds and cannot be trusted.
    pub fn check_trusted(&self, body: &[u8], store: &TrustStore) -> Result<Checked, ClientError> {
        let checked = self.check(body, None)?;
        let Some(super_root) = &checked.facts.super_root else {
            return Err(ClientError::NoSuperRoot { level: checked.facts.level });
        };
        if !store.trusts(&checked.facts) {
            let (origin, sequence) = (checked.facts.origin.clone(), super_root.sequence);
            return Err(ClientError::NotTrusted { origin, sequence, hash: super_root.hash() });
        }
        Ok(checked)
    }
}

/// What was asked for: a proof that holds may still be about something else.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Asked {
    /// A block.
    Block {
        /// Its chain.
        chain: ChainKey,
        /// Its number.
        number: BlockNumber,
    },
    /// A transaction.
    Transaction {
        /// Its chain.
        chain: ChainKey,
        /// Its hash.
        tx_hash: Hash,
    },
    /// A log.
    Event {
        /// Its chain.
        chain: ChainKey,
        /// Number of its block.
        number: BlockNumber,
        /// Position of its transaction in the block.
        tx_index: u32,
        /// Position in the receipt.
        log_index: u32,
    },
    /// A log, by its transaction's hash.
    EventByHash {
        /// Its chain.
        chain: ChainKey,
        /// Hash of its transaction, which the proof shows too.
        tx_hash: Hash,
        /// Position in the receipt.
        log_index: u32,
    },
    /// That a block has no transaction at a position. The nodes that show it may show the same of
    /// its neighbours: the position asked for stands nowhere but here.
    Absence {
        /// Its chain.
        chain: ChainKey,
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
    /// [`ClientError::AnotherAnswer`] naming both.
    pub fn is_answered_by(&self, facts: &Facts) -> Result<(), ClientError> {
        let Statement { chain: got_chain, number: got_number, subject: got } = facts.statement;
        let is = |number, subject| (got_number, got) == (number, subject);
        let is_of = |tx_hash| is_transaction(facts, &tx_hash);
        let answered = match *self {
            Self::Block { number, .. } => is(number, Subject::Block),
            Self::Transaction { tx_hash, .. } => {
                matches!(got, Subject::Transaction { .. }) && is_of(tx_hash)
            }
            Self::Event { number, tx_index, log_index, .. } => {
                is(number, Subject::Log { tx_index, log_index })
            }
            Self::EventByHash { tx_hash, log_index: asked, .. } => {
                matches!(got, Subject::Log { log_index, .. } if log_index == asked)
                    && is_of(tx_hash)
            }
            Self::Absence { number, tx_index, .. } => is(number, Subject::Absence { tx_index }),
        };
        if answered && got_chain == self.chain() {
            return Ok(());
        }
        let subject = got.name();
        let place = got.tx_index().map(|tx| format!(" at index {tx}"));
        let place = place.unwrap_or_default();
        let got = format!("{subject}{place} of block {got_number} of chain {got_chain}");
        Err(ClientError::AnotherAnswer { asked: self.to_string(), got })
    }

    /// The chain.
    #[must_use]
    pub const fn chain(&self) -> ChainKey {
        match *self {
            Self::Block { chain, .. }
            | Self::Transaction { chain, .. }
            | Self::Event { chain, .. }
            | Self::EventByHash { chain, .. }
            | Self::Absence { chain, .. } => chain,
        }
    }
}

/// Whether the transaction that was shown has that hash; in the Bitcoin family, in either byte order.
#[must_use]
pub fn is_transaction(facts: &Facts, tx_hash: &Hash) -> bool {
    let Some(shown) = facts.transaction.as_ref().map(|transaction| transaction.hash) else {
        return false;
    };
    let mut reversed = shown;
    reversed.0.reverse();
    let may_be_reversed = facts.statement.chain.family.shows_hashes_reversed();
    shown == *tx_hash || (may_be_reversed && reversed == *tx_hash)
}

impl fmt::Display for Asked {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Block { number, .. } => write!(f, "block {number} ")?,
            Self::Transaction { tx_hash, .. } => write!(f, "transaction {tx_hash} ")?,
            Self::Event { number, tx_index, log_index, .. } => {
                write!(f, "log {log_index} of transaction {tx_index} of block {number} ")?;
            }
            Self::EventByHash { tx_hash, log_index, .. } => {
                write!(f, "log {log_index} of transaction {tx_hash} ")?;
            }
            Self::Absence { number, tx_index, .. } => {
                write!(f, "no transaction at index {tx_index} of block {number} ")?;
            }
        }
        write!(f, "of chain {}", self.chain())
    }
}

/// The proof file (`.srproof`) of an answer: what of it can be verified, in its one binary form.
/// Nothing is verified by this.
///
/// # Errors
/// [`WireError`] when the body carries no proof.
pub fn proof_file(body: &[u8]) -> Result<Vec<u8>, WireError> {
    if body.starts_with(&MAGIC) {
        let named = |cause| WireError::Binary { member: "body".to_owned(), cause };
        return Bundle::decode(body).map(|bundle| bundle.encode()).map_err(named);
    }
    Ok(parse(&parse_json(body)?)?.encode())
}
