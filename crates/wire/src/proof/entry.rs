//! Level 1 of a proof: transactions, events, and what is not there.

use superroot_proof::bundle::{Bundle, Facts};

use super::body::{Entry, EntryPart};
use super::{block, ledger};

/// The entry answer.
pub(super) fn part(bundle: &Bundle, facts: &Facts) -> EntryPart {
    let subject = facts.statement.subject;
    let shown = bundle.entry.as_ref().map(|entry| ledger::entry(entry, facts));
    let entry = Entry {
        block: block::part(bundle, facts),
        transaction_index: subject.tx_index(),
        super_root_hash: facts.super_root_hash(),
        ..shown.unwrap_or_default()
    };
    let event = ledger::event(facts);
    EntryPart { place: block::statement(facts, subject.name()), entry, event }
}
