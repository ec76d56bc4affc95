//! Directory of token metadata: each token is queried once and the answer stored.

use std::collections::{HashMap, HashSet};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use alloy_primitives::Address;
use superroot_account::wallet::{CallResult, ContractCaller, WalletCall};
use superroot_store::{Store, StoreError, Table, WriteBatch};
use superroot_types::{BlockNumber, ChainKey, Clock, UnixSeconds};

use crate::inspect::{self, Inspection, TradePool};
use crate::row::{self, InspectionRow, TokenAnswerRow};
use crate::{Metadata, answer};

/// Concurrent queries per chain, each on its own thread; further queries are refused.
const UNDER_WAY_MAX: usize = 4;
/// Most cached failures.
const NOTHING_MAX: usize = 16_384;
/// Pause before a failed query is repeated, in seconds: the contract may be deployed later.
const NOTHING_SECONDS: u64 = 30;
/// Age at which metadata is refreshed, in seconds: the first query may precede the token's setup.
const OLD_SECONDS: u64 = 86_400;

/// Age at which the trade of a young token is repeated, in seconds: owners leave, liquidity gets locked. An older token
/// waits until the result is as old as the token was at the inspection.
const TRADE_OLD_SECONDS: u64 = 300;

/// Reason for a missing token answer.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NoTokenAnswer {
    #[error("this service asks no node of its chain")]
    NoNodes,
    #[error("its nodes are being asked; ask again in some seconds")]
    Asking,
    #[error("too many tokens are being asked about; ask again in some seconds")]
    Busy,
    /// The contract reports no decimals, or does not exist.
    #[error("its contract does not say how many digits it has behind the point")]
    NoDecimals,
    #[error("it was not there when its nodes were asked; ask again in some seconds")]
    NotYet,
    /// Not enough nodes agree.
    #[error("its nodes could not be asked")]
    NotAgreed,
    #[error("what is kept of it cannot be read")]
    NotRead,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum TokenQuestion {
    Token(Address),
    Trade(TradePool),
}

type Key = (ChainKey, TokenQuestion);

/// Why a query starts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Occasion {
    /// No answer was stored.
    Unknown,
    /// The stored answer is old.
    Old,
}

/// Token metadata and its sources.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TokenRecord {
    /// Metadata; `decimals` is always present.
    pub metadata: Metadata,
    pub nodes: Vec<String>,
    /// Block after which the nodes executed the query.
    pub block: BlockNumber,
}

#[derive(Default)]
struct LookupState {
    asked: HashSet<Key>,
    /// Failed queries: reason, and end of the retry pause.
    nothing: HashMap<Key, (NoTokenAnswer, UnixSeconds)>,
}

struct DirectoryState {
    store: Arc<dyn Store>,
    nodes: Arc<dyn ContractCaller>,
    clock: Arc<dyn Clock>,
    state: Mutex<LookupState>,
    changed: Condvar,
}

/// Directory of token metadata. A few queries at a time run on their own threads; a caller chooses how long to wait.
#[derive(Clone)]
pub struct TokenDirectory(Arc<DirectoryState>);

impl TokenDirectory {
    pub fn new(
        store: Arc<dyn Store>,
        nodes: Arc<dyn ContractCaller>,
        clock: Arc<dyn Clock>,
    ) -> Self {
        let state = Mutex::default();
        let changed = Condvar::new();
        Self(Arc::new(DirectoryState { store, nodes, clock, state, changed }))
    }

    /// Returns the stored metadata without waiting; an old answer is refreshed in the background.
    ///
    /// # Errors
    /// [`NoTokenAnswer::NotRead`].
    pub fn known(
        &self,
        chain: ChainKey,
        token: Address,
    ) -> Result<Option<TokenRecord>, NoTokenAnswer> {
        let key = row::key(chain, token);
        let Some(kept) = self.0.kept(&key, TokenAnswerRow::decode)? else { return Ok(None) };
        let age_seconds = self.0.clock.now().0.saturating_sub(kept.at.0);
        if age_seconds > OLD_SECONDS && self.0.nodes.asks(chain.id) {
            // where that cannot be done now, it is done later
            self.ask((chain, TokenQuestion::Token(token)), Occasion::Old).ok();
        }
        let TokenAnswerRow { metadata, block, nodes, .. } = kept;
        Ok(Some(TokenRecord { metadata, nodes, block }))
    }

    /// Returns token metadata on which enough nodes agree. Queries the nodes if none is stored, and blocks for at most
    /// `wait`.
    pub fn get(
        &self,
        chain: ChainKey,
        token: Address,
        wait: Duration,
    ) -> Result<TokenRecord, NoTokenAnswer> {
        let key = (chain, TokenQuestion::Token(token));
        if let Some(known) = self.known(chain, token)? {
            return Ok(known);
        }
        self.ask(key, Occasion::Unknown)?;
        let until = Instant::now() + wait;
        let mut state = self.0.state();
        while state.asked.contains(&key) {
            let left = until.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return Err(NoTokenAnswer::Asking);
            }
            let waited = self.0.changed.wait_timeout(state, left);
            state = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
        drop(state);
        match self.known(chain, token)? {
            Some(known) => Ok(known),
            None => Err(self.0.why(key).unwrap_or(NoTokenAnswer::NotAgreed)),
        }
    }

