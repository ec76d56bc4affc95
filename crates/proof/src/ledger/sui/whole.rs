//! Checkpoint with everything listed in its contents, for proof generation.

use alloc::vec::Vec;

use superroot_types::Hash;

use super::contents::Contents;
use super::effects::Effects;
use super::entry::{ContentsProof, TransactionEffects};
use super::events::read_events;
use super::summary::Header;
use super::{effects_digest, events_digest, transaction_digest};
use crate::codec::{ByteReader, put_long};
use crate::ledger::whole::WholeBody;
use crate::ledger::{NoEntry, ProofSubject};

/// Contents, and each transaction with its effects and events, in order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SuiCheckpoint {
    contents: Vec<u8>,
    transactions: Vec<Vec<u8>>,
    hashes: Vec<Hash>,
    outcomes: Vec<TransactionEffects>,
}

impl SuiCheckpoint {
    /// Checkpoint from its parts, with transactions hashed here; not compared with the contents.
    #[must_use]
    pub fn build(
        contents: Vec<u8>,
        transactions: Vec<Vec<u8>>,
        outcomes: Vec<TransactionEffects>,
    ) -> Self {
        let hashes = transactions.iter().map(|one| transaction_digest(one)).collect();
        Self { contents, transactions, hashes, outcomes }
    }

    /// Transaction hashes.
    #[must_use]
    pub fn hashes(&self) -> &[Hash] {
        &self.hashes
    }

    /// Transaction events in BCS; `None` without events or transaction.
    #[must_use]
    pub fn events(&self, tx_index: u32) -> Option<&[u8]> {
        self.outcome(tx_index)?.1.events.as_deref()
    }

    fn outcome(&self, tx_index: u32) -> Option<(&Vec<u8>, &TransactionEffects)> {
        let at = usize::try_from(tx_index).ok()?;
        Some((self.transactions.get(at)?, self.outcomes.get(at)?))
    }

    /// Whether the parts match the contents exactly.
    fn is_of(&self, contents: &Contents) -> bool {
        let count = contents.listed.len();
        let outcomes = self.outcomes.iter().zip(&contents.listed);
        self.transactions.len() == count
            && self.outcomes.len() == count
            && self.hashes.iter().zip(&contents.listed).all(|(got, one)| *got == one.transaction)
            && outcomes.into_iter().all(|(outcome, one)| {
                effects_digest(&outcome.effects) == one.effects
                    && Effects::decode(&outcome.effects).is_ok_and(|read| {
                        read.events_digest
                            == outcome.events.as_ref().map(|events| events_digest(events))
                    })
            })
    }
}

impl WholeBody for SuiCheckpoint {
    type Header = Header;
    type Entry = ContentsProof;

    /// Effects and events belong to a transaction's proof: there is no receipt list.
    fn has_events(&self) -> bool {
        false
    }

    fn byte_count(&self) -> usize {
        let outcomes = self.outcomes.iter();
        let outcomes = outcomes.flat_map(|one| [Some(&one.effects), one.events.as_ref()]).flatten();
        let parts = self.transactions.iter().chain(outcomes).chain([&self.contents]);
        parts.map(Vec::len).fold(0, usize::saturating_add)
    }

    fn leaves(&self) -> &[Vec<u8>] {
        &self.transactions
    }

    fn hashes(&self) -> &[Hash] {
        &self.hashes
    }

    fn is_under(&self, header: &Header) -> bool {
        Contents::decode(&self.contents)
            .is_ok_and(|contents| contents.digest == header.content_digest && self.is_of(&contents))
    }

    fn prove(
        &self,
        subject: ProofSubject,
        with_transaction: bool,
    ) -> Result<Option<ContentsProof>, NoEntry> {
        let found = |tx_index| self.outcome(tx_index).ok_or(NoEntry::NoTransaction { tx_index });
        let contents = self.contents.clone();
        Ok(Some(match subject {
            ProofSubject::Block => return Ok(None),
            ProofSubject::Transaction { tx_index } => {
                let (transaction, outcome) = found(tx_index)?;
                let outcome = TransactionEffects { effects: outcome.effects.clone(), events: None };
                let transaction = Some(transaction.clone());
                ContentsProof { contents, transaction, outcome: Some(outcome) }
            }
            ProofSubject::Absence { tx_index } if self.outcome(tx_index).is_some() => {
                return Err(NoEntry::Present { tx_index });
            }
            ProofSubject::Absence { .. } => {
                ContentsProof { contents, transaction: None, outcome: None }
            }
            ProofSubject::Log { tx_index, log_index } => {
                let (transaction, outcome) = found(tx_index)?;
                let events = outcome.events.as_ref().map(|events| read_events(events));
                let events = events.transpose().map_err(|error| NoEntry::damaged(&error))?;
                let count = events.map_or(0, |events| events.len());
                NoEntry::check_event(log_index, count, "event", "transaction")?;
                let transaction = with_transaction.then(|| transaction.clone());
                ContentsProof { contents, transaction, outcome: Some(outcome.clone()) }
            }
        }))
    }

    /// `length:u32 ‖ contents ‖ count:u32 ‖ (length:u32 ‖ transaction ‖ length:u32 ‖ effects ‖ 00 | 01 ‖ length:u32 ‖
    /// events)*`.
    fn encode(&self, out: &mut Vec<u8>) {
        put_long(out, &self.contents);
        let count = u32::try_from(self.transactions.len()).unwrap_or(u32::MAX);
        out.extend_from_slice(&count.to_be_bytes());
        for (transaction, outcome) in self.transactions.iter().zip(&self.outcomes) {
            put_long(out, transaction);
            put_long(out, &outcome.effects);
            out.push(u8::from(outcome.events.is_some()));
            outcome.events.iter().for_each(|events| put_long(out, events));
        }
    }

    fn decode(reader: &mut ByteReader<'_>) -> Option<Self> {
        let contents = reader.long()?.to_vec();
        let count = reader.u32()?;
        let mut transactions = Vec::new();
        let mut outcomes = Vec::new(); // grow with what is there
        for _ in 0..count {
            transactions.push(reader.long()?.to_vec());
            let effects = reader.long()?.to_vec();
            let events = match reader.u8()? {
                0 => None,
                1 => Some(reader.long()?.to_vec()),
                _ => return None,
            };
            outcomes.push(TransactionEffects { effects, events });
        }
        Some(Self::build(contents, transactions, outcomes))
    }
}
