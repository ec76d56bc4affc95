//! Verification result: one value, printed as text or JSON.
//!
//! A proof is *true* when valid and anchored, *false* when a step fails, else *unusable*.

mod levels;
pub(crate) mod scan;
mod text;

use std::io;
use std::process::ExitCode;

use serde::Serialize;
use serde_json::{Map, Value, json};
use superroot_proof::bundle::{
    self, Bundle, Facts, Policy, ProofError, ProofFault, ProofStep, ProofSubject,
};
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

pub(crate) type ShownMember = superroot_wire::proof::Named;

pub(crate) fn object(members: &[ShownMember]) -> Value {
    members
        .iter()
        .map(|(name, value)| ((*name).to_owned(), value.clone()))
        .collect::<Map<_, _>>()
        .into()
}

/// Verification policy: only built-in chains and chains from `--chains`.
pub(crate) fn policy() -> Policy<'static> {
    Policy::strict(chains::known().proof_registry())
}

/// Verdict and exit code.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum CommandVerdict {
    /// Valid, and leads to a trusted SuperRoot.
    True = 0,
    False = 1,
    /// Not a proof, or without a trusted SuperRoot.
    #[default]
    Unusable = 2,
}

impl From<CommandVerdict> for ExitCode {
    fn from(verdict: CommandVerdict) -> Self {
        Self::from(verdict as u8)
    }
}

pub(crate) struct CommandOutcome {
    pub(crate) verdict: CommandVerdict,
    pub(crate) json: Value,
    /// Report, or why there is none.
    pub(crate) text: Result<String, String>,
}

impl CommandOutcome {
    pub(crate) fn unusable(step: &'static str, why: impl ToString) -> Self {
        let verdict = CommandVerdict::Unusable;
        let why = why.to_string();
        let error = Some(FailedStep { step, reason: why.clone() });
        Self {
            verdict,
            json: json!(Report { exit: 2, error, ..Report::default() }),
            text: Err(plain(&why)),
        }
    }

    /// Prints the result, and returns the exit code; an error without a report.
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

/// Trust source for a SuperRoot: `superroot`, `key`, `trust_store` or none.
#[derive(Clone, Debug, Default, Serialize)]
pub(crate) struct TrustSource {
    pub(crate) by: Option<&'static str>,
    /// Log key, if the log's note leads to the SuperRoot.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) key: Option<String>,
    /// Log size in that note.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) size: Option<u64>,
    /// Whether the log matches a pin; `false` if not compared.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) joined: Option<bool>,
    /// Whether the key came from a service at first use, without confirmation.
    #[serde(skip_serializing_if = "is_false")]
    pub(crate) first_use: bool,
    /// Whether the policy's witness quorum signed too.
    #[serde(skip_serializing_if = "is_false")]
    pub(crate) witnessed: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) super_root_hash: Option<Hash>,
    /// Why the proof's note does not count. The SuperRoot is trusted without the note.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) note_fault: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) file: Option<String>,
}

