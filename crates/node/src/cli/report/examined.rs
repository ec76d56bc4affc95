//! Proof after reading and checking.

use serde_json::{Value, json};
use superroot_proof::bundle::{
    self, Bundle, Facts, Policy, ProofError, ProofFault, ProofStep, ProofSubject,
};
use superroot_proof::finality::{FinalityProof, FinalityShown, ProofFile};
use superroot_types::{ChainKey, Network, ProofLevel};
use superroot_wire::proof::{shows_outcome, unshown};
use superroot_wire::{CheckError, CheckedBody, check_body, parse, parse_json};

use super::finality::CheckedFinality;
use super::levels::{self, LevelRow};
use super::statement::statement_json;
use super::verdict::{AnchorTrust, CommandOutcome, CommandVerdict, FailedStep, Judged, Report};
use crate::chains;

/// Verification policy: only built-in chains and chains from `--chains`.
pub(super) fn policy() -> Policy<'static> {
    Policy::strict(chains::known().proof_registry())
}

#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum Unexamined {
    #[error("no proof: {0}")]
    NoProof(String),
    /// The chain's block hashing is unknown, so neither verdict is possible.
    #[error(
        "a proof of chain {0}, of which this verifier has no row: nothing was judged; give the rows \
         of its log with {FLAG} FILE",
        FLAG = chains::FLAG
    )]
    NoRow(ChainKey),
}

/// Proof after reading and checking.
#[derive(Clone, Debug)]
pub(crate) struct Examined {
    /// Proof with the claims.
    pub(crate) bundle: Bundle,
    /// Proven facts; for a false proof, the part below the failure.
    pub(crate) facts: Option<Facts>,
    /// Failed step; `body` if a body member contradicts the proof.
    pub(crate) failure: Option<FailedStep>,
    /// Paths of members not covered by the proof.
    pub(super) unproven: Vec<String>,
    /// Finality for this reader to check.
    pub(crate) finality: Option<FinalityProof>,
}

impl Examined {
    /// Reads and checks a body: a proof file, or JSON from a proof route.
    pub(crate) fn of(body: &[u8]) -> Result<Self, Unexamined> {
        let error = match check_body(body, &policy(), None) {
            Ok(CheckedBody { bundle, facts, unproven, finality }) => {
                let facts = Some(facts.into_inner());
                return Ok(Self { bundle, facts, failure: None, unproven, finality });
            }
            Err(error) => error,
        };
        if let CheckError::Unusable(error) = error {
            return Err(Unexamined::NoProof(error.to_string()));
        }
        let bundle = read_unverified(body).map_err(Unexamined::NoProof)?;
        let (step, reason, facts) = match error {
            CheckError::Proof(ProofError { fault: ProofFault::UnknownChain { chain }, .. }) => {
                return Err(Unexamined::NoRow(chain));
            }
            CheckError::Proof(ProofError { step, fault, .. }) => {
                let word = match step {
                    ProofStep::Statement => "statement",
                    ProofStep::Level(level) => level.name(),
                    ProofStep::Anchor => "anchor",
                };
                (word, fault.to_string(), what_held(&bundle, step))
            }
            error => {
                let facts = bundle::verify(&bundle, &policy()).ok().map(|facts| facts.into_inner());
                ("body", error.to_string(), facts)
            }
        };
        let failure = Some(FailedStep { step, reason });
        Ok(Self { bundle, facts, failure, unproven: Vec::new(), finality: None })
    }

    pub(crate) fn levels(&self) -> Vec<LevelRow> {
        levels::rows(&self.bundle, self.facts.as_ref(), self.failure.as_ref())
    }

    pub(crate) fn outcome(
        &self,
        anchor: Option<AnchorTrust>,
        finality: &CheckedFinality,
    ) -> CommandOutcome {
        let judged = finality.judge(Judged::of(self.failure.clone(), anchor));
        let not_shown = self.not_shown(judged.by.witnessed, finality.shown());
        let text = self.report_text(&judged, finality, &not_shown);
        let report = Report {
            valid: judged.verdict == CommandVerdict::True,
            exit: judged.verdict as u8,
            network: Some(Network::of_origin(&self.bundle.origin)),
            origin: Some(self.bundle.origin.clone()),
            statement: Some(statement_json(&self.bundle)),
            levels: self.levels().iter().map(LevelRow::to_json).collect(),
            super_root: self.facts.as_ref().and_then(super_root),
            anchored: judged.by,
            finality: finality.to_json(),
            not_shown,
            unproven: self.unproven.clone(),
            error: judged.error,
        };
        CommandOutcome { verdict: judged.verdict, json: json!(report), text: Ok(text) }
    }

