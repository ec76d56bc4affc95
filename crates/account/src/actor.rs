//! Who acts on an account, and how far that reaches.

use superroot_store::{Batch, Store, Table};
use superroot_types::{Address, UnixSeconds};

use crate::account::{Account, Holder};
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
    /// Whoever has just signed with a wallet that the account has proven.
    Wallet(Address),
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
    /// its like, [`AccountError::ClosedAccount`], [`AccountError::UnprovenWallet`],
    /// [`AccountError::Text`], [`AccountError::Store`].
    pub(crate) fn admit(
        &self,
        store: &dyn Store,
        batch: &mut Batch,
        account: &Account,
        (what, subject): (&str, &str),
        now: UnixSeconds,
    ) -> Result<Reach, AccountError> {
        if let Actor::Operator(operator) = self {
            append_act(store, batch, operator, what, subject, now)?;
            return Ok(Reach { key: None });
        }
        if account.closed_at.is_some() {
            return Err(AccountError::ClosedAccount);
        }
        match self {
            Actor::Key(entitlement) => {
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
            Actor::Wallet(wallet) => {
                let place = Place::Holder(*wallet).encode(account.environment);
                let held = row::load::<Holder>(store, Table::Wallet, &place)?;
                let held = held.filter(|held| held.value.account == account.id);
                let held = held.ok_or(AccountError::UnprovenWallet)?;
                batch.expect(Table::Wallet, place, Some(&held.bytes));
                Ok(Reach { key: None })
            }
            Actor::Operator(_) => Ok(Reach { key: None }),
        }
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
        let Some(key) = &self.key else { return Ok(()) };
        if key.state_at(now) != KeyState::Active {
            return Err(AccountError::Beyond {
                what: "it is retiring, use the one that replaced it",
            });
        }
        if !key.scope.contains(scope) {
            return Err(AccountError::Beyond { what: "the scope is wider than its own" });
        }
        let outlives = match (key.ends_at(), ends_at) {
            (None, _) => false,
            (Some(_), None) => true,
            (Some(own), Some(other)) => other > own,
        };
        if outlives {
            return Err(AccountError::Beyond { what: "the other key would outlive it" });
        }
        Ok(())
    }

    /// Refuses to prove a wallet to a key that is confined or expires.
    ///
    /// # Errors
    /// [`AccountError::Beyond`].
    pub(crate) fn check_proves(&self, now: UnixSeconds) -> Result<(), AccountError> {
        self.check_is_whole("it is confined or expires, and a wallet is proven for good", now)
    }

    /// Refuses to open an account to a key that is confined or expires, however narrow the
    /// account's first key is: the account is whole.
    ///
    /// # Errors
    /// [`AccountError::Beyond`].
    pub(crate) fn check_opens(&self, now: UnixSeconds) -> Result<(), AccountError> {
        self.check_is_whole("it is confined or expires, and a sub-account is opened for good", now)
    }

    fn check_is_whole(&self, what: &'static str, now: UnixSeconds) -> Result<(), AccountError> {
        let Some(key) = &self.key else { return Ok(()) };
        if key.state_at(now) != KeyState::Active {
            return Err(AccountError::Beyond {
                what: "it is retiring, use the one that replaced it",
            });
        }
        if key.scope != Scope::default() || key.ends_at().is_some() {
            return Err(AccountError::Beyond { what });
        }
        Ok(())
    }

    /// Refuses to touch a key that is more than it; itself it may always give up.
    ///
    /// # Errors
    /// [`AccountError::Beyond`].
    pub(crate) fn check_touches(&self, target: &Key, now: UnixSeconds) -> Result<(), AccountError> {
        let Some(key) = &self.key else { return Ok(()) };
        if key.state_at(now) != KeyState::Active {
            return Err(AccountError::Beyond {
                what: "it is retiring, use the one that replaced it",
            });
        }
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
