//! Rendering and parsing of level 1 and 2, each by the ledger's folder.

use serde_json::json;
use superroot_proof::bundle::{EntryProof, Facts, ProofSubject, ProvenEvent};
use superroot_proof::ledger::Header;
use superroot_types::{Family, Hash};

use super::{Named, evm, with_events, with_ledgers};
use crate::WireError;
use crate::member::Member;
use crate::proof::body::{EventPart, LedgerObject, NoReceipts, ObjectForm, ProvenEntry};

/// Forwards each question to the ledger's folder.
macro_rules! ledgers {
    ($($ledger:ident, $folder:ident $(: $entry:ident, $doc:literal)?;)*) => {
        /// Renders the header fields. Text form exists for Ethereum only.
        pub(in crate::proof) fn header(
            header: &Header,
            block_hash: &Hash,
            form: ObjectForm,
        ) -> LedgerObject {
            match header {
                $(Header::$ledger(header) => {
                    super::$folder::header(header, block_hash, form).into()
                })*
            }
        }

        /// Renders level 1: proof, with decoded content.
        pub(in crate::proof) fn entry(
            entry: &EntryProof,
            facts: &Facts,
            form: ObjectForm,
        ) -> ProvenEntry {
            let (shown, reason) = match entry {
                $(EntryProof::$ledger(entry) => {
                    (super::$folder::entry(entry, facts, form), super::$folder::NO_RECEIPTS)
                })*
            };
            let no_receipts =
                reason.map(|reason| NoReceipts { receipt_root: None, receipt_root_reason: reason });
            ProvenEntry { no_receipts, ..shown }
        }

        /// Returns the ledger's entry members that are only claims where no hash binds the position.
        pub(in crate::proof) const fn claimed_with_index(
            entry: &EntryProof,
        ) -> &'static [&'static str] {
            match entry { $(EntryProof::$ledger(_) => super::$folder::CLAIMED_WITH_INDEX,)* }
        }

        /// Whether the proof shows the transaction outcome (success or failure).
        #[must_use]
        pub fn shows_outcome(entry: &EntryProof, facts: &Facts) -> bool {
            match entry {
                $(EntryProof::$ledger(entry) => super::$folder::shows_outcome(entry, facts),)*
            }
        }

        /// Parses level 1, in the form of the body's family.
        pub(in crate::proof) fn parse_entry(
            root: &Member<'_>,
            subject: ProofSubject,
        ) -> Result<EntryProof, WireError> {
            match root.family()? {
                $(Family::$ledger => {
                    super::$folder::parse_entry(root, subject).map(EntryProof::$ledger)
                })*
            }
        }

        /// Lists the unverified content of level 1: parts in words, with figures.
        #[must_use]
        pub fn entry_parts(entry: &EntryProof) -> Vec<(&'static str, Vec<Named>)> {
            match entry { $(EntryProof::$ledger(entry) => super::$folder::parts(entry),)* }
        }

        /// Summarises the proven transaction: hash, and content if this build can decode the bytes.
        #[must_use]
        pub fn transaction_in_short(entry: &EntryProof, facts: &Facts) -> Vec<Named> {
            let Some(proven) = &facts.transaction else { return Vec::new() };
            let mut members = vec![("transaction_hash", json!(proven.hash))];
            members.extend(match entry {
                $(EntryProof::$ledger(entry) => {
                    super::$folder::transaction_in_short(entry, proven, facts)
                })*
            });
            members
        }

        /// Returns a hash in the family's explorer form; `None` if explorers use `0x` hex.
        #[must_use]
        pub fn spelled_hash(family: Family, hash: &Hash) -> Option<String> {
            let spelling = match family { $(Family::$ledger => super::$folder::SPELLING,)* };
            spelling.map(|spelling| (spelling.write)(hash))
        }

        /// Parses a hash in the family's explorer form; for some families also a transaction signature.
        #[must_use]
        pub fn parse_spelled_hash(family: Family, text: &str) -> Option<Hash> {
            let spelling = match family { $(Family::$ledger => super::$folder::SPELLING,)* };
            (spelling?.parse)(text)
        }
    };
}

with_ledgers!(ledgers);

/// Forwards each question on an event to the folder of its ledger.
macro_rules! events {
    ($($event:ident: $folder:ident;)*) => {
        /// Renders the event, in an event proof.
        pub(in crate::proof) fn event(facts: &Facts, form: ObjectForm) -> Option<EventPart> {
            let ProofSubject::Log { log_index, .. } = facts.statement.subject else { return None };
            let place = (log_index, form.beside().map(|beside| beside.log_index_in_block));
            Some(match facts.event.as_ref()? {
                $(ProvenEvent::$event(event) => super::$folder::event(event, place, facts, form),)*
            })
        }

        /// Returns event members only in the statement: no hash shows them.
        #[must_use]
        pub fn unshown(facts: &Facts) -> &'static [&'static str] {
            match &facts.event {
                $(Some(ProvenEvent::$event(_)) => super::$folder::UNSHOWN_OF_EVENTS,)*
                None => &[],
            }
        }

        /// Summarises the proven event in words and values.
        #[must_use]
        pub fn event_in_short(event: &ProvenEvent, log_index: u32) -> (String, Vec<Named>) {
            match event {
                $(ProvenEvent::$event(event) => super::$folder::event_in_short(event, log_index),)*
            }
        }
    };
}

with_events!(events);

/// Summarises the proven receipt.
#[must_use]
pub fn receipt_in_short(facts: &Facts) -> Vec<Named> {
    facts.receipt.as_ref().map(evm::receipt_in_short).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_spelled_is_read_again() {
        let mut hash = Hash([0xab; 32]);
        for first in [0, 1, 0xff] {
            hash.0[0] = first;
            for family in Family::ALL {
                let Some(text) = spelled_hash(family, &hash) else { continue };
                assert_eq!(parse_spelled_hash(family, &text), Some(hash), "{family}: {text}");
                for wrong in
                    [format!("0x{text}"), text[1..].to_owned(), format!("{text}!"), String::new()]
                {
                    assert_ne!(parse_spelled_hash(family, &wrong), Some(hash), "{family}: {wrong}");
                }
            }
        }
    }

    #[test]
    fn families_spell_in_their_own_ways() {
        let spelled = |family| spelled_hash(family, &Hash([0xab; 32]));
        assert_eq!(spelled(Family::Evm), None);
        assert_eq!(spelled(Family::Tron), Some("ab".repeat(32)));
        assert_eq!(spelled(Family::Cosmos), Some("AB".repeat(32)));
        assert_eq!(
            spelled(Family::Sui).as_deref(),
            Some("CZ8YUVdk7znjrUmnb5n7kgySk9yRAsQDYmyCxzfSky9t")
        );
    }
}
