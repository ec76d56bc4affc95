//! Buckets in this process.

use std::collections::HashMap;
use std::convert::Infallible;
use std::hash::Hash;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use foldhash::fast::RandomState;
use quick_cache::sync::Cache;
use superroot_types::Clock;

use super::bucket::{self, FullAt};
use super::ticks::{Moment, Ticks};
use super::{AddressPrefix, Allowance, Counter, Counters, Rate};
use crate::{AccountId, KeyId};

/// Parts of the accounts' buckets, each behind its own lock.
const SHARDS: usize = 64;

/// Buckets of a part below which nothing is swept.
const SWEEP_MIN: usize = 256;

/// Buckets in memory. Those of accounts are exact and swept when they are full; those of address
/// prefixes are a cache of `clients_max` a kind, which forgets the rarely seen: that gives such a
/// one a full bucket, and who has that many prefixes has that many buckets anyway.
pub struct InProcess {
    ticks: Ticks,
    accounts: [Mutex<Shard>; SHARDS],
    addresses: Prefixes,
    of_keys: Buckets<KeyId>,
    failed_keys: Prefixes,
    key_looks: Prefixes,
    key_looks_of_all: AtomicU64,
    registrations_hour: Prefixes,
    registrations_day: Prefixes,
}

type Buckets<K> = Cache<K, Arc<AtomicU64>>;
type Prefixes = Buckets<AddressPrefix>;

/// Where a counter is kept, and its name there.
enum Place<'a> {
    Account(AccountId),
    Key(KeyId),
    Prefix(&'a Prefixes, AddressPrefix),
    All(&'a AtomicU64),
}

/// Buckets of some accounts.
struct Shard {
    full_at: HashMap<AccountId, FullAt, RandomState>,
    /// So many buckets bring about the next sweep.
    sweep_at: usize,
}

impl InProcess {
    /// Room for so many address prefixes of each kind.
    #[must_use]
    pub fn new(clients_max: usize, clock: Arc<dyn Clock>) -> Self {
        let prefixes = || Cache::new(clients_max.max(1));
        let shard = |_| Mutex::new(Shard { full_at: HashMap::default(), sweep_at: SWEEP_MIN });
        Self {
            ticks: Ticks::new(clock),
            accounts: std::array::from_fn(shard),
            addresses: prefixes(),
            of_keys: Cache::new(clients_max.max(1)),
            failed_keys: prefixes(),
            key_looks: prefixes(),
            key_looks_of_all: AtomicU64::new(0),
            registrations_hour: prefixes(),
            registrations_day: prefixes(),
        }
    }

    /// Accounts and address prefixes (the largest kind) that have a bucket now.
    #[must_use]
    pub fn bucket_counts(&self) -> (usize, usize) {
        let accounts = self.accounts.iter().map(|shard| lock(shard).full_at.len()).sum();
        let kinds = [
            &self.addresses,
            &self.failed_keys,
            &self.key_looks,
            &self.registrations_hour,
            &self.registrations_day,
        ];
        (accounts, kinds.into_iter().map(Cache::len).max().unwrap_or(0))
    }

    /// Ids are random, so that one byte of them spreads evenly.
    fn shard(&self, account: AccountId) -> MutexGuard<'_, Shard> {
        let [.., last] = *account.0.as_bytes();
        lock(&self.accounts[usize::from(last) % SHARDS])
    }

    /// Where a counter is kept.
    fn place(&self, counter: Counter) -> Place<'_> {
        let of_prefixes = match counter {
            Counter::Account(account) => return Place::Account(account),
            Counter::OfKeys(key) => return Place::Key(key),
            Counter::Address(prefix) => (&self.addresses, prefix),
            Counter::FailedKey(prefix) => (&self.failed_keys, prefix),
            Counter::KeyLooks => return Place::All(&self.key_looks_of_all),
            Counter::KeyLook(prefix) => (&self.key_looks, prefix),
            Counter::RegistrationHour(prefix) => (&self.registrations_hour, prefix),
            Counter::RegistrationDay(prefix) => (&self.registrations_day, prefix),
        };
        Place::Prefix(of_prefixes.0, of_prefixes.1)
    }
}

impl Counters for InProcess {
    fn take(&self, counter: Counter, rate: Rate) -> Allowance {
        let now = self.ticks.now();
        match self.place(counter) {
            Place::Account(account) => self.shard(account).take(account, rate, now),
            Place::Key(key) => take_shared(&bucket_of(&self.of_keys, key), rate, now),
            Place::Prefix(prefixes, prefix) => take_shared(&bucket_of(prefixes, prefix), rate, now),
            Place::All(bucket) => take_shared(bucket, rate, now),
        }
    }

    fn peek(&self, counter: Counter, rate: Rate) -> Allowance {
        let now = self.ticks.now();
        let held = |bucket: Option<Arc<AtomicU64>>| bucket.map(|it| it.load(Ordering::Acquire));
        let full_at = match self.place(counter) {
            Place::Account(account) => self.shard(account).full_at.get(&account).copied(),
            Place::Key(key) => held(self.of_keys.get(&key)),
            Place::Prefix(prefixes, prefix) => held(prefixes.get(&prefix)),
            Place::All(bucket) => Some(bucket.load(Ordering::Acquire)),
        };
        bucket::peek(full_at.unwrap_or(0), rate, now)
    }
}

