//! Scan verification result.

use core::fmt::Write as _;

use serde_json::{Value, json};
use superroot_proof::bundle::{ProofError, ProofFault};
use superroot_proof::scan::{ScanError, ScanEvent, ScanFacts, ScanFilter, ScanStatement};
use superroot_types::Network;
use superroot_wire::scan::{ScanCheckError, ShownEvent, check_scan};
use superroot_wire::{Case, case};

use super::examined::{Unexamined, policy, super_root};
use super::statement::chain_name;
use super::text::{anchor_line, check_line, origin_lines, print_list, verdict_line};
use super::verdict::{AnchorTrust, CommandOutcome, CommandVerdict, FailedStep, Judged};
use crate::cli::style::{HEADING, styled};

const EVENTS_MAX: usize = 20;

pub(crate) struct ExaminedScan {
    /// Proven facts; `None` for an invalid scan.
    pub(crate) facts: Option<Box<ScanFacts>>,
    pub(crate) failure: Option<FailedStep>,
    /// Paths of members not covered by the scan.
    unproven: Vec<String>,
    /// Number of listed events on a page with a continuation.
    listed: Option<usize>,
}

impl ExaminedScan {
    pub(crate) fn of(body: &[u8]) -> Result<Self, Unexamined> {
        let (step, reason) = match check_scan(body, &policy()) {
            Ok(checked) => {
                let facts = Some(Box::new(checked.facts.into_inner()));
                let unproven = checked.unproven;
                let listed = checked.listed;
                return Ok(Self { facts, failure: None, unproven, listed });
            }
            Err(ScanCheckError::Unusable(error)) => {
                return Err(Unexamined::NoProof(error.to_string()));
            }
            Err(ScanCheckError::Scan(ScanError::Last(ProofError {
                fault: ProofFault::UnknownChain { chain },
                ..
            }))) => return Err(Unexamined::NoRow(chain)),
            Err(ScanCheckError::Scan(error)) => (error.step(), error.to_string()),
            Err(ScanCheckError::Disagreement(error)) => ("body", error.to_string()),
        };
        let failure = Some(FailedStep { step, reason });
        Ok(Self { facts: None, failure, unproven: Vec::new(), listed: None })
    }

    pub(crate) fn to_text(&self) -> String {
        let mut text = String::new();
        let mut line = |words: String| {
            let _ = writeln!(text, "{words}");
        };
        if let Some(FailedStep { step, reason }) = &self.failure {
            line(format!("{}  a scan of a range of blocks", styled(HEADING, "Statement")));
            line(String::new());
            line(check_line(Some(false), step, reason));
        }
        let Some(facts) = &self.facts else { return text };
        let statement = &facts.statement;
        let words = format!("events {}", statement_words(statement));
        line(format!("{}  {}", styled(HEADING, "Statement"), styled(HEADING, words)));
        line(origin_lines(&facts.last.origin));
        let sequence = facts.last.super_root.as_ref().map_or(0, |root| root.sequence.0);
        let mut good = |name: &str, detail: String| line(check_line(Some(true), name, &detail));
        good("last block", format!("block {} leads to SuperRoot {sequence}", statement.to));
        let count = statement.block_count().unwrap_or(0);
        good("headers", format!("{count} blocks hang together by their parents"));
        if facts.by_bloom > 0 {
            good("blooms", format!("{} blocks: their bloom rules the events out", facts.by_bloom));
        }
        if facts.by_receipts > 0 {
            let why = facts.blooms_not_binding.map(|why| format!(" ({why})")).unwrap_or_default();
            good("receipts", format!("{} blocks: all their receipts{why}", facts.by_receipts));
        }
        let found = match facts.events.len() {
            0 => "none".to_owned(),
            count => format!("{count}, and these are all"),
        };
        good("events", found);
        for event in facts.events.iter().take(EVENTS_MAX) {
            line(format!("{:23}{}", "", event_words(event)));
        }
        if let Some(more) = facts.events.len().checked_sub(EVENTS_MAX).filter(|more| *more > 0) {
            line(format!("{:23}and {more} more, all of them with --json", ""));
        }
        text
    }

