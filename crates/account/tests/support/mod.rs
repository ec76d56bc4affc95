//! Requests, and a store that fails on demand.
#![allow(dead_code, missing_docs, unreachable_pub)]

use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};

use superroot_account::meter::{CountedRequest, MeteredCaller, RouteNumber, StatusClass};
use superroot_account::{AccountId, Environment, KeyId, MeterConfig};
use superroot_store::{
    CheckReport, MemoryStore, Row, ScanOrder, Store, StoreError, Table, WriteBatch,
};
use superroot_types::UnixSeconds;

/// 2026-11-21T13:00:00Z.
pub const NOW: u64 = 1_795_266_000;
pub const DAY: u64 = 86_400;

pub fn id(number: u8) -> AccountId {
    AccountId(uuid::Uuid::from_u128(u128::from(number) + 1))
}

pub fn key(number: u8) -> KeyId {
    KeyId(uuid::Uuid::from_u128(u128::from(number) + 1_000))
}

/// A good request; tests bend what they are about.
pub fn request(account: u8) -> CountedRequest {
    CountedRequest {
        environment: Environment::Test,
        caller: MeteredCaller::Account { account: id(account), key: key(0) },
        route: RouteNumber(1),
        chain: None,
        status: StatusClass::Success,
        weight: 1,
        at: UnixSeconds(NOW),
    }
}

pub fn small() -> MeterConfig {
    MeterConfig { entries_max: 32_000, ..MeterConfig::default() }
}

/// What the next commit does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    /// Writes.
    None,
    /// Does not write, and says it does not know.
    Lost,
    /// Writes, and says it does not know.
    Unsaid,
}

/// A store in memory, the next commit of which may fail.
pub struct Flaky {
    pub inner: MemoryStore,
    pub next: Mutex<Fault>,
    pub reads: AtomicU64,
}

impl Flaky {
    pub fn new() -> Self {
        let (next, reads) = (Mutex::new(Fault::None), AtomicU64::new(0));
        Self { inner: MemoryStore::new(), next, reads }
    }

    pub fn fail_next(&self, fault: Fault) {
        *self.next.lock().unwrap() = fault;
    }
}

impl Store for Flaky {
    fn get(&self, table: Table, key: &[u8]) -> Result<Option<Vec<u8>>, StoreError> {
        self.reads.fetch_add(1, Ordering::Relaxed);
        self.inner.get(table, key)
    }

    fn scan(
        &self,
        table: Table,
        start: &[u8],
        end: Option<&[u8]>,
        limit: usize,
        direction: ScanOrder,
    ) -> Result<Vec<Row>, StoreError> {
        self.inner.scan(table, start, end, limit, direction)
    }

    fn commit(&self, batch: WriteBatch) -> Result<(), StoreError> {
        match std::mem::replace(&mut *self.next.lock().unwrap(), Fault::None) {
            Fault::None => self.inner.commit(batch),
            Fault::Lost => Err(StoreError::Dead),
            Fault::Unsaid => self.inner.commit(batch).and(Err(StoreError::Dead)),
        }
    }

    fn commit_count(&self) -> u64 {
        self.inner.commit_count()
    }

    fn check(&self, progress: &mut dyn FnMut(Table, u64)) -> Result<CheckReport, StoreError> {
        self.inner.check(progress)
    }
}