#[derive(Clone, Debug)]
pub(crate) enum AnchorTrust {
    Trusted(TrustSource),
    /// Trusted data contains another hash, or none.
    Refused {
        verdict: CommandVerdict,
        why: String,
    },
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub(crate) struct FailedStep {
    pub(crate) step: &'static str,
    pub(crate) reason: String,
}

#[derive(Clone, Debug)]
pub(crate) struct Judged {
    pub(crate) verdict: CommandVerdict,
    /// Trust source; none if the check failed earlier.
    pub(crate) by: TrustSource,
    /// Reason for a verdict other than true.
    pub(crate) error: Option<FailedStep>,
}

impl Judged {
    pub(crate) fn of(failure: Option<FailedStep>, anchor: Option<AnchorTrust>) -> Self {
        let (verdict, by, error) = match (failure, anchor) {
            (Some(failure), _) => (CommandVerdict::False, TrustSource::default(), Some(failure)),
            (None, Some(AnchorTrust::Trusted(by))) => (CommandVerdict::True, by, None),
            (None, Some(AnchorTrust::Refused { verdict, why: reason })) => {
                (verdict, TrustSource::default(), Some(FailedStep { step: "anchor", reason }))
            }
            (None, None) => (CommandVerdict::Unusable, TrustSource::default(), None),
        };
        Self { verdict, by, error }
    }
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
    unproven: Vec<String>,
}

impl Examined {
    /// Reads and checks a body: a proof file, or JSON from a proof route.
    pub(crate) fn of(body: &[u8]) -> Result<Self, Unexamined> {
        let error = match check_body(body, &policy(), None) {
            Ok(checked) => {
                let facts = Some(checked.facts.into_inner());
                let unproven = checked.unproven;
                return Ok(Self { bundle: checked.bundle, facts, failure: None, unproven });
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
        Ok(Self { bundle, facts, failure: Some(FailedStep { step, reason }), unproven: Vec::new() })
    }

    pub(crate) fn levels(&self) -> Vec<LevelRow> {
        levels::rows(&self.bundle, self.facts.as_ref(), self.failure.as_ref())
    }

    pub(crate) fn outcome(&self, anchor: Option<AnchorTrust>) -> CommandOutcome {
        let judged = Judged::of(self.failure.clone(), anchor);
        let not_shown = self.not_shown(judged.by.witnessed);
        let text = self.report_text(&judged, &not_shown);
        let report = Report {
            valid: judged.verdict == CommandVerdict::True,
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
        CommandOutcome { verdict: judged.verdict, json: json!(report), text: Ok(text) }
    }

    /// Facts that a reader might assume but the proof does not show.
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
        if matches!(facts.statement.subject, ProofSubject::Absence { .. }) {
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

/// Report for programs. Names are a contract: new ones may be added, existing ones never change. Members are empty
/// without a report.
#[derive(Default, Serialize)]
struct Report {
    valid: bool,
    exit: u8,
    network: Option<Network>,
    origin: Option<String>,
    statement: Option<Value>,
    levels: Vec<Value>,
    super_root: Option<Value>,
    anchored: TrustSource,
    not_shown: Vec<&'static str>,
    unproven: Vec<String>,
    error: Option<FailedStep>,
}

/// Claim, without positions that no ledger proof binds.
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

/// Reads a proof from a body in any form, without verification.
pub(crate) fn read_unverified(body: &[u8]) -> Result<Bundle, String> {
    if body.starts_with(&bundle::MAGIC) {
        return Bundle::decode(body).map_err(|error| error.to_string());
    }
    parse_json(body).and_then(|body| parse(&body)).map_err(|error| error.to_string())
}

/// Valid part of a false proof, from the steps before the failed one. Level 2 is checked before level 1, because the
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

/// Chain name, if known, and key.
pub(crate) fn chain_name(chain: ChainKey) -> String {
    match chains::known().by_key(chain) {
        Some((_, row)) => format!("{} ({chain})", row.name),
        None => format!("chain {chain}"),
    }
}

/// A line per chain withdrawn by a log's registry.
pub(crate) fn withdrawals(registry: &[Profile]) -> Vec<String> {
    let withdrawn = registry.iter().filter_map(|row| row.withdrawn_from().map(|from| (row, from)));
    withdrawn.map(|(row, from)| format!("withdrawn: {} from block {from}", row.chain)).collect()
}

/// Statement text, without positions that no ledger proof binds.
pub(crate) fn statement_words(bundle: &Bundle) -> String {
    let statement = &bundle.statement;
    let block = format!("block {} of {}", statement.number, chain_name(statement.chain));
    let transaction = || match (statement.tx_index(), bundle.shows_block()) {
        (Some(tx_index), _) => format!("transaction {tx_index} of {block}"),
        (None, true) => format!("a transaction of {block}"),
        (None, false) => format!("a transaction in the chain by {block}"),
    };
    match statement.subject {
        ProofSubject::Block => block,
        ProofSubject::Transaction { .. } => transaction(),
        ProofSubject::Log { .. } => match statement.log_index() {
            Some(log_index) => {
                let noun = statement.chain.family.event_noun();
                format!("{noun} {log_index} of {}", transaction())
            }
            None => format!("an event of {block}"),
        },
        ProofSubject::Absence { tx_index } => {
            let trees = absence_trees(statement.chain.family);
            format!("no leaf at index {tx_index} {trees} of {block}")
        }
    }
}