    /// Returns the result of a simulated trade without waiting. Starts a trade if no result is stored, and repeats an
    /// old one in the background. The token was launched at `launched_at`.
    pub fn inspected(
        &self,
        chain: ChainKey,
        trade: &TradePool,
        launched_at: UnixSeconds,
    ) -> Result<InspectionRow, NoTokenAnswer> {
        let key = row::trade_key(chain, trade);
        if let Some(inspected) = self.0.kept(&key, InspectionRow::decode)? {
            let age_seconds = self.0.clock.now().0.saturating_sub(inspected.at.0);
            let was_seconds = inspected.at.0.saturating_sub(launched_at.0);
            if age_seconds > TRADE_OLD_SECONDS.max(was_seconds) {
                // where that cannot be done now, it is done later
                self.ask((chain, TokenQuestion::Trade(*trade)), Occasion::Old).ok();
            }
            return Ok(inspected);
        }
        self.ask((chain, TokenQuestion::Trade(*trade)), Occasion::Unknown)?;
        Err(NoTokenAnswer::Asking)
    }

    /// Starts a query, unless the same query is running or failed recently.
    fn ask(&self, key: Key, occasion: Occasion) -> Result<(), NoTokenAnswer> {
        if !self.0.nodes.asks(key.0.id) {
            return Err(NoTokenAnswer::NoNodes);
        }
        if let Some(why) = self.0.why(key) {
            return Err(why);
        }
        let mut state = self.0.state();
        if state.asked.contains(&key) {
            return Ok(());
        }
        if state.asked.iter().filter(|asked| asked.0 == key.0).count() >= UNDER_WAY_MAX {
            return Err(NoTokenAnswer::Busy);
        }
        state.asked.insert(key);
        drop(state);
        let failed = Some(NoTokenAnswer::NotAgreed);
        let asked = PendingQuestion { inner: self.0.clone(), key, occasion, failed };
        let thread = thread::Builder::new().name("token".to_owned());
        // where there is no thread to be had the question ends as one that failed
        thread.spawn(move || asked.run()).map(|_| ()).map_err(|_| NoTokenAnswer::Busy)
    }
}

/// Running query. Dropping the query wakes all waiting callers, also after a panic.
struct PendingQuestion {
    inner: Arc<DirectoryState>,
    key: Key,
    occasion: Occasion,
    failed: Option<NoTokenAnswer>,
}

impl PendingQuestion {
    fn run(mut self) {
        // another query may have ended between the caller's look and this one's place
        let is_answered = self.occasion == Occasion::Unknown && self.inner.has(self.key);
        self.failed = if is_answered { None } else { self.inner.answer(self.key).err() };
    }
}

impl Drop for PendingQuestion {
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

impl DirectoryState {
    /// Whether an answer is stored.
    fn has(&self, (chain, question): Key) -> bool {
        match question {
            TokenQuestion::Token(token) => {
                let kept = self.kept(&row::key(chain, token), TokenAnswerRow::decode);
                kept.is_ok_and(|kept| kept.is_some())
            }
            TokenQuestion::Trade(trade) => {
                let kept = self.kept(&row::trade_key(chain, &trade), InspectionRow::decode);
                kept.is_ok_and(|kept| kept.is_some())
            }
        }
    }

    fn state(&self) -> MutexGuard<'_, LookupState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn kept<T>(
        &self,
        key: &[u8],
        decode: fn(&[u8], &[u8]) -> Result<T, StoreError>,
    ) -> Result<Option<T>, NoTokenAnswer> {
        let found = self.store.get(Table::Token, key);
        let kept = found.and_then(|row| row.map(|row| decode(key, &row)).transpose());
        kept.map_err(|error| not_read(&error))
    }

    fn why(&self, key: Key) -> Option<NoTokenAnswer> {
        let now = self.clock.now();
        let state = self.state();
        state.nothing.get(&key).filter(|(_, until)| now < *until).map(|(why, _)| why.clone())
    }

    fn answer(&self, (chain, about): Key) -> Result<(), NoTokenAnswer> {
        let mut batch = WriteBatch::new();
        match about {
            TokenQuestion::Token(token) => {
                let to = None;
                let code = None;
                let called = self.call(chain, to, answer::question(token), code, answer::GAS)?;
                let metadata = answer::decode(&called.returned).ok_or(NoTokenAnswer::NotAgreed)?;
                if metadata.decimals.is_none() {
                    return Err(NoTokenAnswer::NoDecimals);
                }
                let block = called.block;
                let nodes = called.nodes;
                let at = self.clock.now();
                let kept = TokenAnswerRow { metadata, block, at, nodes };
                batch.put(Table::Token, row::key(chain, token), kept.encode());
            }
            TokenQuestion::Trade(trade) => {
                let to = Some(superroot_types::Address(inspect::TRADER.into_array()));
                let code = Some(trade.code());
                let called = self.call(chain, to, trade.input(), code, inspect::GAS)?;
                let found = Inspection::decode(&called.returned).ok_or(NoTokenAnswer::NotAgreed)?;
                // neither the token nor its pool was there yet
                if found == Inspection::default() {
                    return Err(NoTokenAnswer::NotYet);
                }
                let inspected = InspectionRow { found, block: called.block, at: self.clock.now() };
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
    ) -> Result<CallResult, NoTokenAnswer> {
        let from = superroot_types::Address::default();
        let call = WalletCall { from, to, data, gas, code };
        self.nodes.call(chain.id, &call).map_err(|error| {
            tracing::debug!(chain.id = %chain.id, "a question about a token failed: {error}");
            NoTokenAnswer::NotAgreed
        })
    }
}

fn not_read(error: &StoreError) -> NoTokenAnswer {
    tracing::error!("the table of tokens failed: {error}");
    NoTokenAnswer::NotRead
}

#[cfg(test)]
mod tests;
