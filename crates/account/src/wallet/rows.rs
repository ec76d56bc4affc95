//! Open challenges in the store, bounded by place and in all.
//!
//! | key, each behind `environment:u8` | row |
//! |---|---|
//! | `1 ‖ nonce:16` | [`Open`] |
//! | `2 ‖ place:16 ‖ slot:u16` | `expiry:u64 ‖ nonce:16` of the challenge in that slot |
//! | `3 ‖ expiry:u64 ‖ nonce:16` | `place:16 ‖ slot:u16` |
//!
//! A place has as many slots as it may have challenges: whoever takes a slot expects it as it was read,
//! so no place passes its bound, and no place waits for another. The bound in all is each process's own
//! count.

use std::sync::atomic::{AtomicU64, Ordering};

use serde::{Deserialize, Serialize};
use superroot_store::{Batch, Direction, Row, Store, StoreError, Table};
use superroot_types::{Address, ChainId, Hash, UnixSeconds};

use super::WalletConfig;
use super::message::Nonce;
use crate::limit::AddressPrefix;
use crate::place::{after, next};
use crate::row::{self, Held};
use crate::{AccountError, Environment};

const TABLE: Table = Table::Challenge;

const OPEN: u8 = 1;
const SLOT: u8 = 2;
const EXPIRY: u8 = 3;

/// Rows dropped in one commit at most.
const DROPPED_MAX: usize = 256;
/// Rows read at one time where all are counted.
const PAGE: usize = 1_000;
/// Past the bound in all one of so many of the oldest gives way, by chance: two that are given out at
/// one time do not both wait for the same.
const OLDEST_MAX: usize = 32;

/// Where a challenge was asked from: an IPv4 address, mapped, or a /48 of IPv6.
pub(super) type Place = [u8; 16];

/// A key of an open challenge.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Key {
    Open(Nonce),
    Slot(Place, u16),
    Expiry(UnixSeconds, Nonce),
}

impl Key {
    fn encode(self, environment: Environment) -> Vec<u8> {
        let world = environment.byte();
        match self {
            Self::Open(nonce) => [&[world, OPEN][..], &nonce].concat(),
            Self::Slot(place, slot) => [&[world, SLOT][..], &place, &slot.to_be_bytes()].concat(),
            Self::Expiry(at, nonce) => [&[world, EXPIRY][..], &at.0.to_be_bytes(), &nonce].concat(),
        }
    }

    fn decode(key: &[u8]) -> Option<(Environment, Self)> {
        let (world, rest) = key.split_first()?;
        let key = match rest {
            [OPEN, nonce @ ..] => Self::Open(nonce.try_into().ok()?),
            [SLOT, rest @ ..] => {
                let (place, slot) = rest.split_first_chunk()?;
                Self::Slot(*place, u16::from_be_bytes(slot.try_into().ok()?))
            }
            [EXPIRY, rest @ ..] => {
                let (at, nonce) = rest.split_first_chunk()?;
                Self::Expiry(UnixSeconds(u64::from_be_bytes(*at)), nonce.try_into().ok()?)
            }
            _ => return None,
        };
        Some((Environment::from_byte(*world)?, key))
    }
}

/// A challenge that was given out and did not come back.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Open {
    /// Who is to sign.
    pub(super) wallet: Address,
    /// The chain that the message names.
    pub(super) chain_id: u64,
    /// EIP-191 hash of the message.
    pub(super) hash: Hash,
    pub(super) issued_at: UnixSeconds,
    /// First second it does not count any more.
    pub(super) expires_at: UnixSeconds,
    place: Place,
    slot: u16,
    /// Times that nodes may still be asked about it.
    pub(super) checks_left: u32,
}

impl Open {
    pub(super) fn new(
        terms: &super::message::Terms,
        hash: Hash,
        place: Place,
        checks_left: u32,
    ) -> Self {
        let super::message::Terms { wallet, chain, issued_at, expires_at, .. } = *terms;
        Self { wallet, chain_id: chain.0, hash, issued_at, expires_at, place, slot: 0, checks_left }
    }

    pub(super) fn chain(&self) -> ChainId {
        ChainId(self.chain_id)
    }
}

/// The place an address prefix lies in.
pub(super) fn place_of(prefix: AddressPrefix) -> Place {
    let mut place = prefix.octets();
    let is_v4 = place.starts_with(&[0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff]);
    if !is_v4 {
        place[6..].fill(0);
    }
    place
}

/// Open challenges of one environment.
#[derive(Clone, Copy)]
pub(super) struct Rows<'a> {
    pub(super) store: &'a dyn Store,
    pub(super) environment: Environment,
}

