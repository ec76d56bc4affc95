//! What checking a proof came to: one value, printed as text or as JSON.
//!
//! ```text
//! Examined ── bundle    what is claimed
//!          ├─ facts     what was shown: of a false proof, the part below the failure
//!          ├─ failure   the step that does not hold, and why
//!          └─ anchoring whether the SuperRoot is one that the reader trusts
//! ```
//! A proof is *true* when it holds and is anchored, *false* when a step fails, else *unusable*.

mod json;
mod levels;
mod text;

use std::process::ExitCode;

use superroot_proof::bundle::{
    self, Bundle, Facts, Fault, Policy, ProofError, Statement, Step, Subject,
};
use superroot_types::{ChainKey, Hash, ProofLevel};
use superroot_wire::{CheckError, check_body, parse, parse_json};

use crate::chains;

pub(crate) use json::anchored as anchored_json;
pub(crate) use json::statement as statement_json;
pub(crate) use json::unusable as unusable_json;
pub(crate) use levels::{LevelRow, ShownMember, State};
pub(crate) use text::{anchor_line, origin_lines, print_members};

/// What this verifier knows: the built-in chains and those of `--chains`, and no others.
pub(crate) fn policy() -> Policy<'static> {
    Policy::strict(chains::known().proof_registry())
}

/// What a command found, and its exit code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Verdict {
    /// It holds and leads to a SuperRoot that the reader trusts.
    True,
    /// It does not hold.
    False,
    /// It is no proof, or leads to nothing that the reader trusts.
    Unusable,
}

impl Verdict {
    /// The exit code as a number.
    pub(crate) const fn code(self) -> u8 {
        match self {
            Self::True => 0,
            Self::False => 1,
            Self::Unusable => 2,
        }
    }
}

impl From<Verdict> for ExitCode {
    fn from(verdict: Verdict) -> Self {
        Self::from(verdict.code())
    }
}

/// Whether the SuperRoot that a proof leads to is one to trust, and by whose word.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Anchoring {
    /// The hash given on the command line.
    Given {
        /// That hash.
        hash: Hash,
    },
    /// A pin of the trust store.
    Pinned {
        /// The store's file.
        file: String,
    },
    /// What the reader trusts says another hash.
    Contradicted {
        /// `--superroot` or the store's file.
        by: String,
        /// Hash the proof leads to.
        got: Hash,
        /// Hash the reader trusts.
        expected: Hash,
    },
    /// Nothing that the reader trusts speaks of it.
    Nothing {
        /// Why not.
        why: String,
    },
}

/// The step that failed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Failure {
    /// A step of the proof; `None` when a member of the body says something else than the proof.
    pub(crate) step: Option<Step>,
    /// Why.
    pub(crate) reason: String,
}

impl Failure {
    /// The step in one word.
    pub(crate) const fn word(&self) -> &'static str {
        match self.step {
            None => "body",
            Some(Step::Statement) => "statement",
            Some(Step::Level(level)) => level.name(),
            Some(Step::Anchor) => "anchor",
        }
    }
}

/// Why a body was not examined.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum Unexamined {
    /// It is no proof.
    #[error("no proof: {0}")]
    NoProof(String),
    /// This verifier does not know how blocks of the chain are hashed, so it can say neither.
    #[error(
        "a proof of chain {0}, of which this verifier has no row: nothing was judged; give the rows \
         of its log with {FLAG} FILE",
        FLAG = chains::FLAG
    )]
    NoRow(ChainKey),
}

/// A proof that was read and checked.
#[derive(Clone, Debug)]
pub(crate) struct Examined {
    /// The proof.
    pub(crate) bundle: Bundle,
    /// What was shown.
    pub(crate) facts: Option<Facts>,
    /// What does not hold.
    pub(crate) failure: Option<Failure>,
    /// Paths of the members that the proof does not speak for.
    pub(crate) unproven: Vec<String>,
}

impl Examined {
    /// Reads and checks a body: a proof file, or JSON of a proof route.
    ///
    /// # Errors
    /// [`Unexamined`]: nothing was judged.
    pub(crate) fn of(body: &[u8]) -> Result<Self, Unexamined> {
        match check_body(body, &policy(), None) {
            Ok(checked) => Ok(Self {
                bundle: checked.bundle,
                facts: Some(checked.facts.into_inner()),
                failure: None,
                unproven: checked.unproven,
            }),
            Err(CheckError::Unusable(error)) => Err(Unexamined::NoProof(error.to_string())),
            Err(CheckError::Proof(ProofError { fault: Fault::UnknownChain { chain }, .. })) => {
                Err(Unexamined::NoRow(chain))
            }
            Err(CheckError::Proof(ProofError { step, fault, .. })) => {
                let bundle = read(body).map_err(Unexamined::NoProof)?;
                let facts = what_held(&bundle, step);
                let failure = Some(Failure { step: Some(step), reason: fault.to_string() });
                Ok(Self { bundle, facts, failure, unproven: Vec::new() })
            }
            Err(error) => {
                let bundle = read(body).map_err(Unexamined::NoProof)?;
                let facts = bundle::verify(&bundle, &policy()).ok().map(|facts| facts.into_inner());
                let failure = Some(Failure { step: None, reason: error.to_string() });
                Ok(Self { bundle, facts, failure, unproven: Vec::new() })
            }
        }
    }

