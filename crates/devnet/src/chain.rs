//! The chain: blocks by number, a block a second.

use std::collections::{BTreeMap, HashMap};
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use alloy_consensus::BlockHeader;
use alloy_primitives::{Address, B256, U256};
use alloy_rpc_types_eth as rpc;
use superroot_types::Clock;

use crate::block::{GAS_LIMIT, Included, SealedBlock, next_header, seal};
use crate::error::DevnetError;
use crate::journal::{Journal, JournalBlock};
use crate::pool::{Pool, PooledTransaction};
use crate::state::{BlockContext, State};

/// Most blocks sealed at a time.
const BLOCKS_AT_ONCE: u64 = 3_600;

/// A chain's settings.
#[derive(Clone, Debug)]
pub struct DevnetConfig {
    /// Chain id.
    pub chain_id: u64,
    /// Accounts with coins at the beginning, in wei.
    pub funded: Vec<(Address, U256)>,
    /// Journal file.
    pub journal: PathBuf,
}

/// This process's chain.
pub struct Devnet {
    chain_id: u64,
    clock: Arc<dyn Clock>,
    inner: Mutex<Inner>,
}

impl std::fmt::Debug for Devnet {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Devnet").field("chain_id", &self.chain_id).finish_non_exhaustive()
    }
}

pub(crate) struct Inner {
    pub(crate) state: State,
    pub(crate) pool: Pool,
    journal: Journal,
    head: SealedBlock,
    /// Hash and time of each block, by number.
    spans: Vec<(B256, u64)>,
    /// Blocks with transactions, and block 0.
    full: BTreeMap<u64, Arc<SealedBlock>>,
    numbers: HashMap<B256, u64>,
    /// Block and position of each transaction.
    places: HashMap<B256, (u64, usize)>,
    /// Whether a block was sealed since the start.
    is_running: bool,
    /// First failure of the journal: nothing is sealed afterwards.
    fault: Option<String>,
}

impl Devnet {
    /// Opens a chain: executes the journal's transactions again.
    ///
    /// # Errors
    /// [`DevnetError::Journal`], [`DevnetError::Damaged`].
    pub fn open(config: &DevnetConfig, clock: Arc<dyn Clock>) -> Result<Arc<Self>, DevnetError> {
        let (mut journal, blocks) = Journal::open(&config.journal, config.chain_id)?;
        let state = State::new(config.chain_id, &config.funded);
        let mut blocks = blocks.into_iter();
        let first = match blocks.next() {
            Some(first) => first,
            None => {
                let first = JournalBlock { timestamp: clock.now().0, transactions: Vec::new() };
                journal.append(&first)?;
                first
            }
        };
        let head = seal(next_header(None, first.timestamp), state.root(), Vec::new());
        let mut inner = Inner {
            state,
            pool: Pool::default(),
            journal,
            spans: vec![(head.header.hash, first.timestamp)],
            full: BTreeMap::from([(0, Arc::new(head.clone()))]),
            numbers: HashMap::from([(head.header.hash, 0)]),
            places: HashMap::new(),
            head,
            is_running: false,
            fault: None,
        };
        inner.enter();
        let path = || config.journal.display().to_string();
        for block in blocks {
            let transactions: Vec<Vec<u8>> = block.transactions;
            let read = transactions.iter().map(|raw| PooledTransaction::read(raw, config.chain_id));
            let read: Vec<PooledTransaction> = read.collect::<Result<_, _>>()?;
            let count = read.len();
            let mut waiting = read.into_iter();
            let included = inner.execute(block.timestamp, |_, _, _| waiting.next());
            if included.1.len() != count {
                let why = "has a transaction that cannot be executed";
                return Err(DevnetError::Damaged { path: path(), why });
            }
            inner.push(included.0, included.1);
        }
        let (chain_id, inner) = (config.chain_id, Mutex::new(inner));
        Ok(Arc::new(Self { chain_id, clock, inner }))
    }

    /// Chain id.
    #[must_use]
    pub const fn chain_id(&self) -> u64 {
        self.chain_id
    }

    /// Takes a signed transaction (EIP-2718) and returns the hash.
    ///
    /// # Errors
    /// [`DevnetError::Refused`], in the words of usual nodes.
    pub fn submit(&self, raw: &[u8]) -> Result<B256, DevnetError> {
        let transaction = PooledTransaction::read(raw, self.chain_id)?;
        let hash = transaction.hash();
        let mut inner = self.at_now();
        let Inner { state, pool, .. } = &mut *inner;
        pool.take(transaction, state, GAS_LIMIT)?;
        Ok(hash)
    }

    /// Nonce of an account's next transaction, after the waiting ones.
    #[must_use]
    pub fn next_nonce(&self, account: Address) -> u64 {
        let inner = self.at_now();
        inner.pool.pending_nonce(&inner.state, account)
    }

    /// Whether a transaction is in a block.
    #[must_use]
    pub fn is_included(&self, hash: B256) -> bool {
        self.at_now().places.contains_key(&hash)
    }

    /// The chain, with all blocks up to now.
    pub(crate) fn at_now(&self) -> MutexGuard<'_, Inner> {
        // a block is pushed only when whole, so a panic of another thread leaves no harm
        let mut inner = self.inner.lock().unwrap_or_else(PoisonError::into_inner);
        inner.advance(self.clock.now().0);
        inner
    }
}

