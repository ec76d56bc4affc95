//! Assignment of requests to limits.

use std::cmp::Reverse;
use std::sync::Arc;

use serde::{Deserialize, Serialize};
use superroot_types::{Clock, OutOfBounds};

use super::{AddressPrefix, Allowance, Counter, Counters, InProcess, RefillPeriod, RequestRate};
use crate::{AccountError, AccountId, KeyId};

/// Limits of callers; account limits come with the tier.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct LimitConfig {
    /// Requests a minute without a key, by address prefix; 0 for no limit.
    pub keyless_per_minute: u32,
    /// Most address prefixes in memory, for each kind of count.
    pub clients_max: usize,
    /// Requests a minute with an invalid key, by address prefix, also counted as requests without a key; 0 for no
    /// limit.
    pub failed_keys_per_minute: u32,
    /// Key lookups a second past ten times as many, for all addresses together; 0 for no limit.
    pub key_looks_per_second: u32,
    /// Key management requests a minute, for each key, and five times as many for each address prefix; counted for
    /// nothing else. 0 for no limit.
    pub of_keys_per_minute: u32,
    /// Accounts opened an hour, by site (an IPv4 address, or a /48 of IPv6); 0 for no limit.
    pub registrations_per_hour: u32,
}

impl Default for LimitConfig {
    fn default() -> Self {
        Self {
            keyless_per_minute: 100,
            clients_max: 65_536,
            failed_keys_per_minute: 20,
            key_looks_per_second: 2_000,
            of_keys_per_minute: 60,
            registrations_per_hour: 20,
        }
    }
}

impl LimitConfig {
    pub(crate) fn validate(&self) -> Result<(), AccountError> {
        OutOfBounds::check([
            ("limit.clients_max", self.clients_max as u64, 1..=1 << 24),
            ("limit.keyless_per_minute", self.keyless_per_minute.into(), 0..=1_000_000),
            ("limit.failed_keys_per_minute", self.failed_keys_per_minute.into(), 0..=10_000),
            ("limit.key_looks_per_second", self.key_looks_per_second.into(), 0..=1_000_000),
            ("limit.of_keys_per_minute", self.of_keys_per_minute.into(), 0..=100_000),
            ("limit.registrations_per_hour", self.registrations_per_hour.into(), 0..=1_000_000),
        ])?;
        Ok(())
    }
}

/// Key lookups per address for each permitted invalid key, before all addresses share: past the limit an invalid key is
/// refused anyway, a valid key is admitted.
const LOOKS_A_FAILED_KEY: u32 = 10;

/// Key management requests per address for each one of a key: a key that creates its successor, which revokes the last,
/// does not multiply the limit.
const OF_KEYS_OF_ADDRESS: u32 = 5;

/// Requests for immutable files for each request without a key: followers of the log read thousands, at the low cost of
/// a file server.
const FILES_OF_ADDRESS: u32 = 100;

/// Signatures a minute per site that nodes check against a contract.
const CONTRACT_CHECKS_PER_MINUTE: u32 = 30;

/// Payer for a request's items.
#[derive(Clone, Copy, Debug)]
pub enum LimitSubject {
    Keyless(AddressPrefix),
    /// Account, under its limit.
    Paying(AccountId, u32),
    /// Account, under its limit, and address.
    Free(AccountId, u32, AddressPrefix),
}

/// Request limiter. `None` from a method: that limit is off.
pub struct Limiter {
    config: LimitConfig,
    counters: Arc<dyn Counters>,
}

impl Limiter {
    #[must_use]
    pub fn new(config: &LimitConfig, counters: Arc<dyn Counters>) -> Self {
        Self { config: config.clone(), counters }
    }

    #[must_use]
    pub fn in_process(config: &LimitConfig, clock: Arc<dyn Clock>) -> Self {
        Self::new(config, Arc::new(InProcess::new(config.clients_max, clock)))
    }

    /// Counts a request without a key.
    #[must_use]
    pub fn keyless(&self, prefix: AddressPrefix) -> Option<Allowance> {
        let rate = RequestRate::per_minute(self.config.keyless_per_minute)?;
        Some(self.counters.take(Counter::Address(prefix), rate))
    }

