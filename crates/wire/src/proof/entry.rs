//! Level 1 of a proof: transactions, events, absences.

use superroot_proof::bundle::{Bundle, Facts};

use super::base::BaseText;
use super::body::{EntryPart, ObjectForm, ProvenEntry};
use super::{block, ledger};

/// Returns the entry answer; members already rendered in `base` are omitted.
pub(super) fn part(bundle: &Bundle, facts: &Facts, base: Option<&BaseText>) -> EntryPart {
    let subject = facts.statement.subject;
    let shown = bundle.entry.as_ref().filter(|_| base.is_none());
    let shown = shown.map(|entry| ledger::entry(entry, facts, ObjectForm::Values));
    let entry = ProvenEntry {
        block: block::part(bundle, facts, base),
        transaction_index: subject.tx_index(),
        super_root_hash: facts.super_root_hash(),
        ..shown.unwrap_or_default()
    };
    let event = if base.is_none() { ledger::event(facts, ObjectForm::Values) } else { None };
    EntryPart { place: block::statement(facts, subject.name()), entry, event }
}
