//! Producers with keys: `count:u8 ‖ (producer:20 ‖ key:20)*`.

use alloc::collections::{BTreeMap, BTreeSet};
use alloc::vec::Vec;

use superroot_types::Address;

use super::run::RunBlock;
use crate::codec::ByteReader;
use crate::finality::verdict::Stop;
use crate::finality::{Refusal, Shortfall};

/// Most producers.
pub const PRODUCERS_MAX: usize = 27;
/// Least producers that build on a final block.
pub const QUORUM: usize = 19;
/// Least members of a set.
pub const MEMBERS_MIN: usize = 23;

const ADDRESS_BYTES: usize = 20;

/// Addresses of signing keys by producer, [`MEMBERS_MIN`] to [`PRODUCERS_MAX`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct ProducerList(BTreeMap<Address, Address>);

impl ProducerList {
    /// Reads producers by rising address.
    pub(super) fn read(reader: &mut ByteReader<'_>) -> Result<Self, Refusal> {
        let unread = Refusal::Encoding { part: "producers" };
        let count = reader.u8().map(usize::from).ok_or(unread)?;
        if !(MEMBERS_MIN..=PRODUCERS_MAX).contains(&count) {
            return Err(unread);
        }
        let mut address = || {
            let bytes = reader.bytes(ADDRESS_BYTES).and_then(|bytes| bytes.try_into().ok());
            bytes.map(Address).ok_or(unread)
        };
        let mut keys = BTreeMap::new();
        for _ in 0..count {
            let (producer, key) = (address()?, address()?);
            if keys.last_key_value().is_some_and(|(last, _)| *last >= producer) {
                return Err(Refusal::Order { what: "producers do not rise" });
            }
            keys.insert(producer, key);
        }
        Ok(Self(keys))
    }

    pub(super) fn put(&self, out: &mut Vec<u8>) {
        out.push(u8::try_from(self.0.len()).unwrap_or(u8::MAX));
        for (producer, key) in &self.0 {
            out.extend_from_slice(&producer.0);
            out.extend_from_slice(&key.0);
        }
    }

    pub(super) fn len(&self) -> usize {
        self.0.len()
    }

    /// Producers in a window with acceptable signing keys, by the first acceptable header each.
    pub(super) fn of_window(
        window: &[RunBlock],
        is_own_key: impl Fn(&Address, &Address) -> bool,
    ) -> Result<Self, Stop> {
        let mut keys = BTreeMap::new();
        for block in window {
            let Some(producer) = block.producer.filter(|one| !keys.contains_key(one)) else {
                continue;
            };
            let key = block.signer()?;
            if is_own_key(&producer, &key) {
                keys.insert(producer, key);
            }
        }
        let (got, expected) = (keys.len(), MEMBERS_MIN);
        if got < expected {
            return Err(few(got, PRODUCERS_MAX, expected));
        }
        if got > PRODUCERS_MAX {
            return Err(Refusal::Order { what: "more than 27 producers made the window" }.into());
        }
        Ok(Self(keys))
    }

    /// Members of the next list: with the keys that are in this list, or with own addresses as keys.
    pub(super) fn followed_by(&self, window: &[RunBlock]) -> Result<Self, Stop> {
        Self::of_window(window, |producer, key| {
            producer == key || self.0.get(producer) == Some(key)
        })
    }

    /// Checks that [`QUORUM`] members signed.
    pub(super) fn check_quorum(&self, blocks: &[RunBlock]) -> Result<(), Stop> {
        let members = || {
            blocks.iter().filter_map(|block| {
                let producer = block.producer?;
                self.0.get(&producer).map(|key| (block, producer, key))
            })
        };
        let named: BTreeSet<Address> = members().map(|(_, producer, _)| producer).collect();
        if named.len() < QUORUM {
            return Err(few(named.len(), self.len(), QUORUM));
        }
        let mut signed = BTreeSet::new();
        for (block, producer, key) in members() {
            if signed.len() < QUORUM && !signed.contains(&producer) && block.signer()? == *key {
                signed.insert(producer);
            }
        }
        let got = signed.len();
        if got < QUORUM { Err(few(got, self.len(), QUORUM)) } else { Ok(()) }
    }
}

fn few(got: usize, of: usize, expected: usize) -> Stop {
    let [got, of, expected] =
        [got, of, expected].map(|count| u64::try_from(count).unwrap_or(u64::MAX));
    Shortfall::Signers { got, of, expected }.into()
}
