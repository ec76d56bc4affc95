//! Laws of accounts and keys, on one node and on two over one store.

mod nodes;
mod owners;
mod rules;

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, OnceLock, Weak};

use superroot_store::{
    CheckReport, MemoryStore, Row, ScanOrder, Store, StoreError, Table, WriteBatch,
};
use superroot_types::{Address, ManualClock, UnixSeconds};

use super::Accounts;
use crate::key::CreatedKey;
use crate::routes::tests::SAMPLE;
use crate::{
    Account, AccountConfig, AccountError, Entitlement, Environment, KeysConfig, ManualStopwatch,
    Operator, ProvenWallet, Tier, WalletLink,
};

const NOW: u64 = 1_700_000_000;

/// What a test does in the middle of a read.
type Hook = Box<dyn FnOnce() + Send>;

/// A store that fails when told to, and can be made to do something in the middle of a read.
#[derive(Default)]
struct BentStore {
    rows: MemoryStore,
    is_down: AtomicBool,
    after_get_of: Mutex<Option<(Table, Hook)>>,
    /// Every row that was asked for.
    asked: Mutex<Vec<(Table, Vec<u8>)>>,
}

impl BentStore {
    fn check_up(&self) -> Result<(), StoreError> {
        if self.is_down.load(Ordering::SeqCst) { Err(StoreError::Dead) } else { Ok(()) }
    }
}

impl Store for BentStore {
    fn get(&self, table: Table, key: &[u8]) -> Result<Option<Vec<u8>>, StoreError> {
        self.check_up()?;
        self.asked.lock().unwrap().push((table, key.to_vec()));
        let found = self.rows.get(table, key)?;
        let hook = {
            let mut hook = self.after_get_of.lock().unwrap();
            if hook.as_ref().is_some_and(|(at, _)| *at == table) { hook.take() } else { None }
        };
        if let Some((_, hook)) = hook {
            hook();
        }
        Ok(found)
    }

    fn scan(
        &self,
        table: Table,
        start: &[u8],
        end: Option<&[u8]>,
        limit: usize,
        direction: ScanOrder,
    ) -> Result<Vec<Row>, StoreError> {
        self.check_up()?;
        self.asked.lock().unwrap().push((table, start.to_vec()));
        self.rows.scan(table, start, end, limit, direction)
    }

    fn commit(&self, batch: WriteBatch) -> Result<(), StoreError> {
        self.check_up()?;
        self.rows.commit(batch)
    }

    fn commit_count(&self) -> u64 {
        self.rows.commit_count()
    }

    fn check(&self, progress: &mut dyn FnMut(Table, u64)) -> Result<CheckReport, StoreError> {
        self.rows.check(progress)
    }
}

/// One store, one clock, one stopwatch; as many nodes as asked for.
struct World {
    store: Arc<BentStore>,
    clock: Arc<ManualClock>,
    stopwatch: Arc<ManualStopwatch>,
}

impl World {
    fn new() -> Self {
        Self {
            store: Arc::default(),
            clock: Arc::new(ManualClock::at(UnixSeconds(NOW))),
            stopwatch: Arc::default(),
        }
    }

    fn node(&self) -> Accounts {
        self.node_with(KeysConfig { environment: Environment::Test, ..KeysConfig::default() })
    }

    fn node_with(&self, keys: KeysConfig) -> Accounts {
        let config = AccountConfig { keys, routes: SAMPLE, ..AccountConfig::default() };
        let (store, clock) = (self.store.clone(), self.clock.clone());
        let node = Accounts::open(store, clock, self.stopwatch.clone(), config).unwrap();
        node.refresh().unwrap();
        node
    }

    /// Moves both clocks.
    fn pass(&self, seconds: u64) {
        self.clock.advance(seconds);
        self.stopwatch.advance_ms(seconds * 1_000);
    }

    fn proven(&self, byte: u8) -> ProvenWallet {
        ProvenWallet::assumed(Environment::Test, wallet(byte))
    }

    /// Has a wallet sign for the account of a key.
    fn prove(
        &self,
        node: &Accounts,
        issued: &CreatedKey,
        byte: u8,
    ) -> Result<WalletLink, AccountError> {
        node.prove_wallet(&entitled(node, issued), &self.proven(byte))
    }

    fn rows(&self, table: Table) -> Vec<Row> {
        self.store.rows.scan(table, b"", None, usize::MAX, ScanOrder::Rising).unwrap()
    }
}

fn wallet(byte: u8) -> Address {
    Address([byte; 20])
}

fn operator() -> Operator {
    Operator { who: "ana".into(), why: "asked by the customer".into() }
}

fn register(node: &Accounts) -> (Account, CreatedKey) {
    node.register(wallet(7)).unwrap()
}

/// What the key is refused with.
fn refusal(node: &Accounts, issued: &CreatedKey) -> Option<AccountError> {
    node.authenticate(issued.secret.expose()).err()
}

fn is_served(node: &Accounts, issued: &CreatedKey) -> bool {
    refusal(node, issued).is_none()
}

fn entitled(node: &Accounts, issued: &CreatedKey) -> Arc<Entitlement> {
    node.authenticate(issued.secret.expose()).unwrap()
}

fn tier(node: &Accounts, issued: &CreatedKey) -> Tier {
    entitled(node, issued).tier()
}
