//! Who acts on an account, and how far that reaches.

use superroot_store::{Batch, Store, Table};
use superroot_types::UnixSeconds;

use crate::account::Account;
use crate::audit::append_act;
use crate::key::{Key, KeyState};
use crate::place::Place;
use crate::{AccountError, Entitlement, Environment, KeyId, Operator, Scope, row};

/// Who acts.
#[derive(Clone, Copy, Debug)]
pub enum Actor<'a> {
    /// Whoever shows a key: on its own account, and an integrator's on those below it. A key hands
    /// on, changes and takes away no more than it has itself.
    Key(&'a Entitlement),
    /// The operator; the act is written into the audit log with it.
    Operator(&'a Operator),
}

/// How far an actor reaches.
#[derive(Clone, Debug)]
pub(crate) struct Reach {
    /// The key that acts, where one does.
    key: Option<Key>,
}

impl Actor<'_> {
    /// Lets the actor in, and makes `batch` depend on what let it in: a key that is revoked while it
    /// acts has not acted.
    ///
    /// # Errors
    /// [`AccountError::UnknownAccount`] for an account of others, [`AccountError::RevokedKey`] and
    /// its like, [`AccountError::ClosedAccount`], [`AccountError::Text`], [`AccountError::Store`].
    pub(crate) fn admit(
        &self,
        store: &dyn Store,
        batch: &mut Batch,
        account: &Account,
        (what, subject): (&str, &str),
        now: UnixSeconds,
    ) -> Result<Reach, AccountError> {
        let entitlement = match self {
            Actor::Key(entitlement) => entitlement,
            Actor::Operator(operator) => {
                append_act(store, batch, operator, what, subject, now)?;
                return Ok(Reach { key: None });
            }
        };
        if account.closed_at.is_some() {
            return Err(AccountError::ClosedAccount);
        }
        let own = entitlement.account;
        if own != account.id && account.parent != Some(own) {
            return Err(AccountError::UnknownAccount { id: account.id });
        }
        let place = Place::Key(own, entitlement.key).encode(account.environment);
        let held = row::load::<Key>(store, Table::AccountKey, &place)?;
        let held = held.ok_or(AccountError::UnknownKey)?;
        held.value.check_at(now)?;
        batch.expect(Table::AccountKey, place, Some(&held.bytes));
        if own != account.id {
            check_open(store, batch, account.environment, own)?;
        }
        Ok(Reach { key: Some(held.value) })
    }
}

/// Refuses an integrator's key whose own account is closed.
fn check_open(
    store: &dyn Store,
    batch: &mut Batch,
    environment: Environment,
    id: crate::AccountId,
) -> Result<(), AccountError> {
    let place = Place::Account(id).encode(environment);
    let held = row::load::<Account>(store, Table::Account, &place)?;
    let held = held.ok_or(AccountError::UnknownAccount { id })?;
    if held.value.closed_at.is_some() {
        return Err(AccountError::ClosedAccount);
    }
    batch.expect(Table::Account, place, Some(&held.bytes));
    Ok(())
}

impl Reach {
    /// The key that acts, which must be in force for more than a grace; none where an operator does.
    fn active(&self, now: UnixSeconds) -> Result<Option<&Key>, AccountError> {
        match &self.key {
            Some(key) if key.state_at(now) != KeyState::Active => {
                Err(AccountError::Beyond { what: "it is retiring, use the one that replaced it" })
            }
            key => Ok(key.as_ref()),
        }
    }

    /// Refuses to give what goes beyond: a wider scope, a longer life.
    ///
    /// # Errors
    /// [`AccountError::Beyond`].
    pub(crate) fn check_gives(
        &self,
        scope: &Scope,
        ends_at: Option<UnixSeconds>,
        now: UnixSeconds,
    ) -> Result<(), AccountError> {
        let Some(key) = self.active(now)? else { return Ok(()) };
        if !key.scope.contains(scope) {
            return Err(AccountError::Beyond { what: "the scope is wider than its own" });
        }
        if key.ends_at().is_some_and(|own| ends_at.is_none_or(|other| other > own)) {
            return Err(AccountError::Beyond { what: "the other key would outlive it" });
        }
        Ok(())
    }

    /// Refuses to a key that is confined or expires what is done for good: to prove a wallet, or to
    /// open an account, however narrow that one's first key is.
    ///
    /// # Errors
    /// [`AccountError::Beyond`].
    pub(crate) fn check_is_whole(&self, now: UnixSeconds) -> Result<(), AccountError> {
        let Some(key) = self.active(now)? else { return Ok(()) };
        if key.scope != Scope::default() || key.ends_at().is_some() {
            return Err(AccountError::Beyond {
                what: "it is confined or expires, and what it would do is for good",
            });
        }
        Ok(())
    }

    /// Refuses to touch a key that is more than it; itself it may always give up.
    ///
    /// # Errors
    /// [`AccountError::Beyond`].
    pub(crate) fn check_touches(&self, target: &Key, now: UnixSeconds) -> Result<(), AccountError> {
        let Some(key) = self.active(now)? else { return Ok(()) };
        if key.scope.contains(&target.scope) {
            return Ok(());
        }
        Err(AccountError::Beyond { what: "the other key's scope is wider than its own" })
    }

    /// Whether the key acts on itself.
    pub(crate) fn is(&self, id: KeyId) -> bool {
        self.key.as_ref().is_some_and(|key| key.id == id)
    }
}