    pub(crate) fn outcome(&self, anchor: Option<AnchorTrust>) -> CommandOutcome {
        let judged = Judged::of(self.failure.clone(), anchor);
        let facts = self.facts.as_deref();
        let not_shown =
            facts.map(|facts| not_shown(facts, judged.by.witnessed)).unwrap_or_default();
        let mut text = self.to_text();
        let _ = writeln!(text, "{}", anchor_line(&judged));
        print_list(&mut text, "Not shown:", &not_shown);
        let unproven: Vec<&str> = self.unproven.iter().map(String::as_str).collect();
        print_list(&mut text, "Said by the service, not proven:", &unproven);
        let truth = facts.map(|facts| truth(facts, self.listed)).unwrap_or_default();
        let _ = writeln!(text, "\n{}", verdict_line(&judged, &truth));
        let json = json!({
            "valid": judged.verdict == CommandVerdict::True,
            "exit": judged.verdict as u8,
            "kind": "scan",
            "network": facts.map(|facts| Network::of_origin(&facts.last.origin)),
            "origin": facts.map(|facts| &facts.last.origin),
            "statement": facts.map(|facts| statement_json(&facts.statement)),
            "shown": facts.map(shown_json),
            "super_root": facts.and_then(|facts| super_root(&facts.last)),
            "anchored": judged.by,
            "not_shown": not_shown,
            "unproven": self.unproven,
            "error": judged.error,
        });
        CommandOutcome { verdict: judged.verdict, json, text: Ok(text) }
    }
}

/// True statement in a sentence.
fn truth(facts: &ScanFacts, listed: Option<usize>) -> String {
    let words = statement_words(&facts.statement);
    if let Some(listed) = listed {
        let all = facts.events.len();
        return format!("TRUE: this page lists {listed} of the {all} events {words}, and goes on");
    }
    match facts.events.len() {
        0 => format!("TRUE: there is no event {words}"),
        1 => format!("TRUE: the one event shown is the only one {words}"),
        count => format!("TRUE: the {count} events shown are all {words}"),
    }
}

/// Facts that a reader might assume but the scan does not show.
fn not_shown(facts: &ScanFacts, is_witnessed: bool) -> Vec<&'static str> {
    let mut list = Vec::new();
    if facts.by_bloom > 0 {
        list.push(
            "that blooms are right: of blocks that were skipped it rests on the chain's consensus, whose nodes \
             refuse a block whose bloom lacks one of its logs",
        );
    }
    list.extend(facts.outside_receipts);
    list.push("other blocks than those of the range");
    list.push(
        "calls, transfers and changes of state without an event: they leave nothing in blooms and receipts",
    );
    list.push("hashes of transactions: a receipt does not name its transaction");
    list.push("canonicity: that the chain's own consensus chose these blocks");
    list.push("finality: that the blocks can no longer be replaced");
    list.push("the SuperRoot's time: its timestamp is the service's word");
    if !is_witnessed {
        list.push("publication: that everybody else is shown this same SuperRoot");
    }
    list
}

/// `of 0x.. in blocks 1 to 9 of Ethereum (evm:1)`.
pub(crate) fn statement_words(statement: &ScanStatement) -> String {
    let ScanStatement { chain, from, to, filter } = statement;
    format!("{} in blocks {from} to {to} of {}", filter_words(filter), chain_name(*chain))
}

fn filter_words(filter: &ScanFilter) -> String {
    fn joined<T: ToString>(items: &[T], word: &str) -> String {
        let items: Vec<String> = items.iter().map(ToString::to_string).collect();
        items.join(word)
    }
    let mut parts = Vec::new();
    if !filter.addresses().is_empty() {
        parts.push(format!("of {}", joined(filter.addresses(), " or ")));
    }
    for (position, topics) in filter.topics().iter().enumerate() {
        if !topics.is_empty() {
            parts.push(format!("with topic {position} {}", joined(topics, " or ")));
        }
    }
    if !filter.anywhere().is_empty() {
        parts.push(format!("with topic {}", joined(filter.anywhere(), " and ")));
    }
    if parts.is_empty() { "of anybody".to_owned() } else { parts.join(" ") }
}

fn event_words(event: &ScanEvent) -> String {
    let ScanEvent { number, tx_index, log_index, log, .. } = event;
    let topic = log.topics.first().map(|topic| format!(", topic 0 {topic}")).unwrap_or_default();
    format!("block {number}, transaction {tx_index}, log {log_index}: {}{topic}", log.address)
}

fn statement_json(statement: &ScanStatement) -> Value {
    let ScanStatement { chain, from, to, filter } = statement;
    json!({
        "kind": "scan",
        "chain": chain_name(*chain),
        "family": chain.family,
        "chain_id": chain.id,
        "from_block": from,
        "to_block": to,
        "addresses": filter.addresses(),
        "topics": filter.topics(),
        "topics_anywhere": filter.anywhere(),
    })
}

fn shown_json(facts: &ScanFacts) -> Value {
    let events: Vec<Value> = facts
        .events
        .iter()
        .map(|event| case::write(&ShownEvent::from(event), Case::Snake))
        .collect();
    json!({
        "answer": if events.is_empty() { "absent" } else { "events" },
        "event_count": events.len(),
        "events": events,
        "blocks_by_bloom": facts.by_bloom,
        "blocks_by_receipts": facts.by_receipts,
        "blooms_not_binding": facts.blooms_not_binding,
        "outside_receipts": facts.outside_receipts,
    })
}
