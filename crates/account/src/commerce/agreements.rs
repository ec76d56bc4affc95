//! The agreements with one account, past, running and ahead.
//!
//! ```text
//!   2026-01        2026-05        2027-05
//!      |-- monthly ---|--- yearly ----|   |-- enterprise --...
//! ```
//! What must always hold: they stand in the order of their months, and no month has two; each says
//! for which months it holds, so what it bills can be read off it.

use std::slice::Iter;

use serde::{Deserialize, Serialize};
use superroot_types::UnixSeconds;

use super::{Agreement, Terms};
use crate::{AccountError, AccountId, Grant, Month, Operator, Plans};

/// Agreements that are kept of one account.
pub const AGREEMENTS_MAX: usize = 240;

/// The agreements with an account, oldest first.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "Row")]
pub struct Agreements {
    /// Sub-accounts so far.
    sub_account_count: u32,
    agreements: Vec<Agreement>,
}

/// What became of an agreement when another was entered, or when it was ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Replaced {
    /// As it was.
    pub was: Agreement,
    /// The last month it holds in now; none where it holds in no month.
    pub until: Option<Month>,
}

impl Agreements {
    /// The one that holds in a month.
    #[must_use]
    pub fn in_month(&self, month: Month) -> Option<&Agreement> {
        self.iter().find(|agreement| agreement.holds_in(month))
    }

    /// The first that begins after a month.
    #[must_use]
    pub fn after(&self, month: Month) -> Option<&Agreement> {
        self.iter().find(|agreement| month < agreement.from)
    }

    /// The one that begins last.
    #[must_use]
    pub fn newest(&self) -> Option<&Agreement> {
        self.agreements.last()
    }

    /// All, oldest first.
    pub fn iter(&self) -> Iter<'_, Agreement> {
        self.agreements.iter()
    }

    /// Sub-accounts so far.
    #[must_use]
    pub const fn sub_account_count(&self) -> u32 {
        self.sub_account_count
    }

    /// Whether the account is an integrator by the agreement that begins last.
    #[must_use]
    pub fn is_integrator(&self) -> bool {
        self.newest().is_some_and(Agreement::is_integrator)
    }

    pub(super) const fn count_sub_account(&mut self) {
        self.sub_account_count = self.sub_account_count.saturating_add(1);
    }

    /// Enters one: it takes every month from its first on.
    pub(super) fn enter(&mut self, next: Agreement) -> Result<Vec<Replaced>, AccountError> {
        let replaced = self.end_before(next.from);
        if self.agreements.len() >= AGREEMENTS_MAX {
            return Err(AccountError::Full { what: "agreements", expected: AGREEMENTS_MAX });
        }
        self.agreements.push(next);
        Ok(replaced)
    }

    /// Lets none hold in a month or later.
    pub(super) fn end_before(&mut self, month: Month) -> Vec<Replaced> {
        let mut replaced = Vec::new();
        self.agreements.retain_mut(|agreement| {
            let was = agreement.clone();
            let until = month.before().filter(|until| was.from <= *until);
            if was.until.is_some_and(|until| until < month) {
                return true;
            }
            agreement.until = until;
            replaced.push(Replaced { was, until });
            until.is_some()
        });
        replaced
    }

    /// What the agreement that holds at `now` gives, until no other follows at once; and when the
    /// calendar alone changes that.
    pub(crate) fn grant_at(
        &self,
        plans: &Plans,
        now: UnixSeconds,
    ) -> (Option<Grant>, Option<UnixSeconds>) {
        let Some(month) = Month::of(now).ok().filter(|_| !self.agreements.is_empty()) else {
            return (None, None);
        };
        let next = self.after(month);
        let running = self.in_month(month);
        let until = running.and_then(|agreement| agreement.until);
        let changes_at = until.map(Month::end).or_else(|| next.map(|next| next.from.start()));
        let grant = running.map(|agreement| Grant {
            limit_per_minute: Some(agreement.limit_per_minute(plans)),
            until: self.served_until(agreement).map(Month::end),
            ..agreement.grant()
        });
        (grant, changes_at)
    }

    /// The last month of an agreement and of all that follow it at once; none where one is open.
    fn served_until(&self, agreement: &Agreement) -> Option<Month> {
        let mut until = agreement.until?;
        for next in self.iter().filter(|next| agreement.from < next.from) {
            if next.from != until.next() {
                break;
            }
            until = next.until?;
        }
        Some(until)
    }
}

