//! Watches as seen by owners (create, change, delete), and the union of all watches.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use superroot_account::row::{self, RowSnapshot};
use superroot_account::{AccountId, AccountService, Label, Tier};
use superroot_store::{Store, StoreError, Table, WriteBatch, scan};
use superroot_types::{BlockNumber, ChainKey};
use tokio::sync::{Notify, watch};

use crate::row::{KeyWatch, WatchId, WatchTarget, key, of_account, of_environment};
use crate::wanted::{OwnWatch, WantedByChain, wanted};
use crate::{WatchConfig, WatchError};

#[derive(Clone, Debug)]
pub struct NewWatch {
    pub chain: ChainKey,
    pub target: WatchTarget,
    /// First block of interest; `None`: new blocks only.
    pub from_block: Option<BlockNumber>,
    pub label: Option<Label>,
}

/// Change to a watch; fields with `None` stay the same.
#[derive(Clone, Debug, Default)]
pub struct WatchChange {
    /// First block of interest; `Some(None)`: new blocks only.
    pub from_block: Option<Option<BlockNumber>>,
    /// Label chosen by the owner; `Some(None)` removes the label.
    pub label: Option<Option<Label>>,
}

/// Watches of all accounts, stored in the accounts database.
pub struct Watches {
    store: Arc<dyn Store>,
    accounts: Arc<AccountService>,
    config: WatchConfig,
    /// The service itself's targets.
    own: Vec<OwnWatch>,
    /// Lock from the count of watches to the insertion.
    making: Mutex<()>,
    changed: Notify,
    wanted: watch::Sender<WantedByChain>,
}

impl Watches {
    /// Opens the watches of these accounts.
    pub fn open(
        accounts: Arc<AccountService>,
        config: WatchConfig,
    ) -> Result<Arc<Self>, WatchError> {
        Self::open_with(accounts, config, Vec::new())
    }

    /// Opens the watches of these accounts, with targets of the service itself, which no tier limits.
    pub fn open_with(
        accounts: Arc<AccountService>,
        config: WatchConfig,
        own: Vec<OwnWatch>,
    ) -> Result<Arc<Self>, WatchError> {
        let store = Arc::clone(accounts.store());
        let making = Mutex::new(());
        let changed = Notify::new();
        let wanted = watch::Sender::default();
        let watches = Self { store, accounts, config, own, making, changed, wanted };
        watches.refresh()?;
        Ok(Arc::new(watches))
    }

    #[must_use]
    pub const fn config(&self) -> &WatchConfig {
        &self.config
    }

    /// Union of all watches, and later changes.
    pub fn wanted(&self) -> watch::Receiver<WantedByChain> {
        self.wanted.subscribe()
    }

    /// Waits for a change by an owner: the union needs a [`refresh`](Self::refresh).
    pub async fn changed(&self) {
        self.changed.notified().await;
    }

    /// Returns the account's watches, oldest first, each with `true` if within the tier's limit.
    pub fn of(&self, account: AccountId, tier: Tier) -> Result<Vec<(KeyWatch, bool)>, WatchError> {
        let watches = self.under(&of_account(self.accounts.environment(), account))?;
        let max = self.watches_max(tier);
        Ok(by_age(watches).into_iter().enumerate().map(|(at, one)| (one, at < max)).collect())
    }

    /// Returns a watch, with `true` if within the tier's limit.
    ///
    /// # Errors
    /// [`WatchError::Unknown`], [`WatchError::Store`].
    pub fn get(
        &self,
        account: AccountId,
        tier: Tier,
        id: WatchId,
    ) -> Result<(KeyWatch, bool), WatchError> {
        let mut all = self.of(account, tier)?.into_iter();
        all.find(|(one, _)| one.id == id).ok_or_else(|| WatchError::Unknown { id: id.to_string() })
    }

    /// Creates a watch, or returns the existing watch for the target; the flag is `true` for a new watch. An existing
    /// watch is extended back to the requested block. `newest` is the newest stored final block.
    ///
    /// # Errors
    /// [`WatchError::Full`], [`WatchError::ChainFull`], [`WatchError::TooFarBack`], [`WatchError::Store`].
    pub fn create(
        &self,
        account: AccountId,
        tier: Tier,
        new: NewWatch,
        newest: Option<BlockNumber>,
    ) -> Result<(KeyWatch, bool), WatchError> {
        self.check_reach(tier, new.from_block, newest)?;
        let making = self.making.lock().unwrap_or_else(PoisonError::into_inner);
        let NewWatch { chain, target, from_block, label } = new;
        let id = WatchId::of(chain, target);
        let all = self.under(&of_environment(self.accounts.environment()))?;
        if let Some(standing) = all.iter().find(|one| one.account == account && one.id == id) {
            let reaches = match (standing.from_block, from_block) {
                (_, None) => true,
                (Some(from), Some(asked)) => from <= asked,
                (None, Some(_)) => false,
            };
            if reaches {
                return Ok((standing.clone(), false));
            }
            drop(making);
            let change = WatchChange { from_block: Some(from_block), label: None };
            return Ok((self.change(account, tier, id, &change, newest)?, false));
        }
        let count = |of: &dyn Fn(&KeyWatch) -> bool| {
            u32::try_from(all.iter().filter(|one| of(one)).count()).unwrap_or(u32::MAX)
        };
        let expected = self.accounts.plans().tier(tier).watches_max;
        if count(&|one| one.account == account) >= expected {
            return Err(WatchError::Full { expected });
        }
        let expected = self.config.per_chain_max;
        if count(&|one| one.chain() == chain) >= expected {
            return Err(WatchError::ChainFull { chain, expected });
        }
        let ChainKey { family, id: chain_id } = chain;
        let created_at = self.accounts.now();
        let watch =
            KeyWatch { id, account, family, chain_id, target, from_block, label, created_at };
        let mut batch = WriteBatch::new();
        row::replace(&mut batch, Table::KeyWatch, self.place(account, id), None, &watch);
        self.store.commit(batch)?;
        self.changed.notify_one();
        Ok((watch, true))
    }

