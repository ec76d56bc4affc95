//! Whom a request counts against.

use std::sync::Arc;

use serde::{Deserialize, Serialize};
use superroot_types::Clock;

use super::{AddressPrefix, Allowance, Bound, Counter, Counters, InProcess, Period, Policy, Rate};
use crate::{AccountError, AccountId, KeyId};

/// Limits of callers; those of accounts come with their tier.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct LimitConfig {
    /// Requests a minute without a key, by address prefix; 0 turns the limit off.
    pub keyless_per_minute: u32,
    /// Address prefixes remembered at the same time, of each kind of count.
    pub clients_max: usize,
    /// Requests a minute with a key that is none, by address prefix; they count as requests without
    /// a key as well. 0 turns this limit off.
    pub failed_keys_per_minute: u32,
    /// Keys looked up a second past ten times as many, of all addresses together; 0: any number.
    pub key_looks_per_second: u32,
    /// Requests a minute about keys, for each key, which count for nothing else; 0 turns this limit
    /// off.
    pub of_keys_per_minute: u32,
    /// Accounts opened an hour, by site (an IPv4 address, or a /48 of IPv6); 0 turns the limit off.
    pub registrations_per_hour: u32,
    /// Accounts opened a day, by site; 0 turns the limit off.
    pub registrations_per_day: u32,
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
            registrations_per_day: 100,
        }
    }
}

impl LimitConfig {
    /// Refuses what cannot be.
    ///
    /// # Errors
    /// [`AccountError::Config`].
    pub(crate) fn validate(&self) -> Result<(), AccountError> {
        let most = 1 << 24;
        if (1..=most).contains(&self.clients_max) {
            return Ok(());
        }
        let (field, got) = ("limit.clients_max", self.clients_max.to_string());
        Err(AccountError::Config { field, got, expected: format!("1 to {most}") })
    }
}

/// Keys that are looked up from an address, for each one that is none and may be tried there, before
/// all addresses share: those past the limit are refused all the same, a good one is let in.
const LOOKS_A_FAILED_KEY: u32 = 10;

/// Decides who may go on. `None` from any of its questions: that limit is off.
#[derive(Clone)]
pub struct Limiter {
    config: LimitConfig,
    counters: Arc<dyn Counters>,
}

impl Limiter {
    /// A limiter that counts in this process.
    #[must_use]
    pub fn in_process(config: &LimitConfig, clock: Arc<dyn Clock>) -> Self {
        Self::new(config, Arc::new(InProcess::new(config.clients_max, clock)))
    }

    /// A limiter over these counters.
    #[must_use]
    pub fn new(config: &LimitConfig, counters: Arc<dyn Counters>) -> Self {
        Self { config: config.clone(), counters }
    }

    /// Counts a request without a key.
    #[must_use]
    pub fn keyless(&self, prefix: AddressPrefix) -> Option<Allowance> {
        let rate = Rate::per_minute(self.config.keyless_per_minute)?;
        Some(self.counters.take(Counter::Address(prefix), rate))
    }

    /// Counts a request with any key of an account, under the limit the account has now; 0 is none.
    #[must_use]
    pub fn account(&self, account: AccountId, per_minute: u32) -> Option<Allowance> {
        let rate = Rate::per_minute(per_minute)?;
        Some(self.counters.take(Counter::Account(account), rate))
    }

    /// Counts a request about keys: each key has a bucket of its own for those, so that whoever
    /// floods with one cannot keep its owner from revoking it by another.
    #[must_use]
    pub fn of_keys(&self, key: KeyId) -> Option<Allowance> {
        let rate = Rate::per_minute(self.config.of_keys_per_minute)?;
        Some(self.counters.take(Counter::OfKeys(key), rate))
    }

    /// Counts a request whose key is none: against the prefix as one without a key, and against
    /// its stricter limit of such keys. What binds of the two is answered.
    #[must_use]
    pub fn failed_key(&self, prefix: AddressPrefix) -> Option<Bound> {
        let keyless = self.keyless(prefix).map(of(Policy::Keyless));
        let failed = Rate::per_minute(self.config.failed_keys_per_minute)
            .map(|rate| self.counters.take(Counter::FailedKey(prefix), rate))
            .map(of(Policy::FailedKeys));
        if let Some(looks) = self.looks() {
            _ = self.counters.take(Counter::KeyLook(prefix), looks);
        }
        both(keyless, failed)
    }

    /// Whether a key that is not remembered may be looked up. The address has looks of its own, ten
    /// times as many as keys that are none may be tried; only such a key takes one of them, in
    /// [`Limiter::failed_key`]. Past them this takes one of those that all addresses share: it
    /// spares the store a flood, and lets in good keys from where the flood comes.
    #[must_use]
    pub fn key_look(&self, prefix: AddressPrefix) -> Option<Allowance> {
        let own = self.counters.peek(Counter::KeyLook(prefix), self.looks()?);
        if own.is_allowed() {
            return Some(own);
        }
        let shared = Rate::per(Period::Second, self.config.key_looks_per_second)?;
        Some(self.counters.take(Counter::KeyLooks, shared))
    }

