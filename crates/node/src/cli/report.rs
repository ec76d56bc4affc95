//! What checking an answer came to: one value, printed as text or as JSON.
//!
//! A proof is *true* when it holds and is anchored, *false* when a step fails, else *unusable*.

mod levels;
pub(crate) mod scan;
mod text;

use std::io;
use std::process::ExitCode;

use serde::Serialize;
use serde_json::{Map, Value, json};
use superroot_proof::bundle::{self, Bundle, Facts, Fault, Policy, ProofError, Step, Subject};
use superroot_proof::registry::Profile;
use superroot_types::{ChainKey, Hash, Network, ProofLevel};
use superroot_wire::proof::{shows_outcome, unshown};
use superroot_wire::{CheckError, check_body, parse, parse_json};

use crate::chains;
use crate::cli::output::print;
use crate::cli::style::plain;

use levels::{LevelRow, absence_trees};
pub(crate) use text::{
    anchor_line, check_line, origin_lines, print_list, print_members, verdict_line,
};

/// A name and what was proven, or is claimed, under it.
pub(crate) type ShownMember = superroot_wire::proof::Named;

/// The same as one object.
pub(crate) fn object(members: &[ShownMember]) -> Value {
    members
        .iter()
        .map(|(name, value)| ((*name).to_owned(), value.clone()))
        .collect::<Map<_, _>>()
        .into()
}

/// What this verifier knows: the built-in chains and those of `--chains`, and no others.
pub(crate) fn policy() -> Policy<'static> {
    Policy::strict(chains::known().proof_registry())
}

/// What a command found, and its exit code.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Verdict {
    /// It holds and leads to a SuperRoot that the reader trusts.
    True = 0,
    /// It does not hold.
    False = 1,
    /// It is no proof, or leads to nothing that the reader trusts.
    #[default]
    Unusable = 2,
}

impl From<Verdict> for ExitCode {
    fn from(verdict: Verdict) -> Self {
        Self::from(verdict as u8)
    }
}

/// An answer as people and as programs read what it came to.
pub(crate) struct Outcome {
    pub(crate) verdict: Verdict,
    pub(crate) json: Value,
    /// Why there is nothing to report on, where there is nothing.
    pub(crate) text: Result<String, String>,
}

impl Outcome {
    /// Nothing was judged.
    pub(crate) fn unusable(step: &'static str, why: impl ToString) -> Self {
        let (verdict, why) = (Verdict::Unusable, why.to_string());
        let error = Some(Failure { step, reason: why.clone() });
        Self {
            verdict,
            json: json!(Report { exit: 2, error, ..Report::default() }),
            text: Err(plain(&why)),
        }
    }

    /// Prints it, and gives its exit code.
    ///
    /// # Errors
    /// Why there is nothing to report on; that it could not be written.
    pub(crate) fn print(self, json: bool, out: &mut dyn io::Write) -> anyhow::Result<ExitCode> {
        let text = if json {
            format!("{:#}\n", self.json)
        } else {
            self.text.map_err(anyhow::Error::msg)?
        };
        print(out, &text, self.verdict.into())
    }
}

#[allow(clippy::trivially_copy_pass_by_ref)] // serde asks for a reference
const fn is_false(value: &bool) -> bool {
    !*value
}

/// By whose word a SuperRoot is trusted: `superroot`, `key`, `trust_store` or nobody's.
#[derive(Clone, Debug, Default, Serialize)]
pub(crate) struct By {
    pub(crate) by: Option<&'static str>,
    /// The log's key, where its note leads there.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) key: Option<String>,
    /// Size of the log in that note.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) size: Option<u64>,
    /// Whether that log is the one of a pin; `false` where the two were not compared.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) joined: Option<bool>,
    /// Whether the key was taken from a service at first use, and never confirmed.
    #[serde(skip_serializing_if = "is_false")]
    pub(crate) first_use: bool,
    /// Whether the quorum of the policy's witnesses signed with the key.
    #[serde(skip_serializing_if = "is_false")]
    pub(crate) witnessed: bool,
    /// The hash given on the command line.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) super_root_hash: Option<Hash>,
    /// Why the note of the proof does not count. The SuperRoot is trusted without the note.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) note_fault: Option<String>,
    /// The trust store's file.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) file: Option<String>,
}