impl Rows<'_> {
    fn key(&self, key: Key) -> Vec<u8> {
        key.encode(self.environment)
    }

    fn scan(&self, start: &[u8], end: &[u8], limit: usize) -> Result<Vec<Row>, AccountError> {
        Ok(self.store.scan(TABLE, start, Some(end), limit, Direction::Rising)?)
    }

    pub(super) fn load(&self, nonce: &Nonce) -> Result<Option<Held<Open>>, AccountError> {
        Ok(row::load(self.store, TABLE, &self.key(Key::Open(*nonce)))?)
    }

    /// A slot of a place that is free, or whose challenge is over, with the row it has.
    ///
    /// # Errors
    /// [`AccountError::ChallengesOpen`] where there is none.
    fn find_slot(
        &self,
        place: &Place,
        now: UnixSeconds,
        slots: usize,
    ) -> Result<(u16, Option<Vec<u8>>), AccountError> {
        let most = u16::try_from(slots).unwrap_or(u16::MAX);
        let (start, end) = (self.key(Key::Slot(*place, 0)), self.key(Key::Slot(*place, most)));
        let mut first_over = u64::MAX;
        let mut expected = 0;
        for (key, row) in self.scan(&start, &end, slots)? {
            let (_, slot) = place_in(&key)?;
            if slot != expected {
                return Ok((expected, None));
            }
            let (expiry, _) = challenge_in(&key, &row)?;
            if expiry <= now {
                return Ok((slot, Some(row)));
            }
            first_over = first_over.min(expiry.0);
            expected = slot.saturating_add(1);
        }
        if expected < most {
            return Ok((expected, None));
        }
        let retry_after_seconds = first_over.saturating_sub(now.0).max(1);
        Err(AccountError::ChallengesOpen { expected: slots, retry_after_seconds })
    }

    /// Takes the challenge of an expiry's row out, if that row is still there when the batch is
    /// committed.
    fn stage_drop(&self, batch: &mut Batch, (key, row): &Row) -> Result<(), AccountError> {
        let Some((_, Key::Expiry(_, nonce))) = Key::decode(key) else { return corrupt(key) };
        let Some((place, slot)) = row.split_first_chunk::<16>() else { return corrupt(key) };
        let Ok(slot) = slot.try_into().map(u16::from_be_bytes) else { return corrupt(key) };
        batch.expect(TABLE, key.clone(), Some(row));
        batch.delete(TABLE, key.clone());
        batch.delete(TABLE, self.key(Key::Open(nonce)));
        batch.delete(TABLE, self.key(Key::Slot(*place, slot)));
        Ok(())
    }

    /// The oldest by their expiry, before a time where one is given.
    fn oldest(&self, before: Option<UnixSeconds>, limit: usize) -> Result<Vec<Row>, AccountError> {
        let prefix = [self.environment.byte(), EXPIRY];
        let end = match before {
            Some(at) => self.key(Key::Expiry(at, [0; 16])),
            None => after(&prefix).unwrap_or_default(),
        };
        self.scan(&prefix, &end, limit)
    }

    /// Adds one; past the bound in all one of the oldest goes. `count` is what this process counts.
    ///
    /// # Errors
    /// [`AccountError::ChallengesOpen`], [`AccountError::Contended`], [`AccountError::Store`].
    pub(super) fn add(
        &self,
        config: &WalletConfig,
        count: &AtomicU64,
        nonce: &Nonce,
        open: &Open,
        now: UnixSeconds,
    ) -> Result<(), AccountError> {
        let more = row::commit::<_, AccountError>(self.store, TABLE, || {
            let mut batch = Batch::new();
            let mut more = 1_i64;
            let (slot, over) = self.find_slot(&open.place, now, config.open_per_prefix_max)?;
            let slot_key = self.key(Key::Slot(open.place, slot));
            if let Some(row) = &over {
                let (expiry, nonce) = challenge_in(&slot_key, row)?;
                batch.delete(TABLE, self.key(Key::Open(nonce)));
                batch.delete(TABLE, self.key(Key::Expiry(expiry, nonce)));
                more -= 1;
            } else if count.load(Ordering::Relaxed) >= config.open_max {
                let among = usize::try_from(config.open_max / 4).unwrap_or(OLDEST_MAX);
                let oldest = self.oldest(None, among.clamp(1, OLDEST_MAX))?;
                let pick = usize::from(nonce[0]) % oldest.len().max(1);
                if let Some(oldest) = oldest.get(pick) {
                    self.stage_drop(&mut batch, oldest)?;
                    more -= 1;
                }
            }
            let expiry = open.expires_at;
            batch.expect(TABLE, slot_key.clone(), over.as_deref());
            batch.put(TABLE, slot_key, [&expiry.0.to_be_bytes()[..], nonce].concat());
            let open = Open { slot, ..open.clone() };
            row::replace(&mut batch, TABLE, self.key(Key::Open(*nonce)), None, &open);
            let place = [&open.place[..], &slot.to_be_bytes()].concat();
            batch.put(TABLE, self.key(Key::Expiry(expiry, *nonce)), place);
            Ok((batch, more))
        })?;
        count.fetch_add(u64::try_from(more).unwrap_or(0), Ordering::Relaxed);
        Ok(())
    }

    /// Takes one out: whoever gets it is the only one.
    ///
    /// # Errors
    /// [`AccountError::UnknownChallenge`] where it is gone; as [`Rows::add`].
    pub(super) fn take(&self, nonce: &Nonce) -> Result<Open, AccountError> {
        row::commit(self.store, TABLE, || {
            let mut batch = Batch::new();
            let open = self.stage_take(&mut batch, nonce)?;
            Ok((batch, open))
        })
    }

    /// Puts into `batch` that one is taken out, if it is still there when the batch is committed.
    ///
    /// # Errors
    /// [`AccountError::UnknownChallenge`] where it is gone, [`AccountError::Store`].
    pub(super) fn stage_take(
        &self,
        batch: &mut Batch,
        nonce: &Nonce,
    ) -> Result<Open, AccountError> {
        let open = self.load(nonce)?.ok_or(AccountError::UnknownChallenge)?;
        let key = self.key(Key::Open(*nonce));
        batch.expect(TABLE, key.clone(), Some(&open.bytes));
        batch.delete(TABLE, key);
        batch.delete(TABLE, self.key(Key::Slot(open.value.place, open.value.slot)));
        batch.delete(TABLE, self.key(Key::Expiry(open.value.expires_at, *nonce)));
        Ok(open.value)
    }

    /// Counts one question to nodes about it.
    ///
    /// # Errors
    /// [`AccountError::Tries`] where there were enough; as [`Rows::take`].
    pub(super) fn count_check(&self, nonce: &Nonce) -> Result<(), AccountError> {
        row::commit(self.store, TABLE, || {
            let open = self.load(nonce)?.ok_or(AccountError::UnknownChallenge)?;
            let left = open.value.checks_left.checked_sub(1).ok_or(AccountError::Tries)?;
            let mut batch = Batch::new();
            let changed = Open { checks_left: left, ..open.value };
            let key = self.key(Key::Open(*nonce));
            row::replace(&mut batch, TABLE, key, Some(&open.bytes), &changed);
            Ok((batch, ()))
        })
    }

    /// Takes out what has expired, a bounded number in one commit; how many.
    ///
    /// # Errors
    /// As [`Rows::add`].
    pub(super) fn prune(&self, now: UnixSeconds) -> Result<u64, AccountError> {
        row::commit(self.store, TABLE, || {
            let mut batch = Batch::new();
            let end = UnixSeconds(now.0.saturating_add(1));
            let over = self.oldest(Some(end), DROPPED_MAX)?;
            over.iter().try_for_each(|row| self.stage_drop(&mut batch, row))?;
            Ok((batch, over.len() as u64))
        })
    }

    /// How many there are: reads all, page by page.
    ///
    /// # Errors
    /// [`AccountError::Store`].
    pub(super) fn count(&self) -> Result<u64, AccountError> {
        self.count_of(EXPIRY)
    }

    fn count_of(&self, kind: u8) -> Result<u64, AccountError> {
        let mut start = vec![self.environment.byte(), kind];
        let end = after(&start).unwrap_or_default();
        let mut count = 0_u64;
        loop {
            let rows = self.scan(&start, &end, PAGE)?;
            count = count.saturating_add(rows.len() as u64);
            match rows.last() {
                Some((last, _)) if rows.len() == PAGE => start = next(last),
                Some(_) | None => return Ok(count),
            }
        }
    }
}

