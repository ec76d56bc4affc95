use std::hash::Hash;
use std::sync::Arc;

use quick_cache::sync::{Cache, EntryAction, EntryResult};
use superroot_types::Clock;

use super::bucket::{self, FullAt};
use super::ticks::{TickReading, Ticks};
use super::{AddressPrefix, Allowance, Counter, Counters, RequestRate};
use crate::{AccountId, KeyId};

/// Most accounts and keys in memory: more than make requests within a period.
const ACCOUNTS_MAX: usize = 1 << 20;

/// Whether a call takes the request.
#[derive(Clone, Copy)]
enum TakeMode {
    Take,
    Peek,
}

/// Buckets of one kind, bounded in number; rarely used ones are evicted. An evicted name gets a full bucket, but a
/// caller with that many names has as many buckets anyway.
struct Buckets<K>(Cache<K, FullAt>);

impl<K: Clone + Eq + Hash> Buckets<K> {
    fn new(max: usize) -> Self {
        Self(Cache::new(max.max(1)))
    }

    fn ask(&self, name: K, rate: RequestRate, now: TickReading, how: TakeMode) -> Allowance {
        match how {
            TakeMode::Take => self.take(name, rate, now),
            TakeMode::Peek => self.peek(&name, rate, now),
        }
    }

    /// Takes one request from the bucket, if available. Concurrent requests on any threads pass no more often than
    /// sequential ones.
    fn take(&self, name: K, rate: RequestRate, now: TickReading) -> Allowance {
        let asked = self.0.entry(&name, None, |_, full_at| {
            let (after, allowance) = bucket::take(*full_at, rate, now);
            *full_at = after;
            EntryAction::Retain(allowance)
        });
        let place = match asked {
            EntryResult::Retained(allowance) => return allowance,
            EntryResult::Vacant(place) => Some(place),
            // nobody asks for these
            EntryResult::Removed(..) | EntryResult::Replaced(..) | EntryResult::Timeout => None,
        };
        let (after, allowance) = bucket::take(0, rate, now);
        if let Some(place) = place {
            // refused where it was forgotten meanwhile, as any other may be
            _ = place.insert(after);
        }
        allowance
    }

    /// Allowance that [`Buckets::take`] would return; takes nothing.
    fn peek(&self, name: &K, rate: RequestRate, now: TickReading) -> Allowance {
        bucket::peek(self.0.get(name).unwrap_or(0), rate, now)
    }
}

pub struct InProcess {
    ticks: Ticks,
    accounts: Buckets<AccountId>,
    of_keys: Buckets<KeyId>,
    of_keys_from: Buckets<AddressPrefix>,
    addresses: Buckets<AddressPrefix>,
    files: Buckets<AddressPrefix>,
    failed_keys: Buckets<AddressPrefix>,
    key_looks: Buckets<AddressPrefix>,
    key_looks_of_all: Buckets<()>,
    registrations: Buckets<AddressPrefix>,
    contract_checks: Buckets<AddressPrefix>,
}

impl InProcess {
    /// Full buckets, with room for `clients_max` address prefixes of each kind.
    #[must_use]
    pub fn new(clients_max: usize, clock: Arc<dyn Clock>) -> Self {
        let of_prefixes = || Buckets::new(clients_max);
        Self {
            ticks: Ticks::new(clock),
            accounts: Buckets::new(ACCOUNTS_MAX),
            of_keys: Buckets::new(ACCOUNTS_MAX),
            of_keys_from: of_prefixes(),
            addresses: of_prefixes(),
            files: of_prefixes(),
            failed_keys: of_prefixes(),
            key_looks: of_prefixes(),
            key_looks_of_all: Buckets::new(1),
            registrations: of_prefixes(),
            contract_checks: of_prefixes(),
        }
    }

    fn ask(&self, counter: Counter, rate: RequestRate, how: TakeMode) -> Allowance {
        let now = self.ticks.now();
        match counter {
            Counter::Address(prefix) => self.addresses.ask(prefix, rate, now, how),
            Counter::File(prefix) => self.files.ask(prefix, rate, now, how),
            Counter::Account(account) => self.accounts.ask(account, rate, now, how),
            Counter::OfKeys(key) => self.of_keys.ask(key, rate, now, how),
            Counter::OfKeysFrom(prefix) => self.of_keys_from.ask(prefix, rate, now, how),
            Counter::FailedKey(prefix) => self.failed_keys.ask(prefix, rate, now, how),
            Counter::KeyLook(prefix) => self.key_looks.ask(prefix, rate, now, how),
            Counter::KeyLooks => self.key_looks_of_all.ask((), rate, now, how),
            Counter::Registration(prefix) => self.registrations.ask(prefix, rate, now, how),
            Counter::ContractCheck(prefix) => self.contract_checks.ask(prefix, rate, now, how),
        }
    }
}

impl Counters for InProcess {
    fn take(&self, counter: Counter, rate: RequestRate) -> Allowance {
        self.ask(counter, rate, TakeMode::Take)
    }

    fn peek(&self, counter: Counter, rate: RequestRate) -> Allowance {
        self.ask(counter, rate, TakeMode::Peek)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn buckets_in_this_process_conform() {
        crate::limit::conformance::check(|clock| InProcess::new(64, clock));
    }

    const NOW: TickReading = TickReading { wall_ms: 1_700_000_000_000, ticks_ns: 0 };

    #[test]
    fn a_flood_of_names_is_forgotten_and_a_busy_one_is_not() {
        let (buckets, rate) = (Buckets::new(64), RequestRate::per_minute(3).unwrap());
        for _ in 0..4 {
            buckets.take(u32::MAX, rate, NOW);
        }
        for number in 0..10_000 {
            buckets.take(number, rate, NOW);
            if number % 16 == 0 {
                buckets.take(u32::MAX, rate, NOW);
            }
        }
        assert!(buckets.0.len() <= 64, "{}", buckets.0.len());
        assert!(!buckets.peek(&u32::MAX, rate, NOW).is_allowed());
    }
}
