//! Hours, days and months in UTC, which has no other than 24 hours in a day.
//!
//! Unix time knows no leap seconds: 23:59:60 is told as one of its neighbours, and counts there.

use core::fmt;

use superroot_types::UnixSeconds;
use time::{Date, Month as MonthName};

const HOUR_SECONDS: u64 = 3_600;
const DAY_HOURS: u32 = 24;

/// 1970-01-01 as the calendar counts days.
const EPOCH_JULIAN_DAY: i32 = 2_440_588;

/// The last hour of the year 9999, where the calendar ends: later times count there.
const LAST_HOUR: u32 = 70_389_527;

/// Hours since 1970-01-01 UTC.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Hour(u32);

/// Days since 1970-01-01 UTC.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Day(u32);

/// Months since January of year 0, UTC; between 1970 and 9999.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Month(u32);

impl Hour {
    /// The hour that holds this time.
    #[must_use]
    pub fn of(time: UnixSeconds) -> Self {
        let hour = time.0 / HOUR_SECONDS;
        Self(u32::try_from(hour).unwrap_or(LAST_HOUR).min(LAST_HOUR))
    }

    /// Its first second.
    #[must_use]
    pub fn start(self) -> UnixSeconds {
        UnixSeconds(u64::from(self.0) * HOUR_SECONDS)
    }

    /// The day it is in.
    #[must_use]
    pub const fn day(self) -> Day {
        Day(self.0 / DAY_HOURS)
    }

    /// So many days earlier, not before 1970.
    #[must_use]
    pub const fn days_before(self, days: u32) -> Self {
        Self(self.0.saturating_sub(days.saturating_mul(DAY_HOURS)))
    }

    pub(crate) const fn to_be_bytes(self) -> [u8; 4] {
        self.0.to_be_bytes()
    }

    /// `None` past the calendar.
    pub(crate) fn from_be_bytes(bytes: [u8; 4]) -> Option<Self> {
        let hour = u32::from_be_bytes(bytes);
        (hour <= LAST_HOUR).then_some(Self(hour))
    }
}

impl Day {
    /// The day that holds this time.
    #[must_use]
    pub fn of(time: UnixSeconds) -> Self {
        Hour::of(time).day()
    }

    /// Its first second.
    #[must_use]
    pub fn start(self) -> UnixSeconds {
        Hour(self.0 * DAY_HOURS).start()
    }

    /// The month it is in.
    #[must_use]
    pub fn month(self) -> Month {
        let date = i32::try_from(self.0)
            .ok()
            .and_then(|day| Date::from_julian_day(EPOCH_JULIAN_DAY + day).ok())
            .expect("a day is at most that of the last hour");
        let year = u32::try_from(date.year()).expect("a day is not before 1970");
        Month(year * 12 + u32::from(u8::from(date.month())) - 1)
    }

    pub(crate) const fn to_be_bytes(self) -> [u8; 4] {
        self.0.to_be_bytes()
    }
}

impl Month {
    /// The month that holds this time.
    #[must_use]
    pub fn of(time: UnixSeconds) -> Self {
        Day::of(time).month()
    }

    /// A month of a year between 1970 and 9999; `month` from 1. `None` for any other.
    #[must_use]
    pub fn new(year: u32, month: u32) -> Option<Self> {
        ((1970..=9999).contains(&year) && (1..=12).contains(&month))
            .then(|| Self(year * 12 + month - 1))
    }

    /// The year.
    #[must_use]
    pub const fn year(self) -> u32 {
        self.0 / 12
    }

    /// The month of the year, from 1.
    #[must_use]
    pub const fn month(self) -> u32 {
        self.0 % 12 + 1
    }

    /// The one before; `None` before 1970.
    #[must_use]
    pub fn previous(self) -> Option<Self> {
        let before = Self(self.0.checked_sub(1)?);
        Self::new(before.year(), before.month())
    }

