//! Watches as their owners see them: made, changed, ended; and what they come to.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use superroot_account::row::{self, Held};
use superroot_account::{AccountId, AccountService, Label, Tier};
use superroot_store::{Batch, Store, StoreError, Table, scan};
use superroot_types::{BlockNumber, ChainKey};
use tokio::sync::{Notify, watch};
use tokio_util::sync::CancellationToken;

use crate::row::{KeyWatch, Target, WatchId, key, of_account, of_environment};
use crate::wanted::{WantedByChain, wanted};
use crate::{Config, WatchError};

/// What all watches come to is worked out anew after so long at the latest: tiers end.
const LOOK_AGAIN: Duration = Duration::from_secs(60);

/// A watch that is to be.
#[derive(Clone, Debug)]
pub struct NewWatch {
    /// The chain.
    pub chain: ChainKey,
    /// What is watched.
    pub target: Target,
    /// First block whose events are wanted; none: those of blocks to come.
    pub from_block: Option<BlockNumber>,
    /// What its owner calls it.
    pub label: Option<Label>,
}

/// What is changed of a watch; what is left out stays.
#[derive(Clone, Debug, Default)]
pub struct Change {
    /// First block whose events are wanted; `Some(None)`: those of blocks to come.
    pub from_block: Option<Option<BlockNumber>>,
    /// What its owner calls it; `Some(None)`: nothing.
    pub label: Option<Option<Label>>,
}

/// The watches of all accounts. They lie beside the accounts.
pub struct Watches {
    store: Arc<dyn Store>,
    accounts: Arc<AccountService>,
    config: Config,
    /// Held while watches are counted and one more is made.
    making: Mutex<()>,
    changed: Notify,
    wanted: watch::Sender<WantedByChain>,
}

impl Watches {
    /// The watches of these accounts.
    ///
    /// # Errors
    /// Those of the store.
    pub fn open(accounts: Arc<AccountService>, config: Config) -> Result<Arc<Self>, WatchError> {
        let (store, making) = (Arc::clone(accounts.store()), Mutex::new(()));
        let (changed, wanted) = (Notify::new(), watch::Sender::default());
        let watches = Self { store, accounts, config, making, changed, wanted };
        watches.look()?;
        Ok(Arc::new(watches))
    }

    /// Its settings.
    #[must_use]
    pub const fn config(&self) -> &Config {
        &self.config
    }

    /// What all watches come to, and how it changes.
    pub fn wanted(&self) -> watch::Receiver<WantedByChain> {
        self.wanted.subscribe()
    }

    /// Works out what all watches come to whenever one has changed, until `shutdown`.
    pub async fn run(self: Arc<Self>, shutdown: CancellationToken) {
        loop {
            tokio::select! {
                () = shutdown.cancelled() => return,
                () = self.changed.notified() => {}
                () = tokio::time::sleep(LOOK_AGAIN) => {}
            }
            let watches = Arc::clone(&self);
            match tokio::task::spawn_blocking(move || watches.look()).await {
                Ok(Ok(())) => {}
                Ok(Err(error)) => tracing::warn!(%error, "what keys watch cannot be read"),
                Err(error) => tracing::error!(%error, "reading what keys watch panicked"),
            }
        }
    }

    /// The watches of an account, oldest first, each with whether it is within what the account's tier has.
    ///
    /// # Errors
    /// [`WatchError::Store`].
    pub fn of(&self, account: AccountId, tier: Tier) -> Result<Vec<(KeyWatch, bool)>, WatchError> {
        let watches = self.under(&of_account(self.accounts.environment(), account))?;
        let max = self.watches_max(tier);
        Ok(by_age(watches).into_iter().enumerate().map(|(at, one)| (one, at < max)).collect())
    }

    /// A watch of an account, and whether it is within what the account's tier has.
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

    /// Makes a watch, or gives the one of the same target that stands; whether it is new. One that stands
    /// reaches as far back as was asked for, if that is further than it did; `newest` is the newest final
    /// block that is held.
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
            let change = Change { from_block: Some(from_block), label: None };
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
        let mut batch = Batch::new();
        row::replace(&mut batch, Table::KeyWatch, self.place(account, id), None, &watch);
        self.store.commit(batch)?;
        self.changed.notify_one();
        Ok((watch, true))
    }

    /// Changes a watch. `newest` is the newest final block that is held.
    ///
    /// # Errors
    /// [`WatchError::TooFarBack`], [`WatchError::Unknown`], [`WatchError::Store`].
    pub fn change(
        &self,
        account: AccountId,
        tier: Tier,
        id: WatchId,
        change: &Change,
        newest: Option<BlockNumber>,
    ) -> Result<KeyWatch, WatchError> {
        self.check_reach(tier, change.from_block.flatten(), newest)?;
        let changed = row::commit::<_, WatchError>(&*self.store, Table::KeyWatch, || {
            let Held { mut value, bytes } = self.load(account, id)?;
            if let Some(from_block) = change.from_block {
                value.from_block = from_block;
            }
            if let Some(label) = &change.label {
                value.label.clone_from(label);
            }
            let (mut batch, place) = (Batch::new(), self.place(account, id));
            row::replace(&mut batch, Table::KeyWatch, place, Some(&bytes), &value);
            Ok((batch, value))
        })?;
        self.changed.notify_one();
        Ok(changed)
    }

    /// Ends a watch. What was kept because of it stays.
    ///
    /// # Errors
    /// [`WatchError::Unknown`], [`WatchError::Store`].
    pub fn delete(&self, account: AccountId, id: WatchId) -> Result<KeyWatch, WatchError> {
        let deleted = row::commit::<_, WatchError>(&*self.store, Table::KeyWatch, || {
            let Held { value, bytes } = self.load(account, id)?;
            let (mut batch, place) = (Batch::new(), self.place(account, id));
            batch.expect(Table::KeyWatch, place.clone(), Some(&bytes));
            batch.delete(Table::KeyWatch, place);
            Ok((batch, value))
        })?;
        self.changed.notify_one();
        Ok(deleted)
    }

    /// First block that a tier reaches back to.
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

    /// Works out what all watches come to: of each account as many as its tier has, the oldest first.
    fn look(&self) -> Result<(), WatchError> {
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
        let wanted = wanted(served.iter());
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

    fn load(&self, account: AccountId, id: WatchId) -> Result<Held<KeyWatch>, WatchError> {
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
