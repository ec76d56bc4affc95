//! Who registers, and how often from one place.

use std::convert::Infallible;
use std::net::{IpAddr, Ipv6Addr};
use std::sync::{Arc, Mutex, PoisonError};

use quick_cache::sync::Cache;
use superroot_types::UnixSeconds;

use crate::{AccountError, KeysConfig};

const HOUR_SECONDS: u64 = 3_600;
const DAY_SECONDS: u64 = 86_400;

/// Where a registration comes from: an IPv4 address, or a /48 of IPv6, which is what one site is
/// given (RFC 6177): a /64 of it costs nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Registrant(IpAddr);

impl From<IpAddr> for Registrant {
    fn from(address: IpAddr) -> Self {
        match address.to_canonical() {
            IpAddr::V6(address) => {
                let [a, b, c, ..] = address.segments();
                Self(IpAddr::V6(Ipv6Addr::new(a, b, c, 0, 0, 0, 0, 0)))
            }
            IpAddr::V4(address) => Self(IpAddr::V4(address)),
        }
    }
}

/// Decides whether somebody may register now.
pub trait RegistrationLimit: Send + Sync {
    /// Counts one registration.
    ///
    /// # Errors
    /// [`AccountError::Registrations`], and then it is not counted.
    fn take(&self, registrant: Registrant, now: UnixSeconds) -> Result<(), AccountError>;
}

/// Registrations of one place in the running hour and day.
#[derive(Clone, Copy, Debug, Default)]
struct Counted {
    hour: u64,
    day: u64,
    in_hour: u32,
    in_day: u32,
}

/// Counts in this process: by the hour and by the day (UTC), of a bounded number of places.
///
/// Past that number a place that was rarely seen is forgotten, so who commands that many places is
/// bounded by their number only.
pub struct LocalRegistrationLimit {
    per_hour: u32,
    per_day: u32,
    places: Cache<Registrant, Arc<Mutex<Counted>>>,
}

impl LocalRegistrationLimit {
    /// A limit of that configuration.
    #[must_use]
    pub fn new(config: &KeysConfig) -> Self {
        Self {
            per_hour: config.registrations_per_hour,
            per_day: config.registrations_per_day,
            places: Cache::new(config.registrants_max.max(1)),
        }
    }
}

impl RegistrationLimit for LocalRegistrationLimit {
    fn take(&self, registrant: Registrant, now: UnixSeconds) -> Result<(), AccountError> {
        let made =
            self.places.get_or_insert_with(&registrant, || Ok::<_, Infallible>(Arc::default()));
        let place = match made {
            Ok(place) => place,
            Err(never) => match never {},
        };
        let mut counted = place.lock().unwrap_or_else(PoisonError::into_inner);
        let (hour, day) = (now.0 / HOUR_SECONDS, now.0 / DAY_SECONDS);
        if hour > counted.hour {
            (counted.hour, counted.in_hour) = (hour, 0); // a clock set back opens no new hour
        }
        if day > counted.day {
            (counted.day, counted.in_day) = (day, 0);
        }
        let end = if counted.in_day >= self.per_day {
            (counted.day.saturating_add(1)).saturating_mul(DAY_SECONDS)
        } else if counted.in_hour >= self.per_hour {
            (counted.hour.saturating_add(1)).saturating_mul(HOUR_SECONDS)
        } else {
            counted.in_hour = counted.in_hour.saturating_add(1);
            counted.in_day = counted.in_day.saturating_add(1);
            return Ok(());
        };
        let retry_after_seconds = end.saturating_sub(now.0).max(1);
        Err(AccountError::Registrations { retry_after_seconds })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOON: u64 = 1_699_963_200; // 2023-11-14 12:00:00 UTC

    fn limit(per_hour: u32, per_day: u32) -> LocalRegistrationLimit {
        let (registrations_per_hour, registrations_per_day) = (per_hour, per_day);
        let config = KeysConfig {
            registrations_per_hour,
            registrations_per_day,
            registrants_max: 64,
            ..KeysConfig::default()
        };
        LocalRegistrationLimit::new(&config)
    }

    fn from(text: &str) -> Registrant {
        text.parse::<IpAddr>().unwrap().into()
    }

    fn wait(taken: Result<(), AccountError>) -> Option<u64> {
        match taken {
            Ok(()) => None,
            Err(AccountError::Registrations { retry_after_seconds }) => Some(retry_after_seconds),
            Err(other) => panic!("{other}"),
        }
    }

    #[test]
    fn one_place_is_held_to_its_hour_and_its_day_and_others_are_unharmed() {
        let limit = limit(2, 3);
        let (a, b) = (from("192.0.2.1"), from("192.0.2.2"));
        let at = |seconds| UnixSeconds(NOON + seconds);
        assert_eq!(wait(limit.take(a, at(0))), None);
        assert_eq!(wait(limit.take(a, at(10))), None);
        assert_eq!(wait(limit.take(a, at(20))), Some(3_580));
        assert_eq!(wait(limit.take(b, at(20))), None);
        assert_eq!(wait(limit.take(a, at(3_600))), None);
        assert_eq!(wait(limit.take(a, at(7_200))), Some(12 * 3_600 - 7_200));
        assert_eq!(wait(limit.take(a, at(12 * 3_600 - 1))), Some(1));
        assert_eq!(wait(limit.take(a, at(12 * 3_600))), None);
    }

    #[test]
    fn a_clock_set_back_gives_no_more() {
        let limit = limit(1, 5);
        let a = from("192.0.2.1");
        assert_eq!(wait(limit.take(a, UnixSeconds(NOON))), None);
        assert!(wait(limit.take(a, UnixSeconds(NOON - 3_600))).is_some());
        assert!(wait(limit.take(a, UnixSeconds(NOON - 10 * 86_400))).is_some());
        assert!(wait(limit.take(a, UnixSeconds(u64::MAX))).is_none());
        assert!(wait(limit.take(a, UnixSeconds(u64::MAX))).is_some());
    }

    #[test]
    fn a_site_is_one_place_and_a_mapped_address_is_ipv4() {
        assert_eq!(from("2001:db8:1:2::1"), from("2001:db8:1:ffff::1"));
        assert_ne!(from("2001:db8:1::1"), from("2001:db8:2::1"));
        assert_eq!(from("::ffff:192.0.2.1"), from("192.0.2.1"));
    }

    #[test]
    fn a_flood_of_places_takes_bounded_memory_and_zero_closes_the_door() {
        let open = limit(1, 1);
        for number in 0..10_000_u32 {
            let _ = open.take(IpAddr::from(number.to_be_bytes()).into(), UnixSeconds(NOON));
        }
        assert!(open.places.len() <= 64, "{}", open.places.len());
        assert!(wait(limit(0, 1).take(from("192.0.2.1"), UnixSeconds(NOON))).is_some());
        assert!(wait(limit(1, 0).take(from("192.0.2.1"), UnixSeconds(NOON))).is_some());
    }
}
