//! Open challenges in the store, bounded by place and in all.
//!
//! | key, each behind `environment:u8` | row |
//! |---|---|
//! | `1 ‖ nonce:16` | [`Open`] |
//! | `2 ‖ place:16 ‖ expiry:8 ‖ nonce:16` | `1` |
//! | `3 ‖ expiry:8 ‖ nonce:16` | `place:16` |
//! | `4` | how many there are |
//!
//! Every change expects the count as it was read, so those of several nodes come one after the
//! other, and no bound is passed.

use serde::{Deserialize, Serialize};
use superroot_store::{Batch, Direction, Row, Store, StoreError, Table};
use superroot_types::{Address, ChainId, Hash, UnixSeconds};

use super::WalletConfig;
use super::message::{NONCE_BYTES, Nonce};
use crate::limit::AddressPrefix;
use crate::place::{after, world};
use crate::row::{self, Held};
use crate::{AccountError, Environment};

const OPEN: u8 = 1;
const BY_PLACE: u8 = 2;
const BY_EXPIRY: u8 = 3;
const COUNT: u8 = 4;

/// Rows dropped in one commit at most.
const DROPPED_MAX: usize = 256;

/// Where a challenge was asked from: an IPv4 address, mapped, or a /48 of IPv6.
pub(super) type Place = [u8; 16];

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
    /// Times that nodes may still be asked about it.
    pub(super) checks_left: u32,
}

impl Open {
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
    fn key(&self, kind: u8, parts: &[&[u8]]) -> Vec<u8> {
        [&[world(self.environment), kind][..], &parts.concat()].concat()
    }

    fn corrupt<T>(key: &[u8]) -> Result<T, AccountError> {
        let why = "not an entry of open challenges";
        Err(StoreError::Corrupt { table: Table::Challenge, key: key.to_vec(), why }.into())
    }

    pub(super) fn load(&self, nonce: &Nonce) -> Result<Option<Held<Open>>, AccountError> {
        row::load(self.store, Table::Challenge, &self.key(OPEN, &[nonce]))
    }

    fn count(&self) -> Result<Option<Held<u64>>, AccountError> {
        row::load(self.store, Table::Challenge, &self.key(COUNT, &[]))
    }

    fn scan(&self, start: &[u8], end: &[u8], limit: usize) -> Result<Vec<Row>, AccountError> {
        let rows = self.store.scan(Table::Challenge, start, Some(end), limit, Direction::Rising)?;
        Ok(rows)
    }

    /// Refuses a place that has as many open as it may have.
    fn check_place(&self, place: &Place, now: UnixSeconds, max: usize) -> Result<(), AccountError> {
        let next = now.0.saturating_add(1).to_be_bytes();
        let start = self.key(BY_PLACE, &[place, &next]);
        let end = self.end(BY_PLACE, place);
        let open = self.scan(&start, &end, max)?;
        let (Some((first, _)), true) = (open.first(), open.len() >= max) else { return Ok(()) };
        let expiry = first.get(18..26).and_then(|bytes| bytes.try_into().ok());
        let Some(expiry) = expiry.map(u64::from_be_bytes) else { return Self::corrupt(first) };
        let retry_after_seconds = expiry.saturating_sub(now.0).max(1);
        Err(AccountError::ChallengesOpen { expected: max, retry_after_seconds })
    }

    /// The first key behind all of a kind that go on with `part`.
    fn end(&self, kind: u8, part: &[u8]) -> Vec<u8> {
        after(&self.key(kind, &[part])).unwrap_or_else(|| vec![u8::MAX; 64])
    }

    /// Takes out at most `limit` of those that expire before `end`, the oldest first; how many.
    fn take_out_before(
        &self,
        batch: &mut Batch,
        end: &[u8],
        limit: usize,
    ) -> Result<u64, AccountError> {
        let expired = self.scan(&self.key(BY_EXPIRY, &[]), end, limit)?;
        for (key, place) in &expired {
            let (Some(expiry), Some(nonce)) = (key.get(2..10), key.get(10..10 + NONCE_BYTES))
            else {
                return Self::corrupt(key);
            };
            batch.delete(Table::Challenge, self.key(OPEN, &[nonce]));
            batch.delete(Table::Challenge, self.key(BY_PLACE, &[place, expiry, nonce]));
            batch.delete(Table::Challenge, key.clone());
        }
        Ok(expired.len() as u64)
    }

    fn put_count(&self, batch: &mut Batch, held: Option<&Held<u64>>, count: u64) {
        let key = self.key(COUNT, &[]);
        batch.expect(Table::Challenge, key.clone(), held.map(|held| &held.bytes[..]));
        batch.put(Table::Challenge, key, row::encode(&count));
    }