    /// Counts a request for an immutable file by a caller without a paid key.
    #[must_use]
    pub fn file(&self, prefix: AddressPrefix) -> Option<Allowance> {
        let keyless = self.config.keyless_per_minute;
        let rate = RequestRate::per_minute(keyless.saturating_mul(FILES_OF_ADDRESS))?;
        Some(self.counters.take(Counter::File(prefix), rate))
    }

    /// Counts a request with any key of an account, under the account's current limit; 0 for no limit.
    #[must_use]
    pub fn account(&self, account: AccountId, per_minute: u32) -> Option<Allowance> {
        let rate = RequestRate::per_minute(per_minute)?;
        Some(self.counters.take(Counter::Account(account), rate))
    }

    /// Counts a request with a free key against the address as well, under the larger limit: many free accounts have no
    /// more than a single account.
    #[must_use]
    pub fn free_account(&self, prefix: AddressPrefix, per_minute: u32) -> Option<Allowance> {
        let keyless = RequestRate::per_minute(self.config.keyless_per_minute)?;
        let rate = RequestRate::per_minute(self.config.keyless_per_minute.max(per_minute))
            .unwrap_or(keyless);
        Some(self.counters.take(Counter::Address(prefix), rate))
    }

    /// Counts the items of a request beyond the first: all, or none if room is missing. Returns the binding bucket;
    /// `None` if nothing is counted.
    #[must_use]
    pub fn items(&self, who: LimitSubject, items: u32) -> Option<(Counter, Allowance)> {
        let keyless = self.config.keyless_per_minute;
        let of_address = |prefix, most| (Counter::Address(prefix), most);
        let counts = match who {
            LimitSubject::Keyless(prefix) => vec![of_address(prefix, keyless)],
            LimitSubject::Paying(account, most) => vec![(Counter::Account(account), most)],
            LimitSubject::Free(account, most, prefix) => {
                let shared = if keyless == 0 { 0 } else { keyless.max(most) };
                vec![(Counter::Account(account), most), of_address(prefix, shared)]
            }
        };
        let counts = counts.into_iter().filter_map(|(counter, most)| {
            RequestRate::per_minute(most).map(|rate| (counter, rate))
        });
        let counts: Vec<_> = counts.filter(|_| items > 0).collect();
        for (counter, rate) in &counts {
            let held = self.counters.peek(*counter, *rate);
            if held.remaining < items {
                // the request that comes again takes one before its items are counted
                let missing = u64::from(items - held.remaining).saturating_add(1);
                let wait = missing.saturating_mul(60).div_ceil(u64::from(held.limit));
                return Some((*counter, Allowance { retry_after: Some(wait), ..held }));
            }
        }
        let take = |(counter, rate): (Counter, RequestRate)| {
            let left = (0..items).fold(None, |_, _| Some(self.counters.take(counter, rate)));
            left.map(|left| (counter, left))
        };
        counts.into_iter().filter_map(take).min_by_key(|(_, left)| left.remaining)
    }

    /// Counts a key management request: each key has a separate bucket, so that flooding with one key does not keep the
    /// owner from revoking it by another. Requests of one address also share a bucket, as keys are free. Returns the
    /// binding allowance.
    #[must_use]
    pub fn of_keys(&self, key: KeyId, prefix: AddressPrefix) -> Option<Allowance> {
        let each = self.config.of_keys_per_minute;
        let rate = RequestRate::per_minute(each)?;
        let own = self.counters.take(Counter::OfKeys(key), rate);
        if !own.is_allowed() {
            return Some(own);
        }
        let shared = RequestRate::per_minute(each.saturating_mul(OF_KEYS_OF_ADDRESS))?;
        let shared = self.counters.take(Counter::OfKeysFrom(prefix), shared);
        let rank = |limit: &Allowance| (limit.retry_after, Reverse(limit.remaining));
        [own, shared].into_iter().max_by_key(rank)
    }