    /// The levels, each as it fared.
    pub(crate) fn levels(&self) -> Vec<LevelRow> {
        let failed = self.failure.as_ref();
        let failed = failed.and_then(|failure| Some((failure.step?, failure.reason.as_str())));
        levels::rows(&self.bundle, self.facts.as_ref(), failed)
    }

    /// What a reader may think was shown, and was not.
    pub(crate) fn not_shown(&self) -> Vec<String> {
        let mut list = Vec::new();
        let mut put = |line: &str| list.push(line.to_owned());
        let Some(facts) = self.facts.as_ref().filter(|_| self.failure.is_none()) else {
            return list;
        };
        if facts.header.is_none() {
            put("which block it is in: the proof has no header, so chain and number are a claim");
        } else if !facts.number_bound {
            put("the block's number: its hash does not bind it (number_bound: false)");
        }
        if matches!(facts.statement.subject, Subject::Log { .. }) && facts.transaction.is_none() {
            put("the hash of the transaction: the proof has its receipt, not the transaction");
        }
        if facts.super_root.is_none() {
            put("any SuperRoot: the proof ends below level 5");
        } else {
            put("canonicity: that the chain's own consensus chose this block");
            put("finality: that the block can no longer be replaced");
            put("publication: that everybody else is shown this same SuperRoot");
        }
        list
    }
}

/// What a body is checked against, with its report.
#[derive(Clone, Debug)]
pub(crate) struct Report {
    /// The proof.
    pub(crate) examined: Examined,
    /// `None` when the proof failed before that question.
    pub(crate) anchoring: Option<Anchoring>,
}

impl Report {
    /// What it came to.
    pub(crate) const fn verdict(&self) -> Verdict {
        match (&self.examined.failure, &self.anchoring) {
            (Some(_), _) | (None, Some(Anchoring::Contradicted { .. })) => Verdict::False,
            (None, Some(Anchoring::Given { .. } | Anchoring::Pinned { .. })) => Verdict::True,
            (None, Some(Anchoring::Nothing { .. }) | None) => Verdict::Unusable,
        }
    }

    /// What kept it from being true.
    pub(crate) fn error(&self) -> Option<Failure> {
        let anchor = |reason| Failure { step: Some(Step::Anchor), reason };
        match (&self.examined.failure, &self.anchoring) {
            (Some(failure), _) => Some(failure.clone()),
            (None, Some(Anchoring::Contradicted { by, got, expected })) => {
                Some(anchor(format!("the SuperRoot is {got}, {by} says {expected}")))
            }
            (None, Some(Anchoring::Nothing { why })) => {
                Some(anchor(format!("not anchored to anything you trust: {why}")))
            }
            (None, _) => None,
        }
    }
}

/// Reads the proof out of a body that was read once already.
fn read(body: &[u8]) -> Result<Bundle, String> {
    if body.starts_with(&bundle::MAGIC) {
        return Bundle::decode(body).map_err(|error| error.to_string());
    }
    parse_json(body).and_then(|body| parse(&body)).map_err(|error| error.to_string())
}

/// Reads the proof that a body carries, in any form, without verifying anything.
///
/// # Errors
/// Why it is no proof at all.
pub(crate) fn read_unverified(body: &[u8]) -> Result<Bundle, String> {
    read(body)
}

/// What of a false proof holds: the part that is checked before the step that failed. Level 2 is
/// checked before level 1, for the header's roots are those of the tries.
fn what_held(bundle: &Bundle, failed: Step) -> Option<Facts> {
    let Step::Level(level) = failed else { return None };
    let mut held = bundle.clone();
    let below = match level {
        ProofLevel::Block => return None,
        ProofLevel::Entry => {
            held.entry = None;
            held.statement.subject = Subject::Block;
            ProofLevel::Block
        }
        ProofLevel::Twig => ProofLevel::Block,
        ProofLevel::MiniMmr => ProofLevel::Twig,
        ProofLevel::SuperRoot => ProofLevel::MiniMmr,
    };
    bundle::verify(&held.up_to(below), &policy()).ok().map(|facts| facts.into_inner())
}

/// A chain by its name, where this build knows it, and by its key.
pub(crate) fn chain_name(chain: ChainKey) -> String {
    match chains::known().by_key(chain) {
        Some((_, row)) => format!("{} ({chain})", row.name),
        None => format!("chain {chain}"),
    }
}

/// A statement in words.
pub(crate) fn statement_words(statement: &Statement) -> String {
    let block = format!("block {} of {}", statement.number, chain_name(statement.chain));
    match statement.subject {
        Subject::Block => block,
        Subject::Transaction { tx_index } => format!("transaction {tx_index} of {block}"),
        Subject::Log { tx_index, log_index } => {
            let event = statement.chain.family.event_noun();
            format!("{event} {log_index} of transaction {tx_index} of {block}")
        }
        Subject::Absence { tx_index } => format!("no transaction at index {tx_index} of {block}"),
    }
}
