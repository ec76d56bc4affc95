//! Actors on an account, and their reach.

use superroot_store::{Store, Table, WriteBatch};
use superroot_types::UnixSeconds;

use crate::account::Account;
use crate::audit::append_act;
use crate::key::{KeyRow, KeyState};
use crate::place::AccountKey;
use crate::{AccountError, Entitlement, Environment, KeyId, Operator, Scope, row};

#[derive(Clone, Copy, Debug)]
pub enum Actor<'a> {
    /// A key: acts on its own account, and for an integrator on its sub-accounts. A key can grant, change and remove at
    /// most its own rights.
    Key(&'a Entitlement),
    /// An operator; the audit log records the act.
    Operator(&'a Operator),
}

/// An actor's reach.
#[derive(Clone, Debug)]
pub(crate) struct ActorScope {
    /// Acting key, if any.
    key: Option<KeyRow>,
}

impl Actor<'_> {
    /// Admits the actor, and makes `batch` depend on the admission: a key revoked meanwhile has no effect.
    ///
    /// # Errors
    /// [`AccountError::UnknownAccount`] for another owner's account; [`AccountError::RevokedKey`] and other key errors,
    /// [`AccountError::ClosedAccount`], [`AccountError::Text`], [`AccountError::Store`].
    pub(crate) fn admit(
        &self,
        store: &dyn Store,
        batch: &mut WriteBatch,
        account: &Account,
        (what, subject): (&str, &str),
        now: UnixSeconds,
    ) -> Result<ActorScope, AccountError> {
        let entitlement = match self {
            Actor::Key(entitlement) => entitlement,
            Actor::Operator(operator) => {
                append_act(store, batch, operator, what, subject, now)?;
                return Ok(ActorScope { key: None });
            }
        };
        if account.closed_at.is_some() {
            return Err(AccountError::ClosedAccount);
        }
        let own = entitlement.account;
        if own != account.id && account.parent != Some(own) {
            return Err(AccountError::UnknownAccount { id: account.id });
        }
        let place = AccountKey::Key(own, entitlement.key).encode(account.environment);
        let held = row::load::<KeyRow>(store, Table::AccountKey, &place)?;
        let held = held.ok_or(AccountError::UnknownKey)?;
        held.value.check_at(now)?;
        batch.expect(Table::AccountKey, place, Some(&held.bytes));
        if own != account.id {
            check_open(store, batch, account.environment, own)?;
        }
        Ok(ActorScope { key: Some(held.value) })
    }
}

/// Refuses an integrator's key whose account is closed.
fn check_open(
    store: &dyn Store,
    batch: &mut WriteBatch,
    environment: Environment,
    id: crate::AccountId,
) -> Result<(), AccountError> {
    let place = AccountKey::Account(id).encode(environment);
    let held = row::load::<Account>(store, Table::Account, &place)?;
    let held = held.ok_or(AccountError::UnknownAccount { id })?;
    if held.value.closed_at.is_some() {
        return Err(AccountError::ClosedAccount);
    }
    batch.expect(Table::Account, place, Some(&held.bytes));
    Ok(())
}

impl ActorScope {
    /// Acting key, required to be active and not retiring; `None` for an operator.
    fn active(&self, now: UnixSeconds) -> Result<Option<&KeyRow>, AccountError> {
        match &self.key {
            Some(key) if key.state_at(now) != KeyState::Active => {
                Err(AccountError::Beyond { what: "it is retiring, use the one that replaced it" })
            }
            key => Ok(key.as_ref()),
        }
    }

    /// Refuses to grant a wider scope or a longer life.
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

    /// Refuses lasting acts to a confined or expiring key: proving a wallet, and opening an account, even with a narrow
    /// first key.
    pub(crate) fn check_is_whole(&self, now: UnixSeconds) -> Result<(), AccountError> {
        let Some(key) = self.active(now)? else { return Ok(()) };
        if key.scope != Scope::default() || key.ends_at().is_some() {
            return Err(AccountError::Beyond {
                what: "it is confined or expires, and what it would do is for good",
            });
        }
        Ok(())
    }

    /// Refuses to change a key with more rights; a key may always give itself up.
    pub(crate) fn check_touches(
        &self,
        target: &KeyRow,
        now: UnixSeconds,
    ) -> Result<(), AccountError> {
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