    /// Counts a request with an invalid key: against the prefix as a request without a key, and against the stricter
    /// limit of invalid keys. Returns the binding allowance with its name: a refusal first, then the longer wait, then
    /// the fewer left.
    #[must_use]
    pub fn failed_key(&self, prefix: AddressPrefix) -> Option<(&'static str, Allowance)> {
        let failed = RequestRate::per_minute(self.config.failed_keys_per_minute);
        let failed = failed.map(|rate| self.counters.take(Counter::FailedKey(prefix), rate));
        if let Some(looks) = self.looks() {
            self.counters.take(Counter::KeyLook(prefix), looks);
        }
        let limits = [("keyless", self.keyless(prefix)), ("failed_keys", failed)];
        let limits = limits.into_iter().filter_map(|(name, limit)| Some((name, limit?)));
        limits.max_by_key(|(_, limit)| (limit.retry_after, Reverse(limit.remaining)))
    }

    /// Whether an uncached key may be looked up. An address has ten times as many lookups as permitted invalid keys;
    /// only an invalid key takes one, in [`Limiter::failed_key`]. Past them, a lookup takes from a bucket of all
    /// addresses, which shields the store from a flood and still admits valid keys from the flooding address.
    #[must_use]
    pub fn key_look(&self, prefix: AddressPrefix) -> Option<Allowance> {
        let own = self.counters.peek(Counter::KeyLook(prefix), self.looks()?);
        if own.is_allowed() {
            return Some(own);
        }
        let shared = RequestRate::per(RefillPeriod::Second, self.config.key_looks_per_second)?;
        Some(self.counters.take(Counter::KeyLooks, shared))
    }

    fn looks(&self) -> Option<RequestRate> {
        let tried = self.config.failed_keys_per_minute;
        RequestRate::per_minute(tried.saturating_mul(LOOKS_A_FAILED_KEY))
    }

    /// Counts an account opening, by the site of the address.
    #[must_use]
    pub fn registration(&self, prefix: AddressPrefix) -> Option<Allowance> {
        let rate = RequestRate::per(RefillPeriod::Hour, self.config.registrations_per_hour)?;
        Some(self.counters.take(Counter::Registration(prefix.site()), rate))
    }

    /// Counts a signature check by nodes, by the site of the address. Returns whether the check is allowed.
    #[must_use]
    pub fn contract_check(&self, prefix: AddressPrefix) -> bool {
        let rate = RequestRate::per_minute(CONTRACT_CHECKS_PER_MINUTE);
        let take = |rate| self.counters.take(Counter::ContractCheck(prefix.site()), rate);
        rate.is_none_or(|rate| take(rate).is_allowed())
    }
}

#[cfg(test)]
mod tests {
    use std::net::IpAddr;

    use super::*;
    use superroot_types::{ManualClock, UnixSeconds};

    const NOW: u64 = 1_700_000_000;

    fn limiter(config: LimitConfig) -> (Limiter, Arc<ManualClock>) {
        let clock = Arc::new(ManualClock::at(UnixSeconds(NOW)));
        (Limiter::in_process(&config, clock.clone()), clock)
    }

    fn prefix(text: &str) -> AddressPrefix {
        text.parse::<IpAddr>().unwrap().into()
    }

    fn off() -> LimitConfig {
        LimitConfig {
            keyless_per_minute: 0,
            clients_max: 1,
            failed_keys_per_minute: 0,
            key_looks_per_second: 0,
            of_keys_per_minute: 0,
            registrations_per_hour: 0,
        }
    }

    #[test]
    fn zero_turns_each_limit_off() {
        let (limiter, _) = limiter(off());
        let here = prefix("192.0.2.1");
        for _ in 0..1_000 {
            assert_eq!(limiter.keyless(here), None);
            assert_eq!(limiter.file(here), None);
            assert_eq!(limiter.account(AccountId::random(), 0), None);
            assert_eq!(limiter.failed_key(here), None);
            assert_eq!(limiter.key_look(here), None);
            assert_eq!(limiter.of_keys(KeyId::random(), here), None);
            assert_eq!(limiter.registration(here), None);
        }
    }