impl Shard {
    fn take(&mut self, account: AccountId, rate: Rate, now: Moment) -> Allowance {
        if let Some(full_at) = self.full_at.get_mut(&account) {
            let (next, allowance) = bucket::take(*full_at, rate, now);
            *full_at = next;
            return allowance;
        }
        if self.full_at.len() >= self.sweep_at {
            self.sweep(now);
        }
        let (next, allowance) = bucket::take(0, rate, now);
        self.full_at.insert(account, next);
        allowance
    }

    /// Forgets the buckets that are full. The next sweep comes when the rest has doubled, so that a
    /// sweep costs each new bucket a constant.
    fn sweep(&mut self, now: Moment) {
        self.full_at.retain(|_, full_at| *full_at > now.ticks_ns);
        self.sweep_at = self.full_at.len().saturating_mul(2).max(SWEEP_MIN);
        self.full_at.shrink_to(self.sweep_at);
    }
}

fn bucket_of<K: Eq + Hash + Clone>(buckets: &Buckets<K>, name: K) -> Arc<AtomicU64> {
    let made = buckets.get_or_insert_with(&name, || Ok::<_, Infallible>(Arc::default()));
    match made {
        Ok(bucket) => bucket,
        Err(never) => match never {},
    }
}

fn take_shared(full_at: &AtomicU64, rate: Rate, now: Moment) -> Allowance {
    let mut before = full_at.load(Ordering::Acquire);
    loop {
        let (after, allowance) = bucket::take(before, rate, now);
        let swapped =
            full_at.compare_exchange_weak(before, after, Ordering::AcqRel, Ordering::Acquire);
        match swapped {
            Ok(_) => return allowance,
            Err(other) => before = other,
        }
    }
}

fn lock(shard: &Mutex<Shard>) -> MutexGuard<'_, Shard> {
    shard.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use std::net::IpAddr;

    use super::*;
    use crate::limit::conformance;
    use superroot_types::{ManualClock, UnixSeconds};

    fn counters(clients_max: usize) -> (InProcess, Arc<ManualClock>) {
        let clock = Arc::new(ManualClock::at(UnixSeconds(1_700_000_000)));
        (InProcess::new(clients_max, clock.clone()), clock)
    }

    fn prefix(number: u32) -> AddressPrefix {
        IpAddr::from(number.to_be_bytes()).into()
    }

    #[test]
    fn it_keeps_the_promises_of_counters() {
        conformance::check(|clock| InProcess::new(1_024, clock));
    }

    #[test]
    fn a_flood_of_addresses_is_forgotten_and_a_busy_one_is_not() {
        let (counters, _) = counters(64);
        let rate = Rate::per_minute(3).unwrap();
        let busy = Counter::Address(prefix(u32::MAX));
        for _ in 0..4 {
            counters.take(busy, rate);
        }
        for number in 0..10_000 {
            counters.take(Counter::Address(prefix(number)), rate);
            if number % 16 == 0 {
                counters.take(busy, rate);
            }
        }
        assert!(counters.bucket_counts().1 <= 64, "{:?}", counters.bucket_counts());
        assert!(!counters.take(busy, rate).is_allowed());
    }

    /// A flood of one kind must not wipe out what another kind remembers.
    #[test]
    fn a_flood_of_requests_forgets_no_registration_and_no_failed_key() {
        let (counters, _) = counters(64);
        let rate = Rate::per_minute(1).unwrap();
        let kept = [
            Counter::RegistrationHour(prefix(1)),
            Counter::RegistrationDay(prefix(1)),
            Counter::FailedKey(prefix(1)),
        ];
        for counter in kept {
            counters.take(counter, rate);
        }
        for number in 0..10_000 {
            counters.take(Counter::Address(prefix(number)), rate);
        }
        for counter in kept {
            assert!(!counters.take(counter, rate).is_allowed(), "{counter:?}");
        }
    }

    /// Accounts come and go; those whose bucket is full take no room, and the others keep theirs.
    #[test]
    fn only_full_buckets_of_accounts_are_forgotten() {
        let (counters, clock) = counters(1);
        let rate = Rate::per_minute(2).unwrap();
        for round in 0..20 {
            let spent: Vec<_> = (0..8_000).map(|_| AccountId::random()).collect();
            for account in &spent {
                counters.take(Counter::Account(*account), rate);
                counters.take(Counter::Account(*account), rate);
            }
            for account in &spent {
                let again = counters.take(Counter::Account(*account), rate);
                assert!(!again.is_allowed(), "round {round} forgot an empty bucket");
            }
            clock.advance(60);
        }
        let (accounts, _) = counters.bucket_counts();
        assert!(accounts <= 3 * 8_000 + SHARDS * SWEEP_MIN, "{accounts} buckets");
    }
}
