//! What tokens say of themselves, asked of nodes once and kept.

use std::collections::{HashMap, HashSet};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use alloy_primitives::Address;
use superroot_account::wallet::{Called, ContractCall, ContractCaller};
use superroot_store::{Batch, Store, StoreError, Table};
use superroot_types::{BlockNumber, ChainKey, Clock, UnixSeconds};

use crate::inspect::{self, Inspection, Trade};
use crate::row::{self, Inspected, Kept};
use crate::{Metadata, answer};

/// Questions about tokens of one chain at once, each on a thread of its own; past it nothing is asked.
const UNDER_WAY_MAX: usize = 4;
/// Tokens of which it is remembered that nothing is known.
const NOTHING_MAX: usize = 16_384;
/// How long a token of which nothing came is not asked again, in seconds: its contract may come later.
const NOTHING_SECONDS: u64 = 30;
/// After how long what a token said is asked again, in seconds: it may have been asked before it was set up.
const OLD_SECONDS: u64 = 86_400;

/// After how long a trade is tried again, in seconds, while the token is young: owners go, liquidity is locked. Later, once
/// what is known is as old as the token was then.
const TRADE_OLD_SECONDS: u64 = 300;

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
    /// Its contract does not say, or there is no contract.
    #[error("its contract does not say how many digits it has behind the point")]
    NoDecimals,
    /// It is too new.
    #[error("it was not there when its nodes were asked; ask again in some seconds")]
    NotYet,
    /// Not enough nodes agree.
    #[error("its nodes could not be asked")]
    NotAgreed,
    /// What is kept cannot be read.
    #[error("what is kept of it cannot be read")]
    NotRead,
}

/// What is asked about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum About {
    /// What a token says of itself.
    Token(Address),
    /// What a trade of a new token shows.
    Trade(Trade),
}

type Key = (ChainKey, About);

/// What a token says of itself, and who says so.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Known {
    /// What it says: how many digits it has, and perhaps more.
    pub metadata: Metadata,
    /// The nodes that agree.
    pub nodes: Vec<String>,
    /// The block after which they were asked.
    pub block: BlockNumber,
}

#[derive(Default)]
struct State {
    /// Those that are being asked.
    asked: HashSet<Key>,
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

    /// What a token said when it was asked. Nobody waits: what is old is asked again meanwhile.
    ///
    /// # Errors
    /// [`Unknown::NotRead`].
    pub fn known(&self, chain: ChainKey, token: Address) -> Result<Option<Known>, Unknown> {
        let key = row::key(chain, token);
        let Some(kept) = self.0.kept(&key, Kept::decode)? else { return Ok(None) };
        let age_seconds = self.0.clock.now().0.saturating_sub(kept.at.0);
        if age_seconds > OLD_SECONDS && self.0.nodes.asks(chain.id) {
            // where that cannot be done now, it is done later
            self.ask((chain, About::Token(token))).ok();
        }
        let Kept { metadata, block, nodes, .. } = kept;
        Ok(Some(Known { metadata, nodes, block }))
    }