    /// Its first day.
    #[must_use]
    pub fn first_day(self) -> Day {
        let name = u8::try_from(self.month()).ok().and_then(|it| MonthName::try_from(it).ok());
        let day = i32::try_from(self.year())
            .ok()
            .and_then(|year| Date::from_calendar_date(year, name?, 1).ok())
            .and_then(|date| u32::try_from(date.to_julian_day() - EPOCH_JULIAN_DAY).ok());
        Day(day.expect("a month is between 1970 and 9999"))
    }

    pub(crate) const fn to_be_bytes(self) -> [u8; 4] {
        self.0.to_be_bytes()
    }
}

/// `2028-02`.
impl fmt::Display for Month {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:04}-{:02}", self.year(), self.month())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Seconds at 2028-02-29T00:00:00Z.
    const LEAP_DAY: u64 = 1_835_395_200;

    fn month(time: u64) -> String {
        Month::of(UnixSeconds(time)).to_string()
    }

    #[test]
    fn boundaries_lie_at_the_second() {
        assert_eq!((month(0), month(u64::MAX)), ("1970-01".into(), "9999-12".into()));
        assert_eq!(
            (month(253_402_300_799), month(253_402_300_800)),
            ("9999-12".into(), "9999-12".into())
        );
        assert_eq!(Hour::of(UnixSeconds(253_402_300_799)), Hour(LAST_HOUR));
        assert_eq!(month(LEAP_DAY - 1), "2028-02");
        assert_eq!(month(LEAP_DAY + 86_399), "2028-02");
        assert_eq!(month(LEAP_DAY + 86_400), "2028-03");
        assert_eq!(month(1_798_761_599), "2026-12");
        assert_eq!(month(1_798_761_600), "2027-01");
        let (before, after) = (UnixSeconds(LEAP_DAY - 1), UnixSeconds(LEAP_DAY));
        assert_eq!(Day::of(after).0 - Day::of(before).0, 1);
        assert_eq!(Hour::of(after).0 - Hour::of(before).0, 1);
        assert_eq!(Hour::of(after).start(), after);
    }

    /// 2016-12-31T23:59:60Z is told as 1483228800 by clocks that step, 1483228799 by those that do
    /// not: either is a time of one hour, one day and one month.
    #[test]
    fn a_leap_second_counts_on_one_side_of_midnight() {
        assert_eq!(month(1_483_228_799), "2016-12");
        assert_eq!(month(1_483_228_800), "2017-01");
    }

    #[test]
    fn a_century_that_is_no_leap_year_has_28_days_in_february() {
        let february = Month::new(2100, 2).unwrap();
        assert_eq!(Month::new(2100, 3).unwrap().first_day().0 - february.first_day().0, 28);
        assert_eq!(
            Month::new(2000, 3).unwrap().first_day().0 - Month::new(2000, 2).unwrap().first_day().0,
            29
        );
        assert_eq!(Month::new(2026, 13), None);
        assert_eq!(Month::new(1969, 12), None);
        assert_eq!(Month::new(1970, 1).unwrap().previous(), None);
        assert_eq!(Month::new(2027, 1).unwrap().previous(), Month::new(2026, 12));
    }

    proptest! {
        #[test]
        fn a_time_lies_in_its_hour_day_and_month(time in 0_u64..253_402_300_800) {
            let (hour, day, month) =
                (Hour::of(UnixSeconds(time)), Day::of(UnixSeconds(time)), Month::of(UnixSeconds(time)));
            prop_assert!(hour.start().0 <= time && time < hour.start().0 + 3_600);
            prop_assert!(day.start().0 <= time && time < day.start().0 + 86_400);
            prop_assert_eq!((hour.day(), day.month()), (day, month));
            let first = month.first_day();
            prop_assert!(first <= day && day.0 - first.0 < 31);
            prop_assert_eq!(first.month(), month);
            prop_assert_eq!(Month::new(month.year(), month.month()), Some(month));
            prop_assert_eq!(Hour::from_be_bytes(hour.to_be_bytes()), Some(hour));
        }
    }
}
