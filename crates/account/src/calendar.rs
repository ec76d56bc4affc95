//! Hours and days in UTC, with 24 hours in every day.
//!
//! Unix time has no leap seconds: 23:59:60 appears as a neighbouring second, and counts there.

use std::fmt;
use std::str::FromStr;

use superroot_types::UnixSeconds;
use time::Date;

use crate::Month;

const HOUR_SECONDS: u64 = 3_600;
const DAY_HOURS: u32 = 24;

/// Julian day of 1970-01-01.
const EPOCH_JULIAN_DAY: i32 = 2_440_588;

/// Last hour of the year 9998, the end of the calendar: later times count there.
const LAST_HOUR: u32 = 70_380_767;

/// Hours since 1970-01-01 UTC.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Hour(u32);

/// Days since 1970-01-01 UTC.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Day(u32);

impl Hour {
    #[must_use]
    pub fn of(time: UnixSeconds) -> Self {
        let hour = time.0 / HOUR_SECONDS;
        Self(u32::try_from(hour).unwrap_or(LAST_HOUR).min(LAST_HOUR))
    }

    #[must_use]
    pub fn start(self) -> UnixSeconds {
        UnixSeconds(u64::from(self.0) * HOUR_SECONDS)
    }

    #[must_use]
    pub const fn day(self) -> Day {
        Day(self.0 / DAY_HOURS)
    }

    /// Same hour some days earlier, not before 1970.
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
    #[must_use]
    pub fn of(time: UnixSeconds) -> Self {
        Hour::of(time).day()
    }

    #[must_use]
    pub fn start(self) -> UnixSeconds {
        Hour(self.0 * DAY_HOURS).start()
    }

    /// First second after the day.
    #[must_use]
    pub fn end(self) -> UnixSeconds {
        let [_, end] = self.hours();
        end.start()
    }

    #[must_use]
    pub fn month(self) -> Month {
        let date = self.date();
        let year = u16::try_from(date.year()).ok();
        let month = year.and_then(|year| Month::new(year, date.month().into()).ok());
        month.expect("a day lies between 1970 and 9998")
    }

    /// Days since 1970-01-01 UTC.
    #[must_use]
    pub const fn number(self) -> u32 {
        self.0
    }

    /// `None` past the calendar.
    #[must_use]
    pub const fn from_number(number: u32) -> Option<Self> {
        if number <= LAST_HOUR / DAY_HOURS { Some(Self(number)) } else { None }
    }

    /// `None` past the calendar.
    #[must_use]
    pub const fn next(self) -> Option<Self> {
        Self::from_number(self.0.saturating_add(1))
    }

    /// `None` before 1970.
    #[must_use]
    pub const fn days_before(self, days: u32) -> Option<Self> {
        match self.0.checked_sub(days) {
            Some(day) => Some(Self(day)),
            None => None,
        }
    }

    /// First hour, and the first hour after the day.
    pub(crate) const fn hours(self) -> [Hour; 2] {
        let first = self.0 * DAY_HOURS;
        [Hour(first), Hour(first + DAY_HOURS)]
    }

    pub(crate) const fn to_be_bytes(self) -> [u8; 4] {
        self.0.to_be_bytes()
    }

    fn date(self) -> Date {
        let date = i32::try_from(self.0)
            .ok()
            .and_then(|day| Date::from_julian_day(EPOCH_JULIAN_DAY + day).ok());
        date.expect("a day is at most that of the last hour")
    }
}

impl fmt::Display for Day {
    /// ISO 8601: `2026-02-28`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let date = self.date();
        write!(f, "{:04}-{:02}-{:02}", date.year(), u8::from(date.month()), date.day())
    }
}

/// Not a day.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("not a day such as 2026-02-28, from 1970 to 9998")]
pub struct DayError;

impl FromStr for Day {
    type Err = DayError;

    fn from_str(text: &str) -> Result<Self, DayError> {
        let mut parts = text.splitn(3, '-');
        let mut part = |digits: usize| {
            let part = parts.next().filter(|part| part.len() == digits)?;
            part.bytes().all(|byte| byte.is_ascii_digit()).then(|| part.parse::<u16>().ok())?
        };
        let mut read = || {
            let year = i32::from(part(4)?);
            let month = time::Month::try_from(u8::try_from(part(2)?).ok()?).ok()?;
            let date = Date::from_calendar_date(year, month, u8::try_from(part(2)?).ok()?).ok()?;
            let number = date.to_julian_day().checked_sub(EPOCH_JULIAN_DAY)?;
            Self::from_number(u32::try_from(number).ok()?)
        };
        read().ok_or(DayError)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Seconds at 2028-02-29T00:00:00Z.
    const LEAP_DAY: u64 = 1_835_395_200;

    fn month(time: u64) -> String {
        Day::of(UnixSeconds(time)).month().to_string()
    }

    #[test]
    fn boundaries_lie_at_the_second() {
        assert_eq!((month(0), month(u64::MAX)), ("1970-01".into(), "9998-12".into()));
        assert_eq!(
            (month(253_370_764_799), month(253_370_764_800)),
            ("9998-12".into(), "9998-12".into())
        );
        assert_eq!(Hour::of(UnixSeconds(253_370_764_799)), Hour(LAST_HOUR));
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

    proptest! {
        #[test]
        fn a_time_lies_in_its_hour_day_and_month(time in 0_u64..253_370_764_800) {
            let (hour, day) = (Hour::of(UnixSeconds(time)), Day::of(UnixSeconds(time)));
            prop_assert!(hour.start().0 <= time && time < hour.start().0 + 3_600);
            prop_assert!(day.start().0 <= time && time < day.start().0 + 86_400);
            prop_assert_eq!(hour.day(), day);
            prop_assert_eq!(day.month(), Month::of(UnixSeconds(time)).unwrap());
            prop_assert_eq!(Hour::from_be_bytes(hour.to_be_bytes()), Some(hour));
            prop_assert_eq!(day.to_string().parse(), Ok(day));
            prop_assert_eq!(day.hours()[0].start(), day.start());
        }
    }
}