/// The row as it is read: a history, or the one agreement that an account had before.
#[derive(Deserialize)]
#[serde(untagged)]
enum Row {
    History(History),
    Single(Single),
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct History {
    sub_account_count: u32,
    agreements: Vec<Agreement>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Single {
    account: AccountId,
    terms: Terms,
    from: Month,
    until: Option<Month>,
    by: Operator,
    entered_at: UnixSeconds,
    sub_account_count: u32,
}

impl TryFrom<Row> for Agreements {
    type Error = &'static str;

    fn try_from(row: Row) -> Result<Self, Self::Error> {
        let (sub_account_count, agreements) = match row {
            Row::History(History { sub_account_count, agreements }) => {
                (sub_account_count, agreements)
            }
            Row::Single(Single {
                account,
                terms,
                from,
                until,
                by,
                entered_at,
                sub_account_count,
            }) => {
                (sub_account_count, vec![Agreement { account, terms, from, until, by, entered_at }])
            }
        };
        let ends = |agreement: &Agreement| agreement.until.is_none_or(|end| agreement.from <= end);
        let follows = |pair: &[Agreement]| match pair {
            [one, next] => one.until.is_some_and(|until| until < next.from),
            _ => true,
        };
        if agreements.iter().all(ends) && agreements.windows(2).all(follows) {
            return Ok(Self { sub_account_count, agreements });
        }
        Err("agreements of one account that hold in one month")
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::row;
    use crate::{Interval, Tier};
    use superroot_store::Table;

    fn month(number: u32) -> Month {
        "2026-01".parse::<Month>().unwrap().plus(number)
    }

    fn agreement(from: u32, until: Option<u32>) -> Agreement {
        Agreement {
            account: AccountId(uuid::Uuid::from_bytes([1; 16])),
            terms: Terms::Integrator {
                interval: Interval::Monthly,
                fee_usdc_e6: 99_000_000,
                tier: Tier::Builder,
            },
            from: month(from),
            until: until.map(month),
            by: Operator { who: "ops".into(), why: "contract 7".into() },
            entered_at: UnixSeconds(0),
        }
    }

    fn read(json: &str) -> Result<Agreements, AccountError> {
        row::decode(Table::Subscription, b"k", &[&[1], json.as_bytes()].concat())
    }

    const SINGLE: &str = r#"{"account":"01010101-0101-0101-0101-010101010101","terms":{"integrator":
        {"interval":"monthly","fee_usdc_e6":99000000}},"from":"2026-01","until":null,
        "by":{"who":"ops","why":"contract 7"},"entered_at":0,"sub_account_count":3}"#;

    #[test]
    fn the_one_agreement_of_an_older_store_is_a_history_of_one() {
        let read_back = read(SINGLE).unwrap();
        assert_eq!(read_back.iter().collect::<Vec<_>>(), [&agreement(0, None)]);
        assert_eq!(read_back.sub_account_count(), 3);
        let bytes = row::encode(&read_back);
        assert_eq!(
            row::decode::<Agreements>(Table::Subscription, b"k", &bytes).unwrap(),
            read_back
        );
    }

    #[test]
    fn a_row_with_two_agreements_for_one_month_is_corrupt() {
        let row = |agreements: &[Agreement]| {
            let agreements = serde_json::to_string(agreements).unwrap();
            read(&format!(r#"{{"sub_account_count":0,"agreements":{agreements}}}"#))
        };
        assert!(row(&[agreement(0, Some(1)), agreement(2, None)]).is_ok());
        assert!(row(&[agreement(0, Some(2)), agreement(2, None)]).is_err());
        assert!(row(&[agreement(0, None), agreement(2, None)]).is_err());
        assert!(row(&[agreement(2, Some(3)), agreement(0, Some(1))]).is_err());
        assert!(row(&[agreement(2, Some(1))]).is_err());
        assert!(read(r#"{"sub_account_count":0,"agreements":[],"more":1}"#).is_err());
    }

    #[test]
    fn a_grant_lasts_over_agreements_that_follow_at_once_and_changes_with_each() {
        let mut held = Agreements::default();
        for (from, until) in [(0, Some(1)), (2, Some(3)), (5, None)] {
            held.enter(agreement(from, until)).unwrap();
        }
        let plans = Plans::default();
        let at = |number: u32| {
            let (grant, changes_at) = held.grant_at(&plans, month(number).start());
            (grant.map(|grant| grant.until), changes_at)
        };
        assert_eq!(at(0), (Some(Some(month(4).start())), Some(month(2).start())));
        assert_eq!(at(3), (Some(Some(month(4).start())), Some(month(4).start())));
        assert_eq!(at(4), (None, Some(month(5).start())));
        assert_eq!(at(6), (Some(None), None));
        let before = UnixSeconds(month(0).start().0 - 1);
        assert_eq!(held.grant_at(&plans, before), (None, Some(month(0).start())));
        assert_eq!(Agreements::default().grant_at(&plans, before), (None, None));
    }

    #[test]
    fn no_account_has_more_agreements_than_are_kept() {
        let mut held = Agreements::default();
        for number in 0..AGREEMENTS_MAX {
            held.enter(agreement(u32::try_from(number).unwrap(), None)).unwrap();
        }
        let error = held.clone().enter(agreement(1_000, None)).unwrap_err();
        assert!(matches!(error, AccountError::Full { expected: AGREEMENTS_MAX, .. }), "{error}");
        assert_eq!(held.enter(agreement(100, None)).unwrap().len(), AGREEMENTS_MAX - 100);
        assert_eq!(held.iter().count(), 101);
    }

    proptest! {
        /// Whatever is entered and ended in whatever order: months before keep what they have.
        #[test]
        fn what_is_entered_takes_every_month_from_its_first_on_and_no_other(
            acts in proptest::collection::vec((0..40_u32, 0..12_u32, 0..4_u8), 1..30),
        ) {
            let mut held = Agreements::default();
            for (from, length, kind) in acts {
                let before = held.clone();
                let replaced = if kind == 0 {
                    held.end_before(month(from))
                } else {
                    let until = (kind > 1).then_some(from + length);
                    held.enter(agreement(from, until)).unwrap()
                };
                for number in 0..60 {
                    let has = |held: &Agreements| held.in_month(month(number)).map(|a| a.from);
                    if number < from {
                        prop_assert_eq!(has(&held), has(&before));
                    } else {
                        let is_new = kind == 1 || (kind > 1 && number <= from + length);
                        prop_assert_eq!(has(&held), is_new.then_some(month(from)));
                    }
                }
                let changed = before.iter().filter(|old| old.until.is_none_or(|u| u >= month(from)));
                prop_assert_eq!(replaced.len(), changed.count());
                let bytes = row::encode(&held);
                let again = row::decode::<Agreements>(Table::Subscription, b"k", &bytes).unwrap();
                prop_assert_eq!(again, held.clone());
            }
        }
    }
}
