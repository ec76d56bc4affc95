//! The text of levels 1 and 2 of an answer, which is the same whatever SuperRoot the proof ends in.

use serde::Serialize;
use serde_json::value::to_raw_value;
use superroot_proof::bundle::{Bundle, Facts, Subject};

use super::beside::BesideEvent;
use super::body::{Entry, EventPart, Form, LedgerEntry, Object, Written};
use super::{CLAIMED_WITH_INDEX, Shape, TRANSACTION_OF_LOGS, ledger};
use crate::{Case, case};

/// Levels 1 and 2 of an answer of one shape, as they were written: the decoded header, and the members of the entry.
#[derive(Debug, Default)]
pub struct BaseText {
    pub(super) header: Option<Written>,
    /// Members with commas between; none in the proof of a block.
    pub(super) entry: Vec<u8>,
    /// What of the entry no hash shows.
    pub(super) not_proven: Vec<String>,
}

impl BaseText {
    /// Writes what a proof shows, and what is said of its event. `facts` are what verifying `bundle` gave.
    #[must_use]
    pub fn of(bundle: &Bundle, facts: &Facts, shape: Shape, beside: BesideEvent) -> Self {
        let mut text = Self { header: header(facts, shape), ..Self::default() };
        if shape == Shape::V5 && facts.statement.subject != Subject::Block {
            let part = EntryText::of(bundle, facts, beside);
            text.not_proven = part.not_proven(facts, shape, beside);
            text.entry = case::text(&part, Some(shape.case()));
            // the members alone: they are to stand among others
            text.entry.pop();
            text.entry.drain(..1);
            // it may be remembered, so nothing stands over
            text.entry.shrink_to_fit();
        }
        text
    }

    /// Bytes of text.
    #[must_use]
    pub fn byte_count(&self) -> usize {
        self.entry.len() + self.header.as_ref().map_or(0, |header| header.byte_count())
    }
}

/// The decoded header, in the shapes that show it.
fn header(facts: &Facts, shape: Shape) -> Option<Written> {
    if !matches!(shape, Shape::V5 | Shape::KvBlock) {
        return None;
    }
    let (header, hash) = (facts.header.as_ref()?, facts.block_hash?);
    // a ledger's own text has its names in camelCase
    let form = match shape.case() {
        Case::Camel => Form::Text(BesideEvent::default()),
        Case::Snake => Form::Values,
    };
    let members = match ledger::header(header, &hash, form) {
        Object::Written(text) => return Some(text),
        Object::Made(members) => case::convert(members, shape.case()),
    };
    Some(Written::new(to_raw_value(&members).expect("a body is JSON")))
}

/// Level 1 without what is around it.
#[derive(Serialize)]
struct EntryText {
    #[serde(flatten)]
    entry: Entry,
    #[serde(flatten)]
    event: Option<EventPart>,
}

impl EntryText {
    fn of(bundle: &Bundle, facts: &Facts, beside: BesideEvent) -> Self {
        let form = Form::Text(beside);
        let entry = bundle.entry.as_ref().map(|entry| ledger::entry(entry, facts, form));
        Self { entry: entry.unwrap_or_default(), event: ledger::event(facts, form) }
    }

    /// The members that no hash shows.
    fn not_proven(&self, facts: &Facts, shape: Shape, beside: BesideEvent) -> Vec<String> {
        let mut not_proven = Vec::new();
        if self.event.is_some() {
            not_proven.push("event.logIndexInBlock".to_owned());
            not_proven.extend(ledger::unshown(facts).iter().map(|name| (*name).to_owned()));
        }
        let is_unheld = beside.transaction_hash.is_some() && facts.transaction.is_none();
        if is_unheld && self.entry.receipt.is_some() {
            not_proven.push(TRANSACTION_OF_LOGS.to_owned());
        }
        let is_there = |claimed: &&&str| {
            **claimed == "transactionIndex"
                || matches!(self.entry.of_ledger, Some(LedgerEntry::Solana(_)))
        };
        let claimed = CLAIMED_WITH_INDEX.iter().filter(|_| !facts.index_bound).filter(is_there);
        not_proven.extend(claimed.map(|name| shape.case().spell(name)));
        not_proven
    }
}
