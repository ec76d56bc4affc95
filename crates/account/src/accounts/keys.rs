//! Keys of an account: list, create, change, rotate, revoke.

use std::cmp::Reverse;

use superroot_store::{ScanOrder, Table, WriteBatch};
use superroot_types::UnixSeconds;

use super::Accounts;
use crate::account::Account;
use crate::actor::Actor;
use crate::changes::{Changed, note};
use crate::key::{CreatedKey, KeyChange, KeyRow, KeyState, NewKey};
use crate::place::AccountKey;
use crate::row::{self, RowSnapshot};
use crate::{AccountError, AccountId, KeyId, Scope, place};

/// Keys per read. The configuration bounds their number.
const KEYS_PAGE: usize = 1_000;

/// Longest life of a key, in seconds: a hundred years, so that no sum overflows.
const LIFE_SECONDS_MAX: u64 = 100 * 366 * 86_400;

impl Accounts {
    /// An account's keys, newest first, including keys that are over, as far as stored.
    pub fn keys(&self, id: AccountId) -> Result<Vec<KeyRow>, AccountError> {
        self.load_account(id)?;
        let mut keys = self.load_keys(id)?;
        keys.sort_by_key(|key| Reverse((key.created_at, key.id)));
        Ok(keys)
    }

    /// Creates a further key, in force at once.
    ///
    /// # Errors
    /// [`AccountError::Full`], [`AccountError::Scope`], [`AccountError::NoSuchRoute`], [`AccountError::KeyInText`],
    /// [`AccountError::Range`] for an expiry that is not ahead, [`AccountError::Beyond`] for rights beyond the acting
    /// key; errors of the actor; [`AccountError::Contended`], [`AccountError::Randomness`], [`AccountError::Store`].
    pub fn create_key(
        &self,
        actor: Actor<'_>,
        id: AccountId,
        new: &NewKey,
    ) -> Result<CreatedKey, AccountError> {
        new.scope.check(self.config.routes)?;
        row::commit(&*self.store, Table::AccountKey, || {
            let now = self.now();
            check_expiry(new.expires_at, now)?;
            let held = self.load_account(id)?;
            let issued = self.issue(id, new.clone(), now)?;
            let mut batch = WriteBatch::new();
            let subject = format!("account {id} key {}", issued.key.id);
            let act = ("create_key", subject.as_str());
            let reach = actor.admit(&*self.store, &mut batch, &held.value, act, now)?;
            reach.check_gives(&new.scope, new.expires_at, now)?;
            let keys = self.load_keys(id)?;
            let max = self.keys_max(&held.value, now)?;
            let active = keys.iter().filter(|key| key.state_at(now) == KeyState::Active).count();
            if active >= max {
                return Err(AccountError::Full { what: "keys", expected: max });
            }
            self.make_room(&mut batch, keys, max, now)?;
            self.put_new_key(&mut batch, &issued.key);
            self.put_account(&mut batch, &held, held.value.clone());
            Ok((batch, issued))
        })
    }

    /// Changes label, scope or expiry of a key in force.
    pub fn change_key(
        &self,
        actor: Actor<'_>,
        id: AccountId,
        key: KeyId,
        change: &KeyChange,
    ) -> Result<KeyRow, AccountError> {
        let chains = change.chains.as_ref();
        let routes = change.routes.as_ref();
        let asked = Scope { chains: chains.cloned().flatten(), routes: routes.cloned().flatten() };
        asked.check(self.config.routes)?;
        self.change(Table::AccountKey, || {
            let now = self.now();
            if let Some(expires_at) = change.expires_at {
                check_expiry(expires_at, now)?;
            }
            let account = self.load_account(id)?;
            let held = self.load_key_of(id, key)?;
            let mut batch = WriteBatch::new();
            let subject = format!("account {id} key {key}");
            let act = ("change_key", subject.as_str());
            let reach = actor.admit(&*self.store, &mut batch, &account.value, act, now)?;
            check_active(&held.value, now)?;
            reach.check_touches(&held.value, now)?;
            let mut changed = held.value.clone();
            changed.label = change.label.clone().unwrap_or(changed.label);
            // upon what stands as it is written: another change at this time may confine it as well
            let Scope { chains: held_chains, routes: held_routes } = changed.scope;
            changed.scope = Scope {
                chains: chains.cloned().unwrap_or(held_chains),
                routes: routes.cloned().unwrap_or(held_routes),
            };
            changed.expires_at = change.expires_at.unwrap_or(changed.expires_at);
            if chains.is_some() || routes.is_some() || change.expires_at.is_some() {
                reach.check_gives(&changed.scope, changed.ends_at(), now)?;
            }
            self.put_key(&mut batch, &held, &changed);
            note(&mut batch, &[Changed::Key(changed.hash)]);
            Ok((batch, changed))
        })
    }