/// The place and the slot of a slot's key.
fn place_in(key: &[u8]) -> Result<(Place, u16), AccountError> {
    match Key::decode(key) {
        Some((_, Key::Slot(place, slot))) => Ok((place, slot)),
        _ => corrupt(key),
    }
}

/// The challenge that a slot's row names.
fn challenge_in(key: &[u8], row: &[u8]) -> Result<(UnixSeconds, Nonce), AccountError> {
    let parts = row.split_first_chunk::<8>();
    let Some((expiry, nonce)) = parts else { return corrupt(key) };
    let Ok(nonce) = nonce.try_into() else { return corrupt(key) };
    Ok((UnixSeconds(u64::from_be_bytes(*expiry)), nonce))
}

fn corrupt<T>(key: &[u8]) -> Result<T, AccountError> {
    let why = "not an entry of open challenges";
    Err(StoreError::Corrupt { table: TABLE, key: key.to_vec(), why }.into())
}

#[cfg(test)]
impl Rows<'_> {
    /// How many rows there are of each of the three kinds.
    pub(super) fn census(&self) -> [u64; 3] {
        [OPEN, SLOT, EXPIRY].map(|kind| self.count_of(kind).unwrap())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_of_every_kind_stand_as_they_are_pinned_and_read_back() {
        let (nonce, place) = ([9; 16], [7; 16]);
        let pinned = [
            (Key::Open(nonce), format!("0101{}", "09".repeat(16))),
            (Key::Slot(place, 3), format!("0102{}0003", "07".repeat(16))),
            (Key::Expiry(UnixSeconds(258), nonce), format!("0103{:016x}{}", 258, "09".repeat(16))),
        ];
        for (key, pinned) in pinned {
            let bytes = key.encode(Environment::Live);
            assert_eq!(const_hex::encode(&bytes), pinned);
            assert_eq!(Key::decode(&bytes), Some((Environment::Live, key)));
            assert_eq!(Key::decode(&bytes[..bytes.len() - 1]), None);
        }
    }
}
