//! Buckets by name, in this process.

use std::hash::Hash;
use std::sync::Arc;

use quick_cache::sync::{Cache, EntryAction, EntryResult};
use superroot_types::Clock;

use super::bucket::{self, FullAt};
use super::ticks::{Moment, Ticks};
use super::{AddressPrefix, Allowance, Counter, Counters, Rate};
use crate::{AccountId, KeyId};

/// Accounts and keys remembered at one time, at most: those that asked within a period are fewer.
const ACCOUNTS_MAX: usize = 1 << 20;

/// Whether a question takes what it asks for.
#[derive(Clone, Copy)]
enum How {
    Take,
    Peek,
}

/// Buckets of one kind: so many at most, of which the rarely asked are forgotten. That gives such a one
/// a full bucket, and who has that many names has that many buckets anyway.
struct Buckets<K>(Cache<K, FullAt>);

impl<K: Clone + Eq + Hash> Buckets<K> {
    fn new(max: usize) -> Self {
        Self(Cache::new(max.max(1)))
    }

    fn ask(&self, name: K, rate: Rate, now: Moment, how: How) -> Allowance {
        match how {
            How::Take => self.take(name, rate, now),
            How::Peek => self.peek(&name, rate, now),
        }
    }

    /// Takes one request from the bucket, if it holds one. Of requests made at one time, by whichever
    /// threads, no more pass than one after another.
    fn take(&self, name: K, rate: Rate, now: Moment) -> Allowance {
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

    /// What [`Buckets::take`] would answer, with nothing taken.
    fn peek(&self, name: &K, rate: Rate, now: Moment) -> Allowance {
        bucket::peek(self.0.get(name).unwrap_or(0), rate, now)
    }
}

/// Every kind of bucket, in this process.
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
    /// Buckets that are all full, with room for so many address prefixes of each kind.
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

    fn ask(&self, counter: Counter, rate: Rate, how: How) -> Allowance {
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
    fn take(&self, counter: Counter, rate: Rate) -> Allowance {
        self.ask(counter, rate, How::Take)
    }

    fn peek(&self, counter: Counter, rate: Rate) -> Allowance {
        self.ask(counter, rate, How::Peek)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn buckets_in_this_process_conform() {
        crate::limit::conformance::check(|clock| InProcess::new(64, clock));
    }

    const NOW: Moment = Moment { wall_ms: 1_700_000_000_000, ticks_ns: 0 };

    #[test]
    fn a_flood_of_names_is_forgotten_and_a_busy_one_is_not() {
        let (buckets, rate) = (Buckets::new(64), Rate::per_minute(3).unwrap());
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