impl Inner {
    /// Seals a block for each second up to a time. A pause of the process leaves a gap of time, not of numbers.
    fn advance(&mut self, now: u64) {
        for _ in 0..BLOCKS_AT_ONCE {
            let last = self.head.header.timestamp();
            if now <= last || self.fault.is_some() {
                return;
            }
            let next = if self.is_running { last.saturating_add(1) } else { now };
            self.is_running = true;
            let mut pool = std::mem::take(&mut self.pool);
            let (header, included) =
                self.execute(next, |state, base_fee, left| pool.next(state, base_fee, left));
            pool.forget_used(&self.state);
            self.pool = pool;
            let raw = |(transaction, _): &Included| transaction.raw.clone();
            let transactions = included.iter().map(raw).collect();
            if let Err(error) = self.journal.append(&JournalBlock { timestamp: next, transactions })
            {
                self.fault = Some(error.to_string());
                return;
            }
            self.push(header, included);
        }
    }

    /// Executes transactions for a block at a time.
    fn execute(
        &mut self,
        timestamp: u64,
        mut next: impl FnMut(&State, u64, u64) -> Option<PooledTransaction>,
    ) -> (alloy_consensus::Header, Vec<Included>) {
        let header = next_header(Some(&self.head.header), timestamp);
        let base_fee = header.base_fee_per_gas.unwrap_or(0);
        let number = header.number;
        self.state.enter(BlockContext { number, timestamp, base_fee, gas_limit: GAS_LIMIT });
        let mut left = GAS_LIMIT;
        let mut included = Vec::new();
        while let Some(transaction) = next(&self.state, base_fee, left) {
            // what cannot be paid any more is dropped
            if let Ok(executed) = self.state.apply(&transaction.envelope, transaction.sender) {
                left = left.saturating_sub(executed.gas_used);
                included.push((transaction, executed));
            }
        }
        (header, included)
    }

    fn push(&mut self, header: alloy_consensus::Header, included: Vec<Included>) {
        let is_empty = included.is_empty();
        let root = if is_empty { self.head.header.state_root() } else { self.state.root() };
        let block = seal(header, root, included);
        let number = block.header.number();
        self.spans.push((block.header.hash, block.header.timestamp()));
        self.numbers.insert(block.header.hash, number);
        for (at, receipt) in block.receipts.iter().enumerate() {
            self.places.insert(receipt.transaction_hash, (number, at));
        }
        if !is_empty {
            self.full.insert(number, Arc::new(block.clone()));
        }
        self.head = block;
    }

    /// Lets calls see the newest block.
    fn enter(&mut self) {
        let header = &self.head.header;
        let (number, timestamp) = (header.number(), header.timestamp());
        let base_fee = header.base_fee_per_gas().unwrap_or(0);
        self.state.enter(BlockContext { number, timestamp, base_fee, gas_limit: GAS_LIMIT });
    }

    pub(crate) const fn head(&self) -> &SealedBlock {
        &self.head
    }

    /// Number and hash of the newest block.
    pub(crate) fn head_number(&self) -> u64 {
        self.head.header.number()
    }

    pub(crate) fn hash(&self, number: u64) -> Option<B256> {
        let at = usize::try_from(number).ok()?;
        self.spans.get(at).map(|(hash, _)| *hash)
    }

    pub(crate) fn number_of(&self, hash: B256) -> Option<u64> {
        self.numbers.get(&hash).copied()
    }

    /// Block with a number. An empty block is made again from the blocks around it.
    pub(crate) fn block(&self, number: u64) -> Option<Arc<SealedBlock>> {
        if let Some(full) = self.full.get(&number) {
            return Some(full.clone());
        }
        if number == self.head_number() {
            return Some(Arc::new(self.head.clone()));
        }
        let at = usize::try_from(number).ok()?;
        let (_, timestamp) = self.spans.get(at)?;
        let (from, before) = self.full.range(..number).next_back()?;
        let mut parent = before.header.clone();
        for between in from.saturating_add(1)..number {
            let (hash, timestamp) = self.spans.get(usize::try_from(between).ok()?)?;
            let header = next_header(Some(&parent), *timestamp);
            let is_steady = header.base_fee_per_gas == parent.base_fee_per_gas;
            let state_root = before.header.state_root();
            let inner = alloy_consensus::Header { state_root, ..header };
            parent = rpc::Header { hash: *hash, inner, total_difficulty: None, size: None };
            if is_steady {
                break;
            }
        }
        // from a steady base fee on, headers differ in parent, number and time alone
        let (parent_hash, _) = self.spans.get(at.checked_sub(1)?)?;
        let header = next_header(Some(&parent), *timestamp);
        let header = alloy_consensus::Header { parent_hash: *parent_hash, number, ..header };
        Some(Arc::new(seal(header, before.header.state_root(), Vec::new())))
    }

    pub(crate) fn place(&self, transaction: B256) -> Option<(u64, usize)> {
        self.places.get(&transaction).copied()
    }

    /// Blocks with transactions in a range.
    pub(crate) fn full(&self, from: u64, to: u64) -> impl Iterator<Item = &SealedBlock> {
        // an inverted range of a tree panics
        let from = from.min(to.saturating_add(1));
        self.full.range(from..to.saturating_add(1)).map(|(_, block)| &**block)
    }

    pub(crate) fn fault(&self) -> Option<&str> {
        self.fault.as_deref()
    }
}