    /// Changes a watch. `newest` is the newest stored final block.
    ///
    /// # Errors
    /// [`WatchError::TooFarBack`], [`WatchError::Unknown`], [`WatchError::Store`].
    pub fn change(
        &self,
        account: AccountId,
        tier: Tier,
        id: WatchId,
        change: &WatchChange,
        newest: Option<BlockNumber>,
    ) -> Result<KeyWatch, WatchError> {
        self.check_reach(tier, change.from_block.flatten(), newest)?;
        let changed = row::commit::<_, WatchError>(&*self.store, Table::KeyWatch, || {
            let RowSnapshot { mut value, bytes } = self.load(account, id)?;
            if let Some(from_block) = change.from_block {
                value.from_block = from_block;
            }
            if let Some(label) = &change.label {
                value.label.clone_from(label);
            }
            let mut batch = WriteBatch::new();
            let place = self.place(account, id);
            row::replace(&mut batch, Table::KeyWatch, place, Some(&bytes), &value);
            Ok((batch, value))
        })?;
        self.changed.notify_one();
        Ok(changed)
    }

    /// Deletes a watch. Events already stored stay.
    ///
    /// # Errors
    /// [`WatchError::Unknown`], [`WatchError::Store`].
    pub fn delete(&self, account: AccountId, id: WatchId) -> Result<KeyWatch, WatchError> {
        let deleted = row::commit::<_, WatchError>(&*self.store, Table::KeyWatch, || {
            let RowSnapshot { value, bytes } = self.load(account, id)?;
            let mut batch = WriteBatch::new();
            let place = self.place(account, id);
            batch.expect(Table::KeyWatch, place.clone(), Some(&bytes));
            batch.delete(Table::KeyWatch, place);
            Ok((batch, value))
        })?;
        self.changed.notify_one();
        Ok(deleted)
    }

    /// Oldest block allowed by the tier.
    #[must_use]
    pub fn first_block(&self, tier: Tier, newest: BlockNumber) -> BlockNumber {
        let blocks = self.accounts.plans().tier(tier).watch_blocks_max;
        BlockNumber(newest.0.saturating_add(1).saturating_sub(blocks))
    }

    fn check_reach(
        &self,
        tier: Tier,
        from_block: Option<BlockNumber>,
        newest: Option<BlockNumber>,
    ) -> Result<(), WatchError> {
        let (Some(got), Some(newest)) = (from_block, newest) else { return Ok(()) };
        let blocks = self.accounts.plans().tier(tier).watch_blocks_max;
        let first = self.first_block(tier, newest);
        if got < first {
            return Err(WatchError::TooFarBack { got, first, blocks });
        }
        Ok(())
    }

    fn watches_max(&self, tier: Tier) -> usize {
        usize::try_from(self.accounts.plans().tier(tier).watches_max).unwrap_or(usize::MAX)
    }

    /// Recomputes the union: for each account the oldest watches, up to the tier's limit.
    ///
    /// # Errors
    /// [`WatchError::Account`], [`WatchError::Store`].
    pub fn refresh(&self) -> Result<(), WatchError> {
        let all = self.under(&of_environment(self.accounts.environment()))?;
        let mut by_account: BTreeMap<AccountId, Vec<KeyWatch>> = BTreeMap::new();
        for watch in all {
            by_account.entry(watch.account).or_default().push(watch);
        }
        let mut served = Vec::new();
        for (account, watches) in by_account {
            let tier = self.accounts.accounts().rights(account)?.tier;
            served.extend(by_age(watches).into_iter().take(self.watches_max(tier)));
        }
        let of_key = |watch: &KeyWatch| OwnWatch {
            chain: watch.chain(),
            target: watch.target,
            from_block: watch.from_block,
        };
        let wanted = wanted(served.iter().map(of_key).chain(self.own.iter().copied()));
        self.wanted.send_if_modified(|standing| {
            let is_other = *standing != wanted;
            *standing = wanted;
            is_other
        });
        Ok(())
    }

    fn place(&self, account: AccountId, id: WatchId) -> Vec<u8> {
        key(self.accounts.environment(), account, id)
    }

    fn load(&self, account: AccountId, id: WatchId) -> Result<RowSnapshot<KeyWatch>, WatchError> {
        let held = row::load(&*self.store, Table::KeyWatch, &self.place(account, id))?;
        held.ok_or_else(|| WatchError::Unknown { id: id.to_string() })
    }

    fn under(&self, prefix: &[u8]) -> Result<Vec<KeyWatch>, WatchError> {
        let rows = scan::rows_of(&*self.store, Table::KeyWatch, prefix);
        let decoded = rows.map(|one| {
            let (key, bytes) = one?;
            row::decode(Table::KeyWatch, &key, &bytes)
        });
        Ok(decoded.collect::<Result<_, StoreError>>()?)
    }
}

fn by_age(mut watches: Vec<KeyWatch>) -> Vec<KeyWatch> {
    watches.sort_by_key(|watch| (watch.created_at, watch.id));
    watches
}