/// Whether the SuperRoot that an answer leads to is one to trust.
#[derive(Clone, Debug)]
pub(crate) enum Anchor {
    Trusted(By),
    /// What the reader trusts says another hash, or nothing.
    Refused {
        verdict: Verdict,
        why: String,
    },
}

/// The step that failed, in one word, and why.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub(crate) struct Failure {
    pub(crate) step: &'static str,
    pub(crate) reason: String,
}

/// What a check came to.
#[derive(Clone, Debug)]
pub(crate) struct Judged {
    pub(crate) verdict: Verdict,
    /// By whose word; nobody's where the check failed before that question.
    pub(crate) by: By,
    /// What kept it from being true.
    pub(crate) error: Option<Failure>,
}

impl Judged {
    pub(crate) fn of(failure: Option<Failure>, anchor: Option<Anchor>) -> Self {
        let (verdict, by, error) = match (failure, anchor) {
            (Some(failure), _) => (Verdict::False, By::default(), Some(failure)),
            (None, Some(Anchor::Trusted(by))) => (Verdict::True, by, None),
            (None, Some(Anchor::Refused { verdict, why: reason })) => {
                (verdict, By::default(), Some(Failure { step: "anchor", reason }))
            }
            (None, None) => (Verdict::Unusable, By::default(), None),
        };
        Self { verdict, by, error }
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
    /// The proof: what is claimed.
    pub(crate) bundle: Bundle,
    /// What was shown: of a false proof, the part below the failure.
    pub(crate) facts: Option<Facts>,
    /// What does not hold; step `body` where a member of the body says something else than the proof.
    pub(crate) failure: Option<Failure>,
    /// Paths of the members that the proof does not speak for.
    unproven: Vec<String>,
}

impl Examined {
    /// Reads and checks a body: a proof file, or JSON of a proof route.
    ///
    /// # Errors
    /// [`Unexamined`]: nothing was judged.
    pub(crate) fn of(body: &[u8]) -> Result<Self, Unexamined> {
        let error = match check_body(body, &policy(), None) {
            Ok(checked) => {
                let (facts, unproven) = (Some(checked.facts.into_inner()), checked.unproven);
                return Ok(Self { bundle: checked.bundle, facts, failure: None, unproven });
            }
            Err(error) => error,
        };
        if let CheckError::Unusable(error) = error {
            return Err(Unexamined::NoProof(error.to_string()));
        }
        let bundle = read_unverified(body).map_err(Unexamined::NoProof)?;
        let (step, reason, facts) = match error {
            CheckError::Proof(ProofError { fault: Fault::UnknownChain { chain }, .. }) => {
                return Err(Unexamined::NoRow(chain));
            }
            CheckError::Proof(ProofError { step, fault, .. }) => {
                let word = match step {
                    Step::Statement => "statement",
                    Step::Level(level) => level.name(),
                    Step::Anchor => "anchor",
                };
                (word, fault.to_string(), what_held(&bundle, step))
            }
            error => {
                let facts = bundle::verify(&bundle, &policy()).ok().map(|facts| facts.into_inner());
                ("body", error.to_string(), facts)
            }
        };
        Ok(Self { bundle, facts, failure: Some(Failure { step, reason }), unproven: Vec::new() })
    }

    /// The levels, each as it fared.
    pub(crate) fn levels(&self) -> Vec<LevelRow> {
        levels::rows(&self.bundle, self.facts.as_ref(), self.failure.as_ref())
    }

    /// The report of it, where it leads to that anchor.
    pub(crate) fn outcome(&self, anchor: Option<Anchor>) -> Outcome {
        let judged = Judged::of(self.failure.clone(), anchor);
        let not_shown = self.not_shown(judged.by.witnessed);
        let text = self.report_text(&judged, &not_shown);
        let report = Report {
            valid: judged.verdict == Verdict::True,
            exit: judged.verdict as u8,
            network: Some(Network::of_origin(&self.bundle.origin)),
            origin: Some(self.bundle.origin.clone()),
            statement: Some(statement_json(&self.bundle)),
            levels: self.levels().iter().map(LevelRow::to_json).collect(),
            super_root: self.facts.as_ref().and_then(super_root),
            anchored: judged.by,
            not_shown,
            unproven: self.unproven.clone(),
            error: judged.error,
        };
        Outcome { verdict: judged.verdict, json: json!(report), text: Ok(text) }
    }