    /// Revokes a key: refused here at once, and everywhere in under a second. A repeat is not an error.
    pub fn revoke_key(
        &self,
        actor: Actor<'_>,
        id: AccountId,
        key: KeyId,
    ) -> Result<KeyRow, AccountError> {
        self.change(Table::AccountKey, || {
            let now = self.now();
            let account = self.load_account(id)?;
            let held = self.load_key_of(id, key)?;
            let mut batch = WriteBatch::new();
            let subject = format!("account {id} key {key}");
            let act = ("revoke_key", subject.as_str());
            let reach = actor.admit(&*self.store, &mut batch, &account.value, act, now)?;
            if !reach.is(key) {
                reach.check_touches(&held.value, now)?;
            }
            let mut revoked = held.value.clone();
            revoked.revoked_at = Some(revoked.revoked_at.unwrap_or(now));
            self.put_key(&mut batch, &held, &revoked);
            note(&mut batch, &[Changed::Key(revoked.hash)]);
            Ok((batch, revoked))
        })
    }

    /// Replaces a key in force by a successor with the same label, scope and expiry. The old key remains valid for
    /// `grace_seconds` to one second more; a zero grace revokes the old key.
    ///
    /// # Errors
    /// [`AccountError::NoSuchKey`], [`AccountError::KeyState`], [`AccountError::Range`] for too long a grace,
    /// [`AccountError::Beyond`], [`AccountError::Full`]; errors of the actor; [`AccountError::Contended`],
    /// [`AccountError::Randomness`], [`AccountError::Store`].
    pub fn rotate_key(
        &self,
        actor: Actor<'_>,
        id: AccountId,
        key: KeyId,
        grace_seconds: u64,
    ) -> Result<CreatedKey, AccountError> {
        let most = self.config.keys.rotation_grace_seconds_max;
        if grace_seconds > most {
            let what = "grace_seconds";
            return Err(AccountError::Range { what, got: grace_seconds, least: 0, most });
        }
        self.change(Table::AccountKey, || {
            let now = self.now();
            let account = self.load_account(id)?;
            let held = self.load_key_of(id, key)?;
            let mut batch = WriteBatch::new();
            let subject = format!("account {id} key {key} grace_seconds {grace_seconds}");
            let act = ("rotate_key", subject.as_str());
            let reach = actor.admit(&*self.store, &mut batch, &account.value, act, now)?;
            check_active(&held.value, now)?;
            reach.check_touches(&held.value, now)?;
            let mut old = held.value.clone();
            reach.check_gives(&old.scope, old.ends_at(), now)?;
            let label = old.label.clone();
            let scope = old.scope.clone();
            let expires_at = old.expires_at;
            let issued = self.issue(id, NewKey { label, scope, expires_at }, now)?;
            old.replaced_by = Some(issued.key.id);
            match grace_seconds {
                // over for good, whatever the clock does
                0 => (old.revoked_at, old.retires_at) = (Some(now), Some(now)),
                // of this second a part is over: one more, so that none is missing
                _ => {
                    old.retires_at =
                        Some(UnixSeconds(now.0.saturating_add(grace_seconds).saturating_add(1)))
                }
            }
            let max = self.keys_max(&account.value, now)?;
            self.make_room(&mut batch, self.load_keys(id)?, max, now)?;
            self.put_key(&mut batch, &held, &old);
            self.put_new_key(&mut batch, &issued.key);
            self.put_account(&mut batch, &account, account.value.clone());
            note(&mut batch, &[Changed::Key(old.hash)]);
            Ok((batch, issued))
        })
    }

