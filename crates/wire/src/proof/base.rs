//! Answer text for levels 1 and 2, equal for every SuperRoot at the end of the proof.

use serde::Serialize;
use serde_json::value::to_raw_value;
use superroot_proof::bundle::{Bundle, Facts, ProofSubject};

use super::beside::BesideEvent;
use super::body::{EventPart, LedgerObject, ObjectForm, ProvenEntry, WrittenJson};
use super::{CLAIMED_WITH_INDEX, Shape, TRANSACTION_OF_LOGS, ledger};
use crate::{Case, case};

/// Rendered levels 1 and 2 of an answer in one shape: decoded header and entry members.
#[derive(Debug, Default)]
pub struct BaseText {
    pub(super) header: Option<WrittenJson>,
    /// Comma-separated members; empty in a block proof.
    pub(super) entry: Vec<u8>,
    /// Entry members that no hash shows.
    pub(super) not_proven: Vec<String>,
}

impl BaseText {
    /// Renders proven members and unproven event members. `facts` come from verifying `bundle`.
    #[must_use]
    pub fn of(bundle: &Bundle, facts: &Facts, shape: Shape, beside: BesideEvent) -> Self {
        let mut text = Self { header: header(facts, shape), ..Self::default() };
        if shape == Shape::V5 && facts.statement.subject != ProofSubject::Block {
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

    /// Number of text bytes.
    #[must_use]
    pub fn byte_count(&self) -> usize {
        self.entry.len() + self.header.as_ref().map_or(0, |header| header.byte_count())
    }
}

/// Renders the decoded header, for shapes with a header.
fn header(facts: &Facts, shape: Shape) -> Option<WrittenJson> {
    if !matches!(shape, Shape::V5 | Shape::KvBlock) {
        return None;
    }
    let header = facts.header.as_ref()?;
    let hash = facts.block_hash?;
    // a ledger's own text has its names in camelCase
    let form = match shape.case() {
        Case::Camel => ObjectForm::Text(BesideEvent::default()),
        Case::Snake => ObjectForm::Values,
    };
    let members = match ledger::header(header, &hash, form) {
        LedgerObject::Written(text) => return Some(text),
        LedgerObject::Made(members) => case::convert(members, shape.case()),
    };
    Some(WrittenJson::new(to_raw_value(&members).expect("a body is JSON")))
}

/// Level 1 without enclosing members.
#[derive(Serialize)]
struct EntryText {
    #[serde(flatten)]
    entry: ProvenEntry,
    #[serde(flatten)]
    event: Option<EventPart>,
    /// Members of the ledger's entry that are only claims where no hash binds the position.
    #[serde(skip)]
    claimed: &'static [&'static str],
}

impl EntryText {
    fn of(bundle: &Bundle, facts: &Facts, beside: BesideEvent) -> Self {
        let form = ObjectForm::Text(beside);
        let proof = bundle.entry.as_ref();
        let entry = proof.map(|entry| ledger::entry(entry, facts, form)).unwrap_or_default();
        let claimed = proof.map(ledger::claimed_with_index).unwrap_or_default();
        Self { entry, event: ledger::event(facts, form), claimed }
    }

    /// Returns the members that no hash shows.
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
        let is_there =
            |claimed: &&&str| **claimed == "transactionIndex" || self.claimed.contains(*claimed);
        let claimed = CLAIMED_WITH_INDEX.iter().filter(|_| !facts.index_bound).filter(is_there);
        not_proven.extend(claimed.map(|name| shape.case().spell(name)));
        let has_count = ledger::WITH_COUNT.contains(&facts.statement.chain.family);
        if has_count && facts.tx_count.is_none() {
            not_proven.push(shape.case().spell("transactionCount"));
        }
        not_proven
    }
}
