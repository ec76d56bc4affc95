//! What tokens say of themselves, asked of nodes once and kept.

use std::collections::{HashMap, HashSet, VecDeque};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use alloy_primitives::Address;
use superroot_account::wallet::{ContractCall, ContractCaller};
use superroot_store::scan::rows_of;
use superroot_store::{Batch, Store, StoreError, Table};
use superroot_types::{BlockNumber, ChainKey, Clock, UnixSeconds};

use crate::Metadata;
use crate::answer::{self, GAS};
use crate::row::{self, Kept};

/// Questions that wait at most; past it nothing is asked.
const WAITING_MAX: usize = 1_024;
/// Questions under way at once.
const UNDER_WAY_MAX: usize = 4;
/// Tokens of which it is remembered that nothing is known.
const NOTHING_MAX: usize = 16_384;
/// How long a token that says nothing is not asked again, in seconds: its contract may come later.
const NOTHING_SECONDS: u64 = 3_600;
/// How long nodes that could not be asked are not asked again about that token, in seconds.
const FAILED_SECONDS: u64 = 30;
/// Tokens of one symbol that are listed at most.
pub const NAMED_MAX: usize = 100;

/// Why nothing is known of a token.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Unknown {
    /// There is nobody to ask.
    #[error("this service asks no node of its chain")]
    NoNodes,
    /// It is being asked.
    #[error("its nodes are being asked; ask again in some seconds")]
    Asking,
    /// Too many are being asked.
    #[error("too many tokens are being asked about; ask again in some seconds")]
    Busy,
    /// Its contract has none of the three, or there is no contract.
    #[error("its contract says neither symbol nor name nor decimals")]
    Nothing,
    /// Not enough nodes agree.
    #[error("its nodes could not be asked")]
    NotAgreed,
    /// What is kept cannot be read.
    #[error("what is kept of it cannot be read")]
    NotRead,
}

/// A token.
type Key = (ChainKey, Address);

#[derive(Default)]
struct State {
    waiting: VecDeque<Key>,
    /// Those that wait, and those under way.
    asked: HashSet<Key>,
    under_way: usize,
    /// Of which nothing is known, why, and until when that holds.
    nothing: HashMap<Key, (Unknown, UnixSeconds)>,
}

struct Inner {
    store: Arc<dyn Store>,
    nodes: Arc<dyn ContractCaller>,
    clock: Arc<dyn Clock>,
    state: Mutex<State>,
    changed: Condvar,
}

/// What tokens say of themselves. Questions are asked on threads of their own, a few at once: who reads waits for an
/// answer as long as it wants to.
#[derive(Clone)]
pub struct Book(Arc<Inner>);

impl Book {
    /// Over a store, the nodes that are asked, and a clock.
    pub fn new(
        store: Arc<dyn Store>,
        nodes: Arc<dyn ContractCaller>,
        clock: Arc<dyn Clock>,
    ) -> Self {
        let (state, changed) = (Mutex::default(), Condvar::new());
        Self(Arc::new(Inner { store, nodes, clock, state, changed }))
    }

    /// What a token says of itself, as enough nodes agree. Where that is not kept it is asked, and waited for as long as
    /// given. Blocks.
    ///
    /// # Errors
    /// [`Unknown`]: nothing is known, now or at all.
    pub fn get(
        &self,
        chain: ChainKey,
        token: Address,
        wait: Duration,
    ) -> Result<Metadata, Unknown> {
        let key = (chain, token);
        if let Some(kept) = self.0.kept(key)? {
            return Ok(kept.metadata);
        }
        if !self.0.nodes.asks(chain.id) {
            return Err(Unknown::NoNodes);
        }
        self.ask(key)?;
        let until = Instant::now() + wait;
        let mut state = self.0.state();
        while state.asked.contains(&key) {
            let left = until.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return Err(Unknown::Asking);
            }
            let waited = self.0.changed.wait_timeout(state, left);
            state = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
        drop(state);
        match self.0.kept(key)? {
            Some(kept) => Ok(kept.metadata),
            None => Err(self.0.why(key).unwrap_or(Unknown::NotAgreed)),
        }
    }

    /// The nodes that agree on what a token says, and the block after which they were asked; `None` where nothing is kept.
    ///
    /// # Errors
    /// [`Unknown::NotRead`].
    pub fn evidence(
        &self,
        chain: ChainKey,
        token: Address,
    ) -> Result<Option<(Vec<String>, BlockNumber)>, Unknown> {
        Ok(self.0.kept((chain, token))?.map(|kept| (kept.nodes, kept.block)))
    }

