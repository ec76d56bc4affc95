//! Level 1 in the Sui family: checkpoint contents and a transaction's parts.

use alloc::vec::Vec;

use superroot_types::{BlockNumber, ChainKey, Hash, Network};

use super::contents::{CheckpointTransaction, Contents, TRANSACTION_BYTES_MAX};
use super::effects::Effects;
use super::events::read_events;
use super::summary::Header;
use super::{effects_digest, events_digest, transaction_digest};
use crate::codec::{ByteReader, put_long};
use crate::ledger::form::EntryForm;
use crate::ledger::{
    BoundIndexes, EntryParts, LedgerError, MalformedEntry, ProofSubject, ProvenEvent,
    ProvenMoveEvent, ProvenTransaction, ShownFacts,
};

const LIST: &str = "checkpoint's list";

/// Checkpoint contents and a listed transaction. An absence needs only the contents: their length proves the count.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ContentsProof {
    /// Whole contents.
    pub contents: Vec<u8>,
    /// Transaction without signatures; optional in an event proof.
    pub transaction: Option<Vec<u8>>,
    /// Effects and events.
    pub outcome: Option<TransactionEffects>,
}

/// Transaction outcome.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TransactionEffects {
    /// Transaction effects.
    pub effects: Vec<u8>,
    /// Transaction events, in an event proof.
    pub events: Option<Vec<u8>>,
}

impl EntryForm for ContentsProof {
    type Header = Header;

    fn bound_indexes(_: ProofSubject) -> BoundIndexes {
        BoundIndexes::ALL
    }

    fn shows_block(&self, _: (ChainKey, BlockNumber), _: Network) -> bool {
        true
    }

    fn check_parts(&self, subject: ProofSubject) -> Result<(), LedgerError> {
        let parts = |what| Err(LedgerError::Parts { what });
        let events = self.outcome.as_ref().map(|outcome| outcome.events.is_some());
        match (subject, &self.transaction, events) {
            (ProofSubject::Block, ..)
            | (ProofSubject::Transaction { .. }, Some(_), Some(false))
            | (ProofSubject::Log { .. }, _, Some(true))
            | (ProofSubject::Absence { .. }, None, None) => Ok(()),
            (ProofSubject::Transaction { .. }, ..) => {
                parts("a transaction is shown by itself and its effects")
            }
            (ProofSubject::Log { .. }, ..) => {
                parts("an event is shown by its transaction's effects and events")
            }
            (ProofSubject::Absence { .. }, ..) => {
                parts("an absence is shown by the contents alone")
            }
        }
    }

    fn parts(&self) -> EntryParts {
        let receipt = self.outcome.is_some();
        EntryParts { transaction: self.transaction.is_some() || !receipt, receipt }
    }

    fn check(
        &self,
        subject: ProofSubject,
        header: Option<&Header>,
    ) -> Result<ShownFacts, LedgerError> {
        self.check_parts(subject)?;
        let contents = Contents::decode(&self.contents)?;
        if let Some(header) = header {
            same("content_digest", contents.digest, header.content_digest)?;
        }
        let mut shown = ShownFacts {
            transactions_root: Some(contents.digest),
            tx_count: Some(contents.tx_count()),
            ..ShownFacts::default()
        };
        match (subject, subject.tx_index().and_then(|tx_index| contents.at(tx_index))) {
            (ProofSubject::Block, _) | (ProofSubject::Absence { .. }, None) => return Ok(shown),
            (ProofSubject::Absence { tx_index }, Some(_)) => {
                return Err(LedgerError::SomethingThere { trie: LIST, tx_index });
            }
            (ProofSubject::Transaction { tx_index } | ProofSubject::Log { tx_index, .. }, None) => {
                return Err(LedgerError::NothingThere { trie: LIST, tx_index });
            }
            (ProofSubject::Transaction { .. } | ProofSubject::Log { .. }, Some(listed)) => {
                self.check_listed(subject, listed, &mut shown)?;
            }
        }
        Ok(shown)
    }

    /// `length:u32 ‖ contents`, then each present part after its `length:u32`: the transaction, the effects, the
    /// events.
    fn encode(&self, out: &mut Vec<u8>) {
        put_long(out, &self.contents);
        let outcome = self.outcome.as_ref();
        let effects = outcome.map(|outcome| &outcome.effects);
        let events = outcome.and_then(|outcome| outcome.events.as_ref());
        for part in [self.transaction.as_ref(), effects, events].into_iter().flatten() {
            put_long(out, part);
        }
    }

    fn decode(
        subject: ProofSubject,
        parts: EntryParts,
        reader: &mut ByteReader<'_>,
    ) -> Result<Self, MalformedEntry> {
        let is_absence = matches!(subject, ProofSubject::Absence { .. });
        if is_absence && parts.receipt {
            return Err(MalformedEntry::Parts);
        }
        let mut part = |name| {
            let bytes = reader.long().map(<[u8]>::to_vec);
            bytes.ok_or(MalformedEntry::Part(name))
        };
        let contents = part("contents")?;
        let has_transaction = parts.transaction && !is_absence;
        let transaction = if has_transaction { Some(part("transaction")?) } else { None };
        let mut outcome = None;
        if parts.receipt {
            let effects = part("effects")?;
            let has_events = matches!(subject, ProofSubject::Log { .. });
            let events = if has_events { Some(part("events")?) } else { None };
            outcome = Some(TransactionEffects { effects, events });
        }
        Ok(Self { contents, transaction, outcome })
    }
}

impl ContentsProof {
    fn check_listed(
        &self,
        subject: ProofSubject,
        listed: CheckpointTransaction,
        shown: &mut ShownFacts,
    ) -> Result<(), LedgerError> {
        if let Some(transaction) = &self.transaction {
            check_length(transaction, "transaction")?;
            let hash = transaction_digest(transaction);
            same("digest of the transaction", hash, listed.transaction)?;
            shown.transaction = Some(ProvenTransaction { hash, raw: transaction.clone() });
        }
        let Some(TransactionEffects { effects, events }) = &self.outcome else { return Ok(()) };
        check_length(effects, "effects")?;
        same("digest of the effects", effects_digest(effects), listed.effects)?;
        let read = Effects::decode(effects)?;
        let (ProofSubject::Log { log_index, .. }, Some(events)) = (subject, events) else {
            return Ok(());
        };
        check_length(events, "events")?;
        let none = LedgerError::Parts { what: "the transaction has no events" };
        same("digest of the events", events_digest(events), read.events_digest.ok_or(none)?)?;
        let events = read_events(events)?;
        let event_count = events.len();
        let position = usize::try_from(log_index).unwrap_or(usize::MAX);
        let event = events.into_iter().nth(position);
        let event = event.ok_or(LedgerError::EventIndex { log_index, count: event_count })?;
        let transaction_hash = listed.transaction;
        shown.event =
            Some(ProvenEvent::Move(ProvenMoveEvent { event, event_count, transaction_hash }));
        Ok(())
    }
}

fn check_length(bytes: &[u8], field: &'static str) -> Result<(), LedgerError> {
    if bytes.len() > TRANSACTION_BYTES_MAX {
        return Err(LedgerError::Field { field });
    }
    Ok(())
}

fn same(what: &'static str, got: Hash, expected: Hash) -> Result<(), LedgerError> {
    if got == expected { Ok(()) } else { Err(LedgerError::Mismatch { what, got, expected }) }
}