    /// Facts that a reader might assume but the proof does not show.
    fn not_shown(&self, is_witnessed: bool, finality: Option<&FinalityShown>) -> Vec<&'static str> {
        let Some(facts) = self.facts.as_ref().filter(|_| self.failure.is_none()) else {
            return Vec::new();
        };
        let mut list = Vec::new();
        if facts.header.is_none() {
            list.push(
                "which block it is in: the proof has no header, so chain and number are a claim",
            );
        } else if !facts.number_bound && finality.is_none_or(|shown| shown.number().is_none()) {
            list.push("the block's number: its hash does not bind it (number_bound: false)");
        }
        if !facts.index_bound {
            list.push("the transaction's position in the block: no hash counts those before it");
        }
        if !facts.block_bound {
            list.push(
                "in which block the transaction is: it is in the chain by this block, in this block or an \
                 earlier one",
            );
        }
        if facts.receipt.is_some() && facts.transaction.is_none() {
            list.push(
                "the hash of the transaction: the proof has its receipt, not the transaction",
            );
        }
        if !unshown(facts).is_empty() {
            list.push(
                "which bytes of the list the event is, and which transaction brought it about: \
                 reading that takes the runtime's metadata",
            );
        }
        if facts.header.is_some() && facts.twig.is_none() {
            list.push("the chain: below level 3 it is a claim");
        }
        let entry = self.bundle.entry.as_ref().filter(|_| facts.transaction.is_some());
        if entry.is_some_and(|entry| !shows_outcome(entry, facts)) && facts.header.is_some() {
            list.push("whether the transaction succeeded: nothing in the proof says so");
        }
        if matches!(facts.statement.subject, ProofSubject::Absence { .. }) {
            list.push(
                "that nodes show nothing there: some chains have entries beside the tries of the header",
            );
        }
        if facts.super_root.is_none() {
            list.push("any SuperRoot: the proof ends below level 5");
        } else {
            if finality.is_none() {
                list.push("canonicity: that the chain's own consensus chose this block");
                list.push("finality: that the block can no longer be replaced");
            }
            list.push("the SuperRoot's time: its timestamp is the service's word");
        }
        if facts.super_root.is_some() && !is_witnessed {
            list.push("publication: that everybody else is shown this same SuperRoot");
        }
        list
    }
}

pub(super) fn super_root(facts: &Facts) -> Option<Value> {
    let super_root = facts.super_root.as_ref()?;
    Some(json!({
        "super_root_hash": super_root.hash(),
        "log_id": super_root.log_id,
        "sequence": super_root.sequence,
        "timestamp": super_root.timestamp,
        "tree_root": super_root.tree_root,
    }))
}

/// Reads a proof from a body in any form, without verification.
pub(crate) fn read_unverified(body: &[u8]) -> Result<Bundle, String> {
    if body.starts_with(&bundle::MAGIC) {
        let file = ProofFile::decode(body).map_err(|error| error.to_string());
        return file.map(|file| file.bundle);
    }
    parse_json(body).and_then(|body| parse(&body)).map_err(|error| error.to_string())
}

/// A false proof's valid part, from the steps before the failed one. Level 2 is checked before level 1, because the
/// header's roots are the trie roots.
fn what_held(bundle: &Bundle, failed: ProofStep) -> Option<Facts> {
    let ProofStep::Level(level) = failed else { return None };
    let mut held = bundle.clone();
    let below = match level {
        ProofLevel::Block => return None,
        ProofLevel::Entry => {
            held.entry = None;
            held.statement.subject = ProofSubject::Block;
            ProofLevel::Block
        }
        ProofLevel::Twig => ProofLevel::Block,
        ProofLevel::MiniMmr => ProofLevel::Twig,
        ProofLevel::SuperRoot => ProofLevel::MiniMmr,
    };
    bundle::verify(&held.up_to(below), &policy()).ok().map(|facts| facts.into_inner())
}
