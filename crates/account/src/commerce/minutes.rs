//! Which minutes the service was up.

use superroot_store::Batch;
use superroot_types::UnixSeconds;

use super::Availability;
use super::rows::{Commerce, TABLE};
use crate::{AccountError, Month, row};

impl Commerce {
    /// Records whether the service was up in the minute of `at`. The first word on a minute counts;
    /// a minute before the last one recorded does not.
    ///
    /// # Errors
    /// [`AccountError::Month`] outside the calendar; [`AccountError::Contended`],
    /// [`AccountError::Store`].
    pub fn record_minute(&self, at: UnixSeconds, is_up: bool) -> Result<(), AccountError> {
        let key = self.month_key(7, &[], Month::of(at)?);
        let minute = at.0 / 60;
        row::commit(&*self.store, TABLE, || {
            let mut batch = Batch::new();
            let held = row::load::<Availability>(&*self.store, TABLE, &key)?;
            let mut sum = held.as_ref().map(|held| held.value).unwrap_or_default();
            if sum.measured_minutes > 0 && minute <= sum.last_minute {
                return Ok((batch, ()));
            }
            sum.last_minute = minute;
            // below the minutes of a month
            sum.measured_minutes = sum.measured_minutes.saturating_add(1);
            sum.up_minutes = sum.up_minutes.saturating_add(u64::from(is_up));
            batch.expect(TABLE, key.clone(), held.as_ref().map(|held| &held.bytes[..]));
            batch.put(TABLE, key.clone(), row::encode(&sum));
            Ok((batch, ()))
        })
    }

    /// Counts as down every minute between the last one recorded and that of `now`, which is not
    /// counted: nobody was there to record them. Where none was ever recorded, or the last one is
    /// more than a year ago, nothing is counted. Answers how many they were.
    ///
    /// # Errors
    /// As [`Commerce::record_minute`].
    pub fn record_gap(&self, now: UnixSeconds) -> Result<u64, AccountError> {
        let Some((mut month, last)) = self.last_measured(now)? else { return Ok(0) };
        let (mut from, until) = (last.saturating_add(1), now.0 / 60);
        let mut down = 0_u64;
        while from < until {
            let end = until.min(month.end().0 / 60);
            down = down.saturating_add(self.record_down(month, from, end)?);
            (from, month) = (end, month.next());
        }
        Ok(down)
    }

    /// The last minute recorded, and its month.
    fn last_measured(&self, now: UnixSeconds) -> Result<Option<(Month, u64)>, AccountError> {
        let mut month = Month::of(now)?;
        for _ in 0..=12 {
            let held = self.availability(month)?;
            if held.measured_minutes > 0 {
                return Ok(Some((month, held.last_minute)));
            }
            let Some(before) = month.start().0.checked_sub(1) else { break };
            month = Month::of(UnixSeconds(before))?;
        }
        Ok(None)
    }

    /// Counts as down the minutes of a month from one on and before another that nobody recorded.
    fn record_down(&self, month: Month, from: u64, until: u64) -> Result<u64, AccountError> {
        let key = self.month_key(7, &[], month);
        row::commit(&*self.store, TABLE, || {
            let mut batch = Batch::new();
            let held = row::load::<Availability>(&*self.store, TABLE, &key)?;
            let mut sum = held.as_ref().map(|held| held.value).unwrap_or_default();
            let next = if sum.measured_minutes > 0 { sum.last_minute.saturating_add(1) } else { 0 };
            let down = until.saturating_sub(from.max(next));
            if down > 0 {
                sum.last_minute = until.saturating_sub(1);
                sum.measured_minutes = sum.measured_minutes.saturating_add(down);
                batch.expect(TABLE, key.clone(), held.as_ref().map(|held| &held.bytes[..]));
                batch.put(TABLE, key.clone(), row::encode(&sum));
            }
            Ok((batch, down))
        })
    }

    /// The availability measured in a month.
    ///
    /// # Errors
    /// [`AccountError::Store`].
    pub fn availability(&self, month: Month) -> Result<Availability, AccountError> {
        Ok(self.load(&self.month_key(7, &[], month))?.unwrap_or_default())
    }
}
