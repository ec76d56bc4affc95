//! Measured availability, and credit for missed availability.

use serde::{Deserialize, Serialize};

use crate::error::BillingError;
use crate::money::scaled_up;

/// A month's measured minutes. Unmeasured minutes count neither as up nor as down.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MeasuredMonth {
    pub measured_minutes: u64,
    pub up_minutes: u64,
    /// Last measured minute, in minutes since 1970: each minute counts once.
    pub last_minute: u64,
}

impl MeasuredMonth {
    /// Counts a minute after the last one. Returns whether the minute was counted.
    pub(crate) const fn count(&mut self, minute: u64, is_up: bool) -> bool {
        if self.measured_minutes > 0 && minute <= self.last_minute {
            return false;
        }
        self.last_minute = minute;
        // below the minutes of a month
        self.measured_minutes = self.measured_minutes.saturating_add(1);
        if is_up {
            self.up_minutes = self.up_minutes.saturating_add(1);
        }
        true
    }

    /// Counts the minutes in `from..until` after the last one as down. Returns their number.
    pub(crate) fn count_down(&mut self, from: u64, until: u64) -> u64 {
        let next = if self.measured_minutes > 0 { self.last_minute.saturating_add(1) } else { 0 };
        let down = until.saturating_sub(from.max(next));
        if down > 0 {
            self.last_minute = until.saturating_sub(1);
            self.measured_minutes = self.measured_minutes.saturating_add(down);
        }
        down
    }

    /// Availability of the measured minutes, in millionths, rounded down; `None` without measurement.
    #[must_use]
    pub fn part_e6(&self) -> Option<u32> {
        let part = (u128::from(self.up_minutes) * 1_000_000)
            .checked_div(u128::from(self.measured_minutes))?;
        u32::try_from(part).ok()
    }

    /// Credit for a month's fee: a tenth of the fee for each begun tenth of a percent below the promise, at most the
    /// fee, rounded up. A month without measurement gives no credit.
    pub fn credit_usdc_e6(&self, promised_e6: u32, fee_usdc_e6: u64) -> Result<u64, BillingError> {
        const STEP_E6: u32 = 1_000;
        let missing_e6 = promised_e6.saturating_sub(self.part_e6().unwrap_or(promised_e6));
        let tenths = u64::from(missing_e6.div_ceil(STEP_E6).min(10));
        let credit = scaled_up(fee_usdc_e6, tenths, 10);
        credit.ok_or(BillingError::Overflow { what: "a credit for availability" })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn measured(up_minutes: u64, measured_minutes: u64) -> MeasuredMonth {
        MeasuredMonth { measured_minutes, up_minutes, last_minute: 0 }
    }

    #[test]
    fn each_tenth_of_a_percent_below_the_promise_gives_back_a_tenth_of_the_fee() {
        let credit = |up, of| measured(up, of).credit_usdc_e6(999_000, 99).unwrap();
        assert_eq!(credit(43_200, 43_200), 0);
        assert_eq!(credit(999, 1_000), 0);
        assert_eq!(credit(998_999, 1_000_000), 10); // 9.9, rounded up
        assert_eq!(credit(998, 1_000), 10);
        assert_eq!(credit(997_999, 1_000_000), 20);
        assert_eq!(credit(989, 1_000), 99);
        assert_eq!(credit(0, 1_000), 99);
        assert_eq!(credit(0, 0), 0);
    }

    proptest! {
        #[test]
        fn less_up_never_gives_back_less_and_never_more_than_the_fee(
            measured_minutes in 1..50_000_u64, up in 0..50_000_u64, fee: u64, promised in 0..=1_000_000_u32,
        ) {
            let up = up.min(measured_minutes);
            let credit = |up| measured(up, measured_minutes).credit_usdc_e6(promised, fee).unwrap();
            prop_assert!(credit(up) <= fee);
            prop_assert!(up == 0 || credit(up - 1) >= credit(up));
            prop_assert_eq!(credit(measured_minutes), 0);
        }
    }
}