    /// Every token of a chain that was asked and has that symbol, whatever the case of its letters: [`NAMED_MAX`] at most.
    ///
    /// # Errors
    /// [`Unknown::NotRead`].
    pub fn find_symbol(&self, chain: ChainKey, symbol: &str) -> Result<Vec<Address>, Unknown> {
        if symbol.is_empty() || symbol.len() > answer::TEXT_BYTES_MAX || symbol.contains('\0') {
            return Ok(Vec::new());
        }
        let prefix = row::of_symbol(chain, symbol);
        let rows = rows_of(&*self.0.store, Table::Token, &prefix).take(NAMED_MAX);
        let address = |found: Result<(Vec<u8>, Vec<u8>), StoreError>| {
            let (key, _) = found.map_err(|error| not_read(&error))?;
            Ok(key.get(prefix.len()..).and_then(|rest| Address::try_from(rest).ok()))
        };
        rows.filter_map(|found| address(found).transpose()).collect()
    }

    /// Has it asked, unless it is already or was lately in vain.
    fn ask(&self, key: Key) -> Result<(), Unknown> {
        if let Some(why) = self.0.why(key) {
            return Err(why);
        }
        let mut state = self.0.state();
        if state.asked.contains(&key) {
            return Ok(());
        }
        if state.asked.len() >= WAITING_MAX {
            return Err(Unknown::Busy);
        }
        state.asked.insert(key);
        state.waiting.push_back(key);
        if state.under_way < UNDER_WAY_MAX {
            state.under_way += 1;
            let inner = self.0.clone();
            thread::spawn(move || inner.work());
        }
        Ok(())
    }
}

impl Inner {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn kept(&self, (chain, token): Key) -> Result<Option<Kept>, Unknown> {
        let key = row::key(chain, token);
        let found = self.store.get(Table::Token, &key);
        let kept = found.and_then(|row| row.map(|row| Kept::decode(&key, &row)).transpose());
        kept.map_err(|error| not_read(&error))
    }

    /// Why nothing is known of it, where that still holds.
    fn why(&self, key: Key) -> Option<Unknown> {
        let now = self.clock.now();
        let state = self.state();
        state.nothing.get(&key).filter(|(_, until)| now < *until).map(|(why, _)| why.clone())
    }

    /// Asks until nothing waits.
    fn work(&self) {
        loop {
            let next = {
                let mut state = self.state();
                let next = state.waiting.pop_front();
                if next.is_none() {
                    state.under_way -= 1;
                }
                next
            };
            let Some(key) = next else { return };
            let failed = self.answer(key).err();
            let mut state = self.state();
            if let Some(why) = failed {
                let now = self.clock.now();
                if state.nothing.len() >= NOTHING_MAX {
                    state.nothing.retain(|_, (_, until)| now < *until);
                }
                if state.nothing.len() >= NOTHING_MAX {
                    state.nothing.clear(); // each costs one more question at most
                }
                let held = if why == Unknown::Nothing { NOTHING_SECONDS } else { FAILED_SECONDS };
                state.nothing.insert(key, (why, UnixSeconds(now.0.saturating_add(held))));
            }
            state.asked.remove(&key);
            drop(state);
            self.changed.notify_all();
        }
    }

    /// Asks about a token, and keeps what it says.
    fn answer(&self, (chain, token): Key) -> Result<(), Unknown> {
        let call = ContractCall {
            from: superroot_types::Address::default(),
            to: None,
            data: answer::question(token),
            gas: GAS,
        };
        let called = self.nodes.call(chain.id, &call).map_err(|error| {
            tracing::debug!(chain.id = %chain.id, "nothing is known of token {token}: {error}");
            Unknown::NotAgreed
        })?;
        let metadata = answer::decode(&called.returned).ok_or(Unknown::NotAgreed)?;
        if metadata.is_nothing() {
            return Err(Unknown::Nothing);
        }
        let (block, nodes, at) = (called.block, called.nodes, self.clock.now());
        let mut batch = Batch::new();
        if let Some(symbol) = &metadata.symbol {
            batch.put(Table::Token, row::symbol_key(chain, symbol, token), []);
        }
        let kept = Kept { metadata, block, at, nodes };
        batch.put(Table::Token, row::key(chain, token), kept.encode());
        self.store.commit(batch).map_err(|error| not_read(&error))
    }
}

fn not_read(error: &StoreError) -> Unknown {
    tracing::error!("the table of tokens failed: {error}");
    Unknown::NotRead
}

#[cfg(test)]
mod tests;