    /// What a reader may think was shown, and was not.
    fn not_shown(&self, is_witnessed: bool) -> Vec<&'static str> {
        let Some(facts) = self.facts.as_ref().filter(|_| self.failure.is_none()) else {
            return Vec::new();
        };
        let mut list = Vec::new();
        if facts.header.is_none() {
            list.push(
                "which block it is in: the proof has no header, so chain and number are a claim",
            );
        } else if !facts.number_bound {
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
        if matches!(facts.statement.subject, Subject::Absence { .. }) {
            list.push(
                "that nodes show nothing there: some chains have entries beside the tries of the header",
            );
        }
        if facts.super_root.is_none() {
            list.push("any SuperRoot: the proof ends below level 5");
        } else {
            list.push("canonicity: that the chain's own consensus chose this block");
            list.push("finality: that the block can no longer be replaced");
            list.push("the SuperRoot's time: its timestamp is the service's word");
        }
        if facts.super_root.is_some() && !is_witnessed {
            list.push("publication: that everybody else is shown this same SuperRoot");
        }
        list
    }
}

/// A report for programs. Names are part of the contract: they are added to, never changed. Where there
/// was nothing to report on, nothing is in them.
#[derive(Default, Serialize)]
struct Report {
    valid: bool,
    exit: u8,
    network: Option<Network>,
    origin: Option<String>,
    statement: Option<Value>,
    levels: Vec<Value>,
    super_root: Option<Value>,
    anchored: By,
    not_shown: Vec<&'static str>,
    unproven: Vec<String>,
    error: Option<Failure>,
}

/// What is claimed, without the positions that no proof of the ledger binds.
pub(crate) fn statement_json(bundle: &Bundle) -> Value {
    let statement = &bundle.statement;
    json!({
        "kind": statement.subject.name(),
        "chain": chain_name(statement.chain),
        "family": statement.chain.family,
        "chain_id": statement.chain.id,
        "block_number": statement.number,
        "block_bound": bundle.shows_block(),
        "transaction_index": statement.tx_index(),
        "log_index": statement.log_index(),
        "sentence": statement_words(bundle),
    })
}

fn super_root(facts: &Facts) -> Option<Value> {
    let super_root = facts.super_root.as_ref()?;
    Some(json!({
        "super_root_hash": super_root.hash(),
        "log_id": super_root.log_id,
        "sequence": super_root.sequence,
        "timestamp": super_root.timestamp,
        "tree_root": super_root.tree_root,
    }))
}

/// Reads the proof that a body carries, in any form, without verifying anything.
///
/// # Errors
/// Why it is no proof at all.
pub(crate) fn read_unverified(body: &[u8]) -> Result<Bundle, String> {
    if body.starts_with(&bundle::MAGIC) {
        return Bundle::decode(body).map_err(|error| error.to_string());
    }
    parse_json(body).and_then(|body| parse(&body)).map_err(|error| error.to_string())
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

/// A line for each chain that a log's registry withdraws.
pub(crate) fn withdrawals(registry: &[Profile]) -> Vec<String> {
    let withdrawn = registry.iter().filter_map(|row| row.withdrawn_from().map(|from| (row, from)));
    withdrawn.map(|(row, from)| format!("withdrawn: {} from block {from}", row.chain)).collect()
}

/// A statement in words, without the positions that no proof of the ledger binds.
pub(crate) fn statement_words(bundle: &Bundle) -> String {
    let statement = &bundle.statement;
    let block = format!("block {} of {}", statement.number, chain_name(statement.chain));
    let transaction = || match (statement.tx_index(), bundle.shows_block()) {
        (Some(tx_index), _) => format!("transaction {tx_index} of {block}"),
        (None, true) => format!("a transaction of {block}"),
        (None, false) => format!("a transaction in the chain by {block}"),
    };
    match statement.subject {
        Subject::Block => block,
        Subject::Transaction { .. } => transaction(),
        Subject::Log { .. } => match statement.log_index() {
            Some(log_index) => {
                let noun = statement.chain.family.event_noun();
                format!("{noun} {log_index} of {}", transaction())
            }
            None => format!("an event of {block}"),
        },
        Subject::Absence { tx_index } => {
            let trees = absence_trees(statement.chain.family);
            format!("no leaf at index {tx_index} {trees} of {block}")
        }
    }
}
