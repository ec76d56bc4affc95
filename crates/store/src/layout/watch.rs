//! Watch lists: events kept with their transactions.

mod text;
mod topics;

use std::collections::BTreeSet;

use superroot_proof::hash::keccak256;
use superroot_types::{Address, Hash};

use super::StoredRow;
use crate::codec::{Decoder, Encoder};
use crate::{StoreError, Table};

pub use text::ParseWatchError;

/// Filter for a chain's block entries. A log passes if its address or any topic, at any position, is listed; an entry
/// passes if any log passes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum WatchFilter {
    /// All entries in all blocks.
    #[default]
    All,
    /// Entries with a listed event. With both lists empty, only headers are kept.
    Some {
        /// Contracts whose events are kept.
        addresses: BTreeSet<Address>,
        /// Topics whose events are kept.
        topics: BTreeSet<Hash>,
    },
}

impl WatchFilter {
    /// Empty list: headers only.
    #[must_use]
    pub const fn nothing() -> Self {
        Self::Some { addresses: BTreeSet::new(), topics: BTreeSet::new() }
    }

    /// Whether no entry can pass.
    #[must_use]
    pub fn is_nothing(&self) -> bool {
        matches!(self, Self::Some { addresses, topics } if addresses.is_empty() && topics.is_empty())
    }

    /// Returns the union.
    #[must_use]
    pub fn and(self, other: Self) -> Self {
        match (self, other) {
            (
                Self::Some { mut addresses, mut topics },
                Self::Some { addresses: more_addresses, topics: more_topics },
            ) => {
                addresses.extend(more_addresses);
                topics.extend(more_topics);
                Self::Some { addresses, topics }
            }
            (Self::All, _) | (_, Self::All) => Self::All,
        }
    }

    /// Returns the difference, this list without `other`: blocks kept under `other`, with the difference added, are
    /// kept under this list. [`WatchFilter::All`] without a limited list stays [`WatchFilter::All`].
    #[must_use]
    pub fn without(&self, other: &Self) -> Self {
        match (self, other) {
            (_, Self::All) => Self::nothing(),
            (Self::All, Self::Some { .. }) => Self::All,
            (
                Self::Some { addresses, topics },
                Self::Some { addresses: had, topics: topics_had },
            ) => Self::Some {
                addresses: addresses.difference(had).copied().collect(),
                topics: topics.difference(topics_had).copied().collect(),
            },
        }
    }

    /// Returns the list's id: keccak-256 over its row.
    #[must_use]
    pub fn hash(&self) -> Hash {
        keccak256(&self.encode())
    }

    /// `00` for all; `01 ‖ count:u32 ‖ address:20* ‖ count:u32 ‖ topic:32*`, each rising.
    pub(crate) fn encode(&self) -> Vec<u8> {
        let mut out = Encoder::new();
        let Self::Some { addresses, topics } = self else { return out.flag(false).finish() };
        let count = |length: usize| u32::try_from(length).expect("a list is bounded by its row");
        out.flag(true).u32(count(addresses.len()));
        for address in addresses {
            out.raw(&address.0);
        }
        out.u32(count(topics.len()));
        for topic in topics {
            out.hash(topic);
        }
        out.finish()
    }

    fn read(bytes: &[u8]) -> Option<Self> {
        let mut row = Decoder::new(bytes);
        if !row.flag()? {
            return row.finish(Self::All);
        }
        let addresses = rising(&mut row, |row| row.array().map(Address))?;
        let topics = rising(&mut row, Decoder::hash)?;
        row.finish(Self::Some { addresses, topics })
    }
}

/// Decodes a counted list in strictly ascending order.
fn rising<'a, T: Ord + Copy>(
    row: &mut Decoder<'a>,
    read: impl Fn(&mut Decoder<'a>) -> Option<T>,
) -> Option<BTreeSet<T>> {
    let mut items = BTreeSet::new(); // grows with what is really there, not with what is claimed
    for _ in 0..row.u32()? {
        let item = read(row)?;
        if items.last().is_some_and(|last| *last >= item) {
            return None;
        }
        items.insert(item);
    }
    Some(items)
}

impl StoredRow for WatchFilter {
    fn decode(key: &[u8], bytes: &[u8]) -> Result<Self, StoreError> {
        Self::read(bytes).ok_or_else(|| StoreError::corrupt(Table::Watch, key, "not a watch list"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn watch(addresses: &BTreeSet<[u8; 20]>, topics: &BTreeSet<[u8; 32]>) -> WatchFilter {
        WatchFilter::Some {
            addresses: addresses.iter().copied().map(Address).collect(),
            topics: topics.iter().copied().map(Hash).collect(),
        }
    }

    proptest! {
        #[test]
        fn what_a_list_lacks_makes_it_whole(
            one: BTreeSet<[u8; 20]>, other: BTreeSet<[u8; 20]>,
            topics: BTreeSet<[u8; 32]>, other_topics: BTreeSet<[u8; 32]>,
        ) {
            let (one, other) = (watch(&one, &topics), watch(&other, &other_topics));
            prop_assert_eq!(other.clone().and(one.without(&other)), other.clone().and(one.clone()));
            prop_assert!(one.without(&one).is_nothing() && one.without(&WatchFilter::All).is_nothing());
            prop_assert_eq!(one.without(&WatchFilter::nothing()), one.clone());
            prop_assert_eq!(WatchFilter::All.without(&one), WatchFilter::All);
        }

        #[test]
        fn a_list_leads_back_and_has_one_encoding(
            addresses: BTreeSet<[u8; 20]>,
            topics: BTreeSet<[u8; 32]>,
            at: prop::sample::Index,
            byte: u8,
        ) {
            let list = watch(&addresses, &topics);
            let mut bytes = list.encode();
            prop_assert_eq!(&WatchFilter::decode(b"", &bytes).unwrap(), &list);
            prop_assert!(WatchFilter::decode(b"", &bytes[..at.index(bytes.len())]).is_err());
            let at = at.index(bytes.len());
            bytes[at] = byte;
            if let Ok(read) = WatchFilter::decode(b"", &bytes) {
                prop_assert_eq!(read.encode(), bytes);
            }
        }

        #[test]
        fn no_bytes_make_a_list_panic(bytes: Vec<u8>) {
            let _ = WatchFilter::decode(b"", &bytes);
        }
    }

    #[test]
    fn different_lists_have_different_names() {
        let one = BTreeSet::from([[1; 20]]);
        let lists = [
            WatchFilter::All,
            WatchFilter::nothing(),
            watch(&one, &BTreeSet::new()),
            watch(&BTreeSet::new(), &BTreeSet::from([[1; 32]])),
            watch(&one, &BTreeSet::from([[1; 32]])),
        ];
        let names: BTreeSet<Hash> = lists.iter().map(WatchFilter::hash).collect();
        assert_eq!(names.len(), lists.len());
        assert!(WatchFilter::nothing().is_nothing() && !WatchFilter::All.is_nothing());
        assert!(!lists[2].is_nothing() && !lists[3].is_nothing());
    }
}