    /// The items of a request are counted one by one, and one for which there is no room takes nothing.
    #[test]
    fn items_are_taken_all_or_none() {
        let config = LimitConfig { keyless_per_minute: 10, clients_max: 100, ..off() };
        let (limiter, clock) = limiter(config);
        let here = prefix("192.0.2.1");
        assert!(limiter.keyless(here).unwrap().is_allowed());
        assert_eq!(limiter.items(LimitSubject::Keyless(here), 4).unwrap().1.remaining, 5);
        let refused = limiter.items(LimitSubject::Keyless(here), 7).unwrap().1;
        assert_eq!((refused.remaining, refused.retry_after), (5, Some(18)));
        assert_eq!(limiter.items(LimitSubject::Keyless(here), 5).unwrap().1.remaining, 0);
        let refused = limiter.items(LimitSubject::Keyless(here), 7).unwrap().1;
        clock.advance(refused.retry_after.unwrap());
        assert!(limiter.keyless(here).unwrap().is_allowed(), "it comes again, and takes one");
        assert_eq!(limiter.items(LimitSubject::Keyless(here), 7).unwrap().1.remaining, 0);
        assert_eq!(limiter.items(LimitSubject::Keyless(here), 0), None, "the first was counted");
        let account = AccountId::random();
        assert_eq!(limiter.items(LimitSubject::Paying(account, 100), 63).unwrap().1.remaining, 37);
        assert_eq!(limiter.items(LimitSubject::Paying(account, 0), 63), None);
        // a free account takes of both, or of neither
        let (free, there) = (AccountId::random(), prefix("192.0.2.9"));
        assert_eq!(limiter.items(LimitSubject::Free(free, 20, there), 15).unwrap().1.remaining, 5);
        let other =
            limiter.items(LimitSubject::Free(AccountId::random(), 20, there), 15).unwrap().1;
        assert!(!other.is_allowed(), "{other:?}");
        assert_eq!(limiter.items(LimitSubject::Free(free, 20, there), 5).unwrap().1.remaining, 0);
    }

    #[test]
    fn files_have_a_limit_of_their_own_a_hundred_times_as_large() {
        let (limiter, _) = limiter(LimitConfig { keyless_per_minute: 10, ..off() });
        let here = prefix("192.0.2.1");
        let passed = (0..2_000).filter(|_| limiter.file(here).unwrap().is_allowed());
        assert_eq!(passed.count(), 1_000);
        assert_eq!(limiter.keyless(here).unwrap().remaining, 9);
    }

    /// A key that makes the next one has no more requests about keys than its address.
    #[test]
    fn keys_that_follow_each_other_share_the_limit_of_their_address() {
        let (limiter, _) = limiter(LimitConfig { of_keys_per_minute: 10, ..off() });
        let (here, there) = (prefix("192.0.2.1"), prefix("192.0.2.2"));
        let key = KeyId::random();
        let passed = (0..50).filter(|_| limiter.of_keys(key, here).unwrap().is_allowed());
        assert_eq!(passed.count(), 10);
        let successor = |_: &i32| limiter.of_keys(KeyId::random(), here).unwrap().is_allowed();
        assert_eq!((0..100).filter(successor).count(), 40);
        assert_eq!(limiter.of_keys(KeyId::random(), here).unwrap().limit, 50, "what binds");
        assert_eq!(limiter.of_keys(KeyId::random(), there).unwrap().limit, 10);
    }

    /// Whoever opens many free accounts at one address has no more than one of them.
    #[test]
    fn free_accounts_share_the_limit_of_their_address() {
        let (limiter, _) = limiter(LimitConfig { keyless_per_minute: 10, ..off() });
        let here = prefix("192.0.2.1");
        let passed = (0..50).filter(|_| limiter.free_account(here, 20).unwrap().is_allowed());
        assert_eq!(passed.count(), 20);
        assert!(limiter.free_account(prefix("192.0.2.2"), 20).unwrap().is_allowed());
    }

    #[test]
    fn all_keys_of_an_account_share_its_limit_and_addresses_do_not_touch_it() {
        let (limiter, _) = limiter(LimitConfig { keyless_per_minute: 1, ..off() });
        let account = AccountId::random();
        for left in (0..10).rev() {
            assert_eq!(limiter.account(account, 10).unwrap().remaining, left);
        }
        assert!(!limiter.account(account, 10).unwrap().is_allowed());
        assert!(limiter.account(AccountId::random(), 10).unwrap().is_allowed());
        assert!(limiter.keyless(prefix("192.0.2.1")).unwrap().is_allowed());
    }

    #[test]
    fn a_tier_bought_or_lost_holds_from_the_next_request() {
        let (limiter, clock) = limiter(off());
        let account = AccountId::random();
        for _ in 0..50 {
            _ = limiter.account(account, 100);
        }
        assert_eq!(limiter.account(account, 1_000).unwrap().remaining, 499);
        clock.advance(60);
        assert_eq!(limiter.account(account, 100).unwrap().remaining, 99);
    }

