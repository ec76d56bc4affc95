//! The list of transactions of a block, in the three forms nodes send it.

use core::fmt;

use serde::de::value::MapAccessDeserializer;
use serde::de::{Error, MapAccess, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use superroot_types::Hash;

use super::RawTransaction;

/// The transactions of a block, as far as the node gave them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum RawTransactions {
    /// Every field of every transaction; also an empty list.
    Full(Vec<RawTransaction>),
    /// Hashes alone, at least one.
    Hashes(Vec<Hash>),
    /// Not sent.
    #[default]
    Absent,
}

impl RawTransactions {
    /// How many there are, if the node said.
    #[must_use]
    pub const fn count(&self) -> Option<usize> {
        match self {
            Self::Full(transactions) => Some(transactions.len()),
            Self::Hashes(hashes) => Some(hashes.len()),
            Self::Absent => None,
        }
    }

    /// Whether the node sent none.
    #[must_use]
    pub const fn is_absent(&self) -> bool {
        matches!(self, Self::Absent)
    }

    /// The hash the node claims for the transaction at that place.
    #[must_use]
    pub fn claimed_hash(&self, tx_index: usize) -> Option<&Hash> {
        match self {
            Self::Full(transactions) => transactions.get(tx_index).map(|raw| &raw.hash),
            Self::Hashes(hashes) => hashes.get(tx_index),
            Self::Absent => None,
        }
    }
}

impl Serialize for RawTransactions {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Full(transactions) => transactions.serialize(serializer),
            Self::Hashes(hashes) => hashes.serialize(serializer),
            Self::Absent => serializer.serialize_none(),
        }
    }
}

impl<'de> Deserialize<'de> for RawTransactions {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(TransactionsVisitor)
    }
}

struct TransactionsVisitor;

impl<'de> Visitor<'de> for TransactionsVisitor {
    type Value = RawTransactions;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a list of transactions, a list of hashes, or null")
    }

    fn visit_unit<E: Error>(self) -> Result<RawTransactions, E> {
        Ok(RawTransactions::Absent)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<RawTransactions, A::Error> {
        let mut hashes = Vec::new();
        let mut transactions = Vec::new();
        while let Some(entry) = list.next_element()? {
            match entry {
                Entry::Hash(hash) => hashes.push(hash),
                Entry::Full(transaction) => transactions.push(*transaction),
            }
            if !hashes.is_empty() && !transactions.is_empty() {
                return Err(A::Error::custom("transactions mix hashes and full entries"));
            }
        }
        if hashes.is_empty() {
            Ok(RawTransactions::Full(transactions))
        } else {
            Ok(RawTransactions::Hashes(hashes))
        }
    }
}

/// One entry of a transaction list.
enum Entry {
    Hash(Hash),
    Full(Box<RawTransaction>),
}

impl<'de> Deserialize<'de> for Entry {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(EntryVisitor)
    }
}

struct EntryVisitor;

impl<'de> Visitor<'de> for EntryVisitor {
    type Value = Entry;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a transaction or its hash")
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<Entry, E> {
        text.parse().map(Entry::Hash).map_err(E::custom)
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Entry, A::Error> {
        let transaction = RawTransaction::deserialize(MapAccessDeserializer::new(map))?;
        Ok(Entry::Full(Box::new(transaction)))
    }
}