    fn looks(&self) -> Option<Rate> {
        let tried = self.config.failed_keys_per_minute;
        Rate::per_minute(tried.saturating_mul(LOOKS_A_FAILED_KEY))
    }

    /// Counts an account that is about to be opened, by the site of the address. Refused where
    /// either limit refuses; then the longer of them counted nothing.
    #[must_use]
    pub fn registration(&self, prefix: AddressPrefix) -> Option<Bound> {
        let prefix = prefix.site();
        let day = Rate::per(Policy::RegistrationsDay.period(), self.config.registrations_per_day);
        let hour =
            Rate::per(Policy::RegistrationsHour.period(), self.config.registrations_per_hour);
        let (by_day, by_hour) =
            (Counter::RegistrationDay(prefix), Counter::RegistrationHour(prefix));
        let (of_day, of_hour) = (of(Policy::RegistrationsDay), of(Policy::RegistrationsHour));
        if let Some(refused) = day.map(|rate| self.counters.peek(by_day, rate))
            && !refused.is_allowed()
        {
            return Some(of_day(refused));
        }
        let hour = hour.map(|rate| of_hour(self.counters.take(by_hour, rate)));
        if hour.is_some_and(|hour| !hour.allowance.is_allowed()) {
            return hour;
        }
        both(hour, day.map(|rate| of_day(self.counters.take(by_day, rate))))
    }
}

fn of(policy: Policy) -> impl Fn(Allowance) -> Bound {
    move |allowance| Bound { policy, allowance }
}

fn both(a: Option<Bound>, b: Option<Bound>) -> Option<Bound> {
    match (a, b) {
        (Some(a), Some(b)) => Some(a.stricter(b)),
        (a, b) => a.or(b),
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
            registrations_per_day: 0,
        }
    }

    #[test]
    fn zero_turns_each_limit_off() {
        let (limiter, _) = limiter(off());
        let here = prefix("192.0.2.1");
        for _ in 0..1_000 {
            assert_eq!(limiter.keyless(here), None);
            assert_eq!(limiter.account(AccountId::random(), 0), None);
            assert_eq!(limiter.failed_key(here), None);
            assert_eq!(limiter.key_look(here), None);
            assert_eq!(limiter.of_keys(KeyId::random()), None);
            assert_eq!(limiter.registration(here), None);
        }
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
        assert_eq!(limiter.failed_key(here).unwrap().allowance.remaining, 1);
        assert_eq!(limiter.failed_key(here).unwrap().allowance.remaining, 0);
        assert!(!limiter.failed_key(here).unwrap().allowance.is_allowed());
        assert_eq!(limiter.keyless(here).unwrap().remaining, 1);
        assert!(limiter.failed_key(prefix("192.0.2.2")).unwrap().allowance.is_allowed());
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
            assert!(!limiter.failed_key(here).unwrap().allowance.is_allowed());
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
        assert_eq!(limiter.failed_key(here).unwrap().policy, Policy::FailedKeys);
        for _ in 0..4 {
            _ = limiter.keyless(here);
        }
        assert_eq!(limiter.failed_key(here).unwrap().policy, Policy::Keyless);
    }

    #[test]
    fn registrations_are_bounded_by_the_hour_and_by_the_day() {
        let config = LimitConfig { registrations_per_hour: 3, registrations_per_day: 5, ..off() };
        let (limiter, clock) = limiter(config);
        let here = prefix("2001:db8::1");
        let opened = |times: usize| {
            (0..times)
                .filter(|_| limiter.registration(here).unwrap().allowance.is_allowed())
                .count()
        };
        assert_eq!(opened(100_000), 3);
        let Bound { policy, allowance: refused } =
            limiter.registration(prefix("2001:db8:0:ffff::1")).unwrap();
        assert_eq!(policy, Policy::RegistrationsHour);
        assert_eq!((refused.limit, refused.retry_after), (3, Some(1_200)));
        clock.advance(3_600);
        assert_eq!(opened(100_000), 2);
        let Bound { policy, allowance: refused } = limiter.registration(here).unwrap();
        assert_eq!(policy, Policy::RegistrationsDay);
        assert_eq!((refused.limit, refused.retry_after), (5, Some(86_400 / 5 - 3_600)));
        assert!(limiter.registration(prefix("2001:db8:1::1")).unwrap().allowance.is_allowed());
    }

    #[test]
    fn unknown_keys_of_the_configuration_are_errors() {
        let config: LimitConfig = serde_json::from_str(r#"{"keyless_per_minute": 7}"#).unwrap();
        assert_eq!((config.keyless_per_minute, config.clients_max), (7, 65_536));
        assert!(serde_json::from_str::<LimitConfig>(r#"{"per_minute": 1}"#).is_err());
    }
}