    /// What a token says of itself, as enough nodes agree. Where that is not kept it is asked, and waited for as long as
    /// given. Blocks.
    ///
    /// # Errors
    /// [`Unknown`]: nothing is known, now or at all.
    pub fn get(&self, chain: ChainKey, token: Address, wait: Duration) -> Result<Known, Unknown> {
        let key = (chain, About::Token(token));
        if let Some(known) = self.known(chain, token)? {
            return Ok(known);
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
        match self.known(chain, token)? {
            Some(known) => Ok(known),
            None => Err(self.0.why(key).unwrap_or(Unknown::NotAgreed)),
        }
    }

    /// What a trade of a new token showed. Where that is not kept it is asked, where it is old it is asked again, and nobody
    /// waits. The token was launched then.
    ///
    /// # Errors
    /// [`Unknown`]: nothing is known, now or at all.
    pub fn inspected(
        &self,
        chain: ChainKey,
        trade: &Trade,
        launched_at: UnixSeconds,
    ) -> Result<Inspected, Unknown> {
        let key = row::trade_key(chain, trade);
        if let Some(inspected) = self.0.kept(&key, Inspected::decode)? {
            let age_seconds = self.0.clock.now().0.saturating_sub(inspected.at.0);
            let was_seconds = inspected.at.0.saturating_sub(launched_at.0);
            if age_seconds > TRADE_OLD_SECONDS.max(was_seconds) {
                // where that cannot be done now, it is done later
                self.ask((chain, About::Trade(*trade))).ok();
            }
            return Ok(inspected);
        }
        self.ask((chain, About::Trade(*trade)))?;
        Err(Unknown::Asking)
    }

    /// Has it asked, unless it is already or was lately in vain.
    fn ask(&self, key: Key) -> Result<(), Unknown> {
        if !self.0.nodes.asks(key.0.id) {
            return Err(Unknown::NoNodes);
        }
        if let Some(why) = self.0.why(key) {
            return Err(why);
        }
        let mut state = self.0.state();
        if state.asked.contains(&key) {
            return Ok(());
        }
        if state.asked.iter().filter(|asked| asked.0 == key.0).count() >= UNDER_WAY_MAX {
            return Err(Unknown::Busy);
        }
        state.asked.insert(key);
        drop(state);
        let asked = Asked { inner: self.0.clone(), key, failed: Some(Unknown::NotAgreed) };
        let thread = thread::Builder::new().name("token".to_owned());
        // where there is no thread to be had the question ends as one that failed
        thread.spawn(move || asked.run()).map(|_| ()).map_err(|_| Unknown::Busy)
    }
}

/// A question under way. However it ends, whoever waits hears of it.
struct Asked {
    inner: Arc<Inner>,
    key: Key,
    failed: Option<Unknown>,
}

impl Asked {
    fn run(mut self) {
        self.failed = self.inner.answer(self.key).err();
    }
}

impl Drop for Asked {
    fn drop(&mut self) {
        let mut state = self.inner.state();
        if let Some(why) = self.failed.take() {
            let now = self.inner.clock.now();
            if state.nothing.len() >= NOTHING_MAX {
                state.nothing.retain(|_, (_, until)| now < *until);
            }
            if state.nothing.len() >= NOTHING_MAX {
                state.nothing.clear(); // each costs one more question at most
            }
            let until = UnixSeconds(now.0.saturating_add(NOTHING_SECONDS));
            state.nothing.insert(self.key, (why, until));
        }
        state.asked.remove(&self.key);
        drop(state);
        self.inner.changed.notify_all();
    }
}

impl Inner {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn kept<T>(
        &self,
        key: &[u8],
        decode: fn(&[u8], &[u8]) -> Result<T, StoreError>,
    ) -> Result<Option<T>, Unknown> {
        let found = self.store.get(Table::Token, key);
        let kept = found.and_then(|row| row.map(|row| decode(key, &row)).transpose());
        kept.map_err(|error| not_read(&error))
    }

    /// Why nothing is known of it, where that still holds.
    fn why(&self, key: Key) -> Option<Unknown> {
        let now = self.clock.now();
        let state = self.state();
        state.nothing.get(&key).filter(|(_, until)| now < *until).map(|(why, _)| why.clone())
    }

    /// Asks, and keeps what was said.
    fn answer(&self, (chain, about): Key) -> Result<(), Unknown> {
        let mut batch = Batch::new();
        match about {
            About::Token(token) => {
                let (to, code) = (None, None);
                let called = self.call(chain, to, answer::question(token), code, answer::GAS)?;
                let metadata = answer::decode(&called.returned).ok_or(Unknown::NotAgreed)?;
                if metadata.decimals.is_none() {
                    return Err(Unknown::NoDecimals);
                }
                let (block, nodes, at) = (called.block, called.nodes, self.clock.now());
                let kept = Kept { metadata, block, at, nodes };
                batch.put(Table::Token, row::key(chain, token), kept.encode());
            }
            About::Trade(trade) => {
                let to = Some(superroot_types::Address(inspect::TRADER.into_array()));
                let code = Some(trade.code());
                let called = self.call(chain, to, trade.input(), code, inspect::GAS)?;
                let found = Inspection::decode(&called.returned).ok_or(Unknown::NotAgreed)?;
                // neither the token nor its pool was there yet
                if found == Inspection::default() {
                    return Err(Unknown::NotYet);
                }
                let inspected = Inspected { found, block: called.block, at: self.clock.now() };
                batch.put(Table::Token, row::trade_key(chain, &trade), inspected.encode());
            }
        }
        self.store.commit(batch).map_err(|error| not_read(&error))
    }

    fn call(
        &self,
        chain: ChainKey,
        to: Option<superroot_types::Address>,
        data: Vec<u8>,
        code: Option<Vec<u8>>,
        gas: u64,
    ) -> Result<Called, Unknown> {
        let from = superroot_types::Address::default();
        let call = ContractCall { from, to, data, gas, code };
        self.nodes.call(chain.id, &call).map_err(|error| {
            tracing::debug!(chain.id = %chain.id, "a question about a token failed: {error}");
            Unknown::NotAgreed
        })
    }
}

fn not_read(error: &StoreError) -> Unknown {
    tracing::error!("the table of tokens failed: {error}");
    Unknown::NotRead
}

#[cfg(test)]
mod tests;
