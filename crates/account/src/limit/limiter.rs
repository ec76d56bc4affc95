//! Whom a request counts against.

use std::sync::Arc;

use serde::{Deserialize, Serialize};
use superroot_types::Clock;

use super::{AddressPrefix, Allowance, Counter, Counters, InProcess, Period, Rate};
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

/// Keys that are looked up from an address, for each one that is none and may be tried there: those
/// past the limit are refused all the same, and a good one among them is let in.
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
    pub fn failed_key(&self, prefix: AddressPrefix) -> Option<Allowance> {
        let keyless = self.keyless(prefix);
        let failed = Rate::per_minute(self.config.failed_keys_per_minute)
            .map(|rate| self.counters.take(Counter::FailedKey(prefix), rate));
        if let Some(looks) = self.looks() {
            _ = self.counters.take(Counter::KeyLook(prefix), looks);
        }
        both(keyless, failed)
    }

    /// What is left of the looks that keys which are none may cost, ten times as many as may be
    /// tried; nothing is counted. Ask before a key that is not known yet is looked up. Requests without a key do not bear on it, and a key known to be good is never asked about it:
    /// whoever is behind the same address has a hard time to shut it out.
    #[must_use]
    pub fn key_look_peek(&self, prefix: AddressPrefix) -> Option<Allowance> {
        let rate = self.looks()?;
        Some(self.counters.peek(Counter::KeyLook(prefix), rate))
    }

    fn looks(&self) -> Option<Rate> {
        let tried = self.config.failed_keys_per_minute;
        Rate::per_minute(tried.saturating_mul(LOOKS_A_FAILED_KEY))
    }

    /// Counts an account that is about to be opened, by the site of the address. Refused where
    /// either limit refuses; then the longer of them counted nothing.
    #[must_use]
    pub fn registration(&self, prefix: AddressPrefix) -> Option<Allowance> {
        let prefix = prefix.site();
        let day = Rate::per(Period::Day, self.config.registrations_per_day);
        let hour = Rate::per(Period::Hour, self.config.registrations_per_hour);
        let by_day = Counter::RegistrationDay(prefix);
        if let Some(refused) = day.map(|rate| self.counters.peek(by_day, rate))
            && !refused.is_allowed()
        {
            return Some(refused);
        }
        let hour = hour.map(|rate| self.counters.take(Counter::RegistrationHour(prefix), rate));
        if hour.is_some_and(|hour| !hour.is_allowed()) {
            return hour;
        }
        both(hour, day.map(|rate| self.counters.take(by_day, rate)))
    }
}

fn both(a: Option<Allowance>, b: Option<Allowance>) -> Option<Allowance> {
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
            assert_eq!(limiter.key_look_peek(here), None);
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
        assert_eq!(limiter.failed_key(here).unwrap().remaining, 1);
        assert_eq!(limiter.failed_key(here).unwrap().remaining, 0);
        assert!(!limiter.failed_key(here).unwrap().is_allowed());
        assert_eq!(limiter.keyless(here).unwrap().remaining, 1);
        assert!(limiter.failed_key(prefix("192.0.2.2")).unwrap().is_allowed());
    }

    #[test]
    fn a_prefix_that_has_spent_its_requests_has_wrong_keys_refused_and_good_ones_looked_up() {
        let config = LimitConfig { keyless_per_minute: 1, failed_keys_per_minute: 9, ..off() };
        let (limiter, _) = limiter(config);
        let here = prefix("192.0.2.1");
        _ = limiter.keyless(here);
        for _ in 0..9 * LOOKS_A_FAILED_KEY {
            assert!(limiter.key_look_peek(here).unwrap().is_allowed());
            assert!(!limiter.failed_key(here).unwrap().is_allowed());
        }
        assert!(!limiter.key_look_peek(here).unwrap().is_allowed(), "the store is spared");
    }

    #[test]
    fn registrations_are_bounded_by_the_hour_and_by_the_day() {
        let config = LimitConfig { registrations_per_hour: 3, registrations_per_day: 5, ..off() };
        let (limiter, clock) = limiter(config);
        let here = prefix("2001:db8::1");
        let opened = |times: usize| {
            (0..times).filter(|_| limiter.registration(here).unwrap().is_allowed()).count()
        };
        assert_eq!(opened(100_000), 3);
        let refused = limiter.registration(prefix("2001:db8:0:ffff::1")).unwrap();
        assert_eq!((refused.limit, refused.retry_after), (3, Some(1_200)));
        clock.advance(3_600);
        assert_eq!(opened(100_000), 2);
        let refused = limiter.registration(here).unwrap();
        assert_eq!((refused.limit, refused.retry_after), (5, Some(86_400 / 5 - 3_600)));
        assert!(limiter.registration(prefix("2001:db8:1::1")).unwrap().is_allowed());
    }

    #[test]
    fn unknown_keys_of_the_configuration_are_errors() {
        let config: LimitConfig = serde_json::from_str(r#"{"keyless_per_minute": 7}"#).unwrap();
        assert_eq!((config.keyless_per_minute, config.clients_max), (7, 65_536));
        assert!(serde_json::from_str::<LimitConfig>(r#"{"per_minute": 1}"#).is_err());
    }
}