    #[test]
    fn failed_keys_have_a_stricter_limit_and_count_as_requests_without_a_key() {
        let config = LimitConfig { keyless_per_minute: 5, failed_keys_per_minute: 2, ..off() };
        let (limiter, _) = limiter(config);
        let here = prefix("192.0.2.1");
        assert_eq!(limiter.failed_key(here).unwrap().1.remaining, 1);
        assert_eq!(limiter.failed_key(here).unwrap().1.remaining, 0);
        assert!(!limiter.failed_key(here).unwrap().1.is_allowed());
        assert_eq!(limiter.keyless(here).unwrap().remaining, 1);
        assert!(limiter.failed_key(prefix("192.0.2.2")).unwrap().1.is_allowed());
    }

    #[test]
    fn past_the_looks_of_its_own_an_address_has_those_that_all_share() {
        let config = LimitConfig {
            keyless_per_minute: 1,
            failed_keys_per_minute: 9,
            key_looks_per_second: 3,
            ..off()
        };
        let (limiter, clock) = limiter(config);
        let (here, there) = (prefix("192.0.2.1"), prefix("192.0.2.2"));
        _ = limiter.keyless(here);
        for _ in 0..9 * LOOKS_A_FAILED_KEY {
            assert!(limiter.key_look(here).unwrap().is_allowed());
            assert!(!limiter.failed_key(here).unwrap().1.is_allowed());
        }
        let looked_up = || {
            let looks = (0..20).filter(|_| {
                let is_allowed = limiter.key_look(here).unwrap().is_allowed();
                _ = limiter.failed_key(here); // it is none
                is_allowed
            });
            looks.count()
        };
        assert_eq!(looked_up(), 3, "the store is spared");
        assert!(limiter.key_look(there).unwrap().is_allowed(), "others have their own");
        clock.advance(1);
        assert_eq!(looked_up(), 3 + 1, "those of a second, and one of its own");
    }

    #[test]
    fn what_binds_is_named() {
        let config = LimitConfig { keyless_per_minute: 5, failed_keys_per_minute: 2, ..off() };
        let (limiter, _) = limiter(config);
        let here = prefix("192.0.2.1");
        assert_eq!(limiter.failed_key(here).unwrap().0, "failed_keys");
        for _ in 0..4 {
            _ = limiter.keyless(here);
        }
        assert_eq!(limiter.failed_key(here).unwrap().0, "keyless");
    }

    /// A flood of one kind wipes out nothing that another kind remembers, and sites are one.
    #[test]
    fn registrations_and_contract_checks_are_bounded_by_site() {
        let config = LimitConfig {
            registrations_per_hour: 3,
            keyless_per_minute: 1,
            clients_max: 64,
            ..off()
        };
        let (limiter, clock) = limiter(config);
        let (here, beside) = (prefix("2001:db8::1"), prefix("2001:db8:0:ffff::1"));
        let elsewhere = prefix("2001:db8:1::1");
        let opened = || {
            let opened = |_: &i32| limiter.registration(here).unwrap().is_allowed();
            (0..100).filter(opened).count()
        };
        assert_eq!(opened(), 3);
        for number in 0..10_000_u32 {
            _ = limiter.keyless(IpAddr::from(number.to_be_bytes()).into());
        }
        let refused = limiter.registration(beside).unwrap();
        assert_eq!((refused.limit, refused.retry_after), (3, Some(1_200)));
        assert!(limiter.registration(elsewhere).unwrap().is_allowed());
        clock.advance(3_600);
        assert_eq!(opened(), 3);
        assert_eq!((0..100).filter(|_| limiter.contract_check(here)).count(), 30);
        assert!(!limiter.contract_check(beside) && limiter.contract_check(elsewhere));
    }

    #[test]
    fn unknown_keys_of_the_configuration_are_errors() {
        let config: LimitConfig = serde_json::from_str(r#"{"keyless_per_minute": 7}"#).unwrap();
        assert_eq!((config.keyless_per_minute, config.clients_max), (7, 65_536));
        assert!(serde_json::from_str::<LimitConfig>(r#"{"per_minute": 1}"#).is_err());
    }
}