    /// Adds one, and takes out what expired; past the bound in all the oldest as well.
    ///
    /// # Errors
    /// [`AccountError::ChallengesOpen`], [`AccountError::Contended`], [`AccountError::Store`].
    pub(super) fn add(
        &self,
        config: &WalletConfig,
        nonce: &Nonce,
        open: &Open,
        now: UnixSeconds,
    ) -> Result<(), AccountError> {
        row::commit(self.store, Table::Challenge, || {
            // the count that the commit expects comes first, so that nobody adds between it and the rest
            let held = self.count()?;
            self.check_place(&open.place, now, config.open_per_prefix_max)?;
            let mut batch = Batch::new();
            let before = held.as_ref().map_or(0, |held| held.value);
            let ended = self.key(BY_EXPIRY, &[&now.0.saturating_add(1).to_be_bytes()]);
            let mut gone = self.take_out_before(&mut batch, &ended, DROPPED_MAX)?;
            let over =
                before.saturating_sub(gone).saturating_add(1).saturating_sub(config.open_max);
            if gone == 0 && over > 0 {
                let limit = usize::try_from(over).unwrap_or(DROPPED_MAX).min(DROPPED_MAX);
                gone = self.take_out_before(&mut batch, &self.end(BY_EXPIRY, &[]), limit)?;
            }
            let expiry = open.expires_at.0.to_be_bytes();
            batch.expect(Table::Challenge, self.key(OPEN, &[nonce]), None);
            batch.put(Table::Challenge, self.key(OPEN, &[nonce]), row::encode(open));
            let by_place = self.key(BY_PLACE, &[&open.place, &expiry, nonce]);
            batch.put(Table::Challenge, by_place, [1]);
            batch.put(Table::Challenge, self.key(BY_EXPIRY, &[&expiry, nonce]), open.place);
            let count = before.saturating_sub(gone).saturating_add(1);
            self.put_count(&mut batch, held.as_ref(), count);
            Ok((batch, ()))
        })
    }

    /// Takes one out: whoever gets it is the only one.
    ///
    /// # Errors
    /// [`AccountError::UnknownChallenge`] where it is gone; as [`Rows::add`].
    pub(super) fn take(&self, nonce: &Nonce) -> Result<Open, AccountError> {
        row::commit(self.store, Table::Challenge, || {
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
        let count = self.count()?;
        let (key, expiry) = (self.key(OPEN, &[nonce]), open.value.expires_at.0.to_be_bytes());
        batch.expect(Table::Challenge, key.clone(), Some(&open.bytes));
        batch.delete(Table::Challenge, key);
        let by_place = self.key(BY_PLACE, &[&open.value.place, &expiry, nonce]);
        batch.delete(Table::Challenge, by_place);
        batch.delete(Table::Challenge, self.key(BY_EXPIRY, &[&expiry, nonce]));
        let left = count.as_ref().map_or(0, |held| held.value).saturating_sub(1);
        self.put_count(batch, count.as_ref(), left);
        Ok(open.value)
    }

    /// Counts one question to nodes about it.
    ///
    /// # Errors
    /// [`AccountError::Tries`] where there were enough; as [`Rows::take`].
    pub(super) fn count_check(&self, nonce: &Nonce) -> Result<(), AccountError> {
        row::commit(self.store, Table::Challenge, || {
            let open = self.load(nonce)?.ok_or(AccountError::UnknownChallenge)?;
            let left = open.value.checks_left.checked_sub(1).ok_or(AccountError::Tries)?;
            let mut batch = Batch::new();
            let key = self.key(OPEN, &[nonce]);
            batch.expect(Table::Challenge, key.clone(), Some(&open.bytes));
            let open = Open { checks_left: left, ..open.value };
            batch.put(Table::Challenge, key, row::encode(&open));
            Ok((batch, ()))
        })
    }

    /// Takes out what has expired, a bounded number in one commit; how many.
    ///
    /// # Errors
    /// As [`Rows::add`].
    pub(super) fn prune(&self, now: UnixSeconds) -> Result<u64, AccountError> {
        row::commit(self.store, Table::Challenge, || {
            let held = self.count()?;
            let mut batch = Batch::new();
            let ended = self.key(BY_EXPIRY, &[&now.0.saturating_add(1).to_be_bytes()]);
            let gone = self.take_out_before(&mut batch, &ended, DROPPED_MAX)?;
            if gone > 0 {
                let before = held.as_ref().map_or(0, |held| held.value);
                self.put_count(&mut batch, held.as_ref(), before.saturating_sub(gone));
            }
            Ok((batch, gone))
        })
    }

    pub(super) fn open(
        terms: &super::message::Terms,
        hash: Hash,
        place: Place,
        checks_left: u32,
    ) -> Open {
        let super::message::Terms { wallet, chain, issued_at, expires_at, .. } = *terms;
        Open { wallet, chain_id: chain.0, hash, issued_at, expires_at, place, checks_left }
    }
}

#[cfg(test)]
impl Rows<'_> {
    /// How many there are by the count, and rows of each of the three kinds.
    pub(super) fn census(&self) -> (u64, [usize; 3]) {
        let kinds = [OPEN, BY_PLACE, BY_EXPIRY];
        let of = |kind| self.scan(&self.key(kind, &[]), &self.end(kind, &[]), usize::MAX);
        (
            self.count().unwrap().map_or(0, |held| held.value),
            kinds.map(|kind| of(kind).unwrap().len()),
        )
    }
}