    /// Drops the oldest keys that are over, to make room for one more.
    fn make_room(
        &self,
        batch: &mut WriteBatch,
        keys: Vec<KeyRow>,
        keys_max: usize,
        now: UnixSeconds,
    ) -> Result<(), AccountError> {
        let kept_max = keys_max.saturating_add(self.config.keys.keys_over_max);
        let surplus = keys.len().saturating_add(1).saturating_sub(kept_max);
        let is_over = |key: &KeyRow| match key.state_at(now) {
            KeyState::Revoked | KeyState::Rotated | KeyState::Expired => true,
            KeyState::Active | KeyState::Retiring => false,
        };
        let mut over: Vec<KeyRow> = keys.into_iter().filter(is_over).collect();
        if over.len() < surplus {
            return Err(AccountError::Full {
                what: "keys, retiring ones among them",
                expected: kept_max,
            });
        }
        over.sort_by_key(|key| (key.created_at, key.id));
        for key in over.into_iter().take(surplus) {
            batch.delete(
                Table::AccountKey,
                AccountKey::Key(key.account, key.id).encode(self.environment()),
            );
            batch.delete(Table::KeyHash, key.hash.0);
        }
        Ok(())
    }

    /// Most keys in force, by the account's tier.
    fn keys_max(&self, account: &Account, now: UnixSeconds) -> Result<usize, AccountError> {
        let (rights, _) = self.load_standings(account.id, now)?.rights(self.plans(), now);
        let max = self.plans().tier(rights.tier).keys_max;
        Ok(usize::try_from(max).unwrap_or(usize::MAX))
    }

    fn load_keys(&self, id: AccountId) -> Result<Vec<KeyRow>, AccountError> {
        let mut start = place::keys(self.environment(), id);
        let end = place::after(&start);
        let mut keys = Vec::new();
        loop {
            let table = Table::AccountKey;
            let end = end.as_deref();
            let rows = self.store.scan(table, &start, end, KEYS_PAGE, ScanOrder::Rising)?;
            for (key, bytes) in &rows {
                keys.push(row::decode(table, key, bytes)?);
            }
            match rows.last() {
                Some((last, _)) if rows.len() == KEYS_PAGE => start = place::next(last),
                Some(_) | None => return Ok(keys),
            }
        }
    }

    fn load_key_of(
        &self,
        account: AccountId,
        id: KeyId,
    ) -> Result<RowSnapshot<KeyRow>, AccountError> {
        let place = AccountKey::Key(account, id).encode(self.environment());
        let held = row::load::<KeyRow>(&*self.store, Table::AccountKey, &place)?;
        held.ok_or(AccountError::NoSuchKey { id })
    }

    fn put_key(&self, batch: &mut WriteBatch, held: &RowSnapshot<KeyRow>, key: &KeyRow) {
        let place = AccountKey::Key(key.account, key.id).encode(self.environment());
        batch.expect(Table::AccountKey, place.clone(), Some(&held.bytes));
        batch.put(Table::AccountKey, place, row::encode(key));
    }
}

fn check_active(key: &KeyRow, now: UnixSeconds) -> Result<(), AccountError> {
    match key.state_at(now) {
        KeyState::Active => Ok(()),
        state => Err(AccountError::KeyState { id: key.id, state: state.name() }),
    }
}

pub(super) fn check_expiry(
    expires_at: Option<UnixSeconds>,
    now: UnixSeconds,
) -> Result<(), AccountError> {
    let Some(UnixSeconds(got)) = expires_at else { return Ok(()) };
    let least = now.0.saturating_add(1);
    let most = now.0.saturating_add(LIFE_SECONDS_MAX);
    if got < least || got > most {
        return Err(AccountError::Range { what: "expires_at", got, least, most });
    }
    Ok(())
}
