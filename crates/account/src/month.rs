use core::fmt;
use core::str::FromStr;

use serde::{Deserialize, Deserializer, Serialize, Serializer};
use superroot_types::{UnixSeconds, first_chars};

use crate::AccountError;

/// Calendar month in UTC; written `2026-02`. Years 1970 to 9998.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Month {
    year: u16,
    /// 1 to 12.
    month: u8,
}

impl Month {
    /// Month by year and number (1 to 12).
    ///
    /// # Errors
    /// [`AccountError::Month`] outside the known years and numbers.
    pub fn new(year: u16, month: u8) -> Result<Self, AccountError> {
        if (1970..=9998).contains(&year) && (1..=12).contains(&month) {
            return Ok(Self { year, month });
        }
        Err(AccountError::Month { month: format!("{year:04}-{month:02}"), why: "does not exist" })
    }

    /// A second's month.
    ///
    /// # Errors
    /// [`AccountError::Month`] after the year 9998.
    pub fn of(at: UnixSeconds) -> Result<Self, AccountError> {
        let beyond =
            || AccountError::Month { month: format!("of second {at}"), why: "does not exist" };
        let seconds = i64::try_from(at.0).map_err(|_| beyond())?;
        let date = time::OffsetDateTime::from_unix_timestamp(seconds).map_err(|_| beyond())?;
        let year = u16::try_from(date.year()).map_err(|_| beyond())?;
        Self::new(year, date.month().into())
    }

    #[must_use]
    pub fn start(self) -> UnixSeconds {
        let month = time::Month::try_from(self.month).expect("a month is 1 to 12");
        let date = time::Date::from_calendar_date(i32::from(self.year), month, 1);
        let first = date.expect("every month of these years has a first day");
        UnixSeconds(first.midnight().assume_utc().unix_timestamp().unsigned_abs())
    }

    /// First second after.
    #[must_use]
    pub fn end(self) -> UnixSeconds {
        self.next().start()
    }

    #[must_use]
    pub const fn next(self) -> Self {
        if self.month == 12 {
            Self { year: self.year + 1, month: 1 }
        } else {
            Self { year: self.year, month: self.month + 1 }
        }
    }

    /// Previous month; `None` before 1970.
    #[must_use]
    pub const fn before(self) -> Option<Self> {
        match (self.year, self.month) {
            (1970, 1) => None,
            (year, 1) => Some(Self { year: year - 1, month: 12 }),
            (year, month) => Some(Self { year, month: month - 1 }),
        }
    }

    #[must_use]
    pub fn plus(self, months: u32) -> Self {
        (0..months).fold(self, |month, _| month.next())
    }

    /// Months from `other` to this one; negative if this one comes first.
    #[must_use]
    pub fn months_since(self, other: Self) -> i32 {
        let count = |month: Self| i32::from(month.year) * 12 + i32::from(month.month);
        count(self) - count(other)
    }

    /// `year:u16 ‖ month:u8`, in order.
    #[must_use]
    pub const fn key(self) -> [u8; 3] {
        let [high, low] = self.year.to_be_bytes();
        [high, low, self.month]
    }
}

impl fmt::Display for Month {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:04}-{:02}", self.year, self.month)
    }
}

impl FromStr for Month {
    type Err = AccountError;

    fn from_str(text: &str) -> Result<Self, AccountError> {
        let is_digits = |part: &str| part.bytes().all(|byte| byte.is_ascii_digit());
        let parts = text.split_once('-').filter(|(year, month)| {
            year.len() == 4 && month.len() == 2 && is_digits(year) && is_digits(month)
        });
        let numbers =
            parts.and_then(|(year, month)| Some((year.parse().ok()?, month.parse().ok()?)));
        let Some((year, month)) = numbers else {
            let month = first_chars(text, 16).to_owned();
            return Err(AccountError::Month { month, why: "is not of the form 2026-02" });
        };
        Self::new(year, month)
    }
}

impl Serialize for Month {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Month {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer)?.parse().map_err(serde::de::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn month(text: &str) -> Month {
        text.parse().unwrap()
    }

    #[test]
    fn months_have_the_days_of_the_calendar() {
        let days = |text| (month(text).end().0 - month(text).start().0) / 86_400;
        assert_eq!(
            ["2026-01", "2026-02", "2028-02", "2100-02", "2000-02"].map(days),
            [31, 28, 29, 28, 29]
        );
        assert_eq!(month("1970-01").start(), UnixSeconds(0));
        assert_eq!(month("2024-03").start(), UnixSeconds(1_709_251_200));
        assert_eq!(month("9998-12").end(), UnixSeconds(253_370_764_800));
        assert_eq!(
            (month("1970-01").before(), month("2026-11").plus(14)),
            (None, month("2028-01"))
        );
    }

    #[test]
    fn the_last_second_is_in_and_the_next_is_not() {
        for text in ["2024-02", "2025-12", "2026-06", "2016-12"] {
            let month = month(text);
            let end = month.end().0;
            assert_eq!(Month::of(UnixSeconds(end - 1)).unwrap(), month);
            assert_eq!(Month::of(UnixSeconds(end)).unwrap(), month.next());
            assert_eq!(Month::of(month.start()).unwrap(), month);
        }
    }

    #[test]
    fn what_is_no_month_is_refused() {
        for text in ["2026-13", "2026-00", "2026-1", "26-01", "+026-01", "1969-12", "9999-01", ""] {
            assert!(text.parse::<Month>().is_err(), "{text}");
        }
        assert!(Month::of(UnixSeconds(u64::MAX)).is_err());
        assert!(Month::of(UnixSeconds(i64::MAX.unsigned_abs())).is_err());
        assert!(Month::of(UnixSeconds(253_370_764_800)).is_err());
    }

    proptest! {
        #[test]
        fn every_second_lies_in_one_month(at in 0..253_370_764_800_u64) {
            let month = Month::of(UnixSeconds(at)).unwrap();
            prop_assert!(month.start().0 <= at && at < month.end().0);
            prop_assert_eq!(month.to_string().parse::<Month>().unwrap(), month);
            prop_assert_eq!(month.next().months_since(month), 1);
            prop_assert!(month.key() < month.next().key());
            prop_assert_eq!(month.next().before(), Some(month));
        }
    }
}
