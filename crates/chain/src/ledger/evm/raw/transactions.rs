use core::fmt;

use serde::de::value::MapAccessDeserializer;
use serde::de::{Error, MapAccess, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use superroot_types::Hash;

use super::RawEvmTransaction;

/// A block's transactions, as sent by the node.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum RawTransactions {
    /// All fields of all transactions; also an empty list.
    Full(Vec<RawEvmTransaction>),
    Hashes(Vec<Hash>),
    #[default]
    Absent,
}

impl RawTransactions {
    #[must_use]
    pub const fn count(&self) -> Option<usize> {
        match self {
            Self::Full(transactions) => Some(transactions.len()),
            Self::Hashes(hashes) => Some(hashes.len()),
            Self::Absent => None,
        }
    }

    #[must_use]
    pub const fn is_absent(&self) -> bool {
        matches!(self, Self::Absent)
    }

    /// Claimed hash of the transaction at an index.
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
                ListedTransaction::Hash(hash) => hashes.push(hash),
                ListedTransaction::Full(transaction) => transactions.push(*transaction),
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

enum ListedTransaction {
    Hash(Hash),
    Full(Box<RawEvmTransaction>),
}

impl<'de> Deserialize<'de> for ListedTransaction {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(EntryVisitor)
    }
}

struct EntryVisitor;

impl<'de> Visitor<'de> for EntryVisitor {
    type Value = ListedTransaction;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a transaction or its hash")
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<ListedTransaction, E> {
        text.parse().map(ListedTransaction::Hash).map_err(E::custom)
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<ListedTransaction, A::Error> {
        let transaction = RawEvmTransaction::deserialize(MapAccessDeserializer::new(map))?;
        Ok(ListedTransaction::Full(Box::new(transaction)))
    }
}
